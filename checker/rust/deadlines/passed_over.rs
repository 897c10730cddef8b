//! Times for which a deadline thread was passed over, by their length.

use serde::Serialize;

use super::culprit::Culprit;
use crate::threads::Utid;
use crate::topology::CpuIx;

/// What was wrong while a deadline thread waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Instead {
    /// A CPU that it may use was idle.
    IdleCpu,
    /// A CPU that it may use ran a thread of a lower class.
    LowerClass,
    /// A CPU that it may use ran a deadline thread whose deadline is later.
    LaterDeadline,
}

/// A time under way for which a thread is passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedOver {
    pub since_ns: i64,
    /// As it began.
    pub instead: Instead,
    /// CPU that it might have used, and what kept that CPU.
    pub cpu: CpuIx,
    pub by: Culprit,
    /// CPU on whose queue it waited.
    pub queue: CpuIx,
}

/// One that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedOverInterval {
    pub utid: Utid,
    pub end_ns: i64,
    pub of: PassedOver,
}

impl PassedOverInterval {
    pub fn dur_ns(&self) -> i64 {
        self.end_ns - self.of.since_ns
    }
}

/// A time without a break for which a deadline thread waits, and is passed over or may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenWait {
    pub since_ns: i64,
    /// For some of it that was not known.
    pub is_unknown: bool,
    /// A part of it is a violation that was counted.
    pub is_violation: bool,
}

/// Up to 50 µs: an interrupt between CPUs, the switch itself. As the invariant's grade of that name.
pub const NOISE_NS: i64 = 50_000;
/// From here on a time is persistent, whatever the tick.
pub const PERSISTENT_NS: i64 = 100_000_000;

/// How long a thread was passed over. There is no balancer to wait for: the scheduler pushes and pulls deadline threads at once, so that
/// nothing above a tick is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    Noise,
    InFlight,
    Lasting,
    Persistent,
}

/// Names of the grades, as in enum `grade`.
pub const GRADE_NAMES: [&str; 4] = ["noise", "in_flight", "lasting", "persistent"];

/// Above how long each grade begins, ns.
pub fn lower_bounds(tick_ns: i64) -> [i64; 4] {
    [0, NOISE_NS, tick_ns.clamp(NOISE_NS, PERSISTENT_NS), PERSISTENT_NS]
}

impl Grade {
    pub fn of(dur_ns: i64, tick_ns: i64) -> Self {
        let [_, in_flight, lasting, persistent] = lower_bounds(tick_ns);
        match dur_ns {
            dur if dur <= in_flight => Self::Noise,
            dur if dur <= lasting => Self::InFlight,
            dur if dur <= persistent => Self::Lasting,
            _ => Self::Persistent,
        }
    }
}

/// Counts by grade, and the longest.
#[derive(Clone, Debug, Default)]
pub struct PassedOverTotals {
    pub counts: [u64; 4],
    pub ns: [i128; 4],
    pub longest: Vec<PassedOverInterval>,
    /// Time for which a deadline thread waited, and whether it was passed over is not known.
    pub unknown_ns: i128,
    /// Waits that would be violations if their unknown parts were.
    pub undecided: u64,
}

impl PassedOverTotals {
    /// Whether it is a violation.
    pub fn add(&mut self, interval: PassedOverInterval, tick_ns: i64, listed: usize) -> bool {
        let dur_ns = interval.dur_ns();
        if dur_ns <= 0 {
            return false;
        }
        let grade = Grade::of(dur_ns, tick_ns);
        self.counts[grade as usize] += 1;
        self.ns[grade as usize] += i128::from(dur_ns);
        let at = self.longest.partition_point(|other| other.dur_ns() >= dur_ns);
        if at < listed {
            self.longest.insert(at, interval);
            self.longest.truncate(listed);
        }
        grade >= Grade::Lasting
    }

    /// A wait is over, or events are lost in it.
    pub fn end(&mut self, wait: OpenWait, end_ns: i64, tick_ns: i64) {
        let could_violate = Grade::of(end_ns - wait.since_ns, tick_ns) >= Grade::Lasting;
        self.undecided += u64::from(wait.is_unknown && !wait.is_violation && could_violate);
    }

    /// Those that no transient explains.
    pub fn violations(&self) -> u64 {
        self.counts[Grade::Lasting as usize] + self.counts[Grade::Persistent as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_part_at_their_bounds() {
        let tick = 4_000_000;
        let of = |ns| Grade::of(ns, tick);
        assert_eq!([of(1), of(NOISE_NS), of(NOISE_NS + 1)], [Grade::Noise, Grade::Noise, Grade::InFlight]);
        assert_eq!([of(tick), of(tick + 1)], [Grade::InFlight, Grade::Lasting]);
        assert_eq!([of(PERSISTENT_NS), of(PERSISTENT_NS + 1)], [Grade::Lasting, Grade::Persistent]);
    }

    #[test]
    fn a_wait_is_undecided_where_it_is_long_and_only_a_part_of_it_is_known() {
        let mut totals = PassedOverTotals::default();
        let wait = OpenWait { since_ns: 0, is_unknown: true, is_violation: false };
        totals.end(wait, 4_000_000, 4_000_000);
        totals.end(OpenWait { is_unknown: false, ..wait }, 9_000_000, 4_000_000);
        totals.end(OpenWait { is_violation: true, ..wait }, 9_000_000, 4_000_000);
        assert_eq!(totals.undecided, 0);
        totals.end(wait, 4_000_001, 4_000_000);
        assert_eq!(totals.undecided, 1);
    }

    #[test]
    fn the_longest_are_listed_in_order_and_all_are_counted() {
        let mut totals = PassedOverTotals::default();
        let of = PassedOver { since_ns: 0, instead: Instead::IdleCpu, cpu: 0, by: Culprit::IdleCpu(0), queue: 1 };
        for end_ns in [10, 300_000, 0, 20, 9_000_000] {
            totals.add(PassedOverInterval { utid: 1, end_ns, of }, 4_000_000, 3);
        }
        assert_eq!((totals.counts, totals.violations()), ([2, 1, 1, 0], 1));
        assert_eq!(totals.longest.iter().map(PassedOverInterval::dur_ns).collect::<Vec<_>>(), [9_000_000, 300_000, 20]);
    }
}
