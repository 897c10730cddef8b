//! `CpuBits` against a plain set of numbers.

use crate::matching::CpuBits;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn members(set: &CpuBits) -> BTreeSet<u32> {
    set.iter().collect()
}

proptest! {
    #[test]
    fn set_operations(
        capacity in 0..200_usize,
        a in proptest::collection::btree_set(0..210_u32, 0..40),
        b in proptest::collection::btree_set(0..210_u32, 0..40),
    ) {
        let fits = |cpu: &u32| (*cpu as usize) < capacity;
        let (a_bits, b_bits) = (CpuBits::of(capacity, a.iter().copied()), CpuBits::of(210, b.iter().copied()));
        let a: BTreeSet<u32> = a.into_iter().filter(fits).collect();
        prop_assert_eq!(&members(&a_bits), &a);
        prop_assert_eq!(a_bits.len(), a.len());
        prop_assert_eq!(a_bits.is_empty(), a.is_empty());
        prop_assert!((0..220).all(|cpu| a_bits.contains(cpu) == a.contains(&cpu)));

        let mut both = a_bits.clone();
        both.intersect_with(&b_bits);
        prop_assert_eq!(members(&both), a.intersection(&b).copied().collect());
        let mut either = a_bits.clone();
        either.union_with(&b_bits);
        prop_assert_eq!(members(&either), a.union(&b).copied().filter(fits).collect());
        let mut less = a_bits.clone();
        less.subtract(&b_bits);
        prop_assert_eq!(members(&less), a.difference(&b).copied().collect());
        prop_assert_eq!(members(&CpuBits::all(capacity)), (0..capacity as u32).collect());

        let mut emptied = a_bits.clone();
        prop_assert!(a.iter().all(|&cpu| emptied.remove(cpu)));
        prop_assert!(!a.iter().any(|&cpu| emptied.remove(cpu)));
        prop_assert_eq!(emptied, CpuBits::new(capacity));
    }
}
