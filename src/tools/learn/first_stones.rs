//! The games behind the table of first stones for the pie rule ([`crate::engine::session::first_stones`]).

use crate::engine::search::SearchError;
use crate::game::record::Winner;
use crate::game::{Color, Geometry, Move, Vertex};

use super::{SearchPlan, search};

/// A game ends when a player has this chance of winning.
const DECIDED: f64 = 0.97;

/// Plays a game that begins with a stone on `v`, until a player's chance of winning is at least `DECIDED`. As in a
/// match, each player has a search of its own, with the simulations of the plan for each move. Returns the chance of
/// the player who owns that stone, in \[0, 1\].
///
/// The games from `v` are numbered from 0; the same number always gives the same game.
///
/// # Errors
/// If a search fails.
pub fn play(plan: &SearchPlan, geometry: &'static Geometry, v: Vertex, number: u32) -> Result<f64, SearchError> {
    let mut players = Color::ALL.map(|color| {
        let stone = (geometry.side() as u64) << 16 | u64::from(v.0);
        let number = 2 * number + color.index() as u32;
        plan.session(geometry, &[v], plan.seed ^ stone << 32 ^ u64::from(number + 1))
    });
    loop {
        if let Some(winner) = players[0].game().result() {
            return Ok(Winner::from(winner).points(Color::White).into());
        }
        let color = players[0].game().to_move();
        let report = search(&mut players[color.index()], plan.simulations)?;
        let chance = report.win_rate;
        if report.verdict.is_some() || chance.max(1.0 - chance) >= DECIDED {
            return Ok(if color == Color::White { chance } else { 1.0 - chance });
        }
        for player in &mut players {
            player.play_as(color, Move::Place(report.best)).expect("the search finds legal moves");
        }
    }
}
