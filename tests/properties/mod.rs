//! Properties that hold for every input. They are checked with the corpora of `fuzz/` (examples of everything, and
//! whatever fuzzing has found), with changed inputs of the corpora, and with random inputs. The fuzzers check the same
//! properties: see `fuzz/README.md`.

mod checks;

use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestRunner};

/// The inputs in the corpus of a check.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let inputs: Vec<Vec<u8>> = entries.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    assert!(!inputs.is_empty(), "{} is empty", folder.display());
    inputs
}

/// A change of an input: some bytes are overwritten, inserted, removed or repeated.
#[derive(Clone, Debug)]
enum Change {
    Overwrite(Index, Vec<u8>),
    Insert(Index, Vec<u8>),
    Remove(Index, Index),
    Repeat(Index, Index),
}

impl Change {
    fn any() -> impl Strategy<Value = Change> {
        let place = any::<Index>;
        prop_oneof![
            (place(), vec(any::<u8>(), 1..4)).prop_map(|(at, bytes)| Change::Overwrite(at, bytes)),
            (place(), vec(any::<u8>(), 1..8)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
            (place(), place()).prop_map(|(a, b)| Change::Remove(a, b)),
            (place(), place()).prop_map(|(a, b)| Change::Repeat(a, b)),
        ]
    }

    fn apply(&self, input: &mut Vec<u8>) {
        let end = input.len() + 1;
        let range = |a: &Index, b: &Index| {
            let (a, b) = (a.index(end), b.index(end));
            a.min(b)..a.max(b)
        };
        match self {
            Change::Overwrite(at, bytes) => {
                let at = at.index(end);
                let last = (at + bytes.len()).min(input.len());
                input.splice(at..last, bytes.iter().copied());
            }
            Change::Insert(at, bytes) => {
                let at = at.index(end);
                input.splice(at..at, bytes.iter().copied());
            }
            Change::Remove(a, b) => drop(input.drain(range(a, b))),
            Change::Repeat(a, b) => {
                let range = range(a, b);
                let copy = input[range.clone()].to_vec();
                input.splice(range.end..range.end, copy);
            }
        }
    }
}

/// Inputs of the corpus with changes, and random bytes.
fn inputs(corpus: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let changed = (select(corpus), vec(Change::any(), 1..6)).prop_map(|(mut input, changes)| {
        for change in changes {
            change.apply(&mut input);
            input.truncate(1 << 16);
        }
        input
    });
    prop_oneof![3 => changed, 1 => vec(any::<u8>(), 0..300)]
}

fn check_many(name: &str) {
    let corpus = corpus(name);
    for input in &corpus {
        checks::run(name, input);
    }
    // The seed is fixed, so that a test fails only because of a change; fuzzing looks for new inputs.
    let config = Config { cases: 200, failure_persistence: None, ..Config::default() };
    let mut runner =
        TestRunner::new_with_rng(config, proptest::test_runner::TestRng::deterministic_rng(Default::default()));
    let run = runner.run(&inputs(corpus), |input| {
        checks::run(name, &input);
        Ok(())
    });
    run.unwrap_or_else(|failure| panic!("{failure}"));
}

macro_rules! properties {
    ($($(#[$meta:meta])* $name:ident),+ $(,)?) => {
        $(#[test] $(#[$meta])* fn $name() { check_many(stringify!($name)); })+

        #[test]
        fn every_check_is_run() {
            let names: Vec<&str> = checks::ALL.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, [$(stringify!($name)),+]);
        }
    };
}
properties!(
    commands, games, gtp, hgf, json_lines, networks, openings, positions, proofs, queries, server, sgf, vertices
);

/// Each check has a fuzz target of its name.
#[test]
fn every_check_is_fuzzed() {
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/Cargo.toml")).unwrap();
    for (name, _) in checks::ALL {
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "fuzz/Cargo.toml has no target {name}");
    }
}
