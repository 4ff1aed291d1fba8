//! The typed session: what front ends rely on.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use malecon::base::options::{OptionError, OptionKind};
use malecon::engine::search::{Limits, TimeControl, Verdict};
use malecon::engine::session::{Event, MoveError, SearchError, Session, StopFlag};
use malecon::engine::solver::{Solver, Sources, prove};
use malecon::game::record::{Format, read, write};
use malecon::game::{Color, Game, Geometry, Move, Notation, Vertex};
use malecon::network::Network;
use malecon::proof::Root;
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::scratch::Scratch;

fn session(side: usize, moves: &str) -> Session {
    let mut session = Session::on_side(side).unwrap();
    session.set_option("seed", "1").unwrap();
    session.set_option("memory", "16").unwrap();
    for name in moves.split_whitespace() {
        let m = place(&session, name);
        session.play(m).unwrap();
    }
    session
}

fn place(session: &Session, name: &str) -> Move {
    Move::Place(vertex(session, name))
}

fn vertex(session: &Session, name: &str) -> Vertex {
    Notation::HavannahGui.parse(session.game().geometry(), name).unwrap()
}

fn simulations(count: u64) -> Limits {
    Limits::with_simulations(count)
}

#[test]
fn a_search_beside_the_caller_finds_what_a_search_in_front_of_it_finds() {
    let mut in_front = session(5, "e5 d4");
    let expected = in_front.search().color(Color::White).simulations(500).run().unwrap();
    let mut beside = session(5, "e5 d4");
    let found = beside.think(Color::White, &simulations(500)).unwrap().wait().unwrap();
    assert_eq!((found.report.best, found.report.simulations), (expected.report.best, 500));
    assert_eq!(found.report.win_rate.to_bits(), expected.report.win_rate.to_bits());
    assert_eq!((&found.stones, found.to_move), (&expected.stones, Color::White));
    assert_eq!(beside.last_analysis().unwrap().report.pv, expected.report.pv);
}

#[test]
fn a_search_is_watched_asked_and_stopped_from_other_threads() {
    let mut session = session(6, "");
    let mut thinking = session.think(Color::White, &Limits::default()).unwrap();
    let progress = AtomicUsize::new(0);
    let stop = thinking.stop_flag();
    thread::scope(|scope| {
        scope.spawn(|| {
            while progress.load(SeqCst) < 2 {
                thread::sleep(Duration::from_millis(5));
            }
            stop.stop();
        });
        // The session itself answers while the search runs.
        while session.last_analysis().is_none() {
            assert!(!thinking.is_finished());
            thread::sleep(Duration::from_millis(5));
        }
        let mut finished = 0;
        while let Some(event) = thinking.next_event() {
            match event {
                Event::Progress(analysis) => {
                    assert_eq!(finished, 0);
                    assert!(analysis.report.simulations > 0 && analysis.report.pv[0] == analysis.report.best);
                    progress.fetch_add(1, SeqCst);
                }
                Event::Finished(analysis) => {
                    assert!(analysis.unwrap().report.simulations > 0);
                    finished += 1;
                }
            }
        }
        assert_eq!(finished, 1);
    });
    assert!(progress.into_inner() >= 2 && thinking.try_next_event().is_none());
}

#[test]
fn dropping_a_search_stops_it_and_the_session_goes_on() {
    let mut session = session(6, "");
    drop(session.think(Color::White, &Limits::default()).unwrap());
    session.set_option("simulations", "50").unwrap();
    session.search().color(Color::White).make_move().unwrap();
    assert_eq!(session.game().len(), 1);
    let elsewhere = thread::spawn(move || drop(session.think(Color::Black, &Limits::default()).unwrap()));
    elsewhere.join().unwrap();
}

#[test]
fn another_search_a_new_game_and_other_options_stop_the_one_that_runs() {
    let mut session = session(6, "");
    let first = session.think(Color::White, &Limits::default()).unwrap();
    let second = session.think(Color::White, &Limits::default()).unwrap();
    assert!(first.wait().is_ok());
    session.set_option("c_puct", "1.5").unwrap();
    assert!(second.wait().is_ok());
    let third = session.think(Color::White, &Limits::default()).unwrap();
    session.new_game(Geometry::with_side(4).unwrap());
    assert!(third.wait().is_ok());
    assert!(session.last_analysis().is_none(), "the new game knows nothing of the old one's search");
    let fourth = session.think(Color::White, &Limits::default()).unwrap();
    let last = session.search().color(Color::White).simulations(100).run().unwrap();
    assert!(last.report.simulations <= 100 && fourth.wait().is_ok());
}

#[test]
fn moves_may_be_played_while_a_search_runs() {
    let mut session = session(6, "");
    let thinking = session.think(Color::White, &Limits::default()).unwrap();
    let f6 = place(&session, "f6");
    session.play_as(Color::White, f6).unwrap();
    thinking.stop();
    let analysis = thinking.wait().unwrap();
    assert!(analysis.stones.is_empty() && session.game().len() == 1);
}

#[test]
fn a_stopped_flag_ends_a_search_at_once_with_a_move() {
    let mut session = session(6, "");
    let stop = StopFlag::new();
    stop.stop();
    let analysis = session.search().color(Color::White).limits(Limits::default()).stop(&stop).run().unwrap();
    assert!(analysis.report.simulations <= 16 && !analysis.report.moves.is_empty());
    stop.reset();
    assert!(!stop.is_stopped());
}

#[test]
fn nothing_is_searched_or_made_after_the_end() {
    let mut ended = session(3, "a1 c3 a2 d4 a3");
    let stop = StopFlag::new();
    assert_eq!(ended.search().color(Color::Black).stop(&stop).make_move(), Err(SearchError::GameOver));
    assert_eq!(
        ended.search().color(Color::Black).simulations(10).stop(&stop).run().unwrap_err(),
        SearchError::GameOver
    );
    assert!(ended.think(Color::Black, &simulations(10)).is_err());
    assert!(ended.search().stop(&stop).analyze().unwrap().is_none());
    // After a resignation there is no move to make, but a position to look at.
    let mut resigned = session(3, "a1 c3");
    resigned.play_as(Color::White, Move::Resign).unwrap();
    assert_eq!(resigned.search().color(Color::White).stop(&stop).choose_move(), Err(SearchError::GameOver));
    assert!(resigned.search().color(Color::White).simulations(10).stop(&stop).run().is_ok());
}

#[test]
fn all_moves_are_played_or_none() {
    let mut session = session(3, "a1");
    let [b2, c3, a1] = ["b2", "c3", "a1"].map(|name| place(&session, name));
    let moves = [(Color::Black, b2), (Color::White, c3), (Color::Black, a1)];
    let (index, error) = session.play_all(&moves).unwrap_err();
    assert_eq!((index, error.to_string(), session.game().len()), (2, "a1 is occupied by white".into(), 1));
    session.play_all(&moves[..2]).unwrap();
    assert_eq!(session.game().len(), 3);
    assert_eq!(session.play_as(Color::Black, Move::Swap), Err(MoveError::SwapOff));
    assert!(session.undo(4).is_err() && session.game().len() == 3);
}

/// What was found earlier does not wait for whoever reads late.
#[test]
fn a_late_reader_gets_the_newest_result_and_the_end() {
    let mut session = session(8, "");
    let limits = Limits::with_time(Duration::from_secs(2));
    let mut thinking = session.think(Color::White, &limits).unwrap();
    while !thinking.is_finished() {
        thread::sleep(Duration::from_millis(10));
    }
    let events: Vec<Event> = std::iter::from_fn(|| thinking.next_event()).collect();
    let [before @ .., Event::Finished(Ok(last))] = &events[..] else { panic!("{events:?}") };
    assert!(before.len() <= 1, "{} results wait", before.len());
    if let [Event::Progress(found)] = before {
        assert!(2 * found.report.simulations > last.report.simulations, "{:?}", found.report);
    }
}

/// Also after an analysis, which a front end asks for after each move.
#[test]
fn the_engine_thinks_on_the_opponents_time_after_its_own_moves() {
    let mut session = session(5, "");
    session.set_option("ponder", "true").unwrap();
    session.set_option("simulations", "30").unwrap();
    let pondered = |session: &mut Session| {
        let stop = StopFlag::new();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(20));
                stop.stop();
            });
            session.ponder(&stop)
        })
    };
    assert_eq!(pondered(&mut session), 0);
    session.search().make_move().unwrap();
    assert!(pondered(&mut session) > 0);
    session.search().color(Color::White).run().unwrap();
    assert!(pondered(&mut session) > 0);
    let v = session.game().board().position().empty_vertices().next().unwrap();
    session.play_as(Color::Black, Move::Place(v)).unwrap();
    assert_eq!(pondered(&mut session), 0);
}

/// On boards that the engine's other front ends do not offer.
#[test]
fn a_game_on_a_board_that_is_not_regular_is_played_to_its_end() {
    for shape in ["4-4-5", "3-5-6"] {
        let board = Geometry::with_shape(shape.parse().unwrap());
        let mut session = session(4, "");
        session.new_game(board);
        session.set_option("simulations", "30").unwrap();
        while !session.game().is_over() {
            session.search().make_move().unwrap();
        }
        let game = session.game().board();
        let stones = game.stones().count();
        assert!(game.outcome().is_some() && stones > 10, "{shape}: {stones} stones");
        let folder = Scratch::folder("shape");
        let error = session.save_file(&folder.join("game.sgf"), Format::Sgf).unwrap_err();
        assert!(error.to_string().contains("six equal sides") && folder.names().is_empty(), "{error}");
        session.save_file(&folder.join("game.txt"), Format::Position).unwrap();
        let line = std::fs::read_to_string(folder.join("game.txt")).unwrap();
        assert_eq!(line.trim_end(), session.game().board().position_string());
        // What is known of the first stones of side 4 says nothing about this board.
        session.new_game(board);
        session.set_option("swap", "true").unwrap();
        session.search().make_move().unwrap();
        assert!(matches!(session.search().make_move(), Ok(Move::Place(_) | Move::Swap)), "{shape}");
    }
}

#[test]
fn the_engine_swaps_resigns_and_opens_by_its_options() {
    let stop = StopFlag::new();
    // On side 2 a corner makes two threats at once.
    let mut swapping = session(2, "");
    swapping.set_option("swap", "true").unwrap();
    swapping.set_option("simulations", "2000").unwrap();
    let a1 = place(&swapping, "a1");
    swapping.play_as(Color::White, a1).unwrap();
    assert_eq!(swapping.search().color(Color::Black).stop(&stop).make_move(), Ok(Move::Swap));
    assert_eq!(swapping.game().moves()[1], (Color::Black, Move::Swap));
    // Whoever has less than a certain win resigns, but the game goes on until somebody ends it.
    let mut resigning = session(4, "d4");
    resigning.set_option("simulations", "100").unwrap();
    resigning.set_option("resign", "true").unwrap();
    resigning.set_option("resign_below", "1").unwrap();
    assert_eq!(resigning.search().color(Color::Black).stop(&stop).make_move(), Ok(Move::Resign));
    assert_eq!((resigning.game().len(), resigning.game().is_over()), (1, false));
    assert_ne!(resigning.last_analysis().unwrap().report.verdict, Some(Verdict::Win));
}

/// Some programs let Black begin.
#[test]
fn either_colour_may_place_the_first_stone_under_the_pie_rule() {
    let first_stone = |side, options: &[(&str, &str)], seed: u64| {
        let mut session = session(side, "");
        for (name, value) in
            [&[("swap", "true"), ("simulations", "100"), ("seed", &seed.to_string())], options].concat()
        {
            session.set_option(name, value).unwrap();
        }
        match session.search().color(Color::Black).choose_move() {
            Ok(Move::Place(v)) => v,
            other => panic!("{other:?}"),
        }
    };
    let stones: HashSet<Vertex> = (0..30).map(|seed| first_stone(5, &[], seed)).collect();
    assert!(stones.len() > 5, "one of the fair stones, drawn at random: {stones:?}");
    first_stone(4, &[("resign", "true"), ("resign_below", "1")], 1);
}

/// White wins on side 2 with any first stone, but not if Black takes it over.
#[test]
fn nobody_is_ahead_while_there_may_be_a_swap() {
    let mut session = session(2, "a1");
    assert!(session.race().unwrap().leader.is_some());
    session.set_option("swap", "true").unwrap();
    assert_eq!(session.race().unwrap().leader, None);
    session.play("b3").unwrap();
    assert!(session.race().is_some());
}

/// It may not swap its own stone.
#[test]
fn a_player_who_moves_twice_is_told_nothing_of_a_swap() {
    let mut session = session(5, "");
    for (name, value) in [("swap", "true"), ("simulations", "200")] {
        session.set_option(name, value).unwrap();
    }
    let e5 = place(&session, "e5");
    session.play_as(Color::White, e5).unwrap();
    let mut line = |color| session.search().color(color).run().unwrap().line();
    assert_eq!(line(Color::Black)[0], Move::Swap);
    assert!(!line(Color::White).contains(&Move::Swap));
    assert!(matches!(session.search().color(Color::White).choose_move(), Ok(Move::Place(_))));
}

#[test]
fn clocks_limit_moves_and_run_down() {
    let mut session = session(6, "");
    assert_eq!(session.limits(Color::White).hard, Some(Duration::from_secs(5)));
    let minute = Duration::from_secs(60);
    session.clock_mut().set_control(TimeControl { main: minute, byo_yomi: Duration::ZERO, stones: 0 });
    session.set_option("simulations", "50").unwrap();
    let limits = session.limits(Color::White);
    assert!(limits.simulations == Some(50) && limits.soft.unwrap() < minute && limits.hard.is_some());
    session.search().color(Color::White).make_move().unwrap();
    let left = |session: &Session, color| session.clock().left(color).unwrap().0;
    assert!(left(&session, Color::White) < minute && left(&session, Color::Black) == minute);
    session.new_game(session.game().geometry());
    assert_eq!(left(&session, Color::White), minute);
}

#[test]
fn options_have_types_and_refuse_what_does_not_fit() {
    let mut session = session(4, "");
    let options = session.options().list();
    let kind = |name: &str| options.iter().find(|option| option.name == name).map(|option| option.kind.clone());
    assert_eq!(kind("swap"), Some(OptionKind::Bool));
    assert_eq!(kind("threads"), Some(OptionKind::Integer { min: 1, max: 256 }));
    assert!(matches!(kind("preset"), Some(OptionKind::Choice { choices }) if choices.contains(&"paper")));
    assert_eq!(kind("horizon"), None, "it has no effect under the default method");
    assert!(matches!(session.set_option("horizon", "off"), Err(OptionError::OtherMethod { .. })));
    assert!(matches!(session.set_option("threads", "0"), Err(OptionError::Value { name: "threads", .. })));
    assert!(matches!(session.set_option("thread", "1"), Err(OptionError::Unknown(_))));
    assert_eq!(session.options().list(), options, "nothing has changed");
    session.set_option("Analysis-Playouts", "77").unwrap();
    assert_eq!(session.options().session.analysis_playouts, 77, "upper case and hyphens are accepted");
}

/// A network that cannot be used leaves the one in use in its place; another one is used and named.
#[test]
fn networks_are_loaded_from_files_and_bad_ones_are_refused() {
    let folder = Scratch::folder("session");
    let file = |name: &str, bytes: &[u8]| folder.write(name, bytes);
    let builtin = Network::builtin();
    let (good, cut) = (file("good.bin", &builtin.to_bytes()), file("cut.bin", &builtin.to_bytes()[..1000]));
    let mut session = session(4, "d4");
    let before = session.prediction().win;
    for bad in [&cut[..], folder.path(), "missing.bin"] {
        let error = session.set_option("network", bad).unwrap_err();
        assert!(error.to_string().starts_with(&format!("cannot use '{bad}' for network: ")), "{error}");
        assert_eq!((session.options().session.network.0.is_none(), session.prediction().win), (true, before));
    }
    // Without the weights from the hidden units to the value, and its bias, all positions are even.
    let mut weights = builtin.weights().to_vec();
    let value = weights.len() - builtin.architecture().hidden() - 1;
    weights[value..].fill(0.0);
    let other = Network::new(builtin.architecture(), weights, "no value").unwrap();
    session.set_option("network", &file("even.bin", &other.to_bytes())).unwrap();
    assert_eq!(session.prediction().win, 0.5);
    assert!(session.search().color(Color::Black).simulations(50).run().is_ok());
    session.set_option("network", &good).unwrap();
    assert_eq!(session.prediction().win, before);
    session.set_option("network", "built-in").unwrap();
    assert_eq!(session.options().session.network.0, None);
}

/// A proof of the empty board of side 3, as the bytes of its file.
fn proof_of_side_3() -> Vec<u8> {
    let game = Game::new(Geometry::with_side(3).unwrap());
    let mut solver = Solver::new(game.geometry(), 1 << 20).unwrap();
    let sources = Sources::new(&mut solver);
    let mut file = Vec::new();
    prove(&mut file, &[Root::new(&game, Color::White).unwrap()], sources, &mut |_| true).unwrap();
    file
}

/// Plays white in some games on side 3 against random stones, with hardly any search. Returns how many of them white
/// wins, and in how many positions the search did not know that it wins.
fn play_side_3(session: &mut Session, games: usize) -> (usize, usize) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let stop = StopFlag::new();
    let (mut won, mut doubts) = (0, 0);
    for _ in 0..games {
        session.new_game(Geometry::with_side(3).unwrap());
        while !session.game().is_over() {
            let color = session.game().to_move();
            let m = match color {
                Color::White => {
                    let m = session.search().color(color).simulations(1).stop(&stop).choose_move().unwrap();
                    let analysis = session.last_analysis().unwrap();
                    doubts += usize::from(analysis.report.verdict != Some(Verdict::Win));
                    m
                }
                Color::Black => {
                    Move::Place(session.game().board().position().empty_vertices().choose(&mut rng).unwrap())
                }
            };
            session.play_as(color, m).unwrap();
        }
        won += usize::from(session.game().board().outcome().unwrap().winner() == Some(Color::White));
    }
    (won, doubts)
}

#[test]
fn a_proven_win_is_played_out() {
    let folder = Scratch::folder("proofs");
    std::fs::create_dir_all(folder.join("empty")).unwrap();
    let proof = proof_of_side_3();
    let (good, cut) = (folder.write("side3.proof", &proof), folder.write("cut", &proof[..proof.len() - 1]));
    let mut session = session(3, "");
    session.set_option("solver_rate", "0").unwrap();
    let (_, doubts) = play_side_3(&mut session, 50);
    assert!(doubts > 50, "{doubts}");
    for bad in [&cut[..], &folder.within("empty"), "missing.proof"] {
        let error = session.set_option("proofs", bad).unwrap_err();
        assert!(error.to_string().starts_with(&format!("cannot use '{bad}' for proofs: ")), "{error}");
        assert_eq!(session.options().session.proofs.0, None);
    }
    for path in [&good[..], folder.path()] {
        session.set_option("proofs", path).unwrap();
        assert_eq!(play_side_3(&mut session, 50), (50, 0));
    }
    session.set_option("proofs", "none").unwrap();
    assert!(play_side_3(&mut session, 50).1 > 50);
}

#[test]
fn a_game_is_saved_and_loaded_with_its_notes() {
    let mut session = session(5, "");
    session.set_option("simulations", "50").unwrap();
    session.set_option("annotate", "true").unwrap();
    session.search().color(Color::White).make_move().unwrap();
    let text = write(&[session.record()], Format::Sgf);
    assert!(text.contains("PW[Malecon ") && text.contains(" 50 simulations]"), "{text}");
    let record = read(text.as_bytes(), None).unwrap().remove(0);
    let moves = session.game().moves();
    session.new_game(Geometry::with_side(6).unwrap());
    assert!(session.load(record.clone(), Some(9)).is_err() && session.game().geometry().side() == 6);
    session.load(record.clone(), None).unwrap();
    assert_eq!((session.game().moves(), session.game().geometry().side()), (moves, 5));
    session.load(record, Some(1)).unwrap();
    assert!(session.game().is_empty());
    session.play_as(Color::White, Move::Resign).unwrap();
    assert!(write(&[session.record()], Format::Sgf).contains("RE[B+R]"));
}

#[test]
fn what_is_known_without_a_search() {
    let session = session(3, "a1 c3 a2 d4");
    let a3 = vertex(&session, "a3");
    let wins: Vec<Vertex> = session.winning_vertices(Color::White).into_iter().map(|(v, _)| v).collect();
    assert_eq!((wins, session.winning_vertices(Color::Black).len()), (vec![a3], 0));
    assert_eq!(session.stones_to_win(Color::White)[a3.index()], Some(1));
    assert_eq!(session.chains().len(), 2);
    let prediction = session.prediction();
    assert!((prediction.moves.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-9);
    assert!((0.0..=1.0).contains(&prediction.win));
    let statistics = session.playout_statistics(0, || false);
    assert!(statistics.win_rate(Color::White) + statistics.win_rate(Color::Black) <= 1.0 + 1e-9);
    assert_eq!(session.game().legal_moves().len(), 15);
}
