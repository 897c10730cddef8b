//! What an attempt that moved no thread concluded, from the loads it saw and the rules of its release.
//!
//! Source: kernel/sched/fair.c: update_sd_lb_stats, find_busiest_group, calculate_imbalance; of 4.1 .. 5.4 by average loads,
//! from 5.5 on by types of groups; adjust_numa_imbalance from 5.7 on.

use super::balance_attempt::AttemptResult;
use super::balancer_log::SeenCpu;
use super::kernels::Release;
use crate::domain_tree::{DomainLevel, DomainTree};
use crate::topology::CpuIx;
use wastenot_topology::CpuBits;

/// Releases from which groups are compared by their types.
pub const GROUP_TYPES: Release = (5, 5);
/// Releases from which threads of groups that prefer siblings are counted by core (sibling_imbalance).
const BY_CORES: Release = (6, 6);
/// Releases from which a NUMA domain allows an imbalance of a few threads.
const NUMA_ALLOWANCE: Release = (5, 7);

/// A group as the attempt saw it.
#[derive(Clone, Copy, Debug, Default)]
struct CpuGroup {
    cpus: i64,
    load: i64,
    running: i64,
    waiting: i64,
    idle: i64,
    /// So many of its CPUs have what follows.
    used: i64,
    util: i64,
    runnable: i64,
    capacity: i64,
}

/// How full a group is (group_type, from 5.5 on); the kernel compares them in this order. Of the types between these an attempt knows more
/// than loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum GroupType {
    HasSpare,
    FullyBusy,
    Overloaded,
}

impl CpuGroup {
    fn add(&mut self, seen: &SeenCpu) {
        self.cpus += 1;
        self.load += seen.load;
        self.running += i64::from(seen.running);
        self.waiting += i64::from(seen.running - 1).max(0);
        self.idle += i64::from(seen.running == 0);
        if let Some(used) = seen.used {
            self.used += 1;
            self.util += used.util;
            self.runnable += used.runnable.unwrap_or(0);
            self.capacity += used.capacity;
        }
    }

    /// group_is_overloaded, group_has_capacity. Where what ran and waited is not counted it is 0, which decides nothing.
    fn type_by(&self, pct: i64) -> Option<GroupType> {
        let is_waited_for = self.capacity * pct < self.runnable * 100;
        (self.used == self.cpus).then_some(
            if self.running > self.cpus && (self.capacity * 100 < self.util * pct || is_waited_for) {
                GroupType::Overloaded
            } else if self.running < self.cpus || !is_waited_for && self.capacity * 100 > self.util * pct {
                GroupType::HasSpare
            } else {
                GroupType::FullyBusy
            },
        )
    }

    /// Load per 1024 of capacity.
    fn load_of_capacity(&self) -> i64 {
        self.load * 1024 / self.capacity.max(1)
    }

    /// Load per CPU, times 1024.
    fn average(&self) -> i64 {
        self.load * 1024 / self.cpus.max(1)
    }
}

/// What an attempt for `dst` over its domain at place `at` had to make of these loads.
pub fn result_from_loads(
    tree: &DomainTree,
    dst: CpuIx,
    at: usize,
    newly_idle: bool,
    loads: &[SeenCpu],
    release: Option<Release>,
) -> AttemptResult {
    let level = &tree.of(dst)[at];
    let (local, others) =
        if level.groups.is_empty() { derived_groups(tree, dst, at, loads) } else { recorded_groups(level, dst, loads) };
    if local.cpus == 0 || others.is_empty() {
        return AttemptResult::Unknown;
    }
    if !others.iter().any(|g| g.waiting > 0) {
        return AttemptResult::NothingThere;
    }
    if local.idle == 0 {
        return AttemptResult::Unknown;
    }
    // Loads without numbers of threads explain nothing.
    if others.iter().any(|g| g.waiting > 0 && g.load == 0) {
        return AttemptResult::Unexplained;
    }
    let Some(release) = release else { return AttemptResult::Unknown };
    if release < GROUP_TYPES {
        return by_averages(level, local, &others);
    }
    let is_whole = loads.iter().filter(|seen| level.span.contains(seen.cpu.into())).count() == level.span.len();
    let prefer_sibling = at.checked_sub(1).is_some_and(|below| tree.of(dst)[below].prefers_sibling());
    // A CPU about to idle still runs what it switches from (idle_cpu).
    let newly = i64::from(newly_idle && loads.iter().any(|seen| seen.cpu == dst && seen.running == 0));
    let local_then = CpuGroup { idle: local.idle - newly, ..local };
    is_whole
        .then(|| by_recorded_types(level, prefer_sibling, local_then, &others, release))
        .flatten()
        .unwrap_or_else(|| by_types(level, local, &others, release))
}

/// The last group with `dst`, and those without it, of a domain whose groups are recorded (update_sd_lb_stats); a CPU counts in each that
/// has it.
fn recorded_groups(level: &DomainLevel, dst: CpuIx, loads: &[SeenCpu]) -> (CpuGroup, Vec<CpuGroup>) {
    let sum = |group: &CpuBits| {
        let mut sum = CpuGroup::default();
        loads.iter().filter(|seen| group.contains(seen.cpu.into())).for_each(|seen| sum.add(seen));
        sum
    };
    let (local, others): (Vec<_>, Vec<_>) = level.groups.iter().partition(|group| group.contains(dst.into()));
    let local = local.last().map_or_else(CpuGroup::default, |group| sum(group));
    (local, others.into_iter().map(|group| sum(group)).filter(|group| group.cpus > 0).collect())
}

/// The same of a domain whose groups are what its CPUs span one level below.
fn derived_groups(tree: &DomainTree, dst: CpuIx, at: usize, loads: &[SeenCpu]) -> (CpuGroup, Vec<CpuGroup>) {
    let level = &tree.of(dst)[at];
    let mut local = CpuGroup::default();
    let mut others: Vec<(CpuIx, CpuGroup)> = Vec::new();
    for seen in loads.iter().filter(|seen| level.span.contains(seen.cpu.into())) {
        if tree.in_own_group(dst, at, seen.cpu) {
            local.add(seen);
            continue;
        }
        match others.iter_mut().find(|(of, _)| group_of(tree, *of, level, seen.cpu)) {
            Some((_, group)) => group.add(seen),
            None => {
                let mut group = CpuGroup::default();
                group.add(seen);
                others.push((seen.cpu, group));
            }
        }
    }
    (local, others.into_iter().map(|(_, group)| group).collect())
}

/// `cpu` lies in the group of `of` within the domain.
fn group_of(tree: &DomainTree, of: CpuIx, level: &DomainLevel, cpu: CpuIx) -> bool {
    let below = tree.of(of).iter().rev().find(|d| d.span.len() < level.span.len());
    below.map_or(of == cpu, |d| d.span.contains(u32::from(cpu)))
}

fn by_averages(level: &DomainLevel, local: CpuGroup, others: &[CpuGroup]) -> AttemptResult {
    let busiest = others.iter().max_by_key(|g| (g.running > g.cpus, g.average())).copied().unwrap_or_default();
    let all = others.iter().fold(local, |sum, g| CpuGroup { cpus: sum.cpus + g.cpus, load: sum.load + g.load, ..sum });
    if local.average() >= busiest.average() || local.average() >= all.average() {
        return AttemptResult::Averages;
    }
    if is_below(level, local, busiest) || is_small(local, busiest) {
        return AttemptResult::Allowed;
    }
    AttemptResult::Unexplained
}

/// What the release makes of the types of the groups, where what their CPUs were used for is recorded
/// (sched_balance_find_src_group, find_busiest_group before 6.10; calculate_imbalance). None: it had to act, or too little is known.
fn by_recorded_types(
    level: &DomainLevel,
    prefer_sibling: bool,
    local: CpuGroup,
    others: &[CpuGroup],
    release: Release,
) -> Option<AttemptResult> {
    let pct = i64::from(level.imbalance_pct.unwrap_or(117));
    let here = local.type_by(pct)?;
    let typed: Option<Vec<_>> = others.iter().map(|group| Some((group.type_by(pct)?, *group))).collect();
    let key = |(kind, group): &(GroupType, CpuGroup)| match kind {
        GroupType::HasSpare => (*kind, -group.idle, group.running),
        GroupType::FullyBusy => (*kind, 0, 0),
        GroupType::Overloaded => (*kind, group.load_of_capacity(), 0),
    };
    // Of equal ones the first: max_by_key gives the last.
    let (there, busiest) = typed?.into_iter().rev().filter(|(_, group)| group.running > 0).max_by_key(key)?;
    let all = others.iter().fold((local.load, local.capacity), |sum, g| (sum.0 + g.load, sum.1 + g.capacity));
    let (average, above) = (local.load_of_capacity(), busiest.load_of_capacity());
    let is_hidden = average >= above || average >= all.0 * 1024 / all.1.max(1);
    let more = busiest.running - local.running;
    match (here, there) {
        // It takes from no group of a lower type, and of two busy ones only from one that is overloaded.
        _ if here > there => Some(AttemptResult::Unexplained),
        (GroupType::FullyBusy, GroupType::FullyBusy) => Some(AttemptResult::Unexplained),
        (GroupType::Overloaded, _) if is_hidden => Some(AttemptResult::Averages),
        (GroupType::Overloaded, _) => (100 * above <= pct * average).then_some(AttemptResult::Allowed),
        (GroupType::FullyBusy, _) => is_hidden.then_some(AttemptResult::Averages),
        // Between caches it takes what fills the spare capacity.
        (GroupType::HasSpare, GroupType::Overloaded) if !level.shares_cache() => None,
        (GroupType::HasSpare, _) => {
            let spreads = prefer_sibling && (release < BY_CORES || busiest.cpus == local.cpus);
            if prefer_sibling && !spreads {
                return None;
            }
            let is_even = busiest.cpus > 1 && local.idle <= busiest.idle + 1;
            if there != GroupType::Overloaded && !(spreads && more > 1) {
                if is_even {
                    return Some(AttemptResult::Allowed);
                }
                if busiest.running == 1 {
                    return Some(AttemptResult::Unexplained);
                }
            }
            let more = if busiest.cpus == 1 || spreads { more } else { local.idle - busiest.idle };
            if level.is_numa() && release >= NUMA_ALLOWANCE && is_numa_allowed(local, busiest, more, release)? {
                return Some(AttemptResult::NumaAllowed);
            }
            (more <= 1).then_some(AttemptResult::Allowed)
        }
    }
}

/// Whether the release lets nodes differ by this many threads or idle CPUs (adjust_numa_imbalance: NUMA_IMBALANCE_MIN). None: from 5.11 to
/// 5.17 it compares other figures, which were not read.
fn is_numa_allowed(local: CpuGroup, busiest: CpuGroup, more: i64, release: Release) -> Option<bool> {
    let is_few = is_numa_few(local, busiest, release);
    match release {
        (5, ..=10) => Some(is_few),
        (5, ..=17) => None,
        (5, _) => Some(is_few && more / 2 <= 2),
        _ => Some(is_few && more <= 2),
    }
}

fn by_types(level: &DomainLevel, local: CpuGroup, others: &[CpuGroup], release: Release) -> AttemptResult {
    let busiest =
        others.iter().max_by_key(|g| (g.running > g.cpus, g.waiting > 0, g.average())).copied().unwrap_or_default();
    if level.is_numa() && release >= NUMA_ALLOWANCE && local.running < (local.cpus / 4).max(1) {
        let is_allowed = is_numa_few(local, busiest, release) && is_numa_small(local, busiest);
        return if is_allowed { AttemptResult::NumaAllowed } else { AttemptResult::NumaFew };
    }
    // A group of one CPU with two threads is never too small a difference.
    if busiest.cpus > 1 && is_small(local, busiest) {
        return AttemptResult::Allowed;
    }
    // No rule of these releases: but one that compares averages would find balance here.
    if busiest.running > busiest.cpus && local.average() >= busiest.average() {
        return AttemptResult::Averages;
    }
    if is_below(level, local, busiest) {
        return AttemptResult::Allowed;
    }
    AttemptResult::Unexplained
}

/// So few threads run here (or there, up to 5.10) that the kernel lets nodes differ at all (allow_numa_imbalance): a quarter of the
/// node, from 5.18 on `imb_numa_nr`, the one that runs next counted, which is an eighth of a node of one cache; of several no less.
fn is_numa_few(local: CpuGroup, busiest: CpuGroup, release: Release) -> bool {
    match release {
        (5, ..=10) => busiest.running <= 2,
        (5, ..=17) => local.running < local.cpus / 4,
        _ => local.running < (local.cpus / 8).max(1),
    }
}

/// A pair of threads and no overloaded group, as the kernel allows it between nodes (NUMA_IMBALANCE_MIN).
fn is_numa_small(local: CpuGroup, busiest: CpuGroup) -> bool {
    busiest.running <= busiest.cpus && (busiest.running - local.running) / 2 <= 2
}

/// The imbalance is below the domain's `imbalance_pct`.
fn is_below(level: &DomainLevel, local: CpuGroup, busiest: CpuGroup) -> bool {
    let pct = i64::from(level.imbalance_pct.unwrap_or(117));
    100 * busiest.average() <= pct * local.average()
}

/// One thread waits there for one CPU here: half of the difference is less than a thread.
fn is_small(local: CpuGroup, busiest: CpuGroup) -> bool {
    local.idle <= busiest.idle + 1 && (busiest.waiting <= 1 || busiest.running <= busiest.cpus)
}
