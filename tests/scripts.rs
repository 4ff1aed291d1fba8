//! The scripts in `gtp-scripts/`, and `malecon regress`, which runs such scripts.

use std::path::{Path, PathBuf};

use crate::gtp_client::{answers, run};
use crate::scratch::Scratch;

fn scripts(extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("gtp-scripts");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|e| e == extension)).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn regress(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(&[&["regress"], arguments].concat(), b"");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
#[ignore = "takes long: run by .ci/run"]
fn all_regression_scripts_pass() {
    let files = scripts("tst");
    let files: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
    let (status, text, error) = regress(&files);
    assert_eq!((status, &error[..]), (Some(0), ""), "{text}");
    assert!(text.contains(" 0 failed") && !text.contains("passed although"), "{text}");
}

#[test]
#[ignore = "takes long: run by .ci/run"]
fn the_first_game_ends_with_a_winner() {
    for file in scripts("gtp") {
        // As it is written, but for the time that it takes.
        let script = std::fs::read_to_string(&file).unwrap();
        assert!(script.contains("simulations 20000"));
        let output = run(&[], script.replace("simulations 20000", "simulations 1000").as_bytes());
        let answers = answers(&output);
        assert!(output.status.success() && answers.iter().all(|answer| answer.starts_with('=')), "{answers:?}");
        assert!(["= white", "= black", "= draw"].contains(&&answers[answers.len() - 2][..]), "{answers:?}");
    }
}

fn script(name: &str, text: &str) -> Scratch {
    let file = Scratch::new(&format!("{name}.tst"));
    std::fs::write(file.path(), text).unwrap();
    file
}

#[test]
fn a_failure_is_reported_with_its_position_and_sets_the_exit_status() {
    let file = script("failure", "# comment\n1 name\n#? [Malecon]\n2 name\n#? [Castro]\n3 version\n#? [x]*\n");
    let (status, text, _) = regress(&[file.path()]);
    let place = format!("{}:4: FAILED: 2 name: answered '= Malecon', expected [Castro]\n", file.path());
    assert_eq!(status, Some(1));
    assert!(text.starts_with(&place), "{text}");
    let summary = "1 file, 3 tests: 1 passed, 1 failed; 1 known to fail, as marked in the scripts\n";
    assert!(text.ends_with(summary), "{text}");
}

#[test]
fn an_unexpected_pass_is_not_a_failure_but_a_refused_command_is() {
    let pass = script("pass", "1 name\n#? [!Castro]*\n");
    let (status, text, _) = regress(&[pass.path()]);
    assert!(
        status == Some(0) && text.contains(":1: UNEXPECTED PASS: 1 name: answered '= Malecon', expected [!Castro]*")
    );
    // The engine ends before the third test, and the other two count.
    let ending = script("ending", "1 name\n#? [Malecon]\n2 name\n#? [Castro]\n3 quit\n#? [x]\n4 name\n#? [Malecon]\n");
    let (status, text, error) = regress(&[ending.path()]);
    assert!(status == Some(1) && error.contains("before it answered"), "{error}");
    assert!(text.ends_with("3 tests: 1 passed, 2 failed\n"), "{text}");
    let refused = script("refused", "play white z9\n");
    let (status, text, _) = regress(&[refused.path()]);
    assert!(status == Some(1) && text.contains(":1: REFUSED: play white z9: answered '? "), "{text}");
}

#[test]
fn errors_are_reported_and_set_the_exit_status() {
    let fine = script("fine", "1 name\n#? [Malecon]\n");
    let broken = script("broken", "1 name\n#? Malecon\n");
    for (arguments, words) in [
        (&["missing.tst"][..], "missing.tst: "),
        (&[broken.path()], "line 2: 'Malecon' is not of the form [pattern]"),
        (&["--engine", "there-is-no-such-engine", fine.path()], "cannot start 'there-is-no-such-engine'"),
        (&["--engine", "'", fine.path()], "the command of --engine has an unclosed quote"),
        (&["--engine", " ", fine.path()], "the command of --engine is empty"),
        (&["--engine", "true", fine.path()], "error: "),
        (&["--engine", "cat /dev/zero", fine.path()], "is longer than "),
        (&["--engine", "yes hello", fine.path()], "is longer than "),
        (&["--engine", "sleep 100000", "--silence", "0.2", fine.path()], "no answer to 'name' within 0.2 s"),
    ] {
        let (status, _, error) = regress(arguments);
        assert!(status == Some(1) && error.contains(words), "{arguments:?}: {error}");
    }
}

#[test]
fn long_words_are_refused_and_cut_in_messages() {
    let word = "x".repeat(100_000);
    let file = script("long", &format!("{word}\n1 help {word}\n#? [.*]*\n2 set_option {word} 1\n#? [.*]*\n"));
    let (status, text, _) = regress(&["--verbose", file.path()]);
    assert!(text.len() < 10_000, "{} bytes are printed", text.len());
    assert!(status == Some(1) && text.contains("; 2 known to fail") && text.contains("; 1 other command"), "{text}");
}

#[test]
fn another_engine_can_be_tested() {
    let file = script("engine", "1 all_legal\n#? [A1 A2 B1 B2 B3 C2 C3]\n");
    let engine = format!("'{}' gtp --side 2 --gui gogui", env!("CARGO_BIN_EXE_malecon"));
    let (status, text, _) = regress(&["--verbose", "--engine", &engine, file.path()]);
    assert!(status == Some(0) && text.contains(":1: passed: 1 all_legal"), "{text}");
}

/// An engine that does not answer, until the program is interrupted or killed.
#[cfg(target_os = "linux")]
#[test]
fn no_engine_outlives_the_program() {
    use crate::processes::has_ended;
    use rustix::process::{Pid, Signal, kill_process};
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let file = script("hanging", "1 name\n#? [x]\n");
    for (signal, status) in [(Signal::INT, Some(130)), (Signal::TERM, Some(130)), (Signal::KILL, None)] {
        let pid_file = Scratch::new("hanging.pid");
        let engine =
            format!("sh -c 'echo $$ > {0}.new; mv {0}.new {0}; while :; do sleep 0.05; done'", pid_file.path());
        let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
        command.args(["regress", "--engine", &engine, file.path()]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut program = command.spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        let wait_for = |what: &str, mut is_done: Box<dyn FnMut() -> bool>| {
            while !is_done() {
                assert!(Instant::now() < deadline, "{what}");
                std::thread::sleep(Duration::from_millis(10));
            }
        };
        let path = pid_file.path().to_owned();
        wait_for("the engine starts", Box::new(move || Path::new(&path).exists()));
        let pid = std::fs::read_to_string(pid_file.path()).unwrap();
        kill_process(Pid::from_child(&program), signal).unwrap();
        assert_eq!(program.wait().unwrap().code(), status, "{signal:?}");
        wait_for("the engine ends", Box::new(move || has_ended(pid.trim())));
    }
}
