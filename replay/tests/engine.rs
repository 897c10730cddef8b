//! The engine under the smallest scheduler: the checker accepts its trace, which shows what happened.

mod common;

use common::{machine, simulate, verdict};
use std::collections::BTreeMap;
use wastenot_replay::program::Policy;
use wastenot_replay::schedulers::{RoundRobin, SharedFifo};
use wastenot_replay::span::{MS, US};
use wastenot_replay::workload::{Object, ThreadSpec};
use wastenot_replay::{Level, NullSink, Outcome, Settings, Simulation, SimulationError, Span, Step, Time, Workload};

fn workload(programs: &[(&str, Vec<Step>)], threads: Vec<ThreadSpec>, objects: &[(&str, Object)]) -> Workload {
    Workload {
        programs: programs.iter().map(|(n, p)| ((*n).to_owned(), p.clone())).collect(),
        objects: objects.iter().map(|(n, o)| ((*n).to_owned(), o.clone())).collect::<BTreeMap<_, _>>(),
        threads,
        ..Workload::default()
    }
}

fn busy_and_sleepy() -> Workload {
    let work = Step::Repeat {
        times: Some(50),
        body: vec![Step::Run(Span::uniform(100 * US, 3 * MS)), Step::Sleep(Span::exponential(MS))],
    };
    workload(&[("work", vec![work])], vec![ThreadSpec::of("work", 12)], &[])
}

#[test]
fn a_trace_contradicts_nothing() {
    for level in [Level::Machine, Level::Node, Level::Llc, Level::Cpu] {
        let (trace, outcome) =
            simulate(&machine(2, 1, 2, 2), &busy_and_sleepy(), SharedFifo::at(level), &Settings::default());
        let v = verdict(&trace);
        assert!(outcome.finished, "{level:?}");
        assert_eq!(
            v.data_quality_of("contradiction") + v.data_quality_of("rejected") + v.data_quality_of("repaired"),
            0,
            "{level:?} {v:?}"
        );
        assert_eq!(
            v.data_quality_of("placements_inferred") + v.data_quality_of("migrate_mismatch"),
            0,
            "{level:?} {v:?}"
        );
    }
}

#[test]
fn a_trace_of_real_time_turns_contradicts_nothing() {
    let mut w = busy_and_sleepy();
    w.threads[0] = ThreadSpec { policy: Policy::Rr(10), placed: Some((0..2).collect()), ..w.threads[0].clone() };
    for scheduler in [RoundRobin::plain(), RoundRobin::grouping()] {
        let (trace, outcome) = simulate(&machine(1, 1, 4, 1), &w, scheduler, &Settings::default());
        let v = verdict(&trace);
        assert!(outcome.finished);
        assert_eq!(
            v.data_quality_of("contradiction") + v.data_quality_of("rejected") + v.data_quality_of("repaired"),
            0,
            "{v:?}"
        );
        assert_eq!(v.data_quality_of("placements_inferred") + v.data_quality_of("migrate_mismatch"), 0, "{v:?}");
    }
}

#[test]
fn a_global_queue_conserves_work_and_queues_per_cpu_do_not() {
    let waste = |level| {
        let (trace, _) =
            simulate(&machine(2, 1, 2, 2), &busy_and_sleepy(), SharedFifo::at(level), &Settings::default());
        verdict(&trace)
    };
    let (global, local) = (waste(Level::Machine), waste(Level::Cpu));
    assert!(global.beyond_tick() == 0 && global.wasted_ns < 100_000, "{global:?}");
    assert!(local.wasted_ns > 10_000_000, "{local:?}");
}

/// Real-time threads that never sleep, on two CPUs: the launcher, an ordinary thread, is starved once two of them run.
fn four_that_starve_their_launcher() -> Workload {
    let hog = Step::Repeat { times: None, body: vec![Step::Run(Span::fixed(10 * MS))] };
    let start = ThreadSpec { policy: Policy::Rr(10), ..ThreadSpec::of("hog", 4) };
    Workload { limit: Some(Time(200 * MS)), ..workload(&[("hog", vec![hog])], vec![start], &[]) }
}

fn outcome_under_rr(w: &Workload) -> Result<Outcome, SimulationError> {
    let mut sink = NullSink;
    Simulation::new(&machine(1, 1, 2, 1), w, RoundRobin::plain(), &Settings::default(), &mut sink)?.run()
}

#[test]
fn a_run_whose_threads_never_all_existed_is_refused() {
    let error = outcome_under_rr(&four_that_starve_their_launcher()).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, SimulationError::NeverStarted { count: 4, started: 2..4, .. }), "{error:?}");
    assert!(
        text.contains("of 4 threads \"hog\" existed when the run ended at 0.200 s") && !text.contains('\n'),
        "{text}"
    );
}

#[test]
fn threads_placed_before_the_clock_starts_all_exist() {
    let mut w = four_that_starve_their_launcher();
    w.threads[0].placed = Some((0..2).collect());
    let outcome = outcome_under_rr(&w).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(outcome.progress[0].threads, 4);
}

#[test]
fn background_threads_that_start_after_the_end_are_missed() {
    let short = vec![Step::Run(Span::fixed(MS))];
    let late = ThreadSpec { at: Time(50 * MS), background: true, ..ThreadSpec::of("late", 1) };
    let w = workload(&[("short", short.clone()), ("late", short)], vec![ThreadSpec::of("short", 1), late], &[]);
    let error = outcome_under_rr(&w).unwrap_err();
    assert!(matches!(error, SimulationError::NeverStarted { count: 1, started: 0, .. }), "{error:?}");
}
