//! Answers, as values that serialize to the JSON of the protocol.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

pub(super) use crate::base::math::rounded;
use crate::base::options::OptionInfo;
use crate::engine::reasons::Reason;
use crate::engine::search::Verdict;
use crate::engine::solver::ProofEstimate;
use crate::game::Color;
use crate::game::record::{NodeId, Winner};

use super::fields::FieldError;
use super::query::Task;

/// An answer to a query.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Answer {
    /// The analysis of one position.
    Analysis(Box<AnalysisAnswer>),
    /// The review of a game, or a part of it while it goes on.
    Review {
        /// The id of the query.
        id: String,
        /// What was found, as [`review::json`](crate::review::json) writes it.
        #[serde(flatten)]
        found: Value,
    },
    /// A position of a proof.
    Proof(Box<ProofAnswer>),
    /// The value of a position, or how far the solver came.
    Solution(Box<SolutionAnswer>),
    /// The version.
    Version(VersionAnswer),
    /// The options that a query can set in its field `options`.
    Options {
        /// The id of the query.
        id: String,
        /// The options, each with the value if a query sets none.
        options: Vec<OptionInfo>,
    },
    /// A board.
    Board(BoardAnswer),
    /// The table of first stones.
    FirstStones(FirstStonesAnswer),
    /// A review, a walk through a proof, or the solver was cancelled before its end.
    Cancelled {
        /// The id of the query.
        id: String,
        /// Always true.
        cancelled: bool,
    },
    /// How many answers a cancellation has cut short.
    Cancellation {
        /// The id of the query that cancelled others.
        id: String,
        /// The number of answers that come early because of it.
        stopped: usize,
    },
    /// A drawing.
    Picture {
        /// The id of the query.
        id: String,
        /// The drawing as SVG.
        svg: String,
    },
    /// The games of a file.
    Games {
        /// The id of the query.
        id: String,
        /// The games, in the order of the file.
        games: Vec<RecordedGame>,
        /// What is wrong with games of the file that are not legal, each with line and column.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        errors: Vec<String>,
    },
    /// The content of a file.
    Text {
        /// The id of the query.
        id: String,
        /// The content.
        text: String,
    },
    /// Something in a query that was ignored. The answer follows.
    Warning {
        /// The id of the query.
        id: String,
        /// What was ignored, in one line.
        warning: String,
        /// The name of the field.
        field: String,
    },
    /// A query could not be answered.
    Error(ErrorAnswer),
}

impl Answer {
    /// The answer as JSON, in one line without its end.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("an answer has only text keys")
    }

    /// Whether another answer for the same position or the same review follows.
    pub fn is_partial(&self) -> bool {
        match self {
            Answer::Analysis(analysis) => analysis.partial,
            Answer::Review { found, .. } => found["partial"] == true,
            _ => false,
        }
    }

    /// Whether another answer follows that has all of this one. Each part of a review is about another position.
    pub fn is_replaced(&self) -> bool {
        matches!(self, Answer::Analysis(analysis) if analysis.partial)
    }
}

/// Why there is no other answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorAnswer {
    /// The id of the query, if one could be read.
    pub id: Option<String>,
    /// The position that the error is about, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// What is wrong, in one line.
    pub error: String,
    /// The field that is wrong, if one is.
    pub field: Option<String>,
}

impl ErrorAnswer {
    /// An error about a text that is not a query.
    pub fn new(error: impl Into<String>) -> ErrorAnswer {
        ErrorAnswer { id: None, turn: None, error: error.into(), field: None }
    }

    /// The same error, as one about a task. Analyses name the turn.
    pub(super) fn about(self, id: &str, task: &Task, turn: usize) -> ErrorAnswer {
        let turn = matches!(task, Task::Analysis(_)).then_some(turn);
        ErrorAnswer { id: Some(id.to_owned()), turn, ..self }
    }

    /// An error about a field of the query with this id, if it has one.
    pub(super) fn from_field(id: Option<String>, error: FieldError) -> ErrorAnswer {
        ErrorAnswer { id, turn: None, error: error.message, field: Some(error.field) }
    }
}

/// The analysis of one position. Parts that were not asked for are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AnalysisAnswer {
    /// The id of the query.
    pub id: String,
    /// The number of moves before the position.
    pub turn: usize,
    /// The player to move.
    pub to_move: Color,
    /// Whether the search still runs, and another answer follows.
    #[serde(skip_serializing_if = "is_false")]
    pub partial: bool,
    /// Whether the query was cancelled.
    #[serde(skip_serializing_if = "is_false")]
    pub cancelled: bool,
    /// What the search found.
    #[serde(flatten)]
    pub search: Option<SearchAnswer>,
    /// The moves, the best one first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<MoveAnswer>>,
    /// The moves whose result is proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdicts: Option<ByVertex<Verdict>>,
    /// The move that the engine would play; `null` if the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<Option<ChoiceAnswer>>,
    /// The move to suggest to a person; `null` if the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Option<HintAnswer>>,
    /// The position itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<PositionAnswer>,
    /// The network's probability of each move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<ByVertex<f64>>,
    /// The network's chance of winning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prediction: Option<PredictionAnswer>,
    /// For each vertex, the share of playouts in which White owns it minus the share in which Black does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ownership: Option<ByVertex<f64>>,
    /// For each vertex, how closely owning it goes with winning a playout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criticality: Option<ByVertex<f64>>,
    /// The vertices on which each colour wins at once, with the structures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threats: Option<ByColor<ByVertex<Vec<&'static str>>>>,
    /// The frames of both colours, and who is ahead in the race.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<RaceAnswer>,
    /// The chains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chains: Option<Vec<ChainAnswer>>,
    /// For each colour and vertex, the stones that a bridge or a fork through it needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distances: Option<ByColor<ByVertex<Option<u32>>>>,
}

impl AnalysisAnswer {
    /// An answer without any part.
    pub fn new(id: &str, turn: usize, to_move: Color) -> AnalysisAnswer {
        AnalysisAnswer { id: id.to_owned(), turn, to_move, ..AnalysisAnswer::default() }
    }
}

/// The value of a position, or how far the solver came.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SolutionAnswer {
    /// The id of the query.
    pub id: String,
    /// The player to move.
    pub to_move: Color,
    /// Who wins if both players play perfectly; `None` if it was not found out.
    pub value: Option<Winner>,
    /// A move with which the player to move keeps the value; `None` if the player loses, or no such move is known.
    pub best: Option<String>,
    /// The number of positions that the solver visited.
    pub nodes: u64,
    /// The time it took, in seconds.
    pub seconds: f64,
    /// How far the solver came, if the value is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<ProofEstimate>,
    /// The moves in the order in which the solver's network would try them, if the value is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
}

/// What a search found. All values are from the point of view of the player to move.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SearchAnswer {
    /// The simulations of this search.
    pub simulations: u64,
    /// The time it took, in seconds.
    pub seconds: f64,
    /// The chance of winning, in \[0, 1\].
    pub win_rate: f64,
    /// The proven result.
    pub verdict: Option<Verdict>,
    /// The most moves that the winner needs, if the result is proven and this number is known.
    pub moves_to_win: Option<u32>,
    /// The best move, a vertex or `swap`; `None` if the game is over.
    pub best: Option<String>,
    /// The line that begins with the best move. If the result is proven, the loser resists, and the line goes on to the
    /// end of the game, as far as the engine knows it.
    pub pv: Vec<String>,
}

/// What a search found about a move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveAnswer {
    /// The vertex.
    #[serde(rename = "move")]
    pub vertex: String,
    /// The simulations that began with it, those of earlier searches in the same tree included.
    pub visits: u64,
    /// The chance of winning after it, in \[0, 1\]; `None` if it was not tried.
    pub win_rate: Option<f64>,
    /// The network's probability, in \[0, 1\]; `None` if it was not needed.
    pub prior: Option<f64>,
    /// The proven result.
    pub verdict: Option<Verdict>,
    /// The RAVE estimate, in searches that have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rave: Option<f64>,
    /// The expected continuation, beginning with the move; empty if it was hardly examined.
    pub pv: Vec<String>,
}

/// The move that the engine would play.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChoiceAnswer {
    /// A vertex, `swap` or `resign`.
    #[serde(rename = "move")]
    pub choice: String,
    /// The level at which it was chosen.
    pub level: u32,
}

/// The move to suggest to a person.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HintAnswer {
    /// A vertex or `swap`.
    #[serde(rename = "move")]
    pub suggested: String,
    /// Why, if that can be said in a sentence.
    pub reason: Option<Reason>,
}

/// A position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PositionAnswer {
    /// The position as one line, which the field `position` of queries takes.
    pub string: String,
    /// The player to move.
    pub to_move: Color,
    /// The colours of the stones, by their vertices.
    pub stones: ByVertex<Color>,
    /// The vertex of the last stone.
    pub last: Option<String>,
    /// The vertices on which the player to move can place a stone.
    pub legal: Vec<String>,
    /// Whether the player to move can swap.
    pub can_swap: bool,
    /// Whether the game is over.
    pub over: bool,
    /// The winner of a game that is over.
    pub winner: Option<Winner>,
    /// How the game ended: structures, `resign`, or `full board`.
    pub by: Vec<&'static str>,
    /// The vertices of the winning structures.
    pub winning: Vec<String>,
}

/// What the network says without a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PredictionAnswer {
    /// The chance of winning of the player to move, in \[0, 1\].
    pub win_rate: f64,
}

/// A chain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChainAnswer {
    /// The colour of its stones.
    pub color: Color,
    /// Its vertices.
    pub stones: Vec<String>,
    /// The corners that it holds, as numbered by the action `board`.
    pub corners: Vec<usize>,
    /// The sides that it holds, as numbered by the action `board`.
    pub sides: Vec<usize>,
}

/// The frames of both colours, and who is ahead in the race.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RaceAnswer {
    /// White's frames, the tightest first. If there is no full one, half frames.
    pub white: Vec<FrameAnswer>,
    /// Black's.
    pub black: Vec<FrameAnswer>,
    /// Who is ahead, if that is known.
    pub leader: Option<Color>,
    /// Why: `threats`, `stones` or `widths`.
    pub basis: Option<&'static str>,
    /// Whether it is proven that the leader wins.
    pub proven: bool,
    /// How far White's main chain is from each side, if White has a stone.
    pub white_edges: Option<EdgesAnswer>,
    /// How far Black's is.
    pub black_edges: Option<EdgesAnswer>,
}

/// The edge frames of a colour.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EdgesAnswer {
    /// A stone of the chain that they are about.
    pub chain: String,
    /// For each side, as numbered by the action `board`, what was found.
    pub sides: Vec<Option<EdgeAnswer>>,
}

/// How far a chain is from a side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EdgeAnswer {
    /// How many moves of the opponent the owner can ignore, or, if negative, how many moves the opponent has to ignore.
    /// `None` if the chain has reached the side.
    pub z: Option<i32>,
    /// The most stones that the owner still needs after these moves.
    pub width: usize,
    /// The empty vertices that it needs.
    pub carrier: Vec<String>,
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrameAnswer {
    /// The structures that it may become.
    pub structures: Vec<&'static str>,
    /// The corners that it connects, as numbered by the action `board`.
    pub corners: Vec<usize>,
    /// The sides that it connects, as numbered by the action `board`.
    pub sides: Vec<usize>,
    /// Whether it holds although the opponent moves first, or only if its owner does.
    pub full: bool,
    /// The most stones that its owner needs to complete a structure.
    pub width: usize,
    /// The empty vertices that it needs.
    pub carrier: Vec<String>,
}

/// A position of a proof, with the loser to move, or the end of the game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProofAnswer {
    /// The id of the query.
    pub id: String,
    /// The side length of the board.
    pub side: usize,
    /// The number of positions that the proof begins with.
    pub roots: usize,
    /// The number of positions, up to symmetry, that were checked.
    pub positions: u64,
    /// The player who wins.
    pub winner: Color,
    /// White's stones where the proof begins.
    pub white: Vec<String>,
    /// Black's stones there.
    pub black: Vec<String>,
    /// The stones since then.
    pub moves: Vec<StepAnswer>,
    /// The position after them.
    pub position: PositionAnswer,
    /// The vertices on which the winner threatens to complete structures.
    pub threats: ByVertex<Vec<&'static str>>,
    /// For each reply, the most stones until the winner has a structure, the reply included.
    pub replies: ByVertex<u8>,
    /// The longest game from here.
    pub line: Vec<StepAnswer>,
}

/// A stone of a game in which the winner follows a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepAnswer {
    /// The vertex.
    #[serde(rename = "move")]
    pub vertex: String,
    /// The player.
    pub color: Color,
    /// Whether the opponent would have completed a structure there.
    pub blocks: bool,
    /// The number of vertices where the player then threatens to complete a structure.
    pub threats: usize,
    /// The structures that the stone completes.
    pub by: Vec<&'static str>,
}

/// The answer to `version`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VersionAnswer {
    /// The id of the query.
    pub id: String,
    /// The name of the engine.
    pub name: &'static str,
    /// The version of the engine.
    pub version: &'static str,
    /// The version of the protocol. It changes only when a program written for the former one would break.
    pub protocol: u32,
    /// The side lengths of the boards.
    pub sides: Vec<usize>,
    /// The actions that queries can ask for.
    pub actions: Vec<&'static str>,
    /// The most seconds that a query can ask for.
    pub longest: f64,
}

/// The answer to `board`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoardAnswer {
    /// The id of the query.
    pub id: String,
    /// The side length.
    pub side: usize,
    /// The vertices. Their order is that of the indices in `neighbours`.
    pub vertices: Vec<VertexAnswer>,
    /// The names of rows and of lettered lines, to be written beside the board.
    pub labels: Vec<LabelAnswer>,
}

/// A vertex of a board. The distance of neighbours is 1, and `y` grows downwards.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VertexAnswer {
    /// The name.
    pub name: String,
    /// The distance to the right of the centre.
    pub x: f64,
    /// The distance below the centre.
    pub y: f64,
    /// The number of the corner that it is, from 0 to 5.
    pub corner: Option<usize>,
    /// The number of the side that it belongs to, from 0 to 5. Side *i* lies between the corners *i* and *i* + 1.
    pub side: Option<usize>,
    /// The indices of its neighbours.
    pub neighbours: Vec<usize>,
}

/// The answer to `first_stones`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FirstStonesAnswer {
    /// The id of the query.
    pub id: String,
    /// The side length.
    pub side: usize,
    /// The classes of first stones, the best for their owner first; empty if the table does not have the board.
    pub stones: Vec<FirstStoneAnswer>,
}

/// A first stone and its images under the symmetries of the board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FirstStoneAnswer {
    /// The vertices, in their order on the board.
    pub vertices: Vec<String>,
    /// How many games began with one of them.
    pub games: u32,
    /// The points of the owner of the stone in these games: 1 for a win, one half for a draw.
    pub points: f64,
    /// The chance of winning, in \[0, 1\], of the owner of the stone: the proven result, or else the estimate.
    pub value: f64,
}

/// A name beside the board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelAnswer {
    /// A letter or a number.
    pub text: String,
    /// The distance to the right of the centre.
    pub x: f64,
    /// The distance below the centre.
    pub y: f64,
}

/// A game of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordedGame {
    /// The side length of the board.
    pub side: usize,
    /// Whether the pie rule is known to have been on: there was a swap, or the game is Little Golem's.
    pub swap: bool,
    /// The name of the player with the white stones.
    pub white_player: Option<String>,
    /// The name of the player with the black stones.
    pub black_player: Option<String>,
    /// White stones that were on the board before the first move.
    pub white: Vec<String>,
    /// Black stones that were on the board before the first move.
    pub black: Vec<String>,
    /// Who plays the first move.
    pub first: Color,
    /// The moves of the main line.
    pub moves: Vec<String>,
    /// The result, on the board or as the file states it.
    pub result: Option<ResultAnswer>,
    /// Which program's vertex names were assumed, if the file does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// All nodes, the root first.
    pub tree: Vec<TreeNode>,
}

/// A node of a recorded game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TreeNode {
    /// The move: a vertex, `swap` or `resign`.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub played: Option<String>,
    /// Who played it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<Color>,
    /// White stones that are set up here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub white: Vec<String>,
    /// Black stones that are set up here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub black: Vec<String>,
    /// The comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The other properties of SGF, with their values as SGF writes them.
    #[serde(skip_serializing_if = "ByVertex::is_empty")]
    pub properties: ByVertex<Vec<String>>,
    /// The indices of the nodes that follow. The first continues the main line.
    pub children: Vec<NodeId>,
}

/// The result of a recorded game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultAnswer {
    /// The winner.
    pub winner: Winner,
    /// How the game ended: structures, `full board`, `resign`, `time` or `forfeit`; empty if the record does not say.
    #[serde(default)]
    pub by: Vec<String>,
}

/// Values by the names of vertices, in the order of the vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct ByVertex<T>(pub Vec<(String, T)>);

impl<T: Serialize> Serialize for ByVertex<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<T> ByVertex<T> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// One value for each colour.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ByColor<T> {
    /// That of white.
    pub white: T,
    /// That of black.
    pub black: T,
}

fn is_false(value: &bool) -> bool {
    !value
}
