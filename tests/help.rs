//! The help of the program and of its subcommands.

use crate::gtp_client::run;

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
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("man-{}", std::process::id()));
    let (status, said, _) = text(&["man", "--out", folder.to_str().unwrap()]);
    assert!(status == Some(0) && said.is_empty());
    for name in ["malecon.1", "malecon-play.1", "malecon-review.1", "malecon-learn-play.1"] {
        let page = std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(page.contains(".SH OPTIONS") || page.contains(".SH SYNOPSIS"), "{name}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
