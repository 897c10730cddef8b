//! What the decoding child was doing last, for the parent when the child hangs or ends.

use std::io;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

/// Ports whose reads are counted; a port beyond has no second chance.
const SLOTS: usize = 1 << 16;

/// What the child was doing last: memory that it shares with its parent.
#[derive(Clone, Copy)]
pub struct Monitor(*const AtomicU64);

impl Monitor {
    pub fn new() -> io::Result<Self> {
        // SAFETY: fresh anonymous memory, zeroed.
        let page = unsafe {
            let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
            libc::mmap(null_mut(), SLOTS * 8, prot, flags, -1, 0)
        };
        if page == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(Self(page.cast())) }
    }

    fn slot(&self, n: usize) -> Option<&AtomicU64> {
        // SAFETY: within the mapped memory, which lives as long as its `Child`.
        (n < SLOTS).then(|| unsafe { &*self.0.add(n) })
    }

    /// The port is about to be read.
    pub fn reads(&self, port: usize) {
        self.slot(0).expect("the first slot").store(port as u64 + 1, Ordering::Relaxed);
    }

    /// So many reads of the port have come back.
    pub fn has_read(&self, port: usize, count: u64) {
        if let Some(slot) = self.slot(port + 1) {
            slot.store(count, Ordering::Relaxed);
        }
    }

    /// The port that was read last, and how many of its reads have come back.
    pub fn last(&self) -> Option<(usize, u64)> {
        let port = (self.slot(0)?.load(Ordering::Relaxed) as usize).checked_sub(1)?;
        Some((port, self.slot(port + 1)?.load(Ordering::Relaxed)))
    }

    /// Gives the memory back.
    ///
    /// # Safety
    /// No copy of the monitor may be used afterwards.
    pub unsafe fn unmap(self) {
        // SAFETY: mapped in `new`; the caller says that nothing uses it any more.
        unsafe {
            libc::munmap(self.0.cast_mut().cast(), SLOTS * 8);
        }
    }
}
