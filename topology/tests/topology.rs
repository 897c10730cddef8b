//! Where CPUs are and how far apart, on machines made here.

use wastenot_topology::{Cpu, CpuBits, CpuIx, CpuSet, Distance, Level, NumaNode, Topology, Tree, UNKNOWN_PART};

/// CPUs that follow each other: two threads per core, two cores per cache, two caches per node.
fn cpus(count: u32) -> Vec<Cpu> {
    let cpu = |cpu| Cpu {
        cpu,
        node: Some(cpu / 8),
        llc: Some(cpu / 4 * 4),
        core: Some(cpu / 2 * 2),
        capacity: 1024,
        ..Cpu::default()
    };
    (0..count).map(cpu).collect()
}

fn node(node: u32, distances: &[i32]) -> NumaNode {
    let cpus = (node * 8..node * 8 + 8).collect();
    NumaNode { node, cpus, distances: distances.to_vec(), memory_bytes: None }
}

/// Three nodes in a row.
fn row_of_three() -> Topology {
    Topology::new(cpus(24), vec![node(0, &[10, 20, 30]), node(1, &[20, 10, 20]), node(2, &[30, 20, 10])])
}

#[test]
fn the_nearest_level_that_two_cpus_share_is_their_distance() {
    let t = row_of_three();
    let from_first = [0, 1, 2, 4, 8, 16].map(|cpu| t.distance(0, cpu));
    let levels = [Distance::SameCpu, Distance::Smt, Distance::Llc, Distance::Node, Distance::OneHop, Distance::Far];
    assert_eq!(from_first, levels);
    assert_eq!(from_first.map(Distance::code), [0, 1, 2, 3, 4, 5]);
    assert_eq!((t.node_distance(0, 9), t.node_distance(9, 0), t.next_nearer(30)), (Some(20), Some(20), Some(20)));
    assert!(t.indices().all(|a| t.indices().all(|b| t.distance(a, b) == t.distance(b, a))));
}

#[test]
fn cpus_of_one_group_are_equally_far_from_every_third() {
    let t = row_of_three();
    let groups = t.groups_alike();
    for (a, b) in t.indices().flat_map(|a| t.indices().map(move |b| (a, b))) {
        let alike = t.indices().filter(|&c| c != a && c != b).all(|c| t.distance(a, c) == t.distance(b, c));
        assert!(alike || groups[a as usize] != groups[b as usize], "CPUs {a} and {b}");
    }
    assert_eq!(t.siblings_by_cpu()[5], [4]);
}

#[test]
fn nodes_whose_distance_is_not_known_are_one_hop_apart() {
    let without_rows = Topology::new(cpus(16), vec![node(0, &[]), node(1, &[])]);
    let without_nodes = Topology::new(cpus(16), Vec::new());
    for t in [without_rows, without_nodes] {
        assert_eq!((t.distance(0, 8), t.node_distance(0, 8), t.node_distance(0, 1)), (Distance::OneHop, None, None));
    }
}

#[test]
fn a_place_that_is_not_known_is_shared_with_no_cpu() {
    let t = Topology::new((0..2).map(|cpu| Cpu { cpu, ..Cpu::default() }).collect(), Vec::new());
    assert_eq!((t.distance(0, 1), t.distance(1, 1)), (Distance::Unknown, Distance::SameCpu));
    assert_eq!(t.location(0).core, UNKNOWN_PART);
    assert_eq!((t.siblings_by_cpu(), t.groups_alike()), (vec![vec![], vec![]], vec![0, 0]));
}

/// kernel/sched/topology.c: sched_init_numa looks at the nodes that have CPUs.
#[test]
fn a_node_that_is_only_memory_is_not_the_nearest() {
    let memory = NumaNode { cpus: CpuSet::new(), ..node(2, &[14, 24, 10]) };
    let t = Topology::new(cpus(16), vec![node(0, &[10, 21, 14]), node(1, &[21, 10, 24]), memory]);
    assert_eq!(t.distance(0, 8), Distance::OneHop);
}

#[test]
fn numbers_with_holes_are_dense_indices() {
    let t = Topology::new(cpus(24).into_iter().filter(|c| c.cpu % 8 == 0).rev().collect(), Vec::new());
    assert_eq!((t.len(), t.index(8), t.index(9), t.index(-1i16), t.index(u32::MAX)), (3, Some(1), None, None, None));
    assert_eq!((t.number(2), t.cpu(2).cpu, t.location(2).llc), (16, 16, 2));
    let set: CpuSet = [3, 8, 16, 100].into_iter().collect();
    let bits: CpuBits<CpuIx> = t.bits(&set);
    assert_eq!(t.numbers(&bits), [8, 16].into_iter().collect());
}

#[test]
fn of_cpus_and_nodes_given_twice_the_first_counts() {
    let twice = cpus(2).into_iter().chain([Cpu { cpu: 1, ..Cpu::default() }, Cpu { cpu: 40_000, ..Cpu::default() }]);
    let t = Topology::new(twice.collect(), vec![node(0, &[10, 7, 7]), node(0, &[5])]);
    assert_eq!((t.len(), t.nodes().len(), t.distance(0, 1)), (2, 1, Distance::Smt));
    assert_eq!(t.node_distance(0, 1), Some(10));
}

#[test]
fn a_tree_has_every_level_or_only_those_that_differ() {
    let t = Topology::new(cpus(8), vec![node(0, &[10])]);
    let online: CpuBits<CpuIx> = CpuBits::of(8, [0, 1, 3, 5, 7]);
    let text = "Node 0 (CPUs 0-1,3,5,7)\n  LLC 0 (CPUs 0-1,3)\n    Core 0 (CPUs 0-1)\n    Core 2 (CPUs 3)\n  \
                LLC 4 (CPUs 5,7)\n    Core 4 (CPUs 5)\n    Core 6 (CPUs 7)\n";
    assert_eq!(Tree::new(&t, &online).text(&t), text);
    let tree = Tree::of_distinct_levels(&t, &CpuBits::all(8));
    let levels: Vec<Level> = tree.components().iter().map(|c| c.level).collect();
    assert_eq!(levels[..3], [Level::Machine, Level::Llc, Level::Llc], "the node is the machine");
    let leaf = &tree.components()[tree.leaf(6)];
    assert_eq!((leaf.level, leaf.number), (Level::Cpu, Some(6)));
    let core = &tree.components()[leaf.parent.unwrap()];
    assert_eq!((core.level, core.number, core.span.len()), (Level::Core, Some(6), 2));
}

#[test]
fn a_level_that_is_not_known_is_one_component_without_a_number() {
    let t = Topology::new((0..2).map(|cpu| Cpu { cpu, ..Cpu::default() }).collect(), Vec::new());
    let text = "Node ? (CPUs 0-1)\n  LLC ? (CPUs 0-1)\n    Core ? (CPUs 0-1)\n";
    assert_eq!(Tree::new(&t, &CpuBits::all(2)).text(&t), text);
}
