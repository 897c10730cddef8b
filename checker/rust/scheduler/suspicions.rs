//! What the walk notes for the self-checks (`crate::self_checks`).

use wastenot_schemas::task_state;

use super::Scheduler;
use crate::self_checks::{IdleBesideQueue, LONG_NS};
use crate::threads::{Phase, Thread, Utid};
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

    /// An event of its own says that the thread was created.
    pub(super) fn note_birth(&mut self, utid: Utid) {
        self.tells_births = true;
        self.threads.is_born(utid);
    }

    /// The thread leaves its CPU as a dead one, in this state (X or Z).
    pub(super) fn note_death(&mut self, utid: Utid, state: u8) {
        self.checks.deaths += 1;
        let t = &mut self.threads[utid];
        t.zombie = state == task_state::Z;
        if t.follows_zombie && !t.zombie && !self.tells_exits {
            // It may have slept once more between exit_notify() and do_task_dead() (kernel/exit.c), a zombie already.
            t.follows_zombie = false;
            self.checks.ran_after_death -= 1;
        }
    }

    /// The thread runs or is woken. Where the last that had its tid and its name died, and nothing says that this is another, it
    /// did not die.
    pub(super) fn note_life_after_death(&mut self, utid: Utid) {
        let Some(dead) = self.threads[utid].follows.take() else { return };
        let (before, after) = (&self.threads[dead], &self.threads[utid]);
        let is_another = after.name.is_some() && after.name != before.name;
        let died = before.end_ns.unwrap_or(i64::MIN);
        // A tid comes round again after all others, 32,768 at least.
        let may_be_another = !self.tells_births && self.now - died > LONG_NS;
        if is_another || may_be_another || before.exiting || died <= self.lost_until {
            return;
        }
        self.checks.ran_after_death += 1;
        let (zombie, name) = (before.zombie, before.name.clone());
        let t = &mut self.threads[utid];
        (t.follows_zombie, t.name) = (zombie, name);
    }

    /// The kernel accounts, at the latest stamp met, for `runtime_ns` that the thread ran since its account before.
    pub fn stat_runtime(&mut self, tid: i32, runtime_ns: i64) {
        let Some(utid) = self.threads.find(tid) else { return };
        let (now, lost_until) = (self.seen.max(self.now), self.lost_until);
        let t = &mut self.threads[utid];
        let ran_ns = t.ran_ns(now);
        if let Some((_, before)) = t.accounts.latest.filter(|(at, _)| *at > lost_until) {
            t.accounts.kernel_ns = t.accounts.kernel_ns.saturating_add(runtime_ns);
            t.accounts.ours_ns += ran_ns - before;
        }
        // Of a thread that runs unobserved, the next account is of a time that is not known.
        t.accounts.latest = (t.phase != Phase::Unknown).then_some((now, ran_ns));
    }
}
