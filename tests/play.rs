//! `malecon play` over pipes: what a person types and what the program says.

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use malecon::game::record::read;

use crate::gtp_client::run;
use crate::scratch::Scratch;

/// Few enough simulations that a move takes no time.
const QUICK: [&str; 5] = ["play", "--simulations", "50", "--seed", "1"];

fn play(arguments: &[&str], input: &str) -> String {
    let output = run(&[&QUICK, arguments].concat(), input.as_bytes());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(output.stderr));
    text(output.stdout)
}

/// What the program says between a typed line and the next prompt.
fn answer<'a>(output: &'a str, line: &str) -> &'a str {
    let typed = format!("> {line}\n");
    let start = output.find(&typed).unwrap_or_else(|| panic!("{line} was not typed: {output}")) + typed.len();
    let rest = &output[start..];
    let end = ["\nwhite> ", "\nblack> ", "\ngame over> "].iter().filter_map(|prompt| rest.find(prompt)).min();
    &rest[..end.unwrap_or(rest.len())]
}

/// A running session.
struct Session {
    process: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Session {
    fn start(arguments: &[&str]) -> Session {
        let mut process = Command::new(env!("CARGO_BIN_EXE_malecon"))
            .args(arguments)
            .env_remove("RUST_LOG")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Session { process, input, output }
    }

    /// What is said up to and including the next prompt.
    fn listen(&mut self) -> String {
        let mut bytes = Vec::new();
        while !["white> ", "game over> "].iter().any(|prompt| bytes.ends_with(prompt.as_bytes())) {
            let mut byte = [0];
            self.output.read_exact(&mut byte).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&bytes)));
            bytes.push(byte[0]);
        }
        String::from_utf8(bytes).unwrap()
    }

    fn tell(&mut self, line: &str) -> String {
        writeln!(self.input, "{line}").unwrap();
        self.listen()
    }
}

#[test]
fn the_game_ends_when_nobody_reads_it() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args(["play", "--side", "4"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    drop(process.stdout.take());
    let mut input = process.stdin.take().unwrap();
    while writeln!(input, "moves").is_ok() {}
    let output = process.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The first player wins on side 2, and the search sees it; so does a person who follows the hints.
#[test]
fn a_game_is_played_from_the_first_move_to_the_win() {
    let mut session = Session::start(&["play", "--side", "2", "--simulations", "2000", "--seed", "1"]);
    let mut said = session.listen();
    assert!(said.contains("You are white (O) and move first."), "{said}");
    for _ in 0..4 {
        if said.ends_with("game over> ") {
            break;
        }
        let hint = session.tell("hint");
        let vertex = hint.split("suggests ").nth(1).unwrap().split([' ', '.']).next().unwrap().to_owned();
        said = session.tell(&vertex);
        assert!(said.contains(&format!("{vertex}\n")), "{said}");
    }
    assert!(said.contains("white (O) won by bridge (@)") && said.contains("You have won by bridge."), "{said}");
    let file = Scratch::new("won.sgf");
    assert!(session.tell(&format!("save {}", file.path())).contains("Saved to "));
    let games = read(&fs::read(file.path()).unwrap(), None).unwrap();
    assert_eq!(games[0].by().as_deref(), Some("bridge"));
    writeln!(session.input, "quit").unwrap();
    assert!(session.process.wait().unwrap().success());
}

#[test]
fn help_explains_the_rules_and_the_commands() {
    let output = play(&[], "help\n");
    assert!(output.starts_with("Havannah on a board of side 6, against Malecon "), "{output}");
    let help = answer(&output, "help");
    for part in [
        "a bridge  joins two",
        "a fork    joins three",
        "a ring    goes around",
        "such as f6",
        "f6 is where two lines meet: row 6",
        "undo",
        "save FILE",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
    assert!(!help.contains("swap: the first stone") && play(&["--swap"], "help\n").contains("swap: the first stone"));
}

#[test]
fn what_is_not_understood_or_illegal_gets_a_message_and_changes_nothing() {
    let output = play(
        &["--side", "4"],
        "d4\nd4\nz9\nhlep\nfrisbee\nplay e5\nsave\nquit now\ntime x\nswap\nload missing\nmoves\n",
    );
    for (line, words) in [
        ("d4\n", ""),
        ("z9", "Vertex z9 is not on the board of side 4."),
        ("hlep", "'hlep' is not understood. Did you mean help?"),
        ("frisbee", "'frisbee' is not understood. Type help for what you can type."),
        ("play e5", "'play e5' is not understood."),
        ("save", "save needs FILE."),
        ("quit now", "quit takes no argument, but 'now' was given."),
        ("time x", "'x' is not a time that Malecon can think (expected seconds, such as 5)."),
        ("swap", "This game is played without the swap"),
        ("load missing", "Cannot load missing: "),
    ] {
        assert!(answer(&output, line.trim()).contains(words), "{line}: {output}");
    }
    assert!(output.contains("Illegal move: d4 is occupied by white."), "{output}");
    let moves = answer(&output, "moves");
    assert!(moves.starts_with("d4 ") && moves.split_whitespace().count() == 2, "{moves}");
}

/// A resignation is no move on the board, which is shown nevertheless if it is another one than before.
#[test]
fn the_board_of_a_loaded_game_is_shown_even_if_a_player_has_resigned() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/records/resigned.hgf");
    // Below each board is what was played last.
    let boards = |text: &str| text.matches(", last move ").count();
    let loaded = play(&["--side", "4"], &format!("load {file}\nmoves\n"));
    let shown = answer(&loaded, &format!("load {file}"));
    assert!(boards(shown) == 1 && shown.contains(" resigned. (save FILE"), "{shown}");
    let begun = play(&[file], "moves\n");
    assert_eq!(boards(&begun), 1, "{begun}");
    let resigned = play(&["--side", "4"], "d4\nresign\n");
    assert_eq!(boards(answer(&resigned, "resign")), 0, "{resigned}");
}

/// Lines as `moves` prints them: for both players, all or none.
#[test]
fn several_moves_on_a_line_are_played_for_both_players() {
    let output = play(&["--side", "4"], "d4 e5, c3 a1\nmoves\n");
    assert!(
        answer(&output, "d4 e5, c3 a1")
            .starts_with("Played for both players: white d4, black e5, white c3, black a1.\n"),
        "{output}"
    );
    assert_eq!(answer(&output, "moves"), "d4 e5 c3 a1");
    // The engine answers if it is its turn.
    assert_eq!(answer(&play(&["--side", "4"], "d4 e5 c3\nmoves\n"), "moves").split(' ').count(), 4);
    let output = play(&["--side", "4"], "d4 e5 d4\nmoves\nd4 z9\nmoves\nd4 swap\nmoves\n");
    for (line, words) in [
        ("d4 e5 d4", "Move 3 of the line, d4: d4 is occupied by white. None of these moves was played."),
        ("d4 z9", "Move 2 of the line, z9: vertex z9 is not on the board of side 4. None of these moves was played."),
        ("d4 swap", "Move 2 of the line, swap: "),
    ] {
        assert!(answer(&output, line).starts_with(words), "{output}");
    }
    assert_eq!(output.matches("No move has been played.").count(), 3, "{output}");
    let swapped = play(&["--side", "4", "--swap"], "d4 swap\nmoves\n");
    assert!(answer(&swapped, "moves").starts_with("d4 swap"), "{swapped}");
}

#[test]
fn undo_takes_back_pairs_of_moves_and_works_after_the_end() {
    let output = play(&["--side", "4"], "d4\nundo\nmoves\nundo\nresign\nundo\nboard\n");
    assert_eq!(answer(&output, "moves"), "No move has been played.");
    assert!(output.contains("You have not moved yet."), "{output}");
    assert!(answer(&output, "resign").contains("Malecon has won: white resigned."), "{output}");
    assert!(answer(&output, "board").contains("white (O) to move, 0 stones"), "{output}");
}

#[test]
fn after_a_resignation_nobody_is_to_move() {
    let output = play(&["--side", "4"], "d4\nresign\nboard\n");
    let board = answer(&output, "board");
    assert!(board.contains("black (X) won: white resigned, 2 stones") && !board.contains("to move"), "{board}");
}

/// What the program says about options is not about commands that it does not have here.
#[test]
fn nobody_is_sent_to_commands_of_another_protocol() {
    let output = run(&["play", "--set", "foo=1"], b"");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("unknown option 'foo' (malecon gtp --help lists all)"), "{error}");
    let help = answer(&play(&[], "help\n"), "help").to_owned();
    for name in ["boardsize", "genmove", "set_option", "list_options", "loadsgf", "GTP"] {
        assert!(!help.contains(name), "{name}: {help}");
    }
}

#[test]
fn the_engine_moves_first_when_the_person_is_black() {
    let output = play(&["--side", "4", "--as", "black"], "undo\nmoves\n");
    assert!(output.contains("You are black (X), and Malecon moves first."), "{output}");
    assert!(
        output.contains("\nMalecon plays ") && output.contains("\nblack> undo\nYou have not moved yet.\n"),
        "{output}"
    );
    assert_eq!(answer(&output, "moves").split_whitespace().count(), 1);
}

#[test]
fn the_first_stone_can_be_swapped() {
    let output = play(&["--side", "4", "--as", "black", "--swap"], "swap\nmoves\nundo\nmoves\n");
    assert!(output.contains("You may swap: type swap to take the stone over."), "{output}");
    let moves = answer(&output, "moves");
    assert_eq!((moves.split(' ').nth(1), moves.split(' ').count()), (Some("swap"), 3), "{output}");
    // On side 2 a corner makes two threats at once, so the engine takes it.
    let output = play(&["--side", "2", "--swap", "--set", "simulations=2000"], "a1\nmoves\n");
    assert!(output.contains("Malecon swaps: your first stone is black now, and you move again."), "{output}");
    assert_eq!(answer(&output, "moves"), "a1 swap");
}

#[test]
fn a_game_is_saved_and_continued() {
    let file = Scratch::new("a game.sgf");
    // The same game replaces itself, and another one does not.
    let lines = format!("e5\nsave {0}\na1\nsave {0}\nmoves\nnew\ne5\nsave {0}\n", file.path());
    let output = play(&["--side", "5"], &lines);
    assert_eq!(output.matches("Saved to ").count(), 2, "{output}");
    assert_eq!(output.matches("exists already: choose another name.").count(), 1, "{output}");
    let moves = answer(&output, "moves");
    assert_eq!(moves.split(' ').count(), 4, "{output}");
    let again = play(&[file.path()], "moves\nnew 3\nnew\nboard\n");
    assert_eq!(answer(&again, "moves"), moves);
    assert!(
        again.starts_with("Havannah on a board of side 5") && again.contains("You are white (O). Type help"),
        "{again}"
    );
    assert!(answer(&again, "board").contains("\n    c d e\n"), "{again}");
    let output = run(&["play", "missing.sgf"], b"");
    assert!(output.status.code() == Some(1) && output.stdout.is_empty());
}

#[test]
fn without_a_terminal_there_are_no_colours_and_no_waiting_message() {
    let output = play(&["--side", "4"], "d4\n");
    assert!(!output.contains('\x1b') && !output.contains("thinks"), "{output}");
}

#[test]
fn invalid_options_are_errors() {
    for (arguments, words) in [
        (&["play", "--side", "14"][..], "expected a side length from 2 to 13"),
        (&["play", "--as", "red"], "invalid colour 'red'"),
        (&["play", "--tme", "3"], "'--time'"),
        (&["play", "--time", "0"], "invalid value '0' for seconds"),
    ] {
        let output = run(arguments, b"");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && error.contains(words), "{arguments:?}: {error}");
    }
}

#[test]
fn stones_of_a_position_are_not_taken_back() {
    let output = play(&["--position", "3b/5/6/w2wb2/w5/bb3/w3 w"], "undo\nposition\n");
    assert!(output.contains("You have not moved yet.") && output.contains("3b/5/6/w2wb2/w5/bb3/w3 w"), "{output}");
}

#[test]
fn the_first_player_may_have_handicap_stones() {
    let output = play(
        &["--side", "5", "--handicap", "3"],
        "moves\nundo\nmoves\nd3\nundo\nmoves\nnew 4\nmoves\nnew 3\nnew 4\nmoves\n",
    );
    assert!(
        output.contains("You are white (O) and begin with the stones on the board; Malecon moves next."),
        "{output}"
    );
    let counts: Vec<usize> = output
        .lines()
        .filter(|line| {
            line.starts_with(|c: char| c.is_ascii_lowercase()) && !line.contains('>') && !line.contains("won")
        })
        .filter(|line| !line.contains("move"))
        .map(|line| line.split(' ').count())
        .collect();
    assert_eq!(counts, [4; 5], "three stones and Malecon's move, whatever was taken back, also after side 3: {output}");
    assert!(output.contains("You have not moved yet."), "{output}");
    assert!(output.contains("Side 3 has no fixed handicap (expected side 4 or more)."), "{output}");
    for (arguments, words) in [
        (&["play", "--handicap", "8"][..], "expected a whole number from 2 to 7"),
        (&["play", "--handicap", "2", "--swap"], "cannot be used with"),
        (&["play", "--side", "7", "game.sgf"], "cannot be used with"),
        (&["play", "--handicap", "2", "--side", "3"], "side 3 has no fixed handicap"),
    ] {
        let output = run(arguments, b"");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && error.contains(words), "{arguments:?}: {error}");
    }
}

/// White has stones for a bridge along a side, and Black one far away.
const BRIDGE: &str = "(;GM[81]FF[4]SZ[5];W[a1];B[i9];W[b3];B[i8];W[b4];B[h7];W[a5])";

#[test]
fn frames_are_drawn_with_the_race_and_the_edge_frames() {
    let file = Scratch::new("frames.sgf");
    fs::write(file.path(), BRIDGE).unwrap();
    let output = play(&["--as", "black", file.path()], "frames\n");
    let drawn = answer(&output, "frames");
    for words in [
        "White has a frame, marked o: bridge, at most 2 more stones.",
        "Black has no frame",
        "Race: white needs 2, black no frame; black to move, white ",
        "(z, w)    white from b3",
        "\na1-a5     (",
    ] {
        assert!(drawn.contains(words), "{words}: {drawn}");
    }
    // The carrier of the bridge.
    assert_eq!(drawn.lines().take_while(|line| !line.contains("to move")).flat_map(|l| l.matches('o')).count(), 4);
    // In a won game there are none.
    fs::write(file.path(), "(;GM[81]FF[4]SZ[3];W[a1];B[e5];W[a2];B[e4];W[a3])").unwrap();
    assert_eq!(answer(&play(&[file.path()], "frames\n"), "frames"), "The game is over.");
}
