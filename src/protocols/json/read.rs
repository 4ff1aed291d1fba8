//! Reading queries: their JSON text as typed and checked values.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::base::encoding;
use crate::base::options::OptionValue;
use crate::engine::session::EngineOptions;
use crate::engine::session::options::{MAX_LEVEL, MIN_LEVEL, Seed};
use crate::game::record::{Format, Hints};
use crate::game::{MAX_SIDE, MIN_SIDE, Mark, Move, Notation};
use crate::proof::board_of;
use crate::review;

use super::answer::ErrorAnswer;
use super::fields::{FieldError, Fields, shown};
use super::line::GameLine;
use super::query::{Action, ActionName, AnalysisQuery, PictureQuery, ProofQuery, Query};
use super::query::{ReviewQuery, SearchSettings, SolveQuery, Task, Want};
use super::settings::{QuerySettings, set_for_query};
use super::tree;

/// The most objects in a query. Each takes up to 700 bytes of memory until the query is read.
const MAX_OBJECTS: usize = 100_000;

/// The most values in the lists and objects of a query.
const MAX_VALUES: usize = 500_000;

/// The most nodes and values, or moves, of the games that `read_record` reads.
const MAX_RECORD_PARTS: usize = 400_000;

/// The most positions that a query may ask for. No game has as many moves.
const MAX_TURNS: usize = 4096;

/// The longest id of a query, in bytes.
const MAX_ID: usize = 1000;

/// The longest text on a vertex of a picture, in characters.
const MAX_MARK: usize = 8;

/// The most simulations that a query may ask for.
const MAX_SIMULATIONS: u64 = 1_000_000_000_000;

/// The most positions that a query may have the solver visit.
const MAX_NODES: u64 = 1_000_000_000_000;

impl Query {
    /// Reads a query from a JSON object. `settings` are the options that hold where the query sets none.
    ///
    /// # Errors
    /// If the text is not a JSON object, or a field has an illegal value.
    pub fn read(text: &str, settings: &QuerySettings) -> Result<Query, ErrorAnswer> {
        check_size(text).map_err(|error| ErrorAnswer { id: id_of(text), ..error })?;
        let value = serde_json::from_str(text).map_err(|error| ErrorAnswer::new(invalid_json(text, &error)))?;
        let Value::Object(object) = value else {
            return Err(ErrorAnswer::new(format!("expected a JSON object, got {}", shown(&value))));
        };
        let mut fields = Fields::new(object);
        let id = read_id(&mut fields).map_err(|error| ErrorAnswer::from_field(None, error))?;
        match read_action(&mut fields, settings) {
            Ok(action) => {
                let unknown_fields = fields.unread().map(str::to_owned).collect();
                Ok(Query { id, action, unknown_fields })
            }
            Err(error) => Err(ErrorAnswer::from_field(Some(id), error)),
        }
    }
}

/// Refuses a text whose values would take far more memory than the text itself.
fn check_size(text: &str) -> Result<(), ErrorAnswer> {
    let mut is_text = false;
    let mut is_escaped = false;
    let mut objects = 0;
    let mut values = 0;
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'{' => objects += 1,
            b'[' | b',' => values += 1,
            _ => {}
        }
    }
    for (count, most, things) in [(objects, MAX_OBJECTS, "objects"), (values, MAX_VALUES, "values")] {
        if count > most {
            return Err(ErrorAnswer::new(format!("expected at most {most} {things}, got {count}")));
        }
    }
    Ok(())
}

/// The id of a query that is refused for its size: whoever asked waits for an answer with this id.
fn id_of(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct OnlyId {
        id: String,
    }
    let OnlyId { id } = serde_json::from_str(text).ok()?;
    (id.len() <= MAX_ID).then_some(id)
}

/// What is wrong with a text that is not JSON, with a hint if it looks like one line of a query spread over several.
fn invalid_json(text: &str, error: &serde_json::Error) -> String {
    let is_part = error.is_eof() || text.trim_start().starts_with(['"', '}', ']']);
    let hint = if is_part { " (a query is one line)" } else { "" };
    format!("invalid JSON: {error}{hint}")
}

/// The content of a file, and the field that has it: as a text, or as bytes in base64, which may be in any encoding.
fn read_content(fields: &mut Fields) -> Result<(&'static str, Vec<u8>), FieldError> {
    match (fields.string("text")?, fields.bytes("bytes")?) {
        (Some(text), None) => Ok(("text", encoding::encode(&text))),
        (None, Some(bytes)) => Ok(("bytes", bytes)),
        (None, None) => Err(FieldError::new("text", "missing (expected text or bytes)")),
        (Some(_), Some(_)) => Err(FieldError::new("bytes", "the content is already given as text")),
    }
}

fn read_id(fields: &mut Fields) -> Result<String, FieldError> {
    let id = fields.required("id", Fields::string)?;
    match id.len() {
        0..=MAX_ID => Ok(id),
        _ => Err(FieldError::new("id", format!("longer than {MAX_ID} bytes"))),
    }
}

fn read_action(fields: &mut Fields, settings: &QuerySettings) -> Result<Action, FieldError> {
    Ok(match fields.choice("action")?.unwrap_or(ActionName::Analyze) {
        ActionName::Analyze => {
            read_task(fields, |fields| Ok(Task::Analysis(Box::new(read_analysis(fields, settings)?))))?
        }
        ActionName::Review => read_task(fields, |fields| Ok(Task::Review(Box::new(read_review(fields, settings)?))))?,
        ActionName::Proof => read_task(fields, |fields| Ok(Task::Proof(Box::new(read_proof(fields)?))))?,
        ActionName::Solve => read_task(fields, |fields| Ok(Task::Solve(Box::new(read_solve(fields, settings)?))))?,
        ActionName::Version => Action::Version,
        ActionName::Options => Action::Options,
        ActionName::Board => Action::Board(fields.board()?),
        ActionName::FirstStones => Action::FirstStones(fields.board()?),
        ActionName::Cancel => Action::Cancel(fields.string("of")?),
        ActionName::Picture => Action::Picture(Box::new(read_picture(fields)?)),
        ActionName::ReadRecord => {
            let side = MIN_SIDE as u64..=MAX_SIDE as u64;
            let hints = Hints {
                format: fields.choice("format")?,
                names: fields.dialect("names")?,
                side: fields.integer("side", side)?.map(|side| side as usize),
                is_one_game: true,
                most_parts: MAX_RECORD_PARTS,
            };
            let (field, content) = read_content(fields)?;
            Action::ReadRecord { field, content, hints }
        }
        ActionName::WriteRecord => {
            let format = fields.choice("format")?.unwrap_or(Format::Sgf);
            Action::WriteRecord { record: Box::new(tree::read(fields)?), format }
        }
    })
}

/// Reads a task, and the fields that all tasks have.
fn read_task(
    fields: &mut Fields,
    read: impl FnOnce(&mut Fields) -> Result<Task, FieldError>,
) -> Result<Action, FieldError> {
    let task = read(fields)?;
    Ok(Action::Task { priority: fields.signed("priority")?.unwrap_or(0), task })
}

fn read_analysis(fields: &mut Fields, settings: &QuerySettings) -> Result<AnalysisQuery, FieldError> {
    let line = GameLine::read(fields)?;
    let mut search = read_search(fields, settings)?;
    let to_move = fields.color("to_move")?;
    let turns = read_turns(fields, line.moves.len())?;
    let want = read_want(fields)?;
    let top = fields.integer("top", 0..=u32::MAX.into())?.map(|top| top as usize);
    let every = fields.number("every", 0.01..=1e6)?.map(Duration::from_secs_f64);
    if let Some(level) = fields.integer("level", MIN_LEVEL.into()..=MAX_LEVEL.into())? {
        search.options.session.level = level as u32;
    }
    Ok(AnalysisQuery { line, to_move, turns, search, want, top, every })
}

fn read_review(fields: &mut Fields, settings: &QuerySettings) -> Result<ReviewQuery, FieldError> {
    let line = GameLine::read(fields)?;
    let search = read_search(fields, settings)?;
    let record = tree::read_record(fields, &line)?;
    let mistake = fields.number("mistake", 0.01..=1.0)?.unwrap_or(review::Settings::default().mistake);
    let mut known = Vec::new();
    let parts = fields.list("known", "an object", |part| part.is_object().then(|| part.clone()))?;
    // A review answers twice about a turn, and some turns are searched anew when it goes on. To read an answer takes as
    // long as the whole main line.
    let most = 4 * (1 + record.main_line().filter(|&id| record.node(id).play.is_some()).count());
    if parts.len() > most {
        return Err(FieldError::new("known", format!("expected at most {most} objects, got {}", parts.len())));
    }
    for (i, part) in parts.iter().enumerate() {
        let part =
            review::KnownPosition::read(&record, part).map_err(|reason| FieldError::with_index("known", i, reason))?;
        known.push(part);
    }
    Ok(ReviewQuery { record, search, mistake, known, write: fields.choice("write")? })
}

fn read_proof(fields: &mut Fields) -> Result<ProofQuery, FieldError> {
    let file = fields.required("file", Fields::bytes)?;
    let board = board_of(&file[..]).map_err(|error| FieldError::new("file", error))?;
    if board.shape().regular_side().is_none() {
        let reason = format!("the proof is for the {} (expected a board with six equal sides)", board.shape().title());
        return Err(FieldError::new("file", reason));
    }
    let root = fields.integer("root", 0..=u16::MAX.into())?.unwrap_or(0) as usize;
    Ok(ProofQuery { file: file.into(), root, replies: fields.vertices("replies", board)? })
}

fn read_solve(fields: &mut Fields, settings: &QuerySettings) -> Result<SolveQuery, FieldError> {
    let line = GameLine::read(fields)?;
    let mut game = line.game(line.moves.len());
    if let Some(color) = fields.color("to_move")? {
        game.allow_swap(false);
        game.set_to_move(color);
    }
    let nodes = fields.integer("nodes", 1..=MAX_NODES)?;
    let options = read_options(fields, settings)?;
    let time = read_time(fields, settings, nodes.is_some())?;
    Ok(SolveQuery { game, nodes, search: SearchSettings { simulations: None, time, options } })
}

/// Reads the limits and options of a search.
fn read_search(fields: &mut Fields, settings: &QuerySettings) -> Result<SearchSettings, FieldError> {
    let options = read_options(fields, settings)?;
    let simulations = fields.integer("simulations", 1..=MAX_SIMULATIONS)?.or(options.session.simulation_limit());
    let time = read_time(fields, settings, simulations.is_some())?;
    Ok(SearchSettings { simulations, time, options })
}

/// Reads the most time that a search may take. Without a limit of another kind, the default is short.
fn read_time(fields: &mut Fields, settings: &QuerySettings, has_limit: bool) -> Result<Duration, FieldError> {
    let usual = settings.options.session.analysis_seconds.min(settings.longest);
    let otherwise = if has_limit { settings.longest } else { usual };
    let seconds = fields.number("seconds", 0.001..=settings.longest)?.unwrap_or(otherwise);
    Ok(Duration::from_secs_f64(seconds))
}

fn read_picture(fields: &mut Fields) -> Result<PictureQuery, FieldError> {
    let line = GameLine::read(fields)?;
    let mut marks = Vec::new();
    if fields.bool("numbers")?.unwrap_or(false) {
        let placed = line.moves.iter().zip(1u32..).filter_map(|(&(_, m), number)| match m {
            Move::Place(v) => Some((v, Mark::Label(number.to_string()))),
            _ => None,
        });
        marks.extend(placed);
    }
    for (name, value) in fields.object("marks")? {
        let error = |reason: String| FieldError::with_name("marks", &name, reason);
        let v = Notation::HavannahGui.parse(line.board, &name).map_err(|reason| error(reason.to_string()))?;
        let mark = value
            .as_str()
            .filter(|text| text.chars().count() <= MAX_MARK)
            .ok_or_else(|| error(format!("expected a text of at most {MAX_MARK} characters, got {}", shown(&value))))?;
        marks.push((v, mark_of(mark)));
    }
    let game = line.game(line.moves.len());
    let line = fields.vertices("line", line.board)?;
    let mut shown = game.clone();
    for (i, &v) in line.iter().enumerate() {
        let color = shown.to_move();
        shown.play(color, Move::Place(v)).map_err(|error| FieldError::with_index("line", i, error))?;
    }
    Ok(PictureQuery { game, marks, line })
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
fn read_options(fields: &mut Fields, settings: &QuerySettings) -> Result<EngineOptions, FieldError> {
    let mut options = settings.options.clone();
    let mut values: Vec<(String, Value)> = fields.object("options")?.into_iter().collect();
    values.sort_unstable_by(|(a, _), (b, _)| (EngineOptions::turn(a), a).cmp(&(EngineOptions::turn(b), b)));
    for (name, value) in values {
        let error = |reason: String| FieldError::with_name("options", &name, reason);
        let text = Fields::option_text(&value);
        let text =
            text.ok_or_else(|| error(format!("expected a string, a number, true or false, got {}", shown(&value))))?;
        set_for_query(&mut options, &name, &text).map_err(|reason| error(reason.to_string()))?;
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
    if !fields.has("want") {
        return Ok(vec![Want::Moves, Want::Position]);
    }
    fields.list("want", &expected, |value| Want::read(value.as_str()?, &()))
}

fn read_turns(fields: &mut Fields, moves: usize) -> Result<Vec<usize>, FieldError> {
    let expected = format!("an integer from 0 to {moves}");
    let turn = |value: &Value| usize::try_from(value.as_u64()?).ok().filter(|&turn| turn <= moves);
    match fields.list("turns", &expected, turn)? {
        turns if turns.is_empty() => Ok(vec![moves]),
        // More would name some position twice.
        turns if turns.len() > MAX_TURNS.min(moves + 1) => {
            let most = MAX_TURNS.min(moves + 1);
            Err(FieldError::new("turns", format!("expected at most {most} numbers, got {}", turns.len())))
        }
        turns => Ok(turns),
    }
}
