//! Lines of the protocol: what is a request, and what an answer looks like (GTP 2, draft 2, section 2).

use std::fmt;

/// A command line: an optional id, the command's name and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The id, as it was sent.
    pub id: Option<&'a str>,
    /// The name of the command; empty where nothing followed the id.
    pub command: &'a str,
    /// The arguments.
    pub arguments: Vec<&'a str>,
}

/// A line as the protocol reads it: tabs are spaces, and control characters (carriage returns among them) are not
/// there. What is not UTF-8 becomes replacement characters.
pub fn clean(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect()
}

/// The request in a cleaned line, or `None` in an empty line or one that is only a comment.
///
/// ```
/// use malecon::gtp::protocol::parse;
/// let request = parse("12 play  w a1 # the corner").unwrap();
/// assert_eq!((request.id, request.command, request.arguments), (Some("12"), "play", vec!["w", "a1"]));
/// assert_eq!(parse("   # nothing"), None);
/// ```
pub fn parse(line: &str) -> Option<Request<'_>> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split_ascii_whitespace().peekable();
    words.peek()?;
    let id = words.next_if(|word| word.bytes().all(|b| b.is_ascii_digit()));
    Some(Request { id, command: words.next().unwrap_or_default(), arguments: words.collect() })
}

/// Whether a cleaned line asks to end the search that is running: the comment `# interrupt`.
pub fn is_interrupt(line: &str) -> bool {
    line.trim().strip_prefix('#').is_some_and(|comment| comment.trim() == "interrupt")
}

/// What a command answers: the text after `=`, without an empty line in it, or the reason after `?`.
pub type Answer = Result<String, CommandError>;

/// Why a command was refused: one line that says what was wrong with what was sent, and what would be right. A
/// refused command has changed nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandError(String);

impl CommandError {
    /// A refusal for this reason.
    pub fn new(reason: impl Into<String>) -> CommandError {
        CommandError(reason.into())
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: std::error::Error> From<E> for CommandError {
    fn from(error: E) -> CommandError {
        CommandError(error.to_string())
    }
}

/// The bytes that answer a request: status and id, the text, and the empty line that ends the answer.
///
/// ```
/// use malecon::gtp::protocol::{CommandError, format};
/// assert_eq!(format(Some("3"), &Ok("2".into())), "=3 2\n\n");
/// assert_eq!(format(None, &Ok(String::new())), "=\n\n");
/// assert_eq!(format(None, &Err(CommandError::new("no"))), "? no\n\n");
/// ```
pub fn format(id: Option<&str>, answer: &Answer) -> String {
    let id = id.unwrap_or_default();
    match answer {
        Ok(text) => layout('=', id, text),
        Err(refusal) => layout('?', id, &refusal.0.replace('\n', " ")),
    }
}

fn layout(status: char, id: &str, text: &str) -> String {
    // An empty line would end the answer.
    let lines: Vec<&str> =
        text.trim_end().split('\n').enumerate().filter(|(i, l)| *i == 0 || !l.is_empty()).map(|(_, l)| l).collect();
    let space = if lines[0].is_empty() { "" } else { " " };
    format!("{status}{id}{space}{}\n\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_are_spaces_and_control_characters_are_not_there() {
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
    fn comments_and_blank_lines_are_no_requests() {
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
    fn an_answer_has_no_empty_line_but_its_last() {
        assert_eq!(format(Some("1"), &Ok("\na\n\n\nb\n\n".into())), "=1\na\nb\n\n");
        assert_eq!(format(None, &Err(CommandError::new("a\n\nb"))), "? a  b\n\n");
    }
}
