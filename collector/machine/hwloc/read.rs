//! A machine from hwloc's objects.

use super::info;
use super::xml::{self, Element};
use crate::domains;
use crate::error::MachineError;
use crate::kernel::ASSUMED_TICK_NS;
use crate::model::{DomainSource, FORMAT, Machine, TickSource};
use std::collections::BTreeMap;
use wastenot_topology::{Cpu, CpuSet, FULL_CAPACITY, NumaNode};

impl Machine {
    /// Reads hwloc XML of version 2, as `lstopo --of xml` writes it.
    ///
    /// Fails with [`MachineError::Hwloc`] on XML that is damaged, of another version or not hwloc's, and with
    /// [`MachineError::Contradiction`] where its objects exclude each other. Entities are never expanded.
    pub fn from_hwloc(text: &str) -> Result<Self, MachineError> {
        let topology = xml::parse(text)?;
        let root = topology
            .children
            .iter()
            .find(|c| c.kind() == "Machine")
            .ok_or_else(|| MachineError::hwloc(topology.offset, "no Machine object"))?;
        let mut found = HwlocReader::default();
        found.visit(root, &Position::default())?;
        let online: CpuSet = found.cpus.keys().copied().collect();
        let present = online.union(&root.bitmap("complete_cpuset")?.unwrap_or_default());
        let nodes = nodes(&topology, &found.nodes)?;
        found.name_groups();
        let mut cpus = Vec::new();
        for cpu in present.iter() {
            let node = nodes.iter().find(|n| n.cpus.contains(cpu)).map(|n| n.node);
            let offline = || Cpu { cpu, capacity: FULL_CAPACITY, ..Cpu::default() };
            cpus.push(Cpu { node, ..found.cpus.remove(&cpu).unwrap_or_else(offline) });
        }
        number_threads(&mut cpus);
        capacities(&topology, &mut cpus)?;
        let list = |name: &str| -> Result<CpuSet, MachineError> {
            let parse = |text| CpuSet::parse_list(text).map_err(|e| MachineError::hwloc(root.offset, e.to_string()));
            root.info(name).map_or(Ok(CpuSet::new()), parse)
        };
        let tick = root.info(info::TICK_NS).and_then(|t| t.parse().ok());
        let text_of = |name: &str| root.info(name).map(str::to_owned);
        let mut machine = Self {
            format: FORMAT,
            host: text_of(info::HOST),
            arch: text_of(info::ARCHITECTURE),
            model: text_of(info::MODEL).or(found.model),
            kernel: text_of(info::RELEASE),
            cmdline: text_of(info::COMMAND_LINE),
            tick_ns: tick.unwrap_or(ASSUMED_TICK_NS),
            tick_source: if tick.is_some() { TickSource::Declared } else { TickSource::Assumed },
            preemption: None,
            migration_cost_ns: None,
            rt_runtime_us: None,
            rt_period_us: None,
            possible: present.union(&list(info::POSSIBLE)?),
            present,
            online,
            isolated: list(info::ISOLATED)?,
            nohz_full: list(info::NOHZ_FULL)?,
            partitions: Vec::new(),
            cpus,
            nodes,
            domain_source: DomainSource::Derived,
            domains: Vec::new(),
            quirks: Vec::new(),
        };
        domains::derive(&mut machine);
        machine.validate()?;
        Ok(machine)
    }
}

/// The position in the tree of objects. Groups are named by a serial number until their first CPU is known.
#[derive(Clone, Default)]
struct Position {
    package: Option<i32>,
    die: Option<u32>,
    cluster: Option<u32>,
    /// Highest cache level so far, and its serial number.
    cache: Option<(u32, u32)>,
    core: Option<u32>,
}

#[derive(Default)]
struct HwlocReader {
    cpus: BTreeMap<u32, Cpu>,
    /// NUMA nodes with their CPUs, complete ones included, and memory.
    nodes: BTreeMap<u32, (CpuSet, Option<i64>)>,
    /// First CPU of each group, by serial number.
    firsts: BTreeMap<u32, u32>,
    model: Option<String>,
    serial: u32,
}

impl HwlocReader {
    fn visit(&mut self, object: &Element, above: &Position) -> Result<(), MachineError> {
        let mut place = above.clone();
        self.serial += 1;
        match object.kind() {
            "Package" => {
                place.package = object.number("os_index")?;
                self.model = self.model.take().or_else(|| object.info(info::MODEL).map(str::to_owned));
            }
            "Die" => place.die = Some(self.serial),
            "Group" if object.attribute("subtype") == Some("Cluster") => place.cluster = Some(self.serial),
            "Core" => place.core = Some(self.serial),
            "NUMANode" => self.node(object)?,
            "PU" => self.cpu(object, &place)?,
            kind if kind.starts_with('L') && kind.ends_with("Cache") && !kind.ends_with("iCache") => {
                let level = object.number("depth")?.unwrap_or(0);
                if place.cache.is_none_or(|(highest, _)| level > highest) {
                    place.cache = Some((level, self.serial));
                }
            }
            _ => {}
        }
        object.children.iter().filter(|c| c.name == "object").try_for_each(|child| self.visit(child, &place))
    }

    fn node(&mut self, object: &Element) -> Result<(), MachineError> {
        let number: u32 = os_index(object)?;
        let cpus = match object.bitmap("complete_cpuset")? {
            Some(cpus) => cpus,
            None => object.bitmap("cpuset")?.unwrap_or_default(),
        };
        // hwloc writes 0 where it does not know.
        let memory = object.number("local_memory")?.filter(|&bytes: &i64| bytes > 0);
        match self.nodes.insert(number, (cpus, memory)) {
            Some(_) => Err(MachineError::contradiction(format!("NUMA node {number} is there twice"))),
            None => Ok(()),
        }
    }

    fn cpu(&mut self, object: &Element, place: &Position) -> Result<(), MachineError> {
        let cpu = os_index(object)?;
        let described = Cpu {
            cpu,
            node: None,
            package: place.package,
            die: self.member(place.die, cpu),
            cluster: self.member(place.cluster, cpu),
            llc: self.member(place.cache.map(|(_, serial)| serial), cpu),
            core: self.member(place.core, cpu),
            smt: 0,
            capacity: FULL_CAPACITY,
        };
        match self.cpus.insert(cpu, described) {
            Some(_) => Err(MachineError::contradiction(format!("CPU {cpu} is there twice"))),
            None => Ok(()),
        }
    }

    /// Notes that a CPU is in the group of that serial number, which names the group until all its CPUs are known.
    fn member(&mut self, serial: Option<u32>, cpu: u32) -> Option<u32> {
        let first = self.firsts.entry(serial?).or_insert(cpu);
        *first = cpu.min(*first);
        serial
    }

    /// Renames every group from its serial number to its lowest CPU.
    fn name_groups(&mut self) {
        let name = |group: &mut Option<u32>| *group = group.and_then(|serial| self.firsts.get(&serial).copied());
        for cpu in self.cpus.values_mut() {
            [&mut cpu.die, &mut cpu.cluster, &mut cpu.llc, &mut cpu.core].into_iter().for_each(name);
        }
    }
}

fn os_index(object: &Element) -> Result<u32, MachineError> {
    match object.number("os_index")? {
        Some(index) if index <= CpuSet::MAX_CPU => Ok(index),
        Some(index) => Err(MachineError::hwloc(object.offset, format!("os_index {index} is above 32767"))),
        None => Err(MachineError::hwloc(object.offset, format!("{} without os_index", object.kind()))),
    }
}

/// Nodes in order of their number. Memory that is only near some CPUs (HBM, CXL) names CPUs of another node: the CPUs
/// belong to the lowest number.
fn nodes(topology: &Element, found: &BTreeMap<u32, (CpuSet, Option<i64>)>) -> Result<Vec<NumaNode>, MachineError> {
    let mut taken = CpuSet::new();
    let mut nodes = Vec::new();
    for (&node, (cpus, memory_bytes)) in found {
        let cpus = cpus.difference(&taken);
        taken = taken.union(&cpus);
        nodes.push(NumaNode { node, cpus, distances: Vec::new(), memory_bytes: *memory_bytes });
    }
    if let Some(matrix) = distances(topology, nodes.len())? {
        for (i, node) in nodes.iter_mut().enumerate() {
            node.distances = nodes_row(&matrix, found, i);
        }
    } else if let [only] = nodes.as_mut_slice() {
        only.distances = vec![10];
    }
    Ok(nodes)
}

/// Distances by pair of node numbers.
type Matrix = BTreeMap<(u32, u32), i32>;

fn nodes_row(matrix: &Matrix, found: &BTreeMap<u32, (CpuSet, Option<i64>)>, row: usize) -> Vec<i32> {
    let from = found.keys().nth(row).copied().unwrap_or_default();
    let to = found.keys().map(|&to| matrix.get(&(from, to)).copied());
    to.collect::<Option<_>>().unwrap_or_default()
}

/// The first latency matrix between NUMA nodes (`kind` 4: HWLOC_DISTANCES_KIND_MEANS_LATENCY).
fn distances(topology: &Element, nodes: usize) -> Result<Option<Matrix>, MachineError> {
    let latency = |e: &&Element| {
        e.name == "distances2"
            && e.attribute("type") == Some("NUMANode")
            && e.attribute("indexing") == Some("os")
            && e.attribute("kind").and_then(|k| k.parse::<u32>().ok()).is_some_and(|kind| kind & 4 != 0)
    };
    let Some(matrix) = topology.children.iter().find(latency) else { return Ok(None) };
    let numbers = |name: &str| -> Result<Vec<i64>, MachineError> {
        let texts = matrix.children.iter().filter(|c| c.name == name).map(|c| c.text.as_str());
        let words: Vec<&str> = texts.flat_map(str::split_whitespace).collect();
        let fail = |_| MachineError::hwloc(matrix.offset, format!("{name} of a distance matrix is not numbers"));
        words.iter().map(|w| w.parse::<i64>()).collect::<Result<_, _>>().map_err(fail)
    };
    let (indexes, values) = (numbers("indexes")?, numbers("u64values")?);
    if indexes.len() != nodes || values.len() != nodes * nodes {
        let why = format!("a distance matrix of {} values for {nodes} nodes", values.len());
        return Err(MachineError::hwloc(matrix.offset, why));
    }
    let pairs = indexes.iter().flat_map(|&from| indexes.iter().map(move |&to| (from as u32, to as u32)));
    Ok(Some(pairs.zip(values.into_iter().map(|v| v.try_into().unwrap_or(i32::MAX))).collect()))
}

/// Hardware threads of a core are numbered in order of their CPU numbers.
fn number_threads(cpus: &mut [Cpu]) {
    let mut threads: BTreeMap<u32, u32> = BTreeMap::new();
    for cpu in cpus {
        let Some(core) = cpu.core else { continue };
        let next = threads.entry(core).or_default();
        cpu.smt = *next;
        *next += 1;
    }
}

/// Capacities from the CPU kinds; hwloc keeps what sysfs says in `LinuxCapacity`.
fn capacities(topology: &Element, cpus: &mut [Cpu]) -> Result<(), MachineError> {
    for kind in topology.children.iter().filter(|c| c.name == "cpukind") {
        let Some(set) = kind.bitmap("cpuset")? else { continue };
        let Some(capacity) = kind.info(info::CAPACITY).and_then(|c| c.parse::<u32>().ok()) else { continue };
        for cpu in cpus.iter_mut().filter(|c| set.contains(c.cpu) && capacity > 0) {
            cpu.capacity = capacity;
        }
    }
    Ok(())
}
