//! The reconstructed state at a cut between two events: taken as a value, and made from one.

use std::cmp::Reverse;

use wastenot_schemas::{task_state, wasted};

use super::Scheduler;
use crate::checkpoint::{CpuAtCut, Damaged, ThreadAtCut, WalkState};
use crate::cpus::CpuState;
use crate::threads::{Phase, SWAPPER, Thread, Threads, Utid};
use crate::time_limits::TimeLimits;
use crate::topology::CpuIx;

impl Scheduler {
    /// The state now, without pairs.
    pub fn state(&self) -> WalkState {
        let kept = self.threads.referable();
        let place = |utid: Utid| kept.binary_search(&utid).ok().map(|at| at as Utid);
        WalkState {
            now: self.now,
            seen: self.seen,
            started: self.started,
            event: self.event,
            lost_until: self.lost_until,
            reports_wakeups: self.reports_wakeups,
            reports_creation: self.reports_creation,
            reports_exits: self.reports_exits,
            misses_exits: self.misses_exits,
            cookies: self.invariant.uses_cookies(),
            cpusets_restrict: self.invariant.has_restricting_cpusets(),
            next_number: self.threads.next_number(),
            threads: kept.iter().map(|&utid| self.thread_at_cut(utid)).collect(),
            dead_stoppers: self.threads.dead_stoppers(),
            cpus: (0..self.cpus.len() as CpuIx).map(|cpu| self.cpu_at_cut(cpu, place)).collect(),
            waiting: self.invariant.waiting_in_order().iter().filter_map(|&utid| place(utid)).collect(),
            wasted: self.invariant.row_under_way(),
            pairs: Vec::new(),
            lacks_ledger_facts: false,
        }
    }

    fn thread_at_cut(&self, utid: Utid) -> ThreadAtCut {
        let t = &self.threads[utid];
        ThreadAtCut {
            number: t.number,
            tid: t.tid,
            since: t.since,
            wait_start: if t.phase.waits_on().is_some() { t.wait_start } else { 0 },
            phase: t.phase,
            constraints: t.constraints,
            constrained: self.invariant.knows(utid),
            last_cpu: t.last_cpu,
            waker: t.waker,
            follows: t.follows.as_deref().filter(|dead| dead.is_stopper()).cloned(),
            first_wakeup: t.first_wakeup,
            ext: t.ext,
            exiting: t.exiting,
            is_kernel: t.is_kernel,
            is_bound: t.is_bound,
            named_bound: t.named_bound,
            name: t.name.clone(),
            cgroup: t.cgroup,
            realtime: self.wait_ledger.realtime(utid),
        }
    }

    fn cpu_at_cut(&self, cpu: CpuIx, place: impl Fn(Utid) -> Option<Utid>) -> CpuAtCut {
        let state = &self.cpus[cpu as usize];
        CpuAtCut {
            online: state.online,
            current: state.current.and_then(&place),
            since: state.since,
            queue: state.queue.iter().filter_map(|&utid| place(utid)).collect(),
            about: state.about.and_then(&place),
            about_since: if state.about.is_some() { state.about_since } else { self.now },
            doubted: state.doubted,
            hides_exits: state.hides_exits,
            blind_until: Some(state.blind_until).filter(|&until| until != i64::MIN),
            taken_away: state.taken_away,
            irq_until: state.irq_until,
            row: Some(state.row).filter(|row| row.0 != i64::MIN),
            cookie: self.invariant.cookie_on(cpu),
        }
    }

    /// Go on from a state; this is a fresh scheduler. Damaged where the state contradicts itself or the machine.
    pub fn restart(&mut self, state: WalkState) -> Result<(), Damaged> {
        require_consistent(&state, self.cpus.len())?;
        (self.now, self.seen, self.started, self.event) = (state.now, state.seen, state.started, state.event);
        self.limits = TimeLimits::starting_at(state.started, self.cpus.len());
        if !self.limits.contains(state.now) {
            return Err(Damaged);
        }
        self.lost_until = state.lost_until;
        self.reports_wakeups = state.reports_wakeups;
        self.reports_creation = state.reports_creation;
        self.reports_exits = state.reports_exits;
        self.misses_exits = state.misses_exits;
        let waits: Vec<(i64, bool)> = state.threads.iter().map(|t| (t.wait_start, t.constrained)).collect();
        let realtime: Vec<Option<bool>> = state.threads.iter().map(|t| t.realtime).collect();
        let threads = state.threads.into_iter().map(thread).collect();
        self.threads = Threads::restored(threads, state.dead_stoppers, state.next_number).ok_or(Damaged)?;
        for (utid, realtime) in (0..).zip(realtime) {
            self.note_facts(utid);
            if let Some(is_realtime) = realtime {
                self.wait_ledger.set_realtime(utid, is_realtime);
            }
        }
        self.invariant.restart(state.now, (state.cookies, state.cpusets_restrict), state.wasted);
        for (cpu, at) in state.cpus.into_iter().enumerate() {
            self.restart_cpu(cpu as CpuIx, at);
        }
        for (utid, _) in waits.iter().enumerate().filter(|(_, (_, constrained))| *constrained) {
            self.know(utid as Utid);
        }
        for utid in state.waiting {
            let cpu = self.threads[utid].phase.waits_on().ok_or(Damaged)?;
            self.invariant_enter(utid, cpu, waits[utid as usize].0);
        }
        Ok(())
    }

    fn restart_cpu(&mut self, cpu: CpuIx, at: CpuAtCut) {
        self.invariant.restart_cookie(cpu, at.cookie);
        self.invariant.irq(cpu, at.irq_until.is_some(), self.event);
        self.irq_ends.extend(at.irq_until.map(|until| Reverse((until, cpu))));
        let state = CpuState {
            online: at.online,
            current: at.current,
            since: at.since,
            queue: at.queue,
            about: at.about,
            about_since: at.about_since,
            doubted: at.doubted,
            hides_exits: at.hides_exits,
            blind_until: at.blind_until.unwrap_or(i64::MIN),
            taken_away: at.taken_away,
            irq_until: at.irq_until,
            row: at.row.unwrap_or((i64::MIN, 0, false)),
            ..CpuState::new(at.online)
        };
        let is_idle = state.is_idle();
        self.cpus[cpu as usize] = state;
        self.cpus[cpu as usize].note_crowd(self.now);
        if is_idle {
            self.invariant.cpu_idle(cpu, self.event);
        }
    }
}

fn thread(at: ThreadAtCut) -> Thread {
    Thread {
        since: at.since,
        wait_start: at.wait_start,
        constraints: at.constraints,
        follows: at.follows.map(Box::new),
        phase: at.phase,
        last_cpu: at.last_cpu,
        waker: at.waker,
        first_wakeup: at.first_wakeup,
        ext: at.ext,
        exiting: at.exiting,
        name: at.name,
        is_kernel: at.is_kernel,
        is_bound: at.is_bound,
        named_bound: at.named_bound,
        cgroup: at.cgroup,
        ..Thread::new(at.number, at.tid, None)
    }
}

/// Stamps lie within so many ns of 0, as those of events do.
const FARTHEST_NS: i64 = 1 << 62;

/// Raise Damaged unless threads and CPUs say the same of each other, as they do between two events.
fn require_consistent(state: &WalkState, n_cpus: usize) -> Result<(), Damaged> {
    let is_past = |time: i64| (-FARTHEST_NS..=state.now).contains(&time);
    let is_time = |time: i64| (-FARTHEST_NS..=FARTHEST_NS).contains(&time);
    let is_cpu = |cpu: CpuIx| usize::from(cpu) < n_cpus;
    let is_thread = |utid: Utid| (utid as usize) < state.threads.len();
    let mut sound = state.cpus.len() == n_cpus && is_time(state.now) && is_time(state.seen) && is_past(state.started);
    sound &= state.wasted.is_none_or(|row: wasted::Row| is_past(row.start_ns) && row.dur_ns >= 0);
    for t in &state.threads {
        let cpus = [t.phase.cpu(), t.last_cpu, t.waker];
        sound &= cpus.into_iter().flatten().all(is_cpu) && is_time(t.since) && is_time(t.wait_start);
        sound &= !matches!(t.phase, Phase::Off(code) if usize::from(code) >= task_state::NAMES.len());
    }
    let followed = state.threads.iter().filter_map(|t| t.follows.as_ref());
    let mut dead = state.dead_stoppers.iter().map(|(_, dead)| dead).chain(followed);
    sound &= dead.all(|dead| dead.end_ns.is_some_and(is_time) && dead.is_stopper());
    for cpu in &state.cpus {
        sound &= cpu.current.into_iter().chain(cpu.about).chain(cpu.queue.iter().copied()).all(is_thread);
        sound &= is_past(cpu.since) && is_past(cpu.about_since);
        // Interrupt work that ends with an interval of waste goes on until time passes.
        sound &= cpu.irq_until.is_none_or(|until| until >= state.now);
        sound &= cpu.row.is_none_or(|row| is_past(row.0));
    }
    let pair = |of: &crate::checkpoint::OpenPair| {
        of.utid.is_none_or(is_thread)
            && is_cpu(of.queue)
            && is_cpu(of.idle)
            && is_past(of.wait_start)
            && is_past(of.waste_start)
    };
    sound &= state.pairs.iter().all(pair) && state.waiting.iter().copied().all(is_thread);
    if sound && places_agree(state) { Ok(()) } else { Err(Damaged) }
}

/// Each thread is where the CPUs have it: it runs there, is queued there once, or is about to run; and who waits is known to wait.
fn places_agree(state: &WalkState) -> bool {
    let mut phases: Vec<Option<Phase>> = state.threads.iter().map(|t| Some(t.phase)).collect();
    let mut waits = vec![false; state.threads.len()];
    let mut take = |utid: Utid| phases[utid as usize].take();
    for (cpu, at) in (0..).zip(&state.cpus) {
        if let Some(utid) = at.current.filter(|&utid| utid != SWAPPER)
            && take(utid) != Some(Phase::Running(cpu))
        {
            return false;
        }
        for &utid in &at.queue {
            if !matches!(take(utid), Some(Phase::Queued { cpu: on, .. }) if on == cpu) {
                return false;
            }
            waits[utid as usize] = at.about != Some(utid);
        }
        let picks = at.current == Some(SWAPPER) && !at.queue.is_empty();
        if at.about.is_some() != picks || at.about.is_some_and(|utid| !at.queue.contains(&utid)) {
            return false;
        }
    }
    for (utid, phase) in phases.iter().enumerate() {
        match phase {
            Some(Phase::Running(_) | Phase::Queued { .. }) => return false,
            Some(Phase::Throttled { .. }) => waits[utid] = true,
            _ => {}
        }
    }
    state.waiting.iter().all(|&utid| std::mem::take(&mut waits[utid as usize])) && !waits.contains(&true)
}
