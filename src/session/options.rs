//! The options of a session; those of the search stand beside them.

use std::path::PathBuf;
use std::time::Duration;

use crate::options;
use crate::options::{OptionKind, OptionValue};

use super::levels::{MAX_LEVEL, MIN_LEVEL};

options! {
    /// The options of a session.
    pub struct Options {
        level: u32 = MAX_LEVEL, in MIN_LEVEL..=MAX_LEVEL, "strength of the engine's moves: 10 is full strength, 3 suits a beginner; lower levels think briefly, whatever time they have";
        seconds: f64 = 5.0, in 0.001..=1e6, "seconds to think about a move while no clock is set";
        simulations: u64 = 0, in 0..=1_000_000_000_000, "simulations to think about a move instead of seconds (clocks still count); 0: no limit";
        network: NetworkFile = NetworkFile(None), in (), "file of the network that guides the search; built-in is the one in the program";
        proofs: ProofFiles = ProofFiles(None), in (), "proof, or directory of proofs (*.proof), whose winning moves the engine plays at full strength";
        overhead: u64 = 10, in 0..=60_000, "milliseconds of a move's clock time kept back for the time that messages take";
        ponder: bool = false, in (), "think on the opponent's time too, after a move of the engine's own";
        seed: Seed = Seed(None), in (), "seed of the random numbers; random picks another one at each start";
        swap: bool = false, in (), "the pie rule: the second player may take over the first stone";
        analysis_seconds: f64 = 1.0, in 0.001..=1e6, "seconds that an analysis command searches a position that was not searched yet";
        analysis_playouts: u64 = 10_000, in 1..=1_000_000_000, "playouts for ownership and criticality";
        resign: bool = false, in (), "resign hopeless games instead of playing them out";
        resign_below: f64 = 0.03, in 0.0..=1.0, "chance of winning below which a game is hopeless";
        annotate: bool = false, in (), "save the engine's chance of winning and its simulations as comments on its own moves";
    }
}

impl Options {
    /// The limit that the option `simulations` sets.
    pub fn simulation_limit(&self) -> Option<u64> {
        (self.simulations > 0).then_some(self.simulations)
    }

    /// The time that the option `seconds` gives to a move.
    pub fn thinking_time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
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
        OptionKind::Text("random|0..18446744073709551615")
    }
}

/// The file of a network; `None` is the network in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkFile(pub Option<PathBuf>);

impl OptionValue for NetworkFile {
    type Range = ();
    fn read(text: &str, _: &()) -> Option<NetworkFile> {
        match text {
            "" => None,
            "built-in" => Some(NetworkFile(None)),
            path => Some(NetworkFile(Some(path.into()))),
        }
    }
    fn show(&self) -> String {
        self.0.as_ref().map_or_else(|| "built-in".into(), |path| path.display().to_string())
    }
    fn kind(_: &()) -> OptionKind {
        OptionKind::Text("built-in|FILE")
    }
}

/// The file of a proof, or a directory of such files; `None` for no proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProofFiles(pub Option<PathBuf>);

impl OptionValue for ProofFiles {
    type Range = ();
    fn read(text: &str, _: &()) -> Option<ProofFiles> {
        match text {
            "" => None,
            "none" => Some(ProofFiles(None)),
            path => Some(ProofFiles(Some(path.into()))),
        }
    }
    fn show(&self) -> String {
        self.0.as_ref().map_or_else(|| "none".into(), |path| path.display().to_string())
    }
    fn kind(_: &()) -> OptionKind {
        OptionKind::Text("none|FILE")
    }
}

/// A random number, made from the keys that the standard library draws for its hash maps: it needs no crate and works
/// wherever the standard library does.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn random_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0u64)
}

/// A random number from the host. The standard library's keys are always the same here.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn random_seed() -> u64 {
    crate::host::random()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_accepts_its_default_and_what_it_shows() {
        let mut options = Options::default();
        for option in Options::default().list() {
            options.set(option.name, &option.default).unwrap();
        }
        assert_eq!(options, Options::default());
        options.set("seed", "18446744073709551615").unwrap();
        assert_eq!((options.seed, options.seed.show()), (Seed(Some(u64::MAX)), u64::MAX.to_string()));
        assert!(options.set("seed", "-1").is_err() && options.set("seed", "RANDOM").is_ok());
    }

    #[test]
    fn random_seeds_differ() {
        assert_ne!(random_seed(), random_seed());
    }
}
