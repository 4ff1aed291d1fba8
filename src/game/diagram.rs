//! Boards drawn as text.

use std::collections::BTreeSet;
use std::fmt;

use crate::base::text::count;

use super::color::Color;
use super::game::{Game, Outcome};
use super::geometry::{Geometry, Vertex};
use super::notation::Notation;

/// A drawing of a game's board as several lines of text: the hexagon with its coordinates, and below it a line that
/// says how the game stands.
///
/// White's stones are `O` and black's are `X`; in a winning structure they are `@` and `#`. The last stone is in
/// parentheses. Empty vertices can be marked for a colour: `o` for white, `x` for black, `+` for both. Each row has its
/// number at both ends. The line of a letter runs from the letter below the board to the upper left; if it ends at the
/// top of the board, it has its letter there, too. No line is empty or ends with a space, and there is no line feed at
/// the end.
///
/// ```
/// use malecon::game::{Diagram, Game, Geometry, Notation};
/// let board = Geometry::with_side(2)?;
/// let mut game = Game::new(board);
/// game.play(Notation::HavannahGui.parse(board, "b2")?)?;
/// let expected = "
///    b c
///   3 . . 3
///  2 .(O). 2
///   1 . . c
///      a b
/// black (X) to move, 1 stone, last move b2";
/// assert_eq!(format!("\n{}", Diagram::new(&game, Notation::HavannahGui)), expected);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Diagram<'a> {
    game: &'a Game,
    notation: Notation,
    color: bool,
    resigned: Option<Color>,
    winning: BTreeSet<Vertex>,
    /// The vertices marked for each colour.
    marked: [BTreeSet<Vertex>; 2],
}

/// The symbols for the stones of a colour: ordinary stones, and stones of a winning structure.
fn symbols(color: Color) -> (char, char) {
    match color {
        Color::White => ('O', '@'),
        Color::Black => ('X', '#'),
    }
}

/// Terminal escape sequences that work on light and dark backgrounds: white's stones are bold, black's are bold and
/// blue, and a winning structure is in reverse video.
fn style(color: Color, winning: bool) -> &'static str {
    match (color, winning) {
        (Color::White, false) => "\x1b[1m",
        (Color::White, true) => "\x1b[1;7m",
        (Color::Black, false) => "\x1b[1;94m",
        (Color::Black, true) => "\x1b[1;7;94m",
    }
}

const RESET: &str = "\x1b[0m";

impl<'a> Diagram<'a> {
    /// A drawing without colours or marks, with coordinates in this notation.
    pub fn new(game: &'a Game, notation: Notation) -> Diagram<'a> {
        let winning = game.winning_stones().into_iter().flat_map(|(_, stones)| stones).collect();
        Diagram { game, notation, color: false, resigned: None, winning, marked: Default::default() }
    }

    /// Turns the escape sequences that colour the stones on a terminal on or off.
    pub fn colored(mut self, on: bool) -> Diagram<'a> {
        self.color = on;
        self
    }

    /// Marks empty vertices for a colour. On vertices with stones this has no effect.
    pub fn mark(mut self, color: Color, vertices: &[Vertex]) -> Diagram<'a> {
        self.marked[color.index()].extend(vertices);
        self
    }

    /// Says that this colour has resigned, which a [`Game`] does not record.
    pub fn resigned(mut self, color: Option<Color>) -> Diagram<'a> {
        self.resigned = color;
        self
    }

    /// The letters of a row's vertices, spaced like the vertices.
    fn letters(&self, row: &[Vertex]) -> String {
        row.iter().map(|&v| labels(self.game.geometry(), self.notation, v).0).collect::<Vec<_>>().join(" ")
    }

    /// The vertices of a row, each with a space or a parenthesis on either side.
    fn symbols_of(&self, row: &[Vertex]) -> String {
        let [last, _] = self.game.last_stones();
        let mut text = String::new();
        let mut before = ' ';
        for &v in row {
            let is_last = last == Some(v);
            text.push(if is_last { '(' } else { before });
            self.push_vertex(&mut text, v);
            before = if is_last { ')' } else { ' ' };
        }
        text.push(before);
        text
    }

    fn push_vertex(&self, text: &mut String, v: Vertex) {
        let Some(color) = self.game.position().stone(v) else { return self.push_empty(text, v) };
        let winning = self.winning.contains(&v);
        let (plain, marked) = symbols(color);
        let symbol = if winning { marked } else { plain };
        if self.color {
            text.extend([style(color, winning), &symbol.to_string(), RESET]);
        } else {
            text.push(symbol);
        }
    }

    /// Marks are green for white, blue for black, and magenta for both.
    fn push_empty(&self, text: &mut String, v: Vertex) {
        let (symbol, style) = match self.marked.each_ref().map(|marked| marked.contains(&v)) {
            [false, false] => return text.push('.'),
            [true, false] => ("o", "\x1b[92m"),
            [false, true] => ("x", "\x1b[94m"),
            [true, true] => ("+", "\x1b[95m"),
        };
        if self.color { text.extend([style, symbol, RESET]) } else { text.push_str(symbol) }
    }

    /// The label at the left or right end of row `i`.
    fn end_label(&self, rows: &[Vec<Vertex>], i: usize, right: bool) -> String {
        end_label(self.game.geometry(), self.notation, rows, i, right)
    }
}

impl fmt::Display for Diagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = rows(self.game.geometry());
        let last = rows.len() - 1;
        let indents = indents(self.game.geometry(), &rows);
        writeln!(f, "{:indent$}{}", "", self.letters(&rows[0]), indent = indents[0] + 2)?;
        for (i, (row, &indent)) in rows.iter().zip(&indents).enumerate() {
            let number = self.end_label(&rows, i, false);
            let symbols = self.symbols_of(row);
            let right = self.end_label(&rows, i, true);
            writeln!(f, "{:indent$}{number:>2}{symbols}{right}", "")?;
        }
        writeln!(f, "{:indent$}{}", "", self.letters(&rows[last]), indent = indents[last] + 4)?;
        f.write_str(&status(self.game, self.notation, self.resigned))
    }
}

/// The letter and the number in the name of a vertex.
fn labels(geometry: &Geometry, notation: Notation, v: Vertex) -> (String, String) {
    let mut letter = notation.name(geometry, v);
    let number = letter.split_off(1);
    (letter, number)
}

/// The rows of the board from top to bottom. A row has all vertices of one number, ordered by letter.
pub(super) fn rows(geometry: &Geometry) -> Vec<Vec<Vertex>> {
    let last = geometry.numbers() - 1;
    let mut rows = vec![Vec::new(); geometry.numbers()];
    for v in geometry.vertices() {
        rows[last - geometry.coordinates(v).1].push(v);
    }
    rows
}

/// The indentation of each row, in columns. Neighbours in the same row are two columns apart; those in the rows above
/// and below are one column to either side.
fn indents(geometry: &Geometry, rows: &[Vec<Vertex>]) -> Vec<usize> {
    let column = |row: &Vec<Vertex>| {
        let (letter, number) = geometry.coordinates(row[0]);
        2 * letter as i32 - number as i32
    };
    let first = rows.iter().map(column).min().expect("a board has rows");
    rows.iter().map(|row| (column(row) - first) as usize).collect()
}

/// The label at an end of row `i`: the row's number. At the right end, where the board becomes narrower towards the
/// bottom, it is the letter of the line that ends one row higher.
fn end_label(geometry: &Geometry, notation: Notation, rows: &[Vec<Vertex>], i: usize, right: bool) -> String {
    if !right {
        return labels(geometry, notation, rows[i][0]).1;
    }
    let last = |row: &Vec<Vertex>| row[row.len() - 1];
    let letter = |v| geometry.coordinates(v).0;
    let end = last(&rows[i]);
    match i.checked_sub(1).map(|above| last(&rows[above])) {
        Some(above) if letter(above) > letter(end) => labels(geometry, notation, above).0,
        _ => labels(geometry, notation, end).1,
    }
}

/// A coordinate at the edge of the board.
pub(super) struct Edge {
    /// The last vertex of the line that it names.
    pub beside: Vertex,
    /// The direction from that vertex to the coordinate, as a step to a neighbour off the board; y points downwards.
    pub step: (f64, f64),
    /// A letter or a number.
    pub text: String,
}

impl Edge {
    /// The coordinates of a board, at the same places as in a [`Diagram`].
    pub fn all(geometry: &Geometry, notation: Notation) -> Vec<Edge> {
        let slope = 3f64.sqrt() / 2.0;
        let rows = rows(geometry);
        let mut all = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            let left = end_label(geometry, notation, &rows, i, false);
            let right = end_label(geometry, notation, &rows, i, true);
            all.push(Edge { beside: row[0], step: (-1.0, 0.0), text: left });
            all.push(Edge { beside: row[row.len() - 1], step: (1.0, 0.0), text: right });
        }
        let letters = |row: &[Vertex], step| {
            let letter = |&v: &Vertex| Edge { beside: v, step, text: labels(geometry, notation, v).0 };
            row.iter().map(letter).collect::<Vec<_>>()
        };
        all.extend(letters(&rows[0], (-0.5, -slope)));
        all.extend(letters(&rows[rows.len() - 1], (0.5, slope)));
        all
    }
}

/// How a game stands, in one line.
pub(super) fn status(game: &Game, notation: Notation, resigned: Option<Color>) -> String {
    let state = match (game.outcome(), resigned) {
        (None, Some(loser)) => format!("{} ({}) won: {loser} resigned", !loser, symbols(!loser).0),
        (None, None) => {
            let color = game.to_move();
            format!("{color} ({}) to move", symbols(color).0)
        }
        (Some(Outcome::Draw), _) => "draw, the board is full".into(),
        (Some(Outcome::Win(color, by)), _) => {
            format!("{color} ({}) won by {by} ({})", symbols(color).0, symbols(color).1)
        }
    };
    let stones = count(game.stone_count(), "stone");
    match game.played().last() {
        None => format!("{state}, {stones}"),
        Some((_, m)) => format!("{state}, {stones}, last move {}", m.show(game.geometry(), notation)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{MAX_SIDE, MIN_SIDE, game};

    #[test]
    fn boards_that_are_not_regular_are_drawn() {
        let expected = "
     d e f g
    6 . . . . 6
   5 . . . . . 5
  4 . . . . . . 4
 3 . . . . . . g
  2 . . . . . f
   1 . . . . e
      a b c d
white (O) to move, 0 stones";
        let game = Game::new(Geometry::with_shape("3-4-4".parse().unwrap()));
        assert_eq!(format!("\n{}", Diagram::new(&game, Notation::HavannahGui)), expected);
    }

    #[test]
    fn every_line_of_the_board_is_labelled_at_its_ends() {
        let expected = "
     d e f g
    7 . . . . 7
   6 . . . . . 6
  5 . . . . . . 5
 4 . . . . . . . 4
  3 . . . . . . g
   2 . . . . . f
    1 . . . . e
       a b c d
white (O) to move, 0 stones";
        assert_eq!(format!("\n{}", Diagram::new(&game(4, ""), Notation::HavannahGui)), expected);
    }

    #[test]
    fn the_winning_structure_and_the_last_stone_are_marked() {
        let drawn = Diagram::new(&game(3, "a1 c3 a2 d4 a3"), Notation::HavannahGui).to_string();
        assert_eq!(drawn.matches('@').count(), 3 + 1, "{drawn}");
        assert!(
            drawn.contains("(@)") && drawn.ends_with("white (O) won by bridge (@), 5 stones, last move a3"),
            "{drawn}"
        );
        let colored = Diagram::new(&game(3, "a1 c3 a2 d4 a3"), Notation::HavannahGui).colored(true).to_string();
        assert!(colored.contains("\x1b[1;7m@\x1b[0m") && !drawn.contains('\x1b'));
    }

    #[test]
    fn empty_vertices_are_marked_for_one_colour_or_both() {
        let game = game(2, "b2");
        let [a1, a2, b1, b2] =
            ["a1", "a2", "b1", "b2"].map(|name| Notation::HavannahGui.parse(game.geometry(), name).unwrap());
        let drawing = || {
            Diagram::new(&game, Notation::HavannahGui).mark(Color::White, &[a1, a2, b2]).mark(Color::Black, &[a1, b1])
        };
        let expected = "
   b c
  3 . . 3
 2 o(O). 2
  1 + x c
     a b
black (X) to move, 1 stone, last move b2";
        assert_eq!(format!("\n{}", drawing()), expected);
        let colored = drawing().colored(true).to_string();
        assert!(colored.contains("\x1b[95m+\x1b[0m \x1b[94mx\x1b[0m"), "{colored:?}");
    }

    #[test]
    fn on_every_side_length_no_line_is_empty_or_ends_with_a_space() {
        for side in MIN_SIDE..=MAX_SIDE {
            for notation in [Notation::HavannahGui, Notation::LittleGolem, Notation::GoGui] {
                let game = game(side, "");
                let drawn = Diagram::new(&game, notation).to_string();
                assert_eq!(drawn.matches('.').count(), game.geometry().vertex_count());
                assert!(drawn.lines().all(|l| !l.is_empty() && l == l.trim_end()), "{drawn}");
                assert_eq!(drawn.lines().count(), game.geometry().diameter() + 3);
            }
        }
    }
}
