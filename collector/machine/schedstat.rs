//! The load balancer's counters of /proc/schedstat, versions 15 to 17 (kernel/sched/stats.c: `show_schedstat`;
//! Documentation/scheduler/sched-stats.rst).
//!
//! A domain's line has eight numbers per idle type (eleven from version 17 on, which splits `lb_imbalance` in four), then
//! twelve more. Version 15 begins with the idle type, the later ones with the busy one. Only the kernel's own sums are read
//! here: they grow while `kernel.sched_schedstats` is 1, start again when domains are rebuilt, and are 32 bits wide in
//! all but the imbalance.

use wastenot_topology::CpuSet;

/// Counters of a domain, in the order of the columns of the table `schedstat`.
pub const COUNTERS: [&str; 30] = [
    "busy_lb_count",
    "busy_lb_balanced",
    "busy_lb_failed",
    "busy_lb_imbalance",
    "busy_lb_gained",
    "busy_lb_hot_gained",
    "busy_lb_nobusyq",
    "busy_lb_nobusyg",
    "idle_lb_count",
    "idle_lb_balanced",
    "idle_lb_failed",
    "idle_lb_imbalance",
    "idle_lb_gained",
    "idle_lb_hot_gained",
    "idle_lb_nobusyq",
    "idle_lb_nobusyg",
    "newidle_lb_count",
    "newidle_lb_balanced",
    "newidle_lb_failed",
    "newidle_lb_imbalance",
    "newidle_lb_gained",
    "newidle_lb_hot_gained",
    "newidle_lb_nobusyq",
    "newidle_lb_nobusyg",
    "alb_count",
    "alb_failed",
    "alb_pushed",
    "ttwu_wake_remote",
    "ttwu_move_affine",
    "ttwu_move_balance",
];

/// Columns of one idle type.
const PER_TYPE: usize = 8;
/// Place of `lb_imbalance` among them.
const IMBALANCE: usize = 3;
/// Numbers that end a line: alb_*, sbe_*, sbf_* (both unused), ttwu_*.
const TAIL: usize = 12;

/// Counters of one domain of one CPU, as [`COUNTERS`].
pub type Counters = [u64; COUNTERS.len()];

/// A domain of a CPU and its counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainCounters {
    /// The CPU whose domain it is.
    pub cpu: u32,
    /// 0 the smallest.
    pub level: u16,
    /// MC, NUMA ...; empty where it is not reported (before version 17).
    pub name: String,
    /// The CPUs it spans.
    pub span: CpuSet,
    /// As [`COUNTERS`].
    pub counters: Counters,
}

/// The text is not what the kernel writes, or of a version not known here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchedstatError {
    /// Line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

impl std::fmt::Display for SchedstatError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "/proc/schedstat: line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for SchedstatError {}

/// The domains of a text of /proc/schedstat, in its order: CPUs as they are numbered, levels from the smallest.
pub fn parse(text: &str) -> Result<Vec<DomainCounters>, SchedstatError> {
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    let bad = |line: usize, why: &str| SchedstatError { line, why: why.to_owned() };
    let version = lines.next().and_then(|(_, line)| line.strip_prefix("version ")?.trim().parse::<u32>().ok());
    let version = version.ok_or_else(|| bad(1, "no version"))?;
    if !(15..=17).contains(&version) {
        return Err(bad(1, &format!("version {version}: 15, 16 and 17 are known")));
    }
    let mut cpu = None;
    let mut domains: Vec<DomainCounters> = Vec::new();
    for (number, line) in lines {
        let mut words = line.split_ascii_whitespace();
        let Some(key) = words.next() else { continue };
        if let Some(digits) = key.strip_prefix("cpu") {
            cpu = Some(digits.parse().map_err(|_| bad(number, "not a CPU number"))?);
        } else if let Some(level) = key.strip_prefix("domain") {
            let level = level.parse().map_err(|_| bad(number, "not a domain number"))?;
            let cpu = cpu.ok_or_else(|| bad(number, "a domain before the line of its CPU"))?;
            let name = if version >= 17 { words.next().ok_or_else(|| bad(number, "no domain name"))? } else { "" };
            let span = words.next().and_then(|mask| CpuSet::parse_mask(mask).ok());
            let span = span.ok_or_else(|| bad(number, "not a mask of CPUs"))?;
            let numbers: Result<Vec<u64>, _> = words.map(str::parse).collect();
            let numbers = numbers.map_err(|_| bad(number, "not a number"))?;
            let counters = arrange(version, &numbers).ok_or_else(|| bad(number, "too few or too many numbers"))?;
            domains.push(DomainCounters { cpu, level, name: name.to_owned(), span, counters });
        }
    }
    Ok(domains)
}

/// The numbers of a domain's line, as version `version` orders them, in the order of [`COUNTERS`]. None: they are not as
/// many as that version has. (Where the imbalance is split in four, its sum: what the one number was before.)
pub fn arrange(version: u32, numbers: &[u64]) -> Option<Counters> {
    let split = if version >= 17 { 4 } else { 1 };
    let stride = PER_TYPE - 1 + split;
    if numbers.len() != 3 * stride + TAIL {
        return None;
    }
    let mut counters = [0; COUNTERS.len()];
    for (place, group) in numbers.chunks_exact(stride).take(3).enumerate() {
        // busy, idle, newly idle; in version 15 the first two change places.
        let of_type = if version == 15 && place < 2 { 1 - place } else { place };
        let to = &mut counters[of_type * PER_TYPE..][..PER_TYPE];
        to[..IMBALANCE].copy_from_slice(&group[..IMBALANCE]);
        to[IMBALANCE] = group[IMBALANCE..][..split].iter().fold(0, |sum: u64, n| sum.wrapping_add(*n));
        to[IMBALANCE + 1..].copy_from_slice(&group[IMBALANCE + split..]);
    }
    let tail = &numbers[3 * stride..];
    counters[3 * PER_TYPE..][..3].copy_from_slice(&tail[..3]);
    counters[3 * PER_TYPE + 3..].copy_from_slice(&tail[TAIL - 3..]);
    Some(counters)
}

/// What a domain counted between two readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delta {
    /// The CPU.
    pub cpu: u32,
    /// Its domain.
    pub level: u16,
    /// The domain was built anew meanwhile: what it counted since; what it counted before is lost.
    pub restarted: bool,
    /// As [`COUNTERS`].
    pub counters: Counters,
}

/// What changed from one reading to the next: domains that counted nothing are left out. A domain that is new, spans other
/// CPUs or counts less than before was built anew; so were those whose CPU has lost a level.
pub fn deltas(before: &[DomainCounters], after: &[DomainCounters]) -> Vec<Delta> {
    let mut old = before.iter().peekable();
    let mut changed = Vec::new();
    for now in after {
        while old.next_if(|d| (d.cpu, d.level) < (now.cpu, now.level)).is_some() {}
        let was = old.next_if(|d| (d.cpu, d.level) == (now.cpu, now.level)).filter(|was| was.span == now.span);
        // The sum of imbalances may run over; what is counted does not.
        let counts = |i: &usize| !(i / PER_TYPE < 3 && i % PER_TYPE == IMBALANCE);
        let grew =
            |was: &&DomainCounters| (0..COUNTERS.len()).filter(counts).all(|i| was.counters[i] <= now.counters[i]);
        let (restarted, base) = match was.filter(grew) {
            Some(was) => (false, was.counters),
            None => (true, [0; COUNTERS.len()]),
        };
        let mut counters = [0; COUNTERS.len()];
        for (i, counter) in counters.iter_mut().enumerate() {
            *counter = now.counters[i].wrapping_sub(base[i]);
            if !counts(&i) {
                *counter &= u64::from(u32::MAX);
            }
        }
        if restarted || counters.iter().any(|c| *c > 0) {
            changed.push(Delta { cpu: now.cpu, level: now.level, restarted, counters });
        }
    }
    changed
}
