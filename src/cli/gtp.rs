//! `malecon gtp`: the engine over the Go Text Protocol.

use std::io::{self, BufReader, Write};

use clap::Args;
use malecon::game::{Geometry, Move, Notation};
use malecon::protocols::gtp::protocol::{CommandError, Response, clean, format, parse};
use malecon::protocols::gtp::{self, Engine, dispatch, serve};

use super::failure::Failure;
use super::options::GameArguments;
use super::output::unless_closed;
use super::parse::side;
use super::terminal::{Input, Interrupter, Lines, Words, is_terminal, may_color, may_overwrite};

/// Options of `malecon gtp`.
#[derive(Args)]
pub struct Arguments {
    /// Side length of the first board, 2 to 13; the command boardsize changes it
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = side)]
    side: usize,
    /// Set all options of the search at once: default, rave, plain or paper; other options given here change it
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Megabytes that the search tree may take [default: 1024]; its index and its pruning take up to a tenth more, the
    /// rest of the program about 7, and about 1 for each thread
    #[arg(long, value_name = "MB")]
    memory: Option<String>,
    /// Think on the opponent's time too (not where commands are typed at a terminal)
    #[arg(long)]
    ponder: bool,
    /// Strength, from 1 (has just learned the rules) to 10 (full strength) [default: 10]
    #[arg(long, value_name = "N")]
    level: Option<String>,
    /// The program at the other end: havannahgui, gogui or littlegolem [default: havannahgui]
    #[arg(long, value_name = "DIALECT")]
    gui: Option<String>,
    /// Resign hopeless games instead of playing them out
    #[arg(long)]
    resign: bool,
    #[command(flatten)]
    game: GameArguments,
}

/// The part of the help after the options.
pub fn manual() -> String {
    let mut text = String::from(MANUAL);
    let gtp::GtpOptions { protocol, session } = gtp::GtpOptions::default();
    for option in [protocol.list(), session.session.list(), session.search.list()].concat() {
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
      Answer commands on stdin, on a board of side length 8, with five seconds a move. At a terminal, lines can be \
edited, Tab completes commands and vertices, and a vertex on its own is a move that the engine answers.
  malecon --side 10 --threads 2 --time 30
      The engine for a serious game; the command to attach in a graphical front end.
  malecon --gui gogui --side 6
      For GoGui, which names vertices in its own way and cannot set the side length.
  printf 'boardsize 4\\ngenmove white\\nshowboard\\n' | malecon --simulations 10000 --seed 1
      A script: all of its commands are answered, then the program ends.
  RUST_LOG=info malecon
      Report on stderr what each search found.

The GTP command help lists the commands, list_options the options with their present values.

Options for --set, with default and legal values:
";

impl Arguments {
    fn engine(&self) -> Result<Engine, CommandError> {
        let switch = |on: bool| on.then(|| "true".to_owned());
        let options = self.game.options(&[
            ("preset", self.preset.clone()),
            ("memory", self.memory.clone()),
            ("ponder", switch(self.ponder)),
            ("level", self.level.clone()),
            ("gui", self.gui.clone()),
            ("resign", switch(self.resign)),
        ])?;
        let mut engine = Engine::new(Geometry::with_side(self.side)?, options);
        engine.set_colored(may_color());
        engine.set_status_line(may_overwrite());
        Ok(engine)
    }
}

/// Runs the subcommand. A thread may be left that reads stdin.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let engine = arguments.engine()?;
    let done = if is_terminal() { converse(engine) } else { serve(engine, BufReader::new(io::stdin()), io::stdout()) };
    Ok(unless_closed(done)?)
}

const GREETING: &str = concat!(
    "Malecon ",
    env!("CARGO_PKG_VERSION"),
    " speaks GTP: try help, a vertex such as d4, or quit; malecon play is easier"
);

/// GTP with a person at a terminal: lines can be edited and completed, and a vertex on its own is a move that the
/// engine answers.
fn converse(mut engine: Engine) -> io::Result<()> {
    eprintln!("{GREETING}");
    let interrupter = Interrupter::new(engine.stop_flag());
    let mut lines = Lines::new();
    while !engine.has_quit() {
        let line = match lines.next("malecon> ", words(&engine))? {
            Input::Line(line) => clean(line.as_bytes()),
            Input::Interrupt => {
                eprintln!("type quit, or press Ctrl-D, to end the program");
                continue;
            }
            Input::End => break,
        };
        let answer = interrupter.during(|| match bare_vertex(&line) {
            Some(vertex) => Some(format(None, &exchange(&mut engine, vertex))),
            None => engine.respond(&line),
        });
        io::stdout().write_all(answer.unwrap_or_default().as_bytes())?;
    }
    Ok(())
}

fn words(engine: &Engine) -> Words {
    let commands = dispatch::commands().map(|command| command.name.to_owned()).collect();
    let colors = ["white", "black"].map(str::to_owned).into_iter();
    let moves = engine.session().game().legal_moves().into_iter().map(|m| engine.show_move(m));
    let with_files = dispatch::commands().filter(|command| command.arguments.starts_with("FILE"));
    let with_files = with_files.map(|command| command.name.to_owned()).collect();
    Words { commands, others: colors.chain(moves).collect(), with_files }
}

/// The vertex in a line with nothing else: a letter and a number.
fn bare_vertex(line: &str) -> Option<&str> {
    let request = parse(line).filter(|request| request.id.is_none() && request.arguments.is_empty())?;
    Notation::is_letter_and_number(request.command).then_some(request.command)
}

/// Plays a move for the player to move and the engine's answer to it, and shows both.
fn exchange(engine: &mut Engine, vertex: &str) -> Response {
    let color = engine.session().game().to_move();
    let m = engine.read_move(vertex)?;
    engine.play(color, m)?;
    let answer = if engine.session().game().is_over() {
        String::new()
    } else {
        let answer = engine.make_move(!color)?;
        if answer == Move::Resign {
            engine.play(!color, answer)?;
        }
        engine.show_move(answer)
    };
    Ok(format!("{answer}\n{}", engine.draw_board()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_on_its_own_is_a_move() {
        assert_eq!(bare_vertex(" h12 # here"), Some("h12"));
        for line in ["", "12", "1 a1", "a1 b2", "name", "a", "\u{e9}1", "aa1"] {
            assert_eq!(bare_vertex(line), None, "{line}");
        }
    }

    #[test]
    fn a_move_is_played_and_answered() {
        let mut engine = Engine::new(Geometry::with_side(3).unwrap(), gtp::GtpOptions::default());
        engine.set_option("simulations", "20").unwrap();
        let answer = exchange(&mut engine, "c3").unwrap();
        assert_eq!(engine.session().game().len(), 2);
        assert!(answer.contains("white (O) to move, 2 stones"), "{answer}");
        assert!(exchange(&mut engine, "c3").is_err());
    }
}
