//! Machine JSON and the rows of the entity tables.

mod shape;

use shape::{Shape, Tree, distance, fixtures, spans, tree_text};
use std::path::Path;
use wastenot_machine::{DomainSource, Machine};
use wastenot_schemas::{cpu, domain, domain_group, machine, numa_node};
use wastenot_topology::{Distance, Level};

fn guest() -> Machine {
    let path = fixtures().join("guest-2n8.json");
    Machine::from_json(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn json_carries_every_shape() {
    let names = ["desktop-smt", "opteron-two-hops", "hotplug-isolated", "power-holes", "arm-clusters", "big-little"];
    for name in names {
        let machine = Shape::load(name).machine();
        assert_eq!(Machine::from_json(&machine.to_json()).unwrap(), machine, "{name}");
    }
}

#[test]
fn json_of_a_thousand_cpus_stays_small() {
    let machine = Shape::load("superdome-1536").machine();
    let json = machine.to_json();
    assert!(json.len() < 400_000, "{} bytes", json.len());
    assert_eq!(Machine::from_json(&json).unwrap(), machine);
}

#[test]
fn the_guest_of_two_nodes_is_as_its_tools_described_it() {
    let guest = guest();
    assert_eq!(distance(&guest, 0, 3), Distance::Llc);
    assert_eq!(distance(&guest, 0, 4), Distance::OneHop);
    assert_eq!(guest.lowest_common_domain(0, 3).unwrap().name, "MC");
    let top = guest.lowest_common_domain(0, 4).unwrap();
    assert_eq!(top.name, "NUMA");
    assert!(top.flags.as_deref().unwrap().ends_with("SD_SERIALIZE SD_OVERLAP SD_NUMA"));
    assert_eq!(guest.domain_source, DomainSource::Debugfs);
}

#[test]
fn rows_of_the_guest() {
    let guest = guest();
    let batches = guest.batches(77);
    let names: Vec<_> = batches.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, [machine::NAME, cpu::NAME, numa_node::NAME, domain::NAME]);
    let view = machine::View::try_new(&batches[0].1).unwrap();
    let row = view.row(0);
    assert_eq!(
        (row.kernel, row.tick_ns, row.cpus_online, row.cpus_possible),
        (guest.kernel.as_deref(), 4_000_000, 8, 8)
    );
    assert_eq!(Machine::from_json(row.snapshot).unwrap(), guest);
    let view = cpu::View::try_new(&batches[1].1).unwrap();
    let row = view.row(5);
    assert_eq!((row.cpu, row.node, row.package, row.llc, row.core), (5, 1, 1, 4, 5));
    assert_eq!((row.online, row.isolated, row.nohz_full, row.capacity), (true, false, false, 1024));
    let view = numa_node::View::try_new(&batches[2].1).unwrap();
    assert_eq!((view.len(), view.row(1).cpus, view.row(1).distances), (2, &[4i16, 5, 6, 7][..], &[21, 10][..]));
    let view = domain::View::try_new(&batches[3].1).unwrap();
    assert_eq!(view.len(), 16);
    let row = view.row(9);
    assert_eq!((row.since_ns, row.cpu, row.level, row.name, row.exact), (77, 4, 1, "NUMA", false));
    assert_eq!((row.span.len(), row.min_interval_ns, row.max_interval_ns), (8, Some(8_000_000), Some(16_000_000)));
}

#[test]
fn groups_are_rows_of_each_cpu_and_the_first_that_has_it_is_its_own() {
    let mut guest = guest();
    let set = |cpus: &str| cpus.parse().unwrap();
    let top = guest.domains.iter_mut().find(|d| d.level == 1 && d.cpus.contains(4)).unwrap();
    top.groups = Some(vec![set("0-3"), set("3-7")]);
    let batches = guest.batches(77);
    let (name, batch) = batches.last().unwrap();
    assert_eq!(*name, domain_group::NAME);
    let view = domain_group::View::try_new(batch).unwrap();
    let of = |cpu: i16| -> Vec<(i64, i16, i16, bool, Vec<i16>)> {
        let rows = (0..view.len()).map(|i| view.row(i)).filter(|r| r.cpu == cpu);
        rows.map(|r| (r.since_ns, r.level, r.place, r.own, r.cpus.to_vec())).collect()
    };
    assert_eq!(of(3), [(77, 1, 0, true, vec![0, 1, 2, 3]), (77, 1, 1, false, vec![3, 4, 5, 6, 7])]);
    assert_eq!(of(4)[1], (77, 1, 1, true, vec![3, 4, 5, 6, 7]));
    assert_eq!(Machine::from_json(&guest.to_json()).unwrap(), guest);
    guest.domains.iter_mut().for_each(|d| d.groups = Some(vec![set("0-8")]));
    assert!(Machine::from_json(&guest.to_json()).unwrap_err().to_string().contains("a group of the"));
}

#[test]
fn unknown_places_are_minus_one() {
    let machine = Shape::load("hotplug-isolated").machine();
    let batches = machine.batches(0);
    let view = cpu::View::try_new(&batches[1].1).unwrap();
    let row = view.row(3);
    assert_eq!((row.cpu, row.online, row.node, row.package, row.llc, row.core), (3, false, 0, -1, -1, -1));
    assert!(view.row(6).isolated && view.row(6).nohz_full);
}

#[test]
fn a_large_machine_fills_several_batches_of_domains() {
    let machine = Shape::load("superdome-1536").machine();
    let batches = machine.batches(0);
    let domains: Vec<_> = batches.iter().filter(|(name, _)| *name == domain::NAME).collect();
    assert_eq!(domains.iter().map(|(_, b)| b.num_rows()).sum::<usize>(), 1536 * 4);
    assert!(domains.iter().all(|(_, b)| b.num_rows() <= 122_880 && b.num_rows() > 0));
}

#[test]
fn a_machine_without_domains_still_has_an_empty_batch() {
    let mut machine = guest();
    machine.domains.clear();
    let batches = machine.batches(0);
    assert_eq!(batches[3].1.num_rows(), 0);
}

#[test]
fn this_very_machine_is_read() {
    let machine = Machine::read(Path::new("/")).unwrap();
    let cpus = std::thread::available_parallelism().unwrap().get();
    assert!(machine.online.len() >= cpus);
    assert_eq!(spans(&machine, Level::Machine)[0], machine.online);
    assert_eq!(Machine::from_json(&machine.to_json()).unwrap(), machine);
    assert!(machine.kernel.is_some() && machine.arch.is_some());
}

#[test]
fn a_real_dump_is_read() {
    let machine = Machine::read(Tree::from_dump("guest-2cpu").path()).unwrap();
    assert_eq!(
        tree_text(&machine),
        "Node 0 (CPUs 0-1)\n  LLC 0 (CPUs 0-1)\n    Core 0 (CPUs 0)\n    Core 1 (CPUs 1)\n"
    );
    assert_eq!(machine.model.as_deref(), Some("Intel(R) Xeon(R) Processor"));
    assert_eq!(machine.domains.len(), 1);
    assert_eq!(machine.domains[0].name, "MC");
}
