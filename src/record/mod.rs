//! Records of games in files: SGF as HavannahGui and as GoGui write it, Little Golem's `.hgf`, lines of JSON, lists of
//! moves.
//!
//! | module | what it knows |
//! |---|---|
//! | `syntax` | the Smart Game Format, whatever the game |
//! | `sgf` | what SGF means for Havannah, in the three styles |
//! | `lines` | formats with one game a line: `games.jsonl` and lists of moves |
//!
//! The parser is our own, as the crates for SGF are made for Go: `sgf-parse` 4.2 takes a file without `GM` for Go and
//! `SZ[8]` for `SZ[8:8]`, tells no place with its errors, writes lists of values in random order, and overflows the stack
//! on files that are nested deeply.
//!
//! A [`Record`] is a tree of legal moves: what was played is the main line, everything else that a file holds (variations,
//! comments, markup) is kept beside it and written again.
//!
//! ```
//! use malecon::record::{Format, read, write};
//! // Little Golem's names, and a swap.
//! let games = read(b"(;FF[4]SZ[4]SO[http://www.littlegolem.com];W[D1];B[swap];W[E1])", None).unwrap();
//! assert_eq!(write(&games, Format::Moves), "# side 4\nd1 swap e2\n");
//! ```

mod lines;
mod result;
mod sgf;
mod syntax;

use std::fmt;

use crate::board::{Color, Game, Geometry, Outcome, Vertex};
use crate::option_enum;

pub use result::{GameResult, How, Winner};
pub use syntax::{Property, Value};

/// What can be played, and what a search can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A stone.
    Place(Vertex),
    /// The pie rule: the first stone changes its colour.
    Swap,
    /// Nothing: accepted by some dialects when the game is over.
    Pass,
    /// The end of the game, lost.
    Resign,
}

/// A place in a text, for messages: line and column, both from 1; the default stands for no place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Place {
    fn error(self, reason: impl Into<String>) -> RecordError {
        RecordError { place: self, reason: reason.into() }
    }
}

/// Why a text is no record of games: shown as `line:column: reason`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// Where in the text.
    pub place: Place,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.place.line, self.place.column, self.reason)
    }
}

impl std::error::Error for RecordError {}

option_enum! {
    /// A format of files.
    pub enum Format {
        /// SGF as HavannahGui has it: `SZ` is the side length, vertices have HavannahGui's names.
        Sgf = "sgf",
        /// SGF as GoGui has it: `SZ` is the diameter, vertices are two letters.
        GoGui = "gogui",
        /// SGF as Little Golem has it: its vertex names, and results and names of players under the exchanged label.
        Hgf = "hgf",
        /// A JSON object a line, with the keys of the `games.jsonl` of matches.
        JsonLines = "jsonl",
        /// The moves of a game a line, as the GTP command `playgame` takes them; `# side N` before says the side length.
        Moves = "moves",
    }
}

/// The index of a node in its record; the root is 0.
pub type NodeId = usize;

/// A node of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Stones that were set up, in place of being played.
    pub stones: Vec<(Color, Vertex)>,
    /// What was played.
    pub play: Option<(Color, Move)>,
    /// Everything else, vertices in HavannahGui's names.
    pub properties: Vec<Property>,
    children: Vec<NodeId>,
    place: Place,
}

impl Node {
    /// The comment.
    pub fn comment(&self) -> Option<String> {
        self.properties.iter().find(|property| property.name == "C").map(Property::text)
    }

    /// Adds a line to the comment, if it does not have it yet.
    pub fn add_comment(&mut self, line: &str) {
        let text = match self.comment() {
            None => line.to_owned(),
            Some(text) if text.lines().any(|present| present == line) => return,
            Some(text) => format!("{text}\n{line}"),
        };
        self.properties.retain(|property| property.name != "C");
        self.properties.push(Property::new("C", &text));
    }

    /// What happens here, in order: stones set up, then the move.
    fn actions(&self) -> impl Iterator<Item = (Color, Move)> + '_ {
        self.stones.iter().map(|&(color, v)| (color, Move::Place(v))).chain(self.play)
    }
}

/// A game with its variations: a tree of legal moves. The first child of each node continues the main line.
///
/// Colours are those of the stones: after a swap the first stone is black, and white moves next. A resignation that ends
/// the main line is told by the result and is no move of it.
#[derive(Clone, Debug)]
pub struct Record {
    /// The names of the players, white's first.
    pub players: [Option<String>; 2],
    /// The result, as the file tells it.
    pub stated: Option<GameResult>,
    board: &'static Geometry,
    nodes: Vec<Node>,
}

impl Record {
    /// A record without moves.
    pub fn new(board: &'static Geometry) -> Record {
        Record { players: [None, None], stated: None, board, nodes: vec![Node::default()] }
    }

    /// A record of a game, in which colours need not alternate.
    ///
    /// # Errors
    /// The number of the first illegal move, from 1, and what is wrong with it.
    pub fn of_moves(board: &'static Geometry, moves: &[(Color, Move)]) -> Result<Record, (usize, String)> {
        let mut game = Game::new(board);
        let mut record = Record::new(board);
        for (i, &(color, m)) in moves.iter().enumerate() {
            let m = play(&mut game, color, m).map_err(|reason| (i + 1, reason))?;
            record.append(color, m);
        }
        Ok(record)
    }

    /// The board.
    pub fn board(&self) -> &'static Geometry {
        self.board
    }

    /// A node.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// A node, to be changed.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id]
    }

    /// How many nodes there are, the root included.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// How many lines there are beside the main line.
    pub fn variation_count(&self) -> usize {
        self.nodes.iter().map(|node| node.children.len().saturating_sub(1)).sum()
    }

    /// The nodes of the main line, from the root.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(0), |&id| self.nodes[id].children.first().copied())
    }

    /// What was played, stones that were set up included.
    pub fn moves(&self) -> Vec<(Color, Move)> {
        self.main_line().flat_map(|id| self.nodes[id].actions()).collect()
    }

    /// How many moves the main line has, stones that were set up not counted.
    pub fn play_count(&self) -> usize {
        self.main_line().filter(|&id| self.nodes[id].play.is_some()).count()
    }

    /// As [`Record::moves`], up to the position before the move of this number, from 1; `None` if there is none, and it is
    /// not the next either.
    pub fn moves_before(&self, number: usize) -> Option<Vec<(Color, Move)>> {
        let mut left = number.checked_sub(1)?;
        let mut moves = Vec::new();
        for id in self.main_line() {
            moves.extend(self.nodes[id].stones.iter().map(|&(color, v)| (color, Move::Place(v))));
            let Some(play) = self.nodes[id].play else { continue };
            if left == 0 {
                return Some(moves);
            }
            left -= 1;
            moves.push(play);
        }
        (left == 0).then_some(moves)
    }

    /// The game at the end of the main line.
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.board);
        for (color, m) in self.moves() {
            play(&mut game, color, m).expect("a record holds legal moves");
        }
        game
    }

    /// The result: the board's, or if the game did not end there, the one stated.
    pub fn result(&self) -> Option<GameResult> {
        match self.game().outcome() {
            Some(outcome) => Some(GameResult { winner: outcome.winner(), how: How::Board }),
            None => self.stated,
        }
    }

    /// The stated result, if the board shows another.
    pub fn contradiction(&self) -> Option<GameResult> {
        let outcome = self.game().outcome()?;
        self.stated.filter(|stated| stated.winner != outcome.winner())
    }

    /// How the game ended, in a word: structures joined by `+`, `full board`, `resign`, `time` or `forfeit`.
    pub fn by(&self) -> Option<String> {
        match (self.game().outcome(), self.stated.map(|stated| stated.how)) {
            (Some(Outcome::Win(_, by)), _) => Some(by.names().collect::<Vec<_>>().join("+")),
            (Some(Outcome::Draw), _) => Some("full board".into()),
            (None, Some(How::Resignation)) => Some("resign".into()),
            (None, Some(How::Time)) => Some("time".into()),
            (None, Some(How::Forfeit)) => Some("forfeit".into()),
            (None, Some(How::Board) | None) => None,
        }
    }

    /// Makes these moves, which must be legal, the beginning of the main line, and returns the node after each. What else
    /// the record holds stays as variations, or as the continuation. `None` if the record begins with other stones.
    pub fn follow(&mut self, moves: &[(Color, Move)]) -> Option<Vec<NodeId>> {
        let set_up = self.nodes[0].actions().count();
        if !self.nodes[0].actions().eq(moves.iter().copied().take(set_up)) {
            return None;
        }
        let (mut id, mut path) = (0, vec![0; set_up]);
        while path.len() < moves.len() {
            let rest = &moves[path.len()..];
            let next = |&child: &NodeId| {
                let count = self.nodes[child].actions().count();
                self.nodes[child].actions().eq(rest.iter().copied().take(count))
            };
            let index = self.nodes[id].children.iter().position(next);
            let child = match index {
                Some(index) => self.nodes[id].children.remove(index),
                None => self.add_node(Node { play: Some(rest[0]), ..Node::default() }),
            };
            self.nodes[id].children.insert(0, child);
            path.extend(std::iter::repeat_n(child, self.nodes[child].actions().count()));
            id = child;
        }
        Some(path)
    }

    fn add_node(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Appends a legal move to the main line.
    fn append(&mut self, color: Color, m: Move) -> NodeId {
        let last = self.main_line().last().unwrap_or_default();
        let id = self.add_node(Node { play: Some((color, m)), ..Node::default() });
        self.nodes[last].children.push(id);
        id
    }
}

/// Plays a move of a file, and returns it as it is meant: a stone on the first stone's vertex is a swap, as GoGui writes it.
fn play(game: &mut Game, color: Color, m: Move) -> Result<Move, String> {
    let m = match (m, game.history()) {
        (Move::Place(v), &[crate::board::Action::Place(first, w)]) if v == w && color != first => Move::Swap,
        _ => m,
    };
    match m {
        Move::Place(v) => game.place(color, v).map(drop).map_err(|error| error.to_string())?,
        Move::Swap => {
            game.allow_swap(true);
            if game.history().len() == 1 && color != game.to_move() {
                return Err(format!("the first stone is {color}'s own, only {} may swap it", !color));
            }
            game.swap().map_err(|error| error.to_string())?;
        }
        Move::Pass if game.outcome().is_none() => return Err("there is no pass in Havannah".into()),
        Move::Pass | Move::Resign => {}
    }
    Ok(m)
}

/// Reads the games of a file, at least one. Without a format it is told by the content.
///
/// Text that is not UTF-8 is taken for ISO 8859-1, SGF's default.
///
/// # Errors
/// Where the text is broken or a move is illegal, also in a variation.
pub fn read(bytes: &[u8], format: Option<Format>) -> Result<Vec<Record>, RecordError> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
        Err(_) => bytes.iter().map(|&byte| byte as char).collect(),
    };
    let first = text.chars().find(|c| !c.is_whitespace());
    match (format, first) {
        (Some(Format::JsonLines), _) | (None, Some('{')) => lines::read_json(&text),
        (Some(Format::Moves), _) => lines::read_moves(&text),
        (Some(format), _) => sgf::read(&text, Some(format)),
        (None, _) if text.contains("(;") || first == Some('(') => sgf::read(&text, None),
        (None, _) => lines::read_moves(&text),
    }
}

/// The games as the content of a file.
pub fn write(records: &[Record], format: Format) -> String {
    match format {
        Format::Sgf | Format::GoGui | Format::Hgf => records.iter().map(|record| sgf::write(record, format)).collect(),
        Format::JsonLines => records.iter().map(lines::write_json).collect(),
        Format::Moves => lines::write_moves(records),
    }
}
