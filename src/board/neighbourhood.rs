//! The stones around each vertex: what a new stone touches is one load away.
//!
//! Instead of whose stone stands on a vertex, the board keeps for each vertex which of its six neighbours hold a white
//! stone and which hold a black one. A new stone changes seven of these *neighbourhoods*, its own and its neighbours',
//! with three stores, as neighbours lie next to each other in the layout of [`Cell`].

use super::color::Color;
use super::geometry::{Cell, Geometry, MAX_CELLS};

/// The stones on and around one vertex: white's in the low byte, black's in the high one. In each byte, bit *d* (0 to
/// 5) is the neighbour in direction *d* of [`super::geometry::STEPS`], and bit 6 the vertex itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Neighbourhood(pub u16);

/// Bit of a byte of a [`Neighbourhood`]: a stone on the vertex itself.
const ITSELF: u8 = 1 << 6;
/// The six neighbours.
const AROUND: u8 = 0x3f;
/// A vertex off the board: neither empty nor of a colour.
const OFF_BOARD: u16 = 0x8080;

impl Neighbourhood {
    /// Neither a stone here nor off the board.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 & (OFF_BOARD | (ITSELF as u16) << 8 | ITSELF as u16) == 0
    }

    /// Whether a stone of this colour stands here.
    #[inline(always)]
    pub fn holds(self, color: Color) -> bool {
        self.byte(color) & ITSELF != 0
    }

    /// The directions (six bits) in which a stone of this colour stands.
    #[inline(always)]
    pub fn around(self, color: Color) -> usize {
        (self.byte(color) & AROUND) as usize
    }

    /// Whether all six neighbours hold a stone of this colour.
    #[inline(always)]
    pub fn surrounded_by(self, color: Color) -> bool {
        self.byte(color) & AROUND == AROUND
    }

    #[inline(always)]
    fn byte(self, color: Color) -> u8 {
        (self.0 >> (8 * color.index())) as u8
    }
}

/// The neighbourhoods of all cells of a board.
#[derive(Clone)]
pub(crate) struct Neighbourhoods {
    // Two more than there are cells: a store may reach over the end.
    words: [u16; MAX_CELLS + 2],
}

impl Neighbourhoods {
    /// Of the empty board.
    pub fn new(geometry: &Geometry) -> Neighbourhoods {
        let mut words = [OFF_BOARD; MAX_CELLS + 2];
        geometry.vertices().for_each(|v| words[geometry.cell(v).index()] = 0);
        Neighbourhoods { words }
    }

    #[inline(always)]
    pub fn copy_from(&mut self, other: &Neighbourhoods, cells: usize) {
        self.words[..cells].copy_from_slice(&other.words[..cells]);
    }

    /// The neighbourhood of a cell.
    #[inline(always)]
    pub fn at(&self, cell: Cell) -> Neighbourhood {
        debug_assert!(cell.index() < MAX_CELLS);
        // SAFETY: a `Cell` is made by `Geometry` alone, for a vertex of a board, or is a neighbour of one; all of
        // those are below `MAX_CELLS`.
        Neighbourhood(unsafe { *self.words.get_unchecked(cell.index()) })
    }

    /// Puts a stone on the cell of a vertex.
    #[inline(always)]
    pub fn set(&mut self, geometry: &Geometry, color: Color, cell: Cell) {
        // Bits that the stone sets in its neighbours: in the one in direction d, the bit of the opposite direction.
        // Cells lie in memory as (l-1, n-1) (l-1, n) | (l, n-1) (l, n) (l, n+1) | (l+1, n) (l+1, n+1).
        const ABOVE: u32 = 1 << 1 | (1 << 0) << 16;
        const BESIDE: u64 = 1 << 2 | (ITSELF as u64) << 16 | (1 << 5) << 32;
        const BELOW: u32 = 1 << 3 | (1 << 4) << 16;
        let shift = 8 * color.index();
        let width = 2 * geometry.side();
        debug_assert!(geometry.vertex_of(cell).is_some());
        // SAFETY: the cell is that of a vertex, so its row is neither the first nor the last and its column not the
        // first: the cells before, from one row and one cell on, and those behind, up to one row and one cell, exist;
        // the eight bytes of the middle store end two cells behind, and there are two cells more than any board has.
        unsafe {
            let at = self.words.as_mut_ptr().add(cell.index());
            or_into(at.sub(width + 1).cast::<u32>(), ABOVE << shift);
            or_into(at.sub(1).cast::<u64>(), BESIDE << shift);
            or_into(at.add(width).cast::<u32>(), BELOW << shift);
        }
    }
}

/// `*at |= bits`, at any alignment.
///
/// # Safety
/// `at` must be valid for reads and writes of a `T`.
#[inline(always)]
unsafe fn or_into<T: std::ops::BitOr<Output = T>>(at: *mut T, bits: T) {
    // SAFETY: by the caller.
    unsafe { at.write_unaligned(at.read_unaligned() | bits) }
}

/// The runs of stones among the six neighbours of a vertex: maximal sequences in circular order, each part of one
/// chain. Of six neighbours there are at most three.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct Runs {
    /// For each run what to add to the cell to come to a stone of it; 0 where there is no such run.
    pub offsets: [i16; 3],
    /// How many runs there are.
    pub count: u8,
    /// The directions (a mask) whose stone has stones on both sides in circular order: the only ones in which the
    /// middle of a filled hexagon with the new stone on its rim can lie. Bit 7 marks three runs: not zero means that
    /// the stone is one of the few that need more than the usual look.
    pub special: u8,
}

impl Runs {
    /// Of the stones in these directions (six bits), with the board's cell offsets of the directions.
    pub fn new(around: usize, offsets: &[i16; 6]) -> Runs {
        let stone = |direction: usize| around >> (direction % 6) & 1 == 1;
        // All six stones make one run without a first stone: any will do.
        let starts = (0..6).filter(|&d| stone(d) && (!stone(d + 5) || (around == 63 && d == 0)));
        let mut runs = Runs { offsets: [0; 3], count: 0, special: 0 };
        for direction in starts {
            runs.offsets[runs.count as usize] = offsets[direction];
            runs.count += 1;
        }
        let inside = (0..6).filter(|&d| stone(d) && stone(d + 5) && stone(d + 1));
        runs.special = inside.map(|d| 1 << d).sum::<u8>() | ((runs.count == 3) as u8) << 7;
        runs
    }

    /// The directions in which the middle of a filled hexagon can lie.
    #[inline(always)]
    pub fn inside(self) -> u8 {
        self.special & AROUND
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::geometry::{MAX_SIDE, MIN_SIDE, Vertex};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// The safe twin: the same bits, one neighbour at a time.
    fn set_one_by_one(words: &mut [u16], geometry: &Geometry, color: Color, cell: Cell) {
        words[cell.index()] |= (ITSELF as u16) << (8 * color.index());
        for (d, &offset) in geometry.offsets().iter().enumerate() {
            words[cell.step(offset).index()] |= 1 << ((d + 3) % 6 + 8 * color.index());
        }
    }

    #[test]
    fn three_wide_stores_do_what_seven_small_ones_do() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        for side in MIN_SIDE..=MAX_SIDE {
            let geometry = Geometry::of(side).unwrap();
            let mut fast = Neighbourhoods::new(geometry);
            let mut slow = fast.clone();
            for v in geometry.vertices() {
                let color = Color::ALL[rng.random_range(0..2)];
                fast.set(geometry, color, geometry.cell(v));
                set_one_by_one(&mut slow.words, geometry, color, geometry.cell(v));
                assert_eq!(fast.words, slow.words);
                assert!(fast.at(geometry.cell(v)).holds(color) && !fast.at(geometry.cell(v)).is_empty());
            }
        }
    }

    /// Every set of stones around every vertex of every board: the runs are those found by walking around.
    #[test]
    fn runs_are_those_found_by_walking_around_the_vertex() {
        for side in MIN_SIDE..=MAX_SIDE {
            let geometry = Geometry::of(side).unwrap();
            for v in geometry.vertices() {
                let cell = geometry.cell(v);
                let around = geometry.offsets().map(|o| geometry.vertex_of(cell.step(o)));
                for set in (0..64usize).filter(|set| (0..6).all(|d| set >> d & 1 == 0 || around[d].is_some())) {
                    let mut stones = Neighbourhoods::new(geometry);
                    let present = |d: usize| around[d % 6].filter(|_| set >> (d % 6) & 1 == 1);
                    (0..6).filter_map(present).for_each(|w| stones.set(geometry, Color::Black, geometry.cell(w)));
                    let seen = stones.at(cell);
                    assert!(seen.is_empty() && seen.around(Color::White) == 0);
                    assert_eq!((seen.around(Color::Black), seen.surrounded_by(Color::Black)), (set, set == 63));
                    let mut starts: Vec<Vertex> =
                        (0..6).filter(|&d| present(d + 5).is_none()).filter_map(present).collect();
                    if set == 63 {
                        starts = vec![around[0].unwrap()];
                    }
                    let runs = geometry.runs()[set];
                    let found = &runs.offsets[..runs.count as usize];
                    let at = |o: &i16| geometry.vertex_of(cell.step(*o)).unwrap();
                    assert_eq!(found.iter().map(at).collect::<Vec<_>>(), starts);
                    assert!(runs.offsets[runs.count as usize..].iter().all(|&o| o == 0));
                    for d in 0..6 {
                        let middle = [d, d + 1, d + 5].into_iter().all(|d| present(d).is_some());
                        assert_eq!(runs.inside() >> d & 1 == 1, middle);
                    }
                }
            }
        }
    }
}
