//! Results on standard output.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// Prints a text, and returns whether this succeeded. A closed pipe is not an error.
pub fn print(text: &str) -> bool {
    let mut output = io::stdout();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("error: cannot write the result: {error}");
            false
        }
        _ => true,
    }
}

/// Prints a text, and returns the status with which the program ends.
pub fn print_and_end(text: &str) -> ExitCode {
    if print(text) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
