//! A network in fixed-point arithmetic on this processor: its weights as the kernels read them, and the evaluator.

use std::sync::Arc;

use super::architecture::{Architecture, Part};
use super::convolution::{
    ACTIVATION_BITS, Board, Convolution, FirstLayer, Lanes, PairWeights, Start, VectorForms, WEIGHT_BITS, convolve,
    read_features, read_out,
};
use super::evaluator::{Evaluation, Evaluator, Input};
use super::features::{FEATURES, STATIC, features};
use super::grid::TAPS;
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
    first: FirstLayer<C>,
    blocks: Vec<[Convolution<C>; 2]>,
    policy: Lanes<C>,
    value: ValueHead,
}

/// The value head, in floating point.
struct ValueHead {
    /// For each channel, a weight for each hidden unit.
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
        let features = |tap: usize| std::array::from_fn(|f| lanes(&first[tap * FEATURES + f], ACTIVATION_BITS));
        let convolution = |k| Convolution {
            weights: pair_up(part(Part::Convolution(k))),
            bias: part(Part::ConvolutionBias(k)).as_chunks::<C>().0[0].map(bias),
        };
        Arc::new(Layers {
            first: FirstLayer {
                weights: Box::new(std::array::from_fn::<_, TAPS, _>(features)),
                bias: one(part(Part::FirstBias), ACTIVATION_BITS),
            },
            blocks: (0..architecture.blocks()).map(|b| [2 * b, 2 * b + 1].map(convolution)).collect(),
            policy: one(part(Part::Policy), WEIGHT_BITS),
            value: ValueHead {
                hidden: part(Part::Hidden).to_vec(),
                hidden_bias: part(Part::HiddenBias).to_vec(),
                value: part(Part::Value).to_vec(),
                value_bias: part(Part::ValueBias)[0],
            },
        })
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
fn pair_up<const C: usize>(weights: &[f32]) -> Vec<PairWeights<C>> {
    let pairs = weights.as_chunks::<C>().0.as_chunks::<2>().0;
    let pair = |[a, b]: &[[f32; C]; 2]| {
        PairWeights(std::array::from_fn(|o| [fixed(a[o], WEIGHT_BITS), fixed(b[o], WEIGHT_BITS)]))
    };
    pairs.iter().map(pair).collect()
}

impl ValueHead {
    /// The probability of winning, from the sum of each channel over all vertices. `hidden` is working space with an
    /// entry for each hidden unit.
    fn win(&self, sums: &[i32], vertices: usize, hidden: &mut [f32]) -> f32 {
        hidden.copy_from_slice(&self.hidden_bias);
        let unit = 1.0 / (vertices as f32 * (1 << ACTIVATION_BITS) as f32);
        for (&sum, weights) in sums.iter().zip(self.hidden.chunks_exact(hidden.len())) {
            let mean = sum as f32 * unit;
            for (h, w) in hidden.iter_mut().zip(weights) {
                *h += mean * w;
            }
        }
        let logit = hidden.iter().zip(&self.value).fold(self.value_bias, |sum, (&h, w)| sum + h.max(0.0) * w);
        1.0 / (1.0 + math::exp(-logit))
    }
}

impl<const C: usize> Prepared for Arc<Layers<C>>
where
    Convolution<C>: VectorForms<C>,
{
    fn evaluator(&self, geometry: &'static Geometry, level: Level) -> Box<dyn Evaluator> {
        Box::new(FixedPoint::new(self.clone(), geometry, level))
    }
}

/// Evaluates positions of one board. Evaluation does not allocate.
struct FixedPoint<const C: usize> {
    network: Arc<Layers<C>>,
    level: Level,
    grid: Board,
    start: Start<C>,
    layers: [Vec<Lanes<C>>; 3],
    hidden: Vec<f32>,
    features: [u32; MAX_VERTICES],
    turned: [u32; MAX_VERTICES],
    products: [i32; MAX_VERTICES],
}

impl<const C: usize> FixedPoint<C> {
    fn new(network: Arc<Layers<C>>, geometry: &'static Geometry, level: Level) -> FixedPoint<C> {
        let grid = Board::new(geometry);
        let mut bits = [0; MAX_VERTICES];
        features(&Position::new(geometry), Color::White, [None; 2], &mut bits);
        let fixed: Vec<u32> = bits[..geometry.vertex_count()].iter().map(|bits| bits & STATIC).collect();
        FixedPoint {
            start: Start::new(&network.first, &grid, &fixed),
            level,
            layers: std::array::from_fn(|_| Lanes::layer(&grid)),
            hidden: vec![0.0; network.value.hidden_bias.len()],
            network,
            grid,
            features: [0; MAX_VERTICES],
            turned: [0; MAX_VERTICES],
            products: [0; MAX_VERTICES],
        }
    }
}

impl<const C: usize> Evaluator for FixedPoint<C>
where
    Convolution<C>: VectorForms<C>,
{
    fn evaluate(&mut self, input: &Input<'_>, evaluation: &mut Evaluation) {
        let geometry = input.position.geometry();
        assert_eq!(geometry.vertex_count(), self.grid.places().len(), "a position of the evaluator's board");
        let image = &geometry.symmetries()[input.symmetry];
        features(input.position, input.color, input.recent, &mut self.features);
        image.iter().zip(&self.features).for_each(|(w, &features)| self.turned[w.index()] = features & !STATIC);
        let FixedPoint { network, level, grid, layers: [x, y, z], .. } = self;
        read_features(*level, &network.first, grid, &self.start, &self.turned, y, x);
        for [first, second] in &network.blocks {
            convolve(*level, first, grid, x, None, y);
            convolve(*level, second, grid, y, Some(x), z);
            std::mem::swap(x, z);
        }
        let sums = read_out(*level, &network.policy, grid, x, &mut self.products);
        for (w, logit) in image.iter().zip(&mut evaluation.policy) {
            *logit = self.products[w.index()] as f32 / (1 << (ACTIVATION_BITS + WEIGHT_BITS)) as f32;
        }
        evaluation.value = network.value.win(&sums, grid.places().len(), &mut self.hidden);
    }
}
