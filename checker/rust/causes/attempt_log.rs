//! Attempts of the balancer while waste is under way, found by the CPU that they were for and the level of the domain.

use super::balance_attempt::{AttemptResult, BalanceAttempt, is_newly_idle};
use crate::topology::CpuIx;
use std::collections::VecDeque;
use std::ops::Range;
use wastenot_schemas::idle_type;

/// Attempts kept; of more, the first are dropped.
const KEPT: usize = 1 << 15;

/// Attempts of one CPU over one level that are read for one pair; of more, the latest.
const MAX_READ: usize = 64;

/// Levels of domains distinguished on one CPU; attempts over more are known by their CPU alone.
const LEVELS: usize = 32;

/// The attempts of an interval of waste, without those for CPUs about to idle.
#[derive(Debug, Default)]
pub struct AttemptLog {
    /// By CPU that they were for: levels, and the attempts over each by their start.
    of: Vec<Vec<(i16, VecDeque<BalanceAttempt>)>>,
    /// All attempts by their start.
    all: VecDeque<AttemptMark>,
    /// The latest start of an attempt that was dropped because the log was full.
    dropped: Option<i64>,
}

/// An attempt by itself.
#[derive(Clone, Copy, Debug)]
struct AttemptMark {
    t: i64,
    until: i64,
    by_idle: bool,
    moved: bool,
    /// CPU and place of the level in its list; None: not recorded.
    of: Option<(CpuIx, u8)>,
}

/// An attempt that moved a thread and was under way at `to` ended what ended then: it did not leave it.
fn ended(moved: bool, until: i64, to: i64) -> bool {
    moved && until >= to
}

impl AttemptLog {
    /// None yet, on a machine of so many CPUs.
    pub fn new(n: usize) -> Self {
        Self { of: vec![Vec::new(); n], ..Self::default() }
    }

    /// Number of attempts in the log.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// There were none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// An attempt was made.
    pub fn push(&mut self, attempt: BalanceAttempt) {
        if is_newly_idle(attempt.idle) {
            return;
        }
        if self.all.len() == KEPT {
            self.drop_first();
        }
        let place = attempt.level.and_then(|level| self.place(attempt.dst, level));
        if let Some(place) = place {
            insert(&mut self.of[attempt.dst as usize][usize::from(place)].1, attempt, |attempt| attempt.t);
        }
        let by_idle = attempt.idle != idle_type::NOT_IDLE;
        let moved = attempt.result == AttemptResult::Moved;
        let of = place.map(|place| (attempt.dst, place));
        insert(&mut self.all, AttemptMark { t: attempt.t, until: attempt.until, by_idle, moved, of }, |seen| seen.t);
    }

    /// Attempts for a CPU over a domain of this level that started in `[from, to)` and did not cause what ended at `to`; of many,
    /// the latest.
    pub fn over(&self, cpu: CpuIx, level: i16, from: i64, to: i64) -> impl Iterator<Item = &BalanceAttempt> {
        let range = |attempts: &VecDeque<BalanceAttempt>| {
            let Range { start, end } = within(attempts, from, to, |attempt| attempt.t);
            start.max(end.saturating_sub(MAX_READ))..end
        };
        let some = self.attempts(cpu, level).map(|attempts| attempts.range(range(attempts)));
        some.into_iter()
            .flatten()
            .filter(move |attempt| !ended(attempt.result == AttemptResult::Moved, attempt.until, to))
    }

    /// From when on in `[from, to)` all of those are read.
    pub fn read_from(&self, cpu: CpuIx, level: i16, from: i64, to: i64) -> i64 {
        let read_from = |attempts: &VecDeque<BalanceAttempt>| {
            let Range { start, end } = within(attempts, from, to, |attempt| attempt.t);
            if end - start > MAX_READ { attempts[end - MAX_READ].t } else { from }
        };
        self.attempts(cpu, level).map_or(from, read_from)
    }

    /// How many attempts for a CPU over a domain of this level began in `[from, to)`.
    pub fn count(&self, cpu: CpuIx, level: i16, from: i64, to: i64) -> usize {
        self.attempts(cpu, level).map_or(0, |attempts| within(attempts, from, to, |attempt| attempt.t).len())
    }

    fn attempts(&self, cpu: CpuIx, level: i16) -> Option<&VecDeque<BalanceAttempt>> {
        self.of[cpu as usize].iter().find(|(of, _)| *of == level).map(|(_, attempts)| attempts)
    }

    /// An idle CPU made an attempt over some domain that began in `[from, to)` and did not end what ended at `to`.
    pub fn any_by_idle(&self, from: i64, to: i64) -> bool {
        self.any(from, to, |seen| seen.by_idle)
    }

    /// An attempt for a CPU over some domain began in `[from, to)`.
    pub fn any_for(&self, cpu: CpuIx, from: i64, to: i64) -> bool {
        self.of[cpu as usize].iter().any(|(_, attempts)| !within(attempts, from, to, |attempt| attempt.t).is_empty())
    }

    /// Of some attempt that began in `[from, to)` the domain is not recorded; or not all of them are known any more.
    pub fn any_without_domain(&self, from: i64, to: i64) -> bool {
        self.dropped.is_some_and(|t| t >= from) || self.any(from, to, |seen| seen.of.is_none())
    }

    fn any(&self, from: i64, to: i64, fits: impl Fn(&AttemptMark) -> bool) -> bool {
        let mut within = self.all.range(within(&self.all, from, to, |seen| seen.t)).rev();
        within.any(|seen| fits(seen) && !ended(seen.moved, seen.until, to))
    }

    /// Drop attempts that started before `cut`.
    pub fn forget_before(&mut self, cut: i64) {
        while self.all.front().is_some_and(|seen| seen.t < cut) {
            self.forget_first();
        }
        if self.dropped.is_some_and(|t| t < cut) {
            self.dropped = None;
        }
    }

    fn drop_first(&mut self) {
        self.dropped = self.dropped.max(self.all.front().map(|seen| seen.t));
        self.forget_first();
    }

    fn forget_first(&mut self) {
        if let Some((cpu, place)) = self.all.pop_front().and_then(|seen| seen.of) {
            self.of[cpu as usize][usize::from(place)].1.pop_front();
        }
    }

    fn place(&mut self, cpu: CpuIx, level: i16) -> Option<u8> {
        let levels = &mut self.of[cpu as usize];
        let known = levels.iter().position(|(of, _)| *of == level);
        if known.is_none() {
            if levels.len() == LEVELS {
                return None;
            }
            levels.push((level, VecDeque::new()));
        }
        Some(known.unwrap_or(levels.len() - 1) as u8)
    }
}

/// Attempts are reported when they end, so the next one may have started a little earlier than the latest.
fn insert<T>(list: &mut VecDeque<T>, item: T, t: impl Fn(&T) -> i64) {
    let mut at = list.len();
    while at > 0 && t(&list[at - 1]) > t(&item) {
        at -= 1;
    }
    list.insert(at, item);
}

fn within<T>(list: &VecDeque<T>, from: i64, to: i64, t: impl Fn(&T) -> i64) -> Range<usize> {
    let start = list.partition_point(|item| t(item) < from);
    start..list.partition_point(|item| t(item) < to).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(t: i64, dst: CpuIx, level: Option<i16>, result: AttemptResult) -> BalanceAttempt {
        BalanceAttempt {
            t,
            until: t + 5,
            event: t,
            dst,
            level,
            idle: idle_type::IDLE,
            result,
            seen: true,
            searched: true,
            backs_off: false,
            pinned_for_group: false,
        }
    }

    fn log(attempts: &[(i64, CpuIx, Option<i16>)]) -> AttemptLog {
        let mut log = AttemptLog::new(4);
        attempts.iter().for_each(|&(t, dst, level)| log.push(attempt(t, dst, level, AttemptResult::Unknown)));
        log
    }

    #[test]
    fn attempts_are_found_by_cpu_level_and_time() {
        // The second was reported after the third, which started later.
        let log = log(&[(10, 1, Some(0)), (30, 1, Some(0)), (20, 1, Some(0)), (25, 2, Some(0)), (26, 1, Some(1))]);
        let times = |cpu, level, from, to| log.over(cpu, level, from, to).map(|attempt| attempt.t).collect::<Vec<_>>();
        assert_eq!(times(1, 0, 10, 30), [10, 20]);
        assert_eq!(times(1, 0, 11, 31), [20, 30]);
        assert_eq!((times(1, 1, 0, 99), times(3, 0, 0, 99)), (vec![26], vec![]));
        assert_eq!((log.count(1, 0, 0, 99), log.any_by_idle(31, 99), log.any_by_idle(30, 99)), (3, false, true));
    }

    #[test]
    fn of_many_attempts_the_latest_are_read() {
        let many: Vec<_> = (0..MAX_READ as i64 + 2).map(|t| (10 * t, 1, Some(0))).collect();
        let log = log(&many);
        let read = |from| (log.over(1, 0, from, 9999).count(), log.read_from(1, 0, from, 9999));
        assert_eq!((read(0), read(15)), ((MAX_READ, 20), (MAX_READ, 15)));
        assert_eq!((log.read_from(2, 0, 7, 9999), log.read_from(1, 0, 25, 9999)), (7, 25));
    }

    #[test]
    fn the_attempt_that_ends_a_wait_does_not_count_as_one_during_it() {
        let mut log = AttemptLog::new(4);
        log.push(attempt(10, 1, Some(0), AttemptResult::Moved));
        assert_eq!(log.over(1, 0, 0, 15).count(), 0, "it moved a thread at 15");
        assert_eq!(log.over(1, 0, 0, 16).count(), 1, "the wait went on after it");
        assert!(!log.any_by_idle(0, 15) && log.any_by_idle(0, 16));
    }

    #[test]
    fn the_absence_of_attempts_is_not_concluded_where_some_were_dropped() {
        let many: Vec<_> = (0..KEPT as i64 + 2).map(|t| (t, 2, Some(0))).collect();
        let mut log = log(&many);
        assert_eq!((log.len(), log.count(2, 0, 0, 4)), (KEPT, 2));
        assert!(log.any_without_domain(1, 4) && !log.any_without_domain(2, 4));
        log.forget_before(100);
        assert_eq!((log.len(), log.count(2, 0, 0, 101)), (KEPT - 98, 1));
        assert!(!log.any_without_domain(0, 4), "that time is not asked about any more");
    }

    #[test]
    fn an_attempt_whose_domain_is_not_recorded_may_have_been_over_any() {
        let log = log(&[(10, 1, None), (20, 1, Some(0))]);
        assert!(log.any_without_domain(10, 11) && !log.any_without_domain(11, 99));
    }
}
