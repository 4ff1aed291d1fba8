//! A game as the protocol sees it: the game itself, and the passes and the resignation that may follow it.

use std::fmt;

use crate::board::{Action, Color, Game, Geometry, Outcome, PlayError};

use super::dialect::Dialect;
use super::protocol::CommandError;

pub use crate::record::Move;

/// A game, and what was played besides stones and swaps.
#[derive(Clone, Debug)]
pub struct Record {
    game: Game,
    /// A resignation, which ends the game, and passes, which follow its end.
    epilogue: Vec<(Color, Move)>,
}

impl Record {
    /// An empty board.
    pub fn new(geometry: &'static Geometry, swap: bool) -> Record {
        let mut game = Game::new(geometry);
        game.allow_swap(swap);
        Record { game, epilogue: Vec::new() }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Switches the pie rule on or off.
    pub fn allow_swap(&mut self, allowed: bool) {
        self.game.allow_swap(allowed);
    }

    /// Whose turn it is.
    pub fn to_move(&self) -> Color {
        self.epilogue.last().map_or_else(|| self.game.to_move(), |(color, _)| !*color)
    }

    /// The colour that gave up, if one did.
    pub fn resigned(&self) -> Option<Color> {
        self.epilogue.iter().find(|(_, m)| *m == Move::Resign).map(|(color, _)| *color)
    }

    /// Whether the game has ended, by its rules or by resignation.
    pub fn is_over(&self) -> bool {
        self.game.outcome().is_some() || self.resigned().is_some()
    }

    /// The winner of a game that is over; `None` within is a draw.
    pub fn result(&self) -> Option<Option<Color>> {
        let resigned = self.resigned().map(|color| Some(!color));
        resigned.or_else(|| self.game.outcome().map(Outcome::winner))
    }

    /// Plays a move of a colour, in turn or out of turn.
    ///
    /// # Errors
    /// If it is illegal; nothing has changed then.
    pub fn play(&mut self, color: Color, m: Move, dialect: Dialect) -> Result<(), CommandError> {
        match m {
            Move::Pass => self.check_pass(dialect)?,
            _ => self.check_going_on()?,
        }
        match m {
            Move::Place(v) => self.game.place(color, v).map(drop).map_err(|error| self.refusal(error, dialect)),
            Move::Swap => self.swap(color, dialect),
            Move::Pass | Move::Resign => {
                self.epilogue.push((color, m));
                Ok(())
            }
        }
    }

    fn swap(&mut self, color: Color, dialect: Dialect) -> Result<(), CommandError> {
        if self.game.can_swap() && color != self.game.to_move() {
            let wanted = self.game.to_move();
            return Err(illegal(format_args!("the first stone is {color}'s own, only {wanted} may swap it")));
        }
        self.game.swap().map_err(|error| self.refusal(error, dialect))
    }

    fn check_going_on(&self) -> Result<(), CommandError> {
        match (self.resigned(), self.game.outcome()) {
            (Some(color), _) => Err(illegal(format_args!("the game is over: {color} resigned"))),
            (None, Some(outcome)) => Err(illegal(format_args!("{}", PlayError::GameOver(outcome)))),
            (None, None) => Ok(()),
        }
    }

    fn check_pass(&self, dialect: Dialect) -> Result<(), CommandError> {
        if self.is_over() && dialect.passes_after_the_end() {
            return Ok(());
        }
        let scope = if dialect.passes_after_the_end() { " before the end of the game" } else { "" };
        Err(illegal(format_args!("there is no pass in Havannah{scope}, a vertex is wanted")))
    }

    fn refusal(&self, error: PlayError, dialect: Dialect) -> CommandError {
        match error {
            PlayError::Occupied(v) => {
                let name = dialect.notation().name(self.game.geometry(), v);
                let owner = self.game.position().stone(v).map_or_else(String::new, |color| format!(" by {color}"));
                illegal(format_args!("{name} is occupied{owner}, an empty vertex is wanted"))
            }
            PlayError::SwapOff => illegal(format_args!("swap is switched off, 'set_option swap true' allows it")),
            PlayError::SwapTooLate | PlayError::GameOver(_) => illegal(format_args!("{error}")),
        }
    }

    /// Takes back the last `count` moves.
    ///
    /// # Errors
    /// If fewer were played; nothing has changed then.
    pub fn undo(&mut self, count: usize) -> Result<(), CommandError> {
        let after = self.epilogue.len();
        let played = self.game.history().len() + after;
        if played == 0 {
            return Err(CommandError::new("cannot undo: no move was played"));
        }
        if count > played {
            return Err(CommandError::new(format!("cannot undo {count} moves: {played} were played")));
        }
        self.game.undo(count.saturating_sub(after))?;
        self.epilogue.truncate(after.saturating_sub(count));
        Ok(())
    }

    /// What was played, first move first.
    pub fn moves(&self) -> Vec<(Color, Move)> {
        let mut turn = Color::White;
        let actions = self.game.history().iter().map(|action| match *action {
            Action::Place(color, v) => {
                turn = !color;
                (color, Move::Place(v))
            }
            Action::Swap => {
                turn = !turn;
                (!turn, Move::Swap)
            }
        });
        let moves: Vec<_> = actions.collect();
        moves.into_iter().chain(self.epilogue.iter().copied()).collect()
    }
}

fn illegal(reason: fmt::Arguments<'_>) -> CommandError {
    CommandError::new(format!("illegal move: {reason}"))
}
