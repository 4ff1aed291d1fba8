//! The table of first stones for the pie rule ([`crate::session::openings`]): games of the engine against itself from
//! each first stone, and one long search of it.

use std::sync::Arc;

use crate::board::{Color, Geometry, Vertex};
use crate::nn::Backend;
use crate::search::{Limits, Options, Verdict};
use crate::session::openings::FirstStone;
use crate::session::{Move, Session, StopFlag};

/// A game ends when a player has this chance of winning.
const DECIDED: f64 = 0.97;

/// How first stones are measured.
#[derive(Clone)]
pub struct OpeningPlan {
    /// Simulations for each move of the games.
    pub simulations: u64,
    /// Simulations of the long search.
    pub search: u64,
    /// The options of the search.
    pub options: Options,
    /// The network that guides the search.
    pub network: Arc<dyn Backend>,
    /// The seed of all random numbers.
    pub seed: u64,
}

impl OpeningPlan {
    /// The chance of the owner of a first stone on `v` according to one long search, with no game played yet.
    pub fn search(&self, geometry: &'static Geometry, v: Vertex) -> FirstStone {
        let mut session = self.session(geometry, v, 0);
        let report = think(&mut session, self.search);
        let verdict = report.verdict.map(Verdict::of_opponent).or_else(|| published(geometry.side()));
        let search = 1.0 - report.win_rate;
        FirstStone { side: geometry.side(), vertex: v, games: 0, points: 0.0, search, verdict }
    }

    /// Plays one game that begins with a stone on `v`, until a player's chance of winning is at least `DECIDED`. Each player
    /// has a search of its own, as in a match. Games take the images of the stone under the symmetries of the board in turn,
    /// because the network judges them differently. Returns the chance of the player who owns that stone, in \[0, 1\]. The
    /// same number always gives the same game.
    pub fn play(&self, geometry: &'static Geometry, v: Vertex, game: u32) -> f64 {
        let number = 1 + u64::from(game);
        let images = geometry.symmetries();
        let v = images[game as usize % images.len()][v.index()];
        let mut players = Color::ALL.map(|color| self.session(geometry, v, 2 * number + color.index() as u64));
        loop {
            if let Some(winner) = players[0].game().result() {
                return winner.map_or(0.5, |winner| f64::from(winner == Color::White));
            }
            let color = players[0].game().to_move();
            let report = think(&mut players[color.index()], self.simulations);
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
    fn session(&self, geometry: &'static Geometry, v: Vertex, number: u64) -> Session {
        let mut session = Session::new(geometry);
        session.set_network(Arc::clone(&self.network));
        session.set_search_options(self.options.clone());
        let stone = (geometry.side() as u64) << 16 | u64::from(v.0);
        session.set_seed(self.seed ^ stone << 32 ^ number);
        session.play(Color::White, Move::Place(v)).expect("the board is empty");
        session
    }
}

fn think(session: &mut Session, simulations: u64) -> crate::search::Report {
    let limits = Limits { simulations: Some(simulations), ..Limits::default() };
    let color = session.game().to_move();
    let analysis = session.search(color, &limits, &StopFlag::new(), None).expect("the game is not over");
    analysis.report.clone()
}

/// The value of every first stone where a solution is published: on side 4 the first player wins wherever the first
/// stone is (Ewalds, *Playing and Solving the Game of Havannah*, 2012).
fn published(side: usize) -> Option<Verdict> {
    (side == 4).then_some(Verdict::Win)
}
