//! What all formats share when they read a text: how much of it may be read, and which characters are shown.

use crate::base::text::shortened;

use super::{RecordError, TextPosition};

/// How many parts of a text may still be read. A text may consist of many parts of a single byte, each of which takes
/// hundreds of bytes in memory.
pub(super) struct Budget {
    most: usize,
    left: Option<usize>,
}

impl Budget {
    pub fn new(most: usize) -> Budget {
        Budget { most, left: Some(most) }
    }

    /// Takes this many parts, which are at this place.
    pub fn take(&mut self, count: usize, place: TextPosition) -> Result<(), RecordError> {
        self.left = self.left.and_then(|left| left.checked_sub(count));
        if self.is_spent() { Err(self.error(place)) } else { Ok(()) }
    }

    /// Whether more was taken than there was.
    pub fn is_spent(&self) -> bool {
        self.left.is_none()
    }

    pub fn error(&self, place: TextPosition) -> RecordError {
        place.error(format!("too much for one text: more than {} nodes and values or moves", self.most))
    }
}

/// A text with pictures in the place of control characters, so that a record cannot steer the terminal that it is shown
/// on. Line ends and tabs stay; other white space becomes spaces.
pub(super) fn visible(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\t') { c } else { picture_of(c) }).collect()
}

/// Like [`visible`], in one line.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(picture_of).collect()
}

/// A text as quoted in an error message.
pub(super) fn quoted(text: &str) -> String {
    shortened(&one_line(text), 60)
}

/// The picture of a control character, or a space for one that is white space.
fn picture_of(c: char) -> char {
    match c {
        _ if !c.is_control() => c,
        _ if c.is_whitespace() => ' ',
        '\0'..' ' => char::from_u32(0x2400 + u32::from(c)).expect("the pictures of control characters are here"),
        '\x7f' => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}
