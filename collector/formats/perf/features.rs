//! What perf says about the machine and the recording (HEADER_*).
//!
//! Source: tools/perf/util/header.c and tools/perf/Documentation/perf.data-file-format.txt. The host's name is passed over.

use crate::bytes::{Bytes, Cursor};
use std::collections::BTreeMap;
use wastenot_import::Endian;

/// Numbers of the features.
pub mod feature {
    pub const TRACING_DATA: u32 = 1;
    pub const HOSTNAME: u32 = 3;
    pub const OSRELEASE: u32 = 4;
    pub const VERSION: u32 = 5;
    pub const ARCH: u32 = 6;
    pub const NRCPUS: u32 = 7;
    pub const CPUDESC: u32 = 8;
    pub const CMDLINE: u32 = 11;
    pub const CPU_TOPOLOGY: u32 = 13;
    pub const NUMA_TOPOLOGY: u32 = 14;
    pub const CACHE: u32 = 20;
    pub const DIR_FORMAT: u32 = 24;
    pub const CLOCK_DATA: u32 = 29;
    pub const CPU_DOMAIN_INFO: u32 = 32;
}

/// The features that are read.
pub const WANTED: [u32; 13] = [
    feature::TRACING_DATA,
    feature::OSRELEASE,
    feature::VERSION,
    feature::ARCH,
    feature::NRCPUS,
    feature::CPUDESC,
    feature::CMDLINE,
    feature::CPU_TOPOLOGY,
    feature::NUMA_TOPOLOGY,
    feature::CACHE,
    feature::DIR_FORMAT,
    feature::CLOCK_DATA,
    feature::CPU_DOMAIN_INFO,
];

/// More CPUs than this are damage.
pub const MAX_CPUS: u32 = 8192;
/// Longest list that is believed.
const MAX_LIST: u32 = 1 << 16;

/// The features of a file, as bytes.
#[derive(Default)]
pub struct Features(BTreeMap<u32, Vec<u8>>);

/// Places of CPUs (HEADER_CPU_TOPOLOGY).
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// Lists of CPUs that are threads of one core.
    pub threads: Vec<String>,
    /// Core and package of every CPU, -1 where not known.
    pub packages: Vec<(i32, i32)>,
    /// Lists of CPUs that are on one die.
    pub dies: Vec<String>,
}

/// A NUMA node (HEADER_NUMA_TOPOLOGY).
#[derive(Debug, PartialEq, Eq)]
pub struct NodeDescription {
    pub node: u32,
    pub memory_kb: u64,
    pub cpus: String,
}

/// A cache (HEADER_CACHE).
#[derive(Debug, PartialEq, Eq)]
pub struct Cache {
    pub level: u32,
    /// Data, Instruction, Unified.
    pub kind: String,
    pub cpus: String,
}

/// A scheduling domain of a CPU (HEADER_CPU_DOMAIN_INFO, since perf of Linux 7.0).
#[derive(Debug, PartialEq, Eq)]
pub struct CpuDomain {
    pub cpu: u32,
    pub level: u32,
    /// Empty before version 17 of schedstat.
    pub name: String,
    /// As a list.
    pub span: String,
}

/// The clock of the stamps (HEADER_CLOCK_DATA).
#[derive(Debug, PartialEq, Eq)]
pub struct Clock {
    pub id: i32,
    /// Wall-clock time of stamp 0 (ns since 1970).
    pub epoch_ns: i64,
}

impl Features {
    pub fn insert(&mut self, number: u32, data: Vec<u8>) {
        if WANTED.contains(&number) {
            self.0.insert(number, data);
        }
    }

    /// Take what is missing from others, but for what they say of their own recording.
    pub fn add_missing(&mut self, others: Self) {
        const OF_RECORDING: [u32; 4] =
            [feature::TRACING_DATA, feature::CMDLINE, feature::DIR_FORMAT, feature::CLOCK_DATA];
        for (number, data) in others.0.into_iter().filter(|(number, _)| !OF_RECORDING.contains(number)) {
            self.0.entry(number).or_insert(data);
        }
    }

    pub fn has(&self, number: u32) -> bool {
        self.0.contains_key(&number)
    }

    pub fn bytes(&self, number: u32) -> Option<&[u8]> {
        self.0.get(&number).map(Vec::as_slice)
    }

    fn cursor(&self, number: u32, endian: Endian) -> Option<Cursor<'_>> {
        Some(Cursor::new(Bytes::new(self.bytes(number)?, endian)))
    }

    pub fn text(&self, number: u32, endian: Endian) -> Option<String> {
        self.cursor(number, endian)?.text().filter(|text| !text.is_empty())
    }

    /// How many CPUs the machine can have.
    pub fn cpus(&self, endian: Endian) -> Option<u32> {
        self.cursor(feature::NRCPUS, endian)?.u32().filter(|n| (1..=MAX_CPUS).contains(n))
    }

    pub fn command(&self, endian: Endian) -> Option<String> {
        let mut cursor = self.cursor(feature::CMDLINE, endian)?;
        let words = texts(&mut cursor)?;
        (!words.is_empty()).then(|| words.join(" "))
    }

    pub fn topology(&self, endian: Endian) -> Option<Topology> {
        let cpus = self.cpus(endian)?;
        let mut cursor = self.cursor(feature::CPU_TOPOLOGY, endian)?;
        texts(&mut cursor)?; // CPUs of a package
        let threads = texts(&mut cursor)?;
        let mut place = || Some((cursor.u32()? as i32, cursor.u32()? as i32));
        let packages: Vec<_> = (0..cpus).map_while(|_| place()).collect();
        let dies = texts(&mut cursor).unwrap_or_default(); // since 5.3
        Some(Topology { threads, packages, dies })
    }

    pub fn nodes(&self, endian: Endian) -> Option<Vec<NodeDescription>> {
        let mut cursor = self.cursor(feature::NUMA_TOPOLOGY, endian)?;
        let count = cursor.u32().filter(|&n| n <= MAX_LIST)?;
        let mut node = || {
            let (node, memory_kb, _free) = (cursor.u32()?, cursor.u64()?, cursor.u64()?);
            Some(NodeDescription { node, memory_kb, cpus: cursor.text()? })
        };
        (0..count).map(|_| node()).collect()
    }

    pub fn caches(&self, endian: Endian) -> Option<Vec<Cache>> {
        let mut cursor = self.cursor(feature::CACHE, endian)?;
        let (version, count) = (cursor.u32()?, cursor.u32().filter(|&n| n <= MAX_LIST)?);
        let mut cache = || {
            let level = cursor.u32()?;
            cursor.take(3 * 4)?; // line size, sets, ways
            let (kind, _size) = (cursor.text()?, cursor.text()?);
            Some(Cache { level, kind, cpus: cursor.text()? })
        };
        (version == 1).then(|| (0..count).map(|_| cache()).collect())?
    }

    pub fn domains(&self, endian: Endian) -> Option<Vec<CpuDomain>> {
        let mut cursor = self.cursor(feature::CPU_DOMAIN_INFO, endian)?;
        let (version, _levels) = (cursor.u32()?, cursor.u32()?);
        let mut domains = Vec::new();
        while !cursor.rest().data.is_empty() {
            let (cpu, count) = (cursor.u32()?, cursor.u32().filter(|&n| n <= MAX_LIST)?);
            for _ in 0..count {
                let level = cursor.u32()?;
                let name = if version >= 17 { cursor.text()? } else { String::new() };
                let _mask = cursor.text()?;
                domains.push(CpuDomain { cpu, level, name, span: cursor.text()? });
            }
        }
        Some(domains)
    }

    pub fn clock(&self, endian: Endian) -> Option<Clock> {
        let mut cursor = self.cursor(feature::CLOCK_DATA, endian)?;
        let (version, id) = (cursor.u32()?, cursor.u32()? as i32);
        let (wall_ns, clock_ns) = (cursor.u64()?, cursor.u64()?);
        let epoch_ns = i64::try_from(wall_ns).ok()?.checked_sub(i64::try_from(clock_ns).ok()?)?;
        (version == 1).then_some(Clock { id, epoch_ns })
    }
}

fn texts(cursor: &mut Cursor<'_>) -> Option<Vec<String>> {
    let count = cursor.u32().filter(|&n| n <= MAX_LIST)?;
    (0..count).map(|_| cursor.text()).collect()
}

/// Name of a clock (include/uapi/linux/time.h); without one it is perf's own (`local_clock` of the kernel).
pub fn clock_name(id: Option<i32>) -> String {
    match id {
        None => "perf".into(),
        Some(0) => "realtime".into(),
        Some(1) => "monotonic".into(),
        Some(4) => "monotonic_raw".into(),
        Some(7) => "boottime".into(),
        Some(11) => "tai".into(),
        Some(id) => format!("clock {id}"),
    }
}
