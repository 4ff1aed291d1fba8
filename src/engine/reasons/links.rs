//! Facts about connections: what virtual connections and chains show. Like [`crate::engine::frames`], they leave
//! threats out of account.

use crate::engine::frames::{Basis, Link, LinkEnd, Race, Survey};
use crate::game::{Color, Game, Mark, Position, Vertex};

use super::case::{Case, Found};
use super::fact::Fact;
use super::stones::fewest;

/// The surveys of both players, before and after the move.
pub(super) struct Surveys {
    own_before: Survey,
    own_after: Survey,
    other_before: Survey,
    other_after: Survey,
}

impl Surveys {
    pub fn new(case: &Case<'_>) -> Surveys {
        let own = case.color;
        let other = !own;
        let before = case.before.position();
        let after = case.after.position();
        Surveys {
            own_before: Survey::new(before, own),
            own_after: Survey::new(after, own),
            other_before: Survey::new(before, other),
            other_after: Survey::new(after, other),
        }
    }

    fn has_full(survey: &Survey) -> bool {
        survey.frames.first().is_some_and(|frame| frame.full)
    }
}

/// What the race between the frames shows.
pub(super) fn frames(case: &Case<'_>, surveys: &Surveys) -> Option<Found> {
    let mut frames = [surveys.own_after.frames.clone(), surveys.other_after.frames.clone()];
    if case.color == Color::Black {
        frames.swap(0, 1);
    }
    let race = Race::with_frames(case.after.position(), !case.color, frames);
    match race.leader {
        Some((color, Basis::Threats)) if color == case.color => Some(Found::new(Fact::NoAnswer)),
        Some((color, basis)) if color == case.color => ahead(case, surveys, &race, basis == Basis::Stones),
        _ => None,
    }
    .or_else(|| prevents_frame(case, surveys))
}

/// A full frame that the move makes, or that wins the race for certain.
fn ahead(case: &Case<'_>, surveys: &Surveys, race: &Race, proven: bool) -> Option<Found> {
    let frame = race.tightest(case.color)?;
    let stones = frame.stones(case.after.position(), case.color).into_iter().filter(|v| *v != case.vertex);
    let structures = frame.structures;
    let width = frame.width;
    let fact = if proven {
        Fact::WinsRace { structures, width, other: fewest(case.after.position(), !case.color) }
    } else if Surveys::has_full(&surveys.own_before) {
        return None;
    } else {
        Fact::Secures { structures, width }
    };
    Some(Found::new(fact).marking(frame.carrier.iter().copied(), &Mark::Triangle).marking(stones, &Mark::Circle))
}

/// A half frame of the opponent, which a move of the opponent would make full, and which the move touches so that no
/// frame is left.
fn prevents_frame(case: &Case<'_>, surveys: &Surveys) -> Option<Found> {
    let frames = &surveys.other_before.frames;
    let frame = frames.first()?;
    if frame.full || !surveys.other_after.frames.is_empty() || !frame.carrier.contains(&case.vertex) {
        return None;
    }
    let fact = Fact::PreventsFrame { structures: frame.structures };
    Some(Found::new(fact).marking(frame.stones(case.before.position(), !case.color), &Mark::Square))
}

/// Two ends that a stone connects, although nothing was found that connects them without it.
struct Connected {
    ends: [LinkEnd; 2],
    carriers: [Vec<Vertex>; 2],
}

/// Chains and sides that the move connects.
pub(super) fn connects(case: &Case<'_>, surveys: &Surveys) -> Option<Found> {
    let after = &case.after;
    let connected = connected(case.before, after, case.color, case.vertex, &surveys.own_before, &surveys.own_after)?;
    let ends = connected.ends.map(|end| nearest(after.position(), end, case.vertex));
    let fact = match &connected.carriers {
        [a, b] if a.is_empty() && b.is_empty() => Fact::Joins { ends },
        [a, b] => Fact::Connects { ends, pair: pair(a, b) },
    };
    let carriers = connected.carriers.into_iter().flatten();
    Some(Found::new(fact).marking(stones_of(&ends), &Mark::Circle).marking(carriers, &Mark::Triangle))
}

/// Chains and sides that a stone of the opponent would connect there.
pub(super) fn prevents(case: &Case<'_>, surveys: &Surveys) -> Option<Found> {
    let there = Case::new(case.before, !case.color, case.vertex)?.after;
    if there.outcome().is_some() {
        return None;
    }
    let survey = Survey::new(there.position(), !case.color);
    let connected = connected(case.before, &there, !case.color, case.vertex, &surveys.other_before, &survey)?;
    let ends = connected.ends.map(|end| nearest(there.position(), end, case.vertex));
    let fact = Fact::Prevents { ends, joins: connected.carriers.iter().all(Vec::is_empty) };
    Some(Found::new(fact).marking(stones_of(&ends), &Mark::Square))
}

/// A connection of the opponent that the move breaks: the move is in its carrier, and no other connection of the two
/// ends is found afterwards.
pub(super) fn intrudes(case: &Case<'_>, surveys: &Surveys) -> Option<Found> {
    let [before, after] = [case.before.position(), case.after.position()];
    let is_cut =
        |link: &&Link| link.carrier.contains(&case.vertex) && surveys.other_after.link(after, link.ends).is_none();
    let tightest = surveys.other_before.links.iter().filter(is_cut).min_by_key(|link| link.carrier.len())?;
    let ends = tightest.ends.map(|end| nearest(before, end, case.vertex));
    Some(Found::new(Fact::Intrudes { ends }).marking(stones_of(&ends), &Mark::Square))
}

/// A chain or side that the stone does not touch, but is connected with.
pub(super) fn stays(case: &Case<'_>, surveys: &Surveys) -> Option<Found> {
    let ends = ends_of(case.before, &case.after, case.color, case.vertex, &surveys.own_after);
    let near = |(end, carrier): &(LinkEnd, Vec<Vertex>)| (matches!(end, LinkEnd::Side(_)), carrier.len());
    let (end, carrier) = ends.into_iter().filter(|(_, carrier)| !carrier.is_empty()).min_by_key(near)?;
    let end = nearest(case.after.position(), end, case.vertex);
    let fact = Fact::Stays { end, pair: pair(&carrier, &[]) };
    Some(Found::new(fact).marking(stones_of(&[end]), &Mark::Circle).marking(carrier, &Mark::Triangle))
}

/// The two vertices of the carriers, if there are just two: a stone on one is answered on the other.
fn pair(a: &[Vertex], b: &[Vertex]) -> Option<[Vertex; 2]> {
    match (a, b) {
        (&[v, w], []) | ([], &[v, w]) => Some([v, w]),
        _ => None,
    }
}

/// The chains next to a new stone, its side, and what its chain is linked with, each with the carrier.
fn ends_of(before: &Game, after: &Game, color: Color, v: Vertex, survey: &Survey) -> Vec<(LinkEnd, Vec<Vertex>)> {
    let geometry = before.geometry();
    let mut ends: Vec<(LinkEnd, Vec<Vertex>)> = Vec::new();
    for &w in geometry.neighbours(v).iter().filter(|w| before.position().stone(**w) == Some(color)) {
        let chain = |end| before.position().chain(end).0;
        if !ends.iter().any(|(end, _)| matches!(end, LinkEnd::Chain(known) if chain(*known) == chain(w))) {
            ends.push((LinkEnd::Chain(w), Vec::new()));
        }
    }
    ends.extend((0..6).filter(|i| geometry.rim(v) >> (6 + i) & 1 == 1).map(|i| (LinkEnd::Side(i), Vec::new())));
    let chain = LinkEnd::Chain(after.position().chain(v).0);
    let other = |link: &Link| match link.ends {
        [a, b] if a == chain => Some((b, link.carrier.clone())),
        [a, b] if b == chain => Some((a, link.carrier.clone())),
        _ => None,
    };
    ends.extend(survey.links.iter().filter_map(other));
    ends
}

/// The best pair of ends that a stone of `color` on `v` connects, with disjoint carriers, and that nothing connected
/// before. At least one is a chain.
fn connected(
    before: &Game,
    after: &Game,
    color: Color,
    v: Vertex,
    survey_before: &Survey,
    survey_after: &Survey,
) -> Option<Connected> {
    let ends = ends_of(before, after, color, v, survey_after);
    let position = before.position();
    let was_connected = |a: LinkEnd, b: LinkEnd| match (a, b) {
        (LinkEnd::Chain(a), LinkEnd::Chain(b)) if position.chain(a).0 == position.chain(b).0 => true,
        (LinkEnd::Chain(chain), LinkEnd::Side(side)) | (LinkEnd::Side(side), LinkEnd::Chain(chain))
            if position.chain(chain).1 >> (6 + side) & 1 == 1 =>
        {
            true
        }
        (LinkEnd::Side(_), LinkEnd::Side(_)) => true,
        (a, b) => survey_before.link(position, [a, b]).is_some(),
    };
    let pairs = ends.iter().enumerate().flat_map(|(i, a)| ends[..i].iter().map(move |b| (b, a)));
    let new = pairs.filter(|(a, b)| !was_connected(a.0, b.0) && !a.1.iter().any(|v| b.1.contains(v)));
    let tightest = new.min_by_key(|(a, b)| {
        let sides = [a.0, b.0].iter().filter(|end| matches!(end, LinkEnd::Side(_))).count();
        (a.1.len() + b.1.len(), sides)
    });
    tightest.map(|(a, b)| Connected { ends: [a.0, b.0], carriers: [a.1.clone(), b.1.clone()] })
}

/// The same end, but a chain is named by its stone nearest to `v`, other than `v` itself.
fn nearest(position: &Position, end: LinkEnd, v: Vertex) -> LinkEnd {
    let LinkEnd::Chain(stone) = end else { return end };
    let geometry = position.geometry();
    let chain = position.chain(stone).0;
    // A chain that the stone on `v` has joined is named by a neighbour that belonged to it.
    if position.chain(v).0 == chain {
        return end;
    }
    let color = position.stone(stone);
    let own = geometry.vertices().filter(|w| position.stone(*w) == color && position.chain(*w).0 == chain);
    LinkEnd::Chain(own.min_by_key(|w| geometry.distance(*w, v)).unwrap_or(stone))
}

/// The stones that name the chains among these ends.
fn stones_of(ends: &[LinkEnd]) -> impl Iterator<Item = Vertex> {
    ends.iter().filter_map(|end| match *end {
        LinkEnd::Chain(v) => Some(v),
        LinkEnd::Side(_) => None,
    })
}
