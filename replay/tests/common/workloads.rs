//! Workloads drawn in code, for tests and examples.
#![allow(dead_code)] // Each user takes its part.

use std::collections::BTreeMap;
use wastenot_replay::span::{MS, US};
use wastenot_replay::workload::{Object, ThreadSpec, TimedHappening};
use wastenot_replay::{Ns, Span, Step, Time, Workload};

/// A workload of programs, threads and objects.
pub fn workload(programs: &[(&str, Vec<Step>)], threads: Vec<ThreadSpec>, objects: &[(&str, Object)]) -> Workload {
    Workload {
        programs: programs.iter().map(|(n, p)| ((*n).to_owned(), p.clone())).collect(),
        objects: objects.iter().map(|(n, o)| ((*n).to_owned(), o.clone())).collect::<BTreeMap<_, _>>(),
        threads,
        ..Workload::default()
    }
}

pub fn limited(limit: Ns, w: Workload) -> Workload {
    Workload { limit: Some(Time(limit)), ..w }
}

pub fn happening(at: Ns, what: wastenot_replay::workload::Happening, mut w: Workload) -> Workload {
    w.happenings.push(TimedHappening { at: Time(at), what });
    w
}

pub fn times(n: u64, body: Vec<Step>) -> Step {
    Step::Repeat { times: Some(n), body }
}

pub fn forever(body: Vec<Step>) -> Step {
    Step::Repeat { times: None, body }
}

pub fn run(ns: Ns) -> Step {
    Step::Run(Span::fixed(ns))
}

/// Threads that compute all the time.
pub fn hog() -> Vec<Step> {
    vec![forever(vec![run(10 * MS)])]
}

/// Threads that compute and sleep, in random lengths.
pub fn sleepy(n: u64, work: Ns, sleep: Ns) -> Vec<Step> {
    vec![times(n, vec![Step::Run(Span::uniform(work / 2, work * 3 / 2)), Step::Sleep(Span::exponential(sleep))])]
}

/// A bit of everything the engine knows.
pub fn mixed(threads: u32) -> Workload {
    use wastenot_replay::workload::WaitMode;
    let worker = vec![times(
        40,
        vec![
            Step::Run(Span::exponential(300 * US)),
            Step::Lock("m".into()),
            Step::Run(Span::uniform(5 * US, 50 * US)),
            Step::Unlock("m".into()),
            Step::Barrier("b".into()),
            Step::Io { device: "d".into(), latency: Span::exponential(200 * US) },
        ],
    )];
    let writer =
        vec![times(200, vec![Step::Run(Span::exponential(80 * US)), Step::Write { pipe: "p".into(), items: 1 }])];
    let reader =
        vec![times(200, vec![Step::Read { pipe: "p".into(), items: 1 }, Step::Run(Span::exponential(90 * US))])];
    let maker = vec![
        times(
            20,
            vec![
                Step::Join(3),
                Step::Fork { program: "job".into(), count: 1, name: Some("cc".into()), threads: false, bubble: false },
            ],
        ),
        Step::Join(0),
    ];
    let job = vec![Step::Exec("cc1".into()), Step::Run(Span::exponential(4 * MS))];
    let objects = [
        ("m", Object::Lock { wait: WaitMode::SpinThenSleep(Time(20 * US)), fair: false }),
        ("b", Object::Barrier { parties: threads, wait: WaitMode::SpinYield(Time(30 * US)) }),
        ("d", Object::Device { parallel: 2 }),
        ("p", Object::Pipe { capacity: 3 }),
    ];
    let programs = [("worker", worker), ("writer", writer), ("reader", reader), ("make", maker), ("job", job)];
    let starts = vec![
        ThreadSpec { threads: true, memory: 300, ..ThreadSpec::of("worker", threads) },
        ThreadSpec::of("writer", 2),
        ThreadSpec::of("reader", 2),
        ThreadSpec { nice: 5, ..ThreadSpec::of("make", 1) },
    ];
    workload(&programs, starts, &objects)
}
