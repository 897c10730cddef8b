//! Domains that join nothing, and those that are merely not known.

use crate::why;

/// Two sides of two CPUs: 0 and 1 run, two wait on 0; 2 and 3 are idle for 300 ms. `head` says the domains.
fn sides(head: &str, more: &str) -> String {
    format!(
        "cpus 0-3\nllc 0-1 2-3\nnode 0-1 2-3\nwindow 0us 300ms\n{head}\n0us cpu 0 runs 100\n0us cpu 1 runs 101\n\
         0us cpu 2 idle\n0us cpu 3 idle\n0us thread 110 w on 0 queued\n0us thread 111 w on 0 queued\n{more}"
    )
}

#[test]
fn domains_that_do_not_join_the_two_sides_are_proved_missing() {
    let w = why(&sides("kernel 6.1\ndomain MC 0-1 2-3", ""));
    assert_eq!(w.not_moved_because(110), "domains missing (no common domain), proved");
    assert_eq!(w.ended_by(110), "end of trace, proved");
}

#[test]
fn derived_domains_prove_nothing() {
    let w = why(&sides("kernel 6.1\ndomain MC 0-1 2-3 derived", ""));
    assert_eq!(w.not_moved_because(110), "domains missing (no common domain), consistent");
}

#[test]
fn a_cpu_without_any_domain_has_none_in_common() {
    let w = why(&sides("kernel 6.1\ndomain MC 0-1", ""));
    assert_eq!(w.not_moved_because(110), "domains missing (no common domain), proved");
}

#[test]
fn domains_that_join_them_are_not_missing() {
    let w = why(&sides("kernel 6.1\ndomain MC 0-1 2-3\ndomain NUMA 0-3", ""));
    assert!(!w.not_moved_because(110).contains("domain"), "{}", w.not_moved_because(110));
}

#[test]
fn after_hotplug_domains_that_were_not_recorded_anew_are_not_known() {
    // CPU 3 was off when the domains were recorded: they do not hold it.
    let text =
        sides("kernel 6.1\ndomain MC 0-1\ndomain NUMA 0,1,2", "1ms offline 3\n5ms online 3\n6ms switch 3: 9 S -> 0\n");
    let w = why(&text);
    assert!(
        !w.not_moved_because(110).contains("domain") && !w.not_moved_because(111).contains("domain"),
        "{}",
        w.not_moved_because(111)
    );
}

#[test]
fn domains_recorded_anew_after_hotplug_are_in_force() {
    let head = "kernel 4.1\ndomain MC 0-1 2-3\ndomain NUMA 0-3\ndomain MC 0-1 2-3 since 20ms";
    let text = sides(head, "10ms offline 3\n20ms online 3\n21ms switch 3: 9 S -> 0\n21ms switch 1: 101 R -> 101\n");
    let alone = text.replace("cpu 2 idle", "cpu 2 runs 102");
    assert_eq!(why(&alone).not_moved_because(110), "domains missing (no common domain), proved");
}

#[test]
fn domains_that_change_while_a_pair_lasts_are_those_of_most_of_the_time() {
    let joined = "kernel 6.1\ndomain MC 0-1 2-3\ndomain NUMA 0-3\n";
    let early = why(&sides(&format!("{joined}domain MC 0-1 2-3 since 20ms"), ""));
    assert_eq!(early.not_moved_because(110), "domains missing (no common domain), consistent");
    let late = why(&sides(&format!("{joined}domain MC 0-1 2-3 since 290ms"), ""));
    assert!(!late.not_moved_because(110).contains("domain"), "{}", late.not_moved_because(110));
    let same = why(&sides("kernel 6.1\ndomain MC 0-1 2-3\ndomain MC 0-1 2-3 since 20ms", ""));
    assert_eq!(same.not_moved_because(110), "domains missing (no common domain), proved");
}

#[test]
fn unknown_domains_are_suspected_where_balancing_never_crosses() {
    let moves = "150ms migrate 111 from 0 to 1 by newidle\n";
    let w = why(&sides("kernel 6.1", moves));
    assert_eq!(w.not_moved_because(110), "domains missing (no common domain), consistent");
    assert_eq!(w.cause(110, "not_moved_because").rule.as_deref(), Some("nothing-crosses"));
    // One thread that crossed says that something joins the two.
    let crossed = format!(
        "1ms thread 112 w on 1 queued\n2ms migrate 112 from 1 to 2 by newidle\n2ms switch 2: 0 R -> 112\n3ms switch 2: 112 S -> 0\n{moves}"
    );
    assert!(!why(&sides("kernel 6.1", &crossed)).not_moved_because(110).contains("domain"));
    // On old kernels other faults look the same.
    assert_eq!(why(&sides("kernel 4.1", moves)).not_moved_because(110), "unknown, unknown");
}
