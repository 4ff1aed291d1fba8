//! Convolutions with AVX2, AVX-VNNI and AVX-512.
//!
//! Outputs are computed in *passes* over the board. A wide pass computes sixteen outputs; each of its rows of weights
//! reads a quad of inputs. When at most twelve outputs remain, narrow passes compute four of them each. Their rows read
//! sixteen inputs, and the partial sums of an output are added up at the end.

use std::arch::asm;
use std::arch::x86_64::*;

use super::*;

/// Numbers of 32 bits in a vector of 512 bits.
const WIDE: usize = 16;
/// Numbers of 32 bits in a vector of 256 bits.
const NARROW: usize = 8;
/// Outputs of a narrow pass.
const FEW: usize = 4;
/// The most rows of a pass.
const MAX_ROWS: usize = TAPS * 16;
/// The largest sum of weights of one sign whose products with inputs fit into 16 bits.
const MAX_SHORT: i16 = i16::MAX / MAX_INPUT;
/// The most rows whose products AVX2 adds in 16 bits.
const MAX_SET: usize = 4;

/// The weights from four inputs to each of sixteen outputs, or from sixteen inputs to each of four.
#[repr(C, align(64))]
pub struct Row([i8; 64]);

/// A pass over the board for some of the outputs of a convolution.
pub struct Pass {
    /// The first of its outputs.
    first: usize,
    is_narrow: bool,
    rows: Vec<Row>,
    /// For each row, the tap and the first input that it reads.
    reads: Vec<(usize, usize)>,
    /// The numbers of sets of four, of two and of one row, in this order. The products of a set can be added in 16 bits
    /// without overflow, whatever the inputs are. Only the kernel for AVX2 uses this.
    sets: [usize; 3],
}

impl Pass {
    /// The passes for the first `outputs` of a convolution that reads this many quads of inputs, with or without their
    /// rows in sets.
    pub fn all<const C: usize>(weights: &[QuadWeights<C>], quads: usize, outputs: usize, in_sets: bool) -> Vec<Pass> {
        let mut passes = Vec::new();
        let mut first = 0;
        while first < outputs {
            let pass = Pass::new(weights, quads, [first, outputs - first], in_sets);
            first += if pass.is_narrow { FEW } else { WIDE };
            passes.push(pass);
        }
        passes
    }

    /// A pass whose first output is `first`, when `left` outputs remain.
    fn new<const C: usize>(weights: &[QuadWeights<C>], quads: usize, [first, left]: [usize; 2], in_sets: bool) -> Pass {
        const { assert!(C.is_multiple_of(WIDE) && C <= 4 * WIDE) };
        let is_narrow = left <= 3 * FEW;
        let step = if is_narrow { 4 } else { 1 };
        let inputs = move |tap| (0..quads).step_by(step).map(move |quad| (tap, quad));
        let row = |(tap, quad): (usize, usize)| {
            // The output and the input of byte `i`, both counted from the first of the row.
            let place = |i: usize| if is_narrow { (i / 16, i % 16) } else { (i / 4, i % 4) };
            let weight = |(output, input): (usize, usize)| {
                let quad = quad + input / 4;
                if quad < quads { weights[tap * quads + quad].0[first + output][input % 4] } else { 0 }
            };
            Row(std::array::from_fn(|i| weight(place(i))))
        };
        let rows: Vec<Source> =
            (0..TAPS).flat_map(inputs).map(|(tap, quad)| ((tap, 4 * quad), row((tap, quad)))).collect();
        let [fours, twos, ones] = if in_sets { sets(rows) } else { [Vec::new(), Vec::new(), rows] };
        let counts = [fours.len() / 4, twos.len() / 2, ones.len()];
        let (reads, rows) = [fours, twos, ones].into_iter().flatten().unzip();
        Pass { first, is_narrow, rows, reads, sets: counts }
    }

    /// For each row, the offset of what it reads from a vertex's inputs, in bytes.
    fn offsets<const C: usize>(&self, grid: &Grid) -> [isize; MAX_ROWS] {
        let mut offsets = [0; MAX_ROWS];
        for (offset, &(tap, input)) in offsets.iter_mut().zip(&self.reads) {
            *offset = grid.offset(tap) * size_of::<Inputs<C>>() as isize + input as isize;
        }
        offsets
    }

    /// The initial values of a pass's sums, from a number for each output: in a narrow pass, all partial sums but the
    /// first are 0.
    fn spread(&self, numbers: &[i32]) -> [i32; WIDE] {
        let numbers = &numbers[self.first..];
        let few = |i: usize| if i.is_multiple_of(FEW) { numbers[i / FEW] } else { 0 };
        std::array::from_fn(|i| if self.is_narrow { few(i) } else { numbers[i] })
    }
}

/// A row, and the tap and the first input that it reads.
type Source = ((usize, usize), Row);

/// Sorts rows into sets of four, two and one whose products can be added in 16 bits.
fn sets(mut rows: Vec<Source>) -> [Vec<Source>; 3] {
    /// For each number of 16 bits, the sums of the positive and of the negative weights.
    type Sums = [[i16; 2]; 32];
    let sums = |row: &Row| -> Sums {
        let pairs = row.0.as_chunks::<2>().0;
        let sum = |pair: [i8; 2], sign: i16| pair.iter().map(|&w| (sign * i16::from(w)).max(0)).sum();
        std::array::from_fn(|i| [sum(pairs[i], 1), sum(pairs[i], -1)])
    };
    let largest = |sums: &Sums| sums.as_flattened().iter().copied().max();
    rows.sort_by_key(|(_, row)| std::cmp::Reverse(largest(&sums(row))));
    let mut sets: Vec<(Sums, Vec<Source>)> = Vec::new();
    for source in rows {
        let more = sums(&source.1);
        let with = |sums: &Sums| -> Sums { std::array::from_fn(|i| [0, 1].map(|sign| sums[i][sign] + more[i][sign])) };
        let has_room = |(sums, set): &&mut (Sums, Vec<Source>)| {
            set.len() < MAX_SET && largest(&with(sums)).is_some_and(|most| most <= MAX_SHORT)
        };
        match sets.iter_mut().find(has_room) {
            Some((sums, set)) => {
                *sums = with(sums);
                set.push(source);
            }
            None => sets.push((more, vec![source])),
        }
    }
    let mut sorted = [const { Vec::new() }; 3];
    for (_, mut set) in sets {
        for (k, size) in [4, 2, 1].into_iter().enumerate() {
            while set.len() >= size {
                sorted[k].extend(set.drain(..size));
            }
        }
    }
    sorted
}

/// # Safety
/// Needs AVX-512 with BW, VL and VNNI. The input must be a layer of the grid.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub unsafe fn convolve_avx512<const C: usize>(task: &Task<'_, C>, mut output: impl Output<C>) {
    let passes = task.layer.passes(false);
    let (wide, narrow) = passes.split_at(passes.iter().filter(|pass| !pass.is_narrow).count());
    let mut first = 0;
    while first < wide.len() * WIDE {
        // Two vectors of outputs share the loads of the inputs.
        if wide.len() * WIDE - first > WIDE {
            // SAFETY: by the caller; there are two vectors of outputs.
            unsafe { wide_512::<C, 2>(task, first, &mut output) };
            first += 2 * WIDE;
        } else {
            // SAFETY: by the caller; there is one vector of outputs.
            unsafe { wide_512::<C, 1>(task, first, &mut output) };
            first += WIDE;
        }
    }
    for pass in narrow {
        // SAFETY: by the caller.
        unsafe { narrow_512(task, pass, &mut output) };
    }
}

/// Computes `VECTORS` vectors of outputs, starting at `first`.
///
/// # Safety
/// As for [`convolve_avx512`]; there must be `VECTORS` vectors of outputs, starting at `first`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn wide_512<const C: usize, const VECTORS: usize>(
    task: &Task<'_, C>,
    first: usize,
    output: &mut impl Output<C>,
) {
    let Task { layer, bias, grid, input } = *task;
    // SAFETY: bias, factors and the weights of a quad of inputs have `C` words each, of which the vectors begin at
    // `first`; a tap of a vertex's cell is a cell of the grid, with at least as many quads of inputs as the layer
    // reads.
    unsafe {
        let load = |at: *const i32, v: usize| _mm512_loadu_si512(at.add(first + WIDE * v).cast());
        let mut start = [_mm512_setzero_si512(); VECTORS];
        start.iter_mut().enumerate().for_each(|(v, sum)| *sum = load(bias.as_ptr(), v));
        for (places, taps) in grid.groups().iter().zip(grid.taps()) {
            let mut sums = [start; GROUP];
            let cells = places.map(|place| input.as_ptr().add(place as usize).cast::<i32>());
            for tap in (0..TAPS).filter(|tap| taps >> tap & 1 == 1) {
                let first_quad = grid.offset(tap) * (size_of::<Inputs<C>>() / 4) as isize;
                let rows = layer.weights.as_ptr().add(tap * layer.quads);
                for i in 0..layer.quads {
                    let mut vectors = [_mm512_setzero_si512(); VECTORS];
                    vectors.iter_mut().enumerate().for_each(|(v, x)| *x = load(rows.add(i).cast(), v));
                    for (sums, cell) in sums.iter_mut().zip(cells) {
                        let quad = _mm512_set1_epi32(*cell.offset(first_quad + i as isize));
                        for (sum, weights) in sums.iter_mut().zip(vectors) {
                            *sum = _mm512_dpbusd_epi32(*sum, quad, weights);
                        }
                    }
                }
            }
            for (&place, sums) in places.iter().zip(sums) {
                let scale = |v: usize| {
                    let factor = _mm512_loadu_ps(output.factors().as_ptr().add(first + WIDE * v));
                    _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(sums[v]), factor))
                };
                if VECTORS == 2 {
                    // Packing interleaves the quarters of its two arguments.
                    let packed = _mm512_packs_epi32(scale(0), scale(1));
                    let value = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), packed);
                    output.take_512(place, first, value);
                } else {
                    output.take_256(place, first, _mm512_cvtsepi32_epi16(scale(0)));
                }
            }
        }
    }
}

/// Computes the outputs of a narrow pass.
///
/// # Safety
/// As for [`convolve_avx512`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn narrow_512<const C: usize>(task: &Task<'_, C>, pass: &Pass, output: &mut impl Output<C>) {
    let Task { bias, grid, input, .. } = *task;
    let start = pass.spread(bias);
    let offsets = pass.offsets::<C>(grid);
    let factors: [f32; WIDE] = std::array::from_fn(|i| output.factors()[pass.first + i / FEW]);
    // SAFETY: a tap of a vertex's cell is a cell of the grid, which has the sixteen inputs that a row reads.
    unsafe {
        let start = _mm512_loadu_si512(start.as_ptr().cast());
        let factors = _mm512_loadu_ps(factors.as_ptr());
        let by_vertex = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        for (places, taps) in grid.groups().iter().zip(grid.taps()) {
            let mut sums = [start; GROUP];
            let cells = places.map(|place| input.as_ptr().add(place as usize).cast::<u8>());
            // The rows are in the order of the taps.
            let of_tap = pass.rows.len() / TAPS;
            for tap in (0..TAPS).filter(|tap| taps >> tap & 1 == 1) {
                let at = tap * of_tap..(tap + 1) * of_tap;
                for (row, &at) in pass.rows[at.clone()].iter().zip(&offsets[at]) {
                    let weights = _mm512_loadu_si512(row.0.as_ptr().cast());
                    for (sum, cell) in sums.iter_mut().zip(cells) {
                        let inputs = _mm512_broadcast_i32x4(_mm_loadu_si128(cell.offset(at).cast()));
                        *sum = _mm512_dpbusd_epi32(*sum, inputs, weights);
                    }
                }
            }
            for (places, &[a, b, c, d]) in places.as_chunks::<4>().0.iter().zip(sums.as_chunks::<4>().0) {
                // For each output, the four partial sums of four vertices become one vector of their sums.
                let halves = |a, b| _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
                let (ab, cd) = (halves(a, b), halves(c, d));
                let sums = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
                let value = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(sums), factors));
                let value = _mm512_cvtsepi32_epi16(_mm512_permutexvar_epi32(by_vertex, value));
                let mut values = [[0; FEW]; 4];
                _mm256_storeu_si256(values.as_mut_ptr().cast(), value);
                for (&place, values) in places.iter().zip(values) {
                    output.take(place, pass.first, values);
                }
            }
        }
    }
}

/// The sums of a pass for `N` vertices: two vectors for each.
type Sums256<const N: usize> = [[__m256i; 2]; N];

/// # Safety
/// Needs AVX2 and AVX-VNNI. The input must be a layer of the grid.
#[target_feature(enable = "avx2,avxvnni")]
pub unsafe fn convolve_avx_vnni<const C: usize>(task: &Task<'_, C>, mut output: impl Output<C>) {
    // As many vertices as have room for their two vectors of sums in registers.
    const N: usize = 4;
    for pass in task.layer.passes(false) {
        let sums = |offsets: &[isize], start: [__m256i; 2], cells: [*const u8; N]| {
            let mut sums: Sums256<N> = [start; N];
            for (row, &at) in pass.rows.iter().zip(offsets) {
                // SAFETY: by the caller of this closure.
                unsafe {
                    let weights = load_row(row);
                    for (sums, cell) in sums.iter_mut().zip(cells) {
                        let inputs = broadcast(pass.is_narrow, cell.offset(at));
                        for (sum, weights) in sums.iter_mut().zip(weights) {
                            *sum = _mm256_dpbusd_avx_epi32(*sum, inputs, weights);
                        }
                    }
                }
            }
            sums
        };
        // SAFETY: by the caller.
        unsafe { pass_256(task, pass, &mut output, sums) };
    }
}

/// # Safety
/// Needs AVX2. The input must be a layer of the grid.
#[target_feature(enable = "avx2")]
pub unsafe fn convolve_avx2<const C: usize>(task: &Task<'_, C>, mut output: impl Output<C>) {
    for pass in task.layer.passes(true) {
        // SAFETY: by the caller; the closures are called with cells of the grid and offsets of the pass.
        unsafe {
            if pass.is_narrow {
                pass_256(task, pass, &mut output, |offsets, start, cells| {
                    sums_avx2::<true>(pass, offsets, start, cells)
                });
            } else {
                pass_256(task, pass, &mut output, |offsets, start, cells| {
                    sums_avx2::<false>(pass, offsets, start, cells)
                });
            }
        }
    }
}

/// Computes the outputs of a pass. `sums` computes the sums of some cells from the offsets of the rows, the initial
/// sums, and the inputs of the cells.
///
/// # Safety
/// As for [`convolve_avx2`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn pass_256<const C: usize, const N: usize>(
    task: &Task<'_, C>,
    pass: &Pass,
    output: &mut impl Output<C>,
    sums: impl Fn(&[isize], [__m256i; 2], [*const u8; N]) -> Sums256<N>,
) {
    let Task { bias, grid, input, .. } = *task;
    let start = pass.spread(bias);
    let offsets = pass.offsets::<C>(grid);
    // SAFETY: there is a factor for each output of the pass; a tap of a vertex's cell is a cell of the grid, which has
    // the inputs that a row reads.
    unsafe {
        let start = [0, NARROW].map(|at| _mm256_loadu_si256(start.as_ptr().add(at).cast()));
        let factors = output.factors().as_ptr().add(pass.first);
        for places in grid.places().chunks(N) {
            // The last group repeats its last vertex.
            let places: [u16; N] = std::array::from_fn(|i| places[i.min(places.len() - 1)]);
            let cells = places.map(|place| input.as_ptr().add(place as usize).cast::<u8>());
            for (place, [a, b]) in places.into_iter().zip(sums(&offsets[..pass.rows.len()], start, cells)) {
                if pass.is_narrow {
                    // Two additions of neighbours leave the sums of the outputs 0 and 2, and of 1 and 3.
                    let halves = _mm256_hadd_epi32(a, b);
                    let sums = _mm256_hadd_epi32(halves, halves);
                    let sums = _mm_unpacklo_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
                    let value = _mm_cvtps_epi32(_mm_mul_ps(_mm_cvtepi32_ps(sums), _mm_loadu_ps(factors)));
                    let mut values = [0; FEW];
                    _mm_storel_epi64(values.as_mut_ptr().cast(), _mm_packs_epi32(value, value));
                    output.take(place, pass.first, values);
                } else {
                    let scale = |sum: __m256i, at: usize| {
                        let factor = _mm256_loadu_ps(factors.add(at));
                        _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(sum), factor))
                    };
                    // Packing interleaves the halves of its two arguments.
                    let packed = _mm256_packs_epi32(scale(a, 0), scale(b, NARROW));
                    output.take_256(place, pass.first, _mm256_permute4x64_epi64::<0b11_01_10_00>(packed));
                }
            }
        }
    }
}

/// The sums of a pass for some cells.
///
/// # Safety
/// Needs AVX2. There must be an offset for each row of the pass, with all the inputs that it reads at each cell.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn sums_avx2<const IS_NARROW: bool>(
    pass: &Pass,
    offsets: &[isize],
    start: [__m256i; 2],
    cells: [*const u8; 3],
) -> Sums256<3> {
    let mut sums = [start; 3];
    let mut rows = (pass.rows.as_ptr(), offsets.as_ptr());
    // SAFETY: the sets have as many rows as the pass.
    unsafe {
        add_sets::<IS_NARROW, 4>(pass.sets[0], &mut rows, cells, &mut sums);
        add_sets::<IS_NARROW, 2>(pass.sets[1], &mut rows, cells, &mut sums);
        add_sets::<IS_NARROW, 1>(pass.sets[2], &mut rows, cells, &mut sums);
    }
    sums
}

/// Adds this many sets of `K` rows, and moves on to the rows after them. The products of a set are added in 16 bits
/// before they are widened.
///
/// # Safety
/// As for [`sums_avx2`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn add_sets<const IS_NARROW: bool, const K: usize>(
    sets: usize,
    (row, offset): &mut (*const Row, *const isize),
    cells: [*const u8; 3],
    sums: &mut Sums256<3>,
) {
    for _ in 0..sets {
        let mut short = [[_mm256_setzero_si256(); 2]; 3];
        for k in 0..K {
            // SAFETY: by the caller.
            unsafe {
                let weights = load_row(&**row);
                let at = **offset;
                for (short, cell) in short.iter_mut().zip(cells) {
                    let inputs = broadcast(IS_NARROW, cell.offset(at));
                    for (short, weights) in short.iter_mut().zip(weights) {
                        let products = _mm256_maddubs_epi16(inputs, weights);
                        *short = if k == 0 { products } else { _mm256_add_epi16(*short, products) };
                        // Keeps the compiler from reordering the additions: it would run out of registers.
                        asm!("/* {} */", inout(ymm_reg) * short, options(nomem, nostack, preserves_flags));
                    }
                }
                (*row, *offset) = (row.add(1), offset.add(1));
            }
        }
        for (sums, short) in sums.iter_mut().zip(short) {
            for (sum, short) in sums.iter_mut().zip(short) {
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(short, _mm256_set1_epi16(1)));
            }
        }
    }
}

/// Reads the activations of the stream as inputs.
///
/// # Safety
/// Needs AVX2. The stream and the inputs must be layers of the grid.
#[target_feature(enable = "avx2")]
pub unsafe fn round<const C: usize>(grid: &Grid, stream: &[Lanes<C>], multipliers: &Lanes<C>, out: &mut [Inputs<C>]) {
    const { assert!(C.is_multiple_of(16)) };
    for &place in grid.places() {
        for first in (0..C).step_by(16) {
            // SAFETY: by the caller, layers have a cell for each vertex; there are sixteen channels, starting at
            // `first`.
            unsafe {
                let load = |lanes: &Lanes<C>| _mm256_loadu_si256(lanes.0.as_ptr().add(first).cast());
                let activations = load(stream.get_unchecked(place as usize));
                let out = &mut out.get_unchecked_mut(place as usize).0;
                write_inputs_256(out, first, _mm256_mulhrs_epi16(activations, load(multipliers)));
            }
        }
    }
}

/// Writes the outputs of a first convolution for sixteen channels, starting at `first`.
///
/// # Safety
/// Needs AVX2. There must be sixteen channels, starting at `first`.
#[inline]
#[target_feature(enable = "avx2")]
pub unsafe fn write_inner_256<const C: usize>(out: &mut [u8; C], first: usize, values: __m256i) {
    // SAFETY: by the caller.
    unsafe { write_inputs_256(out, first, _mm256_max_epi16(values, _mm256_setzero_si256())) };
}

/// Adds the outputs of a second convolution to the stream for sixteen channels, starting at `first`.
///
/// # Safety
/// As for [`write_inner_256`].
#[inline]
#[target_feature(enable = "avx2")]
pub unsafe fn write_outer_256<const C: usize>(
    before: &[i16; C],
    after: &mut [i16; C],
    (multipliers, out): (&[i16; C], &mut [u8; C]),
    first: usize,
    values: __m256i,
) {
    // SAFETY: by the caller.
    unsafe {
        let before = _mm256_loadu_si256(before.as_ptr().add(first).cast());
        let sums = _mm256_max_epi16(_mm256_adds_epi16(before, values), _mm256_setzero_si256());
        _mm256_storeu_si256(after.as_mut_ptr().add(first).cast(), sums);
        let multipliers = _mm256_loadu_si256(multipliers.as_ptr().add(first).cast());
        write_inputs_256(out, first, _mm256_mulhrs_epi16(sums, multipliers));
    }
}

/// Writes numbers, none of them negative, as inputs.
///
/// # Safety
/// As for [`write_inner_256`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn write_inputs_256<const C: usize>(out: &mut [u8; C], first: usize, values: __m256i) {
    const { assert!(MAX_INPUT == i8::MAX as i16) };
    let inputs = _mm_packs_epi16(_mm256_castsi256_si128(values), _mm256_extracti128_si256::<1>(values));
    // SAFETY: by the caller.
    unsafe { _mm_storeu_si128(out.as_mut_ptr().add(first).cast(), inputs) };
}

/// Like [`write_inner_256`], for 32 channels.
///
/// # Safety
/// Needs AVX-512 with BW. There must be 32 channels, starting at `first`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub unsafe fn write_inner_512<const C: usize>(out: &mut [u8; C], first: usize, values: __m512i) {
    let inputs = _mm512_cvtsepi16_epi8(_mm512_max_epi16(values, _mm512_setzero_si512()));
    // SAFETY: by the caller.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().add(first).cast(), inputs) };
}

/// Like [`write_outer_256`], for 32 channels.
///
/// # Safety
/// As for [`write_inner_512`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub unsafe fn write_outer_512<const C: usize>(
    before: &[i16; C],
    after: &mut [i16; C],
    (multipliers, out): (&[i16; C], &mut [u8; C]),
    first: usize,
    values: __m512i,
) {
    // SAFETY: by the caller.
    unsafe {
        let before = _mm512_loadu_si512(before.as_ptr().add(first).cast());
        let sums = _mm512_max_epi16(_mm512_adds_epi16(before, values), _mm512_setzero_si512());
        _mm512_storeu_si512(after.as_mut_ptr().add(first).cast(), sums);
        let multipliers = _mm512_loadu_si512(multipliers.as_ptr().add(first).cast());
        let inputs = _mm512_cvtsepi16_epi8(_mm512_mulhrs_epi16(sums, multipliers));
        _mm256_storeu_si256(out.as_mut_ptr().add(first).cast(), inputs);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_row(row: &Row) -> [__m256i; 2] {
    // SAFETY: a row has the bytes of two vectors.
    [0, 32].map(|at| unsafe { _mm256_loadu_si256(row.0.as_ptr().add(at).cast()) })
}

/// Sixteen inputs in each half of a vector, or a quad in each word.
///
/// # Safety
/// Needs AVX2. There must be sixteen inputs, or four.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn broadcast(is_narrow: bool, inputs: *const u8) -> __m256i {
    // SAFETY: by the caller.
    unsafe {
        if is_narrow {
            _mm256_broadcastsi128_si256(_mm_loadu_si128(inputs.cast()))
        } else {
            _mm256_set1_epi32(inputs.cast::<i32>().read_unaligned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// All rows are in some set, and the products of no set overflow.
    #[test]
    fn sets_of_rows_add_up_in_16_bits() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(14);
        let mut longest = 0;
        for most in [1, 20, 60, 127] {
            let mut row = |_| Row(std::array::from_fn(|_| rng.random_range(-most..=most)));
            let rows: Vec<Source> = (0..56).map(|i| ((i, 0), row(i))).collect();
            let sets = sets(rows);
            let mut found: Vec<usize> = sets.iter().flatten().map(|((i, _), _)| *i).collect();
            found.sort_unstable();
            assert!(found.into_iter().eq(0..56));
            longest = longest.max(sets[0].len());
            for (sources, size) in sets.iter().zip([4, 2, 1]) {
                for set in sources.chunks(size) {
                    assert_eq!(set.len(), size);
                    for byte in (0..64).step_by(2) {
                        for sign in [1, -1] {
                            let weights = set.iter().flat_map(|(_, row)| [row.0[byte], row.0[byte + 1]]);
                            let sum: i32 = weights.map(|w| (sign * i32::from(w)).max(0)).sum();
                            assert!(sum * i32::from(MAX_INPUT) <= i16::MAX.into());
                        }
                    }
                }
            }
        }
        assert_eq!(longest, 56);
    }
}
