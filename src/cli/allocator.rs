//! The memory of the program.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_int;
use std::io::{self, Write};

use malecon::base::memory::may_be_refused;

/// The system's allocator. Where memory runs out, it ends the program with one line and the status 1. The standard
/// library would abort it, or never end it if that happens while a panic prints a backtrace.
pub struct Allocator;

// SAFETY: every method forwards to the system's allocator.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `GlobalAlloc`; so below.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: see `alloc`.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: see `alloc`.
        checked(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: see `alloc`.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[inline]
fn checked(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() && !may_be_refused() {
        end(size);
    }
    memory
}

/// Ends the program. Allocates nothing, and takes no lock that another thread, or this one, may hold while it allocates.
/// `std::process::exit` takes one that starting a thread holds. Of several threads, the first says why.
#[cold]
fn end(size: usize) -> ! {
    unsafe extern "C" {
        safe fn _exit(status: c_int) -> !;
    }
    let mut stderr = io::stderr().lock();
    let _ = writeln!(stderr, "error: out of memory: the system has no {size} bytes left");
    _exit(1)
}
