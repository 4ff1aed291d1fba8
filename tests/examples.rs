//! The examples of the documents in shells: those with an answer give this answer, and in all others the program
//! understands its command line. `tests/analyze.rs` runs those in JSON, `python/tests` those in Python.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::scratch::Scratch;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The code blocks of a document with one of these languages, each with the number of its first line.
fn blocks(document: &Path, languages: &[&str]) -> Vec<(usize, Vec<String>)> {
    let text = fs::read_to_string(document).unwrap();
    let (mut blocks, mut open) = (Vec::new(), None);
    for (number, line) in (1..).zip(text.lines()) {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((languages.contains(&language), number + 1, Vec::new())),
            (Some(_), Some(_)) => {
                let (is_wanted, start, lines) = open.take().unwrap();
                blocks.extend(is_wanted.then_some((start, lines)));
            }
            (None, Some((_, _, lines))) => lines.push(line.to_owned()),
            (None, None) => {}
        }
    }
    blocks
}

/// The documents for users.
fn documents() -> Vec<PathBuf> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> = docs.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    all.extend(
        ["README.md", "CONTRIBUTING.md", "web/README.md", "gtp-scripts/README.md"].map(|name| root().join(name)),
    );
    all.sort();
    all
}

/// A folder that has what the examples name, and in which they may write.
struct Folder(Scratch);

impl Folder {
    fn new() -> Folder {
        let folder = Scratch::folder("examples");
        for name in ["docs", "tests", "gtp-scripts", "examples"] {
            std::os::unix::fs::symlink(root().join(name), folder.join(name)).unwrap();
        }
        Folder(folder)
    }

    /// Runs a command in a shell in which `malecon` is the program under test.
    fn run(&self, command: &str) -> Output {
        let program = Path::new(env!("CARGO_BIN_EXE_malecon")).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let shell = ["-c", command];
        let mut shell_command = Command::new("sh");
        shell_command.args(shell).current_dir(&self.0).env("PATH", format!("{}:{path}", program.display()));
        shell_command.output().unwrap()
    }
}

/// A line without what depends on the machine: times, speeds and memory.
fn without_measurements(line: &str) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    for i in 1..words.len() {
        let unit = words[i].trim_end_matches([',', ')', '.']);
        if ["s", "ms", "µs", "MB", "nodes/s"].contains(&unit) {
            words[i - 1] = "N";
        }
    }
    words.join(" ")
}

/// Whether lines are those of an example, in which `...` stands for any lines.
fn agree(lines: &[&str], example: &[&str]) -> bool {
    match (lines, example) {
        (_, ["..."]) => true,
        ([], []) => true,
        (_, ["...", rest @ ..]) => (0..=lines.len()).any(|skipped| agree(&lines[skipped..], rest)),
        ([line, lines @ ..], [first, rest @ ..]) => {
            without_measurements(line) == without_measurements(first) && agree(lines, rest)
        }
        _ => false,
    }
}

/// Examples that take too long, need other programs or do not end, by words of their commands.
const NOT_RUN: [&str; 3] = ["cargo ", "xz ", "malecon serve"];

#[test]
fn examples_with_answers_give_these_answers() {
    let folder = Folder::new();
    let mut run = 0;
    for document in documents() {
        for (start, block) in blocks(&document, &["console"]) {
            let block: Vec<&str> = block.iter().map(String::as_str).collect();
            // A conversation at a terminal, or commands that are shown without answers.
            if block.contains(&"quit") || block.iter().all(|line| line.starts_with("$ ")) {
                continue;
            }
            let mut rest = &block[..];
            while let Some((command, after)) = rest.split_first() {
                let end = after.iter().position(|line| line.starts_with("$ ")).unwrap_or(after.len());
                let (example, later) = after.split_at(end);
                rest = later;
                let command = command.strip_prefix("$ ").unwrap_or_else(|| panic!("{}:{start}", document.display()));
                if NOT_RUN.iter().any(|words| command.contains(words)) {
                    continue;
                }
                let output = folder.run(command);
                let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
                let lines: Vec<&str> = said.lines().collect();
                let agrees = example.is_empty() || agree(&lines, example);
                assert!(agrees, "{}:{start}: {command}\n{said}", document.display());
                run += usize::from(!example.is_empty());
            }
        }
    }
    assert!(run >= 9, "{run}");
}

/// The commands of a shell script that start the program, as words.
fn commands(script: &str) -> Vec<Vec<String>> {
    let mut script = script.replace("\\\n", " ");
    // What a shell or GNU parallel would put there.
    for (pattern, value) in [
        ("\"$SLURM_ARRAY_TASK_ID/8\"", "1/8"),
        ("$SLURM_ARRAY_TASK_ID", "1"),
        ("\"$SLURM_CPUS_PER_TASK\"", "4"),
        ("$((100 + stones))", "107"),
        ("$stones", "7"),
        ("$(printf -- '--known %s ' parts/*.proof)", "--known parts/1.proof"),
        (" ::: $(seq 8)", ""),
        (" ::: 1 2", ""),
        ("{}", "1"),
    ] {
        script = script.replace(pattern, value);
    }
    let mut found = Vec::new();
    for line in script.lines() {
        let words = shlex::split(line).unwrap_or_else(|| panic!("{line}"));
        for command in words.split(|word| ["|", ";", "&&", "do"].contains(&word.as_str())) {
            let program = command.iter().position(|word| word == "malecon" || word == "target/release/malecon");
            // Behind these words is another command.
            let is_prefix = |word: &String| ["exec", "parallel", "sudo"].contains(&word.as_str());
            let Some(program) = program.filter(|&at| at == 0 || command[..at].iter().any(is_prefix)) else { continue };
            let end = command.iter().position(|word| word.starts_with(['>', '<'])).unwrap_or(command.len());
            if program < end {
                found.push(command[program + 1..end].to_vec());
            }
        }
    }
    found
}

/// The program reads the whole command line before it shows the help.
#[test]
fn command_lines_of_examples_are_understood() {
    let folder = Folder::new();
    let mut checked = 0;
    for document in documents() {
        for (start, block) in blocks(&document, &["sh", "console"]) {
            // Where commands begin with a prompt, the other lines are answers.
            let has_prompts = block.iter().any(|line| line.starts_with("$ "));
            let is_command = |line: &&String| !has_prompts || line.starts_with("$ ");
            let lines = block.iter().filter(is_command);
            let script: String = lines.map(|line| format!("{}\n", line.strip_prefix("$ ").unwrap_or(line))).collect();
            for words in commands(&script) {
                let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
                let output = command.args(&words).arg("--help").current_dir(&folder.0).output().unwrap();
                let error = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{}:{start}: {words:?}\n{error}", document.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 60, "{checked}");
}
