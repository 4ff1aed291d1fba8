//! The commands against a model of the game: after each one, the engine's game is the model's.

use malecon::game::record::{self, Format, How, Record};
use malecon::game::{Color, Geometry, Move, Outcome};
use malecon::protocols::gtp::{Engine, GtpOptions};

use super::bytes::Bytes;
use super::model::{Dialect, Model, Play, Player, color_name};

/// The most commands of an input that are carried out.
const MAX_COMMANDS: usize = 200;

/// The input picks the commands.
pub fn check(input: &[u8]) {
    let mut bytes = Bytes(input);
    let side = 2 + bytes.below(5);
    let mut pair = Pair::new(side);
    for _ in 0..MAX_COMMANDS {
        let Some(command) = bytes.next() else { break };
        pair.carry_out(command, &mut bytes);
        pair.compare();
    }
}

/// The engine and the model.
struct Pair {
    engine: Engine,
    model: Model,
    dialect: Dialect,
    /// The commands so far, for the message of a failure.
    log: Vec<String>,
}

impl Pair {
    fn new(side: usize) -> Pair {
        let mut engine = Engine::new(Geometry::with_side(side).unwrap(), GtpOptions::default());
        for (name, value) in [("seed", "1"), ("memory", "4"), ("simulations", "4"), ("analysis_playouts", "4")] {
            engine.set_option(name, value).unwrap();
        }
        engine.set_option("analysis_seconds", "0.001").unwrap();
        // Searches end at once.
        engine.stop_flag().stop();
        let model = Model::new(side, false);
        Pair { engine, model, dialect: Dialect::HavannahGui, log: vec![format!("boardsize {side}")] }
    }

    /// Sends a command. Returns its answer, or `None` if it failed.
    fn ask(&mut self, line: &str) -> Option<String> {
        self.log.push(line.to_owned());
        let response = self.engine.respond(line).unwrap_or_else(|| panic!("no answer\n{}", self.log()));
        assert!(!response.contains("internal error"), "{response}\n{}", self.log());
        let text = response.strip_prefix('=')?;
        Some(text.strip_suffix("\n\n").unwrap().strip_prefix(' ').unwrap_or_default().to_owned())
    }

    /// Sends a command that must succeed if and only if it should.
    fn expect(&mut self, line: &str, should_succeed: bool) {
        let succeeded = self.ask(line).is_some();
        assert_eq!(succeeded, should_succeed, "whether the last command succeeds\n{}", self.log());
    }

    fn log(&self) -> String {
        self.log.join("\n")
    }

    fn carry_out(&mut self, command: u8, bytes: &mut Bytes<'_>) {
        match command {
            0..96 => self.play_in_turn(bytes),
            96..120 => self.play_any(bytes),
            120..132 => self.playgame(bytes),
            132..136 => {
                let is_legal = self.play_in_model(self.model.to_move(), Play::Swap);
                self.expect("swap", is_legal);
            }
            136..156 => self.undo(bytes),
            156..176 => self.genmove(bytes),
            176..180 => self.reg_genmove(bytes),
            180..182 => self.selfplay(),
            182..200 => self.set_option(bytes),
            200..206 => self.boardsize(bytes),
            206..209 => {
                self.model = Model::new(self.model.board.size(), self.model.swap_allowed);
                self.expect("clear_board", true);
            }
            209..230 => self.save_and_load(bytes),
            230..246 => self.report(bytes),
            246..=255 => self.set_time(bytes),
        }
    }

    fn play_in_model(&mut self, player: Player, play: Play) -> bool {
        // Only GoGui passes.
        (play != Play::Pass || self.dialect == Dialect::GoGui) && self.model.play(player, play)
    }

    /// An empty vertex for the player to move, which makes most games whole.
    fn play_in_turn(&mut self, bytes: &mut Bytes<'_>) {
        let empty: Vec<usize> = self.model.empty_points().iter().collect();
        if empty.is_empty() {
            return;
        }
        let (player, point) = (self.model.to_move(), empty[bytes.below(empty.len())]);
        let is_legal = self.model.play(player, Play::Place(point));
        let name = self.model.name(self.dialect, point);
        self.expect(&format!("play {} {name}", color_name(player)), is_legal);
    }

    /// Any word for a move, of any colour, and whether it is legal now. The model plays it if it is.
    fn any_move(&mut self, bytes: &mut Bytes<'_>) -> (Player, String, bool) {
        let player = Player::from(bytes.byte() % 2);
        let (word, play) = match bytes.byte() {
            0..10 => ("swap".to_owned(), Play::Swap),
            10..20 => ("pass".to_owned(), Play::Pass),
            20..30 => ("resign".to_owned(), Play::Resign),
            30..35 => return (player, "a99".to_owned(), false),
            _ => {
                let point = bytes.below(self.model.board.points().len());
                // In GoGui, a click on the first stone swaps.
                let swaps = self.dialect == Dialect::GoGui && self.model.swappable() == Some(point);
                (self.model.name(self.dialect, point), if swaps { Play::Swap } else { Play::Place(point) })
            }
        };
        let is_legal = self.play_in_model(player, play);
        (player, word, is_legal)
    }

    fn play_any(&mut self, bytes: &mut Bytes<'_>) {
        let (player, word, is_legal) = self.any_move(bytes);
        self.expect(&format!("play {} {word}", ["W", "Black"][player]), is_legal);
    }

    fn playgame(&mut self, bytes: &mut Bytes<'_>) {
        let before = self.model.clone();
        let moves: Vec<_> = (0..1 + bytes.byte() % 4).map(|_| self.any_move(bytes)).collect();
        let line: Vec<String> =
            moves.iter().map(|(player, word, _)| format!("{}:{word}", color_name(*player))).collect();
        let is_legal = moves.iter().all(|(.., is_legal)| *is_legal);
        if !is_legal {
            self.model = before;
        }
        self.expect(&format!("playgame {}", line.join(" ")), is_legal);
    }

    fn undo(&mut self, bytes: &mut Bytes<'_>) {
        let count = match bytes.byte() {
            0..200 => 1,
            count @ 200..250 => usize::from(count - 200),
            _ => usize::MAX,
        };
        // Nothing can be taken back, not even no move, before the first move.
        let is_possible = !self.model.moves().is_empty() && self.model.undo(count);
        self.expect(&format!("undo {count}"), is_possible);
    }

    /// The move that a search has answered.
    fn read_answer(&self, answer: &str) -> Play {
        let point = self.model.point(self.dialect, answer);
        match answer {
            "swap" => Play::Swap,
            "resign" => Play::Resign,
            _ if self.dialect == Dialect::GoGui && point.is_some() && point == self.model.swappable() => Play::Swap,
            _ => Play::Place(point.unwrap_or_else(|| panic!("{answer} is not a move\n{}", self.log()))),
        }
    }

    /// What a search answers once the game is over.
    fn after_the_end(&self) -> &'static str {
        if self.dialect == Dialect::GoGui { "pass" } else { "none" }
    }

    fn genmove(&mut self, bytes: &mut Bytes<'_>) {
        let player = if bytes.byte() < 200 { self.model.to_move() } else { 1 - self.model.to_move() };
        let answer = self.ask(&format!("genmove {}", color_name(player)));
        let answer = answer.unwrap_or_else(|| panic!("genmove failed\n{}", self.log()));
        if self.model.result().is_some() {
            return assert_eq!(answer, self.after_the_end());
        }
        match self.read_answer(&answer) {
            // The controller decides whether the game ends with that.
            Play::Resign => (),
            play => assert!(self.model.play(player, play), "{answer} is illegal\n{}", self.log()),
        }
    }

    fn reg_genmove(&mut self, bytes: &mut Bytes<'_>) {
        let player = Player::from(bytes.byte() % 2);
        let answer = self.ask(&format!("reg_genmove {}", color_name(player))).expect("reg_genmove succeeds");
        if self.model.result().is_some() {
            return assert_eq!(answer, self.after_the_end());
        }
        let play = self.read_answer(&answer);
        assert!(self.model.clone().play(player, play), "{answer} is illegal\n{}", self.log());
    }

    fn selfplay(&mut self) {
        if self.model.board.size() > 4 {
            return;
        }
        let answer = self.ask("selfplay").expect("selfplay succeeds");
        for word in answer.split_ascii_whitespace() {
            let play = self.read_answer(word);
            assert!(self.model.play(self.model.to_move(), play), "{word} is illegal\n{}", self.log());
        }
    }

    fn set_option(&mut self, bytes: &mut Bytes<'_>) {
        let is_on = bytes.byte().is_multiple_of(2);
        match bytes.byte() % 8 {
            0..3 => {
                self.model.swap_allowed = is_on;
                self.expect(&format!("set_option swap {is_on}"), true);
            }
            3..5 => {
                self.dialect = *bytes.one_of(&Dialect::ALL);
                self.expect(&format!("set_option gui {}", self.dialect.option()), true);
            }
            5 => self.expect(&format!("set_option resign {is_on}"), true),
            6 => self.expect("set_option resign_below 1", true),
            _ => {
                let preset = bytes.one_of(&["default", "rave", "paper", "plain", "none"]);
                self.expect(&format!("set_option preset {preset}"), *preset != "none");
            }
        }
    }

    fn boardsize(&mut self, bytes: &mut Bytes<'_>) {
        let size = match bytes.byte() {
            0..200 => self.dialect.size(2 + bytes.below(5)),
            200..220 => self.dialect.size(2 + bytes.below(12)),
            _ => bytes.below(40),
        };
        let is_legal = (2..=13).any(|side| self.dialect.size(side) == size);
        if is_legal {
            let side = (2..=13).find(|&side| self.dialect.size(side) == size).unwrap();
            self.model = Model::new(side, self.model.swap_allowed);
        }
        self.expect(&format!("boardsize {size}"), is_legal);
    }

    /// Writes the game, reads it again and takes it over, to its end or to the position before some move.
    fn save_and_load(&mut self, bytes: &mut Bytes<'_>) {
        let format = *bytes.one_of(&[Format::Sgf, Format::GoGui, Format::Hgf, Format::JsonLines, Format::Moves]);
        if format == Format::Moves && self.model.moves().is_empty() {
            return;
        }
        let text = record::write(&[self.engine.session().record()], format);
        self.log.push(format!("(written as {format:?}, read and loaded)\n{text}"));
        let records = record::read(text.as_bytes(), Some(format));
        let record = records.unwrap_or_else(|error| panic!("{error}\n{}", self.log())).swap_remove(0);
        let before = (bytes.byte() < 128).then(|| 1 + bytes.below(20));
        let line = self.main_line(&record);
        let loaded = self.engine.session_mut().load(record, before);
        let moves = match before {
            None => &line[..],
            Some(number) => {
                let plays = line.len() - line.last().is_some_and(|(_, play)| *play == Play::Resign) as usize;
                assert_eq!(loaded.is_ok(), number <= plays + 1, "before move {number}\n{}", self.log());
                line.get(..number - 1).unwrap_or_default()
            }
        };
        if let Err(error) = loaded {
            return assert!(before.is_some(), "{error}\n{}", self.log());
        }
        let mut model = Model::new(self.model.board.size(), true);
        // Whoever made the first move of a record was to move before it. A resignation is part of the result.
        if let Some(&(player, _)) = line.first().filter(|(_, play)| *play != Play::Resign) {
            model.begin(player);
        }
        for &(player, play) in moves {
            assert!(model.play(player, play), "{play:?}\n{}", self.log());
        }
        model.swap_allowed = self.model.swap_allowed;
        self.model = model;
    }

    /// What is played in a record that was written from this game: the game without passes and, where moves were taken
    /// back, perhaps what follows in the record that the game was loaded from.
    fn main_line(&self, record: &Record) -> Vec<(Player, Play)> {
        let play = |(color, m): (Color, Move)| match m {
            Move::Place(v) => (color.index(), Play::Place(self.point(v))),
            Move::Swap => (color.index(), Play::Swap),
            Move::Resign => (color.index(), Play::Resign),
            Move::Pass => (color.index(), Play::Pass),
        };
        let mut line: Vec<(Player, Play)> = record.moves().into_iter().map(play).collect();
        let is_resigned = record.stated.is_some_and(|stated| stated.how == How::Resignation);
        if let (true, None, Some(winner)) =
            (is_resigned, record.game().outcome(), record.result().and_then(|result| result.winner))
            && line.last().is_none_or(|(_, play)| *play != Play::Resign)
        {
            line.push(((!winner).index(), Play::Resign));
        }
        let played: Vec<_> = self.model.moves().iter().copied().filter(|(_, play)| *play != Play::Pass).collect();
        assert!(line.starts_with(&played), "{line:?}\n{}", self.log());
        let is_over = self.model.result().is_some();
        assert!(!is_over || line == played, "{line:?}\n{}", self.log());
        line
    }

    /// Commands that must not change anything. Some need a search before them.
    fn report(&mut self, bytes: &mut Bytes<'_>) {
        let command = bytes.one_of(&[
            "showboard",
            "list_options",
            "printsgf",
            "gogui-rules_board",
            "gogui-rules_legal_moves",
            "gogui-rules_board_gfx",
            "gogui-rules_final_result",
            "gogui-title",
            "analyze_visits",
            "analyze_rave",
            "analyze_pv",
            "analyze_verdicts",
            "analyze_ownership",
            "analyze_criticality",
            "analyze_threats",
            "analyze_frames",
            "list_frames",
            "analyze_chains",
            "analyze_prediction",
            "analyze_distance white",
            "pv",
            "winrate",
            "help",
            "undo 0 0",
            "play",
            "genmove",
            "genmove green",
            "play white a1 a1",
            "no such command",
        ]);
        self.ask(command);
    }

    fn set_time(&mut self, bytes: &mut Bytes<'_>) {
        let player = color_name(Player::from(bytes.byte() % 2));
        let seconds = bytes.one_of(&["0", "0.001", "10", "1e9"]);
        let line = match bytes.byte() % 3 {
            0 => format!("time_settings {seconds} 0 0"),
            1 => format!("time_settings 0 {seconds} {}", bytes.byte() % 3),
            _ => format!("time_left {player} {seconds} {}", bytes.byte() % 3),
        };
        self.expect(&line, true);
    }

    // Comparing.

    fn compare(&mut self) {
        let history = self.model.history(self.dialect);
        assert_eq!(self.answer_to("history"), history, "{}", self.log());
        let winner = match self.model.result() {
            None => "none",
            Some(None) => "draw",
            Some(Some(player)) => color_name(player),
        };
        assert_eq!(self.answer_to("havannah_winner"), winner, "{}", self.log());
        assert_eq!(self.answer_to("gogui-rules_side_to_move"), self.side_to_move(), "{}", self.log());
        self.compare_legal_moves();
        self.compare_board();
    }

    /// The answer to a command that is not logged.
    fn answer_to(&mut self, line: &str) -> String {
        let response = self.engine.respond(line).unwrap();
        let text = response.strip_prefix('=').unwrap_or_else(|| panic!("{line}: {response}\n{}", self.log()));
        text.trim().to_owned()
    }

    fn side_to_move(&self) -> &'static str {
        color_name(self.model.to_move())
    }

    fn compare_legal_moves(&mut self) {
        let mut expected: Vec<Move> = Vec::new();
        if self.model.result().is_none() {
            let empty = self.model.empty_points();
            let board = self.engine.session().game().geometry();
            expected.extend(board.vertices().filter(|&v| empty.has(self.point(v))).map(Move::Place));
            expected.extend(self.model.swappable().map(|_| Move::Swap));
        }
        assert_eq!(self.engine.session().game().legal_moves(), expected, "{}", self.log());
    }

    /// Compares the stones, and the structures of the winner.
    fn compare_board(&self) {
        let game = self.engine.session().game().board();
        for v in game.geometry().vertices() {
            let expected = [Color::White, Color::Black]
                .into_iter()
                .find(|color| self.model.stones()[color.index()].has(self.point(v)));
            assert_eq!(game.position().stone(v), expected, "{v:?}\n{}", self.log());
        }
        let structures = match game.outcome() {
            Some(Outcome::Win(_, by)) => by.names().collect(),
            _ => Vec::new(),
        };
        assert_eq!(structures, self.model.figures(), "{}", self.log());
    }

    /// The model's point for a vertex.
    fn point(&self, v: malecon::game::Vertex) -> usize {
        let (letter, number) = self.engine.session().game().geometry().coordinates(v);
        let last = self.model.board.size() as i32 - 1;
        let (x, y) = (letter as i32 - last, last - number as i32);
        self.model.board.index_of((x, y, -x - y)).expect("the vertex is on the board")
    }
}
