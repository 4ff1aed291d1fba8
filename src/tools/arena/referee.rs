//! The referee of a game. It keeps its own board and clocks, asks the engines for their moves, and trusts neither
//! engine.

use std::convert::Infallible;
use std::fmt;
use std::sync::Once;
use std::time::Duration;

use crate::base::sync::StopFlag;
use crate::engine::session::MoveError;
use crate::engine::solver::{Budget, Solver, SolverError, Value, has_solver, solve};
use crate::game::{Color, Game, Geometry, Move, Notation, Outcome, Structures, Vertex};
use crate::network::Network;
use crate::protocols::gtp::protocol::{CommandError, Response};

use super::process::{EngineError, EngineFault, FaultKind, Player, shorten};

/// How long an engine may think about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The engine decides by its own settings; the match sends nothing.
    Own,
    /// A time per move: `time_settings 0 S 1`.
    Move(Duration),
    /// A number of simulations per move: `set_option simulations N`.
    Simulations(u64),
    /// A clock for each player: `time_settings MAIN 0 0` before the game, and `time_left COLOUR SECONDS 0` before each
    /// move.
    Clock {
        /// The time for the whole game.
        main: Duration,
        /// The time added after each move.
        increment: Duration,
    },
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Own => f.write_str("no limit sent"),
            Limit::Move(time) => write!(f, "{} s per move", seconds(*time)),
            Limit::Simulations(count) => write!(f, "{count} simulations per move"),
            Limit::Clock { main, increment } => write!(f, "clock {}+{} s", seconds(*main), seconds(*increment)),
        }
    }
}

/// The rules that all games of a match share.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The board.
    pub geometry: &'static Geometry,
    /// How long the engines may think about a move.
    pub limit: Limit,
    /// How much longer than its limit a move may take.
    pub margin: Duration,
    /// How long an engine may be silent, beyond the limit and the margin of a move, before it counts as hung.
    pub silence: Duration,
    /// Whether the pie rule is in force.
    pub swap: bool,
    /// How long the solver may look for a proof of who wins after each move, which ends the game. Boards without a
    /// solver are never adjudicated.
    pub adjudicate: Option<Duration>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameEnding {
    /// A colour completed one or more structures.
    Structures(Color, Structures),
    /// The board is full: a draw.
    FullBoard,
    /// A colour resigned.
    Resignation(Color),
    /// The solver has proven who wins: this colour, or nobody.
    Solved(Option<Color>),
    /// A colour's engine was at fault.
    Fault(Color, EngineFault),
}

impl GameEnding {
    /// The winner, or `None` for a draw.
    pub fn winner(&self) -> Option<Color> {
        match *self {
            GameEnding::Structures(color, _) => Some(color),
            GameEnding::FullBoard => None,
            GameEnding::Solved(winner) => winner,
            GameEnding::Resignation(color) | GameEnding::Fault(color, _) => Some(!color),
        }
    }

    /// How the game ended, as records spell it: structures joined by `+`, `full board`, `resign`, `solved`, or the kind
    /// of a fault.
    pub fn by(&self) -> String {
        match self {
            GameEnding::Structures(_, structures) => structures.to_string(),
            GameEnding::FullBoard => "full board".into(),
            GameEnding::Resignation(_) => "resign".into(),
            GameEnding::Solved(_) => "solved".into(),
            GameEnding::Fault(_, fault) => fault.kind.to_string(),
        }
    }
}

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedGame {
    /// The moves, beginning with the opening: vertices, and `swap`.
    pub moves: Vec<String>,
    /// The time that each move took, in seconds; 0 for moves of the opening.
    pub seconds: Vec<f64>,
    /// The time of a final answer that was not played (an illegal or late move, or `resign`), in seconds.
    pub last_seconds: Option<f64>,
    /// How the game ended.
    pub ending: GameEnding,
    /// The optional commands that white's and black's engine refused.
    pub notes: [Vec<Note>; 2],
}

/// An optional command that an engine refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// The command without its arguments.
    pub command: &'static str,
    /// The engine's error message.
    pub answer: String,
}

/// Plays one game from an opening, or returns `None` if the match was stopped.
///
/// `players` and `init` hold white's engine and set-up commands first. An engine that commits a fault loses the game.
/// `stop` ends the solver's work; that of the players ends by itself.
///
/// # Panics
/// If a move of the opening is illegal.
pub fn play_game<P: Player>(
    rules: &Rules,
    players: [&mut P; 2],
    init: [&[String]; 2],
    opening: &[Vertex],
    stop: &StopFlag,
) -> Option<FinishedGame> {
    let [white, black] = players;
    let mut game = Game::new(rules.geometry);
    game.allow_swap(rules.swap);
    for &v in opening {
        game.play(v).expect("an opening is legal");
    }
    let mut referee = Referee {
        seats: [Seat::new(rules, Color::White, white), Seat::new(rules, Color::Black, black)],
        game,
        moves: Notation::HavannahGui.names(rules.geometry, opening),
        seconds: vec![0.0; opening.len()],
        last_seconds: None,
        solver: None,
        stop,
    };
    let Err(Stop::Ended(ending)) = referee.play(init) else { return None };
    let Referee { seats, moves, seconds, last_seconds, .. } = referee;
    Some(FinishedGame { moves, seconds, last_seconds, ending, notes: seats.map(|seat| seat.notes) })
}

/// The result of a game in which one engine committed a fault before the first move.
pub fn walkover(rules: &Rules, color: Color, fault: EngineFault, opening: &[Vertex]) -> FinishedGame {
    FinishedGame {
        moves: Notation::HavannahGui.names(rules.geometry, opening),
        seconds: vec![0.0; opening.len()],
        last_seconds: None,
        ending: GameEnding::Fault(color, fault),
        notes: [vec![], vec![]],
    }
}

/// Sets up an engine as for a game, and returns the optional commands that it refused.
///
/// # Errors
/// If the engine is at fault, or the match was stopped.
pub fn rehearse<P: Player>(rules: &Rules, player: &mut P, init: &[String]) -> Result<Vec<Note>, EngineError> {
    let mut seat = Seat::new(rules, Color::White, player);
    seat.set_up(init)?;
    Ok(seat.notes)
}

/// Why a game cannot continue.
enum Stop {
    Ended(GameEnding),
    Stopped,
}

impl Stop {
    fn new(color: Color, error: EngineError) -> Stop {
        match error {
            EngineError::Fault(fault) => Stop::Ended(GameEnding::Fault(color, fault)),
            EngineError::Stopped => Stop::Stopped,
        }
    }
}

/// The state of a game in progress; see [`play_game`].
struct Referee<'a, P> {
    seats: [Seat<'a, P>; 2],
    game: Game,
    moves: Vec<String>,
    seconds: Vec<f64>,
    last_seconds: Option<f64>,
    /// The solver, once it was asked; `Some(None)` if there was no memory for it.
    solver: Option<Option<Solver>>,
    stop: &'a StopFlag,
}

/// Says once why games are not adjudicated.
fn warn_of_missing_solver(error: &SolverError) {
    static WARNING: Once = Once::new();
    WARNING.call_once(|| log::warn!("some games are not adjudicated: {error}"));
}

/// The memory of the solver's table, in bytes.
const SOLVER_MEMORY: usize = 64 << 20;

impl<P: Player> Referee<'_, P> {
    /// Sets up both engines and plays until the game ends. The end is returned as the error.
    fn play(&mut self, init: [&[String]; 2]) -> Result<Infallible, Stop> {
        for engine in Color::ALL {
            self.seats[engine.index()].set_up(init[engine.index()]).map_err(|error| Stop::new(engine, error))?;
            for (ply, name) in self.moves.clone().into_iter().enumerate() {
                self.tell(engine, Color::ALL[ply % 2], &name)?;
            }
        }
        self.check_end()?;
        loop {
            self.turn()?;
        }
    }

    /// Asks the engine whose turn it is for a move, checks it, and sends it to the opponent.
    fn turn(&mut self) -> Result<(), Stop> {
        let color = self.game.to_move();
        let seat = &mut self.seats[color.index()];
        let (answer, elapsed) = seat.genmove().map_err(|error| Stop::new(color, error))?;
        self.last_seconds = Some(elapsed.as_secs_f64());
        seat.charge(elapsed).map_err(|fault| Stop::new(color, fault.into()))?;
        let text = answer.map_err(|error| Stop::new(color, refused("genmove", &error).into()))?.to_ascii_lowercase();
        let illegal = |reason: String| {
            let fault = EngineFault::new(FaultKind::IllegalMove, format!("'{}' as {color}: {reason}", shorten(&text)));
            Stop::new(color, fault.into())
        };
        let m = Move::read(&text, self.game.geometry(), Notation::HavannahGui).map_err(|e| illegal(e.to_string()))?;
        let played = match m {
            Move::Place(v) => self.game.play(v).map(drop).map_err(|e| e.to_string()),
            Move::Swap => self.game.swap().map_err(|e| e.to_string()),
            Move::Pass => Err(MoveError::Pass.to_string()),
            Move::Resign => return Err(Stop::Ended(GameEnding::Resignation(color))),
        };
        played.map_err(illegal)?;
        let name = m.show(self.game.geometry(), Notation::HavannahGui);
        self.seconds.extend(self.last_seconds.take());
        self.moves.push(name.clone());
        self.check_end()?;
        self.adjudicate()?;
        self.tell(!color, color, &name)
    }

    /// Ends the game if the solver proves who wins. It does not know the swap.
    fn adjudicate(&mut self) -> Result<(), Stop> {
        let Some(time) = self.seats[0].rules.adjudicate else { return Ok(()) };
        let board = self.game.geometry();
        if !has_solver(board) || self.game.can_swap() {
            return Ok(());
        }
        let stop = self.stop;
        let solver = self.solver.get_or_insert_with(|| {
            let mut solver = Solver::new(board, SOLVER_MEMORY).inspect_err(warn_of_missing_solver).ok()?;
            solver.stop_on(stop);
            Some(solver.guided_by(&*Network::builtin_solver()))
        });
        let Some(solver) = solver else { return Ok(()) };
        let budget = Budget { time: Some(time), nodes: None };
        match solve(solver, &self.game, &budget, &mut |_| !stop.is_stopped()).value {
            None if stop.is_stopped() => Err(Stop::Stopped),
            None => Ok(()),
            Some(Value::Win(color)) => Err(Stop::Ended(GameEnding::Solved(Some(color)))),
            Some(Value::Draw) => Err(Stop::Ended(GameEnding::Solved(None))),
        }
    }

    /// Sends a move of `color` to the engine that plays `engine`.
    fn tell(&mut self, engine: Color, color: Color, name: &str) -> Result<(), Stop> {
        let seat = &mut self.seats[engine.index()];
        seat.command(&format!("play {color} {name}")).map_err(|error| Stop::new(engine, error))
    }

    fn check_end(&self) -> Result<(), Stop> {
        match self.game.outcome() {
            None => Ok(()),
            Some(Outcome::Win(color, structures)) => Err(Stop::Ended(GameEnding::Structures(color, structures))),
            Some(Outcome::Draw) => Err(Stop::Ended(GameEnding::FullBoard)),
        }
    }
}

/// An engine in a game.
struct Seat<'a, P> {
    rules: &'a Rules,
    color: Color,
    player: &'a mut P,
    /// The time left on its clock.
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

    /// Sets up the engine for a game.
    fn set_up(&mut self, init: &[String]) -> Result<(), EngineError> {
        let side = self.rules.geometry.side();
        self.command(&format!("boardsize {side}"))?;
        self.try_command("clear_board", "")?;
        if self.rules.swap {
            self.try_command("set_option swap", " true")?;
        }
        match self.rules.limit {
            Limit::Own => {}
            Limit::Move(time) => self.try_command("time_settings", &format!(" 0 {} 1", seconds(time)))?,
            Limit::Clock { main, .. } => self.try_command("time_settings", &format!(" {} 0 0", seconds(main)))?,
            Limit::Simulations(count) => self.try_command("set_option simulations", &format!(" {count}"))?,
        }
        init.iter().try_for_each(|command| self.command(&command.replace("{side}", &side.to_string())))
    }

    /// The time limit of the next move, if there is one.
    fn allowed(&self) -> Option<Duration> {
        match self.rules.limit {
            Limit::Own | Limit::Simulations(_) => None,
            Limit::Move(time) => Some(time),
            Limit::Clock { .. } => Some(self.left),
        }
    }

    /// Asks for a move. Returns the answer and the time it took.
    fn genmove(&mut self) -> Result<(Response, Duration), EngineError> {
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

    /// Checks the time of a move against the limit, and updates the clock.
    fn charge(&mut self, elapsed: Duration) -> Result<(), EngineFault> {
        if let Some(allowed) = self.allowed()
            && elapsed > allowed + self.rules.margin
        {
            let (took, had) = (elapsed.as_secs_f64(), allowed.as_secs_f64());
            let detail = format!("a move as {} took {took:.3} s (limit {had:.3} s)", self.color);
            return Err(EngineFault::new(FaultKind::TimeForfeit, detail));
        }
        if let Limit::Clock { increment, .. } = self.rules.limit {
            self.left = self.left.saturating_sub(elapsed) + increment;
        }
        Ok(())
    }

    /// Sends a command that must succeed.
    fn command(&mut self, command: &str) -> Result<(), EngineError> {
        self.ask(command)?.map(drop).map_err(|error| refused(command, &error).into())
    }

    /// Sends an optional command, and notes if it is refused.
    fn try_command(&mut self, command: &'static str, arguments: &str) -> Result<(), EngineError> {
        if let Err(error) = self.ask(&format!("{command}{arguments}"))? {
            self.notes.push(Note { command, answer: shorten(&error.to_string()) });
        }
        Ok(())
    }

    fn ask(&mut self, command: &str) -> Result<Response, EngineError> {
        Ok(self.player.ask(command, self.rules.silence)?.answer)
    }
}

fn refused(command: &str, error: &CommandError) -> EngineFault {
    EngineFault::new(
        FaultKind::ErrorAnswer,
        format!("'{command}' was answered with '? {}'", shorten(&error.to_string())),
    )
}

/// Formats a time for GTP: in seconds with up to three decimals, without trailing zeros.
fn seconds(time: Duration) -> String {
    let text = format!("{:.3}", time.as_secs_f64());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::arena::process::Reply;

    /// An engine that answers `genmove` with these moves, each after a time in milliseconds, and refuses some commands.
    struct Script {
        answers: Vec<(&'static str, u64)>,
        refused: &'static [&'static str],
        received: Vec<String>,
    }

    impl Script {
        fn new(answers: &[(&'static str, u64)]) -> Script {
            Script { answers: answers.iter().rev().copied().collect(), refused: &[], received: vec![] }
        }
    }

    impl Player for Script {
        fn ask(&mut self, command: &str, _: Duration) -> Result<Reply, EngineError> {
            self.received.push(command.to_owned());
            let is_genmove = command.starts_with("genmove");
            let (answer, time) = if is_genmove { self.answers.pop().unwrap_or(("resign", 0)) } else { ("", 0) };
            let is_refused = self.refused.iter().any(|name| command.starts_with(name));
            let answer = if is_refused { Err(CommandError::new("no")) } else { Ok(answer.into()) };
            Ok(Reply { answer, elapsed: Duration::from_millis(time) })
        }
    }

    fn rules(limit: Limit) -> Rules {
        let geometry = Geometry::with_side(4).unwrap();
        let margin = Duration::from_millis(100);
        Rules { geometry, limit, margin, silence: Duration::from_secs(1), swap: true, adjudicate: None }
    }

    fn play(limit: Limit, white: &mut Script, black: &mut Script) -> FinishedGame {
        play_game(&rules(limit), [white, black], [&[], &[]], &[], &StopFlag::new()).unwrap()
    }

    #[test]
    fn both_engines_receive_all_moves_in_order() {
        let (mut white, mut black) = (Script::new(&[("D4", 5)]), Script::new(&[("swap", 7)]));
        let opening = [0, 1].map(|i| Geometry::with_side(4).unwrap().vertex(i).unwrap());
        let init = ["level {side}".to_owned()];
        let rules = rules(Limit::Simulations(9));
        let players = [&mut white, &mut black];
        let played = play_game(&rules, players, [&init, &[]], &opening, &StopFlag::new()).unwrap();
        assert_eq!(played.moves, ["a1", "a2", "d4"]);
        assert_eq!(played.seconds, [0.0, 0.0, 0.005]);
        let set_up = ["boardsize 4", "clear_board", "set_option swap true", "set_option simulations 9"];
        let stones = ["play white a1", "play black a2"];
        let received = |script: &Script| script.received.join(";");
        assert_eq!(received(&white), [&set_up[..], &["level 4"], &stones, &["genmove white"]].concat().join(";"));
        let moves = ["play white d4", "genmove black"];
        assert_eq!(received(&black), [&set_up[..], &stones, &moves].concat().join(";"));
        let GameEnding::Fault(Color::Black, fault) = played.ending else { panic!("{:?}", played.ending) };
        assert_eq!(fault.kind, FaultKind::IllegalMove);
        assert!(fault.detail.contains("only as the second move"), "{fault}");
    }

    #[test]
    fn after_a_swap_white_moves_again() {
        let (mut white, mut black) = (Script::new(&[("d4", 0), ("e5", 0)]), Script::new(&[("swap", 0)]));
        let played = play(Limit::Own, &mut white, &mut black);
        assert_eq!(played.moves, ["d4", "swap", "e5"]);
        assert_eq!(played.ending, GameEnding::Resignation(Color::Black));
        assert!(white.received.contains(&"play black swap".into()));
    }

    #[test]
    fn clocks_run_down_and_are_sent_to_the_engine() {
        let limit = Limit::Clock { main: Duration::from_secs(2), increment: Duration::from_millis(500) };
        let mut white = Script::new(&[("a1", 1000), ("a2", 1550), ("a3", 600)]);
        let mut black = Script::new(&[("d4", 0), ("e4", 0)]);
        let played = play(limit, &mut white, &mut black);
        let times: Vec<&String> = white.received.iter().filter(|line| line.starts_with("time")).collect();
        // 2 - 1 + 0.5 = 1.5; 1.55 is within the margin and leaves 0 + 0.5; 0.6 is within the margin, too.
        assert_eq!(
            times,
            ["time_settings 2 0 0", "time_left white 2 0", "time_left white 1.5 0", "time_left white 0.5 0"]
        );
        assert_eq!(played.ending, GameEnding::Resignation(Color::Black));
    }

    #[test]
    fn a_move_later_than_limit_and_margin_forfeits() {
        let limit = Limit::Move(Duration::from_secs(1));
        let played = play(limit, &mut Script::new(&[("a1", 1100), ("a2", 1101)]), &mut Script::new(&[("d4", 0)]));
        assert!(
            matches!(&played.ending, GameEnding::Fault(Color::White, fault) if fault.kind == FaultKind::TimeForfeit)
        );
        assert_eq!((played.moves.len(), played.last_seconds), (2, Some(1.101)));
        assert_eq!(played.ending.winner(), Some(Color::Black));
    }

    #[test]
    fn optional_commands_may_be_refused() {
        let limit = Limit::Clock { main: Duration::from_secs(9), increment: Duration::ZERO };
        let mut white = Script::new(&[("a1", 0), ("a2", 0)]);
        white.refused = &["clear_board", "time"];
        let played = play(limit, &mut white, &mut Script::new(&[("d4", 0)]));
        assert_eq!(played.ending, GameEnding::Resignation(Color::Black));
        let refused: Vec<&str> = played.notes[0].iter().map(|note| note.command).collect();
        assert_eq!(refused, ["clear_board", "time_settings", "time_left"], "each is sent and noted once");
        assert!(played.notes[1].is_empty());
    }

    /// Black, who is to move, wins from here. The engines are not asked to show it.
    #[test]
    fn a_proof_of_who_wins_ends_the_game() {
        let rules = Rules { adjudicate: Some(Duration::from_secs(100)), ..rules(Limit::Own) };
        let (mut white, mut black) = (Script::new(&[("d4", 0)]), Script::new(&[("a1", 0), ("g7", 0)]));
        let geometry = Geometry::with_side(4).unwrap();
        let opening = ["c3", "g6", "c4", "g5"].map(|name| Notation::HavannahGui.parse(geometry, name).unwrap());
        let stop = StopFlag::new();
        let played = play_game(&rules, [&mut white, &mut black], [&[], &[]], &opening, &stop).unwrap();
        assert_eq!((&played.ending, played.ending.by().as_str()), (&GameEnding::Solved(Some(Color::Black)), "solved"));
        assert_eq!(played.moves.len(), 5);
        // The first stone may still be swapped: nothing is proven.
        let (mut white, mut black) = (Script::new(&[("d4", 0)]), Script::new(&[]));
        let played = play_game(&rules, [&mut white, &mut black], [&[], &[]], &[], &stop).unwrap();
        assert!(matches!(played.ending, GameEnding::Resignation(Color::Black)), "{:?}", played.ending);
    }

    /// Nobody knows who wins this one within the minutes that the solver has.
    #[test]
    fn a_match_that_is_stopped_does_not_wait_for_the_solver() {
        let mut rules = Rules { adjudicate: Some(Duration::from_secs(3600)), swap: false, ..rules(Limit::Own) };
        rules.geometry = Geometry::with_side(6).unwrap();
        let (mut white, mut black) = (Script::new(&[("f6", 0)]), Script::new(&[]));
        let stop = StopFlag::new();
        let played = std::thread::scope(|scope| {
            let game = scope.spawn(|| play_game(&rules, [&mut white, &mut black], [&[], &[]], &[], &stop));
            std::thread::sleep(Duration::from_millis(100));
            stop.stop();
            game.join().unwrap()
        });
        assert_eq!(played, None);
        assert!(black.received.iter().all(|command| !command.starts_with("genmove")), "{:?}", black.received);
    }

    #[test]
    fn refusing_a_legal_move_is_a_fault() {
        let mut black = Script::new(&[]);
        black.refused = &["play"];
        let played = play(Limit::Own, &mut Script::new(&[("a1", 0)]), &mut black);
        assert!(
            matches!(&played.ending, GameEnding::Fault(Color::Black, fault) if fault.kind == FaultKind::ErrorAnswer)
        );
    }

    #[test]
    fn times_are_formatted_without_trailing_zeros() {
        for (milliseconds, text) in [(1000, "1"), (100, "0.1"), (0, "0"), (20_000, "20"), (1, "0.001")] {
            assert_eq!(seconds(Duration::from_millis(milliseconds)), text);
        }
    }
}
