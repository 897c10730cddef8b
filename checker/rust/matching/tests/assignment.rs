//! Who gets which CPU, one by one.

use super::state::distance;
use crate::matching::{CanonicalMatcher, Distances, Waiter};
use wastenot_topology::CpuBits;

fn assigned(matcher: &mut CanonicalMatcher, n_cpus: usize) -> Vec<(u32, u32)> {
    let mut out = Vec::new();
    matcher.assign(&Distances::new(n_cpus, distance), &mut out);
    out.iter().map(|pairing| (pairing.utid, pairing.idle_cpu)).collect()
}

/// CPU 5's core sibling is 4, its LLC 4-7, its node 0-15.
#[test]
fn the_nearest_cpu_first_then_the_lowest() {
    let mut matcher = CanonicalMatcher::new(32);
    let anywhere = matcher.add_class(&CpuBits::all(32));
    [4, 6, 7, 0, 31].into_iter().for_each(|cpu| matcher.add_cpu(cpu));
    for utid in 0..6 {
        matcher.add_waiter(anywhere, Waiter { utid, number: utid, wait_start: 0, queue_cpu: 5 });
    }
    assert_eq!(assigned(&mut matcher, 32), [(0, 4), (1, 6), (2, 7), (3, 0), (4, 31)]);
}

/// Waiter 1 would like CPU 4, but 2 can only run there.
#[test]
fn no_waiter_takes_the_only_cpu_of_another() {
    let mut matcher = CanonicalMatcher::new(8);
    let anywhere = matcher.add_class(&CpuBits::all(8));
    let pinned = matcher.add_class(&CpuBits::of(8, [4]));
    matcher.add_cpu(4);
    matcher.add_cpu(0);
    matcher.add_waiter(anywhere, Waiter { utid: 1, number: 1, wait_start: 0, queue_cpu: 5 });
    assert_eq!(assigned(&mut matcher, 8), [(1, 4)]);
    matcher.add_waiter(pinned, Waiter { utid: 2, number: 2, wait_start: 9, queue_cpu: 1 });
    assert_eq!(assigned(&mut matcher, 8), [(1, 0), (2, 4)]);
}

/// A chain: 1 takes CPU 0 from 2, which takes CPU 1 from 3, which finds CPU 2.
#[test]
fn earlier_waiters_move_along_a_chain_for_later_ones() {
    let mut matcher = CanonicalMatcher::new(3);
    let all = matcher.add_class(&CpuBits::of(3, [0, 2]));
    let low = matcher.add_class(&CpuBits::of(3, [0, 1]));
    let high = matcher.add_class(&CpuBits::of(3, [1, 2]));
    (0..3).for_each(|cpu| matcher.add_cpu(cpu));
    matcher.add_waiter(low, Waiter { utid: 2, number: 2, wait_start: 2, queue_cpu: 0 });
    matcher.add_waiter(high, Waiter { utid: 3, number: 3, wait_start: 3, queue_cpu: 1 });
    matcher.add_waiter(all, Waiter { utid: 1, number: 1, wait_start: 1, queue_cpu: 0 });
    assert_eq!(assigned(&mut matcher, 3), [(1, 0), (2, 1), (3, 2)]);
}

/// After a move to another queue the same waiter is nearest to another CPU; its wait goes on.
#[test]
fn a_move_to_another_queue_changes_the_distance() {
    let mut matcher = CanonicalMatcher::new(32);
    let anywhere = matcher.add_class(&CpuBits::all(32));
    matcher.add_cpu(1);
    matcher.add_cpu(31);
    matcher.add_waiter(anywhere, Waiter { utid: 0, number: 0, wait_start: 0, queue_cpu: 2 });
    assert_eq!(assigned(&mut matcher, 32), [(0, 1)]);
    matcher.set_queue_cpu(0, 30);
    assert_eq!(assigned(&mut matcher, 32), [(0, 31)]);
}

/// A queue CPU the distances do not know is equally far from all.
#[test]
fn an_unknown_queue_takes_the_lowest_cpu() {
    let mut matcher = CanonicalMatcher::new(32);
    let anywhere = matcher.add_class(&CpuBits::all(32));
    matcher.add_cpu(31);
    matcher.add_cpu(9);
    matcher.add_waiter(anywhere, Waiter { utid: 0, number: 0, wait_start: 0, queue_cpu: u32::MAX });
    assert_eq!(assigned(&mut matcher, 32), [(0, 9)]);
}

#[test]
fn nothing_to_assign_empties_the_list() {
    let mut matcher = CanonicalMatcher::new(4);
    let mut out = vec![crate::matching::Pairing { utid: 1, number: 1, queue_cpu: 1, idle_cpu: 1 }];
    matcher.assign(&Distances::new(4, distance), &mut out);
    assert!(out.is_empty());
}
