//! The solver against minimax, and on positions solved by other programs.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use malecon::base::sync::StopFlag;
use malecon::engine::solver::{
    Budget, Solution, Solver, SolverError, Sources, has_solver, position_after, positions_after, prove, solve,
};
use malecon::game::{Color, Game, Geometry, Notation, Position, Vertex};
use malecon::network::{Backend, Evaluation, Evaluator, Input, Network};
use malecon::proof::{ProofError, Root};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::recorded::Record;

/// The value of a position for `color`, who is to move, by trying all moves: 1 for won, 0 for drawn, −1 for lost.
fn minimax(position: &Position, color: Color) -> i32 {
    let mut best = None;
    for v in position.empty_vertices() {
        let mut after = position.clone();
        let value = if after.place(color, v).is_empty() { -minimax(&after, !color) } else { 1 };
        best = best.max(Some(value));
        if value == 1 {
            break;
        }
    }
    best.unwrap_or(0)
}

/// A position of random stones with `empty` empty vertices in which nobody has won. A stone that would win gets the
/// other colour, so that there are drawn positions, too. Returns `None` if it would win in either colour.
fn random_position(geometry: &'static Geometry, empty: usize, rng: &mut Xoshiro256PlusPlus) -> Option<Position> {
    let mut order: Vec<Vertex> = geometry.vertices().collect();
    order.shuffle(rng);
    let mut position = Position::new(geometry);
    for (i, &v) in order[empty..].iter().enumerate() {
        let colors = [Color::ALL[i % 2], Color::ALL[1 - i % 2]];
        let color = colors.into_iter().find(|&color| position.completes(color, v).is_empty())?;
        position.place(color, v);
    }
    Some(position)
}

/// The position after one move of each player.
fn after(geometry: &'static Geometry, moves: &[Vertex]) -> Position {
    let mut position = Position::new(geometry);
    for (color, &v) in Color::ALL.into_iter().zip(moves) {
        position.place(color, v);
    }
    position
}

/// A network that advises at random.
struct RandomAdvice;

impl Backend for RandomAdvice {
    fn evaluator(&self, _: &'static Geometry) -> Box<dyn Evaluator> {
        Box::new(RandomEvaluator(Xoshiro256PlusPlus::seed_from_u64(1)))
    }
}

struct RandomEvaluator(Xoshiro256PlusPlus);

impl Evaluator for RandomEvaluator {
    fn evaluate(&mut self, _: &Input<'_>, evaluation: &mut Evaluation) {
        evaluation.policy.iter_mut().for_each(|logit| *logit = self.0.random_range(-10.0..10.0));
    }
}

#[test]
fn the_solver_agrees_with_minimax() {
    agrees_with_minimax(1, None, 2000, 20);
}

#[test]
fn several_threads_agree_with_minimax() {
    agrees_with_minimax(3, None, 400, 4);
}

#[test]
fn bad_advice_changes_no_value() {
    agrees_with_minimax(1, Some(&RandomAdvice), 1000, 10);
    agrees_with_minimax(3, Some(&RandomAdvice), 400, 4);
}

/// A network that panics at every evaluation whose number is a multiple of this.
struct PanickingAdvice(u32);

impl Backend for PanickingAdvice {
    fn evaluator(&self, _: &'static Geometry) -> Box<dyn Evaluator> {
        Box::new(PanickingEvaluator { interval: self.0, left: self.0 })
    }
}

struct PanickingEvaluator {
    interval: u32,
    left: u32,
}

impl Evaluator for PanickingEvaluator {
    fn evaluate(&mut self, _: &Input<'_>, evaluation: &mut Evaluation) {
        self.left -= 1;
        if self.left == 0 {
            self.left = self.interval;
            panic!("injected");
        }
        evaluation.policy.fill(0.0);
    }
}

/// Each panic reaches the caller with its message, and does not affect later searches.
#[test]
fn a_panic_leaves_the_solver_as_it_was() {
    let geometry = Geometry::with_side(4).unwrap();
    for threads in [1, 3] {
        let mut solver = Solver::with_threads(geometry, 1 << 20, threads).unwrap().guided_by(&PanickingAdvice(100));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..100 {
            solver.clear();
            let endless = || solver.solve(&Position::new(geometry), Color::White, u64::MAX);
            let panic = catch_unwind(AssertUnwindSafe(endless)).unwrap_err();
            assert_eq!(panic.downcast_ref(), Some(&"injected"));
            let Some(position) = random_position(geometry, 9, &mut rng) else { continue };
            let value = match solver.solve(&position, Color::White, u64::MAX).expect("no limit") {
                Solution::Win(_) => 1,
                Solution::Draw => 0,
                Solution::Loss => -1,
            };
            assert_eq!(value, minimax(&position, Color::White));
        }
    }
}

/// The positions after two stones take several thousand nodes together, and the network advises often.
#[test]
fn bad_advice_takes_no_win_from_an_opening() {
    let geometry = Geometry::with_side(3).unwrap();
    let mut guided = Solver::new(geometry, 0).unwrap().guided_by(&RandomAdvice);
    let mut alone = Solver::new(geometry, 1 << 20).unwrap();
    for moves in positions_after(geometry, 2) {
        let position = after(geometry, &moves);
        let [found, expected] = [&mut guided, &mut alone]
            .map(|solver| matches!(solver.solve(&position, Color::White, u64::MAX), Some(Solution::Win(_))));
        assert_eq!(found, expected, "{moves:?}");
    }
}

/// In all; with a few openings, either may be lucky.
#[test]
fn advice_of_the_network_saves_most_of_the_work() {
    let geometry = Geometry::with_side(4).unwrap();
    let openings = [["b3", "d4"], ["a2", "b2"], ["a1", "f6"], ["b3", "e4"], ["b3", "e3"], ["a2", "e6"]];
    let positions =
        openings.map(|names| after(geometry, &names.map(|name| Notation::HavannahGui.parse(geometry, name).unwrap())));
    let solve = |solver: &dyn Fn() -> Solver| -> u64 {
        let nodes = positions.iter().map(|position| {
            let mut solver = solver();
            assert!(matches!(solver.solve(position, Color::White, u64::MAX), Some(Solution::Win(_))));
            solver.nodes()
        });
        nodes.sum()
    };
    let new = || Solver::new(geometry, 16 << 20).unwrap();
    let alone = solve(&new);
    let guided = solve(&|| new().guided_by(&*Network::builtin_solver()));
    assert!(2 * guided < alone, "{guided} and {alone} positions");
}

/// A network without preferences that notes which positions it is asked about.
#[derive(Clone, Default)]
struct NotingAdvice(Arc<Mutex<Vec<String>>>);

impl Backend for NotingAdvice {
    fn evaluator(&self, _: &'static Geometry) -> Box<dyn Evaluator> {
        Box::new(self.clone())
    }
}

impl Evaluator for NotingAdvice {
    fn evaluate(&mut self, input: &Input<'_>, evaluation: &mut Evaluation) {
        // Not while the others wait for the lock: they would ask about the same positions.
        let position = format!("{:?} {:?}", input.color, input.position.stones().collect::<Vec<_>>());
        self.0.lock().unwrap().push(position);
        evaluation.policy.fill(0.0);
    }
}

/// Only positions that several threads reach at once may be asked about more than once.
#[test]
fn threads_share_the_advice_of_the_network() {
    let position = Position::new(Geometry::with_side(4).unwrap());
    for threads in [1, 4] {
        let advice = NotingAdvice::default();
        let mut solver = Solver::with_threads(position.geometry(), 16 << 20, threads).unwrap().guided_by(&advice);
        assert_eq!(solver.solve(&position, Color::White, 200_000), None);
        let asked = advice.0.lock().unwrap();
        let different: HashSet<&String> = asked.iter().collect();
        assert!(different.len() > 500);
        let repeated = asked.len() - different.len();
        assert!(if threads == 1 { repeated == 0 } else { 20 * repeated < asked.len() }, "{threads}: {repeated}");
    }
}

/// Solves `count` positions of each board with this many threads and this advice. Either player may be to move,
/// whatever the number of stones. One solver is used for all positions of a board, to show that the table does not
/// confuse them. More than `least` positions of each board must be won, and more than `least` lost.
fn agrees_with_minimax(threads: usize, advice: Option<&dyn Backend>, count: usize, least: usize) {
    let mut draws = 0;
    let boards =
        [("2", 1, 7), ("3", 1, 10), ("4", 2, 9), ("5", 3, 8), ("2-3-4", 1, 10), ("4-4-5", 2, 8), ("4-5-5", 3, 7)];
    for (board, fewest, most) in boards {
        let geometry = Geometry::with_shape(board.parse().unwrap());
        let mut solver = Solver::with_threads(geometry, 1 << 20, threads).unwrap();
        if let Some(network) = advice {
            solver = solver.guided_by(network);
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(geometry.vertex_count() as u64);
        let mut seen = [0; 3];
        for _ in 0..count {
            let empty = rng.random_range(fewest..=most);
            let Some(position) = random_position(geometry, empty, &mut rng) else { continue };
            let color = Color::ALL[rng.random_range(0..2)];
            let value = minimax(&position, color);
            let solution = solver.solve(&position, color, u64::MAX).expect("no limit");
            match solution {
                Solution::Win(v) => {
                    let mut after = position.clone();
                    assert!(!after.place(color, v).is_empty() || minimax(&after, !color) == -1, "{geometry:?}: {v:?}");
                }
                Solution::Draw => assert_eq!(value, 0, "{geometry:?}"),
                Solution::Loss => assert_eq!(value, -1, "{geometry:?}"),
            }
            assert_eq!(value == 1, matches!(solution, Solution::Win(_)), "{geometry:?}");
            seen[(value + 1) as usize] += 1;
        }
        assert!(seen[0] > least && seen[2] > least, "{geometry:?}: {seen:?}");
        draws += seen[1];
    }
    assert!(draws >= least / 2, "{draws}");
}

/// Solves all positions after two stones on side 3 with several threads and a table that is much too small, and plays
/// the winning moves.
#[test]
fn several_threads_find_the_values_that_one_finds() {
    let geometry = Geometry::with_side(3).unwrap();
    let mut one = Solver::new(geometry, 1 << 20).unwrap();
    let mut several = Solver::with_threads(geometry, 0, 4).unwrap();
    assert_eq!((one.threads(), several.threads()), (1, 4));
    for moves in positions_after(geometry, 2) {
        let mut position = after(geometry, &moves);
        let expected = one.solve(&position, Color::White, u64::MAX).unwrap();
        several.clear();
        let found = several.solve(&position, Color::White, u64::MAX).unwrap();
        match found {
            Solution::Win(v) => {
                position.place(Color::White, v);
                assert_eq!(one.solve(&position, Color::Black, u64::MAX), Some(Solution::Loss), "{moves:?}");
                assert!(matches!(expected, Solution::Win(_)), "{moves:?}");
            }
            other => assert_eq!(other, expected, "{moves:?}"),
        }
    }
}

/// Solves all positions after two stones on side 3 with solvers that share a table that is much too small, each with
/// every third one at the same time as the others, with one thread or two. Then each knows what the others have found.
#[test]
fn solvers_that_share_a_table_find_the_values_that_one_finds() {
    let geometry = Geometry::with_side(3).unwrap();
    let positions: Vec<_> = positions_after(geometry, 2).iter().map(|moves| after(geometry, moves)).collect();
    let solve_all = |bytes: usize, threads: usize| {
        let mut solvers = Solver::several(geometry, bytes, 3, threads).unwrap();
        let mut found = vec![None; positions.len()];
        std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for (i, solver) in solvers.iter_mut().enumerate() {
                let own = positions.iter().skip(i).step_by(3);
                let solve = |position| solver.solve(position, Color::White, u64::MAX);
                threads.push(scope.spawn(move || own.map(solve).collect::<Vec<_>>()));
            }
            for (i, thread) in threads.into_iter().enumerate() {
                for (n, solution) in thread.join().unwrap().into_iter().enumerate() {
                    found[i + 3 * n] = solution;
                }
            }
        });
        (found, solvers)
    };
    let mut one = Solver::new(geometry, 1 << 20).unwrap();
    let is_won = |solution: Option<Solution>| matches!(solution, Some(Solution::Win(_)));
    for (bytes, threads) in [(0, 1), (1 << 20, 1), (1 << 20, 2)] {
        let (found, mut solvers) = solve_all(bytes, threads);
        assert!(solvers.iter().all(|solver| solver.threads() == threads));
        for (position, solution) in positions.iter().zip(found) {
            let expected = one.solve(position, Color::White, u64::MAX);
            let kind = |solution: Option<Solution>| solution.as_ref().map(std::mem::discriminant);
            assert!(expected.is_some() && kind(solution) == kind(expected), "{solution:?}, {expected:?}");
        }
        if bytes > 0 {
            let before = solvers[0].nodes();
            assert!(is_won(solvers[0].solve(&positions[1], Color::White, u64::MAX)));
            assert!(solvers[0].nodes() - before < 20, "another solver has found this");
            // The others need it.
            solvers[0].clear();
            assert!(solvers[2].solve(&positions[1], Color::White, 20).is_some());
        }
    }
}

/// Small enough for Miri.
#[test]
fn threads_solve_a_small_board() {
    let position = Position::new(Geometry::with_side(3).unwrap());
    let mut solver = Solver::with_threads(position.geometry(), 0, 3).unwrap();
    assert!(matches!(solver.solve(&position, Color::White, u64::MAX), Some(Solution::Win(_))));
}

#[test]
fn limits_hold_for_all_threads_together() {
    let large = Position::new(Geometry::with_side(4).unwrap());
    for threads in [3, 16] {
        // The table grows after 16,384 positions: a search with a greater limit goes on after that.
        let mut several = Solver::with_threads(large.geometry(), 4 << 20, threads).unwrap();
        for nodes in [16_385, 500, 20_000, 100, 1 << 14, 40_000] {
            let before = several.nodes();
            assert_eq!(several.solve(&large, Color::White, nodes), None);
            assert_eq!(several.nodes() - before, nodes, "{threads} threads");
        }
    }
}

/// Without a limit the solver would work on the empty board of side 6 for years.
#[test]
fn a_raised_flag_ends_the_work() {
    let position = Position::new(Geometry::with_side(6).unwrap());
    for threads in [1, 3] {
        let mut solver = Solver::with_threads(position.geometry(), 1 << 20, threads).unwrap();
        let stop = StopFlag::new();
        solver.stop_on(&stop);
        let solution = std::thread::scope(|scope| {
            let work = scope.spawn(|| solver.solve(&position, Color::White, u64::MAX));
            std::thread::sleep(Duration::from_millis(50));
            stop.stop();
            work.join().unwrap()
        });
        assert_eq!(solution, None);
        let visited = solver.nodes();
        assert_eq!(solver.solve(&position, Color::White, u64::MAX), None);
        assert_eq!(solver.nodes(), visited);
        // Also what asks again and again.
        let game = Game::new(position.geometry());
        assert_eq!(solve(&mut solver, &game, &Budget::default(), &mut |_| true).value, None);
        let root = Root::new(&game, Color::White).unwrap();
        let proven = prove(std::io::sink(), &[root], Sources::new(&mut solver), &mut |_| true);
        assert!(matches!(proven, Err(ProofError::Stopped)), "{proven:?}");
        assert_eq!(solver.nodes(), visited);
        stop.reset();
        assert_eq!(solver.solve(&position, Color::White, 1000), None);
        assert_eq!(solver.nodes(), visited + 1000);
    }
}

#[test]
#[should_panic(expected = "the vertex is occupied")]
fn two_stones_on_one_vertex_are_no_position() {
    let geometry = Geometry::with_side(3).unwrap();
    let a1 = geometry.vertices().next().unwrap();
    let _ = position_after(geometry, &[a1, a1]);
}

#[test]
#[ignore = "takes very long: run by .ci/nightly"]
fn hard_positions_have_their_values() {
    let mut count = 0;
    for record in Record::data("hard.jsonl") {
        let game = record.replay();
        let mut solver = Solver::new(game.geometry(), 64 << 20).unwrap();
        let solution = solver.solve(game.position(), game.to_move(), u64::MAX).unwrap();
        let winner = match solution {
            Solution::Win(_) => game.to_move(),
            Solution::Loss => !game.to_move(),
            Solution::Draw => panic!("there are no draws among them"),
        };
        assert_eq!(record.fields["value"], *winner.to_string());
        count += 1;
    }
    assert_eq!(count, 40);
}

/// The results agree with those of two other solvers, and most positions are solved, in steps of 1,000 nodes.
#[test]
fn the_solver_agrees_with_other_solvers() {
    let (mut all, mut solved) = (0, 0);
    for record in Record::data("solved.jsonl") {
        let game = record.replay();
        let mut solver = Solver::new(game.geometry(), 16 << 20).unwrap();
        let solution = (0..50).find_map(|_| solver.solve(game.position(), game.to_move(), 1000));
        all += 1;
        let Some(solution) = solution else { continue };
        solved += 1;
        let winner = match solution {
            Solution::Win(_) => Some(game.to_move()),
            Solution::Loss => Some(!game.to_move()),
            Solution::Draw => None,
        };
        let result = winner.map_or("draw".to_owned(), |color| color.to_string());
        assert!(record.value().is_none_or(|value| value == result), "{}: {result}", record.place);
    }
    assert!(solved * 10 > all * 7, "solved {solved} of {all}");
}

#[test]
fn there_is_no_solver_for_boards_above_side_6() {
    for (board, expected) in [("6", true), ("7", false), ("4-5-7", true), ("5-6-7", false), ("2-2-9", true)] {
        let geometry = Geometry::with_shape(board.parse().unwrap());
        let error = Solver::new(geometry, 0).err();
        assert_eq!(error, (!expected).then(|| SolverError::TooLarge(geometry.shape())), "{board}");
        assert_eq!(has_solver(geometry), expected, "{board}");
    }
}

#[test]
fn repeated_calls_with_few_nodes_continue_the_search() {
    let geometry = Geometry::with_side(3).unwrap();
    let mut solver = Solver::new(geometry, 1 << 20).unwrap();
    let empty = Position::new(geometry);
    assert_eq!(solver.solve(&empty, Color::White, 1), None);
    let calls = (0..100_000).find(|_| solver.solve(&empty, Color::White, 50).is_some());
    assert!(calls.is_some_and(|calls| calls > 1), "{calls:?}");
    assert!(matches!(solver.solve(&empty, Color::White, 50), Some(Solution::Win(_))));
}

/// With a small table, what is found depends on which entries were replaced.
#[test]
fn a_cleared_solver_repeats_what_it_did_when_it_was_new() {
    for side in [4, 5] {
        let geometry = Geometry::with_side(side).unwrap();
        let mut solver = Solver::new(geometry, 1 << 14).unwrap();
        let work = |solver: &mut Solver| -> Vec<Option<Solution>> {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
            let mut position = |empty| loop {
                if let Some(position) = random_position(geometry, empty, &mut rng) {
                    return position;
                }
            };
            // From easy to hard.
            let positions: Vec<Position> = (5..geometry.vertex_count() - 2).map(&mut position).collect();
            positions.iter().cycle().take(200).map(|p| solver.solve(p, Color::White, 300)).collect()
        };
        let new = work(&mut solver);
        assert!(new.iter().any(Option::is_some) && new.iter().any(Option::is_none), "{new:?}");
        for _ in 0..3 {
            solver.clear();
            assert_eq!(work(&mut solver), new, "{geometry:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_large_table_takes_memory_only_as_it_fills() {
    let resident_kib = || -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let before = resident_kib();
    let geometry = Geometry::with_side(4).unwrap();
    let mut solver = Solver::new(geometry, 1 << 30).unwrap();
    solver.solve(&Position::new(geometry), Color::White, 100);
    // The other tests of this file take much less than the table.
    assert!(resident_kib() < before + (256 << 10), "{before} KiB before, {} KiB after", resident_kib());
}
