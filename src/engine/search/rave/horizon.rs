//! The playout horizon (paper, section 5) applied to a path: how long a playout from the leaf may take, and how its
//! length changes the horizons of the nodes above. The rule itself is [`Horizon`].

use crate::engine::playout::paper::Horizon;
use crate::engine::search::descent::Descent;

use super::Rave;
use super::copies::Copies;

/// How many moves a playout from the leaf may take, by the horizons of all nodes of the path.
pub(super) fn limit(rule: &Horizon, descent: &Descent<'_, Rave>) -> usize {
    if !rule.is_on() {
        return descent.empties.left().len();
    }
    let steps = descent.path.iter().rev().enumerate();
    let limits = steps.map(|(i, step)| (descent.tree.node(step.node).horizon() as usize).saturating_sub(i + 1));
    limits.min().expect("a path has a step")
}

/// Lowers the horizons along the path after a playout of `length` moves that ended within them.
pub(super) fn lower(rule: &Horizon, descent: &Descent<'_, Rave>, length: usize) {
    if rule.is_on() {
        for (i, step) in descent.path.iter().rev().enumerate() {
            let node = descent.tree.node(step.node);
            node.set_horizon(rule.after(node.horizon(), (length + i + 1) as u32));
        }
    }
}

/// Undoes the visits of the path after a playout that did not end within `limit` moves, and raises the horizons that
/// stopped it.
pub(super) fn discard(rule: &Horizon, descent: &Descent<'_, Rave>, copies: &Copies, limit: usize) {
    let empty = descent.empties.left().len();
    for (i, step) in descent.path.iter().rev().enumerate() {
        let node = descent.tree.node(step.node);
        copies.statistics(node).cancel_visit(step.vertex);
        if node.horizon() as usize <= limit + i + 1 {
            node.set_horizon(rule.raised(node.horizon(), (empty + i + 1) as u32));
        }
    }
}
