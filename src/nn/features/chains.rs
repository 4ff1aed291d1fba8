//! Version 1 of the features: stones, and how many corners and sides their chains hold.

use super::Extractor;
use crate::board::{Color, MAX_VERTICES, Position, Vertex};
use crate::nn::Input;

/// The number of features of a vertex.
pub(super) const COUNT: usize = 24;

/// Finds these features. Rotating or reflecting the position only moves them.
pub(crate) struct ChainFeatures {
    /// Before the symmetry is applied.
    bits: [u32; MAX_VERTICES],
}

impl Extractor for ChainFeatures {
    type Bits = u32;

    /// Where the vertex is, and the size of the board.
    const STATIC: u32 = 1 | 0b11111 << 11;

    fn new() -> ChainFeatures {
        ChainFeatures { bits: [0; MAX_VERTICES] }
    }

    fn extract(&mut self, input: &Input<'_>, out: &mut [u32; MAX_VERTICES]) {
        features(input.position, input.color, input.recent, &mut self.bits);
        let image = &input.position.geometry().symmetries()[input.symmetry];
        image.iter().zip(&self.bits).for_each(|(w, &bits)| out[w.index()] = bits);
    }
}

/// Writes the features of each vertex of `position`, in vertex order, from the point of view of `color`, who is to move;
/// `recent` are the last two stones, the last one first. Rotating or reflecting the position only moves the features.
///
/// | bits | feature |
/// |---|---|
/// | 0 | the vertex is on the board |
/// | 1, 2 | an own stone; an opposing stone |
/// | 3-5 | an own stone whose chain touches a corner; a side; two sides |
/// | 6-8 | the same for an opposing stone |
/// | 9, 10 | the last stone; the one before |
/// | 11 | the vertex is a corner |
/// | 12-14 | the vertex is on a side; one step from the nearest side; two steps |
/// | 15 | the board has a side length of 7 or more |
/// | 16-19 | empty, and the chain of an own stone here would touch a corner; a side; two sides; more of these than each chain it joins |
/// | 20-23 | the same for an opposing stone |
fn features(position: &Position, color: Color, recent: [Option<Vertex>; 2], out: &mut [u32; MAX_VERTICES]) {
    let geometry = position.geometry();
    let large = (geometry.side() >= 7) as u32;
    for v in geometry.vertices() {
        let mut bits = 1 | large << 15;
        bits |= match (geometry.is_corner(v), geometry.rim_distance(v)) {
            (true, _) => 1 << 11,
            (_, distance @ 0..=2) => 1 << (12 + distance),
            _ => 0,
        };
        bits |= match position.stone(v) {
            Some(stone) => {
                let opposing = (stone != color) as u32;
                1 << (1 + opposing) | rim_features(position.chain(v).1) << (3 + 3 * opposing)
            }
            None => {
                let [own, opposing] = [color, !color].map(|color| {
                    let joined = position.joined(color, v);
                    rim_features(joined.rim) | ((joined.rim.count_ones() > joined.most as u32) as u32) << 3
                });
                own << 16 | opposing << 20
            }
        };
        out[v.index()] = bits;
    }
    for (k, v) in recent.into_iter().enumerate() {
        if let Some(v) = v {
            out[v.index()] |= 1 << (9 + k);
        }
    }
}

/// Whether a set of corners and sides, as in [`crate::board::Geometry::rim`], has a corner; a side; two sides.
fn rim_features(rim: u16) -> u32 {
    let sides = (rim >> 6).count_ones();
    (rim & 0x3f != 0) as u32 | ((sides >= 1) as u32) << 1 | ((sides >= 2) as u32) << 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Game, Geometry, Notation};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn of(game: &Game) -> Vec<u32> {
        let mut bits = [0; MAX_VERTICES];
        features(game.position(), game.to_move(), game.last_stones(), &mut bits);
        bits[..game.geometry().vertex_count()].to_vec()
    }

    #[test]
    fn static_features_are_the_same_in_all_positions() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        for side in [3, 7] {
            let geometry = Geometry::of(side).unwrap();
            let mut game = Game::new(geometry);
            let (empty, mut seen) = (of(&game), 0);
            while game.outcome().is_none() {
                let v = geometry.vertex(rng.random_range(0..geometry.vertex_count())).unwrap();
                // If the vertex is occupied, the next round draws again.
                let _ = game.play(v);
                for (now, then) in of(&game).iter().zip(&empty) {
                    assert_eq!(now & ChainFeatures::STATIC, then & ChainFeatures::STATIC);
                    seen |= now & !ChainFeatures::STATIC;
                }
            }
            let stones_and_chains = [1, 2, 3, 4, 6, 7, 9, 10, 16, 17, 19, 20, 21, 23];
            assert!(stones_and_chains.iter().all(|feature| seen >> feature & 1 == 1), "{seen:b}");
        }
    }

    #[test]
    fn features_are_turned_with_the_board() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
        for side in [4, 7] {
            let geometry = Geometry::of(side).unwrap();
            for symmetry in geometry.symmetries() {
                let (mut game, mut turned) = (Game::new(geometry), Game::new(geometry));
                while game.outcome().is_none() {
                    let v = geometry.vertex(rng.random_range(0..geometry.vertex_count())).unwrap();
                    if game.play(v).is_ok() {
                        turned.play(symmetry[v.index()]).unwrap();
                        let (here, there) = (of(&game), of(&turned));
                        assert!(geometry.vertices().all(|v| here[v.index()] == there[symmetry[v.index()].index()]));
                        assert!(here.iter().all(|bits| *bits < 1 << COUNT));
                    }
                }
            }
        }
    }

    /// White's chain touches the corner a1 and the side of a2 and a3; black's stone on d4 touches nothing; black is to move.
    #[test]
    fn features_are_what_the_table_says() {
        let geometry = Geometry::of(4).unwrap();
        let mut game = Game::new(geometry);
        let vertex = |name| Notation::HavannahGui.parse(geometry, name).unwrap();
        for name in ["a1", "d4", "a2"] {
            game.play(vertex(name)).unwrap();
        }
        let bits = of(&game);
        let features =
            |name| (0..COUNT).filter(|feature| bits[vertex(name).index()] >> feature & 1 == 1).collect::<Vec<_>>();
        assert_eq!(features("a1"), [0, 2, 6, 7, 11]);
        assert_eq!(features("a2"), [0, 2, 6, 7, 9, 12]);
        assert_eq!(features("d4"), [0, 1, 10]);
        // A white stone would only make the chain longer; a black one would be alone on the side.
        assert_eq!(features("a3"), [0, 12, 17, 19, 20, 21]);
        // White would gain a second side.
        assert_eq!(features("b1"), [0, 12, 17, 19, 20, 21, 22, 23]);
        assert_eq!(features("c4"), [0, 14]);
    }
}
