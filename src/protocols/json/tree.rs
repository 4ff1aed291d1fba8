//! Recorded games in queries and answers: the actions `read_record` and `write_record`.

use serde_json::Value;

use crate::base::text::quoted;
use crate::game::record::{self, GameResult, Hints, How, Node, Property, Record, RecordError};
use crate::game::{Color, Geometry, Move, Notation, Vertex};

use super::answer::{ByVertex, RecordedGame, ResultAnswer, TreeNode};
use super::fields::{FieldError, Fields, shown};
use super::line::GameLine;

/// SGF properties that have a field of their own in queries, or that are written in any case.
const WITH_FIELDS: [&str; 13] = ["AB", "AE", "AP", "AW", "B", "C", "CA", "FF", "PB", "PW", "RE", "SZ", "W"];

/// The games of a file, and what is wrong with those that are not legal.
pub(super) fn read_games(content: &[u8], hints: Hints) -> Result<(Vec<RecordedGame>, Vec<RecordError>), RecordError> {
    let (mut games, mut errors) = (Vec::new(), Vec::new());
    for record in record::read_each(content, hints)? {
        match record {
            Ok(record) => games.push(game(&record)),
            Err(error) => errors.push(error),
        }
    }
    match errors.first() {
        Some(error) if games.is_empty() => Err(error.clone()),
        _ => Ok((games, errors)),
    }
}

fn names(board: &Geometry, stones: &[(Color, Vertex)], color: Color) -> Vec<String> {
    let of_color = stones.iter().filter(|(owner, _)| *owner == color);
    of_color.map(|&(_, v)| Notation::HavannahGui.name(board, v)).collect()
}

fn game(record: &Record) -> RecordedGame {
    let board = record.board();
    let root = record.node(0);
    let moves = main_line(record);
    let first = record.after(0).map_or(Color::White, |(game, _)| game.to_move());
    let result = record.result().map(|result| ResultAnswer {
        winner: result.winner.into(),
        by: record.by().map_or_else(Vec::new, |by| by.split('+').map(str::to_owned).collect()),
    });
    let [white_player, black_player] = record.players.clone();
    RecordedGame {
        side: board.side(),
        swap: record.has_pie_rule(),
        white_player,
        black_player,
        white: names(board, &root.stones, Color::White),
        black: names(board, &root.stones, Color::Black),
        first,
        moves: Move::show_in_turn(moves, first, board, Notation::HavannahGui),
        result,
        note: record.note.clone(),
        tree: (0..record.node_count()).map(|id| tree_node(board, record.node(id))).collect(),
    }
}

/// The moves of the main line, without passes after the end. Stones that are set up after the root count as moves.
fn main_line(record: &Record) -> Vec<(Color, Move)> {
    let mut moves = Vec::new();
    for id in record.main_line() {
        let node = record.node(id);
        if id > 0 {
            moves.extend(node.stones.iter().map(|&(color, v)| (color, Move::Place(v))));
        }
        moves.extend(node.play.filter(|(_, m)| *m != Move::Pass));
    }
    moves
}

fn tree_node(board: &Geometry, node: &Node) -> TreeNode {
    let others = node.properties.iter().filter(|property| property.name != "C");
    let values = |property: &Property| property.values.iter().map(|value| value.raw.clone()).collect();
    TreeNode {
        played: node.play.filter(|(_, m)| *m != Move::Pass).map(|(_, m)| m.show(board, Notation::HavannahGui)),
        color: node.play.map(|(color, _)| color),
        white: names(board, &node.stones, Color::White),
        black: names(board, &node.stones, Color::Black),
        comment: node.comment(),
        properties: ByVertex(others.map(|property| (property.name.clone(), values(property))).collect()),
        children: node.children().to_vec(),
    }
}

/// Reads the game of a `write_record` query.
pub(super) fn read(fields: &mut Fields) -> Result<Record, FieldError> {
    // The result of a swap is in the moves; that the pie rule was on is not recorded.
    fields.bool("swap")?;
    let says_first = fields.has("first");
    let line = GameLine::read(fields)?;
    let mut record = read_record(fields, &line)?;
    let root = record.node(0);
    let (start, _) = record.after(0).expect("a record has a beginning");
    if says_first && !root.stones.is_empty() && root.play.is_none() && start.to_move() != line.first {
        let turn = if line.first == Color::White { "W" } else { "B" };
        record.node_mut(0).properties.push(Property::new("PL", turn));
    }
    Ok(record)
}

/// Reads the rest of a game that has these stones and moves, or a tree in place of them.
pub(super) fn read_record(fields: &mut Fields, line: &GameLine) -> Result<Record, FieldError> {
    let mut record = match fields.value("tree") {
        None => main_line_only(line)?,
        Some(_) if !line.stones.is_empty() || !line.moves.is_empty() => {
            return Err(FieldError::new("tree", "stones and moves are already given outside of the tree"));
        }
        Some(tree) => record_of(line.board, read_tree(line.board, tree, line.first)?)?,
    };
    record.players = [fields.string("white_player")?, fields.string("black_player")?];
    record.stated = read_result(fields)?.or(record.stated);
    Ok(record)
}

fn record_of(board: &'static Geometry, nodes: Vec<Node>) -> Result<Record, FieldError> {
    Record::from_nodes(board, nodes).map_err(|error| FieldError::with_index("tree", error.at, error.reason))
}

/// The record of a game without variations.
fn main_line_only(line: &GameLine) -> Result<Record, FieldError> {
    let moves = &line.moves;
    let node = |id: usize| Node::followed_by(if id < moves.len() { vec![id + 1] } else { Vec::new() });
    let mut nodes: Vec<Node> = (0..=moves.len()).map(node).collect();
    nodes[0].stones = line.stones.clone();
    if let Some(swap) = line.swap {
        let mut start = line.game(0).board().clone();
        start.allow_swap(swap);
        nodes[0].properties = Record::from_position(&start).node(0).properties.clone();
    }
    for (node, &play) in nodes[1..].iter_mut().zip(moves) {
        node.play = Some(play);
    }
    record_of(line.board, nodes)
}

/// Reads the result of a game that did not end on the board, if there is one.
fn read_result(fields: &mut Fields) -> Result<Option<GameResult>, FieldError> {
    let Some(value) = fields.value("result") else { return Ok(None) };
    let result: ResultAnswer = serde_json::from_value(value).map_err(|error| {
        let error = quoted(&error.to_string());
        FieldError::new("result", format!("expected a winner (white, black or draw) and a list by: {error}"))
    })?;
    let how = match result.by.first().map(String::as_str) {
        None | Some("bridge" | "fork" | "ring" | "full board") => How::Board,
        Some("resign") => How::Resignation,
        Some("time") => How::Time,
        Some("forfeit") => How::Forfeit,
        Some(other) => {
            let expected = "bridge, fork, ring, full board, resign, time or forfeit";
            return Err(FieldError::new("result", format!("expected by to be {expected}, got '{}'", quoted(other))));
        }
    };
    Ok(Some(GameResult { winner: result.winner.color(), how }))
}

/// Reads the nodes of a tree. Colours that are not given alternate, beginning with `first`.
fn read_tree(board: &'static Geometry, tree: Value, first: Color) -> Result<Vec<Node>, FieldError> {
    let Value::Array(list) = tree else {
        return Err(FieldError::new("tree", format!("expected a list, got {}", shown(&tree))));
    };
    let count = list.len();
    let mut unread = Vec::with_capacity(count);
    for (id, value) in list.into_iter().enumerate() {
        let error = |reason: String| FieldError::with_index("tree", id, reason);
        let Value::Object(object) = value else {
            return Err(error(format!("expected an object, got {}", shown(&value))));
        };
        let mut fields = Fields::new(object);
        let children = fields.list("children", "the index of a node", |value| usize::try_from(value.as_u64()?).ok());
        let children = children.map_err(|e| error(e.message))?;
        if let Some(child) = children.iter().find(|&&child| child >= count) {
            return Err(error(format!("children: there is no node {child}")));
        }
        unread.push(Some((fields, children)));
    }
    // From the root on, because the turn before a node depends on the nodes above. A node may stand before its parent,
    // and nodes that nothing leads to are left out.
    let mut nodes = vec![Node::default(); count];
    let mut waiting = if count > 0 { vec![(0, first)] } else { Vec::new() };
    while let Some((id, turn)) = waiting.pop() {
        let Some((mut fields, children)) = unread[id].take() else { continue };
        let node = read_node(board, &mut fields, children, turn);
        nodes[id] = node.map_err(|e| FieldError::with_index("tree", id, e.message))?;
        let next = nodes[id].play.map_or(turn, |(color, _)| !color);
        waiting.extend(nodes[id].children().iter().rev().map(|&child| (child, next)));
    }
    Ok(nodes)
}

fn read_node(
    board: &'static Geometry,
    fields: &mut Fields,
    children: Vec<usize>,
    turn: Color,
) -> Result<Node, FieldError> {
    let mut node = Node::followed_by(children);
    for color in Color::ALL {
        let vertices = fields.vertices(&color.to_string(), board)?;
        node.stones.extend(vertices.into_iter().map(|v| (color, v)));
    }
    let turn = fields.color("color")?.unwrap_or(turn);
    if let Some(word) = fields.string("move")? {
        let play = Move::read_in_turn(&word, turn, board, Notation::HavannahGui);
        node.play = Some(play.map_err(|error| FieldError::new("move", error))?);
    }
    for (name, values) in fields.object("properties")? {
        node.properties.push(read_property(&name, values)?);
    }
    if let Some(comment) = fields.string("comment")? {
        node.add_comment(&comment);
    }
    Ok(node)
}

/// Reads a property. Its values come as SGF writes them, so they can be checked by reading them as SGF.
fn read_property(name: &str, values: Value) -> Result<Property, FieldError> {
    let error = |reason: String| FieldError::new("properties", format!("{}: {reason}", quoted(name)));
    if WITH_FIELDS.contains(&name) {
        return Err(error("has a field of its own".into()));
    }
    let mut list = Fields::new([("values".to_owned(), values)].into_iter().collect());
    let values = list.strings("values").map_err(|e| error(e.message))?;
    Property::from_raw(name, values).map_err(|reason| error(reason.to_owned()))
}
