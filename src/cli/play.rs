//! `malecon play`: a game against the engine in a terminal.

mod terminal_game;

use clap::Args;
use malecon::engine::session::options::BEGINNERS_LEVEL;
use malecon::game::{Color, Geometry};
use malecon::protocols::gtp::Engine;
use malecon::protocols::gtp::protocol::CommandError;

use super::failure::Failure;
use super::options::GameArguments;
use super::output::unless_closed;
use super::parse::{side, whole};
use super::terminal::{Lines, may_color};
use terminal_game::{TerminalGame, command_lines};

/// Options of `malecon play`.
#[derive(Args)]
pub struct Arguments {
    /// Side length of the board, 2 to 13; 4 to 6 make short games
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = side)]
    side: usize,
    /// Your colour, white or black; white moves first
    #[arg(long = "as", value_name = "COLOR", default_value = "white")]
    human: Color,
    /// Strength, from 1 (has just learned the rules) to 10 (full strength) [default: 3; 10 with --time or
    /// --simulations]
    #[arg(long, value_name = "N")]
    level: Option<String>,
    /// White begins with N stones, and then black moves: a game between unequal players
    #[arg(long, value_name = "N", conflicts_with_all = ["swap", "file"], value_parser = whole::<u8>(2, 7))]
    handicap: Option<u8>,
    #[command(flatten)]
    game: GameArguments,
    /// Begin in this position, such as '4/5/6/3wb2/6/5/4 w', as the command position shows it
    #[arg(long, value_name = "STRING", conflicts_with_all = ["side", "swap", "handicap", "file"])]
    position: Option<String>,
    /// Continue the game in this file
    #[arg(value_name = "FILE", conflicts_with = "side")]
    file: Option<String>,
}

/// The part of the help after the options.
pub fn manual() -> String {
    let mut text = String::from(MANUAL);
    for line in command_lines() {
        text += &format!("{line}\n");
    }
    text + EXAMPLES
}

const MANUAL: &str = "\
The board is drawn before each of your moves. Type the name of a vertex, such as f6, to put a stone there; several on \
one line are moves of both players in turn. Tab completes what you type, and the arrow keys recall earlier lines. \
Ctrl-C while the engine thinks makes it move at once; another one before it has moved ends the program.

Commands in the game:
";

const EXAMPLES: &str = "
Examples:
  malecon play
      White against the engine, on a board of side length 6, at a level that suits a beginner.
  malecon play --side 4 --level 1
      A quick game against the weakest opponent, to learn the rules.
  malecon play --side 8 --as black --time 30 --threads 2 --swap
      A serious game; the engine moves first, and you may take over its stone.
  malecon play --handicap 3
      You begin with three stones on the board, and the engine moves first.
  malecon play game.sgf
      Continue a saved game.
";

impl Arguments {
    fn engine(&self) -> Result<Engine, CommandError> {
        let level = self.level.clone().or_else(|| (!self.game.is_limited()).then(|| BEGINNERS_LEVEL.to_string()));
        let mut engine = Engine::new(Geometry::with_side(self.side)?, self.game.options(&[("level", level)])?);
        engine.set_colored(may_color());
        Ok(engine)
    }
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut game = TerminalGame::new(arguments.engine()?, arguments.human, Lines::new());
    if let Some(stones) = arguments.handicap {
        game.set_handicap(stones.into()).map_err(Failure::usage)?;
    }
    if let Some(position) = &arguments.position {
        game.set_position(position).map_err(Failure::usage)?;
    }
    if let Some(file) = &arguments.file {
        game.load(file).map_err(|error| Failure::Failed(error.to_string()))?;
    }
    Ok(unless_closed(game.run())?)
}
