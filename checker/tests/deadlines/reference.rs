//! The definitions again, naively: every millisecond of a trace that is drawn on a grid of milliseconds is measured by itself.
//!
//! Shares no code with the checker: a list of steps is played, and for each millisecond each job's time goes where the definitions say.

use std::collections::BTreeMap;

/// A step of a trace; times are milliseconds.
#[derive(Clone, Debug)]
pub enum Step {
    /// A deadline thread's server, just before what follows.
    Server {
        tid: i32,
        until: i64,
        left: i64,
        throttled: bool,
        yielded: bool,
    },
    Wakeup {
        tid: i32,
        cpu: usize,
    },
    Switch {
        cpu: usize,
        prev: i32,
        state: &'static str,
        next: i32,
    },
    Migrate {
        tid: i32,
        to: usize,
    },
    Affinity {
        tid: i32,
        cpus: Vec<usize>,
    },
    Interrupt {
        cpu: usize,
        for_ms: i64,
    },
}

/// What a deadline thread may run, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Reservation {
    pub runtime: i64,
    pub deadline: i64,
    pub period: i64,
}

/// A job, as a row of the table has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub tid: i32,
    pub activation: i64,
    pub deadline: i64,
    pub end: Option<i64>,
    pub ended_by: &'static str,
    pub throttles: u32,
    /// In the order of the table's columns.
    pub spent: [i64; 10],
    /// While the job is under way: throttled as its server had paid for interrupts.
    pub charged: i64,
}

impl Job {
    /// Throttled for interrupts, and not because it ran beyond its runtime.
    fn settled(mut self, reservation: Reservation) -> Self {
        if self.spent[RUN] <= reservation.runtime {
            self.spent[THROTTLED] -= self.charged;
            self.spent[INTERFERENCE] += self.charged;
        }
        Self { charged: 0, ..self }
    }
}

pub const RUN: usize = 0;
pub const PASSED_OVER: usize = 1;
pub const LATE_WAKE: usize = 2;
pub const EARLIER: usize = 3;
pub const CONFINED: usize = 4;
pub const INTERFERENCE: usize = 5;
pub const BLOCKED: usize = 7;
pub const THROTTLED: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Asleep,
    Blocked,
    Queued(usize),
    Running(usize),
}

struct Thread {
    reservation: Reservation,
    place: Place,
    cpus: Vec<usize>,
    until: i64,
    left: i64,
    throttled: bool,
    yielded: bool,
    replenish: Option<i64>,
    /// The runtime that was left at the last step; since it was more than before: how much, how long it ran and was interrupted.
    shown: i64,
    given: i64,
    ran: i64,
    interrupted: i64,
    /// It was throttled as interrupts were charged to its server.
    paid: bool,
    job: Option<Job>,
}

/// Threads below 100 are of the stop class, from 200 on of lower ones; the others are deadline threads.
fn is_stop(tid: i32) -> bool {
    tid > 0 && tid < 100
}

/// The jobs of a trace of `cpus` CPUs that idle at 0 and threads that sleep then; total time passed over of all threads, in milliseconds.
pub fn jobs(cpus: usize, threads: &BTreeMap<i32, Reservation>, steps: &[(i64, Step)], end: i64) -> (Vec<Job>, i64) {
    let mut running = vec![0i32; cpus];
    let mut interrupts: Vec<(usize, i64)> = Vec::new();
    let mut all: BTreeMap<i32, Thread> = threads
        .iter()
        .map(|(&tid, &reservation)| {
            let thread = Thread {
                reservation,
                place: Place::Asleep,
                cpus: (0..cpus).collect(),
                until: 0,
                left: 0,
                throttled: false,
                yielded: false,
                replenish: None,
                shown: i64::MIN,
                given: 0,
                ran: 0,
                interrupted: 0,
                paid: false,
                job: None,
            };
            (tid, thread)
        })
        .collect();
    let (mut done, mut passed_over, mut at) = (Vec::new(), 0, 0);
    for now in 0..=end {
        while let Some((_, step)) = steps.get(at).filter(|(ts, _)| *ts == now) {
            for (&tid, thread) in &mut all {
                replenish(tid, thread, now); // what was due at once
            }
            play(step, now, &mut all, &mut running, &mut interrupts, &mut done);
            at += 1;
        }
        for (&tid, thread) in &mut all {
            replenish(tid, thread, now);
        }
        if now == end {
            break;
        }
        interrupts.retain(|&(_, until)| until > now);
        let waits = why_waiting(&all, &running, &interrupts, cpus);
        passed_over += waits.values().filter(|&&why| why == PASSED_OVER).count() as i64;
        for (tid, thread) in &mut all {
            let why = match thread.place {
                _ if thread.throttled => THROTTLED,
                Place::Running(cpu) if interrupts.iter().any(|&(of, _)| of == cpu) => {
                    thread.interrupted += 1;
                    INTERFERENCE
                }
                Place::Running(_) => {
                    thread.ran += 1;
                    RUN
                }
                Place::Blocked => BLOCKED,
                Place::Queued(_) => waits[tid],
                Place::Asleep => continue,
            };
            if let Some(job) = &mut thread.job {
                job.spent[why] += 1;
                job.charged += i64::from(why == THROTTLED && thread.paid);
            }
        }
    }
    for thread in all.into_values() {
        if let Some(job) = thread.job.filter(|job| end > job.deadline) {
            done.push(Job { end: None, ended_by: "unfinished", ..job }.settled(thread.reservation));
        }
    }
    done.sort_by_key(|job: &Job| (job.tid, job.activation));
    (done, passed_over)
}

fn replenish(tid: i32, thread: &mut Thread, now: i64) {
    if thread.replenish.is_none_or(|due| due > now) {
        return;
    }
    let yielded = thread.yielded && thread.job.is_none();
    (thread.throttled, thread.yielded, thread.paid, thread.replenish) = (false, false, false, None);
    let r = thread.reservation;
    if yielded {
        thread.left = thread.left.min(0);
    }
    loop {
        thread.until += r.period;
        thread.left += r.runtime;
        if thread.left > 0 {
            break;
        }
    }
    if thread.until < now {
        thread.until = now + r.deadline;
    }
    if yielded {
        thread.job = Some(new_job(tid, now, now + r.deadline));
    }
}

fn new_job(tid: i32, activation: i64, deadline: i64) -> Job {
    Job { tid, activation, deadline, end: None, ended_by: "", throttles: 0, spent: [0; 10], charged: 0 }
}

fn play(
    step: &Step,
    now: i64,
    all: &mut BTreeMap<i32, Thread>,
    running: &mut [i32],
    interrupts: &mut Vec<(usize, i64)>,
    done: &mut Vec<Job>,
) {
    match step {
        Step::Server { tid, until, left, throttled, yielded } => {
            let thread = all.get_mut(tid).expect("a deadline thread");
            (thread.until, thread.left, thread.throttled, thread.yielded) = (*until, *left, *throttled, *yielded);
            if *left > thread.shown {
                (thread.given, thread.ran, thread.interrupted) = (*left, 0, 0);
            }
            thread.shown = *left;
            thread.paid &= *throttled;
            let r = thread.reservation;
            thread.replenish = throttled.then_some(until - r.deadline + r.period);
        }
        Step::Wakeup { tid, cpu } => {
            let Some(thread) = all.get_mut(tid) else { return };
            if thread.place == Place::Asleep {
                let from = thread.replenish.filter(|_| thread.throttled).map_or(now, |due| due.max(now));
                thread.job = Some(new_job(*tid, now, from + thread.reservation.deadline));
            }
            thread.place = Place::Queued(*cpu);
        }
        Step::Migrate { tid, to } => {
            if let Some(thread) = all.get_mut(tid) {
                thread.place = Place::Queued(*to);
            }
        }
        Step::Affinity { tid, cpus } => all.get_mut(tid).expect("a deadline thread").cpus = cpus.clone(),
        Step::Interrupt { cpu, for_ms } => interrupts.push((*cpu, now + for_ms)),
        Step::Switch { cpu, prev, state, next } => {
            running[*cpu] = *next;
            if let Some(thread) = all.get_mut(prev) {
                let mut ended_by = None;
                match *state {
                    "S" => (thread.place, ended_by) = (Place::Asleep, Some("sleep")),
                    "D" => thread.place = Place::Blocked,
                    _ => {
                        thread.place = Place::Queued(*cpu);
                        if thread.throttled && !thread.yielded {
                            thread.paid = thread.ran < thread.given && thread.ran + thread.interrupted >= thread.given;
                        }
                        if thread.throttled && thread.yielded {
                            ended_by = Some("yield");
                        } else if thread.throttled
                            && let Some(job) = &mut thread.job
                        {
                            job.throttles += 1;
                        }
                    }
                }
                if let Some(ended_by) = ended_by
                    && let Some(job) = thread.job.take()
                {
                    done.push(Job { end: Some(now), ended_by, ..job }.settled(thread.reservation));
                }
            }
            if let Some(thread) = all.get_mut(next) {
                thread.place = Place::Running(*cpu);
            }
        }
    }
}

/// For each deadline thread that waits with runtime left: in which way.
fn why_waiting(
    all: &BTreeMap<i32, Thread>,
    running: &[i32],
    interrupts: &[(usize, i64)],
    cpus: usize,
) -> BTreeMap<i32, usize> {
    let mut waiting: Vec<(i64, i32, usize)> = Vec::new();
    for (&tid, thread) in all {
        if let (Place::Queued(cpu), false) = (thread.place, thread.throttled) {
            waiting.push((thread.until, tid, cpu));
        }
    }
    waiting.sort_unstable();
    let mut taken = vec![false; cpus];
    let mut out = BTreeMap::new();
    for (until, tid, queue) in waiting {
        // How good a CPU is for it: (kind, later deadlines first, own first, number).
        let place = |cpu: usize| -> Option<(usize, i64, bool, usize)> {
            let (other, interrupted) = (running[cpu], interrupts.iter().any(|&(of, _)| of == cpu));
            let (kind, later) = match other {
                _ if interrupted => (5, 0),
                0 if cpu == queue => (0, 0),
                0 => (1, 0),
                other if is_stop(other) => (5, 0),
                other if other >= 200 => (if cpu == queue { 2 } else { 3 }, 0),
                other if all[&other].until > until => (4, -all[&other].until),
                _ => return None,
            };
            Some((kind, later, if kind == 4 { false } else { cpu != queue }, cpu))
        };
        let best = (0..cpus).filter(|&cpu| !taken[cpu] && all[&tid].cpus.contains(&cpu)).filter_map(place).min();
        let why = match best {
            Some((0, .., cpu)) => (LATE_WAKE, Some(cpu)),
            Some((1..=4, .., cpu)) => (PASSED_OVER, Some(cpu)),
            Some((.., cpu)) => (INTERFERENCE, Some(cpu)),
            None => {
                let elsewhere = (0..cpus).filter(|&cpu| !taken[cpu] && !all[&tid].cpus.contains(&cpu));
                let better = elsewhere.filter_map(place).any(|(kind, ..)| kind <= 4);
                (if better { CONFINED } else { EARLIER }, None)
            }
        };
        if let Some(cpu) = why.1 {
            taken[cpu] = true;
        }
        out.insert(tid, why.0);
    }
    out
}
