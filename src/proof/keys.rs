//! Exact keys of positions, the same for all images of a position under the symmetries of the board.
//!
//! A position is written as a number in base 3, with one digit per vertex: 0 if it is empty, 1 for a white stone and 2
//! for a black stone. The key is the least of these numbers among all images of the position. So two positions have the
//! same key iff one is an image of the other, and no proof depends on a hash that two positions might share.

use std::hash::{BuildHasherDefault, Hasher};

use crate::game::{Color, Geometry, Position, Vertex};

/// Digits in a word: 3^40 is less than 2^64.
const DIGITS: usize = 40;

/// The most symmetries that a board has: those of a regular one.
const IMAGES: usize = 12;

/// The words of a key on a board with this many vertices.
pub(crate) const fn key_words(vertices: usize) -> usize {
    vertices.div_ceil(DIGITS)
}

/// A key of `N` words, the last of which holds the first vertices.
pub(crate) type Key<const N: usize> = [u64; N];

/// The numbers of the images of a position.
#[derive(Clone, Copy)]
pub(crate) struct Images<const N: usize>([[u64; IMAGES]; N]);

impl<const N: usize> Images<N> {
    /// The key, and the index of a symmetry that maps the position to the image with this number.
    #[inline]
    pub fn key(&self) -> (Key<N>, usize) {
        let number = |k: usize| -> Key<N> { std::array::from_fn(|i| self.0[i][k]) };
        let mut best = (number(0), 0);
        for k in 1..IMAGES {
            let other = number(k);
            if other < best.0 {
                best = (other, k);
            }
        }
        best
    }
}

/// What each stone adds to the number of each image.
pub(crate) struct Keys<const N: usize> {
    geometry: &'static Geometry,
    stones: Vec<[Images<N>; 2]>,
}

impl<const N: usize> Keys<N> {
    /// The keys for a board.
    ///
    /// # Panics
    /// If the keys of this board do not have `N` words.
    pub fn new(geometry: &'static Geometry) -> Keys<N> {
        assert_eq!(key_words(geometry.vertex_count()), N, "a key of this board has another number of words");
        let stone = |v: Vertex, digit: u64| {
            let mut images = Images([[0; IMAGES]; N]);
            // On boards with fewer symmetries, each image occurs several times.
            for (k, image) in geometry.symmetries().iter().cycle().take(IMAGES).enumerate() {
                let i = image[v.index()].index();
                images.0[N - 1 - i / DIGITS][k] = digit * 3u64.pow((i % DIGITS) as u32);
            }
            images
        };
        Keys { geometry, stones: geometry.vertices().map(|v| [stone(v, 1), stone(v, 2)]).collect() }
    }

    /// The board.
    pub fn geometry(&self) -> &'static Geometry {
        self.geometry
    }

    /// The vertex with this index, if there is one.
    pub fn vertex(&self, index: u8) -> Option<Vertex> {
        self.geometry.vertex(index.into())
    }

    /// The image of a vertex under symmetry `k`.
    pub fn image(&self, k: usize, v: Vertex) -> Vertex {
        self.geometry.symmetries()[k][v.index()]
    }

    /// The vertex that symmetry `k` maps to `image`.
    pub fn preimage(&self, k: usize, image: Vertex) -> Vertex {
        let found = self.geometry.vertices().find(|&v| self.image(k, v) == image);
        found.expect("a symmetry reaches every vertex")
    }

    /// The images of a position.
    pub fn images(&self, position: &Position) -> Images<N> {
        self.sum(position, |color| color)
    }

    /// The images of a position in which every stone has the other colour.
    pub fn exchanged_images(&self, position: &Position) -> Images<N> {
        self.sum(position, |color| !color)
    }

    /// The images of a position whose stones have the colours that `recolor` gives them.
    fn sum(&self, position: &Position, recolor: impl Fn(Color) -> Color) -> Images<N> {
        let none = Images([[0; IMAGES]; N]);
        position.stones().fold(none, |images, (color, v)| self.with(&images, recolor(color), v))
    }

    /// The images after another stone is placed on the empty vertex `v`.
    #[inline]
    pub fn with(&self, images: &Images<N>, color: Color, v: Vertex) -> Images<N> {
        self.changed(images, color, v, |number, stone| number + stone)
    }

    /// The images without the stone on `v`, which is of this colour.
    pub fn without(&self, images: &Images<N>, color: Color, v: Vertex) -> Images<N> {
        self.changed(images, color, v, |number, stone| number - stone)
    }

    /// The images after `change` of each word by what a stone adds to it.
    #[inline]
    fn changed(&self, images: &Images<N>, color: Color, v: Vertex, change: impl Fn(u64, u64) -> u64) -> Images<N> {
        let stone = &self.stones[v.index()][color.index()];
        Images(std::array::from_fn(|i| std::array::from_fn(|k| change(images.0[i][k], stone.0[i][k]))))
    }
}

/// A fast hash function for keys, with one multiplication per word. It does not resist keys that are made to collide.
#[derive(Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn write_usize(&mut self, _: usize) {
        // The length of the array is the same for all keys of a board.
    }
}

/// Builds the hash function of sets and maps of keys.
pub(crate) type BuildKeyHasher = BuildHasherDefault<KeyHasher>;

#[cfg(test)]
mod tests {
    use super::*;
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use std::collections::HashMap;

    /// The stones of a position: 0, 1 or 2 for each vertex.
    fn digits(position: &Position) -> Vec<u8> {
        let digit = |v| position.stone(v).map_or(0, |color| color.index() as u8 + 1);
        position.geometry().vertices().map(digit).collect()
    }

    fn check<const N: usize>(side: usize) {
        let geometry = Geometry::with_side(side).unwrap();
        let keys = Keys::<N>::new(geometry);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(side as u64);
        let mut seen: HashMap<Key<N>, Vec<u8>> = HashMap::new();
        for _ in 0..300 {
            let mut order: Vec<Vertex> = geometry.vertices().collect();
            order.shuffle(&mut rng);
            order.truncate(rng.random_range(0..=geometry.vertex_count().min(12)));
            let place = |image: &[Vertex]| {
                let mut position = Position::new(geometry);
                for (i, v) in order.iter().enumerate() {
                    position.place(Color::ALL[i % 2], image[v.index()]);
                }
                position
            };
            let images: Vec<Position> = geometry.symmetries().iter().map(|image| place(image)).collect();
            let key = keys.images(&images[0]).key().0;
            for image in &images {
                let (other, k) = keys.images(image).key();
                assert_eq!(other, key);
                // The symmetry maps the position to the image with this number.
                let mut canonical = vec![0; geometry.vertex_count()];
                for (v, digit) in geometry.vertices().zip(digits(image)) {
                    canonical[geometry.symmetries()[k][v.index()].index()] = digit;
                }
                let first = seen.entry(key).or_insert_with(|| canonical.clone());
                assert_eq!(*first, canonical, "two positions with one key");
            }
        }
        assert!(seen.len() > 100, "{}", seen.len());
    }

    #[test]
    fn images_have_one_key_and_other_positions_have_others() {
        check::<1>(3);
        check::<1>(4);
        check::<2>(5);
        check::<3>(6);
    }
}
