//! The conversation over a pair of streams.
//!
//! A thread reads the input and queues its lines, so that the comment line `# interrupt` is seen while a search runs.
//! All other lines wait for their turn: nothing but an interrupt ends a search early, not even the end of the input.
//! Thinking on the opponent's time is different: any line ends it.

use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex};

use crate::base::encoding::Decoded;
use crate::base::input::read_line;
use crate::base::sync::{lock, start_thread};
use crate::engine::session::StopFlag;

use super::engine::Engine;
use super::lines::{InputLine, LineQueue, MAX_LINE};
use super::protocol::{CommandError, clean, format, is_interrupt, parse};

/// Reads commands from `input` and writes the responses to `output`, in order and each as soon as its command is done,
/// until `quit` or the end of the input.
///
/// The thread that reads the input may outlive the call while it waits for a line; end the program with
/// [`std::process::exit`].
///
/// # Errors
/// If `output` cannot be written to, or the system has no thread left. The message says which.
pub fn serve(mut engine: Engine, input: impl BufRead + Send + 'static, mut output: impl Write) -> io::Result<()> {
    let interrupts = Arc::new(Interrupts::new(engine.stop_flag()));
    let lines = read_in_background(input, Arc::clone(&interrupts))?;
    while let Some(line) = next_line(&lines, &mut engine, &interrupts) {
        interrupts.begin(line.number);
        let response = if line.is_too_long { refuse_long(&line.text) } else { engine.respond(&line.text) };
        if let Some(response) = response {
            output.write_all(response.as_bytes()).and_then(|()| output.flush()).map_err(|error| {
                lines.close();
                io::Error::new(error.kind(), format!("cannot write the answers: {error}"))
            })?;
        }
        if engine.has_quit() {
            break;
        }
    }
    lines.close();
    Ok(())
}

/// The response to a line that is too long, given its beginning. A comment has none.
fn refuse_long(beginning: &str) -> Option<String> {
    if beginning.trim_start().starts_with('#') {
        return None;
    }
    // If the digits go on to the end, they are not an id.
    let id = parse(beginning).filter(|request| !request.command.is_empty()).and_then(|request| request.id);
    Some(format(id, &Err(CommandError::new(format!("the line is longer than {MAX_LINE} bytes")))))
}

/// The next line, or `None` at the end of the input. Until it comes, the engine thinks on the opponent's time if the
/// option `ponder` is on.
fn next_line(lines: &LineQueue, engine: &mut Engine, interrupts: &Interrupts) -> Option<InputLine> {
    interrupts.arrived.reset();
    if lines.is_idle() {
        engine.ponder(&interrupts.arrived);
    }
    lines.pop()
}

fn read_in_background(input: impl BufRead + Send + 'static, interrupts: Arc<Interrupts>) -> io::Result<Arc<LineQueue>> {
    let lines = Arc::new(LineQueue::default());
    let queue = Arc::clone(&lines);
    start_thread("commands", move || {
        if let Err(error) = read(input, &queue, &interrupts) {
            log::error!("cannot read the commands: {error}");
        }
        queue.close();
        interrupts.arrived.stop();
    })?;
    Ok(lines)
}

fn read(input: impl BufRead, lines: &LineQueue, interrupts: &Interrupts) -> io::Result<()> {
    let mut input = Decoded::new(input);
    let mut bytes = Vec::new();
    for number in 1.. {
        if !read_line(&mut input, &mut bytes, MAX_LINE)? {
            break;
        }
        let text = clean(&bytes);
        let is_too_long = bytes.len() > MAX_LINE;
        if is_interrupt(&text) {
            interrupts.interrupt(number);
        } else if !lines.push(InputLine { number, text, is_too_long }) {
            break;
        }
        interrupts.arrived.stop();
    }
    Ok(())
}

/// Which lines an interrupt applies to. It ends every search requested before it, running or still waiting, and none
/// requested after it, even if it arrives when nothing runs.
struct Interrupts {
    stop: StopFlag,
    /// The number of the last line that was an interrupt.
    last: Mutex<u64>,
    /// Raised when anything arrives or the input ends.
    arrived: StopFlag,
}

impl Interrupts {
    fn new(stop: StopFlag) -> Interrupts {
        Interrupts { stop, last: Mutex::new(0), arrived: StopFlag::new() }
    }

    /// Call this before carrying out the command on this line.
    fn begin(&self, line: u64) {
        let last = lock(&self.last);
        if *last > line { self.stop.stop() } else { self.stop.reset() }
    }

    /// Call this when this line is an interrupt.
    fn interrupt(&self, line: u64) {
        let mut last = lock(&self.last);
        *last = line;
        self.stop.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Geometry;
    use crate::protocols::gtp::GtpOptions;
    use std::io::Cursor;

    fn answers(input: &[u8]) -> String {
        let mut output = Vec::new();
        serve(
            Engine::new(Geometry::with_side(8).unwrap(), GtpOptions::default()),
            Cursor::new(input.to_vec()),
            &mut output,
        )
        .unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn all_lines_are_answered_in_order_even_a_last_one_without_line_end() {
        assert_eq!(answers(b"1 name\r\n\n# comment\n2\tprotocol_version\n3 foo"), {
            "=1 Malecon\n\n=2 2\n\n?3 unknown command 'foo' (list_commands lists all)\n\n"
        });
        assert_eq!(answers(b""), "");
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_and_the_next_one_answered() {
        let error = "the line is longer than 65536 bytes";
        let long =
            |beginning: &str, filler| [beginning.as_bytes(), &vec![filler; 10 * MAX_LINE], b"\n2 name\n"].concat();
        assert_eq!(answers(&long("", b'x')), format!("? {error}\n\n=2 Malecon\n\n"));
        assert_eq!(answers(&long("7 play w ", b'a')), format!("?7 {error}\n\n=2 Malecon\n\n"));
        assert_eq!(answers(&long("", b'7')), format!("? {error}\n\n=2 Malecon\n\n"));
        assert_eq!(answers(&long(" # a comment ", b'x')), "=2 Malecon\n\n");
    }

    #[test]
    fn nothing_is_answered_after_quit() {
        assert_eq!(answers(b"quit now\nquit\nname\n"), "? too many arguments: got 1 (usage: quit)\n\n=\n\n");
    }

    /// The playouts would take hours.
    #[test]
    fn an_interrupt_ends_the_playouts_of_an_analysis() {
        for command in ["analyze_ownership", "analyze_criticality"] {
            let answers =
                answers(format!("set_option analysis_playouts 1000000000\n{command}\n# interrupt\n").as_bytes());
            assert!(answers.contains(" random playouts: white wins "), "{answers}");
        }
    }

    #[test]
    fn an_interrupt_reaches_what_was_requested_before_it_and_nothing_else() {
        let interrupts = Interrupts::new(StopFlag::new());
        let stopped = |line| {
            interrupts.begin(line);
            interrupts.stop.is_stopped()
        };
        assert!(!stopped(1));
        interrupts.interrupt(4);
        assert!(interrupts.stop.is_stopped() && stopped(2) && stopped(3) && !stopped(5));
    }
}
