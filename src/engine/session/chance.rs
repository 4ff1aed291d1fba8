//! The win probability shown to users.
//!
//! The value of a search is a mean over its simulations. It compares moves, but it is not a probability: it lies too
//! close to one half. A [`Scale`] turns it into the share of such positions that are won when the engine plays on
//! against itself: the logarithm of the odds is multiplied by a number that was fitted to games, for each side length.
//! [`crate::tools::learn::calibration`] makes the table. The functions of `libm` give the same bits on every platform,
//! unlike those of the standard library.

use std::sync::LazyLock;

use super::table::TableError;

/// The scales of searches that the built-in networks guide.
static SCALES: LazyLock<Vec<Scale>> =
    LazyLock::new(|| Scale::read(include_str!("chance.txt")).expect("the built-in table is valid"));

/// Values are clamped to this range before the scale is applied: only what is proven is certain.
const VALUES: (f64, f64) = (0.001, 0.999);

/// Turns the values of searches on one board into chances of winning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The side length.
    pub side: usize,
    /// What the logarithm of the odds is multiplied by.
    pub slope: f64,
}

impl Scale {
    /// The scale for the side length that is nearest to this one, of searches that the built-in networks guide.
    pub fn builtin(side: usize) -> Scale {
        *SCALES.iter().min_by_key(|scale| scale.side.abs_diff(side)).expect("the table has lines")
    }

    /// Reads a table: a line for each side length, with the slope. Lines that begin with `#` are for people.
    ///
    /// # Errors
    /// If a line is invalid.
    pub fn read(text: &str) -> Result<Vec<Scale>, TableError> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let read = |line: &str| {
            let (side, slope) = line.split_once(' ')?;
            Some(Scale { side: side.parse().ok()?, slope: slope.parse().ok().filter(|&slope: &f64| slope > 0.0)? })
        };
        lines
            .map(|line| read(line).ok_or_else(|| TableError::new(line, "a side length and a number above 0")))
            .collect()
    }

    /// The chance of winning in \[0, 1\] where a search found this value in \[0, 1\] and proved nothing.
    #[must_use]
    pub fn chance(self, value: f64) -> f64 {
        logistic(self.slope * logit(value.clamp(VALUES.0, VALUES.1)))
    }
}

/// ln(p / (1 − p)), the logarithm of the odds.
pub fn logit(p: f64) -> f64 {
    libm::log(p / (1.0 - p))
}

/// The inverse of [`logit`].
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{MAX_SIDE, MIN_SIDE};

    #[test]
    fn chances_rise_with_values_and_those_of_both_players_sum_to_one() {
        for side in MIN_SIDE..=MAX_SIDE {
            let scale = Scale::builtin(side);
            let chances: Vec<f64> = (0..=100).map(|value| scale.chance(f64::from(value) / 100.0)).collect();
            assert!(chances.is_sorted_by(|a, b| a < b), "side {side}: {chances:?}");
            assert_eq!(chances[50], 0.5);
            assert!(chances[0] > 0.0 && chances[100] < 1.0, "only what is proven is certain");
            for (chance, other) in chances.iter().zip(chances.iter().rev()) {
                assert!((chance + other - 1.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn odds_are_raised_to_the_slope() {
        // Odds of 3 to 1 become 9 to 1.
        assert!((Scale { side: 6, slope: 2.0 }.chance(0.75) - 0.9).abs() < 1e-9);
        assert!(Scale::builtin(6).chance(0.7) > 0.75);
    }

    #[test]
    fn lines_that_are_no_scales_are_refused() {
        assert_eq!(Scale::read("# text\n8 1.5\n").unwrap(), [Scale { side: 8, slope: 1.5 }]);
        for line in ["8", "8 1 2", "x 1", "8 x", "8 0", "8 -1", "8 NaN", ""] {
            assert!(
                Scale::read(&format!("{line}\n9 1\n")).unwrap_err().to_string().contains(&format!("'{line}'")),
                "{line}"
            );
        }
    }
}
