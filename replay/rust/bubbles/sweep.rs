//! Figures that need all threads of a bubble at once: how many ran, how long at least one did, over how many caches.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Counters are a plain array up to this many, else a map.
const DENSE: usize = 1 << 24;

/// Threads that run now per (bubble, last-level cache).
enum Counts {
    Dense(Vec<u16>, usize),
    Sparse(HashMap<(u32, u16), u16>),
}

impl Counts {
    fn new(bubbles: usize, llcs: usize) -> Self {
        match bubbles.checked_mul(llcs) {
            Some(n) if n <= DENSE => Self::Dense(vec![0; n], llcs),
            _ => Self::Sparse(HashMap::new()),
        }
    }

    /// Add to a counter; returns its new value.
    #[inline]
    fn add(&mut self, bubble: usize, llc: u16, by: i16) -> u16 {
        match self {
            Self::Dense(all, llcs) => {
                let n = &mut all[bubble * *llcs + llc as usize];
                *n = n.wrapping_add_signed(by);
                *n
            }
            Self::Sparse(all) => {
                let key = (bubble as u32, llc);
                let n = all.entry(key).or_default();
                *n = n.wrapping_add_signed(by);
                let now = *n;
                if now == 0 {
                    all.remove(&key);
                }
                now
            }
        }
    }
}

/// Of one bubble.
#[derive(Clone, Copy, Debug, Default)]
pub struct Concurrency {
    pub peak: u32,
    pub active_ns: i64,
    /// ∫ last-level caches in use dt.
    pub caches_ns: i64,
    running: u32,
    caches: u32,
    since: i64,
}

/// Time, whether it is a start, tree, chain, cache. At one instant ends sort before starts.
type SweepPoint = (i64, bool, u8, u32, u16);

/// Runs of threads in order of their start.
pub struct Sweep {
    of: Vec<Concurrency>,
    counts: Counts,
    /// Starts and ends that have not been applied.
    points: BinaryHeap<Reverse<SweepPoint>>,
}

impl Sweep {
    pub fn new(bubbles: usize, llcs: usize) -> Self {
        let counts = Counts::new(bubbles + 1, llcs.max(1));
        Self { of: vec![Concurrency::default(); bubbles + 1], counts, points: BinaryHeap::new() }
    }

    /// A thread runs from `start` to `end` in the bubbles of a chain; `start` may be later than that of the next call.
    pub fn run(&mut self, start: i64, end: i64, tree: u8, chain: u32, llc: u16) {
        self.points.push(Reverse((start, true, tree, chain, llc)));
        self.points.push(Reverse((end, false, tree, chain, llc)));
    }

    /// Apply all starts and ends up to and including an instant. `chain_of` gives the bubbles of a chain.
    pub fn reach<'c>(&mut self, ts: i64, chain_of: impl Fn(u8, u32) -> &'c [i32]) {
        while let Some(&Reverse((at, starts, tree, chain, llc))) = self.points.peek() {
            if at > ts {
                break;
            }
            self.points.pop();
            for &bubble in chain_of(tree, chain) {
                self.change(at, bubble as usize, llc, starts);
            }
        }
    }

    #[inline]
    fn change(&mut self, at: i64, bubble: usize, llc: u16, starts: bool) {
        let b = &mut self.of[bubble];
        if b.running > 0 {
            b.active_ns += at - b.since;
            b.caches_ns += i64::from(b.caches) * (at - b.since);
        }
        b.since = at;
        if starts {
            b.running += 1;
            b.peak = b.peak.max(b.running);
            b.caches += u32::from(self.counts.add(bubble, llc, 1) == 1);
        } else {
            b.running -= 1;
            b.caches -= u32::from(self.counts.add(bubble, llc, -1) == 0);
        }
    }

    /// Per `bubble_id`; all starts and ends must have been applied.
    pub fn finish(self) -> Vec<Concurrency> {
        self.of
    }
}
