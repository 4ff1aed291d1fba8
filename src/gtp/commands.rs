//! The table of commands. `list_commands`, `known_command`, `help` and the check of the number of arguments all come
//! from it.

use std::time::Duration;

use crate::board::{Color, Diagram, Vertex};
use crate::search::TimeControl;

use super::analysis;
use super::engine::Engine;
use super::protocol::{Answer, CommandError};
use super::record::Move;
use super::suggest::did_you_mean;
use super::{files, gogui};

/// A command.
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// Its arguments: capital words are what to put there, brackets mark what can be left out, dots what can be
    /// repeated.
    pub arguments: &'static str,
    /// One line about what it does.
    pub about: &'static str,
    pub(super) run: fn(&mut Engine, &[&str]) -> Answer,
}

/// The commands for every controller.
static COMMANDS: &[Command] = &[
    Command { name: "protocol_version", arguments: "", about: "the version of GTP: 2", run: |_, _| text("2") },
    Command { name: "name", arguments: "", about: "the name of this engine", run: |_, _| text("Malecon") },
    Command { name: "version", arguments: "", about: "the version of this engine", run: |_, _| text(VERSION) },
    Command {
        name: "list_commands",
        arguments: "",
        about: "the names of all commands, one a line",
        run: list_commands,
    },
    Command { name: "known_command", arguments: "NAME", about: "whether there is such a command", run: known_command },
    Command { name: "help", arguments: "[COMMAND]", about: "all commands, or one, with a line about each", run: help },
    Command { name: "quit", arguments: "", about: "end the program", run: quit },
    Command {
        name: "boardsize",
        arguments: "SIZE",
        about: "begin on an empty board of this size: its side length, for GoGui its diameter",
        run: boardsize,
    },
    Command { name: "clear_board", arguments: "", about: "begin a new game on the same board", run: clear_board },
    Command {
        name: "komi",
        arguments: "NUMBER",
        about: "accepted and without effect: Havannah has no komi",
        run: komi,
    },
    Command { name: "play", arguments: "COLOR MOVE", about: "play a vertex, swap or resign", run: play },
    Command { name: "playgame", arguments: "MOVE...", about: "play moves in turn, all or none", run: playgame },
    Command { name: "swap", arguments: "", about: "play swap for the player to move", run: swap },
    Command { name: "undo", arguments: "[COUNT]", about: "take back the last move, or as many as given", run: undo },
    Command { name: "genmove", arguments: "COLOR", about: "think, play the best move and answer it", run: genmove },
    Command { name: "reg_genmove", arguments: "COLOR", about: "think and answer the best move", run: reg_genmove },
    Command {
        name: "selfplay",
        arguments: "",
        about: "play both colours to the end and answer the moves",
        run: selfplay,
    },
    Command {
        name: "time_settings",
        arguments: "MAIN BYO_YOMI STONES",
        about: "set the clocks: main time, then so many seconds for so many stones",
        run: time_settings,
    },
    Command {
        name: "time_left",
        arguments: "COLOR TIME STONES",
        about: "seconds left, and in byo-yomi the stones left to play in them",
        run: time_left,
    },
    Command { name: "showboard", arguments: "", about: "draw the board", run: showboard },
    Command { name: "history", arguments: "", about: "the moves so far, as playgame takes them", run: history },
    Command { name: "all_legal", arguments: "", about: "the legal moves", run: all_legal },
    Command { name: "final_score", arguments: "", about: "W+1, B+1 or 0 when the game is over", run: final_score },
    Command {
        name: "havannah_winner",
        arguments: "",
        about: "white, black, draw or none so far",
        run: havannah_winner,
    },
    Command { name: "winrate", arguments: "", about: "chance of the player who was searched for to win", run: winrate },
    Command { name: "pv", arguments: "", about: "the line of play that the last search found best", run: pv },
    Command {
        name: "list_options",
        arguments: "",
        about: "options: name, value, range, default, meaning",
        run: list_options,
    },
    Command { name: "set_option", arguments: "NAME VALUE", about: "set an option", run: set_option },
];

/// All commands, in the order in which they are listed.
pub fn all() -> impl Iterator<Item = &'static Command> + Clone {
    COMMANDS.iter().chain(files::COMMANDS).chain(gogui::COMMANDS).chain(analysis::COMMANDS)
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Command {
    fn names() -> impl Iterator<Item = &'static str> + Clone {
        all().map(|command| command.name)
    }

    fn find(name: &str) -> Result<&'static Command, CommandError> {
        all().find(|command| command.name == name).ok_or_else(|| {
            let near = did_you_mean(name, Command::names());
            CommandError::new(format!("unknown command '{name}'{near} (list_commands lists all)"))
        })
    }

    /// The name and the arguments.
    pub fn form(&self) -> String {
        format!("{} {}", self.name, self.arguments).trim_end().to_owned()
    }

    fn check_count(&self, count: usize) -> Result<(), CommandError> {
        let words = self.arguments.split_whitespace();
        let least = words.clone().filter(|word| !word.starts_with('[')).count();
        let most = if self.arguments.ends_with("...") { usize::MAX } else { words.count() };
        let fault = match count {
            _ if count < least => "too few",
            _ if count > most => "too many",
            _ => return Ok(()),
        };
        Err(CommandError::new(format!("{fault} arguments: {count} given, '{}' is wanted", self.form())))
    }
}

/// Carries out a command.
pub(super) fn run(engine: &mut Engine, name: &str, arguments: &[&str]) -> Answer {
    if name.is_empty() {
        return Err(CommandError::new("no command follows the id (list_commands lists all)"));
    }
    let command = Command::find(name)?;
    command.check_count(arguments.len())?;
    (command.run)(engine, arguments)
}

fn text(text: &str) -> Answer {
    Ok(text.to_owned())
}

fn lines(lines: impl Iterator<Item = String>) -> Answer {
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

// Arguments.

pub(super) fn color(text: &str) -> Result<Color, CommandError> {
    Ok(text.parse()?)
}

/// A whole number; one too large to hold is as large as can be, which every command refuses with its range.
pub(super) fn whole(name: &str, text: &str) -> Result<usize, CommandError> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(CommandError::new(format!("{name} '{text}' is not a number: a whole number is wanted")));
    }
    Ok(text.parse().unwrap_or(usize::MAX))
}

fn seconds(name: &str, text: &str) -> Result<Duration, CommandError> {
    const MOST: f64 = 1e9;
    let wrong = |what| CommandError::new(format!("{name} '{text}' is {what}: a number of seconds is wanted"));
    let seconds: f64 = text.parse().map_err(|_| wrong("not a number"))?;
    match seconds {
        _ if seconds.is_nan() => Err(wrong("not a number")),
        _ if seconds < 0.0 => Err(wrong("negative")),
        _ if seconds > MOST => Err(wrong("too large")),
        _ => Ok(Duration::from_secs_f64(seconds)),
    }
}

fn stones(text: &str) -> Result<u32, CommandError> {
    let stones = whole("STONES", text)?;
    u32::try_from(stones)
        .map_err(|_| CommandError::new(format!("STONES {text} is too large: up to {} is wanted", u32::MAX)))
}

impl Engine {
    pub(super) fn name_of(&self, v: Vertex) -> String {
        self.notation().name(self.record.game().geometry(), v)
    }

    /// The word for a move.
    fn show(&self, m: Move) -> String {
        let first_stone = self.record.game().stones().next().map(|(_, v)| v);
        match (m, first_stone) {
            (Move::Place(v), _) => self.name_of(v),
            (Move::Swap, Some(v)) if self.options.gui.swaps_by_vertex() => self.name_of(v),
            (Move::Swap, _) => "swap".into(),
            (Move::Pass, _) => "pass".into(),
            (Move::Resign, _) => "resign".into(),
        }
    }

    /// The move that a word means now.
    fn read_move(&self, word: &str) -> Result<Move, CommandError> {
        let game = self.record.game();
        match word.to_ascii_lowercase().as_str() {
            "swap" => return Ok(Move::Swap),
            "pass" => return Ok(Move::Pass),
            "resign" => return Ok(Move::Resign),
            _ => {}
        }
        let v = self.notation().parse(game.geometry(), word)?;
        let clicked = self.options.gui.swaps_by_vertex() && game.can_swap() && !game.position().is_empty(v);
        Ok(if clicked { Move::Swap } else { Move::Place(v) })
    }

    fn play(&mut self, color: Color, m: Move) -> Result<(), CommandError> {
        self.record.play(color, m, self.options.gui)
    }
}

// Commands about the engine.

fn list_commands(_: &mut Engine, _: &[&str]) -> Answer {
    lines(Command::names().map(str::to_owned))
}

fn known_command(_: &mut Engine, arguments: &[&str]) -> Answer {
    Ok(Command::names().any(|name| name == arguments[0]).to_string())
}

fn help(_: &mut Engine, arguments: &[&str]) -> Answer {
    let line = |command: &Command| format!("{}: {}", command.form(), command.about);
    match arguments.first() {
        Some(name) => Command::find(name).map(line),
        None => lines(all().map(line)),
    }
}

fn quit(engine: &mut Engine, _: &[&str]) -> Answer {
    engine.quit = true;
    text("")
}

fn list_options(engine: &mut Engine, _: &[&str]) -> Answer {
    let options = engine.list_options().into_iter();
    lines(options.map(|o| format!("{} = {} ({}, default {}): {}", o.name, o.value, o.kind, o.default, o.description)))
}

fn set_option(engine: &mut Engine, arguments: &[&str]) -> Answer {
    engine.set_option(arguments[0], arguments[1])?;
    text("")
}

// Commands that set up or change the game.

fn boardsize(engine: &mut Engine, arguments: &[&str]) -> Answer {
    let geometry = engine.options.gui.board(whole("SIZE", arguments[0])?)?;
    engine.start_game(geometry);
    text("")
}

fn clear_board(engine: &mut Engine, _: &[&str]) -> Answer {
    engine.start_game(engine.record.game().geometry());
    text("")
}

fn komi(_: &mut Engine, arguments: &[&str]) -> Answer {
    match arguments[0].parse::<f64>() {
        Ok(komi) if komi.is_finite() => text(""),
        _ => Err(CommandError::new(format!("NUMBER '{}' is not a number: komi takes any number", arguments[0]))),
    }
}

fn play(engine: &mut Engine, arguments: &[&str]) -> Answer {
    let (color, m) = (color(arguments[0])?, engine.read_move(arguments[1])?);
    engine.play(color, m)?;
    text("")
}

/// A move out of turn has its colour before it: `black:e5`.
fn playgame(engine: &mut Engine, arguments: &[&str]) -> Answer {
    let before = engine.record.clone();
    for (i, word) in arguments.iter().enumerate() {
        if let Err(refusal) = play_word(engine, word) {
            engine.record = before;
            return Err(CommandError::new(format!("move {} of {}: {refusal}", i + 1, arguments.len())));
        }
    }
    text("")
}

fn play_word(engine: &mut Engine, word: &str) -> Result<(), CommandError> {
    let (color, word) = match word.split_once(':') {
        Some((name, word)) => (color(name)?, word),
        None => (engine.record.to_move(), word),
    };
    let m = engine.read_move(word)?;
    engine.play(color, m)
}

fn swap(engine: &mut Engine, _: &[&str]) -> Answer {
    engine.play(engine.record.to_move(), Move::Swap)?;
    text("")
}

fn undo(engine: &mut Engine, arguments: &[&str]) -> Answer {
    let count = arguments.first().map_or(Ok(1), |count| whole("COUNT", count))?;
    engine.record.undo(count)?;
    engine.forget_thoughts(engine.record.moves().len());
    text("")
}

// Commands that think.

fn genmove(engine: &mut Engine, arguments: &[&str]) -> Answer {
    let color = color(arguments[0])?;
    if engine.record.is_over() {
        return text(engine.options.gui.after_the_end());
    }
    engine.think_on_the_clock(color);
    let m = engine.decide(color);
    let answer = engine.show(m);
    // A resignation is an offer: the game stands as it is until the controller ends it.
    if m != Move::Resign {
        engine.play(color, m)?;
        engine.keep_thought(color, m);
    }
    Ok(answer)
}

fn reg_genmove(engine: &mut Engine, arguments: &[&str]) -> Answer {
    let color = color(arguments[0])?;
    if engine.record.is_over() {
        return text(engine.options.gui.after_the_end());
    }
    engine.think(color);
    Ok(engine.show(engine.decide(color)))
}

/// Ends early, between two moves, when it is interrupted.
fn selfplay(engine: &mut Engine, _: &[&str]) -> Answer {
    let before = engine.record.moves().len();
    while !engine.record.is_over() && !engine.is_stopped() {
        let color = engine.record.to_move();
        engine.think_on_the_clock(color);
        let m = engine.decide(color);
        engine.play(color, m)?;
        engine.keep_thought(color, m);
    }
    let moves = engine.record.moves();
    Ok(moves[before..].iter().map(|&(_, m)| engine.show(m)).collect::<Vec<_>>().join(" "))
}

fn time_settings(engine: &mut Engine, arguments: &[&str]) -> Answer {
    let main = seconds("MAIN", arguments[0])?;
    let byo_yomi = seconds("BYO_YOMI", arguments[1])?;
    engine.clock.set_control(TimeControl { main, byo_yomi, stones: stones(arguments[2])? });
    text("")
}

fn time_left(engine: &mut Engine, arguments: &[&str]) -> Answer {
    let (color, time) = (color(arguments[0])?, seconds("TIME", arguments[1])?);
    engine.clock.set_left(color, time, stones(arguments[2])?);
    text("")
}

// Commands that tell about the game.

fn showboard(engine: &mut Engine, _: &[&str]) -> Answer {
    let diagram = Diagram::of(engine.record.game(), engine.notation()).colored(engine.color);
    let resigned = engine.record.resigned().map_or_else(String::new, |color| format!("\n{color} resigned"));
    Ok(format!("\n{diagram}{resigned}"))
}

fn history(engine: &mut Engine, _: &[&str]) -> Answer {
    let mut turn = Color::White;
    let words = engine.record.moves().into_iter().map(|(color, m)| {
        let word = match m {
            Move::Swap => "swap".into(),
            _ => engine.show(m),
        };
        let in_turn = color == turn;
        turn = !color;
        if in_turn { word } else { format!("{color}:{word}") }
    });
    Ok(words.collect::<Vec<_>>().join(" "))
}

fn all_legal(engine: &mut Engine, _: &[&str]) -> Answer {
    let game = engine.record.game();
    if engine.record.is_over() {
        return text("");
    }
    let vertices = game.position().empty_vertices().map(|v| engine.name_of(v));
    let swap = game.can_swap().then(|| engine.show(Move::Swap));
    Ok(vertices.chain(swap).collect::<Vec<_>>().join(" "))
}

fn final_score(engine: &mut Engine, _: &[&str]) -> Answer {
    match engine.record.result() {
        None => Err(CommandError::new("cannot score: the game is not over")),
        Some(None) => text("0"),
        Some(Some(Color::White)) => text("W+1"),
        Some(Some(Color::Black)) => text("B+1"),
    }
}

fn havannah_winner(engine: &mut Engine, _: &[&str]) -> Answer {
    match engine.record.result() {
        None => text("none"),
        Some(None) => text("draw"),
        Some(Some(color)) => Ok(color.to_string()),
    }
}

// Commands that tell about the last search.

fn no_search() -> CommandError {
    CommandError::new("there was no search in this game: genmove or reg_genmove makes one")
}

fn winrate(engine: &mut Engine, _: &[&str]) -> Answer {
    let report = engine.report.as_ref().ok_or_else(no_search)?;
    Ok(format!("{:.4}", report.win_rate))
}

fn pv(engine: &mut Engine, _: &[&str]) -> Answer {
    let report = engine.report.as_ref().ok_or_else(no_search)?;
    Ok(report.pv.iter().map(|&v| engine.name_of(v)).collect::<Vec<_>>().join(" "))
}
