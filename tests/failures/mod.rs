//! The system refuses one request of the program, or several in a row: memory, a write, a file, a thread. For each
//! kind, this is tried with the first request, the second and so on, until the program ends before it makes so many.
//! Each time it must do what it should, or say in one line why it cannot, and its files must be whole and of use to the
//! next run.

#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use malecon::proof;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::gtp_client::answers;
use crate::scratch::Scratch;

/// What can be refused. `fail.c` says which requests these are.
const KINDS: [&str; 4] = ["memory", "write", "open", "start"];

/// Nothing takes so long, on any machine. A program that is not done is killed.
const LONGEST: Duration = Duration::from_secs(600);

/// How many requests of a kind are refused in a row, where one is not enough: nearly all that a use makes. With no end
/// of them, a server would accept no connection. Memory is asked for again for a while, and the program ends without
/// it.
fn in_a_row(kind: &str) -> u64 {
    if kind == "memory" { 1 << 40 } else { 30 }
}

/// Something that the program is used for.
struct Use {
    arguments: &'static str,
    /// Puts files in an empty directory that are there before.
    prepare: fn(&Path),
    /// Does what the user does, until the program ends or has only to end.
    drive: fn(&mut Child, SocketAddr) -> Result<(), String>,
    /// Checks what was written to stdout by a program that succeeded.
    output: fn(&Output) -> Result<(), String>,
    /// Checks the files of a program that succeeded, or that is run again without a failure if it did not.
    files: fn(&Path) -> Result<(), String>,
    /// Whether it is run again.
    is_resumed: bool,
}

const OLD_GAME: &str = "(;FF[4]SZ[4];W[a1];B[c3])\n";
const COMMANDS: &str =
    "boardsize 4\nplay white a1\ngenmove black\nsavesgf game.sgf\nundo\nloadsgf game.sgf\nfinal_score\n";
const QUERIES: &str = concat!(
    "{\"id\": \"a\", \"side\": 4, \"moves\": [\"a1\"], \"simulations\": 10}\n",
    "{\"id\": \"b\", \"side\": 4, \"simulations\": 10, \"want\": [\"moves\", \"chains\"]}\n",
    "{\"id\": \"c\", \"side\": 3, \"simulations\": 10}\n",
);

const GTP: Use = Use {
    arguments: "gtp --side 4 --memory 4 --simulations 20 --threads 2 --seed 1",
    prepare: |directory| fs::write(directory.join("game.sgf"), OLD_GAME).unwrap(),
    drive: |process, _| say(process, COMMANDS),
    output: |output| {
        let answers = answers(output);
        let are_answers = answers.iter().all(|answer| answer.starts_with(['=', '?']) && !answer.contains("internal"));
        ensure(answers.len() == COMMANDS.lines().count() && are_answers, || format!("{answers:?}"))
    },
    files: |directory| {
        let game = fs::read_to_string(directory.join("game.sgf")).map_err(|error| error.to_string())?;
        let run =
            || Command::new(env!("CARGO_BIN_EXE_malecon")).args(["sgf", "game.sgf"]).current_dir(directory).output();
        ensure(game == OLD_GAME || run().unwrap().status.success(), || format!("the game is {game:?}"))
    },
    is_resumed: false,
};

const ANALYZE: Use = Use {
    arguments: "analyze --searches 2 --memory 4 --seed 1",
    prepare: |_| {},
    drive: |process, _| say(process, QUERIES),
    output: |output| {
        let text = String::from_utf8_lossy(&output.stdout);
        let mut ids: Vec<String> = text.lines().map(id_of).collect();
        ids.sort();
        ensure(ids == ["a", "b", "c"], || format!("{text:?}"))
    },
    files: |_| Ok(()),
    is_resumed: false,
};

const MATCH: Use = Use {
    arguments: "match --engine a=MALECON --engine b=MALECON --side 3 --games 2 --simulations 5 --out games --resume",
    prepare: |_| {},
    drive: |_, _| Ok(()),
    output: |_| Ok(()),
    files: |directory| has_games(&directory.join("games/games.jsonl"), &[Some(0), Some(1)]),
    is_resumed: true,
};

const LEARN: Use = Use {
    arguments: "learn play --games 3 --sides 3 --simulations 10 --short 5 --threads 2 --out games.jsonl --resume",
    prepare: |_| {},
    drive: |_, _| Ok(()),
    output: |_| Ok(()),
    files: |directory| has_games(&directory.join("games.jsonl"), &[Some(0), Some(1), Some(2)]),
    is_resumed: true,
};

const SOLVE: Use = Use {
    arguments: "solve prove --side 3 --memory 1 --threads 2 --for white --out a1.proof --checkpoint a1.moves a1",
    prepare: |_| {},
    drive: |_, _| Ok(()),
    output: |_| Ok(()),
    files: |directory| {
        let file = File::open(directory.join("a1.proof")).map_err(|error| error.to_string())?;
        proof::check(file).map(|_| ()).map_err(|error| error.to_string())
    },
    is_resumed: true,
};

const SERVE: Use = Use {
    arguments: "serve --port PORT --searches 1 --threads 2 --memory 4",
    prepare: |_| {},
    drive: |process, address| {
        // Once nothing is refused any more, clients are served again, unless the program has ended. If they never are,
        // the program is killed in the end.
        let page = format!("GET /js/main.js HTTP/1.1\r\nHost: {address}\r\n\r\n");
        for (request, expected) in [(page.into_bytes(), "import"), (websocket_query(address), "\"id\":\"q\"")] {
            while !exchange(process, address, &request, expected)? {
                sleep(Duration::from_millis(2));
            }
        }
        interrupt(process);
        Ok(())
    },
    output: |_| Ok(()),
    files: |_| Ok(()),
    is_resumed: false,
};

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// Checks that a file has these games, each once.
fn has_games(file: &Path, expected: &[Option<u64>]) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let mut games: Vec<Option<u64>> = text.lines().map(|line| json(line)["game"].as_u64()).collect();
    games.sort();
    ensure(games == expected, || format!("the games are {text:?}"))
}

fn json(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_default()
}

fn id_of(line: &str) -> String {
    json(line)["id"].as_str().unwrap_or(line).to_owned()
}

/// Sends the whole input. The program may have ended before.
fn say(process: &mut Child, input: &str) -> Result<(), String> {
    let _ = process.stdin.take().unwrap().write_all(input.as_bytes());
    Ok(())
}

/// Opens a WebSocket and sends a query.
fn websocket_query(address: SocketAddr) -> Vec<u8> {
    let query = r#"{"id":"q","side":3,"simulations":5,"want":["moves"]}"#;
    let head = "GET /api HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
    let head = format!("{head}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nHost: {address}\r\n\r\n");
    // A text in one frame, masked with zeros: RFC 6455, section 5.2.
    [head.as_bytes(), &[0x81, 0x80 | query.len() as u8, 0, 0, 0, 0], query.as_bytes()].concat()
}

/// Sends a request to a server, and reads until the answer has a text or the server ends the connection. Returns whether
/// the answer has the text or the program has ended.
fn exchange(process: &mut Child, address: SocketAddr, request: &[u8], expected: &str) -> Result<bool, String> {
    let mut stream = loop {
        if process.try_wait().unwrap().is_some() {
            return Ok(true);
        }
        match TcpStream::connect(address) {
            Ok(stream) => break stream,
            Err(_) => sleep(Duration::from_millis(2)),
        }
    };
    stream.set_read_timeout(Some(LONGEST)).unwrap();
    let _ = stream.write_all(request);
    let (mut answer, mut piece) = (Vec::new(), [0; 4096]);
    while !String::from_utf8_lossy(&answer).contains(expected) {
        match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(len) => answer.extend(&piece[..len]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Err("a client waits for ever".into()),
            Err(_) => break,
        }
    }
    Ok(String::from_utf8_lossy(&answer).contains(expected))
}

fn interrupt(process: &Child) {
    let _ = kill_process(Pid::from_child(process), Signal::INT);
}

impl Use {
    /// Runs the program, with these variables.
    fn run(&self, directory: &Path, variables: &[(&str, &str)]) -> Result<Output, String> {
        let program = env!("CARGO_BIN_EXE_malecon");
        // The port is free, or was a moment ago.
        let address = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).unwrap();
        let arguments = self.arguments.replace("MALECON", program).replace("PORT", &address.port().to_string());
        let mut command = Command::new("timeout");
        command.args(["--signal=KILL", &LONGEST.as_secs().to_string(), "env"]);
        command.args(variables.iter().map(|(name, value)| format!("{name}={value}")));
        command.arg(program).args(arguments.split(' ')).current_dir(directory);
        command.env("RUST_BACKTRACE", "1").env_remove("RUST_LOG");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        (self.drive)(&mut process, address)?;
        Ok(process.wait_with_output().unwrap())
    }

    /// The same again without a failure. It must succeed.
    fn run_again(&self, directory: &Path) -> Result<(), String> {
        let output = self.run(directory, &[])?;
        ensure(output.status.success(), || format!("the next run fails: {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// Runs the program while requests of a kind are refused, from the `first` to the `last`. Returns whether one was.
    fn fail(&self, library: &Path, directory: &Path, kind: &str, first: u64, last: u64) -> Result<bool, String> {
        let _ = fs::remove_dir_all(directory);
        fs::create_dir_all(directory).unwrap();
        (self.prepare)(directory);
        let [first, last] = [first, last].map(|number| number.to_string());
        let (mark, library) = (format!("{}/mark", directory.display()), library.to_str().unwrap());
        let limits = [("FAIL_KIND", kind), ("FAIL_AT", &first), ("FAIL_LAST", &last)];
        let variables = [&limits[..], &[("FAIL_MARK", &*mark), ("LD_PRELOAD", library)]].concat();
        let output = self.run(directory, &variables)?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure(!said.contains("panicked"), || format!("{}\n{said}", output.status))?;
        let errors = said.lines().filter(|line| line.starts_with("error: ") || line.starts_with("[ERROR")).count();
        match output.status.code() {
            Some(0) => (self.output)(&output)?,
            // The refused write may be that of the error.
            Some(1 | 2) if errors == 1 || kind == "write" && errors == 0 => {}
            // The user has interrupted a program that could not catch this, and had said so.
            None if output.status.signal() == Some(2) && said.contains("Ctrl-C will end the program at once") => {}
            // The standard library takes the few bytes of a thread's handle from the system itself, past the program's
            // allocator, and aborts if they are refused. The program has just found megabytes for the thread.
            None if output.status.signal() == Some(6) && said.contains("<std::thread::thread::Thread>::new") => {}
            _ => return Err(format!("{}\n{said}", output.status)),
        }
        if self.is_resumed && !output.status.success() {
            // A proof that is there is whole.
            if fs::exists(directory.join("a1.proof")).unwrap() {
                (self.files)(directory)?;
            }
            self.run_again(directory)?;
        }
        (self.files)(directory)?;
        Ok(fs::exists(&mark).unwrap())
    }
}

/// Builds the library that makes requests fail.
fn build_library(folder: &Path) -> PathBuf {
    let (source, library) =
        (Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/failures/fail.c"), folder.join("fail.so"));
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"]).args([&library, &source]).arg("-ldl");
    assert!(compiler.status().unwrap().success());
    library
}

/// Tries the requests that `next` names, each after the one before, in a use with this name.
fn try_requests(name: &str, case: &Use, next: fn(u64) -> u64) {
    let folder = Scratch::folder(&format!("failures-{name}"));
    let library = build_library(&folder);
    let mut faults = Vec::new();
    for kind in KINDS {
        let (mut points, mut request) = (0, 1);
        loop {
            let mut any = false;
            for last in [request, request + in_a_row(kind) - 1] {
                let tried = case.fail(&library, &folder.join("use"), kind, request, last);
                let is_refused = *tried.as_ref().unwrap_or(&true);
                (any, points) = (any | is_refused, points + u32::from(is_refused));
                if let Err(fault) = tried {
                    let more = if last == request { "" } else { " and those after it" };
                    faults.push(format!("{kind} {request}{more}: {fault}"));
                }
            }
            if !any || faults.len() > 10 {
                break;
            }
            request = next(request);
        }
        eprintln!("{name}: {points} failures of {kind}, the last at {request}");
        assert!(points > 0, "{name} has no {kind} to refuse");
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// The tests of each use.
macro_rules! uses {
    ($($name:ident: $case:ident),*) => {
        /// A few requests of each kind.
        mod few_refused_requests {
            $(
                #[test]
                fn $name() {
                    super::try_requests(concat!("few-", stringify!($name)), &super::$case, |request| 4 * request + 1);
                }
            )*
        }

        /// The first 200 requests of each kind one by one, and after that those at intervals of 2 %.
        mod any_refused_request {
            $(
                #[test]
                #[ignore = "takes long: run by .ci/nightly"]
                fn $name() {
                    let next = |request: u64| request + 1 + request.saturating_sub(150) / 50;
                    super::try_requests(concat!("any-", stringify!($name)), &super::$case, next);
                }
            )*
        }
    };
}

uses!(gtp: GTP, analyze: ANALYZE, a_match: MATCH, self_play: LEARN, solve: SOLVE, serve: SERVE);
