//! The server of `malecon serve`: the page, and queries in JSON over a WebSocket.
//!
//! A connection is one request for a file of the page, or one WebSocket at the path `/api`. The size and time of
//! requests and the number of connections are bounded. Requests that a page of another site may have caused are
//! refused.

mod assets;
mod http;
mod websocket;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, Shutdown, TcpListener, TcpStream};
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

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("host", &self.shared.host).finish_non_exhaustive()
    }
}

impl Server {
    /// Creates a server whose queries go to `scheduler`. A request must name `host`, `localhost` or an IP address as
    /// its host; with `is_loopback`, only loopback addresses are allowed. At most `clients` WebSockets are open at the
    /// same time.
    pub fn new(scheduler: Scheduler, host: &str, is_loopback: bool, clients: usize) -> Server {
        let requests = Connections::new(MAX_REQUESTS);
        let pages = Connections::new(clients);
        Server { shared: Arc::new(Shared { scheduler, host: host.to_owned(), is_loopback, requests, pages }) }
    }

    /// Answers the connections of a listener, for ever.
    pub fn run(&self, listener: &TcpListener) {
        for stream in listener.incoming() {
            match stream {
                Ok(stream) => accept(stream, &self.shared),
                Err(error) => {
                    log::warn!("a connection failed: {error}");
                    // The cause may pass, such as too many open files.
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
    /// The connections that are not WebSockets.
    requests: Arc<Connections>,
    /// The WebSockets.
    pages: Arc<Connections>,
}

/// Open connections of one kind, by their numbers. They are shared among the addresses that they come from.
struct Connections {
    /// The most that are open at the same time.
    most: usize,
    state: Mutex<ConnectionsState>,
}

#[derive(Default)]
struct ConnectionsState {
    accepted: u64,
    open: BTreeMap<u64, (Option<IpAddr>, Arc<TcpStream>)>,
}

impl ConnectionsState {
    fn count(&self, address: Option<IpAddr>) -> usize {
        self.open.values().filter(|(other, _)| *other == address).count()
    }

    /// The address with the most connections; of several such, the one with the oldest connection.
    fn greediest(&self) -> Option<IpAddr> {
        self.open.values().rev().map(|&(address, _)| address).max_by_key(|&address| self.count(address)).flatten()
    }

    /// Closes a connection. Its thread sees the end of the stream and ends, too.
    fn close(&mut self, number: Option<u64>) {
        if let Some((_, stream)) = number.and_then(|number| self.open.remove(&number)) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn numbers_of(&self, address: Option<IpAddr>) -> impl DoubleEndedIterator<Item = u64> {
        self.open.iter().filter(move |(_, (other, _))| *other == address).map(|(&number, _)| number)
    }
}

impl Connections {
    fn new(most: usize) -> Arc<Connections> {
        Arc::new(Connections { most, state: Mutex::default() })
    }

    /// Adds a request. If there are too many, the oldest one of the address with the most is closed, so that slow
    /// clients keep nobody out.
    fn add_request(self: &Arc<Self>, stream: &Arc<TcpStream>) -> OpenConnection {
        let mut state = lock(&self.state);
        if state.open.len() >= self.most {
            let oldest = state.numbers_of(state.greediest()).next();
            state.close(oldest);
        }
        self.add(&mut state, stream)
    }

    /// Adds a page. If there are too many, it replaces the newest page of the address with the most, provided that this
    /// address is left with at least as many as the new page's own then has. Otherwise there is no room.
    fn add_page(self: &Arc<Self>, stream: &Arc<TcpStream>) -> Option<OpenConnection> {
        let mut state = lock(&self.state);
        if state.open.len() >= self.most {
            let greediest = state.greediest();
            if state.count(greediest) <= state.count(address_of(stream)) + 1 {
                return None;
            }
            let newest = state.numbers_of(greediest).next_back();
            state.close(newest);
        }
        Some(self.add(&mut state, stream))
    }

    fn add(self: &Arc<Self>, state: &mut ConnectionsState, stream: &Arc<TcpStream>) -> OpenConnection {
        state.accepted += 1;
        let number = state.accepted;
        state.open.insert(number, (address_of(stream), Arc::clone(stream)));
        OpenConnection { number, connections: Arc::clone(self) }
    }
}

fn address_of(stream: &TcpStream) -> Option<IpAddr> {
    stream.peer_addr().ok().map(|address| address.ip())
}

/// The entry of an open connection, which is removed when this is dropped.
struct OpenConnection {
    number: u64,
    connections: Arc<Connections>,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        lock(&self.connections.state).open.remove(&self.number);
    }
}

/// Answers a connection on a thread of its own.
fn accept(stream: TcpStream, server: &Arc<Shared>) {
    let server = Arc::clone(server);
    let stream = Arc::new(stream);
    let request = server.requests.add_request(&stream);
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
    fn answer(&self, stream: &Arc<TcpStream>, open: OpenConnection) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let Some(request) = read_request(stream) else { return Ok(()) };
        let is_head = request.as_ref().is_ok_and(|request| request.method == "HEAD");
        let refuse = |refusal: &Refusal| refuse(stream, refusal, is_head);
        let request = match request.and_then(|request| self.check(request)) {
            Err(refusal) => return refuse(&refusal),
            Ok(request) => request,
        };
        match (&request.websocket_key, assets::find(&request.path)) {
            (Some(key), _) => match self.pages.add_page(stream) {
                None => refuse(&Refusal::new(503, "too many pages are connected")),
                Some(_page) => {
                    drop(open);
                    accept_websocket(stream, key)?;
                    websocket::converse(stream, request.rest, &self.scheduler)
                }
            },
            (None, Some(asset)) => send(stream, asset, &request),
            (None, None) if request.path == "/api" => refuse(&Refusal::new(426, "this is the path of a WebSocket")),
            (None, None) => refuse(&Refusal::new(404, "there is no such file")),
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
    let length = asset.content.len();
    let media_type = asset.media_type();
    // Older browsers do not count a WebSocket of the same host as 'self'.
    let security_policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
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

    #[test]
    fn an_address_with_many_pages_makes_room_for_another_one() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let connect = || {
            let _client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            Arc::new(listener.accept().unwrap().0)
        };
        let pages = Connections::new(3);
        let streams: Vec<_> = (0..3).map(|_| connect()).collect();
        let held: Vec<_> = streams.iter().map(|stream| pages.add_page(stream).unwrap()).collect();
        // All are of one address, so there is no room for another one of it.
        assert!(pages.add_page(&connect()).is_none());
        let elsewhere = Some(IpAddr::from([10, 0, 0, 1]));
        lock(&pages.state).open.get_mut(&held[0].number).unwrap().0 = elsewhere;
        assert!(pages.add_page(&connect()).is_none());
        lock(&pages.state).open.values_mut().for_each(|page| page.0 = elsewhere);
        let page = pages.add_page(&connect()).unwrap();
        let open: Vec<u64> = lock(&pages.state).open.keys().copied().collect();
        assert_eq!(open, [held[0].number, held[1].number, page.number]);
        assert!(streams[2].take_error().is_ok() && std::io::Read::read(&mut &*streams[2], &mut [0]).unwrap() == 0);
    }
}
