//! How well a network, alone or in a search, predicts games that it was not trained on, such as human games.
//!
//! **Games.** A game counts if its winner is known: by a structure on the board, or by resignation. Left out are games
//! without a winner (unfinished or drawn), games decided by time or by a breach of the rules, and games with set-up
//! stones. A swap is not a position to predict, since it is not a choice of a vertex; the game around it counts.
//!
//! **Quarters.** In a game of n stones, the position before stone k (k = 0, 1, ..., n − 1) belongs to quarter
//! ⌊4k/n⌋ + 1. So the empty board is in the first quarter, and the position after the last stone in none.
//!
//! **Resignations.** These are measured in the position after the last stone of games that ended by resignation after
//! [`RESIGNATION_STONES`] stones or more. If the search proves that the player who resigned wins, it is counted as
//! disproven and left out of the other figures.
//!
//! **Metrics.** See [`PredictionScore`].

use std::collections::BTreeMap;
use std::fmt;
use std::iter;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};

use crate::base::hash::fnv1a;
use crate::base::sync::parallel_map;
use crate::engine::inspect::prediction::predict;
use crate::engine::search::{Limits, SearchError, SearchOptions, Searcher};
use crate::engine::session::chance::logistic;
use crate::game::record::{Format, How, Record, write};
use crate::game::{Color, Game, Geometry, Move, Notation, Vertex};
use crate::network::Backend;
use crate::tools::ToolError;

use super::calibration::{FOLDS, bounded_logit, slope};
use super::selfplay::{SearchedPosition, SelfPlayGame};

/// The fewest stones of a game whose resignation is measured.
pub const RESIGNATION_STONES: usize = 20;
/// One game in this many is held out.
const HELD_OUT: u64 = 5;
/// Chances are moved into this range before their logarithm is taken: a search can be certain of a result, and people
/// resign won games.
const CHANCES: (f64, f64) = (0.001, 0.999);
/// The fewest positions to which a scale is fitted.
const LEAST_SCALED: usize = 20;
/// The chances of a position that counts as undecided.
const UNDECIDED: RangeInclusive<f64> = 0.3..=0.7;

/// Whether a game is held out: whether the 64-bit FNV-1a hash of the UTF-8 bytes of its id is a multiple of 5. Training
/// must leave such games out, so that they can measure what it has learned.
pub fn is_held_out(id: &str) -> bool {
    fnv1a(id.bytes()).is_multiple_of(HELD_OUT)
}

/// A game to measure by.
#[derive(Clone, Debug)]
pub struct TestGame {
    id: String,
    board: &'static Geometry,
    /// Stones and at most one swap.
    moves: Vec<(Color, Move)>,
    winner: Color,
    resigned: bool,
}

/// Why a game cannot be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// The record states no winner, or a draw.
    NoWinner,
    /// The game was decided by time or by a breach of the rules.
    Forfeit,
    /// The record has set-up stones.
    SetUp,
}

impl TryFrom<&Record> for TestGame {
    type Error = LeftOut;

    fn try_from(record: &Record) -> Result<TestGame, LeftOut> {
        let result = record.result().ok_or(LeftOut::NoWinner)?;
        let winner = result.winner.ok_or(LeftOut::NoWinner)?;
        if matches!(result.how, How::Time | How::Forfeit) {
            return Err(LeftOut::Forfeit);
        }
        let mut moves = record.moves();
        if moves.len() != record.play_count() {
            return Err(LeftOut::SetUp);
        }
        moves.retain(|(_, m)| matches!(m, Move::Place(_) | Move::Swap));
        let resigned = result.how == How::Resignation;
        Ok(TestGame { id: id(record), board: record.board(), moves, winner, resigned })
    }
}

/// What identifies a game: its name in the record, or its moves.
fn id(record: &Record) -> String {
    record.name().unwrap_or_else(|| write(std::slice::from_ref(record), Format::Moves))
}

impl TestGame {
    /// The side length of the board.
    pub fn side(&self) -> usize {
        self.board.side()
    }

    /// Whether the game is held out: [`is_held_out`] of its id, which is the record's name of the game (`id` in JSON
    /// lines, `GN` in SGF) or, if it has none, the record as [`Format::Moves`] writes it.
    pub fn is_held_out(&self) -> bool {
        is_held_out(&self.id)
    }

    /// The game as training data for the value: each position has the result of the game in place of a search's value,
    /// and no visits. The position in which the loser resigned is one of them. After a swap, the colours are exchanged,
    /// so that White is first. Returns `None` if the players did not take turns.
    pub fn for_training(&self) -> Option<SelfPlayGame> {
        let mut placed = self.moves.iter().filter_map(|&(color, m)| match m {
            Move::Place(v) => Some((color, v)),
            _ => None,
        });
        let (owner, first) = placed.next()?;
        let has_swap = self.moves.iter().any(|(_, m)| matches!(m, Move::Swap));
        let first_color = if has_swap { !owner } else { owner };
        let mut vertices = vec![first];
        let mut color = !first_color;
        for (owner, v) in placed {
            if owner != color {
                return None;
            }
            vertices.push(v);
            color = !color;
        }
        let winner = if self.winner == first_color { Color::White } else { Color::Black };
        let positions = vertices.len() + usize::from(self.resigned);
        let searched = |i: usize| {
            let to_move = if i.is_multiple_of(2) { Color::White } else { Color::Black };
            SearchedPosition { value: f32::from(u8::from(to_move == winner)), visits: Vec::new() }
        };
        Some(SelfPlayGame {
            side: self.board.side(),
            moves: Notation::HavannahGui.names(self.board, &vertices),
            opening: 0,
            winner: Some(winner).into(),
            searched: (0..positions).map(searched).collect(),
            is_position: false,
            origin: None,
        })
    }

    /// The positions of the game that belong to this part.
    fn questions(&self, part: Part) -> Vec<Question> {
        let stones = self.moves.iter().filter(|(_, m)| matches!(m, Move::Place(_))).count();
        let mut game = Game::new(self.board);
        let mut questions = Vec::new();
        let mut placed = 0;
        for &(color, m) in &self.moves {
            match m {
                Move::Place(v) => {
                    if part.has_quarters() {
                        game.set_to_move(color);
                        questions.push(Question { game: game.clone(), asked: Asked::Choice(4 * placed / stones, v) });
                    }
                    game.place(color, v).expect("the moves of a record are legal");
                    placed += 1;
                }
                _ => {
                    game.allow_swap(true);
                    game.swap().expect("the moves of a record are legal");
                    game.allow_swap(false);
                }
            }
        }
        if part.has_resignations() && self.resigned && stones >= RESIGNATION_STONES {
            questions.push(Question { game, asked: Asked::Resignation });
        }
        questions
    }
}

/// A position to predict.
struct Question {
    game: Game,
    asked: Asked,
}

/// What a position is measured for.
enum Asked {
    /// A quarter of the game, from 0, and the vertex that was chosen in the position.
    Choice(usize, Vertex),
    /// The position in which the loser resigned.
    Resignation,
}

/// What to measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// Everything.
    #[default]
    All,
    /// The positions of all games, by quarter.
    Quarters,
    /// The last positions of resigned games.
    Resignations,
}

impl Part {
    fn has_quarters(self) -> bool {
        self != Part::Resignations
    }

    fn has_resignations(self) -> bool {
        self != Part::Quarters
    }
}

impl FromStr for Part {
    type Err = ToolError;

    fn from_str(text: &str) -> Result<Part, ToolError> {
        match text {
            "quarters" => Ok(Part::Quarters),
            "resignations" => Ok(Part::Resignations),
            _ => Err("expected quarters or resignations".into()),
        }
    }
}

/// Predicts games from positions: a network alone, or a search with it.
#[derive(Debug)]
pub struct Predictor<'a> {
    /// The network.
    pub network: &'a Arc<dyn Backend>,
    /// The simulations of a search, or `None` for the network alone.
    pub simulations: Option<u64>,
    /// The options of the search.
    pub options: &'a SearchOptions,
}

/// What a predictor finds of a position.
struct Forecast {
    /// The chance of the player to move, in \[0, 1\].
    chance: f64,
    best: Vertex,
    /// Who is proven to win.
    proven: Option<Color>,
}

impl Predictor<'_> {
    /// Each search starts with an empty tree.
    fn predict(&self, game: &Game, seed: u64) -> Result<Forecast, SearchError> {
        let Some(simulations) = self.simulations else {
            let prediction = predict(game, &**self.network);
            let best = prediction.moves.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
            let best = best.expect("the game is not over").0;
            return Ok(Forecast { chance: prediction.win, best, proven: None });
        };
        let mut searcher = Searcher::new(self.options.clone(), seed);
        searcher.set_network(self.network.clone());
        let limits = Limits::with_simulations(simulations);
        let report = searcher.search(game, &limits, &AtomicBool::new(false))?;
        let proven = report.verdict.and_then(|verdict| verdict.winner(game.to_move()));
        Ok(Forecast { chance: report.win_rate, best: report.best, proven })
    }
}

/// How well a set of positions was judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PredictionScore {
    /// The chances given to the winners of the games.
    chances: Vec<f64>,
    /// For each game with positions, the number of chances up to its end.
    ends: Vec<usize>,
    first_choices: u64,
    disproven: u64,
}

impl PredictionScore {
    /// Adds a position: the chance given to the winner of the game, and whether the best move was the one played.
    /// [`Self::end_game`] follows the last position of a game.
    fn add(&mut self, chance: f64, first_choice: bool) {
        self.chances.push(chance);
        self.first_choices += u64::from(first_choice);
    }

    /// What is added from now on belongs to another game.
    fn end_game(&mut self) {
        let end = self.chances.len();
        if end > self.ends.last().copied().unwrap_or(0) {
            self.ends.push(end);
        }
    }

    fn mean(&self, of_chance: impl Fn(f64) -> f64) -> f64 {
        self.chances.iter().map(|&chance| of_chance(chance)).sum::<f64>() / self.chances.len() as f64
    }

    /// The number of positions.
    pub fn positions(&self) -> u64 {
        self.chances.len() as u64
    }

    /// The number of resignations, besides these positions, of players who are proven to win.
    pub fn disproven(&self) -> u64 {
        self.disproven
    }

    /// The mean log loss of the winner in nats: −ln of the chance that the winner of the game was given, which is first
    /// moved into \[0.001, 0.999\]. A coin scores 0.693.
    pub fn log_loss(&self) -> f64 {
        self.mean(loss)
    }

    /// The standard error of the log loss. The positions of a game are judged alike, so it is computed from the
    /// differences between games. `None` if there are fewer than two games.
    pub fn log_loss_error(&self) -> Option<f64> {
        let games = self.ends.len() as f64;
        if games < 2.0 {
            return None;
        }
        let mean = self.log_loss();
        let starts = iter::once(0).chain(self.ends.iter().copied());
        let excess = |(start, &end): (usize, &usize)| {
            self.chances[start..end].iter().map(|&chance| loss(chance) - mean).sum::<f64>()
        };
        let squares = starts.zip(&self.ends).map(|game| excess(game).powi(2)).sum::<f64>();
        Some((squares * games / (games - 1.0)).sqrt() / self.chances.len() as f64)
    }

    /// The log loss after the logarithms of the odds are multiplied by a factor: for each fifth of the positions, the
    /// one that fits the others best. So it does not count against chances that all of them are too close to one half.
    /// `None` if there are fewer than twenty positions.
    pub fn scaled_log_loss(&self) -> Option<f64> {
        let logits: Vec<f64> = self.chances.iter().copied().map(bounded_logit).collect();
        if logits.len() < LEAST_SCALED {
            return None;
        }
        let loss_of_fold = |fold: usize| {
            let others = logits.iter().enumerate().filter(|(i, _)| i % FOLDS != fold);
            let scale = slope(&others.map(|(_, &logit)| (logit, 1.0)).collect::<Vec<_>>());
            let own = logits.iter().skip(fold).step_by(FOLDS);
            own.map(|logit| loss(logistic(scale * logit))).sum::<f64>()
        };
        Some((0..FOLDS).map(loss_of_fold).sum::<f64>() / logits.len() as f64)
    }

    /// The share of positions whose favourite won the game. A chance of exactly 0.5 counts half.
    pub fn accuracy(&self) -> f64 {
        self.mean(|chance| if chance == 0.5 { 0.5 } else { f64::from(u8::from(chance > 0.5)) })
    }

    /// The share of positions in which the best move was the one played.
    pub fn first_choice(&self) -> f64 {
        self.first_choices as f64 / self.chances.len() as f64
    }

    /// The share of positions with a chance from 0.3 to 0.7.
    pub fn undecided(&self) -> f64 {
        self.mean(|chance| f64::from(u8::from(UNDECIDED.contains(&chance))))
    }
}

/// The chance, moved into the range of those whose logarithm is taken.
fn bounded(chance: f64) -> f64 {
    chance.clamp(CHANCES.0, CHANCES.1)
}

/// The log loss of one position.
fn loss(chance: f64) -> f64 {
    -bounded(chance).ln()
}

/// What was measured, by side length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics {
    /// The positions of all games, by quarter.
    pub quarters: BTreeMap<usize, [PredictionScore; 4]>,
    /// The positions in which somebody resigned.
    pub resignations: BTreeMap<usize, PredictionScore>,
}

/// How one question was answered: the chance given to the winner, and whether the best move was the one played.
struct ScoredAnswer {
    asked: Asked,
    chance: f64,
    first_choice: bool,
    /// Whether the loser of the game is proven to win.
    is_disproven: bool,
}

/// Measures a predictor. `progress` is called for each position predicted, from any of the threads. The result does not
/// depend on the number of threads.
///
/// # Errors
/// If a search fails.
pub fn measure(
    games: &[TestGame],
    part: Part,
    predictor: &Predictor<'_>,
    threads: usize,
    progress: &(dyn Fn() + Sync),
) -> Result<Metrics, SearchError> {
    // In the order of the games, because sums of floating-point numbers depend on it.
    let answered = parallel_map(games, threads, |game| answer(game, part, predictor, progress));
    let mut metrics = Metrics::default();
    for (game, answers) in games.iter().zip(answered) {
        metrics.add(game.side(), answers?);
    }
    Ok(metrics)
}

/// The number of positions that [`measure`] judges.
pub fn count_positions(games: &[TestGame], part: Part) -> usize {
    games.iter().map(|game| game.questions(part).len()).sum()
}

fn answer(
    game: &TestGame,
    part: Part,
    predictor: &Predictor<'_>,
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<ScoredAnswer>, SearchError> {
    let seed = fnv1a(game.id.bytes());
    let answer = |(i, question): (u64, Question)| {
        let Forecast { chance, best, proven } = predictor.predict(&question.game, seed.wrapping_add(i))?;
        progress();
        let chance = if question.game.to_move() == game.winner { chance } else { 1.0 - chance };
        let first_choice = matches!(question.asked, Asked::Choice(_, v) if v == best);
        let is_disproven = proven == Some(!game.winner);
        Ok(ScoredAnswer { asked: question.asked, chance, first_choice, is_disproven })
    };
    (0..).zip(game.questions(part)).map(answer).collect()
}

impl Metrics {
    /// Adds what was found of the positions of a game.
    fn add(&mut self, side: usize, answers: Vec<ScoredAnswer>) {
        for answer in answers {
            let score = match answer.asked {
                Asked::Choice(quarter, _) => &mut self.quarters.entry(side).or_default()[quarter],
                Asked::Resignation => self.resignations.entry(side).or_default(),
            };
            if matches!(answer.asked, Asked::Resignation) && answer.is_disproven {
                score.disproven += 1;
            } else {
                score.add(answer.chance, answer.first_choice);
            }
        }
        self.quarters.get_mut(&side).into_iter().flatten().for_each(PredictionScore::end_game);
        self.resignations.get_mut(&side).into_iter().for_each(PredictionScore::end_game);
    }

    /// The figures, for a program to read.
    pub fn to_json(&self) -> Value {
        let quarters = self.rows().map(|(side, quarter, score)| {
            json!({
                "side": side,
                "quarter": quarter,
                "positions": score.positions(),
                "log_loss": score.log_loss(),
                "log_loss_error": score.log_loss_error(),
                "scaled_log_loss": score.scaled_log_loss(),
                "accuracy": score.accuracy(),
                "first_choice": score.first_choice(),
            })
        });
        let resignations = self.resignations.iter().map(|(side, score)| {
            json!({
                "side": side,
                "games": score.positions(),
                "disproven": score.disproven(),
                "accuracy": score.accuracy(),
                "undecided": score.undecided(),
                "log_loss": score.log_loss(),
                "log_loss_error": score.log_loss_error(),
                "scaled_log_loss": score.scaled_log_loss(),
            })
        });
        json!({ "quarters": quarters.collect::<Vec<_>>(), "resignations": resignations.collect::<Vec<_>>() })
    }

    /// The quarters that have positions: side length, quarter from 1, and score.
    fn rows(&self) -> impl Iterator<Item = (usize, usize, &PredictionScore)> {
        let rows = self.quarters.iter().flat_map(|(&side, scores)| (1..).zip(scores).map(move |(q, s)| (side, q, s)));
        rows.filter(|(_, _, score)| score.positions() > 0)
    }
}

impl fmt::Display for Metrics {
    /// Formats the figures as tables; shares are in per cent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figure = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.3}"));
        let losses = |score: &PredictionScore| {
            let [error, scaled] = [score.log_loss_error(), score.scaled_log_loss()].map(figure);
            format!("{:8.3}  {error:>5}  {scaled:>6}", score.log_loss())
        };
        if !self.quarters.is_empty() {
            writeln!(f, "side  quarter  positions  log loss  error  scaled  winner named  first choice")?;
        }
        for (side, quarter, score) in self.rows() {
            let positions = score.positions();
            let losses = losses(score);
            let [winner, first] = [score.accuracy(), score.first_choice()].map(|share| 100.0 * share);
            writeln!(f, "{side:4}  {quarter:7}  {positions:9}  {losses}  {winner:10.1} %  {first:10.1} %")?;
        }
        if self.resignations.is_empty() {
            return Ok(());
        }
        if !self.quarters.is_empty() {
            writeln!(f)?;
        }
        writeln!(f, "side  resignations  disproven  log loss  error  scaled  winner named  undecided")?;
        for (side, score) in &self.resignations {
            let games = score.positions();
            let disproven = score.disproven();
            let losses = losses(score);
            let [winner, undecided] = [score.accuracy(), score.undecided()].map(|share| 100.0 * share);
            writeln!(f, "{side:4}  {games:12}  {disproven:9}  {losses}  {winner:10.1} %  {undecided:7.1} %")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::record::{Winner, read};
    use crate::network::{Evaluation, Evaluator, Input, Network};
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    fn games(lines: &str) -> Vec<Result<TestGame, LeftOut>> {
        read(lines.as_bytes(), Some(Format::JsonLines)).unwrap().iter().map(TestGame::try_from).collect()
    }

    /// Gives white a chance of 0.8, and prefers the first empty vertex.
    struct FavoursWhite;

    impl Evaluator for FavoursWhite {
        fn evaluate(&mut self, input: &Input<'_>, evaluation: &mut Evaluation) {
            *evaluation = Evaluation::default();
            evaluation.value = if input.color == Color::White { 0.8 } else { 0.2 };
        }
    }

    impl Backend for FavoursWhite {
        fn evaluator(&self, _: &'static Geometry) -> Box<dyn Evaluator> {
            Box::new(FavoursWhite)
        }
    }

    fn judged(games: &[TestGame], part: Part, threads: usize) -> Metrics {
        let network: Arc<dyn Backend> = Arc::new(FavoursWhite);
        let predictor = Predictor { network: &network, simulations: None, options: &SearchOptions::default() };
        let calls = AtomicUsize::new(0);
        let count = || {
            calls.fetch_add(1, Relaxed);
        };
        let metrics = measure(games, part, &predictor, threads, &count).unwrap();
        assert_eq!(calls.into_inner(), count_positions(games, part));
        metrics
    }

    #[test]
    fn one_game_in_five_is_held_out() {
        // 64-bit FNV-1a of "" and "a", from the authors' test vectors.
        assert_eq!([fnv1a([]), fnv1a(*b"a")], [0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c]);
        assert!(is_held_out("lg-0") && is_held_out("lg-10") && !is_held_out("lg-1") && !is_held_out("lg-7"));
        let held_out = (0..10_000).filter(|i| is_held_out(&format!("lg-{i}"))).count();
        assert!((1_850..2_150).contains(&held_out), "{held_out}");
    }

    #[test]
    fn games_become_training_data_with_white_first_and_the_result_as_value() {
        let games = games(
            r#"{"side":4,"moves":["a1","b2","c3"],"winner":"black","by":"resign"}
{"side":4,"moves":["a1","swap","b2","c3"],"winner":"white","by":"resign"}
{"side":4,"moves":["d4","a1","d5","a2","d6","a3","d7","a4"],"winner":"black","by":"bridge"}"#,
        );
        let [plain, swapped, won] = [0, 1, 2].map(|i| games[i].as_ref().unwrap().for_training().unwrap());
        let values = |game: &SelfPlayGame| game.searched.iter().map(|searched| searched.value).collect::<Vec<_>>();
        assert_eq!((plain.winner, values(&plain)), (Winner::Black, vec![0.0, 1.0, 0.0, 1.0]));
        // The stone on a1 became Black's, and White, who won, has the second stone of the game.
        assert_eq!((swapped.winner, values(&swapped)), (Winner::Black, vec![0.0, 1.0, 0.0, 1.0]));
        assert_eq!(swapped.moves, ["a1", "b2", "c3"]);
        assert_eq!((won.moves.len(), won.searched.len()), (8, 8));
        for game in [plain, swapped, won] {
            assert_eq!(serde_json::to_string(&game).unwrap().parse::<SelfPlayGame>().unwrap(), game);
        }
    }

    #[test]
    fn games_without_a_winner_on_the_board_or_by_resignation_are_left_out() {
        let games = games(
            r#"{"side":4,"moves":["a1"],"winner":null}
{"side":4,"moves":["a1"],"winner":"draw"}
{"side":4,"moves":["a1"],"winner":"white","by":"time forfeit"}
{"side":4,"moves":["a1"],"winner":"white","by":"illegal move"}
{"side":4,"moves":["a1"],"winner":"white","by":"resign"}"#,
        );
        let expected = [LeftOut::NoWinner, LeftOut::NoWinner, LeftOut::Forfeit, LeftOut::Forfeit];
        assert!(games[..4].iter().map(|game| game.as_ref().unwrap_err()).eq(&expected));
        assert!(games[4].is_ok());
        let set_up = read(b"(;FF[4]SZ[4]AW[a1]RE[W+R];B[b2])", None).unwrap();
        assert_eq!(TestGame::try_from(&set_up[0]).unwrap_err(), LeftOut::SetUp);
    }

    #[test]
    fn quarters_have_the_positions_before_their_stones() {
        // The first, third and fifth of five stones are on the first empty vertex; white wins.
        let line = r#"{"side":4,"moves":["a1","d4","a2","d5","a3"],"winner":"white","by":"resign"}"#;
        let game = games(line).remove(0).unwrap();
        let metrics = judged(&[game], Part::All, 1);
        let scores = &metrics.quarters[&4];
        assert_eq!(scores.each_ref().map(PredictionScore::positions), [2, 1, 1, 1]);
        assert_eq!(scores.each_ref().map(PredictionScore::first_choice), [0.5, 1.0, 0.0, 1.0]);
        assert!(scores.iter().all(|score| score.accuracy() == 1.0 && score.undecided() == 0.0));
        assert!(scores.iter().all(|score| (score.log_loss() + 0.8_f64.ln()).abs() < 1e-6));
        assert!(metrics.resignations.is_empty(), "the game is too short");
    }

    /// After the swap the first stone is black's, and white, who wins, moves next.
    #[test]
    fn a_swap_is_no_position() {
        let line = r#"{"side":4,"swapped":true,"moves":["d4","a1","d5"],"winner":"black","by":"resign"}"#;
        let scores = &judged(&[games(line).remove(0).unwrap()], Part::All, 1).quarters[&4];
        assert_eq!(scores.each_ref().map(PredictionScore::positions), [1, 1, 1, 0]);
        assert_eq!(scores[1].first_choice(), 1.0);
        assert_eq!(scores[1].accuracy(), 1.0);
    }

    #[test]
    fn resignations_count_from_twenty_stones_on() {
        let moves = "a1 a2 a3 a4 c1 c2 c3 c4 e2 e3 e4 e5 g4 g5 g6 g7 b2 b1 d2 d1";
        let line = |count: usize, winner: &str| {
            let moves: Vec<&str> = moves.split(' ').take(count).collect();
            serde_json::json!({"side": 4, "moves": moves, "winner": winner, "by": "resign"}).to_string()
        };
        let lines = [line(20, "white"), line(20, "black"), line(20, "black"), line(19, "white")].join("\n");
        let games: Vec<TestGame> = games(&lines).into_iter().map(Result::unwrap).collect();
        let metrics = judged(&games, Part::Resignations, 2);
        let score = &metrics.resignations[&4];
        assert_eq!((score.positions(), score.undecided()), (3, 0.0));
        assert!((score.accuracy() - 1.0 / 3.0).abs() < 1e-9);
        assert!((score.log_loss() + (0.8_f64.ln() + 2.0 * 0.2_f64.ln()) / 3.0).abs() < 1e-6);
        assert!(metrics.quarters.is_empty());
        assert!(judged(&games, Part::Quarters, 2).resignations.is_empty());
    }

    #[test]
    fn scores_are_bounded_where_a_search_is_certain() {
        let mut score = PredictionScore::default();
        [0.0, 1.0, 0.5, 0.3, 0.7].into_iter().for_each(|chance| score.add(chance, false));
        let loss = [0.001_f64, 0.999, 0.5, 0.3, 0.7].map(|chance| -chance.ln()).iter().sum::<f64>() / 5.0;
        assert!((score.log_loss() - loss).abs() < 1e-12);
        assert_eq!((score.accuracy(), score.undecided(), score.first_choice()), (0.5, 0.6, 0.0));
    }

    /// Copies of a position say nothing new, and those of one game little.
    #[test]
    fn the_error_is_that_of_as_many_games() {
        let score = |games: &[&[f64]]| {
            let mut score = PredictionScore::default();
            for game in games {
                game.iter().for_each(|&chance| score.add(chance, false));
                score.end_game();
            }
            score
        };
        // With one position a game, it is the standard error of a mean.
        let losses = [0.5_f64, 0.8, 0.9].map(|chance| -chance.ln());
        let mean = losses.iter().sum::<f64>() / 3.0;
        let variance = losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / 2.0;
        let apart = score(&[&[0.5], &[0.8], &[0.9]]).log_loss_error().unwrap();
        assert!((apart - (variance / 3.0).sqrt()).abs() < 1e-12);
        let copied = score(&[&[0.5; 4], &[0.8; 4], &[], &[0.9; 4]]);
        assert!((copied.log_loss_error().unwrap() - apart).abs() < 1e-12 && copied.positions() == 12);
        // Games of which each has the same losses do not differ.
        assert!(score(&[&[0.5, 0.8], &[0.8, 0.5]]).log_loss_error().unwrap() < 1e-12);
        assert_eq!(score(&[&[0.5, 0.8]]).log_loss_error(), None);
    }

    /// Chances of 0.6 whose favourites win four times in five are too close to one half.
    #[test]
    fn a_scale_makes_up_for_chances_that_are_too_close_to_one_half() {
        let mut score = PredictionScore::default();
        (0..25).for_each(|i| score.add(if i / 5 == 0 { 0.4 } else { 0.6 }, false));
        let loss = -(0.8 * 0.8_f64.ln() + 0.2 * 0.2_f64.ln());
        assert!((score.scaled_log_loss().unwrap() - loss).abs() < 1e-6, "{score:?}");
        assert!(score.log_loss() > loss + 0.05);
        score.chances.truncate(LEAST_SCALED - 1);
        assert_eq!(score.scaled_log_loss(), None);
        // No scale is too large if all favourites win.
        let mut right = PredictionScore::default();
        (0..20).for_each(|_| right.add(0.7, false));
        assert!(right.scaled_log_loss().unwrap() < 0.01);
    }

    /// Black resigned, but wins with one stone.
    #[test]
    fn a_resignation_that_a_search_disproves_is_left_out() {
        let moves = [
            "d4", "a1", "d5", "a2", "c3", "a3", "e5", "c1", "e4", "c2", "c4", "d1", "f5", "e2", "b2", "e3", "f6", "g4",
            "g7",
        ];
        let moves = [&moves[..], &["g5", "b3"]].concat();
        let line = serde_json::json!({"side": 4, "moves": moves, "winner": "white", "by": "resign"}).to_string();
        let game = games(&line).remove(0).unwrap();
        let (network, options): (Arc<dyn Backend>, _) =
            (Network::builtin(), SearchOptions { memory: 8, ..SearchOptions::default() });
        let predictor = Predictor { network: &network, simulations: Some(50), options: &options };
        let searched = measure(&[game], Part::Resignations, &predictor, 1, &|| ()).unwrap();
        assert_eq!((searched.resignations[&4].positions(), searched.resignations[&4].disproven()), (0, 1));
    }

    /// Searches of a small game: the same figures for any number of threads.
    #[test]
    fn searches_do_not_depend_on_the_number_of_threads() {
        let line = |first: &str| format!(r#"{{"side":4,"moves":["{first}","a1"],"winner":"white","by":"resign"}}"#);
        let lines = ["d4", "c3", "e5"].map(line).join("\n");
        let games: Vec<TestGame> = games(&lines).into_iter().map(Result::unwrap).collect();
        let network: Arc<dyn Backend> = Network::builtin();
        let options = SearchOptions { memory: 8, ..SearchOptions::default() };
        let predictor = Predictor { network: &network, simulations: Some(50), options: &options };
        let [one, two] = [1, 2].map(|threads| measure(&games, Part::All, &predictor, threads, &|| ()).unwrap());
        assert_eq!(one, two);
        let alone = measure(&games, Part::All, &Predictor { simulations: None, ..predictor }, 1, &|| ()).unwrap();
        assert_ne!(one, alone);
    }
}
