//! A board as a set of bits: every question about a position of a small board is a few shifts away.

use num_traits::PrimInt;

use crate::board::{Geometry, Vertex};

/// A word that holds a set of cells, one a bit.
pub(super) trait Word: PrimInt + Send + Sync {}
impl Word for u64 {}
impl Word for u128 {}

/// The corners and sides of a board.
const LABELS: usize = 12;

/// The largest number of cells: those of side 6.
pub(super) const MAX_CELLS: usize = 121;

/// A board as bits. A vertex with letter *l* and number *n*, counted from 0, is the bit *n* (2*s* − 1) + *l*. Bits of that
/// square that are no vertices are never set, and there are enough of them that a shift carries no vertex around the
/// square's edge onto another one.
pub(super) struct Bitboard<W> {
    diameter: usize,
    /// All vertices.
    pub vertices: W,
    /// Those with six neighbours.
    inner: W,
    /// The vertices of each corner and side, in the order of [`Geometry::rim`].
    labels: [W; LABELS],
    vertex_of: [Option<Vertex>; MAX_CELLS],
}

impl<W: Word> Bitboard<W> {
    /// The bits of a board.
    ///
    /// # Panics
    /// If the word has too few.
    pub fn new(geometry: &Geometry) -> Bitboard<W> {
        let diameter = geometry.diameter();
        assert!(diameter * diameter <= W::zero().count_zeros() as usize, "the board does not fit into the word");
        let (mut vertices, mut inner) = (W::zero(), W::zero());
        let mut labels = [W::zero(); LABELS];
        let mut vertex_of = [None; MAX_CELLS];
        for v in geometry.vertices() {
            let cell = cell(geometry, v);
            vertex_of[cell] = Some(v);
            vertices = vertices | bit(cell);
            let rim = geometry.rim(v);
            if rim == 0 {
                inner = inner | bit(cell);
            }
            for (_, label) in labels.iter_mut().enumerate().filter(|(i, _)| rim >> i & 1 == 1) {
                *label = *label | bit(cell);
            }
        }
        Bitboard { diameter, vertices, inner, labels, vertex_of }
    }

    /// The vertex of a cell.
    ///
    /// # Panics
    /// If there is none.
    pub fn vertex(&self, cell: usize) -> Vertex {
        self.vertex_of[cell].expect("a bit that is set is a vertex")
    }

    /// For each direction in circular order, the cells whose neighbour in that direction is in a set.
    #[inline(always)]
    fn towards(&self, set: W) -> [W; 6] {
        let d = self.diameter;
        [set >> 1, set >> (d + 1), set >> d, set << 1, set << (d + 1), set << d]
    }

    /// A set, and the neighbours of its cells.
    #[inline(always)]
    fn grown(&self, set: W) -> W {
        self.towards(set).into_iter().fold(set, |a, b| a | b)
    }

    /// The cells of `within` that are joined by it to those of `seeds`.
    #[inline(always)]
    fn joined(&self, seeds: W, within: W) -> W {
        let mut found = seeds;
        loop {
            let more = self.grown(found) & within;
            if more == found {
                return found;
            }
            found = more;
        }
    }
}

/// The stones of one player, and the cells from which each corner and side is reached.
#[derive(Clone, Copy)]
pub(super) struct Stones<W> {
    /// All stones.
    pub all: W,
    /// For each corner and side, its own vertices, the stones joined to it and their neighbours: one more stone there
    /// is joined to it too.
    reach: [W; LABELS],
}

impl<W: Word> Stones<W> {
    /// No stones.
    pub fn none(board: &Bitboard<W>) -> Stones<W> {
        Stones { all: W::zero(), reach: board.labels }
    }

    /// Adds a stone.
    #[inline]
    pub fn add(&mut self, board: &Bitboard<W>, cell: usize) {
        let stone = bit(cell);
        self.all = self.all | stone;
        let around = board.grown(board.joined(stone, self.all));
        for reach in &mut self.reach {
            if !(*reach & stone).is_zero() {
                *reach = *reach | around;
            }
        }
    }

    /// The same stones and one more.
    #[inline]
    pub fn with(mut self, board: &Bitboard<W>, cell: usize) -> Stones<W> {
        self.add(board, cell);
        self
    }

    /// The cells of `empty` on which one more stone completes a structure; there must be none yet.
    #[inline]
    pub fn completing(&self, board: &Bitboard<W>, empty: W) -> W {
        let [mut one_corner, mut bridges] = [W::zero(); 2];
        for &reach in &self.reach[..6] {
            bridges = bridges | one_corner & reach;
            one_corner = one_corner | reach;
        }
        let [mut one_side, mut two_sides, mut forks] = [W::zero(); 3];
        for &reach in &self.reach[6..] {
            forks = forks | two_sides & reach;
            two_sides = two_sides | one_side & reach;
            one_side = one_side | reach;
        }
        let found = (bridges | forks) & empty;
        found | self.closing(board, empty & !found)
    }

    /// The cells of `empty` on which one more stone closes a ring: those where two runs of neighbouring stones, with gaps
    /// between them, belong to one chain (one of the gaps is inside then), and the last neighbour of a stone that has five.
    fn closing(&self, board: &Bitboard<W>, empty: W) -> W {
        let towards = board.towards(self.all);
        let [mut runs, mut two_runs] = [W::zero(); 2];
        let [mut gaps, mut two_gaps] = [W::zero(); 2];
        for (i, &stones) in towards.iter().enumerate() {
            let ends = stones & !towards[(i + 1) % 6];
            two_runs = two_runs | runs & ends;
            runs = runs | ends;
            two_gaps = two_gaps | gaps & !stones;
            gaps = gaps | !stones;
        }
        let surrounded = self.all & board.inner & gaps & !two_gaps;
        let mut closing = if surrounded.is_zero() { W::zero() } else { board.grown(surrounded) & empty };
        for cell in cells(two_runs & empty & !closing) {
            let around = board.grown(bit(cell)) & self.all;
            let mut rest = around;
            loop {
                let run = board.joined(lowest(rest), around);
                rest = rest & !run;
                if rest.is_zero() {
                    break;
                }
                if !(board.joined(run, self.all) & rest).is_zero() {
                    closing = closing | bit(cell);
                    break;
                }
            }
        }
        closing
    }
}

/// The cell of a vertex.
pub(super) fn cell(geometry: &Geometry, v: Vertex) -> usize {
    let (letter, number) = geometry.coordinates(v);
    number * geometry.diameter() + letter
}

/// The set of one cell.
#[inline(always)]
pub(super) fn bit<W: Word>(cell: usize) -> W {
    W::one() << cell
}

/// The set of the first cell of a set that is not empty.
#[inline(always)]
fn lowest<W: Word>(set: W) -> W {
    bit(set.trailing_zeros() as usize)
}

/// The cells of a set.
#[inline(always)]
pub(super) fn cells<W: Word>(set: W) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let cell = (!rest.is_zero()).then(|| rest.trailing_zeros() as usize)?;
        rest = rest & (rest - W::one());
        Some(cell)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Color, Position};
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// In games of random stones, the bits tell of every empty vertex what the board tells. One player gets most of the
    /// stones, so that there are rings of all kinds.
    fn bits_agree<W: Word>(side: usize, games: u64) -> [usize; 2] {
        let geometry = Geometry::of(side).unwrap();
        let board = Bitboard::<W>::new(geometry);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(side as u64);
        let mut seen = [0; 2];
        for _ in 0..games {
            let mut order: Vec<Vertex> = geometry.vertices().collect();
            order.shuffle(&mut rng);
            let mut position = Position::new(geometry);
            let mut stones = [Stones::<W>::none(&board); 2];
            let share = rng.random_range(0.3..0.9);
            for &v in &order {
                let color = if rng.random_bool(share) { Color::White } else { Color::Black };
                if !position.completes(color, v).is_empty() {
                    continue;
                }
                position.place(color, v);
                stones[color.index()].add(&board, cell(geometry, v));
                let empty = board.vertices & !stones[0].all & !stones[1].all;
                for color in Color::ALL {
                    let completing = stones[color.index()].completing(&board, empty);
                    for w in position.empty_vertices() {
                        let structures = position.completes(color, w);
                        let told = !(completing & bit(cell(geometry, w))).is_zero();
                        assert_eq!(told, !structures.is_empty(), "side {side}, {color:?} {w:?}: {structures:?}");
                        seen[told as usize] += 1;
                    }
                }
            }
        }
        seen
    }

    #[test]
    fn bits_tell_which_stones_complete_a_structure() {
        for seen in [bits_agree::<u64>(2, 200), bits_agree::<u64>(3, 300), bits_agree::<u64>(4, 300)] {
            assert!(seen[0] > 100 && seen[1] > 100, "{seen:?}");
        }
        for side in 4..=6 {
            let seen = bits_agree::<u128>(side, 100);
            assert!(seen[0] > 1000 && seen[1] > 1000, "{seen:?}");
        }
    }

    #[test]
    #[should_panic = "does not fit"]
    fn a_board_that_is_too_large_is_refused() {
        Bitboard::<u64>::new(Geometry::of(5).unwrap());
    }
}
