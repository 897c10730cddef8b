//! Averages that halve in 32 ms (kernel/sched/pelt.c), in integers.
//!
//! The kernel sums whole periods of 1024 µs; here a period is 2^20 ns and the part of a period is interpolated.

use crate::span::Ns;

/// 2^(-1/32) in 1/2^32.
const Y: u64 = 0xfa83_b2da;
/// Y^n in 1/2^32 for n in 0..32.
const POWERS: [u64; 32] = powers();
/// Bits of a period in ns.
const PERIOD: u32 = 20;

const fn powers() -> [u64; 32] {
    let mut table = [1 << 32; 32];
    let mut i = 1;
    while i < 32 {
        table[i] = (table[i - 1] * Y) >> 32;
        i += 1;
    }
    table
}

/// What is left of 2^32 after so long.
pub(super) fn decay(elapsed: Ns) -> u64 {
    let periods = elapsed >> PERIOD;
    if periods >= 32 * 40 {
        return 0;
    }
    let whole = POWERS[(periods % 32) as usize] >> (periods / 32);
    let part = elapsed & ((1 << PERIOD) - 1);
    // One period takes the share (1 - Y).
    let loss = (((1u64 << 32) - Y) * part) >> PERIOD;
    (whole * ((1 << 32) - loss)) >> 32
}

/// The average of something that is constant between updates.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Average {
    /// In 1/1024 of the unit.
    value: u64,
    at: Ns,
}

impl Average {
    pub fn new(value: u64, at: Ns) -> Self {
        Self { value: value << 10, at }
    }

    /// It was `input` since the last update. Returns the average.
    #[inline]
    pub fn update(&mut self, now: Ns, input: u64) -> u64 {
        let elapsed = now - self.at;
        if elapsed >= 1024 {
            let left = decay(elapsed);
            self.value = ((u128::from(self.value) * u128::from(left)
                + u128::from(input << 10) * u128::from((1u64 << 32) - left))
                >> 32) as u64;
            self.at = now;
        }
        self.value >> 10
    }

    /// The average as last updated.
    #[inline]
    pub fn get(&self) -> u64 {
        self.value >> 10
    }

    /// Adds a part moved from elsewhere (attach), or removes it.
    pub fn shift(&mut self, by: i64) {
        self.value = self.value.saturating_add_signed(by << 10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_halves_in_32_periods() {
        let mut a = Average::new(1024, 0);
        assert!((511..=512).contains(&a.update(32 << PERIOD, 0)), "{a:?}");
        assert!(a.update(1000 << PERIOD, 0) == 0);
    }

    #[test]
    fn it_comes_to_what_lasts() {
        let mut a = Average::default();
        let reached = a.update(300 << PERIOD, 1024);
        assert!((1020..=1024).contains(&reached), "{reached}");
    }

    #[test]
    fn many_small_updates_equal_one() {
        let (mut many, mut one) = (Average::default(), Average::default());
        (1..=1000).for_each(|i| {
            many.update(i * 100_000, 1024);
        });
        let (many, one) = (many.get(), one.update(100_000_000, 1024));
        assert!(many.abs_diff(one) <= 8, "{many} {one}");
    }
}
