//! The part of HTTP/1.1 that a page and a WebSocket need. A connection has one request, and its size and time are
//! bounded.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Shutdown, TcpStream};
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, Engine};

/// The most bytes in the head of a request.
const MAX_HEAD: usize = 16 << 10;
/// The most header fields of a request.
const MAX_FIELDS: usize = 64;
/// How many bytes of a request are read and dropped after its response.
pub const MAX_REST: usize = 64 << 10;
/// How long a request may take to arrive, and its response to be read by the client.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// A request.
#[derive(Debug, PartialEq)]
pub struct Request {
    pub method: String,
    /// The path, without the query.
    pub path: String,
    pub host: String,
    pub origin: Option<String>,
    /// The key of a WebSocket handshake, if the request is one.
    pub websocket_key: Option<String>,
    /// What has arrived after the head.
    pub rest: Vec<u8>,
}

/// A response with a status other than 200, and the reason as its text.
#[derive(Debug, PartialEq)]
pub struct Refusal {
    pub status: u16,
    pub reason: &'static str,
}

impl Refusal {
    pub const fn new(status: u16, reason: &'static str) -> Refusal {
        Refusal { status, reason }
    }
}

/// A stream with one deadline for all its reads and writes, however slowly the other side sends or reads.
struct Timed<'a> {
    stream: &'a TcpStream,
    deadline: Instant,
}

impl<'a> Timed<'a> {
    fn new(stream: &'a TcpStream) -> Timed<'a> {
        Timed { stream, deadline: Instant::now() + TIME_LIMIT }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        read_before(self.deadline, self.stream, buffer)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(time_until(self.deadline)?))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Reads what has arrived, or waits for it until the deadline.
///
/// A read with a timeout ends when the process was stopped and goes on. The server could not hear the client meanwhile,
/// so the client has the time that was left once more.
///
/// # Errors
/// If the deadline has passed, or the stream is broken.
pub fn read_before(deadline: Instant, mut stream: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
    stream.set_read_timeout(Some(time_until(deadline)?))?;
    loop {
        match stream.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

fn time_until(deadline: Instant) -> io::Result<Duration> {
    match deadline.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(ErrorKind::TimedOut.into()),
        left => Ok(left),
    }
}

/// Reads a request. `None` if the other side went away or said nothing in time.
pub fn read_request(stream: &TcpStream) -> Option<Result<Request, Refusal>> {
    let mut stream = Timed::new(stream);
    let mut head = Head::default();
    let mut part = [0; 2048];
    loop {
        let count = match stream.read(&mut part) {
            Ok(0) => return None,
            Ok(count) => count,
            // A browser opens connections ahead of need and may never use them.
            Err(_) if head.bytes.is_empty() => return None,
            Err(_) => return Some(Err(Refusal::new(408, "the request did not arrive in time"))),
        };
        if let Some(request) = head.add(&part[..count]).transpose() {
            return Some(request);
        }
    }
}

/// The head of a request while it arrives.
#[derive(Default)]
struct Head {
    bytes: Vec<u8>,
    /// The number of bytes when it was last parsed.
    parsed: usize,
    /// How often it was parsed.
    attempts: u32,
}

impl Head {
    /// Adds bytes. Returns the request once it is complete.
    ///
    /// A head that arrives byte by byte is not parsed at every byte, but when it may be complete and when it has
    /// doubled in length since the last time, so that anything that is not a request is refused early.
    fn add(&mut self, bytes: &[u8]) -> Result<Option<Request>, Refusal> {
        let before = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        let may_be_complete = ends_in(&self.bytes, before);
        if !may_be_complete && self.bytes.len() < (2 * self.parsed).min(MAX_HEAD + 1) {
            return Ok(None);
        }
        self.parsed = self.bytes.len();
        self.attempts += 1;
        match parse(&self.bytes)? {
            None if self.bytes.len() > MAX_HEAD => Err(Refusal::new(431, "the head of the request is too long")),
            request => Ok(request),
        }
    }
}

/// Whether the empty line that ends a head begins at or after `start`, or just before it.
fn ends_in(bytes: &[u8], start: usize) -> bool {
    let new = &bytes[start.saturating_sub(3)..];
    new.windows(2).any(|pair| pair == b"\n\n") || new.windows(3).any(|part| part == b"\n\r\n")
}

/// Parses the head of a request; `None` if it is not complete.
fn parse(bytes: &[u8]) -> Result<Option<Request>, Refusal> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) if length <= MAX_HEAD => length,
        Ok(httparse::Status::Complete(_)) => return Err(Refusal::new(431, "the head of the request is too long")),
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => {
            return Err(Refusal::new(431, "the request has too many header fields"));
        }
        Err(_) => return Err(Refusal::new(400, "this is not an HTTP request")),
    };
    let fields = Fields(request.headers);
    let target = request.path.unwrap_or_default();
    Ok(Some(Request {
        method: request.method.unwrap_or_default().to_owned(),
        path: target.split(['?', '#']).next().unwrap_or_default().to_owned(),
        host: fields.one("host")?.ok_or(Refusal::new(400, "the request has no field Host"))?,
        origin: fields.one("origin")?,
        websocket_key: fields.websocket_key()?,
        rest: bytes[length..].to_vec(),
    }))
}

struct Fields<'a>(&'a [httparse::Header<'a>]);

impl Fields<'_> {
    /// The value of a field that may occur once.
    fn one(&self, name: &str) -> Result<Option<String>, Refusal> {
        let mut all = self.0.iter().filter(|field| field.name.eq_ignore_ascii_case(name));
        let Some(field) = all.next() else { return Ok(None) };
        match std::str::from_utf8(field.value) {
            Ok(value) if all.next().is_none() => Ok(Some(value.trim().to_owned())),
            _ => Err(Refusal::new(400, "a header field is not text, or occurs twice")),
        }
    }

    /// Whether one of the values of a field, separated by commas, is this word.
    fn has_word(&self, name: &str, word: &str) -> bool {
        let fields = self.0.iter().filter(|field| field.name.eq_ignore_ascii_case(name));
        let values = fields.filter_map(|field| std::str::from_utf8(field.value).ok());
        values.flat_map(|value| value.split(',')).any(|value| value.trim().eq_ignore_ascii_case(word))
    }

    /// The key of a WebSocket handshake (RFC 6455, section 4.2.1).
    fn websocket_key(&self) -> Result<Option<String>, Refusal> {
        if !self.has_word("upgrade", "websocket") || !self.has_word("connection", "upgrade") {
            return Ok(None);
        }
        if self.one("sec-websocket-version")?.as_deref() != Some("13") {
            return Err(Refusal::new(426, "the WebSocket has another version than 13"));
        }
        let key = self.one("sec-websocket-key")?.filter(|key| is_key(key));
        key.map(Some).ok_or(Refusal::new(400, "the WebSocket handshake has no valid key"))
    }
}

/// Whether a text is 16 bytes in base64.
fn is_key(text: &str) -> bool {
    BASE64_STANDARD.decode(text).is_ok_and(|key| key.len() == 16)
}

/// Whether a request with this `Host` may be answered.
///
/// Another site can make its own name point to this machine, so that its page may send requests here; but these
/// requests name that site (DNS rebinding). So the host has to be an IP address, `localhost`, or `told`, the name that
/// the user gave. With `is_loopback`, an address has to be a loopback address.
pub fn is_own_host(host: &str, told: &str, is_loopback: bool) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name).parse::<IpAddr>();
    match address {
        Ok(address) => address.is_loopback() || !is_loopback,
        Err(_) => name.eq_ignore_ascii_case("localhost") || name.eq_ignore_ascii_case(told),
    }
}

/// A response with these header fields, each ended by a line end.
pub fn respond(stream: &TcpStream, status: u16, fields: &str, content: &[u8]) -> io::Result<()> {
    let reason = match status {
        101 => "Switching Protocols",
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        426 => "Upgrade Required",
        431 => "Request Header Fields Too Large",
        _ => "Service Unavailable",
    };
    let mut stream = Timed::new(stream);
    stream.write_all(format!("HTTP/1.1 {status} {reason}\r\n{fields}\r\n").as_bytes())?;
    stream.write_all(content)
}

/// Refuses a request and closes the connection. The answer to HEAD has no content.
pub fn refuse(stream: &TcpStream, refusal: &Refusal, is_head: bool) -> io::Result<()> {
    let Refusal { status, reason } = refusal;
    let extra = match status {
        405 => "Allow: GET, HEAD\r\n",
        426 => "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
        _ => "",
    };
    let length = reason.len() + 1;
    let fields = format!(
        "Content-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nX-Content-Type-Options: nosniff\r\n\
         Connection: close\r\n{extra}"
    );
    let content = if is_head { String::new() } else { format!("{reason}\n") };
    respond(stream, *status, &fields, content.as_bytes())?;
    finish(stream, MAX_REST);
    Ok(())
}

/// Closes a connection. Up to `most` bytes that the client still sends are read and dropped; otherwise the response
/// might not arrive.
pub fn finish(stream: &TcpStream, most: usize) {
    if stream.shutdown(Shutdown::Write).is_err() {
        return;
    }
    let mut timed = Timed { stream, deadline: Instant::now() + Duration::from_secs(1) };
    let mut part = [0; 16 << 10];
    for _ in 0..most / part.len() {
        if !timed.read(&mut part).is_ok_and(|n| n > 0) {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Result<Option<Request>, u16> {
        parse(text.as_bytes()).map_err(|refusal| refusal.status)
    }

    #[test]
    fn the_head_of_a_request_is_parsed() {
        let text = "GET /js/main.js?x=1 HTTP/1.1\r\nHost: localhost:1\r\n\r\nrest";
        let parsed = request(text).unwrap().unwrap();
        assert_eq!(
            (parsed.method.as_str(), parsed.path.as_str(), parsed.host.as_str()),
            ("GET", "/js/main.js", "localhost:1")
        );
        assert_eq!((parsed.origin, parsed.websocket_key, &parsed.rest[..]), (None, None, &b"rest"[..]));
        assert_eq!(request(&text[..20]), Ok(None));
    }

    #[test]
    fn malformed_heads_are_refused() {
        let with = |fields: &str| request(&format!("GET / HTTP/1.1\r\n{fields}\r\n"));
        assert_eq!(request("hello\r\n\r\n"), Err(400));
        assert_eq!(request("GET / HTTP/1.1\r\nHost : a\r\n\r\n"), Err(400));
        assert_eq!(with(""), Err(400));
        assert_eq!(with("Host: a\r\nHost: b\r\n"), Err(400));
        assert_eq!(with(&format!("Host: a\r\n{}", "X: y\r\n".repeat(MAX_FIELDS))), Err(431));
    }

    #[test]
    fn a_websocket_handshake_needs_version_and_key() {
        let with = |fields: &str| {
            let text = "GET /api HTTP/1.1\r\nHost: a\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n";
            request(&format!("{text}{fields}\r\n")).map(|request| request.unwrap().websocket_key)
        };
        let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        let version = "Sec-WebSocket-Version: 13\r\n";
        assert_eq!(with(&format!("{key}{version}")), Ok(Some("dGhlIHNhbXBsZSBub25jZQ==".into())));
        assert_eq!(with(key), Err(426));
        assert_eq!(with(version), Err(400));
        assert_eq!(with(&format!("{version}Sec-WebSocket-Key: short\r\n")), Err(400));
    }

    #[test]
    fn only_own_hosts_are_answered() {
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:8642", "127.0.0.1", "[::1]:8642", "[::1]", "127.8.9.1:1"] {
            assert!(is_own_host(host, "127.0.0.1", true), "{host}");
        }
        for host in
            ["", "evil.example", "evil.example:8642", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.7"]
        {
            assert!(!is_own_host(host, "127.0.0.1", true), "{host}");
        }
        assert!(is_own_host("10.0.0.7:8642", "0.0.0.0", false) && is_own_host("box.lan:8642", "box.lan", false));
        assert!(!is_own_host("evil.example:8642", "0.0.0.0", false));
    }

    #[test]
    fn the_end_of_a_head_is_found_wherever_the_parts_meet() {
        for head in ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\nHost: a\n\n"] {
            for start in 0..=head.len() - 1 {
                assert!(ends_in(head.as_bytes(), start), "{start}");
                assert!(!ends_in(&head.as_bytes()[..head.len() - 1], start.min(head.len() - 2)), "{start}");
            }
        }
    }

    #[test]
    fn a_head_that_comes_byte_by_byte_is_parsed_a_few_times() {
        let mut head = Head::default();
        let text = format!("GET /js/main.js HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "y".repeat(10_000));
        let (last, others) = text.as_bytes().split_last().unwrap();
        assert!(others.iter().all(|byte| head.add(&[*byte]) == Ok(None)));
        assert_eq!(head.add(&[*last]).unwrap().unwrap().path, "/js/main.js");
        assert!(head.attempts < 20, "{}", head.attempts);
        // What never ends is refused.
        let mut head = Head::default();
        let refused = (0..4 * MAX_HEAD).find_map(|_| head.add(b"G").err());
        assert_eq!(refused.unwrap().status, 431);
    }
}
