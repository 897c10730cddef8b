//! Which waiting tasks global EDF would run at an instant, and what each is kept from its CPUs by.
//!
//! kernel/sched/deadline.c runs the earliest deadlines of a root domain on its CPUs: a thread that is woken or preempted is pushed to a CPU that
//! idles, runs a lower class or the latest deadline (push_dl_task, find_later_rq); a CPU that turns to something later pulls one
//! (pull_dl_task). Waiting tasks are taken in the order of their deadlines, and each gets the CPU that runs the least.

use std::cmp::Ordering;

use wastenot_topology::CpuBits;

use super::culprit::Culprit;
use super::passed_over::Instead;
use super::root_domains::RootDomains;
use super::task::{EdfKey, Task, TimeUse};
use crate::scheduler::Scheduler;
use crate::threads::{Phase, UNKNOWN_MASK, Utid};
use crate::topology::CpuIx;

/// What a CPU does, as a deadline thread sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occupant {
    Offline,
    Unknown,
    Idle,
    Interrupt {
        kind: u8,
        vector: Option<i32>,
    },
    /// The stop class, or a thread of schedutil.
    Higher(Utid),
    Lower(Utid),
    FairServer(Utid),
    Deadline(Utid, Option<EdfKey>),
}

/// Why a task waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Place in the list of tasks.
    pub task: usize,
    pub on: TimeUse,
    pub by: Option<Culprit>,
    /// Where it is passed over: how, and the CPU.
    pub instead: Option<(Instead, CpuIx)>,
    pub queue: CpuIx,
}

/// The CPUs that a task may use: by mask, cpuset, disabled migration; a deadline thread's root domain is not looked at.
pub fn may_use(s: &Scheduler, utid: Utid, queue: CpuIx, cpu: CpuIx) -> bool {
    let c = &s.threads[utid].constraints;
    if c.migration_disabled || c.per_cpu {
        return cpu == queue;
    }
    let has = |mask: i32| mask == UNKNOWN_MASK || s.invariant.mask_has(mask, cpu);
    has(c.mask) && has(c.cpuset)
}

/// The CPU is a better place the lower this is; None: no place at all.
fn rank(occupant: Occupant, is_own: bool, key: Option<EdfKey>) -> Option<u8> {
    match occupant {
        Occupant::Idle if is_own => Some(0),
        Occupant::Idle => Some(1),
        Occupant::Lower(_) if is_own => Some(2),
        Occupant::Lower(_) => Some(3),
        Occupant::Deadline(_, of) => match key.zip(of).and_then(|(key, of)| key.order(of)) {
            Some(Ordering::Less) => Some(4),
            Some(_) => None,
            None => Some(6),
        },
        Occupant::Interrupt { .. } | Occupant::Higher(_) | Occupant::FairServer(_) => Some(5),
        Occupant::Unknown => Some(6),
        Occupant::Offline => None,
    }
}

/// Why each waiting task waits, `occupants` being what the CPUs do.
pub fn waits(s: &Scheduler, tasks: &[Task], roots: &RootDomains, occupants: &[Occupant]) -> Vec<Wait> {
    let mut waiting: Vec<(usize, CpuIx)> = Vec::new();
    for (at, task) in tasks.iter().enumerate().filter(|(_, task)| task.alive && !task.server.throttled) {
        if let Phase::Queued { cpu, .. } = s.threads[task.utid].phase
            && (task.is_deadline || task.job.is_some())
        {
            waiting.push((at, cpu));
        }
    }
    // Deadline threads first, in the order of their deadlines; those without a known one after the others.
    let order = |at: usize| (!tasks[at].is_deadline, tasks[at].key().map_or(i64::MAX, EdfKey::ns), tasks[at].utid);
    waiting.sort_by_key(|&(at, _)| order(at));
    let mut taken = CpuBits::new(occupants.len());
    let wait = |(at, queue): (usize, CpuIx)| {
        if tasks[at].is_deadline {
            wait_of_deadline(s, &tasks[at], queue, (roots, occupants), &mut taken)
        } else {
            wait_of_other(s, &tasks[at], queue, occupants, &mut taken)
        }
        .at(at)
    };
    waiting.into_iter().map(wait).collect()
}

impl Wait {
    fn new(queue: CpuIx, on: TimeUse, by: Option<Culprit>) -> Self {
        Self { task: 0, on, by, instead: None, queue }
    }

    fn at(self, task: usize) -> Self {
        Self { task, ..self }
    }

    fn instead(self, how: Instead, cpu: CpuIx) -> Self {
        Self { instead: Some((how, cpu)), ..self }
    }
}

fn wait_of_deadline(
    s: &Scheduler,
    task: &Task,
    queue: CpuIx,
    (roots, occupants): (&RootDomains, &[Occupant]),
    taken: &mut CpuBits,
) -> Wait {
    let root = &roots.sets[roots.of(queue)];
    let key = task.key();
    let mut best: Option<(u8, i64, CpuIx)> = None;
    for cpu in root.iter().map(|cpu| cpu as CpuIx) {
        let occupant = occupants[cpu as usize];
        let Some(rank) = rank(occupant, cpu == queue, key) else { continue };
        if taken.contains(u32::from(cpu)) || !may_use(s, task.utid, queue, cpu) {
            continue;
        }
        let latest = match occupant {
            Occupant::Deadline(_, Some(of)) if rank == 4 => -of.ns(),
            _ => i64::from(cpu != queue),
        };
        let candidate = (rank, latest, cpu);
        if best.is_none_or(|best| candidate < best) {
            best = Some(candidate);
        }
    }
    let Some((rank, _, cpu)) = best else {
        return wait_for_earlier(s, task, queue, (roots, occupants), taken);
    };
    taken.insert(u32::from(cpu));
    match (occupants[cpu as usize], rank) {
        (Occupant::Idle, 0) => Wait::new(queue, TimeUse::LateWake, Some(Culprit::IdleCpu(cpu))),
        (Occupant::Idle, _) => {
            Wait::new(queue, TimeUse::PassedOver, Some(Culprit::IdleCpu(cpu))).instead(Instead::IdleCpu, cpu)
        }
        (Occupant::Lower(by), _) => {
            Wait::new(queue, TimeUse::PassedOver, Some(Culprit::Thread(by))).instead(Instead::LowerClass, cpu)
        }
        (Occupant::Deadline(by, _), 4) => {
            Wait::new(queue, TimeUse::PassedOver, Some(Culprit::Thread(by))).instead(Instead::LaterDeadline, cpu)
        }
        (occupant, _) => kept(queue, occupant, cpu),
    }
}

/// The wait for a CPU that does what precedes every deadline, or what is not known.
fn kept(queue: CpuIx, occupant: Occupant, cpu: CpuIx) -> Wait {
    match occupant {
        Occupant::Interrupt { kind, vector } => {
            Wait::new(queue, TimeUse::Interference, Some(Culprit::Interrupt { cpu, kind, vector }))
        }
        Occupant::Higher(by) => Wait::new(queue, TimeUse::Interference, Some(Culprit::Thread(by))),
        Occupant::FairServer(by) => Wait::new(queue, TimeUse::Interference, Some(Culprit::FairServer(by))),
        _ => Wait::new(queue, TimeUse::Unknown, None),
    }
}

/// All CPUs that it may use run earlier deadlines, or were taken by tasks that wait with earlier ones.
fn wait_for_earlier(
    s: &Scheduler,
    task: &Task,
    queue: CpuIx,
    (roots, occupants): (&RootDomains, &[Occupant]),
    taken: &CpuBits,
) -> Wait {
    let by = match occupants[queue as usize] {
        Occupant::Deadline(by, _) => Some(Culprit::Thread(by)),
        _ => None,
    };
    let root = &roots.sets[roots.of(queue)];
    let kept_from = |cpu: CpuIx| {
        let of_place = rank(occupants[cpu as usize], false, task.key()).is_some_and(|rank| rank <= 4);
        of_place
            && !taken.contains(u32::from(cpu))
            && !(root.contains(u32::from(cpu)) && may_use(s, task.utid, queue, cpu))
    };
    let confined = (0..occupants.len() as CpuIx).any(kept_from);
    Wait::new(queue, if confined { TimeUse::Confined } else { TimeUse::EarlierDeadlines }, by)
}

/// A declared task of another class: what its queue's CPU runs is what it waits for, unless a CPU idles. Which class a thread on that CPU
/// has decides whether that is interference or contention; the caller knows it.
fn wait_of_other(s: &Scheduler, task: &Task, queue: CpuIx, occupants: &[Occupant], taken: &mut CpuBits) -> Wait {
    let is_free =
        |cpu: CpuIx, taken: &CpuBits| occupants[cpu as usize] == Occupant::Idle && !taken.contains(u32::from(cpu));
    if is_free(queue, taken) {
        taken.insert(u32::from(queue));
        return Wait::new(queue, TimeUse::LateWake, Some(Culprit::IdleCpu(queue)));
    }
    let usable =
        |cpu: &CpuIx| is_free(*cpu, taken) && !s.topology.isolated[*cpu as usize] && may_use(s, task.utid, queue, *cpu);
    if let Some(cpu) = (0..occupants.len() as CpuIx).find(usable) {
        taken.insert(u32::from(cpu));
        return Wait::new(queue, TimeUse::PassedOver, Some(Culprit::IdleCpu(cpu))).instead(Instead::IdleCpu, cpu);
    }
    match occupants[queue as usize] {
        Occupant::Lower(by) => Wait::new(queue, TimeUse::Contention, Some(Culprit::Thread(by))),
        Occupant::Deadline(by, _) => Wait::new(queue, TimeUse::Interference, Some(Culprit::Thread(by))),
        // What a deadline server runs is of the fair class, as the task may be.
        Occupant::FairServer(by) => Wait::new(queue, TimeUse::Contention, Some(Culprit::FairServer(by))),
        Occupant::Idle => Wait::new(queue, TimeUse::LateWake, Some(Culprit::IdleCpu(queue))),
        occupant => kept(queue, occupant, queue),
    }
}
