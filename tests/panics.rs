//! A panic affects only the search or the command in which it happens. Here a network panics, or the reader of queries,
//! or the receiver of answers.

use std::io::{self, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::SeqCst};
use std::sync::mpsc::channel;

use malecon::engine::inspect::prediction::predict;
use malecon::engine::search::Limits;
use malecon::engine::session::{EngineOptions, SearchError, Session, StopFlag};
use malecon::engine::solver::Solver;
use malecon::game::{Color, Game, Geometry, Move, Notation, Vertex};
use malecon::network::{Backend, Evaluation, Evaluator, Input, Network, Networks};
use malecon::protocols::gtp::{self, Engine};
use malecon::protocols::json::scheduler::{Scheduler, WhenFull};
use malecon::protocols::json::streams::{Conversation, End};
use malecon::protocols::json::{Answer, QuerySettings};
use serde_json::{Value, json};

use crate::scratch::Scratch;

/// The built-in networks with injected panics.
struct Faulty {
    /// Evaluations until the panic.
    left: Arc<AtomicI64>,
    /// Whether it panics at every evaluation from then on, or only once.
    for_good: bool,
}

impl Backend for Faulty {
    fn evaluator(&self, geometry: &'static Geometry) -> Box<dyn Evaluator> {
        let (left, for_good) = (Arc::clone(&self.left), self.for_good);
        Box::new(FaultyEvaluator { evaluator: Networks::Builtin.evaluator(geometry), left, for_good })
    }
}

struct FaultyEvaluator {
    evaluator: Box<dyn Evaluator>,
    left: Arc<AtomicI64>,
    for_good: bool,
}

impl Evaluator for FaultyEvaluator {
    fn evaluate(&mut self, input: &Input<'_>, evaluation: &mut Evaluation) {
        let left = self.left.fetch_sub(1, SeqCst);
        assert!(left > 0 || (left < 0 && !self.for_good), "injected");
        self.evaluator.evaluate(input, evaluation);
    }
}

/// A network that panics when it makes an evaluator.
struct Broken;

impl Backend for Broken {
    fn evaluator(&self, _: &'static Geometry) -> Box<dyn Evaluator> {
        panic!("injected");
    }
}

fn session(side: usize, moves: &str, options: &[(&str, &str)]) -> Session {
    let mut session = Session::on_side(side).unwrap();
    for (name, value) in [("seed", "1"), ("memory", "4")].iter().chain(options) {
        session.set_option(name, value).unwrap();
    }
    for name in moves.split_whitespace() {
        let v = vertex(&session, name);
        session.play(Move::Place(v)).unwrap();
    }
    session
}

fn set_network(session: &mut Session, network: Arc<dyn Backend>) {
    session.set_options(EngineOptions { network, ..session.options().clone() });
}

fn vertex(session: &Session, name: &str) -> Vertex {
    Notation::HavannahGui.parse(session.game().geometry(), name).unwrap()
}

/// The move that the built-in network prefers, which is played without a search.
fn favourite(session: &Session) -> Vertex {
    let moves = predict(session.game().board(), &Networks::Builtin).moves;
    moves.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0
}

/// The other threads do not wait for one that has panicked, even when the tree is full and all have to prune it
/// together. The next search is complete.
#[test]
fn a_panic_in_a_search_thread_costs_only_that_search() {
    for (threads, evaluations) in [("1", 0), ("1", 300), ("3", 0), ("3", 2500)] {
        let mut session = session(10, "e5 g7", &[("threads", threads), ("simulations", "6000")]);
        let left = Arc::new(AtomicI64::new(evaluations));
        set_network(&mut session, Arc::new(Faulty { left: Arc::clone(&left), for_good: false }));
        let limits = session.limits(Color::White);
        let error = session.search().color(Color::White).limits(limits).run().unwrap_err();
        assert!(matches!(&error, SearchError::Failed(reason) if reason == "injected"), "{threads} threads: {error}");
        let limits = Limits::with_simulations(200);
        let analysis = session.search().color(Color::White).limits(limits).run().unwrap();
        assert_eq!(analysis.report.simulations, 200);
    }
}

#[test]
fn a_failed_search_still_gives_a_move() {
    for threads in ["1", "3"] {
        for for_good in [false, true] {
            let mut session = session(6, "e5 c4", &[("threads", threads), ("simulations", "500")]);
            set_network(&mut session, Arc::new(Faulty { left: Arc::new(AtomicI64::new(40)), for_good }));
            let expected = Move::Place(favourite(&session));
            assert_eq!(session.search().color(Color::White).make_move(), Ok(expected));
            assert_eq!(session.game().len(), 3);
            assert!(session.last_analysis().is_none());
        }
    }
}

#[test]
fn without_a_search_a_win_is_taken_and_the_opponents_win_is_stopped() {
    for threads in ["1", "3"] {
        let mut session = session(3, "a1 c3 a2 d4", &[("threads", threads), ("simulations", "50")]);
        set_network(&mut session, Arc::new(Broken));
        let a3 = Move::Place(vertex(&session, "a3"));
        for color in Color::ALL {
            assert_eq!(session.search().color(color).choose_move(), Ok(a3));
        }
    }
}

#[test]
fn a_search_beside_the_caller_and_pondering_survive_panics_too() {
    let mut session = session(5, "", &[("ponder", "true"), ("simulations", "50")]);
    session.search().color(Color::White).make_move().unwrap();
    set_network(&mut session, Arc::new(Broken));
    assert_eq!(session.ponder(&StopFlag::new()), 0);
    let found = session.think(Color::Black, &Limits::default()).unwrap().wait();
    assert!(matches!(found, Err(SearchError::Failed(_))), "{found:?}");
}

/// The other threads of a proof end with the one that has panicked: this position takes them hours.
#[test]
fn a_panic_in_a_thread_of_the_solver_ends_the_others() {
    let geometry = Geometry::with_side(6).unwrap();
    let network = Faulty { left: Arc::new(AtomicI64::new(20)), for_good: false };
    let mut solver = Solver::with_threads(geometry, 1 << 20, 3).unwrap().guided_by(&network);
    let solve = || solver.solve(Game::new(geometry).position(), Color::White, u64::MAX).is_some();
    assert!(catch_unwind(AssertUnwindSafe(solve)).is_err());
}

#[test]
fn a_command_that_panics_is_answered_and_leaves_the_position() {
    let mut session = session(4, "a1 c3", &[("simulations", "50")]);
    set_network(&mut session, Arc::new(Broken));
    let favourite = Notation::HavannahGui.name(session.game().geometry(), favourite(&session));
    let options = gtp::GtpOptions { session: session.options().clone(), ..gtp::GtpOptions::default() };
    let mut engine = Engine::new(session.game().geometry(), options);
    let mut ask = |line: &str| engine.respond(line).unwrap();
    assert_eq!([ask("play white a1"), ask("play black c3")], ["=\n\n", "=\n\n"]);
    assert_eq!(ask("7 analyze_prediction"), "?7 internal error: injected\n\n");
    assert_eq!(ask("history"), "= a1 c3\n\n");
    assert_eq!(ask("genmove white"), format!("= {favourite}\n\n"));
    assert_eq!(ask("history"), format!("= a1 c3 {favourite}\n\n"));
}

/// A stream of one query, which panics when it is read again.
struct FaultyStream {
    is_read: bool,
}

impl Read for FaultyStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        assert!(!std::mem::replace(&mut self.is_read, true), "injected");
        (&b"{\"id\": \"v\", \"action\": \"version\"}\n"[..]).read(buffer)
    }
}

#[test]
fn a_conversation_ends_if_reading_its_queries_panics() {
    let scheduler = Scheduler::new(QuerySettings::new(session(4, "", &[]).options().clone()), 1).unwrap();
    let input = BufReader::new(FaultyStream { is_read: false });
    let end = Conversation::begin(&scheduler, input, io::sink()).unwrap().wait();
    assert!(matches!(&end, End::Unreadable(error) if error.to_string() == "internal error: injected"), "{end:?}");
}

/// The file of the network is gone by the time of the panic.
#[test]
fn a_session_that_begins_again_after_a_panic_keeps_its_network() {
    let file = Scratch::new("gone.bin");
    let other = Network::builtin_large();
    other.save(&file).unwrap();
    let mut options = EngineOptions::default();
    options.set("network", file.path()).unwrap();
    drop(file);
    let scheduler = Scheduler::new(QuerySettings::new(options.clone()), 1).unwrap();
    let (answers, answered) = channel();
    let is_first = AtomicBool::new(true);
    let sink = move |answer: &Answer| {
        assert!(!is_first.swap(false, SeqCst), "injected");
        answers.send(answer.to_json()).unwrap();
    };
    let client = scheduler.client(Arc::new(sink), WhenFull::Wait);
    for _ in 0..2 {
        assert!(client.submit(r#"{"id": "p", "side": 4, "moves": ["a1"], "want": ["prediction"]}"#));
    }
    let answers: [Value; 2] = std::array::from_fn(|_| serde_json::from_str(&answered.recv().unwrap()).unwrap());
    assert_eq!(answers[0]["error"], "internal error: injected");
    let mut game = Game::new(Geometry::with_side(4).unwrap());
    game.play(game.geometry().vertices().next().unwrap()).unwrap();
    let [kept, builtin] =
        [&*options.network, &*EngineOptions::default().network].map(|network| predict(&game, network).win);
    assert_ne!(kept, builtin);
    let found = answers[1]["prediction"]["win_rate"].as_f64().unwrap();
    assert!((found - kept).abs() < 1e-6, "{found} {kept}");
}

#[test]
fn a_query_that_panics_is_answered_with_an_error() {
    let scheduler = Scheduler::new(QuerySettings::new(session(4, "", &[]).options().clone()), 1).unwrap();
    let left = AtomicI64::new(0);
    let (answers, answered) = channel();
    let sink = move |answer: &Answer| {
        assert!(left.fetch_sub(1, SeqCst) != 0, "injected");
        answers.send(answer.to_json()).unwrap();
    };
    let client = scheduler.client(Arc::new(sink), WhenFull::Wait);
    assert!(client.submit(r#"{"id": "v", "action": "version"}"#));
    let answer: Value = serde_json::from_str(&answered.recv().unwrap()).unwrap();
    assert_eq!(answer, json!({"id": "v", "field": null, "error": "internal error: injected"}));
}
