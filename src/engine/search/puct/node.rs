//! A node of a search guided by the network: the prior of each move, and the mean of the results of its visits.
//!
//! Most of these nodes are leaves: no simulation has gone on below them. They have only a *head*: the header, and the
//! priors in 16 bits. What visits change is in pages, one for each sixteen vertices, which a node gets before the first
//! visit of a move among them.

use std::ops::Deref;
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering::*};

use crate::engine::search::arena::{Arena, LINE};
use crate::engine::search::node::{DRAWN_VISITS, HEADER, Header, Layout, Mark, Node, NodeId, half};
use crate::game::{MAX_VERTICES, Vertex};
use crate::network::Evaluation;

use super::Puct;

/// The arrays of a page, with an entry for each of its vertices.
#[derive(Clone, Copy)]
enum Array {
    /// See [`Node::visit_word`].
    Visits,
    /// The mean result of the visits for the node's player, a float in \[0, 1\]. After [`WINDOW`] visits, older ones
    /// count less and less.
    Means,
    /// See [`Node::link_word`].
    Links,
}

/// A visit changes the mean by a part of at least 1 / this. With smaller parts, rounding would move it more than the
/// visits do: 2^23 visits that are worth 0.45 each would have a mean of 0.42.
const WINDOW: u32 = 1 << 16;

/// The vertices of a page.
pub(super) const PAGE_VERTICES: usize = 16;
/// The words of a page.
pub(super) const PAGE: usize = (Array::Links as usize + 1) * PAGE_VERTICES;
/// The most pages of a node. The list of them takes a page.
const MAX_PAGES: usize = MAX_VERTICES.next_multiple_of(LINE) / PAGE_VERTICES;
const _: () = assert!(MAX_PAGES <= PAGE && LINE.is_multiple_of(PAGE_VERTICES));

/// A page: visits, means, links.
pub(super) type Page = [AtomicU32; PAGE];

/// Stands for a page of moves that have no visits. Nobody writes to it.
static NO_PAGE: Page = [const { AtomicU32::new(0) }; PAGE];

/// The words of the header that are the method's.
enum Own {
    /// The network's value of the position, or 0 if the network has not seen it.
    Value,
    /// 1 + the index of the list of pages, or 0 if there is none.
    List,
}

/// A float in 16 bits: its upper half, rounded.
#[inline]
pub(super) fn short(x: f32) -> u16 {
    (x.to_bits().saturating_add(1 << 15) >> 16) as u16
}

/// The float that these 16 bits stand for: the inverse of [`short`], apart from rounding.
#[inline]
pub(super) fn long(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// The mark of an open move is its prior.
impl Mark for AtomicU16 {
    #[inline]
    fn get(&self) -> f32 {
        long(self.load(Relaxed))
    }

    #[inline]
    fn set(&self, mark: f32) {
        self.store(short(mark), Relaxed);
    }

    fn swap(&self, mark: f32) -> f32 {
        long(AtomicU16::swap(self, short(mark), AcqRel))
    }

    fn update(&self, change: impl Fn(f32) -> Option<f32>) {
        let _ = self.fetch_update(Relaxed, Relaxed, |old| change(long(old)).map(short));
    }
}

impl Layout for Puct {
    type Node<'a> = PuctNode<'a>;

    const PAGE: usize = PAGE;

    fn words(stride: usize) -> usize {
        HEADER + stride / 2
    }

    #[inline(always)]
    fn node<'a>(words: &'a [AtomicU32], pages: &'a Arena, stride: usize, id: NodeId) -> PuctNode<'a> {
        let (header, rest) = Header::split(words, id);
        let halves = rest[..stride / 2].as_ptr().cast::<AtomicU16>();
        // SAFETY: two halves fit into a word and are aligned, and all their values are valid. Other threads use the
        // words of the priors in halves, too.
        let priors = unsafe { std::slice::from_raw_parts(halves, stride) };
        PuctNode { header, priors, list: &[], pages }.with_list()
    }
}

/// A node of a search guided by the network.
#[derive(Clone, Copy)]
pub(crate) struct PuctNode<'a> {
    header: Header<'a>,
    priors: &'a [AtomicU16],
    /// For each page, 1 + its index, or 0 if there is none; empty if the node has no list of pages.
    list: &'a [AtomicU32],
    /// The arena of pages.
    pages: &'a Arena,
}

impl<'a> Deref for PuctNode<'a> {
    type Target = Header<'a>;

    #[inline]
    fn deref(&self) -> &Header<'a> {
        &self.header
    }
}

impl<'a> PuctNode<'a> {
    /// The node with its list of pages, if it has one by now.
    #[inline(always)]
    fn with_list(self) -> PuctNode<'a> {
        let list = match self.own_word(Own::List as usize).load(Acquire) {
            0 => &[],
            index => &self.pages.words(index as usize - 1)[..self.stride() / PAGE_VERTICES],
        };
        PuctNode { list, ..self }
    }

    /// A page, if the node has it.
    #[inline]
    fn page(&self, k: usize) -> Option<&'a Page> {
        let index = self.list.get(k)?.load(Acquire).checked_sub(1)?;
        self.pages.words(index as usize).first_chunk()
    }

    /// The pages that the node has.
    fn all_pages(self) -> impl Iterator<Item = &'a Page> {
        (0..self.list.len()).filter_map(move |k| self.page(k))
    }

    /// The entry of an array, if there is room for it.
    #[inline]
    fn find(&self, array: Array, v: Vertex) -> Option<&'a AtomicU32> {
        let page = self.page(v.index() / PAGE_VERTICES)?;
        Some(&page[array as usize * PAGE_VERTICES + v.index() % PAGE_VERTICES])
    }

    /// The entry of an array, for which there must be room.
    #[inline]
    fn entry(&self, array: Array, v: Vertex) -> &'a AtomicU32 {
        self.find(array, v).expect("a visited move has a page")
    }

    /// [`Node::with_room`] for a move that has none. If another thread gives the node the same page at the same time,
    /// one of the two is not used until pages are freed.
    fn add_room(self, v: Vertex, mut blank_page: impl FnMut() -> Option<usize>) -> Option<PuctNode<'a>> {
        let set = |word: &AtomicU32, index: usize| _ = word.compare_exchange(0, index as u32 + 1, AcqRel, Acquire);
        let mut node = self;
        if node.list.is_empty() {
            set(node.own_word(Own::List as usize), blank_page()?);
            node = node.with_list();
        }
        let k = v.index() / PAGE_VERTICES;
        if node.page(k).is_none() {
            set(&node.list[k], blank_page()?);
        }
        Some(node)
    }

    /// What selection reads: a function gets all pages, and the priors.
    #[inline]
    pub fn with_pages<T>(&self, select: impl FnOnce(&[&Page], &[AtomicU16]) -> T) -> T {
        let mut pages = [&NO_PAGE; MAX_PAGES];
        for (k, entry) in pages.iter_mut().enumerate().take(self.list.len()) {
            *entry = self.page(k).unwrap_or(&NO_PAGE);
        }
        select(&pages[..self.stride() / PAGE_VERTICES], self.priors)
    }

    /// Stores the network's evaluation: the value, and the probability of each open move as its prior. No other thread
    /// may use the node meanwhile.
    pub fn set_evaluation(&self, evaluation: &Evaluation) {
        let probabilities = evaluation.probabilities(self.open_moves());
        self.open_moves().for_each(|v| self.mark(v).set(probabilities[v.index()]));
        self.set_value(evaluation.value);
    }

    /// Stores the network's value of the position for the player to move, in \[0, 1\].
    pub fn set_value(&self, value: f32) {
        // Zero bits stand for no value.
        self.own_word(Own::Value as usize).store(value.max(f32::MIN_POSITIVE).to_bits(), Relaxed);
    }

    /// The mean of the network's value of the position and of the results of all visits of its moves, for the player to
    /// move, in \[0, 1\]. `None` if there is neither.
    pub fn mean_value(&self) -> Option<f32> {
        let (mut sum, mut count) = self.value().map_or((0.0, 0.0), |value| (value, 1.0));
        for page in self.all_pages() {
            let [visits, means] = [Array::Visits, Array::Means].map(|array| entries(page, array));
            for (visits, mean) in visits.iter().zip(means) {
                let visits = (visits.load(Relaxed) % DRAWN_VISITS) as f32;
                sum += visits * f32::from_bits(mean.load(Relaxed));
                count += visits;
            }
        }
        (count > 0.0).then(|| sum / count)
    }

    /// Adds the result of a visit that has begun, in \[0, 1\] for the node's player.
    #[inline]
    pub fn end_visit(&self, v: Vertex, value: f32) {
        // Where the memory is used up, a proof can end a path with a move that was not visited.
        if self.find(Array::Visits, v).is_some_and(|visits| visits.load(Relaxed) > 0) {
            self.change_mean(v, |mean, visits| mean + value / visits);
        }
    }

    /// Changes the mean result of a move to a function of the mean and of the visits that it counts, at most [`WINDOW`].
    #[inline]
    fn change_mean(&self, v: Vertex, change: impl Fn(f32, f32) -> f32) {
        let word = self.entry(Array::Means, v);
        let visits = self.entry(Array::Visits, v);
        let mut old = word.load(Acquire);
        loop {
            // Read after the mean: if that is already the one of a proven draw, the visits are so many that it stays.
            let before = visits.load(Relaxed);
            let counted = if before < DRAWN_VISITS { before.min(WINDOW) } else { before };
            let new = change(f32::from_bits(old), counted as f32).to_bits();
            match word.compare_exchange_weak(old, new, Acquire, Acquire) {
                Ok(_) => {
                    // The mean before a draw may have been that of a draw, too.
                    if before < DRAWN_VISITS && visits.load(Relaxed) >= DRAWN_VISITS {
                        self.settle_draw(v);
                    }
                    return;
                }
                Err(other) => old = other,
            }
        }
    }
}

/// The entries of an array in a page.
fn entries(page: &Page, array: Array) -> &[AtomicU32] {
    &page[array as usize * PAGE_VERTICES..][..PAGE_VERTICES]
}

impl<'a> Node<'a> for PuctNode<'a> {
    type Mark = AtomicU16;

    #[inline]
    fn stride(&self) -> usize {
        self.priors.len()
    }

    #[inline]
    fn mark(&self, v: Vertex) -> &'a AtomicU16 {
        &self.priors[v.index()]
    }

    #[inline]
    fn visit_word(&self, v: Vertex) -> Option<&'a AtomicU32> {
        self.find(Array::Visits, v)
    }

    #[inline]
    fn link_word(&self, v: Vertex) -> Option<&'a AtomicU32> {
        self.find(Array::Links, v)
    }

    fn link_words(self) -> impl Iterator<Item = &'a AtomicU32> {
        self.all_pages().flat_map(|page| entries(page, Array::Links))
    }

    #[inline]
    fn mean(&self, v: Vertex) -> Option<f64> {
        let visits = self.find(Array::Visits, v)?.load(Relaxed);
        let mean = self.find(Array::Means, v)?.load(Relaxed);
        (visits > 0).then(|| f32::from_bits(mean).into())
    }

    #[inline]
    fn begin_visit(&self, v: Vertex) -> u32 {
        self.add_visit();
        let before = self.entry(Array::Visits, v).fetch_add(1, Relaxed);
        if before > 0 {
            self.change_mean(v, |mean, visits| mean * ((visits - 1.0) / visits));
        }
        before
    }

    fn halve_visits(self) {
        for page in self.all_pages() {
            for (visits, mean) in entries(page, Array::Visits).iter().zip(entries(page, Array::Means)) {
                let left = half(visits.load(Relaxed));
                visits.store(left, Relaxed);
                // The next visit is the first one: its value is added to what is there.
                if left == 0 {
                    mean.store(0, Relaxed);
                }
            }
        }
    }

    fn settle_draw(&self, v: Vertex) {
        self.entry(Array::Means, v).store(0.5f32.to_bits(), Release);
    }

    #[inline]
    fn with_room(self, v: Vertex, blank_page: impl FnMut() -> Option<usize>) -> Option<PuctNode<'a>> {
        if self.find(Array::Visits, v).is_some() { Some(self) } else { self.add_room(v, blank_page) }
    }

    fn pages(self) -> impl Iterator<Item = usize> {
        let list = (!self.list.is_empty()).then(|| self.own_word(Own::List as usize));
        list.into_iter().chain(self.list).filter_map(|word| (word.load(Acquire) as usize).checked_sub(1))
    }

    fn value(&self) -> Option<f32> {
        let bits = self.own_word(Own::Value as usize).load(Relaxed);
        (bits != 0).then(|| f32::from_bits(bits))
    }

    fn prior(&self, v: Vertex) -> Option<f64> {
        let prior = self.mark(v).get();
        (self.value().is_some() && (0.0..=1.0).contains(&prior)).then(|| prior.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search::Verdict;
    use crate::engine::search::tree::Tree;
    use crate::game::Geometry;

    /// A visit counts as a loss until its result is known.
    #[test]
    fn a_visit_under_way_counts_as_a_loss() {
        let tree = Tree::<Puct>::new(Geometry::with_side(3).unwrap(), false, 1 << 20);
        let node = tree.node(tree.allocate_whole().unwrap());
        let v = Vertex(4);
        node.add_move(v, 0.5);
        // The result, and the means before and after it is added.
        for (visits, [found, before, after]) in [(1, [1.0, 0.0, 1.0]), (2, [0.5, 0.5, 0.75]), (3, [0.0, 0.5, 0.5])] {
            assert_eq!(node.begin_visit(v), visits - 1);
            assert!((node.mean(v).unwrap() - before).abs() < 1e-6);
            node.end_visit(v, found as f32);
            assert!((node.mean(v).unwrap() - after).abs() < 1e-6);
        }
    }

    /// However many visits there are.
    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn the_mean_of_equal_values_stays_at_their_value() {
        let tree = Tree::<Puct>::new(Geometry::with_side(3).unwrap(), false, 1 << 20);
        let node = tree.node(tree.allocate_whole().unwrap());
        for (v, value) in [(Vertex(4), 0.45), (Vertex(5), 0.7), (Vertex(6), 0.013)] {
            node.add_move(v, 0.5);
            for _ in 0..1 << 22 {
                node.begin_visit(v);
                node.end_visit(v, value);
            }
            let mean = node.mean(v).unwrap();
            assert!((mean - f64::from(value)).abs() < 1e-4, "{mean} for {value}");
        }
    }

    /// A move is proven to draw between the moment when another thread reads its mean, which is that of a draw already,
    /// and the moment when that thread changes it.
    #[test]
    fn the_mean_of_a_move_that_is_proven_to_draw_meanwhile_is_that_of_a_draw() {
        let tree = Tree::<Puct>::new(Geometry::with_side(3).unwrap(), false, 1 << 20);
        let node = tree.node(tree.allocate_whole().unwrap());
        let v = Vertex(4);
        node.add_move(v, 0.5);
        node.begin_visit(v);
        node.end_visit(v, 1.0);
        node.begin_visit(v);
        assert_eq!(node.mean(v), Some(0.5));
        node.change_mean(v, |mean, visits| {
            node.prove_move(v, Verdict::Draw);
            mean + 1.0 / visits
        });
        assert_eq!(node.mean(v), Some(0.5));
    }
}
