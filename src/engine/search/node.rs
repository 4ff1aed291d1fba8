//! A node of the search tree: the statistics of its moves, what is proven of them, and the nodes that they lead to.
//!
//! A node has a header and arrays with an entry for every vertex of the board, so that the loops over its moves
//! ([`super::kernel`]) run straight over vectors. Its [`Layout`] says which arrays there are. All are atomic: threads
//! share nodes without locks, and without ordering except where a proof or a link is concerned. If two threads add to
//! one RAVE sum at the same instant, one addition can be lost. The estimates bear that; no other update can be lost.
//!
//! Most nodes of a search with priors are leaves: no simulation has gone on below them. They have only a *head*: the
//! header, and the priors in 16 bits. What visits change is in the *body*: a page for each sixteen vertices, which a node
//! gets before the first visit of a move among them.

use std::sync::atomic::{AtomicU16, AtomicU32, Ordering, Ordering::*};

use crate::game::{Color, MAX_VERTICES, Vertex};

use super::arena::Arena;
use super::report::Verdict;

/// Words of a cache line.
pub(crate) const LINE: usize = 16;

/// Identifies a node of a tree; counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// The id of the node at an index of the tree's arena.
    #[inline]
    pub fn at(index: usize) -> NodeId {
        NodeId(index as u32 + 1)
    }

    /// The id in a word of an array, where 0 stands for none.
    #[inline]
    pub fn of_word(word: u32) -> Option<NodeId> {
        (word != 0).then_some(NodeId(word))
    }

    /// The id as such a word.
    #[inline]
    pub fn word(self) -> u32 {
        self.0
    }

    /// The node's index in the tree's arena.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize - 1
    }
}

/// What the nodes of a tree hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// The mean of the results of each move's visits, and its prior probability. Its body is in pages.
    Means,
    /// The sum of the results of each move's visits, and its RAVE statistics.
    SumsAndRave,
}

/// The arrays of a body, with one entry per vertex; or those of a page, with one entry for each of its vertices.
#[derive(Clone, Copy)]
enum Array {
    /// Visits of the move. Simulations under way are included and count as lost until they end (virtual loss). A move
    /// proven to draw has [`DRAWN_VISITS`] more.
    Visits,
    /// The results of the visits for the node's player: in [`Layout::SumsAndRave`] the sum of half points, 2 for a win
    /// and 1 for a draw; in [`Layout::Means`] the mean as a float in \[0, 1\], which loses no precision as visits grow.
    Results,
    /// The [`NodeId`] behind the move, or 0.
    Link,
    /// In [`Layout::SumsAndRave`] only: an addition to the move's value. Special values say that the move is illegal or
    /// proven: see [`bias`]. In [`Layout::Means`] the head has such an array, with the move's prior probability.
    Bias,
    /// In [`Layout::SumsAndRave`] only: the weight of the playouts in which the node's player made the move, then or
    /// later.
    RaveWeight,
    /// In [`Layout::SumsAndRave`] only: the part of that weight in playouts that the player won; draws count half.
    RaveWins,
}

/// The words of a head of a node with arrays of length `stride`. In [`Layout::SumsAndRave`] it includes the body.
pub(crate) fn head_words(stride: usize, layout: Layout) -> usize {
    match layout {
        Layout::Means => HEADER + stride / 2,
        Layout::SumsAndRave => HEADER + (Array::RaveWins as usize + 1) * stride,
    }
}

/// The vertices of a page.
pub(crate) const PAGE_VERTICES: usize = 16;
/// The words of a page.
pub(crate) const PAGE: usize = (Array::Link as usize + 1) * PAGE_VERTICES;
/// The most pages of a node. The list of them fits into a page.
const MAX_PAGES: usize = MAX_VERTICES.next_multiple_of(LINE) / PAGE_VERTICES;
const _: () = assert!(MAX_PAGES <= PAGE && LINE.is_multiple_of(PAGE_VERTICES));

/// A page: visits, results, links.
pub(crate) type Page = [AtomicU32; PAGE];

/// Stands for a page of moves that have no visits. Nobody writes to it.
static NO_PAGE: Page = [const { AtomicU32::new(0) }; PAGE];

/// Special values of a move's bias. All are exact in 16 bits.
pub(crate) mod bias {
    /// Not a legal move.
    pub const ILLEGAL: f32 = f32::NEG_INFINITY;
    /// Proven to lose for the player who makes it. It is finite because it is selected where all legal moves lose.
    pub const LOST: f32 = -WON;
    /// Proven to lose too, but preferred where all moves lose: it meets one of the opponent's threats.
    pub const LAST_RESORT: f32 = LOST / 2.0;
    /// Proven to win for the player who makes it.
    pub const WON: f32 = (1 << 30) as f32;
}

/// A bias in 16 bits: the upper half of the float, rounded.
#[inline]
pub(crate) fn short(bias: f32) -> u16 {
    (bias.to_bits().saturating_add(1 << 15) >> 16) as u16
}

/// The float that [`short`] has made such a number of.
#[inline]
pub(crate) fn long(bias: u16) -> f32 {
    f32::from_bits(u32::from(bias) << 16)
}

/// Where a move's bias stands.
#[derive(Clone, Copy)]
enum Bias<'a> {
    Short(&'a AtomicU16),
    Long(&'a AtomicU32),
}

impl Bias<'_> {
    #[inline]
    fn get(self) -> f32 {
        match self {
            Bias::Short(entry) => long(entry.load(Relaxed)),
            Bias::Long(entry) => f32::from_bits(entry.load(Relaxed)),
        }
    }

    #[inline]
    fn set(self, bias: f32) {
        match self {
            Bias::Short(entry) => entry.store(short(bias), Relaxed),
            Bias::Long(entry) => entry.store(bias.to_bits(), Relaxed),
        }
    }

    /// Sets the bias, and returns the one before.
    fn swap(self, bias: f32) -> f32 {
        match self {
            Bias::Short(entry) => long(entry.swap(short(bias), AcqRel)),
            Bias::Long(entry) => f32::from_bits(entry.swap(bias.to_bits(), AcqRel)),
        }
    }

    /// Sets the bias to what `change` makes of it, if that is something.
    fn update(self, change: impl Fn(f32) -> Option<f32>) {
        let _ = match self {
            Bias::Short(entry) => entry.fetch_update(Relaxed, Relaxed, |old| change(long(old)).map(short)).is_ok(),
            Bias::Long(entry) => {
                entry.fetch_update(Relaxed, Relaxed, |old| change(f32::from_bits(old)).map(f32::to_bits)).is_ok()
            }
        };
    }
}

/// Whether a move with this bias is proven to lose.
#[inline]
fn is_lost(bias: f32) -> bool {
    bias == bias::LOST || bias == bias::LAST_RESORT
}

/// Added to the visits of a move that is proven to draw, with half of them won: its value stays 0.5 whatever follows.
pub(crate) const DRAWN_VISITS: u32 = 1 << 30;

/// The words of the header.
enum Header {
    Visits,
    /// The verdict, and the flags.
    State,
    /// Legal moves without a proof.
    Open,
    /// How many moves have a node behind them.
    Links,
    /// In [`Layout::Means`] the network's value, in [`Layout::SumsAndRave`] the playout horizon.
    ValueOrHorizon,
    /// In [`Layout::Means`], 1 + the index of the list of pages, which takes a page; or 0 if there is none.
    Body,
    /// The key of the position, 64 bits in two words.
    KeyLow,
    KeyHigh,
}

/// The number of words of the header.
const HEADER: usize = Header::KeyHigh as usize + 1;

/// Bits of the state that hold the verdict.
const VERDICT: u32 = 3;
/// The bit of the state that says that a move is proven to draw.
const DRAWN: u32 = 4;
/// The bit of the state that says that a thread has claimed the search for threats.
const THREAT_SEARCH: u32 = 8;

/// A node: the position after a sequence of moves, from the point of view of the player to move there.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    header: &'a [AtomicU32; HEADER],
    /// In [`Layout::Means`] the bias of each move.
    priors: &'a [AtomicU16],
    /// In [`Layout::SumsAndRave`] the arrays. In [`Layout::Means`], for each page, 1 + its index, or 0 if there is none;
    /// empty if there are no pages.
    body: &'a [AtomicU32],
    /// The arena of pages, in [`Layout::Means`].
    pages: Option<&'a Arena>,
    stride: usize,
    id: NodeId,
}

impl<'a> Node<'a> {
    /// The node whose head is this, with arrays of length `stride`. In [`Layout::Means`] there is an arena of pages.
    #[inline(always)]
    pub fn new(head: &'a [AtomicU32], pages: Option<&'a Arena>, stride: usize, id: NodeId) -> Node<'a> {
        let (header, rest) = head.split_first_chunk::<HEADER>().expect("a head has a header");
        let Some(arena) = pages else {
            return Node { header, priors: &[], body: rest, pages, stride, id };
        };
        let body = match header[Header::Body as usize].load(Acquire) {
            0 => &[],
            index => &arena.words(index as usize - 1)[..stride / PAGE_VERTICES],
        };
        let halves = rest[..stride / 2].as_ptr().cast::<AtomicU16>();
        // SAFETY: two halves fit into a word and are aligned, and all their values are valid. Other threads use the words
        // of the priors in halves, too.
        let priors = unsafe { std::slice::from_raw_parts(halves, stride) };
        Node { header, priors, body, pages, stride, id }
    }

    #[inline]
    fn layout(&self) -> Layout {
        if self.pages.is_some() { Layout::Means } else { Layout::SumsAndRave }
    }

    #[inline]
    pub fn id(&self) -> NodeId {
        self.id
    }

    #[inline]
    fn header(&self, word: Header) -> &'a AtomicU32 {
        &self.header[word as usize]
    }

    /// An array of the body ([`Layout::SumsAndRave`] only).
    #[inline]
    fn array(&self, array: Array) -> &'a [AtomicU32] {
        let start = array as usize * self.stride;
        &self.body[start..start + self.stride]
    }

    /// A page ([`Layout::Means`] only).
    #[inline]
    fn page(&self, k: usize) -> Option<&'a Page> {
        let index = self.body.get(k)?.load(Acquire).checked_sub(1)?;
        self.pages?.words(index as usize).first_chunk()
    }

    /// The parts of an array that there are, in the order of the vertices.
    fn parts(&self, array: Array) -> impl Iterator<Item = &'a [AtomicU32]> + use<'a> {
        let node = *self;
        let start = array as usize * PAGE_VERTICES;
        let whole = (node.layout() == Layout::SumsAndRave).then(|| node.array(array));
        let count = if whole.is_some() { 0 } else { node.body.len() };
        let pages = (0..count).filter_map(move |k| node.page(k)).map(move |page| &page[start..start + PAGE_VERTICES]);
        whole.into_iter().chain(pages)
    }

    /// The entry of an array of the body, if there is room for it.
    #[inline]
    fn find(&self, array: Array, v: Vertex) -> Option<&'a AtomicU32> {
        match self.layout() {
            Layout::Means => {
                let page = self.page(v.index() / PAGE_VERTICES)?;
                Some(&page[array as usize * PAGE_VERTICES + v.index() % PAGE_VERTICES])
            }
            Layout::SumsAndRave => Some(&self.body[array as usize * self.stride + v.index()]),
        }
    }

    /// The entry of an array of the body, for which there must be room.
    #[inline]
    fn entry(&self, array: Array, v: Vertex) -> &'a AtomicU32 {
        self.find(array, v).expect("a visited move has a page")
    }

    /// The value of an entry; 0 if there is no room for it.
    #[inline]
    fn load(&self, array: Array, v: Vertex, order: Ordering) -> u32 {
        self.find(array, v).map_or(0, |word| word.load(order))
    }

    #[inline]
    fn bias(&self, v: Vertex) -> Bias<'a> {
        match self.layout() {
            Layout::Means => Bias::Short(&self.priors[v.index()]),
            Layout::SumsAndRave => Bias::Long(self.entry(Array::Bias, v)),
        }
    }

    /// Makes a head that of an unknown position: no visits, no legal moves, nothing proven, and no body. No other thread
    /// may use it meanwhile.
    pub fn reset_head(head: &[AtomicU32], stride: usize, layout: Layout) {
        let none = match layout {
            Layout::Means => u32::from(short(bias::ILLEGAL)) * 0x1_0001,
            Layout::SumsAndRave => bias::ILLEGAL.to_bits(),
        };
        let biases = match layout {
            Layout::Means => HEADER..HEADER + stride / 2,
            Layout::SumsAndRave => HEADER + Array::Bias as usize * stride..HEADER + Array::RaveWeight as usize * stride,
        };
        head.iter().for_each(|word| word.store(0, Relaxed));
        head[biases].iter().for_each(|word| word.store(none, Relaxed));
    }

    /// Forgets all about the position. No other thread may use the node meanwhile.
    #[cfg(test)]
    pub fn reset(&self) {
        let header = self.header.iter().enumerate().filter(|(i, _)| *i != Header::Body as usize).map(|(_, word)| word);
        let arrays = [Array::Visits, Array::Results, Array::Link].into_iter().flat_map(|array| self.parts(array));
        header.chain(arrays.flatten()).for_each(|word| word.store(0, Relaxed));
        (0..self.stride as u16).for_each(|i| self.bias(Vertex(i)).set(bias::ILLEGAL));
    }

    // The body.

    /// Whether the node can have pages.
    #[inline]
    pub fn has_body(&self) -> bool {
        !self.body.is_empty()
    }

    /// Whether there is room for what visits of a move change.
    #[inline]
    pub fn has_room(&self, v: Vertex) -> bool {
        self.find(Array::Visits, v).is_some()
    }

    /// Gives the node a list of pages, a page of zeros by its index, if it has none. If another thread was first, this
    /// page is not used until pages are freed.
    pub fn set_body(&self, index: usize) {
        let _ = self.header(Header::Body).compare_exchange(0, index as u32 + 1, AcqRel, Acquire);
    }

    /// Gives the node the page of a move, a page of zeros by its index, if it has none. If another thread was first, this
    /// page is not used until pages are freed.
    pub fn set_page(&self, v: Vertex, index: usize) {
        let _ = self.body[v.index() / PAGE_VERTICES].compare_exchange(0, index as u32 + 1, AcqRel, Acquire);
    }

    /// The indices of all pages that the node takes ([`Layout::SumsAndRave`]: none).
    pub fn pages(&self) -> impl Iterator<Item = usize> + use<'a> {
        let words = if self.layout() == Layout::Means { self.body } else { &[] };
        let list = if words.is_empty() { None } else { Some(self.header(Header::Body)) };
        list.into_iter().chain(words).filter_map(|word| (word.load(Acquire) as usize).checked_sub(1))
    }

    // Moves and their statistics.

    /// Makes a move legal, with a bias. No other thread may use the node meanwhile.
    pub fn add_move(&self, v: Vertex, bias: f32) {
        self.bias(v).set(bias);
        if !is_lost(bias) {
            let open = self.header(Header::Open);
            open.store(open.load(Relaxed) + 1, Relaxed);
        }
    }

    /// Sets the bias of a move that has no proof. No other thread may use the node meanwhile.
    #[inline]
    pub fn set_prior(&self, v: Vertex, prior: f32) {
        self.bias(v).set(prior);
    }

    /// The legal moves, in vertex order; of a won position only a winning one.
    pub fn moves(&self) -> impl Iterator<Item = Vertex> + use<'a> {
        let node = *self;
        let all = (0..self.stride as u16).map(Vertex);
        all.filter(move |&v| node.bias(v).get() != bias::ILLEGAL)
    }

    /// Whether exactly one move is open, that is, neither won nor lost nor drawn by proof.
    #[inline]
    pub fn is_forced(&self) -> bool {
        self.header(Header::Open).load(Relaxed) == 1
    }

    /// Sets a move's RAVE statistics ([`Layout::SumsAndRave`] only): the weight of its playouts and their mean result.
    pub fn set_rave(&self, v: Vertex, weight: f32, mean: f32) {
        self.entry(Array::RaveWeight, v).store(weight.to_bits(), Relaxed);
        self.entry(Array::RaveWins, v).store((weight * mean).to_bits(), Relaxed);
    }

    /// What selection by PUCT reads ([`Layout::Means`] only): pages, of which it passes all to a function, and priors.
    #[inline]
    pub fn with_pages<T>(&self, select: impl FnOnce(&[&Page], &[AtomicU16]) -> T) -> T {
        let mut pages = [&NO_PAGE; MAX_PAGES];
        for (k, entry) in pages.iter_mut().enumerate().take(self.body.len()) {
            *entry = self.page(k).unwrap_or(&NO_PAGE);
        }
        select(&pages[..self.stride / PAGE_VERTICES], self.priors)
    }

    /// The arrays that selection by RAVE reads ([`Layout::SumsAndRave`] only): visits, half points, RAVE weight, RAVE
    /// wins, bias.
    #[inline]
    pub fn rave_selection_arrays(&self) -> [&'a [AtomicU32]; 5] {
        [Array::Visits, Array::Results, Array::RaveWeight, Array::RaveWins, Array::Bias].map(|a| self.array(a))
    }

    /// The RAVE arrays ([`Layout::SumsAndRave`] only): weight, wins.
    #[inline]
    pub fn rave_arrays(&self) -> [&'a [AtomicU32]; 2] {
        [self.array(Array::RaveWeight), self.array(Array::RaveWins)]
    }

    /// Visits of the node by simulations that went on below it.
    #[inline]
    pub fn total_visits(&self) -> u32 {
        self.header(Header::Visits).load(Relaxed)
    }

    /// Visits of a move, those under way included.
    #[inline]
    pub fn visits(&self, v: Vertex) -> u32 {
        self.load(Array::Visits, v, Relaxed) % DRAWN_VISITS
    }

    /// The mean result of a move's visits for the node's player in \[0, 1\], a draw counting 0.5; `None` without
    /// visits.
    #[inline]
    pub fn mean(&self, v: Vertex) -> Option<f64> {
        let visits = self.load(Array::Visits, v, Relaxed);
        let results = self.load(Array::Results, v, Relaxed);
        (visits > 0).then(|| match self.layout() {
            Layout::Means => f32::from_bits(results).into(),
            Layout::SumsAndRave => results as f64 / (2.0 * visits as f64),
        })
    }

    /// A move's probability in \[0, 1\] according to the network. `None` if the network has not seen the position, or
    /// if the move is proven to win or to lose.
    pub fn prior(&self, v: Vertex) -> Option<f64> {
        let bias = self.bias(v).get();
        (self.value().is_some() && (0.0..=1.0).contains(&bias)).then(|| bias.into())
    }

    /// The RAVE estimate of a move in \[0, 1\]; `None` if there is none.
    pub fn rave(&self, v: Vertex) -> Option<f64> {
        if self.layout() != Layout::SumsAndRave {
            return None;
        }
        let [weight, wins] =
            [Array::RaveWeight, Array::RaveWins].map(|array| f32::from_bits(self.load(array, v, Relaxed)));
        (weight > 0.0).then(|| (wins / weight) as f64)
    }

    /// Counts a visit of a move before its result is known, as a loss (virtual loss). Returns the visits before this
    /// one.
    #[inline]
    pub fn begin_visit(&self, v: Vertex) -> u32 {
        self.header(Header::Visits).fetch_add(1, Relaxed);
        let before = self.entry(Array::Visits, v).fetch_add(1, Relaxed);
        if self.layout() == Layout::Means && before > 0 {
            self.change_mean(v, |mean, visits| mean * ((visits - 1.0) / visits));
        }
        before
    }

    /// Adds the result of a visit that has begun, in half points for the node's player
    /// ([`Layout::SumsAndRave`] only).
    #[inline]
    pub fn end_visit(&self, v: Vertex, points: u32) {
        if points != 0 {
            self.entry(Array::Results, v).fetch_add(points, Relaxed);
        }
    }

    /// Adds the result of a visit that has begun, in \[0, 1\] for the node's player ([`Layout::Means`] only).
    #[inline]
    pub fn end_evaluation(&self, v: Vertex, value: f32) {
        // Where the memory is used up, a proof can end a path with a move that was not visited.
        if self.has_room(v) {
            self.change_mean(v, |mean, visits| mean + value / visits);
        }
    }

    /// Undoes [`Node::begin_visit`] ([`Layout::SumsAndRave`] only).
    #[inline]
    pub fn cancel_visit(&self, v: Vertex) {
        self.header(Header::Visits).fetch_sub(1, Relaxed);
        self.entry(Array::Visits, v).fetch_sub(1, Relaxed);
    }

    /// Changes the mean result of a move to a function of the mean and of its visits.
    #[inline]
    fn change_mean(&self, v: Vertex, change: impl Fn(f32, f32) -> f32) {
        let word = self.entry(Array::Results, v);
        let mut old = word.load(Acquire);
        loop {
            // After the mean: once that is the one of a proven draw, the visits are so many that it stays.
            let visits = self.entry(Array::Visits, v).load(Relaxed);
            let new = change(f32::from_bits(old), visits as f32).to_bits();
            match word.compare_exchange_weak(old, new, Relaxed, Acquire) {
                Ok(_) => return,
                Err(other) => old = other,
            }
        }
    }

    /// Changes the bias of a move, unless it is illegal or proven.
    pub fn change_bias(&self, v: Vertex, change: impl Fn(f32) -> f32) {
        let is_open = |bias: f32| bias > bias::LOST && bias < bias::WON && !is_lost(bias);
        self.bias(v).update(|bias| is_open(bias).then(|| change(bias)));
    }

    /// Stores the network's value of the position for the player to move, in \[0, 1\].
    pub fn set_value(&self, value: f32) {
        debug_assert_eq!(self.layout(), Layout::Means);
        // Zero bits stand for no value.
        self.header(Header::ValueOrHorizon).store(value.max(f32::MIN_POSITIVE).to_bits(), Relaxed);
    }

    /// The network's value of the position for the player to move, in \[0, 1\]; `None` if the network has not seen it.
    pub fn value(&self) -> Option<f32> {
        let bits = self.header(Header::ValueOrHorizon).load(Relaxed);
        (bits != 0 && self.layout() == Layout::Means).then(|| f32::from_bits(bits))
    }

    /// The mean of the network's value of the position and of the results of all visits of its moves, for the player to
    /// move, in \[0, 1\] ([`Layout::Means`] only). `None` if there is neither.
    pub fn mean_value(&self) -> Option<f32> {
        let (mut sum, mut count) = self.value().map_or((0.0, 0.0), |value| (value, 1.0));
        let parts = self.parts(Array::Visits).zip(self.parts(Array::Results));
        for (visits, mean) in parts.flat_map(|(visits, means)| visits.iter().zip(means)) {
            let visits = (visits.load(Relaxed) % DRAWN_VISITS) as f32;
            sum += visits * f32::from_bits(mean.load(Relaxed));
            count += visits;
        }
        (count > 0.0).then(|| sum / count)
    }

    /// The key of the position as [`Node::set_key`] has set it, else 0.
    #[inline]
    pub fn key(&self) -> u64 {
        let high = self.header(Header::KeyHigh).load(Acquire);
        u64::from(high) << 32 | u64::from(self.header(Header::KeyLow).load(Relaxed))
    }

    /// Sets the key of the position. A thread that reads it sees all that was written to the node before.
    pub fn set_key(&self, key: u64) {
        self.header(Header::KeyLow).store(key as u32, Relaxed);
        self.header(Header::KeyHigh).store((key >> 32) as u32, Release);
    }

    /// The playout horizon *h* (paper, section 5): a playout from here that takes more moves is discarded.
    #[inline]
    pub fn horizon(&self) -> u32 {
        self.header(Header::ValueOrHorizon).load(Relaxed)
    }

    /// Sets the playout horizon.
    #[inline]
    pub fn set_horizon(&self, horizon: u32) {
        self.header(Header::ValueOrHorizon).store(horizon, Relaxed);
    }

    /// Claims the search for threats in this node. Returns true to exactly one thread.
    pub fn claim_threat_search(&self) -> bool {
        let (word, is_free) = (self.header(Header::State), |state: u32| state & THREAT_SEARCH == 0);
        is_free(word.load(Relaxed)) && is_free(word.fetch_or(THREAT_SEARCH, Relaxed))
    }

    // Proofs.

    /// The proven result of the position for the node's player.
    #[inline]
    pub fn verdict(&self) -> Option<Verdict> {
        match self.header(Header::State).load(Acquire) & VERDICT {
            1 => Some(Verdict::Win),
            2 => Some(Verdict::Loss),
            3 => Some(Verdict::Draw),
            _ => None,
        }
    }

    /// Sets the proven result of the position.
    pub fn set_verdict(&self, verdict: Verdict) {
        let word = match verdict {
            Verdict::Win => 1,
            Verdict::Loss => 2,
            Verdict::Draw => 3,
        };
        let new = |state| Some(state & !VERDICT | word);
        let _ = self.header(Header::State).fetch_update(Release, Relaxed, new);
    }

    /// The proven result of a move for the node's player.
    pub fn move_verdict(&self, v: Vertex) -> Option<Verdict> {
        match self.bias(v).get() {
            bias if is_lost(bias) => Some(Verdict::Loss),
            bias::WON => Some(Verdict::Win),
            _ if self.load(Array::Visits, v, Relaxed) >= DRAWN_VISITS => Some(Verdict::Draw),
            _ => None,
        }
    }

    /// Whether a move is the one to choose where all lose: see [`bias::LAST_RESORT`].
    pub fn is_last_resort(&self, v: Vertex) -> bool {
        self.bias(v).get() == bias::LAST_RESORT
    }

    /// Sets the proven result of a move, and returns what follows for the position: a win if the move wins; once no
    /// move is open, a draw if a move draws, else a loss. For a draw, there must be room for
    /// visits of the move.
    pub fn prove_move(&self, v: Vertex, verdict: Verdict) -> Option<Verdict> {
        if self.move_verdict(v).is_some() {
            return None;
        }
        match verdict {
            Verdict::Win => {
                self.bias(v).set(bias::WON);
                return Some(Verdict::Win);
            }
            Verdict::Loss => {
                if is_lost(self.bias(v).swap(bias::LOST)) {
                    return None;
                }
            }
            Verdict::Draw => {
                let visits = self.entry(Array::Visits, v);
                if visits.fetch_add(DRAWN_VISITS, AcqRel) >= DRAWN_VISITS {
                    visits.fetch_sub(DRAWN_VISITS, AcqRel);
                    return None;
                }
                match self.layout() {
                    Layout::Means => self.entry(Array::Results, v).store(0.5f32.to_bits(), Release),
                    Layout::SumsAndRave => _ = self.entry(Array::Results, v).fetch_add(DRAWN_VISITS, AcqRel),
                }
                self.header(Header::State).fetch_or(DRAWN, Release);
            }
        }
        let open = self.header(Header::Open).fetch_sub(1, AcqRel) - 1;
        match (open, self.header(Header::State).load(Acquire) & DRAWN) {
            (0, 0) => Some(Verdict::Loss),
            (0, _) => Some(Verdict::Draw),
            _ => None,
        }
    }

    // Links.

    /// The node behind a move, if there is one.
    #[inline]
    pub fn link(&self, v: Vertex) -> Option<NodeId> {
        NodeId::of_word(self.load(Array::Link, v, Acquire))
    }

    /// Links a complete node behind a move. Returns false if another thread was first.
    pub fn set_link(&self, v: Vertex, id: NodeId) -> bool {
        let first = self.entry(Array::Link, v).compare_exchange(0, id.0, AcqRel, Acquire).is_ok();
        if first {
            self.header(Header::Links).fetch_add(1, Relaxed);
        }
        first
    }

    /// All nodes behind moves.
    pub fn links(&self) -> impl Iterator<Item = NodeId> + use<'a> {
        // Most nodes have none, so their array need not be read.
        let count = self.header(Header::Links).load(Relaxed) as usize;
        let ids = self.parts(Array::Link).flatten().map(|word| word.load(Relaxed)).filter(|&id| id != 0);
        ids.take(count).map(NodeId)
    }

    /// Removes the links to the nodes that `which` accepts.
    pub fn unlink(&self, which: impl Fn(NodeId) -> bool) {
        if self.header(Header::Links).load(Relaxed) == 0 {
            return;
        }
        for word in self.parts(Array::Link).flatten() {
            let id = word.load(Relaxed);
            if id != 0 && which(NodeId(id)) {
                word.store(0, Relaxed);
                self.header(Header::Links).fetch_sub(1, Relaxed);
            }
        }
    }

    /// Every word but the horizon and the links, for tests to compare ([`Layout::SumsAndRave`] only).
    #[cfg(test)]
    pub fn statistics(&self) -> Vec<u32> {
        let structure = [Header::ValueOrHorizon as usize, Header::Links as usize];
        let header = self.header.iter().enumerate().filter(|(i, _)| !structure.contains(i)).map(|(_, word)| word);
        let arrays = [Array::Visits, Array::Results, Array::Bias, Array::RaveWeight, Array::RaveWins];
        let arrays = arrays.into_iter().flat_map(|array| self.array(array));
        header.chain(arrays).map(|word| word.load(Relaxed)).collect()
    }
}

/// What a playout with this winner is worth to `color`, in half points.
#[inline]
pub(crate) fn points(color: Color, winner: Option<Color>) -> u32 {
    match winner {
        Some(winner) if winner == color => 2,
        Some(_) => 0,
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search::tree::Tree;
    use crate::game::Geometry;
    use std::sync::Barrier;

    /// What other threads do at the same instant with a move that is proven to draw changes neither the proof nor the
    /// move's value, and no visit is lost.
    #[test]
    fn a_drawn_move_stays_drawn_while_other_threads_visit_it() {
        for layout in [Layout::Means, Layout::SumsAndRave] {
            let tree = Tree::new(Geometry::with_side(3).unwrap(), layout, false, 1 << 20);
            let [v, other] = [Vertex(7), Vertex(8)];
            let node = tree.node(tree.allocate_whole().unwrap());
            let (rounds, visits) = (if cfg!(miri) { 10 } else { 20_000 }, 20);
            let visit = || {
                node.begin_visit(v);
                match layout {
                    Layout::Means => node.end_evaluation(v, 1.0),
                    Layout::SumsAndRave => {
                        node.end_visit(v, 2);
                        node.begin_visit(v);
                        node.cancel_visit(v);
                    }
                }
            };
            let barrier = Barrier::new(2);
            // A failed assertion between two meetings would leave the other thread waiting.
            let mut wrong = Vec::new();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for _ in 0..rounds {
                        barrier.wait();
                        (0..visits).for_each(|_| visit());
                        barrier.wait();
                    }
                });
                for round in 0..rounds {
                    node.reset();
                    [v, other].iter().for_each(|&v| node.add_move(v, 0.5));
                    barrier.wait();
                    (0..round % 16).for_each(|_| visit());
                    node.prove_move(v, Verdict::Draw);
                    barrier.wait();
                    let is_drawn = node.move_verdict(v) == Some(Verdict::Draw) && node.is_forced();
                    let mean = node.mean(v).expect("the move has visits");
                    let all = visits + round % 16;
                    if !is_drawn || (mean - 0.5).abs() > 0.001 || node.visits(v) != all || node.total_visits() != all {
                        wrong.push((is_drawn, mean, node.visits(v), node.total_visits()));
                    }
                }
            });
            assert!(wrong.is_empty(), "{} of {rounds}, such as {:?}", wrong.len(), wrong[0]);
        }
    }
}
