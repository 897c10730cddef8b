//! The busiest group by the types of groups (kernel/sched/fair.c from 5.5 on: find_busiest_group,
//! update_sd_pick_busiest, calculate_imbalance; sched_balance_find_src_group from 6.10).

use super::super::*;
use super::stats::{Fullness, GroupStats};
use super::{CpuIdle, LbEnv, MigrationType};

impl Kernel {
    /// The group to take from; sets the attempt's unit and imbalance. None: balanced.
    pub(super) fn busiest_by_type(&self, env: &mut LbEnv, groups: &[Option<GroupStats>]) -> Option<usize> {
        let domain = &self.domains.of[env.dst as usize][env.level];
        let local = domain.local(groups)?;
        let mut best: Option<(usize, &GroupStats)> = None;
        for (i, s) in domain.others(groups).filter(|(_, s)| s.running > 0) {
            if best.is_none_or(|(_, b)| self.busier(s, b, env.idle)) {
                best = Some((i, s));
            }
        }
        let (i, busiest) = best?;
        let idle = env.idle != CpuIdle::Busy;
        let (mut load, mut capacity) = (0, 0);
        groups.iter().flatten().for_each(|s| (load, capacity) = (load + s.load, capacity + s.capacity));
        let mean = load * 1024 / capacity.max(1);
        // A thread waits there and this CPU is idle.
        let needed = idle && busiest.waiting > 0 && !self.faults.has(Fault::AllowedImbalance);
        if self.faults.has(Fault::ImbalancePct) && 100 * busiest.avg_load <= domain.imbalance_pct * local.avg_load {
            return None;
        }
        let forced = needed || matches!(busiest.fullness, Fullness::Misfit | Fullness::Imbalanced);
        if !forced && !self.worth_it(env, domain, local, busiest, mean) {
            return None;
        }
        self.imbalance(env, local, busiest, mean);
        if env.imbalance == 0 && needed && !self.tolerated(env, local) {
            (env.unit, env.imbalance) = (MigrationType::Task, 1);
        }
        (env.imbalance > 0).then_some(i)
    }

    fn busier(&self, s: &GroupStats, than: &GroupStats, idle: CpuIdle) -> bool {
        // Without the fault: for an idle CPU, groups with waiting threads come first.
        let needed = idle != CpuIdle::Busy && !self.faults.has(Fault::AllowedImbalance);
        if needed && (s.waiting > 0) != (than.waiting > 0) {
            return s.waiting > 0;
        }
        if s.fullness != than.fullness {
            return s.fullness > than.fullness;
        }
        match s.fullness {
            Fullness::Overloaded | Fullness::FullyBusy => s.avg_load > than.avg_load,
            Fullness::Imbalanced => false,
            Fullness::Misfit => s.util > than.util,
            Fullness::HasSpare if s.idle_cpus == than.idle_cpus => s.running > than.running,
            Fullness::HasSpare => s.idle_cpus < than.idle_cpus,
        }
    }

    fn worth_it(
        &self,
        env: &LbEnv,
        domain: &domains::SimulatedDomain,
        local: &GroupStats,
        busiest: &GroupStats,
        mean: u64,
    ) -> bool {
        if local.fullness > busiest.fullness {
            return false;
        }
        if local.fullness == Fullness::Overloaded {
            let below = local.avg_load < busiest.avg_load && local.avg_load < mean;
            return below && 100 * busiest.avg_load > domain.imbalance_pct * local.avg_load;
        }
        if prefers_sibling(domain) && local.fullness == Fullness::HasSpare && busiest.running > local.running + 1 {
            return true;
        }
        if busiest.fullness != Fullness::Overloaded {
            let spread = busiest.cpus > 1 && local.idle_cpus <= busiest.idle_cpus + 1;
            if env.idle == CpuIdle::Busy || spread || busiest.running == 1 {
                return false;
            }
        }
        true
    }

    fn imbalance(&self, env: &mut LbEnv, local: &GroupStats, busiest: &GroupStats, mean: u64) {
        let domain = &self.domains.of[env.dst as usize][env.level];
        match busiest.fullness {
            Fullness::Misfit => return (env.unit, env.imbalance) = (MigrationType::Misfit, 1),
            Fullness::Imbalanced => return (env.unit, env.imbalance) = (MigrationType::Task, 1),
            _ => {}
        }
        if self.tolerated(env, local) && self.faults.has(Fault::NumaAllowance) {
            return (env.unit, env.imbalance) = (MigrationType::Task, 0);
        }
        if local.fullness == Fullness::HasSpare {
            if busiest.fullness > Fullness::FullyBusy && !domain.cache {
                (env.unit, env.imbalance) = (MigrationType::Util, local.capacity.saturating_sub(local.util));
                if env.idle != CpuIdle::Busy && env.imbalance == 0 {
                    (env.unit, env.imbalance) = (MigrationType::Task, 1);
                }
                return;
            }
            let threads = if busiest.cpus == 1 || prefers_sibling(domain) {
                busiest.running.saturating_sub(local.running)
            } else {
                local.idle_cpus.saturating_sub(busiest.idle_cpus)
            };
            let allowed = self.tolerated(env, local) && busiest.waiting == 0;
            return (env.unit, env.imbalance) = (MigrationType::Task, if allowed { 0 } else { threads / 2 });
        }
        let pull = busiest.avg_load.saturating_sub(mean) * busiest.capacity;
        let space = mean.saturating_sub(local.avg_load) * local.capacity;
        (env.unit, env.imbalance) = (MigrationType::Load, pull.min(space) / 1024);
    }

    /// A node with few threads may have fewer than another (kernel: adjust_numa_imbalance).
    fn tolerated(&self, env: &LbEnv, local: &GroupStats) -> bool {
        let domain = &self.domains.of[env.dst as usize][env.level];
        // With the fault the allowance is what 5.7 to 5.17 gave: a quarter of the node's CPUs.
        let allowance =
            if self.faults.has(Fault::NumaAllowance) { (local.cpus / 4).max(2) } else { domain.imb_numa_nr };
        domain.numa && self.rules.numa_allowance && local.running < allowance
    }
}

/// Threads spread over the parts of the level below rather than share one (SD_PREFER_SIBLING).
fn prefers_sibling(domain: &domains::SimulatedDomain) -> bool {
    !domain.numa && !domain.asymmetric && domain.groups.first().is_some_and(|g| g.cpus.len() > 1)
}
