//! `malecon gtp`: play over the Go Text Protocol.

use std::io::{self, BufReader, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use clap::Args;
use malecon::gtp::protocol::{Answer, CommandError, clean, format, parse};
use malecon::gtp::{Engine, Settings, commands, serve};

use super::terminal::{Input, Interrupter, Lines, Words, is_terminal, may_color};

/// Options of `malecon gtp`.
#[derive(Args)]
pub struct Arguments {
    /// Side length of the board at the start, 2 to 13; boardsize changes it
    #[arg(long, value_name = "N", default_value_t = 8)]
    side: usize,
    /// All options of the search at once: default, rave, plain or paper; the other options change it
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Threads that search together
    #[arg(long, value_name = "N")]
    threads: Option<String>,
    /// Megabytes that the search tree may take [default: 1024]; the rest of the program takes about seven
    #[arg(long, value_name = "MB")]
    memory: Option<String>,
    /// Think on the opponent's time too
    #[arg(long)]
    ponder: bool,
    /// Seconds to think about a move while no clock was set [default: 5]
    #[arg(long, value_name = "S")]
    time: Option<String>,
    /// Simulations to think about a move, in place of seconds
    #[arg(long, value_name = "N", alias = "playouts")]
    simulations: Option<String>,
    /// Seed of the random numbers: with one thread and --simulations, the same seed plays the same moves
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
        let method = option.method.map_or(String::new(), |method| format!("; method {method} only"));
        text += &format!(
            "  {} = {} ({}{method})\n      {}\n",
            option.name, option.default, option.kind, option.description
        );
    }
    text
}

const MANUAL: &str = "\
Examples:
  malecon
      Answer commands on stdin, on a board of side length 8, five seconds a move. At a terminal, lines can be edited, \
Tab completes commands and vertices, and a vertex alone is a move that is answered.
  malecon --side 10 --threads 2 --time 30
      The engine for a serious game; in a graphical front end, the command to attach.
  malecon --gui gogui --side 6
      For GoGui, which names vertices its own way and cannot set the side length.
  printf 'boardsize 4\\ngenmove white\\nshowboard\\n' | malecon --simulations 10000 --seed 1
      A script: all of its commands are answered, then the program ends.
  RUST_LOG=info malecon
      Tell on stderr what each search found.

The GTP command help lists the commands, list_options the options with their present values.

Options for --set, with default and range:
";

impl Arguments {
    fn settings(&self) -> Result<Settings, CommandError> {
        let switch = |on: bool| on.then(|| "true".to_owned());
        let named = [
            ("preset", self.preset.clone()),
            ("threads", self.threads.clone()),
            ("memory", self.memory.clone()),
            ("ponder", switch(self.ponder)),
            ("seconds", self.time.clone()),
            ("simulations", self.simulations.clone()),
            ("seed", self.seed.clone()),
            ("gui", self.gui.clone()),
            ("swap", switch(self.swap)),
            ("resign", switch(self.resign)),
        ];
        let mut settings = settings(self.side, &named, &self.set)?;
        settings.status_line = io::stderr().is_terminal();
        Ok(settings)
    }
}

/// The settings that the command line gives: options by their names, where they are given, then those of `--set`.
pub fn settings(side: usize, named: &[(&str, Option<String>)], set: &[String]) -> Result<Settings, CommandError> {
    let mut settings = Settings::on_side(side)?;
    for (name, value) in named {
        value.as_deref().map_or(Ok(()), |value| settings.set(name, value))?;
    }
    for pair in set {
        let (name, value) = super::name_and_value(pair)?;
        settings.set(name, value)?;
    }
    settings.color = may_color();
    Ok(settings)
}

/// Tells what is wrong with the command line.
pub fn refuse(refusal: &CommandError) -> ExitCode {
    eprintln!("error: {refusal}\n\nFor more information, try '--help'.");
    ExitCode::from(2)
}

/// Runs the sub-command. Does not return while a thread is left that reads stdin.
pub fn run(arguments: &Arguments) -> ExitCode {
    let settings = match arguments.settings() {
        Ok(settings) => settings,
        Err(refusal) => return refuse(&refusal),
    };
    let engine = Engine::new(settings);
    let result = match is_terminal() {
        true => converse(engine),
        false => serve(engine, BufReader::new(io::stdin()), io::stdout()),
    };
    std::process::exit(match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            log::error!("cannot write the answers: {error}");
            1
        }
        _ => 0,
    })
}

const GREETING: &str = concat!(
    "Malecon ",
    env!("CARGO_PKG_VERSION"),
    " speaks GTP: try help, a vertex such as d4, or quit; or play by malecon play"
);

/// GTP with a person at a terminal: lines can be edited and completed, and a vertex alone is a move that is answered.
fn converse(mut engine: Engine) -> io::Result<()> {
    eprintln!("{GREETING}");
    let interrupter = Interrupter::new(&engine);
    let mut lines = Lines::new();
    while !engine.has_quit() {
        let line = match lines.next("malecon> ", words(&mut engine))? {
            Input::Line(line) => clean(line.as_bytes()),
            Input::Interrupt => {
                eprintln!("quit, or Ctrl-D, ends the program");
                continue;
            }
            Input::End => break,
        };
        let answer = interrupter.during(|| match bare_vertex(&line) {
            Some(vertex) => Some(format(None, &exchange(&mut engine, vertex))),
            None => engine.answer(&line),
        });
        io::stdout().write_all(answer.unwrap_or_default().as_bytes())?;
    }
    Ok(())
}

fn words(engine: &mut Engine) -> Words {
    let commands = commands::all().map(|command| command.name.to_owned()).collect();
    let others = ["white", "black"].map(str::to_owned).into_iter();
    let vertices = engine.ask("all_legal").unwrap_or_default();
    Words { commands, others: others.chain(vertices.split(' ').map(str::to_owned)).collect() }
}

/// The vertex in a line with nothing else: a letter and a number.
fn bare_vertex(line: &str) -> Option<&str> {
    let request = parse(line).filter(|request| request.id.is_none() && request.arguments.is_empty())?;
    let number = request.command.strip_prefix(|c: char| c.is_ascii_alphabetic())?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(request.command)
}

/// Plays a move for the player to move, and the answer to it.
fn exchange(engine: &mut Engine, vertex: &str) -> Answer {
    let color = engine.record().to_move();
    engine.ask(&format!("play {color} {vertex}"))?;
    let answer = match engine.record().is_over() {
        true => String::new(),
        false => engine.ask(&format!("genmove {}", !color))?,
    };
    Ok(format!("{answer}{}", engine.ask("showboard")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_alone_is_a_move() {
        assert_eq!(bare_vertex(" h12 # here"), Some("h12"));
        for line in ["", "12", "1 a1", "a1 b2", "name", "a", "\u{e9}1", "aa1"] {
            assert_eq!(bare_vertex(line), None, "{line}");
        }
    }

    #[test]
    fn a_move_is_played_and_answered() {
        let mut settings = Settings::on_side(3).unwrap();
        settings.set("playouts", "20").unwrap();
        let mut engine = Engine::new(settings);
        let answer = exchange(&mut engine, "c3").unwrap();
        assert_eq!(engine.record().moves().len(), 2);
        assert!(answer.contains("white (O) to move, 2 stones"), "{answer}");
        assert!(exchange(&mut engine, "c3").is_err());
    }
}
