//! The machine as the simulation uses it: CPUs by dense index, distances, and a tree of components to which runqueues of
//! any level can be attached.

use crate::masks::CpuMask;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use wastenot_machine::{Distance, Machine};
use wastenot_topology::CpuSet;

pub use wastenot_topology::CpuIx;

/// A level of the machine, from the whole to the logical CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Everything.
    Machine,
    /// NUMA node.
    Node,
    /// Last-level cache.
    Llc,
    /// Core.
    Core,
    /// Logical CPU.
    Cpu,
}

/// A part of the machine, with its place in the tree. A level that equals the one above it has no component of its own.
#[derive(Clone, Debug)]
pub struct Component {
    /// What it is.
    pub level: Level,
    /// CPUs in it, offline ones included.
    pub span: CpuMask,
    /// The component above; None for the machine.
    pub parent: Option<usize>,
    /// Components directly below.
    pub children: Vec<usize>,
}

/// Position of a CPU in the machine. Parts that are not known are one part per machine (node, LLC) or per CPU (core).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuLocation {
    /// The kernel's number.
    pub number: u32,
    /// NUMA node, by place in [`Machine::nodes`] order; 0 where there are none.
    pub node: u16,
    /// Last-level cache, by its first CPU.
    pub llc: CpuIx,
    /// Cluster of cores below the last-level cache, by its first CPU; the core's where there are none.
    pub cluster: CpuIx,
    /// Core, by its first CPU.
    pub core: CpuIx,
    /// Capacity, 1024 the largest.
    pub capacity: u32,
}

/// A machine ready for simulation.
#[derive(Clone, Debug)]
pub struct Topology {
    machine: Machine,
    locations: Vec<CpuLocation>,
    distances: Vec<Distance>,
    components: Vec<Component>,
    leaves: Vec<usize>,
    siblings: Vec<Vec<CpuIx>>,
}

impl Topology {
    /// The topology of a machine. CPUs that are present but offline take part: they may come online.
    pub fn new(machine: &Machine) -> Self {
        let locations = locations(machine);
        let n = locations.len();
        // Between nodes as in the snapshot, for one CPU of each; unknown parts count as one.
        let count = locations.iter().map(|s| s.node as usize + 1).max().unwrap_or(0);
        let of_node = |node: usize| locations.iter().find(|s| s.node as usize == node).map(|s| s.number);
        let any: Vec<Option<u32>> = (0..count).map(of_node).collect();
        let between = |a: usize, b: usize| match (any[a], any[b]) {
            (Some(a), Some(b)) => machine.distance(a, b),
            _ => Distance::Unknown,
        };
        let table: Vec<Distance> = (0..count * count).map(|i| between(i / count, i % count)).collect();
        let distance = |a: usize, b: usize| {
            let (x, y) = (&locations[a], &locations[b]);
            if a == b {
                Distance::SameCpu
            } else if x.core == y.core {
                Distance::Smt
            } else if x.llc == y.llc {
                Distance::Llc
            } else if x.node == y.node {
                Distance::Node
            } else {
                match table[x.node as usize * count + y.node as usize] {
                    Distance::Far => Distance::Far,
                    _ => Distance::OneHop,
                }
            }
        };
        let distances = (0..n * n).map(|i| distance(i / n, i % n)).collect();
        let (components, leaves) = components(&locations);
        let siblings = (0..n)
            .map(|i| (0..n).filter(|&j| j != i && locations[j].core == locations[i].core).map(|j| j as CpuIx).collect())
            .collect();
        Self { machine: machine.clone(), locations, distances, components, leaves, siblings }
    }

    /// The machine of this topology.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Number of CPUs, offline ones included.
    pub fn len(&self) -> usize {
        self.locations.len()
    }

    /// True for a machine without CPUs.
    pub fn is_empty(&self) -> bool {
        self.locations.is_empty()
    }

    /// Every CPU.
    pub fn cpus(&self) -> impl Iterator<Item = CpuIx> + use<> {
        0..self.locations.len() as CpuIx
    }

    /// Position of a CPU in the machine.
    #[inline]
    pub fn location(&self, cpu: CpuIx) -> &CpuLocation {
        &self.locations[cpu as usize]
    }

    /// The kernel's number of a CPU as the tables store it.
    #[inline]
    pub fn number(&self, cpu: CpuIx) -> i16 {
        self.locations[cpu as usize].number as i16
    }

    /// The CPU of a kernel number.
    pub fn index(&self, number: u32) -> Option<CpuIx> {
        self.locations.binary_search_by_key(&number, |s| s.number).ok().map(|i| i as CpuIx)
    }

    /// A set of kernel numbers by dense index; numbers the machine does not have are left out.
    pub fn mask(&self, set: &CpuSet) -> CpuMask {
        CpuMask::of(self.len(), set.iter().filter_map(|n| self.index(n)))
    }

    /// Nearest level that two CPUs share.
    #[inline]
    pub fn distance(&self, a: CpuIx, b: CpuIx) -> Distance {
        self.distances[a as usize * self.locations.len() + b as usize]
    }

    /// Distance between the nodes of two CPUs as reported by the firmware: 10 to itself, 20 where it reports none.
    pub fn node_distance(&self, a: u16, b: u16) -> i32 {
        let known = self.machine.nodes.get(a as usize).and_then(|n| n.distances.get(b as usize));
        known.copied().unwrap_or(if a == b { 10 } else { 20 })
    }

    /// The other hardware threads of a CPU's core.
    #[inline]
    pub fn siblings(&self, cpu: CpuIx) -> &[CpuIx] {
        &self.siblings[cpu as usize]
    }

    /// All components; the first is the machine.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The number of a component as the columns of the table `cpu` have it: of the node, or of the first CPU of a cache or
    /// core; 0 for the machine.
    pub fn component_number(&self, component: usize) -> i64 {
        let Component { level, span, .. } = &self.components[component];
        let cpu = usize::from(span.first().unwrap_or(0));
        let Some(known) = self.machine.cpus.get(cpu) else { return 0 };
        let number = match level {
            Level::Machine => return 0,
            Level::Node => known.node.unwrap_or(0),
            Level::Llc => known.llc.unwrap_or(known.cpu),
            Level::Core => known.core.unwrap_or(known.cpu),
            Level::Cpu => known.cpu,
        };
        i64::from(number)
    }

    /// The component of one CPU; its ancestors are found by [`Component::parent`].
    pub fn leaf(&self, cpu: CpuIx) -> usize {
        self.leaves[cpu as usize]
    }
}

fn locations(machine: &Machine) -> Vec<CpuLocation> {
    let position = |number: u32| machine.cpus.binary_search_by_key(&number, |c| c.cpu).ok().map(|i| i as CpuIx);
    let node_of = |c: &wastenot_machine::Cpu| {
        let node = c.node.and_then(|n| machine.nodes.binary_search_by_key(&n, |x| x.node).ok());
        node.unwrap_or(0) as u16
    };
    let mut first_of_node: BTreeMap<u16, CpuIx> = BTreeMap::new();
    for (i, c) in machine.cpus.iter().enumerate() {
        first_of_node.entry(node_of(c)).or_insert(i as CpuIx);
    }
    let location = |(i, c): (usize, &wastenot_machine::Cpu)| {
        let node = node_of(c);
        let core = c.core.and_then(position).unwrap_or(i as CpuIx);
        // A cache that spans nodes is cut to the node, as the kernel's MC level is: its part is named by the node as well.
        let llc = c.llc.and_then(position).unwrap_or(first_of_node[&node]);
        let cluster = c.cluster.and_then(position).unwrap_or(core);
        CpuLocation { number: c.cpu, node, llc, cluster, core, capacity: c.capacity.max(1) }
    };
    machine.cpus.iter().enumerate().map(location).collect()
}

fn components(locations: &[CpuLocation]) -> (Vec<Component>, Vec<usize>) {
    let n = locations.len();
    let mut all = vec![Component { level: Level::Machine, span: CpuMask::all(n), parent: None, children: Vec::new() }];
    let mut place: Vec<usize> = vec![0; n];
    type Key = fn(&CpuLocation, usize) -> u32;
    let keys: [(Level, Key); 4] = [
        (Level::Node, |s, _| u32::from(s.node)),
        (Level::Llc, |s, _| u32::from(s.llc)),
        (Level::Core, |s, _| u32::from(s.core)),
        (Level::Cpu, |_, i| i as u32),
    ];
    for (level, key) in keys {
        let mut parts: BTreeMap<(usize, u32), Vec<CpuIx>> = BTreeMap::new();
        for (i, location) in locations.iter().enumerate() {
            parts.entry((place[i], key(location, i))).or_default().push(i as CpuIx);
        }
        for ((parent, _), cpus) in parts {
            let span = CpuMask::of(n, cpus.iter().copied());
            if span == all[parent].span && level != Level::Cpu {
                continue;
            }
            let id = all.len();
            all[parent].children.push(id);
            cpus.iter().for_each(|&c| place[c as usize] = id);
            all.push(Component { level, span, parent: Some(parent), children: Vec::new() });
        }
    }
    (all, place)
}
