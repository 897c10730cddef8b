//! Threads on queues and observed CPUs: the changes of state that every event consists of.

use wastenot_schemas::{cpu_slice, runqueue, thread_state};

use super::Scheduler;
use crate::threads::{Phase, SWAPPER, Utid};
use crate::topology::CpuIx;

impl Scheduler {
    pub(super) fn set_phase(&mut self, utid: Utid, phase: Phase) {
        self.set_phase_since(utid, phase, self.now);
    }

    /// The thread's phase changed at `begin`, not before its present phase began.
    pub(super) fn set_phase_since(&mut self, utid: Utid, phase: Phase, begin: i64) {
        let t = &mut self.threads[utid];
        let dur = begin - t.since;
        if dur > 0 && !matches!(t.phase, Phase::Unknown | Phase::Dead) {
            let code = t.phase.code();
            t.totals.spent_ns[code as usize] += dur;
            if self.out.wants(t.since) {
                self.out.thread_state(&thread_state::Row {
                    utid: t.number as i32,
                    start_ns: t.since,
                    dur_ns: dur,
                    phase: code,
                    cpu: t.phase.cpu().map(|c| self.topology.number(c)),
                });
            }
        }
        t.phase = phase;
        t.since = begin;
        t.last_cpu = phase.cpu().or(t.last_cpu);
    }

    /// Put a runnable thread on a queue; throttled threads wait beside it.
    pub(super) fn enqueue(&mut self, utid: Utid, cpu: CpuIx, preempted: bool) {
        let state = &self.cpus[cpu as usize];
        if !state.online || state.is_blind(self.now) {
            // Offline, or events of the CPU are being lost: what becomes of the thread there is not known.
            self.set_phase(utid, Phase::Unknown);
            self.threads[utid].last_cpu = Some(cpu);
            return;
        }
        let c = self.threads[utid].constraints;
        self.threads[utid].mask_known &= c.known();
        if c.throttled {
            self.set_phase(utid, Phase::Throttled { cpu, preempted });
            let wait_start = self.threads[utid].wait_start;
            self.invariant_enter(utid, cpu, wait_start);
            return;
        }
        self.set_phase(utid, Phase::Queued { cpu, preempted });
        self.checks.cpus[cpu as usize].placed += 1;
        let state = &mut self.cpus[cpu as usize];
        let (was_idle, is_first) = (state.is_idle(), state.runs_swapper() && state.queue.is_empty());
        let alone = state.current.filter(|&u| u != SWAPPER && state.queue.is_empty());
        state.queue.push(utid);
        if is_first {
            (state.about, state.about_since) = (Some(utid), self.now);
            self.invariant.changed.push(utid);
            if was_idle {
                self.invariant.cpu_busy(cpu, self.event);
            }
            self.idle_beside(cpu, false);
        } else {
            if let Some(runs) = alone {
                let by = self.invariant.interval.arrival(utid);
                self.wait_origin(runs).displaced_by(&by);
            }
            let wait_start = self.threads[utid].wait_start;
            self.invariant_enter(utid, cpu, wait_start);
        }
    }

    pub(super) fn invariant_enter(&mut self, utid: Utid, cpu: CpuIx, wait_start: i64) {
        self.know(utid);
        self.invariant.enter(utid, cpu, wait_start, self.event);
    }

    /// Make the thread's constraints known to the invariant, once.
    pub(super) fn know(&mut self, utid: Utid) {
        if !self.invariant.knows(utid) {
            let c = self.threads[utid].constraints;
            self.invariant.constrain(utid, self.threads[utid].number, &c, self.event);
        }
    }

    /// Take a waiting thread off its queue; its phase is left for the caller to set.
    pub(super) fn dequeue(&mut self, utid: Utid) {
        let Some(cpu) = self.threads[utid].phase.waits_on() else { return };
        if self.invariant.is_waiting(utid) {
            self.invariant.leave(utid, self.event);
        }
        let state = &mut self.cpus[cpu as usize];
        let Some(at) = state.queue.iter().position(|&u| u == utid) else { return };
        state.queue.remove(at);
        if state.about == Some(utid) {
            self.end_about(cpu);
            let state = &mut self.cpus[cpu as usize];
            if let Some(&next) = state.queue.first() {
                (state.about, state.about_since) = (Some(next), self.now);
                self.invariant.leave(next, self.event);
                return;
            }
            if state.is_idle() {
                self.invariant.cpu_idle(cpu, self.event);
            }
            self.stop_idling_beside(cpu);
        }
    }

    /// Take a thread that runs on `cpu` off the queue it waited on, and note the length of that queue where it is another CPU's.
    pub(super) fn leave_queue(&mut self, utid: Utid, cpu: CpuIx) {
        let waited_on = self.threads[utid].phase.waits_on();
        self.dequeue(utid);
        if let Some(other) = waited_on.filter(|&other| other != cpu) {
            self.note_queue(other);
        }
    }

    /// No thread is about to run any more. Only a CPU whose exits from idle are reported is taken to have waited too long.
    pub(super) fn end_about(&mut self, cpu: CpuIx) {
        let state = &mut self.cpus[cpu as usize];
        let Some(about) = state.about.take() else { return };
        self.invariant.changed.push(about);
        let late = self.now - state.about_since > self.topology.tick_ns;
        self.data_quality.late_wakes += i64::from(late && !state.hides_exits);
    }

    /// The thread's state is unknown from now on. Not `certain`: the state before was wrong, so the time since its last
    /// certain event is not accounted either.
    pub(super) fn forget(&mut self, utid: Utid, certain: bool) {
        if let Phase::Running(cpu) = self.threads[utid].phase {
            self.lose_sight(cpu, certain);
            return;
        }
        let waited_on = self.threads[utid].phase.waits_on();
        self.dequeue(utid);
        if !certain {
            if waited_on.is_some() {
                self.wait_ledger.refute(utid, self.threads[utid].since, self.now);
            }
            self.threads[utid].since = self.now;
        }
        self.set_phase(utid, Phase::Unknown);
        if let Some(cpu) = waited_on {
            self.note_queue(cpu);
        }
    }

    /// Write the slice under way; `certain` false writes it as unobserved.
    pub(super) fn close_slice(&mut self, cpu: CpuIx, end_state: Option<u8>, certain: bool) {
        self.close_slice_at(cpu, self.now, end_state, certain);
    }

    /// As `close_slice`, for a slice that ended at `end`.
    pub(super) fn close_slice_at(&mut self, cpu: CpuIx, end: i64, end_state: Option<u8>, certain: bool) {
        let state = &mut self.cpus[cpu as usize];
        let dur = end - state.since;
        let start_ns = std::mem::replace(&mut state.since, end);
        state.idled_before = self.invariant.idled_ns(cpu);
        if dur <= 0 {
            return;
        }
        let in_doubt = state.doubted && state.runs_swapper();
        let current = state.current.filter(|_| certain && state.online && !in_doubt);
        let checks = &mut self.checks.cpus[cpu as usize];
        checks.accounted_ns += dur;
        checks.observed_ns += if current.is_some() { dur } else { 0 };
        if state.online {
            self.online_ns += dur;
            match current {
                None => self.unobserved_ns[cpu as usize] += dur,
                Some(SWAPPER) => {}
                Some(_) => self.busy_ns += dur,
            }
        }
        match current {
            None => {}
            Some(SWAPPER) => self.swapper_ran_ns[cpu as usize] += dur,
            Some(utid) => self.threads[utid].ran_on.add(cpu, dur, self.cpus.len()),
        }
        if !self.out.wants(start_ns) {
            return;
        }
        self.out.cpu_slice(&cpu_slice::Row {
            cpu: self.topology.number(cpu),
            start_ns,
            dur_ns: dur,
            utid: current.map(|u| self.threads[u].number as i32),
            end_state: end_state.filter(|_| current.is_some()),
            observed: current.is_some(),
        });
    }

    /// Note the queue's length now; writes the row before it when that lasted.
    pub(super) fn note_queue(&mut self, cpu: CpuIx) {
        self.note_queue_since(cpu, self.now);
    }

    /// As `note_queue`, for a length that holds since `begin`; rows written meanwhile stay.
    pub(super) fn note_queue_since(&mut self, cpu: CpuIx, begin: i64) {
        let state = &mut self.cpus[cpu as usize];
        state.note_crowd(self.now);
        let begin = begin.max(state.row.0);
        let known = state.current.is_some();
        let (queued, running) = (state.queue.len() as i32, state.is_running());
        let (since, q, r) = state.row;
        if known && since != i64::MIN && (q, r) == (queued, running) {
            return;
        }
        if since != i64::MIN && begin > since && self.out.wants(since) {
            let row = runqueue::Row {
                cpu: self.topology.number(cpu),
                start_ns: since,
                dur_ns: begin - since,
                queued: q,
                running: r,
            };
            self.out.runqueue(&row);
        }
        state.row = if known { (begin, queued, running) } else { (i64::MIN, 0, false) };
    }

    /// Swapper is no longer known to run, and what ran since it began is not reported. Where exits from idle are missing, it may
    /// have been any of the threads queued.
    pub(super) fn doubt_crowd(&mut self, cpu: CpuIx) {
        let crowded_ns = self.cpus[cpu as usize].take_crowded_ns(self.now);
        if self.misses_exits {
            self.doubtful_wait_ns[cpu as usize] += crowded_ns;
        }
    }

    /// The CPU becomes unobserved: what ran there is unknown from now on, or, when what was known was wrong (not
    /// `certain`), from the last certain event on.
    pub(super) fn lose_sight(&mut self, cpu: CpuIx, certain: bool) {
        self.doubt_crowd(cpu);
        self.balancer_log.kicks.due_may_change(cpu, self.now);
        self.close_slice(cpu, None, certain);
        if certain {
            self.stop_idling_beside(cpu);
        } else {
            let state = &mut self.cpus[cpu as usize];
            (state.idles_beside, state.resched_requested) = (None, None);
        }
        let was_idle = self.cpus[cpu as usize].is_idle();
        if was_idle {
            self.invariant.cpu_busy(cpu, self.event);
        }
        if let Some(about) = self.cpus[cpu as usize].about.take() {
            // It is queued like the others from now on: swapper is not known to run, and may not have run for long.
            let wait_start = self.threads[about].wait_start;
            self.invariant_enter(about, cpu, wait_start);
        }
        if let Some(utid) = self.cpus[cpu as usize].current.take().filter(|&u| u != SWAPPER) {
            if !certain {
                self.threads[utid].since = self.now;
            }
            self.set_phase(utid, Phase::Unknown);
        }
        self.invariant.running_cookie(cpu, None, self.event);
        self.wait_ledger.changed_cpus.push(cpu);
        self.note_queue(cpu);
        self.note_class(cpu);
    }

    /// Everything known of the CPU and its queue is void.
    pub(super) fn make_blind(&mut self, cpu: CpuIx) {
        self.lose_sight(cpu, true);
        for utid in self.invariant.waiting_on(cpu) {
            self.forget(utid, true);
        }
        self.cpus[cpu as usize].nr_running = None;
        self.note_queue(cpu);
    }

    /// Make `current` run on a CPU of which it was not known what it runs.
    pub(super) fn gain_sight(&mut self, cpu: CpuIx, current: Utid) {
        debug_assert!(self.cpus[cpu as usize].current.is_none());
        self.close_slice(cpu, None, true);
        let state = &mut self.cpus[cpu as usize];
        self.balancer_log.kicks.due_may_change(cpu, self.now);
        state.online = true;
        state.current = Some(current);
        state.idle_until = self.now;
        if current == SWAPPER {
            if let Some(&first) = state.queue.first() {
                (state.about, state.about_since) = (Some(first), self.now);
                self.invariant.leave(first, self.event);
                self.idle_beside(cpu, false);
            } else if state.is_idle() {
                self.invariant.cpu_idle(cpu, self.event);
            }
        } else {
            self.leave_queue(current, cpu);
            self.set_phase(current, Phase::Running(cpu));
        }
        self.cpus[cpu as usize].note_crowd(self.now);
        self.note_current(cpu);
    }

    /// What runs on the CPU, or a fact about it, has changed: give the invariant its cookie (swapper: none), and the wait ledger the CPU.
    pub(super) fn note_current(&mut self, cpu: CpuIx) {
        let current = self.cpus[cpu as usize].current.filter(|&u| u != SWAPPER);
        let cookie = current.map(|u| self.threads[u].constraints.cookie);
        self.invariant.running_cookie(cpu, cookie, self.event);
        self.wait_ledger.changed_cpus.push(cpu);
        self.note_class(cpu);
    }
}
