//! The pie rule: what each first stone is worth, which one to place, and when to swap.
//!
//! On the boards that the table has, the table decides. It holds games of the engine against itself from each first
//! stone. `malecon learn first-stones` makes it ([`crate::tools::learn::first_stones`]); `docs/levels.md` explains
//! how. On other boards a search decides. A search of the empty board visits the best stones most and the fair ones
//! rarely, so its estimates of these are poor. `search_first_stones` therefore searches each stone on its own.
//!
//! Stones that the symmetries of the board map to each other, here called the images of one stone, are equal by the
//! rules of the game. They form a class, and the table has one line for each class.

use std::fmt;
use std::sync::LazyLock;
use std::time::Duration;

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::base::sync::StopFlag;
use crate::base::time::Instant;
use crate::engine::reasons::Evidence;
use crate::engine::search::{Limits, MoveReport, OBSERVATION_INTERVAL, Observer, Report, Searcher, Verdict};
use crate::game::{Color, Game, Geometry, Move, Notation, Vertex};

/// The table that the engine uses: the first stones of each board that it has.
static TABLE: LazyLock<Vec<FirstStones>> =
    LazyLock::new(|| FirstStones::read(include_str!("first_stones.txt")).expect("the built-in table is valid"));

/// A first stone is fair if the estimated chance of its owner differs by no more than this from one half.
const FAIR: f64 = 0.05;

/// Where all fair stones are good for their owner, or all are bad, the fairest of the others still counts as fair if
/// its chance differs by no more than this from one half.
const NEARLY_FAIR: f64 = 0.13;

/// An estimate begins as if this many games had been played, with half of the points.
const PRIOR_GAMES: f64 = 2.0;

/// The games from a first stone show which player is better off if their mean is at least this many times the greatest
/// possible standard error from one half. By chance this happens for one fair stone in ten.
const CLEAR: f64 = 1.645;

/// Simulations for each first stone in the first round of a search that is not limited by simulations. Each round makes
/// four times as many as the one before.
const FIRST_ROUND: u64 = 16;

/// The games of self-play that began with a first stone or one of its images.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// How many there are.
    pub games: u32,
    /// The points of the owner of the stone in them: 1 for a win, 0.5 for a draw; of a game that was broken off, the
    /// chance of winning at that point.
    pub points: f64,
}

impl Score {
    /// Whether the mean is so far from one half that it hardly is by chance. A game's points deviate by 0.5 at most.
    fn is_clear(self) -> bool {
        (self.mean() - 0.5).abs() * f64::from(self.games).sqrt() >= CLEAR * 0.5
    }

    fn mean(self) -> f64 {
        self.points / f64::from(self.games.max(1))
    }
}

/// What is known of the first stones of a board. All chances are from the point of view of the player who owns the
/// stone, with the opponent to move.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstStones {
    geometry: &'static Geometry,
    /// For each vertex, the index of its class.
    class: Vec<usize>,
    /// The score of each class, in the order of [`classes`].
    scores: Vec<Score>,
}

impl FirstStones {
    /// A board without games.
    pub fn new(geometry: &'static Geometry) -> FirstStones {
        let classes = classes(geometry);
        let index = |v| classes.binary_search(&class_of(geometry, v)).expect("each class is listed");
        let class = geometry.vertices().map(index).collect();
        FirstStones { geometry, class, scores: vec![Score::default(); classes.len()] }
    }

    /// Reads a table: lines with side length, vertex, games and points. Lines about the same class are added up. What
    /// follows on a line, and lines that begin with `#`, are for people. The boards come in the order of their size.
    ///
    /// # Errors
    /// Returns a one-line message if a line is invalid.
    pub fn read(text: &str) -> Result<Vec<FirstStones>, String> {
        let mut boards: Vec<FirstStones> = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (geometry, v, score) = parse_line(line)
                .ok_or_else(|| format!("invalid first stone '{line}' (expected side, vertex, games and points)"))?;
            let i = boards.iter().position(|board| board.geometry.side() == geometry.side()).unwrap_or_else(|| {
                boards.push(FirstStones::new(geometry));
                boards.len() - 1
            });
            boards[i].add(v, score);
        }
        boards.sort_by_key(|board| board.geometry.side());
        Ok(boards)
    }

    /// The board.
    pub fn geometry(&self) -> &'static Geometry {
        self.geometry
    }

    /// The games that began on `v` or one of its images.
    pub fn score(&self, v: Vertex) -> Score {
        self.scores[self.class[v.index()]]
    }

    /// Adds games that began on `v`.
    pub fn add(&mut self, v: Vertex, Score { games, points }: Score) {
        let score = &mut self.scores[self.class[v.index()]];
        score.games += games;
        score.points += points;
    }

    /// The chance of winning in \[0, 1\] with a first stone on `v`: the proven result, or else the estimate.
    pub fn value(&self, v: Vertex) -> f64 {
        published(self.geometry.side()).map_or_else(|| self.estimate(v), Verdict::value)
    }

    /// The chance of winning in \[0, 1\] with a first stone on `v` between players who do not know a proof: the mean of
    /// its games, and one half if it has none.
    pub fn estimate(&self, v: Vertex) -> f64 {
        let Score { games, points } = self.score(v);
        (points + PRIOR_GAMES / 2.0) / (f64::from(games) + PRIOR_GAMES)
    }

    /// How far the estimate of a first stone on `v` is from one half.
    fn imbalance(&self, v: Vertex) -> f64 {
        (self.estimate(v) - 0.5).abs()
    }

    /// The fair first stones, fairest first: both players win about half of the games after them. If possible, some are
    /// good for their owner and some are bad. If no stone is fair, these are the one that comes nearest to it and its
    /// images.
    ///
    /// Where a proof makes all stones equal, the estimates decide: they show on which stone the opponent is most likely
    /// to go wrong.
    pub fn fair(&self) -> Vec<Vertex> {
        let mut stones: Vec<_> = self.geometry.vertices().map(|v| (self.imbalance(v), v)).collect();
        stones.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let class = |v: Vertex| self.class[v.index()];
        let fairest = class(stones[0].1);
        let fairest_of_kind = [true, false].map(|good| {
            let stone = stones.iter().find(|&&(_, v)| self.is_good(v) == good);
            stone.map(|&(_, v)| class(v))
        });
        let is_fair = |&(imbalance, v): &(f64, Vertex)| {
            class(v) == fairest
                || imbalance <= FAIR
                || (fairest_of_kind.contains(&Some(class(v))) && imbalance <= NEARLY_FAIR)
        };
        stones.into_iter().filter(is_fair).map(|(_, v)| v).collect()
    }

    /// Whether a first stone on `v` wins more than half of the games for its owner, between players who do not know a
    /// proof.
    fn is_good(&self, v: Vertex) -> bool {
        self.estimate(v) > 0.5
    }

    /// One of the fair stones, drawn at random. Stones that are good for their owner and stones that are bad are
    /// equally likely, if there are both: so the opponent swaps in half of the games, and what the table misjudges
    /// evens out.
    fn draw_fair(&self, rng: &mut Xoshiro256PlusPlus) -> Vertex {
        let (good, bad): (Vec<_>, Vec<_>) = self.fair().into_iter().partition(|&v| self.is_good(v));
        let kinds: Vec<_> = [good, bad].into_iter().filter(|stones| !stones.is_empty()).collect();
        let kind = kinds.choose(rng).expect("at least one stone counts as fair");
        *kind.choose(rng).expect("kinds without stones were left out")
    }
}

impl fmt::Display for FirstStones {
    /// The lines of the table: side, vertex, games, points, value. Each class is given by one of its stones. Classes
    /// without games have no line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for v in classes(self.geometry).into_iter().filter(|&v| self.score(v).games > 0) {
            let (side, name) = (self.geometry.side(), Notation::HavannahGui.name(self.geometry, v));
            let Score { games, points } = self.score(v);
            writeln!(f, "{side:4} {name:>6} {games:5} {points:7.2}  {:.3}", self.value(v))?;
        }
        Ok(())
    }
}

fn parse_line(line: &str) -> Option<(&'static Geometry, Vertex, Score)> {
    let mut words = line.split_whitespace();
    let geometry = Geometry::with_side(words.next()?.parse().ok()?).ok()?;
    let vertex = Notation::HavannahGui.parse(geometry, words.next()?).ok()?;
    let (games, points) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    (0.0..=f64::from(games)).contains(&points).then_some((geometry, vertex, Score { games, points }))
}

/// The value of every first stone where a solution is published: on side 4 the first player wins wherever the first
/// stone is (Ewalds, *Playing and Solving the Game of Havannah*, 2012).
fn published(side: usize) -> Option<Verdict> {
    (side == 4).then_some(Verdict::Win)
}

/// The vertices that the symmetries of the board map `v` to, `v` included, in vertex order.
pub fn images(geometry: &Geometry, v: Vertex) -> Vec<Vertex> {
    let mut images: Vec<_> = geometry.symmetries().iter().map(|image| image[v.index()]).collect();
    images.sort();
    images.dedup();
    images
}

/// The vertex that stands for all images of `v`: the one with the lowest index.
fn class_of(geometry: &Geometry, v: Vertex) -> Vertex {
    geometry.symmetries().iter().map(|image| image[v.index()]).min().expect("there are 12 symmetries")
}

/// One vertex of each class under the symmetries of the board, in vertex order.
pub fn classes(geometry: &Geometry) -> Vec<Vertex> {
    geometry.vertices().filter(|&v| class_of(geometry, v) == v).collect()
}

/// The first stones of a board; `None` if the table does not have the board.
pub fn first_stones(geometry: &Geometry) -> Option<&'static FirstStones> {
    TABLE.iter().find(|board| board.geometry.side() == geometry.side())
}

/// Whether `color` is about to place the first stone of a game with the pie rule.
pub(super) fn is_first_stone(game: &Game, color: Color) -> bool {
    game.swap_allowed() && game.history().is_empty() && color == game.to_move()
}

/// The first stone, if `color` may swap it now.
pub(super) fn stone_to_swap(game: &Game, color: Color) -> Option<Vertex> {
    if game.can_swap() && color == game.to_move() { game.last_stone() } else { None }
}

/// The move of `color` by the table, where the pie rule asks for a decision and the table has the board: one of the
/// fair stones, drawn at random, or the swap. `None` if there is nothing to decide, or the second player does not swap.
pub(super) fn decide(game: &Game, color: Color, rng: &mut Xoshiro256PlusPlus) -> Option<Move> {
    let table = first_stones(game.geometry())?;
    if is_first_stone(game, color) {
        return Some(Move::Place(table.draw_fair(rng)));
    }
    (table.value(stone_to_swap(game, color)?) > 0.5).then_some(Move::Swap)
}

/// Whether `color` may swap and would win less than half of the games otherwise, according to the table or else to a
/// search of the position.
pub(super) fn should_swap(game: &Game, color: Color, report: &Report) -> bool {
    chance_without_swap(game, color, report).is_some_and(|chance| chance < 0.5)
}

/// What shows whether the owner of the first stone, on `v`, is better off or worse; `None` if nothing does. `report` is a
/// search of the position with that stone alone, without the pie rule, and `scale` makes chances of its values.
pub(crate) fn evidence(
    geometry: &Geometry,
    v: Vertex,
    report: &Report,
    scale: impl Fn(f64) -> f64,
) -> Option<Evidence> {
    let verdict = report.verdict.map_or_else(|| published(geometry.side()), |verdict| Some(verdict.of_opponent()));
    if let Some(verdict) = verdict {
        return (verdict == Verdict::Win).then_some(Evidence::Proof);
    }
    let Some(table) = first_stones(geometry) else {
        let chance = scale(value_of_first_stone(geometry, v, report, FirstStones::value));
        return ((chance - 0.5).abs() > FAIR).then_some(Evidence::Search { chance });
    };
    let score = table.score(v);
    score.is_clear().then(|| Evidence::Games { games: score.games, score: score.mean() })
}

/// The chance of winning of `color`, who may swap, if it does not; `None` if it may not swap.
fn chance_without_swap(game: &Game, color: Color, report: &Report) -> Option<f64> {
    let first = stone_to_swap(game, color)?;
    Some(1.0 - value_of_first_stone(game.geometry(), first, report, FirstStones::value))
}

/// The chance of winning of `color`, whose stone the opponent has just taken by the swap, according to the table.
/// `None` in other positions and on other boards.
fn chance_after_swap(game: &Game, color: Color) -> Option<f64> {
    let [(_, Move::Place(v)), (_, Move::Swap)] = *game.history() else { return None };
    let value = first_stones(game.geometry())?.value(v);
    (color == game.to_move()).then_some(1.0 - value)
}

/// The chance of winning of the player who owns the first stone, on `v`, with the opponent to move: `value` of the
/// table, or on a board that it does not have, what a search of the position found.
pub(super) fn value_of_first_stone(
    geometry: &Geometry,
    v: Vertex,
    report: &Report,
    value: fn(&FirstStones, Vertex) -> f64,
) -> f64 {
    let searched = || report.moves.iter().find(|m| m.vertex == report.best).and_then(chance_after);
    first_stones(geometry).map_or_else(|| 1.0 - searched().unwrap_or(report.win_rate), |table| value(table, v))
}

/// The chance of winning with a move: the proven result or the mean of its visits, if there is either.
fn chance_after(m: &MoveReport) -> Option<f64> {
    m.verdict.map(Verdict::value).or(m.win_rate)
}

/// A report of the position of `game`, corrected for the pie rule, of which the search knows nothing.
///
/// - Before the first stone, the best move is the fairest stone. The player who places it has the chance of winning
///   against an opponent who then picks the better colour.
/// - If the player to move may swap, its chance is that of the better colour, and a proven loss becomes a win.
/// - After a swap, the chance is what the table says about the first stone, if it has the board.
///
/// In other positions, and without the pie rule, the report stays as it is.
pub(super) fn with_pie_rule(game: &Game, report: &Report) -> Report {
    let color = report.to_move;
    if is_first_stone(game, color) {
        let Some((v, value)) = fairest(game.geometry(), report) else { return report.clone() };
        // Where one colour is proven to win after every stone, the opponent picks that colour.
        let verdict = published(game.geometry().side()).map(|_| Verdict::Loss);
        return Report { verdict, ..placing(report, v, value) };
    }
    let picked = chance_without_swap(game, color, report).map(|chance| chance.max(1.0 - chance));
    let win_rate = picked.or_else(|| chance_after_swap(game, color)).unwrap_or(report.win_rate);
    let verdict = match report.verdict {
        Some(Verdict::Loss) if picked.is_some() => Some(Verdict::Win),
        verdict => verdict,
    };
    Report { win_rate, verdict, ..report.clone() }
}

/// Whether the table of first stones says what the player to move has for a chance, and not the search.
pub(super) fn decides_chance(game: &Game) -> bool {
    let color = game.to_move();
    let depends = is_first_stone(game, color) || stone_to_swap(game, color).is_some();
    (depends && first_stones(game.geometry()).is_some()) || chance_after_swap(game, color).is_some()
}

/// The fairest first stone, and the chance of winning of the player who owns it: by the table, or else by a search of
/// the empty board. `None` if neither says anything.
fn fairest(geometry: &Geometry, report: &Report) -> Option<(Vertex, f64)> {
    if let Some(table) = first_stones(geometry) {
        let v = table.fair()[0];
        return Some((v, table.value(v)));
    }
    let searched = report.moves.iter().filter_map(|m| Some((m.vertex, chance_after(m)?)));
    searched.min_by(|(_, a), (_, b)| (a - 0.5).abs().total_cmp(&(b - 0.5).abs()))
}

/// The report of a search of the empty board, with a stone on `v` as the best move. `value` is the chance of winning of
/// the player who owns this stone.
fn placing(report: &Report, v: Vertex, value: f64) -> Report {
    let pv = if v == report.best {
        report.pv.clone()
    } else {
        let line = report.moves.iter().find(|m| m.vertex == v).map(|m| &m.line[..]).unwrap_or_default();
        if line.is_empty() { vec![v] } else { line.to_vec() }
    };
    Report { best: v, win_rate: value.min(1.0 - value), pv, moves_to_win: None, ..report.clone() }
}

/// A vertex drawn at random from those that the symmetries of the board map `v` to.
pub(super) fn random_image(geometry: &Geometry, v: Vertex, rng: &mut Xoshiro256PlusPlus) -> Vertex {
    let symmetries = geometry.symmetries();
    symmetries[rng.random_range(0..symmetries.len())][v.index()]
}

/// Searches one first stone of each class under the symmetries of the board, all with the same number of simulations,
/// within these limits; without any, until `stop` is raised. The board of `game` is empty.
///
/// The report's values are from the point of view of the player to move, without the pie rule. The observer is called
/// about five times a second, once every stone has been searched.
pub(super) fn search_first_stones(
    searcher: &mut Searcher,
    game: &Game,
    limits: &Limits,
    stop: &StopFlag,
    mut observer: Option<Observer<'_>>,
) -> Report {
    let (start, stones) = (Instant::now(), classes(game.geometry()));
    let left = || limits.time.map(|time| time.saturating_sub(start.elapsed()));
    let is_over = || stop.is_stopped() || left() == Some(Duration::ZERO);
    let share = limits.simulations.map(|all| (all / stones.len() as u64).max(1));
    let (mut found, mut simulations, mut each) = (Vec::new(), 0, share.unwrap_or(FIRST_ROUND));
    let mut next_observation = OBSERVATION_INTERVAL;
    loop {
        let mut round: Vec<(Vertex, Report)> = Vec::new();
        for &v in &stones {
            if let Some(observer) = &mut observer
                && !found.is_empty()
                && start.elapsed() >= next_observation
            {
                let newest = [&round[..], &found[round.len()..]].concat();
                observer(&summary(game, &newest, simulations, start.elapsed()));
                next_observation = start.elapsed() + OBSERVATION_INTERVAL;
            }
            let round_limits = Limits { simulations: Some(each), time: left(), longest: None };
            let report = after(searcher, game, v, &round_limits, stop);
            simulations += report.simulations;
            round.push((v, report));
        }
        // A later round that was cut short says less than the one before.
        if found.is_empty() || !is_over() {
            found = round;
        }
        if is_over() || share.is_some() || found.iter().all(|(_, report)| report.verdict.is_some()) {
            return summary(game, &found, simulations, start.elapsed());
        }
        each *= 4;
    }
}

/// Searches the position after a first stone on `v`, for the second player.
fn after(searcher: &mut Searcher, game: &Game, v: Vertex, limits: &Limits, stop: &StopFlag) -> Report {
    let mut game = game.clone();
    game.play(v).expect("the board is empty");
    searcher.search(&game, limits, stop.as_atomic())
}

/// The report on the empty board.
fn summary(game: &Game, found: &[(Vertex, Report)], simulations: u64, elapsed: Duration) -> Report {
    let geometry = game.geometry();
    let moves: Vec<MoveReport> = geometry
        .vertices()
        .map(|vertex| {
            let class = class_of(geometry, vertex);
            let (v, report) = found.iter().find(|(v, _)| *v == class).expect("each class was searched");
            let is_searched = vertex == *v;
            MoveReport {
                vertex,
                visits: report.simulations,
                win_rate: Some(1.0 - report.win_rate),
                prior: None,
                rave: None,
                verdict: report.verdict.map(Verdict::of_opponent),
                line: if is_searched { [&[vertex], &report.pv[..]].concat() } else { Vec::new() },
            }
        })
        .collect();
    let (best, last) =
        found.iter().min_by(|(_, a), (_, b)| a.win_rate.total_cmp(&b.win_rate)).expect("a board has vertices");
    let verdict =
        if found.iter().any(|(_, report)| report.verdict == Some(Verdict::Loss)) { Some(Verdict::Win) } else { None };
    let pv = [&[*best], &last.pv[..]].concat();
    Report {
        to_move: game.to_move(),
        best: *best,
        win_rate: 1.0 - last.win_rate,
        verdict,
        pv,
        moves_to_win: None,
        simulations,
        elapsed,
        moves,
    }
}
