//! A game between a person and the engine, in lines of text.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use malecon::base::text::capitalized;
use malecon::engine::search::Verdict;
use malecon::engine::session::handicap::{HandicapError, fixed_handicap};
use malecon::engine::session::options::MAX_LEVEL;
use malecon::engine::session::{Hint, LoadError, PlayedGame};
use malecon::game::record::{Format, words};
use malecon::game::{Color, Game, Geometry, Move, Notation, Outcome, ParsePositionError};
use malecon::protocols::gtp::protocol::CommandError;
use malecon::protocols::gtp::{Engine, suggest};

use crate::cli::output::shown;
use crate::cli::terminal::{Input, Interrupter, Lines, Words, fitted};

/// A command that the person can type.
struct Command {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&mut TerminalGame, &str) -> io::Result<()>,
}

impl Command {
    const fn new(
        name: &'static str,
        arguments: &'static str,
        about: &'static str,
        run: fn(&mut TerminalGame, &str) -> io::Result<()>,
    ) -> Command {
        Command { name, arguments, about, run }
    }
}

const COMMANDS: &[Command] = &[
    Command::new("swap", "", "take over the first stone, as the second move", TerminalGame::swap),
    Command::new("undo", "", "take back your last move and the answer to it", TerminalGame::undo),
    Command::new("hint", "", "what the engine would play and why, and your chance of winning", TerminalGame::hint),
    Command::new("board", "", "draw the board", TerminalGame::board),
    Command::new("frames", "", "draw what each player connects for certain, and who is ahead", TerminalGame::frames),
    Command::new("moves", "", "list the moves so far", TerminalGame::moves),
    Command::new(
        "position",
        "[STRING]",
        "show the position as one line, or begin in another one",
        TerminalGame::position,
    ),
    Command::new("save", "FILE", "save the game in a file, as SGF", TerminalGame::save),
    Command::new("load", "FILE", "continue the game in a file", TerminalGame::load_command),
    Command::new("level", "[N]", "how strong the engine is: 1 (has just learned the rules) to 10", TerminalGame::level),
    Command::new("time", "SECONDS", "full strength, with this long for a move", TerminalGame::time),
    Command::new("resign", "", "resign the game", TerminalGame::resign),
    Command::new("new", "[SIDE]", "start another game", TerminalGame::new_game),
    Command::new("help", "", "the rules, and these commands", TerminalGame::help),
    Command::new("quit", "", "end the program", TerminalGame::quit),
];

/// A line about each command.
pub fn command_lines() -> impl Iterator<Item = String> {
    COMMANDS.iter().map(|Command { name, arguments, about, .. }| {
        let form = format!("{name} {arguments}");
        format!("  {form:<18}{about}")
    })
}

const RULES: &str = "\
The first player to build one of these, as an unbroken chain of their own stones, wins:
  a bridge  joins two of the six corners
  a fork    joins three of the six sides (corners belong to no side)
  a ring    goes around at least one vertex, empty or taken
Players take turns to put a stone on an empty vertex; stones never move.";

const SWAP_RULE: &str = "As the second move, the second player may swap: the first stone becomes theirs.";

/// A game between a person and the engine.
pub struct TerminalGame {
    engine: Engine,
    human: Color,
    /// The stones with which White begins each game.
    handicap: usize,
    lines: Lines,
    interrupter: Interrupter,
    /// Whether the position has changed since it was drawn.
    changed: bool,
    /// The position that was drawn last.
    drawn: String,
    /// The file that this game was saved to.
    saved: Option<PathBuf>,
    has_quit: bool,
}

impl TerminalGame {
    /// A game in which the person plays this colour.
    pub fn new(engine: Engine, human: Color, lines: Lines) -> TerminalGame {
        let interrupter = Interrupter::new(engine.stop_flag());
        TerminalGame {
            engine,
            human,
            handicap: 0,
            lines,
            interrupter,
            changed: true,
            drawn: String::new(),
            saved: None,
            has_quit: false,
        }
    }

    /// Has White begin this game and later ones with handicap stones.
    ///
    /// # Errors
    /// If this board has no such handicap.
    pub fn set_handicap(&mut self, stones: usize) -> Result<(), HandicapError> {
        place_handicap(&mut self.engine, stones)?;
        self.handicap = stones;
        Ok(())
    }

    /// Plays until the person quits or the input ends.
    pub fn run(&mut self) -> io::Result<()> {
        self.greet()?;
        while !self.has_quit {
            if self.is_engines_turn() {
                self.reply()?;
                continue;
            }
            if self.changed {
                self.show()?;
            }
            match self.next_line()? {
                Input::Line(line) => self.obey(line.trim())?,
                Input::Interrupt => say("Type quit, or press Ctrl-D, to end the game.")?,
                Input::End => break,
            }
        }
        Ok(())
    }

    fn game(&self) -> &PlayedGame {
        self.engine.session().game()
    }

    fn greet(&self) -> io::Result<()> {
        let side = self.game().geometry().side();
        say(&format!("Havannah on a board of side {side}, against Malecon {}.\n", env!("CARGO_PKG_VERSION")))?;
        say(RULES)?;
        if self.game().board().swap_allowed() {
            say(SWAP_RULE)?;
        }
        let first = match (self.human, self.game().is_empty()) {
            (Color::White, false) if self.handicap > 0 => " and begin with the stones on the board; Malecon moves next",
            (Color::Black, false) if self.handicap > 0 => " and move next; Malecon begins with the stones on the board",
            (Color::White, true) => " and move first",
            (Color::Black, true) => ", and Malecon moves first",
            (_, false) => "",
        };
        say(&format!(
            "\nYou are {}{first}. Type help for what you can type, quit to end the game.",
            described(self.human)
        ))?;
        say(&self.described_level())
    }

    /// Shows the board and says what there is to say about it. A resignation does not change the board.
    fn show(&mut self) -> io::Result<()> {
        let is_drawn = self.drawn == self.game().board().position_string();
        match self.game().resigned() {
            Some(_) if is_drawn => self.changed = false,
            _ => self.board("")?,
        }
        self.announce()
    }

    fn is_engines_turn(&self) -> bool {
        !self.game().is_over() && self.game().to_move() != self.human
    }

    fn next_line(&mut self) -> io::Result<Input> {
        let prompt = if self.game().is_over() { "game over> ".to_owned() } else { format!("{}> ", self.human) };
        let words = Words {
            commands: COMMANDS.iter().map(|command| command.name.to_owned()).collect(),
            others: self.game().legal_moves().into_iter().map(|m| self.engine.show_move(m)).collect(),
            with_files: ["save", "load"].map(str::to_owned).to_vec(),
        };
        self.lines.next(&prompt, words)
    }

    /// Carries out a line: a command, or a move.
    fn obey(&mut self, line: &str) -> io::Result<()> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let lower = word.to_ascii_lowercase();
        let rest = rest.trim();
        let command =
            COMMANDS.iter().find(|command| command.name == lower || lower == "exit" && command.name == "quit");
        match command {
            _ if word.is_empty() => Ok(()),
            Some(command)
                if rest.is_empty() && !command.arguments.is_empty() && !command.arguments.starts_with('[') =>
            {
                say(&format!("{} needs {}.", command.name, command.arguments))
            }
            Some(command) if !rest.is_empty() && command.arguments.is_empty() => {
                say(&format!("{} takes no argument, but '{rest}' was given.", command.name))
            }
            Some(command) => (command.run)(self, rest),
            None if is_list(line) => self.play_line(line),
            None if !rest.is_empty() => say(&format!("'{line}' is not understood. Type help for what you can type.")),
            None => self.place(word),
        }
    }

    fn place(&mut self, word: &str) -> io::Result<()> {
        if !Notation::is_letter_and_number(word) {
            return say(&match suggest::nearest(word, COMMANDS.iter().map(|command| command.name)) {
                Some(near) => format!("'{word}' is not understood. Did you mean {near}?"),
                None => format!("'{word}' is not understood. Type help for what you can type."),
            });
        }
        match self.engine.read_move(word) {
            Ok(m) => self.play(m),
            Err(error) => complain(&error),
        }
    }

    /// Plays a move of the person's, or says why it is illegal.
    fn play(&mut self, m: Move) -> io::Result<()> {
        let played = self.engine.play(self.human, m);
        self.changed_by(played)
    }

    /// Plays the moves of a line for both players in turn, all or none.
    fn play_line(&mut self, line: &str) -> io::Result<()> {
        let words = words(line);
        let wrong = |i: usize, reason: &dyn fmt::Display| {
            say(&format!("Move {} of the line, {}: {reason}. None of these moves was played.", i + 1, words[i].text))
        };
        let mut turn = self.game().to_move();
        let mut moves = Vec::new();
        for (i, word) in words.iter().enumerate() {
            match word.read(turn, self.game().geometry(), self.engine.notation()) {
                Ok(m) => moves.push(m),
                Err(error) => return wrong(i, &error),
            }
            turn = !moves[i].0;
        }
        if let Err((i, error)) = self.engine.session_mut().play_all(&moves) {
            return wrong(i, &error.message(self.engine.notation()));
        }
        self.changed = true;
        say(&format!("Played for both players: {}.", self.described_moves(&moves)))
    }

    /// Moves with their colours: `white e5, black f6`.
    fn described_moves(&self, moves: &[(Color, Move)]) -> String {
        let described = |&(color, m): &(Color, Move)| format!("{color} {}", self.engine.show_move(m));
        moves.iter().map(described).collect::<Vec<_>>().join(", ")
    }

    /// Has the board drawn again after a change, or says why nothing has changed.
    fn changed_by<E: fmt::Display>(&mut self, result: Result<(), E>) -> io::Result<()> {
        match result {
            Ok(()) => {
                self.changed = true;
                Ok(())
            }
            Err(error) => complain(&error),
        }
    }

    /// The engine thinks and moves.
    fn reply(&mut self) -> io::Result<()> {
        let color = !self.human;
        let tells = self.lines.is_person();
        let engine = &mut self.engine;
        let m = self.interrupter.during(|| {
            if tells {
                say("Malecon thinks (press Ctrl-C to make it move at once).")?;
            }
            engine.make_move(color).map_err(io::Error::other)
        })?;
        self.changed = true;
        match m {
            Move::Resign => {
                self.engine.play(color, m).map_err(io::Error::other)?;
                say("Malecon resigns.")
            }
            Move::Swap => say(&format!("Malecon swaps: your first stone is {color} now, and you move again.")),
            m => say(&format!("Malecon plays {}.", self.engine.show_move(m))),
        }
    }

    /// After the end: the winner and how the game was won.
    fn announce(&self) -> io::Result<()> {
        let game = self.game();
        let whose = |color: Color| if color == self.human { "You have won" } else { "Malecon has won" };
        let text = match (game.resigned(), game.board().outcome()) {
            (Some(loser), _) => format!("{}: {loser} resigned.", whose(!loser)),
            (None, Some(Outcome::Win(color, by))) => format!("{} by {by}.", whose(color)),
            (None, Some(Outcome::Draw)) => "The board is full: a draw.".to_owned(),
            (None, None) if game.board().can_swap() => "You may swap: type swap to take the stone over.".to_owned(),
            (None, None) => return Ok(()),
        };
        let more = if game.is_over() { " (save FILE saves the game; new, undo or quit)" } else { "" };
        say(&format!("{text}{more}"))
    }

    // The commands.

    fn swap(&mut self, _: &str) -> io::Result<()> {
        if !self.game().board().swap_allowed() {
            let is_on = self.engine.session().options().session.swap;
            let reason = if is_on { "it began with a position" } else { "malecon play --swap has it" };
            return say(&format!("This game is played without the swap ({reason})."));
        }
        self.play(Move::Swap)
    }

    /// Takes back moves until the person is to move again and has one move less.
    fn undo(&mut self, _: &str) -> io::Result<()> {
        let moves = self.game().moves().split_off(self.game().set_up());
        match moves.iter().rev().position(|&(color, _)| color == self.human) {
            Some(after) => {
                let undone = self.engine.session_mut().undo(after + 1);
                self.changed_by(undone)
            }
            None => say("You have not moved yet."),
        }
    }

    fn hint(&mut self, _: &str) -> io::Result<()> {
        if self.game().is_over() {
            return say("The game is over.");
        }
        // A hint is the best move that the engine knows, at whatever level it plays.
        let options = self.engine.session().options().clone();
        let mut strongest = options.clone();
        strongest.session.level = MAX_LEVEL;
        let human = self.human;
        let engine = &mut self.engine;
        engine.session_mut().set_options(strongest);
        let chosen = self.interrupter.during(|| engine.choose_move(human));
        engine.session_mut().set_options(options);
        let m = match chosen {
            Ok(m) => m,
            Err(error) => return complain(&error),
        };
        let Some(analysis) = self.engine.session().last_analysis() else {
            let word = self.engine.show_move(m);
            return say(&format!("Malecon suggests {word}, without a search: there is too little memory for one."));
        };
        let report = &analysis.report;
        let mut hint = analysis.hint(self.game().geometry());
        // The table of first stones may have decided, or the chance may be so low that the engine would resign.
        if m != Move::Place(report.best) && m != hint.suggested {
            hint = Hint { suggested: m, reason: None };
        }
        let searched = report.moves.iter().find(|searched| Move::Place(searched.vertex) == hint.suggested);
        let line = searched.map_or(&report.pv, |searched| &searched.line);
        let word = self.engine.show_move(hint.suggested);
        let line = self.engine.names_of(line);
        let chance = match report.verdict {
            Some(Verdict::Win) => "You are proven to win.".into(),
            Some(Verdict::Loss) => "You are proven to lose against perfect play.".into(),
            Some(Verdict::Draw) => "A draw is proven.".into(),
            None => format!("Your chance of winning is {:.0} %.", 100.0 * analysis.chance()),
        };
        // After a swap, the line is that of the game without it.
        let has_line = matches!(hint.suggested, Move::Place(_)) && !line.is_empty();
        let expected = if has_line { format!(" and expects {line}") } else { String::new() };
        say(&format!("Malecon suggests {word}{expected}. {chance}"))?;
        match hint.reason {
            Some(reason) => say(&format!("The reason: {}.", reason.text(self.engine.notation()))),
            None => Ok(()),
        }
    }

    fn board(&mut self, _: &str) -> io::Result<()> {
        self.changed = false;
        self.drawn = self.game().board().position_string();
        draw(&format!("\n{}\n", self.engine.draw_board()))
    }

    fn frames(&mut self, _: &str) -> io::Result<()> {
        match self.engine.draw_frames() {
            Some(drawing) => draw(&format!("\n{drawing}\n")),
            None => say("The game is over."),
        }
    }

    fn moves(&mut self, _: &str) -> io::Result<()> {
        let game = self.game();
        let moves = Move::show_in_turn(game.moves(), Color::White, game.geometry(), self.engine.notation());
        match &moves[..] {
            [] => say("No move has been played."),
            moves => say(&moves.join(" ")),
        }
    }

    /// Begins a game in a position.
    ///
    /// # Errors
    /// If the text is not a position string.
    pub fn set_position(&mut self, text: &str) -> Result<(), ParsePositionError> {
        self.engine.session_mut().set_position(Game::from_position(text)?);
        self.begun();
        Ok(())
    }

    fn position(&mut self, text: &str) -> io::Result<()> {
        match text {
            "" => say(&self.game().board().position_string()),
            text => self.set_position(text).or_else(|error| complain(&error)),
        }
    }

    fn save(&mut self, file: &str) -> io::Result<()> {
        let path = Path::new(file);
        if path.exists() && self.saved.as_deref() != Some(path) {
            return say(&format!("{file} exists already: choose another name."));
        }
        match self.engine.session().save_file(path, Format::Sgf) {
            Ok(()) => {
                self.saved = Some(path.to_owned());
                say(&format!("Saved to {file}."))
            }
            Err(error) => say(&format!("Cannot save {file}: {error}.")),
        }
    }

    /// Another game has begun. It must not replace the one before it in its file.
    fn begun(&mut self) {
        self.changed = true;
        self.saved = None;
    }

    /// Continues the game in a file.
    pub fn load(&mut self, file: &str) -> Result<(), LoadError> {
        self.engine.session_mut().load_file(Path::new(file), None)?;
        self.begun();
        Ok(())
    }

    fn load_command(&mut self, file: &str) -> io::Result<()> {
        self.load(file).or_else(|error| complain(&error))
    }

    fn described_level(&self) -> String {
        match self.engine.session().options().session.level {
            MAX_LEVEL => format!("Malecon plays at full strength, level {MAX_LEVEL}. Change it with 'level N'."),
            level => format!("Malecon plays at level {level} of {MAX_LEVEL}. Change it with 'level N'."),
        }
    }

    fn level(&mut self, level: &str) -> io::Result<()> {
        let set = if level.is_empty() { Ok(()) } else { self.engine.set_option("level", level) };
        match set {
            Ok(()) => say(&self.described_level()),
            Err(error) => complain(&error),
        }
    }

    fn time(&mut self, seconds: &str) -> io::Result<()> {
        let mut options = self.engine.session().options().clone();
        match options.set("seconds", seconds) {
            Ok(()) => {
                options.session.simulations = 0;
                options.session.level = MAX_LEVEL;
                self.engine.session_mut().set_options(options);
                say(&format!("Malecon plays at full strength and thinks {seconds} s about a move from now on."))
            }
            Err(_) => say(&format!("'{seconds}' is not a time that Malecon can think (expected seconds, such as 5).")),
        }
    }

    fn resign(&mut self, _: &str) -> io::Result<()> {
        self.play(Move::Resign)
    }

    fn new_game(&mut self, side: &str) -> io::Result<()> {
        let board = match side {
            "" => Ok(self.game().geometry()),
            side => read_board(side),
        };
        match board {
            Ok(board) => {
                self.engine.session_mut().new_game(board);
                self.begun();
                match self.handicap {
                    0 => Ok(()),
                    stones => place_handicap(&mut self.engine, stones).or_else(|error| complain(&error)),
                }
            }
            Err(error) => complain(&error),
        }
    }

    fn help(&mut self, _: &str) -> io::Result<()> {
        say(RULES)?;
        if self.game().board().swap_allowed() {
            say(SWAP_RULE)?;
        }
        say(&format!(
            "\nYou are {}. Type a vertex, a letter and a number such as {}, to put a stone there, or a command.",
            described(self.human),
            self.example()
        ))?;
        say("Several vertices on one line are moves of both players in turn.")?;
        say(&self.coordinates())?;
        say("\nCommands:")?;
        command_lines().try_for_each(|line| say(&line))
    }

    /// A vertex to show how vertices are named: the one in the middle.
    fn example(&self) -> String {
        let geometry = self.game().geometry();
        let middle = geometry.side() - 1;
        let v = geometry.vertex_at(middle, middle).expect("every board has a middle");
        self.engine.name_of(v)
    }

    /// How to read the coordinates around the board.
    fn coordinates(&self) -> String {
        let name = self.example();
        let (letter, number) = name.split_at(1);
        format!(
            "{name} is where two lines meet: row {number}, which has its number at the left end, and the line of the \
             letter {letter}, which begins at the letter below or to the right of the board and runs to the upper \
             left."
        )
    }

    fn quit(&mut self, _: &str) -> io::Result<()> {
        self.has_quit = true;
        Ok(())
    }
}

fn place_handicap(engine: &mut Engine, stones: usize) -> Result<(), HandicapError> {
    let vertices = fixed_handicap(engine.session().game().geometry(), stones)?;
    engine.session_mut().place_handicap(&vertices)
}

/// A colour with the letter that it is drawn by.
fn described(color: Color) -> &'static str {
    match color {
        Color::White => "white (O)",
        Color::Black => "black (X)",
    }
}

/// Prints sentences. They may quote names, so control characters are made visible.
fn say(text: &str) -> io::Result<()> {
    draw(&fitted(&shown(text)))
}

/// Prints a drawing.
fn draw(text: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{text}")
}

/// The board of a side length.
fn read_board(side: &str) -> Result<&'static Geometry, CommandError> {
    let number =
        side.parse().map_err(|_| CommandError::new(format!("invalid side length '{side}' (expected 2..13)")))?;
    Ok(Geometry::with_side(number)?)
}

/// Says what went wrong, as a sentence.
fn complain(error: &dyn fmt::Display) -> io::Result<()> {
    say(&format!("{}.", capitalized(error)))
}

/// Whether a line is a list of moves, as far as its beginning tells.
fn is_list(line: &str) -> bool {
    let words = words(line);
    let first = words.first().filter(|word| Notation::is_letter_and_number(word.text));
    first.is_some_and(|word| words.len() > 1 || word.text != line.trim())
}
