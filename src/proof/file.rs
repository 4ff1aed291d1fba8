//! The files of proofs. `docs/proof-format.md` describes them.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write};

use crate::base::hash::{Fnv1a, fnv1a};
use crate::game::{Color, Geometry, Position, Shape, Vertex};

use super::book::{Answers, Book, KeyedBook};
use super::keys::{Keys, key_words};
use super::walk::{Strategy, Summary, Turn, Walk};
use super::{LARGEST_BOARD, ProofError, Root, table, with_key_words};

/// The first bytes of a file: the name of the format.
const MAGIC: &[u8; 8] = b"mlcproof";
/// The version of the format.
const VERSION: u8 = 3;

/// The most roots that a file may have.
pub const MAX_ROOTS: u16 = 10_000;

/// A proof that was checked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The positions that are proven, each with its winner.
    pub roots: Vec<Root>,
    /// The size of the proof.
    pub summary: Summary,
    /// The size of the file, in bytes.
    pub bytes: u64,
    /// For each root, the longest game against the strategy of the proof.
    pub longest_games: Vec<Vec<Vertex>>,
}

/// Checks a proof: that it is well formed, and that its moves win every root against every reply.
///
/// Each position of the proof takes a few microseconds, and 20 to 75 bytes of memory, more on larger boards.
///
/// # Errors
/// What is wrong with the proof, if anything is.
///
/// ```
/// use malecon::engine::solver::{Solver, Sources, prove};
/// use malecon::game::{Color, Game, Geometry};
/// use malecon::proof::{Root, check};
/// let game = Game::new(Geometry::with_side(3)?);
/// let root = Root::new(&game, Color::White).expect("the game has just begun");
/// let mut solver = Solver::new(game.geometry(), 1 << 20).expect("there is a solver for side 3");
/// let sources = Sources::new(&mut solver);
/// let mut file = Vec::new();
/// prove(&mut file, &[root], sources, &mut |_| true)?;
/// let checked = check(&file[..])?;
/// assert_eq!(checked.bytes, file.len() as u64);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(file: impl Read) -> Result<Checked, ProofError> {
    let mut bytes = Bytes::new(file);
    let (geometry, roots) = read_head(&mut bytes)?;
    with_key_words!(geometry, check_all(geometry, roots, bytes))
}

fn check_all<const N: usize>(
    geometry: &'static Geometry,
    roots: Vec<Root>,
    bytes: Bytes<impl Read>,
) -> Result<Checked, ProofError> {
    let keys = Keys::<N>::new(geometry);
    let (summary, bytes, book) = check_moves(geometry, &keys, &roots, bytes, &mut |_| true)?;
    let longest_games = roots.iter().map(|root| book.longest_game(&keys, root)).collect();
    Ok(Checked { roots, summary, bytes, longest_games })
}

/// Checks a proof and makes a table from it: White's moves in the roots, and in the later positions that are hard for
/// the player to move, as `is_hard` tells. Positions after an easy one are not examined. The engine has such a table
/// for side 4 ([`WinningMoves::builtin`]).
///
/// # Errors
/// What is wrong with the proof, if anything is; or if the board has more than 40 vertices.
///
/// [`WinningMoves::builtin`]: super::WinningMoves::builtin
pub fn winning_table(
    file: impl Read,
    is_hard: &mut dyn FnMut(&Position, Color) -> bool,
) -> Result<Vec<u8>, ProofError> {
    let mut bytes = Bytes::new(file);
    let (geometry, roots) = read_head(&mut bytes)?;
    if key_words(geometry.vertex_count()) > 1 {
        return Err(ProofError::Roots("tables are for boards of 40 vertices or fewer"));
    }
    let keys = Keys::<1>::new(geometry);
    let (_, _, book) = check_moves(geometry, &keys, &roots, bytes, &mut |_| true)?;
    Ok(table::write(&keys, &book, &roots, is_hard))
}

/// The roots of a proof, its size, and the winner's answers.
type Contents = (Vec<Root>, Summary, Box<dyn Answers>);

/// Checks a proof, and returns its contents. `go_on` gets the number of positions so far, and can stop the work.
pub(super) fn read_book(file: &[u8], go_on: &mut dyn FnMut(u64) -> bool) -> Result<Contents, ProofError> {
    let mut bytes = Bytes::new(file);
    let (geometry, roots) = read_head(&mut bytes)?;
    with_key_words!(geometry, read_keyed_book(geometry, roots, bytes, go_on))
}

fn read_keyed_book<const N: usize>(
    geometry: &'static Geometry,
    roots: Vec<Root>,
    bytes: Bytes<&[u8]>,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Contents, ProofError> {
    let keys = Keys::<N>::new(geometry);
    let (summary, _, book) = check_moves(geometry, &keys, &roots, bytes, go_on)?;
    Ok((roots, summary, Box::new(KeyedBook { keys, book })))
}

/// Checks the rest of a file after its head. Returns the size of the proof, the number of bytes, and the moves. `go_on`
/// gets the number of positions so far, and can stop the work.
fn check_moves<const N: usize>(
    geometry: &'static Geometry,
    keys: &Keys<N>,
    roots: &[Root],
    bytes: Bytes<impl Read>,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<(Summary, u64, Book<N>), ProofError> {
    let mut walk = Walk::new(geometry, keys, bytes).while_true(go_on);
    let walked = roots.iter().try_for_each(|root| walk.prove(root));
    let (summary, mut bytes, book) = walk.end();
    walked.map_err(|error| bytes.cause(error))?;
    let sum = bytes.sum.value().to_le_bytes();
    if bytes.array()? != sum {
        return Err(ProofError::Checksum);
    }
    match bytes.file.read(&mut [0])? {
        0 => Ok((summary, bytes.read, book)),
        _ => Err(ProofError::TrailingBytes),
    }
}

/// The board of a proof, from the head of its file. The rest is not read.
///
/// # Errors
/// If the head is not that of a proof.
pub fn board_of(file: impl Read) -> Result<&'static Geometry, ProofError> {
    read_head(&mut Bytes::new(file)).map(|(geometry, _)| geometry)
}

/// Checks that a proof is for this board, by the head of its file. The rest is not read.
///
/// # Errors
/// If it is for another one, or the head is not that of a proof.
pub fn check_board(file: impl Read, geometry: &'static Geometry) -> Result<(), ProofError> {
    check_same(board_of(file)?, geometry)
}

fn check_same(board: &Geometry, geometry: &Geometry) -> Result<(), ProofError> {
    if board == geometry {
        return Ok(());
    }
    let [found, expected] = [board, geometry].map(|geometry| geometry.shape().title());
    Err(ProofError::Malformed(format!("it is for {found} (expected {expected})")))
}

/// Checks a proof on this board, and returns its moves.
pub(crate) fn read_moves<const N: usize>(
    file: impl Read,
    geometry: &'static Geometry,
    keys: &Keys<N>,
) -> Result<Book<N>, ProofError> {
    let mut bytes = Bytes::new(file);
    let (board, roots) = read_head(&mut bytes)?;
    check_same(board, geometry)?;
    check_moves(geometry, keys, &roots, bytes, &mut |_| true).map(|(_, _, book)| book)
}

/// A file that is read byte by byte.
struct Bytes<R> {
    file: BufReader<R>,
    read: u64,
    /// The checksum of the bytes read. It detects damage, even if the damaged file is still a proof; that the moves win
    /// is checked separately.
    sum: Fnv1a,
}

impl<R: Read> Bytes<R> {
    fn new(file: R) -> Bytes<R> {
        Bytes { file: BufReader::new(file), read: 0, sum: Fnv1a::new() }
    }

    fn byte(&mut self) -> Result<u8, ProofError> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn array<const LEN: usize>(&mut self) -> Result<[u8; LEN], ProofError> {
        let mut array = [0; LEN];
        self.file.read_exact(&mut array)?;
        self.read += LEN as u64;
        self.sum.add(array);
        Ok(array)
    }

    /// The error to report: if the file is damaged, that it is damaged, and not what was misread because of it. Reads
    /// the rest of the file.
    fn cause(&mut self, error: ProofError) -> ProofError {
        if !matches!(error, ProofError::Malformed(_) | ProofError::Refuted { .. }) {
            return error;
        }
        // The last bytes, which may be the checksum.
        let mut last = VecDeque::new();
        for byte in self.file.by_ref().bytes() {
            match byte {
                Ok(byte) => last.push_back(byte),
                Err(error) => return error.into(),
            }
            if last.len() > size_of::<u64>() {
                self.sum.add(last.pop_front());
            }
        }
        let Ok(sum) = <[u8; 8]>::try_from(Vec::from(last)) else { return ProofError::Truncated };
        if self.sum.value() == u64::from_le_bytes(sum) { error } else { ProofError::Checksum }
    }
}

/// The strategy of a file.
impl<const N: usize, R: Read> Strategy<N> for Bytes<R> {
    fn answer(&mut self, turn: &Turn<'_, N>) -> Result<Vertex, ProofError> {
        let index = self.byte()?;
        let vertex = turn.position.geometry().vertex(index.into());
        vertex.ok_or_else(|| ProofError::Malformed(format!("the board has no vertex {index}")))
    }
}

fn read_head(bytes: &mut Bytes<impl Read>) -> Result<(&'static Geometry, Vec<Root>), ProofError> {
    let malformed = |reason: &str| ProofError::Malformed(reason.to_owned());
    if bytes.array()? != *MAGIC {
        return Err(malformed("it does not begin with 'mlcproof'"));
    }
    let geometry = read_shape(bytes)?;
    let count = u16::from_le_bytes(bytes.array()?);
    if !(1..=MAX_ROOTS).contains(&count) {
        return Err(malformed(&format!("invalid number of positions {count} (expected 1 to {MAX_ROOTS})")));
    }
    let roots: Result<_, _> = (0..count).map(|_| read_root(bytes, geometry)).collect();
    Ok((geometry, roots.map_err(|error| bytes.cause(error))?))
}

fn read_shape(bytes: &mut Bytes<impl Read>) -> Result<&'static Geometry, ProofError> {
    let version = bytes.byte()?;
    if version != VERSION {
        return Err(ProofError::Malformed(format!("unknown version {version} (expected {VERSION})")));
    }
    let lengths = bytes.array()?.map(usize::from);
    let [a, b, c] = lengths;
    let shape = Shape::new(lengths).ok();
    // There is only one way to write each board.
    let shape = shape.filter(|shape| shape.sides() == lengths && shape.vertex_count() <= LARGEST_BOARD);
    shape.map(Geometry::with_shape).ok_or_else(|| ProofError::Malformed(format!("invalid side lengths {a}-{b}-{c}")))
}

fn read_root(bytes: &mut Bytes<impl Read>, geometry: &'static Geometry) -> Result<Root, ProofError> {
    let malformed = |reason: String| Err(ProofError::Malformed(reason));
    let [players, stones] = bytes.array()?;
    if players > 3 {
        return malformed(format!("invalid players {players} (expected 0 to 3)"));
    }
    let [winner, to_move] = [players & 1, players >> 1].map(|player| Color::ALL[usize::from(player)]);
    let mut position = Position::new(geometry);
    let mut last = None;
    for _ in 0..stones {
        let code = bytes.byte()?;
        let color = Color::ALL[usize::from(code & 1)];
        let Some(v) = geometry.vertex(usize::from(code >> 1)).filter(|&v| last < Some(v)) else {
            return malformed(format!("invalid stone {code}"));
        };
        last = Some(v);
        if !position.place(color, v).is_empty() {
            return malformed("the game is over in one of the positions".into());
        }
    }
    Ok(Root { position, to_move, winner })
}

/// Writes a proof. `moves` are the indices of the vertices, in the order in which the walk asks for them.
pub(crate) fn write_file(mut file: impl Write, roots: &[Root], moves: &[u8]) -> io::Result<u64> {
    let mut head = MAGIC.to_vec();
    let geometry = roots[0].position.geometry();
    head.push(VERSION);
    head.extend(geometry.shape().sides().map(|side| side as u8));
    head.extend((roots.len() as u16).to_le_bytes());
    for root in roots {
        let code = |(color, v): (Color, Vertex)| (v.index() << 1 | color.index()) as u8;
        let stones: Vec<u8> = root.position.stones().map(code).collect();
        head.extend([(root.winner.index() | root.to_move.index() << 1) as u8, stones.len() as u8]);
        head.extend(stones);
    }
    let sum = fnv1a(head.iter().chain(moves).copied()).to_le_bytes();
    file.write_all(&head)?;
    file.write_all(moves)?;
    file.write_all(&sum)?;
    file.flush()?;
    Ok((head.len() + moves.len() + sum.len()) as u64)
}
