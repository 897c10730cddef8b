//! From which queue of the busiest group, and which threads (kernel/sched/fair.c: find_busiest_queue, detach_tasks,
//! can_migrate_task, task_hot, active_load_balance_cpu_stop).

use super::super::runqueue::Place;
use super::super::*;
use super::{CpuIdle, Pass, Unit};
use crate::record::Path;

/// Threads looked at in one go (sysctl_sched_nr_migrate).
const NR_MIGRATE: usize = 32;

impl Kernel {
    /// The busiest queue of a group.
    pub(super) fn busiest_queue(&mut self, e: &Engine<'_>, pass: &Pass, group: usize) -> Option<CpuIx> {
        let cpus = self.domains.of[pass.dst as usize][pass.level].groups[group].cpus.clone();
        let mut best: Option<(CpuIx, u64)> = None;
        for &c in cpus.iter().filter(|&&c| pass.cpus.has(c) && c != pass.dst) {
            let count = self.rq(c).count();
            if count == 0 {
                continue;
            }
            let measure = match pass.unit {
                Unit::Task => u64::from(count),
                Unit::Util if count > 1 => self.util(e, c) + 1,
                Unit::Misfit if self.misfit(e, c, pass.dst) => self.util(e, c) + 1,
                Unit::Load => {
                    let load = self.load(e.now(), c);
                    if count == 1 && load > pass.imbalance {
                        continue;
                    }
                    // Waiting threads first: a lone one can only be moved by force.
                    load * 1024 / self.capacity(e, c) + if count > 1 { 1 << 40 } else { 0 }
                }
                _ => continue,
            };
            if best.is_none_or(|(_, b)| measure > b) {
                best = Some((c, measure));
            }
        }
        best.map(|(c, _)| c)
    }

    /// Moves threads that wait on `src` to where the pass pulls to. How many.
    pub(super) fn take(&mut self, e: &mut Engine<'_>, pass: &mut Pass, src: CpuIx) -> i32 {
        self.update_current(e, src);
        let waiting: Vec<ThreadIx> = self.rq(src).fair.iter().rev().copied().collect();
        let (mut moved, mut looked, mut pinned) = (0, 0, 0);
        for t in waiting {
            // Who has seen nothing but pinned ones looks on (since 6.1).
            let enough = looked >= NR_MIGRATE && (pinned < looked || self.faults.has(Fault::PinnedTail));
            if self.rq(src).count() <= 1 || pass.imbalance == 0 || enough {
                break;
            }
            looked += 1;
            if !self.sees_allowed(e, t, pass.to) {
                pinned += 1;
                pass.other = pass.other.or_else(|| self.elsewhere_in_group(e, pass, t));
                continue;
            }
            if !self.may_take(e, pass, t) {
                continue;
            }
            let cost = match pass.unit {
                Unit::Task | Unit::Misfit => 1,
                Unit::Load => self.thread_load(e.now(), t).max(1),
                Unit::Util => self.entity(t).util.get().max(1),
            };
            let failed = self.domains.of[pass.dst as usize][pass.level].failed.min(32);
            let too_much = match pass.unit {
                Unit::Load => cost / 2 > pass.imbalance && failed <= 3,
                Unit::Util => cost >> failed > pass.imbalance,
                Unit::Task | Unit::Misfit => false,
            };
            // An idle CPU that nobody else serves takes what there is.
            if too_much && (pass.idle == CpuIdle::Busy || self.faults.has(Fault::AllowedImbalance)) {
                continue;
            }
            self.move_waiting(e, t, src, pass.to, pass.path);
            moved += 1;
            pass.imbalance = pass.imbalance.saturating_sub(cost);
            if pass.idle == CpuIdle::Newly {
                break;
            }
        }
        pass.some_pinned |= pinned > 0;
        pass.all_pinned = looked > 0 && pinned == looked;
        moved
    }

    /// Another CPU of the pass's group that the thread may use (kernel: can_migrate_task, LBF_DST_PINNED).
    fn elsewhere_in_group(&self, e: &Engine<'_>, pass: &Pass, t: ThreadIx) -> Option<CpuIx> {
        if pass.idle == CpuIdle::Newly || self.faults.has(Fault::PinnedTarget) {
            return None;
        }
        let group = &self.domains.of[pass.dst as usize][pass.level].groups[0];
        group.cpus.iter().copied().find(|&c| pass.cpus.has(c) && self.sees_allowed(e, t, c))
    }

    fn may_take(&self, e: &Engine<'_>, pass: &Pass, t: ThreadIx) -> bool {
        let entity = self.entity(t);
        if entity.place != Place::Queued {
            return false;
        }
        if self.faults.has(Fault::CacheHot) {
            // sysctl_sched_migration_cost = -1: everything that ever ran is hot, always.
            return e.thread(t).run_ns == 0;
        }
        if pass.idle != CpuIdle::Busy {
            return true;
        }
        let domain = &self.domains.of[pass.dst as usize][pass.level];
        let hot = e.now() - e.thread(t).last_ran < self.rules.migration_cost_ns && !domain.smt;
        !hot || domain.failed > domain.cache_nice_tries
    }

    /// Asks the stopper of a queue's CPU to push its current thread to the pass's destination. True when it was asked.
    pub(super) fn ask_push(&mut self, e: &mut Engine<'_>, pass: &Pass, src: CpuIx) -> bool {
        let Some(t) = self.rq(src).current.filter(|&t| !self.entity(t).is_rt()) else { return false };
        if self.rq(src).push_to.is_some() || e.stopping(src) || !self.sees_allowed(e, t, pass.dst) {
            return false;
        }
        self.rq_mut(src).push_to = Some(pass.dst);
        e.stop(src, 0);
        true
    }

    /// The stopper runs: the thread that was current (or another that waits) goes to the CPU that asked, if that still idles.
    pub(in super::super) fn active_balance(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        let Some(to) = self.rq_mut(cpu).push_to.take() else { return };
        if !e.online().has(to) || self.rq(cpu).count() == 0 {
            return;
        }
        let movable = |&&t: &&ThreadIx| self.entity(t).place == Place::Queued && self.sees_allowed(e, t, to);
        if let Some(&t) = self.rq(cpu).fair.iter().rev().find(movable) {
            self.move_waiting(e, t, cpu, to, Path::Active);
        }
    }
}
