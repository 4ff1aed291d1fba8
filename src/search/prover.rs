//! The solver at work beside the search: on small boards it is asked about the positions at the root and along the line
//! that the search likes best, in turn with the simulations, and what it proves is booked in the tree.
//!
//! Against Morat on side 4 at 1 s a move, together with [`super::swindle`]: 58 % with 16 positions a playout (60 games; all 30
//! as first player after the opening are won), which take somewhat more than half of the time. With a search guided by simulations:
//! 57 % with 2 positions a simulation (180 games), which take two thirds, 50 % with 0.6 and without (60 games each); in self-play
//! at 0.2 s, in Elo ± one standard error, -35 ± 39 with 2 (60 games), +17 ± 24 with 0.6 (80 games).

use super::options::Options;
use super::report::Verdict;
use super::tree::{Node, Step, Tree};
use super::worker::Root;
use crate::board::{Position, Vertex};
use crate::solver::{Solution, Solver};

/// Positions that the solver looks at in one go.
const SLICE: u64 = 400;

/// Shares out the work of a solver during one search.
pub(crate) struct Prover<'a> {
    tree: &'a Tree,
    root: Root<'a>,
    solver: &'a mut Solver,
    /// Positions for each simulation, and how many are due.
    rate: f64,
    due: f64,
    slices: u32,
    position: Position,
    path: Vec<Step>,
    /// What the solver says of the root, where no winning move makes that known to the tree.
    hopeless: Option<Verdict>,
}

impl<'a> Prover<'a> {
    /// A prover for a search of the position at `root`.
    pub fn new(tree: &'a Tree, options: &Options, root: Root<'a>, solver: &'a mut Solver) -> Prover<'a> {
        let rate = options.solver_nodes_per_simulation(root.position.geometry().side());
        let position = root.position.clone();
        Prover { tree, root, solver, rate, due: 0.0, slices: 0, position, path: Vec::new(), hopeless: None }
    }

    /// What the position at the root is proven to be, if it cannot be won.
    pub fn hopeless(&self) -> Option<Verdict> {
        self.hopeless
    }

    /// Does what is due after so many further simulations.
    pub fn follow(&mut self, simulations: u64) {
        self.due += self.rate * simulations as f64;
        while self.due >= SLICE as f64 && self.tree.node(self.root.node).verdict().is_none() {
            self.due -= SLICE as f64;
            self.slices = self.slices.wrapping_add(1);
            let turn = self.slices.trailing_zeros();
            // All but an eighth goes to the favourite move of a root that looks lost, until it is refuted.
            self.work(if self.looks_lost() { 1 + turn.saturating_sub(2) } else { turn });
        }
    }

    /// Whether the root cannot be won or does not seem so: its moves are then refuted one by one.
    fn looks_lost(&self) -> bool {
        let root = self.tree.node(self.root.node);
        self.hopeless.is_some() || favourite(root).and_then(|v| root.mean(v)).is_some_and(|mean| mean < 0.5)
    }

    /// Works on the position that is so many moves down the line that the search likes best, or on the first one that the
    /// tree does not have.
    fn work(&mut self, depth: u32) {
        self.path.clear();
        self.position.copy_from(self.root.position);
        let (mut node, mut color) = (Some(self.root.node), self.root.color);
        for _ in 0..depth {
            let Some(id) = node else { break };
            let Some(vertex) = favourite(self.tree.node(id)) else { break };
            self.path.push(Step { node: id, vertex });
            if !self.position.place(color, vertex).is_empty() {
                return self.tree.prove(&self.path, Verdict::Win);
            }
            (node, color) = (self.tree.node(id).link(vertex), !color);
        }
        let Some(solution) = self.solver.solve(&self.position, color, SLICE) else { return };
        let verdict = match solution {
            Solution::Win(_) => Verdict::Win,
            Solution::Loss => Verdict::Loss,
            Solution::Draw => Verdict::Draw,
        };
        match (solution, node) {
            // A position that is won needs its winning move in the tree.
            (Solution::Win(vertex), Some(id)) => {
                self.path.push(Step { node: id, vertex });
                self.tree.prove(&self.path, Verdict::Win);
            }
            (_, Some(id)) if id == self.root.node => self.hopeless = Some(verdict),
            (_, next) => {
                // A drawn one stays open: which of its moves draw is not known.
                if let (Some(id), Verdict::Loss) = (next, verdict) {
                    self.tree.node(id).set_verdict(verdict);
                }
                self.tree.prove(&self.path, verdict.of_opponent());
            }
        }
    }
}

/// The move with the most simulations among those of which nothing is proven.
fn favourite(node: Node<'_>) -> Option<Vertex> {
    node.moves().filter(|&v| node.move_verdict(v).is_none()).max_by_key(|&v| node.visits(v))
}
