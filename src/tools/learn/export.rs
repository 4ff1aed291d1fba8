//! Training samples for a trainer outside of this program, as arrays of NumPy's format: `docs/training.md` describes
//! them.
//!
//! The features come from the engine, so that they are defined only once. Symmetries are left to the trainer; the
//! tables for them are exported too.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::base::files::{LockedFile, replace};
use crate::base::hash::fnv1a;
use crate::base::sync::on_threads;
use crate::engine::search::{SearchError, SearchOptions};
use crate::engine::session::{self, Session};
use crate::game::record::Winner;
use crate::game::{Color, Game, Geometry, Move, Notation, Outcome, Structures, Vertex};
use crate::network::{Backend, Evaluation, Input, Networks, SYMMETRIES, features};

use super::search;
use super::selfplay::{SearchedPosition, SelfPlayGame};

/// The version of the layout.
const EXPORT_VERSION: u32 = 1;
/// One game of self-play in this many is held out.
const HELD_OUT: u64 = 20;
/// The exported number that stands for all visits of a position.
const WHOLE: f32 = 65535.0;
/// Games between two writes.
const CHUNK: usize = 512;
/// The most moves that are played after the end of a record to complete a structure.
const MORE_MOVES: usize = 60;
/// The number of bytes that the features of a vertex take.
const FEATURE_BYTES: usize = features::COUNT.div_ceil(8);
/// Stands for no vertex.
const NONE: u16 = u16::MAX;

/// What is exported, and how.
#[derive(Clone, Debug)]
pub struct ExportPlan {
    /// The networks whose policy and value are compared with those of the searches.
    pub networks: Networks,
    /// Games of self-play end where the result is proven, and human games often with a resignation. With a number above
    /// 0, searches of this many simulations play on until a structure is complete.
    pub finish: u64,
    /// Threads.
    pub threads: usize,
}

/// What was exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Games.
    pub games: usize,
    /// Positions.
    pub samples: usize,
    /// Games whose winning structure is known.
    pub with_structure: usize,
}

/// Writes the positions of games into a new directory. The games must have been checked. `progress` is called after
/// each part of the work with the number of games in it.
///
/// # Errors
/// If the directory exists already, another process writes to it, a file cannot be written, or a search fails. Until it
/// is complete, the name of the directory has `.incomplete` added. A directory that an interrupted run has left is
/// removed.
pub fn export(
    games: &[SelfPlayGame],
    plan: &ExportPlan,
    directory: &Path,
    progress: impl FnMut(usize),
) -> io::Result<Exported> {
    let locked = directory.with_added_extension("lock");
    let _lock = LockedFile::new(File::create(&locked)?)
        .map_err(|_| io::Error::other("another process is writing to this directory"))?;
    let exported = export_alone(games, plan, directory, progress);
    // Where there is nothing yet, another process may be about to lock the file.
    if directory.exists() {
        let _ = fs::remove_file(&locked);
    }
    exported
}

/// [`export`] while no other process writes to the directory.
fn export_alone(
    games: &[SelfPlayGame],
    plan: &ExportPlan,
    directory: &Path,
    progress: impl FnMut(usize),
) -> io::Result<Exported> {
    if directory.try_exists()? {
        return Err(ErrorKind::AlreadyExists.into());
    }
    let incomplete = directory.with_added_extension("incomplete");
    if incomplete.try_exists()? {
        fs::remove_dir_all(&incomplete)?;
    }
    fs::create_dir(&incomplete)?;
    let exported = write_samples(games, plan, &incomplete, progress);
    exported.and_then(|exported| fs::rename(&incomplete, directory).map(|()| exported)).inspect_err(|_| {
        // The first error says what is wrong.
        let _ = fs::remove_dir_all(&incomplete);
    })
}

fn write_samples(
    games: &[SelfPlayGame],
    plan: &ExportPlan,
    directory: &Path,
    mut progress: impl FnMut(usize),
) -> io::Result<Exported> {
    let mut sides: BTreeMap<usize, SideFiles> = BTreeMap::new();
    let mut exported = Exported { games: games.len(), ..Exported::default() };
    let mut first = 0;
    for chunk in games.chunks(CHUNK) {
        let samples = extract_all(chunk, plan).map_err(io::Error::other)?;
        for (i, samples) in samples.into_iter().enumerate() {
            exported.samples += samples.positions.len();
            exported.with_structure += usize::from(!samples.structures.is_empty());
            let side = chunk[i].side;
            let files = match sides.entry(side) {
                Entry::Occupied(files) => files.into_mut(),
                Entry::Vacant(place) => place.insert(SideFiles::new(directory, side)?),
            };
            files.add(&samples, (first + i) as u32, chunk[i].is_held_out())?;
        }
        first += chunk.len();
        progress(chunk.len());
    }
    let mut described = serde_json::Map::new();
    for (side, files) in sides {
        described.insert(side.to_string(), files.finish()?);
    }
    let manifest = json!({
        "version": EXPORT_VERSION,
        "features": {
            "version": features::VERSION,
            "count": features::COUNT,
            "bytes": FEATURE_BYTES,
            "images": (0..SYMMETRIES).map(features::images).collect::<Vec<_>>(),
        },
        "network": plan.networks.hash(),
        "games": games.len(),
        "sides": described,
    });
    replace(&directory.join("export.json"), format!("{manifest}\n").as_bytes())?;
    Ok(exported)
}

impl SelfPlayGame {
    /// Whether the game is held out of training: whether the 64-bit FNV-1a hash of its moves, separated by spaces, is a
    /// multiple of 20.
    pub fn is_held_out(&self) -> bool {
        fnv1a(self.moves.join(" ").bytes()).is_multiple_of(HELD_OUT)
    }
}

/// The samples of a game.
struct Samples {
    positions: Vec<Sample>,
    /// For each vertex the stone at the end and whether it belongs to the winning structure.
    ending: Vec<(Option<Color>, bool)>,
    /// The winning structures, if they are on the board.
    structures: Structures,
}

/// A position with what a network should predict of it.
struct Sample {
    color: Color,
    ply: u16,
    features: Vec<u128>,
    /// For each vertex its share of the visits, times [`WHOLE`].
    policy: Vec<u16>,
    /// The move that was played, and the reply.
    moves: [u16; 2],
    /// The value of the search for the player to move.
    value: f32,
    /// The result of the game for the player to move.
    result: f32,
    /// The Kullback-Leibler divergence of the visits from the network's policy, in nats; 0 without visits.
    surprise: f32,
    /// The value of the network alone.
    predicted: f32,
}

/// The samples of each game, by several threads.
fn extract_all(games: &[SelfPlayGame], plan: &ExportPlan) -> Result<Vec<Samples>, SearchError> {
    let share = games.len().div_ceil(plan.threads.max(1));
    let extract_these = |games: &[SelfPlayGame]| games.iter().map(|game| extract(game, plan)).collect();
    let extracted: Result<Vec<Vec<_>>, _> = on_threads(games.chunks(share), extract_these).into_iter().collect();
    Ok(extracted?.into_iter().flatten().collect())
}

fn extract(played: &SelfPlayGame, plan: &ExportPlan) -> Result<Samples, SearchError> {
    let geometry = Geometry::with_side(played.side).expect("games are checked");
    let vertex = |name: &String| Notation::HavannahGui.parse(geometry, name).expect("games are checked");
    let mut moves: Vec<Vertex> = played.moves.iter().map(vertex).collect();
    let mut evaluator = plan.networks.evaluator(geometry);
    let mut game = Game::new(geometry);
    for &v in &moves {
        game.play(v).expect("games are checked");
    }
    let mut ending = ending(&game);
    if plan.finish > 0 && game.outcome().is_none() {
        let more = finish(&mut game, plan)?;
        // The search may win a game that its player resigned.
        if game.outcome().is_some_and(|outcome| outcome.winner() == played.winner.color()) {
            moves.extend(more);
            ending = self::ending(&game);
        }
    }
    let (ending, structures) = ending;
    let mut game = Game::new(geometry);
    let mut positions = Vec::new();
    for i in 0..=moves.len() {
        if played.is_position && i == played.opening {
            // Its stones have no order, so none was the last, also where the network is used.
            game.begin_with(game.to_move());
        }
        if let Some(searched) = i.checked_sub(played.opening).and_then(|i| played.searched.get(i)) {
            let next = [i, i + 1].map(|i| moves.get(i).map_or(NONE, |v| v.index() as u16));
            let mut evaluation = Evaluation::default();
            evaluator.evaluate(&Input::new(&game), &mut evaluation);
            positions.push(sample(&game, searched, played.winner, next, &evaluation));
        }
        if let Some(&v) = moves.get(i) {
            game.play(v).expect("games are checked");
        }
    }
    Ok(Samples { positions, ending, structures })
}

/// Plays on until a structure is complete, for a limited number of moves. Returns the moves.
fn finish(game: &mut Game, plan: &ExportPlan) -> Result<Vec<Vertex>, SearchError> {
    let options = SearchOptions { memory: 16, ..SearchOptions::default() };
    let network = Arc::new(plan.networks.clone());
    let mut session =
        Session::new(game.geometry(), session::EngineOptions { search: options, network, ..Default::default() });
    session.set_seed(game.stone_count() as u64);
    for (color, v) in game.stones() {
        session.play_as(color, Move::Place(v)).expect("the move was legal");
    }
    let mut moves = Vec::new();
    while game.outcome().is_none() && moves.len() < MORE_MOVES {
        let best = search(&mut session, plan.finish)?.best;
        session.play_as(game.to_move(), Move::Place(best)).expect("the search finds legal moves");
        game.play(best).expect("the search finds legal moves");
        moves.push(best);
    }
    Ok(moves)
}

/// For each vertex the stone at the end and whether it belongs to a winning structure; and these structures.
fn ending(game: &Game) -> (Vec<(Option<Color>, bool)>, Structures) {
    let position = game.position();
    let mut ending: Vec<_> = game.geometry().vertices().map(|v| (position.stone(v), false)).collect();
    for v in game.winning_stones().into_iter().flat_map(|(_, stones)| stones) {
        ending[v.index()].1 = true;
    }
    let structures = match game.outcome() {
        Some(Outcome::Win(_, structures)) => structures,
        _ => Structures::NONE,
    };
    (ending, structures)
}

fn sample(
    game: &Game,
    searched: &SearchedPosition,
    winner: Winner,
    moves: [u16; 2],
    evaluation: &Evaluation,
) -> Sample {
    let geometry = game.geometry();
    let color = game.to_move();
    let visits: u64 = searched.visits.iter().map(|(_, visits)| visits).sum();
    let prior = evaluation.probabilities(game.position().empty_vertices());
    let mut policy = vec![0; geometry.vertex_count()];
    let mut surprise = 0.0;
    for (name, n) in &searched.visits {
        let v = Notation::HavannahGui.parse(geometry, name).expect("games are checked");
        let share = *n as f32 / visits as f32;
        policy[v.index()] = (share * WHOLE).round() as u16;
        if share > 0.0 {
            surprise += share * (share / prior[v.index()].max(1e-9)).ln();
        }
    }
    Sample {
        color,
        ply: game.stone_count() as u16,
        features: features::extract(&Input::new(game)),
        policy,
        moves,
        value: searched.value,
        result: winner.points(color),
        surprise,
        predicted: evaluation.value,
    }
}

/// The arrays of a side length.
struct SideFiles {
    geometry: &'static Geometry,
    features: Array,
    policy: Array,
    ending: Array,
    targets: Array,
}

/// The fields of the array `targets`, as NumPy describes them.
const TARGETS: &str = "[('game', '<u4'), ('ply', '<u2'), ('move', '<u2'), ('reply', '<u2'), ('structures', '|u1'), \
                       ('held_out', '|u1'), ('value', '<f4'), ('result', '<f4'), ('surprise', '<f4'), \
                       ('predicted', '<f4')]";

impl SideFiles {
    fn new(directory: &Path, side: usize) -> io::Result<SideFiles> {
        let geometry = Geometry::with_side(side).expect("games are checked");
        let directory = directory.join(format!("side-{side}"));
        fs::create_dir(&directory)?;
        let vertices = geometry.vertex_count();
        let array = |name: &str, kind: &str, shape: &[usize]| {
            Array::new(&directory.join(format!("{name}.npy")), kind.to_owned(), shape.to_vec())
        };
        Ok(SideFiles {
            geometry,
            features: array("features", "'|u1'", &[vertices, FEATURE_BYTES])?,
            policy: array("policy", "'<u2'", &[vertices])?,
            ending: array("ending", "'|u1'", &[vertices])?,
            targets: array("targets", TARGETS, &[])?,
        })
    }

    fn add(&mut self, samples: &Samples, game: u32, is_held_out: bool) -> io::Result<()> {
        for sample in &samples.positions {
            let features = sample.features.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(FEATURE_BYTES));
            self.features.add(features)?;
            self.policy.add(sample.policy.iter().flat_map(|share| share.to_le_bytes()))?;
            self.ending.add(samples.ending.iter().map(|&(stone, wins)| match stone {
                None => 0,
                Some(stone) => (1 + u8::from(stone != sample.color)) | u8::from(wins) << 2,
            }))?;
            let mut row = game.to_le_bytes().to_vec();
            for number in [sample.ply, sample.moves[0], sample.moves[1]] {
                row.extend(number.to_le_bytes());
            }
            row.extend([samples.structures.0, u8::from(is_held_out)]);
            for number in [sample.value, sample.result, sample.surprise, sample.predicted] {
                row.extend(number.to_le_bytes());
            }
            self.targets.add(row.into_iter())?;
        }
        Ok(())
    }

    /// Completes the files. Returns the description of the side for the manifest.
    fn finish(self) -> io::Result<Value> {
        let samples = self.targets.rows;
        for array in [self.features, self.policy, self.ending, self.targets] {
            array.finish()?;
        }
        let indices = |image: &Vec<Vertex>| image.iter().map(|v| v.index()).collect::<Vec<_>>();
        Ok(json!({
            "samples": samples,
            "vertices": self.geometry.vertex_count(),
            "coordinates": self.geometry.vertices().map(|v| self.geometry.coordinates(v)).collect::<Vec<_>>(),
            "symmetries": self.geometry.symmetries().iter().map(indices).collect::<Vec<_>>(),
        }))
    }
}

/// A file of NumPy's format 1.0 that grows row by row. The header is written at the end, when the number of rows is
/// known.
struct Array {
    file: BufWriter<File>,
    kind: String,
    /// The shape of a row.
    shape: Vec<usize>,
    rows: usize,
}

impl Array {
    /// The length of the header in bytes, a multiple of 64.
    const HEADER: usize = 384;

    fn new(path: &Path, kind: String, shape: Vec<usize>) -> io::Result<Array> {
        let mut file = BufWriter::new(File::create_new(path)?);
        file.write_all(&[0; Array::HEADER])?;
        Ok(Array { file, kind, shape, rows: 0 })
    }

    fn add(&mut self, row: impl Iterator<Item = u8>) -> io::Result<()> {
        self.rows += 1;
        self.file.write_all(&row.collect::<Vec<u8>>())
    }

    fn finish(mut self) -> io::Result<()> {
        let shape: String = self.shape.iter().map(|n| format!("{n}, ")).collect();
        let Array { kind, rows, .. } = &self;
        let mut header = format!("{{'descr': {kind}, 'fortran_order': False, 'shape': ({rows}, {shape}), }}");
        let length = Array::HEADER - 10;
        header.extend(std::iter::repeat_n(' ', length - 1 - header.len()));
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(b"\x93NUMPY\x01\x00")?;
        self.file.write_all(&(length as u16).to_le_bytes())?;
        self.file.write_all(header.as_bytes())?;
        self.file.write_all(b"\n")?;
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::game;
    use crate::tools::learn::{SelfPlayPlan, SolvedLine, play_game};
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// The header and the contents of an array.
    fn read(path: &Path) -> (String, Vec<u8>) {
        let mut bytes = fs::read(path).unwrap();
        assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"));
        assert_eq!(u16::from_le_bytes([bytes[8], bytes[9]]) as usize, Array::HEADER - 10);
        let contents = bytes.split_off(Array::HEADER);
        assert_eq!(bytes.pop(), Some(b'\n'));
        (String::from_utf8(bytes.split_off(10)).unwrap(), contents)
    }

    fn number<const N: usize>(row: &[u8], at: usize) -> [u8; N] {
        std::array::from_fn(|i| row[at + i])
    }

    #[test]
    fn arrays_hold_the_games() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let plan = SelfPlayPlan::small("3:1,4:1", [100, 30]);
        let games: Vec<SelfPlayGame> = (0..30).map(|_| play_game(&plan, &mut rng).unwrap()).collect();
        let directory = std::env::temp_dir().join(format!("malecon-export-{}", std::process::id()));
        let plan = ExportPlan { networks: Networks::Builtin, finish: 50, threads: 2 };
        let exported = export(&games, &plan, &directory, |_| ()).unwrap();
        assert!(exported.games == 30 && exported.with_structure >= 25, "{exported:?}");
        assert!(export(&games, &plan, &directory, |_| ()).is_err(), "the directory exists");
        let mut samples = 0;
        for side in [3, 4] {
            samples += check_side(&games, side, &directory.join(format!("side-{side}")));
        }
        assert_eq!(samples, exported.samples);
        let manifest: Value = serde_json::from_slice(&fs::read(directory.join("export.json")).unwrap()).unwrap();
        assert_eq!((&manifest["features"]["count"], &manifest["games"]), (&json!(127), &json!(30)));
        assert_eq!(manifest["sides"]["4"]["symmetries"][11].as_array().unwrap().len(), 37);
        fs::remove_dir_all(&directory).unwrap();
    }

    /// The order in which a solved position names its stones says nothing, and the network sees nothing of it.
    #[test]
    fn solved_positions_have_no_last_stone() {
        let line = r#"{"side":4,"moves":["a1","e5","c3"],"to_move":"b","value":"black","winning_move":"d4","seconds":1,"nodes":9}"#;
        let solved = serde_json::from_str::<SolvedLine>(line).unwrap().game().unwrap().unwrap();
        let plan = ExportPlan { networks: Networks::Builtin, finish: 0, threads: 1 };
        let features = |solved: &SelfPlayGame| extract(solved, &plan).unwrap().positions.remove(0).features;
        let game = game(4, "a1 e5 c3");
        let [with_order, without] =
            [game.last_stones(), [None; 2]].map(|recent| features::extract(&Input { recent, ..Input::new(&game) }));
        assert_eq!(features(&solved), without);
        assert_eq!(features(&SelfPlayGame { is_position: false, ..solved }), with_order);
        assert_ne!(with_order, without);
    }

    /// Compares the arrays of a side with its games. Returns the number of samples.
    fn check_side(games: &[SelfPlayGame], side: usize, directory: &Path) -> usize {
        let geometry = Geometry::with_side(side).unwrap();
        let vertices = geometry.vertex_count();
        let [features, policy, ending, targets] =
            ["features", "policy", "ending", "targets"].map(|name| read(&directory.join(format!("{name}.npy"))));
        let mut row = 0;
        for (number_of_game, played) in games.iter().enumerate().filter(|(_, played)| played.side == side) {
            let mut game = Game::new(geometry);
            for i in 0..played.opening + played.searched.len() {
                if let Some(i) = i.checked_sub(played.opening) {
                    let target = &targets.1[28 * row..][..28];
                    assert_eq!(u32::from_le_bytes(number(target, 0)) as usize, number_of_game);
                    assert_eq!(u16::from_le_bytes(number(target, 4)) as usize, game.stone_count());
                    assert_eq!(target[11], u8::from(played.is_held_out()));
                    assert_eq!(f32::from_le_bytes(number(target, 12)), played.searched[i].value);
                    let own = played.winner.color() == Some(game.to_move());
                    let result = if played.winner == Winner::Draw { 0.5 } else { f32::from(u8::from(own)) };
                    assert_eq!(f32::from_le_bytes(number(target, 16)), result);
                    let policy = &policy.1[2 * vertices * row..][..2 * vertices];
                    let sum: u32 = policy.as_chunks::<2>().0.iter().map(|&n| u32::from(u16::from_le_bytes(n))).sum();
                    assert_eq!(sum > 65000, !played.searched[i].visits.is_empty());
                    let bits = features::extract(&Input::new(&game));
                    for (v, bits) in bits.iter().enumerate() {
                        assert_eq!(features.1[16 * (vertices * row + v)..][..16], bits.to_le_bytes());
                    }
                    let won = ending.1[vertices * row..][..vertices].iter().find(|&&stone| stone >= 4);
                    assert!(
                        won.is_none_or(|&stone| stone == if own { 5 } else { 6 })
                            && (won.is_some() == (target[10] != 0))
                    );
                    row += 1;
                }
                if let Some(name) = played.moves.get(i) {
                    game.play(Notation::HavannahGui.parse(geometry, name).unwrap()).unwrap();
                }
            }
        }
        assert!(targets.0.contains(&format!("'shape': ({row}, )")) && targets.0.contains("('value', '<f4')"));
        assert!(features.0.contains(&format!("'shape': ({row}, {vertices}, 16, )")), "{}", features.0);
        assert_eq!((ending.1.len(), targets.1.len()), (row * vertices, 28 * row));
        row
    }
}
