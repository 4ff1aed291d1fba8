//! A review as plain text.

use crate::base::text::{count, wrapped};
use crate::engine::inspect::missing::missing_stones;
use crate::game::{Color, Notation};

use super::*;

/// The width of the bar for a chance of 100 %.
const BAR: usize = 20;

/// The longest line, in characters. It fits the narrowest usual terminal.
const LONGEST: usize = 80;

/// The whole review: how the game was searched, each move with White's chance of winning after it, the findings, the
/// turning points, when the game was decided, since when the winner was ahead in the race, and what each player still
/// lacked at the end. All findings are listed if `all` is set, otherwise only those that decided the game. Lines have
/// at most 80 characters and end with a line feed.
pub fn report(review: &Review, notation: Notation, all: bool) -> String {
    let mut text = lines(&title(&review.record), 2) + &lines(&effort(review), 0);
    if review.is_partial {
        text += &lines(&format!("The review was {}.", stopped(review)), 0);
    }
    let sections = [
        table(review, notation),
        findings(review, notation, all),
        turning_points(review, notation),
        ending(review),
        race(review),
        lacking(review, notation),
    ];
    sections.iter().filter(|section| !section.is_empty()).for_each(|section| text += &format!("\n{section}"));
    text
}

/// A text in lines of at most [`LONGEST`] characters, each with its line feed; all but the first begin with `indent`
/// spaces.
fn lines(text: &str, indent: usize) -> String {
    wrapped(text.trim_end(), LONGEST, indent) + "\n"
}

/// How the words about a review that was stopped end.
pub(super) const BEFORE_MISTAKES: &str = "before it had found the mistakes";

/// Where a review was stopped. It has no mistakes then: they are looked for after all positions.
fn stopped(review: &Review) -> String {
    let done = review.positions.len();
    let total = review.moves.len() + 1;
    let after = if done < total { format!(" after {done} of {total} positions,") } else { String::new() };
    format!("stopped{after} {BEFORE_MISTAKES}")
}

/// One line for a list of games: the players, the result and the mistakes, or where the review was stopped.
pub fn summary(review: &Review) -> String {
    if review.is_partial {
        return format!("{}; {}", title(&review.record), stopped(review));
    }
    let mistakes = |color| {
        let (mistakes, loss) = review.mistakes_of(color);
        format!("{color} {} (-{:.0} %)", count(mistakes, "mistake"), 100.0 * loss)
    };
    format!("{}; {}, {}", title(&review.record), mistakes(Color::White), mistakes(Color::Black))
}

fn table(review: &Review, notation: Notation) -> String {
    let mut text = String::from("    move       White wins\n");
    for (number, position) in review.positions.iter().enumerate() {
        let name = match number.checked_sub(1) {
            None => String::from("start"),
            Some(i) => move_words(review, i, notation),
        };
        let chance = percent(position.white, position.proven.is_some());
        let bar = "#".repeat((position.white * BAR as f64).round() as usize);
        let remark = remark(review, number, notation);
        let row = format!("{number:>3} {name:<11}{chance:>6} |{bar:<BAR$}| ");
        text += &lines(&(row.clone() + &remark), row.chars().count());
    }
    text
}

/// The remark about a position: that it is proven, or that the move before it was a mistake.
fn remark(review: &Review, number: usize, notation: Notation) -> String {
    let mut parts = Vec::new();
    let proven = |number: usize| review.positions[number].proven;
    if let Some(winner) = proven(number).filter(|_| number == 0 || proven(number) != proven(number - 1)) {
        let is_end = number == review.moves.len() && review.record.game().outcome().is_some();
        parts.extend((!is_end).then(|| format!("proven: {}", proven_words(winner))));
    }
    if let Some(mistake) = number.checked_sub(1).and_then(|i| review.moves[i].mistake.as_ref()) {
        let better = mistake.better.show(review.board(), notation);
        parts.push(format!("mistake: {better} was better by {}", loss(mistake)));
    }
    parts.join("; ")
}

fn findings(review: &Review, notation: Notation, all: bool) -> String {
    let findings = review.findings();
    if findings.is_empty() {
        return if review.is_partial { String::new() } else { "No mistakes were found.\n".into() };
    }
    let (heading, first) = leading(&findings);
    let shown = if all { findings.len() } else { first };
    let mut text = format!("{heading}\n");
    for (i, finding) in findings[..shown].iter().enumerate() {
        if i == first {
            text += "Other findings\n";
        }
        text += &self::finding(review, i + 1, finding, notation);
    }
    match findings.len() - shown {
        0 => {}
        1 => text += "  One more finding: --all lists it.\n",
        rest => text += &format!("  {rest} more findings: --all lists them.\n"),
    }
    text
}

fn finding(review: &Review, number: usize, finding: &Finding, notation: Notation) -> String {
    const INDENT: usize = 6;
    let line = |text: &str| lines(&format!("{:INDENT$}{text}", ""), INDENT);
    let mut text = lines(&format!("{number:>4}. {}", finding.words(review, notation)), INDENT);
    text += &line(&consequence(review, finding, notation));
    let [white, black] = &review.positions[finding.shown].missing;
    text += &line(&format!("Stones missing: white {}; black {}", missing_words(white), missing_words(black)));
    text
}

fn turning_points(review: &Review, notation: Notation) -> String {
    let mut text = String::new();
    for &i in &review.turning_points {
        let [before, after] =
            [i, i + 1].map(|i| percent(review.positions[i].white, review.positions[i].proven.is_some()));
        let name = move_words(review, i, notation);
        text += &format!("  {}. {name}: White's chance goes from {before} to {after}\n", i + 1);
    }
    if text.is_empty() { text } else { format!("Turning points\n{text}") }
}

/// Since when the result was proven.
fn ending(review: &Review) -> String {
    match review.decided() {
        Some((0, winner)) => format!("Decided: {} from the start, which is proven.\n", proven_words(winner)),
        Some((count, winner)) => format!("Decided: after move {count} it is proven that {}.\n", proven_clause(winner)),
        None => String::new(),
    }
}

/// Since when the winner was ahead in the race.
fn race(review: &Review) -> String {
    ahead_words(review).map_or_else(String::new, |words| lines(&format!("Race: {words}."), 0))
}

fn proven_clause(winner: Winner) -> String {
    match winner.color() {
        Some(color) => format!("{color} wins"),
        None => "the game is a draw".into(),
    }
}

/// The stones that each structure lacked in the last position.
fn lacking(review: &Review, notation: Notation) -> String {
    let Some(count) = review.positions.len().checked_sub(1) else { return String::new() };
    let game = review.game_after(count);
    let mut text = format!("Stones missing after move {count}\n");
    for color in [Color::White, Color::Black] {
        for structure in STRUCTURES {
            let missing = missing_stones(game.position(), color, structure);
            let words = match missing.as_deref() {
                None => "impossible".into(),
                Some([]) => "complete".into(),
                Some(stones) => {
                    format!("{} ({})", stones.len(), notation.names(review.board(), stones).join(" "))
                }
            };
            text += &lines(&format!("  {color} {structure}: {words}"), 4);
        }
    }
    text
}
