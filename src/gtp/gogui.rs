//! GoGui's own commands: with the `gogui-rules_` commands it shows games other than Go.
//!
//! They always use GoGui's vertex names; to play with GoGui, the option `gui` has to be `gogui`.

use std::collections::BTreeSet;

use crate::board::{Color, Notation, Outcome, Vertex};

use super::commands::Command;
use super::engine::Engine;
use super::gfx::{Gfx, Mark, Shade};
use super::protocol::Answer;
#[cfg(not(all(unix, feature = "match")))]
use super::protocol::CommandError;

/// The commands.
pub(super) static COMMANDS: &[Command] = &[
    Command { name: "gogui-rules_game_id", arguments: "", about: "the name of the game, for GoGui", run: game_id },
    Command { name: "gogui-rules_board_size", arguments: "", about: "the diameter of the hexagon", run: board_size },
    Command { name: "gogui-rules_board", arguments: "", about: "the stones, row by row from the top", run: board },
    Command { name: "gogui-rules_legal_moves", arguments: "", about: "the legal moves", run: legal_moves },
    Command { name: "gogui-rules_side_to_move", arguments: "", about: "whose turn it is", run: side_to_move },
    Command { name: "gogui-rules_final_result", arguments: "", about: "who won, and how", run: final_result },
    Command {
        name: "gogui-rules_board_gfx",
        arguments: "",
        about: "picture: the corners, and at the end the stones that have won",
        run: board_gfx,
    },
    Command { name: "gogui-title", arguments: "", about: "what GoGui's window is headed with", run: title },
    Command { name: "cputime", arguments: "", about: "seconds of processor time used so far", run: cpu_time },
    Command {
        name: "gogui-interrupt",
        arguments: "",
        about: "does nothing: says that the line '# interrupt' ends a search",
        run: interrupt,
    },
];

fn game_id(_: &mut Engine, _: &[&str]) -> Answer {
    Ok("Havannah".into())
}

fn board_size(engine: &mut Engine, _: &[&str]) -> Answer {
    Ok(format!("{} hex", engine.record.game().geometry().diameter()))
}

/// One row for each number, the highest first, with a character for each letter: a stone, `.` for an empty vertex, `?`
/// where there is none.
fn board(engine: &mut Engine, _: &[&str]) -> Answer {
    let game = engine.record.game();
    let geometry = game.geometry();
    let symbol = |letter, number| match geometry.vertex_at(letter, number).map(|v| game.position().stone(v)) {
        None => '?',
        Some(None) => '.',
        Some(Some(Color::White)) => 'O',
        Some(Some(Color::Black)) => 'X',
    };
    let row = |number| (0..geometry.diameter()).map(|letter| symbol(letter, number)).collect::<String>();
    let rows: Vec<String> = (0..geometry.diameter()).rev().map(row).collect();
    Ok(format!("\n{}", rows.join("\n")))
}

fn legal_moves(engine: &mut Engine, _: &[&str]) -> Answer {
    if engine.record.is_over() {
        return Ok(String::new());
    }
    let game = engine.record.game();
    let swap = game.last_stone().filter(|_| game.can_swap());
    let vertices = game.position().empty_vertices().chain(swap);
    Ok(vertices.map(|v| Notation::GoGui.name(game.geometry(), v)).collect::<Vec<_>>().join(" "))
}

fn side_to_move(engine: &mut Engine, _: &[&str]) -> Answer {
    Ok(engine.record.to_move().to_string())
}

fn final_result(engine: &mut Engine, _: &[&str]) -> Answer {
    Ok(result_text(engine))
}

/// Who has won, and how; nothing while the game goes on.
fn result_text(engine: &Engine) -> String {
    match (engine.record.resigned(), engine.record.game().outcome()) {
        (Some(color), _) => format!("{} wins, {color} resigned", !color),
        (None, Some(Outcome::Win(color, by))) => format!("{color} wins by {by}"),
        (None, Some(Outcome::Draw)) => "draw".into(),
        (None, None) => String::new(),
    }
}

/// The backgrounds of corners and of the stones of a winning structure.
const CORNER: Shade = Shade(0x70, 0x48, 0x18);
const WINNING: Shade = Shade(0x58, 0xc0, 0x58);

/// Like the other rules, always in GoGui's vertex names.
fn board_gfx(engine: &mut Engine, _: &[&str]) -> Answer {
    let game = engine.record.game();
    let geometry = game.geometry();
    let mut gfx = Gfx::new(geometry, Notation::GoGui);
    let winning: BTreeSet<Vertex> = game.winning_stones().into_iter().flat_map(|(_, stones)| stones).collect();
    geometry.vertices().filter(|v| geometry.is_corner(*v) && !winning.contains(v)).for_each(|v| gfx.shade(v, CORNER));
    for &v in &winning {
        gfx.shade(v, WINNING);
        gfx.mark(v, Mark::Circle);
    }
    if engine.record.is_over() {
        gfx.text(result_text(engine));
    }
    Ok(gfx.to_string())
}

fn title(engine: &mut Engine, _: &[&str]) -> Answer {
    Ok(format!("Malecon: Havannah on side {}", engine.record.game().geometry().side()))
}

#[cfg(all(unix, feature = "match"))]
fn cpu_time(_: &mut Engine, _: &[&str]) -> Answer {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Ok(format!("{:.3}", time.tv_sec as f64 + time.tv_nsec as f64 / 1e9))
}

#[cfg(not(all(unix, feature = "match")))]
fn cpu_time(_: &mut Engine, _: &[&str]) -> Answer {
    Err(CommandError::new("the processor time is known on Unix only"))
}

fn interrupt(_: &mut Engine, _: &[&str]) -> Answer {
    Ok(String::new())
}
