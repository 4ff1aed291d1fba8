//! `malecon regress`: run regression tests against a GTP engine.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use clap::Args;
use malecon::gtp::script::{Outcome, Script, Step};

use super::arena::positive_seconds;
use super::output::print;

/// Options of `malecon regress`.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub struct Arguments {
    /// Command line of the GTP engine to test [default: this program]
    #[arg(long, value_name = "CMD")]
    engine: Option<String>,
    /// How long the engine may take for an answer before it counts as hung, in seconds
    #[arg(long, value_name = "S", default_value = "600", value_parser = positive_seconds)]
    silence: Duration,
    /// Show every command, not only unexpected results
    #[arg(long, short)]
    verbose: bool,
    /// Scripts to run
    #[arg(value_name = "FILE.tst", required = true)]
    files: Vec<PathBuf>,
}

/// The longest answer of an engine that is accepted, in bytes.
const LONGEST_ANSWER: usize = 1 << 24;
/// The longest command or answer that is shown in full, in characters.
const LONGEST_SHOWN: usize = 1000;

/// The part of the help after the options.
pub const MANUAL: &str = "\
A script is a file of GTP commands in the format of GNU Go's test suites. A command with an id is a test. The line \
after it holds a regular expression that the whole answer must match:

  boardsize 4
  playgame a1 e5 a2 e6 b3
  10 genmove black
  #? [a3]
  20 genmove white
  #? [!a3]*

With '!' the answer must not match. A test with '*' is known to fail. An error answer always counts as a failure. Each \
script runs in a new engine whose working directory is the folder of the script. The exit status is 1 if a test failed \
that is not known to fail, if a command without an id was refused, or if a script or the engine could not be run.

Examples:
  malecon regress gtp-scripts/*.tst
  malecon regress --engine 'malecon gtp --simulations 100000 --threads 2' gtp-scripts/tactics.tst
";

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut total = Tally::default();
    let mut broken = false;
    for file in &arguments.files {
        match run_file(arguments, file) {
            Ok(tally) => total.add(&tally),
            Err(error) => {
                broken = true;
                eprintln!("error: {}: {error}", file.display());
            }
        }
    }
    let files = arguments.files.len();
    let text = format!("{files} {}, {total}\n", if files == 1 { "file" } else { "files" });
    broken |= !print(&text);
    if broken || total.failures + total.refusals > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn run_file(arguments: &Arguments, file: &Path) -> Result<Tally, Box<dyn std::error::Error>> {
    let script = Script::parse(&std::fs::read_to_string(file)?)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let engine = Engine::start(arguments.engine.as_deref(), folder, arguments.silence)?;
    let mut tally = Tally::default();
    for step in &script.steps {
        let answer = engine.ask(&step.command)?;
        let verdict = judge(step, &answer);
        tally.count(verdict);
        if verdict.is_unexpected() || arguments.verbose {
            let sentence = format!("{}:{}: {}\n", file.display(), step.line, verdict.sentence(step, &answer));
            print(&sentence);
        }
    }
    Ok(tally)
}

/// The result of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Test(Outcome),
    /// The command is not a test and succeeded.
    Done,
    /// The command is not a test and was refused.
    Refused,
}

fn judge(step: &Step, answer: &Answer) -> Verdict {
    let text = answer.as_ref().map(String::as_str).map_err(String::as_str);
    match &step.expectation {
        Some(expectation) => Verdict::Test(expectation.judge(text)),
        None if text.is_err() => Verdict::Refused,
        None => Verdict::Done,
    }
}

impl Verdict {
    fn is_unexpected(self) -> bool {
        matches!(self, Verdict::Test(Outcome::Failure | Outcome::UnexpectedPass) | Verdict::Refused)
    }

    fn sentence(self, step: &Step, answer: &Answer) -> String {
        let word = match self {
            Verdict::Test(Outcome::Pass) => "passed",
            Verdict::Test(Outcome::UnexpectedPass) => "UNEXPECTED PASS",
            Verdict::Test(Outcome::Failure) => "FAILED",
            Verdict::Test(Outcome::ExpectedFailure) => "known failure",
            Verdict::Done => "done",
            Verdict::Refused => "REFUSED",
        };
        let (status, text) = match answer {
            Ok(text) => ("=", text),
            Err(text) => ("?", text),
        };
        let expected = step.expectation.as_ref().map_or_else(String::new, |e| format!(", expected {e}"));
        format!("{word}: {}: answered '{status} {}'{expected}", shorten(&step.command), shorten(text))
    }
}

/// Counts of results.
#[derive(Default)]
struct Tally {
    passes: usize,
    failures: usize,
    unexpected_passes: usize,
    expected_failures: usize,
    refusals: usize,
}

impl Tally {
    fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Test(Outcome::Pass) => self.passes += 1,
            Verdict::Test(Outcome::Failure) => self.failures += 1,
            Verdict::Test(Outcome::UnexpectedPass) => self.unexpected_passes += 1,
            Verdict::Test(Outcome::ExpectedFailure) => self.expected_failures += 1,
            Verdict::Refused => self.refusals += 1,
            Verdict::Done => {}
        }
    }

    fn add(&mut self, other: &Tally) {
        self.passes += other.passes;
        self.failures += other.failures;
        self.unexpected_passes += other.unexpected_passes;
        self.expected_failures += other.expected_failures;
        self.refusals += other.refusals;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tests = self.passes + self.failures + self.unexpected_passes + self.expected_failures;
        write!(
            f,
            "{tests} {}: {} passed, {} failed",
            if tests == 1 { "test" } else { "tests" },
            self.passes,
            self.failures
        )?;
        for (count, what) in [
            (self.expected_failures, "known to fail, as marked in the scripts"),
            (self.unexpected_passes, "passed although marked as known to fail"),
            (self.refusals, if self.refusals == 1 { "other command refused" } else { "other commands refused" }),
        ] {
            if count > 0 {
                write!(f, "; {count} {what}")?;
            }
        }
        Ok(())
    }
}

/// Cuts a text that is too long to be shown.
fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// The text after `=`, or the error message after `?`.
type Answer = Result<String, String>;

/// An engine in a child process, which is killed when this is dropped.
struct Engine {
    process: Child,
    /// To and from the thread that talks to the engine.
    commands: Sender<String>,
    answers: Receiver<io::Result<Answer>>,
    /// How long an answer may take.
    silence: Duration,
}

/// The pipes to an engine. Writing and reading may take forever.
struct Pipes {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    /// Starts an engine in a folder: the given command line, or this program. It may take `silence` for an answer.
    fn start(command: Option<&str>, folder: &Path, silence: Duration) -> io::Result<Engine> {
        let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidInput, reason);
        let words: Vec<OsString> = match command {
            None => vec![std::env::current_exe()?.into_os_string(), "gtp".into()],
            Some(line) => {
                let words = shlex::split(line).filter(|words| !words.is_empty());
                let words = words.ok_or_else(|| invalid(format!("invalid command line '{line}' for --engine")))?;
                words.into_iter().map(Into::into).collect()
            }
        };
        // A path is relative to the current directory and not to the folder.
        let program = Path::new(&words[0]);
        let is_path = program.components().count() > 1;
        let program = if is_path { std::path::absolute(program)? } else { program.to_owned() };
        let mut process = Command::new(program)
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .current_dir(folder)
            .spawn()
            .map_err(|error| invalid(format!("cannot start {}: {error}", words[0].display())))?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let (Some(input), Some(output)) = (input, output) else { unreachable!("both are pipes") };
        let mut pipes = Pipes { input, output: BufReader::new(output) };
        let (commands, asked) = channel::<String>();
        let (answered, answers) = channel();
        thread::spawn(move || asked.iter().try_for_each(|command| answered.send(pipes.ask(&command))));
        Ok(Engine { process, commands, answers, silence })
    }

    fn ask(&self, command: &str) -> io::Result<Answer> {
        self.commands.send(command.to_owned()).expect("the thread waits for commands");
        self.answers.recv_timeout(self.silence).unwrap_or_else(|_| {
            let (command, seconds) = (shorten(command), self.silence.as_secs_f64());
            let reason = format!("the engine did not answer '{command}' within {seconds} s");
            Err(io::Error::new(io::ErrorKind::TimedOut, reason))
        })
    }
}

impl Pipes {
    fn ask(&mut self, command: &str) -> io::Result<Answer> {
        writeln!(self.input, "{command}")?;
        self.input.flush()?;
        let text = self.read_answer(command)?;
        split_status(&text).ok_or_else(|| {
            let (text, command) = (shorten(&text), shorten(command));
            let reason = format!("the engine answered '{command}' with '{text}' (expected = or ?)");
            io::Error::new(io::ErrorKind::InvalidData, reason)
        })
    }

    /// Reads the lines up to the next empty one.
    fn read_answer(&mut self, command: &str) -> io::Result<String> {
        let mut text = String::new();
        loop {
            let mut line = Vec::new();
            let limit = LONGEST_ANSWER.saturating_sub(text.len()) as u64;
            let count = self.output.by_ref().take(limit).read_until(b'\n', &mut line)?;
            if !line.ends_with(b"\n") {
                let command = shorten(command);
                let reason = match limit > count as u64 {
                    true => format!("the engine exited before it answered '{command}'"),
                    false => format!("the answer to '{command}' is longer than {LONGEST_ANSWER} bytes"),
                };
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            match String::from_utf8_lossy(&line).trim_end() {
                "" if text.is_empty() => {}
                "" => return Ok(text.trim_end().to_owned()),
                line => text += &format!("{line}\n"),
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // The engine may already have exited after `quit`.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Splits an answer into its status and its text, without the id.
fn split_status(answer: &str) -> Option<Answer> {
    let text = answer.get(1..)?.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().to_owned();
    match answer.as_bytes()[0] {
        b'=' => Some(Ok(text)),
        b'?' => Some(Err(text)),
        _ => None,
    }
}
