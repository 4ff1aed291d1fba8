//! Pictures in GoGui's graphics language, for its `gfx` analysis commands and its live graphics.

use std::collections::BTreeMap;
use std::fmt;

use crate::game::{Color, Geometry, Notation, Vertex};

/// A colour: red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shade(pub u8, pub u8, pub u8);

impl Shade {
    /// The colour that is a fraction `part`, in \[0, 1\], of the way from this one to another.
    pub fn toward(self, other: Shade, part: f64) -> Shade {
        let part = part.clamp(0.0, 1.0);
        let mix = |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round() as u8;
        Shade(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }
}

/// A small drawing on a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GfxMark {
    Circle,
    Square,
}

impl GfxMark {
    fn command(self) -> &'static str {
        match self {
            GfxMark::Circle => "CIRCLE",
            GfxMark::Square => "SQUARE",
        }
    }
}

/// A picture. It takes vertices of the board rather than names, because GoGui crashes on the name of a vertex that is
/// not on its board.
pub(super) struct Gfx {
    geometry: &'static Geometry,
    notation: Notation,
    backgrounds: BTreeMap<Shade, Vec<Vertex>>,
    labels: BTreeMap<Vertex, String>,
    marks: BTreeMap<GfxMark, Vec<Vertex>>,
    line: Vec<(Color, Vertex)>,
    text: Option<String>,
}

impl Gfx {
    /// An empty picture of a board, with vertices named in this notation.
    pub fn new(geometry: &'static Geometry, notation: Notation) -> Gfx {
        Gfx {
            geometry,
            notation,
            backgrounds: BTreeMap::new(),
            labels: BTreeMap::new(),
            marks: BTreeMap::new(),
            line: Vec::new(),
            text: None,
        }
    }

    /// Gives a vertex a background.
    pub fn shade(&mut self, v: Vertex, shade: Shade) {
        self.backgrounds.entry(shade).or_default().push(v);
    }

    /// Writes a label on a vertex. A label has no spaces and is readable up to about three letters.
    pub fn label(&mut self, v: Vertex, label: impl fmt::Display) {
        self.labels.insert(v, label.to_string());
    }

    /// Labels a vertex with a share in \[0, 1\], in percent.
    pub fn percent(&mut self, v: Vertex, share: f64) {
        self.label(v, (100.0 * share).round() as i64);
    }

    /// Draws a mark on a vertex.
    pub fn mark(&mut self, v: Vertex, mark: GfxMark) {
        self.marks.entry(mark).or_default().push(v);
    }

    /// Draws numbered moves of alternating colours as transparent stones.
    pub fn line(&mut self, first: Color, moves: &[Vertex]) {
        let colors = [first, !first].into_iter().cycle();
        self.line = colors.zip(moves.iter().copied()).collect();
    }

    /// Sets the text of the status line.
    pub fn text(&mut self, text: impl Into<String>) {
        self.text = Some(text.into());
    }

    fn name(&self, v: Vertex) -> String {
        self.notation.name(self.geometry, v)
    }

    fn names(&self, vertices: &[Vertex]) -> String {
        self.notation.names(self.geometry, vertices).join(" ")
    }
}

impl fmt::Display for Gfx {
    /// Writes one command per line, and no empty line. The line of moves comes after the labels, since both write on
    /// vertices.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Vec::new();
        for (Shade(r, g, b), vertices) in &self.backgrounds {
            lines.push(format!("COLOR #{r:02x}{g:02x}{b:02x} {}", self.names(vertices)));
        }
        if !self.labels.is_empty() {
            let labels = self.labels.iter().map(|(&v, label)| format!(" {} {label}", self.name(v)));
            lines.push(format!("LABEL{}", labels.collect::<String>()));
        }
        for (mark, vertices) in &self.marks {
            lines.push(format!("{} {}", mark.command(), self.names(vertices)));
        }
        if !self.line.is_empty() {
            let moves = self.line.iter().map(|&(color, v)| format!(" {} {}", color.letter(), self.name(v)));
            lines.push(format!("VAR{}", moves.collect::<String>()));
        }
        lines.extend(self.text.iter().map(|text| format!("TEXT {text}")));
        f.write_str(&lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_made_of_one_command_a_line() {
        let board = Geometry::with_side(5).unwrap();
        let [a1, e5, i9] = [(0, 0), (4, 4), (8, 8)].map(|(l, n)| board.vertex_at(l, n).unwrap());
        let mut gfx = Gfx::new(board, Notation::GoGui);
        assert_eq!(gfx.to_string(), "");
        gfx.text("white wins");
        gfx.line(Color::White, &[e5, a1]);
        gfx.mark(a1, GfxMark::Square);
        gfx.mark(i9, GfxMark::Circle);
        gfx.percent(e5, 0.505);
        gfx.label(i9, "BF");
        gfx.shade(a1, Shade(255, 0, 10));
        gfx.shade(e5, Shade(255, 0, 10));
        let expected = "COLOR #ff000a A1 E5\nLABEL E5 51 J9 BF\nCIRCLE J9\nSQUARE A1\nVAR w E5 b A1\nTEXT white wins";
        assert_eq!(gfx.to_string(), expected);
    }

    #[test]
    fn shades_lie_between_their_ends() {
        let (a, b) = (Shade(0, 100, 200), Shade(200, 100, 0));
        assert_eq!((a.toward(b, 0.0), a.toward(b, 1.0), a.toward(b, 0.5)), (a, b, Shade(100, 100, 100)));
        assert_eq!((a.toward(b, -1.0), a.toward(b, 7.0)), (a, b));
    }
}
