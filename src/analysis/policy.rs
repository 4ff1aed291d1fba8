//! How likely each move is as the next one of a playout.

use crate::board::{Game, Position, Vertex};
use crate::playout::find_bridge_reply;
use crate::playout::paper::WeightedPlayouts;
use crate::search::Options;

/// How a playout chooses its next move.
#[derive(Clone, Debug)]
pub struct NextMove {
    /// The probability of each empty vertex, in vertex order. The sum is 1, unless no vertex is empty.
    pub chances: Vec<(Vertex, f64)>,
    /// The reply to the last stone's intrusion into a two-bridge, if there is one and playouts make such replies.
    pub answer: Option<Vertex>,
}

/// How a playout with these options chooses the next move of a game. The last `made` stones of the game (or all, if
/// there are fewer) count as moves of the playout. `estimate` returns the RAVE estimate of a vertex in \[0, 1\] at the
/// start of the playout, which matters if `options` take the initial weights from there.
pub fn next_move(game: &Game, options: &Options, made: usize, estimate: impl Fn(Vertex) -> f32) -> NextMove {
    if options.weighting().is_uniform() {
        uniform_or_reply(game, options)
    } else {
        weighted(game, options, made, estimate)
    }
}

fn weighted(game: &Game, options: &Options, made: usize, estimate: impl Fn(Vertex) -> f32) -> NextMove {
    let mut start = Position::new(game.geometry());
    let before = game.stone_count().saturating_sub(made);
    for (color, v) in game.stones().take(before) {
        start.place(color, v);
    }
    let moves: Vec<Vertex> = game.stones().skip(before).map(|(_, v)| v).collect();
    let mut weighted = WeightedPlayouts::new(&start, options.weighting());
    weighted.load(&start, &[], estimate);
    NextMove { chances: weighted.probabilities(&moves), answer: None }
}

fn uniform_or_reply(game: &Game, options: &Options) -> NextMove {
    let (position, geometry) = (game.position(), game.geometry());
    let probability = f64::from(options.bridge_reply_odds(geometry.side())) / 256.0;
    let last = game.last_stone().filter(|_| probability > 0.0);
    let reply =
        last.and_then(|v| find_bridge_reply(position, game.to_move(), geometry.cell(v))).map(|reply| reply.vertex);
    let empty: Vec<Vertex> = position.empty_vertices().collect();
    let rest = if reply.is_some() { 1.0 - probability } else { 1.0 };
    let chance = |v| rest / empty.len() as f64 + if Some(v) == reply { probability } else { 0.0 };
    NextMove { chances: empty.iter().map(|&v| (v, chance(v))).collect(), answer: reply }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Geometry, MAX_SIDE, MIN_SIDE, checks, game};
    use crate::playout::{EmptyVertices, play_with_bridge_replies};
    use crate::search::Preset;
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// White's d4 and e6 form a two-bridge with the carrier d5 and e5; Black intrudes on e5.
    #[test]
    fn an_intrusion_is_answered_as_often_as_in_playouts() {
        let game = game(5, "d4 h8 e6 e5");
        let d5 = game.geometry().vertex_at(3, 4).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for probability in [0.0, 0.3, 0.5, 1.0] {
            let next = next_move(
                &game,
                &Options { bridge_reply: probability, bridge_reply_small: probability, ..Options::default() },
                0,
                |_| 0.5,
            );
            assert_eq!(next.answer, (probability > 0.0).then_some(d5));
            let last = game.last_stone().map(|v| game.geometry().cell(v));
            let mut counts = [0; crate::board::MAX_VERTICES];
            const PLAYOUTS: usize = 20_000;
            for _ in 0..PLAYOUTS {
                let mut position = game.position().clone();
                let mut pool = EmptyVertices::of(&position).left().to_vec();
                let mut moves = pool.clone();
                let (empties, odds) = ((&mut pool[..], &mut moves[..]), (probability * 256.0) as u32);
                play_with_bridge_replies::<{ checks::ALL }>(
                    &mut position,
                    empties,
                    last,
                    game.to_move(),
                    odds,
                    &mut rng,
                );
                counts[moves[0].vertex.index()] += 1;
            }
            for (v, p) in next.chances {
                let share = f64::from(counts[v.index()]) / PLAYOUTS as f64;
                let error = 4.5 * (p * (1.0 - p) / PLAYOUTS as f64).sqrt() + 1.0 / PLAYOUTS as f64;
                assert!((share - p).abs() <= error, "{probability}, {v:?}: {share} for {p}");
            }
        }
    }

    /// With the paper's locality the neighbours of the tenth move get the weight 10³.
    #[test]
    fn local_playouts_stay_near_the_last_stones() {
        let game = game(8, "a1 a3 a5 a7 c1 e1 g1 i2 k4 h8");
        let options = Options { locality: 3, ..Options::preset(Preset::Plain) };
        let chances = |made| next_move(&game, &options, made, |_| 0.5).chances;
        assert!(chances(0).iter().all(|(_, p)| (p - 1.0 / (169.0 - 10.0)).abs() < 1e-12));
        let best = chances(10).into_iter().map(|(_, p)| p).fold(0.0, f64::max);
        let h8 = game.last_stone().unwrap();
        for (v, p) in chances(10) {
            assert_eq!(p == best, game.geometry().distance(v, h8) == 1, "{v:?}: {p}");
        }
    }

    #[test]
    fn the_chances_of_all_moves_add_up_to_one() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        for side in MIN_SIDE..=MAX_SIDE {
            for preset in [Preset::Default, Preset::Plain, Preset::Paper] {
                let options = Options::preset(preset);
                let mut game = Game::new(Geometry::of(side).unwrap());
                while game.outcome().is_none() {
                    for made in [0, 5, usize::MAX] {
                        let chances = next_move(&game, &options, made, |v| v.index() as f32 / 600.0).chances;
                        let vertices: Vec<Vertex> = chances.iter().map(|(v, _)| *v).collect();
                        assert!(vertices.into_iter().eq(game.position().empty_vertices()));
                        assert!((chances.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-9);
                    }
                    let empty: Vec<Vertex> = game.position().empty_vertices().collect();
                    game.play(*empty.choose(&mut rng).unwrap()).unwrap();
                }
            }
        }
    }
}
