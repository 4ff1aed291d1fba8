//! Weighted playouts (paper, section 6): moves are drawn by weight from a [`MoveSampler`], and every move raises the
//! weights of the empty vertices next to it, so that the playout continues locally.

use rand::Rng;

use crate::engine::playout::{EmptyVertex, Ending, MAX_EMPTY};
use crate::game::{Color, Geometry, Position, Structures, Vertex};
use crate::option_enum;

use super::sampler::{BlockSums, MoveSampler, SumTree};

option_enum! {
    /// The weights that a playout starts with.
    pub enum InitialWeights {
        /// Every empty vertex has the same weight.
        Uniform = "uniform",
        /// The centre of the board has weight 1 and all other vertices 0, as in the paper's measurements (section 9).
        Center = "center",
        /// Every vertex has its RAVE estimate in the last tree node (section 6).
        Rave = "rave",
    }
}

option_enum! {
    /// The data structure that weighted playouts draw their moves from.
    pub enum SamplerKind {
        /// [`BlockSums`], the faster one.
        BlockSums = "block-sums",
        /// [`SumTree`], the paper's binary tree.
        SumTree = "sum-tree",
    }
}

/// When a weighted playout stops, as constants for a const generic parameter. It also stops when the board is full.
pub(crate) mod until {
    /// At the first structure that is looked for.
    pub const FIRST_WIN: u8 = 0;
    /// At the first bridge or fork, even if there was a ring before (paper, section 8).
    pub const BRIDGE_FORK: u8 = 1;
    /// When the board is full.
    pub const FULL: u8 = 2;
}

/// Whether these structures end a playout that goes on until `UNTIL`.
#[inline(always)]
fn ends<const UNTIL: u8>(structures: Structures) -> bool {
    match UNTIL {
        until::FIRST_WIN => true,
        until::BRIDGE_FORK => structures != Structures::RING,
        _ => false,
    }
}

/// The probability distribution of the moves of a playout (paper, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weighting {
    /// The weights at the start of the playout.
    pub initial_weights: InitialWeights,
    /// The exponent *e* by which the playout continues locally: after move number *n*, counted from 1, the empty
    /// neighbours of its vertex get the weight *n*ᵉ. The paper measures *e* = 3 (section 9); 0 leaves the weights as
    /// they are.
    pub locality: u32,
    /// The data structure that the moves are drawn from.
    pub sampler: SamplerKind,
}

impl Weighting {
    /// Whether all moves are always equally likely, so that no weights are needed.
    #[must_use]
    pub fn is_uniform(&self) -> bool {
        self.initial_weights == InitialWeights::Uniform && self.locality == 0
    }
}

/// The integer that represents weight 1. RAVE estimates are rounded to multiples of 1 / (2 · `UNIT`). *n*³ · `UNIT`
/// fits into 32 bits for every *n* on the largest board; greater weights saturate.
const UNIT: u32 = 32;

/// Weighted playouts from positions of one board, with either sampler. Each thread needs its own.
pub(crate) enum WeightedPlayouts {
    BlockSums(Box<SampledPlayouts<BlockSums>>),
    SumTree(Box<SampledPlayouts<SumTree>>),
}

/// Calls a method of the [`SampledPlayouts`] of either kind.
macro_rules! with_sampler {
    ($weighted:expr, $playouts:ident => $call:expr) => {
        match $weighted {
            WeightedPlayouts::BlockSums($playouts) => $call,
            WeightedPlayouts::SumTree($playouts) => $call,
        }
    };
}

impl WeightedPlayouts {
    /// Working space for playouts from `root` and from positions that follow it.
    pub fn new(root: &Position, weighting: Weighting) -> WeightedPlayouts {
        match weighting.sampler {
            SamplerKind::BlockSums => WeightedPlayouts::BlockSums(Box::new(SampledPlayouts::new(root, weighting))),
            SamplerKind::SumTree => WeightedPlayouts::SumTree(Box::new(SampledPlayouts::new(root, weighting))),
        }
    }

    /// Loads the initial weights for a playout from `position`, which the moves `taken` lead to from the root. With
    /// [`InitialWeights::Rave`], `estimate` gives the RAVE estimate of each empty vertex, in \[0, 1\].
    #[inline]
    pub fn load(&mut self, position: &Position, taken: &[EmptyVertex], estimate: impl Fn(Vertex) -> f32) {
        with_sampler!(self, playouts => playouts.load(position, taken, estimate));
    }

    /// Plays moves drawn by weight on `position`, for which the initial weights have been loaded. `first` moves first.
    ///
    /// The playout stops after `limit` moves, when the board is full, or when `UNTIL` says, a constant of [`until`]. It
    /// looks for the structures in `CHECKS`, a constant of [`crate::game::checks`]. The ending returned is the first
    /// win, even if the playout went on. Afterwards `moves` holds the moves played, in order.
    #[inline]
    pub fn play<const CHECKS: u8, const UNTIL: u8>(
        &mut self,
        position: &mut Position,
        moves: &mut Vec<EmptyVertex>,
        first: Color,
        limit: usize,
        rng: &mut impl Rng,
    ) -> Ending {
        moves.clear();
        with_sampler!(self, playouts => match first {
            Color::White => playouts.alternate::<CHECKS, UNTIL, 0>(position, moves, limit, rng),
            Color::Black => playouts.alternate::<CHECKS, UNTIL, 1>(position, moves, limit, rng),
        })
    }
}

/// The vertex of a key of the sampler, with the keys of its neighbours. If there are fewer than six, the vertex itself
/// fills the gaps: after a move on it, its own key has been removed and cannot be updated.
struct KeyedVertex {
    vertex: EmptyVertex,
    neighbours: [u16; 6],
}

/// Weighted playouts with a sampler of type `S`.
pub(crate) struct SampledPlayouts<S> {
    /// All vertices of the board. A vertex's index is its key.
    vertices: Vec<KeyedVertex>,
    /// For each *n*, the weight *n*ᵉ that the neighbours of move number *n* get.
    neighbour_weights: Vec<u32>,
    weighting: Weighting,
    /// The initial weights at the root, unless they are RAVE estimates.
    initial: S,
    /// The moves left and their weights: the paper's map P.
    moves: S,
}

impl<S: MoveSampler> SampledPlayouts<S> {
    fn new(root: &Position, weighting: Weighting) -> SampledPlayouts<S> {
        let geometry = root.geometry();
        let center = geometry.vertex_at_cube([0; 3]);
        let only_center = weighting.initial_weights == InitialWeights::Center;
        let weight = |v| if !only_center || Some(v) == center { UNIT } else { 0 };
        let mut initial = S::default();
        initial.load(geometry.vertices().map(|v| root.is_empty(v).then(|| weight(v))));
        let neighbour_weight = |n: usize| (n as u32).saturating_pow(weighting.locality).saturating_mul(UNIT);
        SampledPlayouts {
            vertices: geometry.vertices().map(|v| KeyedVertex::new(geometry, v)).collect(),
            neighbour_weights: (0..=MAX_EMPTY).map(neighbour_weight).collect(),
            weighting,
            moves: initial.clone(),
            initial,
        }
    }

    #[inline]
    fn load(&mut self, position: &Position, taken: &[EmptyVertex], estimate: impl Fn(Vertex) -> f32) {
        if self.weighting.initial_weights == InitialWeights::Rave {
            let weight = |v| (2.0 * UNIT as f32 * estimate(v)).round() as u32;
            let vertices = position.geometry().vertices();
            self.moves.load(vertices.map(|v| position.is_empty(v).then(|| weight(v))));
        } else {
            self.moves.copy_from(&self.initial);
            for taken in taken {
                self.moves.remove(taken.vertex.0);
            }
        }
    }

    /// The loop of all weighted playouts. The colours are constants, so that the compiler specialises the board's code
    /// for each.
    #[inline(always)]
    fn alternate<const CHECKS: u8, const UNTIL: u8, const FIRST: usize>(
        &mut self,
        position: &mut Position,
        moves: &mut Vec<EmptyVertex>,
        limit: usize,
        rng: &mut impl Rng,
    ) -> Ending {
        let (first, second) = (Color::ALL[FIRST], Color::ALL[1 - FIRST]);
        let mut won: Option<Ending> = None;
        while moves.len() < limit {
            let Some(structures) = self.play_one::<CHECKS>(position, moves, first, rng) else { break };
            if !structures.is_empty() {
                won.get_or_insert(Ending { length: moves.len(), winner: Some(first), structures });
                if ends::<UNTIL>(structures) {
                    break;
                }
            }
            if moves.len() >= limit {
                break;
            }
            let Some(structures) = self.play_one::<CHECKS>(position, moves, second, rng) else { break };
            if !structures.is_empty() {
                won.get_or_insert(Ending { length: moves.len(), winner: Some(second), structures });
                if ends::<UNTIL>(structures) {
                    break;
                }
            }
        }
        won.unwrap_or(Ending { length: moves.len(), winner: None, structures: Structures::NONE })
    }

    /// Draws a move, plays it and raises the weights next to it. Returns `None` if no vertex is left.
    #[inline(always)]
    fn play_one<const CHECKS: u8>(
        &mut self,
        position: &mut Position,
        moves: &mut Vec<EmptyVertex>,
        color: Color,
        rng: &mut impl Rng,
    ) -> Option<Structures> {
        let key = self.draw(rng)?;
        let vertex = self.take(key, moves.len() + 1);
        moves.push(vertex);
        Some(position.place_checked::<CHECKS>(color, vertex.cell))
    }

    /// Removes the vertex of move number `n` from the map, and raises the weights of its neighbours.
    #[inline(always)]
    fn take(&mut self, key: u16, n: usize) -> EmptyVertex {
        let taken = &self.vertices[key as usize];
        self.moves.remove(key);
        if self.weighting.locality > 0 {
            self.moves.update_all(&taken.neighbours, self.neighbour_weights[n]);
        }
        taken.vertex
    }

    /// Draws a move by weight. Returns `None` if no vertex is left.
    #[inline(always)]
    fn draw(&mut self, rng: &mut impl Rng) -> Option<u16> {
        match self.moves.sample(rng) {
            None => self.draw_without_weights(rng),
            drawn => drawn,
        }
    }

    /// If all moves that are left have weight 0, they all get the same weight. This happens if all weight is on the
    /// centre and the centre has been taken, or if stones surround all vertices with weight.
    #[cold]
    fn draw_without_weights(&mut self, rng: &mut impl Rng) -> Option<u16> {
        if self.moves.is_empty() {
            return None;
        }
        (0..self.vertices.len() as u16).for_each(|key| self.moves.update(key, UNIT));
        self.moves.sample(rng)
    }
}

impl KeyedVertex {
    fn new(geometry: &Geometry, vertex: Vertex) -> KeyedVertex {
        let neighbours = geometry.neighbours(vertex);
        KeyedVertex {
            vertex: EmptyVertex { cell: geometry.cell(vertex), vertex },
            neighbours: std::array::from_fn(|i| neighbours.get(i).unwrap_or(&vertex).0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::checks;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    const SAMPLERS: [SamplerKind; 2] = [SamplerKind::BlockSums, SamplerKind::SumTree];

    fn board(side: usize) -> (&'static Geometry, Position) {
        let geometry = Geometry::with_side(side).unwrap();
        (geometry, Position::new(geometry))
    }

    /// The first `length` moves of many playouts on the empty board of side 4.
    fn first_moves(weighting: Weighting, length: usize, estimate: impl Fn(Vertex) -> f32) -> Vec<Vec<Vertex>> {
        let (_, root) = board(4);
        let mut weighted = WeightedPlayouts::new(&root, weighting);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        let mut moves = Vec::new();
        let playouts = (0..20_000).map(|_| {
            let mut position = root.clone();
            weighted.load(&position, &[], &estimate);
            let ending = weighted.play::<{ checks::ALL }, { until::FIRST_WIN }>(
                &mut position,
                &mut moves,
                Color::White,
                length,
                &mut rng,
            );
            assert_eq!((ending.length, ending.winner), (length, None));
            moves.iter().map(|played| played.vertex).collect()
        });
        playouts.collect()
    }

    /// The share of the playouts that meet a condition.
    fn share(playouts: &[Vec<Vertex>], condition: impl Fn(&[Vertex]) -> bool) -> f64 {
        playouts.iter().filter(|moves| condition(moves)).count() as f64 / playouts.len() as f64
    }

    /// The paper's section 9: unit weight on the centre, then n³ on the neighbours of move n.
    #[test]
    fn playouts_from_the_centre_stay_close_to_the_last_moves() {
        let (geometry, _) = board(4);
        let center = geometry.vertex_at_cube([0; 3]).unwrap();
        for sampler in SAMPLERS {
            let weighting = Weighting { initial_weights: InitialWeights::Center, locality: 3, sampler };
            let playouts = first_moves(weighting, 3, |_| 0.5);
            assert!(playouts.iter().all(|moves| moves[0] == center && geometry.distance(moves[1], center) == 1));
            // After two moves, the five empty neighbours of the second have weight 8, and those three neighbours of the
            // first that are not among them have weight 1.
            let far = share(&playouts, |moves| geometry.distance(moves[2], moves[1]) > 1);
            assert!((far - 3.0 / (3.0 + 5.0 * 8.0)).abs() < 0.01, "{sampler:?}: {far}");
        }
    }

    #[test]
    fn playouts_start_with_the_given_estimates_as_weights() {
        for sampler in SAMPLERS {
            let weighting = Weighting { initial_weights: InitialWeights::Rave, locality: 0, sampler };
            let playouts = first_moves(weighting, 1, |v| if v.index() == 7 { 1.0 } else { 0.25 });
            let seven = share(&playouts, |moves| moves[0].index() == 7);
            assert!((seven - 1.0 / (1.0 + 36.0 * 0.25)).abs() < 0.01, "{sampler:?}: {seven}");
        }
    }

    #[test]
    fn moves_are_drawn_uniformly_when_all_weights_are_zero() {
        for sampler in SAMPLERS {
            let weighting = |initial_weights| Weighting { initial_weights, locality: 0, sampler };
            let none = first_moves(weighting(InitialWeights::Rave), 1, |_| 0.0);
            let center = first_moves(weighting(InitialWeights::Center), 2, |_| 0.5);
            for v in 0..37 {
                assert!((share(&none, |moves| moves[0].index() == v) - 1.0 / 37.0).abs() < 0.006);
                assert!((share(&center, |moves| moves[1].index() == v) - 1.0 / 36.0).abs() < 0.006 || v == 18);
            }
        }
    }

    #[test]
    fn full_playouts_fill_every_vertex_once() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        for side in crate::game::MIN_SIDE..=crate::game::MAX_SIDE {
            let (geometry, root) = board(side);
            for (sampler, locality) in SAMPLERS.into_iter().flat_map(|s| (0..=4).map(move |e| (s, e))) {
                let weighting = Weighting { initial_weights: InitialWeights::Center, locality, sampler };
                let mut weighted = WeightedPlayouts::new(&root, weighting);
                let (mut position, mut moves) = (root.clone(), Vec::new());
                weighted.load(&position, &[], |_| 0.5);
                let ending = weighted.play::<{ checks::ALL }, { until::FULL }>(
                    &mut position,
                    &mut moves,
                    Color::White,
                    usize::MAX,
                    &mut rng,
                );
                assert!(position.empty_vertices().next().is_none() && moves.len() == geometry.vertex_count());
                assert!(ending.length <= moves.len());
            }
        }
    }
}
