//! The facts that reasons state, and their sentences.

use crate::game::{Color, Notation, Structures, Vertex};

use super::Reason;

/// What a move does. The *player* makes the move; each fact says what was checked.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fact {
    /// It completes these structures.
    Wins(Structures),
    /// The opponent could complete these structures there, and nothing anywhere else.
    Stops(Structures),
    /// The opponent could complete a structure there and on these vertices.
    StopsOneOf(Vec<Vertex>),
    /// Afterwards the player can complete a structure on each of these vertices, and the opponent on none.
    DoubleThreat([Vertex; 2]),
    /// It begins the line of the reason: each threat has a single answer, and the last one is a double threat.
    Sequence,
    /// If the player passed, the opponent's move would be a double threat at these vertices. After the move the
    /// opponent has neither a double threat nor a winning sequence that is found.
    StopsDoubleThreat(Vertex, [Vertex; 2]),
    /// If the player passed, the opponent's move would begin a winning sequence. After the move none is found.
    StopsSequence(Vertex),
}

impl Fact {
    /// Whether the move is proven to win.
    pub fn is_win(&self) -> bool {
        matches!(self, Fact::Wins(_) | Fact::DoubleThreat(_) | Fact::Sequence)
    }
}

/// The sentence of a reason.
pub(super) fn say(reason: &Reason, notation: Notation) -> String {
    let name = |v: Vertex| notation.name(reason.board, v);
    let (it, own, other) = (name(reason.vertex), reason.color, !reason.color);
    let (own, other) = (capitalized(own), capitalized(other));
    let sentence = match &reason.fact {
        Fact::Wins(structures) => format!("{it} completes {} and wins", a(*structures)),
        Fact::Stops(structures) => format!("{it} stops {other}, who could complete {} there", a(*structures)),
        Fact::StopsOneOf(others) => {
            format!("{other} can win at {it} and at {}: no move stops both", name(others[0]))
        }
        Fact::DoubleThreat([a, b]) => {
            format!("{it} threatens to win at {} and at {}: {other} can stop only one", name(*a), name(*b))
        }
        Fact::Sequence => format!("{it} wins by threats: {other} has one answer to each, and none to the last"),
        Fact::StopsDoubleThreat(by, [a, b]) => {
            format!(
                "{it} prevents {other}'s {}, which would threaten to win at {} and at {}",
                name(*by),
                name(*a),
                name(*b)
            )
        }
        Fact::StopsSequence(by) => {
            format!("{it} stops {other} from winning by a series of threats that begins with {}", name(*by))
        }
    };
    let _ = own;
    match reason.refuted {
        Some(played) => format!("After {}, {sentence}", name(played)),
        None => sentence,
    }
}

fn capitalized(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// `a bridge`, `a fork and a ring`.
fn a(structures: Structures) -> String {
    structures.names().map(|name| format!("a {name}")).collect::<Vec<_>>().join(" and ")
}
