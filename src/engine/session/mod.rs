//! The engine behind every front end: one typed [`Session`] that holds a game, its clocks, the options and the search.
//!
//! The Go Text Protocol ([`crate::protocols::gtp`]), `malecon play`, GoGui's pictures and self-play are adapters around
//! it: they translate between text and the methods and values of a session.
//!
//! | module | what it holds |
//! |---|---|
//! | [`played_game`] | the game, with the resignation and the passes that may end it |
//! | [`options`] | all that a session is made with, as one value |
//! | `request` | how a caller asks for a search |
//! | `searching`, `beside` | searching while the caller waits, and beside it |
//! | `shared` | what a session shares with a search beside its caller |
//! | `analysis` | what a search found: chances, lines, hints |
//! | [`chance`] | the chance of winning that users see |
//! | `failure` | panics of searches as errors |
//! | `choice` | the move to play after a search, or without one |
//! | `pie_rule` | which first stone to place, when to swap, and the chance of winning then |
//! | `table` | the error of the engine's tables |
//! | [`first_stones`], `first_stone_search` | what each first stone is worth: by games, or by a search |
//! | `levels` | play below full strength |
//! | [`files`] | loading and saving the game |
//! | `exact` | the exact value of the position, on small boards |
//! | [`handicap`] | stones of the first player before the game |
//!
//! # Example
//!
//! ```
//! use malecon::Session;
//!
//! let mut session = Session::on_side(5)?;
//! session.set_option("simulations", "200")?;
//! // White moves first. The engine thinks, plays its move and returns it.
//! session.search().make_move()?;
//! let analysis = session.last_analysis().expect("a search was made");
//! assert!((0.0..=1.0).contains(&analysis.report.win_rate));
//! assert_eq!(session.game().len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analysis;
#[cfg(not(target_family = "wasm"))]
mod beside;
pub mod chance;
mod choice;
mod exact;
pub(crate) mod failure;
pub mod files;
mod first_stone_search;
pub mod first_stones;
pub mod handicap;
mod levels;
pub mod options;
pub(crate) mod pie_rule;
pub mod played_game;
mod request;
mod searching;
mod shared;
mod table;

use std::fmt;
use std::sync::Arc;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::base::options::{OptionError, canonical_name};
use crate::engine::frames::{EdgeFrames, Race, edge_frames};
use crate::engine::inspect::chains::{Chain, chains};
use crate::engine::inspect::connection::stones_to_win;
use crate::engine::inspect::playouts::PlayoutStatistics;
use crate::engine::inspect::prediction::{Prediction, predict};
use crate::engine::inspect::threats::winning_vertices;
use crate::engine::search::{Clock, Limits, RootNoise, Searcher};
use crate::game::record::Record;
use crate::game::{Color, Geometry, Move, SideError, Structures, UndoError, Vertex};

pub use crate::base::sync::StopFlag;
pub use crate::engine::search::SearchError;
pub use analysis::{Analysis, Hint};
#[cfg(not(target_family = "wasm"))]
pub use beside::{Event, Thinking};
pub use exact::SolveError;
pub use files::LoadError;
pub use handicap::HandicapError;
pub use options::{EngineOptions, SessionOptions};
pub use played_game::{IntoMove, MoveError, PlayedGame};
pub use request::{Observer, SearchRequest};
pub use table::TableError;

use files::MoveNote;
use options::Seed;
use request::Task;
use shared::{Latest, SharedSearcher};

/// Simulations of a search whose result does not decide the move.
const DECIDED_SIMULATIONS: u64 = 200;

/// A game and an engine that thinks about it.
///
/// A session takes little memory and starts no thread before its first search. A call that returns an error has not
/// changed the game.
pub struct Session {
    game: PlayedGame,
    clock: Clock,
    options: EngineOptions,
    searcher: SharedSearcher,
    /// The searcher of the levels below full strength. It has options of its own, and does not use what other searches
    /// found.
    level_searcher: SharedSearcher,
    /// For random choices outside the search: first stones, and the moves of levels below full strength.
    rng: Xoshiro256PlusPlus,
    /// The seed of the searcher, until a search has logged it.
    unreported_seed: Option<u64>,
    /// What the last search of this game has found.
    latest: Latest,
    /// The record that the game was loaded from.
    loaded: Option<Record>,
    /// What the engine thought about its own moves, in their order.
    notes: Vec<MoveNote>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("game", &self.game).field("options", &self.options).finish_non_exhaustive()
    }
}

impl Session {
    /// A new game on this board.
    pub fn new(board: &'static Geometry, options: EngineOptions) -> Session {
        let seed = options.session.seed.pick();
        let mut searcher = Searcher::new(options.search.clone(), seed);
        searcher.set_network(Arc::clone(&options.network));
        searcher.set_proofs(options.proofs.clone());
        let mut level_searcher = Searcher::new(levels::search_options(), seed);
        level_searcher.set_network(Arc::clone(&options.network));
        let mut clock = Clock::default();
        clock.set_overhead(options.session.overhead_time());
        Session {
            game: PlayedGame::new(board, options.session.swap),
            clock,
            options,
            searcher: SharedSearcher::new(searcher),
            level_searcher: SharedSearcher::new(level_searcher),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            unreported_seed: Some(seed),
            latest: Latest::default(),
            loaded: None,
            notes: Vec::new(),
        }
    }

    /// A new game on the board of this side length, with default options.
    ///
    /// # Errors
    /// If there is no board of this side length.
    pub fn on_side(side: usize) -> Result<Session, SideError> {
        Ok(Session::new(Geometry::with_side(side)?, EngineOptions::default()))
    }

    // Game.

    /// The game.
    pub fn game(&self) -> &PlayedGame {
        &self.game
    }

    /// Starts a new game. The clocks start again under the same time control. A running search is stopped, and the
    /// search tree is forgotten.
    pub fn new_game(&mut self, board: &'static Geometry) {
        self.game = PlayedGame::new(board, self.options.session.swap);
        self.clock.restart();
        self.searcher.lock().clear();
        self.level_searcher.lock().clear();
        self.latest = Latest::default();
        self.loaded = None;
        self.notes.clear();
    }

    /// Starts a new game in the position of another one, with the moves that were played since its beginning. That
    /// game, not the option `swap`, decides whether there may be a swap.
    pub fn set_position(&mut self, game: impl Into<PlayedGame>) {
        let game = game.into();
        self.new_game(game.geometry());
        self.loaded = Some(Record::from_position(&game.board().start()));
        self.game = game;
    }

    /// Plays a move of the player to move: a [`Move`], a [`Vertex`], or a word as HavannahGui writes it.
    ///
    /// ```
    /// let mut session = malecon::Session::on_side(6)?;
    /// session.play("f6")?;
    /// assert_eq!(session.play("f6").unwrap_err().to_string(), "f6 is occupied by white");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the move is illegal, or the word is not a move; nothing has changed then.
    ///
    /// # Panics
    /// If a vertex is not one of the board.
    pub fn play(&mut self, m: impl IntoMove) -> Result<(), MoveError> {
        self.play_as(self.game.to_move(), m)
    }

    /// Like [`Session::play`], but plays a move of this player, in turn or out of turn.
    ///
    /// # Errors
    /// Those of [`Session::play`].
    ///
    /// # Panics
    /// If a vertex is not one of the board.
    pub fn play_as(&mut self, color: Color, m: impl IntoMove) -> Result<(), MoveError> {
        let m = m.into_move(self.game.geometry())?;
        self.game.play(color, m)
    }

    /// Plays moves, all or none.
    ///
    /// # Errors
    /// The index of the first illegal move, from 0, and what is wrong with it; nothing has changed then.
    ///
    /// # Panics
    /// If a vertex is not one of the board.
    pub fn play_all(&mut self, moves: &[(Color, Move)]) -> Result<(), (usize, MoveError)> {
        let before = self.game.clone();
        for (i, &(color, m)) in moves.iter().enumerate() {
            if let Err(error) = self.game.play(color, m) {
                self.game = before;
                return Err((i, error));
            }
        }
        Ok(())
    }

    /// Takes back the last `count` moves. Stones that were set up stay.
    ///
    /// # Errors
    /// If fewer were played; nothing has changed then.
    pub fn undo(&mut self, count: usize) -> Result<(), UndoError> {
        self.game.undo(count)?;
        self.forget_notes_from(self.game.len());
        Ok(())
    }

    /// Puts back an earlier state of the game.
    pub(crate) fn restore_game(&mut self, game: PlayedGame) {
        self.game = game;
        self.forget_notes_from(self.game.len());
    }

    // Clocks.

    /// The clocks of both players.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The clocks of both players, to be set.
    pub fn clock_mut(&mut self) -> &mut Clock {
        &mut self.clock
    }

    // Options.

    /// The options.
    pub fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// Changes the options. A change of the search's options, the network, the proofs or the seed stops a running
    /// search and forgets the search tree. A change of the number of threads or of `swap` stops it, too, and keeps the
    /// tree.
    pub fn set_options(&mut self, options: EngineOptions) {
        self.set_all(options, []);
    }

    /// Like [`Session::set_options`], for options that a user set by these names. Naming the seed restarts the random
    /// numbers and forgets the search tree, even if the seed is the same.
    pub fn set_all<'a>(&mut self, options: EngineOptions, named: impl IntoIterator<Item = &'a str>) {
        let names_seed = named.into_iter().any(|name| canonical_name(name) == "seed");
        let before = std::mem::replace(&mut self.options, options);
        let now = &self.options;
        if now.search != before.search {
            self.searcher.lock().set_options(now.search.clone());
            self.latest.mark_outdated();
        }
        if !Arc::ptr_eq(&now.network, &before.network) {
            self.searcher.lock().set_network(Arc::clone(&now.network));
            self.level_searcher.lock().set_network(Arc::clone(&now.network));
            self.latest.mark_outdated();
        }
        if now.proofs.as_ref().map(Arc::as_ptr) != before.proofs.as_ref().map(Arc::as_ptr) {
            self.searcher.lock().set_proofs(now.proofs.clone());
            self.latest.mark_outdated();
        }
        if now.session.swap != before.session.swap {
            // A search of the other rule must not report after this.
            drop(self.searcher.lock());
            self.game.allow_swap(now.session.swap);
            self.latest.mark_outdated();
        }
        if names_seed || now.session.seed != before.session.seed {
            self.reseed();
        }
        self.clock.set_overhead(self.options.session.overhead_time());
    }

    /// Sets an option by its name: see [`EngineOptions::set`] and [`Session::set_all`].
    ///
    /// # Errors
    /// Those of [`EngineOptions::set`]; nothing has changed then.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let mut options = self.options.clone();
        options.set(name, value)?;
        self.set_all(options, [name]);
        Ok(())
    }

    /// Sets the seed of the random numbers and forgets the search tree.
    pub fn set_seed(&mut self, seed: u64) {
        let mut options = self.options.clone();
        options.session.seed = Seed(Some(seed));
        self.set_all(options, ["seed"]);
    }

    /// Adds noise to the priors of the root in the next search: see [`Searcher::set_root_noise`].
    pub fn set_root_noise(&mut self, noise: RootNoise) {
        self.searcher.lock().set_root_noise(noise);
    }

    /// Restarts the random numbers from the seed, or from a seed picked at random, and forgets the search tree.
    fn reseed(&mut self) {
        let seed = self.options.session.seed.pick();
        self.searcher.lock().set_seed(seed);
        self.level_searcher.lock().set_seed(seed);
        self.rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        self.unreported_seed = Some(seed);
    }

    // Moves of the engine.

    /// The limits for the next move of a colour: its clock, where one was set; the option `simulations`, with or
    /// without a clock; else the option `seconds`.
    pub fn limits(&self, color: Color) -> Limits {
        let game = self.game.board();
        let empty = game.geometry().vertex_count() - game.stone_count();
        let simulations = self.options.session.simulation_limit();
        let seconds = || simulations.is_none().then(|| self.options.session.thinking_time());
        let budget = self.clock.budget(color, empty);
        match self.clock.longest(color, empty) {
            Some(longest) => Limits { simulations, soft: budget, hard: Some(longest) },
            None => Limits { simulations, soft: None, hard: budget.or_else(seconds) },
        }
    }

    /// The limits of an analysis for people: the option `analysis_seconds`, and the option `simulations` if it is set.
    pub fn analysis_limits(&self) -> Limits {
        let options = &self.options.session;
        Limits { simulations: options.simulation_limit(), hard: Some(options.analysis_time()), ..Limits::default() }
    }

    /// The move to play: see [`SearchRequest::choose_move`].
    fn choose(&mut self, task: Task<'_>) -> Result<Move, SearchError> {
        if self.game.is_over() {
            return Err(SearchError::GameOver);
        }
        let color = task.color;
        let chosen = match levels::style(self.options.session.level) {
            None => self.choose_best(task),
            Some(style) => self.choose_in_style(style, task),
        };
        match chosen {
            Err(error @ (SearchError::Failed(_) | SearchError::NoMemory)) => {
                log::error!("{error}");
                self.latest.clear();
                Ok(Move::Place(choice::without_search(self.game.board(), color, &*self.options.network)))
            }
            other => other,
        }
    }

    /// The move at full strength, in a game that is not over. Under the pie rule, the table of first stones decides
    /// before the search does.
    fn choose_best(&mut self, mut task: Task<'_>) -> Result<Move, SearchError> {
        let color = task.color;
        let decided = pie_rule::decide(self.game.board(), color, &mut self.rng);
        if decided.is_some() {
            // A short search, so that there is an analysis of the position to show.
            let simulations = &mut task.limits.simulations;
            *simulations = Some(simulations.map_or(DECIDED_SIMULATIONS, |n| n.min(DECIDED_SIMULATIONS)));
        }
        let analysis = self.search_for(task)?;
        let game = self.game.board();
        Ok(match decided {
            Some(m) => m,
            None if pie_rule::is_first_stone(game) => {
                Move::Place(first_stones::random_image(game.geometry(), analysis.report.best, &mut self.rng))
            }
            None => choice::choose(game, &self.options.session, color, &analysis),
        })
    }

    /// Plays a move that the last search has chosen in the present position, unless it is a resignation. The game's
    /// record then marks it as the engine's own.
    ///
    /// # Panics
    /// If the move is illegal.
    pub fn play_chosen(&mut self, color: Color, m: Move) {
        if m != Move::Resign {
            self.game.play(color, m).expect("the engine chooses legal moves");
            self.note_move(color, m);
        }
    }

    // What is known of the position.

    /// What the last search of this game has found so far, whether it still runs or has ended. It may be about an
    /// earlier position.
    pub fn last_analysis(&self) -> Option<Arc<Analysis>> {
        self.latest.get()
    }

    /// The probability of each move, and of winning for the player to move, according to the network alone. After the end
    /// of the game, they mean nothing.
    pub fn prediction(&self) -> Prediction {
        predict(self.game.board(), &*self.options.network)
    }

    /// Who owns each vertex at the end of random playouts from the position, and how much that decides. The same
    /// position and seed give the same statistics, unless `is_done` ends the playouts early.
    pub fn playout_statistics(&self, seed: u64, is_done: impl Fn() -> bool) -> PlayoutStatistics {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let playouts = self.options.session.analysis_playouts;
        PlayoutStatistics::sample(self.game.board(), playouts, &mut rng, is_done)
    }

    /// The vertices on which a colour would win at once, with the structures that it would complete.
    pub fn winning_vertices(&self, color: Color) -> Vec<(Vertex, Structures)> {
        winning_vertices(self.game.board(), color)
    }

    /// The frames of both colours, and who is ahead; `None` if the game is over. While the player to move may swap,
    /// nobody is ahead.
    pub fn race(&self) -> Option<Race> {
        let game = self.game.board();
        let race = || Race::new(game.position(), game.to_move());
        let known = |race: Race| if game.can_swap() { Race { leader: None, ..race } } else { race };
        game.outcome().is_none().then(race).map(known)
    }

    /// The edge frames of white and of black, each `None` for a player without a stone; `None` if the game is over.
    pub fn edge_frames(&self) -> Option<[Option<EdgeFrames>; 2]> {
        let game = self.game.board();
        game.outcome().is_none().then(|| Color::ALL.map(|color| edge_frames(game.position(), color)))
    }

    /// The chains on the board.
    pub fn chains(&self) -> Vec<Chain> {
        chains(self.game.board().position())
    }

    /// For each vertex the number of stones that a colour needs for a bridge or a fork through it; `None` where there
    /// can be none.
    pub fn stones_to_win(&self, color: Color) -> Vec<Option<u32>> {
        stones_to_win(self.game.board().position(), color)
    }
}
