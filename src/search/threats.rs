//! Reading ahead by threats: what can be told of a position from the vertices on which one stone, or two, complete a
//! structure.
//!
//! - *One stone* (decisive and anti-decisive moves, Teytaud & Teytaud 2010): who completes a structure wins. If the
//!   opponent has one vertex for that, every other move loses; if two, every move does.
//! - *Two stones*: a move that leaves two such vertices wins. If the opponent has a move like that, every own move loses
//!   that neither takes one of its vertices nor threatens to complete a structure: what remains is the *must-play
//!   region* of Hex programs. A new node knows its moves up to here.
//! - *Sequences*: a threat to complete a structure has one answer, and a row of threats may end in a double one. This is
//!   lambda search of the first order (Thomsen, *Lambda-search in game trees*, 2000). [`Reader::sequence`] follows all
//!   rows of threats up to a number of positions; it is done for nodes that have seen some playouts.
//! - *Replies*: if it is the opponent who would win by a sequence, were it the opponent's turn, then each move is tried
//!   that may disturb it; those after which the opponent still wins by a sequence are refuted (the second order of lambda
//!   search, as far as one reply goes).
//!
//! All of these are proofs. Moves that do not disturb a sequence of the opponent's most likely lose: as long as others are
//! left they are not tried, but, where playouts guide the search, marked down (option `heed`).
//!
//! Gains in Elo ± one standard error (80 to 160 games each). At 0.1 s a move: two stones 58 ± 32 on side 6 and 35 ± 31 on
//! side 8, at a cost of an eighth of the playouts; sequences from the 128th playout of a node on, with `heed`, 22 ± 27 and
//! 30 ± 27. On side 6, at 0.2 to 0.3 s: from the 32nd playout on instead 29 ± 24 (two duels), replies 29 ± 32. Sequences
//! for every new node find more and cost more: -29 ± 32 and -12 ± 32.

use crate::board::{Candidate, Color, MAX_VERTICES, Pairs, Position, Vertex};

/// What a position is for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Won, with this move.
    Win(Vertex),
    /// Lost.
    Loss,
    /// Drawn: there is no move.
    Draw,
    /// Not known. Single moves may be refuted.
    Open,
}

/// How many threats a sequence has at the most.
const LONGEST: usize = 12;

/// Reads positions of one board. Holds the working space, so that reading does not allocate.
pub(crate) struct Reader {
    sites: Vec<Candidate>,
    pairs: Pairs,
    /// Of each site, whether a move there is proven to lose.
    refuted: Vec<bool>,
    /// The site where the opponent's threat is met, if there is one.
    stand: Option<usize>,
    levels: Vec<Level>,
    zone: Zone,
    /// Of each site, whether a move there may keep the opponent from a sequence.
    disturbing: Vec<bool>,
}

/// The vertices that a sequence of threats, its answers and the double threat at its end need.
type Zone = Vec<Vertex>;

impl Reader {
    /// A reader for positions of the board of `position`.
    pub fn new(position: &Position) -> Reader {
        let level =
            || Level { position: position.clone(), sites: Vec::with_capacity(MAX_VERTICES), pairs: Pairs::new() };
        Reader {
            sites: Vec::with_capacity(MAX_VERTICES),
            pairs: Pairs::new(),
            refuted: Vec::with_capacity(MAX_VERTICES),
            stand: None,
            levels: std::iter::repeat_with(level).take(LONGEST).collect(),
            zone: Vec::with_capacity(MAX_VERTICES),
            disturbing: Vec::with_capacity(MAX_VERTICES),
        }
    }

    /// The empty vertices of the position read last.
    pub fn sites(&self) -> &[Candidate] {
        &self.sites
    }

    /// Whether a move on a site is proven to lose, after [`Reader::read`] said anything but a win, or after
    /// [`Reader::try_replies`].
    pub fn is_refuted(&self, site: usize) -> bool {
        self.refuted[site]
    }

    /// Whether a site is the one to choose where all moves lose: the opponent has to find another.
    pub fn is_last_stand(&self, site: usize) -> bool {
        self.stand == Some(site)
    }

    /// Reads a position for `color`, who is to move: one stone ahead, and with `pairs` two.
    pub fn read(&mut self, position: &Position, color: Color, pairs: bool) -> Reading {
        self.sites.clear();
        self.refuted.clear();
        self.stand = None;
        let mut threats = 0;
        for site in position.candidates() {
            if site.completes(color) {
                return Reading::Win(site.vertex);
            }
            if site.completes(!color) {
                threats += 1;
                self.stand.get_or_insert(self.sites.len());
            }
            self.sites.push(site);
        }
        if self.sites.is_empty() {
            return Reading::Draw;
        }
        self.refuted.resize(self.sites.len(), false);
        if let Some(stand) = self.stand {
            self.refuted.fill(true);
            self.refuted[stand] = threats > 1;
        } else if pairs {
            self.pairs.find(position, color, &self.sites);
            if let Some(winning) = self.pairs.partners(color).iter().position(|p| p.count >= 2) {
                return Reading::Win(self.sites[winning].vertex);
            }
            self.pairs.find(position, !color, &self.sites);
            self.refute(color);
        }
        if self.refuted.iter().all(|&refuted| refuted) { Reading::Loss } else { Reading::Open }
    }

    /// Refutes the moves of `color` that do not help against each of the opponent's moves that would leave two vertices
    /// or more to complete a structure on.
    fn refute(&mut self, color: Color) {
        let own = self.pairs.partners(color);
        for (i, threat) in self.pairs.partners(!color).iter().enumerate().filter(|(_, p)| p.count >= 2) {
            self.stand.get_or_insert(i);
            for (j, refuted) in self.refuted.iter_mut().enumerate() {
                let helps = j == i || (threat.count == 2 && threat.first.contains(&(j as u16)));
                *refuted |= !helps && own[j].count == 0;
            }
        }
    }

    /// Looks at a position before its sequences are searched for. Whether there can be any: nobody must complete a
    /// structure with one stone.
    pub fn survey(&mut self, position: &Position) -> bool {
        self.sites.clear();
        self.sites.extend(position.candidates());
        if self.sites.iter().any(|site| Color::ALL.into_iter().any(|color| site.completes(color))) {
            return false;
        }
        Color::ALL.into_iter().for_each(|color| self.pairs.find(position, color, &self.sites));
        true
    }

    /// A move that wins for `color`, if to move, by a sequence of threats, if one is found among the first `positions`
    /// that are looked at. [`Reader::survey`] must have said of `position` that there can be.
    pub fn sequence(&mut self, position: &Position, color: Color, positions: u32) -> Option<Vertex> {
        let Reader { sites, pairs, levels, zone, .. } = self;
        let mut row = Row { color, left: positions, zone };
        if let Some(i) = row.double_threat(sites, pairs, None) {
            return Some(sites[i].vertex);
        }
        row.next(position, sites, pairs, None, levels).map(|i| sites[i].vertex)
    }

    /// Tries the moves of `color`, of whose opponent [`Reader::sequence`] found a win, against it: those are refuted after
    /// which the opponent still wins by a sequence found among `positions`. First come the moves that disturb the win; the
    /// others, which most likely lose, are tried only if none of the first is left. Sites that are not `open` are
    /// passed over.
    pub fn try_replies(&mut self, position: &Position, color: Color, positions: u32, open: impl Fn(Vertex) -> bool) {
        self.refuted.clear();
        self.refuted.resize(self.sites.len(), false);
        self.disturbing.clear();
        let own = self.pairs.partners(color);
        let disturbing =
            self.sites.iter().zip(own).map(|(site, own)| self.zone.contains(&site.vertex) || own.count > 0);
        self.disturbing.extend(disturbing);
        let mut left = false;
        for disturbing in [true, false] {
            for i in 0..self.sites.len() {
                if left && !disturbing {
                    return;
                }
                let vertex = self.sites[i].vertex;
                if self.disturbing[i] != disturbing || !open(vertex) {
                    continue;
                }
                let (level, deeper) = self.levels.split_first_mut().expect("there are levels");
                level.position.copy_from(position);
                level.position.place(color, vertex);
                let mut row = Row { color: !color, left: positions, zone: &mut self.zone };
                self.refuted[i] = row.wins(level, deeper);
                left |= !self.refuted[i];
            }
        }
    }

    /// Whether a move on a site may keep the opponent from winning by a sequence, after [`Reader::try_replies`]: it takes
    /// one of the vertices of the sequence, or threatens to complete a structure.
    pub fn disturbs(&self, site: usize) -> bool {
        self.disturbing[site]
    }
}

/// Working space for one position of a sequence.
struct Level {
    position: Position,
    sites: Vec<Candidate>,
    pairs: Pairs,
}

/// A search for a sequence of threats.
struct Row<'a> {
    /// Who makes the threats.
    color: Color,
    /// How many more positions may be looked at.
    left: u32,
    zone: &'a mut Zone,
}

impl Row<'_> {
    /// A site from which a structure can be completed on two others; if the opponent has to be stopped on `must`, only
    /// that one will do.
    fn double_threat(&mut self, sites: &[Candidate], pairs: &Pairs, must: Option<usize>) -> Option<usize> {
        let mut partners = pairs.partners(self.color).iter().enumerate();
        let (i, double) = partners.find(|(i, p)| p.count >= 2 && must.is_none_or(|must| *i == must))?;
        self.zone.clear();
        self.zone.push(sites[i].vertex);
        if double.count == 2 {
            self.zone.extend(double.first.map(|j| sites[j as usize].vertex));
        }
        Some(i)
    }

    /// A site from which a structure can be completed on one other, and which wins when that is answered.
    fn next(
        &mut self,
        position: &Position,
        sites: &[Candidate],
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
            let answer = sites[threat.first[0] as usize].vertex;
            level.position.copy_from(position);
            level.position.place(self.color, sites[i].vertex);
            level.position.place(!self.color, answer);
            if self.wins(level, deeper) {
                self.zone.extend([sites[i].vertex, answer]);
                return Some(i);
            }
        }
        None
    }

    /// Whether the position of `level` is won by double threats or a sequence.
    fn wins(&mut self, level: &mut Level, deeper: &mut [Level]) -> bool {
        let Level { position, sites, pairs } = level;
        sites.clear();
        let mut must = None;
        for site in position.candidates() {
            debug_assert!(!site.completes(self.color), "a threat was not answered");
            if site.completes(!self.color) {
                if must.is_some() {
                    return false;
                }
                must = Some(sites.len());
            }
            sites.push(site);
        }
        pairs.find(position, self.color, sites);
        self.double_threat(sites, pairs, must).is_some() || self.next(position, sites, pairs, must, deeper).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Geometry;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Where a stone of `color` completes a structure.
    fn completing(position: &Position, color: Color) -> Vec<Vertex> {
        position.empty_vertices().filter(|&v| !position.completes(color, v).is_empty()).collect()
    }

    /// Whether `color`, to move, wins within so many stones of both, by trying all moves.
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

    /// Whether `color`, to move, loses within so many stones of both.
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
            let geometry = Geometry::of(rng.random_range(sides.clone())).unwrap();
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
    fn readings_are_what_trying_all_moves_finds() {
        let (mut wins, mut refuted, mut open) = (0, 0, 0);
        for (position, color) in positions(3..=5, 1500, 6) {
            let mut reader = Reader::new(&position);
            match reader.read(&position, color, true) {
                Reading::Win(v) => {
                    let mut after = position.clone();
                    assert!(!after.place(color, v).is_empty() || loses_within(&after, !color, 2));
                    wins += 1;
                }
                Reading::Draw => assert_eq!(position.empty_vertices().count(), 0),
                reading => {
                    let threatened = !completing(&position, !color).is_empty();
                    assert!(threatened || !wins_within(&position, color, 3));
                    for (i, site) in reader.sites().iter().enumerate() {
                        let mut after = position.clone();
                        after.place(color, site.vertex);
                        let lost = wins_within(&after, !color, 3);
                        assert!(lost || !reader.is_refuted(i));
                        refuted += reader.is_refuted(i) as u32;
                        open += !reader.is_refuted(i) as u32;
                    }
                    assert_eq!(reading == Reading::Loss, (0..reader.sites().len()).all(|i| reader.is_refuted(i)));
                }
            }
        }
        assert!(wins > 300 && refuted > 3000 && open > 3000, "{wins} {refuted} {open}");
    }

    /// Every sequence wins when it is played out: each move of it leaves one vertex to complete a structure on, which
    /// the opponent takes, and the last one two or more, without the opponent ever being able to complete one.
    #[test]
    fn sequences_win() {
        let (mut found, mut longest) = (0, 0);
        for (start, color) in positions(3..=6, 6000, 7) {
            let mut reader = Reader::new(&start);
            let open = reader.read(&start, color, true) == Reading::Open && reader.survey(&start);
            if !open || reader.sequence(&start, color, 1000).is_none() {
                continue;
            }
            let (mut position, mut length) = (start, 0);
            loop {
                // In the middle of a sequence the opponent may have to be stopped by its next move.
                let threats = completing(&position, !color);
                let Some(v) = (match threats[..] {
                    [] => reader.survey(&position).then(|| reader.sequence(&position, color, 100_000)).flatten(),
                    [v] => Some(v),
                    _ => None,
                }) else {
                    panic!("the sequence leads nowhere after {length} threats");
                };
                assert!(position.place(color, v).is_empty());
                length += 1;
                match completing(&position, color)[..] {
                    [] => panic!("no threat"),
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

    /// Where a sequence wins, no reply but those said to disturb it keeps its first threats from being made, so the
    /// vertices of the sequence are among the replies. After a refuted reply the opponent wins by a sequence.
    #[test]
    fn replies_to_a_sequence_disturb_it_or_are_refuted() {
        let (mut seen, mut refuted, mut lost) = (0, 0, 0);
        for (position, color) in positions(3..=5, 3000, 8) {
            let mut reader = Reader::new(&position);
            let found = reader.survey(&position).then(|| reader.sequence(&position, color, 1000)).flatten();
            let Some(v) = found else { continue };
            reader.try_replies(&position, !color, 1000, |_| true);
            let sites: Vec<Vertex> = reader.sites().iter().map(|site| site.vertex).collect();
            assert!(reader.disturbs(sites.iter().position(|w| *w == v).unwrap()));
            let mut again = Reader::new(&position);
            for (i, &reply) in sites.iter().enumerate() {
                let mut after = position.clone();
                after.place(!color, reply);
                let threats = completing(&after, !color);
                assert!(threats.is_empty() || reader.disturbs(i));
                if reader.is_refuted(i) {
                    refuted += 1;
                    match threats[..] {
                        [] => {
                            assert!(again.survey(&after) && again.sequence(&after, color, 1000).is_some());
                        }
                        [forced] => {
                            // The opponent's only move is part of its win.
                            assert!(after.place(color, forced).is_empty());
                            let answers = completing(&after, color);
                            assert!(!answers.is_empty() && (answers.len() > 1 || completing(&after, !color).len() < 2));
                        }
                        _ => panic!("two threats refute nothing"),
                    }
                }
            }
            seen += 1;
            lost += (0..sites.len()).all(|i| reader.is_refuted(i)) as u32;
        }
        assert!(seen > 100 && refuted > 1000 && lost > 10, "{seen} sequences, {refuted} replies, {lost} lost");
    }
}
