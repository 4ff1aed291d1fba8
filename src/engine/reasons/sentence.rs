//! The English sentences of claims.

use crate::base::text::{capitalized, count};
use crate::engine::frames::LinkEnd;
use crate::game::{Color, Geometry, Notation, Structures, Vertex};

use super::fact::{Claim, Evidence, Fact, Stake};

/// The longest text, in characters, to which a stake is added.
const LONGEST: usize = 110;

/// One or two short sentences, separated by a full stop but without one at the end.
pub(super) fn say(claim: &Claim, board: &Geometry, notation: Notation) -> String {
    let words = Words { board, notation, player: claim.player, vertex: claim.vertex };
    let mut text = words.clause(&claim.fact);
    if let Some(refuted) = claim.refuted {
        text = format!("after {}, {text}", words.name(refuted));
    }
    match claim.stake.map(|stake| format!("{text}. {}", words.stake(stake))) {
        Some(longer) if longer.len() <= LONGEST => longer,
        _ => text,
    }
}

/// How facts about one move are said.
struct Words<'a> {
    board: &'a Geometry,
    notation: Notation,
    player: Color,
    vertex: Vertex,
}

impl Words<'_> {
    fn name(&self, v: Vertex) -> String {
        self.notation.name(self.board, v)
    }

    fn own(&self) -> String {
        capitalized(self.player)
    }

    fn other(&self) -> String {
        capitalized(!self.player)
    }

    /// `a4 and at d1`.
    fn both(&self, [v, w]: [Vertex; 2]) -> String {
        format!("{} and at {}", self.name(v), self.name(w))
    }

    /// `d4`, or `the side a1-a5`.
    fn end(&self, end: LinkEnd) -> String {
        match end {
            LinkEnd::Chain(v) => self.name(v),
            LinkEnd::Side(side) => {
                let [a, b] = [side, (side + 1) % 6].map(|corner| self.name(self.board.corner(corner)));
                format!("the side {a}-{b}")
            }
        }
    }

    /// `d4 with the side a1-a5`: a chain comes first.
    fn ends(&self, [a, b]: [LinkEnd; 2]) -> String {
        let (a, b) = if matches!(a, LinkEnd::Side(_)) { (b, a) } else { (a, b) };
        format!("{} with {}", self.end(a), self.end(b))
    }

    fn clause(&self, fact: &Fact) -> String {
        let it = self.name(self.vertex);
        let own = self.own();
        let other = self.other();
        match fact {
            Fact::Wins { structures } => format!("{it} completes {} and wins", all_of(*structures)),
            Fact::Stops { structures } => {
                format!("{it} stops {other}, who could complete {} there", all_of(*structures))
            }
            Fact::StopsOneOf { others } => {
                format!("{other} can win at {}. No move stops both", self.both([self.vertex, others[0]]))
            }
            Fact::DoubleThreat { at } => {
                format!("{it} threatens to win at {}. {other} can stop only one", self.both(*at))
            }
            Fact::Sequence => format!("{it} wins by threats. {other} has one answer to each, and none to the last"),
            Fact::StopsDoubleThreat { by, at } => {
                let at = self.both(*at);
                let stop =
                    if *by == self.vertex { format!("{own} takes {it} first") } else { format!("{it} stops that") };
                format!("{other} could play {} and threaten to win at {at}. {stop}", self.name(*by))
            }
            Fact::StopsSequence { by } => {
                format!("{other} could win by threats, beginning with {}. {it} stops that", self.name(*by))
            }
            Fact::NoAnswer => format!("{it} wins. Whatever {other} plays, {own} then wins by threats"),
            Fact::WinsRace { structures, width, other: fewest } => {
                let slower = fewest.map_or("can complete nothing".into(), |count| format!("needs {count} or more"));
                let stones = count(*width, "stone");
                format!("{it} wins. Nothing keeps {own} from {} within {stones}. {other} {slower}", one_of(*structures))
            }
            Fact::Proven => format!("{it} is proven to win"),
            Fact::OnlyMove => format!("{it} is the only move. Every other is proven to lose"),
            Fact::Lost => format!("every move is proven to lose, {it} too"),
            Fact::Secures { structures, width } => {
                let stones = count(*width, "stone");
                format!("{it} secures {} for {own} within {stones}. Every cut has an answer", one_of(*structures))
            }
            Fact::PreventsFrame { structures } => {
                format!("{other} could have secured {} next. {it} gets in the way", one_of(*structures))
            }
            Fact::Threatens { at, structures } => {
                format!("{it} threatens to complete {} at {}", all_of(*structures), self.name(*at))
            }
            Fact::ThreatensToForce { at } => {
                format!("{it} threatens to win by force, beginning with {}", self.name(*at))
            }
            Fact::Joins { ends } => format!("{it} joins {}", self.ends(*ends)),
            Fact::Connects { ends, pair } => format!("{it} connects {}. {}", self.ends(*ends), self.answer(*pair)),
            Fact::Prevents { ends, joins } => {
                let verb = if *joins { "joining" } else { "connecting" };
                format!("{it} keeps {other} from {verb} {} there", self.ends(*ends))
            }
            Fact::Intrudes { ends } => format!("{it} cuts into {other}'s connection of {}", self.ends(*ends)),
            Fact::Stays { end, pair } => {
                format!("{it} is connected with {}. {}", self.end(*end), self.answer(*pair))
            }
            Fact::TakesOver { evidence } => format!("{it} is worth the swap. Its owner {}", owner(*evidence)),
            Fact::LeavesStone { first, evidence } => {
                format!("{} is not worth the swap. Its owner {}", self.name(*first), owner(*evidence))
            }
            Fact::Changes { stake } => format!("with {it}, {}", self.stake(*stake)),
            Fact::NearSides { sides: [(a, steps), (b, more)] } => {
                let [a, b] = [a, b].map(|side| self.end(LinkEnd::Side(*side)));
                format!("{it} is near two sides: {} from {a} and {more} from {b}", count(*steps, "step"))
            }
            Fact::NearSide { side, steps } => {
                format!("{it} is near {}, {} away", self.end(LinkEnd::Side(*side)), count(*steps, "step"))
            }
            Fact::Middle { farthest } => {
                format!("{it} is in the middle. No side is more than {} away", count(*farthest, "step"))
            }
        }
    }

    /// How a connection holds.
    fn answer(&self, pair: Option<[Vertex; 2]>) -> String {
        match pair.map(|pair| pair.map(|v| self.name(v))) {
            Some([v, w]) => format!("If {} plays {v}, {} plays {w}", self.other(), self.own()),
            None => "Every cut has an answer".into(),
        }
    }

    fn stake(&self, stake: Stake) -> String {
        let it = self.name(self.vertex);
        let own = self.own();
        let other = self.other();
        let stones = |number| count(number, "more stone");
        match stake {
            Stake::Own { structure, with, without: Some(without) } => {
                format!("{own} needs {} for a {structure}. If {other} takes {it}, {own} needs {without}", stones(with))
            }
            Stake::Own { structure, with, without: None } => {
                format!("{own} needs {} for a {structure}. If {other} takes {it}, it is impossible", stones(with))
            }
            Stake::Other { structure, before, after: Some(after) } => {
                format!("{other} needs {} for a {structure} instead of {before}", stones(after))
            }
            Stake::Other { structure, before, after: None } => {
                format!("{other}, who needed {} for a {structure}, cannot complete one", stones(before))
            }
        }
    }
}

/// What is known of the owner of a first stone.
fn owner(evidence: Evidence) -> String {
    match evidence {
        Evidence::Proof => "is proven to win".into(),
        Evidence::Games { games, score } => {
            format!("scored {:.0} % in {games} games of the engine from such a first stone", 100.0 * score)
        }
        Evidence::Search { chance } => format!("wins {:.0} % according to the search", 100.0 * chance),
    }
}

/// `a bridge`, `a bridge, a fork and a ring`.
fn all_of(structures: Structures) -> String {
    joined(structures, "and")
}

/// `a bridge`, `a fork or a ring`.
fn one_of(structures: Structures) -> String {
    joined(structures, "or")
}

fn joined(structures: Structures, word: &str) -> String {
    let names: Vec<String> = structures.names().map(|name| format!("a {name}")).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} {word} {last}", others.join(", ")),
        _ => names.concat(),
    }
}
