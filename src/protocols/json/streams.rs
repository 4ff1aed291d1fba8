//! Queries over a pair of streams: one in each line of the input, one answer in each line of the output.

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use crate::base::encoding::Decoded;
use crate::base::input::read_line;
use crate::base::sync::{lock, start_thread};
use crate::engine::session::failure::internal_error;

use super::answer::{Answer, ErrorAnswer};
use super::scheduler::{Client, Scheduler, Sink, WhenFull};

/// The longest query that is read, in bytes. A longer line is answered with an error.
pub const MAX_QUERY: usize = 4 << 20;

/// Why a conversation has ended.
#[derive(Debug)]
pub enum End {
    /// All queries of the input are answered.
    Answered,
    /// The conversation was interrupted, and all queries that were read are answered.
    Interrupted,
    /// The input cannot be read.
    Unreadable(io::Error),
    /// The output cannot be written to.
    Unwritable(io::Error),
}

/// A conversation over a pair of streams.
#[derive(Debug)]
pub struct Conversation {
    client: Arc<Client>,
    events: Sender<End>,
    ended: Receiver<End>,
}

impl Conversation {
    /// Begins to answer the queries of `input`. A thread reads them; it may outlive the conversation while it waits for
    /// a line, so end the program with [`std::process::exit`].
    ///
    /// # Errors
    /// If the system has no thread left.
    pub fn begin(
        scheduler: &Scheduler,
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> io::Result<Conversation> {
        let (events, ended) = channel();
        let client = Arc::new(scheduler.client(sink(output, events.clone()), WhenFull::Wait));
        let reader = Arc::clone(&client);
        let end = events.clone();
        start_thread("queries", move || {
            let event = match catch_unwind(AssertUnwindSafe(|| read(input, &reader))) {
                Ok(Ok(())) => {
                    reader.wait_until_answered();
                    End::Answered
                }
                Ok(Err(error)) => End::Unreadable(error),
                Err(panic) => End::Unreadable(io::Error::other(internal_error(&*panic))),
            };
            let _ = end.send(event);
        })?;
        Ok(Conversation { client, events, ended })
    }

    /// A function that ends the conversation, from any thread. Running searches answer with what they have found.
    pub fn interrupter(&self) -> impl Fn() + Send + 'static {
        let events = self.events.clone();
        move || {
            // If nobody listens any more, the conversation has ended.
            let _ = events.send(End::Interrupted);
        }
    }

    /// Waits until the conversation ends.
    pub fn wait(self) -> End {
        let end = self.ended.recv().expect("a sender is part of the conversation");
        if !matches!(end, End::Answered) {
            self.client.close();
            self.client.wait_until_answered();
        }
        end
    }
}

/// Writes each answer in a line of its own. The first failure ends the conversation; what follows is dropped.
fn sink(output: impl Write + Send + 'static, events: Sender<End>) -> Arc<dyn Sink> {
    let output = Mutex::new(Some(output));
    Arc::new(move |answer: &Answer| {
        let line = answer.to_json() + "\n";
        let mut guard = lock(&output);
        let Some(stream) = guard.as_mut() else { return };
        if let Err(error) = stream.write_all(line.as_bytes()).and_then(|()| stream.flush()) {
            *guard = None;
            let _ = events.send(End::Unwritable(error));
        }
    })
}

fn read(input: impl BufRead, client: &Client) -> io::Result<()> {
    let mut input = Decoded::new(input);
    let mut bytes = Vec::new();
    for line in 1.. {
        if !read_line(&mut input, &mut bytes, MAX_QUERY)? {
            break;
        }
        if bytes.len() > MAX_QUERY {
            client.reject(ErrorAnswer::new(format!("the line is longer than {MAX_QUERY} bytes")));
            continue;
        }
        match std::str::from_utf8(&bytes) {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => {
                if !client.submit_line(text, line) {
                    break;
                }
            }
            Err(_) => client.reject(ErrorAnswer::new("the line is not valid UTF-8")),
        }
    }
    Ok(())
}
