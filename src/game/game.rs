//! A game in progress: its rules, history and result.

use std::fmt;

use super::color::Color;
use super::geometry::{Geometry, Vertex};
use super::moves::Move;
use super::position::Position;
use super::structure::Structures;

/// The result of a finished game. [`record::GameResult`](super::record::GameResult) also has results that are agreed
/// rather than played, such as a resignation.
///
/// ```
/// use malecon::{Color, Outcome};
/// use malecon::game::Structures;
///
/// let outcome = Outcome::Win(Color::Black, Structures::FORK);
/// assert_eq!((outcome.winner(), outcome.to_string().as_str()), (Some(Color::Black), "black"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This colour won: its last stone completed these structures.
    Win(Color, Structures),
    /// The board is full, and neither player has a structure.
    Draw,
}

impl Outcome {
    /// The winner, or `None` for a draw.
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

/// Why a move is illegal. The game has not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlayError {
    /// There is a stone on this vertex already.
    Occupied(Vertex),
    /// The game is over, with this result.
    GameOver(Outcome),
    /// The pie rule is switched off.
    SwapOff,
    /// The pie rule is on, but this is not the second move.
    SwapTooLate,
    /// The player to move placed the first stone.
    SwapOfOwnStone,
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayError::Occupied(_) => f.write_str("the vertex is occupied"),
            PlayError::GameOver(Outcome::Draw) => f.write_str("the game is over: a draw, the board is full"),
            PlayError::GameOver(Outcome::Win(color, by)) => write!(f, "the game is over: {color} won by {by}"),
            PlayError::SwapOff => f.write_str("swap is switched off"),
            PlayError::SwapTooLate => f.write_str("swap is legal only as the second move"),
            PlayError::SwapOfOwnStone => {
                f.write_str("the player to move owns the first stone, and only the other may swap")
            }
        }
    }
}

impl std::error::Error for PlayError {}

/// More moves were to be taken back than have been played. The game has not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndoError {
    /// The number of moves to take back.
    pub asked: usize,
    /// The number of moves played.
    pub played: usize,
}

impl fmt::Display for UndoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.played {
            0 => f.write_str("cannot undo: no move was played"),
            1 => write!(f, "cannot undo {} moves: only 1 was played", self.asked),
            n => write!(f, "cannot undo {} moves: only {n} were played", self.asked),
        }
    }
}

impl std::error::Error for UndoError {}

/// A game in progress.
///
/// White moves first. Playing out of turn is legal, because GTP requires it; after such a move it is the turn of the
/// other colour.
///
/// ```
/// use malecon::game::{Color, Game, Geometry, Notation, Outcome, Structures};
/// let board = Geometry::with_side(3)?;
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
    /// Stones and a swap, each with the player whose move it was.
    history: Vec<(Color, Move)>,
    stones: usize,
    to_move: Color,
    /// After how many moves [`Game::begin_with`] was called last, and the colour.
    beginning: Option<(usize, Color)>,
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
            beginning: None,
            outcome: None,
            swap_allowed: false,
        }
    }

    /// The board graph.
    pub fn geometry(&self) -> &'static Geometry {
        self.position.geometry()
    }

    /// The stones on the board.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The moves of the game in the order of play, each with the player who made it: stones, and a swap.
    pub fn history(&self) -> &[(Color, Move)] {
        &self.history
    }

    /// The stones in the order of play, each in its present colour: a swap changes the colour of the first.
    pub fn stones(&self) -> impl Iterator<Item = (Color, Vertex)> + '_ {
        let swapped = self.history.iter().any(|&(_, m)| m == Move::Swap);
        self.history.iter().enumerate().filter_map(move |(i, &(color, m))| match m {
            Move::Place(v) => Some((if i == 0 && swapped { !color } else { color }, v)),
            _ => None,
        })
    }

    /// The number of stones on the board.
    pub fn stone_count(&self) -> usize {
        self.stones
    }

    /// The vertex of the stone placed last, or `None` on an empty board.
    pub fn last_stone(&self) -> Option<Vertex> {
        self.stones().last().map(|(_, v)| v)
    }

    /// The vertices of the last two stones that were played, the last one first. Stones that were set up, before
    /// [`Game::begin_with`], have no order.
    pub fn last_stones(&self) -> [Option<Vertex>; 2] {
        self.played().iter().fold([None; 2], |last, &(_, m)| match m {
            Move::Place(v) => [Some(v), last[0]],
            _ => last,
        })
    }

    /// The moves since play began: all of the history, without stones that were set up before [`Game::begin_with`].
    pub fn played(&self) -> &[(Color, Move)] {
        &self.history[self.beginning.map_or(0, |(set_up, _)| set_up)..]
    }

    /// The position in which play began: the empty board, or the stones that were set up before
    /// [`Game::begin_with`].
    pub fn start(&self) -> Game {
        let mut start = self.clone();
        start.undo(self.played().len()).expect("these moves were played");
        start
    }

    /// The player to move: the opponent of the player who moved last (also after the end of the game), unless
    /// [`Game::set_to_move`] has changed that.
    pub fn to_move(&self) -> Color {
        self.to_move
    }

    /// Makes it the turn of this colour, as if the opponent had passed. The history does not record this, and it holds
    /// only until the next move or undo.
    pub fn set_to_move(&mut self, color: Color) {
        self.to_move = color;
    }

    /// Makes it the turn of this colour in the present position, also when it is reached again by taking back moves:
    /// for stones that were set up and not played. Only the last such position is remembered.
    pub fn begin_with(&mut self, color: Color) {
        self.to_move = color;
        self.beginning = Some((self.history.len(), color));
    }

    /// Takes over what [`Game::begin_with`] said in a game with the same moves.
    pub fn begin_like(&mut self, other: &Game) {
        self.beginning = other.beginning;
        if let Some((_, color)) = self.beginning.filter(|&(length, _)| length == self.history.len()) {
            self.to_move = color;
        }
    }

    /// The result of the game, or `None` while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Switches the pie rule on or off. A swap that has been played remains.
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

    /// Places a stone for the player to move, and returns the structures that it completes.
    ///
    /// # Errors
    /// The same as for [`Game::place`].
    ///
    /// # Panics
    /// If `v` is not a vertex of this board.
    pub fn play(&mut self, v: Vertex) -> Result<Structures, PlayError> {
        self.place(self.to_move, v)
    }

    /// Places a stone of either colour, in turn or out of turn, and returns the structures that it completes. Then it
    /// is the opponent's turn.
    ///
    /// # Errors
    /// Returns an error, and leaves the game unchanged, if the game is over or the vertex is occupied.
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
        self.history.push((color, Move::Place(v)));
        self.stones += 1;
        self.to_move = !color;
        if !structures.is_empty() {
            self.outcome = Some(Outcome::Win(color, structures));
        } else if self.stones == self.geometry().vertex_count() {
            self.outcome = Some(Outcome::Draw);
        }
        Ok(structures)
    }

    /// Uses the pie rule: the only stone on the board changes its colour, and it is the turn of the player who placed
    /// it.
    ///
    /// # Errors
    /// Returns an error, and leaves the game unchanged, if the pie rule is off, this is not the second move, the first
    /// stone belongs to the player to move, or the game is over.
    pub fn swap(&mut self) -> Result<(), PlayError> {
        self.check_swap()?;
        let Some(&(color, Move::Place(v))) = self.history.first() else { unreachable!("there was one move") };
        self.position = Position::new(self.geometry());
        self.position.place(!color, v);
        self.history.push((!color, Move::Swap));
        self.to_move = color;
        Ok(())
    }

    fn check_swap(&self) -> Result<(), PlayError> {
        match self.outcome {
            Some(outcome) => Err(PlayError::GameOver(outcome)),
            None if !self.swap_allowed => Err(PlayError::SwapOff),
            None => match self.history[..] {
                [(owner, _)] if owner == self.to_move => Err(PlayError::SwapOfOwnStone),
                [_] => Ok(()),
                _ => Err(PlayError::SwapTooLate),
            },
        }
    }

    /// Takes back the last `count` moves.
    ///
    /// # Errors
    /// Returns an error, and leaves the game unchanged, if fewer moves have been played.
    pub fn undo(&mut self, count: usize) -> Result<(), UndoError> {
        let played = self.history.len();
        let keep = played.checked_sub(count).ok_or(UndoError { asked: count, played })?;
        let mut game = Game::new(self.geometry());
        game.swap_allowed = true;
        for &(color, m) in &self.history[..keep] {
            match m {
                Move::Place(v) => game.place(color, v).map(drop),
                _ => game.swap(),
            }
            .expect("a beginning of a legal game is legal");
        }
        game.swap_allowed = self.swap_allowed;
        if let Some((length, color)) = self.beginning.filter(|&(length, _)| length <= keep) {
            game.beginning = self.beginning;
            if length == keep {
                game.to_move = color;
            }
        }
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
    use crate::game::Notation;

    /// The game with these moves, in HavannahGui's notation.
    pub(crate) fn game(side: usize, names: &str) -> Game {
        let mut game = Game::new(Geometry::with_side(side).unwrap());
        for name in names.split_whitespace() {
            game.play(Notation::HavannahGui.parse(game.geometry(), name).unwrap()).unwrap();
        }
        game
    }

    #[test]
    fn illegal_stones_change_nothing() {
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
    fn moves_can_be_taken_back_after_the_end_of_the_game() {
        let mut game = game(3, "a1 c3 a2 d4 a3");
        assert!(game.outcome().is_some());
        game.undo(2).unwrap();
        assert_eq!((game.outcome(), game.to_move(), game.stone_count()), (None, Color::Black, 3));
        assert_eq!(game.undo(4), Err(UndoError { asked: 4, played: 3 }));
        game.undo(3).unwrap();
        assert!(game.position().empty_vertices().count() == 19 && game.undo(1).is_err() && game.undo(0).is_ok());
    }

    #[test]
    fn a_swap_changes_the_colour_of_the_first_stone_and_can_be_taken_back() {
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
