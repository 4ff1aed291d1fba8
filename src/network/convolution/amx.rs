//! Convolutions with AMX, whose instructions multiply the inputs of sixteen cells by the weights to sixteen outputs.
//!
//! A register holds a *tile*: sixteen rows of 64 bytes. A tile of inputs has a row for each of sixteen consecutive
//! cells, starting at the cell that a tap leads to. If a cell has 32 channels or fewer, a row also holds the next cell,
//! to which another tap leads. A tile of weights has a row for each quad of inputs, and a tile of sums has one for each
//! cell.

use std::arch::asm;
use std::arch::x86_64::*;
use std::array::from_fn;

use super::*;
use crate::network::grid::{TILE, Tile};

/// Bytes of a row.
const ROW: usize = 64;
/// Outputs of a tile.
const WIDE: usize = ROW / 4;
/// Tiles of sums that are computed at once.
const SUMS: usize = 4;
/// The most steps: one for each tap.
const MAX_STEPS: usize = TAPS;
/// Taps that lead to consecutive cells.
const LINES: [&[usize]; 3] = [&[5, 4], &[6, 0, 3], &[1, 2]];

/// The weights from the 64 inputs of a row to sixteen outputs.
#[derive(Clone)]
#[repr(C, align(64))]
struct Weights([[[i8; 4]; WIDE]; TILE]);

/// The sums of sixteen outputs for sixteen cells.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Sums([[i32; WIDE]; TILE]);

/// The weights of a convolution in steps, each of which reads 64 inputs of each cell.
pub struct Steps {
    /// For each step, the tap that leads to the first of its inputs.
    taps: Vec<usize>,
    /// For each step, a tile for each sixteen outputs.
    weights: Vec<Weights>,
    /// The number of tiles of outputs.
    tiles: usize,
}

impl Steps {
    /// The steps for the first `outputs` of a convolution that reads this many quads of inputs.
    pub fn new<const C: usize>(weights: &[QuadWeights<C>], quads: usize, outputs: usize) -> Steps {
        const { assert!(C.is_multiple_of(WIDE) && size_of::<Inputs<C>>() <= ROW) };
        let parts: Vec<&[usize]> = LINES.iter().flat_map(|line| line.chunks(ROW / size_of::<Inputs<C>>())).collect();
        let tiles = outputs.div_ceil(WIDE);
        let tile = |part: &[usize], first: usize| {
            // A row may belong to a quad that is not read, to the space between two cells, or to nothing after the last
            // tap.
            let row = |i: usize| {
                let (tap, quad) = (i / (size_of::<Inputs<C>>() / 4), i % (size_of::<Inputs<C>>() / 4));
                match part.get(tap) {
                    Some(tap) if quad < quads => from_fn(|o| weights[tap * quads + quad].0[first + o]),
                    _ => [[0; 4]; WIDE],
                }
            };
            Weights(from_fn(row))
        };
        let of_part = |part: &&[usize]| (0..tiles).map(|t| tile(part, t * WIDE)).collect::<Vec<_>>();
        Steps {
            taps: parts.iter().map(|part| part[0]).collect(),
            weights: parts.iter().flat_map(of_part).collect(),
            tiles,
        }
    }
}

/// The sizes of the tiles in the registers, in the processor's format.
#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    first_row: u8,
    reserved: [u8; 14],
    bytes: [[u16; 8]; 2],
    rows: [[u8; 8]; 2],
}

/// Full tiles in all eight registers.
static CONFIGURATION: Configuration = Configuration {
    palette: 1,
    first_row: 0,
    reserved: [0; 14],
    bytes: [[ROW as u16; 8], [0; 8]],
    rows: [[TILE as u8; 8], [0; 8]],
};

/// # Safety
/// Needs [`Level::Amx`]. The input must be a layer of the grid.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub unsafe fn convolve<const C: usize>(task: &Task<'_, C>, mut output: impl Output<C>) {
    let steps = task.layer.steps();
    let mut offsets = [0; MAX_STEPS];
    for (offset, &tap) in offsets.iter_mut().zip(&steps.taps) {
        *offset = task.grid.offset(tap) * size_of::<Inputs<C>>() as isize;
    }
    // SAFETY: by the caller. Tiles are in use only between these two instructions.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const CONFIGURATION, options(nostack, readonly, preserves_flags)) };
    for first in (0..steps.tiles).step_by(2) {
        let source = Source { steps, first, offsets: &offsets[..steps.taps.len()], input: task.input };
        match steps.tiles - first {
            // SAFETY: by the caller; one tile of outputs is left, starting at `first`.
            1 => unsafe { pass::<C, 1>(task, &source, &mut output) },
            // SAFETY: by the caller; at least two tiles of outputs are left, starting at `first`.
            _ => unsafe { pass::<C, 2>(task, &source, &mut output) },
        }
    }
    // SAFETY: by the caller.
    unsafe { asm!("tilerelease", options(nomem, nostack, preserves_flags)) };
}

/// Computes one or two tiles of outputs.
///
/// # Safety
/// As for [`convolve`], in its configuration. The source must have that many tiles of outputs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn pass<const C: usize, const OUTPUTS: usize>(
    task: &Task<'_, C>,
    source: &Source<'_, C>,
    output: &mut impl Output<C>,
) {
    let Task { bias, grid, .. } = *task;
    let first = source.first * WIDE;
    let [now, last] = &mut [[Sums([[0; WIDE]; TILE]); SUMS]; 2];
    let (mut now, mut last) = (now, last);
    let mut before: &[Tile] = &[];
    for tiles in grid.tiles().chunks(SUMS / OUTPUTS).chain([&[][..]]) {
        if let Some(rest) = tiles.last() {
            // The last tile may be computed more than once.
            let first = |i: usize| tiles.get(i).unwrap_or(rest).first;
            match OUTPUTS {
                // SAFETY: by the caller.
                1 => unsafe { source.sums_of_one(from_fn(first), now) },
                // SAFETY: by the caller.
                _ => unsafe { source.sums_of_two(from_fn(first), now) },
            }
        }
        // Sums that have just been written are read later, because reading them now would have to wait.
        for (tile, sums) in before.iter().zip(last.chunks_exact(OUTPUTS)) {
            for i in tile.vertices() {
                let place = tile.first + i as u16;
                // SAFETY: by the caller; the tile's vertices have these places.
                unsafe {
                    let value = |t: usize| {
                        let at = first + t * WIDE;
                        let sums = _mm512_loadu_si512(sums[t].0[i].as_ptr().cast());
                        let sums = _mm512_add_epi32(sums, _mm512_loadu_si512(bias.as_ptr().add(at).cast()));
                        let factors = _mm512_loadu_ps(output.factors().as_ptr().add(at));
                        _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(sums), factors))
                    };
                    if OUTPUTS == 2 {
                        // Packing interleaves the quarters of its two arguments.
                        let packed = _mm512_packs_epi32(value(0), value(1));
                        let value = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), packed);
                        output.take_512(place, first, value);
                    } else {
                        output.take_256(place, first, _mm512_cvtsepi32_epi16(value(0)));
                    }
                }
            }
        }
        before = tiles;
        std::mem::swap(&mut now, &mut last);
    }
}

/// The inputs and the weights of sums.
struct Source<'a, const C: usize> {
    steps: &'a Steps,
    /// The first tile of outputs.
    first: usize,
    /// For each step, the offset of what it reads from a cell's inputs, in bytes.
    offsets: &'a [isize],
    input: &'a [Inputs<C>],
}

impl<const C: usize> Source<'_, C> {
    /// The weights of the first step.
    fn weights(&self) -> *const Weights {
        self.steps.weights[self.first..].as_ptr()
    }

    /// The distance from the weights of a step to those of the next, in bytes.
    fn stride(&self) -> usize {
        self.steps.tiles * size_of::<Weights>()
    }

    /// The sums of two tiles of outputs for the tiles of cells that begin at two places.
    ///
    /// # Safety
    /// As for [`pass`]. The places must be those of tiles of the grid.
    #[inline(always)]
    unsafe fn sums_of_two(&self, places: [u16; 2], sums: &mut [Sums; SUMS]) {
        let cells = places.map(|place| self.input[usize::from(place)..].as_ptr());
        // SAFETY: from a tile, each step leads to a tile of cells, with 64 bytes starting at each cell; each step has
        // the weights of two tiles of outputs.
        unsafe {
            asm!(
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "2:",
                "mov {a}, [{offset}]",
                "lea {b}, [{a} + {cells_b}]",
                "add {a}, {cells_a}",
                "tileloadd tmm4, [{a} + {cell}]",
                "tileloadd tmm6, [{weights} + {row}]",
                "tdpbusd tmm0, tmm4, tmm6",
                "tileloadd tmm7, [{weights} + {row} + 1024]",
                "tdpbusd tmm1, tmm4, tmm7",
                "tileloadd tmm5, [{b} + {cell}]",
                "tdpbusd tmm2, tmm5, tmm6",
                "tdpbusd tmm3, tmm5, tmm7",
                "add {weights}, {step}",
                "add {offset}, 8",
                "cmp {offset}, {end}",
                "jne 2b",
                "tilestored [{sums} + {row}], tmm0",
                "tilestored [{sums} + {row} + 1024], tmm1",
                "tilestored [{sums} + {row} + 2048], tmm2",
                "tilestored [{sums} + {row} + 3072], tmm3",
                cells_a = in(reg) cells[0],
                cells_b = in(reg) cells[1],
                cell = in(reg) size_of::<Inputs<C>>(),
                row = in(reg) ROW,
                step = in(reg) self.stride(),
                weights = inout(reg) self.weights() => _,
                offset = inout(reg) self.offsets.as_ptr() => _,
                end = in(reg) self.offsets.as_ptr_range().end,
                sums = in(reg) sums.as_mut_ptr(),
                a = out(reg) _,
                b = out(reg) _,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }

    /// The sums of a tile of outputs for the tiles of cells that begin at four places.
    ///
    /// # Safety
    /// As for [`Source::sums_of_two`].
    #[inline(always)]
    unsafe fn sums_of_one(&self, places: [u16; 4], sums: &mut [Sums; SUMS]) {
        let cells = places.map(|place| self.input[usize::from(place)..].as_ptr());
        // SAFETY: as above.
        unsafe {
            asm!(
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "2:",
                "tileloadd tmm6, [{weights} + {row}]",
                "mov {a}, [{cells}]",
                "add {a}, [{offset}]",
                "tileloadd tmm4, [{a} + {cell}]",
                "tdpbusd tmm0, tmm4, tmm6",
                "mov {a}, [{cells} + 8]",
                "add {a}, [{offset}]",
                "tileloadd tmm5, [{a} + {cell}]",
                "tdpbusd tmm1, tmm5, tmm6",
                "mov {a}, [{cells} + 16]",
                "add {a}, [{offset}]",
                "tileloadd tmm7, [{a} + {cell}]",
                "tdpbusd tmm2, tmm7, tmm6",
                "mov {a}, [{cells} + 24]",
                "add {a}, [{offset}]",
                "tileloadd tmm4, [{a} + {cell}]",
                "tdpbusd tmm3, tmm4, tmm6",
                "add {weights}, {step}",
                "add {offset}, 8",
                "cmp {offset}, {end}",
                "jne 2b",
                "tilestored [{sums} + {row}], tmm0",
                "tilestored [{sums} + {row} + 1024], tmm1",
                "tilestored [{sums} + {row} + 2048], tmm2",
                "tilestored [{sums} + {row} + 3072], tmm3",
                cells = in(reg) cells.as_ptr(),
                cell = in(reg) size_of::<Inputs<C>>(),
                row = in(reg) ROW,
                step = in(reg) self.stride(),
                weights = inout(reg) self.weights() => _,
                offset = inout(reg) self.offsets.as_ptr() => _,
                end = in(reg) self.offsets.as_ptr_range().end,
                sums = in(reg) sums.as_mut_ptr(),
                a = out(reg) _,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }
}
