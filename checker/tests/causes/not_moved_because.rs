//! Why no CPU moved it.

use crate::attempts::{EVEN, HEAVY, attempt, each_time, nodes};
use crate::why;

/// One waits on CPU 0 until 55 ms, and another from 60 to 68 ms: both queues are left alone by an attempt at 50 ms, if any.
fn two_waits(at_50ms: &str) -> String {
    let first = "0us thread 111 w on 0 asleep mask 0-7\n55ms switch 0: 100 S -> 110\n60ms wakeup 111 on 0\n68ms switch 0: 110 S -> 111\n";
    nodes("4.1", &format!("attempts recorded\n{at_50ms}{first}"))
}

#[test]
fn a_wait_too_short_for_an_attempt_lasts_for_what_the_last_one_concluded() {
    let w = why(&two_waits(&format!("{}{}", attempt("25ms", HEAVY), attempt("50ms", HEAVY))));
    assert_eq!(w.not_moved_because(110), "periodic ran and found balance: group average hides idle cores, proved");
    assert_eq!(w.not_moved_because(111), "periodic ran and found balance: group average hides idle cores, consistent");
    assert!(w.cause(111, "not_moved_because").decisive);
    // Attempts over both nodes are due every 16 ms; of what sixteen of them would have found, the last one says enough.
    let later = |from: &str, to: &str| {
        let text = two_waits(&attempt("50ms", HEAVY)).replace("window 0us 200ms", "window 0us 500ms");
        let text = text.replace("60ms wakeup 111", &format!("{from} wakeup 111"));
        why(&text.replace("68ms switch 0", &format!("{to} switch 0"))).not_moved_because(111)
    };
    let averages = "periodic ran and found balance: group average hides idle cores, consistent";
    assert_eq!(later("305ms", "313ms"), averages);
    assert_eq!(later("307ms", "315ms"), "periodic did not run, consistent");
    // One that was for another group, or moved a thread, explains nothing.
    for other in
        [attempt("50ms", HEAVY).replace("attempt 5", "attempt 1"), "50ms attempt 5 over 1 idle pulled 1\n".into()]
    {
        let w = why(&two_waits(&other));
        assert_eq!(w.not_moved_because(111), "periodic did not run, consistent");
        assert!(!w.cause(111, "not_moved_because").decisive, "it was not due yet");
    }
}

#[test]
fn an_attempt_that_lies_too_far_back_explains_nothing() {
    let late = two_waits(&attempt("50ms", HEAVY)).replace("window 0us 200ms", "window 0us 900ms");
    let late = late.replace("60ms wakeup 111", "500ms wakeup 111").replace("68ms switch", "508ms switch");
    assert_eq!(why(&late).not_moved_because(111), "periodic did not run, consistent");
}

#[test]
fn loads_without_threads_explain_nothing() {
    let blank = [(0, 2), (0, 1), (0, 1), (0, 1), (0, 1), (0, 0), (0, 0), (0, 0)];
    for kernel in ["4.1", "6.1"] {
        let w = why(&nodes(kernel, &each_time(&attempt("50ms", blank))));
        assert_eq!(w.not_moved_because(110), "periodic ran and found balance, proved", "{kernel}");
    }
}

#[test]
fn no_attempt_at_all_is_a_missing_kick_and_only_consistent() {
    // Attempts are reported: a busy CPU makes one over its own cache.
    let w = why(&nodes("6.1", "2ms attempt 1 over 0 busy pulled 0\n"));
    assert_eq!(w.not_moved_because(110), "nohz kick missing, consistent");
}

#[test]
fn where_every_attempt_is_recorded_none_at_all_is_a_missing_kick_too() {
    assert_eq!(why(&nodes("6.1", "")).not_moved_because(110), "unknown, unknown");
    assert_eq!(why(&nodes("6.1", "attempts recorded\n")).not_moved_because(110), "nohz kick missing, consistent");
}

#[test]
fn the_attempt_that_ends_the_wait_did_not_leave_it() {
    let ends = "attempts recorded\n80ms attempt 5 over 1 idle pulled 1\n80ms migrate 110 from 0 to 5 by nohz\n";
    assert_eq!(why(&nodes("6.1", ends)).not_moved_because(110), "nohz kick missing, consistent");
    let looked = format!("40ms attempt 5 over 1 idle pulled 0\n{ends}");
    assert_eq!(why(&nodes("6.1", &looked)).not_moved_because(110), "periodic ran and found balance, consistent");
}

#[test]
fn where_kicks_are_recorded_a_missing_one_is_proved_and_one_that_came_refutes_it() {
    let busy = "2ms attempt 1 over 0 busy pulled 0\n";
    // A kick before the wait says that kicks are recorded.
    let early = nodes("6.12", busy).replace("1ms wakeup", "0.5ms kick 7 by 0\n1ms wakeup");
    assert_eq!(why(&early).not_moved_because(110), "nohz kick missing, proved");
    for came in ["90ms kick 7 by 0\n90.1ms softirq 7\n", "90ms softirq 6\n"] {
        let w = why(&nodes("6.12", &format!("{busy}{came}")));
        assert_eq!(w.not_moved_because(110), "periodic did not run, proved", "{came}");
    }
}

/// CPU 5 goes idle at 0.4 ms, before a thread waits from 1 to 200 ms; its periodic attempts are due so long after. All kicks and
/// attempts are drawn.
fn due_after(due: &str, more: &str) -> String {
    let idles = format!("0.3ms newidle 5\n0.3ms decides due {due}\n0.4ms switch 5: 105 S -> 0\n");
    let text = nodes("6.12", more).replace("1ms wakeup", &format!("{idles}1ms wakeup"));
    let text = text.replace("0us cpu 5 idle", "0us cpu 5 runs 105").replace("cpu 6 idle", "cpu 6 runs 106");
    format!("attempts recorded\nkicks recorded\n{}", text.replace("cpu 7 idle", "cpu 7 runs 107"))
}

#[test]
fn that_no_idle_cpu_was_kicked_is_proved_where_its_attempts_were_due() {
    let said = |due: &str, more: &str| why(&due_after(due, more)).not_moved_because(110);
    assert_eq!(said("8ms", ""), "nohz kick missing, proved");
    assert_eq!(said("90ms", ""), "nohz kick missing, proved", "due for most of the wait");
    assert_eq!(said("8ms", "20ms kick 5 by 0 to balance\n20.1ms softirq 5 due 4ms\n"), "periodic did not run, proved");
    // A kick for loads is none to balance, and its softirq leaves what is due as it is.
    assert_eq!(said("8ms", "20ms kick 5 by 0 for loads\n20.1ms softirq 5 due 0ms\n"), "nohz kick missing, proved");
    // One that is answered late may have become one to balance before it arrived.
    let late = "20ms kick 5 by 0 for loads\n22ms softirq 5 due 0ms\n";
    assert_eq!(said("8ms", late), "periodic did not run, proved");
    // One that finds the CPU busy comes to nothing, and the next softirq there is of its own tick.
    let busy = "20ms kick 6 by 0 for loads\n20.1ms switch 6: 106 S -> 0\n20.2ms switch 6: 0 R -> 106\n";
    assert_eq!(said("8ms", busy), "periodic did not run, proved", "what it was for then is not known");
    // Lost events may have been a kick.
    assert_eq!(said("8ms", "20ms lost 3 until 21ms\n"), "nohz kick missing, consistent");
    // The CPU's own tick: it needs no kick.
    assert_eq!(said("8ms", "20ms softirq 5 due 4ms\n"), "periodic did not run, proved");
    // Attempts that another CPU makes for it may change when the next is due; over a smaller domain they do not refute it.
    let for_it = "20ms attempt 5 over 0 idle pulled 0\n";
    assert_eq!(said("8ms", for_it), "periodic did not run, proved");
}

#[test]
fn attempts_that_the_kernel_holds_not_due_are_not_missing_for_want_of_a_kick() {
    let said = |due: &str, more: &str| why(&due_after(due, more)).not_moved_because(110);
    assert_eq!(said("150ms", ""), "periodic did not run, proved", "later, as kernels may choose");
    let long = ["proved", "consistent"].map(|proof| format!("periodic did not run: interval too long, {proof}"));
    assert_eq!(said("300ms", ""), long[1], "as after attempts that met pinned threads");
    assert_eq!(said("2s", ""), long[0], "not by a kernel as it is");
    let kicked = "20ms kick 5 by 0 to balance\n20.1ms softirq 5 due 2s\n";
    assert_eq!(said("8ms", kicked), long[0], "as the balancer left it");
    // After a kick to another CPU, which balances for all, it is not known what is due.
    assert_eq!(
        said("300ms", "20ms kick 6 by 0 to balance\n20.1ms softirq 6 due 900ms\n"),
        "periodic did not run, proved"
    );
    // A thread that runs meanwhile, too.
    let runs = "30ms switch 5: 0 R -> 105\n31ms switch 5: 105 S -> 0\n";
    assert_eq!(said("300ms", runs), "nohz kick missing, consistent");
    let again = "30ms switch 5: 0 R -> 105\n31ms newidle 5\n31ms decides due 2s\n31ms switch 5: 105 S -> 0\n";
    assert_eq!(said("8ms", again), long[0]);
}

#[test]
fn a_late_kick_is_another_case_than_a_missing_one() {
    let said =
        |came: &str| why(&nodes("6.12", &format!("2ms attempt 1 over 0 busy pulled 0\n{came}"))).not_moved_because(110);
    assert_eq!(said("20ms kick 5 by 0\n"), "nohz kick late, consistent");
    assert_eq!(said("20ms kick 5 by 0\n150ms softirq 5\n"), "nohz kick late, consistent");
    assert_eq!(said("20ms kick 5 by 0\n25ms softirq 5\n"), "periodic did not run, proved");
    assert_eq!(said("20ms kick 5 by 0\n25ms softirq 6\n"), "nohz kick late, consistent", "of that CPU's own tick");
    let other = "20ms kick 5 by 0\n24ms kick 6 by 0\n25ms softirq 6\n";
    assert_eq!(said(other), "periodic did not run, proved", "which balances for all");
    assert_eq!(said("150ms kick 5 by 0\n"), "periodic did not run, proved", "for most of the time there was no kick");
}

#[test]
fn attempts_that_took_others_and_came_too_seldom_did_not_run() {
    let pulled = |at: &str| format!("{at} attempt 5 over 1 idle pulled 1\n");
    let said = |times: &[&str]| why(&nodes("6.1", &times.iter().map(|at| pulled(at)).collect::<String>()));
    assert_eq!(said(&["150ms"]).not_moved_because(110), "periodic did not run, consistent");
    assert_eq!(said(&["20ms", "60ms", "100ms", "150ms"]).not_moved_because(110), "unknown, unknown");
}

#[test]
fn attempts_that_never_reach_the_other_node_did_not_run_there() {
    let w = why(&nodes("6.1", "2ms attempt 5 over 0 idle pulled 0\n60ms attempt 6 over 0 idle pulled 0\n"));
    assert_eq!(w.not_moved_because(110), "periodic did not run, proved");
}

#[test]
fn without_attempts_in_the_trace_nothing_is_said() {
    assert_eq!(why(&nodes("6.1", "")).not_moved_because(110), "unknown, unknown");
}

/// Four nodes of two CPUs in a ring, 0-1-3-2-0: CPUs of node 1 are crowded by threads that may use nodes 1 and 2, two hops apart.
fn ring(kernel: &str, more: &str) -> String {
    let busy: String = (0..8)
        .map(|c| {
            if (4..6).contains(&c) { format!("0us cpu {c} idle\n") } else { format!("0us cpu {c} runs {}\n", 100 + c) }
        })
        .collect();
    format!(
        "kernel {kernel}\ncpus 0-7\nnode 0-1 2-3 4-5 6-7\nllc 0-1 2-3 4-5 6-7\nhops 0-1 0-2 1-3 2-3\nwindow 0us 200ms\n\
         domain MC 0-1 2-3 4-5 6-7\ndomain NUMA 0-5 1,0,2,3,4,5 2,0,1,3,6,7 3,0,1,2,6,7 4,0,1,5,6,7 5,0,1,4,6,7 6,2,3,4,5,7 7,2,3,4,5,6\n\
         domain NUMA 0-7\n{busy}0us thread 110 w on 2 queued mask 2-5\n{more}"
    )
}

#[test]
fn groups_built_from_the_first_cpu_on_put_nodes_two_hops_apart_into_one() {
    let w = why(&ring("4.1", ""));
    assert_eq!(w.not_moved_because(110), "groups misbuilt, consistent");
    assert!(!why(&ring("4.13", "")).not_moved_because(110).contains("misbuilt"), "built from each CPU's own node");
    let release = ring("4.1", "").replace("kernel 4.1\n", "");
    assert!(!why(&release).not_moved_because(110).contains("misbuilt"), "an unknown release");
}

#[test]
fn groups_of_which_a_cpu_of_other_nodes_is_in_charge_are_misbuilt() {
    // CPUs 4 and 5 idle, and so does CPU 0, which lies within what they see, and sees both sides itself.
    let said = |by_4: &str, by_0: &str| {
        let attempts = format!(
            "50ms attempt 4 over 2 idle pulled 0\n50ms searched {by_4}\n60ms attempt 0 over 2 idle pulled 0\n60ms searched {by_0}\n"
        );
        why(&ring("6.1", &attempts).replace("0us cpu 0 runs 100", "0us cpu 0 idle")).not_moved_because(110)
    };
    assert_eq!(said("not_made", "none"), "groups misbuilt, consistent");
    assert_ne!(said("none", "none"), "groups misbuilt, consistent", "CPU 4 balances for its group itself");
    assert_ne!(said("not_made", "not_made"), "groups misbuilt, consistent", "no CPU does");
}

#[test]
fn misbuilt_groups_are_proved_by_an_attempt_that_counts_both_to_its_own() {
    let sees = |dst: u32, cpus: &[u32]| -> String {
        let one = |c: &u32| format!("50ms sees {c} load 0 threads 0\n");
        let cpus: String = cpus.iter().map(one).collect();
        format!("50ms attempt {dst} over 2 busy pulled 0\n{cpus}50ms chose none\n")
    };
    let said = |dst, cpus| why(&ring("4.1", &sees(dst, cpus))).not_moved_because(110);
    let misbuilt = [0, 1, 2, 3, 4, 5, 2, 3, 4, 5, 6, 7];
    assert_eq!(said(5, &misbuilt), "groups misbuilt, proved");
    assert_eq!(
        said(0, &misbuilt),
        "groups misbuilt, consistent",
        "that is CPU 0's own group also where groups are right"
    );
    let short = [0, 1, 2, 3, 0, 1, 4, 5, 6, 7];
    assert_eq!(said(0, &short), "groups misbuilt, consistent", "its own group ends before the idle CPU");
    let from_its_node = [0, 1, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7];
    assert!(!said(5, &from_its_node).contains("misbuilt"), "the idle CPU's own group lacks the busy one");
}

#[test]
fn recorded_groups_prove_that_they_are_misbuilt_or_refute_it() {
    let grouped = |kernel: &str, groups: &str, more: &str| {
        let text = ring(kernel, more).replace("domain NUMA 0-7\n", &format!("domain NUMA 0-7\ngroups {groups}\n"));
        why(&text).not_moved_because(110)
    };
    let attempt = "50ms attempt 4 over 2 idle pulled 0\n50ms searched none\n";
    let left = "50ms attempt 4 over 2 idle pulled 0\n50ms searched not_made\n60ms attempt 6 over 2 idle pulled 0\n60ms searched none\n";
    // From CPU 0 on for every CPU: nodes 0, 1 and 2, then 1, 2 and 3. CPUs 2 and 4 share the first.
    for kernel in ["4.1", "6.1"] {
        assert_eq!(grouped(kernel, "0-5 2-7", attempt), "groups misbuilt, proved", "{kernel}");
        assert!(!grouped(kernel, "0-1,4-7 0-3,6-7", attempt).contains("misbuilt"), "{kernel}: apart");
        assert!(
            !grouped(kernel, "0-1,4-7 0-3,6-7", left).contains("misbuilt"),
            "{kernel}: apart, though CPU 6 balances"
        );
        // An attempt takes threads out of any group without the CPU that it is for.
        assert!(!grouped(kernel, "0-5 0-3,6-7", attempt).contains("misbuilt"), "{kernel}: in another group, too");
        assert_eq!(
            grouped(kernel, "0-1,4-7 2-5", attempt),
            "groups misbuilt, proved",
            "{kernel}: not in its own, but hidden"
        );
    }
    let crossed =
        "0us thread 111 w on 3 queued mask 2-5\n1ms migrate 111 from 3 to 4 by periodic\n1ms switch 4: 0 R -> 111\n";
    assert!(!grouped("6.1", "0-5 2-7", crossed).contains("misbuilt"), "a move between the sides");
    // The only group with waiters has CPU 4, for which the attempt is: it compares none with its own.
    let threads = [1, 1, 2, 1, 0, 0, 1, 1];
    let saw: String = (0..8).map(|c| format!("50ms sees {c} load {} threads {}\n", 10 * c, threads[c])).collect();
    let attempts = each_time(&format!("50ms attempt 4 over 2 idle pulled 0\n{saw}50ms chose none\n"));
    let found = grouped("6.1", "0-1,4-7 2-5", &format!("{crossed}{attempts}"));
    assert_eq!(found, "periodic ran and found balance, proved");
}

#[test]
fn nodes_of_different_groups_are_not_misbuilt() {
    // Node 3 is not within a hop of CPU 0: its group is its own, and node 0 lies in the first.
    let text = ring("4.1", "").replace("queued mask 2-5", "queued mask 2-3").replace("110 w on 2", "110 w on 0");
    let text = text.replace("mask 2-3", "mask 0,1,6,7").replace("0us cpu 6 runs 106", "0us cpu 6 idle");
    assert!(!why(&text).not_moved_because(110).contains("misbuilt"), "{}", why(&text).not_moved_because(110));
}

#[test]
fn a_move_between_the_nodes_refutes_misbuilt_groups() {
    let moved =
        "0us thread 111 w on 3 queued mask 2-5\n1ms migrate 111 from 3 to 4 by periodic\n1ms switch 4: 0 R -> 111\n";
    let w = why(&ring("4.1", moved));
    assert!(!w.not_moved_because(110).contains("misbuilt"), "{}", w.not_moved_because(110));
}

/// A large CPU with two threads beside a small idle one, and an attempt for the small one that saw both.
fn sizes(kernel: &str, small: &str) -> String {
    format!(
        "kernel {kernel}\ncpus 0-1\nllc 0-1\nnode 0-1\n{small}window 0us 200ms\ndomain MC 0-1\n0us cpu 0 runs 100\n0us cpu 1 idle\n\
         1ms wakeup 110 on 0\n50ms attempt 1 over 0 idle pulled 0\n50ms sees 0 load 2048 threads 2\n50ms sees 1 load 0 threads 0\n\
         50ms chose none\n"
    )
}

#[test]
fn a_smaller_cpu_that_finds_balance_against_its_loads_is_left_for_its_size() {
    let w = why(&sizes("6.1", "capacity 400 1\n"));
    assert_eq!(w.not_moved_because(110), "periodic ran and found balance: asymmetric capacity, consistent");
    for other in [sizes("6.1", ""), sizes("6.1", "capacity 400 0\n"), sizes("4.19", "capacity 400 1\n")] {
        assert_ne!(why(&other).not_moved_because(110), w.not_moved_because(110));
    }
}

/// As `nodes`, with a NUMA domain of this interval, for half a second, and an attempt over it from time to time.
fn paced(interval: &str, every_ms: usize) -> String {
    let attempts: String =
        (1..500).step_by(every_ms).map(|ms| format!("{ms}ms attempt 5 over 1 idle pulled 0\n")).collect();
    nodes("6.1", &attempts).replace("pct 125", &format!("interval {interval}")).replace("200ms", "500ms")
}

#[test]
fn attempts_as_rare_as_a_long_interval_says_are_the_cause_and_not_what_they_found() {
    let w = why(&paced("60s", 400));
    assert_eq!(w.not_moved_because(110), "periodic did not run: interval too long, proved");
    assert_eq!(w.cause(110, "not_moved_because").rule.as_deref(), Some("interval-too-long"));
    for other in [paced("60s", 20), paced("8ms", 400)] {
        assert!(!why(&other).not_moved_because(110).contains("interval"), "{}", why(&other).not_moved_because(110));
    }
    let not_recorded = nodes("6.1", "").replace("pct 125", "interval 60s");
    assert_eq!(why(&not_recorded).not_moved_because(110), "periodic did not run: interval too long, consistent");
}

/// CPU 0 runs 100 with 110 behind it; CPU 1 goes idle at 2 ms and takes 110 at 12 ms. What it did for work before: `looked`.
fn goes_idle(looked: &str) -> String {
    format!(
        "kernel 6.1\ncpus 0-3\nllc 0-3\nnode 0-3\nwindow 0us 20ms\ndomain MC 0-3\n0us cpu 0 runs 100\n0us cpu 1 runs 101\n\
         0us cpu 2 runs 102\n0us cpu 3 runs 103\n0.1ms newidle 3\n0.1ms switch 3: 103 S -> 0\n0.2ms switch 3: 0 R -> 103\n\
         1ms wakeup 110 on 0\n{looked}\n2ms switch 1: 101 S -> 0\n12ms migrate 110 from 0 to 1 by periodic\n\
         12ms switch 1: 0 R -> 110\n"
    )
}

#[test]
fn what_a_cpu_did_as_it_went_idle_proves_nothing_of_a_thread_that_came_later() {
    // 111 comes to the queue at 5 ms; 110 leaves it at 6 ms.
    let later = "5ms wakeup 111 on 0\n6ms switch 0: 100 S -> 110\n";
    let text = goes_idle("2ms newidle 1");
    let text = text.replace("12ms migrate 110 from 0 to 1 by periodic\n12ms switch 1: 0 R -> 110\n", later);
    let w = why(&text);
    assert_eq!(w.not_moved_because(110), "newidle did not run (cut off), proved");
    assert_eq!(w.not_moved_because(111), "newidle did not run (cut off), consistent");
}

#[test]
fn a_cpu_that_went_idle_without_looking_was_cut_off() {
    let w = why(&goes_idle("2ms newidle 1"));
    assert_eq!(w.not_moved_because(110), "newidle did not run (cut off), proved");
    assert_eq!(w.ended_by(110), "periodic, proved");
    assert_eq!(w.placed_by(110), "wakeup, consistent");
    let silent = why(&goes_idle(""));
    assert_eq!(silent.not_moved_because(110), "newidle did not run (cut off), proved");
}

#[test]
fn what_a_cpu_about_to_idle_decided_by_says_why_it_did_not_look() {
    let said = |decides: &str| why(&goes_idle(&format!("2ms newidle 1\n2ms decides {decides}"))).not_moved_because(110);
    assert_eq!(said("overloaded pending"), "newidle did not run: wakeup pending, proved");
    assert_eq!(said("dice"), "newidle did not run: no CPU overloaded, proved");
    assert_eq!(said("overloaded short 0 dice"), "newidle did not run: idle too short, proved");
    assert_eq!(said("overloaded dice"), "newidle did not run: dice, consistent");
    // Nothing of what is recorded kept it from looking.
    assert_eq!(said("overloaded"), "newidle did not run (cut off), proved");
    let looked = goes_idle("2ms newidle 1\n2ms decides overloaded dice\n2ms attempt 1 over 0 newly pulled 0");
    assert_eq!(why(&looked).not_moved_because(110), "newidle ran and pulled nothing, proved");
    let pulled = why(&looked.replace("pulled 0", "pulled 1")).not_moved_because(110);
    assert!(!pulled.contains("newidle"), "another thread, which it has left since: {pulled}");
    // Which domain joins the two CPUs is not known after others went off or on, nor whether one does.
    let nowhere = goes_idle("1.1ms offline 3\n1.2ms online 3\n2ms newidle 1");
    assert_eq!(why(&nowhere).not_moved_because(110), "newidle did not run (cut off), consistent");
    let unknown = looked.replace("2ms newidle 1", "1.1ms offline 3\n1.2ms online 3\n2ms newidle 1");
    assert_eq!(why(&unknown).not_moved_because(110), "newidle ran and pulled nothing, consistent");
}

#[test]
fn where_attempts_as_a_rule_leave_threads_one_that_was_not_made_proves_nothing() {
    // For CPU 2, a group of its own, while CPU 3 idles for a moment.
    let said = |attempts: &str| {
        let idles = format!("1.1ms switch 3: 103 S -> 0\n{attempts}1.3ms switch 3: 0 R -> 103\n2ms newidle 1");
        why(&goes_idle(&idles)).not_moved_because(110)
    };
    let left =
        "1.2ms attempt 2 over 0 idle pulled 0\n1.2ms searched found on 0 examined 1 not_allowed 1 running 0 hot 0\n";
    let moved = "1.2ms attempt 2 over 0 idle pulled 1\n";
    assert_eq!(said(""), "newidle did not run (cut off), proved");
    assert_eq!(said(left), "newidle did not run (cut off), consistent");
    assert_eq!(said(&format!("{left}{moved}")), "newidle did not run (cut off), proved");
}

#[test]
fn a_cpu_that_looked_and_took_no_thread_pulled_nothing() {
    let w = why(&goes_idle("2ms newidle 1\n2ms attempt 1 over 0 newly pulled 0"));
    assert_eq!(w.not_moved_because(110), "newidle ran and pulled nothing, proved");
}

#[test]
fn a_cpu_that_was_idle_before_the_thread_came_had_no_chance_to_look() {
    let text = goes_idle("")
        .replace("1ms wakeup", "2ms switch 1: 101 S -> 0\n3ms wakeup")
        .replace("\n2ms switch 1: 101 S -> 0\n12ms", "\n12ms");
    assert!(!why(&text).not_moved_because(110).contains("newidle"), "{}", why(&text).not_moved_because(110));
}

#[test]
fn levels_that_a_kernel_numbers_with_gaps_are_those_of_the_domains() {
    // 6.1 without SMT: MC is its level 2, NUMA 5. Attempts within a node are none over both.
    let within = "30ms attempt 5 over 2 idle pulled 0\n40ms attempt 0 over 2 busy pulled 0\n40ms attempt 0 over 5 busy pulled 0\n\
                  60ms attempt 5 over 2 idle pulled 0\n";
    assert_eq!(why(&nodes("6.1", within)).not_moved_because(110), "periodic did not run, proved");
    let over_both = within.replace("60ms attempt 5 over 2 ", "60ms attempt 5 over 5 ");
    let said = why(&nodes("6.1", &over_both)).not_moved_because(110);
    assert!(!said.starts_with("periodic did not run") && !said.starts_with("unknown"), "{said}");
}

/// Readings every 20 ms from 20 ms on, and what a domain counted up to one of them.
fn readings(counted: &str) -> String {
    let each = (1..=9).map(|n| {
        let more = counted.lines().filter(|line| line.starts_with(&format!("{}ms ", 20 * n)));
        let from = if n == 1 { 20 } else { 20 * n - 20 };
        format!("{}ms counted from {from}ms\n{}", 20 * n, more.map(|line| format!("{line}\n")).collect::<String>())
    });
    each.collect()
}

#[test]
fn counters_that_do_not_change_prove_that_no_attempt_was_made_over_the_common_domain() {
    // CPUs 4-7 search within their node; the kernel counts no attempt of theirs over both.
    let within = "100ms counted 5 over 0 idle 3 busy 0\n120ms counted 0 over 1 idle 0 busy 2";
    let w = why(&nodes("6.1", &readings(within)));
    assert_eq!(w.not_moved_because(110), "periodic did not run, proved");
    assert_eq!(w.cause(110, "not_moved_because").rule.as_deref(), Some("periodic-did-not-run"));
}

#[test]
fn attempts_that_the_kernel_counted_ran_and_moved_no_thread() {
    let w = why(&nodes("6.1", &readings("100ms counted 6 over 1 idle 3 busy 0")));
    assert_eq!(w.not_moved_because(110), "periodic ran and found balance, consistent");
}

#[test]
fn where_no_idle_cpu_counts_an_attempt_none_was_kicked() {
    let w = why(&nodes("6.1", &readings("100ms counted 0 over 1 idle 0 busy 2")));
    assert_eq!(w.not_moved_because(110), "nohz kick missing, consistent");
}

#[test]
fn an_idle_cpu_whose_balancer_was_seen_to_run_had_been_kicked() {
    let counted = readings("100ms counted 0 over 1 idle 0 busy 2");
    let softirq = counted.replacen("120ms ", "110ms irq 7 for 30us vector 7\n120ms ", 1);
    assert_eq!(why(&nodes("6.1", &softirq)).not_moved_because(110), "periodic did not run, proved");
    let other = counted.replacen("120ms ", "110ms irq 7 for 30us vector 3\n120ms ", 1);
    assert_eq!(why(&nodes("6.1", &other)).not_moved_because(110), "nohz kick missing, consistent");
}

/// CPU 5 goes idle at 110 ms beside the waiter of CPU 0, none else of its node idles; counters as given.
fn idles_uncounted(counted: &str) -> String {
    let counted = readings(counted).replacen("120ms ", "110ms switch 5: 105 S -> 0\n120ms ", 1);
    let text = nodes("6.1", &counted).replace("window 0us 200ms", "window 0us 130ms");
    text.replace(
        "0us cpu 5 idle\n0us cpu 6 idle\n0us cpu 7 idle",
        "0us cpu 5 runs 105\n0us cpu 6 runs 106\n0us cpu 7 runs 107",
    )
}

#[test]
fn a_cpu_that_went_idle_and_counted_no_attempt_for_that_was_cut_off() {
    let w = why(&idles_uncounted("120ms counted 5 over 0 newly 1\n120ms counted 6 over 1 newly 3"));
    assert_eq!(w.not_moved_because(110), "newidle did not run (cut off), proved");
    assert_eq!(w.cause(110, "not_moved_because").events.len(), 2, "that it went idle, and the reading");
    for level in [1, 2] {
        let w = why(&idles_uncounted(&format!("120ms counted 5 over {level} newly 1")));
        assert!(!w.not_moved_because(110).contains("newidle"), "{}", w.not_moved_because(110));
    }
}

#[test]
fn a_stopper_that_pushes_no_thread_by_the_counters_is_an_active_balance_that_failed() {
    let stopper = "0us thread 90 migration/0 on 0 asleep mask 0 kernel percpu\n";
    let runs = "50ms switch 0: 100 R -> 90\n50.02ms switch 0: 90 S -> 100\n";
    let text = |counted: &str| {
        let counted = readings(counted).replacen("60ms ", &format!("{runs}60ms "), 1);
        nodes("6.1", &counted).replacen("0us cpu", &format!("{stopper}0us cpu"), 1)
    };
    let w = why(&text("100ms counted 5 over 1 unpushed 1"));
    assert_eq!(w.not_moved_because(110), "active balance failed, consistent");
    let other = why(&text("100ms counted 5 over 0 unpushed 1"));
    assert!(!other.not_moved_because(110).contains("active"), "{}", other.not_moved_because(110));
}

#[test]
fn a_stopper_that_its_own_cpu_woke_pushes_nothing_for_the_balancer() {
    let stopper = "0us thread 90 migration/0 on 0 asleep mask 0 kernel percpu\n";
    let said = |waker: u32| {
        let runs = format!(
            "33ms attempt 5 over 1 idle pulled 0\n33ms searched found on 0 examined 2 not_allowed 0 running 1 hot 1\n\
             50ms waking 90 last 0 by {waker}\n50ms wakeup 90 on 0\n50ms switch 0: 100 R -> 90\n50.02ms switch 0: 90 S -> 100\n"
        );
        let text = nodes("6.1", &runs).replace("window 0us 200ms", "window 0us 65ms");
        why(&text.replacen("0us cpu", &format!("{stopper}0us cpu"), 1)).not_moved_because(110)
    };
    assert_eq!(said(5), "active balance failed, consistent");
    assert_eq!(said(0), "cache-hot refusal, proved", "the watchdog of soft lockups");
}

#[test]
fn counters_read_too_seldom_say_nothing() {
    let w = why(&nodes("6.1", "20ms counted from 20ms\n30ms counted from 20ms\n"));
    assert_eq!(w.not_moved_because(110), "unknown, unknown");
}

#[test]
fn an_attempt_over_a_wider_domain_takes_from_other_groups_and_leaves_out_this_queue() {
    // CPU 3 idles beside CPU 0 in the smaller domain; its attempts over the nodes are none between the two.
    let text =
        nodes("6.1", "attempts recorded\n20ms attempt 3 over 1 idle pulled 0\n60ms attempt 3 over 1 idle pulled 0\n");
    let near = text.replace("0us cpu 3 runs 103", "0us cpu 3 idle");
    let busy =
        (5..8).fold(near, |text, c| text.replace(&format!("cpu {c} idle"), &format!("cpu {c} runs {}", 100 + c)));
    assert_eq!(why(&busy).not_moved_because(110), "periodic did not run, proved");
    let over_both = busy.replace("attempt 3 over 1", "attempt 3 over 0");
    assert_eq!(why(&over_both).not_moved_because(110), "periodic ran and found balance, consistent");
}

#[test]
fn attempts_of_others_do_not_push_those_that_matter_out_of_the_log() {
    let others: String = (0..3000).map(|i| format!("{}us attempt 6 over 0 idle pulled 0\n", 20_000 + 20 * i)).collect();
    let w = why(&nodes("6.1", &format!("attempts recorded\n10ms attempt 5 over 1 idle pulled 0\n{others}")));
    assert_eq!(w.not_moved_because(110), "periodic ran and found balance, consistent");
}

#[test]
fn a_busy_cpu_leaves_the_attempt_to_an_idle_one_of_its_group() {
    let w = why(&nodes("6.1", "50ms attempt 4 over 1 busy pulled 0\n"));
    assert_eq!(w.not_moved_because(110), "nohz kick missing, consistent", "CPUs 5 to 7 idle, and none made an attempt");
    let seen = EVEN.iter().enumerate().map(|(c, (load, n))| format!("50ms sees {c} load {load} threads {n}\n"));
    let looked = format!("50ms attempt 4 over 1 busy pulled 0\n{}50ms chose none\n", seen.collect::<String>());
    assert!(why(&nodes("6.1", &looked)).not_moved_because(110).contains("found balance"), "it looked after all");
}

#[test]
fn a_cpu_that_goes_idle_has_nowhere_to_look_where_no_domain_joins_the_two() {
    let goes_idle = "10ms newidle 5\n10ms switch 5: 105 S -> 0\n30ms switch 0: 100 S -> 110\n";
    let busy = |text: String, cpu| text.replace(&format!("cpu {cpu} idle"), &format!("cpu {cpu} runs 10{cpu}"));
    let joined = (5..8).fold(nodes("6.1", goes_idle), busy);
    assert_eq!(why(&joined).not_moved_because(110), "newidle did not run (cut off), proved");
    let apart = why(&joined.replace("domain NUMA 0-7 pct 125\n", ""));
    assert!(!apart.not_moved_because(110).contains("newidle"), "{}", apart.not_moved_because(110));
}
