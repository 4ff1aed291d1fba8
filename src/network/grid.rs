//! The positions of a board's vertices among the cells of a layer.

use crate::game::Geometry;

/// The taps of a convolution: the vertex itself and its six neighbours.
pub(super) const TAPS: usize = 7;
/// Vertices in a group: a multiple of the number that any kernel works on at once.
pub(super) const GROUP: usize = 8;
/// Cells in a tile.
pub(super) const TILE: usize = 16;

/// Sixteen consecutive cells.
#[cfg(target_arch = "x86_64")]
pub(super) struct Tile {
    pub first: u16,
    /// Bit *i* says whether cell *i* is a vertex.
    bits: u16,
}

#[cfg(target_arch = "x86_64")]
impl Tile {
    /// The indices of the cells that are vertices.
    #[inline(always)]
    pub fn vertices(&self) -> impl Iterator<Item = usize> + use<> {
        let mut left = self.bits;
        std::iter::from_fn(move || {
            let i = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (i < TILE).then_some(i)
        })
    }
}

/// The positions of a board's vertices among the cells of a layer: row by row, with a border of cells off the board.
/// Kernels work on the vertices in groups.
pub(super) struct Grid {
    places: Vec<u16>,
    groups: Vec<[u16; GROUP]>,
    /// For each group, bit *t* says whether tap *t* leads to a vertex from some vertex of the group.
    taps: Vec<u8>,
    #[cfg(target_arch = "x86_64")]
    tiles: Vec<Tile>,
    /// The offset from a cell to that of each tap, which exists for all cells in `places`.
    offsets: [i16; TAPS],
    cells: usize,
}

impl Grid {
    /// The grid of a board.
    pub fn new(geometry: &Geometry) -> Grid {
        let row = geometry.diameter() + 2;
        let place = |(letter, number)| ((letter + 1) * row + number + 1) as u16;
        let places: Vec<u16> = geometry.vertices().map(|v| place(geometry.coordinates(v))).collect();
        // A tap leads from a vertex to the first cell of a tile.
        let cells = row * row + TILE - 1;
        let row = row as i16;
        let mut grid = Grid {
            groups: Vec::new(),
            taps: Vec::new(),
            #[cfg(target_arch = "x86_64")]
            tiles: tiles(&places),
            offsets: [0, row, row + 1, 1, -row, -row - 1, -1],
            cells,
            places,
        };
        grid.group();
        grid
    }

    /// Makes the groups. Vertices from which the same taps lead off the board are together, so that kernels can leave
    /// these taps out: two taps in a group of one side, one tap in a group of two sides.
    fn group(&mut self) {
        const ALL: u8 = (1 << TAPS) - 1;
        let mut is_vertex = vec![false; self.cells];
        self.places.iter().for_each(|&place| is_vertex[place as usize] = true);
        let missing =
            |&place: &u16| (0..TAPS).filter(|&tap| !is_vertex[self.tap(place, tap)]).map(|tap| 1 << tap).sum();
        let mut left: Vec<(u16, u8)> = self.places.iter().map(|place| (*place, missing(place))).collect();
        let direction = |i: usize| 1_u8 << (1 + i % 6);
        let two = (0..6).map(|i| (direction(i) | direction(i + 1), GROUP - 2));
        let one = (0..6).map(|i| (direction(i), GROUP));
        for (without, least) in two.chain(one).chain([(0, 1)]) {
            let lacks = |(_, missing): &&(u16, u8)| missing & without == without;
            while left.iter().filter(lacks).count() >= least {
                let found: Vec<(u16, u8)> = left.iter().filter(lacks).take(GROUP).copied().collect();
                left.retain(|place| !found.contains(place));
                self.groups.push(std::array::from_fn(|i| found[i.min(found.len() - 1)].0));
                self.taps.push(ALL & !without);
            }
        }
    }

    /// The cells of the vertices, in vertex order.
    pub fn places(&self) -> &[u16] {
        &self.places
    }

    /// The cells of the vertices in groups, in some order. A group with too few vertices repeats its last one.
    pub fn groups(&self) -> &[[u16; GROUP]] {
        &self.groups
    }

    /// For each group, the taps that do not lead off the board from all its vertices: bit *t* stands for tap *t*.
    #[cfg(target_arch = "x86_64")]
    pub fn taps(&self) -> &[u8] {
        &self.taps
    }

    /// Tiles that cover all vertices.
    #[cfg(target_arch = "x86_64")]
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// The number of cells, those off the board included.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// The offset from the cell of a vertex to that of a tap, in cells.
    #[inline(always)]
    #[cfg(any(relaxed_simd, target_arch = "x86_64"))]
    pub fn offset(&self, tap: usize) -> isize {
        self.offsets[tap].into()
    }

    /// The cell that a tap leads to from the cell of a vertex.
    #[inline(always)]
    pub fn tap(&self, place: u16, tap: usize) -> usize {
        place.wrapping_add_signed(self.offsets[tap]) as usize
    }

    /// The cell from which a tap leads to the cell of a vertex.
    #[inline(always)]
    pub fn back(&self, place: u16, tap: usize) -> usize {
        place.wrapping_add_signed(-self.offsets[tap]) as usize
    }
}

/// The fewest tiles that cover these cells, which must be in ascending order.
#[cfg(target_arch = "x86_64")]
fn tiles(places: &[u16]) -> Vec<Tile> {
    let mut tiles: Vec<Tile> = Vec::new();
    for &place in places {
        match tiles.last_mut() {
            Some(tile) if usize::from(place - tile.first) < TILE => tile.bits |= 1 << (place - tile.first),
            _ => tiles.push(Tile { first: place, bits: 1 }),
        }
    }
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each vertex is in one tile, whose taps lead to cells.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn tiles_hold_all_vertices() {
        for side in 2..=13 {
            let grid = Grid::new(Geometry::with_side(side).unwrap());
            let in_tile = |tile: &Tile| tile.vertices().map(|i| tile.first + i as u16).collect::<Vec<_>>();
            assert_eq!(grid.tiles.iter().flat_map(in_tile).collect::<Vec<_>>(), grid.places);
            let last = grid.tiles.last().unwrap().first;
            assert!((0..TAPS).all(|tap| grid.tap(last, tap) + TILE <= grid.cells), "side {side}");
        }
    }

    /// Each vertex is in a group. A tap is left out of a group only if it leads off the board from all its vertices.
    #[test]
    fn groups_hold_all_vertices_and_leave_out_only_what_is_off_the_board() {
        for side in 2..=13 {
            let grid = Grid::new(Geometry::with_side(side).unwrap());
            let mut found: Vec<u16> = grid.groups.iter().flatten().copied().collect();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found, grid.places);
            let mut left_out = 0;
            for (group, taps) in grid.groups.iter().zip(&grid.taps) {
                for tap in (0..TAPS).filter(|tap| taps >> tap & 1 == 0) {
                    left_out += 1;
                    assert!(group.iter().all(|&place| !grid.places.contains(&(grid.tap(place, tap) as u16))));
                }
            }
            assert_eq!(left_out > 0, side > 4, "side {side}");
            assert!(grid.groups.len() * GROUP <= grid.places.len() + 2 * GROUP);
        }
    }
}
