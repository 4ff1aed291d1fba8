//! Where the vertices of a board stand among the cells of a layer.

use crate::game::Geometry;

/// The taps of a convolution: the vertex itself and its six neighbours.
pub(super) const TAPS: usize = 7;
/// Vertices in a group: a multiple of the number that any kernel works on at once.
pub(super) const GROUP: usize = 8;

/// Where the vertices of a board stand among the cells of a layer: row by row, with a border of cells off the board.
/// Kernels work on the vertices in groups.
pub(super) struct Grid {
    places: Vec<u16>,
    groups: Vec<[u16; GROUP]>,
    /// From a cell to that of each tap. From the cells in `places` all of them lead to cells.
    offsets: [i16; TAPS],
    cells: usize,
}

impl Grid {
    /// The grid of a board.
    pub fn new(geometry: &Geometry) -> Grid {
        let row = geometry.diameter() + 2;
        let place = |(letter, number)| ((letter + 1) * row + number + 1) as u16;
        let places: Vec<u16> = geometry.vertices().map(|v| place(geometry.coordinates(v))).collect();
        let last = *places.last().expect("a board has vertices");
        let fill = |group: &[u16]| std::array::from_fn(|i| group.get(i).copied().unwrap_or(last));
        let groups = places.chunks(GROUP).map(fill).collect();
        let cells = row * row;
        let row = row as i16;
        Grid { places, groups, offsets: [0, row, row + 1, 1, -row, -row - 1, -1], cells }
    }

    /// The cells of the vertices, in vertex order.
    pub fn places(&self) -> &[u16] {
        &self.places
    }

    /// The same in groups; the last group is filled up with the last cell.
    pub fn groups(&self) -> &[[u16; GROUP]] {
        &self.groups
    }

    /// The number of cells, those off the board included.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// How many cells on from that of a vertex a tap leads.
    #[inline(always)]
    #[cfg(target_arch = "x86_64")]
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
