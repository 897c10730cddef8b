//! Threads that are gone are added up and forgotten, so that a walk without end needs no more memory than the threads alive.

use super::Scheduler;
use crate::self_checks::AccountSums;
use crate::threads::{Thread, Utid};

/// Sums over the threads that were forgotten.
#[derive(Clone, Debug, Default)]
pub struct ForgottenThreads {
    pub threads: i64,
    /// Of them, those whose mask was not known at times when they waited.
    pub unknown_masks: i64,
    pub wakeups: i64,
    /// Of them, those that were woken at least once.
    pub woken: i64,
    pub accounts: AccountSums,
    /// Time of all of them in all phases, ns.
    pub spent_ns: i128,
    pub avoidable_wait_ns: i64,
}

impl ForgottenThreads {
    fn add(&mut self, t: &Thread, avoidable_wait_ns: i64) {
        self.threads += 1;
        self.unknown_masks += i64::from(!t.mask_known);
        self.wakeups += t.totals.wakeups;
        self.woken += i64::from(t.totals.wakeups > 0);
        self.accounts.add(&t.accounts);
        self.spent_ns += t.totals.spent_ns.iter().map(|&ns| i128::from(ns)).sum::<i128>();
        self.avoidable_wait_ns += avoidable_wait_ns;
    }
}

impl Scheduler {
    /// Forget the threads that are gone, whose waste is graded and since whose end time has passed, so that the wait ledger has it;
    /// nothing where threads are kept.
    pub fn forget_gone(&mut self) {
        let ungraded_since = match self.invariant.interval.start {
            _ if self.balancer_log.interval_deferred => i64::MIN,
            start => start.unwrap_or(i64::MAX),
        };
        while let Some(&first) = self.threads.gone.as_ref().and_then(|gone| gone.front()) {
            if self.threads[first].since >= ungraded_since.min(self.now) {
                return;
            }
            self.threads.gone.as_mut().expect("it has a first").pop_front();
            self.forget_thread(first);
        }
    }

    /// Drop what only threads that are gone had in common, where there is much of it.
    pub fn forget_classes(&mut self, most: usize) {
        if self.invariant.interval.start.is_none() && !self.balancer_log.interval_deferred {
            self.invariant.drop_unused_classes(most, self.event);
        }
    }

    fn forget_thread(&mut self, utid: Utid) {
        let avoidable_wait_ns = self.invariant.avoidable_ns(utid);
        self.forgotten.add(&self.threads[utid], avoidable_wait_ns);
        self.balancer_log.forget_thread(utid, self.threads[utid].number);
        self.invariant.forget_thread(utid);
        self.invariant.interval.forget_thread(utid);
        self.wait_ledger.forget_thread(utid);
        self.threads.forget(utid);
    }
}
