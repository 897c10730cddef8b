//! Threads of a sched_ext scheduler.

use crate::{common, rows, why};

/// CPU 0 runs a thread, and 110 waits there from 1 ms on (the event before says where it stands); CPU 1 idles from 2 ms on. All
/// that the scheduler decides is recorded.
fn queued(before: &str, more: &str) -> String {
    format!(
        "kernel 7.3\ncpus 0-1\nwindow 0us 200ms\n0us cpu 0 runs 100\n0us cpu 1 runs 101\n0us thread 110 w on 0 asleep ext\n\
         0us ext_state enabled recorded\n{before}\n1ms wakeup 110 on 0\n2ms switch 1: 101 S -> 0\n{more}\n"
    )
}

fn said(before: &str, more: &str) -> String {
    why(&queued(before, more)).not_moved_because(110)
}

#[test]
fn a_thread_in_the_local_queue_of_a_busy_cpu_waits_for_that_cpu() {
    let w = why(&queued("0.9ms ext 110 local 0 by enqueue", ""));
    assert_eq!(w.not_moved_because(110), "sched_ext: in a busy CPU's local queue, proved");
    assert_eq!(w.placed_by(110), "sched_ext: enqueue to a local queue, proved");
}

#[test]
fn select_cpu_missed_an_idle_cpu_only_where_there_was_one() {
    let placed = |before: &str| why(&queued(before, "")).placed_by(110);
    assert_eq!(placed("0.9ms ext 110 local 0 by select_cpu"), "sched_ext, proved");
    let shown = |mask: &str| {
        let idle = format!("0.5ms switch 1: 101 S -> 0\n{mask}0.9ms ext 110 local 0 by select_cpu");
        why(&queued(&idle, "").replace("2ms switch 1: 101 S -> 0\n", "")).placed_by(110)
    };
    let missed = "sched_ext: select_cpu missed an idle CPU";
    assert_eq!(shown(""), format!("{missed}, consistent"), "it may have been promised to another thread");
    assert_eq!(shown("0.9ms ext_idle 110 shown 1\n"), format!("{missed}, proved"));
    let promised = format!("{missed}, consistent");
    assert_eq!(shown("0.9ms ext_idle 110 shown none\n"), promised, "to this thread, or to another");
    assert_eq!(shown("0.9ms ext_idle 110 shown 0\n"), promised, "the mask has a CPU that does not idle");
    let older = "0.6ms ext_idle 110 shown 1\n0.6ms ext 110 shared by enqueue\n";
    assert_eq!(shown(older), format!("{missed}, consistent"), "a mask is of one placement");
}

#[test]
fn what_a_move_brings_to_a_queue_keeps_the_step_that_decided_it() {
    let w = why(&queued("0.8ms ext 110 local 0 by enqueue\n0.9ms ext 110 local 0 by move", ""));
    assert_eq!(w.placed_by(110), "sched_ext: enqueue to a local queue, proved");
    let w = why(&queued("0.8ms ext 110 local 1 by enqueue\n0.9ms ext 110 local 0 by move", ""));
    assert_eq!(w.placed_by(110), "sched_ext, proved");
}

#[test]
fn a_thread_in_a_shared_queue_waits_for_a_kick_a_cpu_or_dispatch() {
    let shared = "0.9ms ext 110 shared by enqueue";
    assert_eq!(said(shared, ""), "sched_ext: idle CPU not kicked, proved");
    assert_eq!(said(shared, "3ms ext_kick 1 by 0"), "sched_ext: CPU late after a kick, proved");
    assert_eq!(
        said(shared, "3ms ext_kick 1 by 0\n4ms asks 1"),
        "sched_ext: dispatch left it, consistent",
        "alone there"
    );
    assert_eq!(said(shared, "1.9ms asks 1"), "sched_ext: dispatch left it, consistent", "as it went idle");
    let two =
        format!("{shared}\n0us thread 120 w on 0 asleep ext\n0.9ms ext 120 shared by enqueue\n0.95ms wakeup 120 on 0");
    let left = why(&queued(&two, "4ms asks 1")).not_moved_because(120);
    assert_eq!(left, "sched_ext: dispatch left it, proved", "beside another thread");
    assert_eq!(
        said(shared, "3ms ext_kick 0 by 1\n4ms asks 0"),
        "sched_ext: idle CPU not kicked, proved",
        "another CPU"
    );
    assert_eq!(said(shared, "150ms ext_kick 1 by 0"), "sched_ext: kick late, proved", "the scheduler was late");
    let asked_before = "0.7ms asks 1\n0.9ms ext 110 shared by enqueue";
    assert_eq!(said(asked_before, ""), "sched_ext: idle CPU not kicked, proved");
}

#[test]
fn a_cpu_that_left_others_would_have_left_the_thread_as_well() {
    // 111 and 112 wait in such a queue as CPU 1 asks, and run on CPU 0 before 110 comes to the queue.
    let asked = |others: &[u32], more: &str| {
        let waiters: String = others
            .iter()
            .map(|tid| {
                format!(
                    "0us thread {tid} w on 0 asleep ext\n1ms ext {tid} shared by enqueue\n1.1ms wakeup {tid} on 0\n"
                )
            })
            .collect();
        let mut leave = String::new();
        for (tid, ms) in others.iter().zip([20, 30]) {
            leave += &format!(
                "{ms}ms switch 0: 100 S -> {tid}\n{}ms wakeup 100 on 0\n{}ms switch 0: {tid} S -> 100\n",
                ms + 1,
                ms + 2
            );
        }
        let text = format!(
            "kernel 7.2\ncpus 0-1\nwindow 0us 200ms\n0us cpu 0 runs 100\n0us cpu 1 runs 101\n0us thread 110 w on 0 asleep ext\n\
             0us ext_state enabled recorded\n{waiters}2ms switch 1: 101 S -> 0\n3ms asks 1\n{leave}\
             50ms ext 110 shared by enqueue\n50.1ms wakeup 110 on 0\n{more}\n"
        );
        why(&text).not_moved_because(110)
    };
    assert_eq!(asked(&[111, 112], ""), "sched_ext: dispatch left it, consistent");
    assert_eq!(asked(&[111, 112], "60ms asks 1"), "sched_ext: dispatch left it, consistent", "alone there");
    assert_eq!(asked(&[111, 112], "60ms ext_kick 1 by 0"), "sched_ext: CPU late after a kick, consistent");
    assert_eq!(asked(&[111], ""), "sched_ext: idle CPU not kicked, proved", "the one may be on its way to another CPU");
    assert_eq!(asked(&[], ""), "sched_ext: idle CPU not kicked, proved");
}

#[test]
fn that_dispatch_left_a_thread_is_proved_only_where_it_was_certainly_in_the_queue() {
    // CPU 1 asks at 4 ms; CPU 0 takes the thread at 50 ms. It may have had it since before, and waited for a lock.
    let taken =
        |more: &str| said("0.9ms ext 110 shared by enqueue", &format!("4ms asks 1\n{more}50ms switch 0: 100 S -> 110"));
    assert_eq!(taken(""), "sched_ext: dispatch left it, consistent");
    assert_eq!(taken("5ms asks 0\n"), "sched_ext: dispatch left it, proved", "it looked for a thread anew");
    let before = said("0.9ms ext 110 shared by enqueue", "3ms asks 0\n4ms asks 1\n50ms switch 0: 100 S -> 110");
    assert_eq!(before, "sched_ext: dispatch left it, consistent", "before CPU 1 did");
    // Two wait beside three CPUs: both may have been taken by the others.
    let two = "0.9ms ext 110 shared by enqueue\n0us thread 120 w on 0 asleep ext\n0.9ms ext 120 shared by enqueue\n\
               0.95ms wakeup 120 on 0";
    let beside = |cpus: &str| {
        let text = queued(two, "4ms asks 1").replace("cpus 0-1", cpus);
        why(&text).not_moved_because(120)
    };
    assert_eq!(beside("cpus 0-1"), "sched_ext: dispatch left it, proved");
    assert_eq!(beside("cpus 0-2"), "sched_ext: dispatch left it, consistent");
    // 110 is put into the queue as it still runs: while it has its CPU, nothing can be taken from there.
    let running = |asks: &str| {
        let text = format!(
            "kernel 7.2\ncpus 0-1\nwindow 0us 200ms\n0us cpu 0 runs 110\n0us cpu 1 runs 101\n0us thread 111 w on 0 asleep ext\n\
             0us ext_state enabled recorded\n0.5ms switch 1: 101 S -> 0\n0.6ms ext 111 shared by enqueue\n0.7ms wakeup 111 on 0\n\
             0.9ms ext 110 shared by enqueue\n{asks}"
        );
        why(&text).not_moved_because(110)
    };
    let ends = "1ms switch 0: 110 R -> 111\n";
    let took = "8ms asks 0\n50ms switch 0: 111 S -> 110\n";
    assert_eq!(running(&format!("0.95ms asks 1\n{ends}{took}")), "sched_ext: dispatch left it, consistent");
    assert_eq!(running(&format!("{ends}4ms asks 1\n{took}")), "sched_ext: dispatch left it, proved");
}

#[test]
fn where_it_is_not_recorded_which_scheduler_has_a_thread_nothing_is_said_of_what_was_decided() {
    let shared = "0.9ms ext 110 shared by enqueue";
    let of_cgroup = format!("{shared}\n0.95ms ext_scheduler of 7 loaded");
    assert_eq!(said(&of_cgroup, ""), "not applicable (sched_ext), proved");
}

/// Thread 110 is with the scheduler of cgroup 7, which is in a queue of its own.
fn of_cgroup(accesses: &str) -> String {
    format!(
        "0.1ms ext_scheduler of 7 loaded recorded\n{accesses}\n0.9ms ext_of_cgroup 7 has 110\n0.9ms ext 110 shared by enqueue"
    )
}

#[test]
fn a_scheduler_of_a_cgroup_gets_no_cpu_that_is_not_granted() {
    let none = "0.2ms ext_access 7 may_not use 1";
    assert_eq!(said(&of_cgroup(none), ""), "sched_ext: CPU not granted, proved");
    assert_eq!(said(&of_cgroup(none), "4ms asks 1"), "sched_ext: CPU not granted, proved", "it asks");
    let held = of_cgroup(none).replace("shared", "held");
    assert_eq!(said(&held, ""), "sched_ext: CPU not granted, proved");
    // That of another cgroup, or CPU.
    for other in ["0.2ms ext_access 8 may_not use 1", "0.2ms ext_access 7 may_not use 0"] {
        assert_eq!(said(&of_cgroup(other), ""), "sched_ext: idle CPU not kicked, consistent", "it may not be granted");
    }
    let granted = format!("{none}\n0.3ms ext_access 7 may use 1");
    assert_eq!(said(&of_cgroup(&granted), ""), "sched_ext: idle CPU not kicked, proved");
    // For a part of the time, or known from later on only.
    assert_eq!(said(&of_cgroup(none), "190ms ext_access 7 may use 1"), "sched_ext: CPU not granted, consistent");
    assert_eq!(said(&of_cgroup(none), "20ms ext_access 7 may use 1"), "sched_ext: idle CPU not kicked, proved");
    assert_eq!(said(&of_cgroup(""), "20ms ext_access 7 may_not use 1"), "sched_ext: CPU not granted, consistent");
    assert_eq!(said(&of_cgroup(""), "20ms ext_access 7 may use 1"), "sched_ext: idle CPU not kicked, consistent");
}

#[test]
fn a_grant_may_have_been_lost() {
    let text = of_cgroup("0.2ms ext_access 7 may_not use 1");
    let lost = queued(&text, "20ms lost 2 until 21ms").replace("cpus 0-1", "cpus 0-2");
    assert_eq!(why(&lost).not_moved_because(110), "sched_ext: CPU not granted, consistent");
}

#[test]
fn threads_of_the_scheduler_above_are_not_kept_from_its_cpus() {
    let none = "0.2ms ext_access 7 may_not use 1\n0.3ms ext_of_cgroup 7 has 105\n0.3ms ext 105 shared by enqueue";
    assert_eq!(said(&format!("{none}\n0.9ms ext 110 shared by enqueue"), ""), "sched_ext: idle CPU not kicked, proved");
    // What was said of it an instant before belongs to another row.
    let earlier = format!("{none}\n0.8ms ext_of_cgroup 7 has 110\n0.9ms ext 110 shared by enqueue");
    assert_eq!(said(&earlier, ""), "sched_ext: idle CPU not kicked, proved");
}

#[test]
fn queues_of_two_schedulers_may_have_the_same_number() {
    // CPU 1 asks while 111 and 112 wait in a queue, and 113 in one of that number; 110 comes to this one when they have run.
    let asked = |other: &str| {
        let (mut waiters, mut leave) = (String::new(), String::new());
        for tid in [111, 112, 113] {
            let of = if tid == 113 { String::new() } else { other.replace("TID", &tid.to_string()) };
            waiters += &format!(
                "0us thread {tid} w on 0 asleep ext\n{of}1ms ext {tid} shared by enqueue\n1.1ms wakeup {tid} on 0\n"
            );
        }
        for (tid, ms) in [(111, 20), (112, 25), (113, 30)] {
            let (woken, back) = (ms + 1, ms + 2);
            leave += &format!(
                "{ms}ms switch 0: 100 S -> {tid}\n{woken}ms wakeup 100 on 0\n{back}ms switch 0: {tid} S -> 100\n"
            );
        }
        let text = format!(
            "kernel 7.3\ncpus 0-1\nwindow 0us 200ms\n0us cpu 0 runs 100\n0us cpu 1 runs 101\n0us thread 110 w on 0 asleep ext\n\
             0us ext_state enabled recorded\n{waiters}2ms switch 1: 101 S -> 0\n3ms asks 1\n{leave}\
             50ms ext 110 shared by enqueue\n50.1ms wakeup 110 on 0\n"
        );
        why(&text).not_moved_because(110)
    };
    assert_eq!(asked(""), "sched_ext: dispatch left it, consistent");
    assert_eq!(asked("1ms ext_of_cgroup 7 has TID\n"), "sched_ext: idle CPU not kicked, proved");
}

#[test]
fn the_scheduler_of_a_cgroup_is_bypassed_alone() {
    let granted = "0.15ms ext_access 7 may use 1";
    let bypass = |cgroup| of_cgroup(&format!("{granted}\n0.2ms ext_scheduler of {cgroup} bypass_begin"));
    assert_eq!(said(&bypass(7), ""), "sched_ext: bypassed, proved");
    assert_eq!(said(&bypass(8), ""), "sched_ext: idle CPU not kicked, consistent", "it may be one above");
    let ended = "0.2ms ext_scheduler of 7 bypass_begin\n0.3ms ext_scheduler of 7 bypass_end";
    assert_eq!(said(&of_cgroup(&format!("{granted}\n{ended}")), ""), "sched_ext: idle CPU not kicked, proved");
    assert_eq!(said(&of_cgroup("0.2ms bypass begins"), ""), "sched_ext: bypassed, proved", "of all");
}

#[test]
fn a_scheduler_that_the_kernel_ended_leaves_the_next_one_of_its_cgroup_alone() {
    let ended =
        "0.15ms ext_access 7 may use 1\n0.2ms ext_scheduler of 7 stall\n0.25ms ext_scheduler of 7 bypass_begin\n";
    let next = "0.3ms ext_scheduler of 7 bypass_begin\n0.35ms ext_scheduler of 7 bypass_end";
    assert_eq!(said(&of_cgroup(&format!("{ended}{next}")), ""), "sched_ext: idle CPU not kicked, proved");
    let gone = "0.3ms ext_scheduler of 7 gone";
    assert_eq!(said(&of_cgroup(&format!("{ended}{gone}")), ""), "sched_ext: idle CPU not kicked, proved");
    assert_eq!(said(&of_cgroup(ended), ""), "sched_ext: bypassed, proved");
    let in_its_bypass = "0.3ms ext_scheduler of 7 bypass_begin\n0.35ms ext_scheduler of 7 gone";
    assert_eq!(said(&of_cgroup(&format!("{ended}{in_its_bypass}")), ""), "sched_ext: bypassed, proved");
}

#[test]
fn kicks_count_for_little_where_cgroups_have_schedulers() {
    let granted = of_cgroup("0.2ms ext_access 7 may use 1");
    assert_eq!(said(&granted, "3ms ext_kick 1 by 0"), "sched_ext: CPU late after a kick, consistent");
    assert_eq!(said(&granted, "150ms ext_kick 1 by 0"), "sched_ext: kick late, consistent");
}

#[test]
fn a_thread_in_a_queue_of_the_kernels_own_is_in_none_of_the_scheduler() {
    assert_eq!(said("0.9ms ext 110 kernel by enqueue", "4ms asks 1"), "not applicable (sched_ext), proved");
}

#[test]
fn what_is_not_recorded_proves_nothing() {
    let text = queued("0.9ms ext 110 shared by enqueue", "").replace(" recorded", "");
    assert_eq!(why(&text).not_moved_because(110), "sched_ext: idle CPU not kicked, consistent");
    // The kick may have been among them. (They were of another CPU, of which nothing else is asked.)
    let lost = queued("0.9ms ext 110 shared by enqueue", "20ms lost 2 until 21ms").replace("cpus 0-1", "cpus 0-2");
    assert_eq!(why(&lost).not_moved_because(110), "sched_ext: idle CPU not kicked, consistent");
    let text = queued("", "").replace(" recorded", "");
    assert_eq!(why(&text).not_moved_because(110), "not applicable (sched_ext), proved");
}

#[test]
fn a_thread_that_the_scheduler_keeps_is_in_no_queue() {
    assert_eq!(said("0.9ms ext 110 held by enqueue", "4ms asks 1"), "sched_ext: held by the scheduler, proved");
    // For the most of the time it was held.
    let late = "190ms ext 110 shared by dispatch";
    assert_eq!(said("0.9ms ext 110 held by enqueue", late), "sched_ext: held by the scheduler, proved");
    let early = "10ms ext 110 shared by dispatch";
    assert_eq!(said("0.9ms ext 110 held by enqueue", early), "sched_ext: idle CPU not kicked, proved");
}

/// Waste of a thread by why nothing moved it, ns.
fn weights(text: &str, tid: i32) -> Vec<(String, i64)> {
    let of = rows(&common::check_drawn(text)).into_iter();
    let of = of.filter(|(of, question, chosen, _)| *of == tid && *question == "not_moved_because" && *chosen);
    let mut of: Vec<_> =
        of.map(|(.., cause)| (format!("{}, {}", cause.answer, cause.proof), cause.weight_ns)).collect();
    of.sort();
    of
}

#[test]
fn each_part_of_a_wait_is_asked_about_where_the_thread_was_then() {
    let (kick, local) = ("sched_ext: idle CPU not kicked, proved", "sched_ext: in a busy CPU's local queue, proved");
    let moved = queued("0.9ms ext 110 shared by enqueue", "50ms ext 110 local 0 by move");
    assert_eq!(weights(&moved, 110), [(kick.into(), 48_000_000), (local.into(), 150_000_000)]);
    // Where another thread waits there too, that was somewhere else.
    let beside = "0us thread 120 w on 0 asleep ext\n0.9ms ext 110 shared by enqueue\n0.9ms ext 120 local 0 by enqueue\n\
                  0.95ms wakeup 120 on 0";
    let beside = queued(beside, "120ms switch 0: 100 S -> 120");
    assert_eq!(weights(&beside, 120), [(local.into(), 118_000_000)]);
    assert_eq!(weights(&beside, 110), [(kick.into(), 80_000_000)]);
    // The kernel queues all threads anew as it begins to bypass the scheduler, and as it ceases to.
    let bypass = "50ms bypass begins\n150ms bypass ends\n150ms ext 110 shared by enqueue";
    let bypassed = queued("0.9ms ext 110 shared by enqueue", bypass);
    let kinds = [("sched_ext: bypassed, proved".into(), 100_000_000), (kick.into(), 98_000_000)];
    assert_eq!(weights(&bypassed, 110), kinds);
    // Without a scheduler it is a thread of the fair class.
    let gone = queued(
        "0.9ms ext 110 shared by enqueue",
        "50ms bypass begins\n60ms bypass ends\n70ms ext_state disabled recorded",
    );
    let of = |name: &str| weights(&gone, 110).iter().find(|(answer, _)| answer == name).map_or(0, |(_, ns)| *ns);
    let known = [kick, "sched_ext: bypassed, proved", "not applicable (sched_ext), consistent"].map(of);
    assert_eq!(known, [48_000_000, 10_000_000, 10_000_000]);
    let rest = weights(&gone, 110).into_iter().filter(|(answer, _)| !answer.contains("sched_ext"));
    assert_eq!(rest.map(|(_, ns)| ns).sum::<i64>(), 130_000_000);
}

#[test]
fn a_short_wait_is_proved_where_it_was_somewhere_alone() {
    // Twelve waits of 300 us, which recur; the thread is moved within each, or not.
    let said = |moves: bool| {
        let mut more = String::new();
        for at in (10_000..130_000).step_by(10_000) {
            let moved = if moves { format!("{}us ext 110 local 0 by move\n", at + 280) } else { String::new() };
            more += &format!(
                "{at}us ext 110 shared by enqueue\n{at}us wakeup 110 on 0\n{moved}{}us switch 0: 100 R -> 110\n\
                 {}us switch 0: 110 S -> 100\n",
                at + 300,
                at + 1_300
            );
        }
        let text = queued("", &more).replace("1ms wakeup 110 on 0\n", "");
        weights(&text, 110)
    };
    let waits = |proof: &str| vec![(format!("sched_ext: idle CPU not kicked, {proof}"), 3_600_000)];
    assert_eq!(said(false), waits("proved"));
    assert_eq!(said(true), waits("consistent"));
}

#[test]
fn a_real_time_thread_is_not_the_schedulers() {
    let text = queued("", "").replace("110 w on 0 asleep ext", "110 w on 0 asleep ext prio 49");
    let text = text.replace("cpu 0 runs 100", "cpu 0 runs 100\n0us thread 100 r on 0 asleep prio 120");
    assert_eq!(why(&text).not_moved_because(110), "real-time: behind a lower class, proved");
}

#[test]
fn while_it_runs_a_thread_is_in_no_queue() {
    // CPU 1 idles beside 110 and, while that runs, beside 120.
    let text = queued(
        "0us thread 120 w on 0 asleep ext\n0.9ms ext 110 local 0 by dispatch",
        "2ms wakeup 120 on 0\n2.1ms wakeup 100 on 0\n3ms switch 0: 100 R -> 110\n119.9ms ext 110 shared by enqueue\n\
         120ms switch 0: 110 R -> 100",
    );
    assert_eq!(why(&text).not_moved_because(110), "sched_ext: in a busy CPU's local queue, proved");
    assert_eq!(weights(&text, 110), [("sched_ext: in a busy CPU's local queue, proved".into(), 1_000_000)]);
    // It is put into a queue as it ends, and others wait for longer than it did.
    let ends = queued(
        "0us thread 120 w on 0 asleep ext\n0.9ms ext 110 shared by enqueue",
        "2ms wakeup 120 on 0\n2.1ms wakeup 100 on 0\n60ms switch 0: 100 R -> 110\n70ms ext 110 local 0 by move\n\
         71ms switch 0: 110 X -> 100",
    );
    assert_eq!(why(&ends).not_moved_because(110), "sched_ext: idle CPU not kicked, proved");
}

#[test]
fn a_real_time_thread_that_has_the_cpu_is_not_the_schedulers_doing() {
    let hog = "1.5ms wakeup 102 on 0\n1.6ms switch 0: 100 S -> 102 prio 49\n";
    let behind = format!("0.9ms ext 110 local 0 by dispatch\n{hog}");
    assert_eq!(said(&behind, ""), "sched_ext: behind a real-time thread, proved");
    assert_eq!(
        said(&behind, "50ms wakeup 100 on 0\n51ms switch 0: 102 S -> 100"),
        "sched_ext: in a busy CPU's local queue, proved"
    );
    let shared = format!("0.9ms ext 110 shared by enqueue\n{hog}");
    assert_eq!(said(&shared, ""), "sched_ext: idle CPU not kicked, proved", "another CPU could take it");
}

#[test]
fn a_thread_in_a_queue_of_the_bypass_is_bypassed_though_the_scheduler_is_said_to_be_gone() {
    let gone = "0.5ms bypass begins\n0.8ms ext_state disabled recorded\n0.9ms ext 110 bypass by enqueue";
    for asked in ["", "20ms asks 1", "20ms ext_kick 1 by 0"] {
        assert_eq!(said(gone, asked), "sched_ext: bypassed, proved", "{asked}");
    }
}

#[test]
fn while_the_kernel_bypasses_the_scheduler_its_functions_are_not_asked() {
    let shared = "0.5ms bypass begins\n0.9ms ext 110 bypass by enqueue";
    assert_eq!(said(shared, ""), "sched_ext: bypassed, proved");
    assert_eq!(
        said("0.5ms bypass begins\n0.6ms bypass ends\n0.9ms ext 110 shared by enqueue", ""),
        "sched_ext: idle CPU not kicked, proved"
    );
}

#[test]
fn bypass_that_began_twice_lasts_until_it_has_ended_twice() {
    let twice = "0.5ms bypass begins\n0.6ms bypass begins\n0.7ms bypass ends\n0.9ms ext 110 bypass by enqueue";
    assert_eq!(said(twice, ""), "sched_ext: bypassed, proved");
}

#[test]
fn a_scheduler_that_is_loaded_during_the_recording_takes_all_threads_or_those_of_its_policy() {
    let without = queued("", "").replace("asleep ext", "asleep").replace("0us ext_state enabled recorded\n", "");
    let loaded = |how: &str| why(&without.replace("1ms wakeup", &format!("{how}1ms wakeup"))).not_moved_because(110);
    assert!(!loaded("").contains("sched_ext"));
    assert_eq!(loaded("0.2ms ext_state enabled\n"), "not applicable (sched_ext), proved");
    assert!(!loaded("0.2ms ext_state enabled partial\n").contains("sched_ext"));
    assert!(!loaded("0.2ms ext_state enabled\n0.4ms ext_state disabled\n").contains("sched_ext"));
}

#[test]
fn threads_are_back_with_the_balancer_when_no_scheduler_is_in_charge() {
    let w = why(&queued("0.2ms ext_state disabled", ""));
    assert!(!w.not_moved_because(110).contains("sched_ext"), "{}", w.not_moved_because(110));
}
