//! `CpuBits` against a plain set of numbers.

use proptest::prelude::*;
use std::collections::BTreeSet;
use wastenot_topology::{CpuBits, CpuIx, set_bits};

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
        prop_assert_eq!(a_bits.first(), a.first().copied());
        prop_assert!((0..220).all(|cpu| a_bits.contains(cpu) == a.contains(&cpu)));

        prop_assert_eq!(members(&a_bits.intersection(&b_bits)), a.intersection(&b).copied().collect());
        prop_assert_eq!(members(&a_bits.union(&b_bits)), a.union(&b).copied().filter(fits).collect());
        prop_assert_eq!(members(&a_bits.difference(&b_bits)), a.difference(&b).copied().collect());
        prop_assert_eq!(a_bits.intersects(&b_bits), !a.is_disjoint(&b));
        prop_assert_eq!(a_bits.is_subset(&b_bits), a.is_subset(&b));
        prop_assert_eq!(members(&CpuBits::all(capacity)), (0..capacity as u32).collect());

        let mut emptied = a_bits.clone();
        prop_assert!(a.iter().all(|&cpu| emptied.remove(cpu)));
        prop_assert!(!a.iter().any(|&cpu| emptied.remove(cpu)));
        prop_assert_eq!(emptied, CpuBits::new(capacity));
    }

    #[test]
    fn a_round_begins_anywhere(cpus in proptest::collection::btree_set(0..150_u16, 0..40), start in 0..160_u16) {
        let set = CpuBits::<CpuIx>::of(150, cpus.iter().copied());
        let round: Vec<CpuIx> = cpus.range(start..).chain(cpus.range(..start)).copied().collect();
        prop_assert_eq!(set.iter_from(start).collect::<Vec<_>>(), round);
    }

    #[test]
    fn words_of_a_fixed_number_are_cut_to_the_machine(
        cpus in proptest::collection::btree_set(0..200_u32, 0..40),
        n_cpus in 0..200_usize,
    ) {
        let words: [u64; 4] = CpuBits::of(200, cpus.iter().copied()).fixed_words(n_cpus);
        let expected: Vec<u32> = cpus.into_iter().filter(|&cpu| (cpu as usize) < n_cpus).collect();
        prop_assert_eq!(set_bits(words).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn bits_are_those_of_the_words(words in proptest::collection::vec(any::<u64>(), 0..5)) {
        let expected: Vec<u32> =
            (0..words.len() as u32 * 64).filter(|bit| words[*bit as usize / 64] >> (bit % 64) & 1 == 1).collect();
        prop_assert_eq!(set_bits(words.iter().copied()).collect::<Vec<_>>(), expected);
    }
}
