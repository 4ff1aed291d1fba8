//! `malecon solve`: the value of positions on small boards, and proofs of it.

mod batch;
mod prove;
mod status;

use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use malecon::base::text::count;
use malecon::engine::session::{SolveError, StopFlag};
use malecon::engine::solver::{
    Budget, SolveOutcome, Solver, SolverError, Value, has_solver, longest_resistance, positions_after,
    random_positions, solve,
};
use malecon::game::{Color, Game, Geometry, Notation, ParseColorError, ParseShapeError, Shape, Vertex};
use malecon::tools::arena::schedule::Shard;
use serde::{Deserialize, Serialize};

use super::arena::positive_seconds;
use super::load_solver_network;
use super::output::print;
use super::signals;
use status::Status;

/// Options of `malecon solve`.
#[derive(Args)]
pub struct Arguments {
    /// Side length of the board, 2 to 6
    #[arg(long, value_name = "N", default_value_t = 4)]
    side: usize,
    /// The board as the lengths of its sides, for hexagons between the regular ones, such as 4-4-5
    #[arg(long, value_name = "A-B-C", conflicts_with_all = ["side", "positions", "check"])]
    board: Option<Shape>,
    /// Ask only whether this player wins, white or black; with --proof, prove it without solving the position first
    #[arg(long = "for", value_name = "COLOR")]
    player: Option<Color>,
    /// Give up on a position after this many seconds, or with --for and --proof on the proof
    #[arg(long, value_name = "S", value_parser = positive_seconds)]
    time: Option<Duration>,
    /// Give up on a position after visiting this many positions of the search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Megabytes that the solver's table may take
    #[arg(long, value_name = "MB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
    /// Threads that work on one position together; with several, the number of positions visited differs from run to
    /// run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// The network that says which moves to search first [default: the one compiled in]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Search without the advice of a network
    #[arg(long, conflicts_with = "network")]
    unguided: bool,
    /// Write a proof to this file; with --positions, one proof of all positions
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
    /// Save the moves of the proof in this file as they are found, and continue there after an interruption
    #[arg(long, value_name = "FILE", requires = "proof")]
    checkpoint: Option<PathBuf>,
    /// Take moves from this proof before asking the solver; may be repeated
    #[arg(long, value_name = "FILE", requires = "proof", num_args = 1)]
    known: Vec<PathBuf>,
    /// Check the proof in this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["proof", "positions", "openings", "moves", "player", "time", "nodes"])]
    check: Option<PathBuf>,
    /// With --check: write White's moves in the hardest positions of the proof to this file, as the engine has them of
    /// side 4
    #[arg(long, value_name = "FILE", requires = "check")]
    table: Option<PathBuf>,
    /// With --table: how many positions the solver may visit in a position before it counts as hard
    #[arg(long, value_name = "N", default_value_t = 4000, requires = "table")]
    easy: u64,
    /// Solve all positions of this file, one JSON object a line: side or board, moves, to_move
    #[arg(long, value_name = "FILE", conflicts_with_all = ["openings", "moves"])]
    positions: Option<PathBuf>,
    /// With --positions: solve only every N-th position, beginning with the I-th (1 ≤ I ≤ N)
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE, hide_default_value = true, requires = "positions")]
    shard: Shard,
    /// With --positions: write the results to this file, one JSON object a line [default: the standard output]
    #[arg(long, value_name = "FILE", requires = "positions")]
    out: Option<PathBuf>,
    /// Continue an interrupted run: positions that the file of --out has with their value are not solved again
    #[arg(long, requires = "out")]
    resume: bool,
    /// With --positions: write a proof of each position to a file in this directory
    #[arg(long, value_name = "DIR", requires = "positions", conflicts_with = "proof")]
    proofs: Option<PathBuf>,
    /// Print the openings of N stones, up to symmetry, as a file for --positions
    #[arg(long, value_name = "N", conflicts_with_all = ["moves", "proof"])]
    openings: Option<u8>,
    /// With --openings: print this many random positions of N stones instead of all openings
    #[arg(long, value_name = "COUNT", requires = "openings")]
    random: Option<usize>,
    /// With --random: seed of the random numbers; the same seed gives the same positions
    #[arg(long, value_name = "N", default_value_t = 1, requires = "random")]
    seed: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
    /// The moves that lead to the position, in HavannahGui's names; white moves first, and the colours alternate
    #[arg(value_name = "VERTEX")]
    moves: Vec<String>,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
Prints the value of the position (white, black, draw, or unknown at the limit), a move that keeps it, and the longest \
resistance: the longest game that the loser can force against the winning strategy found. The winner may have a faster \
strategy.

A proof holds the winner's move in every position that the loser can reach. --check verifies it with the rules alone, \
in seconds. docs/solving.md shows how to prove a whole board, and docs/proof-format.md describes the file.

Ctrl-C ends the program with what was found so far, and status 130. The status is 1 if a proof is refused, and 2 after \
other errors.

Examples:
  malecon solve --side 3
      Who wins on side 3, from the empty board?
  malecon solve --side 4 --time 60 --proof a1.proof a1 e5
      Solve side 4 after white a1 and black e5, and write a proof.
  malecon solve --check a1.proof
      Check it.
  malecon solve --side 4 --openings 2 > two.jsonl
  malecon solve --positions two.jsonl --time 600 --shard 1/2 --out 1.jsonl --resume
      The first half of all openings of two stones, one after another; the same command continues after an interruption.
";

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let stop = StopFlag::new();
    let done = match arguments {
        Arguments { check: Some(proof), table: Some(file), .. } => prove::write_table(proof, file, arguments.easy),
        Arguments { check: Some(file), .. } => prove::check_file(file, arguments.json),
        Arguments { openings: Some(stones), .. } => print_openings(arguments, (*stones).into()),
        Arguments { positions: Some(file), .. } => {
            catch_interrupts(&stop);
            batch::run(arguments, file, &stop)
        }
        _ => {
            catch_interrupts(&stop);
            run_single(arguments, &stop)
        }
    };
    let status = done.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    });
    if stop.is_stopped() { ExitCode::from(130) } else { status }
}

/// Makes Ctrl-C raise the flag. A second Ctrl-C ends the program at once.
fn catch_interrupts(stop: &StopFlag) {
    let flag = stop.clone();
    if let Err(error) = signals::catch_first(move || flag.stop()) {
        log::warn!("Ctrl-C will end the program without a result: {error}");
    }
}

/// A position as a line of JSON.
#[derive(Clone, Serialize, Deserialize)]
struct PositionLine {
    /// The side length of a regular board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    side: Option<usize>,
    /// The side lengths of another board, such as `4-4-5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    board: Option<String>,
    /// Vertices in HavannahGui's names. White moves first, and the colours alternate.
    moves: Vec<String>,
    /// `w` or `b`, if it is not the player whose turn it is after the moves.
    to_move: Option<String>,
}

impl PositionLine {
    fn new(shape: Shape, moves: Vec<String>, to_move: Option<String>) -> PositionLine {
        let side = shape.regular_side();
        let board = side.is_none().then(|| shape.to_string());
        PositionLine { side, board, moves, to_move }
    }

    fn shape(&self) -> Result<Shape, String> {
        match (self.side, &self.board) {
            (Some(side), None) => Shape::regular(side).map_err(|error| error.to_string()),
            (None, Some(board)) => board.parse().map_err(|error: ParseShapeError| error.to_string()),
            _ => Err("a position has a side or a board, such as \"side\": 4 or \"board\": \"4-4-5\"".into()),
        }
    }
}

/// A position to solve: a game that is not over.
struct Task {
    game: Game,
    /// The moves that lead to the position.
    moves: Vec<Vertex>,
}

impl Task {
    fn new(line: &PositionLine) -> Result<Task, String> {
        let geometry = Geometry::with_shape(line.shape()?);
        if !has_solver(geometry) {
            return Err(SolverError::TooLarge(geometry.shape()).to_string());
        }
        let mut game = Game::new(geometry);
        let mut moves = Vec::new();
        for name in &line.moves {
            let v = Notation::HavannahGui.parse(geometry, name).map_err(|error| error.to_string())?;
            game.play(v).map_err(|error| format!("{name}: {error}"))?;
            moves.push(v);
        }
        if game.outcome().is_some() {
            return Err(SolveError::GameOver.to_string());
        }
        if let Some(color) = &line.to_move {
            game.set_to_move(color.parse().map_err(|error: ParseColorError| error.to_string())?);
        }
        Ok(Task { game, moves })
    }

    fn solver(&self, arguments: &Arguments, stop: &StopFlag) -> Result<Solver, String> {
        let bytes = arguments.memory as usize * (1 << 20);
        let mut solver = Solver::with_threads(self.game.geometry(), bytes, arguments.threads.into())
            .map_err(|error| error.to_string())?;
        if !arguments.unguided {
            solver = solver.guided_by(&*load_solver_network(arguments.network.as_deref())?);
        }
        solver.stop_on(stop);
        Ok(solver)
    }

    fn name(&self, v: Vertex) -> String {
        Notation::HavannahGui.name(self.game.geometry(), v)
    }

    fn names(&self, vertices: &[Vertex]) -> Vec<String> {
        Notation::HavannahGui.names(self.game.geometry(), vertices)
    }

    fn to_line(&self) -> PositionLine {
        let to_move = if self.game.to_move() == Color::White { "w" } else { "b" };
        PositionLine::new(self.game.geometry().shape(), self.names(&self.moves), Some(to_move.to_owned()))
    }
}

impl fmt::Display for Task {
    /// The position as JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(to_line(&self.to_line()).trim_end())
    }
}

/// The result of a position as a line of JSON.
#[derive(Serialize)]
struct Solved {
    #[serde(flatten)]
    position: PositionLine,
    /// `white`, `black` or `draw`; none if it is not known.
    value: Option<String>,
    /// A move with which the player to move wins.
    winning_move: Option<String>,
    seconds: f64,
    nodes: u64,
}

impl Solved {
    fn new(task: &Task, outcome: &SolveOutcome) -> Solved {
        let wins = outcome.value == Some(Value::Win(task.game.to_move()));
        Solved {
            position: task.to_line(),
            value: outcome.value.map(|value| value.to_string()),
            winning_move: outcome.best.filter(|_| wins).map(|v| task.name(v)),
            seconds: (outcome.time.as_secs_f64() * 1000.0).round() / 1000.0,
            nodes: outcome.nodes,
        }
    }
}

/// What --json prints about a position.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    solved: Solved,
    /// The answer to the question of --for.
    #[serde(flatten)]
    question: Option<Question>,
    best: Option<String>,
    longest_resistance: Option<Vec<String>>,
    nodes_per_second: u64,
    memory_mb: Option<u64>,
}

/// The question of --for.
#[derive(Serialize)]
struct Question {
    #[serde(rename = "for")]
    player: String,
    wins: Option<bool>,
}

impl Report {
    fn new(arguments: &Arguments, task: &Task, outcome: &SolveOutcome, resistance: Option<&[Vertex]>) -> Report {
        let question = arguments.player.map(|player| Question {
            player: player.to_string(),
            wins: outcome.value.map(|value| value == Value::Win(player)),
        });
        Report {
            solved: Solved::new(task, outcome),
            question,
            best: outcome.best.map(|v| task.name(v)),
            longest_resistance: resistance.map(|moves| task.names(moves)),
            nodes_per_second: per_second(outcome),
            memory_mb: status::peak_memory().map(|bytes| bytes >> 20),
        }
    }
}

/// A line of JSON.
fn to_line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("these values are JSON") + "\n"
}

impl Arguments {
    /// The board of --side or --board.
    fn shape(&self) -> Result<Shape, String> {
        match self.board {
            Some(shape) => Ok(shape),
            None => Shape::regular(self.side).map_err(|error| error.to_string()),
        }
    }

    fn budget(&self) -> Budget {
        Budget { time: self.time, nodes: self.nodes }
    }
}

/// Solves the position of the command line.
fn run_single(arguments: &Arguments, stop: &StopFlag) -> Result<ExitCode, String> {
    let position = PositionLine::new(arguments.shape()?, arguments.moves.clone(), None);
    let task = Task::new(&position)?;
    let mut solver = task.solver(arguments, stop)?;
    let mut status = Status::new(arguments.quiet);
    if let (Some(file), Some(winner)) = (&arguments.proof, arguments.player) {
        prove::write_file(arguments, file, &[(&task.game, winner)], &mut solver, &mut status, stop)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut outcome = solve(&mut solver, &task.game, &arguments.budget(), &mut |progress| {
        status.solving(&progress);
        !stop.is_stopped()
    });
    let found = match (outcome.value, &arguments.proof) {
        (Some(Value::Win(winner)), Some(file)) => {
            let written = prove::write_file(arguments, file, &[(&task.game, winner)], &mut solver, &mut status, stop);
            written.map(|written| written.longest_games.into_iter().next())
        }
        (Some(Value::Win(winner)), None) => {
            status.note("solved; looking for the longest resistance");
            let (begun, longest) = (Instant::now(), outcome.time + Duration::from_secs(1));
            let mut proceed = || !stop.is_stopped() && begun.elapsed() < longest;
            Ok(longest_resistance(&mut solver, &task.game, winner, &mut proceed))
        }
        (Some(Value::Draw), Some(_)) => Err("no proof was written: the position is a draw".into()),
        (None, Some(_)) => Err("no proof was written: the position is not solved".into()),
        (_, None) => Ok(None),
    };
    status.clear();
    let resistance = found.as_ref().ok().and_then(|moves| moves.as_deref());
    outcome.best = outcome.best.or(resistance.and_then(|moves| moves.first().copied()));
    let text = match arguments.json {
        true => to_line(&Report::new(arguments, &task, &outcome, resistance)),
        false => to_text(arguments, &task, &outcome, resistance),
    };
    if !print(&text) {
        return Ok(ExitCode::from(2));
    }
    found.map(|_| ExitCode::SUCCESS)
}

/// The value in words, or the answer to the question of --for.
fn verdict(arguments: &Arguments, value: Option<Value>) -> String {
    match (value, arguments.player) {
        (None, _) => "unknown".into(),
        (Some(value), Some(player)) if value == Value::Win(player) => format!("{player} wins"),
        (Some(_), Some(player)) => format!("{player} does not win"),
        (Some(Value::Win(color)), None) => format!("{color} wins"),
        (Some(Value::Draw), None) => "draw".into(),
    }
}

fn per_second(outcome: &SolveOutcome) -> u64 {
    (outcome.nodes as f64 / outcome.time.as_secs_f64().max(1e-6)) as u64
}

fn to_text(arguments: &Arguments, task: &Task, outcome: &SolveOutcome, resistance: Option<&[Vertex]>) -> String {
    let mut text = verdict(arguments, outcome.value) + "\n";
    if let Some(best) = outcome.best {
        text += &format!("best move: {} for {}\n", task.name(best), task.game.to_move());
    }
    if let Some(moves) = resistance {
        let length = count(moves.len(), "move");
        text += &format!("longest resistance: {} ({length})\n", task.names(moves).join(" "));
    }
    text += &format!(
        "{} nodes in {:.2} s, {} nodes/s{}\n",
        outcome.nodes,
        outcome.time.as_secs_f64(),
        per_second(outcome),
        status::peak_memory().map_or(String::new(), |bytes| format!(", {} MB", bytes >> 20))
    );
    text
}

/// All openings are printed for at most this many stones.
const MOST_OPENING_STONES: usize = 4;

/// Prints openings or random positions as lines of JSON.
fn print_openings(arguments: &Arguments, stones: usize) -> Result<ExitCode, String> {
    let shape = arguments.shape()?;
    let geometry = Geometry::with_shape(shape);
    // With more stones than that, few positions are left in which nobody has won.
    let most = if arguments.random.is_some() { geometry.vertex_count() * 2 / 3 } else { MOST_OPENING_STONES };
    if stones > most {
        return Err(format!("{stones} stones are too many (expected 0 to {most})"));
    }
    let positions = match arguments.random {
        Some(count) => random_positions(geometry, stones, count, arguments.seed),
        None => positions_after(geometry, stones),
    };
    let mut text = String::new();
    for moves in positions {
        let moves = Notation::HavannahGui.names(geometry, &moves);
        let task = Task::new(&PositionLine::new(shape, moves, None))?;
        text += &to_line(&task.to_line());
    }
    Ok(if print(&text) { ExitCode::SUCCESS } else { ExitCode::from(2) })
}
