//! Statistics of match results: score, Elo difference with its confidence interval, likelihood of superiority, and the
//! sequential probability ratio test.
//!
//! # Pairs, not games
//!
//! Two games from one opening with colours exchanged are not independent: an opening that favours white yields a win
//! and a loss. The unit is therefore the pair. A pair scores 0, ¼, ½, ¾ or 1 for an engine, and the *pentanomial*
//! counts how often each score occurred. For n pairs with scores aᵢ and relative frequencies p̂ᵢ, the score s = Σ p̂ᵢaᵢ
//! has variance σ² = Σ p̂ᵢ(aᵢ − s)² per pair, and is normally distributed about the true score with standard deviation
//! σ/√n.
//!
//! # Elo
//!
//! A score s corresponds to an Elo difference of −400·log₁₀(1/s − 1). The 95 % confidence interval comes from
//! s ± 1.96·σ/√n. The likelihood of superiority, the probability that the true score is above ½, is Φ((s − ½)√n/σ). The
//! *normalized* Elo difference (s − ½)/(√2·σ)·800/ln 10 measures how quickly a match can tell the engines apart. It is
//! defined per game, hence the √2.
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
//! - M. Van den Bergh, *Comments on normalized Elo*, <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>.
//! - Chess Programming Wiki, *Match Statistics*, <https://www.chessprogramming.org/Match_Statistics>.
//! - The chess match runner fastchess; the tests of this module check some of its test values.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The two-sided 95 % quantile of the standard normal distribution.
const Z95: f64 = 1.959_963_984_540_054;

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
    /// If all pairs had the same score a, the sample variance is 0 and useless. The interval then comes from a binomial
    /// distribution: an outcome that occurred n times out of n has a probability of at least q = 0.025^(1/n), so the
    /// true score is between q·a and 1 − q·(1 − a).
    pub fn of(pairs: Pentanomial) -> Option<Estimate> {
        let n = pairs.pairs() as f64;
        if n == 0.0 {
            return None;
        }
        let (score, variance) = pairs.moments();
        let deviation = (variance / n).sqrt();
        let (low, high, los) = if variance > 0.0 {
            (score - Z95 * deviation, score + Z95 * deviation, normal_cdf((score - 0.5) / deviation))
        } else {
            let q = 0.025f64.powf(1.0 / n);
            (q * score, 1.0 - q * (1.0 - score), los_of_equal_pairs(score, n))
        };
        Some(Estimate {
            score,
            elo: elo_of_score(score),
            elo_low: elo_of_score(low),
            elo_high: elo_of_score(high),
            normalized_elo: (score - 0.5) / (2.0 * variance).sqrt() * 800.0 / std::f64::consts::LN_10,
            los,
        })
    }

    /// Half the width of the 95 % interval.
    pub fn elo_error(&self) -> f64 {
        (self.elo_high - self.elo_low) / 2.0
    }
}

/// The likelihood of superiority if all `n` pairs had the same score: for a score above ½, the probability that the
/// success rate is above ½ after n successes in n trials, with a uniform prior.
fn los_of_equal_pairs(score: f64, n: f64) -> f64 {
    let chance = 0.5f64.powf(n + 1.0);
    match score {
        s if s > 0.5 => 1.0 - chance,
        s if s < 0.5 => chance,
        _ => 0.5,
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

/// The standard normal distribution function Φ, accurate to about 1e-7 (Abramowitz & Stegun, formula 26.2.17).
fn normal_cdf(x: f64) -> f64 {
    const B: [f64; 5] = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let polynomial = B.iter().rev().fold(0.0, |sum, b| (sum + b) * t);
    let tail = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * polynomial;
    if x >= 0.0 { 1.0 - tail } else { tail }
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

    /// Calculated by hand: 4 pairs with 2, 3/2, 1 and 1 points have the scores 1, ¾, ½, ½; s = 0.6875, σ² = 0.04296875,
    /// σ/√n = 0.103644524; s ± 1.96σ/√n = 0.484360 and 0.890640; Elo 136.969 [−10.869, 364.351]; z = 1.809068.
    #[test]
    fn the_estimate_matches_a_hand_calculation() {
        let estimate = Estimate::of(Pentanomial([0, 0, 2, 1, 1])).unwrap();
        near(estimate.score, 0.6875, 1e-12);
        near(estimate.elo, 400.0 * (0.6875f64 / 0.3125).log10(), 1e-9);
        near(estimate.elo_low, 400.0 * (0.484_360_468f64 / 0.515_639_532).log10(), 1e-3);
        near(estimate.elo_high, 400.0 * (0.890_639_532f64 / 0.109_360_468).log10(), 1e-3);
        near(estimate.los, 0.964_780, 1e-5);
    }

    /// Values from fastchess's own tests (app/tests/elo_test.cpp).
    #[test]
    fn estimates_agree_with_fastchess() {
        for (pairs, elo, error, normalized, los) in [
            ([34, 54, 63, 64, 75], 55.58, 27.65, 57.94, 1.0),
            ([332, 433, 498, 333, 334], -8.64, 10.33, -9.17, 0.0505),
            ([7895, 8757, 5685, 568, 9999], -21.04, 2.95, -19.01, 0.0),
        ] {
            let estimate = Estimate::of(Pentanomial(pairs)).unwrap();
            near(estimate.elo, elo, 0.006);
            near(estimate.elo_error(), error, 0.006);
            near(estimate.normalized_elo, normalized, 0.006);
            near(estimate.los, los, 1e-4);
        }
    }

    #[test]
    fn the_opponents_estimate_is_the_mirror_image() {
        let pairs = Pentanomial([3, 1, 4, 1, 5]);
        let (mine, theirs) = (Estimate::of(pairs).unwrap(), Estimate::of(pairs.reversed()).unwrap());
        near(mine.elo, -theirs.elo, 1e-9);
        near(mine.elo_low, -theirs.elo_high, 1e-9);
        near(mine.los, 1.0 - theirs.los, 1e-9);
    }

    #[test]
    fn pairs_with_equal_scores_have_an_interval() {
        assert_eq!(Estimate::of(Pentanomial([0; 5])), None);
        let all_won = Estimate::of(Pentanomial([0, 0, 0, 0, 10])).unwrap();
        assert_eq!((all_won.elo, all_won.elo_high), (f64::INFINITY, f64::INFINITY));
        near(all_won.elo_low, elo_of_score(0.025f64.powf(0.1)), 1e-9);
        let all_even = Estimate::of(Pentanomial([0, 0, 10, 0, 0])).unwrap();
        near(all_even.elo, 0.0, 1e-9);
        near(all_even.elo_low, -all_even.elo_high, 1e-9);
        near(all_even.los, 0.5, 1e-12);
    }

    #[test]
    fn the_normal_distribution_function_matches_known_values() {
        for (x, value) in [(0.0, 0.5), (1.0, 0.841_344_746), (-1.0, 0.158_655_254), (Z95, 0.975), (-4.0, 3.167e-5)] {
            near(normal_cdf(x), value, 1.5e-7);
        }
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
