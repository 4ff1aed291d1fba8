//! The empty vertices that a playout draws its moves from.

use crate::board::{Cell, MAX_VERTICES, Position, Vertex};

/// Room for the empty vertices of any board.
pub(crate) const MAX_EMPTY: usize = MAX_VERTICES + 1;

/// An empty vertex, with its cell: the board is indexed by cells, the search's tables by vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EmptyVertex {
    pub cell: Cell,
    pub vertex: Vertex,
}

/// The empty vertices of a position, of which the descent in the tree takes some away and gives them back.
pub(crate) struct EmptyVertices {
    /// The spots taken, in the order of taking, and then those left.
    spots: Vec<EmptyVertex>,
    /// Where each vertex stands in `spots`.
    place: [u16; MAX_VERTICES],
    /// For each spot taken, where it came from.
    from: Vec<u16>,
}

impl EmptyVertices {
    /// The empty vertices of a position.
    pub fn of(position: &Position) -> EmptyVertices {
        let geometry = position.geometry();
        let spots: Vec<EmptyVertex> =
            position.empty_vertices().map(|vertex| EmptyVertex { cell: geometry.cell(vertex), vertex }).collect();
        let mut place = [0; MAX_VERTICES];
        spots.iter().enumerate().for_each(|(i, spot)| place[spot.vertex.index()] = i as u16);
        EmptyVertices { from: Vec::with_capacity(spots.len()), spots, place }
    }

    /// Takes a vertex away.
    #[inline]
    pub fn take(&mut self, vertex: Vertex) -> EmptyVertex {
        let (to, from) = (self.from.len(), self.place[vertex.index()] as usize);
        debug_assert!(from >= to && self.spots[from].vertex == vertex, "{vertex:?} is taken already");
        self.exchange(to, from);
        self.from.push(from as u16);
        self.spots[to]
    }

    /// Gives back all that was taken.
    #[inline]
    pub fn give_back(&mut self) {
        while let Some(from) = self.from.pop() {
            self.exchange(self.from.len(), from as usize);
        }
    }

    #[inline]
    fn exchange(&mut self, i: usize, j: usize) {
        self.spots.swap(i, j);
        self.place[self.spots[i].vertex.index()] = i as u16;
        self.place[self.spots[j].vertex.index()] = j as u16;
    }

    /// The spots taken, in order.
    #[inline]
    pub fn taken(&self) -> &[EmptyVertex] {
        &self.spots[..self.from.len()]
    }

    /// The spots left.
    #[inline]
    pub fn left(&self) -> &[EmptyVertex] {
        &self.spots[self.from.len()..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Geometry;

    #[test]
    fn what_was_taken_comes_back_in_its_place() {
        let geometry = Geometry::of(4).unwrap();
        let mut spots = EmptyVertices::of(&Position::new(geometry));
        let before = spots.spots.clone();
        for step in [1, 5, 7, 36] {
            let order: Vec<Vertex> = geometry.vertices().rev().step_by(step).collect();
            order.iter().for_each(|&v| assert_eq!(spots.take(v).vertex, v));
            assert_eq!(spots.taken().iter().map(|s| s.vertex).collect::<Vec<_>>(), order);
            assert_eq!(spots.left().len() + order.len(), 37);
            assert!(spots.left().iter().all(|s| !order.contains(&s.vertex)));
            spots.give_back();
            assert_eq!(spots.spots, before);
        }
    }
}
