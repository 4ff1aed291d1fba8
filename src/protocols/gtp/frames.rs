//! Frames as text, and drawn on the board.

use crate::engine::frames::{EdgeFrames, Frame, Race};
use crate::game::Color;

use super::Engine;

/// What the numbers of the table mean.
const EDGE_WORDS: &str = "\
z: how many moves of the opponent can be ignored; if negative, how many more
   moves a frame with this side needs.
w: how many stones are needed after that.";

impl Engine {
    /// The frames of both colours, each on a line, then a line about the race, then the edge frames. Ends without a
    /// line feed.
    pub fn list_frames(&self) -> String {
        let Some(race) = self.session().race() else { return "the game is over".into() };
        let line = |color: Color, frame: &Frame| {
            let kind = if frame.full { "" } else { " with the first move" };
            format!("{color} {} of width {}{kind}: {}", frame.structures, frame.width, self.names_of(&frame.carrier))
        };
        let of = |color: Color| race.frames[color.index()].iter().map(move |frame| (color, frame));
        let mut lines: Vec<String> = Color::ALL.into_iter().flat_map(of).map(|(color, f)| line(color, f)).collect();
        lines.push(race.to_string());
        lines.push(self.edge_table());
        lines.join("\n")
    }

    /// The board with the carriers of the tightest frames, what these frames are, who is ahead in the race, and the
    /// edge frames. `None` if the game is over.
    pub fn draw_frames(&self) -> Option<String> {
        let race = self.session().race()?;
        let carrier = |color| race.tightest(color).map_or(&[][..], |frame| &frame.carrier);
        let game = self.session().game().board();
        let [white, black] = Color::ALL.map(carrier);
        let drawing = self.diagram(game).mark(Color::White, white).mark(Color::Black, black);
        let mut lines = vec![drawing.to_string(), String::new()];
        lines.extend(Color::ALL.map(|color| tightest(&race, color)));
        if white.iter().any(|v| black.contains(v)) {
            lines.push("Both frames need the vertices marked +.".into());
        }
        lines.extend([format!("Race: {race}."), String::new(), self.edge_table(), EDGE_WORDS.into()]);
        Some(lines.join("\n"))
    }

    /// A table of (z, w) for each side and colour.
    fn edge_table(&self) -> String {
        let geometry = self.session().game().geometry();
        let Some(edges) = self.session().edge_frames() else { return String::new() };
        let cell = |edges: &Option<EdgeFrames>, side: usize| {
            edges.as_ref().map_or_else(|| "-".to_owned(), |edges| edges.sides[side].to_string())
        };
        let heading = |color: Color| match &edges[color.index()] {
            Some(edges) => format!("{color} from {}", self.name_of(edges.chain)),
            None => color.to_string(),
        };
        let row = |cells: [String; 3]| format!("{:<9} {:<15} {}", cells[0], cells[1], cells[2]);
        let [white, black] = Color::ALL.map(heading);
        let mut lines = vec![row(["(z, w)".into(), white, black])];
        for side in 0..6 {
            let [from, to] = [side, (side + 1) % 6].map(|i| self.name_of(geometry.corner(i)));
            lines.push(row([format!("{from}-{to}"), cell(&edges[0], side), cell(&edges[1], side)]));
        }
        lines.join("\n")
    }
}

/// What the tightest frame of a colour is, in a sentence.
fn tightest(race: &Race, color: Color) -> String {
    let stones = |frame: &Frame| match frame.width {
        1 => "1 more stone".to_owned(),
        width => format!("at most {width} more stones"),
    };
    let (name, mark) = match color {
        Color::White => ("White", 'o'),
        Color::Black => ("Black", 'x'),
    };
    match race.frames[color.index()].first() {
        Some(frame) if frame.full => {
            format!("{name} has a frame, marked {mark}: {}, {}.", frame.structures, stones(frame))
        }
        Some(frame) => {
            format!("{name} has no frame, but a move makes one: {}, {}.", frame.structures, stones(frame))
        }
        None => format!("{name} has no frame."),
    }
}
