//! Playouts from a leaf of the tree (paper, sections 6 to 8), as the options choose them: uniform with bridge replies,
//! or weighted; rings recognised online or offline.

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::engine::playout::paper::{OfflineRings, Rings, WeightedPlayouts, until};
use crate::engine::playout::{EmptyVertex, Ending, MAX_EMPTY, play_unweighted};
use crate::engine::search::descent::Descent;
use crate::engine::search::node::Node;
use crate::game::{Color, Position, checks};

use super::{Rave, RaveOptions};

/// The state of a thread's playouts.
pub(super) struct Playouts {
    rng: Xoshiro256PlusPlus,
    pool: Vec<EmptyVertex>,
    /// Begins with the moves of the last playout.
    pub moves: Vec<EmptyVertex>,
    /// Draws the moves of weighted playouts.
    weighted: Option<WeightedPlayouts>,
    /// Looks for rings after the playout, if they are not recognised online.
    rings: Option<OfflineRings>,
}

impl Playouts {
    /// Playouts of a search from `root`.
    pub fn new(root: &Position, options: &RaveOptions, rng: Xoshiro256PlusPlus) -> Playouts {
        let weighting = options.weighting();
        Playouts {
            rng,
            pool: Vec::with_capacity(MAX_EMPTY),
            moves: Vec::with_capacity(MAX_EMPTY),
            weighted: (!weighting.is_uniform()).then(|| WeightedPlayouts::new(root, weighting)),
            rings: (options.rings == Rings::Offline).then(|| OfflineRings::new(root)),
        }
    }

    /// Plays from the leaf that the descent has reached, with `color` to move. May stop after `limit` moves. The
    /// beginning of [`Playouts::moves`] then holds the moves.
    pub fn play(&mut self, descent: &mut Descent<'_, Rave>, color: Color, limit: usize) -> Ending {
        if self.rings.is_none() {
            return self.play_until::<{ checks::ALL }>(descent, color, limit);
        }
        let ending = self.play_until::<{ checks::BRIDGE_FORK }>(descent, color, limit);
        let rings = self.rings.as_mut().expect("rings are looked for afterwards");
        rings.settle(descent.root.color, descent.empties.taken(), &self.moves[..ending.length], ending)
    }

    /// Plays until a structure of the kinds in `CHECKS` is completed.
    #[inline]
    fn play_until<const CHECKS: u8>(&mut self, descent: &mut Descent<'_, Rave>, color: Color, limit: usize) -> Ending {
        let Playouts { rng, pool, moves, weighted, .. } = self;
        let Descent { tree, options, position, empties, path, .. } = descent;
        if let Some(weighted) = weighted {
            let last = path.last().expect("a path has a step");
            let node = tree.node(last.node);
            weighted.load(position, empties.taken(), |v| node.rave(v).map_or(0.5, |r| r as f32));
            return weighted.play::<CHECKS, { until::FIRST_WIN }>(position, moves, color, limit, rng);
        }
        let reply_odds = options.bridge_reply_odds(position.geometry().side());
        play_unweighted::<CHECKS>(position, empties, (pool, moves), (color, limit), reply_odds, rng)
    }
}
