//! The winner's move in each position of a proof.

use std::collections::HashMap;

use crate::game::{Color, Position, Vertex};

use super::Root;
use super::keys::{BuildKeyHasher, Images, Key, Keys};
use super::replies::{Replies, completing, first_two};

/// What is known of a position with the winner to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    /// The index of the vertex of the winner's move, in the image that has the key.
    vertex: u8,
    /// The most stones that can be placed until the winner has a structure; 0 if unknown.
    pub height: u8,
}

impl Entry {
    /// An entry for the vertex with this index, in the image that has the key.
    pub fn from_index(vertex: u8) -> Entry {
        Entry { vertex, height: 0 }
    }

    /// The index of the vertex, in the image that has the key.
    pub fn index(self) -> u8 {
        self.vertex
    }

    /// An entry for a move, in the image that has the key.
    pub fn new(image: Vertex, height: u8) -> Entry {
        Entry { vertex: image.index() as u8, height }
    }
}

/// The winner's moves, for each winner.
#[derive(Default)]
pub(crate) struct Book<const N: usize> {
    entries: [HashMap<Key<N>, Entry, BuildKeyHasher>; 2],
}

impl<const N: usize> Book<N> {
    /// The entry of a position.
    #[inline]
    pub fn get(&self, winner: Color, key: &Key<N>) -> Option<Entry> {
        self.entries[winner.index()].get(key).copied()
    }

    /// Adds an entry.
    pub fn insert(&mut self, winner: Color, key: Key<N>, entry: Entry) {
        self.entries[winner.index()].insert(key, entry);
    }

    /// Adds all entries of another book for positions that this one lacks.
    pub fn extend(&mut self, other: Book<N>) {
        for (entries, others) in self.entries.iter_mut().zip(other.entries) {
            for (key, entry) in others {
                entries.entry(key).or_insert(entry);
            }
        }
    }

    /// The winner's move in a position.
    pub fn answer(&self, keys: &Keys<N>, images: &Images<N>, winner: Color) -> Option<Vertex> {
        let (key, symmetry) = images.key();
        let entry = self.get(winner, &key)?;
        Some(keys.preimage(symmetry, keys.vertex(entry.vertex)?))
    }

    /// The longest game from a root in which the winner follows the book. The book must have all positions of the
    /// root's proof.
    pub fn longest_game(&self, keys: &Keys<N>, root: &Root) -> Vec<Vertex> {
        let mut position = root.position.clone();
        let mut images = keys.images(&position);
        let winner = root.winner;
        let mut color = root.to_move;
        let mut moves = Vec::new();
        loop {
            let wins = first_two(completing(&position, winner));
            let v = match (color == winner, wins) {
                (true, [Some(v), _]) => {
                    moves.push(v);
                    return moves;
                }
                (true, _) => self.answer(keys, &images, winner),
                (false, [Some(v), Some(_)]) => Some(v),
                (false, [only, _]) => {
                    let replies = position.geometry().vertices().filter(|&v| position.is_empty(v));
                    let replies = replies.filter(|&v| Replies(only).include(v));
                    let height = |v: &Vertex| {
                        let key = keys.with(&images, color, *v).key().0;
                        self.get(winner, &key).map_or(0, |entry| entry.height)
                    };
                    // Of the replies with the longest games, the first in vertex order.
                    replies.rev().max_by_key(height)
                }
            };
            let v = v.expect("the book has all positions of the proof");
            position.place(color, v);
            images = keys.with(&images, color, v);
            color = !color;
            moves.push(v);
        }
    }
}

/// A book with keys of any length, for a [`Walkthrough`](super::Walkthrough).
pub(crate) trait Answers: Send + Sync {
    /// The winner's move in a position in which no stone of the winner completes a structure, and the most stones until
    /// one does.
    fn get(&self, position: &Position, winner: Color) -> Option<(Vertex, u8)>;
}

/// A book with the keys of its board.
pub(crate) struct KeyedBook<const N: usize> {
    pub keys: Keys<N>,
    pub book: Book<N>,
}

impl<const N: usize> Answers for KeyedBook<N> {
    fn get(&self, position: &Position, winner: Color) -> Option<(Vertex, u8)> {
        let images = self.keys.images(position);
        let entry = self.book.get(winner, &images.key().0)?;
        Some((self.book.answer(&self.keys, &images, winner)?, entry.height))
    }
}
