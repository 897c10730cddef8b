//! The busiest group by average load (kernel/sched/fair.c of 4.1: find_busiest_group, update_sd_pick_busiest,
//! calculate_imbalance, fix_small_imbalance).

use super::super::*;
use super::stats::{Fullness, GroupStats};
use super::{CpuIdle, LbEnv, MigrationType};

impl Kernel {
    /// The group to take from; sets the attempt's imbalance. None: balanced.
    pub(super) fn busiest_by_average(&self, env: &mut LbEnv, groups: &[Option<GroupStats>]) -> Option<usize> {
        let domain = &self.domains.of[env.dst as usize][env.level];
        let local = domain.local(groups)?;
        // The fix of the paper: a group's load is that of its least loaded CPU.
        let averages = self.faults.has(Fault::GroupImbalance);
        let seen = |s: &GroupStats| if averages { s.avg_load } else { s.min_load };
        let idle = env.idle != CpuIdle::Busy;
        let rank = |s: &GroupStats| {
            let overloaded = s.fullness.max(Fullness::Misfit);
            (!averages && idle && s.waiting > 0, overloaded, seen(s))
        };
        let others = domain.others(groups);
        let (i, busiest) =
            others.filter(|(_, s)| s.running > 0).max_by_key(|&(i, s)| (rank(s), std::cmp::Reverse(i)))?;
        let (mut load, mut capacity) = (0, 0);
        groups.iter().flatten().for_each(|s| (load, capacity) = (load + s.load, capacity + s.capacity));
        let mean = load * 1024 / capacity.max(1);
        let per_thread = busiest.load / busiest.running.max(1);
        env.unit = MigrationType::Load;
        if self.faults.has(Fault::ImbalancePct) && 100 * seen(busiest) <= domain.imbalance_pct * seen(local) {
            return None;
        }
        if busiest.fullness == Fullness::Imbalanced {
            (env.unit, env.imbalance) = (MigrationType::Task, 1);
            return Some(i);
        }
        // A thread waits there and this CPU is idle: whatever the loads are.
        if !averages && idle && busiest.waiting > 0 && !self.faults.has(Fault::AllowedImbalance) {
            (env.unit, env.imbalance) = (MigrationType::Task, 1);
            return Some(i);
        }
        if seen(local) >= seen(busiest) || (averages && local.avg_load >= mean) {
            return None;
        }
        if env.idle == CpuIdle::Idle {
            if busiest.fullness != Fullness::Overloaded && local.idle_cpus <= busiest.idle_cpus + 1 {
                return None;
            }
        } else if 100 * seen(busiest) <= domain.imbalance_pct * seen(local) {
            return None;
        }
        let pull = seen(busiest).saturating_sub(mean) * busiest.capacity;
        let space = mean.saturating_sub(seen(local)) * local.capacity;
        env.imbalance = pull.min(space) / 1024;
        if env.imbalance < per_thread {
            // The imbalance is below one thread: is moving one a gain?
            let gain = seen(busiest) > seen(local) + per_thread * 1024 / local.capacity.max(1);
            env.imbalance = if gain || (idle && busiest.waiting > 0) { per_thread } else { 0 };
        }
        (env.imbalance > 0).then_some(i)
    }
}
