//! Files as people have them: other encodings, other programs' names, lists as they are typed, games that are not
//! Havannah, and one bad game among good ones.

use std::fs;
use std::path::{Path, PathBuf};

use malecon::base::options::OptionValue;
use malecon::engine::session::Session;
use malecon::game::record::{Format, Hints, Record, read, read_each, write};
use malecon::game::{Color, Move, Notation};

use crate::gtp_client::{Client, run};
use crate::scratch::Scratch;
use crate::skipped::skipped;

fn one(text: impl AsRef<[u8]>) -> Record {
    let text = text.as_ref();
    read(text, None).unwrap_or_else(|error| panic!("{}: {error}", String::from_utf8_lossy(text))).remove(0)
}

fn error(text: &str) -> String {
    read(text.as_bytes(), None).map(drop).unwrap_err().to_string()
}

/// The moves in HavannahGui's names.
fn words(record: &Record) -> String {
    Move::show_in_turn(record.moves(), Color::White, record.board(), Notation::HavannahGui).join(" ")
}

/// A file with this content, whose name ends like this.
fn file(name: &str, content: impl AsRef<[u8]>) -> Scratch {
    let file = Scratch::new(name);
    fs::write(file.path(), content).unwrap();
    file
}

/// Whether the program succeeded, and what it wrote to stdout and stderr.
fn malecon(arguments: &[&str], input: &[u8]) -> (bool, String, String) {
    let output = run(arguments, input);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// Text as Windows PowerShell's `>` writes it.
fn utf_16(text: &str) -> Vec<u8> {
    text.replace('\n', "\r\n")
        .encode_utf16()
        .fold(vec![0xff, 0xfe], |bytes, unit| [&bytes[..], &unit.to_le_bytes()].concat())
}

#[test]
fn the_content_and_not_the_name_decides_whose_vertices_they_are() {
    let castro = "(;FF[4]SZ[4];W[e3];B[f3])\n";
    let golem = "(;FF[4]SZ[4]RU[LG]SO[http://www.littlegolem.com];W[E2];B[F1])";
    for name in ["game.hgf", "game.HGF", "game.sgf", "game"] {
        for text in [castro, golem] {
            let file = file(name, text);
            let (_, list, _) = malecon(&["sgf", "--to", "moves", file.path()], b"");
            assert_eq!(list, "# side 4\ne3 f3\n", "{name}: {text}");
            let mut client = Client::start(&["--side", "4"]);
            client.tell(&format!("loadsgf {}", file.path()));
            assert_eq!(client.tell("history"), "e3 f3");
        }
    }
}

#[test]
fn names_are_guessed_only_where_no_other_fit() {
    // On side 8, l4 and o2 are on the board under Little Golem's names only.
    for text in ["(;SZ[8];W[H3];B[L4])", "(;SZ[8];W[h3];B[l4];W[o2])"] {
        let record = one(text);
        assert!(record.note.as_deref().is_some_and(|note| note.contains("Little Golem's names")), "{text}");
        assert!(words(&record).starts_with("h3 l8"), "{text}");
    }
    // A single slip is an error, which says what would fit.
    let slip = error("(;SZ[8];W[h3];B[l4])");
    assert_eq!(slip, "1:17: vertex l4 is not on the board of side 8 (Little Golem's names would fit)");
    // Both fit: HavannahGui's is the style of files without a sign, and the doubt is said.
    let record = one("(;SZ[4];W[E3];B[F3])");
    assert_eq!(words(&record), "e3 f3");
    assert!(record.note.unwrap().contains("nothing says whose names"));
    assert_eq!(one("(;SZ[4];W[D3];B[C3])").note, None, "both readings are the same");
    assert_eq!(one("(;SZ[4];W[e3];B[f3])").note, None);
    // A file that contradicts its own sign is an error.
    let contradiction = error("(;SZ[4]RU[LG];W[d1];B[g7])");
    assert_eq!(contradiction, "1:23: vertex g7 is not on the board of side 4 (HavannahGui's names would fit)");
}

/// `PL`, else the first move, else a handicap, else the number of stones.
#[test]
fn one_rule_says_whose_turn_it_is_after_set_up_stones() {
    use Color::{Black, White};
    for (text, turn) in [
        ("(;SZ[6]AB[d4]AW[c3]PL[W])", White),
        ("(;SZ[6]AW[c3]AB[d4]PL[B])", Black),
        ("(;SZ[6]AW[c3]AB[d4]PL[white])", White),
        ("(;SZ[6]AW[c3]AB[d4])", White),
        ("(;SZ[6]AB[d4]AW[c3])", White),
        ("(;SZ[6]AW[c3][d4]AB[e5])", Black),
        ("(;SZ[6]AB[c3][d4]AW[e5])", White),
        ("(;SZ[6]HA[2]AW[c3][i9])", Black),
        ("(;SZ[6]AW[c3];AB[d4]PL[B])", Black),
        ("(;SZ[6]PL[B])", Black),
        ("(;SZ[6])", White),
    ] {
        assert_eq!(one(text).game().to_move(), turn, "{text}");
        for format in [Format::Sgf, Format::GoGui, Format::Hgf] {
            let again = write(&[one(text)], format);
            assert_eq!(one(&again).game().to_move(), turn, "{again}");
        }
        let mut session = Session::on_side(6).unwrap();
        session.load(one(text), None).unwrap();
        assert_eq!(session.game().to_move(), turn, "{text}");
        // It holds after a move that is taken back, and when the game is saved and loaded.
        let v = Notation::HavannahGui.parse(session.game().geometry(), "f6").unwrap();
        session.play_as(turn, Move::Place(v)).unwrap();
        session.undo(1).unwrap();
        assert_eq!(session.game().to_move(), turn, "{text}");
        let saved = session.record();
        session.load(saved, None).unwrap();
        assert_eq!(session.game().to_move(), turn, "{text}");
    }
    let next = one("(;SZ[6]AW[c3][d4];W[e5];B[f6])");
    assert_eq!(next.after(0).unwrap().0.to_move(), White, "the first move decides");
    let mut session = Session::on_side(6).unwrap();
    session.load(next, Some(1)).unwrap();
    assert_eq!(session.game().to_move(), White);
}

#[test]
fn every_door_knows_whose_turn_it_is() {
    let text = "(;SZ[3]AB[c3][d4]AW[a1][a2]PL[W])";
    let file = file("turn.sgf", text);
    let mut client = Client::start(&["--side", "3", "--simulations", "100"]);
    client.tell(&format!("loadsgf {}", file.path()));
    assert!(client.tell("solve").starts_with("white a3"));
    assert!(client.tell("analyze_verdicts").contains("LABEL A3 W") || client.tell("analyze_verdicts").contains("a3 W"));
    let query = format!(r#"{{"id":"r","action":"read_record","text":"{text}"}}"#) + "\n";
    let (_, answer, _) = malecon(&["analyze"], query.as_bytes());
    assert!(answer.contains(r#""first": "white""#) || answer.contains(r#""first":"white""#), "{answer}");
    let query = r#"{"id":"w","action":"write_record","side":3,"white":["a1"],"black":["d4"],"first":"black"}"#;
    let (_, answer, _) = malecon(&["analyze"], format!("{query}\n").as_bytes());
    assert!(answer.contains("PL[B]"), "{answer}");
    let handicap = r#"{"id":"r","action":"read_record","text":"(;SZ[6]HA[2]AW[c3][i9])"}"#.to_owned() + "\n";
    let (_, answer, _) = malecon(&["analyze"], handicap.as_bytes());
    assert!(answer.replace(' ', "").contains(r#""first":"black""#), "{answer}");
}

#[test]
fn every_text_input_takes_a_byte_order_mark_and_utf_16() {
    let both = |text: &str| [[b"\xef\xbb\xbf", text.as_bytes()].concat(), utf_16(text)];
    for script in both("boardsize 4\nplay w a1\nshowboard\nhistory\n") {
        let (_, answers, _) = malecon(&["gtp", "--side", "8"], &script);
        assert!(answers.starts_with("=\n\n=\n\n") && answers.ends_with("= a1\n\n"), "{answers}");
    }
    for lines in both("d4\nmoves\n") {
        let (_, said, _) = malecon(&["play", "--side", "4", "--level", "1"], &lines);
        assert!(said.contains("\nd4 ") && !said.contains("not understood"), "{said}");
    }
    for queries in both("{\"id\":\"1\",\"side\":4,\"action\":\"board\"}\n") {
        let (_, answers, _) = malecon(&["analyze"], &queries);
        assert!(answers.contains("\"vertices\""), "{answers}");
    }
    for script in both("boardsize 4\n1 havannah_winner\n#? [none]\n") {
        let file = file("mark.tst", script);
        let (success, said, error) = malecon(&["regress", file.path()], b"");
        assert!(success, "{said}{error}");
    }
    for list in both("# side 4\na1 b2\n") {
        let (_, said, error) = malecon(&["sgf", "-"], &list);
        assert!(said.contains("side 4, 2 moves"), "{said}{error}");
    }
    for positions in both("{\"side\":3,\"moves\":[\"c3\"]}\n") {
        let file = file("positions.jsonl", &positions);
        for (name, input) in [(file.path(), &b""[..]), ("-", &positions)] {
            let (success, said, error) = malecon(&["solve", "batch", name], input);
            assert!(success && said.contains("\"value\""), "{said}{error}");
        }
    }
}

#[test]
fn characters_are_decoded_as_the_record_says() {
    let player = |bytes: &[u8]| one(bytes).players[1].clone().unwrap();
    assert_eq!(player(b"(;SZ[5]CA[Shift_JIS]PB[\x83]];W[c3])"), "\u{30be}");
    assert_eq!(player(b"(;SZ[5]CA[windows-1250]PB[\xb3\xf3d\x9f];W[c3])"), "\u{142}\u{f3}d\u{17a}");
    assert_eq!(player(b"(;SZ[5]CA[GB2312]PB[\xc4\xa3];W[c3])"), "\u{6a21}");
    assert_eq!(player(b"(;SZ[5]PB[Andr\xe9];W[c3])"), "Andr\u{e9}");
    assert_eq!(player(b"( ;SZ[5]CA [ windows-1250 ]PB[\xb3];W[c3])"), "\u{142}");
    // The second byte of these letters is that of a bracket, or of a backslash that escapes nothing.
    assert_eq!(player(b"(;SZ[5]PB[\x83]]CA[Shift_JIS];W[c3])"), "\u{30be}");
    assert_eq!(player(b"(;SZ[5]PB[\x83\\]CA[Shift_JIS];W[c3])"), "\u{30bd}");
    // Only a property counts, not what a value or another property says.
    let name = "\u{e9}";
    for before in ["GN[CA[Big5]", "GN[a\\]CA[Big5]", "XCA[Big5]", "C[(;CA[Big5]"] {
        assert_eq!(player(format!("(;SZ[5]{before}PB[{name}];W[c3])").as_bytes()), name, "{before}");
    }
    assert_eq!(player(format!("CA[Big5]\n(;SZ[5]PB[{name}];W[c3])").as_bytes()), name);
    // Base64 of the last one, for the page.
    let query = br#"{"id":"r","action":"read_record","bytes":"KDtTWls1XVBCW0FuZHLpXTtXW2MzXSk="}"#;
    let (_, answer, _) = malecon(&["analyze"], &[&query[..], b"\n"].concat());
    assert!(answer.contains("Andr\u{e9}"), "{answer}");
    let written = write(&[one(b"(;SZ[5]CA[Big5]PB[\xa6\x57];W[c3])")], Format::Sgf);
    assert!(written.contains("CA[UTF-8]") && written.contains("PB[\u{540d}]"), "{written}");
}

#[test]
fn what_is_no_record_is_named() {
    for (bytes, what) in [
        (&b"\x1f\x8b\x08\0\0\0"[..], "gzip"),
        (b"PK\x03\x04", "zip"),
        (b"<html><body>Please log in</body></html>", "HTML"),
        (b"\n <!DOCTYPE html>", "HTML"),
        (b"Dear Ada,\nhere is my game", "found 'Dear'"),
    ] {
        let error = read(bytes, None).unwrap_err().to_string();
        assert!(error.contains("not a record of a game") && error.contains(what), "{error}");
    }
    let array = read(b"[{\"side\":5,\"moves\":[\"c3\",\"d4\"]},\n {\"side\":4,\n\"moves\":[]}]\n", None).unwrap();
    assert_eq!((array.len(), words(&array[0]).as_str()), (2, "c3 d4"));
}

#[test]
fn end_of_file_characters_are_skipped_and_soft_line_breaks_join() {
    for end in ["\x1a", "\0", "\x1a\x1a\0\r\n", "\n\x1a"] {
        for text in ["(;SZ[5];W[c3])", "# side 5\nc3", "{\"side\":5,\"moves\":[\"c3\"]}"] {
            assert_eq!(words(&one(format!("{text}{end}"))), "c3", "{text}{end:?}");
        }
    }
    for end in ["\n", "\r\n", "\r", "\n\r"] {
        let record = one(format!("(;SZ[5]C[a\\{end}b{end}c];W[c3])"));
        assert_eq!(record.node(0).comment().as_deref(), Some("ab\nc"), "{end:?}");
    }
}

#[test]
fn lists_are_read_as_people_write_them() {
    for list in [
        "h8 g7 f6",
        "1. h8 2. g7 3. f6",
        "1.h8 2.g7 3.f6",
        "1) h8 2) g7 3) f6",
        "(1) h8 (2) g7 (3) f6",
        "1 h8 2 g7 3 f6",
        "1. h8 g7 2. f6",
        "1. h8 g7\n2. f6",
        "1. h8\n2. g7\n3. f6\n",
        "h8, g7, f6",
        "h8; g7; f6",
        "W h8 B g7 W f6",
        "w: h8, b: g7, w: f6",
        "White h8 Black g7 White f6",
        "W[h8];B[g7];W[f6]",
        "H8 G7! F6?",
        "h8\tg7\tf6.",
    ] {
        assert_eq!(words(&one(format!("# side 8\n{list}\n"))), "h8 g7 f6", "{list}");
        let hints = Hints { side: Some(8), ..Hints::default() };
        let alone = read_each(list.as_bytes(), hints).unwrap().remove(0).unwrap();
        // Other lines are other games.
        assert!("h8 g7 f6".starts_with(&words(&alone)), "{list}");
        let mut client = Client::start(&["--side", "8"]);
        client.tell(&format!("playgame {}", list.replace('\n', " ")));
        assert_eq!(client.tell("history"), "h8 g7 f6", "{list}");
    }
    assert_eq!(words(&one("# side 8\nB h8 B g7")), "black:h8 black:g7");
    assert_eq!(words(&one("# side 8\n1. h8 2. swap")), "h8 swap");
    // A number that cannot be that of the move, and a colour without a move.
    for (list, word) in [("h8 7 g7", "'7'"), ("h8 B", "'B'"), ("W B h8", "'W'"), ("1.", "no game found")] {
        assert!(error(&format!("# side 8\n{list}")).contains(word), "{list}");
    }
    // Each line is a game, unless its number says that it continues the one above.
    assert_eq!(read(b"# side 8\n1. h8 2. g7\n1. a1 2. b2\n3. c3\n", None).unwrap().len(), 2);
}

#[test]
fn lists_and_json_can_have_other_names() {
    let names = |names, text: &str| {
        let hints = Hints { names, ..Hints::default() };
        words(&read_each(text.as_bytes(), hints).unwrap()[0].clone().unwrap())
    };
    assert_eq!(names(None, "# side 8\n1.H3 2.L4 3.I8"), "h3 l8 i9", "only Little Golem's names fit");
    assert_eq!(names(Some(Notation::LittleGolem), "# side 4\ne3 f3"), "e4 f5");
    assert_eq!(names(Some(Notation::GoGui), "# side 6\nJ9 A1"), "i9 a1");
    assert_eq!(names(None, "# side 4\n# names littlegolem\ne3 f3"), "e4 f5");
    assert_eq!(names(None, r#"{"side":4,"names":"littlegolem","moves":["e3","f3"]}"#), "e4 f5");
    assert_eq!(names(None, r#"{"side":8,"moves":["o1","o2","o3"]}"#), "o8 o9 o10");
    let several = error("# side 8\n1.H3 2.L4");
    assert!(several.ends_with("vertex L4 is not on the board of side 8 (Little Golem's and GoGui's names would fit)"));
    assert!(error("# names chess\n").contains("expected havannahgui, littlegolem or gogui"));
}

#[test]
fn a_bad_game_among_good_ones_is_reported_in_its_place() {
    let good = "(;SZ[4];W[d1];B[a2])\n";
    for (bad, reason) in [
        ("(;SZ[4];W[d1];B[a9])\n", "2:17: vertex a9"),
        ("(;SZ[4];W[d1];B[a2]\n", "2:1: this '(' is never closed"),
        ("(;SZ[4];W[d1];B[a2\n", "2:17: invalid vertex"),
        ("(;SZ[4];W[d1]))\n", "2:15: unexpected ')'"),
        ("(;GM[1]SZ[9];B[ee])\n", "2:6: this is a record of Go"),
        ("(;FF[4];W[d1])\n", "2:2: the side length is missing"),
    ] {
        let text = [good, bad, good, good].concat();
        let (success, list, error) = malecon(&["sgf", "--to", "moves", "-"], text.as_bytes());
        assert!(!success && error.starts_with("error: -:2:") && error.contains(reason), "{bad}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        let games = list.lines().filter(|line| *line == "d1 a2").count();
        // A bracket that is not closed takes the beginning of the next game.
        let expected = if bad.contains("[a2\n") { 2 } else { 3 };
        assert_eq!(games, expected, "{bad}: {list}");
    }
    for text in [
        "{\"side\":4,\"moves\":[\"d1\"]}\n{\"side\":4,\"moves\":[\"z9\"]}\n{\"side\":4,\"moves\":[\"a2\"]}\n",
        "{\"side\":4,\"moves\":[\"d1\"]}\n{\"side\":4,\"moves\":[\"d1\"\n{\"side\":4,\"moves\":[\"a2\"]}\n",
        "# side 4\nd1\nd1 z9\na2\n",
    ] {
        let (success, list, error) = malecon(&["sgf", "--to", "moves", "-"], text.as_bytes());
        assert_eq!(
            (success, list.as_str(), error.lines().count()),
            (false, "# side 4\nd1\na2\n", 1),
            "{text}: {error}"
        );
    }
}

#[test]
fn a_review_goes_past_a_bad_game() {
    let text = b"(;SZ[3];W[a1];B[a9])\n(;SZ[3];W[a1];B[c3])\n";
    let (success, said, error) = malecon(&["review", "--simulations", "5", "-"], text);
    assert!(!success && said.contains("side 3") && error.contains("-:1:17"), "{said}{error}");
}

#[test]
fn paths_with_spaces_are_taken_whole() {
    let folder = Scratch::folder("a folder with spaces");
    let path = folder.within("my game 12.sgf");
    let mut client = Client::start(&["--side", "4"]);
    client.tell("playgame a1 b2 c3");
    for written in [path.clone(), format!("\"{path}\""), format!("'{path}'")] {
        client.tell(&format!("savesgf {written}"));
        assert!(fs::read_to_string(&path).unwrap().contains("W[c3]"));
        client.tell("clear_board");
        client.tell(&format!("loadsgf {written}"));
        assert_eq!(client.tell("history"), "a1 b2 c3", "{written}");
        client.tell(&format!("loadsgf {written} 3"));
        assert_eq!(client.tell("history"), "a1 b2", "{written}");
        client.tell("play w c3");
    }
}

#[test]
fn a_clock_below_zero_has_run_out() {
    let mut client = Client::start(&["--side", "4"]);
    client.tell("time_settings 60 0 0");
    assert_eq!(client.tell("time_left w -0.2 0"), "");
    assert_eq!(client.tell("time_left b -5 0"), "");
}

#[test]
fn the_name_of_the_output_says_its_format() {
    let record = "(;SZ[4];W[a1];B[c3])";
    for (name, content) in [("x.svg", "<svg"), ("x.moves", "# side 4"), ("x.jsonl", "{\"side\":4"), ("x.hgf", "RU[LG]")]
    {
        let output = Scratch::new(name);
        let (success, _, error) = malecon(&["sgf", "-", "-o", output.path()], record.as_bytes());
        assert!(success, "{error}");
        assert!(fs::read_to_string(output.path()).unwrap().contains(content), "{name}");
    }
    let (success, _, error) = malecon(&["sgf", "-", "-o", "x.pdf"], record.as_bytes());
    assert!(!success && error.contains("does not say in which format"), "{error}");
}

/// Set `MALECON_HUMAN_GAMES` to a copy of Little Golem's games.
#[test]
fn human_games_are_the_same_through_every_format() {
    let Some(folder) = std::env::var_os("MALECON_HUMAN_GAMES").map(PathBuf::from) else {
        skipped("human games, because MALECON_HUMAN_GAMES is not set");
        return;
    };
    let folder = if folder.is_dir() { folder } else { folder.parent().unwrap_or(Path::new(".")).to_owned() };
    let games = read(&fs::read(folder.join("games.jsonl")).unwrap(), None).unwrap();
    let hgf = fs::read_dir(folder.join("hgf")).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap());
    let originals: Vec<Record> = hgf.flat_map(|bytes| read(&bytes, None).unwrap()).collect();
    assert!(games.len() > 1000 && originals.len() > 10);
    for mut records in [games, originals] {
        for (number, record) in records.iter_mut().enumerate() {
            record.players = [Some(format!("Zażółć {number}")), Some("]\\:".into())];
            let board = record.board();
            let last = record.main_line().last().unwrap();
            record.node_mut(last).add_comment("the end ] \\ : of it\nsecond line");
            let v = Notation::HavannahGui.name(board, board.vertices().next().unwrap());
            let mark = malecon::game::record::Property::from_raw("TR", vec![v]).unwrap();
            record.node_mut(last).properties.push(mark);
        }
        let trees = [Format::Sgf, Format::GoGui, Format::Hgf];
        let start = write(&records, Format::Sgf);
        let round = trees.iter().fold(records.clone(), |records, &format| {
            read(write(&records, format).as_bytes(), None).unwrap_or_else(|error| panic!("{}: {error}", format.show()))
        });
        assert_eq!(without_source(&write(&round, Format::Sgf)), without_source(&start));
        for format in [Format::JsonLines, Format::Moves] {
            let again = read(write(&records, format).as_bytes(), None).unwrap();
            assert_eq!(again.len(), records.len());
            for (again, record) in again.iter().zip(&records) {
                assert_eq!(words(again), words(record));
                if format == Format::JsonLines {
                    assert_eq!((&again.players, again.result()), (&record.players, record.result()));
                }
            }
        }
    }
}

/// Without the properties that Little Golem's style adds.
fn without_source(text: &str) -> String {
    text.replace("RU[LG]", "").replace("SO[http://www.littlegolem.com]", "")
}

/// Names of files need not be UTF-8. A wrong command line is an error, not the end of a program that does not expect it.
#[cfg(unix)]
#[test]
fn a_command_line_that_is_not_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"M\xfcller.sgf");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_malecon")).arg(name).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.starts_with("error: ") && error.contains("ller.sgf"), "{error}");
}
