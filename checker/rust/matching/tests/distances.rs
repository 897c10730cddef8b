//! Distances of groups of CPUs are those of the CPUs.

use super::state::distance;
use crate::matching::Distances;
use std::cell::Cell;
use wastenot_topology::CpuBits;

/// CPUs that [`distance`] cannot distinguish: a core has two.
fn cores(n: usize) -> Vec<u32> {
    (0..n as u32).map(|cpu| cpu / 2).collect()
}

#[test]
fn groups_give_the_distances_of_their_cpus() {
    for n in [1, 2, 7, 32, 65, 200] {
        let (one, other) = (Distances::new(n, distance), Distances::grouped(&cores(n), distance));
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        };
        for _ in 0..500 {
            let set = CpuBits::of(n, (0..1 + next() % 6).map(|_| next() % n as u32).collect::<Vec<_>>());
            let from = next() % n as u32;
            assert_eq!(
                other.nearest_common(from, &set, &CpuBits::all(n)),
                one.nearest_common(from, &set, &CpuBits::all(n)),
                "from {from} of {n}"
            );
        }
    }
}

/// A header can claim any number of CPUs.
#[test]
fn a_machine_of_which_only_the_number_of_cpus_is_known_costs_no_pairs() {
    let n = 32_768;
    let asked = Cell::new(0);
    let built = Distances::grouped(&vec![0; n], |from, to| {
        asked.set(asked.get() + 1);
        u32::from(from != to)
    });
    assert_eq!(asked.get(), 1);
    let set = CpuBits::of(n, [3, 9_000]);
    assert_eq!(built.nearest_common(9_000, &set, &CpuBits::all(n)), Some(9_000));
    assert_eq!(built.nearest_common(20_000, &set, &CpuBits::all(n)), Some(3));
}
