//! Tic-tac-toe.

use super::strong_positional::Patterns;

/// `tic_tac_toe`. The points are numbered from 0 here, from 1 in the text.
pub fn tic_tac_toe() -> Patterns {
    const ROWS: [&[usize]; 8] =
        [&[0, 1, 2], &[3, 4, 5], &[6, 7, 8], &[0, 3, 6], &[1, 4, 7], &[2, 5, 8], &[0, 4, 8], &[2, 4, 6]];
    Patterns::symmetric(9, &ROWS)
}
