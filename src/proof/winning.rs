//! The winning moves of proofs, for a player in a proven position.

use std::cmp::Reverse;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::base::files;
use crate::game::{Color, Geometry, Position, Vertex};

use super::book::{Book, KeyedBook};
use super::file::{board_of, read_moves};
use super::keys::{Images, Keys};
use super::{ProofError, table, with_key_words};

/// The side length of the board that has a built-in table.
const BUILTIN_SIDE: usize = 4;

/// The table of side 4, made from a proof of all openings of two stones. `docs/solving.md` shows how it is made.
const BUILTIN: &[u8] = include_bytes!("side-4.table");

/// The largest file of a proof that is loaded, in bytes.
const MAX_PROOF: u64 = 4 << 30;

/// What proofs say about a position, from the point of view of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Won, by this move.
    Win(Vertex),
    /// Lost.
    Loss,
}

/// The winner's moves in the positions of some proofs, and in the same positions with the colours exchanged, where the
/// winner is to move and cannot complete a structure at once. A player who makes these moves, and completes a structure
/// as soon as possible, wins from any of these positions.
///
/// ```
/// use malecon::game::{Color, Geometry, Position};
/// use malecon::proof::{Known, WinningMoves};
/// let board = Geometry::with_side(4)?;
/// let table = WinningMoves::builtin(board).expect("there is a table for side 4");
/// let mut position = Position::new(board);
/// position.place(Color::White, board.vertex_at_cube([0; 3]).expect("the centre"));
/// assert_eq!(table.known(&position, Color::Black), Some(Known::Loss));
/// # Ok::<(), malecon::game::SideError>(())
/// ```
#[derive(Default)]
pub struct WinningMoves {
    boards: Vec<Box<dyn Moves>>,
}

impl WinningMoves {
    /// Reads the proof in a file, or all proofs in a directory: the files whose names end in `.proof`. Each proof is
    /// checked, which takes a few microseconds per position. A position takes 20 to 75 bytes of memory.
    ///
    /// # Errors
    /// If a file cannot be read or is refused, or if there is no proof in the directory.
    pub fn load(path: &Path) -> Result<WinningMoves, ProofError> {
        let mut moves = WinningMoves::default();
        for file in proofs_at(path)? {
            let read = files::read(&file, MAX_PROOF).map_err(ProofError::from);
            read.and_then(|bytes| moves.add(&bytes)).map_err(|error| ProofError::Known(file, Box::new(error)))?;
        }
        Ok(moves)
    }

    /// The winning moves that are compiled in, if there are any for this board. They are read at the first call.
    pub fn builtin(geometry: &Geometry) -> Option<&'static WinningMoves> {
        static MOVES: LazyLock<WinningMoves> = LazyLock::new(|| {
            let geometry = Geometry::with_side(BUILTIN_SIDE).expect("side 4 is a board");
            WinningMoves::from_book(geometry, table::read(BUILTIN).expect("the built-in table is valid"))
        });
        (geometry.shape().regular_side() == Some(BUILTIN_SIDE)).then(|| &*MOVES)
    }

    /// The moves of a book.
    pub(super) fn from_book(geometry: &'static Geometry, book: Book<1>) -> WinningMoves {
        WinningMoves { boards: vec![Box::new(KeyedBook { keys: Keys::<1>::new(geometry), book })] }
    }

    /// Adds the moves of a proof, given as the bytes of its file. The proof is checked first.
    ///
    /// # Errors
    /// What is wrong with the proof, if anything is. Nothing is added then.
    pub fn add(&mut self, proof: &[u8]) -> Result<(), ProofError> {
        let geometry = board_of(proof)?;
        match self.boards.iter_mut().find(|board| board.geometry() == geometry) {
            Some(board) => board.add(proof),
            None => {
                let mut board = with_key_words!(geometry, on_board(geometry));
                board.add(proof)?;
                self.boards.push(board);
                Ok(())
            }
        }
    }

    /// A winning move of `color`, who is to move. `None` if the position is in none of the proofs, or if `color` can
    /// complete a structure at once.
    pub fn get(&self, position: &Position, color: Color) -> Option<Vertex> {
        self.on_board(position)?.get(position, color)
    }

    /// Whether `color`, to move in a position where nobody has won, wins or loses according to the proofs: wins if a
    /// proof has a move for the position; loses after a winning move of a proof, or if a proof has an answer to each
    /// move. `None` if the proofs say neither.
    pub fn known(&self, position: &Position, color: Color) -> Option<Known> {
        self.on_board(position)?.known(position, color)
    }

    /// The move of `loser`, to move in a lost position, after which the proofs need the most stones to win. If they do
    /// not say how many, the move after whose answer they can answer the most replies. `None` if they have no answers.
    pub fn resistance(&self, position: &Position, loser: Color) -> Option<Vertex> {
        self.on_board(position)?.resistance(position, loser)
    }

    fn on_board(&self, position: &Position) -> Option<&dyn Moves> {
        self.boards.iter().find(|board| board.geometry() == position.geometry()).map(|board| &**board)
    }
}

impl fmt::Debug for WinningMoves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let boards: Vec<_> = self.boards.iter().map(|board| board.geometry()).collect();
        f.debug_struct("WinningMoves").field("boards", &boards).finish_non_exhaustive()
    }
}

/// The files of the proofs at a path, in the order of their names.
fn proofs_at(path: &Path) -> Result<Vec<PathBuf>, ProofError> {
    if !fs::metadata(path)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = entries.collect::<io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "proof"));
    files.sort();
    if files.is_empty() {
        return Err(ProofError::Malformed("the directory has no file whose name ends in '.proof'".into()));
    }
    Ok(files)
}

/// The moves on one board, for keys of any length.
trait Moves: Send + Sync {
    fn geometry(&self) -> &'static Geometry;
    fn add(&mut self, proof: &[u8]) -> Result<(), ProofError>;
    fn get(&self, position: &Position, color: Color) -> Option<Vertex>;
    fn known(&self, position: &Position, color: Color) -> Option<Known>;
    fn resistance(&self, position: &Position, loser: Color) -> Option<Vertex>;
}

fn on_board<const N: usize>(geometry: &'static Geometry) -> Box<dyn Moves> {
    Box::new(KeyedBook { keys: Keys::<N>::new(geometry), book: Book::default() })
}

impl<const N: usize> Moves for KeyedBook<N> {
    fn geometry(&self) -> &'static Geometry {
        self.keys.geometry()
    }

    fn add(&mut self, proof: &[u8]) -> Result<(), ProofError> {
        self.book.extend(read_moves(proof, self.geometry(), &self.keys)?);
        Ok(())
    }

    fn get(&self, position: &Position, color: Color) -> Option<Vertex> {
        self.views(position, color).iter().find_map(|view| self.book.answer(&self.keys, &view.images, view.to_move))
    }

    fn known(&self, position: &Position, color: Color) -> Option<Known> {
        let known = |view: &View<N>| {
            let answer = self.book.answer(&self.keys, &view.images, view.to_move);
            answer.map(Known::Win).or_else(|| self.is_lost(position, color, view).then_some(Known::Loss))
        };
        self.views(position, color).iter().find_map(known)
    }

    fn resistance(&self, position: &Position, loser: Color) -> Option<Vertex> {
        let resistance = |&View { images, to_move: loser }: &View<N>| {
            let length = |v: &Vertex| {
                let images = self.keys.with(&images, loser, *v);
                let entry = self.book.get(!loser, &images.key().0)?;
                let answer = self.book.answer(&self.keys, &images, !loser)?;
                let images = self.keys.with(&images, !loser, answer);
                let others = position.empty_vertices().filter(|w| ![*v, answer].contains(w));
                Some((entry.height, others.filter(|&w| self.has_answer(&images, loser, w)).count()))
            };
            // Of equal ones, the first in vertex order.
            let lengths = position.empty_vertices().filter_map(|v| Some((length(&v)?, Reverse(v))));
            lengths.max().map(|(_, Reverse(v))| v)
        };
        self.views(position, loser).iter().find_map(resistance)
    }
}

/// A position as it is, or with the colours exchanged: who wins does not depend on the names of the colours.
struct View<const N: usize> {
    images: Images<N>,
    to_move: Color,
}

impl<const N: usize> KeyedBook<N> {
    /// A position with `color` to move, as it is and with the colours exchanged.
    fn views(&self, position: &Position, color: Color) -> [View<N>; 2] {
        let exchanged = self.keys.exchanged_images(position);
        [View { images: self.keys.images(position), to_move: color }, View { images: exchanged, to_move: !color }]
    }

    /// Whether `loser`, to move, loses according to this view of the position: one of the winner's stones is a winning
    /// move of the book in the position without it, or the book has an answer to each reply.
    fn is_lost(&self, position: &Position, loser: Color, view: &View<N>) -> bool {
        let key = view.images.key().0;
        let winner = !view.to_move;
        let stones = position.geometry().vertices().filter(|&v| position.stone(v) == Some(!loser));
        let mut before = stones.map(|v| self.keys.without(&view.images, winner, v));
        let was_won = before.any(|before| {
            let answer = self.book.answer(&self.keys, &before, winner);
            answer.is_some_and(|v| self.keys.with(&before, winner, v).key().0 == key)
        });
        let mut replies = position.empty_vertices().peekable();
        was_won || (replies.peek().is_some() && replies.all(|v| self.has_answer(&view.images, view.to_move, v)))
    }

    /// Whether the book has an answer to this reply of `loser`.
    fn has_answer(&self, images: &Images<N>, loser: Color, reply: Vertex) -> bool {
        self.book.get(!loser, &self.keys.with(images, loser, reply).key().0).is_some()
    }
}
