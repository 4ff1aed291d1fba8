//! A review as comments and variations of the record.

use crate::game::Notation;
use crate::game::record::{NodeId, Property, Record};

use super::text::BEFORE_MISTAKES;
use super::*;

/// The record with the review written into it: a summary and what decided the game at the root, White's chance of
/// winning in a comment after each move, the move from which the winner was ahead in the race, mistakes marked as bad
/// moves (`BM`), and for each finding the better line as a variation beside the move that shows it best. What an
/// earlier review wrote is replaced; what others wrote stays.
pub fn annotated(review: &Review, notation: Notation) -> Record {
    let mut record = review.record.clone();
    remove_review(&mut record);
    let findings = review.findings();
    record.node_mut(0).add_comment(&summary(review, &findings, notation));
    for (i, position) in review.positions.iter().enumerate().skip(1) {
        let m = &review.moves[i - 1];
        record.node_mut(m.node).add_comment(&comment(review, &findings, i, position, notation));
    }
    findings
        .iter()
        .for_each(|finding| add_variation(&mut record, &review.moves[finding.shown], finding.mistake(review)));
    if let (Some((after, _)), Some(words)) = (review.ahead(), ahead_words(review)) {
        let node = after.checked_sub(1).map_or(0, |i| review.moves[i].node);
        record.node_mut(node).add_comment(&format!("{}.", capitalized(&words)));
    }
    review.moves.iter().for_each(|m| mark_mistake(&mut record, m));
    record
}

/// Marks a mistake after the comment. A mark that somebody else put there stays, before the comment, where a later
/// review can tell it from its own.
fn mark_mistake(record: &mut Record, m: &ReviewedMove) {
    let Some(mistake) = &m.mistake else { return };
    let properties = &mut record.node_mut(m.node).properties;
    match properties.iter().position(|property| property.name == "BM") {
        Some(place) => properties[..=place].rotate_right(1),
        None => properties.push(Property::new("BM", if mistake.is_blunder() { "2" } else { "1" })),
    }
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
    let chance = percent(seen_by(m.color, mistake.better_chance), mistake.missed_win);
    // Somebody else's variation only gets a comment, so that a later review can tell which ones are its own.
    let mut others = record.node(parent).children().iter().copied();
    match others.find(|&child| record.node(child).play == better.first().copied()) {
        Some(first) => record.node_mut(first).add_comment(&format!("{OWN_MOVE}{chance}.")),
        None => {
            let first = record.add_variation(parent, &better);
            record.node_mut(first).add_comment(&format!("{OWN_LINE}{chance}."));
        }
    }
}

/// How the comments of a review begin: after each move, at the first move of a better line, and at a better move that
/// was in the record already.
const AFTER_MOVE: &str = "White wins ";
const OWN_LINE: &str = "Better: White wins ";
const OWN_MOVE: &str = "This is better: White wins ";

/// Removes what an earlier review wrote: its lines in comments, its marks of mistakes, and its better lines, unless
/// somebody has added to them.
fn remove_review(record: &mut Record) {
    for id in 0..record.node_count() {
        let own = |&child: &NodeId| is_own_line(record, child);
        let lines: Vec<NodeId> = record.node(id).children().iter().copied().skip(1).filter(own).collect();
        lines.into_iter().for_each(|line| record.remove_variation(id, line));
    }
    for id in 0..record.node_count() {
        let Some(comment) = record.node(id).comment() else { continue };
        let (own, kept): (Vec<&str>, Vec<&str>) = comment.lines().partition(|line| is_own(line, id == 0));
        if own.is_empty() {
            continue;
        }
        let marked = own.iter().any(|line| line.contains(" Mistake: "));
        let properties = &mut record.node_mut(id).properties;
        // A review puts its mark after its comment. A mark before that was there before.
        let place = properties.iter().position(|property| property.name == "C").expect("there is a comment");
        if marked && properties.get(place + 1).is_some_and(|property| property.name == "BM") {
            properties.remove(place + 1);
        }
        match kept.join("\n") {
            kept if kept.trim().is_empty() => _ = properties.remove(place),
            kept => properties[place] = Property::new("C", &kept),
        }
    }
}

/// Whether this node begins a better line of a review, to which nobody has added anything.
fn is_own_line(record: &Record, first: NodeId) -> bool {
    let comment = record.node(first).comment();
    let is_ours = comment.is_some_and(|comment| chance_after(&comment, OWN_LINE) == Some(""));
    let mut line = std::iter::successors(Some(first), |&id| record.node(id).children().first().copied());
    is_ours
        && line.all(|id| {
            let node = record.node(id);
            node.children().len() < 2 && node.stones.is_empty() && node.properties.len() == usize::from(id == first)
        })
}

/// Whether a line of a comment is a review's.
fn is_own(line: &str, is_root: bool) -> bool {
    let is_about_a_move = [AFTER_MOVE, OWN_LINE, OWN_MOVE].iter().any(|start| chance_after(line, start).is_some());
    let is_summary = || {
        let heading = ["What decided the game:", "Largest mistakes:"].contains(&line);
        let effort = line.starts_with("Each position was searched ") && line.ends_with(" % of the chances.");
        let title = line.contains("; white ") && line.contains(" (-") && line.ends_with(" %)");
        let stopped = line.contains("; stopped ") && line.ends_with(BEFORE_MISTAKES);
        heading || effort || title || stopped || findings::is_finding(line)
    };
    is_about_a_move || is_lead(line) || (is_root && is_summary())
}

/// The rest of a comment after `start` and a chance of winning.
fn chance_after<'a>(comment: &'a str, start: &str) -> Option<&'a str> {
    let (chance, after) = comment.strip_prefix(start)?.split_once(" %.")?;
    chance.parse::<u8>().is_ok().then_some(after)
}

/// `From move 9 on, white was ahead by threats.`, as [`ahead_words`] says it.
fn is_lead(line: &str) -> bool {
    let since = line.strip_prefix("From the start, ").or_else(|| {
        let (number, rest) = line.strip_prefix("From move ")?.split_once(" on, ")?;
        number.parse::<usize>().is_ok().then_some(rest)
    });
    since.is_some_and(|rest| rest.starts_with("white was ahead ") || rest.starts_with("black was ahead "))
}
