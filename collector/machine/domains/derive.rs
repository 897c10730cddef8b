//! Domains by the kernel's rules from the topology (kernel/sched/topology.c: `default_topology`, `sched_init_numa`,
//! `sd_init`, `cpu_attach_domain`).
//!
//! Per CPU the masks SMT, CLS, MC, PKG and one NUMA mask per distinct distance between nodes, smallest first, cut to
//! the CPU's partition. A mask of one CPU, or equal to the one below it, makes no domain. The shortest balance interval
//! is the weight of the mask in milliseconds, the longest twice that. Until 7.1 the mask was weighed before it was cut
//! ("sched/topology: Compute sd_weight considering cpuset partitions"; some stable releases have it too).

use super::{CpuDomain, before};
use crate::model::{Cpu, Domain, Machine};
use std::collections::BTreeMap;
use wastenot_topology::CpuSet;

/// The masks of a machine's CPUs, before they are cut to partitions.
pub(super) struct Rules {
    masks: BTreeMap<u32, Vec<(&'static str, CpuSet)>>,
    /// CPUs that are balanced among each other; CPUs in none have no domains.
    partitions: Vec<CpuSet>,
    /// Weighs masks before they are cut.
    uncut: bool,
    busy_factor: i32,
    imbalance_pct: i32,
}

/// With threads of a core 110 percent, on every release.
const SMT_IMBALANCE_PCT: i32 = 110;
/// Caches: 117 percent on every release.
const CACHE_IMBALANCE_PCT: i32 = 117;

impl Rules {
    pub fn new(machine: &Machine) -> Self {
        let release = machine.kernel.as_deref();
        // 5.10 lowered both: "sched/fair: Reduce minimal imbalance threshold", "Reduce busy load balance interval".
        let old = before(release, 5, 10);
        let package = if before(release, 6, 7) { "DIE" } else { "PKG" };
        let balanced = machine.online.difference(&machine.isolated);
        let partitions = match machine.partitions.as_slice() {
            [] => vec![balanced],
            partitions => partitions.iter().map(|p| p.intersection(&balanced)).collect(),
        };
        Self {
            masks: masks(machine, package),
            partitions,
            uncut: before(release, 7, 1),
            busy_factor: if old { 32 } else { 16 },
            imbalance_pct: if old { 125 } else { 117 },
        }
    }

    /// The domains of every CPU.
    pub fn domains(&self) -> Vec<CpuDomain> {
        let mut seen = Vec::new();
        for (&cpu, masks) in &self.masks {
            let mut below = CpuSet::from_iter([cpu]);
            let mut level = 0;
            for (name, mask) in masks {
                let span = self.cut(cpu, mask);
                if span != below && below.is_subset(&span) {
                    let weight = if self.uncut { mask.len() } else { span.len() };
                    seen.push(CpuDomain { cpu, domain: self.domain(level, name, span.clone(), weight) });
                    (below, level) = (span, level + 1);
                }
            }
        }
        seen
    }

    /// A mask cut to the partition of a CPU; empty for an isolated CPU.
    fn cut(&self, cpu: u32, mask: &CpuSet) -> CpuSet {
        let partition = self.partitions.iter().find(|p| p.contains(cpu));
        partition.map_or(CpuSet::new(), |p| p.intersection(mask))
    }

    /// Names and parameters for spans that the kernel reported.
    pub fn parameters(&self, spans: &[CpuDomain]) -> Vec<CpuDomain> {
        let complete = |CpuDomain { cpu, domain }: &CpuDomain| {
            let masks = self.masks.get(cpu).map(Vec::as_slice).unwrap_or_default();
            let fitting = masks.iter().find(|(_, mask)| domain.span.is_subset(mask));
            let weight = fitting.filter(|_| self.uncut).map_or(domain.span.len(), |(_, mask)| mask.len());
            let name = match domain.name.as_str() {
                "" => fitting.map_or("NUMA", |(name, _)| name),
                name => name,
            };
            let ruled = self.domain(domain.level, name, domain.span.clone(), weight);
            CpuDomain { cpu: *cpu, domain: Domain { span_exact: true, ..ruled } }
        };
        spans.iter().map(complete).collect()
    }

    /// Spans for domains whose name and parameters the kernel reported: the mask of that name whose weight, cut or not, is
    /// the shortest interval, else any mask of that weight, else the next larger of that name. A domain that fits no
    /// mask is left out and named in `quirks`.
    pub fn spans(&self, parameters: Vec<CpuDomain>, quirks: &mut Vec<String>) -> Vec<CpuDomain> {
        let mut below: BTreeMap<u32, CpuSet> = BTreeMap::new();
        let mut complete = Vec::new();
        for CpuDomain { cpu, mut domain } in parameters {
            let smaller = below.entry(cpu).or_insert_with(|| CpuSet::from_iter([cpu]));
            match self.fitting(cpu, &domain, smaller) {
                Some(span) => {
                    smaller.clone_from(&span);
                    domain.span = span;
                    complete.push(CpuDomain { cpu, domain });
                }
                None => quirks.push(format!("CPU {cpu}: the {} domain fits no mask of the topology", domain.name)),
            }
        }
        complete
    }

    fn fitting(&self, cpu: u32, domain: &Domain, smaller: &CpuSet) -> Option<CpuSet> {
        // Before 6.7 the level was called DIE; some of those stable releases took the new name.
        let named = |name: &str| name == domain.name || (name, domain.name.as_str()) == ("DIE", "PKG");
        let weighs = |cpus: &CpuSet| domain.min_interval_ns == Some(cpus.len() as i64 * NS_PER_MS);
        let masks = self.masks.get(&cpu).map(Vec::as_slice).unwrap_or_default();
        let wider: Vec<(bool, bool, CpuSet)> = masks
            .iter()
            .map(|(name, mask)| (named(name), weighs(mask), self.cut(cpu, mask)))
            .filter(|(_, _, span)| span != smaller && smaller.is_subset(span))
            .map(|(named, uncut, span)| (named, uncut || weighs(&span), span))
            .collect();
        let first = |fits: fn(bool, bool) -> bool| wider.iter().find(|(named, weighs, _)| fits(*named, *weighs));
        let found = first(|named, weighs| named && weighs).or(first(|_, weighs| weighs)).or(first(|named, _| named));
        found.map(|(_, _, span)| span.clone())
    }

    fn domain(&self, level: u16, name: &str, span: CpuSet, weight: usize) -> Domain {
        let min_interval_ns = weight as i64 * NS_PER_MS;
        let imbalance_pct = match name {
            "SMT" => SMT_IMBALANCE_PCT,
            "CLS" | "MC" => CACHE_IMBALANCE_PCT,
            _ => self.imbalance_pct,
        };
        Domain {
            cpus: CpuSet::new(),
            level,
            name: name.to_owned(),
            span,
            flags: None,
            min_interval_ns: Some(min_interval_ns),
            max_interval_ns: Some(2 * min_interval_ns),
            busy_factor: Some(self.busy_factor),
            imbalance_pct: Some(imbalance_pct),
            cache_nice_tries: None,
            newidle_cost_ns: None,
            span_exact: false,
            parameters_exact: false,
        }
    }
}

const NS_PER_MS: i64 = 1_000_000;

/// Each CPU's masks, smallest first: online CPUs only, isolated ones included, as the kernel weighs them.
fn masks(machine: &Machine, package: &'static str) -> BTreeMap<u32, Vec<(&'static str, CpuSet)>> {
    let online: Vec<&Cpu> = machine.cpus.iter().filter(|c| machine.online.contains(c.cpu)).collect();
    let clusters = !before(machine.kernel.as_deref(), 5, 16);
    let by_core = groups(&online, |c| (c.core, None));
    let by_cluster = groups(&online, |c| (c.cluster.filter(|_| clusters), c.node));
    let by_llc = groups(&online, |c| (c.llc, c.node));
    let by_node = groups(&online, |c| (Some(0), c.node));
    let numa = numa_masks(machine, &by_node);
    let masks_of = |c: &Cpu| {
        let known = [
            ("SMT", by_core.get(&(c.core, None))),
            ("CLS", by_cluster.get(&(c.cluster, c.node))),
            ("MC", by_llc.get(&(c.llc, c.node))),
            (package, by_node.get(&(Some(0), c.node))),
        ];
        let near = known.into_iter().filter_map(|(name, mask)| Some((name, mask?.clone())));
        let far = c.node.and_then(|node| numa.get(&node)).into_iter().flatten().map(|mask| ("NUMA", mask.clone()));
        near.chain(far).collect()
    };
    online.iter().map(|c| (c.cpu, masks_of(c))).collect()
}

/// A group's number, if it is known, and the node it is cut to.
type Key = (Option<u32>, Option<u32>);

/// CPUs by a key; those whose group is not known are in none.
fn groups(cpus: &[&Cpu], key: impl Fn(&Cpu) -> Key) -> BTreeMap<Key, CpuSet> {
    let mut groups: BTreeMap<Key, CpuSet> = BTreeMap::new();
    for cpu in cpus {
        let key = key(cpu);
        if key.0.is_some() {
            groups.entry(key).or_default().insert(cpu.cpu);
        }
    }
    groups
}

/// Per node, for each distinct distance beyond the local one: the CPUs of all nodes within it.
fn numa_masks(machine: &Machine, by_node: &BTreeMap<Key, CpuSet>) -> BTreeMap<u32, Vec<CpuSet>> {
    let nodes: Vec<(u32, &CpuSet)> = by_node.iter().filter_map(|((_, node), cpus)| Some(((*node)?, cpus))).collect();
    let distance = |from: u32, to: u32| machine.node_distance(from, to);
    let mut distances: Vec<i32> =
        nodes.iter().flat_map(|&(a, _)| nodes.iter().filter_map(move |&(b, _)| distance(a, b))).collect();
    distances.sort_unstable();
    distances.dedup();
    let within = |from: u32, limit: i32| {
        let near = nodes.iter().filter(|&&(to, _)| distance(from, to).is_some_and(|d| d <= limit));
        near.fold(CpuSet::new(), |all, (_, cpus)| all.union(cpus))
    };
    let beyond: Vec<i32> = distances.into_iter().skip(1).collect();
    nodes.iter().map(|&(node, _)| (node, beyond.iter().map(|&limit| within(node, limit)).collect())).collect()
}
