//! The deadline class: what `wastenot deadlines` finds in its traces is what the simulator knows, global EDF holds, and what breaks it
//! is found and blamed.

mod common;
#[path = "common/deadlines.rs"]
mod deadline_sets;
#[path = "common/workloads.rs"]
mod workloads;

use common::{Tables, machine, simulate, verdict};
use deadline_sets::*;
use wastenot_checker::deadlines::DeadlineReport;
use wastenot_machine::Machine;
use wastenot_replay::span::{MS, US};
use wastenot_replay::workload::{Happening, ThreadSpec};
use wastenot_replay::{
    DeadlineJob, Fault, FaultSet, Kernel, NullSink, Outcome, Release, Settings, Simulation, Span, Step, Workload,
};
use workloads::*;

fn of_cpus(cpus: u32) -> Machine {
    machine(1, 1, cpus, 1)
}

/// Whatever is asked for is admitted.
fn without_bound(m: Machine) -> Machine {
    Machine { rt_runtime_us: Some(-1), ..m }
}

fn run_with(m: &Machine, w: &Workload, faults: FaultSet, seed: u64) -> (Tables, Outcome) {
    let settings = Settings { seed, log_jobs: true, ..Settings::default() };
    simulate(m, w, Kernel::new(Release::Eevdf, faults), &settings)
}

/// The simulator's own log in the checker's words.
fn logged(outcome: &Outcome) -> Vec<FoundJob> {
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

/// Holds the checker's jobs to the log; returns what it found.
fn compared(trace: &Tables, outcome: &Outcome, what: &str) -> (DeadlineReport, Vec<FoundJob>) {
    let (report, found) = deadlines_of(trace);
    let without_fault: Vec<FoundJob> = found.iter().map(|job| FoundJob { fault: None, ..job.clone() }).collect();
    let expected = logged(outcome);
    let first = without_fault.iter().zip(&expected).find(|(a, b)| a != b);
    assert!(
        without_fault == expected,
        "{what}: {} found, {} logged; first difference: {first:?}",
        found.len(),
        expected.len()
    );
    for progress in &outcome.progress {
        let of_name = report.tasks.iter().filter(|task| task.thread.name.as_ref() == Some(&progress.name));
        let (mut jobs, mut missed, mut latest) = (0, 0, 0);
        for task in of_name {
            (jobs, missed, latest) = (jobs + task.jobs, missed + task.missed, latest.max(task.tardiness_max_ns));
        }
        let counts = &progress.deadline_jobs;
        assert_eq!(
            (jobs, missed, latest as u64),
            (counts.jobs, counts.missed, counts.tardiness_max_ns),
            "{what}: {}",
            progress.name
        );
    }
    (report, found)
}

fn assert_edf(report: &DeadlineReport, what: &str) {
    let edf = &report.edf;
    let odd = (edf.violations, edf.undecided, edf.outside_mask, report.lost, report.losses);
    assert_eq!(odd, (0, 0, 0, 0, 0), "{what}: {:?}", edf.longest.first());
    assert!(edf.checked, "{what}");
}

/// How many sets are drawn of each kind: 12, or what CASES says.
fn cases() -> u64 {
    std::env::var("CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(12)
}

#[test]
fn what_the_checker_finds_is_what_the_simulator_knows() {
    let (mut jobs, mut missed, mut on_time) = (0, 0, 0);
    for cpus in [1, 2, 4] {
        for (share, behaviour) in [(600, Behaviour::Within), (940, Behaviour::Within), (900, Behaviour::Unruly)] {
            for seed in 1..=cases() {
                let what = format!("{cpus} CPUs, {share}, {behaviour:?}, seed {seed}");
                let w = drawn_set(cpus, share, behaviour, seed * 1_000 + u64::from(cpus));
                let (trace, outcome) = run_with(&of_cpus(cpus), &w, FaultSet::none(), seed);
                let (report, found) = compared(&trace, &outcome, &what);
                assert_edf(&report, &what);
                let v = verdict(&trace);
                let odd =
                    ["contradiction", "rejected", "repaired", "placements_inferred", "migrate_mismatch", "suspect"];
                assert!(odd.iter().all(|w| v.data_quality_of(w) == 0), "{what}: {:?}", v.data_quality);
                jobs += found.len();
                missed += found.iter().filter(|job| job.tardiness > 0).count();
                // EDF on one CPU meets all deadlines that any schedule meets.
                let is_implicit = report.tasks.iter().all(|t| t.reservation.deadline_ns == t.reservation.period_ns);
                if cpus == 1 && behaviour == Behaviour::Within && is_implicit {
                    assert!(report.misses.is_empty(), "{what}: {:?}", report.misses.first());
                    on_time += found.len();
                }
            }
        }
    }
    assert!(jobs > 10_000 && missed > 500 && on_time > 100, "{jobs} jobs, {missed} missed, {on_time} of sets that fit");
}
