//! Threads of the real-time and deadline classes, with which the load balancer does not concern itself.

use crate::why;

/// 110, of that priority, wakes on CPU 0 beside CPU 1, which idles from 2 ms on; `ran` happens before.
fn waits(prio: i16, ran: &str, more: &str) -> String {
    format!(
        "kernel 6.12\ncpus 0-1\nllc 0-1\nwindow 0us 200ms\ndomain MC 0-1\n0us cpu 0 runs 100\n0us cpu 1 runs 101\n\
         0us thread 110 w on 0 asleep mask 0-1 prio {prio}\n{ran}\n1ms wakeup 110 on 0\n2ms switch 1: 101 S -> 0\n{more}\n"
    )
}

const LOWER: &str = "0.2ms wakeup 102 on 0\n0.5ms switch 0: 100 S -> 102 prio 120";
const REALTIME: &str = "0.2ms wakeup 102 on 0\n0.5ms switch 0: 100 S -> 102 prio 9";

#[test]
fn a_real_time_thread_waits_behind_a_lower_class_or_behind_its_own() {
    for prio in [-1, 49] {
        let said = |ran| why(&waits(prio, ran, "")).not_moved_because(110);
        assert_eq!(said(LOWER), "real-time: behind a lower class, proved");
        assert_eq!(said(REALTIME), "real-time: not pushed or pulled, consistent");
    }
}

#[test]
fn what_a_cpu_runs_is_known_by_a_switch_or_a_snapshot_with_its_priority() {
    let said = |of_100: &str, ran: &str, more: &str| {
        let text = waits(49, ran, more).replacen("0us cpu 0 runs 100\n", &format!("0us cpu 0 runs 100\n{of_100}"), 1);
        why(&text).not_moved_because(110)
    };
    assert_eq!(said("", "", ""), "unknown, unknown");
    assert_eq!(
        said("0us thread 100 r on 0 asleep mask 0 prio 120\n", "", ""),
        "real-time: behind a lower class, proved"
    );
    assert_eq!(
        said("0us thread 100 r on 0 asleep mask 0 prio 9\n", "", ""),
        "real-time: not pushed or pulled, consistent"
    );
    let unknown_from = |at: &str| format!("{at} wakeup 104 on 0\n{at} switch 0: 102 S -> 104");
    assert_eq!(said("", LOWER, &unknown_from("150ms")), "real-time: behind a lower class, proved");
    assert_eq!(said("", LOWER, &unknown_from("50ms")), "unknown, unknown");
}

#[test]
fn what_ran_for_most_of_the_wait_counts() {
    let then_lower = |at: &str| {
        let more = format!("3ms wakeup 103 on 0\n{at} switch 0: 102 S -> 103 prio 120");
        why(&waits(49, REALTIME, &more)).not_moved_because(110)
    };
    assert_eq!(then_lower("20ms"), "real-time: behind a lower class, proved");
    assert_eq!(then_lower("180ms"), "real-time: not pushed or pulled, consistent");
}

#[test]
fn attempts_of_the_load_balancer_explain_no_wait_of_it() {
    let attempt = "50ms attempt 1 over 0 idle pulled 0\n50ms searched none";
    let said = |prio, ran| why(&waits(prio, ran, attempt)).not_moved_because(110);
    assert_eq!(said(49, LOWER), "real-time: behind a lower class, proved");
    assert_eq!(said(49, REALTIME), "real-time: not pushed or pulled, consistent");
    assert!(said(120, LOWER).starts_with("periodic ran and found balance"), "{}", said(120, LOWER));
}

#[test]
fn its_wakeup_is_not_explained_by_the_search_of_the_fair_class() {
    let idle_before = |prio| {
        let text = waits(prio, &format!("{LOWER}\n0.7ms switch 1: 101 S -> 0"), "");
        why(&text.replace("2ms switch 1: 101 S -> 0\n", "")).placed_by(110)
    };
    assert_eq!(idle_before(49), "wakeup, consistent");
    assert_ne!(idle_before(120), "wakeup, consistent");
    let none_idle = |prio| why(&waits(prio, LOWER, "")).placed_by(110);
    assert_eq!(none_idle(49), "wakeup, consistent");
    assert_eq!(none_idle(120), "wakeup: prev cpu kept, consistent");
}

#[test]
fn a_fair_thread_in_the_same_place_has_the_answers_of_the_load_balancer() {
    let said = why(&waits(120, LOWER, "")).not_moved_because(110);
    assert!(!said.starts_with("real-time"), "{said}");
}

#[test]
fn each_wait_is_explained_by_what_ran_while_it_lasted() {
    // A fair thread waits on CPU 0 all the time, and a real-time one twice for 18 ms.
    let fair = "0us thread 105 f on 0 asleep mask 0-1 prio 120\n0.3ms wakeup 105 on 0";
    let wait = |from: u32| format!("{from}ms wakeup 110 on 0\n{}ms switch 0: 103 S -> 110 prio 49\n", from + 18);
    let said = |first: i16, then: i16| {
        let ran = format!("{fair}\n0.4ms wakeup 102 on 0\n0.5ms switch 0: 100 S -> 102 prio {first}");
        let text =
            waits(49, &ran, &format!("100ms wakeup 103 on 0\n100ms switch 0: 102 S -> 103 prio {then}\n{}", wait(102)));
        let text = text.replace("1ms wakeup 110 on 0\n", "").replace("cpus 0-1\nllc 0-1", "cpus 0-2\nllc 0-2");
        let text = text.replace("domain MC 0-1\n", "0us cpu 2 idle\n").replace("mask 0-1", "mask 0-2");
        why(&text).not_moved_because(110)
    };
    assert_eq!(said(120, 9), "real-time: not pushed or pulled, consistent");
    assert_eq!(said(9, 120), "real-time: behind a lower class, proved");
}

#[test]
fn a_cpu_that_ran_the_stopper_or_was_not_seen_ran_no_lower_class() {
    let stopper = "0us thread 90 migration/0 on 0 asleep mask 0 kernel percpu prio 0\n0.5ms wakeup 90 on 0\n0.5ms switch 0: 100 S -> 90 prio 0";
    assert_eq!(why(&waits(49, stopper, "")).not_moved_because(110), "unknown, unknown");
    let lost = waits(49, LOWER, "3ms lost 0 until 100ms\n101ms wakeup 110 on 0");
    assert!(!why(&lost).not_moved_because(110).contains("proved"), "{}", why(&lost).not_moved_because(110));
}

#[test]
fn a_thread_displaced_by_a_real_time_one_was_not_crowded_by_a_search() {
    let said = |prio: i16| {
        let text = format!(
            "kernel 6.12\ncpus 0-1\nllc 0-1\nwindow 0us 200ms\n0us cpu 0 runs 100\n0us cpu 1 runs 101\n\
             0us thread 110 w on 0 asleep mask 0-1 prio {prio}\n0.7ms switch 1: 101 S -> 0\n1ms wakeup 110 on 0\n\
             1.1ms switch 0: 100 R -> 110 prio {prio}\n"
        );
        why(&text).placed_by(100)
    };
    assert!(said(120).starts_with("wakeup: "), "{}", said(120));
    assert!(!said(49).starts_with("wakeup: "), "{}", said(49));
}
