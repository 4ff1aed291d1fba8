//! Many games without a pause between engines that live as long as the match. The long test is run by hand, and prints
//! a table:
//!
//! ```sh
//! cargo test --release --test tests -- soak:: --ignored --nocapture
//! ```
//!
//! Before each game an engine receives commands as people would send them: it plays on other boards, takes moves back,
//! ponders, loads its own record, and changes options. `docs/reliability.md` has the results.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use malecon::base::lines;
use malecon::tools::arena::record::GameRecord;

use crate::processes::has_ended;
use crate::scratch::Scratch;

/// The resources of a process.
#[derive(Clone, Copy, Debug, Default)]
struct Holdings {
    /// Resident memory in KiB.
    memory: u64,
    descriptors: usize,
    threads: usize,
}

impl Holdings {
    /// The resources that a process holds now, or `None` if it has ended.
    fn of(process: u32) -> Option<Holdings> {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let number = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key))?;
            line.trim_matches([':', ' ', '\t']).split(' ').next()?.parse::<u64>().ok()
        };
        let descriptors = fs::read_dir(format!("/proc/{process}/fd")).ok()?.count();
        Some(Holdings { memory: number("VmRSS")?, descriptors, threads: number("Threads")? as usize })
    }

    /// The most memory, and the fewest descriptors and threads, of two measurements.
    fn joined(self, other: Holdings) -> Holdings {
        Holdings {
            memory: self.memory.max(other.memory),
            descriptors: self.descriptors.min(other.descriptors),
            threads: self.threads.min(other.threads),
        }
    }
}

/// The processes that a process has started, by their commands.
fn children(process: u32) -> BTreeMap<u32, String> {
    let list = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = tasks.map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
    let all = lists.fold(list, |all, list| all + " " + &list);
    let command = |id: u32| fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default().replace('\0', " ");
    all.split_whitespace().map(|id| id.parse().unwrap()).map(|id| (id, command(id))).collect()
}

/// A match on a board.
struct Plan {
    side: usize,
    games: usize,
    /// Seconds for a move.
    time: &'static str,
}

/// The commands that both engines receive before each game. They leave the board, the clock and all relevant options as
/// the match has set them.
fn disturbances(side: usize, record: &Path) -> Vec<String> {
    let record = record.display();
    let other = if side == 4 { 10 } else { 4 };
    let mut lines: Vec<String> =
        "play white a1;genmove black;undo;undo 1;set_option swap true;play white b2;swap;undo 2;\
        set_option swap false;set_option threads 2;genmove white;genmove white;reg_genmove black;set_option threads 1;\
        savesgf RECORD;boardsize OTHER;genmove white;genmove black;analyze_ownership;clear_board;loadsgf RECORD;\
        undo;showboard;printsgf;list_options;set_option preset rave;genmove black;set_option preset default;\
        set_option gui gogui;gogui-rules_board;set_option gui havannahgui;set_option ponder true;time_left white 5 0;\
        boardsize SIDE;clear_board"
            .split(';')
            .map(|line| line.trim().to_owned())
            .collect();
    for line in &mut lines {
        let text = line.replace("RECORD", &record.to_string()).replace("OTHER", &other.to_string());
        *line = text.replace("SIDE", &side.to_string());
    }
    lines
}

/// A match that runs.
struct Soak {
    process: Child,
    folder: Scratch,
    plan: Plan,
}

impl Soak {
    fn start(plan: Plan) -> Soak {
        let folder = Scratch::folder(&format!("soak-{}", plan.side));
        let program = env!("CARGO_BIN_EXE_malecon");
        let mut command = Command::new(program);
        let (side, games) = (plan.side.to_string(), plan.games.to_string());
        command.args(["match", "--quiet", "--side", &side, "--games", &games, "--time", plan.time]);
        // On a busy machine a move may wait long for a processor. How late moves are is measured in tests/clock.rs.
        command.args(["--margin", "60", "--silence", "600"]);
        for name in ["one", "two"] {
            command.arg("--engine").arg(format!("{name}={program} gtp --memory 16 --set analysis_playouts=50"));
            for line in disturbances(plan.side, &folder.join(format!("{name}.sgf"))) {
                command.arg("--init").arg(format!("{name}={line}"));
            }
        }
        command.arg("--out").arg(folder.join("games")).env_remove("RUST_LOG");
        let process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Soak { process, folder, plan }
    }

    /// How many games are over.
    fn games(&self) -> usize {
        let lines = fs::read(self.folder.join("games/games.jsonl")).unwrap_or_default();
        lines.iter().filter(|&&byte| byte == b'\n').count()
    }

    /// The resources of the match and its engines while these games are played: the most memory, and the fewest
    /// descriptors and threads, because an engine holds less memory while it plays on a small board, and more
    /// descriptors while it saves a game. `None` if the match ends earlier.
    fn holdings_during(&mut self, games: Range<usize>) -> Option<Vec<Holdings>> {
        let mut held: Option<Vec<Holdings>> = None;
        while self.games() < games.end {
            if self.process.try_wait().unwrap().is_some() {
                return None;
            }
            if self.games() >= games.start {
                let engines = children(self.process.id()).into_iter().filter(|(_, command)| command.contains(" gtp "));
                let all = std::iter::once(self.process.id()).chain(engines.map(|(id, _)| id));
                let now: Vec<Holdings> = all.map(Holdings::of).collect::<Option<_>>()?;
                let before = held.unwrap_or_else(|| now.clone());
                held = Some(before.into_iter().zip(now).map(|(before, now)| before.joined(now)).collect());
            }
            thread::sleep(Duration::from_millis(20));
        }
        held
    }

    /// Waits for the end and checks the games.
    fn finish(self) -> Vec<GameRecord> {
        let engines = children(self.process.id());
        let games = self.plan.games;
        let folder = self.folder;
        let output = self.process.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.is_empty(), "{errors}");
        for (id, command) in engines {
            assert!(has_ended(&id.to_string()), "'{command}' outlived the match");
        }
        let records = lines::read::<GameRecord>(&folder.join("games/games.jsonl")).unwrap();
        assert_eq!(records.len(), games);
        for record in &records {
            assert!(record.fault.is_none(), "{:?}", record.fault);
        }
        records
    }
}

/// The number in an environment variable, or a default.
fn setting(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{variable}={value}")))
}

/// Settings: `SOAK_GAMES` (in all), `SOAK_MATCHES` (at once).
#[test]
#[ignore = "takes very long: run by .ci/nightly"]
fn nothing_is_lost_in_thousands_of_games() {
    // How much of its tree and of the solver's table an engine fills differs from game to game. So maxima are compared,
    // and a megabyte more is not a leak.
    const MANY: usize = 100;
    const TOLERANCE: u64 = 1024;
    let each = setting("SOAK_GAMES", 2_000).div_ceil(7).next_multiple_of(2);
    println!(
        "| side | games | process | most KiB in {MANY} games | most KiB in the last {MANY} | change | descriptors | threads |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let sides = Mutex::new(4..=10);
    let next = || sides.lock().unwrap().next();
    let soak = || {
        let mut leaks = false;
        while let Some(side) = next() {
            let mut soak = Soak::start(Plan { side, games: each, time: "0.02" });
            let early = soak.holdings_during(1..MANY).expect("the match goes on");
            let late = soak.holdings_during(each - MANY..each - 1).expect("the match goes on");
            soak.finish();
            for ((name, early), late) in ["match", "one", "two"].iter().zip(&early).zip(&late) {
                let change = 100.0 * (late.memory as f64 / early.memory as f64 - 1.0);
                let (descriptors, threads) = ([early.descriptors, late.descriptors], [early.threads, late.threads]);
                println!(
                    "| {side} | {each} | {name} | {} | {} | {change:+.1} % | {descriptors:?} | {threads:?} |",
                    early.memory, late.memory
                );
                assert_eq!(descriptors[0], descriptors[1]);
                leaks |= late.memory > early.memory * 105 / 100 + TOLERANCE;
            }
        }
        leaks
    };
    let leaks = thread::scope(|scope| {
        let matches: Vec<_> = (0..setting("SOAK_MATCHES", 2)).map(|_| scope.spawn(soak)).collect();
        matches.into_iter().map(|thread| thread.join().unwrap()).fold(false, |leaks, more| leaks | more)
    });
    assert!(!leaks, "some process holds more than 5 % and a megabyte more than it did before");
}

/// The short form: the games end without a fault, and nothing is left behind.
#[test]
fn disturbed_engines_play_whole_games() {
    let mut soak = Soak::start(Plan { side: 4, games: 6, time: "0.005" });
    let early = soak.holdings_during(1..3).expect("the match goes on");
    let late = soak.holdings_during(3..5).expect("the match goes on");
    assert_eq!(early.len(), 3);
    for (early, late) in early.iter().zip(&late) {
        assert_eq!(early.descriptors, late.descriptors);
    }
    soak.finish();
}
