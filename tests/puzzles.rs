//! Puzzles: those that come with the page are proven again, and `malecon puzzles` makes and checks them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::Path;

use malecon::engine::session::StopFlag;
use malecon::game::record::Record;
use malecon::game::{Geometry, Move, Vertex};
use malecon::tools::puzzles::{Judge, Maker, Puzzle, Theme};

use crate::gtp_client::run;
use crate::scratch::Scratch;

/// In this position, a1 joins White's stones to a second corner in the end, and every other move loses.
const GAME: &str = "g4 f5 d1 f3 f4 e3 e4 d3 e5 f6 g6 e6 g5 g7 d7 d6 d5 c5 a4 c4 a1 c3 b1 b5 c1";

fn puzzles() -> Vec<Puzzle> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/page/puzzles.jsonl");
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Proves these puzzles again.
fn check(puzzles: &[Puzzle]) {
    let mut judges: HashMap<usize, Judge> = HashMap::new();
    for puzzle in puzzles {
        let judge = judges.entry(puzzle.side).or_insert_with(|| Judge::new(Geometry::with_side(puzzle.side).unwrap()));
        puzzle.check(judge).unwrap_or_else(|error| panic!("puzzle {}: {error}", puzzle.id));
    }
}

/// A game on side 4.
fn record(words: &str) -> Record {
    let words: Vec<&str> = words.split(' ').collect();
    Record::from_words(Geometry::with_side(4).unwrap(), &words).unwrap()
}

/// The puzzles of a game on side 4.
fn made(words: &str, most: usize) -> Vec<Puzzle> {
    Maker::new(&[], most).unwrap().make(&record(words), &StopFlag::new()).unwrap()
}

#[test]
fn all_puzzles_are_proven_again() {
    check(&puzzles());
}

#[test]
fn no_puzzle_is_there_twice_not_even_turned_or_mirrored() {
    let puzzles = puzzles();
    let ids: HashSet<u32> = puzzles.iter().map(|puzzle| puzzle.id).collect();
    assert_eq!(ids.len(), puzzles.len());
    let position = |puzzle: &Puzzle| {
        let game = puzzle.game().unwrap_or_else(|error| panic!("puzzle {}: {error}", puzzle.id));
        let moves: Vec<Vertex> = game.stones().map(|(_, v)| v).collect();
        (puzzle.side, game.geometry().canonical(&moves))
    };
    assert_eq!(puzzles.iter().map(position).collect::<HashSet<_>>().len(), puzzles.len());
}

#[test]
fn there_are_puzzles_of_every_side_theme_and_grade() {
    let puzzles = puzzles();
    assert_eq!(puzzles.iter().map(|puzzle| puzzle.side).collect::<BTreeSet<_>>(), BTreeSet::from_iter(4..=8));
    assert_eq!(puzzles.iter().map(|puzzle| puzzle.grade).collect::<BTreeSet<_>>(), BTreeSet::from_iter(1..=5));
    let themes = [Theme::Ring, Theme::Fork, Theme::Bridge, Theme::DoubleThreat, Theme::Defence];
    assert_eq!(puzzles.iter().map(|puzzle| puzzle.theme).collect::<BTreeSet<_>>(), BTreeSet::from(themes));
    assert!(puzzles.iter().all(|puzzle| (puzzle.grade == 1) == (puzzle.moves_to_win == 1)));
}

#[test]
fn a_game_gives_puzzles_that_are_not_in_each_others_lines() {
    let puzzles = made(GAME, 100);
    assert!(puzzles.len() > 1, "{puzzles:?}");
    check(&puzzles);
    for (i, puzzle) in puzzles.iter().enumerate() {
        assert_eq!(puzzle.id as usize, i + 1);
        let others = puzzles.iter().filter(|other| other.id != puzzle.id);
        assert!(others.flat_map(|other| &other.line).all(|name| name != &puzzle.solution[0]), "{puzzles:?}");
    }
    assert_eq!(made(GAME, 100), puzzles, "the same game gives the same puzzles");
}

#[test]
fn what_is_there_is_not_made_again() {
    let known = made(GAME, 100);
    let record = record(GAME);
    let geometry = record.board();
    let turned = &geometry.symmetries()[5];
    let moves = record.moves().into_iter().map(|(color, m)| match m {
        Move::Place(v) => (color, Move::Place(turned[v.index()])),
        other => (color, other),
    });
    let turned = Record::from_moves(geometry, &moves.collect::<Vec<_>>()).unwrap();
    for record in [record, turned] {
        let again = Maker::new(&known, 100).unwrap().make(&record, &StopFlag::new()).unwrap();
        let last = known.iter().map(|puzzle| puzzle.id).max().unwrap();
        let position = |puzzle: &Puzzle| {
            let moves: Vec<Vertex> = puzzle.game().unwrap().stones().map(|(_, v)| v).collect();
            geometry.canonical(&moves)
        };
        assert!(again.iter().all(|puzzle| puzzle.id > last));
        assert!(again.iter().all(|puzzle| known.iter().all(|known| position(known) != position(puzzle))));
    }
}

/// A run that is repeated adds nothing, and one that was interrupted is completed.
#[test]
fn a_game_gives_its_puzzles_once() {
    let known = made(GAME, 100);
    let record = record(GAME);
    for kept in 0..=known.len() {
        let again = Maker::new(&known[..kept], 100).unwrap().make(&record, &StopFlag::new()).unwrap();
        assert_eq!(again, known[kept..], "{kept} of {}", known.len());
    }
}

#[test]
fn the_spread_limits_puzzles_of_one_kind() {
    let mut counts = HashMap::new();
    for puzzle in made(GAME, 1) {
        *counts.entry((puzzle.theme, puzzle.grade)).or_insert(0) += 1;
    }
    assert!(!counts.is_empty() && counts.values().all(|&count| count == 1), "{counts:?}");
}

#[test]
fn a_wrong_puzzle_is_refused_with_the_reason() {
    let good = made(GAME, 100).into_iter().find(|puzzle| puzzle.line.len() > 2).unwrap();
    let mut judge = Judge::new(Geometry::with_side(4).unwrap());
    assert_eq!(good.check(&mut judge), Ok(()));
    let wrong = |change: &dyn Fn(&mut Puzzle)| {
        let mut puzzle = good.clone();
        change(&mut puzzle);
        puzzle
    };
    for (puzzle, reason) in [
        (wrong(&|p| p.moves.push(p.moves[0].clone())), "occupied"),
        (wrong(&|p| p.moves.push("z9".into())), "z9"),
        (wrong(&|p| drop(p.moves.pop())), "is to move, not"),
        (wrong(&|p| p.line.truncate(1)), "does not end with a win"),
        (wrong(&|p| p.solution[0] = p.line[1].clone()), "does not begin with"),
        (wrong(&|p| p.moves_to_win += 1), "moves of the winner"),
        (wrong(&|p| p.grade = 6), "grade 6"),
        (wrong(&|p| p.side = 99), "99"),
        (wrong(&|p| p.theme = if p.theme == Theme::Ring { Theme::Fork } else { Theme::Ring }), "the theme is"),
    ] {
        let error = puzzle.check(&mut judge).unwrap_err().to_string();
        assert!(error.contains(reason) && !error.contains('\n'), "{error}, not {reason}");
    }
}

/// A position with several winning moves is not a puzzle.
#[test]
fn a_second_winning_move_is_found() {
    let game = |names: &str| {
        let words: Vec<&str> = names.split(' ').collect();
        Record::from_words(Geometry::with_side(4).unwrap(), &words).unwrap().game()
    };
    let mut judge = Judge::new(Geometry::with_side(4).unwrap());
    // Both a3 and a2 prepare or complete White's bridge; Black has nothing.
    let game = game("a1 e5 a4 e6 a2 f6");
    let a3 = game.geometry().vertex_at(0, 2).unwrap();
    assert!(judge.only_win(&game, a3).unwrap_err().to_string().contains("loses"));
}

#[test]
fn the_command_adds_to_its_file_and_checks_it() {
    let folder = Scratch::folder("puzzles");
    let file = |name: &str| folder.within(name);
    fs::write(file("games.txt"), format!("# side 4\n{GAME}\n")).unwrap();
    let add = || run(&["puzzles", "--out", &file("puzzles.jsonl"), &file("games.txt")], b"");
    let output = add();
    assert!(output.status.success(), "{output:?}");
    let first = fs::read_to_string(file("puzzles.jsonl")).unwrap();
    assert!(first.lines().count() > 1);
    assert!(add().status.success());
    assert!(fs::read_to_string(file("puzzles.jsonl")).unwrap().starts_with(&first), "what was there is kept");
    let output = run(&["puzzles", "--check", &file("puzzles.jsonl")], b"");
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("puzzles are proven"));
    let line = first.lines().next().unwrap();
    fs::write(file("wrong.jsonl"), format!("{line}\n{line}\n")).unwrap();
    let output = run(&["puzzles", "--check", &file("wrong.jsonl")], b"");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.code() == Some(1) && said.contains("the number is used twice"), "{said}");
    fs::write(file("broken.jsonl"), "{}\n").unwrap();
    let output = run(&["puzzles", "--check", &file("broken.jsonl")], b"");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && error.contains("broken.jsonl:1: "), "{error}");
}
