//! Ratings of all engines of a match on one scale.
//!
//! # The model
//!
//! An engine of strength θᵢ scores 1/(1 + e^(θⱼ − θᵢ)) on average against one of strength θⱼ (Bradley and Terry, *Rank
//! Analysis of Incomplete Block Designs*, Biometrika 39, 1952); 400/ln 10 Elo are one unit. A draw counts as half a win
//! and half a loss.
//!
//! # The prior
//!
//! The strengths are those of the greatest posterior probability. The prior is a drawn game of each engine against an
//! opponent of strength 0. So the strengths are finite if an engine has won all its games, and defined if some
//! engines have not met, not even through others. It draws engines with few games a little to the middle.
//!
//! # The errors
//!
//! The posterior is about normal, with the inverse of its curvature as covariance. A rating is relative to the mean of
//! all engines, and its error is that of this difference. The model takes games as independent. The two games of a pair
//! from one opening are not: usually they differ more than independent ones do, and the true errors are smaller then.

use std::collections::BTreeMap;

use serde::Serialize;

use super::tally::Tally;

/// Elo of one unit of strength.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Standard deviations on either side of a 95 % interval.
const INTERVAL: f64 = 1.959_963_984_540_054;

/// The most steps of Newton's method. It takes about ten.
const MOST_STEPS: usize = 100;

/// The rating of one engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rating {
    /// The engine's name.
    pub name: String,
    /// Its Elo relative to the mean of all engines.
    pub elo: f64,
    /// Half the width of the 95 % interval.
    pub error: f64,
    /// The number of its games.
    pub games: u64,
}

/// The ratings of all engines that have played, the best first.
pub fn ratings(tally: &Tally) -> Vec<Rating> {
    let count = tally.engines.len();
    // Games and points of each engine against each other.
    let mut meetings = vec![vec![(0.0, 0.0); count]; count];
    for pairing in &tally.pairings {
        let [a, b] = pairing.engines;
        let games = pairing.results.games() as f64;
        let points = pairing.results.points();
        for (i, j, points) in [(a, b, points), (b, a, games - points)] {
            meetings[i][j].0 += games;
            meetings[i][j].1 += points;
        }
    }
    let posterior = Posterior { meetings };
    let strengths = posterior.maximum();
    let covariance = inverse(posterior.curvature(&strengths));
    let mean = strengths.iter().sum::<f64>() / count as f64;
    let rating = |(i, strength): (usize, &f64)| {
        let share = |j: usize| if i == j { 1.0 } else { 0.0 } - 1.0 / count as f64;
        let variance: f64 = (0..count)
            .flat_map(|j| (0..count).map(move |k| (j, k)))
            .map(|(j, k)| share(j) * covariance[j][k] * share(k))
            .sum();
        let engine = &tally.engines[i];
        Rating {
            name: engine.name.clone(),
            elo: ELO * (strength - mean),
            error: ELO * INTERVAL * variance.max(0.0).sqrt(),
            games: engine.results().games(),
        }
    };
    let mut ratings: Vec<Rating> = strengths.iter().enumerate().map(rating).collect();
    ratings.sort_by(|a, b| b.elo.total_cmp(&a.elo));
    ratings
}

/// The engines, in groups that are connected by games. Ratings of engines of different groups say nothing about which of
/// them is stronger: only the prior compares them.
pub fn connected_groups(tally: &Tally) -> Vec<Vec<String>> {
    let mut group_of: Vec<usize> = (0..tally.engines.len()).collect();
    for pairing in tally.pairings.iter().filter(|pairing| pairing.results.games() > 0) {
        let [a, b] = pairing.engines.map(|engine| group_of[engine]);
        group_of.iter_mut().filter(|group| **group == a.max(b)).for_each(|group| *group = a.min(b));
    }
    let mut groups = BTreeMap::<usize, Vec<String>>::new();
    for (engine, group) in tally.engines.iter().zip(group_of) {
        groups.entry(group).or_default().push(engine.name.clone());
    }
    groups.into_values().collect()
}

/// The probability of the strengths, given the games.
struct Posterior {
    /// The games and points of each engine against each other.
    meetings: Vec<Vec<(f64, f64)>>,
}

/// The expected score at a difference in strength.
fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// The logarithm of [`expected`].
fn log_expected(difference: f64) -> f64 {
    -(-difference.abs()).exp().ln_1p() + difference.min(0.0)
}

impl Posterior {
    /// Its logarithm, up to a constant.
    fn log(&self, strengths: &[f64]) -> f64 {
        let prior: f64 = strengths.iter().map(|&s| 0.5 * (log_expected(s) + log_expected(-s))).sum();
        let of_engine = |(row, &s): (&Vec<(f64, f64)>, &f64)| -> f64 {
            row.iter().zip(strengths).map(|(&(_, points), &t)| points * log_expected(s - t)).sum()
        };
        prior + self.meetings.iter().zip(strengths).map(of_engine).sum::<f64>()
    }

    fn gradient(&self, strengths: &[f64]) -> Vec<f64> {
        let of_engine = |(row, &s): (&Vec<(f64, f64)>, &f64)| -> f64 {
            let games: f64 =
                row.iter().zip(strengths).map(|(&(games, points), &t)| points - games * expected(s - t)).sum();
            games + 0.5 - expected(s)
        };
        self.meetings.iter().zip(strengths).map(of_engine).collect()
    }

    /// The negative second derivatives of the logarithm, a positive definite matrix.
    fn curvature(&self, strengths: &[f64]) -> Vec<Vec<f64>> {
        let slope = |difference: f64| expected(difference) * expected(-difference);
        let mut matrix = vec![vec![0.0; strengths.len()]; strengths.len()];
        for (i, row) in self.meetings.iter().enumerate() {
            matrix[i][i] += slope(strengths[i]);
            for (j, &(games, _)) in row.iter().enumerate().filter(|&(j, _)| j != i) {
                let information = games * slope(strengths[i] - strengths[j]);
                matrix[i][i] += information;
                matrix[i][j] -= information;
            }
        }
        matrix
    }

    /// The most probable strengths, by Newton's method. The logarithm is strictly concave, so there is one maximum, and
    /// a step that is short enough always leads up.
    fn maximum(&self) -> Vec<f64> {
        let mut strengths = vec![0.0; self.meetings.len()];
        for _ in 0..MOST_STEPS {
            let inverse = inverse(self.curvature(&strengths));
            let gradient = self.gradient(&strengths);
            let step: Vec<f64> =
                inverse.iter().map(|row| row.iter().zip(&gradient).map(|(a, g)| a * g).sum()).collect();
            let here = self.log(&strengths);
            let at = |length: f64| -> Vec<f64> { strengths.iter().zip(&step).map(|(s, d)| s + length * d).collect() };
            let lengths = std::iter::successors(Some(1.0), |length| Some(length / 2.0)).take(40);
            let Some(next) = lengths.map(at).find(|next| self.log(next) >= here) else { break };
            strengths = next;
            if step.iter().all(|d| d.abs() < 1e-9) {
                break;
            }
        }
        strengths
    }
}

/// The inverse of a symmetric positive definite matrix, by Gauss and Jordan's elimination.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let count = matrix.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..count).map(|i| (0..count).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect();
    for i in 0..count {
        let pivot = matrix[i][i];
        for values in [&mut matrix[i], &mut inverse[i]] {
            values.iter_mut().for_each(|value| *value /= pivot);
        }
        let (row, row_of_inverse) = (matrix[i].clone(), inverse[i].clone());
        for j in (0..count).filter(|&j| j != i) {
            let factor = matrix[j][i];
            matrix[j].iter_mut().zip(&row).for_each(|(value, of_row)| *value -= factor * of_row);
            inverse[j].iter_mut().zip(&row_of_inverse).for_each(|(value, of_row)| *value -= factor * of_row);
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::arena::statistics::Results;
    use crate::tools::arena::tally::PairingTally;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// A tally of these results: wins, draws and losses of one engine against another.
    fn tally(engines: usize, pairings: &[(usize, usize, [u64; 3])]) -> Tally {
        let names: Vec<String> = (0..engines).map(|i| ((b'A' + i as u8) as char).to_string()).collect();
        let mut tally = Tally::new(names.iter().map(String::as_str));
        for &(a, b, [wins, draws, losses]) in pairings {
            let results = Results { wins, draws, losses };
            tally.engines[a].by_color[0] += results;
            tally.engines[b].by_color[1] += results.reversed();
            tally.pairings.push(PairingTally { engines: [a, b], results, ..PairingTally::default() });
        }
        tally
    }

    fn elo_of(ratings: &[Rating], name: &str) -> f64 {
        ratings.iter().find(|rating| rating.name == name).unwrap().elo
    }

    #[test]
    fn two_engines_differ_by_the_elo_of_their_score() {
        let found = ratings(&tally(2, &[(0, 1, [700, 100, 200])]));
        // A score of 75 % is 190.8 Elo; the prior takes half a point in a thousand games.
        let difference = found[0].elo - found[1].elo;
        assert!((difference - 190.8).abs() < 0.5, "{difference}");
        assert_eq!((found[0].name.as_str(), found[0].games), ("A", 1000));
        // The deviation of the difference is 1/√(n·s·(1 − s)) units, and each rating is half of the difference.
        let expected = INTERVAL * ELO / (1000.0f64 * 0.75 * 0.25).sqrt() / 2.0;
        assert!(found.iter().all(|rating| (rating.error / expected - 1.0).abs() < 0.01), "{found:?} {expected}");
    }

    /// Engines that have not met are compared through a third.
    #[test]
    fn differences_add_up_along_a_chain() {
        let found = ratings(&tally(3, &[(0, 1, [750, 0, 250]), (1, 2, [750, 0, 250])]));
        let difference = elo_of(&found, "A") - elo_of(&found, "C");
        assert!((difference - 2.0 * 190.8).abs() < 2.0, "{difference}");
        assert!(found.iter().map(|rating| rating.elo).sum::<f64>().abs() < 1e-6);
    }

    #[test]
    fn ratings_are_finite_whoever_wins_all_and_whoever_has_not_met() {
        let found = ratings(&tally(5, &[(0, 1, [10, 0, 0]), (1, 2, [10, 0, 0]), (3, 4, [0, 0, 1])]));
        assert!(found.iter().all(|rating| rating.elo.is_finite() && rating.error.is_finite() && rating.error > 0.0));
        assert_eq!(found.iter().map(|rating| rating.name.as_str()).collect::<String>()[..1], *"A");
        let more = ratings(&tally(5, &[(0, 1, [20, 0, 0]), (1, 2, [10, 0, 0]), (3, 4, [0, 0, 1])]));
        assert!(elo_of(&more, "A") - elo_of(&more, "B") > elo_of(&found, "A") - elo_of(&found, "B"));
    }

    #[test]
    fn engines_are_grouped_by_whom_they_met() {
        let groups = |pairings: &[(usize, usize, [u64; 3])]| -> Vec<String> {
            connected_groups(&tally(5, pairings)).iter().map(|group| group.concat()).collect()
        };
        assert_eq!(groups(&[(0, 1, [1, 0, 0]), (3, 4, [0, 1, 0])]), ["AB", "C", "DE"]);
        assert_eq!(groups(&[(3, 4, [1, 0, 0]), (0, 1, [1, 0, 0]), (4, 1, [0, 0, 1])]), ["ABDE", "C"]);
        // A pairing that is planned, but has no game yet, connects nobody.
        assert_eq!(groups(&[(0, 1, [1, 0, 0]), (1, 2, [0, 0, 0])]), ["AB", "C", "D", "E"]);
    }

    #[test]
    fn a_better_result_never_lowers_a_rating() {
        let rest = [(1, 2, [5, 1, 3]), (0, 2, [4, 2, 4])];
        let mut before = f64::NEG_INFINITY;
        for points in 0..=20 {
            let results = [points / 2, points % 2, 10 - points / 2 - points % 2];
            let found = ratings(&tally(3, &[(0, 1, results), rest[0], rest[1]]));
            assert!(elo_of(&found, "A") > before);
            before = elo_of(&found, "A");
        }
    }

    /// Of many matches between engines of known strength, 95 % of the intervals contain it.
    #[test]
    fn intervals_contain_the_true_strengths() {
        let strengths = [120.0, 40.0, -30.0, -130.0];
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let (mut inside, mut all) = (0, 0);
        for _ in 0..300 {
            let mut pairings = Vec::new();
            for (i, j) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)] {
                let score = expected((strengths[i] - strengths[j]) / ELO);
                let wins = (0..60).filter(|_| rng.random_bool(score)).count() as u64;
                pairings.push((i, j, [wins, 0, 60 - wins]));
            }
            for rating in ratings(&tally(4, &pairings)) {
                let truth = strengths[usize::from(rating.name.as_bytes()[0] - b'A')];
                all += 1;
                inside += u32::from((rating.elo - truth).abs() < rating.error);
            }
        }
        let share = f64::from(inside) / f64::from(all);
        assert!((0.92..=0.98).contains(&share), "{share}");
    }
}
