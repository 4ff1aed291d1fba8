//! Counts the games of a match. Games may be added in any order.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::game::record::Winner;
use crate::game::{Color, Geometry, Notation};

use super::process::FaultKind;
use super::record::GameRecord;
use super::statistics::{Results, Sample};

/// The counts of one engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineTally {
    /// The engine's name.
    pub name: String,
    /// Its results as white and as black.
    pub by_color: [Results; 2],
    /// Its complete pairs of games. Each opponent has its own openings.
    pub pairs: Sample,
    /// Its wins by the `by` field of the records. Wins by any fault of the opponent are counted under [`BY_FAULT`].
    pub wins_by: BTreeMap<String, u64>,
    /// Its faults, by kind.
    pub faults: BTreeMap<FaultKind, u64>,
    /// The number of its answers to `genmove`.
    pub moves: u64,
    /// The total time of these answers, in seconds.
    pub total_seconds: f64,
    /// The longest time of one answer, in seconds.
    pub worst_seconds: f64,
    /// The programs that played under its name.
    pub programs: BTreeSet<String>,
}

impl EngineTally {
    /// Its results with both colours.
    pub fn results(&self) -> Results {
        let mut all = self.by_color[0];
        all += self.by_color[1];
        all
    }
}

/// The results of one engine against another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairingTally {
    /// The engines, as indices into [`Tally::engines`]. The counts are from the first engine's point of view.
    pub engines: [usize; 2],
    /// The results of the games.
    pub results: Results,
    /// The complete pairs of games.
    pub pairs: Sample,
}

/// What the two games of a pair have in common: the engines, the side length, the number of the pair (if known) and the
/// opening.
type PairKey = (usize, usize, usize, Option<usize>, Vec<String>);

/// A game whose partner is missing.
#[derive(Clone, Debug)]
struct Unpaired {
    /// The first engine's half points.
    half_points: usize,
    moves: Vec<String>,
}

/// The key of [`EngineTally::wins_by`] for wins by a fault of the opponent.
pub const BY_FAULT: &str = "opponent's fault";

/// The counts of a match.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The engines.
    pub engines: Vec<EngineTally>,
    /// Every pairing that has played a game.
    pub pairings: Vec<PairingTally>,
    /// The number of games.
    pub games: u64,
    /// White's results.
    pub white: Results,
    /// How the games ended, by the `by` field of the records.
    pub endings: BTreeMap<String, u64>,
    /// The total number of stones played in all games.
    pub stones: u64,
    /// The side lengths of the boards.
    pub sides: Vec<usize>,
    /// Whether any game began with an opening.
    pub has_openings: bool,
    /// When the first and the last game began, if that is known of any.
    pub dates: Option<[String; 2]>,
    /// The machines that played.
    pub hosts: BTreeSet<String>,
    /// The games whose partner has not been added yet, by the colour of the first engine.
    unpaired: HashMap<PairKey, [VecDeque<Unpaired>; 2]>,
}

impl Tally {
    /// Creates an empty tally for engines in this order. Other engines are appended as their games are added.
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

    /// Appends the engines and the pairing of a game if they are new, in the order of their match.
    pub fn add_engines(&mut self, game: &GameRecord) {
        // In the second game of a pair, the engine that was named first has black.
        let second_game = game.game.is_some_and(|number| number % 2 == 1);
        let first = if second_game { Color::Black } else { Color::White };
        let [a, b] = [first, !first].map(|color| self.engine(game.player(color)));
        self.pairing([a.min(b), a.max(b)]);
    }

    /// Ends a run of a match: games that are added later form no pairs with those before.
    pub fn end_run(&mut self) {
        self.unpaired.clear();
    }

    /// Adds a finished game.
    pub fn add(&mut self, game: &GameRecord) {
        self.add_engines(game);
        let players = Color::ALL.map(|color| self.engine(game.player(color)));
        self.games += 1;
        self.has_openings |= !game.opening.is_empty();
        self.stones += game.moves.iter().filter(|name| *name != "swap").count() as u64;
        *self.endings.entry(game.by.clone()).or_default() += 1;
        if !self.sides.contains(&game.side) {
            self.sides.push(game.side);
        }
        self.white += results_of(game, Color::White);
        self.hosts.extend(game.provenance.host.clone());
        if let Some(date) = &game.provenance.date {
            let [first, last] = self.dates.get_or_insert_with(|| [date.clone(), date.clone()]);
            // Dates of this form are in order as texts.
            if *date < *first {
                first.clone_from(date);
            }
            if *date > *last {
                last.clone_from(date);
            }
        }
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
        if let Some(programs) = &game.provenance.programs {
            engine.programs.extend(Some(&programs[color.index()]).filter(|program| !program.is_empty()).cloned());
        }
        for seconds in game.times(color) {
            engine.moves += 1;
            engine.total_seconds += seconds;
            engine.worst_seconds = engine.worst_seconds.max(seconds);
        }
    }

    fn add_to_pairing(&mut self, players: [usize; 2], game: &GameRecord) {
        // The colour of the engine that was named first.
        let color = if players[0] <= players[1] { Color::White } else { Color::Black };
        let [first, second] = [players[color.index()], players[(!color).index()]];
        let pairing = self.pairing([first, second]);
        let results = results_of(game, color);
        self.pairings[pairing].results += results;

        // Half points are whole numbers.
        let half_points = (2 * results.wins + results.draws) as usize;
        let key = (first, second, game.side, game.game.map(|number| number / 2), game.opening.clone());
        let unpaired = self.unpaired.entry(key).or_default();
        match unpaired[(!color).index()].pop_front() {
            None => unpaired[color.index()].push_back(Unpaired { half_points, moves: game.moves.clone() }),
            Some(partner) => {
                let mut moves = [&partner.moves, &game.moves];
                if color == Color::White {
                    moves.reverse();
                }
                let half_points = half_points + partner.half_points;
                let (number, add): (_, fn(&mut Sample, u64, usize)) = match game.opening.is_empty() {
                    true => (hash(&moves), Sample::add_from_empty_board),
                    false => (opening_number(game), Sample::add),
                };
                let number = hash(&(first, second, game.side, number));
                add(&mut self.pairings[pairing].pairs, number, half_points);
                add(&mut self.engines[first].pairs, number, half_points);
                add(&mut self.engines[second].pairs, number, 4 - half_points);
            }
        }
    }
}

/// The same number for games from the same opening or an image of it.
fn opening_number(game: &GameRecord) -> u64 {
    let geometry = Geometry::with_side(game.side).ok();
    let vertices = geometry.and_then(|geometry| {
        let vertices = game.opening.iter().map(|name| Notation::HavannahGui.parse(geometry, name).ok());
        vertices.collect::<Option<Vec<_>>>().map(|vertices| geometry.canonical(&vertices))
    });
    vertices.map_or_else(|| hash(&game.opening), |vertices| hash(&vertices))
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The result of a game from a colour's point of view.
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
    use crate::tools::arena::provenance::Provenance;
    use crate::tools::arena::record::FaultRecord;
    use crate::tools::arena::statistics::Pentanomial;

    /// Game `number`, in which the first engine has white if the number is even. `winner` is the name of the winner.
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
            provenance: Provenance::default(),
        }
    }

    #[test]
    fn games_are_paired_in_whatever_order_they_come() {
        let ab = ["A", "B"];
        let mut tally = Tally::new(ab);
        for (number, winner) in
            [(3, Some("B")), (0, Some("A")), (5, None), (2, Some("A")), (4, Some("A")), (1, Some("A")), (6, Some("B"))]
        {
            tally.add(&game(ab, number, winner));
        }
        // A scores two points in games 0 and 1, one in 2 and 3, one and a half in 4 and 5; game 6 has no partner.
        assert_eq!(tally.engines[0].pairs.pairs(), Pentanomial([0, 0, 1, 1, 1]));
        assert_eq!(tally.engines[1].pairs.pairs(), Pentanomial([1, 1, 1, 0, 0]));
        let [pairing] = &tally.pairings[..] else { panic!("{:?}", tally.pairings) };
        assert_eq!((pairing.engines, pairing.results), ([0, 1], Results { wins: 4, draws: 1, losses: 2 }));
        assert_eq!((pairing.pairs.pairs(), pairing.pairs.units()), (Pentanomial([0, 0, 1, 1, 1]), 1));
        assert_eq!(tally.engines[0].by_color[0], Results { wins: 3, draws: 0, losses: 1 });
        assert_eq!(tally.engines[0].by_color[1], Results { wins: 1, draws: 1, losses: 1 });
        assert_eq!((tally.games, tally.stones), (7, 28));
    }

    #[test]
    fn engines_keep_the_order_of_their_match() {
        let mut tally = Tally::default();
        for (engines, number) in [(["B", "A"], 3), (["B", "C"], 4)] {
            tally.add(&game(engines, number, None));
        }
        assert_eq!(tally.engines.iter().map(|engine| engine.name.as_str()).collect::<Vec<_>>(), ["B", "A", "C"]);
    }

    #[test]
    fn a_second_run_of_the_same_match_forms_its_own_pairs() {
        let mut tally = Tally::default();
        for winner in ["A", "B"] {
            (0..2).for_each(|number| tally.add(&game(["A", "B"], number, Some(winner))));
        }
        assert_eq!(tally.engines[0].pairs.pairs(), Pentanomial([1, 0, 0, 0, 1]));
        // The same, sorted by the numbers of the games.
        let mut sorted = Tally::default();
        for number in 0..2 {
            ["A", "B"].iter().for_each(|winner| sorted.add(&game(["A", "B"], number, Some(winner))));
        }
        assert_eq!(sorted.engines[0].pairs.pairs(), Pentanomial([1, 0, 0, 0, 1]));
        // Of the first run, only the second game is known. The second run is complete.
        let mut runs = Tally::default();
        runs.add(&game(["A", "B"], 1, Some("B")));
        runs.end_run();
        (0..2).for_each(|number| runs.add(&game(["A", "B"], number, Some("A"))));
        assert_eq!(runs.engines[0].pairs.pairs(), Pentanomial([0, 0, 0, 0, 1]));
        let mut other = game(["A", "B"], 0, Some("A"));
        other.opening = vec!["b2".into()];
        tally.add(&other);
        tally.add(&game(["A", "B"], 1, Some("A")));
        assert_eq!(tally.engines[0].pairs.pairs().pairs(), 2, "games with different openings do not form a pair");
    }

    /// Of this many pairs, with what they begin with: the number that count.
    fn independent(pairs: &[(&[&str], &str)]) -> (u64, u64) {
        let mut tally = Tally::new(["A", "B"]);
        for (number, (opening, third)) in pairs.iter().enumerate() {
            for number in [2 * number, 2 * number + 1] {
                let mut game = game(["A", "B"], number, Some("A"));
                game.opening = opening.iter().map(ToString::to_string).collect();
                game.moves = game.opening.iter().cloned().chain([third.to_string()]).collect();
                game.seconds = vec![0.0; game.moves.len()];
                tally.add(&game);
            }
        }
        let sample = &tally.pairings[0].pairs;
        assert!(tally.engines.iter().all(|engine| engine.pairs.units() == sample.units()));
        (sample.units(), sample.pairs().pairs())
    }

    #[test]
    fn an_opening_and_its_images_count_once_and_so_do_repetitions_from_the_empty_board() {
        assert_eq!(independent(&[(&["a1"], "c3"), (&["a1"], "d4"), (&["b2"], "c3"), (&["a1"], "c3")]), (2, 4));
        // Corners are images of each other, and on side 4, d1 is one.
        assert_eq!(independent(&[(&["a1"], "c3"), (&["d1"], "c3"), (&["a2"], "c3")]), (2, 3));
        assert_eq!(independent(&[(&[], "c3"), (&[], "c3"), (&[], "d4")]), (2, 3));
        let tally = |first: [&str; 2]| {
            let mut tally = Tally::new(["A", "B"]);
            for number in [0, 1, 2, 3] {
                let mut game = game(["A", "B"], number, Some("A"));
                game.opening.clear();
                game.moves = vec![first[usize::from(number >= 2)].into()];
                tally.add(&game);
            }
            tally.pairings[0].pairs.units()
        };
        assert_eq!((tally(["a1", "a1"]), tally(["a1", "b2"])), (1, 2));
    }

    #[test]
    fn opening_moves_are_not_timed_and_last_answers_are() {
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
