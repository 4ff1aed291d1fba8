//! The options of a session as one value, with the network and the proofs that they name.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::base::options::{OptionError, OptionInfo, OptionKind, OptionValue, canonical_name};
use crate::engine::search;
use crate::network::{Backend, Network, Networks};
use crate::options;
use crate::proof::WinningMoves;

/// The weakest level.
pub const MIN_LEVEL: u32 = 1;
/// Full strength.
pub const MAX_LEVEL: u32 = 10;
/// A level for somebody who has just learned the rules.
pub const BEGINNERS_LEVEL: u32 = 3;

options! {
    /// The options of a session, without those of its search.
    pub struct SessionOptions {
        level: u32 = MAX_LEVEL, in MIN_LEVEL..=MAX_LEVEL, set by Client, "strength of the engine's moves: 10 is full strength, 3 suits a beginner; lower levels think briefly, whatever time they have";
        seconds: f64 = 5.0, in 0.001..=1e6, set by Client, "seconds to think about a move while no clock is set";
        simulations: u64 = 0, in 0..=1_000_000_000_000, set by Client, "simulations to think about a move instead of seconds (clocks still count); 0: no limit";
        network: NetworkFile = NetworkFile(None), in (), "file of the network that guides the search; built-in is the one in the program";
        proofs: ProofFiles = ProofFiles(None), in (), "file of a proof, or directory of proofs (*.proof), whose winning moves the engine plays at full strength";
        overhead: u64 = 10, in 0..=60_000, "milliseconds of each move's clock time that are kept for the transmission of messages";
        ponder: bool = false, in (), "also think on the opponent's time, after the engine's own moves";
        seed: Seed = Seed(None), in (), set by Client, "seed of the random numbers; random picks another one at each start";
        swap: bool = false, in (), set by Client, "the pie rule: the second player may take over the first stone";
        analysis_seconds: f64 = 1.0, in 0.001..=1e6, "seconds that an analysis command searches a position that has not been searched yet";
        analysis_playouts: u64 = 10_000, in 1..=1_000_000_000, set by Client, "playouts for ownership and criticality";
        resign: bool = false, in (), set by Client, "resign hopeless games instead of playing them out";
        resign_below: f64 = 0.03, in 0.0..=1.0, set by Client, "chance of winning below which a game is hopeless";
        annotate: bool = false, in (), "save the engine's chance of winning and its simulations as comments on its own moves";
    }
}

impl SessionOptions {
    /// The limit that the option `simulations` sets.
    pub fn simulation_limit(&self) -> Option<u64> {
        (self.simulations > 0).then_some(self.simulations)
    }

    /// The time that the option `seconds` gives to a move.
    pub fn thinking_time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// The time that the option `overhead` keeps back from a move's clock.
    pub fn overhead_time(&self) -> Duration {
        Duration::from_millis(self.overhead)
    }

    /// The time that the option `analysis_seconds` gives to an analysis.
    pub fn analysis_time(&self) -> Duration {
        Duration::from_secs_f64(self.analysis_seconds)
    }
}

/// The seed of the random numbers; `None` has one picked at random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seed(pub Option<u64>);

impl Seed {
    /// The seed, or one picked at random.
    pub(super) fn pick(self) -> u64 {
        self.0.unwrap_or_else(random_seed)
    }
}

impl OptionValue for Seed {
    type Range = ();
    fn read(text: &str, _: &()) -> Option<Seed> {
        match text.to_ascii_lowercase().as_str() {
            "random" => Some(Seed(None)),
            number => number.parse().ok().map(|seed| Seed(Some(seed))),
        }
    }
    fn show(&self) -> String {
        self.0.map_or_else(|| "random".into(), |seed| seed.to_string())
    }
    fn kind(_: &()) -> OptionKind {
        OptionKind::Text { form: "random|0..18446744073709551615" }
    }
}

/// Defines a type of options that name a file, or a word for none.
macro_rules! file_option {
    ($(#[$meta:meta])* $name:ident or $none:literal) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name(pub Option<PathBuf>);

        impl OptionValue for $name {
            type Range = ();
            fn read(text: &str, _: &()) -> Option<$name> {
                match text {
                    "" => None,
                    $none => Some($name(None)),
                    path => Some($name(Some(path.into()))),
                }
            }
            fn show(&self) -> String {
                self.0.as_ref().map_or_else(|| $none.into(), |path| path.display().to_string())
            }
            fn kind(_: &()) -> OptionKind {
                OptionKind::Text { form: concat!($none, "|FILE") }
            }
        }
    };
}

file_option! {
    /// The file of a network; `None` is the network in the program.
    NetworkFile or "built-in"
}
file_option! {
    /// The file of a proof, or a directory of such files; `None` for no proof.
    ProofFiles or "none"
}

/// All that a session is made with, except for the board. Clones share the network and the proofs.
///
/// ```
/// use malecon::{EngineOptions, Geometry, Session};
///
/// let mut options = EngineOptions::default();
/// options.set("level", "3")?;
/// assert_eq!(options.set("level", "11").unwrap_err().to_string(), "invalid value '11' for level (expected 1..10)");
/// options.search.memory = 64;
/// let session = Session::new(Geometry::with_side(6)?, options);
/// assert_eq!(session.options().session.level, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// How the session plays and analyses.
    pub session: SessionOptions,
    /// How it searches.
    pub search: search::SearchOptions,
    /// The network that guides the search and makes predictions: that of the option `network`, or one from elsewhere.
    pub network: Arc<dyn Backend>,
    /// The winning moves of the option `proofs`, which are played at full strength.
    pub proofs: Option<Arc<WinningMoves>>,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            session: SessionOptions::default(),
            search: search::SearchOptions::default(),
            network: Arc::new(Networks::Builtin),
            proofs: None,
        }
    }
}

impl EngineOptions {
    /// Sets an option by its name; upper case and `-` for `_` are accepted. A network or a proof is read here, each
    /// time that its option is set.
    ///
    /// # Errors
    /// If there is no such option, if it has no effect under the present search method, if the value is not in its
    /// range, or if it names a network or a proof that cannot be used; nothing has changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let name = canonical_name(name);
        let mut session = self.session.clone();
        match session.set(&name, value) {
            Err(OptionError::Unknown(_)) => return self.search.assign(&name, value),
            other => other?,
        }
        // Even the same path may lead to another file by now.
        match name.as_str() {
            "network" => self.network = load_network(&session.network)?,
            "proofs" => self.proofs = load_proofs(&session.proofs)?,
            _ => {}
        }
        self.session = session;
        Ok(())
    }

    /// When it is an option's turn to be set, if several are set in no order of their own: a preset sets the method, and
    /// the method decides which of the others have an effect.
    pub fn turn(name: &str) -> u8 {
        match canonical_name(name).as_str() {
            "preset" => 0,
            "method" => 1,
            _ => 2,
        }
    }

    /// All options, whether or not they have an effect.
    pub fn all(&self) -> Vec<OptionInfo> {
        self.session.list().into_iter().chain(self.search.list()).collect()
    }

    /// The options that have an effect, with their values: those of the session, then those of the present search
    /// method.
    pub fn list(&self) -> Vec<OptionInfo> {
        self.session.list().into_iter().chain(self.search.applicable()).collect()
    }
}

/// The winning moves of the proofs at a path.
fn load_proofs(files: &ProofFiles) -> Result<Option<Arc<WinningMoves>>, OptionError> {
    let Some(path) = &files.0 else { return Ok(None) };
    let loaded = WinningMoves::load(path).map_err(|error| error.to_string());
    let unusable = |reason| OptionError::Unusable { name: "proofs", value: path.display().to_string(), reason };
    loaded.map(|moves| Some(Arc::new(moves))).map_err(unusable)
}

/// The network of a file, or those in the program.
fn load_network(file: &NetworkFile) -> Result<Arc<dyn Backend>, OptionError> {
    let Some(path) = &file.0 else { return Ok(Arc::new(Networks::Builtin)) };
    #[cfg(not(target_family = "wasm"))]
    let loaded = Network::load(path).map_err(|error| error.to_string());
    #[cfg(target_family = "wasm")]
    let loaded = Err::<Network, _>("there are no files on this platform".to_owned());
    match loaded {
        Ok(network) => Ok(Arc::new(network)),
        Err(reason) => Err(OptionError::Unusable { name: "network", value: path.display().to_string(), reason }),
    }
}

/// A random number, made from the keys that the standard library draws for its hash maps. This needs no crate.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn random_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0u64)
}

/// A random number from the host. The standard library's keys are always the same here.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn random_seed() -> u64 {
    crate::base::host::random()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_accepts_its_default_and_what_it_shows() {
        let mut options = SessionOptions::default();
        for option in SessionOptions::default().list() {
            options.set(option.name, &option.default).unwrap();
        }
        assert_eq!(options, SessionOptions::default());
        options.set("seed", "18446744073709551615").unwrap();
        assert_eq!((options.seed, options.seed.show()), (Seed(Some(u64::MAX)), u64::MAX.to_string()));
        assert!(options.set("seed", "-1").is_err() && options.set("seed", "RANDOM").is_ok());
    }

    #[test]
    fn random_seeds_differ() {
        assert_ne!(random_seed(), random_seed());
    }
}
