//! Offline recognition of rings (paper, section 8): the earliest capture of each vertex, by Dijkstra's algorithm in
//! the (max,min)-semiring.
//!
//! Input is *b*, the number of the move with which the colour in question took each vertex (+∞ where it never did).
//! The capture time *s*\[p\] of a vertex is the maximum over all paths from the rim to *p* of the minimum of *b* on the
//! path, *p* excluded: the move at which the last way out was cut.
//!
//! The paper keeps vertices in a priority queue and raises their values there, in O(n log n). Here the queue holds
//! edges' origins instead: a vertex *p* waits with the value *s*\[p\] ⊗ *b*\[p\] that its edges give to its neighbours. Values
//! come out in descending order, so a neighbour's first value is its greatest, and no vertex is queued twice or raised.
//! Of the vertices waiting for a value below the present one each has its own, the number of its move: a flag for each
//! move is the queue, and the whole is linear in the board's size.

use super::color::Color;
use super::geometry::{Cell, Geometry, MAX_CELLS, MAX_VERTICES, Vertex};

/// A move number or capture time that stands for +∞: never.
pub const NEVER: u16 = u16::MAX;

/// The time of a vertex that no path was found to yet.
const UNREACHED: u16 = u16::MAX - 1;

/// Room for all cells, as a power of two: an index is cut down to it instead of checked.
const CELLS: usize = MAX_CELLS.next_power_of_two();

/// Room for a flag for each move, and for the last one, which means nothing.
const FLAGS: usize = (MAX_VERTICES + 1).next_power_of_two();

/// Working space of [`RingFinder::earliest`], kept between calls so that they do not allocate.
pub struct RingFinder {
    geometry: &'static Geometry,
    /// The paper's b: for each cell the number of the move that took it, from 0, or [`NEVER`].
    taken: [u16; CELLS],
    /// The paper's s.
    captured: [u16; CELLS],
    /// The paper's s at the start: +∞ on the rim, and off the board, where nothing is to be reached.
    start: [u16; CELLS],
    rim: Vec<Cell>,
    /// The stones, by the number of their move.
    stones: [Cell; MAX_VERTICES],
    /// The queue: by the number of its move, whether a stone waits.
    waiting: [bool; FLAGS],
    /// Vertices that pass on the present value; room for one more.
    open: [Cell; MAX_VERTICES + 1],
}

impl RingFinder {
    /// A finder for one board.
    pub fn new(geometry: &'static Geometry) -> RingFinder {
        let (rim, inner): (Vec<Vertex>, Vec<Vertex>) = geometry.vertices().partition(|&v| geometry.rim(v) != 0);
        let mut start = [NEVER; CELLS];
        inner.iter().for_each(|&v| start[geometry.cell(v).index()] = UNREACHED);
        RingFinder {
            geometry,
            taken: [NEVER; CELLS],
            captured: [NEVER; CELLS],
            start,
            rim: rim.into_iter().map(|v| geometry.cell(v)).collect(),
            stones: [Cell::default(); MAX_VERTICES],
            waiting: [false; FLAGS],
            open: [Cell::default(); MAX_VERTICES + 1],
        }
    }

    /// The number, counted from 0, of the first move of `moves` with which `color` completed a ring, if any. The
    /// moves alternate, beginning with `first`; no vertex occurs twice.
    pub fn earliest(&mut self, moves: &[Vertex], first: Color, color: Color) -> Option<usize> {
        self.clear();
        let parity = (first != color) as usize;
        moves.iter().enumerate().skip(parity).step_by(2).for_each(|(number, &v)| self.take(number, v));
        self.earliest_capture()
    }

    /// Like [`RingFinder::earliest`], for moves given as pairs of colour and vertex in any order of colours.
    pub fn earliest_of(&mut self, moves: impl IntoIterator<Item = (Color, Vertex)>, color: Color) -> Option<usize> {
        self.clear();
        let own = moves.into_iter().enumerate().filter(|(_, (c, _))| *c == color);
        own.for_each(|(number, (_, v))| self.take(number, v));
        self.earliest_capture()
    }

    /// The paper's s for the moves last given: for each vertex the move that captured it, or [`NEVER`].
    pub fn capture_times(&self) -> Vec<u16> {
        self.geometry.vertices().map(|v| self.captured[self.geometry.cell(v).index()]).collect()
    }

    fn clear(&mut self) {
        let cells = self.geometry.cell_count();
        self.taken[..cells].fill(NEVER);
        self.captured[..cells].copy_from_slice(&self.start[..cells]);
        self.waiting = [false; FLAGS];
    }

    #[inline(always)]
    fn take(&mut self, number: usize, v: Vertex) {
        let cell = self.geometry.cell(v);
        self.taken[cell.index() % CELLS] = number as u16;
        self.stones[number] = cell;
    }

    fn earliest_capture(&mut self) -> Option<usize> {
        let mut left = self.geometry.vertex_count() - self.rim.len();
        let mut open = 0;
        for i in 0..self.rim.len() {
            open += self.reach(self.rim[i], NEVER, true, open);
        }
        left -= self.spread(NEVER, open, left);
        let mut earliest = None;
        // What a value adds to the queue is less than the value.
        for value in (0..MAX_VERTICES).rev() {
            if left == 0 {
                break;
            }
            if self.waiting[value] {
                self.open[0] = self.stones[value];
                let reached = self.spread(value as u16, 1, left);
                if reached > 0 {
                    earliest = Some(value);
                    left -= reached;
                }
            }
        }
        earliest
    }

    /// Gives `value` to all vertices that the first `open` open ones lead to and that were not reached with a greater
    /// one, and returns how many those are. `left` vertices were not reached yet.
    #[inline]
    fn spread(&mut self, value: u16, mut open: usize, left: usize) -> usize {
        let offsets = self.geometry.offsets();
        let mut reached = 0;
        while open > 0 && reached < left {
            open -= 1;
            let p = self.open[open];
            for offset in offsets {
                let q = p.step(*offset);
                let time = &mut self.captured[q.index() % CELLS];
                let new = *time == UNREACHED;
                *time = if new { value } else { *time };
                reached += new as usize;
                open += self.reach(q, value, new, open);
            }
        }
        reached
    }

    /// If a vertex is reached as a `new` one: opens it, as number `open` of the open ones, if its own edges pass `value`
    /// on, and lets it wait if they pass on less. Returns how many were opened.
    ///
    /// Without branches, as none could be predicted: what does not happen is done where it means nothing.
    #[inline(always)]
    fn reach(&mut self, p: Cell, value: u16, new: bool, open: usize) -> usize {
        let taken = self.taken[p.index() % CELLS];
        let waits = new & (taken < value);
        self.waiting[if waits { taken as usize } else { FLAGS - 1 } % FLAGS] = true;
        self.open[open] = p;
        (new & !waits) as usize
    }
}
