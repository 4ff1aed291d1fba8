//! The options under which a query is answered, and the bounds that it must respect.

use std::fmt;

use crate::base::options::{OptionError, OptionInfo, Setter, canonical_name};
use crate::engine::session::EngineOptions;

/// Options for which queries have a field of their own.
const FIELDS: [&str; 5] = ["level", "seconds", "seed", "simulations", "swap"];

/// The longest time that a query may ask for unless the settings say otherwise, in seconds.
const LONGEST: f64 = 1e6;

/// The options under which queries are answered, unless they set others, and how long each may take.
#[derive(Clone, Debug)]
pub struct QuerySettings {
    /// The options.
    pub options: EngineOptions,
    /// The most seconds that the search of one position may take. A query that asks for more is rejected.
    pub longest: f64,
}

impl QuerySettings {
    /// These options. A query may take as long as it asks for.
    pub fn new(options: EngineOptions) -> QuerySettings {
        QuerySettings { options, longest: LONGEST }
    }

    /// The options that a query may set by name.
    pub fn list(&self) -> Vec<OptionInfo> {
        let options = self.options.list().into_iter();
        options.filter(|option| option.setter == Setter::Client && !FIELDS.contains(&option.name)).collect()
    }
}

/// Why an option was not set by a query.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum QueryOptionError {
    /// Only the operator, who starts the engine, may set it.
    Operator,
    /// The query has a field of this name for it.
    Field(String),
    /// The engine refuses the option or its value.
    Option(OptionError),
}

impl fmt::Display for QueryOptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryOptionError::Operator => {
                f.write_str("cannot be set by a query (it is set where the engine is started)")
            }
            QueryOptionError::Field(name) => write!(f, "has a field of its own (use \"{name}\")"),
            QueryOptionError::Option(error) => error.fmt(f),
        }
    }
}

/// Sets an option for one query.
pub(super) fn set_for_query(options: &mut EngineOptions, name: &str, value: &str) -> Result<(), QueryOptionError> {
    let name = canonical_name(name);
    if FIELDS.contains(&name.as_str()) {
        return Err(QueryOptionError::Field(name));
    }
    if options.all().iter().any(|option| option.name == name && option.setter == Setter::Operator) {
        return Err(QueryOptionError::Operator);
    }
    options.set(&name, value).map_err(QueryOptionError::Option)
}
