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
use wastenot_replay::scenario::{Scenario, ScenarioOverrides};
use wastenot_replay::span::{MS, US};
use wastenot_replay::workload::{Happening, ThreadSpec};
use wastenot_replay::{
    Fault, FaultSet, Kernel, Ns, NullSink, Outcome, Release, Settings, Simulation, Span, Step, Workload,
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

/// Holds the checker's jobs to the log; returns what it found.
fn compared(trace: &Tables, outcome: &Outcome, what: &str) -> (DeadlineReport, Vec<FoundJob>) {
    let (report, found) = deadlines_of(trace);
    let without_fault: Vec<FoundJob> = found.iter().cloned().map(FoundJob::without_fault).collect();
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

#[test]
fn where_more_is_asked_for_than_there_is_the_earliest_deadlines_run_all_the_same() {
    for (cpus, share) in [(1, 1_300), (2, 1_500), (4, 1_200)] {
        for seed in 1..=cases() {
            let what = format!("{cpus} CPUs, {share}, seed {seed}");
            let w = drawn_set(cpus, share, Behaviour::Unruly, seed * 1_000 + u64::from(cpus) + 7);
            let (trace, outcome) = run_with(&without_bound(of_cpus(cpus)), &w, FaultSet::none(), seed);
            let (report, _) = compared(&trace, &outcome, &what);
            assert_edf(&report, &what);
        }
    }
}

/// Threads that may use some of the CPUs only, whose affinity changes, and CPUs that go off and on; hardware threads, nodes, small CPUs.
#[test]
fn jobs_are_those_of_the_log_on_any_machine_and_under_changes() {
    let machines = [of_cpus(4), machine(2, 1, 2, 2), common::big_little()];
    for (at, m) in machines.into_iter().map(without_bound).enumerate() {
        for seed in 1..=cases() {
            let what = format!("machine {at}, seed {seed}");
            let mut w = drawn_set(4, 700, Behaviour::Unruly, seed * 100 + at as u64);
            for (at, thread) in w.threads.iter_mut().enumerate().filter(|(at, _)| at % 3 == 1) {
                thread.cpus = Some((0..2 + at as u32 % 2).collect());
            }
            let w =
                happening(50 * MS, Happening::Affinity { name: "task0".into(), cpus: [1, 3].into_iter().collect() }, w);
            let w = happening(90 * MS, Happening::Affinity { name: "task0".into(), cpus: (0..4).collect() }, w);
            let w = happening(120 * MS, Happening::Offline([2].into_iter().collect()), w);
            let w = happening(180 * MS, Happening::Online([2].into_iter().collect()), w);
            let (trace, outcome) = run_with(&m, &w, FaultSet::none(), seed);
            let (report, _) = compared(&trace, &outcome, &what);
            assert_edf(&report, &what);
            let v = verdict(&trace);
            assert_eq!(v.data_quality_of("contradiction"), 0, "{what}: {:?}", v.data_quality);
        }
    }
}

/// When tasks are released first: later than a period after their creation, since a thread that wakes while its first server still has a
/// deadline keeps that one's phase.
const FIRST: Ns = 40 * MS;

/// So many threads of a task, released together.
fn task(
    name: &str,
    count: u32,
    (work, runtime, relative, period): (Ns, Ns, Ns, Ns),
) -> (ThreadSpec, (String, Vec<Step>)) {
    let start = ThreadSpec { policy: deadline(runtime, relative, period), ..ThreadSpec::of(name, count) };
    (start, (name.to_owned(), periodic(period, FIRST, Span::fixed(work))))
}

fn set(tasks: Vec<(ThreadSpec, (String, Vec<Step>))>) -> Workload {
    let (threads, programs): (Vec<_>, Vec<_>) = tasks.into_iter().unzip();
    limited(500 * MS, Workload { threads, programs: programs.into_iter().collect(), ..Workload::default() })
}

/// With the fault global EDF is violated and the misses are the scheduler's; without it, all else the same, neither is.
#[test]
fn faults_of_push_and_pull_are_found_and_blamed_on_the_scheduler() {
    let pair = set(vec![task("pair", 2, (8 * MS, 9 * MS, 12 * MS, 20 * MS))]);
    let late = set(vec![
        task("long", 2, (12 * MS, 13 * MS, 15 * MS, 30 * MS)),
        task("short", 2, (2 * MS, 3 * MS, 10 * MS, 30 * MS)),
        task("late", 2, (5 * MS, 6 * MS, 16 * MS, 30 * MS)),
    ]);
    for (fault, cpus, w) in [(Fault::DlNoPush, 2, pair), (Fault::DlNoPull, 4, late)] {
        for seed in 1..=3 {
            let what = format!("{fault:?}, seed {seed}");
            let (trace, outcome) = run_with(&of_cpus(cpus), &w, FaultSet::only(fault), seed);
            let (report, found) = compared(&trace, &outcome, &what);
            assert!(report.edf.violations > 5, "{what}: {:?}", report.edf);
            let missed: Vec<&FoundJob> = found.iter().filter(|job| job.tardiness > 0).collect();
            assert!(missed.len() > 5, "{what}: {} missed", missed.len());
            assert!(
                missed.iter().all(|job| job.fault.as_deref() == Some("scheduler")),
                "{what}: {:?}",
                report.misses[0]
            );
            let (trace, outcome) = run_with(&of_cpus(cpus), &w, FaultSet::paced(), seed);
            let (report, found) = compared(&trace, &outcome, &what);
            assert_edf(&report, &what);
            assert!(found.iter().all(|job| job.tardiness == 0), "{what}: {:?}", report.misses.first());
        }
    }
}

#[test]
fn a_thread_that_asks_for_more_than_its_runtime_gets_its_share() {
    // It computes all the time, beside a fair thread; ticks of 4 ms end its runtime.
    let (runtime, period) = (6 * MS, 20 * MS);
    let greedy = ThreadSpec { policy: deadline(runtime, period, period), ..ThreadSpec::of("greedy", 1) };
    let threads = vec![greedy, ThreadSpec { background: true, ..ThreadSpec::of("hog", 1) }];
    let w = limited(2_000 * MS, workload(&[("greedy", hog()), ("hog", hog())], threads, &[]));
    let (trace, outcome) = run_with(&of_cpus(1), &w, FaultSet::none(), 1);
    let ran = outcome.progress[0].run_ns;
    // 100 periods; what it runs to the next tick is taken off later ones.
    assert!((596 * MS..=604 * MS).contains(&ran), "{ran}");
    let (report, _) = deadlines_of(&trace);
    assert!(report.tasks[0].throttles >= 60, "{:?}", report.tasks[0]);
    // A CPU beside it idles while it has no runtime: that is no waste.
    let w = Workload { threads: w.threads[..1].to_vec(), ..w };
    let v = verdict(&run_with(&of_cpus(2), &w, FaultSet::none(), 1).0);
    assert!(v.wasted_ns < MS as i64 && v.grades[1..].iter().sum::<i64>() == 0, "{v:?}");
}

#[test]
fn a_yield_waits_for_the_next_period() {
    let yields = vec![times(20, vec![run(MS), Step::Yield])];
    let start = ThreadSpec { policy: deadline(5 * MS, 10 * MS, 10 * MS), ..ThreadSpec::of("yields", 1) };
    let w = limited(1_000 * MS, workload(&[("yields", yields)], vec![start], &[]));
    let (trace, outcome) = run_with(&of_cpus(1), &w, FaultSet::none(), 1);
    let (report, found) = compared(&trace, &outcome, "yields");
    assert_eq!((found.len(), report.tasks[0].missed), (20, 0), "19 replenishments, and the one before the exit");
    let starts: Vec<i64> = found.windows(2).map(|w| w[1].activation - w[0].activation).collect();
    assert!(starts.iter().all(|&ns| ns == 10 * MS as i64), "{starts:?}");
}

#[test]
fn deadline_threads_precede_real_time_and_fair_ones() {
    let rt = ThreadSpec { policy: wastenot_replay::Policy::Fifo(90), ..ThreadSpec::of("rt", 2) };
    let (start, program) = task("dl", 1, (4 * MS, 5 * MS, 8 * MS, 20 * MS));
    let threads = vec![start, ThreadSpec { at: wastenot_replay::Time(30 * MS), ..rt }];
    let w = limited(400 * MS, workload(&[(program.0.as_str(), program.1), ("rt", hog())], threads, &[]));
    for release in [Release::Averages, Release::Eevdf] {
        let settings = Settings { log_jobs: true, ..Settings::default() };
        let (trace, outcome) = simulate(&of_cpus(2), &w, Kernel::new(release, FaultSet::none()), &settings);
        let (report, found) = compared(&trace, &outcome, "beside real time");
        assert_edf(&report, "beside real time");
        assert!(found.len() >= 18 && report.tasks[0].missed == 0);
        let longest = found.iter().map(|job| job.end.unwrap_or(0) - job.activation).max();
        assert!(longest.is_some_and(|ns| ns < 4 * MS as i64 + 100 * US as i64), "{longest:?}");
    }
}

/// Without a fault, what a deadline thread preempts is taken by an idle CPU: at once, or at the next tick where an attempt chose the
/// queue of a thread whose runtime ended at that instant.
#[test]
fn work_is_conserved_beside_deadline_threads() {
    for (cpus, hogs) in [(2, 1), (4, 2), (4, 6)] {
        for seed in 1..=cases() {
            let mut w = drawn_set(cpus, 400, Behaviour::Within, seed * 10 + u64::from(cpus));
            w.threads.retain(|thread| thread.program.starts_with("task"));
            w.programs.insert("hog".into(), hog());
            w.threads.push(ThreadSpec { background: true, ..ThreadSpec::of("hog", hogs) });
            let (trace, _) = run_with(&of_cpus(cpus), &w, FaultSet::none(), seed);
            let v = verdict(&trace);
            assert_eq!(v.beyond_tick(), 0, "{cpus} CPUs, {hogs} hogs, seed {seed}: {v:?}");
            assert!(v.wasted_ns * 400 < v.online_ns, "{cpus} CPUs, {hogs} hogs, seed {seed}: {v:?}");
        }
    }
}

fn refused(m: &Machine, w: &Workload) -> String {
    let mut sink = NullSink;
    let kernel = Kernel::new(Release::Eevdf, FaultSet::none());
    let run = Simulation::new(m, w, kernel, &Settings::default(), &mut sink).and_then(Simulation::run);
    let error = run.err().map(|e| e.to_string()).unwrap_or_default();
    assert!(!error.contains('\n'), "{error}");
    error
}

#[test]
fn admission_is_by_the_bandwidth_of_the_root_domain() {
    let of = |count, runtime| set(vec![task("video", count, (MS, runtime, 20 * MS, 20 * MS))]);
    assert_eq!(refused(&of_cpus(2), &of(2, 19 * MS)), "");
    let error = refused(&of_cpus(2), &of(3, 13 * MS));
    assert!(error.starts_with("deadline thread \"video\" (tid ") && error.contains("needs 0.650"), "{error}");
    assert!(error.contains("of the 1.900") && error.contains("CPUs 0-1 1.300 are taken"), "{error}");
    assert_eq!(refused(&without_bound(of_cpus(2)), &of(3, 13 * MS)), "");
    // In a partition there is less, but one that ended takes nothing.
    let parted = Machine { partitions: vec![[0].into_iter().collect(), [1, 2, 3].into_iter().collect()], ..of_cpus(4) };
    let mut w = of(2, 10 * MS);
    w.threads[0].cpus = Some([0].into_iter().collect());
    assert!(refused(&parted, &w).contains("of the 0.950"), "{}", refused(&parted, &w));
    let short = vec![Step::Sleep(Span::fixed(MS)), run(MS)];
    w.programs.insert("video".into(), short);
    let later = ThreadSpec { at: wastenot_replay::Time(30 * MS), count: 1, ..w.threads[0].clone() };
    (w.threads[0].count, w.threads) = (1, vec![w.threads[0].clone(), later]);
    w.threads[0].count = 1;
    assert_eq!(refused(&parted, &w), "");
    // A thread that may not use all CPUs of its root domain is refused as by sched_setattr.
    w.threads[0].cpus = Some([1, 2].into_iter().collect());
    assert!(refused(&parted, &w).contains("root domain, 1-3"), "{}", refused(&parted, &w));
    w.threads[0].policy = deadline(MS, 20 * MS, 10 * MS);
    assert!(refused(&parted, &w).starts_with("deadline of \"video\": "), "{}", refused(&parted, &w));
}

#[test]
fn each_partition_is_a_root_domain_with_its_threads() {
    let parts = vec![[0, 1].into_iter().collect(), [2, 3].into_iter().collect()];
    let m = Machine { partitions: parts, ..of_cpus(4) };
    let (mut control, control_program) = task("control", 1, (2 * MS, 4 * MS, 20 * MS, 20 * MS));
    let (mut video, video_program) = task("video", 2, (12 * MS, 14 * MS, 20 * MS, 20 * MS));
    control.cpus = Some([0, 1].into_iter().collect());
    video.cpus = Some([2, 3].into_iter().collect());
    let (trace, outcome) =
        run_with(&m, &set(vec![(control, control_program), (video, video_program)]), FaultSet::none(), 1);
    let (report, _) = compared(&trace, &outcome, "partitions");
    assert_edf(&report, "partitions");
    let roots: Vec<_> = report.root_domains.iter().map(|root| (root.cpus.clone(), root.tests.tasks)).collect();
    assert_eq!(roots, [(vec![0, 1], 1), (vec![2, 3], 2)]);
    assert!((report.root_domains[1].tests.utilisation - 1.4).abs() < 1e-9 && report.missed == 0);
}

#[test]
fn a_thread_may_get_and_leave_the_policy() {
    let policy = |policy| Step::Policy(policy);
    let program = vec![
        run(3 * MS),
        policy(deadline(4 * MS, 10 * MS, 10 * MS)),
        times(10, vec![timer(10 * MS, None), run(2 * MS)]),
        policy(wastenot_replay::Policy::Normal),
        times(3, vec![run(3 * MS), Step::Sleep(Span::fixed(MS))]),
        Step::Fork { program: "child".into(), count: 1, name: None, threads: false, bubble: false },
    ];
    let child = vec![run(MS)];
    let threads = vec![ThreadSpec::of("changes", 2), ThreadSpec { background: true, ..ThreadSpec::of("hog", 2) }];
    let w = limited(500 * MS, workload(&[("changes", program), ("child", child), ("hog", hog())], threads, &[]));
    let (trace, outcome) = run_with(&of_cpus(2), &w, FaultSet::none(), 1);
    assert!(outcome.finished);
    let (report, found) = compared(&trace, &outcome, "changes");
    assert_edf(&report, "changes");
    assert_eq!(found.len(), 18, "ten each, of which the last one goes on in another class");
    assert_eq!(verdict(&trace).data_quality_of("contradiction"), 0);
}

#[test]
fn schedulers_without_the_class_refuse_its_threads() {
    let w = set(vec![task("video", 1, (MS, 2 * MS, 20 * MS, 20 * MS))]);
    let mut sink = NullSink;
    let other = wastenot_replay::schedulers::Queues::new(wastenot_replay::schedulers::Stealing::Never);
    let run = Simulation::new(&of_cpus(2), &w, other, &Settings::default(), &mut sink).and_then(Simulation::run);
    let error = run.err().map(|e| e.to_string()).unwrap_or_default();
    assert!(error.contains("the scheduler has no deadline class"), "{error}");
}

#[test]
fn the_same_seed_gives_the_same_tables_and_jobs() {
    let w = drawn_set(4, 900, Behaviour::Unruly, 5);
    let run = |seed| run_with(&of_cpus(4), &w, FaultSet::none(), seed);
    assert!(run(1) == run(1));
    assert!(run(1).0 != run(2).0);
}

#[test]
fn a_deadline_task_is_read_from_a_file() {
    let text = r#"
        limit = "200ms"
        programs.control = [{ repeat = { body = [{ timer = { period = "10ms", offset = "20ms" } }, { run = "2ms" }] } }]
        threads = [{ program = "control", policy = { deadline = { runtime = "3ms", deadline = "5ms", period = "10ms" } } }]
    "#;
    let w: Workload = toml::from_str(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(
        toml::from_str::<Workload>(&text.replace("timer = {", "timer = { late = \"skip\",")).ok(),
        Some(w.clone())
    );
    let (trace, outcome) = run_with(&of_cpus(1), &w, FaultSet::none(), 1);
    let (report, found) = compared(&trace, &outcome, "from a file");
    assert_eq!((found.len(), report.tasks[0].reservation.deadline_ns), (18, 5_000_000));
    let json = serde_json::to_string(&w).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(serde_json::from_str::<Workload>(&json).ok(), Some(w));
}

/// A shipped scenario, run: its jobs are those of the log.
fn shipped(name: &str, overrides: &ScenarioOverrides) -> (DeadlineReport, Vec<FoundJob>) {
    let path = format!("{}/scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let scenario: Scenario = toml::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
    let ready = scenario.prepare(overrides, None).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut kept = wastenot_replay::BatchCollector::default();
    let settings = Settings { log_jobs: true, evidence: ready.evidence, ..Settings::default() };
    let outcome = ready.run(&settings, &mut kept).unwrap_or_else(|e| panic!("{path}: {e}"));
    compared(&kept.0, &outcome, name)
}

#[test]
fn the_shipped_scenarios_show_what_they_say() {
    let none = ScenarioOverrides::default();
    let (report, found) = shipped("deadline-near-bound", &none);
    assert_edf(&report, "near the bound");
    let root = &report.root_domains[0];
    assert!(root.tests.gfb == Some(true) && root.tests.utilisation > 3.5, "{root:?}");
    assert!(root.admission_bound == Some(3.8) && root.bound_exceeded == Some(false), "{root:?}");
    assert!(found.len() > 5_000 && report.missed == 0, "{} jobs, {:?}", found.len(), report.misses.first());

    let (report, _) = shipped("deadline-overload", &none);
    assert_edf(&report, "overload");
    assert!(report.missed > 30 && report.faults.overload == report.missed, "{:?}", report.faults);
    assert_eq!(report.root_domains[0].admission_bound, None);

    let (report, _) = shipped("deadline-overrun", &none);
    assert_edf(&report, "overrun");
    let missed: Vec<(&str, u64, u64)> =
        report.tasks.iter().map(|t| (t.thread.name.as_deref().unwrap_or(""), t.missed, t.faults.own_overrun)).collect();
    let of = |name: &str| missed.iter().find(|(of, ..)| *of == name).map(|&(_, missed, own)| (missed, own));
    assert!(of("control").is_some_and(|(missed, own)| missed > 10 && missed == own), "{missed:?}");
    assert_eq!((of("audio"), of("video")), (Some((0, 0)), Some((0, 0))));

    for fault in ["dl-no-push", "dl-no-pull"] {
        let (report, _) = shipped(&format!("fault-{fault}"), &none);
        assert!(report.edf.violations > 5, "{fault}: {:?}", report.edf);
        assert!(report.missed > 5 && report.faults.scheduler == report.missed, "{fault}: {:?}", report.faults);
        let fixed = ScenarioOverrides { fixed: vec![fault.into()], ..ScenarioOverrides::default() };
        let (report, _) = shipped(&format!("fault-{fault}"), &fixed);
        assert_edf(&report, fault);
        assert_eq!(report.missed, 0, "{fault}: {:?}", report.misses.first());
    }
}
