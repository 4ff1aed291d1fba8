//! Proofs: the solver agrees with every proof that is accepted.

use malecon::engine::solver::{Solution, Solver};
use malecon::game::Color;
use malecon::proof::{self, Root};

/// Positions that the solver may visit to confirm a root.
const NODES: u64 = 20_000;

/// If the first byte is even, the rest is the file. Otherwise its last eight bytes are replaced by the correct
/// checksum, so that the rest of the checker is tested.
pub fn check(input: &[u8]) {
    let [kind, rest @ ..] = input else { return };
    let file = if kind % 2 == 0 { rest.to_vec() } else { with_checksum(rest.to_vec()) };
    match proof::check(&file[..]) {
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty() && !message.contains('\n'), "{message:?}");
        }
        Ok(checked) => {
            assert_eq!(checked.bytes, file.len() as u64);
            checked.roots.iter().take(10).for_each(confirm);
        }
    }
}

/// The solver must find the same winner, if it finds any.
fn confirm(root: &Root) {
    // Some boards between sides 5 and 6 have proofs, but no solver.
    let Ok(mut solver) = Solver::new(root.position().geometry(), 1 << 20) else { return };
    let winner: Option<Color> = match solver.solve(root.position(), root.to_move(), NODES) {
        None => return,
        Some(Solution::Win(_)) => Some(root.to_move()),
        Some(Solution::Loss) => Some(!root.to_move()),
        Some(Solution::Draw) => None,
    };
    assert_eq!(winner, Some(root.winner()));
}

/// Puts the 64-bit FNV-1a hash of all other bytes at the end.
fn with_checksum(mut file: Vec<u8>) -> Vec<u8> {
    let Some(body) = file.len().checked_sub(8) else { return file };
    let add = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let sum = file[..body].iter().fold(0xcbf2_9ce4_8422_2325, add);
    file[body..].copy_from_slice(&sum.to_le_bytes());
    file
}
