//! What a review teaches: mistakes about the same point make one finding, and the findings that decided the game come
//! first.

use crate::game::{Color, Move, Notation};

use super::*;

/// The most findings that are said to have decided a game.
pub(super) const MOMENTS: usize = 3;

/// One thing that one or both players overlooked, in one mistake or in several.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The better move of all its mistakes.
    pub better: Move,
    /// The mistakes, by the indices of their moves, in the order of play.
    pub mistakes: Vec<usize>,
    /// The mistake that shows it best: the one by which the winner gained most for good, or else by which the player
    /// lost most.
    pub shown: usize,
    /// The largest loss of a mistake, a chance of winning in \[0, 1\].
    pub loss: f64,
    /// What the winner of the game gained by these mistakes and never lost again, a chance of winning in \[0, 1\].
    pub swing: f64,
    /// Whether this is one of the moments that decided the game.
    pub decisive: bool,
}

/// What was wrong with the moves of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindingKind {
    /// The first stone was too strong for the pie rule.
    TooStrong,
    /// The first stone was too weak, although the opponent could have taken it over.
    TooWeak,
    /// The player should have swapped.
    NoSwap,
    /// There was a better vertex.
    Overlooked,
}

impl FindingKind {
    /// A word for the kind, which does not change from version to version: `too-strong`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::TooStrong => "too-strong",
            FindingKind::TooWeak => "too-weak",
            FindingKind::NoSwap => "no-swap",
            FindingKind::Overlooked => "overlooked",
        }
    }
}

/// The findings of a review, the most important first: by the swing if it is as large as a mistake, then by the loss.
pub(super) fn findings(review: &Review) -> Vec<Finding> {
    let swings = swings(review);
    let mut findings: Vec<Finding> = groups(review).into_iter().map(|group| finding(review, group, &swings)).collect();
    let weight = |swing: f64| if swing >= review.settings.mistake { swing } else { 0.0 };
    findings.sort_by(|a, b| (weight(b.swing), b.loss).partial_cmp(&(weight(a.swing), a.loss)).expect("no NaN"));
    findings.iter_mut().take(MOMENTS).for_each(|finding| finding.decisive = weight(finding.swing) > 0.0);
    findings
}

fn finding(review: &Review, mistakes: Vec<usize>, swings: &[f64]) -> Finding {
    let loss = |i: usize| mistake(review, i).loss();
    let best = mistakes
        .iter()
        .copied()
        .max_by(|&a, &b| (swings[a], loss(a)).partial_cmp(&(swings[b], loss(b))).expect("no NaN"));
    let shown = best.expect("a finding has mistakes");
    Finding {
        better: mistake(review, shown).better,
        shown,
        loss: mistakes.iter().map(|&i| loss(i)).fold(0.0, f64::max),
        swing: mistakes.iter().map(|&i| swings[i]).sum(),
        decisive: false,
        mistakes,
    }
}

fn mistake(review: &Review, i: usize) -> &Mistake {
    review.moves[i].mistake.as_ref().expect("this move was a mistake")
}

/// The mistakes that belong together, in the order of their first moves.
fn groups(review: &Review) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, _, mistake) in review.mistakes() {
        let continued = groups.iter_mut().rev().find(|group| {
            let &last = group.last().expect("a group has mistakes");
            let former = self::mistake(review, last);
            matches!(mistake.better, Move::Place(_)) && former.better == mistake.better && is_continued(review, last, i)
        });
        match continued {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups
}

/// Whether two mistakes with the same better move are about the same thing. They are if the best line contained this
/// move in all positions between them in which a player who made one of them was to move, with at most one exception.
/// The exception leaves room for an answer to a threat.
fn is_continued(review: &Review, former: usize, latter: usize) -> bool {
    let Move::Place(point) = mistake(review, latter).better else { return false };
    let players = [former, latter].map(|i| review.moves[i].color);
    let others = (former + 1..latter)
        .filter(|&i| players.contains(&review.moves[i].color) && !review.positions[i].line.contains(&point));
    others.count() <= 1
}

/// For each move, what the winner gained by it and never lost again: by how much it raised the lowest chance of winning
/// that the winner had afterwards. 0 for all moves if nobody has won or is ahead.
fn swings(review: &Review) -> Vec<f64> {
    let Some(winner) = winner(review) else { return vec![0.0; review.moves.len()] };
    let mut least: Vec<f64> = review.positions.iter().map(|position| position.chance(winner)).collect();
    for i in (1..least.len()).rev() {
        least[i - 1] = f64::min(least[i - 1], least[i]);
    }
    least.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// The winner of the game, or the player who was ahead when it was broken off.
fn winner(review: &Review) -> Option<Color> {
    match review.record.result() {
        Some(result) => result.winner,
        None => review.positions.last().and_then(|position| leader(position.white)),
    }
}

impl Finding {
    /// The mistake that shows it best.
    pub fn mistake<'a>(&self, review: &'a Review) -> &'a Mistake {
        mistake(review, self.shown)
    }

    /// What was wrong.
    pub fn kind(&self, review: &Review) -> FindingKind {
        let is_first_stone = self.mistakes == [0] && review.game_after(0).history().is_empty();
        match self.better {
            // Under the pie rule, a first stone can be too good.
            _ if is_first_stone && (review.settings.swap || review.record.has_pie_rule()) => {
                let was_to_be_swapped = review.positions.get(1).is_some_and(|position| position.swap);
                if was_to_be_swapped { FindingKind::TooStrong } else { FindingKind::TooWeak }
            }
            Move::Place(_) => FindingKind::Overlooked,
            _ => FindingKind::NoSwap,
        }
    }

    /// Who made the mistakes; `None` for both players.
    pub fn player(&self, review: &Review) -> Option<Color> {
        let color = review.moves[self.mistakes[0]].color;
        self.mistakes.iter().all(|&i| review.moves[i].color == color).then_some(color)
    }

    /// The finding in a sentence, such as `Both overlooked f2 from move 9 to 23.`
    pub fn words(&self, review: &Review, notation: Notation) -> String {
        let [first, last] = [self.mistakes[0], self.mistakes[self.mistakes.len() - 1]];
        let who = self.player(review).map_or(BOTH.to_owned(), capitalized);
        let better = self.better.show(review.board(), notation);
        let stone = review.moves[first].played.show(review.board(), notation);
        let [since, until] = [first, last].map(|i| (i + 1).to_string());
        match self.kind(review) {
            FindingKind::TooStrong => TOO_STRONG.filled(&[who, stone, better]),
            FindingKind::TooWeak => TOO_WEAK.filled(&[who, stone, better]),
            FindingKind::NoSwap => NO_SWAP.filled(&[who, since]),
            FindingKind::Overlooked if first == last => OVERLOOKED.filled(&[who, better, since]),
            FindingKind::Overlooked => OVERLOOKED_AGAIN.filled(&[who, better, since, until]),
        }
    }
}

/// The players of a finding, if both made its mistakes.
const BOTH: &str = "Both";

const TOO_STRONG: Sentence = Sentence("_'s first stone _ was too strong for the pie rule; _ is fairer.");
const TOO_WEAK: Sentence = Sentence("_'s first stone _ was too weak; _ is better.");
const NO_SWAP: Sentence = Sentence("_ should have swapped at move _.");
const OVERLOOKED: Sentence = Sentence("_ overlooked _ at move _.");
const OVERLOOKED_AGAIN: Sentence = Sentence("_ overlooked _ from move _ to _.");

/// Whether a line is a finding in a sentence, as [`Finding::words`] says it.
pub(super) fn is_finding(line: &str) -> bool {
    let mut players = Color::ALL.map(capitalized).into_iter().chain([BOTH.to_owned()]);
    let sentences = [TOO_STRONG, TOO_WEAK, NO_SWAP, OVERLOOKED, OVERLOOKED_AGAIN];
    players.any(|who| line.starts_with(&who)) && sentences.iter().any(|sentence| sentence.fits(line))
}

/// A sentence about a finding. Each `_` is a gap for a word; the first one is for who made the mistakes.
struct Sentence(&'static str);

impl Sentence {
    /// The sentence with these words in its gaps.
    fn filled(&self, words: &[String]) -> String {
        let parts = self.0.split('_');
        let words = words.iter().map(String::as_str).chain([""]);
        parts.zip(words).flat_map(|(part, word)| [part, word]).collect()
    }

    /// Whether this line is the sentence with some words in its gaps.
    fn fits(&self, line: &str) -> bool {
        let fits = |(expected, word): (&str, &str)| match expected.split_once('_') {
            None => word == expected,
            Some((before, after)) => {
                let filling = word.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
                filling.is_some_and(|filling| !filling.is_empty())
            }
        };
        let [expected, words] = [self.0, line].map(|text| text.split(' '));
        expected.clone().count() == words.clone().count() && expected.zip(words).all(fits)
    }
}

#[cfg(test)]
mod tests {
    use crate::game::record::{GameResult, How};

    use super::*;

    /// A review of a game of side 4. Each move is a word, with the better move if it was a mistake, and White's chance
    /// after it. The best line in each position is what the mistake says, or else the move itself.
    fn review(moves: &[(&str, Option<&str>, f64)], winner: Option<Color>) -> Review {
        let words: Vec<&str> = moves.iter().map(|&(word, ..)| word).collect();
        let mut record = Record::from_words(Geometry::with_side(4).unwrap(), &words).unwrap();
        record.stated = winner.map(|winner| GameResult { winner: Some(winner), how: How::Resignation });
        let board = record.board();
        let point = |name: &str| Notation::HavannahGui.parse(board, name).unwrap();
        let white: Vec<f64> = std::iter::once(0.5).chain(moves.iter().map(|&(.., white)| white)).collect();
        let mut positions = Vec::new();
        let mut reviewed = Vec::new();
        for (i, &(word, better, _)) in moves.iter().enumerate() {
            let color = if i % 2 == 0 { Color::White } else { Color::Black };
            let line = vec![point(better.unwrap_or(word))];
            let chance = |white: f64| if color == Color::White { white } else { 1.0 - white };
            let mistake = better.map(|better| Mistake {
                better: Move::Place(point(better)),
                line: line.clone(),
                better_chance: chance(white[i]),
                played_chance: chance(white[i + 1]),
                missed_win: false,
                reason: None,
            });
            positions.push(Assessment::new(color, white[i], line));
            reviewed.push(ReviewedMove { color, played: Move::Place(point(word)), node: i + 1, mistake });
        }
        positions.push(Assessment::new(Color::White, white[moves.len()], Vec::new()));
        Review {
            record,
            settings: Settings::default(),
            moves: reviewed,
            positions,
            turning_points: Vec::new(),
            is_partial: false,
            seconds: 0.0,
        }
    }

    /// The findings as their words, without the full stop, and whether they decided the game.
    fn words(review: &Review) -> Vec<(String, bool)> {
        let words = |finding: &Finding| finding.words(review, Notation::HavannahGui).trim_end_matches('.').to_owned();
        review.findings().iter().map(|finding| (words(finding), finding.decisive)).collect()
    }

    #[test]
    fn mistakes_about_one_point_are_one_finding_for_both_players() {
        let found = review(
            &[("a1", Some("d4"), 0.3), ("b1", Some("d4"), 0.5), ("c1", Some("d4"), 0.2), ("d4", None, 0.2)],
            Some(Color::Black),
        );
        assert_eq!(words(&found), [("Both overlooked d4 from move 1 to 3".into(), true)]);
        let finding = &found.findings()[0];
        assert_eq!((finding.mistakes.as_slice(), finding.shown), (&[0, 1, 2][..], 2));
        assert!((finding.loss - 0.3).abs() < 1e-9 && (finding.swing - 0.3).abs() < 1e-9, "{finding:?}");
    }

    #[test]
    fn one_player_may_overlook_a_point_again_and_again() {
        // The answer to a threat, c1, comes between; black's move is about something else.
        let moves = [
            ("a1", Some("d4"), 0.4),
            ("b1", Some("g7"), 0.6),
            ("c1", None, 0.6),
            ("c2", None, 0.6),
            ("d1", Some("d4"), 0.3),
        ];
        let found = review(&moves, Some(Color::Black));
        assert_eq!(
            words(&found),
            [("White overlooked d4 from move 1 to 5".into(), true), ("Black overlooked g7 at move 2".into(), false)]
        );
    }

    #[test]
    fn what_was_not_the_best_move_in_between_is_another_finding() {
        let moves = [
            ("a1", Some("d4"), 0.3),
            ("b1", None, 0.3),
            ("c1", None, 0.3),
            ("b2", None, 0.3),
            ("c2", None, 0.3),
            ("b3", None, 0.3),
            ("d1", Some("d4"), 0.1),
        ];
        let found = review(&moves, Some(Color::Black));
        let apart = ["White overlooked d4 at move 7", "White overlooked d4 at move 1"];
        assert_eq!(words(&found), apart.map(|words| (words.into(), true)));
    }

    #[test]
    fn what_was_given_back_did_not_decide_the_game() {
        // White's first mistake is made up for by black's, and that one by white's second.
        let moves = [
            ("a1", Some("d4"), 0.2),
            ("b1", Some("g7"), 0.8),
            ("c1", Some("g6"), 0.3),
            ("d1", None, 0.3),
            ("a2", Some("d5"), 0.0),
        ];
        let found = review(&moves, Some(Color::Black)).findings();
        let found: Vec<_> = found.iter().map(|f| (f.shown, (100.0 * f.swing).round(), f.decisive)).collect();
        assert_eq!(found, [(2, 50.0, true), (4, 30.0, true), (1, 0.0, false), (0, 0.0, false)]);
        // If nobody has won and nobody is ahead, nothing was decided.
        let moves = [("a1", Some("d4"), 0.3), ("b1", Some("g7"), 0.5)];
        assert!(review(&moves, None).findings().iter().all(|finding| finding.swing == 0.0 && !finding.decisive));
    }

    #[test]
    fn three_moments_at_most_decide_a_game() {
        let moves = [
            ("a1", Some("d4"), 0.45),
            ("b1", None, 0.45),
            ("c1", Some("d5"), 0.33),
            ("d1", None, 0.33),
            ("a2", Some("d6"), 0.22),
            ("b2", None, 0.22),
            ("a3", Some("e5"), 0.11),
            ("b3", None, 0.11),
            ("b4", Some("e6"), 0.0),
        ];
        let found = review(&moves, Some(Color::Black)).findings();
        assert_eq!(found.iter().map(|finding| finding.shown).collect::<Vec<_>>(), [2, 4, 6, 8, 0]);
        assert_eq!(found.iter().filter(|finding| finding.decisive).count(), MOMENTS);
    }

    /// A review finds its own sentences again by this, and leaves alone what others wrote.
    #[test]
    fn findings_are_told_from_other_sentences() {
        let moves = [("a1", Some("d4"), 0.3), ("b1", Some("d4"), 0.5), ("c1", Some("g6"), 0.2), ("d4", None, 0.2)];
        let mut found = review(&moves, Some(Color::Black));
        let sentences = |review: &Review| -> Vec<String> {
            review.findings().iter().map(|finding| finding.words(review, Notation::HavannahGui)).collect()
        };
        let mut said = sentences(&found);
        found.settings.swap = true;
        found.moves[1].mistake.as_mut().unwrap().better = Move::Swap;
        said.extend(sentences(&found));
        found.positions[1].swap = true;
        said.extend(sentences(&found));
        for sentence in [
            "Both overlooked d4 from move 1 to 2.",
            "White overlooked g6 at move 3.",
            "White's first stone a1 was too weak; d4 is better.",
            "White's first stone a1 was too strong for the pie rule; d4 is fairer.",
            "Black should have swapped at move 2.",
        ] {
            assert!(said.iter().any(|said| said == sentence) && is_finding(sentence), "{sentence}: {said:?}");
        }
        for others in [
            "",
            "White overlooked g6.",
            "White overlooked the fork at move 3.",
            "She overlooked g6 at move 3.",
            "White's first stone a1 was too weak; I think d4 is better.",
            "Black should have swapped at move .",
        ] {
            assert!(!is_finding(others), "{others}");
        }
    }
}
