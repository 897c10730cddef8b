//! Traces on which the checker was once wrong, each as short as it can be drawn. The properties found them.

mod common;
use common::{MS, US, check_drawn};

/// CPU 0 runs 100, CPU 1 is idle, CPU 2 runs 102; 101 sleeps.
const THREE: &str = "
    cpus 0-2
    window 0us 1000us
    0us cpu 0 runs 100
    0us cpu 1 idle
    0us cpu 2 runs 102
    0us thread 101 sleeper on 2 asleep mask 0-2
";

fn after_three(more: &str) -> common::ResultTables {
    check_drawn(&format!("{THREE}\n{more}"))
}

#[test]
fn no_thread_is_known_to_wait_where_events_are_lost() {
    // 101 is placed on CPU 2 while its switches are lost: it may have run there long since.
    let f = after_three("100us lost 2 until 500us\n 200us wakeup 101 on 2\n 600us switch 2: 102 R -> 103");
    assert_eq!(f.wasted().first().map(|w| w.0), Some(600 * US), "only 102, preempted after the loss, waits");
}

#[test]
fn a_thread_preempted_inside_a_loss_is_not_known_to_wait() {
    let f = after_three("100us lost 2 until 500us\n 200us switch 2: 102 R -> 103");
    assert_eq!(f.wasted(), []);
}

#[test]
fn a_shorter_loss_inside_a_longer_one_does_not_end_it() {
    let f = after_three("100us lost 2 until 500us\n 150us lost 2 until 200us\n 300us switch 2: 102 R -> 103");
    assert_eq!(f.wasted(), []);
    assert_eq!(f.slices(2).last(), Some(&(300 * US, 1000 * US, None)));
}

#[test]
fn a_switch_to_itself_inside_a_loss_does_not_end_it() {
    let f = after_three("100us lost 2 until 500us\n 300us switch 2: 102 R -> 102");
    assert_eq!(f.slices(2).last(), Some(&(300 * US, 1000 * US, None)));
}

#[test]
fn what_a_thread_did_before_a_loss_is_in_its_states_too() {
    let f = after_three("400us lost 2 until 500us");
    assert_eq!(f.slices(2)[0], (0, 400 * US, Some(102)));
    assert_eq!(f.states(102), [(0, 400 * US, "running", Some(2))]);
    assert_eq!(f.threads(102, |t| t.run_ns), [400 * US]);
}

#[test]
fn throttled_threads_of_an_offline_cpu_wait_no_longer() {
    let f = after_three("0us wakeup 101 on 2\n 0us throttle 101 on\n 0us switch 2: 102 S -> 0\n 300us offline 2");
    assert_eq!(f.wasted().last().map(|w| w.1), Some(300 * US));
}

#[test]
fn no_thread_is_known_to_wait_on_an_offline_cpu() {
    let f = after_three("0us switch 2: 102 S -> 0\n 100us offline 2\n 200us wakeup 101 on 2");
    assert_eq!(f.wasted(), []);
}

#[test]
fn a_leader_that_another_thread_took_the_tid_of_waits_no_longer() {
    let f = after_three("100us wakeup 101 on 0\n 300us exec 101 was 102");
    assert_eq!(f.wasted(), [(100 * US, 300 * US, 1, 1, 1)]);
}

#[test]
fn a_cpu_whose_threads_tid_is_given_out_again_is_unobserved() {
    let f = after_three("300us fork 100 -> 102");
    // What ran there had ended unseen, it is not known when.
    assert_eq!(f.slices(2), [(0, 300 * US, None), (300 * US, 1000 * US, None)]);
    assert_eq!(f.states(102), [(300 * US, 1000 * US, "blocked", None)], "the new thread has not started yet");
}

#[test]
fn swapper_is_not_forked_renamed_or_moved() {
    let f =
        after_three("100us fork 100 -> 0\n 100us exec 0 was 102\n 100us migrate 0 from 0 to 1\n 100us throttle 0 on");
    assert_eq!(f.data_quality("rejected", Some("event_of_swapper")), 4);
    assert_eq!(f.slices(1), [(0, 1000 * US, Some(0))]);
    assert_eq!(f.slices(2), [(0, 1000 * US, Some(102))]);
}

/// Core 1 is CPUs 1 and 2. CPU 0 runs 100 and has 101 waiting, CPU 1 runs 200, CPU 2 is idle.
const SIBLINGS: &str = "
    cpus 0-2
    tick 1ms
    core 0 1,2
    window 0ms 100ms
    0us cpu 0 runs 100
    0us cpu 1 runs 200
    0us cpu 2 idle
    0us thread 100 a on 0 running mask 0-2
    0us thread 101 b on 0 queued mask 0-2
    0us thread 200 c on 1 running mask 0-2
";

#[test]
fn a_thread_may_get_its_cookie_while_it_runs() {
    let f = check_drawn(&format!("{SIBLINGS}\n 60ms cookie 200 7"));
    assert_eq!(f.sums().0, 60 * MS);
    assert_eq!(f.ledger().into_iter().collect::<Vec<_>>(), [("cookie", 40 * MS)]);
}

#[test]
fn a_sibling_that_ran_before_cookies_came_into_use_counts() {
    let f = check_drawn(&format!("{SIBLINGS}\n 60ms cookie 101 7"));
    assert_eq!(f.ledger().into_iter().collect::<Vec<_>>(), [("cookie", 40 * MS)]);
}

#[test]
fn a_pair_does_not_last_while_a_cookie_forbids_it() {
    // Every other 500 µs, while another waste goes on; by the mask alone the pair would last for 100 ms.
    let mut more = String::from("0us cpu 3 idle\n 0us thread 102 d on 0 queued mask 3\n 0us cookie 200 7\n");
    for i in 0..100 {
        let (prev, next) = if i % 2 == 0 { (200, 201) } else { (201, 200) };
        let t = 1000 * i + 500;
        more += &format!("{t}us wakeup {next} on 1\n{t}us switch 1: {prev} S -> {next}\n");
    }
    let f = check_drawn(&format!("{}{more}", SIBLINGS.replace("cpus 0-2", "cpus 0-3")));
    let grades: i64 = f.grades().iter().filter(|(g, _)| **g != "recurrent").map(|(_, (_, ns))| ns).sum();
    assert_eq!(grades, f.sums().0);
    assert!(f.grades().values().all(|(_, ns)| *ns >= 0), "{:?}", f.grades());
}

#[test]
fn pairs_that_end_together_and_are_joined_by_a_third_are_one_interval() {
    // 104 waits for CPU 1 up to 16 ms, 103 for CPU 3 from 17 ms on, and 102 for CPU 2 all along.
    let f = check_drawn(
        "cpus 0-3
         tick 20ms
         window 0ms 60ms
         0us cpu 0 runs 100
         0us cpu 1 idle
         0us cpu 2 idle
         0us cpu 3 runs 200
         0us thread 102 a on 0 asleep mask 2
         0us thread 103 b on 0 asleep mask 3
         0us thread 104 c on 0 asleep mask 1
         5ms wakeup 103 on 0
         10ms wakeup 104 on 0
         12ms wakeup 102 on 0
         16ms switch 1: 0 R -> 104
         17ms switch 3: 200 S -> 0
         23ms switch 2: 0 R -> 102
         23ms switch 3: 0 R -> 103",
    );
    assert_eq!(f.sums().0, 23 * MS);
    assert_eq!(f.grades()["recurrent"], (0, 0));
}

#[test]
fn flicker_is_recurrent_though_another_waste_never_ends() {
    // 101 waits for CPU 1 all the time; between the CPUs of the other LLC it flickers, 2 ms in every 10.
    let mut text = String::from(
        "cpus 0-3
         llc 0-1 2-3
         window 0ms 500ms
         0us cpu 0 runs 100
         0us cpu 1 idle
         0us cpu 2 runs 102
         0us cpu 3 idle
         0us thread 101 a on 0 queued mask 0-1
         0us thread 103 b on 2 asleep mask 2-3\n",
    );
    for t in (10..310).step_by(10) {
        text += &format!("{t}ms wakeup 103 on 2\n{0}ms switch 3: 0 R -> 103\n{0}ms switch 3: 103 S -> 0\n", t + 2);
    }
    let f = check_drawn(&text);
    assert_eq!(f.grades()["persistent"], (1, 500 * MS));
    assert_eq!(f.grades()["recurrent"], (1, 60 * MS));
}

// What random streams showed that a reference, written from docs/semantics.md alone, checked as well (`streams/`): first where
// the checker was wrong, then where the document was silent.

/// CPU 0 runs 100, CPUs 1 and 2 are idle.
const IDLE: &str = "
    cpus 0-2
    window 0us 1000us
    0us cpu 0 runs 100
    0us cpu 1 idle
    0us cpu 2 idle
";

fn after_idle(more: &str) -> common::ResultTables {
    check_drawn(&format!("{IDLE}\n{more}"))
}

#[test]
fn interrupt_work_of_20_us_or_less_excuses_nothing() {
    let trace = |ns: i64| format!("100us wakeup 101 on 0\n 200us irq 1 for {ns}ns\n 200us irq 2 for {ns}ns");
    let (short, long) = (after_idle(&trace(20_000)), after_idle(&trace(20_001)));
    assert_eq!((short.sums().0, short.ledger()), (900 * US, [].into()));
    assert_eq!((long.sums().0, long.ledger()), (900 * US - 20_001, [("irq_busy", 20_001)].into()));
}

#[test]
fn a_tid_that_is_woken_as_new_a_second_time_belongs_to_another_thread() {
    // The end of the first and the fork of the second were not reported; the mask was that of the first.
    let f = after_idle("0us thread 101 old on 0 asleep mask 0\n 100us wakeup_new 101 on 0");
    assert_eq!((f.sums(), f.ledger()), ((900 * US, 0, 900 * US), [].into()));
    assert_eq!(f.threads(101, |t| t.avoidable_wait_ns), [0, 900 * US]);
}

#[test]
fn a_thread_lost_from_sight_that_is_woken_as_new_is_another_one_too() {
    let f = after_idle(
        "0us thread 101 old on 1 asleep mask 0
         50us wakeup 101 on 1
         60us switch 1: 0 R -> 101
         70us lost 1 until 80us
         100us wakeup_new 101 on 0",
    );
    assert_eq!((f.sums(), f.ledger()), ((900 * US, 0, 900 * US), [].into()), "CPU 2 is idle, the mask unknown");
}

#[test]
fn a_forked_thread_may_run_before_its_first_wakeup_where_events_of_one_instant_changed_places() {
    let f = after_idle(
        "0us thread 100 parent on 0 running mask 0-2
         100us fork 100 -> 101
         110us switch 1: 0 R -> 101
         110us wakeup_new 101 on 1
         400us switch 1: 101 S -> 0",
    );
    assert_eq!(f.threads(101, |t| t.run_ns), [290 * US]);
    assert_eq!(
        f.slices(1),
        [(0, 110, Some(0)), (110, 400, Some(101)), (400, 1000, Some(0))].map(|(a, b, tid)| (a * US, b * US, tid))
    );
}

#[test]
fn an_exec_ends_the_leader_also_where_nothing_is_known_of_the_thread_that_execs() {
    let f = after_idle("0us thread 101 leader on 0 asleep mask 0\n 100us exec 101 was 999\n 200us wakeup 101 on 0");
    assert_eq!((f.sums(), f.ledger()), ((800 * US, 0, 800 * US), [].into()), "the leader's mask is not its mask");
}

#[test]
fn only_a_kernel_thread_of_unknown_mask_is_bound_by_its_name() {
    let waits = "100us wakeup 101 on 0";
    let named = after_idle(&format!("0us name 101 ksoftirqd/0\n {waits}"));
    assert_eq!((named.sums().0, named.ledger()), (0, [("per_cpu_thread", 900 * US)].into()));
    let user = after_idle(&format!("0us thread 101 app on 0 asleep\n 0us name 101 ksoftirqd/0\n {waits}"));
    assert_eq!((user.sums(), user.ledger()), ((900 * US, 0, 900 * US), [].into()));
    let masked = after_idle(&format!("0us name 101 ksoftirqd/0\n 50us affinity 101 0-1\n {waits}"));
    assert_eq!((masked.sums(), masked.ledger()), ((900 * US, 900 * US, 900 * US), [].into()));
    let renamed = after_idle(&format!("0us name 101 ksoftirqd/0\n 50us name 101 app\n {waits}"));
    assert_eq!((renamed.sums(), renamed.ledger()), ((900 * US, 0, 900 * US), [].into()));
}

#[test]
fn a_mask_beyond_a_cpuset_says_that_the_cpuset_has_changed() {
    let trace = |mask| {
        format!("0us thread 101 t on 0 asleep mask 0 cpuset 0-1\n 50us affinity 101 {mask}\n 100us wakeup 101 on 0")
    };
    let (within, beyond) = (after_idle(&trace("0")), after_idle(&trace("0,2")));
    assert_eq!((within.sums().0, within.ledger()), (0, [("affinity", 900 * US)].into()));
    assert_eq!((beyond.sums().0, beyond.ledger()), (900 * US, [].into()));
}

#[test]
fn a_cpu_found_running_an_unplaced_thread_that_goes_idle_has_an_empty_queue() {
    let f = after_idle(
        "100us wakeup 101 on 1
         200us wakeup 102 on 1
         300us switch 1: 103 S -> 0",
    );
    assert_eq!(f.wasted(), [(200 * US, 300 * US, 1, 0, 1)], "101 and 102 have run and gone by then");
    assert_eq!(f.data_quality("repaired", Some("left_unseen")), 2);
}

#[test]
fn idle_time_is_in_doubt_also_when_a_thread_was_queued_at_the_end_of_it() {
    let f = after_idle("900us wakeup 101 on 1\n 950us switch 1: 102 S -> 0");
    assert_eq!(f.data_quality("doubtful_idle_ns", None), 900 * US);
}

#[test]
fn the_stopper_of_another_cpu_does_not_say_that_a_cpu_was_offline() {
    let f = after_idle("0us name 200 migration/0\n 100us switch 1: 0 R -> 200\n 500us switch 1: 0 R -> 101");
    assert_eq!(
        (
            f.data_quality("repaired", Some("offline_unreported")),
            f.data_quality("contradiction", Some("prev_not_current"))
        ),
        (0, 1)
    );
}

#[test]
fn for_how_long_another_thread_waited_than_the_one_counted_is_reported() {
    let f = after_idle(
        "0us thread 101 pinned on 1 asleep mask 1
         0us thread 102 free on 1 asleep mask 0-2
         200us wakeup 101 on 1
         300us wakeup 102 on 1
         700us switch 1: 102 S -> 101",
    );
    assert_eq!(f.sums(), (400 * US, 400 * US, 400 * US), "102 ran, and 101 waited, which may use no other CPU");
    assert_eq!(f.data_quality("doubtful_wait_ns", None), 400 * US);
}

#[test]
fn a_thread_named_as_prev_whose_start_was_not_seen_keeps_what_is_known_of_its_quota() {
    let f = after_idle(
        "100us lost 1 until 110us\n 150us wakeup 101 on 1\n 200us throttle 101 on\n 300us switch 1: 101 R -> 0",
    );
    // It ran and was throttled: CPU 1 is idle beside it.
    assert_eq!((f.sums(), f.ledger()), ((50 * US, 0, 850 * US), [("throttled", 800 * US)].into()));
    assert_eq!(f.idle_cpus().last(), Some(&(300 * US, 1000 * US, 2)));
}

#[test]
fn a_switch_from_swapper_to_itself_is_not_an_exit_from_idle() {
    let f = after_idle(
        "100us switch 1: 101 S -> 0\n 300us switch 1: 0 R -> 0\n 400us switch 2: 0 R -> 102\n 500us wakeup 103 on 0",
    );
    assert_eq!(f.sums().2, 0, "CPU 1 stays in doubt");
    assert_eq!(f.data_quality("unobserved_ns", None), 1000 * US);
}

#[test]
fn a_snapshot_that_finds_a_cpu_offline_holds_until_its_next_switch() {
    let f = after_idle(
        "100us wakeup 101 on 0\n 200us cpu 2 offline\n 200us cpu 1 offline\n 600us switch 1: 0 R -> 102\n 700us switch 1: 102 S -> 0",
    );
    assert_eq!(f.wasted(), [(100 * US, 200 * US, 1, 0, 1), (700 * US, 1000 * US, 1, 0, 1)]);
}

#[test]
fn the_slice_of_a_cpu_whose_thread_appears_elsewhere_is_unobserved() {
    let f = after_idle("400us switch 1: 0 R -> 100");
    assert_eq!(f.slices(0), [(0, 400 * US, None), (400 * US, 1000 * US, None)]);
    assert_eq!(f.threads(100, |t| t.run_ns), [600 * US]);
}

#[test]
fn a_forked_thread_that_runs_without_its_first_wakeup_contradicts_where_wakeups_are_reported() {
    let f = after_idle(
        "50us wakeup 103 on 1\n 60us switch 1: 0 R -> 103\n 100us fork 100 -> 101\n 200us switch 2: 0 R -> 101",
    );
    assert_eq!(f.data_quality("contradiction", Some("ran_without_wakeup")), 1);
}

#[test]
fn a_snapshot_says_what_the_mask_is_from_then_on() {
    let f = after_idle("0us affinity 101 0-2\n 100us wakeup 101 on 0\n 400us thread 101 t on 2 asleep mask 0");
    assert_eq!(
        (f.sums(), f.ledger()),
        ((300 * US, 300 * US, 900 * US), [("affinity", 600 * US)].into()),
        "it waits on"
    );
}

#[test]
fn a_thread_that_has_quota_again_comes_to_its_queue_anew() {
    let f = after_idle(
        "100us switch 2: 0 R -> 103
         200us wakeup 101 on 1
         200us throttle 101 on
         300us wakeup 102 on 1
         400us throttle 101 off
         700us switch 1: 102 S -> 0",
    );
    // 102 came first, and ran from 300 us on; 101 waited for it since 400 us and went unseen before CPU 1 was idle again.
    assert_eq!(f.states(102)[0], (300 * US, 700 * US, "running", Some(1)));
    assert_eq!((f.data_quality("doubtful_wait_ns", None), f.data_quality("repaired", Some("left_unseen"))), (0, 1));
}

#[test]
fn a_wake_is_late_however_it_ends() {
    let moved = "10ms wakeup 101 on 1\n 30ms migrate 101 from 1 to 0";
    let f = check_drawn(&format!("tick 4ms\n {IDLE}\n window 0ms 100ms\n {moved}"));
    assert_eq!(f.late_wakes(), 1);
}

#[test]
fn a_child_of_the_stopper_is_not_the_stopper_by_the_name_it_inherits() {
    let f = after_idle(
        "0us thread 200 migration/1 on 1 asleep mask 1 percpu
         100us fork 200 -> 201
         200us switch 1: 0 R -> 201
         300us switch 1: 0 R -> 102",
    );
    let counts = ["offline_unreported", "prev_not_current"]
        .map(|why| f.data_quality("repaired", Some(why)) + f.data_quality("contradiction", Some(why)));
    assert_eq!(counts, [0, 1]);
}

#[test]
fn which_of_a_queue_waits_is_doubtful_to_the_end_where_exits_from_idle_are_missing() {
    let crowd = "200us wakeup 101 on 1\n 300us wakeup 102 on 1";
    let doubtful = |trace: &str| after_idle(trace).data_quality("doubtful_wait_ns", None);
    let missing = "50us wakeup 103 on 2\n 60us switch 2: 103 S -> 0";
    assert_eq!(doubtful(&format!("{missing}\n {crowd}")), 700 * US);
    assert_eq!(doubtful(&format!("{missing}\n {crowd}\n 400us switch 1: 0 R -> 102")), 0, "the exit is seen");
    assert_eq!(doubtful(crowd), 0, "no exit is known to be missing");
}

#[test]
fn a_queue_is_shorter_when_one_of_its_threads_runs_elsewhere() {
    let f = after_idle("100us wakeup 101 on 0\n 200us switch 1: 0 R -> 101");
    assert_eq!(
        f.queue(0),
        [(0, 100, 0, true), (100, 200, 1, true), (200, 1000, 0, true)].map(|(a, b, n, runs)| (a * US, b * US, n, runs))
    );
}

#[test]
fn a_wake_is_not_late_where_another_thread_ran_unseen_meanwhile() {
    let trace = "cpus 0\n tick 1ms\n window 0ms 10ms\n 0ms cpu 0 idle\n 0ms cookie 101 7\n 1ms wakeup 101 on 0\n 8ms switch 0: 105 S -> 0";
    let late = |at: &str| check_drawn(&format!("{trace}\n {at} switch 0: 0 R -> 101")).late_wakes();
    assert_eq!((late("8.5ms"), late("9.5ms")), (0, 1), "it is about to run since 8 ms");
}

/// 101 waits on CPU 0 beside the idle CPU 1 until `end`.
fn waiting_until(end: &str) -> Result<common::ResultTables, wastenot_checker::CheckError> {
    let text = format!(
        "cpus 0-1
         window 0s {end}
         0us cpu 0 runs 100
         0us cpu 1 idle
         0us thread 101 a on 0 queued mask 0-1
         {end} switch 0: 100 S -> 101"
    );
    common::check_drawn_with(&text, &wastenot_checker::Options::default())
}

#[test]
fn a_gap_costs_the_same_however_long_it_is() {
    let rows =
        |end: &str| -> usize { waiting_until(end).unwrap().batches.iter().map(|(_, batch)| batch.num_rows()).sum() };
    assert!(rows("1s") < 300, "{}", rows("1s"));
    assert!(rows("1000000s") < 1000, "{}", rows("1000000s"));
    assert!(rows("4000000000s") < 2000, "{}", rows("4000000000s"));
}

#[test]
fn sums_over_a_very_long_span_are_right_and_a_longer_one_is_refused() {
    let second = 1_000_000_000;
    let found = waiting_until("4000000000s").unwrap();
    assert_eq!(found.sums().0, 4_000_000_000 * second);
    for end in ["4700000000s", "9223372036s"] {
        let message = waiting_until(end).err().expect("two CPUs for so long are more than 64 bits hold").to_string();
        assert!(
            message.starts_with("impossible span: ") && message.contains("2 CPUs") && !message.contains('\n'),
            "{message}"
        );
    }
}

#[test]
fn a_thread_that_a_snapshot_finds_on_a_cpu_outside_the_machine_has_lived() {
    let f = after_idle(
        "0us thread 101 t on 99 running mask 0-2\n 100us wakeup_new 101 on 0\n 200us switch 0: 100 S -> 101",
    );
    assert_eq!(f.threads(101, |t| t.wakeups), [0, 1], "what is woken as new is another thread");
}
