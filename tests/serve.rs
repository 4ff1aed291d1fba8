//! `malecon serve` over real sockets: what it serves, and what it refuses.

#![cfg(feature = "serve")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::protocol::Role;
use tungstenite::{Error, Message, WebSocket};

use crate::scratch::Scratch;

/// How long a test waits for what has to come before it fails.
const PATIENCE: Duration = Duration::from_secs(120);

/// An opener that finds no browser says much about it, and none of it helps.
#[cfg(unix)]
#[test]
fn without_a_browser_one_line_says_what_to_open() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Scratch::folder("opener");
    for name in ["xdg-open", "open"] {
        let opener = folder.join(name);
        std::fs::write(&opener, "#!/bin/sh\necho links: not found\necho w3m: not found >&2\nexit 3\n").unwrap();
        std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut paths = vec![folder.to_path_buf()];
    paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    for path in [std::env::join_paths(paths).unwrap(), "".into()] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
        command.args(["serve", "--port", "0", "--memory", "16", "--searches", "1", "--threads", "1", "--open"]);
        let mut process = command.env("PATH", path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(process.stderr.take().unwrap()).read_line(&mut said).unwrap();
        process.kill().unwrap();
        let output = process.wait_with_output().unwrap();
        let greeting = String::from_utf8(output.stdout).unwrap();
        let url = greeting.split(' ').nth(3).unwrap();
        assert_eq!(said, format!("No browser could be opened: open {url} yourself.\n"));
        assert_eq!(greeting.lines().count(), 1, "{greeting}");
    }
}

pub struct Server {
    pub process: Child,
    address: SocketAddr,
}

impl Server {
    pub fn start(arguments: &[&str]) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
        command.args(["serve", "--port", "0", "--memory", "16", "--threads", "1"]).args(arguments);
        if !arguments.contains(&"--searches") {
            command.args(["--searches", "1"]);
        }
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("Malecon is at http://").and_then(|rest| rest.split('/').next()).unwrap();
        Server { address: address.parse().unwrap(), process }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The response to these bytes: its status, its head and its content.
    fn exchange(&self, request: &[u8]) -> (u16, String, Vec<u8>) {
        let mut stream = self.connect();
        stream.write_all(request).unwrap();
        response(stream)
    }

    fn get(&self, path: &str) -> (u16, String, Vec<u8>) {
        self.exchange(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).as_bytes())
    }

    /// A WebSocket whose handshake has these fields besides the usual ones. Otherwise the status of the refusal.
    fn open(&self, fields: &[(&str, &str)]) -> Result<Socket, u16> {
        let mut head = String::from("GET /api HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n");
        // The key of the example in RFC 6455, section 1.3.
        head += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        if fields.iter().all(|(name, _)| *name != "Host") {
            head += &format!("Host: {}\r\n", self.address);
        }
        fields.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        let mut stream = self.connect();
        stream.write_all((head + "\r\n").as_bytes()).unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        match head.strip_prefix("HTTP/1.1 ").unwrap()[..3].parse().unwrap() {
            101 => {
                assert!(head.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"), "{head}");
                Ok(Socket(WebSocket::from_raw_socket(stream, Role::Client, None)))
            }
            status => Err(status),
        }
    }

    pub fn client(&self) -> Socket {
        self.open(&[]).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn response(mut stream: TcpStream) -> (u16, String, Vec<u8>) {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|part| part == b"\r\n\r\n").unwrap_or_else(|| panic!("no head: {bytes:?}"));
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.strip_prefix("HTTP/1.1 ").unwrap()[..3].parse().unwrap();
    (status, head, bytes[end + 4..].to_vec())
}

pub struct Socket(WebSocket<TcpStream>);

impl Socket {
    fn send(&mut self, query: Value) {
        self.0.send(Message::text(query.to_string())).unwrap();
    }

    /// The next answer, or the code with which the server closes the connection.
    fn next(&mut self) -> Result<Value, Option<u16>> {
        loop {
            match self.0.read() {
                Ok(Message::Text(text)) => return Ok(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(frame)) => return Err(frame.map(|frame| frame.code.into())),
                Ok(_) => {}
                Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => panic!("no answer"),
                Err(_) => return Err(None),
            }
        }
    }

    pub fn ask(&mut self, query: Value) -> Value {
        self.send(query);
        self.next().unwrap()
    }

    /// Sends bytes as they are, which need not be a frame.
    fn send_raw(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).unwrap();
    }
}

fn endless(id: &str) -> Value {
    json!({"id": id, "side": 6, "seconds": 500, "want": ["moves"], "top": 1})
}

fn short(id: &str) -> Value {
    json!({"id": id, "side": 5, "simulations": 5, "want": ["moves"], "top": 1})
}

#[test]
fn the_page_and_its_files_are_served() {
    let server = Server::start(&[]);
    let (status, head, content) = server.get("/?x=1#x");
    assert_eq!((status, content), (200, std::fs::read("web/page/index.html").unwrap()));
    for field in ["Content-Security-Policy: default-src 'none'", "frame-ancestors 'none'", "nosniff", "text/html"] {
        assert!(head.contains(field), "{head}");
    }
    let (status, head, content) = server.get("/js/main.js");
    assert_eq!((status, content), (200, std::fs::read("web/page/js/main.js").unwrap()));
    assert!(head.contains("text/javascript"));
    let head_only = format!("HEAD / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    let (status, _, content) = server.exchange(head_only.as_bytes());
    assert_eq!((status, content.len()), (200, 0));
    let nothing = head_only.replacen("/", "/nothing", 1);
    let (status, _, content) = server.exchange(nothing.as_bytes());
    assert_eq!((status, content.len()), (404, 0));
    for path in ["/nothing", "/../Cargo.toml", "/js/../index.html", "/%69ndex.html", "//index.html"] {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
    assert_eq!(server.get("/api").0, 426);
}

#[test]
fn other_hosts_sites_and_methods_are_refused() {
    let server = Server::start(&[]);
    let status = |request: String| server.exchange(request.as_bytes()).0;
    for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.1.2.3", ""] {
        assert_eq!(status(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")), 403, "{host}");
        assert_eq!(server.open(&[("Host", host)]).err(), Some(403), "{host}");
    }
    let port = server.address.port();
    for origin in ["http://evil.example", "null", &format!("http://localhost:{port}"), "http://127.0.0.1:1"] {
        assert_eq!(server.open(&[("Origin", origin)]).err(), Some(403), "{origin}");
    }
    assert!(server.open(&[("Origin", &format!("http://{}", server.address))]).is_ok());
    let localhost = format!("localhost:{port}");
    assert!(server.open(&[("Host", &localhost), ("Origin", &format!("http://{localhost}"))]).is_ok());
    for method in ["POST", "PUT", "OPTIONS", "DELETE"] {
        assert_eq!(status(format!("{method} / HTTP/1.1\r\nHost: {localhost}\r\n\r\n")), 405, "{method}");
    }
}

#[test]
fn malformed_requests_are_refused() {
    let server = Server::start(&[]);
    for (request, expected) in [
        (&b"hello\r\n\r\n"[..], 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n", 400),
        (b"GET / HTTP/7.7\r\nHost: localhost\r\n\r\n", 400),
    ] {
        assert_eq!(server.exchange(request).0, expected, "{:?}", String::from_utf8_lossy(request));
    }
    let long = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "y".repeat(20 << 10));
    assert_eq!(server.exchange(long.as_bytes()).0, 431);
    let many = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "X: y\r\n".repeat(100));
    assert_eq!(server.exchange(many.as_bytes()).0, 431);
    let handshake = "GET /api HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
    assert_eq!(server.exchange(format!("{handshake}\r\n").as_bytes()).0, 426);
    assert_eq!(server.exchange(format!("{handshake}Sec-WebSocket-Version: 13\r\n\r\n").as_bytes()).0, 400);
    let elsewhere = handshake.replace("/api", "/")
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    assert_eq!(server.exchange(elsewhere.as_bytes()).0, 404);
}

#[test]
fn requests_that_never_end_do_not_keep_others_out() {
    let server = Server::start(&[]);
    // More than the server keeps open, and none of them complete.
    let mut slow: Vec<TcpStream> = (0..80).map(|_| server.connect()).collect();
    for stream in &mut slow {
        // The first have made room for the last, and are closed already.
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: local");
    }
    assert_eq!(server.get("/icon.svg").0, 200);
    assert_eq!(server.client().ask(short("s"))["simulations"], 5);
    // The time limit of a request ends the others.
    assert_eq!(response(slow.pop().unwrap()).0, 408);
}

/// All that time the client says nothing but its pongs, and the server is never silent.
#[test]
#[ignore = "takes three minutes"]
fn a_search_and_a_review_of_minutes_reach_their_end() {
    let server = Server::start(&["--searches", "2"]);
    let games = std::fs::read_to_string("tests/data/random_games.jsonl").unwrap();
    let mut games = games.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let game = games.find(|game| game["side"] == 8 && game["moves"].as_array().unwrap().len() > 64).unwrap();
    let moves = &game["moves"].as_array().unwrap()[..64];
    let search = json!({"id": "s", "side": 8, "seconds": 100, "every": 1, "want": ["choice"]});
    let review = json!({"id": "r", "action": "review", "side": 8, "moves": moves, "seconds": 1});
    std::thread::scope(|scope| {
        for query in [search, review] {
            let mut client = server.client();
            scope.spawn(move || {
                client.send(query);
                let answers = std::iter::repeat_with(|| client.next().unwrap());
                let last = answers.into_iter().find(|answer| answer["partial"] != true).unwrap();
                assert!(last["error"].is_null() && last["cancelled"].is_null(), "{last}");
            });
        }
    });
}

#[test]
fn queries_are_answered_over_the_websocket() {
    let server = Server::start(&[]);
    let mut client = server.client();
    assert_eq!(client.ask(json!({"id": "v", "action": "version"}))["longest"], 600.0);
    assert_eq!(client.ask(short("s"))["simulations"], 5);
    assert!(client.ask(json!({"id": "x", "side": 99}))["error"].is_string());
    let too_long = json!({"id": "t", "side": 4, "seconds": 601});
    assert_eq!(client.ask(too_long)["error"], "seconds: expected a number from 0.001 to 600, got 601");
    let file = json!({"id": "n", "side": 4, "options": {"network": "/etc/passwd"}});
    assert_eq!(client.ask(file)["field"], "options");
    client.0.send(Message::binary(b"x".to_vec())).unwrap();
    assert_eq!(client.next().unwrap()["error"], "expected a text message, got a binary one");
    let mut partial = endless("p");
    partial["every"] = json!(0.05);
    assert_eq!(client.ask(partial)["partial"], json!(true));
    client.send(json!({"id": "c", "action": "cancel"}));
    loop {
        let answer = client.next().unwrap();
        if answer["id"] == "p" && answer.get("partial").is_none() {
            assert_eq!(answer["cancelled"], json!(true));
            break;
        }
    }
    // A message may come in several frames, with a ping between them.
    client.send_raw(&[0x01, 0x85, 0, 0, 0, 0]);
    client.send_raw(b"{\"id\"");
    client.send_raw(&[0x89, 0x80, 0, 0, 0, 0, 0x80, 0x86, 0, 0, 0, 0]);
    client.send_raw(b":\"f\" }");
    assert_eq!(client.next().unwrap()["error"], "side: missing (expected 2..13)");
}

#[test]
fn a_client_that_goes_away_ends_its_searches() {
    let server = Server::start(&[]);
    // Leaves with a closing frame, without a word, and with a frame that is not complete.
    for leave in [0, 1, 2] {
        let mut client = server.client();
        let mut query = endless("e");
        query["every"] = json!(0.05);
        assert_eq!(client.ask(query)["partial"], json!(true));
        (0..10).for_each(|i| client.send(endless(&i.to_string())));
        match leave {
            0 => client.0.close(None).unwrap(),
            1 => {}
            _ => client.send_raw(&[0x81, 0xff, 0]),
        }
        drop(client);
        // There is one session for searches. It would be busy for an hour.
        assert_eq!(server.client().ask(short("next"))["simulations"], 5);
    }
}

#[test]
fn a_client_too_many_is_refused_until_another_leaves() {
    let server = Server::start(&["--clients", "2"]);
    let mut clients = vec![server.client(), server.client()];
    assert_eq!(server.open(&[]).err(), Some(503));
    assert_eq!(server.get("/").0, 200);
    clients.pop();
    let again = (0..PATIENCE.as_secs() * 10).find_map(|_| {
        std::thread::sleep(Duration::from_millis(100));
        server.open(&[]).ok()
    });
    assert_eq!(again.unwrap().ask(short("s"))["id"], "s");
}

/// One client has filled the queues and would keep all sessions busy for half an hour.
#[test]
fn a_client_with_many_searches_does_not_keep_others_waiting() {
    let server = Server::start(&["--searches", "2"]);
    let mut greedy = server.client();
    let playouts = json!({"id": "p", "side": 13, "want": ["ownership"], "seconds": 500,
        "options": {"analysis_playouts": 1_000_000_000}});
    let frames = json!({"id": "f", "side": 10, "moves": ["e5", "f6"], "want": ["frames"]});
    for id in ["0", "1"] {
        let mut search = endless(id);
        search["every"] = json!(0.2);
        greedy.send(search);
    }
    for _ in 0..50 {
        greedy.send(endless("waits"));
        greedy.send(playouts.clone());
        (0..10).for_each(|_| greedy.send(frames.clone()));
    }
    // What the client asks for last is answered last.
    greedy.send(json!({"id": "last", "side": 10, "want": ["frames"]}));
    let mut searching = BTreeSet::new();
    while searching.len() < 2 {
        let answer = greedy.next().unwrap();
        if answer["partial"] == true {
            searching.insert(answer["id"].to_string());
        }
    }
    // A client that comes when all searches run need not wait.
    let mut modest = server.client();
    for i in 0..3 {
        let chains = json!({"id": "chains", "side": 4, "moves": ["a1"], "want": ["chains"]});
        assert_eq!(modest.ask(chains)["chains"][0]["stones"], json!(["a1"]));
        assert_eq!(modest.ask(json!({"id": "f", "side": 3, "want": ["frames"]}))["id"], "f");
        assert_eq!(modest.ask(short("s"))["simulations"], 5, "{i}");
    }
    greedy.send(json!({"id": "c", "action": "cancel"}));
    let cancelled = std::iter::from_fn(|| greedy.next().ok()).find(|answer| answer["id"] == "c");
    // Not even the brief ones were all answered.
    assert!(cancelled.unwrap()["stopped"].as_u64().unwrap() > 100);
}

#[test]
fn broken_frames_end_the_connection_with_the_reason() {
    let server = Server::start(&[]);
    let closed = |bytes: &[u8]| {
        let mut client = server.client();
        client.send_raw(bytes);
        client.next().unwrap_err()
    };
    // A frame of 8 MiB, one without a mask, one with an unknown opcode, one with reserved bits, text that is not UTF-8,
    // and a continuation of nothing.
    assert_eq!(closed(&[0x81, 0xff, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0]), Some(1009));
    assert_eq!(closed(&[0x81, 0x01, b'x']), Some(1002));
    assert_eq!(closed(&[0x83, 0x80, 0, 0, 0, 0]), Some(1002));
    assert_eq!(closed(&[0xf1, 0x80, 0, 0, 0, 0]), Some(1002));
    assert_eq!(closed(&[0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]), Some(1007));
    assert_eq!(closed(&[0x80, 0x80, 0, 0, 0, 0]), Some(1002));
    // Many small frames of one message that never ends.
    let mut client = server.client();
    let part = [&[0x00, 0xfe, 0xff, 0xff, 0, 0, 0, 0][..], &vec![b' '; 0xffff]].concat();
    client.send_raw(&[0x01, 0x80, 0, 0, 0, 0]);
    for _ in 0..65 {
        if client.0.get_mut().write_all(&part).is_err() {
            break;
        }
    }
    assert_eq!(client.next().unwrap_err(), Some(1009));
    assert_eq!(server.client().ask(short("s"))["id"], "s");
}

#[test]
fn a_client_has_a_share_of_the_queue() {
    let server = Server::start(&[]);
    let mut client = server.client();
    // Each query has a megabyte of blanks.
    let padding = " ".repeat(1 << 20);
    for i in 0..20 {
        client.0.send(Message::text(endless(&i.to_string()).to_string() + &padding)).unwrap();
    }
    for i in 15..20 {
        let refused = client.next().unwrap();
        assert_eq!(refused["id"], i.to_string());
        assert_eq!(refused["error"], "too many queries wait already (at most 16 MiB)");
    }
    // Another one has a share of its own.
    assert_eq!(server.client().ask(short("s"))["simulations"], 5);
    client.send(json!({"id": "c", "action": "cancel"}));
    let mut cancelled = 0;
    let stopped = loop {
        let answer = client.next().unwrap();
        cancelled += u64::from(answer["cancelled"] == true);
        if answer["id"] == "c" {
            break answer["stopped"].as_u64().unwrap();
        }
    };
    // The one that runs may answer later.
    assert!(stopped == 15 && cancelled + 1 >= stopped, "{stopped} {cancelled}");
}

/// The answers take more than the server keeps for a client that does not read.
#[test]
fn a_client_that_reads_late_loses_nothing() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let count = 6000;
    for i in 0..count {
        client.send(json!({"id": i.to_string(), "side": 3, "simulations": 1, "want": ["moves"]}));
    }
    let answered: BTreeSet<String> = (0..count)
        .map(|_| {
            let answer = client.next().unwrap();
            assert!(answer["moves"].is_array(), "{answer}");
            answer["id"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(answered.len(), count);
}

#[test]
fn a_client_that_reads_nothing_is_given_up() {
    let server = Server::start(&[]);
    let mut deaf = server.client();
    deaf.0.get_mut().set_write_timeout(Some(PATIENCE)).unwrap();
    let board = Message::text(json!({"id": "x".repeat(900), "action": "board", "side": 13}).to_string());
    // The answers are long. The server gives the client up and closes the connection.
    let end = (0..100_000).find(|_| deaf.0.send(board.clone()).is_err());
    assert!(end.is_some());
    assert_eq!(server.client().ask(short("s"))["id"], "s");
}

/// As by Ctrl-Z and `fg`.
#[cfg(unix)]
#[test]
fn a_server_that_was_stopped_keeps_its_clients() {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    let server = Server::start(&[]);
    let mut client = server.client();
    let process = Pid::from_child(&server.process);
    for i in 0..3 {
        assert_eq!(client.ask(short("before"))["id"], "before");
        kill_process(process, Signal::STOP).unwrap();
        let (_, status) = waitpid(Some(process), WaitOptions::UNTRACED).unwrap().unwrap();
        assert!(status.stopped());
        let id = format!("during {i}");
        client.send(short(&id));
        kill_process(process, Signal::CONT).unwrap();
        assert_eq!(client.next().unwrap()["id"], json!(id));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_server() {
    let mut server = Server::start(&[]);
    let mut client = server.client();
    let mut query = endless("e");
    query["every"] = json!(0.05);
    assert_eq!(client.ask(query)["partial"], json!(true));
    let id = server.process.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(server.process.wait().unwrap().code(), Some(0));
    while client.next().is_ok() {}
}

#[test]
fn a_port_in_use_is_reported() {
    let server = Server::start(&[]);
    let port = server.address.port().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_malecon")).args(["serve", "--port", &port]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    let expected = format!("error: cannot listen on 127.0.0.1 port {port}: ");
    assert!(output.status.code() == Some(1) && error.starts_with(&expected), "{error}");
}

#[test]
fn searches_without_time_are_refused() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args(["serve", "--port", "0", "--longest", "0"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut greeting = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut greeting).unwrap();
    process.kill().unwrap();
    assert_eq!(greeting, "");
    let error = String::from_utf8(process.wait_with_output().unwrap().stderr).unwrap();
    assert!(error.contains("--longest"), "{error}");
}
