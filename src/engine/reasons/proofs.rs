//! Facts that are proofs: what one or two stones complete, and sequences of threats.

use std::collections::BTreeSet;

use crate::engine::inspect::threats::completing;
use crate::engine::search::threats::ThreatSearch;
use crate::game::{Color, Game, Mark, Position, Structures, Vertex};

use super::case::{Case, Found};
use super::fact::Fact;

/// The most positions that a search for a sequence of threats examines.
const POSITIONS: u32 = 200;

/// The first two vertices on which `color`, who has just moved, threatens to complete a structure. `None` if there are
/// fewer.
fn double(position: &Position, color: Color) -> Option<[Vertex; 2]> {
    match completing(position, color)[..] {
        [(a, _), (b, _), ..] => Some([a, b]),
        _ => None,
    }
}

/// Whether another move wins at once, or the opponent wins by force after this one: then nothing else matters.
pub(super) fn overlooks(case: &Case<'_>) -> bool {
    let before = case.before.position();
    let threats = completing(before, !case.color);
    let stops = threats.is_empty() || threats.iter().any(|(v, _)| *v == case.vertex);
    case.after.outcome().is_none()
        && (!completing(before, case.color).is_empty()
            || !stops
            || threats.is_empty() && winning_move(&case.after, !case.color).is_some())
}

/// The first of the facts that holds, from winning at once to preventing a sequence.
pub(super) fn find(case: &Case<'_>) -> Option<Found> {
    let &Case { before, color, vertex, ref after } = case;
    let structures = before.position().completes(color, vertex);
    if !structures.is_empty() {
        let found = Found::new(Fact::Wins { structures }).with_line(vec![vertex]);
        return Some(found.marking(structure_without(after, vertex), &Mark::Circle));
    }
    let threats = completing(before.position(), !color);
    wins(case).or_else(|| stops_at_once(case, &threats)).or_else(|| stops_sequence(case))
}

/// A double threat, or a sequence of threats, after which the opponent has no threat.
fn wins(case: &Case<'_>) -> Option<Found> {
    let position = case.after.position();
    let color = case.color;
    if !completing(position, !color).is_empty() {
        return None;
    }
    if let Some(at) = double(position, color) {
        return Some(Found::new(Fact::DoubleThreat { at }).marking(at, &Mark::Circle).with_line(vec![case.vertex]));
    }
    let [(answer, _)] = completing(position, color)[..] else { return None };
    let mut answered = position.clone();
    answered.place(!color, answer);
    let (rest, at) = sequence(&answered, color)?;
    let line = [&[case.vertex, answer], &rest[..]].concat();
    Some(Found::new(Fact::Sequence).marking(at, &Mark::Circle).with_line(line))
}

/// A winning sequence of `color`, to move, who cannot complete a structure at once: the threats and their answers up to
/// a double threat, and where that threatens.
fn sequence(position: &Position, color: Color) -> Option<(Vec<Vertex>, [Vertex; 2])> {
    let mut search = ThreatSearch::new(position);
    let mut position = position.clone();
    let mut line = Vec::new();
    loop {
        let threat = search.find_answering_sequence(&position, color, POSITIONS)?;
        position.place(color, threat);
        line.push(threat);
        match completing(&position, color)[..] {
            [(answer, _)] => {
                position.place(!color, answer);
                line.push(answer);
            }
            [(a, _), (b, _), ..] => return Some((line, [a, b])),
            [] => return None,
        }
    }
}

/// A line with which `color`, to move, is proven to win: a single move that completes a structure, or a sequence of
/// threats up to a double one.
pub(super) fn winning_line(game: &Game, color: Color) -> Option<Vec<Vertex>> {
    if game.outcome().is_some() {
        return None;
    }
    match completing(game.position(), color).first() {
        Some((v, _)) => Some(vec![*v]),
        None => sequence(game.position(), color).map(|(line, _)| line),
    }
}

/// The first move of [`winning_line`].
pub(super) fn winning_move(game: &Game, color: Color) -> Option<Vertex> {
    Some(winning_line(game, color)?[0])
}

/// A vertex on which the opponent could complete a structure.
fn stops_at_once(case: &Case<'_>, threats: &[(Vertex, Structures)]) -> Option<Found> {
    let (_, structures) = threats.iter().find(|(v, _)| *v == case.vertex)?;
    let others: Vec<Vertex> = threats.iter().map(|(v, _)| *v).filter(|v| *v != case.vertex).collect();
    let mut stopped = case.before.clone();
    stopped.place(!case.color, case.vertex).expect("the vertex is empty");
    let marked = [structure_without(&stopped, case.vertex), others.clone()].concat();
    let stops = Fact::Stops { structures: *structures };
    let fact = if others.is_empty() { stops } else { Fact::StopsOneOf { others } };
    Some(Found::new(fact).marking(marked, &Mark::Square))
}

/// A winning sequence that the opponent would have had if the player had passed.
fn stops_sequence(case: &Case<'_>) -> Option<Found> {
    let (line, at) = sequence(case.before.position(), !case.color)?;
    let (fact, marked) = match line[..] {
        [by] => (Fact::StopsDoubleThreat { by, at }, vec![by, at[0], at[1]]),
        [by, ..] => (Fact::StopsSequence { by }, line),
        [] => return None,
    };
    Some(Found::new(fact).marking(marked, &Mark::Square))
}

/// What the player would do next if the opponent did not answer: complete a structure, or win by force.
pub(super) fn threatens(case: &Case<'_>) -> Option<Found> {
    let at = winning_move(&case.after, case.color)?;
    let structures = case.after.position().completes(case.color, at);
    let fact = if structures.is_empty() { Fact::ThreatensToForce { at } } else { Fact::Threatens { at, structures } };
    Some(Found::new(fact).marking([at], &Mark::Circle))
}

/// The stones of the structures that the last stone of a game completed, without that stone.
fn structure_without(game: &Game, last: Vertex) -> Vec<Vertex> {
    let stones: BTreeSet<Vertex> = game.winning_stones().into_iter().flat_map(|(_, stones)| stones).collect();
    stones.into_iter().filter(|v| *v != last).collect()
}
