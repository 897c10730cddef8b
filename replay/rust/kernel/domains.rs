//! Scheduling domains of the simulated kernel, their groups and the state of balancing ([`DomainMasks`] has the levels).
//!
//! A domain's groups are the spans that its CPUs have one level below; where these overlap, a group is balanced by the CPUs for
//! which it is the own one. A domain weighs what it spans, on every release.
//!
//! A captured machine's own parameters of a domain (intervals, factors: debugfs) hold until domains are rebuilt.

use crate::faults::{Fault, FaultSet};
use crate::masks::CpuMask;
use crate::release::Rules;
use crate::span::Ns;
use crate::topology::{CpuIx, SimulatedTopology};
use std::collections::BTreeMap;
use std::rc::Rc;
use wastenot_topology::{BalancePartitions, DomainMasks, balance_intervals_ns, domain_groups, makes_domain};

/// A group of a domain.
#[derive(Clone, Debug)]
pub(super) struct SchedGroup {
    /// Its CPUs.
    pub cpus: Rc<[CpuIx]>,
    /// It has the CPU whose domain this is: attempts for that take no thread out of it (update_sd_lb_stats).
    pub own: bool,
    /// CPUs that may balance for it.
    pub balancers: Rc<[CpuIx]>,
    /// Sum of its CPUs' capacities.
    pub capacity: u64,
    /// Number of the flag `imbalanced` shared by all domains with this group (kernel: sched_group_capacity.imbalance).
    pub flag: usize,
}

/// A domain as one CPU has it.
#[derive(Clone, Debug)]
pub(super) struct SimulatedDomain {
    pub name: &'static str,
    pub span: Rc<CpuMask>,
    pub weight: u64,
    /// The first is the own one; where groups overlap, others may have the CPU as well.
    pub groups: Vec<SchedGroup>,
    /// Its CPUs share a core's pipeline.
    pub smt: bool,
    /// Its CPUs share the last-level cache.
    pub cache: bool,
    pub numa: bool,
    /// Farther than fork and exec balancing, and affine wakeups, reach (node_reclaim_distance).
    pub far: bool,
    /// CPUs of different capacities.
    pub asymmetric: bool,
    pub imbalance_pct: u64,
    pub busy_factor: u64,
    pub cache_nice_tries: u32,
    /// Threads a node may have before an imbalance between nodes counts.
    pub imb_numa_nr: u64,
    pub min_interval: Ns,
    pub max_interval: Ns,
    // State of balancing.
    pub interval: Ns,
    pub last_balance: Ns,
    pub failed: u32,
    pub newidle_cost: Ns,
    pub newidle_cost_decay: Ns,
}

/// The domains of every CPU, smallest first, and what they have in common.
#[derive(Debug, Default)]
pub(super) struct SimulatedDomains {
    pub of: Vec<Vec<SimulatedDomain>>,
    /// Flags of groups.
    pub imbalanced: Vec<bool>,
    /// CPUs that share a last-level cache domain, by CPU; itself alone without one.
    pub llc: Vec<Rc<CpuMask>>,
    /// Cores that have more than one thread.
    pub smt: bool,
    pub asymmetric: bool,
}

/// Distance beyond which nodes are far (kernel: RECLAIM_DISTANCE).
const RECLAIM_DISTANCE: i32 = 30;

/// A level of the hierarchy: a mask per CPU.
struct LevelMasks {
    name: &'static str,
    numa: bool,
    far: bool,
    mask: Vec<CpuMask>,
}

/// Builds the domains over the online CPUs. `rebuilt` is true when CPUs went off and on since the first time.
pub(super) fn build(
    topology: &SimulatedTopology,
    online: &CpuMask,
    rules: &Rules,
    faults: FaultSet,
    rebuilt: bool,
    now: Ns,
) -> SimulatedDomains {
    let n = topology.len();
    let attached = match online.iter().last() {
        Some(last) if rebuilt && faults.has(Fault::UnattachedCpu) => {
            CpuMask::of(n, online.iter().filter(|&cpu| cpu != last))
        }
        _ => online.clone(),
    };
    let online = &attached;
    let mut levels = levels(topology, online, rules);
    if rebuilt && faults.has(Fault::MissingDomains) {
        levels.retain(|l| !l.numa);
    }
    let mut domains = SimulatedDomains { of: vec![Vec::new(); n], ..SimulatedDomains::default() };
    let mut flags: BTreeMap<(usize, CpuMask), usize> = BTreeMap::new();
    let mut shared: BTreeMap<CpuMask, (Rc<CpuMask>, Rc<[CpuIx]>)> = BTreeMap::new();
    let mut share = |mask: CpuMask| {
        let make = || (Rc::new(mask.clone()), mask.iter().collect());
        shared.entry(mask.clone()).or_insert_with(make).clone()
    };
    // The span a CPU has below a level.
    let below = |cpu: CpuIx, level: usize| {
        let under = levels[..level].iter().rev().map(|l| &l.mask[cpu as usize]).find(|m| !m.is_empty());
        under.cloned().unwrap_or_else(|| CpuMask::of(n, [cpu]))
    };
    for cpu in online.iter() {
        let mut smaller = CpuMask::of(n, [cpu]);
        for (i, level) in levels.iter().enumerate() {
            let span = &level.mask[cpu as usize];
            if !makes_domain(span, &smaller) {
                continue;
            }
            smaller = span.clone();
            let masks = groups(cpu, span, |c| below(c, i), level.numa && faults.has(Fault::GroupConstruction));
            let capacity = |m: &CpuMask| m.iter().map(|c| u64::from(topology.cpu(c).capacity)).sum();
            let groups = masks.into_iter().map(|mask| {
                let mut balancers: Vec<CpuIx> =
                    mask.iter().filter(|&c| below(c, i).intersection(span) == mask && span.contains(c)).collect();
                if balancers.is_empty() || (level.numa && faults.has(Fault::GroupConstruction)) {
                    balancers = mask.iter().collect();
                }
                let next = flags.len();
                let flag = *flags.entry((i, mask.clone())).or_insert(next);
                let (capacity, own) = (capacity(&mask), mask.contains(cpu));
                let cpus = share(mask).1;
                SchedGroup { cpus, own, balancers: balancers.into(), capacity, flag }
            });
            let groups = groups.collect();
            let span = share(span.clone()).0;
            let mut domain = domain(topology, rules, faults, level, span, groups, now);
            if let Some(known) = snapshot_domain(topology, cpu, &domain.span).filter(|_| !rebuilt) {
                domain.apply_snapshot(known, faults);
            }
            domains.of[cpu as usize].push(domain);
        }
    }
    domains.imbalanced = vec![false; flags.len()];
    let llc = |cpu: CpuIx| {
        let widest = domains.of[cpu as usize].iter().rev().find(|d| d.cache);
        widest.map_or_else(|| Rc::new(CpuMask::of(n, [cpu])), |d| d.span.clone())
    };
    let llcs = topology.indices().map(llc).collect();
    domains.llc = llcs;
    domains.smt = topology.indices().any(|c| !topology.siblings(c).is_empty());
    domains.asymmetric = topology.indices().any(|c| topology.cpu(c).capacity != topology.cpu(0).capacity);
    domains
}

/// The groups of a CPU's domain, the own one first. `from_zero`: as older kernels built them where they overlap, beginning
/// with the domain's first CPU on every CPU.
fn groups(cpu: CpuIx, span: &CpuMask, below: impl Fn(CpuIx) -> CpuMask, from_zero: bool) -> Vec<CpuMask> {
    let start = if from_zero { span.first().unwrap_or(cpu) } else { cpu };
    let mut groups: Vec<CpuMask> = domain_groups(span.iter_from(start), |c| below(c).intersection(span)).collect();
    let own = groups.iter().position(|g| g.contains(cpu)).unwrap_or(0);
    groups.rotate_left(own);
    groups
}

fn domain(
    topology: &SimulatedTopology,
    rules: &Rules,
    faults: FaultSet,
    level: &LevelMasks,
    span: Rc<CpuMask>,
    groups: Vec<SchedGroup>,
    now: Ns,
) -> SimulatedDomain {
    let weight = span.len() as u64;
    let smt = level.name == "SMT";
    let cache = smt || matches!(level.name, "CLS" | "MC");
    let first = span.first().unwrap_or(0);
    let asymmetric = span.iter().any(|c| topology.cpu(c).capacity != topology.cpu(first).capacity);
    let imbalance_pct = match level.name {
        _ if faults.has(Fault::ImbalancePct) => 400,
        name => rules.domains.imbalance_pct_of(name) as u64,
    };
    let llcs: std::collections::BTreeSet<CpuIx> = span.iter().map(|c| topology.location(c).llc).collect();
    // A quarter of a cache's CPUs, or half of one with few: kernel/sched/topology.c, build_sched_domains (imb_numa_nr).
    let imb_numa_nr = if level.numa { (weight / llcs.len().max(1) as u64 / 4).max(1) } else { 0 };
    let (min_interval, max_interval) = balance_intervals_ns(span.len());
    SimulatedDomain {
        name: level.name,
        span,
        weight,
        groups,
        smt,
        cache,
        numa: level.numa,
        far: level.far,
        asymmetric,
        imbalance_pct,
        busy_factor: rules.domains.busy_factor as u64,
        cache_nice_tries: match (smt, level.numa) {
            (true, _) => 0,
            (_, true) => 2,
            _ => 1,
        },
        imb_numa_nr,
        min_interval: min_interval as Ns,
        max_interval: max_interval as Ns,
        interval: min_interval as Ns,
        last_balance: now,
        failed: 0,
        newidle_cost: 0,
        newidle_cost_decay: now,
    }
}

/// The parameters of a CPU's domain in the machine's snapshot.
fn snapshot_domain<'a>(
    topology: &'a SimulatedTopology,
    cpu: CpuIx,
    span: &CpuMask,
) -> Option<&'a wastenot_machine::Domain> {
    let number = topology.cpu(cpu).cpu;
    let known = |d: &&wastenot_machine::Domain| d.parameters_exact && d.cpus.contains(number);
    topology.machine().domains.iter().filter(known).find(|d| topology.bits(&d.span) == *span)
}

impl SimulatedDomain {
    /// Takes over the parameters of a snapshot, except those that a fault overrides.
    fn apply_snapshot(&mut self, known: &wastenot_machine::Domain, faults: FaultSet) {
        fn set<T, U: TryFrom<T>>(value: &mut U, known: Option<T>) {
            if let Some(known) = known.and_then(|known| known.try_into().ok()) {
                *value = known;
            }
        }
        set(&mut self.min_interval, known.min_interval_ns);
        set(&mut self.max_interval, known.max_interval_ns);
        set(&mut self.busy_factor, known.busy_factor);
        set(&mut self.cache_nice_tries, known.cache_nice_tries);
        set(&mut self.newidle_cost, known.newidle_cost_ns);
        if !faults.has(Fault::ImbalancePct) {
            set(&mut self.imbalance_pct, known.imbalance_pct);
        }
        self.interval = self.min_interval;
    }
}

/// The root domain of each CPU: the CPUs that are balanced among each other, or a CPU outside all domains alone.
pub(super) fn root_domains(topology: &SimulatedTopology, online: &CpuMask) -> Vec<Rc<CpuMask>> {
    let machine = topology.machine();
    let partitions = BalancePartitions::new(topology, online, &machine.isolated, &machine.partitions);
    let root = |cpu: CpuIx| {
        let joined = partitions.cut(cpu, online);
        Rc::new(if joined.is_empty() { CpuMask::of(topology.len(), [cpu]) } else { joined })
    };
    topology.indices().map(root).collect()
}

fn levels(topology: &SimulatedTopology, online: &CpuMask, rules: &Rules) -> Vec<LevelMasks> {
    let machine = topology.machine();
    let partitions = BalancePartitions::new(topology, online, &machine.isolated, &machine.partitions);
    let cut = |level: &DomainMasks, cpu: CpuIx| {
        level.mask(cpu).map_or_else(|| CpuMask::new(topology.len()), |mask| partitions.cut(cpu, mask))
    };
    let level = |level: DomainMasks| LevelMasks {
        name: level.name,
        numa: level.node_distance.is_some(),
        far: level.node_distance.is_some_and(|limit| limit > RECLAIM_DISTANCE),
        mask: topology.indices().map(|cpu| cut(&level, cpu)).collect(),
    };
    DomainMasks::levels(topology, online, &rules.domains).into_iter().map(level).collect()
}
