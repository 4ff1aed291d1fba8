//! The stones of one colour as rows of bits, and what the six neighbours of a vertex look like.

use super::geometry::{Cell, Geometry, ROWS, Vertex};

/// The stones of one colour: one word a letter, one bit a number, with an empty margin all around.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stones {
    rows: [u32; 32],
}

/// The neighbours that hold a stone of one colour: 7 bits, of which the middle one (the vertex itself) is ignored.
///
/// From bit 0: (−1,−1), (−1,0), (0,−1), *itself*, (0,+1), (+1,0), (+1,+1), as steps of (letter, number).
#[derive(Clone, Copy)]
pub(crate) struct Pattern(usize);

/// Bit of a [`Pattern`] for each direction of [`super::geometry::STEPS`].
const PATTERN_BIT: [usize; 6] = [5, 6, 4, 1, 0, 2];
/// All six neighbours.
const SURROUNDED: usize = 0b111_0111;

impl Stones {
    pub const EMPTY: Stones = Stones { rows: [0; 32] };

    /// Puts a stone.
    #[inline(always)]
    pub fn set(&mut self, cell: Cell) {
        self.rows[cell.row as usize & 31] |= 2u32.wrapping_shl(cell.shift as u32);
    }

    /// Whether a stone stands there.
    #[inline(always)]
    pub fn has(&self, cell: Cell) -> bool {
        self.rows[cell.row as usize & 31].wrapping_shr(cell.shift as u32) & 2 != 0
    }

    /// What the neighbours look like.
    #[inline(always)]
    pub fn pattern(&self, cell: Cell) -> Pattern {
        let row = cell.row as usize;
        let near = |row: usize| self.rows[row & 31].wrapping_shr(cell.shift as u32) as usize;
        Pattern(near(row - 1) & 3 | (near(row) & 7) << 2 | (near(row + 1) & 6) << 4)
    }

    /// Whether six stones stand around this vertex.
    #[inline(always)]
    pub fn surround(&self, cell: Cell) -> bool {
        self.pattern(cell).0 & SURROUNDED == SURROUNDED
    }
}

/// The runs of stones among the six neighbours of a vertex: maximal sequences in circular order, each part of one
/// chain. Of six neighbours there are at most three.
#[derive(Clone, Copy)]
pub(crate) struct Runs(u32);

impl Runs {
    /// Entry of [`Geometry::adjacent`] for the vertex itself: stands for a run that does not exist.
    const ITSELF: u32 = 6;

    /// Looks the pattern up.
    #[inline(always)]
    pub fn of(pattern: Pattern) -> Runs {
        RUNS[pattern.0 & 127]
    }

    /// A direction in which the run `k` (0, 1 or 2) has a stone, or the direction of the vertex itself.
    #[inline(always)]
    pub fn direction(self, k: u32) -> usize {
        (self.0 >> (4 * k)) as usize & 7
    }

    /// Whether there are at least two runs.
    #[inline(always)]
    pub fn two(self) -> bool {
        self.0 & 1 << 12 != 0
    }

    /// Whether there are three.
    #[inline(always)]
    pub fn three(self) -> bool {
        self.0 & 1 << 13 != 0
    }

    /// The directions (a mask) whose stone has stones on both sides in circular order: the only ones in which the
    /// middle of a filled hexagon with the new stone on its rim can lie.
    #[inline(always)]
    pub fn inside(self) -> u32 {
        self.0 >> 16
    }

    const fn new(pattern: usize) -> Runs {
        let mut word = Runs::ITSELF | Runs::ITSELF << 4 | Runs::ITSELF << 8;
        let (mut runs, mut direction) = (0, 0);
        while direction < 6 {
            let here = pattern >> PATTERN_BIT[direction] & 1 == 1;
            let before = pattern >> PATTERN_BIT[(direction + 5) % 6] & 1 == 1;
            let after = pattern >> PATTERN_BIT[(direction + 1) % 6] & 1 == 1;
            // With all six there is no first stone of the run; any will do.
            if here && (!before || (pattern & SURROUNDED == SURROUNDED && direction == 0)) {
                word = word & !(7 << (4 * runs)) | (direction as u32) << (4 * runs);
                runs += 1;
            }
            if here && before && after {
                word |= 1 << (16 + direction);
            }
            direction += 1;
        }
        if runs >= 2 {
            word |= 1 << 12;
        }
        if runs == 3 {
            word |= 1 << 13;
        }
        Runs(word)
    }
}

static RUNS: [Runs; 128] = {
    let mut table = [Runs(0); 128];
    let mut pattern = 0;
    while pattern < 128 {
        table[pattern] = Runs::new(pattern);
        pattern += 1;
    }
    table
};

/// Whether the new stone at `v` lies on the rim of a hexagon of seven stones; `inside` as [`Runs::inside`] has it.
#[inline(always)]
pub(crate) fn fills_hexagon(geometry: &Geometry, stones: &Stones, v: Vertex, inside: u32) -> bool {
    let mut directions = inside;
    while directions != 0 {
        let middle = Vertex(geometry.adjacent(v)[directions.trailing_zeros() as usize & 7]);
        if stones.surround(geometry.cell(middle)) {
            return true;
        }
        directions &= directions - 1;
    }
    false
}

const _: () = assert!(ROWS <= 32);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::geometry::{MAX_SIDE, MIN_SIDE, OFF_BOARD};

    /// Every set of stones around every vertex of every board: the pattern's runs are those found by walking around.
    #[test]
    fn runs_are_those_found_by_walking_around_the_vertex() {
        for side in MIN_SIDE..=MAX_SIDE {
            let geometry = Geometry::of(side).unwrap();
            for v in geometry.vertices() {
                let around = geometry.adjacent(v);
                for set in 0..64u32 {
                    if (0..6).any(|d| set >> d & 1 == 1 && around[d] == OFF_BOARD) {
                        continue;
                    }
                    let mut stones = Stones::EMPTY;
                    (0..6).filter(|d| set >> d & 1 == 1).for_each(|d| stones.set(geometry.cell(Vertex(around[d]))));
                    let own = |d: usize| set >> (d % 6) & 1 == 1;
                    let mut starts: Vec<usize> = (0..6).filter(|&d| own(d) && !own(d + 5)).collect();
                    if set == 63 {
                        starts = vec![0];
                    }
                    let runs = Runs::of(stones.pattern(geometry.cell(v)));
                    for k in 0..3 {
                        assert_eq!(runs.direction(k), starts.get(k as usize).copied().unwrap_or(6));
                    }
                    assert_eq!((runs.two(), runs.three()), (starts.len() >= 2, starts.len() == 3));
                    let inside = (0..6).filter(|&d| own(d) && own(d + 5) && own(d + 1)).map(|d| 1 << d).sum::<u32>();
                    assert_eq!(runs.inside(), inside);
                    assert_eq!(stones.surround(geometry.cell(v)), set == 63);
                    assert!(!stones.has(geometry.cell(v)));
                }
            }
        }
    }
}
