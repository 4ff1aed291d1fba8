//! An engine as a process: commands go to its standard input, answers come from its standard output, and whatever it
//! does there (nothing, too much, at the wrong time, or leaving) ends in an answer or a [`Fault`], within a bound.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// How often a waiting thread looks whether the match was stopped or a process has left.
const POLL: Duration = Duration::from_millis(20);
/// How long an engine that closed its output has to exit before it counts as still running.
const EXIT_GRACE: Duration = Duration::from_secs(2);
/// How long an engine has to leave after `quit` before it is killed.
const QUIT_GRACE: Duration = Duration::from_secs(2);
/// The longest answer that is accepted, in bytes.
const LONGEST_ANSWER: usize = 1 << 20;
/// How much of an engine's last words on stderr is kept, in bytes.
const LAST_WORDS: usize = 2048;

/// How to start and set up an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineSpec {
    /// The name in reports and records.
    pub name: String,
    /// The command line, split as a shell splits words; `{side}` stands for the side length.
    pub command: String,
    /// GTP commands sent at the start of every game, after everything the match itself sends; `{side}` as above.
    pub init: Vec<String>,
}

impl EngineSpec {
    /// Reads `NAME=CMD`.
    ///
    /// # Errors
    /// A line that says what is wrong with the text.
    pub fn parse(text: &str) -> Result<EngineSpec, String> {
        let (name, command) = split_name(text)?;
        match shlex::split(command) {
            None => Err(format!("the command of engine '{name}' has an unclosed quote: {command}")),
            Some(words) if words.is_empty() => Err(format!("engine '{name}' has no command")),
            Some(_) => Ok(EngineSpec { name: name.into(), command: command.into(), init: vec![] }),
        }
    }

    /// The words of the command line for boards of this side length.
    fn words(&self, side: usize) -> Vec<String> {
        let words = shlex::split(&self.command).unwrap_or_default();
        words.into_iter().map(|word| word.replace("{side}", &side.to_string())).collect()
    }
}

/// Splits `NAME=REST`.
///
/// # Errors
/// If there is no `=`, or no name before it.
pub fn split_name(text: &str) -> Result<(&str, &str), String> {
    match text.split_once('=').map(|(name, rest)| (name.trim(), rest.trim())) {
        Some((name, rest)) if !name.is_empty() => Ok((name, rest)),
        _ => Err(format!("'{text}' has not the form NAME=TEXT")),
    }
}

/// What an engine did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FaultKind {
    /// `genmove` was answered with something that is not a legal move.
    #[serde(rename = "illegal move")]
    IllegalMove,
    /// A legal command was answered with `?`.
    #[serde(rename = "error answer")]
    ErrorAnswer,
    /// The move came later than its limit and the margin allow.
    #[serde(rename = "time forfeit")]
    TimeForfeit,
    /// No answer came within the bound of silence.
    #[serde(rename = "silence")]
    Silence,
    /// The process ended with a status other than 0, or by a signal.
    #[serde(rename = "crash")]
    Crash,
    /// The process closed its output, or ended with status 0.
    #[serde(rename = "end of pipe")]
    EndOfPipe,
    /// An answer came that no command had asked for.
    #[serde(rename = "out of turn")]
    OutOfTurn,
    /// What came is not an answer of the Go Text Protocol.
    #[serde(rename = "malformed answer")]
    Malformed,
    /// The process could not be started.
    #[serde(rename = "no start")]
    NoStart,
}

impl FaultKind {
    /// All kinds, in the order of their table.
    pub const ALL: [FaultKind; 9] = [
        FaultKind::IllegalMove,
        FaultKind::ErrorAnswer,
        FaultKind::TimeForfeit,
        FaultKind::Silence,
        FaultKind::Crash,
        FaultKind::EndOfPipe,
        FaultKind::OutOfTurn,
        FaultKind::Malformed,
        FaultKind::NoStart,
    ];
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            FaultKind::IllegalMove => "illegal move",
            FaultKind::ErrorAnswer => "error answer",
            FaultKind::TimeForfeit => "time forfeit",
            FaultKind::Silence => "silence",
            FaultKind::Crash => "crash",
            FaultKind::EndOfPipe => "end of pipe",
            FaultKind::OutOfTurn => "out of turn",
            FaultKind::Malformed => "malformed answer",
            FaultKind::NoStart => "no start",
        })
    }
}

/// A fault and what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind of fault.
    pub kind: FaultKind,
    /// What happened, in words.
    pub detail: String,
}

impl Fault {
    /// A fault of a kind.
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Fault {
        Fault { kind, detail: detail.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

/// An answer to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// `=` and this text.
    Success(String),
    /// `?` and this text.
    Failure(String),
}

/// An answer and the time from sending the command to its last line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// The time it took.
    pub elapsed: Duration,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The engine's fault.
    Fault(Fault),
    /// The match was stopped.
    Stopped,
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::Fault(fault)
    }
}

/// What the referee talks to.
pub trait Player {
    /// Sends a command and waits for its answer, no longer than `bound`.
    ///
    /// # Errors
    /// If there is none.
    fn ask(&mut self, command: &str, bound: Duration) -> Result<Reply, Trouble>;
}

/// What the thread that reads an engine's output found there.
struct Block {
    /// The lines up to an empty one, or `None` if they were too long to be an answer.
    text: Option<String>,
    /// When the empty line had come.
    at: Instant,
}

/// A running engine. It is killed, with its whole process group, when dropped.
pub struct EngineProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    blocks: Receiver<Block>,
    last_words: Arc<Mutex<VecDeque<u8>>>,
    stderr_reader: JoinHandle<()>,
    stop: Arc<AtomicBool>,
    /// Whether the engine repeats a command's number in its answer, as GTP asks.
    numbered: bool,
    number: u32,
    reaped: bool,
}

impl EngineProcess {
    /// Starts an engine for boards of this side length. Once `stop` is true, [`Player::ask`] ends with
    /// [`Trouble::Stopped`].
    ///
    /// # Errors
    /// If there is no such program, or it does not answer within `bound`.
    pub fn start(
        spec: &EngineSpec,
        side: usize,
        bound: Duration,
        stop: Arc<AtomicBool>,
    ) -> Result<EngineProcess, Trouble> {
        let words = spec.words(side);
        let mut child = command(&words)
            .spawn()
            .map_err(|e| Fault::new(FaultKind::NoStart, format!("cannot start '{}': {e}", words[0])))?;
        let (sender, blocks) = sync_channel(64);
        let stdout = child.stdout.take().expect("stdout is piped");
        let stderr = child.stderr.take().expect("stderr is piped");
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&last_words);
        thread::spawn(move || read_blocks(BufReader::new(stdout), &sender));
        let stderr_reader = thread::spawn(move || drain(stderr, &kept));
        let stdin = child.stdin.take();
        let mut engine = EngineProcess {
            child,
            stdin,
            blocks,
            last_words,
            stderr_reader,
            stop,
            numbered: true,
            number: 0,
            reaped: false,
        };
        engine.greet(bound)?;
        Ok(engine)
    }

    /// Asks for the name, to find out whether answers are numbered.
    fn greet(&mut self, bound: Duration) -> Result<(), Trouble> {
        let (text, _) = self.exchange("name", bound)?;
        let (_, number, _) = parse_answer(&text)?;
        self.numbered = number.is_some();
        Ok(self.check_number(number, &text)?)
    }

    /// Sends a command and waits for the next block of lines.
    fn exchange(&mut self, command: &str, bound: Duration) -> Result<(String, Duration), Trouble> {
        match self.blocks.try_recv() {
            Ok(block) => {
                let text = block.text.unwrap_or_default();
                return Err(Fault::new(FaultKind::OutOfTurn, format!("'{}' came unasked", shorten(&text))).into());
            }
            Err(TryRecvError::Disconnected) => return Err(self.ended(command).into()),
            Err(TryRecvError::Empty) => {}
        }
        self.number += 1;
        let start = Instant::now();
        if self.write(command).is_err() {
            return Err(self.ended(command).into());
        }
        let block = self.wait(command, start, bound)?;
        let elapsed = block.at.saturating_duration_since(start);
        match block.text {
            Some(text) => Ok((text, elapsed)),
            None => Err(Fault::new(FaultKind::Malformed, format!("the answer to '{command}' has no end")).into()),
        }
    }

    fn write(&mut self, command: &str) -> io::Result<()> {
        let line = if self.numbered { format!("{} {command}\n", self.number) } else { format!("{command}\n") };
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(line.as_bytes())?;
        stdin.flush()
    }

    fn wait(&mut self, command: &str, start: Instant, bound: Duration) -> Result<Block, Trouble> {
        loop {
            let left = bound.saturating_sub(start.elapsed());
            match self.blocks.recv_timeout(left.min(POLL)) {
                Ok(block) => return Ok(block),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended(command).into()),
                Err(RecvTimeoutError::Timeout) if self.stop.load(Ordering::Relaxed) => return Err(Trouble::Stopped),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    let detail = format!("no answer to '{command}' within {:.1} s", bound.as_secs_f64());
                    return Err(Fault::new(FaultKind::Silence, detail).into());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn check_number(&self, number: Option<u32>, text: &str) -> Result<(), Fault> {
        if self.numbered && number != Some(self.number) {
            let detail = format!("'{}' came instead of the answer number {}", shorten(text), self.number);
            return Err(Fault::new(FaultKind::OutOfTurn, detail));
        }
        Ok(())
    }

    /// The fault of an engine whose output has ended.
    fn ended(&mut self, command: &str) -> Fault {
        self.stdin = None;
        let deadline = Instant::now() + EXIT_GRACE;
        while !(self.has_exited() && self.stderr_reader.is_finished()) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
        }
        let exited = self.has_exited();
        let status = self.kill();
        let (kind, how) = match status {
            Some(status) if exited && !status.success() => (FaultKind::Crash, format!("ended with {status}")),
            _ if exited => (FaultKind::EndOfPipe, "ended".to_owned()),
            _ => (FaultKind::EndOfPipe, "closed its input or output".to_owned()),
        };
        let mut detail = format!("the engine {how} before it answered '{command}'");
        if let Some(words) = self.last_words() {
            detail += &format!("; last on stderr: {words}");
        }
        Fault::new(kind, detail)
    }

    /// The last line that the engine wrote to stderr, if there is one.
    fn last_words(&self) -> Option<String> {
        let bytes: Vec<u8> = self.last_words.lock().ok()?.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        text.lines().rev().find(|line| !line.trim().is_empty()).map(shorten)
    }

    /// Whether the process has ended. It is not reaped, so that its process group's number stays taken.
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

    /// Kills the engine and all that it started in its process group, and takes its status.
    fn kill(&mut self) -> Option<ExitStatus> {
        self.stdin = None;
        if !self.reaped {
            #[cfg(unix)]
            {
                use rustix::process::{Pid, Signal, kill_process_group};
                let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            }
            let _ = self.child.kill();
            self.reaped = true;
        }
        self.child.wait().ok()
    }

    /// Sends `quit`, gives the engine a moment to leave, and kills what is still there.
    pub fn quit(mut self) {
        self.number += 1;
        if self.write("quit").is_ok() {
            self.stdin = None;
            let deadline = Instant::now() + QUIT_GRACE;
            while !self.has_exited() && Instant::now() < deadline && !self.stop.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

impl Player for EngineProcess {
    fn ask(&mut self, command: &str, bound: Duration) -> Result<Reply, Trouble> {
        let (text, elapsed) = self.exchange(command, bound)?;
        let (success, number, rest) = parse_answer(&text)?;
        self.check_number(number, &text)?;
        let answer = if success { Answer::Success(rest) } else { Answer::Failure(rest) };
        Ok(Reply { answer, elapsed })
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The command that starts an engine: pipes on all sides and, so that a Ctrl-C does not reach the engines and all that
/// one starts can be killed together, a process group of its own.
fn command(words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

/// Parts an answer into success, the number that it repeats, and its text.
fn parse_answer(text: &str) -> Result<(bool, Option<u32>, String), Fault> {
    let success = match text.as_bytes().first() {
        Some(b'=') => true,
        Some(b'?') => false,
        _ => return Err(Fault::new(FaultKind::Malformed, format!("'{}' is not an answer", shorten(text)))),
    };
    let rest = &text[1..];
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    Ok((success, rest[..digits].parse().ok(), rest[digits..].trim().to_owned()))
}

/// The first line of a text, cut to what fits a line of a report.
fn shorten(text: &str) -> String {
    const LONGEST: usize = 120;
    let line = text.lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Sends each block of lines ended by an empty line to the channel, until the output or the receiver ends. Carriage
/// returns and other control characters are dropped, tabs become spaces, as GTP asks.
fn read_blocks(mut output: impl BufRead, sender: &SyncSender<Block>) {
    let mut text = String::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let limit = (LONGEST_ANSWER - text.len() + 1) as u64;
        match output.by_ref().take(limit).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let at = Instant::now();
        let clean = clean(&line);
        let too_long = text.len() + line.len() > LONGEST_ANSWER;
        let block = match (too_long, clean.trim().is_empty(), text.is_empty()) {
            (true, ..) => Block { text: None, at },
            (_, true, true) => continue,
            (_, true, false) => Block { text: Some(std::mem::take(&mut text)), at },
            _ => {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(&clean);
                continue;
            }
        };
        if sender.send(block).is_err() || too_long {
            return;
        }
    }
}

fn clean(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect::<String>()
}

/// Reads an engine's stderr to its end and keeps the last of it.
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
        kept.extend(&buffer[count.saturating_sub(LAST_WORDS)..count]);
        let surplus = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(output: &str) -> Vec<Option<String>> {
        let (sender, receiver) = sync_channel(64);
        read_blocks(BufReader::with_capacity(1, output.as_bytes()), &sender);
        drop(sender);
        receiver.into_iter().map(|block| block.text).collect()
    }

    #[test]
    fn answers_end_with_an_empty_line() {
        assert_eq!(
            blocks("= a1\n\n\n\n?2 no\r\nmore\t!\r\n\r\n= half"),
            [Some("= a1".into()), Some("?2 no\nmore !".into())]
        );
    }

    #[test]
    fn an_answer_without_end_is_cut_off() {
        let endless = "=".repeat(LONGEST_ANSWER + 10);
        assert_eq!(blocks(&endless), [None]);
        assert_eq!(blocks(&"= x\n".repeat(LONGEST_ANSWER)), [None]);
    }

    #[test]
    fn answers_are_parted_into_sign_number_and_text() {
        assert_eq!(parse_answer("=12 a1"), Ok((true, Some(12), "a1".into())));
        assert_eq!(parse_answer("= 5"), Ok((true, None, "5".into())));
        assert_eq!(parse_answer("?"), Ok((false, None, String::new())));
        assert_eq!(parse_answer("hello").unwrap_err().kind, FaultKind::Malformed);
    }

    #[test]
    fn engines_are_named_and_have_a_command() {
        let spec = EngineSpec::parse("m=malecon gtp --side {side} 'a b'").unwrap();
        assert_eq!(
            (spec.name.as_str(), spec.words(5)),
            ("m", ["malecon", "gtp", "--side", "5", "a b"].map(String::from).to_vec())
        );
        for bad in ["malecon", "=malecon", "m=", "m='x"] {
            assert!(EngineSpec::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_last_words_are_the_last_of_a_flood() {
        let kept = Mutex::new(VecDeque::new());
        drain(("x".repeat(100_000) + "\nthe end").as_bytes(), &kept);
        let kept = kept.into_inner().unwrap();
        assert_eq!(kept.len(), LAST_WORDS);
        assert!(kept.iter().copied().collect::<Vec<_>>().ends_with(b"\nthe end"));
    }
}
