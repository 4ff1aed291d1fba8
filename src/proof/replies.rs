//! How the rules of a proof look ahead: the vertices on which a stone completes a structure, the moves that make two
//! threats at once, and the replies that this leaves the opponent.

use crate::game::{Color, Position, Vertex};

use super::LARGEST_BOARD;

/// The replies that a proof has to answer: the only one that prevents a structure, or all if no structure threatens.
#[derive(Clone, Copy)]
pub(crate) struct Replies(pub Option<Vertex>);

impl Replies {
    pub fn include(self, v: Vertex) -> bool {
        self.0.is_none_or(|only| only == v)
    }
}

/// The empty vertices on which a stone completes a structure.
pub(crate) fn completing(position: &Position, color: Color) -> impl Iterator<Item = Vertex> + '_ {
    position.empty_vertices().filter(move |&v| !position.completes(color, v).is_empty())
}

/// The first two of these vertices.
pub(crate) fn first_two(mut vertices: impl Iterator<Item = Vertex>) -> [Option<Vertex>; 2] {
    [vertices.next(), vertices.next()]
}

/// The first vertex on which a stone makes a double threat: with it, there are two vertices or more on which another
/// stone of that player completes a structure. The player must not be able to complete one yet. If the opponent cannot
/// either, the move wins. `after` is working space.
pub(crate) fn double_threat(position: &Position, color: Color, after: &mut Position) -> Option<Vertex> {
    // Two stones complete a structure in either order, so each pair is tried once.
    let mut partners = [0u8; LARGEST_BOARD];
    position.empty_vertices().find(|&v| {
        if partners[v.index()] > 1 {
            return true;
        }
        after.copy_from(position);
        after.place(color, v);
        for w in after.empty_vertices().filter(|&w| w > v) {
            if !after.completes(color, w).is_empty() {
                partners[v.index()] += 1;
                partners[w.index()] += 1;
                if partners[v.index()] > 1 {
                    return true;
                }
            }
        }
        false
    })
}
