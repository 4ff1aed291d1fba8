//! Are the chances of winning shown to users true? Positions are searched, and the engine plays on from them against
//! itself. Then the chances are compared with the share of positions that were won, and new [`Scale`]s are fitted.
//!
//! **Positions.** Half of them are positions of human games, drawn at random, on boards that have such games. The
//! others are positions, drawn at random, of games of self-play as [`super::play_game`] plays them, openings included.
//! Positions that the search proves are left out: they need no chance.
//!
//! **Fits.** Logistic regression. The fitted chance of a position comes from a fit to the other four fifths of the
//! positions.

use std::fmt;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::base::hash::fnv1a;
use crate::base::lines::Line;
use crate::engine::search::SearchError;
use crate::engine::session::Session;
use crate::engine::session::chance::{Scale, logistic, logit};
use crate::game::record::Winner;
use crate::game::{Geometry, Move};

use super::selfplay::{SelfPlayGame, SelfPlayPlan, Sides, play_moves};
use super::{play_game, search};

/// Groups of positions with about the same chance.
const DECILES: usize = 10;
/// One position in this many is held out of a fit, which is then judged on those.
pub(super) const FOLDS: usize = 5;
/// Chances are moved this far from 0 and 1 before their logarithm is taken.
const LEAST: f64 = 0.001;
/// The largest factor for logits. If all favourites win, a larger factor is always likelier.
const STEEPEST: f64 = 10.0;

/// How positions are drawn and played on.
#[derive(Debug)]
pub struct CalibrationPlan {
    /// How the games of self-play are played.
    pub games: SelfPlayPlan,
    /// Human games.
    pub human: Vec<SelfPlayGame>,
    /// Simulations of the search of a position, whose value is compared.
    pub simulations: u64,
    /// Simulations of each search when the engine plays on.
    pub playing: u64,
    /// The seed of all random numbers.
    pub seed: u64,
}

/// A position, what was found of it, and how it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedPosition {
    /// The side length of the board.
    pub side: usize,
    /// The number of the position among those of this side length.
    pub number: u64,
    /// The moves that lead to the position, white's first, in HavannahGui's names.
    pub moves: Vec<String>,
    /// Whether it is a position of a human game.
    pub human: bool,
    /// The value of the search for the player to move, in \[0, 1\].
    pub value: f64,
    /// Whether the search proved the result.
    pub proven: bool,
    /// What the player to move got: 1 for a win, 0.5 for a draw, 0 for a loss.
    pub result: f64,
    /// [`CalibrationPlan::settings`].
    pub settings: String,
}

impl Line for PlayedPosition {
    const BEGINNINGS: &'static [&'static str] = &["{\"side\":"];
    const UNIT: &'static str = "position";
    const WRITER: &'static str = "malecon learn calibrate";
}

impl CalibrationPlan {
    /// A hash of everything that decides the positions except the side length and the number, as 16 hexadecimal digits.
    pub fn settings(&self) -> String {
        let CalibrationPlan { games, human, simulations, playing, seed } = self;
        let plan = SelfPlayPlan { human: human.clone(), ..games.clone() };
        let text = format!("{} {} {simulations} {playing} {seed}", plan.settings(), plan.networks.hash());
        format!("{:016x}", fnv1a(text.bytes()))
    }

    /// Draws position `number` of a board, searches it and plays on. Each number has random numbers of its own.
    ///
    /// # Errors
    /// If a search fails.
    pub fn play(&self, geometry: &'static Geometry, number: u64) -> Result<PlayedPosition, SearchError> {
        let stream = self.seed.wrapping_mul(1 << 32).wrapping_add(number) ^ (geometry.side() as u64) << 56;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(stream);
        let games = SelfPlayPlan { sides: Sides::only(geometry.side()), ..self.games.clone() };
        let human: Vec<&SelfPlayGame> = self.human.iter().filter(|game| game.side == geometry.side()).collect();
        loop {
            let human = human.choose(&mut rng).filter(|_| rng.random_bool(0.5));
            let moves = match human {
                Some(game) => game.moves.clone(),
                None => play_game(&games, &mut rng)?.moves,
            };
            let mut session = Session::new(geometry, self.games.session_options());
            session.set_seed(rng.random());
            let moves = &moves[..rng.random_range(0..=moves.len())];
            play_moves(&mut session, moves);
            // The game may be over with the last of its moves.
            if !session.game().is_over() {
                return self.play_on(
                    session,
                    PlayedPosition {
                        side: geometry.side(),
                        number,
                        moves: moves.to_vec(),
                        human: human.is_some(),
                        value: 0.5,
                        proven: false,
                        result: 0.5,
                        settings: self.settings(),
                    },
                );
            }
        }
    }

    /// Searches the session's position and plays on from it, to complete what is known about it.
    fn play_on(&self, mut session: Session, mut position: PlayedPosition) -> Result<PlayedPosition, SearchError> {
        let player = session.game().to_move();
        let mut report = search(&mut session, self.simulations)?;
        (position.value, position.proven) = (report.win_rate, report.verdict.is_some());
        loop {
            let color = session.game().to_move();
            if let Some(verdict) = report.verdict {
                position.result = Winner::from(verdict.winner(color)).points(player).into();
                return Ok(position);
            }
            session.play_as(color, Move::Place(report.best)).expect("the search finds legal moves");
            if let Some(winner) = session.game().result() {
                position.result = Winner::from(winner).points(player).into();
                return Ok(position);
            }
            report = search(&mut session, self.playing)?;
        }
    }
}

/// The scale that makes the results of these positions likeliest, all on boards of this side length.
fn fit(side: usize, positions: &[&PlayedPosition]) -> Scale {
    let samples: Vec<_> = positions.iter().map(|position| (bounded_logit(position.value), position.result)).collect();
    Scale { side, slope: slope(&samples) }
}

/// The logit of a value or chance that is not 0 or 1.
pub(super) fn bounded_logit(p: f64) -> f64 {
    logit(p.clamp(LEAST, 1.0 - LEAST))
}

/// Logistic regression by Newton's method: the number that logits have to be multiplied by to make the results, in
/// \[0, 1\], likeliest, up to [`STEEPEST`].
pub(super) fn slope(samples: &[(f64, f64)]) -> f64 {
    let mut slope = 1.0;
    // Each step doubles the number of right digits.
    for _ in 0..20 {
        let (mut gradient, mut curvature) = (0.0, f64::MIN_POSITIVE);
        for &(logit, result) in samples {
            let chance = logistic(slope * logit);
            gradient += logit * (result - chance);
            curvature += logit * logit * chance * (1.0 - chance);
        }
        slope = (slope + gradient / curvature).clamp(0.0, STEEPEST);
    }
    slope
}

/// A tenth of the positions, those with about the same chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decile {
    /// The mean chance of winning that was given.
    pub given: f64,
    /// The share of the points that the players to move got.
    pub got: f64,
}

/// How well a set of chances matches the results.
#[derive(Clone, Debug, PartialEq)]
pub struct Reliability {
    /// The mean log loss, in nats.
    pub log_loss: f64,
    /// The slope of the result on the logit of the chance: 1 if the chances are true, more if they are too close to the
    /// middle.
    pub slope: f64,
    /// The positions in ten groups of equal size, from the least chance to the greatest.
    pub deciles: Vec<Decile>,
}

impl Reliability {
    /// Compares chances with results, given in pairs. There must be at least ten.
    pub fn from_pairs(mut pairs: Vec<(f64, f64)>) -> Reliability {
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let loss = |&(chance, result): &(f64, f64)| -(result * chance.ln() + (1.0 - result) * (1.0 - chance).ln());
        let samples: Vec<_> = pairs.iter().map(|&(chance, result)| (bounded_logit(chance), result)).collect();
        let decile = |k: usize| {
            let group = &pairs[k * pairs.len() / DECILES..(k + 1) * pairs.len() / DECILES];
            let mean = |values: &dyn Fn(&(f64, f64)) -> f64| group.iter().map(values).sum::<f64>() / group.len() as f64;
            Decile { given: mean(&|pair| pair.0), got: mean(&|pair| pair.1) }
        };
        Reliability {
            log_loss: pairs.iter().map(loss).sum::<f64>() / pairs.len() as f64,
            slope: slope(&samples),
            deciles: (0..DECILES).map(decile).collect(),
        }
    }

    /// The greatest difference between what a group was given and what it got.
    pub fn worst(&self) -> f64 {
        self.deciles.iter().map(|decile| (decile.given - decile.got).abs()).fold(0.0, f64::max)
    }
}

/// How well the chances on one board match the results.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// How many positions there are.
    pub positions: usize,
    /// How many of them the search proved. They are left out of the rest.
    pub proven: usize,
    /// The values of the search, taken for chances.
    pub values: Reliability,
    /// The chances that the program shows.
    pub shown: Reliability,
    /// The chances of new fits, each judged on the fifth of the positions that it has not seen.
    pub fitted: Reliability,
    /// A new fit to all positions.
    pub fit: Scale,
}

impl Calibration {
    /// The least number of positions that are not proven: ten groups, each with as many positions as there are folds.
    pub const LEAST: usize = DECILES * FOLDS;

    /// Compares the chances of these positions, all on one board, with their results. `None` if fewer than
    /// [`Self::LEAST`] are not proven.
    pub fn from_positions(positions: &[PlayedPosition]) -> Option<Calibration> {
        let open: Vec<&PlayedPosition> = positions.iter().filter(|position| !position.proven).collect();
        if open.len() < Self::LEAST {
            return None;
        }
        let side = open[0].side;
        let judged = |chance: &dyn Fn(usize, f64) -> f64| {
            let pair = |(i, position): (usize, &&PlayedPosition)| (chance(i, position.value), position.result);
            Reliability::from_pairs(open.iter().enumerate().map(pair).collect())
        };
        let without = |fold: usize| {
            let others = open.iter().enumerate().filter(|(i, _)| i % FOLDS != fold);
            fit(side, &others.map(|(_, &position)| position).collect::<Vec<_>>())
        };
        let folds: Vec<Scale> = (0..FOLDS).map(without).collect();
        let shown = Scale::builtin(side);
        Some(Calibration {
            positions: positions.len(),
            proven: positions.len() - open.len(),
            values: judged(&|_, value| logistic(bounded_logit(value))),
            shown: judged(&|_, value| shown.chance(value)),
            fitted: judged(&|i, value| folds[i % FOLDS].chance(value)),
            fit: fit(side, &open),
        })
    }
}

impl fmt::Display for Calibration {
    /// A line of a table: see [`TABLE_HEAD`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>4} {:>9} {:>6}", self.fit.side, self.positions, self.proven)?;
        for Reliability { log_loss, slope, .. } in [&self.values, &self.shown, &self.fitted] {
            write!(f, "   {log_loss:.3} {slope:5.2}")?;
        }
        write!(f, "  {:5.1} {:5.1}", 100.0 * self.shown.worst(), 100.0 * self.fitted.worst())
    }
}

/// The head of a table of [`Calibration`]s: log loss and slope of the values of the search, of what is shown, and of a
/// new fit; then the greatest difference of a tenth of the positions for the last two, in percentage points.
pub const TABLE_HEAD: &str = concat!(
    "                       values        shown         new fit      worst tenth\n",
    "side positions proven   loss slope    loss slope    loss slope  shown   fit"
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Notation};

    /// Positions of side 6 whose results follow this slope.
    fn positions(slope: f64, count: u64) -> Vec<PlayedPosition> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let truth = Scale { side: 6, slope };
        let position = |number| {
            let value = logistic(rng.random_range(-3.0..3.0));
            let result = f64::from(u8::from(rng.random_bool(truth.chance(value))));
            PlayedPosition {
                side: 6,
                number,
                moves: vec![],
                human: false,
                value,
                proven: false,
                result,
                settings: String::new(),
            }
        };
        (0..count).map(position).collect()
    }

    #[test]
    fn a_fit_finds_the_slope_that_the_results_follow() {
        let calibration = Calibration::from_positions(&positions(1.5, 20_000)).unwrap();
        assert!((1.45..1.55).contains(&calibration.fit.slope), "{:?}", calibration.fit);
        // The values are too close to the middle, the fit is not.
        assert!((1.45..1.55).contains(&calibration.values.slope), "{}", calibration.values.slope);
        assert!((0.95..1.05).contains(&calibration.fitted.slope), "{}", calibration.fitted.slope);
        assert!(calibration.fitted.log_loss < calibration.values.log_loss - 0.005);
        assert!(calibration.fitted.worst() < 0.04 && calibration.values.worst() > 0.06);
    }

    #[test]
    fn proven_positions_are_left_out_and_few_positions_are_not_fitted() {
        let mut positions = positions(1.0, 60);
        positions[..10].iter_mut().for_each(|position| position.proven = true);
        let calibration = Calibration::from_positions(&positions).unwrap();
        assert_eq!((calibration.positions, calibration.proven), (60, 10));
        positions[10].proven = true;
        assert!(Calibration::from_positions(&positions).is_none());
    }

    /// A number has the same position each time, and it can be played.
    #[test]
    fn positions_are_drawn_by_number_and_played_to_a_result() {
        let plan = CalibrationPlan {
            games: SelfPlayPlan::small("4", [20, 20]),
            human: Vec::new(),
            simulations: 60,
            playing: 20,
            seed: 1,
        };
        let geometry = Geometry::with_side(4).unwrap();
        let mut results = [0; 2];
        for number in 0..12 {
            let position = plan.play(geometry, number).unwrap();
            assert_eq!(plan.play(geometry, number).as_ref(), Ok(&position));
            let mut game = Game::new(geometry);
            for name in &position.moves {
                game.play(Notation::HavannahGui.parse(geometry, name).unwrap()).unwrap();
            }
            assert!(game.outcome().is_none());
            assert!(!position.proven || position.value == position.result);
            results[(position.result > 0.5) as usize] += 1;
        }
        assert!(results.iter().all(|&count| count > 0), "{results:?}");
    }
}
