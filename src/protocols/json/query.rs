//! Queries as typed and checked values.

use std::sync::Arc;
use std::time::Duration;

use crate::engine::search::Limits;
use crate::engine::session::{EngineOptions, PlayedGame};
use crate::game::record::{Format, Hints, Record};
use crate::game::{Color, Geometry, Mark, Vertex};
use crate::option_enum;
use crate::review;

use super::line::GameLine;

/// The most playouts of a brief analysis.
const MAX_BRIEF_PLAYOUTS: u64 = 20_000;

/// A query.
#[derive(Clone, Debug)]
pub struct Query {
    /// The name that its sender gave it. All answers have it.
    pub id: String,
    /// What the query asks for.
    pub action: Action,
    /// Fields that have no meaning in this query, in alphabetical order.
    pub unknown_fields: Vec<String>,
}

/// What a query asks for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Action {
    /// Work that takes time. Of one sender's tasks, those of higher priority begin first.
    Task {
        /// The priority.
        priority: i64,
        /// The work.
        task: Task,
    },
    /// The version of the engine and of the protocol.
    Version,
    /// The options that queries can set.
    Options,
    /// The vertices of a board.
    Board(&'static Geometry),
    /// The table of first stones of a board.
    FirstStones(&'static Geometry),
    /// The end of a query that waits or runs; `None` stands for all.
    Cancel(Option<String>),
    /// The games in the text of a file.
    ReadRecord {
        /// The field of the query that has the content.
        field: &'static str,
        /// The content of the file.
        content: Vec<u8>,
        /// What else is known about it.
        hints: Hints,
    },
    /// A drawing of a position.
    Picture(Box<PictureQuery>),
    /// The text of a file with this game.
    WriteRecord {
        /// The game.
        record: Box<Record>,
        /// The format of the file.
        format: Format,
    },
}

option_enum! {
    /// The names of the actions.
    pub enum ActionName {
        /// Analyse positions.
        Analyze = "analyze",
        /// Describe a board.
        Board = "board",
        /// Stop queries.
        Cancel = "cancel",
        /// Show the table of first stones.
        FirstStones = "first_stones",
        /// List the options.
        Options = "options",
        /// Draw a position.
        Picture = "picture",
        /// Walk through a proof.
        Proof = "proof",
        /// Read a file with games.
        ReadRecord = "read_record",
        /// Review a game.
        Review = "review",
        /// Solve a position.
        Solve = "solve",
        /// Report the version.
        Version = "version",
        /// Write a file with a game.
        WriteRecord = "write_record",
    }
}

option_enum! {
    /// How a review is written to a file.
    pub enum ReviewFormat {
        /// A page that stands on its own.
        Html = "html",
        /// Comments and variations of the record, as SGF.
        Sgf = "sgf",
    }
}

option_enum! {
    /// A part of the answer to an analysis.
    pub enum Want {
        /// The moves that the search has examined.
        Moves = "moves",
        /// The position itself: stones, legal moves, result.
        Position = "position",
        /// The move that the engine would play at the level of the query.
        Choice = "choice",
        /// The moves whose result is proven.
        Verdicts = "verdicts",
        /// The move to suggest to a person, and why.
        Hint = "hint",
        /// The probability of each move according to the network alone.
        Policy = "policy",
        /// The chance of winning according to the network alone.
        Prediction = "prediction",
        /// Who owns each vertex at the end of random playouts.
        Ownership = "ownership",
        /// How much each vertex decides random playouts.
        Criticality = "criticality",
        /// The vertices on which a player wins at once.
        Threats = "threats",
        /// The frames of both colours, and who is ahead in the race.
        Frames = "frames",
        /// The chains on the board.
        Chains = "chains",
        /// How many stones a bridge or a fork through each vertex needs.
        Distances = "distances",
    }
}

impl Want {
    /// Whether this part of an answer needs a search.
    pub fn needs_search(self) -> bool {
        matches!(self, Want::Moves | Want::Choice | Want::Verdicts | Want::Hint)
    }

    /// Whether this part of an answer needs a network that judges positions.
    pub fn needs_network(self) -> bool {
        self.needs_search() || matches!(self, Want::Policy | Want::Prediction)
    }
}

/// How long the analysis of a position takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Some milliseconds.
    Immediate,
    /// Up to a few tenths of a second.
    Brief,
    /// The check of a proof: up to some seconds.
    Proof,
    /// As long as the query allows.
    Search,
}

impl Effort {
    /// All of them, in the order of their numbers.
    pub const ALL: [Effort; 4] = [Effort::Immediate, Effort::Brief, Effort::Proof, Effort::Search];
}

/// How long to search, and with which options.
#[derive(Clone, Debug)]
pub struct SearchSettings {
    /// The most simulations of a search.
    pub simulations: Option<u64>,
    /// The most time that a search may take.
    pub time: Duration,
    /// The options. A seed makes the answers reproducible.
    pub options: EngineOptions,
}

impl SearchSettings {
    /// The limits of each search.
    pub fn limits(&self) -> Limits {
        Limits { simulations: self.simulations, soft: None, hard: Some(self.time) }
    }
}

/// Work that takes time: it waits until it is its turn, and it can be cancelled.
#[derive(Clone, Debug)]
pub enum Task {
    /// The analysis of positions.
    Analysis(Box<AnalysisQuery>),
    /// The review of a game.
    Review(Box<ReviewQuery>),
    /// A position of a proof.
    Proof(Box<ProofQuery>),
    /// The value of a position.
    Solve(Box<SolveQuery>),
}

impl Task {
    /// The positions that have an answer of their own, each given by the number of moves before it. The other tasks have
    /// one answer, for turn 0.
    pub fn turns(&self) -> &[usize] {
        match self {
            Task::Analysis(analysis) => &analysis.turns,
            Task::Review(_) | Task::Proof(_) | Task::Solve(_) => &[0],
        }
    }

    /// How long each answer takes.
    pub fn effort(&self) -> Effort {
        match self {
            Task::Analysis(analysis) => analysis.effort(),
            Task::Review(_) | Task::Solve(_) => Effort::Search,
            Task::Proof(_) => Effort::Proof,
        }
    }

    /// The board whose network the answers need; `None` if they need none that judges positions.
    pub fn network_board(&self) -> Option<&'static Geometry> {
        match self {
            Task::Analysis(analysis) => {
                analysis.want.iter().any(|want| want.needs_network()).then_some(analysis.line.board)
            }
            Task::Review(review) => Some(review.record.board()),
            Task::Proof(_) | Task::Solve(_) => None,
        }
    }

    /// How to search, if that is asked for.
    pub fn search_mut(&mut self) -> Option<&mut SearchSettings> {
        match self {
            Task::Analysis(analysis) => Some(&mut analysis.search),
            Task::Review(review) => Some(&mut review.search),
            Task::Solve(solve) => Some(&mut solve.search),
            Task::Proof(_) => None,
        }
    }
}

/// Positions to analyse, and how.
#[derive(Clone, Debug)]
pub struct AnalysisQuery {
    /// The game.
    pub line: GameLine,
    /// Who is to move in the positions analysed, if that does not follow from the moves.
    pub to_move: Option<Color>,
    /// The positions to analyse, each given by the number of moves before it.
    pub turns: Vec<usize>,
    /// How to search them.
    pub search: SearchSettings,
    /// The parts of the answers.
    pub want: Vec<Want>,
    /// The most moves in an answer.
    pub top: Option<usize>,
    /// The time between partial answers, if there are to be any.
    pub every: Option<Duration>,
}

impl AnalysisQuery {
    /// Whether this part of the answer is wanted.
    pub fn wants(&self, part: Want) -> bool {
        self.want.contains(&part)
    }

    /// Whether the answers need a search.
    pub fn needs_search(&self) -> bool {
        self.want.iter().any(|want| want.needs_search())
    }

    /// How long the analysis of each position takes.
    pub fn effort(&self) -> Effort {
        let has_playouts = self.wants(Want::Ownership) || self.wants(Want::Criticality);
        let has_many_playouts = has_playouts && self.search.options.session.analysis_playouts > MAX_BRIEF_PLAYOUTS;
        if self.needs_search() || has_many_playouts {
            Effort::Search
        } else if has_playouts || self.wants(Want::Frames) {
            Effort::Brief
        } else {
            Effort::Immediate
        }
    }

    /// The game after this many moves.
    ///
    /// # Panics
    /// If there are fewer moves.
    pub fn game(&self, turn: usize) -> PlayedGame {
        let mut game = self.line.game(turn);
        game.allow_swap(self.line.swap.unwrap_or(self.search.options.session.swap));
        if let Some(color) = self.to_move.filter(|&color| color != game.to_move()) {
            // With the pie rule, nobody can pass.
            game.allow_swap(false);
            game.set_to_move(color);
        }
        game
    }
}

/// A game to review, and how.
#[derive(Clone, Debug)]
pub struct ReviewQuery {
    /// The game.
    pub record: Record,
    /// How to search each position.
    pub search: SearchSettings,
    /// The chance of winning, in \[0, 1\], that a move has to lose to count as a mistake.
    pub mistake: f64,
    /// What an earlier review has found.
    pub known: Vec<review::KnownPosition>,
    /// The format of the file to write, if one is wanted.
    pub write: Option<ReviewFormat>,
}

/// A position of a proof: from one of its roots, after these replies of the loser.
#[derive(Clone, Debug)]
pub struct ProofQuery {
    /// The content of the file.
    pub file: Arc<[u8]>,
    /// The index of the root.
    pub root: usize,
    /// The loser's moves.
    pub replies: Vec<Vertex>,
}

/// A position to solve, and how long.
#[derive(Clone, Debug)]
pub struct SolveQuery {
    /// The position. Whether a player may swap does not matter.
    pub game: PlayedGame,
    /// The most positions that the solver may visit.
    pub nodes: Option<u64>,
    /// The time, and the memory among the options.
    pub search: SearchSettings,
}

/// A position to draw, with what is drawn on it.
#[derive(Clone, Debug)]
pub struct PictureQuery {
    /// The position.
    pub game: PlayedGame,
    /// What is drawn on vertices.
    pub marks: Vec<(Vertex, Mark)>,
    /// A line of play that begins in the position.
    pub line: Vec<Vertex>,
}
