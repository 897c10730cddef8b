//! The rings that the programs write into, seen from user space (layout: `bpf/ring.h`).

use crate::record::{self, EventStack, KINDS, Lost, Migrate, Record, RecordError};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// Offset of the records in a ring's element.
pub(crate) const DATA: usize = 4096;
/// Bytes behind a ring, for the record that begins before its end.
pub(crate) const SLACK: u64 = 4096;

const IRQ_START: usize = 16;
const IRQ_LAST: usize = 24;
const IRQ_DEPTH: usize = 56;
const IRQ_KINDS: usize = 60;
const IRQ_VECTOR: usize = 64;
const DROP_FIRST: usize = 72;
const DROP_LAST: usize = 80;
const DROPS: usize = 88;
const DOMAINS_FIRST: usize = 1456;
const DOMAINS_LAST: usize = 1464;
const TAIL: usize = 2048;
const IRQ_TAKEN: usize = 2056;
const ON: usize = 2064;
const SETTLED: usize = 2068;
const SEARCHES: usize = 2072;

/// A tail that no head reaches: the programs overwrite their oldest records.
const NO_LIMIT: u64 = 1 << 62;

/// Kinds that drops are counted for.
pub(crate) const DROP_KINDS: usize = 64;

/// What a call of [`Rings::drain`] found.
pub(crate) struct Drained {
    /// Share of the ring that was in use, in 1/256.
    pub used: u64,
    /// Everything that was reserved has been taken. Else a record is not complete, since its program has been interrupted or (a probe of user
    /// space) preempted: what lies behind it is taken later.
    pub whole: bool,
}

/// Records that did not fit, since the previous read. Times are since the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Drops {
    pub first: u64,
    pub last: u64,
    pub counts: [u64; DROP_KINDS],
}

impl Drops {
    /// Append a record for each kind of which `cpu` lost some; returns how many it lost. `base_ns` is that of the records.
    pub fn write(&self, cpu: usize, now: u64, base_ns: u64, out: &mut Vec<u8>) -> u64 {
        let from = base_ns + self.first;
        let to = (base_ns + self.last).min(now.max(from));
        for (kind, &count) in self.counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            let lost = Lost { cpu: cpu as u16, kind: kind as u16, reserved: 0, to, count };
            Record::Lost(lost).write(from, base_ns, out);
        }
        self.counts.iter().sum()
    }
}

/// A span of interrupt work that nothing has closed yet. Times are since boot, as the programs keep them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenIrq {
    pub start: u64,
    pub last: u64,
    pub depth: u32,
    pub kinds: u32,
    pub vector: u32,
}

/// The mapped rings of all CPUs.
pub(crate) struct Rings {
    base: *mut u8,
    length: usize,
    stride: usize,
    size: u64,
    tails: Vec<u64>,
    dropped: Vec<[u64; DROP_KINDS]>,
}

// SAFETY: the mapping belongs to this value alone on this side; the kernel's side is reached through atomics only.
unsafe impl Send for Rings {}

impl Rings {
    /// Map the array `rings` of `cpus` elements with rings of `size` bytes.
    pub fn map(fd: BorrowedFd<'_>, cpus: usize, size: u64) -> io::Result<Self> {
        let stride = DATA + (size + SLACK) as usize;
        let length = (stride * cpus).next_multiple_of(4096);
        // SAFETY: a new shared mapping of a BPF array; the kernel checks length and rights.
        let base = unsafe {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(std::ptr::null_mut(), length, protection, libc::MAP_SHARED, fd.as_raw_fd(), 0)
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let dropped = vec![[0; DROP_KINDS]; cpus];
        Ok(Self { base: base.cast(), length, stride, size, tails: vec![0; cpus], dropped })
    }

    /// Number of rings.
    pub fn cpus(&self) -> usize {
        self.tails.len()
    }

    fn word(&self, cpu: usize, offset: usize) -> &AtomicU64 {
        debug_assert!(cpu < self.cpus() && offset + 8 <= self.stride && offset.is_multiple_of(8));
        // SAFETY: inside the mapping (asserted), 8-aligned, and shared with the kernel as an atomic word.
        unsafe { &*self.base.add(cpu * self.stride + offset).cast() }
    }

    fn half(&self, cpu: usize, offset: usize) -> &AtomicU32 {
        debug_assert!(cpu < self.cpus() && offset + 4 <= self.stride && offset.is_multiple_of(4));
        // SAFETY: as above, 4-aligned.
        unsafe { &*self.base.add(cpu * self.stride + offset).cast() }
    }

    /// Let all CPUs record, or stop them.
    pub fn set_on(&self, on: bool) {
        for cpu in 0..self.cpus() {
            self.half(cpu, ON).store(u32::from(on), Ordering::Release);
        }
    }

    /// Set the flag by which the programs know that every thread has been seen once.
    pub fn set_settled(&self, settled: bool) {
        for cpu in 0..self.cpus() {
            self.half(cpu, SETTLED).store(u32::from(settled), Ordering::Release);
        }
    }

    /// Say what is recorded of that which load-balance attempts find; bits as in [`LoadedPrograms::searches`].
    ///
    /// [`LoadedPrograms::searches`]: crate::load::LoadedPrograms::searches
    pub fn set_searches(&self, searches: u32) {
        for cpu in 0..self.cpus() {
            self.half(cpu, SEARCHES).store(searches, Ordering::Release);
        }
    }

    /// Bytes of a ring.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Position behind the last record of `cpu`; the positions of a ring never fall.
    pub fn head(&self, cpu: usize) -> u64 {
        self.word(cpu, 0).load(Ordering::Acquire)
    }

    /// Let `cpu` overwrite its oldest records from now on.
    pub fn overwrite(&self, cpu: usize) {
        self.word(cpu, TAIL).store(NO_LIMIT, Ordering::Release);
    }

    /// Have `cpu` keep what lies at `from` and behind it: what does not fit any more is lost.
    pub fn keep_from(&self, cpu: usize, from: u64) {
        self.word(cpu, TAIL).store(from, Ordering::Release);
    }

    /// The bytes from position `at` on, at most as many as the longest record has. The caller knows that a record starts there,
    /// and that it is complete and kept.
    pub fn record_at(&self, cpu: usize, at: u64) -> &[u8] {
        let from = (at & (self.size - 1)) as usize;
        let length = ((self.size + SLACK) as usize - from).min(SLACK as usize);
        debug_assert!(cpu < self.cpus());
        // SAFETY: inside the ring and its slack; the programs do not write to records that are kept.
        unsafe { std::slice::from_raw_parts(self.base.add(cpu * self.stride + DATA + from), length) }
    }

    /// Move what `cpu` has committed to the end of `out`, at most `limit` bytes, counting records by kind and naming the
    /// kernel stacks that they refer to to `on_stack`.
    pub fn drain(
        &mut self,
        cpu: usize,
        out: &mut Vec<u8>,
        limit: usize,
        counts: &mut [u64; DROP_KINDS],
        mut on_stack: impl FnMut(i32),
    ) -> Result<Drained, RecordError> {
        let head = self.word(cpu, 0).load(Ordering::Acquire);
        let (from, mask) = (self.tails[cpu], self.size - 1);
        let (mut at, stop) = (from, head.min(from + limit as u64));
        while at < stop {
            let run = (at & mask) as usize;
            let mut end = run;
            while at < stop && end < self.size as usize {
                let word = self.word(cpu, DATA + end).load(Ordering::Acquire);
                if word == 0 {
                    break;
                }
                let kind = word as u8;
                // SAFETY: the record is committed and lies inside the ring and its slack.
                let bytes = unsafe {
                    let rest = (self.size + SLACK) as usize - end;
                    std::slice::from_raw_parts(self.base.add(cpu * self.stride + DATA + end), rest.min(SLACK as usize))
                };
                let size = match KINDS.get(usize::from(kind).wrapping_sub(1)) {
                    Some(&(_, _, size)) if kind <= Migrate::KIND => size,
                    _ => record::size(bytes)?,
                };
                if kind == Migrate::KIND || kind == EventStack::KIND {
                    on_stack(i32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]));
                }
                counts[usize::from(kind) % DROP_KINDS] += 1;
                end += size;
                at += size as u64;
            }
            if end == run {
                break;
            }
            // SAFETY: [run, end) holds committed records, which the programs touch no more until `tail` passes them.
            unsafe {
                let run_at = self.base.add(cpu * self.stride + DATA + run);
                out.extend_from_slice(std::slice::from_raw_parts(run_at, end - run));
                std::ptr::write_bytes(run_at, 0, end - run);
            }
        }
        fence(Ordering::Release);
        self.tails[cpu] = at;
        self.word(cpu, TAIL).store(at, Ordering::Release);
        Ok(Drained { used: (head - from) * 256 / self.size, whole: at >= head })
    }

    /// Records of `cpu` that did not fit since the last call.
    pub fn take_drops(&mut self, cpu: usize) -> Option<Drops> {
        let first = self.word(cpu, DROP_FIRST).swap(0, Ordering::AcqRel);
        if first == 0 {
            return None;
        }
        let last = self.word(cpu, DROP_LAST).load(Ordering::Acquire);
        let mut counts = [0; DROP_KINDS];
        for (kind, count) in counts.iter_mut().enumerate() {
            let total = self.word(cpu, DROPS + kind * 8).load(Ordering::Acquire);
            *count = total - self.dropped[cpu][kind];
            self.dropped[cpu][kind] = total;
        }
        Some(Drops { first, last: last.max(first), counts })
    }

    /// When scheduling domains were built anew since the last call, as this CPU noticed: the first and the last time (since boot, ns).
    pub fn take_domains_built(&self, cpu: usize) -> Option<(u64, u64)> {
        if self.word(cpu, DOMAINS_FIRST).load(Ordering::Relaxed) == 0 {
            return None;
        }
        let first = self.word(cpu, DOMAINS_FIRST).swap(0, Ordering::AcqRel);
        Some((first, self.word(cpu, DOMAINS_LAST).load(Ordering::Acquire).max(first)))
    }

    /// The open span of interrupt work of `cpu`. When `quiet_since` is given, only one whose last part ended before it;
    /// that one is taken: the programs will not write it.
    pub fn take_irq(&self, cpu: usize, quiet_since: Option<u64>) -> Option<OpenIrq> {
        let start = self.word(cpu, IRQ_START).load(Ordering::Acquire);
        if start == 0 || self.word(cpu, IRQ_TAKEN).load(Ordering::Relaxed) == start {
            return None;
        }
        let open = OpenIrq {
            start,
            last: self.word(cpu, IRQ_LAST).load(Ordering::Acquire),
            depth: self.half(cpu, IRQ_DEPTH).load(Ordering::Acquire),
            kinds: self.half(cpu, IRQ_KINDS).load(Ordering::Acquire),
            vector: self.half(cpu, IRQ_VECTOR).load(Ordering::Acquire),
        };
        if let Some(quiet_since) = quiet_since {
            let unchanged = self.word(cpu, IRQ_START).load(Ordering::Acquire) == start;
            if open.depth > 0 || open.last >= quiet_since || !unchanged {
                return None;
            }
        }
        self.word(cpu, IRQ_TAKEN).store(start, Ordering::Release);
        Some(open)
    }
}

impl Drop for Rings {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `map`; no reference into it outlives this value.
        unsafe { libc::munmap(self.base.cast(), self.length) };
    }
}
