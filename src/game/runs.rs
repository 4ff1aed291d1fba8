//! Runs of stones around a vertex: neighbours that certainly belong to one chain.

/// The six directions, as a mask.
const DIRECTIONS: u8 = 0x3f;

/// The *runs* among the stones next to a vertex: the longest sequences of stones in circular order. The stones of a run
/// belong to one chain. Among six neighbours there are at most three runs.
///
/// Everything is in one word, because a load of a word that several stores have just written would have to wait for
/// them.
///
/// | bits | contents |
/// |---|---|
/// | 0 to 47 | three cell offsets: [`Runs::first`], [`Runs::second`], [`Runs::third_or_middle`] |
/// | 48 to 53 | [`Runs::inside`] |
/// | 54 | [`Runs::joins`] |
/// | 56 and 57 | [`Runs::count`] |
/// | 63 | [`Runs::is_special`] |
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs(u64);

impl Runs {
    /// No stones.
    pub const NONE: Runs = Runs(0);

    /// The runs of the stones in a pattern: a mask of six directions, and bit 7 for a vertex on the rim. `offsets` are
    /// the board's cell offsets of the six directions.
    pub fn new(pattern: u8, offsets: &[i16; 6]) -> Runs {
        let around = pattern & DIRECTIONS;
        let rim = pattern >> 7 == 1;
        let stone = |direction: usize| around >> (direction % 6) & 1 == 1;
        // Six stones make one run without a first stone; any of them will do.
        let is_start = |&d: &usize| stone(d) && (!stone(d + 5) || (around == DIRECTIONS && d == 0));
        let mut starts: Vec<i16> = (0..6).filter(is_start).map(|d| offsets[d]).collect();
        let inside: Vec<usize> = (0..6).filter(|&d| stone(d) && stone(d + 5) && stone(d + 1)).collect();
        let count = starts.len();
        let joins = count > 1 || !inside.is_empty() || (rim && count == 1);
        let is_special = count == 3 || inside.len() > 1;
        starts.resize(3, 0);
        if let (true, Some(&middle)) = (count < 3, inside.first()) {
            starts[2] = offsets[middle];
        }
        let offsets = starts.iter().rev().fold(0, |bits, &offset| bits << 16 | u64::from(offset as u16));
        let inside: u64 = inside.iter().map(|d| 1 << d).sum();
        Runs(offsets | inside << 48 | (joins as u64) << 54 | (count as u64) << 56 | (is_special as u64) << 63)
    }

    /// The cell offset from the vertex to one stone of the first run; 0 if there is none.
    #[inline(always)]
    pub fn first(self) -> i16 {
        self.0 as i16
    }

    /// Like [`Runs::first`], for the second run.
    #[inline(always)]
    pub fn second(self) -> i16 {
        (self.0 >> 16) as i16
    }

    /// With three runs, the cell offset to a stone of the third. Otherwise the offset to the neighbour in the first of
    /// the directions [`Runs::inside`]; 0 if there are none.
    #[inline(always)]
    pub fn third_or_middle(self) -> i16 {
        (self.0 >> 32) as i16
    }

    /// The number of runs.
    #[inline(always)]
    pub fn count(self) -> usize {
        (self.0 >> 56) as usize & 3
    }

    /// The cell offsets from the vertex to one stone of each run.
    pub fn offsets(self) -> impl Iterator<Item = i16> {
        [self.first(), self.second(), self.third_or_middle()].into_iter().take(self.count())
    }

    /// Whether a new stone in the middle can complete a structure: it joins several runs, or a run and the rim, or may
    /// complete a filled hexagon. If not, there is no run, or one, whose chain gets neither a corner nor a side.
    #[inline(always)]
    pub fn joins(self) -> bool {
        self.0 >> 54 & 1 == 1
    }

    /// Whether there are three runs, or several directions [`Runs::inside`]. That is rare.
    #[inline(always)]
    pub fn is_special(self) -> bool {
        self.0 >> 63 == 1
    }

    /// The directions whose stone has a stone on both sides in circular order, as a mask: if a new stone completes a
    /// filled hexagon, its middle lies in one of them.
    #[inline(always)]
    pub fn inside(self) -> u8 {
        (self.0 >> 48) as u8 & DIRECTIONS
    }
}
