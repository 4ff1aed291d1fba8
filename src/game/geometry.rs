//! The board graph H_s (paper, section 2) and all tables that depend on the shape of the board alone.
//!
//! A board of side *s* lies in a rhombus. A vertex has a *letter index* `l` and a *number index* `n`, both from 0 to
//! 2*s* − 2, and (l, n) is on the board iff |l − n| < *s*. The paper's coordinates are x = (l − (s−1), (s−1) − n, n −
//! l): they sum to 0, each lies strictly between −*s* and *s*, and two vertices are adjacent iff Σ|xᵢ − yᵢ| = 2. In (l,
//! n) those are the six steps in [`STEPS`].
//!
//! On a board whose sides have the lengths *a* ≤ *b* ≤ *c*, the letters end at *b* + *c* − 2 and the numbers at *a* +
//! *c* − 2, and (l, n) is on the board iff l − n < *b* and n − l < *a*. All hexagon arithmetic is in this module and in
//! [`Shape`].

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::runs::Runs;
use super::{Color, Shape};

/// The smallest side length of a board.
pub const MIN_SIDE: usize = 2;
/// The largest side length of a board.
pub const MAX_SIDE: usize = 13;
/// The number of vertices of the largest board.
pub const MAX_VERTICES: usize = 3 * MAX_SIDE * (MAX_SIDE - 1) + 1;
/// The number of cells of the largest board. See [`Cell`].
pub(crate) const MAX_CELLS: usize = (2 * MAX_SIDE + 1) * 2 * MAX_SIDE + 1;

/// The six directions as steps in (letter, number), in circular order: each direction is adjacent to the next.
pub(crate) const STEPS: [(i32, i32); 6] = [(1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)];

/// A vertex of the board, as its index from 0. Vertices are ordered by letter, then by number.
///
/// A vertex is meaningful only on boards of the [`Geometry`] that it comes from. A name such as `e5` means a vertex
/// only together with a board and a [`Notation`](super::Notation), which reads and writes names.
///
/// ```
/// use malecon::game::{Geometry, Notation};
/// let board = Geometry::with_side(5)?;
/// let centre = Notation::HavannahGui.parse(board, "e5")?;
/// assert_eq!(board.vertex(centre.index()), Some(centre));
/// assert_eq!(board.coordinates(centre), (4, 4));
/// assert_eq!(board.neighbours(centre).len(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Vertex(pub(crate) u16);

impl Vertex {
    /// The index, for tables with one entry per vertex.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A side length outside [`MIN_SIDE`]`..=`[`MAX_SIDE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideError(pub usize);

impl fmt::Display for SideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid side length {} (expected {MIN_SIDE} to {MAX_SIDE})", self.0)
    }
}

impl std::error::Error for SideError {}

/// A vertex as an index into the padded rhombus around the board.
///
/// There is one row of cells per letter, with one cell more than there are numbers: the first cell of each row is
/// padding. The rows before the first letter and after the last are padding, too. So the six neighbours of a vertex are
/// always valid cells, at the same six offsets everywhere, even if they are off the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Cell(pub u16);

impl Cell {
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The cell at this offset, for example a neighbour (see [`Geometry::offsets`]).
    #[inline(always)]
    pub const fn step(self, offset: i16) -> Cell {
        Cell(self.0.wrapping_add_signed(offset))
    }
}

/// The board graph H_s of one side length *s*, or the graph of another [`Shape`], with lookup tables.
///
/// There is one `Geometry` per shape, shared by the whole program.
///
/// ```
/// use malecon::game::Geometry;
/// let board = Geometry::with_side(4)?;
/// assert_eq!(board.vertex_count(), 37);
/// assert_eq!(board.vertices().filter(|&v| board.is_corner(v)).count(), 6);
/// # Ok::<(), malecon::game::SideError>(())
/// ```
pub struct Geometry {
    shape: Shape,
    side: usize,
    vertex_count: usize,
    row: usize,
    coordinates: Vec<(u8, u8)>,
    by_coordinates: Vec<Option<Vertex>>,
    neighbours: Vec<[Vertex; 6]>,
    degree: Vec<u8>,
    rim: Vec<u16>,
    cells: Vec<Cell>,
    vertex_of: Vec<Option<Vertex>>,
    off_board: Vec<u8>,
    offsets: [i16; 6],
    runs: [Runs; 256],
    symmetries: Vec<Vec<Vertex>>,
}

impl Geometry {
    /// The geometry of boards of side length `side`. The first call for a side length builds the tables.
    ///
    /// # Errors
    /// If `side` is not in [`MIN_SIDE`]`..=`[`MAX_SIDE`].
    pub fn with_side(side: usize) -> Result<&'static Geometry, SideError> {
        Shape::regular(side).map(Geometry::with_shape)
    }

    /// The geometry of boards of this shape. The first call for a shape builds the tables.
    pub fn with_shape(shape: Shape) -> &'static Geometry {
        static REGULAR: [OnceLock<Geometry>; MAX_SIDE + 1] = [const { OnceLock::new() }; MAX_SIDE + 1];
        static OTHERS: OnceLock<Mutex<HashMap<Shape, &'static Geometry>>> = OnceLock::new();
        if let Some(side) = shape.regular_side() {
            return REGULAR[side].get_or_init(|| Geometry::new(shape));
        }
        let mut others = OTHERS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        others.entry(shape).or_insert_with(|| Box::leak(Box::new(Geometry::new(shape))))
    }

    fn new(shape: Shape) -> Geometry {
        let letters = shape.letters();
        let numbers = shape.numbers();
        let mut coordinates = Vec::new();
        let mut by_coordinates = vec![None; letters * numbers];
        for l in 0..letters {
            for n in (0..numbers).filter(|&n| shape.contains(l, n)) {
                by_coordinates[l * numbers + n] = Some(Vertex(coordinates.len() as u16));
                coordinates.push((l as u8, n as u8));
            }
        }
        let row = numbers + 1;
        let offsets = STEPS.map(|(l, n)| (l * row as i32 + n) as i16);
        let mut geometry = Geometry {
            shape,
            side: (2 * shape.sides().iter().sum::<usize>() + 3) / 6,
            vertex_count: shape.vertex_count(),
            row,
            coordinates,
            by_coordinates,
            neighbours: Vec::new(),
            degree: Vec::new(),
            rim: Vec::new(),
            cells: Vec::new(),
            vertex_of: vec![None; (letters + 2) * row + 1],
            off_board: Vec::new(),
            offsets,
            runs: std::array::from_fn(|pattern| Runs::new(pattern as u8, &offsets)),
            symmetries: Vec::new(),
        };
        geometry.fill_vertex_tables();
        geometry.fill_off_board();
        geometry.symmetries = (0..12).filter_map(|k| geometry.symmetry(k)).collect();
        geometry
    }

    fn fill_vertex_tables(&mut self) {
        for v in self.vertices() {
            let (l, n) = self.coordinates(v);
            let mut neighbours = [v; 6];
            let mut degree = 0;
            for (dl, dn) in STEPS {
                let step = (l.checked_add_signed(dl as isize), n.checked_add_signed(dn as isize));
                let (Some(nl), Some(nn)) = step else { continue };
                if let Some(w) = self.vertex_at(nl, nn) {
                    neighbours[degree] = w;
                    degree += 1;
                }
            }
            let cell = (l + 1) * self.row + n + 1;
            self.neighbours.push(neighbours);
            self.degree.push(degree as u8);
            self.rim.push(self.rim_of(l, n));
            self.cells.push(Cell(cell as u16));
            self.vertex_of[cell] = Some(v);
        }
    }

    fn fill_off_board(&mut self) {
        self.off_board = vec![0; self.vertex_of.len()];
        for v in self.vertices() {
            let cell = self.cell(v);
            let off = (0..6).filter(|&d| self.vertex_of(cell.step(self.offsets[d])).is_none());
            self.off_board[cell.index()] = off.map(|d| 1 << d).sum();
        }
    }

    /// The mask of [`Geometry::rim`], from the coordinates of a vertex.
    fn rim_of(&self, l: usize, n: usize) -> u16 {
        let lines = self.line_distances(l, n).map(|distance| distance == 0);
        let mut rim = 0;
        for i in 0..6 {
            if lines[i] && lines[(i + 5) % 6] {
                return 1 << i;
            }
            if lines[i] {
                rim = 1 << (6 + i);
            }
        }
        rim
    }

    /// The distances to the lines of the six sides, in steps, in circular order.
    fn line_distances(&self, l: usize, n: usize) -> [usize; 6] {
        let [a, b, _] = self.shape.sides();
        [l, l + a - 1 - n, self.numbers() - 1 - n, self.letters() - 1 - l, n + b - 1 - l, n]
    }

    /// The letter index and the number index of the vertex with the paper's coordinates (0, 0, 0). On a board that is
    /// not regular, it is one of the vertices nearest to the centre.
    fn origin(&self) -> [i32; 2] {
        [(self.letters() - 1) / 2, (self.numbers() - 1) / 2].map(|middle| middle as i32)
    }

    /// The paper's coordinates (x₁, x₂, x₃) of a vertex: −s < xᵢ < s, with sum 0.
    ///
    /// # Panics
    /// If `v` is not a vertex of this board.
    pub fn cube(&self, v: Vertex) -> [i32; 3] {
        let (l, n) = self.coordinates(v);
        let [letter, number] = self.origin();
        let x = l as i32 - letter;
        let y = number - n as i32;
        [x, y, -x - y]
    }

    /// The vertex with the paper's coordinates (x₁, x₂, x₃), or `None` if there is none on this board.
    pub fn vertex_at_cube(&self, x: [i32; 3]) -> Option<Vertex> {
        let [letter, number] = self.origin();
        let l = usize::try_from(x[0] + letter).ok()?;
        let n = usize::try_from(number - x[1]).ok()?;
        if x.iter().sum::<i32>() != 0 { None } else { self.vertex_at(l, n) }
    }

    /// The image of every vertex under symmetry `k`, from 0 to 11: one of the six permutations of the coordinates, with
    /// or without a change of all signs. `None` if it does not map the board to itself, which on a regular board all
    /// do.
    fn symmetry(&self, k: usize) -> Option<Vec<Vertex>> {
        const PERMUTATIONS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
        let sign = if k < 6 { 1 } else { -1 };
        let p = PERMUTATIONS[k % 6];
        // Twice the paper's coordinates, because the centre of the board may lie between vertices.
        let [letters, numbers] = [self.letters() as i32 - 1, self.numbers() as i32 - 1];
        let image = |v| {
            let (l, n) = self.coordinates(v);
            let x = 2 * l as i32 - letters;
            let y = numbers - 2 * n as i32;
            let x = [x, y, -x - y];
            let [l, n] = [sign * x[p[0]] + letters, numbers - sign * x[p[1]]];
            let is_vertex = l >= 0 && n >= 0 && l % 2 == 0 && n % 2 == 0;
            is_vertex.then(|| self.vertex_at(l as usize / 2, n as usize / 2)).flatten()
        };
        self.vertices().map(image).collect()
    }

    /// The shape of the board.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The side length *s*. On a board that is not regular, this is the mean length, rounded.
    pub fn side(&self) -> usize {
        self.side
    }

    /// The number of letters, which is 2*s* − 1 on a regular board.
    pub fn letters(&self) -> usize {
        self.shape.letters()
    }

    /// The number of numbers, which is 2*s* − 1 on a regular board.
    pub fn numbers(&self) -> usize {
        self.shape.numbers()
    }

    /// The number of letters or the number of numbers, whichever is greater: 2*s* − 1 on a regular board.
    pub fn diameter(&self) -> usize {
        self.letters().max(self.numbers())
    }

    /// The number of vertices: 3*s*(*s* − 1) + 1 on a regular board.
    #[inline(always)]
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// All vertices, in vertex order.
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = Vertex> + DoubleEndedIterator + Clone + use<> {
        (0..self.vertex_count as u16).map(Vertex)
    }

    /// The vertex with this index, or `None` if the board has fewer vertices.
    pub fn vertex(&self, index: usize) -> Option<Vertex> {
        (index < self.vertex_count).then_some(Vertex(index as u16))
    }

    /// The letter index and the number index of a vertex, both from 0.
    ///
    /// # Panics
    /// If `v` is not a vertex of this board.
    pub fn coordinates(&self, v: Vertex) -> (usize, usize) {
        let (l, n) = self.coordinates[v.index()];
        (l as usize, n as usize)
    }

    /// The vertex with these letter and number indices, or `None` if there is none on this board.
    pub fn vertex_at(&self, letter: usize, number: usize) -> Option<Vertex> {
        let numbers = self.numbers();
        if letter >= self.letters() || number >= numbers {
            return None;
        }
        self.by_coordinates[letter * numbers + number]
    }

    /// Where the centre of a vertex is drawn: x to the right and y downwards from the middle of the board. The distance
    /// between neighbours is 1, rows of one number are horizontal, and the highest number is at the top.
    ///
    /// # Panics
    /// If `v` is not a vertex of this board.
    pub fn center(&self, v: Vertex) -> (f64, f64) {
        let (l, n) = self.coordinates(v);
        let [x, y] = [(l, self.letters()), (n, self.numbers())].map(|(i, count)| i as f64 - (count as f64 - 1.0) / 2.0);
        (x - y / 2.0, -y * 3f64.sqrt() / 2.0)
    }

    /// The neighbours of a vertex. A corner has 3, a side vertex 4, and an inner vertex 6.
    ///
    /// # Panics
    /// If `v` is not a vertex of this board.
    #[inline]
    pub fn neighbours(&self, v: Vertex) -> &[Vertex] {
        &self.neighbours[v.index()][..self.degree[v.index()] as usize]
    }

    /// The corner or side that a vertex belongs to, as a mask of 12 bits; 0 for an inner vertex.
    ///
    /// Bit *i* (0 to 5) is corner *i*, in circular order. Bit 6 + *i* is side *i*, which lies between the corners *i*
    /// and *i* + 1 (mod 6). Corners belong to no side.
    ///
    /// # Panics
    /// If `v` is not a vertex of this board.
    #[inline(always)]
    pub fn rim(&self, v: Vertex) -> u16 {
        self.rim[v.index()]
    }

    /// The number of cells in a row, padding included.
    #[inline(always)]
    pub(crate) fn row(&self) -> usize {
        self.row
    }

    /// The cell of a vertex.
    #[inline(always)]
    pub(crate) fn cell(&self, v: Vertex) -> Cell {
        self.cells[v.index()]
    }

    /// The vertex of a cell, or `None` for padding.
    #[inline(always)]
    pub(crate) fn vertex_of(&self, cell: Cell) -> Option<Vertex> {
        self.vertex_of[cell.index()]
    }

    /// The number of cells, padding included.
    #[inline(always)]
    pub(crate) fn cell_count(&self) -> usize {
        self.vertex_of.len()
    }

    /// The directions in which the vertex on `cell` has no neighbour, as a mask of six bits.
    #[inline(always)]
    pub(crate) fn off_board(&self, cell: Cell) -> usize {
        self.off_board[cell.index()] as usize
    }

    /// The change of the cell index for a step in each direction of [`STEPS`].
    #[inline(always)]
    pub(crate) fn offsets(&self) -> &[i16; 6] {
        &self.offsets
    }

    /// The runs of stones around a vertex, indexed by the directions that hold a stone. See [`Runs`].
    #[inline(always)]
    pub(crate) fn runs(&self) -> &[Runs; 256] {
        &self.runs
    }

    /// Whether a vertex is one of the six corners.
    pub fn is_corner(&self, v: Vertex) -> bool {
        self.rim(v) & 0x3f != 0
    }

    /// Whether a vertex belongs to a side. Corners do not.
    pub fn is_side(&self, v: Vertex) -> bool {
        self.rim(v) >> 6 != 0
    }

    /// The corner with this number, 0 to 5, as in [`Geometry::rim`].
    ///
    /// # Panics
    /// If there is no such corner.
    pub fn corner(&self, number: usize) -> Vertex {
        assert!(number < 6, "corners are numbered from 0 to 5");
        self.vertices().find(|&v| self.rim(v) == 1 << number).expect("a board has six corners")
    }

    /// The number of steps on a shortest path between two vertices.
    #[must_use]
    pub fn distance(&self, v: Vertex, w: Vertex) -> usize {
        self.cube(v).iter().zip(self.cube(w)).map(|(a, b)| a.abs_diff(b) as usize).sum::<usize>() / 2
    }

    /// The number of steps on a shortest path from a vertex to the rim: 0 for corners and side vertices.
    pub fn rim_distance(&self, v: Vertex) -> usize {
        let (l, n) = self.coordinates(v);
        self.line_distances(l, n).into_iter().min().expect("there are six sides")
    }

    /// The symmetries of the board, the identity first: 12 on a regular board, and four or two on others. Each lists
    /// the image of every vertex, in vertex order.
    pub fn symmetries(&self) -> &[Vec<Vertex>] {
        &self.symmetries
    }

    /// White's and Black's stones after these moves, of which White made the first, under the symmetry for which the
    /// result is least. Two lists of moves have the same canonical form iff a symmetry maps the stones of one to the
    /// stones of the other. The stones are in vertex order.
    #[must_use]
    pub fn canonical(&self, moves: &[Vertex]) -> [Vec<Vertex>; 2] {
        let image = |symmetry: &Vec<Vertex>| {
            Color::ALL.map(|color| {
                let own = moves.iter().skip(color.index()).step_by(2);
                let mut stones: Vec<Vertex> = own.map(|v| symmetry[v.index()]).collect();
                stones.sort_unstable();
                stones
            })
        };
        self.symmetries.iter().map(image).min().expect("the identity is a symmetry")
    }
}

impl fmt::Debug for Geometry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Geometry({})", self.shape.title())
    }
}

impl PartialEq for Geometry {
    fn eq(&self, other: &Geometry) -> bool {
        self.shape == other.shape
    }
}

impl Eq for Geometry {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn all_sides() -> impl Iterator<Item = &'static Geometry> {
        (MIN_SIDE..=MAX_SIDE).map(|s| Geometry::with_side(s).unwrap())
    }

    /// Boards that are not regular: all of small ones, and some with extreme lengths.
    fn other_boards() -> impl Iterator<Item = &'static Geometry> {
        let small = (2..=5).flat_map(|a| (a..=5).flat_map(move |b| (b..=5).map(move |c| [a, b, c])));
        let shapes = small.chain([[2, 2, 13], [2, 13, 13], [4, 7, 11], [12, 13, 13]]);
        shapes.filter(|[a, _, c]| a < c).map(|sides| Geometry::with_shape(Shape::new(sides).unwrap()))
    }

    #[test]
    fn invalid_side_lengths_are_rejected() {
        for side in [0, 1, 14, 100] {
            let message = Geometry::with_side(side).unwrap_err().to_string();
            assert!(message.contains(&side.to_string()) && message.contains("2 to 13"), "{message}");
        }
    }

    #[test]
    fn sides_have_their_lengths_and_opposite_sides_the_same() {
        for board in all_sides().chain(other_boards()) {
            let [a, b, c] = board.shape().sides();
            assert_eq!(board.vertices().len(), board.coordinates.len());
            let mut lengths: Vec<usize> =
                (6..12).map(|bit| 2 + board.vertices().filter(|&v| board.rim(v) == 1 << bit).count()).collect();
            assert_eq!(lengths[..3], lengths[3..], "opposite sides have the same length");
            lengths.sort_unstable();
            assert_eq!(lengths, [a, a, b, b, c, c]);
            for i in 0..6 {
                let length = 1 + board.vertices().filter(|&v| board.rim(v) == 1 << (6 + i)).count();
                assert_eq!(board.distance(board.corner(i), board.corner((i + 1) % 6)), length);
            }
            for v in board.vertices() {
                let degree = board.neighbours(v).len();
                assert_eq!((board.is_corner(v), board.is_side(v)), (degree == 3, degree == 4));
                assert_eq!(board.rim_distance(v) == 0, degree < 6);
            }
        }
    }

    #[test]
    fn neighbours_are_the_vertices_at_distance_one_in_circular_order() {
        for board in all_sides().chain(other_boards()) {
            for v in board.vertices() {
                let neighbours: BTreeSet<_> = board.neighbours(v).iter().copied().collect();
                let at_distance_one = board.vertices().filter(|&w| board.distance(v, w) == 1).collect();
                assert_eq!(neighbours, at_distance_one);
                let around = board.offsets().map(|o| board.vertex_of(board.cell(v).step(o)));
                assert_eq!(around.iter().flatten().copied().collect::<BTreeSet<_>>(), neighbours);
                for d in 0..6 {
                    if let (Some(a), Some(b)) = (around[d], around[(d + 1) % 6]) {
                        assert!(board.neighbours(a).contains(&b));
                    }
                }
            }
        }
    }

    #[test]
    fn neighbours_are_drawn_at_distance_one_and_other_vertices_farther_away() {
        for board in all_sides().chain(other_boards()) {
            let mut sum = (0.0, 0.0);
            for v in board.vertices() {
                let (x, y) = board.center(v);
                sum = (sum.0 + x, sum.1 + y);
                for w in board.vertices().filter(|&w| w != v) {
                    let (wx, wy) = board.center(w);
                    let distance = (x - wx).hypot(y - wy);
                    assert_eq!((distance - 1.0).abs() < 1e-9, board.distance(v, w) == 1);
                    assert!(distance > 0.99);
                }
            }
            assert!(sum.0.abs() < 1e-6 && sum.1.abs() < 1e-6, "the middle of the board is the origin");
        }
    }

    #[test]
    fn symmetries_are_distinct_and_each_keeps_neighbours_and_corners() {
        for board in all_sides().chain(other_boards()) {
            let all = board.symmetries();
            let [a, b, c] = board.shape().sides();
            // Two lengths may be exchanged if they are the same, and the board may always be turned around.
            let count = if a == c {
                12
            } else if a == b || b == c {
                4
            } else {
                2
            };
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), count);
            assert_eq!(all.len(), count);
            assert!(board.vertices().all(|v| all[0][v.index()] == v));
            for image in all {
                for v in board.vertices() {
                    let w = image[v.index()];
                    assert_eq!(board.is_corner(v), board.is_corner(w));
                    assert!(board.neighbours(v).iter().all(|&n| board.neighbours(w).contains(&image[n.index()])));
                }
            }
        }
    }

    #[test]
    fn each_vertex_has_its_own_coordinates_in_the_paper() {
        for board in all_sides().chain(other_boards()) {
            for v in board.vertices() {
                let x = board.cube(v);
                assert_eq!(x.iter().sum::<i32>(), 0);
                assert_eq!(board.vertex_at_cube(x), Some(v));
            }
        }
        for board in all_sides() {
            for v in board.vertices() {
                assert!(board.cube(v).iter().all(|c| c.unsigned_abs() < board.side() as u32));
            }
            assert_eq!(board.vertex_at_cube([1, 0, 0]), None);
            assert_eq!(board.vertex_at_cube([board.side() as i32, -(board.side() as i32), 0]), None);
        }
    }
}
