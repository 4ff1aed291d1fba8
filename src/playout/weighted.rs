//! Weighted playouts (paper, section 6): moves are drawn by weight from a [`MoveSampler`], and every move raises the
//! weights of the empty vertices around it, so that the playout continues locally.

use rand::Rng;

use super::sampler::{BlockSums, MoveSampler, SumTree};
use super::{EmptyVertex, Ending, MAX_EMPTY};
use crate::board::{Color, Geometry, Position, Structures, Vertex};
use crate::option_enum;

option_enum! {
    /// The weights that a playout starts with.
    pub enum InitialWeights {
        /// The same for every empty vertex.
        Uniform = "uniform",
        /// All on the centre of the board, as in the paper's measurements (section 9).
        Center = "center",
        /// Each vertex its RAVE estimate in the last tree node (section 6).
        Rave = "rave",
    }
}

option_enum! {
    /// The map from moves to weights that playouts draw from.
    pub enum SamplerKind {
        /// [`BlockSums`].
        BlockSums = "block-sums",
        /// [`SumTree`], the paper's.
        SumTree = "sum-tree",
    }
}

/// When a weighted playout stops, as a constant; where no vertex is left it stops in any case.
pub(crate) mod until {
    /// At the first structure that is looked for.
    pub const FIRST_WIN: u8 = 0;
    /// At the first bridge or fork, whether there was a ring before or not (paper, section 8).
    pub const BRIDGE_FORK: u8 = 1;
    /// When no vertex is left.
    pub const FULL: u8 = 2;
}

/// Whether a playout until `UNTIL` ends with these structures.
#[inline(always)]
fn ends<const UNTIL: u8>(structures: Structures) -> bool {
    match UNTIL {
        until::FIRST_WIN => true,
        until::BRIDGE_FORK => structures != Structures::RING,
        _ => false,
    }
}

/// How the moves of a weighted playout are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weighting {
    /// The weights at the start.
    pub start: InitialWeights,
    /// After move number *n* of a playout, counted from 1, the empty neighbours of its vertex get the weight *n*ᵉ,
    /// where *e* is this number; 0 leaves the weights as they are.
    pub locality: u32,
    /// The map that the moves are drawn from.
    pub sampler: SamplerKind,
}

impl Weighting {
    /// Whether all draws are uniform, so that no weights are needed.
    pub fn is_uniform(&self) -> bool {
        self.start == InitialWeights::Uniform && self.locality == 0
    }
}

/// The integer that stands for the weight 1. RAVE estimates become weights in steps of half its reciprocal, and *n*³
/// fits 32 bits for every *n* on the largest board; greater weights are cut down to the greatest of 32 bits.
const UNIT: u32 = 32;

/// Weighted playouts from positions of one board: the working space of one thread, with either sampler.
pub(crate) enum Weighted {
    BlockSums(Box<Sampling<BlockSums>>),
    SumTree(Box<Sampling<SumTree>>),
}

/// Calls a method of the [`Sampling`] inside, whichever it is.
macro_rules! with_sampling {
    ($weighted:expr, $sampling:ident => $call:expr) => {
        match $weighted {
            Weighted::BlockSums($sampling) => $call,
            Weighted::SumTree($sampling) => $call,
        }
    };
}

impl Weighted {
    /// For playouts from `root` and from positions that follow it.
    pub fn new(root: &Position, weighting: Weighting) -> Weighted {
        match weighting.sampler {
            SamplerKind::BlockSums => Weighted::BlockSums(Box::new(Sampling::new(root, weighting))),
            SamplerKind::SumTree => Weighted::SumTree(Box::new(Sampling::new(root, weighting))),
        }
    }

    /// Loads the start weights of `position`, which the moves `taken` led to from the root. `estimate` is asked for the
    /// RAVE estimate of each empty vertex, in \[0, 1\], where the playout is to start from those.
    #[inline]
    pub fn load(&mut self, position: &Position, taken: &[EmptyVertex], estimate: impl Fn(Vertex) -> f32) {
        with_sampling!(self, sampling => sampling.load(position, taken, estimate))
    }

    /// Plays moves drawn by weight on `position`, whose start weights were loaded, `first` moving first, until a
    /// structure that `CHECKS` (of [`crate::board::checks`]) names is completed, or later if `UNTIL` (of [`until`]) says
    /// so, `limit` moves are made or no vertex is left. The ending is that of the first win in any case. Afterwards
    /// `moves` holds the moves played, in order.
    #[inline]
    pub fn play<const CHECKS: u8, const UNTIL: u8>(
        &mut self,
        position: &mut Position,
        moves: &mut Vec<EmptyVertex>,
        first: Color,
        limit: usize,
        rng: &mut impl Rng,
    ) -> Ending {
        with_sampling!(self, sampling => sampling.play::<CHECKS, UNTIL>(position, moves, first, limit, rng))
    }

    /// The probability of each vertex to be the move of a playout that has made `moves`, in vertex order: those of the
    /// vertices that are left. The start weights were loaded.
    pub fn chances(&mut self, moves: &[Vertex]) -> Vec<(Vertex, f64)> {
        with_sampling!(self, sampling => sampling.chances(moves))
    }
}

/// A vertex as a playout needs it: the keys of its neighbours, filled up to six with the vertex itself, which is no key
/// any more when they are used.
struct Place {
    spot: EmptyVertex,
    neighbours: [u16; 6],
}

/// Weighted playouts with a sampler of the type `S`.
pub(crate) struct Sampling<S> {
    places: Vec<Place>,
    /// The weight that move number *n* gives its neighbours, *n*ᵉ.
    raised: Vec<u32>,
    weighting: Weighting,
    /// The start weights at the root, where they are not RAVE estimates.
    start: S,
    /// The moves left and their weights: the paper's P.
    moves: S,
}

impl<S: MoveSampler> Sampling<S> {
    fn new(root: &Position, weighting: Weighting) -> Sampling<S> {
        let geometry = root.geometry();
        let center = geometry.vertex_at_cube([0; 3]);
        let weight = |v| if weighting.start != InitialWeights::Center || Some(v) == center { UNIT } else { 0 };
        let mut start = S::default();
        start.load(geometry.vertices().map(|v| root.is_empty(v).then(|| weight(v))));
        let raised = |n: usize| (n as u32).saturating_pow(weighting.locality).saturating_mul(UNIT);
        Sampling {
            places: geometry.vertices().map(|v| Place::new(geometry, v)).collect(),
            raised: (0..=MAX_EMPTY).map(raised).collect(),
            weighting,
            moves: start.clone(),
            start,
        }
    }

    #[inline]
    fn load(&mut self, position: &Position, taken: &[EmptyVertex], estimate: impl Fn(Vertex) -> f32) {
        if self.weighting.start == InitialWeights::Rave {
            let weight = |v| (2.0 * UNIT as f32 * estimate(v)).round() as u32;
            let vertices = position.geometry().vertices();
            self.moves.load(vertices.map(|v| position.is_empty(v).then(|| weight(v))));
        } else {
            self.moves.copy_from(&self.start);
            taken.iter().for_each(|spot| self.moves.remove(spot.vertex.0));
        }
    }

    #[inline]
    fn play<const CHECKS: u8, const UNTIL: u8>(
        &mut self,
        position: &mut Position,
        moves: &mut Vec<EmptyVertex>,
        first: Color,
        limit: usize,
        rng: &mut impl Rng,
    ) -> Ending {
        moves.clear();
        match first {
            Color::White => self.alternate::<CHECKS, UNTIL, 0>(position, moves, limit, rng),
            Color::Black => self.alternate::<CHECKS, UNTIL, 1>(position, moves, limit, rng),
        }
    }

    /// The colours are constants, so that the board's code for each is made of constants.
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

    /// Draws a move, plays it and raises the weights around it. `None` if no vertex is left.
    #[inline(always)]
    fn play_one<const CHECKS: u8>(
        &mut self,
        position: &mut Position,
        moves: &mut Vec<EmptyVertex>,
        color: Color,
        rng: &mut impl Rng,
    ) -> Option<Structures> {
        let key = self.draw(rng)?;
        let spot = self.take(key, moves.len() + 1);
        moves.push(spot);
        Some(position.place_checked::<CHECKS>(color, spot.cell))
    }

    /// Takes out what is to be move number `n`, and raises the weights around it.
    #[inline(always)]
    fn take(&mut self, key: u16, n: usize) -> EmptyVertex {
        let place = &self.places[key as usize];
        self.moves.remove(key);
        if self.weighting.locality > 0 {
            self.moves.update_all(&place.neighbours, self.raised[n]);
        }
        place.spot
    }

    /// A move drawn by weight, or `None` if there is none left.
    #[inline(always)]
    fn draw(&mut self, rng: &mut impl Rng) -> Option<u16> {
        match self.moves.sample(rng) {
            None => self.draw_weightless(rng),
            drawn => drawn,
        }
    }

    /// Where all moves that are left have the weight 0, they all get the same: the centre may be taken when a playout
    /// from there starts, and stones may cut off the vertices to which the weights have spread.
    #[cold]
    fn draw_weightless(&mut self, rng: &mut impl Rng) -> Option<u16> {
        if self.moves.is_empty() {
            return None;
        }
        self.level();
        self.moves.sample(rng)
    }

    /// Gives all moves that are left the same weight.
    fn level(&mut self) {
        (0..self.places.len() as u16).for_each(|key| self.moves.update(key, UNIT));
    }

    fn chances(&mut self, moves: &[Vertex]) -> Vec<(Vertex, f64)> {
        for (i, v) in moves.iter().enumerate() {
            self.level_weightless();
            self.take(v.0, i + 1);
        }
        self.level_weightless();
        let total = self.moves.total() as f64;
        let left = (0..self.places.len() as u16).filter_map(|key| Some((Vertex(key), self.moves.weight(key)?)));
        left.map(|(v, weight)| (v, f64::from(weight) / total)).collect()
    }

    /// As a draw does it.
    fn level_weightless(&mut self) {
        if self.moves.total() == 0 {
            self.level();
        }
    }
}

impl Place {
    fn new(geometry: &Geometry, vertex: Vertex) -> Place {
        let near = geometry.neighbours(vertex);
        Place {
            spot: EmptyVertex { cell: geometry.cell(vertex), vertex },
            neighbours: std::array::from_fn(|i| near.get(i).unwrap_or(&vertex).0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::checks;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    const SAMPLERS: [SamplerKind; 2] = [SamplerKind::BlockSums, SamplerKind::SumTree];

    fn board(side: usize) -> (&'static Geometry, Position) {
        let geometry = Geometry::of(side).unwrap();
        (geometry, Position::new(geometry))
    }

    /// The first moves of many playouts on the empty board of side 4.
    fn beginnings(weighting: Weighting, length: usize, estimate: impl Fn(Vertex) -> f32) -> Vec<Vec<Vertex>> {
        let (_, root) = board(4);
        let mut weighted = Weighted::new(&root, weighting);
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
            moves.iter().map(|spot| spot.vertex).collect()
        });
        playouts.collect()
    }

    fn share(playouts: &[Vec<Vertex>], condition: impl Fn(&[Vertex]) -> bool) -> f64 {
        playouts.iter().filter(|moves| condition(moves)).count() as f64 / playouts.len() as f64
    }

    /// Section 9: unit weight on the centre, then n³ on the neighbours of move n.
    #[test]
    fn playouts_from_the_centre_stay_close_to_the_last_moves() {
        let (geometry, _) = board(4);
        let center = geometry.vertex_at_cube([0; 3]).unwrap();
        for sampler in SAMPLERS {
            let playouts = beginnings(Weighting { start: InitialWeights::Center, locality: 3, sampler }, 3, |_| 0.5);
            assert!(playouts.iter().all(|moves| moves[0] == center && geometry.distance(moves[1], center) == 1));
            // After two moves three neighbours of the first one alone have the weight 1, and five of the second, of
            // which two are neighbours of both, the weight 8.
            let far = share(&playouts, |moves| geometry.distance(moves[2], moves[1]) > 1);
            assert!((far - 3.0 / (3.0 + 5.0 * 8.0)).abs() < 0.01, "{sampler:?}: {far}");
        }
    }

    #[test]
    fn playouts_start_from_the_estimates_given() {
        for sampler in SAMPLERS {
            let weighting = Weighting { start: InitialWeights::Rave, locality: 0, sampler };
            let playouts = beginnings(weighting, 1, |v| if v.index() == 7 { 1.0 } else { 0.25 });
            let seven = share(&playouts, |moves| moves[0].index() == 7);
            assert!((seven - 1.0 / (1.0 + 36.0 * 0.25)).abs() < 0.01, "{sampler:?}: {seven}");
        }
    }

    #[test]
    fn chances_are_the_shares_of_moves_in_playouts_that_began_alike() {
        let (_, root) = board(4);
        let estimate = |v: Vertex| (v.index() % 5) as f32 / 4.0;
        for sampler in SAMPLERS {
            for (start, locality, length) in [
                (InitialWeights::Uniform, 0, 1),
                (InitialWeights::Uniform, 3, 2),
                (InitialWeights::Center, 0, 2),
                (InitialWeights::Center, 3, 1),
                (InitialWeights::Center, 3, 2),
                (InitialWeights::Rave, 0, 1),
                (InitialWeights::Rave, 4, 2),
            ] {
                let weighting = Weighting { start, locality, sampler };
                let mut playouts = beginnings(weighting, length, estimate);
                // All that began as the first one.
                let before = playouts[0][..length - 1].to_vec();
                playouts.retain(|moves| moves.starts_with(&before));
                let mut weighted = Weighted::new(&root, weighting);
                weighted.load(&root, &[], estimate);
                let chances = weighted.chances(&before);
                assert_eq!(chances.len(), 37 - before.len());
                assert!((chances.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-12);
                for (v, p) in chances {
                    let drawn = share(&playouts, |moves| moves[length - 1] == v);
                    let error = 4.5 * (p * (1.0 - p) / playouts.len() as f64).sqrt() + 1.0 / playouts.len() as f64;
                    assert!((drawn - p).abs() <= error, "{weighting:?} {v:?}: {drawn} for {p}");
                }
            }
        }
    }

    #[test]
    fn moves_without_any_weight_are_drawn_uniformly() {
        for sampler in SAMPLERS {
            let none = beginnings(Weighting { start: InitialWeights::Rave, locality: 0, sampler }, 1, |_| 0.0);
            let center = beginnings(Weighting { start: InitialWeights::Center, locality: 0, sampler }, 2, |_| 0.5);
            for v in 0..37 {
                assert!((share(&none, |moves| moves[0].index() == v) - 1.0 / 37.0).abs() < 0.006);
                assert!((share(&center, |moves| moves[1].index() == v) - 1.0 / 36.0).abs() < 0.006 || v == 18);
            }
        }
    }

    #[test]
    fn full_playouts_fill_every_vertex_once() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        for side in crate::board::MIN_SIDE..=crate::board::MAX_SIDE {
            let (geometry, root) = board(side);
            for (sampler, locality) in SAMPLERS.into_iter().flat_map(|s| (0..=4).map(move |e| (s, e))) {
                let mut weighted = Weighted::new(&root, Weighting { start: InitialWeights::Center, locality, sampler });
                let (mut position, mut moves) = (root.clone(), Vec::new());
                weighted.load(&position, &[], |_| 0.5);
                let first = Color::White;
                let ending = weighted.play::<{ checks::ALL }, { until::FULL }>(
                    &mut position,
                    &mut moves,
                    first,
                    usize::MAX,
                    &mut rng,
                );
                assert!(position.empty_vertices().next().is_none() && moves.len() == geometry.vertex_count());
                assert!(ending.length <= moves.len());
            }
        }
    }
}
