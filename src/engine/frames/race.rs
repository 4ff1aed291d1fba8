//! The race: whose frame is completed first.

use std::cmp::Ordering;
use std::fmt;

use crate::engine::inspect::missing::missing_count;
use crate::engine::search::threats::{Status, ThreatSearch};
use crate::game::{Color, Position, Structures};

use super::{Frame, frames};

/// The most positions that the search for a sequence of threats examines.
const THREAT_POSITIONS: u32 = 200;

/// Why a player is said to be ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Basis {
    /// A proof: the player wins by threats, each of which has at most one answer, or the opponent has no answer.
    Threats,
    /// A proof: the opponent cannot place enough stones for a structure before the player's frame is complete, even if
    /// the player does not interfere.
    Stones,
    /// Evidence: the player's frame needs fewer stones than the opponent's, or the opponent has no frame.
    Widths,
}

impl Basis {
    /// Whether the player is proven to win.
    #[must_use]
    pub fn is_proof(self) -> bool {
        self != Basis::Widths
    }

    /// `threats`, `stones` or `widths`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Basis::Threats => "threats",
            Basis::Stones => "stones",
            Basis::Widths => "widths",
        }
    }
}

/// The frames of both colours, and who is ahead.
///
/// ```
/// use malecon::engine::frames::Race;
/// use malecon::game::{Color, Game, Geometry, Notation};
/// let board = Geometry::with_side(5)?;
/// let mut game = Game::new(board);
/// // Each colour needs two stones for a bridge along a side of its own.
/// for name in ["a1", "i9", "b3", "h7", "b4", "h6", "a5", "i5"] {
///     game.play(Notation::HavannahGui.parse(board, name)?)?;
/// }
/// let race = Race::new(game.position(), game.to_move());
/// assert_eq!(race.tightest(Color::Black).map(|frame| frame.width), Some(2));
/// assert_eq!(race.leader.map(|(color, _)| color), Some(Color::White));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # What is proven
///
/// Threats are followed exactly ([`Basis::Threats`]).
///
/// *Theorem* ([`Basis::Stones`]). Let a player have a frame of width w: at least a half frame if the player is to move,
/// and a full frame otherwise. Before the player's w-th stone, the opponent can place w stones if the opponent is to
/// move, and w − 1 otherwise. If the opponent needs more stones than that for any structure, the player wins: the
/// player answers stones in the carrier, and continues the frame after all other stones. So the player completes a
/// structure with the w-th stone at the latest, and until then the opponent has too few stones.
///
/// # What is not
///
/// Otherwise the widths are compared ([`Basis::Widths`]), and the player to move is ahead in a tie. This is the rule
/// for independent subgames in the notes on strategy of Sensei's Library (*Havannah*, the lowest n). For frames on one
/// board it is sometimes wrong, because a stone may serve two frames, and because a threat may gain a move. To be on
/// the safe side, a player to move who first has to answer a threat or a sequence of threats is not ahead, and the
/// opponent is ahead in a tie.
#[derive(Clone, Debug)]
pub struct Race {
    /// The player to move.
    pub to_move: Color,
    /// White's and black's frames as [`frames`] finds them.
    pub frames: [Vec<Frame>; 2],
    /// Who is ahead, and why. `None` if neither is known to be.
    pub leader: Option<(Color, Basis)>,
}

impl Race {
    /// Evaluates a position in which nobody has won yet.
    #[must_use]
    pub fn new(position: &Position, to_move: Color) -> Race {
        Race::with_frames(position, to_move, Color::ALL.map(|color| frames(position, color)))
    }

    /// Like [`Race::new`], but takes the frames of White and of Black, as [`frames`] finds them.
    #[must_use]
    pub fn with_frames(position: &Position, to_move: Color, frames: [Vec<Frame>; 2]) -> Race {
        let race = Race { to_move, frames, leader: None };
        let (by_threats, must_answer) = threats(position, to_move);
        let by_threats = by_threats.map(|color| (color, Basis::Threats));
        let by_stones = || race.by_stones(position).map(|color| (color, Basis::Stones));
        let by_widths = || race.by_widths(must_answer).map(|color| (color, Basis::Widths));
        Race { leader: by_threats.or_else(by_stones).or_else(by_widths), ..race }
    }

    /// The tightest full frame of a colour.
    #[must_use]
    pub fn tightest(&self, color: Color) -> Option<&Frame> {
        self.frames[color.index()].first().filter(|frame| frame.full)
    }

    /// The player who wins by the theorem.
    fn by_stones(&self, position: &Position) -> Option<Color> {
        Color::ALL.into_iter().find(|&color| {
            let first = color == self.to_move;
            let frame = self.frames[color.index()].iter().find(|frame| frame.full || first);
            frame.is_some_and(|frame| needs_more(position, !color, frame.width - usize::from(first)))
        })
    }

    /// The player with the tighter full frame. In a tie, the player who is the first to continue it: the player to
    /// move, unless a threat must be answered.
    fn by_widths(&self, must_answer: bool) -> Option<Color> {
        let width = |color| self.tightest(color).map_or(usize::MAX, |frame| frame.width);
        let own = width(self.to_move);
        let other = width(!self.to_move);
        match own.cmp(&other) {
            Ordering::Equal if own == usize::MAX => None,
            Ordering::Less if must_answer => None,
            Ordering::Equal if must_answer => Some(!self.to_move),
            Ordering::Less | Ordering::Equal => Some(self.to_move),
            Ordering::Greater => Some(!self.to_move),
        }
    }
}

impl fmt::Display for Race {
    /// The race in one line, such as `white needs 4, black 5; black to move, white is ahead by widths`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |color| self.tightest(color).map_or("no frame".into(), |frame| frame.width.to_string());
        match Color::ALL.map(|color| self.tightest(color).is_some()) {
            [false, false] => write!(f, "no frames")?,
            [true, _] => write!(f, "white needs {}, black {}", width(Color::White), width(Color::Black))?,
            [false, true] => write!(f, "black needs {}, white {}", width(Color::Black), width(Color::White))?,
        }
        write!(f, "; {} to move, ", self.to_move)?;
        match self.leader {
            Some((color, Basis::Widths)) => write!(f, "{color} is ahead by widths"),
            Some((color, basis)) => write!(f, "{color} wins by {} (proven)", basis.name()),
            None => write!(f, "nobody is ahead"),
        }
    }
}

/// Whether a player needs more than this many stones to complete a structure, if the opponent passes.
fn needs_more(position: &Position, color: Color, stones: usize) -> bool {
    let structures = [Structures::BRIDGE, Structures::FORK, Structures::RING];
    structures.into_iter().all(|structure| missing_count(position, color, structure, stones).is_none())
}

/// Who wins by threats, if that is proven; and whether the player to move has to answer a threat.
fn threats(position: &Position, to_move: Color) -> (Option<Color>, bool) {
    let mut search = ThreatSearch::new(position);
    match search.look_ahead(position, to_move, true) {
        Status::Win(_) => return (Some(to_move), false),
        Status::Loss => return (Some(!to_move), true),
        Status::Draw => return (None, false),
        Status::Open => {}
    }
    if !search.prepare(position) {
        return (None, true);
    }
    if search.find_sequence(position, to_move, THREAT_POSITIONS).is_some() {
        return (Some(to_move), false);
    }
    if search.find_sequence(position, !to_move, THREAT_POSITIONS).is_none() {
        return (None, false);
    }
    search.refute_replies(position, to_move, THREAT_POSITIONS, |_| true);
    let is_lost = (0..search.candidates().len()).all(|i| search.is_refuted(i));
    (is_lost.then_some(!to_move), true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::frames::random_games::random_open_game;
    use crate::engine::solver::{Solution, Solver};
    use crate::game::game;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn the_solver_agrees_with_every_proof() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let mut proofs = [0; 2];
        for case in 0..500 {
            let side = 3 + case % 2;
            let game = random_open_game(&mut rng, side);
            let Some((leader, basis)) = Race::new(game.position(), game.to_move()).leader else { continue };
            let mut solver = Solver::new(game.geometry(), 1 << 22).unwrap();
            let solution = solver.solve(game.position(), game.to_move(), 100_000);
            let wins = match solution {
                Some(Solution::Win(_)) => leader == game.to_move(),
                Some(Solution::Loss) => leader != game.to_move(),
                Some(Solution::Draw) => false,
                None => continue,
            };
            if basis.is_proof() {
                assert!(wins, "{basis:?} for {leader}: {:?}", game.history());
                proofs[basis as usize] += 1;
            }
        }
        assert!(proofs.iter().all(|&count| count > 4), "{proofs:?}");
    }

    #[test]
    fn a_tie_is_for_the_player_who_is_first_to_go_on() {
        // Each colour needs two stones for a bridge along a side of its own.
        let game = game(5, "a1 i9 b3 h7 b4 h6 a5 i5");
        let race = Race::new(game.position(), game.to_move());
        assert_eq!(Color::ALL.map(|color| race.tightest(color).map(|frame| frame.width)), [Some(2), Some(2)]);
        assert_eq!(race.leader.map(|(color, _)| color), Some(Color::White));
        assert!(race.to_string().starts_with("white needs 2, black 2; white to move, white "), "{race}");
        let race = Race::new(game.position(), Color::Black);
        assert_eq!(race.leader.map(|(color, _)| color), Some(Color::Black));
    }

    #[test]
    fn the_tighter_frame_is_ahead() {
        let game = game(5, "a1 i9 b3 h7 b4 h6 a5 i5 a2");
        let race = Race::new(game.position(), game.to_move());
        assert_eq!(race.tightest(Color::White).map(|frame| frame.width), Some(1));
        assert_eq!(race.leader.map(|(color, _)| color), Some(Color::White));
    }
}
