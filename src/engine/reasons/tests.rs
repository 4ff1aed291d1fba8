//! Each sentence is checked anew, in a slow and plain way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::engine::frames::{LinkEnd, Survey, frames};
use crate::engine::inspect::missing::missing_stones;
use crate::engine::solver::{Solution, Solver};
use crate::game::{Position, Structures, game};

/// The largest carrier on which all moves are tried.
const MOST_TRIED: usize = 8;

fn completing(position: &Position, color: Color) -> Vec<Vertex> {
    position.empty_vertices().filter(|&v| !position.completes(color, v).is_empty()).collect()
}

fn with(position: &Position, color: Color, v: Vertex) -> Position {
    let mut position = position.clone();
    assert!(position.is_empty(v), "a stone is put on a stone");
    position.place(color, v);
    position
}

/// Whether `color` to move wins by this line: each threat leaves the opponent one move, the last one none that helps.
fn line_wins(position: &Position, color: Color, line: &[Vertex]) -> bool {
    let Some((&threat, rest)) = line.split_first() else { return false };
    if !position.is_empty(threat) {
        return false;
    }
    let after = with(position, color, threat);
    let wins = completing(&after, color);
    completing(&after, !color).is_empty()
        && match rest.split_first() {
            None => wins.len() >= 2,
            Some((&answer, rest)) => wins == [answer] && line_wins(&with(&after, !color, answer), color, rest),
        }
}

/// Whether `owner` reaches a goal by stones on `left` alone, whatever the opponent, to move, plays there; the opponent
/// may pass. The goal is told what the last stone completed.
fn holds(position: &Position, owner: Color, left: &[Vertex], goal: &dyn Fn(&Position, Structures) -> bool) -> bool {
    let without = |left: &[Vertex], v| left.iter().copied().filter(|w| *w != v).collect::<Vec<_>>();
    let answers = |position: &Position, left: &[Vertex]| {
        left.iter().any(|&v| {
            let mut next = position.clone();
            let completed = next.place(owner, v);
            goal(&next, completed) || holds(&next, owner, &without(left, v), goal)
        })
    };
    goal(position, Structures::NONE)
        || left.iter().all(|&v| answers(&with(position, !owner, v), &without(left, v))) && answers(position, left)
}

/// Whether two ends are joined.
fn joined(position: &Position, ends: [LinkEnd; 2]) -> bool {
    let has = |v: Vertex, side: usize| position.chain(v).1 >> (6 + side) & 1 == 1;
    match ends {
        [LinkEnd::Chain(a), LinkEnd::Chain(b)] => position.chain(a).0 == position.chain(b).0,
        [LinkEnd::Chain(v), LinkEnd::Side(side)] | [LinkEnd::Side(side), LinkEnd::Chain(v)] => has(v, side),
        _ => false,
    }
}

/// The vertices with this mark.
fn marked(reason: &Reason, mark: &Mark) -> Vec<Vertex> {
    reason.marks.iter().filter(|(_, m)| m == mark).map(|(v, _)| *v).collect()
}

fn connection_holds(position: &Position, owner: Color, carrier: &[Vertex], ends: [LinkEnd; 2]) -> bool {
    carrier.len() > MOST_TRIED || holds(position, owner, carrier, &|position, _| joined(position, ends))
}

/// Checks the claim of a reason that is not a refutation.
fn check(before: &Game, reason: &Reason) {
    let own = reason.claim.player;
    let (other, it) = (!own, reason.claim.vertex);
    let position = before.position();
    let after = with(position, own, it);
    let passed_then = |v| with(position, other, v);
    let carrier = marked(reason, &Mark::Triangle);
    let text = reason.text(Notation::HavannahGui);
    let claim = match &reason.claim.fact {
        Fact::Wins { structures } => position.completes(own, it) == *structures && !structures.is_empty(),
        Fact::Stops { structures } => {
            position.completes(other, it) == *structures && completing(position, other) == [it]
        }
        Fact::StopsOneOf { others } => {
            let all = completing(position, other);
            all.contains(&it) && others.iter().all(|v| all.contains(v) && *v != it) && all.len() == others.len() + 1
        }
        Fact::DoubleThreat { at: [a, b] } => {
            a != b && completing(&after, other).is_empty() && [a, b].iter().all(|v| completing(&after, own).contains(v))
        }
        Fact::Sequence => line_wins(position, own, &reason.line),
        Fact::StopsDoubleThreat { by, at } => {
            let threatened = passed_then(*by);
            let is_double = |v: &Vertex| {
                let next = with(&after, other, *v);
                completing(&next, other).len() >= 2 && completing(&next, own).is_empty()
            };
            at.iter().all(|v| completing(&threatened, other).contains(v))
                && completing(&threatened, own).is_empty()
                && !after.empty_vertices().any(|v| is_double(&v) && completing(&after, own).is_empty())
        }
        Fact::StopsSequence { by } => {
            let line = marked(reason, &Mark::Square);
            line[0] == *by && line_wins(position, other, &line) && !line_wins(&after, other, &line)
        }
        Fact::NoAnswer => after.empty_vertices().all(|reply| {
            let answered = with(&after, other, reply);
            let mut game = before.clone();
            game.place(own, it).unwrap();
            game.place(other, reply).unwrap();
            game.outcome().is_none()
                && (!completing(&answered, own).is_empty() || proofs::winning_move(&game, own).is_some())
        }),
        Fact::WinsRace { width, other: fewest, .. } => {
            fewest.is_none_or(|fewest| fewest > *width) && solver_says_won(&after, own)
        }
        Fact::Secures { .. } => {
            let is_won = |_: &Position, completed: Structures| !completed.is_empty();
            carrier.len() > MOST_TRIED || holds(&after, own, &carrier, &is_won)
        }
        Fact::PreventsFrame { .. } => {
            let is_full = |v| frames(&with(position, other, v), other).first().is_some_and(|frame| frame.full);
            position.empty_vertices().any(|v| position.completes(other, v).is_empty() && is_full(v))
                && frames(&after, other).is_empty()
        }
        Fact::Threatens { at, structures } => after.completes(own, *at) == *structures && !structures.is_empty(),
        Fact::ThreatensToForce { at } => {
            let mut game = before.clone();
            game.place(own, it).unwrap();
            proofs::winning_line(&game, own).is_some_and(|line| line[0] == *at && line_wins(&after, own, &line))
        }
        Fact::Joins { ends } => !joined(position, *ends) && joined(&after, *ends),
        Fact::Connects { ends, pair } => {
            let answers = pair.is_none_or(|[v, w]| {
                let answered = |v, w| joined(&with(&with(&after, other, v), own, w), *ends);
                carrier.len() == 2 && answered(v, w) && answered(w, v)
            });
            !joined(position, *ends) && answers && connection_holds(&after, own, &carrier, *ends)
        }
        Fact::Prevents { ends, joins } => {
            let there = passed_then(it);
            let links = Survey::new(&there, other);
            !joined(position, *ends) && joined(&there, *ends) == *joins && (*joins || !links.links.is_empty())
        }
        Fact::Intrudes { ends } => {
            let survey = Survey::new(position, other);
            let link = survey.link(position, *ends).expect("there was a connection");
            link.carrier.contains(&it) && connection_holds(position, other, &link.carrier, *ends)
        }
        Fact::Stays { end, .. } => {
            let ends = [LinkEnd::Chain(it), *end];
            !joined(&after, ends) && connection_holds(&after, own, &carrier, ends)
        }
        Fact::Changes { .. } => true,
        Fact::NearSides { sides } => sides.iter().all(|&(side, far)| steps(before, it, side) == far),
        Fact::NearSide { side, steps: far } => steps(before, it, *side) == *far,
        Fact::Middle { farthest } => (0..6).map(|side| steps(before, it, side)).max() == Some(*farthest),
        Fact::Proven | Fact::OnlyMove | Fact::Lost => panic!("nothing was searched"),
        Fact::TakesOver { .. } | Fact::LeavesStone { .. } => panic!("there is no pie rule"),
    };
    assert!(claim, "{text}: {:?}", before.history());
    if let Fact::Changes { stake } = reason.claim.fact {
        check_stake(before, reason, stake);
    }
    if let Some(stake) = reason.claim.stake {
        check_stake(before, reason, stake);
    }
    check_data(reason, &text);
    assert!(text.len() <= 110, "{} characters: {text}", text.len());
    assert!(reason.line.first().is_none_or(|v| *v == it));
}

/// The data names the move, its player, and every vertex that the text names.
fn check_data(reason: &Reason, text: &str) {
    let data = reason.data();
    assert_eq!(data["kind"], reason.claim.fact.kind());
    assert_eq!(data["player"], reason.claim.player.to_string());
    let json = serde_json::to_string(&data).unwrap();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_name = |word: &&str| Notation::HavannahGui.parse(reason.board, word).is_ok();
    for name in words.filter(is_name) {
        assert!(json.contains(&format!("\"{name}\"")), "{name} of {text:?} is not in {json}");
    }
}

fn check_stake(before: &Game, reason: &Reason, stake: Stake) {
    let own = reason.claim.player;
    let (other, it) = (!own, reason.claim.vertex);
    let lacks = |position: &Position, color, structure| {
        let stones = missing_stones(position, color, structure)?;
        // The stones do complete it.
        let mut filled = position.clone();
        let completed = stones.iter().fold(Structures::NONE, |all, &v| all | filled.place(color, v));
        assert!(completed.contains(structure));
        Some(stones.len())
    };
    let [mine, theirs] = [own, other].map(|color| with(before.position(), color, it));
    match stake {
        Stake::Own { structure, with, without } => {
            assert_eq!((lacks(&mine, own, structure), lacks(&theirs, own, structure)), (Some(with), without));
        }
        Stake::Other { structure, before: count, after } => {
            let counts = [before.position(), &mine].map(|position| lacks(position, other, structure));
            assert_eq!(counts, [Some(count), after]);
        }
    }
}

/// Whether the solver agrees that `color` wins with the opponent to move, if it can tell.
fn solver_says_won(position: &Position, color: Color) -> bool {
    if position.geometry().side() > 4 {
        return true;
    }
    let solution = Solver::new(position.geometry(), 1 << 20).unwrap().solve(position, !color, 50_000);
    solution.is_none_or(|solution| matches!(solution, Solution::Loss))
}

/// The steps from a vertex to a side, by searching the board.
fn steps(game: &Game, from: Vertex, side: usize) -> usize {
    let geometry = game.geometry();
    let (mut reached, mut count) = (vec![from], 0);
    while !reached.iter().any(|v| geometry.rim(*v) == 1 << (6 + side)) {
        let next: Vec<Vertex> = reached.iter().flat_map(|v| geometry.neighbours(*v)).copied().collect();
        reached.extend(next);
        reached.sort_unstable();
        reached.dedup();
        count += 1;
    }
    count
}

/// A game that goes on, of random moves: all over the board, or like people's, near the stones.
fn random_game(rng: &mut Xoshiro256PlusPlus, side: usize, is_local: bool) -> Game {
    let geometry = Geometry::with_side(side).unwrap();
    let mut game = Game::new(geometry);
    for _ in 0..rng.random_range(0..geometry.vertex_count() * 2 / 3) {
        let empty: Vec<Vertex> = game.position().empty_vertices().collect();
        let is_near = |v: &&Vertex| game.stones().any(|(_, w)| geometry.distance(w, **v) <= 2);
        let near: Vec<Vertex> = empty.iter().filter(is_near).copied().collect();
        let from = if is_local && !near.is_empty() && rng.random_bool(0.9) { &near } else { &empty };
        let v = *from.choose(rng).unwrap();
        if game.position().completes(game.to_move(), v).is_empty() {
            game.play(v).unwrap();
        }
    }
    game
}

/// Checks the reasons of random moves, and counts them by their facts.
fn check_random(positions: usize, seed: u64) -> BTreeMap<&'static str, usize> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut counts = BTreeMap::new();
    for case in 0..positions {
        let game = random_game(&mut rng, 4 + case % 4, case % 3 != 0);
        let all: Vec<Vertex> = game.position().empty_vertices().collect();
        for &v in all.sample(&mut rng, 4) {
            if let Some(reason) = explain(&game, game.to_move(), v) {
                check(&game, &reason);
                *counts.entry(reason.claim.fact.kind()).or_default() += 1;
            }
        }
    }
    counts
}

#[test]
fn what_reasons_say_is_so() {
    let counts = check_random(60, 1);
    assert!(counts.len() >= 12, "{counts:?}");
}

#[test]
#[ignore = "takes long: run by .ci/nightly"]
fn what_thousands_of_reasons_say_is_so() {
    let counts = check_random(1_500, 2);
    println!("{counts:?}");
    assert!(counts.len() >= 18, "{counts:?}");
}

/// The sentence about a move of the player to move, or nothing.
fn said(side: usize, names: &str, v: &str) -> String {
    let game = game(side, names);
    let v = Notation::HavannahGui.parse(game.geometry(), v).unwrap();
    explain(&game, game.to_move(), v).map_or_else(String::new, |reason| reason.text(Notation::HavannahGui))
}

/// Each sentence beside a position in which its check fails, so that it is not said.
#[test]
fn sentences_are_said_where_they_hold_and_not_elsewhere() {
    let wins = "a1 c3 a2 d4";
    assert_eq!(said(3, wins, "a3"), "a3 completes a bridge and wins");
    assert_eq!(said(3, wins, "b3"), "", "another move wins at once");
    let must_stop = "a1 c3 a2";
    assert_eq!(said(3, must_stop, "a3"), "a3 stops White, who could complete a bridge there");
    assert_eq!(said(3, must_stop, "b3"), "", "White wins at once");
    // a1 joins two chains of White's, each one step from a corner; Black may have one of these corners.
    let double = "a1 threatens to win at a4 and at d1. Black can stop only one";
    assert_eq!(said(4, "a2 g7 a3 g6 b1 f7 c1 e6", "a1"), double);
    assert!(!said(4, "a2 g7 a3 g6 b1 f7 c1 d1", "a1").contains("to win at"));
    let prevented = "Black could play a1 and threaten to win at a4 and at d1. White takes a1 first";
    assert_eq!(said(4, "g7 a2 g6 a3 f7 b1 e6 c1", "a1"), prevented);
    // Two stones two steps apart, with nothing or a stone between them.
    assert_eq!(said(6, "e5 k11", "f7"), "f7 is connected with e5. If Black plays e6, White plays f6");
    assert!(!said(6, "e5 e6", "f7").contains("is connected with e5"));
    assert!(said(6, "e5 e6 f7 k10", "f6").starts_with("f6 joins f7 with e5"));
    assert!(!said(6, "e5 k10 f7 k11", "f6").contains("joins f7 with e5"), "they are connected already");
    assert_eq!(said(8, "", "h8"), "h8 is in the middle. No side is more than 7 steps away");
    assert_eq!(said(8, "", "a1"), "", "there is nothing to say about a corner");
}

#[test]
fn names_follow_the_notation_and_the_picture_is_in_the_json() {
    let game = game(3, "a1 c3 a2 d4");
    let a3 = Notation::HavannahGui.parse(game.geometry(), "a3").unwrap();
    let reason = explain(&game, game.to_move(), a3).unwrap();
    let name = Notation::LittleGolem.name(game.geometry(), a3);
    assert_eq!(reason.text(Notation::LittleGolem), format!("{name} completes a bridge and wins"));
    let data = serde_json::json!({"kind": "wins", "player": "white", "move": "a3", "structures": ["bridge"]});
    assert_eq!(serde_json::Value::from(reason.data()), data);
    let json = serde_json::json!({
        "text": "a3 completes a bridge and wins", "claim": data, "marks": {"a1": "circle", "a2": "circle"},
        "line": ["a3"],
    });
    assert_eq!(serde_json::to_value(&reason).unwrap(), json);
}

#[test]
fn a_mistake_is_explained_by_the_win_that_was_missed_or_by_its_refutation() {
    let vertex = |game: &Game, name| Notation::HavannahGui.parse(game.geometry(), name).unwrap();
    let text = |game: &Game, played, better| {
        let (played, better) = (Move::Place(vertex(game, played)), vertex(game, better));
        let reason = explain_mistake(game, game.to_move(), played, &[better], false).unwrap();
        (reason.text(Notation::HavannahGui), Notation::HavannahGui.names(game.geometry(), reason.line()).join(" "))
    };
    let missed = game(3, "a1 c3 a2 d4");
    assert_eq!(text(&missed, "b3", "a3"), ("a3 completes a bridge and wins".into(), "a3".into()));
    let careless = text(&game(4, "a2 g7 a3 g6 b1 f7 c1"), "e6", "a1");
    let refutation = "after e6, a1 threatens to win at a4 and at d1. Black can stop only one";
    assert_eq!(careless, (refutation.into(), "e6 a1".into()));
    let game = game(4, "a2 g7 a3 g6 b1 f7 c1");
    let reason =
        explain_mistake(&game, game.to_move(), Move::Place(vertex(&game, "e6")), &[vertex(&game, "a1")], false);
    let data = serde_json::json!({
        "kind": "double-threat", "player": "white", "move": "a1", "after": "e6", "vertices": ["a4", "d1"],
    });
    assert_eq!(serde_json::Value::from(reason.unwrap().data()), data);
}

/// What a search might have found: the vertices with their visits and win rates, the best one first.
fn report(game: &Game, found: &[(&str, u64, f64)]) -> SearchReport {
    let v = |name| Notation::HavannahGui.parse(game.geometry(), name).unwrap();
    let moves = found.iter().map(|&(name, visits, rate)| MoveReport {
        vertex: v(name),
        visits,
        win_rate: Some(rate),
        prior: None,
        rave: None,
        verdict: None,
        line: vec![v(name)],
    });
    SearchReport {
        to_move: game.to_move(),
        best: v(found[0].0),
        win_rate: found[0].2,
        moves_to_win: None,
        verdict: None,
        pv: vec![v(found[0].0)],
        simulations: 1000,
        elapsed: std::time::Duration::ZERO,
        moves: moves.collect(),
    }
}

#[test]
fn a_hint_prefers_the_move_that_can_be_explained_among_those_as_good() {
    // White wins at once with a3, so there is nothing to say for b3.
    let game = game(3, "a1 c3 a2 d4");
    let suggested = |found: &[(&str, u64, f64)]| {
        let (v, reason) = hint(&game, &report(&game, found), |m| m.win_rate);
        (Notation::HavannahGui.name(game.geometry(), v), reason.is_some())
    };
    assert_eq!(suggested(&[("b3", 100, 0.50), ("a3", 80, 0.495)]), ("a3".into(), true));
    assert_eq!(suggested(&[("b3", 100, 0.50), ("a3", 80, 0.48)]), ("b3".into(), false), "it is worse");
    assert_eq!(suggested(&[("b3", 100, 0.50), ("a3", 10, 0.50)]), ("b3".into(), false), "it is hardly searched");
    assert_eq!(suggested(&[("a3", 100, 0.50), ("b3", 80, 0.50)]), ("a3".into(), true));
}

#[test]
fn what_a_search_has_proven_is_said_if_the_board_does_not_show_it() {
    let game = game(6, "e5 k11");
    let mut found = report(&game, &[("f7", 10, 1.0), ("f1", 10, 0.0), ("a1", 10, 0.0)]);
    let mut text = |verdicts: [Option<Verdict>; 3], verdict| {
        found.verdict = verdict;
        found.moves.iter_mut().zip(verdicts).for_each(|(m, verdict)| m.verdict = verdict);
        hint(&game, &found, |m| m.win_rate).1.map(|reason| reason.text(Notation::HavannahGui)).unwrap_or_default()
    };
    let (win, loss) = (Some(Verdict::Win), Some(Verdict::Loss));
    assert_eq!(text([win, None, None], win), "f7 is proven to win");
    assert_eq!(text([None, loss, loss], None), "f7 is the only move. Every other is proven to lose");
    assert_eq!(text([loss; 3], loss), "every move is proven to lose, f7 too");
    assert!(text([None, None, loss], None).starts_with("f7 is connected"));
}

#[test]
fn in_a_lost_position_the_hint_is_the_move_that_resists_longest() {
    // Black wins on a3 unless White stops that; b3 does not.
    let game = game(3, "c3 a1 d4 a2");
    let mut found = report(&game, &[("b3", 10, 0.0), ("a3", 10, 0.0)]);
    (found.verdict, found.moves[0].verdict, found.moves[1].verdict) =
        (Some(Verdict::Loss), Some(Verdict::Loss), Some(Verdict::Loss));
    let (v, reason) = hint(&game, &found, |m| m.win_rate);
    assert_eq!(Notation::HavannahGui.name(game.geometry(), v), "b3");
    assert_eq!(reason.unwrap().text(Notation::HavannahGui), "every move is proven to lose, b3 too");
}

/// A claim of each kind, and of each form of its text.
fn claims(board: &Geometry) -> Vec<Claim> {
    use Fact::*;
    let v = |name: &str| Notation::HavannahGui.parse(board, name).unwrap();
    let (bridge, fork, ring) = (Structures::BRIDGE, Structures::FORK, Structures::RING);
    let (chain, side) = (LinkEnd::Chain(v("b2")), LinkEnd::Side(0));
    let own = |with, without| Stake::Own { structure: ring, with, without };
    let other = |before, after| Stake::Other { structure: fork, before, after };
    let (games, search) = (Evidence::Games { games: 37, score: 0.614 }, Evidence::Search { chance: 0.384 });
    let facts = vec![
        Wins { structures: bridge },
        Wins { structures: fork | ring },
        Stops { structures: bridge | fork | ring },
        StopsOneOf { others: vec![v("c1"), v("c2")] },
        DoubleThreat { at: [v("a1"), v("d1")] },
        Sequence,
        StopsDoubleThreat { by: v("d4"), at: [v("a1"), v("d1")] },
        StopsDoubleThreat { by: v("b1"), at: [v("a1"), v("d1")] },
        StopsSequence { by: v("b1") },
        NoAnswer,
        WinsRace { structures: bridge, width: 1, other: None },
        WinsRace { structures: fork | ring, width: 5, other: Some(6) },
        Proven,
        OnlyMove,
        Lost,
        Secures { structures: ring, width: 2 },
        PreventsFrame { structures: bridge | fork },
        Threatens { at: v("c3"), structures: ring },
        ThreatensToForce { at: v("c3") },
        Joins { ends: [side, chain] },
        Connects { ends: [chain, side], pair: Some([v("a2"), v("a3")]) },
        Connects { ends: [chain, LinkEnd::Chain(v("d4"))], pair: None },
        Prevents { ends: [chain, side], joins: true },
        Prevents { ends: [side, chain], joins: false },
        Intrudes { ends: [chain, side] },
        Stays { end: side, pair: Some([v("a2"), v("a3")]) },
        Stays { end: chain, pair: None },
        TakesOver { evidence: Evidence::Proof },
        TakesOver { evidence: games },
        LeavesStone { first: v("a1"), evidence: search },
        Changes { stake: own(1, None) },
        Changes { stake: own(2, Some(4)) },
        Changes { stake: other(3, None) },
        Changes { stake: other(1, Some(5)) },
        NearSides { sides: [(0, 1), (1, 2)] },
        NearSide { side: 5, steps: 2 },
        Middle { farthest: 7 },
    ];
    let claim = |(i, fact)| {
        let player = if i % 2 == 0 { Color::White } else { Color::Black };
        Claim { player, vertex: v("d4"), refuted: None, fact, stake: None }
    };
    let mut claims: Vec<Claim> = facts.into_iter().enumerate().map(claim).collect();
    let joins = Claim { stake: Some(own(2, Some(3))), ..claim((0, Joins { ends: [chain, side] })) };
    // Only a short text is followed by a second one.
    let long =
        Claim { stake: Some(own(2, Some(3))), ..claim((0, StopsDoubleThreat { by: v("b1"), at: [v("a1"), v("d1")] })) };
    let refutes = Claim { refuted: Some(v("e3")), ..claim((1, DoubleThreat { at: [v("a1"), v("d1")] })) };
    claims.extend([joins, long, refutes]);
    claims
}

/// The page says claims in several languages. Its tests check that in English it says what the engine does; here is
/// what they read.
#[test]
fn the_page_knows_a_claim_of_each_kind() {
    let board = Geometry::with_side(4).unwrap();
    let line = |claim: &Claim| {
        let text = sentence::say(claim, board, Notation::HavannahGui);
        format!("{}\n", serde_json::json!({"text": text, "claim": claim.to_json(board)}))
    };
    let claims = claims(board);
    let kinds: BTreeSet<_> = claims.iter().map(|claim| claim.fact.kind()).collect();
    assert_eq!(kinds.len(), 29, "a kind is missing here");
    let found: String = claims.iter().map(line).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/page/tests/claims.jsonl");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), found, "{} should have what is on the right", path.display());
}
