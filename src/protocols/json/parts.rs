//! Parts of answers, made from values of the engine.

use crate::engine::frames::{Edge, EdgeFrames, Frame, Race};
use crate::engine::inspect::chains::Chain;
use crate::engine::search::MoveReport;
use crate::engine::session::{Analysis, PlayedGame};
use crate::engine::solver::SolveOutcome;
use crate::game::{Color, Geometry, Move, Notation, Outcome, Vertex};

use super::answer::{
    ByColor, ByVertex, ChainAnswer, EdgeAnswer, EdgesAnswer, FrameAnswer, MoveAnswer, PositionAnswer, RaceAnswer,
    SolutionAnswer, rounded,
};
use super::board::bits;

pub(super) fn name(board: &Geometry, v: Vertex) -> String {
    Notation::HavannahGui.name(board, v)
}

pub(super) fn names(board: &Geometry, vertices: &[Vertex]) -> Vec<String> {
    Notation::HavannahGui.names(board, vertices)
}

pub(super) fn by_color<T>(value: impl Fn(Color) -> T) -> ByColor<T> {
    ByColor { white: value(Color::White), black: value(Color::Black) }
}

pub(super) fn move_answer(board: &Geometry, analysis: &Analysis, m: &MoveReport) -> MoveAnswer {
    MoveAnswer {
        vertex: name(board, m.vertex),
        visits: m.visits,
        win_rate: analysis.chance_with(m).map(rounded),
        prior: m.prior.map(rounded),
        verdict: m.verdict,
        rave: m.rave.map(rounded),
        pv: names(board, &m.line),
    }
}

pub(super) fn position(game: &PlayedGame) -> PositionAnswer {
    let (board, rules) = (game.geometry(), game.board());
    let stones = board.vertices().filter_map(|v| Some((name(board, v), rules.position().stone(v)?)));
    let by = match (game.resigned(), rules.outcome()) {
        (Some(_), _) => vec!["resign"],
        (None, Some(Outcome::Win(_, structures))) => structures.names().collect(),
        (None, Some(Outcome::Draw)) => vec!["full board"],
        (None, None) => Vec::new(),
    };
    let mut winning: Vec<Vertex> = rules.winning_stones().into_iter().flat_map(|(_, stones)| stones).collect();
    winning.sort_unstable();
    winning.dedup();
    let legal = game.legal_moves();
    PositionAnswer {
        string: rules.position_string(),
        to_move: game.to_move(),
        stones: ByVertex(stones.collect()),
        last: rules.last_stones()[0].map(|v| name(board, v)),
        can_swap: legal.contains(&Move::Swap),
        legal: legal.into_iter().filter(|m| *m != Move::Swap).map(|m| m.show(board, Notation::HavannahGui)).collect(),
        over: game.is_over(),
        winner: game.result().map(Into::into),
        by,
        winning: names(board, &winning),
    }
}

pub(super) fn race(board: &Geometry, race: &Race, edges: &[Option<EdgeFrames>; 2]) -> RaceAnswer {
    let [white_edges, black_edges] =
        edges.each_ref().map(|found| found.as_ref().map(|found| edge_frames(board, found)));
    let list = |color: Color| race.frames[color.index()].iter().map(|f| frame(board, f)).collect();
    RaceAnswer {
        white: list(Color::White),
        black: list(Color::Black),
        leader: race.leader.map(|(color, _)| color),
        basis: race.leader.map(|(_, basis)| basis.name()),
        proven: race.leader.is_some_and(|(_, basis)| basis.is_proof()),
        white_edges,
        black_edges,
    }
}

fn edge_frames(board: &Geometry, edges: &EdgeFrames) -> EdgesAnswer {
    let answer = |edge: &Edge| match edge {
        Edge::Reached => Some(EdgeAnswer { z: None, width: 0, carrier: Vec::new() }),
        Edge::Frame(frame) => {
            Some(EdgeAnswer { z: Some(frame.z), width: frame.width, carrier: names(board, &frame.carrier) })
        }
        Edge::Unknown => None,
    };
    EdgesAnswer { chain: name(board, edges.chain), sides: edges.sides.iter().map(answer).collect() }
}

fn frame(board: &Geometry, frame: &Frame) -> FrameAnswer {
    FrameAnswer {
        structures: frame.structures.names().collect(),
        corners: bits(frame.rim & 0x3f).collect(),
        sides: bits(frame.rim >> 6).collect(),
        full: frame.full,
        width: frame.width,
        carrier: names(board, &frame.carrier),
    }
}

pub(super) fn chain(board: &Geometry, chain: &Chain) -> ChainAnswer {
    ChainAnswer {
        color: chain.color,
        stones: names(board, &chain.stones),
        corners: bits(chain.rim & 0x3f).collect(),
        sides: bits(chain.rim >> 6).collect(),
    }
}

/// What the solver found about a position.
pub(super) fn solution(id: &str, game: &PlayedGame, outcome: SolveOutcome) -> SolutionAnswer {
    let board = game.geometry();
    SolutionAnswer {
        id: id.to_owned(),
        to_move: game.to_move(),
        value: outcome.value.map(|value| value.winner().into()),
        best: outcome.best.map(|v| name(board, v)),
        nodes: outcome.nodes,
        seconds: rounded(outcome.time.as_secs_f64()),
        estimate: outcome.estimate,
        order: outcome.order.iter().map(|&v| name(board, v)).collect(),
    }
}
