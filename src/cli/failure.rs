//! How a command fails: `main` prints the message and ends the program with the status.

use std::fmt::Display;
use std::io;

use malecon::base::files::FileError;
use malecon::base::sync::StopFlag;
use malecon::engine::search::SearchError;
use malecon::protocols::gtp::protocol::CommandError;
use malecon::tools::ToolError;
use malecon::tools::arena::runner::MatchError;

/// Why a command did not succeed. Each variant has an [exit status](Failure::status), which docs/reliability.md lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The command line asks for something impossible.
    Usage(String),
    /// The work failed, or what was checked is wrong.
    Failed(String),
    /// Like [`Failure::Failed`], but the reasons have already been printed.
    Reported,
    /// Like [`Failure::Failed`], but in a command whose status 1 says that what it checked is wrong.
    Trouble(String),
    /// A signal ended the work, perhaps with a message about what is missing.
    Interrupted(Option<String>),
}

impl Failure {
    /// The status with which the program ends.
    pub fn status(&self) -> u8 {
        match self {
            Failure::Failed(_) | Failure::Reported => 1,
            Failure::Usage(_) | Failure::Trouble(_) => 2,
            Failure::Interrupted(_) => 130,
        }
    }

    /// What to print after `error: `, if anything.
    pub fn message(&self) -> Option<String> {
        match self {
            Failure::Usage(message) => Some(format!("{message}\n\nFor more information, try '--help'.")),
            Failure::Failed(message) | Failure::Trouble(message) => Some(message.clone()),
            Failure::Interrupted(message) => message.clone(),
            Failure::Reported => None,
        }
    }

    /// The same failure in a command whose status 1 says that what it checked is wrong.
    pub fn into_trouble(self) -> Failure {
        match self {
            Failure::Failed(message) => Failure::Trouble(message),
            other => other,
        }
    }

    /// A [`Failure::Usage`] with this message. For `map_err`.
    pub fn usage(message: impl Display) -> Failure {
        Failure::Usage(message.to_string())
    }
}

/// The result of a command: `done`, or [`Failure::Interrupted`] if the flag is raised.
pub fn unless_stopped(stop: &StopFlag, done: Result<(), Failure>) -> Result<(), Failure> {
    if !stop.is_stopped() {
        return done;
    }
    Err(Failure::Interrupted(done.err().and_then(|failure| failure.message())))
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Failed(message)
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Failure {
        Failure::Failed(error.into())
    }
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Failure {
        Failure::Failed(error.into())
    }
}

impl From<MatchError> for Failure {
    fn from(error: MatchError) -> Failure {
        match error {
            MatchError::Stopped => Failure::Interrupted(None),
            MatchError::Failed(error) => error.into(),
        }
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Failure {
        Failure::Failed(message.to_owned())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Failed(error.to_string())
    }
}

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Failure {
        Failure::Failed(error.to_string())
    }
}

/// Options that an engine refuses come from the command line.
impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Failure {
        Failure::usage(error)
    }
}
