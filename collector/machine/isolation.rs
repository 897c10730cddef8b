//! CPUs outside all scheduling domains, and sets of CPUs whose domains are built apart.
//!
//! Sources: kernel/sched/isolation.c (`isolcpus=`), kernel/cgroup/cpuset.c (`generate_sched_domains`, partitions).

use crate::cgroups::{self, Hierarchy, Version};
use crate::error::MachineError;
use crate::root::Root;
use wastenot_topology::CpuSet;

pub(crate) struct Isolation {
    pub isolated: CpuSet,
    pub partitions: Vec<CpuSet>,
    pub quirks: Vec<String>,
}

pub(crate) fn read(root: &Root, cmdline: Option<&str>, online: &CpuSet) -> Result<Isolation, MachineError> {
    let mut isolated = root.cpulist("sys/devices/system/cpu/isolated")?.unwrap_or_default();
    let mut quirks = Vec::new();
    match isolcpus(cmdline.unwrap_or_default()) {
        Ok(set) => isolated = isolated.union(&set),
        Err(list) => quirks.push(format!("isolcpus={list} on the command line was not understood")),
    }
    let mut partitions = Vec::new();
    match cgroups::hierarchies(root)?.cpuset {
        Some(hierarchy) if hierarchy.version == Version::V2 => {
            v2(root, &hierarchy, &mut isolated, &mut partitions)?;
        }
        Some(hierarchy) => v1(root, &hierarchy, online, &mut isolated, &mut partitions)?,
        None => {}
    }
    if !partitions.is_empty() {
        let apart = partitions.iter().fold(isolated.clone(), |all, p| all.union(p));
        partitions.push(online.difference(&apart));
        partitions.retain(|p| !p.is_empty());
    }
    Ok(Isolation { isolated, partitions, quirks })
}

/// CPUs that `isolcpus=[flag,...,]<list>` takes out of the domains: those given without flags, or with `domain`.
fn isolcpus(cmdline: &str) -> Result<CpuSet, String> {
    let mut isolated = CpuSet::new();
    for value in cmdline.split_whitespace().take_while(|w| *w != "--").filter_map(|w| w.strip_prefix("isolcpus=")) {
        let mut list = value;
        let (mut flags, mut domain) = (false, false);
        while let Some((flag, rest)) = list.split_once(',').filter(|(f, _)| f.starts_with(|c: char| c.is_alphabetic()))
        {
            (flags, domain, list) = (true, domain || flag == "domain", rest);
        }
        let set = CpuSet::parse_list(list).map_err(|_| value.to_owned())?;
        if domain || !flags {
            isolated = isolated.union(&set);
        }
    }
    Ok(isolated)
}

/// Cgroup v2: `cpuset.cpus.partition` is `root` (domains of its own) or `isolated` (none).
fn v2(
    root: &Root,
    hierarchy: &Hierarchy,
    isolated: &mut CpuSet,
    partitions: &mut Vec<CpuSet>,
) -> Result<(), MachineError> {
    if let Some(set) = root.cpulist(format!("{}/cpuset.cpus.isolated", hierarchy.mount))? {
        *isolated = isolated.union(&set);
    }
    for path in cgroups::folders(root, hierarchy).iter().filter(|path| *path != "/") {
        let folder = hierarchy.folder(path);
        let Some(kind) = root.text(format!("{folder}/cpuset.cpus.partition"))? else { continue };
        let cpus = root.cpulist(format!("{folder}/cpuset.cpus.effective"))?.unwrap_or_default();
        match kind.as_str() {
            "isolated" => *isolated = isolated.union(&cpus),
            "root" if !cpus.is_empty() => partitions.push(cpus),
            _ => {}
        }
    }
    Ok(())
}

/// Cgroup v1: with `cpuset.sched_load_balance` off at the root, domains cover only the cpusets that have it on,
/// overlapping ones merged; a CPU in none of them is isolated.
fn v1(
    root: &Root,
    hierarchy: &Hierarchy,
    online: &CpuSet,
    isolated: &mut CpuSet,
    partitions: &mut Vec<CpuSet>,
) -> Result<(), MachineError> {
    let balanced = |path: &str| root.number::<u8>(format!("{}/cpuset.sched_load_balance", hierarchy.folder(path)));
    if balanced("/")? != Some(0) {
        return Ok(());
    }
    for path in cgroups::folders(root, hierarchy) {
        if balanced(&path)? != Some(1) {
            continue;
        }
        let folder = hierarchy.folder(&path);
        let mut cpus = match root.cpulist(format!("{folder}/cpuset.effective_cpus"))? {
            Some(cpus) => cpus,
            None => root.cpulist(format!("{folder}/cpuset.cpus"))?.unwrap_or_default(),
        };
        let (touching, apart): (Vec<_>, Vec<_>) = partitions.drain(..).partition(|p| p.intersects(&cpus));
        *partitions = apart;
        cpus = touching.iter().fold(cpus, |all, p| all.union(p));
        if !cpus.is_empty() {
            partitions.push(cpus);
        }
    }
    let covered = partitions.iter().fold(CpuSet::new(), |all, p| all.union(p));
    *isolated = isolated.union(&online.difference(&covered));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::isolcpus;

    #[test]
    fn isolcpus_without_flags_or_with_domain_isolates() {
        let list = |cmdline: &str| isolcpus(cmdline).unwrap().to_string();
        assert_eq!(list("quiet isolcpus=1-3,8 nohz_full=1"), "1-3,8");
        assert_eq!(list("isolcpus=domain,managed_irq,2,4"), "2,4");
        assert_eq!(list("isolcpus=nohz,managed_irq,5"), "");
        assert_eq!(list("isolcpus=1 isolcpus=domain,2"), "1-2");
        assert_eq!(list("root=/dev/sda -- isolcpus=7"), "");
        assert_eq!(isolcpus("isolcpus=1-N"), Err("1-N".to_owned()));
    }
}
