//! The search as its users see it: what it proves, what it never does, what is reproducible.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use malecon::engine::inspect::prediction::predict;
use malecon::engine::search::{Limits, Preset, SearchOptions, SearchReport, Searcher, Verdict};
use malecon::engine::solver::{Solution, Solver, positions_after};
use malecon::game::{Color, Game, Geometry, Notation, Vertex};
use malecon::network::Network;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::recorded::Record;

fn game(side: usize, moves: &[&str]) -> Game {
    let mut game = Game::new(Geometry::with_side(side).unwrap());
    for name in moves {
        game.play(Notation::HavannahGui.parse(game.geometry(), name).unwrap()).unwrap();
    }
    game
}

fn simulations(simulations: u64) -> Limits {
    Limits::with_simulations(simulations)
}

fn search(searcher: &mut Searcher, game: &Game, limits: &Limits) -> SearchReport {
    searcher.search(game, limits, &AtomicBool::new(false)).unwrap()
}

#[test]
fn side_three_is_proven_a_win_for_the_first_player() {
    for preset in ["default", "plain"] {
        let mut options = SearchOptions::default();
        options.assign("preset", preset).unwrap();
        let report = search(&mut Searcher::new(options, 1), &game(3, &[]), &simulations(2_000_000));
        assert_eq!(report.verdict, Some(Verdict::Win), "{preset}: {} simulations", report.simulations);
        assert_eq!(report.win_rate, 1.0);
    }
}

#[test]
fn a_win_in_one_is_played_in_every_special_game() {
    for record in Record::data("special_games.jsonl").iter().filter(|record| matches!(record.winner(), Some("w" | "b")))
    {
        let mut game = record.replay_without(1);
        let report = search(&mut Searcher::new(SearchOptions::default(), 1), &game, &simulations(100));
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
            let report = search(&mut Searcher::new(SearchOptions::default(), 1), &before, &simulations(100));
            assert_eq!(Some(report.best), winning(!color).next(), "{}", record.place);
        }
    }
    assert!(threats > 20, "{threats}");
}

/// Positions that other programs have solved: what the search proves agrees with them, and it soon proves many.
#[test]
fn nothing_false_is_proven() {
    let (mut proven, mut known) = (0, 0);
    for record in Record::data("solved.jsonl") {
        let game = record.replay();
        let report = search(&mut Searcher::new(SearchOptions::default(), 1), &game, &simulations(5_000));
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

/// The solver proves that Black wins here by a move that the search alone takes long to consider.
#[test]
fn the_solver_finds_what_the_search_does_not() {
    let game = game(4, &["c4", "b5", "a1", "b3", "c2", "d1", "g4", "d6", "d3"]);
    let a4 = Notation::HavannahGui.parse(game.geometry(), "a4").unwrap();
    let with = search(&mut Searcher::new(SearchOptions::default(), 1), &game, &simulations(200));
    assert_eq!((with.verdict, with.best), (Some(Verdict::Win), a4));
    let alone = SearchOptions { solver_rate: 0.0, ..SearchOptions::default() };
    assert_eq!(search(&mut Searcher::new(alone, 1), &game, &simulations(200)).verdict, None);
}

/// A root that the solver proves lost is reported as lost, with a legal move, by one thread and by two.
/// With few simulations, and with and without the solver beside the search. In each position, other moves lose.
#[test]
fn a_draw_is_kept() {
    for position in ["b1w/wb1b/bww1w/1w1b/1bw b", "b2/wwbb/1w1ww/1bbb/bww w", "bw1/wb1w/wwbwb/bb2/wbw b"] {
        let game = Game::from_position(position).unwrap();
        let value = |game: &Game| {
            let mut solver = Solver::new(game.geometry(), 1 << 20).unwrap();
            solver.solve(game.position(), game.to_move(), u64::MAX)
        };
        assert_eq!(value(&game), Some(Solution::Draw));
        for (preset, solver_rate, count) in [
            ("default", "16", 1),
            ("default", "16", 10),
            ("rave", "16", 10),
            ("default", "0", 20_000),
            ("rave", "0", 100_000),
            ("plain", "0", 100_000),
        ] {
            let mut options = SearchOptions::default();
            options.assign("preset", preset).unwrap();
            options.assign("solver_rate", solver_rate).unwrap();
            for seed in 0..10 {
                let report = search(&mut Searcher::new(options.clone(), seed), &game, &simulations(count));
                let mut after = game.clone();
                after.play(report.best).unwrap();
                assert_eq!(report.win_rate, 0.5, "{position} {preset} {solver_rate} {count}");
                assert!(
                    after.outcome().is_some() || value(&after) == Some(Solution::Draw),
                    "{position} {preset} {solver_rate}"
                );
            }
        }
    }
}

#[test]
fn a_lost_position_is_known_to_be_lost() {
    let game = game(4, &["g6", "e2", "f4", "b2", "f3"]);
    for threads in [1, 2] {
        let options = SearchOptions { threads, ..SearchOptions::default() };
        let report = search(&mut Searcher::new(options, 1), &game, &simulations(100_000));
        assert_eq!((report.verdict, report.win_rate), (Some(Verdict::Loss), 0.0));
        assert!(game.position().is_empty(report.best));
    }
}

#[test]
fn one_thread_with_the_same_seed_repeats_itself_and_with_another_does_not() {
    let run = |side, seed| {
        let mut searcher = Searcher::new(SearchOptions::default(), seed);
        let mut game = game(side, &[]);
        let mut played = Vec::new();
        for _ in 0..6 {
            let report = search(&mut searcher, &game, &simulations(500));
            assert!(report.simulations == 500 || report.verdict.is_some());
            played.push((report.best, report.win_rate.to_bits(), report.pv.clone()));
            game.play(report.best).unwrap();
        }
        played
    };
    for side in [5, 6] {
        assert_eq!(run(side, 1), run(side, 1));
        assert_ne!(run(side, 1), run(side, 2));
    }
}

/// Nothing of what stood in the tree and in the solver's table is used again.
#[test]
fn a_new_game_in_the_same_memory_is_played_as_the_first_one() {
    for side in [4, 5] {
        let options = SearchOptions { memory: 8, ..SearchOptions::default() };
        let mut searcher = Searcher::new(options, 7);
        let play = |searcher: &mut Searcher| {
            searcher.set_seed(1);
            let mut game = game(side, &[]);
            let mut played = Vec::new();
            for _ in 0..6 {
                let report = search(searcher, &game, &simulations(1500));
                played.push((report.best, report.win_rate.to_bits(), report.simulations, report.pv.clone()));
                game.play(report.best).unwrap();
            }
            (played, searcher.tree_bytes())
        };
        let first = play(&mut searcher);
        search(&mut searcher, &game(side, &["b2", "c3"]), &simulations(5000));
        let bytes = searcher.tree_bytes();
        assert!(bytes >= first.1);
        assert_eq!(play(&mut searcher), first);
    }
}

/// What the tree was full of decides nothing: neither how much of it there was, nor how its memory was divided.
#[test]
fn a_search_with_a_seed_is_the_same_after_any_other() {
    let options = SearchOptions { memory: 6, ..SearchOptions::default() };
    let found = |searcher: &mut Searcher, moves: &[&str]| {
        searcher.set_seed(1);
        let report = search(searcher, &game(6, moves), &simulations(12_000));
        let visits: Vec<_> = report.moves.iter().map(|m| (m.vertex, m.visits)).collect();
        (visits, report.win_rate.to_bits(), searcher.tree_bytes())
    };
    let positions = [&[][..], &["f6", "e4", "g8"]];
    let first = positions.map(|moves| found(&mut Searcher::new(options.clone(), 7), moves));
    // A chunk has up to 2 MiB.
    assert!(first.iter().all(|(.., bytes)| *bytes > 4 << 20), "the trees are full");
    let mut searcher = Searcher::new(options, 7);
    for _ in 0..2 {
        assert_eq!(positions.map(|moves| found(&mut searcher, moves)), first);
    }
}

/// The positions are much too hard to be solved in so few simulations.
#[test]
fn solved_positions_of_side_4_are_known_unless_the_option_is_off() {
    let mut game = game(4, &["a2", "a4"]);
    for verdict in [Verdict::Win, Verdict::Loss] {
        let report = |solved_positions| {
            let options = SearchOptions { memory: 8, solver_rate: 0.0, solved_positions, ..SearchOptions::default() };
            search(&mut Searcher::new(options, 1), &game, &simulations(200))
        };
        let known = report(true);
        assert_eq!((known.verdict, known.simulations), (Some(verdict), 0));
        assert_eq!(report(false).verdict, None);
        game.play(known.best).unwrap();
    }
}

/// With little time, an earlier engine gave this position away with e6.
#[test]
fn a_won_position_of_side_4_is_won_without_a_search() {
    let game = game(4, &["b5", "c3", "a4", "a1", "c5", "d7"]);
    let report = search(&mut Searcher::new(SearchOptions::default(), 1), &game, &simulations(1));
    let best = Notation::HavannahGui.name(game.geometry(), report.best);
    assert_eq!((best.as_str(), report.verdict), ("a3", Some(Verdict::Win)));
}

/// White wins side 4 after every opening of two stones. It does not let the win go, however little it searches: what is
/// not in the table is easy for the solver, which looks at each position before the first simulation.
#[test]
fn won_openings_of_side_4_are_won_with_few_simulations() {
    let geometry = Geometry::with_side(4).unwrap();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut openings = positions_after(geometry, 2);
    openings.shuffle(&mut rng);
    for opening in &openings[..24] {
        let searcher = |seed| Searcher::new(SearchOptions { memory: 32, ..SearchOptions::default() }, seed);
        let [mut white, mut black] = [1, 2].map(searcher);
        let mut game = Game::new(geometry);
        opening.iter().for_each(|&v| _ = game.play(v).unwrap());
        // Black begins with up to three random replies.
        let mut random = rng.random_range(0..4);
        while game.outcome().is_none() {
            let empty: Vec<Vertex> = game.position().empty_vertices().collect();
            let v = match game.to_move() {
                Color::White => search(&mut white, &game, &simulations(16)).best,
                Color::Black if random > 0 => {
                    random -= 1;
                    *empty.choose(&mut rng).unwrap()
                }
                Color::Black => search(&mut black, &game, &simulations(16)).best,
            };
            game.play(v).unwrap();
        }
        let winner = game.outcome().and_then(|outcome| outcome.winner());
        assert_eq!(winner, Some(Color::White), "{opening:?}: {:?}", game.history());
    }
}

/// Positions of side 4 that the player to move wins, and that the solver does not settle before the first simulation,
/// with a winning move.
#[test]
fn won_positions_of_side_4_are_kept_with_few_simulations() {
    for (moves, winning) in
        [("c5 a2 g5 d4 c4 a1", "a4"), ("d4 e4 d3 g5 d6 c1 a4", "g4"), ("c1 c4 g7 d7 e5 e3 c3", "a4")]
    {
        let game = game(4, &moves.split(' ').collect::<Vec<_>>());
        for seed in 1..=3 {
            let mut searcher = Searcher::new(SearchOptions { memory: 64, ..SearchOptions::default() }, seed);
            let best = search(&mut searcher, &game, &simulations(200)).best;
            assert_eq!(Notation::HavannahGui.name(game.geometry(), best), winning, "{moves}, seed {seed}");
        }
    }
}

/// In hard positions of side 4 that the player to move wins, nineteen of twenty moves keep the win. The search is too
/// short to prove them, and the solver says which do.
#[test]
#[ignore = "takes long: run by .ci/run"]
fn most_won_positions_of_side_4_are_kept_with_few_simulations() {
    let (mut moves, mut lost) = (0, Vec::new());
    for record in Record::data("hard.jsonl") {
        let game = record.replay();
        let player = game.to_move();
        if game.geometry().side() != 4 || record.fields["value"] != *player.to_string() {
            continue;
        }
        let mut keeps = HashMap::new();
        for seed in 1..=3 {
            let mut searcher = Searcher::new(SearchOptions { memory: 64, ..SearchOptions::default() }, seed);
            let best = search(&mut searcher, &game, &simulations(200)).best;
            let keeps = *keeps.entry(best).or_insert_with(|| {
                let mut after = game.clone();
                after.play(best).unwrap();
                let solver = Solver::new(game.geometry(), 64 << 20).unwrap();
                let mut solver = solver.guided_by(&*Network::builtin_solver());
                solver.solve(after.position(), !player, u64::MAX) == Some(Solution::Loss)
            });
            moves += 1;
            if !keeps {
                lost.push(format!("{}, seed {seed}: {best:?}", record.place));
            }
        }
    }
    assert!(moves == 60 && lost.len() * 20 <= moves, "{} of {moves} lost: {lost:?}", lost.len());
}

#[test]
fn the_tree_is_kept_while_the_game_goes_on_and_only_then() {
    let mut searcher = Searcher::new(SearchOptions::default(), 1);
    let mut game = game(5, &["e5", "c4"]);
    let first = search(&mut searcher, &game, &simulations(20_000));
    for &v in &first.pv[..2] {
        game.play(v).unwrap();
    }
    let total = |report: &SearchReport| report.moves.iter().map(|m| m.visits).sum::<u64>();
    assert!(total(&search(&mut searcher, &game, &simulations(16))) > 16);
    game.undo(1).unwrap();
    assert_eq!(total(&search(&mut searcher, &game, &simulations(16))), 16);
}

/// Even a search that is stopped before it begins makes a few simulations.
#[test]
fn a_stopped_search_has_an_answer() {
    let stop = AtomicBool::new(true);
    let game = game(8, &[]);
    let report = Searcher::new(SearchOptions::default(), 1).search(&game, &Limits::default(), &stop).unwrap();
    assert!(game.position().is_empty(report.best) && report.simulations > 0);
}

#[test]
fn two_threads_share_the_work_and_the_proofs() {
    for preset in [Preset::Default, Preset::Rave] {
        let options = SearchOptions { threads: 2, ..SearchOptions::preset(preset) };
        let report = search(&mut Searcher::new(options.clone(), 1), &game(3, &[]), &simulations(2_000_000));
        assert_eq!(report.verdict, Some(Verdict::Win));
        let report = search(&mut Searcher::new(options, 1), &game(8, &[]), &simulations(10_000));
        assert_eq!(report.simulations, 10_000);
        // Threads count without locks: if two count at the same instant, one of the counts can be lost. That is rare.
        let counted = report.moves.iter().map(|m| m.visits).sum::<u64>();
        assert!((9_000..=10_000).contains(&counted), "{counted}");
    }
}

/// With little memory the tree is pruned again and again; the search goes on and proves a win.
#[test]
#[ignore = "takes long: run by .ci/run"]
fn a_small_memory_limits_the_tree_but_not_the_search() {
    for (threads, preset) in [(1, Preset::Default), (3, Preset::Default), (1, Preset::Rave), (3, Preset::Rave)] {
        let mut options = SearchOptions { memory: 4, threads, ..SearchOptions::preset(preset) };
        options.rave.expand_visits = 1;
        let mut searcher = Searcher::new(options, 1);
        let report = search(&mut searcher, &game(10, &[]), &simulations(20_000));
        assert_eq!(report.simulations, 20_000);
        assert!(searcher.tree_bytes() <= 4 << 20, "{} bytes", searcher.tree_bytes());
    }
    let options = SearchOptions { memory: 4, ..SearchOptions::default() };
    assert_eq!(
        search(&mut Searcher::new(options, 1), &game(3, &[]), &simulations(5_000_000)).verdict,
        Some(Verdict::Win)
    );
}

/// The tree is full as often as not when a search ends: a thread that then waits to prune it waits for no thread that
/// has already made its last simulation.
#[test]
fn searches_that_end_with_a_full_tree_end() {
    for preset in [Preset::Default, Preset::Rave] {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let mut options = SearchOptions { memory: 4, threads: 3, ..SearchOptions::preset(preset) };
            options.rave.expand_visits = 1;
            options.puct.leaf_playouts = 0;
            let mut searcher = Searcher::new(options, 1);
            for _ in 0..500 {
                search(&mut searcher, &game(10, &[]), &simulations(48));
            }
            sender.send(searcher.tree_bytes()).expect("the test waits");
        });
        // A generous bound, for busy machines.
        let bytes = receiver.recv_timeout(Duration::from_secs(120)).expect("every search ends");
        assert!(bytes <= 4 << 20, "{bytes} bytes");
    }
}

/// The field is public, and 0 is what many programs take for "as many as there are".
#[test]
fn without_threads_one_searches() {
    let options = SearchOptions { threads: 0, ..SearchOptions::default() };
    let report = search(&mut Searcher::new(options, 1), &game(5, &[]), &Limits::with_simulations(20));
    assert!(report.simulations >= 20);
}

#[test]
fn a_time_limit_ends_the_search() {
    let limits = Limits::with_time(Duration::from_millis(50));
    let report = search(&mut Searcher::new(SearchOptions::default(), 1), &game(10, &[]), &limits);
    assert!(report.simulations > 0 && report.elapsed >= Duration::from_millis(50));
}

/// Extreme options make single simulations and the solver's share of the work long. Searches for threats and the solver
/// end when the time is up. One simulation is always made, with all of its playouts.
#[test]
fn long_simulations_and_the_solver_end_with_the_time() {
    let over = Limits::with_time(Duration::ZERO);
    let mut options = SearchOptions::default();
    options.puct.leaf_playouts = 1000;
    options.solved_positions = false;
    assert_eq!(search(&mut Searcher::new(options, 1), &game(4, &[]), &over).simulations, 1);
    let threats = SearchOptions { threat_search_visits: 1, threat_search_nodes: 1_000_000, ..SearchOptions::default() };
    assert_eq!(search(&mut Searcher::new(threats, 1), &game(8, &["a1", "h8"]), &over).simulations, 1);
    let game = game(4, &["c4", "b5", "a1", "b3", "c2", "d1", "g4", "d6", "d3"]);
    let solver = || Searcher::new(SearchOptions { solver_rate: 1000.0, memory: 16, ..SearchOptions::default() }, 1);
    assert_eq!(search(&mut solver(), &game, &simulations(16)).verdict, Some(Verdict::Win));
    assert_eq!(search(&mut solver(), &game, &over).verdict, None);
}

/// A lost position with 138 moves, most of which lose to one of a few replies. With that in mind, they need not be
/// searched one by one: 51 simulations prove it, and without replays, 1,000 do not.
#[test]
fn what_refutes_one_move_refutes_others() {
    let moves = "e8 l7 h3 k5 c3 l10 l9 j9 g3 k8 k9 j8 f3 n11 d2 m9 b2 k10 l8 m8 k7 j6 i2 j7 a2 k6 m10 m11 n10 o11 d3";
    let game = game(8, &moves.split(' ').collect::<Vec<_>>());
    let report = |replay_nodes: u32| {
        let options = SearchOptions { replay_nodes, ..SearchOptions::default() };
        search(&mut Searcher::new(options, 1), &game, &simulations(300))
    };
    let (with, without) = (report(SearchOptions::default().replay_nodes), report(0));
    assert_eq!((with.verdict, without.verdict), (Some(Verdict::Loss), None));
    assert!(with.moves.len() > 100 && with.simulations < 200, "{}", with.simulations);
    assert!(with.moves.iter().all(|m| m.verdict == Some(Verdict::Loss)));
}

/// If all moves but one lose, there is nothing to think about, provided that time saved is of use later.
#[test]
fn a_forced_move_is_played_at_once_where_that_saves_time() {
    let game = game(5, &["a1", "e5", "a2", "e6", "a3", "f6", "a4"]);
    let time = Some(Duration::from_secs(3600));
    let limits = Limits { soft: time, hard: time, ..Limits::default() };
    let report = search(&mut Searcher::new(SearchOptions::default(), 1), &game, &limits);
    assert_eq!(Notation::HavannahGui.name(game.geometry(), report.best), "a5");
    assert!(report.simulations < 100, "{}", report.simulations);
}

/// The value of a position with a single open move is that of its visits; moves without visits have none.
#[test]
fn a_forced_position_has_an_estimate_and_unvisited_moves_have_none() {
    let game = game(5, &["a1", "e5", "a2", "e6", "a3", "f6", "a4"]);
    for preset in [Preset::Default, Preset::Rave] {
        let report = search(&mut Searcher::new(SearchOptions::preset(preset), 1), &game, &simulations(200));
        let best = report.moves.iter().find(|m| m.vertex == report.best).unwrap();
        assert_eq!((report.verdict, best.win_rate), (None, Some(report.win_rate)));
        assert!(best.visits > 0 && report.moves.len() > 50);
        assert!(report.moves.iter().all(|m| m.win_rate.is_some() == (m.visits > 0)));
        assert!(report.moves.iter().all(|m| m.verdict == Some(Verdict::Loss) || m.vertex == report.best));
    }
}

/// A search without simulations still estimates the position: by the network, or without it by RAVE's prior.
#[test]
fn without_simulations_the_estimate_is_the_networks() {
    let game = game(5, &["e5", "c4", "e6"]);
    let report = search(&mut Searcher::new(SearchOptions::default(), 1), &game, &simulations(0));
    assert_eq!((report.simulations, report.to_move), (0, Color::Black));
    assert!((report.win_rate - predict(&game, &*Network::builtin()).win).abs() < 1e-6);
    let report = search(&mut Searcher::new(SearchOptions::preset(Preset::Plain), 1), &game, &simulations(0));
    assert!((report.win_rate - 0.5).abs() < 1e-6);
}

#[test]
fn reports_have_priors_of_the_network_and_lines_of_the_most_visited_moves() {
    let game = game(6, &["e5", "c4"]);
    let report = search(&mut Searcher::new(SearchOptions::default(), 1), &game, &simulations(2000));
    let policy = predict(&game, &*Network::builtin_for(6)).moves;
    assert_eq!(report.moves.len(), policy.len());
    for (vertex, probability) in policy {
        let m = report.moves.iter().find(|m| m.vertex == vertex).unwrap();
        // Rounded to eight significant bits.
        assert!((m.prior.unwrap() - probability).abs() <= probability / 256.0, "{m:?}: {probability}");
    }
    let mut moves = report.moves.clone();
    moves.sort_by_key(|m| std::cmp::Reverse(m.visits));
    assert_eq!((moves[0].vertex, &moves[0].line), (report.best, &report.pv));
    for (i, m) in moves.iter().enumerate() {
        assert_eq!(m.line.first().copied(), (i < 11 && m.visits > 0).then_some(m.vertex), "{i}");
        let mut after = game.clone();
        m.line.iter().for_each(|&v| _ = after.play(v).unwrap());
    }
    assert!(report.pv.len() > 2);
    let rave = search(&mut Searcher::new(SearchOptions::preset(Preset::Rave), 1), &game, &simulations(200));
    assert!(rave.moves.iter().all(|m| m.prior.is_none() && m.rave.is_some()));
}
