//! Counting: from the records of games to everything a report is made of. Games may come in any order.

use std::collections::{BTreeMap, HashMap};

use crate::board::Color;
use crate::record::Winner;

use super::process::FaultKind;
use super::record::GameRecord;
use super::statistics::{Pentanomial, Results};

/// What was counted of one engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineTally {
    /// The name.
    pub name: String,
    /// The results as white and as black.
    pub by_color: [Results; 2],
    /// All its complete pairs.
    pub pairs: Pentanomial,
    /// How it won: by `by` of the records, the opponent's faults as one.
    pub wins_by: BTreeMap<String, u64>,
    /// Its faults.
    pub faults: BTreeMap<FaultKind, u64>,
    /// The number of answers to `genmove`.
    pub moves: u64,
    /// The time that they took together, in seconds.
    pub total_seconds: f64,
    /// The time that the longest of them took, in seconds.
    pub worst_seconds: f64,
}

impl EngineTally {
    /// The results of all games.
    pub fn results(&self) -> Results {
        let mut all = self.by_color[0];
        all += self.by_color[1];
        all
    }
}

/// The results of one engine against another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairingTally {
    /// The engines, by their index in [`Tally::engines`]; the counts are from the first one's point of view.
    pub engines: [usize; 2],
    /// The games.
    pub results: Results,
    /// The complete pairs.
    pub pairs: Pentanomial,
}

/// What makes two games a pair: the engines, the side length, the pair's number if the record has one, the opening.
type PairKey = (usize, usize, usize, Option<usize>, Vec<String>);

/// The name under which [`EngineTally::wins_by`] counts wins by the opponent's fault.
pub const BY_FAULT: &str = "opponent's fault";

/// The counts of a match.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The engines.
    pub engines: Vec<EngineTally>,
    /// Every pairing that played.
    pub pairings: Vec<PairingTally>,
    /// The number of games.
    pub games: u64,
    /// White's results.
    pub white: Results,
    /// How the games ended.
    pub endings: BTreeMap<String, u64>,
    /// Stones of all games together.
    pub stones: u64,
    /// The side lengths played on.
    pub sides: Vec<usize>,
    /// The points of the first-named engine in games whose partner has not been counted, by the colour that it had.
    open: HashMap<PairKey, [Vec<u64>; 2]>,
}

impl Tally {
    /// Counts nothing yet, for engines in this order; others are added as they come.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Tally {
        let mut tally = Tally::default();
        for name in names {
            tally.engine(name);
        }
        tally
    }

    fn engine(&mut self, name: &str) -> usize {
        if let Some(index) = self.engines.iter().position(|engine| engine.name == name) {
            return index;
        }
        self.engines.push(EngineTally { name: name.to_owned(), ..EngineTally::default() });
        self.engines.len() - 1
    }

    fn pairing(&mut self, engines: [usize; 2]) -> usize {
        if let Some(index) = self.pairings.iter().position(|pairing| pairing.engines == engines) {
            return index;
        }
        self.pairings.push(PairingTally { engines, ..PairingTally::default() });
        self.pairings.len() - 1
    }

    /// Counts a game.
    pub fn add(&mut self, game: &GameRecord) {
        // A match names its engines in this order: in the second game of a pair, the first has black.
        let second_game = game.game.is_some_and(|number| number % 2 == 1);
        self.engine(game.player(if second_game { Color::Black } else { Color::White }));
        let players = Color::ALL.map(|color| self.engine(game.player(color)));
        self.games += 1;
        self.stones += game.moves.iter().filter(|name| *name != "swap").count() as u64;
        *self.endings.entry(game.by.clone()).or_default() += 1;
        if !self.sides.contains(&game.side) {
            self.sides.push(game.side);
        }
        self.white += results_of(game, Color::White);
        for color in Color::ALL {
            self.add_to_engine(players[color.index()], game, color);
        }
        self.add_to_pairing(players, game);
    }

    fn add_to_engine(&mut self, index: usize, game: &GameRecord, color: Color) {
        let engine = &mut self.engines[index];
        let results = results_of(game, color);
        engine.by_color[color.index()] += results;
        if results.wins == 1 {
            let by = if game.fault.is_some() { BY_FAULT } else { &game.by };
            *engine.wins_by.entry(by.to_owned()).or_default() += 1;
        }
        if let Some(fault) = &game.fault
            && fault.engine == engine.name
            && results.losses == 1
        {
            *engine.faults.entry(fault.kind).or_default() += 1;
        }
        for seconds in game.times(color) {
            engine.moves += 1;
            engine.total_seconds += seconds;
            engine.worst_seconds = engine.worst_seconds.max(seconds);
        }
    }

    fn add_to_pairing(&mut self, players: [usize; 2], game: &GameRecord) {
        // The first of a pairing is the engine that was named first; its colour in this game:
        let color = if players[0] <= players[1] { Color::White } else { Color::Black };
        let [first, second] = [players[color.index()], players[(!color).index()]];
        let pairing = self.pairing([first, second]);
        let results = results_of(game, color);
        self.pairings[pairing].results += results;

        // Half points, so that they are whole numbers.
        let half_points = 2 * results.wins + results.draws;
        let key = (first, second, game.side, game.game.map(|number| number / 2), game.opening.clone());
        let open = self.open.entry(key).or_default();
        match open[(!color).index()].pop() {
            None => open[color.index()].push(half_points),
            Some(partner) => {
                let mut pair = Pentanomial::default();
                pair.0[(half_points + partner) as usize] = 1;
                self.pairings[pairing].pairs += pair;
                self.engines[first].pairs += pair;
                self.engines[second].pairs += pair.reversed();
            }
        }
    }
}

/// A game's result from a colour's point of view.
fn results_of(game: &GameRecord, color: Color) -> Results {
    let (wins, draws, losses) = match (game.winner, color) {
        (Winner::Draw, _) => (0, 1, 0),
        (Winner::White, Color::White) | (Winner::Black, Color::Black) => (1, 0, 0),
        _ => (0, 0, 1),
    };
    Results { wins, draws, losses }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::record::FaultRecord;

    /// A game of `number`, with the first engine playing white if that is even, won by the engine of this name.
    fn game(engines: [&str; 2], number: usize, winner: Option<&str>) -> GameRecord {
        let [white, black] = if number.is_multiple_of(2) { engines } else { [engines[1], engines[0]] };
        let winner = match winner {
            None => Winner::Draw,
            Some(name) if name == white => Winner::White,
            Some(_) => Winner::Black,
        };
        GameRecord {
            side: 4,
            white: white.into(),
            black: black.into(),
            moves: ["a1", "d4", "a2", "e5"].map(String::from).to_vec(),
            winner,
            by: "bridge+ring".into(),
            opening: vec!["a1".into()],
            seconds: vec![0.0, 0.25, 0.5, 0.75],
            game: Some(number),
            last_seconds: None,
            fault: None,
        }
    }

    #[test]
    fn pairs_are_put_together_in_whatever_order_games_come() {
        let ab = ["A", "B"];
        let mut tally = Tally::new(ab);
        for (number, winner) in
            [(3, Some("B")), (0, Some("A")), (5, None), (2, Some("A")), (4, Some("A")), (1, Some("A")), (6, Some("B"))]
        {
            tally.add(&game(ab, number, winner));
        }
        // Games 0 and 1: two points for A; 2 and 3: one; 4 and 5: one and a half; 6 is alone.
        assert_eq!(tally.engines[0].pairs, Pentanomial([0, 0, 1, 1, 1]));
        assert_eq!(tally.engines[1].pairs, Pentanomial([1, 1, 1, 0, 0]));
        assert_eq!(
            tally.pairings,
            [PairingTally {
                engines: [0, 1],
                results: Results { wins: 4, draws: 1, losses: 2 },
                pairs: Pentanomial([0, 0, 1, 1, 1]),
            }]
        );
        assert_eq!(tally.engines[0].by_color[0], Results { wins: 3, draws: 0, losses: 1 });
        assert_eq!(tally.engines[0].by_color[1], Results { wins: 1, draws: 1, losses: 1 });
        assert_eq!((tally.games, tally.stones), (7, 28));
    }

    #[test]
    fn engines_are_in_the_order_of_their_match() {
        let mut tally = Tally::default();
        for (engines, number) in [(["B", "A"], 3), (["B", "C"], 4)] {
            tally.add(&game(engines, number, None));
        }
        assert_eq!(tally.engines.iter().map(|engine| engine.name.as_str()).collect::<Vec<_>>(), ["B", "A", "C"]);
    }

    #[test]
    fn a_second_run_of_the_same_match_makes_pairs_of_its_own() {
        let mut tally = Tally::default();
        for winner in ["A", "B"] {
            (0..2).for_each(|number| tally.add(&game(["A", "B"], number, Some(winner))));
        }
        assert_eq!(tally.engines[0].pairs, Pentanomial([1, 0, 0, 0, 1]));
        let mut other = game(["A", "B"], 0, Some("A"));
        other.opening = vec!["b2".into()];
        tally.add(&other);
        tally.add(&game(["A", "B"], 1, Some("A")));
        assert_eq!(tally.engines[0].pairs.pairs(), 2, "games from different openings are no pair");
    }

    #[test]
    fn times_of_the_opening_do_not_count_and_those_of_last_answers_do() {
        let mut tally = Tally::new(["A", "B"]);
        let mut lost = game(["A", "B"], 0, Some("B"));
        lost.last_seconds = Some(9.0);
        let detail = "late".to_owned();
        lost.fault = Some(FaultRecord { engine: "A".into(), kind: FaultKind::TimeForfeit, detail });
        tally.add(&lost);
        let [a, b] = [&tally.engines[0], &tally.engines[1]];
        assert_eq!((a.moves, a.total_seconds, a.worst_seconds), (2, 9.5, 9.0));
        assert_eq!((b.moves, b.total_seconds, b.worst_seconds), (2, 1.0, 0.75));
        assert_eq!((a.faults[&FaultKind::TimeForfeit], b.wins_by[BY_FAULT]), (1, 1));
    }
}
