//! What people send and name may be large. For each door, the input grows tenfold three times, and the memory that the
//! program takes stays below a limit that grows with the input in proportion.

#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, sleep};
use std::time::Duration;

use crate::scratch::Scratch;

/// A way into the program.
struct Door {
    /// Its name.
    name: &'static str,
    /// The arguments. `FILE` stands for the name of the file with the input, `FOLDER` for that of a folder with a file
    /// for each line of the input, and `OUT` for that of an output.
    arguments: &'static str,
    stdin: Stdin,
    /// An input of about this many bytes.
    input: fn(usize) -> String,
    /// The memory that the program may take, in bytes for each byte of input, in addition to [`BASE`].
    factor: usize,
}

/// What the program reads on stdin.
enum Stdin {
    Nothing,
    Input,
    /// This text, in which names stand as in the arguments.
    Text(&'static str),
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
        stdin: Stdin::Input,
        input: |bytes| format!("playgame {}\nplay white a1\n", repeated("a1 b2 ", bytes)),
        factor: 20,
    },
    Door {
        name: "GTP commands",
        arguments: "gtp --memory 16",
        stdin: Stdin::Input,
        input: |bytes| repeated("play white a1\nundo\nplay black z99\n", bytes),
        factor: 4,
    },
    Door {
        name: "a record that GTP loads",
        arguments: "gtp --memory 16",
        stdin: Stdin::Text("loadsgf FILE\nshowboard\n"),
        input: sgf,
        factor: 120,
    },
    Door { name: "a record to play on", arguments: "play FILE", stdin: Stdin::Nothing, input: sgf, factor: 120 },
    Door {
        name: "queries",
        arguments: "analyze --memory 16 --searches 1",
        stdin: Stdin::Input,
        input: |bytes| repeated("{\"id\":\"a\",\"side\":4,\"moves\":[\"a1\"],\"want\":[\"chains\"]}\n", bytes),
        factor: 4,
    },
    Door {
        name: "a query with a record",
        arguments: "analyze --memory 16 --searches 1",
        stdin: Stdin::Input,
        input: |bytes| format!("{{\"id\":\"a\",\"action\":\"read_record\",\"text\":\"{}\"}}\n", sgf(bytes)),
        factor: 150,
    },
    Door {
        name: "a query with fields that do not exist",
        arguments: "analyze --memory 16 --searches 1",
        stdin: Stdin::Input,
        input: |bytes| format!("{{\"id\":\"a\",\"side\":4,\"want\":[],\"x\":[{}0]}}\n", repeated("{\"\":[0]},", bytes)),
        factor: 120,
    },
    Door { name: "a record to convert", arguments: "sgf FILE", stdin: Stdin::Nothing, input: sgf, factor: 120 },
    Door {
        name: "many games",
        arguments: "sgf --to jsonl FILE",
        stdin: Stdin::Nothing,
        input: |bytes| repeated("(;FF[4]SZ[4]PW[a]PB[b];W[a1];B[b2];W[c3];B[d4])\n", bytes),
        factor: 120,
    },
    Door {
        name: "lists of moves",
        arguments: "sgf --to sgf FILE",
        stdin: Stdin::Nothing,
        input: |bytes| format!("# side 5\n{}", repeated("1. a1 b2 2. c3 d4 3. e5\n", bytes)),
        factor: 80,
    },
    Door {
        name: "a text that is not a record",
        arguments: "sgf FILE",
        stdin: Stdin::Nothing,
        input: |bytes| repeated("(;C[(;C[", bytes),
        factor: 20,
    },
    Door {
        name: "a record to review",
        arguments: "review --simulations 1 FILE -o OUT",
        stdin: Stdin::Nothing,
        input: |bytes| format!("(;FF[4]SZ[4];W[a1]C[{}];B[b2])", repeated("long ", bytes)),
        factor: 40,
    },
    Door {
        name: "a folder of records to review",
        arguments: "review --simulations 1 FOLDER -o OUT",
        stdin: Stdin::Nothing,
        input: |bytes| {
            let record = |at| format!("(;FF[4]SZ[4]GN[{at}];W[a1]C[{}];B[b2])\n", repeated("long ", bytes / 20));
            (0..20).map(record).collect()
        },
        factor: 4,
    },
    Door {
        name: "puzzles to check",
        arguments: "puzzles --check FILE",
        stdin: Stdin::Nothing,
        input: |bytes| repeated(PUZZLE, bytes),
        factor: 40,
    },
    Door {
        name: "positions to solve",
        arguments: "solve batch FILE --memory 16 --nodes 1 --quiet --out OUT",
        stdin: Stdin::Nothing,
        input: |bytes| format!("{}x\n", repeated("{\"side\":3,\"moves\":[\"a1\"]}\n", bytes)),
        factor: 240,
    },
    Door {
        name: "openings of a match",
        arguments: "match --engine a=false --engine b=false --side 5 --games 2 --openings FILE",
        stdin: Stdin::Nothing,
        input: |bytes| repeated("a1 b2 c3 d4\n", bytes),
        factor: 140,
    },
    Door {
        name: "games of a match",
        arguments: "match --merge FILE",
        stdin: Stdin::Nothing,
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
        stdin: Stdin::Nothing,
        input: |bytes| repeated("10 name\n#? [Malecon]\n", bytes),
        factor: 140,
    },
    Door {
        name: "games to learn from",
        arguments: "learn export --games FILE --out OUT",
        stdin: Stdin::Nothing,
        input: |bytes| format!("{}x\n", repeated("{\"side\":3,\"moves\":[\"a1\"]}\n", bytes)),
        factor: 40,
    },
];

/// The most memory that a process has had so far, in bytes. `None` before its program begins, as the memory is that of
/// the tests until then, and once it has ended.
fn peak(process: &Child) -> Option<usize> {
    let program = |process: &str| fs::read_link(format!("/proc/{process}/exe")).ok();
    if program(&process.id().to_string())? == program("self")? {
        return None;
    }
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10)
}

/// The most memory that the program takes with this input, and the status with which it ends.
fn run(door: &Door, input: &str) -> (usize, Option<i32>) {
    let [file, folder, out, commands] = ["size-input", "size-folder", "size-output", "size-commands"].map(Scratch::new);
    fs::write(file.path(), input).unwrap();
    let named =
        |text: &str| text.replace("FILE", file.path()).replace("FOLDER", folder.path()).replace("OUT", out.path());
    if door.arguments.contains("FOLDER") {
        fs::create_dir(folder.path()).unwrap();
        for (number, line) in input.lines().enumerate() {
            fs::write(Path::new(folder.path()).join(format!("{number}.sgf")), line).unwrap();
        }
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args(named(door.arguments).split(' ')).env_remove("RUST_LOG");
    command.stdin(match door.stdin {
        Stdin::Nothing => Stdio::null(),
        Stdin::Input => File::open(file.path()).unwrap().into(),
        Stdin::Text(text) => {
            fs::write(commands.path(), named(text)).unwrap();
            File::open(commands.path()).unwrap().into()
        }
    });
    watch(&mut command)
}

/// The most memory that a program takes, and the status with which it ends.
fn watch(command: &mut Command) -> (usize, Option<i32>) {
    let mut process = command.stderr(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
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

/// The proofs that come with the program: one of 93 kB, and one of 1.2 MB. A checker
/// remembers each position that it has seen.
#[test]
#[ignore = "takes long: run by .ci/nightly"]
fn the_memory_of_a_checker_grows_in_proportion_to_the_proof() {
    let packed = Scratch::new("size-proof");
    let unpacked = Command::new("xz").args(["-dc", "docs/proofs/4-4-5-a1.proof.xz"]).output().expect("xz is here");
    fs::write(packed.path(), unpacked.stdout).unwrap();
    for file in ["docs/proofs/side-4-a1.proof", packed.path()] {
        let bytes = fs::metadata(file).unwrap().len() as usize;
        let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
        let (most, status) = watch(command.args(["solve", "check", file]));
        println!("a proof of {} kB: {} MB", bytes / 1000, most >> 20);
        assert_eq!(status, Some(0), "{file}");
        assert!((1..BASE + 300 * bytes).contains(&most), "{file}: {} MB", most >> 20);
    }
}

/// A message of the page, up to the largest one. Its answer goes out before the next one comes.
#[cfg(feature = "serve")]
#[test]
#[ignore = "takes long: run by .ci/run"]
fn memory_grows_in_proportion_to_a_message() {
    for bytes in [4_000, 40_000, 400_000, 3_900_000] {
        let server = crate::serve::Server::start(&[]);
        let mut client = server.client();
        let text = sgf(bytes);
        let answer = client.ask(serde_json::json!({"id": "r", "action": "read_record", "text": text}));
        assert!(answer["error"].is_string() || answer["games"].is_array(), "{bytes}: {}", answer["error"]);
        let most = peak(&server.process).unwrap();
        println!("a message of {} kB: {} MB", bytes / 1000, most >> 20);
        assert!(most < BASE + 150 * bytes, "{bytes}: {} MB", most >> 20);
    }
}
