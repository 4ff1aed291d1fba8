//! Positions as strings: those of recorded games, and every door through which they come and go.

use std::collections::HashMap;
use std::path::Path;

use malecon::engine::session::Session;
use malecon::game::record::{Format, Hints, read_each, write};
use malecon::game::{Color, Game};
use serde_json::{Value, json};

use crate::gtp_client::{answers, run};
use crate::recorded::Record;
use crate::scratch::Scratch;
use crate::skipped::skipped;

/// What makes two positions the same: the board, its stones, the player to move, and whether the first stone can still
/// be swapped.
type Identity = (String, Vec<Option<Color>>, Color, bool);

fn identity(game: &Game) -> Identity {
    let board = game.geometry();
    let stones = board.vertices().map(|v| game.position().stone(v)).collect();
    let may_swap = game.swap_allowed() && game.history().len() < 2 && game.outcome().is_none();
    (board.shape().to_string(), stones, game.to_move(), may_swap)
}

/// Checks each position of these games: it is read as it was written, and no other position has its string. Returns how
/// many there were.
fn check_games(records: &[Record]) -> usize {
    let mut strings: HashMap<String, Identity> = HashMap::new();
    let mut checked = 0;
    for record in records {
        for swap in [false, true] {
            let mut game = Game::new(record.replay().geometry());
            game.allow_swap(swap);
            let mut moves = record.vertices().into_iter();
            loop {
                let text = game.position_string();
                let read = Game::from_position(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
                assert_eq!((identity(&read), read.outcome()), (identity(&game), game.outcome()), "{text}");
                assert_eq!(read.position_string(), text);
                let identity = identity(&game);
                assert_eq!(strings.entry(text).or_insert_with(|| identity.clone()), &identity, "{}", record.place);
                checked += 1;
                let Some(v) = moves.next() else { break };
                game.play(v).unwrap();
            }
        }
    }
    // Different strings are different positions: those of equal ones were compared above.
    let mut identities: Vec<&Identity> = strings.values().collect();
    identities.sort();
    identities.dedup();
    assert_eq!(identities.len(), strings.len());
    checked
}

#[test]
fn positions_of_recorded_games_have_one_string_each() {
    let mut records = Record::data("random_games.jsonl");
    records.extend(Record::data("special_games.jsonl"));
    assert!(check_games(&records) > 20_000);
}

#[test]
fn positions_of_human_games_have_one_string_each() {
    let Some(path) = std::env::var_os("MALECON_HUMAN_GAMES") else {
        skipped("human games, because MALECON_HUMAN_GAMES is not set");
        return;
    };
    assert!(check_games(&Record::read(Path::new(&path))) > 0);
}

/// A position of side 4 in which White, who is to move, wins at once by a bridge.
const WON: &str = "4/5/6/w3b2/w5/5/w1b1 w";

#[test]
fn gtp_shows_and_sets_positions() {
    let commands = format!(
        "boardsize 5\nset_option swap true\nplay w e5\nshow_position\nset_position {WON}\nshow_position\nhistory\n\
         genmove w\nshow_position\nundo\nshow_position\nset_position 5/6/7/8/4b4/8/7/6/5 w\nplay w swap\n\
         set_position 5/6/7/8/4w4/8/7/6/5 b swap\nplay b swap\nshow_position\nset_position 4/5/6 w\nshow_position\n"
    );
    let answers = answers(&run(&["--simulations", "100", "--seed", "1"], commands.as_bytes()));
    let answers: Vec<&str> = answers.iter().map(|answer| answer.trim_end()).collect();
    let centre = "5/6/7/8/4w4/8/7/6/5 b swap";
    assert_eq!(answers[3], format!("= {centre}"));
    assert_eq!(answers[5], format!("= {WON}"));
    assert_eq!(answers[7], "= a2");
    assert_eq!(answers[8], "= 4/5/6/w3b2/w5/w4/w1b1 b");
    assert_eq!(answers[10], format!("= {WON}"));
    assert!(answers[12].starts_with("? illegal move: swap is switched off"), "{}", answers[12]);
    assert_eq!(answers[15], "= 5/6/7/8/4b4/8/7/6/5 w");
    assert_eq!(
        answers[16],
        "? invalid position: no board has rows of 4, 5, 6 vertices (expected such rows as \
                             4, 5, 6, 7, 6, 5, 4 of side 4)"
    );
    assert_eq!(answers[17], answers[15]);
}

fn query(fields: Value) -> Value {
    let output = run(&["analyze"], format!("{fields}\n").as_bytes());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[test]
fn queries_take_positions_and_answers_have_them() {
    let answer = query(json!({"id": "1", "position": WON, "seed": 1, "simulations": 100}));
    assert_eq!(answer["position"]["string"], WON);
    assert_eq!((&answer["best"], &answer["verdict"]), (&json!("a2"), &json!("win")));
    let answer = query(json!({"id": "1", "position": WON, "moves": ["a2"], "want": ["position"], "turns": [0]}));
    assert_eq!((&answer["position"]["string"], &answer["position"]["last"]), (&json!(WON), &Value::Null));
    let swapped = json!({"id": "1", "position": "4/5/6/3w3/6/5/4 b swap", "moves": ["swap"], "want": ["position"]});
    assert_eq!(query(swapped)["position"]["string"], "4/5/6/3b3/6/5/4 w");
    for (fields, field, error) in [
        (json!({"position": WON, "side": 4}), "side", "side: already given by position"),
        (json!({"position": WON, "black": ["a1"]}), "black", "black: already given by position"),
        (json!({"position": "4/4 w"}), "position", "position: invalid position: no board has rows of 4, 4 vertices"),
        (json!({"position": WON, "moves": ["a1"]}), "moves", "moves[0]: a1 is occupied by white"),
    ] {
        let mut fields = fields;
        fields["id"] = json!("1");
        let answer = query(fields);
        assert_eq!(answer["field"], field);
        assert!(answer["error"].as_str().unwrap().starts_with(error), "{answer}");
    }
    let record = query(json!({"id": "1", "action": "read_record", "text": format!("{WON}\n")}));
    assert_eq!(record["games"][0]["white"], json!(["a1", "a3", "a4"]));
    let text = query(json!({"id": "1", "action": "write_record", "position": WON, "moves": ["a2"]}));
    let game = &read_each(text["text"].as_str().unwrap().as_bytes(), Hints::default()).unwrap()[0];
    assert_eq!(game.as_ref().unwrap().after(0).unwrap().0.position_string(), WON);
    assert_eq!(write(&[game.clone().unwrap()], Format::Position), "4/5/6/w3b2/w5/w4/w1b1 b\n");
}

#[test]
fn the_command_line_takes_positions() {
    let output = |arguments: &[&str]| {
        let output = run(arguments, b"");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let solved: Value = serde_json::from_str(&output(&["solve", "--position", WON, "--json"])).unwrap();
    assert_eq!((&solved["value"], &solved["best"], &solved["position"]), (&json!("white"), &json!("a2"), &json!(WON)));
    let after = output(&["solve", "--position", WON, "b2", "c2"]);
    assert!(after.starts_with("white wins\nbest move: a2 for white\n"), "{after}");
    let hexagon = output(&["solve", "--position", "4/5/6/7/3w3/6/1b3/4 w", "--nodes", "10"]);
    assert!(hexagon.starts_with("unknown\n"), "{hexagon}");
    let error = run(&["solve", "--position", "4/5/6/7/6/5/4 w swap"], b"");
    let said = String::from_utf8(error.stderr).unwrap();
    assert_eq!(said, "error: the solver does not know the pie rule (expected a position without swap)\n");
    let played =
        String::from_utf8(run(&["play", "--position", WON], b"position\na2\nposition\nquit\n").stdout).unwrap();
    assert!(played.contains(&format!("> position\n{WON}\n")), "{played}");
    assert!(played.contains("4/5/6/w3b2/w5/w4/w1b1 b\n"), "{played}");
}

#[test]
fn batches_of_positions_are_solved_and_proven() {
    let (file, folder) = (Scratch::new("positions.jsonl"), Scratch::new("position-proofs"));
    let (file, proofs) = (file.path(), folder.path());
    let lines = format!("{{\"position\": \"{WON}\"}}\n{{\"position\": \"{WON}\", \"moves\": [\"b2\", \"b4\"]}}\n");
    std::fs::write(file, lines).unwrap();
    let output = run(&["solve", "batch", file, "--proofs", proofs, "--memory", "16"], b"");
    let text = String::from_utf8(output.stdout).unwrap();
    let values: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(values.len(), 2, "{}", String::from_utf8_lossy(&output.stderr));
    assert!(values.iter().all(|line| line["value"] == "white" && line["position"] == WON), "{text}");
    let proof = Path::new(proofs).join("4.5.6.w3b2.w5.5.w1b1-w-b2-b4.proof");
    assert!(run(&["solve", "check", proof.to_str().unwrap()], b"").status.success());
}

#[test]
fn records_become_positions_and_positions_records() {
    let sgf = b"(;SZ[4];W[d4];B[swap];W[e4])";
    let to_position = |arguments: &[&str]| {
        let output = run(&[&["sgf", "--to", "position"], arguments, &["-"]].concat(), sgf);
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(to_position(&[]), "4/5/6/3bw2/6/5/4 b\n");
    assert_eq!(to_position(&["--move", "1"]), "4/5/6/3w3/6/5/4 b swap\n");
    let checked = run(&["sgf", "-"], format!("# two\n{WON}\n4/5/6/7/6/5/5 w\n").as_bytes());
    assert_eq!(String::from_utf8(checked.stdout).unwrap(), "-: game 1: side 4, 0 moves, not over\n");
    assert!(
        String::from_utf8(checked.stderr).unwrap().starts_with("error: -:3:1: invalid position: no board has rows")
    );
}

#[test]
fn a_game_from_a_position_is_saved_with_its_stones_as_set_up() {
    let mut session = Session::on_side(6).unwrap();
    session.set_position(Game::from_position(WON).unwrap());
    session.play("a2").unwrap();
    let text = write(&[session.record()], Format::Sgf);
    assert!(text.contains("PL[W]") && text.contains("AW[a1]") && text.contains(";W[a2]"), "{text}");
    assert!(session.game().is_over());
}
