//! Depth-first proof-number search (df-pn; Nagai, *Df-pn algorithm for searching AND/OR trees and its applications*,
//! 2002).
//!
//! The search asks whether the *attacker* can win. The other player, the *defender*, is content with a draw. Each
//! position has two [`ProofNumbers`], φ and δ: estimates of how many positions must be settled to prove it won or lost
//! for the player to move. Players alternate, so a child's φ is about the opponent:
//!
//! * φ of a position is the least δ of a child, because one winning move is enough;
//! * δ of a position is the sum of its children's φ, because each move must be refuted.
//!
//! Proof-number search always expands the *most proving* leaf, which the child with the least δ leads to at every
//! position. Df-pn finds the same leaves without returning to the root each time: it stays below a child until the
//! child's numbers show that the most proving leaf is elsewhere. These limits are its [`thresholds`](thresholds_of).
//!
//! Stones are never removed, so positions do not repeat, and the results do not depend on the moves that led to a
//! position. (Where they do, as in Go, df-pn needs more: Kishimoto & Müller, *A general solution to the graph history
//! interaction problem*, 2004.) A position that several moves lead to is counted once for each in δ, which costs time
//! but no correctness.
//!
//! The module `expand` finds the moves to search.

use std::cmp::Ordering;

use crate::game::Color;

use super::bitboard::{MAX_CELLS, Prospects, Word};
use super::children::{Child, Choice, unweighted};
use super::guide::{self, Guide};
use super::history::History;
use super::patterns::{Pattern, Patterns, Sequence};
use super::shared::{Shared, State};
use super::table::{INFINITE, ProofNumbers};
use super::team::Team;

/// Positions visited between two looks at the clock, at the stop flag, and at what other threads do.
const LOOK_INTERVAL: u64 = 64;

/// The penalty of a child from which a thread came back without a result. It doubles each time, up to a limit.
const LEAST_PENALTY: u32 = 4;
const MAX_PENALTY: u32 = INFINITE / 4;

/// What a thread has for itself and keeps from one search to the next. It has cache lines of its own: what a thread
/// writes all the time must not share one with what another needs.
#[repr(align(128))]
pub(super) struct ThreadState<W> {
    /// The number of positions that may still be visited, before more are taken from the team.
    pub left: u64,
    /// The number of positions visited since the search was made.
    pub visited: u64,
    /// The children of all positions on the path from the root to the present one, as a stack.
    pub children: Vec<Child>,
    /// The keys of the positions on that path.
    pub path: Vec<u64>,
    /// The depth of a position on the path that another thread has proven, if there is one. Searching below it is
    /// useless.
    pub proven_depth: Option<usize>,
    /// The cell of the winning move in the position that was proven last.
    pub winning: usize,
    pub history: History,
    /// For each player, the sequences of threats that have won lately.
    pub patterns: [Patterns<W>; 2],
    /// How the position that was settled last was won, if that was by a sequence of threats.
    pub line: Option<Line>,
    /// A network that says which moves to search first, if there is one.
    pub guide: Option<Guide>,
    /// What moves would threaten in the positions on the path. For the position at depth *d*, entry *d* is about the
    /// player to move and entry *d* + 1 about the opponent. The opponent's entry stays valid after each move of the
    /// player, because the opponent's stones do not change.
    pub prospects: Vec<Prospects<W>>,
}

/// No cell of any board.
pub(super) const NO_CELL: usize = usize::MAX;

/// The search of one thread.
pub(super) struct Thread<'a, W> {
    pub shared: &'a Shared<W>,
    pub own: &'a mut ThreadState<W>,
    /// What the threads tell each other, if there are several.
    pub team: Option<&'a Team>,
}

/// The sequence of threats that won the position settled last.
#[derive(Clone, Copy)]
pub(super) enum Line {
    /// The player to move won with it.
    Won(Sequence),
    /// The player to move lost: its only move was this reply, and the opponent won with the sequence.
    Lost(Sequence, usize),
}

impl<W: Word> ThreadState<W> {
    pub fn new() -> ThreadState<W> {
        ThreadState {
            left: 0,
            visited: 0,
            children: Vec::new(),
            path: Vec::new(),
            proven_depth: None,
            winning: NO_CELL,
            history: History::new(),
            patterns: [Patterns::new(), Patterns::new()],
            line: None,
            guide: None,
            prospects: (0..MAX_CELLS + 2).map(|_| Prospects::new()).collect(),
        }
    }

    /// The number of moves between the root and the present position.
    pub fn depth(&self) -> usize {
        self.path.len()
    }
}

impl<W: Word> Thread<'_, W> {
    /// Searches from the root until it is proven or no more positions may be visited. Returns the root's proof numbers.
    /// If its φ is 0, the second number is the cell of a move after which the opponent's δ is 0, or [`NO_CELL`] if each
    /// move is one because the attacker has no room for a structure.
    pub fn search_root(&mut self, root: &State<W>, player: usize) -> (ProofNumbers, usize) {
        let _member = self.team.map(Team::member);
        // A search that has panicked leaves its path behind.
        self.own.path.clear();
        self.own.children.clear();
        self.own.proven_depth = None;
        self.own.winning = NO_CELL;
        self.own.prospects[0].is_valid = false;
        let numbers = self.search(root, player, ProofNumbers { phi: INFINITE, delta: INFINITE }, u32::MAX);
        let winning = self.own.winning;
        if let Some(team) = self.team
            && numbers.is_proven()
        {
            team.finish(numbers, winning);
        }
        (numbers, winning)
    }

    /// Searches a position with `player` to move until one of its proof numbers reaches its threshold, or no more
    /// positions may be visited. Returns its proof numbers. `effort` is the number of positions that were visited below
    /// it before.
    fn search(&mut self, state: &State<W>, player: usize, thresholds: ProofNumbers, effort: u32) -> ProofNumbers {
        self.own.left = self.own.left.saturating_sub(1);
        self.own.visited += 1;
        if self.own.left.is_multiple_of(LOOK_INTERVAL) {
            self.look_around();
        }
        // The result goes into this bucket. Loading it takes about half as long as the work on this position.
        self.shared.table.prefetch_bucket(state.keys.least);
        let first = self.own.children.len();
        self.own.line = None;
        let numbers = match self.expand(state, player) {
            Some(numbers) => numbers,
            None => {
                let numbers = self.explore(state, player, thresholds, effort, first);
                if !numbers.is_proven() {
                    self.own.line = None;
                }
                numbers
            }
        };
        self.own.children.truncate(first);
        numbers
    }

    /// Ends the search if the time is up, if it was stopped, or if another thread has settled the root. Takes more
    /// positions from the team if none are left. Also checks whether another thread has proven a position on the path.
    fn look_around(&mut self) {
        if self.shared.must_end() || self.team.is_some_and(Team::is_done) {
            self.own.left = 0;
        } else if self.own.left == 0
            && let Some(team) = self.team
        {
            self.own.left = team.take();
        }
        if self.team.is_some() {
            let is_proven = |&key: &u64| self.shared.table.get(key).is_some_and(ProofNumbers::is_proven);
            self.own.proven_depth = self.own.path.iter().position(is_proven).map(|i| i + 1);
        }
    }

    /// Searches the children of a position, starting at index `first`, until one of the position's proof numbers
    /// reaches its threshold. Returns the position's proof numbers. `effort` is as in [`Thread::search`].
    fn explore(
        &mut self,
        state: &State<W>,
        player: usize,
        thresholds: ProofNumbers,
        effort: u32,
        first: usize,
    ) -> ProofNumbers {
        let mut lacks_advice = self.own.guide.is_some() && self.own.children.len() > first + 1;
        let begun = self.own.visited;
        let mut searched = None;
        loop {
            if lacks_advice && u64::from(effort) + self.own.visited - begun >= guide::LEAST_EFFORT {
                self.take_advice(state, player, first);
                lacks_advice = false;
            }
            let choice = self.choose(first);
            let child = self.own.children[choice.best];
            let numbers = match choice.least {
                // The opponent is lost after this move.
                0 => self.won_by(player, child.cell(), child.numbers),
                // Every move is refuted. The position is a draw if one of the moves leads to a draw.
                INFINITE.. => {
                    let deltas = self.own.children[first..].iter().map(|child| child.numbers.delta);
                    ProofNumbers { phi: deltas.max().unwrap_or(INFINITE), delta: 0 }
                }
                least => ProofNumbers { phi: least, delta: choice.sum },
            };
            if numbers.is_proven() {
                let last = searched.filter(|&last| last == choice.best);
                self.own.line = last.and_then(|last| self.line_of(state, player, numbers, last, first));
            }
            // The rank of the best child is greater than φ if other threads work there. If it has reached the
            // threshold, this thread is of more use elsewhere.
            let is_enough = numbers.phi.max(choice.rank) >= thresholds.phi || numbers.delta >= thresholds.delta;
            if is_enough || self.own.left == 0 {
                return numbers;
            }
            if let Some(proven_depth) = self.own.proven_depth
                && let Some(numbers) = self.give_up(proven_depth, numbers)
            {
                self.own.line = None;
                return numbers;
            }
            let next_thresholds = thresholds_of(&child, &choice, numbers, thresholds);
            let after = self.shared.after(state, player, child.cell(), child.key);
            self.own.path.push(child.key);
            match self.team {
                None => self.search_alone(&after, 1 - player, next_thresholds, choice.best),
                Some(team) => self.search_in_team(team, &after, 1 - player, next_thresholds, first, choice.best),
            }
            self.own.path.pop();
            searched = Some(choice.best);
        }
    }

    /// Chooses the child to search next, starting at index `first`.
    fn choose(&self, first: usize) -> Choice {
        let children = &self.own.children[first..];
        let Some(team) = self.team else {
            let choice = Choice::new(children, Child::cost);
            return Choice { best: first + choice.best, ..choice };
        };
        let choice = Choice::new(children, |child| match child.cost() {
            cost @ (0 | INFINITE..) => cost,
            cost => (cost + child.penalty + team.detour(child.key, cost)).min(INFINITE - 1),
        });
        let least = children.iter().map(Child::cost).min().unwrap_or(INFINITE);
        Choice { best: first + choice.best, least, ..choice }
    }

    /// Searches the child with the index `best`, and stores what was found.
    #[inline(always)]
    fn search_alone(&mut self, after: &State<W>, player: usize, thresholds: ProofNumbers, best: usize) {
        let effort = self.own.children[best].effort;
        let visited = self.own.visited;
        let found = self.search(after, player, thresholds, effort);
        let effort = self.own.visited - visited;
        self.shared.table.put(after.keys.least, found, effort);
        self.own.children[best].take(found, effort);
    }

    /// Like [`Thread::search_alone`], but beside other threads. `first` is the index of the position's first child.
    fn search_in_team(
        &mut self,
        team: &Team,
        after: &State<W>,
        player: usize,
        thresholds: ProofNumbers,
        first: usize,
        best: usize,
    ) {
        let key = after.keys.least;
        let visited = self.own.visited;
        let effort = self.own.children[best].effort;
        team.enter(key);
        let mut found = self.search(after, player, thresholds, effort);
        team.leave(key);
        let table = &self.shared.table;
        let effort = self.own.visited - visited;
        match table.get(key) {
            Some(proven) if proven.is_proven() => found = proven,
            _ => table.put(key, found, effort),
        }
        let child = &mut self.own.children[best];
        if found == child.numbers {
            // Other threads are busy with everything below that is worth searching.
            child.penalty = (2 * child.penalty + LEAST_PENALTY).min(MAX_PENALTY);
        }
        child.take(found, effort);
        if effort >= LOOK_INTERVAL {
            self.update_children(first);
        }
    }

    /// Reads from the table what other threads have found about the children of a position.
    fn update_children(&mut self, first: usize) {
        for child in &mut self.own.children[first..] {
            if !child.numbers.is_proven()
                && let Some(numbers) = self.shared.table.get(child.key)
            {
                child.numbers = numbers;
            }
        }
    }

    /// Sets the weights of the children of a position, starting at index `first`, as the network advises.
    fn take_advice(&mut self, state: &State<W>, player: usize, first: usize) {
        let ThreadState { guide: Some(guide), children, .. } = &mut *self.own else { return };
        let children = &mut children[first..];
        let weights = self.shared.advice.get(state.keys.own()).unwrap_or_else(|| {
            let moves = children.iter().map(|child| (child.cell(), self.shared.board.vertex(child.cell())));
            let weights = guide.ask(&self.shared.position(state), Color::ALL[player], moves);
            self.shared.advice.put(state.keys.own(), weights);
            weights
        });
        for child in children {
            child.weight = weights[child.cell()];
        }
    }

    /// What a search returns after another thread has proven the position at depth `proven_depth` of the path: the
    /// proven numbers if that is the search's own position, and those found so far if it is an earlier one. `None` if
    /// the search must continue, because the position lies deeper, or because the table has lost the proof.
    fn give_up(&mut self, proven_depth: usize, numbers: ProofNumbers) -> Option<ProofNumbers> {
        match self.own.depth().cmp(&proven_depth) {
            Ordering::Less => None,
            Ordering::Equal => {
                self.own.proven_depth = None;
                self.shared.table.get(*self.own.path.last()?).filter(|numbers| numbers.is_proven())
            }
            Ordering::Greater => Some(numbers),
        }
    }

    /// The proof numbers of a position that a player wins with a move on `cell`; `next` are the numbers after the move.
    pub fn won_by(&mut self, player: usize, cell: usize, next: ProofNumbers) -> ProofNumbers {
        self.own.winning = cell;
        self.own.history.record_win(player, self.own.depth(), cell);
        ProofNumbers { phi: 0, delta: next.phi }
    }

    /// The sequence of threats that settled a position, if there is one. `last` is the index of the child that was
    /// searched last and settled it, `first` that of its first child. A new sequence is remembered as a pattern.
    fn line_of(
        &mut self,
        state: &State<W>,
        player: usize,
        numbers: ProofNumbers,
        last: usize,
        first: usize,
    ) -> Option<Line> {
        let cell = self.own.children[last].cell();
        match self.own.line.take()? {
            Line::Won(sequence) if numbers.delta == 0 && self.own.children.len() == first + 1 => {
                let empty = self.shared.board.vertices & !state.stones[0].all & !state.stones[1].all;
                let is_forced = !state.stones[1 - player].completing(empty).is_zero();
                is_forced.then_some(Line::Lost(sequence, cell))
            }
            Line::Lost(sequence, reply) if numbers.phi == 0 => {
                let sequence = sequence.after(cell, reply)?;
                let pattern = Pattern::new(&self.shared.board, sequence, state.stones[player].all)?;
                self.own.patterns[player].add(pattern);
                Some(Line::Won(sequence))
            }
            _ => None,
        }
    }
}

/// The thresholds of the `child` that was chosen, in a position with these proof numbers and thresholds. The search of
/// the child ends when one of them is reached:
///
/// * The child's φ is a part of the position's δ, the sum. It may grow by as much as δ may.
/// * The child's δ, times its weight, is the position's φ, the minimum. It may grow to the threshold of φ. It may
///   exceed the cost of the second child before, which then becomes the best. With so tight a limit, the search would
///   jump between the two all the time, and search again below each what the table has lost. So it stays until the
///   second costs less than half as much (the 1 + ε trick with ε = 1: Pawlewicz & Lew, *Improving depth-first
///   PN-search: 1 + ε trick*, 2006).
///
/// No threshold is greater than [`INFINITE`], so nothing overflows. If there is no second child, its cost is
/// infinite, and only the threshold of φ counts.
#[inline(always)]
fn thresholds_of(child: &Child, choice: &Choice, numbers: ProofNumbers, thresholds: ProofNumbers) -> ProofNumbers {
    let second_with_margin = 2 * choice.second.min(INFINITE) + 1;
    ProofNumbers {
        phi: thresholds.delta - numbers.delta + child.numbers.phi,
        delta: unweighted(thresholds.phi.min(second_with_margin), child.weight),
    }
}
