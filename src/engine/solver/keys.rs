//! Keys of positions, by which the table knows them.
//!
//! A key is the exclusive or of random numbers, one for each stone (Zobrist, *A new hashing method with application for
//! game playing*, 1970). Where the root of a search has symmetries, many positions below it are images of each other.
//! Then the key of a position is the least of those of its images, so that they are one position, searched once. The
//! other symmetries of the board would merge hardly any positions, and every key would take longer.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::game::{Geometry, Position, Vertex};

use super::bitboard::{MAX_CELLS, cell};

/// The most symmetries of a board.
const MOST_IMAGES: usize = 12;

/// What a stone of each player on each cell adds to a key.
type StoneKeys = [[u64; 2]; MAX_CELLS];

/// What each stone adds to the keys of the images of a position.
pub(super) struct Keys {
    geometry: &'static Geometry,
    stones: StoneKeys,
    attacker: [u64; 2],
    turn: [u64; 2],
    /// For each symmetry of the root but the identity, what the image of a stone adds.
    images: Vec<StoneKeys>,
    /// The position whose symmetries these are.
    root: Option<Position>,
}

/// The keys of a position.
#[derive(Clone, Copy)]
pub(super) struct PositionKeys {
    /// The least key of an image.
    pub least: u64,
    /// The keys of the images: first that of the position itself, then one for each other symmetry of the root. The
    /// rest is not used.
    images: [u64; MOST_IMAGES],
}

impl PositionKeys {
    /// The key of the position itself, not of an image.
    pub fn own(&self) -> u64 {
        self.images[0]
    }
}

impl Keys {
    /// Keys for a board, where only equal positions have the same.
    pub fn new(geometry: &'static Geometry) -> Keys {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x4861_7661_6e6e_6168);
        let mut pair = || [rng.next_u64(), rng.next_u64()];
        Keys {
            geometry,
            stones: std::array::from_fn(|_| pair()),
            attacker: pair(),
            turn: pair(),
            images: Vec::new(),
            root: None,
        }
    }

    /// Gives images of each other under the symmetries of a position the same key.
    pub fn merge_images_under(&mut self, root: &Position) {
        let keeps =
            |symmetry: &&Vec<Vertex>| root.stones().all(|(color, v)| root.stone(symmetry[v.index()]) == Some(color));
        let images = self.geometry.symmetries()[1..].iter().filter(keeps);
        self.images = images.map(|symmetry| self.stones_of_image(symmetry)).collect();
        self.root = Some(root.clone());
    }

    /// Does the same unless the position follows from the one before. Then all keys stay as they are.
    pub fn merge_images_at(&mut self, position: &Position) {
        let follows = |root: &Position| root.stones().all(|(color, v)| position.stone(v) == Some(color));
        if !self.root.as_ref().is_some_and(follows) {
            self.merge_images_under(position);
        }
    }

    /// Gives different keys to images of each other again.
    pub fn merge_nothing(&mut self) {
        self.images.clear();
        self.root = None;
    }

    fn stones_of_image(&self, symmetry: &[Vertex]) -> StoneKeys {
        let mut keys = [[0; 2]; MAX_CELLS];
        for v in self.geometry.vertices() {
            keys[cell(self.geometry, v)] = self.stones[cell(self.geometry, symmetry[v.index()])];
        }
        keys
    }

    /// The keys of a position with `player` to move.
    ///
    /// They include the attacker and the turn. The turn is the player who would have moved first if the players had
    /// always alternated, so that a move changes a key by its stone alone.
    pub fn of(&self, position: &Position, player: usize, attacker: usize) -> PositionKeys {
        let mut images = [self.attacker[attacker]; MOST_IMAGES];
        let mut turn = player;
        for (color, v) in position.stones() {
            self.place(&mut images, color.index(), cell(self.geometry, v));
            turn = 1 - turn;
        }
        let mut least = u64::MAX;
        for image in &mut images[..=self.images.len()] {
            *image ^= self.turn[turn];
            least = least.min(*image);
        }
        PositionKeys { least, images }
    }

    /// The least key of an image of a position after a player's move on `cell`.
    #[inline]
    pub fn least_after(&self, keys: &PositionKeys, player: usize, cell: usize) -> u64 {
        let own = keys.images[0] ^ self.stones[cell][player];
        if self.images.is_empty() { own } else { own.min(self.least_of_others_after(keys, player, cell)) }
    }

    /// The same for the other images. Most roots have no symmetries, so this need not be part of the code around a call.
    #[inline(never)]
    fn least_of_others_after(&self, keys: &PositionKeys, player: usize, cell: usize) -> u64 {
        let others = keys.images[1..].iter().zip(&self.images);
        others.fold(u64::MAX, |least, (image, stones)| least.min(image ^ stones[cell][player]))
    }

    /// The keys of a position after a player's move on `cell`. The least of them is known.
    #[inline]
    pub fn after(&self, keys: &PositionKeys, player: usize, cell: usize, least: u64) -> PositionKeys {
        let mut images = keys.images;
        self.place(&mut images, player, cell);
        PositionKeys { least, images }
    }

    /// Brings the keys of the images up to date after a move.
    #[inline(never)]
    fn place(&self, images: &mut [u64; MOST_IMAGES], player: usize, cell: usize) {
        images[0] ^= self.stones[cell][player];
        for (image, stones) in images[1..].iter_mut().zip(&self.images) {
            *image ^= stones[cell][player];
        }
    }

    /// Whether a symmetry of the root, other than the identity, maps the position to itself.
    #[inline]
    pub fn is_symmetric(&self, keys: &PositionKeys) -> bool {
        keys.images[1..=self.images.len()].contains(&keys.images[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Color, Notation};
    use std::collections::{HashMap, HashSet};

    /// Stones that White and Black have placed in turn.
    type Moves = Vec<Vertex>;

    fn position(geometry: &'static Geometry, moves: &[Vertex]) -> Position {
        let mut position = Position::new(geometry);
        for (&v, color) in moves.iter().zip(Color::ALL.into_iter().cycle()) {
            position.place(color, v);
        }
        position
    }

    /// The stones of the images of a position under these symmetries, in an order that does not depend on the moves'.
    fn images(moves: &[Vertex], symmetries: &[&Vec<Vertex>]) -> Vec<Vec<(usize, usize)>> {
        let image = |symmetry: &&Vec<Vertex>| {
            let mut stones: Vec<_> =
                moves.iter().enumerate().map(|(i, v)| (i % 2, symmetry[v.index()].index())).collect();
            stones.sort_unstable();
            stones
        };
        symmetries.iter().map(image).collect()
    }

    /// Of all positions with up to three stones that follow from a root, those have the same key that a symmetry of the
    /// root maps to each other, and no others. The root has this many symmetries.
    fn check(shape: &str, root: &[&str], count: usize) {
        let geometry = Geometry::with_shape(shape.parse().unwrap());
        let root: Moves = root.iter().map(|name| Notation::HavannahGui.parse(geometry, name).unwrap()).collect();
        let mut keys = Keys::new(geometry);
        keys.merge_images_under(&position(geometry, &root));
        let all: Vec<_> = geometry.symmetries().iter().collect();
        let own = images(&root, &all[..1]);
        let symmetries: Vec<_> = all.into_iter().filter(|&symmetry| images(&root, &[symmetry]) == own).collect();
        assert_eq!([symmetries.len(), keys.images.len() + 1], [count; 2], "{shape}");
        let mut key_of = HashMap::new();
        let mut waiting = vec![root];
        while let Some(moves) = waiting.pop() {
            let (player, attacker) = (moves.len() % 2, 1);
            let images = images(&moves, &symmetries);
            let before = keys.of(&position(geometry, &moves), player, attacker);
            let key = key_of.entry(images.iter().min().unwrap().clone()).or_insert(before.least);
            assert_eq!(*key, before.least, "{moves:?}");
            assert_eq!(keys.is_symmetric(&before), images[1..].contains(&images[0]), "{moves:?}");
            for v in geometry.vertices().filter(|v| moves.len() < 3 && !moves.contains(v)) {
                let after = [&moves[..], &[v]].concat();
                let expected = keys.of(&position(geometry, &after), 1 - player, attacker);
                let cell = cell(geometry, v);
                assert_eq!(keys.least_after(&before, player, cell), expected.least);
                assert_eq!(keys.after(&before, player, cell, expected.least).images, expected.images);
                waiting.push(after);
            }
        }
        let different: HashSet<_> = key_of.values().collect();
        assert_eq!(different.len(), key_of.len());
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn images_under_the_symmetries_of_the_root_have_the_same_key() {
        check("3", &[], 12);
        check("4", &["d4"], 12);
        check("4", &["b3"], 2);
        check("4", &["a1", "c3"], 2);
        check("4", &["a1", "b3"], 1);
        check("3-3-4", &[], 4);
        check("2-3-4", &[], 2);
    }

    #[test]
    fn a_position_that_follows_from_the_root_keeps_its_symmetries() {
        let geometry = Geometry::with_side(4).unwrap();
        let after = |names: &[&str]| {
            let moves: Moves = names.iter().map(|name| Notation::HavannahGui.parse(geometry, name).unwrap()).collect();
            position(geometry, &moves)
        };
        let mut keys = Keys::new(geometry);
        let mut count_at = |names: &[&str]| {
            keys.merge_images_at(&after(names));
            keys.images.len() + 1
        };
        assert_eq!(count_at(&["b3", "a1"]), 1);
        assert_eq!(count_at(&["b3", "a1", "d4"]), 1);
        assert_eq!(count_at(&["b3"]), 2);
        assert_eq!(count_at(&["b3", "a2"]), 2);
        // This does not follow.
        assert_eq!(count_at(&["d4", "b3"]), 2);
        assert_eq!(count_at(&["d4", "a2"]), 1);
        // A root has its own symmetries, even if it follows from the last one.
        for (root, count) in [(&["d4"][..], 12), (&["d4", "a1"], 2)] {
            keys.merge_images_under(&after(root));
            assert_eq!(keys.images.len() + 1, count);
        }
        keys.merge_nothing();
        assert_eq!(keys.images.len(), 0);
    }
}
