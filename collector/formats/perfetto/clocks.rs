//! Several clocks in one trace, and the one of its stamps.
//!
//! Sources: protos/perfetto/common/builtin_clock.proto, trace/ftrace/ftrace_event_bundle.proto (FtraceClock).

/// Clocks of the kernel, by Perfetto's numbers.
pub const REALTIME: u64 = 1;
/// CLOCK_MONOTONIC.
pub const MONOTONIC: u64 = 3;
/// CLOCK_MONOTONIC_RAW.
pub const MONOTONIC_RAW: u64 = 5;
/// CLOCK_BOOTTIME, the default.
pub const BOOTTIME: u64 = 6;

/// Clocks that are followed, by number.
const FOLLOWED: [u64; 4] = [REALTIME, MONOTONIC, MONOTONIC_RAW, BOOTTIME];
/// Pairs kept for one clock; more are thinned out.
const MOST_PAIRS: usize = 1 << 16;

/// Instants at which two clocks were read together, ascending on both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs(Vec<(i64, i64)>);

impl Pairs {
    /// The first clock read `from` when the second read `to`. A pair that goes back on either is left out.
    pub fn add(&mut self, from: i64, to: i64) {
        if self.0.last().is_some_and(|&(f, t)| from <= f || to <= t) {
            return;
        }
        if self.0.len() == MOST_PAIRS {
            let mut nth = 0;
            self.0.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
        }
        self.0.push((from, to));
    }

    /// The time of the second clock at `at` of the first; None when the two were never read together. Between two pairs the
    /// difference changes steadily, so that the order of stamps is kept; outside it is constant.
    #[inline]
    pub fn convert(&self, at: i64) -> Option<i64> {
        let after = self.0.partition_point(|&(from, _)| from <= at);
        let (f0, t0) = *self.0.get(after.saturating_sub(1))?;
        let since = at.checked_sub(f0)?;
        let drift = match self.0.get(after) {
            Some(&(f1, t1)) if after > 0 => {
                let whole = i128::from(t1 - t0) - i128::from(f1 - f0);
                (whole * i128::from(since)).div_euclid(i128::from(f1 - f0))
            }
            _ => 0,
        };
        t0.checked_add(since)?.checked_add(i64::try_from(drift).ok()?)
    }
}

/// How an event's stamp becomes one of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FtraceClock {
    /// CLOCK_BOOTTIME, when a bundle does not say otherwise.
    Boottime,
    /// CLOCK_MONOTONIC_RAW.
    MonotonicRaw,
    /// `local` or `global`: a clock of the tracer.
    Tracers,
    /// One that Perfetto does not know.
    Unknown,
}

impl FtraceClock {
    /// From `FtraceEventBundle.ftrace_clock`.
    pub fn of(code: u64) -> Self {
        match code {
            0 => Self::Boottime,
            2 | 3 => Self::Tracers,
            4 => Self::MonotonicRaw,
            _ => Self::Unknown,
        }
    }
}

/// The clocks of a trace.
#[derive(Clone, Debug)]
pub struct Clocks {
    /// The clock of the trace's stamps.
    primary: u64,
    snapshots: Vec<[Option<i64>; FOLLOWED.len()]>,
    tracers: Pairs,
    boottime: Pairs,
    monotonic_raw: Pairs,
}

impl Default for Clocks {
    fn default() -> Self {
        let (tracers, boottime, monotonic_raw) = Default::default();
        Self { primary: BOOTTIME, snapshots: Vec::new(), tracers, boottime, monotonic_raw }
    }
}

impl Clocks {
    /// The clocks were read together: pairs of clock and time.
    pub fn snapshot(&mut self, read: &[(u64, u64)], primary: Option<u64>) {
        self.primary = primary.filter(|clock| FOLLOWED.contains(clock)).unwrap_or(self.primary);
        let time = |clock| read.iter().find(|(id, _)| *id == clock).and_then(|(_, at)| i64::try_from(*at).ok());
        if self.snapshots.len() < MOST_PAIRS {
            self.snapshots.push(FOLLOWED.map(time));
        }
    }

    /// A bundle holds a simultaneous reading of the tracer's clock and CLOCK_BOOTTIME.
    pub fn tracers_clock(&mut self, ftrace_ns: i64, boot_ns: i64) {
        self.tracers.add(ftrace_ns, boot_ns);
    }

    /// All snapshots have been seen.
    pub fn complete(&mut self) {
        self.boottime = self.pairs(BOOTTIME, self.primary);
        self.monotonic_raw = self.pairs(MONOTONIC_RAW, self.primary);
    }

    fn pairs(&self, from: u64, to: u64) -> Pairs {
        let place = |clock| FOLLOWED.iter().position(|known| *known == clock).unwrap_or(0);
        let (from, to) = (place(from), place(to));
        let mut pairs = Pairs::default();
        for read in &self.snapshots {
            if let (Some(from), Some(to)) = (read[from], read[to]) {
                pairs.add(from, to);
            }
        }
        pairs
    }

    /// Time on the trace's clock; the stamp itself where it is not known how the clocks relate.
    #[inline]
    pub fn convert(&self, clock: FtraceClock, stamp: i64) -> i64 {
        let boottime = |at: i64| match self.primary {
            BOOTTIME => at,
            _ => self.boottime.convert(at).unwrap_or(at),
        };
        match clock {
            FtraceClock::Boottime => boottime(stamp),
            FtraceClock::MonotonicRaw if self.primary == MONOTONIC_RAW => stamp,
            FtraceClock::MonotonicRaw => self.monotonic_raw.convert(stamp).unwrap_or(stamp),
            FtraceClock::Tracers => self.tracers.convert(stamp).map_or(stamp, boottime),
            FtraceClock::Unknown => stamp,
        }
    }

    /// Time on the trace's clock of a stamp on a clock by Perfetto's number; the stamp itself where nothing relates the two.
    pub fn of(&self, clock: u64, stamp: i64) -> i64 {
        match clock {
            BOOTTIME => self.convert(FtraceClock::Boottime, stamp),
            _ if clock == self.primary || !FOLLOWED.contains(&clock) => stamp,
            _ => self.pairs(clock, self.primary).convert(stamp).unwrap_or(stamp),
        }
    }

    /// Stamps of this clock can be converted to the trace's.
    pub fn relates(&self, clock: FtraceClock) -> bool {
        match clock {
            FtraceClock::Boottime => self.primary == BOOTTIME || self.boottime != Pairs::default(),
            FtraceClock::MonotonicRaw => self.primary == MONOTONIC_RAW || self.monotonic_raw != Pairs::default(),
            FtraceClock::Tracers => self.tracers != Pairs::default(),
            FtraceClock::Unknown => false,
        }
    }

    /// Name of the trace's clock, as in `trace.clock`.
    pub fn name(&self) -> &'static str {
        match self.primary {
            REALTIME => "realtime",
            MONOTONIC => "monotonic",
            MONOTONIC_RAW => "monotonic_raw",
            _ => "boottime",
        }
    }

    /// Wall-clock time (ns since 1970) of stamp 0.
    pub fn epoch_ns(&self) -> Option<i64> {
        let pairs = self.pairs(self.primary, REALTIME);
        pairs.0.first().and_then(|(at, wall)| wall.checked_sub(*at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_snapshots_the_order_of_stamps_stays() {
        let mut pairs = Pairs::default();
        for (from, to) in [(1000, 5000), (2000, 6010), (1500, 9999), (3000, 7000)] {
            pairs.add(from, to);
        }
        assert_eq!(
            [0, 1000, 1500, 2000, 2500, 3000, 4000].map(|at| pairs.convert(at).unwrap()),
            [4000, 5000, 5505, 6010, 6505, 7000, 8000]
        );
        assert_eq!(Pairs::default().convert(5), None);
        assert_eq!(pairs.convert(i64::MAX), None);
    }

    #[test]
    fn stamps_of_other_clocks_are_converted_to_the_primary_one() {
        let mut clocks = Clocks::default();
        clocks
            .snapshot(&[(BOOTTIME, 100), (MONOTONIC, 40), (MONOTONIC_RAW, 7), (REALTIME, 1_000_100)], Some(MONOTONIC));
        clocks.tracers_clock(3, 90);
        clocks.complete();
        assert_eq!(clocks.convert(FtraceClock::Boottime, 110), 50);
        assert_eq!(clocks.convert(FtraceClock::MonotonicRaw, 8), 41);
        assert_eq!(clocks.convert(FtraceClock::Tracers, 13), 40);
        assert_eq!((clocks.name(), clocks.epoch_ns()), ("monotonic", Some(1_000_060)));
        let mut bare = Clocks::default();
        bare.complete();
        assert!(bare.relates(FtraceClock::Boottime) && !bare.relates(FtraceClock::MonotonicRaw));
        assert_eq!((bare.convert(FtraceClock::MonotonicRaw, 8), bare.epoch_ns()), (8, None));
    }
}
