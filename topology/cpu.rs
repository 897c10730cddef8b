//! CPUs and NUMA nodes as a machine describes them.

use crate::CpuSet;
use serde::{Deserialize, Serialize};

/// A CPU and its place. A place that is not known is absent. Offline CPUs know only their node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cpu {
    /// The CPU's number.
    pub cpu: u32,
    /// NUMA node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// Physical package, the kernel's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<i32>,
    /// Die, named by its first CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub die: Option<u32>,
    /// Cluster (cores that share a mid-level cache or bus), named by its first CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<u32>,
    /// Last-level cache, named by its first CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llc: Option<u32>,
    /// Core, named by its first CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<u32>,
    /// Hardware thread within the core, from 0 in order of CPU number.
    #[serde(default)]
    pub smt: u32,
    /// Relative capacity; 1024 is the largest of the machine.
    #[serde(default = "full_capacity", skip_serializing_if = "is_full_capacity")]
    pub capacity: u32,
}

/// Capacity of the fastest CPUs (include/linux/sched.h: SCHED_CAPACITY_SCALE).
pub const FULL_CAPACITY: u32 = 1024;

fn full_capacity() -> u32 {
    FULL_CAPACITY
}

fn is_full_capacity(capacity: &u32) -> bool {
    *capacity == FULL_CAPACITY
}

/// A NUMA node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumaNode {
    /// The kernel's number.
    pub node: u32,
    /// Its present CPUs, offline ones too where their node is known.
    pub cpus: CpuSet,
    /// Distance to every node in ascending order of their numbers (ACPI SLIT: 10 is itself); empty: not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub distances: Vec<i32>,
    /// Memory in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<i64>,
}

/// Distance of a node to itself (include/linux/topology.h: LOCAL_DISTANCE).
pub const LOCAL_DISTANCE: i32 = 10;

/// Distance between two nodes of which the firmware reports none (include/linux/topology.h: REMOTE_DISTANCE).
pub const REMOTE_DISTANCE: i32 = 20;
