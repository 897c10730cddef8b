//! The table "State reconstructed from events", event by event.

use std::collections::HashMap;

use wastenot_schemas::{task_state, thread_phase};

use super::{Event, Machine, Set, SnapshotState, Trace};

/// Where a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Unknown,
    Runs(usize),
    Waits { cpu: usize, preempted: bool },
    Off(u8),
    Dead,
}

/// A stretch of a thread's or a CPU's time: begin, end, and what it was.
pub type Row<T> = (i64, i64, T);
/// Phase of a thread, and the CPU it ran or was queued on.
pub type Phase = (u8, Option<usize>);

#[derive(Clone, Debug)]
pub struct Thread {
    pub tid: i32,
    pub place: Place,
    since: i64,
    wait_start: i64,
    /// Order of arrival on its queue.
    arrived: u64,
    mask: Option<Set>,
    cpuset: Option<Set>,
    cookie: i64,
    per_cpu: bool,
    migration_disabled: bool,
    throttled: bool,
    cgroup: Option<i64>,
    realtime: bool,
    kernel: bool,
    first_wakeup: FirstWakeup,
    pub rows: Vec<Row<Phase>>,
}

/// The wakeup that starts a thread's life; a second one is that of another thread with its tid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstWakeup {
    Unknown,
    /// A fork created the thread; it has not left a CPU since.
    Expected,
    Past,
}

impl Thread {
    /// It was woken or ran.
    fn mark_lived(&mut self) {
        if self.first_wakeup == FirstWakeup::Unknown {
            self.first_wakeup = FirstWakeup::Past;
        }
    }

    /// A cpuset that is not reported stays, unless the mask goes beyond it.
    fn set_cpuset(&mut self, mask: Option<Set>, cpuset: Option<Set>) {
        let fits = |known: &Set| mask.is_none_or(|mask| mask & !known == 0);
        self.cpuset = cpuset.or(self.cpuset.filter(fits));
    }
}

#[derive(Clone, Debug)]
pub struct Cpu {
    pub online: bool,
    /// utid that is known to run; 0 is swapper.
    sees: Option<usize>,
    /// Found running a thread that was not known to be there: no exit from idle has been seen or inferred since.
    doubted: bool,
    /// Its latest exit from idle was inferred.
    hides_exits: bool,
    since: i64,
    blind_until: i64,
    taken_away: bool,
    irq_until: i64,
    /// What ran over time; None unobserved or offline.
    pub rows: Vec<Row<Option<usize>>>,
}

/// A waiting thread at an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiter {
    pub utid: usize,
    pub cpu: usize,
    pub wait_start: i64,
    pub mask: Option<Set>,
    pub cpuset: Option<Set>,
    pub cookie: i64,
    pub per_cpu: bool,
    pub migration_disabled: bool,
    pub throttled: bool,
}

/// All that holds from `from` to `to`.
#[derive(Clone, Debug)]
pub struct Instant {
    pub from: i64,
    pub to: i64,
    pub online: usize,
    pub idle: Set,
    pub irq: Set,
    pub waiters: Vec<Waiter>,
    /// Cookie of the thread that runs on each CPU.
    pub cookies: Vec<Option<i64>>,
    /// Every runnable thread that does not run: (utid, CPU, throttled, cgroup).
    pub runnable: Vec<(usize, usize, bool, Option<i64>)>,
    /// What each CPU does.
    pub work: Vec<Work>,
}

/// What a CPU does, as far as it matters to threads that wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    Unknown,
    Swapper,
    Interrupts,
    Thread { cgroup: Option<i64>, realtime: bool, kernel: bool },
}

pub struct State {
    pub threads: Vec<Thread>,
    pub cpus: Vec<Cpu>,
    pub instants: Vec<Instant>,
    /// Threads that did not wait after all: (utid, from, to).
    pub refuted: Vec<(usize, i64, i64)>,
    pub contradictions: usize,
    holders: HashMap<i32, usize>,
    arrivals: u64,
    now: i64,
}

/// Replay a trace.
pub fn replay(trace: &Trace) -> State {
    let mut s = State::begin(&trace.machine);
    for (ts, event) in &trace.events {
        if *ts > trace.end_ns {
            continue;
        }
        s.contradictions += usize::from(*ts < s.now);
        s.reach(*ts);
        s.apply(event);
    }
    s.reach(trace.end_ns);
    (0..s.cpus.len()).for_each(|c| s.close_slice(c, true));
    (0..s.threads.len()).for_each(|u| s.set_place(u, s.threads[u].place));
    s
}

impl State {
    pub fn begin(machine: &Machine) -> Self {
        let cpu = Cpu {
            online: true,
            sees: None,
            doubted: false,
            hides_exits: false,
            since: 0,
            blind_until: i64::MIN,
            taken_away: false,
            irq_until: i64::MIN,
            rows: vec![],
        };
        let mut s = Self {
            threads: Vec::new(),
            cpus: vec![cpu; machine.n],
            instants: Vec::new(),
            refuted: Vec::new(),
            contradictions: 0,
            holders: HashMap::new(),
            arrivals: 0,
            now: 0,
        };
        s.start(0);
        s
    }

    fn start(&mut self, tid: i32) -> usize {
        self.holders.insert(tid, self.threads.len());
        self.threads.push(Thread {
            tid,
            place: Place::Unknown,
            since: self.now,
            wait_start: 0,
            arrived: 0,
            mask: None,
            cpuset: None,
            cookie: 0,
            per_cpu: false,
            migration_disabled: false,
            throttled: false,
            cgroup: None,
            realtime: false,
            kernel: false,
            first_wakeup: FirstWakeup::Unknown,
            rows: Vec::new(),
        });
        self.threads.len() - 1
    }

    fn of(&mut self, tid: i32) -> usize {
        self.holders.get(&tid).copied().unwrap_or_else(|| self.start(tid))
    }

    fn cpu(&self, number: i16) -> Option<usize> {
        usize::try_from(number).ok().filter(|c| *c < self.cpus.len())
    }

    // ---- time -----------------------------------------------------------------------------------------------------

    /// Note the state up to `to`, in pieces where interrupt work ends on the way.
    pub fn reach(&mut self, to: i64) {
        while self.now < to {
            let ends = self.cpus.iter().map(|c| c.irq_until).filter(|end| *end > self.now);
            let next = ends.min().map_or(to, |end| end.min(to));
            let instant = self.instant(next);
            self.instants.push(instant);
            self.now = next;
        }
    }

    fn instant(&self, to: i64) -> Instant {
        let set = |holds: &dyn Fn(usize) -> bool| (0..self.cpus.len()).filter(|&c| holds(c)).fold(0, |s, c| s | 1 << c);
        let swapper_runs = |c: usize| self.cpus[c].sees == Some(0);
        let waits = |u: &usize| matches!(self.threads[*u].place, Place::Waits { .. });
        let waiters = (0..self.threads.len()).filter(waits).filter_map(|utid| {
            let t = &self.threads[utid];
            let Place::Waits { cpu, .. } = t.place else { return None };
            let about_to_run = swapper_runs(cpu) && self.queue(cpu).first() == Some(&utid);
            (!about_to_run).then_some(Waiter {
                utid,
                cpu,
                wait_start: t.wait_start,
                mask: t.mask,
                cpuset: t.cpuset,
                cookie: t.cookie,
                per_cpu: t.per_cpu,
                migration_disabled: t.migration_disabled,
                throttled: t.throttled,
            })
        });
        Instant {
            from: self.now,
            to,
            online: self.cpus.iter().filter(|c| c.online).count(),
            idle: set(&|c| {
                let cpu = &self.cpus[c];
                cpu.online && swapper_runs(c) && !cpu.doubted && self.queue(c).is_empty()
            }),
            irq: set(&|c| self.cpus[c].irq_until > self.now),
            waiters: waiters.collect(),
            cookies: (0..self.cpus.len())
                .map(|c| self.cpus[c].sees.filter(|u| *u != 0).map(|u| self.threads[u].cookie))
                .collect(),
            runnable: (0..self.threads.len())
                .filter_map(|utid| match &self.threads[utid] {
                    t @ Thread { place: Place::Waits { cpu, .. }, .. } => Some((utid, *cpu, t.throttled, t.cgroup)),
                    _ => None,
                })
                .collect(),
            work: (0..self.cpus.len()).map(|cpu| self.work(cpu)).collect(),
        }
    }

    fn work(&self, cpu: usize) -> Work {
        match self.cpus[cpu].sees {
            Some(0) => Work::Swapper,
            _ if self.cpus[cpu].irq_until > self.now => Work::Interrupts,
            None => Work::Unknown,
            Some(utid) => {
                let &Thread { cgroup, realtime, kernel, .. } = &self.threads[utid];
                Work::Thread { cgroup, realtime, kernel }
            }
        }
    }

    /// Runnable threads with quota on a queue, in order of arrival.
    fn queue(&self, cpu: usize) -> Vec<usize> {
        let here = |u: &usize| {
            let t = &self.threads[*u];
            matches!(t.place, Place::Waits { cpu: c, .. } if c == cpu) && !t.throttled
        };
        let mut queue: Vec<usize> = (0..self.threads.len()).filter(here).collect();
        queue.sort_by_key(|&u| self.threads[u].arrived);
        queue
    }

    pub fn runs_swapper(&self, cpu: usize) -> bool {
        self.cpus[cpu].sees == Some(0)
    }

    /// Those on the queue that no cookie keeps from running.
    pub fn stranded(&self, cpu: usize) -> Vec<usize> {
        self.queue(cpu).into_iter().filter(|&u| self.threads[u].cookie == 0).collect()
    }

    // ---- moves ----------------------------------------------------------------------------------------------------

    /// The thread is elsewhere from now on; its row up to now is written.
    fn set_place(&mut self, utid: usize, place: Place) {
        let now = self.now;
        let t = &mut self.threads[utid];
        use task_state as s;
        let phase = match t.place {
            Place::Unknown | Place::Dead => None,
            Place::Runs(c) => Some((thread_phase::RUNNING, Some(c))),
            Place::Waits { cpu, .. } if t.throttled => Some((thread_phase::THROTTLED, Some(cpu))),
            Place::Waits { cpu, preempted: true } => Some((thread_phase::PREEMPTED, Some(cpu))),
            Place::Waits { cpu, preempted: false } => Some((thread_phase::RUNNABLE, Some(cpu))),
            Place::Off(s::S | s::I) => Some((thread_phase::SLEEPING, None)),
            Place::Off(s::T | s::T_TRACED | s::P) => Some((thread_phase::STOPPED, None)),
            Place::Off(_) => Some((thread_phase::BLOCKED, None)),
        };
        if let Some(phase) = phase {
            t.rows.push((t.since, now, phase));
        }
        (t.place, t.since) = (place, now);
    }

    /// Nothing is known of the thread from now on; not even up to now, where what we had was wrong.
    fn forget(&mut self, utid: usize, certain: bool) {
        if let Place::Runs(cpu) = self.threads[utid].place {
            self.unsee(cpu, certain);
        } else {
            if !certain {
                if matches!(self.threads[utid].place, Place::Waits { .. }) {
                    self.refuted.push((utid, self.threads[utid].since, self.now));
                }
                self.threads[utid].since = self.now;
            }
            self.set_place(utid, Place::Unknown);
        }
    }

    /// Runnable, on a queue; that of a CPU of which nothing can be known says nothing.
    fn queue_on(&mut self, utid: usize, cpu: usize, preempted: bool) {
        if !self.cpus[cpu].online || self.is_blind(cpu) {
            return self.set_place(utid, Place::Unknown);
        }
        self.arrivals += 1;
        self.threads[utid].arrived = self.arrivals;
        self.set_place(utid, Place::Waits { cpu, preempted });
    }

    fn close_slice(&mut self, cpu: usize, certain: bool) {
        let c = &mut self.cpus[cpu];
        let certain = certain && !(c.doubted && c.sees == Some(0));
        c.rows.push((c.since, self.now, c.sees.filter(|_| certain)));
        c.since = self.now;
    }

    /// When the CPU would be inferred to have left idle for a thread that is first on its queue and has not waited since.
    pub fn certain_exit(&self, cpu: usize, tid: i32) -> Option<i64> {
        let utid = *self.holders.get(&tid)?;
        let begin = self.threads[utid].since.max(self.cpus[cpu].since);
        let waits = |i: &Instant| i.to > begin && i.waiters.iter().any(|w| w.utid == utid);
        let is_first = self.cpus[cpu].sees == Some(0) && self.queue(cpu).first() == Some(&utid);
        (is_first && !self.instants.iter().any(waits)).then_some(begin)
    }

    /// Swapper was seen last and the thread that runs is on the queue: it has run since both were so.
    fn infer_idle_exit(&mut self, cpu: usize, utid: usize) {
        let begin = self.threads[utid].since.max(self.cpus[cpu].since);
        self.refuted.push((utid, begin, self.now));
        self.infer_idle_exit_at(cpu, utid, begin);
    }

    fn infer_idle_exit_at(&mut self, cpu: usize, utid: usize, begin: i64) {
        let now = std::mem::replace(&mut self.now, begin);
        self.cpus[cpu].doubted = false;
        self.cpus[cpu].hides_exits = true;
        self.close_slice(cpu, true);
        self.cpus[cpu].sees = Some(utid);
        self.set_place(utid, Place::Runs(cpu));
        self.now = now;
    }

    fn unsee(&mut self, cpu: usize, certain: bool) {
        self.close_slice(cpu, certain);
        if let Some(utid) = self.cpus[cpu].sees.take().filter(|u| *u != 0) {
            if !certain {
                self.threads[utid].since = self.now;
            }
            self.set_place(utid, Place::Unknown);
        }
    }

    fn see(&mut self, cpu: usize, utid: usize) {
        self.close_slice(cpu, true);
        self.cpus[cpu].online = true;
        self.cpus[cpu].sees = Some(utid);
        if utid != 0 {
            self.set_place(utid, Place::Runs(cpu));
        }
    }

    fn is_blind(&self, cpu: usize) -> bool {
        self.cpus[cpu].taken_away || self.now < self.cpus[cpu].blind_until
    }

    fn blind(&mut self, cpu: usize) {
        self.unsee(cpu, true);
        for utid in 0..self.threads.len() {
            if matches!(self.threads[utid].place, Place::Waits { cpu: c, .. } if c == cpu) {
                self.set_place(utid, Place::Unknown);
            }
        }
    }

    fn go_offline(&mut self, cpu: usize) {
        if self.cpus[cpu].online {
            self.blind(cpu);
            self.cpus[cpu].online = false;
        }
    }

    fn leave_other_cpu(&mut self, utid: usize, cpu: usize) {
        if let Place::Runs(other) = self.threads[utid].place
            && other != cpu
        {
            self.contradictions += 1;
            self.unsee(other, false);
        }
    }

    /// Without quota a waiting thread is beside the queue; with it again, at its end.
    fn set_throttled(&mut self, utid: usize, on: bool) {
        let t = &self.threads[utid];
        if t.throttled == on {
            return;
        }
        if let place @ Place::Waits { .. } = t.place {
            self.set_place(utid, place);
            self.arrivals += 1;
            self.threads[utid].arrived = self.arrivals;
        }
        self.threads[utid].throttled = on;
    }

    // ---- events ---------------------------------------------------------------------------------------------------

    pub fn apply(&mut self, event: &Event) {
        match *event {
            Event::Waking { .. } | Event::NrRunning { .. } => {}
            Event::Switch { cpu, prev, state, next } => self.switch(cpu, prev, state, next),
            Event::Wakeup { tid, cpu, new } => self.wakeup(tid, cpu, new),
            Event::Migrate { tid, to, .. } => self.migrate(tid, to),
            Event::Fork { parent, child } => self.fork(parent, child),
            Event::Exec { tid, was } => self.exec(tid, was),
            Event::Affinity { tid, mask, cpuset } => self.constrain(tid, |t| {
                t.mask = mask;
                t.set_cpuset(mask, cpuset);
            }),
            Event::MigrationDisabled { tid, on } => self.constrain(tid, |t| t.migration_disabled = on),
            Event::Cookie { tid, cookie } => self.constrain(tid, |t| t.cookie = cookie),
            Event::Cgroup { tid, cgroup } => self.constrain(tid, |t| t.cgroup = Some(cgroup)),
            Event::Throttle { tid, on } => {
                if tid != 0 {
                    let utid = self.of(tid);
                    self.set_throttled(utid, on);
                }
            }
            Event::Hotplug { cpu, online } => {
                let Some(cpu) = self.cpu(cpu) else { return };
                self.cpus[cpu].taken_away = !online;
                if !online {
                    self.go_offline(cpu);
                } else if !self.cpus[cpu].online {
                    self.close_slice(cpu, true);
                    self.cpus[cpu].online = true;
                }
            }
            Event::Irq { cpu, dur_ns } => {
                let Some(cpu) = self.cpu(cpu).filter(|_| dur_ns > 20_000) else { return };
                self.cpus[cpu].irq_until = self.cpus[cpu].irq_until.max(self.now + dur_ns);
            }
            Event::Run { cpu, tid } => self.run(cpu, tid),
            Event::Lost { cpu, end_ns } => {
                for c in 0..self.cpus.len() {
                    if cpu.is_none_or(|number| self.cpu(number) == Some(c)) {
                        self.blind(c);
                        self.cpus[c].blind_until = self.cpus[c].blind_until.max(end_ns);
                    }
                }
            }
            Event::Cpu { cpu, current } => self.cpu_snapshot(cpu, current),
            Event::Thread { tid, cpu, state, mask, cpuset, per_cpu } => {
                if tid != 0 {
                    self.constrain(tid, |t| {
                        t.mask = mask.or(t.mask);
                        t.set_cpuset(mask, cpuset);
                        t.mark_lived();
                        t.per_cpu |= per_cpu;
                        (t.kernel, t.realtime) = (per_cpu, super::priority(tid) < 100);
                        (t.cookie, t.migration_disabled) = (0, false);
                    });
                    let utid = self.of(tid);
                    self.set_throttled(utid, false);
                    self.thread_snapshot(utid, cpu, state);
                }
            }
        }
    }

    fn constrain(&mut self, tid: i32, edit: impl FnOnce(&mut Thread)) {
        if tid != 0 {
            let utid = self.of(tid);
            edit(&mut self.threads[utid]);
        }
    }

    fn switch(&mut self, cpu: i16, prev: i32, state: u8, next: i32) {
        let Some(cpu) = self.cpu(cpu) else { return };
        let prev = self.of(prev);
        let next = self.of(next);
        if self.cpus[cpu].sees == Some(0) && prev != 0 {
            if self.queue(cpu).contains(&prev) {
                self.infer_idle_exit(cpu, prev);
            } else {
                (self.cpus[cpu].doubted, self.cpus[cpu].hides_exits) = (true, true);
            }
        }
        if self.cpus[cpu].sees != Some(prev) {
            if self.cpus[cpu].sees.is_some() {
                self.contradictions += 1;
                self.unsee(cpu, false);
            }
            self.leave_other_cpu(prev, cpu);
            self.see(cpu, prev);
        }
        if next != 0 {
            self.leave_other_cpu(next, cpu);
            self.contradictions += usize::from(matches!(self.threads[next].place, Place::Off(_)));
            // It runs, so it has quota.
            self.set_throttled(next, false);
        }
        [prev, next].into_iter().for_each(|utid| self.threads[utid].mark_lived());
        self.threads[next].realtime = super::priority(self.threads[next].tid) < 100;
        if next != prev {
            self.cpus[cpu].doubted &= prev != 0;
            self.cpus[cpu].hides_exits &= prev != 0;
            self.close_slice(cpu, true);
            self.cpus[cpu].sees = Some(next);
            if next != 0 {
                self.set_place(next, Place::Runs(cpu));
            } else if self.cpus[cpu].hides_exits {
                // Swapper runs when no other can: they have left, unseen.
                let left = self.stranded(cpu);
                left.into_iter().for_each(|u| self.forget(u, false));
            }
            if prev != 0 {
                self.leave(prev, cpu, state);
            }
        }
        if self.is_blind(cpu) {
            self.blind(cpu);
            self.cpus[cpu].online &= !self.cpus[cpu].taken_away;
        }
    }

    /// The kernel accounted for the thread: where swapper was seen last, it runs from now on.
    fn run(&mut self, cpu: i16, tid: i32) {
        let Some(cpu) = self.cpu(cpu).filter(|&c| tid != 0 && self.cpus[c].sees == Some(0)) else { return };
        let utid = self.of(tid);
        self.threads[utid].mark_lived();
        self.leave_other_cpu(utid, cpu);
        self.set_throttled(utid, false);
        self.infer_idle_exit_at(cpu, utid, self.now);
    }

    fn leave(&mut self, utid: usize, cpu: usize, state: u8) {
        self.threads[utid].first_wakeup = FirstWakeup::Past;
        match state {
            task_state::R | task_state::R_PREEMPTED => {
                self.threads[utid].wait_start = self.now;
                self.queue_on(utid, cpu, true);
            }
            task_state::X | task_state::Z => {
                self.set_place(utid, Place::Dead);
                self.holders.remove(&self.threads[utid].tid);
            }
            task_state::UNKNOWN => self.set_place(utid, Place::Unknown),
            other => self.set_place(utid, Place::Off(other)),
        }
    }

    fn wakeup(&mut self, tid: i32, cpu: i16, new: bool) {
        let Some(cpu) = self.cpu(cpu).filter(|_| tid != 0) else { return };
        let mut utid = self.of(tid);
        if new && self.threads[utid].first_wakeup == FirstWakeup::Past {
            self.forget(utid, false);
            utid = self.start(tid);
        }
        self.threads[utid].first_wakeup = FirstWakeup::Past;
        match self.threads[utid].place {
            Place::Runs(_) => {}
            Place::Waits { cpu: c, .. } if c == cpu => {}
            Place::Waits { preempted, .. } => self.queue_on(utid, cpu, preempted),
            _ => {
                self.threads[utid].wait_start = self.now;
                self.queue_on(utid, cpu, false);
            }
        }
    }

    fn migrate(&mut self, tid: i32, to: i16) {
        let Some(to) = self.cpu(to).filter(|_| tid != 0) else { return };
        let utid = self.of(tid);
        match self.threads[utid].place {
            Place::Runs(_) => self.contradictions += 1,
            Place::Waits { cpu, preempted } if cpu != to => self.queue_on(utid, to, preempted),
            _ => {}
        }
    }

    fn fork(&mut self, parent: i32, child: i32) {
        if child == 0 {
            return;
        }
        let parent = self.of(parent);
        if let Some(&old) = self.holders.get(&child) {
            self.forget(old, false);
        }
        let child = self.start(child);
        self.threads[parent].mark_lived();
        let p = self.threads[parent].clone();
        let c = &mut self.threads[child];
        (c.mask, c.cpuset, c.cookie, c.place) = (p.mask, p.cpuset, p.cookie, Place::Off(task_state::W));
        (c.cgroup, c.realtime, c.kernel) = (p.cgroup, p.realtime, p.kernel);
        c.first_wakeup = FirstWakeup::Expected;
    }

    fn exec(&mut self, tid: i32, was: i32) {
        if tid == was || tid == 0 || was == 0 {
            return;
        }
        let utid = self.of(was);
        self.holders.remove(&was);
        if let Some(&leader) = self.holders.get(&tid) {
            self.forget(leader, false);
        }
        self.holders.insert(tid, utid);
        self.threads[utid].tid = tid;
        self.threads[utid].mark_lived();
    }

    fn cpu_snapshot(&mut self, cpu: i16, current: Option<i32>) {
        let Some(cpu) = self.cpu(cpu) else { return };
        let Some(tid) = current else { return self.go_offline(cpu) };
        if self.cpus[cpu].sees.is_none() && !self.is_blind(cpu) {
            let utid = self.of(tid);
            let queued_here = matches!(self.threads[utid].place, Place::Waits { cpu: place, .. } if place == cpu);
            if utid == 0 || self.threads[utid].place == Place::Unknown || queued_here && !self.threads[utid].throttled {
                self.threads[utid].mark_lived();
                self.see(cpu, utid);
            }
        }
    }

    fn thread_snapshot(&mut self, utid: usize, cpu: i16, state: SnapshotState) {
        let Some(cpu) = self.cpu(cpu) else { return };
        if self.threads[utid].place != Place::Unknown {
            return;
        }
        match state {
            SnapshotState::Running => {
                if self.cpus[cpu].sees.is_none() && !self.is_blind(cpu) {
                    self.see(cpu, utid);
                }
            }
            SnapshotState::Queued => {
                self.threads[utid].wait_start = self.now;
                self.queue_on(utid, cpu, false);
            }
            SnapshotState::Asleep => self.set_place(utid, Place::Off(task_state::S)),
        }
    }
}
