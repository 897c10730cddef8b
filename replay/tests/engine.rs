//! The engine under the smallest scheduler: its trace passes the checker, and says what happened.

mod common;

use common::{machine, simulate, verdict};
use std::collections::BTreeMap;
use wastenot_replay::schedulers::SharedFifo;
use wastenot_replay::span::{MS, US};
use wastenot_replay::workload::{Object, Start};
use wastenot_replay::{Level, Settings, Span, Step, Workload};

fn workload(programs: &[(&str, Vec<Step>)], threads: Vec<Start>, objects: &[(&str, Object)]) -> Workload {
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
    workload(&[("work", vec![work])], vec![Start::of("work", 12)], &[])
}

#[test]
fn a_trace_contradicts_nothing() {
    for level in [Level::Machine, Level::Node, Level::Llc, Level::Cpu] {
        let (trace, outcome) =
            simulate(&machine(2, 1, 2, 2), &busy_and_sleepy(), SharedFifo::at(level), &Settings::default());
        let v = verdict(&trace);
        assert!(outcome.finished, "{level:?}");
        assert_eq!(v.trusted("contradiction") + v.trusted("rejected") + v.trusted("repaired"), 0, "{level:?} {v:?}");
        assert_eq!(v.trusted("placements_inferred") + v.trusted("migrate_mismatch"), 0, "{level:?} {v:?}");
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
