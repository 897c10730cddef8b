//! A machine as one tree, Machine ▸ Node ▸ LLC ▸ Core ▸ CPU.

use crate::{CpuBits, CpuIx, Topology, UNKNOWN_PART};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A level of the machine, from the whole to the logical CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Everything.
    Machine,
    /// NUMA node.
    Node,
    /// Last-level cache, or the part of it that lies in the node.
    Llc,
    /// Core.
    Core,
    /// Logical CPU.
    Cpu,
}

/// A part of the machine, with its place in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// What it is.
    pub level: Level,
    /// The node's number, or the number of the first CPU; None: CPUs of which the level is not known, or the machine.
    pub number: Option<u32>,
    /// CPUs in it.
    pub span: CpuBits<CpuIx>,
    /// The component above; None for the machine.
    pub parent: Option<usize>,
    /// Components directly below.
    pub children: Vec<usize>,
}

/// CPUs of a machine by where they are. A level that is not known has one component without a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    components: Vec<Component>,
    leaves: Vec<usize>,
}

impl Tree {
    /// The tree of these CPUs with every level.
    pub fn new(topology: &Topology, cpus: &CpuBits<CpuIx>) -> Self {
        Self::build(topology, cpus, true)
    }

    /// The same, where a level that equals the one above it has no component of its own.
    pub fn of_distinct_levels(topology: &Topology, cpus: &CpuBits<CpuIx>) -> Self {
        Self::build(topology, cpus, false)
    }

    fn build(topology: &Topology, cpus: &CpuBits<CpuIx>, every_level: bool) -> Self {
        let machine =
            Component { level: Level::Machine, number: None, span: cpus.clone(), parent: None, children: Vec::new() };
        let (mut all, mut place) = (vec![machine], vec![0; topology.len()]);
        for level in [Level::Node, Level::Llc, Level::Core, Level::Cpu] {
            let mut parts: BTreeMap<(usize, u16), Vec<CpuIx>> = BTreeMap::new();
            for cpu in cpus.iter() {
                parts.entry((place[cpu as usize], part(topology, level, cpu))).or_default().push(cpu);
            }
            for ((parent, part), cpus) in parts {
                let span = CpuBits::of(topology.len(), cpus.iter().copied());
                if !every_level && level != Level::Cpu && span == all[parent].span {
                    continue;
                }
                let id = all.len();
                all[parent].children.push(id);
                cpus.iter().for_each(|&c| place[c as usize] = id);
                let number = if part == UNKNOWN_PART { None } else { number(topology, level, cpus[0]) };
                all.push(Component { level, number, span, parent: Some(parent), children: Vec::new() });
            }
        }
        Self { components: all, leaves: place }
    }

    /// All components; the first is the machine, and each stands behind the one above it.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The component of one CPU; its ancestors are found by [`Component::parent`].
    pub fn leaf(&self, cpu: CpuIx) -> usize {
        self.leaves[cpu as usize]
    }

    /// One line per node, last-level cache and core, indented, with the numbers of their CPUs.
    pub fn text(&self, topology: &Topology) -> String {
        let mut text = String::new();
        self.lines(topology, 0, &mut text);
        text
    }

    fn lines(&self, topology: &Topology, at: usize, text: &mut String) {
        let component = &self.components[at];
        let (indent, name) = match component.level {
            Level::Machine => ("", ""),
            Level::Node => ("", "Node"),
            Level::Llc => ("  ", "LLC"),
            Level::Core => ("    ", "Core"),
            Level::Cpu => return,
        };
        if component.level != Level::Machine {
            let number = component.number.map_or("?".to_owned(), |number| number.to_string());
            let cpus = topology.numbers(&component.span);
            text.push_str(&format!("{indent}{name} {number} (CPUs {cpus})\n"));
        }
        component.children.iter().for_each(|&child| self.lines(topology, child, text));
    }
}

/// The part of a level that a CPU is in.
fn part(topology: &Topology, level: Level, cpu: CpuIx) -> u16 {
    let at = topology.location(cpu);
    match level {
        Level::Machine => 0,
        Level::Node => at.node,
        Level::Llc => at.llc,
        Level::Core => at.core,
        Level::Cpu => cpu,
    }
}

/// The number of the part of a level that a CPU is in.
fn number(topology: &Topology, level: Level, cpu: CpuIx) -> Option<u32> {
    let known = topology.cpu(cpu);
    match level {
        Level::Machine => None,
        Level::Node => known.node,
        Level::Llc => known.llc,
        Level::Core => known.core,
        Level::Cpu => Some(known.cpu),
    }
}
