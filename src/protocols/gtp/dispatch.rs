//! The table of all commands. `list_commands`, `known_command`, `help` and the check of the number of arguments are
//! made from it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::base::text::quoted;
use crate::engine::session::failure::internal_error;

use super::command::{Command, lines, text};
use super::commands::{analysis, game, gogui, handicap, records};
use super::engine::Engine;
use super::protocol::{self, CommandError, Request, Response};
use super::suggest::{did_you_mean, nearest};

/// The commands about the commands, and those about the program.
static COMMANDS: &[Command] = &[
    Command::new("protocol_version", "", "the version of GTP: 2", |_, _| text("2")),
    Command::new("name", "", "the name of this engine", |_, _| text("Malecon")),
    Command::new("version", "", "the version of this engine", |_, _| text(VERSION)),
    Command::new("list_commands", "", "the names of all commands, one a line", list_commands),
    Command::new("known_command", "NAME", "whether there is such a command", known_command),
    Command::new("help", "[COMMAND]", "one line about each command, or about one", help),
    Command::new("quit", "", "end the program", quit),
];

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// All commands, in the order in which they are listed.
pub fn commands() -> impl Iterator<Item = &'static Command> + Clone {
    let tables = [COMMANDS, game::COMMANDS, handicap::COMMANDS, records::COMMANDS, gogui::COMMANDS, analysis::COMMANDS];
    tables.into_iter().flatten()
}

fn names() -> impl Iterator<Item = &'static str> + Clone {
    commands().map(|command| command.name)
}

fn find(name: &str) -> Result<&'static Command, CommandError> {
    commands().find(|command| command.name == name).ok_or_else(|| {
        let near = did_you_mean(nearest(name, names()));
        CommandError::new(format!("unknown command '{}'{near} (list_commands lists all)", quoted(name)))
    })
}

impl Engine {
    /// Carries out the command of a line and returns the response, the empty line at its end included; `None` for a
    /// line without a command. A command that panics fails and leaves the game as it was. Control characters are
    /// expected to be gone: see [`clean`](super::protocol::clean).
    pub fn respond(&mut self, line: &str) -> Option<String> {
        let request = protocol::parse(line)?;
        let id = request.id;
        let before = self.session().game().clone();
        let work = AssertUnwindSafe(|| run(self, request));
        let response = catch_unwind(work).unwrap_or_else(|panic| {
            self.session_mut().restore_game(before);
            Err(CommandError::new(internal_error(&*panic)))
        });
        Some(protocol::format(id, &response))
    }
}

/// Carries out a command.
fn run(engine: &mut Engine, request: Request<'_>) -> Response {
    if request.command.is_empty() {
        return Err(CommandError::new("no command follows the id (list_commands lists all)"));
    }
    let command = find(request.command)?;
    let arguments = command.split(request.arguments, request.rest)?;
    command.check_count(arguments.len())?;
    (command.run)(engine, &arguments)
}

fn list_commands(_: &mut Engine, _: &[&str]) -> Response {
    lines(names().map(str::to_owned))
}

fn known_command(_: &mut Engine, arguments: &[&str]) -> Response {
    Ok(names().any(|name| name == arguments[0]).to_string())
}

fn help(_: &mut Engine, arguments: &[&str]) -> Response {
    let line = |command: &Command| format!("{}: {}", command.usage(), command.about);
    match arguments.first() {
        Some(name) => find(name).map(line),
        None => lines(commands().map(line)),
    }
}

fn quit(engine: &mut Engine, _: &[&str]) -> Response {
    engine.has_quit = true;
    text("")
}
