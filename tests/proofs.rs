//! Proofs: of all of sides 2 and 3, and of changed files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use malecon::engine::solver::{Budget, Solver, Sources, Value, positions_after, prove, solve};
use malecon::game::{Color, Game, Geometry, Notation, Position, Vertex};
use malecon::proof::{self, Checked, ProofError, Root};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::recorded::Record;
use crate::scratch::Scratch;
use crate::skipped::skipped;

fn game(side: usize, moves: &[Vertex]) -> Game {
    game_on(Geometry::with_side(side).unwrap(), moves)
}

fn game_on(board: &'static Geometry, moves: &[Vertex]) -> Game {
    let mut game = Game::new(board);
    for &v in moves {
        game.play(v).unwrap();
    }
    game
}

fn named(side: usize, names: &str) -> Game {
    let board = Geometry::with_side(side).unwrap();
    let moves: Vec<_> =
        names.split_whitespace().map(|name| Notation::HavannahGui.parse(board, name).unwrap()).collect();
    game(side, &moves)
}

fn solver(side: usize) -> Solver {
    solver_on(Geometry::with_side(side).unwrap())
}

fn solver_on(board: &'static Geometry) -> Solver {
    Solver::new(board, 16 << 20).unwrap()
}

fn winner(game: &Game) -> Option<Color> {
    match solve(&mut solver_on(game.geometry()), game, &Budget::default(), &mut |_| true).value {
        Some(Value::Win(color)) => Some(color),
        _ => None,
    }
}

fn write(roots: &[Root]) -> Result<Vec<u8>, ProofError> {
    let mut solver =
        solver_on(roots.first().map_or(Geometry::with_side(2).unwrap(), |root| root.position().geometry()));
    let mut file = Vec::new();
    let sources = Sources::new(&mut solver);
    prove(&mut file, roots, sources, &mut |_| true).map(|_| file)
}

fn check(file: &[u8]) -> Result<Checked, ProofError> {
    proof::check(file)
}

/// The empty board of a side, and all its openings of one stone, with their winners.
fn whole(side: usize) -> Vec<Root> {
    whole_board(Geometry::with_side(side).unwrap())
}

/// The empty board and all openings of one stone that are not draws, with their winners.
fn whole_board(board: &'static Geometry) -> Vec<Root> {
    let games = [Vec::new()].into_iter().chain(positions_after(board, 1)).map(|moves| game_on(board, &moves));
    games.filter_map(|game| Root::new(&game, winner(&game)?)).collect()
}

/// The name of the format, its version, the side lengths and the number of roots come before the first root.
const FIRST_ROOT: usize = 8 + 1 + 3 + 2;

/// The bytes of the head of a file with these roots.
fn head_len(roots: &[Root]) -> usize {
    let stones = |root: &Root| root.position().geometry().vertices().filter(|&v| !root.position().is_empty(v)).count();
    FIRST_ROOT + roots.iter().map(|root| 2 + stones(root)).sum::<usize>()
}

/// Corrects the checksum of a file that was changed.
fn with_checksum(mut file: Vec<u8>) -> Vec<u8> {
    let body = file.len() - 8;
    let add = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let sum = file[..body].iter().fold(0xcbf2_9ce4_8422_2325, add);
    file[body..].copy_from_slice(&sum.to_le_bytes());
    file
}

/// A second checker, written from docs/proof-format.md as plainly as possible. It takes the roots as they are.
struct PlainChecker<'a> {
    moves: std::slice::Iter<'a, u8>,
    winner: Color,
    met: BTreeSet<(Color, Vec<Option<Color>>)>,
}

impl PlainChecker<'_> {
    /// Whether the moves of a file prove its roots.
    fn accepts(file: &[u8], roots: &[Root]) -> bool {
        let moves = &file[head_len(roots)..file.len() - 8];
        let mut checker = PlainChecker { moves: moves.iter(), winner: Color::White, met: BTreeSet::new() };
        let all = roots.iter().all(|root| {
            checker.winner = root.winner();
            let position = root.position().clone();
            match root.to_move() == root.winner() {
                true => !completing(&position, root.winner()).is_empty() || checker.winner_to_move(&position),
                false => completing(&position, root.to_move()).is_empty() && checker.loser_to_move(&position),
            }
        });
        all && checker.moves.as_slice().is_empty()
    }

    fn winner_to_move(&mut self, position: &Position) -> bool {
        if !self.met.insert((self.winner, first_image(position))) {
            return true;
        }
        let is_double_threat = |v| completing(&placed(position, self.winner, v), self.winner).len() > 1;
        let v = match completing(position, !self.winner)[..] {
            [] if position.empty_vertices().any(is_double_threat) => return true,
            [] => self.moves.next().and_then(|&index| position.geometry().vertex(index.into())),
            [v] => Some(v),
            _ => None,
        };
        let Some(v) = v.filter(|&v| position.is_empty(v)) else { return false };
        self.loser_to_move(&placed(position, self.winner, v))
    }

    fn loser_to_move(&mut self, position: &Position) -> bool {
        let replies: Vec<Vertex> = match completing(position, self.winner)[..] {
            [] => position.empty_vertices().collect(),
            [v] => vec![v],
            _ => return true,
        };
        let all = replies.iter().all(|&v| self.winner_to_move(&placed(position, !self.winner, v)));
        all && !replies.is_empty()
    }
}

fn placed(position: &Position, color: Color, v: Vertex) -> Position {
    let mut after = position.clone();
    after.place(color, v);
    after
}

fn completing(position: &Position, color: Color) -> Vec<Vertex> {
    position.empty_vertices().filter(|&v| !position.completes(color, v).is_empty()).collect()
}

fn first_image(position: &Position) -> Vec<Option<Color>> {
    let board = position.geometry();
    let image = |symmetry: &Vec<Vertex>| {
        let mut stones = vec![None; board.vertex_count()];
        board.vertices().for_each(|v| stones[symmetry[v.index()].index()] = position.stone(v));
        stones
    };
    board.symmetries().iter().map(image).min().unwrap()
}

#[test]
fn sides_2_and_3_are_proven_whole() {
    for (side, winners) in [(2, "wwb"), (3, "wwbbb")] {
        let roots = whole(side);
        let found: String = roots
            .iter()
            .map(|root| &root.winner().to_string()[..1] == "w")
            .map(|w| if w { 'w' } else { 'b' })
            .collect();
        assert_eq!(found, winners);
        let file = write(&roots).unwrap();
        assert_eq!(file, write(&roots).unwrap(), "the same roots give the same file");
        let checked = check(&file).unwrap();
        assert!(PlainChecker::accepts(&file, &roots));
        assert_eq!(checked.bytes, file.len() as u64);
        assert_eq!(file.len(), head_len(&roots) + checked.summary.moves as usize + 8);
        assert!(checked.summary.positions >= checked.summary.moves);
        for (root, read) in roots.iter().zip(&checked.roots) {
            assert_eq!((root.winner(), root.to_move()), (read.winner(), read.to_move()));
            let board = root.position().geometry();
            assert!(board.vertices().all(|v| root.position().stone(v) == read.position().stone(v)));
        }
        for (root, line) in checked.roots.iter().zip(&checked.longest_games) {
            check_line(root, line);
        }
    }
}

#[test]
fn boards_that_are_not_regular_are_proven_whole() {
    for board in ["2-2-3", "2-3-3", "2-3-4", "3-3-4"] {
        let board = Geometry::with_shape(board.parse().unwrap());
        let roots = whole_board(board);
        let file = write(&roots).unwrap();
        let checked = check(&file).unwrap();
        assert!(PlainChecker::accepts(&file, &roots));
        assert_eq!(file.len(), head_len(&roots) + checked.summary.moves as usize + 8);
        for (root, read) in roots.iter().zip(&checked.roots) {
            assert_eq!(read.position().geometry(), board);
            assert_eq!((root.winner(), root.to_move()), (read.winner(), read.to_move()));
        }
        for (root, line) in checked.roots.iter().zip(&checked.longest_games) {
            check_line(root, line);
        }
        // The lengths are in ascending order, and differ.
        assert_eq!(&file[8..12], [&[3][..], &board.shape().sides().map(|side| side as u8)].concat());
        for lengths in [[4, 3, 2], [1, 2, 3], [6, 6, 7]] {
            let mut other = file.clone();
            other[9..12].copy_from_slice(&lengths);
            assert!(matches!(check(&with_checksum(other)), Err(ProofError::Malformed(_))), "{lengths:?}");
        }
    }
}

#[test]
fn a_changed_proof_of_a_board_that_is_not_regular_is_refused() {
    let roots = whole_board(Geometry::with_shape("2-2-3".parse().unwrap()));
    let file = write(&roots).unwrap();
    for i in 0..file.len() - 8 {
        for value in 0..20 {
            let mut changed = file.clone();
            changed[i] = value;
            let was_changed = changed != file;
            assert_eq!(check(&changed).is_err(), was_changed, "byte {i}");
            let accepted = check(&with_checksum(changed.clone()));
            if i >= head_len(&roots) {
                assert_eq!(accepted.is_ok(), PlainChecker::accepts(&changed, &roots), "byte {i}");
            }
        }
    }
}

/// The last move of the longest game, and no other, wins.
fn check_line(root: &Root, line: &[Vertex]) {
    let mut position = root.position().clone();
    let mut color = root.to_move();
    for (i, &v) in line.iter().enumerate() {
        let is_last = i + 1 == line.len();
        assert_eq!(!position.place(color, v).is_empty(), is_last, "move {i} of {line:?}");
        assert!(!is_last || color == root.winner());
        color = !color;
    }
}

/// Every byte of the moves is replaced by others. With the old checksum, the file is always refused. With a new one it
/// is accepted only if the plain checker accepts it, because the other move wins as well.
#[test]
fn a_proof_with_another_move_is_refused_unless_it_proves_the_same() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for side in [2, 3] {
        let roots = whole(side);
        let file = write(&roots).unwrap();
        let vertices = Geometry::with_side(side).unwrap().vertex_count() as u8;
        let [mut refused, mut accepted] = [0, 0];
        for i in head_len(&roots)..file.len() - 8 {
            for value in [rng.random_range(0..vertices), rng.random_range(0..vertices), rng.random_range(0..=255)] {
                if value == file[i] {
                    continue;
                }
                let mut changed = file.clone();
                changed[i] = value;
                assert!(check(&changed).is_err(), "byte {i} is {value}, with the old checksum");
                let changed = with_checksum(changed);
                let proves = PlainChecker::accepts(&changed, &roots);
                assert_eq!(check(&changed).is_ok(), proves, "byte {i} is {value}, with a new checksum");
                if proves { accepted += 1 } else { refused += 1 }
            }
        }
        // On side 2 most moves of the first player win.
        assert!(side == 2 || refused > 3 * accepted, "side {side}: {refused} refused, {accepted} accepted");
    }
}

/// Moves that do not win, according to the solver, are refused whatever follows them.
#[test]
fn a_move_that_does_not_win_is_refused() {
    let root = named(3, "a2");
    let file = write(&[Root::new(&root, Color::Black).unwrap()]).unwrap();
    let first = file.len() - 8 - check(&file).unwrap().summary.moves as usize;
    let mut wrong = 0;
    for v in root.position().empty_vertices() {
        let mut after = root.clone();
        after.play(v).unwrap();
        if winner(&after) == Some(Color::Black) {
            continue;
        }
        wrong += 1;
        let mut changed = file.clone();
        changed[first] = v.index() as u8;
        assert!(
            matches!(check(&with_checksum(changed)), Err(ProofError::Refuted { .. } | ProofError::Truncated)),
            "{v:?}"
        );
    }
    assert!(wrong > 0);
}

#[test]
fn a_proof_that_is_cut_extended_or_reordered_is_refused() {
    let roots = whole(3);
    let file = write(&roots).unwrap();
    let first = head_len(&roots);
    let mut refused = 0;
    for len in 0..file.len() {
        assert!(check(&file[..len]).is_err(), "cut after {len} bytes");
    }
    for i in first..file.len() - 8 {
        // The answer to a reply is missing, or given twice, or exchanged with the next one.
        let mut without = file.clone();
        without.remove(i);
        let mut twice = file.clone();
        twice.insert(i, file[i]);
        let mut swapped = file.clone();
        swapped.swap(i, (i + 1).min(file.len() - 9));
        for (changed, what) in [(without, "removed"), (twice, "twice"), (swapped, "swapped")] {
            assert!(changed == file || check(&changed).is_err(), "byte {i} {what}, with the old checksum");
            let proves = PlainChecker::accepts(&changed, &roots);
            assert_eq!(check(&with_checksum(changed)).is_ok(), proves, "byte {i} {what}, with a new checksum");
            refused += usize::from(!proves);
        }
    }
    let moves = file.len() - 8 - first;
    assert!(refused > 2 * moves, "{refused} of {} changes refused", 3 * moves);
    assert!(matches!(check(&[&file[..], b"\0"].concat()), Err(ProofError::TrailingBytes)));
    assert!(matches!(check(&[&file[..], &file[..]].concat()), Err(ProofError::TrailingBytes)));
}

/// Any bit of the head is flipped.
#[test]
fn a_proof_with_another_claim_is_refused() {
    let roots = whole(3);
    let file = write(&roots).unwrap();
    let mut offset = FIRST_ROOT;
    for (i, root) in roots.iter().enumerate() {
        let mut changed = file.clone();
        changed[offset] ^= 1;
        assert!(check(&with_checksum(changed)).is_err(), "the other player wins position {i}");
        let mut changed = file.clone();
        changed[offset] ^= 2;
        assert!(check(&with_checksum(changed)).is_err(), "the other player moves in position {i}");
        offset += 2 + root.position().geometry().vertices().filter(|&v| !root.position().is_empty(v)).count();
    }
    for i in 0..offset {
        for bit in 0..8 {
            let mut changed = file.clone();
            changed[i] ^= 1 << bit;
            assert!(check(&changed).is_err(), "bit {bit} of byte {i}");
            // With the right checksum, other claims are accepted only if they are true: of images of the positions.
            let Ok(checked) = check(&with_checksum(changed)) else { continue };
            for (root, read) in roots.iter().zip(&checked.roots) {
                assert_eq!(root.winner(), read.winner(), "bit {bit} of byte {i}");
                assert_eq!(root.to_move(), read.to_move(), "bit {bit} of byte {i}");
                assert_eq!(first_image(root.position()), first_image(read.position()), "bit {bit} of byte {i}");
            }
        }
    }
}

#[test]
fn what_is_wrong_is_said() {
    let message = |file: &[u8]| check(file).err().unwrap().to_string();
    let root = Root::new(&named(3, "a1 c3"), Color::White).unwrap();
    let file = write(std::slice::from_ref(&root)).unwrap();
    assert_eq!(message(b""), "the file is cut off");
    assert_eq!(message(b"not a proof of anything"), "not a proof: it does not begin with 'mlcproof'");
    let with = |i: usize, value: u8| {
        let mut changed = file.clone();
        changed[i] = value;
        changed
    };
    assert_eq!(message(&with(8, 9)), "not a proof: unknown version 9 (expected 3)");
    assert_eq!(message(&with(11, 14)), "not a proof: invalid side lengths 3-3-14");
    assert_eq!(message(&with(12, 0)), "not a proof: invalid number of positions 0 (expected 1 to 10000)");
    assert_eq!(message(&with_checksum(with(16, 200))), "not a proof: invalid stone 200");
    assert_eq!(message(&with_checksum(with(18, 19))), "not a proof: the board has no vertex 19");
    // Damage is said to be damage, and not what was misread because of it.
    let damaged = "the checksum is wrong: the file was changed, or a part is missing";
    let (first, last) = (head_len(&[root]), file.len() - 1);
    for (i, value) in [(16, 200), (first, 19), (first, 0), (last, !file[last])] {
        assert_eq!(message(&with(i, value)), damaged, "byte {i}");
    }
    for missing in 1..8 {
        let without = [&file[..first], &file[first + missing..]].concat();
        assert!([damaged, "the file is cut off"].contains(&message(&without).as_str()), "{}", message(&without));
    }
    for len in 0..file.len() {
        assert_eq!(message(&file[..len]), "the file is cut off", "{len} bytes");
    }
}

#[test]
fn a_claim_that_is_not_true_is_not_proven() {
    let lost = Root::new(&named(3, "a2 c1"), Color::White).unwrap();
    assert!(matches!(write(&[lost]), Err(ProofError::NotWon { .. })));
    // Black completes a bridge at once, whatever white might have played later.
    let open = Root::new(&named(3, "c3 a1 d3 a2 e5"), Color::White).unwrap();
    let won = Root::new(&named(3, "a1"), Color::White).unwrap();
    assert!(matches!(write(&[won.clone(), open]), Err(ProofError::NotWon { root: 1 })));
    // No file may have more positions.
    assert!(write(&vec![won; 10_000]).is_ok_and(|file| check(&file).is_ok()));
    assert!(matches!(
        write(&vec![Root::new(&named(3, "a1"), Color::White).unwrap(); 10_001]),
        Err(ProofError::Roots(_))
    ));
    assert!(matches!(write(&[]), Err(ProofError::Roots(_))));
    let sides = [2, 3].map(|side| Root::new(&game(side, &[]), Color::White).unwrap());
    assert!(matches!(write(&sides), Err(ProofError::Roots(_))));
    let over = named(2, "a1 c3 b1");
    assert!(Root::new(&over, Color::White).is_none());
}

/// Proofs of parts make a proof of the whole, without a search: the solver may not visit a single position.
#[test]
fn proofs_of_parts_are_merged() {
    let opening = named(3, "a1");
    let root = Root::new(&opening, Color::White).unwrap();
    let parts: Vec<Scratch> = opening
        .position()
        .empty_vertices()
        .map(|v| {
            let mut after = opening.clone();
            after.play(v).unwrap();
            let part = Scratch::new(&format!("part-{}", v.index()));
            std::fs::write(&part, write(&[Root::new(&after, Color::White).unwrap()]).unwrap()).unwrap();
            part
        })
        .collect();
    let mut solver = solver(3);
    let known: Vec<PathBuf> = parts.iter().map(|part| part.to_path_buf()).collect();
    let mut file = Vec::new();
    let mut with_another = known.clone();
    with_another.push("no such file".into());
    let sources = Sources { known: with_another, ..Sources::new(&mut solver) };
    let refused = prove(&mut file, std::slice::from_ref(&root), sources, &mut |_| true);
    assert_eq!(refused.unwrap_err().to_string(), "no such file: No such file or directory (os error 2)");
    let sources = Sources { known, ..Sources::new(&mut solver) };
    prove(&mut file, std::slice::from_ref(&root), sources, &mut |_| true).unwrap();
    assert_eq!(solver.nodes(), 0);
    assert!(check(&file).is_ok() && PlainChecker::accepts(&file, &[root]));
}

/// The work can be stopped while a known proof is read, which may be large, and at each move after that.
#[test]
fn the_work_can_be_stopped_at_any_move() {
    let game = named(4, "a1 c3 a2 d4 e4 b3");
    let root = Root::new(&game, Color::White).unwrap();
    let part = Scratch::new("stopped");
    let proven = write(std::slice::from_ref(&root)).unwrap();
    std::fs::write(&part, &proven).unwrap();
    let moves = check(&proven).unwrap().summary.moves;
    let mut solver = solver(4);
    let mut run = |known: Vec<PathBuf>, reports: u64| {
        let mut count = 0;
        let sources = Sources { known, ..Sources::new(&mut solver) };
        let written = prove(std::io::sink(), std::slice::from_ref(&root), sources, &mut |_| {
            count += 1;
            count <= reports
        });
        (written.map(drop), count)
    };
    let (written, without) = run(Vec::new(), u64::MAX);
    assert!(written.is_ok() && without >= moves, "{without}");
    let (written, with) = run(vec![part.to_path_buf()], u64::MAX);
    let pieces = with - moves;
    assert!(written.is_ok() && pieces >= proven.len() as u64 / 256, "{with} reports, {moves} moves");
    for reports in [0, pieces / 2, pieces + moves / 2] {
        let (stopped, count) = run(vec![part.to_path_buf()], reports);
        assert!(matches!(stopped, Err(ProofError::Stopped)) && count == reports + 1, "{stopped:?}");
    }
}

/// The keys of larger boards have two and three words.
#[test]
fn positions_of_larger_boards_are_proven() {
    let mut proven = [0; 7];
    for record in Record::data("solved.jsonl").into_iter().filter(|record| record.side() >= 4) {
        let game = record.replay();
        let (side, budget) = (record.side(), Budget { nodes: Some(2000), time: None });
        let Some(Value::Win(winner)) = solve(&mut solver(side), &game, &budget, &mut |_| true).value else { continue };
        let roots = [Root::new(&game, winner).unwrap()];
        let file = write(&roots).unwrap();
        assert!(check(&file).is_ok() && PlainChecker::accepts(&file, &roots), "{}", record.place);
        proven[side] += 1;
    }
    assert!(proven[4] > 10 && proven[5] > 5, "{proven:?}");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for empty in 20..70 {
        let game = random_game(6, empty, &mut rng);
        let budget = Budget { nodes: Some(2000), time: None };
        let Some(Value::Win(winner)) = solve(&mut solver(6), &game, &budget, &mut |_| true).value else { continue };
        let roots = [Root::new(&game, winner).unwrap()];
        let file = write(&roots).unwrap();
        assert!(check(&file).is_ok() && PlainChecker::accepts(&file, &roots));
        proven[6] += usize::from(file.len() > head_len(&roots) + 8);
    }
    assert!(proven[6] > 5, "{proven:?}");
}

/// A game of random stones, of which none completes a structure, with about this many empty vertices left.
fn random_game(side: usize, empty: usize, rng: &mut Xoshiro256PlusPlus) -> Game {
    let mut game = game(side, &[]);
    let mut order: Vec<Vertex> = game.geometry().vertices().collect();
    order.shuffle(rng);
    for &v in &order[empty..] {
        let colors = [game.to_move(), !game.to_move()];
        if let Some(color) = colors.into_iter().find(|&color| game.position().completes(color, v).is_empty()) {
            game.place(color, v).unwrap();
        }
    }
    game
}

/// Random moves prove nothing, and the checker survives them.
#[test]
fn random_moves_are_refused() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for side in 3..=6 {
        let vertices = Geometry::with_side(side).unwrap().vertex_count() as u8;
        for _ in 0..200 {
            let mut file = b"mlcproof\x03".to_vec();
            file.extend([side as u8; 3]);
            file.extend([1, 0, rng.random_range(0..4), 0]);
            let limit = if rng.random_bool(0.5) { vertices } else { 255 };
            file.extend((0..rng.random_range(8..500)).map(|_| rng.random_range(0..limit)));
            assert!(check(&with_checksum(file)).is_err());
        }
    }
}

/// The checker of a page in Python, which is written from docs/proof-format.md, agrees on proofs and on changed ones.
#[test]
fn the_checker_in_python_agrees() {
    if Command::new("python3").arg("--version").output().is_err() {
        skipped("there is no python3");
        return;
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let (mut files, mut proven) = (Vec::new(), Vec::new());
    let mut add = |bytes: &[u8]| {
        let file = Scratch::new(&format!("python-{}", files.len()));
        std::fs::write(&file, bytes).unwrap();
        files.push(file);
        proven.push(check(bytes).is_ok());
    };
    let boards = ["2-2-2", "3-3-3", "2-2-3", "2-3-4"].map(|board| Geometry::with_shape(board.parse().unwrap()));
    for roots in boards.map(whole_board) {
        let file = write(&roots).unwrap();
        add(&file);
        for _ in 0..40 {
            let mut changed = file.clone();
            let i = rng.random_range(9..file.len() - 8);
            changed[i] = rng.random_range(0..20);
            add(&with_checksum(changed));
        }
    }
    let game = named(4, "a1 c3 a2 d4 e4 b3");
    add(&write(&[Root::new(&game, Color::White).unwrap()]).unwrap());
    // A root whose number of stones is missing, on a board where a double threat ends the proof at once.
    add(&with_checksum([&b"mlcproof\x03\x02\x02\x04\x01\0\0"[..], &[0; 8]].concat()));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/check_proof.py");
    let output = Command::new("python3").arg(script).args(files.iter().map(|file| file.path())).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = String::from_utf8(output.stdout).unwrap();
    let found: Vec<bool> = text.lines().map(|line| line.contains(": proven")).collect();
    assert_eq!(found, proven);
    assert!(proven.contains(&true) && proven.iter().filter(|&&is_proven| !is_proven).count() > 50);
}

#[test]
fn a_writer_that_was_stopped_continues_at_its_checkpoint() {
    let checkpoint = Scratch::new("checkpoint");
    let roots = [Root::new(&named(4, "a1 c3 a2 d4 e4 b3"), Color::White).unwrap()];
    let write = |solver: &mut Solver, reports: u64| {
        let (mut file, mut left) = (Vec::new(), reports);
        let sources = Sources { checkpoint: Some(checkpoint.to_path_buf()), ..Sources::new(solver) };
        let written = prove(&mut file, &roots, sources, &mut |_| {
            left -= 1;
            left > 0
        });
        written.map(|_| file)
    };
    let mut first = solver(4);
    assert!(matches!(write(&mut first, 5), Err(ProofError::Stopped)));
    assert!(first.nodes() > 0);
    // As if the program had been killed while it wrote the last record.
    let saved = std::fs::read(&checkpoint).unwrap();
    std::fs::write(&checkpoint, &saved[..saved.len().max(10) - 1]).unwrap();
    let mut second = solver(4);
    let file = write(&mut second, u64::MAX).unwrap();
    assert!(check(&file).is_ok());
    // Now all moves are known.
    let mut third = solver(4);
    assert_eq!(write(&mut third, u64::MAX).unwrap(), file);
    assert_eq!(third.nodes(), 0);
    std::fs::write(&checkpoint, b"something else").unwrap();
    assert!(
        matches!(write(&mut third, u64::MAX), Err(ProofError::Checkpoint { board, .. }) if board.regular_side() == Some(4))
    );
}

/// A damaged checkpoint costs time, but says nothing wrong, and two writers never share one.
#[test]
fn damaged_moves_of_a_checkpoint_are_not_used() {
    let checkpoint = Scratch::new("damaged-checkpoint");
    let roots = [Root::new(&named(4, "a1 c3 a2 d4 e4 b3"), Color::White).unwrap()];
    let write = |solver: &mut Solver, proceed: &mut dyn FnMut() -> bool| {
        let mut file = Vec::new();
        let sources = Sources { checkpoint: Some(checkpoint.to_path_buf()), ..Sources::new(solver) };
        prove(&mut file, &roots, sources, &mut |_| proceed()).map(|_| file)
    };
    write(&mut solver(4), &mut || true).unwrap();
    let whole = std::fs::read(&checkpoint).unwrap();
    // What the file is, and the side length.
    let head = 9;
    assert!(whole.len() > head + 100, "{} bytes", whole.len());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    for _ in 0..10 {
        let mut damaged = whole.clone();
        for _ in 0..50 {
            damaged[random.random_range(head..whole.len())] ^= 1 << random.random_range(0..8);
        }
        std::fs::write(&checkpoint, &damaged).unwrap();
        let mut solver = solver(4);
        assert!(check(&write(&mut solver, &mut || true).unwrap()).is_ok());
        assert!(solver.nodes() > 0, "something was found again");
    }
    // While one writes, another is refused.
    std::fs::write(&checkpoint, &whole[..head]).unwrap();
    let mut refused = 0;
    let mut try_another = || {
        let error = write(&mut solver(4), &mut || true).unwrap_err();
        assert!(matches!(&error, ProofError::CheckpointFile(path, _) if *path == *checkpoint), "{error}");
        assert!(error.to_string().ends_with(": another process is writing to this file"), "{error}");
        refused += 1;
        true
    };
    write(&mut solver(4), &mut try_another).unwrap();
    assert!(refused > 0);
}

/// The proof that the repository has: White wins side 4 after the first stone on a1.
#[test]
fn the_proof_of_an_opening_of_side_4_is_right() {
    let file = std::fs::File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/proofs/side-4-a1.proof")).unwrap();
    let checked = proof::check(file).unwrap();
    let [root] = &checked.roots[..] else { panic!("{} roots", checked.roots.len()) };
    let geometry = Geometry::with_side(4).unwrap();
    let stones: Vec<_> = geometry.vertices().filter_map(|v| Some((v, root.position().stone(v)?))).collect();
    let corner = Notation::HavannahGui.parse(geometry, "a1").unwrap();
    assert_eq!(stones, [(corner, Color::White)]);
    assert_eq!((root.to_move(), root.winner()), (Color::Black, Color::White));
    assert_eq!(checked.summary.positions, 371_426);
}
