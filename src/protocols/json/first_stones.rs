//! The answer to the action `first_stones`: the table of first stones of a board.

use crate::engine::session::first_stones::{FirstStones, classes, first_stones, images};
use crate::game::{Geometry, Notation, Vertex};

use super::answer::{FirstStoneAnswer, FirstStonesAnswer, rounded};

/// The table of a board, with one entry for each class of stones that are images of each other.
pub(super) fn table(id: &str, board: &'static Geometry) -> FirstStonesAnswer {
    let mut stones: Vec<_> = first_stones(board)
        .map(|table| classes(board).into_iter().map(|v| entry(board, table, v)).collect())
        .unwrap_or_default();
    stones.sort_by(|a, b| b.value.total_cmp(&a.value));
    FirstStonesAnswer { id: id.to_owned(), side: board.side(), stones }
}

fn entry(board: &Geometry, table: &FirstStones, v: Vertex) -> FirstStoneAnswer {
    let score = table.score(v);
    FirstStoneAnswer {
        vertices: images(board, v).into_iter().map(|image| Notation::HavannahGui.name(board, image)).collect(),
        games: score.games,
        points: rounded(score.points),
        value: rounded(table.value(v)),
    }
}
