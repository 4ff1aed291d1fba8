//! Noise in the priors of the root.

use crate::game::Vertex;

use super::node::Node;

/// Random numbers that are mixed into the priors of the root's moves, so that self-play tries what the network
/// overlooks (Silver et al., *A general reinforcement learning algorithm*, 2018).
#[derive(Clone, Debug, PartialEq)]
pub struct RootNoise {
    /// The share of the noise in each prior, in \[0, 1\].
    pub share: f32,
    /// A number of at least 0 for each vertex, in vertex order. Those of the root's open moves are scaled so that they
    /// sum to the sum of the moves' priors.
    pub weights: Vec<f32>,
}

impl RootNoise {
    /// Mixes the noise into the priors of a node's open moves, which are their marks. Returns these moves with their
    /// priors before.
    pub(super) fn mix_into<'a>(&self, node: impl Node<'a>) -> Vec<(Vertex, f32)> {
        let priors: Vec<_> = node.open_moves().filter_map(|v| Some((v, node.prior(v)? as f32))).collect();
        let sum: f32 = priors.iter().map(|&(_, prior)| prior).sum();
        let weights: f32 = priors.iter().map(|&(v, _)| self.weights[v.index()]).sum();
        if weights > 0.0 {
            for &(v, prior) in &priors {
                let noise = self.weights[v.index()] * sum / weights;
                node.change_mark(v, |_| prior + self.share * (noise - prior));
            }
        }
        priors
    }
}
