//! What training the network ([`crate::network`]) needs from the engine: games against itself ([`play_game`]), and
//! samples of what its searches found in them ([`export`]). The trainer, in `training/`, is written in Python. The
//! search with the new network plays better games to train the next one on (Silver et al., *Mastering the game of Go
//! without human knowledge*, 2017).
//!
//! | module | contents |
//! |---|---|
//! | `selfplay` | the games |
//! | `solved` | positions whose value is exact |
//! | [`costs`] | what it costs the solver to prove winning moves |
//! | `export` | samples for the trainer |
//! | [`calibration`] | whether the chances shown to users are true |
//! | [`metrics`] | how well a network predicts games that it was not trained on |
//! | [`balanced`] | balanced openings for matches |
//! | [`first_stones`] | what each first stone is worth, for the pie rule |

pub mod balanced;
pub mod calibration;
pub mod costs;
mod export;
pub mod first_stones;
pub mod metrics;
mod selfplay;
mod solved;

use std::sync::Arc;

use rand::{Rng, RngExt};

use crate::engine::search::{Limits, SearchError, SearchOptions, SearchReport};
use crate::engine::session::{self, Session};
use crate::game::{Geometry, Move, Vertex};
use crate::network::Backend;

pub use export::{ExportPlan, Exported, export};
pub use selfplay::{Origin, SearchedPosition, SelfPlayGame, SelfPlayPlan, Sides, play_game};
pub use solved::SolvedLine;

/// How positions are searched, for openings of matches and for what first stones are worth.
#[derive(Clone, Debug)]
pub struct SearchPlan {
    /// Simulations of a search.
    pub simulations: u64,
    /// The options of the search.
    pub options: SearchOptions,
    /// The network that guides the search.
    pub network: Arc<dyn Backend>,
    /// The seed of all random numbers.
    pub seed: u64,
}

impl SearchPlan {
    /// A game that begins with these stones, placed in turn, and a search with random numbers of this seed.
    fn session(&self, geometry: &'static Geometry, stones: &[Vertex], seed: u64) -> Session {
        let search = self.options.clone();
        let network = Arc::clone(&self.network);
        let mut session = Session::new(geometry, session::EngineOptions { search, network, ..Default::default() });
        session.set_seed(seed);
        for &v in stones {
            session.play(Move::Place(v)).expect("the stones are legal moves");
        }
        session
    }
}

/// Searches for the next move.
fn search(session: &mut Session, simulations: u64) -> Result<SearchReport, SearchError> {
    let limits = Limits::with_simulations(simulations);
    let color = session.game().to_move();
    let analysis = session.search_unseen(color, &limits)?;
    Ok(analysis.report.clone())
}

/// The temperature at which stones of openings are drawn from the network's policy, so that openings differ more than
/// games do (like in KataGo's self-play: Wu, *Accelerating Self-Play Learning in Go*, 2019).
const TEMPERATURE: f64 = 1.5;

/// A move drawn from the network's policy at [`TEMPERATURE`].
fn draw_from_policy(policy: Vec<(Vertex, f64)>, rng: &mut impl Rng) -> Vertex {
    let weights: Vec<_> = policy.into_iter().map(|(v, p)| (v, p.powf(1.0 / TEMPERATURE))).collect();
    draw(&weights, rng).expect("some move is likely")
}

/// One of these, drawn in proportion to its weight; `None` if all weights are 0.
fn draw<T: Copy>(weights: &[(T, f64)], rng: &mut impl Rng) -> Option<T> {
    let all: f64 = weights.iter().map(|(_, weight)| weight).sum();
    let mut left = rng.random_range(0.0..all.max(f64::MIN_POSITIVE));
    let drawn = weights.iter().find(|(_, weight)| {
        left -= weight;
        left < 0.0
    });
    drawn.map(|&(drawn, _)| drawn)
}
