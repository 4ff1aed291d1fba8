//! The searches of a review.
//!
//! First the positions are searched from the first to the last, so that the tree of each search serves the next. Then
//! the moves are looked at from the last to the first. Where a player's chance fell, the best alternative is played and
//! searched for as long as the position after the actual move, because a search sees more one move later: only a
//! difference between two such searches counts as a mistake. The result also corrects the value of the position before
//! the move.

use std::sync::Arc;

use crate::base::time::Instant;
use crate::engine::frames::Race;
use crate::engine::inspect::missing::missing_count;
use crate::engine::reasons::{self, Reason, explain_mistake};
use crate::engine::search::Verdict;
use crate::engine::session::first_stones::{first_stones, published};
use crate::engine::session::{Analysis, PlayedGame, SearchError, Session, StopFlag};
use crate::game::record::Record;
use crate::game::{Color, Game, Geometry, Move, Position, Vertex};

use super::{
    Assessment, KnownPosition, Lead, Mistake, Progress, Review, ReviewedMove, STRUCTURES, Settings, leader, seen_by,
};

/// Reviews the main line of a record. The session's game is replaced; its options decide how it searches.
///
/// `progress` is told of each position and each move as soon as it is judged. If `stop` is raised, the review ends
/// early with what it has: the positions that were searched so far and no mistakes. If the session has a seed, the
/// review depends on nothing that was searched before.
///
/// # Errors
/// If a search fails.
pub fn review(
    session: &mut Session,
    record: &Record,
    settings: &Settings,
    stop: &StopFlag,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Review, SearchError> {
    let start = Instant::now();
    session.new_game(record.board());
    if let Some(seed) = session.options().session.seed.0 {
        session.set_seed(seed);
    }
    // The reviewer applies the pie rule itself.
    session.restore_game(PlayedGame::new(record.board(), false));
    let mut reviewer = Reviewer { session, settings, stop, progress, pie: settings.swap || record.has_pie_rule() };
    let moves = moves(record);
    let mut searched = reviewer.search_positions(record, &moves)?;
    let mut review = Review {
        record: record.clone(),
        settings: settings.clone(),
        moves,
        positions: Vec::new(),
        turning_points: Vec::new(),
        is_partial: false,
        seconds: 0.0,
    };
    let is_searched = searched.len() > review.moves.len();
    review.is_partial = !is_searched || !reviewer.find_mistakes(&mut review, &mut searched)?;
    review.positions = searched.into_iter().map(|searched| searched.assessment).collect();
    if review.is_partial {
        review.moves.iter_mut().for_each(|m| m.mistake = None);
    }
    review.turning_points = turning_points(&review.positions);
    review.seconds = start.elapsed().as_secs_f64();
    Ok(review)
}

/// The moves of the main line up to a resignation or a pass, without stones that were set up.
fn moves(record: &Record) -> Vec<ReviewedMove> {
    let played = record.main_line().filter_map(|node| {
        let (color, played) = record.node(node).play?;
        Some(ReviewedMove { color, played, node, mistake: None })
    });
    played.take_while(|m| matches!(m.played, Move::Place(_) | Move::Swap)).collect()
}

/// A searched position, with what the check for mistakes needs in addition.
struct Searched {
    assessment: Assessment,
    game: Game,
    analysis: Option<Arc<Analysis>>,
}

struct Reviewer<'a> {
    session: &'a mut Session,
    settings: &'a Settings,
    stop: &'a StopFlag,
    progress: &'a mut dyn FnMut(Progress<'_>),
    pie: bool,
}

impl Reviewer<'_> {
    fn search_positions(&mut self, record: &Record, moves: &[ReviewedMove]) -> Result<Vec<Searched>, SearchError> {
        let mut searched = Vec::new();
        for count in 0..=moves.len() {
            let (game, _) = record.after(count).expect("the record has these moves");
            let color = moves.get(count).map_or(game.to_move(), |m| m.color);
            if let Some(known) = self.known(count) {
                searched.push(self.recall(game, &known.position));
                continue;
            }
            let position = self.search_position(game, color)?;
            if self.stop.is_stopped() {
                break;
            }
            (self.progress)(Progress::Searched { turn: count, position: &position.assessment });
            searched.push(position);
        }
        Ok(searched)
    }

    fn search_position(&mut self, game: Game, color: Color) -> Result<Searched, SearchError> {
        let missing = [Color::White, Color::Black].map(|color| missing(game.position(), color));
        let mut assessment = Assessment { missing, ..Assessment::new(color, 0.5, Vec::new()) };
        if let Some(outcome) = game.outcome() {
            assessment.set_proven(outcome.winner());
            return Ok(Searched { assessment, game, analysis: None });
        }
        if self.pie && game.history().is_empty() {
            // Whatever the first stone is, the opponent has the better of the two sides.
            let fairest = fairest_stone(game.geometry());
            assessment.set_chance(color, fairest.map_or(0.5, |(_, value)| value.min(1.0 - value)));
            assessment.line.extend(fairest.map(|(v, _)| v));
            // Where all first stones are decided, none is a mistake.
            if published(game.geometry()).is_some() {
                assessment.set_proven(Some(!color));
            }
            return Ok(Searched { assessment, game, analysis: None });
        }
        let analysis = self.search(&game, color)?;
        assessment.set_analysis(&analysis);
        if self.pie
            && assessment.proven.is_none()
            && let Some((owner, value)) = first_stone(&game, color)
        {
            assessment.set_chance(owner, value);
        }
        if self.may_swap(&game, color) {
            assessment.consider_swap();
        } else {
            assessment.race = Lead::from_race(&Race::new(game.position(), color));
        }
        Ok(Searched { assessment, game, analysis: Some(analysis) })
    }

    /// What an earlier review has found in the position after `turn` moves, once it was checked if it was.
    fn known(&self, turn: usize) -> Option<&KnownPosition> {
        self.settings.known.iter().filter(|known| known.turn == turn).max_by_key(|known| known.is_checked)
    }

    /// A position as it was searched before.
    fn recall(&self, game: Game, known: &Assessment) -> Searched {
        let color = known.to_move;
        let missing = [Color::White, Color::Black].map(|color| missing(game.position(), color));
        let is_opening = self.pie && game.history().is_empty();
        let is_racing = game.outcome().is_none() && !is_opening && !self.may_swap(&game, color);
        let race = is_racing.then(|| Lead::from_race(&Race::new(game.position(), color))).flatten();
        Searched { assessment: Assessment { missing, race, ..known.clone() }, game, analysis: None }
    }

    fn may_swap(&self, game: &Game, color: Color) -> bool {
        self.pie && game.history().len() == 1 && game.stones().next().is_some_and(|(first, _)| first != color)
    }

    /// Searches a position. The session plays the stones in their present colours, so it needs no pie rule, and the
    /// tree of the last search is used if this position follows from that one.
    fn search(&mut self, game: &Game, color: Color) -> Result<Arc<Analysis>, SearchError> {
        let stones: Vec<(Color, Vertex)> = game.stones().collect();
        let present: Vec<(Color, Vertex)> = self.session.game().board().stones().collect();
        let common = stones.iter().zip(&present).take_while(|(a, b)| a == b).count();
        self.session.undo(present.len() - common).expect("these stones were played");
        for &(color, v) in &stones[common..] {
            self.session.play_as(color, Move::Place(v)).expect("the moves of a record are legal");
        }
        self.session.search().color(color).limits(self.settings.limits).stop(self.stop).run()
    }

    /// Looks at the moves from the last to the first.
    /// Checks all moves. Returns whether it was not stopped before that was done.
    fn find_mistakes(&mut self, review: &mut Review, searched: &mut [Searched]) -> Result<bool, SearchError> {
        for (i, m) in review.moves.iter_mut().enumerate().rev() {
            if self.stop.is_stopped() {
                return Ok(false);
            }
            let (before, after) = searched.split_at_mut(i + 1);
            let (before, after) = (&mut before[i], &after[0].assessment);
            // Explaining whether to swap needs the search of the position.
            if let Some(known) = self.known(i).filter(|known| known.is_checked && !self.may_swap(&before.game, m.color))
            {
                m.mistake.clone_from(&known.mistake);
                if let Some(mistake) = &mut m.mistake {
                    mistake.reason = explain(before, m.color, m.played, mistake);
                }
                continue;
            }
            before.assessment.learn_from(m, after);
            let loss = before.assessment.chance(m.color) - after.chance(m.color);
            // The search after a winning move need not prove the win again, such as where an earlier review goes on.
            if loss >= self.settings.mistake && !before.assessment.wins_with(m) {
                m.mistake = self.check(before, m, after)?;
            }
            if self.stop.is_stopped() {
                return Ok(false);
            }
            (self.progress)(Progress::Checked { turn: i, position: &before.assessment, played: m });
        }
        Ok(true)
    }

    /// Compares a first stone with the fairest one, if there is a table of first stones for the board.
    fn check_first_stone(&self, before: &Searched, m: &ReviewedMove, after: &Assessment) -> Option<Mistake> {
        let &better = before.assessment.line.first()?;
        let mistake = Mistake {
            better: Move::Place(better),
            line: vec![better],
            better_chance: before.assessment.chance(m.color),
            played_chance: after.chance(m.color),
            missed_win: false,
            reason: None,
        };
        (mistake.loss() >= self.settings.mistake).then_some(mistake)
    }

    /// Searches the best alternative to a move after which the player's chance fell. Corrects the value of the position
    /// before the move, and returns the mistake if it was one.
    fn check(
        &mut self,
        before: &mut Searched,
        m: &ReviewedMove,
        after: &Assessment,
    ) -> Result<Option<Mistake>, SearchError> {
        if self.pie && before.game.history().is_empty() {
            return Ok(self.check_first_stone(before, m, after));
        }
        if before.analysis.is_none() {
            // For a position from an earlier review, the other moves are not known.
            before.analysis = Some(self.search(&before.game, m.color)?);
        }
        let played_chance = after.chance(m.color);
        let Some(better) = alternative(before, m) else { return Ok(None) };
        let line = Vec::new();
        let mut mistake = Mistake { better, line, better_chance: 0.0, played_chance, missed_win: false, reason: None };
        let known_win = before.assessment.proven.is_some_and(|winner| winner.color() == Some(m.color));
        match better {
            Move::Place(v) if !known_win || before.assessment.line.first() != Some(&v) => {
                let mut game = before.game.clone();
                game.place(m.color, v).expect("the search returns legal moves");
                let next = self.search_position(game, !m.color)?.assessment;
                if self.stop.is_stopped() {
                    // It has found next to nothing.
                    return Ok(None);
                }
                mistake.better_chance = next.chance(m.color);
                mistake.missed_win = next.proven.is_some_and(|winner| winner.color() == Some(m.color));
                mistake.line = [&[v], &next.line[..]].concat();
            }
            _ => {
                mistake.better_chance = before.assessment.chance(m.color);
                mistake.missed_win = known_win;
                mistake.line.clone_from(&before.assessment.line);
            }
        }
        if !known_win {
            before.assessment.set_chance(m.color, f64::max(mistake.better_chance, played_chance));
            if mistake.loss() > 0.0 {
                before.assessment.line.clone_from(&mistake.line);
                before.assessment.swap = better == Move::Swap;
            }
            if mistake.missed_win {
                before.assessment.set_proven(Some(m.color));
            }
        }
        if mistake.loss() < self.settings.mistake {
            return Ok(None);
        }
        mistake.reason =
            self.explain_swap(before, m, &mistake).or_else(|| explain(before, m.color, m.played, &mistake));
        Ok(Some(mistake))
    }

    /// Why to swap, or why not, if that was the mistake. A player who missed a proven win, or overlooked how the
    /// opponent wins, is told that instead.
    fn explain_swap(&self, before: &Searched, m: &ReviewedMove, mistake: &Mistake) -> Option<Reason> {
        let first = before.game.last_stone()?;
        let better = mistake.better;
        if !self.may_swap(&before.game, m.color) || (mistake.missed_win && better != Move::Swap) {
            return None;
        }
        let evidence = before.analysis.as_ref()?.evidence(before.game.geometry(), first)?;
        match (m.played, better) {
            (_, Move::Swap) => reasons::explain_swap(&before.game, first, evidence),
            (Move::Swap, Move::Place(v)) => reasons::explain_staying(&before.game, v, first, evidence),
            _ => None,
        }
    }
}

/// The fairest first stone of a board and the chance of its owner, if there is a table of first stones for the board.
fn fairest_stone(board: &Geometry) -> Option<(Vertex, f64)> {
    let table = first_stones(board)?;
    let v = table.fair()[0];
    Some((v, table.estimate(v)))
}

/// The owner of the only stone on the board and that player's chance of winning, if it is the turn of the opponent,
/// `to_move`, and there is a table of first stones for the board. The table knows more about such a position than a
/// search does.
fn first_stone(game: &Game, to_move: Color) -> Option<(Color, f64)> {
    let mut stones = game.stones();
    let ((owner, v), None) = (stones.next()?, stones.next()) else { return None };
    let table = first_stones(game.geometry())?;
    (owner != to_move).then(|| (owner, table.estimate(v)))
}

/// Why a move was a mistake, from the lines that were found.
fn explain(before: &Searched, color: Color, played: Move, mistake: &Mistake) -> Option<Reason> {
    explain_mistake(&before.game, color, played, &mistake.line, mistake.missed_win)
}

/// The best move that was not played, according to the search of the position.
fn alternative(before: &Searched, m: &ReviewedMove) -> Option<Move> {
    let analysis = before.analysis.as_ref()?;
    if before.assessment.swap && m.played != Move::Swap {
        return Some(Move::Swap);
    }
    let others = analysis.report.moves.iter().filter(|other| Move::Place(other.vertex) != m.played);
    let rank = |verdict| match verdict {
        Some(Verdict::Win) => 3,
        None => 2,
        Some(Verdict::Draw) => 1,
        Some(Verdict::Loss) => 0,
    };
    let best = others.max_by_key(|m| (rank(m.verdict), m.vertex == analysis.report.best, m.visits))?;
    (best.verdict != Some(Verdict::Loss)).then_some(Move::Place(best.vertex))
}

impl Assessment {
    fn set_proven(&mut self, winner: Option<Color>) {
        self.proven = Some(winner.into());
        self.white = match winner {
            Some(Color::White) => 1.0,
            Some(Color::Black) => 0.0,
            None => 0.5,
        };
    }

    fn set_chance(&mut self, color: Color, chance: f64) {
        self.white = seen_by(color, chance);
    }

    fn set_analysis(&mut self, analysis: &Analysis) {
        let report = &analysis.report;
        self.set_chance(report.to_move, analysis.chance());
        self.line.clone_from(&report.pv);
        self.simulations = report.simulations;
        if let Some(verdict) = report.verdict {
            self.set_proven(verdict.winner(report.to_move));
        }
    }

    /// Has the player to move swap if the other side is better.
    fn consider_swap(&mut self) {
        if self.chance(self.to_move) >= 0.5 {
            return;
        }
        self.swap = true;
        self.line.clear();
        self.white = 1.0 - self.white;
        self.proven = self.proven.map(|winner| winner.color().map(|color| !color).into());
    }

    /// Whether this move is the one with which the player to move is proven to win.
    fn wins_with(&self, m: &ReviewedMove) -> bool {
        let is_won = self.proven.is_some_and(|winner| winner.color() == Some(m.color));
        is_won
            && match m.played {
                Move::Place(v) => !self.swap && self.line.first() == Some(&v),
                _ => self.swap && m.played == Move::Swap,
            }
    }

    /// A move that is proven to win proves the position in which it was played.
    fn learn_from(&mut self, m: &ReviewedMove, after: &Assessment) {
        let wins = after.proven.is_some_and(|winner| winner.color() == Some(m.color));
        if !wins || self.proven.is_some() {
            return;
        }
        self.set_proven(Some(m.color));
        self.swap = m.played == Move::Swap;
        self.line = match m.played {
            Move::Place(v) => [&[v], &after.line[..]].concat(),
            _ => Vec::new(),
        };
    }
}

/// How many stones each structure lacks.
fn missing(position: &Position, color: Color) -> [Option<usize>; 3] {
    STRUCTURES.map(|structure| missing_count(position, color, structure, usize::MAX))
}

/// The moves at which the lead passed from one player to the other: of the moves since the former leader was last
/// ahead, the one with the largest change.
fn turning_points(positions: &[Assessment]) -> Vec<usize> {
    let mut last: Option<(usize, Color)> = None;
    let mut points = Vec::new();
    for (i, position) in positions.iter().enumerate() {
        let Some(color) = leader(position.white) else { continue };
        if let Some((since, _)) = last.filter(|&(_, former)| former != color) {
            let gain = |&i: &usize| positions[i + 1].chance(color) - positions[i].chance(color);
            points.extend((since..i).max_by(|a, b| gain(a).total_cmp(&gain(b))));
        }
        last = Some((i, color));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(white: &[f64]) -> Vec<Assessment> {
        white.iter().map(|&white| Assessment::new(Color::White, white, Vec::new())).collect()
    }

    #[test]
    fn the_lead_changes_at_the_move_that_gained_most() {
        assert_eq!(turning_points(&positions(&[0.5, 0.55, 0.7, 0.55, 0.5, 0.3, 0.35, 0.2])), [4]);
        assert_eq!(turning_points(&positions(&[0.5, 0.9, 0.1, 0.9])), [1, 2]);
        // Nobody was ahead before, or the other player never was.
        assert!(turning_points(&positions(&[0.5, 0.45, 0.3, 0.5, 0.2])).is_empty());
    }

    #[test]
    fn a_swap_turns_the_position_around() {
        let mut position = positions(&[0.8]).remove(0);
        position.to_move = Color::Black;
        position.consider_swap();
        assert!(position.swap && (position.white - 0.2).abs() < 1e-9);
        let mut position = positions(&[0.4]).remove(0);
        position.to_move = Color::Black;
        position.consider_swap();
        assert!(!position.swap && position.white == 0.4);
    }
}
