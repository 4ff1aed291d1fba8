//! The tunables of the search.

use crate::options;

options! {
    /// The tunables of the search and its playouts.
    pub struct Options {
        threads: usize = 1, in 1..=256, "threads that search together on one tree";
        memory: usize = 1024, in 4..=1_048_576, "megabytes that the tree may take";
        rave_base: f32 = 500.0, in 0.001..=1e6, "a move's RAVE estimate weighs as much as so many of its playouts ...";
        rave_per_vertex: f32 = 40.0, in 0.0..=1e5, "... and so many more for each empty vertex";
        exploration: f32 = 0.0, in 0.0..=10.0, "factor of the UCT exploration term sqrt(ln N / (n + 1))";
        expand: u32 = 8, in 1..=1_000_000, "a move gets a node of its own with so many playouts";
        reply: f32 = 0.0, in 0.0..=1.0, "probability that a playout answers an intrusion into a two-bridge";
        ring_moves: u32 = 1000, in 0..=1000, "playout moves up to which a ring counts";
        prior_weight: f32 = 8.0, in 0.001..=1e5, "playouts that a new move's prior estimate counts for in its RAVE";
        prior_value: f32 = 0.5, in 0.0..=1.0, "prior estimate of a move about which nothing is known";
    }
}
