//! Deadline tasks: sets drawn at random, and what the checker says of their trace.
#![allow(dead_code)] // Each test file uses its part of this module.

use crate::common::{Tables, inputs};
use crate::workloads::{forever, hog, limited, workload};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use wastenot_checker::deadlines::{DL_JOB, DeadlineOptions, DeadlineReport, deadlines};
use wastenot_replay::random::Random;
use wastenot_replay::span::{MS, US};
use wastenot_replay::workload::ThreadSpec;
use wastenot_replay::{
    DeadlineJob, DeadlineParameters, LateTimer, Ns, Outcome, PeriodicTimer, Policy, Span, Step, Time, Workload,
};

/// A job as the checker found it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundJob {
    pub tid: i32,
    pub activation: i64,
    pub deadline: i64,
    pub end: Option<i64>,
    pub run: i64,
    pub tardiness: i64,
    pub fault: Option<String>,
}

impl FoundJob {
    /// As the log has it, which blames nothing.
    pub fn without_fault(self) -> Self {
        Self { fault: None, ..self }
    }
}

/// The simulator's own log in the checker's words.
pub fn logged(outcome: &Outcome) -> Vec<FoundJob> {
    let of = |job: &DeadlineJob| FoundJob {
        tid: job.tid,
        activation: job.released_ns as i64,
        deadline: job.deadline_ns as i64,
        end: job.ended_ns.map(|ns| ns as i64),
        run: job.run_ns as i64,
        tardiness: job.tardiness_ns(outcome.end_ns) as i64,
        fault: None,
    };
    let mut jobs: Vec<FoundJob> = outcome.jobs.iter().map(of).collect();
    jobs.sort();
    jobs
}

/// The figures and jobs of a trace, jobs in the order of their threads and times.
pub fn deadlines_of(trace: &Tables) -> (DeadlineReport, Vec<FoundJob>) {
    let mut kept = wastenot_checker::BatchCollector::default();
    let report = deadlines(inputs(trace), &DeadlineOptions::default(), &mut kept).unwrap_or_else(|e| panic!("{e}"));
    let batches = kept.0.iter().filter(|(name, _)| *name == DL_JOB);
    let mut jobs: Vec<FoundJob> = batches.flat_map(|(_, batch)| rows(batch, &report)).collect();
    jobs.sort();
    (report, jobs)
}

fn rows(batch: &RecordBatch, report: &DeadlineReport) -> Vec<FoundJob> {
    let column = |name: &str| batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}")).clone();
    let ns = |name: &str, row: usize| column(name).as_primitive::<Int64Type>().value(row);
    let of = |row: usize| {
        let utid = column("utid").as_primitive::<UInt32Type>().value(row);
        let task = report.tasks.iter().find(|task| task.thread.utid == utid).expect("it is listed");
        let fault = column("fault");
        let faults = fault.as_dictionary::<arrow_array::types::UInt8Type>();
        let text =
            |row: usize| faults.downcast_dict::<arrow_array::StringArray>().expect("texts").value(row).to_owned();
        use arrow_array::ArrayAccessor;
        FoundJob {
            tid: task.thread.tid,
            activation: ns("activation_ns", row),
            deadline: ns("deadline_ns", row),
            end: column("end_ns").is_valid(row).then(|| ns("end_ns", row)),
            run: ns("run_ns", row),
            tardiness: ns("tardiness_ns", row),
            fault: faults.is_valid(row).then(|| text(row)),
        }
    };
    (0..batch.num_rows()).map(of).collect()
}

/// A thread of policy deadline.
pub fn deadline(runtime: Ns, deadline: Ns, period: Ns) -> Policy {
    let (deadline, period) = (Some(Time(deadline)), Some(Time(period)));
    Policy::Deadline(DeadlineParameters { runtime: Time(runtime), deadline, period })
}

/// The step that waits for the next release.
pub fn timer(period: Ns, offset: Option<Ns>) -> Step {
    Step::Timer(PeriodicTimer { period: Time(period), offset: offset.map(Time), late: LateTimer::Skip })
}

/// A task that runs for `work` in each period.
pub fn periodic(period: Ns, offset: Ns, work: Span) -> Vec<Step> {
    vec![forever(vec![timer(period, Some(offset)), Step::Run(work)])]
}

/// How tasks of a drawn set behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// No job needs more than its runtime.
    Within,
    /// Some do, and some threads yield, sleep at random or wait for a device.
    Unruly,
}

/// A set of deadline tasks, drawn: `share` thousandths of `cpus` CPUs in all (UUniFast), beside threads of other classes.
pub fn drawn_set(cpus: u32, share: u64, behaviour: Behaviour, seed: u64) -> Workload {
    let mut random = Random::new(seed);
    let n = random.between(1, u64::from(3 * cpus + 2)) as u32;
    // Parts per million of a CPU each.
    let mut left = share * 1_000 * u64::from(cpus);
    let mut parts = Vec::new();
    for at in 0..n {
        let rest = n - at;
        let part = match rest {
            1 => left,
            // The largest of `rest` − 1 uniform numbers splits what is left.
            _ => left - (1..rest).map(|_| random.between(0, left)).max().unwrap_or(0),
        };
        let part = part.clamp(10_000, 900_000).min(left);
        left -= part;
        parts.push(part);
    }
    let (mut programs, mut threads) = (Vec::new(), Vec::new());
    for (at, part) in parts.into_iter().enumerate() {
        let period = random.between(4, 40) * 500 * US;
        let runtime = (period / 1_000 * part / 1_000).max(20 * US);
        let is_constrained = random.between(0, 2) == 0;
        let relative = if is_constrained { random.between(runtime.max(period / 2), period) } else { period };
        let most = match behaviour {
            // Switches, system calls and caches cost time as well.
            Behaviour::Within => (runtime * 9 / 10).saturating_sub(15 * US).max(2 * US),
            Behaviour::Unruly => runtime * 13 / 10,
        };
        let work = Span::uniform(most / 4, most);
        let offset = random.between(0, 20) * 500 * US;
        let body = match (behaviour, random.between(0, 5)) {
            (Behaviour::Unruly, 0) => vec![forever(vec![Step::Run(work), Step::Yield])],
            (Behaviour::Unruly, 1) => vec![forever(vec![Step::Run(work), Step::Sleep(Span::exponential(period))])],
            (Behaviour::Unruly, 2) => {
                let io = Step::Io { device: "d".into(), latency: Span::exponential(500 * US) };
                let half = Span::uniform(most / 8, most / 2);
                vec![forever(vec![timer(period, None), Step::Run(half), io, Step::Run(half)])]
            }
            _ => periodic(period, offset, work),
        };
        let name = format!("task{at}");
        let policy = deadline(runtime, relative, period);
        threads.push(ThreadSpec { policy, at: Time(random.between(0, 5) * MS), ..ThreadSpec::of(&name, 1) });
        programs.push((name, body));
    }
    let others = random.between(0, 3);
    if others & 1 != 0 {
        programs.push(("hog".into(), hog()));
        threads.push(ThreadSpec::of("hog", random.between(1, u64::from(cpus)) as u32));
    }
    if others & 2 != 0 {
        let nap = vec![forever(vec![Step::Run(Span::exponential(MS)), Step::Sleep(Span::exponential(3 * MS))])];
        programs.push(("rt".into(), nap));
        threads.push(ThreadSpec { policy: Policy::Fifo(30), ..ThreadSpec::of("rt", 1) });
    }
    let programs: Vec<(&str, Vec<Step>)> =
        programs.iter().map(|(name, steps)| (name.as_str(), steps.clone())).collect();
    let device = [("d", wastenot_replay::workload::Object::Device { parallel: 2 })];
    limited(600 * MS, workload(&programs, threads, &device))
}
