//! The kernel model: its traces contradict nothing, and it keeps what a scheduler must keep.

mod common;
#[path = "common/workloads.rs"]
mod workloads;

use common::{machine, opteron, simulate, verdict};
use wastenot_replay::span::{MS, US};
use wastenot_replay::workload::{CgroupSpec, Happening, ThreadSpec};
use wastenot_replay::{FaultSet, Kernel, Release, Settings, Span, Step, Time};
use workloads::*;

const RELEASES: [Release; 2] = [Release::Averages, Release::Eevdf];

#[test]
fn a_trace_contradicts_nothing() {
    for release in RELEASES {
        for faults in [FaultSet::none(), FaultSet::shipped(release)] {
            for m in [machine(1, 1, 2, 1), machine(2, 1, 2, 2), machine(2, 2, 4, 1)] {
                let (trace, outcome) = simulate(&m, &mixed(12), Kernel::new(release, faults), &Settings::default());
                let v = verdict(&trace);
                assert!(outcome.finished, "{release:?} {faults:?}: {outcome:?}");
                let odd = ["contradiction", "rejected", "repaired", "placements_inferred", "migrate_mismatch"];
                assert!(odd.iter().all(|w| v.data_quality_of(w) == 0), "{release:?} {faults:?} {:?}", v.data_quality);
            }
        }
    }
}

/// With every fault off and nothing that excuses it, no waste outlasts what a placement or a newidle attempt takes: all
/// of it is of the grade `noise` (below 50 µs).
#[test]
fn without_faults_work_is_conserved() {
    let naps = |n| {
        let naps = Step::Repeat {
            times: None,
            body: vec![
                Step::Run(Span::exponential(400 * US)),
                Step::Sleep(Span::exponential(300 * US)),
                Step::Run(Span::exponential(3 * MS)),
                Step::Sleep(Span::uniform(50 * US, 2 * MS)),
            ],
        };
        limited(500 * MS, workload(&[("nap", vec![naps])], vec![ThreadSpec::of("nap", n)], &[]))
    };
    for release in RELEASES {
        for (m, cpus) in
            [(machine(1, 1, 4, 1), 4), (machine(2, 1, 4, 2), 16), (machine(2, 2, 4, 1), 16), (opteron(), 64)]
        {
            for w in [naps(cpus), naps(cpus * 3 / 2), naps(cpus * 3), mixed(cpus)] {
                let (trace, _) = simulate(&m, &w, Kernel::new(release, FaultSet::none()), &Settings::default());
                let v = verdict(&trace);
                assert_eq!(v.grades[1..].iter().sum::<i64>(), 0, "{release:?} {cpus} CPUs {:?} {v:?}", w.threads);
                assert!(v.wasted_ns * 2000 < v.online_ns, "{release:?} {cpus} CPUs {v:?}");
            }
        }
    }
}

/// Run time of busy threads by name, after two seconds on one CPU.
fn shares(release: Release, starts: Vec<ThreadSpec>) -> Vec<i64> {
    let names: Vec<String> = starts.iter().map(|s| s.name.clone().unwrap_or_default()).collect();
    let w = limited(4_000 * MS, workload(&[("hog", hog())], starts, &[]));
    let (trace, _) = simulate(&machine(1, 1, 1, 1), &w, Kernel::new(release, FaultSet::none()), &Settings::default());
    let v = verdict(&trace);
    names.iter().map(|n| v.run_ns.iter().filter(|r| r.0 == *n).map(|r| r.1).sum()).collect()
}

fn named(name: &str, count: u32) -> ThreadSpec {
    ThreadSpec { name: Some(name.into()), session: Some("one".into()), ..ThreadSpec::of("hog", count) }
}

#[test]
fn weights_are_honoured_within_three_percent_over_four_seconds() {
    for release in RELEASES {
        // Nice 0 and nice 5: 1024 to 335.
        let s = shares(release, vec![named("zero", 1), ThreadSpec { nice: 5, ..named("five", 1) }]);
        let (found, due) = (s[0] as f64 / (s[0] + s[1]) as f64, 1024.0 / 1359.0);
        assert!((found - due).abs() < 0.03, "{release:?}: {found} of {due}");
        // Two sessions share alike, however many threads they have.
        let other = ThreadSpec { session: Some("other".into()), ..named("other", 1) };
        let s = shares(release, vec![named("many", 5), other]);
        let found = s[0] as f64 / (s[0] + s[1]) as f64;
        assert!((found - 0.5).abs() < 0.03, "{release:?}: {found} of a half");
        // SCHED_IDLE gets what its weight of 3 is worth.
        let idle = ThreadSpec { policy: wastenot_replay::Policy::Idle, ..named("idle", 1) };
        let s = shares(release, vec![named("normal", 1), idle]);
        assert!(s[1] as f64 / (s[0] + s[1]) as f64 <= 0.01, "{release:?}: {s:?}");
    }
}

#[test]
fn a_quota_is_kept_within_a_slice_per_cpu_and_period() {
    for release in RELEASES {
        let mut w = limited(
            2_000 * MS,
            workload(&[("hog", hog())], vec![ThreadSpec { cgroup: Some("q".into()), ..ThreadSpec::of("hog", 4) }], &[]),
        );
        let quota = Some(Time(60 * MS));
        w.cgroups.insert("q".into(), CgroupSpec { quota, ..CgroupSpec::default() });
        let (trace, _) =
            simulate(&machine(1, 1, 4, 1), &w, Kernel::new(release, FaultSet::none()), &Settings::default());
        let ran: i64 = verdict(&trace).run_ns.iter().filter(|r| r.0 == "hog").map(|r| r.1).sum();
        // 20 periods of 60 ms; each of four CPUs may overrun to its next tick (4 ms), and owes that later.
        assert!((1_100..=1_300).contains(&(ran / MS as i64)), "{release:?}: {ran} ns of 1200 ms");
    }
}

#[test]
fn real_time_threads_run_first_and_spread() {
    for release in RELEASES {
        let rt = ThreadSpec { policy: wastenot_replay::Policy::Fifo(20), ..ThreadSpec::of("rt", 2) };
        let rt_program = vec![times(100, vec![run(MS), Step::Sleep(Span::fixed(MS))])];
        let w = limited(
            1_000 * MS,
            workload(
                &[("rt", rt_program), ("hog", hog())],
                vec![rt, ThreadSpec { background: true, ..ThreadSpec::of("hog", 4) }],
                &[],
            ),
        );
        let (_, outcome) =
            simulate(&machine(1, 1, 2, 1), &w, Kernel::new(release, FaultSet::none()), &Settings::default());
        // 100 rounds of 2 ms each, on a CPU of its own: what is beyond is switches and timers.
        let end = outcome.ended("rt").expect("both have ended");
        assert!(end < 206 * MS, "{release:?}: {end}");
    }
}

#[test]
fn an_offline_cpu_runs_no_thread_and_a_returned_one_does() {
    for release in RELEASES {
        let last = || [3].into_iter().collect();
        let w = limited(400 * MS, workload(&[("hog", hog())], vec![ThreadSpec::of("hog", 8)], &[]));
        let w = happening(100 * MS, Happening::Offline(last()), w);
        let w = happening(200 * MS, Happening::Online(last()), w);
        let (trace, _) =
            simulate(&machine(1, 1, 4, 1), &w, Kernel::new(release, FaultSet::none()), &Settings::default());
        let v = verdict(&trace);
        assert_eq!(v.data_quality_of("contradiction"), 0, "{:?}", v.data_quality);
        // Four CPUs for 300 ms, three for 100 ms.
        assert!((1_490..=1_501).contains(&(v.busy_ns / MS as i64)), "{release:?}: {v:?}");
    }
}
