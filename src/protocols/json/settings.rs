//! The options under which a query is answered, and the bounds that it has to keep.

use crate::base::options::{OptionInfo, canonical_name};
use crate::engine::session::Options;

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
#[derive(Clone, Debug)]
pub struct Settings {
    /// The options.
    pub options: Options,
    /// The most seconds that the search of one position may take. A query that asks for more is rejected.
    pub longest: f64,
}

impl Settings {
    /// These options. A query may take as long as it asks for.
    pub fn new(options: Options) -> Settings {
        Settings { options, longest: LONGEST }
    }

    /// The options that a query may set by name.
    pub fn list(&self) -> Vec<OptionInfo> {
        let hidden = [&OPERATOR_ONLY[..], &FIELDS, &WITHOUT_EFFECT].concat();
        self.options.list().into_iter().filter(|option| !hidden.contains(&option.name)).collect()
    }
}

/// Sets an option for one query.
pub(super) fn set_for_query(options: &mut Options, name: &str, value: &str) -> Result<(), String> {
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
    options.set(&name, value).map_err(|error| error.to_string())
}
