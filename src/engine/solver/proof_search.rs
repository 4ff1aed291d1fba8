//! A proof search: runs df-pn from a root, with one thread or several, and grows the table as it fills.

use std::panic::resume_unwind;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::sync::{StopFlag, start_scoped_thread};
use crate::base::time::Instant;
use crate::game::{Color, Geometry, Position, Vertex};
use crate::network::Backend;

use super::bitboard::Word;
use super::dfpn::{NO_CELL, Thread, ThreadState};
use super::error::SolverError;
use super::guide::Guide;
use super::history::History;
use super::patterns::Patterns;
use super::shared::{Shared, State};
use super::table::{INFINITE_BY_DRAW, ProofNumbers, TranspositionTable};
use super::team::{LEAST_TAKEN, Team};

/// Positions that a thread of the solver visits between two looks at a budget or reports of progress.
pub(super) const SLICE_NODES: u64 = 1 << 13;
/// Each of several threads looks less often, because they return to the root each time.
const SLICE_NODES_IN_TEAM: u64 = 1 << 16;

/// With fewer positions to visit, one thread works alone, because starting the others would take longer.
const LEAST_TEAM_NODES: u64 = 1 << 14;

/// The proven result of a position, for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solution {
    /// The player to move wins, with this move.
    Win(Vertex),
    /// The opponent wins.
    Loss,
    /// Neither player can win.
    Draw,
}

/// Whether one of the players, who is asked about, wins a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The player to move, who is asked about, wins with this move.
    Win(Vertex),
    /// The opponent wins.
    Loss,
    /// The player who is asked about does not win. If that is the player to move, it remains open whether the other one
    /// wins. If it is the opponent, this is a move after which it still does not win.
    NoWin(Option<Vertex>),
}

/// How far the solver came with a position that it did not solve: the proof numbers of the question that it was working
/// on.
///
/// They estimate the least number of positions that must be settled, so they can rank positions: the one with the
/// smallest proof number is likely to be proven first. A search over many runs of the solver needs nothing else from a
/// run that did not finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProofEstimate {
    /// The question is whether this player wins. [`solve`](super::solve) asks it about the player to move first, and
    /// about the opponent only once it is known that the player to move cannot win.
    pub player: Color,
    /// The positions to settle to show that this player wins, at least 1.
    pub proof: u32,
    /// The positions to settle to show that this player does not win, at least 1.
    pub disproof: u32,
}

/// A proof search on boards of any size: [`Solver`](super::Solver) has one for its board.
pub(super) trait Prove: Send + Sync {
    /// See [`Solver::solve_until`](super::Solver::solve_until).
    fn prove(&mut self, position: &Position, color: Color, nodes: u64, end: Option<Instant>) -> Option<Solution> {
        let last = self.nodes().saturating_add(nodes);
        match self.ask(position, color, color, nodes, end)? {
            Answer::Win(v) => return Some(Solution::Win(v)),
            Answer::Loss => return Some(Solution::Loss),
            Answer::NoWin(_) => {}
        }
        match self.ask(position, color, !color, last.saturating_sub(self.nodes()), end)? {
            Answer::Loss => Some(Solution::Loss),
            Answer::Win(_) | Answer::NoWin(_) => Some(Solution::Draw),
        }
    }

    /// Like [`Solver::solve_until`](super::Solver::solve_until), but only asks whether `player` wins.
    fn ask(
        &mut self,
        position: &Position,
        color: Color,
        player: Color,
        nodes: u64,
        end: Option<Instant>,
    ) -> Option<Answer>;

    /// See [`Solver::set_root`](super::Solver::set_root).
    fn set_root(&mut self, position: &Position);

    /// See [`Solver::go_to`](super::Solver::go_to).
    fn go_to(&mut self, position: &Position);

    /// See [`Solver::estimate`](super::Solver::estimate).
    fn estimate(&self) -> Option<ProofEstimate>;

    /// See [`Solver::order_moves`](super::Solver::order_moves).
    fn order_moves(&mut self, position: &Position, color: Color) -> Vec<(Vertex, f32)>;

    /// See [`Solver::stop_on`](super::Solver::stop_on).
    fn stop_on(&mut self, flag: StopFlag);

    /// Whether the flag of [`Prove::stop_on`] is raised.
    fn is_stopped(&self) -> bool;

    /// See [`Solver::guided_by`](super::Solver::guided_by).
    fn guide_by(&mut self, network: &dyn Backend);

    /// See [`Solver::threads`](super::Solver::threads).
    fn threads(&self) -> usize;

    /// See [`Solver::nodes`](super::Solver::nodes).
    fn nodes(&self) -> u64;

    /// See [`Solver::clear`](super::Solver::clear).
    fn clear(&mut self);

    /// The positions that all threads visit between two looks at a budget or reports of progress.
    fn slice_nodes(&self) -> u64 {
        match self.threads() {
            1 => SLICE_NODES,
            threads => SLICE_NODES_IN_TEAM * threads as u64,
        }
    }
}

/// A proof search on boards that fit into the word `W`.
pub(super) struct ProofSearch<W> {
    shared: Shared<W>,
    /// At least one.
    threads: Vec<ThreadState<W>>,
    /// The number of positions visited before the table was cleared.
    nodes_before: u64,
    /// How far the last search came, if it did not solve its root.
    estimate: Option<ProofEstimate>,
}

impl<W: Word> ProofSearch<W> {
    /// So many searches with this many threads each, at least one, on a board that fits into the word. They share a table
    /// of at most `bytes` bytes.
    ///
    /// # Errors
    /// [`SolverError::NoMemory`].
    pub fn several(
        geometry: &'static Geometry,
        bytes: usize,
        count: usize,
        threads: usize,
    ) -> Result<Vec<ProofSearch<W>>, SolverError> {
        let threads = threads.max(1);
        let mut table = TranspositionTable::new(bytes).ok_or(SolverError::NoMemory)?;
        if count > 1 {
            // A table that others use cannot grow.
            table.take_full_size();
        }
        let search = |shared| ProofSearch {
            shared,
            threads: (0..threads).map(|_| ThreadState::new()).collect(),
            nodes_before: 0,
            estimate: None,
        };
        Ok(Shared::several(geometry, table, count, threads).map(search).collect())
    }

    /// Searches from a root with `player` to move, with this many threads, until the root is proven, the search must
    /// end, or [`Prove::nodes`] reaches `last`. Returns the root's proof numbers, and the cell of a winning move as
    /// [`Thread::search_root`] does.
    fn search_as_table_grows(
        &mut self,
        root: &State<W>,
        player: usize,
        threads: usize,
        last: u64,
    ) -> (ProofNumbers, usize) {
        loop {
            let visited = self.nodes();
            let room = self.shared.table.room().map(|room| self.nodes_before + room);
            if room.is_some_and(|room| room <= visited) {
                let table = Arc::get_mut(&mut self.shared.table).expect("a shared table has its full size");
                table.grow(threads);
                continue;
            }
            let nodes = room.unwrap_or(u64::MAX).min(last).saturating_sub(visited);
            // Each thread must get positions to visit.
            let most = nodes.div_ceil(LEAST_TAKEN).max(1);
            let found = self.search_root(root, player, threads.min(most.try_into().unwrap_or(threads)), nodes);
            if found.0.is_proven() || self.nodes() >= last || self.shared.must_end() {
                return found;
            }
        }
    }

    /// Searches from a root with `player` to move, with this many threads, until it is proven or they have visited this
    /// many positions together. Returns the root's proof numbers, and the cell of a winning move as
    /// [`Thread::search_root`] does.
    fn search_root(&mut self, root: &State<W>, player: usize, threads: usize, nodes: u64) -> (ProofNumbers, usize) {
        let shared = &self.shared;
        let threads = &mut self.threads[..threads];
        if let [own] = threads {
            own.left = nodes;
            return Thread { shared, own, team: None }.search_root(root, player);
        }
        let team = Team::new(threads.len(), nodes);
        // Each thread needs positions to visit before the others begin and take more.
        threads.iter_mut().for_each(|own| own.left = team.take());
        let (first, others) = threads.split_first_mut().expect("there are several threads");
        let found = std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for own in others {
                let team = &team;
                let search = move || Thread { shared, own, team: Some(team) }.search_root(root, player);
                match start_scoped_thread(scope, "solver", search) {
                    Ok(thread) => threads.push(thread),
                    Err(error) => log::warn!("a thread of the solver cannot be started: {error}"),
                }
            }
            let found = Thread { shared, own: first, team: Some(&team) }.search_root(root, player);
            for thread in threads {
                // Panics are propagated, with their messages.
                thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
            found
        });
        team.result().unwrap_or(found)
    }
}

impl<W: Word> Prove for ProofSearch<W> {
    fn ask(
        &mut self,
        position: &Position,
        color: Color,
        player: Color,
        nodes: u64,
        end: Option<Instant>,
    ) -> Option<Answer> {
        self.estimate = None;
        if self.is_stopped() {
            return None;
        }
        self.shared.end = end;
        self.shared.attacker = player.index();
        let threads = if nodes < LEAST_TEAM_NODES { 1 } else { self.threads.len() };
        let last = self.nodes().saturating_add(nodes);
        let root = self.shared.state(position, color.index());
        let (numbers, winning) = self.search_as_table_grows(&root, color.index(), threads, last);
        match (numbers.phi, numbers.delta) {
            (0, _) if player == color => Some(Answer::Win(self.shared.board.vertex(winning))),
            (0, _) => {
                // Where the opponent has no room for a structure, no move was looked for, and each will do.
                let found = (winning != NO_CELL).then(|| self.shared.board.vertex(winning));
                Some(Answer::NoWin(found.or_else(|| position.empty_vertices().next())))
            }
            (INFINITE_BY_DRAW, 0) => Some(Answer::NoWin(None)),
            (_, 0) => Some(Answer::Loss),
            (phi, delta) => {
                let [proof, disproof] = if player == color { [phi, delta] } else { [delta, phi] };
                self.estimate = Some(ProofEstimate { player, proof, disproof });
                None
            }
        }
    }

    fn set_root(&mut self, position: &Position) {
        self.shared.keys.merge_images_under(position);
    }

    fn go_to(&mut self, position: &Position) {
        self.shared.keys.merge_images_at(position);
    }

    fn estimate(&self) -> Option<ProofEstimate> {
        self.estimate
    }

    fn order_moves(&mut self, position: &Position, color: Color) -> Vec<(Vertex, f32)> {
        self.threads[0].guide.as_mut().map_or_else(Vec::new, |guide| guide.order(position, color))
    }

    fn stop_on(&mut self, flag: StopFlag) {
        self.shared.stop = flag;
    }

    fn is_stopped(&self) -> bool {
        self.shared.stop.is_stopped()
    }

    fn guide_by(&mut self, network: &dyn Backend) {
        self.shared.forget_advice();
        for own in &mut self.threads {
            own.guide = Some(Guide::new(network.evaluator(self.shared.geometry)));
        }
    }

    fn threads(&self) -> usize {
        self.threads.len()
    }

    fn nodes(&self) -> u64 {
        self.threads.iter().map(|own| own.visited).sum()
    }

    fn clear(&mut self) {
        self.shared.forget();
        self.nodes_before = self.nodes();
        for own in &mut self.threads {
            own.history = History::new();
            own.patterns = [Patterns::new(), Patterns::new()];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bitboard::{bit, cell, cells};
    use super::super::patterns::Pattern;
    use super::*;
    use crate::game::Notation;
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// A position of random stones in which nobody has won.
    fn random_position(geometry: &'static Geometry, rng: &mut Xoshiro256PlusPlus) -> Position {
        let mut order: Vec<Vertex> = geometry.vertices().collect();
        order.shuffle(rng);
        order.truncate(rng.random_range(order.len() / 5..order.len() * 4 / 5));
        let mut position = Position::new(geometry);
        for (i, v) in order.into_iter().enumerate() {
            let color = Color::ALL[i % 2];
            if position.completes(color, v).is_empty() {
                position.place(color, v);
            }
        }
        position
    }

    /// Whether the winner, to move, completes a structure with these moves against everything that the loser can do.
    /// It leaves the sequence only to complete one.
    fn wins(position: &Position, winner: Color, moves: &[Vertex]) -> bool {
        let can_complete = |position: &Position| position.empty_vertices().any(|v| completes(position, winner, v));
        if can_complete(position) {
            return true;
        }
        let Some((&v, rest)) = moves.split_first().filter(|&(&v, _)| position.is_empty(v)) else { return false };
        let mut after = position.clone();
        after.place(winner, v);
        after.empty_vertices().all(|reply| {
            let mut replied = after.clone();
            replied.place(!winner, reply).is_empty() && (can_complete(&replied) || wins(&replied, winner, rest))
        })
    }

    fn completes(position: &Position, color: Color, v: Vertex) -> bool {
        !position.completes(color, v).is_empty()
    }

    /// A position in which a pattern's conditions on stones hold, with random other stones.
    fn position_for<W: Word>(
        shared: &Shared<W>,
        pattern: &Pattern<W>,
        winner: Color,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Position {
        let mut position = Position::new(shared.geometry);
        let needed: Vec<Vertex> = cells(pattern.stones).map(|cell| shared.board.vertex(cell)).collect();
        for v in needed {
            position.place(winner, v);
        }
        let mut others: Vec<Vertex> = position.empty_vertices().collect();
        others.shuffle(rng);
        others.truncate(rng.random_range(0..others.len() / 2));
        for v in others {
            let color = Color::ALL[rng.random_range(0..2)];
            let spoils = color != winner && !(pattern.region & bit(cell(shared.geometry, v))).is_zero();
            if !spoils && !completes(&position, color, v) {
                position.place(color, v);
            }
        }
        position
    }

    /// The patterns found in some positions win in others, according to the rules alone. Returns in how many.
    fn check_patterns<W: Word>(board: &str) -> usize {
        let geometry = Geometry::with_shape(board.parse().unwrap());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut search = ProofSearch::<W>::several(geometry, 1 << 20, 1, 1).unwrap().remove(0);
        for _ in 0..100 {
            search.prove(&random_position(geometry, &mut rng), Color::White, 2000, None);
        }
        let (shared, board) = (&search.shared, &search.shared.board);
        let mut won = 0;
        for (winner, patterns) in search.threads[0].patterns.iter().enumerate() {
            // All patterns fit if the winner has every vertex.
            for i in patterns.fitting(board.vertices, W::zero(), board.vertices) {
                let pattern = patterns.get(i);
                for _ in 0..20 {
                    let position = position_for(shared, &pattern, Color::ALL[winner], &mut rng);
                    let state = shared.state(&position, 0);
                    let [own, loser] = [&state.stones[winner], &state.stones[1 - winner]];
                    assert!(patterns.fitting(own.all, loser.all, board.vertices).any(|other| other == i));
                    let empty = board.vertices & !own.all & !loser.all;
                    if pattern.sequence.is_undisturbed(board, *loser, empty) {
                        let moves: Vec<Vertex> = pattern.sequence.moves().map(|cell| board.vertex(cell)).collect();
                        assert!(wins(&position, Color::ALL[winner], &moves), "{moves:?}");
                        won += 1;
                    }
                }
            }
        }
        won
    }

    /// The value of the position after these moves, and how many positions were visited to find it. `told` is whether the
    /// search was told of its root before.
    fn solved(board: &str, moves: &[&str], told: bool) -> (Solution, u64) {
        let geometry = Geometry::with_shape(board.parse().unwrap());
        let mut position = Position::new(geometry);
        for (name, color) in moves.iter().zip(Color::ALL.into_iter().cycle()) {
            position.place(color, Notation::HavannahGui.parse(geometry, name).unwrap());
        }
        let mut search = ProofSearch::<u64>::several(geometry, 1 << 24, 1, 1).unwrap().remove(0);
        if told {
            search.set_root(&position);
        }
        let solution = search.prove(&position, Color::ALL[moves.len() % 2], u64::MAX, None);
        (solution.expect("the number of positions is not limited"), search.nodes())
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn images_below_a_symmetric_root_are_searched_once() {
        let mut visited = [0, 0];
        for (board, moves) in [
            ("3", &["c3"][..]),
            ("3", &["a2"]),
            ("3", &["c3", "a1"]),
            ("3-3-4", &["c3"]),
            ("3-3-4", &["a1"]),
            ("2-4-4", &["d2"]),
            ("2-4-4", &[]),
        ] {
            let [(without, before), (with, after)] = [false, true].map(|told| solved(board, moves, told));
            let is_win = |solution| matches!(solution, Solution::Win(_));
            assert!(without == with || is_win(without) && is_win(with), "{board} {moves:?}: {without:?}, {with:?}");
            visited[0] += before;
            visited[1] += after;
        }
        assert!(visited[1] < visited[0] * 2 / 3, "{visited:?}");
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn patterns_win_wherever_they_fit() {
        let won = ["3", "4", "2-3-4"].map(check_patterns::<u64>);
        assert!(won.iter().all(|&won| won > 500), "{won:?}");
        assert!(check_patterns::<u128>("5") > 500);
    }
}
