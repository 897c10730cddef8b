//! The machine as the simulation uses it: its topology without gaps, and a tree of components to which runqueues of any level
//! can be attached.

use std::ops::Deref;
use wastenot_machine::Machine;
use wastenot_topology::{Cpu, CpuBits, LOCAL_DISTANCE, NumaNode, REMOTE_DISTANCE, Topology, Tree};

pub use wastenot_topology::{Component, CpuIx, Level};

/// A machine ready for simulation. Parts that are not known are one part per machine (node), per node (LLC) or per CPU (core), and
/// nodes whose distance is not known are [`REMOTE_DISTANCE`] apart.
#[derive(Clone, Debug)]
pub struct SimulatedTopology {
    machine: Machine,
    topology: Topology,
    tree: Tree,
    siblings: Vec<Vec<CpuIx>>,
}

impl Deref for SimulatedTopology {
    type Target = Topology;

    #[inline]
    fn deref(&self) -> &Topology {
        &self.topology
    }
}

impl SimulatedTopology {
    /// The topology of a machine. CPUs that are present but offline take part: they may come online.
    pub fn new(machine: &Machine) -> Self {
        let nodes = nodes(machine);
        let topology = Topology::new(cpus(machine, &nodes), nodes);
        let tree = Tree::of_distinct_levels(&topology, &CpuBits::all(topology.len()));
        let siblings = topology.siblings_by_cpu();
        Self { machine: machine.clone(), topology, tree, siblings }
    }

    /// The machine of this topology.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The other hardware threads of a CPU's core.
    #[inline]
    pub fn siblings(&self, cpu: CpuIx) -> &[CpuIx] {
        &self.siblings[cpu as usize]
    }

    /// All components; the first is the machine. A level that equals the one above it has no component of its own.
    pub fn components(&self) -> &[Component] {
        self.tree.components()
    }

    /// The number of a component as the columns of the table `cpu` have it: of the node, or of the first CPU of a cache or
    /// core; 0 for the machine.
    pub fn component_number(&self, component: usize) -> i64 {
        self.components()[component].number.map_or(0, i64::from)
    }

    /// The component of one CPU; its ancestors are found by [`Component::parent`].
    pub fn leaf(&self, cpu: CpuIx) -> usize {
        self.tree.leaf(cpu)
    }
}

/// The nodes with every distance.
fn nodes(machine: &Machine) -> Vec<NumaNode> {
    if machine.nodes.is_empty() {
        return vec![NumaNode {
            node: 0,
            cpus: machine.present.clone(),
            distances: vec![LOCAL_DISTANCE],
            memory_bytes: None,
        }];
    }
    let count = machine.nodes.len();
    let complete = |(from, node): (usize, &NumaNode)| {
        let assumed = |to| if to == from { LOCAL_DISTANCE } else { REMOTE_DISTANCE };
        let distance = |to| node.distances.get(to).copied().unwrap_or(assumed(to));
        NumaNode { distances: (0..count).map(distance).collect(), ..node.clone() }
    };
    machine.nodes.iter().enumerate().map(complete).collect()
}

/// The CPUs with every part.
fn cpus(machine: &Machine, nodes: &[NumaNode]) -> Vec<Cpu> {
    let node_of = |c: &Cpu| c.node.filter(|&n| machine.node(n).is_some()).unwrap_or(nodes[0].node);
    let first_of = |node: u32| machine.cpus.iter().find(|c| node_of(c) == node).map(|c| c.cpu);
    let first_of_node: Vec<Option<u32>> = nodes.iter().map(|n| first_of(n.node)).collect();
    let complete = |c: &Cpu| {
        let node = node_of(c);
        let core = c.core.unwrap_or(c.cpu);
        let place = nodes.binary_search_by_key(&node, |n| n.node).ok();
        Cpu {
            node: Some(node),
            core: Some(core),
            // A cache that spans nodes is cut to the node, as the kernel's MC level is: its part is named by the node as well.
            llc: c.llc.or(place.and_then(|place| first_of_node[place])),
            cluster: c.cluster.or(Some(core)),
            capacity: c.capacity.max(1),
            ..c.clone()
        }
    };
    machine.cpus.iter().map(complete).collect()
}
