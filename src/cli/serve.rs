//! `malecon serve`: the page in the browser, with the engine of this machine.

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::num::NonZero;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;

use clap::Args;
use malecon::base::sync::start_thread;
use malecon::engine::search::MAX_THREADS;
use malecon::protocols::gtp::protocol::CommandError;
use malecon::protocols::json::QuerySettings;
use malecon::protocols::json::scheduler::Scheduler;
use malecon::protocols::server::Server;

use super::analyze::QueryArguments;
use super::failure::Failure;
use super::parse::{at_least, whole};
use super::signals;

/// The port if the user names none.
const DEFAULT_PORT: u16 = 8642;

/// Options of `malecon serve`.
#[derive(Args)]
pub struct Arguments {
    /// Port of the page; 0 stands for any free one [default: 8642, or any free one if that is taken]
    #[arg(long, value_name = "PORT", value_parser = whole::<u16>(0, u16::MAX))]
    port: Option<u16>,
    /// Address to listen on; any but 127.0.0.1 and ::1 lets other machines use this one's engine
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    host: String,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    common: QueryArguments,
    /// Positions that are searched at the same time, each with its own threads and memory; one more for a page that
    /// would otherwise have to wait
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = whole::<u16>(1, 256))]
    searches: u16,
    /// Threads of each search [default: the number of processors, divided by --searches]
    #[arg(long, value_name = "N", value_parser = at_least::<usize>(0))]
    threads: Option<usize>,
    /// Pages that may be connected at the same time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = whole::<u16>(1, 256))]
    clients: u16,
    /// The most seconds that a search may take
    #[arg(long, value_name = "S", default_value_t = 600, value_parser = at_least::<u32>(1))]
    longest: u32,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
The page is at the address that the program prints: a board to play on, to analyse and to review games. It works \
without the internet. Ctrl-C ends the program. Programs can send the queries of malecon analyze over a WebSocket at \
the path /api (docs/analysis.md).

Only this machine can open the page. With another --host, anyone who can reach the address can use the engine, and \
nothing is encrypted.

Examples:
  malecon serve --open
      Open the page in the browser.
  malecon serve --port 8000 --searches 1 --threads 4 --memory 1024
      One strong search at a time, at http://127.0.0.1:8000/.
";

impl Arguments {
    fn threads(&self) -> usize {
        let processors = || thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.unwrap_or_else(|| (processors() / usize::from(self.searches)).clamp(1, MAX_THREADS))
    }

    fn settings(&self) -> Result<QuerySettings, CommandError> {
        let mut settings = self.common.settings(&[("threads", Some(self.threads().to_string()))])?;
        settings.longest = f64::from(self.longest);
        Ok(settings)
    }

    fn listen(&self) -> io::Result<TcpListener> {
        let bind = |port| TcpListener::bind((self.host.as_str(), port));
        match self.port {
            Some(port) => bind(port),
            None => bind(DEFAULT_PORT).or_else(|error| match error.kind() {
                io::ErrorKind::AddrInUse => bind(0),
                _ => Err(error),
            }),
        }
    }
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let scheduler = Scheduler::for_clients(arguments.settings()?, arguments.searches.into())?;
    let bound = arguments.listen().and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (address, listener) = bound.map_err(|error| {
        let port = arguments.port.unwrap_or(DEFAULT_PORT);
        Failure::Failed(format!("cannot listen on {} port {port}: {error}", arguments.host))
    })?;
    let url = url(&arguments.host, address);
    // The server serves whether or not anybody reads this.
    let _ = writeln!(io::stdout(), "Malecon is at {url} (Ctrl-C ends it)");
    if !address.ip().is_loopback() {
        eprintln!("Everybody who can reach {address} can use this engine.");
    }
    if arguments.open {
        open_in_browser(&url);
    }
    let server = Server::new(scheduler, &arguments.host, address.ip().is_loopback(), arguments.clients.into());
    Ok(serve_until_interrupted(listener, server)?)
}

/// The address of the page for a browser on this machine.
fn url(host: &str, address: SocketAddr) -> String {
    match host.parse::<IpAddr>() {
        Ok(ip) if ip.is_unspecified() => format!("http://127.0.0.1:{}/", address.port()),
        Ok(_) => format!("http://{address}/"),
        Err(_) => format!("http://{host}:{}/", address.port()),
    }
}

/// Serves until Ctrl-C.
///
/// # Errors
/// If the system has no thread left.
fn serve_until_interrupted(listener: TcpListener, server: Server) -> io::Result<()> {
    let (interrupts, interrupted) = channel();
    let handler = signals::catch(move |_, _| {
        let _ = interrupts.send(());
    });
    if let Err(error) = handler {
        log::warn!("Ctrl-C will end the program at once: {error}");
    }
    start_thread("server", move || server.run(&listener))?;
    // The handler is dropped only if it could not be set; then a signal ends the program by itself.
    if interrupted.recv().is_err() {
        loop {
            thread::park();
        }
    }
    Ok(())
}

/// Opens an address in the browser of the desktop, or says that it cannot. Does not wait: the program that opens it may
/// run as long as the browser.
fn open_in_browser(url: &str) {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[url]),
        "windows" => ("cmd", &["/c", "start", url]),
        _ => ("xdg-open", &[url]),
    };
    let mut command = Command::new(program);
    // The opener's own messages are only about the browsers that it has tried.
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let cannot_open = format!("No browser could be opened: open {url} yourself.");
    match command.spawn() {
        Ok(mut opener) => {
            // Without a thread, nobody learns how it went.
            let _ = start_thread("opener", move || {
                if !opener.wait().is_ok_and(|status| status.success()) {
                    eprintln!("{cannot_open}");
                }
            });
        }
        Err(_) => eprintln!("{cannot_open}"),
    }
}
