//! What attempts concluded shortly before a pair of a queue and an idle CPU, by the group that they were for.
//!
//! A short wait that recurs is as a rule over before the next attempt. What the last ones concluded, for the same group and over
//! the same domain, says why the state lasts in which it recurs.

use super::balance_attempt::{AttemptResult, BalanceAttempt};
use crate::fast_hash::FastMap;
use crate::topology::CpuIx;
use std::collections::VecDeque;

/// Attempts kept of all groups; of more, those that came first are dropped.
const KEPT: usize = 1 << 15;
/// Attempts that are read for one pair, the latest.
const READ: usize = 16;
/// They are kept for so long after the instant from which pairs may still be asked about, and read no farther back, ns.
const MOST_NS: i64 = 1_024_000_000;

/// A group of CPUs by its first one, and the level of the domain over which attempts for it were made.
pub type GroupLevel = (CpuIx, i16);

/// Attempts that found a thread that waits in another group, those of CPUs about to idle among them.
#[derive(Debug, Default)]
pub struct EarlierAttempts {
    of: FastMap<GroupLevel, VecDeque<BalanceAttempt>>,
    order: VecDeque<(i64, GroupLevel)>,
}

impl EarlierAttempts {
    /// An attempt was made for this group.
    pub fn push(&mut self, group: GroupLevel, attempt: BalanceAttempt) {
        if attempt.result != AttemptResult::Moved && !attempt.result.left_a_waiter() {
            return;
        }
        if self.order.len() == KEPT {
            self.forget_first();
        }
        self.of.entry(group).or_default().push_back(attempt);
        self.order.push_back((attempt.until, group));
    }

    /// The latest for the group that ended in the `reach` ns before `from`, the latest first.
    pub fn before(&self, group: GroupLevel, from: i64, reach: i64) -> impl Iterator<Item = &BalanceAttempt> + Clone {
        let since = from.saturating_sub(reach.min(MOST_NS));
        let of_group = self.of.get(&group).into_iter();
        of_group.flat_map(move |attempts| {
            let end = attempts.partition_point(|attempt| attempt.until <= from);
            attempts.range(..end).rev().take(READ).take_while(move |attempt| attempt.until > since)
        })
    }

    /// No pair that began before `cut` is asked about any more.
    pub fn forget_before(&mut self, cut: i64) {
        while self.order.front().is_some_and(|(until, _)| *until < cut.saturating_sub(MOST_NS)) {
            self.forget_first();
        }
    }

    /// The groups are others from now on.
    pub fn clear(&mut self) {
        (self.of, self.order) = Default::default();
    }

    /// Number of attempts kept.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    fn forget_first(&mut self) {
        if let Some((_, group)) = self.order.pop_front()
            && let Some(attempts) = self.of.get_mut(&group)
        {
            attempts.pop_front();
            if attempts.is_empty() {
                self.of.remove(&group);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wastenot_schemas::idle_type;

    fn attempt(until: i64, result: AttemptResult) -> BalanceAttempt {
        let idle = idle_type::IDLE;
        BalanceAttempt {
            t: until - 5,
            until,
            event: until,
            dst: 0,
            level: Some(1),
            idle,
            result,
            seen: true,
            searched: true,
            backs_off: false,
            pinned_for_group: false,
        }
    }

    fn ends(log: &EarlierAttempts, from: i64, reach: i64) -> Vec<i64> {
        log.before((0, 1), from, reach).map(|attempt| attempt.until).collect()
    }

    #[test]
    fn those_of_the_group_that_ended_in_time_come_latest_first() {
        let mut log = EarlierAttempts::default();
        for until in [10, 20, 30] {
            log.push((0, 1), attempt(until, AttemptResult::Averages));
        }
        log.push((0, 2), attempt(25, AttemptResult::Averages));
        log.push((4, 1), attempt(26, AttemptResult::Averages));
        log.push((0, 1), attempt(40, AttemptResult::NothingThere));
        assert_eq!(ends(&log, 30, 20), [30, 20]);
        assert_eq!(ends(&log, 29, 100), [20, 10]);
        assert_eq!(ends(&log, 99, 100), [30, 20, 10], "one that found nothing says nothing");
    }

    #[test]
    fn what_is_kept_is_bounded_by_number_and_by_time() {
        let mut log = EarlierAttempts::default();
        for until in 1..=KEPT as i64 + 7 {
            log.push((0, 1), attempt(until, AttemptResult::Moved));
        }
        assert_eq!((log.len(), ends(&log, 9, 9)), (KEPT, vec![9, 8]));
        log.forget_before(MOST_NS + 100);
        assert_eq!(log.len(), KEPT + 7 - 99);
        log.forget_before(i64::MAX);
        assert!(log.of.is_empty() && log.len() == 0);
    }
}
