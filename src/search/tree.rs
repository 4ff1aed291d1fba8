//! The search tree: nodes whose statistics stand in one dense array for each kind (structure of arrays).
//!
//! A node has room for every vertex of the board in each of its arrays, so that selection
//! ([`super::kernel::Kernel::puct`], [`super::kernel::Kernel::rave`]) and the RAVE update ([`super::kernel::Kernel::add`])
//! are straight loops over vectors, and so that all nodes have one size and a freed one serves for any other. Which arrays
//! there are depends on the [`Method`] of the search. All words are atomic, read and written without ordering but for the
//! links: threads share the tree without locks, at the price that an update can be lost when two fall on the same word at
//! the same instant, which the statistics bear.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::*};
use std::sync::{OnceLock, RwLock};

use super::options::Method;
use super::report::Verdict;
use crate::board::{Color, Geometry, Vertex};

/// A node's name: its number in the arena, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// Its number.
    #[inline]
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// A step of a path down the tree: the node, and the move made there.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub node: NodeId,
    pub vertex: Vertex,
}

/// A cache line.
#[repr(C, align(64))]
struct Line {
    _words: [AtomicU32; LINE],
}
const LINE: usize = 16;

/// Nodes are allocated in chunks of about so many bytes.
const CHUNK_BYTES: usize = 1 << 21;

/// The arena of all nodes of a tree.
pub(crate) struct Tree {
    method: Method,
    stride: usize,
    lines_per_node: usize,
    nodes_per_chunk: usize,
    capacity: usize,
    chunks: Box<[OnceLock<Box<[Line]>>]>,
    /// Nodes taken from the arena's fresh part.
    fresh: AtomicUsize,
    /// Nodes given back, of which the first `reused` serve again. Locked for writing only while no thread searches.
    free: RwLock<Vec<NodeId>>,
    reused: AtomicUsize,
}

impl Tree {
    /// An empty tree for searches of a board by a method. Takes no memory until the first node is made, and then no more
    /// than `bytes` (but at least one chunk of nodes).
    pub fn new(geometry: &Geometry, method: Method, bytes: usize) -> Tree {
        Tree::of_chunks(geometry, method, CHUNK_BYTES, |chunk| bytes / chunk)
    }

    /// An empty tree with room for so many nodes.
    pub fn with_room_for(geometry: &Geometry, method: Method, nodes: usize) -> Tree {
        let node = lines_per_node(stride(geometry), method) * size_of::<Line>();
        Tree::of_chunks(geometry, method, nodes * node, |_| 1)
    }

    /// A tree of chunks of about `chunk_bytes`; how many is to be told from their exact size.
    fn of_chunks(geometry: &Geometry, method: Method, chunk_bytes: usize, chunks: impl FnOnce(usize) -> usize) -> Tree {
        let stride = stride(geometry);
        let lines_per_node = lines_per_node(stride, method);
        let nodes_per_chunk = chunk_bytes / (lines_per_node * size_of::<Line>());
        let chunks = chunks(nodes_per_chunk * lines_per_node * size_of::<Line>()).max(1);
        Tree {
            method,
            stride,
            lines_per_node,
            nodes_per_chunk,
            capacity: chunks * nodes_per_chunk,
            chunks: (0..chunks).map(|_| OnceLock::new()).collect(),
            fresh: AtomicUsize::new(0),
            free: RwLock::new(Vec::new()),
            reused: AtomicUsize::new(0),
        }
    }

    /// The length of a node's arrays: the number of vertices, rounded up to whole cache lines.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// How many nodes are in use.
    pub fn len(&self) -> usize {
        let free = self.free.read().expect("no thread panics with the lock").len();
        self.fresh_taken() - (free - self.reused.load(Relaxed).min(free))
    }

    /// The memory taken from the system for nodes, in bytes.
    pub fn bytes(&self) -> usize {
        let chunks = self.chunks.iter().filter(|chunk| chunk.get().is_some()).count();
        chunks * self.nodes_per_chunk * self.lines_per_node * size_of::<Line>()
    }

    /// Whether no further node can be made.
    pub fn is_full(&self) -> bool {
        self.len() >= self.capacity
    }

    /// How many nodes of the arena have ever been taken.
    fn fresh_taken(&self) -> usize {
        self.fresh.load(Relaxed).min(self.capacity)
    }

    /// Forgets all nodes; their memory is kept for new ones.
    pub fn clear(&mut self) {
        self.free.get_mut().expect("no thread panics with the lock").clear();
        *self.fresh.get_mut() = 0;
        *self.reused.get_mut() = 0;
    }

    /// A new node: no playouts, no legal moves, nothing proven. `None` where the memory is used up.
    pub fn allocate(&self, horizon: u32) -> Option<NodeId> {
        let id = self.take()?;
        let node = self.node(id);
        let fill = |words: &[AtomicU32], value: u32| {
            // SAFETY: the node was given to nobody else and is linked behind no move, so no other thread reads or writes
            // its words, and an atomic word has the layout of its integer.
            unsafe { std::slice::from_raw_parts_mut(words.as_ptr().cast::<u32>().cast_mut(), words.len()) }.fill(value);
        };
        fill(node.words, 0);
        fill(node.array(Array::Bias), bias::ILLEGAL.to_bits());
        node.set_horizon(horizon);
        Some(id)
    }

    /// A node that is in no one's hands.
    fn take(&self) -> Option<NodeId> {
        let free = self.free.read().expect("no thread panics with the lock");
        if self.reused.load(Relaxed) < free.len()
            && let Some(&id) = free.get(self.reused.fetch_add(1, Relaxed))
        {
            return Some(id);
        }
        if self.fresh.load(Relaxed) >= self.capacity {
            return None;
        }
        let number = self.fresh.fetch_add(1, Relaxed);
        (number < self.capacity).then(|| NodeId(number as u32 + 1))
    }

    /// Gives back every node that is not below `root`. No thread may search meanwhile.
    pub fn keep_below(&self, root: NodeId) {
        self.free_all_but(&self.below(root));
    }

    /// Makes room: gives back the least visited nodes below `root`, with all below them, so that no more than half of
    /// the nodes that there is room for remain. No thread may search meanwhile.
    ///
    /// A move's statistics stand in the node before it and stay; so does what is proven of it.
    pub fn prune(&self, root: NodeId) {
        let mut kept = self.below(root);
        let mut playouts: Vec<u32> = kept.iter().map(|&id| self.node(id).total_visits()).collect();
        let goal = self.capacity / 2;
        if kept.len() > goal {
            let (_, &mut least, _) = playouts.select_nth_unstable_by(goal, |a, b| b.cmp(a));
            // No node has more playouts than the one above it: what remains is a tree.
            for &id in &kept {
                self.node(id).unlink(|next| next != root && self.node(next).total_visits() <= least);
            }
            kept = self.below(root);
        }
        self.free_all_but(&kept);
    }

    /// Books, from the end of a path upwards, what its last move is proven to lead to for the player who makes it.
    pub fn prove(&self, path: &[Step], verdict: Verdict) {
        let mut verdict = verdict;
        for step in path.iter().rev() {
            let node = self.node(step.node);
            let Some(proven) = node.prove_move(step.vertex, verdict) else { return };
            node.set_verdict(proven);
            verdict = proven.of_opponent();
        }
    }

    /// All nodes of the subtree of `root`.
    fn below(&self, root: NodeId) -> Vec<NodeId> {
        let mut found = vec![root];
        let mut next = 0;
        while next < found.len() {
            found.extend(self.node(found[next]).links());
            next += 1;
        }
        found
    }

    fn free_all_but(&self, kept: &[NodeId]) {
        let fresh = self.fresh_taken();
        let mut used = vec![false; fresh];
        kept.iter().for_each(|id| used[id.0 as usize - 1] = true);
        let unused = (0..fresh).filter(|&i| !used[i]).map(|i| NodeId(i as u32 + 1));
        *self.free.write().expect("no thread panics with the lock") = unused.collect();
        self.fresh.store(fresh, Relaxed);
        self.reused.store(0, Relaxed);
    }

    /// A node's words.
    #[inline]
    pub fn node(&self, id: NodeId) -> Node<'_> {
        let number = id.0 as usize - 1;
        let chunk = self.chunks[number / self.nodes_per_chunk].get_or_init(|| {
            let lines = Box::<[Line]>::new_zeroed_slice(self.nodes_per_chunk * self.lines_per_node);
            // SAFETY: a line is made of integers, for which all zeros is a value.
            unsafe { lines.assume_init() }
        });
        let first = number % self.nodes_per_chunk * self.lines_per_node;
        let lines = &chunk[first..first + self.lines_per_node];
        Node { words: words(lines), stride: self.stride, method: self.method }
    }
}

#[cfg(test)]
impl Tree {
    /// All nodes of a tree that has given none back, in the order they were made.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        (1..=self.len() as u32).map(|number| self.node(NodeId(number)))
    }
}

/// The length of a node's arrays on a board.
fn stride(geometry: &Geometry) -> usize {
    geometry.vertex_count().next_multiple_of(LINE)
}

/// The lines of a node whose arrays have this length.
fn lines_per_node(stride: usize, method: Method) -> usize {
    1 + arrays(method) * stride / LINE
}

/// The words of lines.
#[inline]
fn words(lines: &[Line]) -> &[AtomicU32] {
    let first: *const [AtomicU32; LINE] = lines.as_ptr().cast();
    // SAFETY: a `Line` is an array of `LINE` words without padding: 64 bytes, aligned to 64.
    unsafe { std::slice::from_raw_parts(first, lines.len()) }.as_flattened()
}
const _: () = assert!(size_of::<Line>() == LINE * size_of::<AtomicU32>());

/// The arrays of a node, one entry a vertex.
#[derive(Clone, Copy)]
enum Array {
    /// Playouts through the move, those under way included: these count as lost until they end (virtual loss).
    Visits,
    /// What came of them for the node's player: with [`Method::Rave`] half points, 2 a win and 1 a draw; with
    /// [`Method::Puct`] the mean value, a float in \[0, 1\], which stays as fine after many playouts as after few.
    Results,
    /// With [`Method::Rave`] what is added to the move's value, with [`Method::Puct`] its probability in the network's
    /// eyes; also tells whether it is legal and what it is proven to be: see [`bias`].
    Bias,
    /// The [`NodeId`] after the move, or 0.
    Link,
    /// With [`Method::Rave`]: the weight of the playouts in which the node's player made the move, then or later.
    RaveWeight,
    /// With [`Method::Rave`]: of that, the weight of those that the player won, draws half.
    RaveWins,
}

/// How many arrays, of the first ones, nodes have for searches by a method.
fn arrays(method: Method) -> usize {
    match method {
        Method::Puct => Array::RaveWeight as usize,
        Method::Rave => Array::RaveWins as usize + 1,
    }
}

/// Values of a move's bias with a meaning of their own.
pub(crate) mod bias {
    /// Not a legal move.
    pub const ILLEGAL: f32 = f32::NEG_INFINITY;
    /// Proven to lose for the player who makes it. Finite: the last resort where all legal moves lose.
    pub const LOST: f32 = -1e9;
    /// Proven to lose as well, but the one to choose where all moves do: the opponent has to find another win.
    pub const LAST_STAND: f32 = -5e8;
    /// Proven to win for the player who makes it.
    pub const WON: f32 = 1e9;
}

/// Whether a move with this bias is proven to lose.
#[inline]
fn is_lost(bias: f32) -> bool {
    bias == bias::LOST || bias == bias::LAST_STAND
}

/// A move proven to draw is given so many visits, half of them won, that its value is one half whatever follows.
pub(crate) const DRAWN_VISITS: u32 = 1 << 30;

/// Words of the header.
enum Header {
    Playouts,
    Verdict,
    Open,
    Drawn,
    Horizon,
    Links,
    Studied,
    Value,
}

/// A node: the position after a sequence of moves, from the point of view of the player to move there.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    words: &'a [AtomicU32],
    stride: usize,
    method: Method,
}

impl<'a> Node<'a> {
    #[inline]
    fn header(&self, word: Header) -> &'a AtomicU32 {
        &self.words[word as usize]
    }

    #[inline]
    fn array(&self, array: Array) -> &'a [AtomicU32] {
        let start = LINE + array as usize * self.stride;
        &self.words[start..start + self.stride]
    }

    #[inline]
    fn entry(&self, array: Array, v: Vertex) -> &'a AtomicU32 {
        &self.array(array)[v.index()]
    }

    #[inline]
    fn float(&self, array: Array, v: Vertex) -> f32 {
        f32::from_bits(self.entry(array, v).load(Relaxed))
    }

    /// Makes a move legal, with a bias.
    pub fn add_move(&self, v: Vertex, bias: f32) {
        self.entry(Array::Bias, v).store(bias.to_bits(), Relaxed);
        if !is_lost(bias) {
            add(self.header(Header::Open), 1);
        }
    }

    /// Sets the RAVE statistics of a move, which searches by [`Method::Rave`] have: `weight` playouts with the mean `value`.
    pub fn set_rave(&self, v: Vertex, weight: f32, value: f32) {
        self.entry(Array::RaveWeight, v).store(weight.to_bits(), Relaxed);
        self.entry(Array::RaveWins, v).store((weight * value).to_bits(), Relaxed);
    }

    /// The arrays that selection by [`Method::Puct`] reads: visits, means, probabilities.
    #[inline]
    pub fn puct_arrays(&self) -> [&'a [AtomicU32]; 3] {
        [Array::Visits, Array::Results, Array::Bias].map(|a| self.array(a))
    }

    /// The arrays that selection by [`Method::Rave`] reads: visits, points, RAVE weight, RAVE wins, bias.
    #[inline]
    pub fn selection_arrays(&self) -> [&'a [AtomicU32]; 5] {
        [Array::Visits, Array::Results, Array::RaveWeight, Array::RaveWins, Array::Bias].map(|a| self.array(a))
    }

    /// The RAVE arrays: weight, wins.
    #[inline]
    pub fn rave_arrays(&self) -> [&'a [AtomicU32]; 2] {
        [self.array(Array::RaveWeight), self.array(Array::RaveWins)]
    }

    /// Whether a move is the one to choose where all lose: see [`bias::LAST_STAND`].
    pub fn is_last_stand(&self, v: Vertex) -> bool {
        self.float(Array::Bias, v) == bias::LAST_STAND
    }

    /// Playouts through the node.
    #[inline]
    pub fn total_visits(&self) -> u32 {
        self.header(Header::Playouts).load(Relaxed)
    }

    /// Playouts through a move, of those under way too.
    #[inline]
    pub fn visits(&self, v: Vertex) -> u32 {
        match self.entry(Array::Visits, v).load(Relaxed) {
            visits if visits >= DRAWN_VISITS => visits - DRAWN_VISITS,
            visits => visits,
        }
    }

    /// The mean result of the move's playouts for the node's player, in \[0, 1\], draws half, or `None` without any.
    pub fn mean(&self, v: Vertex) -> Option<f64> {
        let visits = self.entry(Array::Visits, v).load(Relaxed);
        let results = self.entry(Array::Results, v).load(Relaxed);
        (visits > 0).then(|| match self.method {
            Method::Puct => f32::from_bits(results).into(),
            Method::Rave => results as f64 / (2.0 * visits as f64),
        })
    }

    /// The RAVE estimate of a move, in \[0, 1\], or `None` without any.
    pub fn rave(&self, v: Vertex) -> Option<f64> {
        if self.method != Method::Rave {
            return None;
        }
        let weight = self.float(Array::RaveWeight, v);
        (weight > 0.0).then(|| (self.float(Array::RaveWins, v) / weight) as f64)
    }

    /// Counts a playout through a move before its result is known: a virtual loss. Returns the visits before.
    #[inline]
    pub fn begin_visit(&self, v: Vertex) -> u32 {
        add(self.header(Header::Playouts), 1);
        let before = add(self.entry(Array::Visits, v), 1);
        if self.method == Method::Puct && before > 0 {
            self.change_mean(v, |mean| mean * (before as f32 / (before as f32 + 1.0)));
        }
        before
    }

    /// Books the result of a playout through a move in a search by [`Method::Rave`]: half points for the node's player.
    #[inline]
    pub fn end_visit(&self, v: Vertex, points: u32) {
        if points != 0 {
            add(self.entry(Array::Results, v), points);
        }
    }

    /// Books the value, in \[0, 1\] for the node's player, that was found below a move in a search by [`Method::Puct`].
    #[inline]
    pub fn end_evaluation(&self, v: Vertex, value: f32) {
        let visits = self.entry(Array::Visits, v).load(Relaxed);
        self.change_mean(v, |mean| mean + value / visits as f32);
    }

    #[inline]
    fn change_mean(&self, v: Vertex, change: impl Fn(f32) -> f32) {
        let word = self.entry(Array::Results, v);
        word.store(change(f32::from_bits(word.load(Relaxed))).to_bits(), Relaxed);
    }

    /// Whether only one move is open.
    #[inline]
    pub fn is_forced(&self) -> bool {
        self.header(Header::Open).load(Relaxed) == 1
    }

    /// Whether nobody has yet studied the node; from now on somebody has.
    pub fn begin_study(&self) -> bool {
        self.header(Header::Studied).load(Relaxed) == 0 && self.header(Header::Studied).swap(1, Relaxed) == 0
    }

    /// Keeps the network's value of the position for the player to move.
    pub fn set_value(&self, value: f32) {
        self.header(Header::Value).store(value.to_bits(), Relaxed);
    }

    /// The network's value of the position for the player to move, in \[0, 1\], if it was shown to the network.
    pub fn value(&self) -> Option<f32> {
        let bits = self.header(Header::Value).load(Relaxed);
        (bits != 0).then(|| f32::from_bits(bits))
    }

    /// Changes the bias of a move about which nothing is proven.
    pub fn change_bias(&self, v: Vertex, change: impl Fn(f32) -> f32) {
        let new = |bits: u32| {
            let old = f32::from_bits(bits);
            (old > bias::LOST && old < bias::WON && !is_lost(old)).then(|| change(old).to_bits())
        };
        let _ = self.entry(Array::Bias, v).fetch_update(Relaxed, Relaxed, new);
    }

    /// Adds to the node's playouts and RAVE statistics what `copy` has more than `base`. Nothing of it is lost, whatever other
    /// threads add at the same time by this function.
    pub fn add_difference(&self, copy: Node<'_>, base: Node<'_>) {
        let count = |[word, new, old]: [&AtomicU32; 3]| {
            let difference = new.load(Relaxed).wrapping_sub(old.load(Relaxed));
            if difference != 0 {
                word.fetch_add(difference, Relaxed);
            }
        };
        let sum = |[word, new, old]: [&AtomicU32; 3]| {
            let float = f32::from_bits;
            let difference = float(new.load(Relaxed)) - float(old.load(Relaxed));
            if difference != 0.0 {
                let add = |bits: u32| Some((float(bits) + difference).to_bits());
                let _ = word.fetch_update(Relaxed, Relaxed, add);
            }
        };
        let nodes = [self, &copy, &base];
        count(nodes.map(|node| node.header(Header::Playouts)));
        for i in 0..self.stride {
            let words = |array| nodes.map(|node| &node.array(array)[i]);
            [Array::Visits, Array::Results].map(words).into_iter().for_each(count);
            [Array::RaveWeight, Array::RaveWins].map(words).into_iter().for_each(sum);
        }
    }

    /// Takes over the playouts and RAVE statistics of another node.
    pub fn take_statistics(&self, from: Node<'_>) {
        self.header(Header::Playouts).store(from.total_visits(), Relaxed);
        for array in [Array::Visits, Array::Results, Array::RaveWeight, Array::RaveWins] {
            for (word, from) in self.array(array).iter().zip(from.array(array)) {
                word.store(from.load(Relaxed), Relaxed);
            }
        }
    }

    /// Takes back [`Node::begin_visit`].
    #[inline]
    pub fn cancel_visit(&self, v: Vertex) {
        add(self.header(Header::Playouts), u32::MAX);
        add(self.entry(Array::Visits, v), u32::MAX);
    }

    /// The node after a move, if it was made.
    #[inline]
    pub fn link(&self, v: Vertex) -> Option<NodeId> {
        match self.entry(Array::Link, v).load(Acquire) {
            0 => None,
            id => Some(NodeId(id)),
        }
    }

    /// Links an initialised node behind a move. `false` if another thread was first.
    pub fn set_link(&self, v: Vertex, id: NodeId) -> bool {
        let first = self.entry(Array::Link, v).compare_exchange(0, id.0, AcqRel, Acquire).is_ok();
        if first {
            self.header(Header::Links).fetch_add(1, Relaxed);
        }
        first
    }

    /// All nodes linked behind a move.
    fn links(&self) -> impl Iterator<Item = NodeId> + use<'a> {
        // Most nodes have none: their array need not be read.
        let count = self.header(Header::Links).load(Relaxed) as usize;
        let ids = self.array(Array::Link).iter().map(|word| word.load(Relaxed)).filter(|&id| id != 0);
        ids.take(count).map(NodeId)
    }

    /// Cuts the links to the nodes that `which` names.
    fn unlink(&self, which: impl Fn(NodeId) -> bool) {
        if self.header(Header::Links).load(Relaxed) == 0 {
            return;
        }
        for word in self.array(Array::Link) {
            let id = word.load(Relaxed);
            if id != 0 && which(NodeId(id)) {
                word.store(0, Relaxed);
                self.header(Header::Links).fetch_sub(1, Relaxed);
            }
        }
    }

    /// The legal moves.
    pub fn moves(&self) -> impl Iterator<Item = Vertex> + use<'a> {
        let biases = self.array(Array::Bias).iter().enumerate();
        biases.filter(|(_, b)| f32::from_bits(b.load(Relaxed)) != bias::ILLEGAL).map(|(i, _)| Vertex(i as u16))
    }

    /// What the position is proven to be for the node's player.
    #[inline]
    pub fn verdict(&self) -> Option<Verdict> {
        match self.header(Header::Verdict).load(Acquire) {
            1 => Some(Verdict::Win),
            2 => Some(Verdict::Loss),
            3 => Some(Verdict::Draw),
            _ => None,
        }
    }

    /// States what the position is proven to be.
    pub fn set_verdict(&self, verdict: Verdict) {
        self.header(Header::Verdict).store(
            match verdict {
                Verdict::Win => 1,
                Verdict::Loss => 2,
                Verdict::Draw => 3,
            },
            Release,
        );
    }

    /// What a move is proven to lead to, for the player who makes it.
    pub fn move_verdict(&self, v: Vertex) -> Option<Verdict> {
        match self.float(Array::Bias, v) {
            bias if is_lost(bias) => Some(Verdict::Loss),
            bias::WON => Some(Verdict::Win),
            _ if self.entry(Array::Visits, v).load(Relaxed) >= DRAWN_VISITS => Some(Verdict::Draw),
            _ => None,
        }
    }

    /// States what a move leads to, and returns what follows for the node, if anything does: a win if the move wins, and
    /// once no move is left open, a draw if one draws, else a loss.
    pub fn prove_move(&self, v: Vertex, verdict: Verdict) -> Option<Verdict> {
        if self.move_verdict(v).is_some() {
            return None;
        }
        match verdict {
            Verdict::Win => {
                self.entry(Array::Bias, v).store(bias::WON.to_bits(), Relaxed);
                return Some(Verdict::Win);
            }
            Verdict::Loss => {
                let old = self.entry(Array::Bias, v).swap(bias::LOST.to_bits(), AcqRel);
                if is_lost(f32::from_bits(old)) {
                    return None;
                }
            }
            Verdict::Draw => {
                let visits = self.entry(Array::Visits, v);
                if visits.fetch_add(DRAWN_VISITS, AcqRel) >= DRAWN_VISITS {
                    visits.fetch_sub(DRAWN_VISITS, AcqRel);
                    return None;
                }
                match self.method {
                    Method::Puct => self.change_mean(v, |_| 0.5),
                    Method::Rave => _ = self.entry(Array::Results, v).fetch_add(DRAWN_VISITS, AcqRel),
                }
                self.header(Header::Drawn).store(1, Release);
            }
        }
        let open = self.header(Header::Open).fetch_sub(1, AcqRel) - 1;
        match (open, self.header(Header::Drawn).load(Acquire)) {
            (0, 0) => Some(Verdict::Loss),
            (0, _) => Some(Verdict::Draw),
            _ => None,
        }
    }

    /// The playout horizon (paper, section 5): a playout from here that takes more moves is discarded.
    #[inline]
    pub fn horizon(&self) -> u32 {
        self.header(Header::Horizon).load(Relaxed)
    }

    /// Sets the playout horizon.
    #[inline]
    pub fn set_horizon(&self, horizon: u32) {
        self.header(Header::Horizon).store(horizon, Relaxed);
    }

    /// Every word but the horizon and the links, for tests that compare.
    #[cfg(test)]
    pub fn statistics(&self) -> Vec<u32> {
        let links = LINE + Array::Link as usize * self.stride;
        let structure = [Header::Horizon as usize, Header::Links as usize];
        let words = self.words.iter().enumerate();
        let words = words.filter(|(i, _)| !structure.contains(i) && !(links..links + self.stride).contains(i));
        words.map(|(_, word)| word.load(Relaxed)).collect()
    }
}

/// Adds without a locked instruction, and returns the value before. Two threads that add at the same instant can lose
/// one of the two.
#[inline]
fn add(word: &AtomicU32, n: u32) -> u32 {
    let before = word.load(Relaxed);
    word.store(before.wrapping_add(n), Relaxed);
    before
}

/// The half points that a playout's winner is worth to `color`.
#[inline]
pub(crate) fn points(color: Color, winner: Option<Color>) -> u32 {
    match winner {
        Some(winner) if winner == color => 2,
        Some(_) => 0,
        None => 1,
    }
}
