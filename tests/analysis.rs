//! The analysis commands: on every board their pictures are well-formed and name only vertices that exist. GoGui
//! crashes at the name of a vertex that its board does not have.

use std::collections::BTreeSet;

use malecon::game::{Geometry, MAX_SIDE, MIN_SIDE, Notation};
use malecon::protocols::gtp::dispatch::commands;
use malecon::protocols::gtp::{Engine, GtpOptions};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

const DIALECTS: [(&str, Notation); 3] =
    [("havannahgui", Notation::HavannahGui), ("gogui", Notation::GoGui), ("littlegolem", Notation::LittleGolem)];

/// An engine that thinks as little as possible.
fn engine(side: usize, dialect: &str) -> Engine {
    let mut engine = Engine::new(Geometry::with_side(side).unwrap(), GtpOptions::default());
    for (name, value) in
        [("gui", dialect), ("simulations", "40"), ("analysis_playouts", "40"), ("memory", "4"), ("seed", "1")]
    {
        engine.set_option(name, value).unwrap();
    }
    engine
}

/// The text of the response to a command that must not fail.
fn ask(engine: &mut Engine, line: &str) -> String {
    let answer = engine.respond(line).unwrap();
    let text = answer.strip_prefix('=').unwrap_or_else(|| panic!("{line}: {answer}"));
    text.trim_end_matches('\n').trim_start_matches(' ').to_owned()
}

/// The entries of GoGui's analysis window: kind and command, once for each colour if the command takes one.
fn offered(engine: &mut Engine) -> Vec<(String, String)> {
    let lines = ask(engine, "gogui-analyze_commands");
    let rows = lines.lines().map(|line| line.split('/').collect::<Vec<_>>());
    let rows = rows.map(|row| <[&str; 3]>::try_from(row).expect("kind, label and command"));
    rows.flat_map(|[kind, label, command]| {
        assert!(!label.is_empty());
        let colors = if command.contains('%') { &["w", "b"][..] } else { &[""] };
        colors.iter().map(move |color| (kind.to_owned(), command.replace("%c", color).replace("%m", color)))
    })
    .collect()
}

/// The vertices that a picture names. Panics if GoGui would not understand the picture.
fn named_in_picture(picture: &str) -> Vec<String> {
    let texts = picture.lines().filter(|line| line.starts_with("TEXT ")).count();
    assert!(texts <= 1, "GoGui opens a window for more than one text: {picture}");
    picture.lines().flat_map(named_in_line).map(str::to_owned).collect()
}

fn named_in_line(line: &str) -> Vec<&str> {
    let (command, rest) = line.split_once(' ').unwrap_or_else(|| panic!("a command without arguments: {line}"));
    let words: Vec<&str> = rest.split(' ').collect();
    match command {
        "TEXT" => Vec::new(),
        "COLOR" => {
            let digits = words[0].strip_prefix('#').unwrap_or_default();
            assert!(digits.len() == 6 && u32::from_str_radix(digits, 16).is_ok(), "{line}");
            words[1..].to_vec()
        }
        "LABEL" => {
            assert!(words.len().is_multiple_of(2) && words.iter().all(|word| !word.is_empty()), "{line}");
            words.into_iter().step_by(2).collect()
        }
        "VAR" => {
            assert!(words.len().is_multiple_of(2) && words.iter().step_by(2).all(|w| ["b", "w"].contains(w)), "{line}");
            words.into_iter().skip(1).step_by(2).collect()
        }
        "CIRCLE" | "SQUARE" => words,
        _ => panic!("GoGui does not know {line}"),
    }
}

/// Runs every command and checks every vertex that is named.
fn check_all(engine: &mut Engine, board: &Geometry, notation: Notation) {
    let names: BTreeSet<String> = board.vertices().map(|v| notation.name(board, v)).collect();
    let gogui: BTreeSet<String> = board.vertices().map(|v| Notation::GoGui.name(board, v)).collect();
    let check = |names: &BTreeSet<String>, found: Vec<String>, line: &str| {
        found.iter().for_each(|name| assert!(names.contains(name), "{line} on side {}: {name}", board.side()));
    };
    check(&gogui, named_in_picture(&ask(engine, "gogui-rules_board_gfx")), "gogui-rules_board_gfx");
    for (kind, line) in offered(engine) {
        let answer = ask(engine, &line);
        match &kind[..] {
            "gfx" => check(&names, named_in_picture(&answer), &line),
            "pstring" if !["none", "pass", "swap", "resign"].contains(&&answer[..]) => {
                check(&names, vec![answer], &line);
            }
            "pstring" | "hstring" => {}
            _ => panic!("a kind that this test does not know: {kind}"),
        }
    }
}

/// Plays this many random moves, or to the end.
fn play_on(engine: &mut Engine, moves: usize, rng: &mut StdRng) {
    for _ in 0..moves {
        let legal = ask(engine, "all_legal");
        let Some(word) = legal.split_whitespace().collect::<Vec<_>>().choose(rng).map(|word| (*word).to_owned()) else {
            break;
        };
        ask(engine, &format!("playgame {word}"));
    }
}

#[test]
fn named_vertices_exist_on_every_board_in_every_position_and_dialect() {
    let mut rng = StdRng::seed_from_u64(1);
    for side in MIN_SIDE..=MAX_SIDE {
        let board = Geometry::with_side(side).unwrap();
        for (dialect, notation) in DIALECTS {
            let mut engine = engine(side, dialect);
            check_all(&mut engine, board, notation);
            for _ in 0..2 {
                play_on(&mut engine, rng.random_range(1..board.vertex_count()), &mut rng);
                check_all(&mut engine, board, notation);
            }
            play_on(&mut engine, usize::MAX, &mut rng);
            check_all(&mut engine, board, notation);
            ask(&mut engine, "undo 2");
            check_all(&mut engine, board, notation);
            ask(&mut engine, "set_option preset paper");
            check_all(&mut engine, board, notation);
        }
    }
}

#[test]
fn named_vertices_exist_around_swap_genmove_and_resignation() {
    let board = Geometry::with_side(4).unwrap();
    for (dialect, notation) in DIALECTS {
        let mut engine = engine(4, dialect);
        let moves =
            ["set_option swap true", "play w d4", "swap", "genmove white", "genmove black", "undo", "play b resign"];
        for line in moves {
            ask(&mut engine, line);
            check_all(&mut engine, board, notation);
        }
    }
}

#[test]
fn every_entry_of_the_analysis_window_is_a_command() {
    let mut engine = engine(4, "gogui");
    let known: BTreeSet<&str> = commands().map(|command| command.name).collect();
    for (_, line) in offered(&mut engine) {
        assert!(known.contains(line.split(' ').next().unwrap()), "{line}");
    }
}

/// After the engine's move it is the opponent's turn, so a picture needs a search of its own; another one of the same
/// position does not.
#[test]
fn pictures_show_a_search_of_the_position_on_the_board() {
    let mut engine = engine(5, "gogui");
    ask(&mut engine, "set_option simulations 300");
    let best = ask(&mut engine, "genmove white");
    let text = |picture: &str| picture.lines().find(|line| line.starts_with("TEXT ")).unwrap().to_owned();
    let shown = ask(&mut engine, "analyze_visits");
    assert!(text(&shown).starts_with("TEXT black ") && shown.contains("CIRCLE "), "{shown}");
    let names_best = |word: &str| word == best;
    assert!(!shown.split_whitespace().any(names_best), "nothing is drawn on the new stone {best}: {shown}");
    assert_eq!(text(&ask(&mut engine, "analyze_pv")), text(&shown));
    for color in ["black", "white"] {
        let legal = ask(&mut engine, "all_legal");
        ask(&mut engine, &format!("play {color} {}", legal.split(' ').next().unwrap()));
    }
    assert!(text(&ask(&mut engine, "analyze_visits")).starts_with("TEXT black "));
    assert_eq!(ask(&mut engine, "analyze_rave"), ask(&mut engine, "analyze_rave"));
    ask(&mut engine, "undo");
    assert!(text(&ask(&mut engine, "analyze_verdicts")).starts_with("TEXT white to move, not solved: 0 of 59 moves"));
}

#[test]
fn threats_distances_and_verdicts_agree_about_a_win_in_one() {
    let mut engine = engine(3, "havannahgui");
    ask(&mut engine, "playgame a1 c3 a2 d4");
    let picture = ask(&mut engine, "analyze_threats");
    assert!(picture.contains("LABEL a3 B\n") && picture.ends_with("TEXT white wins on 1 vertex, black on no vertex"));
    let picture = ask(&mut engine, "analyze_distance");
    assert!(
        picture.contains(" a3 1 ") && picture.ends_with("white is 1 stone away from a bridge or a fork"),
        "{picture}"
    );
    assert!(ask(&mut engine, "analyze_distance black").contains("TEXT black is "));
    let picture = ask(&mut engine, "analyze_verdicts");
    assert!(picture.contains(" a3 W") && picture.contains("TEXT white wins: "), "{picture}");
    let picture = ask(&mut engine, "analyze_chains");
    assert!(picture.contains("LABEL a2 1+1\nCIRCLE a1\nTEXT 2 chains"), "{picture}");
    ask(&mut engine, "play white a3");
    assert_eq!(ask(&mut engine, "analyze_threats"), "TEXT the game is over");
    assert!(ask(&mut engine, "analyze_distance white").ends_with("TEXT white has a bridge or a fork"));
    let picture = ask(&mut engine, "gogui-rules_board_gfx");
    assert!(
        picture.contains(" A1 A2 A3\n") && picture.ends_with("CIRCLE A1 A2 A3\nTEXT white wins by bridge"),
        "{picture}"
    );
}
