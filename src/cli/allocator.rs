//! The memory of the program: the third rule of [`malecon::base::memory`].

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_int;
use std::io::{self, Write};
use std::thread::sleep;
use std::time::Duration;

use malecon::base::memory::may_be_refused;

/// How often a refused request for memory is repeated, a millisecond apart.
const TRIES: u32 = 300;

/// The system's allocator. Where memory runs out, it ends the program with one line and the status 1. The standard
/// library would abort it, or never end it if that happens while a panic prints a backtrace.
///
/// Memory may be short only for a moment, while another thread tries how large a table can be. So a refused request is
/// repeated for up to 0.3 s.
pub struct Allocator;

// SAFETY: every method forwards to the system's allocator.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `GlobalAlloc`; the same holds below.
        checked(layout.size(), || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: see `alloc`.
        checked(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: see `alloc`. Where this fails, the old memory stays as it was.
        checked(size, || unsafe { System.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: see `alloc`.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Makes the GNU C library take no more memory from the system than is in use. Must be called before the first thread
/// starts.
///
/// By default each thread has a heap with 64 MB of addresses, of which most stay unused. Once the addresses are used
/// up, each request takes a whole page, however small, and a limit on memory is reached with a hundredth of the data.
/// So all threads share one heap. By default, too, the library keeps large blocks after they are freed. A
/// [check](malecon::base::memory) for the memory of a thread would then succeed, although the system has none left to
/// start one.
pub fn keep_memory_small() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// `M_ARENA_MAX` of `malloc.h`: the most heaps.
        const ARENA_MAX: c_int = -8;
        /// `M_MMAP_THRESHOLD` of `malloc.h`: blocks of this many bytes go back to the system when they are freed.
        const MMAP_THRESHOLD: c_int = -3;
        unsafe extern "C" {
            safe fn mallopt(parameter: c_int, value: c_int) -> c_int;
        }
        if mallopt(ARENA_MAX, 1) == 0 || mallopt(MMAP_THRESHOLD, 1 << 20) == 0 {
            log::warn!("the C library takes more memory than is in use");
        }
    }
}

#[inline]
fn checked(size: usize, allocate: impl Fn() -> *mut u8) -> *mut u8 {
    let memory = allocate();
    if memory.is_null() && !may_be_refused() { tried_again(allocate).unwrap_or_else(|| end(size)) } else { memory }
}

#[cold]
fn tried_again(allocate: impl Fn() -> *mut u8) -> Option<*mut u8> {
    (0..TRIES).find_map(|_| {
        sleep(Duration::from_millis(1));
        Some(allocate()).filter(|memory| !memory.is_null())
    })
}

/// Ends the program. Allocates nothing, and takes no lock that another thread, or this one, may hold while it
/// allocates. `std::process::exit` takes a lock that is held while a thread starts. If several threads end the program,
/// the first says why.
#[cold]
fn end(size: usize) -> ! {
    unsafe extern "C" {
        safe fn _exit(status: c_int) -> !;
    }
    let mut stderr = io::stderr().lock();
    let _ = writeln!(stderr, "error: out of memory: the system has no {size} bytes left");
    _exit(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_short_for_a_moment_is_waited_for() {
        let (attempts, mut byte) = (std::cell::Cell::new(0), 0);
        let memory = &raw mut byte;
        let allocate = || {
            attempts.set(attempts.get() + 1);
            if attempts.get() < 4 { std::ptr::null_mut() } else { memory }
        };
        assert_eq!(checked(1, allocate), memory);
        assert_eq!(attempts.get(), 4);
        assert_eq!(tried_again(std::ptr::null_mut), None);
    }
}
