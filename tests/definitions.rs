//! Tests of the oracle itself, by facts that follow from the formal definitions or are well known.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::oracle::abstract_games::{
    AbstractGame, Values, configurations, drawless, final_configurations, for_each_valid_game, is_playing_strategy,
    is_valid_game, outcome, played_game, playing_strategies, strategy_quality, super_strategies, worst_outcome,
};
use crate::oracle::havannah::{Figure, Havannah, distance};
use crate::oracle::hex::Hex;
use crate::oracle::point_set::PointSet;
use crate::oracle::strong_positional::{Patterns, StrongPositionalGame, is_configuration};
use crate::oracle::tic_tac_toe::tic_tac_toe;

/// A heap of counters. The players take one or two in turn, and whoever takes the last one wins. This is an abstract
/// game but not a strong positional one. A configuration is the number of counters left and the player to move.
struct Heap(u32);

impl AbstractGame for Heap {
    type Configuration = (u32, usize);

    fn initial(&self) -> (u32, usize) {
        (self.0, 0)
    }

    fn transitions(&self, &(left, mover): &(u32, usize)) -> Vec<(u32, usize)> {
        (1..=left.min(2)).map(|taken| (left - taken, 1 - mover)).collect()
    }

    fn score(&self, &(_, mover): &(u32, usize)) -> i32 {
        if mover == 1 { 1 } else { -1 }
    }
}

#[test]
fn a_heap_is_lost_for_the_player_to_move_if_its_size_is_divisible_by_three() {
    for size in 1..=12 {
        let heap = Heap(size);
        assert!(drawless(&heap));
        assert_eq!(Values::of(&heap).value(&heap.initial(), 0), if size % 3 == 0 { -1 } else { 1 });
    }
}

#[test]
fn strategy_0_makes_the_first_move() {
    let heap = Heap(2);
    let all = playing_strategies(&heap);
    // There are two choices with two counters left, and one choice with one counter left.
    assert_eq!(all.len(), 2);
    let taking_both = all.iter().find(|s| s[&(2, 0)] == (0, 1)).unwrap();
    let taking_one = all.iter().find(|s| s[&(2, 0)] == (1, 1)).unwrap();
    assert_eq!(played_game(&heap, taking_both, taking_one), [(2, 0), (0, 1)]);
    assert_eq!(played_game(&heap, taking_one, taking_both), [(2, 0), (1, 1), (0, 0)]);
    assert_eq!(outcome(&heap, &[(2, 0), (1, 1), (0, 0)]), -1);
}

#[test]
fn the_valid_games_are_those_that_two_strategies_can_play() {
    let heap = Heap(5);
    let mut valid = BTreeSet::new();
    for_each_valid_game(&heap, |played| assert!(valid.insert(played.to_vec())));
    let all = playing_strategies(&heap);
    assert!(all.iter().all(|s| is_playing_strategy(&heap, s)));
    let played: BTreeSet<_> = all.iter().flat_map(|a| all.iter().map(|b| played_game(&heap, a, b))).collect();
    assert_eq!(played, valid);
    assert!(valid.iter().all(|game| is_valid_game(&heap, game)));
    // The number of ways to write 5 as a sum of ones and twos, in order.
    assert_eq!(valid.len(), 8);
    for invalid in [
        vec![],
        vec![(4, 0), (3, 1), (1, 0), (0, 1)],
        vec![(5, 0), (3, 1)],
        vec![(5, 0), (2, 1), (0, 0)],
        vec![(5, 0), (3, 1), (1, 0), (0, 1), (0, 0)],
    ] {
        assert!(!is_valid_game(&heap, &invalid), "{invalid:?}");
    }
    let mut partial = all[0].clone();
    partial.remove(&(1, 0));
    assert!(!is_playing_strategy(&heap, &partial));
}

#[test]
fn super_strategies_are_those_that_never_lose() {
    // The only pattern is {0, 1}, so the second player has to answer 0 with 1, and 1 with 0. All else is free or
    // forced.
    let game = Patterns::symmetric(3, &[&[0, 1]]);
    let first_moves = 3;
    let replies = 2 * 2 * 2;
    let all = playing_strategies(&game);
    assert_eq!(all.len(), first_moves * replies);
    let supers = super_strategies(&game);
    assert_eq!(supers.len(), first_moves * 2);
    let after = |a: usize, b: usize| [PointSet::EMPTY.with(a), PointSet::EMPTY.with(b)];
    for s in &all {
        let blocks = |a, b| s[&[PointSet::EMPTY.with(a), PointSet::EMPTY]] == after(a, b);
        assert_eq!(supers.contains(s), blocks(0, 1) && blocks(1, 0));
        // A strategy that may lose has a negative quality. The others have quality 0: the strongest opponent draws.
        assert_eq!(strategy_quality(&game, s) >= Some(0), supers.contains(s));
        let never_loses = (0..2).all(|seat| worst_outcome(&game, s, seat) >= 0);
        assert_eq!(never_loses, supers.contains(s));
    }
}

#[test]
fn a_game_won_by_the_first_player_in_several_ways_has_no_super_strategy() {
    // Whoever has 0 and another point wins. The first player takes 0, and the second cannot take both other points.
    let game = Patterns::symmetric(3, &[&[0, 1], &[0, 2]]);
    assert_eq!(Values::of(&game).value(&game.initial(), 0), 1);
    assert!(super_strategies(&game).is_empty());
    assert!(playing_strategies(&game).iter().all(|s| strategy_quality(&game, s) <= Some(0)));
}

#[test]
fn a_super_strategy_may_lose_against_itself() {
    // Whoever takes 0 wins. There are two strategies: to take 0 at once, or to leave it to the opponent.
    let game = Patterns::symmetric(2, &[&[0]]);
    let all = playing_strategies(&game);
    assert_eq!(all.len(), 2);
    let supers = super_strategies(&game);
    assert_eq!(supers.len(), 1);
    assert_eq!(supers[0][&game.initial()], [PointSet::EMPTY.with(0), PointSet::EMPTY]);
    assert_eq!(worst_outcome(&game, &supers[0], 1), -1);
    // It wins against the other strategy in both seats, and there are no others.
    assert_eq!(strategy_quality(&game, &supers[0]), Some(2));
    // If there is only one strategy, it has no opponents.
    let only = Patterns::symmetric(1, &[&[0]]);
    assert_eq!(super_strategies(&only).len(), 1);
    assert_eq!(strategy_quality(&only, &super_strategies(&only)[0]), None);
}

#[test]
fn tic_tac_toe_is_a_draw_under_best_play_and_not_drawless() {
    let game = tic_tac_toe();
    assert!(game.is_minimal() && game.is_symmetric() && !game.is_excluding());
    assert!(!drawless(&game));
    let values = Values::of(&game);
    assert_eq!(values.value(&game.initial(), 0), 0);
    // Every first move draws.
    assert_eq!(values.best(&game, &game.initial(), 0).len(), 9);
    // The only good replies are the centre to a corner, and a corner to the centre.
    let replies = |first: usize| {
        let p = [PointSet::EMPTY.with(first), PointSet::EMPTY];
        values.best(&game, &p, 1).iter().map(|q| q[1].iter().next().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(replies(0), [4]);
    assert_eq!(replies(4), [0, 2, 6, 8]);
}

#[test]
fn tic_tac_toe_has_the_known_numbers_of_configurations_and_games() {
    let game = tic_tac_toe();
    assert_eq!(configurations(&game).len(), 5478);
    assert_eq!(final_configurations(&game).len(), 958);
    let mut outcomes = BTreeMap::new();
    for_each_valid_game(&game, |played| *outcomes.entry(outcome(&game, played)).or_insert(0) += 1);
    assert_eq!(outcomes, BTreeMap::from([(1, 131_184), (-1, 77_904), (0, 46_080)]));
}

#[test]
fn best_play_in_tic_tac_toe_never_loses() {
    let game = tic_tac_toe();
    let best = Values::of(&game).best_strategy(&game);
    assert!(is_playing_strategy(&game, &best));
    assert_eq!([0, 1].map(|seat| worst_outcome(&game, &best, seat)), [0, 0]);
    assert_eq!(outcome(&game, &played_game(&game, &best, &best)), 0);
    // A strategy that always takes the first free point can be beaten in both seats.
    let first_free: BTreeMap<_, _> = configurations(&game)
        .into_iter()
        .filter_map(|p| Some((p, *game.transitions(&p).iter().min_by_key(|q| q[0].union(q[1]).iter().sum::<usize>())?)))
        .collect();
    assert!(is_playing_strategy(&game, &first_free));
    assert_eq!([0, 1].map(|seat| worst_outcome(&game, &first_free, seat)), [-1, -1]);
}

/// Strong positional games have their own versions of `is_transition` and `is_final`, which do not list all
/// transitions.
#[test]
fn transitions_and_final_configurations_agree_with_the_general_definition() {
    let (hex, havannah) = (Hex::new(2).patterns(), Havannah::new(2).patterns());
    for game in [Patterns::symmetric(4, &[&[0, 1], &[1, 2, 3]]), hex, havannah] {
        let all = configurations(&game);
        for p in &all {
            assert!(is_configuration(&game, *p));
            let next = game.transitions(p);
            assert_eq!(game.is_final(p), next.is_empty());
            if all.len() < 500 {
                assert!(all.iter().all(|q| game.is_transition(p, q) == next.contains(q)));
            } else {
                assert!(next.iter().all(|q| game.is_transition(p, q) && !game.is_transition(q, p)));
            }
        }
    }
}

#[test]
fn won_configurations_are_final() {
    let game = Patterns::symmetric(3, &[&[0]]);
    let won = [PointSet::EMPTY.with(0), PointSet::EMPTY];
    let beyond = [won[0], won[1].with(1)];
    assert!(is_configuration(&game, won) && is_configuration(&game, beyond));
    assert!(game.is_final(&won) && !game.is_transition(&won, &beyond));
    assert!(!configurations(&game).contains(&beyond));
}

#[test]
fn hex_is_excluding_drawless_and_won_by_the_first_player() {
    for size in [1, 2, 3] {
        let hex = Hex::new(size);
        assert!(hex.patterns().is_excluding());
        assert!(drawless(&hex));
        assert_eq!(Values::of(&hex).value(&hex.initial(), 0), 1);
    }
}

/// The game is `maximal`, so its patterns are not minimal. Leaving out those that contain others changes nothing.
#[test]
fn hex_positions_with_a_connecting_chain_are_those_that_contain_a_pattern() {
    for size in [1, 2, 3] {
        let hex = Hex::new(size);
        let patterns = hex.patterns();
        let minimal = patterns.minimal();
        assert!(minimal.is_minimal());
        assert_eq!(patterns.is_minimal(), size == 1);
        for position in (0..1 << (size * size)).map(PointSet::of_mask) {
            for player in 0..2 {
                let won = hex.is_winning(player, position);
                assert_eq!(won, patterns.is_winning(player, position));
                assert_eq!(won, minimal.is_winning(player, position));
            }
        }
    }
}

#[test]
fn on_hex_of_size_two_only_the_short_diagonal_wins() {
    let hex = Hex::new(2);
    let won = Values::of(&hex).best(&hex, &hex.initial(), 0);
    let first_moves: Vec<_> = won.iter().flat_map(|q| q[0].iter()).collect();
    assert_eq!(first_moves, [hex.point(0, 0), hex.point(1, 1)]);
}

#[test]
fn boards_have_six_corners_and_six_sides() {
    for size in 2..=13 {
        let game = Havannah::new(size);
        assert_eq!(game.points().len(), 3 * size * (size - 1) + 1);
        assert_eq!(game.corner_points().count(), 6);
        assert_eq!(game.side_points().count(), 6 * (size - 2));
        let sides = game.sides_touched(game.side_points());
        assert_eq!(sides.len(), if size == 2 { 0 } else { 6 });
        assert!(sides.iter().all(|side| side.count() == size - 2));
        assert!(game.inner_points().iter().all(|p| game.adjacency().neighbours_of(p).count() == 6));
    }
    assert_eq!(Havannah::new(1).points(), [(0, 0, 0)]);
}

#[test]
fn distance_is_the_length_of_a_shortest_path() {
    let game = Havannah::new(4);
    for p in 0..game.points().len() {
        let mut reached = PointSet::EMPTY.with(p);
        for steps in 0.. {
            let within = (0..game.points().len()).filter(|&q| distance(game.points()[p], game.points()[q]) <= steps);
            assert_eq!(reached, within.collect());
            if reached.count() == game.points().len() {
                break;
            }
            reached = reached.iter().fold(reached, |all, q| all.union(game.adjacency().neighbours_of(q)));
        }
    }
}

/// For every subset of the points of a small board, whether it contains a pattern.
fn positions_that_contain(point_count: usize, is_pattern: impl Fn(PointSet) -> bool) -> Vec<bool> {
    let mut contains = vec![false; 1 << point_count];
    for mask in 0..contains.len() {
        let smaller = (0..point_count).filter(|i| mask >> i & 1 == 1).any(|i| contains[mask & !(1 << i)]);
        contains[mask] = smaller || is_pattern(PointSet::of_mask(mask as u64));
    }
    contains
}

#[test]
fn positions_with_bridges_and_forks_are_those_that_contain_such_a_group() {
    for size in [2, 3] {
        let game = Havannah::new(size);
        let groups = game.adjacency();
        let at_least = [
            positions_that_contain(game.points().len(), |set| groups.is_group(set) && game.is_bridge(set)),
            positions_that_contain(game.points().len(), |set| groups.is_group(set) && game.is_fork(set)),
        ];
        let exactly = [
            positions_that_contain(game.points().len(), |set| {
                groups.is_group(set) && set.intersection(game.corner_points()).count() == 2
            }),
            positions_that_contain(game.points().len(), |set| {
                groups.is_group(set) && game.sides_touched(set).len() == 3
            }),
        ];
        assert!(at_least == exactly, "exactly two corners or three sides would win different positions");
        for mask in 0..1u64 << game.points().len() {
            let figures = game.figures(PointSet::of_mask(mask));
            assert_eq!(figures.contains(&Figure::Bridge), at_least[0][mask as usize]);
            assert_eq!(figures.contains(&Figure::Fork), at_least[1][mask as usize]);
        }
    }
}

/// On boards of size 2 and 3, the same positions contain a closed walk (Havannah text), a set {p0, .., pn-1} (general
/// text), and a chain whose removal leaves a component of inner points (the paper).
#[test]
#[ignore = "takes long: run by .ci/run"]
fn all_three_definitions_of_a_ring_agree() {
    for size in [2, 3] {
        let game = Havannah::new(size);
        let all = PointSet::first(game.points().len());
        let cycles = positions_that_contain(game.points().len(), |set| game.cycle_through_all(set).is_some());
        let rings = positions_that_contain(game.points().len(), |set| {
            let rest = game.adjacency().chains(all.difference(set));
            game.adjacency().is_group(set) && rest.iter().any(|component| component.is_subset(game.inner_points()))
        });
        assert!(cycles == rings);
        for mask in 0..1u64 << game.points().len() {
            let position = PointSet::of_mask(mask);
            let walk = game.find_cycle(position);
            assert_eq!(walk.is_some(), cycles[mask as usize], "{position:?}");
            assert_eq!(game.captures_a_point(position), cycles[mask as usize], "{position:?}");
            if let Some(walk) = walk {
                assert!(game.is_cycle(&walk) && walk.iter().all(|&p| position.has(p)) && walk.len() >= 6);
            }
        }
    }
}

/// On larger boards, in random positions with few or many stones.
#[test]
fn two_definitions_of_a_ring_agree_in_random_positions() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let mut found = [0, 0];
    for size in 4..=8 {
        let game = Havannah::new(size);
        for _ in 0..400 {
            let share = rng.random_range(0.3..0.7);
            let position = (0..game.points().len()).filter(|_| rng.random_bool(share)).collect();
            let walk = game.find_cycle(position);
            assert_eq!(walk.is_some(), game.captures_a_point(position), "size {size}: {position:?}");
            assert!(walk.iter().all(|walk| game.is_cycle(walk) && walk.iter().all(|&p| position.has(p))));
            found[walk.is_some() as usize] += 1;
        }
    }
    assert!(found.iter().all(|&count| count > 500), "{found:?}");
}

/// A lemma of the text: without sharp angles, a cycle has at least six points.
#[test]
fn walks_without_sharp_angles_need_six_steps_to_return() {
    let game = Havannah::new(4);
    let d = |p: usize, q: usize| distance(game.points()[p], game.points()[q]);
    let mut walks: Vec<Vec<usize>> = (0..game.points().len()).map(|p| vec![p]).collect();
    let mut nearest = Vec::new();
    for steps in 1..=6 {
        let longer = walks.iter().flat_map(|walk| {
            let onward = game.adjacency().neighbours_of(walk[walk.len() - 1]);
            let gentle = onward.iter().filter(|&q| walk.len() < 2 || d(walk[walk.len() - 2], q) >= 2);
            gentle.map(|q| [walk.as_slice(), &[q]].concat()).collect::<Vec<_>>()
        });
        walks = longer.collect();
        nearest.push(walks.iter().map(|walk| d(walk[0], walk[steps])).min().unwrap());
    }
    assert_eq!(nearest, [1, 2, 2, 2, 1, 0]);
    // So the only cycles of six points are the hexagons around an inner point.
    let hexagons: BTreeSet<PointSet> = walks
        .iter()
        .filter(|walk| walk[0] == walk[6] && game.is_cycle(&walk[..6]))
        .map(|walk| walk[..6].iter().copied().collect())
        .collect();
    let around_inner_points = game.inner_points().iter().map(|p| game.adjacency().neighbours_of(p)).collect();
    assert_eq!(hexagons, around_inner_points);
}

/// The text leaves out index 0. But if the conditions need not hold for it, four points in a row are a cycle.
#[test]
fn without_index_0_an_open_path_would_be_a_cycle() {
    let game = Havannah::new(4);
    // p1, p2, p3, p0 lie in a row.
    let tuple = ["d5", "d2", "d3", "d4"].map(|name| game.parse(name).unwrap());
    let d = |i: usize, j: usize| distance(game.points()[tuple[i % 4]], game.points()[tuple[j % 4]]);
    assert!((1..4).all(|i| d(i, i + 1) == 1 && d(i, i + 2) >= 2));
    assert!(!game.is_cycle(&tuple) && !game.captures_a_point(tuple.into_iter().collect()));
}

#[test]
fn a_walk_twice_around_a_ring_is_a_cycle() {
    let game = Havannah::new(3);
    let hexagon = game.adjacency().neighbours_of(game.parse("c3").unwrap());
    let once = game.cycle_through_all(hexagon).unwrap();
    assert!(game.is_cycle(&once) && game.is_cycle(&[once.as_slice(), &once].concat()));
    assert!(!game.is_cycle(&once[..5]) && !game.is_cycle(&[]));
}

#[test]
fn figures_are_found_in_example_positions() {
    let game = Havannah::new(4);
    let position = |names: &str| names.split(' ').map(|name| game.parse(name).unwrap()).collect::<PointSet>();
    assert_eq!(game.figures(position("a1 g7")), []);
    assert_eq!(game.figures(position("a1 a2 a4")), []);
    assert_eq!(game.figures(position("a1 a2 a3 a4")), [Figure::Bridge]);
    // Three sides make a fork, and corners belong to no side.
    assert_eq!(game.figures(position("a2 b1 b2 c2 d2 e2")), [Figure::Fork]);
    assert_eq!(game.figures(position("a2 a1 b1 b2 c2 d2")), []);
    // A hexagon is a ring whether its centre is empty or holds a stone of either player.
    assert_eq!(game.figures(position("d3 e4 e5 d5 c4 c3")), [Figure::Ring]);
    assert_eq!(game.figures(position("d3 e4 e5 d5 c4 c3 d4")), [Figure::Ring]);
    assert_eq!(game.figures(position("d3 e4 e5 d5 c4 d4")), []);
}

#[test]
fn names_of_points_on_the_board_are_parsed_and_others_rejected() {
    for size in 2..=13 {
        let game = Havannah::new(size);
        let letters = (b'a'..).take(2 * size - 1).map(char::from);
        let names: BTreeSet<_> = letters
            .flat_map(|l| (1..2 * size).filter_map(|n| game.parse(&format!("{l}{n}"))).collect::<Vec<_>>())
            .collect();
        assert_eq!(names.len(), game.points().len());
    }
    let game = Havannah::new(4);
    assert!(["", "a", "a0", "a5", "e1", "h8", "3a", "ä1"].iter().all(|name| game.parse(name).is_none()));
}

#[test]
fn havannah_of_size_two_is_drawless_and_won_only_by_starting_in_a_corner() {
    let game = Havannah::new(2);
    assert!(drawless(&game));
    let values = Values::of(&game);
    assert_eq!(values.value(&game.initial(), 0), 1);
    let won: PointSet = values.best(&game, &game.initial(), 0).iter().flat_map(|q| q[0].iter()).collect();
    assert_eq!(won, game.corner_points());
    let strategy = values.best_strategy(&game);
    assert_eq!([0, 1].map(|seat| worst_outcome(&game, &strategy, seat)), [1, -1]);
}

#[test]
fn havannah_of_size_two_agrees_with_its_list_of_patterns() {
    let game = Havannah::new(2);
    let patterns = game.patterns();
    let minimal = patterns.minimal();
    assert!(patterns.is_symmetric() && !patterns.is_minimal() && minimal.is_minimal());
    for position in (0..1 << 7).map(PointSet::of_mask) {
        assert_eq!(game.is_winning(0, position), patterns.is_winning(0, position));
        assert_eq!(game.is_winning(1, position), minimal.is_winning(1, position));
    }
    // Two adjacent corners, or two other corners with the centre between them.
    assert_eq!(minimal.winning[0].len(), 6 + 9);
    assert_eq!(configurations(&game), configurations(&minimal));
}
