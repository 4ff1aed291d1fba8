//! Inputs whose text arrives little by little.

use std::io::{self, BufRead, Read};

use encoding_rs::{Decoder, Encoding, UTF_8};

/// An input whose text arrives little by little, as UTF-8: without a byte-order mark, or decoded from UTF-16 if a mark
/// says so. All other bytes are passed on as they are.
///
/// Nothing waits for more bytes than have arrived, unless the first of them begins a mark.
#[derive(Debug)]
pub struct Decoded<R> {
    input: R,
    start: Start,
    /// Decoded text that was not consumed yet, for UTF-16; or the first bytes, if they turned out not to be a mark.
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
        if self.text.is_empty() {
            self.input.consume(count);
        } else {
            self.consumed += count;
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

    #[test]
    fn a_text_may_arrive_byte_by_byte() {
        let text = "(;PB[Zażółć é 名]\n😀)";
        let utf_16 = |bytes: fn(u16) -> [u8; 2]| "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes);
        for bytes in [
            text.as_bytes().to_vec(),
            format!("\u{feff}{text}").into_bytes(),
            utf_16(u16::to_le_bytes).collect(),
            utf_16(u16::to_be_bytes).collect(),
        ] {
            let mut read = String::new();
            Decoded::new(BufReader::with_capacity(1, &bytes[..])).read_to_string(&mut read).unwrap();
            assert_eq!(read, text);
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
