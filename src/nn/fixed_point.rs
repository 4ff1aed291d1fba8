//! A network in fixed-point arithmetic on this processor: its weights as the kernels read them, and the evaluator.

use std::sync::Arc;

use super::architecture::{Architecture, Arithmetic, Part, Pooling};
use super::convolution::{
    ACTIVATION_BITS, Board, Convolution, FirstLayer, Lanes, PairWeights, Start, VectorForms, WEIGHT_BITS, convolve,
    pool, read_features, read_out,
};
use super::eight_bit::{Convolution8, Inputs, VectorForms8, convolve_inner, convolve_outer, round};
use super::evaluator::{Evaluation, Evaluator, Input};
use super::features::{Bits, ChainFeatures, Extractor, FeatureSet, GroupFeatures};
use crate::board::{Color, Geometry, MAX_VERTICES, Position};
use crate::math;
use crate::simd::Level;

/// Weights ready for the kernels, of whatever width.
pub(super) trait Prepared: Send + Sync {
    /// An evaluator that uses the kernels of this level.
    fn evaluator(&self, geometry: &'static Geometry, level: Level) -> Box<dyn Evaluator>;
}

/// The weights of a network of `C` channels.
pub(super) struct Layers<const C: usize> {
    features: FeatureSet,
    first: FirstLayer<C>,
    /// What the first layer adds for each unit of [`size`], if the network reads it.
    size: Option<[f32; C]>,
    blocks: Vec<Block<C>>,
    policy: Lanes<C>,
    value: ValueHead,
}

/// A residual block.
struct Block<const C: usize> {
    /// From the pooled channels to those of the first convolution, if the network pools in blocks: a row for each mean, then
    /// one for each maximum.
    pool: Option<Vec<[f32; C]>>,
    convolutions: Convolutions<C>,
}

/// The convolutions of a block.
enum Convolutions<const C: usize> {
    Sixteen([Convolution<C>; 2]),
    Eight([Convolution8<C>; 2]),
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
    /// From weights in the order of [`Architecture::range`], which must be within their limits. `architecture` must have
    /// `C` channels.
    pub fn new(architecture: Architecture, weights: &[f32]) -> Arc<Layers<C>> {
        assert_eq!(architecture.channels(), C);
        let part = |part| &weights[architecture.range(part)];
        let lanes = |row: &[f32; C], bits| Lanes(row.map(|x| fixed(x, bits)));
        let one = |weights: &[f32], bits| lanes(&weights.as_chunks::<C>().0[0], bits);
        let first = part(Part::First).as_chunks::<C>().0;
        let is_global = architecture.pooling() == Pooling::Global;
        let rows = |k| part(Part::Convolution(k)).as_chunks::<C>().0;
        let bias_of = |k| &part(Part::ConvolutionBias(k)).as_chunks::<C>().0[0];
        let sixteen = |k| Convolution { weights: pair_up(rows(k)), bias: bias_of(k).map(bias) };
        let eight = |k| Convolution8::new(rows(k), bias_of(k));
        let block = |b| Block {
            pool: is_global.then(|| part(Part::Pool(b)).as_chunks::<C>().0.to_vec()),
            convolutions: match architecture.arithmetic() {
                Arithmetic::Sixteen => Convolutions::Sixteen([2 * b, 2 * b + 1].map(sixteen)),
                Arithmetic::Eight => Convolutions::Eight([2 * b, 2 * b + 1].map(eight)),
            },
        };
        Arc::new(Layers {
            features: architecture.features(),
            first: FirstLayer {
                features: architecture.features().count(),
                weights: first.iter().map(|row| lanes(row, ACTIVATION_BITS)).collect(),
                bias: one(part(Part::FirstBias), ACTIVATION_BITS),
            },
            size: is_global.then(|| part(Part::Size).as_chunks::<C>().0[0]),
            blocks: (0..architecture.blocks()).map(block).collect(),
            policy: one(part(Part::Policy), WEIGHT_BITS),
            value: ValueHead {
                hidden: part(Part::Hidden).to_vec(),
                hidden_bias: part(Part::HiddenBias).to_vec(),
                value: part(Part::Value).to_vec(),
                value_bias: part(Part::ValueBias)[0],
            },
        })
    }

    /// Whether the blocks read [`Inputs`].
    fn reads_inputs(&self) -> bool {
        matches!(self.blocks[0].convolutions, Convolutions::Eight(_))
    }
}

/// The nearest fixed-point number. Where it is out of range, the nearest one in range.
fn fixed(x: f32, bits: u32) -> i16 {
    (x * (1 << bits) as f32).round() as i16
}

/// The bias of a convolution in fixed point.
fn bias(x: f32) -> i32 {
    (x * (1 << (ACTIVATION_BITS + WEIGHT_BITS)) as f32).round() as i32
}

/// The weights of a convolution, those of two inputs side by side.
fn pair_up<const C: usize>(rows: &[[f32; C]]) -> Vec<PairWeights<C>> {
    let pairs = rows.as_chunks::<2>().0;
    let pair = |[a, b]: &[[f32; C]; 2]| {
        PairWeights(std::array::from_fn(|o| [fixed(a[o], WEIGHT_BITS), fixed(b[o], WEIGHT_BITS)]))
    };
    pairs.iter().map(pair).collect()
}

/// The side length as a network reads it.
fn size(side: usize) -> f32 {
    (side as f32 - 6.0) / 4.0
}

/// The mean of a channel, from its sum over this many vertices.
fn means(sums: &[i32], vertices: usize) -> impl Iterator<Item = f32> {
    let unit = 1.0 / (vertices as f32 * (1 << ACTIVATION_BITS) as f32);
    sums.iter().map(move |&sum| sum as f32 * unit)
}

/// The maxima of channels as numbers.
fn maxima(most: &[i16]) -> impl Iterator<Item = f32> {
    most.iter().map(|&most| most as f32 / (1 << ACTIVATION_BITS) as f32)
}

impl<const C: usize> Block<C> {
    /// What the first convolution adds in the position whose channels `pooled` are the sums and the maxima of, besides its
    /// bias: computed in floating point, in one order for all levels of instructions. `None` if the block does not pool.
    fn pooled_bias(&self, pooled: impl FnOnce() -> ([i32; C], [i16; C]), vertices: usize) -> Option<[f32; C]> {
        let rows = self.pool.as_ref()?;
        let (sums, most) = pooled();
        let mut more = [0.0; C];
        for (x, row) in means(&sums, vertices).chain(maxima(&most)).zip(rows) {
            for (more, weight) in more.iter_mut().zip(row) {
                *more += x * weight;
            }
        }
        Some(more)
    }
}

impl ValueHead {
    /// The probability of winning, from the pooled channels. `hidden` is working space with an entry for each hidden unit.
    fn win(&self, pooled: impl Iterator<Item = f32>, hidden: &mut [f32]) -> f32 {
        hidden.copy_from_slice(&self.hidden_bias);
        for (x, weights) in pooled.zip(self.hidden.chunks_exact(hidden.len())) {
            for (h, w) in hidden.iter_mut().zip(weights) {
                *h += x * w;
            }
        }
        let logit = hidden.iter().zip(&self.value).fold(self.value_bias, |sum, (&h, w)| sum + h.max(0.0) * w);
        1.0 / (1.0 + math::exp(-logit))
    }
}

impl<const C: usize> Prepared for Arc<Layers<C>>
where
    Convolution<C>: VectorForms<C>,
    Convolution8<C>: VectorForms8<C>,
{
    fn evaluator(&self, geometry: &'static Geometry, level: Level) -> Box<dyn Evaluator> {
        match self.features {
            FeatureSet::Chains => Box::new(FixedPoint::<C, ChainFeatures>::new(self.clone(), geometry, level)),
            FeatureSet::Groups => Box::new(FixedPoint::<C, GroupFeatures>::new(self.clone(), geometry, level)),
        }
    }
}

/// Evaluates positions of one board. Evaluation does not allocate.
struct FixedPoint<const C: usize, E: Extractor> {
    network: Arc<Layers<C>>,
    level: Level,
    grid: Board,
    start: Start<C>,
    layers: [Vec<Lanes<C>>; 3],
    /// The layers that [`Arithmetic::Eight`] reads.
    inputs: [Vec<Inputs<C>>; 2],
    hidden: Vec<f32>,
    extractor: E,
    features: [E::Bits; MAX_VERTICES],
    products: [i32; MAX_VERTICES],
}

impl<const C: usize, E: Extractor> FixedPoint<C, E> {
    fn new(network: Arc<Layers<C>>, geometry: &'static Geometry, level: Level) -> FixedPoint<C, E> {
        let grid = Board::new(geometry);
        let (mut extractor, mut features) = (E::new(), [E::Bits::ZERO; MAX_VERTICES]);
        let empty = Position::new(geometry);
        let input = Input { position: &empty, color: Color::White, recent: [None; 2], symmetry: 0 };
        extractor.extract(&input, &mut features);
        let on_board: Vec<E::Bits> = features[..geometry.vertex_count()].iter().map(|&bits| bits & E::STATIC).collect();
        let size = network
            .size
            .map_or(Lanes::ZERO, |row| Lanes(row.map(|x| fixed(x * size(geometry.side()), ACTIVATION_BITS))));
        FixedPoint {
            start: Start::new(&network.first, &grid, &on_board, &size),
            level,
            layers: std::array::from_fn(|_| Lanes::layer(&grid)),
            inputs: std::array::from_fn(|_| Inputs::layer(&grid)),
            hidden: vec![0.0; network.value.hidden_bias.len()],
            network,
            grid,
            extractor,
            features,
            products: [0; MAX_VERTICES],
        }
    }
}

impl<const C: usize, E: Extractor> Evaluator for FixedPoint<C, E>
where
    Convolution<C>: VectorForms<C>,
    Convolution8<C>: VectorForms8<C>,
{
    fn evaluate(&mut self, input: &Input<'_>, evaluation: &mut Evaluation) {
        let geometry = input.position.geometry();
        assert_eq!(geometry.vertex_count(), self.grid.places().len(), "a position of the evaluator's board");
        let image = &geometry.symmetries()[input.symmetry];
        let vertices = geometry.vertex_count();
        self.extractor.extract(input, &mut self.features);
        let changing = &mut self.features[..vertices];
        changing.iter_mut().for_each(|bits| *bits = *bits & !E::STATIC);
        let FixedPoint { network, level, grid, layers: [x, y, z], inputs: [inputs, inner], .. } = self;
        read_features(*level, &network.first, grid, &self.start, changing, y, x);
        if network.reads_inputs() {
            round(*level, grid, x, inputs);
        }
        for block in &network.blocks {
            let more = block.pooled_bias(|| pool(*level, grid, x), vertices);
            match &block.convolutions {
                Convolutions::Sixteen([first, second]) => {
                    let own = first.bias;
                    let sum = |more: [f32; C]| std::array::from_fn(|c| own[c].saturating_add(bias(more[c])));
                    convolve(*level, first, &more.map_or(own, sum), grid, x, None, y);
                    convolve(*level, second, &second.bias, grid, y, Some(x), z);
                }
                Convolutions::Eight([first, second]) => {
                    let bias = more.map_or(*first.bias(), |more| first.bias_with(&more));
                    convolve_inner(*level, first, &bias, grid, inputs, inner);
                    convolve_outer(*level, second, grid, inner, x, z, inputs);
                }
            }
            std::mem::swap(x, z);
        }
        let sums = read_out(*level, &network.policy, grid, x, &mut self.products);
        for (w, logit) in image.iter().zip(&mut evaluation.policy) {
            *logit = self.products[w.index()] as f32 / (1 << (ACTIVATION_BITS + WEIGHT_BITS)) as f32;
        }
        let means = means(&sums, vertices);
        evaluation.value = match network.size {
            None => network.value.win(means, &mut self.hidden),
            Some(_) => {
                let (_, most) = pool(*level, grid, x);
                network.value.win(means.chain(maxima(&most)).chain([size(geometry.side())]), &mut self.hidden)
            }
        };
    }
}
