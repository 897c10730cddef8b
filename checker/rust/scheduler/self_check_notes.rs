//! What the walk notes for the self-checks (`crate::self_checks`).

use wastenot_schemas::task_state;

use super::Scheduler;
use super::classes::MAX_RT_PRIO;
use crate::causes::kernels::Release;
use crate::self_checks::{IdleBesideQueue, LONG_NS, ran_on};
use crate::threads::{Phase, Thread, Utid};
use crate::topology::CpuIx;

/// Releases from this on have a server for threads of the fair class beside real-time ones, and no throttling of these by default.
const SERVER_OF_FAIR_THREADS: Release = (6, 12);

impl Scheduler {
    /// The CPU runs swapper beside a queue from now on; `picked`: the threads were queued when it went idle.
    pub(super) fn idle_beside(&mut self, cpu: CpuIx, picked: bool) {
        if self.invariant.is_core_scheduled(cpu) || self.cpus[cpu as usize].doubted {
            return;
        }
        self.cpus[cpu as usize].resched_requested = None;
        if self.queued_since(cpu).is_some() {
            self.cpus[cpu as usize].idles_beside = Some(IdleBesideQueue { since: self.now, picked });
        }
    }

    /// The release may keep a CPU from its real-time threads though it idles then: a queue that has used up its runtime, 95 % of each
    /// second (kernel/sched/rt.c: sched_rt_runtime_exceeded; from 6.12 on other threads have a server instead).
    fn throttles_realtime(&self) -> bool {
        self.release.is_none_or(|release| release < SERVER_OF_FAIR_THREADS)
    }

    /// Since when a thread is queued on the CPU that the kernel would run there. sched_ext keeps threads on queues of its own and may
    /// idle beside them; so may core scheduling.
    fn queued_since(&self, cpu: CpuIx) -> Option<i64> {
        let would_run = |t: &&Thread| t.constraints.cookie == 0 && t.since > self.lost_until;
        let may_stay =
            |utid| self.is_of_sched_ext(utid) || (self.wait_ledger.is_realtime(utid) && self.throttles_realtime());
        let queue = self.cpus[cpu as usize].queue.iter().filter(|&&utid| !may_stay(utid));
        let queue = queue.map(|&utid| &self.threads[utid]);
        queue.filter(would_run).map(|t| t.since).min()
    }

    /// `prev_tid` leaves the CPU, with this priority of the kernel's: it may have run on for longer than the scheduler lets it.
    #[inline]
    pub fn note_run(&mut self, cpu: i16, prev_tid: i32, prev_prio: Option<i16>) {
        let Some(cpu) = self.topology.index(cpu) else { return };
        let state = &self.cpus[cpu as usize];
        let (begin, queued) = (state.since, state.queue.len());
        if prev_tid == 0
            || prev_prio.is_none_or(|prio| prio < MAX_RT_PRIO)
            || !ran_on(self.now - begin, queued)
            || queued == 0
        {
            return;
        }
        let is_current = state.current.is_some_and(|utid| self.threads[utid].tid == prev_tid);
        let Some(since) = self.queued_since(cpu).filter(|_| is_current && begin > self.lost_until) else { return };
        let since = since.max(begin);
        if ran_on(self.now - since, queued) {
            let (now, checks) = (self.now, &mut self.checks.cpus[cpu as usize]);
            checks.ran_on_ns += now - since;
            if checks.ran_on.is_none_or(|(from, to)| to - from < now - since) {
                checks.ran_on = Some((since, now));
            }
        }
    }

    /// No CPU reported an event from `before` up to `now`. While a thread waits the kernel is not silent for long: ticks preempt what
    /// runs beside it, and wake kernel threads.
    #[cold]
    pub fn note_silence(&mut self, before: i64, now: i64) {
        let waits = |cpu| self.queued_since(cpu).is_some_and(|since| since <= before);
        if before > self.lost_until && (0..self.cpus.len() as CpuIx).any(waits) {
            self.checks.silent_ns += now - before;
        }
    }

    /// The CPU is about to leave idle, so long after it was asked to reschedule.
    pub fn idle_exit_late(&mut self, cpu: i16, late_ns: i64) {
        if let Some(cpu) = self.topology.index(cpu) {
            self.cpus[cpu as usize].resched_requested = Some(self.now.saturating_sub(late_ns));
        }
    }

    /// The CPU's queue is empty, or swapper runs there no longer.
    pub(super) fn stop_idling_beside(&mut self, cpu: CpuIx) {
        let state = &mut self.cpus[cpu as usize];
        let requested = state.resched_requested.take();
        if let Some(interval) = state.idles_beside.take() {
            self.checks.cpus[cpu as usize].count_idle_beside(interval, requested, self.now, self.topology.tick_ns);
        }
    }

    /// Events were lost since the thread was last seen to change: any CPU may have taken it from its queue, or woken it, unseen.
    pub fn may_have_changed(&self, utid: Utid) -> bool {
        self.threads[utid].since <= self.lost_until
    }

    /// An event of its own reports that the thread was created.
    pub(super) fn note_birth(&mut self, utid: Utid) {
        self.reports_creation = true;
        self.threads.mark_created(utid);
    }

    /// The thread leaves its CPU as a dead one, in this state (X or Z).
    pub(super) fn note_death(&mut self, utid: Utid, state: u8) {
        self.checks.deaths += 1;
        let t = &mut self.threads[utid];
        t.zombie = state == task_state::Z;
        if t.follows_zombie && !t.zombie && !self.reports_exits {
            // It may have slept once more between exit_notify() and do_task_dead() (kernel/exit.c), a zombie already.
            t.follows_zombie = false;
            self.checks.ran_after_death -= 1;
        }
    }

    /// The thread runs or is woken. Where the last thread with its tid and name has exited, and no event reports a new one, it
    /// did not die.
    pub(super) fn note_life_after_death(&mut self, utid: Utid) {
        let Some(dead) = self.threads[utid].follows.take() else { return };
        let after = &self.threads[utid];
        let is_another = after.name.is_some() && after.name != dead.name;
        let died = dead.end_ns.unwrap_or(i64::MIN);
        // A tid is reused after all others, 32,768 at least.
        let may_be_another = !self.reports_creation && self.now - died > LONG_NS;
        if is_another || may_be_another || died <= self.lost_until {
            return;
        }
        self.checks.ran_after_death += 1;
        let t = &mut self.threads[utid];
        (t.follows_zombie, t.name) = (dead.zombie, dead.name);
    }

    /// The kernel accounts, at the latest stamp read, for `runtime_ns` that the thread ran since its account before.
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
