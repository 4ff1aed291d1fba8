//! Exhaustive play on the carrier of a connection, to test the claims of the rules in [`super::connections`].

use std::collections::{HashMap, VecDeque};

use crate::game::{Color, Geometry, Position, Vertex};

use super::connections::SIDES;

/// An end of a claimed connection.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// One of the six sides.
    Side(usize),
    /// A stone of the owner, or an empty vertex, which counts as a stone of the owner.
    Vertex(Vertex),
}

/// A claim about a position: `color` joins the targets with at most `depth` stones in the carrier.
pub struct Claim<'a> {
    pub position: &'a Position,
    pub color: Color,
    pub targets: [Target; 2],
    pub carrier: &'a [Vertex],
    pub depth: usize,
}

impl Claim<'_> {
    /// Whether the claim holds after `z` extra stones of the opponent, or −z of the owner if `z` is negative, with the
    /// opponent to move. So `z` is 0 for a full connection, and −1 for a half one. The opponent may also pass. `None`
    /// if the carrier is too large.
    pub fn holds(&self, z: i32) -> Option<bool> {
        if self.carrier.len() > 32 {
            return None;
        }
        let mut play = Play::new(self);
        let holds = play.holds_after(z, 0, 0);
        (play.known.len() < MAX_STATES).then_some(holds)
    }
}

/// The most states to visit.
const MAX_STATES: usize = 3_000_000;

struct Play<'a> {
    claim: &'a Claim<'a>,
    geometry: &'static Geometry,
    /// The index of each vertex in the carrier.
    place: Vec<Option<usize>>,
    /// Whether the owner survives with the opponent to move, for sets of stones of owner and opponent.
    known: HashMap<(u32, u32), bool>,
}

impl<'a> Play<'a> {
    fn new(claim: &'a Claim<'a>) -> Play<'a> {
        let geometry = claim.position.geometry();
        let mut place = vec![None; geometry.vertex_count()];
        claim.carrier.iter().enumerate().for_each(|(i, v)| place[v.index()] = Some(i));
        Play { claim, geometry, place, known: HashMap::new() }
    }

    /// Whether the owner connects in time, with the opponent to move, after `z` more stones of the opponent, or −z of
    /// the owner.
    fn holds_after(&mut self, z: i32, own: u32, other: u32) -> bool {
        match z {
            0 => self.survives(own, other),
            1.. => self.free(own, other).all(|bit| self.holds_after(z - 1, own, other | bit)),
            _ => self.free(own, other).any(|bit| self.holds_after(z + 1, own | bit, other)),
        }
    }

    /// Whether the owner still connects in time if the opponent is to move.
    fn survives(&mut self, own: u32, other: u32) -> bool {
        if let Some(&known) = self.known.get(&(own, other)) {
            return known;
        }
        let left = self.claim.depth - own.count_ones() as usize;
        let missing = self.missing(own, other);
        let survives = missing == Some(0)
            || missing.is_some_and(|missing| missing <= left)
                && self.known.len() < MAX_STATES
                && self.free(own, other).all(|bit| self.moves(own, other | bit))
                && self.moves(own, other);
        self.known.insert((own, other), survives);
        survives
    }

    /// Whether the owner still connects in time if the owner is to move.
    fn moves(&mut self, own: u32, other: u32) -> bool {
        let left = self.claim.depth - own.count_ones() as usize;
        match self.missing(own, other) {
            Some(0) => true,
            Some(missing) if missing <= left => self.free(own, other).any(|bit| self.survives(own | bit, other)),
            _ => false,
        }
    }

    fn free(&self, own: u32, other: u32) -> impl Iterator<Item = u32> + use<> {
        (0..self.claim.carrier.len()).map(|i| 1 << i).filter(move |bit| (own | other) & bit == 0)
    }

    /// What it costs the owner to use a vertex.
    fn cost(&self, v: Vertex, own: u32, other: u32) -> Option<usize> {
        let is_target = |target: &Target| matches!(target, Target::Vertex(w) if *w == v);
        if self.claim.targets.iter().any(is_target) || self.claim.position.stone(v) == Some(self.claim.color) {
            return Some(0);
        }
        let bit = 1 << self.place[v.index()]?;
        if other & bit != 0 { None } else { Some((own & bit == 0) as usize) }
    }

    /// The fewest stones that join the targets without the opponent's moves.
    fn missing(&self, own: u32, other: u32) -> Option<usize> {
        let is_in = |target: Target, v: Vertex| match target {
            Target::Side(side) => self.geometry.rim(v) == 1 << (SIDES + side),
            Target::Vertex(w) => v == w,
        };
        let [from, to] = self.claim.targets;
        let mut best: Vec<Option<usize>> = vec![None; self.geometry.vertex_count()];
        let mut queue: VecDeque<(usize, Vertex)> = VecDeque::new();
        for v in self.geometry.vertices().filter(|&v| is_in(from, v)) {
            match self.cost(v, own, other) {
                Some(0) => queue.push_front((0, v)),
                Some(cost) => queue.push_back((cost, v)),
                None => {}
            }
        }
        while let Some((distance, v)) = queue.pop_front() {
            if best[v.index()].is_some() {
                continue;
            }
            best[v.index()] = Some(distance);
            if is_in(to, v) {
                return Some(distance);
            }
            for &w in self.geometry.neighbours(v).iter().filter(|w| best[w.index()].is_none()) {
                match self.cost(w, own, other) {
                    Some(0) => queue.push_front((distance, w)),
                    Some(cost) => queue.push_back((distance + cost, w)),
                    None => {}
                }
            }
        }
        None
    }
}
