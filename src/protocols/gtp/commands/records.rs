//! The commands that load and save games.

use std::path::Path;

use crate::game::record;
use crate::protocols::gtp::command::{Command, text, whole};
use crate::protocols::gtp::engine::Engine;
use crate::protocols::gtp::protocol::{CommandError, Response};

/// The commands.
pub static COMMANDS: &[Command] = &[
    Command::new(
        "loadsgf",
        "FILE [MOVE]",
        "load the first game of a file: its main line to the end, or up to the position before move number MOVE",
        loadsgf,
    ),
    Command::new(
        "savesgf",
        "FILE",
        "save the game with the variations of the file that it came from; .hgf as Little Golem does, .jsonl as JSON",
        savesgf,
    ),
    Command::new(
        "printsgf",
        "",
        "the game as savesgf writes it; with the option annotate, win rates and simulations as comments",
        printsgf,
    ),
];

fn loadsgf(engine: &mut Engine, arguments: &[&str]) -> Response {
    let before = arguments.get(1).map(|number| whole("MOVE", number)).transpose()?;
    engine.session_mut().load_file(Path::new(arguments[0]), before)?;
    text("")
}

fn savesgf(engine: &mut Engine, arguments: &[&str]) -> Response {
    let saved = engine.session().save_file(Path::new(arguments[0]), engine.sgf_format());
    saved.map_err(|error| CommandError::new(format!("cannot save {}: {error}", arguments[0])))?;
    text("")
}

fn printsgf(engine: &mut Engine, _: &[&str]) -> Response {
    let text = record::write(&[engine.session().record()], engine.sgf_format());
    // An empty line would end the response. In a comment, a space keeps the line.
    let lines: Vec<&str> = text.trim_end().lines().map(|line| if line.is_empty() { " " } else { line }).collect();
    Ok(format!("\n{}", lines.join("\n")))
}
