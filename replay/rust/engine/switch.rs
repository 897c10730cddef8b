//! Context switches.

use super::*;
use crate::program::Policy;
use crate::scheduler::Enqueue;
use crate::scheduler::Placement;
use crate::span::Ns;

impl<S: Scheduler> Simulation<'_, S> {
    /// Chooses what a CPU runs and switches to it (kernel: __schedule).
    pub(super) fn schedule(&mut self, cpu: CpuIx) {
        let e = &mut self.engine;
        e.context = cpu;
        e.settle(cpu);
        e.cpus[cpu as usize].resched_at = None;
        let prev = e.cpus[cpu as usize].current;
        let stopper = e.cpus[cpu as usize].stopper;
        if let Some(t) = prev
            && t != stopper
            && e.threads[t as usize].state == State::Running
        {
            self.scheduler.put_prev(e, cpu, t);
        }
        let next = self.next(cpu);
        if next == prev {
            self.engine.arm(cpu);
            return self.scheduler.switched(&mut self.engine, cpu);
        }
        // As the kernel's tracepoint sees them: before the state of the thread that comes changes.
        for t in [prev, next].into_iter().flatten() {
            self.record_server(cpu, t, false);
        }
        let e = &mut self.engine;
        if let Some(t) = next {
            e.arrive(cpu, t, stopper);
        }
        e.switch_records(cpu, prev, next);
        e.cpus[cpu as usize].current = next;
        if let Some(t) = next {
            e.keep_priority(cpu, t);
        }
        e.update_idle(cpu, prev.is_none(), next.is_none());
        if !e.code.loads.is_empty() && prev.is_some() && next.is_some() {
            e.settle_siblings(cpu);
        }
        e.settle_co_threads(cpu, [prev, next]);
        if prev.is_none() {
            self.scheduler.idle_exit(&mut self.engine, cpu);
        }
        if let Some(t) = prev {
            self.after_switch(cpu, t);
        }
        match next {
            Some(t) => self.engine.resume(cpu, t),
            None => self.engine.cpus[cpu as usize].generation += 1,
        }
        self.scheduler.switched(&mut self.engine, cpu);
    }

    fn next(&mut self, cpu: CpuIx) -> Option<ThreadIx> {
        let e = &mut self.engine;
        let c = &e.cpus[cpu as usize];
        if !c.stops.is_empty() {
            return Some(c.stopper);
        }
        if !c.online {
            return None;
        }
        if let Some(t) = self.scheduler.pick_next(e, cpu) {
            return Some(t);
        }
        self.scheduler.idle_entry(e, cpu);
        self.scheduler.pick_next(e, cpu)
    }

    /// After a switch: frees the slot of a thread that has ended, marks one that was preempted as queued.
    fn after_switch(&mut self, cpu: CpuIx, t: ThreadIx) {
        let e = &mut self.engine;
        let now = e.now;
        if !matches!(e.threads[t as usize].policy, Policy::Deadline(_)) {
            e.drop_job(t);
        }
        let thread = &mut e.threads[t as usize];
        (thread.last_cpu, thread.last_ran, thread.yielding) = (cpu, now, false);
        match thread.state {
            State::Running => (thread.state, thread.queued_since) = (State::Queued, now),
            State::Dead => {
                self.scheduler.forget(&mut self.engine, t);
                self.engine.free_slot(t);
                let bubble = self.engine.threads[t as usize].bubble.take();
                self.leave_bubble(bubble);
            }
            _ => {}
        }
    }

    /// Takes a queued thread to a CPU that it may use.
    pub(super) fn displace(&mut self, t: ThreadIx, to: Option<CpuIx>, path: Path) {
        use crate::scheduler::Dequeue;
        let e = &mut self.engine;
        let from = e.threads[t as usize].cpu;
        let to = match to {
            Some(cpu) if e.may_use(t, cpu) => cpu,
            _ => self.scheduler.place(e, t, Placement::Displaced),
        };
        if to != from {
            self.scheduler.dequeue(e, t, from, Dequeue::Moved);
            e.move_thread(t, to, path);
            self.scheduler.enqueue(e, t, to, Enqueue::Moved);
        }
    }
}

impl Engine<'_> {
    /// Makes a thread current: adds the cost of the switch and of refilling caches.
    fn arrive(&mut self, cpu: CpuIx, t: ThreadIx, stopper: ThreadIx) {
        if self.threads[t as usize].cpu != cpu {
            self.move_thread(t, cpu, Path::Pick);
        }
        let thread = &self.threads[t as usize];
        let node = self.topology.location(cpu).node;
        let refill = match thread.home {
            _ if t == stopper => self.costs.stop_ns,
            None => 0,
            Some(_) => self.costs.refill_ns(self.topology.distance(thread.last_cpu, cpu)),
        };
        let thread = &mut self.threads[t as usize];
        thread.overhead += self.costs.switch_ns + refill;
        thread.home.get_or_insert(node);
        thread.waited_ns += self.now - thread.queued_since;
        thread.state = State::Running;
    }

    fn switch_records(&mut self, cpu: CpuIx, prev: Option<ThreadIx>, next: Option<ThreadIx>) {
        const SWAPPER: (i32, i16) = (0, 120);
        let prev = prev.map_or((0, task_state::R, SWAPPER.1), |t| {
            let thread = &self.threads[t as usize];
            let preempted = thread.state == State::Running && !thread.yielding;
            let code = if preempted { task_state::R_PREEMPTED } else { Self::state_code(thread.state) };
            (thread.tid, code, thread.prio())
        });
        let next = next.map_or(SWAPPER, |t| (self.threads[t as usize].tid, self.threads[t as usize].prio()));
        self.recorder.switch(self.now, cpu, prev, next);
    }

    /// Keeps the set of idle CPUs, the tick, and the speed of siblings.
    fn update_idle(&mut self, cpu: CpuIx, was_idle: bool, is_idle: bool) {
        if was_idle == is_idle {
            return;
        }
        if is_idle {
            self.idle.insert(cpu);
            self.cpus[cpu as usize].idle_since = self.now;
        } else {
            self.idle.remove(cpu);
            self.start_tick(cpu);
        }
        self.settle_siblings(cpu);
    }

    fn start_tick(&mut self, cpu: CpuIx) {
        if self.cpus[cpu as usize].ticking {
            return;
        }
        self.cpus[cpu as usize].ticking = true;
        let at = self.next_tick(cpu);
        self.queue.push(at, Event::Tick { cpu });
    }

    /// The CPU's next tick after now. Ticks are spread over half a period (kernel: skew_tick), so that no two coincide.
    pub(super) fn next_tick(&self, cpu: CpuIx) -> Ns {
        let skew = self.tick_ns / 2 * Ns::from(cpu) / self.cpus.len() as Ns;
        let periods = (self.now + self.tick_ns - skew) / self.tick_ns;
        periods * self.tick_ns + skew
    }

    /// A thread runs again: one that spins for an object that is not handed over tries again.
    fn resume(&mut self, cpu: CpuIx, t: ThreadIx) {
        let thread = &mut self.threads[t as usize];
        if thread.spinning
            && let Some(thread::WaitFor::Object(object)) = thread.wait
            && !self.shared[object as usize].grants()
        {
            self.shared[object as usize].forget(t);
            (thread.spinning, thread.spin_left, thread.wait, thread.work) = (false, None, None, 0);
        }
        self.cpus[cpu as usize].settled = self.now;
        self.arm(cpu);
    }
}
