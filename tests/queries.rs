//! The JSON protocol, answered by one session without a process around it.

use base64::prelude::{BASE64_STANDARD, Engine};
use malecon::engine::session::first_stones::{classes, first_stones};
use malecon::engine::session::{EngineOptions, StopFlag};
use malecon::engine::solver::{Solver, Sources, prove};
use malecon::game::{Color, Game, Geometry, Notation};
use malecon::proof::{self, Root};
use malecon::protocols::json::{Action, Analyst, Answer, Effort, Query, QuerySettings, Task, Want};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

fn settings() -> QuerySettings {
    let mut options = EngineOptions::default();
    options.search.memory = 8;
    options.session.analysis_playouts = 200;
    QuerySettings::new(options)
}

fn analyst() -> Analyst {
    Analyst::new(settings())
}

fn ask_with(analyst: &mut Analyst, query: &Value) -> Vec<Value> {
    let mut answers = Vec::new();
    analyst.answer_line(&query.to_string(), &StopFlag::new(), &mut |answer| answers.push(value(answer)));
    answers
}

fn value(answer: &Answer) -> Value {
    serde_json::from_str(&answer.to_json()).unwrap()
}

/// The answers to a query with the id "q", which is added.
fn ask(mut query: Value) -> Vec<Value> {
    query["id"] = json!("q");
    ask_with(&mut analyst(), &query)
}

/// The only answer to a query.
fn answer(query: Value) -> Value {
    let [answer] = ask(query).try_into().unwrap();
    answer
}

/// The error that a query gets.
fn error(query: Value) -> String {
    let answer = ask(query).pop().unwrap();
    assert_eq!(answer["id"], "q", "{answer}");
    let (error, field) = (answer["error"].as_str().unwrap(), answer["field"].as_str().unwrap());
    assert!(error.starts_with(field) && !error.contains('\n'), "{answer}");
    error.to_owned()
}

#[test]
fn errors_name_the_field_and_what_is_expected() {
    let q = |fields: Value| {
        let mut query = json!({"side": 4});
        query.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        error(query)
    };
    for (fields, message) in [
        (json!({"side": 42}), "side: expected 2..13, got 42"),
        (json!({"side": "4"}), "side: expected 2..13, got \"4\""),
        (json!({"side": 4.5}), "side: expected 2..13, got 4.5"),
        (json!({"side": null}), "side: missing (expected 2..13)"),
        (json!({"moves": "a1"}), "moves: expected a list, got \"a1\""),
        (json!({"moves": ["a1", 2]}), "moves[1]: expected a string, got 2"),
        (json!({"moves": ["a1", "a1"]}), "moves[1]: a1 is occupied by white"),
        (json!({"moves": ["a1", "h1"]}), "moves[1]: vertex h1 is not on the board of side 4"),
        (json!({"moves": ["a1", "b1", "swap"]}), "moves[2]: swap is legal only as the second move"),
        (json!({"moves": ["red:a1"]}), "moves[0]: invalid colour 'red' (expected white, black, w or b)"),
        (json!({"moves": ["resign", "a1"]}), "moves[1]: the game is over: white resigned"),
        (json!({"white": ["a1"], "black": ["b1", "a1"]}), "black[1]: a1 is occupied by white"),
        (json!({"first": "green"}), "first: expected \"white\" or \"black\", got \"green\""),
        (json!({"turns": [0, 2], "moves": ["a1"]}), "turns[1]: expected an integer from 0 to 1, got 2"),
        (json!({"turns": [0, 0]}), "turns: expected at most 1 numbers, got 2"),
        (json!({"simulations": 0}), "simulations: expected an integer from 1 to 1000000000000, got 0"),
        (json!({"seconds": -1}), "seconds: expected a number from 0.001 to 1000000, got -1"),
        (json!({"every": true}), "every: expected a number from 0.01 to 1000000, got true"),
        (json!({"swap": 1}), "swap: expected true or false, got 1"),
        (json!({"level": 11}), "level: expected an integer from 1 to 10, got 11"),
        (json!({"priority": 1.5}), "priority: expected an integer, got 1.5"),
        (json!({"seed": -1}), "seed: expected an integer from 0 to 18446744073709551615, got -1"),
        (json!({"want": ["moves", "tea"]}), "want[1]: expected one of moves, position, choice, "),
        (json!({"options": {"c_puct": "much"}}), "options.c_puct: invalid value 'much' for c_puct (expected 0..100)"),
        (json!({"options": {"c_puct": [1]}}), "options.c_puct: expected a string, a number, true or false, got [1]"),
        (json!({"options": {"speed": 1}}), "options.speed: unknown option 'speed'"),
        (json!({"options": {"memory": 8}}), "options.memory: cannot be set by a query"),
        (json!({"options": {"network": "/etc/passwd"}}), "options.network: cannot be set by a query"),
        (json!({"options": {"proofs": "/etc"}}), "options.proofs: cannot be set by a query"),
        (json!({"options": {"seconds": 8}}), "options.seconds: has a field of its own (use \"seconds\")"),
        (json!({"options": {"ponder": true}}), "options.ponder: cannot be set by a query"),
        (json!({"action": "dance"}), "action: expected analyze|board|cancel|first_stones|options|"),
        (json!({"action": "review", "mistake": 2}), "mistake: expected a number from 0.01 to 1, got 2"),
        (json!({"action": "review", "known": [1]}), "known[0]: expected an object, got 1"),
        (json!({"action": "review", "known": [known(1, "a1")]}), "known[0]: turn: the game has no move 1"),
        (
            json!({"action": "review", "moves": ["a1"], "known": [known(1, "a1")]}),
            "known[0]: line: a1: the vertex is occupied",
        ),
        (json!({"action": "review", "write": "pdf"}), "write: expected html|sgf, got \"pdf\""),
        (json!({"action": "read_record"}), "text: missing (expected text or bytes)"),
        (
            json!({"action": "read_record", "bytes": "KDtTWls0XTtXW3o5XSk="}),
            "bytes: 1:11: vertex z9 is not on the board",
        ),
        (json!({"action": "review", "known": vec![known(0, "a1"); 5]}), "known: expected at most 4 objects, got 5"),
        (
            json!({"action": "read_record", "text": "(;SZ[4];W[z9])"}),
            "text: 1:11: vertex z9 is not on the board of side 4",
        ),
        (
            json!({"action": "write_record", "format": "pdf"}),
            "format: expected sgf|gogui|hgf|jsonl|moves|position, got \"pdf\"",
        ),
    ] {
        let got = q(fields.clone());
        assert!(got.starts_with(message), "{fields}: {got}");
    }
}

/// A partial answer of a review about the position after so many moves.
fn known(turn: usize, best: &str) -> Value {
    json!({"turn": turn, "position": {"white": 0.5, "proven": null, "line": [best], "simulations": 10}})
}

/// A query for the review of a game with mistakes.
fn game_to_review() -> Value {
    json!({
        "action": "review", "side": 4, "moves": ["d4", "c3", "a1", "e5", "a2", "d1"], "simulations": 60, "seed": 3,
        "mistake": 0.02,
    })
}

/// A review that was cut off after any of its partial answers goes on from there: nothing is reported twice, and the
/// end is the same where nothing is left to search.
#[test]
fn a_review_goes_on_from_what_is_known() {
    let game = game_to_review();
    let answers = ask(game.clone());
    let (last, parts) = answers.split_last().unwrap();
    assert!(parts.len() == 13 && !last["findings"].as_array().unwrap().is_empty(), "{last}");
    for count in 0..=parts.len() {
        let mut query = game.clone();
        query["known"] = parts[..count].into();
        let rest = ask(query);
        let said = |answers: &[Value]| {
            answers.iter().map(|part| (part["turn"].clone(), !part["move"].is_null())).collect::<Vec<_>>()
        };
        assert_eq!(said(&rest[..rest.len() - 1]), said(&parts[count..]), "after {count} answers");
        if count == parts.len() {
            for field in ["positions", "moves", "findings", "turning_points", "decided"] {
                assert_eq!(rest[0][field], last[field], "{field}");
            }
        }
    }
}

/// Of a position that was searched and then checked, there are two partial answers.
#[test]
fn what_is_known_of_a_review_may_be_in_any_order() {
    let game = game_to_review();
    let answers = ask(game.clone());
    let (last, parts) = answers.split_last().unwrap();
    let mut query = game;
    query["known"] = parts.iter().rev().cloned().collect();
    let rest = ask(query);
    assert_eq!((rest.len(), &rest[0]["positions"], &rest[0]["moves"]), (1, &last["positions"], &last["moves"]));
}

#[test]
fn a_review_is_written_to_a_file() {
    let tree = json!([
        {"children": [1], "properties": {"EV": ["A match"]}},
        {"move": "d4", "comment": "Good.", "children": [2, 3]},
        {"move": "c3", "children": []},
        {"move": "a1", "children": []},
    ]);
    let query = |write: &str| {
        let review = json!({"action": "review", "side": 4, "tree": tree, "simulations": 10, "white_player": "Ann"});
        let mut query = review;
        query["write"] = write.into();
        ask(query).pop().unwrap()["text"].as_str().unwrap().to_owned()
    };
    let sgf = query("sgf");
    assert!(["EV[A match]", "(;B[a1])", "Good.", "White wins"].iter().all(|text| sgf.contains(text)), "{sgf}");
    let html = query("html");
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("Ann"), "{html}");
}

#[test]
fn what_is_no_query_gets_an_error_without_an_id() {
    for (text, message) in [
        ("x", "invalid JSON: expected value at line 1 column 1"),
        ("{\"id\": \"1\"", "invalid JSON: EOF while parsing an object at line 1 column 10 (a query is one line)"),
        ("[1]", "expected a JSON object, got [1]"),
        ("{}", "id: missing"),
        ("{\"id\": 7}", "id: expected a string, got 7"),
        (&"[".repeat(100_000), "invalid JSON: recursion limit exceeded at line 1 column 128"),
    ] {
        let mut answers = Vec::new();
        analyst().answer_line(text, &StopFlag::new(), &mut |answer| answers.push(value(answer)));
        assert_eq!(answers[0]["id"], Value::Null);
        assert_eq!((answers.len(), answers[0]["error"].as_str().unwrap()), (1, message));
    }
    let long = json!({"id": "x".repeat(1001), "side": 4}).to_string();
    assert_eq!(Query::read(&long, &settings()).unwrap_err().error, "id: longer than 1000 bytes");
}

#[test]
fn unknown_fields_are_warned_of_and_the_query_is_answered() {
    let answers = ask(json!({"side": 3, "sidde": 4, "moves": null, "want": ["threats"]}));
    assert_eq!(answers[0], json!({"id": "q", "warning": "unknown field 'sidde'", "field": "sidde"}));
    assert!(answers.len() == 2 && answers[1]["threats"].is_object(), "{answers:?}");
}

#[test]
fn errors_quote_a_short_piece_of_what_is_wrong() {
    let long = "é".repeat(10_000);
    for wrong in [
        json!({"side": 3, "options": {long.clone(): 1}}),
        json!({"side": 3, "options": {"c_puct": long}}),
        json!({"action": "picture", "side": 3, "marks": {long.clone(): "circle"}}),
        json!({"action": "write_record", "side": 3, "result": {"winner": long, "by": []}}),
        json!({"action": "write_record", "side": 3, "result": {"winner": "white", "by": [long]}}),
        json!({"action": "write_record", "side": 3, "tree": [{"properties": {long.clone(): []}}]}),
        json!({"side": 3, "moves": [long]}),
        json!({"side": 3, "moves": long}),
        json!({"side": 3, "want": [long]}),
        json!({"side": 3, "simulations": long}),
        json!({"side": long}),
        json!({"action": long}),
        json!({"side": 3, "want": ["threats"], long.clone(): 1}),
        json!({"action": "read_record", "text": format!("(;SZ[4];W[{long}])")}),
        json!({"action": "read_record", "text": format!("# side 4\n{long}")}),
        json!({"action": "read_record", "text": format!("{{\"side\":4,\"moves\":[\"{long}\"]}}")}),
        json!({"action": "read_record", "text": format!("(;SZ[{long}])")}),
        json!({"action": "read_record", "text": long}),
    ] {
        let answer = ask(wrong).remove(0);
        let length = answer.to_string().chars().count();
        assert!(length < 300 && (answer.get("error").is_some() || answer.get("warning").is_some()), "{answer}");
    }
}

#[test]
fn a_search_answers_with_moves_and_position() {
    let answer = answer(json!({"side": 5, "moves": ["e5"], "simulations": 60, "seed": 1}));
    assert_eq!((&answer["turn"], &answer["to_move"]), (&json!(1), &json!("black")));
    assert_eq!((&answer["simulations"], &answer["verdict"]), (&json!(60), &Value::Null));
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!((moves.len(), &moves[0]["move"], &moves[0]["pv"]), (60, &answer["best"], &answer["pv"]));
    let visits: Vec<u64> = moves[1..].iter().map(|m| m["visits"].as_u64().unwrap()).collect();
    assert!(visits.is_sorted_by(|a, b| a >= b));
    for m in moves {
        for share in [&m["win_rate"], &m["prior"]] {
            assert!(share.is_null() || (0.0..=1.0).contains(&share.as_f64().unwrap()), "{m}");
        }
    }
    let position = &answer["position"];
    assert_eq!((&position["stones"], &position["last"]), (&json!({"e5": "white"}), &json!("e5")));
    assert_eq!((position["legal"].as_array().unwrap().len(), &position["can_swap"]), (60, &json!(false)));
    assert_eq!((&position["over"], &position["winner"], &position["by"]), (&json!(false), &Value::Null, &json!([])));
}

/// Plays the line of an answer after `moves` and returns the winner.
fn winner_after(answer: &Value, side: usize, moves: &[&str]) -> Option<Color> {
    let board = Geometry::with_side(side).unwrap();
    let mut game = Game::new(board);
    let line = answer["pv"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).filter(|&name| name != "swap");
    for name in moves.iter().copied().filter(|&name| name != "swap").chain(line) {
        game.play(Notation::HavannahGui.parse(board, name).unwrap()).unwrap();
    }
    let winner = game.outcome().and_then(|outcome| outcome.winner())?;
    // A swap among the moves exchanges the colours of all stones here.
    Some(if moves.contains(&"swap") { !winner } else { winner })
}

/// White wins side 4 from every opening; no search is needed to say so.
#[test]
fn openings_of_side_4_are_proven_at_once() {
    let query = |moves: &[&str], swap: bool| {
        let want = ["moves", "verdicts", "choice"];
        answer(json!({"side": 4, "moves": moves, "swap": swap, "simulations": 1000, "seed": 1, "want": want}))
    };
    for (moves, verdict) in [(&[][..], "win"), (&["d4"], "loss"), (&["d4", "a1"], "win"), (&["a2", "g7"], "win")] {
        let answer = query(moves, false);
        assert_eq!((&answer["verdict"], &answer["simulations"]), (&json!(verdict), &json!(0)), "{answer}");
        assert_eq!(answer["win_rate"], json!(if verdict == "win" { 1.0 } else { 0.0 }));
        assert_eq!(answer["choice"]["move"], answer["best"]);
        assert_eq!(winner_after(&answer, 4, moves), Some(Color::White), "{answer}");
        assert_eq!(answer["verdicts"][answer["best"].as_str().unwrap()], verdict);
    }
    // Every reply to the first stone loses, unless it may be swapped.
    assert_eq!(query(&["d4"], false)["verdicts"].as_object().unwrap().len(), 36);
    let swapping = query(&["d4"], true);
    assert_eq!((&swapping["verdict"], &swapping["win_rate"]), (&json!("win"), &json!(1.0)));
    assert_eq!(
        (&swapping["best"], &swapping["pv"][0], &swapping["choice"]["move"]),
        (&json!("swap"), &json!("swap"), &json!("swap"))
    );
    assert_eq!(winner_after(&swapping, 4, &["d4"]), Some(Color::White), "{swapping}");
    // After the swap the stone has the other colour, and its owner still wins.
    let swapped = query(&["d4", "swap"], true);
    assert_eq!((&swapped["to_move"], &swapped["verdict"]), (&json!("white"), &json!("loss")), "{swapped}");
    assert_eq!(winner_after(&swapped, 4, &["d4", "swap"]), Some(Color::Black), "{swapped}");
    let answered = query(&["d4", "swap", "a1"], true);
    assert_eq!(winner_after(&answered, 4, &["d4", "swap", "a1"]), Some(Color::Black), "{answered}");
    let fair = query(&[], true);
    assert_eq!((&fair["verdict"], &fair["win_rate"]), (&json!("loss"), &json!(0.0)));
    let off = json!({"solved_positions": false, "solver_rate": 0});
    let searched = answer(json!({"side": 4, "moves": ["d4"], "simulations": 50, "options": off}));
    assert_eq!((&searched["verdict"], &searched["simulations"]), (&Value::Null, &json!(50)));
}

/// The line of a proven result ends the game, and no more moves are needed than the answer says.
#[test]
fn a_proven_result_has_a_line_to_the_end() {
    let query =
        |side: usize, moves: &[&str]| answer(json!({"side": side, "moves": moves, "simulations": 3000, "seed": 1}));
    let won = query(3, &["a1", "c3", "a2", "d4"]);
    assert_eq!((&won["verdict"], &won["moves_to_win"], &won["pv"]), (&json!("win"), &json!(1), &json!(["a3"])));
    for (side, moves, winner) in [
        (3, &["a1", "c3", "a2"][..], Color::White),
        (4, &["c4", "b5", "a1", "b3", "c2", "d1", "g4", "d6", "d3"], Color::Black),
        (4, &["g6", "e2", "f4", "b2", "f3"], Color::White),
        (5, &["a1", "e5", "a2", "e6", "a3", "f6", "a4", "d3", "b5"], Color::White),
    ] {
        let answer = query(side, moves);
        let to_move = [Color::White, Color::Black][moves.len() % 2];
        assert_eq!(answer["verdict"], if winner == to_move { "win" } else { "loss" }, "{answer}");
        assert_eq!(winner_after(&answer, side, moves), Some(winner), "{answer}");
        if let Some(bound) = answer["moves_to_win"].as_u64() {
            assert_eq!(answer["pv"].as_array().unwrap().len().div_ceil(2) as u64, bound);
        }
    }
}

#[test]
fn top_limits_the_moves() {
    let count = |top: u64| {
        let answer = answer(json!({"side": 4, "simulations": 20, "want": ["moves"], "top": top}));
        answer["moves"].as_array().unwrap().len()
    };
    assert_eq!((count(0), count(3), count(1000)), (0, 3, 37));
}

#[test]
fn a_won_game_shows_its_structure_and_is_not_searched() {
    let moves = ["a1", "c3", "a2", "d4", "a3"];
    let query =
        json!({"side": 3, "moves": moves, "want": ["moves", "position", "choice", "verdicts", "policy", "threats"]});
    let answer = answer(query);
    assert_eq!((&answer["win_rate"], &answer["verdict"], &answer["best"]), (&json!(0.0), &json!("loss"), &Value::Null));
    assert_eq!((&answer["moves"], &answer["choice"], &answer["verdicts"]), (&json!([]), &Value::Null, &json!({})));
    let position = &answer["position"];
    assert_eq!((&position["winner"], &position["by"]), (&json!("white"), &json!(["bridge"])));
    assert_eq!((&position["winning"], &position["legal"]), (&json!(["a1", "a2", "a3"]), &json!([])));
    assert_eq!((&answer["threats"], answer.get("policy")), (&json!({"white": {}, "black": {}}), None));
}

#[test]
fn a_resignation_ends_the_game() {
    let answer =
        answer(json!({"side": 3, "moves": ["a1", "resign"], "want": ["moves", "position", "frames", "policy"]}));
    assert!(["frames", "policy"].iter().all(|name| answer.get(name).is_none()), "{answer}");
    assert_eq!((&answer["to_move"], &answer["win_rate"]), (&json!("white"), &json!(1.0)));
    assert_eq!((&answer["position"]["winner"], &answer["position"]["by"]), (&json!("white"), &json!(["resign"])));
}

#[test]
fn each_turn_has_its_answer() {
    let query =
        json!({"side": 3, "moves": ["c3", "swap", "d4"], "turns": [0, 3, 1, 2], "swap": true, "want": ["position"]});
    let answers = ask(query);
    let of = |key: &str| answers.iter().map(|answer| answer[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("turn"), [0, 3, 1, 2]);
    assert_eq!(of("to_move"), ["white", "black", "black", "white"]);
    let can_swap: Vec<_> = answers.iter().map(|answer| answer["position"]["can_swap"].clone()).collect();
    assert_eq!(can_swap, [false, false, true, false]);
    assert_eq!(answers[1]["position"]["stones"], json!({"c3": "black", "d4": "white"}));
}

#[test]
fn stones_can_be_set_up_and_colours_given() {
    let position = |query: Value| answer(query)["position"].clone();
    let set_up = json!({"side": 3, "white": ["a1"], "black": ["c3", "d4"], "want": ["position"]});
    assert_eq!(position(set_up.clone())["to_move"], "white");
    let mut later = set_up.clone();
    later["first"] = json!("black");
    assert_eq!(position(later.clone())["to_move"], "black");
    later["moves"] = json!(["b2", "black:e5", "a2"]);
    let moved = position(later);
    assert_eq!(
        moved["stones"],
        json!({"a1": "white", "a2": "white", "b2": "black", "c3": "black", "d4": "black", "e5": "black"})
    );
    let passed = json!({"side": 3, "moves": ["a1"], "to_move": "white", "swap": true, "want": ["position"]});
    assert_eq!((&position(passed.clone())["to_move"], &position(passed)["can_swap"]), (&json!("white"), &json!(false)));
}

/// A text is decoded already, whatever character set its file had.
#[test]
fn the_character_set_of_a_record_counts_only_for_bytes() {
    for (charset, name) in [("windows-1250", "łód"), ("Shift_JIS", "ゾ"), ("GBK", "模")] {
        let text = format!("(;SZ[5]CA[{charset}]PB[{name}];W[c3])");
        let game = &answer(json!({"action": "read_record", "text": text}))["games"][0];
        assert_eq!((&game["moves"], &game["black_player"]), (&json!(["c3"]), &json!(name)), "{game}");
    }
    // The same name in the bytes of such a file.
    let bytes = "KDtTWls1XUNBW3dpbmRvd3MtMTI1MF1QQluz82RdO1dbYzNdKQ==";
    assert_eq!(answer(json!({"action": "read_record", "bytes": bytes}))["games"][0]["black_player"], "łód");
}

/// Only the opponent of the first stone's owner may swap.
#[test]
fn nobody_swaps_a_stone_of_their_own() {
    let [own, other] = ["white", "black"].map(|first| {
        let want = ["position", "choice"];
        answer(json!({"side": 5, "white": ["e5"], "first": first, "swap": true, "simulations": 10, "want": want}))
    });
    assert_eq!((&own["position"]["can_swap"], &other["position"]["can_swap"]), (&json!(false), &json!(true)));
    assert!(own["choice"]["move"] != "swap" && other["choice"]["move"] == "swap", "{own} {other}");
}

/// As a position that was read says where its stones are.
#[test]
fn stones_that_are_set_up_may_have_won() {
    let game = &answer(json!({"action": "read_record", "text": "3/2b1/w1b2/w3/w2 b"}))["games"][0];
    let start = json!({"side": game["side"], "white": game["white"], "black": game["black"], "first": game["first"]});
    let mut query = start.clone();
    query["want"] = json!(["position"]);
    let position = &answer(query)["position"];
    assert_eq!((&position["over"], &position["winner"]), (&true.into(), &"white".into()));
    let written = answer(json!({"action": "write_record", "side": 3, "first": "black", "tree": game["tree"]}));
    let text = written["text"].as_str().unwrap();
    assert!(text.contains("AB[c3][d4]") && text.matches("AW[").count() == 1, "{written}");
    // The root's move is a node of its own in the record, but not in the query.
    let occupied = json!([{"white": ["a1"], "move": "a1", "color": "white"}]);
    let refused = error(json!({"action": "write_record", "side": 3, "tree": occupied}));
    assert_eq!(refused, "tree[0]: illegal move a1: the vertex is occupied");
    // A node may stand before its parent.
    let tree = json!([{"children": [2]}, {"move": "b2"}, {"move": "a1", "children": [1]}]);
    let written = answer(json!({"action": "write_record", "side": 4, "format": "moves", "tree": tree}));
    assert!(written["text"].as_str().unwrap().ends_with("\na1 b2\n"), "{written}");
    let mut later = start;
    later["moves"] = json!(["b2"]);
    assert_eq!(error(later), "moves[0]: the game is over: white won by bridge");
}

#[test]
fn what_needs_no_search_makes_none() {
    let want =
        ["position", "policy", "prediction", "ownership", "criticality", "threats", "frames", "chains", "distances"];
    let answer = answer(json!({"side": 3, "moves": ["a1", "c3", "a2", "d4"], "want": want}));
    assert!(answer.get("simulations").is_none() && answer.get("moves").is_none());
    let policy = answer["policy"].as_object().unwrap();
    let sum: f64 = policy.values().map(|p| p.as_f64().unwrap()).sum();
    assert!(policy.len() == 15 && (sum - 1.0).abs() < 1e-4);
    assert!((0.0..=1.0).contains(&answer["prediction"]["win_rate"].as_f64().unwrap()));
    assert_eq!((&answer["ownership"]["a1"], &answer["ownership"]["c3"]), (&json!(1.0), &json!(-1.0)));
    assert_eq!(answer["criticality"].as_object().unwrap().len(), 19);
    assert_eq!(answer["threats"], json!({"white": {"a3": ["bridge"]}, "black": {}}));
    let bridge =
        json!({"structures": ["bridge"], "corners": [0, 1], "sides": [], "full": false, "width": 1, "carrier": ["a3"]});
    assert_eq!(answer["frames"]["white"][0], bridge);
    assert_eq!((&answer["frames"]["leader"], &answer["frames"]["proven"]), (&json!("white"), &json!(true)));
    assert_eq!(answer["chains"][0], json!({"color": "white", "stones": ["a1", "a2"], "corners": [0], "sides": [0]}));
    assert_eq!((&answer["distances"]["white"]["a3"], &answer["distances"]["black"]["a1"]), (&json!(1), &Value::Null));
}

#[test]
fn proven_moves_have_verdicts() {
    let query =
        json!({"side": 3, "moves": ["a1", "c3", "a2", "d4"], "simulations": 10, "want": ["verdicts", "choice"]});
    let answer = answer(query);
    assert_eq!((&answer["verdicts"]["a3"], &answer["verdict"]), (&json!("win"), &json!("win")));
    assert_eq!((&answer["choice"]["move"], &answer["choice"]["level"]), (&json!("a3"), &json!(10)));
}

#[test]
fn weaker_levels_choose_too() {
    for level in [1, 5, 10] {
        let query = json!({"side": 4, "moves": ["d4"], "simulations": 40, "level": level, "want": ["choice"]});
        let choice = answer(query)["choice"].clone();
        assert_eq!(choice["level"], level);
        assert!(choice["move"].as_str().unwrap() != "d4", "{choice}");
    }
}

#[test]
fn the_pie_rule_decides_about_the_first_stone() {
    let query = |moves: &[&str], swap: bool| {
        let want = ["choice", "position"];
        answer(json!({"side": 5, "moves": moves, "swap": swap, "simulations": 60, "seed": 1, "want": want}))
    };
    // The centre is worth more than half.
    let central = query(&["e5"], true);
    assert_eq!((&central["choice"]["move"], &central["position"]["can_swap"]), (&json!("swap"), &json!(true)));
    assert!(central["win_rate"].as_f64().unwrap() > 0.5);
    assert_ne!(query(&["e5"], false)["choice"]["move"], "swap");
    let (board, opening) = (Geometry::with_side(5).unwrap(), query(&[], true)["choice"]["move"].take());
    let opening = Notation::HavannahGui.parse(board, opening.as_str().unwrap()).unwrap();
    assert!(first_stones(board).unwrap().fair().contains(&opening));
}

/// A first stone of each class, by the chance of its owner according to the table: name, chance, and score in words.
pub fn stones_by_chance(side: usize) -> Vec<(String, f64, String)> {
    let board = Geometry::with_side(side).unwrap();
    let table = first_stones(board).unwrap();
    let mut stones = classes(board);
    stones.sort_by(|&a, &b| table.estimate(a).total_cmp(&table.estimate(b)));
    let described = stones.into_iter().map(|v| {
        let score = table.score(v);
        let points = 100.0 * score.points / f64::from(score.games);
        (Notation::HavannahGui.name(board, v), table.estimate(v), format!("scored {points:.0} % in {}", score.games))
    });
    described.collect()
}

/// The table has games from each first stone. Those from the best and the worst one show who is better off; those from
/// the fairest do not, and the hint gives no reason.
#[test]
fn a_hint_says_why_to_swap_or_not_where_that_is_known() {
    let hint = |side, moves: &[&str], swap| {
        let query = json!({"side": side, "moves": moves, "swap": swap, "simulations": 20, "seed": 1, "want": ["hint"]});
        let mut hint = answer(query)["hint"].take();
        (
            hint["move"].take(),
            hint["reason"]["text"].as_str().unwrap_or_default().to_owned(),
            hint["reason"]["marks"].take(),
        )
    };
    let silent = |side, moves: &[&str], swap| {
        let (m, said, _) = hint(side, moves, swap);
        assert!(m != "swap" && !said.contains("swap"), "{m}: {said}");
    };
    for side in 5..=8 {
        let (best, _, score) = &stones_by_chance(side).pop().unwrap();
        let text = format!("{best} is worth the swap. Its owner {score} games of the engine from such a first stone");
        assert_eq!(hint(side, &[best], true), (json!("swap"), text, json!({best: "circle"})));
        // The swap is not possible.
        silent(side, &[best], false);
    }
    // On sides 5 and 6 no first stone is known to be bad for its owner.
    for side in 7..=8 {
        let (worst, _, score) = &stones_by_chance(side)[0];
        let (stays, said, _) = hint(side, &[worst], true);
        let text =
            format!("{worst} is not worth the swap. Its owner {score} games of the engine from such a first stone");
        assert_eq!(said, text);
        assert_ne!(stays, "swap");
        // The swap is not possible.
        silent(side, &[worst], false);
        let after = if worst == "e5" { "e4" } else { "e5" };
        silent(side, &[worst, after], true);
    }
    for side in 6..=8 {
        let stones = stones_by_chance(side);
        let first_good = stones.partition_point(|&(_, chance, _)| chance <= 0.5);
        silent(side, &[&stones[first_good - 1].0], true);
        // On side 7, as on side 5, all that are good are known to be.
        if side != 7 {
            assert_eq!(hint(side, &[&stones[first_good].0], true), (json!("swap"), String::new(), Value::Null));
        }
    }
    let (swap, said, _) = hint(4, &["d4"], true);
    assert_eq!((swap, said), (json!("swap"), "d4 is worth the swap. Its owner is proven to win".into()));
}

/// On a board without a table of first stones the search decides, and says so unless it finds the stone fair.
#[test]
fn without_a_table_a_hint_about_the_swap_states_the_chance_that_was_searched() {
    let mut stated = 0;
    for first in ["i9", "a1", "e5", "b2"] {
        let query = json!({"side": 9, "moves": [first], "swap": true, "simulations": 8, "seed": 1, "want": ["hint"]});
        let answer = answer(query);
        let (chance, hint) = (answer["win_rate"].as_f64().unwrap(), &answer["hint"]);
        let said = hint["reason"]["text"].as_str().unwrap_or_default();
        let owner = if hint["move"] == "swap" { chance } else { 1.0 - chance };
        let expected = format!("{:.0} % according to the search", 100.0 * owner);
        assert_eq!(said.contains(&expected), (chance - 0.5).abs() > 0.05, "{first} {chance}: {said}");
        stated += usize::from(said.contains(&expected));
    }
    assert!(stated > 0);
}

/// Everything but the time that a search has taken.
fn without_time(mut answers: Vec<Value>) -> Vec<Value> {
    for answer in &mut answers {
        answer.as_object_mut().unwrap().remove("seconds");
    }
    answers
}

#[test]
fn with_a_seed_the_answer_does_not_depend_on_earlier_queries() {
    let query =
        json!({"id": "q", "side": 4, "moves": ["d4", "c3"], "simulations": 80, "seed": 7, "want": ["moves", "choice"]});
    let first = without_time(ask_with(&mut analyst(), &query));
    let mut busy = analyst();
    for other in [
        json!({"id": "a", "side": 4, "moves": ["d4"], "simulations": 50}),
        json!({"id": "b", "side": 4, "moves": ["d4", "c3"], "simulations": 50, "options": {"leaf_playouts": 1}}),
        json!({"id": "c", "side": 3, "simulations": 50, "seed": 7, "options": {"preset": "rave", "c_uct": 0.5}}),
    ] {
        assert!(ask_with(&mut busy, &other)[0].get("error").is_none());
        assert_eq!(without_time(ask_with(&mut busy, &query)), first);
    }
}

#[test]
fn without_a_seed_a_later_position_of_the_game_profits_from_an_earlier_one() {
    let mut analyst = analyst();
    let query = |moves: &[&str]| json!({"id": "q", "side": 5, "moves": moves, "simulations": 60, "want": ["moves"]});
    let visits = |answers: Vec<Value>| {
        let moves = answers[0]["moves"].as_array().unwrap().clone();
        moves.iter().map(|m| m["visits"].as_u64().unwrap()).sum::<u64>()
    };
    let first = visits(ask_with(&mut analyst, &query(&["e5"])));
    assert!(first <= 60);
    assert!(visits(ask_with(&mut analyst, &query(&["e5"]))) > first);
}

#[test]
fn options_hold_for_their_query_alone() {
    let mut analyst = analyst();
    let query =
        |options: Value| json!({"id": "q", "side": 3, "simulations": 20, "seed": 1, "options": options, "top": 1});
    let rave = ask_with(&mut analyst, &query(json!({"method": "rave", "prior_weight": 20})));
    assert!(rave[0]["moves"][0]["rave"].is_number(), "{rave:?}");
    let plain = ask_with(&mut analyst, &query(json!({})));
    assert!(plain[0]["moves"][0].get("rave").is_none(), "{plain:?}");
}

#[test]
fn a_search_that_is_stopped_says_so() {
    let mut analyst = analyst();
    let stop = StopFlag::new();
    let mut answers = Vec::new();
    let query = json!({"id": "q", "side": 6, "seconds": 1000, "every": 0.01, "want": ["moves"], "top": 1});
    analyst.answer_line(&query.to_string(), &stop, &mut |answer| {
        stop.stop();
        answers.push((answer.is_partial(), value(answer)));
    });
    let [(true, partial), (false, last)] = &answers[..] else { panic!("{answers:?}") };
    assert_eq!((&partial["partial"], partial.get("cancelled")), (&json!(true), None));
    assert_eq!((last.get("partial"), &last["cancelled"]), (None, &json!(true)));
    assert!(last["best"].is_string());
    // The flag is still up: a query that comes now does not begin.
    let mut answers = Vec::new();
    analyst.answer_line(&query.to_string(), &stop, &mut |answer| answers.push(value(answer)));
    assert_eq!(answers, [json!({"id": "q", "turn": 0, "to_move": "white", "cancelled": true})]);
}

#[test]
fn other_tasks_that_are_stopped_say_so() {
    let review = json!({"id": "q", "action": "review", "side": 3, "moves": ["a1"]});
    let proof = json!({"id": "q", "action": "proof", "file": BASE64_STANDARD.encode(side_3())});
    let solve = json!({"id": "q", "action": "solve", "side": 3});
    for query in [review, proof, solve] {
        let stop = StopFlag::new();
        stop.stop();
        let mut answers = Vec::new();
        analyst().answer_line(&query.to_string(), &stop, &mut |answer| answers.push(answer.clone()));
        assert!(matches!(&answers[..], [Answer::Cancelled { .. }]), "{answers:?}");
        assert_eq!(value(&answers[0]), json!({"id": "q", "cancelled": true}));
    }
}

#[test]
fn positions_are_solved() {
    let solved = answer(json!({"action": "solve", "side": 3, "moves": ["a1"]}));
    assert_eq!(
        (&solved["to_move"], &solved["value"], &solved["best"]),
        (&json!("black"), &json!("white"), &Value::Null)
    );
    let best = answer(json!({"action": "solve", "side": 3, "seconds": 60}))["best"].clone();
    assert_eq!(answer(json!({"action": "solve", "side": 3, "moves": [best]}))["value"], "white");
    // After a pass, the other player wins.
    let passed = answer(json!({"action": "solve", "side": 3, "to_move": "black"}));
    assert_eq!((&passed["to_move"], &passed["value"]), (&json!("black"), &json!("black")));
    // How far the solver came.
    let open = answer(json!({"action": "solve", "position": "5/6/7/8/4w4/8/7/6/5 b", "nodes": 2000}));
    assert_eq!(
        (&open["value"], &open["best"], &open["estimate"]["player"]),
        (&Value::Null, &Value::Null, &json!("black"))
    );
    assert!(open["nodes"].as_u64().unwrap() <= 2000, "{open}");
    assert!(open["estimate"]["proof"].as_u64().unwrap() >= 1 && open["estimate"]["disproof"].as_u64().unwrap() >= 1);
    assert_eq!(open["order"].as_array().unwrap().len(), 60);
}

#[test]
fn positions_that_cannot_be_solved_are_errors() {
    for (query, message) in [
        (json!({"action": "solve", "side": 7}), "side 7 is too large for the solver"),
        (json!({"action": "solve", "side": 2, "moves": ["a1", "b2", "a2"]}), "the game is over"),
        (json!({"action": "solve", "side": 4, "nodes": 0}), "nodes: expected an integer from 1"),
        (json!({"action": "solve", "side": 4, "seconds": 0}), "seconds: expected a number from 0.001"),
    ] {
        let error = answer(query)["error"].as_str().unwrap().to_owned();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn the_table_of_first_stones_has_each_vertex_once() {
    for side in [4, 5, 8] {
        let stones = answer(json!({"action": "first_stones", "side": side}))["stones"].as_array().unwrap().clone();
        let mut vertices: Vec<_> =
            stones.iter().flat_map(|stone| stone["vertices"].as_array().unwrap()).map(Value::to_string).collect();
        vertices.sort();
        vertices.dedup();
        assert_eq!(vertices.len(), 3 * side * (side - 1) + 1, "side {side}");
        let values: Vec<_> = stones.iter().map(|stone| stone["value"].as_f64().unwrap()).collect();
        assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
        for stone in &stones {
            let (games, points) = (stone["games"].as_f64().unwrap(), stone["points"].as_f64().unwrap());
            assert!(games > 0.0 && (0.0..=games).contains(&points), "{stone}");
        }
    }
    // On side 4 every first stone is proven to win.
    let proven = answer(json!({"action": "first_stones", "side": 4}));
    assert!(proven["stones"].as_array().unwrap().iter().all(|stone| stone["value"] == 1.0), "{proven}");
    assert_eq!(answer(json!({"action": "first_stones", "side": 9}))["stones"], json!([]));
}

#[test]
fn the_board_is_described() {
    let board = answer(json!({"action": "board", "side": 3}));
    let vertices = board["vertices"].as_array().unwrap();
    assert_eq!(vertices.len(), 19);
    let number = |value: &Value| value.as_f64().unwrap();
    for (i, v) in vertices.iter().enumerate() {
        for n in v["neighbours"].as_array().unwrap() {
            let w = &vertices[n.as_u64().unwrap() as usize];
            assert!(w["neighbours"].as_array().unwrap().contains(&json!(i)));
            let distance = (number(&v["x"]) - number(&w["x"])).hypot(number(&v["y"]) - number(&w["y"]));
            assert!((distance - 1.0).abs() < 1e-5, "{v} {w}");
        }
    }
    let count = |key: &str| vertices.iter().filter(|v| v[key].is_number()).count();
    assert_eq!((count("corner"), count("side")), (6, 6));
    let texts: Vec<&str> = board["labels"].as_array().unwrap().iter().map(|l| l["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["a", "b", "c", "d", "e", "1", "2", "3", "4", "5"]);
}

#[test]
fn a_record_keeps_its_tree() {
    let sgf = "(;FF[4]SZ[4]PW[Ann]PB[Bob]RE[W+R]AB[g7];W[a1]C[hi\\]](;B[a2]LB[a1:x])(;B[a3];W[b2]))";
    let answer = answer(json!({"action": "read_record", "text": sgf}));
    let game = answer["games"][0].clone();
    assert_eq!(
        (&game["white_player"], &game["black"], &game["moves"]),
        (&json!("Ann"), &json!(["g7"]), &json!(["a1", "a2"]))
    );
    assert_eq!(game["result"], json!({"winner": "white", "by": ["resign"]}));
    assert_eq!(game["tree"][1], json!({"move": "a1", "color": "white", "comment": "hi]", "children": [2, 3]}));
    assert_eq!(game["tree"][2]["properties"], json!({"LB": ["a1:x"]}));
    let write = |format: &str| {
        let query = json!({
            "action": "write_record", "format": format, "side": 4, "tree": game["tree"], "white_player": "Ann",
            "black_player": "Bob", "result": game["result"]
        });
        self::answer(query)["text"].as_str().unwrap().to_owned()
    };
    let again = self::answer(json!({"action": "read_record", "text": write("sgf")}))["games"][0].clone();
    assert_eq!(again, game);
    let hgf = self::answer(json!({"action": "read_record", "text": write("hgf"), "format": "hgf"}));
    assert_eq!(hgf["games"][0]["tree"][1]["comment"], "hi]");
}

#[test]
fn a_long_game_is_written_and_read() {
    let moves: Vec<Value> = malecon::game::Geometry::with_side(13)
        .map(|board| {
            let name = |v| malecon::game::Notation::HavannahGui.name(board, v);
            board.vertices().map(|v| json!(name(v))).step_by(2).collect()
        })
        .unwrap();
    let write = json!({"action": "write_record", "side": 13, "moves": moves, "format": "sgf"});
    let text = answer(write)["text"].clone();
    let game = answer(json!({"action": "read_record", "text": text}))["games"][0].clone();
    assert!(game["moves"].as_array().unwrap().len() > 100);
    let tree = json!({"action": "write_record", "side": 13, "tree": game["tree"], "format": "moves"});
    assert!(answer(tree)["text"].as_str().unwrap().starts_with("# side 13\na1 a3 a5 "));
}

#[test]
fn malformed_trees_are_rejected() {
    let tree = |tree: Value| error(json!({"action": "write_record", "side": 3, "tree": tree}));
    for (nodes, message) in [
        (json!({}), "tree: expected a list, got {}"),
        (json!([]), "tree[0]: there is no root"),
        (json!([1]), "tree[0]: expected an object, got 1"),
        (json!([{"children": [1]}]), "tree[0]: children: there is no node 1"),
        (json!([{"children": [1]}, {"children": [1]}]), "tree[1]: node 1 cannot follow here"),
        (json!([{"children": [0]}]), "tree[0]: node 0 cannot follow here"),
        (json!([{"children": [1]}, {"move": "z1"}]), "tree[1]: move: vertex z1 is not on the board of side 3"),
        (
            json!([{"children": [1]}, {"move": "a1", "children": [2]}, {"move": "a1", "color": "white"}]),
            "tree[2]: illegal move a1",
        ),
        (json!([{"properties": {"LB": ["]"]}}]), "tree[0]: properties: LB: a closing bracket"),
        (json!([{"properties": {"SZ": ["4"]}}]), "tree[0]: properties: SZ: has a field of its own"),
        (json!([{"properties": {"lb": ["4"]}}]), "tree[0]: properties: lb: the name of a property"),
    ] {
        let got = tree(nodes.clone());
        assert!(got.starts_with(message), "{nodes}: {got}");
    }
    let both = json!({"action": "write_record", "side": 3, "moves": ["a1"], "tree": [{}]});
    assert_eq!(error(both), "tree: stones and moves are already given outside of the tree");
    let result = json!({"action": "write_record", "side": 3, "result": {"winner": "white", "by": ["magic"]}});
    assert!(error(result).starts_with("result: expected by to be bridge, "));
}

#[test]
fn pictures_have_marks() {
    let query = json!({"action": "picture", "side": 4, "moves": ["d4", "c3"], "numbers": true,
        "marks": {"a1": "circle", "b1": "17 %"}, "line": ["e5"]});
    let svg = answer(query)["svg"].as_str().unwrap().to_owned();
    for part in ["<svg ", ">17 %</text>", ">2</text>", "stroke-dasharray"] {
        assert!(svg.contains(part), "{part}");
    }
    let marked = |marks: Value| error(json!({"action": "picture", "side": 4, "marks": marks}));
    assert!(marked(json!({"a9": "x"})).starts_with("marks.a9: vertex a9 is not on the board"));
    assert!(marked(json!({"a1": "too long a text"})).starts_with("marks.a1: expected a text of at most 8 characters"));
}

/// XML may not have U+FFFE and U+FFFF, however they are written.
#[test]
fn pictures_are_xml_whatever_the_labels_are() {
    let marks = json!({"a1": "x\u{ffff}y\u{fffe}\u{1b}<"});
    let svg = answer(json!({"action": "picture", "side": 4, "marks": marks}))["svg"].as_str().unwrap().to_owned();
    assert!(svg.contains(">xy&lt;<") && !svg.contains(['\u{ffff}', '\u{fffe}', '\u{1b}']), "{svg}");
}

#[test]
fn the_line_of_a_picture_is_legal() {
    let drawn = |line: &[&str]| error(json!({"action": "picture", "side": 3, "moves": ["a1"], "line": line}));
    assert_eq!(drawn(&["a1"]), "line[0]: a1 is occupied by white");
    assert_eq!(drawn(&["b2", "b3", "b2"]), "line[2]: b2 is occupied by black");
    // White's bridge ends the game.
    assert!(drawn(&["c3", "a2", "d4", "a3", "b2"]).starts_with("line[4]: the game is over: white won"));
}

/// Each value takes far more memory than text, even in fields that have no meaning.
#[test]
fn queries_of_too_many_values_are_refused() {
    let refused = |part: &str, count: usize| {
        let values = vec![part; count].join(",");
        let query = format!(r#"{{"id": "q", "side": 3, "want": [], "x": [{values}]}}"#);
        Query::read(&query, &settings()).err().map(|error| error.error)
    };
    assert_eq!(refused(r#"{"":0}"#, 99_999), None);
    assert_eq!(refused(r#"{"":0}"#, 100_000).unwrap(), "expected at most 100000 objects, got 100001");
    assert_eq!(refused("0", 600_000).unwrap(), "expected at most 500000 values, got 600004");
    // Text is text, whatever its letters are.
    assert_eq!(refused(&format!(r#""\"{}""#, "[{,".repeat(10)), 50_000), None);
    // Whoever asked waits for an answer with this id.
    let query = format!(r#"{{"x": [{}], "id": "q"}}"#, "{},".repeat(100_001) + "{}");
    assert_eq!(Query::read(&query, &settings()).unwrap_err().id.as_deref(), Some("q"));
}

#[test]
fn of_many_unknown_fields_only_some_are_named() {
    let mut query = json!({"side": 3, "want": ["threats"]});
    (0..100_000).for_each(|i| query[format!("x{i}")] = json!(1));
    let answers = ask(query);
    assert_eq!(answers.len(), 21);
    assert!(answers[19]["warning"].as_str().unwrap().ends_with("' and 99980 more"), "{}", answers[19]);
}

/// If they were read in quadratic time, this would take minutes.
#[test]
fn nodes_and_stones_that_repeat_are_refused() {
    let cycle: Vec<Value> = (0..90_000).map(|i| json!({"children": [i]})).collect();
    let error = error(json!({"action": "write_record", "side": 4, "tree": cycle}));
    assert_eq!(error, "tree[0]: node 0 cannot follow here: it is the root or follows another");
    let white = vec!["a1"; 400_000];
    let bridges = [&["a1", "a2", "a3", "a4"][..], &["g4", "g5", "g6", "g7"], &white].concat();
    let error = self::error(json!({"side": 4, "white": bridges, "black": ["d4"]}));
    assert!(error.starts_with("white["), "{error}");
}

#[test]
fn limits_of_the_settings_hold_for_queries_without_their_own() {
    let mut settings = settings();
    settings.options.session.simulations = 30;
    let mut analyst = Analyst::new(settings);
    let simulations = |answers: Vec<Value>| answers[0]["simulations"].as_u64().unwrap();
    let query = json!({"id": "q", "side": 6, "seed": 1});
    assert_eq!(simulations(ask_with(&mut analyst, &query)), 30);
    let query = json!({"id": "q", "side": 6, "seed": 1, "simulations": 50});
    assert_eq!(simulations(ask_with(&mut analyst, &query)), 50);
}

/// A text of single characters would take 250 times its size, and its answer 25 times. The page sends records of at
/// most a megabyte, which may be all moves.
#[test]
fn records_of_too_many_nodes_are_refused() {
    let read = |text: String| self::answer(json!({"action": "read_record", "text": text}));
    let sgf = |node: &str, count: usize| format!("(;SZ[4]{})", node.repeat(count));
    let list = |count: usize| format!("# side 4\n{}", "pass ".repeat(count));
    let json = |count: usize| r#"{"side": 4, "moves": []}"#.repeat(count);
    for text in [
        sgf(";", 4_000_000),
        sgf(";C[]", 250_000),
        format!("(;SZ[4]C{})", "[]".repeat(1_000_000)),
        "(;SZ[4])".repeat(200_000),
        "(;SZ[x])(;SZ[4]".repeat(100_000),
        list(500_000),
        "a\n".repeat(500_000),
        "# side 4\n# no moves\n".repeat(100_000),
        json(450_000),
    ] {
        let answer = read(text.clone()).to_string();
        let expected = "too much for one text: more than 400000 nodes and values or moves";
        assert!(answer.contains(expected) && answer.len() < 200, "{}: {answer:.200}", &text[..30]);
    }
    let long = format!(r#"{{"side": 4, "moves": [{}"pass"]}}"#, r#""pass","#.repeat(800_000));
    assert!(read(long).to_string().contains("longer than 4 MB"));
    let page = read(sgf(";W[resign]", 100_000));
    assert_eq!(page["games"][0]["tree"].as_array().unwrap().len(), 100_001);
    let nodes = read(sgf(";", 399_990));
    assert!(nodes["games"][0]["tree"].as_array().unwrap().len() == 399_991 && nodes.to_string().len() < 12_000_000);
}

#[test]
fn versions_and_options_are_listed() {
    let version = answer(json!({"action": "version"}));
    assert_eq!((&version["version"], &version["protocol"]), (&json!(env!("CARGO_PKG_VERSION")), &json!(1)));
    assert_eq!(version["sides"], json!([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]));
    let options = answer(json!({"action": "options"}))["options"].as_array().unwrap().clone();
    let named = |name: &str| options.iter().find(|option| option["name"] == name).cloned();
    assert_eq!(named("c_puct").unwrap()["max"], 100.0);
    assert_eq!(named("analysis_playouts").unwrap()["value"], "200");
    // What is listed can be set, and nothing else.
    for option in &options {
        let (name, value) = (option["name"].as_str().unwrap(), &option["default"]);
        assert!(answer(json!({"side": 3, "want": [], "options": {name: value}})).get("error").is_none(), "{name}");
    }
    assert!(["memory", "network", "seed", "ponder"].iter().all(|name| named(name).is_none()));
    assert_eq!(answer(json!({"action": "cancel"})), json!({"id": "q", "stopped": 0}));
}

/// The task of a query with these fields.
fn task(mut fields: Value) -> Task {
    fields["id"] = "q".into();
    match Query::read(&fields.to_string(), &settings()).unwrap().action {
        Action::Task { task, .. } => task,
        other => panic!("{other:?}"),
    }
}

#[test]
fn queries_know_whether_they_search() {
    let searches = |fields| task(fields).effort() == Effort::Search;
    for want in Want::ALL {
        assert_eq!(searches(json!({"side": 3, "want": [want.name()]})), want.needs_search(), "{want:?}");
    }
    for want in ["ownership", "criticality"] {
        let playouts = |count| json!({"side": 3, "want": [want], "options": {"analysis_playouts": count}});
        assert_eq!([20_000, 20_001].map(|count| searches(playouts(count))), [false, true]);
    }
    assert!(searches(json!({"action": "solve", "side": 3})));
    assert!(searches(json!({"action": "review", "side": 3, "moves": []})));
}

#[test]
fn queries_know_whose_network_they_need() {
    let side = |fields| task(fields).network_board().map(Geometry::side);
    for want in ["moves", "choice", "verdicts", "hint", "policy", "prediction"] {
        assert_eq!(side(json!({"side": 3, "want": ["position", want]})), Some(3), "{want}");
    }
    for want in ["position", "ownership", "criticality", "threats", "frames", "chains", "distances"] {
        assert_eq!(side(json!({"side": 3, "want": [want]})), None, "{want}");
    }
    assert_eq!(side(json!({"action": "review", "side": 3, "moves": []})), Some(3));
    assert_eq!(side(json!({"action": "solve", "side": 3})), None);
}

/// A proof that white wins side 3, with white to move.
fn side_3() -> Vec<u8> {
    let game = Game::new(Geometry::with_side(3).unwrap());
    let root = Root::new(&game, Color::White).unwrap();
    let mut solver = Solver::new(game.geometry(), 16 << 20).unwrap();
    let mut file = Vec::new();
    let sources = Sources::new(&mut solver);
    prove(&mut file, &[root], sources, &mut |_| true).unwrap();
    file
}

/// A structure comes at last in every game along the longest resistance, and with every reply in the number of stones
/// that was promised or sooner.
#[test]
fn a_proof_is_walked_through() {
    let file = BASE64_STANDARD.encode(side_3());
    let mut analyst = analyst();
    let mut ask = |replies: &[String]| {
        let query = json!({"id": "p", "action": "proof", "file": file, "replies": replies});
        let [answer] = ask_with(&mut analyst, &query).try_into().unwrap();
        assert!(answer["error"].is_null(), "{answer}");
        answer
    };
    let start = ask(&[]);
    assert_eq!((&start["side"], &start["roots"], &start["winner"]), (&json!(3), &json!(1), &json!("white")));
    assert_eq!((&start["white"], &start["black"]), (&json!([]), &json!([])));
    assert_eq!(start["position"]["to_move"], "black");
    // White has made the first move already.
    assert_eq!(start["moves"].as_array().unwrap().len(), 1);
    let checked = proof::check(&side_3()[..]).unwrap();
    assert_eq!(start["positions"], checked.summary.positions);
    assert_eq!(start["line"].as_array().unwrap().len() + 1, checked.longest_games[0].len());
    let lengths = |stage: &Value| -> Vec<(String, u64)> {
        let replies = stage["replies"].as_object().unwrap();
        replies.iter().map(|(name, length)| (name.clone(), length.as_u64().unwrap())).collect()
    };
    // Each reply to the first move, and then the longest resistance.
    for (first, length) in lengths(&start) {
        let mut replies = vec![first];
        let mut stage = ask(&replies);
        let mut longest = length;
        while stage["position"]["over"] == false {
            longest -= 2;
            let line = stage["line"].as_array().unwrap();
            assert_eq!(line.len() as u64, lengths(&stage).iter().map(|&(_, length)| length).max().unwrap());
            assert_eq!(line.len() as u64, longest, "{replies:?}");
            replies.push(line[0]["move"].as_str().unwrap().to_owned());
            let answer = line[1].clone();
            stage = ask(&replies);
            assert_eq!(stage["moves"].as_array().unwrap().last(), Some(&answer));
        }
        assert_eq!(longest, 2, "{replies:?}");
        assert_eq!((&stage["position"]["winner"], &stage["line"]), (&json!("white"), &json!([])));
        assert_eq!(stage["position"]["by"], stage["moves"].as_array().unwrap().last().unwrap()["by"]);
        assert!(stage["position"]["winning"].as_array().unwrap().len() >= 3);
    }
}

#[test]
fn the_steps_of_a_proof_say_what_they_do() {
    let side_4 = include_bytes!("../docs/proofs/side-4-a1.proof");
    let file = BASE64_STANDARD.encode(side_4);
    let query = |replies: Value| json!({"id": "q", "action": "proof", "file": file, "replies": replies});
    let mut analyst = analyst();
    let start = ask_with(&mut analyst, &query(json!([]))).pop().unwrap();
    assert_eq!((&start["white"], &start["moves"]), (&json!(["a1"]), &json!([])));
    assert_eq!(start["replies"].as_object().unwrap().len(), 36);
    let line = start["line"].as_array().unwrap();
    assert_eq!(line.len(), 36);
    for (i, step) in line.iter().enumerate() {
        assert_eq!(step["color"], ["black", "white"][i % 2]);
        assert_eq!(step["by"] != json!([]), i == 35, "{step}");
    }
    // The last but one white stone makes two threats, of which black blocks one.
    assert!(line[33]["threats"].as_u64().unwrap() >= 2 && line[34]["blocks"] == true, "{line:?}");
    let replies: Vec<_> = line.iter().step_by(2).map(|step| step["move"].clone()).collect();
    let before = ask_with(&mut analyst, &query(json!(replies[..17]))).pop().unwrap();
    let threats = before["threats"].as_object().unwrap();
    assert_eq!(threats.len() as u64, line[33]["threats"].as_u64().unwrap());
    assert!(before["replies"].as_object().unwrap().values().all(|length| *length == 2));
}

#[test]
fn what_is_wrong_with_a_proof_is_said() {
    let file = side_3();
    let ask = |file: &[u8], fields: Value| {
        let mut query = json!({"action": "proof", "file": BASE64_STANDARD.encode(file)});
        query.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        error(query)
    };
    let nothing = || json!({});
    let mut damaged = file.clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert_eq!(ask(&damaged, nothing()), "file: the checksum is wrong: the file was changed, or a part is missing");
    assert_eq!(ask(&file[..file.len() - 9], nothing()), "file: the file is cut off");
    assert_eq!(ask(b"(;FF[4]SZ[4])", nothing()), "file: not a proof: it does not begin with 'mlcproof'");
    assert_eq!(ask(&file, json!({"root": 1})), "root: expected 0..0, got 1");
    assert!(ask(&file, json!({"replies": ["a9"]})).starts_with("replies[0]: vertex a9 is not on the board"));
    let first = answer(json!({"action": "proof", "file": BASE64_STANDARD.encode(&file)}))["moves"][0]["move"].clone();
    assert_eq!(
        ask(&file, json!({"replies": [first]})),
        format!("replies[0]: {} is not empty", first.as_str().unwrap())
    );
    assert_eq!(error(json!({"action": "proof"})), "file: missing");
    assert!(error(json!({"action": "proof", "file": "?"})).starts_with("file: expected a string in base64"));
    // A board that is not regular, of which there is only the head.
    let board = b"mlcproof\x03\x04\x04\x05\x01\x00\x00\x00";
    let message = "file: the proof is for the board 4-4-5 (expected a board with six equal sides)";
    assert_eq!(ask(board, nothing()), message);
}

/// Values that fields may have, sensible or not.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..15).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        proptest::sample::select(WORDS).prop_map(Value::from),
        proptest::sample::select(ACTIONS).prop_map(Value::from),
        ".{0,5}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 5, |inner| {
        let names = proptest::sample::select(FIELDS).prop_map(str::to_owned);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map(names, inner, 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

const WORDS: &[&str] =
    &["a1", "b2", "z9", "swap", "resign", "white:a1", "white", "draw", "sgf", "moves", "circle", "", "(;SZ[3];W[a1])"];
const ACTIONS: &[&str] = &[
    "analyze",
    "board",
    "cancel",
    "first_stones",
    "options",
    "picture",
    "proof",
    "read_record",
    "review",
    "solve",
    "version",
    "write_record",
    "dance",
];
const FIELDS: &[&str] = &[
    "a1",
    "action",
    "black",
    "by",
    "bytes",
    "c_puct",
    "children",
    "color",
    "comment",
    "every",
    "file",
    "first",
    "format",
    "known",
    "level",
    "line",
    "marks",
    "mistake",
    "move",
    "moves",
    "nodes",
    "numbers",
    "of",
    "options",
    "position",
    "preset",
    "priority",
    "properties",
    "replies",
    "result",
    "root",
    "seconds",
    "seed",
    "side",
    "simulations",
    "swap",
    "text",
    "to_move",
    "top",
    "tree",
    "turns",
    "want",
    "white",
    "white_player",
    "winner",
    "write",
];

/// A query with fields of all kinds. Its side is mostly right, so that the other fields are read too.
fn any_query() -> impl Strategy<Value = Value> {
    let side = prop_oneof![4 => (2u64..5).prop_map(Value::from), 1 => any_value()];
    let action = prop_oneof![4 => proptest::sample::select(ACTIONS).prop_map(Value::from), 1 => any_value()];
    let fields = proptest::collection::btree_map(proptest::sample::select(FIELDS), any_value(), 0..6);
    (side, action, fields).prop_map(|(side, action, fields)| {
        let mut query = json!({"id": "q", "side": side, "action": action});
        fields.into_iter().for_each(|(name, value)| query[name] = value);
        query
    })
}

proptest! {
    // The seed is fixed, so that the test fails only because of a change.
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn every_query_is_answered(query in any_query()) {
        let mut answers = Vec::new();
        // No analysis begins: it could last for days.
        let stop = StopFlag::new();
        stop.stop();
        analyst().answer_line(&query.to_string(), &stop, &mut |answer| answers.push(answer.to_json()));
        prop_assert!(!answers.is_empty());
        for answer in answers {
            let value: Value = serde_json::from_str(&answer).unwrap();
            prop_assert!(!answer.contains('\n') && value["id"] == "q", "{}", answer);
        }
    }
}

#[test]
fn a_hint_has_a_reason_with_its_picture() {
    let ask = |moves: &[&str]| answer(json!({"side": 3, "moves": moves, "simulations": 50, "want": ["hint"]}));
    let claim = json!({"kind": "wins", "player": "white", "move": "a3", "structures": ["bridge"]});
    let marks = json!({"a1": "circle", "a2": "circle"});
    let reason = json!({"text": "a3 completes a bridge and wins", "claim": claim, "marks": marks, "line": ["a3"]});
    let found = ask(&["a1", "c3", "a2", "d4"]);
    assert_eq!(found["hint"], json!({"move": "a3", "reason": reason}));
    assert!(found["moves"].is_null() && found["best"] == "a3");
    assert_eq!(ask(&["a1", "c3", "a2", "d4", "a3"])["hint"], Value::Null, "the game is over");
    let with_swap = json!({"side": 5, "moves": ["e5"], "swap": true, "simulations": 50, "want": ["hint"], "seed": 1});
    let found = answer(with_swap);
    assert_eq!(found["hint"]["move"], found["best"]);
}
