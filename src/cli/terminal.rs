//! Lines from a person at a terminal, edited and completed, or from a pipe; and Ctrl-C while the engine thinks.

use std::collections::VecDeque;
use std::io::{self, BufReader, IsTerminal, Stdin, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use malecon::base::encoding::Decoded;
use malecon::base::input::read_line;
use malecon::base::sync::lock;
use malecon::base::text::wrapped;
use malecon::engine::session::StopFlag;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::output::shown;
use super::signals::{self, Request};

/// The longest line of a file or a pipe, in bytes. The rest of a longer one is left out.
const MAX_LINE: usize = 64 << 10;

/// Whether a person is at both ends: stdin and stdout are terminals.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Whether output may be coloured: stdout is a terminal that knows colours, and `NO_COLOR` is not set.
pub fn may_color() -> bool {
    let is_unset = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    io::stdout().is_terminal() && is_unset && knows_escapes()
}

/// Whether a line on stderr can be written over: stderr is a terminal that can move its cursor.
pub fn may_overwrite() -> bool {
    io::stderr().is_terminal() && knows_escapes()
}

/// Whether the terminal understands escape sequences. On Windows, this lets a console do so.
fn knows_escapes() -> bool {
    #[cfg(windows)]
    if anstyle_query::windows::enable_ansi_colors() == Some(false) {
        return false;
    }
    std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A text for stdout with line breaks between words, so that the terminal does not break it inside words. Without a
/// terminal the text stays as it is.
pub fn fitted(text: &str) -> String {
    match terminal_size::terminal_size_of(io::stdout()) {
        Some((width, _)) => wrapped(text, width.0.into(), 0),
        None => text.to_owned(),
    }
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
    Person(Box<Person>),
    /// A file or a pipe. Lines are repeated behind the prompt, so that the output reads as if they were typed.
    Pipe(Box<Decoded<BufReader<Stdin>>>),
}

/// A person at a terminal.
pub struct Person {
    editor: Editor<Words, MemHistory>,
    /// Never prints. While it exists, the editor waits for keys and signals at the same time. Without it, the editor
    /// waits for keys only, and loses a signal that comes just before.
    #[cfg(unix)]
    _printer: Option<Box<dyn rustyline::ExternalPrinter>>,
    /// Lines that were pasted together with one that was already returned.
    pasted: VecDeque<String>,
}

impl Person {
    fn next(&mut self, prompt: &str, words: Words) -> io::Result<Input> {
        if let Some(line) = self.pasted.pop_front() {
            writeln!(io::stdout(), "{prompt}{}", shown(&line))?;
            return self.give(line);
        }
        self.editor.set_helper(Some(words));
        match self.editor.readline(prompt) {
            Ok(text) => {
                // A paste ends with the end of its last line, not with an empty line.
                let text = text.strip_suffix('\n').unwrap_or(&text);
                let mut lines = text.split('\n').map(|line| line.trim_end_matches('\r').to_owned());
                let first = lines.next().unwrap_or_default();
                self.pasted = lines.collect();
                self.give(first)
            }
            Err(ReadlineError::Interrupted) => Ok(Input::Interrupt),
            Err(ReadlineError::Eof) => Ok(Input::End),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    fn give(&mut self, line: String) -> io::Result<Input> {
        self.editor.add_history_entry(line.as_str()).map_err(io::Error::other)?;
        Ok(Input::Line(line))
    }
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
                Lines::Person(Box::new(Person {
                    #[cfg(unix)]
                    _printer: editor.create_external_printer().ok().map(|printer| Box::new(printer) as _),
                    editor,
                    pasted: VecDeque::new(),
                }))
            }
            _ => Lines::Pipe(Box::new(Decoded::new(BufReader::new(io::stdin())))),
        }
    }

    /// Whether a person types them.
    pub fn is_person(&self) -> bool {
        matches!(self, Lines::Person(_))
    }

    /// The next line. `words` are what Tab completes to: the first words of lines, and others.
    pub fn next(&mut self, prompt: &str, words: Words) -> io::Result<Input> {
        match self {
            Lines::Person(person) => person.next(prompt, words),
            Lines::Pipe(input) => {
                write!(io::stdout(), "{prompt}")?;
                io::stdout().flush()?;
                let mut bytes = Vec::new();
                if !read_line(input, &mut bytes, MAX_LINE)? {
                    writeln!(io::stdout())?;
                    return Ok(Input::End);
                }
                let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                writeln!(io::stdout(), "{}", shown(&line))?;
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
    /// Commands after which Tab completes the name of a file.
    pub with_files: Vec<String>,
}

impl Completer for Words {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        if let Some(start) = self.start_of_file(&line[..pos]) {
            return Ok((start, file_names(&line[start..pos])));
        }
        let start = line[..pos].rfind(' ').map_or(0, |space| space + 1);
        Ok((start, self.candidates(&line[start..pos], start == 0)))
    }
}

impl Words {
    /// Where the name of a file begins, in a line that begins with a command that takes one.
    fn start_of_file(&self, line: &str) -> Option<usize> {
        let begun = line.trim_start();
        let (command, rest) = begun.split_once(' ')?;
        let takes_file = self.with_files.iter().any(|name| name.eq_ignore_ascii_case(command));
        takes_file.then(|| line.len() - rest.trim_start().len())
    }

    /// The words that begin like this one. If nothing is typed yet, all commands at the start of a line, else none.
    fn candidates(&self, begun: &str, is_first: bool) -> Vec<String> {
        let commands = self.commands.iter().filter(|_| is_first);
        let others = self.others.iter().filter(|_| !begun.is_empty());
        let fits = |word: &&String| word.get(..begun.len()).is_some_and(|head| head.eq_ignore_ascii_case(begun));
        commands.chain(others).filter(fits).cloned().collect()
    }
}

/// The files and folders whose paths begin like this, in order. Folders end with a separator. Hidden files are left out
/// unless the dot was typed.
fn file_names(begun: &str) -> Vec<String> {
    let (folder, name) = begun.rfind(std::path::is_separator).map_or(("", begun), |at| begun.split_at(at + 1));
    let Ok(entries) = std::fs::read_dir(if folder.is_empty() { Path::new(".") } else { Path::new(folder) }) else {
        return Vec::new();
    };
    let fits = |file: &String| file.starts_with(name) && (!file.starts_with('.') || name.starts_with('.'));
    let path = |entry: std::fs::DirEntry| {
        let file = entry.file_name().into_string().ok().filter(fits)?;
        let is_folder = entry.path().is_dir();
        Some(format!("{folder}{file}{}", if is_folder { std::path::MAIN_SEPARATOR_STR } else { "" }))
    };
    let mut names: Vec<String> = entries.flatten().filter_map(path).collect();
    names.sort();
    names
}

impl Hinter for Words {
    type Hint = String;
}
impl Highlighter for Words {}
impl Validator for Words {}
impl Helper for Words {}

/// Ctrl-C while the engine thinks makes it move at once. At any other time, and the second time, it ends the program.
/// Other signals end the program at once.
pub struct Interrupter {
    work: Arc<Mutex<Interruptible>>,
    stop: StopFlag,
}

/// Work that an interrupt may end early.
#[derive(Default)]
struct Interruptible {
    /// Whether work is going on and was not interrupted yet.
    going_on: bool,
    /// When it ended.
    ended: Option<Instant>,
}

impl Interruptible {
    /// Whether an interrupt is meant for this work. It may come a little after its end.
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
        let restore = restorer();
        let handler = move |request, status| {
            if request == Request::Interrupt && lock(&work).take_interrupt() {
                stop.stop();
            } else {
                restore();
                std::process::exit(status);
            }
        };
        if let Err(error) = signals::catch(handler) {
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

/// A function that puts the terminal back into its present mode. While a line is edited, the terminal neither shows
/// what is typed nor waits for the end of the line.
fn restorer() -> impl Fn() + Send + 'static {
    #[cfg(unix)]
    let saved = rustix::termios::tcgetattr(io::stdin()).ok();
    move || {
        #[cfg(unix)]
        if let Some(saved) = &saved {
            _ = rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Now, saved);
        }
    }
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
        let words =
            Words { commands: list(&["help", "hint"]), others: list(&["h1", "a1"]), with_files: list(&["load"]) };
        assert_eq!(words.candidates("h", true), ["help", "hint", "h1"]);
        assert_eq!(words.candidates("HE", true), ["help"]);
        assert_eq!(words.candidates("h", false), ["h1"]);
        assert_eq!(words.candidates("", true), ["help", "hint"]);
        assert!(words.candidates("", false).is_empty() && words.candidates("\u{e9}", true).is_empty());
        assert_eq!([words.start_of_file("load  a b"), words.start_of_file(" LOAD x")], [Some(6), Some(6)]);
        assert_eq!([words.start_of_file("load"), words.start_of_file("hint a")], [None, None]);
    }

    #[test]
    fn files_are_completed_with_their_folders() {
        let folder = std::env::temp_dir().join(format!("malecon-names-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("game folder")).unwrap();
        for name in ["game 1.sgf", "other.sgf", ".hidden"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        let folder_name = format!("{}/", folder.display());
        let names = |begun: &str| {
            let names = file_names(&format!("{folder_name}{begun}"));
            names.iter().map(|name| name.strip_prefix(&folder_name).unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names("ga"), ["game 1.sgf", &format!("game folder{}", std::path::MAIN_SEPARATOR)]);
        assert_eq!((names("").len(), names(".h"), names("x").len()), (3, vec![".hidden".to_owned()], 0));
        assert!(file_names("no such folder/").is_empty());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
