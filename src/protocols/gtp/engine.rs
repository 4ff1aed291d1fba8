//! A session, and what only the protocol needs: a dialect, pictures of the running search, and interrupts.

use std::fmt;
use std::sync::Arc;

use crate::engine::session::{Analysis, MoveError, SearchRequest, Session, StopFlag};
use crate::game::record::{Format, Word};
use crate::game::{Color, Diagram, Game, Geometry, Move, Notation, Vertex};

use super::dialect::Dialect;
use super::live::Live;
use super::options::{GtpOptions, ProtocolOptions};
use super::protocol::CommandError;

/// A GTP engine without its streams: it is given lines and returns responses.
///
/// Takes little memory and starts no thread before its first search.
pub struct Engine {
    session: Session,
    options: ProtocolOptions,
    stop: StopFlag,
    colored: bool,
    status_line: bool,
    pub(super) has_quit: bool,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine with a new game on this board.
    pub fn new(board: &'static Geometry, options: GtpOptions) -> Engine {
        Engine {
            session: Session::new(board, options.session),
            options: options.protocol,
            stop: StopFlag::new(),
            colored: false,
            status_line: false,
            has_quit: false,
        }
    }

    /// Lets `showboard` use a terminal's colours.
    pub fn set_colored(&mut self, colored: bool) {
        self.colored = colored;
    }

    /// Shows a running search in a line on stderr, which has to be a terminal.
    pub fn set_status_line(&mut self, shown: bool) {
        self.status_line = shown;
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The session, for changing it.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// A flag that ends the running search early with the best move so far. The engine never lowers it.
    pub fn stop_flag(&self) -> StopFlag {
        self.stop.clone()
    }

    /// Whether `quit` was received.
    pub fn has_quit(&self) -> bool {
        self.has_quit
    }

    /// The dialect that is spoken now.
    pub fn dialect(&self) -> Dialect {
        self.options.gui
    }

    /// The notation of vertices in this dialect.
    pub fn notation(&self) -> Notation {
        self.options.gui.notation()
    }

    /// The style of SGF that the program at the other end reads.
    pub fn sgf_format(&self) -> Format {
        match self.options.gui {
            Dialect::GoGui => Format::GoGui,
            Dialect::HavannahGui | Dialect::LittleGolem => Format::Sgf,
        }
    }

    // Options.

    /// The options.
    pub fn options(&self) -> GtpOptions {
        GtpOptions { protocol: self.options.clone(), session: self.session.options().clone() }
    }

    /// Sets an option, as [`GtpOptions::set`] and [`Session::set_option`] do.
    ///
    /// # Errors
    /// Those of [`GtpOptions::set`]. Nothing has changed then.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), CommandError> {
        let mut options = self.options();
        options.set(name, value)?;
        self.options = options.protocol;
        self.session.set_all(options.session, [name]);
        Ok(())
    }

    // Moves.

    /// The name of a vertex.
    pub fn name_of(&self, v: Vertex) -> String {
        self.notation().name(self.session.game().geometry(), v)
    }

    /// The names of vertices, with spaces between them.
    pub fn names_of(&self, vertices: &[Vertex]) -> String {
        self.notation().names(self.session.game().geometry(), vertices).join(" ")
    }

    /// The word for a move. For GoGui, a swap is the vertex of the first stone.
    pub fn show_move(&self, m: Move) -> String {
        let first_stone = self.session.game().board().stones().next().map(|(_, v)| v);
        match (m, first_stone) {
            (Move::Swap, Some(v)) if self.options.gui.swaps_by_vertex() => self.name_of(v),
            _ => m.show(self.session.game().geometry(), self.notation()),
        }
    }

    /// The move that a word stands for in the present position.
    ///
    /// # Errors
    /// If the word is neither `swap`, `pass` or `resign` nor the name of a vertex of the board.
    pub fn read_move(&self, word: &str) -> Result<Move, CommandError> {
        Ok(self.meaning(Move::read(word, self.session.game().geometry(), self.notation())?))
    }

    /// Like [`Engine::read_move`], but a move out of turn has its colour in front: `black:e5`.
    pub(super) fn read_move_in_turn(&self, word: &Word<'_>) -> Result<(Color, Move), CommandError> {
        let game = self.session.game();
        let (color, m) = word.read(game.to_move(), game.geometry(), self.notation())?;
        Ok((color, self.meaning(m)))
    }

    /// What a move means now: in GoGui, a click on the first stone is a swap.
    fn meaning(&self, m: Move) -> Move {
        let game = self.session.game().board();
        let is_click = |v| self.options.gui.swaps_by_vertex() && game.can_swap() && !game.position().is_empty(v);
        if matches!(m, Move::Place(v) if is_click(v)) { Move::Swap } else { m }
    }

    /// Plays a move of a colour.
    ///
    /// # Errors
    /// If the move is illegal, or a pass that the dialect does not know; nothing has changed then.
    pub fn play(&mut self, color: Color, m: Move) -> Result<(), CommandError> {
        if m == Move::Pass && !self.options.gui.passes_after_the_end() {
            return Err(self.illegal(MoveError::Pass));
        }
        self.session.play_as(color, m).map_err(|error| self.illegal(error))
    }

    /// The error for an illegal move, in the words of the dialect.
    pub(super) fn illegal(&self, error: MoveError) -> CommandError {
        let hint = match error {
            MoveError::Pass if self.options.gui.passes_after_the_end() => " before the end of the game",
            MoveError::SwapOff => " ('set_option swap true' allows it)",
            _ => "",
        };
        CommandError::new(format!("illegal move: {}{hint}", error.message(self.notation())))
    }

    /// The board as text, coloured if colours are on, with the resignation if there was one.
    pub fn draw_board(&self) -> String {
        let game = self.session.game();
        self.diagram(game.board()).resigned(game.resigned()).to_string()
    }

    /// A drawing of a board in the notation and with the colours of this engine.
    pub(super) fn diagram<'a>(&self, game: &'a Game) -> Diagram<'a> {
        Diagram::new(game, self.notation()).colored(self.colored)
    }

    // Searches.

    /// Thinks about the next move of a colour, plays it and returns it. A resignation is returned but not played.
    ///
    /// # Errors
    /// If the game is over, or the search failed.
    pub fn make_move(&mut self, color: Color) -> Result<Move, CommandError> {
        Ok(self.observed(color, |request| request.make_move())?)
    }

    /// Thinks about the next move of a colour and returns it.
    ///
    /// # Errors
    /// If the game is over, or the search failed.
    pub fn choose_move(&mut self, color: Color) -> Result<Move, CommandError> {
        Ok(self.observed(color, |request| request.choose_move())?)
    }

    /// An analysis to look at: see [`Session::analyze`].
    ///
    /// # Errors
    /// If the search failed.
    pub(super) fn analyze(&mut self) -> Result<Option<Arc<Analysis>>, CommandError> {
        let color = self.session.game().to_move();
        Ok(self.observed(color, |request| request.analyze())?)
    }

    /// Thinks on the opponent's time until the flag is raised: see [`Session::ponder`].
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn ponder(&mut self, stop: &StopFlag) {
        self.session.ponder(stop);
    }

    /// Runs `work`, which searches, and shows the running search if an option asks for that.
    fn observed<T>(&mut self, color: Color, work: impl FnOnce(SearchRequest<'_>) -> T) -> T {
        let geometry = self.session.game().geometry();
        let mut live = Live::new(geometry, self.notation(), self.options.live_gfx, self.status_line);
        let is_wanted = live.is_wanted();
        let mut show = |analysis: &Arc<Analysis>| live.show(analysis);
        let request = self.session.search().color(color).stop(&self.stop);
        let result = work(if is_wanted { request.observe(&mut show) } else { request });
        live.end();
        result
    }
}
