//! The stones on and around each vertex, so that one load shows everything that a new stone touches.
//!
//! The board keeps a *neighbourhood* for each vertex: the colours of the stones on the vertex and on its six
//! neighbours. A new stone changes seven neighbourhoods, its own and those of its neighbours. In the layout of [`Cell`]
//! the seven lie in three contiguous groups, so three stores are enough.

use super::color::Color;
use super::geometry::{Cell, Geometry, MAX_CELLS};

/// The stones on and around one vertex: white's in the low byte, black's in the high byte. In each byte, bit *d* (0 to
/// 5) is the neighbour in direction *d* of [`super::geometry::STEPS`], bit 6 is the vertex itself, and bit 7 is set if
/// the vertex is on the rim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Neighbourhood(pub u16);

/// The bit of a colour's byte for a stone on the vertex itself.
const ITSELF: u8 = 1 << 6;
/// The bits of a colour's byte for stones on the six neighbours.
const AROUND: u8 = 0x3f;
/// The bit of a colour's byte for a vertex on the rim.
const RIM: u8 = 1 << 7;
/// A byte for each colour with the same bits.
const fn both(byte: u8) -> u16 {
    u16::from_le_bytes([byte; 2])
}
/// The neighbourhood of a cell that is off the board: neither empty nor held by a colour.
const OFF_BOARD: u16 = both(ITSELF);

impl Neighbourhood {
    /// Whether the cell is on the board and holds no stone.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 & both(ITSELF) == 0
    }

    /// Whether the cell holds a stone of this colour.
    #[inline(always)]
    pub fn holds(self, color: Color) -> bool {
        self.0 & both(ITSELF) == (ITSELF as u16) << (8 * color.index())
    }

    /// The directions in which the neighbour is a stone of this colour, as a mask of six bits.
    #[inline(always)]
    pub fn around(self, color: Color) -> usize {
        (self.pattern(color) & AROUND) as usize
    }

    /// The byte of a colour: an index into [`Geometry::runs`] while the vertex is empty.
    #[inline(always)]
    pub fn pattern(self, color: Color) -> u8 {
        (self.0 >> (8 * color.index())) as u8
    }
}

/// The neighbourhoods of all cells of a board.
#[derive(Clone)]
pub(crate) struct Neighbourhoods {
    // Two words more than there are cells, because the widest store of `set` may extend past the last cell.
    words: [u16; MAX_CELLS + 2],
}

impl Neighbourhoods {
    /// The neighbourhoods of the empty board.
    pub fn new(geometry: &Geometry) -> Neighbourhoods {
        let mut words = [OFF_BOARD; MAX_CELLS + 2];
        let word = |v| if geometry.rim(v) == 0 { 0 } else { both(RIM) };
        geometry.vertices().for_each(|v| words[geometry.cell(v).index()] = word(v));
        Neighbourhoods { words }
    }

    /// Copies the first `cells` cells of another position of the same board.
    #[inline(always)]
    pub fn copy_from(&mut self, other: &Neighbourhoods, cells: usize) {
        self.words[..cells].copy_from_slice(&other.words[..cells]);
    }

    /// The neighbourhood of a cell.
    #[inline(always)]
    pub fn at(&self, cell: Cell) -> Neighbourhood {
        debug_assert!(cell.index() < MAX_CELLS);
        // SAFETY: `Geometry` makes the cells of vertices, and all other cells are their neighbours. All are below
        // `MAX_CELLS`.
        Neighbourhood(unsafe { *self.words.get_unchecked(cell.index()) })
    }

    /// Places a stone on the cell of a vertex.
    ///
    /// # Safety
    /// The cell must be that of a vertex of this board.
    #[inline(always)]
    pub unsafe fn set(&mut self, geometry: &Geometry, color: Color, cell: Cell) {
        // In the neighbour in direction d, the stone sets the bit of the opposite direction, d + 3. The seven cells lie
        // in memory as (l-1, n-1) (l-1, n) | (l, n-1) (l, n) (l, n+1) | (l+1, n) (l+1, n+1).
        const ABOVE: u32 = pack([1 << 1, 1 << 0]) as u32;
        const BESIDE: u64 = pack([1 << 2, ITSELF as u16, 1 << 5, 0]);
        const BELOW: u32 = pack([1 << 3, 1 << 4]) as u32;
        // For black, the bits move to the high byte of every word, and none leaves its word.
        let shift = 8 * color.index();
        let width = geometry.row();
        debug_assert!(geometry.vertex_of(cell).is_some());
        // SAFETY: the caller promises that the cell belongs to a vertex. Its row is neither the first nor the last, and
        // it is not the first of its row, so all cells from `width + 1` before it to `width + 1` after it exist. The
        // middle store ends two cells after it, and `words` is two longer than the cells of any board.
        unsafe {
            let at = self.words.as_mut_ptr().add(cell.index());
            or_into(at.sub(width + 1).cast::<u32>(), ABOVE << shift);
            or_into(at.sub(1).cast::<u64>(), BESIDE << shift);
            or_into(at.add(width).cast::<u32>(), BELOW << shift);
        }
    }
}

/// Consecutive words of memory as one integer, for either byte order.
const fn pack<const N: usize>(words: [u16; N]) -> u64 {
    let mut packed = 0;
    let mut i = 0;
    while i < N {
        let place = if cfg!(target_endian = "little") { i } else { N - 1 - i };
        packed |= (words[i] as u64) << (16 * place);
        i += 1;
    }
    packed
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::geometry::{MAX_SIDE, MIN_SIDE, Vertex};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// The safe twin of [`Neighbourhoods::set`]: the same bits, one neighbour at a time.
    fn set_one_by_one(words: &mut [u16], geometry: &Geometry, color: Color, cell: Cell) {
        words[cell.index()] |= (ITSELF as u16) << (8 * color.index());
        for (d, &offset) in geometry.offsets().iter().enumerate() {
            words[cell.step(offset).index()] |= 1 << ((d + 3) % 6 + 8 * color.index());
        }
    }

    /// Miri takes minutes for a large board.
    const SIDES: std::ops::RangeInclusive<usize> = MIN_SIDE..=if cfg!(miri) { 3 } else { MAX_SIDE };

    #[test]
    fn packed_words_lie_in_memory_one_after_the_other() {
        let words = [0x1234, 0x5678, 0x9abc, 0xdef0];
        assert_eq!(pack(words).to_ne_bytes().to_vec(), words.map(u16::to_ne_bytes).concat());
        let pair = [words[0], words[1]];
        assert_eq!((pack(pair) as u32).to_ne_bytes().to_vec(), pair.map(u16::to_ne_bytes).concat());
    }

    #[test]
    fn three_wide_stores_set_the_same_bits_as_seven_single_ones() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        for side in SIDES {
            let geometry = Geometry::with_side(side).unwrap();
            let mut fast = Neighbourhoods::new(geometry);
            let mut slow = fast.clone();
            for v in geometry.vertices() {
                let color = Color::ALL[rng.random_range(0..2)];
                // SAFETY: the cell is that of a vertex.
                unsafe { fast.set(geometry, color, geometry.cell(v)) };
                set_one_by_one(&mut slow.words, geometry, color, geometry.cell(v));
                assert_eq!(fast.words, slow.words);
                assert!(fast.at(geometry.cell(v)).holds(color) && !fast.at(geometry.cell(v)).is_empty());
            }
        }
    }

    /// For every set of stones around every vertex of every board.
    #[test]
    fn runs_are_those_found_by_walking_around_the_vertex() {
        for side in SIDES {
            let geometry = Geometry::with_side(side).unwrap();
            for v in geometry.vertices() {
                let cell = geometry.cell(v);
                let around = geometry.offsets().map(|o| geometry.vertex_of(cell.step(o)));
                for set in (0..64usize).filter(|set| (0..6).all(|d| set >> d & 1 == 0 || around[d].is_some())) {
                    let mut stones = Neighbourhoods::new(geometry);
                    let present = |d: usize| around[d % 6].filter(|_| set >> (d % 6) & 1 == 1);
                    for w in (0..6).filter_map(present) {
                        // SAFETY: the cell is that of a vertex.
                        unsafe { stones.set(geometry, Color::Black, geometry.cell(w)) };
                    }
                    let seen = stones.at(cell);
                    assert!(seen.is_empty() && seen.around(Color::White) == 0);
                    assert_eq!(seen.around(Color::Black), set);
                    let mut starts: Vec<Vertex> =
                        (0..6).filter(|&d| present(d + 5).is_none()).filter_map(present).collect();
                    if set == 63 {
                        starts = vec![around[0].unwrap()];
                    }
                    let runs = geometry.runs()[seen.pattern(Color::Black) as usize];
                    let at = |o| geometry.vertex_of(cell.step(o)).unwrap();
                    assert_eq!(runs.offsets().map(at).collect::<Vec<_>>(), starts);
                    let missing = [runs.first(), runs.second()].into_iter().skip(runs.count());
                    assert!(missing.into_iter().all(|offset| offset == 0));
                    let is_inside = |d: &usize| [*d, d + 1, d + 5].into_iter().all(|d| present(d).is_some());
                    let inside: Vec<usize> = (0..6).filter(is_inside).collect();
                    assert_eq!(runs.inside() as usize, inside.iter().map(|d| 1 << d).sum::<usize>());
                    if runs.count() < 3 {
                        let middle = inside.first().map_or(0, |&d| geometry.offsets()[d]);
                        assert_eq!(runs.third_or_middle(), middle);
                    }
                    assert_eq!(runs.is_special(), runs.count() == 3 || inside.len() > 1);
                    let on_rim = geometry.rim(v) != 0 && set != 0;
                    assert_eq!(runs.joins(), runs.count() > 1 || !inside.is_empty() || on_rim);
                }
            }
        }
    }
}
