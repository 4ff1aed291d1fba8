//! A client that talks to the program over pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};

use crate::scratch::Scratch;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args(arguments).env_remove("RUST_LOG").stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// Runs the program with this input, sent all at once.
pub fn run(arguments: &[&str], input: &[u8]) -> Output {
    run_command(command(arguments), input)
}

/// Like [`run`], but in a temporary directory, for input that may write files.
pub fn run_apart(arguments: &[&str], input: &[u8]) -> Output {
    let folder = Scratch::folder("run");
    let mut command = command(arguments);
    command.current_dir(&folder);
    run_command(command, input)
}

fn run_command(mut command: Command, input: &[u8]) -> Output {
    let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    let input = input.to_vec();
    // The program may exit before it has read everything.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = process.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// The answers in an output, without the empty lines that end them.
pub fn answers(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let text = text.strip_suffix("\n\n").unwrap_or_else(|| panic!("missing empty line at the end of {text:?}"));
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

    /// Waits for the next answer, and returns it with its status.
    pub fn receive(&mut self) -> String {
        let mut text = String::new();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the program exited during an answer: {text:?}");
            if line == "\n" {
                return text.trim_end_matches('\n').to_owned();
            }
            text += &line;
        }
    }

    /// Sends a command. Returns the text after `=`, or the error message after `?`.
    pub fn ask(&mut self, line: &str) -> Result<String, String> {
        self.send(&format!("{line}\n"));
        let answer = self.receive();
        let text = answer[1..].trim_start_matches(' ').to_owned();
        match &answer[..1] {
            "=" => Ok(text),
            "?" => Err(text),
            _ => panic!("invalid answer {answer:?} to {line:?}"),
        }
    }

    /// Sends a command that must succeed, and returns its answer.
    pub fn tell(&mut self, line: &str) -> String {
        self.ask(line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// Closes the input and waits for the program to exit.
    pub fn end_input(mut self) -> ExitStatus {
        drop(self.input.take());
        self.process.wait().unwrap()
    }

    /// Closes the output, and keeps sending commands until the program exits.
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
