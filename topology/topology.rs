//! Where the CPUs of a machine are, and how far apart.

use crate::node_distances::NodeDistances;
use crate::{Cpu, CpuBits, CpuIndex, CpuIx, CpuSet, Distance, NumaNode};
use std::collections::{BTreeMap, HashMap};

/// The parts of a machine that a CPU is in, by dense numbers; [`UNKNOWN_PART`] for what is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CpuLocation {
    /// NUMA node, by its place in [`Topology::nodes`]; a node that is not listed there has a number beyond.
    pub node: u16,
    /// Last-level cache, by the index of its first CPU.
    pub llc: CpuIx,
    /// Cluster of cores below the last-level cache, by the index of its first CPU.
    pub cluster: CpuIx,
    /// Core, by the index of its first CPU.
    pub core: CpuIx,
}

/// A part in [`CpuLocation`] that is not known.
pub const UNKNOWN_PART: u16 = u16::MAX;

/// The CPUs of a machine by dense index, offline ones included, and its NUMA nodes.
///
/// What is asked per event is kept in flat vectors by index, derived once.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    cpus: Vec<Cpu>,
    nodes: Vec<NumaNode>,
    numbers: Vec<i16>,
    by_number: Vec<CpuIx>,
    locations: Vec<CpuLocation>,
    node_distances: NodeDistances,
    one_hop: Option<i32>,
}

const NO_CPU: CpuIx = CpuIx::MAX;

impl Topology {
    /// Of these CPUs and nodes, in any order. Of several with one number the first is taken; numbers beyond
    /// [`CpuSet::MAX_CPU`] are left out.
    pub fn new(mut cpus: Vec<Cpu>, mut nodes: Vec<NumaNode>) -> Self {
        cpus.retain(|c| c.cpu <= CpuSet::MAX_CPU);
        cpus.sort_by_key(|c| c.cpu);
        cpus.dedup_by_key(|c| c.cpu);
        nodes.sort_by_key(|n| n.node);
        nodes.dedup_by_key(|n| n.node);
        let numbers: Vec<i16> = cpus.iter().map(|c| c.cpu as i16).collect();
        let mut by_number = vec![NO_CPU; cpus.last().map_or(0, |c| c.cpu as usize + 1)];
        for (ix, c) in cpus.iter().enumerate() {
            by_number[c.cpu as usize] = ix as CpuIx;
        }
        let locations = locations(&cpus, &nodes);
        let node_distances = NodeDistances::new(&nodes);
        let one_hop = one_hop(&locations, nodes.len(), &node_distances);
        Self { cpus, nodes, numbers, by_number, locations, node_distances, one_hop }
    }

    /// Number of CPUs.
    #[inline]
    pub fn len(&self) -> usize {
        self.cpus.len()
    }

    /// True when no CPU is known.
    pub fn is_empty(&self) -> bool {
        self.cpus.is_empty()
    }

    /// Every CPU by index.
    pub fn indices(&self) -> impl Iterator<Item = CpuIx> + use<> {
        0..self.cpus.len() as CpuIx
    }

    /// What is known of a CPU.
    pub fn cpu(&self, cpu: CpuIx) -> &Cpu {
        &self.cpus[cpu as usize]
    }

    /// The NUMA nodes, ascending; those without CPUs too.
    pub fn nodes(&self) -> &[NumaNode] {
        &self.nodes
    }

    /// Index of a kernel CPU number; None for a CPU that the machine does not have.
    #[inline]
    pub fn index(&self, number: impl TryInto<usize>) -> Option<CpuIx> {
        self.by_number.get(number.try_into().ok()?).copied().filter(|&ix| ix != NO_CPU)
    }

    /// The kernel's number of a CPU as the tables store it.
    #[inline]
    pub fn number(&self, cpu: CpuIx) -> i16 {
        self.numbers[cpu as usize]
    }

    /// A set of kernel numbers by index; numbers that the machine does not have are left out.
    pub fn bits<I: CpuIndex>(&self, set: &CpuSet) -> CpuBits<I> {
        let indices = set.iter().filter_map(|number| self.index(number));
        CpuBits::of(self.len(), indices.map(|ix| I::of_place(ix.into())))
    }

    /// The kernel's numbers of a set of indices.
    pub fn numbers<I: CpuIndex>(&self, bits: &CpuBits<I>) -> CpuSet {
        bits.iter().map(|cpu| self.cpus[cpu.place()].cpu).collect()
    }

    /// The parts of the machine that a CPU is in.
    #[inline]
    pub fn location(&self, cpu: CpuIx) -> CpuLocation {
        self.locations[cpu as usize]
    }

    /// Nearest level that two CPUs share. Hops are ranks of the distinct distances between nodes, as in the kernel
    /// (kernel/sched/topology.c: `sched_init_numa`): the smallest between two nodes with CPUs is one hop. Nodes whose distance is
    /// not reported are one hop apart, as the kernel takes all of them to be equally far (REMOTE_DISTANCE).
    #[inline]
    pub fn distance(&self, a: CpuIx, b: CpuIx) -> Distance {
        let (x, y) = (&self.locations[a as usize], &self.locations[b as usize]);
        let is_shared = |x: u16, y: u16| x == y && x != UNKNOWN_PART;
        if a == b {
            Distance::SameCpu
        } else if is_shared(x.core, y.core) {
            Distance::Smt
        } else if is_shared(x.llc, y.llc) {
            Distance::Llc
        } else if is_shared(x.node, y.node) {
            Distance::Node
        } else if x.node == UNKNOWN_PART || y.node == UNKNOWN_PART {
            Distance::Unknown
        } else {
            match (self.node_distances.get(x.node.into(), y.node.into()), self.one_hop) {
                (Some(distance), Some(hop)) if distance > hop => Distance::Far,
                _ => Distance::OneHop,
            }
        }
    }

    /// Distance between the nodes of two CPUs, as the firmware reports it (10: the same node); None: not known.
    #[inline]
    pub fn node_distance(&self, a: CpuIx, b: CpuIx) -> Option<i32> {
        self.node_distances.get(self.location(a).node.into(), self.location(b).node.into())
    }

    /// The largest distance below this one that two nodes have.
    pub fn next_nearer(&self, distance: i32) -> Option<i32> {
        self.node_distances.next_nearer(distance)
    }

    /// Per CPU the other hardware threads of its core, ascending.
    pub fn siblings_by_cpu(&self) -> Vec<Vec<CpuIx>> {
        let mut cores: HashMap<CpuIx, Vec<CpuIx>> = HashMap::new();
        for cpu in self.indices().filter(|&cpu| self.location(cpu).core != UNKNOWN_PART) {
            cores.entry(self.location(cpu).core).or_default().push(cpu);
        }
        let others = |cpu: CpuIx| {
            let core = cores.get(&self.location(cpu).core).into_iter().flatten();
            core.copied().filter(|&other| other != cpu).collect()
        };
        self.indices().map(others).collect()
    }

    /// Per CPU the number of its group, from 0: CPUs of a group are equally far from each other and from any third.
    pub fn groups_alike(&self) -> Vec<u32> {
        let mut numbers = HashMap::new();
        let group = |at: &CpuLocation| {
            let next = numbers.len() as u32;
            *numbers.entry((at.core, at.llc, at.node)).or_insert(next)
        };
        self.locations.iter().map(group).collect()
    }
}

fn locations(cpus: &[Cpu], nodes: &[NumaNode]) -> Vec<CpuLocation> {
    let listed = |number: &u32| nodes.binary_search_by_key(number, |n| n.node).ok();
    let mut places: BTreeMap<u32, u16> = cpus.iter().filter_map(|c| c.node).map(|number| (number, 0)).collect();
    let mut beyond = nodes.len() as u16..;
    for (number, place) in &mut places {
        *place = listed(number).map(|place| place as u16).or_else(|| beyond.next()).unwrap_or(UNKNOWN_PART);
    }
    type Part = fn(&Cpu) -> Option<u32>;
    let by_first = |part: Part| {
        let mut first: HashMap<u32, CpuIx> = HashMap::new();
        let index = |(ix, c): (usize, &Cpu)| part(c).map_or(UNKNOWN_PART, |n| *first.entry(n).or_insert(ix as CpuIx));
        cpus.iter().enumerate().map(index).collect::<Vec<CpuIx>>()
    };
    let (llcs, clusters, cores) = (by_first(|c| c.llc), by_first(|c| c.cluster), by_first(|c| c.core));
    let location = |(ix, c): (usize, &Cpu)| CpuLocation {
        node: c.node.and_then(|number| places.get(&number).copied()).unwrap_or(UNKNOWN_PART),
        llc: llcs[ix],
        cluster: clusters[ix],
        core: cores[ix],
    };
    cpus.iter().enumerate().map(location).collect()
}

/// Smallest distance between two different nodes that have CPUs.
fn one_hop(locations: &[CpuLocation], nodes: usize, distances: &NodeDistances) -> Option<i32> {
    let mut has_cpus = vec![false; nodes];
    for at in locations {
        if let Some(node) = has_cpus.get_mut(at.node as usize) {
            *node = true;
        }
    }
    let with_cpus: Vec<usize> = (0..nodes).filter(|&node| has_cpus[node]).collect();
    let others = |from: usize| with_cpus.iter().filter(move |&&to| to != from);
    with_cpus.iter().flat_map(|&from| others(from).filter_map(move |&to| distances.get(from, to))).min()
}
