//! What a command is, and the parsers of its arguments.

use std::path::Path;
use std::time::Duration;

use crate::base::text::quoted;
use crate::game::Color;

use super::engine::Engine;
use super::protocol::{CommandError, Response};

/// A command.
#[derive(Debug)]
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// Its arguments: upper-case words are placeholders, brackets mark optional arguments, `...` repeats the last one.
    pub arguments: &'static str,
    /// One line about what it does.
    pub about: &'static str,
    pub(super) run: fn(&mut Engine, &[&str]) -> Response,
}

impl Command {
    /// A row of a table: the name, the arguments, one line about the command, and the function that carries it out.
    pub(super) const fn new(
        name: &'static str,
        arguments: &'static str,
        about: &'static str,
        run: fn(&mut Engine, &[&str]) -> Response,
    ) -> Command {
        Command { name, arguments, about, run }
    }

    /// The name and the arguments.
    pub fn usage(&self) -> String {
        format!("{} {}", self.name, self.arguments).trim_end().to_owned()
    }

    /// Splits what follows the command into arguments. A file name or the value of an option takes the rest of the
    /// line, spaces included, except for a number that may follow it; it may be in quotes.
    pub(super) fn split<'a>(&self, arguments: Vec<&'a str>, rest: &'a str) -> Result<Vec<&'a str>, CommandError> {
        Ok(match self.arguments.split_whitespace().position(|word| matches!(word, "FILE" | "VALUE")) {
            Some(before) if arguments.len() > before => {
                let rest = rest_after(rest, before);
                check_quote(rest)?;
                let (text, number) = unquoted(rest, self.arguments.ends_with(']'));
                [&arguments[..before], &[text], &number.map_or(vec![], |number| vec![number])[..]].concat()
            }
            _ => arguments,
        })
    }

    /// Checks the number of arguments.
    pub(super) fn check_count(&self, count: usize) -> Result<(), CommandError> {
        let words = self.arguments.split_whitespace();
        let least = words.clone().filter(|word| !word.starts_with('[')).count();
        let most = if self.arguments.ends_with("...") { usize::MAX } else { words.count() };
        let fault = match count {
            _ if count < least => "too few",
            _ if count > most => "too many",
            _ => return Ok(()),
        };
        Err(CommandError::new(format!("{fault} arguments: got {count} (usage: {})", self.usage())))
    }
}

/// The text after its first `words` words.
fn rest_after(text: &str, words: usize) -> &str {
    (0..words).fold(text, |text, _| {
        let end = text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len());
        text[end..].trim_ascii_start()
    })
}

/// Refuses a text that begins with a quotation mark and has no other: a comment may have cut it off.
fn check_quote(text: &str) -> Result<(), CommandError> {
    match text.strip_prefix('"') {
        Some(rest) if !rest.contains('"') => {
            Err(CommandError::new("\" opens a quotation that does not end (# begins a comment)"))
        }
        _ => Ok(()),
    }
}

/// A text without the quotes around it, and the number after it, if one may follow.
fn unquoted(text: &str, may_have_number: bool) -> (&str, Option<&str>) {
    for quote in ['"', '\''] {
        let inner = text.strip_prefix(quote).and_then(|inner| inner.split_once(quote));
        match inner.map(|(inner, after)| (inner, after.trim_ascii())) {
            Some((inner, "")) => return (inner, None),
            Some((inner, after)) if may_have_number && !after.contains(' ') => return (inner, Some(after)),
            _ => {}
        }
    }
    let Some((before, last)) = text.rsplit_once(' ').filter(|_| may_have_number) else { return (text, None) };
    let before = before.trim_ascii_end();
    let is_number = last.bytes().all(|b| b.is_ascii_digit());
    // The name itself may end with a number.
    let ends_with_number = !Path::new(text).exists() && (is_number || Path::new(before).exists());
    if ends_with_number { (before, Some(last)) } else { (text, None) }
}

/// A response with this text.
pub(super) fn text(text: &str) -> Response {
    Ok(text.to_owned())
}

/// A response made of these lines.
pub(super) fn lines(lines: impl Iterator<Item = String>) -> Response {
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// Parses a colour.
pub(super) fn color(text: &str) -> Result<Color, CommandError> {
    Ok(text.parse()?)
}

/// Parses a whole number. One that is too large becomes the largest `usize`, which every command refuses, naming the
/// range it accepts.
pub(super) fn whole(name: &str, text: &str) -> Result<usize, CommandError> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(CommandError::new(format!("invalid {name} '{}' (expected a whole number)", quoted(text))));
    }
    Ok(text.parse().unwrap_or(usize::MAX))
}

/// Parses a number of seconds.
pub(super) fn seconds(name: &str, text: &str) -> Result<Duration, CommandError> {
    const MOST: f64 = 1e9;
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=MOST).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => {
            let text = quoted(text);
            Err(CommandError::new(format!("invalid {name} '{text}' (expected seconds from 0 to {MOST})")))
        }
    }
}

/// Parses the number of stones of a byo-yomi period.
pub(super) fn stones(text: &str) -> Result<u32, CommandError> {
    let stones = whole("STONES", text)?;
    u32::try_from(stones)
        .map_err(|_| CommandError::new(format!("STONES {} is too large (expected 0..{})", quoted(text), u32::MAX)))
}
