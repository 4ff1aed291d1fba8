//! Writing and checking proofs.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;

use malecon::base::files::{Replacement, check_regular, in_file, open, replace};
use malecon::engine::session::StopFlag;
use malecon::engine::solver::{Budget, Solver, Sources, Written, prove};
use malecon::game::{Color, Geometry, Notation, Position};
use malecon::proof::{self, Checked, ProofError, Root, Summary};
use serde_json::json;

use crate::cli::failure::Failure;
use crate::cli::output::{print, print_data};

use super::SourceArguments;
use super::status::Status;

/// Writes proofs.
pub struct Prover<'a> {
    pub sources: &'a SourceArguments,
    pub quiet: bool,
    /// When to give up a proof.
    pub budget: Budget,
    pub stop: &'a StopFlag,
}

impl Prover<'_> {
    /// Writes a proof of these roots. The file appears only when it is complete.
    pub fn write_file(
        &self,
        file: &Path,
        roots: &[Root],
        solver: &mut Solver,
        status: &mut Status,
    ) -> Result<Written, String> {
        self.try_write(file, roots, solver, status).map_err(|error| described(file, error))
    }

    /// Like [`Prover::write_file`], but returns why there is no proof.
    pub fn try_write(
        &self,
        file: &Path,
        roots: &[Root],
        solver: &mut Solver,
        status: &mut Status,
    ) -> Result<Written, ProofError> {
        let begun = Instant::now();
        let mut output = Replacement::new(file)?;
        let nodes_before = solver.nodes();
        let SourceArguments { known, checkpoint } = self.sources;
        let sources = Sources { known: known.clone(), checkpoint: checkpoint.clone(), ..Sources::new(&mut *solver) };
        let written = prove(BufWriter::new(&mut output), roots, sources, &mut |progress| {
            status.proving(&progress);
            let Budget { time, nodes } = self.budget;
            let has_time = time.is_none_or(|most| begun.elapsed() < most);
            let has_nodes = nodes.is_none_or(|most| progress.nodes <= most);
            !self.stop.is_stopped() && has_time && has_nodes
        });
        status.clear();
        let written = written?;
        output.finish()?;
        if !self.quiet {
            let nodes = solver.nodes() - nodes_before;
            eprintln!(
                "{}: {}, {} bytes, {nodes} nodes in {:.2} s",
                file.display(),
                describe(written.summary),
                written.bytes,
                begun.elapsed().as_secs_f64()
            );
        }
        Ok(written)
    }
}

/// Checks that a proof can be written and its sources are there, before hours of work. A proof that provides moves must
/// be for this board, if one is given.
pub fn check_files(
    written: Option<&PathBuf>,
    sources: &SourceArguments,
    board: Option<&'static Geometry>,
) -> Result<(), String> {
    // Who reads a pipe would take this for the end.
    let is_pipe = |path: &&PathBuf| path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
    if let Some(path) = written.filter(|path| !is_pipe(path)) {
        Replacement::new(path).map(drop).map_err(in_file(path))?;
    }
    if let Some(path) = &sources.checkpoint {
        // It is made if it is not there.
        let opened = check_regular(path).and_then(|()| File::options().append(true).create(true).open(path));
        opened.map(drop).map_err(in_file(path))?;
    }
    for path in &sources.known {
        let opened = open(path).map_err(ProofError::Unreadable);
        let checked = opened.and_then(|file| match board {
            Some(board) => proof::check_board(file, board),
            None => proof::board_of(file).map(drop),
        });
        checked.map_err(|error| ProofError::Known(path.clone(), Box::new(error)).to_string())?;
    }
    Ok(())
}

/// A sentence that says why there is no proof in this file.
pub fn described(file: &Path, error: ProofError) -> String {
    match error {
        ProofError::Stopped => format!("{}: no proof was written before the work was stopped", file.display()),
        error @ (ProofError::Known(..) | ProofError::Checkpoint { .. } | ProofError::CheckpointFile(..)) => {
            error.to_string()
        }
        error => in_file(file)(error),
    }
}

fn describe(summary: Summary) -> String {
    format!("{} positions, {} moves", summary.positions, summary.moves)
}

/// Checks a proof, and prints what it proves.
pub fn check_file(file: &Path, as_json: bool) -> Result<(), Failure> {
    let begun = Instant::now();
    let checked = File::open(file).map_err(ProofError::Unreadable).and_then(proof::check);
    let checked = checked.map_err(|error| match error {
        ProofError::Unreadable(error) => Failure::Trouble(in_file(file)(error)),
        error => Failure::Failed(in_file(file)(error)),
    })?;
    let seconds = begun.elapsed().as_secs_f64();
    let printed =
        if as_json { print_data(&to_json(&checked, seconds)) } else { print(&to_text(file, &checked, seconds)) };
    printed.map_err(Failure::into_trouble)
}

/// The memory of a solver that tells whether a position is hard, in bytes.
const TABLE_SOLVER_BYTES: usize = 4 << 20;

/// Writes the table of a proof, with the positions that a new solver does not solve within `nodes` positions.
pub fn write_table(proof: &Path, file: &Path, nodes: u64) -> Result<(), Failure> {
    let opened = File::open(proof).map_err(in_file(proof))?;
    let mut solver = None;
    let mut is_hard = |position: &Position, color| {
        let new = || Solver::new(position.geometry(), TABLE_SOLVER_BYTES).expect("there is memory for a small solver");
        let solver = solver.get_or_insert_with(new);
        solver.clear();
        solver.solve(position, color, nodes).is_none()
    };
    let table = proof::winning_table(opened, &mut is_hard).map_err(in_file(proof))?;
    replace(file, &table).map_err(in_file(file))?;
    eprintln!("{}: {} bytes", file.display(), table.len());
    Ok(())
}

/// The stones of a root, white's and black's, in HavannahGui's names.
fn stones(root: &Root) -> [Vec<String>; 2] {
    let geometry = root.position().geometry();
    Color::ALL.map(|color| {
        let stones = geometry.vertices().filter(|&v| root.position().stone(v) == Some(color));
        stones.map(|v| Notation::HavannahGui.name(geometry, v)).collect()
    })
}

fn to_text(file: &Path, checked: &Checked, seconds: f64) -> String {
    let mut text = String::new();
    for (root, game) in checked.roots.iter().zip(&checked.longest_games) {
        let [white, black] = stones(root).map(|names| if names.is_empty() { "-".into() } else { names.join(" ") });
        text += &format!(
            "{} wins on {} (white {white}, black {black}, {} to move) in {} moves at most\n",
            root.winner(),
            root.position().geometry().shape().title(),
            root.to_move(),
            game.len()
        );
    }
    let Checked { summary, bytes, .. } = checked;
    text + &format!("{}: proven: {}, {bytes} bytes, {seconds:.2} s\n", file.display(), describe(*summary))
}

fn to_json(checked: &Checked, seconds: f64) -> String {
    let roots = checked.roots.iter().zip(&checked.longest_games).map(|(root, game)| {
        let geometry = root.position().geometry();
        let [white, black] = stones(root);
        let side = geometry.shape().regular_side();
        let (name, value) = side.map_or(("board", json!(geometry.shape().to_string())), |side| ("side", json!(side)));
        json!({
            name: value,
            "white": white,
            "black": black,
            "to_move": root.to_move().to_string(),
            "winner": root.winner().to_string(),
            "longest_game": Notation::HavannahGui.names(geometry, game),
        })
    });
    let roots: Vec<_> = roots.collect();
    let Checked { summary, bytes, .. } = checked;
    let fields = json!({
        "proven": roots,
        "positions": summary.positions,
        "moves": summary.moves,
        "bytes": bytes,
        "seconds": seconds,
    });
    format!("{fields}\n")
}
