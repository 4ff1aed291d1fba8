//! Gradient descent: Adam (Kingma & Ba 2015) with a rate that falls to nothing, over samples in random order, each as
//! one of the board's twelve symmetries shows it.

use std::collections::BTreeMap;
use std::f32::consts::PI;
use std::thread;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::layers::{Board, add_product, dot, transposed};
use super::selfplay::SelfPlayGame;
use crate::board::{Color, Game, Geometry, MAX_VERTICES, Notation, Vertex};
use crate::nn::{BLOCKS, CHANNELS, FEATURES, Row, TAPS, features, rows, unpack};
use crate::record::Winner;

/// How weights are fitted.
#[derive(Clone, Debug)]
pub struct Fit {
    /// How often each sample is seen.
    pub passes: f64,
    /// The rate of learning at the start.
    pub rate: f32,
    /// How much of the value to learn is what the search said; the rest is the result of the game.
    pub searched_value: f32,
    /// Threads.
    pub threads: usize,
    /// For the first weights and the order of the samples.
    pub seed: u64,
}

impl Default for Fit {
    fn default() -> Fit {
        Fit { passes: 12.0, rate: 0.004, searched_value: 0.3, threads: 1, seed: 7 }
    }
}

/// One of so many games is kept aside to test the weights.
const TESTED: usize = 25;
/// Samples between two changes of the weights.
const BATCH: usize = 64;
/// Changes of the weights until the rate of learning is reached.
const WARM_UP: f32 = 200.0;
/// How often in all the weights are tested.
const TESTS: usize = 20;
/// Part of a weight that is taken away with each change, times the rate.
const DECAY: f32 = 1e-4;

/// How well weights predict games.
#[derive(Clone, Copy, Debug, Default)]
pub struct Losses {
    policy: f64,
    first: f64,
    policies: f64,
    value: f64,
    right: f64,
    values: f64,
}

impl Losses {
    /// The mean cross entropy, in nats, of the searches' playouts by move, under the predicted probabilities.
    pub fn policy(&self) -> f64 {
        self.policy / self.policies
    }

    /// The share of positions whose best move is the first choice.
    pub fn first_choice(&self) -> f64 {
        self.first / self.policies
    }

    /// The mean cross entropy of the games' results, in nats; of a coin 0.693.
    pub fn value(&self) -> f64 {
        self.value / self.values
    }

    /// The share of positions whose winner is predicted.
    pub fn winner(&self) -> f64 {
        self.right / self.values
    }

    fn add(&mut self, other: Losses) {
        self.policy += other.policy;
        self.first += other.first;
        self.policies += other.policies;
        self.value += other.value;
        self.right += other.right;
        self.values += other.values;
    }
}

/// A position to learn from.
struct Sample {
    side: usize,
    features: Vec<u32>,
    /// Moves with the shares of their playouts; or nothing.
    policy: Vec<(Vertex, f32)>,
    /// The value to learn.
    value: f32,
    /// The result of the game for the player to move.
    result: f32,
}

/// Fits weights to games, which must have been checked, beginning with weights of random numbers or those given (as
/// returned by this function). `report` is told, from time to time, which part of the work is done and how well the
/// weights predict games that they were not fitted to. Returns the weights, to be kept as `network.bin`.
///
/// # Errors
/// If there are too few games, or the weights given are not a network's.
pub fn fit(
    games: &[SelfPlayGame],
    plan: &Fit,
    start: Option<&[u8]>,
    mut report: impl FnMut(f64, &Losses),
) -> Result<Vec<u8>, String> {
    let samples = |tested: bool| {
        let chosen = games.iter().enumerate().filter(move |(i, _)| (i % TESTED == TESTED - 1) == tested);
        chosen.flat_map(|(_, game)| samples(game, plan.searched_value)).collect::<Vec<_>>()
    };
    let (samples, tests) = (samples(false), samples(true));
    if samples.len() < BATCH || !tests.iter().any(|sample| !sample.policy.is_empty()) {
        return Err(format!("{} games are too few to learn from: {TESTED} at least are wanted", games.len()));
    }
    let mut boards = BTreeMap::new();
    for sample in samples.iter().chain(&tests) {
        boards.entry(sample.side).or_insert_with(|| Board::new(Geometry::of(sample.side).expect("games are checked")));
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(plan.seed);
    let mut weights = match start {
        None => first_weights(&mut rng),
        Some(bytes) => unpack(bytes)?,
    };
    let mut adam = Adam::new();
    let mut order: Vec<u32> = (0..samples.len() as u32).collect();
    let mut next = order.len();
    let steps = ((plan.passes * samples.len() as f64 / BATCH as f64) as usize).max(1);
    let mut passes: Vec<Pass> = (0..plan.threads.max(1)).map(|_| Pass::new(&boards)).collect();
    for step in 0..steps {
        if next + BATCH > order.len() {
            order.shuffle(&mut rng);
            next = 0;
        }
        let batch: Vec<(&Sample, usize)> =
            order[next..next + BATCH].iter().map(|&i| (&samples[i as usize], rng.random_range(0..12))).collect();
        next += BATCH;
        let turned = turned(&weights);
        let share = batch.len().div_ceil(passes.len());
        thread::scope(|scope| {
            for (pass, batch) in passes.iter_mut().zip(batch.chunks(share)) {
                let (weights, turned, boards) = (&weights, &turned, &boards);
                scope.spawn(move || {
                    batch.iter().for_each(|(sample, k)| pass.learn(weights, turned, &boards[&sample.side], sample, *k))
                });
            }
        });
        let part = step as f32 / steps as f32;
        let fall = 0.02 + 0.98 * 0.5 * (1.0 + (PI * part).cos());
        let warm = ((step + 1) as f32 / WARM_UP).min(1.0);
        adam.step(&mut weights, &mut passes, plan.rate * fall * warm);
        if (step + 1) % steps.div_ceil(TESTS) == 0 || step + 1 == steps {
            let mut losses = Losses::default();
            for sample in &tests {
                losses.add(passes[0].test(&weights, &boards[&sample.side], sample));
            }
            report((step + 1) as f64 / steps as f64, &losses);
        }
    }
    Ok(weights.iter().flatten().flat_map(|x| x.to_le_bytes()).collect())
}

/// The positions of a game.
fn samples(played: &SelfPlayGame, searched_value: f32) -> Vec<Sample> {
    let geometry = Geometry::of(played.side).expect("games are checked");
    let vertex = |name: &String| Notation::HavannahGui.parse(geometry, name).expect("games are checked");
    let moves: Vec<Vertex> = played.moves.iter().map(vertex).collect();
    let mut game = Game::new(geometry);
    let mut samples = Vec::new();
    for i in 0..=moves.len() {
        if let Some(searched) = i.checked_sub(played.opening).and_then(|i| played.searched.get(i)) {
            let color = game.to_move();
            let mut bits = [0; MAX_VERTICES];
            features(game.position(), color, game.last_stones(), &mut bits);
            let all: u64 = searched.visits.iter().map(|(_, visits)| visits).sum();
            let share = |(name, visits): &(String, u64)| (vertex(name), *visits as f32 / all as f32);
            let result = match (played.winner, color) {
                (Winner::Draw, _) => 0.5,
                (Winner::White, Color::White) | (Winner::Black, Color::Black) => 1.0,
                _ => 0.0,
            };
            samples.push(Sample {
                side: played.side,
                features: bits[..geometry.vertex_count()].to_vec(),
                policy: searched.visits.iter().map(share).collect(),
                value: (1.0 - searched_value) * result + searched_value * searched.value,
                result,
            });
        }
        if let Some(&v) = moves.get(i) {
            game.play(v).expect("games are checked");
        }
    }
    samples
}

/// Random weights of such sizes that layers keep the size of numbers about as it is (He et al. 2015); the second
/// convolution of a block begins small.
fn first_weights(rng: &mut Xoshiro256PlusPlus) -> Vec<Row> {
    let mut weights = vec![[0.0; CHANNELS]; rows::COUNT];
    // A sum of twelve uniform numbers is as good as normal.
    let mut normal = |size: f32| ((0..12).map(|_| rng.random_range(0f32..1.0)).sum::<f32>() - 6.0) * size;
    let mut fill = |rows: &mut [Row], size: f32| rows.as_flattened_mut().iter_mut().for_each(|x| *x = normal(size));
    fill(&mut weights[rows::FIRST..rows::FIRST_BIAS], 0.2);
    let size = (2.0 / (TAPS * CHANNELS) as f32).sqrt();
    for k in 0..2 * BLOCKS {
        let start = convolution(k);
        fill(&mut weights[start..start + TAPS * CHANNELS], if k % 2 == 0 { size } else { 0.3 * size });
    }
    fill(&mut weights[rows::POLICY..rows::HIDDEN], 0.1);
    fill(&mut weights[rows::HIDDEN..rows::HIDDEN_BIAS], 0.25);
    fill(&mut weights[rows::VALUE..rows::VALUE_BIAS], 0.2);
    weights
}

/// The first row of a convolution.
fn convolution(k: usize) -> usize {
    rows::CONVOLUTIONS + k * rows::CONVOLUTION
}

/// The weights of all convolutions with inputs and outputs exchanged.
fn turned(weights: &[Row]) -> Vec<Vec<Row>> {
    (0..2 * BLOCKS).map(|k| transposed(&weights[convolution(k)..])).collect()
}

/// The running means of gradients and of their squares.
struct Adam {
    mean: Vec<Row>,
    square: Vec<Row>,
    steps: i32,
}

impl Adam {
    const MEMORY: [f32; 2] = [0.9, 0.999];

    fn new() -> Adam {
        let zeros = vec![[0.0; CHANNELS]; rows::COUNT];
        Adam { mean: zeros.clone(), square: zeros, steps: 0 }
    }

    /// Changes the weights by the gradients of all passes, which are zero then.
    fn step(&mut self, weights: &mut [Row], passes: &mut [Pass], rate: f32) {
        self.steps += 1;
        let [short, long] = Adam::MEMORY;
        let [mean_part, square_part] = Adam::MEMORY.map(|memory| 1.0 - memory.powi(self.steps));
        let [mean, square] = [&mut self.mean, &mut self.square].map(|rows| rows.as_flattened_mut());
        for (i, weight) in weights.as_flattened_mut().iter_mut().enumerate() {
            let gradients = passes.iter_mut().map(|pass| std::mem::take(&mut pass.gradient.as_flattened_mut()[i]));
            let gradient = gradients.sum::<f32>() / BATCH as f32;
            mean[i] = short * mean[i] + (1.0 - short) * gradient;
            square[i] = long * square[i] + (1.0 - long) * gradient * gradient;
            let change = mean[i] / mean_part / ((square[i] / square_part).sqrt() + 1e-8);
            *weight -= rate * (change + DECAY * *weight);
        }
    }
}

/// The working space of a thread for going through the network forwards and backwards.
struct Pass {
    /// What the first layer gives, and each convolution of the blocks.
    layers: Vec<Vec<Row>>,
    /// Gradients of layers.
    back: [Vec<Row>; 3],
    /// Of the weights, summed over samples.
    gradient: Vec<Row>,
}

/// What comes out of the network.
struct Outcome {
    /// For each vertex its probability, 0 for stones.
    policy: [f32; MAX_VERTICES],
    mean: Row,
    hidden: Row,
    value: f32,
}

/// For each vertex the share of playouts of its move.
fn target(sample: &Sample, symmetry: &[Vertex]) -> [f32; MAX_VERTICES] {
    let mut target = [0.0; MAX_VERTICES];
    sample.policy.iter().for_each(|&(v, share)| target[symmetry[v.index()].index()] = share);
    target
}

impl Pass {
    fn new(boards: &BTreeMap<usize, Board>) -> Pass {
        let largest = boards.values().next_back().expect("there is a board");
        Pass {
            layers: (0..=2 * BLOCKS).map(|_| largest.layer()).collect(),
            back: std::array::from_fn(|_| largest.layer()),
            gradient: vec![[0.0; CHANNELS]; rows::COUNT],
        }
    }

    /// Adds a sample's gradient.
    fn learn(&mut self, weights: &[Row], turned: &[Vec<Row>], board: &Board, sample: &Sample, symmetry: usize) {
        let symmetry = &board.geometry.symmetries()[symmetry];
        let features = moved(&sample.features, symmetry);
        self.both_ways(weights, turned, board, &features, (sample, symmetry));
    }

    /// How well a sample is predicted.
    fn test(&mut self, weights: &[Row], board: &Board, sample: &Sample) -> Losses {
        let outcome = self.forwards(weights, board, &sample.features);
        let mut losses = Losses::default();
        if !sample.policy.is_empty() {
            let odds = |v: Vertex| outcome.policy[v.index()];
            let (best, _) = *sample.policy.iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("it is not empty");
            losses.policy = sample.policy.iter().map(|&(v, share)| -(share * odds(v).max(1e-9).ln()) as f64).sum();
            losses.first = outcome.policy.iter().all(|&other| other <= odds(best)) as u32 as f64;
            losses.policies = 1.0;
        }
        let value = outcome.value.clamp(1e-6, 1.0 - 1e-6);
        losses.value = -(sample.result * value.ln() + (1.0 - sample.result) * (1.0 - value).ln()) as f64;
        losses.right = ((value > 0.5) == (sample.result > 0.5)) as u32 as f64;
        losses.values = 1.0;
        losses
    }

    fn forwards(&mut self, weights: &[Row], board: &Board, features: &[u32]) -> Outcome {
        let [first, blocks @ ..] = &mut self.layers[..] else { unreachable!("there is a first layer") };
        board.cells().for_each(|cell| first[cell] = weights[rows::FIRST_BIAS]);
        // Cells off the board must be zero: another board may have had vertices there.
        let clear = |layer: &mut Vec<Row>, board: &Board| {
            let mut next = 0;
            for cell in board.cells() {
                layer[next..cell].fill([0.0; CHANNELS]);
                next = cell + 1;
            }
            layer[next..].fill([0.0; CHANNELS]);
        };
        for (&cell, &features) in board.grid.places().iter().zip(features) {
            for_each_bit(features, |feature| {
                for tap in 0..TAPS {
                    add_product(
                        &mut first[board.grid.back(cell, tap)],
                        1.0,
                        &weights[rows::FIRST + tap * FEATURES + feature],
                    );
                }
            });
        }
        clear(first, board);
        board.cells().for_each(|cell| first[cell] = first[cell].map(|x| x.max(0.0)));
        let mut input: &Vec<Row> = first;
        for (block, layers) in blocks.chunks_exact_mut(2).enumerate() {
            let [middle, out] = layers else { unreachable!("blocks have two convolutions") };
            clear(middle, board);
            clear(out, board);
            let start = convolution(2 * block);
            board.convolve::<false>(&weights[start..], input, middle);
            let bias = &weights[start + rows::CONVOLUTION - 1];
            for cell in board.cells() {
                add_product(&mut middle[cell], 1.0, bias);
                middle[cell] = middle[cell].map(|x| x.max(0.0));
            }
            let start = convolution(2 * block + 1);
            board.convolve::<false>(&weights[start..], middle, out);
            let bias = &weights[start + rows::CONVOLUTION - 1];
            for cell in board.cells() {
                add_product(&mut out[cell], 1.0, bias);
                add_product(&mut out[cell], 1.0, &input[cell]);
                out[cell] = out[cell].map(|x| x.max(0.0));
            }
            input = out;
        }
        self.outcome(weights, board, features)
    }

    fn outcome(&self, weights: &[Row], board: &Board, features: &[u32]) -> Outcome {
        let top = self.layers.last().expect("there is a first layer");
        let mut policy = [0.0; MAX_VERTICES];
        let mut mean = [0.0; CHANNELS];
        let mut most = f32::MIN;
        for ((cell, &features), odds) in board.cells().zip(features).zip(&mut policy) {
            add_product(&mut mean, 1.0 / board.cells().len() as f32, &top[cell]);
            *odds = if is_empty(features) { dot(&top[cell], &weights[rows::POLICY]) } else { f32::NEG_INFINITY };
            most = most.max(*odds);
        }
        let vertices = &mut policy[..board.cells().len()];
        vertices.iter_mut().for_each(|odds| *odds = (*odds - most).exp());
        let sum: f32 = vertices.iter().sum();
        vertices.iter_mut().for_each(|odds| *odds /= sum);
        let mut hidden = weights[rows::HIDDEN_BIAS];
        for (&x, weights) in mean.iter().zip(&weights[rows::HIDDEN..]) {
            add_product(&mut hidden, x, weights);
        }
        let hidden = hidden.map(|x| x.max(0.0));
        let logit = weights[rows::VALUE_BIAS][0] + dot(&hidden, &weights[rows::VALUE]);
        Outcome { policy, mean, hidden, value: 1.0 / (1.0 + (-logit).exp()) }
    }

    fn both_ways(
        &mut self,
        weights: &[Row],
        turned: &[Vec<Row>],
        board: &Board,
        features: &[u32],
        (sample, symmetry): (&Sample, &[Vertex]),
    ) {
        let outcome = self.forwards(weights, board, features);
        let (gradient, [back, inner, space]) = (&mut self.gradient, &mut self.back);
        // Cells off the board are never written, but another board may have had vertices there.
        [&mut *back, &mut *inner].into_iter().for_each(|layer| layer.fill([0.0; CHANNELS]));

        let slope = outcome.value - sample.value;
        gradient[rows::VALUE_BIAS][0] += slope;
        add_product(&mut gradient[rows::VALUE], slope, &outcome.hidden);
        let mut hidden = weights[rows::VALUE].map(|weight| weight * slope);
        hidden.iter_mut().zip(outcome.hidden).for_each(|(x, hidden)| *x = if hidden > 0.0 { *x } else { 0.0 });
        add_product(&mut gradient[rows::HIDDEN_BIAS], 1.0, &hidden);
        let mut mean = [0.0; CHANNELS];
        for (i, mean) in mean.iter_mut().enumerate() {
            add_product(&mut gradient[rows::HIDDEN + i], outcome.mean[i], &hidden);
            *mean = dot(&weights[rows::HIDDEN + i], &hidden) / board.cells().len() as f32;
        }
        board.cells().for_each(|cell| back[cell] = mean);
        if !sample.policy.is_empty() {
            let (target, top) = (target(sample, symmetry), self.layers.last().expect("there is a first layer"));
            for (v, cell) in board.cells().enumerate().filter(|&(v, _)| is_empty(features[v])) {
                let slope = outcome.policy[v] - target[v];
                add_product(&mut gradient[rows::POLICY], slope, &top[cell]);
                add_product(&mut back[cell], slope, &weights[rows::POLICY]);
            }
        }
        for block in (0..BLOCKS).rev() {
            let [input, middle, out] = &self.layers[2 * block..2 * block + 3] else { unreachable!("three layers") };
            let [first, second] = [2 * block, 2 * block + 1].map(|k| convolution(k)..convolution(k + 1));
            through_maximum(board, out, back, &mut gradient[second.end - 1]);
            board.weight_gradient(middle, back, &mut gradient[second]);
            board.convolve::<true>(&turned[2 * block + 1], back, inner);
            through_maximum(board, middle, inner, &mut gradient[first.end - 1]);
            board.weight_gradient(input, inner, &mut gradient[first]);
            board.convolve::<true>(&turned[2 * block], inner, space);
            board.cells().for_each(|cell| add_product(&mut back[cell], 1.0, &space[cell]));
        }
        through_maximum(board, &self.layers[0], back, &mut gradient[rows::FIRST_BIAS]);
        for (&cell, &features) in board.grid.places().iter().zip(features) {
            for_each_bit(features, |feature| {
                for tap in 0..TAPS {
                    // Zero off the board.
                    add_product(
                        &mut gradient[rows::FIRST + tap * FEATURES + feature],
                        1.0,
                        &back[board.grid.back(cell, tap)],
                    );
                }
            });
        }
    }
}

/// Takes the gradient of a layer back through max(x, 0), and adds that of the biases.
fn through_maximum(board: &Board, layer: &[Row], back: &mut [Row], bias: &mut Row) {
    for cell in board.cells() {
        back[cell].iter_mut().zip(&layer[cell]).for_each(|(x, &out)| *x = if out > 0.0 { *x } else { 0.0 });
        add_product(bias, 1.0, &back[cell]);
    }
}

/// Features as a symmetry shows them.
fn moved(features: &[u32], symmetry: &[Vertex]) -> Vec<u32> {
    let mut moved = vec![0; features.len()];
    features.iter().zip(symmetry).for_each(|(&features, v)| moved[v.index()] = features);
    moved
}

fn for_each_bit(bits: u32, mut f: impl FnMut(usize)) {
    let mut left = bits;
    while left != 0 {
        f(left.trailing_zeros() as usize);
        left &= left - 1;
    }
}

/// Whether no stone is among the features.
fn is_empty(features: u32) -> bool {
    features & 0b110 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(side: usize, rng: &mut Xoshiro256PlusPlus) -> Sample {
        let geometry = Geometry::of(side).unwrap();
        let mut game = Game::new(geometry);
        for _ in 0..geometry.vertex_count() / 4 {
            let _ = game.play(geometry.vertex(rng.random_range(0..geometry.vertex_count())).unwrap());
        }
        let mut bits = [0; MAX_VERTICES];
        features(game.position(), game.to_move(), game.last_stones(), &mut bits);
        let mut empty = game.position().empty_vertices();
        let policy = vec![(empty.next().unwrap(), 0.7), (empty.nth(3).unwrap(), 0.3)];
        Sample { side, features: bits[..geometry.vertex_count()].to_vec(), policy, value: 0.8, result: 1.0 }
    }

    fn loss(pass: &mut Pass, weights: &[Row], board: &Board, sample: &Sample) -> f64 {
        let outcome = pass.forwards(weights, board, &sample.features);
        let policy: f64 =
            sample.policy.iter().map(|&(v, share)| -share as f64 * (outcome.policy[v.index()] as f64).ln()).sum();
        let (value, wanted) = (outcome.value as f64, sample.value as f64);
        policy - wanted * value.ln() - (1.0 - wanted) * (1.0 - value).ln()
    }

    /// The gradient of every kind of weight against differences of the loss, on boards of two sizes in turn.
    #[test]
    fn gradients_are_the_slopes_of_the_loss() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let boards: BTreeMap<usize, Board> = [3, 5].map(|side| (side, Board::new(Geometry::of(side).unwrap()))).into();
        let mut pass = Pass::new(&boards);
        let mut weights = first_weights(&mut rng);
        for side in [5, 3, 5] {
            let (board, sample) = (&boards[&side], sample(side, &mut rng));
            pass.gradient.fill([0.0; CHANNELS]);
            pass.learn(&weights, &turned(&weights), board, &sample, 0);
            let mut compared = 0;
            for _ in 0..600 {
                let (row, o) = (rng.random_range(0..rows::COUNT), rng.random_range(0..CHANNELS));
                let slope = pass.gradient[row][o];
                if slope.abs() < 0.02 {
                    continue;
                }
                let at = weights[row][o];
                let mut with = |x: f32, weights: &mut Vec<Row>| {
                    weights[row][o] = x;
                    loss(&mut pass, weights, board, &sample)
                };
                let step = 2e-3;
                let difference = (with(at + step, &mut weights) - with(at - step, &mut weights)) / (2.0 * step as f64);
                weights[row][o] = at;
                // A step may cross a kink.
                let wrong = (difference - slope as f64).abs() / slope.abs() as f64;
                compared += (wrong < 0.15) as usize;
                assert!(wrong < 1.0, "row {row}, output {o}: {slope} and {difference}");
            }
            assert!(compared > 20, "{compared}");
        }
    }

    /// The engine's fixed-point arithmetic against this module's floating point, with the weights that the engine has. Random
    /// stones on a full board are beyond anything seen in games, and the range of fixed-point numbers ends there.
    #[test]
    fn the_engine_evaluates_as_the_weights_were_fitted() {
        use crate::nn::{Backend, Evaluation, Input, Network};
        let weights = unpack(include_bytes!("../nn/network.bin")).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
        for side in [4, 6, 9] {
            let geometry = Geometry::of(side).unwrap();
            let boards: BTreeMap<usize, Board> = [(side, Board::new(geometry))].into();
            let (mut pass, mut evaluator) = (Pass::new(&boards), Network::builtin().evaluator(geometry));
            let mut game = Game::new(geometry);
            while game.outcome().is_none() && game.stone_count() < geometry.vertex_count() / 3 {
                let mut bits = [0; MAX_VERTICES];
                features(game.position(), game.to_move(), game.last_stones(), &mut bits);
                let expected = pass.forwards(&weights, &boards[&side], &bits[..geometry.vertex_count()]);
                let mut evaluation = Evaluation::default();
                evaluator.evaluate(&Input::of(&game), &mut evaluation);
                assert!((evaluation.value - expected.value).abs() < 0.02, "{} {}", evaluation.value, expected.value);
                let probabilities = evaluation.probabilities(game.position().empty_vertices());
                for (probability, expected) in probabilities.iter().zip(expected.policy) {
                    assert!((probability - expected).abs() < 0.02, "{probability} {expected}");
                }
                let v = geometry.vertex(rng.random_range(0..geometry.vertex_count())).unwrap();
                // A vertex that is taken is drawn anew.
                let _ = game.play(v);
            }
        }
    }

    /// Weights fitted to a few games predict the like of them better than random ones.
    #[test]
    fn fitted_weights_predict_better() {
        use crate::search::{Options, Preset};
        use crate::training::{Plan, play_game};
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let options = Options { memory: 16, ..Options::preset(Preset::Rave) };
        let plan = Plan { sides: "3".parse().unwrap(), simulations: 100, short: 30, options };
        let games: Vec<SelfPlayGame> = (0..100).map(|_| play_game(&plan, &mut rng)).collect();
        let mut reports = Vec::new();
        let settings = Fit { passes: 20.0, threads: 2, ..Fit::default() };
        let weights = fit(&games, &settings, None, |part, losses| reports.push((part, losses.policy()))).unwrap();
        assert_eq!(weights.len(), rows::COUNT * CHANNELS * 4);
        let (first, last) = (reports[0], reports[reports.len() - 1]);
        assert_eq!(last.0, 1.0);
        assert!(last.1 < first.1 - 0.1, "{first:?} to {last:?}");
        fit(&games, &Fit { passes: 0.1, ..settings.clone() }, Some(&weights), |_, losses| {
            assert!(losses.policy() < first.1)
        })
        .unwrap();
        assert!(fit(&games, &settings, Some(&weights[1..]), |_, _| ()).is_err());
        assert!(fit(&games[..3], &settings, None, |_, _| ()).is_err());
    }
}
