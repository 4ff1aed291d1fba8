//! How a match is saved and resumed.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::scratch::Scratch;
use super::{error_message, match_of, report, trials};

trials!(
    games_are_saved_as_lines_and_as_sgf,
    a_killed_match_is_resumed_without_losing_or_repeating_a_game,
    a_last_game_without_a_line_end_is_kept,
    a_match_may_grow,
    a_transcript_goes_on_with_its_match,
    a_match_with_other_settings_is_not_resumed,
    games_depend_on_the_seed_but_not_on_the_concurrency,
    a_page_does_not_take_the_place_of_the_games,
    a_match_of_any_length_is_prepared_at_once,
);

/// The games in a directory, by number. Fails if two have the same number.
fn games(out: &Path) -> BTreeMap<u64, Value> {
    let text = fs::read_to_string(out.join("games.jsonl")).unwrap();
    let mut games = BTreeMap::new();
    for line in text.lines() {
        let game: Value = serde_json::from_str(line).unwrap();
        let number = game["game"].as_u64().unwrap();
        assert!(games.insert(number, game).is_none(), "game {number} is recorded twice");
    }
    games
}

fn games_are_saved_as_lines_and_as_sgf() {
    let directory = Scratch::folder("saved");
    let out = directory.join("deep/er");
    report(match_of(&[("A]", "perfect"), ("B", "perfect")]).args(["--games", "4", "--out"]).arg(&out));
    let games = games(&out);
    assert_eq!(games.len(), 4);
    for (number, game) in &games {
        let keys = ["side", "white", "black", "moves", "winner", "by", "opening", "seconds"];
        assert!(keys.iter().all(|key| game.get(key).is_some()), "{game}");
        let moves = game["moves"].as_array().unwrap();
        let opening = game["opening"].as_array().unwrap();
        assert_eq!(opening[..], moves[..2]);
        assert_eq!(game["seconds"].as_array().unwrap().len(), moves.len());
        assert_eq!((&game["seconds"][0], &game["side"]), (&0.0.into(), &4.into()));
        assert_eq!(game["white"], if number % 2 == 0 { "A]" } else { "B" });
        let sgf = fs::read_to_string(out.join(format!("game-{:06}.sgf", number + 1))).unwrap();
        let winner = if game["winner"] == "white" { "W+" } else { "B+" };
        for part in [
            "(;FF[4]",
            "SZ[4]",
            "[A\\]]",
            &format!("RE[{winner}]"),
            &format!("\n;W[{}];B[", moves[0].as_str().unwrap()),
        ] {
            assert!(sgf.contains(part), "{part} is missing in {sgf}");
        }
        assert_eq!(sgf.matches(";W[").count() + sgf.matches(";B[").count(), moves.len());
    }
    assert_eq!(games[&0]["opening"], games[&1]["opening"]);
    assert_ne!(games[&0]["opening"], games[&2]["opening"]);
}

fn a_killed_match_is_resumed_without_losing_or_repeating_a_game() {
    let directory = Scratch::folder("killed");
    let out = directory.join("out");
    let command = || {
        let mut command = match_of(&[("A", "napping"), ("B", "napping")]);
        command.args(["--games", "30", "--concurrency", "2", "--out"]).arg(&out).arg("--resume");
        command
    };
    let path = out.join("games.jsonl");
    for least in [3, 10] {
        let mut child = command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(120);
        while fs::read_to_string(&path).map_or(0, |text| text.lines().count()) < least {
            assert!(Instant::now() < deadline, "no games are played");
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // The kill may come in the middle of a line.
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"side\":4,\"whi").unwrap();
    }
    let before = fs::read_to_string(&path).unwrap();
    let report = report(&mut command());
    assert_eq!(report["games"], 30);
    let after = fs::read_to_string(&path).unwrap();
    assert!(after.starts_with(before.trim_end_matches("{\"side\":4,\"whi")), "finished games are kept");
    assert_eq!(games(&out).into_keys().collect::<Vec<_>>(), (0..30).collect::<Vec<_>>());

    let report = super::report(&mut command());
    assert_eq!(
        (&report["games"], fs::read_to_string(&path).unwrap()),
        (&30.into(), after),
        "all games have been played"
    );
}

/// The next game must not be appended to the same line.
fn a_last_game_without_a_line_end_is_kept() {
    let directory = Scratch::folder("line-end");
    let out = directory.join("out");
    let command = |games: &str| {
        let mut command = match_of(&[("A", "perfect"), ("B", "perfect")]);
        command.args(["--games", games, "--resume", "--openings", "random:2", "--out"]).arg(&out);
        command
    };
    report(&mut command("4"));
    let path = out.join("games.jsonl");
    let before = fs::read_to_string(&path).unwrap();
    fs::write(&path, before.trim_end()).unwrap();
    assert_eq!(report(&mut command("6"))["games"], 6);
    assert!(fs::read_to_string(&path).unwrap().starts_with(&before));
    assert_eq!(games(&out).len(), 6);
}

/// What was said before stays, also if nothing is left to play; without --resume, it makes way.
fn a_transcript_goes_on_with_its_match() {
    let directory = Scratch::folder("transcript-resumed");
    let (out, file) = (directory.join("out"), directory.join("said.txt"));
    let play = |out: &Path, games: &str, more: &[&str]| {
        let mut command = match_of(&[("A", "perfect"), ("B", "resigning")]);
        command.args(["--games", games, "--openings", "random:2", "--out"]).arg(out).args(more);
        report(command.arg("--transcript").arg(&file));
        fs::read_to_string(&file).unwrap()
    };
    let first = play(&out, "2", &[]);
    let whole = play(&out, "4", &["--resume"]);
    assert!(whole.starts_with(&first) && whole.contains(" game 4 ") && !first.contains(" game 4 "), "{whole}");
    assert!(play(&out, "4", &["--resume"]).starts_with(&whole));
    let other = play(&directory.join("other"), "2", &[]);
    assert!(!other.contains(" game 4 ") && other.contains(" game 2 "), "{other}");
    // A match that is refused leaves it alone.
    let mut command = match_of(&[("A", "perfect"), ("B", "resigning")]);
    error_message(command.args(["--games", "2", "--out"]).arg(&out).arg("--transcript").arg(&file));
    assert_eq!(fs::read_to_string(&file).unwrap(), other);
}

fn a_match_may_grow() {
    let directory = Scratch::folder("grown");
    let out = directory.join("out");
    for games in ["4", "10"] {
        let mut command = match_of(&[("A", "perfect"), ("B", "perfect")]);
        report(command.args(["--games", games, "--resume", "--openings", "random:2", "--out"]).arg(&out));
    }
    assert_eq!(games(&out).len(), 10);
}

fn a_match_with_other_settings_is_not_resumed() {
    let directory = Scratch::folder("other");
    let out = directory.join("out");
    let command = |arguments: &[&str]| {
        let mut command = match_of(&[("A", "perfect"), ("B", "perfect")]);
        command.arg("--out").arg(&out).args(arguments);
        command
    };
    report(&mut command(&["--games", "4"]));
    assert!(error_message(&mut command(&[])).contains("--resume"));
    for (arguments, name) in [
        (vec!["--seed", "2"], "seed"),
        (vec!["--time", "5"], "limit"),
        (vec!["--openings", "random:3"], "openings"),
        (vec!["--init", "A=nap 1"], "engines"),
        (vec!["--shard", "1/2"], "shard"),
        (vec!["--margin", "9"], "margin"),
    ] {
        let message = error_message(command(&["--resume"]).args(arguments));
        assert!(message.contains(&format!("{name} was")), "{message}");
    }
    assert!(error_message(&mut command(&["--resume", "--games", "2"])).contains("more games"));
    let path = out.join("games.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen('{', "[", 1)).unwrap();
    assert!(error_message(&mut command(&["--resume"])).contains("games.jsonl:1: "));
    assert_eq!(fs::read_to_string(&path).unwrap().len(), text.len());
}

fn games_depend_on_the_seed_but_not_on_the_concurrency() {
    let directory = Scratch::folder("seed");
    let moves = |name: &str, arguments: &[&str]| -> Vec<Value> {
        let out = directory.join(name);
        let mut command = match_of(&[("A", "perfect"), ("B", "perfect")]);
        report(command.args(["--games", "20", "--out"]).arg(&out).args(arguments));
        games(&out).into_values().map(|game| game["moves"].clone()).collect()
    };
    let one = moves("one", &[]);
    assert_eq!(one, moves("three", &["--concurrency", "3"]));
    assert_eq!(one, moves("restart", &["--restart"]));
    assert_ne!(one, moves("seed", &["--seed", "2"]));
}

fn a_page_does_not_take_the_place_of_the_games() {
    let directory = Scratch::folder("page-apart");
    let out = directory.join("out");
    let mut command = match_of(&[("a", "perfect"), ("b", "perfect")]);
    command.args(["--games", "2", "--out"]).arg(&out).arg("--html").arg(out.join("games.jsonl"));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("games.jsonl is written twice"), "{output:?}");
    assert!(!out.exists());
}

/// Nothing is made for games that are not played yet. The second engine cannot be started, which ends the match.
fn a_match_of_any_length_is_prepared_at_once() {
    for (side, games, is_prepared) in
        [("8", "9223372036854775807", true), ("8", "1000000000", true), ("3", "100000000", false)]
    {
        let mut command = std::process::Command::new("sh");
        let script = "ulimit -v 1000000; ulimit -t 20; exec \"$0\" \"$@\"";
        command.args(["-c", script, env!("CARGO_BIN_EXE_malecon"), "match", "--side", side, "--games", games]);
        command.args(["--engine", "a=no such program", "--engine", "b=no such program"]);
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        let expected = if is_prepared { (Some(1), "engine 'a': cannot start") } else { (Some(2), " has only ") };
        assert!(output.status.code() == expected.0 && error.contains(expected.1), "{side}, {games}: {error}");
    }
}
