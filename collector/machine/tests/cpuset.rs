//! Sets of CPUs and their texts.

use proptest::prelude::*;
use std::collections::BTreeSet;
use wastenot_machine::CpuSet;

fn list(text: &str) -> CpuSet {
    CpuSet::parse_list(text).unwrap()
}

#[test]
fn lists_as_the_kernel_writes_them() {
    assert_eq!(list("0-3,8").to_string(), "0-3,8");
    assert_eq!(list(" 8,0-3\n").iter().collect::<Vec<_>>(), [0, 1, 2, 3, 8]);
    assert_eq!(list("0-31:1/8").to_string(), "0,8,16,24");
    assert_eq!(list("0-9:2/4").to_string(), "0-1,4-5,8-9");
    assert_eq!(list("").to_string(), "");
    assert_eq!(list("4096-8191").len(), 4096);
    assert_eq!(list("32767").last(), Some(CpuSet::MAX_CPU));
}

#[test]
fn masks_as_the_kernel_and_hwloc_write_them() {
    let mask = |text: &str| CpuSet::parse_mask(text).unwrap();
    assert_eq!(mask("ff,ffffffff").to_string(), "0-39");
    assert_eq!(mask("3").to_string(), "0-1");
    assert_eq!(mask("00000000,00000005").to_string(), "0,2");
    assert_eq!(mask("0x0000000f,,0x80000000").to_string(), "31,64-67");
    assert_eq!(mask("ffffffffffffffffff").len(), 72);
    assert_eq!(mask("0x0"), CpuSet::new());
    assert_eq!(list("0-39").to_mask(), "ff,ffffffff");
    assert_eq!(list("64").to_mask(), "1,00000000,00000000");
    assert_eq!(CpuSet::new().to_mask(), "0");
    assert_eq!(mask(&list("0,5000").to_mask()).to_string(), "0,5000");
}

#[test]
fn malformed_texts_are_refused_in_one_line() {
    for bad in ["a", "3-1", "1-", "-1", "1,,x", "32768", "4294967296", "0-5:1", "0-5:0/2", "0-5:3/2", "1-N"] {
        let error = CpuSet::parse_list(bad).unwrap_err().to_string();
        assert!(error.starts_with(&format!("CPU set \"{bad}\": ")) && !error.contains('\n'), "{error}");
    }
    for bad in ["", "xyz", "1,123456789", "0xf...f", &"f".repeat(9000)] {
        let error = CpuSet::parse_mask(bad).unwrap_err().to_string();
        assert!(error.contains("write a list such as 0-3,8") && error.len() < 200, "{error}");
    }
}

#[test]
fn a_set_takes_no_cpu_beyond_the_tables() {
    let mut set = CpuSet::new();
    assert!(!set.insert(32768));
    assert!(set.insert(32767));
    assert!(!set.insert(32767));
    assert!(set.remove(32767));
    assert!(set.is_empty());
    assert_eq!(set, CpuSet::new());
}

fn numbers() -> impl Strategy<Value = BTreeSet<u32>> {
    prop::collection::btree_set(prop_oneof![0u32..200, 0u32..9000], 0..80)
}

proptest! {
    #[test]
    fn texts_round_trip(cpus in numbers()) {
        let set: CpuSet = cpus.iter().copied().collect();
        prop_assert_eq!(&set.iter().collect::<BTreeSet<_>>(), &cpus);
        prop_assert_eq!(&CpuSet::parse_list(&set.to_string()).unwrap(), &set);
        prop_assert_eq!(&CpuSet::parse_mask(&set.to_mask()).unwrap(), &set);
        prop_assert_eq!(&serde_json::from_str::<CpuSet>(&serde_json::to_string(&set).unwrap()).unwrap(), &set);
        prop_assert_eq!(set.len(), cpus.len());
        prop_assert_eq!(set.first(), cpus.first().copied());
        prop_assert_eq!(set.last(), cpus.last().copied());
    }

    #[test]
    fn algebra_is_that_of_sets(a in numbers(), b in numbers()) {
        let (x, y): (CpuSet, CpuSet) = (a.iter().copied().collect(), b.iter().copied().collect());
        let of = |set: CpuSet| set.iter().collect::<BTreeSet<_>>();
        prop_assert_eq!(of(x.union(&y)), &a | &b);
        prop_assert_eq!(of(x.intersection(&y)), &a & &b);
        prop_assert_eq!(of(x.difference(&y)), &a - &b);
        prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
        prop_assert_eq!(x.intersects(&y), !a.is_disjoint(&b));
        prop_assert_eq!(x == y, a == b);
        prop_assert_eq!(x.union(&y).difference(&y), x.difference(&y));
    }

    #[test]
    fn no_text_panics(text in "[0-9a-fx,:/ \\-]{0,40}|\\PC{0,20}") {
        let _ = CpuSet::parse_list(&text);
        let _ = CpuSet::parse_mask(&text);
    }
}
