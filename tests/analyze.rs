//! `malecon analyze` as a process, and the examples of docs/analysis.md.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use malecon::engine::session::{EngineOptions, StopFlag};
use malecon::protocols::json::{Analyst, Query, QuerySettings};
#[cfg(unix)]
use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

use crate::skipped::skipped;

/// A running `malecon analyze`.
struct Engine {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start(arguments: &[&str]) -> Engine {
        let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
        command.args(["analyze", "--memory", "16"]).args(arguments).env_remove("RUST_LOG");
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (process.stdin.take(), process.stdout.take().unwrap());
        Engine { process, input, output: BufReader::new(output) }
    }

    fn send(&mut self, query: Value) {
        self.send_bytes(format!("{query}\n").as_bytes());
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the program has ended");
        serde_json::from_str(&line).unwrap()
    }

    /// Ends the input, and returns the remaining answers and the exit status.
    fn finish(mut self) -> (Vec<Value>, Option<i32>) {
        self.input = None;
        let mut text = String::new();
        self.output.read_to_string(&mut text).unwrap();
        let answers = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (answers, self.process.wait().unwrap().code())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A query that runs until somebody ends it.
fn endless(id: &str) -> Value {
    json!({"id": id, "side": 6, "seconds": 100_000, "want": ["moves"], "top": 1})
}

fn short(id: &str) -> Value {
    json!({"id": id, "side": 3, "simulations": 5, "want": ["moves"], "top": 1})
}

#[test]
fn all_queries_are_answered_at_the_end_of_the_input() {
    let mut engine = Engine::start(&["--searches", "2"]);
    for i in 0..20 {
        engine.send(short(&i.to_string()));
    }
    engine.send_bytes(b"\n  \nnonsense\n");
    // The last line has no end.
    engine.send_bytes(short("last").to_string().as_bytes());
    let (answers, status) = engine.finish();
    let ids: BTreeSet<&str> = answers.iter().filter_map(|answer| answer["id"].as_str()).collect();
    assert_eq!((answers.len(), ids.len(), status), (22, 21, Some(0)));
    assert!(answers.iter().any(|answer| answer["id"].is_null() && answer["error"].is_string()));
}

#[test]
fn the_positions_to_prove_are_undecided() {
    let queries = include_str!("data/proofs.jsonl").lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut engine = Engine::start(&[]);
    let mut sides = Vec::new();
    for mut query in queries {
        sides.push(query["side"].as_u64().unwrap());
        query["want"] = json!(["position"]);
        engine.send(query);
        let answer = engine.receive();
        assert_eq!(answer["position"]["over"], false, "{answer}");
    }
    assert_eq!([8, 10].map(|side| sides.iter().filter(|&&s| s == side).count()), [100, 100]);
}

#[test]
fn a_running_search_does_not_delay_what_needs_none() {
    let mut engine = Engine::start(&[]);
    engine.send(endless("long"));
    engine.send(json!({"id": "now", "side": 3, "want": ["position", "policy"]}));
    assert_eq!(engine.receive()["id"], "now");
    engine.send(json!({"id": "version", "action": "version"}));
    assert_eq!(engine.receive()["id"], "version");
    engine.send(json!({"id": "stop", "action": "cancel", "of": "long"}));
    let ids = [engine.receive(), engine.receive()].map(|answer| answer["id"].as_str().unwrap().to_owned());
    assert_eq!(BTreeSet::from(ids), BTreeSet::from(["long", "stop"].map(str::to_owned)));
    assert_eq!(engine.finish(), (vec![], Some(0)));
}

/// The playouts would take hours.
#[test]
fn many_playouts_do_not_delay_what_is_known_at_once() {
    let mut engine = Engine::start(&[]);
    for want in ["ownership", "criticality"] {
        let options = json!({"analysis_playouts": 1_000_000_000});
        engine.send(json!({"id": "long", "side": 5, "want": [want], "seconds": 100_000, "options": options}));
    }
    engine.send(json!({"id": "now", "side": 5, "moves": ["a1"], "want": ["chains", "threats", "position"]}));
    assert_eq!(engine.receive()["id"], "now");
    engine.send(json!({"id": "brief", "side": 5, "moves": ["a1"], "want": ["ownership", "frames"]}));
    assert_eq!(engine.receive()["id"], "brief");
    engine.send(json!({"id": "stop", "action": "cancel"}));
    let (answers, status) = engine.finish();
    assert_eq!((answers.len(), status), (3, Some(0)));
}

/// The check takes a hundred times longer than the frames.
#[test]
fn the_check_of_a_proof_delays_nothing_else() {
    let mut engine = Engine::start(&[]);
    let proof = std::fs::read("docs/proofs/side-4-a1.proof").unwrap();
    engine.send(json!({"id": "proof", "action": "proof", "file": BASE64_STANDARD.encode(proof)}));
    engine.send(json!({"id": "frames", "side": 3, "want": ["frames"]}));
    let (answers, status) = engine.finish();
    assert_eq!(status, Some(0));
    assert_eq!(answers.iter().map(|answer| &answer["id"]).collect::<Vec<_>>(), ["frames", "proof"]);
    assert!(answers[1]["winner"].is_string(), "{}", answers[1]);
}

#[test]
fn queries_are_cancelled_whether_they_run_or_wait() {
    let mut engine = Engine::start(&[]);
    let mut running = endless("running");
    running["every"] = json!(0.01);
    engine.send(running);
    // Now it runs.
    assert_eq!(engine.receive()["partial"], json!(true));
    engine.send(endless("waiting"));
    engine.send(json!({"id": "review", "action": "review", "side": 6, "moves": ["a1"]}));
    engine.send(json!({"id": "1", "action": "cancel", "of": "nothing"}));
    engine.send(json!({"id": "2", "action": "cancel", "of": "waiting"}));
    engine.send(json!({"id": "3", "action": "cancel"}));
    let (answers, status) = engine.finish();
    assert_eq!(status, Some(0));
    let last = |id: &str| answers.iter().rfind(|answer| answer["id"] == id).unwrap();
    assert_eq!([last("1"), last("2"), last("3")].map(|answer| answer["stopped"].as_u64().unwrap()), [0, 1, 2]);
    assert_eq!(*last("waiting"), json!({"id": "waiting", "turn": 0, "to_move": "white", "cancelled": true}));
    assert_eq!(*last("review"), json!({"id": "review", "cancelled": true}));
    assert!(last("running")["cancelled"] == true && last("running")["best"].is_string());
}

#[test]
fn higher_priorities_are_answered_first() {
    let mut engine = Engine::start(&[]);
    let mut first = endless("first");
    first["every"] = json!(0.01);
    engine.send(first);
    assert_eq!(engine.receive()["partial"], json!(true));
    for (id, priority) in [("low", -1), ("usual", 0), ("usual too", 0), ("high", 7)] {
        let mut query = short(id);
        query["priority"] = json!(priority);
        engine.send(query);
    }
    engine.send(json!({"id": "stop", "action": "cancel", "of": "first"}));
    let (answers, _) = engine.finish();
    let ids = answers.iter().filter(|answer| !["first", "stop"].contains(&answer["id"].as_str().unwrap()));
    assert_eq!(
        ids.map(|answer| answer["id"].as_str().unwrap()).collect::<Vec<_>>(),
        ["high", "usual", "usual too", "low"]
    );
}

#[test]
fn answers_with_a_seed_are_the_same_in_any_company() {
    let query = json!({"id": "q", "side": 4, "moves": ["d4"], "simulations": 40, "seed": 3});
    let answer = |arguments: &[&str], others: usize| {
        let mut engine = Engine::start(arguments);
        (0..others).for_each(|i| engine.send(json!({"id": i.to_string(), "side": 4, "simulations": 30})));
        engine.send(query.clone());
        let (answers, _) = engine.finish();
        let mut answer = answers.into_iter().find(|answer| answer["id"] == "q").unwrap();
        answer.as_object_mut().unwrap().remove("seconds");
        answer
    };
    assert_eq!(answer(&[], 0), answer(&["--searches", "2"], 5));
}

#[test]
fn lines_that_are_too_long_or_no_text_are_answered_with_errors() {
    let mut engine = Engine::start(&[]);
    engine.send_bytes(&vec![b'x'; (4 << 20) + 1]);
    engine.send_bytes(b"\n\xff\xfe\n");
    engine.send(json!({"id": "next", "action": "version"}));
    assert_eq!(engine.receive()["error"], "the line is longer than 4194304 bytes");
    assert_eq!(engine.receive()["error"], "the line is not valid UTF-8");
    assert_eq!(engine.receive()["id"], "next");
}

#[test]
fn more_queries_than_fit_in_the_queue_wait_for_their_turn() {
    let mut engine = Engine::start(&[]);
    let mut input = engine.input.take().unwrap();
    let count = 6000;
    let writer = std::thread::spawn(move || {
        for i in 0..count {
            writeln!(
                input,
                "{}",
                json!({"id": i.to_string(), "side": 2, "moves": ["a1"], "want": ["moves"], "simulations": 1, "top": 0})
            )
            .unwrap();
        }
    });
    let (answers, status) = engine.finish();
    writer.join().unwrap();
    assert_eq!((answers.len(), status), (count, Some(0)));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_program_after_an_answer() {
    let mut engine = Engine::start(&[]);
    let mut query = endless("q");
    query["every"] = json!(0.01);
    engine.send(query);
    assert_eq!(engine.receive()["partial"], json!(true));
    let id = engine.process.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let last = std::iter::from_fn(|| Some(engine.receive())).find(|answer| answer.get("partial").is_none()).unwrap();
    assert_eq!(last["cancelled"], json!(true));
    assert_eq!(engine.process.wait().unwrap().code(), Some(130));
}

/// As that of a program which is stopped, or waits for something else.
#[cfg(unix)]
#[test]
fn a_second_interrupt_ends_the_program_while_its_answers_are_not_read() {
    let mut engine = Engine::start(&[]);
    for i in 0..30 {
        engine.send(json!({"id": i.to_string(), "side": 10, "simulations": 1, "want": ["moves"]}));
    }
    // Until the pipe takes no more.
    let mut before = 0;
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let waiting = rustix::io::ioctl_fionread(engine.output.get_ref()).unwrap();
        if waiting > 0 && waiting == before {
            break;
        }
        before = waiting;
    }
    for _ in 0..600 {
        rustix::process::kill_process(Pid::from_child(&engine.process), Signal::INT).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        if let Some(status) = engine.process.try_wait().unwrap() {
            return assert_eq!(status.code(), Some(130));
        }
    }
    panic!("the program has not ended");
}

#[test]
fn the_program_ends_when_nobody_reads_its_answers() {
    let mut engine = Engine::start(&[]);
    engine.send(endless("long"));
    let (process, mut input) = (&mut engine.process, engine.input.take().unwrap());
    drop(std::mem::replace(
        &mut engine.output,
        BufReader::new({
            let mut other =
                Command::new(env!("CARGO_BIN_EXE_malecon")).arg("--version").stdout(Stdio::piped()).spawn().unwrap();
            other.wait().unwrap();
            other.stdout.take().unwrap()
        }),
    ));
    // An answer fails, but perhaps not the first one: while another test starts a process, that has the pipe open, too.
    let end = Instant::now() + Duration::from_secs(60);
    let status = loop {
        if let Some(status) = process.try_wait().unwrap() {
            break status;
        }
        assert!(Instant::now() < end, "the program goes on");
        let _ = input.write_all(b"{\"id\": \"v\", \"action\": \"version\"}\n");
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(status.code(), Some(0));
}

#[test]
fn bad_options_are_reported() {
    for (arguments, message) in [
        (&["--set", "memory=0"][..], "invalid value '0' for memory"),
        (&["--network", "/nowhere"], "cannot use '/nowhere' for network"),
        (&["--threads", "0"], "invalid value '0' for threads"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_malecon")).arg("analyze").args(arguments).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && error.contains(message), "{error}");
    }
}

fn read(file: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

fn analyst() -> Analyst {
    let mut options = EngineOptions::default();
    options.search.memory = 16;
    options.session.analysis_playouts = 50;
    Analyst::new(QuerySettings::new(options))
}

fn ask(analyst: &mut Analyst, query: &str) -> Vec<Value> {
    let mut answers = Vec::new();
    analyst.answer_line(query, &StopFlag::new(), &mut |answer| {
        answers.push(serde_json::from_str(&answer.to_json()).unwrap());
    });
    answers
}

/// The names and types in an answer, whatever the values.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), shape(value))).collect(),
        Value::Array(list) => list.first().map(shape).into_iter().collect(),
        Value::Number(_) => json!("number"),
        Value::String(_) => json!("string"),
        Value::Null | Value::Bool(_) => value.clone(),
    }
}

#[test]
fn the_examples_of_the_document_are_answered_as_it_says() {
    let document = read("docs/analysis.md");
    let mut analyst = analyst();
    let mut answers = Vec::new().into_iter();
    let (mut searched, mut checked) = (false, 0);
    for line in document.lines() {
        if let Some(query) = line.strip_prefix("> ").filter(|query| query.starts_with('{')) {
            searched = query.contains("simulations") || query.contains("\"solve\"");
            answers = ask(&mut analyst, query).into_iter();
        } else if let Some(expected) = line.strip_prefix("< ") {
            let (expected, answer) = (serde_json::from_str(expected).unwrap(), answers.next().unwrap());
            match searched {
                // What a search finds changes with the network, and how long it takes, always.
                true => assert_eq!(shape(&answer), shape(&expected)),
                false => assert_eq!(answer, expected),
            }
            checked += 1;
        }
    }
    assert!(checked >= 6);
}

/// The rows of the table whose first heading is this one.
fn rows<'a>(document: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let lines = document.lines().skip_while(|line| !line.starts_with(&format!("| {heading} |"))).skip(2);
    lines
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect()
}

#[test]
fn the_fields_of_an_analysis_are_those_of_the_document() {
    let document = read("docs/analysis.md");
    let rows = rows(&document, "field of the query");
    assert_eq!(rows.len(), 19);
    for row in rows {
        let example: Value = serde_json::from_str(row[3].trim_matches('`')).unwrap();
        for name in row[0].split(", ").map(|name| name.trim_matches('`')) {
            let mut query = json!({"id": "q", "side": 4, "moves": ["d4"]});
            query[name] = example.clone();
            if name == "position" {
                // It is in place of the side.
                query["side"] = Value::Null;
            }
            let query = Query::read(&query.to_string(), analyst().settings()).unwrap();
            assert!(query.unknown_fields.is_empty(), "{name}");
        }
    }
}

#[test]
fn every_field_of_an_answer_is_in_the_document() {
    let document = read("docs/analysis.md");
    let mut analyst = analyst();
    let wants =
        "moves position choice verdicts hint policy prediction ownership criticality threats frames chains distances";
    for want in wants.split(' ') {
        assert!(document.contains(&format!("| `{want}` | `{want}`: ")), "{want}");
    }
    let want: Vec<&str> = wants.split(' ').collect();
    let queries = [
        json!({"side": 3, "moves": ["a1"], "simulations": 5, "want": want, "options": {"preset": "rave"}}),
        json!({"action": "version"}),
        json!({"action": "options"}),
        json!({"action": "board", "side": 2}),
        json!({"action": "cancel"}),
        json!({"action": "read_record", "text": "(;SZ[4]AB[d4]TT[x];W[a1]C[x])"}),
        json!({"action": "write_record", "side": 4}),
        json!({"action": "picture", "side": 4}),
        json!({"action": "proof", "file": "bWxjcHJvb2YDAgICAQAAAInaoXEwOBWq"}),
    ];
    for mut query in queries {
        query["id"] = json!("q");
        for answer in ask(&mut analyst, &query.to_string()) {
            assert!(answer.get("error").is_none(), "{answer}");
            check_names(&answer, &document);
        }
    }
}

/// Checks that the document has all names in a value, but for those of vertices and of SGF's properties.
fn check_names(value: &Value, document: &str) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| check_names(value, document)),
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_vertex = name.len() == 2 && name.ends_with(|c: char| c.is_ascii_digit());
                let is_property = name.chars().all(|c| c.is_ascii_uppercase());
                assert!(is_vertex || is_property || document.contains(&format!("`{name}`")), "{name}");
                check_names(value, document);
            }
        }
        _ => {}
    }
}

#[test]
fn the_options_of_the_programs_are_in_the_document() {
    let document = read("docs/analysis.md");
    for command in ["analyze", "serve"] {
        let output = Command::new(env!("CARGO_BIN_EXE_malecon")).args([command, "--help"]).output().unwrap();
        if cfg!(not(feature = "serve")) && command == "serve" {
            continue;
        }
        let help = String::from_utf8(output.stdout).unwrap();
        let section = document.split(&format!("## `malecon {command}`")).nth(1).unwrap().split("\n## ").next().unwrap();
        let options = help.lines().filter_map(|line| line.trim_start().strip_prefix("--"));
        let options = options.map(|rest| rest.split([' ', ',']).next().unwrap()).filter(|name| *name != "help");
        let mut count = 0;
        for option in options {
            assert!(section.contains(&format!("`--{option}")), "malecon {command} --{option}");
            count += 1;
        }
        assert!(count >= 6);
    }
}

#[test]
fn the_client_in_python_shows_a_game() {
    let Ok(python) = Command::new("python3").arg("--version").output() else {
        skipped("there is no python3");
        return;
    };
    assert!(python.status.success());
    let mut command = Command::new("python3");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/analyze.py"));
    command.args(["--engine", env!("CARGO_BIN_EXE_malecon"), "--side", "3", "--simulations", "20"]);
    let output = command.args(["a1", "c3", "a2", "d4", "b2"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (6, "move   played  white wins  better"), "{text}");
    // White overlooks that a3 wins.
    assert!(lines[5].starts_with("   5   b2 ") && lines[5].ends_with("  a3"), "{text}");
    assert!(lines[4].contains("   100.0 %"), "{text}");
}
