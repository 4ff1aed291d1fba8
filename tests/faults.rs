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
use crate::scratch::Scratch;

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

/// A pipe waits for a writer, and a device never ends. A file of 60 GB takes no room on the disk: it is one hole.
#[test]
fn files_that_another_program_names_are_regular_and_bounded() {
    let folder = Scratch::folder("named");
    let [pipe, hole] = ["pipe.sgf", "hole.sgf"].map(|name| folder.join(name));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::File::create(&hole).unwrap().set_len(60 << 30).unwrap();
    let [pipe, hole] = [&pipe, &hole].map(|path| path.to_str().unwrap());
    let regular = "not a regular file";
    let mut lines = Vec::new();
    for (command, too_large) in [
        ("loadsgf", "larger than 64 MB"),
        ("set_option network", "larger than "),
        ("set_option proofs", "larger than 4096 MB"),
    ] {
        lines.extend([(command, pipe, regular), (command, "/dev/zero", regular), (command, hole, too_large)]);
    }
    lines.extend([pipe, "/dev/zero", "/dev/full"].map(|path| ("savesgf", path, regular)));
    let input: String = lines.iter().map(|(command, path, _)| format!("{command} {path}\n")).collect();
    let (done, is_done) = channel();
    thread::spawn(move || done.send(run_within(10, 2_000_000, "--side 4", input)));
    let output = is_done.recv_timeout(Duration::from_secs(60));
    // The reviews of a folder leave out what is not a file.
    let mut review = Command::new(env!("CARGO_BIN_EXE_malecon"));
    fs::write(folder.join("game.sgf"), "(;SZ[3];W[a1];B[b2])").unwrap();
    let review = review.args(["review", "--simulations", "10"]).arg(&*folder).stdin(Stdio::null());
    let mut review = review.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut status = None;
    for _ in 0..600 {
        status = review.try_wait().unwrap();
        if status.is_some() {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
    let _ = review.kill();
    let review = review.wait_with_output().unwrap();
    let answers = ends_well(&output.expect("a command waits"));
    assert_eq!(answers.len(), lines.len());
    for ((command, path, expected), answer) in lines.iter().zip(answers) {
        assert!(answer.starts_with("? ") && answer.contains(expected), "{command} {path}: {answer}");
    }
    // The hole is an error, and the game is reviewed.
    let stderr = String::from_utf8(review.stderr).unwrap();
    assert_eq!(status.expect("review waits").code(), Some(1), "{stderr}");
    assert!(stderr.contains("pipe.sgf left out (not a regular file)"), "{stderr}");
    assert!(stderr.contains("hole.sgf: larger than 1024 MB"), "{stderr}");
    assert!(String::from_utf8(review.stdout).unwrap().contains("b2"));
}

/// Each node of a record takes a few hundred bytes of memory.
#[test]
fn records_of_millions_of_nodes_are_refused() {
    let file = Scratch::new("nodes.sgf");
    fs::write(file.path(), "(;SZ[4]".to_owned() + &";".repeat(60_000_000) + ")").unwrap();
    let answers = ends_well(&run_within(20, 1_500_000, "--side 4", format!("loadsgf {}\n", file.path())));
    assert!(answers[0].contains("more than 2000000 nodes"), "{answers:?}");
}

/// Opening a pipe waits for a writer.
#[test]
fn only_regular_files_are_loaded() {
    let pipe = Scratch::new("pipe");
    assert!(Command::new("mkfifo").arg(&*pipe).status().unwrap().success());
    let (done, is_done) = channel();
    let line = format!("loadsgf {}", pipe.display());
    thread::spawn(move || {
        let mut client = crate::gtp_client::Client::start(&[]);
        let _ = done.send(client.ask(&line));
    });
    let answer = is_done.recv_timeout(Duration::from_secs(30));
    let error = answer.expect("loadsgf waits").unwrap_err();
    assert!(error.ends_with("not a regular file"), "{error}");
}
