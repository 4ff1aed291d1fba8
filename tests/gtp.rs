//! The program as a controller sees it: lines in, responses out.

use std::collections::BTreeSet;
use std::time::Duration;

use malecon::game::{Geometry, Notation};
use malecon::protocols::gtp::dispatch::commands;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};

use crate::gtp_client::{Client, answers, run, run_apart};

/// Few enough simulations that a move takes no time.
const QUICK: [&str; 4] = ["--simulations", "20", "--seed", "1"];

fn script(arguments: &[&str], lines: &str) -> Vec<String> {
    let output = run(arguments, lines.as_bytes());
    assert!(output.status.success(), "{:?}", output.status);
    assert_eq!(String::from_utf8(output.stderr.clone()).unwrap(), "");
    answers(&output)
}

/// Everything that a failed command could have changed.
fn state(client: &mut Client) -> Vec<Result<String, String>> {
    let questions = ["history", "showboard", "all_legal", "havannah_winner", "list_options", "winrate", "pv"];
    questions.map(|question| client.ask(question)).to_vec()
}

#[test]
fn every_command_responds_in_its_documented_form() {
    let mut client = Client::start(&QUICK);
    let regular = [
        ("protocol_version", "2"),
        ("name", "Malecon"),
        ("version", env!("CARGO_PKG_VERSION")),
        ("known_command genmove", "true"),
        ("known_command frisbee", "false"),
        ("help genmove", "genmove COLOR: search, play the best move and return it"),
        ("boardsize 4", ""),
        ("clear_board", ""),
        ("komi 5.5", ""),
        ("time_settings 300 10 1", ""),
        ("time_left white 290 0", ""),
        ("play white D4", ""),
        ("playgame e4 e5", ""),
        ("history", "d4 e4 e5"),
        ("undo", ""),
        ("undo 2", ""),
        ("history", ""),
        ("set_option swap true", ""),
        ("play w a1", ""),
        ("swap", ""),
        ("history", "a1 swap"),
        ("set_option swap off", ""),
        ("havannah_winner", "none"),
        ("boardsize 2", ""),
        ("playgame a1 c3", ""),
        ("all_legal", "a2 b1 b2 b3 c2"),
        ("play w b1", ""),
        ("final_score", "W+1"),
        ("havannah_winner", "white"),
        ("genmove b", "none"),
        ("reg_genmove b", "none"),
        ("selfplay", ""),
    ];
    for (line, answer) in regular {
        assert_eq!(client.ask(line), Ok(answer.to_owned()), "{line}");
    }
    let gogui = [
        ("boardsize 2", ""),
        ("playgame a1 b3", ""),
        ("gogui-rules_game_id", "Havannah"),
        ("gogui-rules_board_size", "3 hex"),
        ("gogui-rules_board", "\n?X.\n...\nO.?"),
        ("gogui-rules_legal_moves", "A2 B1 B2 C2 C3"),
        ("gogui-rules_side_to_move", "white"),
        ("gogui-rules_final_result", ""),
        ("gogui-interrupt", ""),
        ("gogui-title", "Malecon: Havannah on side 2"),
        ("gogui-rules_board_gfx", "COLOR #704818 A1 A2 B1 B3 C2 C3"),
        ("playgame c3 b1 b2", ""),
        ("gogui-rules_legal_moves", ""),
        ("gogui-rules_final_result", "white wins by bridge"),
        ("boardsize 2", ""),
        ("playgame a1 c3 b1", ""),
    ];
    for (line, answer) in gogui {
        assert_eq!(client.ask(line), Ok(answer.to_owned()), "{line}");
    }
    let listed: Vec<&str> = commands().map(|command| command.name).collect();
    assert_eq!(client.tell("list_commands"), listed.join("\n"));
    assert_eq!(client.tell("help").lines().count(), listed.len());
    assert!(client.tell("list_options").contains("threads = 1 (1..256, default 1): "));
    assert!(client.tell("showboard").contains("white (O) won by bridge (@), 3 stones, last move b1"));
    client.tell("boardsize 3");
    let (tried, chosen) = (client.tell("reg_genmove white"), client.tell("genmove black"));
    let board = Geometry::with_side(3).unwrap();
    assert!(Notation::HavannahGui.parse(board, &tried).is_ok());
    assert_eq!(client.tell("history"), format!("black:{chosen}"));
    assert!((0.0..=1.0).contains(&client.tell("winrate").parse::<f64>().unwrap()));
    assert!(client.tell("pv").split(' ').all(|name| Notation::HavannahGui.parse(board, name).is_ok()));
    let rest = client.tell("selfplay");
    assert_eq!(client.tell("history"), format!("black:{chosen} {rest}"));
    assert_ne!(client.tell("havannah_winner"), "none");
    assert_eq!(client.tell("quit"), "");
    assert!(client.end_input().success());
}

#[test]
fn ids_comments_blank_lines_tabs_and_line_ends_follow_the_protocol() {
    let lines = "1 name\r\n\r\n   \n# name\n0042\tname\t# again\nna\x07me\n7 known_command\tname\n\t 8 frisbee\n9";
    let expected = [
        "=1 Malecon",
        "=0042 Malecon",
        "= Malecon",
        "=7 true",
        "?8 unknown command 'frisbee' (list_commands lists all)",
        "?9 no command follows the id (list_commands lists all)",
    ];
    assert_eq!(script(&[], lines), expected);
    assert!(run(&[], b"# only a comment\n\n").stdout.is_empty());
    assert!(run(&[], b"").stdout.is_empty());
}

/// Lines that have to fail, each with words that the error must contain.
const REFUSED: &[(&str, &str)] = &[
    ("genmov white", "unknown command 'genmov', did you mean genmove?"),
    ("Genmove white", "'Genmove', did you mean genmove?"),
    ("frisbee", "unknown command 'frisbee'"),
    ("help frisbee", "unknown command 'frisbee'"),
    ("play", "too few arguments: got 0 (usage: play COLOR MOVE)"),
    ("play white", "too few arguments: got 1 (usage: play COLOR MOVE)"),
    ("play white a1 a2", "too many arguments: got 3 (usage: play COLOR MOVE)"),
    ("genmove", "too few arguments: got 0 (usage: genmove COLOR)"),
    ("showboard 1", "too many arguments: got 1 (usage: showboard)"),
    ("playgame", "too few arguments: got 0 (usage: playgame MOVE...)"),
    ("undo 1 2", "too many arguments: got 2 (usage: undo [COUNT])"),
    ("quit now", "too many arguments"),
    ("play green a1", "invalid colour 'green' (expected white, black, w or b)"),
    ("genmove g", "invalid colour 'g' (expected white, black, w or b)"),
    ("reg_genmove g", "invalid colour 'g'"),
    ("time_left g 1 1", "invalid colour 'g'"),
    ("play white h9", "vertex h9 is not on the board of side 4"),
    ("play white a0", "vertex a0 is not on the board of side 4"),
    ("play white 4d", "invalid vertex '4d' (expected a letter and a number, such as a1)"),
    ("play white \u{e9}1", "invalid vertex '\u{e9}1'"),
    ("play white d4", "illegal move: d4 is occupied by white"),
    ("play white e4", "illegal move: e4 is occupied by black"),
    ("play white pass", "illegal move: there is no pass in Havannah"),
    ("play white swap", "illegal move: swap is switched off ('set_option swap true' allows it)"),
    ("swap", "illegal move: swap is switched off"),
    ("playgame a1 a2 d4 a3", "move 3 of 4: illegal move: d4 is occupied by white"),
    ("playgame a1 red:a2", "move 2 of 2: invalid colour 'red'"),
    ("boardsize 1", "unacceptable size: 1 (expected a side length of 2 to 13)"),
    ("boardsize 14", "unacceptable size: 14 (expected a side length of 2 to 13)"),
    ("boardsize 99999999999999999999999", "(expected a side length of 2 to 13)"),
    ("boardsize four", "invalid SIZE 'four' (expected a whole number)"),
    ("boardsize -4", "invalid SIZE '-4' (expected a whole number)"),
    ("boardsize 4.0", "invalid SIZE '4.0' (expected a whole number)"),
    ("komi six", "invalid NUMBER 'six' (expected a number)"),
    ("komi inf", "invalid NUMBER 'inf' (expected a number)"),
    ("savesgf \"match #3.sgf\"", "\" opens a quotation that does not end (# begins a comment)"),
    ("undo -1", "invalid COUNT '-1' (expected a whole number)"),
    ("undo 4", "cannot undo 4 moves: only 3 were played"),
    ("undo 99999999999999999999999", "cannot undo"),
    ("time_settings x 1 1", "invalid MAIN 'x' (expected seconds from 0 to 1000000000)"),
    ("time_settings 1 nan 1", "invalid BYO_YOMI 'nan' (expected seconds from 0 to 1000000000)"),
    ("time_settings 1 -1 1", "invalid BYO_YOMI '-1' (expected seconds from 0 to 1000000000)"),
    ("time_settings 1e99 1 1", "invalid MAIN '1e99' (expected seconds from 0 to 1000000000)"),
    ("time_settings 1 1 1.5", "invalid STONES '1.5' (expected a whole number)"),
    ("time_settings 1 1 4294967296", "STONES 4294967296 is too large"),
    ("time_left white inf 1", "invalid TIME 'inf' (expected seconds from 0 to 1000000000)"),
    ("set_option swop 1", "unknown option 'swop', did you mean swap?"),
    ("set_option swap maybe", "invalid value 'maybe' for swap (expected true|false)"),
    ("set_option threads 0", "invalid value '0' for threads (expected 1..256)"),
    ("set_option seconds nan", "invalid value 'nan' for seconds"),
    ("set_option gui goban", "invalid value 'goban' for gui (expected havannahgui|gogui|littlegolem)"),
    ("set_option seed x", "invalid value 'x' for seed"),
    ("set_option horizon off", "option 'horizon' belongs to method rave, but the method is puct"),
    ("final_score", "cannot score: the game is not over"),
];

#[test]
fn commands_that_fail_say_why_in_one_line_and_change_nothing() {
    let mut client = Client::start(&QUICK);
    for line in ["boardsize 4", "playgame d4 e4", "genmove white", "undo", "play white c3"] {
        client.tell(line);
    }
    let before = state(&mut client);
    for &(line, words) in REFUSED {
        let reason = client.ask(line).expect_err(line);
        assert!(reason.contains(words) && !reason.contains('\n'), "{line}: {reason}");
        assert_eq!(state(&mut client), before, "{line}");
    }
}

#[test]
fn nothing_is_played_after_the_end_and_undo_reopens_the_game() {
    let mut client = Client::start(&QUICK);
    client.tell("boardsize 3");
    client.tell("playgame a1 c3 a2 d4 a3");
    let before = state(&mut client);
    for line in ["play black b2", "play white a1", "playgame b2", "swap", "play black resign", "play black pass"] {
        let reason = client.ask(line).expect_err(line);
        assert!(reason.contains("the game is over: white won by bridge") || line.ends_with("pass"), "{reason}");
        assert_eq!(state(&mut client), before, "{line}");
    }
    client.tell("undo 2");
    assert_eq!(client.tell("havannah_winner"), "none");
    client.tell("play black a3");
    client.tell("play white resign");
    assert_eq!((client.tell("havannah_winner"), client.tell("genmove white")), ("black".into(), "none".into()));
    let board = client.tell("showboard");
    assert!(board.contains("\nblack (X) won: white resigned, ") && !board.contains("to move"), "{board}");
    assert!(client.ask("play white b2").unwrap_err().contains("the game is over: white resigned"));
}

#[test]
fn there_is_nothing_to_report_before_the_first_search_of_a_game() {
    let mut client = Client::start(&QUICK);
    for _ in 0..2 {
        for question in ["winrate", "pv"] {
            assert!(client.ask(question).unwrap_err().contains("there was no search"), "{question}");
        }
        client.tell("genmove white");
        client.tell("winrate");
        client.tell("clear_board");
    }
}

#[test]
fn every_command_that_was_sent_is_carried_out_before_the_program_ends() {
    for end in ["", "quit\n", "quit\nname\n", "quit"] {
        let lines = format!("boardsize 4\ngenmove white\ngenmove black\nhistory\n{end}");
        let answers = script(&["--simulations", "300"], &lines);
        assert_eq!(answers.len(), if end.is_empty() { 4 } else { 5 });
        let moves: Vec<&str> = answers[1..3].iter().map(|answer| &answer[2..]).collect();
        assert_eq!(answers[3], format!("= {}", moves.join(" ")));
    }
}

/// Lines that wait behind a search do not end it early: sent all at once or one by one, the same commands with the same
/// seed give the same moves and win rates.
#[test]
fn a_script_gets_the_answers_that_a_conversation_gets() {
    let arguments = ["--side", "5", "--simulations", "400", "--seed", "7", "--threads", "1"];
    let lines = ["genmove white", "winrate", "genmove black", "winrate", "pv", "selfplay", "history"];
    let all_at_once = script(&arguments, &lines.join("\n"));
    let mut client = Client::start(&arguments);
    let one_by_one: Vec<String> = lines.iter().map(|line| format!("= {}", client.tell(line))).collect();
    assert_eq!(all_at_once, one_by_one);
}

#[test]
fn errors_quote_a_short_piece_of_a_colour() {
    let mut client = Client::start(&["--side", "4"]);
    for command in ["play COLOR a1", "genmove COLOR", "time_left COLOR 1 0"] {
        let error = client.ask(&command.replace("COLOR", &"x".repeat(10_000))).unwrap_err();
        assert!(error.contains("invalid colour 'xxx") && error.len() < 200, "{command}: {error}");
    }
}

#[test]
fn the_same_seed_repeats_a_game() {
    let mut client = Client::start(&["--simulations", "100", "--side", "4"]);
    let mut game = |seed: &str| {
        client.tell(&format!("set_option seed {seed}"));
        client.tell("clear_board");
        client.tell("selfplay")
    };
    let (first, again) = (game("3"), game("3"));
    assert_eq!(first, again);
}

#[test]
fn an_interrupt_ends_the_running_search_and_no_later_one() {
    // A search that is not interrupted lasts longer than any test may.
    let mut client = Client::start(&["--side", "6", "--time", "100000"]);
    client.send("# interrupt\n");
    assert_eq!(client.tell("name"), "Malecon");
    for _ in 0..2 {
        client.send("genmove white\n");
        std::thread::sleep(Duration::from_millis(200));
        client.send("# interrupt\n");
        assert!(client.receive().starts_with("= "));
    }
    // One that comes late, when nothing runs, is no concern of the next search.
    client.tell("set_option simulations 500");
    client.send("# interrupt\n");
    client.tell("name");
    client.tell("genmove white");
    assert_eq!(client.tell("history").split(' ').count(), 3);
}

/// A player swaps by clicking on the stone: its vertex is a legal move, the engine may return it, and it is illegal
/// when GoGui sends it again. On side 3 the first player wins with a corner, which the search proves.
#[test]
fn gogui_swaps_by_the_vertex_of_the_stone() {
    let mut client = Client::start(&["--gui", "gogui", "--side", "3", "--swap", "--simulations", "100000"]);
    client.tell("play W A1");
    assert!(client.tell("gogui-rules_legal_moves").ends_with(" E5 A1"));
    assert_eq!(client.tell("genmove b"), "A1");
    assert!(client.tell("gogui-rules_board").contains("\nX..??"));
    let before = state(&mut client);
    for line in ["play B A1", "play W A1", "play W swap"] {
        assert!(client.ask(line).is_err(), "{line}");
        assert_eq!(state(&mut client), before, "{line}");
    }
    assert_eq!(client.tell("gogui-rules_side_to_move"), "white");
    client.tell("undo");
    client.tell("play B A1");
    assert_eq!(state(&mut client)[0], Ok("A1 swap".into()));
}

#[test]
fn a_long_search_is_drawn_while_it_runs_if_the_option_is_on() {
    let arguments = ["--gui", "gogui", "--side", "5", "--time", "0.7"];
    let silent = run(&arguments, b"genmove white\n");
    assert!(silent.stderr.is_empty());
    let output = run(&[&arguments[..], &["--set", "live_gfx=on"]].concat(), b"genmove white\n");
    let text = String::from_utf8(output.stderr).unwrap();
    let text = text.strip_suffix("gogui-gfx: CLEAR\n").unwrap();
    let pictures: Vec<&str> = text.split_terminator("\n\n").collect();
    assert!((1..=4).contains(&pictures.len()), "{text}");
    for picture in pictures {
        let lines: Vec<&str> = picture.lines().collect();
        assert_eq!(lines[0], "gogui-gfx:");
        assert!(lines[1].starts_with("COLOR #") && lines[lines.len() - 2].starts_with("VAR w "), "{picture}");
        assert!(lines[lines.len() - 1].starts_with("TEXT white ") && picture.contains("/s, "), "{picture}");
    }
}

#[test]
#[cfg(unix)]
fn processor_time_goes_on() {
    let mut client = Client::start(&["--simulations", "3000"]);
    let before: f64 = client.tell("cputime").parse().unwrap();
    client.tell("genmove white");
    assert!(client.tell("cputime").parse::<f64>().unwrap() > before);
}

/// With each of these clocks a move has a second, and without a clock it would have five. Processor time does not depend
/// on what else the machine does.
#[test]
#[cfg(unix)]
fn the_clock_limits_a_move() {
    let mut client = Client::start(&["--side", "6"]);
    for settings in ["time_settings 0 1 1", "time_settings 10 0 0", "time_settings 0 3 3"] {
        client.tell(settings);
        let before: f64 = client.tell("cputime").parse().unwrap();
        client.tell("genmove white");
        let used = client.tell("cputime").parse::<f64>().unwrap() - before;
        assert!(used < 2.5, "{settings}: {used}");
    }
}

#[test]
fn the_program_ends_quietly_when_nobody_reads_its_output() {
    let mut client = Client::start(&[]);
    client.tell("name");
    assert!(client.hang_up().success());
}

#[test]
fn a_hopeless_game_is_resigned_only_when_the_option_is_on() {
    let position = ["boardsize 4", "play white d4", "set_option resign_below 1"];
    let mut client = Client::start(&["--simulations", "500"]);
    position.iter().for_each(|line| drop(client.tell(line)));
    assert_ne!(client.tell("genmove black"), "resign");
    let mut client = Client::start(&["--simulations", "500", "--resign"]);
    position.iter().for_each(|line| drop(client.tell(line)));
    assert_eq!(client.tell("genmove black"), "resign");
    // The game stands as it is until the controller ends it.
    assert_eq!((client.tell("havannah_winner"), client.tell("history")), ("none".into(), "d4".into()));
}

#[test]
fn the_command_line_is_checked_like_set_option() {
    for (arguments, words) in [
        (&["--side", "14"][..], "expected a side length from 2 to 13"),
        (&["--threads", "0"], "invalid value '0' for threads (expected 1..256)"),
        (&["--gui", "goban"], "havannahgui|gogui|littlegolem"),
        (&["--set", "swap"], "invalid value 'swap' for --set (expected NAME=VALUE)"),
        (&["--set", "swop=1"], "did you mean swap?"),
        (&["--set", "horizon=off"], "option 'horizon' belongs to method rave"),
        (&["--set", "horizon=off", "--set", "preset=paper"], "option 'horizon' belongs to method rave"),
        (&["--sede", "1"], "'--seed'"),
        (&["frisbee"], "frisbee"),
    ] {
        let output = run(arguments, b"");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{arguments:?}");
        assert!(error.contains(words), "{error}");
    }
    let answers = script(&["gtp", "--side", "3", "--gui", "gogui", "--set", "swap=true"], "play w c3\nall_legal");
    assert_eq!(answers[1], "= A1 A2 A3 B1 B2 B3 B4 C1 C2 C4 C5 D2 D3 D4 D5 E3 E4 E5 C3");
}

/// Each line with a command gets exactly one response, whatever is in it, and the program goes on.
#[test]
fn garbage_gets_one_response_a_command_and_does_no_harm() {
    let mut rng = StdRng::seed_from_u64(11);
    for _ in 0..20 {
        let lines: Vec<Vec<u8>> = (0..150).map(|_| garbage(&mut rng)).collect();
        let mut input = b"set_option simulations 5\n".to_vec();
        input.extend(lines.join(&b'\n'));
        input.extend(b"\n999 name\n");
        let output = run_apart(&["--side", "3", "--simulations", "5"], &input);
        assert!(output.status.success());
        let answers = answers(&output);
        let expected = 2 + lines.iter().filter(|line| holds_a_command(line)).count();
        assert_eq!(answers.len(), expected, "{}", String::from_utf8_lossy(&input));
        assert_eq!(answers.last().unwrap(), "=999 Malecon");
        assert!(answers.iter().all(|answer| answer.starts_with(['=', '?'])));
        assert!(answers.iter().filter(|answer| answer.starts_with('?')).all(|answer| !answer.contains('\n')));
    }
}

/// Decided independently of the program: there is something but white space and control characters before the comment.
fn holds_a_command(line: &[u8]) -> bool {
    let content = line.split(|&b| b == b'#').next().unwrap();
    content.iter().any(|&b| b > b' ' && b != 0x7f)
}

fn garbage(rng: &mut StdRng) -> Vec<u8> {
    const WORDS: &[&str] = &[
        "white",
        "b",
        "W",
        "green",
        "a1",
        "C3",
        "e5",
        "i9",
        "z99",
        "swap",
        "pass",
        "resign",
        "none",
        "0",
        "1",
        "2",
        "3",
        "13",
        "-1",
        "1e9",
        "nan",
        "99999999999999999999",
        "true",
        "gogui",
        "havannahgui",
        "gui",
        "swap",
        "resign",
        "#",
        "# interrupt",
        "=",
        "?",
        "a1:b",
        "black:b2",
        "\u{e9}",
        "",
    ];
    let mut line: Vec<u8> = Vec::new();
    if rng.random_bool(0.2) {
        line.extend(format!("{} ", rng.random_range(0..2000)).bytes());
    }
    let names: BTreeSet<&str> = commands().map(|command| command.name).filter(|name| *name != "quit").collect();
    let names: Vec<&str> = names.into_iter().collect();
    if rng.random_bool(0.8) {
        line.extend(names.choose(rng).unwrap().bytes());
    }
    for _ in 0..rng.random_range(0..4) {
        line.push(*b" \t".choose(rng).unwrap());
        line.extend(WORDS.choose(rng).unwrap().bytes());
    }
    if rng.random_bool(0.2) {
        let mut noise = [0; 6];
        rng.fill_bytes(&mut noise);
        let at = rng.random_range(0..=line.len());
        line.splice(at..at, noise.into_iter().filter(|&b| b != b'\n'));
    }
    line
}

/// A preset given on the command line is set first, wherever it stands, so that its options can be changed.
#[test]
fn options_of_the_presets_method_can_be_set_beside_it() {
    let arguments = ["gtp", "--set", "amaf_weight=constant", "--set", "horizon=off", "--preset", "paper"];
    let output = run(&arguments, b"list_options\n");
    let answer = String::from_utf8(output.stdout).unwrap();
    assert!(answer.contains("\nhorizon = off ") && answer.contains("\namaf_weight = constant "), "{answer}");
    assert!(!answer.contains("\nc_puct = "), "{answer}");
}

/// The line belongs to the chance: where the engine swaps, it is not the one in which it would not.
#[test]
fn the_line_begins_with_a_swap() {
    let mut client = Client::start(&["--side", "5", "--swap", "--simulations", "200", "--seed", "1"]);
    client.tell("play white d5");
    assert_eq!(client.tell("reg_genmove black"), "swap");
    assert_eq!((client.tell("pv"), client.tell("analyze_pv")), ("swap".into(), "TEXT swap".into()));
    assert!(client.tell("winrate").parse::<f64>().unwrap() > 0.5);
}

/// What was found under the pie rule is not shown once that is off.
#[test]
fn an_analysis_is_outdated_without_the_swap() {
    let mut client = Client::start(&["--side", "5", "--swap", "--simulations", "200", "--seed", "1"]);
    client.tell("play white e5");
    assert_eq!(client.tell("analyze_pv"), "TEXT swap");
    client.tell("set_option swap false");
    let line = client.tell("analyze_pv");
    assert!(line.starts_with("VAR b ") && !line.contains("swap"), "{line}");
}

/// A lost opening of side 4 is answered from the proof, with the whole game.
#[test]
fn an_opening_of_side_4_is_known_with_its_line() {
    let mut client = Client::start(&["--side", "4", "--simulations", "500"]);
    client.tell("play white d4");
    let reply = client.tell("reg_genmove black");
    assert_eq!(client.tell("winrate"), "0.0000");
    let line = client.tell("pv");
    assert_eq!(line.split(' ').next(), Some(&reply[..]));
    assert!(client.tell("analyze_verdicts").contains("black loses: 36 of 36 moves proven"));
    for (v, color) in line.split(' ').zip(["black", "white"].into_iter().cycle()) {
        client.tell(&format!("play {color} {v}"));
    }
    assert_eq!(client.tell("havannah_winner"), "white");
}

#[test]
fn handicap_stones_are_whites_and_black_moves_next() {
    let mut client = Client::start(&["--side", "6"]);
    assert_eq!(client.tell("fixed_handicap 2").split(' ').count(), 2);
    assert!(client.tell("showboard").contains("black (X) to move, 2 stones"));
    assert!(client.ask("fixed_handicap 2").unwrap_err().contains("before the first move"));
    assert!(client.tell("printsgf").contains("HA[2]"));
    client.tell("clear_board");
    for (command, words) in [
        ("fixed_handicap 8", "invalid number of handicap stones 8 (expected 2..7)"),
        ("place_free_handicap 1", "invalid number of handicap stones 1"),
        ("set_free_handicap a1", "too few arguments"),
        ("set_free_handicap a1 a1", "a1 is given twice"),
        ("set_free_handicap a1 z9", "vertex z9 is not on the board"),
    ] {
        assert!(client.ask(command).unwrap_err().contains(words), "{command}");
    }
    assert_eq!(client.tell("place_free_handicap 4").split(' ').count(), 4);
    client.tell("clear_board");
    assert_eq!(client.tell("set_free_handicap a1 f6 k11"), "");
    assert_eq!(client.tell("history"), "a1 white:f6 white:k11");
}
