//! The answer to the action `board`: where the vertices of a board lie.

use super::answer::{BoardAnswer, LabelAnswer, VertexAnswer, rounded};
use crate::board::{Geometry, Notation, Vertex};

/// The distance of two rows.
const ROW: f64 = 0.866_025_403_784_438_6;

/// Describes a board. Rows are horizontal; row 1 is at the bottom.
pub(super) fn describe(id: &str, board: &'static Geometry) -> BoardAnswer {
    let vertices = board.vertices().map(|v| vertex(board, v)).collect();
    BoardAnswer { id: id.to_owned(), side: board.side(), vertices, labels: labels(board) }
}

fn vertex(board: &'static Geometry, v: Vertex) -> VertexAnswer {
    let (letter, number) = board.coordinates(v);
    let (x, y) = place(board, letter as i32, number as i32);
    let rim = board.rim(v);
    VertexAnswer {
        name: Notation::HavannahGui.name(board, v),
        x,
        y,
        corner: bits(rim & 0x3f).next(),
        side: bits(rim >> 6).next(),
        neighbours: board.neighbours(v).iter().map(|w| w.index()).collect(),
    }
}

/// The numbers of the corners or sides in a mask of [`Geometry::rim`].
pub(super) fn bits(mask: u16) -> impl Iterator<Item = usize> {
    (0..6).filter(move |i| mask >> i & 1 == 1)
}

/// The place of a vertex with these letter and number indices, which need not be on the board.
fn place(board: &Geometry, letter: i32, number: i32) -> (f64, f64) {
    let middle = board.side() as i32 - 1;
    let (right, up) = (f64::from(letter - middle), f64::from(number - middle));
    (rounded(right - up / 2.0), rounded(-up * ROW))
}

/// The names beside the board: each number to the left of its row, each letter below the lower end of its line.
fn labels(board: &'static Geometry) -> Vec<LabelAnswer> {
    let last = board.diameter();
    let names = |index: usize, is_letter: bool| {
        let on_line = move |v: &Vertex| {
            let (letter, number) = board.coordinates(*v);
            index == if is_letter { letter } else { number }
        };
        // The first vertex of a line is its lowest, the first of a row its leftmost.
        let first = board.vertices().find(on_line).expect("every line has a vertex");
        let name = Notation::HavannahGui.name(board, first);
        let (letter, number) = board.coordinates(first);
        let (letter, number) = (letter as i32, number as i32);
        let (text, (x, y)) = match is_letter {
            true => (&name[..1], place(board, letter, number - 1)),
            false => (&name[1..], place(board, letter - 1, number)),
        };
        LabelAnswer { text: text.to_owned(), x, y }
    };
    (0..last).map(|i| names(i, true)).chain((0..last).map(|i| names(i, false))).collect()
}
