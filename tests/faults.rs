//! Commands that once took far too long, or never ended. The program may use a few seconds of processor time and a
//! bounded address space, which the system enforces, so that these tests do not depend on how busy the machine is. Each
//! of them fails on commit c97129b; `docs/reliability.md` names the tests of the other faults found there.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::gtp_client::answers;

/// The output of the program with these arguments and this input, when it may use this many seconds of processor time
/// and KiB of address space. The system kills it when the time is up.
fn run_within(seconds: u32, kib: u32, arguments: &str, input: String) -> Output {
    let program = env!("CARGO_BIN_EXE_malecon");
    let script = format!("ulimit -t {seconds} && ulimit -v {kib} && exec '{program}' gtp {arguments}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).env_remove("RUST_LOG").env("RUST_BACKTRACE", "0");
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    // A program that is killed does not read everything.
    let writer = thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = process.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn ends_well(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{:?}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    answers(output)
}

/// The solver's table was filled with zeros by hand for each game.
#[test]
fn new_games_do_not_fill_large_tables() {
    let input = "clear_board\ngenmove white\n".repeat(60);
    let answers = ends_well(&run_within(4, 4_000_000, "--side 4 --memory 2048 --time 0.001", input));
    assert!(answers.len() == 120 && answers.iter().all(|answer| answer.starts_with('=')));
}

/// Words were compared with all names there are, whatever their length.
#[test]
fn long_unknown_words_are_refused_at_once() {
    let word = "x".repeat(60_000);
    let lines = [format!("{word}\n"), format!("help {word}\n"), format!("set_option {word} 1\n")];
    let answers = ends_well(&run_within(6, 4_000_000, "--side 4", lines.concat().repeat(60)));
    assert!(answers.len() == 180 && answers.iter().all(|answer| answer.starts_with('?') && answer.len() < 500));
}

/// An analysis went on to its end.
#[test]
fn an_analysis_can_be_interrupted() {
    for command in ["analyze_ownership", "analyze_criticality"] {
        let mut client = crate::gtp_client::Client::start(&["--side", "10", "--set", "analysis_playouts=1000000000"]);
        let (done, is_done) = channel();
        thread::spawn(move || {
            client.send(&format!("{command}\n"));
            thread::sleep(Duration::from_millis(300));
            client.send("# interrupt\n");
            let answer = client.receive();
            let _ = done.send(answer);
        });
        let answer = is_done.recv_timeout(Duration::from_secs(30)).unwrap_or_else(|_| panic!("{command} goes on"));
        assert!(answer.starts_with('=') || answer.contains("interrupted"), "{answer}");
    }
}

/// Commands that arrived while the engine was thinking were queued without bound.
#[test]
#[ignore = "takes long: run by .ci/run"]
fn waiting_commands_take_bounded_memory() {
    let input = format!("genmove white\n{}", "known_command name\n".repeat(2_000_000));
    let output = run_within(60, 60_000, "--side 6 --memory 16 --time 4", input);
    assert_eq!(ends_well(&output).len(), 2_000_001);
}

/// Each thread had memory of its own that `--memory` did not count.
#[test]
fn threads_take_little_memory() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args("gtp --side 13 --preset rave --threads 64 --memory 16 --time 1".split(' ')).env_remove("RUST_LOG");
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    process.stdin.as_mut().unwrap().write_all(b"genmove white\n").unwrap();
    let mut answer = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut answer).unwrap();
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    process.kill().unwrap();
    process.wait().unwrap();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kib: u32 = most.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(answer.starts_with("= ") && kib < 150_000, "{answer} {kib} KiB");
}

/// Opening a pipe waits for a writer.
#[test]
fn only_regular_files_are_loaded() {
    let pipe = std::env::temp_dir().join(format!("malecon-test-pipe-{}", std::process::id()));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (done, is_done) = channel();
    let line = format!("loadsgf {}", pipe.display());
    thread::spawn(move || {
        let mut client = crate::gtp_client::Client::start(&[]);
        let _ = done.send(client.ask(&line));
    });
    let answer = is_done.recv_timeout(Duration::from_secs(30));
    fs::remove_file(&pipe).unwrap();
    let error = answer.expect("loadsgf waits").unwrap_err();
    assert!(error.ends_with("not a regular file"), "{error}");
}
