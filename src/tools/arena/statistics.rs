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
//! # Elo
//!
//! A score s corresponds to an Elo difference of −400·log₁₀(1/s − 1). Its 95 % interval and the likelihood of
//! superiority, the probability that the true score is above ½, come from one distribution of the true score: the
//! posterior of the counts nᵢ under Jeffreys' prior, in which the probabilities pᵢ of the five scores have a Dirichlet
//! distribution with the parameters nᵢ + ½. So they agree with each other, hold for three pairs as well as for a
//! thousand, and never fall when a result gets better: `ScoreDistribution::above` says why. For many pairs, the
//! interval is s ± 1.96·σ/√n.
//!
//! The *normalized* Elo difference (s − ½)/(√2·σ)·800/ln 10 measures how quickly a match can tell the engines apart. It
//! is defined per game, hence the √2.
//!
//! # SPRT
//!
//! Wald's test of H0 (the Elo difference is `elo0`) against H1 (it is `elo1`) continues while the log-likelihood ratio
//! LLR lies between ln(β/(1 − α)) and ln((1 − β)/α). It then accepts H1 wrongly with probability α and H0 wrongly with
//! probability β. The likelihood of a score s is the maximum over all distributions of the five outcomes with mean s (a
//! *generalized* SPRT).
//!
//! Sources:
//! - A. Wald, *Sequential Tests of Statistical Hypotheses*, Annals of Mathematical Statistics 16 (1945).
//! - M. Van den Bergh, *Comparing the approximations for the generalized log likelihood ratio of a multinomial
//!   distribution*, <https://www.cantate.be/Fishtest/comparing_approximations.pdf>: Proposition 1.1 is
//!   `most_likely` here.
//! - H. Jeffreys, *An Invariant Form for the Prior Probability in Estimation Problems*, Proceedings of the Royal Society
//!   A 186 (1946).
//! - J. P. Imhof, *Computing the Distribution of Quadratic Forms in Normal Variables*, Biometrika 48 (1961): the integral
//!   of `ScoreDistribution::above`, there for sums of χ² variables, which are gamma variables.
//! - M. Van den Bergh, *Comments on normalized Elo*, <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>.
//! - Chess Programming Wiki, *Match Statistics*, <https://www.chessprogramming.org/Match_Statistics>.
//! - The chess match runner fastchess; the tests of this module check some of its test values.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

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
    pub fn from_pairs(pairs: Pentanomial) -> Option<Estimate> {
        if pairs.pairs() == 0 {
            return None;
        }
        let (score, variance) = pairs.moments();
        let distribution = ScoreDistribution::from_pairs(pairs);
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

/// What is known about an engine's true score per pair: Σ pᵢaᵢ, where the probabilities pᵢ of the five scores have a
/// Dirichlet distribution.
struct ScoreDistribution {
    /// Its parameters: the number of pairs with each score, plus one half.
    weights: [f64; 5],
}

impl ScoreDistribution {
    fn from_pairs(pairs: Pentanomial) -> ScoreDistribution {
        ScoreDistribution { weights: pairs.0.map(|count| count as f64 + 0.5) }
    }

    /// The mean and the standard deviation.
    fn moments(&self) -> (f64, f64) {
        let total: f64 = self.weights.iter().sum();
        let weighted =
            |f: &dyn Fn(f64) -> f64| self.weights.iter().zip(PAIR_SCORES).map(|(w, a)| w * f(a)).sum::<f64>();
        let mean = weighted(&|a| a) / total;
        (mean, (weighted(&|a| (a - mean).powi(2)) / total / (total + 1.0)).sqrt())
    }

    /// The probability that the true score is above `bound`.
    ///
    /// If the Gᵢ are independent gamma variables with the weights as shapes, pᵢ is Gᵢ/Σ Gⱼ. So this is the probability
    /// that Q = Σ cᵢGᵢ is positive, where cᵢ = aᵢ − bound. A further pair adds a positive variable times its cᵢ to Q,
    /// and a better score has a greater one: a better result makes Q greater, and so its probability at every bound.
    ///
    /// The characteristic function of Q has the argument θ(u) = Σ wᵢ·atan(cᵢu) and the modulus 1/ρ(u), where ρ(u) is
    /// Π (1 + cᵢ²u²)^(wᵢ/2). The probability is ½ + 1/π ∫ sin θ(u)/(u·ρ(u)) du over the positive u. With y = ln u, the
    /// integrand falls off on both sides, and the sum over equal steps converges faster than any power of the step.
    fn above(&self, bound: f64) -> f64 {
        let factors = PAIR_SCORES.map(|a| a - bound);
        let (mean, deviation) = self.moments();
        // How many waves of the integrand matter. With more than 40, the answer is 0 or 1 to all digits.
        let waves = ((mean - bound) / deviation).abs();
        if waves > 40.0 {
            return if mean > bound { 1.0 } else { 0.0 };
        }
        let step = 0.1f64.min(0.6 / waves);
        let scale: f64 = self.weights.iter().zip(factors).map(|(w, c)| w * c * c).sum::<f64>().sqrt();
        let mut sum = 0.0;
        for i in 0.. {
            let u = (step * f64::from(i) - 24.0).exp() / scale;
            let (mut angle, mut log_modulus) = (0.0, 0.0);
            for (w, c) in self.weights.iter().zip(factors) {
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

    /// The score below which the true score is with this probability, which must be from 0.025 to 0.975.
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

    /// The log-likelihood ratio of H1 to H0; 0 without any pair. Outcomes that did not occur count as a thousandth of a
    /// pair, which keeps the ratio finite.
    pub fn llr(&self, pairs: Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let counts = pairs.0.map(|count| if count == 0 { 1e-3 } else { count as f64 });
        let n: f64 = counts.iter().sum();
        let shares = counts.map(|count| count / n);
        let p0 = most_likely(&shares, score_of_elo(self.elo0));
        let p1 = most_likely(&shares, score_of_elo(self.elo1));
        (0..5).map(|i| counts[i] * (p1[i] / p0[i]).ln()).sum()
    }

    /// The verdict on these results.
    pub fn decide(&self, pairs: Pentanomial) -> Decision {
        let (lower, upper) = self.bounds();
        match self.llr(pairs) {
            llr if llr >= upper => Decision::H1,
            llr if llr <= lower => Decision::H0,
            _ => Decision::Undecided,
        }
    }
}

impl FromStr for Sprt {
    type Err = String;

    /// Parses `ELO0,ELO1[,ALPHA,BETA]`. Both probabilities default to 0.05.
    fn from_str(text: &str) -> Result<Sprt, String> {
        let numbers: Vec<f64> = text
            .split(',')
            .map(|number| number.trim().parse().map_err(|_| format!("invalid number '{number}'")))
            .collect::<Result<_, _>>()?;
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

/// The maximum-likelihood distribution over the scores aᵢ of a pair, given that its mean is `s` and that the observed
/// frequencies are p̂ᵢ, all positive: p̂ᵢ/(1 + θ(aᵢ − s)), where θ solves Σ p̂ᵢ(aᵢ − s)/(1 + θ(aᵢ − s)) = 0. The sum
/// falls from +∞ to −∞ as θ grows from −1/(1 − s) to 1/s, so bisection finds θ.
fn most_likely(shares: &[f64; 5], s: f64) -> [f64; 5] {
    let slope = |theta: f64| -> f64 {
        shares.iter().zip(PAIR_SCORES).map(|(p, a)| p * (a - s) / (1.0 + theta * (a - s))).sum()
    };
    let (mut low, mut high) = (-1.0 / (1.0 - s), 1.0 / s);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    let theta = (low + high) / 2.0;
    std::array::from_fn(|i| shares[i] / (1.0 + theta * (PAIR_SCORES[i] - s)))
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
            let estimate = Estimate::from_pairs(Pentanomial(pairs)).unwrap();
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
        let beta = |losses, wins| ScoreDistribution { weights: [losses, 0.0, 0.0, 0.0, wins] };
        for bound in [0.1, 0.3, 0.5, 0.8f64] {
            let arcsine = 2.0 / std::f64::consts::PI * bound.sqrt().asin();
            near(beta(0.5, 0.5).above(bound), 1.0 - arcsine, 1e-9);
            near(beta(1.0, 1.0).above(bound), 1.0 - bound, 1e-9);
            near(beta(1.0, 7.0).above(bound), 1.0 - bound.powi(7), 1e-9);
            near(beta(2.0, 1.0).above(bound), (1.0 - bound).powi(2), 1e-9);
        }
        near(beta(1.0, 39.0).quantile(0.025), 0.025f64.powf(1.0 / 39.0), 1e-9);
    }

    /// For three and for five pairs, the interval holds the true score often enough, whatever the probabilities of the five
    /// scores are: counted over all results that can occur.
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
                            let estimate = Estimate::from_pairs(Pentanomial(counts)).unwrap();
                            estimate.elo_low..=estimate.elo_high
                        });
                        held += probability * f64::from(interval.contains(&truth));
                    }
                }
                assert!(held >= 0.95, "{shares:?}, {pairs} pairs: {held}");
            }
        }
    }

    /// A pair that scores more, or another pair that is won, lowers neither end of the interval nor the likelihood.
    #[test]
    fn a_better_result_never_has_a_lower_bound() {
        let figures = |pairs| {
            let estimate = Estimate::from_pairs(Pentanomial(pairs)).unwrap();
            [estimate.elo, estimate.elo_low, estimate.elo_high, estimate.los]
        };
        let check = |worse: [u64; 5], better: [u64; 5]| {
            for (worse_figure, better_figure) in figures(worse).into_iter().zip(figures(better)) {
                let is_kept = better_figure >= worse_figure - 1e-6 * worse_figure.abs().max(1.0);
                assert!(
                    is_kept || better_figure == worse_figure,
                    "{worse:?}, {better:?}: {worse_figure}, {better_figure}"
                );
            }
        };
        // Ten won pairs, and nine of them with a draw or a loss; the same of 24.
        check([0, 0, 0, 1, 9], [0, 0, 0, 0, 10]);
        check([0, 0, 1, 0, 9], [0, 0, 0, 1, 9]);
        check([0, 0, 0, 1, 23], [0, 0, 0, 0, 24]);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..300 {
            let most: u64 = [2, 5, 20, 500][rng.random_range(0..4)];
            let mut worse: [u64; 5] = std::array::from_fn(|_| rng.random_range(0..=most));
            let score = rng.random_range(0..4);
            worse[score] += 1;
            let mut better = worse;
            better[score] -= 1;
            better[rng.random_range(score + 1..5)] += 1;
            check(worse, better);
            better = worse;
            better[4] += 1;
            check(worse, better);
        }
    }

    #[test]
    fn the_opponents_estimate_is_the_mirror_image() {
        let pairs = Pentanomial([3, 1, 4, 1, 5]);
        let (mine, theirs) = (Estimate::from_pairs(pairs).unwrap(), Estimate::from_pairs(pairs.reversed()).unwrap());
        near(mine.elo, -theirs.elo, 1e-9);
        near(mine.elo_low, -theirs.elo_high, 1e-9);
        near(mine.los, 1.0 - theirs.los, 1e-9);
    }

    #[test]
    fn pairs_with_equal_scores_have_an_interval() {
        assert_eq!(Estimate::from_pairs(Pentanomial([0; 5])), None);
        let all_won = Estimate::from_pairs(Pentanomial([0, 0, 0, 0, 10])).unwrap();
        assert_eq!((all_won.elo, all_won.elo_high), (f64::INFINITY, f64::INFINITY));
        near(all_won.elo_low, 169.063, 1e-3);
        let all_even = Estimate::from_pairs(Pentanomial([0, 0, 10, 0, 0])).unwrap();
        near(all_even.elo, 0.0, 1e-9);
        near(all_even.elo_low, -all_even.elo_high, 1e-9);
        near(all_even.los, 0.5, 1e-12);
    }

    /// Values from fastchess's own tests (app/tests/sprt_test.cpp), model "logistic".
    #[test]
    fn likelihood_ratios_agree_with_fastchess() {
        let sprt: Sprt = "0.5,2.5".parse().unwrap();
        near(sprt.llr(Pentanomial([223, 9863, 21279, 10037, 246])), -3.07, 0.031);
        let sprt: Sprt = "0,2,0.05,0.05".parse().unwrap();
        near(sprt.llr(Pentanomial([871, 26175, 55983, 26678, 821])), -4.98, 0.05);
    }

    /// If only 0 and 2 points occur, the maximum-likelihood distribution with mean s is (1 − s, s), so the LLR of w
    /// pairs won and l lost is w·ln(s₁/s₀) + l·ln((1 − s₁)/(1 − s₀)). With elo0 = 0 and elo1 = 400·log₁₀(3), s₀ is 0.5
    /// and s₁ is 0.75, so 30 wins and 10 losses give 30·ln 1.5 + 10·ln 0.5 = 5.2325. The thousandths of a pair added
    /// for the other outcomes are within the tolerance.
    #[test]
    fn the_likelihood_ratio_matches_a_hand_calculation() {
        let sprt = Sprt { elo0: 0.0, elo1: 400.0 * 3f64.log10(), alpha: 0.05, beta: 0.05 };
        near(sprt.llr(Pentanomial([10, 0, 0, 0, 30])), 30.0 * 1.5f64.ln() + 10.0 * 0.5f64.ln(), 5e-3);
        assert_eq!(sprt.llr(Pentanomial([0; 5])), 0.0);
    }

    #[test]
    fn most_likely_distributions_have_the_given_mean_and_sum_to_one() {
        let shares = [0.1, 0.2, 0.3, 0.25, 0.15];
        for s in [0.1, 0.45, 0.5, 0.55, 0.99] {
            let p = most_likely(&shares, s);
            near(p.iter().sum(), 1.0, 1e-9);
            near(p.iter().zip(PAIR_SCORES).map(|(p, a)| p * a).sum(), s, 1e-9);
        }
    }

    #[test]
    fn the_test_ends_at_walds_bounds() {
        let sprt: Sprt = "0,10".parse().unwrap();
        let (lower, upper) = sprt.bounds();
        near(lower, -(19f64.ln()), 1e-12);
        near(upper, 19f64.ln(), 1e-12);
        assert_eq!(sprt.decide(Pentanomial([0; 5])), Decision::Undecided);
        assert_eq!(sprt.decide(Pentanomial([100, 100, 1000, 600, 600])), Decision::H1);
        assert_eq!(sprt.decide(Pentanomial([600, 600, 1000, 100, 100])), Decision::H0);
    }

    #[test]
    fn meaningless_tests_are_rejected() {
        for bad in ["5", "5,0", "0,5,0.6,0.6", "0,5,0,0.1", "a,b", "0,5,0.05", "0,inf", "nan,1"] {
            assert!(bad.parse::<Sprt>().is_err(), "{bad}");
        }
    }
}
