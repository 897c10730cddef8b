//! The snapshot of a machine as values, and its JSON.

use crate::error::MachineError;
use serde::{Deserialize, Serialize};
use wastenot_topology::{Cpu, CpuSet, FULL_CAPACITY, NumaNode, Topology};

/// Version of the JSON. It grows when a reader of the older one would misunderstand the newer.
pub const FORMAT: u32 = 1;

/// A machine at one instant: what `machine.json` of a recording and `wastenot import --machine` hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Version of this layout, [`FORMAT`].
    pub format: u32,
    /// Name of the machine as `uname -n` prints it; None where it is not known, or was left out on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
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
    /// Where the kernel preempts: `none`, `voluntary`, `full`, `lazy` or `rt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemption: Option<String>,
    /// A thread that ran in this time counts as cache-hot (`sysctl_sched_migration_cost`); -1: every thread does, 0: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub migration_cost_ns: Option<i64>,
    /// Of each `rt_period_us` deadline and real-time threads may have this much (`sched_rt_runtime_us`), µs; -1: no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rt_runtime_us: Option<i64>,
    /// `sched_rt_period_us`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rt_period_us: Option<i64>,
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
    pub nodes: Vec<NumaNode>,
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
    /// Spans and parameters from the kernel: /proc/schedstat and debugfs, or its runqueues.
    Kernel,
    /// Spans from /proc/schedstat; parameters by the kernel's rules.
    Schedstat,
    /// Levels and parameters from debugfs; spans by name from the topology.
    Debugfs,
    /// Both by the kernel's rules from the topology.
    Derived,
}

/// A scheduling domain, seen alike by `cpus`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Domain {
    /// CPUs that have this domain at this level. Equal to `span` unless domains of NUMA levels overlap.
    pub cpus: CpuSet,
    /// 0 the smallest.
    pub level: u16,
    /// The number that load-balance attempts report for it (`sched_domain.level`): kernels keep those of levels that a machine does not
    /// have. Absent when the kernel did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_level: Option<u16>,
    /// SMT, CLS, MC, PKG (DIE before 6.7), NODE, NUMA ...
    pub name: String,
    /// CPUs it spans.
    pub span: CpuSet,
    /// Its groups, of which each CPU balances for the first that has it; absent when the kernel did not say. Groups that overlap are in the
    /// kernel's order from the CPU's own on, others in the order of their CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<CpuSet>>,
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

impl Domain {
    /// A domain of which no more is known; of no CPU yet.
    pub fn of_span(level: u16, name: &str, span: CpuSet) -> Self {
        Self {
            cpus: CpuSet::new(),
            level,
            kernel_level: None,
            name: name.to_owned(),
            span,
            groups: None,
            flags: None,
            min_interval_ns: None,
            max_interval_ns: None,
            busy_factor: None,
            imbalance_pct: None,
            cache_nice_tries: None,
            newidle_cost_ns: None,
            span_exact: false,
            parameters_exact: false,
        }
    }
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
            host: None,
            arch,
            model: None,
            kernel,
            cmdline: None,
            tick_ns: 4_000_000,
            tick_source: TickSource::Assumed,
            preemption: None,
            migration_cost_ns: None,
            rt_runtime_us: None,
            rt_period_us: None,
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
        struct FormatField {
            format: u32,
        }
        let fail = |error: serde_json::Error| MachineError::Json { why: error.to_string() };
        let found = serde_json::from_str::<FormatField>(text).map_err(fail)?.format;
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
    pub fn node(&self, node: u32) -> Option<&NumaNode> {
        self.nodes.binary_search_by_key(&node, |n| n.node).ok().map(|i| &self.nodes[i])
    }

    /// Where the CPUs are, and how far apart: every present CPU.
    pub fn topology(&self) -> Topology {
        Topology::new(self.cpus.clone(), self.nodes.clone())
    }

    /// The smallest scheduling domain of `a` that spans `b` too. None: no domain can carry a thread from one to the
    /// other (isolated CPUs, partitions, missing domains).
    pub fn lowest_common_domain(&self, a: u32, b: u32) -> Option<&Domain> {
        self.domains.iter().filter(|d| d.cpus.contains(a) && d.span.contains(b)).min_by_key(|d| d.level)
    }
}
