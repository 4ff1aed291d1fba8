//! Benchmarks of the innermost parts: `cargo bench --bench kernels`, or `cargo bench --bench kernels -- NAME` for some.

use std::hint::black_box;
use std::time::{Duration, Instant};

use malecon::engine::playout::paper::sampler::{BlockSums, MoveSampler, SumTree};
use malecon::engine::playout::paper::{Rings, SamplerKind};
use malecon::engine::search::{Preset, SearchOptions, with_simulations};
use malecon::game::{Color, Game, Geometry, Position, RingFinder, Structures, Vertex};
use malecon::tools::bench::{PlayoutKind, Playouts};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// What is measured: the actions whose names contain this text.
struct Bench {
    wanted: String,
}

impl Bench {
    /// Prints how long one of the elements of an action takes: the least of ten means, each over a tenth of a second.
    fn measure<T>(&self, name: &str, elements: usize, mut action: impl FnMut() -> T) {
        const BATCH: u32 = 16;
        if !name.contains(&self.wanted) {
            return;
        }
        let mean = |_| {
            let start = Instant::now();
            let mut count = 0;
            while start.elapsed() < Duration::from_millis(100) {
                (0..BATCH).for_each(|_| _ = black_box(action()));
                count += BATCH;
            }
            start.elapsed().as_secs_f64() * 1e9 / f64::from(count)
        };
        let least = (0..10).map(mean).fold(f64::INFINITY, f64::min);
        println!("{name:32} {:10.1} ns", least / elements as f64);
    }
}

/// For every vertex, the sampler keys of its neighbours. If there are fewer than six, the vertex itself fills the gaps;
/// its own key has been removed by the time they are used.
fn neighbour_keys(board: &Geometry) -> Vec<[u16; 6]> {
    let key = |v: Vertex| v.index() as u16;
    let around = |v| std::array::from_fn(|i| key(*board.neighbours(v).get(i).unwrap_or(&v)));
    board.vertices().map(around).collect()
}

/// The draws of a full playout as in the paper's section 9: unit weight on the centre, and weight n³ for the empty
/// neighbours of move n. Returns a hash of all moves.
fn draw_all_moves<S: MoveSampler>(
    moves: &mut S,
    start: &S,
    neighbours: &[[u16; 6]],
    rng: &mut Xoshiro256PlusPlus,
) -> u64 {
    moves.copy_from(start);
    let mut n = 0u32;
    let mut hash = 0u64;
    while let Some(key) = moves.sample(rng) {
        n += 1;
        moves.remove(key);
        moves.update_all(&neighbours[key as usize], n * n * n);
        hash = hash.wrapping_mul(31).wrapping_add(key as u64);
    }
    hash
}

/// Both samplers, used as in a playout, on sides 4, 6, 8 and 10. Times are those of a move.
fn samplers(bench: &Bench) {
    for side in SIDES {
        let board = board(side);
        sampler::<SumTree>(bench, "sum_tree", board);
        sampler::<BlockSums>(bench, "block_sums", board);
    }
}

fn sampler<S: MoveSampler>(bench: &Bench, name: &str, board: &Geometry) {
    let neighbours = neighbour_keys(board);
    let mut start = S::default();
    start.load(board.vertices().map(|v| Some((v.index() == board.vertex_count() / 2) as u32)));
    let mut moves = start.clone();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    bench.measure(&format!("sampler/{name}/{}", board.side()), board.vertex_count(), || {
        draw_all_moves(&mut moves, &start, &neighbours, &mut rng)
    });
}

const SIDES: [usize; 4] = [4, 6, 8, 10];

fn board(side: usize) -> &'static Geometry {
    Geometry::with_side(side).expect("a valid side length")
}

/// All vertices of a board in random orders.
fn orders(board: &'static Geometry) -> Vec<Vec<Vertex>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let shuffled = |_| {
        let mut order: Vec<Vertex> = board.vertices().collect();
        order.shuffle(&mut rng);
        order
    };
    (0..64).map(shuffled).collect()
}

/// Places stones on all vertices in this order, in alternating colours, and returns how many completed a structure.
fn place_all(position: &mut Position, empty: &Position, order: &[Vertex]) -> usize {
    position.copy_from(empty);
    let stones = order.iter().zip(Color::ALL.into_iter().cycle());
    stones.filter(|&(&v, color)| position.place(color, v) != Structures::NONE).count()
}

/// Placing stones until the board is full, with online recognition of all structures. Times are those of a move.
fn board_play(bench: &Bench) {
    for side in SIDES {
        let board = board(side);
        let mut at = 0;
        let orders = orders(board);
        let empty = Position::new(board);
        let mut position = empty.clone();
        bench.measure(&format!("board/place/{side}"), board.vertex_count(), || {
            at = (at + 1) % orders.len();
            place_all(&mut position, &empty, &orders[at])
        });
    }
}

/// Finding the chain of every stone on a full board, in the disjoint-set forest. Times are those of a stone.
fn union_find(bench: &Bench) {
    for side in SIDES {
        let board = board(side);
        let mut position = Position::new(board);
        place_all(&mut position, &Position::new(board), &orders(board)[0]);
        bench.measure(&format!("chains/find/{side}"), board.vertex_count(), || {
            board.vertices().map(|v| position.chain(black_box(v)).1 as usize).sum::<usize>()
        });
    }
}

/// Offline ring recognition (paper, section 8) for both colours on full boards. The cost of online recognition is the
/// difference between `online`, playouts that look for rings, and `none`, playouts that do not.
fn rings(bench: &Bench) {
    for side in SIDES {
        let board = board(side);
        let mut at = 0;
        let orders = orders(board);
        let mut finder = RingFinder::new(board);
        bench.measure(&format!("rings/offline/{side}"), board.vertex_count(), || {
            at = (at + 1) % orders.len();
            Color::ALL.map(|color| finder.earliest(black_box(&orders[at]), Color::White, color))
        });
        for (name, kind) in [("none", PlayoutKind::FullBridgeFork), ("online", PlayoutKind::FullAll)] {
            let mut playouts = Playouts::new(board, kind, SamplerKind::BlockSums, Rings::Online, 1);
            bench.measure(&format!("rings/{name}/{side}"), board.vertex_count(), || playouts.play());
        }
    }
}

/// One playout from the empty board, uniform or weighted.
fn playouts(bench: &Bench) {
    for side in SIDES {
        let kinds = [
            ("uniform", PlayoutKind::UntilFirstWin, SamplerKind::BlockSums),
            ("weighted_sum_tree", PlayoutKind::WeightedUntilWin, SamplerKind::SumTree),
            ("weighted_block_sums", PlayoutKind::WeightedUntilWin, SamplerKind::BlockSums),
        ];
        for (name, kind, sampler) in kinds {
            let mut playouts = Playouts::new(board(side), kind, sampler, Rings::Online, 1);
            bench.measure(&format!("playout/{name}/{side}"), 1, || playouts.play());
        }
    }
}

/// One simulation of a search from the empty board whose tree has used up its memory.
fn search(bench: &Bench) {
    for side in SIDES {
        for (name, preset) in [("plain", Preset::Plain), ("default", Preset::Default), ("paper", Preset::Paper)] {
            let options = SearchOptions { memory: 64, ..SearchOptions::preset(preset) };
            with_simulations(&Game::new(board(side)), &options, 1, |iterate| {
                bench.measure(&format!("search/{name}/{side}"), 1, iterate);
            })
            .expect("there is memory for a search");
        }
    }
}

fn main() {
    // Cargo itself passes options.
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let bench = Bench { wanted };
    for measure in [board_play, union_find, rings, samplers, playouts, search] {
        measure(&bench);
    }
}
