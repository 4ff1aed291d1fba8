//! The winner's moves found so far, saved while a proof is written, so that an interrupted writer need not ask the
//! solver for them again.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::time::Duration;

use crate::base::files;
use crate::base::time::Instant;
use crate::game::{Color, Geometry, Vertex};
use crate::proof::ProofError;
use crate::proof::book::{Book, Entry};
use crate::proof::keys::{Key, Keys};

/// The first bytes of a file, before the board.
const MAGIC: &[u8; 8] = b"mlcmoves";

/// How long a move may stay in memory before it is written.
const FLUSH_EVERY: Duration = Duration::from_secs(10);

/// The board: its side length, or 0 and all three lengths.
fn head_of(geometry: &Geometry) -> Vec<u8> {
    match geometry.shape().regular_side() {
        Some(side) => vec![side as u8],
        None => [0].into_iter().chain(geometry.shape().sides().map(|side| side as u8)).collect(),
    }
}

/// A file to which each move of the winner is appended: winner, key and vertex.
pub(super) struct Checkpoint {
    file: BufWriter<File>,
    flushed: Instant,
}

impl Checkpoint {
    /// Opens or creates a file, and returns the moves in it. An incomplete record at its end is removed.
    pub fn open<const N: usize>(
        path: &Path,
        geometry: &'static Geometry,
        keys: &Keys<N>,
    ) -> Result<(Checkpoint, Book<N>), ProofError> {
        files::check_regular(path)?;
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let mut book = Book::default();
        let head = [&MAGIC[..], &head_of(geometry)].concat();
        if head.starts_with(&bytes) {
            file.set_len(0)?;
            file.write_all(&head)?;
        } else {
            let records = bytes
                .strip_prefix(&head[..])
                .ok_or_else(|| ProofError::Checkpoint { path: path.to_owned(), board: geometry.shape() })?;
            let size = 8 * N + 2;
            for record in records.chunks_exact(size) {
                read_record(record, keys, &mut book);
            }
            file.set_len((bytes.len() - records.len() % size) as u64)?;
        }
        Ok((Checkpoint { file: BufWriter::new(file), flushed: Instant::now() }, book))
    }

    /// Appends a move, as the vertex in the image of the position that has the key.
    pub fn append<const N: usize>(&mut self, winner: Color, key: &Key<N>, image: Vertex) -> io::Result<()> {
        self.file.write_all(&[winner.index() as u8])?;
        key.iter().try_for_each(|word| self.file.write_all(&word.to_le_bytes()))?;
        self.file.write_all(&[image.index() as u8])
    }

    /// Writes what is in memory if the last time was long ago.
    pub fn flush_if_due(&mut self) -> io::Result<()> {
        if self.flushed.elapsed() >= FLUSH_EVERY { self.flush() } else { Ok(()) }
    }

    /// Writes what is in memory.
    pub fn flush(&mut self) -> io::Result<()> {
        self.flushed = Instant::now();
        self.file.flush()
    }
}

/// Adds the move of a record to a book. Invalid records are ignored.
fn read_record<const N: usize>(record: &[u8], keys: &Keys<N>, book: &mut Book<N>) {
    let (words, _) = record[1..].as_chunks::<8>();
    let key: Key<N> = std::array::from_fn(|i| u64::from_le_bytes(words[i]));
    let vertex = keys.vertex(record[record.len() - 1]);
    if let (Some(&winner), Some(vertex)) = (Color::ALL.get(usize::from(record[0])), vertex) {
        book.insert(winner, key, Entry::new(vertex, 0));
    }
}
