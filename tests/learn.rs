//! `malecon learn play` with shards and interruptions, and the other commands of `malecon learn`.

use std::collections::BTreeSet;
use std::fs;

use malecon::engine::session::first_stones::{FirstStones, classes};
use serde_json::Value;

use crate::gtp_client::run;
use crate::scratch::Scratch;

/// Runs `malecon learn`. Returns the exit status, stdout and stderr.
fn learn(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(&[&["learn"], arguments].concat(), b"");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const SETTINGS: [[&str; 2]; 4] = [["--sides", "3,4"], ["--simulations", "40"], ["--short", "20"], ["--seed", "5"]];

/// The arguments of a small run of self-play into this file. Those in `more` take the place of [`SETTINGS`].
fn play<'a>(file: &'a Scratch, more: &[&'a str]) -> Vec<&'a str> {
    let settings: Vec<&str> = SETTINGS.iter().filter(|[name, _]| !more.contains(name)).flatten().copied().collect();
    [&["play", "--games", "9", "--out", file.path()], &settings[..], more].concat()
}

/// Plays games, and returns the text of the file.
fn played(file: &Scratch, more: &[&str]) -> String {
    let (status, _, error) = learn(&play(file, more));
    assert_eq!(status, Some(0), "{error}");
    fs::read_to_string(file.path()).unwrap()
}

fn lines(text: &str) -> BTreeSet<&str> {
    assert!(text.ends_with('\n'));
    text.lines().collect()
}

#[test]
fn shards_are_the_whole_run_with_any_number_of_threads() {
    let whole = played(&Scratch::new("whole.jsonl"), &[]);
    assert_eq!(whole.lines().count(), 9);
    for (i, line) in whole.lines().enumerate() {
        let game: Value = serde_json::from_str(line).unwrap();
        assert_eq!((game["game"].as_u64(), game["seed"].as_u64()), (Some(i as u64), Some(5)));
        assert!(whole.contains(game["network"].as_str().unwrap()));
    }
    let shards = ["1/4", "2/4", "3/4", "4/4"].map(|shard| {
        let file = Scratch::new(&format!("shard-{}.jsonl", &shard[..1]));
        played(&file, &["--shard", shard])
    });
    assert_eq!(shards.iter().map(|shard| shard.lines().count()).collect::<Vec<_>>(), [3, 2, 2, 2]);
    assert_eq!(lines(&shards.concat()), lines(&whole));
    let threads = played(&Scratch::new("threads.jsonl"), &["--threads", "3"]);
    assert_eq!(lines(&threads), lines(&whole));
}

#[test]
fn interrupted_runs_are_resumed() {
    let file = Scratch::new("resumed.jsonl");
    let whole = played(&file, &["--resume"]);
    let ends: Vec<usize> = whole.match_indices('\n').map(|(i, _)| i + 1).collect();
    // Between two lines, within a line, before a line end, at the end, and at the start.
    for length in [ends[3], ends[3] + 1, ends[3] + 60, ends[5] - 2, ends[5] - 1, whole.len(), 0] {
        fs::write(file.path(), &whole[..length]).unwrap();
        assert_eq!(played(&file, &["--resume"]), whole, "{length} bytes");
    }
    // What a file system may leave after a power failure.
    for length in [ends[3], ends[3] + 60] {
        fs::write(file.path(), whole[..length].to_owned() + &"\0".repeat(4096)).unwrap();
        assert_eq!(played(&file, &["--resume"]), whole, "{length} bytes and NULs");
    }
    // With threads, any game may be missing.
    let without_third: String =
        whole.split_inclusive('\n').enumerate().filter(|(i, _)| *i != 2).map(|(_, l)| l).collect();
    fs::write(file.path(), without_third).unwrap();
    assert_eq!(lines(&played(&file, &["--resume"])), lines(&whole));
}

/// A limit on the length of files takes the place of a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_whole_lines() {
    let whole = played(&Scratch::new("roomy.jsonl"), &[]);
    for threads in ["1", "3"] {
        let file = Scratch::new(&format!("full-{threads}.jsonl"));
        let arguments = [&["learn"], &play(&file, &["--threads", threads])[..]].concat();
        let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", whole.len() / 2 / 512);
        let mut command = std::process::Command::new("sh");
        let output = command.args(["-c", &script, env!("CARGO_BIN_EXE_malecon")]).args(arguments).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert_eq!(error.matches(file.path()).count(), 1, "{error}");
        let text = fs::read_to_string(file.path()).unwrap();
        assert!(!text.is_empty() && lines(&text).is_subset(&lines(&whole)));
        assert_eq!(lines(&played(&file, &["--resume"])), lines(&whole));
    }
}

#[test]
fn a_file_of_other_games_is_not_touched() {
    let file = Scratch::new("other.jsonl");
    let whole = played(&file, &[]);
    let mut old = whole.clone();
    for key in ["game", "seed", "network", "settings"] {
        let from = old.find(&format!(",\"{key}\"")).unwrap();
        let to = old[from + 1..].find([',', '}']).unwrap() + from + 1;
        old.replace_range(from..to, "");
    }
    let twice = whole.lines().next().unwrap().to_owned() + "\n";
    for (content, arguments, reason) in [
        (&whole, &[][..], "already has 9 games (use --resume"),
        (&whole, &["--resume", "--seed", "6"], "game 1 of the file: its seed is 5 (expected 6)"),
        (&whole, &["--resume", "--shard", "1/2"], "game 2 of the file: game 1 is not in shard 1/2"),
        (&whole, &["--resume", "--short", "21"], "it was played with other settings"),
        (&whole, &["--resume", "--sides", "4"], "it was played with other settings"),
        (&whole, &["--resume", "--set", "c_puct=0.9"], "it was played with other settings"),
        (&whole.replace("\"network\":\"", "\"network\":\"0"), &["--resume"], "its network is 0"),
        (&old, &["--resume"], "game 1 of the file: it has no number"),
        (&twice.repeat(2), &["--resume"], "game 2 of the file: game 0 is there twice"),
        (
            &(twice.clone() + "no game\n"),
            &["--resume"],
            ":2: not a game as 'malecon learn play' writes it: expected ident at column 2",
        ),
        (&"a letter without a line end".to_owned(), &["--resume"], ":1: not a game as"),
    ] {
        fs::write(file.path(), content).unwrap();
        let (status, _, error) = learn(&play(&file, arguments));
        assert!(status == Some(1) && error.contains(reason) && error.contains(file.path()), "{arguments:?}: {error}");
        assert_eq!(&fs::read_to_string(file.path()).unwrap(), content);
    }
}

/// Lines of older versions have no numbers. They can still be trained on.
#[test]
fn older_files_are_read() {
    let line =
        r#"{"side":3,"moves":["a1","b2"],"opening":1,"winner":"white","searched":[{"value":0.5,"visits":[["c3",4]]}]}"#;
    let game: malecon::tools::learn::SelfPlayGame = line.parse().unwrap();
    assert_eq!(game.origin, None);
    assert_eq!(serde_json::to_string(&game).unwrap(), line);
}

#[test]
fn samples_are_exported_once() {
    let games = Scratch::new("exported.jsonl");
    // A game that is still being written is left out.
    let text = played(&games, &[]) + "{\"side\":3,";
    fs::write(games.path(), text).unwrap();
    let out = Scratch::new("samples");
    let export = |more: &[&str]| learn(&[&["export", "--games", games.path(), "--out", out.path()], more].concat());
    let (status, text, message) = export(&["--finish", "20"]);
    assert!(status == Some(0) && text.is_empty() && message.starts_with("9 games ("), "{message}");
    let manifest = fs::read_to_string(format!("{}/export.json", out.path())).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!((&manifest["features"]["count"], &manifest["games"]), (&Value::from(127), &Value::from(9)));
    for side in manifest["sides"].as_object().unwrap().keys() {
        for array in ["features", "policy", "ending", "targets"] {
            assert!(fs::metadata(format!("{}/side-{side}/{array}.npy", out.path())).unwrap().len() > 384);
        }
    }
    let (status, _, error) = export(&[]);
    let expected = format!("error: {} already exists (samples get a new directory)\n", out.path());
    assert_eq!((status, error), (Some(1), expected));
}

/// A run that was killed leaves an incomplete directory, and one that fails leaves nothing.
#[test]
fn a_failed_export_does_not_block_the_next() {
    let (games, out) = (Scratch::new("retried.jsonl"), Scratch::new("retried-samples"));
    let whole = played(&games, &[]);
    let export = || learn(&["export", "--games", games.path(), "--out", out.path(), "--finish", "0"]);
    let incomplete = format!("{}.incomplete", out.path());
    fs::create_dir(&incomplete).unwrap();
    fs::write(format!("{incomplete}/export.json"), "half").unwrap();
    fs::write(games.path(), "{}\n").unwrap();
    assert_eq!(export().0, Some(1));
    assert!(!fs::exists(out.path()).unwrap());
    fs::write(games.path(), whole).unwrap();
    let (status, _, message) = export();
    assert!(status == Some(0) && message.contains("9 games ("), "{message}");
    assert!(!fs::exists(incomplete).unwrap() && fs::exists(format!("{}/export.json", out.path())).unwrap());
}

#[test]
fn two_processes_do_not_export_to_one_directory() {
    let (games, out) = (Scratch::new("shared.jsonl"), Scratch::new("shared-samples"));
    played(&games, &[]);
    let lock = format!("{}.lock", out.path());
    let held = fs::File::create(&lock).unwrap();
    held.lock().unwrap();
    let export = || learn(&["export", "--games", games.path(), "--out", out.path(), "--finish", "0"]);
    let (status, _, error) = export();
    assert!(status == Some(1) && error.contains("another process is writing"), "{error}");
    // Its owner has ended.
    held.unlock().unwrap();
    assert_eq!(export().0, Some(0));
    assert!(!fs::exists(&lock).unwrap());
}

/// The fifth of the human games that measures is not learned from.
#[test]
fn human_games_that_are_held_out_are_not_exported() {
    let (games, out) = (Scratch::file("human.jsonl", GAMES), Scratch::new("human-samples"));
    let (status, _, message) = learn(&["export", "--human", games.path(), "--out", out.path(), "--finish", "0"]);
    assert!(status == Some(0) && message.contains("1 games ("), "{message}");
}

/// Before the first search.
#[test]
fn openings_that_cannot_be_written_are_refused_at_once() {
    let missing = format!("{}-missing/openings.txt", Scratch::new("openings").path());
    let (status, _, error) = learn(&["balanced", "--side", "4", "--count", "1000000", "--out", &missing]);
    assert!(status == Some(1) && error.contains(&missing) && error.lines().count() == 1, "{error}");
}

/// Also where they come from two files.
#[test]
fn a_game_counts_once() {
    let [games, copy, out] = ["once.jsonl", "copy.jsonl", "once-samples"].map(Scratch::new);
    let text = played(&games, &[]);
    fs::write(copy.path(), text.clone() + text.lines().next().unwrap() + "\n").unwrap();
    let (status, _, message) =
        learn(&["export", "--games", games.path(), copy.path(), "--out", out.path(), "--finish", "0"]);
    assert!(status == Some(0) && message.contains("note: ignored 10 duplicate games\n"), "{message}");
    assert!(message.contains("\n9 games ("), "{message}");
}

/// A count takes no memory, however large: the work begins, and ends with the processor time that it is given.
#[cfg(target_os = "linux")]
#[test]
fn huge_counts_are_only_numbers() {
    use std::os::unix::process::ExitStatusExt;
    let file = Scratch::new("huge.jsonl");
    let [huge, most_games] = ["9223372036854775807", "4294967295"];
    let short = ["--simulations", "10", "--out", file.path()];
    for (arguments, file_grows) in [
        ([&["learn", "play", "--sides", "3", "--short", "5", "--games", most_games][..], &short].concat(), true),
        ([&["learn", "calibrate", "--sides", "3", "--playing", "5", "--positions", huge][..], &short].concat(), true),
        (vec!["learn", "costs", "--side", "3", "--searches", huge, "--out", file.path()], true),
        (vec!["solve", "openings", "--side", "3", "8", "--random", huge], false),
    ] {
        let _ = fs::remove_file(file.path());
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "ulimit -c 0; ulimit -t 1; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_malecon")]);
        let output = command.args(&arguments).stdout(std::process::Stdio::null()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.signal(), Some(9 | 24)), "{arguments:?}: {:?}: {error}", output.status);
        assert_eq!(fs::metadata(file.path()).is_ok_and(|file| file.len() > 0), file_grows, "{arguments:?}: {error}");
    }
}

/// The table has a line for each board that has one, and the others are named.
#[test]
fn boards_with_few_positions_are_left_out_of_a_calibration() {
    let [positions, table] = ["calibration.jsonl", "chance.txt"].map(Scratch::new);
    let line = |side: u64, number: u64| {
        let value = 0.05 + 0.9 * (number as f64 / 60.0);
        let result = f64::from(u8::from(number.is_multiple_of(7) != (value > 0.5)));
        format!(
            "{{\"side\":{side},\"number\":{number},\"moves\":[],\"human\":false,\"value\":{value},\"proven\":false,\
             \"result\":{result},\"settings\":\"\"}}\n"
        )
    };
    let calibrate = |text: String| {
        fs::write(positions.path(), text).unwrap();
        let fit = ["calibrate", "--positions", "0", "--resume", "--out", positions.path(), "--table", table.path()];
        learn(&fit)
    };
    let few: String = (0..49).map(|number| line(5, number)).collect();
    let (status, found, message) = calibrate(few.clone() + &(0..60).map(|number| line(6, number)).collect::<String>());
    assert!(status == Some(0) && found.lines().count() == 3 && found.contains("\n   6        60      0 "), "{found}");
    assert_eq!(message, "note: left out side 5: it has fewer than 50 positions that are not proven\n");
    let fitted = fs::read_to_string(table.path()).unwrap();
    assert!(fitted.lines().filter(|line| !line.starts_with('#')).all(|line| line.starts_with("6 ")), "{fitted}");
    let (status, _, message) = calibrate(few);
    assert!(status == Some(1) && message.contains("\nerror: there is no board with enough positions"), "{message}");
    assert_eq!(fs::read_to_string(table.path()).unwrap(), fitted);
}

#[test]
fn solved_positions_are_exported() {
    let [positions, results, out] = ["positions.jsonl", "results.jsonl", "exact-samples"].map(Scratch::new);
    let solve = |arguments: &[&str]| run(&[&["solve"], arguments].concat(), b"");
    let random = solve(&["openings", "--side", "3", "4", "--random", "12"]);
    fs::write(positions.path(), random.stdout).unwrap();
    assert!(solve(&["batch", positions.path(), "--out", results.path(), "--quiet"]).status.success());
    let export = || learn(&["export", "--solved", results.path(), "--out", out.path(), "--finish", "20"]);
    let (status, _, message) = export();
    assert!(status == Some(0) && message.ends_with(", 12 samples\n"), "{message}");
    fs::remove_dir_all(out.path()).unwrap();
    let text = fs::read_to_string(results.path()).unwrap();
    fs::write(results.path(), text + "{\"side\":3}\n").unwrap();
    let (status, _, error) = export();
    assert!(status == Some(1) && error.contains(&format!("{}:13: ", results.path())), "{error}");
}

#[test]
fn costs_of_winning_moves_are_measured_and_exported() {
    let [alone, together, out] = ["costs-1.jsonl", "costs-3.jsonl", "cost-samples"].map(Scratch::new);
    let measure = |file: &Scratch, threads| {
        let arguments = ["costs", "--side", "4", "--stones", "9", "10", "--searches", "3", "--threads", threads];
        learn(&[&arguments[..], &["--out", file.path()]].concat())
    };
    for (file, threads) in [(&alone, "1"), (&together, "3")] {
        let (status, _, error) = measure(file, threads);
        assert_eq!(status, Some(0), "{error}");
    }
    let text = fs::read_to_string(alone.path()).unwrap();
    assert!(text.lines().any(|line| line.contains("\"costs\":[[")));
    assert_eq!(lines(&text), lines(&fs::read_to_string(together.path()).unwrap()));
    let (status, _, error) = measure(&alone, "1");
    assert!(status == Some(1) && error.contains(alone.path()), "{error}");
    let (status, _, message) = learn(&["export", "--solved", alone.path(), "--out", out.path(), "--finish", "0"]);
    assert!(status == Some(0) && message.ends_with(&format!(", {} samples\n", text.lines().count())), "{message}");
    fs::remove_dir_all(out.path()).unwrap();
    for (arguments, reason) in [
        (&["--side", "7"][..], "side 7 is too large for the solver (expected side 2 to 6"),
        (&["--stones", "9", "8"], "'9 8' (expected two numbers up to 18"),
        (&["--stones", "9", "19"], "'9 19'"),
    ] {
        let (status, _, error) = learn(&[&["costs", "--out", out.path()], arguments].concat());
        assert!(status == Some(2) && error.contains(reason), "{error}");
    }
}

const GAMES: &str = r#"{"id":"lg-0","side":4,"moves":["d4","a1","d5","a2"],"winner":"w","by":"resign"}
{"id":"lg-1","side":4,"swapped":true,"moves":["d4","a1","d5","a2"],"winner":"w","by":"resign"}
{"id":"lg-2","side":5,"moves":["a1"],"winner":null,"by":null}
{"id":"lg-10","side":3,"moves":["a1","c3","a2","c4","a3"],"winner":"w","by":["bridge"]}
"#;

fn test(more: &[&str]) -> (Option<i32>, String, String) {
    let file = Scratch::new("games.jsonl");
    fs::write(file.path(), GAMES).unwrap();
    learn(&[&["test", "--games", file.path()], more].concat())
}

/// Side length, quarter and number of positions of each row of quarters.
fn rows(json: &Value) -> Vec<[u64; 3]> {
    let number = |row: &Value, key: &str| row[key].as_u64().unwrap();
    let rows = json["quarters"].as_array().unwrap().iter();
    rows.map(|row| ["side", "quarter", "positions"].map(|key| number(row, key))).collect()
}

fn json(more: &[&str]) -> Value {
    let (status, text, error) = test(&[&["--json"], more].concat());
    assert_eq!((status, &error[..]), (Some(0), ""));
    serde_json::from_str(&text).unwrap()
}

#[test]
fn games_are_measured_by_side_and_quarter() {
    let all = json(&[]);
    let quarters_of_4 = [[4, 1, 2], [4, 2, 2], [4, 3, 2], [4, 4, 2]];
    assert_eq!(rows(&all), [&[[3, 1, 2], [3, 2, 1], [3, 3, 1], [3, 4, 1]], &quarters_of_4[..]].concat());
    assert_eq!((&all["games"]["read"], &all["games"]["without_winner"]), (&Value::from(4), &Value::from(1)));
    for row in all["quarters"].as_array().unwrap() {
        assert!((0.0..8.0).contains(&row["log_loss"].as_f64().unwrap()));
        assert!(["accuracy", "first_choice"].iter().all(|key| (0.0..=1.0).contains(&row[key].as_f64().unwrap())));
    }
    assert_eq!(rows(&json(&["--sides", "4,8"])), quarters_of_4);
    let held_out = json(&["--held-out", "--only", "quarters"]);
    assert_eq!(held_out["games"]["measured"], 2);
    assert_eq!(rows(&held_out)[4..], quarters_of_4.map(|[side, quarter, _]| [side, quarter, 1]));
}

#[test]
fn searches_and_networks_of_files_are_measured() {
    let builtin = Scratch::new("builtin.bin");
    malecon::network::Network::builtin().save(builtin.path().as_ref()).unwrap();
    let [of_file, own] = [&["--sides", "4", "--network", builtin.path()][..], &["--sides", "4"]].map(json);
    assert_eq!(of_file["quarters"], own["quarters"]);
    assert_ne!(of_file["network"], own["network"], "the program has another network for large boards");
    let search = json(&["--simulations", "60"]);
    assert_ne!(search["quarters"], json(&[])["quarters"]);
    assert_eq!(json(&["--simulations", "60", "--threads", "2"]), search);
    let (status, text, _) = test(&["--simulations", "60"]);
    assert!(
        status == Some(0) && text.contains(" in searches of 60 simulations\n4 games, 3 measured, 1 without a winner\n")
    );
    assert_eq!(text.lines().count(), 2 + 1 + 1 + 8, "{text}");
}

#[test]
fn errors_of_tests_name_the_file_and_the_line() {
    let broken = Scratch::new("broken.jsonl");
    fs::write(broken.path(), GAMES.replace("\"a3\"", "\"a1\"")).unwrap();
    let (status, _, error) = learn(&["test", "--games", broken.path()]);
    assert!(status == Some(1) && error.starts_with(&format!("error: {}:4:", broken.path())), "{error}");
    for (arguments, reason) in [
        (&["--network", "missing.bin"][..], "missing.bin: "),
        (&["--sides", "9"], "no position to measure (4 games, 0 measured, 1 without a winner, 3 not selected)"),
        (&["--only", "resignations"], "no position to measure"),
    ] {
        let (status, _, error) = test(arguments);
        assert!(status == Some(1) && error.contains(reason), "{error}");
    }
    for wrong in [&["--sides", "2x"][..], &["--only", "draws"], &["--set", "c_puct=1"], &["--simulations", "0"]] {
        assert_eq!(test(wrong).0, Some(2));
    }
}

/// The points of a stone are those of its owner, whoever that is after a swap.
#[test]
fn the_table_of_first_stones_has_games_of_self_play_and_of_matches() {
    let matches = Scratch::new("first-stones.jsonl");
    let game = |moves: &str, opening: &str, winner: &str| {
        format!(
            r#"{{"side":3,"white":"a","black":"b","moves":{moves},"winner":"{winner}","by":"resign","opening":{opening},"seconds":[]}}"#
        ) + "\n"
    };
    let games = [
        game(r#"["a1","swap","c3"]"#, "[]", "black"),
        game(r#"["a1","c3"]"#, r#"["a1"]"#, "draw"),
        game(r#"["a1","c3"]"#, r#"["a1","c3"]"#, "white"),
        game(r#"["a1","c3"]"#, r#"["a1"]"#, "white")
            .replace('}', r#","fault":{"engine":"b","kind":"crash","detail":"gone"}}"#),
    ];
    fs::write(matches.path(), games.concat()).unwrap();
    let table = |threads: &str, games: &str| {
        let out = Scratch::new(&format!("first-stones-{threads}.txt"));
        let fixed = ["--close-games", "5", "--simulations", "4", "--set", "memory=4", "--add", matches.path()];
        let arguments = ["first-stones", "--side", "3", "--games", games, "--threads", threads, "--out", out.path()];
        let (status, _, error) = learn(&[&arguments[..], &fixed].concat());
        assert_eq!(status, Some(0), "{error}");
        fs::read_to_string(out.path()).unwrap()
    };
    let text = table("1", "2");
    assert_eq!(text, table("3", "2"));
    let stones = FirstStones::read(&text).unwrap();
    let [stones] = &stones[..] else { panic!("{text}") };
    let geometry = stones.geometry();
    assert!(classes(geometry).into_iter().all(|v| stones.score(v).games >= 2), "{text}");
    let games: u32 = classes(geometry).into_iter().map(|v| stones.score(v).games).sum();
    // Five classes; the two games of matches count for that of a1.
    assert_eq!((geometry.side(), classes(geometry).len() as u32 * 2 + 5), (3, games), "{text}");
    let a1 = stones.score(geometry.vertices().next().unwrap());
    assert!(a1.games >= 2 && a1.points >= 1.5, "{text}");
}
