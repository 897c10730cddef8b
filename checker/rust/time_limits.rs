//! How long a trace may be: every sum of time over its CPUs fits 64 bits.

/// Stamps lie within so many ns of 0 (146 years), so that no difference of two stamps overflows.
const FARTHEST_NS: i64 = 1 << 62;

/// From where to where the stamps of a trace may lie, ns.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimits {
    pub first: i64,
    pub last: i64,
}

impl TimeLimits {
    /// Before the first stamp is known.
    pub fn unbounded() -> Self {
        Self { first: -FARTHEST_NS, last: FARTHEST_NS }
    }

    /// Limits for a trace that starts at `start` with so many CPUs: the time of all CPUs together fits an i64.
    pub fn starting_at(start: i64, cpus: usize) -> Self {
        let longest = i64::MAX / (cpus as i64).max(2);
        Self { first: start, last: start.saturating_add(longest).min(FARTHEST_NS) }
    }

    /// The stamp lies in there.
    #[inline]
    pub fn contains(&self, ts: i64) -> bool {
        (self.first..=self.last).contains(&ts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_all_cpus_up_to_the_last_stamp_fits_64_bits() {
        for cpus in [1, 2, 3, 8, 256, 8192] {
            for start in [-FARTHEST_NS, -1, 0, 1_700_000_000_000_000_000, FARTHEST_NS] {
                let limits = TimeLimits::starting_at(start, cpus);
                assert!(limits.last.checked_sub(start).unwrap().checked_mul(cpus as i64).is_some());
                assert!(limits.contains(start) && !limits.contains(limits.last + 1));
            }
        }
    }
}
