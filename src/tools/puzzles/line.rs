//! The winner's line of a puzzle against the best resistance, and its theme.

use crate::engine::search::threats::{Status, ThreatSearch};
use crate::game::{Color, Game, Pairs, Position, Structures, Vertex};
use crate::proof::replies::completing;

use super::judge::{Judge, Proof};
use super::{Theme, after};

/// The most moves of the winner in a sequence of threats.
const LONGEST_SEQUENCE: usize = 7;

/// The most quiet moves of the winner before the threats begin, beyond the one that is looked for move by move.
const QUIET_MOVES: usize = 2;

/// The most positions examined for one line.
const POSITIONS: u32 = 30_000;

/// The winner's line from a position that the player to move wins, with the opponent's longest resistance.
///
/// The winner plays the shortest sequence of threats. If there is none, the winner plays a quiet move after which every
/// reply loses to one: that with the shortest resistance. Otherwise, the winner plays the move that the judge has
/// proven. All replies of the opponent are tried, so none resists longer against these moves; but in positions of the
/// last kind, the winner may have a shorter way.
///
/// `None` if the line is too deep, or takes too long to find.
pub fn line(game: &Game, judge: &mut Judge) -> Option<Vec<Vertex>> {
    Search { judge, pairs: Pairs::new(), left: POSITIONS }.win(game, QUIET_MOVES)
}

/// What a puzzle with this line is about.
pub fn theme(game: &Game, line: &[Vertex]) -> Theme {
    let color = game.to_move();
    let [solution, rest @ ..] = line else { unreachable!("a line has moves") };
    if !rest.is_empty() {
        let threats = completing(after(game, *solution).position(), color).count();
        if threats > 1 {
            return Theme::DoubleThreat;
        }
        let look = ThreatSearch::new(game.position()).look_ahead(game.position(), !color, true);
        if threats == 0 && matches!(look, Status::Win(_)) {
            return Theme::Defence;
        }
    }
    let (last, before) = line.split_last().expect("a line has moves");
    let end = before.iter().fold(game.clone(), |game, &v| after(&game, v));
    let structures = end.position().completes(color, *last);
    let named = [(Structures::RING, Theme::Ring), (Structures::FORK, Theme::Fork), (Structures::BRIDGE, Theme::Bridge)];
    let named = named.into_iter().find(|(structure, _)| structures.contains(*structure));
    named.map(|(_, theme)| theme).expect("a line ends with a structure")
}

struct Search<'a> {
    judge: &'a mut Judge,
    pairs: Pairs,
    /// The positions that may still be looked at.
    left: u32,
}

impl Search<'_> {
    /// The line of the player to move, who wins, with at most `quiet` moves of the judge.
    fn win(&mut self, game: &Game, quiet: usize) -> Option<Vec<Vertex>> {
        let color = game.to_move();
        if let Some(line) = self.shortest_sequence(game.position(), color, LONGEST_SEQUENCE) {
            return Some(line);
        }
        if let Some(line) = self.quiet_move(game.position(), color) {
            return Some(line);
        }
        if quiet == 0 || self.left == 0 {
            return None;
        }
        let Proof::Win(v) = self.judge.prove(game) else { return None };
        let replied = after(game, v);
        let mut longest = Vec::new();
        for reply in replied.position().empty_vertices().collect::<Vec<_>>() {
            let rest = self.win(&after(&replied, reply), quiet - 1)?;
            if rest.len() + 2 > longest.len() {
                longest = [&[v, reply], &rest[..]].concat();
            }
        }
        Some(longest)
    }

    /// The shortest sequence of threats with which `color`, to move, wins in at most `most` own moves.
    fn shortest_sequence(&mut self, position: &Position, color: Color, most: usize) -> Option<Vec<Vertex>> {
        (1..=most).find_map(|most| self.sequence(position, color, most))
    }

    /// A sequence of threats with which `color`, to move, wins in at most `most` own moves.
    fn sequence(&mut self, position: &Position, color: Color, most: usize) -> Option<Vec<Vertex>> {
        self.left = self.left.checked_sub(1)?;
        let candidates: Vec<_> = position.candidates().collect();
        if let Some(win) = candidates.iter().find(|candidate| candidate.completes(color)) {
            return Some(vec![win.vertex]);
        }
        let mut threats = candidates.iter().filter(|candidate| candidate.completes(!color)).map(|c| c.vertex);
        let must = threats.next();
        if most == 1 || threats.next().is_some() {
            return None;
        }
        self.pairs.find(position, color, &candidates);
        let is_allowed = |v: Vertex| must.is_none_or(|must| must == v);
        let partners: Vec<_> = candidates.iter().zip(self.pairs.partners(color).iter().copied()).collect();
        let vertex = |i: u16| candidates[usize::from(i)].vertex;
        let mut moves = partners.into_iter().filter(|(candidate, _)| is_allowed(candidate.vertex));
        if let Some((double, partners)) = moves.clone().find(|(_, partners)| partners.count >= 2) {
            return Some(vec![double.vertex, vertex(partners.first[0]), vertex(partners.first[1])]);
        }
        if most == 2 {
            return None;
        }
        moves.by_ref().filter(|(_, partners)| partners.count == 1).find_map(|(threat, partners)| {
            let answer = vertex(partners.first[0]);
            let mut answered = position.clone();
            answered.place(color, threat.vertex);
            answered.place(!color, answer);
            let rest = self.sequence(&answered, color, most - 1)?;
            Some([&[threat.vertex, answer], &rest[..]].concat())
        })
    }

    /// A quiet move of `color`, to move, after which every reply loses to a sequence of threats: the one against which
    /// the longest resistance is shortest, with that.
    fn quiet_move(&mut self, position: &Position, color: Color) -> Option<Vec<Vertex>> {
        let threats: Vec<_> = completing(position, !color).collect();
        let moves = match threats.len() {
            0 => position.empty_vertices().collect(),
            _ => threats,
        };
        let mut best: Option<Vec<Vertex>> = None;
        for v in moves {
            // Only a shorter line is of interest.
            let most = best.as_ref().map_or(LONGEST_SEQUENCE, |best| best.len().div_ceil(2) - 2);
            let mut quiet = position.clone();
            quiet.place(color, v);
            if let Some(line) = self.resistance(&quiet, color, most) {
                best = Some([&[v], &line[..]].concat());
            }
        }
        best
    }

    /// The opponent's longest resistance after a quiet move of `color`, if every reply loses to a sequence of threats
    /// of at most `most` moves.
    fn resistance(&mut self, position: &Position, color: Color, most: usize) -> Option<Vec<Vertex>> {
        // A stone of the opponent never helps `color`. So `color` wins at least as fast without a reply, and a reply
        // that prevents this is most likely on that line.
        let unanswered = self.shortest_sequence(position, color, most)?;
        let elsewhere = position.empty_vertices().filter(|v| !unanswered.contains(v));
        let replies: Vec<Vertex> = unanswered.iter().copied().chain(elsewhere).collect();
        let mut longest = Vec::new();
        for reply in replies {
            let mut replied = position.clone();
            if !replied.place(!color, reply).is_empty() {
                return None;
            }
            let rest = self.shortest_sequence(&replied, color, most)?;
            if rest.len() + 1 > longest.len() {
                longest = [&[reply], &rest[..]].concat();
            }
        }
        Some(longest)
    }
}
