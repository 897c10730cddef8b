//! What `perf sched stats record` writes: readings of /proc/schedstat as records of perf's own, one per CPU and one per domain
//! of it, at the start and at the end (perf of Linux 7.0 and later). It opens no event: the file's list of them is empty.
//!
//! Source: tools/lib/perf/include/perf/event.h (perf_record_schedstat_cpu, perf_record_schedstat_domain) and schedstat-v15.h to
//! schedstat-v17.h: after the record's header the kernel's jiffies (64 bits), the CPU (32), the version of schedstat (16), the
//! number of the domain (16), then its numbers as /proc/schedstat has them (32 bits each). Names and spans of the domains are a
//! feature of the file (HEADER_CPU_DOMAIN_INFO).

use crate::bytes::Bytes;
use crate::features::CpuDomain;
use crate::file;
use crate::record::HEADER;
use std::collections::BTreeMap;
use std::io::{BufReader, Read};
use std::path::Path;
use wastenot_import::ImportError;
use wastenot_machine::schedstat::{DomainCounters, arrange};
use wastenot_topology::CpuSet;

const SCHEDSTAT_CPU: u32 = 85;
const SCHEDSTAT_DOMAIN: u32 = 86;
/// Records followed by bytes whose size is not in their header; such files do not have them.
const TRACING_DATA: u32 = 66;
const AUXTRACE: u32 = 71;
/// Fixed part of a domain's record, header included.
const FIXED: usize = 24;
/// Readings kept: perf writes two.
const MOST: usize = 1024;

/// One reading of /proc/schedstat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchedstatSample {
    /// The kernel's jiffies. (Neither their start nor their length is recorded.)
    pub jiffies: u64,
    /// Domains by CPU and level; without names and spans where the file does not have them.
    pub domains: Vec<DomainCounters>,
}

/// The readings in the perf.data at `path`; none in one that `perf sched stats` did not write.
pub fn readings(path: &Path) -> Result<Vec<SchedstatSample>, ImportError> {
    let opened = file::open(path)?;
    let domains = opened.features.domains(opened.endian).unwrap_or_default();
    let places: BTreeMap<(u32, u32), CpuDomain> = domains.into_iter().map(|d| ((d.cpu, d.level), d)).collect();
    let mut records = BufReader::new(opened.file).take(opened.records.1);
    let mut readings: Vec<SchedstatSample> = Vec::new();
    let mut cpus = CpuSet::new();
    let mut record = Vec::new();
    let damaged = |why: &str| ImportError::damaged(path, why);
    loop {
        record.resize(HEADER, 0);
        match records.read_exact(&mut record) {
            Ok(()) => {}
            Err(cause) if cause.kind() == std::io::ErrorKind::UnexpectedEof => break,
            Err(cause) => return Err(ImportError::io(path, cause)),
        }
        let head = Bytes::new(&record, opened.endian);
        let (kind, size) = (head.u32(0).unwrap_or(0), usize::from(head.u16(6).unwrap_or(0)));
        if size < HEADER {
            return Err(damaged("a record of no size; record anew: perf sched stats record"));
        }
        if matches!(kind, TRACING_DATA | AUXTRACE) {
            break;
        }
        record.resize(size, 0);
        if records.read_exact(&mut record[HEADER..]).is_err() {
            return Err(damaged("it ends within a record; copy it again, or record anew: perf sched stats record"));
        }
        let bytes = Bytes::new(&record, opened.endian);
        match kind {
            SCHEDSTAT_CPU => {
                let (Some(jiffies), Some(cpu)) = (bytes.u64(8), bytes.u32(16)) else {
                    return Err(damaged("a CPU's record of /proc/schedstat is too short"));
                };
                if readings.is_empty() || !cpus.insert(cpu) {
                    if readings.len() == MOST {
                        return Err(damaged("more readings of /proc/schedstat than perf sched stats record writes"));
                    }
                    cpus = CpuSet::new();
                    cpus.insert(cpu);
                    readings.push(SchedstatSample { jiffies, domains: Vec::new() });
                }
            }
            SCHEDSTAT_DOMAIN => {
                let mut domain = domain(bytes).map_err(|why| damaged(&why))?;
                if let Some(place) = places.get(&(domain.cpu, domain.level.into())) {
                    domain.name.clone_from(&place.name);
                    domain.span = CpuSet::parse_list(&place.span).unwrap_or_default();
                }
                let reading = readings.last_mut().ok_or_else(|| damaged("a domain's record before any CPU's"))?;
                reading.domains.push(domain);
            }
            _ => {}
        }
    }
    for reading in &mut readings {
        reading.domains.sort_by_key(|d| (d.cpu, d.level));
    }
    Ok(readings)
}

fn domain(bytes: Bytes<'_>) -> Result<DomainCounters, String> {
    let short = || "a domain's record of /proc/schedstat is too short".to_owned();
    let (cpu, version) = (bytes.u32(16).ok_or_else(short)?, bytes.u16(20).ok_or_else(short)?);
    let level = bytes.u16(22).ok_or_else(short)?;
    let numbers = match version {
        15 | 16 => 36,
        17 => 45,
        other => return Err(format!("/proc/schedstat version {other}: 15, 16 and 17 are known")),
    };
    let numbers: Option<Vec<u64>> = (0..numbers).map(|n| bytes.u32(FIXED + 4 * n).map(u64::from)).collect();
    let counters = arrange(version.into(), &numbers.ok_or_else(short)?).ok_or_else(short)?;
    Ok(DomainCounters { cpu, level, name: String::new(), span: CpuSet::new(), counters })
}
