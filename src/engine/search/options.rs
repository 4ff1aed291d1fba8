//! The parameters of the search, and the presets: named sets of them.

use crate::base::options::{OptionError, OptionInfo, canonical_name};
use crate::engine::playout::paper::{AmafWeight, HorizonSchedule, InitialWeights, Rings, SamplerKind};
use crate::{option_enum, options};

use super::puct::options::PuctOptions;
use super::rave::options::RaveOptions;

option_enum! {
    /// A named set of all search options.
    pub enum Preset {
        /// The strongest settings: search guided by the network.
        Default = "default",
        /// The strongest settings without the network: UCT and RAVE, with threat search and bridge replies.
        Rave = "rave",
        /// The paper's playouts and search, sections 3 to 8. As with all presets, new nodes look one stone ahead, and
        /// proven results are passed on, which the paper's engine did not do.
        Paper = "paper",
        /// UCT and RAVE with uniform playouts, the baseline of experiments. As with all presets, new nodes look one stone
        /// ahead, and proven results are passed on.
        Plain = "plain",
    }
}

option_enum! {
    /// What guides the search.
    pub enum Method {
        /// The network: selection by PUCT; a new node is valued by the network, on small boards also by a few playouts.
        Puct = "puct",
        /// Playouts: selection by UCT and RAVE (paper, section 3).
        Rave = "rave",
    }
}

/// The most threads that a search can have: one where the platform has no threads.
pub const MAX_THREADS: usize = if cfg!(all(target_family = "wasm", target_os = "unknown")) { 1 } else { 256 };
/// The largest board on which the solver works beside the search.
const LARGEST_SOLVED_SIDE: usize = 4;

options! {
    /// The parameters of the search and its playouts.
    ///
    /// Options of one [`Method`] have no effect under the other; [`SearchOptions::assign`] rejects them there.
    pub struct SearchOptions {
        preset: Preset = Preset::Default, in (), set by Client, "sets every search option except threads and memory";
        threads: usize = 1, in 1..=MAX_THREADS, "threads that search one tree together";
        memory: usize = 1024, in 4..=1_048_576,
            "memory for the search tree in MiB; on boards with a solver, the solver's table takes an eighth of it";
        method: Method = Method::Puct, in (), set by Client, "what guides the search: the network (puct) or playouts (rave)";
        pair_threats: bool = true, in (), set by Client, "check new nodes for structures that two stones complete";
        threat_search_visits: u32 = 32, in 1..=1_000_000_000, set by Client,
            "visits at which a node is searched for a win by a sequence of threats";
        threat_search_nodes: u32 = 100, in 0..=1_000_000, set by Client,
            "positions that one search for a sequence of threats may examine; 0 turns it off";
        replay_nodes: u32 = 8, in 0..=1_000_000, set by Client,
            "positions that one replay of a refutation against another move may examine; 0 turns it off";
        solver_rate: f32 = 16.0, in 0.0..=1000.0, set by Client,
            "positions that the solver examines per simulation on boards of side 4 or less; 0 turns it off";
        solved_positions: bool = true, in (), set by Client, "use the winning moves of side 4 that are built in";
        bridge_reply: f32 = 1.0, in 0.0..=1.0, set by Client,
            "probability that a playout answers an intrusion into a two-bridge, on boards of side 6 or more";
        bridge_reply_small: f32 = 0.5, in 0.0..=1.0, set by Client,
            "probability that a playout answers an intrusion into a two-bridge, on boards of side 5 or less";
        ..puct: PuctOptions, for "puct";
        ..rave: RaveOptions, for "rave";
    }
}

impl SearchOptions {
    /// The options of a preset, with the default threads and memory.
    pub fn preset(name: Preset) -> SearchOptions {
        match name {
            Preset::Default => SearchOptions::default(),
            Preset::Rave => SearchOptions::rave(),
            Preset::Plain => SearchOptions::plain(),
            Preset::Paper => SearchOptions::paper(),
        }
    }

    /// The strongest settings without the network.
    fn rave() -> SearchOptions {
        let default = SearchOptions::default();
        SearchOptions {
            preset: Preset::Rave,
            method: Method::Rave,
            replay_nodes: 0,
            puct: PuctOptions { lcb: 0.0, transpositions: false, ..default.puct },
            ..default
        }
    }

    /// UCT and RAVE with uniform playouts; no prior, no threat search, no solver, no bridge replies.
    fn plain() -> SearchOptions {
        let rave = SearchOptions::rave();
        SearchOptions {
            preset: Preset::Plain,
            pair_threats: false,
            threat_search_nodes: 0,
            solver_rate: 0.0,
            solved_positions: false,
            bridge_reply: 0.0,
            bridge_reply_small: 0.0,
            rave: RaveOptions { expand_visits: 5, prior_weight: 0.001, ..rave.rave },
            ..rave
        }
    }

    /// The paper's engine: UCT and RAVE with an expansion per playout (section 3), AMAF weighted by the reciprocal of
    /// the length and in favour of the winner's moves for both players (section 4), a playout horizon (section 5; of
    /// the schedules named there, the gradual one), local playouts that start from RAVE estimates (section 6) with the
    /// weights n³ of section 9, and offline rings (section 8).
    fn paper() -> SearchOptions {
        let plain = SearchOptions::plain();
        SearchOptions {
            preset: Preset::Paper,
            rave: RaveOptions {
                c_uct: 0.5,
                expand_visits: 1,
                initial_weights: InitialWeights::Rave,
                locality: 3,
                sampler: SamplerKind::SumTree,
                rings: Rings::Offline,
                amaf_weight: AmafWeight::Inverse,
                amaf_both: true,
                horizon: HorizonSchedule::Lower,
                ..plain.rave
            },
            ..plain
        }
    }

    /// The options that have an effect under the present method, in the order of their table.
    pub fn applicable(&self) -> Vec<OptionInfo> {
        let present = self.method.name();
        self.list().into_iter().filter(|option| option.method.is_none_or(|method| method == present)).collect()
    }

    /// Sets an option from text, as a user does. `preset` also sets all others except `threads` and `memory`.
    ///
    /// # Errors
    /// If no option has this name, it belongs to another method than the present one, or the value is not legal.
    /// Nothing has changed then.
    pub fn assign(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let name = &canonical_name(name);
        self.check_method(name)?;
        self.set(name, value)?;
        if name == "preset" {
            *self = SearchOptions { threads: self.threads, memory: self.memory, ..SearchOptions::preset(self.preset) };
        }
        Ok(())
    }

    /// Rejects an option that has no effect under the present method.
    fn check_method(&self, name: &str) -> Result<(), OptionError> {
        let present = self.method.name();
        match self.list().into_iter().find(|option| option.name == name) {
            Some(OptionInfo { name, method: Some(method), .. }) if method != present => {
                let uses_it = |preset: &&Preset| SearchOptions::preset(**preset).method.name() == method;
                let presets = Preset::ALL.iter().filter(uses_it).map(|preset| preset.name()).collect();
                Err(OptionError::OtherMethod { name, method, presets, present })
            }
            _ => Ok(()),
        }
    }

    /// How many positions the solver examines per simulation on a board of this side length.
    pub fn solver_nodes_per_simulation(&self, side: usize) -> f64 {
        if side <= LARGEST_SOLVED_SIDE { self.solver_rate.into() } else { 0.0 }
    }

    /// The option `memory` in bytes, as far as addresses reach.
    pub fn memory_bytes(&self) -> usize {
        self.memory.saturating_mul(1 << 20)
    }

    /// How many playouts a new node gets on a board of this side length. On larger boards, the network's value alone is
    /// better.
    pub fn leaf_playouts(&self, side: usize) -> u32 {
        if side <= 4 { self.puct.leaf_playouts } else { 0 }
    }

    /// In how many of 256 cases a playout on a board of this side length answers an intrusion into a two-bridge.
    pub fn bridge_reply_odds(&self, side: usize) -> u32 {
        (256.0 * if side <= 5 { self.bridge_reply_small } else { self.bridge_reply }) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::options::OptionValue;

    #[test]
    fn a_preset_sets_everything_but_the_machine_and_can_be_changed_afterwards() {
        for preset in [Preset::Paper, Preset::Plain, Preset::Rave, Preset::Default] {
            let mut options = SearchOptions { threads: 3, memory: 77, ..SearchOptions::default() };
            options.rave.expand_visits = 99;
            options.assign("preset", &preset.show()).unwrap();
            assert_eq!(options, SearchOptions { threads: 3, memory: 77, ..SearchOptions::preset(preset) });
            options.assign("pair_threats", "off").unwrap();
            assert_eq!((options.pair_threats, options.preset), (false, preset));
        }
        assert!(SearchOptions::default().assign("preset", "best").is_err());
    }

    /// A preset changes only together with this table, so that a new default changes no preset by accident.
    #[test]
    fn presets_are_these() {
        let presets =
            [Preset::Default, Preset::Rave, Preset::Plain, Preset::Paper].map(|p| SearchOptions::preset(p).list());
        let row = |i: usize| {
            let values = presets.iter().map(|preset| &preset[i].value[..]).collect::<Vec<_>>();
            format!("{} = {}", presets[0][i].name, values.join(" "))
        };
        let table: Vec<String> = (0..presets[0].len()).map(row).collect();
        assert_eq!(table.join("\n"), PRESETS.trim());
    }

    const PRESETS: &str = "
preset = default rave plain paper
threads = 1 1 1 1
memory = 1024 1024 1024 1024
method = puct rave rave rave
pair_threats = true true false false
threat_search_visits = 32 32 32 32
threat_search_nodes = 100 100 0 0
replay_nodes = 8 0 0 0
solver_rate = 16 16 0 0
solved_positions = true true false false
bridge_reply = 1 1 0 0
bridge_reply_small = 0.5 0.5 0 0
c_puct = 0.8 0.8 0.8 0.8
fpu_reduction = 0.2 0.2 0.2 0.2
lcb = 1 0 0 0
leaf_playouts = 4 4 4 4
leaf_playout_weight = 0.3 0.3 0.3 0.3
transpositions = true false false false
rave_base = 500 500 500 500
rave_per_vertex = 40 40 40 40
c_uct = 0 0 0 0.5
expand_visits = 16 16 5 1
threat_search_penalty = 0.2 0.2 0.2 0.2
prior_weight = 30 30 0.001 0.001
initial_weights = uniform uniform uniform rave
locality = 0 0 0 3
sampler = block-sums block-sums block-sums sum-tree
rings = online online online offline
amaf_weight = constant constant constant inverse
amaf_both = false false false true
horizon = off off off lower
horizon_start = 1 1 1 1
horizon_lower = 0.1 0.1 0.1 0.1
horizon_raise = 0.1 0.1 0.1 0.1";

    #[test]
    fn every_option_is_for_all_methods_or_for_one_that_exists() {
        let methods: Vec<_> = Method::ALL.iter().map(|method| method.name()).collect();
        for option in SearchOptions::default().list() {
            assert!(option.method.is_none_or(|method| methods.contains(&method)), "{option:?}");
        }
    }

    /// Under each method its own options can be set, and those of the other cannot, not even to the value that they
    /// have.
    #[test]
    fn options_of_another_method_are_rejected() {
        for &method in Method::ALL {
            let options = SearchOptions { method, ..SearchOptions::default() };
            for option in options.list() {
                let applies = option.method.is_none_or(|owner| owner == method.name());
                assert_eq!(options.applicable().contains(&option), applies);
                let mut assigned = options.clone();
                assert_eq!(assigned.assign(option.name, &option.value).is_ok(), applies, "{}", option.name);
                assert!(applies || assigned == options);
            }
        }
        for (method, name, value) in [("rave", "c_uct", "0.7"), ("puct", "leaf_playouts", "9")] {
            let mut options = SearchOptions::default();
            let other = if method == "rave" { "puct" } else { "rave" };
            options.assign("method", other).unwrap();
            let before = options.clone();
            assert!(matches!(options.assign(name, value), Err(OptionError::OtherMethod { .. })));
            assert_eq!(options, before);
            options.assign("method", method).unwrap();
            options.assign(name, value).unwrap();
            assert_ne!(options, SearchOptions { method: options.method, ..before });
        }
    }

    #[test]
    fn the_message_names_the_method_and_how_to_choose_it() {
        let error = SearchOptions::default().assign("horizon", "off").unwrap_err();
        assert_eq!(
            error.to_string(),
            "option 'horizon' belongs to method rave, but the method is puct \
             (set method rave, or preset rave, paper or plain first)"
        );
        let error = SearchOptions::preset(Preset::Paper).assign("c-puct", "1").unwrap_err();
        assert_eq!(
            error.to_string(),
            "option 'c_puct' belongs to method puct, but the method is rave (set method puct or preset default first)"
        );
    }

    /// What was set for one method is kept, without effect, while the other is chosen.
    #[test]
    fn changing_the_method_keeps_the_options_of_the_other() {
        let mut options = SearchOptions::preset(Preset::Paper);
        options.assign("method", "puct").unwrap();
        options.assign("method", "rave").unwrap();
        assert_eq!(options, SearchOptions::preset(Preset::Paper));
    }

    #[test]
    fn plain_playouts_are_uniform_and_the_papers_are_not() {
        assert!(SearchOptions::preset(Preset::Plain).rave.weighting().is_uniform());
        assert!(!SearchOptions::preset(Preset::Paper).rave.weighting().is_uniform());
        assert!(SearchOptions::preset(Preset::Paper).rave.horizon_rule().is_on());
        assert!(!SearchOptions::preset(Preset::Plain).rave.horizon_rule().is_on());
    }
}
