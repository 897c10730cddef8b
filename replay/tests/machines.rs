//! Simulations on machines of the fixtures: holes in the numbers, offline and isolated CPUs, two hops, dies, big and small.

mod common;
#[path = "common/workloads.rs"]
mod workloads;

use common::{simulate, verdict};
use std::path::Path;
use wastenot_machine::{Domain, Machine};
use wastenot_replay::kernel::Kernel;
use wastenot_replay::span::{MS, Ns, US};
use wastenot_replay::workload::{Happening, ThreadSpec};
use wastenot_replay::{FaultSet, Release, Settings};
use wastenot_schemas as tables;
use workloads::{happening, hog, limited, mixed, sleepy, workload};

fn fixture(name: &str) -> Machine {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/machines").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let machine = if name.ends_with(".xml") { Machine::from_hwloc(&text) } else { Machine::from_json(&text) };
    machine.unwrap_or_else(|e| panic!("{name}: {e}"))
}

const MACHINES: [&str; 6] = [
    "hwloc/big-little.xml",
    "hwloc/dies.xml",
    "hwloc/guest-2cpu.xml",
    "hwloc/two-hops.xml",
    "hwloc/two-packages-smt.xml",
    "guest-2n8.json",
];

#[test]
fn every_machine_of_the_fixtures_can_be_simulated() {
    for name in MACHINES {
        let machine = fixture(name);
        for release in [Release::Averages, Release::Eevdf] {
            let (trace, outcome) =
                simulate(&machine, &mixed(8), Kernel::new(release, FaultSet::none()), &Settings::default());
            let v = verdict(&trace);
            assert!(outcome.finished, "{name} {release:?}");
            let odd = ["contradiction", "rejected", "repaired", "placements_inferred", "migrate_mismatch"];
            assert!(odd.iter().all(|w| v.data_quality_of(w) == 0), "{name} {release:?} {:?}", v.data_quality);
        }
    }
}

/// The model's domains are those that the machine snapshot derives by the same rules: (cpu, level, span). Not where an XML
/// reports no distances between nodes: there the model takes what a kernel without a table of them takes (10 and 20).
#[test]
fn domains_are_those_of_the_snapshot() {
    let mut compared = 0;
    for name in MACHINES.iter().filter(|n| n.ends_with(".xml")) {
        let machine = Machine { kernel: Some("6.12.0".into()), ..fixture(name) };
        if machine.nodes.len() > 1 && machine.nodes.iter().any(|n| n.distances.is_empty()) {
            continue;
        }
        compared += 1;
        let w = limited(MS, workload(&[("nap", sleepy(1, 10 * US, 10 * US))], vec![ThreadSpec::of("nap", 1)], &[]));
        let (trace, _) = simulate(&machine, &w, Kernel::new(Release::Eevdf, FaultSet::none()), &Settings::default());
        let mut ours: Vec<(i16, i16, Vec<i16>)> = Vec::new();
        for (_, batch) in trace.iter().filter(|t| t.0 == tables::domain::NAME) {
            let view = tables::domain::View::try_new(batch).unwrap();
            ours.extend((0..batch.num_rows()).map(|i| view.row(i)).map(|r| (r.cpu, r.level, r.span.to_vec())));
        }
        let mut theirs: Vec<(i16, i16, Vec<i16>)> = Vec::new();
        for d in &machine.domains {
            theirs.extend(d.cpus.iter().map(|c| (c as i16, d.level as i16, d.span.to_i16s())));
        }
        ours.sort();
        theirs.sort();
        assert_eq!(ours, theirs, "{name}");
    }
    assert!(compared >= 3, "{compared}");
}

/// Eight CPUs; sixteen threads unbound from CPU 0. Recorded intervals of a minute (kernel's cap: 100 ms per CPU) and a cost
/// that cuts newidle off leave them there; parameters that no kernel reported change nothing.
#[test]
fn intervals_recorded_from_a_kernel_hold() {
    let plain = fixture("guest-2n8.json");
    let hobbled = |exact| {
        let hobble = |d: &Domain| Domain {
            min_interval_ns: Some(60_000 * MS as i64),
            max_interval_ns: Some(60_000 * MS as i64),
            busy_factor: Some(1000),
            newidle_cost_ns: Some(1_000_000 * MS as i64),
            parameters_exact: exact,
            ..d.clone()
        };
        Machine { domains: plain.domains.iter().map(hobble).collect(), ..plain.clone() }
    };
    let mask = |at: Ns, cpus: std::ops::Range<u32>, w| {
        happening(at, Happening::Affinity { name: "hog".into(), cpus: cpus.collect() }, w)
    };
    let start = workload(&[("hog", hog())], vec![ThreadSpec { count: 16, ..ThreadSpec::of("hog", 1) }], &[]);
    let w = mask(250 * MS, 0..8, mask(MS, 0..1, limited(500 * MS, start)));
    let wasted = |machine: &Machine| {
        let kernel = Kernel::new(Release::Eevdf, FaultSet::shipped(Release::Eevdf));
        let (trace, _) = simulate(machine, &w, kernel, &Settings::default());
        verdict(&trace).wasted_ns
    };
    let usual = wasted(&plain);
    assert_eq!(wasted(&hobbled(false)), usual);
    let released = 7 * 250 * MS as i64;
    assert!(usual < released / 4 && wasted(&hobbled(true)) > released * 3 / 4, "{usual} {}", wasted(&hobbled(true)));
}

#[test]
fn holes_offline_and_isolated_cpus_are_respected() {
    // Numbers 0, 8, 16 ... as with SMT switched off on POWER; one offline, one isolated.
    let mut machine = common::machine(2, 1, 4, 1);
    machine.cpus.iter_mut().for_each(|c| {
        let place = |n: Option<u32>| n.map(|n| n * 8);
        (c.cpu, c.llc, c.core) = (c.cpu * 8, place(c.llc), place(c.core));
    });
    let spread = |set: &wastenot_topology::CpuSet| set.iter().map(|c| c * 8).collect();
    machine.nodes.iter_mut().for_each(|n| n.cpus = spread(&n.cpus));
    (machine.present, machine.possible) = (spread(&machine.present), spread(&machine.possible));
    machine.online = spread(&machine.online);
    machine.online.remove(16);
    machine.isolated = [40].into_iter().collect();
    let w = limited(200 * MS, workload(&[("hog", hog())], vec![ThreadSpec::of("hog", 9)], &[]));
    let (trace, _) = simulate(&machine, &w, Kernel::new(Release::Eevdf, FaultSet::none()), &Settings::default());
    let v = verdict(&trace);
    assert_eq!(v.data_quality_of("contradiction"), 0, "{:?}", v.data_quality);
    // Six CPUs are there for nine hogs: not the offline one, not the isolated one.
    assert!((1_190..=1_201).contains(&(v.busy_ns / MS as i64)), "{v:?}");
    assert!(v.wasted_ns < 100_000, "{v:?}");
}

#[test]
fn a_machine_of_1536_cpus_can_be_simulated() {
    let machine = common::machine(16, 1, 48, 2);
    let w = limited(5 * MS, workload(&[("nap", sleepy(10, 200 * US, 100 * US))], vec![ThreadSpec::of("nap", 60)], &[]));
    let (trace, _) = simulate(&machine, &w, Kernel::new(Release::Eevdf, FaultSet::none()), &Settings::default());
    assert_eq!(verdict(&trace).data_quality_of("contradiction"), 0);
}
