//! `malecon serve`: the page in the browser, with the engine of this machine.

mod assets;
mod http;
mod websocket;

use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use clap::Args;
use malecon::gtp::protocol::CommandError;
use malecon::queries::scheduler::Scheduler;

use super::analyze::EngineArguments;
use super::gtp::usage_error;
use assets::Asset;
use http::{MAX_REST, Refusal, Request, finish, is_own_host, read_request, refuse, respond};

/// The port if the user names none.
const DEFAULT_PORT: u16 = 8642;
/// The most connections at the same time that are no WebSockets.
const MAX_REQUESTS: usize = 64;

/// Options of `malecon serve`.
#[derive(Args)]
pub struct Arguments {
    /// Port of the page; 0 stands for any free one [default: 8642, or any free one if that is taken]
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Address to listen on; any but 127.0.0.1 and ::1 lets other machines use this one's engine
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    host: String,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    engine: EngineArguments,
    /// Positions that are searched at the same time, each with its own threads and memory
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256))]
    searches: u16,
    /// Threads of each search [default: the number of processors, divided by --searches]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Pages that may be connected at the same time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    clients: u16,
    /// The most seconds that a search may take
    #[arg(long, value_name = "S", default_value_t = 600)]
    longest: u32,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
The page is at the address that the program prints: a board to play on, to analyse and to review games. It works without \
the internet. Ctrl-C ends the program. Programs can send the queries of malecon analyze over a WebSocket at the path /api \
(docs/analysis.md).

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
        let shared = || thread::available_parallelism().map_or(1, |n| n.get() / usize::from(self.searches)).max(1);
        self.threads.unwrap_or_else(shared)
    }

    fn scheduler(&self) -> Result<Scheduler, CommandError> {
        let mut settings = self.engine.settings(&[("threads", Some(self.threads().to_string()))])?;
        settings.longest = f64::from(self.longest.max(1));
        Ok(Scheduler::new(settings, self.searches.into())?)
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
pub fn run(arguments: &Arguments) -> ExitCode {
    let scheduler = match arguments.scheduler() {
        Ok(scheduler) => Arc::new(scheduler),
        Err(error) => return usage_error(&error),
    };
    let (listener, address) = match arguments.listen().and_then(|l| l.local_addr().map(|address| (l, address))) {
        Ok(bound) => bound,
        Err(error) => {
            let port = arguments.port.unwrap_or(DEFAULT_PORT);
            eprintln!("error: cannot listen on {} port {port}: {error}", arguments.host);
            return ExitCode::FAILURE;
        }
    };
    let url = url(&arguments.host, address);
    // The server serves whether or not anybody reads this.
    let _ = writeln!(io::stdout(), "Malecon is at {url} (Ctrl-C ends it)");
    if !address.ip().is_loopback() {
        eprintln!("Everybody who can reach {address} can use this engine.");
    }
    if arguments.open {
        open_in_browser(&url);
    }
    let server = Server {
        scheduler,
        host: arguments.host.clone(),
        is_loopback: address.ip().is_loopback(),
        requests: Slots::new(MAX_REQUESTS),
        clients: Slots::new(arguments.clients.into()),
    };
    wait_for_interrupt(listener, Arc::new(server));
    ExitCode::SUCCESS
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
fn wait_for_interrupt(listener: TcpListener, server: Arc<Server>) {
    let (interrupts, interrupted) = channel();
    let handler = ctrlc::set_handler(move || {
        let _ = interrupts.send(());
    });
    if let Err(error) = handler {
        log::warn!("Ctrl-C will end the program at once: {error}");
    }
    thread::spawn(move || {
        for stream in listener.incoming() {
            match stream {
                Ok(stream) => accept(stream, &server),
                Err(error) => {
                    log::warn!("a connection failed: {error}");
                    // Such as too many open files, which goes by.
                    thread::sleep(Duration::from_millis(100));
                }
            }
        }
    });
    // The handler is dropped only if it could not be set; then a signal ends the program by itself.
    if interrupted.recv().is_err() {
        loop {
            thread::park();
        }
    }
}

/// Opens an address in the browser of the desktop.
fn open_in_browser(url: &str) {
    let (program, arguments): (&str, &[&str]) = match () {
        () if cfg!(target_os = "macos") => ("open", &[url]),
        () if cfg!(target_os = "windows") => ("cmd", &["/c", "start", url]),
        () => ("xdg-open", &[url]),
    };
    if let Err(error) = Command::new(program).args(arguments).spawn() {
        eprintln!("Cannot open the browser with {program} ({error}): open {url} yourself.");
    }
}

struct Server {
    scheduler: Arc<Scheduler>,
    /// The host that the user named.
    host: String,
    is_loopback: bool,
    requests: Slots,
    clients: Slots,
}

/// A bounded number of places.
#[derive(Clone)]
struct Slots {
    free: Arc<AtomicUsize>,
}

/// One place, until it is dropped.
struct Slot(Arc<AtomicUsize>);

impl Slots {
    fn new(count: usize) -> Slots {
        Slots { free: Arc::new(AtomicUsize::new(count)) }
    }

    fn take(&self) -> Option<Slot> {
        let taken = self.free.fetch_update(SeqCst, SeqCst, |free| free.checked_sub(1));
        taken.ok().map(|_| Slot(Arc::clone(&self.free)))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// Answers a connection on a thread of its own.
fn accept(stream: TcpStream, server: &Arc<Server>) {
    let Some(slot) = server.requests.take() else {
        log::debug!("too many connections");
        return;
    };
    let server = Arc::clone(server);
    let thread = thread::Builder::new().name("connection".into()).spawn(move || {
        if let Err(error) = server.answer(&stream, slot) {
            log::debug!("a connection ended: {error}");
        }
    });
    if let Err(error) = thread {
        log::warn!("no thread for a connection: {error}");
    }
}

impl Server {
    fn answer(&self, stream: &TcpStream, slot: Slot) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let Some(request) = read_request(stream) else { return Ok(()) };
        let request = match request.and_then(|request| self.check(request)) {
            Err(refusal) => return refuse(stream, &refusal),
            Ok(request) => request,
        };
        match (&request.websocket_key, assets::find(&request.path)) {
            (Some(key), _) => match self.clients.take() {
                None => refuse(stream, &Refusal::new(503, "too many pages are connected")),
                Some(_client) => {
                    drop(slot);
                    accept_websocket(stream, key)?;
                    websocket::converse(stream, request.rest, &self.scheduler)
                }
            },
            (None, Some(asset)) => send(stream, asset, &request),
            (None, None) if request.path == "/api" => {
                refuse(stream, &Refusal::new(426, "this is the path of a WebSocket"))
            }
            (None, None) => refuse(stream, &Refusal::new(404, "there is no such file")),
        }
    }

    /// Refuses requests that other sites have caused, and those that are not served.
    fn check(&self, request: Request) -> Result<Request, Refusal> {
        if !is_own_host(&request.host, &self.host, self.is_loopback) {
            return Err(Refusal::new(403, "the request is for another host"));
        }
        // Browsers always say which site opens a WebSocket; programs need not.
        let own = format!("http://{}", request.host);
        if request.origin.as_ref().is_some_and(|origin| !origin.eq_ignore_ascii_case(&own)) {
            return Err(Refusal::new(403, "the request comes from another site"));
        }
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return Err(Refusal::new(405, "only GET and HEAD are allowed"));
        }
        match request.websocket_key {
            Some(_) if request.path != "/api" => Err(Refusal::new(404, "the WebSocket is at /api")),
            Some(_) if request.method != "GET" => Err(Refusal::new(405, "a WebSocket begins with GET")),
            _ => Ok(request),
        }
    }
}

/// Sends a file of the page. Its fields forbid the page everything that it does not need.
fn send(stream: &TcpStream, asset: &Asset, request: &Request) -> io::Result<()> {
    let (length, media_type) = (asset.content.len(), asset.media_type());
    // Older browsers do not count a WebSocket of the same host as 'self'.
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
         connect-src 'self' ws://{}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        request.host
    );
    let fields = format!(
        "Content-Type: {media_type}\r\nContent-Length: {length}\r\nCache-Control: no-cache\r\n\
         Content-Security-Policy: {policy}\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n"
    );
    let content = if request.method == "HEAD" { &[] } else { asset.content };
    respond(stream, 200, &fields, content)?;
    finish(stream, MAX_REST);
    Ok(())
}

/// Ends the handshake of a WebSocket.
fn accept_websocket(stream: &TcpStream, key: &str) -> io::Result<()> {
    let accepted = tungstenite::handshake::derive_accept_key(key.as_bytes());
    let fields = format!("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accepted}\r\n");
    respond(stream, 101, &fields, b"")
}
