//! The help of the program and of its subcommands.

mod gtp_client;

use gtp_client::run;

fn text(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(arguments, b"");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn every_subcommand_has_a_manual_with_examples() {
    for command in ["play", "gtp", "analyze", "serve", "regress", "sgf", "review", "match"] {
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
        (&["play", "--playuots", "4"], "'--playouts'"),
        (&["sgf", "--form", "sgf"], "'--from'"),
        (&["--set", "thread=2"], "did you mean threads?"),
    ] {
        let (status, _, error) = text(arguments);
        assert!(status == Some(2) && error.contains(suggestion), "{arguments:?}: {error}");
    }
}
