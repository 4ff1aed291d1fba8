//! The three structures that win the game (paper, section 2): bridge, fork and ring.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// A set of winning structures, usually those that one stone completes.
///
/// ```
/// use malecon::game::Structures;
/// let structures = Structures::BRIDGE | Structures::RING;
/// assert!(structures.contains(Structures::RING) && !structures.contains(Structures::FORK));
/// assert_eq!(structures.to_string(), "bridge+ring");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Structures(pub(crate) u8);

impl Structures {
    /// The empty set.
    pub const NONE: Structures = Structures(0);
    /// A chain that contains at least two corners.
    pub const BRIDGE: Structures = Structures(1);
    /// A chain that touches at least three sides. Corners belong to no side.
    pub const FORK: Structures = Structures(2);
    /// A chain around at least one vertex, whether that is empty or holds a stone of either colour.
    pub const RING: Structures = Structures(4);

    const NAMES: [(Structures, &'static str); 3] =
        [(Structures::BRIDGE, "bridge"), (Structures::FORK, "fork"), (Structures::RING, "ring")];

    /// Whether the set is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all structures of `other` are in the set.
    #[inline(always)]
    pub const fn contains(self, other: Structures) -> bool {
        self.0 & other.0 == other.0
    }

    /// The names of the structures in the set: `bridge`, `fork`, `ring`.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Structures::NAMES.into_iter().filter(move |(s, _)| self.contains(*s)).map(|(_, name)| name)
    }
}

impl BitOr for Structures {
    type Output = Structures;
    #[inline(always)]
    fn bitor(self, other: Structures) -> Structures {
        Structures(self.0 | other.0)
    }
}

impl BitOrAssign for Structures {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Structures) {
        self.0 |= other.0;
    }
}

impl fmt::Display for Structures {
    /// The names, joined by `+`, such as `bridge+ring`; `none` for the empty set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.pad("none");
        }
        f.pad(&self.names().collect::<Vec<_>>().join("+"))
    }
}

/// The paper's lookup table (section 7): for each of the 4,096 sets of corners and sides, as in
/// [`super::Geometry::rim`], the structures of a chain that holds exactly these. Two corners make a bridge, and three
/// sides make a fork.
pub(crate) static WINNING: [Structures; 4096] = {
    let mut table = [Structures::NONE; 4096];
    let mut mask: u32 = 0;
    while mask < 4096 {
        let corners = (mask & 0x3f).count_ones();
        let sides = (mask >> 6).count_ones();
        table[mask as usize] = Structures((corners >= 2) as u8 | ((sides >= 3) as u8) << 1);
        mask += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_corners_make_a_bridge_and_three_sides_a_fork() {
        assert_eq!(WINNING[0b000001_000001], Structures::NONE);
        assert_eq!(WINNING[0b000000_100001], Structures::BRIDGE);
        assert_eq!(WINNING[0b010101_000000], Structures::FORK);
        assert_eq!(WINNING[0b010100_000001], Structures::NONE);
        assert_eq!(WINNING[0b111111_111111], Structures::BRIDGE | Structures::FORK);
    }

    #[test]
    fn sets_are_printed_by_the_names_of_their_structures() {
        assert_eq!((Structures::RING | Structures::BRIDGE).to_string(), "bridge+ring");
        assert_eq!(Structures::NONE.to_string(), "none");
    }
}
