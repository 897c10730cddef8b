//! Drawn traces, with exact jobs.

use wastenot_checker::deadlines::NotCovered;

use crate::{JobRow, MS, Spent, declared, jobs_of};

/// Two CPUs that idle, and a thread 100 with 4 ms each 10 ms, asleep.
const START: &str = "
cpus 0-1
kernel 6.1
realtime 950ms of 1s
window 0ms 60ms
0ms cpu 0 idle
0ms cpu 1 idle
0ms thread 100 a on 0 asleep mask 0-1 prio -1
0ms thread 200 other on 1 asleep mask 0-1 prio 120
";

const A: &str = "deadline 100 runtime 4ms deadline 10ms period 10ms";

/// A row of thread 100; times in ms.
fn job(activation: i64, deadline: i64, end: i64, spent_ms: Spent) -> JobRow {
    let run = spent_ms[0];
    JobRow {
        tid: 100,
        activation: activation * MS,
        deadline: deadline * MS,
        end: Some(end * MS),
        ended_by: "sleep".into(),
        missed: end > deadline,
        tardiness: (end - deadline).max(0) * MS,
        overrun: (run - 4).max(0) * MS,
        laxity: (deadline - end - (4 - run).max(0)) * MS,
        throttles: 0,
        fault: None,
        spent: spent_ms.map(|ms| ms * MS),
    }
}

fn late(row: JobRow, fault: &str) -> JobRow {
    assert!(row.missed);
    JobRow { fault: Some(fault.into()), ..row }
}

#[test]
fn a_job_lasts_from_the_wakeup_to_the_sleep() {
    let (report, jobs) = jobs_of(
        &format!(
            "{START}
1ms {A} until 11ms left 4ms
1ms wakeup 100 on 0
2ms switch 0: 0 R -> 100 prio -1
5ms {A} until 11ms left 1ms
5ms switch 0: 100 S -> 0"
        ),
        &[],
    );
    assert_eq!(jobs, [job(1, 11, 5, [3, 0, 1, 0, 0, 0, 0, 0, 0, 0])]);
    assert_eq!((report.jobs, report.missed, report.laxity_min_ns), (1, 0, Some(5 * MS)));
    assert_eq!((report.edf.violations, report.edf.checked, report.parameters.recorded), (0, true, true));
    let task = &report.tasks[0];
    assert_eq!((task.utilisation, task.response_max_ns, task.run_max_ns), (0.4, 4 * MS, 3 * MS));
    let root = &report.root_domains[0];
    assert_eq!(
        (root.cpus.as_slice(), root.admission_bound, root.bound_exceeded),
        (&[0, 1][..], Some(1.9), Some(false))
    );
}

#[test]
fn blocked_time_belongs_to_the_job_and_a_wakeup_of_a_running_thread_starts_none() {
    let (report, jobs) = jobs_of(
        &format!(
            "{START}
1ms {A} until 11ms left 4ms
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio -1
2ms wakeup 100 on 0
3ms switch 0: 100 D -> 0
14ms wakeup 100 on 0
14ms switch 0: 0 R -> 100 prio -1
15ms switch 0: 100 S -> 0"
        ),
        &[],
    );
    assert_eq!(jobs, [late(job(1, 11, 15, [3, 0, 0, 0, 0, 0, 0, 11, 0, 0]), "interference")]);
    assert_eq!((report.tardiness_max_ns, report.tardiness_mean_ns), (4 * MS, Some(4 * MS)));
    assert_eq!(report.faults.interference, 1);
}

/// The deadline is shorter than the period: woken between the two, a thread is throttled until its next period.
#[test]
fn a_job_that_was_blocked_past_its_deadline_did_not_overrun() {
    let b = A.replace("period 10ms", "period 20ms");
    let (report, jobs) = jobs_of(
        &format!(
            "{START}
1ms {b} until 11ms left 4ms
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio -1
3ms switch 0: 100 D -> 0
14ms {b} until 11ms left 2ms throttled
14ms wakeup 100 on 0
21ms {b} until 31ms left 4ms
21ms switch 0: 0 R -> 100 prio -1
22ms switch 0: 100 S -> 0"
        ),
        &[],
    );
    assert_eq!(jobs, [late(job(1, 11, 22, [3, 0, 0, 0, 0, 0, 0, 18, 0, 0]), "interference")]);
    assert_eq!((report.throttles, report.overruns), (0, 0));
}

#[test]
fn a_throttled_job_goes_on_and_is_its_own_fault() {
    let (report, jobs) = jobs_of(
        &format!(
            "{START}
1ms {A} until 11ms left 4ms
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio -1
6ms {A} until 11ms left -1ms throttled
6ms switch 0: 100 R+ -> 0
11ms {A} until 21ms left 3ms
11ms switch 0: 0 R -> 100 prio -1
13ms {A} until 21ms left 1ms
13ms switch 0: 100 S -> 0"
        ),
        &[],
    );
    let expected = JobRow { throttles: 1, ..job(1, 11, 13, [7, 0, 0, 0, 0, 0, 0, 0, 5, 0]) };
    assert_eq!(jobs, [late(expected, "own_overrun")]);
    assert_eq!((report.throttles, report.overruns, report.tasks[0].overrun_max_ns), (1, 1, 3 * MS));
    assert_eq!(report.edf.violations, 0, "a throttled thread may not run");
}

/// A thread of 4 ms in 10 whose CPU interrupts take for 3 ms.
fn interrupted(then: &str) -> String {
    format!(
        "{START}
1ms {A} until 11ms left 4ms
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio -1
2ms irq 0 for 3ms vector 3
{then}"
    )
}

/// The first time it is throttled interrupts were charged, but it needs more than its runtime anyway.
#[test]
fn a_job_beyond_its_runtime_is_its_own_fault_though_interrupts_were_charged_too() {
    let (_, jobs) = jobs_of(
        &interrupted(&format!(
            "5ms {A} until 11ms left 0ms throttled
5ms switch 0: 100 R+ -> 0
11ms {A} until 21ms left 4ms
11ms switch 0: 0 R -> 100 prio -1
15ms {A} until 21ms left 0ms
15ms switch 0: 100 S -> 0"
        )),
        &[],
    );
    let expected = JobRow { throttles: 1, ..job(1, 11, 15, [5, 0, 0, 0, 0, 3, 0, 0, 6, 0]) };
    assert_eq!(jobs, [late(expected, "own_overrun")]);
}

/// Without CONFIG_IRQ_TIME_ACCOUNTING: of 4 ms it runs for 1, and interrupts take 3.
#[test]
fn a_job_whose_server_paid_for_interrupts_suffers_interference() {
    let text = |throttled_at: i64| {
        interrupted(&format!(
            "{throttled_at}ms {A} until 11ms left 0ms throttled
{throttled_at}ms switch 0: 100 R+ -> 0
11ms {A} until 21ms left 4ms
11ms switch 0: 0 R -> 100 prio -1
13ms {A} until 21ms left 2ms
13ms switch 0: 100 S -> 0"
        ))
    };
    let (report, jobs) = jobs_of(&text(5), &[]);
    let expected = JobRow { throttles: 1, ..job(1, 11, 13, [3, 0, 0, 0, 0, 9, 0, 0, 0, 0]) };
    assert_eq!(jobs, [late(expected, "interference")]);
    let by: Vec<_> = report.misses[0].kept_by.iter().map(|row| (row.kind, row.vector, row.dur_ns)).collect();
    assert_eq!(by, [("interrupt", Some(3), 9 * MS)]);
    // One of 30 us does not make up for what is missing, nor does it where next to nothing is.
    for (throttled_at, length) in [("4ms", "30us"), ("4998us", "30us")] {
        let text = text(5).replace("for 3ms", &format!("for {length}"));
        let text = text.replace("\n5ms", &format!("\n{throttled_at}"));
        let (_, jobs) = jobs_of(&text, &[]);
        assert_eq!(jobs[0].fault.as_deref(), Some("own_overrun"), "{throttled_at}");
    }
    // Where they are not charged, the thread ran for all that it was given.
    let (_, jobs) = jobs_of(&text(8), &[]);
    let expected = JobRow { throttles: 1, ..job(1, 11, 13, [6, 0, 0, 0, 0, 3, 0, 0, 3, 0]) };
    assert_eq!(jobs, [late(expected, "own_overrun")]);
}

/// The server's runtime goes on from a job that was under way as the trace began.
#[test]
fn what_a_job_cut_off_ran_counts_to_the_next_ones_budget() {
    let running =
        START.replace("0ms cpu 0 idle\n", "0ms cpu 0 runs 100\n").replace("a on 0 asleep mask", "a on 0 running mask");
    let text = format!(
        "{running}
0ms {A} until 6ms left 4ms
3ms {A} until 6ms left 1ms
3ms switch 0: 100 S -> 0
4ms {A} until 14ms left 1ms
4ms wakeup 100 on 0
4ms switch 0: 0 R -> 100 prio -1
4500us irq 0 for 3ms vector 3
8ms {A} until 14ms left 0ms throttled
8ms switch 0: 100 R+ -> 0
14ms {A} until 24ms left 4ms
14ms switch 0: 0 R -> 100 prio -1
16ms {A} until 24ms left 2ms
16ms switch 0: 100 S -> 0"
    );
    let (_, jobs) = jobs_of(&text, &[]);
    let expected = JobRow { throttles: 1, ..job(4, 14, 16, [3, 0, 0, 0, 0, 3, 0, 0, 6, 0]) };
    assert_eq!(jobs.last(), Some(&late(expected, "own_overrun")));
}

#[test]
fn a_yield_ends_a_job_and_the_replenishment_starts_the_next() {
    let (_, jobs) = jobs_of(
        &format!(
            "{START}
1ms {A} until 11ms left 4ms
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio -1
3ms {A} until 11ms left 2ms yielded
3ms switch 0: 100 R -> 0
12ms {A} until 21ms left 4ms
12ms switch 0: 0 R -> 100 prio -1
14ms switch 0: 100 S -> 0"
        ),
        &[],
    );
    let first = JobRow { ended_by: "yield".into(), ..job(1, 11, 3, [2, 0, 0, 0, 0, 0, 0, 0, 0, 0]) };
    assert_eq!(jobs, [first, job(11, 21, 14, [2, 0, 1, 0, 0, 0, 0, 0, 0, 0])]);
}

#[test]
fn waiting_beside_an_idle_cpu_is_the_schedulers_fault() {
    let text = format!(
        "{START}
0ms thread 101 b on 0 asleep mask 0-1 prio -1
1ms deadline 101 runtime 20ms deadline 8ms period 40ms until 9ms left 20ms
1ms wakeup 101 on 0
1ms switch 0: 0 R -> 101 prio -1
2ms {A} until 12ms left 4ms
2ms wakeup 100 on 0
14ms switch 0: 101 S -> 100 prio -1
17ms switch 0: 100 S -> 0"
    );
    let (report, jobs) = jobs_of(&text, &[]);
    assert_eq!(jobs[0], late(job(2, 12, 17, [3, 12, 0, 0, 0, 0, 0, 0, 0, 0]), "scheduler"));
    let edf = &report.edf;
    assert_eq!((edf.violations, edf.longest.len()), (1, 1));
    let longest = &edf.longest[0];
    assert_eq!((longest.thread.tid, longest.start_ns, longest.end_ns), (100, 2 * MS, 14 * MS));
    assert_eq!((longest.queue_cpu, longest.cpu, &longest.ran), (0, 1, &None));
    assert_eq!(format!("{:?}", longest.instead), "IdleCpu");
}

#[test]
fn a_later_deadline_or_a_lower_class_that_runs_instead_violates_edf() {
    let text = format!(
        "{START}
0ms thread 101 b on 0 asleep mask 0-1 prio -1
0ms thread 201 rt on 1 asleep mask 0-1 prio 10
1ms deadline 101 runtime 20ms deadline 40ms period 40ms until 41ms left 20ms
1ms wakeup 101 on 0
1ms switch 0: 0 R -> 101 prio -1
1ms wakeup 201 on 1
1ms switch 1: 0 R -> 201 prio 10
2ms {A} until 12ms left 4ms
2ms wakeup 100 on 0
8ms switch 1: 201 S -> 0
9ms migrate 100 from 0 to 1
9ms switch 1: 0 R -> 100 prio -1
12ms switch 1: 100 S -> 0"
    );
    let (report, jobs) = jobs_of(&text, &[]);
    // Lower class first, then the idle CPU; one time without a break.
    assert_eq!(jobs[0], job(2, 12, 12, [3, 7, 0, 0, 0, 0, 0, 0, 0, 0]));
    let longest = &report.edf.longest[0];
    assert_eq!((format!("{:?}", longest.instead), longest.cpu), ("LowerClass".into(), 1));
    assert_eq!(longest.ran.as_ref().map(|ran| ran.tid), Some(201));
    // On one CPU only the thread with the later deadline is left.
    let (report, _) = jobs_of(&text.replace("asleep mask 0-1 prio -1", "asleep mask 0 prio -1"), &[]);
    let longest = &report.edf.longest[0];
    assert_eq!((format!("{:?}", longest.instead), longest.cpu), ("LaterDeadline".into(), 0));
    assert_eq!(longest.ran.as_ref().map(|ran| ran.tid), Some(101));
}

/// Three threads, two CPUs. 101 and 102 have earlier deadlines.
fn crowd(utilisation_ms: i64, cpus: &str) -> String {
    format!(
        "{}
0ms thread 101 b on 0 asleep mask {cpus} prio -1
0ms thread 102 c on 1 asleep mask {cpus} prio -1
1ms deadline 101 runtime {utilisation_ms}ms deadline 9ms period 10ms until 10ms left 8ms
1ms wakeup 101 on 0
1ms switch 0: 0 R -> 101 prio -1
1ms deadline 102 runtime {utilisation_ms}ms deadline 9ms period 10ms until 10ms left 8ms
1ms wakeup 102 on 1
1ms switch 1: 0 R -> 102 prio -1
1ms {A} until 11ms left 4ms
1ms wakeup 100 on 0
9ms switch 0: 101 S -> 100 prio -1
9ms switch 1: 102 S -> 0
13ms switch 0: 100 S -> 0",
        START.replace("0ms thread 100 a on 0 asleep mask 0-1", &format!("0ms thread 100 a on 0 asleep mask {cpus}"))
    )
}

#[test]
fn earlier_deadlines_are_overload_above_the_bound_and_not_guaranteed_below() {
    let (report, jobs) = jobs_of(&crowd(8, "0-1"), &[]);
    assert_eq!(jobs[0], late(job(1, 11, 13, [4, 0, 0, 8, 0, 0, 0, 0, 0, 0]), "overload"));
    let root = &report.root_domains[0];
    assert_eq!(
        (root.bound_exceeded, root.tests.partitioned_first_fit, root.tests.global_density),
        (Some(true), Some(false), Some(false))
    );
    assert!(root.is_deadline_class && (root.tests.utilisation - 2.0).abs() < 1e-9);
    assert_eq!(report.misses[0].kept_by[0].thread.as_ref().map(|thread| thread.tid), Some(101));
    let (report, jobs) = jobs_of(&crowd(7, "0-1"), &[]);
    assert_eq!(jobs[0].fault.as_deref(), Some("not_guaranteed"));
    assert_eq!(report.root_domains[0].bound_exceeded, Some(false));
    assert_eq!(report.edf.violations, 0);
}

#[test]
fn affinity_that_keeps_a_thread_from_an_idle_cpu_confines_it() {
    let text = crowd(8, "0-1").replace("0ms thread 100 a on 0 asleep mask 0-1", "0ms thread 100 a on 0 asleep mask 0");
    let idle = text
        .replace("1ms wakeup 102 on 1\n1ms switch 1: 0 R -> 102 prio -1\n", "")
        .replace("9ms switch 1: 102 S -> 0\n", "");
    let (report, jobs) = jobs_of(&idle, &[]);
    assert_eq!(jobs[0].spent, [4, 0, 0, 0, 8, 0, 0, 0, 0, 0].map(|ms: i64| ms * MS));
    assert_eq!((jobs[0].fault.as_deref(), report.edf.violations), (Some("not_guaranteed"), 0));
    // The threads that may use CPU 0 only need 1.2 of it.
    let pinned = idle.replace("0ms thread 101 b on 0 asleep mask 0-1", "0ms thread 101 b on 0 asleep mask 0");
    let (report, jobs) = jobs_of(&pinned, &[]);
    assert_eq!(jobs[0].fault.as_deref(), Some("overload"));
    let miss = &report.misses[0];
    assert_eq!((miss.cpus.as_slice(), miss.admissible), (&[0][..], 0.95));
    assert!((miss.needed - 1.2).abs() < 1e-9);
}

#[test]
fn interrupts_and_the_stop_class_interfere() {
    let text = format!(
        "{START}
0ms thread 11 migration/0 on 0 asleep mask 0 prio 0 kernel percpu
0ms affinity 100 0
1ms {A} until 11ms left 4ms
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio -1
2ms irq 0 for 3ms vector 5
6ms wakeup 11 on 0
6ms switch 0: 100 R+ -> 11 prio 0
11ms switch 0: 11 S -> 100 prio -1
13ms switch 0: 100 S -> 0"
    );
    let (report, jobs) = jobs_of(&text, &[]);
    assert_eq!(jobs, [late(job(1, 11, 13, [4, 0, 0, 0, 0, 8, 0, 0, 0, 0]), "interference")]);
    let kept = &report.misses[0].kept_by;
    let short: Vec<_> =
        kept.iter().map(|row| (row.kind, row.thread.as_ref().map(|t| t.tid), row.vector, row.dur_ns / MS)).collect();
    assert_eq!(short, [("thread", Some(11), None, 5), ("interrupt", None, Some(5), 3)]);
    assert_eq!(report.edf.violations, 0);
}

#[test]
fn a_fair_thread_that_the_deadline_server_runs_interferes_from_6_8_on() {
    let text = |kernel: &str| {
        format!(
            "cpus 0
kernel {kernel}
window 0ms 1200ms
0ms cpu 0 idle
0ms thread 100 a on 0 asleep mask 0 prio -1
0ms thread 200 other on 0 queued mask 0 prio 120
1ms deadline 100 runtime 600ms deadline 1000ms period 1000ms until 1001ms left 900ms
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio -1
951ms switch 0: 100 R+ -> 200 prio 120
1001ms switch 0: 200 R -> 100 prio -1
1030ms switch 0: 100 S -> 0"
        )
    };
    let (report, jobs) = jobs_of(&text("6.12"), &[]);
    assert_eq!((jobs[0].spent[5] / MS, report.edf.violations), (50, 0));
    assert_eq!(report.misses[0].kept_by[0].kind, "fair_server");
    let (report, jobs) = jobs_of(&text("6.1"), &[]);
    assert_eq!((jobs[0].spent[1] / MS, report.edf.violations), (50, 1));
}

#[test]
fn jobs_that_are_not_seen_whole_are_not_measured() {
    let (report, jobs) = jobs_of(
        &format!(
            "{START}
1ms switch 0: 0 R -> 100 prio -1
2ms {A} until 11ms left 4ms
2ms switch 0: 100 S -> 0
20ms {A} until 30ms left 4ms
20ms wakeup 100 on 0
20ms switch 0: 0 R -> 100 prio -1
21ms lost 1 until 23ms
22ms switch 0: 100 S -> 0
30ms {A} until 40ms left 4ms
30ms wakeup 100 on 0
30ms switch 0: 0 R -> 100 prio -1
31ms switch 0: 100 T -> 0
40ms {A} until 50ms left 4ms
40ms wakeup 100 on 0
40ms switch 0: 0 R -> 100 prio -1
41ms switch 0: 100 S -> 0
55ms {A} until 65ms left 4ms
55ms wakeup 100 on 0
55ms switch 0: 0 R -> 100 prio -1"
        ),
        &[],
    );
    assert_eq!(jobs, [job(40, 50, 41, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0])]);
    assert_eq!(
        (report.jobs, report.incomplete),
        (1, 4),
        "under way at the start, when events were lost, stopped, under way at the end before its deadline"
    );
}

/// Thread 100 may use CPU 0 only and waits 48 ms while a fair thread runs there.
fn passed_over_for_48ms(lost: &str) -> String {
    let start = START.replace("0ms thread 100 a on 0 asleep mask 0-1", "0ms thread 100 a on 0 asleep mask 0");
    format!(
        "{}
1ms wakeup 200 on 0
1ms switch 0: 0 R -> 200 prio 120
2ms {A} until 12ms left 4ms
2ms wakeup 100 on 0
{lost}
50ms {A} until 12ms left 4ms
50ms switch 0: 200 R -> 100 prio -1
52ms switch 0: 100 S -> 200 prio 120",
        start.replace("0ms thread 200 other on 1", "0ms thread 200 other on 0")
    )
}

#[test]
fn what_was_seen_of_a_violation_counts_where_events_are_lost_in_it() {
    let (whole, _) = jobs_of(&passed_over_for_48ms(""), &[]);
    assert_eq!((whole.missed, whole.edf.violations, whole.losses, whole.lost), (1, 1, 0, 0));
    // Even on another CPU.
    let (report, jobs) = jobs_of(&passed_over_for_48ms("48ms lost 1 until 49ms"), &[]);
    assert!(jobs.is_empty());
    assert_eq!((report.incomplete, report.lost, report.losses), (1, 1, 1));
    let spans: Vec<_> = report.edf.longest.iter().map(|row| (row.start_ns / MS, row.end_ns / MS)).collect();
    assert_eq!((report.edf.violations, spans), (1, vec![(2, 48), (49, 50)]));
    assert_eq!((report.edf.unknown_ns, report.edf.undecided), (MS, 0));
    // Both parts are longer than a tick.
    let (report, _) = jobs_of(&passed_over_for_48ms("20ms lost 1 until 22ms"), &[]);
    assert_eq!((report.edf.violations, report.edf.unknown_ns), (2, 2 * MS));
}

#[test]
fn a_wait_for_a_cpu_of_which_nothing_is_known_is_undecided() {
    // CPU 0, where it waits, is not seen from 3 ms on.
    let start = START.replace("0ms cpu 0 idle", "").replace("0ms thread 100 a on 0", "0ms thread 100 a on 1");
    let text = |until: i64| {
        format!(
            "{start}
0ms affinity 100 0
2ms {A} until 12ms left 4ms
2ms wakeup 100 on 0
{until}ms switch 0: 0 R -> 100 prio -1
{}ms switch 0: 100 S -> 0",
            until + 1
        )
    };
    let (report, jobs) = jobs_of(&text(9), &[]);
    assert_eq!(jobs[0].spent, [1, 0, 0, 0, 0, 0, 0, 0, 0, 7].map(|ms: i64| ms * MS));
    assert_eq!((report.edf.violations, report.edf.undecided, report.edf.unknown_ns), (0, 1, 7 * MS));
    let (report, _) = jobs_of(&text(5), &[]);
    assert_eq!((report.edf.undecided, report.edf.unknown_ns), (0, 3 * MS), "no longer than a tick");
}

#[test]
fn jobs_cut_by_the_ends_of_the_recording_are_not_lost() {
    let (report, _) = jobs_of(
        &format!(
            "{START}
1ms switch 0: 0 R -> 100 prio -1
2ms {A} until 11ms left 4ms
2ms switch 0: 100 S -> 0
55ms {A} until 65ms left 4ms
55ms wakeup 100 on 0
55ms switch 0: 0 R -> 100 prio -1"
        ),
        &[],
    );
    assert_eq!((report.incomplete, report.lost, report.losses), (2, 0, 0));
}

#[test]
fn a_declared_task_that_no_thread_has_is_named() {
    let text = "
cpus 0
window 0ms 60ms
0ms cpu 0 idle
0ms thread 100 audio on 0 asleep mask 0 prio 50
0ms thread 101 never-wakes on 0 asleep mask 0 prio 50
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio 50
2ms switch 0: 100 S -> 0";
    let unmatched = |names: &[&str]| {
        let tasks: Vec<_> = names.iter().map(|name| declared(name, 4, 10, 20)).collect();
        jobs_of(text, &tasks).0.parameters.unmatched
    };
    assert_eq!(unmatched(&["nosuch", "audio", "aud?"]), ["nosuch", "aud?"]);
    assert!(unmatched(&["never*", "audio", "*"]).is_empty(), "a later task that counts first hides no name");
    assert!(unmatched(&[]).is_empty());
}

#[test]
fn a_job_of_which_a_switch_or_wakeup_is_missing_is_not_measured() {
    let (report, jobs) = jobs_of(
        &format!(
            "{START}
1ms {A} until 11ms left 4ms
1ms wakeup 100 on 0
3ms switch 0: 100 S -> 0            # its switch to the CPU is missing
12ms {A} until 21ms left 2ms
12ms switch 0: 100 S -> 0           # its wakeup is missing too
21ms {A} until 31ms left 4ms
21ms wakeup 100 on 0
21ms {A} until 31ms left 4ms
21ms switch 0: 0 R -> 100 prio -1   # the switch to sleep is missing
31ms {A} until 41ms left 4ms
31ms wakeup 100 on 0
32ms {A} until 41ms left 4ms
32ms switch 0: 0 R -> 100 prio -1
34ms switch 0: 100 S -> 0
41ms {A} until 51ms left 4ms
41ms wakeup 100 on 0
42ms switch 0: 0 R -> 100 prio -1
43ms wakeup 100 on 0                # it runs: no sleep, no new deadline
44ms switch 0: 100 S -> 0"
        ),
        &[],
    );
    assert_eq!(jobs, [job(41, 51, 44, [2, 0, 1, 0, 0, 0, 0, 0, 0, 0])]);
    assert_eq!((report.jobs, report.incomplete, report.lost, report.losses), (1, 4, 4, 0));
}

#[test]
fn a_job_that_the_recording_cuts_off_after_its_deadline_is_missed() {
    let (report, jobs) = jobs_of(
        &format!(
            "{START}
1ms {A} until 11ms left 4ms
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio -1
6ms {A} until 11ms left -1ms throttled
6ms switch 0: 100 R+ -> 0"
        ),
        &[],
    );
    assert_eq!((jobs[0].end, jobs[0].ended_by.as_str(), jobs[0].tardiness), (None, "unfinished", 49 * MS));
    assert_eq!((report.missed, report.unfinished, jobs[0].fault.as_deref()), (1, 1, Some("interference")));
    // Its server got runtime again at 11 ms, and a CPU was free: it was about to run there.
    assert_eq!(jobs[0].spent, [5, 0, 49, 0, 0, 0, 0, 0, 5, 0].map(|ms: i64| ms * MS));
}

#[test]
fn a_declared_task_of_another_class_has_jobs_and_no_invariant() {
    let text = "
cpus 0
window 0ms 60ms
0ms cpu 0 idle
0ms thread 100 audio-out on 0 asleep mask 0 prio 50
0ms thread 200 other on 0 asleep mask 0 prio 20
1ms wakeup 200 on 0
1ms switch 0: 0 R -> 200 prio 20
2ms wakeup 100 on 0
12ms switch 0: 200 S -> 100 prio 50
15ms switch 0: 100 S -> 0";
    let (report, jobs) = jobs_of(text, &[declared("audio-*", 4, 10, 20)]);
    assert_eq!(jobs, [late(job(2, 12, 15, [3, 0, 0, 0, 0, 0, 10, 0, 0, 0]), "contention")]);
    assert!(!report.edf.checked && report.edf.violations == 0);
    assert_eq!(report.misses[0].kept_by[0].thread.as_ref().map(|thread| thread.tid), Some(200));
    let (report, jobs) = jobs_of(text, &[declared("video", 4, 10, 20)]);
    assert!(jobs.is_empty() && report.tasks.is_empty());
    // Of two that match the later one counts.
    let (_, jobs) = jobs_of(text, &[declared("audio-*", 4, 10, 20), declared("*-out", 4, 14, 20)]);
    assert!(!jobs[0].missed);
}

/// Two threads of one name on CPU 1 of four, which need 1.4 of it.
fn two_on_one_cpu(prio: i16, mask: &str) -> String {
    format!(
        "
cpus 0-3
kernel 6.1
realtime 950ms of 1s
window 0ms 100ms
0ms cpu 0 idle
0ms cpu 1 idle
0ms cpu 2 idle
0ms cpu 3 idle
0ms thread 100 video on 1 asleep mask {mask} prio {prio}
0ms thread 101 video on 1 asleep mask {mask} prio {prio}
0ms thread 200 other on 1 asleep mask 1 prio {prio}
1ms wakeup 100 on 1
1ms switch 1: 0 R -> 100 prio {prio}
1ms wakeup 101 on 1
15ms switch 1: 100 S -> 101 prio {prio}
29ms switch 1: 101 S -> 0"
    )
}

#[test]
fn a_declared_task_that_another_one_keeps_from_its_cpu_is_overload_or_contention() {
    let text = two_on_one_cpu(120, "1");
    let (report, jobs) = jobs_of(&text, &[declared("video", 14, 20, 20)]);
    let second = jobs.iter().find(|job| job.tid == 101).unwrap();
    assert_eq!(second.spent, [14, 0, 0, 0, 0, 0, 14, 0, 0, 0].map(|ms: i64| ms * MS));
    assert_eq!((second.fault.as_deref(), report.faults.overload, report.faults.interference), (Some("overload"), 1, 0));
    let miss = &report.misses[0];
    assert_eq!((miss.cpus.as_slice(), miss.admissible, miss.kept_by[0].kind), (&[1][..], 1.0, "thread"));
    assert!((miss.needed - 1.4).abs() < 1e-9);
    // Tasks that need no more than the CPU has.
    let (report, jobs) = jobs_of(&text, &[declared("video", 14, 20, 40)]);
    assert_eq!((jobs[1].fault.as_deref(), report.faults.contention), (Some("contention"), 1));
    // What had the CPU is no task: the tasks' demand is not the reason.
    let other = text.replace("wakeup 100", "wakeup 200").replace("-> 100", "-> 200").replace("100 S", "200 S");
    let (_, jobs) = jobs_of(&other, &[declared("video", 14, 20, 20)]);
    assert_eq!((jobs.len(), jobs[0].fault.as_deref()), (1, Some("contention")));
    // A real-time thread comes before a fair one, whatever they need.
    let realtime =
        other.replace("-> 200 prio 120", "-> 200 prio 20").replace("mask 1 prio 120\n1ms", "mask 1 prio 20\n1ms");
    let (_, jobs) = jobs_of(&realtime, &[declared("video", 14, 20, 20)]);
    assert_eq!(jobs[0].spent, [14, 0, 0, 0, 0, 14, 0, 0, 0, 0].map(|ms: i64| ms * MS));
    assert_eq!(jobs[0].fault.as_deref(), Some("interference"));
}

#[test]
fn no_test_guarantees_deadlines_of_tasks_of_other_classes() {
    for (prio, mask) in [(120, "1"), (120, "0-3"), (50, "0-3")] {
        let (report, _) = jobs_of(&two_on_one_cpu(prio, mask), &[declared("video", 14, 20, 20)]);
        assert_eq!(report.root_domains.len(), 1);
        let root = &report.root_domains[0];
        assert_eq!((root.is_deadline_class, root.admission_bound, root.bound_exceeded), (false, None, None));
        assert_eq!((root.tests.gfb, root.tests.global_density, root.tests.partitioned_first_fit), (None, None, None));
        assert_eq!((root.tests.tasks, root.tests.not_covered), (2, Some(NotCovered::Class)));
    }
}

#[test]
fn the_tests_of_global_edf_are_about_deadline_threads_that_may_use_every_cpu() {
    let text = |mask: &str, after: &str| {
        format!(
            "{}
1ms {A} until 11ms left 4ms
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio -1
3ms switch 0: 100 S -> 0
{after}",
            START
                .replace("0ms thread 100 a on 0 asleep mask 0-1", &format!("0ms thread 100 a on 0 asleep mask {mask}"))
        )
    };
    // Declared tasks beside them have a row of their own.
    let (report, _) = jobs_of(&text("0-1", "4ms wakeup 200 on 1"), &[declared("other", 10, 10, 10)]);
    let rows: Vec<_> =
        report.root_domains.iter().map(|root| (root.is_deadline_class, root.tests.tasks, root.tests.gfb)).collect();
    assert_eq!(rows, [(true, 1, Some(true)), (false, 1, None)]);
    assert_eq!(report.root_domains[0].admission_bound, Some(1.9));
    // Confined from the start, or later.
    for text in [text("0", ""), text("0-1", "4ms affinity 100 0")] {
        let (report, _) = jobs_of(&text, &[]);
        let tests = &report.root_domains[0].tests;
        assert_eq!((tests.gfb, tests.global_density, tests.not_covered), (None, None, Some(NotCovered::Affinity)));
        assert_eq!(tests.partitioned_first_fit, Some(true));
    }
    // A deadline thread of which no parameters are known runs before or after them.
    let beside = text("0-1", "4ms wakeup 101 on 1\n4ms switch 1: 0 R -> 101 prio -1")
        .replace("0ms thread 200", "0ms thread 101 b on 1 asleep mask 0-1 prio -1\n0ms thread 200");
    let (report, _) = jobs_of(&beside, &[]);
    let tests = &report.root_domains[0].tests;
    assert_eq!((tests.gfb, tests.partitioned_first_fit), (None, None));
    assert_eq!(tests.not_covered, Some(NotCovered::Parameters));
}

#[test]
fn a_declared_deadline_thread_has_a_server_by_the_kernels_rules() {
    let text = "
cpus 0
window 0ms 60ms
0ms cpu 0 idle
0ms thread 100 a on 0 asleep mask 0 prio -1
0ms thread 101 b on 0 asleep mask 0 prio -1
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio -1
6ms switch 0: 100 R+ -> 0
12ms switch 0: 0 R -> 100 prio -1
13ms switch 0: 100 S -> 0
14ms wakeup 101 on 0
14ms switch 0: 0 R -> 101 prio -1
15ms switch 0: 101 S -> 0";
    let (report, jobs) = jobs_of(text, &[declared("a", 4, 10, 10)]);
    let expected = JobRow { throttles: 1, ..job(1, 11, 13, [6, 0, 1, 0, 0, 0, 0, 0, 5, 0]) };
    assert_eq!(jobs, [late(expected, "own_overrun")]);
    assert!(report.parameters.modelled && report.edf.checked);
    let undescribed: Vec<i32> = report.parameters.undescribed.iter().map(|thread| thread.tid).collect();
    assert_eq!(undescribed, [101]);
}

#[test]
fn what_was_recorded_counts_before_what_is_declared() {
    let text = format!(
        "{START}
1ms {A} until 11ms left 4ms
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio -1
5ms switch 0: 100 S -> 0"
    );
    let (report, jobs) = jobs_of(&text, &[declared("a", 1, 2, 2)]);
    assert_eq!((jobs[0].missed, jobs[0].deadline), (false, 11 * MS));
    assert_eq!((report.parameters.declared_in_vain.len(), report.parameters.unmatched.len()), (1, 0));
    // Also where it was recorded first, before it could count.
    let recorded_first =
        text.replace("0ms thread 100 a on 0 asleep mask 0-1 prio -1", "0ms thread 100 x on 0 asleep mask 0-1 prio -1");
    let (report, _) = jobs_of(&format!("{recorded_first}\n6ms name 100 a"), &[declared("a", 1, 2, 2)]);
    assert_eq!((report.parameters.declared_in_vain.len(), report.parameters.unmatched.len()), (1, 0));
}

#[test]
fn a_thread_that_leaves_the_class_has_no_deadline_any_more() {
    let (report, jobs) = jobs_of(
        &format!(
            "{START}
1ms {A} until 11ms left 4ms
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio -1
3ms switch 0: 100 R+ -> 200 prio 120
30ms switch 0: 200 S -> 100 prio 120
31ms switch 0: 100 S -> 0"
        ),
        &[],
    );
    assert!(jobs.is_empty());
    assert_eq!((report.incomplete, report.tasks.len()), (1, 1));
}

#[test]
fn a_deadline_thread_outside_its_mask_is_counted() {
    let (report, _) = jobs_of(
        &format!(
            "{START}
0ms affinity 100 1
1ms {A} until 11ms left 4ms
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio -1
2ms switch 0: 100 S -> 0"
        ),
        &[],
    );
    assert_eq!(report.edf.outside_mask, 1);
}

#[test]
fn root_domains_part_the_machine() {
    let text = format!(
        "{}
domain MC 0 1
1ms deadline 101 runtime 20ms deadline 30ms period 30ms until 31ms left 20ms
1ms wakeup 101 on 0
1ms switch 0: 0 R -> 101 prio -1
2ms deadline 100 runtime 4ms deadline 10ms period 10ms until 40ms left 4ms
2ms wakeup 100 on 0
14ms switch 0: 101 S -> 100 prio -1
17ms switch 0: 100 S -> 0",
        START.replace("0ms thread 200", "0ms thread 101 b on 0 asleep mask 0-1 prio -1\n0ms thread 200")
    );
    let (report, jobs) = jobs_of(&text, &[]);
    assert_eq!(
        (jobs[0].spent[1], jobs[0].spent[4] / MS, report.edf.violations),
        (0, 12, 0),
        "CPU 1 is in another root domain"
    );
    assert_eq!(report.root_domains.len(), 1);
    assert_eq!((report.root_domains[0].cpus.as_slice(), report.root_domains[0].tests.cpus), (&[0][..], 1));
}

#[test]
fn impossible_tasks_are_refused() {
    let drawn = wastenot_drawing::draw("cpus 0\nwindow 0ms 1ms").unwrap();
    let inputs = drawn.into_iter().map(|(name, batch)| {
        let schema = batch.schema();
        let reader = arrow_array::RecordBatchIterator::new([Ok(batch)], schema);
        (name.to_owned(), Box::new(reader) as wastenot_checker::BatchReader)
    });
    let options = wastenot_checker::deadlines::DeadlineOptions { tasks: vec![declared("x", 5, 4, 10)], listed: None };
    let error = wastenot_checker::deadlines::deadlines(inputs.collect(), &options, &mut wastenot_schemas::NullSink);
    assert!(error.unwrap_err().to_string().contains("task x: 0 < runtime ≤ deadline ≤ period must hold"));
}

/// Thread 300 sets its class while it runs, which shows as it leaves the CPU; thread 100, which may use that CPU alone, waits meanwhile.
fn class_set_while_running(then: &str) -> String {
    format!(
        "{START}
0ms thread 300 b on 0 asleep mask 0-1 prio 120
0ms affinity 100 0
1ms wakeup 300 on 0
1ms switch 0: 0 R -> 300 prio 120
5ms {A} until 15ms left 4ms
5ms wakeup 100 on 0
{then}"
    )
}

#[test]
fn a_thread_that_sets_its_class_while_it_runs_is_of_that_class_from_then_on() {
    // It became SCHED_DEADLINE at 8 ms (until 14 - 6): up to then 100 was passed over, from then on it waited for an earlier deadline.
    let then = "20ms deadline 300 runtime 5ms deadline 6ms period 30ms until 14ms left 1ms
20ms switch 0: 300 S -> 100 prio -1
23ms switch 0: 100 S -> 0";
    let (report, jobs) = jobs_of(&class_set_while_running(then), &[]);
    assert_eq!(jobs, [late(job(5, 15, 23, [3, 3, 0, 12, 0, 0, 0, 0, 0, 0]), "not_guaranteed")]);
    assert_eq!((report.edf.violations, report.edf.longest[0].end_ns - report.edf.longest[0].start_ns), (0, 3 * MS));
}

#[test]
fn with_a_later_deadline_it_still_had_the_cpu_of_another() {
    let then = "20ms deadline 300 runtime 5ms deadline 30ms period 30ms until 38ms left 1ms
20ms switch 0: 300 S -> 100 prio -1
23ms switch 0: 100 S -> 0";
    let (report, jobs) = jobs_of(&class_set_while_running(then), &[]);
    assert_eq!((jobs[0].spent[1], jobs[0].fault.as_deref()), (15 * MS, Some("scheduler")));
    assert_eq!(report.edf.violations, 1);
}

/// The switch to thread 300 is missing: its switch away says that the CPU did not run thread 200 all the time.
#[test]
fn a_wait_for_a_cpu_that_ran_another_thread_than_was_known_violates_nothing() {
    let (report, jobs) = jobs_of(
        &format!(
            "{START}
0ms thread 300 b on 0 asleep mask 0-1 prio -1
0ms affinity 100 0
1ms wakeup 200 on 0
1ms switch 0: 0 R -> 200 prio 120
5ms {A} until 15ms left 4ms
5ms wakeup 100 on 0
20ms switch 0: 300 S -> 100 prio -1
23ms switch 0: 100 S -> 0"
        ),
        &[],
    );
    assert_eq!(jobs, [late(job(5, 15, 23, [3, 0, 0, 0, 0, 0, 0, 0, 0, 15]), "not_visible")]);
    assert_eq!((report.edf.violations, report.edf.undecided, report.edf.unknown_ns), (0, 1, 15 * MS));
}
