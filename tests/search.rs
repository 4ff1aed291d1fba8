//! The search as its users see it: what it proves, what it never does, what it repeats.

mod recorded;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use malecon::board::{Color, Game, Geometry, Notation};
use malecon::search::{Limits, Options, Preset, Report, Searcher, Verdict};
use recorded::Record;

fn game(side: usize, moves: &[&str]) -> Game {
    let mut game = Game::new(Geometry::of(side).unwrap());
    for name in moves {
        game.play(Notation::HavannahGui.parse(game.geometry(), name).unwrap()).unwrap();
    }
    game
}

fn playouts(playouts: u64) -> Limits {
    Limits { simulations: Some(playouts), ..Limits::default() }
}

fn search(searcher: &mut Searcher, game: &Game, limits: &Limits) -> Report {
    searcher.search(game, limits, &AtomicBool::new(false))
}

#[test]
fn side_three_is_proven_a_win_for_the_first_player() {
    for preset in ["default", "plain"] {
        let mut options = Options::default();
        options.assign("preset", preset).unwrap();
        let report = search(&mut Searcher::new(options, 1), &game(3, &[]), &playouts(2_000_000));
        assert_eq!(report.verdict, Some(Verdict::Win), "{preset}: {} playouts", report.simulations);
        assert_eq!(report.win_rate, 1.0);
    }
}

#[test]
fn a_win_in_one_is_played_in_every_special_game() {
    for record in Record::data("special_games.jsonl").iter().filter(|record| matches!(record.winner(), Some("w" | "b")))
    {
        let mut game = record.replay_without(1);
        let report = search(&mut Searcher::new(Options::default(), 1), &game, &playouts(100));
        assert_eq!(report.verdict, Some(Verdict::Win));
        assert!(!game.play(report.best).unwrap().is_empty(), "{}", record.place);
    }
}

#[test]
fn a_single_threat_is_stopped() {
    let mut threats = 0;
    for record in Record::data("special_games.jsonl") {
        let before = record.replay_without(2);
        let (color, position) = (before.to_move(), before.position());
        let winning = |c: Color| position.empty_vertices().filter(move |&v| !position.completes(c, v).is_empty());
        if winning(color).next().is_none() && winning(!color).count() == 1 {
            threats += 1;
            let report = search(&mut Searcher::new(Options::default(), 1), &before, &playouts(100));
            assert_eq!(Some(report.best), winning(!color).next(), "{}", record.place);
        }
    }
    assert!(threats > 20, "{threats}");
}

/// Positions whose value other programs have proven: what the search proves agrees, and a good part of it is proven in no time.
#[test]
fn nothing_false_is_proven() {
    let (mut proven, mut known) = (0, 0);
    for record in Record::data("solved.jsonl") {
        let game = record.replay();
        let report = search(&mut Searcher::new(Options::default(), 1), &game, &playouts(20_000));
        let value = record.value();
        known += value.is_some() as usize;
        if let Some(verdict) = report.verdict {
            let winner = verdict.winner(game.to_move()).map_or("draw".to_owned(), |c| c.to_string());
            assert!(value.is_none_or(|value| value == winner), "{}: {winner} was proven", record.place);
            proven += value.is_some() as usize;
        }
    }
    assert!(4 * proven > known, "{proven} of {known}");
}

/// Beside the search the solver proves that Black wins here by a move that the search alone does not think of for long.
#[test]
fn the_solver_finds_what_the_search_does_not() {
    let game = game(4, &["c4", "b5", "a1", "b3", "c2", "d1", "g4", "d6", "d3"]);
    let a4 = Notation::HavannahGui.parse(game.geometry(), "a4").unwrap();
    let with = search(&mut Searcher::new(Options::default(), 1), &game, &playouts(200));
    assert_eq!((with.verdict, with.best), (Some(Verdict::Win), a4));
    let alone = Options { solver_rate: 0.0, ..Options::default() };
    assert_eq!(search(&mut Searcher::new(alone, 1), &game, &playouts(200)).verdict, None);
}

/// A root that the solver proves lost is reported as lost, and its best move is a legal one; also by two threads.
#[test]
fn a_lost_position_is_known_to_be_lost() {
    let game = game(4, &["g6", "e2", "f4", "b2", "f3"]);
    for threads in [1, 2] {
        let options = Options { threads, ..Options::default() };
        let report = search(&mut Searcher::new(options, 1), &game, &playouts(100_000));
        assert_eq!((report.verdict, report.win_rate), (Some(Verdict::Loss), 0.0));
        assert!(game.position().is_empty(report.best));
    }
}

#[test]
fn one_thread_with_one_seed_repeats_itself_and_another_seed_does_not() {
    let run = |side, seed| {
        let mut searcher = Searcher::new(Options::default(), seed);
        let mut game = game(side, &[]);
        let mut played = Vec::new();
        for _ in 0..6 {
            let report = search(&mut searcher, &game, &playouts(500));
            assert!(report.simulations == 500 || report.verdict.is_some());
            played.push((report.best, report.win_rate.to_bits(), report.pv.clone()));
            game.play(report.best).unwrap();
        }
        played
    };
    for side in [4, 5] {
        assert_eq!(run(side, 1), run(side, 1));
        assert_ne!(run(side, 1), run(side, 2));
    }
}

#[test]
fn the_tree_is_kept_while_the_game_goes_on_and_only_then() {
    let mut searcher = Searcher::new(Options::default(), 1);
    let mut game = game(5, &["e5", "c4"]);
    let first = search(&mut searcher, &game, &playouts(20_000));
    for &v in &first.pv[..2] {
        game.play(v).unwrap();
    }
    let total = |report: &Report| report.moves.iter().map(|m| m.visits).sum::<u64>();
    assert!(total(&search(&mut searcher, &game, &playouts(16))) > 16);
    game.undo(1).unwrap();
    assert_eq!(total(&search(&mut searcher, &game, &playouts(16))), 16);
}

/// Even a search that is stopped before it begins sees what one move decides.
#[test]
fn a_stopped_search_has_an_answer() {
    let stop = AtomicBool::new(true);
    let game = game(8, &[]);
    let report = Searcher::new(Options::default(), 1).search(&game, &Limits::default(), &stop);
    assert!(game.position().is_empty(report.best) && report.simulations > 0);
}

#[test]
fn two_threads_share_the_work_and_the_proofs() {
    for preset in [Preset::Default, Preset::Rave] {
        let options = Options { threads: 2, ..Options::preset(preset) };
        let report = search(&mut Searcher::new(options.clone(), 1), &game(3, &[]), &playouts(2_000_000));
        assert_eq!(report.verdict, Some(Verdict::Win));
        let report = search(&mut Searcher::new(options, 1), &game(8, &[]), &playouts(10_000));
        assert_eq!(report.simulations, 10_000);
        // Threads count without locks: when two count at the same instant, one of the two can be lost. No more than few
        // are.
        let counted = report.moves.iter().map(|m| m.visits).sum::<u64>();
        assert!((9_000..=10_000).contains(&counted), "{counted}");
    }
}

/// With so little memory the tree is pruned over and over; the search goes on, and wins what is won.
#[test]
fn a_small_memory_bounds_the_tree_and_not_the_search() {
    for (threads, preset) in [(1, Preset::Default), (3, Preset::Default), (1, Preset::Rave), (3, Preset::Rave)] {
        let options = Options { memory: 4, expand_visits: 1, threads, ..Options::preset(preset) };
        let mut searcher = Searcher::new(options, 1);
        let report = search(&mut searcher, &game(10, &[]), &playouts(20_000));
        assert_eq!(report.simulations, 20_000);
        assert!(searcher.tree_bytes() <= 4 << 20, "{} bytes", searcher.tree_bytes());
    }
    let options = Options { memory: 4, expand_visits: 1, ..Options::default() };
    assert_eq!(search(&mut Searcher::new(options, 1), &game(3, &[]), &playouts(5_000_000)).verdict, Some(Verdict::Win));
}

#[test]
fn a_limit_of_time_ends_the_search() {
    let start = Instant::now();
    let limits = Limits { time: Some(Duration::from_millis(50)), ..Limits::default() };
    let report = search(&mut Searcher::new(Options::default(), 1), &game(10, &[]), &limits);
    assert!(report.simulations > 0 && report.elapsed >= Duration::from_millis(50));
    // No bound on a busy machine's delays: this only tells a search that ends from one that does not.
    assert!(start.elapsed() < Duration::from_secs(30));
}

/// With one move that does not lose there is nothing to think about, where the time saved is of use later.
#[test]
fn a_forced_move_is_played_at_once_where_that_saves_time() {
    let game = game(5, &["a1", "e5", "a2", "e6", "a3", "f6", "a4"]);
    let time = Some(Duration::from_secs(3600));
    let limits = Limits { time, longest: time, ..Limits::default() };
    let report = search(&mut Searcher::new(Options::default(), 1), &game, &limits);
    assert_eq!(Notation::HavannahGui.name(game.geometry(), report.best), "a5");
    assert!(report.simulations < 100, "{}", report.simulations);
}
