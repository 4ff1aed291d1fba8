//! Depth-first proof-number search (df-pn).
//!
//! The search asks whether the *attacker* can win. The other player, the *defender*, is content with a draw. Each
//! position has two [`ProofNumbers`], φ and δ: estimates of how many positions must be settled to prove it won or lost
//! for the player to move. The search always descends to the child that needs the fewest, and stays there until another
//! child needs less than half as many (the 1 + ε trick with ε = 1: Pawlewicz & Lew, *Improving depth-first PN-search: 1
//! + ε trick*, 2006).
//!
//! The search recognises decisive moves one and two stones ahead, as the tree search does. A player who can complete a
//! structure wins. If the opponent could complete one on a single vertex, the player must take that vertex. If the
//! opponent has a move after which there would be two such vertices, only moves that prevent it or make a threat are
//! considered.
//!
//! An attacker who would have no structure even with all empty cells cannot win any more, and the search ends there.
//!
//! A sequence of threats that has won is remembered as a pattern ([`super::patterns`]). A player to move with a pattern
//! that fits wins, and moves that leave the opponent a pattern that fits are not considered.

use std::cmp::Ordering;
use std::panic::resume_unwind;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::base::sync::StopFlag;
use crate::base::time::Instant;
use crate::game::{Color, Geometry, Position, Vertex};
use crate::network::Backend;

use super::bitboard::{Bitboard, MAX_CELLS, Prospects, Stones, Word, bit, cell, cells, has_two};
use super::children::{Child, Choice, unweighted};
use super::error::SolverError;
use super::guide::{self, Guide};
use super::history::History;
use super::patterns::{Pattern, Patterns, Sequence};
use super::table::{INFINITE, INFINITE_BY_DRAW, ProofNumbers, TranspositionTable};
use super::team::Team;

/// Positions visited between two looks at the clock, at the stop flag, and at what other threads do.
const LOOK_INTERVAL: u64 = 64;

/// With fewer positions to visit, one thread works alone, because starting the others would take longer.
const LEAST_TEAM_NODES: u64 = 1 << 14;

/// The advice of the network may take the table's memory divided by this.
const ADVICE_SHARE: usize = 8;

/// The initial δ of a position after a threat, which leaves the opponent one reply.
const THREAT_ESTIMATE: u32 = 2;

/// The penalty of a child from which a thread came back without a result. It doubles each time, up to a limit.
const LEAST_PENALTY: u32 = 4;
const MAX_PENALTY: u32 = INFINITE / 4;

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

/// A proof search on words of any size.
pub(super) trait Prove: Send + Sync {
    /// As [`Solver::solve`](super::Solver::solve), until `end` at the latest.
    fn prove(&mut self, position: &Position, color: Color, nodes: u64, end: Option<Instant>) -> Option<Solution>;

    /// As [`Solver::stop_on`](super::Solver::stop_on).
    fn stop_on(&mut self, flag: StopFlag);

    /// As [`Solver::guided_by`](super::Solver::guided_by).
    fn guide_by(&mut self, network: &dyn Backend);

    /// As [`Solver::threads`](super::Solver::threads).
    fn threads(&self) -> usize;

    /// As [`Solver::nodes`](super::Solver::nodes).
    fn nodes(&self) -> u64;

    /// As [`Solver::clear`](super::Solver::clear).
    fn clear(&mut self);
}

/// A proof search on boards that fit into the word `W`.
pub(super) struct ProofSearch<W> {
    shared: Shared<W>,
    /// What each thread has of its own. There is at least one thread.
    threads: Vec<Own<W>>,
    /// The number of positions visited before the table was cleared.
    nodes_before: u64,
}

/// What all threads of a search read, and the table that they write to.
struct Shared<W> {
    geometry: &'static Geometry,
    board: Bitboard<W>,
    table: TranspositionTable,
    /// Random numbers for the keys of positions (Zobrist hashing): one for each cell and colour, and at the end those
    /// for the attacker and the turn.
    keys: [[u64; 2]; MAX_CELLS + 2],
    /// The index of the attacker's colour.
    attacker: usize,
    /// When the search must end.
    end: Option<Instant>,
    /// Ends the search when it is raised.
    stop: StopFlag,
}

impl<W> Shared<W> {
    /// Whether the time is up or the search was stopped.
    fn must_end(&self) -> bool {
        self.stop.is_stopped() || self.end.is_some_and(|end| Instant::now() >= end)
    }
}

/// What a thread has of its own and keeps from one search to the next.
struct Own<W> {
    /// The number of positions that may still be visited.
    left: u64,
    /// The number of positions visited since the search was made.
    visited: u64,
    /// The children of all positions on the path from the root to the present one, as a stack.
    children: Vec<Child>,
    /// The keys of the positions on that path.
    path: Vec<u64>,
    /// The depth of a position on the path that another thread has proven, if there is one. The search below it is
    /// useless.
    proven_depth: Option<usize>,
    /// The cell of the winning move in the position that was proven last.
    winning: usize,
    history: History,
    /// The sequences of threats that each player has won with lately.
    patterns: [Patterns<W>; 2],
    /// How the position was won that was settled last, if it was by a sequence of threats.
    line: Option<Line>,
    /// A network that says which moves to search first, if there is one.
    guide: Option<Guide>,
    /// What moves would threaten in the positions on the path. For the position at depth *d*, entry *d* is about the
    /// player to move and entry *d* + 1 about the opponent. The opponent's entry stays valid after each move of the
    /// player, because the opponent's stones do not change.
    prospects: Vec<Prospects<W>>,
}

/// The search of one thread.
struct Thread<'a, W> {
    shared: &'a Shared<W>,
    own: &'a mut Own<W>,
    /// What the threads tell each other, if there are several.
    team: Option<&'a Team>,
}

/// The sequence of threats that won the position settled last.
#[derive(Clone, Copy)]
enum Line {
    /// The player to move won with it.
    Won(Sequence),
    /// The player to move lost: its only move was this reply, and the opponent won with the sequence.
    Lost(Sequence, usize),
}

/// A position of the search.
#[derive(Clone, Copy)]
struct State<W> {
    /// White's stones and black's.
    stones: [Stones<W>; 2],
    key: u64,
}

impl<W: Word> ProofSearch<W> {
    /// A search with this many threads, at least one, on a board that fits into the word, with a table of at most
    /// `bytes` bytes.
    ///
    /// # Errors
    /// [`SolverError::NoMemory`].
    pub fn new(geometry: &'static Geometry, bytes: usize, threads: usize) -> Result<ProofSearch<W>, SolverError> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x4861_7661_6e6e_6168);
        let shared = Shared {
            geometry,
            board: Bitboard::new(geometry),
            table: TranspositionTable::new(bytes).ok_or(SolverError::NoMemory)?,
            keys: std::array::from_fn(|_| [rng.next_u64(), rng.next_u64()]),
            attacker: 0,
            end: None,
            stop: StopFlag::new(),
        };
        Ok(ProofSearch { shared, threads: (0..threads.max(1)).map(|_| Own::new()).collect(), nodes_before: 0 })
    }

    /// Searches from a root with `player` to move, with this many threads, until it is proven, the search must end, or
    /// the number of positions visited since the search was made is `last`. Returns its proof numbers, and the cell of a
    /// winning move if it is won.
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
                self.shared.table.grow();
                continue;
            }
            let nodes = room.unwrap_or(u64::MAX).min(last).saturating_sub(visited);
            // A thread visits at least one position.
            let threads = threads.min(nodes.max(1).try_into().unwrap_or(threads));
            for (i, own) in (0..).zip(&mut self.threads[..threads]) {
                own.left = nodes / threads as u64 + u64::from(i < nodes % threads as u64);
            }
            let found = self.search_root(root, player, threads);
            if found.0.is_proven() || self.nodes() >= last || self.shared.must_end() {
                return found;
            }
        }
    }

    /// Searches from a root with `player` to move, with this many threads. Returns its proof numbers, and the cell of a
    /// winning move if it is won.
    fn search_root(&mut self, root: &State<W>, player: usize, threads: usize) -> (ProofNumbers, usize) {
        let shared = &self.shared;
        let (first, others) = self.threads[..threads].split_first_mut().expect("there is at least one thread");
        if others.is_empty() {
            return Thread { shared, own: first, team: None }.search_root(root, player);
        }
        let team = Team::new();
        let found = std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for own in others {
                let team = &team;
                let search = move || Thread { shared, own, team: Some(team) }.search_root(root, player);
                match std::thread::Builder::new().spawn_scoped(scope, search) {
                    Ok(thread) => threads.push(thread),
                    Err(error) => log::warn!("a thread of the solver cannot be started: {error}"),
                }
            }
            let found = Thread { shared, own: first, team: Some(&team) }.search_root(root, player);
            for thread in threads {
                // A panic of the thread goes on here, with its message.
                thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
            found
        });
        team.result().unwrap_or(found)
    }
}

impl<W: Word> Own<W> {
    fn new() -> Own<W> {
        Own {
            left: 0,
            visited: 0,
            children: Vec::new(),
            path: Vec::new(),
            proven_depth: None,
            winning: 0,
            history: History::new(),
            patterns: [Patterns::new(), Patterns::new()],
            line: None,
            guide: None,
            prospects: (0..MAX_CELLS + 2).map(|_| Prospects::new()).collect(),
        }
    }

    /// The number of moves between the root and the present position.
    fn depth(&self) -> usize {
        self.path.len()
    }
}

impl<W: Word> Thread<'_, W> {
    /// Searches from the root until it is proven or no more positions may be visited.
    fn search_root(&mut self, root: &State<W>, player: usize) -> (ProofNumbers, usize) {
        let _member = self.team.map(Team::member);
        // A search that has panicked leaves its path behind.
        self.own.path.clear();
        self.own.children.clear();
        self.own.proven_depth = None;
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
        self.shared.table.prefetch_bucket(state.key);
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

    /// Ends the search if the time is up, if it was stopped, or if another thread has settled the root. Also checks
    /// whether another thread has proven a position on the path.
    fn look_around(&mut self) {
        if self.shared.must_end() || self.team.is_some_and(Team::is_done) {
            self.own.left = 0;
        }
        if self.team.is_some() {
            let is_proven = |&key: &u64| self.shared.table.get(key).is_some_and(ProofNumbers::is_proven);
            self.own.proven_depth = self.own.path.iter().position(is_proven).map(|i| i + 1);
        }
    }

    /// Pushes the relevant children of a position onto the stack of children. If the position is decided, returns its
    /// proof numbers instead.
    fn expand(&mut self, state: &State<W>, player: usize) -> Option<ProofNumbers> {
        let opponent = 1 - player;
        let empty = self.shared.board.vertices & !state.stones[0].all & !state.stones[1].all;
        let attackers = state.stones[self.shared.attacker].all;
        if !self.shared.board.has_structure(attackers | empty) {
            return Some(self.shared.drawn(player));
        }
        let winning = state.stones[player].completing(empty);
        if !winning.is_zero() {
            self.own.winning = winning.trailing_zeros() as usize;
            return Some(ProofNumbers::WON);
        }
        let threats = state.stones[opponent].completing(empty);
        let depth = self.own.depth();
        self.own.prospects[depth + 1].is_valid = false;
        let is_forced = !threats.is_zero();
        if has_two(threats) {
            return Some(ProofNumbers::LOST);
        }
        if let Some(numbers) = self.win_by_pattern(state, player, empty) {
            return Some(numbers);
        }
        let candidates = match is_forced {
            true => threats,
            false => match self.look_ahead(state, player, empty) {
                Ok(candidates) => candidates,
                Err(numbers) => return Some(numbers),
            },
        };
        if candidates.is_zero() {
            return Some(ProofNumbers::LOST);
        }
        self.push_children(state, player, candidates, empty, is_forced)
    }

    /// Pushes the children of a position for the moves on `candidates`. If one of the moves wins, returns the
    /// position's proof numbers instead. `is_forced` means that there is one candidate, where the opponent threatens to
    /// complete a structure.
    fn push_children(
        &mut self,
        state: &State<W>,
        player: usize,
        candidates: W,
        empty: W,
        is_forced: bool,
    ) -> Option<ProofNumbers> {
        let mut stored = W::zero();
        for cell in cells(candidates) {
            if self.shared.table.prefetch(self.shared.key_after(state, player, cell)) {
                stored = stored | bit(cell);
            }
        }
        for cell in cells(candidates) {
            let key = self.shared.key_after(state, player, cell);
            let known = if (stored & bit(cell)).is_zero() { None } else { self.shared.table.get_with_effort(key) };
            let (numbers, effort) =
                known.unwrap_or_else(|| (self.first_estimate(state, player, cell, empty, is_forced), 0));
            if numbers.delta == 0 {
                return Some(self.won_by(player, cell, numbers));
            }
            self.own.children.push(Child {
                key,
                numbers,
                effort,
                wins: self.own.history.wins(player, cell),
                penalty: 0,
                cell: cell as u8,
                weight: guide::UNIT,
            });
        }
        None
    }

    /// The initial proof numbers of the position after a move. Unless the move is forced, the prospects must be up to
    /// date.
    fn first_estimate(&self, state: &State<W>, player: usize, cell: usize, empty: W, is_forced: bool) -> ProofNumbers {
        let empty = empty & !bit::<W>(cell);
        if empty.is_zero() {
            return self.shared.drawn(1 - player);
        }
        let depth = self.own.depth();
        let completing = match is_forced {
            true => state.stones[player].with(&self.shared.board, cell).completing(empty),
            false => self.own.prospects[depth].after(cell) & empty,
        };
        if completing.is_zero() {
            let delta = self.own.history.estimate(player, depth, cell, empty.count_ones());
            ProofNumbers { phi: 1, delta }
        } else if has_two(completing) {
            ProofNumbers::LOST
        } else {
            ProofNumbers { phi: 1, delta: THREAT_ESTIMATE }
        }
    }

    /// Searches the children of a position, from index `first` on, until one of the position's proof numbers reaches
    /// its threshold: φ is the least cost of a child, and δ is the sum of the children's φ. `effort` is as in
    /// [`Thread::search`].
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
                0 => self.won_by(player, child.cell(), child.numbers),
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
            let second_with_margin = 2 * choice.second.min(INFINITE) + 1;
            let next_thresholds = ProofNumbers {
                phi: thresholds.delta - numbers.delta + child.numbers.phi,
                delta: unweighted(thresholds.phi.min(second_with_margin), child.weight),
            };
            let mut after = State { key: child.key, ..*state };
            after.stones[player].add(&self.shared.board, child.cell());
            self.own.path.push(child.key);
            match self.team {
                None => {
                    let visited = self.own.visited;
                    let found = self.search(&after, 1 - player, next_thresholds, child.effort);
                    let effort = self.own.visited - visited;
                    self.shared.table.put(child.key, found, effort);
                    let child = &mut self.own.children[choice.best];
                    child.numbers = found;
                    child.effort = child.effort.saturating_add(effort as u32);
                }
                Some(team) => self.search_in_team(team, &after, 1 - player, next_thresholds, first, choice.best),
            }
            self.own.path.pop();
            searched = Some(choice.best);
        }
    }

    /// The child to search next, from index `first` on.
    fn choose(&self, first: usize) -> Choice {
        let children = &self.own.children[first..];
        let Some(team) = self.team else {
            let choice = Choice::of(children, Child::cost);
            return Choice { best: first + choice.best, ..choice };
        };
        let choice = Choice::of(children, |child| match child.cost() {
            cost @ (0 | INFINITE..) => cost,
            cost => (cost + child.penalty + team.detour(child.key, cost)).min(INFINITE - 1),
        });
        let least = children.iter().map(Child::cost).min().unwrap_or(INFINITE);
        Choice { best: first + choice.best, least, ..choice }
    }

    /// Searches the child with the index `best` beside other threads.
    fn search_in_team(
        &mut self,
        team: &Team,
        after: &State<W>,
        player: usize,
        thresholds: ProofNumbers,
        first: usize,
        best: usize,
    ) {
        let key = after.key;
        let visited = self.own.visited;
        let effort = self.own.children[best].effort;
        team.enter(key);
        let mut found = self.search(after, player, thresholds, effort);
        team.leave(key);
        let (table, effort) = (&self.shared.table, self.own.visited - visited);
        match table.get(key) {
            Some(proven) if proven.is_proven() => found = proven,
            _ => table.put(key, found, effort),
        }
        let child = &mut self.own.children[best];
        if found == child.numbers {
            // Other threads are busy with everything below that is worth searching.
            child.penalty = (2 * child.penalty + LEAST_PENALTY).min(MAX_PENALTY);
        }
        child.numbers = found;
        child.effort = child.effort.saturating_add(effort as u32);
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

    /// Sets the weights of the children of a position, from index `first` on, as the network advises.
    fn take_advice(&mut self, state: &State<W>, player: usize, first: usize) {
        let Own { guide: Some(guide), children, .. } = &mut *self.own else { return };
        let children = &mut children[first..];
        let weights = match guide.recall(state.key) {
            Some(weights) => *weights,
            None => {
                let moves = children.iter().map(|child| (child.cell(), self.shared.board.vertex(child.cell())));
                guide.ask(state.key, &self.shared.position(state), Color::ALL[player], moves)
            }
        };
        for child in children {
            child.weight = weights[child.cell()];
        }
    }

    /// What a search returns after another thread has proven the position at depth `proven_depth` of the path. If this
    /// is the search's own position, these are the proven numbers; if it is an earlier one, those found so far. `None`
    /// if the search must go on: the position lies deeper, or the table has lost the proof.
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
    fn won_by(&mut self, player: usize, cell: usize, next: ProofNumbers) -> ProofNumbers {
        self.own.winning = cell;
        self.own.history.record_win(player, self.own.depth(), cell);
        ProofNumbers { phi: 0, delta: next.phi }
    }

    /// Finds out what each move of either player would threaten. Neither player may be able to complete a structure
    /// yet. Returns the moves that are not refuted at once. If a move threatens to complete a structure on two cells,
    /// it wins, and the proof numbers of the position are returned instead.
    fn look_ahead(&mut self, state: &State<W>, player: usize, empty: W) -> Result<W, ProofNumbers> {
        let depth = self.own.depth();
        let [players, opponents] = &mut self.own.prospects[depth..depth + 2] else { unreachable!("there are two") };
        if !players.is_valid {
            players.update(&self.shared.board, &state.stones[player], empty);
        }
        let mut threatening = W::zero();
        for cell in cells(empty) {
            let completing = players.after(cell) & empty;
            if has_two(completing) {
                self.own.line = Some(Line::Won(Sequence::of_move(cell, completing)));
                return Err(self.won_by(player, cell, ProofNumbers::LOST));
            }
            if !completing.is_zero() {
                threatening = threatening | bit(cell);
            }
        }
        opponents.update(&self.shared.board, &state.stones[1 - player], empty);
        opponents.is_valid = true;
        let candidates = threatening | self.must_play(empty);
        Ok(self.withstands_patterns(state, player, candidates, empty))
    }

    /// The proof numbers of a position that the player to move wins with a known sequence of threats, if there is one.
    fn win_by_pattern(&mut self, state: &State<W>, player: usize, empty: W) -> Option<ProofNumbers> {
        let [own, opponent] = [&state.stones[player], &state.stones[1 - player]];
        for i in self.own.patterns[player].fitting(own.all, opponent.all, self.shared.board.vertices) {
            let sequence = self.own.patterns[player].get(i).sequence;
            if sequence.is_undisturbed(&self.shared.board, *opponent, empty) {
                self.own.patterns[player].mark(i);
                self.own.line = Some(Line::Won(sequence));
                return Some(self.won_by(player, sequence.first(), ProofNumbers::LOST));
            }
        }
        None
    }

    /// Those of these moves after which the opponent does not win with a known sequence of threats. Neither player may
    /// be able to complete a structure yet.
    fn withstands_patterns(&mut self, state: &State<W>, player: usize, mut moves: W, empty: W) -> W {
        let [own, opponent] = [&state.stones[player], &state.stones[1 - player]];
        let patterns = &mut self.own.patterns[1 - player];
        for i in patterns.fitting(opponent.all, own.all, self.shared.board.vertices) {
            let Pattern { sequence, region, .. } = patterns.get(i);
            let outside = moves & !region;
            if outside.is_zero() || !sequence.is_undisturbed(&self.shared.board, *own, empty) {
                continue;
            }
            for cell in cells(outside) {
                let after = own.with(&self.shared.board, cell);
                if sequence.is_undisturbed(&self.shared.board, after, empty & !bit::<W>(cell)) {
                    moves = moves & !bit::<W>(cell);
                    patterns.mark(i);
                }
            }
        }
        moves
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

    /// The must-play region: the cells on which a quiet move can stop every double threat of the opponent. A double
    /// threat is a move after which the opponent could complete a structure on two or more cells.
    fn must_play(&self, empty: W) -> W {
        let opponent = &self.own.prospects[self.own.depth() + 1];
        let mut region = empty;
        for cell in cells(empty) {
            let completing = opponent.after(cell);
            if has_two(completing) {
                let is_pair = !has_two(completing & (completing - W::one()));
                region = region & (bit::<W>(cell) | if is_pair { completing } else { W::zero() });
            }
        }
        region
    }
}

impl<W: Word> Shared<W> {
    /// The key of a position after a player's move on `cell`.
    #[inline]
    fn key_after(&self, state: &State<W>, player: usize, cell: usize) -> u64 {
        state.key ^ self.keys[cell][player]
    }

    /// The proof numbers of a position with `player` to move in which the attacker can no longer win.
    fn drawn(&self, player: usize) -> ProofNumbers {
        match player == self.attacker {
            true => ProofNumbers { phi: INFINITE_BY_DRAW, delta: 0 },
            false => ProofNumbers { phi: 0, delta: INFINITE_BY_DRAW },
        }
    }

    /// The stones on a board.
    fn position(&self, state: &State<W>) -> Position {
        let mut position = Position::new(self.geometry);
        for (color, stones) in Color::ALL.into_iter().zip(&state.stones) {
            for cell in cells(stones.all) {
                position.place(color, self.board.vertex(cell));
            }
        }
        position
    }

    /// A position with `player` to move. Its key includes the attacker and the turn. The turn is given by the player
    /// who would have moved first if the players had always alternated, because that does not change from move to move.
    fn state(&self, position: &Position, player: usize) -> State<W> {
        let mut state = State { stones: [Stones::none(&self.board); 2], key: self.keys[MAX_CELLS][self.attacker] };
        let mut turn = player;
        for v in self.geometry.vertices() {
            if let Some(color) = position.stone(v) {
                let cell = cell(self.geometry, v);
                state.stones[color.index()].add(&self.board, cell);
                state.key ^= self.keys[cell][color.index()];
                turn = 1 - turn;
            }
        }
        state.key ^= self.keys[MAX_CELLS + 1][turn];
        state
    }
}

impl<W: Word> Prove for ProofSearch<W> {
    fn prove(&mut self, position: &Position, color: Color, nodes: u64, end: Option<Instant>) -> Option<Solution> {
        if self.shared.stop.is_stopped() {
            return None;
        }
        self.shared.end = end;
        let threads = if nodes < LEAST_TEAM_NODES { 1 } else { self.threads.len() };
        let last = self.nodes().saturating_add(nodes);
        for attacker in [color, !color] {
            self.shared.attacker = attacker.index();
            let root = self.shared.state(position, color.index());
            let (numbers, winning) = self.search_as_table_grows(&root, color.index(), threads, last);
            match (numbers.phi, numbers.delta) {
                (0, _) if attacker == color => return Some(Solution::Win(self.shared.board.vertex(winning))),
                (0, _) => return Some(Solution::Draw),
                (INFINITE_BY_DRAW, 0) => {}
                (_, 0) => return Some(Solution::Loss),
                _ => return None,
            }
        }
        None
    }

    fn stop_on(&mut self, flag: StopFlag) {
        self.shared.stop = flag;
    }

    fn guide_by(&mut self, network: &dyn Backend) {
        let bytes = self.shared.table.bytes() / ADVICE_SHARE / self.threads.len();
        for own in &mut self.threads {
            own.guide = Some(Guide::new(network.evaluator(self.shared.geometry), bytes));
        }
    }

    fn threads(&self) -> usize {
        self.threads.len()
    }

    fn nodes(&self) -> u64 {
        self.threads.iter().map(|own| own.visited).sum()
    }

    fn clear(&mut self) {
        self.shared.table.clear();
        self.nodes_before = self.nodes();
        for own in &mut self.threads {
            own.history = History::new();
            own.patterns = [Patterns::new(), Patterns::new()];
            own.guide.iter_mut().for_each(Guide::clear);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use rand::seq::SliceRandom;

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
        let mut search = ProofSearch::<W>::new(geometry, 1 << 20, 1).unwrap();
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

    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn patterns_win_wherever_they_fit() {
        let won = ["3", "4", "2-3-4"].map(check_patterns::<u64>);
        assert!(won.iter().all(|&won| won > 500), "{won:?}");
        assert!(check_patterns::<u128>("5") > 500);
    }
}
