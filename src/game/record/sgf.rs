//! The meaning of SGF for Havannah, in the styles of HavannahGui, GoGui and Little Golem.
//!
//! SGF assigns no game number `GM` to Havannah, so none is written. The styles differ as follows:
//!
//! | | HavannahGui | GoGui | Little Golem |
//! |---|---|---|---|
//! | recognized by | otherwise | vertices of two letters, or else `AP` with `gogui` | `SO` with `littlegolem` or `RU[LG]`, no `AP` |
//! | `SZ` | side; in older files `d=` and the diameter, or the diameter | diameter, 19 if missing | side |
//! | vertices | `h3`, `i9` | `hm`: letter, then row from the top | `H3`, each line starts at 1 |
//! | swap | `;B[swap]` | a black stone on the first stone | `;B[swap]` |
//! | resignation | `RE[W+R]` | `RE[W+R]` | `;B[resign]` |
//! | results and players | same labels as the moves | same labels as the moves | labels exchanged |

use std::rc::Rc;

use crate::game::{Color, Game, Geometry, Move, Notation, ParseVertexError, Vertex, completing_last};

use super::names::{Written, doubt, in_fitting_names};
use super::syntax::{self, GAME_ONLY, Property, PropertyValue, SyntaxNode, SyntaxTree, unescape};
use super::text::{one_line, quoted};
use super::{
    Format, GameResult, Hints, How, InvalidRecord, Node, NodeId, Record, RecordError, TextPosition, check_idle, play,
};

/// Properties of the root that a record holds in another form, or that are regenerated.
const ROOT_ONLY: [&str; 7] = ["FF", "CA", "AP", "SZ", "PW", "PB", "RE"];
/// Properties whose values are vertices or begin with one.
const POINTS: [&str; 12] = ["AR", "CR", "DD", "LB", "LN", "MA", "SL", "SQ", "TB", "TR", "TW", "VW"];
/// The order in which Little Golem writes the properties of the root.
const LITTLE_GOLEM_ORDER: [&str; 9] = ["FF", "EV", "PB", "PW", "SZ", "RU", "RE", "GC", "SO"];
/// The length at which a line of moves is broken, in characters.
const LINE_LENGTH: usize = 70;

/// The games that SGF numbers in the property `GM`, from 1. Havannah has no number.
#[rustfmt::skip]
const GAMES: [&str; 40] = [
    "Go", "Othello", "chess", "Gomoku or Renju", "Nine Men's Morris",
    "backgammon", "Chinese chess", "shogi", "Lines of Action", "Ataxx",
    "Hex", "Jungle", "Neutron", "Philosopher's Football", "Quadrature",
    "Trax", "Tantrix", "Amazons", "Octi", "Gess",
    "TwixT", "Zèrtz", "Plateau", "YINSH", "PÜNCT",
    "Gobblet", "Hive", "Exxit", "Hnefatafl", "Kuba",
    "Tripples", "Chase", "Tumbling Down", "Sahara", "Byte",
    "Focus", "DVONN", "TAMSK", "GIPF", "Kropki",
];

/// Reads all games of a text.
pub(super) fn read(text: &str, hints: &Hints) -> Result<Vec<Result<Record, RecordError>>, RecordError> {
    let game = |tree: SyntaxTree| {
        check_game(&tree)?;
        read_game(&tree, hints).map_err(|error| if looks_like_go(&tree) { error.for_go() } else { error })
    };
    Ok(syntax::parse(text, hints.most_parts)?.into_iter().map(|tree| tree.and_then(game)).collect())
}

fn read_game(tree: &SyntaxTree, hints: &Hints) -> Result<Record, RecordError> {
    let sign = Sign::from_tree(tree);
    let style = hints.format.unwrap_or(match (sign, hints.names) {
        (Sign::LittleGolem, _) | (Sign::None, Some(Notation::LittleGolem)) => Format::Hgf,
        (Sign::GoGui, _) | (Sign::None, Some(Notation::GoGui)) => Format::GoGui,
        _ => Format::Sgf,
    });
    if sign == Sign::GoGui || hints.format.is_some() || hints.names.is_some() {
        return read_tree(tree, style);
    }
    let (usual, other) = match style {
        Format::Hgf => (Notation::LittleGolem, Notation::HavannahGui),
        _ => (Notation::HavannahGui, Notation::LittleGolem),
    };
    let written = written(tree, style);
    let read = |notation| read_tree(tree, if notation == Notation::LittleGolem { Format::Hgf } else { Format::Sgf });
    // A file that contradicts its own sign is an error.
    let may_guess = sign == Sign::None && written.points_elsewhere();
    let others = if written.off_board > 0 { &[other][..] } else { &[] };
    let hint = |error: RecordError, hint: &str| RecordError { reason: error.reason + hint, ..error };
    let mut record = in_fitting_names(usual, others, may_guess, read, hint)?;
    if sign == Sign::None && written.in_capitals && record.note.is_none() {
        record.note = read(other).ok().and_then(|reading| doubt(&record, &reading, other));
    }
    Ok(record)
}

/// How the vertices of the moves and of the stones are written.
fn written(tree: &SyntaxTree, style: Format) -> Written {
    let reader = Reader::new(tree, style);
    let board = reader.size().and_then(|size| size.board()).ok();
    let properties = tree.iter().flat_map(|node| &node.properties);
    let moves = properties.filter(|property| ["W", "B", "AW", "AB"].contains(&&*property.name));
    let words: Vec<String> =
        moves.flat_map(|property| &property.values).map(|value| unescape(&value.raw).trim().to_owned()).collect();
    let is_on_board = |word: &str| board.is_none_or(|board| notation(style).parse(board, word).is_ok());
    Written::from_words(words.iter().map(String::as_str), is_on_board)
}

/// Whether a program wrote the file that plays Havannah. GoGui says in any game that it is Go, and so did Malecon in
/// files that it converted from GoGui's.
fn writes_havannah(tree: &SyntaxTree) -> bool {
    ["gogui", "malecon"].iter().any(|name| program(tree).contains(name))
}

/// Refuses records of other games: `GM` says so, or komi or rules that only Go has.
fn check_game(tree: &SyntaxTree) -> Result<(), RecordError> {
    let refuse = |property: &Property, game: &str| {
        let value = quoted(&property.text());
        Err(property.values[0]
            .place
            .error(format!("this is a record of {game} ({}[{value}]), not of Havannah", property.name)))
    };
    if let Some(game) = property(&tree[0], "GM") {
        return match other_game(game) {
            None => Ok(()),
            Some("Go") if writes_havannah(tree) => Ok(()),
            Some(name) => refuse(game, name),
        };
    }
    if writes_havannah(tree) {
        return Ok(());
    }
    let sign = ["KM", "RU"].into_iter().filter_map(|name| property(&tree[0], name)).find(|sign| is_of_go(sign));
    sign.map_or(Ok(()), |sign| refuse(sign, "Go"))
}

/// Whether `GM` names Havannah.
fn is_of_havannah(tree: &SyntaxTree) -> bool {
    property(&tree[0], "GM").is_some_and(|game| other_game(game).is_none())
}

/// The game that `GM` names, if it is not Havannah.
fn other_game(game: &Property) -> Option<&'static str> {
    let text = game.text().trim().to_ascii_lowercase();
    match text.parse().ok().and_then(|number: usize| number.checked_sub(1)) {
        // A number that SGF has not assigned may stand for Havannah.
        Some(index) => GAMES.get(index).copied(),
        None if text.is_empty() || text == "0" || text.contains("havannah") => None,
        None => Some("another game"),
    }
}

/// Whether this is a komi or the name of rules, which only Go has.
fn is_of_go(property: &Property) -> bool {
    let text = property.text().trim().to_ascii_lowercase();
    match property.name.as_str() {
        "KM" => text.parse().is_ok_and(|komi: f64| komi != 0.0),
        "RU" => ["japanese", "chinese", "aga", "goe", "ing", "nz", "korean", "tromp-taylor"].contains(&&*text),
        _ => false,
    }
}

/// The sign in a file of whose style it has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sign {
    /// Its source or its rules are Little Golem's.
    LittleGolem,
    /// Its vertices are two letters, or GoGui wrote it.
    GoGui,
    /// A program that writes HavannahGui's style.
    HavannahGui,
    None,
}

impl Sign {
    fn from_tree(tree: &SyntaxTree) -> Sign {
        // Little Golem does not name a program. A converted file names both its source and the program that converted
        // it.
        if program(tree).is_empty() && is_little_golem(&tree[0].properties) {
            return Sign::LittleGolem;
        }
        let moves =
            tree.iter().flat_map(|node| ["W", "B", "AW", "AB"].into_iter().filter_map(|name| property(node, name)));
        let first = moves.map(Property::text).find(|text| !text.is_empty());
        match first.as_deref().map(str::as_bytes) {
            Some([l, n]) if l.is_ascii_alphabetic() && n.is_ascii_alphabetic() => Sign::GoGui,
            None if program(tree).contains("gogui") => Sign::GoGui,
            _ if program(tree).contains("malecon") => Sign::HavannahGui,
            _ => Sign::None,
        }
    }
}

/// Whether the properties of a root say that a game is from Little Golem.
pub(super) fn is_little_golem(root: &[Property]) -> bool {
    let text = |name| syntax::find(root, name).map(Property::text).unwrap_or_default().to_ascii_lowercase();
    text("SO").contains("littlegolem") || text("RU").trim() == "lg"
}

impl RecordError {
    /// The same error for a file that looks like a Go record.
    fn for_go(mut self) -> RecordError {
        self.reason += " (this looks like a Go record)";
        self
    }
}

/// Whether a file that cannot be read may be a Go record. Go records have a handicap, or name vertices by two letters
/// without being written by a program that does this for Havannah.
fn looks_like_go(tree: &SyntaxTree) -> bool {
    let value = |name| property(&tree[0], name).map(Property::text).unwrap_or_default();
    let has_handicap = value("HA").trim().parse().is_ok_and(|stones: f64| stones > 0.0);
    !writes_havannah(tree) && (has_handicap || Sign::from_tree(tree) == Sign::GoGui)
}

fn read_tree(tree: &SyntaxTree, style: Format) -> Result<Record, RecordError> {
    let reader = Reader::new(tree, style);
    let size = reader.size()?;
    let record = reader.record(size.board()?);
    // Older files give the diameter. Assume this if the stated result fits the moves only on the smaller board.
    let Some(smaller) = size.as_diameter() else { return record };
    match &record {
        Ok(record) if ends_as_stated(record) || !states_a_winner(record) => {}
        _ => {
            if let Some(other) =
                reader.record(smaller).ok().filter(|other| states_a_winner(other) && ends_as_stated(other))
            {
                return Ok(other);
            }
        }
    }
    record
}

fn states_a_winner(record: &Record) -> bool {
    record.stated.is_some_and(|stated| stated.winner.is_some() && stated.how == How::Board)
}

fn ends_as_stated(record: &Record) -> bool {
    let stated = record.stated.and_then(|stated| stated.winner);
    record.game().outcome().is_some_and(|outcome| outcome.winner() == stated)
}

fn property<'a>(node: &'a SyntaxNode, name: &str) -> Option<&'a Property> {
    syntax::find(&node.properties, name)
}

/// The name of the program that wrote a file, in lower case.
fn program(tree: &SyntaxTree) -> String {
    property(&tree[0], "AP").map(Property::text).unwrap_or_default().to_ascii_lowercase()
}

/// The value of `SZ`.
enum Size {
    Side(usize, TextPosition),
    Diameter(usize, TextPosition),
    /// A side length, or a diameter as in older files.
    Either(usize, TextPosition),
}

impl Size {
    fn board(&self) -> Result<&'static Geometry, RecordError> {
        match *self {
            Size::Side(side, place) | Size::Either(side, place) => {
                Geometry::with_side(side).map_err(|error| place.error(error.to_string()))
            }
            Size::Diameter(diameter, place) => diameter_board(diameter).ok_or_else(|| {
                place.error(format!("invalid diameter {diameter} (expected an odd number from 3 to 25)"))
            }),
        }
    }

    /// The board, if the given side length is in fact a diameter.
    fn as_diameter(&self) -> Option<&'static Geometry> {
        match *self {
            Size::Either(number, _) => diameter_board(number),
            Size::Side(..) | Size::Diameter(..) => None,
        }
    }
}

fn diameter_board(diameter: usize) -> Option<&'static Geometry> {
    Geometry::with_side(diameter / 2 + 1).ok().filter(|board| board.diameter() == diameter)
}

struct Reader<'a> {
    style: Format,
    tree: &'a SyntaxTree,
    /// Whether the file says that it is of Havannah.
    says_havannah: bool,
}

impl<'a> Reader<'a> {
    fn new(tree: &'a SyntaxTree, style: Format) -> Reader<'a> {
        Reader { style, tree, says_havannah: is_of_havannah(tree) }
    }

    fn size(&self) -> Result<Size, RecordError> {
        let Some(property) = property(&self.tree[0], "SZ") else {
            return match self.style {
                Format::GoGui => Ok(Size::Diameter(19, self.tree[0].place)),
                _ => Err(self.tree[0].place.error("the side length is missing (expected a property such as SZ[8])")),
            };
        };
        let text = property.text();
        let place = property.values[0].place;
        let (number, is_marked) = match text.trim().strip_prefix("d=") {
            Some(number) => (number, true),
            None => (text.trim(), false),
        };
        let number: usize = number
            .parse()
            .map_err(|_| place.error(format!("invalid size '{}' (expected a side length)", quoted(&text))))?;
        let is_diameter = is_marked || self.style == Format::GoGui || number > crate::game::MAX_SIDE;
        let is_side = self.style == Format::Hgf || program(self.tree).contains("malecon");
        let size = if is_diameter {
            Size::Diameter
        } else if is_side {
            Size::Side
        } else {
            Size::Either
        };
        Ok(size(number, place))
    }

    fn record(&self, board: &'static Geometry) -> Result<Record, RecordError> {
        let mut nodes = Vec::with_capacity(self.tree.len());
        for (id, node) in self.tree.iter().enumerate() {
            nodes.push(self.node(board, node, id == 0)?);
        }
        begin_without_move(&mut nodes);
        check(board, &mut nodes, notation(self.style)).map_err(|error| nodes[error.at].place.error(error.reason))?;
        let mut record = Record { players: self.players(), stated: self.stated(), note: None, board, nodes };
        end_by_resignation(&mut record);
        Ok(record)
    }

    fn node(&self, board: &'static Geometry, node: &SyntaxNode, is_root: bool) -> Result<Node, RecordError> {
        let mut read = Node { children: node.children.clone(), place: node.place, ..Node::default() };
        for property in &node.properties {
            match property.name.as_str() {
                "W" | "B" if read.play.is_some() => {
                    return Err(property.values[0].place.error("a second move in the same node"));
                }
                "W" | "B" => {
                    read.place = property.values[0].place;
                    read.play = Some((color(&property.name), self.play(board, &property.values[0])?));
                }
                "AW" | "AB" => {
                    for value in &property.values {
                        let v = vertex(self.style, board, &unescape(&value.raw));
                        let v = v.map_err(|error| value.place.error(error.to_string()))?;
                        read.stones.push((color(&property.name[1..]), v));
                    }
                }
                "AE" => {
                    return Err(property.values[0].place.error("AE removes stones, which is impossible in Havannah"));
                }
                name if is_root && ROOT_ONLY.contains(&name) => {}
                // GoGui writes what belongs to Go in any game. Without GoGui's name, it would make this a record of Go.
                "GM" if is_root && other_game(property).is_some() => {}
                _ if is_root && !self.says_havannah && is_of_go(property) => {}
                // Elsewhere they have no meaning, and a variation that begins with them would look like a game.
                name if !is_root && GAME_ONLY.contains(&name) => {}
                name if POINTS.contains(&name) => read.properties.push(renamed(property, |text| {
                    let v = vertex(self.style, board, text);
                    Some(v.map_or_else(|_| text.to_owned(), |v| Notation::HavannahGui.name(board, v)))
                })),
                _ if is_root && self.style == Format::Hgf => read.properties.push(of_other_label(property.clone())),
                _ => read.properties.push(property.clone()),
            }
        }
        Ok(read)
    }

    fn play(&self, board: &'static Geometry, value: &PropertyValue) -> Result<Move, RecordError> {
        let text = unescape(&value.raw);
        match text.trim() {
            "" => Ok(Move::Pass),
            // The pass of older SGF: a point outside of a Go board.
            tt if tt.eq_ignore_ascii_case("tt") && self.style == Format::GoGui && board.diameter() <= 19 => {
                Ok(Move::Pass)
            }
            word => Move::read(word, board, notation(self.style)).map_err(|error| value.place.error(error.to_string())),
        }
    }

    fn players(&self) -> [Option<String>; 2] {
        let name = |name| property(&self.tree[0], name).map(|p| one_line(&p.text())).filter(|text| !text.is_empty());
        match self.style {
            Format::Hgf => [name("PB"), name("PW")],
            _ => [name("PW"), name("PB")],
        }
    }

    fn stated(&self) -> Option<GameResult> {
        let stated = result(&property(&self.tree[0], "RE")?.text())?;
        match self.style {
            Format::Hgf => Some(GameResult { winner: stated.winner.map(|color| !color), ..stated }),
            _ => Some(stated),
        }
    }
}

/// The rank or the team of a player with the label of the other one. Other properties stay as they are.
fn of_other_label(property: Property) -> Property {
    let name = match &*property.name {
        "WR" => "BR",
        "BR" => "WR",
        "WT" => "BT",
        "BT" => "WT",
        _ => return property,
    };
    Property { name: name.to_owned(), ..property }
}

fn color(label: &str) -> Color {
    if label == "W" { Color::White } else { Color::Black }
}

fn label(color: Color) -> char {
    if color == Color::White { 'W' } else { 'B' }
}

/// The meaning of a value of `RE`, or `None` if it states no result.
fn result(text: &str) -> Option<GameResult> {
    let text = text.trim().to_ascii_lowercase();
    let (winner, how) = text.split_once('+').unwrap_or((&text, ""));
    let winner = match winner.trim() {
        "w" | "white" => Some(Color::White),
        "b" | "black" => Some(Color::Black),
        "0" | "draw" | "jigo" => None,
        _ => return None,
    };
    let how = match how.trim() {
        "r" | "resign" | "res" => How::Resignation,
        "t" | "time" => How::Time,
        "f" | "forfeit" => How::Forfeit,
        _ => How::Board,
    };
    Some(GameResult { winner, how })
}

/// How a style names vertices.
fn notation(style: Format) -> Notation {
    match style {
        Format::GoGui => Notation::TwoLetters,
        Format::Hgf => Notation::LittleGolem,
        _ => Notation::HavannahGui,
    }
}

fn vertex(style: Format, board: &'static Geometry, text: &str) -> Result<Vertex, ParseVertexError> {
    notation(style).parse(board, text.trim())
}

/// Renames the vertices of a property. Its values are vertices, pairs of vertices, or a vertex and a text. Values with
/// a vertex that has no name are left out.
fn renamed(property: &Property, name: impl Fn(&str) -> Option<String>) -> Property {
    let values = property.values.iter().filter_map(|value| {
        let rename = |(i, part): (usize, &str)| match property.name.as_str() {
            "LB" if i > 0 => Some(part.to_owned()),
            _ => name(part),
        };
        let parts: Option<Vec<String>> = value.raw.splitn(2, ':').enumerate().map(rename).collect();
        Some(PropertyValue { raw: parts?.join(":"), place: value.place })
    });
    Property { name: property.name.clone(), values: values.collect() }
}

/// Gives a move of the root a node of its own, behind all others, so that the root is the position before the first
/// move.
pub(super) fn begin_without_move(nodes: &mut Vec<Node>) {
    if let Some(play) = nodes[0].play.take() {
        let children = std::mem::take(&mut nodes[0].children);
        let place = nodes[0].place;
        nodes[0].children = vec![nodes.len()];
        nodes.push(Node { play: Some(play), children, place, ..Node::default() });
    }
}

/// Plays all lines of a tree to check that they are legal, and replaces stones on the first stone by swaps. Stones that
/// are set up in one node have no order, so one that completes a structure comes last. An error names a node, and the
/// vertex by its name in this notation.
pub(super) fn check(board: &'static Geometry, nodes: &mut [Node], names: Notation) -> Result<(), InvalidRecord> {
    let mut open = vec![(0, Rc::new(Game::new(board)))];
    while let Some((id, mut game)) = open.pop() {
        let node = &mut nodes[id];
        completing_last(game.position(), &mut node.stones);
        let illegal = |what: String, reason| InvalidRecord::new(id, format!("illegal move {what}: {reason}"));
        for &(color, v) in &node.stones {
            let name = || names.name(board, v);
            // A stone that is set up on the first stone is not a swap.
            Rc::make_mut(&mut game).place(color, v).map_err(|error| illegal(name(), error.to_string()))?;
        }
        if let Some((color, m)) = node.play {
            let word = || m.show(board, names);
            let meaning = play_shared(&mut game, color, m).map_err(|reason| illegal(word(), reason))?;
            node.play = Some((color, meaning));
        }
        open.extend(node.children.iter().rev().map(|&child| (child, Rc::clone(&game))));
    }
    Ok(())
}

/// Plays a move on a game that variations may share. The game is copied only for moves that change it, so the number of
/// copies is bounded by the number of stones, however deep the tree.
fn play_shared(game: &mut Rc<Game>, color: Color, m: Move) -> Result<Move, String> {
    match m {
        Move::Pass | Move::Resign => check_idle(game, m).map(|()| m),
        Move::Place(_) | Move::Swap => play(Rc::make_mut(game), color, m),
    }
}

/// Turns a resignation at the end of the main line into the result: the first one, if several follow each other. Nodes
/// with comments alone may follow.
pub(super) fn end_by_resignation(record: &mut Record) {
    let mut line: Vec<NodeId> = record.main_line().collect();
    let nodes = &mut record.nodes;
    while let Some(last) = line.pop() {
        match nodes[last].play {
            None if nodes[last].stones.is_empty() => continue,
            Some((loser, Move::Resign)) => {
                record.stated = Some(GameResult { winner: Some(!loser), how: How::Resignation });
            }
            _ => return,
        }
        nodes[last].play = None;
        let has_more = !nodes[last].properties.is_empty() || !nodes[last].children.is_empty();
        if let Some(&parent) = line.last()
            && !has_more
            && nodes[parent].children.len() == 1
        {
            // The node stays in the vector, although nothing refers to it, so that no other index changes.
            nodes[parent].children.clear();
        }
    }
}

/// The value of a move, or `None` if the style has none for it.
fn word(board: &Geometry, style: Format, m: Move) -> Option<String> {
    let word = m.show(board, notation(style));
    match (m, style) {
        (Move::Place(_), Format::Hgf) => Some(word.to_ascii_uppercase()),
        (Move::Pass, _) | (Move::Swap | Move::Resign, Format::GoGui) => None,
        _ => Some(word),
    }
}

/// Formats a game as SGF.
pub(super) fn write(record: &Record, style: Format) -> String {
    let parents = if style == Format::GoGui { parents(record) } else { Vec::new() };
    Writer { record, style, parents, text: String::new(), line: 0 }.write()
}

/// The parent of each node; 0 for the root.
fn parents(record: &Record) -> Vec<NodeId> {
    let mut parents = vec![0; record.nodes.len()];
    for (id, node) in record.nodes.iter().enumerate() {
        node.children.iter().for_each(|&child| parents[child] = id);
    }
    parents
}

struct Writer<'a> {
    record: &'a Record,
    style: Format,
    /// The parent of each node, for GoGui's style only.
    parents: Vec<NodeId>,
    text: String,
    /// The beginning of the current line, in bytes.
    line: usize,
}

/// Something that remains to be written.
enum Task {
    Open(NodeId),
    Node(NodeId),
    Close,
}

impl Writer<'_> {
    fn write(mut self) -> String {
        let mut tasks = vec![Task::Close, Task::Node(0)];
        self.text.push('(');
        while let Some(task) = tasks.pop() {
            match task {
                Task::Close => self.text.push(')'),
                Task::Open(id) => {
                    self.break_line();
                    self.text.push('(');
                    tasks.extend([Task::Close, Task::Node(id)]);
                }
                Task::Node(id) => {
                    self.node(id);
                    match self.record.nodes[id].children.as_slice() {
                        [] => self.resignation(id),
                        &[child] => tasks.push(Task::Node(child)),
                        children => tasks.extend(children.iter().rev().map(|&child| Task::Open(child))),
                    }
                }
            }
        }
        self.text.push('\n');
        self.text
    }

    fn break_line(&mut self) {
        if self.style != Format::Hgf && self.text.len() > self.line {
            self.text.push('\n');
            self.line = self.text.len();
        }
    }

    fn node(&mut self, id: NodeId) {
        let node = &self.record.nodes[id];
        if self.text.len() - self.line > LINE_LENGTH {
            self.break_line();
        }
        self.text.push(';');
        if id == 0 {
            self.root();
        }
        for stones in node.stones.chunk_by(|a, b| a.0 == b.0) {
            let word = |v| word(self.record.board, self.style, Move::Place(v)).unwrap_or_default();
            let values: String = stones.iter().map(|&(_, v)| format!("[{}]", word(v))).collect();
            self.text += &format!("A{}{values}", label(stones[0].0));
        }
        if let Some((color, value)) = node.play.and_then(|(color, m)| Some((color, self.word(id, m)?))) {
            self.text += &format!("{}[{value}]", label(color));
        }
        let length = self.text.len();
        if id > 0 {
            node.properties.iter().for_each(|property| self.property(property));
        }
        if id == 0 || self.text.len() > length {
            self.break_line();
        }
    }

    /// The value of a node's move. In GoGui's style, a swap is a stone on top of the first stone.
    fn word(&self, id: NodeId, m: Move) -> Option<String> {
        let m = match (m, self.style) {
            (Move::Swap, Format::GoGui) => self.first_stone(id)?,
            _ => m,
        };
        word(self.record.board, self.style, m)
    }

    /// The last stone before the move of a node, which for a swap is the first stone. It may have been set up in the
    /// same node.
    fn first_stone(&self, id: NodeId) -> Option<Move> {
        if let Some(&(_, v)) = self.record.nodes[id].stones.last() {
            return Some(Move::Place(v));
        }
        let parent = |&id: &NodeId| (id > 0).then(|| self.parents[id]);
        let mut before = std::iter::successors(parent(&id), parent);
        before.find_map(|id| {
            let moves = self.record.nodes[id].actions().map(|(_, m)| m);
            moves.filter(|m| matches!(m, Move::Place(_))).last()
        })
    }

    fn property(&mut self, property: &Property) {
        let board = self.record.board;
        let style = self.style;
        let rename = |text: &str| match Notation::HavannahGui.parse(board, text) {
            Ok(v) => word(board, style, Move::Place(v)),
            // What is not a vertex here must not become one in another notation.
            Err(_) => vertex(style, board, text).is_err().then(|| text.to_owned()),
        };
        let property = if POINTS.contains(&&property.name[..]) { &renamed(property, rename) } else { property };
        if property.values.is_empty() {
            return;
        }
        self.text += &property.name;
        for value in &property.values {
            self.text += &format!("[{}]", value.raw);
        }
    }

    fn root(&mut self) {
        let mut properties = self.head();
        let others = self.record.nodes[0].properties.iter().cloned();
        if self.style != Format::Hgf {
            properties.extend(others);
        } else {
            // Little Golem's rules are the sign of its style.
            properties.extend(others.filter(|property| property.name != "RU").map(of_other_label));
            let rank = |property: &Property| LITTLE_GOLEM_ORDER.iter().position(|&name| name == property.name);
            properties.sort_by_key(|property| rank(property).unwrap_or(usize::MAX));
        }
        properties.iter().for_each(|property| self.property(property));
    }

    /// The properties that every game begins with.
    fn head(&self) -> Vec<Property> {
        let record = self.record;
        let exchanged = self.style == Format::Hgf;
        let size = if self.style == Format::GoGui { record.board.diameter() } else { record.board.side() };
        let mut properties = vec![Property::new("FF", "4")];
        if !exchanged {
            properties.push(Property::new("CA", "UTF-8"));
            properties.push(Property::new("AP", self.application()));
        }
        properties.push(Property::new("SZ", &size.to_string()));
        let players = [&record.players[exchanged as usize], &record.players[!exchanged as usize]];
        let named = ["PW", "PB"].into_iter().zip(players).filter_map(|(label, name)| Some((label, name.as_deref()?)));
        properties.extend(named.map(|(label, name)| Property::new(label, name)));
        if let Some(result) = record.result() {
            properties.push(Property::new("RE", &self.result(result)));
        }
        if exchanged {
            properties.push(Property::new("RU", "LG"));
            if syntax::find(&record.nodes[0].properties, "SO").is_none() {
                properties.push(Property::new("SO", "http://www.littlegolem.com"));
            }
        }
        properties
    }

    /// The value of `AP`. It names GoGui's style, which a record without moves would not reveal otherwise.
    fn application(&self) -> &'static str {
        match self.style {
            Format::GoGui => concat!("Malecon:", env!("CARGO_PKG_VERSION"), " for GoGui"),
            _ => concat!("Malecon:", env!("CARGO_PKG_VERSION")),
        }
    }

    fn result(&self, result: GameResult) -> String {
        match (self.style, result.winner, result.how) {
            (Format::Hgf, Some(winner), How::Board | How::Resignation) => label(!winner).to_string(),
            (Format::Hgf, winner, how) => GameResult { winner: winner.map(|winner| !winner), how }.to_string(),
            _ => result.to_string(),
        }
    }

    /// Writes a resignation as the last move, as Little Golem does.
    fn resignation(&mut self, last: NodeId) {
        let resignation =
            self.record.stated.filter(|stated| stated.how == How::Resignation).and_then(|stated| stated.winner);
        if self.style == Format::Hgf
            && let Some(winner) = resignation
            && self.record.main_line().last() == Some(last)
            && !matches!(self.record.node(last).play, Some((_, Move::Resign)))
        {
            self.text += &format!(";{}[resign]", label(!winner));
        }
    }
}
