//! Tests of the oracle itself, by facts that follow from the formal definitions or are well known.

use std::collections::{BTreeSet, HashMap};

use crate::oracle::game::Configuration;
use crate::oracle::havannah::{Figure, Havannah, distance};
use crate::oracle::point_set::PointSet;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const EMPTY: Configuration = [PointSet::EMPTY; 2];

/// `configurations`: all that can be reached from the empty board.
fn configurations(game: &Havannah) -> BTreeSet<Configuration> {
    let mut reached = BTreeSet::from([EMPTY]);
    let mut to_visit = vec![EMPTY];
    while let Some(p) = to_visit.pop() {
        to_visit.extend(game.transitions(p).into_iter().filter(|&q| reached.insert(q)));
    }
    reached
}

/// The score of a configuration if both players play best from there.
fn value(game: &Havannah, p: Configuration, known: &mut HashMap<Configuration, i32>) -> i32 {
    if let Some(&value) = known.get(&p) {
        return value;
    }
    let is_first = p[0].count() == p[1].count();
    let next: Vec<i32> = game.transitions(p).into_iter().map(|q| value(game, q, known)).collect();
    let best = if is_first { next.iter().max() } else { next.iter().min() };
    let value = best.copied().unwrap_or_else(|| game.score(p));
    known.insert(p, value);
    value
}

/// [`Havannah::is_transition`] and [`Havannah::is_final`] do not list all transitions.
#[test]
fn transitions_and_final_configurations_agree_with_the_general_definition() {
    let game = Havannah::new(2);
    let all = configurations(&game);
    for &p in &all {
        assert!(game.is_configuration(p));
        let next = game.transitions(p);
        assert_eq!(game.is_final(p), next.is_empty());
        assert!(next.iter().all(|&q| game.is_transition(p, q) && !game.is_transition(q, p)));
        let one_more: Vec<_> = all.iter().filter(|&&q| game.is_transition(p, q)).collect();
        assert_eq!(one_more, next.iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn won_configurations_are_final() {
    let game = Havannah::new(2);
    let [a, b, c, d] = ["a1", "b1", "b2", "c3"].map(|name| game.parse(name).unwrap());
    let played = game.configurations_of(&[a, c, b]);
    assert!(game.is_valid_game(&played) && !game.is_valid_game(&played[..3]) && !game.is_valid_game(&played[1..]));
    let won = played[3];
    let beyond = [won[0], won[1].with(d)];
    assert!(game.is_configuration(won) && game.is_configuration(beyond));
    assert!(game.is_final(won) && !game.is_transition(won, beyond) && game.score(won) == 1);
    assert!(!configurations(&game).contains(&beyond));
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
    assert!(configurations(&game).into_iter().all(|p| !game.is_final(p) || game.score(p) != 0));
    let mut known = HashMap::new();
    assert_eq!(value(&game, EMPTY, &mut known), 1);
    let won = game.transitions(EMPTY).into_iter().filter(|&q| value(&game, q, &mut known) == 1);
    assert_eq!(won.flat_map(|q| q[0].iter()).collect::<PointSet>(), game.corner_points());
}
