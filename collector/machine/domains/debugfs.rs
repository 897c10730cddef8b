//! Levels, names, flags and intervals from debugfs (kernel/sched/debug.c: `register_sd`), or, before 5.13, from
//! /proc/sys/kernel/sched_domain.

use super::CpuDomain;
use crate::error::MachineError;
use crate::model::Domain;
use crate::root::Root;
use wastenot_topology::CpuSet;

const OLD: &str = "proc/sys/kernel/sched_domain";

/// The domains of every CPU that has any, without spans. None: neither place exists, or it is empty.
pub(super) fn read(root: &Root) -> Result<Option<Vec<CpuDomain>>, MachineError> {
    for folder in [format!("{}/sched/domains", mount(root)), OLD.to_owned()] {
        let cpus = root.numbered(&folder, "cpu");
        let mut seen = Vec::new();
        for cpu in cpus {
            for level in root.numbered(format!("{folder}/cpu{cpu}"), "domain") {
                let domain = one(root, &format!("{folder}/cpu{cpu}/domain{level}"), level)?;
                seen.push(CpuDomain { cpu, domain });
            }
        }
        if !seen.is_empty() {
            return Ok(Some(seen));
        }
    }
    Ok(None)
}

/// Since 6.4 the folders exist only while `sched/verbose` holds Y.
pub(super) fn is_hidden(root: &Root) -> bool {
    root.text(format!("{}/sched/verbose", mount(root))).ok().flatten().as_deref() == Some("N")
}

pub(crate) fn mount(root: &Root) -> String {
    root.mount("debugfs", "").unwrap_or_else(|| "sys/kernel/debug".to_owned())
}

fn one(root: &Root, folder: &str, level: u32) -> Result<Domain, MachineError> {
    const NS_PER_MS: i64 = 1_000_000;
    let interval = |name: &str| -> Result<Option<i64>, MachineError> {
        let ms = root.number::<i64>(format!("{folder}/{name}"))?;
        match ms.map(|ms| ms.checked_mul(NS_PER_MS).filter(|&ns| ns >= 0)) {
            Some(None) => Err(MachineError::garbage(&root.at(format!("{folder}/{name}")), "milliseconds", "")),
            Some(ns) => Ok(ns),
            None => Ok(None),
        }
    };
    let name = root.text(format!("{folder}/name"))?;
    let name = name.ok_or_else(|| MachineError::garbage(&root.at(format!("{folder}/name")), "a name", ""))?;
    // Before 5.10 `flags` was a number; names mean the same on every release, bits do not.
    let flags = root.text(format!("{folder}/flags"))?.filter(|f| f.starts_with("SD_"));
    Ok(Domain {
        flags: flags.map(|f| f.split_whitespace().collect::<Vec<_>>().join(" ")),
        min_interval_ns: interval("min_interval")?,
        max_interval_ns: interval("max_interval")?,
        busy_factor: root.number(format!("{folder}/busy_factor"))?,
        imbalance_pct: root.number(format!("{folder}/imbalance_pct"))?,
        cache_nice_tries: root.number(format!("{folder}/cache_nice_tries"))?,
        newidle_cost_ns: root.number(format!("{folder}/max_newidle_lb_cost"))?,
        parameters_exact: true,
        ..Domain::of_span(level as u16, &name, CpuSet::new())
    })
}
