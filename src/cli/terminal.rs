//! Lines from a person at a terminal, edited and completed, or from a pipe; and Ctrl-C while the engine thinks.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use malecon::session::StopFlag;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

/// Whether a person is at both ends: stdin and stdout are terminals.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Whether output may be coloured: stdout is a terminal, and `NO_COLOR` is not set.
pub fn may_color() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// What came in.
pub enum Input {
    /// A line, without its end.
    Line(String),
    /// Ctrl-C instead of a line.
    Interrupt,
    /// The end of the input, on a terminal Ctrl-D.
    End,
}

/// Where lines come from.
pub enum Lines {
    /// A person at a terminal: lines can be edited and recalled from the history, and Tab completes words.
    Person(Box<Editor<Words, MemHistory>>),
    /// A file or a pipe. Lines are repeated behind the prompt, so that the output reads as if they were typed.
    Pipe,
}

impl Lines {
    /// Lines from stdin.
    pub fn new() -> Lines {
        let config = Config::builder().completion_type(CompletionType::List).build();
        let history = MemHistory::with_config(&config);
        let editor = is_terminal().then(|| Editor::with_history(config, history));
        match editor {
            Some(Ok(mut editor)) => {
                editor.set_helper(Some(Words::default()));
                Lines::Person(Box::new(editor))
            }
            _ => Lines::Pipe,
        }
    }

    /// Whether a person types them.
    pub fn is_person(&self) -> bool {
        matches!(self, Lines::Person(_))
    }

    /// The next line. `words` are what Tab completes to: the first words of lines, and others.
    pub fn next(&mut self, prompt: &str, words: Words) -> io::Result<Input> {
        match self {
            Lines::Person(editor) => {
                editor.set_helper(Some(words));
                match editor.readline(prompt) {
                    Ok(line) => {
                        editor.add_history_entry(line.as_str()).map_err(io::Error::other)?;
                        Ok(Input::Line(line))
                    }
                    Err(ReadlineError::Interrupted) => Ok(Input::Interrupt),
                    Err(ReadlineError::Eof) => Ok(Input::End),
                    Err(error) => Err(io::Error::other(error)),
                }
            }
            Lines::Pipe => {
                print!("{prompt}");
                io::stdout().flush()?;
                let mut bytes = Vec::new();
                if io::stdin().lock().read_until(b'\n', &mut bytes)? == 0 {
                    println!();
                    return Ok(Input::End);
                }
                let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                println!("{line}");
                Ok(Input::Line(line))
            }
        }
    }
}

/// What Tab completes words to.
#[derive(Default)]
pub struct Words {
    /// Words that lines begin with.
    pub commands: Vec<String>,
    /// Words for anywhere.
    pub others: Vec<String>,
}

impl Completer for Words {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let start = line[..pos].rfind(' ').map_or(0, |space| space + 1);
        Ok((start, self.candidates(&line[start..pos], start == 0)))
    }
}

impl Words {
    /// The words that begin like this one. If nothing is typed yet, all commands at the start of a line, else none.
    fn candidates(&self, begun: &str, is_first: bool) -> Vec<String> {
        let commands = self.commands.iter().filter(|_| is_first);
        let others = self.others.iter().filter(|_| !begun.is_empty());
        let fits = |word: &&String| word.get(..begun.len()).is_some_and(|head| head.eq_ignore_ascii_case(begun));
        commands.chain(others).filter(fits).cloned().collect()
    }
}

impl Hinter for Words {
    type Hint = String;
}
impl Highlighter for Words {}
impl Validator for Words {}
impl Helper for Words {}

/// Ctrl-C while the engine thinks makes it move at once. At any other time, and the second time, it ends the program.
pub struct Interrupter {
    work: Arc<Mutex<Interruptible>>,
    stop: StopFlag,
}

/// Work that an interrupt may end early.
#[derive(Default)]
struct Interruptible {
    /// Whether there is some now that was not interrupted yet.
    going_on: bool,
    /// When it ended.
    ended: Option<Instant>,
}

impl Interruptible {
    /// Whether an interrupt is meant for this work, which includes one that comes a little late.
    fn take_interrupt(&mut self) -> bool {
        const LATE: Duration = Duration::from_secs(1);
        let was_meant = self.going_on || self.ended.is_some_and(|ended| ended.elapsed() < LATE);
        *self = Interruptible::default();
        was_meant
    }
}

impl Interrupter {
    /// Listens to Ctrl-C, which raises this flag.
    pub fn new(stop: StopFlag) -> Interrupter {
        let interrupter = Interrupter { work: Arc::default(), stop: stop.clone() };
        let work = Arc::clone(&interrupter.work);
        let handler = move || match lock(&work).take_interrupt() {
            true => stop.stop(),
            false => std::process::exit(130),
        };
        if let Err(error) = ctrlc::set_handler(handler) {
            log::warn!("Ctrl-C cannot be caught: {error}");
        }
        interrupter
    }

    /// Does work that Ctrl-C may end early.
    pub fn during<T>(&self, action: impl FnOnce() -> T) -> T {
        self.stop.reset();
        *lock(&self.work) = Interruptible { going_on: true, ended: None };
        let result = action();
        let mut work = lock(&self.work);
        if work.going_on {
            *work = Interruptible { going_on: false, ended: Some(Instant::now()) };
        }
        result
    }
}

fn lock(work: &Mutex<Interruptible>) -> MutexGuard<'_, Interruptible> {
    work.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_is_taken_once_and_also_a_little_late() {
        let mut work = Interruptible { going_on: true, ended: None };
        assert!(work.take_interrupt() && !work.take_interrupt());
        work.ended = Some(Instant::now());
        assert!(work.take_interrupt() && !work.take_interrupt());
        work.ended = Instant::now().checked_sub(Duration::from_secs(5));
        assert!(!work.take_interrupt());
    }

    #[test]
    fn words_are_completed_where_they_can_stand() {
        let list = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let words = Words { commands: list(&["help", "hint"]), others: list(&["h1", "a1"]) };
        assert_eq!(words.candidates("h", true), ["help", "hint", "h1"]);
        assert_eq!(words.candidates("HE", true), ["help"]);
        assert_eq!(words.candidates("h", false), ["h1"]);
        assert_eq!(words.candidates("", true), ["help", "hint"]);
        assert!(words.candidates("", false).is_empty() && words.candidates("\u{e9}", true).is_empty());
    }
}
