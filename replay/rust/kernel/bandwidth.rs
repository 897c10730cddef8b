//! Bandwidth control: a group's quota per period, spent in slices per CPU (kernel/sched/fair.c: account_cfs_rq_runtime,
//! assign_cfs_rq_runtime, throttle_cfs_rq, do_sched_cfs_period_timer).

use super::runqueue::Place;
use super::*;
use crate::span::{MS, Ns};

/// Quota that a CPU takes from the pool at a time (sched_cfs_bandwidth_slice).
const SLICE: i64 = 5 * MS as i64;

/// Marks timer tokens of quota periods; the group is in the lower bits.
pub(super) const PERIOD_TOKEN: u64 = 1 << 32;

/// A group's quota.
#[derive(Clone, Debug)]
pub(super) struct Quota {
    quota: i64,
    period: Ns,
    pool: i64,
    /// What each CPU has left, and whether the group is throttled there.
    local: Vec<i64>,
    throttled: Vec<bool>,
    /// The period timer runs.
    armed: bool,
}

impl Quota {
    pub fn new((quota, period): (Ns, Ns), cpus: usize) -> Self {
        let quota = quota as i64;
        Self { quota, period, pool: quota, local: vec![0; cpus], throttled: vec![false; cpus], armed: false }
    }

    /// Gives a CPU a slice if its own is spent. True when it has time.
    fn take(&mut self, cpu: CpuIx) -> bool {
        let local = &mut self.local[cpu as usize];
        if *local <= 0 {
            let slice = (SLICE - *local).min(self.pool);
            *local += slice;
            self.pool -= slice;
        }
        *local > 0
    }
}

impl Kernel {
    /// Charges a group for what its thread ran on a CPU.
    pub(super) fn spend_quota(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx, ns: Ns) {
        let group = self.entity(t).group as usize;
        let Some(quota) = &mut self.quotas[group] else { return };
        quota.local[cpu as usize] -= ns as i64;
        if !quota.take(cpu) && !quota.throttled[cpu as usize] {
            quota.throttled[cpu as usize] = true;
            self.throttle_queue(e, cpu, group);
            e.resched(cpu);
        }
    }

    /// True when a thread that comes onto a CPU has to wait for quota.
    pub(super) fn lacks_quota(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) -> bool {
        let group = self.entity(t).group as usize;
        if !self.entity(t).is_fair() {
            return false;
        }
        let Some(quota) = &mut self.quotas[group] else { return false };
        if !quota.armed {
            quota.armed = true;
            e.timer(e.now() + quota.period, cpu, PERIOD_TOKEN | group as u64);
        }
        if !quota.throttled[cpu as usize] && !quota.take(cpu) {
            quota.throttled[cpu as usize] = true;
            self.throttle_queue(e, cpu, group);
        }
        self.quotas[group].as_ref().is_some_and(|q| q.throttled[cpu as usize])
    }

    /// Queued threads of a group lose the right to run on a CPU; the current one does when it is put back.
    fn throttle_queue(&mut self, e: &mut Engine<'_>, cpu: CpuIx, group: usize) {
        let queued: Vec<ThreadIx> = self.rq(cpu).fair.clone();
        for t in queued {
            if self.entity(t).group as usize != group {
                continue;
            }
            if self.entity(t).place == Place::Delayed {
                self.leave_delayed(e, cpu, t);
                continue;
            }
            self.displace_entity(cpu, t, false);
            self.rq_mut(cpu).fair.retain(|&o| o != t);
            self.count_change(e, cpu, t, -1);
            self.throttle_thread(e, cpu, t);
        }
    }

    /// Takes a thread without quota off the CPU's queue.
    pub(super) fn throttle_thread(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        self.entity_mut(t).place = Place::Throttled;
        self.rq_mut(cpu).throttled.push(t);
        e.throttle(t, true);
    }

    /// A new period starts for a group.
    pub(super) fn period(&mut self, e: &mut Engine<'_>, group: usize) {
        let Some(quota) = &mut self.quotas[group] else { return };
        quota.pool = quota.quota;
        let idle = self.groups[group].is_quiet() && !quota.throttled.iter().any(|&t| t);
        quota.armed = !idle;
        if !idle {
            e.timer(e.now() + quota.period, e.context(), PERIOD_TOKEN | group as u64);
        }
        for cpu in e.topology.indices() {
            let Some(quota) = &mut self.quotas[group] else { return };
            if quota.throttled[cpu as usize] && quota.take(cpu) {
                quota.throttled[cpu as usize] = false;
                self.unthrottle(e, cpu, group);
            }
        }
    }

    fn unthrottle(&mut self, e: &mut Engine<'_>, cpu: CpuIx, group: usize) {
        let held = std::mem::take(&mut self.rq_mut(cpu).throttled);
        let (free, held): (Vec<ThreadIx>, Vec<ThreadIx>) =
            held.into_iter().partition(|&t| self.entity(t).group as usize == group);
        self.rq_mut(cpu).throttled = held;
        self.update_current(e, cpu);
        for t in free {
            e.throttle(t, false);
            self.entity_mut(t).place = Place::Off;
            self.join(e, cpu, t, crate::scheduler::Enqueue::Moved);
            if self.rq(cpu).current.is_none() || self.preempts(cpu, t) {
                e.resched(cpu);
            }
        }
        self.waiter_appeared(e, cpu);
    }

    /// A thread that waits for quota ends, sleeps or moves.
    pub(super) fn leave_throttled(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        self.rq_mut(cpu).throttled.retain(|&o| o != t);
        e.throttle(t, false);
        self.entity_mut(t).place = Place::Off;
    }
}
