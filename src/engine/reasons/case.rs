//! The move that is examined, and what is found about it.

use crate::game::{Color, Game, Mark, Vertex};

use super::fact::Fact;

/// A move that nobody has played yet, before and after.
pub(super) struct Case<'a> {
    pub before: &'a Game,
    pub color: Color,
    pub vertex: Vertex,
    pub after: Game,
}

impl Case<'_> {
    /// `None` if the move is illegal.
    pub fn new(before: &Game, color: Color, vertex: Vertex) -> Option<Case<'_>> {
        let mut after = before.clone();
        after.place(color, vertex).ok()?;
        Some(Case { before, color, vertex, after })
    }
}

/// A fact with its picture.
pub(super) struct Found {
    pub fact: Fact,
    pub marks: Vec<(Vertex, Mark)>,
    /// Moves that show the fact; it may be empty.
    pub line: Vec<Vertex>,
}

impl Found {
    /// A fact without a picture.
    pub fn new(fact: Fact) -> Found {
        Found { fact, marks: Vec::new(), line: Vec::new() }
    }

    /// The same with this mark on each of these vertices, too.
    pub fn marking(mut self, vertices: impl IntoIterator<Item = Vertex>, mark: &Mark) -> Found {
        self.marks.extend(vertices.into_iter().map(|v| (v, mark.clone())));
        self
    }

    /// The same with this line.
    pub fn with_line(self, line: Vec<Vertex>) -> Found {
        Found { line, ..self }
    }
}
