//! A review as JSON.

use serde_json::{Value, json};

use crate::board::Notation;

use super::*;

/// The review as one JSON object. Chances are in \[0, 1\]: `white` is White's, those of mistakes are the player's who
/// moved. Vertices have HavannahGui's names.
pub fn value(review: &Review) -> Value {
    let [white, black] = &review.record.players;
    let decided = review.decided().map(|(after, winner)| json!({"after": after, "winner": winner}));
    let ahead = review.ahead().map(|(after, Lead { basis, widths: [white, black], .. })| {
        json!({"after": after, "basis": basis.name(), "widths": {"white": white, "black": black}})
    });
    json!({
        "side": review.board().side(),
        "white": white,
        "black": black,
        "winner": review.record.result().map(|result| Winner::from(result.winner)),
        "by": review.record.by(),
        "partial": review.is_partial(),
        "seconds": review.seconds,
        "positions": review.positions.iter().map(|position| assessment(review, position)).collect::<Vec<_>>(),
        "moves": (0..review.moves.len()).map(|i| reviewed_move(review, i)).collect::<Vec<_>>(),
        "turning_points": review.turning_points.iter().map(|i| i + 1).collect::<Vec<_>>(),
        "decided": decided,
        "ahead": ahead,
    })
}

fn assessment(review: &Review, position: &Assessment) -> Value {
    let line = match position.swap {
        true => vec![Move::Swap.show(review.board(), Notation::HavannahGui)],
        false => Notation::HavannahGui.names(review.board(), &position.line),
    };
    let missing = |missing: &[Option<usize>; 3]| json!({"bridge": missing[0], "fork": missing[1], "ring": missing[2]});
    json!({
        "to_move": position.to_move.to_string(),
        "white": position.white,
        "proven": position.proven,
        "line": line,
        "missing": {"white": missing(&position.missing[0]), "black": missing(&position.missing[1])},
        "simulations": position.simulations,
    })
}

fn reviewed_move(review: &Review, i: usize) -> Value {
    let m = &review.moves[i];
    let mistake = m.mistake.as_ref().map(|mistake| {
        json!({
            "loss": mistake.loss(),
            "better": mistake.better.show(review.board(), Notation::HavannahGui),
            "line": Notation::HavannahGui.names(review.board(), &mistake.line),
            "better_chance": mistake.better_chance,
            "played_chance": mistake.played_chance,
            "missed_win": mistake.missed_win,
        })
    });
    json!({
        "number": i + 1,
        "color": m.color.to_string(),
        "move": m.played.show(review.board(), Notation::HavannahGui),
        "mistake": mistake,
    })
}
