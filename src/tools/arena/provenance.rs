//! When and where a game is played, and by which programs.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// Where a game comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// When it began, in UTC, such as `2026-11-27T04:05:06Z`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The name of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The programs of white and black, as they answer `name` and `version`, such as `Malecon 0.3.0`. Empty where an
    /// engine did not say, or did not start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub programs: Option<[String; 2]>,
}

impl Provenance {
    /// That of a game that begins now, on this machine.
    pub fn now() -> Provenance {
        let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        Provenance { date: Some(date), host: host(), programs: None }
    }
}

/// The name of this machine, if it has one.
fn host() -> Option<String> {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_str().ok().map(str::to_owned);
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").ok();
    name.filter(|name| !name.is_empty())
}
