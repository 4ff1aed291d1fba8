//! `malecon.Games`: many games that go on side by side.

use malecon::engine::session::PlayedGame;
use malecon::game::{Color, Game, Geometry, Move, Outcome};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayLike1, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::batch::{Evaluations, evaluate_games, features_of, with_room};
use crate::moves::{self, at_least};
use crate::position::Position;

/// Many games on boards of one side length, which are played side by side with arrays of actions: an environment for
/// learning. A game that has ended starts again at once.
///
/// `Games(count, side, swap=...)` starts this many games, with or without the pie rule. An action is the index of a
/// vertex, as in `Position`; with the pie rule, the last action is the swap. Raises `ValueError` if there is no such board
/// or no game.
#[pyclass(module = "malecon")]
pub struct Games {
    board: &'static Geometry,
    swap: bool,
    games: Vec<Game>,
}

/// The rewards of the players who have moved, and which games have ended.
type Steps<'py> = (Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<bool>>);

impl Games {
    fn start(board: &'static Geometry, swap: bool) -> Game {
        let mut game = Game::new(board);
        game.allow_swap(swap);
        game
    }

    fn action_count(&self) -> usize {
        self.board.vertex_count() + usize::from(self.swap)
    }

    /// The move of an action, if it is legal.
    fn read(&self, game: &Game, action: i64) -> Option<Move> {
        let index = usize::try_from(action).ok()?;
        match self.board.vertex(index) {
            Some(v) => game.position().is_empty(v).then_some(Move::Place(v)),
            None => (index == self.board.vertex_count() && game.can_swap()).then_some(Move::Swap),
        }
    }

    /// Plays a legal move, and starts again after the end. Returns the reward, and whether this was the end.
    fn play(game: &mut Game, m: Move) -> (f32, bool) {
        let legal = "the move was checked";
        match m {
            Move::Place(v) => _ = game.play(v).expect(legal),
            _ => game.swap().expect(legal),
        }
        let Some(outcome) = game.outcome() else { return (0.0, false) };
        *game = Games::start(game.geometry(), game.swap_allowed());
        // Only the player who has moved can have won.
        (if matches!(outcome, Outcome::Win(..)) { 1.0 } else { 0.0 }, true)
    }
}

#[pymethods]
impl Games {
    #[new]
    #[pyo3(signature = (count, side = 8, *, swap = false))]
    fn new(count: i64, side: i64, swap: bool) -> PyResult<Games> {
        let (count, board) = (at_least(1, "count", count)? as usize, moves::board(side)?);
        let mut games = with_room(count)?;
        games.resize(count, Games::start(board, swap));
        Ok(Games { board, swap, games })
    }

    fn __len__(&self) -> usize {
        self.games.len()
    }

    /// A copy of the position of a game. Raises `IndexError` if there is no such game.
    fn __getitem__(&self, index: i64) -> PyResult<Position> {
        let game = usize::try_from(index).ok().and_then(|index| self.games.get(index));
        let error =
            || PyIndexError::new_err(format!("there is no game {index} (expected 0 to {})", self.games.len() - 1));
        Ok(Position::from_game(PlayedGame::from(game.ok_or_else(error)?.clone())))
    }

    /// The side length of the boards.
    #[getter]
    fn side(&self) -> usize {
        self.board.side()
    }

    /// The number of actions: one for each vertex and, with the pie rule, the swap.
    #[getter]
    fn actions(&self) -> usize {
        self.action_count()
    }

    /// Starts all games again.
    fn reset(&mut self) {
        self.games.fill(Games::start(self.board, self.swap));
    }

    /// Plays one action in each game. Returns the rewards of the players who have moved, 1 for a win and 0 otherwise, and
    /// whether the game has ended; the next position of such a game is its start. Other Python threads run meanwhile.
    ///
    /// Raises `ValueError` if there is not one action for each game, or one of them is illegal; nothing has changed then.
    fn step<'py>(&mut self, py: Python<'py>, actions: PyArrayLike1<'py, i64>) -> PyResult<Steps<'py>> {
        let actions = actions.as_array();
        if actions.len() != self.games.len() {
            let (given, count) = (actions.len(), self.games.len());
            return Err(PyValueError::new_err(format!("there are {given} actions for {count} games")));
        }
        let mut moves = Vec::with_capacity(self.games.len());
        for (i, (game, &action)) in self.games.iter().zip(actions).enumerate() {
            let illegal = || PyValueError::new_err(format!("action {action} of game {i} is illegal"));
            moves.push(self.read(game, action).ok_or_else(illegal)?);
        }
        let games = &mut self.games;
        let steps = py.detach(|| games.iter_mut().zip(moves).map(|(game, m)| Games::play(game, m)).unzip());
        let (rewards, ends): (Vec<f32>, Vec<bool>) = steps;
        Ok((rewards.into_pyarray(py), ends.into_pyarray(py)))
    }

    /// The players to move: 0 for white, 1 for black.
    #[getter]
    fn to_move<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        let player = |game: &Game| (game.to_move() == Color::Black) as i8;
        self.games.iter().map(player).collect::<Vec<_>>().into_pyarray(py)
    }

    /// The stones: an array of games by vertices, 1 for the player to move, -1 for the opponent, 0 for none.
    fn boards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i8>>> {
        let count = self.board.vertex_count();
        let stones: Vec<i8> = py.detach(|| {
            let stone = |game: &Game, v| match game.position().stone(v) {
                None => 0,
                Some(color) if color == game.to_move() => 1,
                Some(_) => -1,
            };
            self.games.iter().flat_map(|game| self.board.vertices().map(move |v| stone(game, v))).collect()
        });
        stones.into_pyarray(py).reshape([self.games.len(), count])
    }

    /// The legal actions: an array of games by actions.
    fn legal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let count = self.action_count();
        let legal: Vec<bool> = py.detach(|| {
            let mut legal = Vec::with_capacity(self.games.len() * count);
            for game in &self.games {
                legal.extend(self.board.vertices().map(|v| game.position().is_empty(v)));
                legal.extend(self.swap.then(|| game.can_swap()));
            }
            legal
        });
        legal.into_pyarray(py).reshape([self.games.len(), count])
    }

    /// What the network sees: an array of games by vertices by 127, as `malecon.features`.
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        features_of(py, &self.games)
    }

    /// What the network says, as `malecon.evaluate`.
    #[pyo3(signature = (*, threads = 1))]
    fn evaluate<'py>(&self, py: Python<'py>, threads: i64) -> PyResult<Evaluations<'py>> {
        evaluate_games(py, &self.games, at_least(1, "threads", threads)? as usize)
    }
}
