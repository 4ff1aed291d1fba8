//! The syntax of the Smart Game Format, FF\[4\]: game trees, nodes and properties, whatever the game.
//!
//! Trees are kept in a vector and walked without recursion, so that no input, however deeply nested, exhausts the stack.

use super::{Place, RecordError};

/// A property of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its identifier, in capitals.
    pub name: String,
    /// Its values, at least one.
    pub values: Vec<Value>,
}

impl Property {
    /// A property with one value, which is plain text.
    pub fn new(name: &str, text: &str) -> Property {
        Property { name: name.into(), values: vec![Value { raw: escape(text), place: Place::default() }] }
    }

    /// The first value as plain text.
    pub fn text(&self) -> String {
        self.values.first().map(|value| unescape(&value.raw)).unwrap_or_default()
    }
}

/// A value of a property.
#[derive(Clone, Debug)]
pub struct Value {
    /// What stands between the brackets, escapes included.
    pub raw: String,
    /// Where it begins, if it was read from a file.
    pub place: Place,
}

impl PartialEq for Value {
    /// Where a value was read does not matter.
    fn eq(&self, other: &Value) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Value {}

/// A node as it stands in a file.
#[derive(Debug, Default)]
pub(super) struct SyntaxNode {
    pub properties: Vec<Property>,
    /// Indices of the nodes that follow; the first is the main line's.
    pub children: Vec<usize>,
    pub place: Place,
}

/// A game tree as it stands in a file: its nodes, the root first.
pub(super) type SyntaxTree = Vec<SyntaxNode>;

/// The game trees of a file, at least one. Text before the first is skipped.
pub(super) fn parse(text: &str) -> Result<Vec<SyntaxTree>, RecordError> {
    let mut parser = Parser { scanner: Scanner::new(text), trees: Vec::new(), open: Vec::new() };
    parser.scanner.skip_to_game()?;
    loop {
        parser.scanner.skip_space();
        let place = parser.scanner.place;
        match parser.scanner.peek() {
            None => break,
            Some('(') => parser.open(place),
            Some(')') => parser.close(place)?,
            Some(';') => parser.node(place)?,
            Some(c) if c.is_ascii_alphabetic() => parser.property(place)?,
            Some(c) => return Err(place.error(format!("unexpected character {c:?}"))),
        }
    }
    match parser.open.last() {
        Some(open) => Err(open.place.error("this '(' is never closed")),
        None => Ok(parser.trees),
    }
}

/// A `(` that is not closed yet.
struct Open {
    place: Place,
    /// The node before it.
    parent: Option<usize>,
    /// The last node in it.
    node: Option<usize>,
    /// Whether a tree stands in it already, after which only trees may follow.
    has_tree: bool,
}

struct Parser<'a> {
    scanner: Scanner<'a>,
    trees: Vec<SyntaxTree>,
    open: Vec<Open>,
}

impl Parser<'_> {
    fn open(&mut self, place: Place) {
        self.scanner.next();
        let parent = self.open.last_mut().and_then(|outer| {
            outer.has_tree = true;
            outer.node
        });
        if self.open.is_empty() {
            self.trees.push(Vec::new());
        }
        self.open.push(Open { place, parent, node: None, has_tree: false });
    }

    fn close(&mut self, place: Place) -> Result<(), RecordError> {
        self.scanner.next();
        match self.open.pop() {
            None => Err(place.error("this ')' closes nothing")),
            Some(Open { node: None, .. }) => Err(place.error("a node ';' is wanted before ')'")),
            Some(_) => Ok(()),
        }
    }

    fn node(&mut self, place: Place) -> Result<(), RecordError> {
        self.scanner.next();
        let (Some(open), Some(tree)) = (self.open.last_mut(), self.trees.last_mut()) else {
            return Err(place.error("a node ';' stands outside of a game tree '(...)'"));
        };
        if open.has_tree {
            return Err(place.error("a node ';' follows variations: it belongs into one of them"));
        }
        let id = tree.len();
        tree.push(SyntaxNode { place, ..SyntaxNode::default() });
        if let Some(parent) = open.node.replace(id).or(open.parent) {
            tree[parent].children.push(id);
        } else if id > 0 {
            return Err(place.error("a second root: the game tree begins with a node ';', not with variations"));
        }
        Ok(())
    }

    fn property(&mut self, place: Place) -> Result<(), RecordError> {
        let property = self.scanner.property(place)?;
        let node = self.open.last().filter(|open| !open.has_tree).and_then(|open| open.node);
        let (Some(node), Some(tree)) = (node, self.trees.last_mut()) else {
            return Err(place.error(format!("property {} belongs to no node: ';' is wanted before it", property.name)));
        };
        tree[node].properties.push(property);
        Ok(())
    }
}

/// Characters, and where they stand.
struct Scanner<'a> {
    rest: &'a str,
    place: Place,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Scanner<'a> {
        Scanner { rest: text, place: Place { line: 1, column: 1 } }
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.place = Place { line: self.place.line + 1, column: 1 };
        } else {
            self.place.column += 1;
        }
        Some(c)
    }

    /// Skips white space, and the characters for the end of a file that old systems appended.
    fn skip_space(&mut self) {
        while self.peek().is_some_and(|c| c.is_whitespace() || matches!(c, '\0' | '\x1a' | '\u{feff}')) {
            self.next();
        }
    }

    /// Skips what stands before the first `(` that a `;` follows.
    fn skip_to_game(&mut self) -> Result<(), RecordError> {
        let begins = |rest: &str| rest.strip_prefix('(').is_some_and(|inner| inner.trim_start().starts_with(';'));
        while !begins(self.rest) {
            if self.next().is_none() {
                return Err(Place { line: 1, column: 1 }.error("no game: '(;' is wanted"));
            }
        }
        Ok(())
    }

    /// A property. Small letters in its name, which older versions of the format had, are left out.
    fn property(&mut self, place: Place) -> Result<Property, RecordError> {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(char::is_ascii_alphabetic) {
            name.extend(Some(c).filter(char::is_ascii_uppercase));
            self.next();
        }
        if name.is_empty() {
            return Err(place.error("the name of a property is wanted, in capital letters"));
        }
        let mut values = Vec::new();
        self.skip_space();
        while self.peek() == Some('[') {
            values.push(self.value()?);
            self.skip_space();
        }
        match values.is_empty() {
            true => Err(self.place.error(format!("property {name} has no value: '[' is wanted"))),
            false => Ok(Property { name, values }),
        }
    }

    fn value(&mut self) -> Result<Value, RecordError> {
        let bracket = self.place;
        self.next();
        let place = self.place;
        let mut raw = String::new();
        loop {
            match self.next() {
                None => return Err(bracket.error("this '[' is never closed")),
                Some(']') => return Ok(Value { raw, place }),
                Some('\\') => raw.extend(Some('\\').into_iter().chain(self.next())),
                Some(c) => raw.push(c),
            }
        }
    }
}

/// Plain text as a value.
pub(super) fn escape(text: &str) -> String {
    let mut raw = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | ']') {
            raw.push('\\');
        }
        raw.push(c);
    }
    raw
}

/// The plain text of a value: a backslash makes the next character plain, and an end of line disappear.
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

    fn error(text: &str) -> String {
        parse(text).map(drop).unwrap_err().to_string()
    }

    #[test]
    fn nodes_follow_each_other_and_branch() {
        let trees = parse("mail (;A[1]\n;B[x][y](;C[2];D[3])(;E[4])) (;F[5])").unwrap();
        let shape = |tree: &SyntaxTree| tree.iter().map(|node| node.children.clone()).collect::<Vec<_>>();
        assert_eq!(shape(&trees[0]), [vec![1], vec![2, 4], vec![3], vec![], vec![]]);
        assert_eq!(trees[0][1].properties[0].values.len(), 2);
        assert_eq!((trees[0][1].place, trees.len()), (Place { line: 2, column: 1 }, 2));
    }

    #[test]
    fn escapes_make_brackets_plain() {
        let trees = parse(r"(;C[a\]b\\c\:d])").unwrap();
        assert_eq!(trees[0][0].properties[0].text(), r"a]b\c:d");
        assert_eq!(Property::new("C", r"a]b\c").values[0].raw, r"a\]b\\c");
        assert_eq!(unescape("one\\\nline"), "oneline");
    }

    #[test]
    fn what_is_broken_is_told_with_its_place() {
        for (text, message) in [
            ("", "1:1: no game: '(;' is wanted"),
            ("(W[a1])", "1:1: no game: '(;' is wanted"),
            ("(;SZ[4]\n;W[a1]", "1:1: this '(' is never closed"),
            ("(;SZ[4]\n ;W[a1)", "2:4: this '[' is never closed"),
            ("(;SZ[4])\n)", "2:1: this ')' closes nothing"),
            ("(;SZ[4]();W[a1])", "1:9: a node ';' is wanted before ')'"),
            ("(;W;B[a1])", "1:4: property W has no value: '[' is wanted"),
            ("(;w[a1])", "1:3: the name of a property is wanted, in capital letters"),
            ("(;W[a1] 7)", "1:9: unexpected character '7'"),
            ("(;SZ[4](;W[a1]);W[a2])", "1:16: a node ';' follows variations: it belongs into one of them"),
            ("(;SZ[4](;W[a1])C[x])", "1:16: property C belongs to no node: ';' is wanted before it"),
            ("(;SZ[4]) ;", "1:10: a node ';' stands outside of a game tree '(...)'"),
        ] {
            assert_eq!(error(text), message, "{text}");
        }
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let depth = 100_000;
        let text = "(;".repeat(depth) + &")".repeat(depth);
        assert_eq!(parse(&text).unwrap()[0].len(), depth);
    }
}
