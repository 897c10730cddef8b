//! Spans from /proc/schedstat (kernel/sched/stats.c: `show_schedstat`).
//!
//! `cpu3 ...` opens a CPU; `domain1 <mask> ...` follows for each of its domains, smallest first. Since version 17 the
//! name is between the two: `domain1 MC <mask> ...`.

use super::CpuDomain;
use crate::error::MachineError;
use crate::model::Domain;
use crate::root::Root;
use wastenot_topology::CpuSet;

const FILE: &str = "proc/schedstat";

/// The domains of every CPU that has any; the name is empty where the file has none. None: no such file.
pub(super) fn read(root: &Root) -> Result<Option<Vec<CpuDomain>>, MachineError> {
    let Some(text) = root.text(FILE)? else { return Ok(None) };
    let garbage = |line: &str| MachineError::garbage(&root.at(FILE), "/proc/schedstat", line);
    let mut lines = text.lines();
    let version = lines.next().and_then(|line| line.strip_prefix("version ")?.trim().parse::<u32>().ok());
    let version = version.ok_or_else(|| garbage(&text))?;
    let mut seen = Vec::new();
    let mut cpu = None;
    for line in lines {
        let mut words = line.split_whitespace();
        let Some(key) = words.next() else { continue };
        if let Some(number) = key.strip_prefix("cpu") {
            cpu = Some(number.parse::<u32>().map_err(|_| garbage(line))?);
        } else if let Some(level) = key.strip_prefix("domain") {
            let name = if version >= 17 { words.next().ok_or_else(|| garbage(line))? } else { "" };
            let mask = words.next().and_then(|mask| CpuSet::parse_mask(mask).ok());
            let (Some(cpu), Ok(level), Some(span)) = (cpu, level.parse::<u16>(), mask) else {
                return Err(garbage(line));
            };
            seen.push(CpuDomain { cpu, domain: domain(level, name, span) });
        }
    }
    Ok(Some(seen))
}

fn domain(level: u16, name: &str, span: CpuSet) -> Domain {
    Domain { span_exact: true, ..Domain::of_span(level, name, span) }
}
