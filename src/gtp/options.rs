//! The options of the GTP engine itself; those of the search stand beside them.

use super::dialect::Dialect;
use crate::options;
use crate::options::{OptionKind, OptionValue};

options! {
    /// The tunables of the GTP engine.
    pub struct Options {
        gui: Dialect = Dialect::HavannahGui, in (), "the program at the other end: vertex names, meaning of boardsize, answers after the end";
        seconds: f64 = 5.0, in 0.001..=1e6, "seconds to think about a move while no clock was set";
        simulations: u64 = 0, in 0..=1_000_000_000_000, "simulations to think about a move in place of seconds, clocks still hold; 0 for none";
        overhead: u64 = 10, in 0..=60_000, "milliseconds of a move's clock time to keep back for messages on their way";
        ponder: bool = false, in (), "think on the opponent's time too, after a move of its own";
        seed: Seed = Seed(None), in (), "seed of the random numbers; random for another one at each start";
        swap: bool = false, in (), "the pie rule: the second player may take over the first stone";
        live_gfx: bool = false, in (), "draw the search on stderr while it runs, in GoGui's live graphics";
        analysis_seconds: f64 = 1.0, in 0.001..=1e6, "seconds that an analysis command searches the position when no search has";
        analysis_playouts: u64 = 10_000, in 1..=1_000_000_000, "playouts from which analysis commands tell ownership and criticality";
        resign: bool = false, in (), "resign hopeless games instead of playing them out";
        resign_below: f64 = 0.03, in 0.0..=1.0, "estimated chance to win below which a game is hopeless";
        annotate: bool = false, in (), "chance to win and playouts of each own move as comments in saved games";
    }
}

/// A seed of random numbers, or `None` to have one picked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seed(pub Option<u64>);

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_stands_for_two_options() {
        let all = [Options::default().list(), search::Options::default().list()].concat();
        assert_eq!(all.iter().map(|option| option.name).collect::<BTreeSet<_>>().len(), all.len());
    }

    #[test]
    fn every_option_takes_its_default_and_what_it_shows() {
        let mut options = Options::default();
        for option in Options::default().list() {
            options.set(option.name, &option.default).unwrap();
        }
        assert_eq!(options, Options::default());
        options.set("seed", "18446744073709551615").unwrap();
        assert_eq!((options.seed, options.seed.show()), (Seed(Some(u64::MAX)), u64::MAX.to_string()));
        assert!(options.set("seed", "-1").is_err() && options.set("seed", "RANDOM").is_ok());
    }
}
