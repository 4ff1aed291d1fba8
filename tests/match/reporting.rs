//! The report on a match.

use std::fs;

use malecon::game::record::{How, read};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;

use super::scratch::Scratch;
use super::{engine, error_message, match_of, report, texts, trials};

trials!(
    shards_together_are_the_match,
    the_report_agrees_with_the_games,
    a_round_robin_has_every_pairing,
    all_engines_of_several_matches_have_one_rating_each,
    a_report_names_engines_whose_ratings_cannot_be_compared,
    a_transcript_has_what_was_said,
    records_and_reports_say_when_where_and_what_played,
    games_of_side_4_are_adjudicated,
    the_sequential_test_ends_the_match,
    a_game_without_a_partner_counts_only_for_the_score,
    openings_come_from_a_file,
    openings_that_repeat_count_once,
    answers_of_several_lines_are_quoted_in_one,
    the_table_shows_results_faults_and_the_test,
    a_page_shows_the_report_and_all_games,
    a_page_that_cannot_be_written_is_reported_before_the_first_game,
    pairs_without_openings_are_explained,
    broken_files_are_named_when_merging,
    files_without_games_are_refused_when_merging,
    the_last_line_of_a_merged_file_needs_no_line_end,
);

fn merged(files: &[std::path::PathBuf]) -> Value {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_malecon"));
    report(command.args(["match", "--merge"]).args(files))
}

fn shards_together_are_the_match() {
    let directory = Scratch::folder("shards");
    let play = |name: &str, arguments: &[&str]| {
        let out = directory.join(name);
        let mut command = match_of(&[("A", "perfect"), ("B", "perfect"), ("C", "resigning")]);
        report(command.args(["--games", "8", "--out"]).arg(&out).args(arguments));
        out.join("games.jsonl")
    };
    let whole = merged(&[play("whole", &[])]);
    let shards =
        [play("third", &["--shard", "3/3"]), play("first", &["--shard", "1/3"]), play("second", &["--shard", "2/3"])];
    let mut union = merged(&shards);
    assert_eq!(union["games"], 24);
    let again = merged(&[&shards[..], &shards[..1]].concat());
    assert_eq!(again["games"], 24, "a file that is given twice counts once");
    for report in [&whole, &mut union] {
        assert_eq!(engine(report, "C")["pentanomial"], serde_json::json!([8, 0, 0, 0, 0]));
    }
    for key in ["white", "endings", "pairings", "mean_length"] {
        assert_eq!(whole[key], union[key], "{key}");
    }
    for name in ["A", "B", "C"] {
        for key in ["results", "as_white", "as_black", "pentanomial", "estimate", "wins_by", "moves"] {
            assert_eq!(engine(&whole, name)[key], engine(&union, name)[key], "{name} {key}");
        }
    }
}

/// Recounts the pairs of a match from the saved games, recalculates the Elo difference, and draws its interval: the
/// true score is that of five gamma variables, whose shapes are the number of pairs with each score, and a half.
fn the_report_agrees_with_the_games() {
    let directory = Scratch::folder("agree");
    let out = directory.join("out");
    let report = report(match_of(&[("A", "perfect"), ("B", "napping")]).args(["--games", "40", "--out"]).arg(&out));
    let text = fs::read_to_string(out.join("games.jsonl")).unwrap();
    let games: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let points = |game: &Value| match game["winner"].as_str().unwrap() {
        "draw" => 0.5,
        winner => f64::from(u8::from(game[winner] == "A")),
    };
    let pairs: Vec<f64> = (0..20)
        .map(|pair| {
            games.iter().filter(|game| game["game"].as_u64().unwrap() / 2 == pair).map(points).sum::<f64>() / 2.0
        })
        .collect();
    let mean = pairs.iter().sum::<f64>() / 20.0;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut exponential = || -(1.0 - rng.random::<f64>()).ln();
    let mut score = || {
        let [mut points, mut sum] = [0.0; 2];
        for score in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let count = pairs.iter().filter(|&&pair| pair == score).count();
            // With a shape of a half, it is half the square of a normal variable (Box and Muller).
            let angle = std::f64::consts::TAU * (-exponential()).exp();
            let half = exponential() * angle.cos().powi(2);
            let gamma = half + (0..count).map(|_| exponential()).sum::<f64>();
            points += score * gamma;
            sum += gamma;
        }
        points / sum
    };
    const DRAWS: usize = 200_000;
    let mut scores: Vec<f64> = (0..DRAWS).map(|_| score()).collect();
    scores.sort_by(f64::total_cmp);
    let superior = scores.iter().filter(|&&score| score > 0.5).count() as f64 / DRAWS as f64;
    let elo = |score: f64| -400.0 * (1.0 / score - 1.0).log10();
    let estimate = &engine(&report, "A")["estimate"];
    for (key, value, tolerance) in [
        ("score", mean, 1e-9),
        ("elo", elo(mean), 1e-3),
        ("elo_low", elo(scores[DRAWS / 40]), 2.0),
        ("elo_high", elo(scores[DRAWS - DRAWS / 40]), 2.0),
        ("los", superior, 5e-3),
    ] {
        assert!((estimate[key].as_f64().unwrap() - value).abs() < tolerance, "{key} is not {value}: {estimate}");
    }
    assert_eq!(engine(&report, "A")["points"].as_f64().unwrap(), 40.0 * mean);
    let stones: usize = games.iter().map(|game| game["moves"].as_array().unwrap().len()).sum();
    assert!((report["mean_length"].as_f64().unwrap() - stones as f64 / 40.0).abs() < 1e-9);
    assert!(engine(&report, "B")["mean_seconds"].as_f64().unwrap() >= 0.005);
}

fn a_round_robin_has_every_pairing() {
    let report = report(match_of(&[("A", "perfect"), ("B", "resigning"), ("C", "illegal")]).args([
        "--games",
        "2",
        "--concurrency",
        "2",
    ]));
    assert_eq!((&report["games"], &report["planned"]), (&6.into(), &6.into()));
    let pairings: Vec<&Value> = report["pairings"].as_array().unwrap().iter().map(|p| &p["engines"]).collect();
    assert_eq!(pairings.len(), 3);
    assert_eq!(engine(&report, "A")["results"]["wins"], 4);
    assert_eq!(engine(&report, "C")["faults"]["illegal move"], engine(&report, "C")["results"]["losses"]);
}

fn games_of_side_4_are_adjudicated() {
    let directory = Scratch::folder("adjudicated");
    let out = directory.join("out");
    let mut command = match_of(&[("A", "perfect"), ("B", "plain")]);
    let result =
        report(command.args(["--games", "2", "--openings", "random:12", "--adjudicate", "20", "--out"]).arg(&out));
    assert_eq!(result["endings"], serde_json::json!({"solved": 2}));
    // Nobody has resigned: the records say who won, and whoever opens one can play on.
    for name in ["games.jsonl", "game-000001.sgf"] {
        let games = read(&fs::read(out.join(name)).unwrap(), None).unwrap();
        assert!(games[0].resignation().is_none() && games[0].game().outcome().is_none(), "{name}");
        assert!(games[0].result().is_some_and(|result| result.winner.is_some() && result.how == How::Board), "{name}");
    }
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_malecon"));
    let engines = ["--engine", "A=a", "--engine", "B=b"];
    let message = error_message(command.args(["match", "--side", "7", "--adjudicate", "60"]).args(engines));
    assert!(message.contains("side 7 is too large for the solver"), "{message}");
}

fn a_transcript_has_what_was_said() {
    let directory = Scratch::folder("transcript");
    let file = directory.join("said.txt");
    report(match_of(&[("A", "perfect"), ("B", "resigning")]).args(["--games", "2", "--transcript"]).arg(&file));
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.splitn(6, ' ').collect()).collect();
    assert!(lines.iter().all(|line| line[0].parse::<f64>().is_ok() && line[1] == "game"), "{text}");
    let said = |game: &str, engine: &str| -> Vec<String> {
        let of_engine = lines.iter().filter(|line| line[2] == game && line[3] == engine);
        of_engine.map(|line| line[4..].join(" ")).collect()
    };
    let to_a = said("1", "A");
    assert_eq!(to_a[..2], ["> boardsize 4", "< ="], "{text}");
    assert!(to_a.contains(&"> genmove white".to_owned()));
    assert_eq!(said("2", "B").last().unwrap(), "< = resign", "{text}");
}

fn records_and_reports_say_when_where_and_what_played() {
    let directory = Scratch::folder("provenance");
    let out = directory.join("out");
    let mut command = match_of(&[("A", "perfect"), ("B", "resigning")]);
    let whole = report(command.args(["--games", "2", "--concurrency", "1", "--out"]).arg(&out));
    let text = fs::read_to_string(out.join("games.jsonl")).unwrap();
    let games: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let host = games[0]["host"].as_str().unwrap();
    for (game, file) in games.iter().zip(["game-000001.sgf", "game-000002.sgf"]) {
        let day = game["date"].as_str().unwrap().split_once('T').unwrap().0;
        let sgf = fs::read_to_string(out.join(file)).unwrap();
        assert!(sgf.contains(&format!("DT[{day}]PC[{host}]")), "{sgf}");
        assert_eq!(game["programs"], serde_json::json!(["scripted", "scripted"]), "it refuses `version`");
    }
    for report in [&whole, &merged(&[out.join("games.jsonl")])] {
        assert_eq!(report["dates"], serde_json::json!([games[0]["date"], games[1]["date"]]));
        assert_eq!(report["hosts"], serde_json::json!([host]));
        assert_eq!(engine(report, "B")["programs"], serde_json::json!(["scripted"]));
    }
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_malecon"));
    let (text, _) = texts(&command.args(["match", "--merge"]).arg(out.join("games.jsonl")).output().unwrap());
    assert!(text.contains(&format!("Z, on {host}.\nA is scripted, B is scripted.\n")), "{text}");
}

/// Two gauntlets, whose engines have met only through the first of each.
fn all_engines_of_several_matches_have_one_rating_each() {
    let directory = Scratch::folder("ratings");
    let files: Vec<std::path::PathBuf> = [["A", "B", "C"], ["C", "D", "E"]]
        .into_iter()
        .map(|[first, second, third]| {
            let out = directory.join(first);
            let of = |name| if name == "C" || name == "E" { "resigning" } else { "perfect" };
            let mut command = match_of(&[(first, of(first)), (second, of(second)), (third, of(third))]);
            let report = report(command.args(["--games", "4", "--gauntlet", "--out"]).arg(&out));
            let pairings: Vec<&Value> = report["pairings"].as_array().unwrap().iter().map(|p| &p["engines"]).collect();
            assert_eq!(pairings, [&serde_json::json!([first, second]), &serde_json::json!([first, third])]);
            out.join("games.jsonl")
        })
        .collect();
    let report = merged(&files);
    let ratings = report["ratings"].as_array().unwrap();
    let elo = |name: &str| ratings.iter().find(|r| r["name"] == name).unwrap()["elo"].as_f64().unwrap();
    assert_eq!(ratings.len(), 5);
    assert!(ratings.is_sorted_by(|a, b| a["elo"].as_f64() >= b["elo"].as_f64()), "{ratings:?}");
    assert!(elo("A") > elo("C") && elo("D") > elo("C") && elo("E") < elo("D"), "{ratings:?}");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_malecon"));
    let (text, _) = texts(&command.args(["match", "--merge"]).args(&files).output().unwrap());
    assert!(text.contains("rating") && !text.contains("have not met"), "{text}");
    assert_eq!(report["groups"].as_array().unwrap().len(), 1);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_malecon"));
    let message = error_message(command.args(["match", "--sprt", "0,10", "--merge"]).args(&files));
    assert_eq!(message, "error: --sprt compares two engines and cannot be used with more\n");
}

fn a_report_names_engines_whose_ratings_cannot_be_compared() {
    let directory = Scratch::folder("groups");
    let files = [["A", "B"], ["C", "D"]].map(|[first, second]| {
        let out = directory.join(first);
        report(match_of(&[(first, "perfect"), (second, "resigning")]).args(["--games", "2", "--out"]).arg(&out));
        out.join("games.jsonl")
    });
    assert_eq!(merged(&files)["groups"], serde_json::json!([["A", "B"], ["C", "D"]]));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_malecon"));
    let (text, _) = texts(&command.args(["match", "--merge"]).args(&files).output().unwrap());
    assert!(text.contains("between these groups, which have not met: A, B; C, D.\n"), "{text}");
}

fn the_sequential_test_ends_the_match() {
    let directory = Scratch::folder("sprt");
    let out = directory.join("out");
    let command = || {
        let mut command = match_of(&[("A", "perfect"), ("B", "resigning")]);
        command.args(["--games", "2000", "--openings", "random:3", "--sprt", "0,200", "--resume", "--out"]).arg(&out);
        command
    };
    let first = report(&mut command());
    assert_eq!(first["sprt"]["decision"], "h1");
    let games = first["games"].as_u64().unwrap();
    assert!(games < 100 && games.is_multiple_of(2), "{games}");
    assert_eq!(report(&mut command())["games"], games, "a decided match does not continue");
}

fn a_game_without_a_partner_counts_only_for_the_score() {
    let report = report(match_of(&[("A", "perfect"), ("B", "resigning")]).args(["--games", "3"]));
    let a = engine(&report, "A");
    assert_eq!((&report["games"], &a["results"]["wins"]), (&3.into(), &3.into()));
    assert_eq!(a["pentanomial"], serde_json::json!([0, 0, 0, 0, 1]));
    assert!(a["estimate"]["elo"].is_null(), "an infinite difference is null: {a}");
}

fn openings_come_from_a_file() {
    let directory = Scratch::folder("openings");
    let file = directory.join("book");
    let plain = "d4 a1 # the middle\n\nb2, c3, d5\n";
    let with_sides = "# Balanced openings: side length and vertices.\n4 d4 a1\n5 e5 a1 c2\n4 b2 c3 d5\n";
    for (text, out) in [(plain, "plain"), (with_sides, "with-sides")] {
        fs::write(&file, text).unwrap();
        let out = directory.join(out);
        let mut command = match_of(&[("A", "perfect"), ("B", "perfect")]);
        report(command.args(["--games", "6", "--out"]).arg(&out).arg("--openings").arg(&file));
        let text = fs::read_to_string(out.join("games.jsonl")).unwrap();
        let mut openings: Vec<Value> =
            text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["opening"].clone()).collect();
        openings.dedup();
        let book = [serde_json::json!(["d4", "a1"]), serde_json::json!(["b2", "c3", "d5"])];
        assert_eq!(openings, [&book[0], &book[1], &book[0]].map(Value::clone));
    }

    // Nobody could swap.
    let mut command = match_of(&[("A", "perfect"), ("B", "perfect")]);
    let message = error_message(command.arg("--swap").arg("--openings").arg(&file));
    assert!(message.contains("--swap cannot be used with openings"), "{message}");

    // The second player's stone on the first one is a swap, which is not a stone.
    for (line, place, reason) in
        [("d4 a1 d4", "book: line 2", "occupied"), ("d4 d4", "book: opening 2", "expected stones")]
    {
        fs::write(&file, format!("d4\n{line}\n")).unwrap();
        let mut command = match_of(&[("A", "perfect"), ("B", "perfect")]);
        let message = error_message(command.arg("--openings").arg(&file));
        assert!(message.contains(place) && message.contains(reason), "{message}");
    }
}

/// The engines always answer alike, so that every repetition of an opening has the same two games.
fn openings_that_repeat_count_once() {
    let directory = Scratch::folder("repeated");
    let file = directory.join("book");
    fs::write(&file, "d4 a1\nb2 c3 d5\na1 d4\n").unwrap();
    let estimate = |games: &str, openings: &std::ffi::OsStr| {
        let mut command = match_of(&[("A", "perfect"), ("B", "resigning")]);
        let report = report(command.args(["--games", games, "--openings"]).arg(openings));
        let pairing = &report["pairings"][0];
        (pairing["openings"].clone(), pairing["estimate"]["elo_low"].as_f64().unwrap())
    };
    let (once, repeated) = (estimate("6", file.as_os_str()), estimate("24", file.as_os_str()));
    assert_eq!((&once, &once.0), (&repeated, &3.into()));
    assert!(estimate("24", "random:2".as_ref()).1 > repeated.1 + 50.0, "different openings count each");
    let (once, repeated) = (estimate("2", "none".as_ref()), estimate("20", "none".as_ref()));
    assert_eq!((&once, &once.0), (&repeated, &1.into()));

    let mut command = match_of(&[("A", "perfect"), ("B", "resigning")]);
    let (text, warning) = texts(&command.args(["--games", "24", "--openings"]).arg(&file).output().unwrap());
    let sentence = "A - B: 12 pairs, 3 openings; the interval and LOS count each of these once.";
    assert!(text.contains(sentence) && warning.contains("3 distinct openings for 12 pairs"), "{text}{warning}");
}

/// What an engine refuses in several lines is one line of the report and of stderr.
fn answers_of_several_lines_are_quoted_in_one() {
    let mut command = match_of(&[("A", "perfect"), ("B", "wordy")]);
    let (text, error) = texts(&command.args(["--games", "2", "--time", "1"]).output().unwrap());
    assert!(text.contains("Faults of B: error answer 2."), "{text}");
    let lines: Vec<&str> = error.lines().collect();
    let [refused, first, second] = &lines[..] else { panic!("{error}") };
    assert!(refused.starts_with("WARNING: B does not support time_settings ('? one two three')"), "{error}");
    for (line, number) in [(first, 1), (second, 2)] {
        let expected = format!("game {number}: B lost by error answer: 'genmove' was answered with '? one two three'");
        assert_eq!(**line, expected);
    }
}

/// The data of a page, which its script reads.
fn data_of(page: &str) -> Value {
    let (_, data) = page.split_once("id=\"match\">").unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

fn a_page_shows_the_report_and_all_games() {
    let directory = Scratch::folder("page");
    let (out, file, again) = (directory.join("out"), directory.join("page.html"), directory.join("again.html"));
    let mut command = match_of(&[("A<b>", "perfect"), ("B", "illegal")]);
    command.args(["--games", "6", "--sprt", "0,10", "--out"]).arg(&out).arg("--html").arg(&file);
    let stdout = texts(&command.output().unwrap()).0;
    let page = fs::read_to_string(&file).unwrap();
    for part in stdout.lines().skip(2).flat_map(|line| line.split("  ")).map(str::trim).filter(|part| !part.is_empty())
    {
        let part = part.replace('<', "&lt;").replace('>', "&gt;");
        assert!(page.contains(&part), "{part} is missing");
    }
    assert!(!page.contains("<b>") && page.contains("Sequential test of Elo 0 against 10"));
    let data = data_of(&page);
    assert_eq!(data["running"], false);
    let saved = fs::read_to_string(out.join("games.jsonl")).unwrap();
    let mut saved: Vec<Value> = saved.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    saved.sort_by_key(|game| game["game"].as_u64());
    assert_eq!(data["games"].as_array().unwrap().len(), 6);
    for (shown, saved) in data["games"].as_array().unwrap().iter().zip(&saved) {
        assert_eq!(shown[0].as_u64().unwrap(), saved["game"].as_u64().unwrap() + 1);
        assert_eq!([&shown[2], &shown[3], &shown[4]], [&saved["white"], &saved["black"], &saved["winner"]]);
        let moves: Vec<&str> = saved["moves"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert_eq!(shown[8], moves.join(" "));
        assert_eq!(shown[6], saved["fault"]["detail"], "the fault says why a game ended");
    }
    let mut merge = std::process::Command::new(env!("CARGO_BIN_EXE_malecon"));
    report(merge.arg("match").arg("--html").arg(&again).arg("--merge").arg(out.join("games.jsonl")));
    assert_eq!(data_of(&fs::read_to_string(&again).unwrap()), data);

    // Another run has the same numbers: on one page, the games get others.
    let other = directory.join("other");
    let mut command = match_of(&[("A<b>", "perfect"), ("B", "illegal")]);
    report(command.args(["--games", "6", "--seed", "2", "--out"]).arg(&other));
    let mut merge = std::process::Command::new(env!("CARGO_BIN_EXE_malecon"));
    merge.arg("match").arg("--html").arg(&again).arg("--merge");
    report(merge.args([&out, &other].map(|folder| folder.join("games.jsonl"))));
    let data = data_of(&fs::read_to_string(&again).unwrap());
    let numbers: Vec<u64> = data["games"].as_array().unwrap().iter().map(|game| game[0].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=12).collect::<Vec<_>>());
}

fn a_page_that_cannot_be_written_is_reported_before_the_first_game() {
    let directory = Scratch::folder("no-page");
    let out = directory.join("out");
    let mut command = match_of(&[("A", "perfect"), ("B", "perfect")]);
    command.args(["--games", "2", "--out"]).arg(&out).arg("--html").arg(directory.join("none/page.html"));
    let message = error_message(&mut command);
    assert!(message.contains("none/page.html: "), "{message}");
    assert_eq!(fs::read_to_string(out.join("games.jsonl")).unwrap(), "");
}

fn the_table_shows_results_faults_and_the_test() {
    let mut command = match_of(&[("new engine", "perfect"), ("B", "illegal")]);
    let output = command.args(["--games", "4", "--sprt", "0,10"]).output().unwrap();
    let (stdout, stderr) = texts(&output);
    assert!(output.status.success(), "{stderr}");
    for part in
        ["Side 4", "4 of 4 games", "new engine", "100.0 %", "Elo [95 %]", "LOS", "Faults of B: illegal move 4.", "LLR"]
    {
        assert!(stdout.contains(part), "{part} is missing in\n{stdout}");
    }
    assert_eq!(stderr.matches("B lost by illegal move").count(), 4, "{stderr}");
}

fn pairs_without_openings_are_explained() {
    let table = |openings: &str| {
        let mut command = match_of(&[("A", "perfect"), ("B", "resigning")]);
        texts(&command.args(["--games", "2", "--openings", openings]).output().unwrap()).0
    };
    let explanation = "every game began on the empty board, and a pair is two successive games";
    assert!(table("none").contains(explanation));
    assert!(!table("random:2").contains(explanation));
}

fn broken_files_are_named_when_merging() {
    let directory = Scratch::folder("broken");
    let file = directory.join("games.jsonl");
    for content in ["{\"side\":4}\n", "{\"side\":4}", "\0\x01 garbage without a line end", "[4, ", "{\"name\": 1,"] {
        fs::write(&file, content).unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_malecon"));
        let message = error_message(command.args(["match", "--merge"]).arg(&file));
        assert!(message.contains("games.jsonl:1: "), "{content:?}: {message}");
    }
}

fn files_without_games_are_refused_when_merging() {
    let directory = Scratch::folder("empty");
    let files = ["one", "two"].map(|name| directory.join(name));
    files.iter().for_each(|file| fs::write(file, "").unwrap());
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_malecon"));
    let message = error_message(command.args(["match", "--merge"]).args(&files));
    let names = files.map(|file| file.display().to_string()).join(", ");
    assert_eq!(message, format!("error: {names}: no games (expected games.jsonl of a match)\n"));
}

fn the_last_line_of_a_merged_file_needs_no_line_end() {
    let directory = Scratch::folder("line-end");
    let out = directory.join("out");
    report(match_of(&[("A", "perfect"), ("B", "resigning")]).args(["--games", "4", "--out"]).arg(&out));
    let file = out.join("games.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    // A record without its line end, and one that a killed match has not finished.
    for (length, games) in [(text.len() - 1, 4), (text.len() - 5, 3)] {
        fs::write(&file, &text[..length]).unwrap();
        assert_eq!(merged(std::slice::from_ref(&file))["games"], games);
    }
}
