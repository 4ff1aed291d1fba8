//! `malecon solve`: the value of positions on small boards, and proofs of it.

mod batch;
mod prove;
mod status;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use malecon::arena::schedule::Shard;
use malecon::board::{Color, Game, Geometry, Notation, Vertex};
use malecon::session::StopFlag;
use malecon::solver::Solver;
use malecon::solving::{Answer, Limits, Value, longest_resistance, openings, solve};
use serde_json::{Value as Json, json};

use super::arena::positive_seconds;
use super::sgf::put;
use status::Status;

/// Options of `malecon solve`.
#[derive(Args)]
pub struct Arguments {
    /// Side length of the board, 2 to 6
    #[arg(long, value_name = "N", default_value_t = 4)]
    side: usize,
    /// Ask only whether this player wins, white or black; with --proof, prove it without solving the position first
    #[arg(long = "for", value_name = "COLOR")]
    player: Option<Color>,
    /// Give up on a position after this many seconds
    #[arg(long, value_name = "S", value_parser = positive_seconds)]
    time: Option<Duration>,
    /// Give up on a position after visiting this many positions of the search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Megabytes that the solver's table may take
    #[arg(long, value_name = "MB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
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
    /// Solve all positions of this file, one JSON object a line: side, moves, to_move
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
    #[arg(long, value_name = "N", conflicts_with_all = ["moves", "proof"], value_parser = clap::value_parser!(u8).range(0..=4))]
    openings: Option<u8>,
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
    let handler = stop.clone();
    if let Err(error) = ctrlc::set_handler(move || handler.stop()) {
        log::warn!("Ctrl-C will end the program without a result: {error}");
    }
    let done = match arguments {
        Arguments { check: Some(file), .. } => prove::check_file(file, arguments.json),
        Arguments { openings: Some(stones), .. } => print_openings(arguments.side, (*stones).into()),
        Arguments { positions: Some(file), .. } => batch::run(arguments, file, &stop),
        _ => run_single(arguments, &stop),
    };
    match done {
        Ok(status) if !stop.is_stopped() => status,
        Ok(_) => ExitCode::from(130),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
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
    /// The position after alternating moves, in HavannahGui's names. `to_move` is given if it is not the player whose turn
    /// it is.
    fn new<'a>(side: usize, moves: impl Iterator<Item = &'a str>, to_move: Option<Color>) -> Result<Task, String> {
        let geometry = Geometry::of(side).map_err(|error| error.to_string())?;
        if Solver::new(geometry, 0).is_none() {
            return Err(format!(
                "side {side} is too large for the solver (expected 2 to {})",
                malecon::proof::MAX_SIDE
            ));
        }
        let mut game = Game::new(geometry);
        let mut vertices = Vec::new();
        for name in moves {
            let v = Notation::HavannahGui.parse(geometry, name).map_err(|error| error.to_string())?;
            game.play(v).map_err(|error| format!("{name}: {error}"))?;
            vertices.push(v);
        }
        if let Some(outcome) = game.outcome() {
            return Err(match outcome.winner() {
                Some(color) => format!("the game is over: {color} has won"),
                None => "the game is over: a draw".into(),
            });
        }
        to_move.into_iter().for_each(|color| game.set_to_move(color));
        Ok(Task { game, moves: vertices })
    }

    fn solver(&self, arguments: &Arguments) -> Result<Solver, String> {
        Solver::new(self.game.geometry(), arguments.memory as usize * (1 << 20))
            .ok_or_else(|| "there is not enough memory for the solver".to_owned())
    }

    fn name(&self, v: Vertex) -> String {
        Notation::HavannahGui.name(self.game.geometry(), v)
    }

    fn names(&self, vertices: &[Vertex]) -> Vec<String> {
        vertices.iter().map(|&v| self.name(v)).collect()
    }

    /// The position as fields of a JSON object.
    fn fields(&self) -> Json {
        json!({
            "side": self.game.geometry().side(),
            "moves": self.names(&self.moves),
            "to_move": if self.game.to_move() == Color::White { "w" } else { "b" },
        })
    }
}

/// The result of a position as fields of a JSON object, after those of the position itself.
fn result(task: &Task, answer: &Answer) -> Json {
    let mut fields = task.fields();
    fields["value"] = json!(answer.value.map(|value| value.to_string()));
    fields["winning_move"] = match answer.value {
        Some(Value::Win(color)) if color == task.game.to_move() => json!(answer.best.map(|v| task.name(v))),
        _ => Json::Null,
    };
    fields["seconds"] = json!((answer.time.as_secs_f64() * 1000.0).round() / 1000.0);
    fields["nodes"] = json!(answer.nodes);
    fields
}

impl Arguments {
    fn limits(&self) -> Limits {
        Limits { time: self.time, nodes: self.nodes }
    }
}

/// Solves the position of the command line.
fn run_single(arguments: &Arguments, stop: &StopFlag) -> Result<ExitCode, String> {
    let task = Task::new(arguments.side, arguments.moves.iter().map(String::as_str), None)?;
    let mut solver = task.solver(arguments)?;
    let mut status = Status::new(arguments.quiet);
    if let (Some(file), Some(winner)) = (&arguments.proof, arguments.player) {
        return prove::write_file(arguments, file, &[(&task.game, winner)], &mut solver, &mut status, stop);
    }
    let mut answer = solve(&mut solver, &task.game, &arguments.limits(), &mut |progress| {
        status.solving(&progress);
        !stop.is_stopped()
    });
    let mut line = None;
    if let Some(Value::Win(winner)) = answer.value {
        status.note("solved; looking for the longest resistance");
        line = longest_resistance(&mut solver, &task.game, winner, &mut || !stop.is_stopped());
        answer.best = answer.best.or(line.as_ref().and_then(|line| line.first().copied()));
    }
    status.clear();
    let text = match arguments.json {
        true => format!("{}\n", to_json(arguments, &task, &answer, line.as_deref())),
        false => to_text(arguments, &task, &answer, line.as_deref()),
    };
    if !put(&mut std::io::stdout(), &text) {
        return Ok(ExitCode::from(2));
    }
    match (&arguments.proof, answer.value) {
        (None, _) => Ok(ExitCode::SUCCESS),
        (Some(file), Some(Value::Win(winner))) => {
            prove::write_file(arguments, file, &[(&task.game, winner)], &mut solver, &mut status, stop)
        }
        (Some(_), Some(Value::Draw)) => Err("no proof was written: the position is a draw".into()),
        (Some(_), None) => Err("no proof was written: the position is not solved".into()),
    }
}

/// What is said about the value: the value itself, or the answer to the question of --for.
fn verdict(arguments: &Arguments, value: Option<Value>) -> String {
    match (value, arguments.player) {
        (None, _) => "unknown".into(),
        (Some(value), Some(player)) if value == Value::Win(player) => format!("{player} wins"),
        (Some(_), Some(player)) => format!("{player} does not win"),
        (Some(Value::Win(color)), None) => format!("{color} wins"),
        (Some(Value::Draw), None) => "draw".into(),
    }
}

fn per_second(answer: &Answer) -> u64 {
    (answer.nodes as f64 / answer.time.as_secs_f64().max(1e-6)) as u64
}

fn to_text(arguments: &Arguments, task: &Task, answer: &Answer, line: Option<&[Vertex]>) -> String {
    let mut text = verdict(arguments, answer.value) + "\n";
    if let Some(best) = answer.best {
        text += &format!("best move: {} for {}\n", task.name(best), task.game.to_move());
    }
    if let Some(line) = line {
        let moves = if line.len() == 1 { "1 move".into() } else { format!("{} moves", line.len()) };
        text += &format!("longest resistance: {} ({moves})\n", task.names(line).join(" "));
    }
    text += &format!(
        "{} nodes in {:.2} s, {} nodes/s{}\n",
        answer.nodes,
        answer.time.as_secs_f64(),
        per_second(answer),
        status::peak_memory().map_or(String::new(), |bytes| format!(", {} MB", bytes >> 20))
    );
    text
}

fn to_json(arguments: &Arguments, task: &Task, answer: &Answer, line: Option<&[Vertex]>) -> Json {
    let mut fields = result(task, answer);
    if let Some(player) = arguments.player {
        let wins = answer.value.map(|value| value == Value::Win(player));
        fields["for"] = json!(player.to_string());
        fields["wins"] = json!(wins);
    }
    fields["best"] = json!(answer.best.map(|v| task.name(v)));
    fields["longest_resistance"] = json!(line.map(|line| task.names(line)));
    fields["nodes_per_second"] = json!(per_second(answer));
    fields["memory_mb"] = json!(status::peak_memory().map(|bytes| bytes >> 20));
    fields
}

/// Prints openings as lines of JSON.
fn print_openings(side: usize, stones: usize) -> Result<ExitCode, String> {
    let geometry = Geometry::of(side).map_err(|error| error.to_string())?;
    let mut text = String::new();
    for moves in openings(geometry, stones) {
        let names: Vec<String> = moves.iter().map(|&v| Notation::HavannahGui.name(geometry, v)).collect();
        let task = Task::new(side, names.iter().map(String::as_str), None)?;
        text += &format!("{}\n", task.fields());
    }
    Ok(if put(&mut std::io::stdout(), &text) { ExitCode::SUCCESS } else { ExitCode::from(2) })
}
