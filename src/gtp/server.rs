//! The conversation over a pair of streams.
//!
//! A thread of its own reads the input and queues its lines, so that the comment line `# interrupt` is seen while a
//! search runs. All other lines wait for their turn: nothing but an interrupt cuts a search short, not even the end
//! of the input. Thinking on the opponent's time is another matter: any line ends it.

use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::engine::Engine;
use super::protocol::{clean, is_interrupt};

/// Answers the commands of `input` on `output`, in order and each as soon as it is carried out, until `quit` or the
/// end of the input.
///
/// The thread that reads the input may outlive the call, waiting for a line; leave the program with
/// [`std::process::exit`] to be rid of it.
///
/// # Errors
/// If `output` cannot be written to.
pub fn serve(mut engine: Engine, input: impl BufRead + Send + 'static, mut output: impl Write) -> io::Result<()> {
    let interrupts = Arc::new(Interrupts::new(engine.stop()));
    let lines = read_in_background(input, Arc::clone(&interrupts));
    while let Some(line) = next_line(&lines, &mut engine, &interrupts) {
        interrupts.begin(line.number);
        if let Some(answer) = engine.answer(&line.text) {
            output.write_all(answer.as_bytes())?;
            output.flush()?;
        }
        if engine.has_quit() {
            break;
        }
    }
    Ok(())
}

/// The next line, or `None` at the end of the input. While there is none the engine thinks on the opponent's time, if it
/// is one that does.
fn next_line(lines: &Receiver<Line>, engine: &mut Engine, interrupts: &Interrupts) -> Option<Line> {
    interrupts.arrived.store(false, Ordering::Relaxed);
    match lines.try_recv() {
        Err(TryRecvError::Empty) => {
            engine.ponder(&interrupts.arrived);
            lines.recv().ok()
        }
        other => other.ok(),
    }
}

/// A line that is not an interrupt.
struct Line {
    /// Its number in the input, from 1.
    number: u64,
    text: String,
}

fn read_in_background(input: impl BufRead + Send + 'static, interrupts: Arc<Interrupts>) -> Receiver<Line> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        if let Err(error) = read(input, &sender, &interrupts) {
            log::error!("cannot read the commands: {error}");
        }
        drop(sender);
        interrupts.arrived.store(true, Ordering::Relaxed);
    });
    receiver
}

fn read(mut input: impl BufRead, lines: &Sender<Line>, interrupts: &Interrupts) -> io::Result<()> {
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        let text = clean(&bytes);
        if is_interrupt(&text) {
            interrupts.interrupt(number);
        } else if lines.send(Line { number, text }).is_err() {
            break;
        }
        interrupts.arrived.store(true, Ordering::Relaxed);
    }
    Ok(())
}

/// Which lines an interrupt has reached: it ends every search that was asked for before it, running or still to come,
/// and none that is asked for later, also when it arrives late and nothing runs.
struct Interrupts {
    stop: Arc<AtomicBool>,
    /// The number of the last line that was an interrupt.
    last: Mutex<u64>,
    /// Whether anything has come, or the input has ended, since this was last set to false.
    arrived: AtomicBool,
}

impl Interrupts {
    fn new(stop: Arc<AtomicBool>) -> Interrupts {
        Interrupts { stop, last: Mutex::new(0), arrived: AtomicBool::new(false) }
    }

    /// Before the command of this line is carried out.
    fn begin(&self, line: u64) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        self.stop.store(*last > line, Ordering::Relaxed);
    }

    /// When this line was an interrupt.
    fn interrupt(&self, line: u64) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = line;
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::Settings;
    use std::io::Cursor;

    fn answers(input: &[u8]) -> String {
        let mut output = Vec::new();
        serve(Engine::new(Settings::default()), Cursor::new(input.to_vec()), &mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn all_lines_are_answered_in_order_also_the_last_without_its_end() {
        assert_eq!(answers(b"1 name\r\n\n# comment\n2\tprotocol_version\n3 foo"), {
            "=1 Malecon\n\n=2 2\n\n?3 unknown command 'foo' (list_commands lists all)\n\n"
        });
        assert_eq!(answers(b""), "");
    }

    #[test]
    fn nothing_is_answered_after_quit() {
        assert_eq!(answers(b"quit now\nquit\nname\n"), "? too many arguments: 1 given, 'quit' is wanted\n\n=\n\n");
    }

    #[test]
    fn an_interrupt_reaches_what_was_asked_for_before_it_and_nothing_else() {
        let interrupts = Interrupts::new(Arc::default());
        let stopped = |line| {
            interrupts.begin(line);
            interrupts.stop.load(Ordering::Relaxed)
        };
        assert!(!stopped(1));
        interrupts.interrupt(4);
        assert!(interrupts.stop.load(Ordering::Relaxed) && stopped(2) && stopped(3) && !stopped(5));
    }
}
