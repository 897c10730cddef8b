//! The threads that ran longest, in bounded space: a Misra-Gries summary with weights.
//!
//! What is kept of a thread is never too high, and too low by at most all time / (KEPT + 1), however often summaries were
//! merged (Agarwal, Cormode, Huang, Phillips, Wei, Yi: Mergeable Summaries, PODS 2012). Up to KEPT threads it is exact.

/// Threads that are kept.
pub const KEPT: usize = 16;
/// Threads that are written.
pub const BEST: usize = 4;

/// Threads and their times, ns.
#[derive(Clone, Default)]
pub struct TopThreads {
    len: usize,
    kept: [(u32, i64); KEPT],
}

impl TopThreads {
    pub fn add(&mut self, utid: u32, ns: i64) {
        let kept = &mut self.kept[..self.len];
        if let Some(found) = kept.iter_mut().find(|k| k.0 == utid) {
            found.1 += ns;
        } else if self.len < KEPT {
            self.kept[self.len] = (utid, ns);
            self.len += 1;
        } else {
            let least = kept.iter().map(|k| k.1).min().unwrap_or(0).min(ns);
            self.take_off(least);
            if ns > least {
                self.kept[self.len] = (utid, ns - least);
                self.len += 1;
            }
        }
    }

    /// Take `ns` off every thread; those with nothing left are dropped.
    fn take_off(&mut self, ns: i64) {
        let mut left = 0;
        for i in 0..self.len {
            let (utid, had) = self.kept[i];
            if had > ns {
                self.kept[left] = (utid, had - ns);
                left += 1;
            }
        }
        self.len = left;
    }

    pub fn merge(&mut self, other: &Self) {
        let mut both = [(0u32, 0i64); 2 * KEPT];
        both[..self.len].copy_from_slice(&self.kept[..self.len]);
        let mut n = self.len;
        for &(utid, ns) in &other.kept[..other.len] {
            match both[..self.len].iter_mut().find(|k| k.0 == utid) {
                Some(found) => found.1 += ns,
                None => {
                    both[n] = (utid, ns);
                    n += 1;
                }
            }
        }
        let both = &mut both[..n];
        let mut least = 0;
        if n > KEPT {
            both.sort_unstable_by_key(|k| (std::cmp::Reverse(k.1), k.0));
            least = both[KEPT].1;
        }
        self.len = 0;
        for &(utid, ns) in both.iter().filter(|k| k.1 > least) {
            self.kept[self.len] = (utid, ns - least);
            self.len += 1;
        }
    }

    /// Those with most time, most first; equal ones by utid.
    pub fn best(&self) -> [Option<(u32, i64)>; BEST] {
        let mut out = [None; BEST];
        for &(utid, ns) in &self.kept[..self.len] {
            let mut held = Some((utid, ns));
            for place in &mut out {
                let before = |a: (u32, i64), b: (u32, i64)| (b.1, a.0) < (a.1, b.0);
                match (*place, held) {
                    (None, _) => {
                        *place = held;
                        break;
                    }
                    (Some(there), Some(new)) if before(new, there) => std::mem::swap(place, &mut held),
                    _ => {}
                }
            }
        }
        out
    }
}
