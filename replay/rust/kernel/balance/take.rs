//! The busiest queue of a group, and the threads that are taken from it (kernel/sched/fair.c: find_busiest_queue, detach_tasks,
//! can_migrate_task, task_hot, active_load_balance_cpu_stop).

use super::super::runqueue::Place;
use super::super::*;
use super::{CpuIdle, LbEnv, MigrationType};
use crate::record::Path;
use crate::span::{MS, Ns};

/// Threads examined per attempt (sysctl_sched_nr_migrate).
const NR_MIGRATE: usize = 32;

/// A thread that ran so lately is hot for a CPU about to idle, with the fault.
const LATELY: Ns = 10 * MS;

impl Kernel {
    /// The busiest queue of a group.
    pub(super) fn busiest_queue(&mut self, e: &Engine<'_>, env: &LbEnv, group: usize) -> Option<CpuIx> {
        let cpus = self.domains.of[env.dst as usize][env.level].groups[group].cpus.clone();
        let mut best: Option<(CpuIx, u64)> = None;
        for &c in cpus.iter().filter(|&&c| env.cpus.contains(c) && c != env.dst) {
            let count = self.rq(c).count();
            if count == 0 {
                continue;
            }
            let measure = match env.unit {
                MigrationType::Task => u64::from(count),
                MigrationType::Util if count > 1 => self.util(e, c) + 1,
                MigrationType::Misfit if self.misfit(e, c, env.dst) => self.util(e, c) + 1,
                MigrationType::Load => {
                    let load = self.load(e.now(), c);
                    if count == 1 && load > env.imbalance {
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

    /// Moves threads that wait on `src` to the attempt's destination. Returns how many.
    pub(super) fn take(&mut self, e: &mut Engine<'_>, env: &mut LbEnv, src: CpuIx) -> i32 {
        self.update_current(e, src);
        let waiting: Vec<ThreadIx> = self.rq(src).fair.iter().rev().copied().collect();
        let (mut moved, mut scanned, mut pinned) = (0, 0, 0);
        for t in waiting {
            // While all were pinned it goes on (since 6.1).
            let enough = scanned >= NR_MIGRATE && (pinned < scanned || self.faults.has(Fault::PinnedTail));
            if self.rq(src).count() <= 1 || env.imbalance == 0 || enough {
                break;
            }
            scanned += 1;
            if !self.sees_allowed(e, t, env.to) {
                pinned += 1;
                env.other = env.other.or_else(|| self.elsewhere_in_group(e, env, t));
                continue;
            }
            if !self.can_migrate(e, env, t) {
                continue;
            }
            let cost = match env.unit {
                MigrationType::Task | MigrationType::Misfit => 1,
                MigrationType::Load => self.thread_load(e.now(), t).max(1),
                MigrationType::Util => self.entity(t).util.get().max(1),
            };
            let failed = self.domains.of[env.dst as usize][env.level].failed.min(32);
            let too_much = match env.unit {
                MigrationType::Load => cost / 2 > env.imbalance && failed <= 3,
                MigrationType::Util => cost >> failed > env.imbalance,
                MigrationType::Task | MigrationType::Misfit => false,
            };
            // An idle CPU takes any thread.
            if too_much && (env.idle == CpuIdle::Busy || self.faults.has(Fault::AllowedImbalance)) {
                continue;
            }
            self.move_waiting(e, t, src, env.to, env.path);
            moved += 1;
            env.imbalance = env.imbalance.saturating_sub(cost);
            if env.idle == CpuIdle::Newly {
                break;
            }
        }
        env.some_pinned |= pinned > 0;
        env.all_pinned = scanned > 0 && pinned == scanned;
        moved
    }

    /// Another CPU of the attempt's group that the thread may use (kernel: can_migrate_task, LBF_DST_PINNED).
    fn elsewhere_in_group(&self, e: &Engine<'_>, env: &LbEnv, t: ThreadIx) -> Option<CpuIx> {
        if env.idle == CpuIdle::Newly || self.faults.has(Fault::PinnedTarget) {
            return None;
        }
        let group = &self.domains.of[env.dst as usize][env.level].groups[0];
        group.cpus.iter().copied().find(|&c| env.cpus.contains(c) && self.sees_allowed(e, t, c))
    }

    fn can_migrate(&self, e: &Engine<'_>, env: &LbEnv, t: ThreadIx) -> bool {
        let entity = self.entity(t);
        if entity.place != Place::Queued {
            return false;
        }
        if self.faults.has(Fault::CacheHot) {
            // sysctl_sched_migration_cost = -1: everything that ever ran is hot, always.
            return e.thread(t).run_ns == 0;
        }
        if env.idle == CpuIdle::Newly && self.faults.has(Fault::NewidleHot) {
            return e.now() - e.thread(t).last_ran >= LATELY;
        }
        if env.idle != CpuIdle::Busy {
            return true;
        }
        let domain = &self.domains.of[env.dst as usize][env.level];
        let hot = e.now() - e.thread(t).last_ran < self.rules.migration_cost_ns && !domain.smt;
        !hot || domain.failed > domain.cache_nice_tries
    }

    /// Asks the stopper of a queue's CPU to push its current thread to the attempt's destination. True when it was asked.
    pub(super) fn ask_push(&mut self, e: &mut Engine<'_>, env: &LbEnv, src: CpuIx) -> bool {
        let Some(t) = self.rq(src).current.filter(|&t| self.entity(t).is_fair()) else { return false };
        if self.rq(src).push_to.is_some() || e.stopping(src) || !self.sees_allowed(e, t, env.dst) {
            return false;
        }
        self.rq_mut(src).push_to = Some(env.dst);
        e.stop(src, 0);
        true
    }

    /// The stopper runs: the thread that was current (or another that waits) goes to the CPU that asked, if that still idles.
    pub(in super::super) fn active_balance(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        let Some(to) = self.rq_mut(cpu).push_to.take() else { return };
        if !e.online().contains(to) || self.rq(cpu).count() == 0 {
            return;
        }
        let movable = |&&t: &&ThreadIx| self.entity(t).place == Place::Queued && self.sees_allowed(e, t, to);
        if let Some(&t) = self.rq(cpu).fair.iter().rev().find(movable) {
            self.move_waiting(e, t, cpu, to, Path::Active);
        }
    }
}
