//! Statistics of match results: score, Elo difference with its confidence interval, likelihood of superiority, and the
//! sequential probability ratio test.
//!
//! # Pairs, not games
//!
//! Two games from one opening with colours exchanged are not independent: an opening that favours white yields a win
//! and a loss. The unit is therefore the pair. A pair scores 0, ¼, ½, ¾ or 1 for an engine, and the *pentanomial*
//! counts how often each score occurred. For n pairs with scores aᵢ and relative frequencies p̂ᵢ, the score s = Σ p̂ᵢaᵢ
//! has variance σ² = Σ p̂ᵢ(aᵢ − s)² per pair.
//!
//! # Openings, not pairs
//!
//! Pairs from the same opening are not independent either: two engines that always answer alike play the same two games
//! again. If openings repeat, the unit is the opening, and its score is the mean score of its pairs (a *cluster*). So
//! ten repetitions of a pair count as one pair, and pairs that differ from each other make the score of their opening
//! more exact. The true score is that over all openings of this kind. Below, a *unit* is an opening with its pairs, and
//! with one pair for each opening it is a pair.
//!
//! On the empty board there is no choice of openings, and engines that draw their moves at random may repeat two games
//! by chance. The true score is then that of all pairs. Their mean estimates it, however often some of them repeat. But
//! there are only as many units as there are different pairs: of n pairs, d of them different, each is d/n units.
//!
//! # Elo
//!
//! A score s corresponds to an Elo difference of −400·log₁₀(1/s − 1). Its 95 % interval and the likelihood of
//! superiority, the probability that the true score is above ½, come from one distribution of the true score: the
//! posterior of the numbers nᵢ of units with the score aᵢ under Jeffreys' prior, in which the probabilities pᵢ of the
//! scores have a Dirichlet distribution with the parameters nᵢ + ½ for the five scores of a pair and nᵢ for others. So
//! they agree with each other, hold for three units as well as for a thousand, and never fall when a result gets
//! better: `ScoreDistribution::above` says why. For many units, the interval is s ± 1.96·σ/√n.
//!
//! The *normalized* Elo difference (s − ½)/(√2·σ)·800/ln 10 measures how quickly a match can tell the engines apart. It
//! is defined per game, hence the √2.
//!
//! # SPRT
//!
//! Wald's test of H0 (the Elo difference is `elo0`) against H1 (it is `elo1`) continues while the log-likelihood ratio
//! LLR lies between ln(β/(1 − α)) and ln((1 − β)/α). It then accepts H1 wrongly with probability α and H0 wrongly with
//! probability β. The likelihood of a score s is the maximum over all distributions of the scores of units with mean s
//! (a *generalized* SPRT).
//!
//! Sources:
//! - A. Wald, *Sequential Tests of Statistical Hypotheses*, Annals of Mathematical Statistics 16 (1945).
//! - M. Van den Bergh, *Comparing the approximations for the generalized log likelihood ratio of a multinomial
//!   distribution*, <https://www.cantate.be/Fishtest/comparing_approximations.pdf>: Proposition 1.1 is
//!   `most_likely` here.
//! - D. B. Rubin, *The Bayesian Bootstrap*, Annals of Statistics 9 (1981): the same posterior without a prior, for
//!   scores of any kind.
//! - H. Jeffreys, *An Invariant Form for the Prior Probability in Estimation Problems*, Proceedings of the Royal
//!   Society A 186 (1946).
//! - J. P. Imhof, *Computing the Distribution of Quadratic Forms in Normal Variables*, Biometrika 48 (1961): the
//!   integral of `ScoreDistribution::above`, there for sums of χ² variables, which are gamma variables.
//! - M. Van den Bergh, *Comments on normalized Elo*, <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>.
//! - Chess Programming Wiki, *Match Statistics*, <https://www.chessprogramming.org/Match_Statistics>.
//! - The chess match runner fastchess; the tests of this module check some of its test values.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::tools::ToolError;

/// The possible scores of a pair of games.
const PAIR_SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Wins, draws and losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Results {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Results {
    /// The number of games.
    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// One point per win, half a point per draw.
    pub fn points(self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// The same results from the opponent's point of view.
    #[must_use]
    pub fn reversed(self) -> Results {
        Results { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

impl std::ops::AddAssign for Results {
    fn add_assign(&mut self, other: Results) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// The number of pairs of games in which an engine scored 0, ½, 1, 1½ and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// The number of pairs.
    pub fn pairs(self) -> u64 {
        self.0.iter().sum()
    }

    /// The same results from the opponent's point of view.
    #[must_use]
    pub fn reversed(mut self) -> Pentanomial {
        self.0.reverse();
        self
    }

    /// The mean score of the pairs, and the variance of the score of a single pair.
    fn moments(self) -> (f64, f64) {
        let n = self.pairs() as f64;
        let mean = |f: &dyn Fn(f64) -> f64| -> f64 {
            self.0.iter().zip(PAIR_SCORES).map(|(&count, a)| count as f64 * f(a)).sum::<f64>() / n
        };
        let score = mean(&|a| a);
        (score, mean(&|a| (a - score).powi(2)))
    }
}

impl std::ops::AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Pentanomial) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += b);
    }
}

/// An engine's pairs of games, by opening.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    pairs: Pentanomial,
    by_opening: HashMap<u64, Pentanomial>,
    /// The mean score of each opening.
    scores: Scores,
    from_empty_board: Pentanomial,
    different: HashSet<u64>,
}

impl Sample {
    /// Adds a pair in which the engine scored this many half points, at most four. Openings are told apart by their
    /// numbers, which may be hashes.
    pub fn add(&mut self, opening: u64, half_points: usize) {
        let of_opening = self.by_opening.entry(opening).or_default();
        if of_opening.pairs() > 0 {
            self.scores.add(of_opening.moments().0, -1.0);
        }
        of_opening.0[half_points] += 1;
        self.pairs.0[half_points] += 1;
        self.scores.add(of_opening.moments().0, 1.0);
    }

    /// Adds a pair from the empty board. Pairs with the same number, which may be a hash, consist of the same two games.
    pub fn add_from_empty_board(&mut self, games: u64, half_points: usize) {
        self.different.insert(games);
        self.from_empty_board.0[half_points] += 1;
        self.pairs.0[half_points] += 1;
    }

    /// All pairs.
    pub fn pairs(&self) -> Pentanomial {
        self.pairs
    }

    /// The number of units: of openings, and of different pairs from the empty board.
    pub fn units(&self) -> u64 {
        (self.by_opening.len() + self.different.len()) as u64
    }

    /// The scores of the units.
    fn scores(&self) -> Scores {
        let mut scores = self.scores.clone();
        let pairs = self.from_empty_board.pairs() as f64;
        for (count, score) in self.from_empty_board.0.into_iter().zip(PAIR_SCORES).filter(|&(count, _)| count > 0) {
            scores.add(score, count as f64 * self.different.len() as f64 / pairs);
        }
        scores
    }
}

/// Scores of independent units in [0, 1], each with its weight, in ascending order.
#[derive(Clone, Debug, Default, PartialEq)]
struct Scores(BTreeMap<u64, f64>);

impl Scores {
    fn add(&mut self, score: f64, weight: f64) {
        // The bits of numbers that are not negative have the order of the numbers. Equal fractions round alike.
        let key = score.to_bits();
        let sum = self.0.entry(key).or_default();
        *sum += weight;
        if *sum == 0.0 {
            self.0.remove(&key);
        }
    }

    /// With this weight added to each score that a pair can have.
    fn with_prior(mut self, weight: impl Fn(f64) -> f64) -> Scores {
        for score in PAIR_SCORES {
            let present = self.0.get(&score.to_bits()).copied().unwrap_or_default();
            self.add(score, weight(present));
        }
        self
    }

    fn iter(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.0.iter().map(|(&score, &weight)| (f64::from_bits(score), weight))
    }

    fn sum(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.iter().map(|(score, weight)| weight * f(score)).sum()
    }
}

/// An estimate of an engine's strength against its opponents, from pairs of games. Values may be infinite; JSON shows
/// these as `null`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean score of the pairs, in [0, 1].
    pub score: f64,
    /// The Elo difference that corresponds to the score.
    pub elo: f64,
    /// The lower end of the 95 % interval of the Elo difference.
    pub elo_low: f64,
    /// The upper end of the interval.
    pub elo_high: f64,
    /// The normalized Elo difference; NaN or infinite (`null` in JSON) if all pairs had the same score.
    pub normalized_elo: f64,
    /// The likelihood of superiority: the probability, in [0, 1], that the engine is the stronger one.
    pub los: f64,
}

impl Estimate {
    /// The estimate from these pairs, or `None` if there are none.
    ///
    /// The interval has 2.5 % of the distribution of the true score on either side. It is widened to include the score
    /// of the pairs if that is outside: nothing speaks against 1 if all pairs were won.
    pub fn new(sample: &Sample) -> Option<Estimate> {
        if sample.pairs().pairs() == 0 {
            return None;
        }
        let (score, variance) = sample.pairs().moments();
        let distribution = ScoreDistribution::new(sample);
        Some(Estimate {
            score,
            elo: elo_of_score(score),
            elo_low: elo_of_score(distribution.quantile(0.025).min(score)),
            elo_high: elo_of_score(distribution.quantile(0.975).max(score)),
            normalized_elo: (score - 0.5) / (2.0 * variance).sqrt() * 800.0 / std::f64::consts::LN_10,
            los: distribution.above(0.5),
        })
    }

    /// Half the width of the 95 % interval.
    pub fn elo_error(&self) -> f64 {
        (self.elo_high - self.elo_low) / 2.0
    }
}

/// What is known about an engine's true score: Σ pᵢaᵢ, where the probabilities pᵢ of the scores have a Dirichlet
/// distribution. The weights are its parameters.
struct ScoreDistribution(Scores);

impl ScoreDistribution {
    fn new(sample: &Sample) -> ScoreDistribution {
        ScoreDistribution(sample.scores().with_prior(|_| 0.5))
    }

    /// The mean and the standard deviation.
    fn moments(&self) -> (f64, f64) {
        let total = self.0.sum(|_| 1.0);
        let mean = self.0.sum(|a| a) / total;
        (mean, (self.0.sum(|a| (a - mean).powi(2)) / total / (total + 1.0)).sqrt())
    }

    /// The probability that the true score is above `bound`.
    ///
    /// If the Gᵢ are independent gamma variables with the weights as shapes, pᵢ is Gᵢ/Σ Gⱼ. So this is the probability
    /// that Q = Σ cᵢGᵢ is positive, where cᵢ = aᵢ − bound. A further unit adds a positive variable times its cᵢ to Q,
    /// and a better score has a greater one: a better result makes Q greater, and so its probability at every bound.
    ///
    /// The characteristic function of Q has the argument θ(u) = Σ wᵢ·atan(cᵢu) and the modulus 1/ρ(u), where ρ(u) is
    /// Π (1 + cᵢ²u²)^(wᵢ/2). The probability is ½ + 1/π ∫ sin θ(u)/(u·ρ(u)) du over the positive u. With y = ln u, the
    /// integrand falls off on both sides, and the sum over equal steps converges faster than any power of the step.
    fn above(&self, bound: f64) -> f64 {
        let (mean, deviation) = self.moments();
        // How many waves of the integrand matter. With more than 40, the answer is 0 or 1 to all digits.
        let waves = ((mean - bound) / deviation).abs();
        if waves > 40.0 {
            return if mean > bound { 1.0 } else { 0.0 };
        }
        let step = 0.1f64.min(0.6 / waves);
        let factors: Vec<(f64, f64)> = self.0.iter().map(|(a, w)| (a - bound, w)).collect();
        let scale = factors.iter().map(|(c, w)| w * c * c).sum::<f64>().sqrt();
        let mut sum = 0.0;
        for i in 0.. {
            let u = (step * f64::from(i) - 24.0).exp() / scale;
            let (mut angle, mut log_modulus) = (0.0, 0.0);
            for (c, w) in &factors {
                angle += w * (c * u).atan();
                log_modulus += w / 2.0 * (c * u).powi(2).ln_1p();
            }
            if log_modulus > 32.0 {
                break;
            }
            sum += angle.sin() * (-log_modulus).exp();
        }
        (0.5 + sum * step / std::f64::consts::PI).clamp(0.0, 1.0)
    }

    /// The score below which the true score lies with this probability, which must be from 0.025 to 0.975.
    fn quantile(&self, probability: f64) -> f64 {
        // By Cantelli's inequality, 2.5 % of any distribution are within √39 deviations.
        let (mean, deviation) = self.moments();
        let (mut low, mut high) = ((mean - 6.25 * deviation).max(0.0), (mean + 6.25 * deviation).min(1.0));
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            if self.above(middle) > 1.0 - probability { low = middle } else { high = middle }
        }
        (low + high) / 2.0
    }
}

/// The Elo difference that corresponds to a score: −∞ for 0 and below, +∞ for 1 and above.
fn elo_of_score(score: f64) -> f64 {
    match score {
        s if s <= 0.0 => f64::NEG_INFINITY,
        s if s >= 1.0 => f64::INFINITY,
        s => 400.0 * (s / (1.0 - s)).log10(),
    }
}

/// The expected score, in [0, 1], at an Elo difference.
fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// A sequential probability ratio test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// The Elo difference under H0.
    pub elo0: f64,
    /// The Elo difference under H1, greater than `elo0`.
    pub elo1: f64,
    /// The probability of accepting H1 when H0 is true.
    pub alpha: f64,
    /// The probability of accepting H0 when H1 is true.
    pub beta: f64,
}

/// The verdict of a test so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// More games are needed.
    Undecided,
    /// H0 is accepted: the difference is `elo0` rather than `elo1`.
    H0,
    /// H1 is accepted: the difference is `elo1` rather than `elo0`.
    H1,
}

impl Sprt {
    /// The bounds of the LLR: the test accepts H0 at or below the first and H1 at or above the second.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of H1 to H0; 0 without any pair. Scores of pairs that did not occur count as a
    /// thousandth of a unit, which keeps the ratio finite.
    pub fn llr(&self, sample: &Sample) -> f64 {
        if sample.pairs().pairs() == 0 {
            return 0.0;
        }
        let counts = sample.scores().with_prior(|count| if count == 0.0 { 1e-3 } else { 0.0 });
        let counts: Vec<(f64, f64)> = counts.iter().collect();
        let p0 = most_likely(&counts, score_of_elo(self.elo0));
        let p1 = most_likely(&counts, score_of_elo(self.elo1));
        counts.iter().zip(p0.iter().zip(&p1)).map(|((_, count), (p0, p1))| count * (p1 / p0).ln()).sum()
    }

    /// The verdict on these results.
    pub fn decide(&self, sample: &Sample) -> Decision {
        let (lower, upper) = self.bounds();
        match self.llr(sample) {
            llr if llr >= upper => Decision::H1,
            llr if llr <= lower => Decision::H0,
            _ => Decision::Undecided,
        }
    }
}

impl FromStr for Sprt {
    type Err = ToolError;

    /// Parses `ELO0,ELO1[,ALPHA,BETA]`. Both probabilities default to 0.05.
    fn from_str(text: &str) -> Result<Sprt, ToolError> {
        let numbers: Vec<f64> = text
            .split(',')
            .map(|number| {
                number
                    .trim()
                    .parse()
                    .map_err(|_| format!("invalid number '{number}' (expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA)"))
            })
            .collect::<Result<_, String>>()?;
        let (elo0, elo1, alpha, beta) = match numbers[..] {
            [elo0, elo1] => (elo0, elo1, 0.05, 0.05),
            [elo0, elo1, alpha, beta] => (elo0, elo1, alpha, beta),
            _ => return Err("expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA".into()),
        };
        let finite = elo0.is_finite() && elo1.is_finite();
        if !(finite && elo0 < elo1) {
            return Err("ELO0 must be less than ELO1".into());
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err("ALPHA and BETA must be positive and their sum less than 1".into());
        }
        Ok(Sprt { elo0, elo1, alpha, beta })
    }
}

/// The maximum-likelihood distribution over scores aᵢ, given that its mean is `s` and how often each score was
/// observed, which must be positive. With the relative frequencies p̂ᵢ it is p̂ᵢ/(1 + θ(aᵢ − s)), where θ solves Σ
/// p̂ᵢ(aᵢ − s)/(1 + θ(aᵢ − s)) = 0. The scores include 0 and 1, so the sum falls from +∞ to −∞ as θ grows from −1/(1 −
/// s) to 1/s, and bisection finds θ.
fn most_likely(counts: &[(f64, f64)], s: f64) -> Vec<f64> {
    let total: f64 = counts.iter().map(|(_, count)| count).sum();
    let slope = |theta: f64| -> f64 { counts.iter().map(|(a, n)| n / total * (a - s) / (1.0 + theta * (a - s))).sum() };
    let (mut low, mut high) = (-1.0 / (1.0 - s), 1.0 / s);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    let theta = (low + high) / 2.0;
    counts.iter().map(|(a, n)| n / total / (1.0 + theta * (a - s))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    fn near(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} is not {b}");
    }

    /// Pairs from as many openings.
    fn sample(pairs: [u64; 5]) -> Sample {
        by_opening((0..5).flat_map(|score| (0..pairs[score]).map(move |_| score)).enumerate())
    }

    /// Pairs with the numbers of their openings.
    fn by_opening(pairs: impl IntoIterator<Item = (usize, usize)>) -> Sample {
        let mut sample = Sample::default();
        pairs.into_iter().for_each(|(opening, half_points)| sample.add(opening as u64, half_points));
        sample
    }

    fn estimate(pairs: [u64; 5]) -> Estimate {
        Estimate::new(&sample(pairs)).unwrap()
    }

    #[test]
    fn elo_and_score_convert_both_ways() {
        near(elo_of_score(0.5), 0.0, 1e-12);
        near(elo_of_score(10.0 / 11.0), 400.0, 1e-9);
        near(elo_of_score(0.75), 190.848_501_887_865, 1e-9);
        near(score_of_elo(-190.848_501_887_865), 0.25, 1e-12);
        assert_eq!(elo_of_score(1.2), f64::INFINITY);
    }

    /// Values of fastchess's own tests (app/tests/elo_test.cpp). fastchess assumes that the score is normally
    /// distributed; with this many pairs, the intervals differ by less than 1 %.
    #[test]
    fn estimates_agree_with_fastchess() {
        for (pairs, elo, error, normalized, los) in [
            ([34, 54, 63, 64, 75], 55.58, 27.65, 57.94, 1.0),
            ([332, 433, 498, 333, 334], -8.64, 10.33, -9.17, 0.0505),
            ([7895, 8757, 5685, 568, 9999], -21.04, 2.95, -19.01, 0.0),
        ] {
            let estimate = estimate(pairs);
            near(estimate.elo, elo, 0.006);
            near(estimate.elo_error(), error, 0.01 * error);
            near(estimate.normalized_elo, normalized, 0.006);
            near(estimate.los, los, 3e-4);
        }
    }

    /// With two scores, the distribution is that of a beta variable. Its half-integer quantiles have closed forms: with
    /// one of five weights at a half each, a match without any pair is the arcsine distribution between the outer two.
    #[test]
    fn the_distribution_of_the_score_matches_closed_forms() {
        let beta = |losses, wins| {
            let mut scores = Scores::default();
            scores.add(0.0, losses);
            scores.add(1.0, wins);
            ScoreDistribution(scores)
        };
        for bound in [0.1, 0.3, 0.5, 0.8f64] {
            let arcsine = 2.0 / std::f64::consts::PI * bound.sqrt().asin();
            near(beta(0.5, 0.5).above(bound), 1.0 - arcsine, 1e-9);
            near(beta(1.0, 1.0).above(bound), 1.0 - bound, 1e-9);
            near(beta(1.0, 7.0).above(bound), 1.0 - bound.powi(7), 1e-9);
            near(beta(2.0, 1.0).above(bound), (1.0 - bound).powi(2), 1e-9);
        }
        near(beta(1.0, 39.0).quantile(0.025), 0.025f64.powf(1.0 / 39.0), 1e-9);
    }

    /// For three and for five pairs, the interval holds the true score often enough, whatever the probabilities of the
    /// five scores are: counted over all results that can occur.
    #[test]
    fn the_interval_holds_the_true_score_of_few_pairs() {
        // The order of the pairs does not matter, so most sequences share their interval with others.
        let mut intervals = HashMap::new();
        for shares in [[0.2; 5], [0.25, 0.0, 0.5, 0.0, 0.25], [0.1, 0.1, 0.5, 0.1, 0.2], [0.05, 0.1, 0.3, 0.25, 0.3]] {
            let truth = elo_of_score(shares.iter().zip(PAIR_SCORES).map(|(p, a)| p * a).sum());
            for pairs in [3, 5] {
                let mut held = 0.0;
                for number in 0..5usize.pow(pairs) {
                    let scores = (0..pairs).map(|i| number / 5usize.pow(i) % 5);
                    let mut counts = [0; 5];
                    let mut probability = 1.0;
                    for score in scores {
                        counts[score] += 1;
                        probability *= shares[score];
                    }
                    if probability > 0.0 {
                        let interval = intervals.entry(counts).or_insert_with(|| {
                            let estimate = estimate(counts);
                            estimate.elo_low..=estimate.elo_high
                        });
                        held += probability * f64::from(interval.contains(&truth));
                    }
                }
                assert!(held >= 0.95, "{shares:?}, {pairs} pairs: {held}");
            }
        }
    }

    /// Two engines that play the same games again learn nothing new from them, however often they do.
    #[test]
    fn repeated_pairs_count_once() {
        let once = [(0, 4), (1, 2), (2, 3), (3, 0)];
        let again = once.iter().copied().cycle().take(400);
        let (once, again) = (by_opening(once), by_opening(again));
        assert_eq!((again.pairs().pairs(), again.units(), once.units()), (400, 4, 4));
        let [few, many] = [&once, &again].map(|sample| Estimate::new(sample).unwrap());
        assert_eq!((few.elo_low, few.elo_high, few.los), (many.elo_low, many.elo_high, many.los));
        let sprt: Sprt = "0,10".parse().unwrap();
        assert_eq!(sprt.llr(&once), sprt.llr(&again));
        // The same from the empty board.
        let mut from_empty_board = Sample::default();
        for _ in 0..100 {
            for (score, count) in once.pairs().0.into_iter().enumerate() {
                (0..count).for_each(|_| from_empty_board.add_from_empty_board(score as u64, score));
            }
        }
        assert_eq!((from_empty_board.pairs().pairs(), from_empty_board.units()), (400, 4));
        near(Estimate::new(&from_empty_board).unwrap().elo_low, few.elo_low, 1e-9);
        near(sprt.llr(&from_empty_board), sprt.llr(&once), 1e-9);
    }

    /// Sixty times the same two games, both won, and forty different pairs, of which sixteen are won: the engine is
    /// clearly stronger, though it lost most of the different pairs.
    #[test]
    fn pairs_that_repeat_on_the_empty_board_keep_the_score() {
        let mut sample = Sample::default();
        (0..60).for_each(|_| sample.add_from_empty_board(0, 4));
        (1..=40).for_each(|number| sample.add_from_empty_board(number, if number <= 16 { 4 } else { 0 }));
        assert_eq!((sample.pairs(), sample.units()), (Pentanomial([24, 0, 0, 0, 76]), 41));
        let estimate = Estimate::new(&sample).unwrap();
        assert!(estimate.los > 0.99 && estimate.elo_low > 0.0 && (190.0..210.0).contains(&estimate.elo));
        // Less is known than from a hundred different pairs.
        assert!(
            estimate.elo_low
                < Estimate::new(&by_opening([4; 76].into_iter().chain([0; 24]).enumerate())).unwrap().elo_low
        );
        let sprt: Sprt = "0,100".parse().unwrap();
        assert_eq!(sprt.decide(&sample), Decision::H1);
    }

    /// If pairs of an opening have nothing in common, twenty for each of fifty openings are worth nearly as much as one
    /// for each of a thousand. The prior, which counts whole pairs, makes the interval somewhat wider.
    #[test]
    fn different_pairs_of_an_opening_make_its_score_more_exact() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let pairs: Vec<usize> = (0..1000).map(|_| rng.random_range(0..5)).collect();
        let error = |openings: usize| {
            let pairs = pairs.iter().enumerate().map(|(i, &pair)| (i % openings, pair));
            Estimate::new(&by_opening(pairs)).unwrap().elo_error()
        };
        let [one_each, repeated] = [1000, 50].map(error);
        let one_each_of_fifty =
            Estimate::new(&by_opening(pairs[..50].iter().copied().enumerate())).unwrap().elo_error();
        assert!((1.0..1.5).contains(&(repeated / one_each)), "{one_each}, {repeated}");
        assert!(repeated < 0.4 * one_each_of_fifty, "{repeated}, {one_each_of_fifty}");
    }

    /// Fifteen openings, of which some favour an engine, with eight pairs each: the interval holds the true score over
    /// all openings in at least 95 of 100 matches, and one that takes the pairs as independent does not.
    #[test]
    fn the_interval_holds_the_true_score_when_openings_repeat() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        const MATCHES: usize = 300;
        let [mut held, mut held_by_pairs] = [0; 2];
        for _ in 0..MATCHES {
            // The better engine wins the pairs of an opening in two of three cases, and otherwise loses or draws.
            let favours: Vec<bool> = (0..15).map(|_| rng.random_range(0..3) < 2).collect();
            let pairs: Vec<(usize, usize)> =
                (0..120).map(|i| (i % 15, if favours[i % 15] { 4 } else { rng.random_range(0..3) })).collect();
            let truth = elo_of_score(2.0 / 3.0 + 1.0 / 3.0 * 0.25);
            let holds = |sample: &Sample| {
                let estimate = Estimate::new(sample).unwrap();
                usize::from((estimate.elo_low..=estimate.elo_high).contains(&truth))
            };
            held += holds(&by_opening(pairs.iter().copied()));
            held_by_pairs += holds(&by_opening(pairs.iter().map(|pair| pair.1).enumerate()));
        }
        assert!(held >= MATCHES * 95 / 100 && held_by_pairs < MATCHES * 70 / 100, "{held}, {held_by_pairs}");
    }

    /// A pair that scores more, or another pair that is won, lowers neither end of the interval nor the likelihood,
    /// whether openings repeat or not.
    #[test]
    fn a_better_result_never_has_a_lower_bound() {
        let check = |worse: &Sample, better: &Sample| {
            let figures = |sample| {
                let estimate = Estimate::new(sample).unwrap();
                [estimate.elo, estimate.elo_low, estimate.elo_high, estimate.los]
            };
            for (worse_figure, better_figure) in figures(worse).into_iter().zip(figures(better)) {
                let is_kept = better_figure >= worse_figure - 1e-6 * worse_figure.abs().max(1.0);
                assert!(
                    is_kept || better_figure == worse_figure,
                    "{worse:?}, {better:?}: {worse_figure}, {better_figure}"
                );
            }
        };
        // Ten won pairs, and nine of them with a draw or a loss; the same of 24.
        check(&sample([0, 0, 0, 1, 9]), &sample([0, 0, 0, 0, 10]));
        check(&sample([0, 0, 1, 0, 9]), &sample([0, 0, 0, 1, 9]));
        check(&sample([0, 0, 0, 1, 23]), &sample([0, 0, 0, 0, 24]));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..300 {
            let most: u64 = [2, 5, 20, 500][rng.random_range(0..4)];
            let mut worse: [u64; 5] = std::array::from_fn(|_| rng.random_range(0..=most));
            let score = rng.random_range(0..4);
            worse[score] += 1;
            let mut better = worse;
            better[score] -= 1;
            better[rng.random_range(score + 1..5)] += 1;
            check(&sample(worse), &sample(better));
            better = worse;
            better[4] += 1;
            check(&sample(worse), &sample(better));
        }
        for _ in 0..300 {
            let openings = rng.random_range(1..6);
            let mut pairs: Vec<(usize, usize)> =
                (0..rng.random_range(1..20)).map(|_| (rng.random_range(0..openings), rng.random_range(0..5))).collect();
            let worse = by_opening(pairs.iter().copied());
            pairs.push((rng.random_range(0..=openings), 4));
            check(&worse, &by_opening(pairs.iter().copied()));
            pairs.pop();
            let better = rng.random_range(0..pairs.len());
            pairs[better].1 = rng.random_range(pairs[better].1..5);
            check(&worse, &by_opening(pairs));
        }
    }

    #[test]
    fn the_opponents_estimate_is_the_mirror_image() {
        let (mine, theirs) = (estimate([3, 1, 4, 1, 5]), estimate([5, 1, 4, 1, 3]));
        near(mine.elo, -theirs.elo, 1e-9);
        near(mine.elo_low, -theirs.elo_high, 1e-9);
        near(mine.los, 1.0 - theirs.los, 1e-9);
    }

    #[test]
    fn pairs_with_equal_scores_have_an_interval() {
        assert_eq!(Estimate::new(&Sample::default()), None);
        let all_won = estimate([0, 0, 0, 0, 10]);
        assert_eq!((all_won.elo, all_won.elo_high), (f64::INFINITY, f64::INFINITY));
        near(all_won.elo_low, 169.063, 1e-3);
        let all_even = estimate([0, 0, 10, 0, 0]);
        near(all_even.elo, 0.0, 1e-9);
        near(all_even.elo_low, -all_even.elo_high, 1e-9);
        near(all_even.los, 0.5, 1e-12);
    }

    /// Values from fastchess's own tests (app/tests/sprt_test.cpp), model "logistic".
    #[test]
    fn likelihood_ratios_agree_with_fastchess() {
        let sprt: Sprt = "0.5,2.5".parse().unwrap();
        near(sprt.llr(&sample([223, 9863, 21279, 10037, 246])), -3.07, 0.031);
        let sprt: Sprt = "0,2,0.05,0.05".parse().unwrap();
        near(sprt.llr(&sample([871, 26175, 55983, 26678, 821])), -4.98, 0.05);
    }

    /// If only 0 and 2 points occur, the maximum-likelihood distribution with mean s is (1 − s, s), so the LLR of w
    /// pairs won and l lost is w·ln(s₁/s₀) + l·ln((1 − s₁)/(1 − s₀)). With elo0 = 0 and elo1 = 400·log₁₀(3), s₀ is 0.5
    /// and s₁ is 0.75, so 30 wins and 10 losses give 30·ln 1.5 + 10·ln 0.5 = 5.2325. The thousandths of a pair added
    /// for the other outcomes are within the tolerance.
    #[test]
    fn the_likelihood_ratio_matches_a_hand_calculation() {
        let sprt = Sprt { elo0: 0.0, elo1: 400.0 * 3f64.log10(), alpha: 0.05, beta: 0.05 };
        near(sprt.llr(&sample([10, 0, 0, 0, 30])), 30.0 * 1.5f64.ln() + 10.0 * 0.5f64.ln(), 5e-3);
        assert_eq!(sprt.llr(&sample([0; 5])), 0.0);
    }

    #[test]
    fn most_likely_distributions_have_the_given_mean_and_sum_to_one() {
        let counts = [(0.0, 1.0), (0.25, 2.0), (0.4, 3.0), (0.75, 2.5), (1.0, 1.5)];
        for s in [0.1, 0.45, 0.5, 0.55, 0.99] {
            let p = most_likely(&counts, s);
            near(p.iter().sum(), 1.0, 1e-9);
            near(p.iter().zip(counts).map(|(p, (a, _))| p * a).sum(), s, 1e-9);
        }
    }

    #[test]
    fn the_test_ends_at_walds_bounds() {
        let sprt: Sprt = "0,10".parse().unwrap();
        let (lower, upper) = sprt.bounds();
        near(lower, -(19f64.ln()), 1e-12);
        near(upper, 19f64.ln(), 1e-12);
        assert_eq!(sprt.decide(&sample([0; 5])), Decision::Undecided);
        assert_eq!(sprt.decide(&sample([100, 100, 1000, 600, 600])), Decision::H1);
        assert_eq!(sprt.decide(&sample([600, 600, 1000, 100, 100])), Decision::H0);
    }

    #[test]
    fn meaningless_tests_are_rejected() {
        for bad in ["5", "5,0", "0,5,0.6,0.6", "0,5,0,0.1", "a,b", "0,5,0.05", "0,inf", "nan,1"] {
            assert!(bad.parse::<Sprt>().is_err(), "{bad}");
        }
    }
}
