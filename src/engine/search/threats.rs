//! Looking ahead by threats: what the vertices on which one or two stones complete a structure prove about a position.
//!
//! - *One stone* (decisive and anti-decisive moves, Teytaud & Teytaud 2010): a player who can complete a structure
//!   wins. If the opponent could complete one on a single vertex, every other move loses; if on two, all moves lose.
//! - *Two stones*: a move that leaves two such vertices wins. If the opponent has such a move, every move loses unless
//!   it takes one of those vertices or threatens to complete a structure. What remains is the *must-play region* of
//!   Hex programs. New nodes look ahead this far ([`ThreatSearch::look_ahead`]).
//! - *Sequences*: a threat to complete a structure has a single answer, and a sequence of threats may end in a double
//!   one (lambda search of the first order; Thomsen, *Lambda-search in game trees*, 2000).
//!   [`ThreatSearch::find_sequence`] follows all sequences up to a number of positions. Nodes with some visits do this.
//! - *Replies*: if the opponent would win by a sequence, each move that may interfere with it is tried. Those after
//!   which the opponent still wins by a sequence are refuted ([`ThreatSearch::refute_replies`]; lambda search of the
//!   second order, as far as one reply goes).
//!
//! All of these are proofs. A move that does not interfere with the opponent's sequence most likely loses, but that is
//! not proven while other moves are open; the RAVE search only lowers its value (option `threat_search_penalty`).

use crate::game::{Candidate, Color, Lookahead, MAX_VERTICES, Pairs, Position, Vertex};

use super::limits::Deadline;

/// What [`ThreatSearch::look_ahead`] proves about a position, for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Won by this move.
    Win(Vertex),
    /// Lost.
    Loss,
    /// Drawn: no vertex is empty.
    Draw,
    /// Unknown. Single moves may be refuted.
    Open,
}

/// The most threats of a sequence.
const LONGEST: usize = 12;

/// Positions that a search for a sequence examines between two looks at the clock.
const LOOK_INTERVAL: u32 = 16;

/// The set of vertices that a sequence needs: its threats, their answers, and the double threat at the end.
type Carrier = Vec<Vertex>;

/// Looks ahead from positions of one board. It holds the working space, so that a search does not allocate.
pub(crate) struct ThreatSearch<'a> {
    candidates: Vec<Candidate>,
    pairs: Pairs,
    /// Whether the pairs of both colours have been found for the candidates.
    has_pairs: bool,
    /// For each candidate, whether the move is proven to lose.
    refuted: Vec<bool>,
    /// The candidate that meets the opponent's first threat, if there is a threat.
    last_resort: Option<usize>,
    levels: Vec<Level>,
    carrier: Carrier,
    /// For each candidate, whether the move may interfere with the opponent's sequence.
    interfering: Vec<bool>,
    deadline: &'a Deadline<'a>,
}

impl<'a> ThreatSearch<'a> {
    /// For positions of the board of `position`.
    pub fn new(position: &Position) -> ThreatSearch<'a> {
        ThreatSearch::until(Deadline::never(), position)
    }

    /// For positions of the board of `position`. Searches for sequences end without a result when the deadline passes.
    pub fn until(deadline: &'a Deadline<'a>, position: &Position) -> ThreatSearch<'a> {
        let level =
            || Level { position: position.clone(), candidates: Vec::with_capacity(MAX_VERTICES), pairs: Pairs::new() };
        ThreatSearch {
            candidates: Vec::with_capacity(MAX_VERTICES),
            pairs: Pairs::new(),
            has_pairs: false,
            refuted: Vec::with_capacity(MAX_VERTICES),
            last_resort: None,
            levels: std::iter::repeat_with(level).take(LONGEST).collect(),
            carrier: Vec::with_capacity(MAX_VERTICES),
            interfering: Vec::with_capacity(MAX_VERTICES),
            deadline,
        }
    }

    /// Whether the deadline has ended a search for a sequence, or some other part of the search.
    pub fn was_cut_short(&self) -> bool {
        self.deadline.was_seen()
    }

    /// The moves (empty vertices) of the last position.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// What [`ThreatSearch::look_ahead`] has found out about the last position, if it found no win.
    pub fn known(&self) -> Lookahead<'_> {
        Lookahead { candidates: &self.candidates, pairs: self.has_pairs.then_some(&self.pairs) }
    }

    /// Whether a candidate is proven to lose, after [`ThreatSearch::look_ahead`] found no win, or after
    /// [`ThreatSearch::refute_replies`].
    pub fn is_refuted(&self, candidate: usize) -> bool {
        self.refuted[candidate]
    }

    /// Whether a candidate is the one to choose where all moves lose: it leaves the opponent to find another win.
    pub fn is_last_resort(&self, candidate: usize) -> bool {
        self.last_resort == Some(candidate)
    }

    /// Looks one stone ahead, and two with `pairs`, from a position with `color` to move.
    pub fn look_ahead(&mut self, position: &Position, color: Color, pairs: bool) -> Status {
        self.candidates.clear();
        self.refuted.clear();
        (self.last_resort, self.has_pairs) = (None, false);
        let mut threats = 0;
        for candidate in position.candidates() {
            if candidate.completes(color) {
                return Status::Win(candidate.vertex);
            }
            if candidate.completes(!color) {
                threats += 1;
                self.last_resort.get_or_insert(self.candidates.len());
            }
            self.candidates.push(candidate);
        }
        if self.candidates.is_empty() {
            return Status::Draw;
        }
        self.refuted.resize(self.candidates.len(), false);
        if let Some(block) = self.last_resort {
            self.refuted.fill(true);
            self.refuted[block] = threats > 1;
        } else if pairs {
            self.pairs.find(position, color, &self.candidates);
            if let Some(winning) = self.pairs.partners(color).iter().position(|p| p.count >= 2) {
                return Status::Win(self.candidates[winning].vertex);
            }
            self.pairs.find(position, !color, &self.candidates);
            self.has_pairs = true;
            self.refute_outside_must_play(color);
        }
        if self.refuted.iter().all(|&refuted| refuted) { Status::Loss } else { Status::Open }
    }

    /// Takes each of the opponent's moves that would leave two or more vertices on which to complete a structure, and
    /// refutes the moves of `color` that do not prevent it.
    fn refute_outside_must_play(&mut self, color: Color) {
        let own = self.pairs.partners(color);
        for (i, threat) in self.pairs.partners(!color).iter().enumerate().filter(|(_, p)| p.count >= 2) {
            self.last_resort.get_or_insert(i);
            for (j, refuted) in self.refuted.iter_mut().enumerate() {
                let helps = j == i || (threat.count == 2 && threat.first.contains(&(j as u16)));
                *refuted |= !helps && own[j].count == 0;
            }
        }
    }

    /// Prepares a position for the search for sequences. Returns false if there is nothing to search, because one of
    /// the players can complete a structure with one stone.
    pub fn prepare(&mut self, position: &Position) -> bool {
        self.candidates.clear();
        self.has_pairs = false;
        self.candidates.extend(position.candidates());
        if self.candidates.iter().any(|candidate| Color::ALL.into_iter().any(|color| candidate.completes(color))) {
            return false;
        }
        Color::ALL.into_iter().for_each(|color| self.pairs.find(position, color, &self.candidates));
        true
    }

    /// A move with which `color`, if it is to move, wins by a sequence of threats. `None` if none is found within
    /// `limit` positions. [`ThreatSearch::prepare`] must have returned true for the position.
    pub fn find_sequence(&mut self, position: &Position, color: Color, limit: u32) -> Option<Vertex> {
        let ThreatSearch { candidates, pairs, levels, carrier, deadline, .. } = self;
        let mut search = SequenceSearch { color, left: limit, carrier, deadline };
        if let Some(i) = search.double_threat(candidates, pairs, None) {
            return Some(candidates[i].vertex);
        }
        search.next_threat(position, candidates, pairs, None, levels).map(|i| candidates[i].vertex)
    }

    /// Like [`ThreatSearch::find_sequence`], but without [`ThreatSearch::prepare`], from any position in which `color`
    /// cannot complete a structure with one stone. If the opponent could, the first move prevents that.
    pub fn find_answering_sequence(&mut self, position: &Position, color: Color, limit: u32) -> Option<Vertex> {
        let ThreatSearch { levels, carrier, deadline, .. } = self;
        let (level, deeper) = levels.split_first_mut().expect("there are levels");
        level.position.copy_from(position);
        SequenceSearch { color, left: limit, carrier, deadline }.first_move(level, deeper)
    }

    /// Tries the moves of `color` against a sequence of the opponent that [`ThreatSearch::find_sequence`] has found.
    /// Refutes those after which the opponent still wins by a sequence that is found within `limit` positions. Moves
    /// that may interfere are tried first, the others only if all of those are refuted. Moves that are not `open` are
    /// skipped, and so is what remains when the deadline passes.
    pub fn refute_replies(&mut self, position: &Position, color: Color, limit: u32, open: impl Fn(Vertex) -> bool) {
        self.refuted.clear();
        self.refuted.resize(self.candidates.len(), false);
        self.interfering.clear();
        let own = self.pairs.partners(color);
        let candidates = self.candidates.iter().zip(own);
        let interfering = candidates.map(|(c, own)| self.carrier.contains(&c.vertex) || own.count > 0);
        self.interfering.extend(interfering);
        let mut is_any_left = false;
        for interfering in [true, false] {
            for i in 0..self.candidates.len() {
                if is_any_left && !interfering {
                    return;
                }
                let vertex = self.candidates[i].vertex;
                if self.interfering[i] != interfering || !open(vertex) {
                    continue;
                }
                if self.deadline.has_passed() {
                    return;
                }
                let (level, deeper) = self.levels.split_first_mut().expect("there are levels");
                level.position.copy_from(position);
                level.position.place(color, vertex);
                let carrier = &mut self.carrier;
                let deadline = self.deadline;
                let mut search = SequenceSearch { color: !color, left: limit, carrier, deadline };
                self.refuted[i] = search.first_move(level, deeper).is_some();
                is_any_left |= !self.refuted[i];
            }
        }
    }

    /// Whether a candidate may interfere with the opponent's sequence, after [`ThreatSearch::refute_replies`]: it takes
    /// one of the vertices of its carrier, or threatens to complete a structure.
    pub fn interferes(&self, candidate: usize) -> bool {
        self.interfering[candidate]
    }
}

/// Working space for one position of a sequence.
struct Level {
    position: Position,
    candidates: Vec<Candidate>,
    pairs: Pairs,
}

/// A search for a winning sequence of threats.
struct SequenceSearch<'a> {
    /// The player who makes the threats.
    color: Color,
    /// How many more positions may be examined.
    left: u32,
    /// Collects the vertices of the sequence found.
    carrier: &'a mut Carrier,
    deadline: &'a Deadline<'a>,
}

impl SequenceSearch<'_> {
    /// A candidate that leaves two vertices to complete a structure on. If the opponent has to be stopped on `must`,
    /// only that candidate is allowed.
    fn double_threat(&mut self, candidates: &[Candidate], pairs: &Pairs, must: Option<usize>) -> Option<usize> {
        let mut partners = pairs.partners(self.color).iter().enumerate();
        let (i, double) = partners.find(|(i, p)| p.count >= 2 && must.is_none_or(|must| *i == must))?;
        self.carrier.clear();
        self.carrier.push(candidates[i].vertex);
        if double.count == 2 {
            self.carrier.extend(double.first.map(|j| candidates[j as usize].vertex));
        }
        Some(i)
    }

    /// A candidate that leaves one vertex to complete a structure on, and wins once that threat is answered.
    fn next_threat(
        &mut self,
        position: &Position,
        candidates: &[Candidate],
        pairs: &Pairs,
        must: Option<usize>,
        levels: &mut [Level],
    ) -> Option<usize> {
        let (level, deeper) = levels.split_first_mut()?;
        for (i, threat) in pairs.partners(self.color).iter().enumerate() {
            if threat.count != 1 || must.is_some_and(|must| i != must) {
                continue;
            }
            self.left = self.left.checked_sub(1)?;
            if self.left % LOOK_INTERVAL == LOOK_INTERVAL - 1 && self.deadline.has_passed() {
                self.left = 0;
                return None;
            }
            let answer = candidates[threat.first[0] as usize].vertex;
            level.position.copy_from(position);
            level.position.place(self.color, candidates[i].vertex);
            level.position.place(!self.color, answer);
            if self.first_move(level, deeper).is_some() {
                self.carrier.extend([candidates[i].vertex, answer]);
                return Some(i);
            }
        }
        None
    }

    /// The double threat or the first threat of a sequence that wins from the position of `level`, if one is found.
    fn first_move(&mut self, level: &mut Level, deeper: &mut [Level]) -> Option<Vertex> {
        let Level { position, candidates, pairs } = level;
        candidates.clear();
        let mut must = None;
        for candidate in position.candidates() {
            debug_assert!(!candidate.completes(self.color), "a threat was not answered");
            if candidate.completes(!self.color) {
                if must.is_some() {
                    return None;
                }
                must = Some(candidates.len());
            }
            candidates.push(candidate);
        }
        pairs.find(position, self.color, candidates);
        let double = self.double_threat(candidates, pairs, must);
        let first = double.or_else(|| self.next_threat(position, candidates, pairs, must, deeper));
        first.map(|i| candidates[i].vertex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::time::Instant;
    use crate::engine::search::limits::Limits;
    use crate::game::Geometry;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use std::sync::atomic::AtomicBool;

    /// The vertices on which a stone of `color` completes a structure.
    fn completing(position: &Position, color: Color) -> Vec<Vertex> {
        position.empty_vertices().filter(|&v| !position.completes(color, v).is_empty()).collect()
    }

    /// Whether `color`, to move, wins within this many stones of both players, by trying all moves.
    fn wins_within(position: &Position, color: Color, stones: u32) -> bool {
        let empty: Vec<Vertex> = position.empty_vertices().collect();
        if !completing(position, color).is_empty() {
            return true;
        }
        let threats = completing(position, !color);
        if stones < 3 || threats.len() > 1 {
            return false;
        }
        let moves = if threats.is_empty() { empty } else { threats };
        moves.into_iter().any(|v| {
            let mut after = position.clone();
            after.place(color, v);
            loses_within(&after, !color, stones - 1)
        })
    }

    /// Whether `color`, to move, loses within this many stones of both players.
    fn loses_within(position: &Position, color: Color, stones: u32) -> bool {
        let empty: Vec<Vertex> = position.empty_vertices().collect();
        if !completing(position, color).is_empty() {
            return false;
        }
        let threats = completing(position, !color);
        if threats.len() > 1 {
            return true;
        }
        if stones < 4 && threats.is_empty() {
            return false;
        }
        let moves = if threats.is_empty() { empty } else { threats };
        !moves.is_empty()
            && moves.into_iter().all(|v| {
                let mut after = position.clone();
                after.place(color, v);
                wins_within(&after, !color, stones - 1)
            })
    }

    /// Positions of random games in which neither player completes a structure.
    fn positions(sides: std::ops::RangeInclusive<usize>, count: usize, seed: u64) -> Vec<(Position, Color)> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut position = || {
            let geometry = Geometry::with_side(rng.random_range(sides.clone())).unwrap();
            let (mut position, mut color) = (Position::new(geometry), Color::White);
            for _ in 0..rng.random_range(geometry.vertex_count() / 4..geometry.vertex_count()) {
                let v = geometry.vertex(rng.random_range(0..geometry.vertex_count())).unwrap();
                if position.is_empty(v) && position.completes(color, v).is_empty() {
                    position.place(color, v);
                    color = !color;
                }
            }
            (position, color)
        };
        (0..count).map(|_| position()).collect()
    }

    #[test]
    fn searches_for_sequences_end_soon_after_the_deadline() {
        let stop = AtomicBool::new(true);
        let deadline = Deadline::new(Instant::now(), &Limits::default(), &stop);
        let (limit, mut ended, mut found) = (1_000_000, 0, 0);
        for (position, color) in positions(7..=8, 400, 9) {
            let mut threats = ThreatSearch::new(&position);
            if !threats.prepare(&position) {
                continue;
            }
            let ThreatSearch { candidates, pairs, levels, carrier, .. } = &mut threats;
            let mut search = SequenceSearch { color, left: limit, carrier, deadline: &deadline };
            search.next_threat(&position, candidates, pairs, None, levels);
            assert!(search.left == 0 || limit - search.left <= LOOK_INTERVAL);
            ended += (search.left == 0) as u32;
            if threats.find_sequence(&position, color, limit).is_some() {
                threats.deadline = &deadline;
                threats.refute_replies(&position, !color, limit, |_| true);
                found += (0..threats.candidates().len()).all(|i| !threats.is_refuted(i)) as u32;
            }
        }
        assert!(ended > 10 && found > 10, "{ended} searches ended, {found} left all replies open");
    }

    #[test]
    fn looking_ahead_agrees_with_trying_all_moves() {
        let (mut wins, mut refuted, mut open) = (0, 0, 0);
        for (position, color) in positions(3..=5, 1500, 6) {
            let mut search = ThreatSearch::new(&position);
            match search.look_ahead(&position, color, true) {
                Status::Win(v) => {
                    let mut after = position.clone();
                    assert!(!after.place(color, v).is_empty() || loses_within(&after, !color, 2));
                    wins += 1;
                }
                Status::Draw => assert_eq!(position.empty_vertices().count(), 0),
                status => {
                    let threatened = !completing(&position, !color).is_empty();
                    assert!(threatened || !wins_within(&position, color, 3));
                    for (i, candidate) in search.candidates().iter().enumerate() {
                        let mut after = position.clone();
                        after.place(color, candidate.vertex);
                        let lost = wins_within(&after, !color, 3);
                        assert!(lost || !search.is_refuted(i));
                        refuted += search.is_refuted(i) as u32;
                        open += !search.is_refuted(i) as u32;
                    }
                    assert_eq!(status == Status::Loss, (0..search.candidates().len()).all(|i| search.is_refuted(i)));
                }
            }
        }
        assert!(wins > 300 && refuted > 3000 && open > 3000, "{wins} {refuted} {open}");
    }

    /// Every sequence wins when it is played out: each move leaves one vertex to complete a structure on, which the
    /// opponent takes, and the last move leaves two or more. The opponent can never complete a structure meanwhile.
    #[test]
    fn sequences_win() {
        let (mut found, mut longest) = (0, 0);
        for (start, color) in positions(3..=6, 6000, 7) {
            let mut search = ThreatSearch::new(&start);
            let open = search.look_ahead(&start, color, true) == Status::Open && search.prepare(&start);
            if !open || search.find_sequence(&start, color, 1000).is_none() {
                continue;
            }
            let (mut position, mut length) = (start, 0);
            loop {
                // In the middle of a sequence its next move may have to stop the opponent.
                let threats = completing(&position, !color);
                let Some(v) = (match threats[..] {
                    [] => search.prepare(&position).then(|| search.find_sequence(&position, color, 100_000)).flatten(),
                    [v] => Some(v),
                    _ => None,
                }) else {
                    panic!("the sequence leads nowhere after {length} threats");
                };
                assert!(position.place(color, v).is_empty());
                length += 1;
                match completing(&position, color)[..] {
                    [] => panic!("a move without a threat"),
                    [answer] => assert!(position.place(!color, answer).is_empty()),
                    _ => break,
                }
            }
            assert!(completing(&position, !color).is_empty());
            found += 1;
            longest = longest.max(length);
        }
        assert!(found > 30 && longest > 2, "{found} sequences of up to {longest} threats");
    }

    /// The first vertex of a sequence, and every reply that makes a threat, is said to interfere. After a refuted reply
    /// the opponent wins by a sequence.
    #[test]
    fn refuted_replies_lose_to_a_sequence() {
        let (mut seen, mut refuted, mut lost) = (0, 0, 0);
        for (position, color) in positions(3..=5, 3000, 8) {
            let mut search = ThreatSearch::new(&position);
            let found = search.prepare(&position).then(|| search.find_sequence(&position, color, 1000)).flatten();
            let Some(v) = found else { continue };
            search.refute_replies(&position, !color, 1000, |_| true);
            let moves: Vec<Vertex> = search.candidates().iter().map(|candidate| candidate.vertex).collect();
            assert!(search.interferes(moves.iter().position(|w| *w == v).unwrap()));
            let mut again = ThreatSearch::new(&position);
            for (i, &reply) in moves.iter().enumerate() {
                let mut after = position.clone();
                after.place(!color, reply);
                let threats = completing(&after, !color);
                assert!(threats.is_empty() || search.interferes(i));
                if search.is_refuted(i) {
                    refuted += 1;
                    match threats[..] {
                        [] => {
                            assert!(again.prepare(&after) && again.find_sequence(&after, color, 1000).is_some());
                        }
                        [forced] => {
                            // The opponent's only move continues the sequence.
                            assert!(after.place(color, forced).is_empty());
                            let answers = completing(&after, color);
                            assert!(!answers.is_empty() && (answers.len() > 1 || completing(&after, !color).len() < 2));
                        }
                        _ => panic!("two threats refute nothing"),
                    }
                }
            }
            seen += 1;
            lost += (0..moves.len()).all(|i| search.is_refuted(i)) as u32;
        }
        assert!(seen > 100 && refuted > 1000 && lost > 10, "{seen} sequences, {refuted} replies, {lost} lost");
    }
}
