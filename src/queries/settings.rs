//! The options under which a query is answered, and the bounds that it has to keep.

use crate::options::{OptionError, OptionInfo, canonical_name};
use crate::search;
use crate::session::{self, Session};

/// Options that only the operator sets, on the command line: they decide how much of the machine a query may use, or
/// name files.
const OPERATOR_ONLY: [&str; 4] = ["memory", "network", "proofs", "threads"];

/// Options that queries set by a field of their own.
const FIELDS: [&str; 5] = ["level", "seconds", "seed", "simulations", "swap"];

/// Options that have no effect on a query.
const WITHOUT_EFFECT: [&str; 4] = ["analysis_seconds", "annotate", "overhead", "ponder"];

/// The longest time that a query may ask for where nothing else is said, in seconds.
const LONGEST: f64 = 1e6;

/// The options under which queries are answered, unless they set others, and how long each may take.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The options of the session.
    pub session: session::Options,
    /// The options of the search.
    pub search: search::Options,
    /// The most seconds that the search of one position may take. A query that asks for more is rejected.
    pub longest: f64,
}

impl Settings {
    /// The options of this session, but `solved_positions` is off, because an analysis is to compare the moves. A query may
    /// take as long as it asks for.
    pub fn of(session: &Session) -> Settings {
        let search = search::Options { solved_positions: false, ..session.search_options().clone() };
        Settings { session: session.options().clone(), search, longest: LONGEST }
    }

    /// Sets an option for one query.
    pub(super) fn set_for_query(&mut self, name: &str, value: &str) -> Result<(), String> {
        let name = canonical_name(name);
        let is_in = |names: &[&str]| names.contains(&name.as_str());
        if is_in(&OPERATOR_ONLY) {
            return Err("cannot be set by a query (it is set where the engine is started)".into());
        }
        if is_in(&FIELDS) {
            return Err(format!("has a field of its own (use \"{name}\")"));
        }
        if is_in(&WITHOUT_EFFECT) {
            return Err("has no effect on a query".into());
        }
        self.set(&name, value).map_err(|error| error.to_string())
    }

    /// Sets an option of the session or of the search.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        match self.session.set(name, value) {
            Err(OptionError::Unknown(_)) => self.search.assign(name, value),
            other => other,
        }
    }

    /// The options that a query may set by name.
    pub fn list(&self) -> Vec<OptionInfo> {
        let all = self.session.list().into_iter().chain(self.search.applicable());
        let hidden = [&OPERATOR_ONLY[..], &FIELDS, &WITHOUT_EFFECT].concat();
        all.filter(|option| !hidden.contains(&option.name)).collect()
    }

    /// Gives these options to a session. Its search tree is forgotten only if an option of the search has changed.
    pub(super) fn apply(&self, session: &mut Session) -> Result<(), OptionError> {
        let present = session.options().list();
        for (wanted, present) in self.session.list().into_iter().zip(present) {
            if wanted.value != present.value {
                session.set_option(wanted.name, &wanted.value)?;
            }
        }
        session.set_search_options(self.search.clone());
        Ok(())
    }
}
