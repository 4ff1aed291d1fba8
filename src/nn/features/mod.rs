//! What a network sees of a position: for each vertex a set of features, one bit each.
//!
//! | module | contents |
//! |---|---|
//! | `chains` | version 1: stones, and how many corners and sides chains hold |
//! | `groups` | version 2: which corners and sides groups of chains hold, two-bridges, threats |
//!
//! A network reads the features that it was trained on, so a version never changes: new features get a new one.

mod chains;
mod groups;

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

use super::evaluator::Input;
use crate::board::MAX_VERTICES;

pub(crate) use chains::ChainFeatures;
pub(crate) use groups::GroupFeatures;

/// A version of the features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FeatureSet {
    /// Version 1: stones, and how many corners and sides chains hold.
    #[default]
    Chains,
    /// Version 2: which corners and sides groups of chains hold, two-bridges, threats.
    Groups,
}

impl FeatureSet {
    /// All versions, the oldest first.
    pub const ALL: [FeatureSet; 2] = [FeatureSet::Chains, FeatureSet::Groups];

    /// The number of the version.
    pub const fn version(self) -> u32 {
        match self {
            FeatureSet::Chains => 1,
            FeatureSet::Groups => 2,
        }
    }

    /// The number of features of a vertex.
    pub const fn count(self) -> usize {
        match self {
            FeatureSet::Chains => chains::COUNT,
            FeatureSet::Groups => groups::COUNT,
        }
    }

    /// The features of each vertex of a position, in vertex order: bit *f* of a number is feature *f*. The symmetry of the
    /// input is not applied.
    pub fn extract(self, input: &Input<'_>) -> Vec<u128> {
        fn all<E: Extractor>(input: &Input<'_>) -> Vec<u128> {
            let mut bits = [E::Bits::ZERO; MAX_VERTICES];
            E::new().extract(&Input { symmetry: 0, ..*input }, &mut bits);
            bits[..input.position.geometry().vertex_count()].iter().map(|bits| bits.wide()).collect()
        }
        match self {
            FeatureSet::Chains => all::<ChainFeatures>(input),
            FeatureSet::Groups => all::<GroupFeatures>(input),
        }
    }

    /// What becomes of each feature under a symmetry of the board, one of [`crate::board::Geometry::symmetries`]: feature *f* of a vertex
    /// is feature `images[f]` of the vertex's image. Only features that name a corner or a side change.
    ///
    /// # Panics
    /// If there is no such symmetry.
    pub fn images(self, symmetry: usize) -> Vec<usize> {
        match self {
            FeatureSet::Chains => (0..chains::COUNT).collect(),
            FeatureSet::Groups => groups::images(symmetry),
        }
    }
}

impl TryFrom<u32> for FeatureSet {
    type Error = ();

    fn try_from(version: u32) -> Result<FeatureSet, ()> {
        FeatureSet::ALL.into_iter().find(|set| set.version() == version).ok_or(())
    }
}

impl fmt::Display for FeatureSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.version().fmt(f)
    }
}

/// The features of a vertex, one bit each.
pub(crate) trait Bits:
    Copy + Default + PartialEq + BitAnd<Output = Self> + BitOr<Output = Self> + BitOrAssign + Not<Output = Self> + Send
{
    const ZERO: Self;

    /// Removes the lowest bit and returns its number, or `None` if there is none.
    fn pop(&mut self) -> Option<usize>;

    /// The same bits.
    fn wide(self) -> u128;
}

macro_rules! bits {
    ($($T:ty),*) => {$(
        impl Bits for $T {
            const ZERO: Self = 0;

            #[inline(always)]
            fn pop(&mut self) -> Option<usize> {
                if *self == 0 {
                    return None;
                }
                let lowest = self.trailing_zeros() as usize;
                *self &= *self - 1;
                Some(lowest)
            }

            fn wide(self) -> u128 {
                self.into()
            }
        }
    )*};
}

bits!(u32, u128);

/// Finds the features of positions. It owns its working space, and does not allocate.
pub(crate) trait Extractor: Send {
    /// The features of a vertex.
    type Bits: Bits;

    /// Working space for any board.
    fn new() -> Self;

    /// Writes the features of each vertex of a position, as seen under the symmetry of the input.
    fn extract(&mut self, input: &Input<'_>, out: &mut [Self::Bits; MAX_VERTICES]);

    /// The features that are the same in all positions of a board.
    const STATIC: Self::Bits;
}
