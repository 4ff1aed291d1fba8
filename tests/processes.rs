//! Processes of Linux: the program under test, and those that it has started.

use std::process::{Child, Output};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// Whether a process has ended. A zombie, which nobody has waited for yet, has ended, too.
pub fn has_ended(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state follows the name, which is in parentheses.
    let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
    state.is_empty() || state.starts_with('Z')
}

/// Whether a process that has not been waited for catches SIGINT, which is the second bit.
pub fn catches_interrupts(process: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() & 2 != 0
}

/// Interrupts a process once it catches that, and waits for its end.
///
/// # Panics
/// If it ends before.
pub fn interrupted(process: Child) -> Output {
    while !catches_interrupts(&process) {
        assert!(!has_ended(&process.id().to_string()), "it ended before it could be interrupted");
        std::thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&process), Signal::INT).unwrap();
    process.wait_with_output().unwrap()
}
