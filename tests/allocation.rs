//! Playouts do not allocate memory, and simulations of the search allocate nothing but tree nodes. Without memory for
//! them there is an error.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::AtomicBool;

use malecon::engine::playout::paper::{Rings, SamplerKind};
use malecon::engine::search::{Limits, Preset, SearchError, SearchOptions, Searcher, with_simulations};
use malecon::engine::session::Session;
use malecon::game::{Game, Geometry};
use malecon::tools::bench::{PlayoutKind, Playouts};

/// The system's allocator, with a count of the allocations of each thread. It can refuse chunks.
struct Counting;

/// The number of allocations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    /// Chunks of tree nodes and the solver's table: a megabyte or more in size. Nothing else is as large.
    chunks: usize,
    /// All other allocations.
    others: usize,
}

thread_local! {
    static COUNT: Cell<Count> = const { Cell::new(Count { chunks: 0, others: 0 }) };
    /// Whether this thread gets no chunk that is filled with zeros.
    static IS_REFUSED: Cell<bool> = const { Cell::new(false) };
}

fn is_chunk(layout: Layout) -> bool {
    layout.size() >= 1 << 20
}

fn count_allocation(layout: Layout) {
    COUNT.with(|count| {
        let mut now = count.get();
        *(if is_chunk(layout) { &mut now.chunks } else { &mut now.others }) += 1;
        count.set(now);
    });
}

// SAFETY: every method forwards to the system's allocator, or allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_allocation(layout);
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if IS_REFUSED.get() && is_chunk(layout) {
            return std::ptr::null_mut();
        }
        count_allocation(layout);
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_allocation(layout);
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        unsafe { System.realloc(memory, layout, size) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The allocations made by a function.
fn allocations(f: impl FnOnce()) -> Count {
    let before = COUNT.get();
    f();
    let after = COUNT.get();
    Count { chunks: after.chunks - before.chunks, others: after.others - before.others }
}

#[test]
fn allocations_are_counted() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1u8]))), Count { chunks: 0, others: 1 });
}

#[test]
fn playouts_do_not_allocate() {
    for side in [2, 4, 8, 13] {
        let geometry = Geometry::with_side(side).unwrap();
        for kind in [
            PlayoutKind::Full,
            PlayoutKind::FullAll,
            PlayoutKind::WeightedFull,
            PlayoutKind::WeightedUntilWin,
            PlayoutKind::UntilFirstWin,
        ] {
            for sampler in [SamplerKind::BlockSums, SamplerKind::SumTree] {
                for rings in [Rings::Offline, Rings::Online] {
                    let mut playouts = Playouts::new(geometry, kind, sampler, rings, 1);
                    let count = allocations(|| (0..50).for_each(|_| _ = playouts.play()));
                    assert_eq!(count, Count::default(), "{kind:?} {sampler:?} {rings:?} on side {side}");
                }
            }
        }
    }
}

/// A growing tree allocates chunks of nodes. Once the tree has used up its memory, nothing is allocated.
#[test]
fn simulations_allocate_only_tree_nodes() {
    for side in [4, 8] {
        let game = Game::new(Geometry::with_side(side).unwrap());
        for preset in [Preset::Default, Preset::Plain, Preset::Paper] {
            // Side 4 is proven at once otherwise.
            let mut options = SearchOptions { memory: 4, solved_positions: false, ..SearchOptions::preset(preset) };
            options.rave.expand_visits = 1;
            let [growing, full] = with_simulations(&game, &options, 1, |simulate| {
                [6000, 300].map(|simulations| allocations(|| (0..simulations).for_each(|_| simulate())))
            })
            .unwrap();
            // The first chunk was allocated with the root. With the default, the second one is the first of another
            // kind.
            let chunks = if preset == Preset::Default { 1 } else { 2 };
            assert_eq!(growing, Count { chunks, others: 0 }, "{preset:?} on side {side}");
            assert_eq!(full, Count::default(), "{preset:?} on side {side}");
        }
    }
}

/// A new game on the same board reuses the memory of the last one.
#[test]
fn a_new_game_allocates_no_chunk() {
    let game = Game::new(Geometry::with_side(4).unwrap());
    let limits = Limits::with_simulations(500);
    let options = SearchOptions { memory: 16, solver_rate: 1.0, ..SearchOptions::default() };
    let mut searcher = Searcher::new(options, 1);
    let chunks = |searcher: &mut Searcher| {
        allocations(|| _ = searcher.search(&game, &limits, &AtomicBool::new(false)).unwrap()).chunks
    };
    assert!(chunks(&mut searcher) > 0);
    searcher.clear();
    assert_eq!(chunks(&mut searcher), 0);
}

/// The next search with enough memory succeeds.
#[test]
fn a_search_without_memory_for_a_tree_is_an_error() {
    let game = Game::new(Geometry::with_side(4).unwrap());
    let (limits, stop) = (Limits::with_simulations(50), AtomicBool::new(false));
    for preset in [Preset::Default, Preset::Rave] {
        let options = SearchOptions { solved_positions: false, ..SearchOptions::preset(preset) };
        let mut searcher = Searcher::new(options.clone(), 1);
        IS_REFUSED.set(true);
        let refused = searcher.search(&game, &limits, &stop).map(|report| report.simulations);
        let measured = with_simulations(&game, &options, 1, |simulate| simulate());
        IS_REFUSED.set(false);
        assert_eq!((refused, measured), (Err(SearchError::NoMemory), Err(SearchError::NoMemory)), "{preset:?}");
        assert_eq!(searcher.search(&game, &limits, &stop).unwrap().simulations, 50, "{preset:?}");
    }
}

#[test]
fn a_session_without_memory_for_a_tree_still_moves() {
    let mut session = Session::on_side(5).unwrap();
    IS_REFUSED.set(true);
    let run = session.search().simulations(50).run().map(|analysis| analysis.report.simulations);
    let played = session.search().simulations(50).make_move();
    IS_REFUSED.set(false);
    assert_eq!(run, Err(SearchError::NoMemory));
    assert_eq!(session.game().moves().last().map(|&(_, m)| m), Some(played.unwrap()));
}
