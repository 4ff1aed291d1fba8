//! No memory is allocated inside a playout, nor inside a search iteration but for the nodes of the tree.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use malecon::bench::{PlayoutKind, Playouts, with_iterations};
use malecon::board::{Game, Geometry};
use malecon::playout::paper::{Rings, SamplerKind};
use malecon::search::{Options, Preset};

/// The system's allocator; notes what the thread allocates.
struct Counting;

/// The allocations of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    /// Of nodes: in cache lines, a megabyte or more at once. Nothing else is aligned like that.
    chunks: usize,
    /// Of anything else.
    others: usize,
}

thread_local! {
    static COUNT: Cell<Count> = const { Cell::new(Count { chunks: 0, others: 0 }) };
}

fn note(layout: Layout) {
    COUNT.with(|count| {
        let mut now = count.get();
        let of_nodes = layout.align() == 64 && layout.size() >= 1 << 20;
        *(if of_nodes { &mut now.chunks } else { &mut now.others }) += 1;
        count.set(now);
    });
}

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout);
        // SAFETY: by the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout);
        // SAFETY: by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(layout);
        // SAFETY: by the caller.
        unsafe { System.realloc(memory, layout, size) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: by the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `work` allocates.
fn allocated(work: impl FnOnce()) -> Count {
    let before = COUNT.get();
    work();
    let after = COUNT.get();
    Count { chunks: after.chunks - before.chunks, others: after.others - before.others }
}

#[test]
fn allocations_are_seen() {
    assert_eq!(allocated(|| drop(std::hint::black_box(vec![1u8]))), Count { chunks: 0, others: 1 });
}

#[test]
fn playouts_do_not_allocate() {
    for side in [2, 4, 8, 13] {
        let geometry = Geometry::of(side).unwrap();
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
                    let count = allocated(|| (0..50).for_each(|_| _ = playouts.play()));
                    assert_eq!(count, Count::default(), "{kind:?} {sampler:?} {rings:?} on side {side}");
                }
            }
        }
    }
}

/// From the first iteration on: the tree grows by chunks of nodes and nothing else, and once its memory is used up by
/// nothing at all.
#[test]
fn search_iterations_allocate_nodes_alone() {
    for side in [4, 8] {
        let game = Game::new(Geometry::of(side).unwrap());
        for preset in [Preset::Default, Preset::Plain, Preset::Paper] {
            let options = Options { memory: 5, expand_visits: 1, ..Options::preset(preset) };
            let [growing, full] = with_iterations(&game, &options, 1, |iterate| {
                [6000, 300].map(|iterations| allocated(|| (0..iterations).for_each(|_| iterate())))
            });
            // The first chunk was made with the root.
            assert_eq!(growing, Count { chunks: 1, others: 0 }, "{preset:?} on side {side}");
            assert_eq!(full, Count::default(), "{preset:?} on side {side}");
        }
    }
}
