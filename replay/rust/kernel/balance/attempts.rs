//! When load-balance attempts are made, and one from start to end (kernel/sched/fair.c: load_balance, should_we_balance,
//! rebalance_domains, nohz_balancer_kick, nohz_idle_balance, newidle_balance; with the prefix `sched_` from 6.10).

use super::super::hooks::NOHZ_TOKEN;
use super::super::*;
use super::{CpuIdle, LbEnv, MigrationType};
use crate::record::Path;
use crate::span::{MS, Ns, S};
use wastenot_schemas::kick_kind;

impl Kernel {
    /// The balancer's part of a tick.
    pub(in super::super) fn balance_tick(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        let now = e.now();
        if now >= self.rq(cpu).next_balance {
            if e.runs_idle(cpu) {
                e.recorder.kick(now, cpu, cpu, kick_kind::SOFTIRQ);
            }
            let idle = if self.is_idle(e, cpu) { CpuIdle::Idle } else { CpuIdle::Busy };
            self.rebalance(e, cpu, idle, Path::Periodic);
        }
        if !e.runs_idle(cpu) {
            self.kick(e, cpu);
        }
    }

    /// Balances the domains of a CPU that are due.
    fn rebalance(&mut self, e: &mut Engine<'_>, cpu: CpuIx, mut idle: CpuIdle, path: Path) {
        let now = e.now();
        let mut next = now + 60 * S;
        // kernel: max_load_balance_interval
        let longest = 100 * MS * e.online().len() as Ns;
        // Without faults an idle CPU does not wait for its interval.
        let eager = self.faults == FaultSet::none() && idle == CpuIdle::Idle;
        for level in 0..self.domains.of[cpu as usize].len() {
            let domain = &mut self.domains.of[cpu as usize][level];
            if now > domain.newidle_cost_decay + S {
                domain.newidle_cost = domain.newidle_cost.saturating_mul(253) / 256;
                domain.newidle_cost_decay = now;
            }
            let due = domain.due(idle, longest);
            if now >= due || eager {
                let pulled = self.load_balance(e, cpu, level, idle, path);
                self.domains.of[cpu as usize][level].last_balance = now;
                if pulled > 0 && idle == CpuIdle::Idle {
                    idle = CpuIdle::Busy;
                }
            }
            next = next.min(self.domains.of[cpu as usize][level].due(idle, longest));
        }
        self.rq_mut(cpu).next_balance = next.max(now + 1);
    }

    /// A busy CPU whose threads wait wakes an idle one to balance for the idle ones.
    fn kick(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        let now = e.now();
        if self.faults.has(Fault::MissedNohzKick) || now < self.nohz_next || self.rq(cpu).nr_running < 2 {
            return;
        }
        let ilb = e.idle().iter().find(|&c| self.is_idle(e, c) && self.in_domains(c) && self.is_listed(c));
        if let Some(ilb) = ilb {
            self.nohz_next = now + e.tick_ns() / 2;
            e.recorder.kick(now, cpu, ilb, kick_kind::SENT);
            e.timer(now + e.costs.ipi_ns + e.costs.idle_exit_ns, ilb, NOHZ_TOKEN);
        }
    }

    /// A thread waits although CPUs idle: without faults one of them is kicked at once rather than at the tick.
    pub(in super::super) fn waiter_appeared(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        if self.faults != FaultSet::none() || self.rq(cpu).waiting() == 0 || e.idle().is_empty() {
            return;
        }
        if self.rq(cpu).current.is_none() && self.rq(cpu).waiting() < 2 {
            return;
        }
        self.nohz_next = 0;
        self.kick(e, cpu);
    }

    /// An idle CPU balances for all idle ones.
    pub(in super::super) fn nohz_balance(&mut self, e: &mut Engine<'_>, ilb: CpuIx) {
        let now = e.now();
        if e.runs_idle(ilb) {
            e.recorder.kick(now, ilb, ilb, kick_kind::SOFTIRQ);
        }
        let idle: Vec<CpuIx> = e.idle().iter_from(ilb).collect();
        let mut next = None;
        for cpu in idle {
            if !self.is_idle(e, cpu) || !self.unclaimed(e, cpu) || !self.is_listed(cpu) {
                continue;
            }
            if now >= self.rq(cpu).next_balance || self.faults == FaultSet::none() {
                let path = if cpu == ilb { Path::Periodic } else { Path::Nohz };
                self.rebalance(e, cpu, CpuIdle::Idle, path);
            }
            let own = self.rq(cpu).next_balance;
            next = Some(next.map_or(own, |n: Ns| n.min(own)));
        }
        let next = next.filter(|_| self.faults != FaultSet::none());
        self.nohz_next = next.unwrap_or(now);
    }

    /// True for a CPU that is on the list of idle ones while it idles (kernel: nohz.idle_cpus_mask).
    fn is_listed(&self, cpu: CpuIx) -> bool {
        cpu.is_multiple_of(2) || !self.faults.has(Fault::UnlistedIdle)
    }

    /// A CPU went idle: its attempts are due as those of idle CPUs (kernel: update_next_balance).
    pub(in super::super) fn update_next_balance(&mut self, e: &Engine<'_>, cpu: CpuIx) {
        if self.faults.has(Fault::BusyInterval) {
            return;
        }
        let longest = 100 * MS * e.online().len() as Ns;
        let due = self.domains.of[cpu as usize].iter().map(|d| d.due(CpuIdle::Idle, longest)).min();
        let rq = self.rq_mut(cpu);
        rq.next_balance = rq.next_balance.min(due.unwrap_or(Ns::MAX));
    }

    /// A CPU is about to idle: balances its domains until an attempt pulls a thread.
    pub(in super::super) fn newidle(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        let crowded = |c: CpuIx| c != cpu && self.rq(c).count() > 1;
        if !e.online().contains(cpu) || !e.online().iter().any(crowded) {
            return;
        }
        let cut = self.faults.has(Fault::NewidleCutoff);
        let avg_idle = self.rq(cpu).avg_idle.max(0) as Ns;
        if cut && self.rules.newidle_against_migration_cost && avg_idle < self.rules.migration_cost_ns {
            return;
        }
        let function = self.rules.newidle_function;
        let whole = e.recorder.start_attempt(e.now(), e.context(), cpu, None, CpuIdle::Newly.code(), function);
        let (mut cost, mut pulled) = (0, 0);
        for level in 0..self.domains.of[cpu as usize].len() {
            let domain = &self.domains.of[cpu as usize][level];
            if cut && avg_idle < cost + domain.newidle_cost {
                break;
            }
            let this = domain.weight * e.costs.balance_cpu_ns + 10 * e.costs.balance_cpu_ns;
            pulled = self.load_balance(e, cpu, level, CpuIdle::Newly, Path::Newidle);
            cost += this;
            let domain = &mut self.domains.of[cpu as usize][level];
            // One slow attempt (another CPU held the lock) is remembered for minutes: a hundred times the usual cost.
            let remembered = if cut { 100 * this } else { this };
            domain.newidle_cost = domain.newidle_cost.max(remembered);
            if pulled > 0 || self.rq(cpu).count() > 0 || self.faults.has(Fault::NewidleOneLevel) {
                break;
            }
        }
        e.recorder.end_attempt(whole, cost, Some(pulled));
    }

    /// One attempt over a domain. Returns the number of threads moved.
    fn load_balance(&mut self, e: &mut Engine<'_>, dst: CpuIx, level: usize, idle: CpuIdle, path: Path) -> i32 {
        if !self.should_balance(e, dst, level, idle) {
            return 0;
        }
        let weight = self.domains.of[dst as usize][level].weight;
        let function = self.rules.balance_function;
        let attempt = e.recorder.start_attempt(e.now(), e.context(), dst, Some(level as i16), idle.code(), function);
        let mut env = LbEnv {
            dst,
            to: dst,
            other: None,
            level,
            idle,
            path,
            cpus: (*self.domains.of[dst as usize][level].span).clone(),
            unit: MigrationType::Load,
            imbalance: 0,
            attempt,
            all_pinned: false,
            some_pinned: false,
            src: None,
        };
        let moved = self.try_load_balance(e, &mut env);
        if let Some(attempt) = attempt {
            let mask = e.masks.intern(&env.cpus);
            e.recorder.cpus_scanned(e.now(), e.context(), attempt, mask, env.src);
        }
        self.finish_load_balance(&env, moved);
        e.recorder.end_attempt(attempt, weight * e.costs.balance_cpu_ns, Some(moved.unwrap_or(0)));
        moved.unwrap_or(0)
    }

    /// One CPU balances for its group: an idle one, else the first.
    fn should_balance(&self, e: &Engine<'_>, dst: CpuIx, level: usize, idle: CpuIdle) -> bool {
        if !e.online().contains(dst) {
            return false;
        }
        if idle == CpuIdle::Newly || self.faults == FaultSet::none() && idle == CpuIdle::Idle {
            return true;
        }
        let domain = &self.domains.of[dst as usize][level];
        if domain.numa && self.rebuilt && self.faults.has(Fault::SerializeLeak) {
            return false;
        }
        let group = &domain.groups[0];
        if self.faults.has(Fault::LostBalancer) && group.cpus.len() > 1 {
            return false;
        }
        let first_idle = group.balancers.iter().copied().find(|&c| self.is_idle(e, c));
        first_idle.or(group.balancers.first().copied()) == Some(dst)
    }

    /// Looks for the busiest queue and takes from it; without queues that are all pinned. None: balanced.
    fn try_load_balance(&mut self, e: &mut Engine<'_>, env: &mut LbEnv) -> Option<i32> {
        let mut found = false;
        loop {
            let groups = self.stats(e, env);
            // kernel: sched_energy_enabled, and the root domain is not overutilized
            if self.faults.has(Fault::AsymmetricCapacity) && self.domains.asymmetric {
                return None;
            }
            let group = if self.rules.group_types {
                self.busiest_by_type(env, &groups)
            } else {
                self.busiest_by_average(env, &groups)
            };
            let Some(src) = group.and_then(|g| self.busiest_queue(e, env, g)) else {
                return found.then_some(0);
            };
            (found, env.src) = (true, Some(src));
            env.all_pinned = false;
            if self.faults.has(Fault::ContendedLock) {
                return Some(0);
            }
            if self.rq(src).count() > 1 {
                let mut moved = self.take(e, env, src);
                while let Some(other) = env.other.take().filter(|_| env.imbalance > 0) {
                    env.cpus.remove(env.to);
                    env.to = other;
                    moved += self.take(e, env, src);
                }
                if moved > 0 {
                    return Some(moved);
                }
                if env.all_pinned && !self.faults.has(Fault::AllPinned) {
                    env.cpus.remove(src);
                    continue;
                }
            }
            let domain = &self.domains.of[env.dst as usize][env.level];
            let force = env.unit == MigrationType::Misfit || domain.failed > domain.cache_nice_tries + 2;
            if env.idle != CpuIdle::Newly && force && !env.all_pinned && !self.faults.has(Fault::CacheHot) {
                self.ask_push(e, env, src);
            }
            return Some(0);
        }
    }

    /// Updates what an attempt leaves: the domain's interval and failures, and the flag of the level above.
    fn finish_load_balance(&mut self, env: &LbEnv, moved: Option<i32>) {
        let domains = &mut self.domains.of[env.dst as usize];
        let balanced = moved.is_none();
        if let Some(parent) = domains.get(env.level + 1) {
            let flag = parent.groups[0].flag;
            let pinned = env.some_pinned && moved == Some(0) && env.imbalance > 0;
            if pinned && !self.faults.has(Fault::AllPinned) {
                self.domains.imbalanced[flag] = true;
            } else if balanced {
                self.domains.imbalanced[flag] = false;
            }
        }
        let domain = &mut domains[env.level];
        if moved.is_some_and(|n| n > 0) {
            (domain.failed, domain.interval) = (0, domain.min_interval);
            return;
        }
        if !balanced && env.idle != CpuIdle::Newly && !env.all_pinned {
            domain.failed += 1;
            domain.interval = domain.min_interval;
        } else if env.idle != CpuIdle::Newly {
            if balanced {
                domain.failed = 0;
            }
            // Balanced, or nothing that could be moved: less often (kernel: out_one_pinned; 512 ms for pinned ones).
            let pinned = env.all_pinned || balanced && self.faults.has(Fault::StickyPinned);
            let longest = if pinned { domain.max_interval.max(512 * MS) } else { domain.max_interval };
            domain.interval = (2 * domain.interval).min(longest);
        }
    }
}

impl super::super::domains::SimulatedDomain {
    /// When the next attempt is due (kernel: get_sd_balance_interval).
    fn due(&self, idle: CpuIdle, longest: Ns) -> Ns {
        let busy = idle == CpuIdle::Busy;
        // A millisecond less on busy CPUs, so that levels do not meet each time.
        let scaled = self.interval.saturating_mul(self.busy_factor).saturating_sub(MS);
        let interval = if busy { scaled } else { self.interval };
        self.last_balance + interval.clamp(MS, longest.max(MS))
    }
}
