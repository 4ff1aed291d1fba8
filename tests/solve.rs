//! `malecon solve` over pipes: values, proofs, files of positions, interruptions.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::gtp_client::{Client, run};
use crate::recorded::Record;
use crate::scratch::Scratch;

use serde_json::Value;

fn solve(arguments: &[&str]) -> Output {
    let (command, rest): (&[_], _) = match arguments {
        ["prove" | "batch", rest @ ..] => (&[arguments[0], "--memory", "16"], rest),
        ["check" | "openings" | "table", ..] => (&[], arguments),
        rest => (&["--memory", "16"], rest),
    };
    run(&[&["solve"], command, rest].concat(), b"")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The output of a run that must succeed.
fn output(arguments: &[&str]) -> String {
    let output = solve(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&output(arguments)).unwrap()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_value_of_a_position_is_printed_with_a_move_and_a_line() {
    let won = output(&["--side", "3"]);
    for part in ["white wins\n", "best move: ", " for white\n", "longest resistance: ", " moves)\n", " nodes in "] {
        assert!(won.contains(part), "{won}");
    }
    let lost = output(&["--side", "3", "a1"]);
    assert!(lost.starts_with("white wins\nbest move: ") && lost.contains(" for black\n"), "{lost}");
    assert!(output(&["--side", "3", "--for", "black", "a1"]).starts_with("black does not win\n"));
    assert!(output(&["--side", "3", "--for", "white", "a1"]).starts_with("white wins\n"));
    assert!(output(&["--side", "3", "--nodes", "10"]).starts_with("unknown\n10 nodes in "));
}

/// Another network, or none, visits other positions and finds the same value.
#[test]
fn the_network_that_guides_can_be_chosen() {
    let directory = Scratch::folder("network");
    let file = directory.within("large.bin");
    assert!(run(&["network", "--side", "10", "--out", &file], b"").status.success());
    let opening = ["--json", "a1", "e5"];
    let runs = [&[][..], &["--unguided"], &["--network", &file]].map(|options| json(&[options, &opening].concat()));
    assert!(runs.iter().all(|run| run["value"] == "white"));
    assert!(runs[0]["nodes"] != runs[1]["nodes"] && runs[0]["nodes"] != runs[2]["nodes"]);
    let error = solve(&["--network", &directory.within("none.bin"), "a1", "e5"]);
    assert!(error.status.code() == Some(2) && text(&error.stderr).contains("none.bin"), "{error:?}");
}

#[test]
fn several_threads_solve_and_prove() {
    let directory = Scratch::folder("threads");
    let file = directory.within("a2.proof");
    let solved = output(&["prove", "--side", "3", "--threads", "3", "--out", &file, "a2"]);
    assert!(solved.starts_with("black wins\n") || solved.starts_with("white wins\n"), "{solved}");
    let winner = solved.split(' ').next().unwrap();
    assert!(output(&["--side", "3", "a2"]).starts_with(winner));
    assert!(output(&["check", &file]).starts_with(winner));
}

#[test]
fn random_positions_are_printed_and_solved() {
    let directory = Scratch::folder("random");
    let positions = directory.within("positions");
    let random = |seed| output(&["openings", "--side", "3", "8", "--random", "20", "--seed", seed]);
    let printed = random("7");
    assert_eq!((printed.lines().count(), random("7") == printed, random("8") == printed), (20, true, false));
    assert!(lines(&printed).iter().all(|line| line["moves"].as_array().unwrap().len() == 8));
    fs::write(&positions, &printed).unwrap();
    let solved = lines(&output(&["batch", &positions]));
    assert!(solved.len() == 20 && solved.iter().all(|line| !line["value"].is_null()));
}

#[test]
fn random_positions_are_no_images_of_each_other() {
    let first_stones = |count| solve(&["openings", "--side", "3", "1", "--random", count]);
    let [all, more] = ["4", "5"].map(first_stones);
    assert!(all.status.success() && all.stdout == more.stdout && all.stdout.lines().count() == 4, "{all:?}");
    let message = "error: no more random positions of 1 stone were found on side 3 (expected --random 4 or less; \
                   symmetric positions count once)\n";
    assert_eq!((more.status.code(), text(&more.stderr)), (Some(2), message.to_owned()));
}

#[test]
fn json_has_the_same() {
    let won = json(&["--side", "3", "--json", "a2", "c3"]);
    assert_eq!((&won["side"], &won["to_move"], &won["value"]), (&3.into(), &"w".into(), &"white".into()));
    assert_eq!(won["moves"], serde_json::json!(["a2", "c3"]));
    assert!(won["winning_move"].is_string() && won["winning_move"] == won["best"]);
    let line = won["longest_resistance"].as_array().unwrap();
    assert!(line[0] == won["best"] && line.len() % 2 == 1, "{line:?}");
    assert!(won["nodes"].as_u64() > Some(0) && won["seconds"].is_number() && won["nodes_per_second"].is_number());
    let lost = json(&["--side", "3", "--json", "--for", "black", "a1"]);
    assert_eq!((&lost["value"], &lost["for"], &lost["wins"]), (&"white".into(), &"black".into(), &false.into()));
    assert!(lost["winning_move"].is_null() && lost["best"] == lost["longest_resistance"][0]);
    let unknown = json(&["--side", "5", "--json", "--nodes", "100", "--for", "white"]);
    assert!(unknown["value"].is_null() && unknown["wins"].is_null() && unknown["best"].is_null());
    assert_eq!(unknown["nodes"], 100);
}

#[test]
fn a_draw_has_a_move_that_keeps_it_and_no_proof() {
    let games = Record::data("special_games.jsonl").into_iter().filter(|record| record.winner() == Some("draw"));
    let mut drawn_positions = 0;
    for record in games {
        let side = record.side().to_string();
        let moves = record.moves();
        let arguments = [&["--side", &side, "--json"][..], &moves[..moves.len() - 4]].concat();
        let drawn = json(&arguments);
        if drawn["value"] != "draw" {
            continue;
        }
        drawn_positions += 1;
        assert!(drawn["winning_move"].is_null() && drawn["longest_resistance"].is_null(), "{drawn}");
        for player in ["white", "black"] {
            let asked = json(&[&arguments[..], &["--for", player]].concat());
            assert_eq!((&asked["wins"], &asked["value"]), (&false.into(), &Value::Null), "{asked}");
        }
        let best = drawn["best"].as_str().unwrap();
        assert_eq!(json(&[&arguments[..], &[best]].concat())["value"], "draw");
        let directory = Scratch::folder("draw");
        let proof = directory.within("a.proof");
        let refused = solve(&[&["prove", "--out", &proof], &arguments[..]].concat());
        assert_eq!(text(&refused.stderr), "error: no proof was written: the position is a draw\n");
        assert!(refused.status.code() == Some(2) && !Path::new(&proof).exists());
    }
    assert!(drawn_positions > 0);
}

/// Not after hours of work: these positions take longer than any test.
#[test]
fn files_that_a_proof_needs_are_looked_at_before_it_is_searched() {
    let directory = Scratch::folder("early");
    let [out, other, positions] = ["a.proof", "other.proof", "positions"].map(|name| directory.within(name));
    assert!(solve(&["prove", "--side", "3", "--quiet", "--out", &other, "a1"]).status.success());
    fs::write(&positions, "{\"side\":6,\"moves\":[]}\n").unwrap();
    let missing = directory.within("no such folder/a.proof");
    for (arguments, message) in [
        (&["prove", "--side", "6", "--out", &missing][..], "a.proof: "),
        (&["prove", "--side", "6", "--out", &out, "--checkpoint", &missing], "a.proof: "),
        (&["prove", "--side", "6", "--out", &out, "--known", &missing], "a.proof: "),
        (&["prove", "--side", "6", "--out", &out, "--known", &other], "it is for side 3 (expected side 6)"),
        (&["batch", &positions, "--proof", &missing], "a.proof: "),
        (&["batch", &positions, "--proof", &out, "--known", &positions], "positions: not a proof"),
    ] {
        let output = solve(arguments);
        assert!(text(&output.stderr).contains(message), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
    }
}

#[test]
fn errors_are_one_line_and_say_what_would_be_right() {
    for (arguments, message) in [
        (&["--side", "7"][..], "side 7 is too large for the solver (expected side 2 to 6)"),
        (&["a1", "a1"], "a1: the vertex is occupied"),
        (&["j9"], "vertex j9 is not on the board of side 4"),
        (&["--side", "2", "a1", "c3", "b1"], "the game is over: there is nothing to solve"),
        (&["openings", "5"], "5 stones are too many (expected 0 to 4)"),
        (&["openings", "--side", "3", "13", "--random", "1"], "13 stones are too many (expected 0 to 12)"),
        (&["batch", "no such file"], "no such file: No such file or directory (os error 2)"),
        (
            &["batch", "no such file", "--known", "a.proof"],
            "--checkpoint and --known are for proofs (add --proof FILE or --proofs DIR)",
        ),
        (&["check", "no such file"], "no such file: No such file or directory (os error 2)"),
    ] {
        let output = solve(arguments);
        assert_eq!(text(&output.stderr), format!("error: {message}\n"), "{arguments:?}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
    }
    for arguments in [
        &["--time", "0"][..],
        &["--side", "1"],
        &["--threads", "0"],
        &["openings", "2", "--seed", "3"],
        &["batch", "x", "--shard", "3/2"],
        &["prove", "--side", "3", "--for", "white", "--json", "--out", "x", "a1"],
        &["openings", "--side", "13", "4"],
        &["batch", "x", "--resume"],
        &["check", "x", "a1"],
        &["--for", "red"],
    ] {
        assert_eq!(solve(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_proof_is_written_and_checked() {
    let directory = Scratch::folder("proof");
    let file = directory.within("a1.proof");
    let written = solve(&["prove", "--side", "3", "--out", &file, "a1"]);
    assert!(written.status.success() && text(&written.stderr).contains("positions, "), "{}", text(&written.stderr));
    assert!(text(&written.stdout).starts_with("white wins\n"));
    let checked = output(&["check", &file]);
    assert!(checked.starts_with("white wins on side 3 (white a1, black -, black to move) in "), "{checked}");
    assert!(checked.contains(": proven: "), "{checked}");
    let checked = json(&["check", &file, "--json"]);
    assert_eq!(checked["bytes"], fs::metadata(&file).unwrap().len());
    assert_eq!(checked["proven"][0]["white"], serde_json::json!(["a1"]));
    assert_eq!(checked["proven"][0]["winner"], "white");
    // Nothing but the claim is needed to write it.
    let again = directory.within("again.proof");
    assert_eq!(
        output(&["prove", "--side", "3", "--for", "white", "--quiet", "--out", &again, "--known", &file, "a1"]),
        ""
    );
    assert_eq!(fs::read(&file).unwrap(), fs::read(&again).unwrap());

    let mut bytes = fs::read(&file).unwrap();
    bytes.pop();
    fs::write(&file, bytes).unwrap();
    let refused = solve(&["check", &file]);
    assert_eq!(text(&refused.stderr), format!("error: {file}: the file is cut off\n"));
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0));
}

#[test]
fn a_proof_that_cannot_be_made_leaves_no_file() {
    let directory = Scratch::folder("no-proof");
    let file = directory.within("a.proof");
    let refused = solve(&["prove", "--side", "3", "--for", "black", "--out", &file, "a1"]);
    let message = "the position is not won by the player who should win it";
    assert_eq!(text(&refused.stderr), format!("error: {file}: {message}\n"));
    let late = solve(&["prove", "--side", "6", "--for", "white", "--time", "0.1", "--out", &file]);
    assert_eq!(text(&late.stderr), format!("error: {file}: no proof was written before the work was stopped\n"));
    let unknown = solve(&["prove", "--side", "5", "--nodes", "10", "--out", &file]);
    assert_eq!(text(&unknown.stderr), "error: no proof was written: the position is not solved\n");
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
}

/// One proof of several positions, one of which the player does not win: it is named, and the others are proven.
#[test]
fn a_joint_proof_leaves_out_what_is_not_won() {
    let directory = Scratch::folder("joint");
    let [positions, proof] = ["positions", "joint.proof"].map(|name| directory.within(name));
    let openings = output(&["openings", "--side", "3", "1"]);
    let winner = |line: &Value| json(&["--side", "3", "--json", line["moves"][0].as_str().unwrap()])["value"].clone();
    let all = lines(&openings);
    let [won, lost]: [Vec<&Value>; 2] =
        ["white", "black"].map(|color| all.iter().filter(|line| winner(line) == color).collect());
    assert!(!won.is_empty() && !lost.is_empty());
    // In one more position, black completes a structure before white has moved.
    fs::write(&positions, openings + "{\"side\":3,\"moves\":[\"c3\",\"a1\",\"d3\",\"a2\",\"e5\"]}\n").unwrap();
    let run = solve(&["batch", &positions, "--for", "white", "--quiet", "--proof", &proof]);
    let errors = text(&run.stderr);
    let told: Vec<&str> = errors.lines().filter(|line| line.ends_with(" is not won by white")).collect();
    assert_eq!((run.status.code(), told.len()), (Some(2), lost.len() + 1), "{errors}");
    assert!(lost.iter().all(|line| errors.contains(line["moves"].to_string().as_str())), "{errors}");
    assert!(errors.ends_with(&format!("proves {} of {} positions\n", won.len(), all.len() + 1)), "{errors}");
    assert_eq!(json(&["check", &proof, "--json"])["proven"].as_array().unwrap().len(), won.len());
}

/// A file that a command reads is never one that it writes.
#[test]
fn what_is_read_is_not_overwritten() {
    let directory = Scratch::folder("apart");
    let [proof, positions, link] = ["a.proof", "positions", "link"].map(|name| directory.within(name));
    output(&["prove", "--side", "3", "--quiet", "--out", &proof, "a1"]);
    fs::write(&positions, output(&["openings", "--side", "3", "1"])).unwrap();
    fs::hard_link(&proof, &link).unwrap();
    let before = [&proof, &positions].map(|path| fs::read(path).unwrap());
    for arguments in [
        &["solve", "table", &proof, "--out", &proof][..],
        &["solve", "table", &proof, "--out", &link],
        &["solve", "prove", "--side", "3", "--known", &proof, "--out", &proof, "a1"],
        &["solve", "prove", "--side", "3", "--checkpoint", &link, "--out", &proof, "a1"],
        &["solve", "batch", &positions, "--out", &positions],
        &["solve", "batch", &positions, "--proof", &positions],
        &["match", "--merge", &positions, "--html", &positions],
        &["puzzles", "--out", &positions, &positions],
        &["learn", "play", "--human", &positions, "--out", &positions],
        &["network", &proof, "--out", &proof],
    ] {
        let refused = run(arguments, b"");
        let error = text(&refused.stderr);
        let is_refused = refused.status.code() == Some(2) && error.starts_with("error: ");
        // A network must be one before it is written.
        assert!(is_refused || arguments[0] == "network", "{arguments:?}: {error}");
    }
    assert_eq!(before, [&proof, &positions].map(|path| fs::read(path).unwrap()));
}

#[test]
fn boards_that_are_not_regular_are_solved() {
    let directory = Scratch::folder("shapes");
    let [positions, proofs, proof] = ["positions", "proofs", "whole.proof"].map(|name| directory.within(name));
    let openings = output(&["openings", "--board", "3-2-3", "1"]);
    let all = lines(&openings);
    assert!(all.iter().all(|line| line["board"] == "2-3-3" && line.get("side").is_none()), "{openings}");
    fs::write(&positions, &openings).unwrap();
    let solved = lines(&output(&["batch", &positions, "--proofs", &proofs]));
    for (opening, solved) in all.iter().zip(&solved) {
        assert_eq!((&opening["board"], &opening["moves"]), (&solved["board"], &solved["moves"]));
        let name = opening["moves"][0].as_str().unwrap();
        let single = json(&["--board", "2-3-3", "--json", "--unguided", name]);
        assert_eq!((&single["value"], &single["board"]), (&solved["value"], &"2-3-3".into()), "{name}");
        let checked = output(&["check", &directory.within(&format!("proofs/2-3-3-{name}.proof"))]);
        let winner = solved["value"].as_str().unwrap();
        assert!(checked.starts_with(&format!("{winner} wins on board 2-3-3 (white {name}, ")), "{checked}");
    }
    assert!(output(&["prove", "--board", "2-3-3", "--quiet", "--out", &proof]).starts_with("white wins"));
    assert!(solve(&["--board", "2-3-3", "--side", "3"]).status.code() == Some(2));
}

/// All openings of side 3, in two shards, one of which is interrupted in the middle of a line.
#[test]
fn positions_are_solved_in_shards_and_after_an_interruption() {
    let directory = Scratch::folder("shards");
    let [positions, proofs, merged] = ["positions", "proofs", "side3.proof"].map(|name| directory.within(name));
    let openings = output(&["openings", "--side", "3", "2"]);
    assert_eq!(openings.lines().count(), 35);
    fs::write(&positions, &openings).unwrap();
    let whole = output(&["batch", &positions]);
    let mut merged_lines = Vec::new();
    for shard in ["1/2", "2/2"] {
        let out = directory.within(&shard.replace('/', "-"));
        let arguments = ["batch", &positions, "--shard", shard, "--out", &out, "--proofs", &proofs, "--quiet"];
        assert_eq!(output(&arguments), "");
        let complete = fs::read_to_string(&out).unwrap();
        let again = solve(&arguments);
        assert_eq!(
            text(&again.stderr),
            format!(
                "error: {out} already has {} positions (use --resume to continue, or another file)\n",
                lines(&complete).len()
            )
        );
        let cut = complete.len() / 2;
        fs::write(&out, &complete[..cut]).unwrap();
        assert_eq!(output(&[&arguments[..], &["--resume"]].concat()), "");
        let resumed = fs::read_to_string(&out).unwrap();
        let kept = complete[..cut].rfind('\n').map_or(0, |end| end + 1);
        assert_eq!(resumed[..kept], complete[..kept], "what was complete is not solved again");
        merged_lines.extend(lines(&resumed));
    }
    let mut whole = lines(&whole);
    for line in whole.iter_mut().chain(&mut merged_lines) {
        line["seconds"] = Value::Null;
    }
    let sorted = |lines: Vec<Value>| {
        let mut lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(whole), sorted(merged_lines.clone()), "the shards do not change the results");
    // There may be more shards than positions.
    assert_eq!(output(&["batch", &positions, "--shard", "100/100", "--quiet"]), "");
    assert!(merged_lines.iter().all(|line| line["value"] == "white" || line["value"] == "black"));

    // The opening in the corner wins: black's replies are among the proven openings.
    let mut arguments = vec!["prove", "--side", "3", "--for", "white", "--nodes", "1", "--out", &merged, "a1"];
    let parts: Vec<String> =
        fs::read_dir(&proofs).unwrap().map(|entry| entry.unwrap().path().to_str().unwrap().to_owned()).collect();
    assert_eq!(parts.len(), 35);
    parts.iter().for_each(|part| arguments.extend(["--known", part]));
    assert_eq!(output(&arguments), "");
    assert!(output(&["check", &merged]).starts_with("white wins on side 3 (white a1"));
}

#[test]
fn unsolved_positions_are_tried_again_with_another_limit() {
    let directory = Scratch::folder("limits");
    let [positions, out, proof] = ["positions", "out", "proof"].map(|name| directory.within(name));
    fs::write(&positions, "{\"side\": 3, \"moves\": [\"a1\"], \"to_move\": \"b\"}\n\n{\"side\":3,\"moves\":[]}\n")
        .unwrap();
    let base = ["batch", &positions, "--out", &out, "--resume", "--quiet"];
    output(&[&base[..], &["--nodes", "5"]].concat());
    let values = |text: &str| lines(text).iter().map(|line| line["value"].clone()).collect::<Vec<_>>();
    assert_eq!(values(&fs::read_to_string(&out).unwrap()), [Value::Null, Value::Null]);
    let unsolved = solve(&[&base[..], &["--nodes", "5", "--proof", &proof]].concat());
    assert!(text(&unsolved.stderr).contains("is not solved") && !Path::new(&proof).exists());
    output(&[&base[..], &["--proof", &proof]].concat());
    assert_eq!(values(&fs::read_to_string(&out).unwrap())[4..], ["white", "white"]);
    let checked = json(&["check", &proof, "--json"]);
    assert_eq!(checked["proven"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_not_solved_says_how_far_the_solver_came() {
    let base = ["--side", "5", "--json", "--nodes", "3000", "e5"];
    let part = json(&base);
    assert!(part["value"].is_null() && part["best"].is_null(), "{part}");
    let estimate = &part["estimate"];
    assert_eq!(estimate["player"], "black");
    assert!(estimate["proof"].as_u64() > Some(0) && estimate["disproof"].as_u64() > Some(0), "{part}");
    let order = part["order"].as_array().unwrap();
    assert_eq!(order.len(), 60, "all empty vertices");
    assert!(json(&[&base[..], &["--unguided"]].concat())["order"].is_null());
    let more = json(&["--side", "5", "--json", "--nodes", "60000", "e5"]);
    assert!(more["estimate"]["proof"] != estimate["proof"] && more["order"] == part["order"]);
    let solved = json(&["--side", "3", "--json"]);
    assert!(solved["estimate"].is_null() && solved["order"].is_null(), "{solved}");
}

/// Each line of the file is answered, also after an interruption, but a position is solved once.
#[test]
fn positions_that_repeat_are_answered_each_time() {
    let directory = Scratch::folder("repeats");
    let [positions, out] = ["positions", "out"].map(|name| directory.within(name));
    let [corner, empty, unsolved] = ["[\"a1\"]", "[]", "[\"a2\"]"];
    let all = [corner, empty, corner, unsolved, corner, unsolved];
    fs::write(&positions, all.map(|moves| format!("{{\"side\":3,\"moves\":{moves}}}\n")).concat()).unwrap();
    let arguments = ["batch", &positions, "--out", &out, "--resume", "--quiet", "--nodes", "200"];
    output(&arguments);
    let complete = fs::read_to_string(&out).unwrap();
    let moves: Vec<String> = lines(&complete).iter().map(|line| line["moves"].to_string()).collect();
    assert_eq!(moves, all);
    let is_known: Vec<bool> = lines(&complete).iter().map(|line| !line["value"].is_null()).collect();
    assert_eq!(is_known, [true, true, true, false, true, false]);
    let all: Vec<&str> = complete.lines().collect();
    assert!(all[0] == all[2] && all[0] == all[4] && all[3] == all[5], "{complete}");
    // What is there is not answered again, and the rest is.
    output(&arguments);
    assert_eq!(fs::read_to_string(&out).unwrap().lines().count(), 8, "what was not solved is tried again");
    fs::write(&out, all[..2].join("\n") + "\n").unwrap();
    output(&arguments);
    let resumed = fs::read_to_string(&out).unwrap();
    assert_eq!(resumed.lines().take(3).collect::<Vec<_>>(), all[..3]);
    assert_eq!(resumed.lines().count(), 6);
}

/// A run that continues writes the proofs that are missing, also of positions that were solved without one.
#[test]
fn missing_proofs_are_written_when_a_run_continues() {
    let directory = Scratch::folder("missing-proofs");
    let [positions, out, proofs] = ["positions", "out", "proofs"].map(|name| directory.within(name));
    fs::write(&positions, output(&["openings", "--side", "3", "1"])).unwrap();
    let arguments = ["batch", &positions, "--out", &out, "--resume", "--quiet"];
    output(&arguments);
    let solved = fs::read_to_string(&out).unwrap();
    let proven = [&arguments[..], &["--proofs", &proofs]].concat();
    output(&proven);
    let names: Vec<String> = lines(&solved)
        .iter()
        .filter(|line| line["value"] != "draw")
        .map(|line| format!("{proofs}/3-{}.proof", line["moves"][0].as_str().unwrap()))
        .collect();
    assert!(names.len() >= 2, "{solved}");
    for name in &names {
        assert!(output(&["check", name]).contains(" wins on side 3"), "{name}");
    }
    fs::write(&names[0], "kept").unwrap();
    fs::remove_file(&names[1]).unwrap();
    output(&proven);
    assert_eq!(fs::read_to_string(&names[0]).unwrap(), "kept");
    assert!(output(&["check", &names[1]]).contains(" wins on side 3"));
    assert_eq!(fs::read_to_string(&out).unwrap(), solved, "no position is solved or answered again");
}

#[cfg(target_os = "linux")]
#[test]
fn a_proof_is_written_although_the_value_cannot_be_printed() {
    let directory = Scratch::folder("full");
    let file = directory.within("a1.proof");
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args(["solve", "prove", "--memory", "16", "--side", "3", "--out", &file, "a1"]);
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let run = command.stdout(full).output().unwrap();
    let errors = text(&run.stderr);
    assert!(run.status.code() == Some(2) && errors.contains("error: cannot write the result"), "{errors}");
    assert!(output(&["check", &file]).starts_with("white wins on side 3"));
}

/// The other positions are still solved, and nothing that was found is lost.
#[test]
fn a_proof_that_cannot_be_written_is_reported_and_passed_over() {
    let directory = Scratch::folder("unwritten-proofs");
    let [positions, out, proofs] = ["positions", "out", "proofs"].map(|name| directory.within(name));
    fs::write(&positions, "{\"side\":3,\"moves\":[\"a1\"]}\n{\"side\":3,\"moves\":[\"a2\"]}\n").unwrap();
    let taken = format!("{proofs}/3-a1.proof");
    fs::create_dir_all(&taken).unwrap();
    let arguments = ["batch", &positions, "--out", &out, "--resume", "--quiet", "--proofs", &proofs];
    // Also when everything is solved, and once for a position that repeats.
    let line = "{\"side\":3,\"moves\":[\"a1\"]}\n";
    for again in ["", line] {
        fs::OpenOptions::new().append(true).open(&positions).unwrap().write_all(again.as_bytes()).unwrap();
        let run = solve(&arguments);
        let errors = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{errors}");
        assert!(errors.starts_with(&format!("error: {taken}: ")), "{errors}");
        assert!(errors.ends_with("error: 1 proof could not be written\n"), "{errors}");
        assert_eq!(errors.lines().count(), 2, "{errors}");
    }
    assert_eq!(lines(&fs::read_to_string(&out).unwrap()).len(), 3);
    assert!(output(&["check", &format!("{proofs}/3-a2.proof")]).contains(" wins on side 3"));
    fs::remove_dir(&taken).unwrap();
    output(&arguments);
    assert!(output(&["check", &taken]).contains(" wins on side 3"));
}

/// What `malecon solve batch -` answers to this input.
fn answers_to(input: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args(["solve", "batch", "-"]).args(arguments);
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    process.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = process.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// The answer to a position comes before the next one, and again if it is asked again.
#[test]
fn positions_of_standard_input_are_answered_as_they_come() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args(["solve", "batch", "-", "--nodes", "200000"]);
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = process.stdin.take().unwrap();
    let mut answers = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut ask = |line: &str| -> Value {
        writeln!(input, "{line}").unwrap();
        serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap()
    };
    let side_3 = "{\"side\":3,\"moves\":[]}";
    assert_eq!(ask(side_3)["value"], "white");
    assert_eq!(ask("{\"side\":4,\"moves\":[\"a1\",\"e5\"]}")["value"], "white");
    // A bad line gets no answer.
    let long = " ".repeat(100_000);
    let again = ask(&format!("{{\"side\":3,\"moves\":[\"z9\"]}}\n\n{{{long}\n{side_3}"));
    assert_eq!(again["value"], "white");
    drop(input);
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = "error: standard input:3: vertex z9 is not on the board of side 3\n\
                   error: standard input:5: the line is longer than 65536 bytes\n\
                   error: 2 lines of standard input are not positions to solve\n";
    assert_eq!(text(&output.stderr), message);
    let answers =
        answers_to("{\"side\":3,\"moves\":[\"a1\"]}\n\n{\"side\":3,\"moves\":[\"b2\"]}\n", &["--shard", "2/2"]);
    assert_eq!(lines(&answers).iter().map(|line| line["moves"][0].as_str()).collect::<Vec<_>>(), [Some("b2")]);
    let refused = solve(&["batch", "-", "--proof", "x.proof"]);
    assert!(text(&refused.stderr).starts_with("error: one proof of all positions needs a file of them"));
}

#[test]
fn a_line_that_is_no_position_is_named() {
    let directory = Scratch::folder("lines");
    let positions = directory.within("positions");
    let no_board = "a position has a side, a board or a position, such as \"side\": 4, \"board\": \"4-4-5\" or \
                    \"position\": \"4/5/6/7/6/5/4 w\"";
    for (line, message) in [
        ("{\"side\":3,\"moves\":[\"a1\",\"a1\"]}", "a1: the vertex is occupied"),
        ("{\"side\":9,\"moves\":[]}", "side 9 is too large for the solver (expected side 2 to 6)"),
        ("a1 e5", "not a position such as {\"side\": 4, \"moves\": [\"a1\", \"e5\"]}: expected value at column 1"),
        ("{\"side\":3,\"moves\":[],\"to_move\":\"red\"}", "invalid colour 'red' (expected white, black, w or b)"),
        ("{\"moves\":[]}", no_board),
        ("{\"side\":4,\"board\":\"4-4-5\",\"moves\":[]}", no_board),
        (
            "{\"board\":\"4-4\",\"moves\":[]}",
            "invalid board '4-4' (expected three side lengths from 2 to 13, such as 4-4-5)",
        ),
        (
            "{\"board\":\"6-7-7\",\"moves\":[]}",
            "board 6-7-7 is too large for the solver (expected at most 121 pairs of a letter and a number; it has 13 × 12)",
        ),
    ] {
        fs::write(&positions, format!("{{\"side\":3,\"moves\":[]}}\n{line}\n")).unwrap();
        let output = solve(&["batch", &positions]);
        assert_eq!(text(&output.stderr), format!("error: {positions}:2: {message}\n"));
        assert_eq!(output.status.code(), Some(2));
    }
}

/// The other player may be to move than alternating moves say. Each position has a proof of its own.
#[test]
fn the_player_to_move_can_be_given() {
    let directory = Scratch::folder("to-move");
    let [positions, proofs] = ["positions", "proofs"].map(|name| directory.within(name));
    let boards = ["\"side\":3,\"moves\":[\"a1\",\"c3\"]", "\"position\":\"3/4/5/4/3 w\",\"moves\":[]"];
    let text: String = boards
        .iter()
        .flat_map(|board| ["w", "b"].map(|color| format!("{{{board},\"to_move\":\"{color}\"}}\n")))
        .collect();
    fs::write(&positions, text).unwrap();
    let solved = lines(&output(&["batch", &positions, "--proofs", &proofs]));
    for (i, name) in ["3-a1-c3", "3-a1-c3-b", "3.4.5.4.3-w-", "3.4.5.4.3-w--b"].into_iter().enumerate() {
        let [letter, color] = [["w", "white"], ["b", "black"]][i % 2];
        let moves = if i < 2 { serde_json::json!(["a1", "c3"]) } else { serde_json::json!([]) };
        assert_eq!((&solved[i]["to_move"], &solved[i]["moves"]), (&letter.into(), &moves));
        let proven = json(&["check", &format!("{proofs}/{name}.proof"), "--json"])["proven"][0].clone();
        assert_eq!((&proven["to_move"], &proven["winner"]), (&color.into(), &solved[i]["value"]), "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interruption_ends_the_work_with_what_was_done() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args(["solve", "--side", "6", "--memory", "16"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = crate::processes::interrupted(command.spawn().unwrap());
    assert_eq!(output.status.code(), Some(130));
    let text = text(&output.stdout);
    assert!(text.starts_with("unknown\n") && text.contains(" nodes in "), "{text}");
}

/// A writer of a proof dies when its checkpoint would grow past a size, in the middle of a write and without a word, as
/// from `kill -9`.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_writer_continues_at_its_checkpoint() {
    use std::os::unix::process::ExitStatusExt;
    let directory = Scratch::folder("killed");
    // Visited positions, unless the program dies.
    let prove = |name: &str, most_kib: Option<u32>| {
        let limit = most_kib.map_or("unlimited".into(), |kib| (2 * kib).to_string());
        let script = format!("ulimit -c 0 && ulimit -f {limit} && exec \"$0\" \"$@\"");
        let [proof, checkpoint] = ["proof", "moves"].map(|end| directory.within(&format!("{name}.{end}")));
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_malecon"), "solve", "prove", "--side", "4", "--memory", "16"]);
        command.args(["--for", "white", "--out", &proof, "--checkpoint", &checkpoint, "b3", "f4"]);
        let output = command.output().unwrap();
        assert_eq!(output.status.success(), Path::new(&proof).exists());
        if let Some(signal) = output.status.signal() {
            assert_eq!((signal, fs::metadata(&checkpoint).unwrap().len()), (25, 1024 * u64::from(most_kib.unwrap())));
            return None;
        }
        assert!(json(&["check", &proof, "--json"])["proven"].is_array());
        let said = text(&output.stderr);
        Some(said.split(" bytes, ").nth(1).unwrap().split(' ').next().unwrap().parse::<u64>().unwrap())
    };
    let whole = prove("whole", None).unwrap();
    assert_eq!([5, 13, 30].map(|kib| prove("killed", Some(kib))), [None; 3]);
    let rest = prove("killed", None).unwrap();
    assert!(0 < rest && rest < whole * 3 / 4, "{rest} of {whole}");
}

#[test]
fn gtp_solves_the_position_on_the_board() {
    let mut client = Client::start(&["--set", "memory=16"]);
    client.tell("boardsize 3");
    client.tell("play white a1");
    assert_eq!(client.tell("solve 100"), "white");
    client.tell("play black c3");
    let answer = client.tell("solve");
    let vertex = answer.strip_prefix("white ").unwrap_or_else(|| panic!("{answer}"));
    client.tell(&format!("play white {vertex}"));
    assert_eq!(client.tell("solve"), "white");
    assert!(client.ask("solve soon").unwrap_err().contains("invalid SECONDS 'soon'"));
    client.tell("boardsize 6");
    assert_eq!(client.tell("solve 0.01"), "unknown");
    client.tell("boardsize 7");
    let error = client.ask("solve 1").unwrap_err();
    assert_eq!(error, "side 7 is too large for the solver (expected side 2 to 6)");
    client.tell("boardsize 2");
    client.tell("playgame a1 c3 b1");
    assert_eq!(client.ask("solve").unwrap_err(), "the game is over: there is nothing to solve");
    assert!(client.end_input().success());
}
