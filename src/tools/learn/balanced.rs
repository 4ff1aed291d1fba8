//! Balanced openings for matches ([`crate::tools::arena::openings`]): positions of a few stones in which a search
//! gives both players about the same chance.

use std::ops::{Range, RangeInclusive};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::engine::inspect::prediction::predict;
use crate::engine::search::SearchError;
use crate::game::{Game, Geometry, Vertex};

use super::{SearchPlan, draw_from_policy, search};

/// The number of stones of an opening.
pub const STONES: RangeInclusive<usize> = 3..=6;
/// The chances of the player to move that count as balanced.
pub const BALANCED: RangeInclusive<f64> = 0.4..=0.6;
/// A short search must find a chance in this range before a deep one is made.
const PROMISING: RangeInclusive<f64> = 0.35..=0.65;
/// The short search has this part of the simulations of the deep one.
const SHORT: u64 = 10;
/// Finds the balanced openings among those with these numbers, in the order of the numbers, with the chances of the
/// player to move. The deep search has the simulations of the plan; its network also draws the moves.
///
/// # Errors
/// If a search fails.
pub fn find(
    plan: &SearchPlan,
    geometry: &'static Geometry,
    numbers: Range<u64>,
) -> Result<Vec<(Vec<Vertex>, f64)>, SearchError> {
    let mut found = Vec::new();
    for opening in numbers.filter_map(|number| draw(plan, geometry, number)) {
        if let Some(chance) = balance(plan, geometry, &opening)? {
            found.push((opening, chance));
        }
    }
    Ok(found)
}

/// Draws an opening: the first stone from all vertices, the others from the network's policy. The same number always
/// gives the same opening. Returns `None` if the game ended on the way.
fn draw(plan: &SearchPlan, geometry: &'static Geometry, number: u64) -> Option<Vec<Vertex>> {
    let run = Xoshiro256PlusPlus::seed_from_u64(plan.seed ^ (geometry.side() as u64) << 48).random::<u64>();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(run.wrapping_add(number));
    let stones = rng.random_range(STONES);
    let mut game = Game::new(geometry);
    let mut opening = Vec::with_capacity(stones);
    for i in 0..stones {
        let v = match i {
            0 => geometry.vertex(rng.random_range(0..geometry.vertex_count())).expect("the index is on the board"),
            _ => draw_from_policy(predict(&game, &*plan.network).moves, &mut rng),
        };
        game.play(v).expect("the vertex is empty");
        opening.push(v);
        if game.outcome().is_some() {
            return None;
        }
    }
    Some(opening)
}

/// The chance of the player to move after an opening, in \[0, 1\], according to the deep search; `None` if it is not
/// balanced or the result is proven. The searches depend on the seed and the opening only.
fn balance(plan: &SearchPlan, geometry: &'static Geometry, opening: &[Vertex]) -> Result<Option<f64>, SearchError> {
    let short = (plan.simulations / SHORT).max(1);
    let mut chance = None;
    for (simulations, range) in [(short, PROMISING), (plan.simulations, BALANCED)] {
        let report = search(&mut plan.session(geometry, opening, plan.seed), simulations)?;
        if report.verdict.is_some() || !range.contains(&report.win_rate) {
            return Ok(None);
        }
        chance = Some(report.win_rate);
    }
    Ok(chance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search::SearchOptions;
    use crate::game::Notation;
    use crate::network::Network;

    fn plan(simulations: u64) -> SearchPlan {
        let options = SearchOptions { memory: 16, ..SearchOptions::default() };
        SearchPlan { simulations, options, network: Network::builtin(), seed: 3 }
    }

    #[test]
    fn openings_depend_on_their_number_and_are_found_in_its_order() {
        let (plan, board) = (plan(60), Geometry::with_side(5).unwrap());
        let find = |numbers| find(&plan, board, numbers).unwrap();
        let all = find(0..40);
        assert!((3..40).contains(&all.len()), "{}", all.len());
        let parts = [find(0..15), find(15..40)].concat();
        assert_eq!(all, parts);
        for (opening, chance) in &all {
            assert!(STONES.contains(&opening.len()) && BALANCED.contains(chance));
            assert_eq!(balance(&plan, board, opening), Ok(Some(*chance)));
        }
    }

    #[test]
    fn unbalanced_and_won_positions_are_left_out() {
        let board = Geometry::with_side(4).unwrap();
        let opening = |text: &str| -> Vec<Vertex> {
            let parse = |name| Notation::HavannahGui.parse(board, name).unwrap();
            text.split(' ').map(parse).collect()
        };
        // White has three stones of a bridge, and it is White's turn.
        assert_eq!(balance(&plan(200), board, &opening("a1 d4 a2 d5 a3 c4")), Ok(None));
    }
}
