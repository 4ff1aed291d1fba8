//! Levels of play, and openings under the pie rule.

use std::sync::Arc;

use malecon::engine::inspect::threats::winning_vertices;
use malecon::engine::search::Limits;
use malecon::engine::session::first_stones::{FirstStones, StoneScore, classes, first_stones, images};
use malecon::engine::session::options::{BEGINNERS_LEVEL, MAX_LEVEL, MIN_LEVEL};
use malecon::engine::session::{Analysis, Session, StopFlag};
use malecon::game::{Color, Game, Geometry, Move, Notation, Vertex};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The boards of the table of first stones.
const TABLE_SIDES: [usize; 5] = [4, 5, 6, 7, 8];

fn session(side: usize, options: &[(&str, &str)]) -> Session {
    let mut session = Session::on_side(side).unwrap();
    for (name, value) in [("memory", "16"), ("seed", "1")].iter().chain(options) {
        session.set_option(name, value).unwrap();
    }
    session
}

fn vertex(session: &Session, name: &str) -> Vertex {
    Notation::HavannahGui.parse(session.game().geometry(), name).unwrap()
}

fn play(session: &mut Session, names: &str) {
    for name in names.split_whitespace() {
        let v = vertex(session, name);
        session.play(Move::Place(v)).unwrap();
    }
}

fn move_of_engine(session: &mut Session) -> Move {
    let color = session.game().to_move();
    session.search().color(color).make_move().unwrap()
}

/// The moves of a game of a level against itself.
fn self_play(side: usize, options: &[(&str, &str)]) -> Vec<(Color, Move)> {
    let mut session = session(side, options);
    while !session.game().is_over() {
        move_of_engine(&mut session);
    }
    session.game().moves()
}

#[test]
fn a_level_plays_the_same_game_with_the_same_seed_whatever_the_time_and_the_other_options() {
    for level in ["1", "6", "8"] {
        let game = self_play(4, &[("level", level)]);
        assert_eq!(self_play(4, &[("level", level), ("seconds", "900"), ("resign", "true")]), game);
        assert_eq!(self_play(4, &[("level", level), ("preset", "rave"), ("ponder", "true")]), game);
        assert_ne!(self_play(4, &[("level", level), ("seed", "2")]), game);
    }
}

/// An analysis of the position, or a hint, does not help a level.
#[test]
fn a_level_knows_nothing_from_other_searches() {
    let moves = |is_analysed: bool| {
        let mut session = session(5, &[("level", "8")]);
        for _ in 0..8 {
            if is_analysed {
                let limits = Limits::with_simulations(300);
                session.search().limits(limits).run().unwrap();
            }
            move_of_engine(&mut session);
        }
        session.game().moves()
    };
    assert_eq!(moves(true), moves(false));
}

#[test]
fn lower_limits_than_those_of_the_level_hold() {
    let mut session = session(6, &[("level", "9")]);
    play(&mut session, "a1 f6");
    move_of_engine(&mut session);
    let simulations = |session: &Session| session.last_analysis().unwrap().report.simulations;
    assert!(simulations(&session) > 50);
    session.set_option("simulations", "3").unwrap();
    move_of_engine(&mut session);
    assert_eq!(simulations(&session), 3);
}

/// What a level found is not shown as the engine's analysis of a position.
#[test]
fn an_analysis_is_of_full_strength_at_every_level() {
    let mut session = session(5, &[("level", "1"), ("simulations", "100")]);
    play(&mut session, "a1 e5");
    session.search().color(Color::White).choose_move().unwrap();
    let analysis = session.search().analyze().unwrap().unwrap();
    assert_eq!(analysis.report.simulations, 100);
}

/// The bot of examples/simple_bot.rs: wins at once, prevents a win at once, or plays beside a stone.
fn simple_move(game: &Game, rng: &mut Xoshiro256PlusPlus) -> Vertex {
    let at_once = |color| winning_vertices(game, color).first().map(|&(v, _)| v);
    let position = game.position();
    let is_beside_a_stone = |v: &Vertex| game.geometry().neighbours(*v).iter().any(|&w| !position.is_empty(w));
    let beside: Vec<Vertex> = position.empty_vertices().filter(is_beside_a_stone).collect();
    let all: Vec<Vertex> = position.empty_vertices().collect();
    at_once(game.to_move())
        .or_else(|| at_once(!game.to_move()))
        .unwrap_or_else(|| *beside.choose(rng).or_else(|| all.choose(rng)).unwrap())
}

/// Points of the first player in games from the empty board, with colours exchanged.
fn points(games: u64, side: usize, mut moves: [impl FnMut(&mut Session, u64) -> Move; 2]) -> f64 {
    let mut points = 0.0;
    for number in 0..games {
        let mut session = session(side, &[("seed", &number.to_string())]);
        let first = [Color::White, Color::Black][(number % 2) as usize];
        while !session.game().is_over() {
            let color = session.game().to_move();
            let m = moves[usize::from(color != first)](&mut session, number);
            session.play_as(color, m).unwrap();
        }
        let winner = session.game().result().unwrap();
        points += winner.map_or(0.5, |winner| f64::from(winner == first));
    }
    points
}

type Player = Box<dyn FnMut(&mut Session, u64) -> Move>;

/// A player of this level. Each has a session of its own, which is brought to the position.
fn player(level: u32) -> Player {
    let mut own: Option<(u64, Session)> = None;
    Box::new(move |session, number| {
        if own.as_ref().is_none_or(|(game, _)| *game != number) {
            let mut fresh = self::session(session.game().geometry().side(), &[("level", &level.to_string())]);
            fresh.set_seed(number);
            own = Some((number, fresh));
        }
        let (_, own) = own.as_mut().unwrap();
        let moves = session.game().moves();
        own.play_all(&moves[own.game().len()..]).unwrap();
        own.search().choose_move().unwrap()
    })
}

#[test]
fn the_weakest_level_loses_to_a_simple_bot() {
    for side in 4..=6 {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(side as u64);
        let bot: Player = Box::new(move |session, _| Move::Place(simple_move(session.game().board(), &mut rng)));
        let points = points(100, side, [player(MIN_LEVEL), bot]);
        assert!((15.0..=45.0).contains(&points), "side {side}: {points} of 100");
    }
}

#[test]
fn every_level_beats_the_one_two_below() {
    for level in MIN_LEVEL..MAX_LEVEL - 2 {
        let points = points(20, 5, [player(level + 2), player(level)]);
        assert!(points >= 12.0, "level {} against level {level}: {points} of 20", level + 2);
    }
}

/// White can complete a bridge beside its last stone.
#[test]
fn a_level_for_beginners_takes_an_obvious_win_most_of_the_time_but_not_always() {
    let wins = |level: u32| {
        let takes = |seed: &u64| {
            let mut session = session(5, &[("level", &level.to_string()), ("seed", &seed.to_string())]);
            play(&mut session, "a1 e5 a2 f6 a3 e6 a4 f7");
            move_of_engine(&mut session) == Move::Place(vertex(&session, "a5"))
        };
        (0..60).filter(takes).count()
    };
    let [first, beginners, high] = [MIN_LEVEL, BEGINNERS_LEVEL, 8].map(wins);
    assert!((30..60).contains(&first), "{first}");
    assert!(first <= beginners && (40..=60).contains(&beginners), "{first} {beginners}");
    assert!(high >= 57, "{high}");
}

#[test]
fn openings_vary_at_every_level() {
    for swap in ["false", "true"] {
        for level in MIN_LEVEL..MAX_LEVEL {
            let opening = |seed: u64| {
                let options = [("level", level.to_string()), ("seed", seed.to_string()), ("swap", swap.to_owned())];
                let mut session = session(6, &options.each_ref().map(|(name, value)| (*name, &value[..])));
                move_of_engine(&mut session)
            };
            let first = opening(0);
            assert!((1..20).any(|seed| opening(seed) != first), "level {level}, swap {swap}");
        }
    }
}

#[test]
fn a_level_does_not_resign() {
    for level in ["1", "5", "9"] {
        let game = self_play(4, &[("level", level), ("resign", "true"), ("resign_below", "1")]);
        assert!(game.iter().all(|&(_, m)| m != Move::Resign), "level {level}");
    }
}

// The pie rule.

#[test]
fn the_table_has_every_first_stone_of_its_boards() {
    for side in TABLE_SIDES {
        let geometry = Geometry::with_side(side).unwrap();
        let table = first_stones(geometry).unwrap();
        for v in classes(geometry) {
            assert!(table.score(v).games > 0, "side {side}, {v:?}");
        }
        for v in geometry.vertices() {
            assert!((0.0..=1.0).contains(&table.value(v)) && (0.0..=1.0).contains(&table.estimate(v)), "{v:?}");
        }
        let mut fair = table.fair();
        assert!(!fair.is_empty());
        assert!(fair.iter().all(|&v| images(geometry, v).iter().all(|image| fair.contains(image))), "{fair:?}");
        fair.sort();
        fair.dedup();
        assert_eq!(fair.len(), table.fair().len(), "side {side}");
    }
}

#[test]
fn a_first_stone_is_judged_by_the_games_of_its_class() {
    let geometry = Geometry::with_side(5).unwrap();
    let vertex = |name| Notation::HavannahGui.parse(geometry, name).unwrap();
    let (corner, image, other) = (vertex("a1"), vertex("i9"), vertex("e5"));
    assert!(images(geometry, corner).contains(&image) && images(geometry, other) == [other]);
    let mut table = FirstStones::new(geometry);
    table.add(corner, StoneScore { games: 6, points: 6.0 });
    assert_eq!(table.estimate(corner), table.estimate(image));
    assert!(table.estimate(corner) > 0.8 && table.estimate(other) == 0.5);
    table.add(image, StoneScore { games: 600, points: 150.0 });
    assert_eq!(table.score(corner), StoneScore { games: 606, points: 156.0 });
    assert!((table.estimate(corner) - 0.25).abs() < 0.01);
}

#[test]
fn lines_about_the_same_class_are_added_up() {
    let tables = FirstStones::read("5 a1 3 2\n5 i9 1 1\n5 e5 2 0").unwrap();
    let text = tables[0].to_string();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().take(4).collect()).collect();
    assert_eq!(lines, [["5", "a1", "4", "3.00"], ["5", "e5", "2", "0.00"]]);
}

#[test]
fn a_table_reads_back_as_it_was_written() {
    let table = first_stones(Geometry::with_side(5).unwrap()).unwrap();
    assert_eq!(FirstStones::read(&format!("# comment\n{table}")), Ok(vec![table.clone()]));
    for line in ["5", "5 a1 3", "99 a1 3 1", "5 z9 3 1", "5 a1 3 4", "5 a1 3 -1", "5 a1 x 1", "5 a1 3 nan"] {
        let error = FirstStones::read(line).unwrap_err();
        assert!(error.to_string().contains(&format!("'{line}'")), "{error}");
    }
}

#[test]
fn the_engine_opens_with_fair_stones_of_all_kinds() {
    for side in TABLE_SIDES {
        let geometry = Geometry::with_side(side).unwrap();
        let fair = first_stones(geometry).unwrap().fair();
        let mut session = session(side, &[("swap", "true"), ("simulations", "10")]);
        let mut openings = Vec::new();
        for seed in 0..12 {
            session.new_game(geometry);
            session.set_seed(seed);
            let Move::Place(v) = move_of_engine(&mut session) else { panic!("an opening is a stone") };
            assert!(fair.contains(&v), "side {side}: {v:?}");
            openings.push(v);
        }
        openings.sort();
        openings.dedup();
        assert!(openings.len() >= fair.len().min(4), "side {side}: {openings:?} of {fair:?}");
    }
}

/// The engine swaps what the table says is worth more than half, however short its search; `winrate` is the chance of
/// the player who chooses.
#[test]
fn the_engine_swaps_by_the_table() {
    for side in TABLE_SIDES {
        let geometry = Geometry::with_side(side).unwrap();
        let table = first_stones(geometry).unwrap();
        for v in classes(geometry).into_iter().chain(table.fair()) {
            let (mut session, value) = (session(side, &[("swap", "true"), ("simulations", "10")]), table.value(v));
            session.play_as(Color::White, Move::Place(v)).unwrap();
            let m = session.search().color(Color::Black).choose_move().unwrap();
            assert_eq!(m == Move::Swap, value > 0.5, "side {side}: {v:?}");
            let chance = session.last_analysis().unwrap().report.win_rate;
            assert_eq!(chance, value.max(1.0 - value), "side {side}: {v:?}");
        }
    }
}

/// Before the opening the opponent is still to pick the better colour.
#[test]
fn the_chance_before_the_opening_allows_for_the_swap() {
    let limits = Limits::with_simulations(10);
    for side in TABLE_SIDES {
        let mut session = session(side, &[("swap", "true")]);
        let report = session.search().color(Color::White).limits(limits).run().unwrap().report.clone();
        assert!(report.win_rate <= 0.5, "side {side}: {}", report.win_rate);
        let fair = first_stones(session.game().geometry()).unwrap().fair();
        assert_eq!(report.best, fair[0]);
        assert_eq!(report.pv.first(), Some(&report.best));
        // Without the pie rule, the report is the search's own.
        session.set_option("swap", "false").unwrap();
        let plain = session.search().color(Color::White).limits(limits).run().unwrap().report.clone();
        assert!(plain.win_rate > 0.3);
    }
}

/// On side 3 a corner wins for its owner and every other stone loses, so the opponent always has the better colour. The
/// table does not have this board: each kind of stone is searched on its own, and the search proves all of them.
#[test]
fn a_board_without_a_table_has_each_kind_of_first_stone_searched() {
    let mut session = session(3, &[("swap", "true"), ("simulations", "40000")]);
    move_of_engine(&mut session);
    let report = session.last_analysis().unwrap().report.clone();
    assert_eq!(report.win_rate, 0.0);
    let geometry = session.game().geometry();
    for m in &report.moves {
        let expected = if geometry.is_corner(m.vertex) { 1.0 } else { 0.0 };
        assert_eq!(m.win_rate, Some(expected), "{:?}", m.vertex);
    }
    let opening = session.game().board().last_stone().unwrap();
    let answer = move_of_engine(&mut session);
    assert_eq!(answer == Move::Swap, geometry.is_corner(opening));
    assert_eq!(session.last_analysis().unwrap().report.win_rate, 1.0);
}

#[test]
fn the_search_of_a_board_without_a_table_reports_while_it_runs() {
    let mut session = session(11, &[("swap", "true")]);
    let (stop, mut reports) = (StopFlag::new(), Vec::new());
    let mut observer = |analysis: &Arc<Analysis>| {
        reports.push(analysis.report.clone());
        stop.stop();
    };
    session.search().color(Color::White).limits(Limits::default()).stop(&stop).observe(&mut observer).run().unwrap();
    assert!(!reports.is_empty());
    let report = &reports[0];
    assert!(report.win_rate <= 0.5 && report.moves.iter().all(|m| m.visits > 0), "{report:?}");
}

/// Where nothing is proven, every kind of stone gets its share of the simulations.
#[test]
fn no_first_stone_is_judged_by_a_few_visits() {
    let mut session = session(11, &[("swap", "true"), ("simulations", "800")]);
    move_of_engine(&mut session);
    let report = session.last_analysis().unwrap().report.clone();
    let each = 800 / classes(session.game().geometry()).len() as u64;
    assert!(each > 1 && report.moves.iter().all(|m| m.visits == each && m.win_rate.is_some()));
    assert!(report.simulations <= 800 && report.win_rate <= 0.5);
}
