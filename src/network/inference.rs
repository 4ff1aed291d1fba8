//! A network in fixed-point arithmetic on this processor: its weights as the kernels read them, and the evaluator.

use std::sync::Arc;

use crate::base::math;
use crate::base::simd::Level;
use crate::game::{Color, Geometry, Lookahead, MAX_VERTICES, Position};

use super::architecture::{Architecture, Part};
use super::convolution::{Convolution, Inputs, Reading, convolve_inner, convolve_outer, round};
use super::evaluator::{Evaluation, Evaluator, Input};
use super::features::{self, Extractor};
use super::grid::Grid;
use super::stream::{ACTIVATION_BITS, FirstLayer, Lanes, POLICY_BITS, pool, read_features, read_policy};

/// Weights ready for the kernels, for any number of channels.
pub(super) trait Prepared: Send + Sync {
    /// An evaluator that uses the kernels of this level.
    fn evaluator(&self, geometry: &'static Geometry, level: Level) -> Box<dyn Evaluator>;
}

/// Prepares weights in the order of [`Architecture::range`], which must be within their limits, for features of this
/// version.
pub(super) fn prepare(architecture: Architecture, version: u32, weights: &[f32]) -> Box<dyn Prepared> {
    match architecture.channels() {
        16 => Box::new(Layers::<16>::new(architecture, version, weights)),
        32 => Box::new(Layers::<32>::new(architecture, version, weights)),
        48 => Box::new(Layers::<48>::new(architecture, version, weights)),
        64 => Box::new(Layers::<64>::new(architecture, version, weights)),
        other => unreachable!("{other} channels"),
    }
}

/// The weights of a network of `C` channels.
struct Layers<const C: usize> {
    /// The version of the features.
    version: u32,
    first: FirstLayer<C>,
    /// What the first layer adds for each unit of [`size`].
    size: [f32; C],
    blocks: Vec<Block<C>>,
    policy: Lanes<C>,
    value: ValueHead,
}

/// A residual block.
struct Block<const C: usize> {
    /// How the first convolution reads the stream.
    reading: Reading<C>,
    /// From the pooled channels to those of the first convolution: a row for each mean, then one for each maximum.
    pool: Vec<[f32; C]>,
    first: Convolution<C>,
    second: Convolution<C>,
}

/// The weights of a convolution: a row of outputs for each tap and input, and the biases.
#[derive(Clone, Copy)]
struct Weights<'a, const C: usize> {
    rows: &'a [[f32; C]],
    bias: &'a [f32; C],
}

/// The value head, in floating point.
struct ValueHead {
    /// For each input, a weight for each hidden unit.
    hidden: Vec<f32>,
    hidden_bias: Vec<f32>,
    value: Vec<f32>,
    value_bias: f32,
}

impl<const C: usize> Layers<C> {
    fn new(architecture: Architecture, version: u32, weights: &[f32]) -> Arc<Layers<C>> {
        let part = |part| &weights[architecture.range(part)];
        let rows = |of| part(of).as_chunks::<C>().0;
        let lanes = |row: &[f32; C], bits| Lanes(row.map(|x| fixed(x, bits)));
        let convolution = |k| Weights { rows: rows(Part::Convolution(k)), bias: &rows(Part::ConvolutionBias(k))[0] };
        let block = |b| {
            let ranges = &rows(Part::Ranges(b))[0];
            Block::new(ranges, rows(Part::Pool(b)), convolution(2 * b), convolution(2 * b + 1))
        };
        Arc::new(Layers {
            version,
            first: FirstLayer {
                weights: rows(Part::First).iter().map(|row| lanes(row, ACTIVATION_BITS)).collect(),
                bias: lanes(&rows(Part::FirstBias)[0], ACTIVATION_BITS),
            },
            size: rows(Part::Size)[0],
            blocks: (0..architecture.blocks()).map(block).collect(),
            policy: lanes(&rows(Part::Policy)[0], POLICY_BITS),
            value: ValueHead {
                hidden: part(Part::Hidden).to_vec(),
                hidden_bias: part(Part::HiddenBias).to_vec(),
                value: part(Part::Value).to_vec(),
                value_bias: part(Part::ValueBias)[0],
            },
        })
    }
}

/// The nearest fixed-point number in range.
fn fixed(x: f32, bits: u32) -> i16 {
    math::nearest(x * (1 << bits) as f32).clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// The side length as a network reads it.
fn size(side: usize) -> f32 {
    (side as f32 - 6.0) / 4.0
}

/// The means of the channels over this many vertices, then their maxima, from the sums and maxima of the fixed-point
/// stream.
fn pooled<const C: usize>((sums, most): ([i32; C], [i16; C]), vertices: usize) -> impl Iterator<Item = f32> {
    let unit = 1.0 / (vertices as f32 * (1 << ACTIVATION_BITS) as f32);
    let means = sums.into_iter().map(move |sum| sum as f32 * unit);
    means.chain(most.into_iter().map(|most| most as f32 / (1 << ACTIVATION_BITS) as f32))
}

impl<const C: usize> Block<C> {
    /// A block from its ranges and the weights of the pooled channels and of both convolutions.
    ///
    /// Training leaves channels between the convolutions that the second one does not read, many of them in late
    /// blocks. These are not computed: the channels that are read come first, and the layers are only that wide.
    fn new(ranges: &[f32; C], pool: &[[f32; C]], first: Weights<'_, C>, second: Weights<'_, C>) -> Block<C> {
        let reading = Reading::new(ranges);
        let reads = Convolution::reads(second.rows);
        let all = |is_read| (0..C).filter(move |&i| reads[i] == is_read);
        let mut channels = all(true).chain(all(false));
        let order: [usize; C] = std::array::from_fn(|_| channels.next().expect("each channel is read or not"));
        let outputs = reads.iter().filter(|&&read| read).count();
        let inputs = outputs.next_multiple_of(4).max(4);
        let columns = |rows: &[[f32; C]]| -> Vec<[f32; C]> { rows.iter().map(|row| order.map(|i| row[i])).collect() };
        let rows: Vec<[f32; C]> =
            second.rows.chunks_exact(C).flat_map(|tap| order[..inputs].iter().map(|&i| tap[i])).collect();
        Block {
            pool: columns(pool),
            first: Convolution::new(&columns(&reading.fold(first.rows)), &order.map(|i| first.bias[i]), outputs),
            second: Convolution::new(&rows, second.bias, C),
            reading,
        }
    }

    /// What the first convolution adds besides its bias, from the pooled channels. Computed in floating point, in the
    /// same order at all levels of instructions.
    #[inline(always)]
    fn pooled_bias(&self, pooled: impl Iterator<Item = f32>) -> [f32; C] {
        let mut more = [0.0; C];
        for (x, row) in pooled.zip(&self.pool) {
            for (more, weight) in more.iter_mut().zip(row) {
                *more += x * weight;
            }
        }
        more
    }
}

impl ValueHead {
    /// The probability of winning, from the pooled channels and the size. `hidden` is working space with an entry for
    /// each hidden unit.
    #[inline(always)]
    fn win(&self, inputs: impl Iterator<Item = f32>, hidden: &mut [f32]) -> f32 {
        hidden.copy_from_slice(&self.hidden_bias);
        for (x, weights) in inputs.zip(self.hidden.chunks_exact(hidden.len())) {
            for (h, w) in hidden.iter_mut().zip(weights) {
                *h += x * w;
            }
        }
        let logit = hidden.iter().zip(&self.value).fold(self.value_bias, |sum, (&h, w)| sum + h.max(0.0) * w);
        1.0 / (1.0 + math::exp(-logit))
    }
}

impl<const C: usize> Prepared for Arc<Layers<C>> {
    fn evaluator(&self, geometry: &'static Geometry, level: Level) -> Box<dyn Evaluator> {
        Box::new(FixedPoint::new(self.clone(), geometry, level))
    }
}

/// Evaluates positions of one board. Evaluation does not allocate.
struct FixedPoint<const C: usize> {
    network: Arc<Layers<C>>,
    level: Level,
    grid: Grid,
    start: Vec<Lanes<C>>,
    /// The stream before and after a block.
    streams: [Vec<Lanes<C>>; 2],
    /// The inputs of the first and of the second convolution of a block.
    inputs: [Vec<Inputs<C>>; 2],
    hidden: Vec<f32>,
    extractor: Extractor,
    features: [u128; MAX_VERTICES],
    products: [i32; MAX_VERTICES],
}

impl<const C: usize> FixedPoint<C> {
    fn new(network: Arc<Layers<C>>, geometry: &'static Geometry, level: Level) -> FixedPoint<C> {
        let grid = Grid::new(geometry);
        let mut extractor = Extractor::new(network.version);
        let mut features = [0; MAX_VERTICES];
        let empty = Position::new(geometry);
        let input = Input { position: &empty, color: Color::White, recent: [None; 2], symmetry: 0 };
        extractor.extract(&input, None, &mut features);
        let on_board: Vec<u128> =
            features[..geometry.vertex_count()].iter().map(|bits| bits & features::STATIC).collect();
        let size = Lanes(network.size.map(|x| fixed(x * size(geometry.side()), ACTIVATION_BITS)));
        FixedPoint {
            start: network.first.start(&grid, &on_board, &size),
            level,
            streams: std::array::from_fn(|_| Lanes::layer(&grid)),
            inputs: std::array::from_fn(|_| Inputs::layer(&grid)),
            hidden: vec![0.0; network.value.hidden_bias.len()],
            network,
            grid,
            extractor,
            features,
            products: [0; MAX_VERTICES],
        }
    }

    /// [`FixedPoint::evaluate_in`], compiled for AVX2.
    ///
    /// # Safety
    /// Needs AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn evaluate_avx2(&mut self, input: &Input<'_>, known: Option<Lookahead<'_>>, evaluation: &mut Evaluation) {
        self.evaluate_in(input, known, evaluation);
    }

    #[inline(always)]
    fn evaluate_in(&mut self, input: &Input<'_>, known: Option<Lookahead<'_>>, evaluation: &mut Evaluation) {
        let geometry = input.position.geometry();
        assert_eq!(geometry.vertex_count(), self.grid.places().len(), "a position of the evaluator's board");
        let image = &geometry.symmetries()[input.symmetry];
        let vertices = geometry.vertex_count();
        self.extractor.extract(input, known, &mut self.features);
        let changing = &mut self.features[..vertices];
        changing.iter_mut().for_each(|bits| *bits &= !features::STATIC);
        let FixedPoint { network, level, grid, streams: [x, y], inputs: [outer, inner], .. } = self;
        read_features(&network.first, grid, &self.start, changing, x);
        round(*level, grid, x, &network.blocks[0].reading, outer);
        for (b, block) in network.blocks.iter().enumerate() {
            // Nothing reads the inputs that the last block writes.
            let next = network.blocks.get(b + 1).unwrap_or(block);
            let more = block.pooled_bias(pooled(pool(grid, x), vertices));
            let bias = block.first.bias_with(&more);
            convolve_inner(*level, &block.first, &bias, grid, outer, inner);
            convolve_outer(*level, &block.second, grid, inner, x, y, (&next.reading, outer));
            std::mem::swap(x, y);
        }
        read_policy(&network.policy, grid, x, &mut self.products);
        for (w, logit) in image.iter().zip(&mut evaluation.policy) {
            *logit = self.products[w.index()] as f32 / (1 << (ACTIVATION_BITS + POLICY_BITS)) as f32;
        }
        let inputs = pooled(pool(grid, x), vertices).chain([size(geometry.side())]);
        evaluation.value = network.value.win(inputs, &mut self.hidden);
    }

    fn evaluate_with(&mut self, input: &Input<'_>, known: Option<Lookahead<'_>>, evaluation: &mut Evaluation) {
        match self.level {
            // SAFETY: these levels are in use only where AVX2 was detected.
            #[cfg(target_arch = "x86_64")]
            level if level.has_avx2() => unsafe { self.evaluate_avx2(input, known, evaluation) },
            _ => self.evaluate_in(input, known, evaluation),
        }
    }
}

impl<const C: usize> Evaluator for FixedPoint<C> {
    fn evaluate(&mut self, input: &Input<'_>, evaluation: &mut Evaluation) {
        self.evaluate_with(input, None, evaluation);
    }

    fn evaluate_known(&mut self, input: &Input<'_>, known: Lookahead<'_>, evaluation: &mut Evaluation) {
        self.evaluate_with(input, Some(known), evaluation);
    }
}
