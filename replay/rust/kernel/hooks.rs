//! The model as a scheduler: what happens at each hook.

use super::bandwidth::PERIOD_TOKEN;
use super::deadline::REPLENISH_TOKEN;
use super::runqueue::Place;
use super::wakeup::{WF_EXEC, WF_FORK};
use super::*;
use crate::program::DeadlineParameters;
use crate::record::DeadlineServer;
use crate::scheduler::{Dequeue, Enqueue, Placement, Scheduler};
use crate::span::Ns;

/// Marks timer tokens of kicks to balance for idle CPUs.
pub(super) const NOHZ_TOKEN: u64 = 1 << 33;

impl Scheduler for Kernel {
    fn release(&self) -> &str {
        self.rules.release
    }

    fn migration_cost_ns(&self) -> Option<i64> {
        Some(if self.faults.has(Fault::CacheHot) { -1 } else { self.rules.migration_cost_ns as i64 })
    }

    fn start(&mut self, e: &mut Engine<'_>) {
        let n = e.topology.len();
        self.rules = self.release.rules(e.online().len());
        self.rqs = vec![Runqueue::new(e.now()); n];
        self.groups = e.groups().iter().map(|g| GroupWeight::new(g.weight)).collect();
        self.quotas = e.groups().iter().map(|g| g.quota.map(|q| Quota::new(q, n))).collect();
        self.build_domains(e);
    }

    fn admit(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        let thread = e.thread(t);
        let mut entity = TaskEntity::new(thread.cpu, thread.group, e.now());
        entity.take_policy(thread.policy, thread.nice);
        (entity.left, entity.first_mask) = (thread.cpu, thread.mask);
        self.groups[thread.group as usize].attach(e.now(), entity.weight);
        if self.entities.len() <= t as usize {
            self.entities.resize_with(t as usize + 1, TaskEntity::default);
        }
        self.entities[t as usize] = entity;
    }

    fn forget(&mut self, _e: &mut Engine<'_>, t: ThreadIx) {
        self.leave_hpc(t);
        // Its bandwidth is free again.
        self.entity_mut(t).dl = None;
    }

    fn admit_deadline(&mut self, e: &Engine<'_>, t: ThreadIx, wants: &DeadlineParameters) -> Result<(), String> {
        self.admit_by_bandwidth(e, t, wants)
    }

    fn activate(&mut self, e: &mut Engine<'_>, t: ThreadIx, cpu: CpuIx, why: Enqueue) {
        self.activate_deadline(e, t, cpu, why);
    }

    fn server(&self, t: ThreadIx) -> Option<DeadlineServer> {
        self.dl(t).copied()
    }

    fn place(&mut self, e: &mut Engine<'_>, t: ThreadIx, why: Placement) -> CpuIx {
        if self.entity(t).place == Place::Delayed {
            let cpu = self.entity(t).cpu;
            if e.may_use(t, cpu) {
                return cpu;
            }
            self.leave_delayed(e, cpu, t);
        }
        let chosen = match why {
            why if self.entity(t).is_deadline() => self.place_deadline(e, t, why),
            _ if self.entity(t).is_rt() => self.place_rt(e, t),
            why if self.entity(t).hpc => self.place_hpc(e, t, why),
            Placement::Wakeup { waker_cpu, waker, sync } => self.place_woken(e, t, waker_cpu, waker, sync),
            Placement::Fork { parent_cpu } => {
                let chosen = self.place_new(e, t, parent_cpu, true);
                e.recorder.placement(e.now(), e.context(), e.thread(t).tid, None, (parent_cpu, chosen), WF_FORK);
                chosen
            }
            Placement::Exec => {
                let from = e.thread(t).cpu;
                let chosen = self.place_new(e, t, from, false);
                e.recorder.placement(e.now(), e.context(), e.thread(t).tid, None, (from, chosen), WF_EXEC);
                chosen
            }
            Placement::Displaced if self.faults.has(Fault::FirstOfMask) => self.first_allowed(e, t),
            Placement::Displaced if self.faults.has(Fault::FirstOfNode) && !e.online().contains(e.thread(t).cpu) => {
                self.first_of_node(e, t)
            }
            Placement::Displaced => self.fallback(e, t),
        };
        if self.sees_allowed(e, t, chosen) { chosen } else { self.fallback(e, t) }
    }

    fn enqueue(&mut self, e: &mut Engine<'_>, t: ThreadIx, cpu: CpuIx, why: Enqueue) {
        self.update_current(e, cpu);
        let now = e.now();
        if why == Enqueue::Changed {
            return self.changed(e, t, cpu);
        }
        if matches!(why, Enqueue::Wakeup | Enqueue::New) {
            self.begin_runnable(now, t);
        }
        if self.entity(t).hpc {
            self.hpc_wakes(e, t, why);
        }
        if self.entity(t).place == Place::Delayed {
            self.requeue_delayed(cpu, t);
        } else {
            self.join(e, cpu, t, why);
        }
        if self.entity(t).place == Place::Queued {
            if self.preempts(cpu, t) && !e.stopping(cpu) {
                e.resched(cpu);
            }
            self.push_dl(e, cpu);
            self.push_rt(e, cpu);
            self.waiter_appeared(e, cpu);
        }
    }

    fn dequeue(&mut self, e: &mut Engine<'_>, t: ThreadIx, cpu: CpuIx, why: Dequeue) {
        self.update_current(e, cpu);
        let now = e.now();
        match why {
            Dequeue::Changed => {
                if self.dl(t).is_some_and(|server| server.throttled) {
                    // The change finds it as its runtime ends: it counts as runnable again.
                    self.count_change(e, cpu, t, 1);
                }
                let (group, weight) = (self.entity(t).group as usize, self.entity(t).weight);
                self.groups[group].runnable(now, weight, false);
                let rq = self.rq_mut(cpu);
                rq.nr_running -= 1;
                self.entity_mut(t).update(now, 1024);
                self.rq_mut(cpu).nr_idle_policy -= u32::from(self.entity(t).idle_policy);
                self.leave_hpc(t);
            }
            Dequeue::Sleep | Dequeue::Exit => {
                self.end_runnable(e, cpu, t);
                let late = self.rules.delayed_dequeue && why == Dequeue::Sleep && self.may_delay(cpu, t);
                self.stop_current(e, cpu);
                if late {
                    self.entity_mut(t).place = Place::Delayed;
                    let rq = self.rq_mut(cpu);
                    rq.fair.push(t);
                    rq.nr_delayed += 1;
                } else {
                    self.leave(e, cpu, t, true);
                }
                self.leave_deadline_job(e, t);
            }
            Dequeue::Moved => {
                self.leave(e, cpu, t, false);
            }
        }
    }

    fn put_prev(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        self.update_current(e, cpu);
        let ran = e.thread(t).run_ns - self.entity(t).picked_at;
        self.stop_current(e, cpu);
        if self.entity(t).is_deadline() {
            return self.requeue_deadline(e, cpu, t);
        }
        if self.entity(t).is_rt() {
            self.requeue_rt(cpu, t, ran);
            self.entity_mut(t).place = Place::Queued;
            return;
        }
        if self.entity(t).hpc {
            self.requeue_hpc(cpu, t, ran);
            return;
        }
        let rq = self.rq_mut(cpu);
        rq.orders += 1;
        let order = rq.orders;
        let entity = self.entity_mut(t);
        (entity.order, entity.place, entity.protected) = (order, Place::Queued, false);
        if self.lacks_quota(e, cpu, t) {
            self.displace_entity(cpu, t, false);
            self.count_change(e, cpu, t, -1);
            self.throttle_thread(e, cpu, t);
            return;
        }
        self.rq_mut(cpu).fair.push(t);
    }

    fn pick_next(&mut self, e: &mut Engine<'_>, cpu: CpuIx) -> Option<ThreadIx> {
        self.pull_dl(e, cpu);
        if let Some(t) = self.pick_deadline(cpu) {
            self.start_current(e, cpu, t);
            return Some(t);
        }
        if self.rt_waiting > 0 && self.rq(cpu).rt.is_empty() {
            self.pull_rt(e, cpu);
        }
        let t = match self.pick_rt(cpu).or_else(|| self.pick_hpc(cpu)) {
            Some(t) => t,
            None => {
                let t = self.pick_fair(e, cpu)?;
                self.rq_mut(cpu).fair.retain(|&o| o != t);
                t
            }
        };
        self.start_current(e, cpu, t);
        Some(t)
    }

    fn switched(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        self.push_dl(e, cpu);
        // What a deadline thread preempts waits as well.
        if self.rq(cpu).current.is_some_and(|t| self.entity(t).is_deadline()) {
            self.waiter_appeared(e, cpu);
        }
    }

    fn idle_entry(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        self.rq_mut(cpu).idle_stamp = Some(e.now());
        self.balance_hpc(e, cpu);
        self.newidle(e, cpu);
        if self.rq(cpu).count() > 0 {
            self.rq_mut(cpu).idle_stamp = None;
        } else {
            self.update_next_balance(e, cpu);
        }
    }

    /// Keeps the length of idle times (kernel: ttwu_do_activate, update_avg).
    fn idle_exit(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        let now = e.now();
        let rq = self.rq_mut(cpu);
        if let Some(since) = rq.idle_stamp.take() {
            let length = (now - since) as i64;
            rq.avg_idle = (rq.avg_idle + (length - rq.avg_idle) / 8).min(2_000_000);
        }
    }

    fn tick(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        let now = e.now();
        let up = self.update_current(e, cpu);
        if let Some(t) = self.rq(cpu).current {
            let capacity = u64::from(e.topology.cpu(cpu).capacity);
            self.entity_mut(t).update(now, capacity);
            self.weigh(now, t);
            let round = self.rr_slice_over(e, cpu, t) || self.hpc_slice_over(e, cpu, t);
            if up || round || (!self.rules.eevdf && self.cfs_slice_over(e, cpu)) {
                e.resched(cpu);
            }
        }
        self.balance_hpc(e, cpu);
        self.balance_tick(e, cpu);
    }

    fn timer(&mut self, e: &mut Engine<'_>, cpu: CpuIx, token: u64) {
        if token & REPLENISH_TOKEN != 0 {
            self.replenish_due(e, (token & 0xffff_ffff) as ThreadIx);
        } else if token & PERIOD_TOKEN != 0 {
            self.period(e, (token & 0xffff_ffff) as usize);
        } else if token & NOHZ_TOKEN != 0 {
            self.nohz_balance(e, cpu);
        }
    }

    fn irq_end(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        // The softirq that ends interrupt work looks for work as the idle loop does.
        if self.is_idle(e, cpu) {
            self.newidle(e, cpu);
            if self.rq(cpu).count() > 0 {
                e.resched(cpu);
            }
        }
    }

    fn yield_task(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        self.update_current(e, cpu);
        if self.entity(t).is_rt() {
            return;
        }
        if self.entity(t).is_deadline() {
            return self.yield_runtime(e, cpu, t);
        }
        if self.entity(t).hpc {
            return self.end_hpc_turn(e, t);
        }
        let slice = (self.rules.slice_ns * weights::NICE_0 / self.entity(t).effective.max(1)) as i64;
        self.entity_mut(t).protected = false;
        if self.rules.eevdf {
            // Not before its next slice (kernel: yield_task_fair).
            self.entity_mut(t).deadline += slice;
        } else {
            // Behind all others for one pick (skip buddy).
            let last = self.rq(cpu).fair.iter().map(|&o| self.entity(o).vruntime).max();
            if let Some(last) = last {
                let entity = self.entity_mut(t);
                entity.vruntime = entity.vruntime.max(last.min(entity.vruntime + slice));
            }
        }
    }

    fn run_stopper(&mut self, e: &mut Engine<'_>, cpu: CpuIx, _token: u64) {
        self.active_balance(e, cpu);
    }

    fn mask_changed(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        if (t as usize) < self.entities.len() && self.entity(t).is_deadline() && self.entity(t).place == Place::Queued {
            let cpu = self.entity(t).cpu;
            self.push_dl(e, cpu);
        }
        if !self.faults.has(Fault::StaleMask) || t as usize >= self.entities.len() {
            return;
        }
        // What the balancer goes on to see: the first mask, as long as that leaves any CPU.
        let new = e.thread(t).mask;
        let seen = self.entity(t).stale_mask.unwrap_or(self.entity(t).first_mask);
        let usable = e.masks.get(seen).intersection(e.masks.get(new)).intersection(e.online());
        self.entity_mut(t).stale_mask = if usable.is_empty() { None } else { Some(seen) };
    }

    fn hotplug(&mut self, e: &mut Engine<'_>, cpu: CpuIx, online: bool) {
        self.rebuilt |= online;
        let now = e.now();
        let asleep: Vec<ThreadIx> =
            self.rq(cpu).fair.iter().copied().filter(|&t| self.entity(t).place == Place::Delayed).collect();
        for t in asleep {
            self.leave_delayed(e, cpu, t);
        }
        if online {
            let rq = self.rq_mut(cpu);
            (rq.next_balance, rq.idle_stamp) = (now, Some(now));
        }
        self.build_domains(e);
    }
}

impl Kernel {
    /// The number of runnable threads of a queue changes.
    pub(super) fn count_change(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx, delta: i16) {
        let idle_policy = u32::from(self.entity(t).idle_policy);
        let rq = self.rq_mut(cpu);
        if delta > 0 {
            rq.nr_running += 1;
            rq.nr_idle_policy += idle_policy;
        } else {
            rq.nr_running -= 1;
            rq.nr_idle_policy -= idle_policy;
        }
        let n = rq.nr_running;
        e.count(cpu, n, delta);
    }

    /// A thread comes onto a queue, or waits for quota there.
    pub(super) fn join(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx, why: Enqueue) {
        let now = e.now();
        self.weigh(now, t);
        let rq = self.rq_mut(cpu);
        rq.orders += 1;
        let order = rq.orders;
        let entity = self.entity_mut(t);
        (entity.cpu, entity.order) = (cpu, order);
        entity.accounted = e.thread(t).run_ns;
        if entity.is_deadline() {
            if self.dl(t).is_some_and(|server| server.throttled) {
                self.entity_mut(t).place = Place::Throttled;
                return;
            }
            self.queue_by_deadline(cpu, t);
            return self.count_change(e, cpu, t, 1);
        }
        if entity.is_rt() {
            entity.place = Place::Queued;
            self.rq_mut(cpu).rt.push(t);
            self.rt_waiting += 1;
            return self.count_change(e, cpu, t, 1);
        }
        if self.entity(t).hpc {
            self.entity_mut(t).place = Place::Queued;
            self.rq_mut(cpu).hpc.push(t);
            return self.count_change(e, cpu, t, 1);
        }
        self.place_entity(cpu, t, why);
        if self.lacks_quota(e, cpu, t) {
            self.displace_entity(cpu, t, false);
            return self.throttle_thread(e, cpu, t);
        }
        self.entity_mut(t).place = Place::Queued;
        self.rq_mut(cpu).fair.push(t);
        self.count_change(e, cpu, t, 1);
    }

    /// A thread leaves the queue on which it is, or has just stopped being current.
    pub(super) fn leave(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx, sleeps: bool) {
        if let Some(server) = self.dl(t) {
            let is_counted = !server.throttled;
            self.unqueue_by_deadline(cpu, t);
            let entity = self.entity_mut(t);
            (entity.place, entity.left) = (Place::Off, cpu);
            if is_counted {
                self.count_change(e, cpu, t, -1);
            }
            return;
        }
        if self.entity(t).place == Place::Throttled {
            return self.leave_throttled(e, cpu, t);
        }
        if self.entity(t).is_rt() {
            let rt = &mut self.rq_mut(cpu).rt;
            let before = rt.len();
            rt.retain(|&o| o != t);
            self.rt_waiting -= (before - self.rq(cpu).rt.len()) as u32;
        } else if self.entity(t).hpc {
            self.rq_mut(cpu).hpc.retain(|&o| o != t);
        } else {
            let queued = self.entity(t).place == Place::Queued;
            if !queued {
                // The lag counts as long as it is part of the queue.
                self.rq_mut(cpu).fair.push(t);
            }
            self.displace_entity(cpu, t, sleeps);
            self.rq_mut(cpu).fair.retain(|&o| o != t);
        }
        let entity = self.entity_mut(t);
        (entity.place, entity.left) = (Place::Off, cpu);
        self.count_change(e, cpu, t, -1);
    }

    /// The weight that a thread's group leaves it now.
    pub(super) fn weigh(&mut self, now: Ns, t: ThreadIx) {
        let (group, weight) = (self.entity(t).group as usize, self.entity(t).weight);
        let effective = self.groups[group].leaves(now, weight);
        self.entity_mut(t).effective = effective;
    }

    fn begin_runnable(&mut self, now: Ns, t: ThreadIx) {
        let entity = self.entity_mut(t);
        entity.update(now, 1024);
        entity.was.0 = true;
        let (group, weight) = (entity.group as usize, entity.weight);
        self.groups[group].runnable(now, weight, true);
    }

    fn end_runnable(&mut self, e: &Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        let capacity = u64::from(e.topology.cpu(cpu).capacity);
        let now = e.now();
        let entity = self.entity_mut(t);
        entity.update(now, capacity);
        entity.was = (false, false);
        let (group, weight) = (entity.group as usize, entity.weight);
        self.groups[group].runnable(now, weight, false);
    }

    fn changed(&mut self, e: &mut Engine<'_>, t: ThreadIx, cpu: CpuIx) {
        let (policy, nice, now) = (e.thread(t).policy, e.thread(t).nice, e.now());
        let min = self.rq(cpu).min_vruntime;
        let entity = self.entity_mut(t);
        let was_fair = entity.is_fair();
        entity.take_policy(policy, nice);
        entity.accounted = e.thread(t).run_ns;
        if !was_fair && entity.is_fair() {
            (entity.vruntime, entity.deadline) = (min, min);
        }
        let (group, weight, idle) = (entity.group as usize, entity.weight, entity.idle_policy);
        self.start_server(e, t);
        if self.entity(t).hpc {
            self.hpc_wakes(e, t, Enqueue::Changed);
        }
        self.groups[group].runnable(now, weight, true);
        self.weigh(now, t);
        let rq = self.rq_mut(cpu);
        rq.nr_running += 1;
        rq.nr_idle_policy += u32::from(idle);
        self.set_running(e, cpu);
        e.resched(cpu);
    }

    fn start_current(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        let (now, run) = (e.now(), e.thread(t).run_ns);
        let capacity = u64::from(e.topology.cpu(cpu).capacity);
        let entity = self.entity_mut(t);
        entity.update(now, capacity);
        entity.was = (true, true);
        (entity.place, entity.picked_at, entity.accounted, entity.protected) = (Place::Current, run, run, true);
        self.rq_mut(cpu).current = Some(t);
        self.set_running(e, cpu);
    }

    fn stop_current(&mut self, e: &Engine<'_>, cpu: CpuIx) {
        let now = e.now();
        let capacity = u64::from(e.topology.cpu(cpu).capacity);
        if let Some(t) = self.rq_mut(cpu).current.take() {
            let entity = self.entity_mut(t);
            entity.update(now, capacity);
            entity.was.1 = false;
        }
        self.set_running(e, cpu);
    }

    /// Keeps the CPU's shares of fair and real-time work.
    fn set_running(&mut self, e: &Engine<'_>, cpu: CpuIx) {
        let (now, capacity) = (e.now(), u64::from(e.topology.cpu(cpu).capacity));
        // A class above the fair one takes time from it as real time does.
        let kind = self.rq(cpu).current.map(|t| !self.entity(t).is_fair());
        let rq = self.rq_mut(cpu);
        rq.util.update(now, if rq.running.0 { capacity } else { 0 });
        rq.rt_util.update(now, if rq.running.1 { 1024 } else { 0 });
        rq.running = (kind == Some(false), kind == Some(true));
    }

    /// EEVDF: a thread that is ahead of its share stays queued when it sleeps (kernel: dequeue_entity, DELAY_DEQUEUE).
    fn may_delay(&self, cpu: CpuIx, t: ThreadIx) -> bool {
        let entity = self.entity(t);
        entity.is_fair() && !entity.idle_policy && !self.rq(cpu).fair.is_empty() && self.is_ahead(cpu, t)
    }

    /// A delayed thread wakes where it is (kernel: requeue_delayed_entity).
    fn requeue_delayed(&mut self, cpu: CpuIx, t: ThreadIx) {
        let rq = self.rq_mut(cpu);
        rq.nr_delayed -= 1;
        let ahead = self.is_ahead(cpu, t);
        let slice = (self.rules.slice_ns * weights::NICE_0 / self.entity(t).effective.max(1)) as i64;
        if !ahead {
            // What it gained by waiting on the queue is taken back.
            self.rq_mut(cpu).fair.retain(|&o| o != t);
            self.entity_mut(t).lag = 0;
            self.place_entity(cpu, t, Enqueue::Wakeup);
            self.rq_mut(cpu).fair.push(t);
        }
        let entity = self.entity_mut(t);
        entity.place = Place::Queued;
        entity.deadline = entity.deadline.max(entity.vruntime + slice);
    }
}
