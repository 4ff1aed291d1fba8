//! Text that people give: files, pipes and what they paste, decoded in one place.
//!
//! Text is UTF-8, UTF-16 with a byte-order mark, or in a character set that its format names. Bytes that are none of
//! these are read as Windows-1252, which contains Latin-1. The program then sees lines that end with `\n`, without
//! byte-order mark and without the NUL and ^Z that old systems write at the end of a file.

use std::io::{self, BufRead, Read};
use std::path::Path;

use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::files::{self, MAX_TEXT, in_file};

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

/// Decodes a text.
///
/// # Errors
/// If these are not the bytes of a text: says what they are instead, in a form that follows "this is".
///
/// ```
/// use malecon::base::encoding::decode;
/// assert_eq!(decode(b"\xef\xbb\xbfa1\r\nb2\x1a")?, "a1\nb2");
/// assert_eq!(decode(b"\xff\xfea\x001\x00")?, "a1");
/// assert!(decode(b"\x1f\x8b\x08").unwrap_err().contains("gzip"));
/// # Ok::<(), String>(())
/// ```
pub fn decode(bytes: &[u8]) -> Result<String, String> {
    decode_as(bytes, None)
}

/// Like [`decode`], for a text that names its own character set, such as `Shift_JIS`. A byte-order mark is believed
/// before the name, and the name is ignored if only UTF-8 fits the bytes or if there is no such character set.
///
/// # Errors
/// As for [`decode`].
pub fn decode_as(bytes: &[u8], charset: Option<&str>) -> Result<String, String> {
    if let Some((_, what)) = NO_TEXT.iter().find(|(beginning, _)| bytes.starts_with(beginning)) {
        return Err(format!("no text but {what}"));
    }
    let (text, _) = encoding_of(bytes, charset).decode_with_bom_removal(bytes);
    Ok(plain(&text))
}

/// The content of a text file.
///
/// # Errors
/// Returns a one-line message with the name of the file if it cannot be read or is no text.
pub fn read(path: &Path) -> Result<String, String> {
    let bytes = files::read_stream(path, MAX_TEXT).map_err(in_file(path))?;
    decode(&bytes).map_err(|what| in_file(path)(format!("this is {what}")))
}

fn encoding_of(bytes: &[u8], charset: Option<&str>) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    if let Some(encoding) = utf_16_without_mark(bytes) {
        return encoding;
    }
    let fits = |encoding: &'static Encoding| encoding.decode_without_bom_handling_and_without_replacement(bytes);
    // Programs name Latin-1 whatever they write. It is what is left if the text is not UTF-8.
    let named = charset.and_then(encoding_named).filter(|&encoding| encoding != WINDOWS_1252);
    named
        .filter(|&encoding| fits(encoding).is_some())
        .or_else(|| std::str::from_utf8(bytes).is_ok().then_some(UTF_8))
        .or(named.filter(|&encoding| encoding != UTF_8))
        .unwrap_or(WINDOWS_1252)
}

/// The character set with this name, under which ASCII stays ASCII. Other programs use more names than the standard of
/// the web, such as `cp1250`.
fn encoding_named(name: &str) -> Option<&'static Encoding> {
    let name = name.trim().to_ascii_lowercase();
    let page = ["windows-", "windows", "cp-", "cp", "ms"].iter().find_map(|prefix| name.strip_prefix(prefix));
    let page = match page {
        Some("932") => Some("shift_jis".to_owned()),
        Some("936") => Some("gbk".to_owned()),
        Some("949") => Some("euc-kr".to_owned()),
        Some("950") => Some("big5".to_owned()),
        Some(page) => Some(format!("windows-{page}")),
        None => None,
    };
    let alike = [Some(name.clone()), page, Some(name.replace('_', "-")), Some(name.replace(['_', '-'], ""))];
    let encoding = alike.iter().flatten().find_map(|name| Encoding::for_label(name.as_bytes()))?;
    encoding.is_ascii_compatible().then_some(encoding)
}

/// UTF-16 shows by the zeros in its first characters, which no text in another character set begins with.
fn utf_16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let are_zero: Vec<bool> = bytes.iter().take(4).map(|&byte| byte == 0).collect();
    match are_zero[..] {
        [false, true, false, true] => Some(UTF_16LE),
        [true, false, true, false] => Some(UTF_16BE),
        _ => None,
    }
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

/// An input whose text arrives little by little, as UTF-8: without a byte-order mark, or decoded from UTF-16 if a mark
/// says so. All other bytes are passed on as they are.
///
/// Nothing waits for more bytes than have arrived, unless the first of them begins a mark.
#[derive(Debug)]
pub struct Decoded<R> {
    input: R,
    start: Start,
    /// Decoded text that was not consumed yet, for UTF-16; or bytes from which no mark was made.
    text: Vec<u8>,
    consumed: usize,
}

enum Start {
    Unknown,
    Plain,
    Utf16(Decoder),
}

impl std::fmt::Debug for Start {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Start::Unknown => "Unknown",
            Start::Plain => "Plain",
            Start::Utf16(_) => "Utf16",
        })
    }
}

impl<R: BufRead> Decoded<R> {
    /// Decodes this input.
    pub fn new(input: R) -> Decoded<R> {
        Decoded { input, start: Start::Unknown, text: Vec::new(), consumed: 0 }
    }

    /// Reads the byte-order mark, if there is one.
    fn read_mark(&mut self) -> io::Result<()> {
        const MARKS: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];
        let may_begin_mark = |text: &[u8]| MARKS.iter().any(|mark| mark.starts_with(text));
        while !MARKS.contains(&&self.text[..]) && may_begin_mark(&self.text) {
            match self.input.fill_buf()?.first() {
                None => break,
                Some(&byte) if self.text.is_empty() && !may_begin_mark(&[byte]) => break,
                Some(&byte) => {
                    self.text.push(byte);
                    self.input.consume(1);
                }
            }
        }
        let encoding = Encoding::for_bom(&self.text).map(|(encoding, _)| encoding);
        self.start = match encoding {
            Some(encoding) if encoding != UTF_8 => Start::Utf16(encoding.new_decoder_without_bom_handling()),
            _ => Start::Plain,
        };
        if encoding.is_some() {
            self.text.clear();
        }
        Ok(())
    }

    /// Decodes what has arrived, until there is some text or the input ends.
    fn decode_more(&mut self) -> io::Result<()> {
        let Start::Utf16(decoder) = &mut self.start else { return Ok(()) };
        let mut text = [0; 4096];
        loop {
            let bytes = self.input.fill_buf()?;
            let is_last = bytes.is_empty();
            let (_, read, written, _) = decoder.decode_to_utf8(bytes, &mut text, is_last);
            self.input.consume(read);
            self.text.extend_from_slice(&text[..written]);
            if is_last {
                break;
            }
            if written > 0 {
                return Ok(());
            }
        }
        // A decoder must not be used after the end.
        self.start = Start::Plain;
        Ok(())
    }
}

impl<R: BufRead> BufRead for Decoded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if matches!(self.start, Start::Unknown) {
            self.read_mark()?;
        }
        if self.consumed == self.text.len() {
            self.text.clear();
            self.consumed = 0;
            self.decode_more()?;
        }
        match self.start {
            Start::Plain if self.text.is_empty() => self.input.fill_buf(),
            _ => Ok(&self.text[self.consumed..]),
        }
    }

    fn consume(&mut self, count: usize) {
        match self.text.is_empty() {
            true => self.input.consume(count),
            false => self.consumed += count,
        }
    }
}

impl<R: BufRead> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

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
            // Also if it arrives byte by byte.
            let mut read = String::new();
            let has_mark = Encoding::for_bom(&bytes).is_some() || bytes == text.as_bytes();
            if has_mark {
                Decoded::new(BufReader::with_capacity(1, &bytes[..])).read_to_string(&mut read).unwrap();
                assert_eq!(read, text);
            }
        }
    }

    #[test]
    fn a_text_can_name_its_character_set() {
        for (charset, bytes, text) in [
            ("Shift_JIS", &b"\x83\x5d"[..], "ゾ"),
            ("cp932", b"\x83\x5d", "ゾ"),
            ("windows-1250", b"Za\xbf\xf3\xb3\xe6", "Zażółć"),
            ("CP1250", b"\xb3", "ł"),
            ("ISO8859_2", b"\xb3", "ł"),
            ("GB2312", b"\xc4\xa3", "模"),
            ("Big5", b"\xa6\x57", "名"),
            ("EUC-KR", b"\xc7\xd1", "한"),
            ("KOI8-R", b"\xc1", "а"),
            ("ISO-8859-1", b"Andr\xe9", "André"),
            ("ISO-8859-1", "André".as_bytes(), "André"),
            ("UTF-8", b"Andr\xe9", "André"),
            ("Shift_JIS", "André".as_bytes(), "Andrﾃｩ"),
            ("unheard-of", "André".as_bytes(), "André"),
            ("UTF-16", b"plain", "plain"),
        ] {
            assert_eq!(decode_as(bytes, Some(charset)).as_deref(), Ok(text), "{charset}");
        }
        assert_eq!(decode_as("\u{feff}名".as_bytes(), Some("GBK")).as_deref(), Ok("名"), "a mark is believed first");
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
            assert!(decode(bytes).unwrap_err().contains(what));
        }
    }

    #[test]
    fn an_input_without_mark_does_not_wait_for_more() {
        struct Once(Option<&'static [u8]>);
        impl Read for Once {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0.take().expect("asked for more than the first line").read(buffer)
            }
        }
        let mut line = String::new();
        Decoded::new(BufReader::new(Once(Some(b"1\n")))).read_line(&mut line).unwrap();
        assert_eq!(line, "1\n");
        for bytes in [&b"\xef\xbba"[..], b"\xff", b"\xfea", b""] {
            let mut read = Vec::new();
            Decoded::new(bytes).read_to_end(&mut read).unwrap();
            assert_eq!(read, bytes, "no mark");
        }
    }
}
