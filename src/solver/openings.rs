//! Openings of side 4 that are solved: two stones, white to move.
//!
//! For each of the 123 openings up to symmetry, `openings.txt` has White's winning move, found by
//! [`Solver`](super::Solver): White wins all of them. `docs/solving.md` shows how to find the moves again and to write proofs
//! of them.

use std::sync::LazyLock;

use super::Solution;
use crate::board::{Color, Geometry, Notation, Position, Vertex};

/// The side length of the board.
const SIDE: usize = 4;

/// The table: white's stone, black's stone, and a move that wins for white, one opening of each class under symmetry.
const LINES: &str = include_str!("openings.txt");

/// White's winning move by the indices of white's and black's stone, for all images of the openings.
static WINS: LazyLock<Vec<Vec<Option<Vertex>>>> = LazyLock::new(|| {
    let geometry = Geometry::of(SIDE).expect("side 4 is a board");
    let mut wins = vec![vec![None; geometry.vertex_count()]; geometry.vertex_count()];
    for [white, black, win] in lines(geometry) {
        for image in geometry.symmetries() {
            let [white, black, win] = [white, black, win].map(|v| image[v.index()]);
            wins[white.index()][black.index()] = Some(win);
        }
    }
    wins
});

/// The openings of the table and their winning moves.
fn lines(geometry: &'static Geometry) -> impl Iterator<Item = [Vertex; 3]> {
    let lines = LINES.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let parse = |name| Notation::HavannahGui.parse(geometry, name).expect("a vertex of side 4");
        let vertices: Vec<Vertex> = line.split(' ').map(parse).collect();
        vertices.try_into().expect("three vertices in a line")
    })
}

/// The value of a position with `color` to move, if it is a solved opening: on side 4, one white and one black stone with
/// white to move. `None` for all other positions.
pub fn solved_opening(position: &Position, color: Color) -> Option<Solution> {
    let geometry = position.geometry();
    if geometry.shape().regular_side() != Some(SIDE)
        || color != Color::White
        || geometry.vertex_count() - position.empty_vertices().count() != 2
    {
        return None;
    }
    let stone_of = |color| geometry.vertices().find(|&v| position.stone(v) == Some(color));
    let [white, black] = [stone_of(Color::White)?, stone_of(Color::Black)?];
    WINS[white.index()][black.index()].map(Solution::Win)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Solver;
    use std::collections::HashSet;

    fn geometry() -> &'static Geometry {
        Geometry::of(SIDE).unwrap()
    }

    fn position(white: Vertex, black: Vertex) -> Position {
        let mut position = Position::new(geometry());
        position.place(Color::White, white);
        position.place(Color::Black, black);
        position
    }

    /// Each class of openings has one line, and the winning move is an empty vertex in all images.
    #[test]
    fn the_table_has_each_opening_once() {
        let mut seen = HashSet::new();
        for [white, black, _] in lines(geometry()) {
            let images = geometry().symmetries().iter().map(|image| (image[white.index()], image[black.index()]));
            assert!(images.clone().all(|pair| !seen.contains(&pair)), "{white:?} {black:?}");
            seen.extend(images);
        }
        for &(white, black) in &seen {
            let Some(Solution::Win(win)) = solved_opening(&position(white, black), Color::White) else { panic!() };
            assert!(win != white && win != black);
        }
        assert_eq!(lines(geometry()).count(), 123);
    }

    #[test]
    fn other_positions_are_not_in_the_table() {
        let [a, b, c] = [0, 1, 2].map(|i| geometry().vertex(i).unwrap());
        let opening = position(a, b);
        assert_eq!(solved_opening(&opening, Color::Black), None);
        let mut more = opening.clone();
        more.place(Color::White, c);
        assert_eq!(solved_opening(&more, Color::White), None);
        assert_eq!(solved_opening(&Position::new(geometry()), Color::White), None);
        let mut two_white = Position::new(geometry());
        two_white.place(Color::White, a);
        two_white.place(Color::White, b);
        assert_eq!(solved_opening(&two_white, Color::White), None);
        assert_eq!(solved_opening(&Position::new(Geometry::of(5).unwrap()), Color::White), None);
    }

    /// By hand: `cargo test --release --lib solver::openings -- --ignored`. The hardest openings take minutes each.
    #[test]
    #[ignore = "takes long"]
    fn the_moves_of_the_table_win() {
        let mut solver = Solver::new(geometry(), 1 << 30).unwrap();
        for [white, black, win] in lines(geometry()) {
            let mut position = position(white, black);
            position.place(Color::White, win);
            solver.clear();
            let solution = solver.solve(&position, Color::Black, u64::MAX);
            assert_eq!(solution, Some(Solution::Loss), "{white:?} {black:?} {win:?}");
        }
    }
}
