//! Each self-check just below its threshold, where it counts and doubts nothing, and just above it.

mod common;

use std::fmt::Write;

use common::{MS, ResultTables, check_drawn};
use wastenot_schemas as tables;

impl ResultTables {
    /// The self-checks that make the verdict suspect. Drawings leave out whatever else a machine does: their silence is none.
    fn suspect(&self) -> Vec<String> {
        self.all_suspect().into_iter().filter(|check| check != "silence").collect()
    }

    fn all_suspect(&self) -> Vec<String> {
        self.rows("data_quality", |b| {
            let v = tables::data_quality::View::try_new(b).unwrap();
            let rows = (0..v.len()).map(|i| v.row(i)).filter(|r| r.what == "suspect");
            rows.map(|r| r.detail.unwrap().to_owned()).collect()
        })
    }

    /// What a check counted, and its share in millionths.
    fn check(&self, name: &str) -> (i64, i64) {
        (self.data_quality("self_check_total", Some(name)), self.data_quality("self_check_ppm", Some(name)))
    }
}

/// Two CPUs for a second: CPU 1 runs a thread, CPU 0 what `events` say.
fn beside_a_busy_cpu(events: &str) -> ResultTables {
    check_drawn(&format!("cpus 0-1\ntick 4ms\nwindow 0ms 1000ms\n0ms thread 200 spin on 1 running\n{events}"))
}

/// `times` rounds of 10 ms on CPU 0, each of the lines that `round` gives for its start in µs.
fn rounds(times: usize, round: impl Fn(usize, usize) -> String) -> String {
    (0..times).fold(String::new(), |mut text, n| {
        writeln!(text, "{}", round(n, n * 10_000)).unwrap();
        text
    })
}

/// A thread that goes to sleep and is given as preempted: the CPU idles beside it.
#[test]
fn a_cpu_that_goes_idle_beside_a_queued_thread_is_suspect_from_one_percent_of_the_time_on() {
    let idle_until = |end: &str| {
        beside_a_busy_cpu(&format!(
            "0ms thread 101 kworker/0:1 on 0 running\n10ms switch 0: 101 R -> 0\n{end} switch 0: 0 R -> 101\n"
        ))
    };
    let below = idle_until("30ms");
    assert_eq!(below.check("idle_picked_with_queue"), (20 * MS, 10_000));
    assert_eq!(below.check("idle_with_queue"), (20 * MS, 10_000));
    assert_eq!(below.suspect(), [""; 0]);
    let above = idle_until("30.002ms");
    assert_eq!(above.check("idle_picked_with_queue"), (20 * MS + 2_000, 10_001));
    assert_eq!(above.suspect(), ["idle_picked_with_queue"]);
}

#[test]
fn one_cpu_of_many_is_suspect_beyond_what_real_time_throttling_takes() {
    let idle_until = |end: &str| {
        let busy: String = (1..16).map(|cpu| format!("0ms thread {} spin on {cpu} running\n", 200 + cpu)).collect();
        check_drawn(&format!(
            "cpus 0-15\ntick 4ms\nwindow 0ms 1000ms\n{busy}0ms thread 101 kworker/0:1 on 0 running\n\
             10ms switch 0: 101 R -> 0\n{end} switch 0: 0 R -> 101\n"
        ))
    };
    assert_eq!(idle_until("70ms").check("idle_picked_with_queue"), (60 * MS, 3_750));
    assert_eq!(idle_until("70ms").suspect(), [""; 0]);
    assert_eq!(idle_until("70.001ms").suspect(), ["idle_picked_with_queue"]);
}

#[test]
fn before_6_12_a_real_time_thread_may_be_throttled_beside_an_idle_cpu() {
    // Preempted at 10 ms, and back at 100 ms: CPU 0 idles beside it.
    let of = |kernel: &str, prio: i32| {
        check_drawn(&format!(
            "kernel {kernel}\ncpus 0-1\ntick 4ms\nwindow 0ms 1000ms\n0ms thread 200 spin on 1 running\n\
             0ms thread 101 hog on 0 running prio {prio}\n10ms switch 0: 101 R -> 0\n100ms switch 0: 0 R -> 101\n"
        ))
    };
    assert_eq!(of("6.1", 49).suspect(), [""; 0]);
    assert_eq!(of("6.12", 49).suspect(), ["idle_picked_with_queue"]);
    assert_eq!(of("6.1", 120).suspect(), ["idle_picked_with_queue"]);
}

#[test]
fn short_idleness_beside_a_queue_is_suspect_from_the_fifth_time_on() {
    let times = |n: usize| {
        beside_a_busy_cpu(&format!(
            "0ms thread 101 kworker/0:1 on 0 running\n{}",
            rounds(n, |_, at| format!("{}us switch 0: 101 R -> 0\n{}us switch 0: 0 R -> 101", at + 1_000, at + 1_100))
        ))
    };
    assert_eq!(times(4).check("idle_picked_with_queue"), (400_000, 200));
    assert_eq!(times(4).check("idle_with_queue"), (0, 0), "none is longer than a tick");
    assert_eq!(times(4).suspect(), [""; 0]);
    assert_eq!(times(5).suspect(), ["idle_picked_with_queue"]);
}

#[test]
fn idleness_beside_a_queue_that_only_the_order_of_events_shows_counts_for_nothing() {
    let idle_for = |us: usize| {
        beside_a_busy_cpu(&format!(
            "0ms thread 101 kworker/0:1 on 0 running\n{}",
            rounds(99, |_, at| format!("{}us switch 0: 101 R -> 0\n{}us switch 0: 0 R -> 101", at, at + us))
        ))
    };
    assert_eq!((idle_for(10).check("idle_picked_with_queue"), idle_for(10).suspect()), ((0, 0), vec![]));
    assert_eq!(idle_for(11).check("idle_picked_with_queue"), (99 * 11_000, 545));
    assert_eq!(idle_for(11).suspect(), ["idle_picked_with_queue"]);
}

#[test]
fn a_late_wakeup_is_suspect_only_where_it_takes_a_quarter_of_the_time() {
    let awake_at = |at: &str| {
        beside_a_busy_cpu(&format!(
            "0ms cpu 0 idle\n0ms thread 101 worker on 0 asleep\n10ms wakeup 101 on 0\n{at} switch 0: 0 R -> 101\n"
        ))
    };
    assert_eq!(awake_at("510ms").check("idle_with_queue"), (500 * MS, 250_000));
    assert_eq!(awake_at("510ms").suspect(), [""; 0]);
    assert_eq!(awake_at("510.001ms").check("idle_picked_with_queue"), (0, 0));
    assert_eq!(awake_at("510.001ms").suspect(), ["idle_with_queue"]);
    let within_a_tick = awake_at("14ms");
    assert_eq!((within_a_tick.check("idle_with_queue"), within_a_tick.late_wakes()), ((0, 0), 0));
}

#[test]
fn a_late_wakeup_that_the_kernel_asked_for_does_not_contradict_it() {
    let asked = |line: &str| {
        beside_a_busy_cpu(&format!(
            "0ms cpu 0 idle\n0ms thread 101 worker on 0 asleep\n0ms thread 102 other on 0 asleep\n10ms wakeup 101 on 0\n\
             {line}310ms switch 0: 0 R -> 101\n400ms switch 0: 101 S -> 0\n500ms wakeup 102 on 0\n\
             900ms switch 0: 0 R -> 102\n"
        ))
    };
    let unknown = asked("");
    assert_eq!((unknown.check("idle_with_queue").0, unknown.suspect()), (700 * MS, vec!["idle_with_queue".to_owned()]));
    // The first of the two is explained, and says nothing of the second.
    let first = asked("310ms late_exit 0 after 300ms\n");
    assert_eq!((first.check("idle_with_queue").0, first.suspect()), (400 * MS, vec![]));
    let later = asked("310ms late_exit 0 after 100ms\n");
    assert_eq!(later.check("idle_with_queue").0, 700 * MS, "the thread was queued for long before it was asked");
}

#[test]
fn a_thread_queued_for_over_a_second_on_an_idle_cpu_is_suspect_from_one_percent_of_the_time_on() {
    let awake_at = |at: &str| {
        check_drawn(&format!(
            "cpus 0-1\nwindow 0s 100s\n0ms thread 200 spin on 1 running\n0ms cpu 0 idle\n\
             0ms thread 101 worker on 0 asleep\n1s wakeup 101 on 0\n{at} switch 0: 0 R -> 101\n"
        ))
    };
    assert_eq!(awake_at("2s").check("queued_beside_idle"), (0, 0), "a second is not over a second");
    assert_eq!(awake_at("3s").check("queued_beside_idle"), (2_000 * MS, 10_000));
    assert_eq!(awake_at("3s").suspect(), [""; 0]);
    assert_eq!(awake_at("3.000001s").suspect(), ["queued_beside_idle"]);
}

#[test]
fn a_thread_queued_for_ever_is_suspect_when_its_queue_had_time_to_go_round() {
    let recorded_for = |end: &str| {
        check_drawn(&format!(
            "cpus 0\nwindow 0s {end}\n0s thread 100 spin on 0 running\n0s thread 101 worker on 0 queued\n"
        ))
    };
    assert_eq!(recorded_for("10.1s").check("queued_for_ever"), (0, 0));
    let above = recorded_for("10.100001s");
    assert_eq!(above.check("queued_for_ever"), (1, 1_000_000));
    assert_eq!(above.suspect(), ["queued_for_ever"]);
}

/// One CPU on which 100 and 101 alternate every 10 ms: each is preempted and resumes.
fn alternating(first: usize, times: usize, state: &str) -> String {
    let (a, b) = (100, 101);
    rounds(times, |n, at| {
        let (prev, next) = if (first + n).is_multiple_of(2) { (a, b) } else { (b, a) };
        format!("{}us switch 0: {prev} {state} -> {next}", first * 10_000 + at + 10_000)
    })
}

/// Threads that are preempted and given as asleep: they run again without a wakeup.
#[test]
fn threads_that_run_without_a_wakeup_are_suspect_from_the_fifth_time_and_one_percent_on() {
    let head = "cpus 0\nwindow 0s 6s\n0ms thread 100 a on 0 running\n0ms thread 101 b on 0 queued\n\
                0ms thread 102 c on 0 asleep\n0.1ms wakeup 102 on 0\n";
    let asleep = |times: usize| {
        let preempted = alternating(0, 500, "R+");
        check_drawn(&format!("{head}{preempted}{}", alternating(500, times, "S")))
    };
    // The first switch that says S is followed by one to a thread that was preempted.
    let below = asleep(5);
    assert_eq!(below.check("ran_without_wakeup").0, 4);
    assert_eq!(below.suspect(), [""; 0]);
    assert_eq!(asleep(6).check("ran_without_wakeup").0, 5);
    assert_eq!(asleep(6).suspect(), [""; 0], "5 of 505 are less than one percent");
    assert_eq!(asleep(7).check("ran_without_wakeup").0, 6);
    assert_eq!(asleep(7).suspect(), ["ran_without_wakeup"]);
}

#[test]
fn stoppers_run_without_a_wakeup_on_some_releases_and_a_source_without_wakeups_contradicts_nothing() {
    let all_asleep = |head: &str| {
        let head = format!("cpus 0\nwindow 0s 2s\n0ms thread 100 a on 0 running\n{head}");
        check_drawn(&format!("{head}{}", alternating(0, 20, "S")))
    };
    let silent = all_asleep("0ms thread 101 b on 0 queued\n");
    assert_eq!((silent.check("ran_without_wakeup"), silent.suspect()), ((0, 0), vec![]));
    let woken = all_asleep("0ms thread 101 b on 0 queued\n0.1ms wakeup 101 on 0\n");
    assert_eq!(woken.suspect(), ["ran_without_wakeup"]);
    let head = "0ms thread 101 migration/0 on 0 queued percpu kernel\n0.1ms wakeup 101 on 0\n";
    assert_eq!(woken.check("ran_without_wakeup").0, 19);
    assert_eq!(all_asleep(head).check("ran_without_wakeup").0, 10, "those of the other thread");
}

/// One CPU on which 100 and `times` threads alternate, each of which dies; those before `again` are seen once more.
fn dying(births: &str, times: usize, again: usize, between: impl Fn(usize) -> String) -> ResultTables {
    let head = format!("cpus 0\nwindow 0s 20s\n0ms thread 100 a on 0 running\n{births}\n");
    check_drawn(&format!(
        "{head}{}",
        rounds(times, |n, at| {
            let (tid, first) = (1000 + n, format!("{at}us switch 0: 100 R+ -> {}\n", 1000 + n));
            let name = format!("{at}us name {tid} b\n");
            let death = format!("{}us switch 0: {tid} X -> 100\n", at + 1_000);
            let more = if n < again {
                let (from, to) = (at + 3_000, at + 4_000);
                let switches = format!("{from}us switch 0: 100 R+ -> {tid}\n{to}us switch 0: {tid} S -> 100\n");
                format!("{}{switches}", between(n))
            } else {
                String::new()
            };
            format!("{name}{first}{death}{more}")
        })
    ))
}

/// Threads that are preempted and given as dead run again.
#[test]
fn threads_that_run_after_their_death_are_suspect_from_the_fifth_time_and_one_percent_on() {
    let birth = "0ms fork 100 -> 99";
    let nothing = |_| String::new();
    assert_eq!(dying(birth, 10, 4, nothing).check("ran_after_death"), (4, 400_000));
    assert_eq!(dying(birth, 10, 4, nothing).suspect(), [""; 0]);
    assert_eq!(dying(birth, 10, 5, nothing).suspect(), ["ran_after_death"]);
    assert_eq!(dying(birth, 500, 5, nothing).check("ran_after_death"), (5, 10_000));
    assert_eq!(dying(birth, 500, 5, nothing).suspect(), [""; 0], "one percent");
    assert_eq!(dying(birth, 500, 6, nothing).suspect(), ["ran_after_death"]);
    let woken = |n: usize| format!("{}us wakeup {} on 0\n", n * 10_000 + 2_000, 1000 + n);
    assert_eq!(dying(birth, 10, 5, woken).check("ran_after_death").0, 5, "once each");
}

#[test]
fn a_tid_that_is_used_again_belongs_to_no_dead_thread() {
    let birth = "0ms fork 100 -> 99";
    let at = |n: usize, what: &str| format!("{}us {what}\n", n * 10_000 + 2_000);
    let forked = dying(birth, 10, 10, |n| at(n, &format!("fork 100 -> {}", 1000 + n)));
    assert_eq!(forked.check("ran_after_death"), (0, 0));
    let born = dying(birth, 10, 10, |n| at(n, &format!("wakeup_new {} on 0", 1000 + n)));
    assert_eq!(born.check("ran_after_death"), (0, 0));
    let renamed = dying(birth, 10, 10, |n| at(n, &format!("name {} c", 1000 + n)));
    assert_eq!(renamed.check("ran_after_death"), (0, 0));
    let same_name = dying(birth, 10, 10, |n| at(n, &format!("name {} b", 1000 + n)));
    assert_eq!(same_name.check("ran_after_death").0, 10);
    let lost = dying(birth, 10, 10, |n| at(n, "lost 0 until 0ms"));
    assert_eq!(lost.check("ran_after_death"), (0, 0), "the fork may be among what was lost");
}

#[test]
fn a_thread_whose_exit_is_recorded_may_sleep_once_more_as_a_zombie() {
    let zombie = |others_exit: bool, exit: &str, last: &str| {
        let round = |n: usize, at: usize| {
            let (tid, t) = (1000 + n, |us: usize| at + us);
            let exit = if exit.is_empty() { String::new() } else { format!("{}us exit {tid}\n", t(500)) };
            format!(
                "{}us switch 0: 100 R+ -> {tid}\n{exit}{}us switch 0: {tid} Z -> 100\n{}us wakeup {tid} on 0\n\
                 {}us switch 0: 100 R+ -> {tid}\n{}us switch 0: {tid} {last} -> 100\n",
                t(0),
                t(1_000),
                t(2_000),
                t(3_000),
                t(4_000)
            )
        };
        let head = "cpus 0\nwindow 0s 20s\n0ms thread 100 a on 0 running\n0ms fork 100 -> 99\n";
        let head = format!("{head}{}", if others_exit { "0ms exit 98\n" } else { "" });
        check_drawn(&format!("{head}{}", rounds(10, round))).check("ran_after_death").0
    };
    assert_eq!(zombie(false, "exit", "X"), 0);
    assert_eq!(zombie(false, "exit", "Z"), 0);
    assert_eq!(zombie(false, "", "X"), 0);
    assert_eq!(zombie(true, "", "X"), 10, "exits are recorded, and it does not exit");
    assert_eq!(zombie(false, "", "Z"), 10, "a state that is always read as Z");
}

#[test]
fn where_births_are_not_recorded_only_a_thread_that_is_back_within_a_second_did_not_die() {
    let back_after = |ms: usize| {
        let round = |n: usize| {
            let (tid, at) = (1000 + n, n * 5_000);
            format!(
                "{at}ms switch 0: 100 R+ -> {tid}\n{}ms switch 0: {tid} X -> 100\n\
                 {}ms switch 0: 100 R+ -> {tid}\n{}ms switch 0: {tid} S -> 100\n",
                at + 1,
                at + 1 + ms,
                at + 2 + ms
            )
        };
        let head = "cpus 0\nwindow 0s 40s\n0ms thread 100 a on 0 running\n";
        check_drawn(&format!("{head}{}", (0..6).map(round).collect::<String>())).suspect()
    };
    assert_eq!(back_after(1_000), ["ran_after_death"]);
    assert_eq!(back_after(1_001), [""; 0]);
}

/// Threads that sleep and are given as preempted are woken where they already wait.
#[test]
fn wakeups_of_queued_threads_are_suspect_from_the_fifth_time_on() {
    let woken = |queued: usize| {
        let head = "cpus 0\nwindow 0s 20s\n0ms thread 100 a on 0 running\n0ms thread 101 b on 0 queued\n";
        check_drawn(&format!("{head}{}", rounds(queued, |_, at| format!("{}us wakeup 101 on 0", at + 1_000))))
    };
    assert_eq!(woken(4).check("woken_while_queued"), (4, 1_000_000));
    assert!(!woken(4).suspect().contains(&"woken_while_queued".to_owned()));
    assert!(woken(5).suspect().contains(&"woken_while_queued".to_owned()));
}

#[test]
fn threads_woken_that_never_run_are_suspect_from_the_fifth_on() {
    let woken = |threads: i32| {
        let wakeups: String = (0..threads).map(|n| format!("1ms wakeup {} on 0\n", 300 + n)).collect();
        check_drawn(&format!("cpus 0\nwindow 0s 3s\n0ms thread 100 a on 0 running\n{wakeups}"))
    };
    assert_eq!(woken(4).check("woken_never_ran"), (4, 1_000_000));
    assert_eq!(woken(4).suspect(), [""; 0]);
    assert_eq!(woken(5).suspect(), ["woken_never_ran"]);
    let wakeups: String = (0..30).map(|n| format!("1ms wakeup {} on 0\n", 300 + n)).collect();
    let crowded = check_drawn(&format!("cpus 0\nwindow 0s 3s\n0ms thread 100 a on 0 running\n{wakeups}"));
    assert_eq!(crowded.check("woken_never_ran"), (0, 0), "30 others need up to 3 s to go round");
}

#[test]
fn states_that_the_release_does_not_have_are_suspect_above_one_in_a_thousand() {
    let unknown = |switches: usize| {
        let head = "cpus 0\nwindow 0s 20s\n0ms thread 100 a on 0 running\n0ms thread 101 b on 0 queued\n";
        let last = format!("{}us switch 0: 100 ? -> 101", switches * 10_000 + 10_000);
        check_drawn(&format!("{head}{}{last}\n", alternating(0, switches, "R+")))
    };
    assert_eq!(unknown(1000).check("unknown_state"), (1, 999), "1 of 1001");
    assert_eq!(unknown(1000).suspect(), [""; 0]);
    assert_eq!(unknown(998).check("unknown_state"), (1, 1_001));
    assert_eq!(unknown(998).suspect(), ["unknown_state"]);
}

#[test]
fn silent_cpus_are_suspect_when_more_than_half_are_silent_or_threads_are_placed_there() {
    let silent = |cpus: &str, placed: i32| {
        let placements: String = (0..placed).map(|n| format!("1ms wakeup {} on 1\n", 300 + n)).collect();
        let head = "tick 4ms\nwindow 0s 1.5s\n0ms thread 100 a on 0 running\n0ms thread 101 b on 0 queued\n";
        check_drawn(&format!("cpus {cpus}\n{head}{placements}{}", alternating(0, 100, "R+")))
    };
    assert_eq!(silent("0-1", 0).check("silent_cpus"), (1, 500_000));
    assert_eq!(silent("0-1", 0).suspect(), [""; 0]);
    assert_eq!(silent("0-2", 0).suspect(), ["silent_cpus"]);
    assert_eq!(silent("0-1", 4).suspect(), [""; 0]);
    assert!(silent("0-1", 5).suspect().contains(&"silent_cpus".to_owned()));
    let offline = check_drawn(&format!(
        "cpus 0-2\ntick 4ms\nwindow 0s 1.5s\n0ms cpu 1 offline\n0ms offline 2\n0ms thread 100 a on 0 running\n\
         0ms thread 101 b on 0 queued\n{}",
        alternating(0, 100, "R+")
    ));
    assert_eq!((offline.check("silent_cpus"), offline.suspect()), ((0, 0), vec![]), "they are said to be offline");
}

#[test]
fn exits_from_idle_that_are_missing_are_suspect_from_the_fifth_and_one_percent_on() {
    let missing = |hidden: usize, whole: usize| {
        let head = "0ms thread 101 a on 0 running\n";
        let round = |n: usize, at: usize| {
            let exit = if n < hidden { String::new() } else { format!("{}us switch 0: 0 R -> 101\n", at + 2_100) };
            format!("{}us switch 0: 101 S -> 0\n{}us wakeup 101 on 0\n{exit}", at + 1_000, at + 2_000)
        };
        let last = format!("{}us switch 0: 101 S -> 0\n", (hidden + whole) * 10_000 + 1_000);
        check_drawn(&format!(
            "cpus 0-1\ntick 4ms\nwindow 0s 20s\n0ms thread 200 spin on 1 running\n{head}{}{last}",
            rounds(hidden + whole, round)
        ))
    };
    assert_eq!(missing(4, 0).check("idle_never_left").0, 4);
    assert_eq!(missing(4, 0).suspect(), [""; 0]);
    assert_eq!(missing(5, 0).suspect(), ["idle_never_left"]);
    assert_eq!(missing(5, 494).check("idle_never_left"), (5, 10_000));
    assert_eq!(missing(5, 494).suspect(), [""; 0], "one percent");
}

#[test]
fn contradictory_events_are_suspect_from_the_tenth_on() {
    let contradictory = |times: usize| {
        let head = "cpus 0\nwindow 0s 20s\n0ms thread 100 a on 0 running\n";
        check_drawn(&format!(
            "{head}{}",
            rounds(times, |n, at| format!("{}us switch 0: {} S -> 100", at + 1_000, 500 + n))
        ))
    };
    assert_eq!(contradictory(9).check("contradictory_events"), (9, 1_000_000));
    assert_eq!(contradictory(9).suspect(), [""; 0]);
    assert_eq!(contradictory(10).suspect(), ["contradictory_events"]);
}

#[test]
fn the_kernels_count_below_the_queue_is_suspect_from_the_fifth_and_five_percent_on() {
    let short = |times: usize| {
        let head = "cpus 0\nwindow 0s 2s\n0ms thread 100 a on 0 running\n0ms thread 101 b on 0 queued\n";
        let right = rounds(95, |n, at| {
            let (prev, next) = if n.is_multiple_of(2) { (100, 101) } else { (101, 100) };
            format!("{}us nr_running 0 = 2\n{}us switch 0: {prev} R+ -> {next}", at + 1_000, at + 1_001)
        });
        let wrong = rounds(times, |n, at| {
            let (prev, next) = if n % 2 == 1 { (100, 101) } else { (101, 100) };
            format!("{}us nr_running 0 = 1\n{}us switch 0: {prev} R+ -> {next}", at + 951_000, at + 951_001)
        });
        check_drawn(&format!("{head}{right}{wrong}"))
    };
    assert_eq!(short(5).check("nr_running_differs"), (5, 50_000));
    assert_eq!(short(5).suspect(), [""; 0]);
    assert_eq!(short(6).suspect(), ["nr_running_differs"]);
}

/// Two CPUs for a second, beside a loss on CPU 1 until 50 ms: it may have taken thread 101 from CPU 0, where no event says so.
fn beside_a_loss(loss: &str, events: &str) -> ResultTables {
    let head = "cpus 0-1\ntick 4ms\nwindow 0ms 1000ms\n0ms thread 200 spin on 1 running\n";
    let threads = "0ms thread 100 a on 0 running\n0ms thread 101 b on 0 queued\n0ms wakeup 100 on 0\n";
    check_drawn(&format!("{head}{threads}{loss}\n{events}"))
}

const LOSS: &str = "10ms lost 1 until 50ms";

#[test]
fn a_cpu_may_go_idle_beside_a_thread_that_another_took_while_its_events_were_lost() {
    let idles = "20ms switch 0: 100 S -> 0\n60ms switch 1: 101 S -> 200\n";
    assert_eq!(beside_a_loss("", idles).check("idle_picked_with_queue").0, 40 * MS);
    assert_eq!(beside_a_loss(LOSS, idles).check("idle_picked_with_queue"), (0, 0));
    let afterwards = "70ms switch 0: 100 S -> 0\n90ms switch 1: 101 S -> 200\n";
    assert_eq!(beside_a_loss(LOSS, afterwards).suspect(), [""; 0]);
    // Seen to be queued after the loss, it is.
    let queued = "55ms migrate 101 from 0 to 1\n56ms migrate 101 from 1 to 0\n";
    let seen = beside_a_loss(LOSS, &format!("{queued}{afterwards}"));
    assert_eq!((seen.check("idle_picked_with_queue").0, seen.suspect().len()), (20 * MS, 1));
}

#[test]
fn a_cpu_that_idles_beside_a_queue_does_so_up_to_a_loss_as_far_as_is_known() {
    let found = beside_a_loss("5ms switch 0: 100 S -> 0\n10ms lost 1 until 50ms", "90ms switch 1: 101 S -> 200\n");
    assert_eq!(found.check("idle_picked_with_queue").0, 5 * MS);
}

#[test]
fn what_a_loss_may_have_hidden_contradicts_nothing() {
    let woken = |loss: &str| beside_a_loss(loss, "60ms wakeup 101 on 0\n").check("woken_while_queued").0;
    assert_eq!((woken(""), woken(LOSS)), (1, 0), "it ran on CPU 1 and slept");
    let asleep = "5ms switch 0: 100 S -> 101\n";
    let ran = |loss: &str| {
        beside_a_loss(&format!("{asleep}{loss}"), "60ms switch 0: 101 S -> 100\n").check("ran_without_wakeup").0
    };
    assert_eq!((ran(""), ran(LOSS)), (1, 0), "CPU 1 woke it");
    let moved = |loss: &str| {
        let moves = "55ms migrate 101 from 1 to 0\n";
        let found = beside_a_loss(loss, moves);
        (found.check("contradictory_events").0, found.data_quality("contradiction", Some("migrate_mismatch")))
    };
    assert_eq!((moved(""), moved(LOSS)), ((1, 1), (0, 1)), "CPU 1 took it before");
    let counts = "60ms nr_running 0 = 1\n61ms switch 0: 100 R+ -> 102\n";
    let short = |loss: &str| beside_a_loss(loss, counts).data_quality("nr_running_short", None);
    assert_eq!((short(""), short(LOSS)), (1, 0));
}

/// Thread 100 runs for 10 of every 20 ms; the kernel accounts for it whenever it stops, `us` at a time.
fn accounted(us: usize, more: &str) -> ResultTables {
    let round = |n: usize| {
        let (from, to) = (n * 20, n * 20 + 10);
        format!(
            "{from}ms switch 0: 0 R -> 100\n{to}ms account 100 on 0 for {us}us\n{to}ms switch 0: 100 S -> 0\n\
             {}ms wakeup 100 on 0\n",
            to + 10
        )
    };
    let rounds: String = (0..11).map(round).collect();
    check_drawn(&format!(
        "cpus 0\nwindow 0s 1s\n0ms cpu 0 idle\n0ms wakeup 100 on 0\n{more}\n{rounds}220ms switch 0: 0 R -> 100\n"
    ))
}

#[test]
fn run_times_a_tenth_below_the_kernels_or_over_twice_as_long_are_suspect() {
    let check = |us: usize| (accounted(us, "").check("runtime_differs"), accounted(us, "").suspect().len());
    assert_eq!(check(10_000), ((0, 0), 0));
    assert_eq!(check(11_111), ((11_110_000, 99_991), 0), "the first account is of an unknown stretch");
    assert_eq!(check(11_112), ((11_120_000, 100_072), 1));
    assert_eq!(check(5_000), ((0, 0), 0), "interrupts, or other guests, may have taken half");
    assert_eq!(check(4_999), ((50_010_000, 1_000_400), 1));
    assert_eq!(accounted(20_000, "").suspect(), ["runtime_differs"]);
}

#[test]
fn accounts_of_time_in_which_events_were_lost_are_not_compared() {
    // The only account after the loss begins a stretch.
    assert_eq!(accounted(20_000, "0ms lost 0 until 195ms").check("runtime_differs"), (0, 0));
    assert_eq!(accounted(20_000, "0ms lost 0 until 155ms").check("runtime_differs").0, 20 * MS);
}

#[test]
fn an_input_that_the_readers_do_not_know_is_said_to_be_unverified() {
    let text = "cpus 0\nwindow 0s 1s\n0s cpu 0 idle\n";
    assert_eq!(check_drawn(text).suspect(), [""; 0]);
    let unverified = check_drawn(&format!("unverified LTTng 9.1 is later than 2.15\n{text}"));
    assert_eq!(unverified.check("unverified"), (1, 1_000_000));
    assert_eq!(unverified.suspect(), ["unverified"]);
}

#[test]
fn the_times_of_every_cpu_add_up_to_the_recording() {
    let drawn = check_drawn(
        "cpus 0-2\nwindow 0ms 100ms\n0ms cpu 0 idle\n0ms thread 200 spin on 1 running\n10ms wakeup 300 on 0\n\
         12ms switch 0: 300 S -> 0\n20ms lost 1 until 40ms\n50ms offline 1\n70ms online 1\n80ms switch 1: 0 R -> 200\n",
    );
    assert_eq!(drawn.data_quality("self_check", Some("time_sums")), 0);
    assert_eq!(drawn.check("time_sums"), (0, 0));
}

#[test]
fn a_cpu_may_idle_beside_threads_without_quota_and_where_core_scheduling_forbids_them() {
    let throttled = beside_a_busy_cpu(
        "0ms thread 101 worker on 0 running\n1ms throttle 101 on\n1ms switch 0: 101 R -> 0\n500ms throttle 101 off\n\
         501ms switch 0: 0 R -> 101\n",
    );
    assert_eq!(throttled.check("idle_picked_with_queue"), (0, 0));
    let siblings = check_drawn(
        "cpus 0-1\ncore 0,1\ntick 4ms\nwindow 0ms 1000ms\n0ms thread 200 spin on 1 running\n0ms cookie 200 7\n\
         0ms thread 101 worker on 0 running\n10ms switch 0: 101 R -> 0\n900ms switch 0: 0 R -> 101\n",
    );
    assert_eq!((siblings.check("idle_picked_with_queue"), siblings.suspect()), ((0, 0), vec![]));
}

#[test]
fn three_seconds_without_an_event_while_a_thread_is_queued_is_suspect_from_one_percent_of_the_recording_on() {
    let silent_ms = |silence: usize, length: usize| {
        check_drawn(&format!(
            "cpus 0-1\ntick 4ms\nwindow 0ms {length}ms\n0ms thread 101 a on 0 running\n0ms thread 102 b on 0 queued\n\
             10ms switch 0: 101 R -> 102\n{}ms switch 0: 102 R -> 101\n{}ms switch 0: 101 S -> 102\n",
            10 + silence,
            11 + silence
        ))
    };
    assert_eq!(silent_ms(3000, 4000).check("silence"), (0, 0));
    assert_eq!(silent_ms(3001, 4000).check("silence"), (3001 * MS, 750_250));
    assert_eq!(silent_ms(3001, 4000).all_suspect(), ["silence"]);
    assert_eq!(silent_ms(5101, 6000).all_suspect(), ["silence"], "no priority says that it is of the fair class");
}
