//! Game records: reading, writing, and the errors for broken files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use malecon::base::options::OptionValue;
use malecon::game::record::{Format, GameResult, How, Record, read, write};
use malecon::game::{Color, Game, Geometry, Move, Notation, Outcome};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::gtp_client::{Client, run};
use crate::scratch::Scratch;
use crate::skipped::skipped;

const FORMATS: [Format; 5] = [Format::Sgf, Format::GoGui, Format::Hgf, Format::JsonLines, Format::Moves];
/// The formats that keep variations.
const TREES: [Format; 3] = [Format::Sgf, Format::GoGui, Format::Hgf];

/// The game in most of the files: side 4, won by white's bridge.
const GAME: &str = "d1 swap d7 a2 g7 e7 d6 e6 a4 b5 b4 c5 d5 c4 g4 b3 g5 g6 e5 f5 f6";

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/records").join(name)
}

fn load(name: &str) -> Vec<Record> {
    read(&fs::read(path(name)).unwrap(), None).unwrap_or_else(|error| panic!("{name}:{error}"))
}

/// The moves as the GTP command `playgame` takes them.
fn words(record: &Record) -> String {
    let game = record.game();
    let words = game.history().iter().map(|(_, m)| m.show(record.board(), Notation::HavannahGui));
    words.collect::<Vec<_>>().join(" ")
}

fn result(winner: Color, how: How) -> Option<GameResult> {
    Some(GameResult { winner: Some(winner), how })
}

#[test]
fn every_format_holds_the_same_game() {
    for (name, index) in
        [("swapped.hgf", 0), ("gogui.sgf", 0), ("games.jsonl", 0), ("games.jsonl", 1), ("games.moves", 0)]
    {
        let record = &load(name)[index];
        assert_eq!((words(record).as_str(), record.board().side()), (GAME, 4), "{name}");
        assert_eq!(record.result(), result(Color::White, How::Board), "{name}");
        assert_eq!((record.by().as_deref(), record.contradiction()), (Some("bridge"), None), "{name}");
    }
    for (name, index) in [("resigned.hgf", 0), ("games.jsonl", 2), ("games.moves", 1)] {
        let record = &load(name)[index];
        assert_eq!((words(record).as_str(), record.board().side()), ("e5 e6 f7 d5", 5), "{name}");
        assert_eq!(record.result(), result(Color::Black, How::Resignation), "{name}");
    }
}

/// Also in one file, where each needs a line of its own.
#[test]
fn every_format_keeps_games_without_moves() {
    let games = b"(;SZ[4])(;SZ[4];W[a1])(;SZ[4])(;SZ[6];B[resign])(;SZ[6])(;SZ[5]AW[a1]AB[b1])";
    let records = read(games, None).unwrap();
    for format in FORMATS {
        let text = write(&records, format);
        let again = read(text.as_bytes(), None).unwrap_or_else(|error| panic!("{format:?}: {error}\n{text}"));
        let content = |records: &[Record]| -> Vec<_> {
            records.iter().map(|record| (record.board().side(), words(record), record.result())).collect()
        };
        assert_eq!(content(&again), content(&records), "{text}");
        let one = write(&records[..1], format);
        assert_eq!(read(one.as_bytes(), Some(format)).unwrap().len(), 1, "{one}");
    }
}

#[test]
fn records_cannot_steer_the_terminal() {
    let is_harmful = |c: char| c.is_control() && c != '\n';
    let tree = "(;SZ[4]PW[\x1b[31mred\x07]PB[a\rb]C[line\n\u{9b}2J\x7f];W[a1])";
    let line = r#"{"side": 4, "white": "\u001b[31mred\u0007", "black": "a\rb", "moves": ["a1"]}"#;
    for text in [tree, line] {
        let file = Scratch::new("harmful");
        fs::write(file.path(), text).unwrap();
        let (_, described, _) = sgf(&[file.path()], "");
        assert!(
            described.contains("\u{241b}[31mred\u{2407} - a b, side 4") && !described.contains(is_harmful),
            "{described:?}"
        );
        let mut client = Client::start(&[]);
        client.tell(&format!("loadsgf {}", file.path()));
        let printed = client.tell("printsgf");
        assert!(printed.contains("\u{241b}[31mred\u{2407}") && !printed.contains(is_harmful), "{printed:?}");
        let review = run(&["review", "--simulations", "20", file.path()], b"");
        let review = String::from_utf8(review.stdout).unwrap();
        assert!(review.contains("\u{241b}[31mred\u{2407}") && !review.contains(is_harmful), "{review:?}");
    }
    for text in [
        "(;SZ[4];W[\x1b[31m1])",
        "(;SZ[4];W[a1\n\x1b])",
        "# side 4\na1 \x1b[31mb1",
        r#"{"side": 4, "moves": ["\u001bx"]}"#,
    ] {
        let (_, _, error) = sgf(&["-"], text);
        assert!(
            error.starts_with("error: -:") && !error.contains(is_harmful) && error.lines().count() == 1,
            "{error:?}"
        );
    }
}

/// Files of more than half a kilobyte cannot be written here, as if the disk were full.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_file() {
    let text = format!("(;SZ[4]C[{}];W[a1])", "a long comment ".repeat(100));
    let file = Scratch::new("full-disk");
    fs::write(file.path(), &text).unwrap();
    let program = env!("CARGO_BIN_EXE_malecon");
    let convert = format!("'{program}' sgf --to gogui --output '{0}' '{0}'", file.path());
    let save = format!("printf 'loadsgf {0}\nplay w a2\nsavesgf {0}\n' | '{program}' gtp", file.path());
    let copy = format!("'{program}' network --out '{}'", file.path());
    for command in [convert, save, copy] {
        let script = format!("trap '' XFSZ; ulimit -f 1; {command}");
        let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(said.contains("File too large"), "{said}");
        assert_eq!(fs::read_to_string(file.path()).unwrap(), text);
        assert!(!Path::new(&format!("{}.new", file.path())).exists());
    }
}

/// A wrong name, or a game that cannot be read, empties no file.
#[test]
fn nothing_that_was_read_replaces_no_file() {
    let [bad, file] = ["only-bad", "kept"].map(Scratch::new);
    fs::write(bad.path(), "(;SZ[4];W[a1];B[b2];W[b2])").unwrap();
    fs::write(file.path(), "kept").unwrap();
    for from in [&["no such file"][..], &[bad.path()], &["--game", "1", bad.path()]] {
        let output = run(&[&["sgf", "--to", "sgf", "--output", file.path()], from].concat(), b"");
        assert_eq!(output.status.code(), Some(1), "{from:?}");
        assert_eq!(fs::read_to_string(file.path()).unwrap(), "kept", "{from:?}");
    }
}

/// In Little Golem's files, the labels are exchanged: `PB` moves first, under the label W.
#[test]
fn players_belong_to_the_colour_of_their_stones() {
    for name in ["swapped.hgf", "resigned.hgf", "gogui.sgf", "variations.sgf", "games.jsonl"] {
        assert_eq!(load(name)[0].players, [Some("Ada".into()), Some("Blaise".into())], "{name}");
    }
}

#[test]
fn older_files_give_the_diameter() {
    let records = load("diameter.sgf");
    assert_eq!(records.iter().map(|record| record.board().side()).collect::<Vec<_>>(), [4, 4, 8]);
    // A side length that is plausible is not taken for a diameter.
    for text in ["(;SZ[7];W[a1];B[c3])", "(;SZ[7]RE[W+R];W[a1];B[c3])", "(;SZ[7]RE[W+];W[a1];B[c3])"] {
        assert_eq!(read(text.as_bytes(), None).unwrap()[0].board().side(), 7, "{text}");
    }
}

/// The whole content of a record: main line, players, result, and all nodes in the order of the file.
fn content(record: &Record) -> (String, [Option<String>; 2], Option<GameResult>, String) {
    (words(record), record.players.clone(), record.result(), write(std::slice::from_ref(record), Format::Sgf))
}

#[test]
fn what_is_written_can_be_read_again() {
    for name in
        ["swapped.hgf", "resigned.hgf", "variations.sgf", "gogui.sgf", "games.jsonl", "games.moves", "diameter.sgf"]
    {
        let records = load(name);
        for format in FORMATS {
            let text = write(&records, format);
            let again = read(text.as_bytes(), Some(format)).unwrap_or_else(|error| panic!("{name}:{error}:\n{text}"));
            assert_eq!(again.len(), records.len());
            assert_eq!(write(&again, format), text, "{name}");
            for (record, again) in records.iter().zip(&again) {
                assert_eq!((words(again), again.by()), (words(record), record.by()), "{name} as {format:?}");
                // Games that are held out of training are known by their names.
                assert!(again.name() == record.name() || format == Format::Moves, "{name} as {format:?}");
            }
            let recognized = read(text.as_bytes(), None).unwrap();
            assert_eq!(recognized.iter().map(words).collect::<Vec<_>>(), again.iter().map(words).collect::<Vec<_>>());
        }
    }
}

/// `PL` may name the player who does not swap.
#[test]
fn a_swap_after_any_turn_is_read() {
    for text in [
        "(;SZ[4]AW[d4]PL[W];B[swap])",
        "(;SZ[4];W[d4]PL[W];B[swap])",
        "(;SZ[7]AP[GoGui]AW[dd]PL[W];B[dd])",
        "(;SZ[5]AW[d4]PL[W]RE[W+R];B[swap])",
    ] {
        let record = &read(text.as_bytes(), None).unwrap()[0];
        assert_eq!(record.game().stones().map(|(color, _)| color).collect::<Vec<_>>(), [Color::Black], "{text}");
        assert!(record.has_pie_rule());
    }
}

#[test]
fn a_comment_may_follow_a_resignation() {
    for text in ["(;SZ[4]RE[B+R];W[a1];B[b2];W[resign];C[Thanks!])", "(;SZ[4];W[a1];B[b2];W[resign]C[no];C[x];C[y])"] {
        let file = Scratch::new("thanks.sgf");
        fs::write(file.path(), text).unwrap();
        let mut client = Client::start(&["--side", "6"]);
        client.tell(&format!("loadsgf {}", file.path()));
        assert_eq!(
            (client.tell("history"), client.tell("final_score")),
            ("a1 b2 resign".into(), "B+1".into()),
            "{text}"
        );
        assert!(client.tell("printsgf").contains(if text.contains("Thanks") { "C[Thanks!]" } else { "C[y]" }));
    }
}

/// By any of the signs by which its files are known.
#[test]
fn little_golems_games_have_the_pie_rule() {
    for text in ["(;RU[LG]SZ[4];W[a1])", "(;RU[lg]SZ[4];W[a1])", "(;SO[http://www.littlegolem.com]SZ[4];W[a1])"] {
        assert!(read(text.as_bytes(), None).unwrap()[0].has_pie_rule(), "{text}");
    }
    assert!(!read(b"(;SZ[4];W[a1])", None).unwrap()[0].has_pie_rule());
}

#[test]
fn files_that_were_joined_are_read_with_their_marks() {
    for (part, count) in [("(;SZ[4];W[a1])\n", 1), ("{\"side\":4,\"moves\":[\"a1\"]}\n", 1), ("# side 4\na1 b2\n", 1)] {
        let text = format!("\u{feff}{part}\u{feff}{part}");
        assert_eq!(read(text.as_bytes(), None).unwrap().len(), 2 * count, "{part}");
    }
}

#[test]
fn a_line_that_begins_with_a_number_continues_the_list() {
    let games = read(b"# side 8\n1 h8 g7\n2 f6 e5\n1 a1 a2\n", None).unwrap();
    assert_eq!(games.iter().map(words).collect::<Vec<_>>(), ["h8 g7 f6 e5", "a1 a2"]);
}

/// One resignation ends the game; more may follow it.
#[test]
fn what_follows_a_resignation_is_written_so_that_it_reads_the_same() {
    let text = "(;FF[4]EV[null]PB[a]PW[b]SZ[6]RU[LG]SO[4];W[resign]GC[c];W[resign])";
    let written = write(&read(text.as_bytes(), None).unwrap(), Format::Sgf);
    let again = read(written.as_bytes(), None).unwrap();
    assert_eq!(again[0].by().as_deref(), Some("resign"));
    assert_eq!(write(&again, Format::Sgf), written);
}

#[test]
fn little_golems_files_are_reproduced() {
    for name in ["swapped.hgf", "resigned.hgf"] {
        assert_eq!(write(&load(name), Format::Hgf), fs::read_to_string(path(name)).unwrap());
    }
}

/// Whatever a record says of its rules and its source, Little Golem's style shows that it is that.
#[test]
fn little_golems_style_has_its_sign() {
    let text = "(;FF[4]AP[x]SZ[5]PW[Ann]PB[Bob]RE[W+R]RU[swap]SO[mybook];W[g5];B[f6];W[f7])";
    let record = read(text.as_bytes(), None).unwrap();
    let written = write(&record, Format::Hgf);
    assert!(written.contains("RU[LG]") && written.contains("SO[mybook]"), "{written}");
    let again = read(written.as_bytes(), None).unwrap();
    assert_eq!((words(&again[0]), &again[0].players), (words(&record[0]), &record[0].players));
    assert!(again[0].note.is_none() && again[0].has_pie_rule());
    assert_eq!(write(&again, Format::Hgf), written);
}

/// What belongs to a player moves with the name where the labels are exchanged, and so do results on time.
#[test]
fn ranks_teams_and_results_belong_to_the_same_player_in_every_style() {
    let text = "(;FF[4]AP[x]SZ[5]PW[Ann]WR[2100]WT[red]PB[Bob]BR[1400]BT[blue]RE[W+T];W[g5];B[f6])";
    let record = read(text.as_bytes(), None).unwrap();
    let written = write(&record, Format::Hgf);
    for part in ["PB[Ann]", "BR[2100]", "BT[red]", "PW[Bob]", "WR[1400]", "WT[blue]", "RE[B+T]"] {
        assert!(written.contains(part), "{part}: {written}");
    }
    let again = write(&read(written.as_bytes(), None).unwrap(), Format::Sgf);
    for part in ["PW[Ann]", "WR[2100]", "WT[red]", "PB[Bob]", "BR[1400]", "BT[blue]", "RE[W+T]"] {
        assert!(again.contains(part), "{part}: {again}");
    }
}

#[test]
fn variations_comments_and_markup_are_kept_in_every_style() {
    let [record] = &load("variations.sgf")[..] else { panic!("one game") };
    assert_eq!((words(record).as_str(), record.variation_count()), ("d4 c4 d5 c5 d6", 2));
    let comments: Vec<_> = record.main_line().filter_map(|id| record.node(id).comment()).collect();
    assert_eq!(comments, ["Two lines of play; a ] in a comment", "the centre"]);
    for format in TREES {
        let again = read(write(std::slice::from_ref(record), format).as_bytes(), Some(format)).unwrap();
        let sgf = write(&again, Format::Sgf);
        for part in
            ["(;B[swap];W[e5])", "(;B[e6])", "TR[c4][d4]", "LB[d6:here: a threat]", "DT[2011-03-05]", r"a \] in"]
        {
            assert!(sgf.contains(part), "{format:?} loses {part}: {sgf}");
        }
        assert_eq!(words(&again[0]), words(record));
    }
    let gogui = write(std::slice::from_ref(record), Format::GoGui);
    assert!(gogui.contains("SZ[7]") && gogui.contains("(;B[dd];W[ec])") && gogui.contains("LB[db:here"), "{gogui}");
}

#[test]
fn set_up_stones_and_turns_out_of_order_are_kept() {
    let text = "(;FF[4]SZ[4]AW[a1][b2]AB[c3];B[d4];B[e5])";
    let record = &read(text.as_bytes(), None).unwrap()[0];
    assert_eq!((record.play_count(), record.game().stone_count()), (2, 5));
    assert_eq!(write(std::slice::from_ref(record), Format::Moves), "# side 4\na1 white:b2 c3 black:d4 black:e5\n");
    for format in FORMATS {
        let again = read(write(std::slice::from_ref(record), format).as_bytes(), Some(format)).unwrap();
        assert_eq!(again[0].game().stones().collect::<Vec<_>>(), record.game().stones().collect::<Vec<_>>());
    }
}

/// The last stone decides who moves next, and a stone after the end of the game is illegal.
#[test]
fn set_up_stones_keep_their_order() {
    for (text, moves) in [
        ("(;SZ[4]AB[c3]AW[a1])", "black:c3 a1"),
        ("(;SZ[4]AB[c3][d3]AW[a1]AB[e4])", "black:c3 black:d3 a1 e4"),
        ("(;SZ[2]AB[a1][c3]AW[a2]AB[b2])", "black:a1 black:c3 a2 b2"),
    ] {
        let record = &read(text.as_bytes(), None).unwrap()[0];
        let list = |record: &Record| {
            let text = write(std::slice::from_ref(record), Format::Moves);
            text.lines().nth(1).unwrap().to_owned()
        };
        assert_eq!(list(record), moves);
        for format in TREES {
            let written = write(std::slice::from_ref(record), format);
            let again = read(written.as_bytes(), Some(format)).unwrap_or_else(|error| panic!("{written}: {error}"));
            assert_eq!((list(&again[0]), again[0].game().to_move()), (moves.to_owned(), record.game().to_move()));
        }
    }
}

/// Other editors set up a position that is won without an order.
#[test]
fn stones_that_are_set_up_may_have_won() {
    let record = &read(b"(;SZ[3]AW[a1][a2][a3]AB[c3][d4])", None).unwrap()[0];
    assert_eq!(record.game().outcome().and_then(Outcome::winner), Some(Color::White));
    let written = write(std::slice::from_ref(record), Format::Sgf);
    assert_eq!(words(&read(written.as_bytes(), None).unwrap()[0]), words(record));
    assert!(["AW[", "AB["].iter().all(|name| written.matches(name).count() == 1), "{written}");
    let refused = read(b"(;SZ[3]AW[a1][a2][a3];B[c3])", None).unwrap_err().to_string();
    assert!(refused.contains("illegal move c3: the game is over"), "{refused}");
}

/// SGF has each property once in a node.
#[test]
fn the_stones_of_a_position_are_in_one_property_for_each_colour() {
    for position in ["4/5/6/7/6/5/wbwb w", "3/2b1/w1b2/w3/w2 b"] {
        let record = Record::from_position(&Game::from_position(position).unwrap());
        for format in TREES {
            let text = write(std::slice::from_ref(&record), format);
            assert!(["AW[", "AB["].iter().all(|name| text.matches(name).count() == 1), "{text}");
            assert_eq!(read(text.as_bytes(), None).unwrap()[0].game().position_string(), position);
        }
    }
}

#[test]
fn a_move_in_the_first_node_gets_a_node_of_its_own() {
    let text = "(;FF[4]SZ[4]PW[Ada]C[To begin.]W[a1](;B[b2])(;B[c3]))";
    let mut record = read(text.as_bytes(), None).unwrap().remove(0);
    assert_eq!((record.node(0).play, record.node(0).children().len(), words(&record).as_str()), (None, 1, "a1 b2"));
    assert_eq!(record.node_count(), 4);
    let written = write(std::slice::from_ref(&record), Format::Sgf);
    assert!(written.contains(";W[a1]") && written.contains(";B[c3]"), "{written}");
    // The game may go back to its beginning.
    assert_eq!(record.follow(&[]), Some(vec![]));
    assert_eq!(record.node(0).comment().as_deref(), Some("To begin."));
}

/// Without a move, `AP` or the coordinates of set-up stones must reveal the style.
#[test]
fn records_without_moves_keep_their_style() {
    let board = Geometry::with_side(3).unwrap();
    for text in ["(;SZ[3])", "(;SZ[3]AW[a1][b2])", "(;SZ[3]C[no moves]PW[Ada])"] {
        let record = &read(text.as_bytes(), None).unwrap()[0];
        for format in TREES {
            let written = write(std::slice::from_ref(record), format);
            let again = &read(written.as_bytes(), None).unwrap()[0];
            assert_eq!((again.board(), words(again)), (board, words(record)), "{written}");
            assert_eq!((&again.players, again.node(0).comment()), (&record.players, record.node(0).comment()));
        }
    }
    // The coordinates suffice, even if another program wrote the file.
    let record = &read(b"(;SZ[5]AW[ae][bd])", None).unwrap()[0];
    assert_eq!((record.board(), words(record).as_str()), (board, "a1 b2"));
}

#[test]
fn go_records_are_recognized() {
    for text in ["(;SZ[19];B[pd];W[dd])", "(;SZ[9]HA[2];B[aa])"] {
        let error = read(text.as_bytes(), None).unwrap_err().to_string();
        assert!(error.ends_with("(this looks like a Go record)"), "{text}: {error}");
    }
    // Also where all vertices exist.
    for (text, game) in [
        ("(;GM[1]FF[4]SZ[9]KM[7]RU[Chinese]RE[W+3.5];B[ee];W[ed];B[fe];W[de])", "Go (GM[1])"),
        ("(;GM[11]SZ[5];W[c3];B[d4])", "Hex (GM[11])"),
        ("(;GM[2]SZ[8];B[d4])", "Othello (GM[2])"),
        ("(;GM[Twixt]SZ[8];B[d4])", "another game (GM[Twixt])"),
        ("(;FF[4]SZ[9]KM[6.5];B[ee];W[ed])", "Go (KM[6.5])"),
        ("(;FF[4]SZ[9]RU[Japanese];B[ee];W[ed])", "Go (RU[Japanese])"),
    ] {
        for format in [None, Some(Format::Sgf)] {
            let error = read(text.as_bytes(), format).unwrap_err().to_string();
            assert!(error.ends_with(&format!("this is a record of {game}, not of Havannah")), "{text}: {error}");
        }
    }
    for text in [
        "(;GM[Havannah]SZ[5];W[c3])",
        "(;GM[81]SZ[5];W[c3])",
        "(;SZ[5]KM[0];W[c3])",
        "(;AP[GoGui:1.6]GM[1]KM[6.5]SZ[9];B[ee];W[ed])",
        "(;AP[Malecon:0.3.0]GM[1]KM[6.5]SZ[5];W[e5];B[e6])",
    ] {
        assert_eq!(read(text.as_bytes(), None).unwrap()[0].board().side(), 5, "{text}");
    }
    // What GoGui writes of Go is not kept: it would make others take the converted file for a record of Go.
    let records = read(b"(;AP[GoGui:1.6]GM[1]KM[6.5]RU[Japanese]SZ[9];B[ee];W[ed])", None).unwrap();
    for format in [Format::Sgf, Format::GoGui, Format::Hgf] {
        let text = write(&records, format);
        assert!(["GM[", "KM[", "RU[J"].iter().all(|sign| !text.contains(sign)), "{text}");
        assert_eq!(words(&read(text.as_bytes(), None).unwrap()[0]), "e5 e6", "{text}");
    }
    // A komi of Havannah is somebody's own.
    let records = read(b"(;GM[Havannah]KM[0.5]SZ[5];W[c3])", None).unwrap();
    assert!(write(&records, Format::Sgf).contains("KM[0.5]"));
    let error = read(b"(;SZ[7]AP[GoGui:1.6.0];W[aa])", None).unwrap_err().to_string();
    assert!(error.ends_with("vertex aa is not on the board of side 4"), "{error}");
}

/// Each level holds a variation that is still to be played, and none of the resignations changes the game. A copy of
/// the game for each level would exceed the memory.
#[cfg(target_os = "linux")]
#[test]
fn variations_on_resignations_do_not_copy_the_game() {
    let levels = 38_000;
    let text = "(;SZ[13]".to_owned() + &"(;W[resign]".repeat(levels) + &")(;W[a1])".repeat(levels) + ")";
    let file = Scratch::new("resignations.sgf");
    fs::write(file.path(), text).unwrap();
    let mut shell = std::process::Command::new("sh");
    let program = env!("CARGO_BIN_EXE_malecon");
    shell.args(["-c", "ulimit -v 150000 && exec \"$0\" sgf \"$1\"", program, file.path()]);
    let output = shell.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains(&format!("{levels} variations")), "{text}");
}

#[test]
fn a_long_list_of_passes_is_read_in_linear_time() {
    let count = 400_000;
    let text = format!("# side 2\na1 c3 b1 {}\n", "black:pass ".repeat(count));
    let record = &read(text.as_bytes(), None).unwrap()[0];
    assert_eq!(record.node_count(), count + 4);
}

#[test]
fn a_root_with_many_properties_is_read_in_linear_time() {
    let count = 300_000;
    let text = format!("(;SZ[4]{};W[d4])", "XA[]".repeat(count));
    let record = &read(text.as_bytes(), None).unwrap()[0];
    assert_eq!(record.node_count(), 2);
}

#[test]
fn errors_have_a_position_and_a_reason() {
    for (text, message) in [
        ("", "1:1: no game found"),
        ("(;SZ[4]\n;W[a1]\n", "1:1: this '(' is never closed"),
        ("(;W[a1])", "1:2: the side length is missing (expected a property such as SZ[8])"),
        ("(;SZ[eight])", "1:6: invalid size 'eight' (expected a side length)"),
        ("(;SZ[1])", "1:6: invalid side length 1 (expected 2 to 13)"),
        ("(;SZ[26])", "1:6: invalid diameter 26 (expected an odd number from 3 to 25)"),
        ("(;SZ[4];W[a1]\n;B[h9])", "2:4: vertex h9 is not on the board of side 4"),
        ("(;SZ[4];W[a1]\n;B[\u{e9}])", "2:4: invalid vertex '\u{e9}'"),
        ("(;SZ[4];W[a1];B[a2]\n  ;W[a2])", "2:6: illegal move a2: the vertex is occupied"),
        ("(;SZ[4];W[a1];AB[a1])", "1:14: illegal move a1: the vertex is occupied"),
        ("(;SZ[4];W[a1](;B[a2])\n(;B[b2];W[b2]))", "2:11: illegal move b2: the vertex is occupied"),
        ("(;SZ[4];W[a1];B[a2];W[b2];B[swap])", "1:29: illegal move swap: swap is legal only as the second move"),
        ("(;SZ[4];W[a1];W[swap])", "1:17: illegal move swap: white cannot swap its own stone"),
        ("(;SZ[4];W[a1];B[])", "1:17: illegal move pass: there is no pass in Havannah"),
        ("(;SZ[2];W[a1];B[c3];W[b1];B[b2])", "1:29: illegal move b2: the game is over: white won by bridge"),
        ("(;SZ[4];W[a1]B[a2])", "1:16: a second move in the same node"),
        ("(;SZ[4];AE[a1])", "1:12: AE removes stones"),
        ("(;SZ[4];W[a1])\n(;SZ[4];W[a1];B[a9])", "2:17: vertex a9 is not on the board of side 4"),
        ("{\"side\":4,\"moves\":[\"a1\"]}\n{\"side\":4,\"moves\":[\"a1\", \"z1\"]}", "2:26: vertex z1 is not"),
        ("{\"side\":4,\"moves\":[\"a1\"]}\n{\"side\":4}", "2:10: missing field `moves`"),
        ("{\"side\":4,\"moves\":[],\"winner\":\"red\"}", "1:1: invalid winner 'red' (expected white, black or draw)"),
        (
            "https://www.littlegolem.net/jsp/game/game.jsp?gid=2345&nmove=7\n",
            "1:1: this is a link, not a record: save the game from that page as a file (SGF, or Little Golem's .hgf), \
             and open the file",
        ),
        ("https://example.org/a.sgf", "1:1: this is a link, not a record: save the game"),
        ("a1 b2", "1:1: the side length is missing (expected a line such as '# side 8' before the moves)"),
        ("Dear Ada, here is", "1:1: not a record of a game: expected SGF, JSON or a list of moves, but found 'Dear'"),
        ("<!DOCTYPE html><html>login", "1:1: not a record of a game: this is a page in HTML or XML"),
        ("\u{1f}\u{8b}", "1:1: not a record of a game: expected"),
        ("# side 4\na1 b2  a1", "2:8: illegal move a1: the vertex is occupied"),
        ("# side 4\na1 resign b2", "2:11: 'b2' after a resignation"),
        ("# side 40\n", "1:1: invalid side length 40"),
        ("# side x\n", "1:1: invalid side length 'x' (expected 2..13)"),
        // By the names of the file.
        ("(;RU[LG]SZ[8];W[A1];B[K1];W[K1])", "1:29: illegal move k1: the vertex is occupied"),
        ("(;SZ[7]AP[GoGui];W[dd];B[ee];W[ee])", "1:32: illegal move ee: the vertex is occupied"),
    ] {
        let error = read(text.as_bytes(), None).map(|_| ()).unwrap_err().to_string();
        assert!(error.starts_with(message), "{text:?}: {error}");
    }
}

#[test]
fn other_encodings_are_recognized() {
    let record = &read(b"\xef\xbb\xbf(;SZ[4]PW[Andr\xc3\xa9])", None).unwrap()[0];
    assert_eq!(record.players[0].as_deref(), Some("Andr\u{e9}"));
    let record = &read(b"(;SZ[4]PW[Andr\xe9])", None).unwrap()[0];
    assert_eq!(record.players[0].as_deref(), Some("Andr\u{e9}"));
    let record = &read(b"(;SZ[4]PW[O\x92Brien \x96 \x80])", None).unwrap()[0];
    assert_eq!(record.players[0].as_deref(), Some("O\u{2019}Brien \u{2013} \u{20ac}"));
}

/// A text that resembles a record but is often invalid.
fn random_text(rng: &mut StdRng, files: &[Vec<u8>]) -> Vec<u8> {
    const PIECES: [&str; 24] = [
        "(",
        ")",
        ";",
        "[",
        "]",
        "\\",
        ":",
        "SZ[3]",
        "SZ[5]",
        ";W[a1]",
        ";B[swap]",
        ";W[resign]",
        ";B[b2]",
        "(;",
        "C[x]",
        "AW[a1][b1]",
        "RE[W+R]",
        "AP[GoGui]",
        "SO[littlegolem]",
        "\n",
        "\u{e9}",
        "# side 3\n",
        "a1 ",
        "{\"side\":3,\"moves\":[",
    ];
    if rng.random_bool(0.3) {
        return (0..rng.random_range(0..60)).map(|_| rng.random()).collect();
    }
    if rng.random_bool(0.4) {
        let pieces = (0..rng.random_range(0..40)).flat_map(|_| PIECES.choose(rng).unwrap().bytes());
        return pieces.collect();
    }
    let mut bytes = files.choose(rng).unwrap().clone();
    for _ in 0..rng.random_range(1..6) {
        let at = rng.random_range(0..bytes.len());
        match rng.random_range(0..3) {
            0 => bytes[at] = rng.random(),
            1 => drop(bytes.remove(at)),
            _ => bytes.insert(at, *b"();[]\\abW19".choose(rng).unwrap()),
        }
    }
    bytes
}

#[test]
fn the_reader_never_panics_and_what_it_reads_can_be_written() {
    let files: Vec<_> = fs::read_dir(path("")).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap()).collect();
    let mut rng = StdRng::seed_from_u64(20);
    let mut games = 0;
    for _ in 0..30_000 {
        let bytes = random_text(&mut rng, &files);
        let format = if rng.random_bool(0.5) { None } else { FORMATS.choose(&mut rng).copied() };
        let Ok(records) = read(&bytes, format) else { continue };
        games += records.len();
        for format in FORMATS {
            let text = write(&records, format);
            let again = read(text.as_bytes(), Some(format));
            // A game without moves is an empty line, which is not read as a game.
            let is_empty = format == Format::Moves && records.iter().any(|record| record.moves().is_empty());
            match again {
                _ if is_empty => {}
                Ok(again) => assert_eq!(
                    again.iter().map(words).collect::<Vec<_>>(),
                    records.iter().map(words).collect::<Vec<_>>(),
                    "{text}"
                ),
                Err(error) => {
                    panic!("{error} in {text:?}, which was written for {:?}", String::from_utf8_lossy(&bytes))
                }
            }
        }
    }
    assert!(games > 1000, "{games}");
}

/// The environment variable with the path of a file of human games. The folder `hgf` beside it has the original files.
const HUMAN_GAMES: &str = "MALECON_HUMAN_GAMES";

#[test]
fn little_golems_files_agree_with_the_collection() {
    let Some(collection) = std::env::var_os(HUMAN_GAMES).map(PathBuf::from) else {
        skipped(&format!("Little Golem's files, because {HUMAN_GAMES} is not set"));
        return;
    };
    let text = fs::read_to_string(&collection).unwrap();
    let games: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let whole = read(text.as_bytes(), None).unwrap();
    assert_eq!(whole.len(), games.len());
    let mut files = 0;
    for entry in fs::read_dir(collection.with_file_name("hgf")).unwrap() {
        let file = entry.unwrap().path();
        let bytes = fs::read(&file).unwrap();
        let records = read(&bytes, None).unwrap_or_else(|error| panic!("{}:{error}", file.display()));
        let id = format!("lg-{}", file.file_stem().unwrap().to_str().unwrap());
        let index = games.iter().position(|game| game["id"] == id.as_str()).unwrap_or_else(|| panic!("no {id}"));
        compare(&records[0], &whole[index], &games[index]);
        assert_eq!(write(&records, Format::Hgf).trim_end().as_bytes(), bytes.trim_ascii_end(), "{id}");
        files += 1;
    }
    assert!(files > 0);
    writeln!(std::io::stderr(), "compared {files} of Little Golem's files").unwrap();
}

/// Compares one of Little Golem's files with the line of the collection, as a record and as JSON.
fn compare(record: &Record, line: &Record, raw: &serde_json::Value) {
    let id = &raw["id"];
    assert_eq!((words(record), record.board().side()), (words(line), line.board().side()), "{id}");
    let swapped = words(record).split(' ').nth(1) == Some("swap");
    assert_eq!(raw["swapped"], swapped, "{id}");
    let dropped: Vec<_> = record.game().stones().map(|(_, v)| Notation::HavannahGui.name(record.board(), v)).collect();
    assert_eq!(raw["moves"], serde_json::json!(dropped), "{id}");
    if line.stated.is_some() {
        assert_eq!(record.result().map(|result| result.winner), line.result().map(|result| result.winner), "{id}");
        assert_eq!(record.by(), line.by(), "{id}");
    }
    assert_eq!((record.contradiction(), line.contradiction()), (None, None), "{id}");
    let structures = match record.game().outcome() {
        Some(Outcome::Win(_, by)) => serde_json::json!(by.names().collect::<Vec<_>>()),
        _ => record.by().map_or(serde_json::Value::Null, Into::into),
    };
    assert_eq!(raw["by"], structures, "{id}");
}

// The command line.

/// What cannot be read would be lost, also if the file is named in another way.
#[test]
fn a_file_with_an_invalid_game_is_not_converted_in_place() {
    let file = Scratch::new("in-place.sgf");
    let [good, bad] = ["(;FF[4]SZ[4];W[a1];B[b2])", "(;FF[4]SZ[4];W[a1];B[b2];W[b2]C[my long notes])"];
    let both = format!("{good}\n{bad}\n");
    fs::write(file.path(), &both).unwrap();
    let path = Path::new(file.path());
    let other = path.parent().unwrap().join(".").join(path.file_name().unwrap());
    for output in [file.path(), other.to_str().unwrap()] {
        let (ok, _, error) = sgf(&["--to", "gogui", "-o", output, file.path()], "");
        assert!(!ok && error.contains("illegal move b2"), "{error}");
        assert!(error.contains(&format!("{output} stays as it is")), "{error}");
        assert_eq!(fs::read_to_string(file.path()).unwrap(), both);
    }
    let elsewhere = Scratch::new("elsewhere.sgf");
    assert!(!sgf(&["-o", elsewhere.path(), file.path()], "").0);
    assert_eq!(read(&fs::read(elsewhere.path()).unwrap(), None).unwrap().len(), 1);
    fs::write(file.path(), good).unwrap();
    let (ok, _, error) = sgf(&["--to", "gogui", "-o", file.path(), file.path()], "");
    assert!(ok && fs::read_to_string(file.path()).unwrap().contains("SZ[7]"), "{error}");
}

fn sgf(arguments: &[&str], input: &str) -> (bool, String, String) {
    let output = run(&[&["sgf"], arguments].concat(), input.as_bytes());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[test]
fn files_are_checked_and_each_game_is_described() {
    let (swapped, several) = (path("swapped.hgf"), path("games.jsonl"));
    let (fine, text, error) = sgf(&[swapped.to_str().unwrap(), several.to_str().unwrap()], "");
    assert!(fine && error.is_empty(), "{error}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].ends_with("swapped.hgf: Ada - Blaise, side 4, 21 moves, white won by bridge"), "{text}");
    assert!(lines[3].ends_with("games.jsonl: game 3: side 5, 4 moves, black won by resignation"), "{text}");
    let (fine, text, error) = sgf(&["-"], "(;SZ[2]RE[B+];W[a1];B[c3];W[b1])");
    assert_eq!((fine, text.as_str()), (true, "-: side 2, 3 moves, white won by bridge\n"));
    assert_eq!(error, "warning: -: game 1: the stated result is B+, but the game ended by bridge (white won)\n");
}

#[test]
fn a_broken_file_is_reported_and_the_others_are_converted() {
    let (fine, text, error) = sgf(&["--to", "moves", "-", path("games.moves").to_str().unwrap()], "(;SZ[4]\n;W[a9])");
    assert!(!fine);
    assert_eq!(error, "error: -:2:4: vertex a9 is not on the board of side 4\n");
    assert_eq!(text, format!("# side 4\n{GAME}\n# side 5\ne5 e6 f7 d5 resign\n"));
    let (fine, _, error) = sgf(&["missing.sgf"], "");
    assert!(!fine && error.starts_with("error: missing.sgf: "), "{error}");
}

#[test]
fn files_are_converted_to_every_format() {
    let file = path("swapped.hgf");
    for format in FORMATS {
        let name = format.show();
        let (fine, text, error) = sgf(&["--to", &name, file.to_str().unwrap()], "");
        assert!(fine && error.is_empty(), "{error}");
        assert_eq!(text, write(&load("swapped.hgf"), format));
        let (fine, text, _) = sgf(&["-"], &text);
        assert!(fine && text.ends_with("side 4, 21 moves, white won by bridge\n"), "{text}");
    }
    let (fine, _, error) = sgf(&["--to", "pgn", "-"], "");
    assert!(!fine && error.contains("expected sgf, gogui, hgf, jsonl, moves, position, svg or tex"), "{error}");
}

// The GTP commands.

#[test]
fn a_game_is_saved_and_loaded_again() {
    let file = Scratch::new("saved.sgf");
    let mut client = Client::start(&["--simulations", "50", "--seed", "1", "--side", "4"]);
    client.tell("play white d4");
    client.tell("genmove black");
    client.tell(&format!("savesgf {}", file.path()));
    let (history, board) = (client.tell("history"), client.tell("showboard"));
    client.tell("boardsize 6");
    client.tell(&format!("loadsgf {}", file.path()));
    assert_eq!((client.tell("history"), client.tell("showboard")), (history, board));
    let text = fs::read_to_string(file.path()).unwrap();
    assert!(text.contains("PB[Malecon ") && !text.contains("PW[") && !text.contains("C["), "{text}");
    assert_eq!(client.tell("printsgf").trim(), text.trim());
}

/// An empty line ends a response, but not a comment.
#[test]
fn paragraphs_of_comments_are_printed() {
    let file = Scratch::new("paragraphs.sgf");
    fs::write(file.path(), "(;SZ[4];W[d4]C[first\n\nsecond])").unwrap();
    let mut client = Client::start(&[]);
    client.tell(&format!("loadsgf {}", file.path()));
    let printed = client.tell("printsgf");
    assert!(printed.contains("C[first\n \nsecond]"), "{printed}");
    assert_eq!(words(&read(printed.as_bytes(), None).unwrap()[0]), "d4");
}

#[test]
fn a_game_is_loaded_up_to_a_move() {
    let file = path("swapped.hgf");
    let file = file.to_str().unwrap();
    let mut client = Client::start(&[]);
    for (command, history, winner) in [
        (format!("loadsgf {file}"), GAME, "white"),
        (format!("loadsgf {file} 22"), GAME, "white"),
        (format!("loadsgf {file} 4"), "d1 swap d7", "none"),
        (format!("loadsgf {file} 1"), "", "none"),
        (format!("loadsgf {}", path("resigned.hgf").display()), "e5 e6 f7 d5 resign", "black"),
    ] {
        assert_eq!(client.tell(&command), "");
        assert_eq!((client.tell("history").as_str(), client.tell("havannah_winner").as_str()), (history, winner));
    }
}

#[test]
fn a_failed_command_changes_nothing() {
    let broken = Scratch::new("broken.sgf");
    fs::write(broken.path(), "(;SZ[4];W[a1]\n;B[a1];W[a1])").unwrap();
    let mut client = Client::start(&["--side", "5"]);
    client.tell("playgame e5 e6");
    let file = path("swapped.hgf");
    for (command, message) in [
        ("loadsgf missing.sgf".to_owned(), "cannot load missing.sgf: "),
        (format!("loadsgf {}", broken.path()), ".sgf:2:10: illegal move a1: the vertex is occupied"),
        (format!("loadsgf {} 23", file.display()), "the game has no move 23 (expected 1..22)"),
        (format!("loadsgf {} d1", file.display()), "invalid MOVE 'd1' (expected a whole number)"),
        ("savesgf missing/folder/game.sgf".to_owned(), "cannot save missing/folder/game.sgf: "),
    ] {
        let error = client.ask(&command).unwrap_err();
        assert!(error.contains(message), "{error}");
        assert_eq!(client.tell("history"), "e5 e6");
    }
}

/// The engine, which has loaded this game from a file of this name.
fn with_game(name: &str, text: &str) -> Client {
    let file = Scratch::new(name);
    fs::write(file.path(), text).unwrap();
    let mut client = Client::start(&[]);
    client.tell(&format!("loadsgf {}", file.path()));
    client
}

/// They are no moves: what is taken back ends with them, and the file keeps its own moves.
#[test]
fn stones_that_were_set_up_are_not_taken_back() {
    let mut client = with_game("set-up.sgf", "(;SZ[4]PL[W]AW[d4]AB[e4];W[a1])");
    assert_eq!(client.ask("undo 2").unwrap_err(), "cannot undo 2 moves: only 1 was played");
    client.tell("undo");
    assert_eq!(
        (client.tell("history"), client.ask("undo")),
        ("d4 e4".into(), Err("cannot undo: no move was played".into()))
    );
    let text = client.tell("printsgf");
    assert!(text.contains("AW[d4]") && text.contains("AB[e4]") && text.contains(";W[a1]"), "{text}");
    for start in ["set_position 4/5/6/3wb2/6/5/4 w", "set_free_handicap a1 c3"] {
        client.tell("boardsize 4");
        client.tell(start);
        assert_eq!(client.ask("undo").unwrap_err(), "cannot undo: no move was played", "{start}");
    }
}

/// The turn that a file names after a move is that of the opponent anyway.
#[test]
fn a_file_that_names_the_turn_after_each_move_has_no_stones_set_up() {
    let mut client = with_game("turns.sgf", "(;SZ[4]PL[W];W[a1]PL[B];B[c3]PL[W];W[d4]PL[B])");
    client.tell("undo 3");
    assert_eq!(client.tell("history"), "");
}

#[test]
fn a_loaded_game_keeps_its_variations() {
    let mut client = Client::start(&[]);
    client.tell(&format!("loadsgf {}", path("variations.sgf").display()));
    let text = client.tell("printsgf");
    for part in ["(;B[c5];W[d6]LB[d6:here: a threat]", "(;B[e6])", "(;B[swap];W[e5])", "C[the centre]", "PW[Ada]"] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    // Another line of play becomes the main line, and what was there stays.
    client.tell("undo 3");
    client.tell("play white c5");
    let text = client.tell("printsgf");
    let games = read(text.as_bytes(), None).unwrap();
    assert_eq!((words(&games[0]).as_str(), games[0].variation_count()), ("d4 c4 c5", 3), "{text}");
    client.tell("play black resign");
    assert!(client.tell("printsgf").contains("RE[W+R]"));
    // A resignation in the middle of a loaded game ends the main line.
    client.tell(&format!("loadsgf {} 3", path("variations.sgf").display()));
    client.tell("play white resign");
    let games = read(client.tell("printsgf").as_bytes(), None).unwrap();
    assert_eq!((words(&games[0]).as_str(), games[0].variation_count()), ("d4 c4", 3));
    assert_eq!(games[0].result(), result(Color::Black, How::Resignation));
    client.tell("clear_board");
    assert!(!client.tell("printsgf").contains("C["));
}

#[test]
fn moves_are_annotated_when_asked() {
    let mut client = Client::start(&["--simulations", "50", "--seed", "1", "--side", "5", "--set", "annotate=true"]);
    client.tell("genmove white");
    client.tell("play black a1");
    client.tell("genmove white");
    let text = client.tell("printsgf");
    assert!(text.contains("PW[Malecon ") && text.matches(" simulations]").count() == 2, "{text}");
    assert!(text.contains("C[white wins "), "{text}");
    client.tell("undo 2");
    assert_eq!(client.tell("printsgf").matches(" simulations]").count(), 1);
    client.tell("boardsize 4");
    client.tell("genmove white");
    assert!(client.tell("printsgf").contains("C[white is proven to win]"));
}

#[test]
fn each_dialect_writes_what_its_program_reads() {
    let mut client = Client::start(&["--gui", "gogui", "--side", "4", "--swap"]);
    client.tell("playgame D4 D4 E5");
    let text = client.tell("printsgf");
    assert!(text.contains("SZ[7]") && text.contains(";W[dd];B[dd];W[ec]"), "{text}");
    let file = Scratch::new("golem.hgf");
    client.tell(&format!("savesgf {}", file.path()));
    let text = fs::read_to_string(file.path()).unwrap();
    assert!(text.contains("SZ[4]") && text.contains(";W[D4];B[swap];W[E4]"), "{text}");
    client.tell(&format!("loadsgf {}", file.path()));
    assert_eq!(client.tell("history"), "D4 swap E5");
}

#[test]
fn gogui_loads_saved_games_without_moves_on_the_same_board() {
    let file = Scratch::new("empty.sgf");
    let mut client = Client::start(&["--gui", "gogui"]);
    client.tell("boardsize 5");
    client.tell(&format!("savesgf {}", file.path()));
    client.tell(&format!("loadsgf {}", file.path()));
    assert_eq!(client.tell("gogui-rules_board_size"), "5 hex");
}

#[test]
fn games_on_every_board_can_be_saved() {
    let mut rng = StdRng::seed_from_u64(5);
    for side in 2..=13 {
        let board = Geometry::with_side(side).unwrap();
        let vertices: Vec<_> = board.vertices().collect();
        let mut game = malecon::game::Game::new(board);
        while game.outcome().is_none() {
            let _ = game.play(*vertices.choose(&mut rng).unwrap());
        }
        let moves: Vec<_> = game.stones().map(|(color, v)| (color, Move::Place(v))).collect();
        let record = Record::from_moves(board, &moves).unwrap();
        for format in FORMATS {
            let again = &read(write(std::slice::from_ref(&record), format).as_bytes(), Some(format)).unwrap()[0];
            assert_eq!(content(again).0, content(&record).0, "{format:?}");
            assert_eq!(again.game().outcome(), game.outcome());
        }
    }
}

/// As a session has it after a resignation.
#[test]
fn a_resignation_at_the_end_of_moves_is_the_result() {
    let board = Geometry::with_side(4).unwrap();
    let a1 = board.vertices().next().unwrap();
    let moves = [(Color::White, Move::Place(a1)), (Color::Black, Move::Resign)];
    let record = Record::from_moves(board, &moves).unwrap();
    assert_eq!(record.result(), Some(GameResult { winner: Some(Color::White), how: How::Resignation }));
    assert_eq!(record.play_count(), 1);
    assert!(write(&[record], Format::Sgf).contains("RE[W+R]"));
}

fn drawn(arguments: &[&str]) -> String {
    let output = run(&[&["sgf", "--to", "svg"], arguments].concat(), b"");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn any_position_is_drawn() {
    let file = path("swapped.hgf");
    let file = file.to_str().unwrap();
    let end = drawn(&[file]);
    assert!(end.contains("white (O) won by bridge (@), 20 stones, last move f6</title>"), "{end}");
    let numbered = drawn(&[file, "--move", "3", "--numbers", "--names", "littlegolem"]);
    assert!(numbered.contains("black (X) to move, 2 stones, last move d7</title>"), "{numbered}");
    // The stone of the first move, and the one after the swap.
    assert!(numbered.contains(">1</text>") && numbered.contains(">3</text>"), "{numbered}");
    assert!(drawn(&[file, "--move", "0"]).contains("white (O) to move, 0 stones</title>"));
    let games = path("games.jsonl");
    assert!(drawn(&[games.to_str().unwrap(), "--game", "3"]).contains("Havannah, side 5:"));
}

#[test]
fn markup_is_drawn() {
    let file = Scratch::new("markup.sgf");
    fs::write(file.path(), "(;SZ[4];W[d4]CR[d4]LB[a1:x][e5:y\\]])").unwrap();
    let svg = drawn(&[file.path()]);
    assert!(svg.contains("r=\"9\"") && svg.contains(">x</text>") && svg.contains(">y]</text>"), "{svg}");
}

#[test]
fn positions_become_figures_for_latex() {
    let file = Scratch::new("figure.sgf");
    fs::write(file.path(), "(;SZ[4];W[d4];B[e5];W[a1]CR[d4]LB[b2:50%])").unwrap();
    let out = Scratch::new("figure.tex");
    let figure = |arguments: &[&str]| {
        let output = run(&[&["sgf", file.path(), "-o", out.path()], arguments].concat(), b"");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read_to_string(out.path()).unwrap()
    };
    let end = figure(&[]);
    assert!(end.contains("\\HStoneGroup[color=white]{a1,d4}\n  \\HStoneGroup[color=black]{e5}\n"), "{end}");
    assert!(end.contains("\\node[circle,") && end.contains("{50\\%}"), "{end}");
    let numbered = figure(&["--numbers", "--move", "2", "--names", "littlegolem"]);
    assert!(numbered.contains("coordinate style=little golem]\n  \\HGame{d4,e4}\n"), "{numbered}");
}

#[test]
fn a_picture_that_does_not_exist_is_an_error() {
    let (game, games) = (path("swapped.hgf"), path("games.jsonl"));
    let (game, games) = (game.to_str().unwrap(), games.to_str().unwrap());
    for (arguments, words) in [
        (&["--to", "svg", game, "--move", "22"][..], "no position after 22 moves (expected 0..21)"),
        (&["--to", "svg", games], "a picture shows one game"),
        (&["--to", "svg", games, "--game", "0"], "there is no game 0 (expected 1..3)"),
        (&["--to", "sgf", game, "--numbers"], "--numbers is for --to svg and --to tex"),
        (&["--to", "sgf", game, "--move", "3"], "--move is for --to position, svg and tex"),
        (&["--to", "bmp", game], "expected sgf, gogui, hgf, jsonl, moves, position, svg or tex"),
        (&["--to", "tex", game, "--names", "gogui"], "coordinates of havannahgui or littlegolem"),
    ] {
        let output = run(&[&["sgf"], arguments].concat(), b"");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && output.stdout.is_empty() && error.contains(words), "{error}");
    }
}

/// A long match leaves hundreds of megabytes.
#[test]
fn large_files_are_read() {
    let file = Scratch::new("large.sgf");
    fs::write(file.path(), format!("(;SZ[4]C[{}];W[a1])", "word ".repeat(14 << 20))).unwrap();
    let output = run(&["sgf", "--to", "moves", file.path()], b"");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "# side 4\na1\n");
}
