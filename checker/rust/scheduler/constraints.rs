//! What keeps threads and CPUs apart: constraints, hotplug, interrupt work, lost sight.

use std::cmp::Reverse;

use super::Scheduler;
use crate::data_quality::Remark;
use crate::threads::{Constraints, Phase, UNKNOWN_MASK, Utid};
use crate::topology::CpuIx;

/// Interrupt work up to this long does not excuse an idle CPU.
const SHORT_IRQ_NS: i64 = 20_000;

impl Scheduler {
    /// Change what a thread may use, wherever it is.
    pub fn change(&mut self, utid: Utid, edit: impl FnOnce(&mut Constraints)) {
        let before = self.threads[utid].constraints;
        let mut after = before;
        edit(&mut after);
        after.per_cpu = self.threads[utid].is_per_cpu(after.mask);
        if after == before {
            return;
        }
        if (before.mask, before.cpuset) != (after.mask, after.cpuset) {
            self.note_mask(utid);
        }
        let throttled = after.throttled;
        after.throttled = before.throttled;
        self.threads[utid].constraints = after;
        self.invariant.constrain(utid, self.threads[utid].number, &after, self.event);
        if let Phase::Running(cpu) = self.threads[utid].phase {
            self.note_current(cpu);
        }
        if throttled != before.throttled {
            self.set_throttled(utid, throttled);
        }
    }

    /// The thread's mask changed, or was read.
    pub fn affinity(&mut self, utid: Utid, mask: Option<i32>, cpuset: Option<i32>) {
        let cpuset = self.cpuset_after(utid, mask, cpuset);
        self.change(utid, |c| (c.mask, c.cpuset) = (mask.unwrap_or(UNKNOWN_MASK), cpuset));
    }

    /// The cpuset of a thread with this mask. One that is not reported stays, unless the mask holds CPUs that it does not:
    /// the kernel cuts masks by cpusets (kernel/cgroup/cpuset.c: cpuset_cpus_allowed), so the cpuset has changed.
    pub(super) fn cpuset_after(&self, utid: Utid, mask: Option<i32>, cpuset: Option<i32>) -> i32 {
        let known = self.threads[utid].constraints.cpuset;
        let fits = |mask| self.invariant.mask_cpus(mask).all(|cpu| self.invariant.mask_has(known, cpu));
        cpuset.unwrap_or_else(|| if mask.is_none_or(fits) { known } else { UNKNOWN_MASK })
    }

    /// Quota gone or back: a waiting thread leaves or joins the queue proper.
    pub(super) fn set_throttled(&mut self, utid: Utid, throttled: bool) {
        let phase = self.threads[utid].phase;
        let preempted =
            matches!(phase, Phase::Queued { preempted: true, .. } | Phase::Throttled { preempted: true, .. });
        let waits = phase.waits_on();
        if waits.is_some() {
            self.note_other();
            self.dequeue(utid);
        }
        self.threads[utid].constraints.throttled = throttled;
        let c = self.threads[utid].constraints;
        self.invariant.constrain(utid, self.threads[utid].number, &c, self.event);
        if let Some(cpu) = waits {
            self.enqueue(utid, cpu, preempted);
            self.note_queue(cpu);
        }
    }

    pub(super) fn go_offline(&mut self, cpu: CpuIx) {
        if self.cpus[cpu as usize].online {
            self.make_blind(cpu);
            self.cpus[cpu as usize].online = false;
        }
    }

    pub fn cpu_hotplug(&mut self, cpu: i16, online: bool) {
        let Some(cpu) = self.cpu(cpu) else { return };
        self.balancer_log.hotplug(self.now);
        self.note_other();
        self.cpus[cpu as usize].taken_away = !online;
        if !online {
            self.go_offline(cpu);
        } else if !self.cpus[cpu as usize].online {
            self.close_slice(cpu, None, true);
            self.cpus[cpu as usize].online = true;
        }
    }

    pub fn irq_span(&mut self, cpu: i16, dur_ns: i64, kind: u8, vector: Option<i32>) {
        let Some(cpu) = self.cpu(cpu) else { return };
        self.note_softirq(cpu, kind, vector);
        if dur_ns <= SHORT_IRQ_NS {
            return;
        }
        let end = self.now.saturating_add(dur_ns);
        if self.cpus[cpu as usize].irq_until.is_none_or(|until| until < end) {
            self.cpus[cpu as usize].irq_until = Some(end);
            self.irq_ends.push(Reverse((end, cpu)));
            self.note_interrupt(cpu, end);
            self.invariant.irq(cpu, true, self.event);
            self.wait_ledger.changed_cpus.push(cpu);
        }
    }

    pub fn lost_events(&mut self, cpu: Option<i16>, end_ns: i64, count: Option<i64>, what: &str) {
        self.balancer_log.ext.lost(end_ns);
        self.balancer_log.kicks.lost(self.now, end_ns);
        let concerned: Vec<CpuIx> = match cpu {
            Some(number) => self.cpu(number).into_iter().collect(),
            None => (0..self.cpus.len() as CpuIx).collect(),
        };
        let range = Some((self.now, end_ns));
        let value = count.unwrap_or(0);
        self.note_other();
        self.data_quality.lose(Remark { what: "lost", detail: Some(what.to_owned()), cpu, range, value });
        self.lost_until = self.lost_until.max(end_ns).max(self.now);
        for cpu in 0..self.cpus.len() as CpuIx {
            self.stop_idling_beside(cpu);
        }
        for cpu in concerned {
            self.make_blind(cpu);
            let state = &mut self.cpus[cpu as usize];
            state.blind_until = state.blind_until.max(end_ns);
        }
    }
}
