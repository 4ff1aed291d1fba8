//! The progress of a command: a bar on stderr, hidden if that is not a terminal.

use std::fmt;
use std::ops::Deref;
use std::thread;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use malecon::base::sync::start_thread;

use super::failure::Failure;
use super::output::{print, print_data, shown};
use super::terminal::may_overwrite;

/// Writes how long the rest takes, once anything is known of that.
fn left(state: &ProgressState, text: &mut dyn fmt::Write) {
    let left = state.eta();
    if !left.is_zero() {
        // Who draws the bar ignores errors.
        let _ = write!(text, ", {:#} left", HumanDuration(left));
    }
}

/// A progress bar, which is removed when it is dropped.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar that counts to `length`. `unit` says what it counts, such as `games`.
    pub fn new(length: u64, unit: &str) -> Bar {
        Bar::with_template("{bar:24} {pos}/{len} {prefix}{left}  {wide_msg}").counting(length, unit)
    }

    /// Like [`Bar::new`], but with the message on a line of its own, for long messages.
    pub fn with_line_below(length: u64, unit: &str) -> Bar {
        Bar::with_template("{bar:24} {pos}/{len} {prefix}{left}\n{wide_msg}").counting(length, unit)
    }

    fn counting(self, length: u64, unit: &str) -> Bar {
        self.0.set_length(length);
        self.0.set_prefix(unit.to_owned());
        self
    }

    /// A line without a bar, for work of unknown length: only the message.
    pub fn without_length() -> Bar {
        Bar::with_template("{wide_msg}")
    }

    /// A bar that never shows.
    pub fn hidden() -> Bar {
        Bar(ProgressBar::hidden())
    }

    fn with_template(template: &str) -> Bar {
        let target = if may_overwrite() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template(template).expect("the template is valid").with_key("left", left);
        Bar(ProgressBar::with_draw_target(None, target).with_style(style))
    }

    /// Starts at a number that was reached in an earlier run. It does not count for the time left.
    pub fn start_at(&self, position: u64) {
        self.set_position(position);
        self.reset_eta();
    }

    /// Shows a message after the bar, cut to the length of the line.
    pub fn set_message(&self, message: &str) {
        self.0.set_message(shown(message).into_owned());
    }

    /// Prints a text for people, with the bar removed meanwhile.
    ///
    /// # Errors
    /// Those of [`print`].
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        self.suspend(|| print(text))
    }

    /// Prints a text for programs, with the bar removed meanwhile.
    ///
    /// # Errors
    /// Those of [`print_data`].
    pub fn print_data(&self, text: &str) -> Result<(), Failure> {
        self.suspend(|| print_data(text))
    }

    /// Redraws the bar every second, so that the time left stays current, until the bar is dropped. If the system has
    /// no thread left for that, the bar changes only when work is done; indicatif's own timer would panic.
    pub fn redraw_every_second(&self) {
        let bar = self.0.downgrade();
        let redraw = move || {
            while let Some(bar) = bar.upgrade().filter(|bar| !bar.is_finished()) {
                bar.tick();
                drop(bar);
                thread::sleep(Duration::from_secs(1));
            }
        };
        let _ = start_thread("progress", redraw);
    }

    /// Removes the bar.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}

impl Deref for Bar {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.0
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}
