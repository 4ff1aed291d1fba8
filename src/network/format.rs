//! The file format of networks, described byte by byte in `docs/model-format.md`.

use crate::base::hash::fnv1a;

use super::architecture::{Architecture, Part};
use super::convolution::{INPUT_BITS, RANGE};
use super::error::{MAX_DESCRIPTION, NetworkError};
use super::features;
use super::grid::TAPS;

/// The first bytes of a network file. As in PNG, a byte beyond ASCII and both kinds of line ends reveal a file that was
/// transferred as text.
pub(super) const MAGIC: [u8; 8] = *b"\x89MLC\r\n\x1a\n";
/// The newest version of the format, which new networks have.
pub const FORMAT_VERSION: u32 = 3;
/// The version before, without ranges: the blocks read all channels with [`INPUT_BITS`] fraction bits.
const WITHOUT_RANGES: u32 = 2;
/// The code for blocks and a value head that pool means and maxima.
const POOLING: u32 = 2;
/// The code for blocks computed in 8 bits.
const ARITHMETIC: u32 = 2;
/// The length of the header without the description, in bytes.
pub(super) const HEADER: usize = 64;
/// The offset of the checksum: the last field of the fixed header.
const HASH_AT: usize = HEADER - 8;

/// The contents of a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Contents {
    /// The version of the format. Ranges that it lacks are [`RANGE`].
    pub format: u32,
    pub architecture: Architecture,
    /// The version of the features. Those that it lacks have the weight 0.
    pub version: u32,
    pub description: String,
    /// In the order of [`Architecture::range`].
    pub weights: Vec<f32>,
}

/// The longest file that can be a network.
#[cfg(not(target_family = "wasm"))]
pub(super) fn longest() -> u64 {
    use super::architecture::{CHANNELS, MAX_BLOCKS, MAX_HIDDEN};
    let widest = CHANNELS.into_iter().max().expect("there are widths");
    let largest = Architecture::new(MAX_BLOCKS, widest, MAX_HIDDEN).expect("a legal architecture");
    (HEADER + MAX_DESCRIPTION + payload_length(FORMAT_VERSION, largest, features::COUNT)) as u64
}

/// The length in bytes of the weights in a file of this version with this many features.
fn payload_length(format: u32, architecture: Architecture, features: usize) -> usize {
    let ranges = if format == WITHOUT_RANGES { architecture.blocks() } else { 0 };
    let left_out = (TAPS * (features::COUNT - features) + ranges) * architecture.channels();
    (architecture.weight_count() - left_out) * size_of::<f32>()
}

/// The fraction bits of the activations that the blocks read, as a header of this version has them: 0 stands for
/// ranges.
fn input_bits(format: u32) -> u16 {
    if format == WITHOUT_RANGES { INPUT_BITS as u16 } else { 0 }
}

impl Contents {
    /// The number of features that the network reads.
    pub fn features(&self) -> usize {
        features::count(self.version).expect("a known version")
    }

    /// The number of weights in the file.
    pub fn weight_count(&self) -> usize {
        payload_length(self.format, self.architecture, self.features()) / size_of::<f32>()
    }

    /// The contents as a file, and its checksum. The description must be valid.
    pub fn encode(&self) -> (Vec<u8>, u64) {
        let Contents { format, architecture, version, description, weights } = self;
        let features = self.features();
        let length = payload_length(*format, *architecture, features);
        let mut bytes = Vec::with_capacity(HEADER + description.len() + length);
        bytes.extend(MAGIC);
        for word in [
            *format,
            *version,
            features as u32,
            architecture.blocks() as u32,
            architecture.channels() as u32,
            architecture.hidden() as u32,
            POOLING,
            ARITHMETIC,
        ] {
            bytes.extend(word.to_le_bytes());
        }
        // Weights have scales in place of fraction bits.
        bytes.extend([input_bits(*format), 0].into_iter().flat_map(u16::to_le_bytes));
        bytes.extend((description.len() as u32).to_le_bytes());
        bytes.extend((length as u64).to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(description.as_bytes());
        let channels = architecture.channels();
        let mut write = |weights: &[f32]| weights.iter().for_each(|weight| bytes.extend(weight.to_le_bytes()));
        for part in architecture.parts() {
            let weights = &weights[architecture.range(part)];
            match part {
                Part::First => {
                    let taps = weights.chunks_exact(features::COUNT * channels);
                    taps.for_each(|tap| write(&tap[..features * channels]));
                }
                Part::Ranges(_) if *format == WITHOUT_RANGES => {}
                _ => write(weights),
            }
        }
        let hash = checksum(&bytes);
        bytes[HASH_AT..HEADER].copy_from_slice(&hash.to_le_bytes());
        (bytes, hash)
    }

    /// Reads a file. Allocates in proportion to its length, whatever its header says. Does not check the weights, nor,
    /// if the file is trusted, the checksum.
    pub fn decode(bytes: &[u8], is_trusted: bool) -> Result<(Contents, u64), NetworkError> {
        let found = bytes.len() as u64;
        if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) {
            return Err(NetworkError::Foreign);
        }
        let Some(header) = bytes.first_chunk::<HEADER>() else {
            return Err(NetworkError::Truncated { found, expected: HEADER as u64 });
        };
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        let format = word(8);
        if ![WITHOUT_RANGES, FORMAT_VERSION].contains(&format) {
            let [what, expected] = ["format version", "2 or 3"];
            return Err(NetworkError::Unsupported { what, found: format.into(), expected: expected.to_owned() });
        }
        let version = word(12);
        let Some(features) = features::count(version) else {
            let [what, expected] = ["version of the features", "2 or 3"];
            return Err(NetworkError::Unsupported { what, found: version.into(), expected: expected.to_owned() });
        };
        require("number of features", word(16), features as u32)?;
        require("kind of pooling", word(32), POOLING)?;
        require("kind of arithmetic", word(36), ARITHMETIC)?;
        require("number of fraction bits of activations", short(40), input_bits(format))?;
        require("number of fraction bits of weights", short(42), 0_u16)?;
        let [blocks, channels, hidden] = [20, 24, 28].map(|at| word(at) as usize);
        let architecture = Architecture::new(blocks, channels, hidden)?;
        let description = word(44) as usize;
        if description > MAX_DESCRIPTION {
            return Err(NetworkError::Description);
        }
        let length = payload_length(format, architecture, features);
        require("length of the payload", long(48), length as u64)?;
        let expected = (HEADER + description + length) as u64;
        match found.cmp(&expected) {
            std::cmp::Ordering::Less => return Err(NetworkError::Truncated { found, expected }),
            std::cmp::Ordering::Greater => return Err(NetworkError::TooLong { found, expected }),
            std::cmp::Ordering::Equal => (),
        }
        let expected = long(HASH_AT);
        let hash = if is_trusted { expected } else { checksum(bytes) };
        if hash != expected {
            return Err(NetworkError::Damaged { found: hash, expected });
        }
        let (description, payload) = bytes[HEADER..].split_at(description);
        let description = String::from_utf8(description.to_vec()).map_err(|_| NetworkError::Description)?;
        let mut left = payload.as_chunks::<4>().0.iter().map(|&word| f32::from_le_bytes(word));
        let mut weights = Vec::with_capacity(architecture.weight_count());
        for part in architecture.parts() {
            let range = architecture.range(part);
            match part {
                Part::First => {
                    for _ in 0..TAPS {
                        weights.extend(left.by_ref().take(features * channels));
                        weights.resize(weights.len() + (features::COUNT - features) * channels, 0.0);
                    }
                }
                Part::Ranges(_) if format == WITHOUT_RANGES => weights.resize(range.end, RANGE),
                _ => weights.extend(left.by_ref().take(range.len())),
            }
        }
        Ok((Contents { format, architecture, version, description, weights }, hash))
    }

    /// Checks that a network can be made of these contents.
    pub fn check(&self) -> Result<(), NetworkError> {
        let is_control = |c: char| c.is_control() && c != '\n';
        if self.description.len() > MAX_DESCRIPTION || self.description.contains(is_control) {
            return Err(NetworkError::Description);
        }
        let (found, expected) = (self.weights.len(), self.architecture.weight_count());
        if found != expected {
            return Err(NetworkError::Count { found, expected });
        }
        for part in self.architecture.parts() {
            let [least, most] = part.limits();
            let is_out = |weight: &&f32| !(least..=most).contains(*weight);
            if let Some(&value) = self.weights[self.architecture.range(part)].iter().find(is_out) {
                return Err(NetworkError::Weight { part: part.to_string(), value, least, most });
            }
        }
        Ok(())
    }
}

fn require(what: &'static str, found: impl Into<u64>, expected: impl Into<u64>) -> Result<(), NetworkError> {
    let (found, expected) = (found.into(), expected.into());
    if found == expected {
        return Ok(());
    }
    Err(NetworkError::Unsupported { what, found, expected: expected.to_string() })
}

/// The checksum of a file: 64-bit FNV-1a over all bytes but those of the checksum itself. It detects every change of a
/// single byte.
fn checksum(file: &[u8]) -> u64 {
    fnv1a(file[..HASH_AT].iter().chain(&file[HEADER..]).copied())
}
