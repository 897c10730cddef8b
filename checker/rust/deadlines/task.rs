//! Deadline tasks: what they may run and until when, the job under way, and sums over their jobs.

use std::cmp::Ordering;

use serde::Serialize;

use super::culprit::Culprit;
use super::fault::Fault;
use super::passed_over::{OpenWait, PassedOver};
use crate::threads::Utid;

/// What a task may run, and within which time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Reservation {
    /// The most that a job runs, ns.
    pub runtime_ns: i64,
    /// From a job's activation to its deadline, ns.
    pub deadline_ns: i64,
    /// Between two activations, at least, ns.
    pub period_ns: i64,
}

impl Reservation {
    /// Share of a CPU: runtime by period.
    pub fn utilisation(&self) -> f64 {
        self.runtime_ns as f64 / self.period_ns as f64
    }

    /// Share of a CPU that it needs to meet each deadline alone: runtime by deadline or period, whichever is shorter.
    pub fn density(&self) -> f64 {
        self.runtime_ns as f64 / self.deadline_ns.min(self.period_ns) as f64
    }
}

/// Place in the order of global EDF: a deadline, on the clock of the runqueues where it was recorded, else on that of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdfKey {
    Kernel(i64),
    Modelled(i64),
}

impl EdfKey {
    /// The order of two deadlines; None where they are of different clocks.
    pub fn order(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Kernel(a), Self::Kernel(b)) | (Self::Modelled(a), Self::Modelled(b)) => Some(a.cmp(&b)),
            _ => None,
        }
    }

    pub fn ns(self) -> i64 {
        match self {
            Self::Kernel(ns) | Self::Modelled(ns) => ns,
        }
    }

    pub fn later_by(&mut self, ns: i64) {
        match self {
            Self::Kernel(at) | Self::Modelled(at) => *at += ns,
        }
    }
}

/// The constant bandwidth server of a deadline thread (kernel/sched/deadline.c), as recorded or as modelled by its rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct Server {
    /// Its deadline, ns on the trace's clock.
    pub until_ns: Option<i64>,
    pub key: Option<EdfKey>,
    /// Runtime left until then, ns: as recorded last, or of a modelled server counted down.
    pub left_ns: i64,
    /// No runtime is left; it gets more at `replenish_ns`.
    pub throttled: bool,
    pub yielded: bool,
    pub replenish_ns: Option<i64>,
}

/// Beside a hundredth: by how much the time of switches and interrupts, as traced, may be off what a server is charged.
const CLOCK_NOISE_NS: i64 = 20_000;

/// What became of the runtime that a server was given last, as recorded.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    given_ns: i64,
    left_ns: Option<i64>,
    run_ns: i64,
    /// Interrupt work while the thread was current.
    interrupts: Vec<(Culprit, i64)>,
}

impl Budget {
    /// What is left, as the kernel has it: more than before where the server was given more.
    pub fn record(&mut self, left_ns: i64) {
        if self.left_ns.is_none_or(|before_ns| left_ns > before_ns) {
            *self = Self { given_ns: left_ns, ..Self::default() };
        }
        self.left_ns = Some(left_ns);
    }

    pub fn run(&mut self, ns: i64) {
        self.run_ns += ns;
    }

    pub fn interrupt(&mut self, by: Culprit, ns: i64) {
        add(&mut self.interrupts, by, ns);
    }

    /// The interrupt work that took most of a budget of which nothing is left although the thread ran for less, and no more than
    /// with the interrupts: without CONFIG_IRQ_TIME_ACCOUNTING they are charged to the server (update_curr_dl()).
    pub fn spent_by(&self) -> Option<Culprit> {
        let interrupts_ns: i64 = self.interrupts.iter().map(|(_, ns)| ns).sum();
        let missing_ns = self.given_ns - self.run_ns;
        let noise_ns = CLOCK_NOISE_NS + self.given_ns / 100;
        let charged = missing_ns > noise_ns && interrupts_ns >= missing_ns - noise_ns;
        let most = self.interrupts.iter().max_by_key(|(_, ns)| *ns);
        most.filter(|_| charged).map(|&(by, _)| by)
    }
}

fn add(sums: &mut Vec<(Culprit, i64)>, by: Culprit, ns: i64) {
    match sums.iter_mut().find(|(of, _)| *of == by) {
        Some((_, total)) => *total += ns,
        None => sums.push((by, ns)),
    }
}

/// What a job's time went to. All but `Run` are ways not to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeUse {
    Run,
    /// It waited though a CPU that it may use idled, or ran a thread that global EDF puts behind it.
    PassedOver,
    /// The CPU on whose queue it waited ran swapper: it was about to run there.
    LateWake,
    /// All CPUs that it may use ran threads with earlier deadlines.
    EarlierDeadlines,
    /// As before, but a CPU that its affinity, its cpuset or disabled migration kept it from would have been for it.
    Confined,
    /// Interrupts or a thread of a higher class; or its server had no runtime left as interrupts were charged to it.
    Interference,
    /// Not SCHED_DEADLINE: the CPU on whose queue it waited ran another thread of its class, or of a lower one.
    Contention,
    /// Blocked (not asleep): a page fault, I/O, a lock in the kernel; or throttled as it was blocked past its deadline.
    Blocked,
    /// Its server had no runtime left.
    Throttled,
    /// What its CPUs did is not known.
    Unknown,
}

/// Number of [`TimeUse`]s.
pub const TIME_USES: usize = TimeUse::Unknown as usize + 1;

/// What ended a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobEnd {
    Sleep,
    Yield,
    Exit,
    /// The recording ended first.
    Unfinished,
}

impl JobEnd {
    pub fn name(self) -> &'static str {
        match self {
            Self::Sleep => "sleep",
            Self::Yield => "yield",
            Self::Exit => "exit",
            Self::Unfinished => "unfinished",
        }
    }
}

/// A job under way.
#[derive(Clone, Debug)]
pub struct Job {
    pub activation_ns: i64,
    pub deadline_ns: i64,
    pub reservation: Reservation,
    /// A replenishment after a yield activated it; else a wakeup did.
    pub by_replenishment: bool,
    pub spent_ns: [i64; TIME_USES],
    /// Of the contention: with other declared tasks.
    pub contention_of_tasks_ns: i64,
    pub throttles: u32,
    /// Of the throttled time: the interrupt work that its server had paid for, and how long (ns).
    pub charged: Vec<(Culprit, i64)>,
    /// It was blocked past its deadline: the kernel throttles it until its next period (dl_check_constrained_dl).
    pub woken_late: bool,
    /// Who kept it from running, in which way, for how long (ns).
    pub culprits: Vec<(TimeUse, Culprit, i64)>,
}

impl Job {
    pub fn new(activation_ns: i64, deadline_ns: i64, reservation: Reservation, by_replenishment: bool) -> Self {
        Self {
            activation_ns,
            deadline_ns,
            reservation,
            by_replenishment,
            spent_ns: [0; TIME_USES],
            contention_of_tasks_ns: 0,
            throttles: 0,
            charged: Vec::new(),
            woken_late: false,
            culprits: Vec::new(),
        }
    }

    pub fn spend(&mut self, on: TimeUse, culprit: Option<Culprit>, ns: i64) {
        self.spent_ns[on as usize] += ns;
        let Some(culprit) = culprit else { return };
        match self.culprits.iter_mut().find(|(use_, of, _)| (*use_, *of) == (on, culprit)) {
            Some((.., total)) => *total += ns,
            None => self.culprits.push((on, culprit, ns)),
        }
    }

    /// Of the latest time that a culprit kept it from running in one way, so much at most was of another way.
    pub fn move_time(&mut self, by: Culprit, from: TimeUse, to: TimeUse, most_ns: i64) {
        let spent = self.culprits.iter().find(|(on, of, _)| (*on, *of) == (from, by)).map_or(0, |(.., ns)| *ns);
        let ns = most_ns.clamp(0, spent);
        self.spend(from, Some(by), -ns);
        self.spend(to, Some(by).filter(|_| to != TimeUse::Unknown), ns);
    }

    /// It is throttled, for interrupt work that its server has paid for.
    pub fn charge(&mut self, by: Culprit, ns: i64) {
        add(&mut self.charged, by, ns);
    }

    /// Throttled time that interrupts were charged for is interference, unless the job also ran beyond its runtime.
    pub fn settle_charged(&mut self) {
        for (by, ns) in std::mem::take(&mut self.charged) {
            if self.overrun_ns() == 0 {
                self.spend(TimeUse::Throttled, None, -ns);
                self.spend(TimeUse::Interference, Some(by), ns);
            }
        }
    }

    pub fn spent(&self, on: TimeUse) -> i64 {
        self.spent_ns[on as usize]
    }

    pub fn run_ns(&self) -> i64 {
        self.spent(TimeUse::Run)
    }

    /// Time run beyond the runtime, ns.
    pub fn overrun_ns(&self) -> i64 {
        (self.run_ns() - self.reservation.runtime_ns).max(0)
    }

    /// Least time that was left to the deadline beside what the job might still have run, ns. It falls while the job does not run and
    /// stays where it is while it does, so that its last value is its least.
    pub fn laxity_ns(&self, at_ns: i64) -> i64 {
        self.deadline_ns - at_ns - (self.reservation.runtime_ns - self.run_ns()).max(0)
    }
}

/// Sums over the jobs of a task.
#[derive(Clone, Debug, Default)]
pub struct TaskSums {
    pub jobs: u64,
    pub missed: u64,
    /// Missed and under way at the end of the recording.
    pub unfinished: u64,
    pub tardiness_ns: i128,
    pub tardiness_max_ns: i64,
    pub laxity_min_ns: Option<i64>,
    pub response_max_ns: i64,
    pub run_max_ns: i64,
    pub spent_ns: [i64; TIME_USES],
    /// Jobs that ran beyond their runtime.
    pub overruns: u64,
    pub overrun_max_ns: i64,
    pub throttles: u64,
    pub faults: [u64; Fault::COUNT],
    /// Jobs that are not measured: under way at the start, or when events were lost.
    pub incomplete: u64,
    /// Those of them whose events were lost or are missing: the others were cut off by the ends of the recording, or stopped.
    pub lost: u64,
    /// Switches to it on a CPU outside its mask.
    pub outside_mask: u64,
}

/// A thread with a deadline.
#[derive(Clone, Debug)]
pub struct Task {
    pub utid: Utid,
    /// None: it has a deadline by priority inheritance only.
    pub reservation: Option<Reservation>,
    /// The reservation is one of [`super::DeclaredTask`].
    pub declared: bool,
    /// It runs as SCHED_DEADLINE.
    pub is_deadline: bool,
    /// It did at some time.
    pub was_deadline: bool,
    /// The latest reservation that it had.
    pub last_reservation: Option<Reservation>,
    /// A thread of schedutil, which precedes all others.
    pub is_special: bool,
    /// Server states of it were recorded.
    pub recorded: bool,
    pub alive: bool,
    pub server: Server,
    pub budget: Budget,
    /// The interrupt work that its server paid for until nothing was left.
    pub throttled_by: Option<Culprit>,
    /// The server's place in the order of deadlines before it was recorded last.
    pub key_before: Option<EdfKey>,
    pub job: Option<Job>,
    /// What it does now is a part of a job that was counted as not measured.
    pub in_incomplete: bool,
    /// A start or an end of a job was seen since it has had parameters: from then on no job goes unseen unless events are missing.
    pub in_sight: bool,
    pub passed_over: Option<PassedOver>,
    pub open_wait: Option<OpenWait>,
    pub sums: TaskSums,
}

impl Task {
    pub fn new(utid: Utid) -> Self {
        Self {
            utid,
            reservation: None,
            declared: false,
            is_deadline: false,
            was_deadline: false,
            last_reservation: None,
            is_special: false,
            recorded: false,
            alive: true,
            server: Server::default(),
            budget: Budget::default(),
            throttled_by: None,
            key_before: None,
            job: None,
            in_incomplete: false,
            in_sight: false,
            passed_over: None,
            open_wait: None,
            sums: TaskSums::default(),
        }
    }

    /// The job under way cannot be measured.
    pub fn drop_job(&mut self) {
        if self.job.take().is_some() {
            self.sums.incomplete += 1;
            self.in_incomplete = true;
        }
    }

    /// Likewise, as events of it were lost or are missing.
    pub fn lose_job(&mut self) {
        self.sums.lost += u64::from(self.job.is_some());
        self.drop_job();
    }

    /// It sleeps, or is gone. Where it had no job, it was in one that was not seen whole.
    pub fn end_unseen(&mut self) {
        if self.job.is_none() && self.reservation.is_some() && !self.in_incomplete {
            self.sums.incomplete += 1;
            self.sums.lost += u64::from(self.in_sight);
        }
        self.in_incomplete = false;
        self.in_sight = self.reservation.is_some();
    }

    /// It runs as SCHED_DEADLINE from now on.
    pub fn set_deadline(&mut self) {
        (self.is_deadline, self.was_deadline) = (true, true);
    }

    pub fn set_reservation(&mut self, reservation: Option<Reservation>) {
        self.in_sight &= self.reservation.is_some() && reservation.is_some();
        self.reservation = reservation;
        self.last_reservation = reservation.or(self.last_reservation);
    }

    /// Its place in the order of global EDF; None where it is not known.
    pub fn key(&self) -> Option<EdfKey> {
        match self.recorded {
            true => self.server.key,
            false => self.server.key.or(self.job.as_ref().map(|job| EdfKey::Modelled(job.deadline_ns))),
        }
    }

    /// It belongs to the set of tasks that share the CPUs now.
    pub fn counts(&self) -> bool {
        self.alive && self.reservation.is_some() && (self.is_deadline || self.declared)
    }
}
