//! The wait ledger by hand: every reason with its exact time.

mod common;

use std::collections::BTreeMap;

use common::{ResultTables, US, check_drawn, waits_between};

/// Two CPUs. 100 of cgroup 1 runs on CPU 0; 101, of cgroup 1 too, waits there from 10 us on. CPU 1 runs 200 of cgroup 2.
const BUSY: &str = "
    cpus 0-1
    window 0us 100us
    0us thread 100 a on 0 running mask 0-1 cgroup 1
    0us thread 101 a on 0 asleep mask 0-1 cgroup 1
    0us thread 200 b on 1 running mask 0-1 cgroup 2
    10us wakeup 101 on 0
";

/// The ledger of a drawing, whose sum has to be that of all waits.
fn waits(drawing: &str) -> BTreeMap<String, i64> {
    let found = check_drawn(drawing);
    assert_adds_up(&found);
    found.waits()
}

fn assert_adds_up(found: &ResultTables) {
    let sum: i64 = found.waits().values().sum();
    assert_eq!(sum - found.remark("refuted_wait_ns"), found.waited());
    let avoidable: i64 = found.waits().iter().filter(|(row, _)| row.contains("avoidable")).map(|(_, ns)| ns).sum();
    assert_eq!(avoidable, found.sums().0);
}

#[track_caller]
fn assert_waits<const N: usize>(drawing: &str, rows: [(&str, i64); N]) {
    let expected: BTreeMap<String, i64> = rows.into_iter().map(|(row, us)| (row.to_owned(), us * US)).collect();
    assert_eq!(waits(drawing), expected);
}

#[test]
fn a_thread_behind_one_of_its_cgroup_waits_for_its_own() {
    assert_waits(BUSY, [("1 own_threads", 90)]);
}

#[test]
fn a_thread_behind_another_cgroup_waits_for_that_neighbour() {
    let switched = format!("{BUSY} 40us switch 1: 200 S -> 0\n 40us migrate 101 to 1\n 41us switch 1: 0 R -> 101\n");
    // From 40 us on 101 is about to run on CPU 1, which ran 200 and now runs swapper.
    assert_waits(&switched, [("1 own_threads", 30), ("1 wakeup_latency", 1)]);
    let moved = format!("{BUSY} 50us migrate 101 to 1\n");
    assert_waits(&moved, [("1 own_threads", 40), ("1 neighbour 2", 50)]);
}

#[test]
fn a_thread_beside_an_idle_cpu_that_it_may_use_waits_avoidably() {
    let idle = format!("{BUSY} 40us switch 1: 200 S -> 0\n 60us wakeup 200 on 1\n 65us switch 1: 0 R -> 200\n");
    assert_waits(&idle, [("1 own_threads", 30 + 40), ("1 avoidable", 20), ("2 wakeup_latency", 5)]);
}

#[test]
fn a_throttled_thread_waits_for_its_quota_whatever_runs() {
    let throttled = format!("{BUSY} 20us throttle 101 on\n 30us switch 1: 200 S -> 0\n 80us throttle 101 off\n");
    assert_waits(&throttled, [("1 own_threads", 10), ("1 own_quota", 60), ("1 avoidable", 20)]);
}

#[test]
fn a_thread_is_confined_by_the_excuse_that_leaves_it_no_idle_cpu() {
    let idle = |constraint: &str| format!("{BUSY} 10us {constraint}\n 40us switch 1: 200 S -> 0\n");
    for (constraint, excuse) in [
        ("affinity 101 0", "affinity"),
        ("affinity 101 0 cpuset 0", "cpuset"),
        ("migration 101 disabled", "migration_disabled"),
    ] {
        let confined = format!("1 confined {excuse}");
        assert_waits(&idle(constraint), [("1 own_threads", 30), (&confined, 60)]);
    }
    let isolated = format!("isolated 1\n{}", idle("affinity 101 0-1"));
    assert_waits(&isolated, [("1 own_threads", 30), ("1 confined isolated", 60)]);
}

#[test]
fn as_many_are_confined_as_idle_cpus_are_left_and_those_that_wait_longest() {
    let drawing = "
        cpus 0-2
        window 0us 100us
        0us thread 100 a on 0 running mask 0 cgroup 1
        0us thread 101 a on 0 asleep mask 0 cgroup 2
        0us thread 102 a on 0 asleep mask 0 cgroup 3
        0us thread 103 a on 0 asleep mask 0-2 cgroup 4
        0us thread 200 b on 2 running mask 0-2 cgroup 1
        0us cpu 1 idle
        10us wakeup 102 on 0
        20us wakeup 101 on 0
        30us wakeup 103 on 0
        60us switch 2: 200 S -> 0
    ";
    // 102 waits longest and is confined, until 103 takes the one idle CPU in the matching; from 60 us on there are two.
    let rows = [("3 confined affinity", 20 + 40), ("3 neighbour 1", 30), ("2 neighbour 1", 80), ("4 avoidable", 70)];
    assert_waits(drawing, rows);
    let found = check_drawn(drawing);
    let confined: i64 = found.waits().iter().filter(|(row, _)| row.contains("confined")).map(|(_, ns)| ns).sum();
    assert_eq!(confined, found.ledger().values().sum::<i64>(), "what the excuse ledger holds");
}

#[test]
fn interrupt_work_comes_before_the_thread_that_it_interrupts() {
    assert_waits(&format!("{BUSY} 30us irq 0 for 25us\n"), [("1 own_threads", 65), ("1 interrupts", 25)]);
    assert_waits(&format!("{BUSY} 30us irq 0 for 20us\n"), [("1 own_threads", 90)]);
}

#[test]
fn real_time_and_kernel_threads_come_before_own_and_neighbouring_ones() {
    let behind = |thread: &str, prio: &str| {
        format!(
            "{BUSY} 0us thread 300 c on 0 asleep mask 0-1 {thread}\n 20us wakeup 300 on 0
             20us switch 0: 100 S -> 300 prio {prio}\n"
        )
    };
    let (own, other, kernel) = ("cgroup 1", "cgroup 3", "kernel cgroup 3");
    assert_waits(&behind(other, "49"), [("1 own_threads", 10), ("1 rt_dl 3", 80)]);
    assert_waits(&behind(own, "49"), [("1 own_threads", 90)]);
    assert_waits(&behind(kernel, "120"), [("1 own_threads", 10), ("1 kernel_threads", 80)]);
    assert_waits(&behind(kernel, "-1"), [("1 own_threads", 10), ("1 rt_dl 3", 80)]);
    assert_waits(&behind("", "120"), [("1 own_threads", 10), ("1 unknown_cgroup", 80)]);
    assert_waits(&behind("", "49"), [("1 own_threads", 10), ("1 rt_dl", 80)]);
}

#[test]
fn without_cgroups_only_reasons_that_need_them_are_missing() {
    let drawing = BUSY.replace(" cgroup 1", "").replace(" cgroup 2", "");
    assert_waits(&drawing, [("- unknown_cgroup", 90)]);
    assert_waits(&format!("{drawing} 40us switch 1: 200 S -> 0\n"), [("- unknown_cgroup", 30), ("- avoidable", 60)]);
}

#[test]
fn what_runs_on_an_unobserved_cpu_is_unknown() {
    let drawing = "
        cpus 0-1
        window 0us 100us
        0us thread 101 a on 0 asleep mask 0-1 cgroup 1
        10us wakeup 101 on 0
    ";
    assert_waits(drawing, [("1 unknown", 90)]);
}

#[test]
fn a_move_to_another_cgroup_splits_the_wait_where_it_happens() {
    assert_waits(&format!("{BUSY} 60us cgroup 101 2\n"), [("1 own_threads", 50), ("2 neighbour 1", 40)]);
    assert_waits(&format!("{BUSY} 60us cgroup 100 2\n"), [("1 own_threads", 50), ("1 neighbour 2", 40)]);
}

#[test]
fn a_preempted_thread_waits_for_the_one_that_runs_instead() {
    let drawing = format!("{BUSY} 20us switch 0: 100 R -> 101\n 50us switch 0: 101 S -> 100\n");
    assert_waits(&drawing, [("1 own_threads", 10 + 30)]);
}

#[test]
fn an_exit_from_idle_that_was_not_reported_takes_back_what_did_not_wait() {
    let drawing = "
        cpus 0-0
        window 0us 100us
        0us cpu 0 idle
        0us thread 101 a on 0 asleep mask 0 cgroup 1
        0us thread 102 a on 0 asleep mask 0 cgroup 2
        10us wakeup 101 on 0
        20us wakeup 102 on 0
        50us switch 0: 101 S -> 102
    ";
    // 101 has run from 10 us on; 102 keeps what it was counted with.
    assert_waits(drawing, [("2 wakeup_latency", 30)]);
    assert_eq!(check_drawn(drawing).remark("refuted_wait_ns"), 0);
}

#[track_caller]
fn assert_between<const N: usize>(window: (i64, i64), of: (&[i16], &[u32]), drawing: &str, rows: [(&str, i64); N]) {
    let expected: BTreeMap<String, i64> = rows.into_iter().map(|(row, us)| (row.to_owned(), us * US)).collect();
    assert_eq!(waits_between((window.0 * US, window.1 * US), drawing, of.0, of.1), expected, "{window:?} {of:?}");
}

#[test]
fn a_window_counts_the_waits_within_it_on_some_cpus_or_of_some_threads() {
    let idle = format!("{BUSY} 40us switch 1: 200 S -> 0\n 60us wakeup 200 on 1\n 65us switch 1: 0 R -> 200\n");
    let utid = |tid: i32| check_drawn(&idle).threads(tid, |t| t.utid as u32)[0];
    let all: (&[i16], &[u32]) = (&[], &[]);
    assert_between((20, 70), all, &idle, [("1 own_threads", 20 + 10), ("1 avoidable", 20), ("2 wakeup_latency", 5)]);
    assert_between((45, 50), all, &idle, [("1 avoidable", 5)]);
    assert_between((62, 63), all, &idle, [("1 own_threads", 1), ("2 wakeup_latency", 1)]);
    assert_between((0, 10), all, &idle, []);
    assert_between((90, 300), all, &idle, [("1 own_threads", 10)]);
    assert_between((200, 300), all, &idle, []);
    assert_between((20, 70), (&[0], &[]), &idle, [("1 own_threads", 30), ("1 avoidable", 20)]);
    assert_between((20, 70), (&[1], &[]), &idle, [("2 wakeup_latency", 5)]);
    assert_between((20, 70), (&[7], &[]), &idle, []);
    assert_between((20, 70), (&[], &[utid(200)]), &idle, [("2 wakeup_latency", 5)]);
    assert_between((20, 70), (&[1], &[utid(101)]), &idle, []);
}

#[test]
fn of_some_threads_as_many_are_confined_as_among_all() {
    let drawing = "
        cpus 0-1
        window 0us 100us
        0us thread 100 a on 0 running mask 0 cgroup 1
        0us thread 101 a on 0 asleep mask 0 cgroup 2
        0us thread 102 a on 0 asleep mask 0 cgroup 3
        0us cpu 1 idle
        10us wakeup 102 on 0
        20us wakeup 101 on 0
    ";
    let utid = |tid: i32| check_drawn(drawing).threads(tid, |t| t.utid as u32)[0];
    // One CPU is left idle, which confines the one that waits longest.
    assert_between((50, 60), (&[], &[utid(101)]), drawing, [("2 neighbour 1", 10)]);
    assert_between((50, 60), (&[], &[utid(102)]), drawing, [("3 confined affinity", 10)]);
    assert_between(
        (50, 60),
        (&[], &[utid(101), utid(102)]),
        drawing,
        [("2 neighbour 1", 10), ("3 confined affinity", 10)],
    );
}

#[test]
fn what_an_event_after_the_window_shows_not_to_have_been_a_wait_stays_in_it() {
    // The exit from idle of CPU 0 is not reported: by its next switch 101 ran from its wakeup on.
    let late = "
        cpus 0-1
        window 0us 100us
        0us thread 101 a on 0 asleep mask 0 cgroup 1
        0us cpu 0 idle
        0us cpu 1 idle
        10us wakeup 101 on 0
        60us switch 0: 101 S -> 0
    ";
    let whole = check_drawn(late);
    let counted: i64 = waits_between((20 * US, 30 * US), late, &[], &[]).values().sum();
    assert_eq!((whole.waited(), counted), (0, 10 * US));
    let all: i64 = waits_between((0, 100 * US), late, &[], &[]).values().sum();
    assert_eq!(all, whole.waits().values().sum::<i64>(), "as in the ledger of the whole trace");
}
