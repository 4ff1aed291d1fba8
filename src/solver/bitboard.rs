//! Small boards as sets of bits, on which every question about a position takes a few shifts.

use num_traits::PrimInt;

use crate::board::{Geometry, Vertex};

/// A word that holds a set of cells, with one bit per cell.
pub(super) trait Word: PrimInt + Send + Sync {}
impl Word for u64 {}
impl Word for u128 {}

/// The number of goals of a chain: six corners and six sides.
const GOALS: usize = 12;

/// The number of cells of the largest board that fits, which has side length 6.
pub(super) const MAX_CELLS: usize = 121;

/// The geometry of a board of side length *s* in bits.
///
/// The cell of a vertex with letter index *l* and number index *n* is *n* (2*s* − 1) + *l*. Cells of this square that
/// are not on the board are never set. There are enough of them that no shift moves a vertex across the edge of the
/// square onto another vertex.
pub(super) struct Bitboard<W> {
    diameter: usize,
    /// All vertices.
    pub vertices: W,
    /// The vertices with six neighbours.
    inner: W,
    /// The vertices of each corner and side, in the order of [`Geometry::rim`].
    goals: [W; GOALS],
    vertex_of: [Option<Vertex>; MAX_CELLS],
}

impl<W: Word> Bitboard<W> {
    /// The bits of a board.
    ///
    /// # Panics
    /// Panics if the word has too few bits.
    pub fn new(geometry: &Geometry) -> Bitboard<W> {
        let diameter = geometry.diameter();
        assert!(diameter * diameter <= W::zero().count_zeros() as usize, "the board does not fit into the word");
        let (mut vertices, mut inner) = (W::zero(), W::zero());
        let mut goals = [W::zero(); GOALS];
        let mut vertex_of = [None; MAX_CELLS];
        for v in geometry.vertices() {
            let cell = cell(geometry, v);
            vertex_of[cell] = Some(v);
            vertices = vertices | bit(cell);
            let rim = geometry.rim(v);
            if rim == 0 {
                inner = inner | bit(cell);
            }
            for (_, goal) in goals.iter_mut().enumerate().filter(|(i, _)| rim >> i & 1 == 1) {
                *goal = *goal | bit(cell);
            }
        }
        Bitboard { diameter, vertices, inner, goals, vertex_of }
    }

    /// The vertex of a cell.
    ///
    /// # Panics
    /// Panics if the cell is not on the board.
    pub fn vertex(&self, cell: usize) -> Vertex {
        self.vertex_of[cell].expect("a bit that is set is a vertex")
    }

    /// For each direction, in circular order, the cells whose neighbour in that direction is in the set.
    #[inline(always)]
    fn adjacent_by_direction(&self, set: W) -> [W; 6] {
        let d = self.diameter;
        [set >> 1, set >> (d + 1), set >> d, set << 1, set << (d + 1), set << d]
    }

    /// The set and all neighbours of its cells.
    #[inline(always)]
    fn grown(&self, set: W) -> W {
        self.adjacent_by_direction(set).into_iter().fold(set, |a, b| a | b)
    }

    /// The cells next to a chain on which another stone closes a ring. There are two cases, as the module
    /// `board::position` proves: two runs of stones next to the cell belong to the chain, or a stone next to it has
    /// five neighbours already.
    #[inline(always)]
    fn closing_ring(&self, chain: W) -> W {
        let adjacent = self.adjacent_by_direction(chain);
        let [mut runs, mut two_runs] = [W::zero(); 2];
        let [mut gaps, mut two_gaps] = [W::zero(); 2];
        for (i, &stones) in adjacent.iter().enumerate() {
            let ends = stones & !adjacent[(i + 1) % 6];
            two_runs = two_runs | runs & ends;
            runs = runs | ends;
            two_gaps = two_gaps | gaps & !stones;
            gaps = gaps | !stones;
        }
        let five_neighbours = chain & self.inner & gaps & !two_gaps;
        let around_five = if five_neighbours.is_zero() { W::zero() } else { self.grown(five_neighbours) };
        (two_runs | around_five) & !chain
    }

    /// The cells of `within` that are connected, inside `within`, to a cell of `seeds`. `seeds` must be part of
    /// `within`.
    #[inline(always)]
    fn connected(&self, seeds: W, within: W) -> W {
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

/// The stones of one player, and the cells on which another stone would be connected to each corner and side.
#[derive(Clone, Copy)]
pub(super) struct Stones<W> {
    /// All stones.
    pub all: W,
    /// For each corner and side: its vertices, the stones connected to it, and all neighbours of those stones.
    reach: [W; GOALS],
    /// The cells on which another stone closes a ring, and perhaps cells that are occupied.
    rings: W,
}

impl<W: Word> Stones<W> {
    /// No stones.
    pub fn none(board: &Bitboard<W>) -> Stones<W> {
        Stones { all: W::zero(), reach: board.goals, rings: W::zero() }
    }

    /// Adds a stone.
    #[inline]
    pub fn add(&mut self, board: &Bitboard<W>, cell: usize) {
        let stone = bit(cell);
        self.all = self.all | stone;
        let chain = board.connected(stone, self.all);
        let around = board.grown(chain);
        if chain != stone {
            self.rings = self.rings | board.closing_ring(chain);
        }
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

    /// The cells of `empty` on which another stone completes a structure. The player must not have one yet.
    #[inline]
    pub fn completing(&self, empty: W) -> W {
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
        found | self.rings & empty
    }
}

/// The cell of a vertex.
pub(super) fn cell(geometry: &Geometry, v: Vertex) -> usize {
    let (letter, number) = geometry.coordinates(v);
    number * geometry.diameter() + letter
}

/// The set that contains one cell.
#[inline(always)]
pub(super) fn bit<W: Word>(cell: usize) -> W {
    W::one() << cell
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

    /// Compares the bits with the board for every empty vertex in games of random stones. The shares of the players
    /// differ from game to game, so that there are rings of all kinds. Returns how many stones would not complete a
    /// structure, and how many would.
    fn compare_with_board<W: Word>(side: usize, games: u64) -> [usize; 2] {
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
                    let completing = stones[color.index()].completing(empty);
                    for w in position.empty_vertices() {
                        let structures = position.completes(color, w);
                        let completes = !(completing & bit(cell(geometry, w))).is_zero();
                        assert_eq!(completes, !structures.is_empty(), "side {side}, {color:?} {w:?}: {structures:?}");
                        seen[completes as usize] += 1;
                    }
                }
            }
        }
        seen
    }

    #[test]
    fn bits_and_board_agree_on_which_stones_complete_a_structure() {
        for (side, games) in [(2, 200), (3, 300), (4, 300)] {
            let seen = compare_with_board::<u64>(side, games);
            assert!(seen[0] > 100 && seen[1] > 100, "{seen:?}");
        }
        for side in 4..=6 {
            let seen = compare_with_board::<u128>(side, 100);
            assert!(seen[0] > 1000 && seen[1] > 1000, "{seen:?}");
        }
    }

    #[test]
    #[should_panic = "does not fit"]
    fn a_board_that_is_too_large_for_the_word_is_rejected() {
        Bitboard::<u64>::new(Geometry::of(5).unwrap());
    }
}
