//! The signals that ask the program to stop.

use std::io;

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// To stop what is going on: SIGINT, which a terminal sends when Ctrl-C is typed.
    Interrupt,
    /// To end the program: SIGTERM; or SIGHUP, because the terminal is gone.
    End,
}

/// Makes these signals call `handler`, on a thread of its own, instead of ending the program. The handler also gets the
/// exit status of a program that the signal ends.
///
/// # Errors
/// If the signals cannot be caught.
#[cfg(unix)]
pub fn catch(mut handler: impl FnMut(Request, i32) + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let listen = move || {
        for signal in signals.forever() {
            let request = if signal == SIGINT { Request::Interrupt } else { Request::End };
            handler(request, 128 + signal);
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(listen).map(drop)
}

/// As on Unix. All events of the console count as [`Request::Interrupt`].
#[cfg(not(unix))]
pub fn catch(mut handler: impl FnMut(Request, i32) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || handler(Request::Interrupt, 130)).map_err(io::Error::other)
}

/// Makes the first of these signals call `handler`. The second one ends the program at once, whatever it is doing.
///
/// # Errors
/// As [`catch`].
pub fn catch_first(handler: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let mut handler = Some(handler);
    catch(move |_, status| match handler.take() {
        Some(handler) => handler(),
        None => std::process::exit(status),
    })
}
