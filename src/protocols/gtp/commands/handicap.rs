//! The commands that place handicap stones.
//!
//! White moves first in Havannah, so the stones are White's and Black makes the next move.

use crate::engine::session::handicap::{HandicapError, fixed_handicap};
use crate::game::Vertex;
use crate::protocols::gtp::command::{Command, text, whole};
use crate::protocols::gtp::engine::Engine;
use crate::protocols::gtp::protocol::{CommandError, Response};

/// The commands.
pub static COMMANDS: &[Command] = &[
    Command::new(
        "fixed_handicap",
        "STONES",
        "place 2 to 7 stones for White on fixed vertices and return these; Black moves next",
        fixed,
    ),
    Command::new(
        "place_free_handicap",
        "STONES",
        "place stones for White where the engine likes them and return their vertices; Black moves next",
        place_free,
    ),
    Command::new(
        "set_free_handicap",
        "VERTEX VERTEX...",
        "place stones for White on these vertices; Black moves next",
        set_free,
    ),
];

fn fixed(engine: &mut Engine, arguments: &[&str]) -> Response {
    let stones = whole("STONES", arguments[0])?;
    let vertices =
        fixed_handicap(engine.session().game().geometry(), stones).map_err(|error| refused(engine, &error))?;
    place(engine, &vertices)?;
    Ok(engine.names_of(&vertices))
}

fn place_free(engine: &mut Engine, arguments: &[&str]) -> Response {
    let stones = whole("STONES", arguments[0])?;
    let vertices = engine.session().choose_handicap(stones).map_err(|error| refused(engine, &error))?;
    place(engine, &vertices)?;
    Ok(engine.names_of(&vertices))
}

fn set_free(engine: &mut Engine, arguments: &[&str]) -> Response {
    let board = engine.session().game().geometry();
    let vertices = arguments.iter().map(|name| engine.notation().parse(board, name));
    let vertices: Vec<Vertex> = vertices.collect::<Result<_, _>>()?;
    place(engine, &vertices)?;
    text("")
}

fn place(engine: &mut Engine, vertices: &[Vertex]) -> Result<(), CommandError> {
    let placed = engine.session_mut().place_handicap(vertices);
    placed.map_err(|error| refused(engine, &error))
}

fn refused(engine: &Engine, error: &HandicapError) -> CommandError {
    CommandError::new(error.message(engine.notation()))
}
