//! The invariant at an instant, and its integrals: section "The invariant" of docs/semantics.md.

use super::state::{Runs, State, Utid};
use super::{Reference, Step, matching};
use crate::events::{Cpus, Machine, cpus_of};

/// Excuses, applied in the order of the document's table.
const EXCUSES: usize = 8;

impl Reference {
    /// Go on to `to`, which may be earlier than now: then nothing passes.
    pub(super) fn advance(&mut self, to: i64) {
        while self.now < to {
            let interrupts = self.known.cpus.iter().map(|cpu| cpu.irq_until);
            let next = interrupts.filter(|&end| end > self.now).fold(to, i64::min);
            self.account(next);
            self.now = next;
        }
    }

    /// Count the time from now to `end`, in which nothing changes.
    fn account(&mut self, end: i64) {
        let ns = end - self.now;
        let idle = self.idle_cpus();
        for cpu in cpus_of(idle) {
            self.known.cpus[cpu].counted_idle += ns;
        }
        for cpu in 0..self.known.cpus.len() {
            let queue = self.known.queue(cpu);
            let with_quota = queue.iter().filter(|&&utid| !self.known.threads[utid].throttled).count();
            if self.known.cpus[cpu].runs == Runs::Swapper && with_quota > 1 {
                self.known.cpus[cpu].crowded += ns;
            }
        }
        let waiting = self.waiting();
        let mut allowed = vec![idle; waiting.len()];
        let mut sizes = vec![matching::size(&allowed)];
        for excuse in 0..EXCUSES {
            for (w, &utid) in waiting.iter().enumerate() {
                allowed[w] &=
                    !cpus_of(idle).filter(|&cpu| self.excused(excuse, utid, cpu)).fold(0, |set, c| set | 1 << c);
            }
            sizes.push(matching::size(&allowed));
        }
        let known: Vec<usize> = (0..waiting.len()).filter(|&w| self.mask_known(waiting[w])).collect();
        let certain = matching::size(&known.iter().map(|&w| allowed[w]).collect::<Vec<_>>());
        let (idle_while_waiting, wasted) = (sizes[0], sizes[EXCUSES]);
        for (w, cpu) in matching::canonical(&allowed, |w| self.nearest(waiting[w])) {
            *self.avoidable.entry(waiting[w]).or_default() += ns;
            *self.figures.wasted_cpu.entry(cpu).or_default() += ns;
        }
        let f = &mut self.figures;
        f.idle += ns * i64::from(idle.count_ones());
        f.online += ns * self.known.cpus.iter().filter(|cpu| cpu.online).count() as i64;
        f.wasted += ns * wasted as i64;
        f.certain += ns * certain as i64;
        f.idle_while_waiting += ns * idle_while_waiting as i64;
        f.wall_wasted += ns * i64::from(wasted > 0);
        f.peak = f.peak.max(wasted);
        for excuse in 0..EXCUSES {
            f.ledger[excuse] += ns * (sizes[excuse] - sizes[excuse + 1]) as i64;
        }
        f.step(Step { start: self.now, end, wasted, certain, idle_while_waiting });
    }

    /// Idle: online, observed, not in doubt, runs swapper, no thread with quota on its queue.
    fn idle_cpus(&self) -> Cpus {
        let is_idle = |cpu: &usize| {
            let state = &self.known.cpus[*cpu];
            let queue = self.known.queue(*cpu);
            state.online
                && state.runs == Runs::Swapper
                && !state.in_doubt
                && !queue.iter().any(|&utid| !self.known.threads[utid].throttled)
        };
        (0..self.known.cpus.len()).filter(is_idle).fold(0, |set, cpu| set | 1 << cpu)
    }

    /// The thread that is about to run on a CPU that runs swapper: the first of its queue that has quota.
    fn about_to_run_on(&self, cpu: usize) -> Option<Utid> {
        if self.known.cpus[cpu].runs != Runs::Swapper {
            return None;
        }
        self.known.queue(cpu).into_iter().find(|&utid| !self.known.threads[utid].throttled)
    }

    /// Remember since when the thread that is about to run on each CPU has been so. One that no longer is took too long when
    /// that is more than a tick; where the CPU's exits from idle are not reported, or it is unobserved, that is not known.
    pub(super) fn note_about_to_run(&mut self) {
        for cpu in 0..self.known.cpus.len() {
            let is = self.about_to_run_on(cpu);
            let was = self.about_to_run[cpu];
            if was.map(|(utid, _)| utid) == is {
                continue;
            }
            let state = &self.known.cpus[cpu];
            let unsure = state.latest_exit_inferred || state.runs == Runs::Unobserved;
            if was.is_some_and(|(_, since)| self.now - since > self.tick) && !unsure {
                self.figures.late_wakes += 1;
            }
            self.about_to_run[cpu] = is.map(|utid| (utid, self.now));
        }
    }

    /// The recording ends: what is still about to run may have taken too long as well.
    pub(super) fn note_end(&mut self) {
        for cpu in 0..self.known.cpus.len() {
            let late = self.about_to_run[cpu].is_some_and(|(_, since)| self.now - since > self.tick);
            self.figures.late_wakes += i64::from(late && !self.known.cpus[cpu].latest_exit_inferred);
        }
    }

    /// Waiting threads, longest wait first; ties: lowest utid.
    fn waiting(&self) -> Vec<Utid> {
        let mut waiting: Vec<(i64, Utid)> = Vec::new();
        for (utid, thread) in self.known.threads.iter().enumerate() {
            if let State::Waiting { cpu, since, .. } = thread.state
                && self.about_to_run_on(cpu) != Some(utid)
            {
                waiting.push((since, utid));
            }
        }
        waiting.sort_unstable();
        waiting.into_iter().map(|(_, utid)| utid).collect()
    }

    fn mask_known(&self, utid: Utid) -> bool {
        let thread = &self.known.threads[utid];
        thread.mask.is_some() || thread.per_cpu()
    }

    /// Does this excuse keep the thread from the idle CPU?
    fn excused(&self, excuse: usize, utid: Utid, cpu: usize) -> bool {
        let thread = &self.known.threads[utid];
        let outside = |set: Option<Cpus>| set.is_some_and(|set| set >> cpu & 1 == 0);
        match excuse {
            0 => thread.per_cpu(),
            1 => thread.disabled,
            2 => outside(thread.cpuset),
            3 => outside(thread.mask),
            4 => thread.throttled,
            5 => self.known.machine.isolated >> cpu & 1 == 1,
            6 => self.sibling_has_another_cookie(thread.cookie, cpu),
            _ => self.now < self.known.cpus[cpu].irq_until,
        }
    }

    fn sibling_has_another_cookie(&self, cookie: i64, cpu: usize) -> bool {
        let siblings = Machine::group(&self.known.machine.cores, cpu) & !(1 << cpu);
        cpus_of(siblings).any(|sibling| match self.known.cpus[sibling].runs {
            Runs::Thread(utid) => self.known.threads[utid].cookie != cookie,
            _ => false,
        })
    }

    /// All CPUs, nearest first, seen from the queue on which a thread waits.
    fn nearest(&self, utid: Utid) -> Vec<usize> {
        let State::Waiting { cpu: from, .. } = self.known.threads[utid].state else { return Vec::new() };
        let m = &self.known.machine;
        let node = |cpu: usize| m.nodes.iter().position(|n| n >> cpu & 1 == 1).unwrap_or(0);
        let joined = |groups: &[Cpus], cpu: usize| Machine::group(groups, from) >> cpu & 1 == 1;
        let distance = |cpu: usize| {
            let (a, b) = (node(from), node(cpu));
            let one_hop = m.hops.is_empty() || m.hops.contains(&(a, b)) || m.hops.contains(&(b, a));
            match () {
                () if cpu == from => 0,
                () if joined(&m.cores, cpu) => 1,
                () if joined(if m.llcs.is_empty() { &m.nodes } else { &m.llcs }, cpu) => 2,
                () if a == b => 3,
                () if one_hop => 4,
                () => 5,
            }
        };
        let mut cpus: Vec<usize> = (0..m.cpus).collect();
        cpus.sort_by_key(|&cpu| (distance(cpu), cpu));
        cpus
    }
}
