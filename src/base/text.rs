//! Text in lines, and numbers of things.

/// A text in lines of at most `width` characters, as far as its words are not longer. It is broken at spaces; the lines
/// that this makes begin with `indent` spaces.
pub fn wrapped(text: &str, width: usize, indent: usize) -> String {
    let mut result = String::new();
    let (mut column, mut start) = (0, 0);
    // Each piece is a word with the spaces or the line break after it.
    for piece in text.split_inclusive([' ', '\n']) {
        let length = piece.trim_end().chars().count();
        if column > start && column + length > width {
            result.truncate(result.trim_end_matches(' ').len());
            result.push('\n');
            result.extend(std::iter::repeat_n(' ', indent));
            (column, start) = (indent, indent);
        }
        result += piece;
        (column, start) = if piece.ends_with('\n') { (0, 0) } else { (column + piece.chars().count(), start) };
    }
    result
}

/// `1 stone`, `2 stones`.
pub fn count(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("one two three\n  a b", 8, 0), "one two\nthree\n  a b");
        assert_eq!(wrapped("one two", 7, 0), "one two");
        assert_eq!(wrapped("a verylongword b\n\nc", 6, 0), "a\nverylongword\nb\n\nc");
        assert_eq!(wrapped("fork    joins", 10, 0), "fork\njoins");
        assert_eq!(wrapped("one two three", 7, 2), "one two\n  three");
        assert_eq!(wrapped("one verylongword two", 6, 2), "one\n  verylongword\n  two");
    }
}
