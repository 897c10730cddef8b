//! The snapshot of a machine as values, and its JSON.

use crate::error::MachineError;
use serde::{Deserialize, Serialize};
use wastenot_topology::CpuSet;

/// Version of the JSON. It grows when a reader of the older one would misunderstand the newer.
pub const FORMAT: u32 = 1;

/// A machine at one instant: what `machine.json` of a recording and `wastenot import --machine` hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Version of this layout, [`FORMAT`].
    pub format: u32,
    /// Architecture as `uname -m` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// Processor model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Kernel release as `uname -r` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Kernel command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cmdline: Option<String>,
    /// Length of the scheduler tick (1 / HZ) in nanoseconds.
    pub tick_ns: i64,
    /// How the tick is known.
    pub tick_source: TickSource,
    /// CPUs the kernel could ever bring online.
    pub possible: CpuSet,
    /// CPUs that are plugged in.
    pub present: CpuSet,
    /// CPUs that run.
    pub online: CpuSet,
    /// CPUs outside all scheduling domains by configuration: `isolcpus=domain`, isolated cpuset partitions.
    #[serde(default, skip_serializing_if = "CpuSet::is_empty")]
    pub isolated: CpuSet,
    /// CPUs that run without the tick while they have one thread.
    #[serde(default, skip_serializing_if = "CpuSet::is_empty")]
    pub nohz_full: CpuSet,
    /// Sets of CPUs whose scheduling domains are built apart (cpuset partitions); empty: one set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partitions: Vec<CpuSet>,
    /// One entry per present CPU, ascending.
    pub cpus: Vec<Cpu>,
    /// NUMA nodes, ascending; those without CPUs too.
    pub nodes: Vec<Node>,
    /// Where the domains come from.
    pub domain_source: DomainSource,
    /// Scheduling domains, one entry per distinct domain (not per CPU).
    pub domains: Vec<Domain>,
    /// What is odd about this machine, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quirks: Vec<String>,
}

/// How the length of the tick is known, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TickSource {
    /// `CONFIG_HZ` of the kernel's configuration.
    Config,
    /// Resolution of `CLOCK_MONOTONIC_COARSE`, which advances once per tick (kernel/time/posix-timers.c).
    CoarseClock,
    /// Declared by the author of the JSON or XML.
    Declared,
    /// Not known: 4 ms, the commonest (HZ=250).
    Assumed,
}

/// Where scheduling domains come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DomainSource {
    /// Spans from /proc/schedstat, parameters from debugfs.
    Kernel,
    /// Spans from /proc/schedstat; parameters by the kernel's rules.
    Schedstat,
    /// Levels and parameters from debugfs; spans by name from the topology.
    Debugfs,
    /// Both by the kernel's rules from the topology.
    Derived,
}

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
pub struct Node {
    /// The kernel's number.
    pub node: u32,
    /// Its present CPUs, offline ones too where their node is known.
    pub cpus: CpuSet,
    /// Distance to every node in the order of [`Machine::nodes`] (ACPI SLIT: 10 is itself); empty: not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub distances: Vec<i32>,
    /// Memory in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<i64>,
}

/// A scheduling domain, seen alike by `cpus`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Domain {
    /// CPUs that have this domain at this level. Equal to `span` unless domains of NUMA levels overlap.
    pub cpus: CpuSet,
    /// 0 the smallest.
    pub level: u16,
    /// SMT, CLS, MC, PKG (DIE before 6.7), NODE, NUMA ...
    pub name: String,
    /// CPUs it spans.
    pub span: CpuSet,
    /// `SD_*` flags parted by blanks; absent when the kernel did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<String>,
    /// Shortest balance interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_interval_ns: Option<i64>,
    /// Longest balance interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_interval_ns: Option<i64>,
    /// Factor on the interval while the CPU is busy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_factor: Option<i32>,
    /// Imbalance in percent from which balancing acts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imbalance_pct: Option<i32>,
    /// Failed load-balance attempts in a row after which cache-hot threads are moved too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_nice_tries: Option<i32>,
    /// Estimated cost of a load-balance attempt of a CPU that is about to idle (`max_newidle_lb_cost`). Each CPU measures it for itself: the
    /// least of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newidle_cost_ns: Option<i64>,
    /// The kernel reported the span.
    #[serde(default)]
    pub span_exact: bool,
    /// The kernel reported flags, intervals, factor and percentage.
    #[serde(default)]
    pub parameters_exact: bool,
}

impl Machine {
    /// A machine of which only the number of CPUs is known: all online, no topology, no domains, the commonest tick.
    pub fn of_cpus(cpus: u32, kernel: Option<String>, arch: Option<String>) -> Self {
        Self::of_listed_cpus(&(0..cpus).collect::<Vec<_>>(), kernel, arch)
    }

    /// The same of a machine that has these CPUs, ascending.
    pub fn of_listed_cpus(cpus: &[u32], kernel: Option<String>, arch: Option<String>) -> Self {
        let all: CpuSet = cpus.iter().copied().collect();
        Self {
            format: FORMAT,
            arch,
            model: None,
            kernel,
            cmdline: None,
            tick_ns: 4_000_000,
            tick_source: TickSource::Assumed,
            possible: all.clone(),
            present: all.clone(),
            online: all,
            isolated: CpuSet::new(),
            nohz_full: CpuSet::new(),
            partitions: Vec::new(),
            cpus: cpus.iter().map(|&cpu| Cpu { cpu, capacity: FULL_CAPACITY, ..Cpu::default() }).collect(),
            nodes: Vec::new(),
            domain_source: DomainSource::Derived,
            domains: Vec::new(),
            quirks: vec!["only the number of CPUs is known".into()],
        }
    }

    /// Reads the JSON of [`Machine::to_json`].
    ///
    /// Fails with [`MachineError::Json`], [`MachineError::Format`] or, when facts exclude each other,
    /// [`MachineError::Contradiction`].
    pub fn from_json(text: &str) -> Result<Self, MachineError> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let fail = |error: serde_json::Error| MachineError::Json { why: error.to_string() };
        let found = serde_json::from_str::<Version>(text).map_err(fail)?.format;
        if found != FORMAT {
            return Err(MachineError::Format { found, known: FORMAT });
        }
        let machine: Self = serde_json::from_str(text).map_err(fail)?;
        machine.validate()?;
        Ok(machine)
    }

    /// The machine as JSON, one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a machine has only texts, numbers and lists")
    }

    /// The entry of a present CPU.
    pub fn cpu(&self, cpu: u32) -> Option<&Cpu> {
        self.cpus.binary_search_by_key(&cpu, |c| c.cpu).ok().map(|i| &self.cpus[i])
    }

    /// The entry of a NUMA node.
    pub fn node(&self, node: u32) -> Option<&Node> {
        self.nodes.binary_search_by_key(&node, |n| n.node).ok().map(|i| &self.nodes[i])
    }

    /// Distance between two NUMA nodes as the firmware reports it.
    pub fn node_distance(&self, from: u32, to: u32) -> Option<i32> {
        let to = self.nodes.binary_search_by_key(&to, |n| n.node).ok()?;
        self.node(from)?.distances.get(to).copied()
    }
}
