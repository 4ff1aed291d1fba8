//! The commands that play, search, and report about the game and the last search.

use std::sync::Arc;
use std::time::Duration;

use crate::base::text::quoted;
use crate::engine::search::TimeControl;
use crate::engine::session::Analysis;
use crate::engine::solver::Budget;
use crate::game::record::{Word, words};
use crate::game::{Color, Game, Move, UndoError};
use crate::protocols::gtp::command::{Command, color, lines, seconds, stones, text, whole};
use crate::protocols::gtp::engine::Engine;
use crate::protocols::gtp::protocol::{CommandError, Response};

/// The commands.
pub static COMMANDS: &[Command] = &[
    Command::new(
        "boardsize",
        "SIZE",
        "start a game on an empty board of this size: its side length, for GoGui its diameter",
        boardsize,
    ),
    Command::new("clear_board", "", "start a new game on the same board", clear_board),
    Command::new(
        "set_position",
        "ROWS TURN [swap]",
        "start a new game in a position, as show_position writes it",
        set_position,
    ),
    Command::new("komi", "NUMBER", "accepted but ignored: Havannah has no komi", komi),
    Command::new("play", "COLOR MOVE", "play a vertex, swap or resign", play),
    Command::new("playgame", "MOVE...", "play moves in turn, all or none", playgame),
    Command::new("swap", "", "play swap for the player to move", swap),
    Command::new("undo", "[COUNT]", "take back the last move, or the last COUNT moves", undo),
    Command::new("genmove", "COLOR", "search, play the best move and return it", genmove),
    Command::new("reg_genmove", "COLOR", "search and return the best move", reg_genmove),
    Command::new(
        "solve",
        "[SECONDS]",
        "the value of the position (white, black, draw or unknown) and a move that keeps it; SECONDS is 10 by default",
        solve,
    ),
    Command::new("havannah_solve", "[SECONDS]", "as solve, under the name that Castro gives it", solve),
    Command::new("hguicoords", "", "name vertices as HavannahGui does, as Castro's scripts ask for", hguicoords),
    Command::new("gridcoords", "", "name vertices as Little Golem does, as Castro's scripts ask for", gridcoords),
    Command::new("selfplay", "", "play both colours to the end and return the moves", selfplay),
    Command::new(
        "time_settings",
        "MAIN BYO_YOMI STONES",
        "set the clocks: main time, then BYO_YOMI seconds for every STONES stones",
        time_settings,
    ),
    Command::new(
        "time_left",
        "COLOR TIME STONES",
        "set the seconds left, and in byo-yomi the stones left to play in them",
        time_left,
    ),
    Command::new("showboard", "", "draw the board", showboard),
    Command::new("show_position", "", "the position as one line, which set_position takes", show_position),
    Command::new("history", "", "the moves so far, as playgame takes them", history),
    Command::new("all_legal", "", "the legal moves", all_legal),
    Command::new("final_score", "", "W+1, B+1 or 0 once the game is over", final_score),
    Command::new("havannah_winner", "", "white, black or draw once the game is over, else none", havannah_winner),
    Command::new(
        "winrate",
        "",
        "the chance of winning that the last search found, for the player who was to move",
        winrate,
    ),
    Command::new("pv", "", "the best line that the last search found", pv),
    Command::new("list_options", "", "the options: name, value, legal values, default, meaning", list_options),
    Command::new("set_option", "NAME VALUE", "set an option", set_option),
];

// Commands that set up or change the game.

fn boardsize(engine: &mut Engine, arguments: &[&str]) -> Response {
    let geometry = engine.dialect().board(whole("SIZE", arguments[0])?)?;
    engine.session_mut().new_game(geometry);
    text("")
}

fn clear_board(engine: &mut Engine, _: &[&str]) -> Response {
    let geometry = engine.session().game().geometry();
    engine.session_mut().new_game(geometry);
    text("")
}

fn set_position(engine: &mut Engine, arguments: &[&str]) -> Response {
    let game = Game::from_position(&arguments.join(" ")).map_err(|error| CommandError::new(error.to_string()))?;
    engine.session_mut().set_position(game);
    text("")
}

fn komi(_: &mut Engine, arguments: &[&str]) -> Response {
    match arguments[0].parse::<f64>() {
        Ok(komi) if komi.is_finite() => text(""),
        _ => Err(CommandError::new(format!("invalid NUMBER '{}' (expected a number)", quoted(arguments[0])))),
    }
}

fn play(engine: &mut Engine, arguments: &[&str]) -> Response {
    let color = color(arguments[0])?;
    let m = engine.read_move(arguments[1])?;
    engine.play(color, m)?;
    text("")
}

/// A move out of turn has its colour in front: `black:e5`.
fn playgame(engine: &mut Engine, arguments: &[&str]) -> Response {
    let list = arguments.join(" ");
    let words = words(&list);
    for (i, word) in words.iter().enumerate() {
        if let Err(error) = play_word(engine, word) {
            engine.session_mut().undo(i).expect("these moves were just played");
            return Err(CommandError::new(format!("move {} of {}: {error}", i + 1, words.len())));
        }
    }
    text("")
}

fn play_word(engine: &mut Engine, word: &Word<'_>) -> Result<(), CommandError> {
    let (color, m) = engine.read_move_in_turn(word)?;
    engine.play(color, m)
}

fn swap(engine: &mut Engine, _: &[&str]) -> Response {
    engine.play(engine.session().game().to_move(), Move::Swap)?;
    text("")
}

fn undo(engine: &mut Engine, arguments: &[&str]) -> Response {
    let count = arguments.first().map_or(Ok(1), |count| whole("COUNT", count))?;
    // With nothing to undo, no number of moves can be.
    if engine.session().game().move_count() == 0 {
        return Err(UndoError { asked: count, played: 0 }.into());
    }
    engine.session_mut().undo(count)?;
    text("")
}

// Commands that search.

fn genmove(engine: &mut Engine, arguments: &[&str]) -> Response {
    move_of(engine, arguments, Engine::make_move)
}

fn reg_genmove(engine: &mut Engine, arguments: &[&str]) -> Response {
    move_of(engine, arguments, Engine::choose_move)
}

fn move_of(
    engine: &mut Engine,
    arguments: &[&str],
    think: fn(&mut Engine, Color) -> Result<Move, CommandError>,
) -> Response {
    let color = color(arguments[0])?;
    if engine.session().game().is_over() {
        return text(engine.dialect().after_the_end());
    }
    let m = think(engine, color)?;
    Ok(engine.show_move(m))
}

/// The time for `solve` without an argument.
const SOLVE_TIME: Duration = Duration::from_secs(10);

fn solve(engine: &mut Engine, arguments: &[&str]) -> Response {
    let time = arguments.first().map_or(Ok(SOLVE_TIME), |text| seconds("SECONDS", text))?;
    let budget = Budget { time: Some(time), nodes: None };
    let outcome = engine.session().solve(&budget, &engine.stop_flag())?;
    let value = outcome.value.map_or("unknown".into(), |value| value.to_string());
    Ok(outcome.best.map_or(value.clone(), |v| format!("{value} {}", engine.name_of(v))))
}

/// Ends early, between two moves, when it is interrupted.
fn selfplay(engine: &mut Engine, _: &[&str]) -> Response {
    let stop = engine.stop_flag();
    let mut words = Vec::new();
    while !engine.session().game().is_over() && !stop.is_stopped() {
        let color = engine.session().game().to_move();
        let m = engine.make_move(color)?;
        words.push(engine.show_move(m));
        if m == Move::Resign {
            engine.play(color, m)?;
        }
    }
    Ok(words.join(" "))
}

fn time_settings(engine: &mut Engine, arguments: &[&str]) -> Response {
    let main = seconds("MAIN", arguments[0])?;
    let byo_yomi = seconds("BYO_YOMI", arguments[1])?;
    engine.session_mut().clock_mut().set_control(TimeControl { main, byo_yomi, stones: stones(arguments[2])? });
    text("")
}

fn time_left(engine: &mut Engine, arguments: &[&str]) -> Response {
    // A clock that has just run out may be sent as less than nothing.
    let is_negative = arguments[1].parse().is_ok_and(|time: f64| time < 0.0);
    let time = if is_negative { Duration::ZERO } else { seconds("TIME", arguments[1])? };
    let color = color(arguments[0])?;
    engine.session_mut().clock_mut().set_left(color, time, stones(arguments[2])?);
    text("")
}

// Commands that report about the game.

fn showboard(engine: &mut Engine, _: &[&str]) -> Response {
    Ok(format!("\n{}", engine.draw_board()))
}

fn show_position(engine: &mut Engine, _: &[&str]) -> Response {
    Ok(engine.session().game().board().position_string())
}

fn history(engine: &mut Engine, _: &[&str]) -> Response {
    let game = engine.session().game();
    Ok(Move::show_in_turn(game.moves(), Color::White, game.geometry(), engine.notation()).join(" "))
}

fn all_legal(engine: &mut Engine, _: &[&str]) -> Response {
    let moves = engine.session().game().legal_moves();
    Ok(moves.into_iter().map(|m| engine.show_move(m)).collect::<Vec<_>>().join(" "))
}

fn final_score(engine: &mut Engine, _: &[&str]) -> Response {
    match engine.session().game().result() {
        None => Err(CommandError::new("cannot score: the game is not over")),
        Some(None) => text("0"),
        Some(Some(Color::White)) => text("W+1"),
        Some(Some(Color::Black)) => text("B+1"),
    }
}

fn havannah_winner(engine: &mut Engine, _: &[&str]) -> Response {
    match engine.session().game().result() {
        None => text("none"),
        Some(None) => text("draw"),
        Some(Some(color)) => Ok(color.to_string()),
    }
}

// Commands that report about the last search.

fn last_analysis(engine: &Engine) -> Result<Arc<Analysis>, CommandError> {
    let error = || CommandError::new("there was no search in this game (genmove and reg_genmove search)");
    engine.session().last_analysis().ok_or_else(error)
}

fn winrate(engine: &mut Engine, _: &[&str]) -> Response {
    Ok(format!("{:.4}", last_analysis(engine)?.chance()))
}

fn pv(engine: &mut Engine, _: &[&str]) -> Response {
    let line = last_analysis(engine)?.line();
    Ok(line.into_iter().map(|m| engine.show_move(m)).collect::<Vec<_>>().join(" "))
}

// Options.

fn list_options(engine: &mut Engine, _: &[&str]) -> Response {
    let options = engine.options().list().into_iter();
    lines(options.map(|o| format!("{} = {} ({}, default {}): {}", o.name, o.value, o.kind, o.default, o.description)))
}

fn hguicoords(engine: &mut Engine, _: &[&str]) -> Response {
    engine.set_option("gui", "havannahgui")?;
    text("")
}

fn gridcoords(engine: &mut Engine, _: &[&str]) -> Response {
    engine.set_option("gui", "littlegolem")?;
    text("")
}

fn set_option(engine: &mut Engine, arguments: &[&str]) -> Response {
    engine.set_option(arguments[0], arguments[1])?;
    text("")
}
