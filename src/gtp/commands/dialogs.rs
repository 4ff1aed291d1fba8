//! Dialogs of the options, for GoGui.

use crate::gtp::command::{Command, text};
use crate::gtp::engine::Engine;
use crate::gtp::protocol::{CommandError, Response};
use crate::gtp::suggest::shortened;
use crate::options::{OptionInfo, OptionKind};

/// The commands.
pub static COMMANDS: &[Command] = &[
    Command {
        name: "param_play",
        arguments: "[NAME] [VALUE]",
        about: "the options of everyday use as a GoGui dialog; with a value, set one",
        run: |engine, arguments| dialog(engine, arguments, is_everyday),
    },
    Command {
        name: "param_tuning",
        arguments: "[NAME] [VALUE]",
        about: "all other options as a GoGui dialog; with a value, set one",
        run: |engine, arguments| dialog(engine, arguments, |name| !is_everyday(name)),
    },
];

/// The options of the first dialog.
const EVERYDAY: &[&str] = &[
    "seconds",
    "simulations",
    "threads",
    "memory",
    "ponder",
    "preset",
    "swap",
    "resign",
    "live_gfx",
    "analysis_seconds",
];

fn is_everyday(name: &str) -> bool {
    EVERYDAY.contains(&name)
}

/// A dialog of the options that `belongs` picks, or one of them set to a value. Only options that have an effect are
/// shown. The dialect is in no dialog: with another one GoGui would no longer understand the engine.
fn dialog(engine: &mut Engine, arguments: &[&str], belongs: fn(&str) -> bool) -> Response {
    let options: Vec<OptionInfo> =
        engine.options().list().into_iter().filter(|o| o.name != "gui" && belongs(o.name)).collect();
    match *arguments {
        [] => Ok(options.iter().map(parameter).collect::<Vec<_>>().join("\n")),
        [name, value] if options.iter().any(|option| option.name == name) => {
            engine.set_option(name, value)?;
            text("")
        }
        [name, _] => Err(CommandError::new(format!("option '{}' is not in this dialog", shortened(name)))),
        _ => Err(CommandError::new("too few arguments (expected a name and a value, or neither)")),
    }
}

/// An option as a line of a dialog: a box to tick, a list to choose from, or a text.
fn parameter(option: &OptionInfo) -> String {
    let OptionInfo { name, value, kind, .. } = option;
    match kind {
        OptionKind::Bool => format!("[bool] {name} {}", u8::from(value == "true")),
        OptionKind::Choice(words) => format!("[list/{}] {name} {value}", words.join("/")),
        _ => format!("[string] {name} {value}"),
    }
}
