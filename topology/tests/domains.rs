//! Domains by the kernel's rules, on machines made here.

use wastenot_topology::{
    BalancePartitions, Cpu, CpuBits, CpuIx, CpuSet, DomainMasks, DomainRules, NumaNode, Topology, balance_intervals_ns,
    domain_groups, makes_domain,
};

/// Three nodes in a row, each of two cores with two threads behind one cache.
fn row_of_three() -> Topology {
    let cpu = |cpu| Cpu {
        cpu,
        node: Some(cpu / 4),
        llc: Some(cpu / 4 * 4),
        cluster: Some(cpu / 4 * 4),
        core: Some(cpu / 2 * 2),
        ..Cpu::default()
    };
    let node = |(node, row): (u32, [i32; 3])| {
        let cpus = (node * 4..node * 4 + 4).collect();
        NumaNode { node, cpus, distances: row.to_vec(), memory_bytes: None }
    };
    let rows = [[10, 20, 30], [20, 10, 20], [30, 20, 10]];
    Topology::new((0..12).map(cpu).collect(), (0..).zip(rows).map(node).collect())
}

fn spans(topology: &Topology, rules: &DomainRules, partitions: &[CpuSet], cpu: CpuIx) -> Vec<(&'static str, String)> {
    let online = CpuBits::all(topology.len());
    let levels = DomainMasks::levels(topology, &online, rules);
    let partitions = BalancePartitions::new(topology, &online, &[3].into_iter().collect(), partitions);
    let mut below = CpuBits::of(topology.len(), [cpu]);
    let mut found = Vec::new();
    for level in levels {
        let span = partitions.cut(cpu, level.mask(cpu).expect("every CPU is online"));
        if makes_domain(&span, &below) {
            found.push((level.name, topology.numbers(&span).to_string()));
            below = span;
        }
    }
    found
}

#[test]
fn each_level_that_is_larger_than_the_one_below_makes_a_domain() {
    let (t, new) = (row_of_three(), DomainRules::of(None));
    let text =
        |spans: &[(&'static str, &str)]| spans.iter().map(|(name, span)| (*name, (*span).into())).collect::<Vec<_>>();
    let of_first = text(&[("SMT", "0-1"), ("CLS", "0-2"), ("NUMA", "0-2,4-7"), ("NUMA", "0-2,4-11")]);
    assert_eq!(spans(&t, &new, &[], 0), of_first, "CPU 3 is isolated");
    assert_eq!(spans(&t, &new, &[], 3), text(&[]));
    let old = DomainRules::of(Some((4, 1)));
    assert_eq!(spans(&t, &old, &[], 4), text(&[("SMT", "4-5"), ("MC", "4-7"), ("NUMA", "0-2,4-11")]), "no clusters");
    let halves = ["0-5", "6-11"].map(|list| CpuSet::parse_list(list).unwrap());
    assert_eq!(spans(&t, &new, &halves, 4), text(&[("SMT", "4-5"), ("NUMA", "0-2,4-5")]));
}

#[test]
fn groups_follow_the_order_in_which_their_cpus_are_visited() {
    let span: CpuBits<CpuIx> = CpuBits::all(6);
    // Each CPU's own group reaches to its neighbours: they overlap.
    let own = |c: CpuIx| CpuBits::of(6, c.saturating_sub(1)..=c + 1);
    let groups = |start| domain_groups(span.iter_from(start), own).map(|g| g.iter().collect()).collect::<Vec<Vec<_>>>();
    assert_eq!(groups(0), [vec![0, 1], vec![1, 2, 3], vec![3, 4, 5]]);
    assert_eq!(groups(3), [vec![2, 3, 4], vec![4, 5], vec![0, 1]]);
}

#[test]
fn releases_differ_in_names_and_parameters() {
    let rules = |major, minor| DomainRules::of(Some((major, minor)));
    assert_eq!((rules(4, 1).package, rules(6, 7).package), ("DIE", "PKG"));
    assert_eq!((rules(5, 9).busy_factor, rules(5, 10).busy_factor), (32, 16));
    assert_eq!(
        ["SMT", "CLS", "MC", "DIE", "NUMA"].map(|name| rules(4, 1).imbalance_pct_of(name)),
        [110, 117, 117, 125, 125]
    );
    assert_eq!(rules(7, 1), DomainRules::of(None));
    assert_eq!(balance_intervals_ns(8), (8_000_000, 16_000_000));
}
