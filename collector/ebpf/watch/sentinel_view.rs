//! The sentinel's figures, mapped (layout: `bpf/sentinel.h`).

use super::figures::{CpuFigures, Hit, WatchStatus};
use crate::clock::now_ns;
use crate::mapped::Mapped;
use std::io;
use std::os::fd::BorrowedFd;

const LOOK_NS: usize = 0;
const HIT_NS: usize = 8;
const CPUS: usize = 16;
const WORDS: usize = 20;
const STOP: usize = 24;
const LOOKS: usize = 32;
const MISSED: usize = 40;
const LOOKS_WITH_WASTE: usize = 48;
const SAMPLED_NS: usize = 56;
const CERTAIN_NS: usize = 64;
const LONGEST_NS: usize = 72;
const HITS: usize = 80;
const OWN_NS: usize = 96;
const ISOLATED: usize = 144;
const RECENT: usize = ISOLATED + 3 * 8 * CPU_WORDS;
const HIT_SIZE: usize = 64;
const HITS_MAX: u64 = 64;
/// Size of `struct sentinel`.
const SENTINEL_SIZE: usize = RECENT + HIT_SIZE * HITS_MAX as usize;

/// Words of the sentinel's sets of CPUs.
pub(crate) const CPU_WORDS: usize = 16;

const CPU_LOOKS: usize = 0;
const CPU_LOOKS_IDLE: usize = 8;
const CPU_NR_RUNNING: usize = 32;
const CPU_LONGEST_QUEUE: usize = 36;
const CPU_ONLINE: usize = 40;
const CPU_RUNQUEUE: usize = 64;
/// Size of `struct cpu_look`.
const CPU_SIZE: usize = 72 + 2 * 8 * 56;

/// The maps of the sentinel.
pub(crate) struct SentinelView {
    sentinel: Mapped,
    looks: Mapped,
    cpus: usize,
}

impl SentinelView {
    /// Map `.data.sentinel` and the array `looks` of `cpus` elements.
    pub fn map(sentinel: BorrowedFd<'_>, looks: BorrowedFd<'_>, cpus: usize) -> io::Result<Self> {
        let (sentinel, looks) = (Mapped::new(sentinel, SENTINEL_SIZE)?, Mapped::new(looks, cpus * CPU_SIZE)?);
        Ok(Self { sentinel, looks, cpus })
    }

    /// Set what the looks need before the first one. `isolated`: CPUs whose idleness does not count.
    pub fn prepare(&self, look_ns: u64, hit_ns: u64, isolated: impl Iterator<Item = u32>) {
        self.sentinel.store(LOOK_NS, look_ns);
        self.sentinel.store(HIT_NS, hit_ns);
        self.sentinel.store_half(CPUS, self.cpus as u32);
        self.sentinel.store_half(WORDS, self.cpus.div_ceil(64) as u32);
        for cpu in isolated.map(|cpu| cpu as usize).filter(|&cpu| cpu < self.cpus) {
            let word = ISOLATED + cpu / 64 * 8;
            self.sentinel.store(word, self.sentinel.load(word) | 1 << (cpu % 64));
        }
    }

    /// Let the timer end with its next look.
    pub fn stop(&self) {
        self.sentinel.store_half(STOP, 1);
    }

    /// Looks so far.
    pub fn looks(&self) -> u64 {
        self.sentinel.load(LOOKS)
    }

    /// CPUs whose runqueue is known.
    pub fn runqueues(&self) -> u32 {
        (0..self.cpus).filter(|cpu| self.looks.load(cpu * CPU_SIZE + CPU_RUNQUEUE) != 0).count() as u32
    }

    /// Enter the sentinel's figures.
    pub fn read(&self, status: &mut WatchStatus) {
        let word = |offset| self.sentinel.load(offset);
        status.now_ns = now_ns();
        status.looks = word(LOOKS);
        status.missed_looks = word(MISSED);
        status.looks_with_waste = word(LOOKS_WITH_WASTE);
        status.sampled_wasted_ns = word(SAMPLED_NS);
        status.certain_wasted_ns = word(CERTAIN_NS);
        status.longest_ns = word(LONGEST_NS);
        status.sentinel_ns = word(OWN_NS);
        status.hits_total = word(HITS);
        let first = status.hits_total.saturating_sub(HITS_MAX - 1).max(1);
        status.hits = (first..=status.hits_total).filter_map(|number| self.hit(number)).collect();
        status.cpus = (0..self.cpus).filter_map(|cpu| self.cpu(cpu)).collect();
    }

    /// Hit `number`; None while it is written, or where a newer one took its place.
    fn hit(&self, number: u64) -> Option<Hit> {
        let at = RECENT + (number % HITS_MAX) as usize * HIT_SIZE;
        let word = |offset| self.sentinel.load(at + offset);
        let half = |offset| self.sentinel.load_half(at + offset);
        if word(0) != number {
            return None;
        }
        let comm = [word(48), word(56)].map(u64::to_ne_bytes).concat();
        let comm = comm.split(|&byte| byte == 0).next().unwrap_or_default();
        let hit = Hit {
            number,
            time_ns: word(8),
            start_ns: word(16),
            age_ns: word(24),
            tid: half(32) as i32,
            idle_cpu: half(36),
            overloaded_cpu: half(40),
            comm: String::from_utf8_lossy(comm).into_owned(),
        };
        (word(0) == number).then_some(hit)
    }

    fn cpu(&self, cpu: usize) -> Option<CpuFigures> {
        let at = cpu * CPU_SIZE;
        if self.looks.load(at + CPU_RUNQUEUE) == 0 {
            return None;
        }
        let (looks, looks_idle) = (self.looks.load(at + CPU_LOOKS), self.looks.load(at + CPU_LOOKS_IDLE));
        Some(CpuFigures {
            cpu: cpu as u32,
            online: self.looks.load_half(at + CPU_ONLINE) != 0,
            looks,
            looks_idle,
            idle_share: looks_idle as f64 / looks.max(1) as f64,
            nr_running: self.looks.load_half(at + CPU_NR_RUNNING),
            longest_queue: self.looks.load_half(at + CPU_LONGEST_QUEUE),
        })
    }
}
