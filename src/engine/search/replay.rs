//! Replaying refutations: what refuted one move of a node is tried against the node's other moves.
//!
//! Most moves of a lost position lose for the same reason. So once a reply to one of them is proven to win, the same
//! reply is tried against each of the others, and after it the winner's moves of the proof, as far as they are in the
//! tree. Every position on the way is examined anew ([`ThreatSearch::look_ahead`]), so that each refutation is a proof
//! of its own. (Kawano, *Using similar positions to search game trees*, 1996, where this is called simulation.)

use crate::game::{Color, MAX_VERTICES, Position, Vertex};

use super::limits::Deadline;
use super::node::{Layout, Node, NodeId};
use super::report::Verdict;
use super::root::SearchRoot;
use super::threats::{Status, ThreatSearch};
use super::tree::{Step, Tree};

/// The most moves of the loser that a replay follows, with the one that is tried.
const LONGEST: usize = 8;

/// A refutation that has failed to refute this many moves is given up: the others most likely lose for other reasons, if
/// they lose at all.
const MISSES: u32 = 5;

/// The working space for replays on one board, so that a search does not allocate.
pub(crate) struct Replay<'a> {
    /// The position before the refuted move.
    before: Position,
    levels: Vec<Level>,
    /// Whether positions are examined for pair threats.
    pairs: bool,
    /// Positions that one replay may examine.
    limit: u32,
    deadline: &'a Deadline<'a>,
}

/// Working space for one position of a replay.
struct Level {
    position: Position,
    answered: Vec<Answered>,
}

/// A move of the loser, and the winner's answer in the proof that is replayed.
struct Answered {
    vertex: Vertex,
    answer: Vertex,
    /// The node after both in that proof, if it is in the tree.
    next: Option<NodeId>,
}

/// The winning move of a node that is proven to be won.
fn winning_move<'a>(node: impl Node<'a>) -> Option<Vertex> {
    node.moves().find(|&v| node.move_verdict(v) == Some(Verdict::Win))
}

impl<'a> Replay<'a> {
    /// For positions of the board of `position`. Each replay examines at most `limit` positions, with `pairs` as in
    /// [`ThreatSearch::look_ahead`], and ends when the deadline passes.
    pub fn new(position: &Position, limit: u32, pairs: bool, deadline: &'a Deadline<'a>) -> Replay<'a> {
        let level = || Level { position: position.clone(), answered: Vec::with_capacity(MAX_VERTICES) };
        let levels = std::iter::repeat_with(level).take(LONGEST.min(limit as usize)).collect();
        Replay { before: position.clone(), levels, pairs, limit, deadline }
    }

    /// Goes on from a proof that has just been recorded for the last move of `path`. If it refutes a move of a node
    /// that stays open, the refutation is replayed against the node's other moves. If that proves the node, the same is
    /// done with what this refutes further up.
    pub fn refute_others<L: Layout>(
        &mut self,
        tree: &Tree<L>,
        root: SearchRoot<'_>,
        path: &[Step],
        threats: &mut ThreatSearch<'_>,
    ) {
        while self.limit > 0 && self.refute_others_of_last(tree, root, path, threats) {}
    }

    /// Replays the refutation of the move that the path makes in its last open node, if there is one. Returns whether
    /// this proves the node.
    fn refute_others_of_last<L: Layout>(
        &mut self,
        tree: &Tree<L>,
        root: SearchRoot<'_>,
        path: &[Step],
        threats: &mut ThreatSearch<'_>,
    ) -> bool {
        let is_open = |step: &Step| tree.node(step.node).verdict().is_none();
        let Some(depth) = path.iter().rposition(is_open) else { return false };
        let Step { node: id, vertex } = path[depth];
        let node = tree.node(id);
        if node.move_verdict(vertex) != Some(Verdict::Loss) {
            return false;
        }
        let Some(after) = node.link(vertex).map(|id| tree.node(id)) else { return false };
        let Some(answer) = winning_move(after) else { return false };
        let next = after.link(answer);
        let mut color = root.color;
        self.before.copy_from(root.position);
        for step in &path[..depth] {
            self.before.place(color, step.vertex);
            color = !color;
        }
        let mut misses = 0;
        for vertex in node.open_moves().filter(|&v| v != answer) {
            let Replay { before, levels, pairs, limit, deadline } = self;
            let mut attempt = Attempt { tree, threats, pairs: *pairs, left: *limit, deadline };
            if !attempt.loses_to(before, color, &Answered { vertex, answer, next }, levels) {
                misses += 1;
                if misses == MISSES {
                    return false;
                }
                continue;
            }
            // If the move has a node, that knows how it wins.
            if let Some(won) = node.link(vertex).map(|id| tree.node(id)).filter(|won| won.verdict().is_none()) {
                won.prove_move(answer, Verdict::Win);
                won.set_verdict(Verdict::Win);
            }
            if let Some(verdict) = node.prove_move(vertex, Verdict::Loss) {
                node.set_verdict(verdict);
                tree.prove(&path[..depth], verdict.of_opponent());
                return true;
            }
        }
        false
    }
}

/// A replay against one move.
struct Attempt<'a, 't, L> {
    tree: &'a Tree<L>,
    threats: &'a mut ThreatSearch<'t>,
    pairs: bool,
    /// How many more positions may be examined.
    left: u32,
    deadline: &'a Deadline<'a>,
}

impl<L: Layout> Attempt<'_, '_, L> {
    /// Whether a move of `color` in this position loses to its answer. Both vertices are empty, and the move completes
    /// no structure.
    fn loses_to(&mut self, position: &Position, color: Color, moves: &Answered, levels: &mut [Level]) -> bool {
        let Some((level, deeper)) = levels.split_first_mut() else { return false };
        level.position.copy_from(position);
        level.position.place(color, moves.vertex);
        !level.position.place(!color, moves.answer).is_empty() || self.is_lost(level, color, moves.next, deeper)
    }

    /// Whether the position of `level`, with `color` to move, is lost because of what looking ahead proves and of the
    /// answers in the proof that begins at `node`.
    fn is_lost(&mut self, level: &mut Level, color: Color, node: Option<NodeId>, deeper: &mut [Level]) -> bool {
        if self.left == 0 || self.deadline.has_passed() {
            return false;
        }
        self.left -= 1;
        match self.threats.look_ahead(&level.position, color, self.pairs) {
            Status::Loss => return true,
            Status::Open => (),
            Status::Win(_) | Status::Draw => return false,
        }
        let Some(node) = node.map(|id| self.tree.node(id)) else { return false };
        level.answered.clear();
        let candidates = self.threats.candidates().iter().enumerate();
        for (_, candidate) in candidates.filter(|&(i, _)| !self.threats.is_refuted(i)) {
            let vertex = candidate.vertex;
            let Some(after) = node.link(vertex).map(|id| self.tree.node(id)) else { return false };
            let Some(answer) = winning_move(after).filter(|&v| level.position.is_empty(v)) else { return false };
            level.answered.push(Answered { vertex, answer, next: after.link(answer) });
            if level.answered.len() > self.left as usize {
                return false;
            }
        }
        level.answered.iter().all(|moves| self.loses_to(&level.position, color, moves, deeper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::time::Instant;
    use crate::engine::search::kept_tree::KeptTree;
    use crate::engine::search::limits::Limits;
    use crate::engine::search::method::{Context, SearchMethod, Worker};
    use crate::engine::search::options::SearchOptions;
    use crate::engine::search::puct::Puct;
    use crate::engine::solver::{Solution, Solver, random_positions};
    use crate::game::{Game, Geometry};
    use crate::network::{Backend, Network};
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use std::collections::HashSet;
    use std::sync::atomic::AtomicBool;

    /// The options of a search that proves nothing by other means than looking ahead and replays.
    fn options(replay_nodes: u32) -> SearchOptions {
        SearchOptions { replay_nodes, threat_search_nodes: 0, solved_positions: false, ..SearchOptions::default() }
    }

    /// The tree of a search.
    fn search(game: &Game, options: &SearchOptions, simulations: usize, deadline: &Deadline<'_>) -> KeptTree<Puct> {
        let network: &dyn Backend = &*Network::builtin();
        let kept = KeptTree::<Puct>::new(None, game, options, network, |_| true).unwrap();
        let context = Context { tree: &kept.tree, options, network, root: kept.root(game), deadline };
        let mut worker = Puct::worker(context, Xoshiro256PlusPlus::seed_from_u64(1));
        (0..simulations).for_each(|_| worker.simulate());
        drop(worker);
        kept
    }

    /// Games that began with this many random stones.
    fn games(side: usize, stones: usize, count: usize) -> impl Iterator<Item = Game> {
        let geometry = Geometry::with_side(side).unwrap();
        random_positions(geometry, stones, 5).take(count).map(|moves| {
            let mut game = Game::new(geometry);
            moves.into_iter().for_each(|v| assert!(game.play(v).unwrap().is_empty()));
            game
        })
    }

    /// Calls `visit` with each node that is not won and the position for which it stands.
    fn for_each_node(kept: &KeptTree<Puct>, game: &Game, mut visit: impl FnMut(NodeId, &Position, Color)) {
        let mut seen = HashSet::from([kept.root.index()]);
        let mut open = vec![(kept.root, game.clone())];
        while let Some((id, game)) = open.pop() {
            let node = kept.tree.node(id);
            if node.verdict() != Some(Verdict::Win) {
                visit(id, game.position(), game.to_move());
            }
            for (v, next) in node.moves().filter_map(|v| Some((v, node.link(v)?))) {
                let mut game = game.clone();
                if game.play(v).is_ok_and(|_| game.outcome().is_none()) && seen.insert(next.index()) {
                    open.push((next, game));
                }
            }
        }
    }

    /// The refuted moves of a tree.
    fn refuted(kept: &KeptTree<Puct>, id: NodeId) -> impl Iterator<Item = Vertex> {
        let node = kept.tree.node(id);
        node.moves().filter(move |&v| node.move_verdict(v) == Some(Verdict::Loss))
    }

    /// The solver agrees with every refutation that does not come from looking ahead. Many have been made by replays
    /// alone: those moves have no node. A node that replays have proven knows its winning move.
    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn refuted_moves_lose() {
        for pair_threats in [true, false] {
            let options = SearchOptions { pair_threats, ..options(100) };
            let mut replayed = 0;
            for game in games(4, 12, 40) {
                let mut solver = Solver::new(game.geometry(), 16 << 20).unwrap();
                solver.set_root(game.position());
                let mut threats = ThreatSearch::new(game.position());
                let kept = search(&game, &options, 300, Deadline::never());
                for_each_node(&kept, &game, |id, position, color| {
                    threats.look_ahead(position, color, pair_threats);
                    let candidates = threats.candidates().iter().enumerate();
                    let seen = candidates.filter(|&(i, _)| threats.is_refuted(i)).map(|(_, c)| c.vertex);
                    let seen: HashSet<Vertex> = seen.collect();
                    for v in refuted(&kept, id).filter(|v| !seen.contains(v)) {
                        let mut after = position.clone();
                        assert!(after.place(color, v).is_empty());
                        match kept.tree.node(id).link(v).map(|id| kept.tree.node(id)) {
                            Some(next) => assert!(winning_move(next).is_some_and(|v| after.is_empty(v))),
                            None => replayed += 1,
                        }
                        if let Some(solution) = solver.solve(&after, !color, 20_000) {
                            assert!(matches!(solution, Solution::Win(_)), "{game:?} {v:?}");
                        }
                    }
                });
            }
            assert!(replayed > 1000, "{replayed}");
        }
    }

    /// Once the time is up, nothing is replayed.
    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn replays_end_with_the_deadline() {
        let stop = AtomicBool::new(true);
        let passed = Deadline::new(Instant::now(), &Limits::default(), &stop);
        let count = |kept: &KeptTree<Puct>, game: &Game| {
            let mut count = 0;
            for_each_node(kept, game, |id, _, _| count += refuted(kept, id).count());
            count
        };
        let mut differ = 0;
        for game in games(5, 21, 20) {
            let off = count(&search(&game, &options(0), 200, Deadline::never()), &game);
            assert_eq!(count(&search(&game, &options(8), 200, &passed), &game), off);
            differ += (count(&search(&game, &options(8), 200, Deadline::never()), &game) != off) as u32;
        }
        assert!(differ > 5, "{differ}");
    }
}
