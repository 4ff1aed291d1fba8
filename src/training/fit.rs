//! Training by gradient descent: Adam (Kingma & Ba 2015) with a warm-up and a learning rate that decays along a cosine, over
//! samples in random order, each under one of the board's twelve symmetries.

use std::collections::BTreeMap;
use std::f32::consts::PI;
use std::fmt;
use std::thread;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::layers::Board;
use super::pass::{Pass, Target, Weights};
use super::scale::{self, PerChannel};
use super::selfplay::SelfPlayGame;

use crate::board::{Color, Game, Geometry, Notation, Vertex};
use crate::nn::{
    Architecture, Arithmetic, FeatureSet, Input, Network, NetworkError, NetworkInfo, Part, Pooling, SYMMETRIES, TAPS,
    with_channels,
};
use crate::record::Winner;

/// How a network is trained.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The shape of the network. Training that continues from a network keeps that network's shape.
    pub architecture: Architecture,
    /// How often each sample is seen. With 0, the weights are only scaled.
    pub passes: f64,
    /// The learning rate after the warm-up.
    pub rate: f32,
    /// The weight of the search's value in the value to learn, in \[0, 1\]. The result of the game has the rest.
    pub searched_value: f32,
    /// Threads.
    pub threads: usize,
    /// The seed of the first weights and of the order of the samples.
    pub seed: u64,
}

impl Default for Fit {
    fn default() -> Fit {
        let architecture = Architecture::default();
        Fit { architecture, passes: 12.0, rate: 0.004, searched_value: 0.3, threads: 1, seed: 7 }
    }
}

/// One game in this many is held out to test the weights.
const TESTED: usize = 25;
/// Samples in a batch.
const BATCH: usize = 64;
/// Steps of the warm-up.
const WARM_UP: f32 = 200.0;
/// How often the weights are tested in all.
const TESTS: usize = 20;
/// The weight decay of a step, as a part of the learning rate.
const DECAY: f32 = 1e-4;
/// The most samples that the range of activations is measured on.
const MEASURED: usize = 20_000;

/// How well a network predicts games.
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
    /// The mean cross entropy, in nats, between the visits of the searches and the predicted moves.
    pub fn policy(&self) -> f64 {
        self.policy / self.policies
    }

    /// The share of positions whose most visited move is the first choice, in \[0, 1\].
    pub fn first_choice(&self) -> f64 {
        self.first / self.policies
    }

    /// The mean cross entropy between the games' results and the predicted ones, in nats. A coin has 0.693.
    pub fn value(&self) -> f64 {
        self.value / self.values
    }

    /// The share of positions whose winner is predicted, in \[0, 1\].
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

/// Why no network was trained.
#[derive(Debug)]
pub enum FitError {
    /// There are too few games.
    TooFew {
        /// The games given.
        games: usize,
    },
    /// The network has a shape that only the trainer in `training/` handles.
    Shape,
    /// Activations or weights are no longer finite.
    Diverged,
    /// After scaling, the weights do not fit into fixed-point numbers.
    Range(NetworkError),
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FitError::TooFew { games } => write!(f, "too few games to train on: {games} (expected {TESTED} or more)"),
            FitError::Shape => f.write_str(
                "the network has a new shape (expected features of version 1 and pooling 'mean'); see training/",
            ),
            FitError::Diverged => f.write_str("training diverged: activations are not finite (try a lower rate)"),
            FitError::Range(error) => write!(f, "the trained weights do not fit into fixed point: {error}"),
        }
    }
}

impl std::error::Error for FitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            FitError::Range(error) => Some(error),
            _ => None,
        }
    }
}

/// A position to learn from.
struct Sample {
    side: usize,
    features: Vec<u32>,
    /// Moves with their shares of the visits; or nothing.
    policy: Vec<(Vertex, f32)>,
    /// The value to learn.
    value: f32,
    /// The result of the game for the player to move.
    result: f32,
}

/// The samples of all games.
struct Samples {
    training: Vec<Sample>,
    /// Held out.
    tests: Vec<Sample>,
    boards: BTreeMap<usize, Board>,
}

/// Trains a network on games, which must have been checked: from random weights, or from those of `start`. From time to
/// time `report` gets the part of the work that is done, in \[0, 1\], and how well the weights predict games held out.
///
/// At the end the weights are scaled so that the activations measured on the training positions stay well within the
/// range of fixed-point numbers. The network's description says what it was trained on.
///
/// # Errors
/// If there are too few games, the shape is not that of version 1 of the format, training diverges, or the weights do not fit into fixed point.
pub fn fit(
    games: &[SelfPlayGame],
    plan: &Fit,
    start: Option<&Network>,
    mut report: impl FnMut(f64, &Losses),
) -> Result<Network, FitError> {
    let samples = Samples::of(games, plan.searched_value);
    if samples.training.len() < BATCH || !samples.tests.iter().any(|sample| !sample.policy.is_empty()) {
        return Err(FitError::TooFew { games: games.len() });
    }
    let architecture = start.map_or(plan.architecture, Network::architecture).with_arithmetic(Arithmetic::Sixteen);
    if architecture.features() != FeatureSet::Chains || architecture.pooling() != Pooling::Mean {
        return Err(FitError::Shape);
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(plan.seed);
    let weights = match start {
        None => first_weights(architecture, &mut rng),
        Some(network) => network.weights().to_vec(),
    };
    let weights = with_channels!(architecture.channels(), C => {
        let mut weights = weights;
        train::<C>(&samples, plan, architecture, &mut weights, rng, &mut report);
        fit_into_range::<C>(&samples, architecture, &mut weights)?;
        weights
    });
    Network::new(architecture, weights, &description(games, &samples, plan, start)).map_err(FitError::Range)
}

impl Samples {
    fn of(games: &[SelfPlayGame], searched_value: f32) -> Samples {
        let chosen = |tested: bool| {
            let chosen = games.iter().enumerate().filter(move |(i, _)| (i % TESTED == TESTED - 1) == tested);
            chosen.flat_map(|(_, game)| samples(game, searched_value)).collect::<Vec<_>>()
        };
        let (training, tests) = (chosen(false), chosen(true));
        let mut boards = BTreeMap::new();
        for &Sample { side, .. } in training.iter().chain(&tests) {
            boards.entry(side).or_insert_with(|| Board::new(Geometry::of(side).expect("games are checked")));
        }
        Samples { training, tests, boards }
    }
}

/// One line on what a network was trained on.
fn description(games: &[SelfPlayGame], samples: &Samples, plan: &Fit, start: Option<&Network>) -> String {
    let mut sides: BTreeMap<usize, usize> = BTreeMap::new();
    games.iter().for_each(|game| *sides.entry(game.side).or_default() += 1);
    let sides: Vec<String> = sides.iter().map(|(side, games)| format!("{side} ({games})")).collect();
    if let Some(network) = start.filter(|_| plan.passes == 0.0) {
        let NetworkInfo { hash, description, .. } = network.info();
        return format!("Network {hash} with its channels scaled on {} self-play games. {description}", games.len());
    }
    let start = start.map_or("random weights".to_owned(), |network| format!("network {}", network.info().hash));
    format!(
        "Trained on {} self-play games, {} positions, on sides {}; {} passes at rate {} with seed {}, from {start}.",
        games.len(),
        samples.training.len(),
        sides.join(", "),
        plan.passes,
        plan.rate,
        plan.seed,
    )
}

/// Gradient descent.
fn train<const C: usize>(
    samples: &Samples,
    plan: &Fit,
    architecture: Architecture,
    weights: &mut [f32],
    mut rng: Xoshiro256PlusPlus,
    report: &mut dyn FnMut(f64, &Losses),
) {
    let Samples { training, tests, boards } = samples;
    let mut adam = Adam::new(architecture);
    let mut order: Vec<u32> = (0..training.len() as u32).collect();
    let mut next = order.len();
    let steps = match plan.passes {
        0.0 => return,
        passes => ((passes * training.len() as f64 / BATCH as f64) as usize).max(1),
    };
    // A browser has no threads.
    let threads = if cfg!(target_family = "wasm") { 1 } else { plan.threads.max(1) };
    let mut passes: Vec<Pass<C>> = (0..threads).map(|_| Pass::new(architecture, boards)).collect();
    for step in 0..steps {
        if next + BATCH > order.len() {
            order.shuffle(&mut rng);
            next = 0;
        }
        let mut draw = |&i: &u32| (&training[i as usize], rng.random_range(0..SYMMETRIES));
        let batch: Vec<(&Sample, usize)> = order[next..next + BATCH].iter().map(&mut draw).collect();
        next += BATCH;
        add_gradients(&mut passes, &Weights { architecture, all: weights }, boards, &batch);
        let part = step as f32 / steps as f32;
        let decay = 0.02 + 0.98 * 0.5 * (1.0 + (PI * part).cos());
        let warm = ((step + 1) as f32 / WARM_UP).min(1.0);
        adam.step(weights, passes.iter_mut().map(|pass| &mut pass.gradient[..]).collect(), plan.rate * decay * warm);
        if (step + 1) % steps.div_ceil(TESTS) == 0 || step + 1 == steps {
            let weights = Weights { architecture, all: weights };
            let mut losses = Losses::default();
            for sample in tests {
                losses.add(test(&mut passes[0], &weights, &boards[&sample.side], sample));
            }
            report((step + 1) as f64 / steps as f64, &losses);
        }
    }
}

/// Adds the gradients of a batch, spread over as many threads as there are passes. Each sample comes with a symmetry.
fn add_gradients<const C: usize>(
    passes: &mut [Pass<C>],
    weights: &Weights<'_, C>,
    boards: &BTreeMap<usize, Board>,
    batch: &[(&Sample, usize)],
) {
    let transposed = weights.transposed();
    let work = |pass: &mut Pass<C>, batch: &[(&Sample, usize)]| {
        for (sample, symmetry) in batch {
            let board = &boards[&sample.side];
            let image = &board.geometry.symmetries()[*symmetry];
            let policy: Vec<_> = sample.policy.iter().map(|&(v, share)| (image[v.index()], share)).collect();
            let target = Target { policy: &policy, value: sample.value };
            pass.learn(weights, &transposed, board, &turned(&sample.features, image), &target);
        }
    };
    let share = batch.len().div_ceil(passes.len());
    let [own, others @ ..] = passes else { unreachable!("there is at least one pass") };
    let (own_batch, batch) = batch.split_at(share.min(batch.len()));
    thread::scope(|scope| {
        for (pass, batch) in others.iter_mut().zip(batch.chunks(share)) {
            let work = &work;
            scope.spawn(move || work(pass, batch));
        }
        work(own, own_batch);
    });
}

/// How well a sample is predicted.
fn test<const C: usize>(pass: &mut Pass<C>, weights: &Weights<'_, C>, board: &Board, sample: &Sample) -> Losses {
    let output = pass.forwards(weights, board, &sample.features);
    let mut losses = Losses::default();
    if !sample.policy.is_empty() {
        let odds = |v: Vertex| output.policy[v.index()];
        let (best, _) = *sample.policy.iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("it is not empty");
        losses.policy = sample.policy.iter().map(|&(v, share)| -(share * odds(v).max(1e-9).ln()) as f64).sum();
        losses.first = output.policy.iter().all(|&other| other <= odds(best)) as u32 as f64;
        losses.policies = 1.0;
    }
    let value = output.value.clamp(1e-6, 1.0 - 1e-6);
    losses.value = -(sample.result * value.ln() + (1.0 - sample.result) * (1.0 - value).ln()) as f64;
    losses.right = ((value > 0.5) == (sample.result > 0.5)) as u32 as f64;
    losses.values = 1.0;
    losses
}

/// Scales weights so that activations on the training positions stay within the range of fixed-point numbers.
fn fit_into_range<const C: usize>(
    samples: &Samples,
    architecture: Architecture,
    weights: &mut [f32],
) -> Result<(), FitError> {
    let largest = measure::<C>(samples, &Weights { architecture, all: weights });
    if !largest.all().all(f32::is_finite) {
        return Err(FitError::Diverged);
    }
    let factors = scale::factors(architecture, weights, &largest);
    scale::scale(architecture, weights, &factors);
    Ok(())
}

/// The largest activations of each channel, on positions from all training games, under all symmetries in turn.
fn measure<const C: usize>(samples: &Samples, weights: &Weights<'_, C>) -> PerChannel {
    let mut pass = Pass::<C>::new(weights.architecture, &samples.boards);
    let mut largest = PerChannel::new(weights.architecture, 0.0);
    let spread = samples.training.iter().step_by(samples.training.len().div_ceil(MEASURED));
    for (i, sample) in spread.enumerate() {
        let board = &samples.boards[&sample.side];
        let image = &board.geometry.symmetries()[i % SYMMETRIES];
        pass.measure(weights, board, &turned(&sample.features, image), &mut largest);
    }
    largest
}

/// The features of a position.
fn features(game: &Game) -> Vec<u32> {
    FeatureSet::Chains.extract(&Input::of(game)).into_iter().map(|bits| bits as u32).collect()
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
            let all: u64 = searched.visits.iter().map(|(_, visits)| visits).sum();
            let share = |(name, visits): &(String, u64)| (vertex(name), *visits as f32 / all as f32);
            let result = match (played.winner, color) {
                (Winner::Draw, _) => 0.5,
                (Winner::White, Color::White) | (Winner::Black, Color::Black) => 1.0,
                _ => 0.0,
            };
            samples.push(Sample {
                side: played.side,
                features: features(&game),
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

/// Random weights that about preserve the size of activations from layer to layer (He et al. 2015). The second convolution
/// of each block begins smaller, so that blocks begin close to the identity.
fn first_weights(architecture: Architecture, rng: &mut Xoshiro256PlusPlus) -> Vec<f32> {
    let mut weights = vec![0.0; architecture.weight_count()];
    // A sum of twelve uniform numbers is close enough to normal.
    let mut normal = |size: f32| ((0..12).map(|_| rng.random_range(0f32..1.0)).sum::<f32>() - 6.0) * size;
    let he = (2.0 / (TAPS * architecture.channels()) as f32).sqrt();
    for part in architecture.parts() {
        let size = match part {
            Part::First | Part::Value => 0.2,
            Part::Convolution(k) => [he, 0.3 * he][k % 2],
            Part::Policy => 0.1,
            Part::Hidden => 0.25,
            Part::Size | Part::Pool(_) => continue,
            Part::FirstBias | Part::ConvolutionBias(_) | Part::HiddenBias | Part::ValueBias => continue,
        };
        weights[architecture.range(part)].iter_mut().for_each(|x| *x = normal(size));
    }
    weights
}

/// Running means of gradients and of their squares.
struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Adam {
    const MEMORY: [f32; 2] = [0.9, 0.999];

    fn new(architecture: Architecture) -> Adam {
        let zeros = vec![0.0; architecture.weight_count()];
        Adam { mean: zeros.clone(), square: zeros, steps: 0 }
    }

    /// Changes the weights by the sum of the gradients, and sets these to zero.
    fn step(&mut self, weights: &mut [f32], mut gradients: Vec<&mut [f32]>, rate: f32) {
        self.steps += 1;
        let [short, long] = Adam::MEMORY;
        let [mean_part, square_part] = Adam::MEMORY.map(|memory| 1.0 - memory.powi(self.steps));
        let Adam { mean, square, .. } = self;
        for (i, weight) in weights.iter_mut().enumerate() {
            let gradient = gradients.iter_mut().map(|gradient| std::mem::take(&mut gradient[i])).sum::<f32>();
            let gradient = gradient / BATCH as f32;
            mean[i] = short * mean[i] + (1.0 - short) * gradient;
            square[i] = long * square[i] + (1.0 - long) * gradient * gradient;
            let change = mean[i] / mean_part / ((square[i] / square_part).sqrt() + 1e-8);
            *weight -= rate * (change + DECAY * *weight);
        }
    }
}

/// Features under a symmetry.
fn turned(features: &[u32], image: &[Vertex]) -> Vec<u32> {
    let mut turned = vec![0; features.len()];
    features.iter().zip(image).for_each(|(&features, v)| turned[v.index()] = features);
    turned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::{Backend, Evaluation};
    use crate::search::{Options, Preset};
    use crate::training::{Plan, play_game};

    fn shape(blocks: usize, channels: usize, hidden: usize) -> Architecture {
        Architecture::new(blocks, channels, hidden, Pooling::Mean).unwrap()
    }

    fn boards(sides: &[usize]) -> BTreeMap<usize, Board> {
        sides.iter().map(|&side| (side, Board::new(Geometry::of(side).unwrap()))).collect()
    }

    fn sample(side: usize, rng: &mut Xoshiro256PlusPlus) -> Sample {
        let geometry = Geometry::of(side).unwrap();
        let mut game = Game::new(geometry);
        for _ in 0..geometry.vertex_count() / 4 {
            let _ = game.play(geometry.vertex(rng.random_range(0..geometry.vertex_count())).unwrap());
        }
        let mut empty = game.position().empty_vertices();
        let policy = vec![(empty.next().unwrap(), 0.7), (empty.nth(3).unwrap(), 0.3)];
        Sample { side, features: features(&game), policy, value: 0.8, result: 1.0 }
    }

    fn loss<const C: usize>(pass: &mut Pass<C>, weights: &Weights<'_, C>, board: &Board, sample: &Sample) -> f64 {
        let output = pass.forwards(weights, board, &sample.features);
        let policy: f64 =
            sample.policy.iter().map(|&(v, share)| -share as f64 * (output.policy[v.index()] as f64).ln()).sum();
        let (value, wanted) = (output.value as f64, sample.value as f64);
        policy - wanted * value.ln() - (1.0 - wanted) * (1.0 - value).ln()
    }

    /// Compares the gradient of random weights with differences of the loss, on boards of two sizes in turn.
    fn gradients_are_slopes<const C: usize>(architecture: Architecture) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let boards = boards(&[3, 5]);
        let mut pass = Pass::<C>::new(architecture, &boards);
        let mut all = first_weights(architecture, &mut rng);
        for side in [5, 3, 5] {
            let (board, sample) = (&boards[&side], sample(side, &mut rng));
            pass.gradient.fill(0.0);
            let weights = Weights { architecture, all: &all };
            let transposed = weights.transposed();
            let target = Target { policy: &sample.policy, value: sample.value };
            pass.learn(&weights, &transposed, board, &sample.features, &target);
            let mut compared = 0;
            for _ in 0..1500 {
                let i = rng.random_range(0..all.len());
                let slope = pass.gradient[i];
                if slope.abs() < 0.02 {
                    continue;
                }
                let at = all[i];
                let mut with = |x: f32| {
                    all[i] = x;
                    loss(&mut pass, &Weights { architecture, all: &all }, board, &sample)
                };
                let step = 2e-3;
                let difference = (with(at + step) - with(at - step)) / (2.0 * step as f64);
                all[i] = at;
                // A step may cross a kink.
                let wrong = (difference - slope as f64).abs() / slope.abs() as f64;
                compared += (wrong < 0.15) as usize;
                assert!(wrong < 1.0, "weight {i}: {slope} and {difference}");
            }
            assert!(compared > 20, "{compared}");
        }
    }

    #[test]
    fn gradients_are_the_slopes_of_the_loss() {
        gradients_are_slopes::<32>(Architecture::default());
        gradients_are_slopes::<16>(shape(2, 16, 9));
    }

    /// Compares fixed-point evaluation with floating point in random games up to a third of the board. Random stones on a
    /// full board are beyond anything seen in games, and beyond the range of fixed-point numbers.
    fn inference_agrees<const C: usize>(network: &Network) {
        let weights = Weights { architecture: network.architecture(), all: network.weights() };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
        let boards = boards(&[4, 6, 9]);
        for (&side, board) in &boards {
            let geometry = Geometry::of(side).unwrap();
            let (mut pass, mut evaluator) =
                (Pass::<C>::new(network.architecture(), &boards), network.evaluator(geometry));
            let mut game = Game::new(geometry);
            while game.outcome().is_none() && game.stone_count() < geometry.vertex_count() / 3 {
                let expected = pass.forwards(&weights, board, &features(&game));
                let mut evaluation = Evaluation::default();
                evaluator.evaluate(&Input::of(&game), &mut evaluation);
                assert!((evaluation.value - expected.value).abs() < 0.02, "{} {}", evaluation.value, expected.value);
                let probabilities = evaluation.probabilities(game.position().empty_vertices());
                for (probability, expected) in probabilities.iter().zip(expected.policy) {
                    assert!((probability - expected).abs() < 0.02, "{probability} {expected}");
                }
                let v = geometry.vertex(rng.random_range(0..geometry.vertex_count())).unwrap();
                // If the vertex is occupied, the next round draws again.
                let _ = game.play(v);
            }
        }
    }

    #[test]
    fn inference_agrees_with_floating_point() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        for architecture in
            [Architecture::default(), shape(2, 32, 32), shape(1, 64, 16), shape(3, 16, 16), shape(2, 48, 100)]
        {
            let network = Network::new(architecture, first_weights(architecture, &mut rng), "").unwrap();
            let network = Network::from_bytes(&network.to_bytes()).unwrap();
            with_channels!(architecture.channels(), C => inference_agrees::<C>(&network));
        }
    }

    /// Weights that leave the range of fixed-point numbers are brought back into it, and compute the same.
    #[test]
    fn scaling_keeps_the_function_and_the_range() {
        let architecture = Architecture::default();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let training: Vec<Sample> = (0..60).map(|i| sample([4, 6, 9][i % 3], &mut rng)).collect();
        let samples = Samples { training, tests: Vec::new(), boards: boards(&[4, 6, 9]) };
        let largest = |all: &[f32]| measure::<32>(&samples, &Weights { architecture, all });
        let original = first_weights(architecture, &mut rng);
        let mut factors = PerChannel::new(architecture, 200.0);
        factors.stream.iter_mut().zip(0..).for_each(|(factor, i)| *factor = [50.0, 400.0][i % 2]);
        let mut weights = original.clone();
        scale::scale(architecture, &mut weights, &factors);
        assert!(largest(&weights).all().any(|x| x > 1000.0));
        fit_into_range::<32>(&samples, architecture, &mut weights).unwrap();
        assert!(largest(&weights).all().all(|x| x < 1.001 * scale::TARGET));
        let mut pass = Pass::<32>::new(architecture, &samples.boards);
        for sample in &samples.training {
            let board = &samples.boards[&sample.side];
            let [before, after] =
                [&original, &weights].map(|all| pass.forwards(&Weights { architecture, all }, board, &sample.features));
            assert!((before.value - after.value).abs() < 1e-3, "{} {}", before.value, after.value);
            assert!(before.policy.iter().zip(after.policy).all(|(a, b)| (a - b).abs() < 1e-3));
        }
        inference_agrees::<32>(&Network::new(architecture, weights.clone(), "").unwrap());
        // What is in range stays as it is.
        let fitting = weights.clone();
        fit_into_range::<32>(&samples, architecture, &mut weights).unwrap();
        assert!(fitting.iter().zip(&weights).all(|(a, b)| (a - b).abs() <= 1e-3 * a.abs()));
    }

    #[test]
    fn weights_that_diverged_are_refused() {
        let architecture = shape(1, 16, 4);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let samples = Samples { training: vec![sample(4, &mut rng)], tests: Vec::new(), boards: boards(&[4]) };
        for x in [f32::NAN, f32::INFINITY] {
            let mut weights = first_weights(architecture, &mut rng);
            weights[architecture.range(Part::FirstBias).start] = x;
            let error = fit_into_range::<16>(&samples, architecture, &mut weights).unwrap_err();
            assert!(error.to_string().contains("diverged"), "{error}");
        }
    }

    /// Weights trained on a few games predict similar ones better than random weights do.
    #[test]
    fn training_improves_predictions() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let options = Options { memory: 16, ..Options::preset(Preset::Rave) };
        let plan = Plan { options, ..Plan::small("3", [100, 30]) };
        let games: Vec<SelfPlayGame> = (0..100).map(|_| play_game(&plan, &mut rng)).collect();
        for (architecture, gain) in [(Architecture::default(), 0.1), (shape(2, 16, 20), 0.03)] {
            let mut reports = Vec::new();
            let settings = Fit { architecture, passes: 20.0, threads: 2, ..Fit::default() };
            let network = fit(&games, &settings, None, |part, losses| reports.push((part, losses.policy()))).unwrap();
            assert_eq!(network.architecture(), settings.architecture);
            let description = network.info().description;
            assert!(description.contains("100 self-play games") && description.contains("random"), "{description}");
            let (first, last) = (reports[0], reports[reports.len() - 1]);
            assert_eq!(last.0, 1.0);
            assert!(last.1 < first.1 - gain, "{first:?} to {last:?}");
            let more = Fit { passes: 0.1, ..Fit::default() };
            let again = fit(&games, &more, Some(&network), |_, losses| assert!(losses.policy() < first.1)).unwrap();
            assert_eq!(again.architecture(), network.architecture());
            assert!(again.info().description.contains(&network.info().hash));
        }
        let error = fit(&games[..3], &Fit::default(), None, |_, _| ()).unwrap_err().to_string();
        assert!(error.contains("too few games") && error.contains('3'), "{error}");
    }
}
