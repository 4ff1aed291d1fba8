//! Solving the positions of a file, which may be divided among several runs and machines.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use malecon::base::files::in_file;
use malecon::base::lines::{Line, LineFile};
use malecon::engine::session::StopFlag;
use malecon::engine::solver::{Solver, Value, solve};
use malecon::game::Shape;
use malecon::game::record::Winner;
use serde::Deserialize;

use super::status::Status;
use super::{Arguments, PositionLine, Solved, Task, prove, to_line};

/// A line of the results of an earlier run.
#[derive(Deserialize)]
struct ResultLine {
    #[serde(flatten)]
    position: PositionLine,
    /// `None` if it is not known.
    value: Option<Winner>,
}

impl Line for ResultLine {
    const BEGINNINGS: &'static [&'static str] = &["{\"side\":", "{\"board\":"];
    const UNIT: &'static str = "position";
}

/// Solves the positions of the shard, and writes a line about each.
pub fn run(arguments: &Arguments, file: &Path, stop: &StopFlag) -> Result<ExitCode, String> {
    let tasks = read_tasks(arguments, file)?;
    let mut status = Status::new(arguments.quiet);
    if let (Some(proof), Some(winner)) = (&arguments.proof, arguments.player) {
        let positions: Vec<_> = tasks.iter().map(|task| (&task.game, winner)).collect();
        let mut solver = tasks[0].solver(arguments, stop)?;
        prove::write_file(arguments, proof, &positions, &mut solver, &mut status, stop)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(directory) = &arguments.proofs {
        fs::create_dir_all(directory).map_err(in_file(directory))?;
    }
    let (mut results, mut values) = Results::open(arguments)?;
    let mut solver: Option<(Shape, Solver)> = None;
    for (i, task) in tasks.iter().enumerate() {
        if values.contains_key(&task.to_string()) {
            continue;
        }
        status.set_title(format!("{} of {}, {}", i + 1, tasks.len(), task.names(&task.moves).join(" ")));
        // A position is solved as if it were the only one, so that the shards do not change the results.
        let shape = task.game.geometry().shape();
        let solver = match &mut solver {
            Some((of, solver)) if *of == shape => {
                solver.clear();
                solver
            }
            other => &mut other.insert((shape, task.solver(arguments, stop)?)).1,
        };
        let outcome = solve(solver, &task.game, &arguments.budget(), &mut |progress| {
            status.solving(&progress);
            !stop.is_stopped()
        });
        if stop.is_stopped() {
            break;
        }
        if let (Some(directory), Some(Value::Win(winner))) = (&arguments.proofs, outcome.value) {
            let name = format!("{shape}-{}.proof", task.names(&task.moves).join("-"));
            prove::write_file(arguments, &directory.join(name), &[(&task.game, winner)], solver, &mut status, stop)?;
        }
        results.write(&Solved::new(task, &outcome))?;
        if let Some(value) = outcome.value {
            values.insert(task.to_string(), value);
        }
    }
    status.clear();
    match &arguments.proof {
        Some(proof) if !stop.is_stopped() => prove_all(arguments, proof, &tasks, &values, &mut status, stop),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Writes one proof of all positions.
fn prove_all(
    arguments: &Arguments,
    proof: &Path,
    tasks: &[Task],
    values: &HashMap<String, Value>,
    status: &mut Status,
    stop: &StopFlag,
) -> Result<ExitCode, String> {
    let mut positions = Vec::new();
    for task in tasks {
        match values.get(&task.to_string()) {
            Some(Value::Win(winner)) => positions.push((&task.game, *winner)),
            Some(Value::Draw) => return Err(format!("no proof was written: {task} is a draw")),
            None => return Err(format!("no proof was written: {task} is not solved")),
        }
    }
    let mut solver = tasks[0].solver(arguments, stop)?;
    prove::write_file(arguments, proof, &positions, &mut solver, status, stop)?;
    Ok(ExitCode::SUCCESS)
}

/// The positions of the shard.
fn read_tasks(arguments: &Arguments, file: &Path) -> Result<Vec<Task>, String> {
    let text = fs::read_to_string(file).map_err(in_file(file))?;
    let mut tasks = Vec::new();
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    for (i, (number, line)) in lines.enumerate() {
        let at = |error: String| format!("{}:{number}: {error}", file.display());
        let line: PositionLine = serde_json::from_str(line).map_err(|error| at(error.to_string()))?;
        let task = Task::new(&line).map_err(at)?;
        if arguments.shard.has(i) {
            tasks.push(task);
        }
    }
    if tasks.is_empty() {
        return Err(format!("{}: there is no position to solve", file.display()));
    }
    Ok(tasks)
}

/// Where the results go.
enum Results {
    Stdout,
    File(LineFile),
}

impl Results {
    /// Opens the file of --out. Also returns the values that an earlier run has found, by position.
    fn open(arguments: &Arguments) -> Result<(Results, HashMap<String, Value>), String> {
        let mut values = HashMap::new();
        let Some(path) = &arguments.out else { return Ok((Results::Stdout, values)) };
        let (file, lines) = LineFile::open::<ResultLine>(path, arguments.resume)?;
        for (number, line) in (1..).zip(lines) {
            let task =
                Task::new(&line.position).map_err(|error| format!("{}: position {number}: {error}", path.display()))?;
            // Without a value it was not solved within its limit; this run may have another.
            if let Some(winner) = line.value {
                values.insert(task.to_string(), winner.color().map_or(Value::Draw, Value::Win));
            }
        }
        Ok((Results::File(file), values))
    }

    /// Writes a line at once, so that an interruption loses none.
    fn write(&mut self, solved: &Solved) -> Result<(), String> {
        match self {
            Results::Stdout => {
                let mut output = std::io::stdout();
                let written = output.write_all(to_line(solved).as_bytes()).and_then(|()| output.flush());
                written.map_err(|error| format!("cannot write the results: {error}"))
            }
            Results::File(file) => file.add(solved),
        }
    }
}
