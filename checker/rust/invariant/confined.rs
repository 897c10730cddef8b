//! Waiting threads that are neither throttled nor matched, and what keeps them from the idle CPUs that are not matched either.
//!
//! The matching is a maximum one: of each such thread and each such CPU, some excuse applies to the two.

use wastenot_schemas::excuse;
use wastenot_topology::CpuBits;

use super::Invariant;
use crate::threads::Utid;
use crate::wait_ledger::{Wait, WaitKey};

impl Invariant {
    /// How a thread waits that is queued and has quota.
    #[inline]
    pub fn queued(&self, utid: Utid) -> Wait {
        match self.infos.get(utid as usize) {
            Some(info) if info.matched => Wait::Matched,
            Some(info) if info.waiting => Wait::Queued { since: Some(info.wait_start) },
            _ => Wait::Queued { since: None },
        }
    }

    /// The waiting threads that have quota and are not matched.
    pub fn confinable(&self) -> impl Iterator<Item = WaitKey> + '_ {
        let waiters = self.waiters.iter().map(|&utid| (&self.infos[utid as usize], utid));
        waiters
            .filter(|(info, _)| !info.throttled && !info.matched)
            .map(|(info, utid)| (info.wait_start, info.number, utid))
    }

    /// How many of them are confined: as many as there are idle CPUs, without those in interrupt work, that are not matched.
    #[inline]
    pub fn confined(&self) -> usize {
        let most = (self.idle_count - self.idle_irq).min(self.quota_waiting);
        if most == 0 { 0 } else { (most - self.last.size()) as usize }
    }

    /// Idle CPUs, without those in interrupt work, that are not matched.
    pub fn unmatched_idle(&mut self) -> CpuBits {
        let mut unmatched = self.idle.clone();
        if self.idle_irq > 0 {
            self.idle.iter().filter(|&cpu| self.irq[cpu as usize]).for_each(|cpu| {
                unmatched.remove(cpu);
            });
        }
        if self.last.size() > 0 {
            self.assign();
            for pair in &self.assigned {
                unmatched.remove(pair.idle_cpu);
            }
        }
        unmatched
    }

    /// The first excuse that, with those before it, keeps the waiter from all of these CPUs.
    pub fn confined_by(&self, utid: Utid, cpus: &CpuBits) -> u8 {
        let info = &self.infos[utid as usize];
        if info.per_cpu {
            return excuse::PER_CPU_THREAD;
        } else if info.fixed {
            return excuse::MIGRATION_DISABLED;
        }
        let class = &self.classes[info.class as usize];
        if !class.cpuset.intersects(cpus) {
            return excuse::CPUSET;
        } else if !class.allowed.intersects(cpus) {
            return excuse::AFFINITY;
        }
        let in_domains = |cpu: u32| !self.topology.isolated[cpu as usize];
        let usable = cpus.iter().any(|cpu| class.allowed.contains(cpu) && in_domains(cpu));
        if usable { excuse::COOKIE } else { excuse::ISOLATED }
    }
}
