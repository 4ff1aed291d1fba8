//! A game in progress: rules, history, result.

use std::fmt;

use super::color::Color;
use super::geometry::{Geometry, Vertex};
use super::position::Position;
use super::structure::Structures;

/// How a finished game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The last stone completed these structures for its colour.
    Win(Color, Structures),
    /// The board is full, and nobody has a structure.
    Draw,
}

impl Outcome {
    /// The winner, if there is one.
    pub fn winner(self) -> Option<Color> {
        match self {
            Outcome::Win(color, _) => Some(color),
            Outcome::Draw => None,
        }
    }
}

impl fmt::Display for Outcome {
    /// `white`, `black` or `draw`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner() {
            Some(color) => color.fmt(f),
            None => f.pad("draw"),
        }
    }
}

/// One entry of a game's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A stone of this colour was placed.
    Place(Color, Vertex),
    /// The pie rule was used: the first stone changed its colour.
    Swap,
}

/// Why an action was refused. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayError {
    /// A stone stands there already.
    Occupied(Vertex),
    /// The game has ended.
    GameOver(Outcome),
    /// The pie rule is switched off.
    SwapOff,
    /// The pie rule applies to the second move only.
    SwapTooLate,
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayError::Occupied(_) => f.write_str("the vertex is occupied"),
            PlayError::GameOver(Outcome::Draw) => f.write_str("the game is over: the board is full, a draw"),
            PlayError::GameOver(Outcome::Win(color, by)) => write!(f, "the game is over: {color} won by {by}"),
            PlayError::SwapOff => f.write_str("swap is switched off"),
            PlayError::SwapTooLate => f.write_str("swap is legal only as the second move"),
        }
    }
}

impl std::error::Error for PlayError {}

/// More was to be taken back than was played. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndoError {
    /// How many actions were to be taken back.
    pub asked: usize,
    /// How many there are.
    pub played: usize,
}

impl fmt::Display for UndoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.played {
            0 => f.write_str("there is no move to take back"),
            n => write!(f, "cannot take back {} moves: {n} were played", self.asked),
        }
    }
}

impl std::error::Error for UndoError {}

/// A game in progress, as a value.
///
/// White moves first. Playing out of turn is legal, as GTP asks: it makes an unusual position, and the other colour
/// is then to move.
///
/// ```
/// use malecon::board::{Color, Game, Geometry, Notation, Outcome, Structures};
/// let board = Geometry::of(3)?;
/// let mut game = Game::new(board);
/// for name in ["a1", "c3", "a2", "d4", "a3"] {
///     game.play(Notation::HavannahGui.parse(board, name)?)?;
/// }
/// assert_eq!(game.outcome(), Some(Outcome::Win(Color::White, Structures::BRIDGE)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Game {
    position: Position,
    history: Vec<Action>,
    stones: usize,
    to_move: Color,
    outcome: Option<Outcome>,
    swap_allowed: bool,
}

impl Game {
    /// A game on an empty board, without the pie rule.
    pub fn new(geometry: &'static Geometry) -> Game {
        Game {
            position: Position::new(geometry),
            history: Vec::new(),
            stones: 0,
            to_move: Color::White,
            outcome: None,
            swap_allowed: false,
        }
    }

    /// The board's tables.
    pub fn geometry(&self) -> &'static Geometry {
        self.position.geometry()
    }

    /// The stones and chains.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// What has been played, first action first.
    pub fn history(&self) -> &[Action] {
        &self.history
    }

    /// The stones in the order of play, in the colours that they have now: after a swap the first is black.
    pub fn stones(&self) -> impl Iterator<Item = (Color, Vertex)> + '_ {
        let swapped = self.history.contains(&Action::Swap);
        self.history.iter().enumerate().filter_map(move |(i, action)| match *action {
            Action::Place(color, v) if i == 0 && swapped => Some((!color, v)),
            Action::Place(color, v) => Some((color, v)),
            Action::Swap => None,
        })
    }

    /// The number of stones on the board.
    pub fn stone_count(&self) -> usize {
        self.stones
    }

    /// The last stone, if there is one.
    pub fn last_stone(&self) -> Option<Vertex> {
        self.stones().last().map(|(_, v)| v)
    }

    /// The last two stones, the last one first.
    pub fn last_stones(&self) -> [Option<Vertex>; 2] {
        self.stones().fold([None; 2], |last, (_, v)| [Some(v), last[0]])
    }

    /// Whose turn it is: the colour that did not move last. Meaningful also after the end.
    pub fn to_move(&self) -> Color {
        self.to_move
    }

    /// Gives the turn to a colour, as when it plays out of turn. Nothing of this stands in the history: after the next
    /// action, or after taking one back, the turn is again that of the colour that did not move last.
    pub fn set_to_move(&mut self, color: Color) {
        self.to_move = color;
    }

    /// How the game ended, or `None` while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Switches the pie rule on or off. A swap already played stands.
    pub fn allow_swap(&mut self, allowed: bool) {
        self.swap_allowed = allowed;
    }

    /// Whether the pie rule is switched on.
    pub fn swap_allowed(&self) -> bool {
        self.swap_allowed
    }

    /// Whether [`Game::swap`] is legal now.
    pub fn can_swap(&self) -> bool {
        self.check_swap().is_ok()
    }

    /// Places a stone for the player to move.
    ///
    /// # Errors
    /// As [`Game::place`].
    pub fn play(&mut self, v: Vertex) -> Result<Structures, PlayError> {
        self.place(self.to_move, v)
    }

    /// Places a stone of a colour, in turn or out of turn, and returns the structures that it completes.
    ///
    /// # Errors
    /// If the game is over or the vertex is occupied; nothing has changed then.
    ///
    /// # Panics
    /// If `v` is not a vertex of this board.
    pub fn place(&mut self, color: Color, v: Vertex) -> Result<Structures, PlayError> {
        assert!(v.index() < self.geometry().vertex_count(), "{v:?} is not on this board");
        if let Some(outcome) = self.outcome {
            return Err(PlayError::GameOver(outcome));
        }
        if !self.position.is_empty(v) {
            return Err(PlayError::Occupied(v));
        }
        let structures = self.position.place(color, v);
        self.history.push(Action::Place(color, v));
        self.stones += 1;
        self.to_move = !color;
        if !structures.is_empty() {
            self.outcome = Some(Outcome::Win(color, structures));
        } else if self.stones == self.geometry().vertex_count() {
            self.outcome = Some(Outcome::Draw);
        }
        Ok(structures)
    }

    /// The pie rule: the stone on the board changes its colour, and the player who placed it is to move.
    ///
    /// # Errors
    /// If the pie rule is off or this is not the second move; nothing has changed then.
    pub fn swap(&mut self) -> Result<(), PlayError> {
        self.check_swap()?;
        let Some(&Action::Place(color, v)) = self.history.first() else { unreachable!("a first move was checked for") };
        self.position = Position::new(self.geometry());
        self.position.place(!color, v);
        self.history.push(Action::Swap);
        self.to_move = color;
        Ok(())
    }

    fn check_swap(&self) -> Result<(), PlayError> {
        match self.outcome {
            Some(outcome) => Err(PlayError::GameOver(outcome)),
            None if !self.swap_allowed => Err(PlayError::SwapOff),
            None if self.history.len() != 1 => Err(PlayError::SwapTooLate),
            None => Ok(()),
        }
    }

    /// Takes back the last `count` actions.
    ///
    /// # Errors
    /// If fewer were played; nothing has changed then.
    pub fn undo(&mut self, count: usize) -> Result<(), UndoError> {
        let played = self.history.len();
        let keep = played.checked_sub(count).ok_or(UndoError { asked: count, played })?;
        let mut game = Game::new(self.geometry());
        game.swap_allowed = true;
        for action in &self.history[..keep] {
            match *action {
                Action::Place(color, v) => game.place(color, v).map(drop),
                Action::Swap => game.swap(),
            }
            .expect("a beginning of a legal game is legal");
        }
        game.swap_allowed = self.swap_allowed;
        *self = game;
        Ok(())
    }
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Game")
            .field("geometry", self.geometry())
            .field("history", &self.history)
            .field("to_move", &self.to_move)
            .field("outcome", &self.outcome)
            .finish()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::board::Notation;

    /// The game of these moves, in HavannahGui's names.
    pub(crate) fn game(side: usize, names: &str) -> Game {
        let mut game = Game::new(Geometry::of(side).unwrap());
        for name in names.split_whitespace() {
            game.play(Notation::HavannahGui.parse(game.geometry(), name).unwrap()).unwrap();
        }
        game
    }

    #[test]
    fn refused_stones_change_nothing() {
        let mut game = game(3, "a1 c3 a2 d4");
        let c3 = Notation::HavannahGui.parse(game.geometry(), "c3").unwrap();
        assert_eq!(game.play(c3), Err(PlayError::Occupied(c3)));
        assert_eq!((game.stone_count(), game.to_move()), (4, Color::White));
        let a3 = Notation::HavannahGui.parse(game.geometry(), "a3").unwrap();
        assert_eq!(game.play(a3), Ok(Structures::BRIDGE));
        let b2 = Notation::HavannahGui.parse(game.geometry(), "b2").unwrap();
        assert_eq!(game.play(b2), Err(PlayError::GameOver(Outcome::Win(Color::White, Structures::BRIDGE))));
        assert_eq!(game.history().len(), 5);
    }

    #[test]
    fn undo_goes_back_through_the_end_of_the_game() {
        let mut game = game(3, "a1 c3 a2 d4 a3");
        assert!(game.outcome().is_some());
        game.undo(2).unwrap();
        assert_eq!((game.outcome(), game.to_move(), game.stone_count()), (None, Color::Black, 3));
        assert_eq!(game.undo(4), Err(UndoError { asked: 4, played: 3 }));
        game.undo(3).unwrap();
        assert!(game.position().empty_vertices().count() == 19 && game.undo(1).is_err() && game.undo(0).is_ok());
    }

    #[test]
    fn swap_exchanges_the_colour_of_the_first_stone_and_is_undone() {
        let mut game = game(4, "d4");
        assert_eq!(game.swap(), Err(PlayError::SwapOff));
        game.allow_swap(true);
        let d4 = game.last_stone().unwrap();
        game.swap().unwrap();
        assert_eq!((game.position().stone(d4), game.to_move()), (Some(Color::Black), Color::White));
        assert_eq!(game.stones().collect::<Vec<_>>(), [(Color::Black, d4)]);
        assert_eq!(game.swap(), Err(PlayError::SwapTooLate));
        game.undo(1).unwrap();
        assert_eq!((game.position().stone(d4), game.to_move()), (Some(Color::White), Color::Black));
        assert!(game.can_swap());
        game.undo(1).unwrap();
        assert_eq!(game.swap(), Err(PlayError::SwapTooLate));
    }

    #[test]
    fn stones_out_of_turn_are_legal() {
        let mut game = game(4, "d4");
        let e4 = Notation::HavannahGui.parse(game.geometry(), "e4").unwrap();
        game.place(Color::White, e4).unwrap();
        assert_eq!(game.to_move(), Color::Black);
    }
}
