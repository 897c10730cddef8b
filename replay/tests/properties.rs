//! What must hold whatever the workload, the machine, the release and the faults are.

mod common;
#[path = "common/deadlines.rs"]
mod deadline_sets;
#[path = "common/workloads.rs"]
mod workloads;

use common::{Tables, machine, simulate, verdict};
use deadline_sets::{deadline, deadlines_of, logged, timer};
use proptest::prelude::*;
use std::collections::BTreeMap;
use wastenot_machine::Machine;
use wastenot_replay::faults::FAULTS;
use wastenot_replay::program::Policy;
use wastenot_replay::span::{MS, US};
use wastenot_replay::workload::{CgroupSpec, Happening, Object, ThreadSpec, TimedHappening, WaitMode};
use wastenot_replay::{FaultSet, Kernel, Release, Settings, Span, Step, Time, Workload};
use wastenot_schemas as tables;
use workloads::{run, times, workload};

/// Steps that end by themselves whatever the others do.
fn step() -> impl Strategy<Value = Step> {
    let span = prop_oneof![
        (1u64..3_000).prop_map(|us| Span::fixed(us * US)),
        (1u64..3_000).prop_map(|us| Span::exponential(us * US)),
        (1u64..500, 500u64..2_000).prop_map(|(a, b)| Span::uniform(a * US, b * US)),
    ];
    prop_oneof![
        4 => span.clone().prop_map(Step::Run),
        3 => span.clone().prop_map(Step::Sleep),
        1 => span.prop_map(|latency| Step::Io { device: "d".into(), latency }),
        1 => Just(Step::Yield),
        1 => Just(Step::Post("s".into())),
        1 => (-5i8..15).prop_map(Step::Nice),
        1 => prop_oneof![Just(Policy::Normal), Just(Policy::Batch), Just(Policy::Idle), Just(Policy::Fifo(10)), Just(Policy::Rr(10)), Just(Policy::Hpc)]
            .prop_map(Step::Policy),
        1 => prop_oneof![Just(deadline(2 * MS, 5 * MS, 5 * MS)), Just(deadline(MS, 3 * MS, 8 * MS))].prop_map(Step::Policy),
        1 => (500u64..3_000).prop_map(|us| timer(us * US, None)),
        1 => (0u32..8).prop_map(|c| Step::Affinity([c, c + 1].into_iter().collect())),
        1 => Just(Step::Fork { program: "child".into(), count: 2, name: Some("child".into()), threads: false, bubble: false }),
        1 => Just(Step::Exec("other".into())),
    ]
}

/// A critical section and a round of a barrier come as a whole.
fn program() -> impl Strategy<Value = Vec<Step>> {
    let locked = (0usize..3, 1u64..200).prop_map(|(lock, us)| {
        let lock = ["sleeping", "spinning", "ticket"][lock].to_owned();
        vec![Step::Lock(lock.clone()), run(us * US), Step::Unlock(lock)]
    });
    let part = prop_oneof![3 => step().prop_map(|s| vec![s]), 1 => locked];
    prop::collection::vec(part, 1..8).prop_map(|parts| vec![times(4, parts.concat()), Step::Join(0)])
}

fn any_workload() -> impl Strategy<Value = Workload> {
    let happening = prop_oneof![
        (4u32..8).prop_map(|c| Happening::Offline([c].into_iter().collect())),
        (4u32..8).prop_map(|c| Happening::Online([c].into_iter().collect())),
        (0u32..8, 1u64..3_000).prop_map(|(cpu, us)| Happening::Irq { cpu, length: Time(us * US), every: None }),
        Just(Happening::Cpuset { cgroup: "c".into(), cpus: (0..3).collect() }),
        Just(Happening::Affinity { name: "a".into(), cpus: (2..6).collect() }),
    ];
    let happenings = prop::collection::vec(
        (0u64..30, happening).prop_map(|(ms, what)| TimedHappening { at: Time(ms * MS), what }),
        0..6,
    );
    (program(), program(), 1u32..10, 1u32..10, happenings, any::<bool>()).prop_map(|(a, b, n, m, happenings, quota)| {
        let child = vec![run(500 * US), Step::Sleep(Span::fixed(100 * US)), run(200 * US)];
        let objects = [
            ("d", Object::Device { parallel: 2 }),
            ("s", Object::Semaphore { count: 0, wait: WaitMode::Sleep }),
            ("sleeping", Object::Lock { wait: WaitMode::Sleep, fair: false }),
            ("spinning", Object::Lock { wait: WaitMode::SpinThenSleep(Time(30 * US)), fair: false }),
            // Not spinning for ever: a real-time spinner would starve the owner for good, as it does in life.
            ("ticket", Object::Lock { wait: WaitMode::Sleep, fair: true }),
        ];
        let starts = vec![
            ThreadSpec::of("a", n),
            ThreadSpec { cgroup: Some("c".into()), threads: true, ..ThreadSpec::of("b", m) },
        ];
        let mut w = workload(&[("a", a), ("b", b), ("child", child)], starts, &objects);
        let quota = quota.then_some(Time(30 * MS));
        w.cgroups.insert("c".into(), CgroupSpec { quota, ..CgroupSpec::default() });
        w.happenings = happenings;
        w.limit = Some(Time(5_000 * MS));
        w
    })
}

fn faults() -> impl Strategy<Value = FaultSet> {
    prop::collection::vec(0..FAULTS.len(), 0..4)
        .prop_map(|list| list.into_iter().fold(FaultSet::none(), |set, i| set.with(FAULTS[i].fault)))
}

/// Which thread runs where over time, from the switches alone: (cpu, tid, from, to).
fn slices(trace: &Tables) -> Vec<(i16, i32, i64, i64)> {
    let mut running: BTreeMap<i16, (i32, i64)> = BTreeMap::new();
    let mut slices = Vec::new();
    for (_, batch) in trace.iter().filter(|t| t.0 == tables::sched_switch::NAME) {
        let view = tables::sched_switch::View::try_new(batch).unwrap();
        for i in 0..batch.num_rows() {
            let r = view.row(i);
            if let Some((tid, since)) = running.insert(r.cpu, (r.next_tid, r.ts_ns)) {
                assert_eq!(tid, r.prev_tid, "prev of a switch is the next of the one before");
                slices.push((r.cpu, tid, since, r.ts_ns));
            }
        }
    }
    slices.retain(|s| s.1 != 0);
    slices
}

/// Every deadline thread is admitted.
fn without_bound(m: Machine) -> Machine {
    Machine { rt_runtime_us: Some(-1), ..m }
}

/// Cases tried: 200, or what CASES says.
fn cases() -> u32 {
    std::env::var("CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(200)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_thread_is_lost_doubled_or_misplaced(w in any_workload(), f in faults(), seed in 0u64..1000, modern in any::<bool>()) {
        let release = if modern { Release::Eevdf } else { Release::Averages };
        let settings = Settings { seed, log_jobs: true, ..Settings::default() };
        let m = without_bound(machine(2, 1, 2, 2));
        let (trace, outcome) = simulate(&m, &w, Kernel::new(release, f), &settings);
        // Runnable threads are never lost: all of these programs end.
        prop_assert!(outcome.finished, "{outcome:?}");
        let mut by_thread: BTreeMap<i32, Vec<(i64, i64)>> = BTreeMap::new();
        for (_, tid, from, to) in slices(&trace) {
            by_thread.entry(tid).or_default().push((from, to));
        }
        for (tid, mut list) in by_thread {
            list.sort_unstable();
            prop_assert!(list.windows(2).all(|w| w[0].1 <= w[1].0), "thread {tid} on two CPUs at once");
        }
        let v = verdict(&trace);
        let odd = ["contradiction", "rejected", "repaired", "placements_inferred", "migrate_mismatch", "suspect"];
        prop_assert!(odd.iter().all(|w| v.data_quality_of(w) == 0), "{:?}", v.data_quality);
        let found = deadlines_of(&trace).1;
        let without_fault: Vec<_> = found.into_iter().map(|job| job.without_fault()).collect();
        prop_assert_eq!(without_fault, logged(&outcome));
        prop_assert_eq!(v.data_quality_of("nr_running_differs") - v.data_quality_of("nr_running_ghost"), 0, "{:?}", v.data_quality);
    }

    #[test]
    fn time_is_conserved(w in any_workload(), seed in 0u64..1000) {
        let settings = Settings { seed, ..Settings::default() };
        let (trace, outcome) = simulate(&without_bound(machine(1, 2, 4, 1)), &w, Kernel::new(Release::Eevdf, FaultSet::none()), &settings);
        let ran: i64 = slices(&trace).iter().map(|s| s.3 - s.2).sum();
        let counted: u64 = outcome.progress.iter().map(|p| p.run_ns).sum();
        // What the engine counted as run is in the switches; launchers, stoppers, and the last slices are beyond it.
        prop_assert!(counted as i64 <= ran + 10 * MS as i64 && ran - counted as i64 <= 20 * MS as i64, "{counted} {ran}");
    }
}
