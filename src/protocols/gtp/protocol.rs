//! Lines of the protocol: parsing requests and formatting responses (GTP 2, draft 2, section 2).

use crate::base::error::message_error;
use crate::engine::session::{LoadError, SearchError, SolveError};
use crate::game::{ParseColorError, ParseMoveError, ParseVertexError, SideError, UndoError};

/// A command line: an optional id, the command's name and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The id, as it was sent.
    pub id: Option<&'a str>,
    /// The name of the command; empty if nothing follows the id.
    pub command: &'a str,
    /// The arguments.
    pub arguments: Vec<&'a str>,
    /// All that follows the command, for arguments that may contain spaces.
    pub rest: &'a str,
}

/// A line as the protocol reads it: tabs become spaces, other control characters (carriage returns among them) are
/// dropped, and invalid UTF-8 becomes replacement characters.
pub fn clean(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect()
}

/// The request in a cleaned line; `None` if the line is empty or only a comment.
///
/// ```
/// use malecon::protocols::gtp::protocol::parse;
/// let request = parse("12 play  w a1 # the corner").unwrap();
/// assert_eq!((request.id, request.command, request.arguments), (Some("12"), "play", vec!["w", "a1"]));
/// assert_eq!(parse("   # nothing"), None);
/// ```
pub fn parse(line: &str) -> Option<Request<'_>> {
    let line = line.split('#').next().unwrap_or_default();
    let (first, after_first) = first_word(line);
    let is_id = !first.is_empty() && first.bytes().all(|b| b.is_ascii_digit());
    let (command, rest) = if is_id { first_word(after_first) } else { (first, after_first) };
    let id = is_id.then_some(first);
    (id.is_some() || !command.is_empty()).then(|| Request {
        id,
        command,
        arguments: rest.split_ascii_whitespace().collect(),
        rest: rest.trim_ascii(),
    })
}

/// The first word of a text, and what follows it.
fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_ascii_start();
    text.split_at(text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len()))
}

/// Whether a cleaned line asks to end the running search: the comment `# interrupt`.
pub fn is_interrupt(line: &str) -> bool {
    line.trim().strip_prefix('#').is_some_and(|comment| comment.trim() == "interrupt")
}

/// The response to a command: the text after `=`, or the reason after `?`.
pub type Response = Result<String, CommandError>;

message_error! {
    /// Why a command failed: one line that says what was wrong and what would be right. A command that fails has
    /// changed nothing.
    pub struct CommandError;
}

impl CommandError {
    /// An error with this message.
    pub fn new(reason: impl Into<String>) -> CommandError {
        CommandError(reason.into())
    }
}

/// Errors that commands pass on unchanged.
macro_rules! passed_on {
    ($($error:ty),+ $(,)?) => {$(
        impl From<$error> for CommandError {
            fn from(error: $error) -> CommandError {
                CommandError(error.to_string())
            }
        }
    )+};
}
passed_on!(LoadError, ParseColorError, ParseMoveError, ParseVertexError, SearchError, SideError, SolveError, UndoError,);

/// A response as it is sent: status and id, the text, and the empty line that ends it.
///
/// ```
/// use malecon::protocols::gtp::protocol::{CommandError, format};
/// assert_eq!(format(Some("3"), &Ok("2".into())), "=3 2\n\n");
/// assert_eq!(format(None, &Ok(String::new())), "=\n\n");
/// assert_eq!(format(None, &Err(CommandError::new("no"))), "? no\n\n");
/// ```
pub fn format(id: Option<&str>, response: &Response) -> String {
    let id = id.unwrap_or_default();
    match response {
        Ok(text) => layout('=', id, text),
        Err(error) => layout('?', id, &error.0.replace('\n', " ")),
    }
}

fn layout(status: char, id: &str, text: &str) -> String {
    // An empty line would end the response.
    let lines: Vec<&str> =
        text.trim_end().split('\n').enumerate().filter(|(i, l)| *i == 0 || !l.is_empty()).map(|(_, l)| l).collect();
    let space = if lines[0].is_empty() { "" } else { " " };
    format!("{status}{id}{space}{}\n\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_become_spaces_and_control_characters_are_dropped() {
        assert_eq!(clean(b"play\tw\x07 \x00a1\r"), "play w a1");
        assert_eq!(clean(b"\xff\x7f"), "\u{fffd}");
    }

    #[test]
    fn the_first_word_is_an_id_if_it_is_a_number() {
        let parsed = |line| parse(line).map(|r| (r.id, r.command));
        assert_eq!(parsed("1 name"), Some((Some("1"), "name")));
        assert_eq!(parsed("007 name"), Some((Some("007"), "name")));
        assert_eq!(parsed("1name"), Some((None, "1name")));
        assert_eq!(parsed("-1 name"), Some((None, "-1")));
        assert_eq!(parsed("12"), Some((Some("12"), "")));
        assert_eq!(parsed("12 # name"), Some((Some("12"), "")));
        assert_eq!(parsed("1 2 3"), Some((Some("1"), "2")));
    }

    #[test]
    fn comments_and_blank_lines_are_not_requests() {
        for line in ["", "  ", "#", "# name", "  # 1 name", "#1 name"] {
            assert_eq!(parse(line), None);
        }
        assert_eq!(parse("name#comment").unwrap().command, "name");
    }

    #[test]
    fn an_interrupt_is_a_comment_of_its_own() {
        assert!(is_interrupt("# interrupt") && is_interrupt("  #interrupt ") && is_interrupt("#  interrupt"));
        assert!(!is_interrupt("interrupt") && !is_interrupt("name # interrupt") && !is_interrupt("# interrupted"));
    }

    #[test]
    fn only_the_end_of_a_response_is_an_empty_line() {
        assert_eq!(format(Some("1"), &Ok("\na\n\n\nb\n\n".into())), "=1\na\nb\n\n");
        assert_eq!(format(None, &Err(CommandError::new("a\n\nb"))), "? a  b\n\n");
    }
}
