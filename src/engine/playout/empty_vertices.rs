//! The empty vertices that playouts draw their moves from.

use crate::game::{Cell, MAX_VERTICES, Position, Vertex};

/// Room for the empty vertices of any board.
pub(crate) const MAX_EMPTY: usize = MAX_VERTICES + 1;

/// An empty vertex and its cell. The board's tables are indexed by cells, the search's by vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EmptyVertex {
    pub cell: Cell,
    pub vertex: Vertex,
}

/// The vertices that are empty at the root of a search. A descent takes some of them and later gives them back.
pub(crate) struct EmptyVertices {
    /// The vertices taken, in order, followed by those left.
    vertices: Vec<EmptyVertex>,
    /// For each vertex, its index in `vertices`.
    index_of: [u16; MAX_VERTICES],
    /// For each vertex taken, its index before it was taken.
    taken_from: Vec<u16>,
}

impl EmptyVertices {
    /// The empty vertices of a position.
    pub fn new(position: &Position) -> EmptyVertices {
        let geometry = position.geometry();
        let vertices: Vec<EmptyVertex> =
            position.empty_vertices().map(|vertex| EmptyVertex { cell: geometry.cell(vertex), vertex }).collect();
        let mut index_of = [0; MAX_VERTICES];
        vertices.iter().enumerate().for_each(|(i, empty)| index_of[empty.vertex.index()] = i as u16);
        EmptyVertices { taken_from: Vec::with_capacity(vertices.len()), vertices, index_of }
    }

    /// Takes a vertex that is left.
    #[inline]
    pub fn take(&mut self, vertex: Vertex) -> EmptyVertex {
        let to = self.taken_from.len();
        let from = self.index_of[vertex.index()] as usize;
        debug_assert!(from >= to && self.vertices[from].vertex == vertex, "{vertex:?} has been taken");
        self.exchange(to, from);
        self.taken_from.push(from as u16);
        self.vertices[to]
    }

    /// Gives back all vertices, and restores their order.
    #[inline]
    pub fn give_back(&mut self) {
        while let Some(from) = self.taken_from.pop() {
            self.exchange(self.taken_from.len(), from as usize);
        }
    }

    #[inline]
    fn exchange(&mut self, i: usize, j: usize) {
        self.vertices.swap(i, j);
        self.index_of[self.vertices[i].vertex.index()] = i as u16;
        self.index_of[self.vertices[j].vertex.index()] = j as u16;
    }

    /// The vertices taken, in order.
    #[inline]
    pub fn taken(&self) -> &[EmptyVertex] {
        &self.vertices[..self.taken_from.len()]
    }

    /// The vertices left, in no particular order.
    #[inline]
    pub fn left(&self) -> &[EmptyVertex] {
        &self.vertices[self.taken_from.len()..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Geometry;

    #[test]
    fn vertices_that_are_given_back_return_to_their_places() {
        let geometry = Geometry::with_side(4).unwrap();
        let mut empty = EmptyVertices::new(&Position::new(geometry));
        let before = empty.vertices.clone();
        for step in [1, 5, 7, 36] {
            let order: Vec<Vertex> = geometry.vertices().rev().step_by(step).collect();
            order.iter().for_each(|&v| assert_eq!(empty.take(v).vertex, v));
            assert_eq!(empty.taken().iter().map(|e| e.vertex).collect::<Vec<_>>(), order);
            assert_eq!(empty.left().len() + order.len(), 37);
            assert!(empty.left().iter().all(|e| !order.contains(&e.vertex)));
            empty.give_back();
            assert_eq!(empty.vertices, before);
        }
    }
}
