//! Replays recorded games and positions with the engine and with the oracle, and checks the winner, the structures, and
//! the move that ends each game.

use std::io::Write;
use std::path::Path;

use crate::oracle::havannah::Havannah;
use crate::recorded::Record;
use crate::skipped::skipped;
use malecon::game::{Color, Geometry, Outcome, RingFinder, Structures};

/// The moves of a record, as points of the oracle.
fn points(record: &Record, game: &Havannah) -> Vec<usize> {
    let parse = |name| game.parse(name).unwrap_or_else(|| panic!("{}: {name} is not on the board", record.place));
    record.moves().into_iter().map(parse).collect()
}

/// The test vectors: random games, and games constructed for special cases. Two independent programs agree on them.
fn vectors() -> Vec<Record> {
    let records = [Record::data("random_games.jsonl"), Record::data("special_games.jsonl")];
    assert_eq!(records.each_ref().map(Vec::len), [1350, 146]);
    records.into_iter().flatten().collect()
}

#[test]
fn the_engine_ends_every_recorded_game_at_its_last_move() {
    for record in vectors() {
        let game = record.replay();
        let (winner, by) = match game.outcome() {
            Some(Outcome::Win(Color::White, by)) => (Some("w"), by),
            Some(Outcome::Win(Color::Black, by)) => (Some("b"), by),
            Some(Outcome::Draw) => (Some("draw"), Structures::NONE),
            None => (None, Structures::NONE),
        };
        assert_eq!((winner, by.names().collect()), (record.winner(), record.by()), "{}", record.place);
    }
}

#[test]
fn the_ring_finder_dates_the_rings_of_recorded_games() {
    let mut rings = 0;
    for record in vectors() {
        let moves = record.vertices();
        let mut finder = RingFinder::new(Geometry::with_side(record.side()).unwrap());
        for (color, name) in [(Color::White, "w"), (Color::Black, "b")] {
            let has_ring = record.winner() == Some(name) && record.by().contains(&"ring");
            let expected = has_ring.then(|| moves.len() - 1);
            assert_eq!(finder.earliest(&moves, Color::White, color), expected, "{}", record.place);
            rings += has_ring as usize;
        }
    }
    assert_eq!(rings, 596 + 84);
}

#[test]
fn the_oracle_ends_every_recorded_game_at_its_last_move() {
    let boards: Vec<Havannah> = (1..=10).map(Havannah::new).collect();
    for record in vectors() {
        let board = &boards[record.side() - 1];
        let played = board.configurations_of(&points(&record, board));
        let end = played[played.len() - 1];
        let Some(winner) = record.winner() else {
            // The game is not over: its positions are those of a valid game in progress.
            assert!(board.is_configuration(end) && board.is_intermediate(end), "{}", record.place);
            assert!(!board.is_final(end), "{}", record.place);
            continue;
        };
        assert!(board.is_valid_game(&played), "{}", record.place);
        let expected = match winner {
            "w" => 1,
            "b" => -1,
            _ => 0,
        };
        assert_eq!(board.score(end), expected, "{}", record.place);
        let by: Vec<_> = end.into_iter().flat_map(|own| board.figures(own)).map(|figure| figure.name()).collect();
        assert_eq!(by, record.by(), "{}", record.place);
    }
}

/// Takes back the last stone of every won game; the position must show that this stone wins.
#[test]
fn winning_moves_of_recorded_games_are_recognized() {
    for record in vectors().into_iter().filter(|record| !record.by().is_empty()) {
        let mut game = record.replay();
        let last = game.last_stone().unwrap();
        game.undo(1).unwrap();
        assert_eq!(game.outcome(), None);
        let completed = game.position().completes(game.to_move(), last);
        assert_eq!(completed.names().collect::<Vec<_>>(), record.by(), "{}", record.place);
    }
}

/// Positions with a known value must come from unfinished games, with the stated player to move.
#[test]
fn solved_positions_are_not_over() {
    let records = Record::data("solved.jsonl");
    assert_eq!(records.len(), 96);
    for record in records {
        let game = record.replay();
        assert_eq!(game.outcome(), None, "{}", record.place);
        assert_eq!(record.fields["to_move"].as_str().map(str::parse), Some(Ok(game.to_move())), "{}", record.place);
        let oracle = Havannah::new(record.side());
        let played = oracle.configurations_of(&points(&record, &oracle));
        assert!(oracle.is_intermediate(played[played.len() - 1]), "{}", record.place);
    }
}

/// The environment variable with the path of a file of human games, in the format of the test vectors; `by` is "resign"
/// or null if a game did not end on the board.
const HUMAN_GAMES: &str = "MALECON_HUMAN_GAMES";

/// No game may end before its last stone. A game that ended with a structure must be won on its last stone, by the
/// stated player and structures; any other game must not be won on the board.
#[test]
fn human_games_end_as_recorded() {
    let Some(path) = std::env::var_os(HUMAN_GAMES) else {
        skipped(&format!("human games, because {HUMAN_GAMES} is not set"));
        return;
    };
    let records = Record::read(Path::new(&path));
    assert!(!records.is_empty());
    let boards: Vec<Havannah> = (1..=13).map(Havannah::new).collect();
    let mut decided = 0;
    for record in &records {
        let game = record.replay();
        // Structures never disappear, so the oracle needs only the last two positions.
        let board = &boards[record.side() - 1];
        let played = board.configurations_of(&points(record, board));
        assert!(board.is_intermediate(played[played.len().saturating_sub(2)]), "{}", record.place);
        let end = played[played.len() - 1];
        let figures: Vec<Vec<&str>> =
            end.iter().map(|&own| board.figures(own).into_iter().map(|figure| figure.name()).collect()).collect();
        if record.by().is_empty() {
            assert_eq!(game.outcome().and_then(Outcome::winner), None, "{}", record.place);
            assert!(board.is_intermediate(end), "{}", record.place);
            continue;
        }
        decided += 1;
        let winner: Color = record.winner().unwrap().parse().unwrap();
        let Some(Outcome::Win(color, by)) = game.outcome() else { panic!("{}: not won", record.place) };
        assert_eq!((color, by.names().collect()), (winner, record.by()), "{}", record.place);
        assert_eq!(figures[winner.index()], record.by(), "{}", record.place);
        assert!(figures[(!winner).index()].is_empty(), "{}", record.place);
    }
    assert!(decided > 0);
    let count = records.len();
    writeln!(std::io::stderr(), "replayed {count} human games, {decided} of them decided by a structure").unwrap();
}
