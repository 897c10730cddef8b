//! The fair class: which of a CPU's fair threads runs, and for how long.
//!
//! CFS (kernel/sched/fair.c of 4.1: place_entity, check_preempt_tick, wakeup_preempt_entity) and EEVDF (of 6.12: avg_vruntime,
//! entity_eligible, pick_eevdf, place_entity, update_deadline, RUN_TO_PARITY, DELAY_DEQUEUE). Queues are short: they are
//! walked, not sorted.

use super::runqueue::Place;
use super::weights::NICE_0;
use super::*;
use crate::scheduler::Enqueue;
use crate::span::Ns;

impl Kernel {
    /// Virtual time that a thread's run time makes.
    fn virtual_time(&self, t: ThreadIx, ns: Ns) -> i64 {
        (ns * NICE_0 / self.entity(t).effective.max(1)) as i64
    }

    /// The mean virtual runtime of a queue by weight, its current thread included (kernel: avg_vruntime).
    fn mean_vruntime(&self, cpu: CpuIx) -> i64 {
        let rq = self.rq(cpu);
        let (mut weights, mut sum) = (0i64, 0i64);
        let current = rq.current.filter(|&t| self.entity(t).is_fair());
        for &t in rq.fair.iter().chain(current.as_ref()) {
            let entity = self.entity(t);
            let weight = entity.effective as i64;
            weights += weight;
            sum = sum.saturating_add((entity.vruntime - rq.min_vruntime).saturating_mul(weight));
        }
        if weights == 0 { rq.min_vruntime } else { rq.min_vruntime + sum.div_euclid(weights) }
    }

    /// Charges the current thread of a CPU for what it ran (kernel: update_curr). True when its time is up.
    pub(super) fn update_current(&mut self, e: &mut Engine<'_>, cpu: CpuIx) -> bool {
        e.settle(cpu);
        let Some(t) = self.rq(cpu).current else { return false };
        let run = e.thread(t).run_ns;
        let ns = run - self.entity(t).accounted;
        if ns == 0 {
            return false;
        }
        self.entity_mut(t).accounted = run;
        if self.entity(t).is_deadline() {
            self.spend_runtime(e, cpu, t, ns);
        }
        if !self.entity(t).is_fair() {
            return false;
        }
        let passed = self.virtual_time(t, ns);
        let slice = self.virtual_time(t, self.rules.slice_ns);
        let eevdf = self.rules.eevdf;
        let entity = self.entity_mut(t);
        entity.vruntime += passed;
        let mut up = false;
        if eevdf && entity.vruntime >= entity.deadline {
            entity.deadline = entity.vruntime + slice;
            entity.protected = false;
            up = self.rq(cpu).fair.len() > self.rq(cpu).nr_delayed as usize;
        }
        self.advance_min(cpu);
        self.spend_quota(e, cpu, t, ns);
        up
    }

    /// The queue's virtual time follows its smallest, and never goes back.
    fn advance_min(&mut self, cpu: CpuIx) {
        let rq = self.rq(cpu);
        let current = rq.current.filter(|&t| self.entity(t).is_fair());
        let smallest = rq.fair.iter().chain(current.as_ref()).map(|&t| self.entity(t).vruntime).min();
        if let Some(smallest) = smallest {
            let rq = self.rq_mut(cpu);
            rq.min_vruntime = rq.min_vruntime.max(smallest);
        }
    }

    /// Gives a thread its virtual runtime on a queue (kernel: place_entity).
    pub(super) fn place_entity(&mut self, cpu: CpuIx, t: ThreadIx, why: Enqueue) {
        let min = self.rq(cpu).min_vruntime;
        if self.rules.eevdf {
            let mean = self.mean_vruntime(cpu);
            let weights: i64 = {
                let rq = self.rq(cpu);
                let current = rq.current.filter(|&t| self.entity(t).is_fair());
                rq.fair.iter().chain(current.as_ref()).map(|&t| self.entity(t).effective as i64).sum()
            };
            let mut slice = self.virtual_time(t, self.rules.slice_ns);
            let entity = self.entity_mut(t);
            // Queueing it moves the mean: its lag is scaled so that it is the same afterwards.
            let own = entity.effective as i64;
            let lag = if weights > 0 { entity.lag.saturating_mul(weights + own) / weights } else { entity.lag };
            entity.vruntime = mean - lag;
            if why == Enqueue::New {
                slice /= 2;
            }
            entity.deadline = entity.vruntime + slice;
            return;
        }
        let debit = self.virtual_time(t, self.cfs_slice(cpu, t));
        let latency = self.rules.latency_ns as i64;
        let left = self.rq(self.entity(t).left).min_vruntime;
        let entity = self.entity_mut(t);
        match why {
            // A new thread waits for its turn (START_DEBIT).
            Enqueue::New => entity.vruntime = min + debit,
            // One that slept gets half a period in advance (GENTLE_FAIR_SLEEPERS).
            Enqueue::Wakeup => entity.vruntime = (entity.vruntime - left + min).max(min - latency / 2),
            Enqueue::Moved | Enqueue::Changed => entity.vruntime += min,
        }
    }

    /// Keeps a thread's lag when it leaves a queue (kernel: update_entity_lag; vruntime made relative). CFS: one that
    /// `sleeps` keeps its vruntime, and falls behind while others run.
    pub(super) fn displace_entity(&mut self, cpu: CpuIx, t: ThreadIx, sleeps: bool) {
        let min = self.rq(cpu).min_vruntime;
        if self.rules.eevdf {
            let mean = self.mean_vruntime(cpu);
            // At most two slices (or a tick), either way.
            let limit = self.virtual_time(t, (2 * self.rules.slice_ns).max(4_000_000));
            let entity = self.entity_mut(t);
            entity.lag = (mean - entity.vruntime).clamp(-limit, limit);
        } else if !sleeps {
            self.entity_mut(t).vruntime -= min;
        }
    }

    /// True for a thread that has had more than its share: not eligible.
    pub(super) fn is_ahead(&self, cpu: CpuIx, t: ThreadIx) -> bool {
        self.entity(t).vruntime > self.mean_vruntime(cpu)
    }

    /// CFS: the time a thread gets when all of its queue run once (kernel: sched_slice).
    fn cfs_slice(&self, cpu: CpuIx, t: ThreadIx) -> Ns {
        let rq = self.rq(cpu);
        let n = rq.fair.len() as Ns + 1;
        let period = (n * self.rules.slice_ns).max(self.rules.latency_ns);
        let current = rq.current.filter(|&c| c != t && self.entity(c).is_fair());
        let others: u64 =
            rq.fair.iter().chain(current.as_ref()).filter(|&&o| o != t).map(|&o| self.entity(o).effective).sum();
        let own = self.entity(t).effective;
        (period * own / (own + others)).max(1)
    }

    /// The fair thread that should run: of the queue, or the current one. None: only delayed ones (they leave).
    pub(super) fn best_fair(&self, cpu: CpuIx, with_current: bool) -> Option<ThreadIx> {
        let rq = self.rq(cpu);
        let current = rq.current.filter(|&t| with_current && self.entity(t).is_fair());
        let all = rq.fair.iter().copied().chain(current);
        if !self.rules.eevdf {
            return all.min_by_key(|&t| (self.entity(t).vruntime, self.entity(t).order));
        }
        let mean = self.mean_vruntime(cpu);
        let eligible = |t: &ThreadIx| self.entity(*t).vruntime <= mean;
        if let Some(t) = current
            && self.entity(t).protected
            && eligible(&t)
        {
            return Some(t);
        }
        let key = |t: &ThreadIx| (self.entity(*t).deadline, self.entity(*t).order);
        let by_lead = |t: &ThreadIx| (self.entity(*t).vruntime, self.entity(*t).order);
        all.clone().filter(eligible).min_by_key(key).or_else(|| all.min_by_key(by_lead))
    }

    /// True when a thread that was just queued should replace the current one (kernel: check_preempt_wakeup_fair).
    pub(super) fn preempts(&self, cpu: CpuIx, t: ThreadIx) -> bool {
        let Some(current) = self.rq(cpu).current else { return true };
        if let Some(preempts) = self.preempts_by_deadline(t, current) {
            return preempts;
        }
        let (new, old) = (self.entity(t), self.entity(current));
        match (new.rt_prio, old.rt_prio) {
            (Some(new), Some(old)) => return new > old,
            (Some(_), None) => return true,
            (None, Some(_)) => return false,
            (None, None) if new.hpc || old.hpc => return new.hpc && !old.hpc,
            (None, None) => {}
        }
        if old.idle_policy && !new.idle_policy {
            return true;
        }
        if new.batch || new.idle_policy {
            return false;
        }
        if self.rules.eevdf {
            return self.best_fair(cpu, true) == Some(t);
        }
        let lead = old.vruntime - new.vruntime;
        lead > 0 && lead > self.virtual_time(t, self.rules.wakeup_granularity_ns)
    }

    /// CFS: the current thread has had its slice while others wait (kernel: check_preempt_tick).
    pub(super) fn cfs_slice_over(&self, e: &Engine<'_>, cpu: CpuIx) -> bool {
        let rq = self.rq(cpu);
        let Some(t) = rq.current.filter(|&t| self.entity(t).is_fair()) else { return false };
        if rq.fair.is_empty() {
            return false;
        }
        let ran = e.thread(t).run_ns - self.entity(t).picked_at;
        let slice = self.cfs_slice(cpu, t);
        if ran > slice {
            return true;
        }
        let first = rq.fair.iter().map(|&o| self.entity(o).vruntime).min().unwrap_or(i64::MAX);
        ran >= self.rules.slice_ns && self.entity(t).vruntime - first > slice as i64
    }

    /// Picks the fair thread that runs next; delayed ones that would be picked leave the queue.
    pub(super) fn pick_fair(&mut self, e: &mut Engine<'_>, cpu: CpuIx) -> Option<ThreadIx> {
        loop {
            let t = self.best_fair(cpu, false)?;
            if self.entity(t).place != Place::Delayed {
                return Some(t);
            }
            self.leave_delayed(e, cpu, t);
        }
    }

    /// A delayed thread leaves the queue for good. Its lag is used up.
    pub(super) fn leave_delayed(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        self.displace_entity(cpu, t, true);
        let rq = self.rq_mut(cpu);
        rq.fair.retain(|&o| o != t);
        rq.nr_delayed -= 1;
        let entity = self.entity_mut(t);
        entity.place = Place::Off;
        entity.lag = entity.lag.min(0);
        self.count_change(e, cpu, t, -1);
    }
}
