//! The options of the search guided by playouts.

use crate::engine::playout::paper::{
    AmafWeight, Horizon, HorizonSchedule, InitialWeights, Rings, SamplerKind, Weighting,
};
use crate::options;

options! {
    /// The options that only the search guided by playouts has.
    pub struct RaveOptions {
        rave_base: f32 = 500.0, in 0.001..=1e6, set by Client,
            "a move's RAVE estimate weighs as much as this many visits, plus rave_per_vertex for each empty vertex";
        rave_per_vertex: f32 = 40.0, in 0.0..=1e5, set by Client, "visits added to rave_base for each empty vertex";
        c_uct: f32 = 0.0, in 0.0..=10.0, set by Client, "factor c of the UCT exploration term c sqrt(ln N / (n + 1))";
        expand_visits: u32 = 16, in 1..=1_000_000, set by Client, "visits at which a move gets a tree node of its own";
        threat_search_penalty: f32 = 0.2, in 0.0..=1.0, set by Client,
            "deducted from the value of moves that do not interfere with a winning sequence of the opponent";
        prior_weight: f32 = 30.0, in 0.001..=1e5, set by Client,
            "number of visits that the prior of a new move's RAVE estimate, which is 0.5, counts as";
        initial_weights: InitialWeights = InitialWeights::Uniform, in (), set by Client,
            "weights of the moves at the start of a playout";
        locality: u32 = 0, in 0..=4, set by Client,
            "move n of a playout sets the weight of its neighbours to n to this power; 0 leaves the weights unchanged";
        sampler: SamplerKind = SamplerKind::BlockSums, in (), set by Client,
            "data structure that weighted playouts draw their moves from";
        rings: Rings = Rings::Online, in (), set by Client,
            "when to look for rings: once after the playout (offline) or with every move (online)";
        amaf_weight: AmafWeight = AmafWeight::Constant, in (), set by Client,
            "how a playout's weight in the RAVE statistics falls with its length";
        amaf_both: bool = false, in (), set by Client,
            "credit the moves of a playout's winner in the opponent's RAVE statistics too";
        horizon: HorizonSchedule = HorizonSchedule::Off, in (), set by Client,
            "how the playout horizon changes after a playout that ended within it";
        horizon_start: f32 = 1.0, in 0.01..=1.0, set by Client, "horizon of a new node as a share of its empty vertices";
        horizon_lower: f32 = 0.1, in 0.0..=1.0, set by Client,
            "with horizon lower: share of the gap to the playout's length by which the horizon falls";
        horizon_raise: f32 = 0.1, in 0.0..=10.0, set by Client,
            "share of itself by which the horizon rises after a discarded playout";
    }
}

impl RaveOptions {
    /// The number of visits that a move's RAVE estimate weighs as much as, in a node with `empty` empty vertices.
    #[inline]
    pub fn rave_weight(&self, empty: usize) -> f32 {
        self.rave_base + self.rave_per_vertex * empty as f32
    }

    /// How playouts draw their moves.
    pub fn weighting(&self) -> Weighting {
        Weighting { initial_weights: self.initial_weights, locality: self.locality, sampler: self.sampler }
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
