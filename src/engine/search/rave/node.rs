//! A node of a search guided by playouts: the sum of the results of each move's visits, and its RAVE statistics.
//!
//! If two threads add to one RAVE sum at the same instant, one addition can be lost. The estimates tolerate that; no
//! other update can be lost.

use std::ops::Deref;
use std::sync::atomic::{AtomicU32, Ordering::*};

use crate::engine::search::arena::Arena;
use crate::engine::search::node::{DRAWN_VISITS, HEADER, Header, Layout, Mark, Node, NodeId, half};
use crate::game::{Color, Vertex};

use super::Rave;

/// The arrays of a node, with an entry for every vertex. Those that visits change come first.
#[derive(Clone, Copy)]
enum Array {
    /// See [`Node::visit_word`].
    Visits,
    /// The sum of the results of the visits for the node's player, in half points: 2 for a win and 1 for a draw.
    Points,
    /// The weight of the playouts in which the node's player made the move, then or later.
    RaveWeight,
    /// The part of that weight in playouts that the player won; draws count half.
    RaveWins,
    /// See [`Node::link_word`].
    Links,
    /// The mark: an addition to the move's value.
    Bias,
}

/// The number of arrays.
const ARRAYS: usize = Array::Bias as usize + 1;

/// The number of arrays of [`Statistics`].
pub(super) const STATISTICS: usize = Array::RaveWins as usize + 1;

/// The index of the header's word that holds the playout horizon.
const HORIZON: usize = 0;

/// The mark of an open move is its bias.
impl Mark for AtomicU32 {
    #[inline]
    fn get(&self) -> f32 {
        f32::from_bits(self.load(Relaxed))
    }

    #[inline]
    fn set(&self, mark: f32) {
        self.store(mark.to_bits(), Relaxed);
    }

    fn swap(&self, mark: f32) -> f32 {
        f32::from_bits(AtomicU32::swap(self, mark.to_bits(), AcqRel))
    }

    fn update(&self, change: impl Fn(f32) -> Option<f32>) {
        let _ = self.fetch_update(Relaxed, Relaxed, |old| change(f32::from_bits(old)).map(f32::to_bits));
    }
}

impl Layout for Rave {
    type Node<'a> = RaveNode<'a>;

    fn words(stride: usize) -> usize {
        HEADER + ARRAYS * stride
    }

    #[inline(always)]
    fn node<'a>(words: &'a [AtomicU32], _: &'a Arena, stride: usize, id: NodeId) -> RaveNode<'a> {
        let (header, words) = Header::split(words, id);
        RaveNode { header, arrays: Arrays { words, stride } }
    }
}

/// The first of the arrays, or all of them, one after another.
#[derive(Clone, Copy)]
struct Arrays<'a> {
    words: &'a [AtomicU32],
    /// The entries of each array.
    stride: usize,
}

impl<'a> Arrays<'a> {
    #[inline]
    fn array(&self, array: Array) -> &'a [AtomicU32] {
        let start = array as usize * self.stride;
        &self.words[start..start + self.stride]
    }

    #[inline]
    fn entry(&self, array: Array, v: Vertex) -> &'a AtomicU32 {
        &self.words[array as usize * self.stride + v.index()]
    }
}

/// What visits change in a node: its own visits, and the first [`STATISTICS`] arrays.
#[derive(Clone, Copy)]
pub(crate) struct Statistics<'a> {
    total: &'a AtomicU32,
    arrays: Arrays<'a>,
}

impl<'a> Statistics<'a> {
    /// Statistics in these words: the node's visits, and at least [`STATISTICS`] arrays of `stride` entries.
    #[inline]
    pub fn new(total: &'a AtomicU32, words: &'a [AtomicU32], stride: usize) -> Statistics<'a> {
        Statistics { total, arrays: Arrays { words, stride } }
    }

    /// The word of the node's visits.
    #[inline]
    pub fn total(&self) -> &'a AtomicU32 {
        self.total
    }

    /// The node's visits.
    #[inline]
    pub fn total_visits(&self) -> u32 {
        self.total.load(Relaxed)
    }

    /// The results of the moves' visits: how many, and their sum in half points.
    #[inline]
    pub fn visit_arrays(&self) -> [&'a [AtomicU32]; 2] {
        [self.arrays.array(Array::Visits), self.arrays.array(Array::Points)]
    }

    /// The RAVE statistics: weight, wins.
    #[inline]
    pub fn rave_arrays(&self) -> [&'a [AtomicU32]; 2] {
        [self.arrays.array(Array::RaveWeight), self.arrays.array(Array::RaveWins)]
    }

    /// See [`Node::begin_visit`].
    #[inline]
    pub fn begin_visit(&self, v: Vertex) -> u32 {
        self.total.fetch_add(1, Relaxed);
        self.arrays.entry(Array::Visits, v).fetch_add(1, Relaxed)
    }

    /// Adds the result of a visit that has begun, in half points for the node's player.
    #[inline]
    pub fn end_visit(&self, v: Vertex, points: u32) {
        if points != 0 {
            self.arrays.entry(Array::Points, v).fetch_add(points, Relaxed);
        }
    }

    /// Undoes [`Statistics::begin_visit`].
    #[inline]
    pub fn cancel_visit(&self, v: Vertex) {
        self.total.fetch_sub(1, Relaxed);
        self.arrays.entry(Array::Visits, v).fetch_sub(1, Relaxed);
    }
}

/// A node of a search guided by playouts.
#[derive(Clone, Copy)]
pub(crate) struct RaveNode<'a> {
    header: Header<'a>,
    arrays: Arrays<'a>,
}

impl<'a> Deref for RaveNode<'a> {
    type Target = Header<'a>;

    #[inline]
    fn deref(&self) -> &Header<'a> {
        &self.header
    }
}

impl<'a> RaveNode<'a> {
    /// What visits change.
    #[inline]
    pub fn statistics(&self) -> Statistics<'a> {
        Statistics { total: self.total_word(), arrays: self.arrays }
    }

    /// The marks of all moves: their biases.
    #[inline]
    pub fn biases(&self) -> &'a [AtomicU32] {
        self.arrays.array(Array::Bias)
    }

    /// Sets a move's RAVE statistics: the weight of its playouts and their mean result.
    pub fn set_rave(&self, v: Vertex, weight: f32, mean: f32) {
        self.arrays.entry(Array::RaveWeight, v).set(weight);
        self.arrays.entry(Array::RaveWins, v).set(weight * mean);
    }

    /// The playout horizon *h* (paper, section 5): a playout from here that takes more moves is discarded.
    #[inline]
    pub fn horizon(&self) -> u32 {
        self.own_word(HORIZON).load(Relaxed)
    }

    /// Sets the playout horizon. If it is the same as before, nothing is written: other threads need not fetch it anew.
    #[inline]
    pub fn set_horizon(&self, horizon: u32) {
        if self.horizon() != horizon {
            self.own_word(HORIZON).store(horizon, Relaxed);
        }
    }

    /// Every array but the links, and of the header the visits, the state and the open moves, for tests to compare.
    #[cfg(test)]
    pub fn all_statistics(&self) -> Vec<u32> {
        let arrays = [Array::Visits, Array::Points, Array::Bias, Array::RaveWeight, Array::RaveWins];
        let arrays = arrays.into_iter().flat_map(|array| self.arrays.array(array));
        self.words()[..3].iter().chain(arrays).map(|word| word.load(Relaxed)).collect()
    }
}

impl<'a> Node<'a> for RaveNode<'a> {
    type Mark = AtomicU32;

    #[inline]
    fn stride(&self) -> usize {
        self.arrays.stride
    }

    #[inline]
    fn mark(&self, v: Vertex) -> &'a AtomicU32 {
        self.arrays.entry(Array::Bias, v)
    }

    #[inline]
    fn visit_word(&self, v: Vertex) -> Option<&'a AtomicU32> {
        Some(self.arrays.entry(Array::Visits, v))
    }

    #[inline]
    fn link_word(&self, v: Vertex) -> Option<&'a AtomicU32> {
        Some(self.arrays.entry(Array::Links, v))
    }

    fn link_words(self) -> impl Iterator<Item = &'a AtomicU32> {
        self.arrays.array(Array::Links).iter()
    }

    #[inline]
    fn mean(&self, v: Vertex) -> Option<f64> {
        let visits = self.arrays.entry(Array::Visits, v).load(Relaxed);
        let points = self.arrays.entry(Array::Points, v).load(Relaxed);
        (visits > 0).then(|| f64::from(points) / (2.0 * f64::from(visits)))
    }

    #[inline]
    fn begin_visit(&self, v: Vertex) -> u32 {
        self.statistics().begin_visit(v)
    }

    fn halve_visits(self) {
        let [visits, points] = self.statistics().visit_arrays();
        for (visits, points) in visits.iter().zip(points) {
            let (before, after) = (visits.load(Relaxed), half(visits.load(Relaxed)));
            // The points of a proven draw are one for each of the visits that stand for it.
            let of_draw = before & DRAWN_VISITS;
            let [own_before, own_after] = [before, after].map(|visits| u64::from(visits - of_draw));
            let own_points = u64::from(points.load(Relaxed) - of_draw) * own_after / own_before.max(1);
            visits.store(after, Relaxed);
            points.store(of_draw + own_points as u32, Relaxed);
        }
        let [weights, wins] = self.statistics().rave_arrays();
        for (weight, wins) in weights.iter().zip(wins) {
            // Only their ratio matters. Where nothing is added any more, it would otherwise end as 0 / 0.
            if weight.get() > 1.0 {
                weight.set(weight.get() / 2.0);
                wins.set(wins.get() / 2.0);
            }
        }
    }

    fn settle_draw(&self, v: Vertex) {
        self.arrays.entry(Array::Points, v).fetch_add(DRAWN_VISITS, AcqRel);
    }

    fn rave(&self, v: Vertex) -> Option<f64> {
        let (weight, wins) =
            (self.arrays.entry(Array::RaveWeight, v).get(), self.arrays.entry(Array::RaveWins, v).get());
        (weight > 0.0).then(|| (wins / weight).into())
    }
}

/// What a playout with this winner is worth to `color`, in half points.
#[inline]
pub(super) fn points(color: Color, winner: Option<Color>) -> u32 {
    match winner {
        Some(winner) if winner == color => 2,
        Some(_) => 0,
        None => 1,
    }
}
