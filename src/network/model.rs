//! A network with its weights: one compiled in, or read from a file.

use std::fmt;
#[cfg(not(target_family = "wasm"))]
use std::path::Path;

use serde::Serialize;

use crate::base::simd::Level;
use crate::game::Geometry;

use super::architecture::Architecture;
use super::error::NetworkError;
use super::evaluator::{Backend, Evaluator};
use super::features;
use super::format::{Contents, FORMAT_VERSION};
use super::inference::{Prepared, prepare};

/// A network that predicts the move and the winner, computed in fixed-point arithmetic on this processor.
///
/// ```
/// use malecon::game::{Game, Geometry};
/// use malecon::network::{Backend, Evaluation, Input, Network};
///
/// let game = Game::new(Geometry::with_side(6).unwrap());
/// let mut evaluation = Evaluation::default();
/// Network::builtin().evaluator(game.geometry()).evaluate(&Input::new(&game), &mut evaluation);
/// assert!(evaluation.value > 0.5, "white, who moves first, has the better chances");
/// ```
pub struct Network {
    contents: Contents,
    hash: u64,
    prepared: Box<dyn Prepared>,
}

impl Network {
    /// A network with these weights, in the order that `docs/model-format.md` describes.
    ///
    /// # Errors
    /// If the number of weights is not [`Architecture::weight_count`], a weight is not finite or outside the
    /// range of its part, or the description is longer than 4096 bytes or has control characters other than line feeds.
    pub fn new(architecture: Architecture, weights: Vec<f32>, description: &str) -> Result<Network, NetworkError> {
        let (format, version) = (FORMAT_VERSION, features::VERSION);
        let contents = Contents { format, architecture, version, description: description.to_owned(), weights };
        contents.check()?;
        let (_, hash) = contents.encode();
        Ok(Network::prepare(contents, hash))
    }

    /// Reads a network from the bytes of a file.
    ///
    /// # Errors
    /// If the bytes are not a network file, have changed since it was written, or hold a network that this version
    /// cannot compute.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        let (contents, hash) = Contents::decode(bytes, false)?;
        contents.check()?;
        Ok(Network::prepare(contents, hash))
    }

    /// Reads a network from bytes known to be valid.
    pub(super) fn from_trusted(bytes: &[u8]) -> Result<Network, NetworkError> {
        let (contents, hash) = Contents::decode(bytes, true)?;
        Ok(Network::prepare(contents, hash))
    }

    /// Reads a network from a regular file.
    ///
    /// # Errors
    /// If the file cannot be read, or for the reasons of [`Network::from_bytes`]. The message does not name the file.
    #[cfg(not(target_family = "wasm"))]
    pub fn load(path: &Path) -> Result<Network, NetworkError> {
        Network::from_bytes(&crate::base::files::read(path, super::format::longest())?)
    }

    /// The bytes of a file that holds this network.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.contents.encode().0
    }

    /// Writes the network to a file.
    ///
    /// # Errors
    /// If the file cannot be written; it then has its old content.
    #[cfg(not(target_family = "wasm"))]
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        crate::base::files::replace(path, &self.to_bytes())
    }

    /// The shape of the network.
    pub fn architecture(&self) -> Architecture {
        self.contents.architecture
    }

    /// The weights, in the order that `docs/model-format.md` describes.
    pub fn weights(&self) -> &[f32] {
        &self.contents.weights
    }

    /// A description for people and programs.
    pub fn info(&self) -> NetworkInfo {
        let architecture = self.architecture();
        NetworkInfo {
            format_version: self.contents.format,
            feature_version: self.contents.version,
            features: self.contents.features(),
            blocks: architecture.blocks(),
            channels: architecture.channels(),
            hidden: architecture.hidden(),
            weights: self.contents.weight_count(),
            hash: format!("{:016x}", self.hash),
            description: self.contents.description.clone(),
        }
    }

    fn prepare(contents: Contents, hash: u64) -> Network {
        let prepared = prepare(contents.architecture, contents.version, &contents.weights);
        Network { contents, hash, prepared }
    }
}

impl Backend for Network {
    fn evaluator(&self, geometry: &'static Geometry) -> Box<dyn Evaluator> {
        self.prepared.evaluator(geometry, Level::active())
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info().fmt(f)
    }
}

/// A description of a network, without its weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NetworkInfo {
    /// The version of the file format.
    pub format_version: u32,
    /// The version of the features that the network reads.
    pub feature_version: u32,
    /// The number of features of a vertex.
    pub features: usize,
    /// The number of residual blocks.
    pub blocks: usize,
    /// The number of channels of each layer.
    pub channels: usize,
    /// The number of units in the hidden layer of the value head.
    pub hidden: usize,
    /// The number of weights, biases and ranges included.
    pub weights: usize,
    /// The checksum of the file, as 16 hexadecimal digits. It tells networks apart.
    pub hash: String,
    /// Free text: what the network was trained on.
    pub description: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Notation, Vertex};
    use crate::network::architecture::Part;
    use crate::network::{CHANNELS, Evaluation, Input};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use std::sync::Arc;

    fn see(evaluator: &mut dyn Evaluator, game: &Game, symmetry: usize) -> Evaluation {
        let mut evaluation = Evaluation::default();
        evaluator.evaluate(&Input { symmetry, ..Input::new(game) }, &mut evaluation);
        evaluation
    }

    /// The game after these moves, and its evaluation.
    fn evaluate(side: usize, moves: &[&str]) -> (Game, Evaluation) {
        let geometry = Geometry::with_side(side).unwrap();
        let vertices: Vec<Vertex> =
            moves.iter().map(|name| Notation::HavannahGui.parse(geometry, name).unwrap()).collect();
        let mut game = Game::new(geometry);
        vertices.iter().for_each(|&v| assert!(game.play(v).is_ok()));
        let evaluation = see(&mut *Network::builtin().evaluator(geometry), &game, 0);
        (game, evaluation)
    }

    fn shape(blocks: usize, channels: usize, hidden: usize) -> Architecture {
        Architecture::new(blocks, channels, hidden).unwrap()
    }

    fn random(architecture: Architecture, seed: u64) -> Network {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut weights: Vec<f32> = (0..architecture.weight_count()).map(|_| rng.random_range(-0.1..0.1)).collect();
        for b in 0..architecture.blocks() {
            weights[architecture.range(Part::Ranges(b))].fill_with(|| rng.random_range(0.5..20.0));
        }
        Network::new(architecture, weights, "random weights").unwrap()
    }

    /// Weights that are all the same, with ranges of 1.
    fn constant(shape: Architecture, weight: f32) -> Vec<f32> {
        let mut weights = vec![weight; shape.weight_count()];
        (0..shape.blocks()).for_each(|b| weights[shape.range(Part::Ranges(b))].fill(1.0));
        weights
    }

    /// Where an intrusion threatens to cut a two-bridge, the reply on its other vertex is among the five likeliest of
    /// 163 moves.
    #[test]
    fn the_reply_to_an_intrusion_is_expected() {
        let (game, evaluation) = evaluate(8, &["g7", "k12", "h9", "k10", "e5", "g8"]);
        let mut moves: Vec<Vertex> = game.position().empty_vertices().collect();
        moves.sort_by(|v, w| evaluation.policy[w.index()].total_cmp(&evaluation.policy[v.index()]));
        let reply = Notation::HavannahGui.parse(game.geometry(), "h8").unwrap();
        assert!(moves[..5].contains(&reply));
    }

    /// A position under a symmetry is evaluated as its image is, for networks of several shapes.
    #[test]
    fn evaluations_follow_the_symmetries_of_the_board() {
        let moves = ["f5", "d6", "e5", "h8", "c2", "g7"];
        let shapes = [(2, 32, 32), (1, 64, 8), (2, 16, 20), (1, 48, 48)];
        let others = shapes.map(|(blocks, channels, hidden)| Arc::new(random(shape(blocks, channels, hidden), 5)));
        let networks = others.into_iter().chain([Network::builtin()]);
        for (network, side) in networks.flat_map(|network| [(network.clone(), 5), (network, 6)]) {
            let (game, _) = evaluate(side, &moves);
            let geometry = game.geometry();
            for (symmetry, image) in geometry.symmetries().iter().enumerate() {
                let mut turned = Game::new(geometry);
                game.stones().for_each(|(_, v)| assert!(turned.play(image[v.index()]).is_ok()));
                let mut evaluator = network.evaluator(geometry);
                let here = see(&mut *evaluator, &game, symmetry);
                let there = see(&mut *evaluator, &turned, 0);
                assert_eq!(here.value, there.value);
                for v in geometry.vertices() {
                    assert_eq!(here.policy[v.index()], there.policy[image[v.index()].index()]);
                }
                assert!(geometry.vertices().any(|v| here.policy[v.index()] != here.policy[0]));
            }
        }
    }

    #[test]
    fn every_level_of_instructions_evaluates_alike() {
        for channels in CHANNELS {
            let network = random(shape(2, channels, 20), 3);
            let (game, _) = evaluate(7, &["f5", "d6", "e5", "h8"]);
            let see = |level| see(&mut *network.prepared.evaluator(game.geometry(), level), &game, 0);
            let expected = see(Level::Portable);
            assert!(Level::available().all(|level| see(level) == expected), "{channels} channels");
        }
    }

    /// In games that the network was not trained on, the winner is predicted three moves before the proof.
    #[cfg(not(target_family = "wasm"))]
    #[test]
    #[ignore = "takes long: run by .ci/run"]
    fn most_winners_are_predicted() {
        use crate::base::sync::parallel_map;
        use crate::tools::learn::{SelfPlayPlan, play_game};
        use std::{num::NonZero, thread};

        let plan = SelfPlayPlan::small("4,5,6", [60, 60]);
        let seeds: Vec<u64> = (0..200).collect();
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let predicted = parallel_map(&seeds, threads, |&seed| {
            let played = play_game(&plan, &mut Xoshiro256PlusPlus::seed_from_u64(seed)).unwrap();
            let length = played.moves.len().checked_sub(3).filter(|&n| n >= played.opening + 4)?;
            let moves: Vec<&str> = played.moves[..length].iter().map(String::as_str).collect();
            let (game, evaluation) = evaluate(played.side, &moves);
            let favourite = if evaluation.value > 0.5 { game.to_move() } else { !game.to_move() };
            Some(played.winner == Some(favourite).into())
        });
        let all = predicted.iter().flatten().count();
        let right = predicted.iter().flatten().filter(|&&right| right).count();
        assert!(all > 100 && right * 10 > all * 7, "{right} of {all}");
    }

    #[test]
    fn networks_survive_their_files() {
        for shape in [shape(3, 32, 32), shape(1, 16, 5)] {
            let network = random(shape, 8);
            let read = Network::from_bytes(&network.to_bytes()).unwrap();
            assert_eq!((read.info(), read.weights()), (network.info(), network.weights()));
            assert_eq!(read.info().description, "random weights");
        }
        assert_eq!(Network::builtin().to_bytes(), include_bytes!("network.bin"));
    }

    /// A network of version 2 is one of version 3 whose new features have no weight, but does without finding them.
    #[test]
    fn features_that_a_network_does_not_know_have_no_weight() {
        let old = Network::builtin();
        let new = Network::new(old.architecture(), old.weights().to_vec(), "").unwrap();
        let versions =
            [&*old, &new].map(Network::info).map(|info| (info.format_version, info.feature_version, info.features));
        assert_eq!(versions, [(2, 2, 95), (3, 3, 127)]);
        assert_eq!(Network::from_bytes(&new.to_bytes()).unwrap().info(), new.info());
        let (game, evaluation) = evaluate(6, &["f5", "d6", "e5", "h8", "c2", "g7"]);
        assert_eq!(see(&mut *new.evaluator(game.geometry()), &game, 0), evaluation);
    }

    /// A small network, so that many damaged files can be read.
    fn small_file() -> Vec<u8> {
        random(shape(1, 16, 2), 2).to_bytes()
    }

    #[test]
    fn every_changed_byte_is_refused() {
        let file = small_file();
        let header = 64 + "random weights".len();
        for at in (0..header).chain((header..file.len()).step_by(97)).chain([file.len() - 1]) {
            for change in [1, 0x80, 0xff] {
                let mut damaged = file.clone();
                damaged[at] ^= change;
                let error = Network::from_bytes(&damaged).expect_err("a changed byte").to_string();
                assert!(error.contains("expected") || error.contains("not a Malecon network"), "byte {at}: {error}");
                assert!(!error.contains('\n') && (at < 64 || error.contains("damaged")), "byte {at}: {error}");
            }
        }
    }

    #[test]
    fn truncated_and_lengthened_files_are_refused() {
        let mut file = small_file();
        for length in (0..200).chain((200..file.len()).step_by(503)).chain([file.len() - 1]) {
            let error = Network::from_bytes(&file[..length]).expect_err("a truncated file").to_string();
            assert!(error.contains(&format!("truncated network: {length} bytes (expected ")), "{error}");
        }
        file.push(0);
        assert!(matches!(Network::from_bytes(&file), Err(NetworkError::TooLong { .. })));
    }

    /// A header that promises more than there is must not make the reader allocate it; nor one whose sizes overflow.
    #[test]
    fn hostile_sizes_are_refused() {
        for at in [20, 24, 28, 44, 48, 52] {
            for word in [0, u32::MAX, 1 << 31, 1 << 20] {
                let mut file = small_file();
                if file[at..at + 4] != u32::to_le_bytes(word) {
                    file[at..at + 4].copy_from_slice(&word.to_le_bytes());
                    assert!(Network::from_bytes(&file).is_err(), "{word} at {at}");
                }
            }
        }
    }

    #[test]
    fn foreign_files_are_refused() {
        for bytes in [&b"PNG"[..], b"#!/bin/sh\n", &[0; 5000], &[0xff; 100], include_bytes!("model.rs")] {
            assert!(matches!(Network::from_bytes(bytes), Err(NetworkError::Foreign)));
        }
    }

    #[test]
    fn weights_that_do_not_fit_are_refused() {
        let shape = shape(2, 16, 4);
        for part in shape.parts() {
            let at = shape.range(part).end - 1;
            let make = |x| {
                let mut weights = constant(shape, 0.01);
                weights[at] = x;
                Network::new(shape, weights, "")
            };
            let [least, most] = part.limits();
            for bad in [f32::NAN, f32::INFINITY, -f32::INFINITY, 1.01 * most, least - 0.01 * most] {
                let error = make(bad).expect_err("a weight out of range").to_string();
                assert!(error.contains(&part.to_string()) && error.contains("expected"), "{error}");
            }
            make(most).unwrap();
            make(least).unwrap();
        }
        assert!(matches!(Network::new(shape, vec![0.0; 10], ""), Err(NetworkError::Count { found: 10, .. })));
    }

    #[test]
    fn descriptions_are_checked() {
        let make = |text: &str| {
            let shape = shape(1, 16, 1);
            Network::new(shape, constant(shape, 0.0), text)
        };
        assert_eq!(make("two\nlines, 10 × 20").unwrap().info().description, "two\nlines, 10 × 20");
        make(&"x".repeat(4096)).unwrap();
        for text in ["a bell \x07", "\x1b[31mred", &"x".repeat(4097)] {
            assert!(matches!(make(text), Err(NetworkError::Description)));
        }
    }
}
