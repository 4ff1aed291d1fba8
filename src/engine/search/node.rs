//! A node of the search tree: what the nodes of all methods have in common.
//!
//! A node is a row of words. It begins with a [`Header`]. What follows is for the method to decide ([`Layout`]), but
//! always has an entry for every vertex of the board, so that the loops over moves run straight over vectors. All words
//! are atomic: threads share nodes without locks, and without ordering except where a proof or a link is concerned.

use std::ops::Deref;
use std::sync::atomic::{AtomicU32, Ordering::*};

use crate::game::Vertex;

use super::arena::{Arena, LINE};
use super::report::Verdict;

/// Identifies a node of a tree; counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// The id of the node at an index of the tree's arena.
    #[inline]
    pub fn from_index(index: usize) -> NodeId {
        NodeId(index as u32 + 1)
    }

    /// The id in a word, where 0 stands for none.
    #[inline]
    pub fn from_word(word: u32) -> Option<NodeId> {
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

/// How the nodes of a search method are laid out in memory.
pub(crate) trait Layout: Copy + Send + Sync + 'static {
    /// A node of the method.
    type Node<'a>: Node<'a>;

    /// The words of a page, if nodes grow by pages.
    const PAGE: usize = LINE;

    /// The words of a node on a board of `stride` vertices, rounded up to whole cache lines, without its pages.
    fn words(stride: usize) -> usize;

    /// The node of these words. Its pages, if it has any, are in `pages`.
    fn node<'a>(words: &'a [AtomicU32], pages: &'a Arena, stride: usize, id: NodeId) -> Self::Node<'a>;
}

/// The words of a header.
enum Word {
    /// Visits of the node.
    Visits,
    /// The verdict, and the flags.
    State,
    /// Legal moves without a proof.
    Open,
    /// The number of moves with a node behind them.
    Links,
    /// The first of [`OWN_WORDS`] words for the method.
    Own,
    /// The key of the position, 64 bits in two words.
    KeyLow = Word::Own as isize + OWN_WORDS as isize,
    KeyHigh,
}

/// The words of a header that a method may use.
const OWN_WORDS: usize = 2;

/// The number of words of a header.
pub(crate) const HEADER: usize = Word::KeyHigh as usize + 1;

/// Bits of the state that hold the verdict.
const VERDICT: u32 = 3;
/// The bit of the state that says that a move is proven to draw.
const DRAWN: u32 = 4;
/// The bit of the state that says that a thread has claimed the search for threats.
const THREAT_SEARCH: u32 = 8;

/// What the words of every node begin with.
#[derive(Clone, Copy)]
pub(crate) struct Header<'a> {
    words: &'a [AtomicU32; HEADER],
    id: NodeId,
}

impl<'a> Header<'a> {
    /// The header of the node that begins with these words, and the rest of them.
    #[inline(always)]
    pub fn split(words: &'a [AtomicU32], id: NodeId) -> (Header<'a>, &'a [AtomicU32]) {
        let (words, rest) = words.split_first_chunk().expect("a node has a header");
        (Header { words, id }, rest)
    }

    #[inline]
    fn word(self, word: Word) -> &'a AtomicU32 {
        &self.words[word as usize]
    }

    /// A word for the method, by its index below [`OWN_WORDS`].
    #[inline]
    pub fn own_word(self, index: usize) -> &'a AtomicU32 {
        &self.words[Word::Own as usize + index]
    }

    /// All words, for tests to compare.
    #[cfg(test)]
    pub fn words(self) -> &'a [AtomicU32; HEADER] {
        self.words
    }

    #[inline]
    pub fn id(self) -> NodeId {
        self.id
    }

    /// Visits of the node by simulations that went on below it.
    #[inline]
    pub fn total_visits(self) -> u32 {
        self.word(Word::Visits).load(Relaxed)
    }

    /// The word of [`Header::total_visits`].
    #[inline]
    pub fn total_word(self) -> &'a AtomicU32 {
        self.word(Word::Visits)
    }

    /// Counts a visit of the node.
    #[inline]
    pub fn add_visit(self) {
        self.word(Word::Visits).fetch_add(1, Relaxed);
    }

    /// Whether exactly one move is open, that is, neither won nor lost nor drawn by proof.
    #[inline]
    pub fn is_forced(self) -> bool {
        self.word(Word::Open).load(Relaxed) == 1
    }

    /// The proven result of the position for the player to move.
    #[inline]
    pub fn verdict(self) -> Option<Verdict> {
        match self.word(Word::State).load(Acquire) & VERDICT {
            1 => Some(Verdict::Win),
            2 => Some(Verdict::Loss),
            3 => Some(Verdict::Draw),
            _ => None,
        }
    }

    /// Whether a move is proven to draw.
    #[inline]
    pub fn has_draw(self) -> bool {
        self.word(Word::State).load(Acquire) & DRAWN != 0
    }

    /// Sets the proven result of the position.
    pub fn set_verdict(self, verdict: Verdict) {
        let word = match verdict {
            Verdict::Win => 1,
            Verdict::Loss => 2,
            Verdict::Draw => 3,
        };
        let new = |state| Some(state & !VERDICT | word);
        let _ = self.word(Word::State).fetch_update(Release, Relaxed, new);
    }

    /// Claims the search for threats in this node. Returns true to exactly one thread.
    pub fn claim_threat_search(self) -> bool {
        let word = self.word(Word::State);
        let is_free = |state: u32| state & THREAT_SEARCH == 0;
        is_free(word.load(Relaxed)) && is_free(word.fetch_or(THREAT_SEARCH, Relaxed))
    }

    /// Takes back [`Header::claim_threat_search`].
    pub fn release_threat_search(self) {
        self.word(Word::State).fetch_and(!THREAT_SEARCH, Relaxed);
    }

    /// Closes an open move, and returns what follows for the position: a draw or a loss once no move is open.
    fn close_move(self) -> Option<Verdict> {
        let open = self.word(Word::Open).fetch_sub(1, AcqRel) - 1;
        match (open, self.has_draw()) {
            (0, false) => Some(Verdict::Loss),
            (0, true) => Some(Verdict::Draw),
            _ => None,
        }
    }

    /// The key that [`Header::set_key`] has set, or 0.
    #[inline]
    pub fn key(self) -> u64 {
        let high = self.word(Word::KeyHigh).load(Acquire);
        u64::from(high) << 32 | u64::from(self.word(Word::KeyLow).load(Relaxed))
    }

    /// Sets the key of the position. A thread that reads it sees all that was written to the node before.
    pub fn set_key(self, key: u64) {
        self.word(Word::KeyLow).store(key as u32, Relaxed);
        self.word(Word::KeyHigh).store((key >> 32) as u32, Release);
    }
}

/// Special values of a move's mark. All are exact in 16 bits.
pub(crate) mod mark {
    /// A legal move without a proof, before the method gives it a mark of its own, which lies between [`LAST_RESORT`]
    /// and [`WON`].
    pub const OPEN: f32 = 0.0;
    /// Not a legal move.
    pub const ILLEGAL: f32 = f32::NEG_INFINITY;
    /// Proven to lose for the player who makes it. It is finite because it is selected where all legal moves lose.
    pub const LOST: f32 = -WON;
    /// Proven to lose too, but preferred where all moves lose: it meets one of the opponent's threats.
    pub const LAST_RESORT: f32 = LOST / 2.0;
    /// Proven to win for the player who makes it.
    pub const WON: f32 = (1 << 30) as f32;
}

/// The word of a move's mark: a float that says whether the move is legal and what is proven about it ([`mark`]). For
/// an open move the method decides what it means.
pub(crate) trait Mark {
    fn get(&self) -> f32;

    fn set(&self, mark: f32);

    /// Sets the mark, and returns the one before.
    fn swap(&self, mark: f32) -> f32;

    /// Replaces the mark with `change(mark)`, unless that is `None`.
    fn update(&self, change: impl Fn(f32) -> Option<f32>);
}

/// Whether a move with this mark is proven to lose.
#[inline]
fn is_lost(mark: f32) -> bool {
    mark == mark::LOST || mark == mark::LAST_RESORT
}

/// Added to the visits of a move that is proven to draw, with half of them won: its value stays 0.5 whatever follows.
pub(crate) const DRAWN_VISITS: u32 = 1 << 30;

/// Half of a move's visits; a proven draw stays one.
pub(crate) fn half(visits: u32) -> u32 {
    (visits & DRAWN_VISITS) + (visits % DRAWN_VISITS) / 2
}

/// A node: the position after a sequence of moves, from the point of view of the player to move there.
///
/// The first group of methods is what a search method provides.
pub(crate) trait Node<'a>: Copy + Deref<Target = Header<'a>> {
    /// The type of a move's mark.
    type Mark: Mark + 'a;

    /// The number of entries: the vertices of the board, rounded up to whole cache lines.
    fn stride(&self) -> usize;

    /// The mark of a move.
    fn mark(&self, v: Vertex) -> &'a Self::Mark;

    /// The visits of a move, if there is room for them. Simulations under way are included and count as lost until they
    /// end (virtual loss). A move proven to draw has [`DRAWN_VISITS`] more.
    fn visit_word(&self, v: Vertex) -> Option<&'a AtomicU32>;

    /// The [`NodeId`] behind a move, or 0, if there is room for it.
    fn link_word(&self, v: Vertex) -> Option<&'a AtomicU32>;

    /// All words for links that there is room for, in the order of the vertices.
    fn link_words(self) -> impl Iterator<Item = &'a AtomicU32>;

    /// The mean result of a move's visits for the node's player in \[0, 1\], a draw counting 0.5; `None` without
    /// visits.
    fn mean(&self, v: Vertex) -> Option<f64>;

    /// Counts a visit of a move before its result is known, as a loss (virtual loss). Returns the visits before this
    /// one. There must be room for it.
    fn begin_visit(&self, v: Vertex) -> u32;

    /// Halves the visits of all moves, and all that grows with them. Means stay. No other thread may use the node
    /// meanwhile.
    fn halve_visits(self);

    /// Makes the mean of a move 0.5 for good. [`DRAWN_VISITS`] have just been added to its visits.
    fn settle_draw(&self, v: Vertex);

    /// The node with room for what visits of a move change. `None` if it has none and there is no memory for it.
    /// `blank_page` takes a page of zeros from the arena of pages.
    #[inline]
    fn with_room(self, _: Vertex, _blank_page: impl FnMut() -> Option<usize>) -> Option<Self> {
        Some(self)
    }

    /// The indices of all pages that the node takes.
    fn pages(self) -> impl Iterator<Item = usize> {
        std::iter::empty()
    }

    /// The network's value of the position for the player to move, in \[0, 1\]; `None` if the network has not seen it.
    fn value(&self) -> Option<f32> {
        None
    }

    /// A move's probability in \[0, 1\] according to the network. `None` if the network has not seen the position, or
    /// if the move is proven to win or to lose.
    fn prior(&self, _: Vertex) -> Option<f64> {
        None
    }

    /// The RAVE estimate of a move in \[0, 1\]; `None` if there is none.
    fn rave(&self, _: Vertex) -> Option<f64> {
        None
    }

    // Moves.

    /// Makes a move legal, with a mark. No other thread may use the node meanwhile.
    fn add_move(&self, v: Vertex, mark: f32) {
        self.mark(v).set(mark);
        if !is_lost(mark) {
            let open = self.word(Word::Open);
            open.store(open.load(Relaxed) + 1, Relaxed);
        }
    }

    /// The legal moves, in vertex order; of a won position only a winning one.
    fn moves(self) -> impl Iterator<Item = Vertex> {
        let all = (0..self.stride() as u16).map(Vertex);
        all.filter(move |&v| self.mark(v).get() != mark::ILLEGAL)
    }

    /// The legal moves without a proof, in vertex order.
    fn open_moves(self) -> impl Iterator<Item = Vertex> {
        self.moves().filter(move |&v| self.move_verdict(v).is_none())
    }

    /// Replaces the mark of a move with `change(mark)`, unless the move is illegal or proven.
    fn change_mark(&self, v: Vertex, change: impl Fn(f32) -> f32) {
        let is_open = |mark: f32| mark > mark::LOST && mark < mark::WON && !is_lost(mark);
        self.mark(v).update(|mark| is_open(mark).then(|| change(mark)));
    }

    /// Visits of a move, those under way included.
    #[inline]
    fn visits(&self, v: Vertex) -> u32 {
        self.visit_word(v).map_or(0, |word| word.load(Relaxed)) % DRAWN_VISITS
    }

    // Proofs.

    /// The proven result of a move for the node's player.
    fn move_verdict(&self, v: Vertex) -> Option<Verdict> {
        match self.mark(v).get() {
            mark if is_lost(mark) => Some(Verdict::Loss),
            mark::WON => Some(Verdict::Win),
            _ if self.visit_word(v).is_some_and(|word| word.load(Relaxed) >= DRAWN_VISITS) => Some(Verdict::Draw),
            _ => None,
        }
    }

    /// Whether a move is the one to choose where all lose: see [`mark::LAST_RESORT`].
    fn is_last_resort(&self, v: Vertex) -> bool {
        self.mark(v).get() == mark::LAST_RESORT
    }

    /// Sets the proven result of a move, and returns what follows for the position: a win if the move wins; once no
    /// move is open, a draw if a move draws, else a loss. For a draw, there must be room for visits of the move.
    fn prove_move(&self, v: Vertex, verdict: Verdict) -> Option<Verdict> {
        if self.move_verdict(v).is_some() {
            return None;
        }
        match verdict {
            Verdict::Win => {
                self.mark(v).set(mark::WON);
                return Some(Verdict::Win);
            }
            Verdict::Loss => {
                if is_lost(self.mark(v).swap(mark::LOST)) {
                    return None;
                }
            }
            Verdict::Draw => {
                let visits = self.visit_word(v).expect("there is room for visits");
                if visits.fetch_add(DRAWN_VISITS, AcqRel) >= DRAWN_VISITS {
                    visits.fetch_sub(DRAWN_VISITS, AcqRel);
                    return None;
                }
                self.settle_draw(v);
                self.word(Word::State).fetch_or(DRAWN, Release);
            }
        }
        self.close_move()
    }

    // Links.

    /// The node behind a move, if there is one.
    #[inline]
    fn link(&self, v: Vertex) -> Option<NodeId> {
        NodeId::from_word(self.link_word(v)?.load(Acquire))
    }

    /// Links a complete node behind a move, for which there must be room. Returns false if another thread was first.
    fn set_link(&self, v: Vertex, id: NodeId) -> bool {
        let word = self.link_word(v).expect("there is room for a link");
        let is_first = word.compare_exchange(0, id.0, AcqRel, Acquire).is_ok();
        if is_first {
            self.word(Word::Links).fetch_add(1, Relaxed);
        }
        is_first
    }

    /// All nodes behind moves.
    fn links(self) -> impl Iterator<Item = NodeId> {
        // Most nodes have none, so their words need not be read.
        let count = self.word(Word::Links).load(Relaxed) as usize;
        self.link_words().filter_map(|word| NodeId::from_word(word.load(Relaxed))).take(count)
    }

    /// Removes the links to the nodes that `which` accepts.
    fn unlink(&self, which: impl Fn(NodeId) -> bool) {
        if self.word(Word::Links).load(Relaxed) == 0 {
            return;
        }
        for word in self.link_words() {
            if NodeId::from_word(word.load(Relaxed)).is_some_and(&which) {
                word.store(0, Relaxed);
                self.word(Word::Links).fetch_sub(1, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search::puct::Puct;
    use crate::engine::search::rave::Rave;
    use crate::engine::search::tree::Tree;
    use crate::game::Geometry;
    use std::sync::Barrier;

    /// What other threads do at the same instant with a move that is proven to draw changes neither the proof nor the
    /// move's value, and no visit is lost. `end_visit` ends a won visit.
    fn check_draws<L: Layout>(end_visit: impl Fn(L::Node<'_>, Vertex) + Sync) {
        let rounds = if cfg!(miri) { 10 } else { 20_000 };
        let visits = 20;
        let tree = Tree::<L>::new(Geometry::with_side(3).unwrap(), false, 1 << 26);
        let nodes: Vec<NodeId> = (0..rounds).map(|_| tree.allocate_whole().unwrap()).collect();
        let [v, other] = [Vertex(7), Vertex(8)];
        let visit = |id: NodeId| {
            let node = tree.node(id);
            node.begin_visit(v);
            end_visit(node, v);
        };
        let barrier = Barrier::new(2);
        // A failed assertion between two meetings would leave the other thread waiting.
        let mut wrong = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for &id in &nodes {
                    barrier.wait();
                    (0..visits).for_each(|_| visit(id));
                    barrier.wait();
                }
            });
            for (round, &id) in nodes.iter().enumerate() {
                let node = tree.node(id);
                [v, other].iter().for_each(|&v| node.add_move(v, 0.5));
                barrier.wait();
                let own = round as u32 % 16;
                (0..own).for_each(|_| visit(id));
                node.prove_move(v, Verdict::Draw);
                barrier.wait();
                let is_drawn = node.move_verdict(v) == Some(Verdict::Draw) && node.is_forced();
                let mean = node.mean(v).expect("the move has visits");
                let all = visits + own;
                if !is_drawn || (mean - 0.5).abs() > 0.001 || node.visits(v) != all || node.total_visits() != all {
                    wrong.push((is_drawn, mean, node.visits(v), node.total_visits()));
                }
            }
        });
        assert!(wrong.is_empty(), "{} of {rounds}, such as {:?}", wrong.len(), wrong[0]);
    }

    #[test]
    fn a_drawn_move_stays_drawn_while_other_threads_visit_it() {
        check_draws::<Puct>(|node, v| node.end_visit(v, 1.0));
        check_draws::<Rave>(|node, v| {
            node.statistics().end_visit(v, 2);
            node.begin_visit(v);
            node.statistics().cancel_visit(v);
        });
    }
}
