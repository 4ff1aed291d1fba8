//! Finding marked processes in `/proc`.

use std::time::Duration;
use std::{fs, thread};

use rustix::process::{Pid, Signal, kill_process};

use super::VARIABLE;

/// How often to look for survivors. A process may start another one just before it is killed.
const ROUNDS: usize = 200;

pub fn kill_marked(mark: &str) {
    for _ in 0..ROUNDS {
        let marked = marked(mark);
        if marked.is_empty() {
            return;
        }
        for pid in marked {
            let _ = kill_process(pid, Signal::KILL);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// The running processes with this mark, or with a mark that extends it. Zombies have no environment left.
fn marked(mark: &str) -> Vec<Pid> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok().and_then(Pid::from_raw));
    pids.filter(|pid| {
        let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|entry| has_mark(entry, mark))
    })
    .collect()
}

/// Whether an entry `NAME=VALUE` of an environment holds the mark.
fn has_mark(entry: &[u8], mark: &str) -> bool {
    let value = entry.strip_prefix(VARIABLE.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
    let rest = value.and_then(|value| value.strip_prefix(mark.as_bytes()));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_compared_whole() {
        for (entry, mark, expected) in [
            ("MALECON_MATCH_ENGINE=12-34-5", "12-34-5", true),
            ("MALECON_MATCH_ENGINE=12-34-5", "12-34", true),
            ("MALECON_MATCH_ENGINE=12-34-5", "12-3", false),
            ("MALECON_MATCH_ENGINE=12-34-50", "12-34-5", false),
            ("OTHER=12-34-5", "12-34", false),
        ] {
            assert_eq!(has_mark(entry.as_bytes(), mark), expected, "{entry} {mark}");
        }
    }
}
