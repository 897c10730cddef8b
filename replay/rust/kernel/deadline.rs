//! The deadline class: global EDF among constant bandwidth servers (kernel/sched/deadline.c of 6.12: update_dl_entity,
//! replenish_dl_entity, update_curr_dl, dl_task_timer, dl_check_constrained_dl, select_task_rq_dl, find_later_rq, push_dl_task,
//! pull_dl_task, __dl_overflow). Simplifications: the latest deadline is looked for among the CPUs that a
//! thread may use, not with cpudl; all that wait are pushed; a CPU pulls whenever it reschedules, and the most urgent of all queues; no proxy
//! execution, inheritance, bandwidth reclaiming and fair servers.

use super::deadline_server::{BW_SHIFT, ratio};
use super::runqueue::Place;
use super::*;
use crate::engine::State;
use crate::masks::CpuMask;
use crate::program::DeadlineParameters;
use crate::record::{DeadlineServer, Path};
use crate::scheduler::{Enqueue, Placement};
use crate::span::Ns;

/// Marks timer tokens of replenishments; the thread is in the lower bits.
pub(super) const REPLENISH_TOKEN: u64 = 1 << 34;

/// Bits of a CPU's capacity (kernel: SCHED_CAPACITY_SHIFT).
const CAPACITY_SHIFT: u32 = 10;

impl Kernel {
    /// A deadline thread's server.
    pub(super) fn dl(&self, t: ThreadIx) -> Option<&DeadlineServer> {
        self.entity(t).dl.as_ref().map(|dl| &dl.server)
    }

    fn dl_mut(&mut self, t: ThreadIx) -> Option<&mut DeadlineServer> {
        self.entity_mut(t).dl.as_mut().map(|dl| &mut dl.server)
    }

    /// A thread's deadline where it is of the class and has runtime: the earlier, the more urgent.
    fn until(&self, t: ThreadIx) -> Option<Ns> {
        self.dl(t).filter(|server| !server.throttled).map(|server| server.until)
    }

    /// The deadline of what a CPU runs; None for another class.
    fn current_until(&self, cpu: CpuIx) -> Option<Ns> {
        self.rq(cpu).current.and_then(|t| self.until(t))
    }

    /// The earliest deadline of a CPU; None: it has no deadline thread.
    fn earliest(&self, cpu: CpuIx) -> Option<Ns> {
        let queued = self.rq(cpu).dl.first().and_then(|&t| self.until(t));
        [queued, self.current_until(cpu)].into_iter().flatten().min()
    }

    /// True for a CPU that runs, or is about to run, a deadline thread.
    pub(super) fn has_deadline_thread(&self, cpu: CpuIx) -> bool {
        self.earliest(cpu).is_some()
    }

    /// Whether a queued thread should replace the current one; None where neither is of the class.
    pub(super) fn preempts_by_deadline(&self, new: ThreadIx, current: ThreadIx) -> Option<bool> {
        match (self.until(new), self.until(current)) {
            // A current thread without runtime leaves its CPU anyway.
            (None, None) if self.dl(current).is_some() => Some(true),
            (None, None) => None,
            (new, old) => Some(new.is_some_and(|new| old.is_none_or(|old| new < old))),
        }
    }

    // ---- servers ------------------------------------------------------------------------------------------------

    /// The server of a thread that wakes, or is new, gets its deadline; or waits for its next period.
    pub(super) fn activate_deadline(&mut self, e: &mut Engine<'_>, t: ThreadIx, cpu: CpuIx, why: Enqueue) {
        let now = e.now();
        let Some(server) = self.dl_mut(t) else { return };
        // It woke after its deadline and before its next period (kernel: dl_check_constrained_dl).
        let is_early = server.until != 0 && server.until < now && now < server.next_period();
        if !server.throttled && server.is_constrained() && is_early {
            server.left = server.left.min(0);
            server.throttled = true;
            self.start_replenish_timer(e, cpu, t);
        }
        let Some(server) = self.dl_mut(t) else { return };
        let (released, deadline_ns) = match server.throttled {
            true => (server.next_period().max(now), server.deadline_ns),
            false => {
                server.wake(now);
                (now, server.deadline_ns)
            }
        };
        // The work of a new thread, and what follows a wait for a device, is of no job that starts here.
        let was_blocked = self.entity_mut(t).dl.as_mut().is_some_and(|dl| std::mem::take(&mut dl.is_blocked));
        if why == Enqueue::Wakeup && !was_blocked {
            e.release_job(t, released + deadline_ns);
        }
    }

    /// A thread sleeps or exits, which ends its job; or waits for a device, which does not.
    pub(super) fn leave_deadline_job(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        let is_blocked = e.thread(t).state == State::Blocked;
        let Some(dl) = &mut self.entity_mut(t).dl else { return };
        dl.is_blocked = is_blocked;
        if !is_blocked {
            e.end_job(t);
        }
    }

    /// A thread has got the policy, or other parameters, while it runs (kernel: enqueue_dl_entity, ENQUEUE_RESTORE).
    pub(super) fn start_server(&mut self, e: &Engine<'_>, t: ThreadIx) {
        let now = e.now();
        let Some(dl) = &mut self.entity_mut(t).dl else { return };
        dl.timer = None;
        if dl.server.throttled {
            dl.server.replenish(now);
        } else if dl.server.until < now || dl.server.until == 0 {
            dl.server.start_period(now);
        }
    }

    /// Charges a deadline thread for what it ran, on a small CPU less (kernel: update_curr_dl, dl_scaled_delta_exec).
    pub(super) fn spend_runtime(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx, ns: Ns) {
        let capacity = u64::from(e.topology.cpu(cpu).capacity);
        let Some(server) = self.dl_mut(t).filter(|server| !server.throttled) else { return };
        server.left -= (ns * capacity / 1024) as i64;
        if server.left <= 0 {
            self.throttle_server(e, cpu, t);
        }
    }

    /// A thread gives up what is left of its runtime.
    pub(super) fn yield_runtime(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        let Some(server) = self.dl_mut(t).filter(|server| !server.throttled) else { return };
        server.yielded = true;
        self.throttle_server(e, cpu, t);
    }

    /// The current thread of a CPU has no runtime: until its next period; at once where that has begun.
    fn throttle_server(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        if let Some(server) = self.dl_mut(t) {
            server.throttled = true;
        }
        self.count_change(e, cpu, t, -1);
        if !self.start_replenish_timer(e, cpu, t) {
            self.replenish(e, cpu, t);
            self.count_change(e, cpu, t, 1);
        }
        e.resched(cpu);
    }

    /// False where the next period began a microsecond ago or longer (kernel: start_dl_timer).
    fn start_replenish_timer(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) -> bool {
        let Some(dl) = &mut self.entity_mut(t).dl else { return false };
        let at = dl.server.next_period();
        if (at as i64 - e.now() as i64) / 1000 < 0 {
            return false;
        }
        if dl.timer.is_none_or(|timer| timer < e.now()) {
            let at = at.max(e.now());
            dl.timer = Some(at);
            e.timer(at, cpu, REPLENISH_TOKEN | u64::from(t));
        }
        true
    }

    fn replenish(&mut self, e: &Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        if let Some(server) = self.dl_mut(t) {
            server.replenish(e.now());
        }
        // Among equal deadlines it is the last from now on.
        let rq = self.rq_mut(cpu);
        rq.orders += 1;
        self.entity_mut(t).order = self.rq(cpu).orders;
    }

    /// A server gets its runtime again (kernel: dl_task_timer).
    pub(super) fn replenish_due(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        let now = e.now();
        let Some(dl) = self.entities.get_mut(t as usize).and_then(|entity| entity.dl.as_mut()) else { return };
        if dl.timer != Some(now) {
            return;
        }
        dl.timer = None;
        if !dl.server.throttled {
            return;
        }
        let (cpu, place, was_yielded) =
            (self.entity(t).cpu, self.entity(t).place, self.dl(t).is_some_and(|s| s.yielded));
        self.update_current(e, cpu);
        self.replenish(e, cpu, t);
        match place {
            Place::Current => self.count_change(e, cpu, t, 1),
            Place::Throttled => {
                if was_yielded {
                    let deadline = self.dl(t).map_or(0, |server| server.deadline_ns);
                    e.release_job(t, now + deadline);
                }
                self.entity_mut(t).place = Place::Off;
                self.join(e, cpu, t, Enqueue::Wakeup);
                if self.preempts(cpu, t) && !e.stopping(cpu) {
                    e.resched(cpu);
                }
                self.push_dl(e, cpu);
                self.waiter_appeared(e, cpu);
            }
            // Asleep: it is queued when it wakes.
            Place::Off | Place::Queued | Place::Delayed => {}
        }
    }

    // ---- queues -------------------------------------------------------------------------------------------------

    /// Puts a thread into the order of deadlines; among equal ones in the order in which they got these.
    pub(super) fn queue_by_deadline(&mut self, cpu: CpuIx, t: ThreadIx) {
        let key = |k: &Self, t: ThreadIx| (k.dl(t).map_or(Ns::MAX, |server| server.until), k.entity(t).order);
        let own = key(self, t);
        let at = self.rq(cpu).dl.partition_point(|&other| key(self, other) < own);
        self.rq_mut(cpu).dl.insert(at, t);
        self.entity_mut(t).place = Place::Queued;
        self.dl_waiting += 1;
    }

    pub(super) fn unqueue_by_deadline(&mut self, cpu: CpuIx, t: ThreadIx) {
        let queue = &mut self.rq_mut(cpu).dl;
        let before = queue.len();
        queue.retain(|&other| other != t);
        self.dl_waiting -= (before - self.rq(cpu).dl.len()) as u32;
    }

    /// A thread that ran is put back, or is off its queue until its next period.
    pub(super) fn requeue_deadline(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        match self.dl(t) {
            Some(server) if server.throttled => {
                if server.yielded {
                    e.end_job(t);
                }
                self.entity_mut(t).place = Place::Throttled;
            }
            _ => self.queue_by_deadline(cpu, t),
        }
    }

    pub(super) fn pick_deadline(&mut self, cpu: CpuIx) -> Option<ThreadIx> {
        let queue = &mut self.rq_mut(cpu).dl;
        if queue.is_empty() {
            return None;
        }
        let t = queue.remove(0);
        self.dl_waiting -= 1;
        Some(t)
    }

    // ---- CPUs ---------------------------------------------------------------------------------------------------

    /// A woken thread stays where it was, unless that CPU runs an earlier deadline, or one that cannot leave it. Its own deadline
    /// is still the one before.
    pub(super) fn place_deadline(&mut self, e: &Engine<'_>, t: ThreadIx, why: Placement) -> CpuIx {
        let last = e.last_usable(t, why);
        match why {
            Placement::Wakeup { .. } => {
                let is_kept =
                    |current| !self.may_leave(e, current) || self.preempts_by_deadline(t, current) != Some(true);
                let current = self.rq(last).current.filter(|&current| self.until(current).is_some());
                let is_small = self.domains.asymmetric && !self.fits_capacity(e, t, last);
                if is_small || current.is_some_and(is_kept) && self.may_leave(e, t) {
                    return self.find_later(e, t, last).unwrap_or(last);
                }
                last
            }
            Placement::Fork { .. } | Placement::Exec => last,
            Placement::Displaced => self.find_later(e, t, last).unwrap_or_else(|| self.fallback(e, t)),
        }
    }

    fn may_leave(&self, e: &Engine<'_>, t: ThreadIx) -> bool {
        e.allowed(t).len() > 1
    }

    /// The CPU gives the thread its runtime in time (kernel: dl_task_fits_capacity).
    fn fits_capacity(&self, e: &Engine<'_>, t: ThreadIx, cpu: CpuIx) -> bool {
        let capacity = u64::from(e.topology.cpu(cpu).capacity);
        self.dl(t).is_none_or(|server| server.deadline_ns * capacity / 1024 >= server.runtime_ns)
    }

    /// A CPU of the root domain without a deadline thread, the nearest to where the thread was; else the one of the latest
    /// deadline, if that is later than its own (kernel: cpudl_find, find_later_rq).
    fn find_later(&mut self, e: &Engine<'_>, t: ThreadIx, from: CpuIx) -> Option<CpuIx> {
        let root = self.root_domain(from);
        let usable: Vec<CpuIx> = root.iter().filter(|&c| self.sees_allowed(e, t, c)).collect();
        let mut free: Vec<CpuIx> = usable.iter().copied().filter(|&c| self.earliest(c).is_none()).collect();
        if self.domains.asymmetric && !free.is_empty() {
            let largest = free.iter().map(|&c| e.topology.cpu(c).capacity).max();
            let fits = |&c: &CpuIx| self.fits_capacity(e, t, c);
            if free.iter().any(fits) {
                free.retain(fits);
            } else {
                free.retain(|&c| Some(e.topology.cpu(c).capacity) == largest);
            }
        }
        if !free.is_empty() {
            // Equally near ones in turn (kernel: cpumask_any_and_distribute), but the waker's own first.
            let (n, last, this) = (self.rqs.len(), usize::from(self.dl_chosen), e.context());
            let turn = |c: CpuIx| (usize::from(c) + n - 1 - last % n) % n;
            let key = |c: CpuIx| (c != from, e.topology.distance(from, c), c != this, turn(c));
            let chosen = free.into_iter().min_by_key(|&c| key(c))?;
            self.dl_chosen = chosen;
            return Some(chosen);
        }
        let own = self.dl(t)?.until;
        let latest = usable.into_iter().filter_map(|c| Some((self.earliest(c)?, std::cmp::Reverse(c)))).max()?;
        (latest.0 > own).then_some(latest.1.0)
    }

    /// Threads that wait on a CPU go where they run.
    pub(super) fn push_dl(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        if self.rq(cpu).dl.is_empty() || self.faults.has(Fault::DlNoPush) {
            return;
        }
        for (at, t) in self.rq(cpu).dl.clone().into_iter().enumerate() {
            // The most urgent of them is about to run here, unless what runs can go nowhere else.
            let current = self.rq(cpu).current.filter(|&current| self.until(current).is_some());
            let is_next = match current {
                Some(current) => self.until(t) < self.until(current) && self.may_leave(e, current),
                None => true,
            };
            if at == 0 && is_next || !self.may_leave(e, t) {
                continue;
            }
            if let Some(to) = self.find_later(e, t, cpu).filter(|&to| to != cpu) {
                self.move_waiting(e, t, cpu, to, Path::DlPush);
            }
        }
    }

    /// A CPU that chooses what to run takes the thread with the earliest deadline that waits elsewhere, if that is earlier than all of
    /// its own.
    pub(super) fn pull_dl(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        if self.dl_waiting == 0 || self.faults.has(Fault::DlNoPull) {
            return;
        }
        let mut best: Option<(Ns, ThreadIx, CpuIx)> = None;
        let mut earliest = self.earliest(cpu).unwrap_or(Ns::MAX);
        for from in self.root_domain(cpu).iter().filter(|&c| c != cpu) {
            let current = self.current_until(from);
            for (at, &t) in self.rq(from).dl.iter().enumerate() {
                let Some(until) = self.until(t).filter(|&until| until < earliest) else { break };
                let is_next = at == 0 && current.is_none_or(|current| until < current);
                if !is_next && self.sees_allowed(e, t, cpu) {
                    (best, earliest) = (Some((until, t, from)), until);
                    break;
                }
            }
        }
        if let Some((_, t, from)) = best {
            self.move_waiting(e, t, from, cpu, Path::DlPull);
        }
    }

    // ---- admission ----------------------------------------------------------------------------------------------

    /// The CPUs among which a CPU's deadline threads move: those that its scheduling domains join, itself alone where none does.
    pub(super) fn root_domain(&self, cpu: CpuIx) -> std::rc::Rc<CpuMask> {
        std::rc::Rc::clone(&self.roots[cpu as usize])
    }

    /// What the deadline threads of a root domain may have of each of its CPUs; None: no bound.
    fn bound(e: &Engine<'_>) -> Option<(i64, i64)> {
        let machine = e.topology.machine();
        let (runtime, period) = (machine.rt_runtime_us?, machine.rt_period_us?);
        (runtime >= 0 && period > 0).then_some((runtime, period))
    }

    /// Admits a thread where its root domain has the bandwidth left (kernel: __sched_setscheduler, __dl_overflow).
    pub(super) fn admit_by_bandwidth(
        &self,
        e: &Engine<'_>,
        t: ThreadIx,
        wants: &DeadlineParameters,
    ) -> Result<(), String> {
        let Some((runtime_us, period_us)) = Self::bound(e) else { return Ok(()) };
        let cpu = e.last_usable(t, Placement::Exec);
        let root = self.root_domain(cpu);
        let numbers = |cpus: &CpuMask| {
            cpus.iter().map(|c| e.topology.cpu(c).cpu).collect::<wastenot_topology::CpuSet>().to_string()
        };
        if root.iter().any(|c| !e.allowed(t).contains(c)) {
            return Err(format!(
                "it may not use all CPUs of its root domain, {} (sched_setattr: EPERM); leave out `cpus`, make `partitions`, or \
                 switch admission off (rt_runtime_us = -1)",
                numbers(&root)
            ));
        }
        let others = (0..self.entities.len() as ThreadIx).filter(|&o| o != t && root.contains(self.entity(o).cpu));
        let taken: u64 = others.filter_map(|o| self.dl(o)).map(|s| ratio(s.period_ns, s.runtime_ns)).sum();
        let own = ratio(wants.period_ns(), wants.runtime.0);
        let capacity: u64 = root.iter().map(|c| u64::from(e.topology.cpu(c).capacity)).sum();
        let most = (ratio(period_us as Ns, runtime_us as Ns) * capacity) >> CAPACITY_SHIFT;
        if taken + own <= most {
            return Ok(());
        }
        let cpus = |bandwidth: u64| bandwidth as f64 / f64::from(1 << BW_SHIFT);
        Err(format!(
            "it needs {:.3} of a CPU, and of the {:.3} that deadline threads may have on CPUs {} {:.3} are taken (sched_setattr: \
             EBUSY); fewer threads, longer periods, or rt_runtime_us = -1",
            cpus(own),
            cpus(most),
            numbers(&root),
            cpus(taken)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(runtime_ns: Ns, deadline_ns: Ns, period_ns: Ns) -> DeadlineServer {
        DeadlineServer { runtime_ns, deadline_ns, period_ns, ..DeadlineServer::default() }
    }

    const MS: Ns = 1_000_000;

    #[test]
    fn a_wakeup_keeps_the_deadline_where_what_is_left_is_no_more_than_the_share() {
        let old = DeadlineServer { until: 100 * MS, left: 2 * MS as i64, ..server(4 * MS, 20 * MS, 20 * MS) };
        let woken = |now| {
            let mut server = old;
            server.wake(now);
            (server.until, server.left)
        };
        // 2 of 4 ms are left: no more than the share while 10 ms or more of the 20 are.
        assert_eq!(woken(85 * MS), (100 * MS, 2 * MS as i64));
        assert_eq!(woken(95 * MS), (115 * MS, 4 * MS as i64));
        assert_eq!(woken(101 * MS), (121 * MS, 4 * MS as i64));
        let mut new = server(4 * MS, 20 * MS, 20 * MS);
        new.wake(0);
        assert_eq!((new.until, new.left), (20 * MS, 4 * MS as i64));
    }

    #[test]
    fn a_constrained_thread_that_wakes_with_too_much_left_gets_its_share_of_the_laxity() {
        let mut constrained =
            DeadlineServer { until: 100 * MS, left: 4 * MS as i64, ..server(4 * MS, 10 * MS, 20 * MS) };
        constrained.wake(95 * MS);
        assert_eq!(constrained.until, 100 * MS);
        // 0.4 of 5 ms, rounded down in 2⁻²⁰.
        assert!((1_999_990..=2_000_000).contains(&constrained.left), "{}", constrained.left);
    }

    #[test]
    fn a_replenishment_takes_as_many_periods_as_the_overrun() {
        let over = |left: i64, now| {
            let mut server =
                DeadlineServer { until: 100 * MS, left, throttled: true, ..server(4 * MS, 20 * MS, 20 * MS) };
            server.replenish(now);
            assert!(!server.throttled);
            (server.until / MS, server.left / MS as i64)
        };
        assert_eq!(over(0, 100 * MS), (120, 4));
        assert_eq!(over(-(MS as i64), 100 * MS), (120, 3));
        assert_eq!(over(-9 * MS as i64, 100 * MS), (160, 3));
        assert_eq!(over(0, 130 * MS), (150, 4), "it lagged: a new period");
        let mut yielded = DeadlineServer {
            until: 100 * MS,
            left: 3 * MS as i64,
            throttled: true,
            yielded: true,
            ..server(4 * MS, 20 * MS, 20 * MS)
        };
        yielded.replenish(100 * MS);
        assert_eq!((yielded.until, yielded.left, yielded.yielded), (120 * MS, 4 * MS as i64, false));
    }
}
