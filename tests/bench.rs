//! `malecon bench`, run as a program.

use std::process::{Command, Output};

use malecon::base::options::OptionValue;
use malecon::engine::playout::Ending;
use malecon::engine::playout::paper::{Rings, SamplerKind};
use malecon::engine::search::{Preset, SearchOptions};
use malecon::game::{Geometry, Structures};
use malecon::tools::bench::{PlayoutKind, Playouts};
use serde_json::Value;

fn bench(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_malecon");
    Command::new(program).arg("bench").args(arguments).output().expect("the program starts")
}

fn stdout(arguments: &[&str]) -> String {
    let output = bench(arguments);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

/// The path of keys to every value inside an object, in order.
fn keys(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            let inner = |key: &String| if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            map.iter().for_each(|(key, value)| keys(value, &inner(key), found));
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, &format!("{path}[]"), found)),
        _ => found.push(path.to_owned()),
    }
}

#[test]
fn json_output_is_one_object_with_the_documented_keys() {
    for side in ["4", "5"] {
        let figures: Value = serde_json::from_str(&stdout(&["--json", "--side", side, "--seconds", "0.01"])).unwrap();
        let mut found = Vec::new();
        keys(&figures, "", &mut found);
        found.sort();
        found.dedup();
        let expected = [
            "engine.endings.bridge",
            "engine.endings.draw",
            "engine.endings.fork",
            "engine.endings.ring",
            "engine.mean_length",
            "engine.ns_per_move",
            "engine.playouts_per_s",
            "rows[].name",
            "rows[].paper_us",
            "rows[].us_per_playout",
            "search.simulations_per_s",
            "search_default.simulations_per_s",
            "side",
        ];
        assert_eq!(found, expected);
        assert_eq!(figures["side"].to_string(), side);
        let rows = figures["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 5);
        assert!(
            ["search", "search_default"].iter().all(|name| figures[name]["simulations_per_s"].as_f64() > Some(0.0))
        );
        assert!(rows.iter().all(|row| row["us_per_playout"].as_f64().unwrap() > 0.0));
        let paper: Vec<Option<f64>> = rows.iter().map(|row| row["paper_us"].as_f64()).collect();
        let known = [35.0, 150.0, 410.0, 560.0, 240.0].map(Some);
        assert_eq!(paper, if side == "4" { known } else { [None; 5] });
        let ends = figures["engine"]["endings"].as_object().unwrap();
        assert!((ends.values().map(|share| share.as_f64().unwrap()).sum::<f64>() - 1.0).abs() < 1e-9);
        // Most games of side 4 end with a bridge, and few of both boards with a ring.
        let share = |name: &str| ends[name].as_f64().unwrap();
        assert!(share("ring") < share("bridge") && share("ring") < share("fork"), "{ends:?}");
        assert!(figures["engine"]["mean_length"].as_f64().unwrap() > 15.0);
    }
}

/// The expected lengths and endings were measured by an independent implementation.
#[test]
fn playouts_have_the_known_lengths_and_endings() {
    const COUNT: usize = 20_000;
    let known = [(4, 27.9, [0.59, 0.35, 0.06]), (6, 68.6, [0.22, 0.40, 0.38]), (8, 120.5, [0.07, 0.21, 0.73])];
    for (side, length, shares) in known {
        let geometry = Geometry::with_side(side).unwrap();
        let mut playouts = Playouts::new(geometry, PlayoutKind::UntilFirstWin, SamplerKind::SumTree, Rings::Offline, 1);
        let endings: Vec<Ending> = (0..COUNT).map(|_| playouts.play()).collect();
        let mean = endings.iter().map(|ending| ending.length).sum::<usize>() as f64 / COUNT as f64;
        assert!((mean / length - 1.0).abs() < 0.01, "side {side}: {mean}");
        // A bridge counts before a fork, and a fork before a ring.
        let first = |ending: &Ending| {
            let all = [Structures::BRIDGE, Structures::FORK, Structures::RING];
            all.into_iter().position(|structure| ending.structures.contains(structure))
        };
        for (kind, share) in shares.into_iter().enumerate() {
            let found = endings.iter().filter(|ending| first(ending) == Some(kind)).count() as f64 / COUNT as f64;
            assert!((found - share).abs() < 0.03, "side {side}: {kind} {found}");
        }
    }
}

#[test]
fn the_table_has_the_papers_rows_for_each_side() {
    let text = stdout(&["--seconds", "0.002"]);
    for side in [4, 6, 8, 10] {
        assert!(text.contains(&format!("side {side} ")));
    }
    assert_eq!(text.matches("weighted playout until b/f win, with ring checking").count(), 4);
}

#[test]
fn threads_are_measured_up_to_the_number_asked_for() {
    let arguments = ["--threads", "3", "--side", "4", "--seconds", "0.01"];
    let text = stdout(&arguments);
    assert!(text.starts_with("side 4, in a second, by threads"));
    let figures: Value = serde_json::from_str(&stdout(&[&arguments[..], &["--json"]].concat())).unwrap();
    assert_eq!(figures["threads"].to_string(), "[1,2,3]");
    let rows = figures["rows"].as_array().unwrap();
    assert_eq!(text.trim_end().lines().count(), rows.len() + 1);
    for row in rows {
        let figures = row["per_second"].as_array().unwrap();
        assert!(figures.len() == 3 && figures.iter().all(|figure| figure.as_f64() > Some(0.0)), "{row}");
        assert!(text.contains(row["name"].as_str().unwrap()));
    }
}

#[test]
fn the_papers_rows_are_played_as_by_the_preset_paper() {
    let paper = SearchOptions::preset(Preset::Paper).rave;
    let help = stdout(&["--help"]);
    for (option, value) in [("--sampler", paper.sampler.show()), ("--rings", paper.rings.show())] {
        let text = help.split(option).nth(1).unwrap().split("\n      --").next().unwrap();
        assert!(text.contains(&format!("[default: {value}]")), "{option}: {text}");
    }
}

#[test]
fn errors_say_which_arguments_are_valid() {
    let cases = [
        (&["--side", "14"][..], "2 to 13"),
        (&["--seconds", "0"], "0.001"),
        (&["--sampler", "tree"], "block-sums or sum-tree"),
        (&["--threads", "257"], "from 1 to 256"),
        (&["--signature", "--json"], "cannot be used with"),
    ];
    for (arguments, expected) in cases {
        let output = bench(arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && message.contains(expected), "{arguments:?}: {message}");
    }
}
