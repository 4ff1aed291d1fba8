//! Everything that the program writes for people to read. Whatever it quotes - names of files, players and engines, the
//! answers of other programs - cannot control the terminal: [`shown`] makes control characters visible.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::failure::Failure;

/// Takes the place of the standard library's `eprintln`, which panics where nothing can be written, such as to a file
/// on a full disk. A message that nobody will read must not end the program.
macro_rules! eprintln {
    ($($message:tt)*) => { $crate::cli::output::tell(format_args!($($message)*)) };
}

/// Writes a line to stderr, as [`shown`].
pub fn tell(message: fmt::Arguments) {
    let _ = writeln!(io::stderr(), "{}", shown(&message.to_string()));
}

/// Reports an error that ends the command, or one of several that it goes on after.
pub fn report_error(error: impl Display) {
    eprintln!("error: {error}");
}

/// A text in which characters that would control a terminal appear as escapes such as `\u{1b}`. These are control
/// characters other than line ends and tabs, and characters that change the direction of the text or break its lines.
pub fn shown(text: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(is_hidden) {
        return text.into();
    }
    let escaped = |c: char| if is_hidden(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escaped).collect::<String>().into()
}

/// Prints a text for people, as [`shown`]. A closed pipe is not an error.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(shown(text).as_bytes())
}

/// Prints a text for programs as it is, but to a terminal as [`shown`]. A closed pipe is not an error.
pub fn print_data(text: &str) -> Result<(), Failure> {
    if io::stdout().is_terminal() { print(text) } else { print_bytes(text.as_bytes()) }
}

/// Prints texts for programs as they come, until nobody reads them any more.
pub fn print_each(texts: impl IntoIterator<Item = Result<String, Failure>>) -> Result<(), Failure> {
    let mut output = io::stdout();
    let is_terminal = output.is_terminal();
    for text in texts {
        let text = text?;
        let text = if is_terminal { shown(&text) } else { text.into() };
        match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
            written => written.map_err(cannot_write)?,
        }
    }
    Ok(())
}

/// Whether a pipe on stdout was found closed.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether somebody may still read what is printed. Long work that is done only for its output ends if not.
pub fn has_reader() -> bool {
    !IS_CLOSED.load(Relaxed)
}

/// The end of a conversation over stdout: a closed pipe is not an error.
pub fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| {
        if error.kind() != ErrorKind::BrokenPipe {
            return Err(error);
        }
        IS_CLOSED.store(true, Relaxed);
        Ok(())
    })
}

fn cannot_write(error: io::Error) -> Failure {
    Failure::Failed(format!("cannot write the result: {error}"))
}

fn print_bytes(text: &[u8]) -> Result<(), Failure> {
    let mut output = io::stdout();
    unless_closed(output.write_all(text).and_then(|()| output.flush())).map_err(cannot_write)
}

/// stderr for the logger, which writes a whole record at a time. A record that repeats the last one is left out: each
/// of many searches may find that memory is short.
#[derive(Default)]
pub struct Log {
    last: Vec<u8>,
}

impl Write for Log {
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        if record != self.last {
            io::stderr().write_all(shown(&String::from_utf8_lossy(record)).as_bytes())?;
            self.last = record.to_vec();
        }
        Ok(record.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_control_a_terminal_become_visible() {
        for (text, expected) in [
            ("Könnecke – 1\t2\n", "Könnecke – 1\t2\n"),
            ("\u{1b}[31mred\u{7}", "\\u{1b}[31mred\\u{7}"),
            ("a\rb\u{9b}2J\u{7f}", "a\\rb\\u{9b}2J\\u{7f}"),
            ("a\u{202e}b\u{2066}\u{200f}\u{2028}", "a\\u{202e}b\\u{2066}\\u{200f}\\u{2028}"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }
}
