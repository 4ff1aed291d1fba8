//! A review as JSON.

use serde_json::{Value, json};

use crate::game::Notation;

use super::*;

/// The review as one JSON object. Chances are in \[0, 1\]: `white` is White's, and those of mistakes are for the player
/// who moved. Vertices have HavannahGui's names.
pub fn value(review: &Review) -> Value {
    let [white, black] = &review.record.players;
    let board = review.board();
    let decided = review.decided().map(|(after, winner)| json!({"after": after, "winner": winner}));
    let ahead = review.ahead().map(|(after, Lead { basis, widths: [white, black], .. })| {
        json!({"after": after, "basis": basis.name(), "widths": {"white": white, "black": black}})
    });
    json!({
        "side": board.side(),
        "white": white,
        "black": black,
        "winner": review.record.result().map(|result| Winner::from(result.winner)),
        "by": review.record.by(),
        "partial": review.is_partial,
        "seconds": review.seconds,
        "positions": review.positions.iter().map(|position| assessment(board, position)).collect::<Vec<_>>(),
        "moves": review.moves.iter().enumerate().map(|(i, m)| reviewed_move(board, i, m)).collect::<Vec<_>>(),
        "findings": review.findings().iter().map(|found| finding(review, found)).collect::<Vec<_>>(),
        "turning_points": review.turning_points.iter().map(|i| i + 1).collect::<Vec<_>>(),
        "decided": decided,
        "ahead": ahead,
    })
}

/// What a review has just found, as one JSON object: the position after `turn` moves, and the move played in it, once
/// that is checked. `partial` is true, because more follows.
pub fn progress(board: &Geometry, progress: Progress<'_>) -> Value {
    match progress {
        Progress::Searched { turn, position } => {
            json!({"partial": true, "turn": turn, "position": assessment(board, position)})
        }
        Progress::Checked { turn, position, played } => {
            let position = assessment(board, position);
            let played = reviewed_move(board, turn, played);
            json!({"partial": true, "turn": turn, "position": position, "move": played})
        }
    }
}

fn finding(review: &Review, finding: &Finding) -> Value {
    let Finding { better, mistakes, shown, loss, swing, decisive } = finding;
    json!({
        "text": finding.words(review, Notation::HavannahGui),
        "kind": finding.kind(review).name(),
        "player": finding.player(review).map_or("both".to_owned(), |color| color.to_string()),
        "played": review.moves[*shown].played.show(review.board(), Notation::HavannahGui),
        "better": better.show(review.board(), Notation::HavannahGui),
        "moves": mistakes.iter().map(|i| i + 1).collect::<Vec<_>>(),
        "move": shown + 1,
        "loss": loss,
        "swing": swing,
        "decisive": decisive,
    })
}

fn assessment(board: &Geometry, position: &Assessment) -> Value {
    let line = if position.swap {
        vec![Move::Swap.show(board, Notation::HavannahGui)]
    } else {
        Notation::HavannahGui.names(board, &position.line)
    };
    let missing = |missing: &[Option<usize>; 3]| json!({"bridge": missing[0], "fork": missing[1], "ring": missing[2]});
    json!({
        "to_move": position.to_move,
        "white": position.white,
        "proven": position.proven,
        "line": line,
        "missing": {"white": missing(&position.missing[0]), "black": missing(&position.missing[1])},
        "simulations": position.simulations,
    })
}

fn reviewed_move(board: &Geometry, i: usize, m: &ReviewedMove) -> Value {
    let mistake = m.mistake.as_ref().map(|mistake| {
        json!({
            "loss": mistake.loss(),
            "kind": if mistake.is_blunder() { "blunder" } else { "mistake" },
            "better": mistake.better.show(board, Notation::HavannahGui),
            "line": Notation::HavannahGui.names(board, &mistake.line),
            "better_chance": mistake.better_chance,
            "played_chance": mistake.played_chance,
            "missed_win": mistake.missed_win,
            "reason": mistake.reason,
        })
    });
    json!({
        "number": i + 1,
        "color": m.color,
        "move": m.played.show(board, Notation::HavannahGui),
        "mistake": mistake,
    })
}
