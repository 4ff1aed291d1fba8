//! The winning moves of proofs, for a player in a proven position.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::game::{Color, Geometry, Position, Vertex};

use super::book::Book;
use super::file::{read_board, read_moves};
use super::keys::Keys;
use super::{ProofError, with_key_words};

/// The winner's moves in the positions of some proofs, where the winner is to move and cannot complete a structure at
/// once. A player who makes these moves, and completes a structure as soon as possible, wins from any of these
/// positions.
#[derive(Default)]
pub struct WinningMoves {
    boards: Vec<Box<dyn Moves>>,
}

impl WinningMoves {
    /// Reads the proof in a file, or all proofs in a directory: the files whose names end in `.proof`. Each proof is
    /// checked, which takes a few microseconds per position. A position takes 20 to 50 bytes of memory.
    ///
    /// # Errors
    /// If a file cannot be read or is refused, or if there is no proof in the directory.
    pub fn load(path: &Path) -> Result<WinningMoves, ProofError> {
        let mut moves = WinningMoves::default();
        for file in proofs_at(path)? {
            let added = fs::read(&file).map_err(ProofError::from).and_then(|bytes| moves.add(&bytes));
            added.map_err(|error| ProofError::Known(file, Box::new(error)))?;
        }
        Ok(moves)
    }

    /// The moves of a book.
    pub(crate) fn of_book(geometry: &'static Geometry, book: Book<1>) -> WinningMoves {
        WinningMoves { boards: vec![Box::new(OnBoard { geometry, keys: Keys::<1>::new(geometry), book })] }
    }

    /// Adds the moves of a proof, given as the bytes of its file. The proof is checked first.
    ///
    /// # Errors
    /// What is wrong with the proof, if anything is. Nothing is added then.
    pub fn add(&mut self, proof: &[u8]) -> Result<(), ProofError> {
        let geometry = read_board(proof)?;
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
        self.boards.iter().find(|board| board.geometry() == position.geometry())?.get(position, color)
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
    match files.is_empty() {
        true => Err(ProofError::Malformed("the directory has no file whose name ends in '.proof'".into())),
        false => Ok(files),
    }
}

/// The moves on one board, for keys of any length.
trait Moves: Send + Sync {
    fn geometry(&self) -> &'static Geometry;
    fn add(&mut self, proof: &[u8]) -> Result<(), ProofError>;
    fn get(&self, position: &Position, color: Color) -> Option<Vertex>;
}

struct OnBoard<const N: usize> {
    geometry: &'static Geometry,
    keys: Keys<N>,
    book: Book<N>,
}

fn on_board<const N: usize>(geometry: &'static Geometry) -> Box<dyn Moves> {
    Box::new(OnBoard { geometry, keys: Keys::<N>::new(geometry), book: Book::default() })
}

impl<const N: usize> Moves for OnBoard<N> {
    fn geometry(&self) -> &'static Geometry {
        self.geometry
    }

    fn add(&mut self, proof: &[u8]) -> Result<(), ProofError> {
        self.book.extend(read_moves(proof, self.geometry, &self.keys)?);
        Ok(())
    }

    fn get(&self, position: &Position, color: Color) -> Option<Vertex> {
        self.book.answer(&self.keys, &self.keys.of(position), color)
    }
}
