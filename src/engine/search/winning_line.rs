//! How a proven game ends: a line in which the winner only makes winning moves and the loser resists, to the last
//! stone.
//!
//! On boards that have a solver, the solver looks for a whole winning strategy. If it finds a small one, the line is
//! the longest game against it, and the winner needs no more moves than that. If not, the line goes on move by move,
//! until there is a small strategy for the rest. The winner's moves come from threats, from proofs and from the solver,
//! all of which prove that they win. On larger boards there are only threats, and a line may stay incomplete.

use crate::engine::solver::{ProofProgress, Solution, Solver, Sources, prove};
use crate::game::{Color, Game, Position, Vertex};
use crate::proof::replies::completing;
use crate::proof::{Root, WinningMoves};

use super::limits::Deadline;
use super::threats::ThreatSearch;

/// The most moves of a strategy that the solver is asked for, and the most positions that it may visit for it.
const STRATEGY_MOVES: u64 = 400;
const STRATEGY_NODES: u64 = 30_000;

/// Positions that the solver may visit to find a move of the winner, and to find out how well a reply resists.
const MOVE_NODES: u64 = 20_000;
const REPLY_NODES: u64 = 300;

/// Positions that the solver may visit for a line; the last step may exceed this.
const LINE_NODES: u64 = 100_000;

/// Positions that one search for a sequence of threats may examine.
const SEQUENCE_NODES: u32 = 200;

/// The memory of a solver that is made for one line, in bytes.
const SOLVER_BYTES: usize = 4 << 20;

/// A line that begins in a proven position.
pub(crate) struct WinningLine {
    pub moves: Vec<Vertex>,
    /// The most moves that the winner needs, if that is known.
    pub moves_to_win: Option<u32>,
}

/// The line from the present position of `game`, which `winner` is proven to win. `begun` are the first moves of a line
/// whose positions are also proven. The line ends early when the deadline passes.
pub(crate) fn winning_line(
    game: &Game,
    winner: Color,
    begun: &[Vertex],
    proofs: &[&WinningMoves],
    solver: Option<&mut Solver>,
    deadline: &Deadline<'_>,
) -> WinningLine {
    let mut own = if solver.is_none() { Solver::new(game.geometry(), SOLVER_BYTES).ok() } else { None };
    let solver = solver.or(own.as_mut());
    let nodes_before = solver.as_ref().map_or(0, |solver| solver.nodes());
    let threats = ThreatSearch::until(deadline, game.position());
    let game = game.clone();
    let moves = Vec::new();
    let mut line = Line { game, winner, moves, proofs, solver, nodes_before, threats, deadline };
    if line.play_strategy() {
        // The last move is the winner's.
        let moves_to_win = Some(line.moves.len().div_ceil(2) as u32);
        return WinningLine { moves: line.moves, moves_to_win };
    }
    begun.iter().for_each(|&v| line.play(v));
    line.play_to_the_end();
    WinningLine { moves: line.moves, moves_to_win: None }
}

/// A line that is being played.
struct Line<'a> {
    game: Game,
    winner: Color,
    moves: Vec<Vertex>,
    proofs: &'a [&'a WinningMoves],
    solver: Option<&'a mut Solver>,
    nodes_before: u64,
    threats: ThreatSearch<'a>,
    deadline: &'a Deadline<'a>,
}

impl Line<'_> {
    fn play(&mut self, v: Vertex) {
        if self.game.play(v).is_ok() {
            self.moves.push(v);
        }
    }

    fn play_to_the_end(&mut self) {
        while self.game.outcome().is_none() && !self.deadline.has_passed() {
            let is_winner = self.game.to_move() == self.winner;
            let next = if is_winner { self.winning_move() } else { self.resistance() };
            let Some(v) = next else { return };
            self.play(v);
            if self.play_strategy() {
                return;
            }
        }
    }

    /// Whether the solver may still be asked.
    fn has_budget(&self) -> bool {
        self.solver.as_ref().is_some_and(|solver| solver.nodes() - self.nodes_before < LINE_NODES)
    }

    /// Plays the longest game against a strategy of the winner, if the solver finds a small one. Returns whether it
    /// did. Positions in the proofs are left out: their strategies are large.
    fn play_strategy(&mut self) -> bool {
        if !self.has_budget() || self.known_move().is_some() {
            return false;
        }
        let (Some(solver), Some(root)) = (self.solver.as_deref_mut(), Root::new(&self.game, self.winner)) else {
            return false;
        };
        let sources = Sources::new(solver);
        let deadline = self.deadline;
        let mut proceed = |progress: ProofProgress| {
            progress.moves <= STRATEGY_MOVES && progress.nodes <= STRATEGY_NODES && !deadline.has_passed()
        };
        let Ok(written) = prove(std::io::sink(), &[root], sources, &mut proceed) else { return false };
        written.longest_games.into_iter().flatten().for_each(|v| self.play(v));
        true
    }

    /// What the proofs say is the next move: the winning one, or the reply that resists longest.
    fn known_move(&self) -> Option<Vertex> {
        let position = self.game.position();
        let color = self.game.to_move();
        let is_winner = color == self.winner;
        self.proofs
            .iter()
            .find_map(|proofs| if is_winner { proofs.get(position, color) } else { proofs.resistance(position, color) })
    }

    /// A move that wins by threats, according to the proofs, or according to the solver.
    fn winning_move(&mut self) -> Option<Vertex> {
        if let Some(v) = self.forced() {
            return Some(v);
        }
        let position = self.game.position();
        let winner = self.winner;
        if self.threats.prepare(position)
            && let Some(v) = self.threats.find_sequence(position, winner, SEQUENCE_NODES)
        {
            return Some(v);
        }
        if let Some(v) = self.known_move() {
            return Some(v);
        }
        if !self.has_budget() {
            return None;
        }
        match self.solver.as_deref_mut()?.solve_until(position, winner, MOVE_NODES, self.deadline.end()) {
            Some(Solution::Win(v)) => Some(v),
            _ => None,
        }
    }

    /// The loser's reply that resists longest, as far as the proofs, the solver or threats tell.
    fn resistance(&mut self) -> Option<Vertex> {
        if let Some(v) = self.forced().or_else(|| self.known_move()) {
            return Some(v);
        }
        if self.solver.is_some() { self.hardest_reply() } else { self.longest_reply() }
    }

    /// The move that completes a structure of the player to move, or else prevents one of the opponent.
    fn forced(&self) -> Option<Vertex> {
        let position = self.game.position();
        let color = self.game.to_move();
        completing(position, color).next().or_else(|| completing(position, !color).next())
    }

    /// The reply after which the solver needs the most positions to find a win.
    fn hardest_reply(&mut self) -> Option<Vertex> {
        if !self.has_budget() {
            return None;
        }
        let solver = self.solver.as_deref_mut()?;
        let position = self.game.position();
        let loser = !self.winner;
        let mut after = position.clone();
        let mut cost = |v: Vertex| {
            let before = solver.nodes();
            after.copy_from(position);
            after.place(loser, v);
            let is_easy = solver.solve_until(&after, !loser, REPLY_NODES, self.deadline.end()).is_some();
            (!is_easy, solver.nodes() - before)
        };
        position.empty_vertices().map(|v| (cost(v), v)).max().map(|(_, v)| v)
    }

    /// The reply that makes the rest of the game longest, among those that may interfere with the winner's sequence of
    /// threats and after which threats alone still win.
    fn longest_reply(&mut self) -> Option<Vertex> {
        let position = self.game.position().clone();
        let loser = !self.winner;
        if !self.threats.prepare(&position) {
            return None;
        }
        self.threats.find_sequence(&position, self.winner, SEQUENCE_NODES)?;
        self.threats.refute_replies(&position, loser, SEQUENCE_NODES, |_| true);
        let candidates = self.threats.candidates().iter().enumerate();
        let interfering = candidates.filter(|&(i, _)| self.threats.is_refuted(i) && self.threats.interferes(i));
        let replies: Vec<Vertex> = interfering.map(|(_, candidate)| candidate.vertex).collect();
        let lengths = replies.into_iter().filter_map(|v| {
            let mut after = position.clone();
            after.place(loser, v);
            Some((self.threats_to_win(after)?, v))
        });
        lengths.max().map(|(_, v)| v)
    }

    /// How many stones the winner, who is to move, places to win by threats alone.
    fn threats_to_win(&mut self, mut position: Position) -> Option<usize> {
        for stones in 1.. {
            if completing(&position, self.winner).next().is_some() {
                return Some(stones);
            }
            let mut defence = completing(&position, !self.winner);
            let v = match [defence.next(), defence.next()] {
                [Some(v), None] => v,
                [None, _] if self.threats.prepare(&position) => {
                    self.threats.find_sequence(&position, self.winner, SEQUENCE_NODES)?
                }
                _ => return None,
            };
            drop(defence);
            position.place(self.winner, v);
            let answer = completing(&position, self.winner).next()?;
            position.place(!self.winner, answer);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Geometry;
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Random games on this board that are not over after this many stones.
    fn games(side: usize, stones: usize, seed: u64) -> impl Iterator<Item = Game> {
        let geometry = Geometry::with_side(side).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let next = move || {
            let mut game = Game::new(geometry);
            let mut order: Vec<Vertex> = geometry.vertices().collect();
            order.shuffle(&mut rng);
            order.truncate(stones + rng.random_range(0..2));
            order.into_iter().for_each(|v| _ = game.play(v));
            game
        };
        std::iter::repeat_with(next).filter(|game| game.outcome().is_none())
    }

    fn line(game: &Game, winner: Color) -> WinningLine {
        winning_line(game, winner, &[], &[], None, Deadline::never())
    }

    /// The winner of the game after the line.
    fn played_out(game: &Game, line: &WinningLine) -> Option<Color> {
        let mut game = game.clone();
        line.moves.iter().for_each(|&v| _ = game.play(v).expect("the moves of the line are legal"));
        game.outcome().and_then(|outcome| outcome.winner())
    }

    /// Whether `winner` can win with at most `moves` more moves, by trying all.
    fn can_win(game: &Game, winner: Color, moves: u32) -> bool {
        if let Some(outcome) = game.outcome() {
            return outcome.winner() == Some(winner);
        }
        let own = game.to_move() == winner;
        let mut after = game.position().empty_vertices().map(|v| {
            let mut after = game.clone();
            after.play(v).expect("the vertex is empty");
            after
        });
        if own {
            moves > 0 && after.any(|after| can_win(&after, winner, moves - 1))
        } else {
            after.all(|after| can_win(&after, winner, moves))
        }
    }

    /// On small boards the line is a whole game that the winner wins, the winner needs no more moves than it says, and
    /// its own moves all keep the win.
    #[test]
    fn the_line_of_a_solved_position_is_a_won_game() {
        let (mut checked, mut longest) = (0, 0);
        for (side, stones) in [(3, 8), (4, 10), (5, 22)] {
            let mut solver = Solver::new(Geometry::with_side(side).unwrap(), 1 << 20).unwrap();
            for game in games(side, stones, 1).take(25) {
                let color = game.to_move();
                let winner = match solver.solve(game.position(), color, 3000) {
                    Some(Solution::Win(_)) => color,
                    Some(Solution::Loss) => !color,
                    _ => continue,
                };
                let line = line(&game, winner);
                assert_eq!(played_out(&game, &line), Some(winner), "{:?}", line.moves);
                let own = line.moves.len().div_ceil(2) as u32;
                assert!(line.moves_to_win.is_none_or(|bound| bound == own));
                if let Some(bound) = line.moves_to_win.filter(|&bound| bound <= 2) {
                    assert!(can_win(&game, winner, bound));
                }
                checked += 1;
                longest = longest.max(own);
            }
        }
        assert!(checked > 50 && longest > 3, "{checked} positions, up to {longest} moves");
    }

    /// A first move that is given is kept, if the rest is not a small strategy; a table is followed.
    #[test]
    fn openings_of_side_4_are_played_out_with_the_table() {
        let geometry = Geometry::with_side(4).unwrap();
        let table = WinningMoves::builtin(geometry).unwrap();
        for v in [geometry.vertex(0).unwrap(), geometry.vertex(18).unwrap()] {
            let mut game = Game::new(geometry);
            game.play(v).unwrap();
            let line = winning_line(&game, Color::White, &[], &[table], None, Deadline::never());
            assert_eq!(played_out(&game, &line), Some(Color::White));
            assert_eq!(line.moves_to_win, None);
            game.play(line.moves[0]).unwrap();
            assert_eq!(table.get(game.position(), Color::White), Some(line.moves[1]));
        }
    }

    /// Without a solver, a sequence of threats is played to its end.
    #[test]
    fn threats_end_the_game_on_larger_boards() {
        let (mut found, mut lost) = (0, 0);
        for game in games(7, 50, 2).take(400) {
            let (position, color) = (game.position(), game.to_move());
            let mut threats = ThreatSearch::new(position);
            if !threats.prepare(position) || threats.find_sequence(position, color, SEQUENCE_NODES).is_none() {
                continue;
            }
            assert_eq!(played_out(&game, &line(&game, color)), Some(color));
            found += 1;
            // With the other player to move, whose replies may all fail.
            let mut reversed = game.clone();
            reversed.set_to_move(!color);
            let position = reversed.position();
            threats.prepare(position);
            if threats.find_sequence(position, !color, SEQUENCE_NODES).is_some() {
                continue;
            }
            threats.prepare(position);
            threats.find_sequence(position, color, SEQUENCE_NODES);
            threats.refute_replies(position, !color, SEQUENCE_NODES, |_| true);
            if (0..threats.candidates().len()).all(|i| threats.is_refuted(i)) {
                lost += usize::from(played_out(&reversed, &line(&reversed, color)) == Some(color));
            }
        }
        assert!(found > 10 && lost > 0, "{found} sequences, {lost} lost positions");
    }
}
