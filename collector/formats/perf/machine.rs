//! The machine, as far as perf.data describes it.

use crate::features::{Cache, Features, feature};
use std::collections::BTreeMap;
use wastenot_import::Endian;
use wastenot_machine::Machine;
use wastenot_topology::{CpuSet, LOCAL_DISTANCE, NumaNode, REMOTE_DISTANCE};

/// The machine with its domains derived; None where cores or nodes are not recorded, or the facts contradict each other.
pub fn machine(features: &Features, endian: Endian) -> Option<Machine> {
    let topology = features.topology(endian)?;
    let numa = features.nodes(endian)?;
    let cpus = features.cpus(endian)?;
    let kernel = features.text(feature::OSRELEASE, endian);
    let mut machine = Machine::of_cpus(cpus, kernel, features.text(feature::ARCH, endian));
    machine.model = features.text(feature::CPUDESC, endian);
    machine.quirks = vec!["read from perf.data: isolated CPUs, capacities and the tick are not in it".into()];
    let possible = machine.possible.clone();
    let sets = |lists: &[String]| lists.iter().map(|list| set(list, &possible)).collect::<Option<Vec<CpuSet>>>();

    // sysfs describes online CPUs only.
    let cores = sets(&topology.threads)?;
    machine.online = cores.iter().fold(CpuSet::new(), |all, core| all.union(core));
    let (cores, dies) = (firsts(&cores), firsts(&sets(&topology.dies)?));
    let caches = features.caches(endian).unwrap_or_default();
    let llcs = firsts(&last_level(&caches, &possible)?);
    if llcs.is_empty() {
        machine.quirks.push("caches are not in perf.data: last-level caches unknown".into());
    }
    machine.nodes = nodes(&numa, &possible, &mut machine.quirks)?;
    let mut threads: BTreeMap<u32, u32> = BTreeMap::new();
    for cpu in &mut machine.cpus {
        let number = cpu.cpu;
        cpu.node = machine.nodes.iter().find(|node| node.cpus.contains(number)).map(|node| node.node);
        (cpu.core, cpu.die, cpu.llc) =
            (cores.get(&number).copied(), dies.get(&number).copied(), llcs.get(&number).copied());
        let package = topology.packages.get(number as usize).map(|&(_, package)| package);
        cpu.package = package.filter(|&package| package >= 0 && cpu.core.is_some());
        if let Some(core) = cpu.core {
            let thread = threads.entry(core).or_default();
            cpu.smt = *thread;
            *thread += 1;
        }
    }
    machine.with_derived_domains().ok()
}

fn nodes(
    numa: &[crate::features::NodeDescription],
    possible: &CpuSet,
    quirks: &mut Vec<String>,
) -> Option<Vec<NumaNode>> {
    if numa.len() > 2 {
        quirks.push("distances between nodes are not in perf.data: all nodes are taken as equally far".into());
    }
    let place = |at: usize| {
        let described = &numa[at];
        let distances = (0..numa.len()).map(|to| if to == at { LOCAL_DISTANCE } else { REMOTE_DISTANCE }).collect();
        let memory_bytes = described.memory_kb.checked_mul(1024).and_then(|bytes| i64::try_from(bytes).ok());
        Some(NumaNode { node: described.node, cpus: set(&described.cpus, possible)?, distances, memory_bytes })
    };
    (0..numa.len()).map(place).collect()
}

/// The CPUs that share each cache of the highest level.
fn last_level(caches: &[Cache], possible: &CpuSet) -> Option<Vec<CpuSet>> {
    let data = || caches.iter().filter(|cache| cache.kind != "Instruction");
    let highest = data().map(|cache| cache.level).max();
    data().filter(|cache| Some(cache.level) == highest).map(|cache| set(&cache.cpus, possible)).collect()
}

/// A list of CPUs (`0-3,8`), all of which the machine has.
fn set(list: &str, possible: &CpuSet) -> Option<CpuSet> {
    CpuSet::parse_list(list).ok().filter(|set| set.is_subset(possible))
}

/// The first CPU of each CPU's group.
fn firsts(groups: &[CpuSet]) -> BTreeMap<u32, u32> {
    let of = |group: &CpuSet| group.first().map(|first| group.iter().map(move |cpu| (cpu, first)).collect::<Vec<_>>());
    groups.iter().filter_map(of).flatten().collect()
}
