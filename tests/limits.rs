//! If the system provides less than the options ask for, the engine warns once and plays on.

#![cfg(target_os = "linux")]

use std::process::{Command, Output};

use crate::gtp_client::answers;
use crate::scratch::Scratch;

/// The output of the program with these arguments and commands, limited to this many KiB of address space.
fn run_within(kib: usize, arguments: &str, commands: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_malecon");
    let script = format!("ulimit -v {kib} && printf '{commands}' | '{program}' {arguments}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).env_remove("RUST_LOG").env("RUST_BACKTRACE", "1").output().unwrap()
}

/// Plays with 75 MB of address space, and checks that every command succeeds and that exactly these warnings are given.
fn plays_with_warnings(arguments: &str, warnings: &[&str]) {
    plays_within(75_000, arguments, Some(warnings));
}

/// Plays with this many KiB of address space. Checks that every command succeeds, and the warnings if they are given.
fn plays_within(kib: usize, arguments: &str, warnings: Option<&[&str]>) {
    let output =
        run_within(kib, &format!("gtp {arguments}"), r"genmove white\ngenmove black\nclear_board\ngenmove white\n");
    let stderr = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(output.status.success(), "{arguments} within {kib} KiB: {:?}\n{stderr}", output.status);
    let answers = answers(&output);
    let succeed = answers.len() == 4 && answers.iter().all(|answer| answer.starts_with('='));
    assert!(succeed, "{arguments} within {kib} KiB: {answers:?}");
    assert!(!stderr.contains("internal error"), "{arguments} within {kib} KiB: {stderr}");
    let Some(warnings) = warnings else { return };
    assert_eq!(stderr.lines().count(), warnings.len(), "{arguments}: {stderr}");
    for warning in warnings {
        assert!(stderr.contains(warning), "{arguments}: {stderr}");
    }
}

#[test]
fn a_tree_that_cannot_grow_is_pruned() {
    let arguments = "--side 10 --preset plain --memory 64 --simulations 15000 --seed 1 --set expand_visits=1";
    plays_with_warnings(arguments, &["the search tree has"]);
}

#[test]
fn the_solvers_table_is_as_large_as_memory_allows() {
    plays_with_warnings("--side 4 --memory 1024 --simulations 500 --seed 1", &["the solver's table has"]);
}

#[test]
fn there_are_as_many_threads_as_the_system_allows() {
    let warnings = ["search threads cannot be started"];
    plays_with_warnings("--side 8 --memory 8 --simulations 500 --threads 40", &warnings);
    plays_with_warnings("--side 8 --memory 8 --simulations 3000 --threads 40 --preset rave", &warnings);
}

/// No part of the engine takes the memory that another part needs, whatever the limit.
#[test]
fn no_part_takes_the_memory_that_another_needs() {
    for kib in (60_000..=480_000).step_by(35_000) {
        for arguments in [
            "--side 4 --memory 512 --simulations 100",
            "--side 4 --memory 2048 --simulations 100 --threads 6",
            "--side 8 --memory 8 --simulations 100 --threads 40",
            "--side 8 --memory 8 --simulations 100 --threads 40 --preset rave",
            "--side 10 --memory 1024 --simulations 500 --threads 8 --preset rave",
        ] {
            plays_within(kib, arguments, None);
        }
    }
}

/// With next to no memory, the program answers, or says in its last line that the memory is not enough. It does not
/// panic, abort or hang.
#[test]
fn without_memory_the_program_ends_with_an_error() {
    let query = r#"{"id": "q", "side": 5, "simulations": 20}\n"#;
    let (mut answered, mut failed) = (0, 0);
    for kib in (least_kib()..=38_000).step_by(3_000) {
        for (arguments, input) in [
            ("analyze --searches 64", query),
            ("gtp --side 5 --memory 2048 --simulations 50 --threads 6", r"genmove white\n"),
        ] {
            let output = run_within(kib, arguments, input);
            let stderr = String::from_utf8(output.stderr).unwrap();
            let end = stderr.lines().last().unwrap_or_default().to_lowercase();
            match output.status.code() {
                Some(0) => answered += 1,
                Some(1) if end.contains("error") && end.contains("memory") => failed += 1,
                status => panic!("{arguments} within {kib} KiB: {status:?}\n{stderr}"),
            }
            assert!(!stderr.contains("panicked"), "{arguments} within {kib} KiB: {stderr}");
        }
    }
    assert!(answered > 2 && failed > 2, "{answered} {failed}");
}

/// The least memory in KiB in which the system can load the program: its own size, and what the C library takes.
fn least_kib() -> usize {
    let program = std::fs::metadata(env!("CARGO_BIN_EXE_malecon")).unwrap();
    program.len() as usize / 1024 + 2_000
}

/// Every command that plays, searches or reads, in all memory from hardly any to enough. It does what it should, or
/// ends with one line and the status of a failure. If memory is short for many searches in a row, this is said once.
#[test]
#[ignore = "takes long: run by .ci/nightly"]
fn every_command_ends_with_one_line_if_there_is_no_memory() {
    let scratch = Scratch::folder("memory");
    let folder = scratch.path();
    let in_folder = |kib: usize, arguments: &str| {
        let script = format!("ulimit -c 0; ulimit -t 120; ulimit -v {kib}; exec \"$0\" {arguments}");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_malecon")]).current_dir(folder);
        command.env_remove("RUST_LOG").env("RUST_BACKTRACE", "1").stdin(std::process::Stdio::null());
        command.output().unwrap()
    };
    std::fs::write(format!("{folder}/game.sgf"), "(;FF[4]SZ[3];W[a1];B[c3];W[b2];B[c4])").unwrap();
    std::fs::write(format!("{folder}/positions.jsonl"), "{\"side\": 3, \"moves\": [\"a1\", \"c3\"]}\n").unwrap();
    std::fs::write(format!("{folder}/script.tst"), "10 genmove white\n#? [a-z]*\n").unwrap();
    std::fs::write(format!("{folder}/query"), "{\"id\": \"a\", \"side\": 3, \"simulations\": 20}\n").unwrap();
    let enough = 1 << 20;
    for prepare in [
        "learn play --sides 3 --games 3 --simulations 20 --out games.jsonl",
        "solve prove --side 3 --quiet --out a.proof a1 c3",
    ] {
        let output = in_folder(enough, prepare);
        assert!(output.status.success(), "{prepare}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let (mut done, mut failed) = (0, 0);
    for kib in (least_kib()..=64_000).step_by(2_000) {
        for arguments in [
            "learn play --sides 3 --games 2 --simulations 20 --out out",
            "learn export --games games.jsonl --finish 20 --out out",
            "learn first-stones --side 2 --games 1 --close-games 3 --simulations 20 --out out",
            "learn balanced --side 4 --count 1 --simulations 20 --out out",
            "learn calibrate --sides 3 --positions 3 --simulations 20 --playing 20 --out out",
            "learn costs --side 3 --searches 2 --out out",
            "learn test --games games.jsonl --simulations 20",
            "bench --side 3 --seconds 0.2",
            "network --json",
            "sgf game.sgf",
            "review game.sgf --simulations 20",
            "puzzles game.sgf --out out",
            "solve --side 3 a1 c3",
            "solve openings --side 3 1",
            "solve prove --side 3 --quiet --out out a1 c3",
            "solve batch positions.jsonl --quiet --out out",
            "solve check a.proof",
            "match --engine \"a=$0 gtp --simulations 20\" --engine \"b=$0 gtp --simulations 20\" --side 3 --games 2 -q",
            "regress --engine \"$0 gtp --side 3 --simulations 20\" script.tst",
            "gtp --side 3 --simulations 20 < script.tst",
            "analyze --searches 2 < query",
            "play --side 3 --level 1 < script.tst",
            "completions bash",
            "man --out out",
        ] {
            let _ = std::fs::remove_file(format!("{folder}/out"));
            let _ = std::fs::remove_dir_all(format!("{folder}/out"));
            let output = in_folder(kib, arguments);
            let stderr = String::from_utf8_lossy(&output.stderr);
            let what = format!("{arguments} within {kib} KiB: {:?}\n{stderr}", output.status);
            assert!(!stderr.contains("panicked"), "{what}");
            match output.status.code() {
                Some(0) => done += 1,
                Some(1 | 2) => {
                    failed += 1;
                    let told = stderr.lines().any(|line| line.starts_with("error: "));
                    // The engines have their own memory, and their faults are counted.
                    let of_an_engine = arguments.starts_with("match") || arguments.starts_with("regress");
                    assert!(told || of_an_engine, "{what}");
                }
                _ => panic!("{what}"),
            }
            let warnings = stderr.lines().filter(|line| line.contains("not enough memory")).count();
            assert!(warnings < 20, "{what}");
        }
    }
    assert!(done > 100 && failed > 10, "{done} {failed}");
}

#[test]
fn there_are_as_many_searches_at_a_time_as_memory_allows() {
    let query = r#"{"id": "q", "side": 5, "simulations": 20}\n"#.repeat(100);
    for kib in [60_000, 100_000, 200_000] {
        let output = run_within(kib, "analyze --searches 64", &query);
        let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(output.status.success() && stderr.contains("searches at a time"), "within {kib} KiB: {stderr}");
        let answers = stdout.lines().filter(|line| line.contains("\"win_rate\"")).count();
        assert_eq!(answers, 100, "within {kib} KiB: {stdout}\n{stderr}");
    }
}
