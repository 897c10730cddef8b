//! What each event does: the table of docs/semantics.md and the repairs below it.

use super::Reference;
use super::state::{FirstWakeup, Runs, State, Utid};
use crate::events::{CpuState, Cpus, Event, Place, ThreadState, What, cpus_of};

/// Interrupt work up to this long excuses nothing.
const SHORT_IRQ_NS: i64 = 20_000;

/// What a CPU did in a slice, as it is written.
#[derive(Clone, Copy, PartialEq)]
enum Slice {
    AsKnown,
    Unobserved,
}

impl Reference {
    /// Apply an event at its time, or at the time reached where that is later.
    pub(super) fn apply_at(&mut self, event: &Event) {
        if matches!(event.what, What::Waking { .. } | What::Exit { .. }) {
            return;
        }
        self.figures.contradictions += i64::from(event.at < self.now);
        self.advance(event.at);
        self.apply(event);
        self.note_about_to_run();
    }

    fn apply(&mut self, event: &Event) {
        match &event.what {
            What::Switch { cpu, prev, state, next } => self.switch(*cpu, *prev, state, *next),
            What::Wakeup { tid: 0, .. } => {}
            What::Wakeup { tid, cpu, new } => self.wakeup(*tid, *cpu, *new),
            What::Migrate { tid, from, to } => self.migrate(*tid, *from, *to),
            What::Fork { parent, child } => self.fork(*parent, *child),
            What::Exec { tid, old } => self.exec(*tid, *old),
            What::Waking { .. } | What::Exit { .. } | What::NrRunning { .. } => {}
            What::Name { tid, name } => {
                let utid = self.known.thread(*tid);
                self.known.threads[utid].name = Some(name);
            }
            What::Affinity { tid, mask, cpuset } => {
                let utid = self.known.thread(*tid);
                self.known.threads[utid].mask = *mask;
                self.cpuset(utid, *mask, *cpuset);
            }
            What::Throttle { tid, on } => {
                let utid = self.known.thread(*tid);
                self.throttle(utid, *on);
            }
            What::MigrationDisable { tid, on } => {
                let utid = self.known.thread(*tid);
                self.known.threads[utid].disabled = *on;
            }
            What::Cookie { tid, cookie } => {
                let utid = self.known.thread(*tid);
                self.known.threads[utid].cookie = *cookie;
            }
            What::Hotplug { cpu, online } => self.hotplug(*cpu, *online),
            What::Irq { cpu, ns } => {
                if *ns > SHORT_IRQ_NS {
                    let cpu = &mut self.known.cpus[*cpu];
                    cpu.irq_until = cpu.irq_until.max(self.now + ns);
                }
            }
            What::Run { tid, cpu, .. } => self.run_span(*tid, *cpu),
            What::Lost { cpu, end } => {
                let of = cpu.map_or(self.known.machine.all(), |cpu| 1 << cpu);
                cpus_of(of).for_each(|cpu| self.lost(cpu, *end));
            }
            What::Cpu { cpu, state } => self.cpu_snapshot(*cpu, *state),
            What::Thread(thread) => self.thread_snapshot(thread),
        }
    }

    /// A CPU begins to do something else: what it did up to now is a slice.
    fn cpu_runs(&mut self, cpu: usize, runs: Runs, was: Slice) {
        self.write_slice(cpu, self.now, was);
        if self.exits_missing {
            // Which of several queued threads ran unseen, if one did, is not known.
            *self.figures.doubtful_wait.entry(cpu).or_default() += self.known.cpus[cpu].crowded;
        }
        self.known.cpus[cpu].crowded = 0;
        let state = &mut self.known.cpus[cpu];
        (state.runs, state.since, state.counted_idle) = (runs, self.now, 0);
    }

    fn write_slice(&mut self, cpu: usize, end: i64, was: Slice) {
        let state = &self.known.cpus[cpu];
        let ns = end - state.since;
        if !state.online {
            return;
        }
        match state.runs {
            Runs::Thread(_) if was == Slice::AsKnown => self.figures.busy += ns,
            Runs::Swapper if was == Slice::AsKnown && !state.in_doubt => {}
            _ => *self.figures.unobserved.entry(cpu).or_default() += ns,
        }
    }

    pub(super) fn close_slice(&mut self, cpu: usize) {
        self.cpu_runs(cpu, Runs::Unobserved, Slice::AsKnown);
    }

    fn repaired(&mut self, reason: &str, cpu: usize) {
        *self.figures.repaired.entry((reason.to_owned(), cpu)).or_default() += 1;
    }

    fn switch(&mut self, cpu: usize, prev_tid: i32, state: &str, next_tid: i32) {
        let unknown = self.known.is_unknown(cpu, self.now);
        let prev = (prev_tid != 0).then(|| self.known.thread(prev_tid));
        let next = (next_tid != 0).then(|| self.known.thread(next_tid));
        if !self.known.cpus[cpu].taken_away {
            self.set_online(cpu, true);
        }
        self.settle_prev(cpu, prev);
        if let Some(prev) = prev {
            self.remove_from_elsewhere(prev, cpu);
            if prev_tid != next_tid {
                self.known.threads[prev].first_wakeup = FirstWakeup::Past;
            }
        }
        if prev_tid == next_tid {
            // It goes on running: all that is said is what runs.
            self.set_running(cpu, prev, unknown);
            return;
        }
        if prev.is_none() {
            let cpu = &mut self.known.cpus[cpu];
            (cpu.in_doubt, cpu.latest_exit_inferred, cpu.crowded) = (false, false, 0);
        }
        if next.is_none() && !unknown && self.known.cpus[cpu].latest_exit_inferred {
            self.empty_queue(cpu);
        }
        if let Some(next) = next {
            let off = matches!(self.known.threads[next].state, State::Off | State::New);
            self.figures.contradictions += i64::from(off && self.wakeups_reported);
            self.remove_from_elsewhere(next, cpu);
        }
        self.set_running(cpu, next, unknown);
        if let Some(prev) = prev {
            self.known.threads[prev].last = Some(cpu);
            match state {
                "R" | "R+" => self.known.enqueue(prev, cpu, self.now, self.now),
                "X" | "Z" => self.known.threads[prev].state = State::Dead,
                "?" => self.known.threads[prev].state = State::Unknown,
                _ => self.known.threads[prev].state = State::Off,
            }
        }
    }

    /// The CPU runs this thread, or swapper, from now on; where the CPU is unknown, that is all that is known of the thread.
    fn set_running(&mut self, cpu: usize, runs: Option<Utid>, unknown: bool) {
        if let Some(utid) = runs {
            let thread = &mut self.known.threads[utid];
            thread.state = if unknown { State::Unknown } else { State::Running { cpu } };
            (thread.last, thread.throttled) = (Some(cpu), false);
            thread.mark_lived();
        }
        let runs = runs.map_or(Runs::Swapper, Runs::Thread);
        if !unknown && self.known.cpus[cpu].runs != runs {
            self.cpu_runs(cpu, runs, Slice::AsKnown);
        }
    }

    /// Compare prev of a switch with what the CPU runs as far as we know, and write the slice up to now.
    fn settle_prev(&mut self, cpu: usize, prev: Option<Utid>) {
        match (self.known.cpus[cpu].runs, prev) {
            (Runs::Unobserved, _) | (Runs::Swapper, None) => {}
            (Runs::Swapper, Some(prev)) => self.missing_exit(cpu, prev),
            (Runs::Thread(have), _) if prev == Some(have) => {}
            (Runs::Thread(have), _) => {
                let stopper = format!("migration/{cpu}");
                if prev.is_none() && self.known.threads[have].name == Some(stopper.as_str()) {
                    self.repaired("offline_unreported", cpu);
                } else {
                    self.figures.contradictions += 1;
                }
                self.known.threads[have].state = State::Unknown;
                self.cpu_runs(cpu, Runs::Unobserved, Slice::Unobserved);
            }
        }
    }

    /// A CPU that runs swapper, as far as we know, names a thread as prev.
    fn missing_exit(&mut self, cpu: usize, prev: Utid) {
        let idle_since = self.known.cpus[cpu].since;
        match self.known.threads[prev].state {
            State::Waiting { cpu: on, queued_at, .. } if on == cpu && !self.known.threads[prev].throttled => {
                self.repaired("missing_idle_exit", cpu);
                let began = idle_since.max(queued_at);
                self.known.cpus[cpu].in_doubt = false;
                self.write_slice(cpu, began, Slice::AsKnown);
                let state = &mut self.known.cpus[cpu];
                (state.since, state.runs) = (began, Runs::Thread(prev));
                self.known.threads[prev].state = State::Running { cpu };
                // Not late: when it ran is inferred. Where it was not first all the time, it counted as waiting though it ran.
                let about = self.about_to_run[cpu].take();
                if !about.is_some_and(|(utid, since)| utid == prev && since <= began) {
                    *self.figures.doubtful_wait.entry(cpu).or_default() += self.known.cpus[cpu].crowded;
                }
                self.known.cpus[cpu].crowded = 0;
                self.exits_missing = true;
            }
            _ => {
                self.figures.contradictions += 1;
                self.exits_missing = true;
                *self.figures.doubtful.entry(cpu).or_default() += self.known.cpus[cpu].counted_idle;
                self.cpu_runs(cpu, Runs::Unobserved, Slice::Unobserved);
                self.known.cpus[cpu].in_doubt = true;
                self.about_to_run[cpu] = None; // another one ran; when is not known
            }
        }
        self.known.cpus[cpu].latest_exit_inferred = true;
    }

    /// A CPU whose latest exit from idle was inferred goes idle: its queue is empty.
    fn empty_queue(&mut self, cpu: usize) {
        for utid in self.known.queue(cpu) {
            let thread = &mut self.known.threads[utid];
            if !thread.throttled && thread.cookie == 0 {
                thread.state = State::Unknown;
                self.repaired("left_unseen", cpu);
            }
        }
    }

    /// A thread appears on a CPU: it waits nowhere, and where else it ran what was known is wrong.
    fn remove_from_elsewhere(&mut self, utid: Utid, cpu: usize) {
        if let State::Running { cpu: other } = self.known.threads[utid].state
            && other != cpu
        {
            self.figures.contradictions += 1;
            self.cpu_runs(other, Runs::Unobserved, Slice::Unobserved);
        }
        self.known.threads[utid].state = State::Unknown;
        self.known.threads[utid].mark_lived();
    }

    /// Quota is gone or back: the thread comes to its queue anew, and its wait goes on.
    fn throttle(&mut self, utid: Utid, on: bool) {
        let changes = self.known.threads[utid].throttled != on;
        self.known.threads[utid].throttled = on;
        if let State::Waiting { cpu, since, .. } = self.known.threads[utid].state
            && changes
        {
            self.known.enqueue(utid, cpu, since, self.now);
        }
    }

    /// A cpuset that is not reported stays as it is, unless the mask has CPUs that it has not: then it is unknown.
    fn cpuset(&mut self, utid: Utid, mask: Option<Cpus>, cpuset: Option<Cpus>) {
        let thread = &mut self.known.threads[utid];
        let fits = |set: &Cpus| mask.is_none_or(|mask| mask & !set == 0);
        thread.cpuset = cpuset.or(thread.cpuset.filter(fits));
    }

    fn wakeup(&mut self, tid: i32, cpu: usize, new: bool) {
        self.wakeups_reported |= !new;
        let mut utid = self.known.thread(tid);
        if new && self.known.threads[utid].first_wakeup == FirstWakeup::Past {
            self.ended_unseen(utid);
            utid = self.known.add(tid);
        }
        self.known.threads[utid].first_wakeup = FirstWakeup::Past;
        match self.known.threads[utid].state {
            State::Running { .. } | State::Dead => {}
            State::Waiting { .. } => self.move_waiting(utid, cpu),
            State::Unknown | State::New | State::Off => self.known.enqueue(utid, cpu, self.now, self.now),
        }
    }

    fn migrate(&mut self, tid: i32, from: Option<usize>, to: usize) {
        if tid == 0 {
            return;
        }
        let utid = self.known.thread(tid);
        let last = self.known.threads[utid].last;
        self.figures.contradictions += i64::from(from.is_some() && last.is_some() && from != last);
        match self.known.threads[utid].state {
            State::Running { .. } => self.figures.contradictions += 1,
            State::Waiting { .. } => self.move_waiting(utid, to),
            _ => self.known.threads[utid].last = Some(to),
        }
    }

    /// A thread that waits goes to another queue, and its wait goes on.
    fn move_waiting(&mut self, utid: Utid, to: usize) {
        match self.known.threads[utid].state {
            State::Waiting { cpu, since, .. } if cpu != to => self.known.enqueue(utid, to, since, self.now),
            _ => {}
        }
    }

    fn fork(&mut self, parent: i32, child: i32) {
        let parent = self.known.thread(parent);
        self.known.threads[parent].mark_lived();
        let of = self.known.threads[parent].clone();
        if let Some(former) = self.known.alive(child) {
            self.ended_unseen(former);
        }
        let utid = self.known.add(child);
        let new = &mut self.known.threads[utid];
        (new.mask, new.cpuset, new.cookie) = (of.mask, of.cpuset, of.cookie);
        (new.state, new.first_wakeup) = (State::New, FirstWakeup::ToCome);
    }

    /// A thread whose end was not reported is gone.
    fn ended_unseen(&mut self, utid: Utid) {
        if let State::Running { cpu } = self.known.threads[utid].state {
            self.cpu_runs(cpu, Runs::Unobserved, Slice::Unobserved);
        }
        self.known.threads[utid].state = State::Dead;
    }

    fn exec(&mut self, tid: i32, old: i32) {
        if tid == old {
            return;
        }
        let utid = self.known.thread(old);
        if let Some(leader) = self.known.alive(tid) {
            self.ended_unseen(leader);
        }
        self.known.rename(utid, tid);
        self.known.threads[utid].mark_lived();
    }

    fn hotplug(&mut self, cpu: usize, online: bool) {
        self.known.cpus[cpu].taken_away = !online;
        self.set_online(cpu, online);
    }

    fn set_online(&mut self, cpu: usize, online: bool) {
        if online != self.known.cpus[cpu].online {
            self.forget(cpu);
            self.known.cpus[cpu].online = online;
        }
    }

    fn lost(&mut self, cpu: usize, end: i64) {
        self.forget(cpu);
        self.known.cpus[cpu].lost_until = self.known.cpus[cpu].lost_until.max(end);
    }

    /// The CPU and its queue are unknown from now on.
    fn forget(&mut self, cpu: usize) {
        for utid in self.known.queue(cpu) {
            self.known.threads[utid].state = State::Unknown;
        }
        if let Runs::Thread(utid) = self.known.cpus[cpu].runs {
            self.known.threads[utid].state = State::Unknown;
        }
        self.cpu_runs(cpu, Runs::Unobserved, Slice::AsKnown);
    }

    /// The kernel's account of a run on a CPU that runs swapper as far as we know.
    fn run_span(&mut self, tid: i32, cpu: usize) {
        if tid == 0 || self.known.cpus[cpu].runs != Runs::Swapper {
            return;
        }
        let utid = self.known.thread(tid);
        self.repaired("missing_idle_exit", cpu);
        self.remove_from_elsewhere(utid, cpu);
        self.known.cpus[cpu].in_doubt = false;
        self.known.cpus[cpu].crowded = 0;
        self.exits_missing = true;
        self.known.cpus[cpu].latest_exit_inferred = true;
        self.set_running(cpu, Some(utid), false);
    }

    fn cpu_snapshot(&mut self, cpu: usize, state: CpuState) {
        if state == CpuState::Offline {
            self.set_online(cpu, false);
            return;
        }
        if self.known.is_unknown(cpu, self.now) || self.known.cpus[cpu].runs != Runs::Unobserved {
            return;
        }
        match state {
            CpuState::Runs(tid) if tid != 0 => {
                let utid = self.known.thread(tid);
                let thread = &self.known.threads[utid];
                let is_queued_here = matches!(thread.state, State::Waiting { cpu: queue, .. } if queue == cpu);
                if thread.state == State::Unknown || is_queued_here && !thread.throttled {
                    self.set_running_by_snapshot(cpu, utid);
                }
            }
            _ => {
                self.set_online(cpu, true);
                self.cpu_runs(cpu, Runs::Swapper, Slice::AsKnown);
            }
        }
    }

    /// A snapshot finds a thread of which nothing was known, or that was queued there, on a CPU of which nothing was known.
    fn set_running_by_snapshot(&mut self, cpu: usize, utid: Utid) {
        self.set_online(cpu, true);
        self.cpu_runs(cpu, Runs::Thread(utid), Slice::AsKnown);
        let thread = &mut self.known.threads[utid];
        (thread.state, thread.last) = (State::Running { cpu }, Some(cpu));
        thread.mark_lived();
    }

    /// What a snapshot says of a thread itself holds from now on; where it is, only where that is not known.
    fn thread_snapshot(&mut self, of: &ThreadState) {
        let utid = self.known.thread(of.tid);
        let thread = &mut self.known.threads[utid];
        (thread.name, thread.kernel) = (Some(of.name), Some(of.kernel || of.per_cpu));
        thread.mask = of.mask.or(thread.mask);
        thread.bound |= of.per_cpu;
        let says_all = of.place != Place::Unknown;
        let thread = &mut self.known.threads[utid];
        thread.disabled = of.disabled || !says_all && thread.disabled;
        thread.cookie = if says_all || of.cookie != 0 { of.cookie } else { thread.cookie };
        let throttled = of.throttled || !says_all && thread.throttled;
        self.cpuset(utid, of.mask, of.cpuset);
        self.throttle(utid, throttled);
        if self.known.threads[utid].state != State::Unknown {
            return;
        }
        match of.place {
            Place::Unknown => {}
            Place::Asleep => {
                let thread = &mut self.known.threads[utid];
                (thread.state, thread.last) = (State::Off, Some(of.cpu));
                thread.mark_lived();
            }
            Place::Queued => {
                self.known.enqueue(utid, of.cpu, self.now, self.now);
                self.known.threads[utid].mark_lived();
            }
            Place::Running => {
                self.known.threads[utid].mark_lived();
                let unobserved = self.known.cpus[of.cpu].runs == Runs::Unobserved;
                if unobserved && !self.known.is_unknown(of.cpu, self.now) {
                    self.set_running_by_snapshot(of.cpu, utid);
                }
            }
        }
    }
}
