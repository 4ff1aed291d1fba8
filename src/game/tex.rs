//! Boards as figures for LaTeX, drawn by the package `havannah` of CTAN (M. Ciura).

use std::fmt::Write;

use super::color::Color;
use super::geometry::Vertex;
use super::notation::Notation;
use super::picture::{Mark, Picture};

impl Picture<'_> {
    /// The board as an environment `HavannahBoard` of the LaTeX package `havannah`: the stones and the marks. Stones
    /// that are numbered in the order of play become a game (`HGame`), which is easy to edit. The last stone and a
    /// winning structure are not marked.
    ///
    /// ```
    /// use malecon::game::{Game, Geometry, Notation, Picture};
    /// let board = Geometry::with_side(4)?;
    /// let mut game = Game::new(board);
    /// game.play(Notation::HavannahGui.parse(board, "d4")?)?;
    /// let figure = Picture::new(&game, Notation::HavannahGui).to_tex()?;
    /// assert!(figure.contains("\\HStoneGroup[color=white]{d4}"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the package has no such board, or no coordinates in this notation: it has those of HavannahGui and of Little
    /// Golem, for boards with six equal sides.
    pub fn to_tex(&self) -> Result<String, &'static str> {
        let side = self.geometry().shape().regular_side().ok_or("LaTeX's boards have six equal sides")?;
        let style = match self.notation {
            Notation::HavannahGui => "",
            Notation::LittleGolem => ", coordinate style=little golem",
            _ => return Err("LaTeX's boards have the coordinates of havannahgui or littlegolem"),
        };
        let mut tex = format!("% \\usepackage{{havannah}}\n\\begin{{HavannahBoard}}[board size={side}{style}]\n");
        match self.numbered_game() {
            Some(moves) => self.write_stones(&mut tex, "HGame", "", &moves),
            None => self.write_position(&mut tex),
        }
        tex += "\\end{HavannahBoard}\n";
        Ok(tex)
    }

    fn write_stones(&self, tex: &mut String, command: &str, options: &str, stones: &[Vertex]) {
        let names: Vec<String> = stones.iter().map(|&v| self.tex_name(v)).collect();
        let options = if options.is_empty() { String::new() } else { format!("[{options}]") };
        let _ = writeln!(tex, "  \\{command}{options}{{{}}}", names.join(","));
    }

    fn tex_name(&self, v: Vertex) -> String {
        self.notation.name(self.geometry(), v).to_ascii_lowercase()
    }

    /// All stones in the order of play, if they are numbered in it from 1, White has the odd numbers, and nothing else
    /// is marked.
    fn numbered_game(&self) -> Option<Vec<Vertex>> {
        let position = self.game.position();
        let mut stones = Vec::new();
        for v in self.geometry().vertices() {
            match (position.stone(v), self.marks.get(&v).map(Vec::as_slice)) {
                (None, None) => {}
                (Some(color), Some([Mark::Label(label)])) => stones.push((label.parse::<usize>().ok()?, color, v)),
                _ => return None,
            }
        }
        stones.sort_unstable_by_key(|&(number, ..)| number);
        let colors = [Color::White, Color::Black].into_iter().cycle();
        let is_in_turn = stones.iter().zip((1..).zip(colors)).all(|(&(n, c, _), turn)| (n, c) == turn);
        (is_in_turn && !stones.is_empty()).then(|| stones.into_iter().map(|(.., v)| v).collect())
    }

    fn write_position(&self, tex: &mut String) {
        let position = self.game.position();
        for (color, name) in [(Color::White, "white"), (Color::Black, "black")] {
            let own = self.geometry().vertices().filter(|&v| position.stone(v) == Some(color));
            let own: Vec<Vertex> = own.collect();
            if !own.is_empty() {
                self.write_stones(tex, "HStoneGroup", &format!("color={name}"), &own);
            }
        }
        for (&v, marks) in &self.marks {
            let ink = if position.stone(v) == Some(Color::Black) { "text=white,draw=white" } else { "draw=black" };
            for mark in marks {
                let name = self.tex_name(v);
                let shape = |shape: &str| format!("  \\node[{shape},{ink},inner sep=2pt] at ({name}) {{}};");
                let text = |text: &str| {
                    let color = ink.split(',').next().filter(|ink| ink.starts_with("text")).unwrap_or("text=black");
                    format!("  \\node[{color}] at ({name}) {{{text}}};")
                };
                let line = match mark {
                    Mark::Circle => shape("circle"),
                    Mark::Square => shape("rectangle"),
                    Mark::Triangle => text("$\\triangle$"),
                    Mark::Cross => text("$\\times$"),
                    Mark::Label(label) => text(&format!("\\HMoveNumberStyle{{{}}}", escaped(label))),
                    Mark::Stone(_, label) => {
                        let label = format!("\\HMoveNumberStyle{{{}}}", escaped(label));
                        format!("  \\HStoneGroup[color=transparent,label={{{label}}}]{{{name}}}")
                    }
                };
                tex.push_str(&line);
                tex.push('\n');
            }
        }
    }
}

/// A text without the characters that have a meaning in LaTeX.
fn escaped(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).fold(String::new(), |mut escaped, c| {
        match c {
            '\\' => escaped += "\\textbackslash{}",
            '~' => escaped += "\\textasciitilde{}",
            '^' => escaped += "\\textasciicircum{}",
            '{' | '}' | '$' | '&' | '#' | '%' | '_' => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
        escaped
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Geometry, Shape};

    fn after(names: &[&str]) -> Game {
        let mut game = Game::new(Geometry::with_side(4).unwrap());
        for name in names {
            game.play(Notation::HavannahGui.parse(game.geometry(), name).unwrap()).unwrap();
        }
        game
    }

    #[test]
    fn a_position_is_two_groups_of_stones_and_its_marks() {
        let game = after(&["d4", "a1", "e5"]);
        let v = |name| Notation::HavannahGui.parse(game.geometry(), name).unwrap();
        let picture = Picture::new(&game, Notation::HavannahGui);
        let picture = picture.mark(v("a1"), Mark::Circle).mark(v("b2"), Mark::Label("50%".into()));
        let picture = picture.mark(v("c3"), Mark::Stone(Color::Black, "1".into())).mark(v("d4"), Mark::Triangle);
        assert_eq!(
            picture.to_tex().unwrap(),
            "% \\usepackage{havannah}\n\\begin{HavannahBoard}[board size=4]\n  \\HStoneGroup[color=white]{d4,e5}\n  \
             \\HStoneGroup[color=black]{a1}\n  \\node[circle,text=white,draw=white,inner sep=2pt] at (a1) {};\n  \
             \\node[text=black] at (b2) {\\HMoveNumberStyle{50\\%}};\n  \
             \\HStoneGroup[color=transparent,label={\\HMoveNumberStyle{1}}]{c3}\n  \
             \\node[text=black] at (d4) {$\\triangle$};\n\\end{HavannahBoard}\n"
        );
    }

    #[test]
    fn numbered_moves_are_a_game() {
        let game = after(&["d4", "a1", "e5"]);
        let numbers = |last: usize| {
            let stones = ["d4", "a1", "e5"].map(|name| Notation::HavannahGui.parse(game.geometry(), name).unwrap());
            let picture = Picture::new(&game, Notation::LittleGolem);
            picture.numbered(stones.into_iter().zip([1, 2, last])).to_tex().unwrap()
        };
        let whole = numbers(3);
        assert!(whole.contains("[board size=4, coordinate style=little golem]\n  \\HGame{d4,a1,e4}\n"), "{whole}");
        assert!(numbers(7).contains("\\HStoneGroup") && !numbers(7).contains("\\HGame"));
    }

    #[test]
    fn texts_are_escaped_and_other_boards_are_refused() {
        assert_eq!(escaped("a_b\\c\n~{^}"), "a\\_b\\textbackslash{}c\\textasciitilde{}\\{\\textasciicircum{}\\}");
        let board = Geometry::with_shape("4-4-5".parse::<Shape>().unwrap());
        assert!(Picture::new(&Game::new(board), Notation::HavannahGui).to_tex().is_err());
        assert!(Picture::new(&after(&[]), Notation::GoGui).to_tex().unwrap_err().contains("havannahgui"));
    }
}
