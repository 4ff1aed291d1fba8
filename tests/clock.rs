//! The clock. The long test is run by hand, and prints a table:
//!
//! ```sh
//! cargo test --release --test tests -- clock:: --ignored --nocapture
//! ```
//!
//! A move may be late because the machine was busy with something else. So the test also asks the system how long the
//! engine and the test waited for a processor after the limit. The rest is the engine's own lateness. The system does
//! not say how long a thread waited that has ended. So for an engine with several threads, its own lateness is taken to
//! be at most the processor time that it has used since the limit. `docs/reliability.md` has the results.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use malecon::game::{Game, Geometry, Notation};
use rustix::event::{PollFd, PollFlags, poll};

/// How an engine is given the time for its moves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Control {
    /// The option `seconds`.
    Option,
    /// `time_settings 0 LIMIT 1`.
    ByoYomi,
    /// `time_left COLOR LIMIT 0` before each move.
    TimeLeft,
}

/// What is measured together: a row of the table.
#[derive(Clone, Copy, Debug)]
struct Setting {
    side: usize,
    control: Control,
    limit: Duration,
}

/// The time of a move, in milliseconds.
#[derive(Clone, Copy, Default)]
struct Times {
    /// From the command to the answer.
    whole: f64,
    /// After the limit.
    late: f64,
    /// Of that, what the engine and the test waited for a processor.
    waiting: f64,
    /// The engine's own part.
    own: f64,
}

/// An engine that plays against itself.
struct Player {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    game: Game,
    setting: Setting,
    threads: usize,
}

/// The unit of processor times in `/proc`, in milliseconds.
const TICK: f64 = 10.0;

/// A duration in milliseconds.
fn milliseconds(duration: Duration) -> f64 {
    1e3 * duration.as_secs_f64()
}

/// How long the thread with this `schedstat` has waited for a processor, in milliseconds.
fn waiting_time(schedstat: &str) -> f64 {
    // A thread may have ended.
    let text = fs::read_to_string(schedstat).unwrap_or_default();
    text.split(' ').nth(1).and_then(|number| number.parse::<f64>().ok()).unwrap_or(0.0) / 1e6
}

impl Player {
    fn start(setting: Setting, threads: usize) -> Player {
        let mut process = Command::new(env!("CARGO_BIN_EXE_malecon"))
            .args(["gtp", "--memory", "64", "--side", &setting.side.to_string(), "--threads", &threads.to_string()])
            .env_remove("RUST_LOG")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let game = Game::new(Geometry::with_side(setting.side).unwrap());
        let mut player = Player { process, input, output, game, setting, threads };
        let seconds = setting.limit.as_secs_f64();
        match setting.control {
            Control::Option => player.ask(&format!("set_option seconds {seconds}")),
            Control::ByoYomi => player.ask(&format!("time_settings 0 {seconds} 1")),
            Control::TimeLeft => player.ask("time_settings 3600 0 0"),
        };
        // Loads everything once.
        player.ask("time_left white 0 0");
        player.ask("reg_genmove white");
        player.ask("clear_board");
        player
    }

    fn send(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn receive(&mut self) -> String {
        let mut answer = String::new();
        while !answer.ends_with("\n\n") {
            assert!(self.output.read_line(&mut answer).unwrap() > 0, "the engine exited after {answer:?}");
        }
        let text = answer.strip_prefix('=').unwrap_or_else(|| panic!("{answer}"));
        text.trim().to_owned()
    }

    fn ask(&mut self, line: &str) -> String {
        self.send(line);
        self.receive()
    }

    /// How long all threads of the engine have waited for a processor, in milliseconds.
    fn engines_waiting_time(&self) -> f64 {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.process.id())).unwrap();
        tasks.map(|task| waiting_time(task.unwrap().path().join("schedstat").to_str().unwrap())).sum()
    }

    /// The processor time that the engine has used, in milliseconds, rounded to ticks of the system.
    fn engines_processor_time(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id())).unwrap();
        let (_, numbers) = stat.rsplit_once(')').unwrap();
        let ticks: f64 = numbers.split_whitespace().skip(11).take(2).map(|number| number.parse::<f64>().unwrap()).sum();
        TICK * ticks
    }

    /// Waits for output until a time. Returns whether there is any.
    fn wait_until(&self, end: Instant) -> bool {
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let timeout = left.try_into().expect("a short time");
            match poll(&mut [PollFd::new(self.output.get_ref(), PollFlags::IN)], Some(&timeout)) {
                Ok(0) if left.is_zero() => return false,
                Ok(0) | Err(rustix::io::Errno::INTR) => (),
                Ok(_) => return true,
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Has the engine play a move, and begins a new game after the last.
    fn play(&mut self) -> Times {
        let color = self.game.to_move();
        if self.setting.control == Control::TimeLeft {
            let seconds = self.setting.limit.as_secs_f64();
            self.ask(&format!("time_left {color} {seconds} 0"));
        }
        let before = waiting_time("/proc/thread-self/schedstat");
        let start = Instant::now();
        self.send(&format!("genmove {color}"));
        let mut times = Times::default();
        let mut engine = None;
        if !self.wait_until(start + self.setting.limit) {
            engine = Some((self.engines_waiting_time(), self.engines_processor_time()));
            assert!(self.wait_until(start + Duration::from_secs(60)), "no answer for a minute");
        }
        let whole = start.elapsed();
        (times.whole, times.late) = (milliseconds(whole), milliseconds(whole.saturating_sub(self.setting.limit)));
        if let Some((waiting, used)) = engine {
            times.waiting = self.engines_waiting_time() - waiting;
            times.waiting += waiting_time("/proc/thread-self/schedstat") - before;
            let most = if self.threads > 1 { self.engines_processor_time() - used + TICK } else { f64::INFINITY };
            times.own = (times.late - times.waiting).clamp(0.0, most);
        }
        let answer = self.receive();
        let vertex = Notation::HavannahGui.parse(self.game.geometry(), &answer).unwrap();
        self.game.play(vertex).unwrap_or_else(|error| panic!("{answer}: {error}"));
        if self.game.outcome().is_some() {
            self.game = Game::new(self.game.geometry());
            self.ask("clear_board");
        }
        times
    }

    /// Ends the engine.
    fn quit(mut self) {
        self.ask("quit");
        assert!(self.process.wait().unwrap().success());
    }
}

/// Plays this many moves with several engines at once while `busy` threads keep the processors busy.
fn measure(setting: Setting, moves: usize, engines: usize, busy: usize) -> Vec<Times> {
    let (left, is_done) = (AtomicUsize::new(moves), AtomicBool::new(false));
    thread::scope(|scope| {
        for _ in 0..busy {
            scope.spawn(|| {
                while !is_done.load(Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let play = |threads| {
            let mut player = Player::start(setting, threads);
            let mut times = Vec::new();
            while left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok() {
                times.push(player.play());
            }
            player.quit();
            times
        };
        // Every fourth engine searches with two threads.
        let players: Vec<_> = (0..engines).map(|i| scope.spawn(move || play(if i % 4 == 3 { 2 } else { 1 }))).collect();
        let times = players.into_iter().flat_map(|player| player.join().unwrap()).collect();
        is_done.store(true, Relaxed);
        times
    })
}

fn print_row(Setting { side, control, limit }: Setting, times: &[Times]) {
    let worst = |f: fn(&Times) -> f64| times.iter().map(f).fold(0.0, f64::max);
    let count = |f: &dyn Fn(&Times) -> bool| times.iter().filter(|times| f(times)).count();
    println!(
        "| {} | {side} | {control:?} | {} | {} | {} | {:.1} | {:.1} | {:.1} |",
        milliseconds(limit),
        times.len(),
        count(&|times| times.whole > 0.7 * milliseconds(limit)),
        count(&|times| times.late > 50.0),
        worst(|times| times.late),
        worst(|times| times.waiting),
        worst(|times| times.own),
    );
}

/// The number in an environment variable, or a default.
fn setting(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{variable}={value}")))
}

/// The numbers in an environment variable, or a default.
fn settings<T: std::str::FromStr>(variable: &str, default: &str) -> Vec<T> {
    let value = std::env::var(variable).unwrap_or_else(|_| default.into());
    value.split_whitespace().map(|n| n.parse().unwrap_or_else(|_| panic!("{variable}={value}"))).collect()
}

/// Settings: `CLOCK_MOVES` (moves at each limit, on all sides together), `CLOCK_ENGINES` (at once), `CLOCK_BUSY`
/// (threads that keep processors busy), `CLOCK_LIMITS` (milliseconds), `CLOCK_SIDES`.
#[test]
#[ignore = "takes very long: run by .ci/nightly"]
fn no_move_is_late_by_the_engines_own_fault() {
    const MOST: f64 = 50.0;
    let (moves, busy) = (setting("CLOCK_MOVES", 10_000), setting("CLOCK_BUSY", 2));
    let sides: Vec<usize> = settings("CLOCK_SIDES", "4 8 13");
    println!("Times in milliseconds.\n");
    println!(
        "| limit | side | control | moves | that used 70 % | 50 late | worst lateness | worst wait | worst own lateness |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut worst: f64 = 0.0;
    for limit in settings("CLOCK_LIMITS", "0 1 10 20 100 1000").into_iter().map(Duration::from_millis) {
        // A thousand moves of a second take long, so that many engines think at once.
        let engines = setting("CLOCK_ENGINES", if limit.as_millis() < 1000 { 4 } else { 12 });
        let controls = match limit.as_millis() {
            ..20 => &[Control::TimeLeft][..],
            _ => &[Control::Option, Control::ByoYomi],
        };
        for &side in &sides {
            for &control in controls {
                let setting = Setting { side, control, limit };
                let times = measure(setting, moves.div_ceil(sides.len() * controls.len()), engines, busy);
                print_row(setting, &times);
                worst = times.iter().map(|times| times.own).fold(worst, f64::max);
            }
        }
    }
    assert!(worst <= MOST, "a move was {worst:.1} ms late");
}

/// Moves are legal however little time there is. How late they are depends on the machine, and is not asserted here.
#[test]
fn there_is_a_legal_move_however_little_time_is_left() {
    for side in [4, 13] {
        for (control, limit) in [(Control::Option, 1), (Control::ByoYomi, 5), (Control::TimeLeft, 0)] {
            let setting = Setting { side, control, limit: Duration::from_millis(limit) };
            assert_eq!(measure(setting, 30, 2, 0).len(), 30);
        }
    }
}
