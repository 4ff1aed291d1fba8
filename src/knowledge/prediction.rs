//! The learned weights.

use std::sync::OnceLock;

use super::features::{FEATURES, Features};

/// The logarithm of a move's strength, up to a constant of the position: the probability that a move is played is
/// proportional to its exponential.
#[inline]
pub fn score(features: &Features) -> f32 {
    let weights = weights();
    features.iter().map(|&feature| weights[feature as usize]).sum()
}

fn weights() -> &'static [f32; FEATURES] {
    static WEIGHTS: OnceLock<Box<[f32; FEATURES]>> = OnceLock::new();
    WEIGHTS.get_or_init(|| {
        let numbers = include_str!("move_weights.txt").split(',').map(|word| word.trim().parse::<f32>());
        let list: Vec<f32> = numbers.collect::<Result<_, _>>().expect("the weights are numbers");
        list.try_into().expect("there is a weight for each feature")
    })
}
