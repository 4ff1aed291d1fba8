//! The solver at work beside the search on small boards. It examines the root first. Then, in turn with the
//! simulations, it examines the root and positions along the search's favourite line. What it proves is recorded in the
//! tree.

use crate::engine::solver::{Solution, Solver};
use crate::game::{Position, Vertex};

use super::limits::Deadline;
use super::method::Context;
use super::node::{Layout, Node};
use super::report::Verdict;
use super::root::SearchRoot;
use super::tree::{Step, Tree};

/// Positions that the solver examines at a time.
const SLICE: u64 = 400;

/// Positions that it examines before the first simulation. Nearly every position after moves of the built-in table that
/// is not in the table needs fewer: see `malecon solve table`.
const FIRST: u64 = 8000;

/// Shares out the work of a solver during one search.
pub(crate) struct InterleavedSolver<'a, L> {
    tree: &'a Tree<L>,
    root: SearchRoot<'a>,
    solver: &'a mut Solver,
    deadline: &'a Deadline<'a>,
    /// Positions to examine per simulation.
    rate: f64,
    /// Positions due by now.
    due: f64,
    slices: u32,
    position: Position,
    path: Vec<Step>,
    root_verdict: Option<Verdict>,
}

impl<'a, L: Layout> InterleavedSolver<'a, L> {
    /// A solver beside a search.
    pub fn new(context: Context<'a, L>, solver: &'a mut Solver) -> InterleavedSolver<'a, L> {
        let Context { tree, options, root, deadline, .. } = context;
        InterleavedSolver {
            tree,
            root,
            solver,
            deadline,
            rate: options.solver_nodes_per_simulation(root.position.geometry().side()),
            due: 0.0,
            slices: 0,
            position: root.position.clone(),
            path: Vec::new(),
            root_verdict: None,
        }
    }

    /// The proven result of the root if it is a loss or a draw. (A win is recorded in the tree, with its move.)
    pub fn root_verdict(&self) -> Option<Verdict> {
        self.root_verdict
    }

    /// Examines the root before the first simulation. If it is drawn, looks for a move that keeps the draw.
    pub fn begin(&mut self) {
        let root = self.tree.node(self.root.node);
        if root.verdict().is_some() {
            return;
        }
        self.examine(0, FIRST);
        let mut open = usize::MAX;
        while self.root_verdict == Some(Verdict::Draw) && root.verdict().is_none() && root.open_moves().count() < open {
            open = root.open_moves().count();
            self.examine(1, FIRST);
        }
    }

    /// Does the work that is due after this many further simulations, until the deadline passes.
    pub fn work(&mut self, simulations: u64) {
        self.due += self.rate * simulations as f64;
        let root = self.tree.node(self.root.node);
        let deadline = self.deadline;
        while self.due >= SLICE as f64 && root.verdict().is_none() && !deadline.has_passed() {
            self.due -= SLICE as f64;
            self.slices = self.slices.wrapping_add(1);
            // Depth d gets one slice in 2^(d+1). If the root looks lost, the favourite move gets all but an eighth of
            // the slices until it is refuted.
            let depth = self.slices.trailing_zeros();
            self.examine(if self.looks_lost() { 1 + depth.saturating_sub(2) } else { depth }, SLICE);
        }
    }

    /// Whether the root cannot be won or does not seem to be. Its moves are then refuted one by one.
    fn looks_lost(&self) -> bool {
        let root = self.tree.node(self.root.node);
        self.root_verdict.is_some() || favourite(root).and_then(|v| root.mean(v)).is_some_and(|mean| mean < 0.5)
    }

    /// Examines the position `depth` moves down the favourite line, or the first one there that has no node: at most
    /// `nodes` positions after it.
    fn examine(&mut self, depth: u32, nodes: u64) {
        self.path.clear();
        self.position.copy_from(self.root.position);
        let mut node = Some(self.root.node);
        let mut color = self.root.color;
        for _ in 0..depth {
            let Some(id) = node else { break };
            let Some(vertex) = favourite(self.tree.node(id)) else { break };
            self.path.push(Step { node: id, vertex });
            if !self.position.place(color, vertex).is_empty() {
                return self.tree.prove(&self.path, Verdict::Win);
            }
            (node, color) = (self.tree.node(id).link(vertex), !color);
        }
        let Some(solution) = self.solver.solve_until(&self.position, color, nodes, self.deadline.end()) else { return };
        let verdict = match solution {
            Solution::Win(_) => Verdict::Win,
            Solution::Loss => Verdict::Loss,
            Solution::Draw => Verdict::Draw,
        };
        match (solution, node) {
            // The tree needs the winning move of a won position.
            (Solution::Win(vertex), Some(id)) => {
                self.path.push(Step { node: id, vertex });
                self.tree.prove(&self.path, Verdict::Win);
            }
            (_, Some(id)) if id == self.root.node => self.root_verdict = Some(verdict),
            (_, next) => {
                // The node of a drawn position stays open: it is not known which of its moves draw.
                if let (Some(id), Verdict::Loss) = (next, verdict) {
                    self.tree.node(id).set_verdict(verdict);
                }
                self.tree.prove(&self.path, verdict.of_opponent());
                // A draw is settled with a move that keeps it.
                let root = self.tree.node(self.root.node);
                if self.root_verdict == Some(Verdict::Draw) && root.has_draw() {
                    root.set_verdict(Verdict::Draw);
                }
            }
        }
    }
}

/// The most visited move without a proof.
fn favourite<'a>(node: impl Node<'a>) -> Option<Vertex> {
    node.open_moves().max_by_key(|&v| node.visits(v))
}
