//! The scheduling domains in force at an instant, as far as the trace has them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use wastenot_schemas::{SchemaMismatch, domain};

use super::kernels::Release;
use crate::topology::{CpuIx, Topology};
use wastenot_topology::CpuBits;

/// One domain as one CPU has it.
#[derive(Clone, Debug)]
pub struct DomainLevel {
    /// Its number in the kernel's hierarchy, 0 the smallest.
    pub number: i16,
    pub name: Arc<str>,
    pub span: Arc<CpuBits>,
    /// Shortest and longest time between two attempts of an idle CPU, ns.
    pub min_interval_ns: Option<i64>,
    pub max_interval_ns: i64,
    /// Imbalance from which it acts, percent.
    pub imbalance_pct: Option<i32>,
}

impl DomainLevel {
    /// It joins NUMA nodes.
    pub fn is_numa(&self) -> bool {
        self.name.starts_with("NUMA") || self.name.starts_with("ALLNODES")
    }
}

/// The domains of all CPUs from an instant on.
#[derive(Clone, Debug)]
pub struct DomainTree {
    pub since_ns: i64,
    /// Reported by the kernel; false: derived from the topology.
    pub exact: bool,
    /// Per CPU, smallest first.
    of: Vec<Vec<DomainLevel>>,
}

impl DomainTree {
    /// The domains of a CPU, smallest first.
    pub fn of(&self, cpu: CpuIx) -> &[DomainLevel] {
        &self.of[cpu as usize]
    }

    /// Place in `of(a)` of the lowest domain of `a` that spans `b`.
    pub fn common(&self, a: CpuIx, b: CpuIx) -> Option<usize> {
        self.of(a).iter().position(|d| d.span.contains(u32::from(b)))
    }

    /// The CPUs of the group that `a` balances for in its domain at place `at`, itself perhaps not among them.
    pub fn own_group(&self, a: CpuIx, at: usize) -> impl Iterator<Item = CpuIx> {
        let below = at.checked_sub(1).map(|below| self.of(a)[below].span.iter());
        below.into_iter().flatten().map(|cpu| cpu as CpuIx)
    }

    /// Whether a CPU lies in the group that `a` balances for in its domain at place `at`: what it spans one level below.
    pub fn in_own_group(&self, a: CpuIx, at: usize, cpu: CpuIx) -> bool {
        match at.checked_sub(1) {
            None => a == cpu,
            Some(below) => self.of(a)[below].span.contains(u32::from(cpu)),
        }
    }
}

/// The first release that builds groups which overlap from each CPU's own view.
pub const GROUPS_OF_EACH: Release = (4, 13);

/// Whether `a` and `b` lie in one group of a domain of `a` between nodes, as earlier kernels build groups that overlap
/// (build_overlap_sched_groups): from the first CPU of the span on, whichever CPU's domain it is, each CPU that no group has yet
/// brings what lies within the next smaller distance of it; `a` balances for the first group that has it.
pub fn built_together(topology: &Topology, span: &CpuBits, a: CpuIx, b: CpuIx) -> bool {
    let far = span.iter().filter_map(|c| topology.node_distance(a, c as CpuIx)).max();
    let Some(near) = far.and_then(|far| topology.next_nearer(far)) else { return false };
    let joins = |x: CpuIx, y: CpuIx| topology.node_distance(x, y).is_some_and(|d| d <= near);
    let mut firsts: Vec<CpuIx> = Vec::new();
    for c in span.iter().map(|c| c as CpuIx) {
        if firsts.iter().any(|&first| joins(first, c)) {
            continue;
        }
        if joins(c, a) {
            return joins(c, b);
        }
        firsts.push(c);
    }
    false
}

/// The known domains at an instant.
#[derive(Clone, Copy, Debug)]
pub enum KnownDomains<'a> {
    /// Nothing was recorded, or CPUs went off or on since.
    No,
    /// These, derived from the topology.
    Derived(&'a DomainTree),
    /// These, as reported by the kernel.
    Exact(&'a DomainTree),
}

impl<'a> KnownDomains<'a> {
    /// The domains, however they are known.
    pub fn tree(self) -> Option<&'a DomainTree> {
        match self {
            Self::No => None,
            Self::Derived(tree) | Self::Exact(tree) => Some(tree),
        }
    }
}

/// All domain trees of a trace, and when CPUs went off or on.
#[derive(Clone, Debug, Default)]
pub struct Domains {
    trees: Vec<DomainTree>,
    hotplugs: Vec<i64>,
}

/// Changes of the CPUs that are remembered one by one.
const HOTPLUGS: usize = 4096;

impl Domains {
    /// From batches of the table `domain`: a set of rows with the same `since_ns` is a tree.
    pub fn from_tables(topology: &Topology, batches: &[RecordBatch]) -> Result<Self, SchemaMismatch> {
        let n = topology.len();
        let mut spans: HashMap<CpuBits, Arc<CpuBits>> = HashMap::new();
        let mut names: HashMap<String, Arc<str>> = HashMap::new();
        let mut trees: Vec<DomainTree> = Vec::new();
        for batch in batches {
            let view = domain::View::try_new(batch)?;
            for r in (0..view.len()).map(|i| view.row(i)) {
                let Some(cpu) = topology.index(r.cpu) else { continue };
                let at = match trees.iter().position(|t| t.since_ns == r.since_ns) {
                    Some(at) => at,
                    None => {
                        trees.push(DomainTree { since_ns: r.since_ns, exact: true, of: vec![Vec::new(); n] });
                        trees.len() - 1
                    }
                };
                let span = CpuBits::of(n, r.span.iter().filter_map(|&c| topology.index(c)).map(u32::from));
                let span = spans.entry(span.clone()).or_insert_with(|| Arc::new(span)).clone();
                let name = names.entry(r.name.to_owned()).or_insert_with(|| r.name.into()).clone();
                let max_interval_ns = r.max_interval_ns.unwrap_or(2_000_000 * span.len() as i64);
                trees[at].exact &= r.exact;
                trees[at].of[cpu as usize].push(DomainLevel {
                    number: r.level,
                    name,
                    span,
                    min_interval_ns: r.min_interval_ns,
                    max_interval_ns,
                    imbalance_pct: r.imbalance_pct,
                });
            }
        }
        trees.sort_by_key(|t| t.since_ns);
        for levels in trees.iter_mut().flat_map(|t| &mut t.of) {
            levels.sort_by_key(|d| d.number);
        }
        Ok(Self { trees, hotplugs: Vec::new() })
    }

    /// A CPU went off or on: the kernel builds its domains anew.
    pub fn hotplug(&mut self, now: i64) {
        if self.hotplugs.len() == HOTPLUGS {
            self.hotplugs.remove(0);
        }
        self.hotplugs.push(now);
    }

    /// The domains in force at `t`. What was recorded before CPUs went off or on is not in force any more.
    pub fn at(&self, t: i64) -> KnownDomains<'_> {
        let after = self.trees.partition_point(|tree| tree.since_ns <= t);
        let Some(tree) = after.checked_sub(1).map(|at| &self.trees[at]).or_else(|| self.trees.first()) else {
            return KnownDomains::No;
        };
        if self.hotplugs.iter().any(|&h| tree.since_ns < h && h <= t) {
            return KnownDomains::No;
        }
        if tree.exact { KnownDomains::Exact(tree) } else { KnownDomains::Derived(tree) }
    }
}
