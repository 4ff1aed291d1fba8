//! The help of the program and of its subcommands.

use crate::gtp_client::run;
use crate::scratch::Scratch;

fn text(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(arguments, b"");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn every_subcommand_has_a_manual_with_examples() {
    for command in ["play", "gtp", "analyze", "serve", "regress", "sgf", "review", "solve", "puzzles", "match"] {
        let (status, help, _) = text(&[command, "--help"]);
        assert!(status == Some(0) && help.contains("Examples"), "{help}");
        assert!(help.contains(&format!("  malecon {}", if command == "gtp" { "--side" } else { command })), "{help}");
        let (status, all, _) = text(&["--help"]);
        assert!(status == Some(0) && all.contains(&format!("\n  {command} ")) && all.contains("malecon play"), "{all}");
    }
}

#[test]
fn the_version_names_the_commit_and_the_signature() {
    let first = concat!("malecon ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(text(&["-V"]), (Some(0), first.into(), String::new()));
    let commit = option_env!("MALECON_COMMIT").unwrap_or("unknown");
    let expected = format!("{first}commit {commit}\nsignature {}\n", malecon::tools::bench::SIGNATURE);
    assert_eq!(text(&["--version"]), (Some(0), expected, String::new()));
}

#[test]
fn misspelt_words_are_answered_with_a_suggestion() {
    for (arguments, suggestion) in [
        (&["plya"][..], "'play'"),
        (&["--sied", "4"], "'--side'"),
        (&["play", "--simualtions", "4"], "'--simulations'"),
        (&["sgf", "--form", "sgf"], "'--from'"),
        (&["--set", "thread=2"], "did you mean threads?"),
    ] {
        let (status, _, error) = text(arguments);
        assert!(status == Some(2) && error.contains(suggestion), "{arguments:?}: {error}");
    }
}

#[test]
fn shells_and_manual_readers_get_what_the_command_line_has() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let (status, script, _) = text(&["completions", shell]);
        for word in ["review", "simulations", "completions"] {
            assert!(status == Some(0) && script.contains(word), "{shell} lacks {word}");
        }
    }
    assert_eq!(text(&["completions", "tcsh"]).0, Some(2));
    let (status, page, _) = text(&["man"]);
    assert!(status == Some(0) && page.contains(".TH malecon 1") && page.contains("malecon\\-review(1)"), "{page}");
    let folder = Scratch::new("man");
    let (status, said, _) = text(&["man", "--out", folder.path()]);
    assert!(status == Some(0) && said.is_empty());
    for name in ["malecon.1", "malecon-play.1", "malecon-review.1", "malecon-learn-play.1"] {
        let page = std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(page.contains(".SH OPTIONS") || page.contains(".SH SYNOPSIS"), "{name}");
    }
}

#[test]
fn options_of_solve_that_became_commands_are_named() {
    for (arguments, command) in [
        (&["solve", "--side", "4", "--proof", "a.proof", "a1"][..], "malecon solve prove --out FILE"),
        (&["solve", "--check", "a.proof"], "malecon solve check PROOF"),
        (&["solve", "--positions", "a.jsonl", "--shard", "1/2"], "malecon solve batch POSITIONS"),
        (&["solve", "--side", "4", "--openings", "2"], "malecon solve openings STONES"),
        (&["solve", "--check=a.proof", "--table", "b"], "malecon solve check PROOF"),
    ] {
        let (status, said, error) = text(arguments);
        let option = arguments.iter().find_map(|word| word.strip_prefix("--").filter(|&name| name != "side")).unwrap();
        let option = option.split('=').next().unwrap();
        let expected =
            format!("error: --{option} of 'malecon solve' is now '{command}' (see 'malecon solve --help')\n");
        assert_eq!((status, said, error), (Some(2), String::new(), expected), "{arguments:?}");
    }
}

/// Each kind of failure, with the status that docs/reliability.md lists. That of an interruption has its own test.
#[test]
fn the_status_says_how_a_command_ended() {
    let files = Scratch::folder("status");
    let broken = files.write("broken.sgf", "(;SZ[4];W[z9])");
    let script = files.write("script.tst", "1 name\n#? [Somebody]\n");
    let proof = files.write("a.proof", "no proof");
    for (arguments, expected) in [
        (&["network"][..], 0),
        (&["sgf", &broken], 1),
        (&["regress", &script], 1),
        (&["network", "no such file"], 1),
        (&["review", "no such file"], 1),
        (&["learn", "test", "--games", "no such file"], 1),
        (&["match", "--merge", "no such file"], 1),
        (&["puzzles", "--check", "no such file"], 1),
        (&["solve", "check", &proof], 1),
        (&["solve", "check", "no such file"], 2),
        (&["solve", "--side", "9"], 2),
        (&["match", "--engine", "a=b"], 2),
        (&["gtp", "--set", "threads=many"], 2),
        (&["bench", "--side", "99"], 2),
        (&["network", "--side", "255"], 2),
        (&["play", "--handicap", "9"], 2),
    ] {
        let (status, _, error) = text(arguments);
        assert_eq!(status, Some(expected), "{arguments:?}: {error}");
        let is_told = error.lines().any(|line| line.starts_with("error: "));
        assert_eq!(is_told, expected > 0 && arguments[0] != "regress", "{arguments:?}: {error}");
    }
}

/// Ctrl-C in work that would take days.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_review_has_its_own_status() {
    use std::process::{Command, Stdio};
    let game = Scratch::file("game.sgf", "(;SZ[5];W[a1];B[e5];W[b2];B[c3])");
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args(["review", "--time", "100000", game.path()]).env_remove("RUST_LOG");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = crate::processes::interrupted(command.spawn().unwrap());
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    // Nothing, if the review had not begun.
    assert!(said.is_empty() || said.contains("The review was stopped after 0 of 5 positions"), "{said}");
}

/// Names, options and lines of files that would colour, move or turn the text of a terminal.
#[test]
fn nothing_that_is_quoted_controls_the_terminal() {
    const HOSTILE: &str = "\u{1b}[31m\u{9b}2J\u{202e}\u{2066}\u{7f}";
    let files = Scratch::folder("escapes");
    let missing = format!("{}/{HOSTILE}", files.path());
    let named = files.write(&format!("{HOSTILE}.sgf"), "(;SZ[4];W[a1])");
    let game = |by: &str| {
        format!(
            "{{\"side\":4,\"white\":\"a{HOSTILE}\",\"black\":\"b\",\"moves\":[\"a1\"],\"winner\":\"white\",\
             \"by\":\"{by}\",\"opening\":[],\"seconds\":[0.0],\"game\":0}}\n"
        )
        .replace('\u{1b}', "\\u001b")
    };
    let games = files.write("games.jsonl", game(HOSTILE));
    let winner = format!("\"winner\":\"{HOSTILE}\"").replace('\u{1b}', "\\u001b");
    let wrong = files.write("wrong.jsonl", game("ring").replace("\"winner\":\"white\"", &winner));
    let puzzle = format!("{{\"{HOSTILE}\":1}}\n").replace('\u{1b}', "\\u001b");
    let puzzles = files.write("puzzles.jsonl", &puzzle);
    let script = files.write("script.tst", format!("1 name\n#? [x]\n2 {HOSTILE}\n#? [x]\n"));
    let positions = files.write("positions.jsonl", "{\"side\":4,\"moves\":[\"\\u001b[31m\\u202e\"]}\n");
    let engine = files.write(
        "engine",
        format!("#!/bin/sh\nprintf '%s\\n' '{HOSTILE}' >&2\nread line\nprintf '%s\\n\\n' '? {HOSTILE}'\nexit 3\n"),
    );
    let engine = format!("e{HOSTILE}=sh {engine}");
    let option = format!("--{HOSTILE}");
    let setting = format!("{HOSTILE}=1");
    for arguments in [
        &["sgf", &missing][..],
        &["sgf", &named],
        &["review", &missing],
        &["match", "--merge", &games],
        &["match", "--merge", &games, "--json"],
        &["match", "--merge", &wrong],
        &["match", "--merge", &missing],
        &["match", "--side", "3", "--games", "2", "--engine", &engine, "--engine", "b=sh -c 'exit 4'"],
        &["puzzles", "--check", &puzzles],
        &["regress", &script],
        &["regress", &missing],
        &["solve", "batch", &positions],
        &["solve", "check", &missing],
        &["learn", "test", "--games", &missing],
        &["network", &missing],
        &["gtp", "--set", &setting],
        &["play", &option],
        &["play", &missing],
        &[&missing],
    ] {
        let output = run(arguments, b"");
        let said = String::from_utf8([output.stderr, output.stdout].concat()).unwrap();
        let is_hidden =
            |c: char| (c.is_control() && c != '\n') || ('\u{2028}'..='\u{202e}').contains(&c) || c == '\u{2066}';
        // JSON for programs may hold what no terminal takes for a control character.
        let is_json = arguments.contains(&"--json");
        let bad: Vec<char> = said.chars().filter(|&c| is_hidden(c) && (c.is_ascii() || !is_json)).collect();
        assert!(bad.iter().all(|&c| is_json && c == '\u{7f}'), "{arguments:?}: {bad:?} in {said:?}");
        assert!(said.contains("u{202e}") || is_json || arguments[0] == "sgf", "{arguments:?}: {said:?}");
    }
}
