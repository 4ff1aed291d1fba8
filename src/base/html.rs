//! What the HTML pages that the program writes have in common: they need no other file, follow the reader's choice of a
//! light or dark theme, and work without their script.

const STYLE: &str = include_str!("html.css");

/// A page with this title (plain text, not HTML), this body, and a script at its end.
pub fn document(title: &str, body: &str, script: &str) -> String {
    let title = escaped(title);
    let script = if script.is_empty() { String::new() } else { format!("<script>\n{script}</script>\n") };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n{script}</body>\n\
         </html>\n"
    )
}

/// An element that holds data for the page's script.
pub fn data(id: &str, value: &serde_json::Value) -> String {
    // A "<" could end the element.
    let value = value.to_string().replace('<', "\\u003c");
    format!("<script type=\"application/json\" id=\"{id}\">{value}</script>\n")
}

/// A text as HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The name of a file as a relative URL.
pub fn link(file: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    file.bytes().map(|b| if is_plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}
