//! Traces on which the checker was once wrong, each as short as it can be drawn. The properties found them.

mod common;
use common::{MS, US, found};

/// CPU 0 runs 100, CPU 1 is idle, CPU 2 runs 102; 101 sleeps.
const THREE: &str = "
    cpus 0-2
    window 0us 1000us
    0us cpu 0 runs 100
    0us cpu 1 idle
    0us cpu 2 runs 102
    0us thread 101 sleeper on 2 asleep mask 0-2
";

fn after_three(more: &str) -> common::Found {
    found(&format!("{THREE}\n{more}"))
}

#[test]
fn nobody_is_known_to_wait_where_events_are_lost() {
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
fn nobody_is_known_to_wait_on_an_offline_cpu() {
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
    // What ran there had ended unseen, nobody knows when.
    assert_eq!(f.slices(2), [(0, 300 * US, None), (300 * US, 1000 * US, None)]);
    assert_eq!(f.states(102), [(300 * US, 1000 * US, "blocked", None)], "the new thread has not started yet");
}

#[test]
fn swapper_is_not_forked_renamed_or_moved() {
    let f =
        after_three("100us fork 100 -> 0\n 100us exec 0 was 102\n 100us migrate 0 from 0 to 1\n 100us throttle 0 on");
    assert_eq!(f.trust("rejected", Some("event_of_swapper")), 4);
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
    let f = found(&format!("{SIBLINGS}\n 60ms cookie 200 7"));
    assert_eq!(f.sums().0, 60 * MS);
    assert_eq!(f.ledger().into_iter().collect::<Vec<_>>(), [("cookie", 40 * MS)]);
}

#[test]
fn a_sibling_that_ran_before_cookies_came_into_use_counts() {
    let f = found(&format!("{SIBLINGS}\n 60ms cookie 101 7"));
    assert_eq!(f.ledger().into_iter().collect::<Vec<_>>(), [("cookie", 40 * MS)]);
}

#[test]
fn an_edge_does_not_last_while_a_cookie_forbids_it() {
    // Every other 500 µs, while another waste goes on; by the mask alone the edge would last for 100 ms.
    let mut more = String::from("0us cpu 3 idle\n 0us thread 102 d on 0 queued mask 3\n 0us cookie 200 7\n");
    for i in 0..100 {
        let (prev, next) = if i % 2 == 0 { (200, 201) } else { (201, 200) };
        let t = 1000 * i + 500;
        more += &format!("{t}us wakeup {next} on 1\n{t}us switch 1: {prev} S -> {next}\n");
    }
    let f = found(&format!("{}{more}", SIBLINGS.replace("cpus 0-2", "cpus 0-3")));
    let grades: i64 = f.grades().iter().filter(|(g, _)| **g != "recurrent").map(|(_, (_, ns))| ns).sum();
    assert_eq!(grades, f.sums().0);
    assert!(f.grades().values().all(|(_, ns)| *ns >= 0), "{:?}", f.grades());
}

#[test]
fn pairs_that_end_together_and_are_joined_by_a_third_are_one_spell() {
    // 104 waits for CPU 1 up to 16 ms, 103 for CPU 3 from 17 ms on, and 102 for CPU 2 all along.
    let f = found(
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
    let f = found(&text);
    assert_eq!(f.grades()["persistent"], (1, 500 * MS));
    assert_eq!(f.grades()["recurrent"], (1, 60 * MS));
}
