//! Text that people give: files, pipes and what they paste, decoded in one place.
//!
//! Text is UTF-8, UTF-16 with a byte-order mark, or in a character set that its format names. Bytes that are none of
//! these are read as Windows-1252, which contains Latin-1. The program then sees lines that end with `\n`, without
//! byte-order mark and without the NUL and ^Z that old systems write at the end of a file.
//!
//! In a browser, only Unicode and Latin-1 are read: the tables of other character sets would make the module a quarter
//! larger, and the page has the browser's.

#[cfg(not(target_family = "wasm"))]
mod charset;
#[cfg(target_family = "wasm")]
#[path = "unicode.rs"]
mod charset;
#[cfg(not(target_family = "wasm"))]
mod input;

use std::fmt;
use std::path::Path;

use super::files::{self, FileError, MAX_TEXT, in_file};

#[cfg(not(target_family = "wasm"))]
pub use input::Decoded;

/// Files that are not text: how they begin, and what they are.
const NO_TEXT: [(&[u8], &str); 14] = [
    (b"\x1f\x8b", "compressed with gzip: unpack it first"),
    (b"PK\x03\x04", "a zip archive: unpack it first"),
    (b"BZh", "compressed with bzip2: unpack it first"),
    (b"\xfd7zXZ\0", "compressed with xz: unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd: unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive: unpack it first"),
    (b"Rar!\x1a\x07", "a RAR archive: unpack it first"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"\x7fELF", "a program"),
    (b"\xff\xfe\0\0", "in UTF-32: save it as UTF-8"),
    (b"\0\0\xfe\xff", "in UTF-32: save it as UTF-8"),
];

/// The error for bytes that are not a text. It displays what they are instead, in words that follow "this is".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotText(&'static str);

impl fmt::Display for NotText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not text but {}", self.0)
    }
}

impl std::error::Error for NotText {}

/// Decodes a text.
///
/// # Errors
/// If these are not the bytes of a text.
///
/// ```
/// use malecon::base::encoding::decode;
/// assert_eq!(decode(b"\xef\xbb\xbfa1\r\nb2\x1a")?, "a1\nb2");
/// assert_eq!(decode(b"\xff\xfea\x001\x00")?, "a1");
/// assert!(decode(b"\x1f\x8b\x08").unwrap_err().to_string().contains("gzip"));
/// # Ok::<(), malecon::base::encoding::NotText>(())
/// ```
pub fn decode(bytes: &[u8]) -> Result<String, NotText> {
    decode_as(bytes, None)
}

/// A text as the bytes of a file that [`decode_as`] reads as this text again, whatever character set it names.
pub fn encode(text: &str) -> Vec<u8> {
    format!("\u{feff}{}", text.trim_start_matches('\u{feff}')).into_bytes()
}

/// Like [`decode`], for a text that names its own character set, such as `Shift_JIS`. A byte-order mark takes
/// precedence over the name. The name is ignored if only UTF-8 fits the bytes, or if there is no such character set.
///
/// # Errors
/// As for [`decode`].
pub fn decode_as(bytes: &[u8], charset: Option<&str>) -> Result<String, NotText> {
    if let Some((_, what)) = NO_TEXT.iter().find(|(beginning, _)| bytes.starts_with(beginning)) {
        return Err(NotText(what));
    }
    Ok(plain(&charset::text(bytes, charset)))
}

/// The content of a text file.
///
/// # Errors
/// If it cannot be read or is not text.
pub fn read(path: &Path) -> Result<String, FileError> {
    let bytes = files::read_stream(path, MAX_TEXT).map_err(in_file(path))?;
    Ok(decode(&bytes).map_err(|what| in_file(path)(format!("this is {what}")))?)
}

/// A text with `\n` at the end of each line, and without NUL and ^Z.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' | '\n' => {
                // Two different characters are one line end: CR LF, or LF CR on some old systems.
                chars.next_if(|&next| matches!((c, next), ('\r', '\n') | ('\n', '\r')));
                plain.push('\n');
            }
            '\0' | '\x1a' => {}
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf_16(text: &str, mark: &[u8], bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        mark.iter().copied().chain(text.encode_utf16().flat_map(bytes)).collect()
    }

    #[test]
    fn every_encoding_gives_the_same_text() {
        let text = "(;PB[Zażółć é 名]\n😀)";
        for bytes in [
            text.as_bytes().to_vec(),
            [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            utf_16(text, b"\xff\xfe", u16::to_le_bytes),
            utf_16(text, b"\xfe\xff", u16::to_be_bytes),
            utf_16(text, b"", u16::to_le_bytes),
            utf_16(text, b"", u16::to_be_bytes),
        ] {
            assert_eq!(decode(&bytes).as_deref(), Ok(text));
        }
    }

    #[test]
    fn lines_end_with_one_character_and_end_of_file_characters_are_dropped() {
        assert_eq!(decode(b"a\r\nb\rc\n\rd\n\ne\r\n\r\nf\x1a\0\0").as_deref(), Ok("a\nb\nc\nd\n\ne\n\nf"));
    }

    #[test]
    fn what_is_no_text_is_named() {
        for (bytes, what) in [
            (&b"\x1f\x8b\x08\0"[..], "gzip"),
            (b"PK\x03\x04", "zip"),
            (b"%PDF-1.4", "PDF"),
            (b"\xff\xfe\0\0(\0\0\0", "UTF-32"),
        ] {
            assert!(decode(bytes).unwrap_err().to_string().contains(what));
        }
    }
}
