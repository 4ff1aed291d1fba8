//! The playouts' choice of the next move.

use crate::board::{Game, Position, Vertex};
use crate::playout::find_bridge_reply;
use crate::playout::paper::WeightedPlayouts;
use crate::search::Options;

/// How a playout chooses its next move.
#[derive(Clone, Debug)]
pub struct NextMove {
    /// The probability of each empty vertex, in vertex order. The sum is 1, unless there is no move.
    pub chances: Vec<(Vertex, f64)>,
    /// The answer to an intrusion into a two-bridge by the last stone, where playouts give such answers.
    pub answer: Option<Vertex>,
}

/// How a playout with these options chooses the next move of a game. The game's last `made` stones, or all where there
/// are fewer, are its own moves; it started before them, by the weights of `estimate` where `options` say that it starts
/// by RAVE estimates.
pub fn next_move(game: &Game, options: &Options, made: usize, estimate: impl Fn(Vertex) -> f32) -> NextMove {
    if options.weighting().is_uniform() {
        uniform_or_answer(game, options)
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

fn uniform_or_answer(game: &Game, options: &Options) -> NextMove {
    let (position, geometry) = (game.position(), game.geometry());
    let probability = f64::from(options.bridge_reply_odds(geometry.side())) / 256.0;
    let last = game.last_stone().filter(|_| probability > 0.0);
    let answer =
        last.and_then(|v| find_bridge_reply(position, game.to_move(), geometry.cell(v))).map(|spot| spot.vertex);
    let empty: Vec<Vertex> = position.empty_vertices().collect();
    let rest = if answer.is_some() { 1.0 - probability } else { 1.0 };
    let chance = |v| rest / empty.len() as f64 + if Some(v) == answer { probability } else { 0.0 };
    NextMove { chances: empty.iter().map(|&v| (v, chance(v))).collect(), answer }
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

    /// White's d4 and e6 make a two-bridge over d5 and e5, into which Black comes.
    #[test]
    fn an_intrusion_is_answered_as_often_as_playouts_do_it() {
        let game = game(5, "d4 h8 e6 e5");
        let d5 = game.geometry().vertex_at(3, 4).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for answer in [0.0, 0.3, 0.5, 1.0] {
            let next = next_move(
                &game,
                &Options { bridge_reply: answer, bridge_reply_small: answer, ..Options::default() },
                0,
                |_| 0.5,
            );
            assert_eq!(next.answer, (answer > 0.0).then_some(d5));
            let last = game.last_stone().map(|v| game.geometry().cell(v));
            let mut counts = [0; crate::board::MAX_VERTICES];
            const PLAYOUTS: usize = 20_000;
            for _ in 0..PLAYOUTS {
                let mut position = game.position().clone();
                let mut pool = EmptyVertices::of(&position).left().to_vec();
                let mut moves = pool.clone();
                let (spots, odds) = ((&mut pool[..], &mut moves[..]), (answer * 256.0) as u32);
                play_with_bridge_replies::<{ checks::ALL }>(&mut position, spots, last, game.to_move(), odds, &mut rng);
                counts[moves[0].vertex.index()] += 1;
            }
            for (v, p) in next.chances {
                let share = f64::from(counts[v.index()]) / PLAYOUTS as f64;
                let error = 4.5 * (p * (1.0 - p) / PLAYOUTS as f64).sqrt() + 1.0 / PLAYOUTS as f64;
                assert!((share - p).abs() <= error, "{answer}, {v:?}: {share} for {p}");
            }
        }
    }

    /// Around the last of ten moves the weight is 10³ with the paper's locality.
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
    fn chances_of_the_moves_add_up_to_one() {
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
