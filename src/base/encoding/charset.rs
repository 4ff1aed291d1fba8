//! Character sets, as browsers know them.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// The text of these bytes, without a byte-order mark. `name` is the character set that the text names.
pub(super) fn text<'a>(bytes: &'a [u8], name: Option<&str>) -> Cow<'a, str> {
    encoding_of(bytes, name).decode_with_bom_removal(bytes).0
}

fn encoding_of(bytes: &[u8], charset: Option<&str>) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    if let Some(encoding) = utf_16_without_mark(bytes) {
        return encoding;
    }
    let fits = |encoding: &'static Encoding| encoding.decode_without_bom_handling_and_without_replacement(bytes);
    // Many programs name Latin-1 whatever they write, so UTF-8 is tried before it.
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

/// UTF-16 without a mark is recognized by the zeros in its first characters: no text in another character set begins
/// with them.
fn utf_16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let are_zero: Vec<bool> = bytes.iter().take(4).map(|&byte| byte == 0).collect();
    match are_zero[..] {
        [false, true, false, true] => Some(UTF_16LE),
        [true, false, true, false] => Some(UTF_16BE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::decode_as;

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
}
