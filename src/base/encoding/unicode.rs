//! Unicode and Latin-1, where the tables of other character sets would be too large.

use std::borrow::Cow;

/// The text of these bytes, without a byte-order mark. The character set that the text names is left to the host.
pub(super) fn text<'a>(bytes: &'a [u8], _name: Option<&str>) -> Cow<'a, str> {
    match *bytes {
        [0xff, 0xfe, ref text @ ..] => utf_16(text, u16::from_le_bytes).into(),
        [0xfe, 0xff, ref text @ ..] => utf_16(text, u16::from_be_bytes).into(),
        [1..=255, 0, 1..=255, 0, ..] => utf_16(bytes, u16::from_le_bytes).into(),
        [0, 1..=255, 0, 1..=255, ..] => utf_16(bytes, u16::from_be_bytes).into(),
        _ => {
            let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            std::str::from_utf8(text).map_or_else(|_| text.iter().copied().map(char::from).collect(), Cow::Borrowed)
        }
    }
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
