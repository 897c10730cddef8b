//! Whether threads are of the real-time or deadline class, and when CPUs ran such threads.

use super::Scheduler;
use crate::threads::{Phase, SWAPPER, Utid};
use crate::topology::CpuIx;
use wastenot_schemas::policy;

/// Priorities below are those of the real-time and deadline classes (include/linux/sched/prio.h).
pub const MAX_RT_PRIO: i16 = 100;

impl Scheduler {
    /// The thread has this priority of the kernel's.
    #[inline]
    pub(super) fn set_priority(&mut self, utid: Utid, prio: i16) {
        if self.wait_ledger.realtime(utid) == Some(prio < MAX_RT_PRIO) {
            return;
        }
        if self.wait_ledger.set_realtime(utid, prio < MAX_RT_PRIO) {
            self.note_ledger_thread(utid);
        }
        self.note_class_of_running(utid);
    }

    /// A snapshot reports the thread's policy and, as a rule, its priority.
    pub(super) fn set_policy(&mut self, utid: Utid, code: u8, prio: Option<i16>) {
        self.threads[utid].is_idle_policy = code == policy::IDLE;
        let realtime = matches!(code, policy::FIFO | policy::RR | policy::DEADLINE);
        self.wait_ledger.set_realtime(utid, prio.map_or(realtime, |prio| prio < MAX_RT_PRIO));
        self.note_class_of_running(utid);
        if matches!(self.threads[utid].phase, Phase::Queued { .. }) && !self.without_causes {
            self.wait_origin(utid).traits = self.waiter_traits(utid);
        }
    }

    /// A sched_ext scheduler decides of the thread: it was given to one, and is of no higher class meanwhile (kernel/sched/core.c:
    /// __setscheduler_class; children of real-time threads are of that class from the start, sched_fork).
    #[inline]
    pub(super) fn is_of_sched_ext(&self, utid: Utid) -> bool {
        self.threads[utid].ext && !self.wait_ledger.is_realtime(utid)
    }

    /// The thread's class has become known, or has changed.
    fn note_class_of_running(&mut self, utid: Utid) {
        if let Phase::Running(cpu) = self.threads[utid].phase {
            self.note_class(cpu);
        }
    }

    /// Whether the CPU runs a thread of the real-time or deadline class has changed, or whether that is known.
    pub(super) fn note_class(&mut self, cpu: CpuIx) {
        let realtime = match self.cpus[cpu as usize].current {
            Some(SWAPPER) => Some(false),
            // Of the stop class, which goes before both.
            Some(utid) if self.is_stopper(utid) => None,
            Some(utid) => self.wait_ledger.realtime(utid),
            None => None,
        };
        let wasting = self.is_wasting();
        self.balancer_log.realtime_runs.switched(cpu, realtime, self.now, self.event, wasting);
    }
}
