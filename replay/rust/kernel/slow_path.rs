//! Placement of a new thread, or one that execs: the idlest group of the widest domain, then within it (kernel/sched/fair.c:
//! find_idlest_group, find_idlest_group_cpu; sched_balance_find_dst_group from 6.10).

use super::domains::SimulatedDomain;
use super::*;

/// The idle CPUs and load of a group, for the placement of a thread.
struct GroupLoad {
    idle: u64,
    load: u64,
    running: u64,
}

impl Kernel {
    /// The CPU for a thread that starts on `from`.
    pub(super) fn place_new(&mut self, e: &mut Engine<'_>, t: ThreadIx, from: CpuIx, fork: bool) -> CpuIx {
        if fork && self.faults.has(Fault::MisplacedFork) && self.sees_allowed(e, t, from) {
            return from;
        }
        let near = fork && self.faults.has(Fault::ForkInNode);
        let mut cpu = from;
        let mut level = self.domains.of[from as usize].iter().rposition(|d| !(d.far || near && d.numa));
        while let Some(l) = level {
            let Some(domain) = self.domains.of[cpu as usize].get(l) else { break };
            let weight = domain.weight;
            let Some(group) = self.idlest_group(e, t, cpu, l) else {
                level = l.checked_sub(1);
                continue;
            };
            cpu = self.idlest_cpu(e, t, cpu, l, group).unwrap_or(cpu);
            // Down, from where that CPU is.
            level = self.domains.of[cpu as usize].iter().rposition(|d| d.weight < weight);
        }
        if !self.is_idle(e, cpu)
            && let Some(idle) = self.idle_in_cache(e, t, cpu)
        {
            return idle;
        }
        if self.sees_allowed(e, t, cpu) { cpu } else { self.fallback(e, t) }
    }

    fn idle_in_cache(&self, e: &Engine<'_>, t: ThreadIx, cpu: CpuIx) -> Option<CpuIx> {
        let usable = |&c: &CpuIx| self.is_idle(e, c) && self.sees_allowed(e, t, c) && self.unclaimed(e, c);
        self.domains.llc[cpu as usize].iter_from(cpu).find(usable)
    }

    fn group_load(&mut self, e: &Engine<'_>, t: ThreadIx, cpus: &[CpuIx]) -> Option<GroupLoad> {
        let mut seen = GroupLoad { idle: 0, load: 0, running: 0 };
        let mut any = false;
        for &c in cpus {
            any |= self.sees_allowed(e, t, c);
            seen.idle += u64::from(self.is_idle(e, c) && self.sees_allowed(e, t, c) && self.unclaimed(e, c));
            seen.running += u64::from(self.rq(c).count());
            seen.load += self.load(e.now(), c);
        }
        any.then_some(seen)
    }

    /// A group that is better than the own one; None to stay.
    fn idlest_group(&mut self, e: &Engine<'_>, t: ThreadIx, cpu: CpuIx, level: usize) -> Option<usize> {
        let domain: &SimulatedDomain = &self.domains.of[cpu as usize][level];
        let (pct, numa, allowance) = (100 + (domain.imbalance_pct - 100) / 2, domain.numa, domain.imb_numa_nr);
        let groups: Vec<(std::rc::Rc<[CpuIx]>, u64)> =
            domain.groups.iter().map(|g| (g.cpus.clone(), g.capacity)).collect();
        let (of_cpu, others): (Vec<usize>, Vec<usize>) = (0..groups.len()).partition(|&i| domain.groups[i].own);
        // Groups without a CPU that the thread may use are skipped; of the others with this CPU the last is the local one.
        let own = of_cpu.into_iter().rev().find_map(|i| Some((self.group_load(e, t, &groups[i].0)?, groups[i].1)));
        let mut best: Option<(usize, GroupLoad, u64)> = None;
        for (i, (cpus, capacity)) in others.into_iter().map(|i| (i, &groups[i])) {
            let Some(seen) = self.group_load(e, t, cpus) else { continue };
            let load = seen.load * 1024 / (*capacity).max(1);
            let better = best.as_ref().is_none_or(|(_, b, l)| match self.rules.group_types {
                true if seen.idle > 0 || b.idle > 0 => seen.idle > b.idle,
                _ => load < *l,
            });
            if better {
                best = Some((i, seen, load));
            }
        }
        let (i, seen, load) = best?;
        let Some((own, capacity)) = own else { return Some(i) };
        let own_load = own.load * 1024 / capacity.max(1);
        let stay = if self.rules.group_types && (own.idle > 0 || seen.idle > 0) {
            let allowed = numa && self.rules.numa_allowance && own.idle > 0 && own.running < allowance;
            own.idle >= seen.idle || allowed
        } else {
            100 * own_load < pct * load || own_load <= load
        };
        if stay { None } else { Some(i) }
    }

    /// Of a group the CPU that went idle last (its caches and its idle state are shallowest), else the least loaded.
    fn idlest_cpu(&mut self, e: &Engine<'_>, t: ThreadIx, cpu: CpuIx, level: usize, group: usize) -> Option<CpuIx> {
        let cpus = self.domains.of[cpu as usize][level].groups[group].cpus.clone();
        let allowed: Vec<CpuIx> = cpus.iter().copied().filter(|&c| self.sees_allowed(e, t, c)).collect();
        let idle = allowed.iter().copied().filter(|&c| self.is_idle(e, c) && self.unclaimed(e, c));
        if let Some(c) = idle.max_by_key(|&c| (e.idle_since(c), std::cmp::Reverse(c))) {
            return Some(c);
        }
        allowed.into_iter().min_by_key(|&c| (self.load(e.now(), c), c))
    }
}
