//! Network files: what is accepted is written back byte for byte and gives numbers.

use malecon::game::{Game, Geometry};
use malecon::network::{Backend, Evaluation, Input, Network};

use super::bytes::Bytes;

/// Where the checksum stands, and the length of the header.
const CHECKSUM: std::ops::Range<usize> = 56..64;

/// If the first byte is even, the rest is the file. Otherwise the rest describes a file with the right lengths and the
/// right checksum, so that what comes after these checks is reached.
pub fn check(input: &[u8]) {
    let [kind, rest @ ..] = input else { return };
    let file = if kind % 2 == 0 { rest.to_vec() } else { well_formed(&mut Bytes(rest)) };
    match Network::from_bytes(&file) {
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty() && !message.contains('\n'), "{message:?}");
        }
        Ok(network) => {
            assert!(network.to_bytes() == file, "the network is written as it was read");
            evaluate(&network);
        }
    }
}

fn evaluate(network: &Network) {
    let mut game = Game::new(Geometry::with_side(3).unwrap());
    game.play(game.geometry().vertex(7).unwrap()).unwrap();
    let mut evaluation = Evaluation::default();
    network.evaluator(game.geometry()).evaluate(&Input::new(&game), &mut evaluation);
    assert!((0.0..=1.0).contains(&evaluation.value), "{}", evaluation.value);
    assert!(evaluation.policy[..game.geometry().vertex_count()].iter().all(|logit| logit.is_finite()));
}

/// A file by `docs/model-format.md`, of a small network, in the present format or the one before. The weights repeat the
/// end of the input.
fn well_formed(bytes: &mut Bytes<'_>) -> Vec<u8> {
    let first = bytes.byte();
    let (blocks, has_ranges) = (u32::from(first % 4), first >= 128);
    let (version, features, input_bits) = if has_ranges { (3, 127, 0_u16) } else { (2, 95, 3) };
    let channels = *bytes.one_of(&[16_u32, 16, 16, 32, 17, 0]);
    let hidden = u32::from(bytes.byte() % 8);
    let description: Vec<u8> = (0..bytes.byte() % 32).map(|_| bytes.byte()).collect();
    let per_weight = bytes.byte();
    let before_blocks = 7 * features * channels + 2 * channels;
    let of_ranges = if has_ranges { channels } else { 0 };
    let of_block = of_ranges + 2 * channels * channels + 2 * (7 * channels * channels + channels);
    let count = before_blocks + blocks * of_block + channels + (2 * channels + 1) * hidden + 2 * hidden + 1;
    let mut file = b"\x89MLC\r\n\x1a\n".to_vec();
    file.extend(
        [version, version, features, blocks, channels, hidden, 2, 2].iter().flat_map(|word: &u32| word.to_le_bytes()),
    );
    file.extend([input_bits, 0].iter().flat_map(|word| word.to_le_bytes()));
    file.extend((description.len() as u32).to_le_bytes());
    file.extend(u64::from(4 * count).to_le_bytes());
    file.extend([0; 8]);
    file.extend(&description);
    let mut rest = bytes.0.iter().copied().cycle();
    let mut next = || rest.next().unwrap_or(0);
    for number in 0..count {
        let is_range = number
            .checked_sub(before_blocks)
            .is_some_and(|number| number < blocks * of_block && number % of_block < of_ranges);
        // Either any number at all, which few files survive, or one of moderate size.
        let weight = match per_weight {
            0 => f32::from_bits(u32::from_le_bytes([next(), next(), next(), next()])),
            _ if is_range => 0.5 + f32::from(next()) / 2.0,
            scale => f32::from(next().cast_signed()) * f32::from(scale) / 1024.0,
        };
        file.extend(weight.to_le_bytes());
    }
    let checksum = fnv1a(file[..CHECKSUM.start].iter().chain(&file[CHECKSUM.end..]));
    file[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
    file
}

fn fnv1a<'a>(bytes: impl Iterator<Item = &'a u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
