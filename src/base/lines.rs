//! Files that grow by a line of JSON with each game or position, and survive an interruption.
//!
//! A program that is killed may leave part of a line at the end of such a file. The part is not read, and it is cut off
//! before the next line is added. So is a tail of NULs, which some file systems leave after a power failure.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::encoding;
use super::files::{self, FileError, LockedFile, MAX_TEXT, in_file};
use super::text::count;

/// A line of such a file, as it is read.
pub trait Line: DeserializeOwned {
    /// How the lines begin, such as `{"side":`. An incomplete last line is cut off only if it begins like this;
    /// anything else was not written by this program.
    const BEGINNINGS: &'static [&'static str];
    /// What a line describes, such as `game`, for messages.
    const UNIT: &'static str;
    /// The command that writes such files, such as `malecon match`, for messages.
    const WRITER: &'static str;
}

/// The first invalid line of a text. Displayed as `number: reason`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// The number of the line, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.number, self.reason)
    }
}

impl std::error::Error for LineError {}

/// Reads a file with a JSON object on each line. Empty lines, and part of a line at the end, are skipped.
///
/// # Errors
/// If the file cannot be read, or one of its lines is invalid.
pub fn read<T: Line>(path: &Path) -> Result<Vec<T>, FileError> {
    let text = encoding::read(path)?;
    Ok(content(text.as_bytes()).map_err(in_line_of(path))?.lines)
}

/// Like [`read`], but from the content of a file.
///
/// # Errors
/// If the content is not text, or one of its lines is invalid.
pub fn parse<T: Line>(text: &[u8]) -> Result<Vec<T>, LineError> {
    let text = encoding::decode(text).map_err(|what| LineError { number: 1, reason: format!("this is {what}") })?;
    Ok(content(text.as_bytes())?.lines)
}

/// Prefixes an error with its file. For `map_err`.
fn in_line_of(path: &Path) -> impl Fn(LineError) -> String {
    move |error| format!("{}:{error}", path.display())
}

/// The content of such a file.
struct Content<T> {
    lines: Vec<T>,
    /// The length of the whole lines, in bytes. The rest of the file is part of a line.
    length: usize,
    /// Whether the last whole line lacks its line end.
    lacks_line_end: bool,
}

fn read_content<T: Line>(path: &Path) -> Result<Content<T>, FileError> {
    // A pipe or a device has no lines yet. Reading it would wait for them.
    let text = if path.is_file() { files::read(path, MAX_TEXT).map_err(in_file(path))? } else { Vec::new() };
    Ok(content(&text).map_err(in_line_of(path))?)
}

fn content<T: Line>(text: &[u8]) -> Result<Content<T>, LineError> {
    let text = &text[..text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)];
    // An editor may have put a byte-order mark there.
    let mark = text.iter().zip(b"\xef\xbb\xbf").take_while(|(byte, mark)| byte == mark).count();
    let (mark, text) = if mark == 3 { (3, &text[3..]) } else { (0, text) };
    let mut content = Content { lines: Vec::new(), length: mark, lacks_line_end: false };
    for (number, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let lacks_line_end = !line.ends_with(b"\n");
        if !line.iter().all(u8::is_ascii_whitespace) {
            match serde_json::from_slice(line) {
                Ok(value) => content.lines.push(value),
                Err(error) if lacks_line_end && error.is_eof() && may_begin_line::<T>(line) => break,
                Err(error) => {
                    let reason = format!("not a {} as '{}' writes it: {}", T::UNIT, T::WRITER, in_one_line(&error));
                    return Err(LineError { number: number + 1, reason });
                }
            }
        }
        content.length += line.len();
        content.lacks_line_end = lacks_line_end;
    }
    Ok(content)
}

/// An error in a text of JSON that is one line, such as `expected value at column 3`.
pub fn in_one_line(error: &serde_json::Error) -> String {
    // The error may quote line ends that are written as escapes.
    error.to_string().replace(['\n', '\r'], " ").replace(" at line 1 column ", " at column ")
}

/// Whether `part` may be the beginning of a line.
fn may_begin_line<T: Line>(part: &[u8]) -> bool {
    T::BEGINNINGS.iter().any(|beginning| part.iter().zip(beginning.bytes()).all(|(&a, b)| a == b))
}

/// A file to which lines are appended. Meanwhile, no other process can open it to append lines.
#[derive(Debug)]
pub struct LineFile {
    path: PathBuf,
    file: LockedFile,
    beginnings: &'static [&'static str],
    /// Until the first new line: the length of the whole lines, and whether the last of them lacks its line end.
    end: Option<(u64, bool)>,
}

impl LineFile {
    /// Opens or creates a file, and reads the lines that it has. Nothing in it changes before the first
    /// [`LineFile::add`].
    ///
    /// # Errors
    /// If the file has lines but `resume` is false, if one of them is invalid, if another process has opened the file
    /// for more lines, or if it cannot be read or written.
    pub fn open<T: Line>(path: &Path, resume: bool) -> Result<(LineFile, Vec<T>), FileError> {
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(in_file(path))?;
        let file = LockedFile::new(file).map_err(in_file(path))?;
        let Content { lines, length, lacks_line_end } = read_content(path)?;
        if !lines.is_empty() && !resume {
            let path = path.display();
            let lines = count(lines.len(), T::UNIT);
            return Err(format!("{path} already has {lines} (use --resume to continue, or another file)").into());
        }
        let end = Some((length as u64, lacks_line_end));
        Ok((LineFile { path: path.to_owned(), file, beginnings: T::BEGINNINGS, end }, lines))
    }

    /// Adds a line.
    ///
    /// # Errors
    /// If the file cannot be written. It then ends with its last whole line.
    pub fn add(&mut self, line: &impl Serialize) -> Result<(), FileError> {
        let text = serde_json::to_string(line).expect("a line is plain data");
        debug_assert!(self.beginnings.iter().any(|beginning| text.starts_with(beginning)), "{text}");
        Ok(self.append(&format!("{text}\n")).map_err(in_file(&self.path))?)
    }

    /// Closes a file that is complete. It then ends with a whole line and its line end, even if none was added, so that
    /// another file may follow it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn close(mut self) -> Result<(), FileError> {
        Ok(self.append("").map_err(in_file(&self.path))?)
    }

    fn append(&mut self, text: &str) -> io::Result<()> {
        let before = self.file.metadata()?;
        let (whole, lacks_line_end) = self.end.unwrap_or((before.len(), false));
        if whole != before.len() {
            files::cut_off(&self.file, &self.path, whole)?;
        }
        let start = if lacks_line_end { "\n" } else { "" };
        // One write, so that a line is whole unless the process dies within it.
        self.file.write_all(format!("{start}{text}").as_bytes()).inspect_err(|_| {
            if before.is_file() {
                // If this fails, too, the incomplete line is skipped when the file is read.
                let _ = files::cut_off(&self.file, &self.path, whole);
            }
        })?;
        self.end = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::base::files::tests::Scratch;

    #[derive(Serialize, serde::Deserialize, Debug, PartialEq)]
    struct Numbered {
        id: u32,
    }

    impl Line for Numbered {
        const BEGINNINGS: &'static [&'static str] = &["{\"id\":"];
        const UNIT: &'static str = "line";
        const WRITER: &'static str = "malecon number";
    }

    /// The content of a file after two lines were added to it, and the lines that it had.
    fn continued(before: &str) -> (String, Vec<u32>) {
        let directory = Scratch::new("lines");
        let path = directory.0.join("lines");
        fs::write(&path, before).unwrap();
        let (mut file, lines) = LineFile::open::<Numbered>(&path, true).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), before, "opening changes nothing");
        (8..10).for_each(|id| file.add(&Numbered { id }).unwrap());
        let numbers = |lines: Vec<Numbered>| lines.into_iter().map(|line| line.id).collect::<Vec<_>>();
        let all = numbers(read(&path).unwrap());
        let had = numbers(lines);
        assert_eq!(all, [&had[..], &[8, 9]].concat());
        (fs::read_to_string(&path).unwrap(), had)
    }

    #[test]
    fn lines_are_added_after_the_last_whole_one() {
        let new = "{\"id\":8}\n{\"id\":9}\n";
        assert_eq!(continued(""), (new.into(), vec![]));
        for (before, kept, numbers) in [
            ("{\"id\":1}\n", "{\"id\":1}\n", &[1][..]),
            ("{\"id\":1}\n\n{\"id\":2}", "{\"id\":1}\n\n{\"id\":2}\n", &[1, 2]),
            ("{\"id\":1}\n{\"id\"", "{\"id\":1}\n", &[1]),
            ("{", "", &[]),
            ("{\"id\":1}\n\0\0\0", "{\"id\":1}\n", &[1]),
            ("{\"id\":1}\n{\"id\":\0\0", "{\"id\":1}\n", &[1]),
            ("\0\0", "", &[]),
        ] {
            assert_eq!(continued(before), (format!("{kept}{new}"), numbers.to_vec()), "{before:?}");
            let directory = Scratch::new("closed");
            let path = directory.0.join("lines");
            fs::write(&path, before).unwrap();
            LineFile::open::<Numbered>(&path, true).unwrap().0.close().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), kept, "{before:?}");
        }
    }

    #[test]
    fn invalid_lines_are_named() {
        for (text, number) in [
            ("{\"id\":1}\n{\"id\":", 0),
            ("{\"id\":1}\n{\"id\":\n", 2),
            ("[1", 1),
            ("{\"name\": 1,", 1),
            ("{\"id\":\"\u{1}\"}", 1),
        ] {
            match parse::<Numbered>(text.as_bytes()) {
                Ok(lines) => assert_eq!((lines, number), (vec![Numbered { id: 1 }], 0), "{text:?}"),
                Err(error) => {
                    assert!(error.number == number && !error.reason.contains(char::is_control), "{error}");
                }
            }
        }
    }

    #[test]
    fn a_file_has_one_writer_and_is_continued_on_request_only() {
        let directory = Scratch::new("one-writer");
        let path = directory.0.join("lines");
        let (mut file, _) = LineFile::open::<Numbered>(&path, false).unwrap();
        file.add(&Numbered { id: 1 }).unwrap();
        if cfg!(not(windows)) {
            let refused = LineFile::open::<Numbered>(&path, true).unwrap_err();
            assert!(refused.to_string().contains("another process is writing"), "{refused}");
        }
        drop(file);
        let refused = LineFile::open::<Numbered>(&path, false).unwrap_err();
        assert!(refused.to_string().contains("already has 1 line (use --resume"), "{refused}");
        assert_eq!(LineFile::open::<Numbered>(&path, true).unwrap().1, [Numbered { id: 1 }]);
    }
}
