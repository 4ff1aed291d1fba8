//! Boards drawn as vector graphics (SVG).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::color::Color;
use super::diagram::{Edge, status};
use super::game::Game;
use super::geometry::{Geometry, Vertex};
use super::notation::Notation;

/// Something drawn on top of a vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mark {
    /// A circle.
    Circle,
    /// A square.
    Square,
    /// A triangle.
    Triangle,
    /// A cross.
    Cross,
    /// A short text.
    Label(String),
    /// A stone that was not played, such as a move of a better line, with a short text on it.
    Stone(Color, String),
}

impl Mark {
    /// The word for the mark in the JSON protocol: the name of its shape, or its text.
    pub fn name(&self) -> &str {
        match self {
            Mark::Circle => "circle",
            Mark::Square => "square",
            Mark::Triangle => "triangle",
            Mark::Cross => "cross",
            Mark::Label(text) | Mark::Stone(_, text) => text,
        }
    }
}

/// A drawing of a game's board as an SVG document: the hexagon with its coordinates, the stones, the last stone and a
/// winning structure marked, and further marks.
///
/// It needs no style sheet, script or font, has no `id`s, and fits light and dark pages, so one HTML page can hold
/// several. White and black stones differ in brightness and all marks differ in shape, so nothing depends on hues. Its
/// title, which screen readers read out, says how the game stands.
///
/// ```
/// use malecon::game::{Game, Geometry, Mark, Notation, Picture};
/// let board = Geometry::with_side(4)?;
/// let mut game = Game::new(board);
/// let d4 = Notation::HavannahGui.parse(board, "d4")?;
/// game.play(d4)?;
/// let svg = Picture::new(&game, Notation::HavannahGui).mark(d4, Mark::Circle).to_string();
/// assert!(svg.starts_with("<svg ") && svg.contains("black (X) to move, 1 stone, last move d4"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Picture<'a> {
    pub(super) game: &'a Game,
    pub(super) notation: Notation,
    pub(super) marks: BTreeMap<Vertex, Vec<Mark>>,
    winning: BTreeSet<Vertex>,
}

/// The distance between neighbouring vertices.
const STEP: f64 = 40.0;
/// The distance between the centre of a cell and its corners.
const CELL: f64 = 23.094;
/// The radius of a stone.
const STONE: f64 = 16.0;
/// How far the frame reaches beyond the outermost vertices, in steps.
const FRAME: f64 = 1.75;

const WOOD: &str = "#d8b26e";
const EMPTY: &str = "#f6e8c8";
const SIDE: &str = "#ecd6a4";
const CORNER: &str = "#dcbc7c";
const LINES: &str = "#8a6a3a";
const TEXT: &str = "#3a2a10";
/// Orange, which differs from the board and from both stones in every common kind of colour blindness.
const WINNING: &str = "#d55e00";
/// Blue, for marks on empty vertices.
const MARK: &str = "#0057a8";
const LIGHT: &str = "#ffffff";
const DARK: &str = "#1a1a1a";

/// The fill of a stone, and a colour that stands out on it.
fn stone_colors(color: Color) -> (&'static str, &'static str) {
    match color {
        Color::White => (LIGHT, DARK),
        Color::Black => (DARK, LIGHT),
    }
}

impl<'a> Picture<'a> {
    /// A picture without marks, with coordinates in this notation.
    pub fn new(game: &'a Game, notation: Notation) -> Picture<'a> {
        let winning = game.winning_stones().into_iter().flat_map(|(_, stones)| stones).collect();
        Picture { game, notation, marks: BTreeMap::new(), winning }
    }

    /// Adds a mark on a vertex. A vertex may have several.
    pub fn mark(mut self, v: Vertex, mark: Mark) -> Picture<'a> {
        self.marks.entry(v).or_default().push(mark);
        self
    }

    /// Writes numbers on stones, such as move numbers.
    pub fn numbered(self, numbers: impl IntoIterator<Item = (Vertex, usize)>) -> Picture<'a> {
        numbers.into_iter().fold(self, |picture, (v, number)| picture.mark(v, Mark::Label(number.to_string())))
    }

    /// Draws a line of moves that were not played, as numbered stones. `first` moves first.
    pub fn line(self, first: Color, line: &[Vertex]) -> Picture<'a> {
        let colors = [first, !first].into_iter().cycle();
        let stones = line.iter().zip(colors).zip(1..);
        stones.fold(self, |picture, ((&v, color), number)| picture.mark(v, Mark::Stone(color, number.to_string())))
    }

    pub(super) fn geometry(&self) -> &'static Geometry {
        self.game.geometry()
    }

    /// Where pictures of this board draw the centre of a vertex.
    ///
    /// # Panics
    /// If `v` is not a vertex of this board.
    pub fn place(geometry: &Geometry, v: Vertex) -> (f64, f64) {
        let (x, y) = geometry.center(v);
        (STEP * x, STEP * y)
    }

    /// Half the width and half the height of the picture.
    fn half_size(&self) -> (f64, f64) {
        let corners = self.frame_corners(FRAME * STEP);
        corners.into_iter().fold((0.0, 0.0), |(x, y): (f64, f64), corner| (x.max(corner.0), y.max(corner.1)))
    }

    /// The corners of a frame around the board, at this distance from the corners of the board.
    fn frame_corners(&self, distance: f64) -> [(f64, f64); 6] {
        let slope = 3f64.sqrt() / 2.0;
        // Away from the centre, for the corners in the order of `Geometry::rim`.
        let outward = [(-0.5, slope), (-1.0, 0.0), (-0.5, -slope), (0.5, -slope), (1.0, 0.0), (0.5, slope)];
        std::array::from_fn(|i| {
            let (x, y) = Picture::place(self.geometry(), self.geometry().corner(i));
            (x + distance * outward[i].0, y + distance * outward[i].1)
        })
    }

    fn frame(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<path d=\"")?;
        for (i, (x, y)) in self.frame_corners(FRAME * STEP - 2.0).into_iter().enumerate() {
            write!(f, "{}{x:.1} {y:.1}", if i == 0 { "M" } else { "L" })?;
        }
        writeln!(f, "Z\" fill=\"{WOOD}\" stroke=\"{LINES}\" stroke-width=\"3\" stroke-linejoin=\"round\"/>")
    }

    /// All cells of the same fill as one path.
    fn cells(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let geometry = self.geometry();
        let fill = |v: Vertex| match v {
            v if geometry.is_corner(v) => CORNER,
            v if geometry.is_side(v) => SIDE,
            _ => EMPTY,
        };
        for color in [EMPTY, SIDE, CORNER] {
            let mut cells = geometry.vertices().filter(|&v| fill(v) == color).peekable();
            if cells.peek().is_none() {
                continue;
            }
            write!(f, "<path fill=\"{color}\" stroke=\"{LINES}\" stroke-width=\"1.5\" d=\"")?;
            cells.try_for_each(|v| self.cell(f, v))?;
            writeln!(f, "\"/>")?;
        }
        Ok(())
    }

    /// The outline of a cell, as a part of a path.
    fn cell(&self, f: &mut fmt::Formatter<'_>, v: Vertex) -> fmt::Result {
        let (x, y) = Self::place(self.geometry(), v);
        let half = STEP / 2.0;
        let slope = CELL / 2.0;
        write!(
            f,
            "M{x:.1} {:.1}l{half:.0} {slope:.1}v{CELL:.1}l-{half:.0} {slope:.1}-{half:.0}-{slope:.1}v-{CELL:.1}z",
            y - CELL
        )
    }

    fn coordinates(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "<g fill=\"{TEXT}\" font-family=\"sans-serif\" font-size=\"15\" text-anchor=\"middle\">")?;
        for Edge { beside, step, text } in Edge::all(self.geometry(), self.notation) {
            let (x, y) = Self::place(self.geometry(), beside);
            let (dx, dy) = (STEP * step.0, STEP * step.1);
            writeln!(f, "<text x=\"{:.1}\" y=\"{:.1}\">{text}</text>", x + dx * 0.94, y + dy * 0.94 + 5.0)?;
        }
        writeln!(f, "</g>")
    }

    fn stones(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (color, v) in self.game.position().stones() {
            let (x, y) = Self::place(self.geometry(), v);
            let (fill, _) = stone_colors(color);
            let is_winning = self.winning.contains(&v);
            let (stroke, width, radius) = if is_winning { (WINNING, 6.0, STONE - 1.0) } else { (DARK, 1.5, STONE) };
            writeln!(
                f,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{stroke}\" \
                 stroke-width=\"{width}\"/>"
            )?;
        }
        Ok(())
    }

    /// The marks, and a dot on the last stone, or a circle if it has a label.
    fn marks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (&v, marks) in &self.marks {
            marks.iter().try_for_each(|mark| self.draw(f, v, mark))?;
        }
        let [Some(last), _] = self.game.last_stones() else { return Ok(()) };
        let (x, y) = Self::place(self.geometry(), last);
        let ink = self.ink(last);
        // A label leaves no room for the dot.
        let has_label = self.marks.get(&last).is_some_and(|marks| marks.iter().any(|m| matches!(m, Mark::Label(_))));
        let (radius, style) = if has_label {
            ("12.5", format!("fill=\"none\" stroke=\"{ink}\" stroke-width=\"1.5\""))
        } else {
            ("5", format!("fill=\"{ink}\""))
        };
        writeln!(f, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" {style}/>")
    }

    /// A colour that stands out on a vertex.
    fn ink(&self, v: Vertex) -> &'static str {
        self.game.position().stone(v).map_or(MARK, |color| stone_colors(color).1)
    }

    fn draw(&self, f: &mut fmt::Formatter<'_>, v: Vertex, mark: &Mark) -> fmt::Result {
        let (x, y) = Self::place(self.geometry(), v);
        let ink = self.ink(v);
        let style = format!("fill=\"none\" stroke=\"{ink}\" stroke-width=\"3\"");
        match mark {
            Mark::Circle => writeln!(f, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"9\" {style}/>"),
            Mark::Square => {
                writeln!(f, "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"16\" height=\"16\" {style}/>", x - 8.0, y - 8.0)
            }
            Mark::Triangle => writeln!(f, "<path d=\"M{x:.1} {:.1}l9 16h-18z\" {style}/>", y - 11.0),
            Mark::Cross => {
                writeln!(f, "<path d=\"M{:.1} {:.1}l14 14m0-14l-14 14\" {style}/>", x - 7.0, y - 7.0)
            }
            Mark::Label(text) => label(f, x, y, ink, text),
            Mark::Stone(color, text) => {
                let (fill, ink) = stone_colors(*color);
                writeln!(
                    f,
                    "<g class=\"next\"><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"14\" fill=\"{fill}\" fill-opacity=\"0.8\" \
                     stroke=\"{MARK}\" stroke-width=\"2.5\" stroke-dasharray=\"5 3\"/>"
                )?;
                label(f, x, y, ink, text)?;
                writeln!(f, "</g>")
            }
        }
    }
}

/// A short text in the middle of a cell.
fn label(f: &mut fmt::Formatter<'_>, x: f64, y: f64, ink: &str, text: &str) -> fmt::Result {
    let size = match text.chars().count() {
        0..=2 => 16.0,
        3 => 13.0,
        n => 39.0 / n as f64,
    };
    writeln!(
        f,
        "<text x=\"{x:.1}\" y=\"{:.1}\" fill=\"{ink}\" font-family=\"sans-serif\" font-weight=\"bold\" \
         font-size=\"{size:.1}\" text-anchor=\"middle\">{}</text>",
        y + 0.35 * size,
        escaped(text)
    )
}

/// A text as the content of an XML element, without the characters that no XML may have.
fn escaped(text: &str) -> String {
    let printable = text.chars().filter(|c| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}'));
    printable.fold(String::new(), |mut escaped, c| {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            _ => escaped.push(c),
        }
        escaped
    })
}

impl fmt::Display for Picture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y) = self.half_size();
        let board = self.geometry().shape().title();
        let title = status(self.game, self.notation, None);
        writeln!(
            f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-{x:.1} -{y:.1} {:.1} {:.1}\" width=\"{:.0}\" \
             height=\"{:.0}\" role=\"img\">",
            2.0 * x,
            2.0 * y,
            2.0 * x,
            2.0 * y
        )?;
        writeln!(f, "<title>Havannah, {board}: {}</title>", escaped(&title))?;
        self.frame(f)?;
        self.cells(f)?;
        self.coordinates(f)?;
        writeln!(f, "<g class=\"stones\">")?;
        self.stones(f)?;
        writeln!(f, "</g>\n<g class=\"marks\">")?;
        self.marks(f)?;
        writeln!(f, "</g>")?;
        write!(f, "</svg>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{MAX_SIDE, MIN_SIDE, game};

    fn count(svg: &str, part: &str) -> usize {
        svg.matches(part).count()
    }

    #[test]
    fn every_vertex_has_a_cell_and_every_line_its_coordinates_inside_the_picture() {
        for side in MIN_SIDE..=MAX_SIDE {
            for notation in [Notation::HavannahGui, Notation::LittleGolem, Notation::GoGui] {
                let game = game(side, "");
                let picture = Picture::new(&game, notation);
                let svg = picture.to_string();
                assert_eq!(count(&svg, "l20 "), game.geometry().vertex_count());
                assert_eq!(count(&svg, "<text "), 6 * side - 2, "side {side}");
                let (x, y) = picture.half_size();
                for v in game.geometry().vertices() {
                    let (vx, vy) = Picture::place(game.geometry(), v);
                    assert!(vx.abs() + STEP < x && vy.abs() + STEP < y);
                }
            }
        }
    }

    #[test]
    fn stones_the_last_one_and_a_winning_structure_are_drawn() {
        let game = game(3, "a1 c3 a2 d4 a3");
        let svg = Picture::new(&game, Notation::HavannahGui).to_string();
        assert_eq!((count(&svg, "r=\"15\" fill=\"#ffffff\""), count(&svg, "r=\"16\" fill=\"#1a1a1a\"")), (3, 2));
        assert_eq!((count(&svg, WINNING), count(&svg, "r=\"5\"")), (3, 1));
        assert!(svg.contains("<title>Havannah, side 3: white (O) won by bridge"), "{svg}");
    }

    #[test]
    fn marks_lines_and_numbers_are_drawn() {
        let game = game(4, "d4 e5");
        let v = |name| Notation::HavannahGui.parse(game.geometry(), name).unwrap();
        let svg = Picture::new(&game, Notation::HavannahGui)
            .numbered([(v("d4"), 1), (v("e5"), 2)])
            .line(Color::White, &[v("a1"), v("b2")])
            .mark(v("c3"), Mark::Label("<&>".into()))
            .mark(v("d5"), Mark::Cross)
            .to_string();
        for part in [">1</text>", ">2</text>", "&lt;&amp;&gt;", "stroke-dasharray", "l14 14m0-14l-14 14", "r=\"12.5\""]
        {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert_eq!((count(&svg, ">1</text>"), count(&svg, "stroke-dasharray")), (3, 2));
    }

    /// Every element is closed, and nothing that is not an element looks like one.
    #[test]
    fn the_document_is_well_formed() {
        let game = game(5, "e5 f6");
        let svg = Picture::new(&game, Notation::HavannahGui).numbered(game.last_stone().map(|v| (v, 2))).to_string();
        let mut open = Vec::new();
        for tag in svg.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name)),
                None if tag.ends_with('/') => {}
                None => open.push(tag.split(' ').next().unwrap()),
            }
            assert_eq!(count(tag, "\"") % 2, 0, "{tag}");
        }
        assert!(open.is_empty());
    }
}
