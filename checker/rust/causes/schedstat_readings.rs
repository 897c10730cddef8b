//! What the kernel's balancer counted between two readings of /proc/schedstat (table `schedstat`): how many attempts CPUs made
//! over their domains, where the attempts themselves are not recorded.
//!
//! An attempt counted in an interval ran between the start of the reading before it and the end of the one after it. An interval
//! that counts none proves that there was none from the one to the other. Kernel functions: sched_balance_rq (load_balance
//! before 6.10) counts `lb_count` as it is entered, also where it is another CPU's turn (6.1, 6.12).

use std::collections::VecDeque;

use wastenot_schemas::schedstat;

use crate::topology::CpuIx;

/// Intervals kept; of more, the first are dropped.
const KEPT: usize = 64;

/// A CPU about to idle has counted its attempts so long before it idles, at most, ns: longer than attempts take.
const BEFORE_IDLE_NS: i64 = 10_000_000;

/// What one domain of a CPU counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DomainCounts {
    pub cpu: CpuIx,
    pub level: i16,
    /// Attempts as the CPU idled, and as it ran a thread.
    pub idle: i64,
    pub busy: i64,
    /// Attempts as it was about to idle.
    pub newidle: i64,
    /// Times that a stopper was asked to push a thread to this CPU and did, or did not (active_load_balance_cpu_stop).
    pub pushed: i64,
    pub push_failed: i64,
}

/// Between two readings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedInterval {
    /// All that was counted lies between these, ns.
    pub earliest: i64,
    pub to: i64,
    /// End of the reading before.
    pub from: i64,
    /// Event of the reading that ends it.
    pub event: i64,
    /// Domains were rebuilt within it, so that some counts are lost and all of it is unknown.
    pub broken: bool,
    pub attempts: Vec<DomainCounts>,
}

/// Attempts over the domains that concern a pair, as far as counters show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttemptCounts {
    /// Attempts in intervals that lie within the pair's time.
    pub over: u32,
    /// Attempts of idle CPUs over any domain, likewise.
    pub by_idle: u32,
    /// Longest part of the pair's time in which there was none; in which no idle CPU made any attempt, ns.
    pub none_ns: i64,
    pub idle_none_ns: i64,
    /// Events of the first and last reading that show it.
    pub readings: [Option<i64>; 2],
}

/// The latest intervals.
#[derive(Clone, Debug, Default)]
pub struct SchedstatReadings {
    intervals: VecDeque<CountedInterval>,
    /// Rows in all of them.
    rows: usize,
    /// End and length of the latest reading.
    latest: Option<(i64, i64)>,
}

impl SchedstatReadings {
    /// Number of intervals.
    pub fn size(&self) -> usize {
        self.rows
    }

    /// A row of the table: a reading, or what a domain counted up to it. `cpu`: its CPU in the topology.
    pub fn row(&mut self, r: &schedstat::Row, cpu: Option<CpuIx>) {
        let Some(level) = r.level else {
            let before = self.latest.replace((r.ts_ns, r.reading_ns));
            if let Some((from, took)) = before.filter(|_| r.interval_ns > 0) {
                if self.intervals.len() == KEPT {
                    self.drop_first();
                }
                self.rows += 1;
                let (earliest, to, event) = (from.saturating_sub(took.max(0)), r.ts_ns, r.id);
                self.intervals.push_back(CountedInterval {
                    earliest,
                    to,
                    from,
                    event,
                    broken: false,
                    attempts: Vec::new(),
                });
            } else {
                // Nothing is known of the time before it.
                self.intervals.clear();
                self.rows = 0;
            }
            return;
        };
        let Some(interval) = self.intervals.back_mut().filter(|i| i.to == r.ts_ns) else { return };
        interval.broken |= r.restarted;
        let any = r.busy_lb_count + r.idle_lb_count + r.newidle_lb_count + r.alb_count;
        if let Some(cpu) = cpu.filter(|_| any > 0) {
            self.rows += 1;
            interval.attempts.push(DomainCounts {
                cpu,
                level,
                idle: r.idle_lb_count,
                busy: r.busy_lb_count,
                newidle: r.newidle_lb_count,
                pushed: r.alb_pushed,
                push_failed: r.alb_failed,
            });
        }
    }

    /// Counters are read.
    pub fn any(&self) -> bool {
        self.latest.is_some()
    }

    /// A CPU that went idle at `t` made no attempt for that over a domain of this level or a wider one: no interval that may have
    /// counted one did. The event of the reading that ends them.
    pub fn no_newidle(&self, cpu: CpuIx, level: i16, t: i64) -> Option<i64> {
        let around = self.intervals.iter().filter(|i| i.earliest <= t && i.to >= t - BEFORE_IDLE_NS);
        let (mut from, mut to, mut event) = (i64::MAX, i64::MIN, None);
        for i in around {
            if i.broken || i.attempts.iter().any(|c| c.cpu == cpu && c.level >= level && c.newidle > 0) {
                return None;
            }
            (from, to, event) = (from.min(i.from), to.max(i.to), Some(i.event));
        }
        // The reading that ends them began after it.
        let next = self.intervals.iter().find(|i| i.from == to);
        let began = next.map_or(self.latest.filter(|l| l.0 == to).map(|l| l.0 - l.1), |i| Some(i.earliest))?;
        (from <= t - BEFORE_IDLE_NS && began > t).then_some(event?)
    }

    /// Stoppers were asked to push threads to a CPU, over the domain of this level, in an interval within the time, and pushed none.
    pub fn failed_to_push(&self, cpu: CpuIx, level: i16, from: i64, to: i64) -> bool {
        let within = self.intervals.iter().filter(|i| i.earliest >= from && i.to <= to && !i.broken);
        let of = within.flat_map(|i| &i.attempts).filter(|c| c.cpu == cpu && c.level == level);
        let (failed, pushed) = of.fold((0, 0), |sum, c| (sum.0 + c.push_failed, sum.1 + c.pushed));
        failed > 0 && pushed == 0
    }

    /// Attempts counted from `from` to `to` by domains that `concerns` picks out.
    pub fn between(&self, from: i64, to: i64, concerns: impl Fn(&DomainCounts) -> bool) -> AttemptCounts {
        let mut counts = AttemptCounts::default();
        let (mut none_since, mut idle_none_since) = (None, None);
        let first = self.intervals.partition_point(|i| i.to <= from);
        for i in self.intervals.range(first..).take_while(|i| i.from < to) {
            let attempts = |c: &&DomainCounts| concerns(c) && c.idle + c.busy > 0;
            let over: i64 = i.attempts.iter().filter(attempts).map(|c| c.idle + c.busy).sum();
            let idle: i64 = i.attempts.iter().map(|c| c.idle).sum();
            if i.earliest >= from && i.to <= to && !i.broken {
                counts.over += over.clamp(0, u32::MAX.into()) as u32;
                counts.by_idle += idle.clamp(0, u32::MAX.into()) as u32;
            }
            let overlap = (i.from.max(from), i.to.min(to));
            let longest = |none: bool, since: &mut Option<i64>| {
                if none && !i.broken {
                    overlap.1 - *since.get_or_insert(overlap.0)
                } else {
                    *since = None;
                    0
                }
            };
            counts.none_ns = counts.none_ns.max(longest(over == 0, &mut none_since));
            counts.idle_none_ns = counts.idle_none_ns.max(longest(idle == 0, &mut idle_none_since));
            counts.readings[0] = counts.readings[0].or(Some(i.event));
            counts.readings[1] = Some(i.event);
        }
        counts
    }

    /// Drop intervals that ended before `cut`.
    pub fn forget_before(&mut self, cut: i64) {
        while self.intervals.front().is_some_and(|i| i.to < cut) {
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        self.rows -= self.intervals.pop_front().map_or(0, |i| 1 + i.attempts.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn reading(id: i64, ts_ns: i64, interval_ns: i64) -> schedstat::Row {
        schedstat::Row { id, ts_ns, reading_ns: MS, interval_ns, ..schedstat::Row::default() }
    }

    fn counted(ts_ns: i64, cpu: i16, level: i16, idle: i64, busy: i64) -> schedstat::Row {
        let row = reading(0, ts_ns, 100 * MS);
        schedstat::Row { cpu: Some(cpu), level: Some(level), idle_lb_count: idle, busy_lb_count: busy, ..row }
    }

    /// Readings at 100, 200, 300 and 400 ms; attempts of CPU 1 over its domain 0 in the third interval.
    fn readings() -> SchedstatReadings {
        let mut r = SchedstatReadings::default();
        for (n, at) in [100, 200, 300, 400].into_iter().enumerate() {
            r.row(&reading(10 + n as i64, at * MS, if n == 0 { 0 } else { 100 * MS }), None);
            if at == 400 {
                r.row(&counted(at * MS, 1, 0, 3, 2), Some(1));
            }
        }
        r
    }

    #[test]
    fn intervals_without_an_attempt_prove_that_there_was_none() {
        let c = readings().between(150 * MS, 290 * MS, |_| true);
        assert_eq!((c.over, c.none_ns, c.idle_none_ns, c.readings), (0, 140 * MS, 140 * MS, [Some(11), Some(12)]));
    }

    #[test]
    fn an_attempt_counts_only_where_its_interval_is_within_the_time() {
        let all = readings().between(100 * MS, 400 * MS, |_| true);
        assert_eq!((all.over, all.none_ns), (5, 200 * MS));
        // The reading before it started at 299 ms.
        assert_eq!(readings().between(299 * MS, 400 * MS, |_| true).over, 5);
        assert_eq!(readings().between(300 * MS, 400 * MS, |_| true).over, 0);
        let other = readings().between(300 * MS, 400 * MS, |c| c.cpu == 2);
        assert_eq!((other.none_ns, other.idle_none_ns), (100 * MS, 0));
    }

    #[test]
    fn nothing_is_concluded_for_the_time_around_the_readings_or_for_rebuilt_domains() {
        let c = readings().between(0, 900 * MS, |c| c.cpu == 2);
        assert_eq!((c.over, c.none_ns), (0, 300 * MS));
        let mut r = readings();
        r.row(&schedstat::Row { restarted: true, ..counted(400 * MS, 2, 0, 0, 0) }, Some(2));
        assert_eq!(r.between(300 * MS, 400 * MS, |c| c.cpu == 2).none_ns, 0);
        r.row(&reading(20, 600 * MS, 0), None);
        assert_eq!(r.between(100 * MS, 600 * MS, |_| true), AttemptCounts::default(), "a gap in the readings");
    }

    #[test]
    fn old_entries_are_forgotten() {
        let mut r = readings();
        r.forget_before(301 * MS);
        assert_eq!(r.size(), 2);
        assert_eq!(SchedstatReadings::default().between(0, 1, |_| true), AttemptCounts::default());
    }
}
