//! Reviews of games: what they find, and what `malecon review` writes.

use std::fs;
use std::path::{Path, PathBuf};

use malecon::engine::frames::Basis;
use malecon::engine::search::Limits;
use malecon::engine::session::first_stones::first_stones;
use malecon::engine::session::{EngineOptions, Session, StopFlag};
use malecon::game::record::{Format, Record, Winner, read, write};
use malecon::game::{Color, Geometry, Move, Notation};
use malecon::protocols::json::{Analyst, Answer, QuerySettings};
use malecon::review::{Progress, Review, Settings, annotate, html, json, review, text};
use serde_json::{Value, json};

use crate::gtp_client::run;
use crate::queries::stones_by_chance;
use crate::scratch::Scratch;
use crate::skipped::skipped;

/// White could complete a bridge with a3 but plays c3, and black wins by a bridge.
const MISSED: [&str; 6] = ["a1", "e5", "a2", "d5", "c3", "c5"];

fn record(side: usize, words: &[&str]) -> Record {
    Record::from_words(Geometry::with_side(side).unwrap(), words).unwrap()
}

fn reviewed(record: &Record, simulations: u64) -> Review {
    let settings = Settings { limits: Limits::with_simulations(simulations), ..Settings::default() };
    let mut session = Session::new(record.board(), EngineOptions::default());
    session.set_option("memory", "16").unwrap();
    session.set_seed(1);
    review(&mut session, record, &settings, &StopFlag::new(), &mut |_| {}).unwrap()
}

fn name(review: &Review, m: Move) -> String {
    let Move::Place(v) = m else { panic!("{m:?}") };
    Notation::HavannahGui.name(review.board(), v)
}

#[test]
fn a_missed_win_is_a_mistake_and_the_win_is_shown() {
    let review = reviewed(&record(3, &MISSED), 400);
    assert_eq!(review.positions.len(), MISSED.len() + 1);
    let (_, m, mistake) = review.mistakes().find(|(i, ..)| *i == 4).expect("c3 misses a3");
    assert_eq!((m.color, name(&review, m.played).as_str()), (Color::White, "c3"));
    assert_eq!(review.positions[4].proven, Some(Winner::White));
    assert!(mistake.missed_win && mistake.loss() == 1.0, "{mistake:?}");
    assert_eq!(name(&review, mistake.better), "a3");
    let reason = mistake.reason.as_ref().expect("the reason is on the board").text(Notation::HavannahGui);
    assert_eq!(reason, "a3 completes a bridge and wins");
    assert_eq!(json::value(&review)["moves"][4]["mistake"]["reason"]["text"], reason);
    assert!(html::page(&review, Notation::HavannahGui).contains(&reason));
    let annotated = write(&[annotate::annotated(&review, Notation::HavannahGui)], Format::Sgf);
    assert!(annotated.contains(&reason), "{annotated}");
    let missing = review.positions[4].missing;
    assert_eq!(missing[Color::White.index()][0], Some(1), "a3 completes the bridge");
    // Lines are broken at spaces.
    let said = text::report(&review, Notation::HavannahGui, true).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(&format!("The reason: {reason}.")), "{said}");
    assert!(said.contains("a3 was better by") && said.contains("White had a proven win."), "{said}");
}

#[test]
fn a_win_on_the_board_is_certain_and_proves_the_move_before() {
    let review = reviewed(&record(3, &["a1", "c3", "a2", "d4", "a3"]), 100);
    let last = review.positions.last().unwrap();
    assert_eq!((last.white, last.proven, last.simulations), (1.0, Some(Winner::White), 0));
    assert_eq!(review.positions[4].proven, Some(Winner::White));
    assert_eq!(last.missing[Color::White.index()][0], Some(0));
    let (after, winner) = review.decided().unwrap();
    assert!(after <= 4 && winner == Winner::White);
}

/// White wins with each first stone and against each reply, so none of them is a mistake.
#[test]
fn a_review_of_side_4_knows_the_openings() {
    let review = reviewed(&record(4, &["d4", "a1"]), 50);
    for position in &review.positions {
        assert_eq!((position.proven, position.simulations), (Some(Winner::White), 0));
        assert!(position.line.len() > 4, "{position:?}");
    }
    assert_eq!(review.mistakes().count(), 0);
}

/// The corner of side 2 wins, so whoever may swap takes it; the chances are those of the players, not of the stones.
#[test]
fn the_pie_rule_counts_as_the_players_chance() {
    let swapped = reviewed(&record(2, &["a1", "swap"]), 400);
    assert_eq!(swapped.positions[0].white, 0.5);
    assert!(swapped.positions[1].swap && swapped.positions[1].proven == Some(Winner::Black), "{:?}", swapped.positions);
    assert_eq!(swapped.positions[2].proven, Some(Winner::Black));
    assert_eq!(swapped.mistakes().count(), 0);
    // Without the pie rule the first player wins.
    let plain = reviewed(&record(2, &["a1", "c3"]), 400);
    assert_eq!(plain.positions[0].proven, Some(Winner::White));
}

#[test]
fn not_swapping_a_winning_stone_is_a_mistake() {
    let record = record(2, &["a1", "c3"]);
    let limits = Limits::with_simulations(400);
    let settings = Settings { limits, swap: true, ..Settings::default() };
    let mut session = Session::new(record.board(), EngineOptions::default());
    let review = review(&mut session, &record, &settings, &StopFlag::new(), &mut |_| {}).unwrap();
    let (1, _, mistake) = review.mistakes().next().unwrap() else { panic!("{:?}", review.moves) };
    assert!(mistake.better == Move::Swap && mistake.missed_win && mistake.loss() == 1.0);
    let annotated = annotate::annotated(&review, Notation::HavannahGui);
    assert!(write(&[annotated], Format::Sgf).contains("B[swap]"));
    assert!(html::page(&review, Notation::HavannahGui).contains("after swap."));
}

#[test]
fn a_first_stone_can_be_too_strong_for_the_pie_rule() {
    let stones = stones_by_chance(6);
    let (best, ..) = &stones[stones.len() - 1];
    let record = record(6, &[best, "swap"]);
    let limits = Limits { simulations: Some(60), ..Limits::default() };
    let settings = Settings { limits, swap: true, ..Settings::default() };
    let mut session = Session::new(record.board(), EngineOptions::default());
    let review = review(&mut session, &record, &settings, &StopFlag::new(), &mut |_| {}).unwrap();
    let said: Vec<_> = review.findings().iter().map(|found| found.words(&review, Notation::HavannahGui)).collect();
    let expected = format!("White's first stone {best} was too strong for the pie rule; ");
    assert!(said.len() == 1 && said[0].starts_with(&expected), "{said:?}");
}

/// After set-up stones, the first move is no first stone.
#[test]
fn a_mistake_after_set_up_stones_is_no_first_stone() {
    let text = "(;SZ[3]RU[swap]AW[a1][a2]AB[e5][d5]PL[W];W[c3];B[c5])";
    let review = reviewed(&read(text.as_bytes(), None).unwrap()[0], 200);
    let [found] = &review.findings()[..] else { panic!("{:?}", review.findings()) };
    assert_eq!(found.words(&review, Notation::HavannahGui), "White overlooked a3 at move 1.");
}

/// On side 4 the opponent wins by the right choice whatever the first stone is.
#[test]
fn where_all_first_stones_are_decided_none_is_a_mistake() {
    let settings = Settings { limits: Limits::with_simulations(60), swap: true, ..Settings::default() };
    for first in ["a1", "d1", "d4"] {
        let record = record(4, &[first, "swap"]);
        let mut session = Session::new(record.board(), EngineOptions::default());
        let review = review(&mut session, &record, &settings, &StopFlag::new(), &mut |_| {}).unwrap();
        assert!(review.moves[0].mistake.is_none(), "{first}: {:?}", review.moves[0].mistake);
        assert_eq!(review.positions[0].white, 0.0);
    }
}

/// Not swapping the best first stone of the table is a mistake, and swapping the worst one is.
#[test]
fn a_mistake_about_the_swap_is_explained_by_the_games_from_such_first_stones() {
    let limits = Limits::with_simulations(60);
    let second = |words: &[&str], swap| {
        let record = record(7, words);
        let mut session = Session::new(record.board(), EngineOptions::default());
        session.set_seed(1);
        let settings = Settings { limits, swap, ..Settings::default() };
        let review = review(&mut session, &record, &settings, &StopFlag::new(), &mut |_| {}).unwrap();
        let mistake = review.moves[1].mistake.clone()?;
        Some((mistake.better, mistake.reason.map(|reason| reason.text(Notation::HavannahGui))))
    };
    let stones = stones_by_chance(7);
    let ((worst, _, bad), (best, _, good)) = (&stones[0], &stones[stones.len() - 1]);
    let taken = format!("{best} is worth the swap. Its owner {good} games of the engine from such a first stone");
    assert_eq!(second(&[best, worst], true), Some((Move::Swap, Some(taken))));
    let (better, said) = second(&[worst, "swap"], true).unwrap();
    assert!(
        better != Move::Swap && said.unwrap().contains(&format!("{worst} is not worth the swap. Its owner {bad} "))
    );
    // Nobody speaks of the swap where it is right, or not possible.
    assert_eq!(second(&[best, "swap"], true), None);
    let said = second(&[best, worst], false).and_then(|(_, said)| said);
    assert!(!said.unwrap_or_default().contains("swap"));
}

/// The best first stone of the table is much better than the fair ones.
#[test]
fn an_unfair_first_stone_is_a_mistake_and_taking_it_is_none() {
    let table = first_stones(Geometry::with_side(5).unwrap()).unwrap();
    let (best, ..) = stones_by_chance(5).pop().unwrap();
    let review = reviewed(&record(5, &[&best, "swap", "e5"]), 100);
    let (0, m, mistake) = review.mistakes().next().unwrap() else { panic!("{:?}", review.moves) };
    let Move::Place(better) = mistake.better else { panic!("{mistake:?}") };
    assert_eq!((m.color, better, &mistake.line), (Color::White, table.fair()[0], &vec![better]));
    let Move::Place(played) = m.played else { panic!("{m:?}") };
    assert!((mistake.played_chance - (1.0 - table.estimate(played))).abs() < 1e-9 && mistake.better_chance <= 0.5);
    assert!(review.positions[1].swap && review.moves[1].mistake.is_none());
    // The swap does not change the chances.
    assert_eq!(review.positions[1].white, review.positions[2].white);
    // A fair stone is not a mistake.
    let fair = Notation::HavannahGui.name(table.geometry(), table.fair()[0]);
    let review = reviewed(&record(5, &[&fair, "swap", &best]), 100);
    assert_eq!(review.moves[0].mistake, None);
}

#[test]
fn stones_that_were_set_up_have_no_number_on_the_page() {
    let records = read(b"(;FF[4]SZ[4]AW[c3][d6];B[d4];W[e5];B[b2])", None).unwrap();
    let page = html::page(&reviewed(&records[0], 20), Notation::HavannahGui);
    let viewer = page.split("id=\"viewer\"").nth(1).unwrap();
    let marks = viewer.split("class=\"marks\"").nth(1).unwrap().split("</g>").next().unwrap();
    let numbers: Vec<_> = (0..9).filter(|number| marks.contains(&format!(">{number}</text>"))).collect();
    assert_eq!(numbers, [1, 2, 3]);
}

#[test]
fn a_review_that_is_stopped_has_what_was_searched() {
    let record = record(3, &MISSED);
    let stop = StopFlag::new();
    let limits = Limits::with_simulations(50);
    let settings = Settings { limits, ..Settings::default() };
    let mut calls = 0;
    let mut progress = |_: Progress<'_>| {
        calls += 1;
        if calls == 3 {
            stop.stop();
        }
    };
    let review =
        review(&mut Session::new(record.board(), EngineOptions::default()), &record, &settings, &stop, &mut progress)
            .unwrap();
    assert!(review.is_partial && review.positions.len() == 3 && review.mistakes().count() == 0);
    let stopped = "stopped after 3 of 7 positions, before it had found the mistakes";
    assert!(text::report(&review, Notation::HavannahGui, true).contains(stopped));
    assert!(text::summary(&review).ends_with(stopped) && !text::summary(&review).contains("0 mistakes"));
    let page = html::page(&review, Notation::HavannahGui);
    assert!(page.contains("stopped before the end") && !page.contains("0 mistakes"));
}

/// All positions were searched by then. A later review replaces what it has written.
#[test]
fn a_review_that_is_stopped_while_it_looks_for_mistakes_has_all_positions() {
    let record = record(3, &MISSED);
    let stop = StopFlag::new();
    let settings = Settings { limits: Limits::with_simulations(50), ..Settings::default() };
    let mut progress = |progress: Progress<'_>| {
        if matches!(progress, Progress::Checked { .. }) {
            stop.stop();
        }
    };
    let mut session = Session::new(record.board(), EngineOptions::default());
    let stopped = review(&mut session, &record, &settings, &stop, &mut progress).unwrap();
    assert!(stopped.is_partial && stopped.positions.len() == 7 && stopped.mistakes().count() == 0);
    let words = "; stopped before it had found the mistakes";
    assert!(text::summary(&stopped).ends_with(words), "{}", text::summary(&stopped));
    let annotated = annotate::annotated(&stopped, Notation::HavannahGui);
    assert!(annotated.node(0).comment().unwrap().contains(words));
    let again = annotate::annotated(&reviewed(&annotated, 50), Notation::HavannahGui);
    assert!(!again.node(0).comment().unwrap().contains("stopped"));
}

#[test]
fn a_review_that_is_stopped_at_once_can_be_written() {
    let record = record(3, &MISSED);
    let stop = StopFlag::new();
    stop.stop();
    let mut session = Session::new(record.board(), EngineOptions::default());
    let review = review(&mut session, &record, &Settings::default(), &stop, &mut |_| ()).unwrap();
    assert!(review.is_partial && review.positions.is_empty() && review.decided().is_none());
    assert!(html::page(&review, Notation::HavannahGui).contains("stopped before the end"));
    assert!(text::report(&review, Notation::HavannahGui, true).contains("stopped after 0 of 7 positions"));
    annotate::annotated(&review, Notation::HavannahGui);
    assert_eq!(json::value(&review)["partial"], true);
}

#[test]
fn the_option_swap_of_the_session_does_not_matter() {
    let record = record(3, &MISSED);
    let review_with = |swap| {
        let mut session = Session::new(record.board(), EngineOptions::default());
        session.set_seed(1);
        session.set_option("swap", swap).unwrap();
        let limits = Limits::with_simulations(100);
        let settings = Settings { limits, ..Settings::default() };
        let review = review(&mut session, &record, &settings, &StopFlag::new(), &mut |_| ()).unwrap();
        review.positions.iter().map(|position| position.white).collect::<Vec<_>>()
    };
    assert_eq!(review_with("true"), review_with("false"));
}

#[test]
fn moves_after_a_resignation_are_not_reviewed() {
    let records = read(b"(;FF[4]SZ[4];W[d4];B[resign];W[a1];B[e5])", None).unwrap();
    let review = reviewed(&records[0], 50);
    assert_eq!((review.moves.len(), review.positions.len()), (1, 2));
    html::page(&review, Notation::HavannahGui);
}

#[test]
fn comments_and_better_lines_are_added_to_the_record() {
    let review = reviewed(&record(3, &MISSED), 400);
    let annotated = annotate::annotated(&review, Notation::HavannahGui);
    assert_eq!(annotated.variation_count(), review.findings().len());
    assert_eq!(annotated.moves(), review.record.moves());
    for format in [Format::Sgf, Format::GoGui, Format::Hgf] {
        let text = write(std::slice::from_ref(&annotated), format);
        let again = read(text.as_bytes(), Some(format)).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(again[0].variation_count(), annotated.variation_count());
        assert!(text.contains("White wins") && text.contains("BM[2]") && text.contains("Better: White wins 100 %."));
    }
}

#[test]
fn a_page_needs_nothing_else_and_quotes_what_is_in_the_record() {
    let mut record = record(3, &MISSED);
    record.players = [Some("<script>alert(1)</script>".into()), Some("A & B".into())];
    let page = html::page(&reviewed(&record, 100), Notation::LittleGolem);
    assert!(!page.contains("<script>alert") && page.contains("&lt;script&gt;") && page.contains("A &amp; B"));
    let outside = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("http") && !outside.contains("src=") && !outside.contains("@import"));
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    for part in ["class=\"graph\"", "class=\"line\"", "id=\"viewer\"", "id=\"move-6\"", "prefers-color-scheme: dark"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn json_has_the_chances_and_the_mistakes() {
    let review = reviewed(&record(3, &MISSED), 400);
    let value = json::value(&review);
    assert_eq!((value["positions"].as_array().unwrap().len(), value["moves"].as_array().unwrap().len()), (7, 6));
    assert_eq!(value["moves"][4]["mistake"]["better"], "a3");
    assert_eq!(value["moves"][4]["mistake"]["missed_win"], true);
    assert_eq!(value["positions"][4]["proven"], "white");
    assert_eq!(value["positions"][4]["missing"]["white"]["bridge"], 1);
    let finding = value["findings"].as_array().unwrap().iter().find(|finding| finding["move"] == 5).unwrap();
    assert_eq!((&finding["better"], &finding["loss"]), (&json!("a3"), &json!(1.0)));
    // Black won in the end, so what white gave away decided the game.
    assert_eq!((&finding["decisive"], &finding["swing"]), (&json!(true), &json!(1.0)));
    assert_eq!(finding["text"], "White overlooked a3 at move 5.");
    let (kind, player, played) = (&finding["kind"], &finding["player"], &finding["played"]);
    assert_eq!((kind, player, played), (&json!("overlooked"), &json!("white"), &value["moves"][4]["move"]));
}

#[test]
fn every_form_of_a_review_tells_the_same_findings() {
    let mut record = record(3, &MISSED);
    record.players = [Some("A player with a name that is much too long for a line".into()), None];
    let review = reviewed(&record, 400);
    let words: Vec<String> = review.findings().iter().map(|f| f.words(&review, Notation::HavannahGui)).collect();
    assert!(!words.is_empty());
    let said = text::report(&review, Notation::HavannahGui, true);
    let page = html::page(&review, Notation::HavannahGui);
    let queried = json::value(&review);
    let annotated = annotate::annotated(&review, Notation::HavannahGui);
    for (i, words) in words.iter().enumerate() {
        assert!(said.contains(words) && page.contains(words), "{words}");
        assert_eq!(queried["findings"][i]["text"], *words);
    }
    assert!(annotated.node(0).comment().unwrap().contains(&format!("What decided the game:\n{}", words[0])));
    let longest = said.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(80), "{said}");
    // The moments come first, and the rest only if it is asked for.
    let decisive = review.findings().iter().filter(|finding| finding.decisive).count();
    let short = text::report(&review, Notation::HavannahGui, false);
    assert_eq!(words.iter().filter(|words| short.contains(words.as_str())).count(), decisive);
    assert_eq!(short.contains("--all"), decisive < words.len(), "{short}");
}

#[test]
fn reviews_tell_since_when_the_winner_was_ahead_in_the_race() {
    let games = read(&fs::read(data("games.jsonl")).unwrap(), None).unwrap();
    let review = reviewed(&games[0], 20);
    // White is also ahead after move 14, but not after move 15, a mistake.
    assert_eq!(review.positions[14].race.map(|lead| lead.color), Some(Color::White));
    assert_eq!(review.positions[15].race, None);
    let (after, lead) = review.ahead().unwrap();
    assert_eq!((after, lead.color, lead.basis), (16, Color::White, Basis::Threats));
    let said = text::report(&review, Notation::HavannahGui, true);
    assert!(said.contains("Race: from move 16 on, white was ahead by threats.\n"), "{said}");
    assert_eq!(json::value(&review)["ahead"]["after"], 16);
}

/// Both players have a frame when white resigns.
#[test]
fn reviews_tell_the_widths_of_the_frames() {
    let moves = "d4 f4 c6 b4 e3 h8 f9 g6 d6 h4 a4 f6 c4 a1 d1 g5 c5 b3 b1 f5 g8 i5 d5 i7 e2 h6";
    let moves = moves.split(' ').zip(["W", "B"].into_iter().cycle()).map(|(v, color)| format!(";{color}[{v}]"));
    let game = format!("(;FF[4]SZ[5]{};W[resign])", moves.collect::<String>());
    let reviewed_text = |text: &str| reviewed(&read(text.as_bytes(), None).unwrap()[0], 20);
    let review = reviewed_text(&game);
    let words = "rom move 26 on, black was ahead with a frame of width 3 against 4.";
    let annotated = write(&[annotate::annotated(&review, Notation::HavannahGui)], Format::Sgf);
    let after = annotated.split(';').find(|node| node.starts_with("B[h6]")).unwrap();
    assert!(after.contains(words) && annotated.matches(words).count() == 1, "{annotated}");
    assert!(text::report(&review, Notation::HavannahGui, true).contains(words));
    assert!(html::page(&review, Notation::HavannahGui).contains(words));
    let ahead = serde_json::json!({"after": 26, "basis": "widths", "widths": {"white": 4, "black": 3}});
    assert_eq!(json::value(&review)["ahead"], ahead);
    // The player who is ahead may still lose, and a game without a result has no winner.
    for other in [game.replace("W[resign]", "B[resign]"), game.replace(";W[resign]", "")] {
        let review = reviewed_text(&other);
        assert!(review.positions[26].race.is_some() && review.ahead().is_none());
        assert!(json::value(&review)["ahead"].is_null());
    }
}

/// White's next move makes a frame that black has no time to beat.
#[test]
fn a_frame_may_need_one_more_move() {
    let game = b"(;FF[4]SZ[5];W[a1];B[i9];W[b3];B[h7];W[b4];B[h6];W[a5];B[resign])";
    let review = reviewed(&read(game, None).unwrap()[0], 20);
    assert_eq!(review.ahead().map(|(after, lead)| (after, lead.basis)), Some((6, Basis::Stones)));
    let said = text::report(&review, Notation::HavannahGui, true);
    assert!(said.contains("from move 6 on, white was ahead with a frame that needed one more move."), "{said}");
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/records").join(name)
}

/// The status, the output and the messages of `malecon review`.
fn program(arguments: &[&str]) -> (Option<i32>, String, String) {
    let common = ["review", "--simulations", "20", "--seed", "1", "--set", "memory=16"];
    let output = run(&[&common, arguments].concat(), b"");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn every_format_is_written() {
    let file = data("resigned.hgf");
    let file = file.to_str().unwrap();
    let (status, said, errors) = program(&[file, "--names", "littlegolem"]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(said.starts_with("Ada - Blaise, side 5, 4 moves, black won by resignation\n"), "{said}");
    assert!(said.contains("  3 white f6 ") && said.contains("Stones missing after move 4"), "{said}");
    for format in ["sgf", "gogui", "hgf"] {
        let (status, said, _) = program(&["--to", format, file]);
        assert!(status == Some(0) && said.starts_with("(;FF[4]") && said.contains("White wins"), "{said}");
    }
    assert!(program(&["--to", "html", file]).1.starts_with("<!DOCTYPE html>"));
    let (_, said, _) = program(&["--to", "json", file]);
    let value: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&value["winner"], &value["by"], &value["partial"]), (&"black".into(), &"resign".into(), &false.into()));
}

fn analyst() -> Analyst {
    let mut options = EngineOptions::default();
    options.search.memory = 16;
    Analyst::new(QuerySettings::new(options))
}

/// The answers to a query, until `stop` is raised.
fn answers(analyst: &mut Analyst, query: &Value, stop: &StopFlag, mut heard: impl FnMut(&Value)) -> Vec<Value> {
    let mut answers = Vec::new();
    analyst.answer_line(&query.to_string(), stop, &mut |answer: &Answer| {
        let value: Value = serde_json::from_str(&answer.to_json()).unwrap();
        assert_eq!((answer.is_partial(), &value["id"]), (value["partial"] == true, &json!("q")));
        heard(&value);
        answers.push(value);
    });
    answers
}

/// An earlier review has proven that c3 wins, which one simulation of the position after it does not show.
#[test]
fn a_move_that_is_proven_to_win_is_no_mistake() {
    let known = json!({"turn": 4, "position": {"white": 1.0, "proven": "white", "line": ["c3"], "simulations": 100}});
    let query = json!({
        "id": "q", "action": "review", "side": 3, "moves": MISSED, "simulations": 1, "mistake": 0.01, "known": [known]
    });
    let found = answers(&mut analyst(), &query, &StopFlag::new(), |_| {}).pop().unwrap();
    assert!(found["positions"][5]["white"].as_f64().unwrap() < 0.9, "{found}");
    assert_eq!(found["moves"][4]["mistake"], Value::Null, "{found}");
}

/// The games are asked for as the page does, all of the same session, after a search of something else.
#[test]
fn a_query_finds_what_the_program_finds() {
    let mut analyst = analyst();
    for name in ["games.jsonl", "swapped.hgf", "resigned.hgf"] {
        let said = program(&["--to", "json", data(name).to_str().unwrap()]).1;
        let text = fs::read_to_string(data(name)).unwrap();
        let read = json!({"id": "q", "action": "read_record", "text": text});
        let games = answers(&mut analyst, &read, &StopFlag::new(), |_| {})[0]["games"].take();
        for (line, game) in said.lines().zip(games.as_array().unwrap()) {
            let mut query = json!({"id": "q", "action": "review", "simulations": 20, "seed": 1});
            for field in ["side", "swap", "white", "black", "first", "moves", "result"] {
                query[field] = game[field].clone();
            }
            let mut found = answers(&mut analyst, &query, &StopFlag::new(), |_| {});
            let (mut last, parts) = (found.pop().unwrap(), found);
            let mut expected: Value = serde_json::from_str(line).unwrap();
            last.as_object_mut().unwrap().remove("id");
            // A query knows no names.
            for field in ["seconds", "white", "black"] {
                (last[field], expected[field]) = (Value::Null, Value::Null);
            }
            assert_eq!(last, expected, "{name}");
            // The parts put together are the whole.
            let (mut positions, mut moves) = (last["positions"].clone(), last["moves"].clone());
            let count = moves.as_array().unwrap().len();
            assert_eq!(parts.len(), 2 * count + 1);
            for part in parts {
                let turn = part["turn"].as_u64().unwrap() as usize;
                positions[turn] = part["position"].clone();
                if let Some(played) = part.get("move") {
                    moves[turn] = played.clone();
                }
            }
            assert_eq!((&positions, &moves), (&last["positions"], &last["moves"]), "{name}");
        }
    }
}

#[test]
fn a_query_for_a_review_is_cancelled() {
    let mut analyst = analyst();
    let query = json!({"id": "q", "action": "review", "side": 3, "moves": MISSED, "simulations": 20});
    for count in [0, 3, 10] {
        let stop = StopFlag::new();
        if count == 0 {
            stop.stop();
        }
        let mut given = 0;
        let found = answers(&mut analyst, &query, &stop, |_| {
            given += 1;
            if given == count {
                stop.stop();
            }
        });
        assert_eq!(found.len(), count + 1);
        assert_eq!(found[count], json!({"id": "q", "cancelled": true}));
    }
}

#[test]
fn mistakes_are_graded() {
    let review = reviewed(&record(3, &MISSED), 400);
    let mut mistake = review.mistakes().next().unwrap().2.clone();
    let mut is_blunder = |loss| {
        mistake.better_chance = mistake.played_chance + loss;
        mistake.is_blunder()
    };
    assert!(is_blunder(0.31) && !is_blunder(0.29));
    assert_eq!(json::value(&review)["moves"][4]["mistake"]["kind"], "blunder");
}

#[test]
fn a_folder_is_reviewed_once() {
    let (games, out) = (Scratch::folder("games"), Scratch::folder("out"));
    for name in ["resigned.hgf", "games.jsonl"] {
        fs::copy(data(name), games.join(name)).unwrap();
    }
    fs::write(games.join("broken.sgf"), "(;SZ[4];W[z9])").unwrap();
    let arguments = ["--to", "html", "--out", out.path(), games.path()];
    let (status, said, errors) = program(&arguments);
    assert_eq!((status, said.lines().count()), (Some(1), 4), "{said}{errors}");
    assert!(errors.contains("broken.sgf:1:11: vertex z9") && errors.contains("4 of 4 games reviewed"), "{errors}");
    let files = ["games-1.html", "games-3.html", "index.html", "lg-1.html", "resigned.html", "summary.jsonl"];
    assert_eq!(out.names(), files);
    let index = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(index.contains("Reviews of 4 games") && index.contains("href=\"lg-1.html\""), "{index}");

    let (status, _, errors) = program(&arguments);
    assert!(status == Some(1) && errors.contains("already has 4 reviews (use --resume to continue"), "{errors}");
    // What is missing is made again, and nothing else.
    fs::remove_file(out.join("resigned.html")).unwrap();
    let before = fs::read_to_string(out.join("games-1.html")).unwrap();
    let (_, said, _) = program(&[&arguments[..], &["--resume"]].concat());
    assert!(said.lines().count() == 1 && said.starts_with("resigned: Ada - Blaise"), "{said}");
    assert_eq!(out.names(), files);
    assert_eq!(fs::read_to_string(out.join("games-1.html")).unwrap(), before);
    assert_eq!(fs::read_to_string(out.join("summary.jsonl")).unwrap().lines().count(), 4);
    let (status, _, errors) = program(&[&arguments[..], &["--resume", "--mistake", "20"]].concat());
    assert!(status == Some(1) && errors.contains("cannot resume") && errors.contains("--mistake 10"), "{errors}");
}

/// Reviews what is missing in a directory. Returns the names of the games that were reviewed, and the messages.
fn resumed(arguments: &[&str]) -> (Vec<String>, String) {
    let (status, said, errors) = program(&[arguments, &["--resume"]].concat());
    assert_eq!(status, Some(0), "{errors}");
    let names = said.lines().map(|line| line.split_once(": ").unwrap().0.to_owned());
    (names.collect(), errors)
}

#[test]
fn a_game_keeps_its_review_when_another_takes_its_name() {
    let (games, out) = (Scratch::folder("names"), Scratch::folder("names-out"));
    let arguments = ["--out", out.path(), games.path()];
    let add = |name: &str, moves: &str| fs::write(games.join(name), format!("(;FF[4]SZ[4]{moves})")).unwrap();
    add("b.sgf", ";W[d4];B[a1]");
    assert_eq!(resumed(&arguments).0, ["b"]);
    // This one comes first, and would be b.
    add("b.hgf", ";W[d4];B[a2];W[a3]");
    assert_eq!(resumed(&arguments).0, ["b-2"]);
    let moves = |name: &str| fs::read_to_string(out.join(name)).unwrap().contains(", 3 moves,");
    assert_eq!([moves("b.txt"), moves("b-2.txt")], [false, true]);
    // A copy of a game is a game.
    add("a.sgf", ";W[d4];B[a1]");
    assert_eq!(resumed(&arguments).0, ["a"]);
    add("b.moves", ";W[d4];B[a1];W[a2];B[a3]");
    assert_eq!(resumed(&arguments).0, ["b-3"]);
    // Nothing is left, also if the files have other names.
    fs::rename(games.join("b.sgf"), games.join("c.sgf")).unwrap();
    let (names, errors) = resumed(&arguments);
    assert!(names.is_empty() && errors.contains("4 of 4 games reviewed"), "{names:?} {errors}");
    assert_eq!(out.names(), ["a.txt", "b-2.txt", "b-3.txt", "b.txt", "summary.jsonl"]);
}

/// Some systems do not tell capital letters from small ones, and the list of reviews is index.html.
#[test]
fn names_that_differ_only_in_capitals_are_not_of_one_file() {
    let (games, out) = (Scratch::folder("capitals"), Scratch::folder("capitals-out"));
    for (name, moves) in [("Final.sgf", ";W[d4];B[a1]"), ("final.hgf", ";W[d4];B[a2]"), ("Index.sgf", ";W[d4];B[a3]")] {
        fs::write(games.join(name), format!("(;FF[4]SZ[4]{moves})")).unwrap();
    }
    assert_eq!(resumed(&["--out", out.path(), games.path()]).0, ["Final", "Index-2", "final-2"]);
}

/// The number of a game counts those that cannot be read.
#[test]
fn a_game_is_picked_by_its_number_in_the_file() {
    let games = Scratch::folder("numbers");
    let file = games.join("games.sgf");
    fs::write(&file, "(;SZ[4];W[a1];B[b2];W[b2])(;SZ[4]PB[second]W[a1];B[b2])(;SZ[4]PB[third]W[a1];B[b2])").unwrap();
    let (status, said, errors) = program(&["--game", "2", file.to_str().unwrap()]);
    assert!(status == Some(1) && errors.contains("illegal move b2"), "{errors}");
    assert!(said.contains("second") && !said.contains("third"), "{said}");
}

#[test]
fn more_games_in_a_file_do_not_change_the_names_of_the_reviewed_ones() {
    let (games, out) = (Scratch::folder("growing"), Scratch::folder("growing-out"));
    let file = games.join("games.moves");
    let write = |count: usize| {
        let replies = ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4", "b5", "c1"];
        let lists: String = replies[..count].iter().map(|reply| format!("d4 {reply}\n")).collect();
        fs::write(&file, format!("# side 4\n{lists}")).unwrap();
    };
    let arguments = ["--out", out.path(), file.to_str().unwrap()];
    write(9);
    assert_eq!(resumed(&arguments).0.len(), 9);
    write(10);
    let (names, errors) = resumed(&arguments);
    assert!(names == ["games-10"] && errors.contains("10 of 10 games reviewed"), "{names:?} {errors}");
    assert_eq!(out.names().len(), 11);
}

#[test]
fn reviews_are_not_games_of_their_own_folder() {
    let games = Scratch::folder("own");
    for (name, data) in [("a.hgf", "resigned.hgf"), ("b.hgf", "swapped.hgf")] {
        fs::copy(self::data(data), games.join(name)).unwrap();
    }
    let arguments = ["--to", "sgf", "--out", games.path(), games.path()];
    assert_eq!(resumed(&arguments).0, ["a", "b"]);
    let (names, errors) = resumed(&arguments);
    assert!(names.is_empty() && errors.contains("2 of 2 games reviewed"), "{names:?} {errors}");
    assert!(errors.contains(&format!("note: 2 reviews in {} left out", games.path())), "{errors}");
    assert_eq!(games.names(), ["a.hgf", "a.sgf", "b.hgf", "b.sgf", "summary.jsonl"]);
    // For another directory they are games like others.
    let out = Scratch::folder("own-out");
    assert_eq!(resumed(&["--out", out.path(), games.path()]).0, ["a", "a-2", "b", "b-2"]);
}

/// Version 0.3 wrote no moves into the lines.
#[test]
fn reviews_of_an_earlier_version_are_resumed_by_their_names() {
    let (games, out) = (Scratch::folder("earlier"), Scratch::folder("earlier-out"));
    fs::copy(data("games.jsonl"), games.join("games.jsonl")).unwrap();
    let arguments = ["--out", out.path(), games.path()];
    assert_eq!(resumed(&arguments).0, ["games-1", "lg-1", "games-3"]);
    let summary = out.join("summary.jsonl");
    let shorten = |line: &str| {
        let mut line: serde_json::Map<String, Value> = serde_json::from_str(line).unwrap();
        let played = line.remove("played").unwrap();
        assert!(played.as_str().unwrap().contains(' '), "{played}");
        // The side comes first, as in the lines of that version.
        let side = line.remove("side").unwrap();
        format!("{{\"side\":{side},{}\n", &Value::Object(line).to_string()[1..])
    };
    let text: String = fs::read_to_string(&summary).unwrap().lines().map(shorten).collect();
    fs::write(&summary, text).unwrap();
    let (names, errors) = resumed(&arguments);
    assert!(names.is_empty() && errors.contains("3 of 3 games reviewed"), "{names:?} {errors}");
    // A game of other players is not the one that has this name.
    fs::copy(data("resigned.hgf"), games.join("games-1.hgf")).unwrap();
    assert_eq!(resumed(&arguments).0, ["games-1-2"]);
}

/// The second time that the program waits for the disk, a page has just got its name.
#[cfg(target_os = "linux")]
#[test]
fn a_review_killed_between_a_page_and_its_line_is_resumed() {
    use std::os::unix::process::ExitStatusExt;
    let out = Scratch::folder("killed");
    let game = data("resigned.hgf");
    let inject = "inject=fsync:signal=KILL:when=2";
    let mut command = std::process::Command::new("strace");
    command.args(["-f", "-o", "/dev/null", "-e", "trace=fsync", "-e", inject, env!("CARGO_BIN_EXE_malecon"), "review"]);
    command.args(["--simulations", "20", "--seed", "1", "--set", "memory=16", "--to", "html", "--out", out.path()]);
    let Ok(output) = command.arg(&game).output() else {
        skipped("there is no strace");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(1) && said.contains("Operation not permitted") {
        skipped(&format!("strace cannot trace here: {said}"));
        return;
    }
    assert_eq!(output.status.signal(), Some(9), "{:?} {said}", output.status);
    assert!(out.names().contains(&"resigned.html".to_owned()), "{:?}", out.names());
    let (status, _, errors) = program(&["--to", "html", "--out", out.path(), "--resume", game.to_str().unwrap()]);
    assert!(status == Some(0) && errors.contains("1 of 1 games reviewed"), "{errors}");
    assert_eq!(out.names(), ["index.html", "resigned.html", "summary.jsonl"]);
    assert_eq!(fs::read_to_string(out.join("summary.jsonl")).unwrap().lines().count(), 1);
}

#[test]
fn a_review_does_not_replace_other_files() {
    let games = Scratch::folder("same");
    fs::copy(data("resigned.hgf"), games.join("resigned.hgf")).unwrap();
    let before = fs::read(games.join("resigned.hgf")).unwrap();
    for more in [&[][..], &["--resume"]] {
        let arguments = [&["--to", "hgf", "--out", games.path(), games.path()], more].concat();
        let (status, _, errors) = program(&arguments);
        assert!(status == Some(1) && errors.contains("resigned.hgf already exists and is not a review"), "{errors}");
    }
    assert_eq!(fs::read(games.join("resigned.hgf")).unwrap(), before);
}

/// Also if it is one of a folder.
#[test]
fn a_review_does_not_replace_a_file_of_games_that_it_reads() {
    let games = Scratch::folder("read");
    let file = games.join("games.jsonl");
    fs::copy(data("games.jsonl"), &file).unwrap();
    let before = fs::read(&file).unwrap();
    let (status, said, errors) = program(&["--to", "sgf", "--out", file.to_str().unwrap(), games.path()]);
    assert!(status == Some(2) && said.is_empty() && errors.contains("is read by this command"), "{errors}");
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn a_review_says_whose_names_were_assumed() {
    let games = Scratch::folder("names");
    let file = games.join("game.moves");
    fs::write(&file, "# side 5\nJ9 E5 A1\n").unwrap();
    let (status, _, errors) = program(&[file.to_str().unwrap()]);
    assert!(status == Some(0) && errors.contains("warning: game: "), "{errors}");
}

#[test]
fn a_list_of_reviews_replaces_no_other_page() {
    let out = Scratch::folder("site");
    let (game, index) = (data("resigned.hgf"), out.join("index.html"));
    let arguments = ["--to", "html", "--resume", "--out", out.path(), game.to_str().unwrap()];
    let site = "<!DOCTYPE html>\n<title>My site</title>\n<h1>Reviews of books</h1>\n";
    let refuses = || {
        fs::write(&index, site).unwrap();
        let (status, said, errors) = program(&arguments);
        assert!(status == Some(1) && said.is_empty(), "{said}");
        assert!(errors.contains("index.html already exists and is not a review (use another --out)"), "{errors}");
        assert_eq!(fs::read_to_string(&index).unwrap(), site);
    };
    refuses();
    assert!(!out.names().contains(&"resigned.html".to_owned()));
    // One that lists reviews is written anew.
    fs::write(&index, html::index(&[("old.html".into(), "An old game".into())])).unwrap();
    assert_eq!(program(&arguments).0, Some(0));
    let list = fs::read_to_string(&index).unwrap();
    assert!(list.contains("resigned.html") && !list.contains("old.html"), "{list}");
    refuses();
    // Other formats have no such page.
    let text = Scratch::folder("text");
    let index = text.join("index.html");
    fs::write(&index, site).unwrap();
    assert_eq!(program(&["--out", text.path(), game.to_str().unwrap()]).0, Some(0));
    assert_eq!(fs::read_to_string(&index).unwrap(), site);
}

/// A path with an extension is a file, and says the format.
#[test]
fn reviews_are_written_to_a_file() {
    let (games, resigned, out) = (data("games.jsonl"), data("resigned.hgf"), Scratch::folder("file"));
    let [games, resigned] = [&games, &resigned].map(|path| path.to_str().unwrap());
    let path = |name: &str| out.join(name).to_str().unwrap().to_owned();
    for (name, start) in
        [("a.html", "<!DOCTYPE html>"), ("a.sgf", "(;FF[4]"), ("a.txt", "Ada - Blaise"), ("a.json", "{")]
    {
        let (status, said, errors) = program(&["-o", &path(name), resigned]);
        assert_eq!((status, errors.as_str()), (Some(0), ""));
        assert!(said.starts_with("resigned: Ada - Blaise") && said.lines().count() == 1, "{said}");
        assert!(fs::read_to_string(path(name)).unwrap().starts_with(start), "{name}");
    }
    // Another format, and a file that was there.
    program(&["--to", "json", "-o", &path("a.txt"), games]);
    assert_eq!(fs::read_to_string(path("a.txt")).unwrap().lines().count(), 3);
    assert_eq!(out.names(), ["a.html", "a.json", "a.sgf", "a.txt"]);
    for (arguments, (expected, words)) in [
        (&["-o", &path("b.html"), games][..], (1, "a page shows one game, but there are 3")),
        (
            &["-o", &path("a.txt"), "--resume", resigned],
            (2, "a.txt is a file (--resume continues the reviews in a directory)"),
        ),
        (&["-o", &path("none/b.txt"), resigned], (1, "none/b.txt: ")),
    ] {
        let (status, said, errors) = program(arguments);
        assert!(status == Some(expected) && said.is_empty() && errors.contains(words), "{errors}");
    }
    let (status, said, errors) = program(&["-o", &path("a.sgf"), &path("a.sgf")]);
    assert!(status == Some(2) && said.is_empty() && errors.contains("a.sgf is read by this command"), "{errors}");
    assert_eq!(out.names(), ["a.html", "a.json", "a.sgf", "a.txt"]);
    fs::write(path("no extension"), "").unwrap();
    let (status, _, errors) = program(&["-o", &path("no extension"), resigned]);
    assert!(status == Some(1) && errors.contains("no extension is a file (reviews of several games"), "{errors}");
    // Other paths are directories.
    program(&["-o", &path("folder"), resigned]);
    assert!(out.join("folder/resigned.txt").exists());
}

#[test]
fn what_cannot_be_reviewed_is_an_error() {
    let games = data("games.jsonl");
    let games = games.to_str().unwrap();
    let empty = Scratch::folder("empty");
    for (arguments, status, words) in [
        (&["missing.sgf"][..], 1, "missing.sgf: "),
        (&[empty.path()], 1, "no records in this folder"),
        (&["--to", "html", games], 1, "a page shows one game, but there are 3"),
        (&["--game", "4", games], 1, "there is no game 4 (expected 1..3)"),
        (&["--to", "pdf", games], 2, "expected text, sgf, gogui, hgf, html or json"),
        (&["--mistake", "0", games], 2, "expected a whole number from 1 to 100"),
        (&["--out", "a.pdf", games], 2, "the name a.pdf does not say in which format to write (expected .txt, .sgf,"),
        (&["--set", "thread=2", games], 2, "did you mean threads?"),
    ] {
        let (found, said, errors) = program(arguments);
        assert!(found == Some(status) && said.is_empty() && errors.contains(words), "{arguments:?}: {errors}");
    }
}

/// The record that a review writes of this one, in this format.
fn annotation(text: &str, format: &str, simulations: &str, mistake: &str) -> String {
    let arguments = ["review", "--to", format, "--seed", "1", "--simulations", simulations, "--mistake", mistake, "-"];
    let output = run(&arguments, text.as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Also if the games were reviewed with other settings in between, and whatever others wrote into them stays.
#[test]
fn a_review_replaces_what_an_earlier_one_wrote() {
    let game =
        "(;SZ[4]C[A game of Ada's.]\n;W[d1]C[Hm.];B[a2]BM[1]C[Mine: bad.];W[d7]\n(;B[g7];W[e7]C[White wins, I think.])\
                (;B[b2]C[Why not?]);B[d6])"
            .replace(");B[d6])", "))");
    let review = |text: &str, simulations: &str, mistake: &str| annotation(text, "sgf", simulations, mistake);
    for game in [game.as_str(), "(;SZ[5];W[a1];B[a5];W[e5];B[i9])", "(;SZ[4];W[a1];B[d4];W[a2];B[d5];W[a3];B[g7])"] {
        let strict = review(game, "30", "1");
        let lenient = review(game, "60", "100");
        let again = review(&review(&strict, "40", "2"), "60", "100");
        assert_eq!(again, lenient);
        assert_eq!(review(&lenient, "30", "1"), strict);
        assert_eq!(strict.matches("Each position was searched").count(), 1, "{strict}");
        assert!(game.contains("BM") || !lenient.contains("Better:"), "{lenient}");
        for others in ["A game of Ada's.", "BM[1]C[Mine: bad.", "Hm.", "Why not?", "White wins, I think."] {
            assert!(!game.contains(others) || again.contains(others), "{others}: {again}");
        }
    }
}

#[test]
fn a_review_replaces_what_an_earlier_one_said_about_the_first_stone() {
    let (best, ..) = stones_by_chance(6).pop().unwrap();
    let game = format!("(;FF[4]SZ[6];W[{best}];B[swap])");
    for format in ["sgf", "gogui", "hgf"] {
        let first = annotation(&game, format, "5", "10");
        assert!(first.matches("was too strong for the pie rule").count() == 1, "{first}");
        assert_eq!(annotation(&first, format, "5", "10"), first);
    }
}
