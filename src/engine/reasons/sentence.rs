//! The facts that reasons state, and their sentences.

use crate::base::text::count;
use crate::engine::frames::LinkEnd;
use crate::game::{Color, Geometry, Notation, Structures, Vertex};

use super::Reason;
use super::stones::Stake;

/// What a move does. The *player* makes the move; each fact says what was checked.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fact {
    /// It completes these structures.
    Wins(Structures),
    /// The opponent could complete these structures there, and nothing anywhere else.
    Stops(Structures),
    /// The opponent could complete a structure there and on these vertices.
    StopsOneOf(Vec<Vertex>),
    /// Afterwards the player can complete a structure on each of these vertices, and the opponent on none.
    DoubleThreat([Vertex; 2]),
    /// It begins the line of the reason: each threat has a single answer, and the last one is a double threat.
    Sequence,
    /// If the player passed, the opponent's move would be a double threat at these vertices. After the move the
    /// opponent has neither a double threat nor a winning sequence that is found.
    StopsDoubleThreat(Vertex, [Vertex; 2]),
    /// If the player passed, the opponent's move would begin a winning sequence. After the move none is found.
    StopsSequence(Vertex),
    /// After every reply the player still wins by threats.
    NoAnswer,
    /// The player has a full frame of this width, and the opponent needs so many stones for a structure (`None` if all
    /// are impossible) that the frame is complete before: [`Basis::Stones`](crate::engine::frames::Basis::Stones).
    WinsRace { structures: Structures, width: usize, other: Option<usize> },
    /// The search or the solver has proven that the move wins.
    Proven,
    /// The search or the solver has proven that every other move loses, and not that this one does.
    OnlyMove,
    /// The search or the solver has proven that every move loses.
    Lost,
    /// The player has a full frame of this width, had none before, and is ahead in the race.
    Secures { structures: Structures, width: usize },
    /// The opponent had half frames, of which the tightest contains the vertex, and has no frame afterwards that is
    /// found.
    PreventsFrame { structures: Structures },
    /// If the opponent passed, the player could complete these structures there.
    Threatens(Vertex, Structures),
    /// If the opponent passed, the player would win by a sequence of threats that begins there.
    ThreatensToForce(Vertex),
    /// It joins these ends in one chain, which nothing that is found connected before.
    Joins([LinkEnd; 2]),
    /// It connects these ends by full connections with disjoint carriers. If these are two vertices, a stone on one is
    /// answered on the other.
    Connects { ends: [LinkEnd; 2], pair: Option<[Vertex; 2]> },
    /// A stone of the opponent there would connect these ends, or join them in one chain.
    Prevents { ends: [LinkEnd; 2], joins: bool },
    /// It is in the carrier of the opponent's full connection of these ends, for which none is found afterwards.
    Intrudes([LinkEnd; 2]),
    /// The stone does not touch this end, and has a full connection with it.
    Stays { end: LinkEnd, pair: Option<[Vertex; 2]> },
    /// It is the first stone, which the swap takes over: its owner is better off.
    TakesOver(Evidence),
    /// It is a move instead of the swap: the owner of the first stone, which is there, is worse off.
    LeavesStone(Vertex, Evidence),
    /// It changes the number of stones that a structure lacks.
    Stake(Stake),
    /// These are the nearest two sides, each with the steps to it.
    NearSides([(usize, usize); 2]),
    /// This is the only side that is near.
    NearSide { side: usize, steps: usize },
    /// No side is further away than this many steps.
    Middle { farthest: usize },
}

impl Fact {
    /// Whether the move is proven to win.
    pub fn is_win(&self) -> bool {
        use Fact::*;
        matches!(self, Wins(_) | DoubleThreat(_) | Sequence | NoAnswer | WinsRace { .. } | Proven)
    }

    /// Whether it says where the move is and what it counts, but not what it does.
    pub fn is_weak(&self) -> bool {
        matches!(self, Fact::Stake(_) | Fact::NearSides(_) | Fact::NearSide { .. } | Fact::Middle { .. })
    }
}

/// What shows whether the owner of a first stone, with the opponent to move, is better off or worse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Evidence {
    /// The owner is proven to win.
    Proof,
    /// So many games of the engine against itself began on this vertex or an image of it; the owner's mean score in them,
    /// in \[0, 1\].
    Games { games: u32, score: f64 },
    /// The owner's chance of winning according to the search, in \[0, 1\].
    Search { chance: f64 },
}

impl Evidence {
    /// Whether the owner is better off than the opponent.
    pub fn is_good(self) -> bool {
        match self {
            Evidence::Proof => true,
            Evidence::Games { score: value, .. } | Evidence::Search { chance: value } => value > 0.5,
        }
    }
}

/// The longest sentence, in characters, to which a stake is added.
const LONGEST: usize = 110;

/// The sentence of a reason.
pub(super) fn say(reason: &Reason, notation: Notation) -> String {
    let words = Words { board: reason.board, notation, color: reason.color };
    let clause = words.clause(reason.vertex, &reason.fact);
    let sentence = match reason.refuted {
        Some(played) => format!("after {}, {clause}", words.name(played)),
        None => clause,
    };
    match reason.stake.map(|stake| format!("{sentence}; {}", words.stake(stake))) {
        Some(longer) if longer.len() <= LONGEST => longer,
        _ => sentence,
    }
}

/// How the facts about one player's move are said.
struct Words {
    board: &'static Geometry,
    notation: Notation,
    color: Color,
}

impl Words {
    fn name(&self, v: Vertex) -> String {
        self.notation.name(self.board, v)
    }

    fn own(&self) -> &'static str {
        capitalized(self.color)
    }

    fn other(&self) -> &'static str {
        capitalized(!self.color)
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

    fn ends(&self, [a, b]: [LinkEnd; 2]) -> String {
        // A chain comes first.
        let (a, b) = if matches!(a, LinkEnd::Side(_)) { (b, a) } else { (a, b) };
        format!("{} with {}", self.end(a), self.end(b))
    }

    fn clause(&self, vertex: Vertex, fact: &Fact) -> String {
        let (it, own, other) = (self.name(vertex), self.own(), self.other());
        let name = |v: &Vertex| self.name(*v);
        match fact {
            Fact::Wins(structures) => format!("{it} completes {} and wins", a(*structures)),
            Fact::Stops(structures) => format!("{it} stops {other}, who could complete {} there", a(*structures)),
            Fact::StopsOneOf(others) => {
                format!("{other} can win at {it} and at {}: no move stops both", name(&others[0]))
            }
            Fact::DoubleThreat([v, w]) => {
                format!("{it} threatens to win at {} and at {}: {other} can stop only one", name(v), name(w))
            }
            Fact::Sequence => format!("{it} wins by threats: {other} has one answer to each, and none to the last"),
            Fact::StopsDoubleThreat(by, [v, w]) if *by == vertex => {
                format!("{it} is where {other} would threaten to win at {} and at {}", name(v), name(w))
            }
            Fact::StopsDoubleThreat(by, [v, w]) => {
                let by = name(by);
                format!("{it} prevents {other}'s {by}, which would threaten to win at {} and at {}", name(v), name(w))
            }
            Fact::StopsSequence(by) => {
                format!("{it} stops {other} from winning by threats that begin with {}", name(by))
            }
            Fact::NoAnswer => format!("{it} wins: whatever {other} plays, {own} then wins by threats"),
            Fact::WinsRace { structures, width, other: fewest } => {
                let slower = fewest.map_or("can build nothing".into(), |count| format!("needs {count} or more"));
                format!(
                    "{it} wins: {own} cannot be kept from {}, needs {}, and {other} {slower}",
                    or(*structures),
                    count(*width, "stone")
                )
            }
            Fact::Proven => format!("{it} is proven to win"),
            Fact::OnlyMove => format!("{it} is the only move: every other is proven to lose"),
            Fact::Lost => format!("every move is proven to lose, {it} too"),
            Fact::Secures { structures, width } => {
                format!(
                    "{it} secures {} for {own}: every cut has an answer, and at most {} are needed",
                    or(*structures),
                    count(*width, "stone")
                )
            }
            Fact::PreventsFrame { structures } => {
                format!("{it} gets in the way of {} that {other} could have secured next", or(*structures))
            }
            Fact::Threatens(at, structures) => format!("{it} threatens to complete {} at {}", a(*structures), name(at)),
            Fact::ThreatensToForce(at) => format!("{it} threatens to win by force, beginning with {}", name(at)),
            Fact::Joins(ends) => format!("{it} joins {}", self.ends(*ends)),
            Fact::Connects { ends, pair } => format!("{it} connects {}: {}", self.ends(*ends), self.answer(pair)),
            Fact::Prevents { ends, joins } => {
                let verb = if *joins { "joining" } else { "connecting" };
                format!("{it} keeps {other} from {verb} {} there", self.ends(*ends))
            }
            Fact::Intrudes(ends) => format!("{it} cuts into {other}'s connection of {}", self.ends(*ends)),
            Fact::Stays { end, pair } => format!("{it} is connected with {}: {}", self.end(*end), self.answer(pair)),
            Fact::TakesOver(evidence) => format!("the swap takes over {it}, whose owner {}", owner(*evidence)),
            Fact::LeavesStone(first, evidence) => {
                format!("{it} instead of the swap: the owner of {} {}", name(first), owner(*evidence))
            }
            Fact::Stake(stake) => format!("with {it}, {}", self.stake(*stake)),
            Fact::NearSides([(a, steps), (b, more)]) => {
                let [a, b] = [a, b].map(|side| self.end(LinkEnd::Side(*side)));
                format!("{it} is near two sides: {} from {a} and {more} from {b}", count(*steps, "step"))
            }
            Fact::NearSide { side, steps } => {
                format!("{it} is near {}, {} away", self.end(LinkEnd::Side(*side)), count(*steps, "step"))
            }
            Fact::Middle { farthest } => {
                format!("{it} is in the middle: no side is more than {} away", count(*farthest, "step"))
            }
        }
    }

    fn answer(&self, pair: &Option<[Vertex; 2]>) -> String {
        match pair {
            Some([v, w]) => {
                let (other, own) = (self.other(), self.own());
                format!("if {other} plays {}, {own} plays {}", self.name(*v), self.name(*w))
            }
            None => "every cut has an answer".into(),
        }
    }

    fn stake(&self, stake: Stake) -> String {
        match stake {
            Stake::Own { structure, with, without } => {
                let without = without.map_or("impossible without it".into(), |count| format!("without it {count}"));
                format!("{}'s {structure} lacks {}, {without}", self.own(), count(with, "stone"))
            }
            Stake::Other { structure, before, after } => {
                let other = self.other();
                match after {
                    Some(after) => format!("{other}'s {structure} lacks {} instead of {before}", count(after, "stone")),
                    None => {
                        format!("{other}'s {structure}, which lacked {}, becomes impossible", count(before, "stone"))
                    }
                }
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

fn capitalized(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// `a bridge`, `a fork and a ring`.
fn a(structures: Structures) -> String {
    structures.names().map(|name| format!("a {name}")).collect::<Vec<_>>().join(" and ")
}

/// `a bridge`, `a fork or a ring`.
fn or(structures: Structures) -> String {
    structures.names().map(|name| format!("a {name}")).collect::<Vec<_>>().join(" or ")
}
