//! `malecon solve`: the value of positions on small boards, and proofs of it.

mod batch;
mod prove;
mod status;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use malecon::base::lines::Line;
use malecon::base::text::count;
use malecon::engine::session::{SolveError, StopFlag};
use malecon::engine::solver::{
    Budget, ProofEstimate, SolveOutcome, SolveProgress, Solver, SolverError, Value, has_solver, longest_resistance,
    positions_after, random_positions, solve, solve_for,
};
use malecon::game::record::Winner;
use malecon::game::{Color, Game, Geometry, Notation, ParseColorError, ParseShapeError, Shape, Vertex};
use malecon::proof::Root;
use malecon::tools::learn::SolvedLine;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::failure::{Failure, unless_stopped};
use super::files::check_apart;
use super::load_solver_network;
use super::output::{print, print_data, print_each, report_error};
use super::parse::{at_least, positive_seconds, side, whole};
use super::signals::stop_flag;
use prove::Prover;
use status::Status;

/// Options of `malecon solve`.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    position: PositionArguments,
}

#[derive(Subcommand)]
enum Command {
    /// Solve a position and write a proof of who wins
    Prove(ProveArguments),
    /// Check a proof with the rules alone
    Check(CheckArguments),
    /// Solve all positions of a file, in shards and after interruptions, and prove them
    Batch(batch::Arguments),
    /// Print the openings of a board, or random positions, as a file for 'malecon solve batch'
    Openings(OpeningsArguments),
    /// Write the moves of a proof in its hardest positions, such as the engine's own table for side 4
    Table(TableArguments),
}

/// A position on the command line.
#[derive(Args)]
struct PositionArguments {
    #[command(flatten)]
    board: BoardArguments,
    /// Ask only whether this player wins, white or black
    #[arg(long = "for", value_name = "COLOR")]
    player: Option<Color>,
    #[command(flatten)]
    limit: LimitArguments,
    #[command(flatten)]
    solver: SolverArguments,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Begin in this position, such as '4/5/6/7/6/5/4 w', instead of on an empty board
    #[arg(long, value_name = "STRING", conflicts_with_all = ["side", "board"])]
    position: Option<String>,
    /// The moves that lead to the position, in HavannahGui's names; the colours alternate, and white moves first on an
    /// empty board
    #[arg(value_name = "VERTEX")]
    moves: Vec<String>,
}

/// Options of `malecon solve prove`.
#[derive(Args)]
struct ProveArguments {
    /// Write the proof to this file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    sources: SourceArguments,
    #[command(flatten)]
    position: PositionArguments,
}

/// Options of `malecon solve check`.
#[derive(Args)]
struct CheckArguments {
    /// The proof
    #[arg(value_name = "PROOF")]
    proof: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Options of `malecon solve table`.
#[derive(Args)]
struct TableArguments {
    /// The proof
    #[arg(value_name = "PROOF")]
    proof: PathBuf,
    /// Write the table to this file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How many positions the solver may visit in a position before it counts as hard
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = at_least::<u64>(0))]
    easy: u64,
}

/// Options of `malecon solve openings`.
#[derive(Args)]
struct OpeningsArguments {
    #[command(flatten)]
    board: BoardArguments,
    /// Print this many random positions instead of all openings; no two are images of each other
    #[arg(long, value_name = "COUNT", value_parser = at_least::<u64>(0))]
    random: Option<u64>,
    /// With --random: seed of the random numbers; the same seed gives the same positions
    #[arg(long, value_name = "N", default_value_t = 1, requires = "random", value_parser = at_least::<u64>(0))]
    seed: u64,
    /// The number of stones
    #[arg(value_name = "STONES", value_parser = whole::<u8>(0, u8::MAX))]
    stones: u8,
}

/// The board of a position.
#[derive(Args)]
struct BoardArguments {
    /// Side length of the board, 2 to 6
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = side)]
    side: usize,
    /// The board as the lengths of its sides, for hexagons between the regular ones, such as 4-4-5
    #[arg(long, value_name = "A-B-C", conflicts_with = "side")]
    board: Option<Shape>,
}

/// How long to work on a position.
#[derive(Args)]
struct LimitArguments {
    /// Give up on a position after this many seconds; on a proof, if --for says who wins
    #[arg(long, value_name = "S", value_parser = positive_seconds)]
    time: Option<Duration>,
    /// Give up on a position after visiting this many positions of the search; on a proof, if --for says who wins
    #[arg(long, value_name = "N", value_parser = at_least::<u64>(1))]
    nodes: Option<u64>,
}

/// The solver.
#[derive(Args)]
struct SolverArguments {
    /// Megabytes that the solver's table may take, rounded down to a power of two
    #[arg(long, value_name = "MB", default_value_t = 1024, value_parser = at_least::<u32>(1))]
    memory: u32,
    /// Threads that work on one position together; with several, the number of positions visited differs from run to
    /// run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u16>(1, 256))]
    threads: u16,
    /// The network that says which moves to search first [default: the one compiled in]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Search without the advice of a network
    #[arg(long, conflicts_with = "network")]
    unguided: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Where the moves of a proof may come from, besides the solver.
#[derive(Args)]
struct SourceArguments {
    /// Save the moves of the proof in this file as they are found, and continue there after an interruption; the search
    /// that finds out who wins is not saved (--for spares it)
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Take moves from this proof before asking the solver; may be repeated
    #[arg(long, value_name = "FILE", num_args = 1)]
    known: Vec<PathBuf>,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
Prints the value of the position (white, black, draw, or unknown at the limit), a move that keeps it, and the longest \
resistance: the longest game that the loser can force against the winning strategy found. The winner may have a faster \
strategy.

A proof holds the winner's move in every position that the loser can reach. 'malecon solve check' verifies it with the \
rules alone, in seconds. docs/solving.md shows how to prove a whole board, and docs/proof-format.md describes the file.

Ctrl-C ends the program with what was found so far, and status 130. The status is 1 if a proof is refused, and 2 after \
other errors.

Examples:
  malecon solve --side 3
      Who wins on side 3, from the empty board?
  malecon solve --side 4 a1 e5
      Who wins on side 4 after white a1 and black e5?
  malecon solve prove --side 4 --time 60 --out a1.proof a1 e5
      The same, and a proof.
  malecon solve check a1.proof
      Check it.
  malecon solve openings --side 4 2 > two.jsonl
  malecon solve batch two.jsonl --time 600 --shard 1/2 --out 1.jsonl --resume
      The first half of all openings of two stones, one after another; the same command continues after an interruption.
";

/// The subcommand that has replaced an option of earlier versions.
pub fn renamed(option: &str) -> Option<&'static str> {
    Some(match option {
        "--proof" => "malecon solve prove --out FILE",
        "--checkpoint" | "--known" => "malecon solve prove",
        "--check" => "malecon solve check PROOF",
        "--table" | "--easy" => "malecon solve table PROOF --out FILE",
        "--positions" => "malecon solve batch POSITIONS",
        "--shard" | "--out" | "--resume" | "--proofs" => "malecon solve batch",
        "--openings" => "malecon solve openings STONES",
        "--random" | "--seed" => "malecon solve openings",
        _ => return None,
    })
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let done = match &arguments.command {
        // Its status 1 says that the proof is refused.
        Some(Command::Check(arguments)) => return prove::check_file(&arguments.proof, arguments.json),
        Some(Command::Table(TableArguments { proof, out, easy })) => {
            check_apart([proof], [out]).and_then(|()| prove::write_table(proof, out, *easy))
        }
        Some(Command::Openings(arguments)) => print_openings(arguments),
        Some(Command::Batch(arguments)) => interruptible(|stop| batch::run(arguments, stop)),
        Some(Command::Prove(arguments)) => interruptible(|stop| run_prove(arguments, stop)),
        None => interruptible(|stop| run_single(&arguments.position, None, stop)),
    };
    done.map_err(Failure::into_trouble)
}

/// Does work that Ctrl-C ends early.
fn interruptible(work: impl FnOnce(&StopFlag) -> Result<(), Failure>) -> Result<(), Failure> {
    let stop = stop_flag();
    unless_stopped(&stop, work(&stop))
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
    /// The position before the moves, in place of `side` or `board`, as a position string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    /// Vertices in HavannahGui's names. The colours alternate, and on an empty board White moves first.
    #[serde(default)]
    moves: Vec<String>,
    /// `w` or `b`, if it is not the player whose turn it is after the moves.
    to_move: Option<String>,
}

impl PositionLine {
    fn new(shape: Shape, moves: Vec<String>, to_move: Option<String>) -> PositionLine {
        let side = shape.regular_side();
        let board = side.is_none().then(|| shape.to_string());
        PositionLine { side, board, position: None, moves, to_move }
    }

    fn beginning(&self) -> Result<Game, String> {
        let empty = |shape| Game::new(Geometry::with_shape(shape));
        match (self.side, &self.board, &self.position) {
            (Some(side), None, None) => Shape::regular(side).map(empty).map_err(|error| error.to_string()),
            (None, Some(board), None) => board.parse().map(empty).map_err(|error: ParseShapeError| error.to_string()),
            (None, None, Some(position)) => {
                Game::from_position_of_any_shape(position).map_err(|error| error.to_string())
            }
            _ => Err("a position has a side, a board or a position, such as \"side\": 4, \"board\": \"4-4-5\" or \
                      \"position\": \"4/5/6/7/6/5/4 w\""
                .into()),
        }
    }
}

/// A position to solve: a game that is not over.
struct Task {
    game: Game,
    /// The position that the game began in, if it was given as a position string.
    position: Option<String>,
    /// The moves that lead to the position.
    moves: Vec<Vertex>,
    /// Whether the player to move is not the one whose turn it is after the moves.
    is_out_of_turn: bool,
}

impl Task {
    fn new(line: &PositionLine) -> Result<Task, String> {
        let mut game = line.beginning()?;
        let geometry = game.geometry();
        if !has_solver(geometry) {
            return Err(SolverError::TooLarge(geometry.shape()).to_string());
        }
        if game.swap_allowed() {
            return Err("the solver does not know the pie rule (expected a position without swap)".into());
        }
        let mut moves = Vec::new();
        for name in &line.moves {
            let v = Notation::HavannahGui.parse(geometry, name).map_err(|error| error.to_string())?;
            game.play(v).map_err(|error| format!("{name}: {error}"))?;
            moves.push(v);
        }
        if game.outcome().is_some() {
            return Err(SolveError::GameOver.to_string());
        }
        let turn = game.to_move();
        if let Some(color) = &line.to_move {
            game.set_to_move(color.parse().map_err(|error: ParseColorError| error.to_string())?);
        }
        let is_out_of_turn = game.to_move() != turn;
        Ok(Task { game, position: line.position.clone(), moves, is_out_of_turn })
    }

    fn solver(&self, arguments: &SolverArguments, stop: &StopFlag) -> Result<Solver, String> {
        let bytes = arguments.memory as usize * (1 << 20);
        let mut solver = Solver::with_threads(self.game.geometry(), bytes, arguments.threads.into())
            .map_err(|error| error.to_string())?;
        if !arguments.unguided {
            solver = solver.guided_by(&*load_solver_network(arguments.network.as_deref())?);
        }
        solver.stop_on(stop);
        Ok(solver)
    }

    /// The claim that this player wins the position.
    fn root(&self, winner: Color) -> Root {
        Root::new(&self.game, winner).expect("the game of a task goes on")
    }

    fn name(&self, v: Vertex) -> String {
        Notation::HavannahGui.name(self.game.geometry(), v)
    }

    fn names(&self, vertices: &[Vertex]) -> Vec<String> {
        Notation::HavannahGui.names(self.game.geometry(), vertices)
    }

    /// The position for people who follow the work: where it begins, unless that is the empty board, and the moves.
    fn title(&self) -> String {
        let moves = self.names(&self.moves);
        self.position.iter().cloned().chain(moves).collect::<Vec<_>>().join(" ")
    }

    /// The position as the name of a file, without an extension: where it begins, the moves, and the player to move if
    /// they do not say so.
    fn file_name(&self) -> String {
        let start = match &self.position {
            Some(position) => position.replace('/', ".").replace(' ', "-"),
            None => self.game.geometry().shape().to_string(),
        };
        let moves = self.names(&self.moves).join("-");
        let turn = if self.is_out_of_turn { format!("-{}", self.game.to_move().letter()) } else { String::new() };
        format!("{start}-{moves}{turn}")
    }

    fn to_line(&self) -> PositionLine {
        let to_move = Some(self.game.to_move().letter().to_string());
        let line = PositionLine::new(self.game.geometry().shape(), self.names(&self.moves), to_move);
        match &self.position {
            Some(position) => PositionLine { side: None, board: None, position: Some(position.clone()), ..line },
            None => line,
        }
    }
}

impl fmt::Display for Task {
    /// The position as JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(to_line(&self.to_line()).trim_end())
    }
}

/// The result of a position as a line of JSON.
#[derive(Serialize, Deserialize)]
struct Solved {
    #[serde(flatten)]
    position: PositionLine,
    /// None if it is not known.
    value: Option<Winner>,
    /// A move with which the player to move wins.
    winning_move: Option<String>,
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    nodes: u64,
    /// How far the solver came, if the value is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    estimate: Option<ProofEstimate>,
    /// The moves in the order in which the network would try them, if the value is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    order: Vec<String>,
}

impl Line for Solved {
    const BEGINNINGS: &'static [&'static str] = SolvedLine::BEGINNINGS;
    const UNIT: &'static str = SolvedLine::UNIT;
    const WRITER: &'static str = SolvedLine::WRITER;
}

impl Solved {
    /// Who wins, if that is known.
    fn winner(&self) -> Option<Color> {
        self.value.and_then(Winner::color)
    }

    fn new(task: &Task, outcome: &SolveOutcome) -> Solved {
        let wins = outcome.value == Some(Value::Win(task.game.to_move()));
        Solved {
            position: task.to_line(),
            value: outcome.value.map(|value| value.winner().into()),
            winning_move: outcome.best.filter(|_| wins).map(|v| task.name(v)),
            seconds: (outcome.time.as_secs_f64() * 1000.0).round() / 1000.0,
            nodes: outcome.nodes,
            estimate: outcome.estimate,
            order: task.names(&outcome.order),
        }
    }
}

/// What --json prints about a position.
fn to_json(
    arguments: &PositionArguments,
    task: &Task,
    outcome: &SolveOutcome,
    resistance: Option<&[Vertex]>,
) -> serde_json::Value {
    let mut json = json!(Solved::new(task, outcome));
    if let Some(player) = arguments.player {
        json["for"] = json!(player);
        json["wins"] = json!(outcome.wins[player.index()]);
    }
    json["best"] = json!(outcome.best.map(|v| task.name(v)));
    json["longest_resistance"] = json!(resistance.map(|moves| task.names(moves)));
    json["nodes_per_second"] = json!(per_second(outcome));
    json["memory_mb"] = json!(status::peak_memory().map(|bytes| bytes >> 20));
    json
}

/// A line of JSON.
fn to_line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("these values are JSON") + "\n"
}

impl BoardArguments {
    fn shape(&self) -> Result<Shape, String> {
        match self.board {
            Some(shape) => Ok(shape),
            None => Shape::regular(self.side).map_err(|error| error.to_string()),
        }
    }
}

impl LimitArguments {
    fn budget(&self) -> Budget {
        Budget { time: self.time, nodes: self.nodes }
    }
}

/// Proves the position of the command line. With --for it is not solved first.
fn run_prove(arguments: &ProveArguments, stop: &StopFlag) -> Result<(), Failure> {
    let ProveArguments { out, sources, position } = arguments;
    check_apart(sources.known.iter().chain(&position.solver.network), [out].into_iter().chain(&sources.checkpoint))?;
    // Without --for, the limit is one for solving.
    let budget = position.player.map_or_else(Budget::default, |_| position.limit.budget());
    let mut prover = Prover { sources, quiet: position.solver.quiet, budget, stop };
    prove::check_files(Some(out), sources, Some(position.task()?.game.geometry()))?;
    let Some(winner) = position.player else { return run_single(position, Some((out, &mut prover)), stop) };
    if position.json {
        return Err("with --for there is no result to print with --json, only the proof".into());
    }
    let task = position.task()?;
    let mut solver = task.solver(&position.solver, stop)?;
    let mut status = Status::new(position.solver.quiet);
    prover.write_file(out, &[task.root(winner)], &mut solver, &mut status)?;
    Ok(())
}

/// Solves the position of the command line, and proves who wins if there is a file for the proof.
fn run_single(arguments: &PositionArguments, proof: Option<(&Path, &Prover)>, stop: &StopFlag) -> Result<(), Failure> {
    let task = arguments.task()?;
    let mut solver = task.solver(&arguments.solver, stop)?;
    let mut status = Status::new(arguments.solver.quiet);
    let budget = arguments.limit.budget();
    let mut proceed = |progress: SolveProgress| {
        status.solving(&progress);
        !stop.is_stopped()
    };
    let mut outcome = match arguments.player {
        None => solve(&mut solver, &task.game, &budget, &mut proceed),
        Some(player) => solve_for(&mut solver, &task.game, player, &budget, &mut proceed),
    };
    status.clear();
    // What follows may take as long as this took.
    let first_lines = || format!("{}\n{}", verdict(arguments, &outcome), best_move(&task, outcome.best));
    let printed = if arguments.json { Ok(()) } else { print(&first_lines()) };
    if proof.is_none() {
        printed.clone()?;
    }
    let found = match (outcome.value, proof) {
        (Some(Value::Win(winner)), Some((file, prover))) => {
            let written = prover.write_file(file, &[task.root(winner)], &mut solver, &mut status);
            written.map(|written| written.longest_games.into_iter().next())
        }
        (Some(Value::Win(winner)), None) => {
            status.note("solved; looking for the longest resistance");
            let longest = outcome.time + Duration::from_secs(1);
            let begun = Instant::now();
            let mut proceed = || !stop.is_stopped() && begun.elapsed() < longest;
            Ok(longest_resistance(&mut solver, &task.game, winner, &mut proceed))
        }
        (Some(Value::Draw), Some(_)) => Err("no proof was written: the position is a draw".into()),
        (None, Some(_)) => Err("no proof was written: the position is not solved".into()),
        (_, None) => Ok(None),
    };
    status.clear();
    let resistance = found.as_ref().ok().and_then(|moves| moves.as_deref());
    // If the player to move loses.
    let late = resistance.and_then(|moves| moves.first().copied()).filter(|_| outcome.best.is_none());
    outcome.best = outcome.best.or(late);
    let printed = printed.and_then(|()| match arguments.json {
        true => print_data(&to_line(&to_json(arguments, &task, &outcome, resistance))),
        false => print(&(best_move(&task, late) + &to_text(&task, &outcome, resistance))),
    });
    if let (Err(error), Err(_)) = (&found, &printed) {
        report_error(error);
    }
    printed?;
    found?;
    Ok(())
}

impl PositionArguments {
    fn task(&self) -> Result<Task, String> {
        let line = PositionLine::new(self.board.shape()?, self.moves.clone(), None);
        Task::new(&match &self.position {
            Some(position) => PositionLine { side: None, board: None, position: Some(position.clone()), ..line },
            None => line,
        })
    }
}

/// The value in words, or the answer to the question of --for.
fn verdict(arguments: &PositionArguments, outcome: &SolveOutcome) -> String {
    if let Some(player) = arguments.player {
        return match outcome.wins[player.index()] {
            None => "unknown".into(),
            Some(true) => format!("{player} wins"),
            Some(false) => format!("{player} does not win"),
        };
    }
    match outcome.value {
        None => "unknown".into(),
        Some(Value::Win(color)) => format!("{color} wins"),
        Some(Value::Draw) => "draw".into(),
    }
}

fn per_second(outcome: &SolveOutcome) -> u64 {
    (outcome.nodes as f64 / outcome.time.as_secs_f64().max(1e-6)) as u64
}

/// The line with the best move, if it is known.
fn best_move(task: &Task, best: Option<Vertex>) -> String {
    best.map_or(String::new(), |v| format!("best move: {} for {}\n", task.name(v), task.game.to_move()))
}

/// The lines after that.
fn to_text(task: &Task, outcome: &SolveOutcome, resistance: Option<&[Vertex]>) -> String {
    let mut text = String::new();
    if let Some(moves) = resistance {
        text += &format!("longest resistance: {} ({})\n", task.names(moves).join(" "), count(moves.len(), "move"));
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

/// The error if no more than `found` random positions were found.
fn too_few(shape: Shape, stones: usize, found: u64) -> String {
    format!(
        "no more random positions of {} were found on {} (expected --random {found} or less; symmetric positions count \
         once)",
        count(stones, "stone"),
        shape.title()
    )
}

/// Prints openings or random positions as lines of JSON.
fn print_openings(arguments: &OpeningsArguments) -> Result<(), Failure> {
    let shape = arguments.board.shape()?;
    let geometry = Geometry::with_shape(shape);
    let stones = usize::from(arguments.stones);
    // With more stones than that, few positions are left in which nobody has won.
    let most = if arguments.random.is_some() { geometry.vertex_count() * 2 / 3 } else { MOST_OPENING_STONES };
    if stones > most {
        return Err(format!("{stones} stones are too many (expected 0 to {most})").into());
    }
    // Before all openings of a large board are listed.
    if !has_solver(geometry) {
        return Err(SolverError::TooLarge(shape).to_string().into());
    }
    let line = |moves: Vec<Vertex>| {
        let moves = Notation::HavannahGui.names(geometry, &moves);
        Ok(to_line(&Task::new(&PositionLine::new(shape, moves, None))?.to_line()))
    };
    match arguments.random {
        Some(count) => {
            let mut positions = random_positions(geometry, stones, arguments.seed);
            print_each((0..count).map(|i| line(positions.next().ok_or_else(|| too_few(shape, stones, i))?)))
        }
        None => print_each(positions_after(geometry, stones).into_iter().map(line)),
    }
}
