//! The syntax of the Smart Game Format, FF\[4\]: game trees, nodes and properties, for any game.
//!
//! A tree is stored as a vector and traversed without recursion, so that deeply nested input cannot exhaust the stack.

use super::text::{Budget, quoted};
use super::{RecordError, TextPosition};

/// Properties of a game as a whole, which only a root has.
pub(super) const GAME_ONLY: [&str; 5] = ["AP", "CA", "FF", "GM", "SZ"];

/// A property of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The identifier, in capital letters.
    pub name: String,
    /// The values, at least one.
    pub values: Vec<PropertyValue>,
}

impl Property {
    /// Creates a property with one value, given as plain text.
    pub fn new(name: &str, text: &str) -> Property {
        Property {
            name: name.into(),
            values: vec![PropertyValue { raw: escape(text), place: TextPosition::default() }],
        }
    }

    /// Creates a property from values as SGF writes them between brackets.
    ///
    /// # Errors
    /// If SGF would read something else: the name is not in capital letters, there is no value, or a bracket is not
    /// escaped.
    pub fn from_raw(name: &str, values: Vec<String>) -> Result<Property, &'static str> {
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_uppercase()) {
            return Err("the name of a property consists of capital letters");
        }
        if values.is_empty() {
            return Err("a property has at least one value");
        }
        if !values.iter().all(|raw| is_escaped(raw)) {
            return Err("a closing bracket or a backslash has to be escaped by a backslash");
        }
        let value = |raw| PropertyValue { raw, place: TextPosition::default() };
        Ok(Property { name: name.into(), values: values.into_iter().map(value).collect() })
    }

    /// The first value as plain text.
    pub fn text(&self) -> String {
        self.values.first().map(|value| unescape(&value.raw)).unwrap_or_default()
    }
}

/// The property with this name, if there is one.
pub(super) fn find<'a>(properties: &'a [Property], name: &str) -> Option<&'a Property> {
    properties.iter().find(|property| property.name == name)
}

/// A value of a property.
#[derive(Clone, Debug)]
pub struct PropertyValue {
    /// The text between the brackets, including escapes.
    pub raw: String,
    /// The position of the first character, if it was read from a file.
    pub place: TextPosition,
}

impl PartialEq for PropertyValue {
    /// Compares the text only, not the position.
    fn eq(&self, other: &PropertyValue) -> bool {
        self.raw == other.raw
    }
}

impl Eq for PropertyValue {}

/// A node of a file.
#[derive(Debug, Default)]
pub(super) struct SyntaxNode {
    pub properties: Vec<Property>,
    /// The indices of the next nodes. The first one continues the main line.
    pub children: Vec<usize>,
    pub place: TextPosition,
}

/// A game tree of a file: its nodes, beginning with the root.
pub(super) type SyntaxTree = Vec<SyntaxNode>;

/// Parses the game trees of a file. Skips text before the first. After an error in one game, goes on with the next that
/// clearly begins.
///
/// # Errors
/// If there are more nodes, variations and values in all than `most`.
pub(super) fn parse(text: &str, most: usize) -> Result<Vec<Result<SyntaxTree, RecordError>>, RecordError> {
    let mut parser =
        Parser { scanner: Scanner::new(text), tree: Vec::new(), open: Vec::new(), budget: Budget::new(most) };
    if let Err(error) = parser.scanner.skip_to_game() {
        return Ok(vec![Err(error)]);
    }
    let mut games = Vec::new();
    loop {
        parser.scanner.skip_space();
        if parser.scanner.rest.is_empty() {
            return Ok(games);
        }
        let start = parser.scanner.clone();
        let game = parser.game();
        if parser.budget.is_spent() {
            return Err(parser.budget.error(parser.scanner.place));
        }
        games.push(game.map_err(|(error, resume)| {
            parser.scanner = resume;
            parser.scanner.skip_to_next_game(start.rest.len());
            error
        }));
    }
}

/// A `(` that has not been closed yet.
struct Open {
    place: TextPosition,
    /// The node before the `(`.
    parent: Option<usize>,
    /// The last node inside.
    node: Option<usize>,
    /// Whether it already contains a tree, after which only trees may follow.
    has_tree: bool,
}

struct Parser<'a> {
    scanner: Scanner<'a>,
    tree: SyntaxTree,
    open: Vec<Open>,
    budget: Budget,
}

impl<'a> Parser<'a> {
    /// Parses a game tree. An error comes with the place from which to look for the next game.
    fn game(&mut self) -> Result<SyntaxTree, (RecordError, Scanner<'a>)> {
        self.tree.clear();
        self.open.clear();
        loop {
            self.scanner.skip_space();
            let place = self.scanner.place;
            let before = self.scanner.clone();
            let unclosed = |open: &[Open]| open.last().map(|open| open.place.error("this '(' is never closed"));
            let step = match self.scanner.peek() {
                None => Err(unclosed(&self.open).unwrap_or_else(|| place.error("no game found (expected '(;')"))),
                Some('(') if !self.open.is_empty() && self.scanner.is_at_game() => {
                    let error = unclosed(&self.open).expect("a tree is open");
                    return Err((error, before));
                }
                Some('(') => self.open(place),
                Some(')') => self.close(place),
                Some(';') => self.node(place),
                Some(c) if c.is_ascii_alphabetic() => self.property(place),
                Some(c) => {
                    self.scanner.next();
                    Err(place.error(format!("unexpected character {c:?}")))
                }
            };
            match step {
                // A value that is never closed has taken the rest of the text.
                Err(error) if self.scanner.rest.is_empty() && !before.rest.is_empty() => return Err((error, before)),
                Err(error) => return Err((error, self.scanner.clone())),
                Ok(()) if self.open.is_empty() => return Ok(std::mem::take(&mut self.tree)),
                Ok(()) => {}
            }
        }
    }

    fn open(&mut self, place: TextPosition) -> Result<(), RecordError> {
        self.budget.take(1, place)?;
        self.scanner.next();
        let parent = self.open.last_mut().and_then(|outer| {
            outer.has_tree = true;
            outer.node
        });
        self.open.push(Open { place, parent, node: None, has_tree: false });
        Ok(())
    }

    fn close(&mut self, place: TextPosition) -> Result<(), RecordError> {
        self.scanner.next();
        match self.open.pop() {
            None => Err(place.error("unexpected ')'")),
            Some(Open { node: None, .. }) => Err(place.error("expected a node ';' before ')'")),
            Some(_) => Ok(()),
        }
    }

    fn node(&mut self, place: TextPosition) -> Result<(), RecordError> {
        self.budget.take(1, place)?;
        self.scanner.next();
        let tree = &mut self.tree;
        let Some(open) = self.open.last_mut() else {
            return Err(place.error("node ';' outside of a game tree '(...)'"));
        };
        if open.has_tree {
            return Err(place.error("node ';' after variations (it belongs inside one of them)"));
        }
        let id = tree.len();
        tree.push(SyntaxNode { place, ..SyntaxNode::default() });
        if let Some(parent) = open.node.replace(id).or(open.parent) {
            tree[parent].children.push(id);
        } else if id > 0 {
            return Err(place.error("the game tree begins with variations (expected a node ';')"));
        }
        Ok(())
    }

    fn property(&mut self, place: TextPosition) -> Result<(), RecordError> {
        let property = self.scanner.property(place, &mut self.budget)?;
        let node = self.open.last().filter(|open| !open.has_tree).and_then(|open| open.node);
        let Some(node) = node else {
            return Err(place.error(format!("property {} without a node (expected ';' before it)", property.name)));
        };
        self.tree[node].properties.push(property);
        Ok(())
    }
}

/// Reads characters and keeps track of their position.
#[derive(Clone)]
struct Scanner<'a> {
    rest: &'a str,
    place: TextPosition,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Scanner<'a> {
        Scanner { rest: text, place: TextPosition { line: 1, column: 1 } }
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.place = TextPosition { line: self.place.line + 1, column: 1 };
        } else {
            self.place.column += 1;
        }
        Some(c)
    }

    /// Skips white space, and byte-order marks of files that were joined.
    fn skip_space(&mut self) {
        while self.peek().is_some_and(|c| c.is_whitespace() || c == '\u{feff}') {
            self.next();
        }
    }

    /// Whether a game begins here, as opposed to a variation: near its beginning, the first node has a property that
    /// only a root has.
    fn is_at_game(&self) -> bool {
        /// In bytes. With a limit, the search for the next game takes linear time.
        const FAR: usize = 256;
        let Some(node) = self.rest.strip_prefix('(').and_then(|rest| rest.trim_start().strip_prefix(';')) else {
            return false;
        };
        let mut scanner = Scanner::new(&node[..node.floor_char_boundary(FAR)]);
        let mut budget = Budget::new(FAR);
        scanner.skip_space();
        while let Ok(property) = scanner.property(self.place, &mut budget) {
            if GAME_ONLY.contains(&&*property.name) {
                return true;
            }
            scanner.skip_space();
        }
        false
    }

    /// Goes to the beginning of the next game after the `(` that stands `length` bytes before the end.
    fn skip_to_next_game(&mut self, length: usize) {
        while !self.rest.is_empty() && (self.rest.len() >= length || !self.is_at_game()) {
            self.next();
        }
    }

    /// Skips everything before the first `(` that is followed by `;`.
    fn skip_to_game(&mut self) -> Result<(), RecordError> {
        let begins = |rest: &str| rest.strip_prefix('(').is_some_and(|inner| inner.trim_start().starts_with(';'));
        while !begins(self.rest) {
            if self.next().is_none() {
                return Err(TextPosition { line: 1, column: 1 }.error("no game found (expected '(;')"));
            }
        }
        Ok(())
    }

    /// Reads a property. Skips lower-case letters in its name, which older versions of the format allow.
    fn property(&mut self, place: TextPosition, budget: &mut Budget) -> Result<Property, RecordError> {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(char::is_ascii_alphabetic) {
            name.extend(Some(c).filter(char::is_ascii_uppercase));
            self.next();
        }
        if name.is_empty() {
            return Err(place.error("expected the name of a property, in capital letters"));
        }
        let mut values = Vec::new();
        self.skip_space();
        while self.peek() == Some('[') {
            budget.take(1, self.place)?;
            values.push(self.value()?);
            self.skip_space();
        }
        if values.is_empty() {
            return Err(self.place.error(format!("property {} has no value (expected '[')", quoted(&name))));
        }
        Ok(Property { name, values })
    }

    fn value(&mut self) -> Result<PropertyValue, RecordError> {
        let bracket = self.place;
        self.next();
        let place = self.place;
        let mut raw = String::new();
        loop {
            match self.next() {
                None => return Err(bracket.error("this '[' is never closed")),
                Some(']') => return Ok(PropertyValue { raw, place }),
                Some('\\') => raw.extend(Some('\\').into_iter().chain(self.next())),
                Some(c) => raw.push(c),
            }
        }
    }
}

/// Whether a value ends where it should when SGF reads it.
fn is_escaped(raw: &str) -> bool {
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match c {
            ']' => return false,
            '\\' if chars.next().is_none() => return false,
            _ => {}
        }
    }
    true
}

/// Escapes plain text for use as a value.
fn escape(text: &str) -> String {
    let mut raw = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | ']') {
            raw.push('\\');
        }
        raw.push(c);
    }
    raw
}

/// The plain text of a value. A backslash escapes the next character, and removes a line end.
pub(super) fn unescape(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.extend(chars.next().filter(|&c| c != '\n')),
            _ => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trees(text: &str) -> Result<Vec<SyntaxTree>, RecordError> {
        parse(text, usize::MAX)?.into_iter().collect()
    }

    fn error(text: &str) -> String {
        trees(text).map(drop).unwrap_err().to_string()
    }

    #[test]
    fn nodes_form_sequences_and_variations() {
        let trees = trees("mail (;A[1]\n;B[x][y](;C[2];D[3])(;E[4])) (;F[5])").unwrap();
        let shape = |tree: &SyntaxTree| tree.iter().map(|node| node.children.clone()).collect::<Vec<_>>();
        assert_eq!(shape(&trees[0]), [vec![1], vec![2, 4], vec![3], vec![], vec![]]);
        assert_eq!(trees[0][1].properties[0].values.len(), 2);
        assert_eq!((trees[0][1].place, trees.len()), (TextPosition { line: 2, column: 1 }, 2));
    }

    #[test]
    fn brackets_can_be_escaped() {
        let trees = trees(r"(;C[a\]b\\c\:d])").unwrap();
        assert_eq!(trees[0][0].properties[0].text(), r"a]b\c:d");
        assert_eq!(Property::new("C", r"a]b\c").values[0].raw, r"a\]b\\c");
        assert_eq!(unescape("one\\\nline"), "oneline");
    }

    #[test]
    fn a_game_inside_a_game_that_is_never_closed_is_told_from_a_variation() {
        for variation in [r"(;W[a1]C[x\]SZ[4])", r"(;W[a1]C[(;FF[4\]SZ[4\]])", "(;W[a1];B[b1]SZ[4])"] {
            assert_eq!(trees(&format!("(;SZ[4]{variation}(;W[b1]))")).map(|trees| trees.len()), Ok(1), "{variation}");
        }
        for game in ["(;SZ[5];W[a1])", "( ; PB[x;y]\nEV[(]SZ[5];W[a1])"] {
            let results = parse(&format!("(;SZ[4];W[a1]{game}"), usize::MAX).unwrap();
            assert!(matches!(&results[..], [Err(_), Ok(tree)] if tree.len() == 2), "{game}: {results:?}");
        }
    }

    #[test]
    fn errors_have_a_position_and_a_reason() {
        for (text, message) in [
            ("", "1:1: no game found (expected '(;')"),
            ("(W[a1])", "1:1: no game found (expected '(;')"),
            ("(;SZ[4]\n;W[a1]", "1:1: this '(' is never closed"),
            ("(;SZ[4]\n ;W[a1)", "2:4: this '[' is never closed"),
            ("(;SZ[4])\n)", "2:1: unexpected ')'"),
            ("(;SZ[4]();W[a1])", "1:9: expected a node ';' before ')'"),
            ("(;W;B[a1])", "1:4: property W has no value (expected '[')"),
            ("(;w[a1])", "1:3: expected the name of a property, in capital letters"),
            ("(;W[a1] 7)", "1:9: unexpected character '7'"),
            ("(;SZ[4](;W[a1]);W[a2])", "1:16: node ';' after variations (it belongs inside one of them)"),
            ("(;SZ[4](;W[a1])C[x])", "1:16: property C without a node (expected ';' before it)"),
            ("(;SZ[4]) ;", "1:10: node ';' outside of a game tree '(...)'"),
        ] {
            assert_eq!(error(text), message, "{text}");
        }
    }

    #[test]
    fn deep_nesting_does_not_exhaust_the_stack() {
        let depth = 100_000;
        let text = "(;".repeat(depth) + &")".repeat(depth);
        assert_eq!(trees(&text).unwrap()[0].len(), depth);
    }
}
