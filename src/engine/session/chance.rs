//! The chance of winning that people see.
//!
//! The value of a search is a mean over its simulations. It serves to compare moves, but it is no chance: playouts at
//! the leaves pull it towards the middle. A [`Scale`] turns it into the share of such positions that are won when the
//! engine plays on against itself. It was fitted to games, by side length, by how full the board is, and by who is
//! ahead in the [race](crate::engine::frames) of frames. `malecon learn calibrate` makes the table.

use std::sync::LazyLock;

use crate::engine::frames::{Basis, Race};
use crate::game::Game;

/// The fits of the built-in networks, a line for each side length.
static FITS: LazyLock<Vec<Fit>> = LazyLock::new(|| Fit::read(include_str!("chance.txt")).expect("the table is valid"));

/// Values are moved into this range before the scale is applied: only what is proven is certain.
const VALUES: (f64, f64) = (0.001, 0.999);

/// Who is ahead in the race of frames, from the point of view of the player to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lead {
    /// Neither player is known to be ahead.
    #[default]
    None,
    /// Whether the player to move is ahead, by the widths of the frames.
    ByWidths(bool),
    /// Whether the player to move is ahead, by a proof.
    Proven(bool),
}

impl Lead {
    /// The lead in a position in which nobody has won.
    pub fn of(game: &Game) -> Lead {
        match Race::new(game.position(), game.to_move()).leader {
            None => Lead::None,
            Some((color, Basis::Widths)) => Lead::ByWidths(color == game.to_move()),
            Some((color, Basis::Threats | Basis::Stones)) => Lead::Proven(color == game.to_move()),
        }
    }
}

/// How many terms the logit of a chance has.
pub const TERMS: usize = 5;

/// What the chance of a position is computed from: the value of a search, for the player to move and not proven, with
/// what else tells something about the result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// The value of the search, in \[0, 1\].
    pub value: f64,
    /// The share of the vertices that have a stone, in \[0, 1\].
    pub full: f64,
    /// Who is ahead in the race.
    pub lead: Lead,
}

impl Evidence {
    /// The terms of the logit of the chance: the logit of the value, the same times [`Evidence::full`], the move, a lead
    /// by widths, and a proven lead.
    pub fn terms(&self) -> [f64; TERMS] {
        let sign = |ahead: bool| if ahead { 1.0 } else { -1.0 };
        let (by_widths, proven) = match self.lead {
            Lead::None => (0.0, 0.0),
            Lead::ByWidths(ahead) => (sign(ahead), 0.0),
            Lead::Proven(ahead) => (0.0, sign(ahead)),
        };
        let logit = logit(self.value.clamp(VALUES.0, VALUES.1));
        [logit, logit * self.full, 1.0, by_widths, proven]
    }
}

/// ln(p / (1 − p)).
pub fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

/// The inverse of [`logit`].
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The fit of one side length.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The side length.
    pub side: usize,
    /// What each of [`Evidence::terms`] counts.
    pub weights: [f64; TERMS],
}

impl Fit {
    /// Reads a table: a line for each side length, with the weights. Lines that begin with `#` are for people.
    ///
    /// # Errors
    /// Returns a one-line message if a line is invalid.
    pub fn read(text: &str) -> Result<Vec<Fit>, String> {
        text.lines().filter(|line| !line.starts_with('#')).map(Fit::read_line).collect()
    }

    fn read_line(line: &str) -> Result<Fit, String> {
        let invalid = || format!("invalid line '{line}' (expected a side length and {TERMS} numbers)");
        let (side, weights) = line.split_once(' ').ok_or_else(invalid)?;
        let weights: Result<Vec<f64>, _> = weights.split_whitespace().map(str::parse).collect();
        let weights = weights.ok().and_then(|weights| weights.try_into().ok()).ok_or_else(invalid)?;
        Ok(Fit { side: side.parse().map_err(|_| invalid())?, weights })
    }

    /// The chance of winning of the player to move.
    pub fn chance(&self, evidence: &Evidence) -> f64 {
        logistic(evidence.terms().iter().zip(&self.weights).map(|(term, weight)| term * weight).sum())
    }

    /// The built-in fit of the nearest side length.
    pub fn builtin(side: usize) -> &'static Fit {
        FITS.iter().min_by_key(|fit| fit.side.abs_diff(side)).expect("the table has lines")
    }
}

/// Turns the values of a search of one position, and of its moves, into chances of winning.
#[derive(Clone, Debug)]
pub struct Scale {
    fit: &'static Fit,
    full: f64,
    lead: Lead,
}

impl Scale {
    /// The scale of a position in which nobody has won, for a search that the built-in networks guide.
    pub fn of(game: &Game) -> Scale {
        Scale { fit: Fit::builtin(game.geometry().side()), full: fullness(game), lead: Lead::of(game) }
    }

    /// The chance of winning in \[0, 1\] of the player to move, where the search found this value. 0 and 1 are proven
    /// values, and stay.
    pub fn chance(&self, value: f64) -> f64 {
        if value <= 0.0 || value >= 1.0 {
            return value;
        }
        self.fit.chance(&Evidence { value, full: self.full, lead: self.lead })
    }
}

/// The share of the vertices that have a stone.
pub fn fullness(game: &Game) -> f64 {
    game.stone_count() as f64 / game.geometry().vertex_count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Geometry, MAX_SIDE, MIN_SIDE};

    #[test]
    fn chances_rise_with_values_and_proven_ones_stay() {
        for side in MIN_SIDE..=MAX_SIDE {
            let scale = Scale::of(&Game::new(Geometry::of(side).unwrap()));
            let chances: Vec<f64> = (0..=100).map(|value| scale.chance(f64::from(value) / 100.0)).collect();
            assert!(chances.is_sorted_by(|a, b| a < b), "side {side}: {chances:?}");
            assert_eq!((chances[0], chances[100]), (0.0, 1.0));
            assert!((0.4..0.65).contains(&chances[50]), "side {side}: {}", chances[50]);
        }
    }

    #[test]
    fn the_one_who_is_ahead_has_the_better_chance() {
        for fit in &*FITS {
            let chance = |lead| fit.chance(&Evidence { value: 0.5, full: 0.2, lead });
            let [behind, level, ahead] = [Lead::ByWidths(false), Lead::None, Lead::ByWidths(true)].map(chance);
            assert!(behind < level && level < ahead, "side {}", fit.side);
            assert!(chance(Lead::Proven(true)) >= ahead && chance(Lead::Proven(false)) <= behind, "side {}", fit.side);
        }
    }

    #[test]
    fn lines_that_are_no_fits_are_refused() {
        assert_eq!(Fit::read("# text\n8 1 0 0 0.5 2\n").unwrap()[0].weights, [1.0, 0.0, 0.0, 0.5, 2.0]);
        for line in ["8", "8 1 2 3 4", "8 1 2 3 4 5 6", "x 1 2 3 4 5", "8 1 2 3 4 x"] {
            assert!(Fit::read(line).unwrap_err().contains(line), "{line}");
        }
    }
}
