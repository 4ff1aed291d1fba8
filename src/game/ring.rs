//! Offline recognition of rings (paper, section 8): when each vertex was first captured, by Dijkstra's algorithm in the
//! (max,min)-semiring.
//!
//! The input is the paper's *b*: for each vertex, the number of the move with which the player in question took it, or
//! +∞. The capture time *s*\[p\] is the maximum, over all paths from the rim to *p*, of the minimum of *b* on the path
//! without *p* itself. That is the move which cut the last way out.
//!
//! The paper's priority queue holds vertices by their tentative value of *s* and raises the values of queued vertices,
//! in O(n log n). Here a vertex *p* waits in the queue with the value *s*\[p\] ⊗ *b*\[p\], which it passes on to its
//! neighbours. Values leave the queue in descending order, so the first value that a vertex receives is its greatest,
//! and no vertex is queued twice. If this value is lower than the present one, it is *b*\[p\], the number of the
//! vertex's own move, so the values in the queue are distinct. Therefore one flag per move is enough for a queue, and
//! the time is linear in the size of the board.

use super::color::Color;
use super::geometry::{Cell, Geometry, MAX_CELLS, MAX_VERTICES, Vertex};

/// The move number or capture time +∞: never.
const NEVER: u16 = u16::MAX;

/// The capture time of a vertex that has not been reached yet.
const UNREACHED: u16 = u16::MAX - 1;

/// Room for all cells, as a power of two, so that masking an index replaces the bounds check.
const CELLS: usize = MAX_CELLS.next_power_of_two();

/// Room for one flag per move and an unused one at the end, as a power of two.
const FLAGS: usize = (MAX_VERTICES + 1).next_power_of_two();

/// The paper's offline search for rings (section 8). It keeps its working space, so a search does not allocate.
///
/// ```
/// use malecon::game::{Color, Geometry, RingFinder};
/// let board = Geometry::with_side(3)?;
/// let centre = board.vertex_at_cube([0; 3]).unwrap();
/// // White plays the six neighbours of the centre, and black plays corners in between.
/// let corners = board.vertices().filter(|&v| board.is_corner(v));
/// let moves: Vec<_> = board.neighbours(centre).iter().copied().zip(corners).flat_map(|(w, b)| [w, b]).collect();
/// let mut finder = RingFinder::new(board);
/// assert_eq!(finder.earliest(&moves, Color::White, Color::White), Some(10));
/// assert_eq!(finder.earliest(&moves, Color::White, Color::Black), None);
/// # Ok::<(), malecon::game::SideError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RingFinder {
    geometry: &'static Geometry,
    /// The paper's b: for each cell, the number of the move that took it, from 0, or [`NEVER`].
    taken: [u16; CELLS],
    /// The paper's s.
    captured: [u16; CELLS],
    /// The initial s: +∞ on the rim, and also off the board, so that those cells count as reached.
    initial: [u16; CELLS],
    rim: Vec<Cell>,
    /// For each move number, the stone that was placed.
    stones: [Cell; MAX_VERTICES],
    /// The queue: for each move number, whether its stone waits.
    waiting: [bool; FLAGS],
    /// A stack of the vertices that pass on the present value, with room for one more.
    open: [Cell; MAX_VERTICES + 1],
}

impl RingFinder {
    /// A finder for this board.
    pub fn new(geometry: &'static Geometry) -> RingFinder {
        let (rim, inner): (Vec<Vertex>, Vec<Vertex>) = geometry.vertices().partition(|&v| geometry.rim(v) != 0);
        let mut initial = [NEVER; CELLS];
        inner.iter().for_each(|&v| initial[geometry.cell(v).index()] = UNREACHED);
        RingFinder {
            geometry,
            taken: [NEVER; CELLS],
            captured: [NEVER; CELLS],
            initial,
            rim: rim.into_iter().map(|v| geometry.cell(v)).collect(),
            stones: [Cell::default(); MAX_VERTICES],
            waiting: [false; FLAGS],
            open: [Cell::default(); MAX_VERTICES + 1],
        }
    }

    /// The index of the first of `moves` with which `color` completed a ring, or `None` if it completed none.
    ///
    /// The players take turns, `first` moving first. `moves` must be vertices of this board, all different.
    pub fn earliest(&mut self, moves: &[Vertex], first: Color, color: Color) -> Option<usize> {
        self.clear();
        let parity = (first != color) as usize;
        moves.iter().enumerate().skip(parity).step_by(2).for_each(|(number, &v)| self.take(number, v));
        self.earliest_capture()
    }

    /// Like [`RingFinder::earliest`], but the colours of the stones need not alternate.
    pub fn earliest_of(&mut self, moves: impl IntoIterator<Item = (Color, Vertex)>, color: Color) -> Option<usize> {
        self.clear();
        let own = moves.into_iter().enumerate().filter(|(_, (c, _))| *c == color);
        own.for_each(|(number, (_, v))| self.take(number, v));
        self.earliest_capture()
    }

    fn clear(&mut self) {
        let cells = self.geometry.cell_count();
        self.taken[..cells].fill(NEVER);
        self.captured[..cells].copy_from_slice(&self.initial[..cells]);
        self.waiting = [false; FLAGS];
    }

    #[inline(always)]
    fn take(&mut self, number: usize, v: Vertex) {
        let cell = self.geometry.cell(v);
        self.taken[cell.index() % CELLS] = number as u16;
        self.stones[number] = cell;
    }

    fn earliest_capture(&mut self) -> Option<usize> {
        let mut unreached = self.geometry.vertex_count() - self.rim.len();
        let mut open = 0;
        for i in 0..self.rim.len() {
            open += self.reach(self.rim[i], NEVER, true, open);
        }
        unreached -= self.spread(NEVER, open, unreached);
        let mut earliest = None;
        // Every value that enters the queue is lower than the value that is passed on.
        for value in (0..MAX_VERTICES).rev() {
            if unreached == 0 {
                break;
            }
            if self.waiting[value] {
                self.open[0] = self.stones[value];
                let reached = self.spread(value as u16, 1, unreached);
                if reached > 0 {
                    earliest = Some(value);
                    unreached -= reached;
                }
            }
        }
        earliest
    }

    /// Passes `value` on from the first `open` entries of the stack to every vertex that can be reached with it and has
    /// not been reached before. There are `unreached` such vertices at most. Returns the number of vertices reached.
    #[inline]
    fn spread(&mut self, value: u16, mut open: usize, unreached: usize) -> usize {
        let offsets = self.geometry.offsets();
        let mut reached = 0;
        while open > 0 && reached < unreached {
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

    /// If `p` has been reached for the first time (`new`), puts it on the stack at index `open` if it passes on
    /// `value`, or lets it wait in the queue if it passes on less. Returns the number of entries added to the stack.
    ///
    /// There are no branches, because the processor could not predict them: an unwanted write goes where it has no
    /// effect.
    #[inline(always)]
    fn reach(&mut self, p: Cell, value: u16, new: bool, open: usize) -> usize {
        let taken = self.taken[p.index() % CELLS];
        let waits = new & (taken < value);
        self.waiting[if waits { taken as usize } else { FLAGS - 1 } % FLAGS] = true;
        self.open[open] = p;
        (new & !waits) as usize
    }
}
