//! Writes proofs: a solver finds the winning move in each position that the walk meets.

use std::io::Write;
use std::path::PathBuf;

use crate::base::files::{self, Interruptible};
use crate::game::{Color, Geometry, Position, Vertex};
use crate::proof::book::{Book, Entry};
use crate::proof::file::{MAX_ROOTS, read_moves, write_file};
use crate::proof::keys::Keys;
use crate::proof::walk::{Strategy, Summary, Turn, Walk};
use crate::proof::{LARGEST_BOARD, ProofError, Root, with_key_words};

use super::Solver;
use super::checkpoint::Checkpoint;
use super::proof_search::{Answer, SLICE_NODES};

/// The most positions that the solver visits to find whether a move that won against another reply wins here, too.
const HINT_NODES: u64 = 200;

/// Where the winner's moves come from. The checkpoint is asked first, then the given moves, then the other proofs, then
/// the solver.
#[derive(Debug)]
pub struct Sources<'a> {
    /// The solver. If it has solved the roots, its table has most of the moves.
    pub solver: &'a mut Solver,
    /// Positions on the same board, each with a move with which the player to move wins. If one does not win, there is no
    /// proof.
    pub moves: Vec<(Root, Vertex)>,
    /// Proofs of other positions on the same board.
    pub known: Vec<PathBuf>,
    /// A file that keeps the moves found so far, so that interrupted work can continue.
    pub checkpoint: Option<PathBuf>,
}

impl<'a> Sources<'a> {
    /// The solver alone.
    pub fn new(solver: &'a mut Solver) -> Sources<'a> {
        Sources { solver, moves: Vec::new(), known: Vec::new(), checkpoint: None }
    }
}

/// A proof that was written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Written {
    /// What the proof consists of.
    pub summary: Summary,
    /// The size of the file, in bytes.
    pub bytes: u64,
    /// For each root, the longest game against the strategy of the proof.
    pub longest_games: Vec<Vec<Vertex>>,
}

/// How much of a proof is done.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ProofProgress {
    /// The number of moves in the strategy so far.
    pub moves: u64,
    /// The number of positions that the solver has visited for it.
    pub nodes: u64,
}

/// Finds a winning strategy for all roots and writes it to a file.
///
/// `proceed` is called at least at each move of the strategy; the work stops when it returns `false`.
///
/// ```
/// use malecon::game::{Color, Game, Geometry};
/// use malecon::proof::{Root, check};
/// use malecon::engine::solver::{Solver, Sources, prove};
/// let game = Game::new(Geometry::with_side(3)?);
/// let root = Root::new(&game, Color::White).expect("the game is not over");
/// let mut solver = Solver::new(game.geometry(), 1 << 20)?;
/// let sources = Sources::new(&mut solver);
/// let mut file = Vec::new();
/// prove(&mut file, &[root], sources, &mut |_| true)?;
/// assert_eq!(check(&file[..])?.roots[0].winner(), Color::White);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a root is not won by its winner, if the roots are not on one board that has a solver, if a known proof is
/// refused, if the work is stopped, or if a file cannot be written.
pub fn prove(
    file: impl Write,
    roots: &[Root],
    sources: Sources<'_>,
    proceed: &mut dyn FnMut(ProofProgress) -> bool,
) -> Result<Written, ProofError> {
    let geometry = board_of(roots)?;
    let (moves, mut written) = with_key_words!(geometry, find_moves(geometry, roots, sources, proceed))?;
    written.bytes = write_file(file, roots, &moves)?;
    Ok(written)
}

/// The board of all roots.
fn board_of(roots: &[Root]) -> Result<&'static Geometry, ProofError> {
    let geometry = roots.first().ok_or(ProofError::Roots("there is no position to prove"))?.position().geometry();
    if geometry.vertex_count() > LARGEST_BOARD {
        return Err(ProofError::Roots("proofs are for boards up to side 6"));
    }
    if roots.len() > usize::from(MAX_ROOTS) {
        return Err(ProofError::Roots("a proof has at most 10,000 positions"));
    }
    if roots.iter().any(|root| root.position().geometry() != geometry) {
        return Err(ProofError::Roots("all positions of a proof must be on one board"));
    }
    Ok(geometry)
}

fn find_moves<const N: usize>(
    geometry: &'static Geometry,
    roots: &[Root],
    sources: Sources<'_>,
    proceed: &mut dyn FnMut(ProofProgress) -> bool,
) -> Result<(Vec<u8>, Written), ProofError> {
    let keys = Keys::<N>::new(geometry);
    let mut known = Book::default();
    let mut checkpoint = None;
    if let Some(path) = &sources.checkpoint {
        let (open, book) = Checkpoint::open(path, geometry, &keys)?;
        known = book;
        checkpoint = Some(open);
    }
    known.extend(book_of(&sources.moves, &keys));
    for path in sources.known {
        known.extend(read_known(path, geometry, &keys, proceed)?);
    }
    let asking = Asking {
        nodes_before: sources.solver.nodes(),
        solver: sources.solver,
        keys: &keys,
        known,
        checkpoint,
        proceed,
        after: Position::new(geometry),
        moves: Vec::new(),
        root: 0,
    };
    let mut walk = Walk::new(geometry, &keys, asking);
    let proven = roots.iter().enumerate().try_for_each(|(number, root)| {
        let asking = walk.strategy();
        asking.root = number;
        asking.solver.go_to(root.position());
        match walk.prove(root) {
            // A move of the checkpoint or of the given ones may be wrong, or the claim.
            Err(refuted @ ProofError::Refuted { .. }) if walk.strategy().is_won(root)? => Err(refuted),
            Err(ProofError::Refuted { .. }) => Err(ProofError::NotWon { root: number }),
            proven => proven,
        }
    });
    if let Some(checkpoint) = &mut walk.strategy().checkpoint {
        checkpoint.flush()?;
    }
    proven.map(|()| {
        let (summary, Asking { moves, .. }, book) = walk.end();
        let longest_games = roots.iter().map(|root| book.longest_game(&keys, root)).collect();
        (moves, Written { summary, bytes: 0, longest_games })
    })
}

/// A book of these moves, each for the player to move in its position. A move that does not win is found by the walk.
fn book_of<const N: usize>(moves: &[(Root, Vertex)], keys: &Keys<N>) -> Book<N> {
    let mut book = Book::default();
    for (root, v) in moves {
        let (key, symmetry) = keys.images(root.position()).key();
        book.insert(root.to_move(), key, Entry::new(keys.image(symmetry, *v), 0));
    }
    book
}

/// The moves of a known proof.
fn read_known<const N: usize>(
    path: PathBuf,
    geometry: &'static Geometry,
    keys: &Keys<N>,
    proceed: &mut dyn FnMut(ProofProgress) -> bool,
) -> Result<Book<N>, ProofError> {
    let mut is_stopped = false;
    let proceed = || {
        is_stopped = !proceed(ProofProgress { moves: 0, nodes: 0 });
        !is_stopped
    };
    let file = files::open(&path).map_err(ProofError::from);
    let read = file.and_then(|file| read_moves(Interruptible { file, proceed }, geometry, keys));
    match read {
        Err(_) if is_stopped => Err(ProofError::Stopped),
        read => read.map_err(|error| ProofError::Known(path, Box::new(error))),
    }
}

/// The strategy of a writer: looks for moves in its sources.
struct Asking<'a, const N: usize> {
    solver: &'a mut Solver,
    /// The number of positions that the solver had visited before.
    nodes_before: u64,
    keys: &'a Keys<N>,
    /// Moves from the checkpoint and other proofs.
    known: Book<N>,
    checkpoint: Option<Checkpoint>,
    proceed: &'a mut dyn FnMut(ProofProgress) -> bool,
    /// Working space: the position after a move.
    after: Position,
    /// The strategy so far, as indices of vertices.
    moves: Vec<u8>,
    /// The number of the root that is being proven.
    root: usize,
}

impl<const N: usize> Strategy<N> for Asking<'_, N> {
    fn answer(&mut self, turn: &Turn<'_, N>) -> Result<Vertex, ProofError> {
        self.report()?;
        let v = self.find(turn)?;
        self.moves.push(v.index() as u8);
        Ok(v)
    }
}

impl<const N: usize> Asking<'_, N> {
    /// Reports progress, and saves the moves of the checkpoint if that is due.
    fn report(&mut self) -> Result<(), ProofError> {
        if let Some(checkpoint) = &mut self.checkpoint {
            checkpoint.flush_if_due()?;
        }
        let progress = ProofProgress { moves: self.moves.len() as u64, nodes: self.solver.nodes() - self.nodes_before };
        let goes_on = !self.solver.search.is_stopped() && (self.proceed)(progress);
        if goes_on { Ok(()) } else { Err(ProofError::Stopped) }
    }

    /// A winning move: a known one, or else the one that won against another reply, or else the solver's.
    fn find(&mut self, turn: &Turn<'_, N>) -> Result<Vertex, ProofError> {
        let known = self.known.answer(self.keys, turn.images, turn.winner);
        if let Some(v) = known.filter(|&v| turn.position.is_empty(v)) {
            return Ok(v);
        }
        let v = match turn.hint.filter(|&v| self.wins(turn, v)) {
            Some(v) => v,
            None => self.solve(turn)?,
        };
        if let Some(checkpoint) = &mut self.checkpoint {
            let (key, symmetry) = turn.images.key();
            checkpoint.append(turn.winner, &key, self.keys.image(symmetry, v))?;
        }
        Ok(v)
    }

    /// Whether the solver finds at once that a move wins.
    fn wins(&mut self, turn: &Turn<'_, N>, v: Vertex) -> bool {
        if !turn.position.is_empty(v) {
            return false;
        }
        self.after.copy_from(turn.position);
        self.after.place(turn.winner, v);
        let answer = self.solver.search.ask(&self.after, !turn.winner, turn.winner, HINT_NODES, None);
        answer == Some(Answer::Loss)
    }

    /// Whether a root is won by its winner.
    fn is_won(&mut self, root: &Root) -> Result<bool, ProofError> {
        Ok(match self.ask(root.position(), root.to_move(), root.winner())? {
            Answer::Win(_) => root.to_move() == root.winner(),
            Answer::Loss => root.to_move() != root.winner(),
            Answer::NoWin(_) => false,
        })
    }

    /// The solver's winning move.
    fn solve(&mut self, turn: &Turn<'_, N>) -> Result<Vertex, ProofError> {
        match self.ask(turn.position, turn.winner, turn.winner)? {
            Answer::Win(v) => Ok(v),
            Answer::Loss | Answer::NoWin(_) => Err(ProofError::NotWon { root: self.root }),
        }
    }

    /// The solver's answer to whether a player wins, with `color` to move. Most answers are found soon, by one thread; the
    /// others work on what takes longer.
    fn ask(&mut self, position: &Position, color: Color, player: Color) -> Result<Answer, ProofError> {
        let mut nodes = SLICE_NODES;
        loop {
            if let Some(answer) = self.solver.search.ask(position, color, player, nodes, None) {
                return Ok(answer);
            }
            self.report()?;
            nodes = self.solver.search.slice_nodes();
        }
    }
}
