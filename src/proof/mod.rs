//! Proofs of who wins: files that hold a winning strategy, and a checker that trusts nothing but the rules.
//!
//! A proof shows that one player, the *winner*, wins certain positions, the *roots*. Its strategy gives the winner's
//! move in every position that can follow, whatever the opponent, the *loser*, replies. Positions that are images of
//! each other under the board's symmetries count as one. `docs/proof-format.md` describes the files.
//!
//! | module | what it holds |
//! |---|---|
//! | `walk`, `replies` | the rules of a proof: all that has to be trusted |
//! | `file` | the files: reading and writing the roots and the moves |
//! | `book` | the winner's moves by position |
//! | `table` | the part of a proof that is compiled into the program |
//! | `keys` | exact keys of positions, the same for all images |
//! | `winning` | looks up the winning moves of proofs |
//! | `walkthrough` | plays through a proof, with the reader as the loser |
//!
//! [`check()`] reads the moves from a file, and [`prove`](crate::engine::solver::prove) asks a solver for them; both
//! take the same walk, so every move is checked before it is written. Nothing here uses the solver or the search: the
//! checker relies on the rules alone.

pub(crate) mod book;
pub(crate) mod file;
pub(crate) mod keys;
pub(crate) mod replies;
mod table;
pub(crate) mod walk;
mod walkthrough;
mod winning;

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::game::{Color, Game, Geometry, Notation, Position, Shape, Vertex};

pub use file::{Checked, MAX_ROOTS, board_of, check, check_board, winning_table};
pub use walk::Summary;
pub use walkthrough::{BadReply, Stage, Step, Walkthrough};
pub use winning::{Known, WinningMoves};

/// The vertices of the largest board that proofs are for: side 6, the largest regular board that has a solver.
pub const LARGEST_BOARD: usize = 91;

/// A position, and the player who is claimed to win it.
///
/// ```
/// use malecon::game::{Color, Game, Geometry};
/// use malecon::proof::Root;
/// let game = Game::new(Geometry::with_side(3)?);
/// let root = Root::new(&game, Color::White).expect("the game has just begun");
/// assert_eq!((root.to_move(), root.winner()), (Color::White, Color::White));
/// # Ok::<(), malecon::game::SideError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Root {
    /// The stones. Neither player has a structure.
    position: Position,
    to_move: Color,
    winner: Color,
}

impl Root {
    /// The claim that `winner` wins the game from its present position. `None` if the game is over.
    pub fn new(game: &Game, winner: Color) -> Option<Root> {
        let root = Root { position: game.position().clone(), to_move: game.to_move(), winner };
        game.outcome().is_none().then_some(root)
    }

    /// The position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// A game that begins in the position: its stones are set up.
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.position.geometry());
        for (color, v) in self.position.stones() {
            game.place(color, v).expect("neither player has a structure");
        }
        game.begin_with(self.to_move);
        game
    }

    /// The player to move.
    pub fn to_move(&self) -> Color {
        self.to_move
    }

    /// The player who wins.
    pub fn winner(&self) -> Color {
        self.winner
    }
}

/// Why the moves of a strategy do not win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The winner's next move is on a vertex that is not empty.
    Occupied(Vertex),
    /// It is the loser's turn, and a stone completes a structure.
    LoserCompletes,
    /// The loser threatens to complete a structure on two vertices, and the winner cannot complete one.
    TwoThreats,
    /// The board is full.
    Full,
}

/// Why a proof was not written, or why it is refused.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProofError {
    /// The file cannot be read.
    Unreadable(io::Error),
    /// The file is not a proof in a format that this version reads, for this reason.
    Malformed(String),
    /// The file ends before the proof does.
    Truncated,
    /// The file goes on after the proof.
    TrailingBytes,
    /// The checksum is wrong: some byte has changed, or is missing.
    Checksum,
    /// The strategy fails after these moves from a root.
    Refuted {
        /// The board.
        geometry: &'static Geometry,
        /// The moves from the root.
        moves: Vec<Vertex>,
        /// What is wrong.
        fault: Fault,
    },
    /// The solver has shown that the winner of a root does not win it.
    NotWon {
        /// The number of the root, from 0.
        root: usize,
    },
    /// The work was stopped.
    Stopped,
    /// A file is not a checkpoint of a proof on this board.
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// The board.
        board: Shape,
    },
    /// A checkpoint cannot be read or written, or another process is writing to it.
    CheckpointFile(PathBuf, io::Error),
    /// A proof that should provide moves cannot be read or is refused.
    Known(PathBuf, Box<ProofError>),
    /// There are no roots, or their boards differ or are too large, or the board is too large for a table.
    Roots(&'static str),
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProofError::Unreadable(error) => error.fmt(f),
            ProofError::Malformed(reason) => write!(f, "not a proof: {reason}"),
            ProofError::Truncated => f.write_str("the file is cut off"),
            ProofError::TrailingBytes => f.write_str("the file goes on after the proof"),
            ProofError::Checksum => f.write_str("the checksum is wrong: the file was changed, or a part is missing"),
            ProofError::Refuted { geometry, moves, fault } => {
                let name = |&v: &Vertex| Notation::HavannahGui.name(geometry, v);
                let line = moves.iter().map(name).collect::<Vec<_>>().join(" ");
                write!(f, "the proof fails after '{line}': ")?;
                match fault {
                    Fault::Occupied(v) => write!(f, "{} is occupied", name(v)),
                    Fault::LoserCompletes => f.write_str("the loser completes a structure"),
                    Fault::TwoThreats => f.write_str("the loser threatens to complete a structure on two vertices"),
                    Fault::Full => f.write_str("the board is full, and nobody has won"),
                }
            }
            ProofError::NotWon { .. } => f.write_str("the position is not won by the player who should win it"),
            ProofError::Stopped => f.write_str("the work was stopped"),
            ProofError::Checkpoint { path, board } => {
                write!(f, "{} is not a checkpoint of a proof on {}", path.display(), board.title())
            }
            ProofError::CheckpointFile(path, error) => write!(f, "{}: {error}", path.display()),
            ProofError::Known(path, error) => write!(f, "{}: {error}", path.display()),
            ProofError::Roots(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for ProofError {}

impl From<io::Error> for ProofError {
    fn from(error: io::Error) -> ProofError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => ProofError::Truncated,
            _ => ProofError::Unreadable(error),
        }
    }
}

/// Calls a generic function with the number of words of a board's keys.
macro_rules! with_key_words {
    ($geometry:expr, $function:ident($($argument:expr),*)) => {
        match $crate::proof::keys::key_words($geometry.vertex_count()) {
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            _ => $function::<3>($($argument),*),
        }
    };
}
pub(crate) use with_key_words;

const _: () = assert!(2 * LARGEST_BOARD <= 256, "a stone of a root is one byte");
