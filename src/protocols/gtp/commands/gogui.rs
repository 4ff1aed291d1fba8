//! GoGui's own commands. With the `gogui-rules_` commands GoGui shows games other than Go.
//!
//! They always use GoGui's vertex names. To play with GoGui, the option `gui` has to be `gogui`.

use std::collections::BTreeSet;

use crate::game::{Color, Move, Notation, Outcome, Vertex};
use crate::protocols::gtp::command::{Command, text};
use crate::protocols::gtp::engine::Engine;
use crate::protocols::gtp::gfx::{Gfx, GfxMark, Shade};
#[cfg(not(all(unix, feature = "match")))]
use crate::protocols::gtp::protocol::CommandError;
use crate::protocols::gtp::protocol::Response;

/// The commands.
pub static COMMANDS: &[Command] = &[
    Command::new("gogui-rules_game_id", "", "the name of the game, for GoGui", |_, _| text("Havannah")),
    Command::new("gogui-rules_board_size", "", "the diameter of the hexagon", board_size),
    Command::new("gogui-rules_board", "", "the stones, row by row from the top", board),
    Command::new("gogui-rules_legal_moves", "", "the legal moves", legal_moves),
    Command::new("gogui-rules_side_to_move", "", "the player to move", side_to_move),
    Command::new("gogui-rules_final_result", "", "the winner and how the game was won", final_result),
    Command::new("gogui-rules_board_gfx", "", "picture: the corners, and at the end the winning structure", board_gfx),
    Command::new("gogui-title", "", "the title of GoGui's window", title),
    Command::new("cputime", "", "processor time used so far, in seconds", cpu_time),
    Command::new(
        "gogui-interrupt",
        "",
        "does nothing; its presence tells GoGui that the line '# interrupt' ends a search",
        |_, _| text(""),
    ),
];

fn board_size(engine: &mut Engine, _: &[&str]) -> Response {
    Ok(format!("{} hex", engine.session().game().board().geometry().diameter()))
}

/// One row for each number, the highest first, with one character for each letter: `O` and `X` are white and black
/// stones, `.` is an empty vertex, `?` is outside the board.
fn board(engine: &mut Engine, _: &[&str]) -> Response {
    let game = engine.session().game().board();
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

fn legal_moves(engine: &mut Engine, _: &[&str]) -> Response {
    let game = engine.session().game();
    let first_stone = game.board().last_stone();
    // A click on the first stone swaps.
    let vertices = game.legal_moves().into_iter().filter_map(|m| match m {
        Move::Place(v) => Some(v),
        _ => first_stone,
    });
    Ok(vertices.map(|v| Notation::GoGui.name(game.geometry(), v)).collect::<Vec<_>>().join(" "))
}

fn side_to_move(engine: &mut Engine, _: &[&str]) -> Response {
    Ok(engine.session().game().to_move().to_string())
}

fn final_result(engine: &mut Engine, _: &[&str]) -> Response {
    Ok(result_text(engine))
}

/// The winner and how the game was won; empty while the game goes on.
fn result_text(engine: &Engine) -> String {
    match (engine.session().game().resigned(), engine.session().game().board().outcome()) {
        (Some(color), _) => format!("{} wins, {color} resigned", !color),
        (None, Some(Outcome::Win(color, by))) => format!("{color} wins by {by}"),
        (None, Some(Outcome::Draw)) => "draw".into(),
        (None, None) => String::new(),
    }
}

/// The backgrounds of corners and of winning stones.
const CORNER: Shade = Shade(0x70, 0x48, 0x18);
const WINNING: Shade = Shade(0x58, 0xc0, 0x58);

/// Uses GoGui's vertex names, like the other `gogui-rules_` commands.
fn board_gfx(engine: &mut Engine, _: &[&str]) -> Response {
    let game = engine.session().game().board();
    let geometry = game.geometry();
    let mut gfx = Gfx::new(geometry, Notation::GoGui);
    let winning: BTreeSet<Vertex> = game.winning_stones().into_iter().flat_map(|(_, stones)| stones).collect();
    geometry.vertices().filter(|v| geometry.is_corner(*v) && !winning.contains(v)).for_each(|v| gfx.shade(v, CORNER));
    for &v in &winning {
        gfx.shade(v, WINNING);
        gfx.mark(v, GfxMark::Circle);
    }
    if engine.session().game().is_over() {
        gfx.text(result_text(engine));
    }
    Ok(gfx.to_string())
}

fn title(engine: &mut Engine, _: &[&str]) -> Response {
    Ok(format!("Malecon: Havannah on side {}", engine.session().game().board().geometry().side()))
}

#[cfg(all(unix, feature = "match"))]
fn cpu_time(_: &mut Engine, _: &[&str]) -> Response {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Ok(format!("{:.3}", time.tv_sec as f64 + time.tv_nsec as f64 / 1e9))
}

#[cfg(not(all(unix, feature = "match")))]
fn cpu_time(_: &mut Engine, _: &[&str]) -> Response {
    Err(CommandError::new("processor time is available on Unix only"))
}
