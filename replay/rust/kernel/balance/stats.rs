//! What an attempt sees of CPUs and groups (kernel/sched/fair.c: update_sg_lb_stats, group_classify, cpu_load).

use super::super::domains::SimulatedDomain;
use super::super::*;
use super::LbEnv;
use crate::span::Ns;

/// How full a group is, least first (kernel: enum group_type).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fullness {
    #[default]
    HasSpare,
    FullyBusy,
    Misfit,
    Imbalanced,
    Overloaded,
}

/// A group as an attempt sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupStats {
    pub load: u64,
    pub util: u64,
    pub capacity: u64,
    /// Runnable threads.
    pub running: u64,
    /// Threads that wait.
    pub waiting: u64,
    pub cpus: u64,
    pub idle_cpus: u64,
    /// Load of its least loaded CPU.
    pub min_load: u64,
    pub fullness: Fullness,
    /// Load per 1024 of capacity.
    pub avg_load: u64,
}

impl Kernel {
    /// Load of a thread: its weight by the share of time it is runnable.
    pub(in super::super) fn thread_load(&mut self, now: Ns, t: ThreadIx) -> u64 {
        let entity = self.entity_mut(t);
        entity.update(now, 1024);
        (entity.effective * entity.runnable.get()) >> 10
    }

    /// Load of a CPU: that of its runnable threads (kernel: cpu_load, weighted_cpuload).
    pub(in super::super) fn load(&mut self, now: Ns, cpu: CpuIx) -> u64 {
        let rq = &self.rqs[cpu as usize];
        let mut sum = 0;
        for &t in rq.fair.iter().chain(rq.current.as_ref()) {
            let entity = &mut self.entities[t as usize];
            if entity.is_fair() {
                entity.update(now, 1024);
                sum += (entity.effective * entity.runnable.get()) >> 10;
            }
        }
        // A sixteenth of an ordinary thread is the smallest load there is.
        if self.faults.has(Fault::CoarseLoad) { sum & !63 } else { sum }
    }

    /// Share of a CPU that fair threads used.
    pub(in super::super) fn util(&mut self, e: &Engine<'_>, cpu: CpuIx) -> u64 {
        let capacity = u64::from(e.topology.cpu(cpu).capacity);
        let rq = self.rq_mut(cpu);
        let input = if rq.running.0 { capacity } else { 0 };
        rq.util.update(e.now(), input)
    }

    /// What real-time work leaves of a CPU's capacity (kernel: scale_rt_capacity).
    pub(super) fn capacity(&mut self, e: &Engine<'_>, cpu: CpuIx) -> u64 {
        let full = u64::from(e.topology.cpu(cpu).capacity);
        let rq = self.rq_mut(cpu);
        let rt = rq.rt_util.update(e.now(), if rq.running.1 { 1024 } else { 0 });
        (full * (1024 - rt.min(1023)) / 1024).max(1)
    }

    /// The groups of the attempt's domain. None for groups without a CPU to examine.
    pub(super) fn stats(&mut self, e: &mut Engine<'_>, env: &LbEnv) -> Vec<Option<GroupStats>> {
        let (dst, level) = (env.dst, env.level);
        let count = self.domains.of[dst as usize][level].groups.len();
        (0..count).map(|g| self.group_stats(e, env, g)).collect()
    }

    fn group_stats(&mut self, e: &mut Engine<'_>, env: &LbEnv, group: usize) -> Option<GroupStats> {
        let domain = &self.domains.of[env.dst as usize][env.level];
        let (pct, asymmetric) = (domain.imbalance_pct, domain.asymmetric);
        let g = &domain.groups[group];
        let (cpus, flag) = (g.cpus.clone(), g.flag);
        let mut s = GroupStats { min_load: u64::MAX, ..GroupStats::default() };
        let mut misfit = false;
        for &c in cpus.iter().filter(|&&c| env.cpus.contains(c)) {
            let load = self.load(e.now(), c);
            e.recorder.cpu_load(e.now(), e.context(), env.attempt, c, load as i64, self.rq(c).count());
            s.load += load;
            s.min_load = s.min_load.min(load);
            s.util += self.util(e, c);
            s.capacity += self.capacity(e, c);
            s.running += u64::from(self.rq(c).count());
            let known = load > 0 || !self.faults.has(Fault::CoarseLoad);
            s.waiting += if known { u64::from(self.rq(c).waiting()) } else { 0 };
            s.cpus += 1;
            s.idle_cpus += u64::from(self.is_idle(e, c));
            misfit |= asymmetric && group > 0 && self.misfit(e, c, env.dst);
        }
        if s.cpus == 0 {
            return None;
        }
        s.avg_load = s.load * 1024 / s.capacity.max(1);
        s.fullness = if s.running > s.cpus && s.capacity * 100 < s.util * pct {
            Fullness::Overloaded
        } else if self.domains.imbalanced[flag] {
            Fullness::Imbalanced
        } else if misfit {
            Fullness::Misfit
        } else if s.running < s.cpus || s.capacity * 100 > s.util * pct {
            Fullness::HasSpare
        } else {
            Fullness::FullyBusy
        };
        Some(s)
    }

    /// The current thread of a CPU nearly fills it, and the other is larger (kernel: update_misfit_status).
    pub(super) fn misfit(&self, e: &Engine<'_>, cpu: CpuIx, other: CpuIx) -> bool {
        let capacity = |c: CpuIx| u64::from(e.topology.cpu(c).capacity);
        let Some(t) = self.rq(cpu).current else { return false };
        capacity(other) * 1024 > capacity(cpu) * 1078 && self.entity(t).util.get() * 1280 > capacity(cpu) * 1024
    }
}

impl SimulatedDomain {
    /// Of what an attempt saw of the groups, that of its own: of several with the CPU that it is for the last (update_sd_lb_stats).
    pub(super) fn local<'a>(&self, seen: &'a [Option<GroupStats>]) -> Option<&'a GroupStats> {
        let own = self.groups.iter().zip(seen).rfind(|(group, _)| group.own)?;
        own.1.as_ref()
    }

    /// That of the groups from which it may take, with their places.
    pub(super) fn others<'a>(
        &'a self,
        seen: &'a [Option<GroupStats>],
    ) -> impl Iterator<Item = (usize, &'a GroupStats)> {
        let groups = self.groups.iter().zip(seen).enumerate();
        groups.filter(|(_, (group, _))| !group.own).filter_map(|(i, (_, seen))| Some((i, seen.as_ref()?)))
    }
}
