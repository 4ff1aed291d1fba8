//! Results on standard output, and messages on standard error.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// Takes the place of the standard library's `eprintln`, which panics where nothing can be written, such as to a file on
/// a full disk. A message that nobody will read must not end the program.
macro_rules! eprintln {
    ($($message:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{}\n", format_args!($($message)*)));
    }};
}

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
