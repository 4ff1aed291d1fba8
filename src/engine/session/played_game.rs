//! A game as it was played: stones and the swap, then a resignation and passes.

use std::fmt;

use crate::game::{Color, Game, Geometry, Move, Notation, Outcome, ParseVertexError, PlayError, UndoError, Vertex};

/// A game, with what may follow its last stone: a resignation, which ends it, and passes, which may follow the end.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    board: Game,
    resigned: Option<Color>,
    /// The colours that have passed since the end.
    passes: Vec<Color>,
}

impl PlayedGame {
    /// A game without moves, with or without the pie rule.
    pub fn new(geometry: &'static Geometry, swap: bool) -> PlayedGame {
        let mut board = Game::new(geometry);
        board.allow_swap(swap);
        PlayedGame { board, resigned: None, passes: Vec::new() }
    }

    /// The game by the rules of the board, which know no resignation.
    pub fn board(&self) -> &Game {
        &self.board
    }

    /// The geometry of the board.
    pub fn geometry(&self) -> &'static Geometry {
        self.board.geometry()
    }

    /// Switches the pie rule on or off. A swap that was played stands.
    pub fn allow_swap(&mut self, allowed: bool) {
        self.board.allow_swap(allowed);
    }

    /// Whose turn it is.
    pub fn to_move(&self) -> Color {
        let last = self.passes.last().copied().or(self.resigned);
        last.map_or_else(|| self.board.to_move(), |color| !color)
    }

    /// Makes it the turn of this colour, as if the opponent had passed, until the next move.
    pub fn set_to_move(&mut self, color: Color) {
        self.board.set_to_move(color);
    }

    /// Makes it the turn of this colour after stones that were set up: see [`Game::begin_with`].
    pub fn begin_with(&mut self, color: Color) {
        self.board.begin_with(color);
    }

    /// Takes over from a game with the same moves whose turn it was after stones that were set up.
    pub fn begin_like(&mut self, game: &Game) {
        self.board.begin_like(game);
    }

    /// The colour that resigned, if one did.
    pub fn resigned(&self) -> Option<Color> {
        self.resigned
    }

    /// Whether the game has ended, by the rules or by resignation.
    pub fn is_over(&self) -> bool {
        self.board.outcome().is_some() || self.resigned.is_some()
    }

    /// The winner of a game that is over, `Some(None)` for a draw; `None` while the game goes on.
    pub fn result(&self) -> Option<Option<Color>> {
        let resigned = self.resigned.map(|color| Some(!color));
        resigned.or_else(|| self.board.outcome().map(Outcome::winner))
    }

    /// Plays a move of a colour, in turn or out of turn. A pass is legal only after the end of the game.
    ///
    /// # Errors
    /// If the move is illegal; nothing has changed then.
    ///
    /// # Panics
    /// If a vertex is not one of the board.
    pub fn play(&mut self, color: Color, m: Move) -> Result<(), MoveError> {
        match (m, self.resigned, self.board.outcome()) {
            (Move::Pass, None, None) => return Err(MoveError::Pass),
            (Move::Pass, ..) => {}
            (_, Some(color), _) => return Err(MoveError::Resigned(color)),
            (_, None, Some(outcome)) => return Err(MoveError::GameOver(outcome)),
            (_, None, None) => {}
        }
        match m {
            Move::Place(v) => _ = self.board.place(color, v).map_err(|error| self.error(error))?,
            Move::Swap => self.swap(color)?,
            Move::Resign => self.resigned = Some(color),
            Move::Pass => self.passes.push(color),
        }
        Ok(())
    }

    fn swap(&mut self, color: Color) -> Result<(), MoveError> {
        if self.board.swap_allowed()
            && let [(owner, _)] = *self.board.history()
        {
            if color == owner {
                return Err(MoveError::OwnStone(color));
            }
            self.board.set_to_move(color);
        }
        self.board.swap().map_err(|error| self.error(error))
    }

    fn error(&self, error: PlayError) -> MoveError {
        match error {
            PlayError::Occupied(vertex) => {
                let by = self.board.position().stone(vertex).expect("an occupied vertex has a stone");
                MoveError::Occupied { geometry: self.geometry(), vertex, by }
            }
            PlayError::SwapOff => MoveError::SwapOff,
            PlayError::SwapTooLate => MoveError::SwapTooLate,
            PlayError::SwapOfOwnStone => MoveError::OwnStone(self.board.to_move()),
            PlayError::GameOver(outcome) => MoveError::GameOver(outcome),
        }
    }

    /// Takes back the last `count` moves. Stones that were set up are no moves and stay.
    ///
    /// # Errors
    /// If fewer were played; nothing has changed then.
    pub fn undo(&mut self, count: usize) -> Result<(), UndoError> {
        let played = self.move_count();
        if count > played {
            return Err(UndoError { asked: count, played });
        }
        let passes = count.min(self.passes.len());
        let resignations = (count - passes).min(self.resigned.is_some() as usize);
        self.board.undo(count - passes - resignations)?;
        self.passes.truncate(self.passes.len() - passes);
        if resignations > 0 {
            self.resigned = None;
        }
        Ok(())
    }

    /// The legal moves except resignation and passes: the empty vertices in order, then the swap. Empty after the end.
    #[must_use]
    pub fn legal_moves(&self) -> Vec<Move> {
        if self.is_over() {
            return Vec::new();
        }
        let places = self.board.position().empty_vertices().map(Move::Place);
        places.chain(self.board.can_swap().then_some(Move::Swap)).collect()
    }

    /// How many of the first stones were set up, such as those of a handicap: see [`Game::played`].
    pub fn set_up(&self) -> usize {
        self.board.history().len() - self.board.played().len()
    }

    /// How many moves were played since then, which can be taken back; swap, resignation and passes included.
    pub fn move_count(&self) -> usize {
        self.len() - self.set_up()
    }

    /// How many moves were played, with the stones that were set up; swap, resignation and passes included.
    pub fn len(&self) -> usize {
        self.board.history().len() + self.resigned.is_some() as usize + self.passes.len()
    }

    /// Whether no move was played.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What was played, first move first.
    #[must_use]
    pub fn moves(&self) -> Vec<(Color, Move)> {
        let resignation = self.resigned.map(|color| (color, Move::Resign));
        let passes = self.passes.iter().map(|&color| (color, Move::Pass));
        self.board.history().iter().copied().chain(resignation).chain(passes).collect()
    }
}

impl From<Game> for PlayedGame {
    /// The game without a resignation.
    fn from(board: Game) -> PlayedGame {
        PlayedGame { board, resigned: None, passes: Vec::new() }
    }
}

/// What stands for a move on a board: a [`Move`], a [`Vertex`], or a word that [`Move::read`] reads in HavannahGui's
/// notation, such as `f6` or `swap`.
pub trait IntoMove {
    /// The move.
    ///
    /// # Errors
    /// If it is a word that names no move on this board.
    fn into_move(self, board: &Geometry) -> Result<Move, MoveError>;
}

impl IntoMove for Move {
    fn into_move(self, _board: &Geometry) -> Result<Move, MoveError> {
        Ok(self)
    }
}

impl IntoMove for Vertex {
    fn into_move(self, _board: &Geometry) -> Result<Move, MoveError> {
        Ok(Move::Place(self))
    }
}

impl IntoMove for &str {
    fn into_move(self, board: &Geometry) -> Result<Move, MoveError> {
        Move::read(self, board, Notation::HavannahGui).map_err(MoveError::Unreadable)
    }
}

/// Why a move is illegal.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MoveError {
    /// The word is not a move on the board.
    Unreadable(ParseVertexError),
    /// The vertex is occupied.
    Occupied {
        /// The board.
        geometry: &'static Geometry,
        /// The vertex.
        vertex: Vertex,
        /// The colour of the stone there.
        by: Color,
    },
    /// The game has ended on the board.
    GameOver(Outcome),
    /// This colour has resigned.
    Resigned(Color),
    /// The pie rule is off.
    SwapOff,
    /// The pie rule is for the second move only.
    SwapTooLate,
    /// The first stone is this colour's own: only the opponent may swap.
    OwnStone(Color),
    /// There is no pass before the end of the game.
    Pass,
}

impl MoveError {
    /// What is wrong, with vertices named in this notation.
    pub fn message(&self, notation: Notation) -> String {
        match *self {
            MoveError::Unreadable(ref error) => error.to_string(),
            MoveError::Occupied { geometry, vertex, by } => {
                format!("{} is occupied by {by}", notation.name(geometry, vertex))
            }
            MoveError::GameOver(outcome) => PlayError::GameOver(outcome).to_string(),
            MoveError::Resigned(color) => format!("the game is over: {color} resigned"),
            MoveError::SwapOff => PlayError::SwapOff.to_string(),
            MoveError::SwapTooLate => PlayError::SwapTooLate.to_string(),
            MoveError::OwnStone(color) => format!("the first stone is {color}'s own, only {} may swap", !color),
            MoveError::Pass => "there is no pass in Havannah".into(),
        }
    }
}

impl fmt::Display for MoveError {
    /// The message, with vertices named as HavannahGui names them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(Notation::HavannahGui))
    }
}

impl std::error::Error for MoveError {}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    fn game(moves: &str) -> PlayedGame {
        let mut game = PlayedGame::new(Geometry::with_side(3).unwrap(), true);
        for name in moves.split_whitespace() {
            let v = Notation::HavannahGui.parse(game.geometry(), name).unwrap();
            game.play(game.to_move(), Move::Place(v)).unwrap();
        }
        game
    }

    #[test]
    fn a_resignation_ends_the_game_and_can_be_taken_back() {
        let mut game = game("a1 c3");
        game.play(Black, Move::Resign).unwrap();
        assert_eq!((game.result(), game.resigned(), game.to_move()), (Some(Some(White)), Some(Black), White));
        assert_eq!(game.play(White, Move::Place(Vertex(4))), Err(MoveError::Resigned(Black)));
        assert_eq!(game.play(White, Move::Resign), Err(MoveError::Resigned(Black)));
        game.undo(1).unwrap();
        assert_eq!((game.result(), game.resigned(), game.to_move(), game.len()), (None, None, White, 2));
    }

    #[test]
    fn passes_follow_the_end_only() {
        let mut game = game("a1 c3 a2 d4");
        assert_eq!(game.play(White, Move::Pass), Err(MoveError::Pass));
        let a3 = Notation::HavannahGui.parse(game.geometry(), "a3").unwrap();
        game.play(White, Move::Place(a3)).unwrap();
        game.play(Black, Move::Pass).unwrap();
        game.play(White, Move::Pass).unwrap();
        assert_eq!((game.len(), game.to_move(), game.result()), (7, Black, Some(Some(White))));
        assert_eq!(game.moves()[5..], [(Black, Move::Pass), (White, Move::Pass)]);
        assert_eq!(game.undo(8), Err(UndoError { asked: 8, played: 7 }));
        game.undo(3).unwrap();
        assert_eq!((game.len(), game.is_over(), game.to_move()), (4, false, White));
    }

    #[test]
    fn only_the_opponent_swaps_and_only_the_first_stone() {
        let mut game = game("a1");
        assert_eq!(game.play(White, Move::Swap), Err(MoveError::OwnStone(White)));
        game.play(Black, Move::Swap).unwrap();
        assert_eq!(game.moves(), [(White, Move::Place(Vertex(0))), (Black, Move::Swap)]);
        assert_eq!(game.play(White, Move::Swap), Err(MoveError::SwapTooLate));
        game.allow_swap(false);
        assert_eq!(game.play(White, Move::Swap), Err(MoveError::SwapOff));
    }

    #[test]
    fn an_occupied_vertex_is_named_in_the_notation_that_is_asked_for() {
        let mut game = game("a1");
        let error = game.play(Black, Move::Place(Vertex(0))).unwrap_err();
        assert_eq!(error.to_string(), "a1 is occupied by white");
        assert_eq!(error.message(Notation::GoGui), "A1 is occupied by white");
        assert_eq!(game.len(), 1);
    }
}
