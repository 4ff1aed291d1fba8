//! Talks to the built program over pipes.

#![allow(dead_code, reason = "each test uses a part")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args(arguments).env_remove("RUST_LOG").stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// Runs the program with all of its input sent at once, then the end of input.
pub fn run(arguments: &[&str], input: &[u8]) -> Output {
    run_command(command(arguments), input)
}

/// As [`run`], in a directory of its own that is gone afterwards: for input that may write files.
pub fn run_apart(arguments: &[&str], input: &[u8]) -> Output {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let directory = std::env::temp_dir().join(format!("malecon-test-{}-{run}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let mut command = command(arguments);
    command.current_dir(&directory);
    let output = run_command(command, input);
    std::fs::remove_dir_all(&directory).unwrap();
    output
}

fn run_command(mut command: Command, input: &[u8]) -> Output {
    let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    let input = input.to_vec();
    // The program may end before it has read everything.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = process.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// The answers in an output, each without the empty line that ends it.
pub fn answers(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let text = text.strip_suffix("\n\n").unwrap_or_else(|| panic!("no empty line at the end of {text:?}"));
    text.split("\n\n").map(str::to_owned).collect()
}

/// A running program.
pub struct Client {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Client {
    /// Starts the program.
    pub fn start(arguments: &[&str]) -> Client {
        let mut process = command(arguments).spawn().unwrap();
        let (input, output) = (process.stdin.take(), process.stdout.take().unwrap());
        Client { process, input, output: BufReader::new(output) }
    }

    /// Sends lines without waiting for anything.
    pub fn send(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// The next answer, status included.
    pub fn receive(&mut self) -> String {
        let mut text = String::new();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the program ended within an answer: {text:?}");
            if line == "\n" {
                return text.trim_end_matches('\n').to_owned();
            }
            text += &line;
        }
    }

    /// Sends a command and returns the text of its answer: after `=`, or after `?`.
    pub fn ask(&mut self, line: &str) -> Result<String, String> {
        self.send(&format!("{line}\n"));
        let answer = self.receive();
        let text = answer[1..].trim_start_matches(' ').to_owned();
        match &answer[..1] {
            "=" => Ok(text),
            "?" => Err(text),
            _ => panic!("{answer:?} is no answer to {line:?}"),
        }
    }

    /// Sends a command that must not be refused.
    pub fn tell(&mut self, line: &str) -> String {
        self.ask(line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// Ends the input and waits for the program to end.
    pub fn end_input(mut self) -> ExitStatus {
        drop(self.input.take());
        self.process.wait().unwrap()
    }

    /// Stops listening to the answers and waits for the program to notice, sending on.
    pub fn hang_up(self) -> ExitStatus {
        let Client { mut process, input, output } = self;
        drop(output);
        let mut input = input.unwrap();
        while process.try_wait().unwrap().is_none() {
            if writeln!(input, "name").is_err() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        process.wait().unwrap()
    }
}

/// A file of its own, gone when this is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    /// One that is not there yet; each test takes another name.
    pub fn new(name: &str) -> Scratch {
        Scratch(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id())))
    }

    /// Where it is.
    pub fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
