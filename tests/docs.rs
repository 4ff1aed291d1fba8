//! The documents say what the program does: options, commands and crates are all listed, and no link leads nowhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::gtp_client::{answers, run};

/// Commands of GTP itself, which its own specification explains.
const STANDARD: &[&str] = &[
    "protocol_version",
    "name",
    "version",
    "list_commands",
    "known_command",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
    "time_settings",
    "time_left",
    "showboard",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: impl AsRef<Path>) -> String {
    let path = root().join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every document, by its path from the root.
fn documents() -> Vec<PathBuf> {
    let pages = |folder: &str| {
        let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| Path::new(folder).join(name)).collect::<Vec<_>>()
    };
    let mut all: Vec<PathBuf> = ["", "docs", "gtp-scripts"]
        .into_iter()
        .flat_map(pages)
        .filter(|path| path.extension() == Some("md".as_ref()))
        .collect();
    all.sort();
    all
}

fn answer_to(command: &str, arguments: &[&str]) -> String {
    answers(&run(arguments, format!("{command}\n").as_bytes()))[0].strip_prefix("= ").unwrap().to_owned()
}

#[test]
fn every_option_has_its_row() {
    let document = read("docs/gtp.md");
    // Those of one search method are listed only while it is on.
    let options = ["default", "rave"].map(|preset| answer_to("list_options", &["--preset", preset]));
    let options: BTreeSet<&str> = options.iter().flat_map(|list| list.lines()).collect();
    let missing: BTreeSet<String> = options
        .into_iter()
        .map(|line| {
            // NAME = VALUE (RANGE, default DEFAULT): DESCRIPTION
            let (head, description) = line.split_once("): ").unwrap_or_else(|| panic!("{line}"));
            let (name, values) = head.split_once(" = ").unwrap();
            let (range, default) = values.split_once(" (").unwrap().1.split_once(", default ").unwrap();
            let range = range.replace('|', ", ").replace("..", " to ");
            format!("| `{name}` | {default} | {range} | {description} |")
        })
        .filter(|row| !document.lines().any(|line| line == row))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/gtp.md lacks these rows:\n{}",
        missing.into_iter().collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn every_command_beyond_gtp_is_explained() {
    let document = read("docs/gtp.md");
    for command in answer_to("list_commands", &[]).lines().filter(|command| !STANDARD.contains(command)) {
        let family = command.split_once('_').map_or(command, |(family, _)| family);
        let is_there = [format!("`{command}`"), format!("`{command} "), format!("`{family}_*`")]
            .iter()
            .any(|name| document.contains(name.as_str()));
        assert!(is_there, "docs/gtp.md does not explain the command {command}");
    }
}

#[test]
fn every_crate_is_in_the_readme() {
    let mut in_dependencies = false;
    let mut expected = BTreeSet::new();
    let manifest = read("Cargo.toml");
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line.ends_with("dependencies]");
        } else if let Some((name, _)) = line.split_once(" = ").filter(|_| in_dependencies) {
            expected.insert(name);
        }
    }
    let readme = read("README.md");
    let table = readme.split("## Dependencies").nth(1).unwrap().split("## ").next().unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")).map(|line| line.split(" |").next().unwrap());
    let listed: BTreeSet<&str> = rows.flat_map(|names| names.split(", ").map(|name| name.trim_matches('`'))).collect();
    assert_eq!(listed, expected);
}

#[test]
fn links_lead_somewhere() {
    let mut checked = 0;
    for document in documents() {
        let text = without_code(&read(&document));
        for target in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            if target.starts_with("http") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => document.clone(),
                _ => document.parent().unwrap().join(file),
            };
            assert!(root().join(&path).exists(), "{}: {target} does not exist", document.display());
            let found = anchor.is_empty() || anchors(&read(&path)).contains(anchor);
            assert!(found, "{}: {target} has no such heading", document.display());
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked}");
}

/// The anchors that GitHub makes of the headings, and those that are written out.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = without_code(text).lines().filter(|line| line.starts_with('#')).map(slug).collect::<BTreeSet<_>>();
    let explicit = text.split("<a id=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned());
    headings.into_iter().chain(explicit).collect()
}

fn slug(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    heading.chars().filter(|&c| c.is_alphanumeric() || c == '-' || c == '_').collect()
}

fn without_code(text: &str) -> String {
    let parts = text.split("```").enumerate();
    parts.filter(|(i, _)| i % 2 == 0).map(|(_, part)| part).collect()
}

#[test]
fn experiments_are_listed_newest_first() {
    let document = read("docs/experiments.md");
    let rows: Vec<Vec<&str>> =
        document.lines().filter(|line| line.starts_with("| 20")).map(|line| line.split(" | ").collect()).collect();
    assert!(rows.len() > 200);
    for row in &rows {
        assert_eq!(row.len(), 10, "a row has ten columns: {row:?}");
    }
    assert!(rows.is_sorted_by(|a, b| a[0] >= b[0]));
}
