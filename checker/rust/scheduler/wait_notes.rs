//! What the walk notes for the wait ledger (`crate::wait_ledger`).

use wastenot_schemas::policy;

use super::Scheduler;
use crate::cpus::SWAPPER;
use crate::threads::{Phase, Thread, Utid};
use crate::topology::CpuIx;
use crate::wait_ledger::{Cgroup, CpuWork, RunningThread, Wait, WaitKind};
use wastenot_topology::CpuBits;

/// Priorities below are those of the real-time and deadline classes (include/linux/sched/prio.h).
pub(super) const MAX_RT_PRIO: i16 = 100;

impl Scheduler {
    /// Time is about to pass: the state as it is goes into the ledger.
    pub(super) fn settle_waits(&mut self) {
        let now = self.now;
        while let Some(cpu) = self.wait_ledger.changed_cpus.pop() {
            self.wait_ledger.set_work(cpu, self.work_of(cpu), now);
        }
        let confined = self.invariant.confined();
        let barred = if confined > 0 { self.invariant.unmatched_idle() } else { CpuBits::new(0) };
        let mut changed = std::mem::take(&mut self.invariant.changed);
        for utid in changed.drain(..) {
            let wait = self.wait_of(utid);
            self.wait_ledger.set_wait(utid, wait, now, |utid| self.invariant.confined_by(utid, &barred));
        }
        let is_new = confined > 0 && barred != self.wait_ledger.barred;
        let invariant = &self.invariant;
        let excuse = |utid| invariant.confined_by(utid, &barred);
        self.wait_ledger.set_confined(confined, is_new, now, || invariant.confinable(), excuse);
        if is_new {
            self.wait_ledger.barred = barred;
        }
        self.invariant.changed = changed;
    }

    fn wait_of(&self, utid: Utid) -> Option<Wait> {
        let t = &self.threads[utid];
        let (kind, cpu) = match t.phase {
            Phase::Throttled { cpu, .. } => (WaitKind::Throttled, cpu),
            Phase::Queued { cpu, .. } if self.invariant.is_matched(utid) => (WaitKind::Matched, cpu),
            Phase::Queued { cpu, .. } => (WaitKind::Queued { since: self.invariant.confinable_since(utid) }, cpu),
            _ => return None,
        };
        Some(Wait { kind, cpu, cgroup: t.cgroup })
    }

    fn work_of(&self, cpu: CpuIx) -> CpuWork {
        let state = &self.cpus[cpu as usize];
        match state.current {
            Some(SWAPPER) => CpuWork::Swapper,
            _ if state.irq_until.is_some() => CpuWork::Interrupts,
            None => CpuWork::Unknown,
            Some(utid) => {
                let t = &self.threads[utid];
                let (cgroup, is_realtime) = (t.cgroup, t.is_realtime);
                CpuWork::Thread(RunningThread { cgroup, is_realtime, is_kernel: is_kernel(t) })
            }
        }
    }

    /// The thread is in this cgroup from now on.
    pub fn set_cgroup(&mut self, utid: Utid, cgroup: Cgroup) {
        self.threads[utid].cgroup = cgroup;
        self.note_facts(utid);
    }

    /// The thread has this priority of the kernel's.
    #[inline]
    pub fn set_priority(&mut self, tid: i32, prio: Option<i16>) {
        let Some((prio, utid)) = prio.filter(|_| tid != 0).zip(self.threads.find(tid)) else { return };
        let is_realtime = prio < MAX_RT_PRIO;
        if self.threads[utid].is_realtime != is_realtime {
            self.threads[utid].is_realtime = is_realtime;
            self.note_facts(utid);
        }
    }

    /// A snapshot reports the thread's policy and, as a rule, its priority.
    pub(super) fn set_policy(&mut self, utid: Utid, code: u8, prio: Option<i16>) {
        let realtime = matches!(code, policy::FIFO | policy::RR | policy::DEADLINE);
        self.threads[utid].is_realtime = prio.map_or(realtime, |prio| prio < MAX_RT_PRIO);
        self.note_facts(utid);
    }

    /// A fact has changed that the ledger reads of waiting and running threads.
    pub(super) fn note_facts(&mut self, utid: Utid) {
        match self.threads[utid].phase {
            Phase::Running(cpu) => self.wait_ledger.changed_cpus.push(cpu),
            Phase::Queued { .. } | Phase::Throttled { .. } => self.invariant.changed.push(utid),
            _ => {}
        }
    }
}

/// By a snapshot, or where none reports it, by its name.
fn is_kernel(t: &Thread) -> bool {
    t.is_kernel.unwrap_or(t.named_bound)
}
