//! What reasons state, as data. [`super::sentence`] says it in English; other languages can do the same from
//! [`Reason::data`](super::Reason::data).

use serde_json::{Map, Value, json};

use crate::base::math::rounded;
use crate::engine::frames::LinkEnd;
use crate::game::{Color, Geometry, Notation, Structures, Vertex};

/// A fact about a move that nobody has played yet, and what else the move changes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Claim {
    /// The player of the move.
    pub player: Color,
    /// The move.
    pub vertex: Vertex,
    /// The opponent's move before it, if the move refutes that one.
    pub refuted: Option<Vertex>,
    /// What the move does.
    pub fact: Fact,
    /// How the move also changes the number of stones that a structure lacks, where that is worth mentioning.
    pub stake: Option<Stake>,
}

/// What a move does. The *player* makes the move; each fact says what was checked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fact {
    /// It completes these structures.
    Wins {
        /// The structures.
        structures: Structures,
    },
    /// The opponent could complete these structures on the vertex, and nothing anywhere else.
    Stops {
        /// The structures.
        structures: Structures,
    },
    /// The opponent could complete a structure there and on other vertices, so that no move stops all of them.
    StopsOneOf {
        /// The other vertices, at least one.
        others: Vec<Vertex>,
    },
    /// Afterwards the player can complete a structure on each of two vertices, and the opponent on none.
    DoubleThreat {
        /// The two vertices.
        at: [Vertex; 2],
    },
    /// It begins the line of the reason: each threat has a single answer, and the last one is a double threat.
    Sequence,
    /// If the player passed, the opponent could make a double threat. After the move the opponent has neither a double
    /// threat nor a winning sequence that is found.
    StopsDoubleThreat {
        /// The opponent's move.
        by: Vertex,
        /// Where it would threaten to complete a structure.
        at: [Vertex; 2],
    },
    /// If the player passed, the opponent could win by a sequence of threats. After the move none is found.
    StopsSequence {
        /// The first move of the sequence.
        by: Vertex,
    },
    /// After every reply the player still wins by threats.
    NoAnswer,
    /// The player has a full frame, and the opponent needs so many stones for a structure that the frame is completed
    /// first: [`Basis::Stones`](crate::engine::frames::Basis::Stones).
    WinsRace {
        /// What the frame may become.
        structures: Structures,
        /// The most stones that the player needs.
        width: usize,
        /// The fewest stones that the opponent needs; `None` if no structure is possible.
        other: Option<usize>,
    },
    /// The search or the solver has proven that the move wins.
    Proven,
    /// The search or the solver has proven that every other move loses, and not that this one does.
    OnlyMove,
    /// The search or the solver has proven that every move loses.
    Lost,
    /// The player has a full frame, had none before, and is ahead in the race.
    Secures {
        /// What the frame may become.
        structures: Structures,
        /// The most stones that the player needs.
        width: usize,
    },
    /// The opponent had half frames, and the tightest contains the vertex. Afterwards no frame of the opponent is
    /// found.
    PreventsFrame {
        /// What the tightest frame could have become.
        structures: Structures,
    },
    /// If the opponent passed, the player could complete structures.
    Threatens {
        /// Where.
        at: Vertex,
        /// The structures.
        structures: Structures,
    },
    /// If the opponent passed, the player would win by a sequence of threats.
    ThreatensToForce {
        /// The first move of the sequence.
        at: Vertex,
    },
    /// It joins two ends in one chain. No connection between them was found before.
    Joins {
        /// The ends, of which at least one is a chain.
        ends: [LinkEnd; 2],
    },
    /// It connects two ends by full connections with disjoint carriers. None was found before.
    Connects {
        /// The ends, of which at least one is a chain.
        ends: [LinkEnd; 2],
        /// The carrier if it is two vertices: a stone on one is answered on the other.
        pair: Option<[Vertex; 2]>,
    },
    /// A stone of the opponent there would connect two ends, or join them in one chain.
    Prevents {
        /// The ends, of which at least one is a chain of the opponent.
        ends: [LinkEnd; 2],
        /// Whether it would join them.
        joins: bool,
    },
    /// It is in the carrier of the opponent's full connection of two ends, for which none is found afterwards.
    Intrudes {
        /// The ends, of which at least one is a chain of the opponent.
        ends: [LinkEnd; 2],
    },
    /// The stone does not touch a chain or side, but has a full connection with it.
    Stays {
        /// The chain or side.
        end: LinkEnd,
        /// The carrier if it is two vertices: a stone on one is answered on the other.
        pair: Option<[Vertex; 2]>,
    },
    /// It is the first stone, which the swap takes over: its owner is better off.
    TakesOver {
        /// What shows it.
        evidence: Evidence,
    },
    /// It is a move instead of the swap: the owner of the first stone is worse off.
    LeavesStone {
        /// The first stone.
        first: Vertex,
        /// What shows it.
        evidence: Evidence,
    },
    /// It changes the number of stones that a structure lacks.
    Changes {
        /// How.
        stake: Stake,
    },
    /// Two sides are near.
    NearSides {
        /// The nearest two, as numbered in [`Geometry::rim`], each with the steps to it.
        sides: [(usize, usize); 2],
    },
    /// One side is near, and no other.
    NearSide {
        /// The side, as numbered in [`Geometry::rim`].
        side: usize,
        /// The steps to it.
        steps: usize,
    },
    /// No side is near.
    Middle {
        /// The steps to the farthest side.
        farthest: usize,
    },
}

/// What a move does to the number of stones that a structure lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stake {
    /// About a structure of the player.
    Own {
        /// The structure.
        structure: Structures,
        /// The stones that it lacks after the move.
        with: usize,
        /// The stones that it lacks if the opponent has the vertex; `None` if it is impossible then.
        without: Option<usize>,
    },
    /// About a structure of the opponent.
    Other {
        /// The structure.
        structure: Structures,
        /// The stones that it lacked before the move.
        before: usize,
        /// The stones that it lacks after the move; `None` if it is impossible then.
        after: Option<usize>,
    },
}

/// What shows whether the owner of a first stone, with the opponent to move, is better off or worse.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Evidence {
    /// The owner is proven to win.
    Proof,
    /// Games of the engine against itself that began on this vertex or an image of it.
    Games {
        /// The number of games.
        games: u32,
        /// The owner's mean score in them, in \[0, 1\].
        score: f64,
    },
    /// A search.
    Search {
        /// The owner's chance of winning, in \[0, 1\].
        chance: f64,
    },
}

impl Fact {
    /// A word for the kind of fact, which does not change from version to version: `double-threat`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Fact::Wins { .. } => "wins",
            Fact::Stops { .. } => "stops",
            Fact::StopsOneOf { .. } => "stops-one-of",
            Fact::DoubleThreat { .. } => "double-threat",
            Fact::Sequence => "sequence",
            Fact::StopsDoubleThreat { .. } => "stops-double-threat",
            Fact::StopsSequence { .. } => "stops-sequence",
            Fact::NoAnswer => "no-answer",
            Fact::WinsRace { .. } => "wins-race",
            Fact::Proven => "proven",
            Fact::OnlyMove => "only-move",
            Fact::Lost => "lost",
            Fact::Secures { .. } => "secures",
            Fact::PreventsFrame { .. } => "prevents-frame",
            Fact::Threatens { .. } => "threatens",
            Fact::ThreatensToForce { .. } => "threatens-to-force",
            Fact::Joins { .. } => "joins",
            Fact::Connects { .. } => "connects",
            Fact::Prevents { joins: true, .. } => "prevents-joining",
            Fact::Prevents { joins: false, .. } => "prevents-connecting",
            Fact::Intrudes { .. } => "intrudes",
            Fact::Stays { .. } => "stays",
            Fact::TakesOver { .. } => "takes-over",
            Fact::LeavesStone { .. } => "leaves-stone",
            Fact::Changes { stake } => stake.kind(),
            Fact::NearSides { .. } => "near-sides",
            Fact::NearSide { .. } => "near-side",
            Fact::Middle { .. } => "middle",
        }
    }

    /// Whether the move is proven to win.
    #[must_use]
    pub fn is_win(&self) -> bool {
        use Fact::*;
        matches!(self, Wins { .. } | DoubleThreat { .. } | Sequence | NoAnswer | WinsRace { .. } | Proven)
    }

    /// Whether it says where the move is and what it counts, but not what it does.
    #[must_use]
    pub fn is_weak(&self) -> bool {
        use Fact::*;
        matches!(self, Changes { .. } | NearSides { .. } | NearSide { .. } | Middle { .. })
    }
}

/// A structure that lacks no more stones than this is near.
const NEAR: usize = 4;

impl Stake {
    fn kind(self) -> &'static str {
        match self {
            Stake::Own { .. } => "own-stones",
            Stake::Other { .. } => "opponent-stones",
        }
    }

    /// The number of stones when the structure is nearest, and how many more it is otherwise.
    fn near_and_more(self) -> (usize, usize) {
        let (near, far) = match self {
            Stake::Own { with, without, .. } => (with, without),
            Stake::Other { before, after, .. } => (before, after),
        };
        // A structure that becomes impossible counts like one that needs twice as many stones.
        (near, far.map_or(near, |far| far.saturating_sub(near)))
    }

    /// Whether the structure is so near that a single stone counts.
    pub(super) fn is_near(self) -> bool {
        self.near_and_more().0 <= NEAR
    }

    /// How many more stones the structure needs in the worse case.
    pub(super) fn more(self) -> usize {
        self.near_and_more().1
    }

    /// How much the stake matters: the change in relation to the stones that are missing.
    pub(super) fn weight(self) -> usize {
        let (near, more) = self.near_and_more();
        1000 * more / (near + 2)
    }
}

impl Evidence {
    /// Whether the owner is better off than the opponent.
    #[must_use]
    pub fn is_good(self) -> bool {
        match self {
            Evidence::Proof => true,
            Evidence::Games { score: value, .. } | Evidence::Search { chance: value } => value > 0.5,
        }
    }
}

impl Claim {
    /// The claim as a JSON object, with HavannahGui's names: see [`Reason::data`](super::Reason::data).
    pub(super) fn to_json(&self, board: &Geometry) -> Map<String, Value> {
        let names = Names(board);
        let mut object = names.of_fact(&self.fact);
        object.insert("kind".into(), self.fact.kind().into());
        object.insert("player".into(), self.player.to_string().into());
        object.insert("move".into(), names.vertex(self.vertex).into());
        if let Some(refuted) = self.refuted {
            object.insert("after".into(), names.vertex(refuted).into());
        }
        if let Some(stake) = self.stake {
            let mut also = names.of_stake(stake);
            also.insert("kind".into(), stake.kind().into());
            object.insert("also".into(), also.into());
        }
        object
    }
}

/// HavannahGui's names of what is on a board.
struct Names<'a>(&'a Geometry);

impl Names<'_> {
    fn vertex(&self, v: Vertex) -> String {
        Notation::HavannahGui.name(self.0, v)
    }

    fn vertices(&self, vertices: &[Vertex]) -> Vec<String> {
        Notation::HavannahGui.names(self.0, vertices)
    }

    /// The two corners of a side.
    fn side(&self, side: usize) -> Vec<String> {
        self.vertices(&[side, (side + 1) % 6].map(|corner| self.0.corner(corner)))
    }

    fn end(&self, end: LinkEnd) -> Value {
        match end {
            LinkEnd::Chain(v) => json!({"chain": self.vertex(v)}),
            LinkEnd::Side(side) => json!({"side": self.side(side)}),
        }
    }

    /// The fields of a fact beside its kind.
    fn of_fact(&self, fact: &Fact) -> Map<String, Value> {
        let list = |structures: Structures| structures.names().collect::<Vec<_>>();
        let ends = |ends: [LinkEnd; 2]| ends.map(|end| self.end(end));
        let pair = |pair: Option<[Vertex; 2]>| pair.map(|pair| self.vertices(&pair));
        object(match fact {
            Fact::Wins { structures } | Fact::Stops { structures } | Fact::PreventsFrame { structures } => {
                json!({"structures": list(*structures)})
            }
            Fact::StopsOneOf { others } => json!({"vertices": self.vertices(others)}),
            Fact::DoubleThreat { at } => json!({"vertices": self.vertices(at)}),
            Fact::Sequence | Fact::NoAnswer | Fact::Proven | Fact::OnlyMove | Fact::Lost => json!({}),
            Fact::StopsDoubleThreat { by, at } => json!({"by": self.vertex(*by), "vertices": self.vertices(at)}),
            Fact::StopsSequence { by } => json!({"by": self.vertex(*by)}),
            Fact::WinsRace { structures, width, other } => {
                json!({"structures": list(*structures), "stones": width, "opponent_stones": other})
            }
            Fact::Secures { structures, width } => json!({"structures": list(*structures), "stones": width}),
            Fact::Threatens { at, structures } => {
                json!({"vertices": self.vertices(&[*at]), "structures": list(*structures)})
            }
            Fact::ThreatensToForce { at } => json!({"vertices": self.vertices(&[*at])}),
            Fact::Joins { ends: two } | Fact::Prevents { ends: two, .. } | Fact::Intrudes { ends: two } => {
                json!({"ends": ends(*two)})
            }
            Fact::Connects { ends: two, pair: carrier } => json!({"ends": ends(*two), "vertices": pair(*carrier)}),
            Fact::Stays { end, pair: carrier } => json!({"ends": [self.end(*end)], "vertices": pair(*carrier)}),
            Fact::TakesOver { evidence } => json!({"evidence": evidence_json(*evidence)}),
            Fact::LeavesStone { first, evidence } => {
                json!({"vertices": self.vertices(&[*first]), "evidence": evidence_json(*evidence)})
            }
            Fact::Changes { stake } => return self.of_stake(*stake),
            Fact::NearSides { sides } => {
                json!({"sides": sides.map(|(side, steps)| json!({"side": self.side(side), "steps": steps}))})
            }
            Fact::NearSide { side, steps } => json!({"sides": [{"side": self.side(*side), "steps": steps}]}),
            Fact::Middle { farthest } => json!({"steps": farthest}),
        })
    }

    /// The fields of a stake beside its kind: the stones with the move, and without it.
    fn of_stake(&self, stake: Stake) -> Map<String, Value> {
        let (structure, with, without) = match stake {
            Stake::Own { structure, with, without } => (structure, Some(with), without),
            Stake::Other { structure, before, after } => (structure, after, Some(before)),
        };
        object(json!({"structures": structure.names().collect::<Vec<_>>(), "with": with, "without": without}))
    }
}

fn evidence_json(evidence: Evidence) -> Value {
    match evidence {
        Evidence::Proof => json!({"from": "proof"}),
        Evidence::Games { games, score } => json!({"from": "games", "games": games, "score": rounded(score)}),
        Evidence::Search { chance } => json!({"from": "search", "chance": rounded(chance)}),
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => unreachable!("{other} is not an object"),
    }
}
