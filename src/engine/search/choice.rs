//! The choice of a move from the tree, and the report of what the search found.

use std::cmp::Reverse;
use std::time::Duration;

use crate::game::{Color, Vertex};

use super::node::{Layout, Node};
use super::report::{MoveReport, SearchReport, Verdict};
use super::tree::Tree;

/// The most nodes to examine for the slowest loss, for the move that is played and the line that is shown as the best.
const BEST_LINE_NODES: u32 = 20_000;
/// The same for the lines of other moves.
const OTHER_LINE_NODES: u32 = 100;

/// How many moves of a report have a line, besides the best.
const LINES: usize = 10;
/// A move can be chosen for its lower confidence bound if it has at least 1 / this of the most visited move's visits.
const MOST_TIMES: u64 = 8;

/// The report of a search whose root is `root`, where `to_move` is to move. `verdict` is the proven result of the root,
/// `confidence` is [`SearchMethod::confidence`](super::method::SearchMethod::confidence).
pub(crate) fn report<L: Layout>(
    tree: &Tree<L>,
    confidence: f32,
    root: L::Node<'_>,
    to_move: Color,
    verdict: Option<Verdict>,
    simulations: u64,
    elapsed: Duration,
) -> SearchReport {
    let chooser = Chooser { tree, confidence: confidence.into() };
    let best = chooser.best_move(root, BEST_LINE_NODES).expect("a game that is not over has a move");
    let pv = chooser.line(root, best, BEST_LINE_NODES);
    let mut moves: Vec<MoveReport> = root.moves().map(|v| move_report(root, v)).collect();
    let mut most_visited: Vec<&mut MoveReport> =
        moves.iter_mut().filter(|m| m.visits > 0 || m.vertex == best).collect();
    most_visited.sort_by_key(|m| (m.vertex != best, Reverse(m.visits)));
    for m in most_visited.into_iter().take(1 + LINES) {
        m.line = if m.vertex == best { pv.clone() } else { chooser.line(root, m.vertex, OTHER_LINE_NODES) };
    }
    let estimate = || root.mean(best).or(root.value().map(f64::from)).or(root.rave(best));
    let win_rate = match verdict {
        Some(verdict) => verdict.value(),
        None => estimate().expect("an open root has the network's value or RAVE estimates"),
    };
    SearchReport { to_move, best, win_rate, verdict, pv, moves_to_win: None, simulations, elapsed, moves }
}

/// The move to play at a root that is not proven, as [`report`] chooses it.
pub(crate) fn best<L: Layout>(tree: &Tree<L>, confidence: f32, root: L::Node<'_>) -> Option<Vertex> {
    Chooser { tree, confidence: confidence.into() }.best_move(root, 0)
}

fn move_report<'a>(root: impl Node<'a>, v: Vertex) -> MoveReport {
    MoveReport {
        vertex: v,
        visits: root.visits(v).into(),
        win_rate: root.mean(v),
        prior: root.prior(v),
        rave: root.rave(v),
        verdict: root.move_verdict(v),
        line: Vec::new(),
    }
}

/// Chooses moves in the nodes of a tree.
struct Chooser<'a, L> {
    tree: &'a Tree<L>,
    confidence: f64,
}

impl<L: Layout> Chooser<'_, L> {
    /// The best continuation that begins with the move `first` in `node`, as far as the tree has visits or proofs.
    fn line(&self, node: L::Node<'_>, first: Vertex, nodes: u32) -> Vec<Vertex> {
        let mut line = vec![first];
        let mut next = node.link(first);
        while let Some(id) = next {
            let node = self.tree.node(id);
            match self.best_move(node, nodes) {
                Some(v) if node.total_visits() > 0 || node.verdict().is_some() => {
                    line.push(v);
                    next = node.link(v);
                }
                _ => break,
            }
        }
        line
    }

    /// The move to play in a node: a winning one if there is one, else the best of those not proven to lose. Of moves
    /// without visits, this is the one that the network favours. A move that is proven to draw is better than one whose
    /// mean is below one half, and if the position is drawn, than all others. If all moves lose, the one that loses most
    /// slowly, as far as examining at most `nodes` nodes shows.
    fn best_move(&self, node: L::Node<'_>, nodes: u32) -> Option<Vertex> {
        let best = self.best_but_for_draws(node, nodes)?;
        let is_open = node.move_verdict(best).is_none();
        if !node.has_draw() || !is_open {
            return Some(best);
        }
        let is_better = node.verdict() != Some(Verdict::Draw) && node.mean(best).is_some_and(|mean| mean >= 0.5);
        let draws = || node.moves().filter(|&v| node.move_verdict(v) == Some(Verdict::Draw));
        if is_better { Some(best) } else { draws().max_by_key(|&v| node.visits(v)).or(Some(best)) }
    }

    /// The same, but with open moves before those that draw.
    fn best_but_for_draws(&self, node: L::Node<'_>, nodes: u32) -> Option<Vertex> {
        let mut nodes = nodes;
        let most = node.open_moves().map(|v| node.visits(v)).max().unwrap_or(0);
        node.moves().max_by_key(|&v| {
            let (rank, length) = match node.move_verdict(v) {
                Some(Verdict::Win) => (3, 0),
                Some(Verdict::Draw) => (1, 0),
                Some(Verdict::Loss) if node.verdict() == Some(Verdict::Loss) => {
                    (0, proof_length(self.tree, node, v, &mut nodes))
                }
                Some(Verdict::Loss) => (0, 0),
                None => (2, 0),
            };
            let estimate = node.rave(v).or(node.mean(v)).or(node.prior(v)).map(millionths);
            (rank, length, node.is_last_resort(v), self.preference(node, v, most), node.visits(v), estimate)
        })
    }

    /// The preference for an open move: its lower confidence bound, if its visits are enough beside `most`, those of
    /// the most visited move. `None` for every move if the most visited is to be chosen.
    fn preference(&self, node: L::Node<'_>, v: Vertex, most: u32) -> Option<i64> {
        let visits = node.visits(v);
        let is_open = self.confidence > 0.0 && node.move_verdict(v).is_none();
        let has_enough = u64::from(visits) * MOST_TIMES >= most.into();
        let mean = node.mean(v).filter(|_| is_open && has_enough)?;
        Some(millionths(mean - self.confidence / f64::from(visits).sqrt()))
    }
}

/// A number in millionths: integers can be ordered.
fn millionths(x: f64) -> i64 {
    (x * 1e6) as i64
}

/// How many stones follow a proven move until the end of the game, as far as the tree shows the proof; positions that
/// were proven by looking ahead, and moves that a replay refuted, count as the end. Examines at most `nodes` nodes.
fn proof_length<L: Layout>(tree: &Tree<L>, node: L::Node<'_>, v: Vertex, nodes: &mut u32) -> u32 {
    let Some(id) = node.link(v).filter(|_| *nodes > 0) else { return 0 };
    *nodes -= 1;
    let next = tree.node(id);
    let Some(proof @ (Verdict::Win | Verdict::Loss)) = next.verdict() else { return 0 };
    let moves = next.moves().filter(|&w| next.move_verdict(w) == Some(proof));
    1 + moves.map(|w| proof_length(tree, next, w, nodes)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search::node::mark;
    use crate::engine::search::puct::{Puct, PuctNode};
    use crate::engine::search::rave::Rave;
    use crate::game::Geometry;

    /// A node with these moves and marks, and the verdict.
    fn node<'a, L: Layout>(tree: &'a Tree<L>, verdict: Option<Verdict>, moves: &[(Vertex, f32)]) -> L::Node<'a> {
        let node = tree.node(tree.allocate_whole().unwrap());
        moves.iter().for_each(|&(v, mark)| node.add_move(v, mark));
        if let Some(verdict) = verdict {
            node.set_verdict(verdict);
        }
        node
    }

    fn tree<L: Layout>() -> Tree<L> {
        Tree::new(Geometry::with_side(3).unwrap(), false, 1 << 20)
    }

    /// Of two losing moves the one that loses later is played, even if the other has more visits.
    #[test]
    fn the_slowest_loss_is_chosen() {
        let tree = tree::<Puct>();
        let [v, w] = [Vertex(3), Vertex(7)];
        let proven = |verdict, moves: &[(Vertex, f32)]| node(&tree, Some(verdict), moves);
        let root = proven(Verdict::Loss, &[(v, mark::LOST), (w, mark::LOST)]);
        let slow = proven(Verdict::Win, &[(w, mark::WON)]);
        let doomed = proven(Verdict::Loss, &[(Vertex(9), mark::LOST)]);
        doomed.set_link(Vertex(9), proven(Verdict::Win, &[(Vertex(11), mark::WON)]).id());
        slow.set_link(w, doomed.id());
        root.set_link(w, proven(Verdict::Win, &[(v, mark::WON)]).id());
        root.begin_visit(w);
        let chooser = Chooser { tree: &tree, confidence: 0.5 };
        assert_eq!(chooser.best_move(root, 100), Some(w));
        root.set_link(v, slow.id());
        assert_eq!(chooser.best_move(root, 100), Some(v));
    }

    /// Visits with these results, in \[0, 1\].
    fn visit(node: PuctNode<'_>, v: Vertex, count: u32, mean: f32) {
        for _ in 0..count {
            node.begin_visit(v);
            node.end_visit(v, mean);
        }
    }

    #[test]
    fn a_better_move_with_fewer_visits_is_chosen_if_they_are_enough() {
        let tree = tree::<Puct>();
        let [most, better, few, lost] = [3, 7, 9, 12].map(Vertex);
        let root = node(&tree, None, &[(most, 0.5), (better, 0.2), (few, 0.1), (lost, mark::LOST)]);
        visit(root, most, 100, 0.5);
        visit(root, better, 40, 0.6);
        visit(root, few, 12, 0.9);
        visit(root, lost, 90, 0.9);
        let choice = |confidence| Chooser { tree: &tree, confidence }.best_move(root, 100);
        assert_eq!(choice(0.0), Some(most));
        assert_eq!(choice(0.5), Some(better));
        // The bounds are 0.5 - 3 / 10 and 0.6 - 3 / 6.3.
        assert_eq!(choice(3.0), Some(most));
        visit(root, few, 1, 0.9);
        assert_eq!(choice(0.5), Some(few));
    }

    /// It is worth one half for certain: more than a move with a lower mean, whatever its visits.
    #[test]
    fn a_drawn_move_is_chosen_over_those_that_are_worth_less() {
        fn check<L: Layout>(visit: impl Fn(L::Node<'_>, Vertex, u32, bool)) {
            let tree = tree::<L>();
            let [drawn, open, unvisited, lost] = [3, 7, 9, 12].map(Vertex);
            let root = node(&tree, None, &[(drawn, 0.2), (open, 0.5), (unvisited, 0.3), (lost, mark::LOST)]);
            root.prove_move(drawn, Verdict::Draw);
            let choice = || best(&tree, 1.0, root);
            assert_eq!(choice(), Some(drawn));
            visit(root, open, 1000, false);
            assert_eq!(choice(), Some(drawn));
            let report = report(&tree, 1.0, root, Color::White, None, 1, Duration::ZERO);
            assert_eq!((report.best, report.win_rate), (drawn, 0.5));
            visit(root, open, 2000, true);
            assert_eq!(choice(), Some(open));
            // Once the position is known to be drawn, that move may lose.
            root.set_verdict(Verdict::Draw);
            assert_eq!(choice(), Some(drawn));
        }
        check::<Puct>(|node, v, count, wins| visit(node, v, count, f32::from(u8::from(wins))));
        check::<Rave>(|node, v, count, wins| {
            for _ in 0..count {
                node.begin_visit(v);
                node.statistics().end_visit(v, 2 * u32::from(wins));
            }
        });
    }

    /// Where all moves with visits were refuted, the network chooses.
    #[test]
    fn among_moves_without_visits_the_most_likely_is_chosen() {
        let tree = tree::<Puct>();
        let [lost, likely, unlikely] = [3, 7, 9].map(Vertex);
        let root = node(&tree, None, &[(lost, mark::LOST), (likely, 0.2), (unlikely, 0.1)]);
        root.set_value(0.5);
        visit(root, lost, 90, 0.9);
        assert_eq!(best(&tree, 1.0, root), Some(likely));
        visit(root, unlikely, 1, 0.4);
        assert_eq!(best(&tree, 1.0, root), Some(unlikely));
    }

    /// If the best move has no visits, the network or RAVE gives the estimate.
    #[test]
    fn no_win_rate_is_invented() {
        fn check<L: Layout>(prior: Option<f64>, set_estimate: impl Fn(L::Node<'_>, Vertex)) {
            let tree = tree::<L>();
            let [lost, open] = [Vertex(3), Vertex(7)];
            let root = node(&tree, None, &[(lost, mark::LOST), (open, 0.25)]);
            root.begin_visit(lost);
            set_estimate(root, open);
            let report = report(&tree, 0.5, root, Color::Black, None, 1, Duration::ZERO);
            assert_eq!((report.best, report.to_move, report.win_rate), (open, Color::Black, 0.75));
            let [first, second] = &report.moves[..] else { panic!("two moves") };
            assert_eq!((first.win_rate, first.prior, first.verdict), (Some(0.0), None, Some(Verdict::Loss)));
            assert_eq!((second.win_rate, second.prior, second.verdict), (None, prior, None));
        }
        check::<Puct>(Some(0.25), |root, _| root.set_value(0.75));
        check::<Rave>(None, |root, open| root.set_rave(open, 4.0, 0.75));
    }

    #[test]
    fn the_best_and_the_most_visited_moves_have_lines() {
        let tree = tree::<Puct>();
        let moves: Vec<(Vertex, f32)> = (0..15).map(|i| (Vertex(i), 0.05)).collect();
        let root = node(&tree, None, &moves);
        root.set_value(0.5);
        for (v, _) in &moves {
            (0..v.0).for_each(|_| _ = root.begin_visit(*v));
        }
        let reply = node(&tree, None, &[(Vertex(0), 0.5), (Vertex(1), 0.5)]);
        reply.begin_visit(Vertex(1));
        root.set_link(Vertex(14), reply.id());
        root.set_link(Vertex(13), node(&tree, None, &[(Vertex(0), 1.0)]).id());
        let report = report(&tree, 0.5, root, Color::White, None, 1, Duration::ZERO);
        let lines: Vec<Vec<u16>> = report.moves.iter().map(|m| m.line.iter().map(|v| v.0).collect()).collect();
        assert_eq!((&lines[14], &lines[13], &lines[4]), (&vec![14, 1], &vec![13], &vec![4]));
        assert_eq!(report.pv, report.moves[14].line);
        assert!(lines[..4].iter().all(Vec::is_empty), "{lines:?}");
    }
}
