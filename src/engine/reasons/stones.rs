//! Facts about numbers of stones: how many a structure lacks, and how far the sides are. They are exact, but the
//! opponent's moves are not considered, so they say little about the result.

use crate::engine::inspect::missing::missing_count;
use crate::game::{Color, Position, Structures};

use super::case::{Case, Found};
use super::fact::{Fact, Stake};

const STRUCTURES: [Structures; 3] = [Structures::BRIDGE, Structures::FORK, Structures::RING];

/// The fewest stones that a colour needs for any structure.
pub(super) fn fewest(position: &Position, color: Color) -> Option<usize> {
    STRUCTURES.iter().filter_map(|structure| missing_count(position, color, *structure, usize::MAX)).min()
}

/// Rings are mentioned only if they lack no more stones than this. On an almost empty board, every vertex is on many
/// rings.
const NEAR_RING: usize = 3;

/// The greatest stake of the move: the structure that changes most in relation to the stones that it lacks.
pub(super) fn stake(case: &Case<'_>) -> Option<Stake> {
    let before = case.before.position();
    let after = case.after.position();
    let mut reversed = before.clone();
    reversed.place(!case.color, case.vertex);
    let near = |position, color, structure| {
        let most = if structure == Structures::RING { NEAR_RING } else { usize::MAX };
        missing_count(position, color, structure, most)
    };
    let count = |position, color, structure| missing_count(position, color, structure, usize::MAX);
    let own = STRUCTURES.into_iter().filter_map(|structure| {
        let with = near(after, case.color, structure)?;
        Some(Stake::Own { structure, with, without: count(&reversed, case.color, structure) })
    });
    let other = STRUCTURES.into_iter().filter_map(|structure| {
        let lacks = near(before, !case.color, structure)?;
        Some(Stake::Other { structure, before: lacks, after: count(after, !case.color, structure) })
    });
    own.chain(other).filter(|stake| stake.more() > 0).max_by_key(|stake| stake.weight())
}

/// A side is near a vertex at most this many steps away.
const NEAR_SIDE: usize = 3;

/// Where a vertex that is not on the rim lies, which is all that there is to say on an empty part of the board: near
/// two sides, near one, or in the middle.
pub(super) fn place(case: &Case<'_>) -> Option<Found> {
    let geometry = case.before.geometry();
    if geometry.rim(case.vertex) != 0 {
        return None;
    }
    let steps = |side: usize| {
        let on_side = geometry.vertices().filter(|&v| geometry.rim(v) == 1 << (6 + side));
        on_side.map(|v| geometry.distance(v, case.vertex)).min()
    };
    let mut sides: Vec<(usize, usize)> = (0..6).filter_map(|side| Some((steps(side)?, side))).collect();
    sides.sort_unstable();
    let near = sides.iter().filter(|(steps, _)| (1..=NEAR_SIDE).contains(steps)).count();
    let farthest = sides.last()?.0;
    let fact = match near {
        0 if farthest <= geometry.side() => Fact::Middle { farthest },
        0 => return None,
        1 => Fact::NearSide { side: sides[0].1, steps: sides[0].0 },
        _ => Fact::NearSides { sides: [0, 1].map(|i| (sides[i].1, sides[i].0)) },
    };
    Some(Found::new(fact))
}
