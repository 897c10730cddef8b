//! Random traces on a grid of milliseconds: every job equals that of the naive reference, to the last nanosecond.

use std::collections::BTreeMap;
use std::fmt::Write;

use wastenot_checker::deadlines::PassedOverRow;

use crate::reference::{self, Reservation, Step};
use crate::{JobRow, MS, jobs_of};

/// A small generator of random numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Asleep,
    Blocked,
    Queued(usize),
    Running,
}

/// A machine on which threads do what they like: the events are possible, the decisions are arbitrary.
struct Machine {
    random: Random,
    cpus: usize,
    running: Vec<i32>,
    places: BTreeMap<i32, Place>,
    reservations: BTreeMap<i32, Reservation>,
    until: BTreeMap<i32, i64>,
    /// Out of runtime until then.
    throttled: BTreeMap<i32, i64>,
    steps: Vec<(i64, Step)>,
}

impl Machine {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let cpus = 1 + random.below(3);
        let mut reservations = BTreeMap::new();
        for at in 0..1 + random.below(4) {
            let deadline = 3 + random.below(10) as i64;
            let (runtime, period) = (1 + random.below(deadline as usize) as i64, deadline + random.below(4) as i64);
            reservations.insert(100 + at as i32, Reservation { runtime, deadline, period });
        }
        let others = (0..cpus as i32).map(|cpu| 11 + cpu).chain([200, 201, 202]);
        let places = reservations.keys().copied().chain(others).map(|tid| (tid, Place::Asleep)).collect();
        let (until, throttled) = (BTreeMap::new(), BTreeMap::new());
        Self { random, cpus, running: vec![0; cpus], places, reservations, until, throttled, steps: Vec::new() }
    }

    fn is_deadline(&self, tid: i32) -> bool {
        self.reservations.contains_key(&tid)
    }

    fn server(&mut self, now: i64, tid: i32, throttled: bool, yielded: bool) {
        let left = if throttled && !yielded { -(self.random.below(3) as i64) } else { 1 + self.random.below(4) as i64 };
        let until = self.until[&tid];
        self.steps.push((now, Step::Server { tid, until, left, throttled, yielded }));
        if throttled {
            let r = self.reservations[&tid];
            self.throttled.insert(tid, until - r.deadline + r.period);
        }
    }

    /// The server has runtime again, with a deadline of its own.
    fn renew(&mut self, now: i64, tid: i32) {
        self.throttled.remove(&tid);
        let until = now + self.reservations[&tid].deadline;
        self.until.insert(tid, until);
    }

    fn is_throttled(&self, now: i64, tid: i32) -> bool {
        self.throttled.get(&tid).is_some_and(|&due| due > now)
    }

    fn wake(&mut self, now: i64) {
        let off: Vec<i32> = self
            .places
            .iter()
            .filter(|(_, place)| matches!(place, Place::Asleep | Place::Blocked))
            .map(|(&tid, _)| tid)
            .collect();
        if off.is_empty() {
            return;
        }
        let tid = off[self.random.below(off.len())];
        let cpu = if tid < 100 { tid as usize - 11 } else { self.random.below(self.cpus) };
        if self.is_deadline(tid) {
            let throttled = self.is_throttled(now, tid);
            if !throttled {
                self.renew(now, tid);
            }
            self.server(now, tid, throttled, false);
        }
        self.places.insert(tid, Place::Queued(cpu));
        self.steps.push((now, Step::Wakeup { tid, cpu }));
    }

    fn switch(&mut self, now: i64) {
        let cpu = self.random.below(self.cpus);
        let prev = self.running[cpu];
        let queued: Vec<i32> = self
            .places
            .iter()
            .filter(|&(&tid, place)| *place == Place::Queued(cpu) && !self.is_throttled(now, tid))
            .map(|(&tid, _)| tid)
            .collect();
        let next = if queued.is_empty() || self.random.one_in(6) { 0 } else { queued[self.random.below(queued.len())] };
        if next == prev {
            return;
        }
        let mut state = "R";
        if prev != 0 {
            state = ["S", "S", "D", "R", "R+"][self.random.below(5)];
            if self.is_deadline(prev) {
                let out = matches!(state, "R" | "R+") && self.random.one_in(2);
                self.server(now, prev, out, out && state == "R");
            }
            let place = match state {
                "S" => Place::Asleep,
                "D" => Place::Blocked,
                _ => Place::Queued(cpu),
            };
            self.places.insert(prev, place);
        }
        if next != 0 {
            if self.is_deadline(next) {
                if self.throttled.contains_key(&next) {
                    self.renew(now, next);
                }
                self.server(now, next, false, false);
            }
            self.places.insert(next, Place::Running);
        }
        self.running[cpu] = next;
        self.steps.push((now, Step::Switch { cpu, prev, state, next }));
    }

    fn migrate(&mut self, now: i64) {
        let queued: Vec<(i32, usize)> = self
            .places
            .iter()
            .filter_map(|(&tid, place)| match place {
                Place::Queued(cpu) if tid >= 100 => Some((tid, *cpu)),
                _ => None,
            })
            .collect();
        if self.cpus == 1 || queued.is_empty() {
            return;
        }
        let (tid, from) = queued[self.random.below(queued.len())];
        let to = (from + 1 + self.random.below(self.cpus - 1)) % self.cpus;
        self.places.insert(tid, Place::Queued(to));
        self.steps.push((now, Step::Migrate { tid, to }));
    }

    fn affinity(&mut self, now: i64) {
        let tids: Vec<i32> = self.reservations.keys().copied().collect();
        let tid = tids[self.random.below(tids.len())];
        let cpus: Vec<usize> = (0..self.cpus).filter(|_| self.random.one_in(2)).collect();
        if !cpus.is_empty() {
            self.steps.push((now, Step::Affinity { tid, cpus }));
        }
    }

    fn run(mut self, end: i64) -> (usize, BTreeMap<i32, Reservation>, Vec<(i64, Step)>) {
        let mut now = 1;
        while now < end {
            match self.random.below(12) {
                0..=3 => self.wake(now),
                4..=8 => self.switch(now),
                9 => self.migrate(now),
                10 => self.affinity(now),
                _ => {
                    let (cpu, for_ms) = (self.random.below(self.cpus), 1 + self.random.below(3) as i64);
                    self.steps.push((now, Step::Interrupt { cpu, for_ms }));
                }
            }
            now += [0, 0, 1, 1, 2, 4][self.random.below(6)];
        }
        (self.cpus, self.reservations, self.steps)
    }
}

/// `lost`: events are lost for that time on one more CPU, which nothing may use and of which nothing else is known.
fn draw(
    cpus: usize,
    threads: &BTreeMap<i32, Reservation>,
    steps: &[(i64, Step)],
    end: i64,
    lost: Option<(i64, i64)>,
) -> String {
    let all = (0..cpus).map(|cpu| cpu.to_string()).collect::<Vec<_>>().join(",");
    let more = lost.map_or(String::new(), |_| format!(",{cpus}"));
    let mut text = format!("cpus {all}{more}\nkernel 6.1\nwindow 0ms {end}ms\n");
    for cpu in 0..cpus {
        writeln!(
            text,
            "0ms cpu {cpu} idle\n0ms thread {} migration/{cpu} on {cpu} asleep mask {cpu} prio 0 kernel percpu",
            11 + cpu
        )
        .unwrap();
    }
    for tid in threads.keys() {
        writeln!(text, "0ms thread {tid} dl on 0 asleep mask {all} prio -1").unwrap();
    }
    for (tid, prio) in [(200, 120), (201, 139), (202, 50)] {
        writeln!(text, "0ms thread {tid} other on 0 asleep mask {all} prio {prio}").unwrap();
    }
    let mut places: BTreeMap<i32, usize> = BTreeMap::new();
    let mut lost = lost;
    for (now, step) in steps {
        if let Some((from, until)) = lost.take_if(|lost| lost.0 <= *now) {
            writeln!(text, "{from}ms lost {cpus} until {until}ms").unwrap();
        }
        let prio = |tid: &i32| if threads.contains_key(tid) { " prio -1" } else { "" };
        write!(text, "{now}ms ").unwrap();
        match step {
            Step::Server { tid, until, left, throttled, yielded } => {
                let Reservation { runtime, deadline, period } = threads[tid];
                let state = match (throttled, yielded) {
                    (_, true) => " yielded",
                    (true, _) => " throttled",
                    _ => "",
                };
                writeln!(
                    text,
                    "deadline {tid} runtime {runtime}ms deadline {deadline}ms period {period}ms until {until}ms left {left}ms{state}"
                )
            }
            Step::Wakeup { tid, cpu } => {
                places.insert(*tid, *cpu);
                writeln!(text, "wakeup {tid} on {cpu}")
            }
            Step::Switch { cpu, prev, state, next } => {
                places.insert(*prev, *cpu);
                writeln!(text, "switch {cpu}: {prev} {state} -> {next}{}", prio(next))
            }
            Step::Migrate { tid, to } => {
                let from = places.insert(*tid, *to).expect("it was queued");
                writeln!(text, "migrate {tid} from {from} to {to}")
            }
            Step::Affinity { tid, cpus } => {
                let list = cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
                writeln!(text, "affinity {tid} {list}")
            }
            Step::Interrupt { cpu, for_ms } => writeln!(text, "irq {cpu} for {for_ms}ms"),
        }
        .unwrap();
    }
    if let Some((from, until)) = lost {
        writeln!(text, "{from}ms lost {cpus} until {until}ms").unwrap();
    }
    text
}

fn reference_job(row: &JobRow) -> reference::Job {
    reference::Job {
        tid: row.tid,
        activation: row.activation / MS,
        deadline: row.deadline / MS,
        end: row.end.map(|end| end / MS),
        ended_by: ["sleep", "yield", "exit", "unfinished"].into_iter().find(|by| **by == row.ended_by).unwrap(),
        throttles: row.throttles,
        spent: row.spent.map(|ns| ns / MS),
        charged: 0,
    }
}

fn traces() -> u64 {
    std::env::var("STREAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(3_000)
}

#[test]
fn jobs_of_random_traces_are_those_of_the_reference() {
    let (mut all, mut missed, mut spent) = (0, 0, [0i64; 10]);
    for seed in 1..=traces() {
        let end = 80;
        let (cpus, threads, steps) = Machine::new(seed).run(end);
        let text = draw(cpus, &threads, &steps, end, None);
        let (expected, passed_over) = reference::jobs(cpus, &threads, &steps, end);
        let (report, jobs) = jobs_of(&text, &[]);
        let found: Vec<reference::Job> = jobs.iter().map(reference_job).collect();
        assert_eq!(found, expected, "seed {seed}:\n{text}");
        let total: i64 = report.edf.grades.iter().map(|grade| grade.total_ns).sum();
        assert_eq!(total, passed_over * MS, "seed {seed}:\n{text}");
        for row in &jobs {
            let until = row.end.unwrap_or(end * MS);
            assert_eq!(
                row.spent.iter().sum::<i64>(),
                until - row.activation,
                "seed {seed}: time that went nowhere\n{text}"
            );
            assert_eq!((row.missed, row.fault.is_some()), (until > row.deadline, until > row.deadline));
            spent.iter_mut().zip(row.spent).for_each(|(all, ns)| *all += ns);
        }
        (all, missed) = (all + jobs.len() as u64, missed + report.missed);
    }
    // Each way to spend time, and both ends, have to occur; only unknown time does not, nor contention, which deadline threads have none of.
    assert!(all > traces() && missed > traces() / 10, "{all} jobs, {missed} missed");
    for (of, &ns) in spent.iter().enumerate() {
        assert_eq!(ns == 0, of == 6 || of == 9, "{spent:?}");
    }
}

/// A loss takes the jobs that are under way or start in it, and no others; of what a thread was passed over before it nothing goes.
#[test]
fn a_loss_costs_the_jobs_in_it_and_no_time_that_was_seen() {
    let (mut gone, mut cut, mut violations) = (0, 0, 0);
    for seed in 1..=traces() / 3 {
        let end = 80;
        let (cpus, threads, steps) = Machine::new(seed).run(end);
        let from = 10 + (seed * 7 % 60) as i64;
        let until = from + (seed % 5) as i64;
        let text = draw(cpus, &threads, &steps, end, Some((from, until)));
        let (whole, _) = jobs_of(&draw(cpus, &threads, &steps, end, None), &[]);
        let (report, jobs) = jobs_of(&text, &[]);
        let found: Vec<reference::Job> = jobs.iter().map(reference_job).collect();
        let (expected, _) = reference::jobs(cpus, &threads, &steps, end);
        let is_seen = |job: &reference::Job| job.activation >= until || job.end.is_some_and(|end| end < from);
        // A yield that ends a job under way at the loss starts one where, seen whole, the job may go on: its server was due already.
        let by_wakeup = |job: &&reference::Job| {
            let is_wakeup = |step: &Step| matches!(step, Step::Wakeup { tid, .. } if *tid == job.tid);
            steps.iter().any(|(at, step)| *at == job.activation && is_wakeup(step))
        };
        assert!(found.iter().all(is_seen), "seed {seed}: {found:?}\n{text}");
        let found: Vec<_> = found.iter().filter(by_wakeup).collect();
        let seen: Vec<_> = expected.iter().filter(|job| is_seen(job)).filter(by_wakeup).collect();
        assert_eq!(found, seen, "seed {seed}:\n{text}");
        let under_way = |job: &&reference::Job| job.activation < from && job.end.is_none_or(|end| end > from);
        let lost = expected.iter().filter(under_way).count() as u64;
        assert!(report.losses == 1 && report.lost >= lost, "seed {seed}: {} {lost}\n{text}", report.lost);
        gone += lost;
        for interval in whole.edf.longest.iter().filter(|of| of.start_ns < from * MS && of.end_ns > from * MS) {
            let is_seen = |of: &&PassedOverRow| {
                (of.thread.tid, of.start_ns, of.end_ns) == (interval.thread.tid, interval.start_ns, from * MS)
            };
            assert_eq!(report.edf.longest.iter().filter(is_seen).count(), 1, "seed {seed}: {interval:?}\n{text}");
            cut += 1;
            violations += u64::from(from * MS - interval.start_ns > 4 * MS);
        }
    }
    assert!(gone > traces() / 10 && cut > traces() / 100 && violations > 0, "{gone} {cut} {violations}");
}
