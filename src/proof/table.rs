//! Tables of winning moves: the part of a proof that is enough for a player who can solve the rest.
//!
//! A table has White's moves in the roots that White wins, and in the later positions that are hard to solve. A player
//! who follows it reaches positions that are easy. Only boards whose keys are one word have tables.
//!
//! The entries are sorted by key. Each consists of the difference from the previous key, in groups of seven bits, the
//! lowest first, with the top bit set in all bytes but the last; and of the index of the vertex, in the image of the
//! position that has the key.

use std::collections::HashSet;

use crate::game::{Color, Position};

use super::Root;
use super::book::{Book, Entry};
use super::keys::{BuildKeyHasher, Images, Key, Keys};
use super::replies::{Replies, completing, first_two};

/// The table of the roots that White wins. The book must have all positions of their proof. A root with White to move
/// is always kept. A position after moves that are kept is kept, too, if it `is_hard` for the player to move.
pub(super) fn write(
    keys: &Keys<1>,
    book: &Book<1>,
    roots: &[Root],
    is_hard: &mut dyn FnMut(&Position, Color) -> bool,
) -> Vec<u8> {
    let mut cutter = Cutter { keys, book, is_hard, met: HashSet::default(), kept: Vec::new() };
    for root in roots.iter().filter(|root| root.winner == Color::White) {
        let images = keys.images(&root.position);
        match root.to_move {
            _ if completing(&root.position, root.to_move).next().is_some() => {}
            Color::White => cutter.white_to_move(&root.position, &images, true),
            Color::Black => cutter.black_to_move(&root.position, &images),
        }
    }
    cutter.kept.sort_unstable();
    let mut bytes = Vec::new();
    let mut last = 0;
    for (key, entry) in cutter.kept {
        let mut difference = key - last;
        while difference >= 0x80 {
            bytes.push(difference as u8 | 0x80);
            difference >>= 7;
        }
        bytes.extend([difference as u8, entry.index()]);
        last = key;
    }
    bytes
}

/// The moves of a table. `None` if it is cut off.
pub(super) fn read(bytes: &[u8]) -> Option<Book<1>> {
    let mut book = Book::default();
    let mut bytes = bytes.iter().copied();
    let mut key = 0;
    while bytes.len() > 0 {
        let mut shift = 0;
        loop {
            let byte = bytes.next()?;
            key += u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        book.insert(Color::White, [key], Entry::from_index(bytes.next()?));
    }
    Some(book)
}

/// A walk through a proof that decides which positions to keep.
struct Cutter<'a> {
    keys: &'a Keys<1>,
    book: &'a Book<1>,
    is_hard: &'a mut dyn FnMut(&Position, Color) -> bool,
    /// The positions met so far.
    met: HashSet<Key<1>, BuildKeyHasher>,
    kept: Vec<(u64, Entry)>,
}

impl Cutter<'_> {
    fn white_to_move(&mut self, position: &Position, images: &Images<1>, is_root: bool) {
        let key = images.key().0;
        if !self.met.insert(key) {
            return;
        }
        let entry = self.book.get(Color::White, &key).expect("the book has all positions of the proof");
        let v = self.book.answer(self.keys, images, Color::White).expect("the entry has a move");
        // A player who must prevent a structure needs no table.
        if completing(position, Color::Black).next().is_none() {
            if !is_root && !(self.is_hard)(position, Color::White) {
                return;
            }
            self.kept.push((key[0], entry));
        }
        let mut after = position.clone();
        after.place(Color::White, v);
        self.black_to_move(&after, &self.keys.with(images, Color::White, v));
    }

    fn black_to_move(&mut self, position: &Position, images: &Images<1>) {
        let replies = match first_two(completing(position, Color::White)) {
            [_, Some(_)] => return,
            [only, None] => Replies(only),
        };
        for v in position.empty_vertices().filter(|&v| replies.include(v)) {
            let mut after = position.clone();
            after.place(Color::Black, v);
            self.white_to_move(&after, &self.keys.with(images, Color::Black, v), false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::solver::{Solution, Solver, Sources, positions_after, prove};
    use crate::game::{Game, Geometry, Vertex};
    use crate::proof::{self, Known, WinningMoves};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// The board that has a built-in table.
    const SIDE: usize = 4;

    fn after(geometry: &'static Geometry, moves: &[Vertex]) -> Position {
        let mut position = Position::new(geometry);
        for (i, &v) in moves.iter().enumerate() {
            position.place(Color::ALL[i % 2], v);
        }
        position
    }

    #[test]
    fn only_side_4_has_a_table() {
        for board in ["3", "5", "4-4-5"] {
            assert!(WinningMoves::builtin(Geometry::with_shape(board.parse().unwrap())).is_none());
        }
    }

    #[test]
    fn all_openings_of_two_stones_have_a_move_in_all_images() {
        let geometry = Geometry::with_side(SIDE).unwrap();
        let table = WinningMoves::builtin(geometry).unwrap();
        let openings = positions_after(geometry, 2);
        assert_eq!(openings.len(), 123);
        for moves in openings {
            for image in geometry.symmetries() {
                let moves: Vec<_> = moves.iter().map(|v| image[v.index()]).collect();
                let position = after(geometry, &moves);
                assert!(table.get(&position, Color::White).is_some_and(|v| position.is_empty(v)));
                // With a stone each, whoever is to move wins.
                assert!(table.get(&position, Color::Black).is_some_and(|v| position.is_empty(v)));
            }
        }
    }

    /// After fewer than two stones, the result follows from the openings; so it does after each move of the table.
    #[test]
    fn what_the_moves_of_the_table_lead_to_is_known() {
        let geometry = Geometry::with_side(SIDE).unwrap();
        let table = WinningMoves::builtin(geometry).unwrap();
        for v in geometry.vertices() {
            assert_eq!(table.known(&after(geometry, &[v]), Color::Black), Some(Known::Loss));
        }
        for moves in positions_after(geometry, 2) {
            let mut position = after(geometry, &moves);
            let Some(Known::Win(win)) = table.known(&position, Color::White) else { panic!("{moves:?} is not won") };
            assert!(matches!(table.known(&position, Color::Black), Some(Known::Win(_))));
            position.place(Color::White, win);
            assert_eq!(table.known(&position, Color::Black), Some(Known::Loss));
            assert_eq!(table.known(&position, Color::White), None);
            let reply = table.resistance(&position, Color::Black);
            if let Some(reply) = reply {
                position.place(Color::Black, reply);
                assert!(table.get(&position, Color::White).is_some());
            }
        }
    }

    /// Plays from all openings against random replies until the table has no move. From there, the solver soon finds
    /// that White wins.
    #[test]
    fn what_is_not_in_the_table_is_easy() {
        let geometry = Geometry::with_side(SIDE).unwrap();
        let table = WinningMoves::builtin(geometry).unwrap();
        let mut solver = Solver::new(geometry, 16 << 20).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        for moves in positions_after(geometry, 2) {
            let mut position = after(geometry, &moves);
            while let Some(win) = table.get(&position, Color::White) {
                position.place(Color::White, win);
                let replies: Vec<_> = position.empty_vertices().collect();
                let reply = replies[rng.random_range(0..replies.len())];
                assert!(position.place(Color::Black, reply).is_empty());
            }
            let solution = solver.solve(&position, Color::White, 300_000);
            assert!(matches!(solution, Some(Solution::Win(_))), "{moves:?}: {solution:?}");
        }
    }

    /// A table with all positions of a proof wins against every reply; one with the roots alone has only the first
    /// move.
    #[test]
    fn tables_are_made_from_proofs() {
        let game = Game::new(Geometry::with_side(3).unwrap());
        let geometry = game.geometry();
        let empty = game.position();
        let root = Root::new(&game, Color::White).unwrap();
        let mut solver = Solver::new(geometry, 1 << 20).unwrap();
        let mut file = Vec::new();
        let sources = Sources::new(&mut solver);
        let written = prove(&mut file, &[root], sources, &mut |_| true).unwrap();
        let table_of = |is_hard: &mut dyn FnMut(&Position, Color) -> bool| {
            let table = proof::winning_table(&file[..], is_hard).unwrap();
            assert!(read(&table[..table.len() - 1]).is_none(), "a table that is cut off");
            (WinningMoves::from_book(geometry, read(&table).unwrap()), table.len())
        };
        let (all, length) = table_of(&mut |_, _| true);
        assert!(length as u64 >= 2 * written.summary.moves, "{length} bytes");
        let (first, _) = table_of(&mut |_, _| false);
        let win = all.get(empty, Color::White).unwrap();
        assert_eq!(first.get(empty, Color::White), Some(win));
        let (some, fewer) = table_of(&mut |position, color| {
            let mut solver = Solver::new(geometry, 1 << 20).unwrap();
            solver.solve(position, color, 20).is_none()
        });
        assert!(fewer < length / 2, "{fewer} of {length} bytes");
        let mut position = empty.clone();
        position.place(Color::White, win);
        assert!(wins_against_all(&all, &position));
        assert!(!wins_against_all(&some, &position) && !wins_against_all(&first, &position));
    }

    /// Whether White wins with the moves of a table, with Black to move.
    fn wins_against_all(table: &WinningMoves, position: &Position) -> bool {
        let empty = || position.empty_vertices();
        let mut replies = empty();
        replies.all(|reply| {
            let mut after = position.clone();
            if !after.place(Color::Black, reply).is_empty() {
                return false;
            }
            if completing(&after, Color::White).next().is_some() {
                return true;
            }
            let threat = completing(&after, Color::Black).next();
            let Some(v) = threat.or_else(|| table.get(&after, Color::White)) else { return false };
            after.place(Color::White, v);
            wins_against_all(table, &after)
        })
    }
}
