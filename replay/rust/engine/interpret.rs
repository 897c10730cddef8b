//! What threads do: the flat code of a program, step by step, until a step takes time.

use super::objects::ObjectState;
use super::thread::WaitFor;
use super::*;
use crate::program::{Instr, Policy};
use crate::scheduler::{Dequeue, Enqueue, Placement};
use crate::span::US;
use crate::workload::WaitMode;

/// Overhead of steps without a burst that may accumulate before it is run.
const BURN_NS: Ns = 20 * US;
/// Longest burst, so that it can be counted in 1/1024 ns: 104 days.
const LONGEST_RUN: Ns = 1 << 53;
/// Time of an iteration of a loop besides its body, so that the clock advances in every loop.
const LOOP_NS: Ns = 10;
/// Threads alive at a time (kernel: PID_MAX_LIMIT is four times that).
pub(super) const MAX_THREADS: u32 = 1 << 20;

/// What a thread does after a step.
enum StepResult {
    /// The next step.
    Next,
    /// It computes, spins, or burns overhead.
    Runs,
    /// It sleeps or waits.
    Leaves(State),
    /// It gives the CPU up.
    Yields,
}

impl<S: Scheduler> Simulation<'_, S> {
    /// A burst of the CPU's thread is over.
    pub(super) fn burst_over(&mut self, cpu: CpuIx) {
        let e = &mut self.engine;
        e.context = cpu;
        e.settle(cpu);
        let Some(t) = e.cpus[cpu as usize].current else { return };
        if t == e.cpus[cpu as usize].stopper {
            return self.run_stopper(cpu, t);
        }
        let thread = &e.threads[t as usize];
        if thread.spinning && thread.spin_left == Some(0) {
            return self.end_spin(cpu, t);
        }
        if thread.overhead > 0 || thread.work > 0 {
            return e.arm(cpu);
        }
        self.advance(cpu, t);
    }

    fn advance(&mut self, cpu: CpuIx, t: ThreadIx) {
        loop {
            if self.engine.threads[t as usize].overhead >= BURN_NS {
                return self.engine.arm(cpu);
            }
            match self.step(cpu, t) {
                StepResult::Next => {}
                StepResult::Runs => return self.engine.arm(cpu),
                StepResult::Yields => {
                    self.engine.threads[t as usize].yielding = true;
                    self.scheduler.yield_task(&mut self.engine, cpu, t);
                    self.schedule(cpu);
                    // It is still current: it continues after the cost of the yield.
                    if self.engine.cpus[cpu as usize].current == Some(t) {
                        self.engine.threads[t as usize].yielding = false;
                    }
                    return;
                }
                StepResult::Leaves(state) => {
                    let why = if state == State::Dead { Dequeue::Exit } else { Dequeue::Sleep };
                    self.engine.threads[t as usize].state = state;
                    self.scheduler.dequeue(&mut self.engine, t, cpu, why);
                    return self.schedule(cpu);
                }
            }
        }
    }

    /// One step of the current thread of a CPU.
    fn step(&mut self, cpu: CpuIx, t: ThreadIx) -> StepResult {
        let e = &mut self.engine;
        let thread = &mut e.threads[t as usize];
        let at = thread.pc as usize;
        let instr = &e.code.programs[thread.program as usize][at];
        match *instr {
            Instr::Run(span) => {
                thread.pc += 1;
                thread.work = span.draw(&mut thread.random).min(LONGEST_RUN) << 10;
                if thread.work == 0 { StepResult::Next } else { StepResult::Runs }
            }
            Instr::Sleep(span) => {
                thread.pc += 1;
                thread.overhead += e.costs.syscall_ns;
                let (until, life) = (e.now + span.draw(&mut thread.random).max(1), thread.life);
                e.queue.push(until, Event::Wake { thread: t, life });
                StepResult::Leaves(State::Sleeping)
            }
            Instr::Timer(timer) => {
                thread.pc += 1;
                thread.overhead += e.costs.syscall_ns;
                let (until, release) = timer.next(e.now, thread.release, thread.created);
                thread.release = Some(release);
                let Some(until) = until else { return StepResult::Next };
                let life = thread.life;
                e.queue.push(until, Event::Wake { thread: t, life });
                StepResult::Leaves(State::Sleeping)
            }
            Instr::Io { device, latency } => {
                thread.pc += 1;
                thread.overhead += e.costs.syscall_ns;
                let latency = latency.draw(&mut thread.random).max(1);
                thread.wait = Some(WaitFor::Object(device));
                e.request(device, t, latency);
                StepResult::Leaves(State::Blocked)
            }
            Instr::Lock(object) => self.lock(t, object),
            Instr::Unlock(object) => self.unlock(t, object),
            Instr::Barrier(object) => self.barrier(t, object),
            Instr::Write { pipe, items } => self.pipe(t, pipe, items, true),
            Instr::Read { pipe, items } => self.pipe(t, pipe, items, false),
            Instr::Post(object) => self.post(t, object),
            Instr::Wait(object) => self.take(t, object),
            Instr::Fork { program, count, name, threads, bubble } => {
                if thread.forks_left == 0 {
                    thread.forks_left = count;
                }
                if thread.forks_left <= 1 {
                    thread.pc += 1;
                }
                if thread.forks_left == 0 {
                    return StepResult::Next;
                }
                thread.forks_left -= 1;
                if bubble {
                    self.new_bubble_of(cpu, t);
                }
                let e = &mut self.engine;
                let thread = &mut e.threads[t as usize];
                if e.alive >= MAX_THREADS {
                    // As when the kernel has no pid left: no child, but the cost of the attempt.
                    thread.overhead += e.costs.fork_ns;
                } else {
                    thread.overhead += e.costs.fork_ns;
                    let child = e.fork(t, program, name, threads);
                    self.start_child(cpu, t, child);
                }
                if bubble {
                    let filled = self.engine.threads[t as usize].filling.take();
                    self.leave_bubble(filled);
                }
                StepResult::Next
            }
            Instr::Launch(start) => {
                let count = e.workload.threads[start as usize].count;
                let done = thread.forks_left;
                thread.forks_left += 1;
                if done == count {
                    (thread.forks_left, thread.pc) = (0, thread.pc + 1);
                    e.waited_for -= u32::from(!e.workload.threads[start as usize].background);
                    return StepResult::Next;
                }
                thread.overhead += e.costs.fork_ns;
                let child = e.launch(t, start, done);
                self.start_child(cpu, t, child);
                StepResult::Next
            }
            Instr::Join(left) => {
                if thread.children <= left {
                    thread.pc += 1;
                    return StepResult::Next;
                }
                thread.overhead += e.costs.syscall_ns;
                thread.wait = Some(WaitFor::Children(left));
                StepResult::Leaves(State::Sleeping)
            }
            Instr::Exec(name) => {
                thread.pc += 1;
                thread.overhead += e.costs.exec_ns;
                let (tid, tgid, life) = (thread.tid, thread.tgid, thread.life);
                e.settle(cpu);
                let name: Rc<str> = e.name_of(name).into();
                e.threads[t as usize].name = name.clone();
                e.recorder.exec(e.now, cpu, tid);
                e.recorder.name(e.now, tid, tgid, &name);
                let to = self.scheduler.place(&mut self.engine, t, Placement::Exec);
                if to != cpu {
                    self.engine.stop_for(cpu, Stop::Exec(t, life, to));
                }
                StepResult::Next
            }
            Instr::Yield => {
                thread.pc += 1;
                thread.overhead += e.costs.syscall_ns;
                StepResult::Yields
            }
            Instr::Affinity(mask) => {
                thread.pc += 1;
                thread.overhead += e.costs.syscall_ns;
                self.set_user_mask(t, mask);
                StepResult::Next
            }
            Instr::Nice(nice) => {
                thread.pc += 1;
                self.change(cpu, t, |thread| thread.nice = nice)
            }
            Instr::Policy(policy) => {
                thread.pc += 1;
                self.change(cpu, t, |thread| thread.policy = policy)
            }
            Instr::Repeat { times, end } => {
                let times = times.unwrap_or(u64::MAX);
                if times == 0 {
                    thread.pc = end;
                } else {
                    thread.loops.push(times - 1);
                    thread.pc += 1;
                }
                StepResult::Next
            }
            Instr::Again { start } => {
                thread.overhead += LOOP_NS;
                match thread.loops.last_mut() {
                    Some(left) if *left > 0 => {
                        *left -= u64::from(*left != u64::MAX - 1);
                        thread.pc = start + 1;
                    }
                    _ => {
                        thread.loops.pop();
                        thread.pc += 1;
                    }
                }
                StepResult::Next
            }
            Instr::Ticket { counter, end } => {
                thread.overhead += e.costs.handoff_ns;
                match &mut e.shared[counter as usize].kind {
                    ObjectState::Counter { left } if *left > 0 => {
                        *left -= 1;
                        thread.pc += 1;
                    }
                    _ => thread.pc = end,
                }
                StepResult::Next
            }
            Instr::Jump(to) => {
                thread.pc = to;
                StepResult::Next
            }
            Instr::Mark(mark) => {
                thread.pc += 1;
                let (count, last) = &mut e.marks[mark as usize];
                (*count, *last) = (*count + 1, e.now);
                StepResult::Next
            }
            Instr::Iteration => {
                thread.pc += 1;
                self.iteration_over(cpu, t);
                StepResult::Next
            }
            Instr::Exit => self.exit(cpu, t),
        }
    }

    fn exit(&mut self, cpu: CpuIx, t: ThreadIx) -> StepResult {
        let e = &mut self.engine;
        let thread = &mut e.threads[t as usize];
        if !thread.exiting {
            thread.exiting = true;
            thread.overhead += e.costs.exit_ns;
            let tid = thread.tid;
            e.recorder.exit(e.now, cpu, tid);
            return StepResult::Runs;
        }
        let parent = thread.parent;
        let start = thread.start;
        e.count_end(start, e.threads[t as usize].run_ns, e.threads[t as usize].waited_ns);
        if let Some((p, life)) = parent
            && e.threads[p as usize].life == life
        {
            let p_thread = &mut e.threads[p as usize];
            p_thread.children -= 1;
            if let Some(WaitFor::Children(left)) = p_thread.wait
                && p_thread.children <= left
                && p_thread.state == State::Sleeping
            {
                p_thread.wait = None;
                self.wake(p, Some(t), true);
            }
        }
        StepResult::Leaves(State::Dead)
    }

    /// The bubble of the child that a thread is about to make.
    fn new_bubble_of(&mut self, cpu: CpuIx, t: ThreadIx) {
        let e = &mut self.engine;
        let name = e.threads[t as usize].name.clone();
        let b = e.new_bubble(e.threads[t as usize].bubble, &name);
        let thread = &mut e.threads[t as usize];
        thread.filling = Some(b);
        thread.overhead += e.costs.bubble_ns;
        e.context = cpu;
        self.scheduler.create_bubble(e, b);
    }

    fn change(&mut self, cpu: CpuIx, t: ThreadIx, change: impl FnOnce(&mut Thread)) -> StepResult {
        let e = &mut self.engine;
        e.settle(cpu);
        self.scheduler.dequeue(e, t, cpu, Dequeue::Changed);
        let thread = &mut e.threads[t as usize];
        thread.overhead += e.costs.syscall_ns;
        let before = thread.policy;
        change(thread);
        let after = thread.policy;
        if let Policy::Deadline(wants) = after
            && before != after
            && let Err(why) = self.scheduler.admit_deadline(e, t, &wants)
        {
            e.refuse(t, why);
        }
        self.scheduler.enqueue(e, t, cpu, Enqueue::Changed);
        StepResult::Next
    }

    fn lock(&mut self, t: ThreadIx, object: Ix) -> StepResult {
        let e = &mut self.engine;
        e.threads[t as usize].overhead += e.costs.syscall_ns / 4;
        let shared = &mut e.shared[object as usize];
        let ObjectState::Lock { owner, fair, .. } = &mut shared.kind else { return StepResult::Next };
        if owner.is_none() && (shared.waiters.is_empty() || !*fair) {
            *owner = Some(t);
            e.threads[t as usize].pc += 1;
            return StepResult::Next;
        }
        if *fair {
            // The unlocking thread makes this thread the owner.
            e.threads[t as usize].pc += 1;
        }
        e.wait_on(t, object)
    }

    fn unlock(&mut self, t: ThreadIx, object: Ix) -> StepResult {
        let e = &mut self.engine;
        let thread = &mut e.threads[t as usize];
        thread.pc += 1;
        thread.overhead += e.costs.syscall_ns / 4;
        let shared = &mut e.shared[object as usize];
        let ObjectState::Lock { owner, fair, .. } = &mut shared.kind else { return StepResult::Next };
        if *owner != Some(t) {
            return StepResult::Next;
        }
        if *fair {
            let next = shared.waiters.pop_front();
            *owner = next;
            if let Some(next) = next {
                self.release(next, t, false);
            }
        } else {
            *owner = None;
            self.release_one_waiter(object, t);
        }
        StepResult::Next
    }

    fn barrier(&mut self, t: ThreadIx, object: Ix) -> StepResult {
        let e = &mut self.engine;
        let thread = &mut e.threads[t as usize];
        thread.pc += 1;
        thread.overhead += e.costs.handoff_ns;
        let shared = &mut e.shared[object as usize];
        let ObjectState::Barrier { parties, arrived, .. } = &mut shared.kind else { return StepResult::Next };
        *arrived += 1;
        if *arrived < *parties {
            return e.wait_on(t, object);
        }
        *arrived = 0;
        let mut waiters = std::mem::take(&mut shared.waiters);
        for w in waiters.drain(..) {
            self.release(w, t, false);
        }
        self.engine.shared[object as usize].waiters = waiters;
        StepResult::Next
    }

    fn post(&mut self, t: ThreadIx, object: Ix) -> StepResult {
        let e = &mut self.engine;
        let thread = &mut e.threads[t as usize];
        thread.pc += 1;
        thread.overhead += e.costs.syscall_ns;
        if let ObjectState::Semaphore { count, .. } = &mut e.shared[object as usize].kind {
            *count += 1;
        }
        self.release_one_waiter(object, t);
        StepResult::Next
    }

    fn take(&mut self, t: ThreadIx, object: Ix) -> StepResult {
        let e = &mut self.engine;
        e.threads[t as usize].overhead += e.costs.syscall_ns / 2;
        if let ObjectState::Semaphore { count, .. } = &mut e.shared[object as usize].kind
            && *count > 0
        {
            *count -= 1;
            e.threads[t as usize].pc += 1;
            return StepResult::Next;
        }
        e.wait_on(t, object)
    }

    fn pipe(&mut self, t: ThreadIx, object: Ix, n: u32, write: bool) -> StepResult {
        let e = &mut self.engine;
        let thread = &mut e.threads[t as usize];
        thread.overhead += e.costs.syscall_ns;
        let shared = &mut e.shared[object as usize];
        let ObjectState::Pipe { capacity, items, writers } = &mut shared.kind else { return StepResult::Next };
        let fits = if write { *items + n <= *capacity } else { *items >= n };
        if !fits {
            let list = if write { writers } else { &mut shared.waiters };
            list.push_back(t);
            thread.wait = Some(WaitFor::Object(object));
            return StepResult::Leaves(State::Sleeping);
        }
        *items = if write { *items + n } else { *items - n };
        thread.pc += 1;
        let other = if write { shared.waiters.pop_front() } else { writers.pop_front() };
        if let Some(other) = other {
            self.release(other, t, true);
        }
        StepResult::Next
    }

    /// Lets the first waiter that can do so try for an object: one that spins on a CPU, else one that sleeps. One that
    /// spins but was preempted tries when it runs again.
    fn release_one_waiter(&mut self, object: Ix, by: ThreadIx) {
        let e = &mut self.engine;
        let waiters = &e.shared[object as usize].waiters;
        let spins = |&&t: &&ThreadIx| {
            e.threads[t as usize].spinning && e.cpus[e.threads[t as usize].cpu as usize].current == Some(t)
        };
        let sleeps = |&&t: &&ThreadIx| !e.threads[t as usize].spinning;
        let chosen = waiters.iter().find(spins).or_else(|| waiters.iter().find(sleeps)).copied();
        if let Some(t) = chosen {
            e.shared[object as usize].forget(t);
            self.release(t, by, false);
        }
    }

    /// Releases a waiter: wakes it, or ends its spinning.
    fn release(&mut self, t: ThreadIx, by: ThreadIx, sync: bool) {
        let e = &mut self.engine;
        let thread = &mut e.threads[t as usize];
        thread.wait = None;
        if !thread.spinning {
            return self.wake(t, Some(by), sync);
        }
        let cpu = thread.cpu;
        let runs = e.cpus[cpu as usize].current == Some(t);
        if runs {
            e.settle(cpu);
        }
        let thread = &mut e.threads[t as usize];
        (thread.spinning, thread.spin_left, thread.work) = (false, None, 0);
        thread.overhead += e.costs.handoff_ns;
        if runs {
            e.arm(cpu);
        }
    }

    /// A thread's spin time is over: it sleeps, or yields and spins on.
    fn end_spin(&mut self, cpu: CpuIx, t: ThreadIx) {
        let e = &mut self.engine;
        let Some(WaitFor::Object(object)) = e.threads[t as usize].wait else { return };
        let thread = &mut e.threads[t as usize];
        thread.overhead += e.costs.syscall_ns;
        match e.shared[object as usize].waiting() {
            WaitMode::SpinYield(time) => {
                (thread.spin_left, thread.yielding) = (Some(time.0.max(1)), true);
                self.scheduler.yield_task(e, cpu, t);
                self.schedule(cpu);
                if self.engine.cpus[cpu as usize].current == Some(t) {
                    self.engine.threads[t as usize].yielding = false;
                }
            }
            _ => {
                (thread.spinning, thread.spin_left) = (false, None);
                thread.state = State::Sleeping;
                self.scheduler.dequeue(e, t, cpu, Dequeue::Sleep);
                self.schedule(cpu);
            }
        }
    }

    /// Wakes a thread (kernel: try_to_wake_up) from the engine's context.
    pub(super) fn wake(&mut self, t: ThreadIx, waker: Option<ThreadIx>, sync: bool) {
        let e = &mut self.engine;
        if e.threads[t as usize].is_runnable() || e.threads[t as usize].state == State::Dead {
            return;
        }
        if let Some(w) = waker {
            e.threads[w as usize].overhead += e.costs.wake_ns;
        }
        let waker_cpu = e.context;
        let thread = &e.threads[t as usize];
        let (tid, prio, last) = (thread.tid, thread.prio(), thread.cpu);
        e.recorder.waking(e.now, waker_cpu, tid, last, prio);
        let to = self.scheduler.place(e, t, Placement::Wakeup { waker_cpu, waker, sync });
        if to != last {
            e.move_thread(t, to, Path::Wakeup);
        }
        let thread = &mut e.threads[t as usize];
        (thread.state, thread.queued_since) = (State::Queued, e.now);
        self.scheduler.activate(e, t, to, Enqueue::Wakeup);
        self.record_server(waker_cpu, t, false);
        let e = &mut self.engine;
        e.recorder.wakeup(e.now, waker_cpu, tid, to, prio, false);
        self.scheduler.enqueue(e, t, to, Enqueue::Wakeup);
    }
}

impl Engine<'_> {
    /// The current thread waits for an object in the object's mode.
    fn wait_on(&mut self, t: ThreadIx, object: Ix) -> StepResult {
        let shared = &mut self.shared[object as usize];
        shared.waiters.push_back(t);
        let waiting = shared.waiting();
        let thread = &mut self.threads[t as usize];
        thread.wait = Some(WaitFor::Object(object));
        let limit = match waiting {
            WaitMode::Sleep => return StepResult::Leaves(State::Sleeping),
            WaitMode::Spin => None,
            WaitMode::SpinThenSleep(time) | WaitMode::SpinYield(time) => Some(time.0.max(1)),
        };
        (thread.spinning, thread.spin_left, thread.work) = (true, limit, 0);
        StepResult::Runs
    }

    /// A request to a device.
    fn request(&mut self, device: Ix, t: ThreadIx, latency: Ns) {
        let ObjectState::Device { parallel, busy, queue } = &mut self.shared[device as usize].kind else { return };
        if *busy < *parallel {
            *busy += 1;
            let life = self.threads[t as usize].life;
            self.queue.push(self.now + latency, Event::Wake { thread: t, life });
        } else {
            queue.push_back((t, latency));
        }
    }

    /// A device has finished a request: it starts the next.
    pub(super) fn finish_request(&mut self, t: ThreadIx) {
        let Some(WaitFor::Object(device)) = self.threads[t as usize].wait else { return };
        let ObjectState::Device { busy, queue, .. } = &mut self.shared[device as usize].kind else { return };
        self.threads[t as usize].wait = None;
        match queue.pop_front() {
            Some((next, latency)) => {
                let life = self.threads[next as usize].life;
                self.queue.push(self.now + latency, Event::Wake { thread: next, life });
            }
            None => *busy -= 1,
        }
    }
}

/// The code of a policy in the tables.
pub(super) fn policy_code(policy: Policy) -> u8 {
    use wastenot_schemas::policy;
    match policy {
        Policy::Normal => policy::NORMAL,
        Policy::Batch => policy::BATCH,
        Policy::Idle => policy::IDLE,
        Policy::Fifo(_) => policy::FIFO,
        Policy::Rr(_) => policy::RR,
        Policy::Deadline(_) => policy::DEADLINE,
        // No kernel that is traced has it, and the tables have no code for it.
        Policy::Hpc => policy::NORMAL,
    }
}
