//! Levels of play below full strength.
//!
//! A weak level errs as people do. It looks only a little ahead, and often not at all: then it plays by a *hunch*, a
//! move that looks natural to the network, preferably one near the last stones. When it plays by a hunch, it may
//! overlook that it could win at once, or that the opponent threatens to. It overlooks more the farther away the move
//! is and the harder the structure is to see. It misjudges first stones under the pie rule, too. It plays the same
//! whoever is ahead.
//!
//! A level makes simulations, not seconds, with search options of its own, so it is as strong on every machine. How
//! strong: `docs/levels.md`.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::base::math::exp;
use crate::engine::inspect::threats::winning_vertices;
use crate::engine::search::{self, Limits};
use crate::game::{Game, Geometry, Move, Structures, Vertex};
use crate::network::{Backend, Evaluation, Input};

use super::first_stones::{FirstStones, first_stones};
use super::options::{MAX_LEVEL, MIN_LEVEL};
use super::request::Task;
use super::{SearchError, Session, pie_rule};

/// How a level below full strength plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Style {
    /// Simulations for each move.
    simulations: u64,
    /// The share of moves played by a hunch, without the search.
    hunches: f64,
    /// How far hunches stray from the network's policy: each probability is raised to the power of 1 / `temperature`.
    temperature: f32,
    /// How much hunches prefer the vicinity of the last two stones: the probability falls by the factor e^-`nearness`
    /// with each step away from them.
    nearness: f32,
    /// The probability of overlooking, in a hunch, the win or the threat that is hardest to see.
    oversight: f64,
    /// The standard deviation of the error in judging the chance of winning after a first stone.
    misjudgment: f64,
}

/// The styles of the levels, starting with level 1; full strength has none.
const STYLES: [Style; MAX_LEVEL as usize - 1] = [
    Style { simulations: 1, hunches: 1.0, temperature: 14.0, nearness: 0.5, oversight: 1.0, misjudgment: 0.25 },
    Style { simulations: 1, hunches: 1.0, temperature: 5.2, nearness: 0.45, oversight: 0.75, misjudgment: 0.22 },
    Style { simulations: 1, hunches: 1.0, temperature: 3.0, nearness: 0.37, oversight: 0.5, misjudgment: 0.2 },
    Style { simulations: 1, hunches: 1.0, temperature: 2.05, nearness: 0.31, oversight: 0.38, misjudgment: 0.17 },
    Style { simulations: 1, hunches: 1.0, temperature: 1.5, nearness: 0.18, oversight: 0.28, misjudgment: 0.15 },
    Style { simulations: 1, hunches: 0.96, temperature: 1.0, nearness: 0.1, oversight: 0.21, misjudgment: 0.12 },
    Style { simulations: 1, hunches: 0.36, temperature: 1.0, nearness: 0.1, oversight: 0.15, misjudgment: 0.1 },
    Style { simulations: 10, hunches: 0.06, temperature: 1.0, nearness: 0.1, oversight: 0.1, misjudgment: 0.07 },
    Style { simulations: 140, hunches: 0.03, temperature: 1.0, nearness: 0.1, oversight: 0.1, misjudgment: 0.05 },
];

/// The first stones of a game are always played by a hunch, so that games differ.
const VARIED_STONES: usize = 2;

/// The fewest simulations before the decision to swap: the first one only expands the root.
const SWAP_SIMULATIONS: u64 = 2;

/// The megabytes that a level's search tree takes: the searches are small.
const MEMORY: usize = 16;

/// The search options of all levels below full strength.
pub(super) fn search_options() -> search::SearchOptions {
    search::SearchOptions {
        memory: MEMORY,
        solver_rate: 0.0,
        solved_positions: false,
        ..search::SearchOptions::default()
    }
}

/// How a level plays; `None` for full strength.
pub(super) fn style(level: u32) -> Option<Style> {
    STYLES.get(level.checked_sub(MIN_LEVEL)? as usize).copied()
}

impl Session {
    /// The move of a level below full strength, in a game that is not over.
    pub(super) fn choose_in_style(&mut self, style: Style, task: Task<'_>) -> Result<Move, SearchError> {
        let Task { color, limits, .. } = task;
        let mut simulations = limits.simulations.map_or(style.simulations, |limit| limit.min(style.simulations));
        if self.game.board().can_swap() {
            // Without a visit of a move, the report has no chance of winning but the one that includes the swap.
            simulations = simulations.max(SWAP_SIMULATIONS);
        }
        let limits = Limits { simulations: Some(simulations), soft: None, hard: limits.usual_time() };
        let analysis = self.search_at_level(Task { limits, ..task })?;
        // What a weak level has seen is never shown as the analysis of the position.
        self.latest.mark_outdated();
        let mut game = self.game.board().clone();
        if let Some(first) = pie_rule::stone_to_swap(&game, color) {
            let geometry = game.geometry();
            let report = &analysis.report;
            let chance = 1.0 - pie_rule::value_of_first_stone(geometry, first, report, FirstStones::estimate);
            if style.misjudged(chance, &mut self.rng) < 0.5 {
                return Ok(Move::Swap);
            }
        } else if pie_rule::is_first_stone(&game)
            && let Some(v) = style.first_stone(game.geometry(), &mut self.rng)
        {
            return Ok(Move::Place(v));
        }
        game.set_to_move(color);
        let is_hunch = game.stone_count() < VARIED_STONES || self.rng.random::<f64>() < style.hunches;
        let vertex =
            if is_hunch { style.hunch(&game, &*self.options.network, &mut self.rng) } else { analysis.report.best };
        Ok(Move::Place(vertex))
    }
}

impl Style {
    /// A chance of winning as the level sees it, which may lie outside \[0, 1\].
    fn misjudged(&self, chance: f64, rng: &mut Xoshiro256PlusPlus) -> f64 {
        // The sum of twelve uniform numbers is close enough to a normal distribution.
        let deviation = (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        chance + self.misjudgment * deviation
    }

    /// A first stone that looks fair to the level; `None` if nothing is known about those of the board.
    fn first_stone(&self, geometry: &Geometry, rng: &mut Xoshiro256PlusPlus) -> Option<Vertex> {
        let table = first_stones(geometry)?;
        let imbalances = geometry.vertices().map(|v| ((self.misjudged(table.estimate(v), rng) - 0.5).abs(), v));
        imbalances.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, v)| v)
    }

    /// A move played without reading ahead: a win or a threat that catches the eye, else what looks natural.
    fn hunch(&self, game: &Game, network: &dyn Backend, rng: &mut Xoshiro256PlusPlus) -> Vertex {
        let color = game.to_move();
        for color in [color, !color] {
            let seen = |&(v, structures): &(Vertex, Structures)| {
                rng.random::<f64>() >= self.oversight * difficulty(game, v, structures)
            };
            if let Some((v, _)) = winning_vertices(game, color).into_iter().find(seen) {
                return v;
            }
        }
        let mut evaluation = Evaluation::default();
        network.evaluator(game.geometry()).evaluate(&Input::new(game), &mut evaluation);
        let logit = |v: Vertex| evaluation.policy[v.index()];
        let most = game.position().empty_vertices().map(logit).fold(f32::NEG_INFINITY, f32::max);
        let weight = |v: Vertex| {
            let steps = distance_to_last_stones(game, v).saturating_sub(1) as f32;
            (v, exp((logit(v) - most) / self.temperature - self.nearness * steps).into())
        };
        draw(game.position().empty_vertices().map(weight).collect(), rng)
    }
}

/// How hard it is to see that a stone on `v` completes these structures, in \[0, 1\]: a ring is harder to see than a
/// fork and a fork harder than a bridge, and what is far from the last stones is harder to see than what is near.
fn difficulty(game: &Game, v: Vertex, structures: Structures) -> f64 {
    let kind = if structures.contains(Structures::BRIDGE) {
        0.4
    } else if structures.contains(Structures::FORK) {
        0.6
    } else {
        0.8
    };
    let steps = distance_to_last_stones(game, v).saturating_sub(1) as f64;
    kind + 0.2 * (steps / 4.0).min(1.0)
}

/// The steps from `v` to the nearer of the last two stones; 0 on an empty board.
fn distance_to_last_stones(game: &Game, v: Vertex) -> usize {
    let last = game.last_stones().into_iter().flatten();
    last.map(|stone| game.geometry().distance(stone, v)).min().unwrap_or(0)
}

/// A vertex drawn in proportion to its weight.
fn draw(weights: Vec<(Vertex, f64)>, rng: &mut Xoshiro256PlusPlus) -> Vertex {
    let mut left = rng.random::<f64>() * weights.iter().map(|(_, weight)| weight).sum::<f64>();
    for &(v, weight) in &weights {
        left -= weight;
        if left < 0.0 {
            return v;
        }
    }
    weights.last().expect("a game that is not over has a move").0
}
