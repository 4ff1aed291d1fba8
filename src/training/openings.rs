//! The games behind the table of first stones for the pie rule ([`crate::session::pie_rule`]).

use std::sync::Arc;

use crate::board::{Color, Geometry, Vertex};
use crate::nn::Backend;
use crate::search::{Limits, Options, Report};
use crate::session::{self, Move, Session, StopFlag};

/// A game ends when a player has this chance of winning.
const DECIDED: f64 = 0.97;

/// How the games from first stones are played.
#[derive(Clone)]
pub struct OpeningPlan {
    /// Simulations for each move.
    pub simulations: u64,
    /// The options of the search.
    pub options: Options,
    /// The network that guides the search.
    pub network: Arc<dyn Backend>,
    /// The seed of all random numbers.
    pub seed: u64,
}

impl OpeningPlan {
    /// Plays a game that begins with a stone on `v`, until a player's chance of winning is at least `DECIDED`. Each player
    /// has a search of its own, as in a match. Returns the chance of the player who owns that stone, in \[0, 1\].
    ///
    /// The games from `v` are numbered from 0; the same number always gives the same game.
    pub fn play(&self, geometry: &'static Geometry, v: Vertex, number: u32) -> f64 {
        let mut players = Color::ALL.map(|color| self.session(geometry, v, 2 * number + color.index() as u32));
        loop {
            if let Some(winner) = players[0].game().result() {
                return winner.map_or(0.5, |winner| f64::from(winner == Color::White));
            }
            let color = players[0].game().to_move();
            let report = self.think(&mut players[color.index()]);
            let chance = report.win_rate;
            if report.verdict.is_some() || chance.max(1.0 - chance) >= DECIDED {
                return if color == Color::White { chance } else { 1.0 - chance };
            }
            for player in &mut players {
                player.play(color, Move::Place(report.best)).expect("the search finds legal moves");
            }
        }
    }

    /// A game in which White has just placed a stone on `v`. Each number has random numbers of its own.
    fn session(&self, geometry: &'static Geometry, v: Vertex, number: u32) -> Session {
        let (search, network) = (self.options.clone(), Arc::clone(&self.network));
        let mut session = Session::new(geometry, session::Options { search, network, ..Default::default() });
        let stone = (geometry.side() as u64) << 16 | u64::from(v.0);
        session.set_seed(self.seed ^ stone << 32 ^ u64::from(number + 1));
        session.play(Color::White, Move::Place(v)).expect("the board is empty");
        session
    }

    /// Searches for the next move.
    fn think(&self, session: &mut Session) -> Report {
        let limits = Limits { simulations: Some(self.simulations), ..Limits::default() };
        let color = session.game().to_move();
        let analysis = session.search(color, &limits, &StopFlag::new(), None).expect("the game is not over");
        analysis.report.clone()
    }
}
