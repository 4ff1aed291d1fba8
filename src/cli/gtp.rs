//! `malecon gtp`: play over the Go Text Protocol.

use std::io::{self, BufReader, ErrorKind, IsTerminal};
use std::process::ExitCode;

use clap::Args;
use malecon::gtp::protocol::Refusal;
use malecon::gtp::{Engine, Settings, serve};

/// Options of `malecon gtp`.
#[derive(Args)]
pub struct Arguments {
    /// Side length of the board at the start, 2 to 13; boardsize changes it
    #[arg(long, value_name = "N", default_value_t = 8)]
    side: usize,
    /// All options of the search at once: default, plain or paper; the other options change it
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Threads that search together
    #[arg(long, value_name = "N")]
    threads: Option<String>,
    /// Seconds to think about a move while no clock was set [default: 5]
    #[arg(long, value_name = "S")]
    time: Option<String>,
    /// Playouts to think about a move, in place of seconds
    #[arg(long, value_name = "N")]
    playouts: Option<String>,
    /// Seed of the random numbers: with one thread and --playouts, the same seed plays the same moves
    #[arg(long, value_name = "N")]
    seed: Option<String>,
    /// Switch the pie rule on
    #[arg(long)]
    swap: bool,
    /// The program at the other end: havannahgui, gogui or littlegolem [default: havannahgui]
    #[arg(long, value_name = "DIALECT")]
    gui: Option<String>,
    /// Resign hopeless games instead of playing them out
    #[arg(long)]
    resign: bool,
    /// Set any option, as the GTP command set_option does
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
}

/// The part of the help after the options.
pub fn manual() -> String {
    let mut text = String::from(MANUAL);
    for option in Settings::default().list() {
        text += &format!("  {} = {} ({})\n      {}\n", option.name, option.default, option.range, option.meaning);
    }
    text
}

const MANUAL: &str = "\
Examples:
  malecon
      Answer commands on stdin, on a board of side length 8, five seconds a move.
  malecon --side 10 --threads 2 --time 30
      The engine for a serious game; in a graphical front end, the command to attach.
  malecon --gui gogui --side 6
      For GoGui, which names vertices its own way and cannot set the side length.
  printf 'boardsize 4\\ngenmove white\\nshowboard\\n' | malecon --playouts 10000 --seed 1
      A script: all of its commands are answered, then the program ends.
  RUST_LOG=info malecon
      Tell on stderr what each search found.

The GTP command help lists the commands, list_options the options with their present values.

Options for --set, with default and range:
";

impl Arguments {
    fn settings(&self) -> Result<Settings, Refusal> {
        let mut settings = Settings::on_side(self.side)?;
        let switch = |on: bool| on.then(|| "true".to_owned());
        let named = [
            ("preset", &self.preset),
            ("threads", &self.threads),
            ("seconds", &self.time),
            ("playouts", &self.playouts),
            ("seed", &self.seed),
            ("gui", &self.gui),
            ("swap", &switch(self.swap)),
            ("resign", &switch(self.resign)),
        ];
        for (name, value) in named {
            value.as_deref().map_or(Ok(()), |value| settings.set(name, value))?;
        }
        for pair in &self.set {
            let (name, value) = pair
                .split_once('=')
                .ok_or_else(|| Refusal::new(format!("--set '{pair}' has no '=': NAME=VALUE is wanted")))?;
            settings.set(name.trim(), value.trim())?;
        }
        settings.color = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        settings.status_line = io::stderr().is_terminal();
        Ok(settings)
    }
}

/// Runs the sub-command. Does not return while a thread is left that reads stdin.
pub fn run(arguments: &Arguments) -> ExitCode {
    let settings = match arguments.settings() {
        Ok(settings) => settings,
        Err(refusal) => {
            eprintln!("error: {refusal}\n\nFor more information, try '--help'.");
            return ExitCode::from(2);
        }
    };
    let result = serve(Engine::new(settings), BufReader::new(io::stdin()), io::stdout());
    std::process::exit(match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            log::error!("cannot write the answers: {error}");
            1
        }
        _ => 0,
    })
}
