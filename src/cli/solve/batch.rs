//! Solving the positions of a file, which may be divided among several runs and machines, or of a stream, one by one.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use clap::Args;
use malecon::base::encoding::{self, Decoded};
use malecon::base::files::in_file;
use malecon::base::input::read_line;
use malecon::base::lines::{self, LineFile};
use malecon::base::sync::start_thread;
use malecon::base::text::count;
use malecon::engine::session::StopFlag;
use malecon::engine::solver::{Budget, Solver, solve};
use malecon::game::{Color, Shape};
use malecon::proof::{MAX_ROOTS, ProofError, Root};
use malecon::tools::arena::schedule::Shard;

use crate::cli::failure::Failure;
use crate::cli::files::check_apart;
use crate::cli::output::{has_reader, print_data, report_error};

use super::prove::{Prover, check_files, described};
use super::status::Status;
use super::{LimitArguments, PositionLine, Solved, SolverArguments, SourceArguments, Task, to_line};

/// The name of standard input.
const STDIN: &str = "-";

/// The longest line of standard input, in bytes.
const MAX_LINE: usize = 64 << 10;

/// How long an interruption may wait where no position comes.
const PATIENCE: Duration = Duration::from_millis(50);

/// Options of `malecon solve batch`.
#[derive(Args)]
pub struct Arguments {
    /// The positions, one JSON object a line: side, board or position, moves, to_move; with -, they are read from standard
    /// input, and each is solved and answered before the next is read
    #[arg(value_name = "POSITIONS")]
    file: PathBuf,
    /// Solve only every N-th position, beginning with the I-th (1 ≤ I ≤ N)
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE, hide_default_value = true)]
    shard: Shard,
    /// Write the results to this file, one JSON object a line [default: the standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Continue an interrupted run: positions whose value is in the file of --out already are not solved again
    #[arg(long, requires = "out")]
    resume: bool,
    /// Write a proof of each position to a file in this directory; with --resume, also those that are missing there
    #[arg(long, value_name = "DIR", conflicts_with = "proof")]
    proofs: Option<PathBuf>,
    /// Write one proof of all positions to this file
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
    /// With --proof: this player wins all positions, white or black; prove it without solving them first
    #[arg(long = "for", value_name = "COLOR", requires = "proof", conflicts_with_all = ["out", "resume"])]
    player: Option<Color>,
    #[command(flatten)]
    sources: SourceArguments,
    #[command(flatten)]
    limit: LimitArguments,
    #[command(flatten)]
    solver: SolverArguments,
}

/// Solves the positions of the shard, and writes a line about each.
pub fn run(arguments: &Arguments, stop: &StopFlag) -> Result<(), Failure> {
    let Arguments { file, out, proof, sources, .. } = arguments;
    if proof.is_none() && arguments.proofs.is_none() && (sources.checkpoint.is_some() || !sources.known.is_empty()) {
        return Err("--checkpoint and --known are for proofs (add --proof FILE or --proofs DIR)".into());
    }
    let read = sources.known.iter().chain([file]).chain(&arguments.solver.network);
    check_apart(read, out.iter().chain(proof).chain(&sources.checkpoint))?;
    if file.as_os_str() == STDIN {
        if proof.is_some() {
            return Err(
                "one proof of all positions needs a file of them: those of standard input are solved as they come"
                    .into(),
            );
        }
        check_files(None, sources, None)?;
        return Batch::new(arguments, stop)?.solve_stream();
    }
    let tasks = read_tasks(arguments)?;
    if proof.is_some() && tasks.len() > usize::from(MAX_ROOTS) {
        return Err(format!(
            "{}: {} positions are too many for one proof (expected {MAX_ROOTS} or less; --proofs writes one for each)",
            file.display(),
            tasks.len()
        )
        .into());
    }
    // Without one proof for all, each position has its own board.
    let board = tasks.first().filter(|_| proof.is_some()).map(|task| task.game.geometry());
    check_files(proof.as_ref(), sources, board)?;
    let mut batch = Batch::new(arguments, stop)?;
    if let (Some(proof), Some(winner)) = (proof, arguments.player) {
        let mut solver = tasks[0].solver(&arguments.solver, stop)?;
        let positions = tasks.iter().map(|task| (task, winner)).collect();
        return prove_all(&batch.prover, proof, positions, &mut solver, &mut batch.status);
    }
    for (i, task) in tasks.iter().enumerate() {
        let solved = batch.answer(task, format!("{} of {}, {}", i + 1, tasks.len(), task.title()))?;
        batch.known.extend(solved.map(|solved| (task.to_string(), Known { solved, lines: 0 })));
        if stop.is_stopped() || (proof.is_none() && !batch.has_reader()) {
            return Ok(());
        }
    }
    batch.status.clear();
    let Some(proof) = proof else { return batch.end() };
    let Batch { mut status, prover, known, solver, .. } = batch;
    // The proof has a solver of its own.
    drop(solver);
    let winner = |task: &'_ Task| match known.get(&task.to_string()).and_then(|known| known.solved.value) {
        Some(value) => value.color().ok_or_else(|| format!("no proof was written: {task} is a draw")),
        None => Err(format!("no proof was written: {task} is not solved")),
    };
    let positions = tasks.iter().map(|task| Ok((task, winner(task)?))).collect::<Result<_, String>>()?;
    prove_all(&prover, proof, positions, &mut tasks[0].solver(&arguments.solver, stop)?, &mut status)
}

/// What was found about a position.
struct Known {
    solved: Solved,
    /// How many lines an earlier run wrote about it that no line of the input has taken as its answer so far.
    lines: usize,
}

/// The work on the positions one after another.
struct Batch<'a> {
    arguments: &'a Arguments,
    stop: &'a StopFlag,
    prover: Prover<'a>,
    status: Status,
    results: Results,
    /// What is known, by position: it need not be found again.
    known: HashMap<String, Known>,
    /// The solver of the latest position, and its board.
    solver: Option<(Shape, Solver)>,
    /// The proofs that could not be written.
    unwritten: HashSet<PathBuf>,
}

impl<'a> Batch<'a> {
    fn new(arguments: &'a Arguments, stop: &'a StopFlag) -> Result<Batch<'a>, Failure> {
        let quiet = arguments.solver.quiet;
        // Without --for, the limit is one for solving.
        let budget = arguments.player.map_or_else(Budget::default, |_| arguments.limit.budget());
        let prover = Prover { sources: &arguments.sources, quiet, budget, stop };
        if let Some(directory) = &arguments.proofs {
            fs::create_dir_all(directory).map_err(in_file(directory))?;
        }
        let (results, known) = Results::open(arguments)?;
        Ok(Batch {
            arguments,
            stop,
            prover,
            status: Status::new(quiet),
            results,
            known,
            solver: None,
            unwritten: HashSet::new(),
        })
    }

    /// Writes a line about a position, unless an earlier run wrote one, and its proof where it is missing. If nothing is
    /// known, solves the position first, and returns what was found. Returns nothing if that is stopped.
    fn answer(&mut self, task: &Task, title: String) -> Result<Option<Solved>, Failure> {
        self.status.set_title(title);
        let Some(known) = self.known.get_mut(&task.to_string()) else {
            let Some(solved) = self.solve(task)? else { return Ok(None) };
            // A proof may take longer than this took.
            self.results.write(&solved)?;
            if let (Some(winner), Some(file)) = (solved.winner(), self.proof_file(task)) {
                self.prove(task, winner, &file)?;
            }
            return Ok(Some(solved));
        };
        match known.lines {
            0 => self.results.write(&known.solved)?,
            _ => known.lines -= 1,
        }
        if let (Some(winner), Some(file)) = (known.solved.winner(), self.proof_file(task))
            && !file.is_file()
            && !self.unwritten.contains(&file)
        {
            cleared(&mut self.solver, task, &self.arguments.solver, self.stop)?;
            self.prove(task, winner, &file)?;
        }
        Ok(None)
    }

    /// Writes the proof of a position with its solver. If the proof cannot be written, reports that.
    fn prove(&mut self, task: &Task, winner: Color, file: &Path) -> Result<(), Failure> {
        let (_, solver) = self.solver.as_mut().expect("the position has a solver");
        match self.prover.try_write(file, &[task.root(winner)], solver, &mut self.status) {
            Ok(_) => {
                self.unwritten.remove(file);
            }
            Err(error @ ProofError::Stopped) => return Err(described(file, error).into()),
            Err(error) => {
                report_error(described(file, error));
                self.unwritten.insert(file.to_owned());
            }
        }
        Ok(())
    }

    /// The result of the command, if its positions were solved: an error if proofs could not be written.
    fn end(&self) -> Result<(), Failure> {
        match self.unwritten.len() {
            0 => Ok(()),
            missing => Err(Failure::Trouble(format!("{} could not be written", count(missing, "proof")))),
        }
    }

    /// Whether the results or the proofs are still of use to somebody.
    fn has_reader(&self) -> bool {
        has_reader() || matches!(self.results, Results::File(_)) || self.arguments.proofs.is_some()
    }

    /// Where the proof of a position belongs, if there is a directory for proofs.
    fn proof_file(&self, task: &Task) -> Option<PathBuf> {
        Some(self.arguments.proofs.as_ref()?.join(format!("{}.proof", task.file_name())))
    }

    /// Solves a position. Returns nothing if that is stopped.
    fn solve(&mut self, task: &Task) -> Result<Option<Solved>, Failure> {
        let Batch { arguments, stop, status, solver, .. } = self;
        let solver = cleared(solver, task, &arguments.solver, stop)?;
        let outcome = solve(solver, &task.game, &arguments.limit.budget(), &mut |progress| {
            status.solving(&progress);
            !stop.is_stopped()
        });
        Ok((!stop.is_stopped()).then(|| Solved::new(task, &outcome)))
    }

    /// Solves the positions of standard input as they come. Reports lines that are not positions, and goes on.
    fn solve_stream(mut self) -> Result<(), Failure> {
        let lines = lines_of_stdin()?;
        let (mut count, mut positions, mut refused) = (0, 0, 0);
        loop {
            let line = match lines.recv_timeout(PATIENCE) {
                Ok(line) => line.map_err(|error| format!("standard input: {error}"))?,
                Err(RecvTimeoutError::Timeout) if self.stop.is_stopped() => return Ok(()),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            count += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            positions += 1;
            if !self.arguments.shard.has(positions - 1) {
                continue;
            }
            match read_line_of_stdin(&line) {
                // Who asks again may have another limit, and waits for an answer.
                Ok(task) => drop(self.answer(&task, format!("line {count}, {}", task.title()))?),
                Err(error) => {
                    refused += 1;
                    report_error(format_args!("standard input:{count}: {error}"));
                }
            }
            if self.stop.is_stopped() || !self.has_reader() {
                return Ok(());
            }
        }
        self.status.clear();
        let refused = match refused {
            0 => return self.end(),
            1 => "a line of standard input is not a position to solve".into(),
            _ => format!("{refused} lines of standard input are not positions to solve"),
        };
        self.end().err().and_then(|failure| failure.message()).iter().for_each(report_error);
        Err(Failure::Trouble(refused))
    }
}

/// The solver of the latest position, if that was on the same board, or a new one. It knows nothing: a position is solved
/// as if it were the only one, so that the shards do not change the results.
fn cleared<'a>(
    solver: &'a mut Option<(Shape, Solver)>,
    task: &Task,
    arguments: &SolverArguments,
    stop: &StopFlag,
) -> Result<&'a mut Solver, String> {
    let shape = task.game.geometry().shape();
    let found = match solver.take() {
        Some((of, mut found)) if of == shape => {
            found.clear();
            found
        }
        _ => task.solver(arguments, stop)?,
    };
    Ok(&mut solver.insert((shape, found)).1)
}

/// The position of a line of standard input.
fn read_line_of_stdin(line: &[u8]) -> Result<Task, String> {
    if line.len() > MAX_LINE {
        return Err(format!("the line is longer than {MAX_LINE} bytes"));
    }
    read_task(str::from_utf8(line).map_err(|_| "the line is not UTF-8")?)
}

/// The lines of standard input, one at a time: the next is read when the one before has been taken. Of a line that is too
/// long, they have one byte too many.
fn lines_of_stdin() -> Result<Receiver<io::Result<Vec<u8>>>, Failure> {
    let (sender, lines) = sync_channel(0);
    let mut input = Decoded::new(BufReader::new(io::stdin()));
    let mut next = move || {
        let mut line = Vec::new();
        read_line(&mut input, &mut line, MAX_LINE).map(|is_any| is_any.then_some(line))
    };
    let read = move || while next().transpose().is_some_and(|line| sender.send(line).is_ok()) {};
    start_thread("positions", read).map_err(|error| format!("a thread cannot be started: {error}"))?;
    Ok(lines)
}

/// Writes one proof of all positions that their winners do win. Reports the others.
fn prove_all(
    prover: &Prover,
    proof: &Path,
    mut positions: Vec<(&Task, Color)>,
    solver: &mut Solver,
    status: &mut Status,
) -> Result<(), Failure> {
    let all = positions.len();
    let (begun, nodes_before) = (Instant::now(), solver.nodes());
    loop {
        // The limits are for all attempts together.
        let Budget { time, nodes } = prover.budget;
        let budget = Budget {
            time: time.map(|most| most.saturating_sub(begun.elapsed())),
            nodes: nodes.map(|most| most.saturating_sub(solver.nodes() - nodes_before)),
        };
        let prover = Prover { budget, ..*prover };
        let roots: Vec<Root> = positions.iter().map(|(task, winner)| task.root(*winner)).collect();
        match prover.try_write(proof, &roots, solver, status) {
            Ok(_) => break,
            Err(ProofError::NotWon { root }) if all > 1 => {
                let (task, winner) = positions.remove(root);
                report_error(format_args!("{task} is not won by {winner}"));
            }
            Err(error) => return Err(described(proof, error).into()),
        }
        if positions.is_empty() {
            return Err(Failure::Trouble(format!("{}: no proof was written", proof.display())));
        }
    }
    let missing = all - positions.len();
    match missing {
        0 => Ok(()),
        _ => Err(Failure::Trouble(format!("{}: proves {} of {all} positions", proof.display(), positions.len()))),
    }
}

/// The positions of the shard.
fn read_tasks(arguments: &Arguments) -> Result<Vec<Task>, String> {
    let file = &arguments.file;
    let text = encoding::read(file)?;
    let mut tasks = Vec::new();
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let mut is_empty = true;
    for (i, (number, line)) in lines.enumerate() {
        is_empty = false;
        let at = |error: String| format!("{}:{number}: {error}", file.display());
        let task = read_task(line).map_err(at)?;
        if arguments.shard.has(i) {
            tasks.push(task);
        }
    }
    // Where there are more shards than positions, some have none.
    if tasks.is_empty() && (is_empty || arguments.proof.is_some()) {
        return Err(format!("{}: there is no position to solve", file.display()));
    }
    Ok(tasks)
}

/// The position of a line.
fn read_task(line: &str) -> Result<Task, String> {
    let line: PositionLine = serde_json::from_str(line).map_err(|error| {
        let error = lines::in_one_line(&error);
        format!("not a position such as {{\"side\": 4, \"moves\": [\"a1\", \"e5\"]}}: {error}")
    })?;
    Task::new(&line)
}

/// Where the results go.
enum Results {
    Stdout,
    File(LineFile),
}

impl Results {
    /// Opens the file of --out. Also returns what an earlier run has found, by position.
    fn open(arguments: &Arguments) -> Result<(Results, HashMap<String, Known>), String> {
        let mut known = HashMap::new();
        let Some(path) = &arguments.out else { return Ok((Results::Stdout, known)) };
        let (file, lines) = LineFile::open::<Solved>(path, arguments.resume)?;
        for (number, solved) in (1..).zip(lines) {
            let task = Task::new(&solved.position)
                .map_err(|error| format!("{}: position {number}: {error}", path.display()))?;
            // Without a value it was not solved within its limit; this run may have another.
            if solved.value.is_some() {
                known.entry(task.to_string()).or_insert(Known { solved, lines: 0 }).lines += 1;
            }
        }
        Ok((Results::File(file), known))
    }

    /// Writes a line at once, so that an interruption loses none.
    fn write(&mut self, solved: &Solved) -> Result<(), Failure> {
        match self {
            Results::Stdout => print_data(&to_line(solved)),
            Results::File(file) => Ok(file.add(solved)?),
        }
    }
}
