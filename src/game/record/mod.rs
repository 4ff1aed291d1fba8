//! Game records in files: SGF in the styles of HavannahGui and GoGui, Little Golem's `.hgf`, JSON lines, and lists of
//! moves.
//!
//! | module | contents |
//! |---|---|
//! | `result` | who won, and how |
//! | `syntax` | the syntax of the Smart Game Format, for any game |
//! | `sgf` | the meaning of SGF for Havannah, in three styles |
//! | `read` | which format a text has |
//! | `text`, `names` | what all formats share: limits and characters, whose names the vertices have |
//! | `json`, `object` | games as JSON objects, as in the `games.jsonl` of matches |
//! | `abstract_play` | finished games of the site Abstract Play, which are JSON as well |
//! | `list` | lists of moves, one game on each line |
//! | `position` | positions without the moves that led to them, one on each line |
//! | `words` | the moves of a list, as people and programs write them |
//!
//! Malecon has its own SGF parser because the available crates are made for Go: `sgf-parse` 4.2 assumes Go if `GM` is
//! missing, reads `SZ[8]` as `SZ[8:8]`, reports errors without their position, writes lists of values in random order,
//! and overflows the stack on deeply nested files.
//!
//! A [`Record`] is a tree of legal moves. Its main line is the game; variations, comments and markup are kept and
//! written back.
//!
//! ```
//! use malecon::game::record::{Format, read, write};
//! // Little Golem's vertex names, and a swap.
//! let games = read(b"(;FF[4]SZ[4]SO[http://www.littlegolem.com];W[D1];B[swap];W[E1])", None).unwrap();
//! assert_eq!(write(&games, Format::Moves), "# side 4\nd1 swap e2\n");
//! ```

mod abstract_play;
mod json;
mod list;
mod names;
mod object;
mod position;
mod read;
mod result;
mod sgf;
mod syntax;
mod text;
mod words;

use std::fmt;

use crate::game::{Color, Game, Geometry, Mark, Move, Notation, Outcome, Vertex};
use crate::option_enum;

pub use read::{Hints, MAX_PARTS, read, read_each};
pub use result::{GameResult, How, Winner};
pub use syntax::{Property, PropertyValue};
pub use words::{Word, words};

/// A position in a text, for error messages. The default stands for no position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextPosition {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl TextPosition {
    /// The place after this text, which begins here.
    fn after(self, text: &str) -> TextPosition {
        match text.rfind('\n') {
            None => TextPosition { column: self.column + text.chars().count(), ..self },
            Some(end) => TextPosition {
                line: self.line + text.matches('\n').count(),
                column: text[end + 1..].chars().count() + 1,
            },
        }
    }

    fn error(self, reason: impl Into<String>) -> RecordError {
        RecordError { place: self, reason: text::one_line(&reason.into()) }
    }
}

/// The error for a text that is not a valid record. Displayed as `line:column: reason`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// The position in the text.
    pub place: TextPosition,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.place.line, self.place.column, self.reason)
    }
}

impl std::error::Error for RecordError {}

/// Why moves or nodes are not a record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidRecord {
    /// The number of the first move that is wrong, from 1, or the index of the node.
    pub at: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl InvalidRecord {
    fn new(at: usize, reason: impl Into<String>) -> InvalidRecord {
        InvalidRecord { at, reason: reason.into() }
    }
}

impl fmt::Display for InvalidRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for InvalidRecord {}

option_enum! {
    /// A file format for game records.
    pub enum Format {
        /// SGF in the style of HavannahGui: `SZ` is the side length, and vertices have HavannahGui's names.
        Sgf = "sgf",
        /// SGF in the style of GoGui: `SZ` is the diameter, and vertices are two letters.
        GoGui = "gogui",
        /// SGF in the style of Little Golem: its vertex names, and results and players under exchanged labels.
        Hgf = "hgf",
        /// One JSON object per line, with the keys of the `games.jsonl` of matches.
        JsonLines = "jsonl",
        /// The moves of one game per line, as the GTP command `playgame` takes them, after a line `# side N`.
        Moves = "moves",
        /// The position at the end of one game per line, as [`Game::position_string`] writes it.
        Position = "position",
    }
}

/// The index of a node in its record. The root has index 0.
pub type NodeId = usize;

/// A node of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Stones that were set up rather than played, in the order of the file.
    pub stones: Vec<(Color, Vertex)>,
    /// The move, if there is one.
    pub play: Option<(Color, Move)>,
    /// All other properties, with vertices under HavannahGui's names.
    pub properties: Vec<Property>,
    children: Vec<NodeId>,
    place: TextPosition,
}

impl Node {
    /// Creates a node without a move, which the nodes with these indices follow.
    pub fn followed_by(children: Vec<NodeId>) -> Node {
        Node { children, ..Node::default() }
    }

    /// The nodes that follow. The first continues the main line.
    pub fn children(&self) -> &[NodeId] {
        &self.children
    }

    /// The comment, as plain text.
    pub fn comment(&self) -> Option<String> {
        syntax::find(&self.properties, "C").map(Property::text)
    }

    /// Adds a line to the comment unless the comment already contains it.
    pub fn add_comment(&mut self, line: &str) {
        let text = match self.comment() {
            None => line.to_owned(),
            Some(text) if text.lines().any(|present| present == line) => return,
            Some(text) => format!("{text}\n{line}"),
        };
        self.properties.retain(|property| property.name != "C");
        self.properties.push(Property::new("C", &text));
    }

    /// The stones that are set up, then the move.
    fn actions(&self) -> impl Iterator<Item = (Color, Move)> + '_ {
        self.stones.iter().map(|&(color, v)| (color, Move::Place(v))).chain(self.play)
    }
}

/// A game with its variations: a tree of legal moves. The first child of each node continues the main line.
///
/// Colours are those of the stones: after a swap, the first stone is black and white moves next. A resignation at the
/// end of the main line is part of the result and not a move.
///
/// ```
/// use malecon::{Color, Geometry, Record};
/// use malecon::game::record::{Format, write};
///
/// let record = Record::from_words(Geometry::with_side(4)?, &["d4", "swap", "e4"])?;
/// assert_eq!((record.play_count(), record.game().to_move()), (3, Color::Black));
/// assert_eq!(write(&[record], Format::Moves), "# side 4\nd4 swap e4\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Record {
    /// The names of white and black.
    pub players: [Option<String>; 2],
    /// The result that the file states.
    pub stated: Option<GameResult>,
    /// What the reader of a file should know about how it was read: whose names of vertices were assumed.
    pub note: Option<String>,
    board: &'static Geometry,
    nodes: Vec<Node>,
}

impl Record {
    /// Creates a record without moves.
    pub fn new(board: &'static Geometry) -> Record {
        Record { players: [None, None], stated: None, note: None, board, nodes: vec![Node::default()] }
    }

    /// Creates the record of a game. Colours need not alternate. A resignation at the end becomes the result.
    ///
    /// # Errors
    /// The first illegal move, by its number.
    pub fn from_moves(board: &'static Geometry, moves: &[(Color, Move)]) -> Result<Record, InvalidRecord> {
        let mut game = Game::new(board);
        let mut record = Record::new(board);
        for (last, &(color, m)) in moves.iter().enumerate() {
            let m = play(&mut game, color, m).map_err(|reason| InvalidRecord::new(last + 1, reason))?;
            let id = record.add_node(Node { play: Some((color, m)), ..Node::default() });
            record.nodes[last].children.push(id);
        }
        sgf::end_by_resignation(&mut record);
        Ok(record)
    }

    /// Creates a record from its nodes, the root first. A move of the root gets a node of its own, the last one. A
    /// resignation at the end of the main line becomes the result.
    ///
    /// # Errors
    /// The first node that is wrong, by its index: a move is illegal, or the nodes are not a tree.
    pub fn from_nodes(board: &'static Geometry, mut nodes: Vec<Node>) -> Result<Record, InvalidRecord> {
        check_tree(&nodes)?;
        let given = nodes.len();
        sgf::begin_without_move(&mut nodes);
        // The node of the root's move is the caller's root.
        let of_caller =
            |error: InvalidRecord| InvalidRecord { at: if error.at < given { error.at } else { 0 }, ..error };
        sgf::check(board, &mut nodes, Notation::HavannahGui).map_err(of_caller)?;
        let mut record = Record { players: [None, None], stated: None, note: None, board, nodes };
        sgf::end_by_resignation(&mut record);
        Ok(record)
    }

    /// Creates a record without moves that begins with these handicap stones, if there are any.
    pub(crate) fn with_handicap(board: &'static Geometry, stones: &[(Color, Move)]) -> Record {
        let mut record = Record::new(board);
        let stone = |&(color, m)| if let Move::Place(v) = m { Some((color, v)) } else { None };
        record.nodes[0].stones = stones.iter().filter_map(stone).collect();
        if !stones.is_empty() {
            record.nodes[0].properties.push(Property::new("HA", &stones.len().to_string()));
        }
        record
    }

    /// The name of the game: the property `GN`, or `id` in JSON.
    pub fn name(&self) -> Option<String> {
        syntax::find(&self.nodes[0].properties, "GN").map(Property::text)
    }

    /// The number of handicap stones: the property `HA`, if the record begins with this many stones of White's.
    pub fn handicap(&self) -> usize {
        let root = &self.nodes[0];
        let stated = syntax::find(&root.properties, "HA");
        let stated = stated.and_then(|property| property.text().trim().parse().ok()).unwrap_or(0);
        let is_there = root.stones.len() == stated && root.stones.iter().all(|&(color, _)| color == Color::White);
        if is_there { stated } else { 0 }
    }

    /// The board.
    pub fn board(&self) -> &'static Geometry {
        self.board
    }

    /// Returns a node.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// Returns a node for modification.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id]
    }

    /// The number of nodes, including the root.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The number of variations besides the main line.
    pub fn variation_count(&self) -> usize {
        self.nodes.iter().map(|node| node.children.len().saturating_sub(1)).sum()
    }

    /// The nodes of the main line, beginning with the root.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(0), |&id| self.nodes[id].children.first().copied())
    }

    /// The moves of the main line, including stones that were set up.
    pub fn moves(&self) -> Vec<(Color, Move)> {
        self.main_line().flat_map(|id| self.nodes[id].actions()).collect()
    }

    /// Whether the game is known to have had the pie rule: there was a swap, the rules say so, or the game is Little
    /// Golem's.
    pub fn has_pie_rule(&self) -> bool {
        let root = &self.nodes[0].properties;
        sgf::is_little_golem(root)
            || syntax::find(root, "RU").is_some_and(|rules| rules.text() == position::SWAP_RULE)
            || self.moves().iter().any(|&(_, m)| m == Move::Swap)
    }

    /// The number of moves in the main line, without stones that were set up.
    pub fn play_count(&self) -> usize {
        self.main_line().filter(|&id| self.nodes[id].play.is_some()).count()
    }

    /// Like [`Record::moves`], but only up to the position before move `number`, counted from 1. The position after the
    /// last move is before the next one; beyond that, returns `None`.
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

    /// The game after this many moves of the main line, and the last node before the next move. Stones that were set up
    /// do not count as moves. `None` if the main line has fewer moves.
    ///
    /// Before the first move, and after stones that were set up, it is the turn of the player whom `PL` names; else of
    /// the one who makes the next move; else of Black, if there is a handicap; else of the one with fewer stones, or of
    /// White.
    pub fn after(&self, count: usize) -> Option<(Game, NodeId)> {
        let mut game = Game::new(self.board);
        let mut played = 0;
        let mut last = 0;
        for id in self.main_line() {
            let node = &self.nodes[id];
            if node.play.is_some() && played == count {
                break;
            }
            for (color, m) in node.actions() {
                play(&mut game, color, m).expect("the moves of a record are legal");
            }
            if let Some(color) = self.stated_turn(id, &game) {
                game.begin_with(color);
            }
            played += usize::from(node.play.is_some());
            last = id;
        }
        (played == count).then_some((game, last))
    }

    /// Whose turn it is after a node of the main line if that does not follow from the last move. `game`
    /// is the game there.
    fn stated_turn(&self, id: NodeId, game: &Game) -> Option<Color> {
        let node = &self.nodes[id];
        let named = syntax::find(&node.properties, "PL");
        let named = named.and_then(|property| property.text().trim().parse().ok());
        let is_set_up = node.play.is_none() && (id == 0 || !node.stones.is_empty());
        if named.is_some() || !is_set_up {
            return named.filter(|&color| is_set_up || color != game.to_move());
        }
        // A look ahead at every node would take quadratic time.
        let next = std::iter::successors(Some(id), |&id| self.nodes[id].children.first().copied())
            .find_map(|id| self.nodes[id].play);
        next.map(|(color, _)| color).or_else(|| {
            let by_count = || {
                let stones = |color| game.stones().filter(|&(owner, _)| owner == color).count();
                if stones(Color::White) > stones(Color::Black) { Color::Black } else { Color::White }
            };
            let handicap = (id == 0 && self.handicap() > 0).then_some(Color::Black);
            Some(handicap.unwrap_or_else(by_count))
        })
    }

    /// The stones of the first `count` moves of the main line, each with the number of its move, from 1. A swap counts
    /// as a move; stones that were set up have no number.
    pub fn move_numbers(&self, count: usize) -> impl Iterator<Item = (Vertex, usize)> + '_ {
        let moves = self.main_line().filter_map(|id| self.nodes[id].play).take(count).zip(1..);
        moves.filter_map(|((_, m), number)| match m {
            Move::Place(v) => Some((v, number)),
            _ => None,
        })
    }

    /// The markup of a node: circles, squares, triangles, crosses and labels.
    pub fn marks(&self, id: NodeId) -> Vec<(Vertex, Mark)> {
        let values =
            self.nodes[id].properties.iter().flat_map(|property| property.values.iter().map(move |v| (property, v)));
        let mark = |(property, value): (&Property, &PropertyValue)| {
            let (vertex, text) = value.raw.split_once(':').unwrap_or((&value.raw, ""));
            let mark = match property.name.as_str() {
                "CR" => Mark::Circle,
                "SQ" => Mark::Square,
                "TR" => Mark::Triangle,
                "MA" => Mark::Cross,
                "LB" => Mark::Label(syntax::unescape(text)),
                _ => return None,
            };
            Some((Notation::HavannahGui.parse(self.board, vertex).ok()?, mark))
        };
        values.filter_map(mark).collect()
    }

    /// The game at the end of the main line. [`Record::after`] says whose turn it is after stones that were set up.
    pub fn game(&self) -> Game {
        self.after(self.play_count()).expect("the main line has this many moves").0
    }

    /// The result on the board, or the stated result if the game did not end on the board.
    pub fn result(&self) -> Option<GameResult> {
        match self.game().outcome() {
            Some(outcome) => Some(GameResult { winner: outcome.winner(), how: How::Board }),
            None => self.stated,
        }
    }

    /// The resignation that ended the game, if one did.
    pub fn resignation(&self) -> Option<(Color, Move)> {
        let stated = self.stated.filter(|stated| stated.how == How::Resignation && self.game().outcome().is_none())?;
        stated.winner.map(|winner| (!winner, Move::Resign))
    }

    /// The stated result, if it contradicts the board.
    pub fn contradiction(&self) -> Option<GameResult> {
        let outcome = self.game().outcome()?;
        self.stated.filter(|stated| stated.winner != outcome.winner())
    }

    /// How the game ended: structures joined by `+`, `full board`, `resign`, `time` or `forfeit`.
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

    /// Makes these moves the beginning of the main line, and returns the node after each of them. The moves must be
    /// legal. Other lines stay as variations, or as the continuation. Returns `None` if the record starts with other
    /// set-up stones.
    pub fn follow(&mut self, moves: &[(Color, Move)]) -> Option<Vec<NodeId>> {
        let set_up = self.nodes[0].actions().count();
        if !self.nodes[0].actions().eq(moves.iter().copied().take(set_up)) {
            return None;
        }
        let mut id = 0;
        let mut path = vec![0; set_up];
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

    /// Adds a line of moves that begins after a node, as its last variation. Moves that a variation there already has
    /// are not added again. Returns the node after the first move. The moves must be legal.
    ///
    /// # Panics
    /// If there are no moves or no such node.
    pub fn add_variation(&mut self, after: NodeId, moves: &[(Color, Move)]) -> NodeId {
        let mut id = after;
        let mut first = None;
        for &m in moves {
            let children = &self.nodes[id].children;
            let known = children.iter().copied().find(|&child| self.nodes[child].actions().eq([m]));
            id = known.unwrap_or_else(|| {
                let child = self.add_node(Node { play: Some(m), ..Node::default() });
                self.nodes[id].children.push(child);
                child
            });
            first.get_or_insert(id);
        }
        first.expect("a variation has moves")
    }

    /// Removes a variation: the node `child` and all that follow it. Other nodes keep their indices.
    pub fn remove_variation(&mut self, parent: NodeId, child: NodeId) {
        self.nodes[parent].children.retain(|&id| id != child);
    }

    /// The node before a node; `None` for the root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (0..self.nodes.len()).find(|&parent| self.nodes[parent].children.contains(&id))
    }

    fn add_node(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}

/// Checks that the nodes form a tree whose root is the first. Nodes that nothing leads to are harmless.
fn check_tree(nodes: &[Node]) -> Result<(), InvalidRecord> {
    if nodes.is_empty() {
        return Err(InvalidRecord::new(0, "there is no root"));
    }
    let mut has_parent = vec![false; nodes.len()];
    has_parent[0] = true;
    for (id, node) in nodes.iter().enumerate() {
        for &child in &node.children {
            match has_parent.get_mut(child) {
                None => return Err(InvalidRecord::new(id, format!("there is no node {child}"))),
                Some(true) => {
                    let reason = format!("node {child} cannot follow here: it is the root or follows another");
                    return Err(InvalidRecord::new(id, reason));
                }
                Some(has_parent) => *has_parent = true,
            }
        }
    }
    Ok(())
}

/// Plays a move of a file, and returns its meaning: a stone on top of the first stone is a swap, as GoGui writes it.
fn play(game: &mut Game, color: Color, m: Move) -> Result<Move, String> {
    let m = match (m, game.history()) {
        (Move::Place(v), &[(first, Move::Place(w))]) if v == w && color != first => Move::Swap,
        _ => m,
    };
    match m {
        Move::Place(v) => game.place(color, v).map(drop).map_err(|error| error.to_string())?,
        Move::Swap => {
            game.allow_swap(true);
            if matches!(game.history(), [(owner, _)] if *owner == color) {
                return Err(format!("{color} cannot swap its own stone"));
            }
            // `PL` may name the other player.
            game.set_to_move(color);
            game.swap().map_err(|error| error.to_string())?;
        }
        Move::Pass | Move::Resign => check_idle(game, m)?,
    }
    Ok(m)
}

/// Checks a move that changes nothing on the board: a pass or a resignation.
fn check_idle(game: &Game, m: Move) -> Result<(), String> {
    match m {
        Move::Pass if game.outcome().is_none() => Err("there is no pass in Havannah".into()),
        _ => Ok(()),
    }
}

/// Formats games as the content of a file. Of a board whose sides differ, only [`Format::Position`] tells the shape; the
/// other formats are for boards with six equal sides.
#[must_use]
pub fn write(records: &[Record], format: Format) -> String {
    match format {
        Format::Sgf | Format::GoGui | Format::Hgf => records.iter().map(|record| sgf::write(record, format)).collect(),
        Format::JsonLines => records.iter().map(json::write).collect(),
        Format::Moves => list::write(records),
        Format::Position => records.iter().map(position::write).collect(),
    }
}
