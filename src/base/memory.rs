//! How the program gets by with little memory.
//!
//! 1. Memory that the engine can do without, such as the tree, the tables and cached positions, is allocated by
//!    `AlignedWords::zeros` or within `allow_refusal`. If the system refuses it, the engine makes do with less.
//! 2. Before a part of the engine takes memory that another part may need, such as the stack of a thread, it checks
//!    that there is enough for both (`can_allocate`). The check takes the memory for a moment.
//! 3. All other memory is indispensable. If the system refuses it, the program's allocator tries again until every
//!    check as in 2 must be over, and then ends the program with one line (`cli::allocator`). [`may_be_refused`] tells
//!    it which rule applies.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::cell::Cell;
use std::hint::black_box;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The size of a cache line in bytes.
const LINE: usize = 64;

/// The size of a huge page in bytes on most processors. Where it is another, some of the memory stays in small pages.
#[cfg(all(target_os = "linux", not(miri)))]
const HUGE_PAGE: usize = 1 << 21;

/// The shortage that was reported last, so that many searches in a row do not report the same.
pub(crate) struct LastShortage(AtomicU64);

impl LastShortage {
    /// Before the first shortage.
    pub const fn new() -> LastShortage {
        LastShortage(AtomicU64::new(0))
    }

    /// Whether this shortage, in mebibytes or kibibytes, differs from the last one, which it now is.
    pub fn is_new(&self, got: usize, wanted: usize) -> bool {
        let shortage = (got as u64) << 32 | wanted as u64;
        self.0.swap(shortage, Relaxed) != shortage
    }
}

/// An integer that is 0 if all its bits are 0.
///
/// # Safety
/// Memory filled with zeros must be a value of the type.
pub(crate) unsafe trait Word {}
// SAFETY: these are integers and atomic integers, whose value 0 has no bit set.
unsafe impl Word for u64 {}
// SAFETY: as above.
unsafe impl Word for AtomicU32 {}
// SAFETY: as above.
unsafe impl Word for AtomicU64 {}

/// An array of words that begins at a cache line.
pub(crate) struct AlignedWords<T> {
    /// The array, with words before and after it so that it can be aligned.
    memory: Box<[T]>,
    /// The index of the array's first word.
    start: usize,
}

impl<T: Word> AlignedWords<T> {
    /// This many zeros, or `None` if there is not enough memory.
    ///
    /// The system provides large arrays page by page, when they are first used.
    pub fn zeros(len: usize) -> Option<AlignedWords<T>> {
        // Allocating with the alignment of a cache line would fill the memory with zeros explicitly.
        let memory = zeros::<T>(len.checked_add(LINE / size_of::<T>())?)?;
        let start = memory.as_ptr().align_offset(LINE);
        Some(AlignedWords { memory, start })
    }

    /// Like [`AlignedWords::zeros`], for a large array whose words are used in no order. Where the system can provide
    /// memory in huge pages, this array gets them: the processor then finds the words faster, but the first use of one
    /// takes all the memory of its page.
    pub fn zeros_in_huge_pages(len: usize) -> Option<AlignedWords<T>> {
        let array = AlignedWords::zeros(len)?;
        #[cfg(all(target_os = "linux", not(miri)))]
        prefer_huge_pages(&array.memory);
        Some(array)
    }

    /// `len` words, starting at index `first`.
    #[inline]
    pub fn words(&self, first: usize, len: usize) -> &[T] {
        let first = self.start + first;
        &self.memory[first..first + len]
    }

    /// Like [`AlignedWords::words`], but mutable.
    #[inline]
    pub fn words_mut(&mut self, first: usize, len: usize) -> &mut [T] {
        let first = self.start + first;
        &mut self.memory[first..first + len]
    }
}

thread_local! {
    static MAY_BE_REFUSED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is asking for memory that the engine can do without. A global allocator that ends the program
/// when memory runs out must then return a null pointer instead.
pub fn may_be_refused() -> bool {
    MAY_BE_REFUSED.get()
}

/// Calls a function that allocates memory which the engine can do without, and returns its result.
pub(crate) fn allow_refusal<T>(allocate: impl FnOnce() -> T) -> T {
    let before = MAY_BE_REFUSED.replace(true);
    let result = allocate();
    MAY_BE_REFUSED.set(before);
    result
}

/// Whether this many bytes can be allocated now. They are freed at once, and nothing is written to them, so that the
/// system need not provide any pages.
pub(crate) fn can_allocate(bytes: usize) -> bool {
    let Ok(layout) = Layout::array::<u8>(bytes.max(1)) else { return false };
    // SAFETY: the layout's size is not 0.
    let Some(memory) = (unsafe { request(layout, alloc) }) else { return false };
    // SAFETY: the memory was allocated with this layout.
    unsafe { dealloc(memory.as_ptr(), layout) };
    true
}

/// Memory that `allocate` provides, or `None` if there is not enough. The compiler may remove an unused allocation and
/// assume that it succeeded, but this one is always made.
///
/// # Safety
/// The size of the layout must not be 0.
unsafe fn request(layout: Layout, allocate: unsafe fn(Layout) -> *mut u8) -> Option<NonNull<u8>> {
    // SAFETY: by the caller.
    NonNull::new(black_box(allow_refusal(|| unsafe { allocate(layout) })))
}

/// This many zeros, or `None` if there is not enough memory.
fn zeros<T: Word>(len: usize) -> Option<Box<[T]>> {
    let layout = Layout::array::<T>(len).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout's size is not 0.
    let memory = unsafe { request(layout, alloc_zeroed) }?.as_ptr();
    // SAFETY: the memory was allocated with the layout of `[T]`, and zeros are a value of every `Word`.
    Some(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(memory.cast::<T>(), len)) })
}

/// Asks the system to provide the memory of an array in huge pages. Some systems have none, and do not.
#[cfg(all(target_os = "linux", not(miri)))]
fn prefer_huge_pages<T>(memory: &[T]) {
    use rustix::mm::{Advice, madvise};
    let before = memory.as_ptr().addr().wrapping_neg() % HUGE_PAGE;
    let bytes = size_of_val(memory).saturating_sub(before) / HUGE_PAGE * HUGE_PAGE;
    if bytes > 0 {
        let first = memory.as_ptr().wrapping_byte_add(before).cast_mut();
        // SAFETY: the pages are within the array. The advice changes how fast they are, and not what is in them.
        if let Err(error) = unsafe { madvise(first.cast(), bytes, Advice::LinuxHugepage) } {
            log::debug!("no huge pages: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_aligned_zeros_of_the_length_asked_for() {
        // Miri takes minutes for a large array.
        for zeros in [AlignedWords::<u64>::zeros, AlignedWords::zeros_in_huge_pages] {
            for len in [1, 7, 1000, if cfg!(miri) { 5000 } else { 1 << 20 }] {
                let mut array = zeros(len).unwrap();
                let words = array.words_mut(0, len);
                assert!(words.as_ptr().addr().is_multiple_of(LINE) && words.iter().all(|&word| word == 0));
                words[len - 1] = 5;
                assert_eq!(array.words(len - 1, 1), [5]);
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri ends a program that asks for too much memory")]
    fn more_memory_than_there_is_is_refused() {
        assert!(AlignedWords::<u64>::zeros(usize::MAX).is_none());
        assert!(AlignedWords::<u64>::zeros(usize::MAX / 32).is_none());
        #[cfg(target_pointer_width = "64")]
        assert!(AlignedWords::<AtomicU32>::zeros(1 << 46).is_none());
    }
}
