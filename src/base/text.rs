//! Text for people: lines, counts, capital letters.

/// Breaks a text at spaces into lines of at most `width` characters. A longer word is a line of its own. Lines that
/// begin after such a break are indented by `indent` spaces.
pub fn wrapped(text: &str, width: usize, indent: usize) -> String {
    let mut result = String::new();
    let mut column = 0;
    let mut start = 0;
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

/// A number of things, whose plural ends in `s`: `1 stone`, `2 stones`.
pub fn count(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// How much of a wrong name or value a message quotes, in characters.
const QUOTED: usize = 40;

/// A wrong name or value as the message about it quotes it: in one line, and cut short.
pub fn quoted(text: &str) -> String {
    shortened(text, QUOTED)
}

/// A text as quoted in a message: in one line, and cut short after this many characters.
pub fn shortened(text: &str, most: usize) -> String {
    let line = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(most) {
        None => line(text),
        Some((end, _)) => line(&text[..end]) + "...",
    }
}

/// The text of a value with a capital first letter.
pub fn capitalized(value: impl ToString) -> String {
    let text = value.to_string();
    let mut chars = text.chars();
    chars.next().map(|first| first.to_ascii_uppercase().to_string() + chars.as_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_a_plural_and_texts_a_capital_letter() {
        assert_eq!([count(0, "move"), count(1, "move"), count(2, "move")], ["0 moves", "1 move", "2 moves"]);
        assert_eq!(["", "white", "é"].map(capitalized), ["", "White", "é"]);
    }

    #[test]
    fn quoted_texts_are_one_short_line() {
        assert_eq!(quoted(&"list_command".repeat(100_000)), "list_commandlist_commandlist_commandlist...");
        assert_eq!((quoted("name"), quoted(&"é".repeat(40))), ("name".into(), "é".repeat(40)));
        assert_eq!(shortened("one\r\ntwo\n\nthree\n", 40), "one two  three");
        assert_eq!([3, 4].map(|most| shortened("éééé", most)), ["ééé...", "éééé"]);
    }

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
