//! Small boards as sets of bits: a few shifts answer every question about a position.

use num_traits::PrimInt;

use crate::game::{Geometry, Vertex};

/// A word that holds a set of cells, with one bit per cell.
pub(super) trait Word: PrimInt + Send + Sync {}
impl Word for u64 {}
impl Word for u128 {}

/// The number of goals of a chain: six corners and six sides.
const GOALS: usize = 12;

/// A chain with fewer stones than this cannot become a ring by one more stone.
const LEAST_CHAIN_OF_RING: u32 = 5;

/// The number of cells of the largest board that fits, which has side length 6.
pub(super) const MAX_CELLS: usize = 121;

/// The geometry of a board in bits.
///
/// The cell of a vertex with letter index *l* and number index *n* is *n* times the number of letters, plus *l*. Cells
/// of this rectangle that are not on the board are never set. There are enough of them that no shift moves a vertex
/// across the edge of the rectangle onto another vertex.
pub(super) struct Bitboard<W> {
    letters: usize,
    /// All vertices.
    pub vertices: W,
    /// The vertices with six neighbours.
    inner: W,
    /// The vertices of each corner and side, in the order of [`Geometry::rim`].
    goals: [W; GOALS],
    /// The neighbours of each cell.
    neighbours: [W; MAX_CELLS],
    /// For each cell, the corners and sides that it belongs to, as a set of their indices.
    goals_of: [u16; MAX_CELLS],
    vertex_of: [Option<Vertex>; MAX_CELLS],
}

impl<W: Word> Bitboard<W> {
    /// The bits of a board.
    ///
    /// # Panics
    /// Panics if the word has too few bits.
    pub fn new(geometry: &Geometry) -> Bitboard<W> {
        assert!(cell_count(geometry) <= W::zero().count_zeros() as usize, "the board does not fit into the word");
        let [mut vertices, mut inner] = [W::zero(); 2];
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
        let mut board = Bitboard {
            letters: geometry.letters(),
            vertices,
            inner,
            goals,
            neighbours: [W::zero(); MAX_CELLS],
            goals_of: [0; MAX_CELLS],
            vertex_of,
        };
        for v in geometry.vertices() {
            let cell = cell(geometry, v);
            board.neighbours[cell] = board.grown(bit(cell)) & vertices & !bit::<W>(cell);
            board.goals_of[cell] = geometry.rim(v);
        }
        board
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
        let d = self.letters;
        [set >> 1, set >> (d + 1), set >> d, set << 1, set << (d + 1), set << d]
    }

    /// The set and all neighbours of its cells.
    #[inline(always)]
    fn grown(&self, set: W) -> W {
        self.adjacent_by_direction(set).into_iter().fold(set, |a, b| a | b)
    }

    /// The cells next to a chain on which another stone closes a ring. There are two cases, as the module
    /// `game::position` proves: two runs of stones next to the cell belong to the chain, or a stone next to it has
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

    /// Whether a stone on `cell` completes a structure together with some of these stones. Of rings, only those are
    /// found in which the chain of `last`, one of the stones, is closed.
    pub fn completes(&self, stones: W, last: usize, cell: usize) -> bool {
        let chain = self.connected(bit(cell), stones | bit(cell));
        if self.has_bridge_or_fork(chain) {
            return true;
        }
        let chain = self.connected(bit(last), stones);
        chain.count_ones() >= LEAST_CHAIN_OF_RING && !(self.closing_ring(chain) & bit(cell)).is_zero()
    }

    /// Whether these cells contain a structure. A player can still win only if the cells that are its own or empty
    /// contain one.
    #[inline]
    pub fn has_structure(&self, cells: W) -> bool {
        // A ring around several vertices that all are the player's contains a ring around one of them. Another ring
        // cuts the vertices that are not the player's off from the rim.
        let encircled = self.adjacent_by_direction(cells).into_iter().fold(self.inner, |a, b| a & b);
        if !encircled.is_zero() {
            return true;
        }
        let others = self.vertices & !cells;
        if self.connected(others & !self.inner, others) != others {
            return true;
        }
        let mut rest = cells & !self.inner;
        while !rest.is_zero() {
            let chain = self.connected(rest & !(rest - W::one()), cells);
            if self.has_bridge_or_fork(chain) {
                return true;
            }
            rest = rest & !chain;
        }
        false
    }

    /// Whether a chain is a bridge or a fork.
    #[inline]
    fn has_bridge_or_fork(&self, chain: W) -> bool {
        let touched = |goals: &[W]| goals.iter().filter(|&&goal| !(goal & chain).is_zero()).count();
        touched(&self.goals[..6]) >= 2 || touched(&self.goals[6..]) >= 3
    }

    /// The cells of `within` that are connected to a cell of `seeds` inside `within`. `seeds` must be a subset of
    /// `within`.
    #[inline(always)]
    pub fn connected(&self, seeds: W, within: W) -> W {
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
        if chain.count_ones() >= LEAST_CHAIN_OF_RING {
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

    /// The cells on which a stone next to a chain with these goals completes a bridge or fork, because the stone is
    /// connected to the goals that the chain lacks. The chain must not have a bridge or fork yet.
    fn partners(&self, goals: u16) -> W {
        let lacking = |goals: u16, reach: &[W]| {
            let [mut one, mut two] = [W::zero(); 2];
            for (_, &reach) in reach.iter().enumerate().filter(|&(i, _)| goals >> i & 1 == 0) {
                two = two | one & reach;
                one = one | reach;
            }
            [one, two]
        };
        let [corners, sides] = [goals & 0x3f, goals >> 6];
        let bridges = if corners == 0 { W::zero() } else { lacking(corners, &self.reach[..6])[0] };
        let forks = match sides.count_ones() {
            0 => W::zero(),
            1 => lacking(sides, &self.reach[6..])[1],
            _ => lacking(sides, &self.reach[6..])[0],
        };
        bridges | forks
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

/// What each possible move of a player would threaten.
pub(super) struct Prospects<W> {
    /// For each empty cell, those on which the player could complete a structure after a stone there.
    completing: [W; MAX_CELLS],
    /// The player's chains.
    chains: Vec<Chain<W>>,
    /// Whether they are up to date. The search sets this.
    pub is_valid: bool,
}

/// A chain of the player: connected stones, with no other stone of the player next to them.
struct Chain<W> {
    stones: W,
    /// The number of stones.
    len: u32,
    /// The stones and all cells next to them.
    around: W,
    /// The corners and sides that the chain is connected to, as a set of their indices.
    goals: u16,
    /// The cells on which a stone that is next to the chain completes a bridge or fork with it.
    partners: W,
}

impl<W: Word> Prospects<W> {
    /// Prospects without content.
    pub fn new() -> Prospects<W> {
        Prospects { completing: [W::zero(); MAX_CELLS], chains: Vec::new(), is_valid: false }
    }

    /// The cells on which the player could complete a structure after a stone on `cell`, as of the last update.
    #[inline]
    pub fn after(&self, cell: usize) -> W {
        self.completing[cell]
    }

    /// Finds out what a stone on each cell of `empty` would threaten. The player must not be able to complete a
    /// structure there yet.
    ///
    /// A stone that threatens something new does so with the chain that it becomes a part of. A bridge or fork needs
    /// another stone next to this chain, connected to the corners or sides that the chain lacks.
    pub fn update(&mut self, board: &Bitboard<W>, stones: &Stones<W>, empty: W) {
        self.chains.clear();
        let mut beside = W::zero();
        let mut rest = stones.all;
        while !rest.is_zero() {
            let chain = board.connected(rest & !(rest - W::one()), stones.all);
            let around = board.grown(chain);
            let goals = cells(chain & !board.inner).fold(0, |goals, cell| goals | board.goals_of[cell]);
            self.chains.push(Chain {
                stones: chain,
                len: chain.count_ones(),
                around,
                goals,
                partners: stones.partners(goals),
            });
            beside = beside | around;
            rest = rest & !chain;
        }
        for cell in cells(empty) {
            self.completing[cell] = W::zero();
        }
        for cell in cells(empty & (beside | !board.inner)) {
            self.completing[cell] = self.completing_after(board, stones, cell) & empty & !bit::<W>(cell);
        }
    }

    /// The cells on which the player could complete a structure after a stone on `cell`, and perhaps cells that are
    /// occupied then.
    #[inline]
    fn completing_after(&self, board: &Bitboard<W>, stones: &Stones<W>, cell: usize) -> W {
        let stone = bit(cell);
        let own = board.goals_of[cell];
        let mut chain = stone;
        let mut len = 1;
        let mut around = board.neighbours[cell];
        let mut goals = own;
        let mut last_goals = 0;
        let mut partners = W::zero();
        for other in &self.chains {
            if !(other.around & stone).is_zero() {
                chain = chain | other.stones;
                len += other.len;
                around = around | other.around;
                goals |= other.goals;
                (last_goals, partners) = (other.goals, other.partners);
            }
        }
        if goals != last_goals {
            partners = stones.partners(goals);
        }
        let rings = if len >= LEAST_CHAIN_OF_RING { board.closing_ring(chain) } else { W::zero() };
        around & partners | rings
    }
}

/// The number of cells of the rectangle around a board.
pub(super) fn cell_count(geometry: &Geometry) -> usize {
    geometry.letters() * geometry.numbers()
}

/// The cell of a vertex.
pub(super) fn cell(geometry: &Geometry, v: Vertex) -> usize {
    let (letter, number) = geometry.coordinates(v);
    number * geometry.letters() + letter
}

/// The set that contains one cell.
#[inline(always)]
pub(super) fn bit<W: Word>(cell: usize) -> W {
    W::one() << cell
}

/// Whether a set has two cells or more. A baseline x86-64 has no instruction that counts them.
#[inline(always)]
pub(super) fn has_two<W: Word>(set: W) -> bool {
    !set.is_zero() && !(set & (set - W::one())).is_zero()
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
    use crate::game::{Color, Position};
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Compares the bits with the board for every empty vertex in games of random stones. The shares of the players
    /// differ from game to game, so that there are rings of all kinds. Returns how many stones would not complete a
    /// structure, and how many would.
    fn compare_with_board<W: Word>(board: &str, games: u64) -> [usize; 2] {
        let geometry = Geometry::with_shape(board.parse().unwrap());
        let board = Bitboard::<W>::new(geometry);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(geometry.vertex_count() as u64);
        let mut seen = [0; 2];
        let mut prospects = Prospects::new();
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
                assert!(!board.has_structure(stones[color.index()].all));
                let empty = board.vertices & !stones[0].all & !stones[1].all;
                for color in Color::ALL {
                    let completing = stones[color.index()].completing(empty);
                    for w in position.empty_vertices() {
                        let structures = position.completes(color, w);
                        let stone = bit(cell(geometry, w));
                        let completes = !(completing & stone).is_zero();
                        assert_eq!(board.has_structure(stones[color.index()].all | stone), completes);
                        assert_eq!(completes, !structures.is_empty(), "{geometry:?}, {color:?} {w:?}: {structures:?}");
                        seen[completes as usize] += 1;
                    }
                    if completing.is_zero() {
                        compare_prospects(&board, &stones[color.index()], empty, &mut prospects);
                    }
                }
            }
        }
        seen
    }

    /// Compares what a stone would threaten with what is threatened after it.
    fn compare_prospects<W: Word>(board: &Bitboard<W>, stones: &Stones<W>, empty: W, prospects: &mut Prospects<W>) {
        prospects.update(board, stones, empty);
        for cell in cells(empty) {
            let after = stones.with(board, cell).completing(empty & !bit::<W>(cell));
            assert!(prospects.after(cell) == after, "cell {cell}");
        }
    }

    #[test]
    fn bits_and_board_agree_on_which_stones_complete_a_structure() {
        for (board, games) in [("2", 200), ("3", 300), ("4", 300), ("2-3-4", 200), ("4-4-5", 200), ("2-2-7", 100)] {
            let seen = compare_with_board::<u64>(board, games);
            assert!(seen[0] > 100 && seen[1] > 100, "{seen:?}");
        }
        for board in ["4", "5", "6", "4-5-5", "3-4-8", "2-9-2"] {
            let seen = compare_with_board::<u128>(board, 100);
            assert!(seen[0] > 1000 && seen[1] > 1000, "{seen:?}");
        }
    }

    #[test]
    #[should_panic = "does not fit"]
    fn a_board_that_is_too_large_for_the_word_is_rejected() {
        Bitboard::<u64>::new(Geometry::with_side(5).unwrap());
    }
}
