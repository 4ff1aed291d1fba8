//! A GTP engine as a child process. Commands go to its stdin and answers come from its stdout. Whatever the engine does
//! (nothing, too much, at the wrong time, or exit), a command ends with an answer or an [`EngineFault`] within a
//! bounded time.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::base::sync::{StopFlag, start_thread};
use crate::base::text::shortened;
use crate::protocols::gtp::protocol::{self, CommandError, Response};
use crate::tools::ToolError;

use super::descendants;

/// How often a waiting thread checks whether the match was stopped or the engine has exited.
pub(super) const POLL: Duration = Duration::from_millis(20);
/// If a thread that waits is this late, the match did not run: someone had stopped it, such as with Ctrl-Z.
const STOPPED: Duration = Duration::from_secs(1);
/// How long to wait until an engine that has closed its output exits, and until its stderr ends.
const EXIT_GRACE: Duration = Duration::from_secs(2);
/// What ends an engine, such as a signal to all processes of a job, may be meant for the match, too, and reach it so much
/// later. The engine did not fail then.
const LATE_STOP: Duration = Duration::from_millis(250);
/// How long to wait for the last output of an engine that has exited, if another process still holds its stdout open.
const LAST_OUTPUT_GRACE: Duration = Duration::from_millis(500);
/// How long an engine may take to exit after `quit` before it is killed.
const QUIT_GRACE: Duration = Duration::from_secs(2);
/// The maximum length of an answer, in bytes.
const LONGEST_ANSWER: usize = 1 << 20;
/// How much of the end of an engine's stderr is kept, in bytes.
const STDERR_KEPT: usize = 4096;
/// How many lines of stderr a message shows.
const STDERR_LINES: usize = 8;

/// On Windows, Ctrl-C does not reach a program that was started with this flag.
#[cfg(windows)]
const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;

/// How to start and set up an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineSpec {
    /// The engine's name in reports and records.
    pub name: String,
    /// The command line. It is split into words by [`split_command`]; `{side}` stands for the side length.
    pub command: String,
    /// GTP commands to send before every game, after those of the match itself; `{side}` stands for the side length.
    pub init: Vec<String>,
}

impl EngineSpec {
    /// Parses `NAME=CMD`.
    ///
    /// # Errors
    /// Returns a one-line message if the name or the command is missing, or a quote is not closed.
    pub fn parse(text: &str) -> Result<EngineSpec, ToolError> {
        let (name, command) = split_name(text).ok_or("the name is missing (expected NAME=CMD)")?;
        match split_command(command) {
            None => Err("the command has an unclosed quote".into()),
            Some(words) if words.is_empty() => Err("the command is missing (expected NAME=CMD)".into()),
            Some(_) => Ok(EngineSpec { name: name.into(), command: command.into(), init: vec![] }),
        }
    }

    /// The command that starts the engine for boards of this side length. Its stderr is read by the match.
    pub fn to_command(&self, side: usize) -> Command {
        let words = split_command(&self.command).unwrap_or_default();
        let mut words = words.into_iter().map(|word| word.replace("{side}", &side.to_string()));
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).stderr(Stdio::piped());
        command
    }
}

/// The words of a command line by the rules of the platform: those of a shell or, on Windows, of its programs, where a
/// backslash is part of a path. `None` if a quote is not closed.
pub fn split_command(text: &str) -> Option<Vec<String>> {
    #[cfg(windows)]
    return Some(windows_words(text));
    #[cfg(not(windows))]
    return shlex::split(text);
}

/// The words of a command line by the rules of Windows, where a quote that is not closed lasts to the end. Empty words
/// are left out.
#[cfg(any(windows, test))]
fn windows_words(text: &str) -> Vec<String> {
    winsplit::split(text)
}

/// Splits `NAME=REST`, or returns `None` if there is no `=` or no name before it.
pub fn split_name(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('=')?;
    Some((name.trim(), rest.trim())).filter(|(name, _)| !name.is_empty())
}

/// The kinds of faults. A fault loses the game.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FaultKind {
    /// The answer to `genmove` was not a legal move.
    #[serde(rename = "illegal move")]
    IllegalMove,
    /// The engine answered a legal command with `?`.
    #[serde(rename = "error answer")]
    ErrorAnswer,
    /// A move took longer than its limit and the margin allow.
    #[serde(rename = "time forfeit")]
    TimeForfeit,
    /// The engine did not answer at all.
    #[serde(rename = "silence")]
    Silence,
    /// The process exited with a status other than 0, or was ended by a signal.
    #[serde(rename = "crash")]
    Crash,
    /// The process closed its output, or exited with status 0.
    #[serde(rename = "end of pipe")]
    EndOfPipe,
    /// The engine sent an answer without a command.
    #[serde(rename = "out of turn")]
    OutOfTurn,
    /// The output was not an answer of the Go Text Protocol.
    #[serde(rename = "malformed answer")]
    Malformed,
    /// The process could not be started.
    #[serde(rename = "no start")]
    NoStart,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The name in records: a formatter is a serializer, too.
        self.serialize(f)
    }
}

/// A fault of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineFault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// What happened.
    pub detail: String,
}

impl EngineFault {
    /// Creates a fault.
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> EngineFault {
        EngineFault { kind, detail: detail.into() }
    }
}

impl fmt::Display for EngineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

impl std::error::Error for EngineFault {}

/// The answer to a command, with the time from sending the command until the end of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The text after `=`, or the error message after `?`.
    pub answer: Response,
    /// The time that the answer took.
    pub elapsed: Duration,
}

/// Why a command got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineError {
    /// The engine is at fault.
    Fault(EngineFault),
    /// The match was stopped.
    Stopped,
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::Fault(fault) => fault.fmt(f),
            EngineError::Stopped => f.write_str("the match was stopped"),
        }
    }
}

impl std::error::Error for EngineError {}

impl From<EngineFault> for EngineError {
    fn from(fault: EngineFault) -> EngineError {
        EngineError::Fault(fault)
    }
}

/// An engine, as the referee sees it.
pub trait Player {
    /// Sends a command and waits for its answer, for at most `bound`.
    ///
    /// # Errors
    /// If the engine is at fault, or the match was stopped.
    fn ask(&mut self, command: &str, bound: Duration) -> Result<Reply, EngineError>;
}

/// A block of lines from an engine's output.
struct Block {
    /// The lines up to the next empty one, or `None` if they are too long for an answer.
    text: Option<String>,
    /// When the empty line arrived.
    at: Instant,
}

/// A running engine. Dropping it kills the engine and everything it has started, as far as [`descendants`] can find it.
#[derive(Debug)]
pub struct EngineProcess {
    child: Child,
    /// Lines for the thread that writes to stdin, which closes it when this is dropped. An engine that does not read
    /// can block that thread, but no other.
    stdin: Option<Sender<String>>,
    /// That thread. It ends earlier if the engine has closed its stdin.
    stdin_writer: Option<JoinHandle<()>>,
    blocks: Receiver<Block>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    /// The thread that reads stderr, if that is a pipe.
    stderr_reader: Option<JoinHandle<()>>,
    stop: StopFlag,
    /// Whether the engine repeats the number of a command in its answer, as GTP requires.
    numbered: bool,
    number: u32,
    /// Its name and version.
    program: String,
    reaped: bool,
    /// The mark of the engine and its [`descendants`].
    mark: String,
}

impl EngineProcess {
    /// Starts an engine. Once `stop` is raised, [`Player::ask`] returns [`EngineError::Stopped`]. If stderr is a pipe,
    /// it is read, and its end becomes part of the message if the engine exits.
    ///
    /// The engine gets a process group of its own, so that Ctrl-C does not reach it and that it can be killed together
    /// with what it has started.
    ///
    /// # Errors
    /// If the program cannot be started, or does not answer within `bound`.
    pub fn start(mut command: Command, bound: Duration, stop: StopFlag) -> Result<EngineProcess, EngineError> {
        let mark = descendants::engine_mark();
        command.env(descendants::VARIABLE, &mark).stdin(Stdio::piped()).stdout(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(windows)]
        std::os::windows::process::CommandExt::creation_flags(&mut command, CREATE_NEW_PROCESS_GROUP);
        let child = command.spawn().map_err(|e| {
            EngineFault::new(FaultKind::NoStart, format!("cannot start '{}': {e}", command.get_program().display()))
        })?;
        let (sender, blocks) = sync_channel(64);
        let (lines, unwritten) = channel();
        let mut engine = EngineProcess {
            child,
            stdin: Some(lines),
            stdin_writer: None,
            blocks,
            stderr: Arc::default(),
            stderr_reader: None,
            stop,
            numbered: true,
            number: 0,
            program: String::new(),
            reaped: false,
            mark,
        };
        engine
            .start_threads(sender, unwritten)
            .map_err(|error| EngineFault::new(FaultKind::NoStart, error.to_string()))?;
        engine.greet(bound)?;
        Ok(engine)
    }

    /// Starts the threads that read and write the engine's streams.
    fn start_threads(&mut self, blocks: SyncSender<Block>, unwritten: Receiver<String>) -> io::Result<()> {
        let stdout = self.child.stdout.take().expect("stdout is piped");
        start_thread("engine's stdout", move || read_blocks(BufReader::new(stdout), &blocks))?;
        if let Some(pipe) = self.child.stderr.take() {
            let kept = Arc::clone(&self.stderr);
            self.stderr_reader = Some(start_thread("engine's stderr", move || drain(pipe, &kept))?);
        }
        let mut pipe = self.child.stdin.take().expect("stdin is piped");
        let write = move || unwritten.iter().take_while(|line| pipe.write_all(line.as_bytes()).is_ok()).for_each(drop);
        self.stdin_writer = Some(start_thread("engine's stdin", write)?);
        Ok(())
    }

    /// Asks for the engine's name and version. The first answer shows whether answers are numbered.
    fn greet(&mut self, bound: Duration) -> Result<(), EngineError> {
        let (text, _) = self.exchange("name", bound)?;
        let (success, number, name) = parse_answer(&text)?;
        self.numbered = number.is_some();
        self.check_number(number, &text)?;
        let version = self.ask("version", bound)?.answer.ok();
        let known = [success.then_some(name), version].into_iter().flatten();
        self.program = shorten(&known.collect::<Vec<_>>().join(" ").replace('\n', " "));
        Ok(())
    }

    /// The program, by the engine's answers to `name` and `version`, such as `Malecon 0.3.0`. Empty if it refused both.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Sends a command and waits for the next block of lines. Returns them with the time that they took.
    fn exchange(&mut self, command: &str, bound: Duration) -> Result<(String, Duration), EngineError> {
        match self.blocks.try_recv() {
            Ok(Block { text: None, .. }) => return Err(too_long(command).into()),
            Ok(Block { text: Some(text), .. }) => {
                let detail = format!("the engine sent '{}' without a command", shorten(&text));
                return Err(EngineFault::new(FaultKind::OutOfTurn, detail).into());
            }
            Err(TryRecvError::Disconnected) => return Err(self.ended(command)),
            Err(TryRecvError::Empty) => {}
        }
        self.number += 1;
        let start = Instant::now();
        self.send(command);
        let (block, elapsed) = self.wait(command, start, bound)?;
        block.text.map(|text| (text, elapsed)).ok_or_else(|| too_long(command).into())
    }

    /// Sends a command, and returns whether the engine's stdin is still open as far as is known.
    fn send(&self, command: &str) -> bool {
        let line = if self.numbered { format!("{} {command}\n", self.number) } else { format!("{command}\n") };
        self.stdin.as_ref().is_some_and(|stdin| stdin.send(line).is_ok())
    }

    /// Waits for the next block of lines. Returns it with the time since `start`. While the match is stopped, the
    /// engine's time stands still.
    fn wait(&mut self, command: &str, start: Instant, bound: Duration) -> Result<(Block, Duration), EngineError> {
        let mut exited_at = None;
        let (mut elapsed, mut last) = (Duration::ZERO, start);
        loop {
            let received = self.blocks.recv_timeout(POLL);
            let now = received.as_ref().map_or_else(|_| Instant::now(), |block| block.at);
            let passed = now.saturating_duration_since(last);
            elapsed += if passed > POLL + STOPPED { POLL } else { passed };
            last = now;
            match received {
                Ok(block) => return Ok((block, elapsed)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended(command)),
                Err(RecvTimeoutError::Timeout) if self.stop.is_stopped() => {
                    return Err(EngineError::Stopped);
                }
                Err(RecvTimeoutError::Timeout) if self.stdin_writer.as_ref().is_some_and(JoinHandle::is_finished) => {
                    return Err(self.ended(command));
                }
                Err(RecvTimeoutError::Timeout) if elapsed >= bound && !self.has_exited() => {
                    let (command, seconds) = (shorten(command), bound.as_secs_f64());
                    let detail = format!("no answer to '{command}' within {seconds:.1} s (--silence allows more)");
                    return Err(EngineFault::new(FaultKind::Silence, detail).into());
                }
                // The engine may have exited while another process holds its stdout open.
                Err(RecvTimeoutError::Timeout) if self.has_exited() => {
                    if exited_at.get_or_insert_with(Instant::now).elapsed() >= LAST_OUTPUT_GRACE {
                        return Err(self.ended(command));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Checks the number of an answer. An engine may refuse a line without having read its number, such as one that is
    /// too long.
    fn check_number(&self, number: Option<u32>, text: &str) -> Result<(), EngineFault> {
        let is_refusal = number.is_none() && text.starts_with('?');
        if self.numbered && number != Some(self.number) && !is_refusal {
            let detail = format!("the engine sent '{}' instead of answer number {}", shorten(text), self.number);
            return Err(EngineFault::new(FaultKind::OutOfTurn, detail));
        }
        Ok(())
    }

    /// The fault of an engine that has exited or closed its output; [`EngineError::Stopped`] if the match was stopped,
    /// too.
    fn ended(&mut self, command: &str) -> EngineError {
        self.stdin = None;
        let exited = wait_until(EXIT_GRACE, || self.has_exited());
        let status = self.kill();
        // Now that no process is left to hold it open, stderr ends.
        wait_until(EXIT_GRACE, || self.stderr_reader.as_ref().is_none_or(JoinHandle::is_finished));
        let (kind, how) = match status {
            Some(status) if exited && !status.success() => (FaultKind::Crash, format!("ended with {status}")),
            _ if exited => (FaultKind::EndOfPipe, "exited".to_owned()),
            _ => (FaultKind::EndOfPipe, "closed its input or output".to_owned()),
        };
        let mut detail = format!("the engine {how} before it answered '{}'", shorten(command));
        let stderr = self.stderr_lines();
        if !stderr.is_empty() {
            detail += &format!("; its stderr ended with:\n    {}", stderr.join("\n    "));
        }
        if wait_until(LATE_STOP, || self.stop.is_stopped()) {
            return EngineError::Stopped;
        }
        EngineFault::new(kind, detail).into()
    }

    /// The last lines that the engine wrote to stderr, without empty ones.
    fn stderr_lines(&self) -> Vec<String> {
        let bytes: Vec<u8> = self.stderr.lock().map(|kept| kept.iter().copied().collect()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut lines: Vec<String> =
            text.lines().rev().filter(|line| !line.trim().is_empty()).take(STDERR_LINES).map(shorten).collect();
        lines.reverse();
        lines
    }

    /// Whether the process has exited. It is not reaped, so that the id of its process group is not used again.
    #[cfg(unix)]
    fn has_exited(&mut self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.reaped || !matches!(waitid(WaitId::Pid(Pid::from_child(&self.child)), options), Ok(None))
    }

    #[cfg(not(unix))]
    fn has_exited(&mut self) -> bool {
        self.reaped || !matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills the engine and everything it has started, and returns its exit status.
    fn kill(&mut self) -> Option<ExitStatus> {
        self.stdin = None;
        if !self.reaped {
            #[cfg(unix)]
            {
                use rustix::process::{Pid, Signal, kill_process_group};
                let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            }
            let _ = self.child.kill();
            descendants::kill_marked(&self.mark);
            self.reaped = true;
        }
        self.child.wait().ok()
    }

    /// Sends `quit`, waits a moment for the engine to exit, and kills what is left.
    pub fn quit(mut self) {
        self.number += 1;
        if self.send("quit") {
            self.stdin = None;
            wait_until(QUIT_GRACE, || self.has_exited() || self.stop.is_stopped());
        }
    }
}

impl Player for EngineProcess {
    fn ask(&mut self, command: &str, bound: Duration) -> Result<Reply, EngineError> {
        let (text, elapsed) = self.exchange(command, bound)?;
        let (success, number, rest) = parse_answer(&text)?;
        self.check_number(number, &text)?;
        let answer = if success { Ok(rest) } else { Err(CommandError::new(rest)) };
        Ok(Reply { answer, elapsed })
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

fn too_long(command: &str) -> EngineFault {
    let command = shorten(command);
    EngineFault::new(FaultKind::Malformed, format!("the answer to '{command}' is longer than {LONGEST_ANSWER} bytes"))
}

/// Polls a condition for at most `bound`, and returns whether it was met.
fn wait_until(bound: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + bound;
    loop {
        if condition() {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Splits an answer into success or failure, the number of the command, and the text.
fn parse_answer(text: &str) -> Result<(bool, Option<u32>, String), EngineFault> {
    let success = match text.as_bytes().first() {
        Some(b'=') => true,
        Some(b'?') => false,
        _ => {
            return Err(EngineFault::new(
                FaultKind::Malformed,
                format!("'{}' is not an answer (expected = or ?)", shorten(text)),
            ));
        }
    };
    let rest = &text[1..];
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    Ok((success, rest[..digits].parse().ok(), rest[digits..].trim().to_owned()))
}

/// A text as quoted in a line of a report.
pub(super) fn shorten(text: &str) -> String {
    const LONGEST: usize = 120;
    shortened(text, LONGEST)
}

/// Sends each block of lines up to an empty line to the channel, until the output ends, a block is too long, or the
/// receiver is gone. A line of spaces within a block is a part of it. Removes carriage returns and other control
/// characters and turns tabs into spaces, as GTP requires.
fn read_blocks(mut output: impl BufRead, sender: &SyncSender<Block>) {
    let mut text = String::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        // The bytes of a line may grow when it is cleaned, which replaces those that are not UTF-8.
        let limit = LONGEST_ANSWER.saturating_sub(text.len()) as u64 + 1;
        match output.by_ref().take(limit).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let at = Instant::now();
        let clean = protocol::clean(&line);
        let too_long = text.len() + line.len().max(clean.len()) > LONGEST_ANSWER;
        let block = if too_long {
            Block { text: None, at }
        } else if text.is_empty() {
            text.push_str(if clean.trim().is_empty() { "" } else { &clean });
            continue;
        } else if clean.is_empty() {
            Block { text: Some(std::mem::take(&mut text)), at }
        } else {
            text.push('\n');
            text.push_str(&clean);
            continue;
        };
        if sender.send(block).is_err() || too_long {
            return;
        }
    }
}

/// Reads an engine's stderr to its end and keeps the last [`STDERR_KEPT`] bytes.
fn drain(mut stderr: impl Read, kept: &Mutex<VecDeque<u8>>) {
    let mut buffer = [0; 8192];
    loop {
        let count = match stderr.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => count,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let Ok(mut kept) = kept.lock() else { return };
        kept.extend(&buffer[count.saturating_sub(STDERR_KEPT)..count]);
        let surplus = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(output: impl Read) -> Vec<Option<String>> {
        let (sender, receiver) = sync_channel(64);
        read_blocks(BufReader::with_capacity(1, output), &sender);
        drop(sender);
        receiver.into_iter().map(|block| block.text).collect()
    }

    #[test]
    fn answers_end_at_an_empty_line() {
        assert_eq!(
            blocks(&b"= a1\n\n \n\n?2 no\r\n \r\nmore\t!\r\n\r\n= half"[..]),
            [Some("= a1".into()), Some("?2 no\n \nmore !".into())]
        );
    }

    /// Bytes that are not UTF-8 become longer. What follows them is not read without end.
    #[test]
    fn an_answer_that_grows_too_long_ends_the_output() {
        let bad = vec![0xff; LONGEST_ANSWER / 2];
        let mut endless = bad.chain(&b"\n"[..]).chain(io::repeat(b'x').take(8 << 20));
        assert_eq!(blocks(&mut endless), [None]);
        assert_eq!(io::copy(&mut endless, &mut io::sink()).unwrap(), 8 << 20);
    }

    /// Backslashes are part of a path, except before a quote, where two stand for one.
    #[test]
    fn command_lines_of_windows_are_split_by_its_rules() {
        for (line, words) in [
            (r"C:\Engines\x.exe gtp", &[r"C:\Engines\x.exe", "gtp"][..]),
            (r#""C:\Program Files\x.exe" gtp --set 'a=1"#, &[r"C:\Program Files\x.exe", "gtp", "--set", "'a=1"]),
            (r#"x.exe --network "D:\my networks\\" gtp"#, &["x.exe", "--network", r"D:\my networks\", "gtp"]),
            (r#"\\server\share\x.exe say \"hello\""#, &[r"\\server\share\x.exe", "say", r#""hello""#]),
            (r#"x.exe "not closed"#, &["x.exe", "not closed"]),
            ("  ", &[]),
        ] {
            assert_eq!(windows_words(line), words, "{line}");
        }
    }

    #[cfg(not(windows))]
    #[test]
    fn command_lines_are_split_as_by_a_shell() {
        let words = |line| split_command(line).map(|words| words.join("|"));
        assert_eq!(words(r"'my engines/x' a\ b").as_deref(), Some("my engines/x|a b"));
        assert_eq!(words("x 'not closed"), None);
    }

    #[test]
    fn an_endless_answer_is_cut_off() {
        let endless = "=".repeat(LONGEST_ANSWER + 10);
        assert_eq!(blocks(endless.as_bytes()), [None]);
        assert_eq!(blocks("= x\n".repeat(LONGEST_ANSWER).as_bytes()), [None]);
    }

    #[test]
    fn answers_are_split_into_status_number_and_text() {
        assert_eq!(parse_answer("=12 a1"), Ok((true, Some(12), "a1".into())));
        assert_eq!(parse_answer("= 5"), Ok((true, None, "5".into())));
        assert_eq!(parse_answer("?"), Ok((false, None, String::new())));
        assert_eq!(parse_answer("hello").unwrap_err().kind, FaultKind::Malformed);
    }

    #[test]
    fn engines_need_a_name_and_a_command() {
        let spec = EngineSpec::parse("m=malecon gtp --side {side} 'a b'").unwrap();
        let command = spec.to_command(5);
        let words: Vec<_> = [command.get_program()].into_iter().chain(command.get_args()).collect();
        assert_eq!(
            (spec.name.as_str(), words),
            ("m", ["malecon", "gtp", "--side", "5", "a b"].map(AsRef::as_ref).into())
        );
        for bad in ["malecon", "=malecon", "m=", "m='x"] {
            assert!(EngineSpec::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_the_end_of_a_long_stderr_is_kept() {
        let kept = Mutex::new(VecDeque::new());
        drain(("x".repeat(100_000) + "\nthe end").as_bytes(), &kept);
        let kept = kept.into_inner().unwrap();
        assert_eq!(kept.len(), STDERR_KEPT);
        assert!(kept.iter().copied().collect::<Vec<_>>().ends_with(b"\nthe end"));
    }
}
