//! The conversation of a game between a person and the engine.

use std::io::{self, Write};
use std::path::Path;

use malecon::board::{Action, Color, Diagram, Outcome};
use malecon::gtp::protocol::CommandError;
use malecon::gtp::{Engine, suggest};

use super::super::terminal::{Input, Interrupter, Lines, Words, may_color};

/// A word that the person can type.
struct Command {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&mut Session, &str) -> io::Result<()>,
}

const COMMANDS: &[Command] = &[
    Command { name: "swap", arguments: "", about: "take over the first stone, as the second move", run: Session::swap },
    Command {
        name: "undo",
        arguments: "",
        about: "take back your last move, and the answer to it",
        run: Session::undo,
    },
    Command {
        name: "hint",
        arguments: "",
        about: "what the engine would play, and your chance to win",
        run: Session::hint,
    },
    Command { name: "board", arguments: "", about: "draw the board", run: Session::board },
    Command { name: "moves", arguments: "", about: "list the moves so far", run: Session::moves },
    Command { name: "save", arguments: "FILE", about: "keep the game in a file, as SGF", run: Session::save },
    Command { name: "load", arguments: "FILE", about: "go on with the game of a file", run: Session::load_command },
    Command {
        name: "time",
        arguments: "SECONDS",
        about: "how long the engine thinks about a move",
        run: Session::time,
    },
    Command { name: "resign", arguments: "", about: "give the game up", run: Session::resign },
    Command { name: "new", arguments: "[SIDE]", about: "begin another game", run: Session::new_game },
    Command { name: "help", arguments: "", about: "the rules, and these commands", run: Session::help },
    Command { name: "quit", arguments: "", about: "end the program", run: Session::quit },
];

const RULES: &str = "\
Whoever first builds one of these, as an unbroken chain of own stones, has won:
  a bridge  joins two of the six corners
  a fork    joins three of the six sides (corners belong to no side)
  a ring    goes around at least one vertex, empty or taken
The players take turns to put a stone on an empty vertex; stones never move.";

const SWAP_RULE: &str = "As the second move, the second player may swap: the first stone becomes his or hers.";

/// A game between a person and the engine.
pub struct Session {
    engine: Engine,
    human: Color,
    lines: Lines,
    interrupter: Interrupter,
    /// Whether the position has changed since it was drawn.
    changed: bool,
    has_quit: bool,
}

impl Session {
    /// A session in which the person plays this colour.
    pub fn new(engine: Engine, human: Color, lines: Lines) -> Session {
        let interrupter = Interrupter::new(&engine);
        Session { engine, human, lines, interrupter, changed: true, has_quit: false }
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

    fn greet(&self) -> io::Result<()> {
        let side = self.engine.record().game().geometry().side();
        say(&format!("Havannah on a board of side {side}, against Malecon {}.\n", env!("CARGO_PKG_VERSION")))?;
        say(RULES)?;
        if self.engine.record().game().swap_allowed() {
            say(SWAP_RULE)?;
        }
        let first = match (self.human, self.engine.record().moves().is_empty()) {
            (Color::White, true) => " and move first",
            (Color::Black, true) => ", and Malecon moves first",
            (_, false) => "",
        };
        say(&format!("\nYou are {}{first}. help tells what you can type, quit ends the game.", described(self.human)))
    }

    /// The board, and what there is to say about it; a resignation has not changed it.
    fn show(&mut self) -> io::Result<()> {
        match self.engine.record().resigned() {
            Some(_) => self.changed = false,
            None => self.board("")?,
        }
        self.announce()
    }

    fn is_engines_turn(&self) -> bool {
        let record = self.engine.record();
        !record.is_over() && record.to_move() != self.human
    }

    fn next_line(&mut self) -> io::Result<Input> {
        let prompt = match self.engine.record().is_over() {
            true => "game over> ".to_owned(),
            false => format!("{}> ", self.human),
        };
        let words = Words {
            commands: COMMANDS.iter().map(|command| command.name.to_owned()).collect(),
            others: self.engine.ask("all_legal").unwrap_or_default().split(' ').map(str::to_owned).collect(),
        };
        self.lines.next(&prompt, words)
    }

    /// Does what a line asks for: a command, or a move.
    fn obey(&mut self, line: &str) -> io::Result<()> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (lower, rest) = (word.to_ascii_lowercase(), rest.trim());
        let command =
            COMMANDS.iter().find(|command| command.name == lower || lower == "exit" && command.name == "quit");
        match command {
            _ if word.is_empty() => Ok(()),
            Some(command)
                if rest.is_empty() && !command.arguments.is_empty() && !command.arguments.starts_with('[') =>
            {
                say(&format!("{} {} is wanted.", command.name, command.arguments))
            }
            Some(command) if !rest.is_empty() && command.arguments.is_empty() => {
                say(&format!("{} stands alone, '{rest}' is too much.", command.name))
            }
            Some(command) => (command.run)(self, rest),
            None if !rest.is_empty() => say(&format!("'{line}' is not understood. help tells what you can type.")),
            None => self.place(word),
        }
    }

    fn place(&mut self, word: &str) -> io::Result<()> {
        if !looks_like_a_vertex(word) {
            return say(&match suggest::nearest(word, COMMANDS.iter().map(|command| command.name)) {
                Some(near) => format!("'{word}' is not understood. Did you mean {near}?"),
                None => format!("'{word}' is not understood. help tells what you can type."),
            });
        }
        self.change(&format!("play {} {word}", self.human))
    }

    /// Carries out a command that changes the game, or tells why it is refused.
    fn change(&mut self, command: &str) -> io::Result<()> {
        match self.engine.ask(command) {
            Ok(_) => {
                self.changed = true;
                Ok(())
            }
            Err(refusal) => complain(&refusal),
        }
    }

    /// The engine thinks and moves.
    fn reply(&mut self) -> io::Result<()> {
        let color = !self.human;
        let swaps = self.engine.record().game().can_swap();
        let tells = self.lines.is_person();
        let answer = self.interrupter.during(|| {
            if tells {
                say("Malecon thinks (Ctrl-C: it moves at once).")?;
            }
            Ok::<_, io::Error>(self.engine.ask(&format!("genmove {color}")))
        })?;
        let word = answer.map_err(|refusal| io::Error::other(refusal.to_string()))?;
        self.changed = true;
        if word == "resign" {
            self.engine
                .ask(&format!("play {color} resign"))
                .map_err(|refusal| io::Error::other(refusal.to_string()))?;
            return say("Malecon resigns.");
        }
        if swaps && self.engine.record().game().history().last() == Some(&Action::Swap) {
            return say(&format!("Malecon swaps: your first stone is {color} now, and you move again."));
        }
        say(&format!("Malecon plays {word}."))
    }

    /// After the end: who won, and how.
    fn announce(&self) -> io::Result<()> {
        let record = self.engine.record();
        let whose = |color: Color| if color == self.human { "You have won" } else { "Malecon has won" };
        let text = match (record.resigned(), record.game().outcome()) {
            (Some(loser), _) => format!("{}: {loser} resigned.", whose(!loser)),
            (None, Some(Outcome::Win(color, by))) => format!("{} by {by}.", whose(color)),
            (None, Some(Outcome::Draw)) => "The board is full: a draw.".to_owned(),
            (None, None) if record.game().can_swap() => "You may swap: type swap to take the stone over.".to_owned(),
            (None, None) => return Ok(()),
        };
        let more = if record.is_over() { " (save FILE keeps the game; new, undo or quit)" } else { "" };
        say(&format!("{text}{more}"))
    }

    // The commands.

    fn swap(&mut self, _: &str) -> io::Result<()> {
        if !self.engine.record().game().swap_allowed() {
            return say("This game is played without the swap: malecon play --swap has it.");
        }
        self.change(&format!("play {} swap", self.human))
    }

    /// Takes back moves until the person is to move again and has one move less.
    fn undo(&mut self, _: &str) -> io::Result<()> {
        let moves = self.engine.record().moves();
        match moves.iter().rev().position(|&(color, _)| color == self.human) {
            Some(after) => self.change(&format!("undo {}", after + 1)),
            None => say("You have not moved yet."),
        }
    }

    fn hint(&mut self, _: &str) -> io::Result<()> {
        if self.engine.record().is_over() {
            return say("The game is over.");
        }
        let human = self.human;
        let answer = self.interrupter.during(|| self.engine.ask(&format!("reg_genmove {human}")));
        match answer {
            Ok(word) => {
                let chance = 100.0 * self.engine.ask("winrate").ok().and_then(|rate| rate.parse().ok()).unwrap_or(0.5);
                let line = self.engine.ask("pv").unwrap_or_default();
                say(&format!("Malecon would play {word} and expects {line}. You win {chance:.0} % of such games."))
            }
            Err(refusal) => complain(&refusal),
        }
    }

    fn board(&mut self, _: &str) -> io::Result<()> {
        self.changed = false;
        let record = self.engine.record();
        let diagram = Diagram::of(record.game(), self.engine.dialect().notation());
        say(&format!("\n{}\n", diagram.colored(may_color())))
    }

    fn moves(&mut self, _: &str) -> io::Result<()> {
        let moves = self.engine.ask("history").unwrap_or_default();
        say(if moves.is_empty() { "No move was played." } else { &moves })
    }

    fn save(&mut self, file: &str) -> io::Result<()> {
        if Path::new(file).exists() {
            return say(&format!("{file} is there already: take another name."));
        }
        match self.engine.save(file) {
            Ok(()) => say(&format!("Saved to {file}.")),
            Err(refusal) => complain(&refusal),
        }
    }

    /// Takes the game of a file.
    pub fn load(&mut self, file: &str) -> Result<(), CommandError> {
        self.engine.load(file, None)?;
        self.changed = true;
        Ok(())
    }

    fn load_command(&mut self, file: &str) -> io::Result<()> {
        self.load(file).or_else(|refusal| complain(&refusal))
    }

    fn time(&mut self, seconds: &str) -> io::Result<()> {
        let set =
            self.engine.ask("set_option simulations 0").and(self.engine.ask(&format!("set_option seconds {seconds}")));
        match set {
            Ok(_) => say(&format!("Malecon thinks {seconds} s about a move from now on.")),
            Err(refusal) => complain(&refusal),
        }
    }

    fn resign(&mut self, _: &str) -> io::Result<()> {
        self.change(&format!("play {} resign", self.human))
    }

    fn new_game(&mut self, side: &str) -> io::Result<()> {
        if side.is_empty() { self.change("clear_board") } else { self.change(&format!("boardsize {side}")) }
    }

    fn help(&mut self, _: &str) -> io::Result<()> {
        say(RULES)?;
        if self.engine.record().game().swap_allowed() {
            say(SWAP_RULE)?;
        }
        say(&format!(
            "\nYou are {}. Type a vertex, a letter and a number such as {}, to put a stone there, or:",
            described(self.human),
            self.example()
        ))?;
        for command in COMMANDS {
            let form = format!("{} {}", command.name, command.arguments);
            say(&format!("  {form:<14}{}", command.about))?;
        }
        Ok(())
    }

    /// A vertex to show how they are named: the one in the middle.
    fn example(&self) -> String {
        let geometry = self.engine.record().game().geometry();
        let middle = geometry.side() - 1;
        let v = geometry.vertex_at(middle, middle).expect("the middle is on every board");
        self.engine.dialect().notation().name(geometry, v)
    }

    fn quit(&mut self, _: &str) -> io::Result<()> {
        self.has_quit = true;
        Ok(())
    }
}

/// A colour with the letter that it is drawn by.
fn described(color: Color) -> &'static str {
    match color {
        Color::White => "white (O)",
        Color::Black => "black (X)",
    }
}

fn looks_like_a_vertex(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    digits.len() + 1 == word.len() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

fn say(text: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{text}")
}

/// Tells why something was refused, as a sentence.
fn complain(refusal: &CommandError) -> io::Result<()> {
    let text = refusal.to_string();
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    say(&format!("{}{}.", first.map(String::from).unwrap_or_default(), chars.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_is_a_letter_and_a_number() {
        assert!(["a1", "H12", "z99"].into_iter().all(looks_like_a_vertex));
        assert!(
            ["", "a", "1", "ab1", "a1b", "undo", "\u{e9}1", "a-1"].into_iter().all(|word| !looks_like_a_vertex(word))
        );
    }
}
