//! `malecon regress`: run regression tests against a GTP engine.

use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use clap::Args;
use malecon::base::encoding;
use malecon::base::files::{self, MAX_RECORDS};
use malecon::base::sync::StopFlag;
use malecon::base::text::{count, shortened};
use malecon::protocols::gtp::protocol::Response;
use malecon::protocols::gtp::script::{Script, ScriptStep, TestResult};
use malecon::tools::arena::process::{EngineProcess, Player, split_command};

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
  malecon regress --engine 'malecon gtp --preset rave' gtp-scripts/tactics.tst
";

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let stop = stop_flag();
    let _watchdog = start_watchdog();
    let mut verdicts = Vec::new();
    let mut broken = false;
    for file in &arguments.files {
        match run_file(arguments, file, &stop, &mut verdicts) {
            Ok(()) => {}
            Err(_) if stop.is_stopped() => return Err(Failure::Interrupted(None)),
            Err(error) => {
                broken = true;
                report_error(format_args!("{}: {error}", file.display()));
            }
        }
    }
    print(&format!("{}, {}\n", count(arguments.files.len(), "file"), summary(&verdicts)))?;
    if broken || verdicts.into_iter().any(StepResult::is_failure) { Err(Failure::Reported) } else { Ok(()) }
}

/// Runs a script, and adds what became of each step.
fn run_file(
    arguments: &Arguments,
    file: &Path,
    stop: &StopFlag,
    verdicts: &mut Vec<StepResult>,
) -> Result<(), Box<dyn Error>> {
    let bytes = files::read_stream(file, MAX_RECORDS)?;
    let script = Script::parse(&encoding::decode(&bytes).map_err(|what| format!("this is {what}"))?)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut engine = start_engine(arguments, folder, stop)?;
    for step in &script.steps {
        // The client adds ids of its own.
        let command = step.command.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        let response = engine.ask(command, arguments.silence)?.answer;
        let verdict = judge(step, &response);
        verdicts.push(verdict);
        if verdict.is_unexpected() || arguments.verbose {
            let sentence = format!("{}:{}: {}\n", file.display(), step.line, verdict.sentence(step, &response));
            print(&sentence).map_err(|failure| failure.message().unwrap_or_default())?;
        }
    }
    Ok(())
}

/// The result of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StepResult {
    Test(TestResult),
    /// The command is not a test and succeeded.
    Done,
    /// The command is not a test and was refused.
    Refused,
}

fn judge(step: &ScriptStep, response: &Response) -> StepResult {
    match &step.expectation {
        Some(expectation) => StepResult::Test(expectation.judge(response)),
        None if response.is_err() => StepResult::Refused,
        None => StepResult::Done,
    }
}

impl StepResult {
    fn is_unexpected(self) -> bool {
        matches!(self, StepResult::Test(TestResult::Failure | TestResult::UnexpectedPass) | StepResult::Refused)
    }

    /// Whether this makes the whole run a failure.
    fn is_failure(self) -> bool {
        matches!(self, StepResult::Test(TestResult::Failure) | StepResult::Refused)
    }

    fn sentence(self, step: &ScriptStep, response: &Response) -> String {
        let word = match self {
            StepResult::Test(TestResult::Pass) => "passed",
            StepResult::Test(TestResult::UnexpectedPass) => "UNEXPECTED PASS",
            StepResult::Test(TestResult::Failure) => "FAILED",
            StepResult::Test(TestResult::ExpectedFailure) => "known failure",
            StepResult::Done => "done",
            StepResult::Refused => "REFUSED",
        };
        let shown = |text: &str| shortened(text, LONGEST_SHOWN);
        let answer = match response {
            Ok(text) => format!("= {}", shown(text)),
            Err(error) => format!("? {}", shown(&error.to_string())),
        };
        let expected = step.expectation.as_ref().map_or_else(String::new, |e| format!(", expected {e}"));
        format!("{word}: {}: answered '{answer}'{expected}", shown(&step.command))
    }
}

/// How many tests passed and failed, and whatever else there is to say about the steps.
fn summary(verdicts: &[StepResult]) -> String {
    let number = |verdict| verdicts.iter().filter(|&&other| other == verdict).count();
    let outcomes = [TestResult::Pass, TestResult::Failure, TestResult::ExpectedFailure, TestResult::UnexpectedPass];
    let [passed, failed, known, unexpected] = outcomes.map(|outcome| number(StepResult::Test(outcome)));
    let refused = number(StepResult::Refused);
    let tests = count(passed + failed + known + unexpected, "test");
    let mut text = format!("{tests}: {passed} passed, {failed} failed");
    for (number, what) in [
        (known, "known to fail, as marked in the scripts"),
        (unexpected, "passed although marked as known to fail"),
        (refused, if refused == 1 { "other command refused" } else { "other commands refused" }),
    ] {
        if number > 0 {
            text += &format!("; {number} {what}");
        }
    }
    text
}

/// Starts the engine of `--engine`, or this program, in a folder.
fn start_engine(arguments: &Arguments, folder: &Path, stop: &StopFlag) -> Result<EngineProcess, Box<dyn Error>> {
    let words: Vec<OsString> = match &arguments.engine {
        None => vec![std::env::current_exe()?.into_os_string(), "gtp".into()],
        Some(line) => {
            let words = split_command(line).ok_or("the command of --engine has an unclosed quote")?;
            if words.is_empty() {
                return Err("the command of --engine is empty".into());
            }
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
