//! The signals that ask the program to stop.

use std::io;

use malecon::base::sync::StopFlag;

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// To stop what is going on: SIGINT, which a terminal sends when Ctrl-C is typed.
    Interrupt,
    /// To end the program: SIGTERM; or SIGHUP, because the terminal is gone.
    #[cfg_attr(not(unix), expect(dead_code, reason = "the system sends no such signals"))]
    End,
}

/// Makes these signals call `handler`, on a thread of its own, instead of ending the program. The handler also gets the
/// exit status of a program that the signal ends.
///
/// # Errors
/// If the signals cannot be caught.
#[cfg(unix)]
pub fn catch(mut handler: impl FnMut(Request, i32) + Send + 'static) -> io::Result<()> {
    use malecon::base::sync::start_thread;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use std::sync::mpsc::channel;
    let (caught, signals) = channel::<Signals>();
    let listen = move || {
        let Ok(mut signals) = signals.recv() else { return };
        for signal in signals.forever() {
            let request = if signal == SIGINT { Request::Interrupt } else { Request::End };
            handler(request, 128 + signal);
        }
    };
    // Signals are caught once there is a thread for them. Without it, they would be lost.
    start_thread("signals", listen)?;
    let _ = caught.send(Signals::new([SIGINT, SIGTERM, SIGHUP])?);
    Ok(())
}

/// Like the function for Unix, but all events of the console count as [`Request::Interrupt`].
#[cfg(not(unix))]
pub fn catch(mut handler: impl FnMut(Request, i32) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || handler(Request::Interrupt, 130)).map_err(io::Error::other)
}

/// Makes the first of these signals call `handler`. The second one ends the program at once, whatever it is doing.
///
/// # Errors
/// Those of [`catch`].
pub fn catch_first(handler: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let mut handler = Some(handler);
    catch(move |_, status| match handler.take() {
        Some(handler) => handler(),
        None => std::process::exit(status),
    })
}

/// A flag that the first of these signals raises. The second one ends the program at once.
pub fn stop_flag() -> StopFlag {
    let stop = StopFlag::new();
    let raised = stop.clone();
    if let Err(error) = catch_first(move || raised.stop()) {
        log::warn!("Ctrl-C will end the program at once: {error}");
    }
    stop
}
