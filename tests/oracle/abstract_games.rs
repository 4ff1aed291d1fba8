//! Abstract strategy games: two players, full information, no chance, alternating turns.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// A member of `abstract_games`: (configurations, initial, transitions, score).
///
/// The set of configurations is not given. By the condition in the definition it contains exactly what can be reached
/// from the initial configuration, which [`configurations`] returns.
pub trait AbstractGame {
    /// A board configuration.
    type Configuration: Clone + Ord + Debug;

    /// The initial configuration.
    fn initial(&self) -> Self::Configuration;

    /// All *q* with (*p*, *q*) in `transitions`.
    fn transitions(&self, p: &Self::Configuration) -> Vec<Self::Configuration>;

    /// The score of a final configuration: positive if the first player has won, negative if the second has, 0 for a
    /// draw.
    fn score(&self, p: &Self::Configuration) -> i32;

    /// Whether (*p*, *q*) is in `transitions`.
    fn is_transition(&self, p: &Self::Configuration, q: &Self::Configuration) -> bool {
        self.transitions(p).contains(q)
    }

    /// Whether *p* is in `final_configurations`: there is no *q* with (*p*, *q*) in `transitions`.
    fn is_final(&self, p: &Self::Configuration) -> bool {
        self.transitions(p).is_empty()
    }
}

/// A playing strategy: for each configuration that is not final, the configuration after the strategy's move.
pub type Strategy<C> = BTreeMap<C, C>;

/// `configurations`: {*q* | (initial, *q*) in transitions*}.
pub fn configurations<G: AbstractGame>(game: &G) -> BTreeSet<G::Configuration> {
    let mut reached = BTreeSet::from([game.initial()]);
    let mut to_visit = vec![game.initial()];
    while let Some(p) = to_visit.pop() {
        for q in game.transitions(&p) {
            if reached.insert(q.clone()) {
                to_visit.push(q);
            }
        }
    }
    reached
}

/// `final_configurations`.
pub fn final_configurations<G: AbstractGame>(game: &G) -> BTreeSet<G::Configuration> {
    configurations(game).into_iter().filter(|p| game.is_final(p)).collect()
}

/// Whether (p0, .., pn) is in `valid_games`.
pub fn is_valid_game<G: AbstractGame>(game: &G, played: &[G::Configuration]) -> bool {
    played.first() == Some(&game.initial())
        && played.last().is_some_and(|p| game.is_final(p))
        && played.windows(2).all(|pair| game.is_transition(&pair[0], &pair[1]))
}

/// Calls `visit` with each of the `valid_games`.
pub fn for_each_valid_game<G: AbstractGame>(game: &G, mut visit: impl FnMut(&[G::Configuration])) {
    fn extend<G: AbstractGame>(
        game: &G,
        played: &mut Vec<G::Configuration>,
        visit: &mut impl FnMut(&[G::Configuration]),
    ) {
        let next = game.transitions(&played[played.len() - 1]);
        if next.is_empty() {
            visit(played);
        }
        for q in next {
            played.push(q);
            extend(game, played, visit);
            played.pop();
        }
    }
    extend(game, &mut vec![game.initial()], &mut visit);
}

/// Whether a function from configurations to configurations is in `playing_strategies`: it is defined for exactly those
/// that are not final, and is a subset of the transitions.
pub fn is_playing_strategy<G: AbstractGame>(game: &G, strategy: &Strategy<G::Configuration>) -> bool {
    configurations(game).iter().all(|p| strategy.contains_key(p) != game.is_final(p))
        && strategy.iter().all(|(p, q)| game.is_transition(p, q))
}

/// All `playing_strategies`. Their number is the product of the numbers of transitions, so this is for tiny games.
pub fn playing_strategies<G: AbstractGame>(game: &G) -> Vec<Strategy<G::Configuration>> {
    let mut strategies = vec![Strategy::new()];
    for p in configurations(game).into_iter().filter(|p| !game.is_final(p)) {
        let choices = game.transitions(&p);
        strategies = strategies
            .into_iter()
            .flat_map(|strategy| {
                let p = &p;
                choices.iter().map(move |q| {
                    let mut longer = strategy.clone();
                    longer.insert(p.clone(), q.clone());
                    longer
                })
            })
            .collect();
    }
    strategies
}

/// `played_game`: the game that two strategies play with each other. In the text, strategy *i* mod 2 makes the move to
/// p*i* for *i* > 0. Here it is strategy (*i* − 1) mod 2, because strategy 0 moves first.
pub fn played_game<G: AbstractGame>(
    game: &G,
    strategy0: &Strategy<G::Configuration>,
    strategy1: &Strategy<G::Configuration>,
) -> Vec<G::Configuration> {
    let mut played = vec![game.initial()];
    while !game.is_final(&played[played.len() - 1]) {
        let i = played.len();
        let strategy = [strategy0, strategy1][(i - 1) % 2];
        played.push(strategy[&played[i - 1]].clone());
    }
    played
}

/// `outcome` of a valid game: the score of its last configuration.
pub fn outcome<G: AbstractGame>(game: &G, played: &[G::Configuration]) -> i32 {
    game.score(played.last().expect("a valid game has an initial configuration"))
}

/// `drawless`: no valid game has outcome 0. The outcome is the score of the last configuration, and every final
/// configuration is the last of some valid game.
pub fn drawless<G: AbstractGame>(game: &G) -> bool {
    final_configurations(game).iter().all(|p| game.score(p) != 0)
}

/// The outcomes of strategy `one` against `other` in both seats, from the point of view of `one`: positive is a win.
///
/// The text uses the first player's outcome in both seats. But a strategy that never loses as the second player has
/// outcomes there that are never *positive*.
fn both_seats<G: AbstractGame>(
    game: &G,
    one: &Strategy<G::Configuration>,
    other: &Strategy<G::Configuration>,
) -> [i32; 2] {
    [outcome(game, &played_game(game, one, other)), -outcome(game, &played_game(game, other, one))]
}

/// `super_strategies`: those that never lose to any other strategy. For tiny games.
pub fn super_strategies<G: AbstractGame>(game: &G) -> Vec<Strategy<G::Configuration>> {
    let all = playing_strategies(game);
    let never_loses = |one: &&Strategy<_>| {
        all.iter().filter(|other| other != one).all(|other| both_seats(game, one, other).into_iter().all(|o| o >= 0))
    };
    all.iter().filter(never_loses).cloned().collect()
}

/// `strategy_quality`: the minimum, over all other strategies, of the sum of both outcomes. `None` if there is no other
/// strategy. For tiny games.
pub fn strategy_quality<G: AbstractGame>(game: &G, strategy: &Strategy<G::Configuration>) -> Option<i32> {
    let all = playing_strategies(game);
    all.iter().filter(|other| *other != strategy).map(|other| both_seats(game, strategy, other).into_iter().sum()).min()
}

/// The worst outcome of a strategy in one seat (0 moves first) against all strategies in the other seat, from the
/// strategy's point of view.
///
/// A strategy is in `super_strategies` iff this is not negative in either seat, provided that there is a configuration
/// which its own games do not reach, where another strategy may choose freely. Strategies are not listed, so this also
/// works for larger games.
pub fn worst_outcome<G: AbstractGame>(game: &G, strategy: &Strategy<G::Configuration>, seat: usize) -> i32 {
    fn from<G: AbstractGame>(
        game: &G,
        strategy: &Strategy<G::Configuration>,
        seat: usize,
        mover: usize,
        p: &G::Configuration,
    ) -> i32 {
        let next = if mover == seat { strategy.get(p).into_iter().cloned().collect() } else { game.transitions(p) };
        let worst = next.iter().map(|q| from(game, strategy, seat, 1 - mover, q)).min();
        worst.unwrap_or_else(|| if seat == 0 { game.score(p) } else { -game.score(p) })
    }
    from(game, strategy, seat, 0, &game.initial())
}

/// The outcomes under best play by both players, for every configuration that can be reached and the player to move
/// there (0 is the first player).
pub struct Values<C>(BTreeMap<(C, usize), i32>);

impl<C: Clone + Ord + Debug> Values<C> {
    /// Computes all values of a game.
    pub fn of<G: AbstractGame<Configuration = C>>(game: &G) -> Values<C> {
        let mut values = Values(BTreeMap::new());
        values.fill(game, game.initial(), 0);
        values
    }

    fn fill<G: AbstractGame<Configuration = C>>(&mut self, game: &G, p: C, mover: usize) -> i32 {
        let key = (p, mover);
        if let Some(&value) = self.0.get(&key) {
            return value;
        }
        let next = game.transitions(&key.0);
        let outcomes = next.into_iter().map(|q| self.fill(game, q, 1 - mover));
        let best = if mover == 0 { outcomes.max() } else { outcomes.min() };
        let value = best.unwrap_or_else(|| game.score(&key.0));
        self.0.insert(key, value);
        value
    }

    /// The value of a configuration with this player to move, from the first player's point of view.
    pub fn value(&self, p: &C, mover: usize) -> i32 {
        self.0[&(p.clone(), mover)]
    }

    /// The configurations after the best moves: those with the same value as *p*.
    pub fn best<G: AbstractGame<Configuration = C>>(&self, game: &G, p: &C, mover: usize) -> Vec<C> {
        let value = self.value(p, mover);
        game.transitions(p).into_iter().filter(|q| self.value(q, 1 - mover) == value).collect()
    }

    /// A strategy that plays best in both seats, for games in which the configuration determines whose turn it is.
    ///
    /// # Panics
    /// Panics if a configuration occurs with either player to move.
    pub fn best_strategy<G: AbstractGame<Configuration = C>>(&self, game: &G) -> Strategy<C> {
        let mut strategy = Strategy::new();
        for (p, mover) in self.0.keys() {
            if let Some(q) = self.best(game, p, *mover).into_iter().next() {
                assert_eq!(strategy.insert(p.clone(), q), None, "{p:?} does not determine whose turn it is");
            }
        }
        strategy
    }
}
