//! Playouts (paper, sections 4 to 8).

pub mod sampler;
