//! The documents say what the program does: options, commands and crates are all listed, no link leads nowhere, and the
//! tables of experiments can be read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::gtp_client::{answers, run};
use crate::skipped::skipped;

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
    let mut all: Vec<PathBuf> = ["", "docs", "fuzz", "gtp-scripts", "python", "web", "web/page"]
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
fn the_options_are_those_of_the_program() {
    // Those of one search method are listed only while it is on.
    let options = ["default", "rave"].map(|preset| answer_to("list_options", &["--preset", preset]));
    let expected: BTreeSet<String> = options
        .iter()
        .flat_map(|list| list.lines())
        .map(|line| {
            // NAME = VALUE (RANGE, default DEFAULT): DESCRIPTION
            let (head, description) = line.split_once("): ").unwrap_or_else(|| panic!("{line}"));
            let (name, values) = head.split_once(" = ").unwrap();
            let (range, default) = values.split_once(" (").unwrap().1.split_once(", default ").unwrap();
            let range = range.replace('|', ", ").replace("..", " to ");
            format!("| `{name}` | {default} | {range} | {description} |")
        })
        .collect();
    let document = read("docs/gtp.md");
    let tables = document.split("\n| option | default |").skip(1);
    let rows = tables.flat_map(|table| table.lines().skip(2).take_while(|line| line.starts_with('|')));
    let listed: BTreeSet<String> = rows.map(str::to_owned).collect();
    let lines = |rows: Vec<&String>| rows.into_iter().map(|row| format!("\n{row}")).collect::<String>();
    let missing = lines(expected.difference(&listed).collect());
    let left_over = lines(listed.difference(&expected).collect());
    assert!(missing.is_empty(), "docs/gtp.md lacks these rows:{missing}\nand these are wrong:{left_over}");
    assert!(left_over.is_empty(), "docs/gtp.md has rows of options that do not exist:{left_over}");
}

#[test]
fn the_commands_beyond_gtp_are_those_of_the_program() {
    let document = read("docs/gtp.md");
    let answer = answer_to("list_commands", &[]);
    let commands: Vec<&str> = answer.lines().filter(|command| !STANDARD.contains(command)).collect();
    for command in &commands {
        let family = command.split_once('_').map_or(*command, |(family, _)| family);
        let is_there = [format!("`{command}`"), format!("`{command} "), format!("`{family}_*`")]
            .iter()
            .any(|name| document.contains(name.as_str()));
        assert!(is_there, "docs/gtp.md does not explain the command {command}");
    }
    for (heading, column) in [("## Commands beyond GTP", 1), ("## Pictures", 2)] {
        let section = document.split(heading).nth(1).unwrap().split("\n## ").next().unwrap();
        for row in section.lines().filter(|line| line.starts_with("| ")).skip(1) {
            for name in row.split(" | ").nth(column - 1).unwrap().split('`').skip(1).step_by(2) {
                let name = name.split(' ').next().unwrap();
                let exists = match name.strip_suffix('*') {
                    Some(family) => commands.iter().any(|command| command.starts_with(family)),
                    None => commands.contains(&name),
                };
                assert!(exists, "docs/gtp.md explains {name}, which is not a command");
            }
        }
    }
}

#[test]
fn every_crate_is_listed() {
    let mut in_dependencies = false;
    let mut expected = BTreeSet::new();
    let manifest = read("Cargo.toml");
    for line in manifest.lines() {
        if line.starts_with('[') {
            // Those of the workspace are shared with its members; the package names the ones that it uses.
            in_dependencies = line.ends_with("dependencies]") && line != "[workspace.dependencies]";
        } else if let Some((name, _)) = line.split_once(" = ").filter(|_| in_dependencies) {
            expected.insert(name.trim_end_matches(".workspace"));
        }
    }
    let document = read("CONTRIBUTING.md");
    let table = document.split("## Dependencies").nth(1).unwrap().split("## ").next().unwrap();
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

/// Folders that only a build or a test makes.
const MADE: &[&str] = &["web/dist", "web/tests/screenshots"];

#[test]
fn files_that_are_named_exist() {
    let folders =
        [".ci/", "docs/", "examples/", "fuzz/", "gtp-scripts/", "scripts/", "src/", "tests/", "training/", "web/"];
    let mut checked = 0;
    for document in documents() {
        let text = without_code(&read(&document));
        for name in text.split('`').skip(1).step_by(2) {
            let is_path = folders.iter().any(|folder| name.starts_with(folder)) && !name.contains([' ', '*', '<']);
            if is_path && !MADE.contains(&name) {
                assert!(root().join(name).exists(), "{}: {name} does not exist", document.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "{checked}");
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
fn the_oldest_rust_is_named() {
    let manifest = read("Cargo.toml");
    let version = manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap().trim_matches('"');
    for document in ["README.md", "CONTRIBUTING.md"] {
        assert!(read(document).contains(&format!("{version} or later")), "{document}: Rust {version}");
    }
}

#[test]
fn the_citation_is_of_this_version() {
    let version = concat!("version: ", env!("CARGO_PKG_VERSION"));
    assert!(read("CITATION.cff").lines().any(|line| line == version), "CITATION.cff lacks {version}");
    let heading = concat!("## [", env!("CARGO_PKG_VERSION"), "]");
    assert!(read("CHANGELOG.md").lines().any(|line| line.starts_with(heading)), "CHANGELOG.md lacks {heading}");
}

#[test]
fn lines_of_documents_fit() {
    for document in documents() {
        let text = read(&document);
        let prose = text.split("```").step_by(2).flat_map(str::lines).filter(|line| !line.starts_with(['|', '<']));
        for line in prose {
            assert!(line.chars().count() <= 120, "{}: {line}", document.display());
        }
    }
}

/// A figure says on which day it was measured. Its commit is in the table of experiments; that of the present program
/// may be at the head of a page.
#[test]
fn commits_are_named_at_the_head_of_a_page_only() {
    const HEAD: usize = 5;
    for document in documents() {
        let text = without_code(&read(&document));
        let mut named = 0;
        for (number, line) in (1..).zip(text.lines()) {
            let words: Vec<&str> = line.split(|c: char| !c.is_ascii_alphanumeric()).collect();
            for pair in words.windows(2) {
                let is_hash = pair[1].len() == 7 && pair[1].bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
                let is_named =
                    pair[0].eq_ignore_ascii_case("commit") || pair[1].bytes().any(|b| b.is_ascii_alphabetic());
                if is_hash && is_named && pair[1].bytes().any(|b| b.is_ascii_digit()) {
                    named += 1;
                    assert!(number <= HEAD && named <= 1, "{}:{number}: commit {}", document.display(), pair[1]);
                }
            }
        }
    }
}

/// The rows of a file of comma-separated values, in which quotes enclose a value and are doubled within.
fn comma_separated(file: &str) -> Vec<Vec<String>> {
    read(file)
        .lines()
        .map(|line| {
            let (mut values, mut is_quoted) = (vec![String::new()], false);
            for (i, part) in line.split('"').enumerate() {
                is_quoted = i % 2 == 1;
                if is_quoted {
                    values.last_mut().unwrap().push_str(part);
                    continue;
                }
                let mut rest = part.split(',');
                values.last_mut().unwrap().push_str(rest.next().unwrap());
                values.extend(rest.map(str::to_owned));
            }
            assert!(!is_quoted, "{file}: a quote is not closed: {line}");
            values
        })
        .collect()
}

#[test]
fn experiments_are_newest_first_and_name_their_commands() {
    let mut commands = comma_separated("docs/experiments-commands.csv").into_iter();
    assert_eq!(commands.next().unwrap(), ["id", "command", "note"]);
    let ids: BTreeSet<String> = commands
        .map(|row| {
            assert_eq!(row.len(), 3, "{row:?}");
            row.into_iter().next().unwrap()
        })
        .collect();
    let experiments = comma_separated("docs/experiments.csv");
    let (head, rows) = experiments.split_first().unwrap();
    let document = read("docs/experiments.md");
    assert!(head.iter().all(|name| document.contains(&format!("`{name}`"))), "{head:?}");
    let column = |name: &str| head.iter().position(|cell| cell == name).unwrap();
    for row in rows {
        assert_eq!(row.len(), head.len(), "{row:?}");
        let command = row[column("command")].as_str();
        assert!(["", "not recorded"].contains(&command) || ids.contains(command), "no such command: {row:?}");
        for name in ["score", "elo", "low", "high", "error"] {
            let value = &row[column(name)];
            assert!(value.is_empty() || value.parse::<f64>().is_ok(), "{name} is not a number: {row:?}");
        }
    }
    assert!(rows.is_sorted_by(|a, b| a[0] >= b[0]), "the newest comes first");
}

#[cfg(target_os = "linux")]
#[test]
fn measure_prints_whole_tables() {
    let program = env!("CARGO_BIN_EXE_malecon");
    let arguments = ["--program", program, "--sides", "4 5", "--speed", "0.01", "--solver", "0.001"];
    let matches = ["--count", "2", "--time", "0.01", "--old", program];
    let output = Command::new(root().join("scripts/measure")).args(arguments).args(matches).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut tables = 0;
    for table in text.split("\n\n").filter(|part| part.starts_with('|')) {
        let cells = |row: &str| row.split('|').skip(1).map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
        let count = cells(table.lines().next().unwrap()).len();
        for row in table.lines().skip(2).map(cells) {
            assert_eq!(row.len(), count, "{table}");
            assert!(row[..count - 1].iter().all(|cell| !cell.is_empty()), "{table}");
        }
        tables += 1;
    }
    assert_eq!(tables, 4, "{text}");
}

/// The picture of the matches shows the table as it is: `scripts/measure --plot` draws it again.
#[test]
fn the_picture_of_elo_is_that_of_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Ok(output) = Command::new("python3").arg(root.join("scripts/plot-elo")).output() else {
        skipped("there is no python3");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let picture = fs::read(root.join("docs/images/elo.svg")).unwrap();
    assert!(output.stdout == picture, "docs/images/elo.svg is not up to date: scripts/measure --plot");
}
