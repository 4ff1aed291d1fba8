//! Frames: virtual connections that make a bridge, a fork or a ring.
//!
//! A *full* frame holds although the opponent moves first. A *half* frame holds if the owner moves first. They are made
//! like connections:
//!
//! * a bridge is a connection of two chains with a corner each, or of one such chain with an empty corner that the
//!   owner takes first;
//! * a fork is a chain, or an empty vertex that the owner takes first, that is connected with three sides by disjoint
//!   carriers;
//! * a ring is a connection of a chain with itself;
//! * and half frames that have no vertex in common are a full frame together (the OR rule).
//!
//! The owner answers in the carrier in which the opponent has played, so the widths add up as depths do.

use crate::game::{Position, Structures};

use super::connections::{Connection, Connections, End, SIDES};
use super::set::Set;

/// The most half forks around one chain or vertex that are considered.
const MAX_HALF_FORKS: usize = 200;

/// A frame.
#[derive(Clone)]
pub(super) struct Found<const N: usize> {
    pub structures: Structures,
    /// The corners and sides that it joins, as in [`crate::game::Geometry::rim`].
    pub rim: u16,
    pub connection: Connection<N>,
}

impl<const N: usize> Found<N> {
    fn depth(&self) -> u8 {
        self.connection.depth
    }
}

/// The frames of one colour, the tightest first.
pub(super) struct FoundFrames<const N: usize> {
    pub full: Vec<Found<N>>,
    /// Half frames, if there are no full ones.
    pub half: Vec<Found<N>>,
}

/// The frames that follow from the connections of a colour.
pub(super) fn find<const N: usize>(position: &Position, connections: &Connections<N>) -> FoundFrames<N> {
    let mut search = Search { position, connections, full: Vec::new(), half: Vec::new() };
    search.bridges();
    search.rings();
    search.forks();
    if search.full.is_empty() {
        search.half_forks();
        search.half.sort_by_key(Found::depth);
        search.full.extend(combined(&search.half));
    }
    let Search { mut full, half, .. } = search;
    full.sort_by_key(Found::depth);
    FoundFrames { full, half }
}

/// The connections of a chain or an empty vertex with each side.
type ToSides<'a, const N: usize> = [Vec<&'a Connection<N>>; SIDES];

struct Search<'a, const N: usize> {
    position: &'a Position,
    connections: &'a Connections<N>,
    full: Vec<Found<N>>,
    half: Vec<Found<N>>,
}

impl<'a, const N: usize> Search<'a, N> {
    fn bridges(&mut self) {
        let corners_of = |end| self.connections.vertex(end).map_or(0, |v| self.position.chain(v).1 & 0x3f);
        let holders: Vec<(End, u16)> =
            self.connections.chains().map(|end| (end, corners_of(end))).filter(|(_, corners)| *corners != 0).collect();
        for (i, &(a, corners)) in holders.iter().enumerate() {
            for &(b, others) in &holders[i + 1..] {
                let bridge = |&connection| Found { structures: Structures::BRIDGE, rim: corners | others, connection };
                self.full.extend(self.connections.full(a, b).map(bridge));
                self.half.extend(self.connections.half(a, b).map(bridge));
            }
            self.bridges_to_empty_corners(a, corners);
        }
    }

    fn bridges_to_empty_corners(&mut self, chain: End, corners: u16) {
        let geometry = self.position.geometry();
        for v in geometry.vertices().filter(|&v| geometry.is_corner(v) && self.position.is_empty(v)) {
            let Some(end) = self.connections.end(v) else { continue };
            let bridge = |connection: &Connection<N>| Found {
                structures: Structures::BRIDGE,
                rim: corners | geometry.rim(v),
                connection: with_first_move(connection, v.index()),
            };
            self.half.extend(self.connections.full(chain, end).map(bridge));
        }
    }

    fn rings(&mut self) {
        let ring = |&connection| Found { structures: Structures::RING, rim: 0, connection };
        self.full.extend(self.connections.full_rings.iter().map(ring));
        self.half.extend(self.connections.half_rings.iter().map(ring));
    }

    fn forks(&mut self) {
        for chain in self.connections.chains() {
            self.full.extend(forks_of(&self.full_to_sides(chain)));
        }
    }

    fn full_to_sides(&self, end: End) -> ToSides<'a, N> {
        std::array::from_fn(|side| self.connections.full(side, end).collect())
    }

    /// Forks that need the owner's move: around an empty vertex, and around a chain with one half connection.
    fn half_forks(&mut self) {
        for end in self.connections.empty_ends() {
            let v = self.connections.vertex(end).expect("it is not a side").index();
            let first_move = |fork: Found<N>| Found { connection: with_first_move(&fork.connection, v), ..fork };
            self.half.extend(forks_of(&self.full_to_sides(end)).into_iter().map(first_move).take(MAX_HALF_FORKS));
        }
        for chain in self.connections.chains() {
            let full = self.full_to_sides(chain);
            if reached(&full) < 2 {
                continue;
            }
            for side in 0..SIDES {
                let mut mixed = full.clone();
                mixed[side] = self.connections.half(side, chain).collect();
                let uses_half = |fork: &Found<N>| fork.rim >> (SIDES + side) & 1 == 1;
                self.half.extend(forks_of(&mixed).into_iter().filter(uses_half).take(MAX_HALF_FORKS));
            }
        }
    }
}

/// The connection if the owner takes one of its ends first.
fn with_first_move<const N: usize>(connection: &Connection<N>, end: usize) -> Connection<N> {
    Connection::part(connection.carrier.union(&Set::with_index(end)), connection.depth + 1)
}

/// The number of sides with a connection.
fn reached<const N: usize>(sides: &ToSides<N>) -> usize {
    sides.iter().filter(|connections| !connections.is_empty()).count()
}

/// Forks made of one connection with each of three sides, with disjoint carriers.
fn forks_of<const N: usize>(sides: &ToSides<N>) -> Vec<Found<N>> {
    let mut forks = Vec::new();
    if reached(sides) >= 3 {
        let nothing = Connection::part(Set::EMPTY, 0);
        add_forks(sides, 0, 3, Found { structures: Structures::FORK, rim: 0, connection: nothing }, &mut forks);
    }
    forks
}

/// Extends a part of a fork by `missing` more sides, starting at `first`.
fn add_forks<const N: usize>(
    sides: &ToSides<N>,
    first: usize,
    missing: usize,
    part: Found<N>,
    forks: &mut Vec<Found<N>>,
) {
    if missing == 0 {
        forks.push(part);
        return;
    }
    let Connection { carrier, depth, .. } = part.connection;
    for side in first..SIDES {
        for arm in sides[side].iter().filter(|arm| arm.carrier.is_disjoint(&carrier)) {
            let connection = Connection::part(carrier.union(&arm.carrier), depth + arm.depth);
            let rim = part.rim | 1 << (SIDES + side);
            add_forks(sides, side + 1, missing - 1, Found { rim, connection, ..part }, forks);
        }
    }
}

/// The OR rule: the full frame that the tightest half frames without a common vertex make together, if there are any.
/// `half` must be in order of width.
fn combined<const N: usize>(half: &[Found<N>]) -> Option<Found<N>> {
    let mut needed: Vec<&Found<N>> = Vec::new();
    let common = |frames: &[&Found<N>]| {
        frames.iter().map(|f| f.connection.carrier).reduce(|a, b| a.intersection(&b)).unwrap_or(Set::EMPTY)
    };
    let mut left: Option<Set<N>> = None;
    for frame in half {
        let next = left.map_or(frame.connection.carrier, |left| left.intersection(&frame.connection.carrier));
        if left != Some(next) {
            needed.push(frame);
            left = Some(next);
        }
        if next.is_empty() {
            break;
        }
    }
    if needed.len() < 2 || !left?.is_empty() {
        return None;
    }
    for i in (0..needed.len()).rev() {
        let mut fewer = needed.clone();
        fewer.remove(i);
        if fewer.len() >= 2 && common(&fewer).is_empty() {
            needed = fewer;
        }
    }
    let mut united = needed[0].clone();
    for frame in &needed[1..] {
        united.structures |= frame.structures;
        united.rim |= frame.rim;
        let a = &united.connection;
        let b = &frame.connection;
        united.connection = Connection::part(a.carrier.union(&b.carrier), a.depth.max(b.depth));
    }
    Some(united)
}

#[cfg(test)]
mod tests {
    use crate::engine::frames::{Frame, frames};
    use crate::game::{Color, Notation, Structures, Vertex, game};

    fn white_frames(side: usize, names: &str) -> (Vec<Frame>, impl Fn(&str) -> Vec<Vertex>) {
        let game = game(side, names);
        let geometry = game.geometry();
        let vertices = move |names: &str| {
            let parse = |name: &str| Notation::HavannahGui.parse(geometry, name).unwrap();
            let mut vertices: Vec<Vertex> = names.split(' ').map(parse).collect();
            vertices.sort();
            vertices
        };
        (frames(game.position(), Color::White), vertices)
    }

    #[test]
    fn a_stone_on_the_second_row_is_connected_with_its_side() {
        // A chain across the board, one row from the sides at its ends, and a side in the middle.
        let (frames, vertices) = white_frames(4, "b3 g5 c3 g6 d3 g7 d2 f7 e3 e7 f4");
        let fork = frames.iter().find(|frame| frame.structures == Structures::FORK).unwrap();
        assert!(fork.full && fork.rim.count_ones() == 3 && fork.width <= 4, "{fork:?}");
        assert!(fork.carrier.iter().all(|v| !vertices("b3 c3 d3 d2 e3 f4").contains(v)));
    }

    #[test]
    fn a_ring_of_two_bridges_is_a_frame() {
        let (frames, vertices) = white_frames(5, "d3 a1 f4 a2 g6 a4 f7 e9 d6 f9 c4 i9");
        let ring = frames.iter().find(|frame| frame.structures == Structures::RING).unwrap();
        assert!(ring.full && ring.width == 6, "{ring:?}");
        assert!(ring.carrier.iter().all(|v| !vertices("d3 f4 g6 f7 d6 c4").contains(v)));
    }

    #[test]
    fn half_frames_without_a_common_vertex_make_a_full_one() {
        // White's chain lacks one stone for a bridge, on either of two corners.
        let (frames, vertices) = white_frames(4, "a1 g7 a2 g6 a3 f7 b1 e6 c1 e5");
        let bridge = &frames[0];
        assert!(bridge.full && bridge.width == 1 && bridge.structures == Structures::BRIDGE, "{bridge:?}");
        assert_eq!(bridge.carrier, vertices("a4 d1"));
    }

    #[test]
    fn without_a_full_frame_there_are_half_ones() {
        let (frames, vertices) = white_frames(4, "a1 g7 a2 d1 a3");
        assert_eq!((frames[0].full, frames[0].width), (false, 1));
        assert_eq!(frames[0].carrier, vertices("a4"));
    }
}
