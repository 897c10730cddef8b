//! What ended it.

use crate::{NEAR, why};

fn ended(by: &str) -> String {
    why(&format!("{NEAR}\n1ms wakeup 101 on 0\n{by}\n")).ended_by(101)
}

#[test]
fn a_pull_is_what_its_stack_says() {
    assert_eq!(ended("20ms migrate 101 from 0 to 1 by nohz\n20ms switch 1: 0 R -> 101"), "nohz, proved");
    assert_eq!(ended("20ms migrate 101 from 0 to 1 by active\n20ms switch 1: 0 R -> 101"), "active, proved");
    assert_eq!(ended("20ms migrate 101 from 0 to 1 by rt_pull\n20ms switch 1: 0 R -> 101"), "push/pull, proved");
}

#[test]
fn without_a_stack_an_idle_cpu_that_pulls_for_itself_is_the_periodic_balancer() {
    assert_eq!(ended("20ms migrate 101 from 0 to 1\n20ms switch 1: 0 R -> 101"), "periodic, consistent");
}

#[test]
fn a_sched_ext_scheduler_moves_its_threads_and_no_balancer_does() {
    let ended = |by: &str| {
        let thread = "0us thread 101 w on 0 asleep ext\n1ms wakeup 101 on 0";
        why(&format!("kernel 6.12\n{NEAR}\n{thread}\n{by}\n20ms switch 1: 0 R -> 101\n")).ended_by(101)
    };
    assert_eq!(ended("20ms migrate 101 from 0 to 1 by sched_ext"), "sched_ext, proved");
    assert_eq!(ended("20ms migrate 101 from 0 to 1"), "sched_ext, consistent");
    assert_eq!(ended("20ms migrate 101 from 0 to 1 by affinity"), "affinity change, proved");
}

#[test]
fn a_thread_woken_on_the_idle_cpu_ends_it_and_the_other_waits_on() {
    assert_eq!(ended("20ms wakeup 140 on 1\n20ms switch 1: 0 R -> 140"), "woken elsewhere, consistent");
}

#[test]
fn a_thread_that_its_own_cpu_takes_started_in_place() {
    assert_eq!(ended("20ms switch 0: 100 S -> 101"), "started running in place, consistent");
}

#[test]
fn a_mask_that_forbids_the_idle_cpu_ends_it() {
    assert_eq!(ended("20ms affinity 101 0"), "affinity change, proved");
}

#[test]
fn a_thread_without_quota_no_longer_waits() {
    assert_eq!(ended("20ms throttle 101 on"), "blocked or exited, consistent");
}

#[test]
fn an_interval_without_an_end_ends_with_the_trace() {
    assert_eq!(ended(""), "end of trace, proved");
}

#[test]
fn an_interval_cut_by_a_loss_has_no_known_end() {
    assert_eq!(ended("20ms lost 1 until 25ms"), "unknown, unknown");
}

#[test]
fn a_pull_inside_the_interrupt_work_that_made_the_cpu_unusable_is_what_ended_it() {
    // The balancer's softirq takes longer than 20 us: the CPU is busy with interrupts before the move comes.
    let pulled = "20ms irq 1 for 60us\n20030us migrate 101 from 0 to 1 by periodic\n20070us switch 1: 0 R -> 101";
    assert_eq!(ended(pulled), "periodic, proved");
    let just_in_time = "20ms irq 1 for 60us\n20060us migrate 101 from 0 to 1 by nohz\n20070us switch 1: 0 R -> 101";
    assert_eq!(ended(just_in_time), "nohz, proved");
    let too_late = "20ms irq 1 for 60us\n20061us migrate 101 from 0 to 1 by nohz\n20070us switch 1: 0 R -> 101";
    assert_eq!(ended(too_late), "interrupt work, consistent");
}

#[test]
fn interrupt_work_that_moves_nothing_ends_the_wait_by_itself() {
    assert_eq!(ended("20ms irq 1 for 60us\n20030us switch 0: 100 S -> 101"), "interrupt work, consistent");
    assert_eq!(ended("20ms irq 1 for 19us\n20030us switch 0: 100 S -> 101"), "started running in place, consistent");
}

#[test]
fn a_released_thread_that_interrupt_work_pulls_keeps_its_wait_origin() {
    let said = why(&format!(
        "{NEAR}\n1ms affinity 101 0\n1ms wakeup 101 on 0\n2ms affinity 101 0-1\n20ms irq 1 for 60us\n\
         20030us migrate 101 from 0 to 1 by periodic\n20070us switch 1: 0 R -> 101\n"
    ));
    assert_eq!(said.placed_by(101), "affinity change, proved");
    assert_eq!(said.ended_by(101), "periodic, proved");
}
