//! Handicap stones: the player who moves first begins with several stones at once.
//!
//! In Havannah that player is White. Black makes the next move. For the Go Text Protocol, where Black has the handicap,
//! this is the only difference.

use std::fmt;

use crate::engine::inspect::prediction::predict;
use crate::game::{Color, Geometry, Move, Notation, Vertex};

use super::{MoveError, Session};

/// The most stones of a fixed handicap.
pub const MAX_FIXED: usize = 7;
/// The smallest board with a fixed handicap.
const MIN_FIXED_SIDE: usize = 4;

/// Why handicap stones were not placed. Nothing has changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum HandicapError {
    /// A move was already played.
    NotEmpty,
    /// There are too few or too many stones.
    Count {
        /// The number of stones.
        stones: usize,
        /// The most stones that are possible here; two are the fewest.
        most: usize,
    },
    /// There are no fixed vertices for stones on a board of this side length.
    NoFixed(usize),
    /// Two stones on the same vertex.
    Repeated(&'static Geometry, Vertex),
    /// The stones win the game.
    Wins,
}

impl HandicapError {
    /// What is wrong, with vertices named in this notation.
    pub fn message(&self, notation: Notation) -> String {
        match *self {
            HandicapError::NotEmpty => "handicap stones come before the first move".into(),
            HandicapError::Count { stones, most } => {
                format!("invalid number of handicap stones {stones} (expected 2..{most})")
            }
            HandicapError::NoFixed(side) => {
                format!("side {side} has no fixed handicap (expected side {MIN_FIXED_SIDE} or more)")
            }
            HandicapError::Repeated(board, v) => format!("{} is given twice", notation.name(board, v)),
            HandicapError::Wins => "these handicap stones win the game".into(),
        }
    }
}

impl fmt::Display for HandicapError {
    /// The message, with vertices named as HavannahGui names them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(Notation::HavannahGui))
    }
}

impl std::error::Error for HandicapError {}

/// The most handicap stones on a board: a quarter of its vertices, but at least two.
fn most(board: &Geometry) -> usize {
    (board.vertex_count() / 4).max(2)
}

fn check_count(stones: usize, most: usize) -> Result<(), HandicapError> {
    if (2..=most).contains(&stones) { Ok(()) } else { Err(HandicapError::Count { stones, most }) }
}

/// The vertices of a fixed handicap: on the lines from the middle to the corners, halfway. An odd number of stones
/// above three includes the middle.
///
/// # Errors
/// If there are fewer than two stones or more than [`MAX_FIXED`], or if the board is too small.
pub fn fixed_handicap(board: &'static Geometry, stones: usize) -> Result<Vec<Vertex>, HandicapError> {
    if board.side() < MIN_FIXED_SIDE {
        return Err(HandicapError::NoFixed(board.side()));
    }
    check_count(stones, MAX_FIXED)?;
    let corners: &[usize] = match stones {
        2 => &[0, 3],
        3 => &[0, 2, 4],
        4 | 5 => &[0, 1, 3, 4],
        _ => &[0, 1, 2, 3, 4, 5],
    };
    let middle = board.side() - 1;
    let halfway = |corner: usize| {
        // A corner's coordinates differ from the middle's by nothing or by all of the radius.
        let step = board.side() / 2;
        if corner < middle {
            middle - step
        } else if corner > middle {
            middle + step
        } else {
            middle
        }
    };
    let vertex = |&i: &usize| {
        let (l, n) = board.coordinates(board.corner(i));
        board.vertex_at(halfway(l), halfway(n)).expect("halfway to a corner is on the board")
    };
    let mut vertices: Vec<Vertex> = corners.iter().map(vertex).collect();
    if stones > corners.len() {
        vertices.push(board.vertex_at(middle, middle).expect("every board has a middle"));
    }
    Ok(vertices)
}

impl Session {
    /// Places handicap stones for White before the first move. It is then Black's turn.
    ///
    /// # Errors
    /// If a move was played, if there are fewer than two stones or too many, if two are on the same vertex, or if they
    /// win; nothing has changed then.
    ///
    /// # Panics
    /// If a vertex is not one of the board.
    pub fn place_handicap(&mut self, vertices: &[Vertex]) -> Result<(), HandicapError> {
        let board = self.game.geometry();
        if !self.game.is_empty() {
            return Err(HandicapError::NotEmpty);
        }
        check_count(vertices.len(), most(board))?;
        let moves: Vec<_> = vertices.iter().map(|&v| (Color::White, Move::Place(v))).collect();
        match self.play_all(&moves) {
            Ok(()) if self.game.is_over() => {
                self.undo(moves.len()).expect("these stones were just placed");
                Err(HandicapError::Wins)
            }
            Ok(()) => {
                self.game.begin_with(Color::Black);
                Ok(())
            }
            Err((i, MoveError::Occupied { .. })) => Err(HandicapError::Repeated(board, vertices[i])),
            Err(_) => Err(HandicapError::Wins),
        }
    }

    /// The vertices where the engine would place this many handicap stones: one after the other, each the favourite of
    /// the network among those that do not win.
    ///
    /// # Errors
    /// If a move was played, if there are fewer than two stones or too many, or if each empty vertex would win.
    pub fn choose_handicap(&self, stones: usize) -> Result<Vec<Vertex>, HandicapError> {
        if !self.game.is_empty() {
            return Err(HandicapError::NotEmpty);
        }
        check_count(stones, most(self.game.geometry()))?;
        let mut game = self.game.board().clone();
        let mut chosen = Vec::new();
        for _ in 0..stones {
            game.set_to_move(Color::White);
            let mut moves = predict(&game, &*self.options.network).moves;
            moves.retain(|&(v, _)| game.position().completes(Color::White, v).is_empty());
            let favourite = moves.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b));
            let (v, _) = favourite.ok_or(HandicapError::Wins)?;
            game.place(Color::White, v).expect("an empty vertex of a game that is not over");
            chosen.push(v);
        }
        Ok(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{MAX_SIDE, UndoError};
    use std::collections::BTreeSet;

    #[test]
    fn fixed_stones_are_apart_and_leave_the_game_open() {
        for side in MIN_FIXED_SIDE..=MAX_SIDE {
            for stones in 2..=MAX_FIXED {
                let mut session = Session::on_side(side).unwrap();
                let vertices = fixed_handicap(session.game().geometry(), stones).unwrap();
                assert_eq!(vertices.iter().collect::<BTreeSet<_>>().len(), stones);
                session.place_handicap(&vertices).unwrap();
                assert_eq!((session.game().set_up(), session.game().len()), (stones, stones));
                assert_eq!((session.game().to_move(), session.chains().len()), (Color::Black, stones));
            }
        }
        assert_eq!(fixed_handicap(Geometry::with_side(3).unwrap(), 2), Err(HandicapError::NoFixed(3)));
        let board = Geometry::with_side(6).unwrap();
        assert_eq!(fixed_handicap(board, 8), Err(HandicapError::Count { stones: 8, most: 7 }));
    }

    #[test]
    fn stones_of_ones_own_choice_are_checked() {
        let mut session = Session::on_side(3).unwrap();
        let board = session.game().geometry();
        let vertices = |names: &str| -> Vec<Vertex> {
            names.split(' ').map(|name| Notation::HavannahGui.parse(board, name).unwrap()).collect()
        };
        let refused = |session: &mut Session, names: &str| session.place_handicap(&vertices(names)).unwrap_err();
        assert_eq!(refused(&mut session, "a1").to_string(), "invalid number of handicap stones 1 (expected 2..4)");
        assert_eq!(refused(&mut session, "a1 c3 a1").to_string(), "a1 is given twice");
        assert_eq!(refused(&mut session, "a1 a2 a3"), HandicapError::Wins);
        assert_eq!(refused(&mut session, "a1 a2 a3 c3"), HandicapError::Wins);
        assert!(session.game().is_empty());
        session.place_handicap(&vertices("a1 c3")).unwrap();
        assert_eq!(refused(&mut session, "a2 c4"), HandicapError::NotEmpty);
        assert_eq!(session.choose_handicap(2), Err(HandicapError::NotEmpty));
    }

    #[test]
    fn the_engine_chooses_stones_that_do_not_win() {
        for side in 2..=5 {
            let mut session = Session::on_side(side).unwrap();
            let most = most(session.game().geometry());
            match session.choose_handicap(most) {
                Ok(vertices) => session.place_handicap(&vertices).unwrap(),
                Err(error) => assert!(side == 2, "side {side}: {error}"),
            }
        }
    }

    #[test]
    fn a_record_has_the_stones_as_set_up_and_their_number() {
        let mut session = Session::on_side(5).unwrap();
        let vertices = fixed_handicap(session.game().geometry(), 3).unwrap();
        session.place_handicap(&vertices).unwrap();
        let record = session.record();
        assert_eq!(record.node(0).stones.len(), 3);
        let text = crate::game::record::write(std::slice::from_ref(&record), crate::game::record::Format::Sgf);
        assert!(text.contains("HA[3]") && text.contains("AW["), "{text}");
        assert_eq!(record.moves(), session.game().moves());
        session.load(record, None).unwrap();
        assert_eq!((session.game().set_up(), session.game().to_move()), (3, Color::Black));
    }

    /// They are no moves.
    #[test]
    fn handicap_stones_are_not_taken_back() {
        let mut session = Session::on_side(5).unwrap();
        let vertices = fixed_handicap(session.game().geometry(), 3).unwrap();
        session.place_handicap(&vertices).unwrap();
        session.play("a1").unwrap();
        assert_eq!(session.undo(2), Err(UndoError { asked: 2, played: 1 }));
        session.undo(1).unwrap();
        assert_eq!((session.undo(1), session.game().len()), (Err(UndoError { asked: 1, played: 0 }), 3));
        assert_eq!(session.game().to_move(), Color::Black);
    }
}
