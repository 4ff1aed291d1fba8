//! Runs of stones around a vertex: neighbours that certainly belong to one chain.

/// The six directions, as a mask.
const DIRECTIONS: u8 = 0x3f;

/// The *runs* among the stones next to a vertex: the longest sequences of stones in circular order. The stones of a run
/// belong to one chain. Among six neighbours there are at most three runs.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct Runs {
    /// For each run, the cell offset from the vertex to one stone of the run; 0 where there is no such run.
    pub offsets: [i16; 3],
    /// The number of runs.
    pub count: u8,
    /// Bits 0 to 5 are the directions whose stone has a stone on both sides in circular order: if a new stone completes
    /// a filled hexagon, its middle lies in one of them. Bit 7 is set if there are three runs. Usually all bits are 0:
    /// there are at most two runs, and no hexagon to look for.
    pub special: u8,
}

impl Runs {
    /// The runs of the stones in the directions `around`, a mask of six bits. `offsets` are the board's cell offsets of
    /// the six directions.
    pub fn new(around: usize, offsets: &[i16; 6]) -> Runs {
        let stone = |direction: usize| around >> (direction % 6) & 1 == 1;
        // Six stones make one run without a first stone; any of them will do.
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

    /// The directions in which the middle of a filled hexagon can lie, as a mask.
    #[inline(always)]
    pub fn inside(self) -> u8 {
        self.special & DIRECTIONS
    }
}
