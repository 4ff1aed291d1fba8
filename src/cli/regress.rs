//! `malecon regress`: run regression tests against a GTP engine.

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use clap::Args;
use malecon::base::encoding;
use malecon::base::files::{self, MAX_RECORDS};
use malecon::base::sync::StopFlag;
use malecon::base::text::{count, shortened};
use malecon::protocols::gtp::script::{Outcome, Script, Step};
use malecon::tools::arena::process::{EngineAnswer, EngineProcess, Player, split_command};

use super::arena::start_watchdog;
use super::failure::Failure;
use super::output::{print, report_error};
use super::parse::positive_seconds;
use super::signals::stop_flag;

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
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let stop = stop_flag();
    let _watchdog = start_watchdog();
    let mut total = Tally::default();
    let mut broken = false;
    for file in &arguments.files {
        match run_file(arguments, file, &stop) {
            Ok(tally) => total.add(&tally),
            Err(_) if stop.is_stopped() => return Err(Failure::Interrupted(None)),
            Err(error) => {
                broken = true;
                report_error(format_args!("{}: {error}", file.display()));
            }
        }
    }
    print(&format!("{}, {total}\n", count(arguments.files.len(), "file")))?;
    if broken || total.failures + total.refusals > 0 { Err(Failure::Reported) } else { Ok(()) }
}

fn run_file(arguments: &Arguments, file: &Path, stop: &StopFlag) -> Result<Tally, Box<dyn Error>> {
    let bytes = files::read_stream(file, MAX_RECORDS)?;
    let script = Script::parse(&encoding::decode(&bytes).map_err(|what| format!("this is {what}"))?)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut engine = start_engine(arguments, folder, stop)?;
    let mut tally = Tally::default();
    for step in &script.steps {
        // The engine is asked with ids of its own.
        let command = step.command.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        let answer = engine.ask(command, arguments.silence)?.answer;
        let verdict = judge(step, &answer);
        tally.count(verdict);
        if verdict.is_unexpected() || arguments.verbose {
            let sentence = format!("{}:{}: {}\n", file.display(), step.line, verdict.sentence(step, &answer));
            print(&sentence).map_err(|failure| failure.message().unwrap_or_default())?;
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

fn judge(step: &Step, answer: &EngineAnswer) -> Verdict {
    let text = match answer {
        EngineAnswer::Success(text) => Ok(&text[..]),
        EngineAnswer::Failure(text) => Err(&text[..]),
    };
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

    fn sentence(self, step: &Step, answer: &EngineAnswer) -> String {
        let word = match self {
            Verdict::Test(Outcome::Pass) => "passed",
            Verdict::Test(Outcome::UnexpectedPass) => "UNEXPECTED PASS",
            Verdict::Test(Outcome::Failure) => "FAILED",
            Verdict::Test(Outcome::ExpectedFailure) => "known failure",
            Verdict::Done => "done",
            Verdict::Refused => "REFUSED",
        };
        let (status, text) = match answer {
            EngineAnswer::Success(text) => ("=", text),
            EngineAnswer::Failure(text) => ("?", text),
        };
        let shown = |text: &str| shortened(text, LONGEST_SHOWN);
        let expected = step.expectation.as_ref().map_or_else(String::new, |e| format!(", expected {e}"));
        format!("{word}: {}: answered '{status} {}'{expected}", shown(&step.command), shown(text))
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
        write!(f, "{}: {} passed, {} failed", count(tests, "test"), self.passes, self.failures)?;
        for (number, what) in [
            (self.expected_failures, "known to fail, as marked in the scripts"),
            (self.unexpected_passes, "passed although marked as known to fail"),
            (self.refusals, if self.refusals == 1 { "other command refused" } else { "other commands refused" }),
        ] {
            if number > 0 {
                write!(f, "; {number} {what}")?;
            }
        }
        Ok(())
    }
}

/// Starts the engine of `--engine`, or this program, in a folder.
fn start_engine(arguments: &Arguments, folder: &Path, stop: &StopFlag) -> Result<EngineProcess, Box<dyn Error>> {
    let words: Vec<OsString> = match &arguments.engine {
        None => vec![std::env::current_exe()?.into_os_string(), "gtp".into()],
        Some(line) => {
            let words = split_command(line).filter(|words| !words.is_empty());
            let words = words.ok_or_else(|| format!("invalid command line '{line}' for --engine"))?;
            words.into_iter().map(Into::into).collect()
        }
    };
    // A path is relative to the current directory and not to the folder.
    let program = Path::new(&words[0]);
    let is_path = program.components().count() > 1;
    let mut command = Command::new(if is_path { std::path::absolute(program)? } else { program.to_owned() });
    command.args(&words[1..]).current_dir(folder);
    Ok(EngineProcess::start(command, arguments.silence, stop.clone())?)
}
