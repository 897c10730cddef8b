//! A CPU switches from one thread to another.

use wastenot_schemas::task_state;

use super::{ApplyResult, Scheduler};
use crate::data_quality::{Contradiction, Repair};
use crate::threads::{FirstWakeup, Phase, SWAPPER, Utid};
use crate::topology::CpuIx;

impl Scheduler {
    /// The CPU leaves prev in a state, and runs next with a priority of the kernel's, where that is recorded.
    pub fn sched_switch(
        &mut self,
        cpu: i16,
        (prev_tid, prev_state, prev_prio): (i32, u8, Option<i16>),
        (next_tid, next_prio): (i32, Option<i16>),
    ) -> ApplyResult {
        let Some(cpu) = self.cpu(cpu) else { return Ok(()) };
        self.checks.cpus[cpu as usize].switches += 1;
        let prev = if prev_tid == 0 { SWAPPER } else { self.threads.of(prev_tid) };
        let next = if next_tid == 0 { SWAPPER } else { self.threads.of(next_tid) };
        if self.cpus[cpu as usize].current != Some(prev) {
            self.balancer_log.realtime_runs.doubt(cpu, self.now, self.event);
            self.correct_current(cpu, prev)?;
        }
        if let Some(prio) = prev_prio.filter(|_| prev != SWAPPER) {
            self.set_priority(prev, prio);
        }
        if next != SWAPPER {
            self.expect_to_run(cpu, next)?;
            if let Some(prio) = next_prio {
                self.set_priority(next, prio);
            }
        }
        for utid in [prev, next] {
            self.threads[utid].mark_lived();
        }
        if next != prev {
            self.change_current(cpu, prev, prev_state, next);
        }
        if self.cpus[cpu as usize].is_blind(self.now) {
            // It shows what its two threads did, not what the CPU does next.
            self.make_blind(cpu);
            let state = &mut self.cpus[cpu as usize];
            state.online &= !state.taken_away;
        } else if next != prev {
            self.compare_nr_running(cpu);
        }
        Ok(())
    }

    fn change_current(&mut self, cpu: CpuIx, prev: Utid, prev_state: u8, next: Utid) {
        if prev == SWAPPER {
            let state = &mut self.cpus[cpu as usize];
            (state.doubted, state.hides_exits) = (false, false);
            state.idle_until = self.now;
            state.take_crowded_ns(self.now);
        }
        self.close_slice(cpu, Some(prev_state), true);
        let wasting = self.is_wasting();
        self.balancer_log.switched(cpu, next == SWAPPER, self.now, self.event, wasting);
        let runnable = matches!(prev_state, task_state::R | task_state::R_PREEMPTED);
        for utid in [Some(next), Some(prev).filter(|_| !runnable)].into_iter().flatten() {
            if self.threads[utid].ext {
                self.balancer_log.ext.left_queue(self.threads[utid].number, self.now, cpu);
            }
        }
        if runnable && self.threads[prev].ext {
            self.balancer_log.ext.left_cpu(self.threads[prev].number, self.now);
        }
        self.balancer_log.ext.switched(cpu, self.now);
        if wasting && next != SWAPPER {
            self.note_stopper(cpu, next);
        }
        self.start_running(cpu, prev, next);
        if next == SWAPPER && self.cpus[cpu as usize].hides_exits {
            self.empty_queue(cpu);
        }
        if prev != SWAPPER {
            if next != SWAPPER && prev_state != task_state::UNKNOWN {
                self.checks.handovers += 1;
                self.checks.preempted += i64::from(matches!(prev_state, task_state::R | task_state::R_PREEMPTED));
            }
            self.stop_running(cpu, prev, prev_state);
        }
        if next == SWAPPER {
            self.start_idling(cpu);
        }
        self.note_queue(cpu);
    }

    /// By the event `prev` ran here; the reconstruction has another thread, or none.
    pub(super) fn correct_current(&mut self, cpu: CpuIx, prev: Utid) -> ApplyResult {
        if let Some(current) = self.cpus[cpu as usize].current {
            let (had, has) = (self.threads[current].tid, self.threads[prev].tid);
            let number = self.topology.number(cpu);
            let detail = || format!("cpu {number} ran tid {had}, the event says tid {has}");
            let queued_here = matches!(self.threads[prev].phase, Phase::Queued { cpu: queue, .. } if queue == cpu);
            self.checks.cpus[cpu as usize].missing_exits += i64::from(current == SWAPPER);
            if current == SWAPPER && queued_here {
                self.repair(Repair::MissingIdleExit, cpu, Contradiction::PrevNotCurrent, detail)?;
                self.infer_idle_exit(cpu, prev);
                return Ok(());
            }
            if prev == SWAPPER && self.is_stopper_of(current, number) {
                self.repair(Repair::OfflineUnreported, cpu, Contradiction::PrevNotCurrent, detail)?;
            } else {
                self.contradict(Contradiction::PrevNotCurrent, detail)?;
            }
            if current == SWAPPER {
                self.doubt(cpu);
            }
            self.lose_sight(cpu, false);
        }
        if prev != SWAPPER {
            self.leave_other_cpu(cpu, prev)?;
            self.data_quality.placements_inferred +=
                i64::from(self.threads[prev].phase.waits_on().is_some_and(|q| q != cpu));
        }
        self.gain_sight(cpu, prev);
        Ok(())
    }

    /// The thread is a CPU's stopper.
    pub(super) fn is_stopper(&self, utid: Utid) -> bool {
        self.threads[utid].is_stopper()
    }

    /// The thread is the stopper of this CPU (kernel number).
    fn is_stopper_of(&self, utid: Utid, cpu: i16) -> bool {
        let name = self.threads[utid].name.as_deref().filter(|_| self.threads[utid].named_bound);
        name.and_then(|name| name.strip_prefix("migration/")).is_some_and(|rest| rest.parse() == Ok(cpu))
    }

    /// The CPU's switch from swapper to `prev`, which is queued on its queue, was not reported: `prev` has run since the CPU
    /// went idle or since it was queued there, whichever came later. From then on the CPU did not count as idle anyway,
    /// and the first of its queue did not count as waiting.
    fn infer_idle_exit(&mut self, cpu: CpuIx, prev: Utid) {
        let state = &mut self.cpus[cpu as usize];
        self.balancer_log.kicks.due_may_change(cpu, self.now);
        (state.doubted, state.hides_exits) = (false, true);
        state.idle_until = self.now;
        let begin = self.threads[prev].since.max(state.since);
        self.close_slice_at(cpu, begin, None, true);
        self.wait_ledger.refute(prev, begin, self.now);
        let state = &mut self.cpus[cpu as usize];
        // When it was about to run is not when it ran: no late wake.
        let about = state.about.take();
        self.invariant.changed.extend(about);
        (state.idles_beside, state.resched_requested) = (None, None);
        let crowded_ns = state.take_crowded_ns(self.now);
        if about != Some(prev) || state.about_since > begin {
            // It counted as waiting in another's stead, at least at times.
            self.doubtful_wait_ns[cpu as usize] += crowded_ns;
        }
        self.misses_exits = true;
        state.current = Some(prev);
        if let Some(first) = about.filter(|&first| first != prev) {
            let wait_start = self.threads[first].wait_start;
            self.invariant_enter(first, cpu, wait_start);
        }
        self.dequeue(prev);
        self.set_phase_since(prev, Phase::Running(cpu), begin);
        self.threads[prev].totals.switches += 1;
        self.note_queue_since(cpu, begin);
        self.note_current(cpu);
    }

    /// The kernel accounted for `tid` here: where swapper runs as far as switches show, the switch to it, now, was not reported.
    pub fn run_span(&mut self, cpu: i16, tid: i32) -> ApplyResult {
        let Some(cpu) = self.cpu(cpu) else { return Ok(()) };
        if self.is_swapper(tid) || !self.cpus[cpu as usize].runs_swapper() {
            return Ok(());
        }
        let utid = self.threads.of(tid);
        let number = self.topology.number(cpu);
        let detail = || format!("cpu {number} ran swapper, the kernel accounted for tid {tid}");
        self.repair(Repair::MissingIdleExit, cpu, Contradiction::PrevNotCurrent, detail)?;
        self.checks.cpus[cpu as usize].missing_exits += 1;
        self.leave_other_cpu(cpu, utid)?;
        self.data_quality.placements_inferred += i64::from(self.threads[utid].phase.waits_on() != Some(cpu));
        self.threads[utid].mark_lived();
        if self.threads[utid].constraints.throttled {
            self.set_throttled(utid, false);
        }
        let state = &mut self.cpus[cpu as usize];
        (state.doubted, state.hides_exits) = (false, true);
        state.take_crowded_ns(self.now);
        self.misses_exits = true;
        self.close_slice(cpu, None, true);
        self.start_running(cpu, SWAPPER, utid);
        self.note_queue(cpu);
        Ok(())
    }

    /// The CPU counted as idle and ran a thread: its exits from idle may not be reported, so it does not count as idle
    /// again before one is seen or repaired.
    fn doubt(&mut self, cpu: CpuIx) {
        let state = &mut self.cpus[cpu as usize];
        if state.is_idle() {
            self.invariant.cpu_busy(cpu, self.event);
        }
        self.misses_exits = true;
        self.doubtful_idle_ns[cpu as usize] += self.invariant.idled_ns(cpu) - state.idled_before;
        (state.doubted, state.hides_exits) = (true, true);
    }

    /// A thread runs here now: it cannot run elsewhere.
    pub(super) fn leave_other_cpu(&mut self, cpu: CpuIx, utid: Utid) -> ApplyResult {
        if let Phase::Running(other) = self.threads[utid].phase
            && other != cpu
        {
            let (tid, a, b) = (self.threads[utid].tid, self.topology.number(cpu), self.topology.number(other));
            self.contradict(Contradiction::OnTwoCpus, || format!("tid {tid} runs on cpu {a} and on cpu {b}"))?;
            self.lose_sight(other, false);
        }
        Ok(())
    }

    /// Check that `next` can start to run on `cpu`, and count what had to be inferred.
    pub(super) fn expect_to_run(&mut self, cpu: CpuIx, next: Utid) -> ApplyResult {
        self.note_life_after_death(next);
        match self.threads[next].phase {
            Phase::Queued { cpu: queue, preempted } if queue == cpu => self.checks.resumed += i64::from(preempted),
            Phase::Queued { .. } | Phase::Throttled { .. } => self.data_quality.placements_inferred += 1,
            Phase::Running(other) if other != cpu => self.leave_other_cpu(cpu, next)?,
            // A source that never reports wakeups contradicts nothing.
            Phase::Off(_) if !self.reports_wakeups => self.data_quality.placements_inferred += 1,
            Phase::Off(state) => {
                let tid = self.threads[next].tid;
                let detail = || format!("tid {tid} was in state {}", task_state::NAMES[state as usize]);
                self.contradict(Contradiction::RanWithoutWakeup, detail)?;
                // A CPU on its way up wakes the stoppers of the others; tracepoints do not fire there (cpu_online() in
                // include/linux/tracepoint.h). Seen in 6.12 and 7.2.
                self.checks.ran_without_wakeup += i64::from(!self.is_stopper(next) && !self.may_have_changed(next));
                self.data_quality.placements_inferred += 1;
            }
            _ => {}
        }
        if self.threads[next].constraints.throttled {
            self.set_throttled(next, false);
        }
        Ok(())
    }

    /// `next` takes the CPU from `prev`. Idleness of the CPU changes at most once, whatever the queue does.
    pub(super) fn start_running(&mut self, cpu: CpuIx, prev: Utid, next: Utid) {
        if prev == SWAPPER {
            if self.invariant.is_idle(cpu) {
                self.invariant.cpu_busy(cpu, self.event);
            }
            if let Some(about) = self.cpus[cpu as usize].about {
                self.end_about(cpu);
                self.stop_idling_beside(cpu);
                if about != next {
                    let wait_start = self.threads[about].wait_start;
                    self.invariant_enter(about, cpu, wait_start);
                }
            }
            self.cpus[cpu as usize].resched_requested = None;
        }
        self.cpus[cpu as usize].current = Some(next);
        if next != SWAPPER {
            self.leave_queue(next, cpu);
            self.set_phase(next, Phase::Running(cpu));
            self.threads[next].totals.switches += 1;
        }
        self.note_current(cpu);
    }

    pub(super) fn stop_running(&mut self, cpu: CpuIx, prev: Utid, state: u8) {
        self.threads[prev].first_wakeup = FirstWakeup::Past;
        match state {
            task_state::R | task_state::R_PREEMPTED => {
                self.threads[prev].wait_start = self.now;
                // The CPU may run swapper by now; start_idling then promotes the first of the queue.
                self.queue_behind(prev, cpu);
            }
            task_state::X | task_state::Z => {
                self.note_death(prev, state);
                self.set_phase(prev, Phase::Dead);
                self.threads[prev].end_ns = Some(self.now);
                self.threads.mark_dead(prev);
            }
            task_state::UNKNOWN => {
                self.checks.unknown_states += 1;
                self.set_phase(prev, Phase::Unknown);
            }
            _ => self.set_phase(prev, Phase::Off(state)),
        }
        if matches!(self.threads[prev].phase, Phase::Off(_) | Phase::Unknown | Phase::Dead) {
            self.threads[prev].last_cpu = Some(cpu);
        }
    }

    /// A preempted thread goes to the end of the queue, without regard to what runs (a switch is under way).
    pub(super) fn queue_behind(&mut self, utid: Utid, cpu: CpuIx) {
        let c = self.threads[utid].constraints;
        self.threads[utid].mask_known &= c.known();
        let wait_start = self.threads[utid].wait_start;
        if c.throttled {
            self.set_phase(utid, Phase::Throttled { cpu, preempted: true });
        } else {
            self.set_phase(utid, Phase::Queued { cpu, preempted: true });
            self.cpus[cpu as usize].queue.push(utid);
        }
        self.note_preempted(utid);
        self.invariant_enter(utid, cpu, wait_start);
    }

    pub(super) fn start_idling(&mut self, cpu: CpuIx) {
        self.checks.cpus[cpu as usize].idle_picks += 1;
        let state = &mut self.cpus[cpu as usize];
        if let Some(&first) = state.queue.first() {
            (state.about, state.about_since) = (Some(first), self.now);
            self.invariant.leave(first, self.event);
            self.idle_beside(cpu, true);
        } else if state.is_idle() {
            self.invariant.cpu_idle(cpu, self.event);
        }
    }

    /// The CPU goes idle, so the kernel finds its queue empty. Where exits from idle are not reported, a thread that is still queued there
    /// arrived and left in between: where they are is unknown. (Under core scheduling a CPU may idle beside its queue.)
    fn empty_queue(&mut self, cpu: CpuIx) {
        let mut left = self.cpus[cpu as usize].queue.clone();
        left.retain(|&utid| self.threads[utid].constraints.cookie == 0);
        for utid in left {
            self.forget(utid, false);
            self.data_quality.repair(Repair::LeftUnseen, self.topology.number(cpu));
        }
    }

    /// Compare the kernel's own count with the queue, where both should be settled: at a switch.
    pub(super) fn compare_nr_running(&mut self, cpu: CpuIx) {
        let state = &self.cpus[cpu as usize];
        let Some(kernel) = state.nr_running else { return };
        if self.lost_until != i64::MIN && state.queue.iter().any(|&utid| self.may_have_changed(utid)) {
            return;
        }
        self.data_quality.nr_running_compared += 1;
        match kernel.cmp(&state.runnable()) {
            std::cmp::Ordering::Greater => self.data_quality.nr_running_ghost += 1,
            std::cmp::Ordering::Less => self.data_quality.nr_running_short += 1,
            std::cmp::Ordering::Equal => {}
        }
    }

    pub fn nr_running(&mut self, cpu: i16, nr_running: i32) {
        if let Some(cpu) = self.cpu(cpu) {
            self.cpus[cpu as usize].nr_running = Some(nr_running);
        }
    }
}
