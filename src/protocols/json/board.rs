//! The answer to the action `board`: where the vertices of a board lie.

use crate::game::{Geometry, Notation, Vertex};

use super::answer::{BoardAnswer, LabelAnswer, VertexAnswer, rounded};

/// Describes a board. Rows are horizontal; row 1 is at the bottom.
pub(super) fn describe(id: &str, board: &'static Geometry) -> BoardAnswer {
    let vertices = board.vertices().map(|v| vertex(board, v)).collect();
    BoardAnswer { id: id.to_owned(), side: board.side(), vertices, labels: labels(board) }
}

fn vertex(board: &'static Geometry, v: Vertex) -> VertexAnswer {
    let (x, y) = board.center(v);
    let rim = board.rim(v);
    VertexAnswer {
        name: Notation::HavannahGui.name(board, v),
        x: rounded(x),
        y: rounded(y),
        corner: bits(rim & 0x3f).next(),
        side: bits(rim >> 6).next(),
        neighbours: board.neighbours(v).iter().map(|w| w.index()).collect(),
    }
}

/// The numbers of the corners or sides in a mask of [`Geometry::rim`].
pub(super) fn bits(mask: u16) -> impl Iterator<Item = usize> {
    (0..6).filter(move |i| mask >> i & 1 == 1)
}

/// The names beside the board: each letter below the lower end of its line, each number to the left of its row.
fn labels(board: &'static Geometry) -> Vec<LabelAnswer> {
    let label = |v: Vertex, text: &str, (right, down): (f64, f64)| {
        let (x, y) = board.center(v);
        LabelAnswer { text: text.to_owned(), x: rounded(x + right), y: rounded(y + down) }
    };
    let below = (0.5, 3f64.sqrt() / 2.0);
    let (mut letters, mut numbers) = (Vec::new(), Vec::new());
    for index in 0..board.diameter() {
        // The first vertex of a lettered line is its lowest, the first of a row its leftmost.
        let lowest = board.vertices().find(|&v| board.coordinates(v).0 == index).expect("every line has a vertex");
        let leftmost = board.vertices().find(|&v| board.coordinates(v).1 == index).expect("every row has a vertex");
        letters.push(label(lowest, &Notation::HavannahGui.name(board, lowest)[..1], below));
        numbers.push(label(leftmost, &Notation::HavannahGui.name(board, leftmost)[1..], (-1.0, 0.0)));
    }
    letters.into_iter().chain(numbers).collect()
}
