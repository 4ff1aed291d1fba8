//! Edge frames: how far a chain is from each side of the board.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

use crate::game::{Position, Vertex};

use super::connections::{Connections, End, SIDES};
use super::set::Set;

/// The cost of a side that no way reaches: more moves than any way takes.
const NO_WAY: usize = 1000;
/// The most ways from a side to an end that are kept.
const MAX_WAYS: usize = 3;

/// The edge frames of one colour.
///
/// Könnecke & Waldmann (section 10) propose to value a position, for one player and one side, by two numbers (z, w): it
/// takes z moves to get a frame of width w that counts as won once it reaches that side. They do not say which stones
/// have to reach it, and any stone near a side would do. Here one chain has to reach all six sides, the *main chain*:
/// the chain with the fewest moves to its nearest three sides. So the numbers say how far the player is from a fork,
/// except that the carriers may intersect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeFrames {
    /// A stone of the main chain.
    pub chain: Vertex,
    /// For each side, as numbered in [`Geometry::rim`](crate::game::Geometry::rim), how far the chain is from it.
    pub sides: [Edge; SIDES],
}

/// How far a chain is from a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The chain holds a vertex of the side.
    Reached,
    /// A frame.
    Frame(EdgeFrame),
    /// Nothing was found.
    Unknown,
}

/// A frame that reaches a side, now or after some moves.
///
/// It consists of connections that the H-search finds, so it is sound, but the true z may be higher, and the true w
/// lower. The paper proposes playouts to find the numbers; these would be estimates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeFrame {
    /// The paper's z. If it is negative, the owner needs −z moves that the opponent ignores, and then has a frame
    /// although the opponent moves next. Otherwise there is a frame now, and the owner can ignore z moves of the
    /// opponent: after any z stones, some connection is untouched.
    pub z: i32,
    /// The paper's w: the most stones that the owner needs once there is a frame; for a positive z, after z stones of
    /// the opponent.
    pub width: usize,
    /// The empty vertices that are needed, in vertex order.
    pub carrier: Vec<Vertex>,
}

impl Edge {
    /// How many more moves it takes to get a frame, and how many stones after these.
    fn cost(&self) -> (usize, usize) {
        match self {
            Edge::Reached => (0, 0),
            Edge::Frame(frame) => (frame.z.min(0).unsigned_abs() as usize, frame.width),
            Edge::Unknown => (NO_WAY, 0),
        }
    }
}

impl fmt::Display for Edge {
    /// `(z, w)`, such as `(-1, 3)`; `reached`; or `-`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Edge::Reached => f.pad("reached"),
            Edge::Frame(EdgeFrame { z, width, .. }) => f.pad(&format!("({z}, {width})")),
            Edge::Unknown => f.pad("-"),
        }
    }
}

/// The edge frames of the main chain. `None` if there is no stone.
pub(super) fn find<const N: usize>(position: &Position, connections: &Connections<N>) -> Option<EdgeFrames> {
    let ways: [Ways<N>; SIDES] = std::array::from_fn(|side| Ways::from(connections, side));
    let tables = connections.chains().map(|chain| {
        let stone = connections.vertex(chain).expect("it is a chain");
        let reached = position.chain(stone).1;
        let sides = std::array::from_fn(|side| match reached >> (SIDES + side) & 1 {
            1 => Edge::Reached,
            _ => edge(connections, side, chain, &ways[side]),
        });
        EdgeFrames { chain: stone, sides }
    });
    tables.min_by_key(|table| {
        let mut costs: Vec<(usize, usize)> = table.sides.iter().map(Edge::cost).collect();
        costs.sort_unstable();
        costs[..3].iter().fold((0, 0), |(moves, width), cost| (moves + cost.0, width + cost.1))
    })
}

/// How far a chain is from a side that it has not reached.
fn edge<const N: usize>(connections: &Connections<N>, side: usize, chain: End, ways: &Ways<N>) -> Edge {
    let full: Vec<(usize, Set<N>)> =
        connections.full(side, chain).map(|full| (full.depth.into(), full.carrier)).collect();
    if !full.is_empty() {
        return Edge::Frame(frame_now(&full));
    }
    let way = |way: &Way<N>| EdgeFrame { z: -(way.moves as i32), width: way.width, carrier: way.carrier.vertices() };
    ways.best(chain).map_or(Edge::Unknown, |best| Edge::Frame(way(best)))
}

/// The frame that full connections, in order of depth, make together.
fn frame_now<const N: usize>(full: &[(usize, Set<N>)]) -> EdgeFrame {
    let carriers: Vec<&Set<N>> = full.iter().map(|(_, carrier)| carrier).collect();
    let z = (1..full.len()).take_while(|&stones| !can_touch(&carriers, stones)).last().unwrap_or(0);
    let needed = (1..full.len()).find(|&count| !can_touch(&carriers[..count], z)).unwrap_or(full.len());
    let carrier = full[..needed].iter().fold(Set::EMPTY, |all, (_, carrier)| all.union(carrier));
    EdgeFrame { z: z as i32, width: full[needed - 1].0, carrier: carrier.vertices() }
}

/// Whether this many stones can touch all of these carriers.
fn can_touch<const N: usize>(carriers: &[&Set<N>], stones: usize) -> bool {
    let Some((first, others)) = carriers.split_first() else { return true };
    let untouched = |vertex| others.iter().copied().filter(|carrier| !carrier.contains(vertex)).collect::<Vec<_>>();
    stones > 0 && first.indices().any(|vertex| can_touch(&untouched(vertex), stones - 1))
}

/// A way from a side to an end, which counts as a stone of the owner.
///
/// It joins connections with disjoint carriers at chains and at empty vertices. In moves that the opponent ignores, the
/// owner takes these vertices and makes the first move of each half connection. Then all connections are full, and the
/// AND rule joins them to a full connection.
#[derive(Clone, Copy)]
struct Way<const N: usize> {
    end: End,
    moves: usize,
    width: usize,
    /// The carriers of the connections, and the vertices that the owner takes.
    carrier: Set<N>,
}

/// The best ways from a side to each end: first by moves, then by width.
struct Ways<const N: usize> {
    all: Vec<Way<N>>,
    /// For each end, the indices of the ways that were kept, the best first.
    kept: Vec<Vec<usize>>,
    /// Ways that have not been extended yet, the best on top.
    waiting: BinaryHeap<Reverse<(usize, usize, usize)>>,
}

impl<const N: usize> Ways<N> {
    fn from(connections: &Connections<N>, side: usize) -> Ways<N> {
        let kept = vec![Vec::new(); connections.empty_ends().end];
        let mut ways = Ways { all: Vec::new(), kept, waiting: BinaryHeap::new() };
        ways.offer(Way { end: side, moves: 0, width: 0, carrier: Set::EMPTY });
        while let Some(Reverse((.., index))) = ways.waiting.pop() {
            let way = ways.all[index];
            if ways.is_wanted(&way) {
                ways.kept[way.end].push(index);
                ways.extend(connections, &way);
            }
        }
        ways
    }

    fn best(&self, end: End) -> Option<&Way<N>> {
        self.kept[end].first().map(|&i| &self.all[i])
    }

    fn offer(&mut self, way: Way<N>) {
        self.waiting.push(Reverse((way.moves, way.width, self.all.len())));
        self.all.push(way);
    }

    /// Whether more ways to its end are wanted and none of them is at least as good.
    fn is_wanted(&self, way: &Way<N>) -> bool {
        let kept = &self.kept[way.end];
        kept.len() < MAX_WAYS && !kept.iter().any(|&i| self.all[i].carrier.is_subset(&way.carrier))
    }

    /// Offers the ways that are longer by one connection.
    fn extend(&mut self, connections: &Connections<N>, way: &Way<N>) {
        for (end, full, connection) in connections.at(way.end) {
            if end < SIDES || !connection.carrier.is_disjoint(&way.carrier) {
                continue;
            }
            let mut next = Way {
                end,
                moves: way.moves + usize::from(!full),
                width: way.width + usize::from(connection.depth) - usize::from(!full),
                carrier: way.carrier.union(&connection.carrier),
            };
            if connections.empty_ends().contains(&end) {
                let vertex = connections.vertex(end).expect("it is a vertex").index();
                if next.carrier.contains(vertex) {
                    continue;
                }
                next.carrier.insert(vertex);
                next.moves += 1;
            }
            if self.is_wanted(&next) {
                self.offer(next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::exhaustive::{Claim, Target};
    use super::*;
    use crate::engine::frames::edge_frames;
    use crate::engine::frames::random_games::random_game;
    use crate::game::{Color, Notation, game};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// The numbers (z, w) of each side.
    fn numbers(frames: &EdgeFrames) -> [String; SIDES] {
        std::array::from_fn(|side| frames.sides[side].to_string())
    }

    #[test]
    fn a_single_stone_is_far_from_the_far_sides() {
        let position = game(5, "c3").position().clone();
        let frames = edge_frames(&position, Color::White).unwrap();
        assert_eq!(Notation::HavannahGui.name(position.geometry(), frames.chain), "c3");
        assert!(edge_frames(&position, Color::Black).is_none());
        let z = |edge: &Edge| match edge {
            Edge::Frame(frame) => frame.z,
            other => panic!("{other:?}"),
        };
        assert_eq!(frames.sides.each_ref().map(z), [-1, -2, -3, -3, -2, -1]);
    }

    #[test]
    fn a_chain_one_row_from_its_side_has_moves_to_spare() {
        // Several pairs of empty vertices between the stones and the side.
        let game = game(6, "b3 k11 b4 k10 b5 k9 b6 j8");
        let frames = edge_frames(game.position(), Color::White).unwrap();
        let side = frames.sides.iter().filter_map(|edge| match edge {
            Edge::Frame(frame) => Some(frame),
            _ => None,
        });
        let nearest = side.max_by_key(|frame| frame.z).unwrap();
        assert_eq!((nearest.z, nearest.width), (1, 1), "{:?}", numbers(&frames));
    }

    #[test]
    fn a_side_that_is_reached_is_no_frame() {
        let game = game(4, "a2 g5 b2");
        let frames = edge_frames(game.position(), Color::White).unwrap();
        assert_eq!(numbers(&frames).iter().filter(|text| *text == "reached").count(), 1);
    }

    /// Compares random edge frames with exhaustive play on their carriers if these have no more than `most` vertices.
    /// Returns how many were compared with z negative, zero and positive.
    fn compare(positions: usize, most: usize, seed: u64) -> [usize; 3] {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut compared = [0; 3];
        for _ in 0..positions {
            let side = rng.random_range(4..=7);
            // Each player has a stone.
            let Some(game) = random_game(&mut rng, side, 2) else { continue };
            for color in Color::ALL {
                let EdgeFrames { chain, sides } = edge_frames(game.position(), color).unwrap();
                for (side, edge) in sides.iter().enumerate() {
                    let Edge::Frame(EdgeFrame { z, width, carrier }) = edge else { continue };
                    if carrier.len() > most {
                        continue;
                    }
                    let claim = Claim {
                        position: game.position(),
                        color,
                        targets: [Target::Side(side), Target::Vertex(chain)],
                        carrier,
                        depth: width + z.min(&0).unsigned_abs() as usize,
                    };
                    if let Some(holds) = claim.holds(*z) {
                        assert!(holds, "{color} {side} {edge:?} {:?}", game.history());
                        compared[(z.signum() + 1) as usize] += 1;
                    }
                }
            }
        }
        compared
    }

    #[test]
    fn edge_frames_hold_in_exhaustive_play_on_their_carriers() {
        let compared = compare(40, 12, 1);
        assert!(compared.iter().all(|&count| count > 4), "{compared:?}");
    }

    #[test]
    #[ignore = "takes minutes: run by .ci/nightly"]
    fn thousands_of_edge_frames_hold_in_exhaustive_play_on_their_carriers() {
        println!("edge frames that hold, with z negative, zero and positive: {:?}", compare(1_000, 13, 2));
    }
}
