//! Machines of many shapes, read from their sysfs files.

mod shape;

use shape::{Shape, distance, spans};
use wastenot_machine::{Machine, TickSource};
use wastenot_topology::{CpuSet, Distance, Level};

fn list(text: &str) -> CpuSet {
    CpuSet::parse_list(text).unwrap()
}

fn place(machine: &Machine, cpu: u32) -> (Option<u32>, Option<i32>, Option<u32>, Option<u32>, u32) {
    let c = machine.cpu(cpu).unwrap();
    (c.node, c.package, c.llc, c.core, c.smt)
}

#[test]
fn threads_of_a_desktop_core_are_numbered_apart() {
    let machine = Shape::load("desktop-smt").machine();
    assert_eq!(machine.online, list("0-15"));
    assert_eq!(place(&machine, 3), (Some(0), Some(0), Some(0), Some(3), 0));
    assert_eq!(place(&machine, 11), (Some(0), Some(0), Some(0), Some(3), 1));
    assert_eq!(distance(&machine, 3, 11), Distance::Smt);
    assert_eq!(distance(&machine, 3, 4), Distance::Llc);
    assert_eq!((machine.tick_ns, machine.tick_source), (1_000_000, TickSource::Config));
    assert_eq!(machine.kernel.as_deref(), Some("6.8.0-45-generic"));
    assert!(machine.nohz_full.is_empty(), "the kernel prints (null) for a mask never made");
}

#[test]
fn several_last_level_caches_lie_in_one_node() {
    let machine = Shape::load("epyc-llcs").machine();
    assert_eq!(spans(&machine, Level::Machine), [list("0-255")]);
    assert_eq!(spans(&machine, Level::Node), [list("0-63,128-191"), list("64-127,192-255")]);
    assert_eq!(spans(&machine, Level::Llc).len(), 16);
    assert_eq!(spans(&machine, Level::Llc)[8], list("64-71,192-199"));
    assert_eq!(spans(&machine, Level::Core)[71], list("71,199"));
    assert_eq!(distance(&machine, 0, 8), Distance::Node);
    assert_eq!(distance(&machine, 0, 135), Distance::Llc);
    assert_eq!(distance(&machine, 0, 64), Distance::OneHop);
    assert_eq!(machine.nodes[1].memory_bytes, Some(263_782_400 * 1024));
}

#[test]
fn nodes_two_hops_apart_are_far() {
    let machine = Shape::load("opteron-two-hops").machine();
    assert_eq!(machine.nodes.len(), 8);
    assert_eq!(machine.nodes[0].distances[3], 22);
    assert_eq!(distance(&machine, 0, 8), Distance::OneHop);
    assert_eq!(distance(&machine, 0, 24), Distance::Far);
    let ring = Shape::load("ring-of-four").machine();
    assert_eq!(distance(&ring, 0, 8), Distance::OneHop);
    assert_eq!(distance(&ring, 0, 16), Distance::Far);
    assert_eq!(ring.tick_ns, 3_333_333);
}

#[test]
fn an_offline_cpu_keeps_its_node_and_no_other_place() {
    let machine = Shape::load("hotplug-isolated").machine();
    assert_eq!(machine.possible, list("0-31"));
    assert_eq!(machine.present, list("0-15"));
    assert_eq!(machine.online, list("0-2,4-8,10-15"));
    assert_eq!(place(&machine, 3), (Some(0), None, None, None, 0));
    // CPU 9 was the first thread's sibling of CPU 1: alone on its core now.
    assert_eq!(place(&machine, 1), (Some(0), Some(0), Some(0), Some(1), 0));
    assert_eq!(distance(&machine, 1, 9), Distance::Node);
    assert_eq!(spans(&machine, Level::Node)[0], list("0-2,8,10-11"));
}

#[test]
fn isolated_cpus_are_in_no_domain() {
    let machine = Shape::load("hotplug-isolated").machine();
    assert_eq!(machine.isolated, list("6-7,14-15"));
    assert_eq!(machine.nohz_full, list("6-7,14-15"));
    assert!(machine.domains.iter().all(|d| !d.cpus.intersects(&machine.isolated)));
    assert!(machine.domains.iter().all(|d| !d.span.intersects(&machine.isolated)));
    assert_eq!(machine.lowest_common_domain(4, 6), None);
    assert_eq!(machine.lowest_common_domain(4, 5).unwrap().name, "MC");
    // The interval keeps the weight of the mask before isolated CPUs are cut out (kernel: sd_weight).
    assert_eq!(machine.lowest_common_domain(4, 5).unwrap().min_interval_ns, Some(8_000_000));
}

#[test]
fn cpu_numbers_may_have_holes() {
    let machine = Shape::load("power-holes").machine();
    assert_eq!(machine.online, list("0-79:1/8"));
    assert_eq!(machine.possible, list("0-79"));
    assert_eq!(machine.cpus.len(), 10);
    assert_eq!(machine.cpu(1), None);
    assert_eq!(place(&machine, 48), (Some(1), Some(1), Some(40), Some(48), 0));
    assert_eq!(distance(&machine, 8, 40), Distance::OneHop);
}

#[test]
fn more_than_a_thousand_cpus() {
    let machine = Shape::load("superdome-1536").machine();
    assert_eq!(machine.online.len(), 1536);
    assert_eq!(machine.nodes[1].cpus.first(), Some(1));
    assert_eq!(distance(&machine, 0, 768), Distance::Smt);
    assert_eq!(distance(&machine, 0, 16), Distance::Llc);
    assert_eq!(distance(&machine, 0, 3), Distance::OneHop);
    assert_eq!(distance(&machine, 0, 4), Distance::Far);
    let levels = machine.domains.iter().filter(|d| d.cpus.contains(1535)).map(|d| (&*d.name, d.span.len()));
    let levels: Vec<_> = levels.collect();
    assert_eq!(levels, [("SMT", 2), ("MC", 96), ("NUMA", 384), ("NUMA", 1536)]);
}

#[test]
fn clusters_lie_between_core_and_cache() {
    let machine = Shape::load("arm-clusters").machine();
    assert_eq!(machine.cpu(6).unwrap().cluster, Some(4));
    let levels: Vec<_> = machine.domains.iter().filter(|d| d.cpus.contains(6)).map(|d| (&*d.name, &d.span)).collect();
    let spans = ["4-7", "0-31", "0-63", "0-95", "0-127"].map(list);
    let names = ["CLS", "MC", "NUMA", "NUMA", "NUMA"];
    assert_eq!(levels, names.into_iter().zip(&spans).collect::<Vec<_>>());
}

#[test]
fn capacities_differ_on_an_asymmetric_machine() {
    let machine = Shape::load("big-little").machine();
    let capacities: Vec<u32> = machine.cpus.iter().map(|c| c.capacity).collect();
    assert_eq!(capacities, [223, 223, 223, 223, 793, 793, 793, 1024]);
    assert_eq!(machine.nodes.len(), 1);
    assert_eq!(machine.quirks, ["no NUMA nodes in sysfs: taken as one node"]);
}

#[test]
fn a_cache_that_spans_two_nodes_is_cut_at_the_node_for_domains() {
    let machine = Shape::load("snc-one-cache").machine();
    assert_eq!(distance(&machine, 0, 6), Distance::Llc);
    assert_eq!(machine.lowest_common_domain(0, 5).unwrap().name, "MC");
    assert_eq!(machine.lowest_common_domain(0, 5).unwrap().span, list("0-5"));
    assert_eq!(machine.lowest_common_domain(0, 6).unwrap().name, "NUMA");
    assert_eq!(spans(&machine, Level::Llc)[0], list("0-5"));
}

#[test]
fn a_dump_without_lists_is_read_folder_by_folder() {
    let shape = Shape::load("hotplug-isolated");
    let tree = shape.materialise();
    for file in ["online", "present", "possible", "isolated", "nohz_full"] {
        std::fs::remove_file(tree.path().join("sys/devices/system/cpu").join(file)).unwrap();
    }
    let machine = Machine::read(tree.path()).unwrap();
    assert_eq!(machine.online, list("0-2,4-8,10-15"));
    assert_eq!(machine.possible, list("0-15"));
    assert_eq!(machine.isolated, list("6-7,14-15"), "the command line still has it");
}
