//! Answering queries, one after the other, with one session.

use std::sync::Arc;

use serde_json::json;

use crate::base::options::{OptionInfo, OptionKind};
use crate::base::time::Instant;
use crate::engine::frames::{Edge, EdgeFrames, Frame, Race};
use crate::engine::inspect::chains::Chain;
use crate::engine::search::{MoveReport, Verdict};
use crate::engine::session::options::MAX_LEVEL;
use crate::engine::session::{Analysis, Hint, PlayedGame, Session, StopFlag};
use crate::game::record::{Format, write};
use crate::game::{Color, Geometry, MAX_SIDE, MIN_SIDE, Move, Notation, Outcome, Picture, Vertex};
use crate::review::{self, Progress};

use super::answer::*;
use super::board::{bits, describe};
use super::fields::FieldError;
use super::proof::Proofs;
use super::query::{Action, ActionName, AnalysisQuery, PictureQuery, Query, ReviewFormat, ReviewQuery, Want};
use super::settings::Settings;
use super::tree::read_games;

/// The version of the protocol.
const PROTOCOL: u32 = 1;

/// Receives answers as they come.
pub type Emit<'a> = &'a mut dyn FnMut(&Answer);

/// Answers queries with one session.
///
/// Consecutive queries about one game share the search tree, so that the second knows what the first has found. A query
/// with a seed gets the same answer whatever came before it.
pub struct Analyst {
    session: Session,
    settings: Settings,
    proofs: Proofs,
}

impl Analyst {
    /// An analyst with a session of its own and these options.
    pub fn new(settings: Settings) -> Analyst {
        let board = Geometry::with_side(MIN_SIDE).expect("there is a smallest board");
        let session = Session::new(board, settings.options.clone());
        Analyst { session, settings, proofs: Proofs::default() }
    }

    /// The options that hold where a query sets none.
    pub fn settings(&self) -> &Settings {
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
            Action::Analyze(analysis) => {
                for &turn in &analysis.turns {
                    self.analyze(&query.id, analysis, turn, stop, emit);
                }
            }
            // Nothing else is running.
            Action::Cancel(_) => emit(&Answer::Cancelled { id: query.id.clone(), stopped: 0 }),
            other => emit(&answer_without_session(&query.id, other, &self.settings)),
        }
    }

    /// Analyses one of the positions of a query, the one after `turn` moves; or reviews the game or walks through the
    /// proof, if the query asks for that.
    pub fn analyze(&mut self, id: &str, query: &AnalysisQuery, turn: usize, stop: &StopFlag, emit: Emit<'_>) {
        let found = match (&query.review, &query.proof) {
            _ if stop.is_stopped() => Ok(cancelled(id, query, turn)),
            (Some(review), _) => self.review(id, query, review, stop, emit),
            (_, Some(proof)) => {
                let found = self.proofs.answer(id, proof, &|| stop.is_stopped());
                Ok(found.unwrap_or_else(|| cancelled(id, query, turn)))
            }
            _ => self.analyze_now(id, query, turn, stop, emit),
        };
        emit(&found.unwrap_or_else(|error| {
            let (id, turn) = (Some(id.to_owned()), Some(turn));
            Answer::Error(ErrorAnswer { id, turn, error, field: None })
        }));
    }

    /// Sets the options and the seed of a query.
    fn prepare(&mut self, query: &AnalysisQuery) {
        self.session.set_options(query.options.clone());
        if let Some(seed) = query.options.session.seed.0 {
            self.session.set_seed(seed);
        }
    }

    fn review(
        &mut self,
        id: &str,
        query: &AnalysisQuery,
        ReviewQuery { record, settings, write: format }: &ReviewQuery,
        stop: &StopFlag,
        emit: Emit<'_>,
    ) -> Result<Answer, String> {
        self.prepare(query);
        let answer = |found| Answer::Review { id: id.to_owned(), found };
        let mut report = |progress: Progress<'_>| emit(&answer(review::json::progress(record.board(), progress)));
        let review = review::review(&mut self.session, record, settings, stop, &mut report);
        let review = review.map_err(|error| error.to_string())?;
        if review.is_partial() {
            return Ok(cancelled(id, query, 0));
        }
        let mut found = review::json::value(&review);
        if let Some(format) = format {
            found["text"] = match format {
                ReviewFormat::Html => review::html::page(&review, Notation::HavannahGui),
                ReviewFormat::Sgf => write(&[review::annotate::annotated(&review, Notation::HavannahGui)], Format::Sgf),
            }
            .into();
        }
        Ok(answer(found))
    }

    fn analyze_now(
        &mut self,
        id: &str,
        query: &AnalysisQuery,
        turn: usize,
        stop: &StopFlag,
        emit: Emit<'_>,
    ) -> Result<Answer, String> {
        let game = query.game(turn);
        let to_move = game.to_move();
        self.prepare(query);
        self.session.restore_game(game);
        let mut answer = AnalysisAnswer::new(id, turn, to_move.to_string());
        if query.needs_search() {
            match self.session.game().is_over() {
                true => add_result(&mut answer, query, self.session.game()),
                false => self.search(&mut answer, query, to_move, stop, emit)?,
            }
        }
        self.add_parts(&mut answer, query, stop);
        answer.cancelled = stop.is_stopped();
        Ok(Answer::Analysis(Box::new(answer)))
    }

    /// Searches the position, reports on the way if the query asks for that, and adds what was found to the answer.
    fn search(
        &mut self,
        answer: &mut AnalysisAnswer,
        query: &AnalysisQuery,
        to_move: Color,
        stop: &StopFlag,
        emit: Emit<'_>,
    ) -> Result<(), String> {
        let limits = query.limits();
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
            let found = self.session.search(to_move, &limits, stop, Some(&mut observe));
            let analysis = found.map_err(|error| error.to_string())?;
            add_report(answer, query, &analysis);
            add_hint(answer, query, &analysis);
            return Ok(());
        }
        let before = self.session.last_analysis();
        let choice = self.session.choose_within(to_move, &limits, stop, Some(&mut observe));
        let choice = choice.map_err(|error| error.to_string())?;
        let found = self.session.last_analysis();
        // A choice without a search leaves the former analysis where it was.
        let is_new = |found: &Arc<Analysis>| before.is_none_or(|before| !Arc::ptr_eq(found, &before));
        let level = query.options.session.level;
        if let Some(analysis) = found.filter(is_new) {
            add_report(answer, query, &analysis);
            if level == MAX_LEVEL {
                add_hint(answer, query, &analysis);
            }
        }
        if query.wants(Want::Hint) && level < MAX_LEVEL {
            // A hint is at full strength, whatever the level.
            let analysis = self.session.search(to_move, &limits, stop, None).map_err(|error| error.to_string())?;
            add_hint(answer, query, &analysis);
        }
        answer.choice = Some(Some(ChoiceAnswer { choice: choice.show(query.board, Notation::HavannahGui), level }));
        Ok(())
    }

    /// Adds the parts of the answer that need no search.
    fn add_parts(&self, answer: &mut AnalysisAnswer, query: &AnalysisQuery, stop: &StopFlag) {
        let (session, board) = (&self.session, query.board);
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
            let (seed, start) = (session.options().session.seed.0.unwrap_or(0), Instant::now());
            let is_done = || stop.is_stopped() || start.elapsed() >= query.time;
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
        if query.wants(Want::Frames) {
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

/// The warnings about a query, which come before its answers. [`Analyst::answer`] gives them, too.
pub fn warnings(query: &Query) -> Vec<Answer> {
    let warning = |field: &String| Answer::Warning {
        id: query.id.clone(),
        warning: format!("unknown field '{field}'"),
        field: field.clone(),
    };
    query.unknown_fields.iter().map(warning).collect()
}

/// The answer for a position whose analysis was cancelled before it began, or for a review or the check of a proof that
/// was cancelled.
pub(super) fn cancelled(id: &str, query: &AnalysisQuery, turn: usize) -> Answer {
    if query.review.is_some() || query.proof.is_some() {
        return Answer::Review { id: id.to_owned(), found: json!({"cancelled": true}) };
    }
    let to_move = query.game(turn).to_move().to_string();
    Answer::Analysis(Box::new(AnalysisAnswer { cancelled: true, ..AnalysisAnswer::new(id, turn, to_move) }))
}

/// Answers a query that needs no session.
///
/// # Panics
/// If it does need one.
pub(super) fn answer_without_session(id: &str, action: &Action, settings: &Settings) -> Answer {
    match action {
        Action::Analyze(_) | Action::Cancel(_) => unreachable!("analyses and cancellations are answered elsewhere"),
        Action::Version => Answer::Version(version(id, settings)),
        Action::Options => {
            let options = settings.list().into_iter().map(option).collect();
            Answer::Options(OptionsAnswer { id: id.to_owned(), options })
        }
        Action::Board(board) => Answer::Board(describe(id, board)),
        Action::Picture(picture) => Answer::Picture { id: id.to_owned(), svg: draw(picture) },
        Action::ReadRecord { text, format } => match read_games(text, *format) {
            Ok(games) => Answer::Games { id: id.to_owned(), games },
            Err(error) => Answer::Error(ErrorAnswer::of_field(Some(id.to_owned()), FieldError::new("text", error))),
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

fn version(id: &str, settings: &Settings) -> VersionAnswer {
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

fn option(info: OptionInfo) -> OptionAnswer {
    let (mut min, mut max, mut choices) = (None, None, None);
    let kind = match info.kind {
        OptionKind::Bool => "bool",
        OptionKind::Integer { min: least, max: most } => {
            (min, max) = (Some(least as f64), Some(most as f64));
            "integer"
        }
        OptionKind::Real { min: least, max: most } => {
            (min, max) = (Some(least), Some(most));
            "real"
        }
        OptionKind::Choice(words) => {
            choices = Some(words);
            "choice"
        }
        OptionKind::Text(_) => "text",
    };
    let OptionInfo { name, value, default, description, .. } = info;
    OptionAnswer { name, kind, min, max, choices, value, default, description }
}

pub(super) fn name(board: &Geometry, v: Vertex) -> String {
    Notation::HavannahGui.name(board, v)
}

fn names(board: &Geometry, vertices: &[Vertex]) -> Vec<String> {
    Notation::HavannahGui.names(board, vertices)
}

fn by_color<T>(value: impl Fn(Color) -> T) -> ByColor<T> {
    ByColor { white: value(Color::White), black: value(Color::Black) }
}

/// Adds what a search found.
fn add_report(answer: &mut AnalysisAnswer, query: &AnalysisQuery, analysis: &Analysis) {
    let (board, report) = (query.board, &analysis.report);
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
        let Hint { suggested, reason } = analysis.hint(query.board);
        let suggested = suggested.show(query.board, Notation::HavannahGui);
        answer.hint = Some(Some(HintAnswer { suggested, reason }));
    }
}

fn move_answer(board: &Geometry, analysis: &Analysis, m: &MoveReport) -> MoveAnswer {
    MoveAnswer {
        vertex: name(board, m.vertex),
        visits: m.visits,
        win_rate: analysis.chance_with(m).map(rounded),
        prior: m.prior.map(rounded),
        verdict: m.verdict,
        rave: m.rave.map(rounded),
        pv: names(board, &m.line),
    }
}

/// Adds what is known of a game that is over, where a search would have been wanted.
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

pub(super) fn position(game: &PlayedGame) -> PositionAnswer {
    let (board, rules) = (game.geometry(), game.board());
    let stones = board.vertices().filter_map(|v| Some((name(board, v), rules.position().stone(v)?.to_string())));
    let by = match (game.resigned(), rules.outcome()) {
        (Some(_), _) => vec!["resign"],
        (None, Some(Outcome::Win(_, structures))) => structures.names().collect(),
        (None, Some(Outcome::Draw)) => vec!["full board"],
        (None, None) => Vec::new(),
    };
    let mut winning: Vec<Vertex> = rules.winning_stones().into_iter().flat_map(|(_, stones)| stones).collect();
    winning.sort_unstable();
    winning.dedup();
    let legal = game.legal_moves();
    PositionAnswer {
        to_move: game.to_move().to_string(),
        stones: ByVertex(stones.collect()),
        last: rules.last_stone().map(|v| name(board, v)),
        can_swap: legal.contains(&Move::Swap),
        legal: legal.into_iter().filter(|m| *m != Move::Swap).map(|m| m.show(board, Notation::HavannahGui)).collect(),
        over: game.is_over(),
        winner: game.result().map(Into::into),
        by,
        winning: names(board, &winning),
    }
}

fn race(board: &Geometry, race: &Race, edges: &[Option<EdgeFrames>; 2]) -> RaceAnswer {
    let [white_edges, black_edges] =
        edges.each_ref().map(|found| found.as_ref().map(|found| edge_frames(board, found)));
    let list = |color: Color| race.frames[color.index()].iter().map(|f| frame(board, f)).collect();
    RaceAnswer {
        white: list(Color::White),
        black: list(Color::Black),
        leader: race.leader.map(|(color, _)| color.to_string()),
        basis: race.leader.map(|(_, basis)| basis.name()),
        proven: race.leader.is_some_and(|(_, basis)| basis.is_proof()),
        white_edges,
        black_edges,
    }
}

fn edge_frames(board: &Geometry, edges: &EdgeFrames) -> EdgesAnswer {
    let answer = |edge: &Edge| match edge {
        Edge::Reached => Some(EdgeAnswer { z: None, width: 0, carrier: Vec::new() }),
        Edge::Frame(frame) => {
            Some(EdgeAnswer { z: Some(frame.z), width: frame.width, carrier: names(board, &frame.carrier) })
        }
        Edge::Unknown => None,
    };
    EdgesAnswer { chain: name(board, edges.chain), sides: edges.sides.iter().map(answer).collect() }
}

fn frame(board: &Geometry, frame: &Frame) -> FrameAnswer {
    FrameAnswer {
        structures: frame.structures.names().collect(),
        corners: bits(frame.rim & 0x3f).collect(),
        sides: bits(frame.rim >> 6).collect(),
        full: frame.full,
        width: frame.width,
        carrier: names(board, &frame.carrier),
    }
}

fn chain(board: &Geometry, chain: &Chain) -> ChainAnswer {
    ChainAnswer {
        color: chain.color.to_string(),
        stones: names(board, &chain.stones),
        corners: bits(chain.rim & 0x3f).collect(),
        sides: bits(chain.rim >> 6).collect(),
    }
}
