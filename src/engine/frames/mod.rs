//! Frames, and the race between them (Könnecke & Waldmann, *Efficient Playouts for the Havannah Abstract Board Game*,
//! section 10).
//!
//! A *frame* is a set of chains of one colour whose connection the opponent cannot prevent, and which wins once
//! connected. Its *width* is the number of stones that the owner still has to place. Two frames can stand side by side:
//! the faster one wins the *race*.
//!
//! | item | what it is |
//! |---|---|
//! | [`frames`] | the frames of one colour |
//! | [`Survey`] | the frames of one colour, and which chains and sides are connected |
//! | [`edge_frames`] | how far one colour's main chain is from each side |
//! | [`Race`] | whose frame is faster |
//!
//! Frames are built from *virtual connections*, which hold within a set of empty vertices, the *carrier*: the owner
//! answers each of the opponent's stones there. A stone elsewhere may still win the game for the opponent, or gain a
//! move by a threat. So a frame alone proves nothing about the result, and [`Race`] tells what is proven from what is
//! only likely.

mod connections;
mod edges;
#[cfg(test)]
mod exhaustive;
mod race;
#[cfg(test)]
mod random_games;
mod set;
mod structures;

#[cfg(doc)]
use crate::game::Geometry;
use crate::game::{Color, Position, Structures, Vertex};

use connections::Connections;
use structures::Found;

pub use edges::{Edge, EdgeFrame, EdgeFrames};
pub use race::{Basis, Race};

/// A frame: a connection that completes a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The structures that it may become; several if the opponent can choose.
    pub structures: Structures,
    /// The corners and sides that it connects, as in [`Geometry::rim`]: two corners for a bridge, three sides for a
    /// fork, none for a ring, and more if the opponent can choose.
    pub rim: u16,
    /// Whether it holds although the opponent moves first, or only if the owner does.
    pub full: bool,
    /// The empty vertices that are needed, in vertex order.
    pub carrier: Vec<Vertex>,
    /// The most stones that the owner needs to complete a structure, at least 1.
    pub width: usize,
}

impl Frame {
    fn new<const N: usize>(found: &Found<N>, full: bool) -> Frame {
        let carrier = found.connection.carrier.vertices();
        let width = found.connection.depth.into();
        Frame { structures: found.structures, rim: found.rim, full, carrier, width }
    }

    /// The stones of `color`, the owner, that belong to the frame: the chains next to its carrier, in vertex order.
    #[must_use]
    pub fn stones(&self, position: &Position, color: Color) -> Vec<Vertex> {
        let geometry = position.geometry();
        let around = self.carrier.iter().flat_map(|&v| geometry.neighbours(v));
        let mut roots: Vec<Vertex> =
            around.filter(|&&v| position.stone(v) == Some(color)).map(|&v| position.chain(v).0).collect();
        roots.sort_unstable();
        roots.dedup();
        let is_part =
            |v: &Vertex| position.stone(*v) == Some(color) && roots.binary_search(&position.chain(*v).0).is_ok();
        geometry.vertices().filter(is_part).collect()
    }
}

/// Calls a function with the number of words that a set of vertices of this board takes.
macro_rules! with_words {
    ($geometry:expr, $function:ident($($argument:expr),*)) => {
        match $geometry.vertex_count() {
            0..=64 => $function::<1>($($argument),*),
            65..=192 => $function::<3>($($argument),*),
            193..=320 => $function::<5>($($argument),*),
            _ => $function::<8>($($argument),*),
        }
    };
}

/// An end of a [`Link`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkEnd {
    /// A side of the board, as numbered in [`Geometry::rim`].
    Side(usize),
    /// The chain of this stone. In a survey it is the one that [`Position::chain`] names.
    Chain(Vertex),
}

/// A full connection of a chain with another chain, or with a side on which it has no stone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// What it connects.
    pub ends: [LinkEnd; 2],
    /// The empty vertices in which the owner answers the opponent's stones, in vertex order.
    pub carrier: Vec<Vertex>,
}

/// What one search for the virtual connections of a colour finds.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The frames that [`frames`] finds.
    pub frames: Vec<Frame>,
    /// For each pair of chains, and of a side and a chain, the tightest link.
    pub links: Vec<Link>,
}

impl Survey {
    /// The frames and links of `color`. Nobody may have won yet.
    #[must_use]
    pub fn new(position: &Position, color: Color) -> Survey {
        with_words!(position.geometry(), survey(position, color))
    }

    /// The link of two ends. Chains may be given by any of their stones in `position`, which is the one surveyed.
    #[must_use]
    pub fn link(&self, position: &Position, ends: [LinkEnd; 2]) -> Option<&Link> {
        let [a, b] = ends.map(|end| match end {
            LinkEnd::Chain(v) => LinkEnd::Chain(position.chain(v).0),
            side => side,
        });
        self.links.iter().find(|link| link.ends == [a, b] || link.ends == [b, a])
    }
}

fn survey<const N: usize>(position: &Position, color: Color) -> Survey {
    let connections = Connections::<N>::find(position, color);
    Survey { frames: list(&connections, position), links: links(&connections, position) }
}

fn links<const N: usize>(connections: &Connections<N>, position: &Position) -> Vec<Link> {
    let end = |end| connections.vertex(end).map_or(LinkEnd::Side(end), LinkEnd::Chain);
    let holds = |side, chain| match end(chain) {
        LinkEnd::Chain(v) if side < connections::SIDES => position.chain(v).1 >> (connections::SIDES + side) & 1 == 1,
        _ => false,
    };
    let pairs = connections.chains().flat_map(|b| (0..b).map(move |a| (a, b)));
    let tightest = |(a, b)| {
        let connection = connections.full(a, b).next().filter(|_| !holds(a, b))?;
        Some(Link { ends: [end(a), end(b)], carrier: connection.carrier.vertices() })
    };
    pairs.filter_map(tightest).collect()
}

/// The frames of `color` that were found, the tightest first. Nobody may have won yet.
///
/// For each set of corners and sides, only the tightest frame is listed. If there is no full frame, the list has half
/// frames, which the owner's next move would make full.
///
/// ```
/// use malecon::game::{Color, Geometry, Notation, Position, Structures};
/// use malecon::engine::frames::frames;
/// let board = Geometry::with_side(5)?;
/// let mut position = Position::new(board);
/// let vertex = |name| Notation::HavannahGui.parse(board, name).unwrap();
/// for name in ["a1", "b3", "b4", "a5"] {
///     position.place(Color::White, vertex(name));
/// }
/// let frame = &frames(&position, Color::White)[0];
/// assert!(frame.full && frame.structures == Structures::BRIDGE);
/// assert_eq!(frame.width, 2);
/// assert_eq!(frame.carrier, ["a2", "a4", "b2", "b5"].map(vertex));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn frames(position: &Position, color: Color) -> Vec<Frame> {
    with_words!(position.geometry(), list_frames(position, color))
}

fn list_frames<const N: usize>(position: &Position, color: Color) -> Vec<Frame> {
    list(&Connections::<N>::find(position, color), position)
}

fn list<const N: usize>(connections: &Connections<N>, position: &Position) -> Vec<Frame> {
    let found = structures::find(position, connections);
    let (full, list) = if found.full.is_empty() { (false, found.half) } else { (true, found.full) };
    let mut frames: Vec<Frame> = Vec::new();
    for next in &list {
        if !frames.iter().any(|f| f.structures == next.structures && f.rim == next.rim) {
            frames.push(Frame::new(next, full));
        }
    }
    frames
}

/// How far `color` is from each side: (z, w) of Könnecke & Waldmann, as far as it was found. `None` if the player has
/// no stone. Nobody may have won yet.
///
/// ```
/// use malecon::game::{Color, Geometry, Notation, Position};
/// use malecon::engine::frames::{Edge, EdgeFrame, edge_frames};
/// let board = Geometry::with_side(5)?;
/// let mut position = Position::new(board);
/// let vertex = |name| Notation::HavannahGui.parse(board, name).unwrap();
/// position.place(Color::White, vertex("b3"));
/// let edges = edge_frames(&position, Color::White).unwrap();
/// assert_eq!(edges.chain, vertex("b3"));
/// let carrier = ["a2", "a3"].map(vertex).to_vec();
/// assert_eq!(edges.sides[0], Edge::Frame(EdgeFrame { z: 0, width: 1, carrier }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn edge_frames(position: &Position, color: Color) -> Option<EdgeFrames> {
    with_words!(position.geometry(), list_edge_frames(position, color))
}

fn list_edge_frames<const N: usize>(position: &Position, color: Color) -> Option<EdgeFrames> {
    edges::find(position, &Connections::<N>::find(position, color))
}
