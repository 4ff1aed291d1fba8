//! The rooms of `src` stand on each other in one direction, as docs/architecture.md says.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, the lowest first. Each uses only those before it.
const ROOMS: [&str; 9] = ["base", "game", "proof", "network", "engine", "review", "protocols", "tools", "cli"];

/// The modules of the engine, in the same order.
const ENGINE: [&str; 7] = ["playout", "solver", "search", "inspect", "frames", "reasons", "session"];

/// Proofs are believed because their checker uses the rules of the game and nothing else.
const PROOF_USES: [&str; 3] = ["base", "game", "proof"];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// The names that follow `prefix` in the code of a file, without its comments and unit tests.
fn names_after(prefix: &str, file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    lines.flat_map(|line| line.split(prefix).skip(1).map(name).collect::<Vec<_>>()).collect()
}

/// Asserts that the folders of `root` use each other in the given order only.
fn assert_order(root: &str, prefixes: &[&str], order: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(root);
    for (at, room) in order.iter().enumerate() {
        let files: Vec<_> =
            sources(&root.join(room)).into_iter().filter(|f| f.extension().is_some_and(|e| e == "rs")).collect();
        assert!(!files.is_empty(), "{room} is empty");
        for file in files {
            for name in prefixes.iter().flat_map(|prefix| names_after(prefix, &file)) {
                let used = order.iter().position(|room| *room == name);
                assert!(used.is_none_or(|used| used <= at), "{} uses {name}, which stands above it", file.display());
            }
        }
    }
}

#[test]
fn rooms_use_only_lower_rooms() {
    assert_order("src", &["crate::", "malecon::"], &ROOMS);
    assert_order("src/engine", &["crate::engine::"], &ENGINE);
}

#[test]
fn every_room_has_its_place() {
    let folders = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap().map(|entry| entry.unwrap());
    for folder in folders.filter(|entry| entry.path().is_dir()) {
        let name = folder.file_name().into_string().unwrap();
        assert!(ROOMS.contains(&&*name), "src/{name} is not in the list of rooms");
    }
}

#[test]
fn the_checker_of_proofs_stands_on_the_rules_alone() {
    for file in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/proof")) {
        if file.extension().is_some_and(|extension| extension == "rs") {
            let used = names_after("crate::", &file);
            assert!(used.iter().all(|name| PROOF_USES.contains(&&**name)), "{} uses {used:?}", file.display());
        }
    }
}
