//! Offline recognition of rings (paper, section 8): the earliest capture of each vertex, by Dijkstra's algorithm in
//! the (max,min)-semiring.
//!
//! Input is *b*, the number of the move with which the colour in question took each vertex (+∞ where it never did).
//! The capture time *s*\[p\] of a vertex is the maximum over all paths from the rim to *p* of the minimum of *b* on the
//! path, *p* excluded: the move at which the last way out was cut. Because move numbers are small integers, the
//! priority queue is an array of buckets, one a move number, and the whole is linear in the board's size where the
//! paper has O(n log n).

use super::color::Color;
use super::geometry::{Geometry, MAX_VERTICES, Vertex};

/// A move number or capture time that stands for +∞: never.
pub const NEVER: u16 = u16::MAX;

/// Working space of [`RingFinder::earliest`], kept between calls so that they do not allocate.
pub struct RingFinder {
    geometry: &'static Geometry,
    /// The paper's b: for each vertex the number of the move that took it, from 0, or [`NEVER`].
    taken: [u16; MAX_VERTICES],
    /// The paper's s.
    captured: [u16; MAX_VERTICES],
    /// The paper's M: the last entry of each bucket, or [`NONE`]. The bucket for +∞ comes last.
    bucket: [u16; MAX_VERTICES + 1],
    /// The queue's entries. A vertex whose value was raised has more than one, of which only the highest counts.
    entries: Vec<Entry>,
    /// The value under which each vertex stands in the queue, or [`UNQUEUED`], or [`DONE`].
    queued: [u16; MAX_VERTICES],
}

/// An entry of the priority queue.
struct Entry {
    vertex: Vertex,
    /// The entry before this one in its bucket, or [`NONE`].
    before: u16,
}

const NONE: u16 = u16::MAX;
const UNQUEUED: u16 = u16::MAX;
const DONE: u16 = u16::MAX - 1;
/// The bucket for +∞.
const INFINITE: usize = MAX_VERTICES;

impl RingFinder {
    /// A finder for one board.
    pub fn new(geometry: &'static Geometry) -> RingFinder {
        RingFinder {
            geometry,
            taken: [NEVER; MAX_VERTICES],
            captured: [NEVER; MAX_VERTICES],
            bucket: [NONE; MAX_VERTICES + 1],
            // A vertex enters once for itself if it is on the rim, and at most once from each neighbour.
            entries: Vec::with_capacity(7 * geometry.vertex_count()),
            queued: [UNQUEUED; MAX_VERTICES],
        }
    }

    /// The number, counted from 0, of the first move of `moves` with which `color` completed a ring, if any. The
    /// moves alternate, beginning with `first`; no vertex occurs twice.
    pub fn earliest(&mut self, moves: &[Vertex], first: Color, color: Color) -> Option<usize> {
        self.taken[..self.geometry.vertex_count()].fill(NEVER);
        let parity = (first != color) as usize;
        for (number, v) in moves.iter().enumerate().skip(parity).step_by(2) {
            self.taken[v.index()] = number as u16;
        }
        self.earliest_capture().map(usize::from)
    }

    /// Like [`RingFinder::earliest`], for moves given as pairs of colour and vertex in any order of colours.
    pub fn earliest_of(&mut self, moves: impl IntoIterator<Item = (Color, Vertex)>, color: Color) -> Option<usize> {
        self.taken[..self.geometry.vertex_count()].fill(NEVER);
        for (number, (_, v)) in moves.into_iter().enumerate().filter(|(_, (c, _))| *c == color) {
            self.taken[v.index()] = number as u16;
        }
        self.earliest_capture().map(usize::from)
    }

    /// The paper's s for the moves last given: for each vertex the move that captured it, or [`NEVER`].
    pub fn capture_times(&self) -> &[u16] {
        &self.captured[..self.geometry.vertex_count()]
    }

    fn earliest_capture(&mut self) -> Option<u16> {
        let geometry = self.geometry;
        let count = geometry.vertex_count();
        self.captured[..count].fill(NEVER);
        self.queued[..count].fill(UNQUEUED);
        self.bucket.fill(NONE);
        self.entries.clear();
        for v in geometry.vertices().filter(|&v| geometry.rim(v) != 0) {
            self.push(v, INFINITE);
        }
        let mut earliest = NEVER;
        for value in (0..=INFINITE).rev() {
            // What is put in while this bucket is worked off is not greater than it, so no bucket is visited twice.
            while let Some(entry) = self.entries.get(self.bucket[value] as usize) {
                let p = entry.vertex;
                self.bucket[value] = entry.before;
                if self.queued[p.index()] as usize != value {
                    continue;
                }
                self.queued[p.index()] = DONE;
                let time = if value == INFINITE { NEVER } else { value as u16 };
                self.captured[p.index()] = time;
                earliest = earliest.min(time);
                // m ⊗ w[p, q]: an edge out of p has the weight b[p].
                let onward = value.min(self.taken[p.index()] as usize);
                for &q in geometry.neighbours(p) {
                    let known = self.queued[q.index()];
                    if known == UNQUEUED || (known != DONE && (known as usize) < onward) {
                        self.push(q, onward);
                    }
                }
            }
        }
        (earliest != NEVER).then_some(earliest)
    }

    /// Puts `v` into the bucket of `value`.
    fn push(&mut self, v: Vertex, value: usize) {
        self.queued[v.index()] = value as u16;
        self.entries.push(Entry { vertex: v, before: self.bucket[value] });
        self.bucket[value] = self.entries.len() as u16 - 1;
    }
}
