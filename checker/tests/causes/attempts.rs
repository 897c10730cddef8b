//! What load-balance attempts over the common domain found, and of how much of a wait that is proved.

use crate::why;

/// Two nodes of four CPUs: 0-3 each run a thread and 0 has a second one, 4-7 are idle but for a heavy thread on 4.
pub fn nodes(kernel: &str, more: &str) -> String {
    let busy: String = (0..4).map(|c| format!("0us cpu {c} runs {}\n", 100 + c)).collect();
    format!(
        "kernel {kernel}\ncpus 0-7\nllc 0-3 4-7\nnode 0-3 4-7\nwindow 0us 200ms\ndomain MC 0-3 4-7\n\
         domain NUMA 0-7 pct 125\n{busy}0us cpu 4 runs 104\n0us cpu 5 idle\n0us cpu 6 idle\n0us cpu 7 idle\n\
         1ms wakeup 110 on 0\n{more}"
    )
}

/// An attempt for CPU 5 over the nodes that saw these (load, threads) of CPUs 0-7.
pub fn attempt(at: &str, seen: [(i64, i32); 8]) -> String {
    let rows = seen.iter().enumerate();
    let sees: String = rows.map(|(c, (load, n))| format!("{at} sees {c} load {load} threads {n}\n")).collect();
    format!("{at} attempt 5 over 1 idle pulled 0\n{sees}{at} chose none\n")
}

/// Attempts over both nodes are due every 16 ms: what happens at 50 ms so often that none is overdue while a thread waits from 1 to 200 ms.
pub fn each_time(at_50ms: &str) -> String {
    (1..8).map(|n| at_50ms.replace("50ms", &format!("{}ms", 25 * n))).collect()
}

pub const EVEN: [(i64, i32); 8] = [(2048, 2), (1024, 1), (1024, 1), (1024, 1), (1024, 1), (0, 0), (0, 0), (0, 0)];
pub const HEAVY: [(i64, i32); 8] = [(2048, 2), (1024, 1), (1024, 1), (1024, 1), (9000, 1), (0, 0), (0, 0), (0, 0)];

#[test]
fn a_heavy_thread_hides_idle_cpus_in_the_average_of_its_group() {
    let w = why(&nodes("4.1", &each_time(&attempt("50ms", HEAVY))));
    assert_eq!(w.not_moved_because(110), "periodic ran and found balance: group average hides idle cores, proved");
    assert_eq!(w.cause(110, "not_moved_because").rule.as_deref(), Some("group-averages"));
    let once = why(&nodes("4.1", &attempt("50ms", HEAVY))).not_moved_because(110);
    assert_eq!(
        once, "periodic ran and found balance: group average hides idle cores, consistent",
        "then none for 150 ms"
    );
}

#[test]
fn averages_that_no_rule_of_the_release_compares_are_never_proved() {
    let said = why(&nodes("6.1", &attempt("50ms", HEAVY))).not_moved_because(110);
    assert_eq!(said, "periodic ran and found balance: group average hides idle cores, consistent");
}

#[test]
fn a_node_with_few_threads_may_leave_another_fuller() {
    let said = |kernel, seen| why(&nodes(kernel, &each_time(&attempt("50ms", seen)))).not_moved_because(110);
    let few = [(2048, 2), (1024, 1), (1024, 1), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0)];
    assert_eq!(said("6.1", few), "NUMA imbalance allowed, proved");
    // Five threads on four CPUs are more than the kernel's own rule would leave.
    let more = [(2048, 2), (1024, 1), (1024, 1), (1024, 1), (0, 0), (0, 0), (0, 0), (0, 0)];
    assert_eq!(said("6.1", more), "NUMA imbalance allowed, consistent");
    assert!(!said("5.6", more).contains("NUMA"));
    assert!(!said("6.1", EVEN).contains("NUMA"), "one of four CPUs is a quarter");
}

/// What is said of an attempt on 6.1 that found no group, and saw of each CPU: load, threads, used, runnable.
fn typed(seen: [(i64, i32, i64, i64); 8]) -> String {
    let row = |(c, (load, n, used, ran)): (usize, &(i64, i32, i64, i64))| {
        format!("50ms sees {c} load {load} threads {n} used {used} runnable {ran} of 1024\n")
    };
    let sees: String = seen.iter().enumerate().map(row).collect();
    why(&nodes("6.1", &each_time(&format!("50ms attempt 5 over 1 idle pulled 0\n{sees}50ms searched none\n"))))
        .not_moved_because(110)
}

#[test]
fn groups_are_compared_by_the_types_that_their_use_says() {
    const IDLE: (i64, i32, i64, i64) = (0, 0, 0, 0);
    let light = |n: i32| (10 * i64::from(n), n, 100, 120);
    let full = |n: i32| (1024 * i64::from(n), n, 1024, 1024 * i64::from(n));
    let heavy = |n: i32| (9000, n, 1024, 1024 * i64::from(n));
    let balance = "periodic ran and found balance, proved";
    let averages = "periodic ran and found balance: group average hides idle cores, consistent";
    let allowed = "periodic ran and found balance: allowed imbalance, consistent";

    // Spare capacity on both sides, however many threads: one more there, and no more CPUs idle here than there and one.
    let spare = [light(3), light(1), light(1), light(1), (9000, 3, 100, 120), light(1), IDLE, light(1)];
    assert_eq!(typed(spare), allowed);
    // Overloaded here, spare there: the lower type is not taken from, whatever averages say.
    assert_eq!(typed([light(2), light(1), light(1), light(1), heavy(5), full(2), IDLE, full(2)]), balance);
    // Fully busy on both sides, by what ran and waited: no average is known of a group that is not overloaded.
    let busy = |n: i32| (10, n, 1024, 1800);
    assert_eq!(typed([busy(2), busy(1), busy(1), IDLE, busy(2), busy(1), IDLE, busy(1)]), balance);
    // Fully busy here and overloaded there: averages are compared.
    let there = [full(3), full(2), full(1), full(1)];
    let beside = |here: [(i64, i32, i64, i64); 4]| {
        typed([there[0], there[1], there[2], there[3], here[0], here[1], here[2], here[3]])
    };
    assert_eq!(beside([(9000, 2, 1024, 1800), busy(1), IDLE, busy(1)]), averages);
    // Overloaded on both sides: averages, then the domain's threshold, 125 percent.
    assert_eq!(beside([heavy(3), full(1), IDLE, full(1)]), averages);
    assert_eq!(beside([full(3), full(2), IDLE, full(1)]), allowed, "7 there, 6 here");
    assert_ne!(beside([full(3), (10, 2, 1024, 2048), IDLE, full(1)]), allowed, "7 there, 4 here");
}

#[test]
fn loads_below_the_domains_threshold_are_an_allowed_imbalance() {
    let text = nodes("4.1", &each_time(&attempt("50ms", EVEN))).replace("pct 125", "pct 900");
    assert_eq!(why(&text).not_moved_because(110), "periodic ran and found balance: allowed imbalance, proved");
}

#[test]
fn an_attempt_without_loads_that_moved_no_thread_ran_and_found_balance() {
    // Of an unknown release the rules are not known.
    let text = nodes("6.1", "50ms attempt 5 over 1 idle pulled 0\n").replace("kernel 6.1\n", "");
    assert_eq!(why(&text).not_moved_because(110), "periodic ran and found balance, consistent");
}

#[test]
fn an_attempt_that_met_only_pinned_threads_says_all_pinned() {
    let thread = "0us thread 111 p on 1 queued mask 1\n";
    let attempt = "50ms attempt 5 over 1 idle pulled 0\n50ms chose 1\n";
    let once = why(&nodes("6.1", &format!("{thread}{attempt}"))).not_moved_because(110);
    assert_eq!(once, "periodic ran and found balance: all pinned, consistent", "then none for 150 ms");
    let w = why(&nodes("6.1", &format!("{thread}{}", each_time(attempt))));
    assert_eq!(w.not_moved_because(110), "periodic ran and found balance: all pinned, proved");
    // Each such attempt puts off the next: 33, 65, 129 ms are not too seldom for these, but for others.
    let times = |at_50ms: &str| ["33ms", "65ms", "129ms"].map(|at| at_50ms.replace("50ms", at)).concat();
    let w = why(&nodes("6.1", &format!("{thread}{}", times(attempt))));
    assert_eq!(w.not_moved_because(110), "periodic ran and found balance: all pinned, proved");
    let none = "50ms attempt 5 over 1 idle pulled 0\n50ms searched none\n";
    let w = why(&nodes("6.1", &times(none)));
    assert_eq!(w.not_moved_because(110), "periodic ran and found balance, consistent");
}

#[test]
fn what_an_idle_cpu_met_pinned_goes_for_its_group() {
    // CPU 5 balances for the group; the thread may not use it, but CPU 6.
    let met_by = |masks: &str, idle: &str, counts: &str| {
        let attempt = format!("50ms attempt 5 over 1 {idle} pulled 0\n50ms searched found on 1 {counts}\n");
        let threads = format!("0us thread 110 w on 0 asleep mask 0,6\n0us thread 111 p on 1 queued mask {masks}\n");
        why(&nodes("6.1", &format!("{threads}{}", each_time(&attempt)))).not_moved_because(110)
    };
    let met = |idle: &str, counts: &str| met_by("1", idle, counts);
    let pinned = "examined 2 not_allowed 2 running 0 hot 0";
    assert_eq!(
        met("idle", pinned),
        "periodic ran and found balance: all pinned, consistent",
        "of another queue, for another CPU"
    );
    let balance = "periodic ran and found balance, proved";
    assert_eq!(met_by("1,6", "idle", pinned), balance, "the kernel goes on for CPU 6, and here it did not");
    assert!(!met("newly", pinned).contains("pinned"), "{}: it looks for itself alone", met("newly", pinned));
    assert_eq!(met("idle", "examined 2 not_allowed 1 running 1 hot 0"), "periodic ran and found balance, proved");
}

#[test]
fn the_attempt_after_one_that_met_pinned_threads_is_due_later() {
    // Pairs of a queue and an idle CPU begin anew as the idle CPUs have run something.
    let run = |cpu: u32| format!("21ms wakeup 12{cpu} on {cpu}\n21ms switch {cpu}: 0 R -> 12{cpu}\n");
    let sleep = |cpu: u32| format!("24ms switch {cpu}: 12{cpu} S -> 0\n");
    let all: String = (5..8).map(run).chain((5..8).map(sleep)).collect();
    let attempt = |ms: u32| format!("{ms}ms attempt 5 over 1 idle pulled 0\n{ms}ms chose 1\n");
    let pinned: String = [3, 8, 20].into_iter().map(attempt).collect();
    let text = nodes("6.1", &format!("0us thread 111 p on 1 queued mask 1\n{pinned}{all}"));
    let text = text.replace("window 0us 200ms", "window 0us 140ms");
    let all_pinned = "periodic ran and found balance: all pinned, consistent";
    assert_eq!(why(&text).not_moved_because(110), all_pinned, "16 ms, doubled three times: due at 148 ms");
    let longer = why(&text.replace("window 0us 140ms", "window 0us 200ms")).not_moved_because(110);
    assert_ne!(longer, all_pinned, "by then it was due");
}

#[test]
fn attempts_that_leave_threads_which_just_ran_refuse_them_as_hot() {
    let hot = "50ms switch 0: 100 R -> 110\n50.1ms attempt 5 over 1 idle pulled 0\n50.1ms chose 0\n";
    let soon = nodes("6.1", hot).replace("window 0us 200ms", "window 0us 60ms");
    assert_eq!(why(&soon).not_moved_because(100), "cache-hot refusal, consistent");
}

#[test]
fn an_attempt_proves_what_it_left_for_its_queue_and_its_cpu_alone() {
    // An attempt for CPU 5 left a hot thread of CPU 0, where a thread waits, or of CPU 1.
    let said = |queue: u32, mask: &str| {
        let thread = format!("0us thread 110 w on 0 asleep mask {mask}\n");
        let found = format!("50ms searched found on {queue} examined 2 not_allowed 0 running 1 hot 1\n");
        let attempts = each_time(&format!("50ms attempt 5 over 1 idle pulled 0\n{found}"));
        let text = nodes("6.1", &format!("{thread}{attempts}"));
        why(&text.replace("window 0us 200ms", "window 0us 65ms")).not_moved_because(110)
    };
    assert_eq!(said(0, "0,6"), "cache-hot refusal, proved", "it would have taken this very thread");
    assert_eq!(said(1, "0,5"), "cache-hot refusal, proved", "CPU 5 would idle no longer");
    assert_eq!(said(1, "0,6"), "cache-hot refusal, consistent", "neither");
}

#[test]
fn a_hot_refusal_among_attempts_that_came_too_seldom_is_not_why() {
    // Attempts over both nodes are due every 16 ms.
    let hot = |at: &str| {
        format!(
            "{at} attempt 5 over 1 idle pulled 0\n{at} searched found on 0 examined 2 not_allowed 0 running 1 hot 1\n"
        )
    };
    let said = |times: &[&str], until: &str| {
        let attempts: String = times.iter().map(|at| hot(at)).collect();
        why(&nodes("6.1", &attempts).replace("window 0us 200ms", &format!("window 0us {until}"))).not_moved_because(110)
    };
    assert_eq!(said(&["33ms"], "65ms"), "cache-hot refusal, proved", "one in four, and never more than two overdue");
    assert_eq!(said(&["39ms"], "65ms"), "cache-hot refusal, proved", "overdue for 6 ms of 64");
    assert_eq!(said(&["40ms"], "65ms"), "cache-hot refusal, consistent", "overdue for 7 ms of 64: proved is a tenth");
    assert_eq!(said(&["40ms"], "66ms"), "periodic did not run, consistent");
    assert_eq!(said(&["40ms", "100ms"], "129ms"), "cache-hot refusal, consistent", "two in eight");
    assert_eq!(said(&["40ms", "100ms"], "130ms"), "periodic did not run, consistent");
    // What holds whenever an attempt is made holds for those that were not.
    let pinned = hot("40ms").replace("not_allowed 0 running 1 hot 1", "not_allowed 2 running 0 hot 0");
    let balance = "periodic ran and found balance: all pinned, consistent";
    assert_eq!(why(&nodes("6.1", &pinned)).not_moved_because(110), balance);
}

/// An attempt for CPU 5 at 50 ms that moved no thread, and what it found.
fn searched(found: &str) -> String {
    let text = nodes("6.1", &each_time(&format!("50ms attempt 5 over 1 idle pulled 0\n50ms searched {found}\n")));
    text.replace("window 0us 200ms", "window 0us 60ms")
}

#[test]
fn a_hot_refusal_is_proved_only_where_each_attempt_found_so() {
    // Two attempts in time: of the second no reason is recorded, or it found another one.
    let said = |second: &str| {
        let attempts = format!(
            "10ms attempt 5 over 1 idle pulled 0\n10ms searched found on 0 examined 2 not_allowed 0 running 1 hot 1\n\
             20ms attempt 5 over 1 idle pulled 0\n20ms searched {second}\n"
        );
        why(&nodes("6.1", &attempts).replace("window 0us 200ms", "window 0us 35ms")).not_moved_because(110)
    };
    assert_eq!(said("found on 0 examined 2 not_allowed 0 running 1 hot 1"), "cache-hot refusal, proved");
    assert_eq!(said("found on 0 examined 2 not_allowed 0 running 1 hot 0"), "cache-hot refusal, consistent");
    assert_eq!(said("none"), "cache-hot refusal, consistent");
}

#[test]
fn a_hot_refusal_is_not_proved_where_the_group_left_threads_for_another_reason_shortly_before() {
    // The attempt before the wait left another thread of the same queue, which was hot, pinned, or hidden by averages.
    let said = |at: &str, before: &str| {
        let other = "0us thread 111 w on 0 asleep mask 0-7\n0.1ms wakeup 111 on 0\n";
        let attempts = format!(
            "{other}{at} attempt 5 over 1 idle pulled 0\n{at} searched {before}\n\
             301ms switch 0: 100 S -> 111\n320ms wakeup 110 on 0\n\
             330ms attempt 5 over 1 idle pulled 0\n330ms searched found on 0 examined 2 not_allowed 0 running 1 hot 1\n"
        );
        let text = nodes("6.1", &attempts).replace("1ms wakeup 110 on 0\n", "");
        why(&text.replace("window 0us 200ms", "window 0us 340ms")).not_moved_because(110)
    };
    let hot = "found on 0 examined 2 not_allowed 0 running 1 hot 1";
    let pinned = "found on 0 examined 2 not_allowed 1 running 1 hot 0";
    assert_eq!(said("300ms", hot), "cache-hot refusal, proved");
    assert_eq!(said("300ms", pinned), "cache-hot refusal, consistent");
    assert_eq!(said("300ms", "none"), "cache-hot refusal, consistent");
    assert_eq!(
        said("60ms", pinned),
        "cache-hot refusal, proved",
        "attempts are due every 16 ms: 16 of them go back to 64 ms"
    );
}

#[test]
fn threads_that_prefer_their_cache_are_left_by_cache_aware_scheduling() {
    let said = |release: &str, left: u32| {
        let attempt = format!(
            "50ms attempt 5 over 1 idle pulled 0\n50ms left_in_cache {left} of 0\n\
             50ms searched found on 0 examined 3 not_allowed 0 running 1 hot 0\n"
        );
        why(&nodes(release, &each_time(&attempt))).not_moved_because(110)
    };
    assert_eq!(said("7.2", 2), "cache-aware scheduling, proved");
    assert_eq!(said("7.2", 1), "cache-aware scheduling, consistent");
    assert_eq!(said("7.2", 0), "periodic ran and found balance, proved");
    assert_eq!(said("6.12", 2), "periodic ran and found balance, proved", "which has no such thing");
}

#[test]
fn what_an_attempt_left_threads_for_is_proved_where_it_was_recorded() {
    let said = |found: &str| why(&searched(found)).not_moved_because(110);
    assert_eq!(said("found on 0 examined 2 not_allowed 0 running 1 hot 1"), "cache-hot refusal, proved");
    assert_eq!(said("found on 0 examined 3 not_allowed 2 running 0 hot 1"), "cache-hot refusal, proved");
    let pinned = "periodic ran and found balance: all pinned, proved";
    assert_eq!(said("unknown on 1 examined 3 not_allowed 2 running 1 hot 0"), pinned);
    // Two seem to run, one of which is switched in or out and may be the one that waits.
    let less = said("found on 0 examined 3 not_allowed 1 running 2 hot 0");
    assert_eq!(less, "periodic ran and found balance: all pinned, consistent");
    // One was left for another reason.
    let balance = "periodic ran and found balance, proved";
    assert_eq!(said("found on 0 examined 2 not_allowed 0 running 0 hot 1"), balance);
    // It found the group, and then no queue or no lock.
    assert_eq!(said("found"), balance);
}

#[test]
fn an_attempt_that_found_no_group_ran_for_certain_and_its_reason_is_a_guess() {
    assert_eq!(why(&searched("none")).not_moved_because(110), "periodic ran and found balance, proved");
    let allowed = searched("none").replace("pct 125", "pct 900");
    assert_eq!(why(&allowed).not_moved_because(110), "periodic ran and found balance: allowed imbalance, consistent");
}

#[test]
fn an_attempt_that_returned_without_a_search_did_not_look() {
    let w = why(&searched("not_made"));
    assert!(w.not_moved_because(110).starts_with("periodic did not run"), "{}", w.not_moved_because(110));
}

#[test]
fn a_refusal_of_threads_that_ran_long_ago_is_not_called_hot() {
    let cold = "50ms attempt 5 over 1 idle pulled 0\n50ms chose 0\n";
    assert_eq!(why(&nodes("6.1", &each_time(cold))).not_moved_because(110), "periodic ran and found balance, proved");
}
