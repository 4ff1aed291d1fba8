//! What people send and name may be large. For each door, the input grows tenfold three times, and the memory that the
//! program takes stays below a limit that grows with the input in proportion.

#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::{self, sleep};
use std::time::Duration;

use crate::gtp_client::Scratch;

/// A way into the program.
struct Door {
    /// Its name.
    name: &'static str,
    /// The arguments. `FILE` stands for the name of the file with the input, and `OUT` for that of an output.
    arguments: &'static str,
    /// Whether the input is sent to stdin.
    is_stdin: bool,
    /// An input of about this many bytes.
    input: fn(usize) -> String,
    /// The memory that the program may take, in bytes for each byte of input, in addition to [`BASE`].
    factor: usize,
}

/// The memory that the program may take without an input, in bytes: its networks, the tree and the tables of a search.
const BASE: usize = 80 << 20;

/// A text with this part again and again, of at least this many bytes.
fn repeated(part: &str, bytes: usize) -> String {
    part.repeat(bytes.div_ceil(part.len()))
}

/// A record with variations and comments.
fn sgf(bytes: usize) -> String {
    format!("(;FF[4]SZ[5];W[a1]{})", repeated("(;B[b2]C[a comment];W[c3];B[d4]LB[a1:x])", bytes))
}

const GAME: &str = "{\"side\":4,\"white\":\"a\",\"black\":\"b\",\"moves\":[\"a1\",\"d4\",\"a2\"],\"winner\":\"white\",\
    \"by\":\"resign\",\"opening\":[\"a1\"],\"seconds\":[0.0,0.1,0.2],\"game\":0}\n";

const PUZZLE: &str = "{\"id\":1,\"side\":3,\"moves\":[\"a1\",\"c5\",\"a2\",\"c4\"],\"to_move\":\"white\",\"solution\":[\"a3\"],\
    \"theme\":\"bridge\",\"moves_to_win\":1,\"grade\":1,\"line\":[\"a3\"]}\n";

const DOORS: &[Door] = &[
    Door {
        name: "moves of a GTP command",
        arguments: "gtp --memory 16",
        is_stdin: true,
        input: |bytes| format!("playgame {}\nplay white a1\n", repeated("a1 b2 ", bytes)),
        factor: 20,
    },
    Door {
        name: "GTP commands",
        arguments: "gtp --memory 16",
        is_stdin: true,
        input: |bytes| repeated("play white a1\nundo\nplay black z99\n", bytes),
        factor: 4,
    },
    Door { name: "a record to play on", arguments: "play FILE", is_stdin: false, input: sgf, factor: 120 },
    Door {
        name: "queries",
        arguments: "analyze --memory 16 --searches 1",
        is_stdin: true,
        input: |bytes| repeated("{\"id\":\"a\",\"side\":4,\"moves\":[\"a1\"],\"want\":[\"chains\"]}\n", bytes),
        factor: 4,
    },
    Door {
        name: "a query with a record",
        arguments: "analyze --memory 16 --searches 1",
        is_stdin: true,
        input: |bytes| format!("{{\"id\":\"a\",\"action\":\"read_record\",\"text\":\"{}\"}}\n", sgf(bytes)),
        factor: 150,
    },
    Door {
        name: "a query with fields that do not exist",
        arguments: "analyze --memory 16 --searches 1",
        is_stdin: true,
        input: |bytes| format!("{{\"id\":\"a\",\"side\":4,\"want\":[],\"x\":[{}0]}}\n", repeated("{\"\":[0]},", bytes)),
        factor: 120,
    },
    Door { name: "a record to convert", arguments: "sgf FILE", is_stdin: false, input: sgf, factor: 120 },
    Door {
        name: "many games",
        arguments: "sgf --to jsonl FILE",
        is_stdin: false,
        input: |bytes| repeated("(;FF[4]SZ[4]PW[a]PB[b];W[a1];B[b2];W[c3];B[d4])\n", bytes),
        factor: 120,
    },
    Door {
        name: "lists of moves",
        arguments: "sgf --to sgf FILE",
        is_stdin: false,
        input: |bytes| format!("# side 5\n{}", repeated("1. a1 b2 2. c3 d4 3. e5\n", bytes)),
        factor: 80,
    },
    Door {
        name: "a text that is no record",
        arguments: "sgf FILE",
        is_stdin: false,
        input: |bytes| repeated("(;C[(;C[", bytes),
        factor: 20,
    },
    Door {
        name: "a record to review",
        arguments: "review --simulations 1 FILE -o OUT",
        is_stdin: false,
        input: |bytes| format!("(;FF[4]SZ[4];W[a1]C[{}];B[b2])", repeated("long ", bytes)),
        factor: 40,
    },
    Door {
        name: "puzzles to check",
        arguments: "puzzles --check FILE",
        is_stdin: false,
        input: |bytes| repeated(PUZZLE, bytes),
        factor: 40,
    },
    Door {
        name: "positions to solve",
        arguments: "solve batch FILE --memory 16 --nodes 1 --quiet --out OUT",
        is_stdin: false,
        input: |bytes| format!("{}x\n", repeated("{\"side\":3,\"moves\":[\"a1\"]}\n", bytes)),
        factor: 240,
    },
    Door {
        name: "openings of a match",
        arguments: "match --engine a=false --engine b=false --side 5 --games 2 --openings FILE",
        is_stdin: false,
        input: |bytes| repeated("a1 b2 c3 d4\n", bytes),
        factor: 140,
    },
    Door {
        name: "games of a match",
        arguments: "match --merge FILE",
        is_stdin: false,
        input: |bytes| {
            (0..bytes.div_ceil(GAME.len()))
                .map(|number| GAME.replace("\"game\":0", &format!("\"game\":{number}")))
                .collect()
        },
        factor: 20,
    },
    Door {
        name: "a regression script",
        arguments: "regress FILE",
        is_stdin: false,
        input: |bytes| repeated("10 name\n#? [Malecon]\n", bytes),
        factor: 140,
    },
    Door {
        name: "games to learn from",
        arguments: "learn export --games FILE --out OUT",
        is_stdin: false,
        input: |bytes| format!("{}x\n", repeated("{\"side\":3,\"moves\":[\"a1\"]}\n", bytes)),
        factor: 40,
    },
];

/// The most memory that a process has had so far, in bytes. `None` if it has ended.
fn peak(process: &Child) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10)
}

/// The most memory that the program takes with this input, and the status with which it ends.
fn run(door: &Door, input: &str) -> (usize, Option<i32>) {
    let [file, out] = ["size-input", "size-output"].map(Scratch::new);
    fs::write(file.path(), input).unwrap();
    let arguments = door.arguments.replace("FILE", file.path()).replace("OUT", out.path());
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args(arguments.split(' ')).env_remove("RUST_LOG").stderr(Stdio::null()).stdout(Stdio::piped());
    command.stdin(if door.is_stdin { File::open(file.path()).unwrap().into() } else { Stdio::null() });
    let mut process = command.spawn().unwrap();
    let mut output = process.stdout.take().unwrap();
    let reader = thread::spawn(move || drop(output.read_to_end(&mut Vec::new())));
    let mut most = 0;
    // The end may come between two looks, but not much memory does.
    let status = loop {
        most = most.max(peak(&process).unwrap_or_default());
        match process.try_wait().unwrap() {
            None => sleep(Duration::from_millis(1)),
            Some(status) => break status.code(),
        }
    };
    reader.join().unwrap();
    let _ = fs::remove_dir_all(out.path());
    (most, status)
}

#[test]
#[ignore = "takes long: run by .ci/run"]
fn memory_grows_in_proportion_to_the_input() {
    for door in DOORS {
        let mut told = String::new();
        for bytes in [4_000, 40_000, 400_000, 4_000_000] {
            let input = (door.input)(bytes);
            let (most, status) = run(door, &input);
            told += &format!(" {} kB: {} MB", input.len() / 1000, most >> 20);
            assert!(status.is_some_and(|status| (0..=2).contains(&status)), "{}: {status:?}", door.name);
            assert!(most < BASE + door.factor * input.len(), "{}:{told}", door.name);
            // A process with a small input may end before anybody looks.
            assert!(most > 0 || bytes < 1_000_000, "{}:{told}", door.name);
        }
        println!("{}:{told}", door.name);
        std::io::stdout().flush().unwrap();
    }
}
