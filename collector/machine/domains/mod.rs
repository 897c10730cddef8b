//! Scheduling domains: what the kernel reports, and what its rules give where it reports nothing.
//!
//! debugfs (`sched/domains`, since 6.4 only while `sched/verbose` is on) has levels, names, flags and intervals but no
//! spans; /proc/schedstat (CONFIG_SCHEDSTATS) has spans but no intervals. Whatever is missing is derived.

pub(crate) mod debugfs;
mod derive;
mod schedstat;

use crate::error::MachineError;
use crate::model::{Domain, DomainSource, Machine};
use crate::root::Root;
use std::collections::BTreeMap;
use wastenot_topology::CpuSet;

/// A domain of one CPU, before those that several CPUs share are joined.
#[derive(Clone, Debug)]
pub(crate) struct CpuDomain {
    pub cpu: u32,
    pub domain: Domain,
}

/// Fills in `domains` and `domain_source` of a machine whose topology is known.
pub(crate) fn read(root: &Root, machine: &mut Machine) -> Result<(), MachineError> {
    let parameters = debugfs::read(root)?;
    let spans = schedstat::read(root)?;
    let derived = derive::DerivedDomains::new(machine);
    let (seen, source) = match (parameters, spans) {
        (Some(parameters), Some(spans)) => (both(parameters, &spans)?, DomainSource::Kernel),
        (None, Some(spans)) => (derived.parameters(&spans), DomainSource::Schedstat),
        (Some(parameters), None) => (derived.spans(parameters, &mut machine.quirks), DomainSource::Debugfs),
        (None, None) => (derived.domains(), DomainSource::Derived),
    };
    if source == DomainSource::Derived && debugfs::is_hidden(root) {
        machine
            .quirks
            .push("scheduling domains are hidden: echo Y > /sys/kernel/debug/sched/verbose shows them".into());
    }
    (machine.domains, machine.domain_source) = (join(seen), source);
    Ok(())
}

/// Fills in derived domains: for machines that came without any (hwloc XML).
pub(crate) fn derive(machine: &mut Machine) {
    let seen = derive::DerivedDomains::new(machine).domains();
    (machine.domains, machine.domain_source) = (join(seen), DomainSource::Derived);
}

/// Spans from schedstat for the domains of debugfs: both number a CPU's domains from the smallest.
fn both(mut parameters: Vec<CpuDomain>, spans: &[CpuDomain]) -> Result<Vec<CpuDomain>, MachineError> {
    let known: BTreeMap<(u32, u16), &CpuSet> =
        spans.iter().map(|s| ((s.cpu, s.domain.level), &s.domain.span)).collect();
    for CpuDomain { cpu, domain } in &mut parameters {
        let span = known.get(&(*cpu, domain.level)).ok_or_else(|| {
            MachineError::contradiction(format!("debugfs gives CPU {cpu} a domain {}, schedstat none", domain.level))
        })?;
        (domain.span, domain.span_exact) = ((*span).clone(), true);
    }
    if parameters.len() != known.len() {
        return Err(MachineError::contradiction("schedstat has domains that debugfs has not"));
    }
    Ok(parameters)
}

/// Join equal domains of several CPUs into one, smallest level first.
pub(crate) fn join(seen: Vec<CpuDomain>) -> Vec<Domain> {
    let mut joined: Vec<Domain> = Vec::new();
    let mut by_span: BTreeMap<(u16, CpuSet), Vec<usize>> = BTreeMap::new();
    for CpuDomain { cpu, mut domain } in seen {
        domain.cpus = CpuSet::new();
        let same = by_span.entry((domain.level, domain.span.clone())).or_default();
        if let Some(groups) = &mut domain.groups {
            in_order(groups);
        }
        // What newidle balancing costs each CPU measures for itself.
        let cost = domain.newidle_cost_ns;
        let as_domain = |d: &Domain| Domain { cpus: CpuSet::new(), newidle_cost_ns: cost, ..d.clone() };
        let alike = same.iter().copied().find(|&i| as_domain(&joined[i]) == domain);
        let i = alike.unwrap_or_else(|| {
            joined.push(domain);
            same.push(joined.len() - 1);
            joined.len() - 1
        });
        joined[i].cpus.insert(cpu);
        joined[i].newidle_cost_ns = joined[i].newidle_cost_ns.min(cost);
    }
    joined.sort_by(|a, b| (a.level, a.cpus.first(), &a.name).cmp(&(b.level, b.cpus.first(), &b.name)));
    joined
}

/// Groups that do not overlap in the order of their CPUs: the kernel begins them with that of each CPU.
fn in_order(groups: &mut [CpuSet]) {
    let cpus: usize = groups.iter().map(CpuSet::len).sum();
    if groups.iter().fold(CpuSet::new(), |all, group| all.union(group)).len() == cpus {
        groups.sort_unstable_by_key(CpuSet::first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_do_not_overlap_are_the_same_for_all_cpus_and_others_are_kept_for_each() {
        let set = |cpus: &str| cpus.parse::<CpuSet>().unwrap();
        let cpu = |cpu: u32, level: u16, span: &str, groups: [&str; 2]| CpuDomain {
            cpu,
            domain: Domain { groups: Some(groups.map(set).to_vec()), ..Domain::of_span(level, "NUMA", set(span)) },
        };
        let seen = vec![
            cpu(0, 0, "0-3", ["0-1", "2-3"]),
            cpu(3, 0, "0-3", ["2-3", "0-1"]),
            cpu(0, 1, "0-4", ["0-2", "2-4"]),
            cpu(3, 1, "0-4", ["2-4", "0-2"]),
        ];
        let joined = join(seen);
        let drawn: Vec<String> = joined
            .iter()
            .map(|d| {
                let groups: Vec<String> = d.groups.iter().flatten().map(CpuSet::to_string).collect();
                format!("{} {}: {}", d.level, d.cpus, groups.join(" "))
            })
            .collect();
        assert_eq!(drawn, ["0 0,3: 0-1 2-3", "1 0: 0-2 2-4", "1 3: 2-4 0-2"]);
    }
}
