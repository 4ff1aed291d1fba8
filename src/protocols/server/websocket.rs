//! The conversation with one client over a WebSocket: each query and each answer is a text message.
//!
//! One thread reads and another writes, each with its own end of the connection. The reading end answers pings and
//! close frames itself, so both ends write. A lock makes them take turns, one whole frame at a time. Nothing is written
//! after a close frame (RFC 6455, section 5.5.1).

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tungstenite::protocol::frame::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

use crate::base::sync::{lock, start_scoped_thread};
use crate::protocols::json::scheduler::{Client, Scheduler, Sink, WhenFull};
use crate::protocols::json::streams::MAX_QUERY;
use crate::protocols::json::{Answer, ErrorAnswer};

use super::http::{finish, read_before};

/// The longest message, in bytes.
const MAX_MESSAGE: usize = MAX_QUERY;
/// While more bytes of answers than this wait for a slow client, none of its queries begins.
const MAX_WAITING: usize = 8 << 20;
/// While more bytes of answers than this wait, no message is read: some are answered as they are read.
const MAX_WAITING_READ: usize = 2 * MAX_WAITING;
/// Partial answers are dropped while this many bytes wait.
const MAX_WAITING_PARTIAL: usize = 64 << 10;
/// The time between two pings, whatever else is sent: a client that only receives sends nothing but its pongs.
const PING_INTERVAL: Duration = Duration::from_secs(20);
/// How long the next complete frame may take to arrive before the connection is closed. The client gets three pings to
/// answer in this time.
const IDLE_LIMIT: Duration = Duration::from_secs(60);
/// How long a write may take before the connection is closed.
const WRITE_LIMIT: Duration = Duration::from_secs(10);
/// The opcode of a close frame. It is in the lower half of a frame's first byte.
const CLOSE: u8 = 0x8;

/// One end of a connection.
struct End {
    stream: TcpStream,
    /// When reads fail, even if bytes keep arriving one by one.
    deadline: Instant,
    /// Whether a close frame was written. Locked while a frame is written.
    is_closed: Arc<Mutex<bool>>,
}

impl End {
    fn new(stream: TcpStream, is_closed: &Arc<Mutex<bool>>) -> End {
        End { stream, deadline: Instant::now(), is_closed: Arc::clone(is_closed) }
    }
}

impl Read for End {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        read_before(self.deadline, &self.stream, buffer)
    }
}

impl Write for End {
    /// Writes all bytes, which are one frame. A frame after a close frame is dropped, such as an answer that was ready
    /// just as the client closed the connection.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut is_closed = lock(&self.is_closed);
        if !*is_closed {
            *is_closed = bytes.first().is_some_and(|first| first & 0xf == CLOSE);
            self.stream.write_all(bytes)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Answers the queries of a client until it disconnects. `rest` is what has arrived after the handshake.
///
/// # Errors
/// If the connection cannot be prepared.
pub fn converse(stream: &TcpStream, rest: Vec<u8>, scheduler: &Scheduler) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE_LIMIT))?;
    let is_closed = Arc::default();
    let end = || Ok::<_, io::Error>(End::new(stream.try_clone()?, &is_closed));
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE))
        .read_buffer_size(16 << 10)
        .write_buffer_size(0);
    let reader = WebSocket::from_partially_read(end()?, rest, Role::Server, Some(config));
    let writer = WebSocket::from_raw_socket(end()?, Role::Server, Some(config));
    let outbox = Arc::new(Outbox::default());
    let client = Arc::new(scheduler.client(Arc::clone(&outbox) as Arc<dyn Sink>, WhenFull::Reject));
    let writing_client = Arc::clone(&client);
    let work = move |sent| match sent {
        Sent::SomeAnswers => writing_client.resume(),
        Sent::Everything => writing_client.close(),
    };
    talk(stream, writer, &outbox, work, || {
        // Closing the client after the last read ends its searches.
        let client = client;
        let reason = read(reader, &client, &outbox, IDLE_LIMIT);
        client.close();
        reason
    })?;
    finish(stream, 2 * MAX_MESSAGE);
    Ok(())
}

/// What the writing thread has sent.
enum Sent {
    /// Enough that queries may begin again, after too many answers were waiting.
    SomeAnswers,
    /// Everything that it will ever send.
    Everything,
}

/// Sends answers while `read` runs, and tells `on_sent` about it. `read` returns the close frame to send at the end. If
/// it panics, the conversation ends, too.
///
/// # Errors
/// If the system has no thread left.
fn talk(
    stream: &TcpStream,
    writer: WebSocket<End>,
    outbox: &Outbox,
    on_sent: impl Fn(Sent) + Send,
    read: impl FnOnce() -> Option<CloseFrame>,
) -> io::Result<()> {
    thread::scope(|scope| {
        start_scoped_thread(scope, "answers", move || {
            write(writer, outbox, PING_INTERVAL, || on_sent(Sent::SomeAnswers));
            outbox.close(None);
            on_sent(Sent::Everything);
            if !lock(&outbox.state).is_read_to_end {
                // This makes `read` return.
                let _ = stream.shutdown(Shutdown::Both);
            }
        })?;
        let reason = catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| close(CloseCode::Error, "internal error"));
        lock(&outbox.state).is_read_to_end = true;
        outbox.close(reason);
        Ok(())
    })
}

fn close(code: CloseCode, reason: &'static str) -> Option<CloseFrame> {
    Some(CloseFrame { code, reason: reason.into() })
}

/// Submits the client's messages until it disconnects, breaks the protocol, or takes longer than `idle_limit` for a
/// frame. Returns the close frame to send.
fn read(mut socket: WebSocket<End>, client: &Client, outbox: &Outbox, idle_limit: Duration) -> Option<CloseFrame> {
    loop {
        if !outbox.wait_for_room() {
            // The client does not read its answers, so a close frame would not arrive either.
            let _ = socket.get_ref().stream.shutdown(Shutdown::Both);
            return None;
        }
        socket.get_mut().deadline = Instant::now() + idle_limit;
        match socket.read() {
            Ok(Message::Text(text)) => {
                if !client.submit(&text) {
                    return close(CloseCode::Away, "the server ends");
                }
            }
            Ok(Message::Binary(_)) => client.reject(ErrorAnswer::new("expected a text message, got a binary one")),
            Ok(_) => {}
            Err(Error::Capacity(_)) => return close(CloseCode::Size, "the message is too long"),
            Err(Error::Protocol(_)) => return close(CloseCode::Protocol, "this breaks the WebSocket protocol"),
            Err(Error::Utf8(_)) => return close(CloseCode::Invalid, "the message is not valid UTF-8"),
            // The connection is closed or silent.
            Err(_) => return None,
        }
    }
}

/// Sends answers, and a ping at each interval, until the outbox is closed or the connection fails. Calls `resume` when
/// the outbox is no longer full.
fn write(mut socket: WebSocket<End>, outbox: &Outbox, ping_interval: Duration, resume: impl Fn()) {
    let mut next_ping = Instant::now() + ping_interval;
    loop {
        let sent = match outbox.next(next_ping) {
            Letter::Answer(text, is_no_longer_full) => {
                if is_no_longer_full {
                    resume();
                }
                socket.send(Message::text(text))
            }
            Letter::Ping => {
                next_ping = Instant::now() + ping_interval;
                socket.send(Message::Ping(Vec::new().into()))
            }
            Letter::Closed(reason) => {
                if let Some(reason) = reason {
                    let _ = socket.close(Some(reason)).and_then(|()| socket.flush());
                }
                return;
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

/// Answers that wait to be sent.
#[derive(Default)]
struct Outbox {
    state: Mutex<OutboxState>,
    changed: Condvar,
}

#[derive(Default)]
struct OutboxState {
    texts: VecDeque<String>,
    bytes: usize,
    is_closed: bool,
    /// The close frame to send when it is closed.
    reason: Option<CloseFrame>,
    /// Whether the reading thread has stopped reading.
    is_read_to_end: bool,
}

/// What the writing thread does next.
enum Letter {
    /// An answer, and whether the outbox is no longer full without it.
    Answer(String, bool),
    /// It is time for a ping.
    Ping,
    Closed(Option<CloseFrame>),
}

impl Sink for Outbox {
    /// Adds an answer. While many answers wait, those that later ones replace are dropped; while too many wait, all
    /// partial ones.
    fn send(&self, answer: &Answer) {
        let most = match answer {
            _ if answer.is_replaced() => MAX_WAITING_PARTIAL,
            _ if answer.is_partial() => MAX_WAITING,
            _ => usize::MAX,
        };
        let drops_answer = |state: &OutboxState| state.is_closed || state.bytes > most;
        if drops_answer(&lock(&self.state)) {
            return;
        }
        let text = answer.to_json();
        let mut state = lock(&self.state);
        if !drops_answer(&state) {
            state.bytes += text.len();
            state.texts.push_back(text);
            self.changed.notify_all();
        }
    }

    fn is_full(&self) -> bool {
        lock(&self.state).bytes > MAX_WAITING
    }
}

impl Outbox {
    /// Waits until there is room for the answer to another message. Returns false if the conversation has ended.
    fn wait_for_room(&self) -> bool {
        let has_no_room = |state: &mut OutboxState| state.bytes > MAX_WAITING_READ && !state.is_closed;
        let state = self.changed.wait_while(lock(&self.state), has_no_room);
        !state.unwrap_or_else(PoisonError::into_inner).is_closed
    }

    /// Ends the conversation. Answers that still wait are dropped.
    fn close(&self, reason: Option<CloseFrame>) {
        let mut state = lock(&self.state);
        if !state.is_closed {
            state.is_closed = true;
            state.reason = reason;
            state.texts.clear();
            state.bytes = 0;
        }
        self.changed.notify_all();
    }

    /// Waits until there is something to send, at most until the next ping.
    fn next(&self, next_ping: Instant) -> Letter {
        let left = || next_ping.saturating_duration_since(Instant::now());
        let state = lock(&self.state);
        let is_waiting = |state: &mut OutboxState| state.texts.is_empty() && !state.is_closed;
        let (mut state, _) =
            self.changed.wait_timeout_while(state, left(), is_waiting).unwrap_or_else(PoisonError::into_inner);
        if state.is_closed {
            return Letter::Closed(state.reason.take());
        }
        if left().is_zero() {
            return Letter::Ping;
        }
        let Some(text) = state.texts.pop_front() else { return Letter::Ping };
        let was_full = state.bytes > MAX_WAITING;
        state.bytes -= text.len();
        let is_full = state.bytes > MAX_WAITING;
        self.changed.notify_all();
        Letter::Answer(text, was_full && !is_full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::session::EngineOptions;
    use crate::protocols::json::QuerySettings;
    use std::net::{Ipv4Addr, TcpListener};

    #[test]
    fn nothing_follows_a_close_frame() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let is_closed = Arc::default();
        let end = || End::new(stream.try_clone().unwrap(), &is_closed);
        let (mut reader, mut writer) =
            [end(), end()].map(|end| WebSocket::from_raw_socket(end, Role::Server, None)).into();
        writer.send(Message::text("before")).unwrap();
        // The client sends a close frame, which the reading end answers at its next read.
        client.write_all(&[0x88, 0x80, 0, 0, 0, 0]).unwrap();
        reader.get_mut().deadline = Instant::now() + IDLE_LIMIT;
        while reader.read().is_ok() {}
        writer.send(Message::text("after")).unwrap();
        drop((reader, writer, stream));
        let mut received = Vec::new();
        client.read_to_end(&mut received).unwrap();
        assert_eq!(received, b"\x81\x06before\x88\x00");
    }

    #[test]
    fn pings_are_sent_while_answers_flow() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let outbox = Outbox::default();
        thread::scope(|scope| {
            scope.spawn(|| {
                let end = End::new(stream.try_clone().unwrap(), &Arc::default());
                write(WebSocket::from_raw_socket(end, Role::Server, None), &outbox, Duration::from_millis(5), || {});
                // The client may have left already.
                let _ = stream.shutdown(Shutdown::Both);
            });
            scope.spawn(|| {
                // One answer always waits for the one before it, so that there is never a moment without any.
                while !lock(&outbox.state).is_closed {
                    if lock(&outbox.state).texts.len() < 2 {
                        outbox.send(&Answer::Error(ErrorAnswer::new("x")));
                    }
                }
            });
            let mut client = WebSocket::from_raw_socket(client, Role::Client, None);
            let mut pings = 0;
            for message in (0..100_000).map_while(|_| client.read().ok()) {
                pings += u32::from(message.is_ping());
                if pings == 3 {
                    break;
                }
            }
            outbox.close(None);
            assert_eq!(pings, 3);
        });
    }

    #[test]
    fn a_panic_of_the_reading_end_closes_the_connection() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let server = thread::spawn(move || {
            let end = End::new(stream.try_clone().unwrap(), &Arc::default());
            let writer = WebSocket::from_raw_socket(end, Role::Server, None);
            talk(&stream, writer, &Outbox::default(), |_| {}, || panic!("injected")).unwrap();
        });
        // If it stays open, this read times out before a ping comes.
        client.set_read_timeout(Some(PING_INTERVAL / 2)).unwrap();
        let mut received = Vec::new();
        client.read_to_end(&mut received).unwrap();
        assert_eq!(received, b"\x88\x10\x03\xf3internal error");
        server.join().unwrap();
    }

    /// A client that sends a byte in each tenth of the limit is never silent, but no frame arrives.
    #[test]
    fn a_client_whose_frame_never_ends_is_given_up() {
        let mut options = EngineOptions::default();
        options.search.memory = 4;
        let scheduler = Scheduler::new(QuerySettings::new(options), 1).unwrap();
        let outbox = Arc::new(Outbox::default());
        let client = scheduler.client(Arc::clone(&outbox) as Arc<dyn Sink>, WhenFull::Reject);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let limit = Duration::from_millis(200);
        thread::scope(|scope| {
            scope.spawn(move || {
                // A frame of 125 bytes with a mask of zeros. It would take 25 seconds.
                let bytes = [&[0x81, 0xfd, 0, 0, 0, 0][..], &[b' '; 124]].concat();
                let sent = bytes.iter().position(|byte| {
                    thread::sleep(limit);
                    sender.write_all(&[*byte]).is_err()
                });
                assert!(sent.is_some(), "the connection stays open");
            });
            let socket = WebSocket::from_raw_socket(End::new(stream, &Arc::default()), Role::Server, None);
            assert_eq!(read(socket, &client, &outbox, 4 * limit), None);
        });
    }
}
