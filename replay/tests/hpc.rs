//! Priorities of hardware threads, the class `hpc`, and DLRB in the engine.

mod common;

use common::{machine, simulate, verdict};
use wastenot_replay::kernel::hpc::{Heuristic, HpcSettings};
use wastenot_replay::span::{MS, S};
use wastenot_replay::{FaultSet, Kernel, Outcome, Release, Settings, Workload};

fn kernel() -> Kernel {
    Kernel::new(Release::Averages, FaultSet::none())
}

/// Two cores of two hardware threads.
fn run_under(scheduler: Kernel, workload: &str) -> Outcome {
    let workload: Workload = toml::from_str(workload).unwrap_or_else(|e| panic!("{e}"));
    let (trace, outcome) = simulate(&machine(1, 1, 2, 2), &workload, scheduler, &Settings::default());
    let data_quality = verdict(&trace).data_quality;
    assert!(!data_quality.iter().any(|(what, ..)| what.contains("violation")), "{data_quality:?}");
    outcome
}

fn run(workload: &str) -> Outcome {
    run_under(kernel(), workload)
}

/// The time of a name's threads on CPUs, in milliseconds.
fn ran_ms(outcome: &Outcome, name: &str) -> u64 {
    outcome.progress.iter().filter(|p| p.name == name).map(|p| p.run_ns / MS).sum()
}

fn ended_ms(outcome: &Outcome, name: &str) -> u64 {
    outcome.ended(name).unwrap_or_else(|| panic!("{name} has not ended")) / MS
}

const LOAD: &str = r#"
limit = "60s"
loads.l = { speeds = { "0" = 600, "1" = 900, "2" = 1000, "-1" = 300, "-2" = 200 } }
"#;

#[test]
fn the_difference_of_priorities_decides_the_speeds_of_two_hardware_threads() {
    for (a, b, alone_ms, speed_a, speed_b) in
        [(4, 4, 1000, 600, 600), (5, 4, 1000, 900, 300), (6, 4, 1000, 1000, 200), (4, 6, 1000, 200, 1000)]
    {
        let text = format!(
            r#"{LOAD}
            programs.long = [{{ run = "{alone_ms}ms" }}]
            programs.beside = [{{ repeat = {{ body = [{{ run = "10ms" }}] }} }}]
            threads = [
              {{ program = "long", placed = "0", cpus = "0", load = "l", smt_priority = {a} }},
              {{ program = "long", name = "other", placed = "1", cpus = "1", load = "l", smt_priority = {b} }},
            ]"#
        );
        let outcome = run(&text);
        let (first, second) = (ended_ms(&outcome, "long"), ended_ms(&outcome, "other"));
        let (fast, slow) = if speed_a >= speed_b { (first, second) } else { (second, first) };
        let (high, low) = if speed_a >= speed_b { (speed_a, speed_b) } else { (speed_b, speed_a) };
        // The faster one beside the other; the slower one alone for what is left of its work.
        let expected = alone_ms * 1000 / high;
        assert!(fast.abs_diff(expected) <= 1, "{a},{b}: {fast} ms instead of {expected}");
        let expected = if high == low { expected } else { expected + alone_ms - expected * low / 1000 };
        assert!(slow.abs_diff(expected) <= 1, "{a},{b}: {slow} ms instead of {expected}");
    }
}

#[test]
fn where_waiting_keeps_the_priority_a_thread_stays_slow_beside_a_sibling_that_waits() {
    for (keeps, expected) in [(false, 10 + 98), (true, 100_000 / 200)] {
        let outcome = run(&format!(
            r#"{LOAD}
            waiting_keeps_priority = {keeps}
            programs.long = [{{ run = "100ms" }}]
            programs.short = [{{ run = "10ms" }}]
            threads = [
              {{ program = "long", placed = "0", cpus = "0", load = "l" }},
              {{ program = "short", placed = "1", cpus = "1", load = "l", smt_priority = 6 }},
            ]"#
        ));
        assert!(ended_ms(&outcome, "long").abs_diff(expected) <= 1, "{keeps}: {}", ended_ms(&outcome, "long"));
    }
}

#[test]
fn a_daemon_that_takes_turns_with_a_thread_changes_its_siblings_speed() {
    // The sibling's thread of priority 6 gives way to a daemon of priority 4 for half of the time.
    let outcome = run(&format!(
        r#"{LOAD}
        programs.measured = [{{ run = "1s" }}]
        programs.high = [{{ repeat = {{ body = [{{ run = "1ms" }}] }} }}]
        threads = [
          {{ program = "measured", placed = "0", cpus = "0", load = "l" }},
          {{ program = "high", placed = "1", cpus = "1", load = "l", smt_priority = 6, background = true }},
          {{ program = "high", name = "daemon", placed = "1", cpus = "1", load = "l", background = true }},
        ]"#
    ));
    // A mean of 0.2 and 0.6.
    let ended = ended_ms(&outcome, "measured");
    assert!(ended.abs_diff(2500) < 50, "{ended}");
}

#[test]
fn the_class_hpc_is_above_the_fair_class_and_below_real_time() {
    let outcome = run(r#"
        limit = "1s"
        programs.busy = [{ repeat = { body = [{ run = "1ms" }] } }]
        programs.half = [{ repeat = { body = [{ run = "5ms" }, { sleep = "5ms" }] } }]
        threads = [
          { program = "busy", name = "fair", placed = "0", cpus = "0" },
          { program = "busy", name = "hpc", placed = "0", cpus = "0", policy = "hpc" },
          { program = "half", name = "rt", placed = "0", cpus = "0", policy = { fifo = 10 } },
        ]
    "#);
    let (fair, hpc, rt) = (ran_ms(&outcome, "fair"), ran_ms(&outcome, "hpc"), ran_ms(&outcome, "rt"));
    assert!(fair <= 1 && hpc.abs_diff(500) < 10 && rt.abs_diff(500) < 10, "{fair} {hpc} {rt}");
}

#[test]
fn threads_of_the_class_take_turns_on_a_cpu() {
    let outcome = run(r#"
        limit = "2s"
        programs.busy = [{ repeat = { body = [{ run = "1ms" }] } }]
        threads = [
          { program = "busy", name = "a", placed = "0", cpus = "0", policy = "hpc" },
          { program = "busy", name = "b", placed = "0", cpus = "0", policy = "hpc" },
        ]
    "#);
    assert!(ran_ms(&outcome, "a").abs_diff(1000) <= 110, "{}", ran_ms(&outcome, "a"));
    assert_eq!(ran_ms(&outcome, "a") + ran_ms(&outcome, "b"), 1999);
}

#[test]
fn a_core_with_one_thread_of_the_class_pulls_one_from_a_core_with_three() {
    let outcome = run(r#"
        limit = "1s"
        programs.busy = [{ repeat = { body = [{ run = "1ms" }] } }]
        threads = [
          { program = "busy", name = "three", count = 3, placed = "2,3,2", policy = "hpc" },
          { program = "busy", name = "one", placed = "0", policy = "hpc" },
        ]
    "#);
    // Four threads on four CPUs: none waits for longer than until the first tick.
    assert!(ran_ms(&outcome, "three") > 2950 && ran_ms(&outcome, "one") > 980, "{outcome:?}");
}

/// Metbench with a small and a large load per core, three iterations.
fn iterations(count: u32, policy: &str, dlrb: &str) -> String {
    let worker = |i: u32, ms: u32| {
        format!(
            r#"programs.P{i} = [{{ repeat = {{ times = {count}, body = [{{ run = "{ms}ms" }}, {{ post = "done" }}, {{ wait = "go{i}" }}, "iteration"] }} }}]"#
        )
    };
    let thread = |i: u32| format!(r#"{{ program = "P{i}", placed = "{}", policy = "{policy}", load = "l" }},"#, i - 1);
    format!(
        r#"{LOAD}
        objects = {{ done = {{ semaphore = {{}} }}, go1 = {{ semaphore = {{}} }}, go2 = {{ semaphore = {{}} }}, go3 = {{ semaphore = {{}} }}, go4 = {{ semaphore = {{}} }} }}
        programs.master = [{{ repeat = {{ times = {count}, body = [{{ repeat = {{ times = 4, body = [{{ wait = "done" }}] }} }}, "iteration", {{ post = "go1" }}, {{ post = "go2" }}, {{ post = "go3" }}, {{ post = "go4" }}] }} }}]
        {}
        {dlrb}
        threads = [
          {{ program = "master", placed = "0", policy = "{policy}", load = "l" }},
          {} {} {} {}
        ]"#,
        [worker(1, 100), worker(2, 500), worker(3, 100), worker(4, 500)].join("\n"),
        thread(1),
        thread(2),
        thread(3),
        thread(4),
    )
}

/// Time of an iteration: of the small and the large work at these speeds, in thousandths.
fn iteration_ms(small: u64, large: u64) -> u64 {
    let first = 100_000 / small;
    if first * large / 1000 >= 500 { (500_000 / large).max(first) } else { first + 500 - first * large / 1000 }
}

#[test]
fn the_heuristics_raise_the_heavy_threads_by_a_step_per_iteration() {
    for heuristic in [Heuristic::Uniform, Heuristic::Adaptive] {
        let settings = HpcSettings { heuristic, ..HpcSettings::default() };
        let outcome = run_under(kernel().with_hpc(settings), &iterations(4, "hpc", ""));
        // Equal, then a difference of 1, then of 2.
        let expected = iteration_ms(600, 600) + iteration_ms(300, 900) + 2 * iteration_ms(200, 1000);
        let ended = outcome.end_ns / MS;
        assert!(ended.abs_diff(expected) <= 3, "{heuristic:?}: {ended} ms instead of {expected}");
    }
}

#[test]
fn without_a_heuristic_priorities_stay_equal() {
    let outcome = run(&iterations(3, "hpc", ""));
    assert!((outcome.end_ns / MS).abs_diff(3 * iteration_ms(600, 600)) <= 3, "{}", outcome.end_ns);
}

#[test]
fn dlrb_places_heavy_beside_light_then_raises_the_heavy_ones() {
    let dlrb = r#"dlrb = { threads = ["master", "P1", "P2", "P3", "P4"] }"#;
    let outcome = run(&iterations(4, "normal", dlrb));
    // Dealt out with the master first, both heavy threads share a core; then equal priorities, then a difference of 2.
    let expected = iteration_ms(600, 600).max(500_000 / 600) + iteration_ms(600, 600) + 2 * iteration_ms(200, 1000);
    let ended = outcome.end_ns / MS;
    assert!(ended.abs_diff(expected) <= 5, "{ended} ms instead of {expected}");
    assert!(outcome.end_ns < 10 * S);
}

#[test]
fn what_does_not_fit_is_refused_in_one_line() {
    let refused = |workload: &str| {
        let workload: Workload = toml::from_str(workload).unwrap();
        let mut sink = wastenot_replay::NullSink;
        let machine = machine(1, 1, 2, 2);
        let failed = wastenot_replay::Simulation::new(&machine, &workload, kernel(), &Settings::default(), &mut sink);
        failed.err().unwrap().to_string()
    };
    let with = |row: &str, more: &str| format!("programs.p = [{{ run = \"1ms\" }}]\nthreads = [{{ {row} }}]\n{more}");
    assert!(refused(&with(r#"program = "p", load = "x""#, "")).contains("\"x\" is not a load"));
    assert!(refused(&with(r#"program = "p", smt_priority = 7"#, "")).contains("smt_priority 7"));
    assert!(refused(&with(r#"program = "p""#, "[dlrb]\nthreads = [\"p\"]")).contains("placed"));
    assert!(refused(&with(r#"program = "p""#, "[dlrb]\nthreads = [\"q\"]")).contains("\"q\" is not a thread"));
    assert!(refused(&with(r#"program = "p""#, "[loads.l]\nspeeds = { \"1\" = 5 }")).contains("equal priorities"));
}
