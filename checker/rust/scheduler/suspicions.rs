//! What the walk notes for the self-checks (`crate::self_checks`).

use super::Scheduler;
use crate::self_checks::IdleBesideQueue;
use crate::threads::{Thread, Utid};
use crate::topology::CpuIx;

impl Scheduler {
    /// The CPU runs swapper beside a queue from now on; `picked`: the threads were queued when it went idle.
    pub(super) fn idle_beside(&mut self, cpu: CpuIx, picked: bool) {
        if self.invariant.is_core_scheduled(cpu) || self.cpus[cpu as usize].doubted {
            return;
        }
        // sched_ext keeps threads on queues of its own and may idle beside them; so may core scheduling.
        let state = &mut self.cpus[cpu as usize];
        let (threads, lost_until) = (&self.threads, self.lost_until);
        let would_run = |t: &Thread| t.constraints.cookie == 0 && !t.ext && t.since > lost_until;
        if state.queue.iter().any(|&utid| would_run(&threads[utid])) {
            state.idles_beside = Some(IdleBesideQueue { since: self.now, picked });
        }
    }

    /// The CPU's queue is empty, or swapper runs there no longer.
    pub(super) fn stop_idling_beside(&mut self, cpu: CpuIx) {
        if let Some(interval) = self.cpus[cpu as usize].idles_beside.take() {
            self.checks.cpus[cpu as usize].idled(interval, self.now, self.topology.tick_ns);
        }
    }

    /// Events were lost since the thread was last seen to change: any CPU may have taken it from its queue, or woken it, unseen.
    pub fn may_have_changed(&self, utid: Utid) -> bool {
        self.threads[utid].since <= self.lost_until
    }
}
