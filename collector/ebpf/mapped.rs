//! A BPF array mapped into this process.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Words that programs and user space share.
pub(crate) struct Mapped {
    base: *mut u8,
    length: usize,
}

// SAFETY: the memory is reached through atomics only.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

impl Mapped {
    /// Map the first `length` bytes of an array made with BPF_F_MMAPABLE.
    pub fn new(fd: BorrowedFd<'_>, length: usize) -> io::Result<Self> {
        let length = length.next_multiple_of(4096);
        // SAFETY: a new shared mapping of a BPF array; the kernel checks length and rights.
        let base = unsafe {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(std::ptr::null_mut(), length, protection, libc::MAP_SHARED, fd.as_raw_fd(), 0)
        };
        if base == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(Self { base: base.cast(), length }) }
    }

    fn word(&self, offset: usize) -> &AtomicU64 {
        assert!(offset + 8 <= self.length && offset.is_multiple_of(8));
        // SAFETY: inside the mapping and 8-aligned (asserted).
        unsafe { &*self.base.add(offset).cast() }
    }

    fn half(&self, offset: usize) -> &AtomicU32 {
        assert!(offset + 4 <= self.length && offset.is_multiple_of(4));
        // SAFETY: inside the mapping and 4-aligned (asserted).
        unsafe { &*self.base.add(offset).cast() }
    }

    /// The 8 bytes at `offset`.
    pub fn load(&self, offset: usize) -> u64 {
        self.word(offset).load(Ordering::Acquire)
    }

    /// The 4 bytes at `offset`.
    pub fn load_half(&self, offset: usize) -> u32 {
        self.half(offset).load(Ordering::Acquire)
    }

    /// Set the 8 bytes at `offset`.
    pub fn store(&self, offset: usize, value: u64) {
        self.word(offset).store(value, Ordering::Release);
    }

    /// Set the 4 bytes at `offset`.
    pub fn store_half(&self, offset: usize, value: u32) {
        self.half(offset).store(value, Ordering::Release);
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`; no reference into it outlives this value.
        unsafe { libc::munmap(self.base.cast(), self.length) };
    }
}
