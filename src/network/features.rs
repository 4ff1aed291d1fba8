//! What a network sees of a position: for each vertex a set of features, one bit each. They say which corners and sides
//! groups of chains hold (`groups`), where two-bridges are, what threatens to win, and how far a fork or a bridge is.
//!
//! Corners and sides are named, so that the network sees whether two groups hold the same ones. A symmetry of the board
//! renames them ([`images`]).

use std::sync::OnceLock;

use crate::game::{Candidate, Cell, Color, Geometry, Lookahead, MAX_VERTICES, Pairs};

use super::evaluator::{Input, SYMMETRIES};
use super::groups::Groups;
use super::reach::Reach;

/// The version of the features. A network reads the features that it was trained on, so another meaning of a feature is
/// another version.
pub const VERSION: u32 = 3;
/// The number of features of a vertex.
pub const COUNT: usize = 127;

/// The number of features of a vertex in a version that networks may read. The features of version 2 are the first ones
/// of version 3.
pub(super) const fn count(version: u32) -> Option<usize> {
    match version {
        2 => Some(NEEDS),
        VERSION => Some(COUNT),
        _ => None,
    }
}

/// The corners and sides of the board: 12 features.
const RIM: usize = 1;
const STEPS: usize = 13;
const STONE: usize = 15;
const RECENT: usize = 17;
/// For each player: the corners and sides that the stone's group holds, 12 features.
const HELD: usize = 19;
/// For each player: how many these are, 4 features.
const HELD_COUNTS: usize = 43;
/// For each player: the corners and sides that the groups next to an empty vertex hold, 12 features.
const NEXT: usize = 51;
/// For each player: how many a stone here would hold, 5 features.
const NEXT_COUNTS: usize = 75;
const WIN: usize = 85;
/// For each player: 2 features.
const PAIR: usize = 87;
const CARRIER: usize = 91;
const REPLY: usize = 93;
/// For each player: 16 features.
const NEEDS: usize = 95;

/// Where features that name the 12 corners and sides begin.
const NAMED: [usize; 5] = [RIM, HELD, HELD + 12, NEXT, NEXT + 12];

/// The features that are the same in all positions of a board: where the vertex is.
pub(super) const STATIC: u128 = (1 << STONE) - 1;

/// The features of each vertex of a position, in vertex order: bit *f* of a number is feature *f*. The symmetry of the
/// input is not applied.
pub fn extract(input: &Input<'_>) -> Vec<u128> {
    let mut bits = [0; MAX_VERTICES];
    Extractor::new(VERSION).extract(&Input { symmetry: 0, ..*input }, None, &mut bits);
    bits[..input.position.geometry().vertex_count()].to_vec()
}

/// The image of each feature under a symmetry of the board, by its index in [`Geometry::symmetries`]: feature *f* of a
/// vertex is feature `images[f]` of the vertex's image. Only features that name a corner or a side change.
///
/// # Panics
/// If there is no such symmetry.
pub fn images(symmetry: usize) -> Vec<usize> {
    let names = &names()[symmetry];
    let image = |feature| {
        let start = NAMED.into_iter().find(|&start| (start..start + 12).contains(&feature));
        start.map_or(feature, |start| start + names.image(1 << (feature - start)).trailing_zeros() as usize)
    };
    (0..COUNT).map(image).collect()
}

/// Finds the features of positions, from the point of view of the player to move. It owns its working space, and does
/// not allocate.
///
/// | bits | feature |
/// |---|---|
/// | 0 | the vertex is on the board |
/// | 1-6, 7-12 | it is corner 0 to 5; it belongs to side 0 to 5 |
/// | 13, 14 | it is one step from the nearest side; two steps |
/// | 15, 16 | a stone of the player to move; of the opponent |
/// | 17, 18 | the last stone; the one before |
/// | 19-30 | a stone of the player to move whose group holds corner 0 to 5; side 0 to 5 |
/// | 31-42 | the same for the opponent |
/// | 43-46 | a stone of the player to move whose group holds a corner; a side; two sides; two corners or three sides |
/// | 47-50 | the same for the opponent |
/// | 51-62 | empty, and groups of the player to move next to it hold corner 0 to 5; side 0 to 5 |
/// | 63-74 | the same for the opponent |
/// | 75-79 | empty, and if the player to move played here, the vertex and that player's groups next to it would together hold a corner; a side; two sides; two corners or three sides; more of these than each of them |
/// | 80-84 | the same for the opponent |
/// | 85, 86 | the player to move would win by a stone here; the opponent would |
/// | 87, 88 | the player to move would win by two stones, here and on another empty vertex, but not by either alone; there are two such vertices |
/// | 89, 90 | the same for the opponent |
/// | 91, 92 | in the carrier of a two-bridge of the player to move; of the opponent |
/// | 93, 94 | the player to move would save a two-bridge that was intruded on by a stone here; the opponent would |
/// | 95-102 | empty or a stone of the player to move, and by the plain distance a fork of that player through this vertex needs at most 3 more stones; 4; 5; 7; no vertex of the board needs fewer; a bridge through it needs at most 2; 3; 4 |
/// | 103-110 | the same by the two-distance: a fork needs at most 3; 4; 6; 8; no vertex needs fewer; a bridge 2; 3; 5 |
/// | 111-126 | the same for the opponent |
pub(super) struct Extractor {
    groups: Groups,
    candidates: Vec<Candidate>,
    pairs: Pairs,
    /// If the features of version 3 are wanted.
    reach: Option<Reach>,
}

impl Extractor {
    /// Working space for any board, for the features of this version.
    pub fn new(version: u32) -> Extractor {
        Extractor {
            groups: Groups::new(),
            candidates: Vec::with_capacity(MAX_VERTICES),
            pairs: Pairs::new(),
            reach: (version >= 3).then(Reach::new),
        }
    }

    /// Writes the features of each vertex of a position, as seen under the symmetry of the input. `known` is what has
    /// been found out about the position already.
    pub fn extract(&mut self, input: &Input<'_>, known: Option<Lookahead<'_>>, out: &mut [u128; MAX_VERTICES]) {
        let Extractor { groups, candidates, pairs, reach } = self;
        if known.is_none() {
            candidates.clear();
            candidates.extend(input.position.candidates());
        }
        let known = known.unwrap_or(Lookahead { candidates, pairs: None });
        let geometry = input.position.geometry();
        let image = &geometry.symmetries()[input.symmetry];
        let names = &names()[input.symmetry];
        groups.find(input.position);
        let mut candidates = known.candidates.iter();
        for v in geometry.vertices() {
            let rim = geometry.rim(v);
            let mut bits = 1 | (names.image(rim) as u128) << RIM;
            if let distance @ 1..=2 = geometry.rim_distance(v) {
                bits |= 1 << (STEPS + distance - 1);
            }
            bits |= match input.position.stone(v) {
                Some(stone) => stone_features(input, groups, names, geometry.cell(v), stone),
                None => {
                    let candidate = candidates.next().expect("all empty vertices");
                    candidate_features(input, groups, names, candidate, rim)
                }
            };
            out[image[v.index()].index()] = bits;
        }
        for (k, v) in input.recent.into_iter().enumerate() {
            if let Some(v) = v {
                out[image[v.index()].index()] |= 1 << (RECENT + k);
            }
        }
        // Pairs of empty vertices on which two stones win.
        for (side, color) in [input.color, !input.color].into_iter().enumerate() {
            if known.candidates.iter().any(|candidate| candidate.completes(color)) {
                continue;
            }
            if known.pairs.is_none() {
                pairs.find(input.position, color, known.candidates);
            }
            let partners = known.pairs.unwrap_or(pairs).partners(color);
            for (candidate, partners) in known.candidates.iter().zip(partners) {
                let bits = [0, 0b01, 0b11, 0b11][partners.count as usize];
                out[image[candidate.vertex.index()].index()] |= bits << (PAIR + 2 * side);
            }
        }
        if let Some(reach) = reach {
            for (side, color) in [input.color, !input.color].into_iter().enumerate() {
                reach.features(input.position, groups, known.candidates, color, |v, bits| {
                    out[image[v.index()].index()] |= u128::from(bits) << (NEEDS + 16 * side);
                });
            }
        }
    }
}

/// The features that only stones have.
fn stone_features(input: &Input<'_>, groups: &Groups, names: &Names, cell: Cell, stone: Color) -> u128 {
    let side = (stone != input.color) as usize;
    let held = groups.held(input.position.root(cell));
    let bits = 1 << (STONE + side) | (names.image(held) as u128) << (HELD + 12 * side);
    bits | counts(held).0 << (HELD_COUNTS + 4 * side)
}

/// The features that only empty vertices have, except those about two stones.
fn candidate_features(input: &Input<'_>, groups: &Groups, names: &Names, candidate: &Candidate, rim: u16) -> u128 {
    let cell = input.position.geometry().cell(candidate.vertex);
    let mut bits = 0;
    for (side, color) in [input.color, !input.color].into_iter().enumerate() {
        let (mut held, mut most) = (0, 0);
        let joined = candidate.joined(color);
        for &root in joined.roots() {
            let group = groups.held(root);
            held |= group;
            most = most.max(counts(group).1);
        }
        let (has, count) = counts(held | rim);
        bits |= (names.image(held) as u128) << (NEXT + 12 * side);
        bits |= (has | ((count > most) as u128) << 4) << (NEXT_COUNTS + 5 * side);
        bits |= (!joined.structures().is_empty() as u128) << (WIN + side);
        bits |= (groups.is_carrier(color, cell) as u128) << (CARRIER + side);
        bits |= (groups.is_reply(color, cell) as u128) << (REPLY + side);
    }
    bits
}

/// For each set of corners and sides, as in [`Geometry::rim`]: four bits that say whether it has a corner; a side; two
/// sides; two corners or three sides. The upper half of the byte is the size of the set.
static COUNTS: [u8; 1 << 12] = {
    let mut counts = [0; 1 << 12];
    let mut rim = 0;
    while rim < 1 << 12 {
        let (corners, sides) = ((rim & 0x3f_u16).count_ones(), (rim >> 6).count_ones());
        let wins = corners >= 2 || sides >= 3;
        let bits = (corners >= 1) as u8 | ((sides >= 1) as u8) << 1 | ((sides >= 2) as u8) << 2 | (wins as u8) << 3;
        counts[rim as usize] = bits | ((corners + sides) as u8) << 4;
        rim += 1;
    }
    counts
};

/// Whether a set of corners and sides has a corner; a side; two sides; two corners or three sides. Then the size of the
/// set.
#[inline(always)]
fn counts(rim: u16) -> (u128, u8) {
    let counts = COUNTS[rim as usize & 4095];
    ((counts & 15).into(), counts >> 4)
}

/// The images of sets of corners and of sets of sides under a symmetry.
struct Names {
    corners: [u16; 64],
    sides: [u16; 64],
}

impl Names {
    fn new(symmetry: usize) -> Names {
        // The smallest board with vertices on its sides. Symmetries rename corners and sides alike on all boards.
        let geometry = Geometry::with_side(3).expect("a legal side length");
        let image = &geometry.symmetries()[symmetry];
        let renamed = |bit: u16| {
            let v = geometry.vertices().find(|&v| geometry.rim(v) == bit).expect("each corner and side has a vertex");
            geometry.rim(image[v.index()])
        };
        let sets = |first: usize| {
            let one: [u16; 6] = std::array::from_fn(|i| renamed(1 << (first + i)));
            std::array::from_fn(|set| (0..6).filter(|i| set >> i & 1 == 1).map(|i| one[i]).sum())
        };
        Names { corners: sets(0), sides: sets(6) }
    }

    /// The image of a set of corners and sides.
    #[inline(always)]
    fn image(&self, rim: u16) -> u16 {
        self.corners[rim as usize & 63] | self.sides[rim as usize >> 6 & 63]
    }
}

/// The names under each symmetry.
fn names() -> &'static [Names; SYMMETRIES] {
    static NAMES: OnceLock<[Names; SYMMETRIES]> = OnceLock::new();
    NAMES.get_or_init(|| std::array::from_fn(Names::new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Notation, Structures};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn see(game: &Game, symmetry: usize) -> Vec<u128> {
        let mut bits = [0; MAX_VERTICES];
        Extractor::new(VERSION).extract(&Input { symmetry, ..Input::new(game) }, None, &mut bits);
        bits[..game.geometry().vertex_count()].to_vec()
    }

    fn play(side: usize, names: &[&str]) -> Game {
        let mut game = Game::new(Geometry::with_side(side).unwrap());
        for name in names {
            game.play(Notation::HavannahGui.parse(game.geometry(), name).unwrap()).unwrap();
        }
        game
    }

    fn features(game: &Game, name: &str) -> Vec<usize> {
        let v = Notation::HavannahGui.parse(game.geometry(), name).unwrap();
        let bits = see(game, 0)[v.index()];
        (0..COUNT).filter(|feature| bits >> feature & 1 == 1).collect()
    }

    /// The position under a symmetry, its image, and its features moved and renamed are the same.
    #[test]
    fn symmetries_move_and_rename_features() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
        for side in [3, 4, 7] {
            let geometry = Geometry::with_side(side).unwrap();
            for (symmetry, image) in geometry.symmetries().iter().enumerate() {
                let renamed = images(symmetry);
                let (mut game, mut turned) = (Game::new(geometry), Game::new(geometry));
                while game.outcome().is_none() {
                    let v = geometry.vertex(rng.random_range(0..geometry.vertex_count())).unwrap();
                    if game.play(v).is_err() {
                        continue;
                    }
                    turned.play(image[v.index()]).unwrap();
                    let (here, under, there) = (see(&game, 0), see(&game, symmetry), see(&turned, 0));
                    assert_eq!(under, there);
                    for v in geometry.vertices() {
                        let bits = here[v.index()];
                        let moved = (0..COUNT).filter(|f| bits >> f & 1 == 1).fold(0, |all, f| all | 1 << renamed[f]);
                        assert_eq!(moved, there[image[v.index()].index()]);
                        assert!(bits >> COUNT == 0);
                    }
                }
            }
        }
    }

    #[test]
    fn all_features_occur_and_static_ones_stay() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        let geometry = Geometry::with_side(5).unwrap();
        let mut seen = 0;
        let empty = see(&Game::new(geometry), 0);
        for _ in 0..300 {
            let mut game = Game::new(geometry);
            while game.outcome().is_none() {
                let v = geometry.vertex(rng.random_range(0..geometry.vertex_count())).unwrap();
                // If the vertex is occupied, the next round draws again.
                let _ = game.play(v);
                for (now, then) in see(&game, 0).iter().zip(&empty) {
                    assert_eq!(now & STATIC, then & STATIC);
                    seen |= now;
                }
            }
        }
        assert_eq!(
            seen,
            (1 << COUNT) - 1,
            "missing {:?}",
            (0..COUNT).filter(|f| seen >> f & 1 == 0).collect::<Vec<_>>()
        );
    }

    /// White's stones on c3 and d5 have a two-bridge over c4 and d4. Black's a2 is on a side; black's d1 has a
    /// two-bridge to no side, because a corner would be part of its carrier.
    #[test]
    fn features_are_what_the_table_says() {
        let mut game = play(5, &["c3", "a2", "d5", "h6"]);
        for carrier in ["c4", "d4"] {
            assert!(features(&game, carrier).contains(&CARRIER), "{carrier}");
        }
        assert!(!features(&game, "e5").contains(&CARRIER));
        let side = game.geometry().rim(Notation::HavannahGui.parse(game.geometry(), "a2").unwrap());
        let side = side.trailing_zeros() as usize;
        let features_without_needs = |game: &Game, name| {
            let all = features(game, name).into_iter();
            all.filter(|&feature| feature < NEEDS).collect::<Vec<_>>()
        };
        assert_eq!(features_without_needs(&game, "a2"), [0, RIM + side, STONE + 1, HELD + 12 + side, HELD_COUNTS + 5]);
        assert_eq!(features_without_needs(&game, "d5"), [0, STONE, RECENT + 1]);
        // White, who is to move, does not answer the intrusion that follows.
        game.play(Notation::HavannahGui.parse(game.geometry(), "i9").unwrap()).unwrap();
        game.play(Notation::HavannahGui.parse(game.geometry(), "c4").unwrap()).unwrap();
        assert!(features(&game, "d4").contains(&REPLY) && !features(&game, "d4").contains(&CARRIER));
    }

    /// A chain one step from a side holds the side if the two vertices between them are empty.
    #[test]
    fn two_bridges_to_a_side_count_for_the_group() {
        let held = |game: &Game, name| {
            let sides = features(game, name).into_iter().filter(|f| (HELD + 6..HELD + 12).contains(f));
            sides.collect::<Vec<_>>()
        };
        let game = play(5, &["b3", "e5"]);
        assert_eq!(held(&game, "b3").len(), 1);
        // The group of d4 holds the side through b3 and the two-bridge between them.
        let game = play(5, &["b3", "e5", "d4", "i9"]);
        assert_eq!((held(&game, "d4"), features(&game, "c3").contains(&CARRIER)), (held(&game, "b3"), true));
        let game = play(5, &["b3", "a3", "d4", "i9"]);
        assert!(held(&game, "d4").is_empty());
    }

    #[test]
    fn pairs_are_threats_of_two_stones() {
        // White needs b1 and c1 for a bridge between the corners a1 and e1... and black has nothing.
        let game = play(4, &["a1", "d4", "d1", "d5"]);
        for name in ["b1", "c1"] {
            assert!(features(&game, name).contains(&PAIR), "{name}");
            assert!(!features(&game, name).contains(&(PAIR + 2)), "{name}");
        }
        let game = play(4, &["a1", "d4", "d1", "d5", "b1", "e5"]);
        assert!(features(&game, "c1").contains(&WIN) && !features(&game, "c1").contains(&(WIN + 1)));
        let wins = game.position().completes(Color::White, Notation::HavannahGui.parse(game.geometry(), "c1").unwrap());
        assert_eq!(wins, Structures::BRIDGE);
    }
}
