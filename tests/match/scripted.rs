//! Small engines that behave well or badly. This test program becomes one when it is started with `scripted CHARACTER`.

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::{Child, Command, exit};
use std::thread::sleep;
use std::time::Duration;

use malecon::game::{Color, Game, Geometry, Notation, Vertex};

/// The command line that starts an engine of this character, for use in `--engine NAME=…`.
pub fn command(character: &str) -> String {
    let program = std::env::current_exe().unwrap();
    format!("'{}' scripted {character}", program.display())
}

/// Runs an engine until its input ends. `arguments` are its character and what belongs to it.
pub fn run(arguments: &[String]) {
    let character = arguments[0].as_str();
    let mut engine = Engine::new(character, &arguments[1..]);
    if character == "helper" {
        return sleep(Duration::from_secs(600));
    }
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let (number, words) = match words.first() {
            Some(word) if word.parse::<u32>().is_ok() => (words[0], &words[1..]),
            _ => ("", &words[..]),
        };
        let answer = engine.answer(words);
        engine.send(number, answer);
        if words == ["quit"] {
            return;
        }
        if character == "eager" && words[0] == "play" {
            engine.send("", Ok("a1".into()));
        }
    }
}

struct Engine<'a> {
    character: &'a str,
    arguments: &'a [String],
    game: Game,
    genmoves: usize,
}

impl<'a> Engine<'a> {
    fn new(character: &'a str, arguments: &'a [String]) -> Engine<'a> {
        let mut game = Game::new(Geometry::with_side(4).unwrap());
        game.allow_swap(true);
        Engine { character, arguments, game, genmoves: 0 }
    }

    /// Answers a command with the text of a success or a failure.
    fn answer(&mut self, words: &[&str]) -> Result<String, String> {
        match words {
            ["name"] => Ok("scripted".into()),
            ["boardsize", side] => {
                self.game = Game::new(Geometry::with_side(side.parse().unwrap()).unwrap());
                self.game.allow_swap(true);
                Ok(String::new())
            }
            ["clear_board"] if self.character == "plain" => Err("unknown command".into()),
            ["clear_board" | "quit"] => Ok(String::new()),
            ["time_settings" | "genmove", ..] if self.character == "wordy" => Err("one\ntwo\nthree".into()),
            ["time_settings" | "time_left" | "set_option", ..] if self.character != "plain" => Ok(String::new()),
            ["about"] => Ok("for tests\n \nand nothing else".into()),
            ["nap", milliseconds] => {
                sleep(Duration::from_millis(milliseconds.parse().unwrap()));
                Ok(String::new())
            }
            ["play", color, "swap"] if color.parse() == Ok(Color::Black) => {
                self.game.swap().map(|()| String::new()).map_err(|e| e.to_string())
            }
            ["play", color, name] => self.play(color.parse().unwrap(), name),
            ["genmove", color] => self.genmove(color.parse().unwrap()),
            _ => Err("unknown command".into()),
        }
    }

    fn play(&mut self, color: Color, name: &str) -> Result<String, String> {
        if self.character == "stubborn" && self.game.stone_count() > 3 {
            return Err("I refuse".into());
        }
        if color != self.game.to_move() {
            return Err("it is the other player's turn".into());
        }
        let v = Notation::HavannahGui.parse(self.game.geometry(), name).map_err(|e| e.to_string())?;
        self.game.play(v).map(|_| String::new()).map_err(|e| e.to_string())
    }

    fn genmove(&mut self, color: Color) -> Result<String, String> {
        self.genmoves += 1;
        if color != self.game.to_move() {
            return Err("it is the other player's turn".into());
        }
        let second = self.game.stone_count() > 3;
        match self.character {
            "illegal" if second => return Ok(self.name(self.game.last_stone().unwrap())),
            "offboard" if second => return Ok("z99".into()),
            "rambling" if second => return Ok("x".repeat(100_000) + "\ny"),
            "passing" if second => return Ok("pass".into()),
            "complaining" if second => return Err("I cannot decide".into()),
            "resigning" if second => return Ok("resign".into()),
            "swapping" if self.game.can_swap() => {
                self.game.swap().unwrap();
                return Ok("SWAP".into());
            }
            "hanging" | "hanging-apart" => {
                self.start_helper().wait().unwrap();
                unreachable!("the helper outlasts the match");
            }
            "orphaning" => {
                self.start_helper();
                exit(3);
            }
            "crashing" if second => {
                eprintln!("error: invalid option\n\nI am a dying engine");
                exit(3);
            }
            "aborting" if second => std::process::abort(),
            "leaving" if second => exit(0),
            "slow" if second => sleep(Duration::from_millis(4500)),
            #[cfg(unix)]
            "stopping" if self.game.stone_count() / 2 == 2 => stop_the_match(Duration::from_millis(4500)),
            // As after a signal to all processes of a job.
            #[cfg(unix)]
            "ending" if second => {
                use rustix::process::{Signal, getppid, kill_process};
                kill_process(getppid().unwrap(), Signal::TERM).unwrap();
                exit(143);
            }
            "napping" => sleep(Duration::from_millis(5)),
            "babbling" if second => println!("info: thinking\n"),
            "endless" if second => loop {
                io::stdout().write_all(&[b'='; 4096]).unwrap_or_else(|_| exit(1));
            },
            "flooding" => {
                let line = [b'.'; 1023];
                for _ in 0..2000 {
                    io::stderr().write_all(&line).and_then(|()| io::stderr().write_all(b"\n")).unwrap();
                }
            }
            _ => {}
        }
        let v = self.choose();
        self.game.play(v).map_err(|e| e.to_string())?;
        Ok(self.name(v))
    }

    /// Starts a program that runs for a long time and holds stdout, and writes the process numbers of the engine and of
    /// that program to the file of the engine's argument. Characters other than "hanging" start it in a process group
    /// of its own.
    fn start_helper(&self) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["scripted", "helper"]);
        #[cfg(unix)]
        if self.character != "hanging" {
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        let helper = command.spawn().unwrap();
        if let Some(path) = self.arguments.first() {
            let new = format!("{path}.{}", std::process::id());
            std::fs::write(&new, format!("{} {}\n", std::process::id(), helper.id())).unwrap();
            std::fs::rename(&new, Path::new(path)).unwrap();
        }
        helper
    }

    /// A winning move if there is one, else a vertex that depends only on the position and the character.
    fn choose(&self) -> Vertex {
        let position = self.game.position();
        let empty: Vec<Vertex> = position.empty_vertices().collect();
        let wins = |&&v: &&Vertex| !position.completes(self.game.to_move(), v).is_empty();
        if let Some(&win) = empty.iter().find(wins) {
            return win;
        }
        let stones = self.game.stones().map(|(_, v)| v.index() as u64);
        let what = self.character.bytes().map(u64::from).chain(stones);
        let hash = what.fold(0u64, |hash, i| (hash ^ i).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23));
        empty[(hash % empty.len() as u64) as usize]
    }

    fn name(&self, v: Vertex) -> String {
        Notation::HavannahGui.name(self.game.geometry(), v)
    }

    fn send(&self, number: &str, answer: Result<String, String>) {
        let number = if self.character == "numberless" { "" } else { number };
        let text = match answer {
            Ok(text) => format!("={number} {text}\n\n"),
            Err(text) => format!("?{number} {text}\n\n"),
        };
        let mut stdout = io::stdout().lock();
        match self.character {
            "crlf" => stdout.write_all(text.replace('\n', "\r\n").as_bytes()).unwrap(),
            "dribbling" => text.bytes().for_each(|byte| {
                stdout.write_all(&[byte]).and_then(|()| stdout.flush()).unwrap();
            }),
            _ => stdout.write_all(text.as_bytes()).unwrap(),
        }
        stdout.flush().unwrap();
    }
}

/// Stops the match for a while, as Ctrl-Z and `fg` would.
#[cfg(unix)]
fn stop_the_match(time: Duration) {
    use rustix::process::{Signal, getppid, kill_process};
    let process = getppid().unwrap();
    kill_process(process, Signal::STOP).unwrap();
    sleep(time);
    kill_process(process, Signal::CONT).unwrap();
}
