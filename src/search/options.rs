//! The tunables of the search, and sets of them that have names.

use crate::options::{OptionError, canonical_name};
use crate::playout::{AmafWeight, Horizon, InitialWeights, Rings, SamplerKind, Schedule, Weighting};
use crate::{option_enum, options};

option_enum! {
    /// A setting of all options that has a name.
    pub enum Preset {
        /// What wins most.
        Default = "default",
        /// What wins most without the network: UCT and RAVE, reading ahead, and playouts that answer.
        Rave = "rave",
        /// The engine as the paper describes it, sections 3 to 8.
        Paper = "paper",
        /// UCT and RAVE with uniform playouts and nothing else: the yardstick.
        Plain = "plain",
    }
}

option_enum! {
    /// What guides the search.
    pub enum Method {
        /// The network: selection by PUCT, and a new node's value is the network's and that of some playouts.
        Puct = "puct",
        /// Playouts: selection by UCT and RAVE (paper, section 3).
        Rave = "rave",
    }
}

options! {
    /// The tunables of the search and its playouts.
    pub struct Options {
        preset: Preset = Preset::Default, in (), "sets all options of the search but threads and memory";
        threads: usize = 1, in 1..=256, "threads that search together on one tree";
        memory: usize = 1024, in 4..=1_048_576, "megabytes that the tree may take, with the solver's table where there is one";
        method: Method = Method::Puct, in (), "what guides the search: the network or, with rave, playouts";
        c_puct: f32 = 0.8, in 0.0..=100.0, "puct: factor of the exploration term P sqrt(N) / (n + 1)";
        fpu_reduction: f32 = 0.2, in 0.0..=10.0, "puct: taken from the mean for untried moves, times the root of the tried moves' P";
        leaf_playouts: u32 = 4, in 0..=1000, "puct: playouts from each new node ...";
        leaf_playout_weight: f32 = 0.3, in 0.0..=1.0, "... and what they weigh together; the network's value has the rest";
        diversity: f32 = 0.03, in 0.0..=1.0, "rave: each thread but the first adds up to this to the value of each vertex, by chance";
        rave_base: f32 = 500.0, in 0.001..=1e6, "rave: a move's RAVE estimate weighs as much as so many of its playouts ...";
        rave_per_vertex: f32 = 40.0, in 0.0..=1e5, "... and so many more for each empty vertex";
        c_uct: f32 = 0.0, in 0.0..=10.0, "rave: factor of the UCT exploration term sqrt(ln N / (n + 1))";
        expand_visits: u32 = 16, in 1..=1_000_000, "rave: a move gets a node of its own with so many playouts";
        pair_threats: bool = true, in (), "new nodes know the structures that two stones complete";
        threat_search_visits: u32 = 32, in 1..=1_000_000_000, "a node with so many playouts is searched for a win by threats ...";
        threat_search_nodes: u32 = 100, in 0..=1_000_000, "... which may look at so many positions; 0: never";
        threat_search_penalty: f32 = 0.2, in 0.0..=1.0, "rave: taken from the value of moves that do not disturb such a win of the opponent's";
        solver_rate: f32 = 16.0, in 0.0..=1000.0, "positions that the solver looks at for each playout on boards of sides up to 4 ...";
        solver_rate_large: f32 = 0.0, in 0.0..=1000.0, "... and on those of sides 5 and 6; 0: never";
        bridge_reply: f32 = 1.0, in 0.0..=1.0, "probability that a playout answers an intrusion into a two-bridge ...";
        bridge_reply_small: f32 = 0.5, in 0.0..=1.0, "... and on boards of sides up to 5";
        prior_weight: f32 = 30.0, in 0.001..=1e5, "rave: playouts that a new move's prior estimate counts for in its RAVE";
        prior_value: f32 = 0.5, in 0.0..=1.0, "rave: prior estimate of a move about which nothing is known";
        initial_weights: InitialWeights = InitialWeights::Uniform, in (), "weights by which playouts draw their moves at the start";
        locality: u32 = 0, in 0..=4, "the neighbours of playout move n get the weight n to this power; 0: they keep theirs";
        sampler: SamplerKind = SamplerKind::BlockSums, in (), "what weighted moves are drawn from";
        rings: Rings = Rings::Online, in (), "when rings are looked for: after the playout or with every move";
        amaf_weight: AmafWeight = AmafWeight::Constant, in (), "how a playout's weight in the RAVE tables falls with its length";
        amaf_both: bool = false, in (), "the moves of a playout's winner count in the opponent's RAVE tables too";
        horizon: Schedule = Schedule::Off, in (), "what a playout that ends in time does to the playout horizon";
        horizon_start: f32 = 1.0, in 0.01..=1.0, "horizon of a new node as a share of its empty vertices";
        horizon_lower: f32 = 0.1, in 0.0..=1.0, "part of the way to a playout's length by which the horizon is lowered";
        horizon_raise: f32 = 0.1, in 0.0..=10.0, "share of itself by which the horizon rises after a discarded playout";
    }
}

impl Options {
    /// The options under the name of a preset, with threads and memory as by default.
    ///
    /// In `paper` the weights are those of its measurements, n³ (section 9), on the start that its section 6 describes;
    /// of the schedules of the horizon that its section 5 names it has the gradual one.
    pub fn preset(name: Preset) -> Options {
        match name {
            Preset::Default => Options::default(),
            Preset::Rave => Options { preset: name, method: Method::Rave, ..Options::default() },
            Preset::Plain => Options { preset: name, ..Options::bare() },
            Preset::Paper => Options {
                preset: name,
                c_uct: 0.5,
                expand_visits: 1,
                initial_weights: InitialWeights::Rave,
                locality: 3,
                sampler: SamplerKind::SumTree,
                rings: Rings::Offline,
                amaf_weight: AmafWeight::Inverse,
                amaf_both: true,
                horizon: Schedule::Lower,
                ..Options::bare()
            },
        }
    }

    /// UCT and RAVE with uniform playouts; whatever may win more is off.
    fn bare() -> Options {
        Options {
            method: Method::Rave,
            rave_base: 500.0,
            rave_per_vertex: 40.0,
            c_uct: 0.0,
            expand_visits: 5,
            pair_threats: false,
            threat_search_nodes: 0,
            bridge_reply: 0.0,
            bridge_reply_small: 0.0,
            solver_rate: 0.0,
            solver_rate_large: 0.0,
            prior_weight: 0.001,
            prior_value: 0.5,
            initial_weights: InitialWeights::Uniform,
            locality: 0,
            rings: Rings::Online,
            amaf_weight: AmafWeight::Constant,
            amaf_both: false,
            horizon: Schedule::Off,
            ..Options::default()
        }
    }

    /// Sets an option from text; `preset` sets all others too, but for threads and memory.
    ///
    /// # Errors
    /// If there is no such option or the value is not in its range; nothing has changed then.
    pub fn assign(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let name = &canonical_name(name);
        self.set(name, value)?;
        if name == "preset" {
            *self = Options { threads: self.threads, memory: self.memory, ..Options::preset(self.preset) };
        }
        Ok(())
    }

    /// So many playouts of a move weigh as much as its RAVE estimate, in a node with so many empty vertices.
    #[inline]
    pub fn rave_weight(&self, empty: usize) -> f32 {
        self.rave_base + self.rave_per_vertex * empty as f32
    }

    /// How many positions the solver looks at for each playout on a board of this side length.
    pub fn solver_nodes_per_simulation(&self, side: usize) -> f64 {
        f64::from(match side {
            ..=4 => self.solver_rate,
            5..=6 => self.solver_rate_large,
            _ => 0.0,
        })
    }

    /// How often in 256 times a playout on a board of this side length answers an intrusion into a two-bridge.
    pub fn bridge_reply_odds(&self, side: usize) -> u32 {
        (256.0 * if side <= 5 { self.bridge_reply_small } else { self.bridge_reply }) as u32
    }

    /// How playouts draw their moves.
    pub fn weighting(&self) -> Weighting {
        Weighting { start: self.initial_weights, locality: self.locality, sampler: self.sampler }
    }

    /// How the playout horizons of nodes begin, fall and rise.
    pub fn horizon_rule(&self) -> Horizon {
        Horizon {
            schedule: self.horizon,
            start: self.horizon_start,
            lower: self.horizon_lower,
            raise: self.horizon_raise,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::OptionValue;

    #[test]
    fn a_preset_sets_everything_but_the_machine_and_can_be_changed_afterwards() {
        for preset in [Preset::Paper, Preset::Plain, Preset::Rave, Preset::Default] {
            let mut options = Options { threads: 3, memory: 77, expand_visits: 99, ..Options::default() };
            options.assign("preset", &preset.show()).unwrap();
            assert_eq!(options, Options { threads: 3, memory: 77, ..Options::preset(preset) });
            options.assign("expand_visits", "7").unwrap();
            assert_eq!((options.expand_visits, options.preset), (7, preset));
        }
        assert!(Options::default().assign("preset", "best").is_err());
    }

    #[test]
    fn plain_playouts_are_uniform_and_the_papers_are_not() {
        assert!(Options::preset(Preset::Plain).weighting().is_uniform());
        assert!(!Options::preset(Preset::Paper).weighting().is_uniform());
        assert!(Options::preset(Preset::Paper).horizon_rule().is_on());
        assert!(!Options::preset(Preset::Plain).horizon_rule().is_on());
    }
}
