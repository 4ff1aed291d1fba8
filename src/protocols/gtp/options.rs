//! The options of an engine as one value: those that only the protocol has, and those of the session.

use crate::base::options::{OptionError, OptionInfo, canonical_name};
use crate::base::text::quoted;
use crate::engine::session;
use crate::options;

use super::dialect::Dialect;
use super::protocol::CommandError;
use super::suggest::{did_you_mean, nearest};

options! {
    /// The options that only the protocol has.
    pub struct ProtocolOptions {
        gui: Dialect = Dialect::HavannahGui, in (), "the program at the other end: vertex names, meaning of boardsize, answers after the end";
        live_gfx: bool = false, in (), "draw the running search on stderr in GoGui's live graphics";
    }
}

/// Everything that an engine is created with, except the board.
#[derive(Clone, Debug, Default)]
pub struct GtpOptions {
    /// The options of the protocol.
    pub protocol: ProtocolOptions,
    /// The options of the session.
    pub session: session::EngineOptions,
}

impl GtpOptions {
    /// Sets an option of the protocol, the session or the search by its name.
    ///
    /// # Errors
    /// Those of [`session::EngineOptions::set`]. Nothing has changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), CommandError> {
        let set = match self.protocol.set(&canonical_name(name), value) {
            Err(OptionError::Unknown(_)) => self.session.set(name, value),
            other => other,
        };
        set.map_err(|error| match error {
            OptionError::Unknown(name) => {
                let near = did_you_mean(nearest(&name, self.list().iter().map(|option| option.name)));
                CommandError::new(format!("unknown option '{}'{near} (malecon gtp --help lists all)", quoted(&name)))
            }
            error => CommandError::new(error.to_string()),
        })
    }

    /// The options that have an effect: those of the protocol, of the session, and of the present search method.
    pub fn list(&self) -> Vec<OptionInfo> {
        self.protocol.list().into_iter().chain(self.session.list()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search;
    use crate::engine::session::SessionOptions;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_stands_for_two_options() {
        let (protocol, session) = (ProtocolOptions::default(), SessionOptions::default());
        let all = [protocol.list(), session.list(), search::SearchOptions::default().list()].concat();
        assert_eq!(all.iter().map(|option| option.name).collect::<BTreeSet<_>>().len(), all.len());
    }
}
