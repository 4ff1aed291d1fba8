//! The server of `malecon serve`: the page, and queries in JSON over a WebSocket.
//!
//! A connection is one request for a file of the page, or one WebSocket at the path `/api`. The size and time of
//! requests and the number of connections are bounded. Requests that a page of another site may have caused are
//! refused.

mod assets;
mod http;
mod websocket;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine};

use crate::base::sync::{lock, start_thread};
use crate::protocols::json::scheduler::Scheduler;

use assets::Asset;
use http::{MAX_REST, Refusal, Request, finish, is_own_host, read_request, refuse, respond};

/// The most simultaneous connections that are not WebSockets. One more takes the place of another.
const MAX_REQUESTS: usize = 64;

/// A server, with one thread per connection.
pub struct Server {
    shared: Arc<Shared>,
}

impl Server {
    /// Creates a server whose queries go to `scheduler`. A request must name `host`, `localhost` or an IP address as
    /// its host; with `is_loopback`, only loopback addresses are allowed. At most `clients` WebSockets are open at the
    /// same time.
    pub fn new(scheduler: Scheduler, host: &str, is_loopback: bool, clients: usize) -> Server {
        let (requests, clients) = (Arc::default(), Slots::new(clients));
        Server { shared: Arc::new(Shared { scheduler, host: host.to_owned(), is_loopback, requests, clients }) }
    }

    /// Answers the connections of a listener, without end.
    pub fn run(&self, listener: &TcpListener) {
        for stream in listener.incoming() {
            match stream {
                Ok(stream) => accept(stream, &self.shared),
                Err(error) => {
                    log::warn!("a connection failed: {error}");
                    // It may pass, for example if too many files are open.
                    thread::sleep(Duration::from_millis(100));
                }
            }
        }
    }
}

/// What the threads of a server share.
struct Shared {
    scheduler: Scheduler,
    /// The host that the user named.
    host: String,
    is_loopback: bool,
    requests: Arc<Requests>,
    clients: Slots,
}

/// The connections that are not WebSockets, by their numbers.
#[derive(Default)]
struct Requests(Mutex<RequestsState>);

#[derive(Default)]
struct RequestsState {
    accepted: u64,
    open: BTreeMap<u64, (Option<IpAddr>, Arc<TcpStream>)>,
}

impl Requests {
    /// Adds a connection. If there are too many, the oldest one of the address with the most is closed, so that slow
    /// clients keep nobody out.
    fn add(self: &Arc<Self>, stream: &Arc<TcpStream>) -> OpenRequest {
        let mut state = lock(&self.0);
        if state.open.len() >= MAX_REQUESTS {
            let count = |address| state.open.values().filter(|(other, _)| *other == address).count();
            let oldest = state.open.iter().max_by_key(|&(&number, &(address, _))| (count(address), Reverse(number)));
            if let Some(number) = oldest.map(|(&number, _)| number)
                && let Some((_, stream)) = state.open.remove(&number)
            {
                // Its thread sees the end of the stream and ends, too.
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
        state.accepted += 1;
        let number = state.accepted;
        state.open.insert(number, (stream.peer_addr().ok().map(|address| address.ip()), Arc::clone(stream)));
        OpenRequest { number, requests: Arc::clone(self) }
    }
}

/// A connection among those that are open, until this is dropped.
struct OpenRequest {
    number: u64,
    requests: Arc<Requests>,
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        lock(&self.requests.0).open.remove(&self.number);
    }
}

/// A bounded number of slots for connections.
#[derive(Clone)]
struct Slots {
    free: Arc<AtomicUsize>,
}

/// A slot, which is free again when this is dropped.
struct Slot(Arc<AtomicUsize>);

impl Slots {
    fn new(count: usize) -> Slots {
        Slots { free: Arc::new(AtomicUsize::new(count)) }
    }

    fn take(&self) -> Option<Slot> {
        let taken = self.free.fetch_update(SeqCst, SeqCst, |free| free.checked_sub(1));
        taken.ok().map(|_| Slot(Arc::clone(&self.free)))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// Answers a connection on a thread of its own.
fn accept(stream: TcpStream, server: &Arc<Shared>) {
    let (server, stream) = (Arc::clone(server), Arc::new(stream));
    let request = server.requests.add(&stream);
    let thread = start_thread("connection", move || {
        if let Err(error) = server.answer(&stream, request) {
            log::debug!("a connection ended: {error}");
        }
    });
    if let Err(error) = thread {
        log::warn!("a connection is closed: {error}");
    }
}

impl Shared {
    fn answer(&self, stream: &TcpStream, open: OpenRequest) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let Some(request) = read_request(stream) else { return Ok(()) };
        let request = match request.and_then(|request| self.check(request)) {
            Err(refusal) => return refuse(stream, &refusal),
            Ok(request) => request,
        };
        match (&request.websocket_key, assets::find(&request.path)) {
            (Some(key), _) => match self.clients.take() {
                None => refuse(stream, &Refusal::new(503, "too many pages are connected")),
                Some(_client) => {
                    drop(open);
                    accept_websocket(stream, key)?;
                    websocket::converse(stream, request.rest, &self.scheduler)
                }
            },
            (None, Some(asset)) => send(stream, asset, &request),
            (None, None) if request.path == "/api" => {
                refuse(stream, &Refusal::new(426, "this is the path of a WebSocket"))
            }
            (None, None) => refuse(stream, &Refusal::new(404, "there is no such file")),
        }
    }

    /// Refuses requests that other sites have caused, and those that are not served.
    fn check(&self, request: Request) -> Result<Request, Refusal> {
        if !is_own_host(&request.host, &self.host, self.is_loopback) {
            return Err(Refusal::new(403, "the request is for another host"));
        }
        // Browsers always say which site opens a WebSocket; programs need not.
        let own = format!("http://{}", request.host);
        if request.origin.as_ref().is_some_and(|origin| !origin.eq_ignore_ascii_case(&own)) {
            return Err(Refusal::new(403, "the request comes from another site"));
        }
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return Err(Refusal::new(405, "only GET and HEAD are allowed"));
        }
        match request.websocket_key {
            Some(_) if request.path != "/api" => Err(Refusal::new(404, "the WebSocket is at /api")),
            Some(_) if request.method != "GET" => Err(Refusal::new(405, "a WebSocket begins with GET")),
            _ => Ok(request),
        }
    }
}

/// Sends a file of the page. The header fields forbid the page everything that it does not need.
fn send(stream: &TcpStream, asset: &Asset, request: &Request) -> io::Result<()> {
    let (length, media_type) = (asset.content.len(), asset.media_type());
    // Older browsers do not count a WebSocket of the same host as 'self'.
    let security_policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
         connect-src 'self' ws://{}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        request.host
    );
    let fields = format!(
        "Content-Type: {media_type}\r\nContent-Length: {length}\r\nCache-Control: no-cache\r\n\
         Content-Security-Policy: {security_policy}\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n"
    );
    let content = if request.method == "HEAD" { &[] } else { asset.content };
    respond(stream, 200, &fields, content)?;
    finish(stream, MAX_REST);
    Ok(())
}

/// The server's part of the handshake, which shows that it has understood the client's key (RFC 6455, section 4.2.2).
fn accepted(key: &str) -> String {
    let digest = sha1_smol::Sha1::from(format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11")).digest().bytes();
    BASE64_STANDARD.encode(digest)
}

/// Completes the handshake of a WebSocket.
fn accept_websocket(stream: &TcpStream, key: &str) -> io::Result<()> {
    let accepted = accepted(key);
    let fields = format!("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accepted}\r\n");
    respond(stream, 101, &fields, b"")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 6455, section 1.3.
    #[test]
    fn the_handshake_is_that_of_the_standard() {
        assert_eq!(accepted("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }
}
