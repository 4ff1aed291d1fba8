//! Benchmarks of the kernels: `cargo bench --bench kernels`, or a part of them by name.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use malecon::board::Geometry;
use malecon::playout::sampler::{BlockSums, MoveSampler, SumTree};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::hint::black_box;

/// The neighbours of every vertex as keys of a sampler, filled up to six with the vertex itself, which is not in the
/// map any more when they are needed.
fn neighbour_keys(board: &Geometry) -> Vec<[u16; 6]> {
    let key = |v: malecon::board::Vertex| v.index() as u16;
    let around = |v| std::array::from_fn(|i| key(*board.neighbours(v).get(i).unwrap_or(&v)));
    board.vertices().map(around).collect()
}

/// The draws of a full playout as in the paper's section 9: unit weight on the centre, and after move number n the
/// empty neighbours get the weight n³. Returns what depends on all of them.
fn draw_all_moves<S: MoveSampler>(
    moves: &mut S,
    start: &S,
    neighbours: &[[u16; 6]],
    rng: &mut Xoshiro256PlusPlus,
) -> u64 {
    moves.copy_from(start);
    let (mut n, mut mixed) = (0u32, 0u64);
    while let Some(key) = moves.sample(rng) {
        n += 1;
        moves.remove(key);
        moves.update_all(&neighbours[key as usize], n * n * n);
        mixed = mixed.wrapping_mul(31).wrapping_add(key as u64);
    }
    mixed
}

/// Both samplers in the pattern of a playout, on sides 4, 6, 8 and 10; the throughput is in moves.
fn samplers(c: &mut Criterion) {
    let mut group = c.benchmark_group("sampler");
    for side in [4, 6, 8, 10] {
        let board = Geometry::of(side).expect("a legal side");
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

criterion_group!(kernels, samplers);
criterion_main!(kernels);
