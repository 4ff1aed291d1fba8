//! The differences between the programs that use an engine over GTP.

use crate::game::{Geometry, Notation, SideError};
use crate::option_enum;

use super::protocol::CommandError;

option_enum! {
    /// The program at the other end. It decides how vertices are named, what `boardsize` counts, how the pie rule is
    /// used, and what `genmove` answers once the game is over.
    pub enum Dialect {
        /// HavannahGui, and engines made for it such as Castro and Lajkonik.
        HavannahGui = "havannahgui",
        /// GoGui and its tools, among them gogui-twogtp.
        GoGui = "gogui",
        /// Little Golem's vertex names; otherwise like HavannahGui.
        LittleGolem = "littlegolem",
    }
}

impl Dialect {
    /// The notation of vertices.
    pub fn notation(self) -> Notation {
        match self {
            Dialect::HavannahGui => Notation::HavannahGui,
            Dialect::GoGui => Notation::GoGui,
            Dialect::LittleGolem => Notation::LittleGolem,
        }
    }

    /// The board that `boardsize` names by its side length, or for GoGui by its diameter.
    ///
    /// # Errors
    /// If there is no such board.
    pub fn board(self, size: usize) -> Result<&'static Geometry, CommandError> {
        let refused =
            |SideError(_)| CommandError::new(format!("unacceptable size: {size} (expected {})", self.sizes()));
        match self {
            Dialect::GoGui if size.is_multiple_of(2) => Err(refused(SideError(size))),
            Dialect::GoGui => Geometry::with_side(size / 2 + 1).map_err(refused),
            Dialect::HavannahGui | Dialect::LittleGolem => Geometry::with_side(size).map_err(refused),
        }
    }

    /// The sizes that `boardsize` takes, in words.
    pub fn sizes(self) -> &'static str {
        match self {
            Dialect::GoGui => "a diameter, that is twice the side length minus 1: 3, 5, 7, ... 25",
            Dialect::HavannahGui | Dialect::LittleGolem => "a side length of 2 to 13",
        }
    }

    /// What `genmove` answers once the game is over. To GoGui, a pass means the end of the game.
    pub fn after_the_end(self) -> &'static str {
        match self {
            Dialect::GoGui => "pass",
            Dialect::HavannahGui | Dialect::LittleGolem => "none",
        }
    }

    /// Whether `pass` may be played once the game is over.
    pub fn passes_after_the_end(self) -> bool {
        self == Dialect::GoGui
    }

    /// Whether a player swaps by naming the vertex of the first stone, which is what a click on it sends.
    pub fn swaps_by_vertex(self) -> bool {
        self == Dialect::GoGui
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boardsize_counts_the_side_and_for_gogui_the_diameter() {
        for side in 2..=13 {
            assert_eq!(Dialect::HavannahGui.board(side).unwrap().side(), side);
            assert_eq!(Dialect::LittleGolem.board(side).unwrap().side(), side);
            assert_eq!(Dialect::GoGui.board(2 * side - 1).unwrap().side(), side);
        }
    }

    #[test]
    fn other_sizes_are_refused_with_their_range() {
        for (dialect, sizes) in [(Dialect::HavannahGui, [0, 1, 14, usize::MAX]), (Dialect::GoGui, [0, 1, 8, 27])] {
            for size in sizes {
                let message = dialect.board(size).unwrap_err().to_string();
                assert!(message.contains(&size.to_string()) && message.contains(dialect.sizes()), "{message}");
            }
        }
    }
}
