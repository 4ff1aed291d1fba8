//! The winner's moves found so far, saved while a proof is written, so that an interrupted writer need not ask the
//! solver for them again.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::base::files::{self, LockedFile};
use crate::base::hash::fnv1a;
use crate::base::time::Instant;
use crate::game::{Color, Geometry, Vertex};
use crate::proof::ProofError;
use crate::proof::book::{Book, Entry};
use crate::proof::keys::{Key, Keys};

/// The first bytes of a file, before the board.
const MAGIC: &[u8; 8] = b"mlcmove2";

/// The bytes of a record after its key: the vertex, and the check.
const TAIL: usize = 3;

/// How long a move may stay in memory before it is written.
const FLUSH_EVERY: Duration = Duration::from_secs(10);

/// The board: its side length, or 0 and all three lengths.
fn head_of(geometry: &Geometry) -> Vec<u8> {
    match geometry.shape().regular_side() {
        Some(side) => vec![side as u8],
        None => [0].into_iter().chain(geometry.shape().sides().map(|side| side as u8)).collect(),
    }
}

/// A file to which each move of the winner is appended: winner, key, vertex, and a check of these bytes. Meanwhile, no
/// other process can open it as a checkpoint.
pub(super) struct Checkpoint {
    path: PathBuf,
    file: BufWriter<LockedFile>,
    flushed: Instant,
}

impl Checkpoint {
    /// Opens or creates a file, and returns the moves in it. An incomplete record at its end is removed, and damaged
    /// ones are not used.
    pub fn open<const N: usize>(
        path: &Path,
        geometry: &'static Geometry,
        keys: &Keys<N>,
    ) -> Result<(Checkpoint, Book<N>), ProofError> {
        let at_path = |error| ProofError::CheckpointFile(path.to_owned(), error);
        let (file, bytes) = open_locked(path).map_err(at_path)?;
        let mut book = Book::default();
        let head = [&MAGIC[..], &head_of(geometry)].concat();
        let mut checkpoint = Checkpoint { path: path.to_owned(), file: BufWriter::new(file), flushed: Instant::now() };
        if head.starts_with(&bytes) {
            files::cut_off(checkpoint.file.get_ref(), path, 0).map_err(at_path)?;
            checkpoint.write(&head)?;
            checkpoint.flush()?;
            return Ok((checkpoint, book));
        }
        let records = bytes
            .strip_prefix(&head[..])
            .ok_or_else(|| ProofError::Checkpoint { path: path.to_owned(), board: geometry.shape() })?;
        let (mut read, mut damaged) = (0, 0);
        let size = 1 + 8 * N + TAIL;
        for record in records.chunks_exact(size) {
            read += 1;
            damaged += usize::from(read_record(record, keys, &mut book).is_none());
        }
        if damaged > 0 {
            log::warn!("{}: {damaged} of {read} moves are damaged and have to be found again", path.display());
        }
        let whole = bytes.len() - records.len() % size;
        files::cut_off(checkpoint.file.get_ref(), path, whole as u64).map_err(at_path)?;
        Ok((checkpoint, book))
    }

    /// Appends a move, as the vertex in the image of the position that has the key.
    pub fn append<const N: usize>(&mut self, winner: Color, key: &Key<N>, image: Vertex) -> Result<(), ProofError> {
        let words = key.iter().flat_map(|word| word.to_le_bytes());
        let mut record: Vec<u8> = [winner.index() as u8].into_iter().chain(words).collect();
        record.push(image.index() as u8);
        record.extend(check_of(&record));
        self.write(&record)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), ProofError> {
        self.file.write_all(bytes).map_err(|error| ProofError::CheckpointFile(self.path.clone(), error))
    }

    /// Writes what is in memory if the last time was long ago.
    pub fn flush_if_due(&mut self) -> Result<(), ProofError> {
        if self.flushed.elapsed() >= FLUSH_EVERY { self.flush() } else { Ok(()) }
    }

    /// Writes what is in memory.
    pub fn flush(&mut self) -> Result<(), ProofError> {
        self.flushed = Instant::now();
        self.file.flush().map_err(|error| ProofError::CheckpointFile(self.path.clone(), error))
    }
}

/// Opens or creates a file for this process alone, and reads it.
fn open_locked(path: &Path) -> io::Result<(LockedFile, Vec<u8>)> {
    files::check_regular(path)?;
    let file = LockedFile::new(OpenOptions::new().read(true).append(true).create(true).open(path)?)?;
    let mut bytes = Vec::new();
    (&*file).read_to_end(&mut bytes)?;
    Ok((file, bytes))
}

/// The check of the other bytes of a record.
fn check_of(record: &[u8]) -> [u8; 2] {
    // The low bits, unlike the high ones, are other ones whenever a single byte is.
    (fnv1a(record.iter().copied()) as u16).to_le_bytes()
}

/// Adds the move of a record to a book. `None` if the record is damaged.
fn read_record<const N: usize>(record: &[u8], keys: &Keys<N>, book: &mut Book<N>) -> Option<()> {
    let (content, check) = record.split_last_chunk()?;
    if *check != check_of(content) {
        return None;
    }
    let (words, rest) = content[1..].as_chunks::<8>();
    let key: Key<N> = std::array::from_fn(|i| u64::from_le_bytes(words[i]));
    let winner = *Color::ALL.get(usize::from(content[0]))?;
    book.insert(winner, key, Entry::new(keys.vertex(*rest.first()?)?, 0));
    Some(())
}
