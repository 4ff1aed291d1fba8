//! A review as comments and variations of the record.

use crate::game::record::{Property, Record};
use crate::game::{Color, Notation};

use super::*;

/// The record with the review written into it: a summary and what decided the game at the root, White's chance of
/// winning in a comment after each move, the move from which the winner was ahead in the race, mistakes marked as bad
/// moves (`BM`), and for each finding the better line as a variation beside the move that shows it best. What the record
/// had stays.
pub fn annotated(review: &Review, notation: Notation) -> Record {
    let mut record = review.record.clone();
    let findings = review.findings();
    record.node_mut(0).add_comment(&summary(review, &findings, notation));
    for (i, position) in review.positions.iter().enumerate().skip(1) {
        let m = &review.moves[i - 1];
        record.node_mut(m.node).add_comment(&comment(review, &findings, i, position, notation));
        let Some(mistake) = &m.mistake else { continue };
        let degree = if mistake.is_blunder() { "2" } else { "1" };
        let properties = &mut record.node_mut(m.node).properties;
        if !properties.iter().any(|property| property.name == "BM") {
            properties.push(Property::new("BM", degree));
        }
    }
    findings
        .iter()
        .for_each(|finding| add_variation(&mut record, &review.moves[finding.shown], finding.mistake(review)));
    if let (Some((after, _)), Some(words)) = (review.ahead(), ahead_words(review)) {
        let node = after.checked_sub(1).map_or(0, |i| review.moves[i].node);
        record.node_mut(node).add_comment(&format!("{}.", capitalized(&words)));
    }
    record
}

fn summary(review: &Review, findings: &[Finding], notation: Notation) -> String {
    let mut lines = vec![effort(review), text::summary(review)];
    if !findings.is_empty() {
        let (heading, first) = leading(findings);
        lines.push(format!("{heading}:"));
        lines.extend(findings[..first].iter().map(|finding| finding.words(review, notation)));
    }
    lines.join("\n")
}

fn comment(review: &Review, findings: &[Finding], number: usize, position: &Assessment, notation: Notation) -> String {
    let mut comment = format!("White wins {}.", percent(position.white, position.proven.is_some()));
    if let Some(winner) = position.proven {
        comment += &format!(" Proven: {}.", proven_words(winner));
    }
    if let Some(mistake) = &review.moves[number - 1].mistake {
        let better = better_words(review.board(), mistake, notation);
        comment += &format!(" Mistake: {better} was better by {}.", loss(mistake));
        comment.extend(mistake.reason.iter().map(|reason| format!(" The reason: {}.", reason.text(notation))));
    }
    if let Some(finding) = findings.iter().find(|finding| finding.mistakes.contains(&(number - 1))) {
        match finding.shown + 1 {
            shown if shown != number => comment += &format!(" See move {shown}."),
            _ if finding.mistakes.len() > 1 => comment += &format!(" {}", finding.words(review, notation)),
            _ => {}
        }
    }
    if review.turning_points.contains(&(number - 1)) {
        comment += " Turning point.";
    }
    comment
}

/// Adds the better line beside the move.
fn add_variation(record: &mut Record, m: &ReviewedMove, mistake: &Mistake) {
    let better = match mistake.better {
        Move::Place(_) => {
            let colors = [m.color, !m.color].into_iter().cycle();
            colors.zip(&mistake.line).map(|(color, &v)| (color, Move::Place(v))).collect()
        }
        other => vec![(m.color, other)],
    };
    let parent = record.parent(m.node).expect("a move that was played is not the root");
    let first = record.add_variation(parent, &better);
    let chance = percent(white_chance(m.color, mistake.better_chance), mistake.missed_win);
    record.node_mut(first).add_comment(&format!("Better: White wins {chance}."));
}

fn white_chance(color: Color, chance: f64) -> f64 {
    if color == Color::White { chance } else { 1.0 - chance }
}
