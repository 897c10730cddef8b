//! The traps other projects fell into (docs/semantics.md, section "Traps"): each a tiny trace with exact intervals.

mod common;
use common::{MS, US, check_drawn, strict};

/// CPU 1 idle from 0; two threads on CPU 0, of which 101 waits. The base of most traps.
const TWO: &str = "
    cpus 0-1
    window 0us 1000us
    0us cpu 0 runs 100
    0us cpu 1 idle
    0us thread 100 busy on 0 running mask 0-1
    0us thread 101 other on 0 queued mask 0-1
";

fn after_two(more: &str) -> String {
    format!("{TWO}\n{more}")
}

#[test]
fn a_wakings_cpu_is_where_the_thread_was_not_where_it_goes() {
    let f = check_drawn(
        "cpus 0-2
         window 0us 100us
         0us cpu 0 runs 100
         0us cpu 1 runs 101
         0us cpu 2 idle
         0us thread 102 sleeper on 0 asleep mask 0-2
         10us waking 102 last 0
         20us wakeup 102 on 1
         60us switch 1: 101 S -> 102",
    );
    assert_eq!(f.wasted(), [(20 * US, 60 * US, 1, 1, 1)]);
    assert_eq!(f.states(102)[1], (20 * US, 60 * US, "runnable", Some(1)));
}

#[test]
fn swapper_is_never_a_thread() {
    let f = check_drawn(
        "cpus 0-1
         window 0us 100us
         0us cpu 0 idle
         0us cpu 1 idle
         10us switch 0: 0 R -> 100
         30us switch 0: 100 S -> 0
         40us wakeup 0 on 1",
    );
    assert_eq!(f.wasted(), []);
    assert_eq!(f.slices(0), [(0, 10 * US, Some(0)), (10 * US, 30 * US, Some(100)), (30 * US, 100 * US, Some(0))]);
    assert_eq!(f.states(0), [], "swapper has no states");
    assert_eq!(f.data_quality("rejected", Some("wakeup_of_swapper")), 1);
}

#[test]
fn the_kernels_count_of_a_queue_does_not_decide() {
    // Delayed dequeue: nr_running says 2 on CPU 0 though no thread waits there.
    let f = check_drawn(
        "cpus 0-1
         window 0us 100us
         0us cpu 0 runs 100
         0us cpu 1 idle
         10us nr_running 0 = 2
         50us switch 0: 100 S -> 102",
    );
    assert_eq!(f.wasted(), []);
    assert_eq!((f.data_quality("nr_running_compared", None), f.data_quality("nr_running_ghost", None)), (1, 1));
}

#[test]
fn a_silent_cpu_is_unobserved_never_idle() {
    let f = check_drawn(
        "cpus 0-2
         window 0us 100us
         10us switch 0: 100 R -> 101
         60us switch 1: 0 R -> 102",
    );
    // Thread 100 waits from 10 us; CPU 1 first shows that it was idle when it stops to be; CPU 2 never says a word.
    assert_eq!(f.wasted(), []);
    assert_eq!(f.slices(2), [(0, 100 * US, None)]);
    assert_eq!(f.data_quality("unobserved_ns", None), (10 + 60 + 100) * US);
}

#[test]
fn a_thread_without_quota_does_not_contend() {
    let f = check_drawn(&after_two("200us throttle 101 on\n 700us throttle 101 off"));
    assert_eq!(f.wasted(), [(0, 200 * US, 1, 1, 1), (200 * US, 700 * US, 0, 0, 1), (700 * US, 1000 * US, 1, 1, 1)]);
    assert_eq!(f.ledger().into_iter().collect::<Vec<_>>(), [("throttled", 500 * US)]);
}

#[test]
fn a_cpu_whose_only_threads_are_throttled_is_idle_and_they_wait_excused() {
    let f = check_drawn(
        "cpus 0
         window 0us 300us
         0us cpu 0 runs 100
         0us thread 100 t on 0 running mask 0
         100us throttle 100 on
         100us switch 0: 100 R -> 0
         200us throttle 100 off
         200us switch 0: 0 R -> 100",
    );
    assert_eq!(f.wasted(), [(100 * US, 200 * US, 0, 0, 1)]);
    assert_eq!(f.states(100)[1], (100 * US, 200 * US, "throttled", Some(0)));
    assert_eq!(f.late_wakes(), 0);
}

#[test]
fn migration_disabled_is_not_pinned() {
    let f =
        check_drawn(&after_two("300us migration 101 disabled\n 400us migration 101 enabled\n 600us affinity 101 0"));
    let ledger: Vec<_> = f.ledger().into_iter().collect();
    assert_eq!(ledger, [("affinity", 400 * US), ("migration_disabled", 100 * US)]);
    assert_eq!(f.sums(), (500 * US, 500 * US, 1000 * US));
}

/// Proxy execution: thread 101 waits for a mutex, the kernel queues it on CPU 0 beside the owner without an event, and takes it back.
#[test]
fn a_donor_comes_from_where_it_ran_not_from_where_the_owner_of_its_mutex_is() {
    let woken = |kernel: &str, state: &str, dest: i16| {
        let f = check_drawn(&format!(
            "cpus 0-2
             kernel {kernel}
             window 0us 400us
             0us cpu 0 runs 100
             0us cpu 1 runs 101
             0us cpu 2 idle
             0us thread 100 owner on 0 running mask 0-2
             0us thread 101 donor on 1 running mask 0-2
             100us switch 1: 101 {state} -> 0
             200us migrate 101 from 0 to {dest}
             200us wakeup 101 on {dest}
             210us switch {dest}: 0 R -> 101"
        ));
        let moves: Vec<_> = f.moves().into_iter().map(|(tid, from, to, _)| (tid, from, to)).collect();
        (moves, f.data_quality("migrate_mismatch", None), f.data_quality("donor_moves", None), f.sums().0)
    };
    assert_eq!(woken("7.3.4", "D", 2), (vec![(101, 1, 2)], 0, 1, 0));
    assert_eq!(woken("7.3.4", "D", 1), (vec![], 0, 1, 0), "back to the CPU on which it ran");
    assert_eq!(woken("7.3.4", "S", 2), (vec![(101, 0, 2)], 1, 0, 0), "a mutex is waited for in state D");
    assert_eq!(woken("6.12.1", "D", 2), (vec![(101, 0, 2)], 1, 0, 0), "donors stay on their CPU");
}

#[test]
fn a_migrate_event_without_origin_does_not_come_from_cpu_0() {
    let f = check_drawn(
        "cpus 0-2
         window 0us 100us
         0us cpu 1 runs 100
         0us thread 100 a on 1 running mask 0-2
         0us thread 101 b on 1 queued mask 0-2
         40us migrate 101 to 2",
    );
    assert_eq!(f.moves(), [(101, 1, 2, false)]);
    assert_eq!(f.data_quality("migrate_mismatch", None), 0);
}

#[test]
fn lost_events_end_what_is_known_of_a_cpu() {
    let f =
        check_drawn(&after_two("300us lost 1 until 500us\n 800us switch 1: 0 R -> 102\n 900us switch 1: 102 S -> 0"));
    // CPU 1 counts as idle up to the loss, and again once a switch after it shows swapper.
    assert_eq!(f.wasted(), [(0, 300 * US, 1, 1, 1), (900 * US, 1000 * US, 1, 1, 1)]);
    assert_eq!(f.slices(1)[1], (300 * US, 800 * US, None));
    assert_eq!(f.data_quality("lost", None), 0, "the count is not known, the range is");
}

#[test]
fn switches_inside_a_loss_are_not_believed() {
    let f =
        check_drawn(&after_two("300us lost 1 until 500us\n 400us switch 1: 103 S -> 0\n 600us switch 1: 104 S -> 0"));
    assert_eq!(f.wasted(), [(0, 300 * US, 1, 1, 1), (600 * US, 1000 * US, 1, 1, 1)]);
}

#[test]
fn a_clock_that_goes_back_is_counted_and_time_does_not_advance() {
    let f = check_drawn(&after_two("300us switch 1: 0 R -> 101\n 250us switch 1: 101 S -> 0"));
    assert_eq!(f.data_quality("clock_steps", None), 1);
    assert_eq!(f.wasted(), [(0, 300 * US, 1, 1, 1)]);
    assert_eq!(f.slices(1), [(0, 300 * US, Some(0)), (300 * US, 1000 * US, Some(0))]);
}

#[test]
fn equal_stamps_are_applied_in_their_order_and_leave_no_trace_of_the_middle() {
    let f = check_drawn(&after_two("500us migrate 101 from 0 to 1\n 500us switch 1: 0 R -> 101"));
    assert_eq!(f.wasted(), [(0, 500 * US, 1, 1, 1)]);
    assert_eq!(f.states(101), [(0, 500 * US, "runnable", Some(0)), (500 * US, 1000 * US, "running", Some(1))]);
}

#[test]
fn a_tid_used_again_is_another_thread() {
    let f = check_drawn(
        "cpus 0
         window 0us 100us
         0us cpu 0 runs 100
         10us fork 100 -> 200
         10us wakeup_new 200 on 0
         20us switch 0: 100 S -> 200
         30us exit 200
         40us switch 0: 200 X -> 0
         50us fork 100 -> 200
         50us wakeup_new 200 on 0
         60us switch 0: 0 R -> 200",
    );
    assert_eq!(f.threads(200, |t| (t.start_ns, t.end_ns)), [(Some(10 * US), Some(40 * US)), (Some(50 * US), None)]);
    assert_eq!(f.threads(200, |t| t.run_ns), [20 * US, 40 * US]);
}

#[test]
fn an_exec_by_another_thread_than_the_leader_renames_it() {
    let f = check_drawn(
        "cpus 0
         window 0us 100us
         0us cpu 0 runs 201
         10us exec 200 was 201
         50us switch 0: 200 S -> 0",
    );
    assert_eq!(f.threads(200, |t| t.run_ns), [50 * US]);
    assert_eq!(f.threads(201, |_| ()), [], "no thread holds the old tid");
}

#[test]
fn long_names_with_spaces_dashes_and_digits_stay_whole() {
    let name = "a very-long name, 17-and-more <...> -1 [003]";
    let f = check_drawn(&after_two(&format!("10us name 101 {name}")));
    assert_eq!(f.threads(101, |t| t.name.map(str::to_owned)), [Some(name.to_owned())]);
}

#[test]
fn an_outlier_timestamp_does_not_stretch_the_time_axis() {
    let f =
        check_drawn(&after_two("400us switch 1: 0 R -> 102\n 9000s switch 1: 102 S -> 0\n 600us switch 1: 102 S -> 0"));
    assert_eq!(f.data_quality("rejected", Some("outside_window")), 1);
    assert_eq!(f.wasted(), [(0, 400 * US, 1, 1, 1), (600 * US, 1000 * US, 1, 1, 1)]);
}

#[test]
fn preempted_threads_go_on_waiting() {
    for state in ["R", "R+"] {
        let f = check_drawn(&after_two(&format!("400us switch 0: 100 {state} -> 101\n 500us switch 0: 101 S -> 100")));
        assert_eq!(f.wasted(), [(0, 500 * US, 1, 1, 1)]);
        assert_eq!(f.states(100)[1], (400 * US, 500 * US, "preempted", Some(0)));
    }
}

#[test]
fn an_offlined_cpu_is_not_idle() {
    let f = check_drawn(&after_two(
        "100us switch 1: 0 R -> 18
         110us offline 1
         700us online 1
         800us switch 1: 0 R -> 19
         900us switch 1: 19 S -> 0",
    ));
    // Online again it is unobserved until its first switch, which names swapper: idle only from the next switch on.
    assert_eq!(f.wasted(), [(0, 100 * US, 1, 1, 1), (900 * US, 1000 * US, 1, 1, 1)]);
    assert_eq!(f.slices(1)[2], (110 * US, 700 * US, None));
}

#[test]
fn a_cpu_that_still_switches_on_its_way_down_is_not_idle() {
    let f = check_drawn(&after_two(
        "100us offline 1\n 150us switch 1: 18 S -> 0\n 300us online 1\n 400us switch 1: 17 S -> 0",
    ));
    assert_eq!(f.wasted(), [(0, 100 * US, 1, 1, 1), (400 * US, 1000 * US, 1, 1, 1)]);
    assert_eq!(f.slices(1)[1..3], [(100 * US, 150 * US, None), (150 * US, 300 * US, None)]);
}

#[test]
fn an_offlined_cpu_without_a_hotplug_event_is_not_idle_either() {
    // The last switch goes into migration/1, then silence; the next event there names swapper.
    let f =
        check_drawn(&after_two("100us switch 1: 0 R -> 18\n 800us switch 1: 0 R -> 19\n 900us switch 1: 19 S -> 0"));
    assert_eq!(f.wasted(), [(0, 100 * US, 1, 1, 1), (900 * US, 1000 * US, 1, 1, 1)]);
    assert_eq!(f.slices(1)[1], (100 * US, 800 * US, None), "what ran in the silence is not known");
    assert_eq!(f.data_quality("contradiction", Some("prev_not_current")), 1);
}

#[test]
fn two_running_threads_on_one_cpu_after_losses_become_one() {
    let f = check_drawn(&after_two("300us switch 0: 105 R -> 106\n 600us switch 0: 106 S -> 105"));
    // 100 was not switched out: nothing is known of it from its last event on, and it waits nowhere.
    assert_eq!(f.slices(0), [(0, 300 * US, None), (300 * US, 600 * US, Some(106)), (600 * US, 1000 * US, Some(105))]);
    assert_eq!(f.states(100), []);
    assert_eq!(f.data_quality("contradiction", Some("prev_not_current")), 1);
}

#[test]
fn a_thread_seen_on_a_second_cpu_leaves_the_first() {
    let f = check_drawn(&after_two("300us switch 1: 0 R -> 100"));
    assert_eq!(f.data_quality("contradiction", Some("on_two_cpus")), 1);
    assert_eq!(f.slices(0), [(0, 300 * US, None), (300 * US, 1000 * US, None)]);
    assert_eq!(f.slices(1)[1], (300 * US, 1000 * US, Some(100)));
}

#[test]
fn the_running_thread_is_not_movable() {
    let f = check_drawn(
        "cpus 0-1
         window 0us 100us
         0us cpu 0 runs 100
         0us cpu 1 idle
         0us thread 100 alone on 0 running mask 0-1",
    );
    assert_eq!(f.wasted(), []);
}

#[test]
fn eight_threads_pinned_to_one_of_eight_cpus_waste_nothing() {
    let mut text = String::from("cpus 0-7\n window 0ms 2000ms\n 0ms cpu 0 runs 100\n");
    (1..8).for_each(|c| text += &format!("0ms cpu {c} idle\n"));
    text += "0ms thread 100 hog on 0 running mask 0\n";
    (101..108).for_each(|t| text += &format!("0ms thread {t} hog on 0 queued mask 0\n"));
    let f = check_drawn(&text);
    assert_eq!(f.wasted(), [(0, 2000 * MS, 0, 0, 7)]);
    assert_eq!(f.ledger().into_iter().collect::<Vec<_>>(), [("affinity", 7 * 2000 * MS)]);
    assert_eq!(f.episodes(), []);
}

#[test]
fn a_snapshot_in_the_middle_describes_a_thread_and_moves_none() {
    let snapshot = |state: &str| {
        after_two(&format!(
            "200us throttle 101 on\n 300us cookie 100 7\n 400us thread 101 new-name on 1 {state} mask 0"
        ))
    };
    let f = check_drawn(&snapshot("unknown"));
    assert_eq!(f.threads(101, |t| t.name.map(str::to_owned)), [Some("new-name".to_owned())]);
    let states = [(0, 200 * US, "runnable", Some(0)), (200 * US, 1000 * US, "throttled", Some(0))];
    assert_eq!(f.states(101), states, "a source that does not know where it is queued does not know that it has quota");
    assert_eq!(f.ledger().into_iter().collect::<Vec<_>>(), [("affinity", 600 * US), ("throttled", 200 * US)]);
    let g = check_drawn(&snapshot("running"));
    assert_eq!(g.states(101)[2], (400 * US, 1000 * US, "runnable", Some(0)), "one that knows says that it has quota");
}

#[test]
fn strict_mode_names_the_first_contradiction() {
    let error = strict(&after_two("300us switch 0: 105 R -> 106")).err().expect("a contradiction").to_string();
    assert!(error.contains("prev_not_current") && error.contains("300000 ns"), "{error}");
}
