//! Guided playouts.

use rand::Rng;

use super::{Ending, Spot};
use crate::board::{Color, Position, Structures, checks};

/// What guides a playout.
pub(crate) struct Guidance {
    /// Probability, in 2^-16, of answering an intrusion into a two-bridge.
    pub reply: u32,
    /// Moves up to which a ring counts.
    pub ring_moves: usize,
}

const REPLY: [u8; 64] = {
    let mut table = [0; 64];
    let mut own = 0;
    while own < 64 {
        let left = (own << 1 | own >> 5) & 63;
        let right = (own >> 1 | own << 5) & 63;
        table[own] = (left & right & !own) as u8;
        own += 1;
    }
    table
};

#[inline]
pub(crate) fn guided(
    position: &mut Position,
    pool: &mut [Spot],
    moves: &mut Vec<Spot>,
    last: Option<Spot>,
    first: Color,
    guidance: &Guidance,
    rng: &mut impl Rng,
) -> Ending {
    let geometry = position.geometry();
    let mut color = first;
    let mut drawn = 0;
    let mut last = last;
    loop {
        let random = rng.next_u64();
        let mut choice = None;
        if let Some(last) = last.filter(|_| (random >> 48) < guidance.reply as u64) {
            let here = position.neighbourhood(last.cell);
            let off = geometry.off_board(last.cell);
            let candidates = REPLY[here.around(color) | off] as usize & !here.around(!color) & !off;
            if candidates != 0 {
                let d = candidates.trailing_zeros() as usize;
                let cell = last.cell.step(geometry.offsets()[d]);
                debug_assert!(position.neighbourhood(cell).is_empty());
                if let Some(vertex) = geometry.vertex_of(cell) {
                    choice = Some(Spot { cell, vertex });
                }
            }
        }
        let spot = match choice {
            Some(spot) => spot,
            None => {
                let mut bits = random;
                loop {
                    if drawn == pool.len() {
                        return Ending { length: moves.len(), winner: None, structures: Structures::NONE };
                    }
                    let left = pool.len() - drawn;
                    let at = drawn + (((bits & 0xffff_ffff) * left as u64) >> 32) as usize;
                    let spot = pool[at];
                    pool[at] = pool[drawn];
                    drawn += 1;
                    if position.neighbourhood(spot.cell).is_empty() {
                        break spot;
                    }
                    bits = rng.next_u64();
                }
            }
        };
        moves.push(spot);
        let structures = if moves.len() <= guidance.ring_moves {
            position.place_checked::<{ checks::ALL }>(color, spot.cell)
        } else {
            position.place_checked::<{ checks::BRIDGE_FORK }>(color, spot.cell)
        };
        if !structures.is_empty() {
            return Ending { length: moves.len(), winner: Some(color), structures };
        }
        last = Some(spot);
        color = !color;
    }
}
