//! The progress of a command: a bar on stderr, hidden if that is not a terminal.

use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use malecon::base::sync::start_thread;

use super::failure::Failure;
use super::output::{print, print_data, shown};
use super::terminal::may_overwrite;

/// A progress bar, which is removed when it is dropped.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar for this many things: `positions`, `games`.
    pub fn new(length: u64, unit: &str) -> Bar {
        Bar::with_template("{bar:24} {pos}/{len} {prefix}, {eta} left  {wide_msg}").counting(length, unit)
    }

    /// The same with the message on a line of its own, for long messages.
    pub fn with_line_below(length: u64, unit: &str) -> Bar {
        Bar::with_template("{bar:24} {pos}/{len} {prefix}, {eta} left\n{wide_msg}").counting(length, unit)
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
        let style = ProgressStyle::with_template(template).expect("the template is valid");
        Bar(ProgressBar::with_draw_target(None, target).with_style(style))
    }

    /// Whether the bar is hidden.
    pub fn is_hidden(&self) -> bool {
        self.0.is_hidden()
    }

    /// Counts things as done.
    pub fn inc(&self, count: u64) {
        self.0.inc(count);
    }

    /// The number of things done.
    pub fn position(&self) -> u64 {
        self.0.position()
    }

    /// Sets the number of things done.
    pub fn set_position(&self, position: u64) {
        self.0.set_position(position);
    }

    /// Sets the number of things that were done before this run, which do not count for the time left.
    pub fn start_at(&self, position: u64) {
        self.0.set_position(position);
        self.0.reset_eta();
    }

    /// Shows a message after the bar, as far as the line is long enough.
    pub fn set_message(&self, message: &str) {
        self.0.set_message(shown(message).into_owned());
    }

    /// Draws the bar anew.
    pub fn tick(&self) {
        self.0.tick();
    }

    /// Runs `action` with the bar out of the way.
    pub fn suspend<T>(&self, action: impl FnOnce() -> T) -> T {
        self.0.suspend(action)
    }

    /// Prints a text for people with the bar out of the way.
    ///
    /// # Errors
    /// Those of [`print`].
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        self.suspend(|| print(text))
    }

    /// Prints a text for programs with the bar out of the way.
    ///
    /// # Errors
    /// Those of [`print_data`].
    pub fn print_data(&self, text: &str) -> Result<(), Failure> {
        self.suspend(|| print_data(text))
    }

    /// Keeps the estimate of the time left current until the bar is dropped. If the system has no thread left for that,
    /// where indicatif's own code would panic, the bar changes only when work is done.
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

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}
