//! A review as plain text.

use crate::engine::inspect::missing::missing_stones;
use crate::game::{Color, Notation};

use super::*;

/// The width of the bar that stands for all of the chances.
const BAR: usize = 20;

/// The whole review: how the game was searched, each move with White's chance of winning after it, the mistakes, the
/// turning points, when the game was decided, since when the winner was ahead in the race, and what each player still
/// lacked at the end. Lines end with a line feed.
pub fn report(review: &Review, notation: Notation) -> String {
    let mut text = format!("{}\n{}\n", title(&review.record), effort(review));
    if review.is_partial() {
        let (done, total) = (review.positions.len(), review.moves.len() + 1);
        text += &format!("The review was stopped after {done} of {total} positions.\n");
    }
    let sections = [
        table(review, notation),
        mistakes(review, notation),
        turning_points(review, notation),
        ending(review),
        race(review),
        lacking(review, notation),
    ];
    sections.iter().filter(|section| !section.is_empty()).for_each(|section| text += &format!("\n{section}"));
    text
}

/// One line for a list of games: the players, the result and the mistakes.
pub fn summary(review: &Review) -> String {
    let mistakes = |color| {
        let (count, loss) = review.mistakes_of(color);
        format!("{color} {} (-{:.0} %)", mistakes_count(count), 100.0 * loss)
    };
    format!("{}; {}, {}", title(&review.record), mistakes(Color::White), mistakes(Color::Black))
}

fn mistakes_count(count: usize) -> String {
    if count == 1 { "1 mistake".into() } else { format!("{count} mistakes") }
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
        text += format!("{number:>3} {name:<11}{chance:>6} |{bar:<BAR$}| {remark}").trim_end();
        text.push('\n');
    }
    text
}

/// The move with this index: its colour and its name.
fn move_words(review: &Review, i: usize, notation: Notation) -> String {
    let ReviewedMove { color, played, .. } = review.moves[i];
    format!("{color} {}", played.show(review.board(), notation))
}

/// What is to be said about a position: that it is proven, or that the move before was a mistake.
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

fn mistakes(review: &Review, notation: Notation) -> String {
    let mut text = String::new();
    for (i, m, mistake) in review.mistakes() {
        let [played, better] = [mistake.played_chance, mistake.better_chance];
        let played = percent(played, review.positions[i + 1].proven.is_some());
        let better = percent(better, mistake.missed_win);
        text += &format!(
            "  {}. {}: {} wins {played} after it, {better} after {}\n",
            i + 1,
            move_words(review, i, notation),
            m.color,
            better_words(review.board(), mistake, notation),
        );
        if let Some(reason) = &mistake.reason {
            text += &format!("     The reason: {}.\n", reason.text(notation));
        }
        if mistake.missed_win {
            text += &format!("     {} had a proven win.\n", capitalized(&m.color.to_string()));
        }
        let [white, black] = &review.positions[i].missing;
        text += &format!("     Stones missing: white {}; black {}\n", missing_words(white), missing_words(black));
    }
    match text.is_empty() {
        true if review.is_partial() => String::new(),
        true => "No mistakes were found.\n".into(),
        false => format!("Mistakes\n{text}"),
    }
}

fn turning_points(review: &Review, notation: Notation) -> String {
    let mut text = String::new();
    for &i in &review.turning_points {
        let [before, after] =
            [i, i + 1].map(|i| percent(review.positions[i].white, review.positions[i].proven.is_some()));
        text += &format!(
            "  {}. {}: White's chance goes from {before} to {after}\n",
            i + 1,
            move_words(review, i, notation)
        );
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
    ahead_words(review).map_or_else(String::new, |words| format!("Race: {words}.\n"))
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
            text += &format!("  {color} {structure}: {words}\n");
        }
    }
    text
}
