//! The machine as a trace describes it: topology, tick, isolated CPUs, scheduling domains, balance intervals.
//!
//! CPUs are numbered densely (`0..n`, in the order of their kernel numbers) inside the checker; kernel numbers may have
//! holes and return only in what is written out.

use std::ops::Deref;

use crate::domain_tree::{DomainLevel, DomainTree};
use arrow_array::RecordBatch;
use wastenot_schemas::{SchemaMismatch, cpu, domain, domain_group, machine, numa_node};
use wastenot_topology::{Cpu, CpuSet, Distance, NumaNode, Topology, UNKNOWN_PART, balance_intervals_ns};

pub use wastenot_topology::CpuIx;

/// Tick assumed where the trace does not show: HZ=250, the default of Debian's and Ubuntu's kernels.
pub const DEFAULT_TICK_NS: i64 = 4_000_000;

/// The machine of a trace: its topology, and what the trace says besides.
#[derive(Clone, Debug, Default)]
pub struct TracedTopology {
    topology: Topology,
    /// Per CPU: online at the start.
    pub online: Vec<bool>,
    /// Per CPU: outside all scheduling domains by configuration.
    pub isolated: Vec<bool>,
    pub tick_ns: i64,
    /// A thread that ran in this time counts as cache-hot, ns; negative: every thread. None: not recorded.
    pub migration_cost_ns: Option<i64>,
    /// `sched_rt_runtime_us` and `sched_rt_period_us`; None: not recorded.
    pub rt_runtime_us: Option<i64>,
    pub rt_period_us: Option<i64>,
    /// CPUs online at the start.
    online_cpus: usize,
    /// The domains in the order of time, a tree for each instant at which some are recorded.
    pub domain_trees: Vec<DomainTree>,
    /// Of a domain that changed during the trace the first state: intervals hardly change, spans matter to causes.
    first_domains: DomainTree,
}

impl Deref for TracedTopology {
    type Target = Topology;

    #[inline]
    fn deref(&self) -> &Topology {
        &self.topology
    }
}

impl TracedTopology {
    /// From the batches that `of` has of the tables cpu, numa_node, domain, domain_group and machine (any may be empty; without `cpu` there
    /// are no CPUs).
    pub fn from_tables<'a>(of: impl Fn(&str) -> &'a [RecordBatch]) -> Result<Self, SchemaMismatch> {
        let (mut places, mut online, mut isolated) = (Vec::new(), CpuSet::new(), CpuSet::new());
        for batch in of(cpu::NAME) {
            let view = cpu::View::try_new(batch)?;
            for r in (0..view.len()).map(|i| view.row(i)) {
                let Some(cpu) = known(r.cpu) else { continue };
                places.push(place(cpu, &r));
                online.extend(r.online.then_some(cpu));
                isolated.extend(r.isolated.then_some(cpu));
            }
        }
        let topology = Topology::new(places, read_nodes(of(numa_node::NAME))?);
        let has = |set: &CpuSet| topology.indices().map(|cpu| set.contains(topology.cpu(cpu).cpu)).collect();
        let (online_cpus, online, isolated) = (online.len(), has(&online), has(&isolated));
        let (mut tick_ns, mut settings) = (DEFAULT_TICK_NS, SnapshotSettings::default());
        for batch in of(machine::NAME) {
            let view = machine::View::try_new(batch)?;
            if !view.is_empty() && view.row(0).tick_ns > 0 {
                tick_ns = view.row(0).tick_ns;
            }
            if !view.is_empty() {
                settings = SnapshotSettings::of(view.row(0).snapshot);
            }
        }
        let domain_trees = DomainTree::from_tables(&topology, of(domain::NAME), of(domain_group::NAME))?;
        let none = || DomainTree::without_domains(topology.len());
        let first_domains = domain_trees.first().cloned().unwrap_or_else(none);
        let SnapshotSettings { migration_cost_ns, rt_runtime_us, rt_period_us } = settings;
        Ok(Self {
            topology,
            online,
            isolated,
            tick_ns,
            migration_cost_ns,
            rt_runtime_us,
            rt_period_us,
            online_cpus,
            domain_trees,
            first_domains,
        })
    }

    /// Rank of distance for "nearest": as [`Topology::distance`], remote nodes by their NUMA distance.
    pub fn rank(&self, a: CpuIx, b: CpuIx) -> u32 {
        match self.distance(a, b) {
            Distance::OneHop | Distance::Far => 1_000 + self.node_distance(a, b).unwrap_or(0).max(0) as u32,
            Distance::Unknown => 1_000_000,
            near => u32::from(near.code()),
        }
    }

    /// Share of each CPU that deadline threads may be admitted to; None: there is no bound (-1), or it is not recorded.
    pub fn deadline_bound(&self) -> Option<f64> {
        let (runtime, period) = (self.rt_runtime_us?, self.rt_period_us?);
        (runtime >= 0 && period > 0).then(|| runtime as f64 / period as f64)
    }

    /// Last-level cache of a CPU; CPUs whose cache is unknown share one per node.
    pub fn llc(&self, cpu: CpuIx) -> i32 {
        let at = self.location(cpu);
        match (at.llc, at.node) {
            (UNKNOWN_PART, UNKNOWN_PART) => -1,
            (UNKNOWN_PART, node) => -1 - i32::from(node),
            (llc, _) => llc.into(),
        }
    }

    /// Whether it is known which CPUs share a last-level cache with this one.
    pub fn knows_llc(&self, cpu: CpuIx) -> bool {
        self.location(cpu).llc != UNKNOWN_PART
    }

    /// Lowest scheduling domain of `a` that spans `b`; None when none does or none is known.
    pub fn lowest_common_domain(&self, a: CpuIx, b: CpuIx) -> Option<&DomainLevel> {
        self.first_domains.common(a, b).map(|at| &self.first_domains.of(a)[at])
    }

    /// Longest time an idle CPU may legitimately let attempt between two balance attempts over the lowest domain that it shares
    /// with `b`, at least one tick, ns. Where no domain joins the two, the interval of one over all online CPUs.
    ///
    /// The kernel doubles the interval up to its maximum while it finds balance (kernel/sched/fair.c:
    /// sched_balance_rq), so an imbalance that has just begun meets the longest.
    pub fn balance_interval_ns(&self, a: CpuIx, b: CpuIx) -> i64 {
        let everything = || balance_intervals_ns(self.online_cpus.max(1)).1;
        self.lowest_common_domain(a, b).map_or_else(everything, |d| d.max_interval_ns).max(self.tick_ns)
    }
}

/// Settings of the kernel that only the snapshot of the machine has.
#[derive(Default, serde::Deserialize)]
struct SnapshotSettings {
    #[serde(default)]
    migration_cost_ns: Option<i64>,
    #[serde(default)]
    rt_runtime_us: Option<i64>,
    #[serde(default)]
    rt_period_us: Option<i64>,
}

impl SnapshotSettings {
    /// From the snapshot's JSON; of one that cannot be read, none.
    fn of(snapshot: &str) -> Self {
        serde_json::from_str(snapshot).unwrap_or_default()
    }
}

/// A number of the tables; None where it is negative: not known.
fn known(number: impl TryInto<u32>) -> Option<u32> {
    number.try_into().ok()
}

fn place(cpu: u32, r: &cpu::Row) -> Cpu {
    Cpu {
        cpu,
        node: known(r.node),
        package: Some(r.package).filter(|&package| package >= 0),
        llc: known(r.llc),
        core: known(r.core),
        smt: known(r.smt).unwrap_or(0),
        capacity: known(r.capacity).unwrap_or(0),
        ..Cpu::default()
    }
}

fn read_nodes(batches: &[RecordBatch]) -> Result<Vec<NumaNode>, SchemaMismatch> {
    let mut nodes = Vec::new();
    for batch in batches {
        let view = numa_node::View::try_new(batch)?;
        nodes.extend((0..view.len()).map(|i| view.row(i)).filter_map(|r| {
            let cpus = r.cpus.iter().filter_map(|&cpu| known(cpu)).collect();
            let (distances, memory_bytes) = (r.distances.to_vec(), r.memory_bytes);
            Some(NumaNode { node: known(r.node)?, cpus, distances, memory_bytes })
        }));
    }
    Ok(nodes)
}
