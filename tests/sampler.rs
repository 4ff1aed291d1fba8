//! The move samplers (paper, section 6). Both must behave like a map, and draw keys in proportion to their weights.

use std::collections::BTreeMap;

use malecon::engine::playout::paper::sampler::{BlockSums, CAPACITY, MoveSampler, SumTree};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Makes two tests from a generic function, one for each implementation.
macro_rules! for_both_samplers {
    ($($name:ident),+ $(,)?) => {
        mod sum_tree { $(#[test] fn $name() { super::$name::<super::SumTree>() })+ }
        mod block_sums { $(#[test] fn $name() { super::$name::<super::BlockSums>() })+ }
    };
}

for_both_samplers!(
    an_empty_map_has_total_zero_and_no_sample,
    a_single_key_is_always_drawn,
    the_last_key_is_treated_like_any_other,
    keys_of_weight_zero_are_in_the_map_but_never_drawn,
    updating_or_removing_an_absent_key_has_no_effect,
    inserting_a_present_key_changes_its_weight,
    the_greatest_weights_do_not_overflow_the_total,
    each_key_has_one_interval_as_long_as_its_weight,
    after_random_operations_the_map_agrees_with_a_btree_map,
    frequencies_of_draws_fit_the_weights,
    the_moves_of_a_playout_are_a_permutation_of_the_keys,
    keys_and_numbers_out_of_range_panic,
);

fn loaded<S: MoveSampler>(weights: &[Option<u32>]) -> S {
    let mut sampler = S::default();
    sampler.load(weights.iter().copied());
    sampler
}

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

fn panics(f: impl FnOnce()) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err()
}

fn an_empty_map_has_total_zero_and_no_sample<S: MoveSampler>() {
    let mut sampler = loaded::<S>(&[Some(3), Some(4)]);
    sampler.clear();
    for sampler in [S::default(), loaded::<S>(&[]), loaded::<S>(&[None; CAPACITY]), sampler] {
        assert!(sampler.is_empty() && sampler.len() == 0 && sampler.total() == 0);
        assert!((0..CAPACITY as u16).all(|key| !sampler.contains(key) && sampler.weight(key).is_none()));
        assert_eq!(sampler.sample(&mut rng(1)), None);
        assert!(panics(|| _ = sampler.select(0)));
    }
}

fn a_single_key_is_always_drawn<S: MoveSampler>() {
    for key in [0, 1, 63, 64, 300, CAPACITY as u16 - 1] {
        let mut sampler = S::default();
        sampler.insert(key, 5);
        assert_eq!((sampler.len(), sampler.total(), sampler.weight(key)), (1, 5, Some(5)));
        assert!((0..5).all(|x| sampler.select(x) == key));
        assert_eq!(sampler.sample(&mut rng(2)), Some(key));
        sampler.remove(key);
        assert!(sampler.is_empty() && sampler.total() == 0 && sampler.sample(&mut rng(2)).is_none());
    }
}

fn the_last_key_is_treated_like_any_other<S: MoveSampler>() {
    let last = CAPACITY as u16 - 1;
    let mut sampler = loaded::<S>(&[Some(1); CAPACITY]);
    sampler.update(last, 1000);
    assert_eq!((0..sampler.total()).filter(|&x| sampler.select(x) == last).count(), 1000);
    sampler.remove(last);
    assert_eq!((sampler.len(), sampler.total()), (CAPACITY - 1, CAPACITY as u64 - 1));
    assert!((0..sampler.total()).all(|x| sampler.select(x) != last));
}

fn keys_of_weight_zero_are_in_the_map_but_never_drawn<S: MoveSampler>() {
    let mut sampler = loaded::<S>(&[Some(0), Some(0), Some(2), Some(0)]);
    assert_eq!((sampler.len(), sampler.total(), sampler.weight(0)), (4, 2, Some(0)));
    assert!((0..2).all(|x| sampler.select(x) == 2));
    sampler.update(2, 0);
    assert_eq!((sampler.len(), sampler.total(), sampler.sample(&mut rng(3))), (4, 0, None));
    sampler.update_all(&[0, 3], 1);
    let mut drawn = [sampler.select(0), sampler.select(1)];
    drawn.sort();
    assert_eq!(drawn, [0, 3]);
}

fn updating_or_removing_an_absent_key_has_no_effect<S: MoveSampler>() {
    let mut sampler = loaded::<S>(&[Some(1), None, Some(2)]);
    sampler.update(1, 9);
    sampler.update_all(&[1, 1, 400], 9);
    sampler.remove(1);
    sampler.remove(400);
    assert_eq!((sampler.len(), sampler.total(), sampler.weight(1)), (2, 3, None));
}

fn inserting_a_present_key_changes_its_weight<S: MoveSampler>() {
    let mut sampler = loaded::<S>(&[Some(1), Some(2)]);
    sampler.insert(1, 7);
    assert_eq!((sampler.len(), sampler.total(), sampler.weight(1)), (2, 8, Some(7)));
}

fn the_greatest_weights_do_not_overflow_the_total<S: MoveSampler>() {
    let mut sampler = loaded::<S>(&[Some(u32::MAX); CAPACITY]);
    let total = CAPACITY as u64 * u32::MAX as u64;
    assert_eq!(sampler.total(), total);
    let mut keys: Vec<u16> = (0..total).step_by(u32::MAX as usize).map(|x| sampler.select(x)).collect();
    assert_eq!(sampler.select(total - 1), keys[CAPACITY - 1]);
    keys.sort();
    assert!(keys.into_iter().eq(0..CAPACITY as u16));
    (0..CAPACITY as u16).for_each(|key| sampler.remove(key));
    assert_eq!((sampler.len(), sampler.total()), (0, 0));
}

/// Checked for all numbers below the total of small maps.
fn each_key_has_one_interval_as_long_as_its_weight<S: MoveSampler>() {
    let mut rng = rng(4);
    for _ in 0..500 {
        let mut weights = vec![None; rng.random_range(1..CAPACITY)];
        weights.iter_mut().for_each(|w| *w = rng.random_bool(0.7).then(|| rng.random_range(0..6)));
        let mut sampler = loaded::<S>(&weights);
        for (key, weight) in (0..).zip(&mut weights) {
            if rng.random_bool(0.3) {
                sampler.remove(key);
                *weight = None;
            }
        }
        let drawn: Vec<u16> = (0..sampler.total()).map(|x| sampler.select(x)).collect();
        let mut runs: Vec<(u16, u32)> = drawn.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect();
        runs.sort();
        let positive = |(key, weight): (usize, &Option<u32>)| weight.filter(|&w| w > 0).map(|w| (key as u16, w));
        assert_eq!(runs, weights.iter().enumerate().filter_map(positive).collect::<Vec<_>>());
    }
}

fn after_random_operations_the_map_agrees_with_a_btree_map<S: MoveSampler>() {
    let mut rng = rng(5);
    let (mut sampler, mut model) = (S::default(), BTreeMap::<u16, u32>::new());
    let (mut saved, mut saved_model) = (sampler.clone(), model.clone());
    for step in 0..100_000 {
        let key = rng.random_range(0..[10, 100, CAPACITY as u16][step % 3]);
        let weight: u32 = [rng.random(), rng.random_range(0..3), 0, u32::MAX][rng.random_range(0..4)];
        match rng.random_range(0..1000) {
            0..350 => {
                sampler.insert(key, weight);
                model.insert(key, weight);
            }
            350..550 => {
                sampler.update(key, weight);
                model.entry(key).and_modify(|w| *w = weight);
            }
            550..650 => {
                let keys = [key, key / 2, (key + 1) % CAPACITY as u16, key];
                sampler.update_all(&keys, weight);
                keys.iter().for_each(|k| _ = model.entry(*k).and_modify(|w| *w = weight));
            }
            650..990 => {
                sampler.remove(key);
                model.remove(&key);
            }
            990..995 => {
                saved.copy_from(&sampler);
                saved_model.clone_from(&model);
            }
            995..998 => {
                sampler.copy_from(&saved);
                model.clone_from(&saved_model);
            }
            998 => {
                let weights: Vec<_> = (0..key).map(|_| rng.random_bool(0.5).then(|| rng.random())).collect();
                sampler.load(weights.iter().copied());
                let present = |(key, weight): (u16, Option<u32>)| weight.map(|w| (key, w));
                model = (0..).zip(weights).filter_map(present).collect();
            }
            _ => {
                sampler.clear();
                model.clear();
            }
        }
        let total = model.values().map(|&w| w as u64).sum();
        assert_eq!((sampler.len(), sampler.total()), (model.len(), total));
        assert_eq!(sampler.weight(key), model.get(&key).copied());
        if total > 0 {
            assert!(model[&sampler.select(rng.random_range(0..total))] > 0);
        }
        if step % 100 == 0 {
            assert!((0..CAPACITY as u16).all(|key| sampler.weight(key) == model.get(&key).copied()));
        }
    }
}

/// Pearson's chi-square statistic of draws against the expected frequencies.
fn chi_square(counts: &[u64], weights: &[u32], draws: u64) -> f64 {
    let total: f64 = weights.iter().map(|&w| w as f64).sum();
    let expected = weights.iter().map(|&w| w as f64 / total * draws as f64);
    counts.iter().zip(expected).map(|(&n, e)| (n as f64 - e).powi(2) / e).sum()
}

/// The critical value of chi-square at a significance level of 0.001, by the approximation of Wilson and Hilferty. From
/// 30 degrees of freedom on, its error is below 0.2 %.
fn chi_square_critical(freedom: f64) -> f64 {
    const Z: f64 = 3.0902;
    let v = 2.0 / (9.0 * freedom);
    freedom * (1.0 - v + Z * v.sqrt()).powi(3)
}

/// A million draws with different weights. The seed is fixed, so the result is always the same.
fn frequencies_of_draws_fit_the_weights<S: MoveSampler>() {
    const DRAWS: u64 = 1_000_000;
    let mut weights: Vec<u32> = (1..=169).collect();
    let mut sampler = loaded::<S>(&weights.iter().copied().map(Some).collect::<Vec<_>>());
    // Remove some keys, and change the weights of some others.
    for key in (0..169).step_by(5) {
        sampler.remove(key);
        sampler.update_all(&[key, (key + 1) % 169], 1000);
        weights[(key as usize + 1) % 169] = 1000;
    }
    sampler.update(0, 1000);
    let keys: Vec<u16> = (0..169).filter(|&key| sampler.contains(key)).collect();
    let mut rng = rng(6);
    let mut counts = vec![0; 169];
    (0..DRAWS).for_each(|_| counts[sampler.sample(&mut rng).unwrap() as usize] += 1);
    let counts: Vec<u64> = keys.iter().map(|&key| counts[key as usize]).collect();
    let weights: Vec<u32> = keys.iter().map(|&key| sampler.weight(key).unwrap()).collect();
    assert_eq!(counts.iter().sum::<u64>(), DRAWS);
    let critical = chi_square_critical(keys.len() as f64 - 1.0);
    let statistic = chi_square(&counts, &weights, DRAWS);
    assert!(statistic < critical, "chi-square is {statistic} (expected less than {critical})");
    // The test is sharp enough to notice weights that are wrong by 2 %.
    let skewed: Vec<u32> =
        weights.iter().zip(&keys).map(|(&w, key)| 100 * w + if key % 2 == 0 { 2 * w } else { 0 }).collect();
    assert!(chi_square(&counts, &skewed, DRAWS) > critical);
}

#[test]
fn critical_values_of_chi_square_agree_with_published_tables() {
    for (freedom, value) in [(30.0, 59.703), (100.0, 149.449)] {
        assert!((chi_square_critical(freedom) / value - 1.0_f64).abs() < 0.002);
    }
}

fn the_moves_of_a_playout_are_a_permutation_of_the_keys<S: MoveSampler>() {
    let mut rng = rng(9);
    let start = loaded::<S>(&[Some(1); 271]);
    let mut sampler = S::default();
    for _ in 0..20 {
        sampler.copy_from(&start);
        let mut played = Vec::new();
        while let Some(key) = sampler.sample(&mut rng) {
            sampler.remove(key);
            played.push(key);
            let n = played.len() as u32;
            sampler.update_all(&[key.saturating_sub(1), (key + 1).min(270)], n * n * n);
        }
        played.sort();
        assert!(played.into_iter().eq(0..271));
    }
}

fn keys_and_numbers_out_of_range_panic<S: MoveSampler>() {
    let out = CAPACITY as u16;
    assert!(panics(|| S::default().insert(out, 1)));
    assert!(panics(|| S::default().update(out, 1)));
    assert!(panics(|| S::default().remove(out)));
    assert!(panics(|| _ = S::default().weight(out)));
    assert!(panics(|| _ = loaded::<S>(&[None; CAPACITY + 1])));
    assert!(panics(|| _ = loaded::<S>(&[Some(2), Some(3)]).select(5)));
}
