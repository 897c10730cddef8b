//! Scheduling domains by the kernel's rules (kernel/sched/topology.c: `default_topology`, `sched_init_numa`, `sd_init`,
//! `cpu_attach_domain`).
//!
//! Per CPU the masks SMT, CLS, MC, PKG and one NUMA mask per distinct distance between nodes, smallest first, cut to
//! the CPU's partition. A mask of one CPU, or equal to the one below it, makes no domain. The shortest balance interval
//! is the weight of the mask in milliseconds, the longest twice that.

use crate::{CpuBits, CpuIndex, CpuIx, CpuLocation, CpuSet, Topology, UNKNOWN_PART};
use std::collections::BTreeMap;

/// What the kernel's releases do differently with domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DomainRules {
    /// Name of the level of nodes: DIE until 6.7, then PKG.
    pub package: &'static str,
    /// There is a level of clusters, CLS: since 5.16.
    pub has_clusters: bool,
    /// The shortest interval is the weight of the mask before it is cut to the partition: until 7.1 ("sched/topology: Compute
    /// sd_weight considering cpuset partitions"; some stable releases have it too).
    pub weighs_uncut: bool,
    /// Multiplier of the balance interval on a busy CPU. 5.10 lowered it: "Reduce busy load balance interval".
    pub busy_factor: i32,
    /// Imbalance of levels above the cache, percent. 5.10 lowered it: "sched/fair: Reduce minimal imbalance threshold".
    pub imbalance_pct: i32,
}

impl DomainRules {
    /// Those of a mainline release; an unknown release counts as new.
    pub fn of(release: Option<(u32, u32)>) -> Self {
        let is_before = |major, minor| release.is_some_and(|release| release < (major, minor));
        Self {
            package: if is_before(6, 7) { "DIE" } else { "PKG" },
            has_clusters: !is_before(5, 16),
            weighs_uncut: is_before(7, 1),
            busy_factor: if is_before(5, 10) { 32 } else { 16 },
            imbalance_pct: if is_before(5, 10) { 125 } else { 117 },
        }
    }

    /// Imbalance in percent from which a domain of this name acts: threads of a core 110 and caches 117 on every release.
    pub fn imbalance_pct_of(&self, name: &str) -> i32 {
        match name {
            "SMT" => 110,
            "CLS" | "MC" => 117,
            _ => self.imbalance_pct,
        }
    }
}

/// Shortest and longest balance interval of a domain that weighs so many CPUs, ns.
pub const fn balance_intervals_ns(weight: usize) -> (i64, i64) {
    let min = weight as i64 * 1_000_000;
    (min, 2 * min)
}

/// Whether a CPU has a domain of this span above one of the span `below`, or above itself alone.
pub fn makes_domain(span: &CpuBits<CpuIx>, below: &CpuBits<CpuIx>) -> bool {
    span != below && below.is_subset(span)
}

/// The groups of a domain, of which a CPU balances for the first that has it: each CPU in this order that no group has yet
/// brings its own (kernel/sched/topology.c: `build_sched_groups`, `build_overlap_sched_groups`).
pub fn domain_groups<I: CpuIndex>(
    mut cpus: impl Iterator<Item = I>,
    own_group: impl Fn(I) -> CpuBits<I>,
) -> impl Iterator<Item = CpuBits<I>> {
    let mut covered: Option<CpuBits<I>> = None;
    std::iter::from_fn(move || {
        let is_new = |cpu: &I| !covered.as_ref().is_some_and(|covered| covered.contains(*cpu));
        let group = own_group(cpus.find(is_new)?);
        match &mut covered {
            Some(covered) => covered.union_with(&group),
            None => covered = Some(group.clone()),
        }
        Some(group)
    })
}

/// A level of domains: a mask for each CPU.
#[derive(Clone, Debug)]
pub struct DomainMasks {
    /// SMT, CLS, MC, PKG or DIE, NUMA.
    pub name: &'static str,
    /// The distance within which it joins nodes; None below the levels of NUMA.
    pub node_distance: Option<i32>,
    /// The distinct masks.
    pub masks: Vec<CpuBits<CpuIx>>,
    of: Vec<Option<u32>>,
}

impl DomainMasks {
    /// Place of a CPU's mask in `masks`. None: an offline CPU, or its part of this level is not known.
    pub fn place(&self, cpu: CpuIx) -> Option<usize> {
        self.of[cpu as usize].map(|place| place as usize)
    }

    /// The mask of a CPU.
    pub fn mask(&self, cpu: CpuIx) -> Option<&CpuBits<CpuIx>> {
        self.place(cpu).map(|place| &self.masks[place])
    }

    /// The levels of a machine over its online CPUs, isolated ones included, as the kernel weighs them; smallest first.
    pub fn levels(topology: &Topology, online: &CpuBits<CpuIx>, rules: &DomainRules) -> Vec<Self> {
        let level = |name, key: fn(CpuLocation) -> (u16, u16)| Self::by_key(topology, online, name, key);
        let mut levels = vec![level("SMT", |at| (at.core, 0))];
        levels.extend(rules.has_clusters.then(|| level("CLS", |at| (at.cluster, at.node))));
        levels.push(level("MC", |at| (at.llc, at.node)));
        // Where no CPU knows its node, all are one.
        let nodes = level(rules.package, |at| (0, at.node));
        let firsts: Vec<CpuIx> = nodes.masks.iter().filter_map(CpuBits::first).collect();
        let mut distances: Vec<i32> =
            firsts.iter().flat_map(|&a| firsts.iter().filter_map(move |&b| topology.node_distance(a, b))).collect();
        distances.sort_unstable();
        distances.dedup();
        let numa = distances.iter().skip(1).map(|&limit| nodes.within(topology, limit)).collect::<Vec<_>>();
        levels.push(nodes);
        levels.extend(numa);
        levels
    }

    /// CPUs whose parts are the same have one mask; those whose first part is not known have none.
    fn by_key(
        topology: &Topology,
        online: &CpuBits<CpuIx>,
        name: &'static str,
        key: impl Fn(CpuLocation) -> (u16, u16),
    ) -> Self {
        let mut level = Self { name, node_distance: None, masks: Vec::new(), of: vec![None; topology.len()] };
        let mut places: BTreeMap<(u16, u16), usize> = BTreeMap::new();
        for cpu in online.iter() {
            let key = key(topology.location(cpu));
            if key.0 == UNKNOWN_PART {
                continue;
            }
            let place = *places.entry(key).or_insert_with(|| {
                level.masks.push(CpuBits::new(topology.len()));
                level.masks.len() - 1
            });
            level.masks[place].insert(cpu);
            level.of[cpu as usize] = Some(place as u32);
        }
        level
    }

    /// Of the level of nodes: the CPUs of all nodes within a distance of each.
    fn within(&self, topology: &Topology, limit: i32) -> Self {
        let is_near = |from: &CpuBits<CpuIx>, to: &CpuBits<CpuIx>| {
            let distance = from.first().zip(to.first()).and_then(|(a, b)| topology.node_distance(a, b));
            distance.is_some_and(|distance| distance <= limit)
        };
        let reach = |from: &CpuBits<CpuIx>| {
            let near = self.masks.iter().filter(|to| is_near(from, to));
            near.fold(CpuBits::new(topology.len()), |all, node| all.union(node))
        };
        let masks: Vec<CpuBits<CpuIx>> = self.masks.iter().map(reach).collect();
        let of = self.of.iter().map(|place| place.filter(|&place| !masks[place as usize].is_empty())).collect();
        Self { name: "NUMA", node_distance: Some(limit), masks, of }
    }
}

/// Sets of CPUs that are balanced among each other.
#[derive(Clone, Debug)]
pub struct BalancePartitions {
    partitions: Vec<CpuBits<CpuIx>>,
}

impl BalancePartitions {
    /// Of the online CPUs, without those that are outside all domains; `partitions` of cpusets, none: one of all.
    pub fn new(topology: &Topology, online: &CpuBits<CpuIx>, isolated: &CpuSet, partitions: &[CpuSet]) -> Self {
        let balanced = online.difference(&topology.bits(isolated));
        let cut = |set: &CpuSet| topology.bits(set).intersection(&balanced);
        let partitions =
            if partitions.is_empty() { vec![balanced.clone()] } else { partitions.iter().map(cut).collect() };
        Self { partitions }
    }

    /// A mask cut to the partition of a CPU; empty for a CPU in none.
    pub fn cut(&self, cpu: CpuIx, mask: &CpuBits<CpuIx>) -> CpuBits<CpuIx> {
        let partition = self.partitions.iter().find(|p| p.contains(cpu));
        partition.map_or_else(|| CpuBits::new(mask.capacity()), |p| mask.intersection(p))
    }
}
