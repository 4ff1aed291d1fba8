//! Backup of a result along the path, with weighted all-moves-as-first updates of the RAVE statistics (paper, section
//! 4).

use crate::engine::playout::EmptyVertex;
use crate::engine::playout::paper::AmafWeights;
use crate::engine::search::descent::Descent;
use crate::engine::search::kernel::Kernel;
use crate::game::Color;

use super::copies::Copies;
use super::node::{Statistics, points};
use super::{Rave, RaveOptions, kernel};

/// Visits after which a node's RAVE statistics no longer change: by then they have no influence, and single-precision
/// sums would soon be too large for small additions.
const RAVE_VISITS: u32 = 1 << 22;

/// Whether a node's RAVE statistics still change.
#[inline]
fn learns(statistics: Statistics<'_>) -> bool {
    statistics.total_visits() <= RAVE_VISITS
}

/// The state of a thread's backups.
pub(super) struct Backup {
    kernel: Kernel,
    weights: AmafWeights,
    /// Whether the winner's moves are credited in the opponent's statistics too.
    both: bool,
    /// For White and then for Black, the increment of each vertex: the playout's weight where the colour has played,
    /// else 0. All are 0 between calls.
    increments: Vec<f32>,
}

impl Backup {
    /// For a search from a position with `empty` empty vertices, whose nodes have `stride` entries.
    pub fn new(stride: usize, options: &RaveOptions, empty: usize) -> Backup {
        Backup {
            kernel: Kernel::detect(),
            weights: AmafWeights::new(options.amaf_weight, empty),
            both: options.amaf_both,
            increments: vec![0.0; 2 * stride],
        }
    }

    /// Adds a result along the path: to the visits of each move made, and to the RAVE statistics of all moves that each
    /// node's player made from there on, in the tree and in the playout.
    pub fn add(
        &mut self,
        descent: &Descent<'_, Rave>,
        copies: &Copies,
        winner: Option<Color>,
        playout: &[EmptyVertex],
    ) {
        let tree = descent.tree;
        let weight = self.weights.at(descent.path.len() + playout.len());
        self.mark(descent, playout, weight);
        let (white, black) = self.increments.split_at(tree.stride());
        let mut color = descent.root.color;
        for step in &descent.path {
            let statistics = copies.statistics(tree.node(step.node));
            statistics.end_visit(step.vertex, points(color, winner));
            if learns(statistics) {
                let [own, other] = if color == Color::White { [white, black] } else { [black, white] };
                let [weights, wins] = statistics.rave_arrays();
                kernel::add(self.kernel, weights, own);
                if winner == Some(color) {
                    kernel::add(self.kernel, wins, own);
                } else if self.both && winner.is_some() {
                    kernel::add(self.kernel, weights, other);
                    kernel::add(self.kernel, wins, other);
                }
            }
            color = !color;
        }
        if winner.is_none() {
            self.add_draw(descent, copies, playout, weight);
        }
        self.increments.fill(0.0);
    }

    /// Counts a draw as half won in the RAVE statistics along the path.
    #[cold]
    fn add_draw(&mut self, descent: &Descent<'_, Rave>, copies: &Copies, playout: &[EmptyVertex], weight: f32) {
        self.mark(descent, playout, weight / 2.0);
        let stride = descent.tree.stride();
        let mut color = descent.root.color;
        for step in &descent.path {
            let statistics = copies.statistics(descent.tree.node(step.node));
            if learns(statistics) {
                let [_, wins] = statistics.rave_arrays();
                kernel::add(self.kernel, wins, &self.increments[color.index() * stride..][..stride]);
            }
            color = !color;
        }
    }

    /// Writes `value` into the increments of all moves of the path and of the playout.
    #[inline]
    fn mark(&mut self, descent: &Descent<'_, Rave>, playout: &[EmptyVertex], value: f32) {
        let stride = descent.tree.stride();
        let increments = &mut self.increments[..2 * stride];
        let mut start = descent.root.color.index() * stride;
        for moves in [descent.empties.taken(), playout] {
            for stone in moves {
                increments[start + stone.vertex.index()] = value;
                start = stride - start;
            }
        }
    }
}
