//! The referee of one game. It keeps its own board and its own clocks, asks the engines for their moves, and believes
//! neither of them.

use std::convert::Infallible;
use std::fmt;
use std::time::Duration;

use crate::board::{Color, Game, Geometry, Notation, Outcome, Structures, Vertex};

use super::process::{Answer, Fault, FaultKind, Player, Trouble};

/// How much an engine may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// As it likes: nothing about it is sent.
    Own,
    /// So much time a move: `time_settings 0 S 1`.
    Move(Duration),
    /// So many playouts a move: `set_option playouts N`.
    Playouts(u64),
    /// A clock with so much time for the game and so much more after each move: `time_settings MAIN 0 0`, and
    /// `time_left COLOUR SECONDS 0` before each move.
    Clock {
        /// For the whole game.
        main: Duration,
        /// Added after each move.
        increment: Duration,
    },
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Own => f.write_str("own limits"),
            Limit::Move(time) => write!(f, "{} s a move", seconds(*time)),
            Limit::Playouts(count) => write!(f, "{count} playouts a move"),
            Limit::Clock { main, increment } => write!(f, "clocks of {}+{} s", seconds(*main), seconds(*increment)),
        }
    }
}

/// What the games of a match have in common.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The board.
    pub geometry: &'static Geometry,
    /// How much the engines may think.
    pub limit: Limit,
    /// How much later than its limit a move may come.
    pub margin: Duration,
    /// How long an engine may be silent beyond its limit and the margin, or when there is no limit, before it counts
    /// as hung.
    pub silence: Duration,
    /// Whether the pie rule is on.
    pub swap: bool,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A colour completed structures.
    Structures(Color, Structures),
    /// The board is full: a draw.
    FullBoard,
    /// A colour resigned.
    Resignation(Color),
    /// A colour's engine was at fault.
    Fault(Color, Fault),
}

impl Ending {
    /// The winner, if there is one.
    pub fn winner(&self) -> Option<Color> {
        match *self {
            Ending::Structures(color, _) => Some(color),
            Ending::FullBoard => None,
            Ending::Resignation(color) | Ending::Fault(color, _) => Some(!color),
        }
    }

    /// How it ended, in the words of the records: structures joined by `+`, `full board`, `resign`, or the kind of
    /// fault.
    pub fn by(&self) -> String {
        match self {
            Ending::Structures(_, structures) => structures.to_string(),
            Ending::FullBoard => "full board".into(),
            Ending::Resignation(_) => "resign".into(),
            Ending::Fault(_, fault) => fault.kind.to_string(),
        }
    }
}

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// What was played, the opening's stones first: vertices, and `swap`.
    pub moves: Vec<String>,
    /// The time that each took, in seconds; 0 for the opening's.
    pub seconds: Vec<f64>,
    /// The time of an answer that did not become a move, in seconds: one that was illegal, late, or `resign`.
    pub last_seconds: Option<f64>,
    /// How it ended.
    pub ending: Ending,
    /// What white's and black's engine refused without harm.
    pub notes: [Vec<Note>; 2],
}

/// A command that an engine refused and that the match can do without.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// The command, without its arguments.
    pub command: &'static str,
    /// What the engine answered.
    pub answer: String,
}

/// Plays one game from an opening, white's engine first, and says how it ended; or `None` if the match was stopped.
///
/// `init` are the set-up commands of each engine. Whatever an engine does wrong ends the game as its loss.
pub fn play_game<P: Player>(
    rules: &Rules,
    players: [&mut P; 2],
    init: [&[String]; 2],
    opening: &[Vertex],
) -> Option<Played> {
    let [white, black] = players;
    let mut game = Game::new(rules.geometry);
    game.allow_swap(rules.swap);
    for &v in opening {
        game.play(v).expect("an opening is legal");
    }
    let mut referee = Referee {
        seats: [Seat::new(rules, Color::White, white), Seat::new(rules, Color::Black, black)],
        game,
        moves: names(rules.geometry, opening),
        seconds: vec![0.0; opening.len()],
        last_seconds: None,
    };
    let Err(Stop::Ended(ending)) = referee.play(init) else { return None };
    let Referee { seats, moves, seconds, last_seconds, .. } = referee;
    Some(Played { moves, seconds, last_seconds, ending, notes: seats.map(|seat| seat.notes) })
}

/// A game that a colour's engine lost before it began.
pub fn walkover(rules: &Rules, color: Color, fault: Fault, opening: &[Vertex]) -> Played {
    Played {
        moves: names(rules.geometry, opening),
        seconds: vec![0.0; opening.len()],
        last_seconds: None,
        ending: Ending::Fault(color, fault),
        notes: [vec![], vec![]],
    }
}

/// Sets an engine up as for a game, and returns what it refused without harm.
///
/// # Errors
/// If it could not play.
pub fn rehearse<P: Player>(rules: &Rules, player: &mut P, init: &[String]) -> Result<Vec<Note>, Trouble> {
    let mut seat = Seat::new(rules, Color::White, player);
    seat.set_up(init)?;
    Ok(seat.notes)
}

/// Why a game goes on no further.
enum Stop {
    Ended(Ending),
    Stopped,
}

impl Stop {
    fn of(color: Color, trouble: Trouble) -> Stop {
        match trouble {
            Trouble::Fault(fault) => Stop::Ended(Ending::Fault(color, fault)),
            Trouble::Stopped => Stop::Stopped,
        }
    }
}

/// The state of a game: see [`play_game`].
struct Referee<'a, P> {
    seats: [Seat<'a, P>; 2],
    game: Game,
    moves: Vec<String>,
    seconds: Vec<f64>,
    last_seconds: Option<f64>,
}

impl<P: Player> Referee<'_, P> {
    /// Plays on from the opening to the end, which comes as the error.
    fn play(&mut self, init: [&[String]; 2]) -> Result<Infallible, Stop> {
        for engine in Color::ALL {
            self.seats[engine.index()].set_up(init[engine.index()]).map_err(|trouble| Stop::of(engine, trouble))?;
            for (ply, name) in self.moves.clone().into_iter().enumerate() {
                self.tell(engine, Color::ALL[ply % 2], &name)?;
            }
        }
        self.check_end()?;
        loop {
            self.turn()?;
        }
    }

    /// Asks the player to move for a move, judges it, and tells the opponent.
    fn turn(&mut self) -> Result<(), Stop> {
        let color = self.game.to_move();
        let seat = &mut self.seats[color.index()];
        let (answer, elapsed) = seat.genmove().map_err(|trouble| Stop::of(color, trouble))?;
        self.last_seconds = Some(elapsed.as_secs_f64());
        seat.charge(elapsed).map_err(|fault| Stop::of(color, fault.into()))?;
        let text = match answer {
            Answer::Success(text) => text.to_ascii_lowercase(),
            Answer::Failure(text) => return Err(Stop::of(color, refused("genmove", &text).into())),
        };
        if text == "resign" {
            return Err(Stop::Ended(Ending::Resignation(color)));
        }
        let name = self.judge(&text).map_err(|reason| {
            let fault = Fault::new(FaultKind::IllegalMove, format!("'{text}' as {color}: {reason}"));
            Stop::of(color, fault.into())
        })?;
        self.seconds.extend(self.last_seconds.take());
        self.moves.push(name.clone());
        self.check_end()?;
        self.tell(!color, color, &name)
    }

    /// Plays what an engine answered, and returns its name in proper form; or says why it is no legal move.
    fn judge(&mut self, text: &str) -> Result<String, String> {
        if text == "swap" {
            self.game.swap().map_err(|e| e.to_string())?;
            return Ok(text.to_owned());
        }
        let v = Notation::HavannahGui.parse(self.game.geometry(), text).map_err(|e| e.to_string())?;
        self.game.play(v).map_err(|e| e.to_string())?;
        Ok(Notation::HavannahGui.name(self.game.geometry(), v))
    }

    /// Tells an engine what a colour played.
    fn tell(&mut self, engine: Color, color: Color, name: &str) -> Result<(), Stop> {
        let seat = &mut self.seats[engine.index()];
        seat.command(&format!("play {color} {name}")).map_err(|trouble| Stop::of(engine, trouble))
    }

    fn check_end(&self) -> Result<(), Stop> {
        match self.game.outcome() {
            None => Ok(()),
            Some(Outcome::Win(color, structures)) => Err(Stop::Ended(Ending::Structures(color, structures))),
            Some(Outcome::Draw) => Err(Stop::Ended(Ending::FullBoard)),
        }
    }
}

/// An engine at the board.
struct Seat<'a, P> {
    rules: &'a Rules,
    color: Color,
    player: &'a mut P,
    /// What is left on its clock.
    left: Duration,
    notes: Vec<Note>,
}

impl<'a, P: Player> Seat<'a, P> {
    fn new(rules: &'a Rules, color: Color, player: &'a mut P) -> Seat<'a, P> {
        let left = match rules.limit {
            Limit::Clock { main, .. } => main,
            _ => Duration::ZERO,
        };
        Seat { rules, color, player, left, notes: Vec::new() }
    }

    /// Prepares the engine for a game.
    fn set_up(&mut self, init: &[String]) -> Result<(), Trouble> {
        let side = self.rules.geometry.side();
        self.command(&format!("boardsize {side}"))?;
        self.try_command("clear_board", "")?;
        match self.rules.limit {
            Limit::Own => {}
            Limit::Move(time) => self.try_command("time_settings", &format!(" 0 {} 1", seconds(time)))?,
            Limit::Clock { main, .. } => self.try_command("time_settings", &format!(" {} 0 0", seconds(main)))?,
            Limit::Playouts(count) => self.try_command("set_option playouts", &format!(" {count}"))?,
        }
        init.iter().try_for_each(|command| self.command(&command.replace("{side}", &side.to_string())))
    }

    /// The time that the engine has for its next move, if that is limited.
    fn allowed(&self) -> Option<Duration> {
        match self.rules.limit {
            Limit::Own | Limit::Playouts(_) => None,
            Limit::Move(time) => Some(time),
            Limit::Clock { .. } => Some(self.left),
        }
    }

    /// Asks for a move; the time that the answer took comes with it.
    fn genmove(&mut self) -> Result<(Answer, Duration), Trouble> {
        let color = self.color;
        if let Limit::Clock { .. } = self.rules.limit
            && self.notes.iter().all(|note| note.command != "time_left")
        {
            self.try_command("time_left", &format!(" {color} {} 0", seconds(self.left)))?;
        }
        let limit = self.allowed().map_or(Duration::ZERO, |time| time + self.rules.margin);
        let reply = self.player.ask(&format!("genmove {color}"), limit + self.rules.silence)?;
        Ok((reply.answer, reply.elapsed))
    }

    /// Takes the time of a move off the clock, if that much was left.
    fn charge(&mut self, elapsed: Duration) -> Result<(), Fault> {
        if let Some(allowed) = self.allowed()
            && elapsed > allowed + self.rules.margin
        {
            let (took, had) = (elapsed.as_secs_f64(), allowed.as_secs_f64());
            let detail = format!("{took:.3} s for a move as {}, where it had {had:.3} s", self.color);
            return Err(Fault::new(FaultKind::TimeForfeit, detail));
        }
        if let Limit::Clock { increment, .. } = self.rules.limit {
            self.left = self.left.saturating_sub(elapsed) + increment;
        }
        Ok(())
    }

    /// Sends a command that must succeed.
    fn command(&mut self, command: &str) -> Result<(), Trouble> {
        match self.player.ask(command, self.rules.silence)?.answer {
            Answer::Success(_) => Ok(()),
            Answer::Failure(text) => Err(refused(command, &text).into()),
        }
    }

    /// Sends a command that may be refused, which is noted.
    fn try_command(&mut self, command: &'static str, arguments: &str) -> Result<(), Trouble> {
        if let Answer::Failure(answer) = self.player.ask(&format!("{command}{arguments}"), self.rules.silence)?.answer {
            self.notes.push(Note { command, answer });
        }
        Ok(())
    }
}

pub(super) fn names(geometry: &Geometry, vertices: &[Vertex]) -> Vec<String> {
    vertices.iter().map(|&v| Notation::HavannahGui.name(geometry, v)).collect()
}

fn refused(command: &str, text: &str) -> Fault {
    Fault::new(FaultKind::ErrorAnswer, format!("'? {text}' to '{command}'"))
}

/// A time as GTP takes it: whole seconds without a decimal point, others with up to three decimals.
fn seconds(time: Duration) -> String {
    let text = format!("{:.3}", time.as_secs_f64());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::process::Reply;

    /// An engine that gives these answers to `genmove`, each after its time in milliseconds, and refuses some commands.
    struct Script {
        answers: Vec<(&'static str, u64)>,
        refused: &'static [&'static str],
        heard: Vec<String>,
    }

    impl Script {
        fn new(answers: &[(&'static str, u64)]) -> Script {
            Script { answers: answers.iter().rev().copied().collect(), refused: &[], heard: vec![] }
        }
    }

    impl Player for Script {
        fn ask(&mut self, command: &str, _: Duration) -> Result<Reply, Trouble> {
            self.heard.push(command.to_owned());
            let (answer, time) = match command.starts_with("genmove") {
                true => self.answers.pop().unwrap_or(("resign", 0)),
                false => ("", 0),
            };
            let refused = self.refused.iter().any(|name| command.starts_with(name));
            let answer = if refused { Answer::Failure("no".into()) } else { Answer::Success(answer.into()) };
            Ok(Reply { answer, elapsed: Duration::from_millis(time) })
        }
    }

    fn rules(limit: Limit) -> Rules {
        let geometry = Geometry::of(4).unwrap();
        Rules { geometry, limit, margin: Duration::from_millis(100), silence: Duration::from_secs(1), swap: true }
    }

    fn play(limit: Limit, white: &mut Script, black: &mut Script) -> Played {
        play_game(&rules(limit), [white, black], [&[], &[]], &[]).unwrap()
    }

    #[test]
    fn both_engines_hear_of_everything_in_order() {
        let (mut white, mut black) = (Script::new(&[("D4", 5)]), Script::new(&[("swap", 7)]));
        let opening = [0, 1].map(|i| Geometry::of(4).unwrap().vertex(i).unwrap());
        let init = ["level {side}".to_owned()];
        let rules = rules(Limit::Playouts(9));
        let played = play_game(&rules, [&mut white, &mut black], [&init, &[]], &opening).unwrap();
        assert_eq!(played.moves, ["a1", "a2", "d4"]);
        assert_eq!(played.seconds, [0.0, 0.0, 0.005]);
        let set_up = ["boardsize 4", "clear_board", "set_option playouts 9"];
        let stones = ["play white a1", "play black a2"];
        let heard = |script: &Script| script.heard.join(";");
        assert_eq!(heard(&white), [&set_up[..], &["level 4"], &stones, &["genmove white"]].concat().join(";"));
        let moves = ["play white d4", "genmove black"];
        assert_eq!(heard(&black), [&set_up[..], &stones, &moves].concat().join(";"));
        let Ending::Fault(Color::Black, fault) = played.ending else { panic!("{:?}", played.ending) };
        assert_eq!(fault.kind, FaultKind::IllegalMove);
        assert!(fault.detail.contains("only as the second move"), "{fault}");
    }

    #[test]
    fn after_a_swap_white_moves_again() {
        let (mut white, mut black) = (Script::new(&[("d4", 0), ("e5", 0)]), Script::new(&[("swap", 0)]));
        let played = play(Limit::Own, &mut white, &mut black);
        assert_eq!(played.moves, ["d4", "swap", "e5"]);
        assert_eq!(played.ending, Ending::Resignation(Color::Black));
        assert!(white.heard.contains(&"play black swap".into()));
    }

    #[test]
    fn clocks_run_down_and_are_told() {
        let limit = Limit::Clock { main: Duration::from_secs(2), increment: Duration::from_millis(500) };
        let mut white = Script::new(&[("a1", 1000), ("a2", 1550), ("a3", 600)]);
        let mut black = Script::new(&[("d4", 0), ("e4", 0)]);
        let played = play(limit, &mut white, &mut black);
        let told: Vec<&String> = white.heard.iter().filter(|line| line.starts_with("time")).collect();
        // 2 - 1 + 0.5 = 1.5; 1.55 is within the margin, which leaves 0 + 0.5; 0.6 is within the margin too.
        assert_eq!(
            told,
            ["time_settings 2 0 0", "time_left white 2 0", "time_left white 1.5 0", "time_left white 0.5 0"]
        );
        assert_eq!(played.ending, Ending::Resignation(Color::Black));
    }

    #[test]
    fn a_move_beyond_limit_and_margin_forfeits() {
        let limit = Limit::Move(Duration::from_secs(1));
        let played = play(limit, &mut Script::new(&[("a1", 1100), ("a2", 1101)]), &mut Script::new(&[("d4", 0)]));
        assert!(matches!(&played.ending, Ending::Fault(Color::White, fault) if fault.kind == FaultKind::TimeForfeit));
        assert_eq!((played.moves.len(), played.last_seconds), (2, Some(1.101)));
        assert_eq!(played.ending.winner(), Some(Color::Black));
    }

    #[test]
    fn what_the_match_can_do_without_may_be_refused() {
        let limit = Limit::Clock { main: Duration::from_secs(9), increment: Duration::ZERO };
        let mut white = Script::new(&[("a1", 0), ("a2", 0)]);
        white.refused = &["clear_board", "time"];
        let played = play(limit, &mut white, &mut Script::new(&[("d4", 0)]));
        assert_eq!(played.ending, Ending::Resignation(Color::Black));
        let refused: Vec<&str> = played.notes[0].iter().map(|note| note.command).collect();
        assert_eq!(refused, ["clear_board", "time_settings", "time_left"], "each is sent and noted once");
        assert!(played.notes[1].is_empty());
    }

    #[test]
    fn refusing_a_legal_move_is_a_fault() {
        let mut black = Script::new(&[]);
        black.refused = &["play"];
        let played = play(Limit::Own, &mut Script::new(&[("a1", 0)]), &mut black);
        assert!(matches!(&played.ending, Ending::Fault(Color::Black, fault) if fault.kind == FaultKind::ErrorAnswer));
    }

    #[test]
    fn times_are_sent_without_needless_decimals() {
        for (milliseconds, text) in [(1000, "1"), (100, "0.1"), (0, "0"), (20_000, "20"), (1, "0.001")] {
            assert_eq!(seconds(Duration::from_millis(milliseconds)), text);
        }
    }
}
