//! Benchmarks of the innermost parts: `cargo bench --bench kernels`, or `cargo bench --bench kernels -- NAME` for some.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use malecon::bench::{PlayoutKind, Playouts, with_simulations};
use malecon::board::{Color, Game, Geometry, Position, RingFinder, Structures, Vertex};
use malecon::playout::paper::sampler::{BlockSums, MoveSampler, SumTree};
use malecon::playout::paper::{Rings, SamplerKind};
use malecon::search::{Options, Preset};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::hint::black_box;

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
    let (mut n, mut hash) = (0u32, 0u64);
    while let Some(key) = moves.sample(rng) {
        n += 1;
        moves.remove(key);
        moves.update_all(&neighbours[key as usize], n * n * n);
        hash = hash.wrapping_mul(31).wrapping_add(key as u64);
    }
    hash
}

/// Both samplers, used as in a playout, on sides 4, 6, 8 and 10. Throughput is in moves.
fn samplers(c: &mut Criterion) {
    let mut group = c.benchmark_group("sampler");
    for side in SIDES {
        let board = board(side);
        group.throughput(Throughput::Elements(board.vertex_count() as u64));
        sampler::<SumTree>(&mut group, "sum_tree", board);
        sampler::<BlockSums>(&mut group, "block_sums", board);
    }
    group.finish();
}

fn sampler<S: MoveSampler>(
    group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
    name: &str,
    board: &Geometry,
) {
    let neighbours = neighbour_keys(board);
    let mut start = S::default();
    start.load(board.vertices().map(|v| Some((v.index() == board.vertex_count() / 2) as u32)));
    let (mut moves, mut rng) = (start.clone(), Xoshiro256PlusPlus::seed_from_u64(1));
    group.bench_function(BenchmarkId::new(name, board.vertex_count()), |b| {
        b.iter(|| black_box(draw_all_moves(&mut moves, &start, &neighbours, &mut rng)));
    });
}

const SIDES: [usize; 4] = [4, 6, 8, 10];

fn board(side: usize) -> &'static Geometry {
    Geometry::of(side).expect("a valid side length")
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

/// Placing stones until the board is full, with online recognition of all structures. Throughput is in moves.
fn board_play(c: &mut Criterion) {
    let mut group = c.benchmark_group("board");
    for side in SIDES {
        let (board, mut at) = (board(side), 0);
        let (orders, empty) = (orders(board), Position::new(board));
        let mut position = empty.clone();
        group.throughput(Throughput::Elements(board.vertex_count() as u64));
        group.bench_function(BenchmarkId::new("place", side), |b| {
            b.iter(|| {
                at = (at + 1) % orders.len();
                black_box(place_all(&mut position, &empty, &orders[at]))
            });
        });
    }
    group.finish();
}

/// Finding the chain of every stone on a full board, in the disjoint-set forest. Throughput is in stones.
fn union_find(c: &mut Criterion) {
    let mut group = c.benchmark_group("chains");
    for side in SIDES {
        let board = board(side);
        let mut position = Position::new(board);
        place_all(&mut position, &Position::new(board), &orders(board)[0]);
        group.throughput(Throughput::Elements(board.vertex_count() as u64));
        group.bench_function(BenchmarkId::new("find", side), |b| {
            b.iter(|| board.vertices().map(|v| position.chain(black_box(v)).1 as usize).sum::<usize>());
        });
    }
    group.finish();
}

/// Offline ring recognition (paper, section 8) for both colours on full boards. The cost of online recognition is the
/// difference between `online`, playouts that look for rings, and `none`, playouts that do not.
fn rings(c: &mut Criterion) {
    let mut group = c.benchmark_group("rings");
    for side in SIDES {
        let (board, mut at) = (board(side), 0);
        let (orders, mut finder) = (orders(board), RingFinder::new(board));
        group.throughput(Throughput::Elements(board.vertex_count() as u64));
        group.bench_function(BenchmarkId::new("offline", side), |b| {
            b.iter(|| {
                at = (at + 1) % orders.len();
                Color::ALL.map(|color| finder.earliest(black_box(&orders[at]), Color::White, color))
            });
        });
        for (name, kind) in [("none", PlayoutKind::FullBridgeFork), ("online", PlayoutKind::FullAll)] {
            let mut playouts = Playouts::new(board, kind, SamplerKind::BlockSums, Rings::Online, 1);
            group.bench_function(BenchmarkId::new(name, side), |b| b.iter(|| black_box(playouts.play())));
        }
    }
    group.finish();
}

/// One playout from the empty board, uniform or weighted.
fn playouts(c: &mut Criterion) {
    let mut group = c.benchmark_group("playout");
    for side in SIDES {
        let kinds = [
            ("uniform", PlayoutKind::UntilFirstWin, SamplerKind::BlockSums),
            ("weighted_sum_tree", PlayoutKind::WeightedUntilWin, SamplerKind::SumTree),
            ("weighted_block_sums", PlayoutKind::WeightedUntilWin, SamplerKind::BlockSums),
        ];
        for (name, kind, sampler) in kinds {
            let mut playouts = Playouts::new(board(side), kind, sampler, Rings::Online, 1);
            group.bench_function(BenchmarkId::new(name, side), |b| b.iter(|| black_box(playouts.play())));
        }
    }
    group.finish();
}

/// One simulation of a search from the empty board whose tree has used up its memory.
fn search(c: &mut Criterion) {
    let mut group = c.benchmark_group("search");
    for side in SIDES {
        for (name, preset) in [("plain", Preset::Plain), ("default", Preset::Default), ("paper", Preset::Paper)] {
            let options = Options { memory: 64, ..Options::preset(preset) };
            group.bench_function(BenchmarkId::new(name, side), |b| {
                with_simulations(&Game::new(board(side)), &options, 1, |iterate| b.iter(iterate));
            });
        }
    }
    group.finish();
}

criterion_group!(kernels, board_play, union_find, rings, samplers, playouts, search);
criterion_main!(kernels);
