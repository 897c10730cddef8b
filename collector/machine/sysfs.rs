//! CPUs, their places and NUMA nodes from sysfs (Documentation/admin-guide/cputopology.rst,
//! Documentation/ABI/stable/sysfs-devices-node).

use crate::error::MachineError;
use crate::root::Root;
use std::collections::BTreeMap;
use wastenot_topology::{Cpu, CpuSet, FULL_CAPACITY, LOCAL_DISTANCE, NumaNode};

const CPUS: &str = "sys/devices/system/cpu";
const NODES: &str = "sys/devices/system/node";

/// What sysfs reports of CPUs and nodes.
pub(crate) struct SysfsTopology {
    pub possible: CpuSet,
    pub present: CpuSet,
    pub online: CpuSet,
    pub nohz_full: CpuSet,
    pub cpus: Vec<Cpu>,
    pub nodes: Vec<NumaNode>,
    pub quirks: Vec<String>,
}

pub(crate) fn read(root: &Root) -> Result<SysfsTopology, MachineError> {
    let folders: CpuSet = root.numbered(CPUS, "cpu").into_iter().collect();
    if folders.is_empty() {
        return Err(MachineError::NotAMachine {
            root: root.path().to_owned(),
            missing: "/sys/devices/system/cpu/cpu*",
        });
    }
    let online = match root.cpulist(format!("{CPUS}/online"))? {
        Some(online) => online,
        None => online_by_folder(root, &folders)?,
    };
    let present = root.cpulist(format!("{CPUS}/present"))?.unwrap_or_else(|| folders.clone());
    let possible = root.cpulist(format!("{CPUS}/possible"))?.unwrap_or_else(|| present.union(&folders));
    let stray = online.difference(&folders);
    if !stray.is_empty() {
        return Err(MachineError::contradiction(format!("CPUs {stray} are online without a folder in {CPUS}")));
    }
    let stray = online.difference(&present);
    if !stray.is_empty() {
        return Err(MachineError::contradiction(format!("CPUs {stray} are online but not present")));
    }
    let mut quirks = Vec::new();
    let nodes = read_nodes(root, &present, &mut quirks)?;
    let mut cpus: Vec<Cpu> = present
        .iter()
        .map(|cpu| {
            let node = nodes.iter().find(|n| n.cpus.contains(cpu)).map(|n| n.node);
            Cpu { cpu, node, capacity: FULL_CAPACITY, ..Cpu::default() }
        })
        .collect();
    place(root, &online, &mut cpus, &mut quirks)?;
    let nohz_full = root.cpulist(format!("{CPUS}/nohz_full"))?.unwrap_or_default();
    Ok(SysfsTopology { possible, present, online, nohz_full, cpus, nodes, quirks })
}

/// Kernels and dumps without the `online` list: `cpuN/online` holds 0 or 1 and is absent where CPU N cannot go offline.
fn online_by_folder(root: &Root, folders: &CpuSet) -> Result<CpuSet, MachineError> {
    let mut online = CpuSet::new();
    for cpu in folders.iter() {
        if root.number::<u8>(format!("{CPUS}/cpu{cpu}/online"))?.unwrap_or(1) == 1 {
            online.insert(cpu);
        }
    }
    Ok(online)
}

fn read_nodes(root: &Root, present: &CpuSet, quirks: &mut Vec<String>) -> Result<Vec<NumaNode>, MachineError> {
    let numbers = root.numbered(NODES, "node");
    if numbers.is_empty() {
        quirks.push("no NUMA nodes in sysfs: taken as one node".into());
        return Ok(vec![NumaNode {
            node: 0,
            cpus: present.clone(),
            distances: vec![LOCAL_DISTANCE],
            memory_bytes: None,
        }]);
    }
    let mut nodes = Vec::new();
    for node in numbers {
        let folder = format!("{NODES}/node{node}");
        // `cpulist` leaves offline CPUs out; the links `nodeN/cpuM` keep them.
        let links: CpuSet = root.numbered(&folder, "cpu").into_iter().collect();
        let cpus = root.cpulist(format!("{folder}/cpulist"))?.unwrap_or_default().union(&links);
        let distance = format!("{folder}/distance");
        let distances = match root.text(&distance)? {
            Some(text) => text
                .split_whitespace()
                .map(|d| d.parse().map_err(|_| MachineError::garbage(&root.at(&distance), "distances", &text)))
                .collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        nodes.push(NumaNode { node, cpus, distances, memory_bytes: memory(root, &folder)? });
    }
    Ok(nodes)
}

/// `Node 0 MemTotal:  6252748 kB`
fn memory(root: &Root, folder: &str) -> Result<Option<i64>, MachineError> {
    let rel = format!("{folder}/meminfo");
    let Some(text) = root.text(&rel)? else { return Ok(None) };
    let Some(line) = text.lines().find(|line| line.contains("MemTotal:")) else { return Ok(None) };
    let kilobytes = line.split_whitespace().rev().nth(1).and_then(|n| n.parse::<i64>().ok());
    match kilobytes.and_then(|k| k.checked_mul(1024)) {
        Some(bytes) => Ok(Some(bytes)),
        None => Err(MachineError::garbage(&root.at(&rel), "MemTotal in kB", line)),
    }
}

/// Fills in the places of the online CPUs. The kernel removes the topology and cache folders of offline ones.
fn place(root: &Root, online: &CpuSet, cpus: &mut [Cpu], quirks: &mut Vec<String>) -> Result<(), MachineError> {
    let [mut cores, mut clusters, mut dies, mut llcs] = [(); 4].map(|()| CpuGroups::new(online));
    for cpu in cpus.iter().map(|c| c.cpu).filter(|&c| online.contains(c)) {
        let topology = format!("{CPUS}/cpu{cpu}/topology");
        cores.add(cpu, siblings(root, &topology, &["core_cpus", "thread_siblings"])?);
        clusters.add(cpu, siblings(root, &topology, &["cluster_cpus"])?);
        dies.add(cpu, siblings(root, &topology, &["die_cpus"])?);
        llcs.add(cpu, last_level_cache(root, cpu)?);
    }
    for (kind, groups) in [("core", &cores), ("cluster", &clusters), ("die", &dies), ("last-level cache", &llcs)] {
        groups.validate(kind)?;
    }
    if cores.by_cpu.is_empty() {
        quirks.push("no core siblings in sysfs: cores unknown".into());
    }
    if llcs.by_cpu.is_empty() {
        quirks.push("no caches in sysfs: last-level caches unknown".into());
    }
    for cpu in cpus.iter_mut().filter(|c| online.contains(c.cpu)) {
        let package = root.number::<i32>(format!("{CPUS}/cpu{}/topology/physical_package_id", cpu.cpu))?;
        cpu.package = package.filter(|&p| p >= 0);
        (cpu.core, cpu.cluster) = (cores.first(cpu.cpu), clusters.first(cpu.cpu));
        (cpu.die, cpu.llc) = (dies.first(cpu.cpu), llcs.first(cpu.cpu));
        cpu.smt = cores.by_cpu.get(&cpu.cpu).map_or(0, |set| set.iter().take_while(|&c| c < cpu.cpu).count() as u32);
        let capacity = root.number::<u32>(format!("{CPUS}/cpu{}/cpu_capacity", cpu.cpu))?;
        cpu.capacity = capacity.filter(|&c| c > 0).unwrap_or(FULL_CAPACITY);
    }
    Ok(())
}

/// A sibling set by the first of its names that exists, as a list or, before 2.6.27 lists, as a mask.
fn siblings(root: &Root, folder: &str, names: &[&str]) -> Result<Option<CpuSet>, MachineError> {
    for name in names {
        if let Some(set) = root.cpulist(format!("{folder}/{name}_list"))? {
            return Ok(Some(set));
        }
        let rel = format!("{folder}/{name}");
        if let Some(mask) = root.text(&rel)? {
            let set = CpuSet::parse_mask(&mask);
            return set.map(Some).map_err(|_| MachineError::garbage(&root.at(&rel), "a CPU mask", &mask));
        }
    }
    Ok(None)
}

/// CPUs that share the highest cache level (kernel: `cpu_coregroup_mask`, `cpu_llc_shared_mask`).
fn last_level_cache(root: &Root, cpu: u32) -> Result<Option<CpuSet>, MachineError> {
    let folder = format!("{CPUS}/cpu{cpu}/cache");
    let mut best: Option<(u8, CpuSet)> = None;
    for index in root.numbered(&folder, "index") {
        let index = format!("{folder}/index{index}");
        let data = root.text(format!("{index}/type"))?.is_none_or(|kind| kind != "Instruction");
        let (Some(level), true) = (root.number::<u8>(format!("{index}/level"))?, data) else { continue };
        let higher = best.as_ref().is_none_or(|(l, _)| level > *l);
        if let (true, Some(shared)) = (higher, siblings(root, &index, &["shared_cpu"])?.or(map(root, &index)?)) {
            best = Some((level, shared));
        }
    }
    Ok(best.map(|(_, shared)| shared))
}

/// `shared_cpu_map`, where a kernel or dump has no `shared_cpu_list`.
fn map(root: &Root, index: &str) -> Result<Option<CpuSet>, MachineError> {
    siblings(root, index, &["shared_cpu_map"])
}

/// Sets of CPUs of one kind, as each member reports them.
struct CpuGroups<'a> {
    online: &'a CpuSet,
    by_cpu: BTreeMap<u32, CpuSet>,
}

impl<'a> CpuGroups<'a> {
    fn new(online: &'a CpuSet) -> Self {
        Self { online, by_cpu: BTreeMap::new() }
    }

    /// Offline CPUs are left out: some kernels (6.1) keep them in the cache lists of the others.
    fn add(&mut self, cpu: u32, set: Option<CpuSet>) {
        if let Some(set) = set.map(|set| set.intersection(self.online)).filter(|set| !set.is_empty()) {
            self.by_cpu.insert(cpu, set);
        }
    }

    fn first(&self, cpu: u32) -> Option<u32> {
        self.by_cpu.get(&cpu)?.first()
    }

    /// Every member of a CPU's group must report the same group.
    fn validate(&self, kind: &str) -> Result<(), MachineError> {
        for (cpu, set) in &self.by_cpu {
            if !set.contains(*cpu) {
                return Err(MachineError::contradiction(format!("CPU {cpu} is not in its own {kind} ({set})")));
            }
            let first = set.first().unwrap_or(*cpu);
            let others: Vec<u32> = if first == *cpu { set.iter().collect() } else { vec![first] };
            for other in others {
                if self.by_cpu.get(&other) != Some(set) {
                    let theirs = self.by_cpu.get(&other).map_or("nothing".to_owned(), CpuSet::to_string);
                    return Err(MachineError::contradiction(format!(
                        "CPU {cpu} reports the {kind} {set}, CPU {other} reports {theirs}"
                    )));
                }
            }
        }
        Ok(())
    }
}
