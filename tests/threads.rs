//! Searches with two to eight threads and small limits, in sessions that ponder, are interrupted, and take moves back.
//! Their trees are often full. Each search must end, with a move that can be played.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use malecon::engine::search::Limits;
use malecon::engine::session::{Analysis, SearchError, Session, StopFlag};
use malecon::game::Move;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// No search of a few simulations takes so long, on any machine and under any sanitizer.
const PATIENCE: Duration = Duration::from_secs(300);

/// A session with random options, in which a tree of side 10 is full after fifty simulations.
fn random_session(rng: &mut Xoshiro256PlusPlus) -> Session {
    let mut session = Session::on_side(*[3, 4, 5, 6, 10, 10].choose(rng).unwrap()).unwrap();
    let threads = rng.random_range(2..=8).to_string();
    let preset = ["default", "default", "rave", "paper", "plain"].choose(rng).unwrap();
    for (name, value) in [("preset", *preset), ("threads", &threads), ("memory", "4"), ("ponder", "true")] {
        session.set_option(name, value).unwrap();
    }
    // These let the tree grow faster. No preset has both.
    for (name, value) in [("expand_visits", "1"), ("leaf_playouts", "0")] {
        let _ = session.set_option(name, value);
    }
    session.set_option("simulations", &rng.random_range(1..100).to_string()).unwrap();
    session
}

/// Calls a function with a flag that another thread raises soon.
fn interrupted<T>(rng: &mut Xoshiro256PlusPlus, work: impl FnOnce(&StopFlag) -> T) -> T {
    let (stop, after) = (StopFlag::new(), Duration::from_micros(rng.random_range(0..3000)));
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(after);
            stop.stop();
        });
        work(&stop)
    })
}

/// One search, and whatever it needs.
fn search(session: &mut Session, rng: &mut Xoshiro256PlusPlus) {
    let (color, never) = (session.game().to_move(), StopFlag::new());
    let few = Limits::with_simulations(rng.random_range(0..100));
    let playable = |session: &Session, found: Result<Arc<Analysis>, SearchError>| {
        let best = found.unwrap().report.best;
        assert!(session.game().legal_moves().contains(&Move::Place(best)), "{best:?}");
    };
    match rng.random_range(0..6) {
        0 => {
            let found = session.search().color(color).limits(few).stop(&never).run();
            playable(session, found);
        }
        1 => {
            let found =
                interrupted(rng, |stop| session.search().color(color).limits(Limits::default()).stop(stop).run());
            playable(session, found);
        }
        2 => drop(session.think(color, &Limits::default()).unwrap()),
        3 => {
            let thinking = session.think(color, &few).unwrap();
            if rng.random() {
                thinking.stop();
            }
            playable(session, thinking.wait());
        }
        4 if session.game().move_count() > 0 => session.undo(1).unwrap(),
        _ => {
            session.search().color(color).stop(&never).make_move().unwrap();
            interrupted(rng, |stop| session.ponder(stop));
        }
    }
}

/// Makes this many searches in sessions with random options, and reports each when it has ended.
fn search_at_random(seed: u64, searches: u32, ended: &Sender<u32>) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut session = random_session(&mut rng);
    for number in 0..searches {
        if session.game().is_over() || rng.random_range(0..12) == 0 {
            session = random_session(&mut rng);
        }
        search(&mut session, &mut rng);
        ended.send(number).unwrap();
    }
}

fn searches_end(seed: u64, searches: u32) {
    let (ended, ends) = channel();
    let searching = thread::spawn(move || search_at_random(seed, searches, &ended));
    let hangs = (0..searches).find(|_| ends.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout));
    assert_eq!(hangs, None, "this search with seed {seed} does not end");
    searching.join().unwrap();
}

#[test]
fn random_searches_with_threads_end() {
    searches_end(1, 200);
}

#[test]
#[ignore = "takes long: run by .ci/nightly"]
fn twenty_thousand_random_searches_with_threads_end() {
    (0..40).for_each(|seed| searches_end(seed, 500));
}
