//! The program at a terminal: a person types on a pseudo-terminal.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::scratch::Scratch;

/// How long to wait before something counts as missing. An idle machine needs a fraction of a second.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until something is so.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "it never came to this: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The program, and the terminal at which it runs.
struct Terminal {
    process: Child,
    keys: File,
    shown: Receiver<Vec<u8>>,
    text: String,
}

impl Terminal {
    fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Terminal {
        // Neither end becomes the terminal of the tests themselves, nor does another test's program get it.
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        tcsetwinsize(&master, Winsize { ws_row: 50, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let end = || ioctl_tiocgptpeer(&master, flags).unwrap();
        let process = Command::new(env!("CARGO_BIN_EXE_malecon"))
            .args(arguments)
            .env_remove("RUST_LOG")
            .env_remove("NO_COLOR")
            .env("TERM", "xterm")
            .envs(variables.iter().copied())
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        let keys = File::from(master);
        let mut screen = keys.try_clone().unwrap();
        let (sender, shown) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = screen.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Terminal { process, keys, shown, text: String::new() }
    }

    /// Types at the next prompt. Before the prompt, keys are not read one by one yet.
    fn type_at(&mut self, prompt: &str, keys: &str) -> String {
        let shown = self.wait_for(prompt);
        self.keys.write_all(keys.as_bytes()).unwrap();
        shown
    }

    /// Waits until this is shown and returns what was shown up to there.
    fn wait_for(&mut self, part: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.text.find(part) {
                let rest = self.text.split_off(at + part.len());
                return std::mem::replace(&mut self.text, rest);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let bytes = self.shown.recv_timeout(left).unwrap_or_else(|_| panic!("{part} never came: {}", self.text));
            self.text += &String::from_utf8_lossy(&bytes);
        }
    }

    /// Whether the terminal shows the keys and waits for the end of a line.
    fn is_plain(&self) -> bool {
        tcgetattr(&self.keys).unwrap().local_modes.contains(LocalModes::ECHO | LocalModes::ICANON)
    }

    /// Waits until the program edits a line.
    fn wait_until_keys_are_read(&self) {
        wait_until("keys are read one by one", || !self.is_plain());
    }

    /// Waits for the end of the program.
    fn status(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the program has ended", || {
            status = self.process.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    fn ends_well(mut self) {
        assert!(self.status().success());
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const CONTROL_C: &str = "\x03";
const CONTROL_D: &str = "\x04";
const UP: &str = "\x1b[A";

#[test]
fn gtp_at_a_terminal_greets_completes_words_and_answers_a_vertex() {
    let mut terminal = Terminal::start(&["--side", "4", "--simulations", "50"], &[]);
    let prompt = "malecon> ";
    let greeting = terminal.type_at(prompt, "protoc\t\r");
    assert!(greeting.contains("speaks GTP") && greeting.lines().count() <= 2, "{greeting}");
    terminal.wait_for("= 2\r\n");
    terminal.type_at(prompt, "d4\r");
    terminal.wait_for("white (O) to move, 2 stones");
    terminal.type_at(prompt, "history\r");
    terminal.wait_for("= d4 ");
    terminal.type_at(prompt, &format!("{UP}{UP}{UP}\r"));
    terminal.wait_for("= 2\r\n");
    terminal.type_at(prompt, CONTROL_C);
    terminal.wait_for("to end the program");
    terminal.type_at(prompt, CONTROL_D);
    terminal.ends_well();
}

#[test]
fn a_game_at_a_terminal_has_colours_unless_no_color_is_set() {
    for (variables, colored) in [(&[][..], true), (&[("NO_COLOR", "1")], false)] {
        let mut terminal = Terminal::start(&["play", "--side", "4", "--simulations", "50"], variables);
        terminal.type_at("white> ", "d4\r");
        let shown = terminal.wait_for("white (O) to move, 2 stones");
        assert!(shown.contains("Malecon thinks"), "{shown}");
        assert_eq!(shown.contains("\x1b[1mO\x1b[0m"), colored, "{shown}");
        assert_eq!(shown.contains("\x1b[1;94mX\x1b[0m"), colored, "{shown}");
        terminal.type_at("white> ", "qu\t\r");
        terminal.ends_well();
    }
}

#[test]
fn an_interrupt_makes_the_engine_move_at_once() {
    let mut terminal = Terminal::start(&["play", "--side", "5", "--as", "black", "--time", "100000"], &[]);
    terminal.wait_for("Malecon thinks");
    // As a terminal does when Ctrl-C is typed.
    terminal.signal(Signal::INT);
    terminal.wait_for("Malecon plays ");
    terminal.type_at("black> ", CONTROL_D);
    terminal.ends_well();
}

/// The engine thinks about its first move and then about its answer, so that the second interrupt comes after the first
/// was obeyed. Without a terminal there is nobody who edits a line, and an interrupt at the prompt ends the program.
#[test]
fn each_interrupt_ends_one_search_and_another_ends_the_program() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args(["play", "--side", "5", "--as", "black", "--time", "100000", "--threads", "3"]);
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
    let mut lines = BufReader::new(output).lines().map(Result::unwrap);
    lines.find(|line| line.contains("Malecon plays at full strength")).unwrap();
    let pid = Pid::from_child(&process);
    let interrupt = || kill_process(pid, Signal::INT).unwrap();
    // The main thread, the one that waits for signals, and two that search beside the main thread.
    let thinks = || std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero())).unwrap().count() == 4;
    for answer in ["a vertex", "swap"] {
        wait_until("the engine thinks", thinks);
        interrupt();
        let played = lines.find(|line| line.starts_with("Malecon plays ") && line.ends_with('.')).unwrap();
        if answer == "swap" {
            writeln!(input, "swap").unwrap();
            lines.find(|line| line.contains("without the swap")).unwrap();
        } else {
            writeln!(input, "{}", if played.contains(" a1.") { "a2" } else { "a1" }).unwrap();
        }
    }
    // A little later, the interrupt could still be meant for the search.
    std::thread::sleep(Duration::from_millis(1100));
    interrupt();
    assert_eq!(process.wait().unwrap().code(), Some(130));
}

#[test]
fn an_interrupt_at_the_prompt_says_how_to_end_the_game() {
    let mut terminal = Terminal::start(&["play"], &[]);
    terminal.type_at("white> ", "");
    terminal.wait_until_keys_are_read();
    terminal.signal(Signal::INT);
    terminal.wait_for("Type quit, or press Ctrl-D");
    terminal.type_at("white> ", CONTROL_D);
    terminal.ends_well();
}

#[test]
fn other_signals_end_the_program_at_once() {
    for (signal, status) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let mut terminal = Terminal::start(&["play", "--side", "5", "--as", "black", "--time", "100000"], &[]);
        terminal.wait_for("Malecon thinks");
        terminal.signal(signal);
        assert_eq!(terminal.status().code(), Some(status));
        assert!(!terminal.text.contains("Malecon plays"), "{}", terminal.text);
    }
}

/// While a line is typed, the program shows the keys itself. It leaves the terminal as it was.
#[test]
fn a_signal_at_the_prompt_leaves_the_terminal_as_it_was() {
    for arguments in [&["play"][..], &["gtp"]] {
        let mut terminal = Terminal::start(arguments, &[]);
        terminal.wait_until_keys_are_read();
        terminal.signal(Signal::TERM);
        assert_eq!(terminal.status().code(), Some(143));
        assert!(terminal.is_plain());
    }
}

/// Pasted lines come all at once, and are carried out one by one.
#[test]
fn pasted_lines_are_all_carried_out() {
    for bracketed in [false, true] {
        let paste =
            |text: &str| if bracketed { format!("\x1b[200~{text}\x1b[201~\r") } else { text.replace('\n', "\r") };
        let mut terminal = Terminal::start(&["--side", "4"], &[]);
        terminal.type_at("malecon> ", &paste("play white d4\nplay black e5\nhistory\n"));
        terminal.wait_for("= d4 e5\r\n");
        terminal.type_at("malecon> ", CONTROL_D);
        terminal.ends_well();
        let mut terminal = Terminal::start(&["play", "--side", "4", "--simulations", "50"], &[]);
        terminal.type_at("white> ", &paste("moves\nundo\ntime 1\n"));
        let shown = terminal.wait_for("thinks 1 s about a move from now on.");
        assert!(shown.contains("No move has been played.") && shown.contains("You have not moved yet."), "{shown}");
        terminal.type_at("white> ", CONTROL_D);
        terminal.ends_well();
    }
}

#[test]
fn names_of_files_are_completed() {
    let folder = Scratch::folder("complete");
    folder.write("a saved game.sgf", "(;SZ[4];W[d4];B[e5])");
    let mut terminal = Terminal::start(&["play", "--side", "5", "--simulations", "50"], &[]);
    terminal.type_at("white> ", &format!("load {}/a s\t\r", folder.display()));
    terminal.wait_for("white (O) to move, 2 stones, last move e5");
    terminal.type_at("white> ", CONTROL_D);
    terminal.ends_well();
}

#[test]
fn a_dumb_terminal_gets_no_escape_sequences() {
    let mut terminal = Terminal::start(&["play", "--side", "4", "--simulations", "50"], &[("TERM", "dumb")]);
    terminal.type_at("white> ", "d4\nquit\n");
    let shown = terminal.wait_for("white (O) to move, 2 stones");
    assert!(!shown.contains('\x1b'), "{shown}");
    terminal.wait_for("white> ");
    terminal.ends_well();
    let mut terminal = Terminal::start(&["--side", "4", "--simulations", "50"], &[("TERM", "dumb")]);
    terminal.type_at("malecon> ", "d4\nquit\n");
    let shown = terminal.wait_for("white (O) to move, 2 stones");
    assert!(!shown.contains('\x1b'), "{shown}");
    terminal.ends_well();
}
