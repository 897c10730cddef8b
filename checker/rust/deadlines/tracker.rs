//! The events of a trace as they start, interrupt and end jobs.

mod declared_tasks;
mod time;

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use wastenot_schemas::{EventView, dl_parameters, task_state};

use super::edf::{self, Wait};
use super::faults::{Demand, fault_of};
use super::job_table::{EndedJob, JobTable};
use super::passed_over::{PassedOverInterval, PassedOverTotals};
use super::root_domains::RootDomains;
use super::schedulability::{NotCovered, Schedulability};
use super::task::{EdfKey, Job, JobEnd, Reservation, Server, Task, TimeUse};
use super::{DeadlineOptions, glob};
use crate::error::CheckError;
use crate::scheduler::{MAX_RT_PRIO, Scheduler};
use crate::threads::{Phase, SWAPPER, Utid};
use crate::topology::CpuIx;
use crate::walk::Entities;
use wastenot_schemas::Sink;

/// Misses, and times for which a thread was passed over, that are listed where the options do not say how many.
const LISTED: usize = 100;
/// A fair thread that runs after other classes had the CPU for so long is run by the CPU's deadline server: its runtime and period are
/// 50 ms and 1 s, and it starts when its laxity is gone (kernel/sched/deadline.c: fair_server_init, dl_server_timer).
const STARVED_NS: i64 = 500_000_000;
/// `flags` of a thread of schedutil (SCHED_FLAG_SUGOV).
const SCHED_FLAG_SUGOV: i32 = 0x1000_0000;

/// Interrupt work under way on a CPU.
#[derive(Clone, Copy)]
struct Interrupt {
    until_ns: i64,
    kind: u8,
    vector: Option<i32>,
}

/// What has to be known of an event before it is applied.
pub struct Before {
    ts_ns: i64,
    /// The threads that it names, as they were.
    threads: [Option<(Utid, Phase)>; 2],
}

/// The tasks of a kind that share a root domain when they need most of it.
#[derive(Clone, Debug)]
pub struct PeakSet {
    pub at_ns: i64,
    pub tests: Schedulability,
    pub is_deadline: bool,
    pub tasks: Vec<Utid>,
}

/// A missed deadline, for the list of the worst.
pub type Miss = EndedJob;

pub struct DeadlineTracker {
    options: DeadlineOptions,
    listed: usize,
    pub tick_ns: i64,
    /// Share of each CPU that deadline threads may have; None: no bound, or not known.
    pub bound: Option<f64>,
    pub is_bound_known: bool,
    has_fair_servers: bool,
    pub roots: RootDomains,
    pub tasks: Vec<Task>,
    by_utid: HashMap<Utid, usize>,
    /// Threads whose name was compared with the declared tasks, and matched none.
    unmatched: HashSet<Utid>,
    /// Per declared task: the name of some thread matches it.
    pub has_thread: Vec<bool>,
    /// Threads whose name was looked at for that.
    looked_at: HashSet<Utid>,
    priorities: Vec<Option<i16>>,
    interrupts: Vec<Option<Interrupt>>,
    /// Per CPU: since when it has run neither swapper nor a fair thread; and whether what it runs is run by its deadline server.
    starved_since: Vec<i64>,
    runs_server: Vec<bool>,
    /// Per CPU: since when it has run what it runs.
    switched_ns: Vec<i64>,
    now: i64,
    started: bool,
    /// Events are being lost until then.
    blind_until: i64,
    /// How often events were lost.
    pub losses: u64,
    waits: Vec<Wait>,
    stale: bool,
    /// Some task has a job, waits, or is to be replenished.
    awake: bool,
    pub passed_over: PassedOverTotals,
    /// Of each root domain: that of SCHED_DEADLINE threads, and that of declared tasks of other classes.
    pub peaks: Vec<[Option<PeakSet>; 2]>,
    pub misses: Vec<Miss>,
    pub missed: u64,
    table: JobTable,
    pub recorded_rows: u64,
    /// Prefer what was recorded: threads that a declared task matches too.
    pub declared_in_vain: HashSet<Utid>,
    /// SCHED_DEADLINE threads whose parameters are not known.
    pub undescribed: HashSet<Utid>,
}

impl DeadlineTracker {
    pub fn new(entities: &Entities, options: &DeadlineOptions) -> Self {
        let topology = &entities.topology;
        let (n, roots) = (topology.len(), RootDomains::new(topology));
        // A kernel whose release is not known may have servers.
        let has_fair_servers = entities.release.is_none_or(|release| release >= (6, 8));
        Self {
            options: options.clone(),
            listed: options.listed.unwrap_or(LISTED),
            tick_ns: topology.tick_ns,
            bound: topology.deadline_bound(),
            is_bound_known: topology.rt_runtime_us.is_some(),
            has_fair_servers,
            peaks: vec![[None, None]; roots.sets.len()],
            roots,
            tasks: Vec::new(),
            by_utid: HashMap::new(),
            unmatched: HashSet::new(),
            has_thread: vec![false; options.tasks.len()],
            looked_at: HashSet::new(),
            priorities: Vec::new(),
            interrupts: vec![None; n],
            starved_since: vec![i64::MAX; n],
            runs_server: vec![false; n],
            switched_ns: vec![i64::MIN; n],
            now: 0,
            started: false,
            blind_until: i64::MIN,
            losses: 0,
            waits: Vec::new(),
            stale: true,
            awake: false,
            passed_over: PassedOverTotals::default(),
            misses: Vec::new(),
            missed: 0,
            table: JobTable::default(),
            recorded_rows: 0,
            declared_in_vain: HashSet::new(),
            undescribed: HashSet::new(),
        }
    }

    // ---- events -------------------------------------------------------------------------------------------------

    /// Time passes up to the event, which is not applied yet. None: it changes nothing here.
    #[inline]
    pub fn before(&mut self, s: &Scheduler, view: &EventView, row: usize, last_ns: i64) -> Option<Before> {
        let tids = match view {
            EventView::SchedWaking(_)
            | EventView::NrRunning(_)
            | EventView::SchedStatRuntime(_)
            | EventView::PerfCounter(_)
            | EventView::CpuIdle(_)
            | EventView::CpuFrequency(_)
            | EventView::BalanceAttempt(_)
            | EventView::BalanceKick(_)
            | EventView::CpusScanned(_)
            | EventView::CpuLoad(_)
            | EventView::Schedstat(_)
            | EventView::RegionEvent(_)
            | EventView::BubbleEvent(_) => return None,
            EventView::SchedSwitch(v) => [v.prev_tid.value(row), v.next_tid.value(row)],
            EventView::SchedWakeup(v) => [v.tid.value(row), 0],
            _ => [0, 0],
        };
        let ts_ns = view.ts_ns(row);
        if ts_ns > last_ns {
            return None;
        }
        let ts_ns = if self.started { ts_ns.max(self.now) } else { ts_ns };
        if !self.started {
            (self.started, self.now) = (true, ts_ns);
        }
        self.advance(s, ts_ns);
        let find =
            |tid: i32| (tid > 0).then(|| s.threads.find(tid)).flatten().map(|utid| (utid, s.threads[utid].phase));
        Some(Before { ts_ns, threads: tids.map(find) })
    }

    /// The event has been applied.
    pub fn after(&mut self, s: &Scheduler, view: &EventView, row: usize, before: Before) {
        self.stale = true;
        match view {
            EventView::SchedSwitch(v) => {
                let (prev_prio, next_prio) = (optional(&v.prev_prio, row), optional(&v.next_prio, row));
                let next_tid = v.next_tid.value(row);
                let next = if next_tid == 0 { Some(SWAPPER) } else { s.threads.find(next_tid) };
                let Some(cpu) = s.topology.index(v.cpu.value(row)) else { return };
                let mut is_surprise = false;
                if let Some((prev, was)) = before.threads[0] {
                    self.set_priority(prev, prev_prio);
                    if was != Phase::Running(cpu) && was != Phase::Unknown {
                        self.lose_job_of(prev); // its switch to this CPU was not reported
                        is_surprise = true;
                    }
                    self.leave_cpu(s, prev, v.prev_state.value(row));
                }
                if is_surprise {
                    self.doubt_occupant(cpu);
                }
                self.switched_ns[cpu as usize] = self.now;
                if let Some(next) = next {
                    self.set_priority(next, next_prio);
                    self.note_starving(s, cpu, next);
                    self.enter_cpu(s, cpu, next);
                }
            }
            EventView::SchedWakeup(v) => {
                let Some(utid) = s.threads.find(v.tid.value(row)) else { return };
                self.set_priority(utid, optional(&v.prio, row));
                let was = before.threads[0].filter(|(of, _)| *of == utid).map(|(_, phase)| phase);
                self.wake(s, utid, was);
                // Which root domain a new thread is in is known from here on.
                if v.is_new.value(row) && self.by_utid.contains_key(&utid) {
                    self.note_set(s);
                }
            }
            EventView::DlParameters(v) => {
                let row = v.row(row);
                if let Some(utid) = s.threads.find(row.tid).filter(|utid| *utid != SWAPPER) {
                    self.take_server(s, utid, &row);
                }
            }
            EventView::ThreadSnapshot(v) => {
                let row = v.row(row);
                if let Some(utid) = s.threads.find(row.tid).filter(|utid| *utid != SWAPPER) {
                    self.set_priority(utid, row.prio);
                    self.unmatched.remove(&utid);
                    self.looked_at.remove(&utid);
                    self.declared_task(s, utid);
                }
            }
            EventView::ThreadName(v) => {
                if let Some(utid) = s.threads.find(v.tid.value(row)) {
                    self.rename(s, utid);
                }
            }
            EventView::Affinity(v)
                if s.threads.find(v.tid.value(row)).is_some_and(|utid| self.by_utid.contains_key(&utid)) =>
            {
                self.note_set(s);
            }
            EventView::IrqSpan(v) => {
                let row = v.row(row);
                let Some(cpu) = s.topology.index(row.cpu) else { return };
                let until_ns = before.ts_ns.saturating_add(row.dur_ns);
                let at = &mut self.interrupts[cpu as usize];
                if at.is_none_or(|irq| irq.until_ns < until_ns) {
                    *at = Some(Interrupt { until_ns, kind: row.kind, vector: row.vector });
                }
                return;
            }
            EventView::LostEvents(v) => {
                let row = v.row(row);
                self.blind_until = self.blind_until.max(row.end_ns).max(before.ts_ns);
                self.losses += 1;
                self.lose_jobs();
            }
            _ => {}
        }
        self.note_awake(s);
    }

    fn note_awake(&mut self, s: &Scheduler) {
        let is_awake = |task: &Task| {
            task.job.is_some()
                || task.passed_over.is_some()
                || task.open_wait.is_some()
                || task.server.replenish_ns.is_some()
                || task.is_deadline && matches!(s.threads[task.utid].phase, Phase::Queued { .. } | Phase::Running(_))
        };
        self.awake = self.tasks.iter().any(is_awake);
    }

    fn set_priority(&mut self, utid: Utid, prio: Option<i16>) {
        let Some(prio) = prio.filter(|_| utid != SWAPPER) else { return };
        let at = utid as usize;
        if at >= self.priorities.len() {
            self.priorities.resize((at + 1).next_power_of_two(), None);
        }
        self.priorities[at] = Some(prio);
        if prio < 0 && !self.by_utid.get(&utid).is_some_and(|&at| self.tasks[at].is_deadline) {
            match self.by_utid.get(&utid) {
                Some(&at) => self.tasks[at].set_deadline(),
                None => {
                    let at = self.task_of(utid);
                    self.tasks[at].set_deadline();
                    self.undescribed.insert(utid);
                }
            }
        } else if prio >= 0
            && let Some(&at) = self.by_utid.get(&utid)
            && self.tasks[at].is_deadline
        {
            // It is of another class from now on.
            let task = &mut self.tasks[at];
            (task.is_deadline, task.server, task.key_before) = (false, Server::default(), None);
            if task.recorded && !task.declared {
                task.reservation = None;
                task.drop_job();
                task.in_incomplete = false;
            }
        }
    }

    /// The state of a thread's server was recorded.
    fn take_server(&mut self, s: &Scheduler, utid: Utid, row: &dl_parameters::Row) {
        self.recorded_rows += 1;
        let at = self.task_of(utid);
        let reservation = Reservation {
            runtime_ns: row.runtime_ns,
            deadline_ns: row.deadline_ns,
            period_ns: if row.period_ns > 0 { row.period_ns } else { row.deadline_ns },
        };
        let reservation = (row.runtime_ns > 0 && row.deadline_ns > 0).then_some(reservation);
        let task = &mut self.tasks[at];
        let was_of_class = task.is_deadline;
        let is_new = task.reservation != reservation || !was_of_class;
        if task.declared {
            task.declared = false;
            self.declared_in_vain.insert(utid);
        }
        task.set_reservation(reservation);
        task.set_deadline();
        if !std::mem::replace(&mut task.recorded, true) {
            self.looked_at.remove(&utid);
        }
        task.is_special = row.flags & SCHED_FLAG_SUGOV != 0;
        let replenish_ns = match (row.throttled, row.until_ns, reservation) {
            // dl_next_period(): kernel/sched/deadline.c
            (true, Some(until_ns), Some(r)) => Some(until_ns - r.deadline_ns + r.period_ns),
            _ => None,
        };
        task.key_before = task.server.key;
        if let Some(left_ns) = row.left_ns {
            task.budget.record(left_ns);
        }
        if !row.throttled {
            task.throttled_by = None;
        }
        task.server = Server {
            until_ns: row.until_ns,
            key: row.kernel_deadline_ns.map(EdfKey::Kernel),
            left_ns: row.left_ns.unwrap_or(0),
            throttled: row.throttled,
            yielded: row.yielded,
            replenish_ns,
        };
        self.undescribed.remove(&utid);
        if !was_of_class {
            self.correct_class(s, at);
        }
        if is_new {
            self.note_set(s);
        }
    }

    /// A thread that has run as if of a lower class turns out to be SCHED_DEADLINE: nothing is recorded as a thread sets its class, so that
    /// this shows at its next switch. Its server's first deadline says since when (setup_new_dl_entity()). Who waited meanwhile was not
    /// passed over for it, unless with an earlier deadline.
    fn correct_class(&mut self, s: &Scheduler, of: usize) {
        let (utid, reservation, server) = {
            let task = &self.tasks[of];
            (task.utid, task.reservation, task.server)
        };
        let Phase::Running(cpu) = s.threads[utid].phase else { return };
        let set_ns = reservation.zip(server.until_ns).map(|(r, until_ns)| until_ns - r.deadline_ns);
        let from = set_ns.unwrap_or(i64::MIN).max(self.switched_ns[cpu as usize]).min(self.now);
        self.withdraw(cpu, from, |task| match task.key().zip(server.key).and_then(|(key, of)| key.order(of)) {
            Some(Ordering::Less) => TimeUse::PassedOver,
            Some(_) => TimeUse::EarlierDeadlines,
            None => TimeUse::Unknown,
        });
    }

    /// A switch says that a CPU ran something else than was known: who waited while it might have used this CPU was not passed over as
    /// far as is known, since the last switch that was reported.
    fn doubt_occupant(&mut self, cpu: CpuIx) {
        let from = self.switched_ns[cpu as usize].min(self.now);
        self.withdraw(cpu, from, |_| TimeUse::Unknown);
    }

    /// Those that wait now were not passed over on this CPU from `from` on, unless `on` says so of a task; else it says what they did.
    fn withdraw(&mut self, cpu: CpuIx, from: i64, on: impl Fn(&Task) -> TimeUse) {
        for at in 0..self.waits.len() {
            let wait = self.waits[at];
            let (Some((_, of_cpu)), Some(by)) = (wait.instead, wait.by) else { continue };
            let task = &mut self.tasks[wait.task];
            let on = on(task);
            if of_cpu != cpu || on == TimeUse::PassedOver {
                continue;
            }
            if let Some(job) = &mut task.job {
                job.move_time(by, TimeUse::PassedOver, on, self.now - from.max(job.activation_ns));
            }
            let Some(of) = task.passed_over.take() else { continue };
            if on == TimeUse::Unknown {
                self.passed_over.unknown_ns += i128::from(self.now - from.max(of.since_ns));
                task.open_wait.iter_mut().for_each(|open| open.is_unknown = true);
            }
            let interval = PassedOverInterval { utid: task.utid, end_ns: from, of };
            if interval.dur_ns() > 0 {
                self.passed_over.add(interval, self.tick_ns, self.listed);
            }
        }
    }

    fn wake(&mut self, s: &Scheduler, utid: Utid, was: Option<Phase>) {
        let Some(at) = self.declared_task(s, utid) else { return };
        let now = self.now;
        let task = &mut self.tasks[at];
        task.alive = true;
        let seems_awake = matches!(was, Some(Phase::Running(_) | Phase::Queued { .. }));
        let has_new_deadline = task.recorded && task.key_before.is_some_and(|key| Some(key) != task.server.key);
        task.key_before = task.server.key;
        if let Some(job) = &mut task.job {
            job.woken_late |= task.server.throttled && matches!(was, Some(Phase::Off(_)));
            // A wakeup sets the deadline of a thread that slept. If this one seems not to have, its switch to sleep was not
            // reported, and where it is now is not known.
            if seems_awake && has_new_deadline {
                task.lose_job();
                task.sums.incomplete += 1;
                task.sums.lost += 1;
            }
            return; // else it was blocked, or is awake
        }
        // What runs, waits or is blocked without a job is in one whose activation was not seen.
        let in_one = match was {
            Some(Phase::Running(_) | Phase::Queued { .. } | Phase::Throttled { .. }) => true,
            Some(Phase::Off(state)) => is_blocked(state),
            _ => false,
        };
        if in_one {
            return;
        }
        task.in_incomplete = false;
        let Some(reservation) = task.reservation else { return };
        if now < self.blind_until {
            (task.sums.incomplete, task.in_incomplete) = (task.sums.incomplete + 1, true);
            task.sums.lost += 1;
            return;
        }
        let from =
            task.server.replenish_ns.filter(|_| task.server.throttled).map_or(now, |replenish| replenish.max(now));
        let deadline_ns = from + reservation.deadline_ns;
        if task.is_deadline && !task.recorded && !task.server.throttled {
            task.server = Server {
                until_ns: Some(deadline_ns),
                key: Some(EdfKey::Modelled(deadline_ns)),
                left_ns: reservation.runtime_ns,
                ..Server::default()
            };
        }
        task.job = Some(Job::new(now, deadline_ns, reservation, false));
        task.in_sight = true;
    }

    fn leave_cpu(&mut self, s: &Scheduler, utid: Utid, state: u8) {
        let Some(&at) = self.by_utid.get(&utid) else { return };
        let task = &mut self.tasks[at];
        task.key_before = task.server.key;
        match state {
            task_state::R | task_state::R_PREEMPTED => {
                if task.is_deadline && !task.recorded && !task.server.throttled {
                    throttle_by_model(task);
                }
                if task.is_deadline && task.server.throttled {
                    if task.server.yielded {
                        task.end_unseen();
                        self.end_job(s, at, JobEnd::Yield);
                    } else {
                        task.throttled_by = task.budget.spent_by();
                        task.sums.throttles += 1;
                        if let Some(job) = &mut task.job {
                            job.throttles += 1;
                        }
                    }
                }
            }
            task_state::S | task_state::I => {
                self.tasks[at].end_unseen();
                self.end_job(s, at, JobEnd::Sleep);
            }
            task_state::X | task_state::Z => {
                self.tasks[at].end_unseen();
                self.end_job(s, at, JobEnd::Exit);
                self.tasks[at].alive = false;
                self.tasks[at].server = Server::default();
            }
            state if is_blocked(state) => {}
            // Stopped, traced, parked, or not known: what follows is not a part of the job.
            _ => task.drop_job(),
        }
    }

    fn enter_cpu(&mut self, s: &Scheduler, cpu: CpuIx, utid: Utid) {
        let Some(&at) = self.by_utid.get(&utid) else { return };
        let task = &mut self.tasks[at];
        task.key_before = task.server.key;
        if !task.recorded && task.server.throttled {
            (task.server.throttled, task.server.replenish_ns) = (false, None);
        }
        if task.is_deadline && !edf::may_use(s, utid, cpu, cpu) {
            task.sums.outside_mask += 1;
        }
    }

    /// Whether the CPU's deadline server runs a fair thread.
    fn note_starving(&mut self, s: &Scheduler, cpu: CpuIx, next: Utid) {
        let at = cpu as usize;
        let is_fair = next == SWAPPER || self.priority(s, next).is_none_or(|prio| prio >= MAX_RT_PRIO);
        if is_fair {
            let starved = self.starved_since[at] != i64::MAX && self.now - self.starved_since[at] >= STARVED_NS;
            self.runs_server[at] = next != SWAPPER && self.has_fair_servers && (starved || self.runs_server[at]);
            self.starved_since[at] = i64::MAX;
        } else {
            self.runs_server[at] = false;
            if self.starved_since[at] == i64::MAX {
                self.starved_since[at] = self.now;
            }
        }
    }

    fn priority(&self, s: &Scheduler, utid: Utid) -> Option<i16> {
        let known = self.priorities.get(utid as usize).copied().flatten();
        known.or_else(|| s.threads[utid].is_stopper().then_some(0))
    }

    fn lose_job_of(&mut self, utid: Utid) {
        if let Some(&at) = self.by_utid.get(&utid) {
            self.tasks[at].lose_job();
        }
    }

    /// Jobs under way when events are lost are not measured. A time for which a thread is passed over ends there: up to then it was seen.
    fn lose_jobs(&mut self) {
        for at in 0..self.tasks.len() {
            // A throttled thread does not run before its server is replenished, whatever is lost.
            self.tasks[at].lose_job();
            self.end_passed_over(at);
            self.end_open_wait(at);
        }
    }

    fn end_passed_over(&mut self, at: usize) {
        let task = &mut self.tasks[at];
        let Some(of) = task.passed_over.take() else { return };
        let interval = PassedOverInterval { utid: task.utid, end_ns: self.now, of };
        let is_violation = self.passed_over.add(interval, self.tick_ns, self.listed);
        if let Some(wait) = &mut task.open_wait {
            wait.is_violation |= is_violation;
        }
    }

    fn end_open_wait(&mut self, at: usize) {
        if let Some(wait) = self.tasks[at].open_wait.take() {
            self.passed_over.end(wait, self.now, self.tick_ns);
        }
    }

    // ---- ends ---------------------------------------------------------------------------------------------------

    fn end_job(&mut self, s: &Scheduler, at: usize, how: JobEnd) {
        let task = &mut self.tasks[at];
        let Some(mut job) = task.job.take() else { return };
        job.settle_charged();
        let (now, utid) = (self.now, task.utid);
        let tardiness_ns = (now - job.deadline_ns).max(0);
        let unfinished = how == JobEnd::Unfinished;
        if unfinished && tardiness_ns == 0 {
            task.sums.incomplete += 1;
            return;
        }
        let missed = tardiness_ns > 0;
        let demand = missed.then(|| self.demand_on(s, utid));
        let fault = demand.as_ref().map(|demand| fault_of(&job, tardiness_ns, demand.is_exceeded()));
        let sums = &mut self.tasks[at].sums;
        sums.jobs += 1;
        sums.unfinished += u64::from(unfinished);
        let laxity_ns = job.laxity_ns(now);
        sums.laxity_min_ns = Some(sums.laxity_min_ns.map_or(laxity_ns, |least| least.min(laxity_ns)));
        sums.response_max_ns = sums.response_max_ns.max(now - job.activation_ns);
        sums.run_max_ns = sums.run_max_ns.max(job.run_ns());
        for (sum, ns) in sums.spent_ns.iter_mut().zip(job.spent_ns) {
            *sum += ns;
        }
        let overrun_ns = job.overrun_ns();
        sums.overruns += u64::from(overrun_ns > 0);
        sums.overrun_max_ns = sums.overrun_max_ns.max(overrun_ns);
        if let Some((fault, _)) = fault {
            sums.missed += 1;
            sums.tardiness_ns += i128::from(tardiness_ns);
            sums.tardiness_max_ns = sums.tardiness_max_ns.max(tardiness_ns);
            sums.faults[fault as usize] += 1;
            self.missed += 1;
        }
        let ended = EndedJob { utid, end_ns: now, how, tardiness_ns, laxity_ns, fault, demand, job };
        self.table.push(&ended);
        if missed {
            let place = self.misses.partition_point(|other| other.tardiness_ns >= tardiness_ns);
            if place < self.listed {
                self.misses.insert(place, ended);
                self.misses.truncate(self.listed);
            }
        }
    }

    /// The CPUs that a thread may use, its root domain's at most where it is a deadline thread.
    fn cpus_of(&self, s: &Scheduler, task: &Task) -> Vec<CpuIx> {
        let place = s.threads[task.utid].phase.cpu().or(s.threads[task.utid].last_cpu).unwrap_or(0);
        let root = &self.roots.sets[self.roots.of(place)];
        let of = |cpu: &CpuIx| {
            s.cpus[*cpu as usize].online
                && (!task.is_deadline || root.contains(u32::from(*cpu)))
                && edf::may_use(s, task.utid, place, *cpu)
        };
        (0..s.cpus.len() as CpuIx).filter(of).collect()
    }

    /// What the tasks of the same kind, SCHED_DEADLINE or declared, need that may use no other CPUs than this one.
    fn demand_on(&self, s: &Scheduler, utid: Utid) -> Demand {
        let task = &self.tasks[self.by_utid[&utid]];
        let cpus = self.cpus_of(s, task);
        let needed = self
            .tasks
            .iter()
            .filter(|other| other.counts() && other.is_deadline == task.is_deadline)
            .filter(|other| self.cpus_of(s, other).iter().all(|cpu| cpus.contains(cpu)))
            .filter_map(|other| other.reservation.map(|r| r.utilisation()))
            .sum();
        let share = self.bound.filter(|_| task.is_deadline).unwrap_or(1.0);
        Demand { needed, admissible: cpus.len() as f64 * share, cpus }
    }

    /// The set of tasks has changed, or which CPUs they may use: keep the largest of each root domain and kind. The kernel admits, and EDF
    /// orders, SCHED_DEADLINE threads alone.
    fn note_set(&mut self, s: &Scheduler) {
        for (root, is_deadline) in (0..self.roots.sets.len()).flat_map(|root| [(root, true), (root, false)]) {
            let online =
                self.roots.sets[root].iter().map(|cpu| cpu as CpuIx).filter(|&cpu| s.cpus[cpu as usize].online);
            let cpus: Vec<CpuIx> = online.collect();
            let is_here = |usable: &[CpuIx]| usable.first().is_some_and(|&cpu| self.roots.of(cpu) == root);
            let of_kind = self.tasks.iter().filter(|task| task.counts() && task.is_deadline == is_deadline);
            let (tasks, usable): (Vec<&Task>, Vec<Vec<CpuIx>>) =
                of_kind.map(|task| (task, self.cpus_of(s, task))).filter(|(_, usable)| is_here(usable)).unzip();
            let reservations: Vec<Reservation> =
                tasks.iter().map(|task| task.reservation.expect("it counts")).collect();
            let place = |cpu: &CpuIx| cpus.iter().position(|other| other == cpu);
            let usable: Vec<Vec<usize>> = usable.iter().map(|of| of.iter().filter_map(place).collect()).collect();
            let mut tests = Schedulability::of_confined(&reservations, &usable, cpus.len());
            if !is_deadline {
                tests = tests.not_covered(NotCovered::Class);
            }
            let is_less = |peak: &PeakSet| {
                let (old, new) = (peak.tests.utilisation, tests.utilisation);
                new < old || new == old && (tests.not_covered.is_none() || peak.tests.not_covered.is_some())
            };
            let peak = &mut self.peaks[root][usize::from(!is_deadline)];
            if tests.tasks == 0 || peak.as_ref().is_some_and(is_less) {
                continue;
            }
            let tasks = tasks.iter().map(|task| task.utid).collect();
            *peak = Some(PeakSet { at_ns: self.now, tests, is_deadline, tasks });
        }
    }

    /// The recording ends.
    pub fn finish(&mut self, s: &Scheduler, end_ns: i64) {
        self.advance(s, end_ns.max(self.now));
        // Threads that never woke, and names that came late.
        self.looked_at.clear();
        let utids: Vec<Utid> = s.threads.iter().map(|(utid, _)| utid).filter(|utid| *utid != SWAPPER).collect();
        utids.into_iter().for_each(|utid| self.look_at_name(s, utid));
        for at in 0..self.tasks.len() {
            self.end_job(s, at, JobEnd::Unfinished);
            self.end_passed_over(at);
            self.end_open_wait(at);
        }
    }

    /// Give a full batch of jobs to the sink.
    #[inline]
    pub fn hand_on(&mut self, sink: &mut dyn Sink) -> Result<(), CheckError> {
        if self.table.is_full() { self.flush(sink) } else { Ok(()) }
    }

    pub fn flush(&mut self, sink: &mut dyn Sink) -> Result<(), CheckError> {
        let batch = self.table.take();
        sink.batch(super::DL_JOB, batch).map_err(|why| CheckError::Stopped(why.to_string()))
    }
}

/// A modelled server that has used its runtime is throttled until its next period.
fn throttle_by_model(task: &mut Task) {
    let (Some(reservation), Some(until_ns)) = (task.reservation, task.server.until_ns) else { return };
    if task.server.left_ns <= 0 {
        task.server.throttled = true;
        task.server.replenish_ns = Some(until_ns - reservation.deadline_ns + reservation.period_ns);
    }
}

/// A thread left in this state is blocked, and its job goes on.
fn is_blocked(state: u8) -> bool {
    matches!(state, task_state::D | task_state::K | task_state::W | task_state::N)
}

fn optional(column: &arrow_array::Int16Array, row: usize) -> Option<i16> {
    use arrow_array::Array;
    column.is_valid(row).then(|| column.value(row))
}
