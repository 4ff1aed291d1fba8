//! The relevant moves of a position, or its result if one or two stones decide it.
//!
//! Decisive moves are recognised one and two stones ahead, as the tree search does. A player who can complete a
//! structure wins. If the opponent could complete one on a single vertex, the player must take that vertex. If the
//! opponent has a move after which there would be two such vertices, only moves that prevent it or make a threat are
//! relevant.
//!
//! An attacker who would have no structure even with all empty cells cannot win any more, and the search ends there.
//!
//! A sequence of threats that has won is remembered as a pattern ([`super::patterns`]). A player to move with a pattern
//! that fits wins, and moves after which the opponent has a pattern that fits are left out.

use super::bitboard::{Word, bit, cells, has_two};
use super::children::Child;
use super::dfpn::{Line, Thread};
use super::guide;
use super::patterns::{Pattern, Sequence};
use super::shared::State;
use super::table::ProofNumbers;

/// The initial δ of a position after a threat, which leaves the opponent one reply.
const THREAT_ESTIMATE: u32 = 2;

impl<W: Word> Thread<'_, W> {
    /// Pushes the relevant children of a position onto the stack of children. If the position is decided, returns its
    /// proof numbers instead.
    pub fn expand(&mut self, state: &State<W>, player: usize) -> Option<ProofNumbers> {
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
        let candidates = if is_forced {
            threats
        } else {
            match self.look_ahead(state, player, empty) {
                Ok(candidates) => candidates,
                Err(numbers) => return Some(numbers),
            }
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
        let keys = &self.shared.keys;
        let candidates =
            if keys.is_symmetric(&state.keys) { self.without_images(state, player, candidates) } else { candidates };
        let mut stored = W::zero();
        for cell in cells(candidates) {
            if self.shared.table.prefetch(keys.least_after(&state.keys, player, cell)) {
                stored = stored | bit(cell);
            }
        }
        for cell in cells(candidates) {
            let key = keys.least_after(&state.keys, player, cell);
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

    /// The first of all moves that lead to images of each other. If both were searched, they would seem to take twice the
    /// effort.
    #[cold]
    fn without_images(&self, state: &State<W>, player: usize, moves: W) -> W {
        let key = |cell| self.shared.keys.least_after(&state.keys, player, cell);
        cells(moves).fold(W::zero(), |kept, cell| {
            if cells(kept).any(|other| key(other) == key(cell)) { kept } else { kept | bit(cell) }
        })
    }

    /// The initial proof numbers of the position after a move. Unless the move is forced, the prospects must be up to
    /// date.
    fn first_estimate(&self, state: &State<W>, player: usize, cell: usize, empty: W, is_forced: bool) -> ProofNumbers {
        let empty = empty & !bit::<W>(cell);
        if empty.is_zero() {
            return self.shared.drawn(1 - player);
        }
        let depth = self.own.depth();
        let completing = if is_forced {
            state.stones[player].with(&self.shared.board, cell).completing(empty)
        } else {
            self.own.prospects[depth].after(cell) & empty
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

    /// Finds out what each move of either player would threaten, and returns the moves that are not refuted at once.
    /// Neither player may be able to complete a structure yet. If a move threatens to complete a structure on two
    /// cells, it wins, and the error is the position's proof numbers.
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
                self.own.line = Some(Line::Won(Sequence::from_move(cell, completing)));
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
}
