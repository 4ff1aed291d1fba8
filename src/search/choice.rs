//! The choice of a move from the tree, and the report of what the search found.

use std::cmp::Reverse;
use std::time::Duration;

use super::node::Node;
use super::report::{MoveReport, Report, Verdict};
use super::tree::Tree;
use crate::board::{Color, Vertex};

/// Nodes that may be examined to find the slowest loss, for a choice that is played or shown as the best line ...
const BEST_LINE_NODES: u32 = 20_000;
/// ... and for the lines of other moves.
const OTHER_LINE_NODES: u32 = 100;

/// How many moves of a report have a line, besides the best.
const LINES: usize = 10;

/// The report of a search whose root is `root`, where `to_move` is to move. `verdict` is the proven result of the root.
pub(crate) fn report(
    tree: &Tree,
    root: Node<'_>,
    to_move: Color,
    verdict: Option<Verdict>,
    simulations: u64,
    elapsed: Duration,
) -> Report {
    let best = best_move(tree, root, BEST_LINE_NODES).expect("a game that is not over has a move");
    let pv = line(tree, root, best, BEST_LINE_NODES);
    let mut moves: Vec<MoveReport> = root.moves().map(|v| move_report(root, v)).collect();
    let mut most_visited: Vec<&mut MoveReport> =
        moves.iter_mut().filter(|m| m.visits > 0 || m.vertex == best).collect();
    most_visited.sort_by_key(|m| (m.vertex != best, Reverse(m.visits)));
    for m in most_visited.into_iter().take(1 + LINES) {
        m.line = if m.vertex == best { pv.clone() } else { line(tree, root, m.vertex, OTHER_LINE_NODES) };
    }
    let estimate = || root.mean(best).or(root.value().map(f64::from)).or(root.rave(best));
    let win_rate = match verdict {
        Some(verdict) => verdict.value(),
        None => estimate().expect("an open root has the network's value or RAVE estimates"),
    };
    Report { to_move, best, win_rate, verdict, pv, simulations, elapsed, moves }
}

fn move_report(root: Node<'_>, v: Vertex) -> MoveReport {
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

/// The best continuation that begins with the move `first` in `node`, as far as the tree has visits or proofs.
fn line(tree: &Tree, node: Node<'_>, first: Vertex, nodes: u32) -> Vec<Vertex> {
    let mut line = vec![first];
    let mut next = node.link(first);
    while let Some(id) = next {
        let node = tree.node(id);
        match best_move(tree, node, nodes) {
            Some(v) if node.total_visits() > 0 || node.verdict().is_some() => {
                line.push(v);
                next = node.link(v);
            }
            _ => break,
        }
    }
    line
}

/// The move to play in a node: a winning one if there is one, else the most visited of those not proven to lose. If all
/// moves lose, the one that loses most slowly, as far as examining at most `nodes` nodes shows.
fn best_move(tree: &Tree, node: Node<'_>, nodes: u32) -> Option<Vertex> {
    let mut nodes = nodes;
    node.moves().max_by_key(|&v| {
        let (rank, length) = match node.move_verdict(v) {
            Some(Verdict::Win) => (3, 0),
            Some(Verdict::Draw) => (1, 0),
            Some(Verdict::Loss) if node.verdict() == Some(Verdict::Loss) => {
                (0, proof_length(tree, node, v, &mut nodes))
            }
            Some(Verdict::Loss) => (0, 0),
            None => (2, 0),
        };
        let estimate = node.rave(v).or(node.mean(v)).map(|x| (x * 1e6) as u64);
        (rank, length, node.is_last_resort(v), node.visits(v), estimate)
    })
}

/// How many stones follow a proven move until the end of the game, as far as the tree shows the proof; positions that
/// were proven by looking ahead count as the end. Examines at most `nodes` nodes.
fn proof_length(tree: &Tree, node: Node<'_>, v: Vertex, nodes: &mut u32) -> u32 {
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
    use crate::board::Geometry;
    use crate::search::Method;
    use crate::search::node::bias;

    /// A node with these moves and biases, and the verdict.
    fn node<'a>(tree: &'a Tree, verdict: Option<Verdict>, moves: &[(Vertex, f32)]) -> Node<'a> {
        let node = tree.node(tree.allocate().unwrap());
        moves.iter().for_each(|&(v, bias)| node.add_move(v, bias));
        verdict.into_iter().for_each(|verdict| node.set_verdict(verdict));
        node
    }

    fn tree(method: Method) -> Tree {
        Tree::new(Geometry::of(3).unwrap(), method, 1 << 20)
    }

    /// Of two losing moves the one that loses later is played, even if the other has more visits.
    #[test]
    fn the_slowest_loss_is_chosen() {
        let tree = tree(Method::Puct);
        let [v, w] = [Vertex(3), Vertex(7)];
        let proven = |verdict, moves: &[(Vertex, f32)]| node(&tree, Some(verdict), moves);
        let root = proven(Verdict::Loss, &[(v, bias::LOST), (w, bias::LOST)]);
        let slow = proven(Verdict::Win, &[(w, bias::WON)]);
        let doomed = proven(Verdict::Loss, &[(Vertex(9), bias::LOST)]);
        doomed.set_link(Vertex(9), proven(Verdict::Win, &[(Vertex(11), bias::WON)]).id());
        slow.set_link(w, doomed.id());
        root.set_link(w, proven(Verdict::Win, &[(v, bias::WON)]).id());
        root.begin_visit(w);
        assert_eq!(best_move(&tree, root, 100), Some(w));
        root.set_link(v, slow.id());
        assert_eq!(best_move(&tree, root, 100), Some(v));
    }

    /// If the best move has no visits, the network or RAVE gives the estimate.
    #[test]
    fn no_win_rate_is_invented() {
        for method in [Method::Puct, Method::Rave] {
            let tree = tree(method);
            let [lost, open] = [Vertex(3), Vertex(7)];
            let root = node(&tree, None, &[(lost, bias::LOST), (open, 0.25)]);
            root.begin_visit(lost);
            let prior = match method {
                Method::Puct => {
                    root.set_value(0.75);
                    Some(0.25)
                }
                Method::Rave => {
                    root.set_rave(open, 4.0, 0.75);
                    None
                }
            };
            let report = report(&tree, root, Color::Black, None, 1, Duration::ZERO);
            assert_eq!((report.best, report.to_move, report.win_rate), (open, Color::Black, 0.75));
            let [first, second] = &report.moves[..] else { panic!("two moves") };
            assert_eq!((first.win_rate, first.prior, first.verdict), (Some(0.0), None, Some(Verdict::Loss)));
            assert_eq!((second.win_rate, second.prior, second.verdict), (None, prior, None));
        }
    }

    #[test]
    fn the_best_and_the_most_visited_moves_have_lines() {
        let tree = tree(Method::Puct);
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
        let report = report(&tree, root, Color::White, None, 1, Duration::ZERO);
        let lines: Vec<Vec<u16>> = report.moves.iter().map(|m| m.line.iter().map(|v| v.0).collect()).collect();
        assert_eq!((&lines[14], &lines[13], &lines[4]), (&vec![14, 1], &vec![13], &vec![4]));
        assert_eq!(report.pv, report.moves[14].line);
        assert!(lines[..4].iter().all(Vec::is_empty), "{lines:?}");
    }
}
