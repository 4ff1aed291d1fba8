//! Where a search begins.

use crate::game::{Color, Position, Vertex};

use super::node::NodeId;

/// The last two stones before a position, the latest first; the network sees them.
pub(crate) type LastStones = [Option<Vertex>; 2];

/// The root of a search: a tree node, and the position that it stands for.
#[derive(Clone, Copy)]
pub(crate) struct SearchRoot<'a> {
    pub node: NodeId,
    pub position: &'a Position,
    /// The player to move.
    pub color: Color,
    pub last_stones: LastStones,
}
