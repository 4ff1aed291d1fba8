//! Positions as one line of text.
//!
//! ```text
//! position = rows " " turn [" swap"]
//! rows     = row *("/" row)          the rows of the board as a diagram shows them, from top to bottom
//! row      = 1*(count / "w" / "b")   its vertices from left to right: empty ones, a white stone, a black stone
//! count    = 1*2DIGIT                how many empty vertices follow each other; never 0, without leading zeros
//! turn     = "w" / "b"               the player to move
//! ```
//!
//! `swap` stands for the pie rule, as long as the second player may still use it. The lengths of the rows say which
//! board it is. A position has only one string, because two counts cannot stand next to each other.

use std::fmt::Display;

use crate::base::error::message_error;
use crate::base::text::shortened;

use super::color::Color;
use super::diagram::rows;
use super::game::Game;
use super::geometry::{Geometry, MAX_SIDE, Vertex};
use super::position::Position;
use super::shape::Shape;

/// The word for the pie rule.
const SWAP: &str = "swap";

/// The most digits of a count.
const MOST_DIGITS: usize = 2;

/// How much of a wrong word a message shows, in characters.
const MOST_QUOTED: usize = 20;

/// The most vertices of a row.
const MOST_IN_ROW: usize = 2 * MAX_SIDE - 1;

impl Game {
    /// The position as one line: the rows from top to bottom, who is to move, and `swap` if the second player may, or
    /// will be allowed to, swap. [`Game::from_position`] reads it.
    ///
    /// Two games have the same string if and only if they are on the same board, with the same stones, player to move
    /// and choice to swap. The string does not say in which order the stones were placed.
    ///
    /// ```
    /// use malecon::game::{Game, Geometry, Notation};
    /// let board = Geometry::with_side(4)?;
    /// let mut game = Game::new(board);
    /// game.allow_swap(true);
    /// assert_eq!(game.position_string(), "4/5/6/7/6/5/4 w swap");
    /// for name in ["d4", "e4"] {
    ///     game.play(Notation::HavannahGui.parse(board, name)?)?;
    /// }
    /// assert_eq!(game.position_string(), "4/5/6/3wb2/6/5/4 w");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn position_string(&self) -> String {
        let rows = rows(self.geometry()).into_iter().map(|row| self.row(&row)).collect::<Vec<_>>().join("/");
        format!("{rows} {}{}", self.to_move().letter(), if self.may_still_swap() { " swap" } else { "" })
    }

    /// Whether the pie rule is on and the second player may swap now, or may do so after the first move.
    pub(super) fn may_still_swap(&self) -> bool {
        self.can_swap() || (self.swap_allowed() && self.history().is_empty())
    }

    fn row(&self, row: &[Vertex]) -> String {
        let stones: Vec<Option<Color>> = row.iter().map(|&v| self.position().stone(v)).collect();
        let runs = stones.chunk_by(|a, b| a.is_none() && b.is_none());
        runs.map(|run| run[0].map_or_else(|| run.len().to_string(), |color| color.letter().to_string())).collect()
    }

    /// The game that begins in a position, as [`Game::position_string`] writes it. Its stones are set up: the history
    /// has them, in no meaningful order.
    ///
    /// # Errors
    /// If the text is not a position string, if the board has sides of different lengths, or if play cannot lead to the
    /// position: both players have a structure, or no single stone completes what a player has.
    pub fn from_position(text: &str) -> Result<Game, ParsePositionError> {
        let game = Game::from_position_of_any_shape(text)?;
        let shape = game.geometry().shape();
        match shape.regular_side() {
            Some(_) => Ok(game),
            None => error(format!("it is on the {} (expected a board with six equal sides)", shape.title())),
        }
    }

    /// Like [`Game::from_position`], but the sides of the board may have different lengths.
    ///
    /// # Errors
    /// If the text is not a position string, or play cannot lead to the position.
    pub fn from_position_of_any_shape(text: &str) -> Result<Game, ParsePositionError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let (rows, turn, may_swap) = match fields[..] {
            [rows, turn] => (rows, turn, false),
            [rows, turn, SWAP] => (rows, turn, true),
            [_, _, word, ..] => return error(format!("'{}' after the player to move", shortened(word, MOST_QUOTED))),
            _ => return error("expected rows and the player to move, such as '4/5/6/7/6/5/4 w'"),
        };
        let turn = match turn {
            "w" => Color::White,
            "b" => Color::Black,
            other => return error(format!("'{}' is to move (expected w or b)", shortened(other, MOST_QUOTED))),
        };
        let (geometry, stones) = read_rows(rows)?;
        if may_swap && stones.len() > 1 {
            return error(format!("swap with {} stones (expected at most 1)", stones.len()));
        }
        if may_swap && stones.first().is_some_and(|&(owner, _)| owner == turn) {
            return error(format!("swap, but {turn} is to move and owns the stone (only the opponent may swap)"));
        }
        let mut game = Game::new(geometry);
        for (color, v) in in_order(geometry, stones)? {
            game.place(color, v).expect("only the last stone ends the game");
        }
        if game.stone_count() > 0 || turn != Color::White {
            game.begin_with(turn);
        }
        game.allow_swap(may_swap);
        Ok(game)
    }
}

message_error! {
    /// The text is not a position that play can lead to.
    pub struct ParsePositionError;
}

fn error<T>(reason: impl Display) -> Result<T, ParsePositionError> {
    Err(format!("invalid position: {reason}").into())
}

type Stones = Vec<(Color, Vertex)>;

/// The board and the stones that these rows describe.
fn read_rows(text: &str) -> Result<(&'static Geometry, Stones), ParsePositionError> {
    let contents = (1..).zip(text.split('/')).map(|(number, row)| read_row(number, row));
    let contents: Vec<Vec<Option<Color>>> = contents.collect::<Result<_, _>>()?;
    let lengths: Vec<usize> = contents.iter().map(Vec::len).collect();
    let Some((geometry, rows)) = board_with_rows(&lengths) else {
        let lengths: Vec<String> = lengths.iter().take(2 * MAX_SIDE).map(usize::to_string).collect();
        return error(format!(
            "no board has rows of {} vertices (expected such rows as 4, 5, 6, 7, 6, 5, 4 of side 4)",
            lengths.join(", ")
        ));
    };
    let vertices = rows.into_iter().flatten().zip(contents.into_iter().flatten());
    Ok((geometry, vertices.filter_map(|(v, color)| Some((color?, v))).collect()))
}

/// The vertices of a row.
fn read_row(number: usize, text: &str) -> Result<Vec<Option<Color>>, ParsePositionError> {
    let mut row = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        match (first, digits) {
            ('w', _) => row.push(Some(Color::White)),
            ('b', _) => row.push(Some(Color::Black)),
            ('1'..='9', 1..=MOST_DIGITS) => {
                row.extend(vec![None; rest[..digits].parse().expect("two digits are a number")]);
            }
            ('0'..='9', _) => {
                return error(format!(
                    "row {number}: '{}' is not a count of empty vertices",
                    shortened(&rest[..digits], MOST_QUOTED)
                ));
            }
            _ => return error(format!("row {number}: unexpected '{first}' (expected a count, w or b)")),
        }
        rest = &rest[digits.max(1)..];
        if row.len() > MOST_IN_ROW {
            return error(format!("row {number} has more than {MOST_IN_ROW} vertices"));
        }
    }
    Ok(row)
}

/// The board whose rows have these lengths, from top to bottom, and its rows.
fn board_with_rows(lengths: &[usize]) -> Option<(&'static Geometry, Vec<Vec<Vertex>>)> {
    // A board a-b-c has a + c - 1 rows. The outer ones have b vertices, the longest ones a + b - 1.
    let (outer, longest) = (*lengths.first()?, *lengths.iter().max()?);
    let first = longest - outer + 1;
    let last = (lengths.len() + 1).checked_sub(first)?;
    let geometry = Geometry::with_shape(Shape::new([first, outer, last]).ok()?);
    let rows = rows(geometry);
    rows.iter().map(Vec::len).eq(lengths.iter().copied()).then_some((geometry, rows))
}

/// Stones in an order in which they can be placed: a stone that completes structures comes last.
fn in_order(geometry: &'static Geometry, mut stones: Stones) -> Result<Stones, ParsePositionError> {
    // The stones of a colour lie together, as SGF wants them, and those of the winner come last.
    let winners: Vec<Color> =
        Color::ALL.into_iter().filter(|&color| completes(geometry, &stones, color, None)).collect();
    stones.sort_unstable_by_key(|&(color, v)| (winners.contains(&color), color.index(), v));
    let winner = match winners[..] {
        [] => return Ok(stones),
        [winner] => winner,
        _ => return error("both players have a structure"),
    };
    let of_winner = stones.iter().enumerate().filter(|(_, (color, _))| *color == winner);
    let last = of_winner.map(|(i, _)| i).find(|&i| !completes(geometry, &stones, winner, Some(i)));
    let Some(last) = last else {
        return error(format!("{winner} has structures that no single stone completes"));
    };
    let last = stones.remove(last);
    stones.push(last);
    Ok(stones)
}

/// Puts a stone that completes a structure behind the others, if stones that are set up in this position could be placed
/// then. Otherwise their order stays as it is.
pub(crate) fn completing_last(position: &Position, stones: &mut Stones) {
    // There is no such order of more stones than vertices.
    if !(2..=position.geometry().vertex_count()).contains(&stones.len()) {
        return;
    }
    let first_win = |stones: &[(Color, Vertex)], without: Option<usize>| {
        let mut position = position.clone();
        stones.iter().enumerate().find_map(|(i, &(color, v))| {
            let is_placed = Some(i) != without && position.is_empty(v);
            (is_placed && !position.place(color, v).is_empty()).then_some(i)
        })
    };
    let Some(won) = first_win(stones, None).filter(|&won| won + 1 < stones.len()) else { return };
    let winner = stones[won].0;
    let completing = |&i: &usize| stones[i].0 == winner && first_win(stones, Some(i)).is_none();
    if let Some(last) = (0..=won).rev().find(completing) {
        let last = stones.remove(last);
        // The stones of a colour stay together, as in a record that sets them up.
        let (winners, losers): (Stones, Stones) = stones.drain(..).partition(|&(color, _)| color == winner);
        stones.extend(losers.into_iter().chain(winners).chain([last]));
    }
}

/// Whether the stones of a colour, without the one of this index, make a structure.
fn completes(geometry: &'static Geometry, stones: &[(Color, Vertex)], color: Color, without: Option<usize>) -> bool {
    let mut position = Position::new(geometry);
    let mut placed = stones.iter().enumerate().filter(|&(i, &(owner, _))| owner == color && Some(i) != without);
    placed.any(|(_, &(_, v))| !position.place(color, v).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Outcome, Structures, game};

    #[test]
    fn a_string_is_read_as_the_position_that_it_was_written_for() {
        for (side, moves, expected) in [
            (2, "", "2/3/2 w"),
            (4, "d4 a1 g7", "3w/5/6/3w3/6/5/b3 b"),
            (3, "a1 c3 a2 d4", "3/2b1/2b2/w3/w2 w"),
            (3, "a1 c3 a2 d4 a3", "3/2b1/w1b2/w3/w2 b"),
        ] {
            let game = game(side, moves);
            assert_eq!(game.position_string(), expected);
            let read = Game::from_position(expected).unwrap();
            assert_eq!((read.position_string(), read.outcome()), (expected.to_owned(), game.outcome()));
            assert_eq!(read.geometry(), game.geometry());
        }
    }

    #[test]
    fn the_pie_rule_is_in_the_string_while_it_can_be_used() {
        let mut played = game(4, "d4");
        played.allow_swap(true);
        let text = played.position_string();
        assert_eq!(text, "4/5/6/3w3/6/5/4 b swap");
        let mut read = Game::from_position(&text).unwrap();
        read.swap().unwrap();
        played.swap().unwrap();
        assert_eq!(read.position_string(), "4/5/6/3b3/6/5/4 w");
        assert_eq!(played.position_string(), "4/5/6/3b3/6/5/4 w");
        assert!(!Game::from_position("4/5/6/3b3/6/5/4 w").unwrap().can_swap());
        assert!(Game::from_position("4/5/6/7/6/5/4 w swap").unwrap().swap_allowed());
    }

    #[test]
    fn stones_that_are_set_up_have_no_order_and_begin_with_either_player() {
        let mut game = Game::from_position("4/5/6/3wb2/6/5/4 b").unwrap();
        assert_eq!((game.to_move(), game.last_stones(), game.stone_count()), (Color::Black, [None; 2], 2));
        let v = game.position().empty_vertices().next().unwrap();
        game.play(v).unwrap();
        assert_eq!((game.to_move(), game.last_stones()), (Color::White, [Some(v), None]));
        game.undo(1).unwrap();
        assert_eq!((game.to_move(), game.position_string().as_str()), (Color::Black, "4/5/6/3wb2/6/5/4 b"));
    }

    #[test]
    fn the_stone_that_wins_comes_last_wherever_it_is() {
        // A bridge along the left side, and a ring around the middle of side 4.
        let bridge = Game::from_position("4/5/6/b6/b5/b4/b3 w").unwrap();
        assert_eq!(bridge.outcome(), Some(Outcome::Win(Color::Black, Structures::BRIDGE)));
        let ring = Game::from_position("4/5/2ww2/2w1w2/2ww2/5/4 b").unwrap();
        assert_eq!(ring.outcome(), Some(Outcome::Win(Color::White, Structures::RING)));
        assert_eq!(ring.winning_stones()[0].1.len(), 6);
    }

    #[test]
    fn boards_between_the_regular_ones_have_strings() {
        let mut lengths = 0;
        for sides in (2..=5).flat_map(|a| (a..=5).flat_map(move |b| (b..=5).map(move |c| [a, b, c]))) {
            let geometry = Geometry::with_shape(Shape::new(sides).unwrap());
            let text = Game::new(geometry).position_string();
            assert_eq!(Game::from_position_of_any_shape(&text).unwrap().geometry(), geometry, "{text}");
            lengths += 1;
        }
        assert_eq!(lengths, 20);
        assert_eq!(
            Game::new(Geometry::with_shape(Shape::new([4, 4, 5]).unwrap())).position_string(),
            "4/5/6/7/7/6/5/4 w"
        );
    }

    #[test]
    fn other_texts_are_refused_in_one_line() {
        for (text, reason) in [
            ("", "expected rows and the player to move"),
            ("4/5/6/7/6/5/4", "expected rows and the player to move"),
            ("4/5/6/7/6/5/4 white", "'white' is to move (expected w or b)"),
            ("4/5/6/7/6/5/4 w swap swap", "'swap' after the player to move"),
            ("4/5/6/7/6/5/4 w -", "'-' after the player to move"),
            ("4/5/6/2wb3/6/5/4 w swap", "swap with 2 stones (expected at most 1)"),
            ("4/5/6/3w3/6/5/4 w swap", "swap, but white is to move and owns the stone (only the opponent may swap)"),
            ("4/5/6/7/6/5/3W w", "row 7: unexpected 'W' (expected a count, w or b)"),
            ("4/5/06/7/6/5/4 w", "row 3: '06' is not a count"),
            ("4/5/6/0w6/6/5/4 w", "row 4: '0' is not a count"),
            ("4/5/6/111/6/5/4 w", "row 4: '111' is not a count"),
            ("4/5/99/7/6/5/4 w", "row 3 has more than 25 vertices"),
            ("4/5/6/7/7/6/5/4 w", "it is on the board 4-4-5 (expected a board with six equal sides)"),
            ("4/5/6/7/7/5/4 w", "no board has rows of 4, 5, 6, 7, 7, 5, 4 vertices"),
            ("5/6/7/7/6/5 w", "no board has rows of 5, 6, 7, 7, 6, 5 vertices"),
            ("4//4 w", "no board has rows of 4, 0, 4 vertices"),
            ("w1b/w2b/w3b/w2b/w1b w", "both players have a structure"),
            ("3w/4w/5w/w5w/w5/w4/w3 b", "white has structures that no single stone completes"),
        ] {
            let message = Game::from_position(text).unwrap_err().to_string();
            assert!(message.starts_with(&format!("invalid position: {reason}")), "{text}: {message}");
            assert!(message.len() < 200 && !message.contains('\n'), "{message}");
        }
    }
}
