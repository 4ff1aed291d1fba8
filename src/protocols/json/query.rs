//! Queries: their JSON text as typed and checked values.

use std::time::Duration;

use serde_json::Value;

use crate::base::options::OptionValue;
use crate::engine::search::Limits;
use crate::engine::session::options::{MAX_LEVEL, MIN_LEVEL, Seed};
use crate::engine::session::{Options, PlayedGame};
use crate::game::record::{Format, Record};
use crate::game::{Color, Geometry, Mark, Move, Notation, Vertex};
use crate::option_enum;
use crate::review;

use super::answer::ErrorAnswer;
use super::fields::{FieldError, Fields, shown};
use super::line::{Line, game_after, read_line};
use super::proof::{self, ProofQuery};
use super::settings::{Settings, set_for_query};
use super::tree;

/// The longest id of a query, in bytes.
const MAX_ID: usize = 1000;

/// Seconds to search a position for which the query gives no limit.
const DEFAULT_SECONDS: f64 = 1.0;

/// The longest text on a vertex of a picture, in characters.
const MAX_MARK: usize = 8;

/// The most simulations that a query may ask for.
const MAX_SIMULATIONS: u64 = 1_000_000_000_000;

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
pub enum Action {
    /// The analysis of positions, the review of a game, or a position of a proof.
    Analyze(Box<AnalysisQuery>),
    /// The version of the engine and of the protocol.
    Version,
    /// The options that queries can set.
    Options,
    /// The vertices of a board.
    Board(&'static Geometry),
    /// The end of a query that waits or runs; `None` stands for all.
    Cancel(Option<String>),
    /// The games in the text of a file.
    ReadRecord {
        /// The content of the file.
        text: String,
        /// The format, if it is not to be recognized by the content.
        format: Option<Format>,
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
}

/// How long the analysis of a position takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Some milliseconds.
    Immediate,
    /// Up to a few tenths of a second.
    Brief,
    /// As long as the query allows.
    Search,
}

impl Effort {
    /// All of them, from the shortest.
    pub const ALL: [Effort; 3] = [Effort::Immediate, Effort::Brief, Effort::Search];
}

/// The most playouts of a brief analysis.
const MAX_BRIEF_PLAYOUTS: u64 = 20_000;

/// Positions to analyse, and how.
#[derive(Clone, Debug)]
pub struct AnalysisQuery {
    /// The board.
    pub board: &'static Geometry,
    /// Stones on the board before the first move.
    pub stones: Vec<(Color, Vertex)>,
    /// The moves of the game. They are legal.
    pub moves: Vec<(Color, Move)>,
    /// Who plays the first move.
    pub first: Color,
    /// Who is to move in the positions analysed, if that does not follow from the moves.
    pub to_move: Option<Color>,
    /// The positions to analyse, each given by the number of moves before it.
    pub turns: Vec<usize>,
    /// The most simulations of a search.
    pub simulations: Option<u64>,
    /// The most time that a search may take.
    pub time: Duration,
    /// The parts of the answers.
    pub want: Vec<Want>,
    /// The most moves in an answer.
    pub top: Option<usize>,
    /// The time between partial answers, if there are to be any.
    pub every: Option<Duration>,
    /// Queries of higher priority are answered first.
    pub priority: i64,
    /// The options. A seed makes the answers reproducible.
    pub options: Options,
    /// The game and how to review it, if that is asked for. Then `turns` is `[0]`, and `want` is empty.
    pub review: Option<Box<ReviewQuery>>,
    /// The proof to walk through, if that is asked for. Then the rest is as for a review.
    pub proof: Option<Box<ProofQuery>>,
}

/// The review that a query asks for.
#[derive(Clone, Debug)]
pub struct ReviewQuery {
    /// The game.
    pub record: Record,
    /// How to review it.
    pub settings: review::Settings,
    /// The file to write of it, if there is to be one.
    pub write: Option<ReviewFormat>,
}

impl AnalysisQuery {
    /// Whether this part of the answer is wanted.
    pub fn wants(&self, part: Want) -> bool {
        self.want.contains(&part)
    }

    /// Whether the answers need a search.
    pub fn needs_search(&self) -> bool {
        self.review.is_some() || self.want.iter().any(|want| want.needs_search())
    }

    /// How long the analysis of each position takes.
    pub fn effort(&self) -> Effort {
        let has_playouts = self.wants(Want::Ownership) || self.wants(Want::Criticality);
        if self.needs_search() || (has_playouts && self.options.session.analysis_playouts > MAX_BRIEF_PLAYOUTS) {
            Effort::Search
        } else if has_playouts || self.wants(Want::Frames) || self.proof.is_some() {
            Effort::Brief
        } else {
            Effort::Immediate
        }
    }

    /// The limits of each search.
    pub fn limits(&self) -> Limits {
        Limits { simulations: self.simulations, time: Some(self.time), longest: None }
    }

    /// The game after this many moves.
    ///
    /// # Panics
    /// If there are fewer moves.
    pub fn game(&self, turn: usize) -> PlayedGame {
        let mut game = game_after(self.board, &self.stones, &self.moves[..turn], self.first);
        game.allow_swap(self.options.session.swap);
        if let Some(color) = self.to_move.filter(|&color| color != game.to_move()) {
            // The pie rule knows no pass.
            game.allow_swap(false);
            game.set_to_move(color);
        }
        game
    }
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

impl Query {
    /// Reads a query from a JSON object. `settings` are the options that hold where the query sets none.
    ///
    /// # Errors
    /// If the text is no JSON object, or a field has no legal value.
    pub fn read(text: &str, settings: &Settings) -> Result<Query, ErrorAnswer> {
        let value = serde_json::from_str(text).map_err(|error| ErrorAnswer::new(format!("invalid JSON: {error}")))?;
        let Value::Object(object) = value else {
            return Err(ErrorAnswer::new(format!("expected a JSON object, got {}", shown(&value))));
        };
        let mut fields = Fields::new(object);
        let id = read_id(&mut fields).map_err(|error| ErrorAnswer::of_field(None, error))?;
        match read_action(&mut fields, settings) {
            Ok(action) => {
                let unknown_fields = fields.unread().map(str::to_owned).collect();
                Ok(Query { id, action, unknown_fields })
            }
            Err(error) => Err(ErrorAnswer::of_field(Some(id), error)),
        }
    }
}

fn read_id(fields: &mut Fields) -> Result<String, FieldError> {
    let id = fields.required("id", Fields::string)?;
    match id.len() {
        0..=MAX_ID => Ok(id),
        _ => Err(FieldError::new("id", format!("longer than {MAX_ID} bytes"))),
    }
}

fn read_action(fields: &mut Fields, settings: &Settings) -> Result<Action, FieldError> {
    Ok(match fields.choice("action")?.unwrap_or(ActionName::Analyze) {
        ActionName::Analyze => Action::Analyze(Box::new(read_analysis(fields, settings)?)),
        ActionName::Review => Action::Analyze(Box::new(read_review(fields, settings)?)),
        ActionName::Proof => Action::Analyze(Box::new(read_proof(fields, settings)?)),
        ActionName::Version => Action::Version,
        ActionName::Options => Action::Options,
        ActionName::Board => Action::Board(fields.board()?),
        ActionName::Cancel => Action::Cancel(fields.string("of")?),
        ActionName::Picture => Action::Picture(Box::new(read_picture(fields)?)),
        ActionName::ReadRecord => {
            let text = fields.required("text", Fields::string)?;
            Action::ReadRecord { text, format: fields.choice("format")? }
        }
        ActionName::WriteRecord => {
            let format = fields.choice("format")?.unwrap_or(Format::Sgf);
            Action::WriteRecord { record: Box::new(tree::read(fields)?), format }
        }
    })
}

fn read_analysis(fields: &mut Fields, settings: &Settings) -> Result<AnalysisQuery, FieldError> {
    let board = fields.board()?;
    let mut query = read_game(fields, board, settings)?;
    query.to_move = fields.color("to_move")?;
    query.turns = read_turns(fields, query.moves.len())?;
    query.want = read_want(fields)?;
    query.top = fields.integer("top", 0..=u32::MAX.into())?.map(|top| top as usize);
    query.every = fields.number("every", 0.01..=1e6)?.map(Duration::from_secs_f64);
    if let Some(level) = fields.integer("level", MIN_LEVEL.into()..=MAX_LEVEL.into())? {
        query.options.session.level = level as u32;
    }
    Ok(query)
}

fn read_review(fields: &mut Fields, settings: &Settings) -> Result<AnalysisQuery, FieldError> {
    let board = fields.board()?;
    let mut query = read_game(fields, board, settings)?;
    let line = Line { stones: query.stones.clone(), moves: query.moves.clone(), first: query.first };
    let record = tree::read_record(fields, query.board, &line)?;
    let mut settings =
        review::Settings { limits: query.limits(), swap: query.options.session.swap, ..review::Settings::default() };
    settings.mistake = fields.number("mistake", 0.01..=1.0)?.unwrap_or(settings.mistake);
    for (i, part) in
        fields.list("known", "an object", |part| part.is_object().then(|| part.clone()))?.iter().enumerate()
    {
        let known = review::Known::read(&record, part).map_err(|reason| FieldError::of_element("known", i, reason))?;
        settings.known.push(known);
    }
    let write = fields.choice("write")?;
    query.review = Some(Box::new(ReviewQuery { record, settings, write }));
    Ok(query)
}

fn read_proof(fields: &mut Fields, settings: &Settings) -> Result<AnalysisQuery, FieldError> {
    let (board, proof) = proof::read(fields)?;
    let nothing = &mut Fields::new(serde_json::Map::new());
    let mut query = read_game(nothing, board, settings)?;
    query.priority = fields.signed("priority")?.unwrap_or(0);
    query.proof = Some(Box::new(proof));
    Ok(query)
}

/// Reads the fields that analyses and reviews share. Nothing but the search of the first position is asked for.
fn read_game(fields: &mut Fields, board: &'static Geometry, settings: &Settings) -> Result<AnalysisQuery, FieldError> {
    let Line { stones, moves, first } = read_line(fields, board)?;
    let options = read_options(fields, settings)?;
    let simulations = fields.integer("simulations", 1..=MAX_SIMULATIONS)?;
    let seconds = fields.number("seconds", 0.001..=settings.longest)?;
    let otherwise = if simulations.is_some() { settings.longest } else { DEFAULT_SECONDS.min(settings.longest) };
    Ok(AnalysisQuery {
        board,
        stones,
        moves,
        first,
        to_move: None,
        turns: vec![0],
        simulations,
        time: Duration::from_secs_f64(seconds.unwrap_or(otherwise)),
        want: Vec::new(),
        top: None,
        every: None,
        priority: fields.signed("priority")?.unwrap_or(0),
        options,
        review: None,
        proof: None,
    })
}

fn read_picture(fields: &mut Fields) -> Result<PictureQuery, FieldError> {
    let board = fields.board()?;
    let line = read_line(fields, board)?;
    let mut marks = Vec::new();
    if fields.bool("numbers")?.unwrap_or(false) {
        let placed = line.moves.iter().zip(1u32..).filter_map(|(&(_, m), number)| match m {
            Move::Place(v) => Some((v, Mark::Label(number.to_string()))),
            _ => None,
        });
        marks.extend(placed);
    }
    for (name, value) in fields.object("marks")? {
        let error = |reason: String| FieldError { field: "marks".into(), message: format!("marks.{name}: {reason}") };
        let v = Notation::HavannahGui.parse(board, &name).map_err(|reason| error(reason.to_string()))?;
        let mark = value
            .as_str()
            .filter(|text| text.chars().count() <= MAX_MARK)
            .ok_or_else(|| error(format!("expected a text of at most {MAX_MARK} characters, got {}", shown(&value))))?;
        marks.push((v, mark_of(mark)));
    }
    Ok(PictureQuery { game: line.game(board), marks, line: fields.vertices("line", board)? })
}

/// The mark that a text stands for: a shape, or the text itself.
fn mark_of(text: &str) -> Mark {
    match text {
        "circle" => Mark::Circle,
        "square" => Mark::Square,
        "triangle" => Mark::Triangle,
        "cross" => Mark::Cross,
        text => Mark::Label(text.to_owned()),
    }
}

/// Reads `options`, `swap` and `seed`.
fn read_options(fields: &mut Fields, settings: &Settings) -> Result<Options, FieldError> {
    let mut options = settings.options.clone();
    let mut values: Vec<(String, Value)> = fields.object("options")?.into_iter().collect();
    // The method decides which of the others have an effect, and a preset sets the method.
    values.sort_by_key(|(name, _)| (name != "preset", name != "method"));
    for (name, value) in values {
        let error =
            |reason: String| FieldError { field: "options".into(), message: format!("options.{name}: {reason}") };
        let text = Fields::option_text(&value);
        let text =
            text.ok_or_else(|| error(format!("expected a string, a number, true or false, got {}", shown(&value))))?;
        set_for_query(&mut options, &name, &text).map_err(error)?;
    }
    let session = &mut options.session;
    if let Some(swap) = fields.bool("swap")? {
        session.swap = swap;
    }
    if let Some(seed) = fields.integer("seed", 0..=u64::MAX)? {
        session.seed = Seed(Some(seed));
    }
    Ok(options)
}

fn read_want(fields: &mut Fields) -> Result<Vec<Want>, FieldError> {
    let names: Vec<&str> = Want::ALL.iter().map(|want| want.name()).collect();
    let expected = format!("one of {}", names.join(", "));
    match fields.value("want") {
        None => Ok(vec![Want::Moves, Want::Position]),
        Some(value) => {
            let mut one = Fields::new([("want".to_owned(), value)].into_iter().collect());
            one.list("want", &expected, |value| Want::read(value.as_str()?, &()))
        }
    }
}

fn read_turns(fields: &mut Fields, moves: usize) -> Result<Vec<usize>, FieldError> {
    let expected = format!("an integer from 0 to {moves}");
    let turn = |value: &Value| usize::try_from(value.as_u64()?).ok().filter(|&turn| turn <= moves);
    match fields.list("turns", &expected, turn)? {
        turns if turns.is_empty() => Ok(vec![moves]),
        // More than that would be the same positions again.
        turns if turns.len() > moves + 1 => {
            Err(FieldError::new("turns", format!("expected at most {} numbers, got {}", moves + 1, turns.len())))
        }
        turns => Ok(turns),
    }
}
