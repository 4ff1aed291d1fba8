//! `malecon regress`: run regression scripts.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};

use clap::Args;
use malecon::gtp::script::{Outcome, Script, Step};

/// Options of `malecon regress`.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub struct Arguments {
    /// The engine to test: a command line that speaks GTP [default: this program]
    #[arg(long, value_name = "CMD")]
    engine: Option<String>,
    /// Show every test, not only the unexpected
    #[arg(long, short)]
    verbose: bool,
    /// The scripts
    #[arg(value_name = "FILE.tst", required = true)]
    files: Vec<PathBuf>,
}

/// The part of the help after the options.
pub const MANUAL: &str = "\
A script is a file of GTP commands in the format of GNU Go's test suites. A command with an id is a test, and the \
line after it says what the whole answer has to match, as a regular expression:

  boardsize 4
  playgame a1 e5 a2 e6 b3
  10 genmove black
  #? [a3]
  20 genmove white
  #? [!a3]*

'!' means that the answer must not match, '*' that the test is known to fail; an error answer is a failure. Each \
script gets an engine of its own, which works in the script's folder: files that the script names are looked for \
there. The exit status is 1 if a test failed that should not have failed, if a command that is not a test was refused, \
or if a script or the engine could not be used.

Examples:
  malecon regress gtp-scripts/*.tst
  malecon regress --engine 'malecon gtp --playouts 100000 --threads 2' gtp-scripts/tactics.tst
";

/// Runs the sub-command.
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
    println!("{} files: {total}", arguments.files.len());
    if broken || total.failures + total.refusals > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn run_file(arguments: &Arguments, file: &Path) -> Result<Tally, Box<dyn std::error::Error>> {
    let script = Script::parse(&std::fs::read_to_string(file)?)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut engine = Engine::start(arguments.engine.as_deref(), folder)?;
    let mut tally = Tally::default();
    for step in &script.steps {
        let answer = engine.ask(&step.command)?;
        let verdict = judge(step, &answer);
        tally.count(verdict);
        if verdict.is_unexpected() || arguments.verbose {
            println!("{}:{}: {}", file.display(), step.line, verdict.sentence(step, &answer));
        }
    }
    Ok(tally)
}

/// What became of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Test(Outcome),
    /// No test, and carried out.
    Done,
    /// No test, and refused.
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
            Verdict::Test(Outcome::ExpectedFailure) => "failed as expected",
            Verdict::Done => "done",
            Verdict::Refused => "REFUSED",
        };
        let (status, text) = match answer {
            Ok(text) => ("=", text),
            Err(text) => ("?", text),
        };
        let wanted = step.expectation.as_ref().map_or_else(String::new, |e| format!(", wanted {e}"));
        format!("{word}: {}: answered '{status} {text}'{wanted}", step.command)
    }
}

/// Counts of what happened.
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
            "{tests} tests, {} passed, {} failed, {} passed unexpectedly, {} failed as expected, {} other commands refused",
            self.passes, self.failures, self.unexpected_passes, self.expected_failures, self.refusals
        )
    }
}

/// The text of an answer after `=`, or after `?`.
type Answer = Result<String, String>;

/// An engine in a process of its own, ended when this is dropped.
struct Engine {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    /// Starts this program or the one of a command line, at work in a folder.
    fn start(command: Option<&str>, folder: &Path) -> io::Result<Engine> {
        let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidInput, reason);
        let words: Vec<OsString> = match command {
            None => vec![std::env::current_exe()?.into_os_string(), "gtp".into()],
            Some(line) => {
                let words = shlex::split(line).filter(|words| !words.is_empty());
                let words = words.ok_or_else(|| invalid(format!("--engine '{line}' is not a command line")))?;
                words.into_iter().map(Into::into).collect()
            }
        };
        // A path is meant from here, and not from the folder.
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
        let (Some(input), Some(output)) = (input, output) else { unreachable!("both are piped") };
        Ok(Engine { process, input, output: BufReader::new(output) })
    }

    fn ask(&mut self, command: &str) -> io::Result<Answer> {
        writeln!(self.input, "{command}")?;
        self.input.flush()?;
        let mut text = String::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                let reason = format!("the engine ended instead of answering '{command}'");
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, reason));
            }
            match line.trim_end() {
                "" if text.is_empty() => {}
                "" => break,
                line => text += &format!("{line}\n"),
            }
        }
        split_status(text.trim_end()).ok_or_else(|| {
            let reason = format!("'{}' is no answer to '{command}': = or ? is wanted first", text.trim_end());
            io::Error::new(io::ErrorKind::InvalidData, reason)
        })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended by itself, after quit.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Takes status and id off an answer.
fn split_status(answer: &str) -> Option<Answer> {
    let text = answer.get(1..)?.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().to_owned();
    match answer.as_bytes()[0] {
        b'=' => Some(Ok(text)),
        b'?' => Some(Err(text)),
        _ => None,
    }
}
