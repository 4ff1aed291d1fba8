//! Puzzles from games.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::base::sync::StopFlag;
use crate::engine::search::{Limits, SearchError, SearchOptions, Searcher, Verdict};
use crate::game::record::Record;
use crate::game::{Color, Game, Notation, Vertex};
use crate::proof::replies::completing;
use crate::tools::ToolError;

use super::judge::{Judge, Proof, likeliest_first};
use super::{Puzzle, Theme, after, line};

/// The side lengths of the boards that puzzles are made for.
pub const SIDES: RangeInclusive<usize> = 4..=8;

/// The positions of a game that are examined: the last ones.
const LAST_POSITIONS: usize = 16;

/// The opponent's likeliest moves in each of them that are tried as well.
const VARIATIONS: usize = 8;

/// Going backwards through a game, stop after this many positions in a row in which nobody is proven to win.
const OPEN_POSITIONS: usize = 2;

/// The most puzzles of a game.
const PER_GAME: usize = 4;

/// A position is too much like a puzzle if they differ in at most this many vertices.
const NEAR: usize = 3;

/// The most moves of the winner.
const LONGEST: usize = 8;

/// The least efforts of grades 3, 4 and 5, in simulations.
const GRADES: [u64; 3] = [8, 64, 512];

/// The memory of the search that grades, in MiB.
const SEARCH_MEMORY: usize = 64;

/// Makes puzzles from games, and spreads them over sides, themes and grades.
#[derive(Debug)]
pub struct Maker {
    /// How many puzzles of the same side, theme and grade are wanted; of grade 1, a quarter of them.
    most: usize,
    /// How many there are.
    counts: HashMap<(usize, Theme, u8), usize>,
    /// All puzzles, and their positions.
    seen: Vec<(Puzzle, Game)>,
    last_id: u32,
    judges: HashMap<usize, Judge>,
}

impl Maker {
    /// Makes puzzles until there are `most` of the same side, theme and grade, with those that there are already. Of
    /// those that are won at once, a quarter is enough.
    ///
    /// # Errors
    /// If one of those is not legal.
    pub fn new(puzzles: &[Puzzle], most: usize) -> Result<Maker, ToolError> {
        let mut maker = Maker { most, counts: HashMap::new(), seen: Vec::new(), last_id: 0, judges: HashMap::new() };
        for puzzle in puzzles {
            let game = puzzle.game().map_err(|error| format!("puzzle {}: {error}", puzzle.id))?;
            maker.add(puzzle.clone(), game);
        }
        Ok(maker)
    }

    fn add(&mut self, puzzle: Puzzle, game: Game) {
        *self.counts.entry((puzzle.side, puzzle.theme, puzzle.grade)).or_default() += 1;
        self.last_id = self.last_id.max(puzzle.id);
        self.seen.push((puzzle, game));
    }

    /// The puzzles that were made from a game on this board before.
    fn of_game(&self, side: usize, moves: &[String]) -> Vec<Puzzle> {
        // The last move may be another one than in the game.
        let is_of_game = |puzzle: &&Puzzle| {
            puzzle.side == side && puzzle.moves.split_last().is_some_and(|(_, played)| moves.starts_with(played))
        };
        self.seen.iter().map(|(puzzle, _)| puzzle).filter(is_of_game).cloned().collect()
    }

    /// The new puzzles of a game: its last positions, and those after other likely moves of the opponent. With those
    /// that it had before, a game has at most four, none of which begins in the line of another. Games on boards of
    /// other sides than 4 to 8 have none, nor have those in which the colours do not alternate.
    ///
    /// # Errors
    /// If a search fails.
    pub fn make(&mut self, record: &Record, stop: &StopFlag) -> Result<Vec<Puzzle>, SearchError> {
        let Some(moves) = alternating_moves(record).filter(|_| SIDES.contains(&record.board().side())) else {
            return Ok(Vec::new());
        };
        let mut found = self.of_game(record.board().side(), &Notation::HavannahGui.names(record.board(), &moves));
        let known = found.len();
        let mut open = 0;
        let mut games = vec![Game::new(record.board())];
        for v in moves {
            let next = after(&games[games.len() - 1], v);
            games.push(next);
        }
        for game in games.iter().rev().filter(|game| game.outcome().is_none()).take(LAST_POSITIONS) {
            if stop.is_stopped() || found.len() >= PER_GAME || open == OPEN_POSITIONS {
                break;
            }
            let variations = likeliest_first(game).into_iter().take(VARIATIONS).map(|v| after(game, v));
            // A win at once after a move that was not played is most likely the answer to a silly move.
            let is_quiet =
                |game: &Game| game.outcome().is_none() && completing(game.position(), game.to_move()).next().is_none();
            let variations = variations.filter(is_quiet);
            let mut is_open = true;
            for game in std::iter::once(game.clone()).chain(variations) {
                if found[..known].iter().any(|puzzle| puzzle.moves == moves_of(&game)) {
                    is_open = false;
                    break;
                }
                match self.examine(&game, &found)? {
                    Examined::Puzzle(puzzle) => {
                        found.push(puzzle.clone());
                        self.add(puzzle, game);
                        is_open = false;
                        break;
                    }
                    Examined::Decided => is_open = false,
                    Examined::Open => {}
                }
            }
            open = if is_open { open + 1 } else { 0 };
        }
        Ok(found.split_off(known))
    }

    /// Whether a position is a puzzle. `found` are those of the same game.
    fn examine(&mut self, game: &Game, found: &[Puzzle]) -> Result<Examined, SearchError> {
        let side = game.geometry().side();
        let color = game.to_move();
        let can_win = |color| completing(game.position(), color).next().is_some();
        if can_win(!color) && !can_win(color) {
            // Either lost, or there is only one move to consider.
            return Ok(Examined::Decided);
        }
        let judge = self.judges.entry(side).or_insert_with(|| Judge::for_maker(game.geometry()));
        // An extra stone never harms its owner. So if even passing does not lose, no move loses.
        if !judge.loses_by_passing(game) {
            return Ok(Examined::Open);
        }
        let Proof::Win(solution) = judge.prove(game) else { return Ok(Examined::Decided) };
        let name = |&v: &Vertex| Notation::HavannahGui.name(game.geometry(), v);
        let is_known = found.iter().any(|puzzle| puzzle.line.contains(&name(&solution)));
        if is_known || self.seen.iter().any(|(_, seen)| is_near(seen, game)) || judge.only_win(game, solution).is_err()
        {
            return Ok(Examined::Decided);
        }
        let Some(line) = line::line(game, judge).filter(|line| line.len() < 2 * LONGEST) else {
            return Ok(Examined::Decided);
        };
        if line.iter().any(|v| found.iter().any(|puzzle| puzzle.solution == [name(v)])) {
            return Ok(Examined::Decided);
        }
        let theme = line::theme(game, &line);
        let grade = grade(game, &line)?;
        let most = if grade == 1 { self.most.div_ceil(4) } else { self.most };
        if self.counts.get(&(side, theme, grade)).is_some_and(|&count| count >= most) {
            return Ok(Examined::Decided);
        }
        Ok(Examined::Puzzle(Puzzle {
            id: self.last_id + 1,
            side,
            moves: moves_of(game),
            to_move: color,
            solution: [name(&solution)],
            theme,
            moves_to_win: line.len().div_ceil(2),
            grade,
            line: line.iter().map(name).collect(),
        }))
    }
}

/// The moves that lead to a position, in HavannahGui's names.
fn moves_of(game: &Game) -> Vec<String> {
    game.stones().map(|(_, v)| Notation::HavannahGui.name(game.geometry(), v)).collect()
}

enum Examined {
    Puzzle(Puzzle),
    /// No puzzle, but it is proven who wins.
    Decided,
    /// Nothing is proven.
    Open,
}

/// The stones of a game in the order of play, if the colours alternate. After a swap they do, with the colours
/// exchanged.
fn alternating_moves(record: &Record) -> Option<Vec<Vertex>> {
    let game = record.game();
    let stones: Vec<(Color, Vertex)> = game.stones().collect();
    let alternates = stones.windows(2).all(|pair| pair[0].0 != pair[1].0);
    alternates.then(|| stones.into_iter().map(|(_, v)| v).collect())
}

/// Whether the same player is to move in both positions, and under a symmetry few vertices differ.
fn is_near(one: &Game, other: &Game) -> bool {
    let geometry = one.geometry();
    if geometry != other.geometry() || one.to_move() != other.to_move() {
        return false;
    }
    geometry.symmetries().iter().any(|image| {
        let differs = |v: &Vertex| one.position().stone(*v) != other.position().stone(image[v.index()]);
        geometry.vertices().filter(differs).count() <= NEAR
    })
}

/// How hard it is to find a line: 1 if the first move wins at once, else by the effort of a search.
fn grade(game: &Game, line: &[Vertex]) -> Result<u8, SearchError> {
    if line.len() == 1 {
        return Ok(1);
    }
    let effort = effort(game)?.unwrap_or(u64::MAX);
    Ok(2 + GRADES.iter().filter(|&&least| effort >= least).count() as u8)
}

/// The simulations with which a search without the solver, sequences of threats and replays proves that the player to
/// move wins. `None` if they are more than grade 4 allows.
fn effort(game: &Game) -> Result<Option<u64>, SearchError> {
    let options = SearchOptions {
        memory: SEARCH_MEMORY,
        solver_rate: 0.0,
        solved_positions: false,
        threat_search_nodes: 0,
        replay_nodes: 0,
        ..SearchOptions::default()
    };
    let limits = Limits::with_simulations(GRADES[2]);
    let report = Searcher::new(options, 0).search(game, &limits, StopFlag::new().as_atomic())?;
    Ok((report.verdict == Some(Verdict::Win)).then_some(report.simulations))
}
