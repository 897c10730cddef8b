//! The invariant at an instant: who is idle, who waits, and what the excuses take off, in drawn traces.

mod common;
use common::{US, check_drawn};

/// A machine of two nodes, CPU 0 with a thread and a waiter, all else idle.
fn one_waiter(mask: &str, machine: &str) -> String {
    format!(
        "{machine}
         window 0us 100us
         0us cpu 0 runs 100
         0us cpu 1 idle
         0us cpu 2 idle
         0us cpu 3 idle
         0us thread 100 busy on 0 running mask 0-3
         0us thread 101 waiter on 0 queued {mask}"
    )
}

const NODES: &str = "cpus 0-3\n llc 0-1 2-3\n node 0-1 2-3";

#[test]
fn one_waiter_beside_three_idle_cpus_wastes_one_core() {
    assert_eq!(check_drawn(&one_waiter("mask 0-3", NODES)).wasted(), [(0, 100 * US, 1, 1, 1)]);
}

#[test]
fn an_unknown_mask_wastes_a_core_but_not_certainly() {
    let f = check_drawn(&one_waiter("", NODES));
    assert_eq!(f.wasted(), [(0, 100 * US, 1, 0, 1)]);
    assert_eq!(f.data_quality("unknown_mask_threads", None), 1);
}

#[test]
fn a_per_cpu_kernel_thread_known_by_name_is_excused_and_certain() {
    let f = check_drawn(&format!("{}\n 40us name 101 kworker/0:1H", one_waiter("kernel", NODES)));
    assert_eq!(f.wasted(), [(0, 40 * US, 1, 0, 1), (40 * US, 100 * US, 0, 0, 1)]);
    assert_eq!(f.ledger().into_iter().collect::<Vec<_>>(), [("per_cpu_thread", 60 * US)]);
    let unbound = check_drawn(&format!("{}\n 40us name 101 kworker/u8:1", one_waiter("kernel", NODES)));
    assert_eq!(unbound.ledger().len(), 0);
}

#[test]
fn a_cpuset_is_distinguished_from_a_mask() {
    let f = check_drawn(&one_waiter("mask 0 cpuset 0", NODES));
    assert_eq!(f.ledger().into_iter().collect::<Vec<_>>(), [("cpuset", 100 * US)]);
    let g = check_drawn(&one_waiter("mask 0 cpuset 0-3", NODES));
    assert_eq!(g.ledger().into_iter().collect::<Vec<_>>(), [("affinity", 100 * US)]);
}

#[test]
fn an_isolated_cpu_does_not_help() {
    let f = check_drawn(&one_waiter("mask 0,3", &format!("{NODES}\n isolated 3")));
    assert_eq!(f.ledger().into_iter().collect::<Vec<_>>(), [("isolated", 100 * US)]);
}

#[test]
fn interrupt_work_on_swapper_is_not_idleness() {
    let f = check_drawn(&format!("{}\n 30us irq 1 for 25us", one_waiter("mask 0-1", NODES)));
    assert_eq!(f.wasted(), [(0, 30 * US, 1, 1, 1), (30 * US, 55 * US, 0, 0, 1), (55 * US, 100 * US, 1, 1, 1)]);
    assert_eq!(f.ledger().into_iter().collect::<Vec<_>>(), [("irq_busy", 25 * US)]);
}

#[test]
fn cookies_forbid_the_sibling_of_another_cookie() {
    let f = check_drawn(
        "cpus 0-2
         core 0 1,2
         window 0us 100us
         0us cpu 0 runs 100
         0us cpu 1 runs 200
         0us cpu 2 idle
         0us thread 100 a on 0 running mask 0-2
         0us thread 101 b on 0 queued mask 0-2
         0us thread 200 secret on 1 running mask 0-2
         10us switch 1: 200 R -> 201
         20us cookie 200 7
         20us switch 1: 201 S -> 200
         60us switch 1: 200 S -> 0",
    );
    assert_eq!(f.ledger().into_iter().collect::<Vec<_>>(), [("cookie", 40 * US)]);
    // From 60 us both CPU 1 and 2 are idle and no cookie runs: one waiter, one core.
    let sums: i64 = f.wasted().iter().map(|(a, b, w, ..)| (b - a) * i64::from(*w)).sum();
    assert_eq!(f.sums().0, sums);
}

#[test]
fn the_thread_about_to_run_does_not_wait() {
    let f = check_drawn(
        "cpus 0-1
         window 0us 100us
         0us cpu 0 idle
         0us cpu 1 idle
         0us thread 100 a on 0 asleep mask 0-1
         0us thread 101 b on 0 asleep mask 0-1
         10us wakeup 100 on 0
         20us wakeup 101 on 0
         30us switch 0: 0 R -> 100
         50us switch 0: 100 S -> 101",
    );
    // 100 alone on the queue of a CPU that wakes up is not waste; 101 behind it is, until it runs.
    assert_eq!(f.wasted(), [(20 * US, 50 * US, 1, 1, 1)]);
    assert_eq!(f.threads(101, |t| t.avoidable_wait_ns), [30 * US]);
    assert_eq!(f.threads(100, |t| t.avoidable_wait_ns), [0]);
}

#[test]
fn a_wake_that_takes_longer_than_a_tick_is_late() {
    let late = |until: &str| {
        check_drawn(&format!(
            "cpus 0
             tick 4ms
             window 0us 20ms
             0us cpu 0 idle
             0us thread 100 a on 0 asleep mask 0
             1ms wakeup 100 on 0
             {until} switch 0: 0 R -> 100"
        ))
        .late_wakes()
    };
    assert_eq!((late("5ms"), late("5.001ms")), (0, 1));
}

#[test]
fn masks_that_cross_need_a_matching_not_a_count() {
    // 101 may use 1 and 2, 102 and 103 only 1: two cores wasted, though three threads wait
    let f = check_drawn(
        "cpus 0-2
         window 0us 100us
         0us cpu 0 runs 100
         0us cpu 1 idle
         0us cpu 2 idle
         0us thread 100 r on 0 running mask 0-2
         0us thread 102 b on 0 queued mask 0-1
         0us thread 103 c on 0 queued mask 0-1
         0us thread 101 a on 0 queued mask 0-2
         50us affinity 101 0-1",
    );
    assert_eq!(f.wasted(), [(0, 50 * US, 2, 2, 2), (50 * US, 100 * US, 1, 1, 2)]);
    // Equal waits: the lower utid goes first. 100, 102, 103, 101 were met in this order.
    assert_eq!(f.threads(102, |t| t.avoidable_wait_ns), [100 * US]);
    assert_eq!(f.threads(103, |t| t.avoidable_wait_ns), [0]);
    assert_eq!(f.threads(101, |t| t.avoidable_wait_ns), [50 * US]);
}

#[test]
fn a_moved_thread_goes_on_waiting_since_it_became_runnable() {
    let f = check_drawn(
        "cpus 0-2
         window 0us 100us
         0us cpu 0 runs 100
         0us cpu 1 runs 200
         0us cpu 2 idle
         0us thread 100 r on 0 running mask 0-2
         0us thread 200 s on 1 running mask 0-2
         0us thread 101 old on 0 queued mask 0-2
         10us wakeup 102 on 1
         20us migrate 101 from 0 to 1
         80us switch 2: 0 R -> 102",
    );
    assert_eq!(f.threads(101, |t| t.avoidable_wait_ns), [80 * US], "102 came later and is second");
    assert_eq!(f.moves(), [(101, 0, 1, true), (102, 1, 2, false)][..1]);
}

#[test]
fn moves_are_needless_when_nothing_gets_better() {
    let base = "cpus 0-3
         llc 0-1 2-3
         node 0-1 2-3
         window 0us 100us
         0us cpu 0 runs 100
         0us cpu 1 idle
         0us cpu 2 idle
         0us cpu 3 runs 300
         0us thread 100 r on 0 running mask 0-3
         0us thread 300 x on 3 running mask 0-3
         0us thread 101 w on 0 queued mask 0-3
         0us thread 102 s on 1 asleep mask 0-3\n";
    let moves = |event: &str| check_drawn(&format!("{base} {event}")).moves();
    assert_eq!(moves("10us migrate 101 from 0 to 1"), [(101, 0, 1, false)], "to an idle CPU nearby");
    assert_eq!(moves("10us migrate 101 from 0 to 3"), [(101, 0, 3, true)], "one runs here, one runs there");
    assert_eq!(moves("10us migrate 101 from 0 to 2"), [(101, 0, 2, true)], "far, with CPU 1 idle nearby");
    assert_eq!(moves("10us migrate 102 from 1 to 0"), [(102, 1, 0, true)], "from idle to busy");
    assert_eq!(
        moves("5us affinity 101 0,3 \n 10us migrate 101 from 0 to 3"),
        [(101, 0, 3, true)],
        "it could have stayed"
    );
    assert_eq!(moves("5us affinity 101 3 \n 10us migrate 101 from 0 to 3"), [(101, 0, 3, false)], "it had to go");
}
