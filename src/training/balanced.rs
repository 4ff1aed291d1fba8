//! Balanced openings for matches ([`crate::arena::openings`]): positions of a few stones in which a search gives both
//! players about the same chance.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::analysis::prediction::predict;
use crate::board::{Game, Geometry, Vertex};
use crate::nn::Backend;
use crate::search::{Limits, Options};
use crate::session::{self, Move, Session, StopFlag};

/// The number of stones of an opening.
pub const STONES: RangeInclusive<usize> = 3..=6;
/// The chances of the player to move that count as balanced.
pub const BALANCED: RangeInclusive<f64> = 0.4..=0.6;
/// A short search must find a chance in this range before a deep one is made.
const PROMISING: RangeInclusive<f64> = 0.35..=0.65;
/// The short search has this part of the simulations of the deep one.
const SHORT: u64 = 10;
/// Moves are drawn from the policy with this temperature, so that openings differ more than games do (as in KataGo's
/// openings of self-play: Wu, *Accelerating Self-Play Learning in Go*, 2019).
const TEMPERATURE: f64 = 1.5;

/// How balanced openings are found.
#[derive(Clone)]
pub struct BalancedPlan {
    /// Simulations of the deep search.
    pub simulations: u64,
    /// The options of the search.
    pub options: Options,
    /// The network that draws the moves and guides the search.
    pub network: Arc<dyn Backend>,
    /// The seed of all random numbers.
    pub seed: u64,
}

impl BalancedPlan {
    /// Draws an opening: the first stone from all vertices, the others from the network's policy. The same number always
    /// gives the same opening. Returns `None` if the game ended on the way.
    pub fn draw(&self, geometry: &'static Geometry, number: u64) -> Option<Vec<Vertex>> {
        let mut rng = self.random_numbers(geometry, number);
        let stones = rng.random_range(STONES);
        let mut game = Game::new(geometry);
        let mut opening = Vec::with_capacity(stones);
        for i in 0..stones {
            let v = match i {
                0 => geometry.vertex(rng.random_range(0..geometry.vertex_count())).expect("the index is on the board"),
                _ => draw_move(&game, &*self.network, &mut rng),
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
    /// balanced or the result is proven. The search depends on the seed and the opening only.
    pub fn balance(&self, geometry: &'static Geometry, opening: &[Vertex]) -> Option<f64> {
        let short = (self.simulations / SHORT).max(1);
        [(short, PROMISING), (self.simulations, BALANCED)].into_iter().try_fold(0.5, |_, (simulations, range)| {
            self.search(geometry, opening, simulations).filter(|chance| range.contains(chance))
        })
    }

    /// The chance of the player to move, or `None` if the result is proven.
    fn search(&self, geometry: &'static Geometry, opening: &[Vertex], simulations: u64) -> Option<f64> {
        let (search, network) = (self.options.clone(), Arc::clone(&self.network));
        let mut session = Session::new(geometry, session::Options { search, network, ..Default::default() });
        session.set_seed(self.seed);
        for &v in opening {
            session.play(session.game().to_move(), Move::Place(v)).expect("the opening is legal");
        }
        let limits = Limits { simulations: Some(simulations), ..Limits::default() };
        let color = session.game().to_move();
        let analysis = session.search(color, &limits, &StopFlag::new(), None).expect("the game is not over");
        let report = &analysis.report;
        report.verdict.is_none().then_some(report.win_rate)
    }

    /// Finds the balanced openings among those of these numbers, with their chances, in the order of the numbers.
    pub fn find(&self, geometry: &'static Geometry, numbers: Range<u64>) -> Vec<(Vec<Vertex>, f64)> {
        let openings = numbers.filter_map(|number| self.draw(geometry, number));
        openings.filter_map(|opening| self.balance(geometry, &opening).map(|chance| (opening, chance))).collect()
    }

    fn random_numbers(&self, geometry: &Geometry, number: u64) -> Xoshiro256PlusPlus {
        let run = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ (geometry.side() as u64) << 48).random::<u64>();
        Xoshiro256PlusPlus::seed_from_u64(run.wrapping_add(number))
    }
}

/// A move drawn from the policy at [`TEMPERATURE`].
fn draw_move(game: &Game, network: &dyn Backend, rng: &mut Xoshiro256PlusPlus) -> Vertex {
    let mut moves = predict(game, network).moves;
    for (_, p) in &mut moves {
        *p = p.powf(1.0 / TEMPERATURE);
    }
    let sum: f64 = moves.iter().map(|(_, p)| p).sum();
    let mut left = rng.random_range(0.0..sum);
    for &(v, p) in &moves {
        if left < p {
            return v;
        }
        left -= p;
    }
    moves.last().expect("the board is not full").0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::Network;

    fn plan(simulations: u64) -> BalancedPlan {
        let options = Options { memory: 16, ..Options::default() };
        BalancedPlan { simulations, options, network: Network::builtin(), seed: 3 }
    }

    #[test]
    fn openings_depend_on_their_number_and_are_found_in_its_order() {
        let (plan, board) = (plan(60), Geometry::of(5).unwrap());
        let all = plan.find(board, 0..40);
        assert!((3..40).contains(&all.len()), "{}", all.len());
        let parts = [plan.find(board, 0..15), plan.find(board, 15..40)].concat();
        assert_eq!(all, parts);
        for (opening, chance) in &all {
            assert!(STONES.contains(&opening.len()) && BALANCED.contains(chance));
            assert_eq!(plan.balance(board, opening), Some(*chance));
        }
    }

    #[test]
    fn unbalanced_and_won_positions_are_left_out() {
        let board = Geometry::of(4).unwrap();
        let opening = |text: &str| -> Vec<Vertex> {
            let parse = |name| crate::board::Notation::HavannahGui.parse(board, name).unwrap();
            text.split(' ').map(parse).collect()
        };
        // White has three stones of a bridge, and it is White's turn.
        assert_eq!(plan(200).balance(board, &opening("a1 d4 a2 d5 a3 c4")), None);
    }
}
