//! A review as a page of its own: the graph of the chances, the findings with boards, the game to step through, and all
//! moves.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::base::html::{data, document, escaped, link};
use crate::base::text::count;
use crate::engine::inspect::missing::missing_stones;
use crate::game::{Color, Mark, Notation, Picture};

use super::*;

const SCRIPT: &str = include_str!("page.js");

/// The size of the graph, and its margins on the left and at the bottom.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 44.0;
const BOTTOM: f64 = 26.0;
const TOP: f64 = 10.0;

/// The page of a review.
pub fn page(review: &Review, notation: Notation) -> String {
    let page = Page { review, notation };
    let stopped =
        if review.is_partial { "<p class=\"warning\">The review was stopped before the end.</p>" } else { "" };
    let body = format!(
        "<h1>{heading}</h1>\n<p>{facts}</p>\n{stopped}\n{graph}\n{findings}\n{board}\n{turning}\n{lacking}\n{moves}\n\
         <footer>{effort} Reviewed by Malecon {version}.</footer>\n{data}",
        heading = page.heading(),
        facts = page.facts(),
        graph = page.graph(),
        board = page.board(),
        findings = page.findings(),
        turning = page.turning_points(),
        lacking = page.lacking(),
        moves = page.moves(),
        effort = escaped(&effort(review)),
        version = env!("CARGO_PKG_VERSION"),
        data = data("game", &page.data()),
    );
    document(&title(&review.record), &body, SCRIPT)
}

/// A page of links to the pages of several reviews, each given by its file name and its line from [`text::summary`].
pub fn index(games: &[(String, String)]) -> String {
    let mut rows = String::new();
    for (file, summary) in games {
        let link = link(file);
        let summary = escaped(summary);
        rows += &format!("<li><a href=\"{link}\">{summary}</a></li>\n");
    }
    document(INDEX_TITLE, &format!("{INDEX_HEADING}{}</h1>\n<ol>\n{rows}</ol>\n", count(games.len(), "game")), "")
}

const INDEX_TITLE: &str = "Reviews";
const INDEX_HEADING: &str = "<h1>Reviews of ";

/// Whether a page is one from [`index`]. Its style may be that of another version.
pub fn is_index(page: &str) -> bool {
    let blank = document(INDEX_TITLE, INDEX_HEADING, "");
    let (head, body) = (blank.split("<style>").next(), blank.split("</style>").nth(1));
    let body = body.and_then(|body| body.split("</main>").next());
    head.is_some_and(|head| page.starts_with(head)) && body.is_some_and(|body| page.contains(body))
}

struct Page<'a> {
    review: &'a Review,
    notation: Notation,
}

impl Page<'_> {
    fn heading(&self) -> String {
        let [white, black] = [Color::White, Color::Black].map(|color| escaped(&player(&self.review.record, color)));
        format!("{white} – {black}")
    }

    fn facts(&self) -> String {
        let Review { record, .. } = self.review;
        let mut facts = format!(
            "Side {}, {}. {}.",
            record.board().side(),
            count(record.play_count(), "move"),
            capitalized(result(record))
        );
        let players = [Color::White, Color::Black].map(|color| {
            let (mistakes, loss) = self.review.mistakes_of(color);
            let mistakes = count(mistakes, "mistake");
            format!("{} made {mistakes}, which cost {:.0} % in all.", capitalized(color), 100.0 * loss)
        });
        // Those of a review that was stopped are not known.
        if !self.review.is_partial {
            players.iter().for_each(|sentence| facts += &format!(" {sentence}"));
        }
        if let Some((count, winner)) = self.review.decided() {
            let after = if count == 0 { "From the start".into() } else { format!("After move {count}") };
            facts += &format!(" {after} the result is proven: {}.", proven_words(winner));
        }
        if let Some(words) = ahead_words(self.review) {
            facts += &format!(" {}.", capitalized(&words));
        }
        escaped(&facts)
    }

    fn move_name(&self, i: usize) -> String {
        move_words(self.review, i, self.notation)
    }

    fn chance_words(&self, number: usize) -> String {
        let position = &self.review.positions[number];
        percent(position.white, position.proven.is_some())
    }

    // The graph.

    fn x(&self, number: usize) -> f64 {
        let last = self.review.moves.len().max(1) as f64;
        LEFT + (WIDTH - LEFT - 10.0) * number as f64 / last
    }

    fn y(white: f64) -> f64 {
        TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - white)
    }

    fn graph(&self) -> String {
        let mut svg = format!(
            "<section aria-labelledby=\"chances\"><h2 id=\"chances\">White's chance of winning</h2>\n\
             <svg class=\"graph\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-label=\"White's chance of winning after each move; the table of moves has the figures\">\n"
        );
        for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let y = Self::y(share);
            let right = WIDTH - 10.0;
            let class = if share == 0.5 { "half" } else { "grid" };
            let _ = writeln!(
                svg,
                "<path class=\"{class}\" d=\"M{LEFT} {y:.1}H{right}\"/>\
                 <text class=\"axis\" x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{:.0} %</text>",
                LEFT - 6.0,
                y + 4.0,
                100.0 * share
            );
        }
        let count = self.review.moves.len();
        let step = [1, 2, 5, 10, 20, 50, 100].into_iter().find(|step| count / step <= 12).unwrap_or(200);
        for number in (0..=count).step_by(step) {
            let (x, y) = (self.x(number), HEIGHT - 6.0);
            let _ = writeln!(svg, "<text class=\"axis\" x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{number}</text>");
        }
        for &i in &self.review.turning_points {
            let (x, top, bottom) = (self.x(i + 1), TOP, HEIGHT - BOTTOM);
            let _ = writeln!(svg, "<path class=\"turn\" d=\"M{x:.1} {top}V{bottom}\"/>");
        }
        let points = self.review.positions.iter().enumerate();
        let line: Vec<String> =
            points.map(|(number, p)| format!("{:.1} {:.1}", self.x(number), Self::y(p.white))).collect();
        if let Some(last) = self.review.positions.len().checked_sub(1) {
            let line = line.join("L");
            let right = self.x(last);
            let bottom = Self::y(0.0);
            let _ = writeln!(svg, "<path class=\"area\" d=\"M{line}L{right:.1} {bottom}H{LEFT}Z\"/>");
            let _ = writeln!(svg, "<path class=\"line\" d=\"M{line}\"/>");
        }
        let (top, bottom) = (TOP, HEIGHT - BOTTOM);
        let _ = writeln!(svg, "<path id=\"cursor\" class=\"cursor\" d=\"M{LEFT} {top}V{bottom}\"/>");
        (0..self.review.moves.len()).for_each(|i| svg += &self.point(i));
        svg + "</svg>\n<p class=\"legend\">▲ mistake by White, ▼ mistake by Black, dashed: the lead changes.</p></section>"
    }

    /// A point of the graph: a triangle for a mistake, pointing up for White's, otherwise an invisible spot to click
    /// on.
    fn point(&self, i: usize) -> String {
        let Some(position) = self.review.positions.get(i + 1) else { return String::new() };
        let (x, y) = (self.x(i + 1), Self::y(position.white));
        let number = i + 1;
        let name = self.move_name(i);
        let chance = self.chance_words(i + 1);
        let m = &self.review.moves[i];
        let shape = match (&m.mistake, m.color) {
            (None, _) => format!("<circle class=\"point\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/>"),
            (Some(_), Color::White) => format!("<path class=\"mistake\" d=\"M{x:.1} {:.1}l7 12h-14z\"/>", y - 7.0),
            (Some(_), Color::Black) => format!("<path class=\"mistake\" d=\"M{x:.1} {:.1}l7-12h-14z\"/>", y + 7.0),
        };
        let mistake = m.mistake.as_ref().map_or_else(String::new, |mistake| format!(", mistake -{}", loss(mistake)));
        format!(
            "<a href=\"#move-{number}\" data-move=\"{number}\">{shape}\
             <title>{number}. {name}: White wins {chance}{mistake}</title></a>\n"
        )
    }

    // The boards.

    /// The last position, which the script turns into a game to step through.
    fn board(&self) -> String {
        let last = self.review.positions.len().saturating_sub(1);
        let game = self.review.game_after(last);
        let picture = Picture::new(&game, self.notation).numbered(self.review.record.move_numbers(last));
        format!(
            "<section aria-labelledby=\"viewer-title\"><h2 id=\"viewer-title\">The game</h2>\n\
             <div id=\"viewer\" data-last=\"{last}\">\n{picture}\n\
             <div id=\"controls\" hidden><button id=\"first\" aria-label=\"Start\">|◀</button>\
             <button id=\"back\" aria-label=\"One move back\">◀</button>\
             <input id=\"at\" type=\"range\" min=\"0\" max=\"{last}\" value=\"{last}\" aria-label=\"Move\">\
             <button id=\"forward\" aria-label=\"One move forward\">▶</button>\
             <button id=\"last\" aria-label=\"End\">▶|</button></div>\n\
             <p id=\"state\" aria-live=\"polite\"></p></div></section>"
        )
    }

    /// The findings: first those that decided the game, then the others, which the reader may unfold.
    fn findings(&self) -> String {
        let findings = self.review.findings();
        let (heading, first) = leading(&findings);
        let (first, others) = findings.split_at(first);
        let cards = |findings: &[Finding]| {
            let cards: String = findings.iter().map(|finding| self.finding(finding)).collect();
            format!("<div class=\"cards\">\n{cards}</div>")
        };
        let others = match others.len() {
            0 => String::new(),
            count => {
                let summary = if count == 1 { "One more finding".into() } else { format!("{count} more findings") };
                format!("\n<details><summary>{summary}</summary>\n{}</details>", cards(others))
            }
        };
        if first.is_empty() && self.review.is_partial {
            return String::new();
        }
        let (heading, content, legend) = if first.is_empty() {
            ("Findings", "<p>No mistakes were found.</p>".to_owned(), "")
        } else {
            let legend = "<p class=\"legend keys\" hidden>Keys: Shift+→ and Shift+← go to the next and the previous \
                          finding, → and ← go through the game.</p>";
            (heading, cards(first), legend)
        };
        format!(
            "<section aria-labelledby=\"findings\"><h2 id=\"findings\">{heading}</h2>\n{content}{others}\n{legend}\
             </section>"
        )
    }

    /// The board before the mistake that shows the finding best, with the better line as numbered stones.
    fn finding(&self, finding: &Finding) -> String {
        let i = finding.shown;
        let mistake = finding.mistake(self.review);
        let m = &self.review.moves[i];
        let game = self.review.game_after(i);
        let mut picture = Picture::new(&game, self.notation);
        if let Move::Place(v) = m.played {
            picture = picture.mark(v, Mark::Cross);
        }
        // Below the stones of the line, whose numbers would be hard to read otherwise.
        let marks = mistake.reason.iter().flat_map(|reason| reason.marks());
        picture = marks.fold(picture, |picture, (v, mark)| picture.mark(*v, mark.clone()));
        if let Move::Place(_) = mistake.better {
            picture = picture.line(m.color, &mistake.line[..mistake.line.len().min(LINE_SHOWN)]);
        }
        let [white, black] = &self.review.positions[i].missing;
        format!(
            "<article tabindex=\"-1\"><h3>{words}</h3>\n{picture}\n\
             <div class=\"steps\" hidden><button data-step=\"-1\" aria-label=\"One move back\">◀</button>\
             <span aria-live=\"polite\"></span>\
             <button data-step=\"1\" aria-label=\"One move forward\">▶</button></div>\n\
             <p>{consequence}</p>\n\
             <p class=\"small\">✕ is <a href=\"#move-{number}\" data-move=\"{number}\">{name}</a>, which cost {loss}. Stones \
             missing before it: white {}; black {}.</p></article>\n",
            missing_words(white),
            missing_words(black),
            words = escaped(&finding.words(self.review, self.notation)),
            consequence = escaped(&consequence(self.review, finding, self.notation)),
            number = i + 1,
            name = self.move_name(i),
            loss = loss(mistake),
        )
    }

    fn turning_points(&self) -> String {
        if self.review.turning_points.is_empty() {
            return String::new();
        }
        let item = |&i: &usize| {
            let number = i + 1;
            let name = self.move_name(i);
            let (before, after) = (self.chance_words(i), self.chance_words(i + 1));
            format!(
                "<li><a href=\"#move-{number}\" data-move=\"{number}\">{number}. {name}</a>: White's chance goes from \
                 {before} to {after}.</li>\n"
            )
        };
        let items: String = self.review.turning_points.iter().map(item).collect();
        format!(
            "<section aria-labelledby=\"turning\"><h2 id=\"turning\">Turning points</h2>\n<ul>\n{items}</ul></section>"
        )
    }

    /// What each player lacked at the end.
    fn lacking(&self) -> String {
        let Some(count) = self.review.positions.len().checked_sub(1) else { return String::new() };
        let game = self.review.game_after(count);
        let mut rows = String::new();
        for color in [Color::White, Color::Black] {
            let _ = write!(rows, "<tr><th scope=\"row\">{color}</th>");
            for structure in STRUCTURES {
                let words = match missing_stones(game.position(), color, structure).as_deref() {
                    None => "impossible".into(),
                    Some([]) => "complete".into(),
                    Some(stones) => {
                        let names = self.notation.names(self.review.board(), stones);
                        format!("{}: {}", stones.len(), names.join(" "))
                    }
                };
                let _ = write!(rows, "<td>{words}</td>");
            }
            rows += "</tr>\n";
        }
        format!(
            "<section aria-labelledby=\"lacking\"><h2 id=\"lacking\">Stones missing after move {count}</h2>\n\
             <div class=\"wide\"><table><tr><td></td><th scope=\"col\">bridge</th><th scope=\"col\">fork</th>\
             <th scope=\"col\">ring</th></tr>\n{rows}</table></div></section>"
        )
    }

    fn moves(&self) -> String {
        let mut rows = String::new();
        for (number, position) in self.review.positions.iter().enumerate() {
            let name = number.checked_sub(1).map_or_else(|| "start".to_owned(), |i| self.move_name(i));
            let [white, black] = position.missing.map(|missing| missing_counts(&missing));
            let _ = writeln!(
                rows,
                "<tr id=\"move-{number}\"><td>{number}</td><td>{name}</td><td>{}</td><td>{white}</td><td>{black}</td>\
                 <td>{}</td></tr>",
                self.chance_words(number),
                self.remark(number)
            );
        }
        format!(
            "<section aria-labelledby=\"moves\"><h2 id=\"moves\">All moves</h2>\n<div class=\"wide\"><table>\n\
             <tr><th scope=\"col\"></th><th scope=\"col\">move</th><th scope=\"col\">White wins</th>\
             <th scope=\"col\">White lacks</th><th scope=\"col\">Black lacks</th><th scope=\"col\"></th></tr>\n{rows}\
             </table></div>\n<p class=\"legend\">Stones missing to a bridge / fork / ring; – is impossible.</p></section>"
        )
    }

    fn remark(&self, number: usize) -> String {
        let mut parts = Vec::new();
        let position = &self.review.positions[number];
        parts.extend(position.proven.map(|winner| format!("proven: {}", proven_words(winner))));
        if let Some(i) = number.checked_sub(1) {
            if let Some(mistake) = &self.review.moves[i].mistake {
                let better = mistake.better.show(self.review.board(), self.notation);
                parts.push(format!("mistake: {better} was better by {}", loss(mistake)));
            }
            if self.review.turning_points.contains(&i) {
                parts.push("turning point".into());
            }
        }
        parts.join("; ")
    }

    /// What the script needs to step through the game: the actions, and for each position how many of them led to it,
    /// its description and its place in the graph.
    fn data(&self) -> Value {
        let last = self.review.positions.len().saturating_sub(1);
        let game = self.review.game_after(last);
        let center = |v: Vertex| {
            let (x, y) = Picture::place(self.review.board(), v);
            [(10.0 * x).round() / 10.0, (10.0 * y).round() / 10.0]
        };
        let actions: Vec<_> = game
            .history()
            .iter()
            .map(|&(color, m)| match m {
                Move::Place(v) => json!([color, center(v)]),
                _ => json!(["swap"]),
            })
            .collect();
        // A stopped review may have no positions at all.
        let states = (0..self.review.positions.len()).map(|number| {
            let name = number
                .checked_sub(1)
                .map_or_else(|| "Before the first move".to_owned(), |i| format!("{}. {}", i + 1, self.move_name(i)));
            let remark = self.remark(number);
            let remark = if remark.is_empty() { remark } else { format!("; {remark}") };
            format!("{name}: White wins {}{remark}", self.chance_words(number))
        });
        let graph: Vec<f64> = (0..=last).map(|number| (10.0 * self.x(number)).round() / 10.0).collect();
        let counts: Vec<usize> = (0..=last).map(|number| self.review.game_after(number).history().len()).collect();
        json!({"counts": counts, "actions": actions, "states": states.collect::<Vec<_>>(), "graph": graph})
    }
}

fn missing_counts(missing: &[Option<usize>; 3]) -> String {
    missing.map(|count| count.map_or_else(|| "–".into(), |count| count.to_string())).join(" / ")
}
