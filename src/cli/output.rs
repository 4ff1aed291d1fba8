//! Results on standard output.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// Prints a text. A closed pipe is not an error.
pub fn try_print(text: &[u8]) -> io::Result<()> {
    let mut output = io::stdout();
    match output.write_all(text).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Prints a text, and returns whether this succeeded. An error is reported, unless the pipe is closed.
pub fn print(text: &str) -> bool {
    try_print(text.as_bytes()).inspect_err(|error| eprintln!("error: cannot write the result: {error}")).is_ok()
}

/// Prints a text, and returns the status with which the program ends.
pub fn print_and_end(text: &str) -> ExitCode {
    if print(text) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
