//! Domains by the kernel's rules from the topology ([`DomainMasks`], [`DomainRules`]).

use super::CpuDomain;
use crate::model::{Domain, Machine};
use std::collections::BTreeMap;
use wastenot_topology::{
    BalancePartitions, CpuBits, CpuIx, CpuSet, DomainMasks, DomainRules, KernelRelease, Topology, balance_intervals_ns,
    makes_domain,
};

/// The levels of a machine's domains, and how its kernel builds them.
pub(super) struct DerivedDomains {
    topology: Topology,
    levels: Vec<DomainMasks>,
    partitions: BalancePartitions,
    rules: DomainRules,
}

impl DerivedDomains {
    pub fn new(machine: &Machine) -> Self {
        let topology = machine.topology();
        let online = topology.bits(&machine.online);
        let rules = DomainRules::of(machine.kernel.as_deref().and_then(KernelRelease::mainline_of));
        let levels = DomainMasks::levels(&topology, &online, &rules);
        let partitions = BalancePartitions::new(&topology, &online, &machine.isolated, &machine.partitions);
        Self { topology, levels, partitions, rules }
    }

    /// The domains of every CPU.
    pub fn domains(&self) -> Vec<CpuDomain> {
        let mut seen = Vec::new();
        for ix in self.topology.indices() {
            let mut below = CpuBits::of(self.topology.len(), [ix]);
            let mut level = 0;
            for (name, mask) in self.masks(ix) {
                let span = self.partitions.cut(ix, mask);
                if makes_domain(&span, &below) {
                    let weight = if self.rules.weighs_uncut { mask.len() } else { span.len() };
                    let domain = self.domain(level, name, self.topology.numbers(&span), weight);
                    seen.push(CpuDomain { cpu: self.topology.cpu(ix).cpu, domain });
                    (below, level) = (span, level + 1);
                }
            }
        }
        seen
    }

    /// The masks of a CPU before they are cut to partitions, smallest first.
    fn masks(&self, cpu: CpuIx) -> impl Iterator<Item = (&'static str, &CpuBits<CpuIx>)> {
        self.levels.iter().filter_map(move |level| Some((level.name, level.mask(cpu)?)))
    }

    /// The same by the CPU's number; none for a CPU that the machine does not have.
    fn masks_of(&self, cpu: u32) -> impl Iterator<Item = (CpuIx, &'static str, &CpuBits<CpuIx>)> {
        let ix = self.topology.index(cpu);
        ix.into_iter().flat_map(|ix| self.masks(ix).map(move |(name, mask)| (ix, name, mask)))
    }

    /// Names and parameters for spans that the kernel reported.
    pub fn parameters(&self, spans: &[CpuDomain]) -> Vec<CpuDomain> {
        let complete = |CpuDomain { cpu, domain }: &CpuDomain| {
            let span = self.topology.bits(&domain.span);
            let fitting = self.masks_of(*cpu).find(|(_, _, mask)| span.is_subset(mask));
            let weight = fitting.filter(|_| self.rules.weighs_uncut).map_or(domain.span.len(), |(.., mask)| mask.len());
            let name = match domain.name.as_str() {
                "" => fitting.map_or("NUMA", |(_, name, _)| name),
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
        let weighs = |weight: usize| domain.min_interval_ns == Some(balance_intervals_ns(weight).0);
        let smaller = self.topology.bits(smaller);
        let wider: Vec<(bool, bool, CpuBits<CpuIx>)> = self
            .masks_of(cpu)
            .map(|(ix, name, mask)| (named(name), weighs(mask.len()), self.partitions.cut(ix, mask)))
            .filter(|(_, _, span)| makes_domain(span, &smaller))
            .map(|(named, uncut, span)| (named, uncut || weighs(span.len()), span))
            .collect();
        let first = |fits: fn(bool, bool) -> bool| wider.iter().find(|(named, weighs, _)| fits(*named, *weighs));
        let found = first(|named, weighs| named && weighs).or(first(|_, weighs| weighs)).or(first(|named, _| named));
        found.map(|(_, _, span)| self.topology.numbers(span))
    }

    fn domain(&self, level: u16, name: &str, span: CpuSet, weight: usize) -> Domain {
        let (min_interval_ns, max_interval_ns) = balance_intervals_ns(weight);
        Domain {
            min_interval_ns: Some(min_interval_ns),
            max_interval_ns: Some(max_interval_ns),
            busy_factor: Some(self.rules.busy_factor),
            imbalance_pct: Some(self.rules.imbalance_pct_of(name)),
            ..Domain::of_span(level, name, span)
        }
    }
}
