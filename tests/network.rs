//! Networks from the outside: another backend in a search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use malecon::board::{Game, Geometry};
use malecon::nn::{Backend, Evaluation, Evaluator, Input, Network};
use malecon::search::{Limits, Options, Report, Searcher};

/// A backend that likes one vertex and knows nothing else. It counts its evaluations.
#[derive(Default)]
struct Fake {
    favourite: usize,
    evaluations: Arc<AtomicUsize>,
}

impl Backend for Fake {
    fn evaluator(&self, _: &'static Geometry) -> Box<dyn Evaluator> {
        Box::new(Fake { favourite: self.favourite, evaluations: self.evaluations.clone() })
    }
}

impl Evaluator for Fake {
    fn evaluate(&mut self, _: &Input<'_>, evaluation: &mut Evaluation) {
        *evaluation = Evaluation::default();
        evaluation.policy[self.favourite] = 5.0;
        self.evaluations.fetch_add(1, Relaxed);
    }
}

fn search(searcher: &mut Searcher, game: &Game) -> Report {
    let limits = Limits { simulations: Some(200), ..Limits::default() };
    searcher.search(game, &limits, &AtomicBool::new(false))
}

fn searcher() -> Searcher {
    Searcher::new(Options { leaf_playouts: 0, ..Options::default() }, 1)
}

#[test]
fn a_search_asks_the_backend_it_was_given() {
    let game = Game::new(Geometry::of(8).unwrap());
    let mut searcher = searcher();
    for favourite in [17, 80] {
        let fake = Arc::new(Fake { favourite, ..Fake::default() });
        searcher.set_network(fake.clone());
        let report = search(&mut searcher, &game);
        assert_eq!(report.best.index(), favourite);
        // A tree kept from the former backend would have brought its visits along.
        assert_eq!(report.moves.iter().map(|m| m.visits).sum::<u64>(), 200);
        assert!((150..=250).contains(&fake.evaluations.load(Relaxed)), "{:?}", fake.evaluations);
    }
}

#[test]
fn the_network_compiled_in_is_the_default() {
    let game = Game::new(Geometry::of(6).unwrap());
    let visits = |searcher: &mut Searcher| search(searcher, &game).moves.iter().map(|m| m.visits).collect::<Vec<_>>();
    let expected = visits(&mut searcher());
    let mut other = searcher();
    other.set_network(Arc::new(Fake::default()));
    assert_ne!(visits(&mut other), expected);
    // The same random numbers from the start.
    let mut other = searcher();
    other.set_network(Network::builtin());
    assert_eq!(visits(&mut other), expected);
}

/// A batch gives what its positions give one by one.
#[test]
fn batches_agree_with_single_evaluations() {
    let geometry = Geometry::of(6).unwrap();
    let mut games = vec![Game::new(geometry)];
    for k in 0..8 {
        let mut game = games[k].clone();
        game.play(geometry.vertex(11 * k + 3).unwrap()).unwrap();
        games.push(game);
    }
    let inputs: Vec<Input<'_>> =
        games.iter().enumerate().map(|(k, game)| Input { symmetry: k % 12, ..Input::of(game) }).collect();
    let mut evaluator = Network::builtin().evaluator(geometry);
    let mut batch = vec![Evaluation::default(); inputs.len()];
    evaluator.evaluate_batch(&inputs, &mut batch);
    for (input, expected) in inputs.iter().zip(&batch) {
        let mut evaluation = Evaluation::default();
        evaluator.evaluate(input, &mut evaluation);
        assert_eq!(evaluation, *expected);
        assert_ne!(evaluation, Evaluation::default());
    }
}
