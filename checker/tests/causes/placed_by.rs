//! How a thread came to wait where it waited.

use crate::{NEAR, TWO_LLCS, why};

#[test]
fn a_wakeup_that_leaves_cpus_of_another_cache_idle_searched_one_cache() {
    let w = why(&format!("{TWO_LLCS}\n1ms wakeup 101 on 0\n"));
    assert_eq!(w.placed_by(101), "wakeup: idle-sibling scan limited to one LLC, consistent");
    assert_eq!(w.cause(101, "placed_by").rule.as_deref(), Some("wakeup-one-llc"));
    assert_eq!(w.cause(101, "placed_by").events, [4], "the wakeup");
    assert!(!w.cause(101, "placed_by").decisive, "its mask is not known");
    let known = why(&format!("{TWO_LLCS}\n0us thread 101 w on 0 asleep mask 0-3\n1ms wakeup 101 on 0\n"));
    assert!(known.cause(101, "placed_by").decisive, "it had another CPU to go to");
}

#[test]
fn no_cache_is_named_where_the_trace_does_not_show_which_cpus_share_one() {
    let near = format!("{NEAR}\n1ms wakeup 101 on 0\n");
    assert_eq!(why(&near).placed_by(101), "wakeup: idle-sibling scan cut short, consistent");
    let unknown = near.replace("llc 0-3", "llc unknown");
    assert_eq!(why(&unknown).placed_by(101), "wakeup, consistent");
    let kept = unknown.replace("1ms wakeup", "0us thread 101 w on 0 asleep\n1ms wakeup");
    assert_eq!(why(&kept).placed_by(101), "wakeup, consistent", "another CPU was idle");
}

#[test]
fn it_is_proved_when_the_cpus_scanned_were_recorded() {
    let w = why(&format!("{TWO_LLCS}\n1ms cpus_scanned 101 0-1 chose 0 by 1\n1ms wakeup 101 on 0\n"));
    assert_eq!(w.placed_by(101), "wakeup: idle-sibling scan limited to one LLC, proved");
    assert_eq!(w.cause(101, "placed_by").events, [5, 4]);
}

#[test]
fn it_is_proved_where_no_cpu_of_the_cache_can_have_been_idle_as_it_was_chosen() {
    let text = |before: &str, placed: &str| {
        let asleep = "0us thread 101 w on 0 asleep\n0us thread 100 a on 0 running\n0us thread 102 b on 0 asleep\n";
        let domains = "domain MC 0-1 2-3 flags SD_SHARE_LLC\ndomain NUMA 0-3 flags SD_NUMA\n";
        format!("{TWO_LLCS}\n{domains}{asleep}{before}2ms placed 101 on 0 by 0{placed}\n2ms wakeup 101 on 0\n")
    };
    let said = |before: &str, placed: &str| why(&text(before, placed)).placed_by(101);
    let [proved, consistent] =
        ["proved", "consistent"].map(|proof| format!("wakeup: idle-sibling scan limited to one LLC, {proof}"));
    let waking = "2ms waking 101 last 0 by 0\n";
    assert_eq!(said(waking, " flags 8"), proved);
    assert_eq!(said(&format!("1ms switch 0: 100 S -> 102\n{waking}"), " flags 8"), proved);
    // Without sched_waking: since the last switch of the CPU that chose.
    assert_eq!(said("1ms switch 0: 100 S -> 102\n", " flags 8"), proved);
    // CPU 1, of the same cache, idled after that.
    let idled = "1ms switch 1: 110 S -> 0\n1.5ms switch 1: 0 R -> 110\n";
    assert_eq!(said(&format!("{idled}{waking}"), " flags 8"), proved, "before the wakeup");
    assert_eq!(said(&format!("0.5ms switch 0: 100 S -> 102\n{idled}"), " flags 8"), consistent);
    // No search decides, or whether one does is not recorded; a fork.
    for flags in [" flags 72", "", " flags 4"] {
        assert_eq!(said(waking, flags), consistent, "{flags}");
    }
    assert_eq!(
        said(&format!("0.1ms thread 100 k on 0 running kernel\n{waking}"), " flags 8"),
        consistent,
        "it takes its own CPU"
    );
    // By its domains: what the kernel does not report, or capacities that differ, prove nothing.
    for (shared, other) in
        [(" flags SD_SHARE_LLC", ""), ("SD_SHARE_LLC", "SD_SHARE_LLC,SD_ASYM_CPUCAPACITY"), ("SD_SHARE_LLC", "SD_NUMA")]
    {
        assert_eq!(why(&text(waking, " flags 8").replace(shared, other)).placed_by(101), consistent, "{other}");
    }
}

#[test]
fn the_wakers_cpu_says_where_to_search_too() {
    let text = format!("{TWO_LLCS}\n1ms placed 101 on 0 by 2\n1ms wakeup 101 on 0\n");
    assert_eq!(
        why(&text).placed_by(101),
        "wakeup: idle-sibling scan limited to one LLC, consistent",
        "not what it asked"
    );
}

#[test]
fn being_drawn_to_the_waker_is_consistent_whatever_was_recorded() {
    let busy = NEAR.replace("cpu 1 idle", "cpu 1 runs 110");
    let text = format!(
        "{busy}\n0us thread 101 w on 1 asleep mask 0-3\n1ms waking 101 last 1 by 0\n1ms placed 101 on 0 by 0\n\
         1ms wakeup 101 on 0\n2ms switch 1: 110 S -> 0\n"
    );
    assert!(!why(&text).cause(101, "placed_by").decisive, "no CPU idled at that time");
    assert_eq!(why(&text).placed_by(101), "wakeup: wake-affine, consistent", "the choice was recorded");
    let unknown = text.replace("1ms placed 101 on 0 by 0\n", "");
    assert_eq!(why(&unknown).placed_by(101), "wakeup: wake-affine, consistent");
    let elsewhere = text.replace("placed 101 on 0", "placed 101 on 2");
    assert_eq!(why(&elsewhere).placed_by(101), "wakeup: wake-affine, consistent", "what was chosen it may not use");
}

#[test]
fn a_placement_at_an_exec_says_nothing_of_the_wakeup_after_it() {
    let text = format!(
        "kernel 6.12\n{NEAR}\n0.1ms placed 102 on 2 by 2\n0.5ms fork 100 -> 101\n0.5ms wakeup_new 101 on 0\n\
         1ms switch 0: 100 R -> 101\n1.5ms placed 101 on 0 by 0\n2ms switch 0: 101 S -> 100\n3ms wakeup 101 on 0\n"
    );
    assert_eq!(why(&text).placed_by(101), "fork/exec, consistent", "it was on its queue still");
}

#[test]
fn the_previous_cpu_says_where_to_search_and_is_not_a_search_elsewhere() {
    let text = format!(
        "{TWO_LLCS}\n0us thread 101 w on 2 asleep\n1ms cpus_scanned 101 0-2 chose 0 by 1\n\
         1ms migrate 101 from 2 to 0 by wakeup\n1ms wakeup 101 on 0\n"
    );
    assert_eq!(why(&text).placed_by(101), "wakeup: idle-sibling scan limited to one LLC, proved");
    let far = why(&text.replace("0-2 chose", "0-3 chose"));
    assert!(!far.placed_by(101).contains("one LLC"), "{}", far.placed_by(101));
}

#[test]
fn a_wakeup_that_chose_nothing_found_the_thread_on_its_queue_still() {
    // 102's choice is recorded, so 101's would be.
    let text = format!(
        "kernel 6.12\n{NEAR}\n0.1ms cpus_scanned 102 2 chose 2\n0.5ms fork 100 -> 101\n\
         0.5ms wakeup_new 101 on 0\n1ms switch 0: 100 R -> 101\n2ms switch 0: 101 S -> 100\n3ms wakeup 101 on 0\n"
    );
    assert_eq!(why(&text).placed_by(101), "fork/exec, consistent");
    assert!(why(&text.replace("6.12", "6.11")).placed_by(101).starts_with("wakeup"));
}

#[test]
fn a_wakeup_that_leaves_a_cpu_of_its_cache_idle_was_cut_short() {
    let w = why(&format!("{NEAR}\n1ms wakeup 101 on 0\n"));
    assert_eq!(w.placed_by(101), "wakeup: idle-sibling scan cut short, consistent");
}

#[test]
fn that_it_was_cut_short_is_proved_where_there_was_a_search() {
    let said = |cpus_scanned: &str| {
        why(&format!(
            "{NEAR}\n0us thread 101 w on 0 asleep\n1ms cpus_scanned 101 {cpus_scanned}\n1ms wakeup 101 on 0\n"
        ))
        .placed_by(101)
    };
    assert_eq!(said("0,2-3 chose 0 by 0"), "wakeup: idle-sibling scan cut short, proved", "it scanned others");
    assert!(said("0,2 chose 0 by 0").ends_with("consistent"), "one more may be the CPU it used before that");
    assert_eq!(said("0 chose 0 by 3"), "wakeup: idle-sibling scan cut short, proved", "cut to nothing");
    assert_eq!(
        said("0 chose 0 by 0"),
        "wakeup: idle-sibling scan cut short, consistent",
        "taken without a search, perhaps"
    );
}

#[test]
fn a_search_cut_short_takes_the_idle_cpu_that_the_thread_had() {
    let text = format!(
        "{NEAR}\n0us thread 101 w on 1 asleep\n1ms waking 101 last 1 by 0\n1ms cpus_scanned 101 0-1 chose 0 by 0\n\
         1ms migrate 101 from 1 to 0 by wakeup\n1ms wakeup 101 on 0\n"
    );
    assert_eq!(
        why(&text).placed_by(101),
        "wakeup: wake-affine, consistent",
        "a wakeup drawn there finds its previous CPU, if it idles"
    );
    let unseen = text.replace("1ms cpus_scanned 101 0-1 chose 0 by 0\n", "");
    assert_eq!(why(&unseen).placed_by(101), "wakeup: wake-affine, consistent");
}

#[test]
fn an_idle_cpu_that_the_thread_may_not_use_was_not_missed() {
    let text =
        format!("{NEAR}\n0us thread 101 w on 0 asleep mask 0,2\n1ms wakeup 101 on 0\n1ms switch 2: 120 S -> 0\n");
    assert_eq!(why(&text).placed_by(101), "wakeup: prev cpu kept, consistent");
}

#[test]
fn a_wakeup_on_the_previous_cpu_kept_it() {
    let busy = NEAR.replace("cpu 1 idle", "cpu 1 runs 110");
    let text = format!("{busy}\n0us thread 101 w on 0 asleep\n1ms wakeup 101 on 0\n2ms switch 1: 110 S -> 0\n");
    assert_eq!(why(&text).placed_by(101), "wakeup: prev cpu kept, consistent");
}

#[test]
fn a_wakeup_that_left_an_idle_cpu_it_looked_at_did_not_keep_the_previous_one_for_want_of_another() {
    let text =
        format!("{NEAR}\n0us thread 101 w on 0 asleep\n1ms cpus_scanned 101 0-3 chose 0 by 0\n1ms wakeup 101 on 0\n");
    assert_eq!(why(&text).placed_by(101), "wakeup, proved");
}

#[test]
fn a_wakeup_on_the_wakers_cpu_was_drawn_there() {
    let busy = NEAR.replace("cpu 1 idle", "cpu 1 runs 110");
    let text = format!(
        "{busy}\n0us thread 101 w on 2 asleep\n1ms waking 101 last 2 by 0\n1ms migrate 101 from 2 to 0 by wakeup\n\
         1ms wakeup 101 on 0\n2ms switch 1: 110 S -> 0\n"
    );
    assert_eq!(why(&text).placed_by(101), "wakeup: wake-affine, consistent");
    let elsewhere = text.replace("by 0\n", "by 3\n");
    assert_eq!(why(&elsewhere).placed_by(101), "wakeup, proved", "by the stack of its move");
}

#[test]
fn a_new_thread_waits_where_it_was_created() {
    let w = why(&format!("{NEAR}\n1ms fork 100 -> 101\n1ms wakeup_new 101 on 0\n"));
    assert_eq!(w.placed_by(101), "fork/exec, consistent");
}

#[test]
fn a_thread_that_ran_alone_waits_because_of_the_placement_of_another() {
    let w = why(&format!("{NEAR}\n1ms wakeup 101 on 0\n1ms switch 0: 100 R -> 101\n"));
    assert_eq!(w.placed_by(100), "wakeup: idle-sibling scan cut short, consistent", "that of 101");
    assert_eq!(w.placed_by(101), "", "it runs");
}

#[test]
fn preempted_among_others_it_waits_where_its_arrival_put_it() {
    // 101 came to a busy CPU; that it runs for a while in between changes nothing.
    let text = format!("{NEAR}\n1ms wakeup 101 on 0\n2ms switch 0: 100 R -> 101\n3ms switch 0: 101 R -> 100\n");
    assert_eq!(why(&text).placed_by(101), "wakeup: idle-sibling scan cut short, consistent");
}

#[test]
fn a_thread_released_from_a_pin_was_pinned_and_that_is_proved() {
    let text = format!("{NEAR}\n0us thread 101 w on 0 queued mask 0\n10ms affinity 101 0-3\n");
    let w = why(&text);
    assert_eq!(w.placed_by(101), "affinity change, proved");
    assert_eq!(w.cause(101, "placed_by").events[0], 5, "the new mask");
}

#[test]
fn a_thread_that_a_pin_moved_there_was_pinned_when_it_is_released() {
    let text = format!(
        "{NEAR}\n0us thread 101 w on 2 queued\n1ms migrate 101 from 2 to 0 by affinity\n1ms affinity 101 0\n\
         10ms affinity 101 0-3\n"
    );
    assert_eq!(why(&text).placed_by(101), "affinity change, proved");
}

#[test]
fn a_balancers_move_does_not_unmake_the_pin() {
    let text = format!(
        "{NEAR}\n0us thread 101 w on 2 queued mask 2\n10ms affinity 101 0-3\n11ms migrate 101 from 2 to 0 by nohz\n"
    );
    assert_eq!(why(&text).placed_by(101), "affinity change, consistent");
}

#[test]
fn a_mask_that_always_held_the_idle_cpu_is_not_a_pin() {
    let text = format!("{NEAR}\n0us thread 101 w on 0 queued mask 0,1\n1ms affinity 101 0-3\n");
    assert_eq!(why(&text).placed_by(101), "unknown, unknown", "it was queued there when the trace began");
}

#[test]
fn a_move_while_runnable_is_proved_by_its_stack() {
    let at = "0us thread 101 w on 2 queued\n1ms migrate 101 from 2 to 0 by";
    for (path, answer) in [
        ("periodic", "periodic balance"),
        ("nohz", "nohz balance"),
        ("numa", "NUMA balance"),
        ("rt_push", "RT/DL push"),
        ("dl_pull", "RT/DL pull"),
        ("cgroup", "cgroup move"),
        ("hotplug", "hotplug push"),
        ("affinity", "affinity change"),
    ] {
        let w = why(&format!("{NEAR}\n{at} {path}\n"));
        assert_eq!(w.placed_by(101), format!("{answer}, proved"));
    }
}

#[test]
fn a_push_was_decided_before_it_was_carried_out() {
    let w = why(&format!("{NEAR}\n0us thread 101 w on 2 queued\n1ms migrate 101 from 2 to 0 by active\n"));
    assert_eq!(w.placed_by(101), "active balance, consistent");
}

#[test]
fn a_thread_that_waited_when_a_balancer_moved_it_waits_for_what_made_it_wait_first() {
    let text =
        format!("{NEAR}\n0.5ms fork 120 -> 101\n0.5ms wakeup_new 101 on 2\n1ms migrate 101 from 2 to 0 by periodic\n");
    let w = why(&text);
    assert_eq!(w.placed_by(101), "fork/exec, consistent");
    assert_eq!(w.cause(101, "placed_by").rule.as_deref(), Some("moved-as-it-waited"));
    assert_eq!(why(&text.replace("periodic", "affinity")).placed_by(101), "affinity change, proved");
}

#[test]
fn a_thread_put_beside_one_that_ran_alone_makes_it_wait() {
    let text = format!("{NEAR}\n1ms fork 100 -> 101\n1ms wakeup_new 101 on 0\n1.1ms switch 0: 100 R -> 101\n");
    let w = why(&text);
    assert_eq!(w.placed_by(100), "fork/exec, consistent");
    assert_eq!(w.cause(100, "placed_by").rule.as_deref(), Some("crowded-by-another"));
    let nowhere = text.replace("cpu 1 idle", "cpu 1 runs 110") + "5ms switch 1: 110 S -> 0\n";
    assert_eq!(why(&nowhere).placed_by(100), "preempted in place, consistent", "the other had no idle CPU to go to");
}

#[test]
fn the_cpus_scanned_refute_a_search_that_left_them_out() {
    let w = why(&format!("{NEAR}\n1ms cpus_scanned 101 0-3 chose 0\n1ms wakeup 101 on 0\n"));
    assert!(!w.placed_by(101).contains("cut short"), "{}", w.placed_by(101));
    let w = why(&format!("{TWO_LLCS}\n1ms cpus_scanned 101 0-3 chose 0\n1ms wakeup 101 on 0\n"));
    assert!(!w.placed_by(101).contains("one LLC"), "{}", w.placed_by(101));
}

#[test]
fn without_a_stack_a_move_by_a_busy_cpu_is_not_explained() {
    let w = why(&format!("{NEAR}\n0us thread 101 w on 2 queued\n1ms migrate 101 from 2 to 0\n"));
    assert_eq!(w.placed_by(101), "unknown, unknown");
}

#[test]
fn a_thread_of_a_sched_ext_scheduler_was_placed_by_it() {
    let text = format!("kernel 6.12\n{NEAR}\n0us thread 101 w on 0 asleep ext\n1ms wakeup 101 on 0\n");
    let w = why(&text);
    assert_eq!(w.placed_by(101), "sched_ext, proved");
    assert_eq!(w.not_moved_because(101), "not applicable (sched_ext), proved");
    assert_eq!(why(&text.replace("6.12", "6.1")).placed_by(101), "wakeup: idle-sibling scan cut short, consistent");
}
