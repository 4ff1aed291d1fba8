//! The network in floating point, forwards and backwards: what weights are trained with.

use std::collections::BTreeMap;

use super::layers::{Board, Row, add_product, dot, transposed};
use super::scale::{PerChannel, add_largest};
use crate::board::{MAX_VERTICES, Vertex};
use crate::nn::{Architecture, FeatureSet, Part, TAPS};

/// The features that this code reads.
const FEATURES: usize = FeatureSet::Chains.count();

/// Weights, in the order of [`Architecture::range`].
pub(super) struct Weights<'a, const C: usize> {
    pub architecture: Architecture,
    pub all: &'a [f32],
}

impl<'a, const C: usize> Weights<'a, C> {
    fn part(&self, part: Part) -> &'a [f32] {
        &self.all[self.architecture.range(part)]
    }

    fn rows(&self, part: Part) -> &'a [Row<C>] {
        self.part(part).as_chunks().0
    }

    fn row(&self, part: Part) -> &'a Row<C> {
        &self.rows(part)[0]
    }

    /// The weights of all convolutions in blocks with inputs and outputs exchanged.
    pub fn transposed(&self) -> Vec<Vec<f32>> {
        (0..self.architecture.convolutions()).map(|k| transposed::<C>(self.part(Part::Convolution(k)))).collect()
    }
}

/// What the network should predict of a position.
pub(super) struct Target<'a> {
    /// Moves with their probabilities; or nothing to learn.
    pub policy: &'a [(Vertex, f32)],
    /// The probability that the player to move wins.
    pub value: f32,
}

/// The output of the network.
pub(super) struct Output {
    /// For each vertex its probability, 0 where there is a stone.
    pub policy: [f32; MAX_VERTICES],
    /// The probability that the player to move wins.
    pub value: f32,
    mean: Vec<f32>,
    hidden: Vec<f32>,
}

/// The working space of a thread for going through the network forwards and backwards.
pub(super) struct Pass<const C: usize> {
    architecture: Architecture,
    /// The output of the first layer and of each convolution in the blocks.
    layers: Vec<Vec<Row<C>>>,
    /// Gradients of layers.
    back: [Vec<Row<C>>; 3],
    /// The gradient of the weights, summed over samples.
    pub gradient: Vec<f32>,
}

impl<const C: usize> Pass<C> {
    pub fn new(architecture: Architecture, boards: &BTreeMap<usize, Board>) -> Pass<C> {
        let largest = boards.values().next_back().expect("there is a board");
        Pass {
            architecture,
            layers: (0..=architecture.convolutions()).map(|_| largest.layer()).collect(),
            back: std::array::from_fn(|_| largest.layer()),
            gradient: vec![0.0; architecture.weight_count()],
        }
    }

    /// Computes the output for a position, given by the features of its vertices.
    pub fn forwards(&mut self, weights: &Weights<'_, C>, board: &Board, features: &[u32]) -> Output {
        self.first_layer(weights, board, features);
        self.blocks(weights, board);
        self.output(weights, board, features)
    }

    /// Computes the position as [`Pass::forwards`] and raises `largest` to the largest activations of each channel.
    pub fn measure(&mut self, weights: &Weights<'_, C>, board: &Board, features: &[u32], largest: &mut PerChannel) {
        self.first_layer(weights, board, features);
        // Before the rectifier: in fixed point these sums would wrap around.
        add_largest(&mut largest.stream, &self.layers[0]);
        self.blocks(weights, board);
        for (layers, inner) in self.layers[1..].chunks_exact(2).zip(&mut largest.inner) {
            add_largest(inner, &layers[0]);
            add_largest(&mut largest.stream, &layers[1]);
        }
    }

    /// The first layer, without its rectifier.
    fn first_layer(&mut self, weights: &Weights<'_, C>, board: &Board, features: &[u32]) {
        let first = &mut self.layers[0];
        let rows = weights.rows(Part::First);
        board.cells().for_each(|cell| first[cell] = *weights.row(Part::FirstBias));
        for (&cell, &features) in board.grid.places().iter().zip(features) {
            for_each_bit(features, |feature| {
                for tap in 0..TAPS {
                    add_product(&mut first[board.grid.back(cell, tap)], 1.0, &rows[tap * FEATURES + feature]);
                }
            });
        }
        clear_outside(first, board);
    }

    /// The rectifier of the first layer, and the residual blocks.
    fn blocks(&mut self, weights: &Weights<'_, C>, board: &Board) {
        let [first, blocks @ ..] = &mut self.layers[..] else { unreachable!("there is a first layer") };
        board.cells().for_each(|cell| rectify(&mut first[cell]));
        let mut input: &Vec<Row<C>> = first;
        for (block, layers) in blocks.chunks_exact_mut(2).enumerate() {
            let [inner, out] = layers else { unreachable!("blocks have two convolutions") };
            clear_outside(inner, board);
            clear_outside(out, board);
            board.convolve::<C, false>(weights.part(Part::Convolution(2 * block)), input, inner);
            let bias = weights.row(Part::ConvolutionBias(2 * block));
            for cell in board.cells() {
                add_product(&mut inner[cell], 1.0, bias);
                rectify(&mut inner[cell]);
            }
            board.convolve::<C, false>(weights.part(Part::Convolution(2 * block + 1)), inner, out);
            let bias = weights.row(Part::ConvolutionBias(2 * block + 1));
            for cell in board.cells() {
                add_product(&mut out[cell], 1.0, bias);
                add_product(&mut out[cell], 1.0, &input[cell]);
                rectify(&mut out[cell]);
            }
            input = out;
        }
    }

    /// The heads.
    fn output(&self, weights: &Weights<'_, C>, board: &Board, features: &[u32]) -> Output {
        let top = self.layers.last().expect("there is a first layer");
        let mut policy = [0.0; MAX_VERTICES];
        let mut mean = vec![0.0; C];
        let mut most = f32::MIN;
        for ((cell, &features), odds) in board.cells().zip(features).zip(&mut policy) {
            add_product(&mut mean, 1.0 / board.cells().len() as f32, &top[cell]);
            *odds = if is_empty(features) { dot(&top[cell], weights.part(Part::Policy)) } else { f32::NEG_INFINITY };
            most = most.max(*odds);
        }
        let vertices = &mut policy[..board.cells().len()];
        vertices.iter_mut().for_each(|odds| *odds = (*odds - most).exp());
        let sum: f32 = vertices.iter().sum();
        vertices.iter_mut().for_each(|odds| *odds /= sum);
        let mut hidden = weights.part(Part::HiddenBias).to_vec();
        for (&x, weights) in mean.iter().zip(weights.part(Part::Hidden).chunks_exact(hidden.len())) {
            add_product(&mut hidden, x, weights);
        }
        rectify(&mut hidden);
        let logit = weights.part(Part::ValueBias)[0] + dot(&hidden, weights.part(Part::Value));
        Output { policy, mean, hidden, value: 1.0 / (1.0 + (-logit).exp()) }
    }

    /// Adds the gradient of the loss for a position: the cross entropies of policy and value. `transposed` are the weights
    /// as [`Weights::transposed`] gives them.
    pub fn learn(
        &mut self,
        weights: &Weights<'_, C>,
        transposed: &[Vec<f32>],
        board: &Board,
        features: &[u32],
        target: &Target<'_>,
    ) {
        let output = self.forwards(weights, board, features);
        // Cells off the board are never written, but another board may have had vertices there.
        self.back[..2].iter_mut().for_each(|layer| layer.fill([0.0; C]));
        self.value_gradient(weights, board, &output, target.value);
        if !target.policy.is_empty() {
            self.policy_gradient(weights, board, features, &output, target.policy);
        }
        self.trunk_gradient(transposed, board, features);
    }

    /// The gradient of a part's weights.
    fn part(&mut self, part: Part) -> &mut [f32] {
        &mut self.gradient[self.architecture.range(part)]
    }

    /// Sets the gradient of the last layer to what comes from the value head.
    fn value_gradient(&mut self, weights: &Weights<'_, C>, board: &Board, output: &Output, target: f32) {
        let slope = output.value - target;
        self.part(Part::ValueBias)[0] += slope;
        add_product(self.part(Part::Value), slope, &output.hidden);
        let mut hidden: Vec<f32> = weights.part(Part::Value).iter().map(|weight| weight * slope).collect();
        hidden.iter_mut().zip(&output.hidden).for_each(|(x, &hidden)| *x = if hidden > 0.0 { *x } else { 0.0 });
        add_product(self.part(Part::HiddenBias), 1.0, &hidden);
        let gradient = self.part(Part::Hidden).chunks_exact_mut(hidden.len());
        gradient.zip(&output.mean).for_each(|(gradient, &mean)| add_product(gradient, mean, &hidden));
        let mut mean = [0.0; C];
        for (mean, weights) in mean.iter_mut().zip(weights.part(Part::Hidden).chunks_exact(hidden.len())) {
            *mean = dot(weights, &hidden) / board.cells().len() as f32;
        }
        board.cells().for_each(|cell| self.back[0][cell] = mean);
    }

    /// Adds to the gradient of the last layer what comes from the policy head.
    fn policy_gradient(
        &mut self,
        weights: &Weights<'_, C>,
        board: &Board,
        features: &[u32],
        output: &Output,
        target: &[(Vertex, f32)],
    ) {
        let mut wanted = [0.0; MAX_VERTICES];
        target.iter().for_each(|&(v, share)| wanted[v.index()] = share);
        let top = self.layers.last().expect("there is a first layer");
        let gradient = &mut self.gradient[self.architecture.range(Part::Policy)];
        for (v, cell) in board.cells().enumerate().filter(|&(v, _)| is_empty(features[v])) {
            let slope = output.policy[v] - wanted[v];
            add_product(gradient, slope, &top[cell]);
            add_product(&mut self.back[0][cell], slope, weights.part(Part::Policy));
        }
    }

    /// Goes from the gradient of the last layer back to the features.
    fn trunk_gradient(&mut self, transposed: &[Vec<f32>], board: &Board, features: &[u32]) {
        let Pass { architecture, layers, gradient, back: [back, inner, space] } = self;
        let range = |part| architecture.range(part);
        for block in (0..architecture.blocks()).rev() {
            let [input, middle, out] = &layers[2 * block..2 * block + 3] else { unreachable!("three layers") };
            let [first, second] = [2 * block, 2 * block + 1];
            through_rectifier(board, out, back, &mut gradient[range(Part::ConvolutionBias(second))]);
            board.weight_gradient(middle, back, &mut gradient[range(Part::Convolution(second))]);
            board.convolve::<C, true>(&transposed[second], back, inner);
            through_rectifier(board, middle, inner, &mut gradient[range(Part::ConvolutionBias(first))]);
            board.weight_gradient(input, inner, &mut gradient[range(Part::Convolution(first))]);
            board.convolve::<C, true>(&transposed[first], inner, space);
            board.cells().for_each(|cell| add_product(&mut back[cell], 1.0, &space[cell]));
        }
        through_rectifier(board, &layers[0], back, &mut gradient[range(Part::FirstBias)]);
        let (rows, _) = gradient[range(Part::First)].as_chunks_mut::<C>();
        for (&cell, &features) in board.grid.places().iter().zip(features) {
            for_each_bit(features, |feature| {
                for tap in 0..TAPS {
                    // Zero off the board.
                    add_product(&mut rows[tap * FEATURES + feature], 1.0, &back[board.grid.back(cell, tap)]);
                }
            });
        }
    }
}

/// Sets the cells off the board to zero: another board may have had vertices there.
fn clear_outside<const C: usize>(layer: &mut [Row<C>], board: &Board) {
    let mut next = 0;
    for cell in board.cells() {
        layer[next..cell].fill([0.0; C]);
        next = cell + 1;
    }
    layer[next..].fill([0.0; C]);
}

#[inline(always)]
fn rectify(row: &mut [f32]) {
    row.iter_mut().for_each(|x| *x = x.max(0.0));
}

/// Takes the gradient of a layer back through its rectifier, and adds that of the bias.
fn through_rectifier<const C: usize>(board: &Board, layer: &[Row<C>], back: &mut [Row<C>], bias: &mut [f32]) {
    for cell in board.cells() {
        back[cell].iter_mut().zip(&layer[cell]).for_each(|(x, &out)| *x = if out > 0.0 { *x } else { 0.0 });
        add_product(bias, 1.0, &back[cell]);
    }
}

fn for_each_bit(bits: u32, mut f: impl FnMut(usize)) {
    let mut left = bits;
    while left != 0 {
        f(left.trailing_zeros() as usize);
        left &= left - 1;
    }
}

/// Whether there is no stone among the features.
fn is_empty(features: u32) -> bool {
    features & 0b110 == 0
}
