//! The commands that play, search, and report about the game and the last search.

use std::sync::Arc;
use std::time::Duration;

use crate::board::Color;
use crate::gtp::command::{Command, color, lines, seconds, stones, text, whole};
use crate::gtp::engine::Engine;
use crate::gtp::protocol::{CommandError, Response};
use crate::gtp::suggest::shortened;
use crate::search::TimeControl;
use crate::session::{Analysis, Move};

/// The commands.
pub static COMMANDS: &[Command] = &[
    Command {
        name: "boardsize",
        arguments: "SIZE",
        about: "start a game on an empty board of this size: its side length, for GoGui its diameter",
        run: boardsize,
    },
    Command { name: "clear_board", arguments: "", about: "start a new game on the same board", run: clear_board },
    Command { name: "komi", arguments: "NUMBER", about: "accepted but ignored: Havannah has no komi", run: komi },
    Command { name: "play", arguments: "COLOR MOVE", about: "play a vertex, swap or resign", run: play },
    Command { name: "playgame", arguments: "MOVE...", about: "play moves in turn, all or none", run: playgame },
    Command { name: "swap", arguments: "", about: "play swap for the player to move", run: swap },
    Command {
        name: "undo",
        arguments: "[COUNT]",
        about: "take back the last move, or the last COUNT moves",
        run: undo,
    },
    Command { name: "genmove", arguments: "COLOR", about: "search, play the best move and return it", run: genmove },
    Command { name: "reg_genmove", arguments: "COLOR", about: "search and return the best move", run: reg_genmove },
    Command {
        name: "solve",
        arguments: "[SECONDS]",
        about: "the value of the position (white, black, draw or unknown) and a move that keeps it; SECONDS is 10 by default",
        run: solve,
    },
    Command {
        name: "selfplay",
        arguments: "",
        about: "play both colours to the end and return the moves",
        run: selfplay,
    },
    Command {
        name: "time_settings",
        arguments: "MAIN BYO_YOMI STONES",
        about: "set the clocks: main time, then BYO_YOMI seconds for every STONES stones",
        run: time_settings,
    },
    Command {
        name: "time_left",
        arguments: "COLOR TIME STONES",
        about: "set the seconds left, and in byo-yomi the stones left to play in them",
        run: time_left,
    },
    Command { name: "showboard", arguments: "", about: "draw the board", run: showboard },
    Command { name: "history", arguments: "", about: "the moves so far, as playgame takes them", run: history },
    Command { name: "all_legal", arguments: "", about: "the legal moves", run: all_legal },
    Command { name: "final_score", arguments: "", about: "W+1, B+1 or 0 once the game is over", run: final_score },
    Command {
        name: "havannah_winner",
        arguments: "",
        about: "white, black or draw once the game is over, else none",
        run: havannah_winner,
    },
    Command {
        name: "winrate",
        arguments: "",
        about: "the chance of winning that the last search found, for the player who was to move",
        run: winrate,
    },
    Command { name: "pv", arguments: "", about: "the best line that the last search found", run: pv },
    Command {
        name: "list_options",
        arguments: "",
        about: "the options: name, value, legal values, default, meaning",
        run: list_options,
    },
    Command { name: "set_option", arguments: "NAME VALUE", about: "set an option", run: set_option },
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

fn komi(_: &mut Engine, arguments: &[&str]) -> Response {
    match arguments[0].parse::<f64>() {
        Ok(komi) if komi.is_finite() => text(""),
        _ => Err(CommandError::new(format!("invalid NUMBER '{}' (expected a number)", shortened(arguments[0])))),
    }
}

fn play(engine: &mut Engine, arguments: &[&str]) -> Response {
    let (color, m) = (color(arguments[0])?, engine.read_move(arguments[1])?);
    engine.play(color, m)?;
    text("")
}

/// A move out of turn has its colour in front: `black:e5`.
fn playgame(engine: &mut Engine, arguments: &[&str]) -> Response {
    for (i, word) in arguments.iter().enumerate() {
        if let Err(error) = play_word(engine, word) {
            engine.session_mut().undo(i).expect("these moves were just played");
            return Err(CommandError::new(format!("move {} of {}: {error}", i + 1, arguments.len())));
        }
    }
    text("")
}

fn play_word(engine: &mut Engine, word: &str) -> Result<(), CommandError> {
    let (color, word) = match word.split_once(':') {
        Some((name, word)) => (color(name)?, word),
        None => (engine.session().game().to_move(), word),
    };
    let m = engine.read_move(word)?;
    engine.play(color, m)
}

fn swap(engine: &mut Engine, _: &[&str]) -> Response {
    engine.play(engine.session().game().to_move(), Move::Swap)?;
    text("")
}

fn undo(engine: &mut Engine, arguments: &[&str]) -> Response {
    let count = arguments.first().map_or(Ok(1), |count| whole("COUNT", count))?;
    match engine.session().game().len() {
        0 => Err(CommandError::new("cannot undo: no move was played")),
        played if count > played => Err(CommandError::new(format!("cannot undo {count} moves: {played} were played"))),
        _ => {
            engine.session_mut().undo(count)?;
            text("")
        }
    }
}

// Commands that search.

fn genmove(engine: &mut Engine, arguments: &[&str]) -> Response {
    let color = color(arguments[0])?;
    if engine.session().game().is_over() {
        return text(engine.dialect().after_the_end());
    }
    let m = engine.make_move(color)?;
    Ok(engine.show_move(m))
}

fn reg_genmove(engine: &mut Engine, arguments: &[&str]) -> Response {
    let color = color(arguments[0])?;
    if engine.session().game().is_over() {
        return text(engine.dialect().after_the_end());
    }
    let m = engine.choose_move(color)?;
    Ok(engine.show_move(m))
}

/// The time for `solve` without an argument.
const SOLVE_TIME: Duration = Duration::from_secs(10);

fn solve(engine: &mut Engine, arguments: &[&str]) -> Response {
    let time = arguments.first().map_or(Ok(SOLVE_TIME), |text| seconds("SECONDS", text))?;
    let answer = engine.session().solve(time, &engine.stop_flag())?;
    let value = answer.value.map_or("unknown".into(), |value| value.to_string());
    Ok(answer.best.map_or(value.clone(), |v| format!("{value} {}", engine.name_of(v))))
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
    let (color, time) = (color(arguments[0])?, seconds("TIME", arguments[1])?);
    engine.session_mut().clock_mut().set_left(color, time, stones(arguments[2])?);
    text("")
}

// Commands that report about the game.

fn showboard(engine: &mut Engine, _: &[&str]) -> Response {
    Ok(format!("\n{}", engine.draw_board()))
}

fn history(engine: &mut Engine, _: &[&str]) -> Response {
    let mut turn = Color::White;
    let words = engine.session().game().moves().into_iter().map(|(color, m)| {
        let word = match m {
            Move::Swap => "swap".into(),
            _ => engine.show_move(m),
        };
        let in_turn = color == turn;
        turn = !color;
        if in_turn { word } else { format!("{color}:{word}") }
    });
    Ok(words.collect::<Vec<_>>().join(" "))
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
    Ok(format!("{:.4}", last_analysis(engine)?.report.win_rate))
}

fn pv(engine: &mut Engine, _: &[&str]) -> Response {
    let analysis = last_analysis(engine)?;
    Ok(analysis.report.pv.iter().map(|&v| engine.name_of(v)).collect::<Vec<_>>().join(" "))
}

// Options.

fn list_options(engine: &mut Engine, _: &[&str]) -> Response {
    let options = engine.options().list().into_iter();
    lines(options.map(|o| format!("{} = {} ({}, default {}): {}", o.name, o.value, o.kind, o.default, o.description)))
}

fn set_option(engine: &mut Engine, arguments: &[&str]) -> Response {
    engine.set_option(arguments[0], arguments[1])?;
    text("")
}
