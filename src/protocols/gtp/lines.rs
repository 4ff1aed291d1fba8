//! Lines on their way from the input to the engine: each bounded in length, all together bounded in memory.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};

use crate::base::sync::{lock, wait};

/// The longest line that is read, in bytes. A game on the largest board takes less than a twentieth of it.
pub const MAX_LINE: usize = 64 << 10;

/// While the waiting lines take this many bytes or more, no further line is read.
const MAX_QUEUED: usize = 4 << 20;

/// A line waiting to be carried out.
#[derive(Debug)]
pub struct InputLine {
    /// Its number in the input, from 1.
    pub number: u64,
    /// The line, or the beginning of one that is too long.
    pub text: String,
    /// Whether the line is longer than [`MAX_LINE`].
    pub is_too_long: bool,
}

impl InputLine {
    fn bytes(&self) -> usize {
        self.text.capacity() + size_of::<InputLine>()
    }
}

/// The lines waiting between the thread that reads them and the thread that carries them out.
#[derive(Debug, Default)]
pub struct LineQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    lines: VecDeque<InputLine>,
    bytes: usize,
    is_closed: bool,
}

impl LineQueue {
    /// Adds a line, once there is room for it. Returns false if the queue is closed.
    pub fn push(&self, line: InputLine) -> bool {
        let mut state = self.lock();
        while state.bytes >= MAX_QUEUED && !state.is_closed {
            state = wait(&self.changed, state);
        }
        if state.is_closed {
            return false;
        }
        state.bytes += line.bytes();
        state.lines.push_back(line);
        self.changed.notify_all();
        true
    }

    /// Takes the next line, or waits for it; `None` when the queue is empty and closed.
    pub fn pop(&self) -> Option<InputLine> {
        let mut state = self.lock();
        while state.lines.is_empty() && !state.is_closed {
            state = wait(&self.changed, state);
        }
        let line = state.lines.pop_front()?;
        state.bytes -= line.bytes();
        self.changed.notify_all();
        Some(line)
    }

    /// Whether no line is waiting, but more may come.
    pub fn is_idle(&self) -> bool {
        let state = self.lock();
        state.lines.is_empty() && !state.is_closed
    }

    /// Accepts no more lines. Those that are waiting can still be taken.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn the_reader_waits_while_the_queue_is_full() {
        let queue = Arc::new(LineQueue::default());
        let count = 3 * MAX_QUEUED / MAX_LINE;
        let reader = {
            let queue = Arc::clone(&queue);
            std::thread::spawn(move || {
                (1..=count as u64)
                    .all(|number| queue.push(InputLine { number, text: "x".repeat(MAX_LINE), is_too_long: false }))
            })
        };
        for number in 1..=count as u64 {
            assert!(queue.lock().bytes < MAX_QUEUED + 2 * MAX_LINE);
            assert_eq!(queue.pop().unwrap().number, number);
        }
        assert!(reader.join().unwrap() && queue.is_idle());
        queue.close();
        assert!(!queue.push(InputLine { number: 0, text: String::new(), is_too_long: false }) && queue.pop().is_none());
    }
}
