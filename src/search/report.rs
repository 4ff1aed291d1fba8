//! What a search found.

use std::time::Duration;

use crate::board::{Color, Vertex};

/// A proven result, from the point of view of the player to move where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The player to move wins.
    Win,
    /// The player to move loses.
    Loss,
    /// Neither can win.
    Draw,
}

impl Verdict {
    /// The same result from the opponent's point of view.
    pub fn of_opponent(self) -> Verdict {
        match self {
            Verdict::Win => Verdict::Loss,
            Verdict::Loss => Verdict::Win,
            Verdict::Draw => Verdict::Draw,
        }
    }

    /// Who wins, if this is the point of view of `color`.
    pub fn winner(self, color: Color) -> Option<Color> {
        match self {
            Verdict::Win => Some(color),
            Verdict::Loss => Some(!color),
            Verdict::Draw => None,
        }
    }
}

/// What a search found about one move of the root.
#[derive(Clone, Debug)]
pub struct MoveReport {
    /// The move.
    pub vertex: Vertex,
    /// Playouts through the move.
    pub visits: u64,
    /// Their mean result for the player to move at the root, draws half, in \[0, 1\]; 0.5 where there are none.
    pub win_rate: f64,
    /// The RAVE (all moves as first) estimate for the player to move at the root, in \[0, 1\]; `None` where the search makes
    /// none.
    pub rave: Option<f64>,
    /// What the move is proven to lead to, for the player to move at the root.
    pub verdict: Option<Verdict>,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The move to play.
    pub best: Vertex,
    /// Estimated probability that the player to move at the root wins, draws half, in \[0, 1\].
    pub win_rate: f64,
    /// What the position is proven to be, for the player to move.
    pub verdict: Option<Verdict>,
    /// The principal variation, beginning with `best`.
    pub pv: Vec<Vertex>,
    /// Playouts of this search, those of the kept tree not counted: paths down the tree, each with what was found at its end.
    pub simulations: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// The root's moves, in vertex order.
    pub moves: Vec<MoveReport>,
}
