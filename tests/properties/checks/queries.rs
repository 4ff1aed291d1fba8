//! Queries in JSON: each line has an answer, or one for each position that it asks for. Answers are JSON objects with
//! the id of the query, and what they name is legal.

use std::cell::RefCell;

use malecon::engine::session::{EngineOptions, StopFlag};
use malecon::game::Move;
use malecon::game::record::Record;
use malecon::protocols::json::{Action, Analyst, Query, QuerySettings, Task};
use serde_json::Value;

/// The most queries of an input that are answered.
const MAX_QUERIES: usize = 6;
/// The most positions of a query for which it is answered.
const MAX_TURNS: usize = 6;

thread_local! {
    /// Kept between inputs, as the program keeps it between queries.
    static ANALYST: RefCell<Analyst> = RefCell::new(analyst());
}

fn analyst() -> Analyst {
    let mut options = EngineOptions::default();
    options.search.memory = 4;
    options.session.analysis_playouts = 4;
    let mut settings = QuerySettings::new(options);
    settings.longest = 0.002;
    Analyst::new(settings)
}

/// The input is lines, one query in each.
pub fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    for line in text.lines().take(MAX_QUERIES) {
        ANALYST.with_borrow_mut(|analyst| check_line(analyst, line));
    }
}

fn check_line(analyst: &mut Analyst, line: &str) {
    let query = Query::read(line, analyst.settings());
    // Playouts are not bounded by the time of a search.
    let expected = match &query {
        Ok(Query { action: Action::Task { task, .. }, .. }) => {
            if task.turns().len() > MAX_TURNS || line.contains("playouts") {
                return;
            }
            task.turns().len()
        }
        _ => 1,
    };
    let mut answers = Vec::new();
    analyst.answer_line(line, &StopFlag::new(), &mut |answer| answers.push((answer.is_partial(), answer.to_json())));
    let mut finals = 0;
    for (is_partial, text) in &answers {
        assert!(!text.contains('\n'), "{text}");
        let answer: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let id = query.as_ref().ok().map(|query| query.id.as_str());
        assert!(id.is_none() || answer["id"].as_str() == id, "{line}\n{text}");
        assert!(query.is_ok() || answer["error"].is_string(), "{line}\n{text}");
        let is_final = !is_partial && answer.get("warning").is_none();
        finals += is_final as usize;
        if is_final && let Ok(query) = &query {
            check_answer(query, &answer);
        }
    }
    assert_eq!(finals, expected, "{line}\n{answers:?}");
}

/// What an answer says about the game is legal.
fn check_answer(query: &Query, answer: &Value) {
    let Action::Task { task, .. } = &query.action else { return };
    let is_proof = matches!(task, Task::Proof(_));
    assert!(is_proof || answer["error"].is_null(), "a query that was accepted is answered: {answer}");
    let Task::Analysis(analysis) = task else { return };
    let turn = answer["turn"].as_u64().expect("the turn is a number") as usize;
    let game = analysis.game(turn);
    assert_eq!(answer["to_move"], game.to_move().to_string(), "{answer}");
    if let Some(rate) = answer.get("win_rate").and_then(Value::as_f64) {
        assert!((0.0..=1.0).contains(&rate), "{answer}");
    }
    if let Some(best) = answer.get("best").and_then(Value::as_str) {
        let word_as_move = || {
            let record = Record::from_words(analysis.line.board, &[best]);
            let [(_, m)] = record.unwrap_or_else(|error| panic!("{best}: {error:?}")).moves()[..] else {
                panic!("{best} is one move")
            };
            m
        };
        // As the only word of a record, a swap would be illegal.
        let m = if best == "swap" { Move::Swap } else { word_as_move() };
        assert!(game.legal_moves().contains(&m), "{best} is illegal: {answer}");
    }
}
