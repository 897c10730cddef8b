//! Facts about one machine that must not exclude each other, wherever they were read.

use crate::error::MachineError;
use crate::model::Machine;
use std::collections::BTreeMap;
use wastenot_topology::{Cpu, CpuSet};

impl Machine {
    /// Refuses a machine that cannot be. Every way in (sysfs, JSON, hwloc) ends here.
    pub(crate) fn validate(&self) -> Result<(), MachineError> {
        let check = |ok: bool, what: &dyn Fn() -> String| match ok {
            true => Ok(()),
            false => Err(MachineError::contradiction(what())),
        };
        check(!self.online.is_empty(), &|| "no CPU is online".into())?;
        for (name, set) in [("online", &self.online), ("present", &self.present), ("isolated", &self.isolated)] {
            let stray = set.difference(&self.possible);
            check(stray.is_empty(), &|| format!("CPUs {stray} are {name} but not possible"))?;
        }
        let stray = self.online.difference(&self.present);
        check(stray.is_empty(), &|| format!("CPUs {stray} are online but not present"))?;
        check(self.tick_ns > 0, &|| format!("a tick of {} ns", self.tick_ns))?;
        check(self.cpus.windows(2).all(|w| w[0].cpu < w[1].cpu), &|| "CPUs are not in ascending order".into())?;
        let listed: CpuSet = self.cpus.iter().map(|c| c.cpu).collect();
        check(listed == self.present, &|| format!("CPUs {} are present but {listed} are described", self.present))?;
        self.validate_nodes(&check)?;
        self.validate_places(&check)?;
        for domain in &self.domains {
            let named = || format!("{} domain of CPUs {}", domain.name, domain.cpus);
            check(domain.cpus.is_subset(&domain.span), &|| format!("{} spans only {}", named(), domain.span))?;
            check(domain.span.is_subset(&self.possible), &|| format!("{} spans CPUs not possible", named()))?;
            let in_span = domain.groups.iter().flatten().all(|group| group.is_subset(&domain.span));
            check(in_span, &|| format!("a group of the {} has CPUs outside {}", named(), domain.span))?;
        }
        Ok(())
    }

    fn validate_nodes(&self, check: &Check<'_>) -> Result<(), MachineError> {
        check(self.nodes.windows(2).all(|w| w[0].node < w[1].node), &|| "nodes are not in ascending order".into())?;
        let mut seen = CpuSet::new();
        for node in &self.nodes {
            let twice = seen.intersection(&node.cpus);
            check(twice.is_empty(), &|| format!("CPUs {twice} are in node {} and in another", node.node))?;
            seen = seen.union(&node.cpus);
            let known = node.distances.len();
            check(known == 0 || known == self.nodes.len(), &|| {
                format!("node {} has {known} distances among {} nodes", node.node, self.nodes.len())
            })?;
        }
        for cpu in &self.cpus {
            let Some(number) = cpu.node else { continue };
            let there = self.node(number).is_some_and(|node| node.cpus.contains(cpu.cpu));
            check(there, &|| format!("CPU {} names node {number}, which does not list it", cpu.cpu))?;
        }
        Ok(())
    }

    /// A core lies in one last-level cache and one package; each group is named by its first CPU.
    fn validate_places(&self, check: &Check<'_>) -> Result<(), MachineError> {
        type Place = fn(&Cpu) -> Option<u32>;
        let groups: [(&str, Place); 4] =
            [("core", |c| c.core), ("last-level cache", |c| c.llc), ("cluster", |c| c.cluster), ("die", |c| c.die)];
        for (kind, place) in groups {
            for cpu in &self.cpus {
                let Some(first) = place(cpu) else { continue };
                let named = self.cpu(first).is_some_and(|c| place(c) == Some(first));
                check(named && first <= cpu.cpu, &|| {
                    format!("CPU {} is in {kind} {first}, which is not the group of CPU {first}", cpu.cpu)
                })?;
            }
        }
        let mut cores: BTreeMap<u32, &Cpu> = BTreeMap::new();
        for cpu in &self.cpus {
            let Some(core) = cpu.core else { continue };
            let first = *cores.entry(core).or_insert(cpu);
            check(first.package == cpu.package && first.llc == cpu.llc, &|| {
                format!("CPUs {} and {} share a core but not a package and last-level cache", first.cpu, cpu.cpu)
            })?;
        }
        Ok(())
    }
}

type Check<'a> = dyn Fn(bool, &dyn Fn() -> String) -> Result<(), MachineError> + 'a;
