//! Lines of input, bounded in length.

use std::io::{self, BufRead};

/// Reads a line without its end into `line`, which is cleared first. Of a line of more than `longest` bytes only the
/// first `longest` + 1 are kept. Returns false at the end of the input.
///
/// # Errors
/// If the input cannot be read.
pub fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>, longest: usize) -> io::Result<bool> {
    line.clear();
    let mut is_any = false;
    loop {
        let bytes = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        if bytes.is_empty() {
            return Ok(is_any);
        }
        is_any = true;
        let end = bytes.iter().position(|&b| b == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        let room = (longest + 1).saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        let used = part.len() + end.is_some() as usize;
        input.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Cursor};

    const MAX_LINE: usize = 1000;

    fn lines(input: &[u8]) -> Vec<Vec<u8>> {
        let mut input = BufReader::with_capacity(7, Cursor::new(input.to_vec()));
        let (mut lines, mut line) = (Vec::new(), Vec::new());
        while read_line(&mut input, &mut line, MAX_LINE).unwrap() {
            lines.push(line.clone());
        }
        lines
    }

    #[test]
    fn lines_are_read_with_and_without_their_end() {
        assert_eq!(lines(b"name\n\nthe last line"), [&b"name"[..], b"", b"the last line"]);
        assert_eq!(lines(b"x\n"), [b"x"]);
        assert!(lines(b"").is_empty());
    }

    #[test]
    fn of_a_long_line_the_beginning_is_kept_and_the_next_one_is_whole() {
        let mut input = vec![b'x'; 3 * MAX_LINE];
        input.extend_from_slice(b"\nname\n");
        let lines = lines(&input);
        assert_eq!((lines[0].len(), &lines[1][..]), (MAX_LINE + 1, &b"name"[..]));
    }
}
