//! `malecon.Position`.

use malecon::base::encoding::encode;
use malecon::engine::inspect::prediction::predict;
use malecon::engine::session::PlayedGame;
use malecon::game::record::{Format, Hints, Node, Record, read_each, write};
use malecon::game::{Color, Diagram, Game, Mark, Move, Outcome, Picture};
use malecon::network::features::{self, COUNT};
use malecon::network::{Input, Networks};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMapping, PyString};

use crate::moves::{self, NOTATION, value_error};

/// The side length of a board whose side is not named.
const DEFAULT_SIDE: i64 = 8;

/// What the network says of a position.
#[derive(Clone)]
struct Predicted {
    /// By vertex; 0 where there is a stone.
    policy: Vec<f32>,
    value: f64,
}

/// A game in progress: the stones, whose turn it is, and the moves so far.
///
/// White moves first. A vertex has HavannahGui's name, such as `"h8"`, and an index: its place in `vertices`. Both name
/// a move, as `"swap"` and the index after the last vertex name the swap of the pie rule.
///
/// `Position(side, swap=..., moves=...)` is the board of this side length, 2 to 13, after these moves, with or without
/// the pie rule. The moves are a list or a string: `"h8 g7"`. For the solver, `side` may also be a hexagon whose sides
/// have other lengths, such as `"4-4-5"`; a session does not play on it. Raises `ValueError` if there is no such board or
/// a move is illegal.
#[pyclass(module = "malecon")]
pub struct Position {
    game: PlayedGame,
    /// Of the present position, if it was asked for.
    predicted: Option<Predicted>,
}

impl Position {
    /// The position of a game. If there was a swap, the pie rule holds, whatever the game came from: the position can
    /// be made again from its moves.
    pub fn from_game(mut game: PlayedGame) -> Position {
        if game.board().history().iter().any(|&(_, m)| m == Move::Swap) {
            game.allow_swap(true);
        }
        Position { game, predicted: None }
    }

    pub fn game(&self) -> &PlayedGame {
        &self.game
    }

    /// The position in which play began, as a string.
    fn start(&self) -> String {
        self.game.board().start().position_string()
    }

    /// Plays moves in a new game on the same board, of which the first are set up as in this one.
    fn replayed(&self, moves: &[(Color, Move)]) -> PyResult<PlayedGame> {
        let mut game = PlayedGame::new(self.game.geometry(), true);
        let (set_up, played) = moves.split_at(self.game.set_up());
        for &(color, m) in set_up {
            game.play(color, m).map_err(value_error)?;
        }
        game.begin_with(self.game.board().start().to_move());
        for &(color, m) in played {
            game.play(color, m).map_err(value_error)?;
        }
        game.allow_swap(self.swap());
        Ok(game)
    }

    /// The board as the argument `side`: its side length, or a string.
    fn named_board<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let shape = self.game.geometry().shape();
        Ok(match shape.regular_side() {
            Some(side) => side.into_pyobject(py)?.into_any(),
            None => PyString::new(py, &shape.to_string()).into_any(),
        })
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.board().outcome()
    }

    fn predicted(&mut self) -> PyResult<&Predicted> {
        if self.game.is_over() {
            return Err(PyValueError::new_err("the game is over: there is nothing to predict"));
        }
        let game = self.game.board();
        Ok(self.predicted.get_or_insert_with(|| {
            let prediction = predict(game, &Networks::Builtin);
            let mut policy = vec![0.0; game.geometry().vertex_count()];
            for (v, probability) in prediction.moves {
                policy[v.index()] = probability as f32;
            }
            Predicted { policy, value: prediction.win }
        }))
    }
}

/// Plays a move as Python writes it.
pub fn play(game: &mut PlayedGame, argument: &Bound<'_, PyAny>) -> PyResult<()> {
    let (color, m) = moves::read(argument, game)?;
    game.play(color, m).map_err(value_error)
}

/// The words for what was played.
pub fn played(game: &PlayedGame) -> Vec<String> {
    Move::show_in_turn(game.moves(), Color::White, game.geometry(), NOTATION)
}

/// The first game of a file.
pub fn read_record(text: &Bound<'_, PyAny>) -> PyResult<Record> {
    let games = match text.cast::<PyString>() {
        Ok(text) => read_each(&encode(text.to_str()?), Hints::default()),
        Err(_) => read_each(text.cast::<PyBytes>()?.as_bytes(), Hints::default()),
    };
    let games = games.map_err(value_error)?;
    let first = games.into_iter().next().ok_or_else(|| PyValueError::new_err("there is no game in the text"))?;
    first.map_err(value_error)
}

#[pymethods]
impl Position {
    #[new]
    #[pyo3(
        signature = (side = None, *, swap = false, moves = None),
        text_signature = "(side=8, *, swap=False, moves=None)"
    )]
    fn new(side: Option<&Bound<'_, PyAny>>, swap: bool, moves: Option<&Bound<'_, PyAny>>) -> PyResult<Position> {
        let board = side.map_or_else(|| moves::board(DEFAULT_SIDE), moves::any_board)?;
        let mut game = PlayedGame::new(board, swap);
        if let Some(moves) = moves {
            moves::items(moves)?.try_for_each(|m| play(&mut game, &m?))?;
        }
        Ok(Position::from_game(game))
    }

    /// The position that a position string says, such as `"4/5/6/3wb2/6/5/4 w"`, and then after these moves, a list or a
    /// string. Its stones are set up. `docs/gtp.md` describes the string. Raises `ValueError` if it is malformed or a move
    /// is illegal.
    #[staticmethod]
    #[pyo3(signature = (text, *, moves = None))]
    fn from_string(text: &str, moves: Option<&Bound<'_, PyAny>>) -> PyResult<Position> {
        let mut game = PlayedGame::from(Game::from_position_of_any_shape(text).map_err(value_error)?);
        if let Some(moves) = moves {
            moves::items(moves)?.try_for_each(|m| play(&mut game, &m?))?;
        }
        Ok(Position::from_game(game))
    }

    /// The position as one line: its rows from top to bottom, who is to move, and `swap` if the second player may still
    /// swap. Equal positions have equal strings, whatever the order of the moves was. A resignation is not in it.
    #[pyo3(name = "to_string")]
    fn position_string(&self) -> String {
        self.game.board().position_string()
    }

    /// The position at the end of the first game in a text: SGF of HavannahGui, GoGui or Little Golem, or another
    /// format that `malecon sgf` reads. Raises `ValueError` with line and column if the text is malformed.
    #[staticmethod]
    fn from_sgf(text: &Bound<'_, PyAny>) -> PyResult<Position> {
        let record = read_record(text)?;
        let mut game = PlayedGame::new(record.board(), true);
        for (color, m) in record.moves().into_iter().chain(record.resignation()) {
            game.play(color, m).map_err(value_error)?;
        }
        game.begin_like(&record.game());
        game.allow_swap(record.has_pie_rule());
        Ok(Position::from_game(game))
    }

    /// The game as SGF in the style of HavannahGui. Raises `ValueError` on a hexagon that is not regular: SGF has none.
    fn to_sgf(&self) -> PyResult<String> {
        on_regular_board(&self.game)?;
        let moves = &self.game.moves()[self.game.set_up()..];
        let followers = |i| if i < moves.len() { vec![i + 1] } else { Vec::new() };
        let node = |(i, &play)| {
            let mut node = Node::followed_by(followers(i + 1));
            node.play = Some(play);
            node
        };
        let mut root = Node::followed_by(followers(0));
        let start = Record::from_position(&self.game.board().start());
        root.stones.clone_from(&start.node(0).stones);
        root.properties.clone_from(&start.node(0).properties);
        let nodes = std::iter::once(root).chain(moves.iter().enumerate().map(node)).collect();
        let record = Record::from_nodes(self.game.geometry(), nodes).map_err(value_error)?;
        Ok(write(&[record], Format::Sgf))
    }

    // The rules.

    /// The side length of the board; on a hexagon whose sides have other lengths, their mean, rounded.
    #[getter]
    fn side(&self) -> usize {
        self.game.geometry().side()
    }

    /// The board as a string: `"8"` on side 8, and the lengths of the sides of a hexagon that is not regular: `"4-4-5"`.
    #[getter]
    fn shape(&self) -> String {
        self.game.geometry().shape().to_string()
    }

    /// Whether the pie rule holds: the second player may take over the first stone.
    #[getter]
    fn swap(&self) -> bool {
        self.game.board().swap_allowed()
    }

    /// The player to move; after the end of the game, the opponent of the last to move.
    #[getter]
    fn to_move(&self) -> &'static str {
        moves::color(self.game.to_move())
    }

    /// The winner; `None` while the game goes on, and after a draw.
    #[getter]
    fn winner(&self) -> Option<&'static str> {
        self.game.result().flatten().map(moves::color)
    }

    /// Whether the game has ended.
    #[getter]
    fn is_over(&self) -> bool {
        self.game.is_over()
    }

    /// The structures with which the game was won.
    #[getter]
    fn structures(&self) -> Vec<&'static str> {
        match self.outcome() {
            Some(Outcome::Win(_, structures)) => structures.names().collect(),
            _ => Vec::new(),
        }
    }

    /// The stones of each of these structures.
    #[getter]
    fn winning_stones<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (found, board) = (PyDict::new(py), self.game.geometry());
        for (structure, stones) in self.game.board().winning_stones() {
            let stones = stones.into_iter().map(|v| moves::show(py, board, Move::Place(v)));
            found.set_item(structure.to_string(), PyList::new(py, stones.collect::<Vec<_>>())?)?;
        }
        Ok(found)
    }

    /// The names of the legal moves: the empty vertices in their order, then a swap. Empty after the end.
    #[getter]
    fn legal_moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let board = self.game.geometry();
        let legal = self.game.legal_moves();
        PyList::new(py, legal.into_iter().map(|m| moves::show(py, board, m)))
    }

    /// The indices of the same moves, in the same order.
    #[getter]
    fn legal_indices<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let board = self.game.geometry();
        let legal = self.game.legal_moves();
        legal.into_iter().map(|m| moves::index(board, m) as i64).collect::<Vec<_>>().into_pyarray(py)
    }

    /// What was played. A move out of turn, such as a handicap stone, has its colour in front: `"white:e5"`.
    #[getter]
    fn moves(&self) -> Vec<String> {
        played(&self.game)
    }

    /// The stones, by vertex: 1 for white, -1 for black, 0 for none.
    #[getter]
    fn board<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        let position = self.game.board().position();
        let stone = |v| position.stone(v).map_or(0, |color| if color == Color::White { 1 } else { -1 });
        position.geometry().vertices().map(stone).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Plays a move of the player to move, or of the colour in front of the name. `"resign"` ends the game.
    ///
    /// Raises `ValueError` if the move is illegal, `IndexError` if there is no such index; nothing has changed then.
    fn play(&mut self, r#move: &Bound<'_, PyAny>) -> PyResult<()> {
        play(&mut self.game, r#move)?;
        self.predicted = None;
        Ok(())
    }

    /// Takes back the last moves. Raises `ValueError` if fewer were played; nothing has changed then.
    #[pyo3(signature = (count = 1))]
    fn undo(&mut self, count: i64) -> PyResult<()> {
        self.game.undo(moves::at_least(0, "count", count)? as usize).map_err(value_error)?;
        self.predicted = None;
        Ok(())
    }

    /// The same game, to be continued apart.
    fn copy(&self) -> Position {
        Position { game: self.game.clone(), predicted: self.predicted.clone() }
    }

    fn __copy__(&self) -> Position {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Position {
        self.copy()
    }

    // The board.

    /// The names of all vertices of the board, by index: ordered by letter, then by number.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let board = self.game.geometry();
        PyList::new(py, board.vertices().map(|v| moves::show(py, board, Move::Place(v))))
    }

    /// For each vertex, its letter and its number, both from 0: an array of vertices by 2. Two vertices are
    /// neighbours if they differ by (1, 0), (0, 1) or (1, 1).
    #[getter]
    fn coordinates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let board = self.game.geometry();
        let pair = |v| <[usize; 2]>::from(board.coordinates(v));
        matrix(py, board.vertices().flat_map(pair).map(|i| i as i64).collect(), 2)
    }

    /// For each of the 12 symmetries of the board, the identity first, the index of the image of every vertex: an
    /// array of 12 by vertices. A hexagon that is not regular has four symmetries or two.
    #[getter]
    fn symmetries<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let board = self.game.geometry();
        let images = board.symmetries().iter().flatten().map(|v| v.index() as i64).collect();
        matrix(py, images, board.vertex_count())
    }

    /// The same game under a symmetry, 0 to 11. Raises `IndexError` if there is no such symmetry.
    fn image(&self, symmetry: i64) -> PyResult<Position> {
        let board = self.game.geometry();
        let images = usize::try_from(symmetry).ok().and_then(|symmetry| board.symmetries().get(symmetry));
        let last = board.symmetries().len() - 1;
        let error = || PyIndexError::new_err(format!("there is no symmetry {symmetry} (expected 0 to {last})"));
        let images = images.ok_or_else(error)?;
        let image = |(color, m)| (color, if let Move::Place(v) = m { Move::Place(images[v.index()]) } else { m });
        let moves: Vec<_> = self.game.moves().into_iter().map(image).collect();
        Ok(Position::from_game(self.replayed(&moves)?))
    }

    /// A key for dictionaries and sets. Two positions have the same one if they are on the same board, with the same
    /// stones, player to move and choice to swap, whatever the order of the moves was; with `symmetric`, if one of the 12
    /// images of one is such a position. Positions after a resignation have keys of their own.
    #[pyo3(signature = (*, symmetric = false))]
    fn key<'py>(&self, py: Python<'py>, symmetric: bool) -> Bound<'py, PyBytes> {
        let (board, game) = (self.game.geometry(), self.game.board());
        let stone = |v| game.position().stone(v).map_or(0, |color| if color == Color::White { 1 } else { 2 });
        let images = &board.symmetries()[..if symmetric { board.symmetries().len() } else { 1 }];
        // Two bits for each vertex. The least of the images stands for all.
        let packed = images.iter().map(|image| {
            let mut packed = vec![0; board.vertex_count().div_ceil(4)];
            for v in board.vertices() {
                let place = image[v.index()].index();
                packed[place / 4] |= stone(v) << (2 * (place % 4));
            }
            packed
        });
        let mut key: Vec<u8> = packed.min().expect("the identity is a symmetry");
        let resigned = self.game.resigned().map_or(0, |color| if color == Color::White { 1 } else { 2 });
        match board.shape().regular_side() {
            Some(side) => key.push(side as u8),
            None => key.extend(board.shape().sides().map(|side| side as u8)),
        }
        key.push((self.game.to_move() == Color::Black) as u8 | (game.can_swap() as u8) << 1 | resigned << 2);
        PyBytes::new(py, &key)
    }

    // The network.

    /// What the network sees: an array of vertices by 127, of zeros and ones, for the player to move.
    /// `src/network/features.rs` lists them.
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let bits = features::extract(&Input::new(self.game.board()));
        matrix(py, bits.iter().flat_map(|bits| (0..COUNT).map(move |f| (bits >> f & 1) as f32)).collect(), COUNT)
    }

    /// The network's probability that the player to move chooses a vertex, by index; 0 where there is a stone.
    /// Raises `ValueError` if the game is over.
    #[getter]
    fn policy<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        Ok(self.predicted()?.policy.clone().into_pyarray(py))
    }

    /// The network's probability that the player to move wins. Raises `ValueError` if the game is over.
    #[getter]
    fn value(&mut self) -> PyResult<f64> {
        Ok(self.predicted()?.value)
    }

    // Pictures and text.

    /// A picture of the board, with short texts on vertices and with a line of further moves as numbered stones: a list
    /// of vertices or a string of them. Raises `ValueError` for a name that is not a vertex, and for a line that has
    /// more moves than the board has vertices.
    #[pyo3(signature = (*, labels = None, line = None))]
    fn svg(&self, labels: Option<&Bound<'_, PyMapping>>, line: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let board = self.game.geometry();
        let mut picture = Picture::new(self.game.board(), NOTATION);
        for item in labels.map(|labels| labels.items()).transpose()?.iter().flatten() {
            let (name, label): (String, Bound<'_, PyAny>) = item.extract()?;
            let v = moves::vertex(&name, board)?;
            picture = picture.mark(v, Mark::Label(label.str()?.to_string()));
        }
        let (mut vertices, most) = (Vec::new(), board.vertex_count());
        for name in line.map(moves::items).transpose()?.into_iter().flatten() {
            if vertices.len() == most {
                return Err(PyValueError::new_err(format!("the line is too long (expected at most {most} moves)")));
            }
            vertices.push(moves::vertex(&name?.extract::<String>()?, board)?);
        }
        Ok(picture.line(self.game.to_move(), &vertices).to_string())
    }

    fn _repr_svg_(&self) -> String {
        Picture::new(self.game.board(), NOTATION).to_string()
    }

    fn __str__(&self) -> String {
        Diagram::new(self.game.board(), NOTATION).resigned(self.game.resigned()).to_string()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (start, played) = (self.game.board().start(), &self.game.moves()[self.game.set_up()..]);
        let words = Move::show_in_turn(played.iter().copied(), start.to_move(), self.game.geometry(), NOTATION);
        let moves = if words.is_empty() { String::new() } else { format!(", moves=\"{}\"", words.join(" ")) };
        if start.stone_count() > 0 || start.to_move() != Color::White {
            return Ok(format!("Position.from_string(\"{}\"{moves})", start.position_string()));
        }
        let swap = if self.swap() { ", swap=True" } else { "" };
        Ok(format!("Position(side={}{swap}{moves})", self.named_board(py)?.repr()?))
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, operation: CompareOp) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let Ok(other) = other.cast::<Position>() else { return Ok(py.NotImplemented()) };
        let other = other.borrow();
        let is_same = self.game.geometry() == other.game.geometry()
            && self.swap() == other.swap()
            && self.game.moves()[self.game.set_up()..] == other.game.moves()[other.game.set_up()..]
            && self.start() == other.start();
        Ok(match operation {
            CompareOp::Eq => is_same.into_pyobject(py)?.to_owned().into_any().unbind(),
            CompareOp::Ne => (!is_same).into_pyobject(py)?.to_owned().into_any().unbind(),
            _ => py.NotImplemented(),
        })
    }

    /// For `pickle`: what makes a position with these moves.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((Bound<'py, PyAny>,), Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        named.set_item("swap", self.swap())?;
        named.set_item("moves", self.moves())?;
        Ok(((self.named_board(py)?,), named))
    }

    /// For `pickle`: how many of the moves are stones that were set up, and who was to move then.
    fn __getstate__(&self) -> Option<(usize, &'static str)> {
        let first = self.game.board().start().to_move();
        (self.game.set_up() > 0 || first != Color::White).then(|| (self.game.set_up(), moves::color(first)))
    }

    fn __setstate__(&mut self, state: (usize, String)) -> PyResult<()> {
        let (set_up, first) = state;
        let all = self.game.moves();
        let played = all.get(set_up..).ok_or_else(|| PyValueError::new_err("there are fewer stones"))?;
        let (swap, first) = (self.swap(), first.parse::<Color>().map_err(value_error)?);
        self.game.allow_swap(true);
        self.game.undo(played.len()).map_err(value_error)?;
        self.game.begin_with(first);
        for &(color, m) in played {
            self.game.play(color, m).map_err(value_error)?;
        }
        self.game.allow_swap(swap);
        self.predicted = None;
        Ok(())
    }
}

/// An array of rows of this width.
fn matrix<T: numpy::Element>(py: Python<'_>, values: Vec<T>, width: usize) -> PyResult<Bound<'_, PyArray2<T>>> {
    let height = values.len() / width;
    values.into_pyarray(py).reshape([height, width])
}

/// A game on a board that sessions and records have. An error on another hexagon.
pub fn on_regular_board(game: &PlayedGame) -> PyResult<&PlayedGame> {
    let shape = game.geometry().shape();
    match shape.regular_side() {
        Some(_) => Ok(game),
        None => Err(value_error(format!(
            "the position is on the {} (expected a board with six equal sides)",
            shape.title()
        ))),
    }
}
