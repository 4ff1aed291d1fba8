//! Networks from the outside: another backend in a search, files, `malecon network`.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use malecon::engine::inspect::prediction::predict;
use malecon::engine::search::{Limits, SearchOptions, SearchReport, Searcher};
use malecon::engine::session::Session;
use malecon::game::{Game, Geometry};
use malecon::network::features::COUNT;
use malecon::network::{Architecture, Backend, Evaluation, Evaluator, Input, Network, NetworkError};

use crate::scratch::Scratch;

/// A backend that likes one vertex and knows nothing else. It counts its evaluations.
#[derive(Default)]
struct Fake {
    favourite: usize,
    evaluations: Arc<AtomicUsize>,
}

impl Backend for Fake {
    fn evaluator(&self, _: &'static Geometry) -> Box<dyn Evaluator> {
        Box::new(Fake { favourite: self.favourite, evaluations: self.evaluations.clone() })
    }
}

impl Evaluator for Fake {
    fn evaluate(&mut self, _: &Input<'_>, evaluation: &mut Evaluation) {
        *evaluation = Evaluation::default();
        evaluation.policy[self.favourite] = 5.0;
        self.evaluations.fetch_add(1, Relaxed);
    }
}

fn search(searcher: &mut Searcher, game: &Game) -> SearchReport {
    let limits = Limits::with_simulations(200);
    searcher.search(game, &limits, &AtomicBool::new(false)).unwrap()
}

fn searcher() -> Searcher {
    let mut options = SearchOptions::default();
    options.puct.leaf_playouts = 0;
    Searcher::new(options, 1)
}

#[test]
fn a_search_asks_the_backend_it_was_given() {
    let game = Game::new(Geometry::with_side(8).unwrap());
    let mut searcher = searcher();
    for favourite in [17, 80] {
        let fake = Arc::new(Fake { favourite, ..Fake::default() });
        searcher.set_network(fake.clone());
        let report = search(&mut searcher, &game);
        assert_eq!(report.best.index(), favourite);
        // A tree kept from the former backend would have brought its visits along.
        assert_eq!(report.moves.iter().map(|m| m.visits).sum::<u64>(), 200);
        assert!((150..=250).contains(&fake.evaluations.load(Relaxed)), "{:?}", fake.evaluations);
    }
}

#[test]
fn the_network_compiled_in_is_the_default() {
    let game = Game::new(Geometry::with_side(6).unwrap());
    let visits = |searcher: &mut Searcher| search(searcher, &game).moves.iter().map(|m| m.visits).collect::<Vec<_>>();
    let expected = visits(&mut searcher());
    let mut other = searcher();
    other.set_network(Arc::new(Fake::default()));
    assert_ne!(visits(&mut other), expected);
    // The same random numbers from the start.
    let mut other = searcher();
    other.set_network(Network::builtin_for(6));
    assert_eq!(visits(&mut other), expected);
}

fn malecon(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_malecon"));
    command.args(arguments).env_remove("MALECON_SIMD").env_remove("RUST_LOG");
    command
}

fn run(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = malecon(&["network"]);
    command.args(arguments).envs(environment.iter().copied()).output().expect("the program starts")
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

/// Weights that differ from each other, in range for every part.
fn network(blocks: usize, channels: usize) -> Network {
    let architecture = Architecture::new(blocks, channels, 24).unwrap();
    let mut weights: Vec<f32> =
        (0..architecture.weight_count()).map(|i| ((i * 7919) % 1000) as f32 / 2500.0 - 0.2).collect();
    // After the first convolution, each block begins with its ranges.
    let block = channels * (1 + 2 * channels + 2 * (7 * channels + 1));
    for of_block in weights[(7 * COUNT + 2) * channels..].chunks_exact_mut(block).take(blocks) {
        of_block[..channels].iter_mut().for_each(|range| *range += 10.0);
    }
    Network::new(architecture, weights, "made up\nfor a test").unwrap()
}

#[test]
fn a_search_runs_on_networks_of_other_shapes() {
    let game = Game::new(Geometry::with_side(5).unwrap());
    let mut found = Vec::new();
    for network in [(1, 16), (2, 32), (1, 48), (2, 64)].map(|(blocks, channels)| network(blocks, channels)) {
        let file = Scratch::file("shape", network.to_bytes());
        let read = Network::load(&file).unwrap();
        assert_eq!(read.architecture(), network.architecture());
        let mut searcher = searcher();
        searcher.set_network(Arc::new(read));
        found.push(search(&mut searcher, &game).moves.iter().map(|m| m.visits).collect::<Vec<_>>());
    }
    assert!((1..found.len()).all(|i| found[i] != found[i - 1]), "each network has its own opinion");
}

#[test]
fn a_file_that_has_changed_is_read_again() {
    let [one, other] = [network(1, 16), network(2, 16)];
    let file = Scratch::file("changed.bin", one.to_bytes());
    let path = file.path();
    let game = Game::new(Geometry::with_side(4).unwrap());
    let mut session = Session::on_side(4).unwrap();
    session.set_option("network", path).unwrap();
    assert_eq!(session.prediction().moves, predict(&game, &one).moves);
    other.save(&file).unwrap();
    session.set_option("network", path).unwrap();
    assert_eq!(session.prediction().moves, predict(&game, &other).moves);
    assert_ne!(predict(&game, &one).moves, predict(&game, &other).moves);
    std::fs::write(&file, "no network").unwrap();
    let error = session.set_option("network", path).unwrap_err().to_string();
    assert!(error.contains("not a Malecon network"), "{error}");
    std::fs::remove_file(&file).unwrap();
    assert!(session.set_option("network", path).is_err());
    assert_eq!(session.prediction().moves, predict(&game, &other).moves);
}

#[test]
fn the_networks_compiled_in_are_described() {
    let large = Network::builtin_large();
    for (arguments, network, blocks) in [
        (&["--side", "5"][..], Network::builtin(), "3"),
        (&["--side", "6"], large.clone(), "6"),
        (&[], large, "6"),
        (&["--solver"], Network::builtin_solver(), "3"),
    ] {
        let (text, errors) = texts(&run(arguments, &[]));
        assert!(errors.is_empty(), "{errors}");
        let info = network.info();
        for (name, value) in [("blocks", blocks), ("channels", "32"), ("hash", &info.hash)] {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name} in {text}"));
            assert_eq!(line.split_whitespace().last(), Some(value));
        }
        assert!(text.lines().any(|line| line == format!("{:<16}{}", "description", info.description)), "{text}");
    }
}

#[test]
fn a_network_compiled_in_can_be_copied() {
    let file = Scratch::file("copy", b"");
    let (_, errors) = texts(&run(&["--side", "5", "--out", file.path()], &[]));
    assert!(errors.is_empty(), "{errors}");
    assert_eq!(std::fs::read(&file).unwrap(), Network::builtin().to_bytes());
}

#[test]
fn a_file_is_described_as_json() {
    let network = network(2, 48);
    let file = Scratch::file("json", network.to_bytes());
    let (text, errors) = texts(&run(&["--json", file.path()], &[("MALECON_SIMD", "portable")]));
    assert!(errors.is_empty(), "{errors}");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let info = network.info();
    assert_eq!((&json["format_version"], &json["features"]), (&3.into(), &127.into()));
    assert_eq!((&json["blocks"], &json["channels"], &json["hidden"]), (&2.into(), &48.into(), &24.into()));
    assert_eq!(json["hash"].as_str(), Some(&info.hash[..]));
    assert_eq!((json["description"].as_str(), json["simd"].as_str()), (Some("made up\nfor a test"), Some("portable")));
    assert_eq!(json["weights"].as_u64(), Some(info.weights as u64));
}

#[test]
fn files_that_are_not_networks_are_refused_in_one_line() {
    let good = network(1, 16).to_bytes();
    let mut damaged = good.clone();
    damaged[4000] ^= 4;
    let with = |at: usize, byte| {
        let mut other = good.clone();
        other[at] = byte;
        other
    };
    for (name, bytes, reason) in [
        ("foreign", &b"not a network at all"[..], "not a Malecon network"),
        ("empty", b"", "truncated network: 0 bytes (expected 64)"),
        ("short", &good[..5000], "truncated network: 5000 bytes (expected "),
        ("damaged", &damaged, "damaged network: checksum "),
        ("newer", &with(8, 4), "unsupported format version 4 (expected 2 or 3)"),
        ("older", &with(8, 1), "unsupported format version 1 (expected 2 or 3)"),
        ("features", &with(12, 1), "unsupported version of the features 1 (expected 2 or 3)"),
        ("pooling", &with(32, 1), "unsupported kind of pooling 1 (expected 2)"),
        ("arithmetic", &with(36, 1), "unsupported kind of arithmetic 1 (expected 2)"),
    ] {
        let file = Scratch::file(name, bytes);
        let output = run(&[file.path()], &[]);
        let (text, error) = texts(&output);
        assert!(!output.status.success() && text.is_empty(), "{name}: {text}");
        assert!(error.starts_with(&format!("error: {}: ", file.display())) && error.contains(reason), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    assert!(matches!(Network::load(Path::new("/no/such/file")), Err(NetworkError::Io(_))));
}

/// A file without an end must not be read to its end.
#[cfg(unix)]
#[test]
fn endless_files_are_refused() {
    assert!(matches!(Network::load(Path::new("/dev/zero")), Err(NetworkError::Io(_))));
}

#[test]
fn a_wrong_level_of_instructions_is_ignored_with_a_warning() {
    let level = |environment: &[(&str, &str)]| {
        let (text, errors) = texts(&run(&["--json"], environment));
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        (json["simd"].as_str().unwrap().to_owned(), errors)
    };
    let (own, errors) = level(&[]);
    assert!(errors.is_empty(), "{errors}");
    assert_eq!(level(&[("MALECON_SIMD", "portable")]), ("portable".to_owned(), String::new()));
    let (ignored, errors) = level(&[("MALECON_SIMD", "sse9")]);
    assert!(ignored == own && errors.contains("MALECON_SIMD is ignored: invalid level 'sse9' (expected "), "{errors}");
}
