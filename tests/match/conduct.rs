//! How a match treats engines that behave well or badly.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use std::time::{Duration, Instant};

use malecon::base::sync::StopFlag;
use malecon::game::Geometry;
use malecon::tools::arena::openings::Openings;
use malecon::tools::arena::process::EngineSpec;
use malecon::tools::arena::referee::{Limit, Rules};
use malecon::tools::arena::runner::{Match, MatchEvent, play_games};
use malecon::tools::arena::schedule::Slot;

#[cfg(target_os = "linux")]
use super::processes::{catches_interrupts, has_ended};
use super::scratch::Scratch;
use super::skipped::skipped;
use super::{engine, error_message, match_of, report, scripted, texts, trials};

trials!(
    good_engines_play_without_faults,
    the_template_of_an_engine_plays_without_faults,
    faults_lose_the_game_and_are_counted_by_kind,
    a_late_move_is_a_time_forfeit,
    the_time_of_an_engine_stands_still_while_the_match_is_stopped,
    a_hanging_engine_is_killed_with_its_children,
    children_that_left_the_process_group_are_killed,
    a_crash_is_not_hidden_by_a_child_that_holds_stdout,
    resigning_is_a_loss_but_not_a_fault,
    engines_that_cannot_play_are_named_before_the_first_game,
    refused_settings_are_noted_once,
    a_crash_is_shown_with_the_end_of_stderr,
    the_pie_rule_is_played_and_sent_to_the_opponent,
    an_engine_that_cannot_be_told_of_the_pie_rule_is_named,
    an_answer_may_have_lines_of_spaces,
    swap_is_illegal_without_the_pie_rule,
    ctrl_c_reports_the_finished_games_and_leaves_no_process_behind,
    a_signal_to_a_match_and_its_engines_costs_no_game,
    ctrl_c_ends_a_match_that_prepares,
    a_second_ctrl_c_ends_a_match_that_waits_for_a_file,
    a_killed_match_leaves_no_process_behind,
    a_panic_while_a_game_is_reported_ends_the_other_games,
);

fn good_engines_play_without_faults() {
    for character in ["perfect", "flooding", "dribbling", "crlf", "numberless", "plain"] {
        let report = report(match_of(&[("A", "perfect"), ("B", character)]).args(["--games", "4"]));
        assert_eq!(report["games"], 4, "{character}");
        for name in ["A", "B"] {
            assert_eq!(engine(&report, name)["faults"], serde_json::json!({}), "{character}");
        }
        let endings = report["endings"].as_object().unwrap();
        let structures = ["bridge", "fork", "ring", "full board"];
        assert!(endings.keys().all(|by| by.split('+').all(|name| structures.contains(&name))), "{endings:?}");
    }
}

fn faults_lose_the_game_and_are_counted_by_kind() {
    for (character, kind) in [
        ("illegal", "illegal move"),
        ("offboard", "illegal move"),
        ("rambling", "illegal move"),
        ("passing", "illegal move"),
        ("complaining", "error answer"),
        ("stubborn", "error answer"),
        ("crashing", "crash"),
        ("aborting", "crash"),
        ("leaving", "end of pipe"),
        ("eager", "out of turn"),
        ("babbling", "malformed answer"),
        ("endless", "malformed answer"),
    ] {
        let report = report(match_of(&[("good", "perfect"), ("bad", character)]).args(["--games", "4"]));
        let (good, bad) = (engine(&report, "good"), engine(&report, "bad"));
        assert_eq!(bad["faults"][kind], 4, "{character}: {report:#}");
        assert_eq!((&good["results"]["wins"], &good["wins_by"]["opponent's fault"]), (&4.into(), &4.into()));
        assert_eq!((&report["endings"][kind], &good["faults"]), (&4.into(), &serde_json::json!({})));
    }
    let output = match_of(&[("good", "perfect"), ("bad", "rambling")]).args(["--games", "2"]).output().unwrap();
    let (said, errors) = texts(&output);
    assert!(said.len() < 4_000 && errors.len() < 4_000, "long answers are cut: {said}{errors}");
}

/// Only an empty line ends an answer.
fn an_answer_may_have_lines_of_spaces() {
    let mut command = match_of(&[("A", "perfect"), ("B", "perfect")]);
    let report = report(command.args(["--games", "2", "--init", "A=about"]));
    assert_eq!(engine(&report, "A")["faults"], serde_json::json!({}), "{report:#}");
}

fn a_late_move_is_a_time_forfeit() {
    for limit in [["--time", "0.5"], ["--clock", "0.5+0"]] {
        let report = report(
            match_of(&[("good", "perfect"), ("slow", "slow")])
                .args(["--games", "2", "--margin", "3.5", "--concurrency", "2"])
                .args(limit),
        );
        assert_eq!(engine(&report, "slow")["faults"]["time forfeit"], 2, "{report:#}");
        assert!(engine(&report, "slow")["worst_seconds"].as_f64().unwrap() > 4.0);
        assert_eq!(engine(&report, "good")["results"]["wins"], 2);
    }
}

/// The limits are as above, and so is the time between the engine's command and its answer.
fn the_time_of_an_engine_stands_still_while_the_match_is_stopped() {
    if cfg!(not(unix)) {
        return;
    }
    for limit in [["--time", "0.5"], ["--clock", "0.5+0.5"]] {
        let mut command = match_of(&[("good", "perfect"), ("stopping", "stopping")]);
        let report = report(command.args(["--games", "1", "--margin", "3.5"]).args(limit));
        assert_eq!(engine(&report, "stopping")["faults"], serde_json::json!({}), "{report:#}");
    }
}

fn a_hanging_engine_is_killed_with_its_children() {
    assert_hanging_is_silence("hanging");
}

/// Only Linux lets a match find processes outside of the engine's process group.
fn children_that_left_the_process_group_are_killed() {
    if cfg!(target_os = "linux") {
        assert_hanging_is_silence("hanging-apart");
    }
}

fn assert_hanging_is_silence(character: &str) {
    let directory = Scratch::folder(character);
    let pids = directory.join("pids");
    let character = format!("{character} '{}'", pids.display());
    let report = report(match_of(&[("good", "perfect"), ("bad", &character)]).args([
        "--games",
        "2",
        "--silence",
        "4",
        "--concurrency",
        "2",
    ]));
    assert_eq!(engine(&report, "bad")["faults"]["silence"], 2, "{report:#}");
    assert_gone(&std::fs::read_to_string(&pids).unwrap());
}

/// The match must see the exit at once, and not wait for the silence of the child.
fn a_crash_is_not_hidden_by_a_child_that_holds_stdout() {
    let directory = Scratch::folder("orphaning");
    let pids = directory.join("pids");
    let character = format!("orphaning '{}'", pids.display());
    let mut command = match_of(&[("good", "perfect"), ("bad", &character)]);
    let report = report(command.args(["--games", "2", "--silence", "20", "--concurrency", "2"]));
    assert_eq!(engine(&report, "bad")["faults"]["crash"], 2, "{report:#}");
    assert_gone(&std::fs::read_to_string(&pids).unwrap());
}

/// Waits until these processes have ended. Checks only their number on systems other than Linux.
#[cfg(not(target_os = "linux"))]
fn assert_gone(pids: &str) {
    assert_eq!(pids.split_whitespace().count(), 2);
}

#[cfg(target_os = "linux")]
fn assert_gone(pids: &str) {
    assert_eq!(pids.split_whitespace().count(), 2);
    let deadline = Instant::now() + Duration::from_secs(20);
    while !pids.split_whitespace().all(has_ended) {
        assert!(Instant::now() < deadline, "one of the processes {pids} is still running");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn resigning_is_a_loss_but_not_a_fault() {
    let report = report(match_of(&[("A", "perfect"), ("B", "resigning")]).args(["--games", "2"]));
    assert_eq!(engine(&report, "A")["wins_by"]["resign"], 2);
    assert_eq!(engine(&report, "B")["faults"], serde_json::json!({}));
}

fn engines_that_cannot_play_are_named_before_the_first_game() {
    let mut missing = match_of(&[("A", "perfect")]);
    missing.args(["--engine", "B=/no/such/program"]);
    assert!(error_message(&mut missing).contains("engine 'B': cannot start '/no/such/program'"));

    let mut misspelt = match_of(&[("A", "perfect"), ("B", "perfect")]);
    misspelt.args(["--init", "B=tiem -m 1"]);
    let message = error_message(&mut misspelt);
    assert!(message.contains("engine 'B'") && message.contains("tiem -m 1"), "{message}");

    for arguments in [
        vec!["--init", "C=x"],
        vec!["--side", "99"],
        vec!["--sprt", "5,1"],
        vec!["--time", "0"],
        vec!["--time", "1", "--simulations", "5"],
        vec!["--clock", "5"],
        vec!["--openings", "/no/such/file"],
        vec!["--openings", "random:1", "--games", "1000"],
        vec!["--shard", "3/2"],
        vec!["--resume"],
        vec!["--sprt", "0,5", "--shard", "1/2"],
        vec!["--swap", "--openings", "random:2"],
    ] {
        error_message(match_of(&[("A", "perfect"), ("B", "perfect")]).args(arguments));
    }
    error_message(&mut match_of(&[("A", "perfect")]));
    error_message(&mut match_of(&[("A", "perfect"), ("A", "perfect")]));
}

fn refused_settings_are_noted_once() {
    for (arguments, command) in [
        (["--time", "60"], "time_settings"),
        (["--clock", "60+1"], "time_left"),
        (["--simulations", "10"], "set_option simulations"),
    ] {
        let output = match_of(&[("A", "perfect"), ("B", "plain")]).args(["--games", "4"]).args(arguments).output();
        let output = output.unwrap();
        let (_, stderr) = texts(&output);
        assert!(output.status.success(), "{stderr}");
        let notes = stderr.lines().filter(|line| line.contains(&format!("B does not support {command} ")));
        assert_eq!(notes.count(), 1, "{stderr}");
        assert!(!stderr.contains("A does not"), "{stderr}");
    }
}

fn a_crash_is_shown_with_the_end_of_stderr() {
    let output = match_of(&[("A", "perfect"), ("B", "crashing")]).args(["--games", "2"]).output().unwrap();
    let (stdout, stderr) = texts(&output);
    assert!(stderr.contains("B lost by crash"), "{stderr}");
    assert!(stderr.contains("error: invalid option\n    I am a dying engine"), "{stderr}");
    assert!(stdout.contains("Faults of B: crash 2."), "{stdout}");
}

fn the_pie_rule_is_played_and_sent_to_the_opponent() {
    let directory = Scratch::folder("swap");
    let out = directory.join("out");
    report(match_of(&[("A", "perfect"), ("B", "swapping")]).args(["--games", "2", "--swap", "--out"]).arg(&out));
    let games = std::fs::read_to_string(out.join("games.jsonl")).unwrap();
    let games: Vec<serde_json::Value> = games.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let swapped: Vec<bool> = games.iter().map(|game| game["moves"][1] == "swap").collect();
    assert_eq!(swapped, [true, false], "only the engine that plays black in the first game swaps");
    assert!(games.iter().all(|game| game.get("fault").is_none()), "{games:?}");
    let sgf = std::fs::read_to_string(out.join("game-000001.sgf")).unwrap();
    assert!(sgf.contains(";B[swap];W["), "{sgf}");
}

fn an_engine_that_cannot_be_told_of_the_pie_rule_is_named() {
    let run = |arguments: &[&str]| {
        let mut command = match_of(&[("A", "perfect"), ("B", "plain")]);
        let output = command.args(["--games", "2", "--swap"]).args(arguments).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let said = run(&[]);
    assert!(
        said.contains("WARNING: B does not support set_option swap ('? unknown command'); it was not told"),
        "{said}"
    );
    assert!(!said.contains("A does not support"), "{said}");
    let said = run(&["--init", "B=nap 1"]);
    assert!(said.contains("note: B does not support set_option swap"), "{said}");
}

fn swap_is_illegal_without_the_pie_rule() {
    let mut command = match_of(&[("A", "perfect"), ("B", "swapping")]);
    let report = report(command.args(["--games", "2", "--openings", "none"]));
    assert_eq!(engine(&report, "B")["faults"]["illegal move"], 1, "{report:#}");
}

/// Starts a match with a hanging engine, sends the match a signal once the engine hangs, and returns the output of the
/// match after checking that the engine and its child have ended.
#[cfg(unix)]
fn interrupt_hanging(character: &str, signal: rustix::process::Signal) -> std::process::Output {
    use rustix::process::{Pid, kill_process};
    let directory = Scratch::folder(&format!("{character}-{signal:?}"));
    let pids = directory.join("pids");
    let character = format!("{character} '{}'", pids.display());
    let mut command = match_of(&[("good", "perfect"), ("bad", &character)]);
    command.args(["--silence", "600", "--games", "10", "--json", "--out"]).arg(directory.join("out"));
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !pids.exists() {
        assert!(Instant::now() < deadline, "the engine was never asked for a move");
        std::thread::sleep(Duration::from_millis(10));
    }
    kill_process(Pid::from_child(&child), signal).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_gone(&std::fs::read_to_string(&pids).unwrap());
    output
}

#[cfg(unix)]
fn ctrl_c_reports_the_finished_games_and_leaves_no_process_behind() {
    let output = interrupt_hanging("hanging", rustix::process::Signal::INT);
    assert_eq!(output.status.code(), Some(130));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["games"], &report["interrupted"]), (&0.into(), &true.into()));
}

#[cfg(not(unix))]
fn ctrl_c_reports_the_finished_games_and_leaves_no_process_behind() {}

/// What ended the engine was meant for the match: no game is lost by that.
#[cfg(unix)]
fn a_signal_to_a_match_and_its_engines_costs_no_game() {
    let directory = Scratch::folder("job");
    let mut command = match_of(&[("good", "perfect"), ("ended", "ending")]);
    let output = command.args(["--games", "10", "--json", "--out"]).arg(directory.join("out")).output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["games"], &report["interrupted"]), (&0.into(), &true.into()));
    assert_eq!(std::fs::read_to_string(directory.join("out/games.jsonl")).unwrap(), "");
}

#[cfg(not(unix))]
fn a_signal_to_a_match_and_its_engines_costs_no_game() {}

/// Before the last shard of a long match begins, the openings of all others are drawn, which takes minutes.
#[cfg(target_os = "linux")]
fn ctrl_c_ends_a_match_that_prepares() {
    use rustix::process::{Pid, Signal, kill_process};
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut command = match_of(&[("A", "perfect"), ("B", "perfect")]);
        command.args(["--games", "2000000000", "--shard", "1000000000/1000000000", "--openings", "random:9", "--json"]);
        let mut child =
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        // In hundredths of a second, in the 14th field. The name of the program, in brackets, has no spaces.
        let processor_time = || {
            let fields = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
            fields.split(' ').nth(13).unwrap().parse::<u64>().unwrap()
        };
        while processor_time() < 50 {
            assert!(Instant::now() < deadline, "the match does nothing");
            std::thread::sleep(Duration::from_millis(10));
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        while child.try_wait().unwrap().is_none() {
            if Instant::now() > deadline {
                child.kill().unwrap();
                panic!("the match goes on after {signal:?}");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&report["games"], &report["interrupted"]), (&0.into(), &true.into()));
    }
}

#[cfg(not(target_os = "linux"))]
fn ctrl_c_ends_a_match_that_prepares() {}

/// A pipe without a writer cannot even be opened.
#[cfg(target_os = "linux")]
fn a_second_ctrl_c_ends_a_match_that_waits_for_a_file() {
    use rustix::process::{Pid, Signal, kill_process};
    let directory = Scratch::folder("pipe");
    let pipe = directory.join("openings");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut command = match_of(&[("A", "perfect"), ("B", "perfect")]);
    let mut child = command.arg("--openings").arg(&pipe).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let wait = || {
        assert!(Instant::now() < deadline, "the match goes on");
        std::thread::sleep(Duration::from_millis(10));
    };
    while !catches_interrupts(&child) {
        wait();
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        // The same signal is not queued twice, so a second one may have to be sent again.
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        wait();
    };
    assert_eq!(status.code(), Some(130));
}

#[cfg(not(target_os = "linux"))]
fn a_second_ctrl_c_ends_a_match_that_waits_for_a_file() {}

/// The match has no chance to clean up, so its watchdog has to.
#[cfg(target_os = "linux")]
fn a_killed_match_leaves_no_process_behind() {
    for character in ["hanging", "hanging-apart"] {
        let output = interrupt_hanging(character, rustix::process::Signal::KILL);
        assert_eq!((output.status.code(), output.stdout.len()), (None, 0));
    }
}

#[cfg(not(target_os = "linux"))]
fn a_killed_match_leaves_no_process_behind() {}

/// Otherwise the second game would wait for an hour.
fn a_panic_while_a_game_is_reported_ends_the_other_games() {
    let spec = |character: String| EngineSpec { command: scripted::command(&character), name: character, init: vec![] };
    let geometry = Geometry::with_side(4).unwrap();
    let [margin, silence] = [Duration::from_secs(1), Duration::from_secs(3600)];
    let plan = Match {
        engines: ["perfect", "plain", "hanging"].map(String::from).map(spec).into(),
        rules: Rules { geometry, limit: Limit::Own, margin, silence, swap: false, adjudicate: None },
        openings: Openings::parse(geometry, "a1\na2\n").unwrap(),
        concurrency: 2,
        restart: false,
        transcript: None,
    };
    let slots = [[0, 2], [0, 1]].map(|players| Slot { game: players[1], opening: 0, players });
    let report = |event| if let MatchEvent::Game(_) = event { panic!("injected") } else { ControlFlow::Continue(()) };
    let played = || play_games(&plan, slots.into_iter(), &StopFlag::new(), report);
    assert!(catch_unwind(AssertUnwindSafe(played)).is_err());
}

/// The engine that docs/matches.md shows, with every command that the referee may send.
fn the_template_of_an_engine_plays_without_faults() {
    let Ok(_) = std::process::Command::new("python3").arg("--version").output() else {
        skipped("there is no python3");
        return;
    };
    let engine = format!("python3 {}/examples/engine.py", env!("CARGO_MANIFEST_DIR"));
    for more in [&["--clock", "60+1", "--swap"][..], &["--time", "9"], &["--simulations", "10", "--restart"]] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_malecon"));
        command.args(["match", "--side", "4", "--games", "4"]).args(more);
        command.arg("--engine").arg(format!("a={engine}")).arg("--engine").arg(format!("b={engine}"));
        let report = report(&mut command);
        assert_eq!(report["games"], 4);
        assert!(report["engines"].as_array().unwrap().iter().all(|engine| engine["faults"] == serde_json::json!({})));
    }
}
