//! The machine as one tree, Node ▸ LLC ▸ Core ▸ CPU, and what two CPUs share.

use crate::model::{Cpu, Domain, Machine};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use wastenot_topology::CpuSet;

/// Online CPUs of a machine by where they sit. A level that is not known has one branch without a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// CPUs of the whole tree.
    pub span: CpuSet,
    /// NUMA nodes that have online CPUs, ascending.
    pub nodes: Vec<NodeBranch>,
}

/// A NUMA node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeBranch {
    /// Its number; None unknown.
    pub node: Option<u32>,
    /// Its online CPUs.
    pub span: CpuSet,
    /// Its last-level caches, ascending.
    pub llcs: Vec<LlcBranch>,
}

/// A last-level cache, or the part of it that lies in the node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlcBranch {
    /// Its first CPU; None unknown.
    pub llc: Option<u32>,
    /// Its online CPUs in the node.
    pub span: CpuSet,
    /// Its cores, ascending.
    pub cores: Vec<CoreBranch>,
}

/// A core; its span are its hardware threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreBranch {
    /// Its first CPU; None unknown.
    pub core: Option<u32>,
    /// Its online hardware threads.
    pub span: CpuSet,
}

/// Nearest topology level that two CPUs share: the enumeration `distance` of the tables, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Distance {
    /// One CPU.
    SameCpu = wastenot_schemas::distance::SAME_CPU,
    /// Threads of one core.
    Smt = wastenot_schemas::distance::SMT,
    /// Cores behind one last-level cache.
    Llc = wastenot_schemas::distance::LLC,
    /// Last-level caches of one NUMA node.
    Node = wastenot_schemas::distance::NODE,
    /// Other node at the smallest distance between nodes of this machine.
    OneHop = wastenot_schemas::distance::ONE_HOP,
    /// Other node, farther than that.
    Far = wastenot_schemas::distance::FAR,
    /// One of the two places is not known.
    Unknown = wastenot_schemas::distance::UNKNOWN,
}

impl Distance {
    /// Code in the tables.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

impl Machine {
    /// The online CPUs as Node ▸ LLC ▸ Core ▸ CPU.
    pub fn tree(&self) -> Tree {
        let online: Vec<&Cpu> = self.cpus.iter().filter(|c| self.online.contains(c.cpu)).collect();
        let nodes = branches(&online, |c| c.node)
            .into_iter()
            .map(|(node, cpus)| NodeBranch { node, span: span(&cpus), llcs: llcs(&cpus) })
            .collect();
        Tree { span: span(&online), nodes }
    }

    /// Nearest level that two CPUs share. Hops are ranks of the distinct distances between nodes, as in the kernel
    /// (kernel/sched/topology.c: `sched_init_numa`): the smallest is one hop.
    pub fn distance(&self, a: u32, b: u32) -> Distance {
        let (Some(a), Some(b)) = (self.cpu(a), self.cpu(b)) else { return Distance::Unknown };
        let shared = |x: Option<u32>, y: Option<u32>| x.is_some() && x == y;
        if a.cpu == b.cpu {
            Distance::SameCpu
        } else if shared(a.core, b.core) {
            Distance::Smt
        } else if shared(a.llc, b.llc) {
            Distance::Llc
        } else if shared(a.node, b.node) {
            Distance::Node
        } else if let (Some(from), Some(to)) = (a.node, b.node) {
            match (self.node_distance(from, to), self.one_hop()) {
                (Some(distance), Some(hop)) if distance <= hop => Distance::OneHop,
                (Some(_), Some(_)) => Distance::Far,
                _ => Distance::Unknown,
            }
        } else {
            Distance::Unknown
        }
    }

    /// Smallest distance between two different nodes that have CPUs.
    fn one_hop(&self) -> Option<i32> {
        let with_cpus = |i: &usize| !self.nodes[*i].cpus.is_empty();
        let others = |i: usize| (0..self.nodes.len()).filter(with_cpus).filter(move |&j| j != i);
        (0..self.nodes.len())
            .filter(with_cpus)
            .flat_map(|i| others(i).filter_map(move |j| self.nodes[i].distances.get(j).copied()))
            .min()
    }

    /// The smallest scheduling domain of `a` that spans `b` too. None: no domain can carry a thread from one to the
    /// other (isolated CPUs, partitions, missing domains).
    pub fn lowest_common_domain(&self, a: u32, b: u32) -> Option<&Domain> {
        self.domains.iter().filter(|d| d.cpus.contains(a) && d.span.contains(b)).min_by_key(|d| d.level)
    }
}

fn llcs(cpus: &[&Cpu]) -> Vec<LlcBranch> {
    let cores = |cpus: &[&Cpu]| {
        let branch = |(core, cpus): (Option<u32>, Vec<&Cpu>)| CoreBranch { core, span: span(&cpus) };
        branches(cpus, |c| c.core).into_iter().map(branch).collect()
    };
    branches(cpus, |c| c.llc)
        .into_iter()
        .map(|(llc, cpus)| LlcBranch { llc, span: span(&cpus), cores: cores(&cpus) })
        .collect()
}

fn span(cpus: &[&Cpu]) -> CpuSet {
    cpus.iter().map(|c| c.cpu).collect()
}

fn branches<'a>(cpus: &[&'a Cpu], key: fn(&Cpu) -> Option<u32>) -> BTreeMap<Option<u32>, Vec<&'a Cpu>> {
    let mut map: BTreeMap<Option<u32>, Vec<&Cpu>> = BTreeMap::new();
    for &cpu in cpus {
        map.entry(key(cpu)).or_default().push(cpu);
    }
    map
}

impl fmt::Display for Tree {
    /// One line per node, last-level cache and core, indented.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |n: Option<u32>| n.map_or("?".to_owned(), |n| n.to_string());
        for node in &self.nodes {
            writeln!(f, "Node {} (CPUs {})", name(node.node), node.span)?;
            for llc in &node.llcs {
                writeln!(f, "  LLC {} (CPUs {})", name(llc.llc), llc.span)?;
                for core in &llc.cores {
                    writeln!(f, "    Core {} (CPUs {})", name(core.core), core.span)?;
                }
            }
        }
        Ok(())
    }
}
