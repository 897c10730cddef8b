//! Situations of the scheduler, one by one.

use crate::matching::{CanonicalMatcher, ClassId, Flip, Matcher, Waiter};
use wastenot_topology::CpuBits;

fn waiter(utid: u32, wait_start: i64) -> Waiter {
    Waiter { utid, number: utid, wait_start, queue_cpu: 0 }
}

fn flips(matcher: &mut CanonicalMatcher) -> Vec<(u32, bool)> {
    let flips = matcher.flips().iter().map(|&Flip { utid, matched }| (utid, matched)).collect();
    matcher.clear_flips();
    flips
}

/// Eight busy threads pinned to one of eight CPUs: the naive measure says 7 wasted, the truth is 0.
#[test]
fn pinned_threads_waste_no_other_cpu() {
    let mut matcher = Matcher::new(8);
    let pinned = matcher.add_class(&CpuBits::of(8, [0]));
    (1..8).for_each(|cpu| matcher.add_cpu(cpu));
    (0..7).for_each(|_| matcher.add_waiter(pinned));
    assert_eq!(matcher.size(), 0);
}

/// A pinned waiter takes the only CPU it may use; the free-ranging one that had it moves over and stays matched.
#[test]
fn a_pinned_waiter_makes_a_free_one_step_aside() {
    let mut matcher = CanonicalMatcher::new(2);
    let anywhere = matcher.add_class(&CpuBits::all(2));
    let first_only = matcher.add_class(&CpuBits::of(2, [0]));
    matcher.add_cpu(0);
    matcher.add_cpu(1);
    matcher.add_waiter(anywhere, waiter(1, 10));
    matcher.add_waiter(first_only, waiter(2, 20));
    assert_eq!(flips(&mut matcher), [(1, true), (2, true)]);
    matcher.remove_cpu(1);
    assert_eq!(flips(&mut matcher), [(2, false)], "the one that has waited longer keeps a CPU");
}

/// A waiter that turns out to have waited longer than a matched one takes its place, also across classes.
#[test]
fn an_older_waiter_pushes_out_the_youngest_it_can_reach() {
    let mut matcher = CanonicalMatcher::new(3);
    let low = matcher.add_class(&CpuBits::of(3, [0, 1]));
    let high = matcher.add_class(&CpuBits::of(3, [1, 2]));
    (0..3).for_each(|cpu| matcher.add_cpu(cpu));
    matcher.add_waiter(low, waiter(1, 100));
    matcher.add_waiter(high, waiter(2, 300));
    matcher.add_waiter(high, waiter(3, 200));
    assert_eq!(flips(&mut matcher).len(), 3);
    matcher.add_waiter(low, waiter(4, 50));
    assert_eq!(flips(&mut matcher), [(2, false), (4, true)]);
    matcher.remove_waiter(4);
    assert_eq!(flips(&mut matcher), [(4, false), (2, true)]);
}

#[test]
fn equal_waits_go_to_the_lower_utid() {
    let mut matcher = CanonicalMatcher::new(1);
    let anywhere = matcher.add_class(&CpuBits::all(1));
    matcher.add_waiter(anywhere, waiter(9, 5));
    matcher.add_waiter(anywhere, waiter(3, 5));
    matcher.add_cpu(0);
    assert_eq!(flips(&mut matcher), [(3, true)]);
    assert!(matcher.is_matched(3) && !matcher.is_matched(9));
}

#[test]
fn wait_starts_may_be_negative_and_extreme() {
    let mut matcher = CanonicalMatcher::new(1);
    let anywhere = matcher.add_class(&CpuBits::all(1));
    matcher.add_cpu(0);
    for (utid, wait_start) in [(1, i64::MAX), (u16::MAX.into(), 0), (2, -1), (0, i64::MIN)] {
        matcher.add_waiter(anywhere, waiter(utid, wait_start));
        assert!(matcher.is_matched(utid), "the waiter since {wait_start} is the oldest so far");
    }
    assert_eq!(matcher.size(), 1);
}

/// Calls that contradict the state leave it as it is.
#[test]
fn senseless_calls_do_nothing() {
    let mut matcher = CanonicalMatcher::new(2);
    let mut sizes = Matcher::new(2);
    let class = matcher.add_class(&CpuBits::all(200));
    assert_eq!(sizes.add_class(&CpuBits::all(200)), class);
    for cpu in [0, 0, 1, 2, 199] {
        matcher.add_cpu(cpu);
        sizes.add_cpu(cpu);
    }
    sizes.remove_waiter(class);
    sizes.remove_waiter(ClassId(77));
    sizes.add_waiter(ClassId(77));
    matcher.remove_waiter(5);
    matcher.add_waiter(ClassId(77), waiter(5, 0));
    assert_eq!((matcher.size(), sizes.size()), (0, 0));
    for utid in 0..4 {
        matcher.add_waiter(class, waiter(utid, 0));
        sizes.add_waiter(class);
    }
    assert_eq!((matcher.size(), sizes.size()), (2, 2));
    for _ in 0..2 {
        matcher.remove_cpu(1);
        sizes.remove_cpu(1);
        matcher.remove_cpu(999);
        sizes.remove_cpu(999);
    }
    assert_eq!((matcher.size(), sizes.size()), (1, 1));
}

/// A utid that is added again replaces its former self, with its new class and wait.
#[test]
fn adding_a_waiter_again_replaces_it() {
    let mut matcher = CanonicalMatcher::new(2);
    let low = matcher.add_class(&CpuBits::of(2, [0]));
    let high = matcher.add_class(&CpuBits::of(2, [1]));
    matcher.add_cpu(0);
    matcher.add_waiter(low, waiter(1, 0));
    matcher.add_waiter(high, waiter(1, 0));
    assert_eq!(flips(&mut matcher), [(1, true), (1, false)]);
    matcher.add_cpu(1);
    assert_eq!(flips(&mut matcher), [(1, true)]);
}

#[test]
fn no_cpus_at_all() {
    let mut matcher = CanonicalMatcher::new(0);
    let class = matcher.add_class(&CpuBits::new(0));
    matcher.add_waiter(class, waiter(1, 0));
    matcher.add_cpu(0);
    matcher.remove_cpu(0);
    matcher.remove_waiter(1);
    assert_eq!(matcher.size(), 0);
}
