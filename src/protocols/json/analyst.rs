//! Answering queries, one after the other, with one session.

use std::fmt;
use std::sync::Arc;

use crate::base::text::quoted;
use crate::base::time::Instant;
use crate::engine::search::Verdict;
use crate::engine::session::options::MAX_LEVEL;
use crate::engine::session::{Analysis, Hint, PlayedGame, SearchError, Session, StopFlag};
use crate::engine::solver::Budget;
use crate::game::record::{Format, write};
use crate::game::{Color, Geometry, MAX_SIDE, MIN_SIDE, Notation, Picture, Vertex};
use crate::review::{self, Progress};

use super::answer::*;
use super::board::describe;
use super::fields::FieldError;
use super::first_stones;
use super::parts::{by_color, chain, move_answer, name, position, race, solution};
use super::proof::Proofs;
use super::query::{Action, ActionName, AnalysisQuery, PictureQuery, Query, ReviewFormat, ReviewQuery};
use super::query::{SearchSettings, SolveQuery, Task, Want};
use super::settings::QuerySettings;
use super::tree::read_games;

/// The version of the protocol.
const PROTOCOL: u32 = 1;

/// The most warnings about unknown fields of a query.
const MAX_WARNINGS: usize = 20;

/// Receives answers as they come.
pub type Emit<'a> = &'a mut dyn FnMut(&Answer);

/// Who asks, and how the answers get there.
struct Asked<'a> {
    /// The id of the query.
    id: &'a str,
    /// Ends the work early.
    stop: &'a StopFlag,
    emit: Emit<'a>,
}

/// Answers queries with one session.
///
/// Consecutive queries about one game share the search tree, so that the second knows what the first has found. A query
/// with a seed gets the same answer whatever came before it.
pub struct Analyst {
    session: Session,
    settings: QuerySettings,
    proofs: Proofs,
}

impl fmt::Debug for Analyst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Analyst").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Analyst {
    /// An analyst with a session of its own and these options.
    pub fn new(settings: QuerySettings) -> Analyst {
        let board = Geometry::with_side(MIN_SIDE).expect("there is a smallest board");
        let session = Session::new(board, settings.options.clone());
        Analyst { session, settings, proofs: Proofs::default() }
    }

    /// The options that hold where a query sets none.
    pub fn settings(&self) -> &QuerySettings {
        &self.settings
    }

    /// Reads a query and answers it. Errors are answers, too.
    ///
    /// Raising `stop`, which may also be done from within `emit`, ends a search early; its answer then says that it was
    /// cancelled.
    pub fn answer_line(&mut self, line: &str, stop: &StopFlag, emit: Emit<'_>) {
        match Query::read(line, &self.settings) {
            Ok(query) => self.answer(&query, stop, emit),
            Err(error) => emit(&Answer::Error(error)),
        }
    }

    /// Answers a query. See [`Analyst::answer_line`].
    pub fn answer(&mut self, query: &Query, stop: &StopFlag, emit: Emit<'_>) {
        warnings(query).iter().for_each(&mut *emit);
        match &query.action {
            Action::Task { task, .. } => {
                for &turn in task.turns() {
                    self.work(&query.id, task, turn, stop, emit);
                }
            }
            // Nothing else is running.
            Action::Cancel(_) => emit(&Answer::Cancellation { id: query.id.clone(), stopped: 0 }),
            other => emit(&answer_without_session(&query.id, other, &self.settings)),
        }
    }

    /// Emits the answer to a task for one turn, which must be one of [`Task::turns`].
    pub fn work(&mut self, id: &str, task: &Task, turn: usize, stop: &StopFlag, emit: Emit<'_>) {
        if stop.is_stopped() {
            return emit(&cancelled(id, task, turn));
        }
        let mut asked = Asked { id, stop, emit: &mut *emit };
        let found = match task {
            Task::Analysis(query) => self.analyze(query, turn, &mut asked),
            Task::Review(query) => self.review(query, &mut asked),
            Task::Proof(query) => Ok(self.proofs.answer(id, query, &|| stop.is_stopped())),
            Task::Solve(query) => Ok(self.solve(query, &asked)),
        };
        emit(&match found {
            Ok(Some(answer)) => answer,
            Ok(None) => cancelled(id, task, turn),
            Err(error) => Answer::Error(ErrorAnswer::new(error.to_string()).about(id, task, turn)),
        });
    }

    /// Sets the options of a query. A query with a seed gets the same answer whatever came before it.
    fn prepare(&mut self, search: &SearchSettings) {
        let seed = search.options.session.seed.0.map(|_| "seed");
        self.session.set_all(search.options.clone(), seed);
    }

    /// The review of a game; `None` if it was cancelled.
    fn review(&mut self, query: &ReviewQuery, asked: &mut Asked<'_>) -> Result<Option<Answer>, SearchError> {
        self.prepare(&query.search);
        let ReviewQuery { record, search, mistake, known, write: format } = query;
        let settings = review::Settings {
            limits: search.limits(),
            swap: search.options.session.swap,
            mistake: *mistake,
            known: known.clone(),
        };
        let answer = |found| Answer::Review { id: asked.id.to_owned(), found };
        let mut report =
            |progress: Progress<'_>| (asked.emit)(&answer(review::json::progress(record.board(), progress)));
        let review = review::review(&mut self.session, record, &settings, asked.stop, &mut report)?;
        if review.is_partial {
            return Ok(None);
        }
        let mut found = review::json::value(&review);
        if let Some(format) = format {
            found["text"] = match format {
                ReviewFormat::Html => review::html::page(&review, Notation::HavannahGui),
                ReviewFormat::Sgf => write(&[review::annotate::annotated(&review, Notation::HavannahGui)], Format::Sgf),
            }
            .into();
        }
        Ok(Some(answer(found)))
    }

    /// The value of a position; `None` if the work was cancelled.
    fn solve(&mut self, query: &SolveQuery, asked: &Asked<'_>) -> Option<Answer> {
        self.prepare(&query.search);
        self.session.restore_game(query.game.clone());
        let budget = Budget { time: Some(query.search.time), nodes: query.nodes };
        let found = self.session.solve(&budget, asked.stop);
        if asked.stop.is_stopped() {
            return None;
        }
        Some(match found {
            Ok(outcome) => Answer::Solution(Box::new(solution(asked.id, &query.game, outcome))),
            Err(error) => {
                Answer::Error(ErrorAnswer { id: Some(asked.id.to_owned()), ..ErrorAnswer::new(error.to_string()) })
            }
        })
    }

    fn analyze(
        &mut self,
        query: &AnalysisQuery,
        turn: usize,
        asked: &mut Asked<'_>,
    ) -> Result<Option<Answer>, SearchError> {
        let game = query.game(turn);
        let to_move = game.to_move();
        self.prepare(&query.search);
        self.session.restore_game(game);
        let mut answer = AnalysisAnswer::new(asked.id, turn, to_move);
        if query.needs_search() {
            if self.session.game().is_over() {
                add_result(&mut answer, query, self.session.game());
            } else {
                self.search(&mut answer, query, asked)?;
            }
        }
        self.add_parts(&mut answer, query, asked.stop);
        answer.cancelled = asked.stop.is_stopped();
        Ok(Some(Answer::Analysis(Box::new(answer))))
    }

    /// Searches the position, emits partial answers if the query asks for them, and adds what was found to the answer.
    fn search(
        &mut self,
        answer: &mut AnalysisAnswer,
        query: &AnalysisQuery,
        asked: &mut Asked<'_>,
    ) -> Result<(), SearchError> {
        let Asked { stop, emit, .. } = asked;
        let to_move = answer.to_move;
        let limits = query.search.limits();
        let template = answer.clone();
        let mut reported = Instant::now();
        let mut observe = |analysis: &Arc<Analysis>| {
            if query.every.is_some_and(|every| reported.elapsed() >= every) {
                reported = Instant::now();
                let mut partial = template.clone();
                partial.partial = true;
                add_report(&mut partial, query, analysis);
                emit(&Answer::Analysis(Box::new(partial)));
            }
        };
        if !query.wants(Want::Choice) {
            let analysis =
                self.session.search().color(to_move).limits(limits).stop(stop).observe(&mut observe).run()?;
            add_report(answer, query, &analysis);
            add_hint(answer, query, &analysis);
            return Ok(());
        }
        let before = self.session.last_analysis();
        let choice =
            self.session.search().color(to_move).limits(limits).stop(stop).observe(&mut observe).choose_move()?;
        let found = self.session.last_analysis();
        // A choice made without a search leaves the previous analysis in place.
        let is_new = |found: &Arc<Analysis>| before.is_none_or(|before| !Arc::ptr_eq(found, &before));
        let level = query.search.options.session.level;
        if let Some(analysis) = found.filter(is_new) {
            add_report(answer, query, &analysis);
            if level == MAX_LEVEL {
                add_hint(answer, query, &analysis);
            }
        }
        if query.wants(Want::Hint) && level < MAX_LEVEL {
            // A hint is at full strength, whatever the level.
            let analysis = self.session.search().color(to_move).limits(limits).stop(stop).run()?;
            add_hint(answer, query, &analysis);
        }
        answer.choice =
            Some(Some(ChoiceAnswer { choice: choice.show(query.line.board, Notation::HavannahGui), level }));
        Ok(())
    }

    /// Adds the parts of the answer that need no search.
    fn add_parts(&self, answer: &mut AnalysisAnswer, query: &AnalysisQuery, stop: &StopFlag) {
        let session = &self.session;
        let board = query.line.board;
        let is_over = session.game().is_over();
        if query.wants(Want::Position) {
            answer.position = Some(position(session.game()));
        }
        if (query.wants(Want::Policy) || query.wants(Want::Prediction)) && !is_over {
            let prediction = session.prediction();
            let win_rate = rounded(prediction.win);
            answer.prediction = query.wants(Want::Prediction).then_some(PredictionAnswer { win_rate });
            let policy = prediction.moves.into_iter().map(|(v, p)| (name(board, v), rounded(p)));
            answer.policy = query.wants(Want::Policy).then(|| ByVertex(policy.collect()));
        }
        if query.wants(Want::Ownership) || query.wants(Want::Criticality) {
            let seed = session.options().session.seed.0.unwrap_or(0);
            let start = Instant::now();
            let is_done = || stop.is_stopped() || start.elapsed() >= query.search.time;
            let statistics = session.playout_statistics(seed, is_done);
            let value = |f: &dyn Fn(Vertex) -> f64| {
                ByVertex(board.vertices().map(|v| (name(board, v), rounded(f(v)))).collect())
            };
            let owned = |v| statistics.ownership(Color::White, v) - statistics.ownership(Color::Black, v);
            answer.ownership = query.wants(Want::Ownership).then(|| value(&owned));
            answer.criticality = query.wants(Want::Criticality).then(|| value(&|v| statistics.criticality(v)));
        }
        if query.wants(Want::Threats) {
            answer.threats = Some(by_color(|color| {
                let threats = if is_over { Vec::new() } else { session.winning_vertices(color) };
                ByVertex(threats.into_iter().map(|(v, by)| (name(board, v), by.names().collect())).collect())
            }));
        }
        if query.wants(Want::Frames) && !is_over {
            answer.frames = session.race().zip(session.edge_frames()).map(|(found, edges)| race(board, &found, &edges));
        }
        if query.wants(Want::Chains) {
            answer.chains = Some(session.chains().iter().map(|c| chain(board, c)).collect());
        }
        if query.wants(Want::Distances) {
            answer.distances = Some(by_color(|color| {
                let stones = session.stones_to_win(color).into_iter();
                ByVertex(board.vertices().map(|v| name(board, v)).zip(stones).collect())
            }));
        }
    }
}

/// The warnings about a query, which come before its answers. [`Analyst::answer`] gives them, too. If many fields are
/// unknown, the last warning counts the rest.
pub fn warnings(query: &Query) -> Vec<Answer> {
    let unknown = &query.unknown_fields;
    let warning = |(i, field): (usize, &String)| {
        let field = quoted(field);
        let more = if i + 1 == MAX_WARNINGS { unknown.len().saturating_sub(MAX_WARNINGS) } else { 0 };
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        Answer::Warning { id: query.id.clone(), warning: format!("unknown field '{field}'{rest}"), field }
    };
    unknown.iter().enumerate().take(MAX_WARNINGS).map(warning).collect()
}

/// The answer for one turn of a task that was cancelled before it found anything.
pub(super) fn cancelled(id: &str, task: &Task, turn: usize) -> Answer {
    match task {
        Task::Analysis(query) => {
            let to_move = query.game(turn).to_move();
            Answer::Analysis(Box::new(AnalysisAnswer { cancelled: true, ..AnalysisAnswer::new(id, turn, to_move) }))
        }
        Task::Review(_) | Task::Proof(_) | Task::Solve(_) => Answer::Cancelled { id: id.to_owned(), cancelled: true },
    }
}

/// Answers a query that needs no session.
///
/// # Panics
/// If the query needs one.
pub(super) fn answer_without_session(id: &str, action: &Action, settings: &QuerySettings) -> Answer {
    match action {
        Action::Task { .. } | Action::Cancel(_) => unreachable!("tasks and cancellations are answered elsewhere"),
        Action::Version => Answer::Version(version(id, settings)),
        Action::Options => Answer::Options { id: id.to_owned(), options: settings.list() },
        Action::Board(board) => Answer::Board(describe(id, board)),
        Action::FirstStones(board) => Answer::FirstStones(first_stones::table(id, board)),
        Action::Picture(picture) => Answer::Picture { id: id.to_owned(), svg: draw(picture) },
        Action::ReadRecord { field, content, hints } => match read_games(content, *hints) {
            Ok((games, errors)) => {
                let errors = errors.iter().map(ToString::to_string).collect();
                Answer::Games { id: id.to_owned(), games, errors }
            }
            Err(error) => Answer::Error(ErrorAnswer::from_field(Some(id.to_owned()), FieldError::new(field, error))),
        },
        Action::WriteRecord { record, format } => {
            Answer::Text { id: id.to_owned(), text: write(std::slice::from_ref(&**record), *format) }
        }
    }
}

fn draw(query: &PictureQuery) -> String {
    let picture = Picture::new(query.game.board(), Notation::HavannahGui);
    let marks = query.marks.iter().cloned();
    marks.fold(picture, |picture, (v, mark)| picture.mark(v, mark)).line(query.game.to_move(), &query.line).to_string()
}

fn version(id: &str, settings: &QuerySettings) -> VersionAnswer {
    VersionAnswer {
        id: id.to_owned(),
        name: "Malecon",
        version: env!("CARGO_PKG_VERSION"),
        protocol: PROTOCOL,
        sides: (MIN_SIDE..=MAX_SIDE).collect(),
        actions: ActionName::ALL.iter().map(|action| action.name()).collect(),
        longest: settings.longest,
    }
}

/// Adds what a search found.
fn add_report(answer: &mut AnalysisAnswer, query: &AnalysisQuery, analysis: &Analysis) {
    let board = query.line.board;
    let report = &analysis.report;
    let pv: Vec<String> = analysis.line().into_iter().map(|m| m.show(board, Notation::HavannahGui)).collect();
    answer.search = Some(SearchAnswer {
        simulations: report.simulations,
        seconds: rounded(report.elapsed.as_secs_f64()),
        win_rate: rounded(analysis.chance()),
        verdict: report.verdict,
        moves_to_win: report.moves_to_win,
        best: pv.first().cloned(),
        pv,
    });
    if query.wants(Want::Moves) {
        let most = query.top.unwrap_or(usize::MAX);
        answer.moves = Some(report.ordered().into_iter().take(most).map(|m| move_answer(board, analysis, m)).collect());
    }
    if query.wants(Want::Verdicts) {
        let proven = report.moves.iter().filter_map(|m| Some((name(board, m.vertex), m.verdict?)));
        answer.verdicts = Some(ByVertex(proven.collect()));
    }
}

/// Adds the move to suggest, if it is wanted.
fn add_hint(answer: &mut AnalysisAnswer, query: &AnalysisQuery, analysis: &Analysis) {
    if query.wants(Want::Hint) {
        let Hint { suggested, reason } = analysis.hint(query.line.board);
        let suggested = suggested.show(query.line.board, Notation::HavannahGui);
        answer.hint = Some(Some(HintAnswer { suggested, reason }));
    }
}

/// Adds the result of a game that is over, in place of the search that the query asks for.
fn add_result(answer: &mut AnalysisAnswer, query: &AnalysisQuery, game: &PlayedGame) {
    let (win_rate, verdict) = match game.result().expect("the game is over") {
        None => (0.5, Verdict::Draw),
        Some(winner) if winner == game.to_move() => (1.0, Verdict::Win),
        Some(_) => (0.0, Verdict::Loss),
    };
    let search = SearchAnswer { simulations: 0, seconds: 0.0, win_rate, verdict: Some(verdict), ..Default::default() };
    answer.search = Some(search);
    answer.moves = query.wants(Want::Moves).then(Vec::new);
    answer.verdicts = query.wants(Want::Verdicts).then(|| ByVertex(Vec::new()));
    answer.choice = query.wants(Want::Choice).then_some(None);
    answer.hint = query.wants(Want::Hint).then_some(None);
}
