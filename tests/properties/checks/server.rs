//! What the server of `malecon serve` does with the bytes of a connection, over a real socket. It answers with one
//! well-formed response of HTTP, and serves nothing to another host or site. After the handshake of a WebSocket it
//! sends well-formed frames, and as long as the client keeps to the protocol, each message has an answer.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use malecon::engine::session::EngineOptions;
use malecon::protocols::json::scheduler::Scheduler;
use malecon::protocols::json::{Action, Query, QuerySettings};
use malecon::protocols::server::Server;
use serde_json::Value;

/// How long the server may be silent while it has to answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// Sent after the input, where it is a message of its own. The key that masks its bytes is 0.
const LAST: &[u8] = b"{\"id\":\"the last\",\"action\":\"version\"}";

/// The most messages of an input that have to be answered. A client that sends many and reads nothing is given up.
const MAX_MESSAGES: usize = 50;

fn settings() -> &'static QuerySettings {
    static SETTINGS: OnceLock<QuerySettings> = OnceLock::new();
    SETTINGS.get_or_init(|| {
        let mut options = EngineOptions::default();
        options.search.memory = 4;
        options.session.analysis_playouts = 4;
        let mut settings = QuerySettings::new(options);
        settings.longest = 0.002;
        settings
    })
}

/// The address of a server that all inputs share.
fn server() -> SocketAddr {
    static ADDRESS: OnceLock<SocketAddr> = OnceLock::new();
    *ADDRESS.get_or_init(|| {
        let server = Server::new(Scheduler::new(settings().clone(), 1).unwrap(), "127.0.0.1", true, 8);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || server.run(&listener));
        address
    })
}

/// The input is what a client sends.
pub fn check(input: &[u8]) {
    // A query with playouts may take long: the time limit of a search does not bound them.
    if find(input, b"playouts").is_some() {
        return;
    }
    let mut stream = TcpStream::connect(server()).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // The server may have refused the request and closed the connection before it has read all.
    let _ = stream.write_all(input);
    let (head, rest) = split(input);
    let is_handshake = find(&head.to_ascii_lowercase(), b"sec-websocket-key").is_some();
    let sent = rest.filter(|_| is_handshake).and_then(messages);
    let mut received = Vec::new();
    if sent.is_some() {
        let _ = stream.write_all(&[&[0x81, 0x80 | LAST.len() as u8, 0, 0, 0, 0], LAST].concat());
        // Until the last answer, or the end of the connection.
        let mut part = [0; 4096];
        while find(&received, b"the last").is_none() {
            match stream.read(&mut part) {
                Ok(0) => break,
                Ok(length) => received.extend_from_slice(&part[..length]),
                // A signal, such as the timer of libFuzzer.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    assert!(is_reset(&error), "no answer ({error}) to {}", input.escape_ascii());
                    break;
                }
            }
        }
    }
    let _ = stream.shutdown(Shutdown::Write);
    if let Err(error) = stream.read_to_end(&mut received) {
        assert!(is_reset(&error), "no end ({error}) of the connection after {}", input.escape_ascii());
    }
    check_response(input, &received, sent.as_deref());
}

/// The head of a request, with the empty line after it, and what follows; `None` if the head is not complete.
fn split(input: &[u8]) -> (&[u8], Option<&[u8]>) {
    let start = input.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let ends = [&b"\n\r\n"[..], b"\n\n"].map(|end| find(&input[start..], end).map(|at| start + at + end.len()));
    match ends.into_iter().flatten().min() {
        Some(end) => (&input[start..end], Some(&input[end..])),
        None => (&input[start..], None),
    }
}

/// Where the text begins in the bytes.
fn find(bytes: &[u8], text: &[u8]) -> Option<usize> {
    bytes.windows(text.len()).position(|part| part == text)
}

/// Whether the server has closed the connection, with bytes of the client still on their way.
fn is_reset(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe)
}

/// Checks what the server has sent. `messages` are the client's, if it keeps to the protocol of WebSockets.
fn check_response(input: &[u8], received: &[u8], messages: Option<&[String]>) {
    let context = || format!("{}\n{}", input.escape_ascii(), received.escape_ascii());
    let (head, rest) = split(input);
    if received.is_empty() {
        // A long input may end in a reset of the connection, which drops the response.
        assert!(rest.is_none() || input.len() > 1 << 14, "no response: {}", context());
        return;
    }
    let mut fields = [httparse::EMPTY_HEADER; 16];
    let mut response = httparse::Response::new(&mut fields);
    let Ok(httparse::Status::Complete(length)) = response.parse(received) else {
        panic!("this is not a response: {}", context())
    };
    let content = &received[length..];
    let field = |name: &str| response.headers.iter().find(|field| field.name == name).map(|field| field.value);
    let status = response.code.unwrap();
    match status {
        101 => check_frames(content, messages, &context),
        200 | 400 | 403 | 404 | 405 | 408 | 426 | 431 | 503 => {
            let length: usize = String::from_utf8_lossy(field("Content-Length").unwrap()).parse().unwrap();
            let is_head = status == 200 && head.starts_with(b"HEAD");
            assert_eq!(content.len(), if is_head { 0 } else { length }, "{}", context());
            assert_eq!(field("Connection"), Some(&b"close"[..]));
            assert_eq!(field("X-Content-Type-Options"), Some(&b"nosniff"[..]));
        }
        _ => panic!("status {status}: {}", context()),
    }
    if matches!(status, 101 | 200) {
        check_request(head, &context);
    }
}

/// A request that is served names this machine as its host, and no other site as its origin.
fn check_request(head: &[u8], context: &dyn Fn() -> String) {
    let head = String::from_utf8_lossy(head);
    let values = |name: &str| -> Vec<&str> {
        let fields = head.lines().skip(1).filter_map(|line| line.split_once(':'));
        fields.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).collect()
    };
    let [host] = values("host")[..] else { panic!("not one host: {}", context()) };
    let name = host.to_ascii_lowercase();
    assert!(["localhost", "127.", "[", "::"].iter().any(|own| name.starts_with(own)), "{}", context());
    let own = format!("http://{name}");
    assert!(values("origin").iter().all(|origin| origin.eq_ignore_ascii_case(&own)), "{}", context());
}

/// A frame of a WebSocket (RFC 6455, section 5.2).
struct Frame<'a> {
    /// Whether the message ends here, and what kind of frame it is.
    first: u8,
    mask: Option<[u8; 4]>,
    content: &'a [u8],
}

/// The frame at the start of these bytes, and what comes after it; `None` if it is not complete.
fn frame(bytes: &[u8]) -> Option<(Frame<'_>, &[u8])> {
    let (&[first, second], rest) = bytes.split_first_chunk()?;
    let (length, rest) = match second & 0x7f {
        126 => rest.split_first_chunk().map(|(n, rest)| (u16::from_be_bytes(*n) as usize, rest))?,
        127 => rest.split_first_chunk().map(|(n, rest)| (u64::from_be_bytes(*n) as usize, rest))?,
        short => (short.into(), rest),
    };
    let (mask, rest) = match second >> 7 {
        0 => (None, rest),
        _ => rest.split_first_chunk().map(|(mask, rest)| (Some(*mask), rest))?,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((Frame { first, mask, content }, rest))
}

/// The messages in these frames of a client: `None` unless each is a whole text message or a ping, and masked.
fn messages(mut bytes: &[u8]) -> Option<Vec<String>> {
    let mut messages = Vec::new();
    while !bytes.is_empty() {
        let (Frame { first, mask, content }, rest) = frame(bytes)?;
        let mask = mask?;
        let content: Vec<u8> = content.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask).collect();
        match first {
            0x81 => messages.push(String::from_utf8(content).ok().filter(|text| !text.contains("the last"))?),
            0x89 if content.len() < 126 => {}
            _ => return None,
        }
        bytes = rest;
    }
    (messages.len() <= MAX_MESSAGES).then_some(messages)
}

/// Checks the frames that the server has sent.
fn check_frames(mut bytes: &[u8], messages: Option<&[String]>, context: &dyn Fn() -> String) {
    let (mut answers, mut is_answered, mut is_closed) = (0, false, false);
    while !bytes.is_empty() {
        // The connection may end within a frame if the client has ended it first.
        let Some((Frame { first, mask, content }, rest)) = frame(bytes) else { break };
        // No frame follows the close frame (RFC 6455, section 5.5.1).
        assert!(mask.is_none() && !is_closed, "{}", context());
        match first {
            0x81 => {
                let answer: Value = serde_json::from_slice(content).unwrap_or_else(|e| panic!("{e}: {}", context()));
                assert!(answer.is_object(), "{}", context());
                answers += usize::from(!is_answered && answer.get("warning").is_none());
                is_answered |= answer["id"] == "the last";
            }
            0x88 => {
                let code = content.first_chunk().map(|code| u16::from_be_bytes(*code));
                assert!(code.is_none_or(|code| (1000..5000).contains(&code)), "{}", context());
                is_closed = true;
            }
            0x89 | 0x8a => assert!(content.len() < 126),
            _ => panic!("a frame that begins with {first:#x}: {}", context()),
        }
        bytes = rest;
    }
    if let Some(messages) = messages {
        assert!(is_answered, "the last query has no answer: {}", context());
        // Only those that need a search may be answered later than the last.
        let is_analysis =
            |text: &String| matches!(Query::read(text, settings()), Ok(Query { action: Action::Task { .. }, .. }));
        let prompt = messages.iter().filter(|text| !is_analysis(text)).count();
        assert!(answers > prompt, "{answers} answers: {}", context());
    }
}
