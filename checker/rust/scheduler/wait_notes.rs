//! What the walk notes for the wait ledger (`crate::wait_ledger`).

use super::Scheduler;
use crate::threads::{Phase, SWAPPER, Utid};
use crate::topology::CpuIx;
use crate::wait_ledger::{CpuWork, LedgerRow, Wait};
use wastenot_topology::CpuBits;

impl Scheduler {
    /// Time is about to pass up to `until`: the state as it is goes into the ledger.
    #[inline]
    pub(super) fn settle_waits(&mut self, until: i64) {
        if !self.wait_ledger.is_kept && !self.begins_to_count(until) {
            self.wait_ledger.changed_cpus.clear();
            self.invariant.changed.clear();
            return;
        }
        let now = self.wait_ledger.counted_since(self.now);
        while let Some(cpu) = self.wait_ledger.changed_cpus.pop() {
            let work = self.work_of(cpu);
            self.wait_ledger.set_work(cpu, work, now);
        }
        let confined = self.invariant.confined();
        if confined > 0 || self.wait_ledger.orders_waits() {
            self.settle_confined(confined);
        } else {
            for at in 0..self.invariant.changed.len() {
                let utid = self.invariant.changed[at];
                let (wait, cpu) = self.wait_of(utid);
                self.wait_ledger.note_whether_counted((self.threads[utid].number, utid), cpu);
                self.wait_ledger.set_wait(utid, wait, cpu, now);
            }
        }
        self.invariant.changed.clear();
        self.wait_ledger.end_window(until);
    }

    /// The window that the ledger is of starts before `until`: it counts the waits that are under way then.
    fn begins_to_count(&mut self, until: i64) -> bool {
        if !self.wait_ledger.begin_window(until) {
            return false;
        }
        self.wait_ledger.changed_cpus.extend(0..self.cpus.len() as CpuIx);
        let waiting = self.threads.iter().filter(|(_, t)| t.phase.waits_on().is_some());
        self.invariant.changed.extend(waiting.map(|(utid, _)| utid));
        true
    }

    /// As above, where some idle CPUs are left that waiting threads may not use.
    fn settle_confined(&mut self, confined: usize) {
        let now = self.wait_ledger.counted_since(self.now);
        let barred = if confined > 0 { self.invariant.unmatched_idle() } else { CpuBits::new(0) };
        let excuse = |utid| self.invariant.confined_by(utid, &barred);
        for &utid in &self.invariant.changed {
            let (wait, cpu) = self.wait_of(utid);
            let number = self.threads[utid].number;
            self.wait_ledger.note_whether_counted((number, utid), cpu);
            self.wait_ledger.set_ordered_wait((number, utid), wait, cpu, now, excuse);
        }
        let is_new = confined > 0 && barred != self.wait_ledger.barred;
        self.wait_ledger.set_confined(confined, is_new, now, || self.invariant.confinable(), excuse);
        if is_new {
            self.wait_ledger.barred = barred;
        }
    }

    /// The ledger's rows up to `until`, before which nothing changes. Nothing of the walk changes by asking.
    pub fn wait_rows(&mut self, until: i64) -> Vec<LedgerRow> {
        if until == self.now {
            return self.wait_ledger.rows(until);
        }
        let kept = (self.wait_ledger.clone(), self.invariant.changed.clone());
        self.settle_waits(until);
        let rows = self.wait_ledger.rows(until);
        (self.wait_ledger, self.invariant.changed) = kept;
        rows
    }

    #[inline]
    fn wait_of(&self, utid: Utid) -> (Wait, CpuIx) {
        match self.threads[utid].phase {
            Phase::Queued { cpu, .. } => (self.invariant.queued(utid), cpu),
            Phase::Throttled { cpu, .. } => (Wait::Throttled, cpu),
            _ => (Wait::No, 0),
        }
    }

    #[inline]
    fn work_of(&mut self, cpu: CpuIx) -> CpuWork {
        let state = &self.cpus[cpu as usize];
        match state.current {
            Some(SWAPPER) => CpuWork::Swapper,
            _ if state.irq_until.is_some() => CpuWork::Interrupts,
            None => CpuWork::Unknown,
            Some(utid) => self.wait_ledger.work_of(utid),
        }
    }

    /// The thread is in this cgroup from now on.
    pub fn set_cgroup(&mut self, utid: Utid, cgroup: i64) {
        self.threads[utid].cgroup = Some(cgroup);
        self.note_facts(utid);
    }

    /// A fact has changed that the ledger reads of threads: the cgroup, or whether it is a kernel thread (by a snapshot, or
    /// where none reports it, by its name).
    pub(super) fn note_facts(&mut self, utid: Utid) {
        let t = &self.threads[utid];
        self.wait_ledger.set_facts(utid, t.cgroup, t.is_kernel.unwrap_or(t.named_bound));
        self.note_ledger_thread(utid);
    }

    pub(super) fn note_ledger_thread(&mut self, utid: Utid) {
        match self.threads[utid].phase {
            Phase::Running(cpu) => self.wait_ledger.changed_cpus.push(cpu),
            Phase::Queued { .. } | Phase::Throttled { .. } => self.invariant.changed.push(utid),
            _ => {}
        }
    }
}
