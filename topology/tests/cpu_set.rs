//! Sets of CPUs and their texts.

use proptest::prelude::*;
use std::collections::BTreeSet;
use wastenot_topology::CpuSet;

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

/// The CPUs of a list, number by number, as `bitmap_parselist` describes it; None where it is malformed.
fn brute_force(text: &str) -> Option<BTreeSet<u32>> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&cpu| cpu <= 32_767);
    let mut cpus = BTreeSet::new();
    for part in text.split(',').filter(|part| !part.trim().is_empty()) {
        let (range, stride) = part.split_once(':').unwrap_or((part, "1/1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (number(first)?, number(last)?);
        let (used, group) = stride.split_once('/')?;
        let (used, group) = (number(used)?, number(group)?);
        if first > last || used == 0 || used > group {
            return None;
        }
        cpus.extend((first..=last).filter(|cpu| (cpu - first) % group < used));
    }
    Some(cpus)
}

/// Parts of lists, most of them well formed: numbers around the borders of words, ranges, strides.
fn list_parts() -> impl Strategy<Value = String> {
    let cpu = || prop_oneof![0u32..9, 60u32..70, 120u32..200, 32_760u32..32_770];
    prop_oneof![
        4 => cpu().prop_map(|cpu| cpu.to_string()),
        4 => (cpu(), cpu()).prop_map(|(from, to)| format!("{}-{}", from.min(to), from.max(to))),
        1 => (cpu(), cpu()).prop_map(|(from, to)| format!("{from} - {to}")),
        4 => (cpu(), cpu(), 0u32..9, 0u32..70)
            .prop_map(|(from, to, used, group)| format!("{}-{}:{used}/{group}", from.min(to), from.max(to))),
        1 => Just(String::new()),
    ]
}

proptest! {
    #[test]
    fn lists_are_read_as_the_brute_force_reads_them(parts in prop::collection::vec(list_parts(), 0..6)) {
        let text = parts.join(",");
        let read = CpuSet::parse_list(&text).ok().map(|set| set.iter().collect::<BTreeSet<_>>());
        prop_assert_eq!(read, brute_force(&text), "{}", text);
    }

    #[test]
    fn masks_are_the_bits_of_their_digits(digits in "[0-9a-f]{1,60}") {
        let bit = |(at, digit): (usize, char)| {
            let digit = digit.to_digit(16).unwrap();
            (0..4).filter(move |bit| digit >> bit & 1 == 1).map(move |bit| at as u32 * 4 + bit)
        };
        let expected: BTreeSet<u32> = digits.chars().rev().enumerate().flat_map(bit).collect();
        let set = CpuSet::parse_mask(&digits).unwrap();
        prop_assert_eq!(set.iter().collect::<BTreeSet<_>>(), expected);
    }
}

#[test]
fn a_list_that_names_all_cpus_ten_thousand_times_is_read_at_once() {
    let started = std::time::Instant::now();
    assert_eq!(list(&["0-32767"; 10_000].join(",")).len(), 32_768);
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
}

#[test]
fn sets_beyond_64_ki_cpus_are_refused_or_cut_but_never_held() {
    for beyond in ["65536", "0-65536", "0-4294967295", "0-99999999999999999999", "18446744073709551616"] {
        assert!(CpuSet::parse_list(beyond).is_err(), "{beyond}");
    }
    let mask = format!("1{}", ",00000000".repeat(2048));
    assert_eq!(CpuSet::parse_mask(&mask).unwrap_err().why, "CPU number above 32767");
    assert_eq!(CpuSet::from_words(vec![u64::MAX; 2048]).len(), 32_768);
    assert_eq!([0, 65_536, u32::MAX].into_iter().collect::<CpuSet>().to_string(), "0");
}

#[test]
fn a_message_shows_the_start_of_a_long_text_on_one_line() {
    let error = CpuSet::parse_list(&format!("0,\n{}", "x".repeat(90))).unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "CPU set \"0, {}...\": not a CPU number; write a list such as 0-3,8 or a mask such as ff,ffffffff",
            "x".repeat(37)
        )
    );
}
