//! The options of the search guided by the network.

use crate::options;

options! {
    /// The options that only the search guided by the network has.
    pub struct PuctOptions {
        c_puct: f32 = 0.8, in 0.0..=100.0, set by Client, "factor c of the PUCT exploration term c P sqrt(N) / (n + 1)";
        fpu_reduction: f32 = 0.2, in 0.0..=10.0, set by Client,
            "first-play urgency: an untried move is worth the node's mean minus this times sqrt(sum of the tried \
             moves' priors)";
        lcb: f32 = 1.0, in 0.0..=10.0, set by Client,
            "lower confidence bound: play the move with the highest mean minus this / sqrt(visits), among those with \
             at least an eighth of the most visits; 0 plays the most visited move";
        leaf_playouts: u32 = 4, in 0..=1000, set by Client,
            "playouts from each new node, on boards of side 4 or less";
        leaf_playout_weight: f32 = 0.3, in 0.0..=1.0, set by Client,
            "weight of the playouts' mean in the value of a new node; the network's value has the remaining weight";
        transpositions: bool = true, in (), set by Client,
            "different orders of moves that lead to one position share its node";
    }
}
