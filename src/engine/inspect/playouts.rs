//! Statistics of uniform playouts from a position: who owns each vertex at the end, and how much that decides the game.

use rand::Rng;

use crate::engine::playout::{EmptyVertices, play_uniform};
use crate::game::{Color, Game, MAX_VERTICES, Vertex, checks};

/// The number of playouts between two calls of `stop`.
const BATCH: u64 = 64;

/// Counts over a number of playouts from one position.
///
/// ```
/// use malecon::engine::inspect::playouts::PlayoutStatistics;
/// use malecon::game::{Color, Game, Geometry};
/// use rand::SeedableRng;
/// let game = Game::new(Geometry::with_side(4)?);
/// let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1);
/// let statistics = PlayoutStatistics::sample(&game, 1000, &mut rng, || false);
/// assert_eq!(statistics.playouts(), 1000);
/// assert!(statistics.win_rate(Color::White) > statistics.win_rate(Color::Black));
/// # Ok::<(), malecon::game::SideError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlayoutStatistics {
    playouts: u64,
    /// For each colour, the playouts that it won.
    wins: [u64; 2],
    /// For each colour and vertex, the playouts at whose end the colour had a stone there.
    owned: [[u64; MAX_VERTICES]; 2],
    /// For each colour and vertex, those of these playouts that the colour won.
    owned_and_won: [[u64; MAX_VERTICES]; 2],
}

impl PlayoutStatistics {
    /// Plays uniform playouts from the position of a game and counts their results: `playouts` of them, or fewer if
    /// `stop` returns `true`. It is called after every 64 playouts. If the game is over, every playout has its result.
    pub fn sample(
        game: &Game,
        playouts: u64,
        rng: &mut (impl Rng + Clone),
        mut stop: impl FnMut() -> bool,
    ) -> PlayoutStatistics {
        let root = game.position();
        let mut moves = EmptyVertices::new(root).left().to_vec();
        let mut position = root.clone();
        let mut statistics = PlayoutStatistics::new();
        for i in 0..playouts {
            if i > 0 && i.is_multiple_of(BATCH) && stop() {
                break;
            }
            let (length, winner) = match game.outcome() {
                Some(outcome) => (0, outcome.winner()),
                None => {
                    position.copy_from(root);
                    let ending = play_uniform::<{ checks::ALL }>(&mut position, &mut moves, game.to_move(), rng);
                    (ending.length, ending.winner)
                }
            };
            let colors = [game.to_move(), !game.to_move()].into_iter().cycle();
            let played = colors.zip(moves[..length].iter().map(|stone| stone.vertex));
            statistics.count(root.stones().chain(played), winner);
        }
        statistics
    }

    fn new() -> PlayoutStatistics {
        let zeros = [[0; MAX_VERTICES]; 2];
        PlayoutStatistics { playouts: 0, wins: [0; 2], owned: zeros, owned_and_won: zeros }
    }

    /// Counts a playout that ended with these stones and this winner.
    fn count(&mut self, stones: impl Iterator<Item = (Color, Vertex)>, winner: Option<Color>) {
        self.playouts += 1;
        if let Some(winner) = winner {
            self.wins[winner.index()] += 1;
        }
        for (owner, v) in stones {
            self.owned[owner.index()][v.index()] += 1;
            self.owned_and_won[owner.index()][v.index()] += u64::from(winner == Some(owner));
        }
    }

    /// The number of playouts.
    #[must_use]
    pub fn playouts(&self) -> u64 {
        self.playouts
    }

    fn share(&self, count: u64) -> f64 {
        if self.playouts == 0 { 0.0 } else { count as f64 / self.playouts as f64 }
    }

    /// The share of the playouts that a colour won, in \[0, 1\]. Draws count for neither.
    #[must_use]
    pub fn win_rate(&self, color: Color) -> f64 {
        self.share(self.wins[color.index()])
    }

    /// The share of the playouts at whose end a colour had a stone on a vertex, in \[0, 1\]. Playouts end with the
    /// first structure, so the shares of the two colours need not add up to 1.
    #[must_use]
    pub fn ownership(&self, color: Color, v: Vertex) -> f64 {
        self.share(self.owned[color.index()][v.index()])
    }

    /// The criticality of a vertex, in \[−0.5, 0.5\]: how much more often its owner wins than if owning it and winning
    /// were independent. It is about 0 if the vertex does not matter, and 0.5 if its owner always wins and that is
    /// either colour equally often. With colours c, it is
    ///
    /// > Σ_c P(c owns the vertex and wins) − P(c owns the vertex) · P(c wins).
    ///
    /// Coulom, *Criticality: a Monte-Carlo Heuristic for Go Programs*, 2009, writes v/N − (wW + bB)/N².
    #[must_use]
    pub fn criticality(&self, v: Vertex) -> f64 {
        let covariance = |color: Color| {
            let both = self.share(self.owned_and_won[color.index()][v.index()]);
            both - self.ownership(color, v) * self.win_rate(color)
        };
        Color::ALL.into_iter().map(covariance).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Geometry, Notation};
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn statistics(side: usize, names: &str, playouts: u64) -> (Game, PlayoutStatistics) {
        let mut game = Game::new(Geometry::with_side(side).unwrap());
        for name in names.split_whitespace() {
            game.play(Notation::HavannahGui.parse(game.geometry(), name).unwrap()).unwrap();
        }
        let statistics =
            PlayoutStatistics::sample(&game, playouts, &mut Xoshiro256PlusPlus::seed_from_u64(1), || false);
        (game, statistics)
    }

    #[test]
    fn a_stone_belongs_to_its_owner_and_is_not_critical() {
        let (game, statistics) = statistics(4, "d4 e4", 500);
        let [d4, e4] = ["d4", "e4"].map(|name| Notation::HavannahGui.parse(game.geometry(), name).unwrap());
        assert_eq!((statistics.ownership(Color::White, d4), statistics.ownership(Color::Black, d4)), (1.0, 0.0));
        assert_eq!(statistics.ownership(Color::Black, e4), 1.0);
        for v in [d4, e4] {
            assert!(statistics.criticality(v).abs() < 1e-12);
        }
    }

    #[test]
    fn ownership_and_criticality_are_in_range_and_symmetric_on_the_empty_board() {
        let (game, statistics) = statistics(4, "", 40_000);
        let geometry = game.geometry();
        assert!(statistics.win_rate(Color::White) > statistics.win_rate(Color::Black));
        for v in geometry.vertices() {
            let shares = Color::ALL.map(|color| statistics.ownership(color, v));
            assert!(shares.iter().sum::<f64>() <= 1.0 && statistics.criticality(v).abs() <= 0.5);
            for symmetry in geometry.symmetries() {
                let image = symmetry[v.index()];
                assert!((statistics.ownership(Color::White, image) - shares[0]).abs() < 0.02);
                assert!((statistics.criticality(image) - statistics.criticality(v)).abs() < 0.02);
            }
        }
    }

    #[test]
    fn playouts_end_early_on_request_with_those_made_so_far() {
        let game = Game::new(Geometry::with_side(4).unwrap());
        let sample = |playouts, batches| {
            let (mut rng, mut asked) = (Xoshiro256PlusPlus::seed_from_u64(1), 0);
            PlayoutStatistics::sample(&game, playouts, &mut rng, || {
                asked += 1;
                asked == batches
            })
        };
        let stopped = sample(u64::MAX, 3);
        assert_eq!(stopped.playouts(), 3 * BATCH);
        let all = sample(3 * BATCH, u64::MAX);
        assert_eq!(stopped.wins, all.wins);
        assert_eq!(sample(10, 1).playouts(), 10);
    }

    /// White wins at once with a3, and with no other move.
    #[test]
    fn the_deciding_vertex_is_the_most_critical() {
        let (game, statistics) = statistics(3, "a1 d4 a2 c5 b4 e3", 20_000);
        let most = game.geometry().vertices().max_by(|a, b| {
            let [a, b] = [a, b].map(|v| statistics.criticality(*v));
            a.total_cmp(&b)
        });
        assert_eq!(Notation::HavannahGui.name(game.geometry(), most.unwrap()), "a3");
    }

    #[test]
    fn playouts_of_a_finished_game_have_its_result() {
        let (game, statistics) = statistics(3, "a1 c3 a2 d4 a3", 10);
        assert_eq!((statistics.win_rate(Color::White), statistics.playouts()), (1.0, 10));
        for v in game.geometry().vertices() {
            let owned = Color::ALL.map(|color| statistics.ownership(color, v) == 1.0);
            assert_eq!(owned, Color::ALL.map(|color| game.position().stone(v) == Some(color)));
            assert_eq!(statistics.criticality(v), 0.0);
        }
    }
}
