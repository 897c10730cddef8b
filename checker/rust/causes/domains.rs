//! The scheduling domains in force at an instant, as far as the trace has them.

use super::kernels::Release;
use crate::domain_tree::DomainTree;
use wastenot_topology::{CpuBits, CpuIx, Topology, domain_groups};

/// The first release that builds groups which overlap from each CPU's own view.
pub const GROUPS_OF_EACH: Release = (4, 13);

/// Whether `a` and `b` lie in one group of a domain of `a` between nodes, as earlier kernels build groups that overlap
/// (build_overlap_sched_groups): from the first CPU of the span on, whichever CPU's domain it is, each CPU that no group has yet
/// brings what lies within the next smaller distance of it; `a` balances for the first group that has it.
pub fn built_together(topology: &Topology, span: &CpuBits, a: CpuIx, b: CpuIx) -> bool {
    let far = span.iter().filter_map(|c| topology.node_distance(a, c as CpuIx)).max();
    let Some(near) = far.and_then(|far| topology.next_nearer(far)) else { return false };
    let joins = |x: CpuIx, y: CpuIx| topology.node_distance(x, y).is_some_and(|d| d <= near);
    let own_group =
        |c: u32| CpuBits::of(topology.len(), span.iter().filter(|&other| joins(c as CpuIx, other as CpuIx)));
    let group = domain_groups(span.iter(), own_group).find(|group| group.contains(a.into()));
    group.is_some_and(|group| group.contains(b.into()))
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
pub struct DomainHistory {
    trees: Vec<DomainTree>,
    hotplugs: Vec<i64>,
}

/// Sets of domains that are remembered of a trace that goes on.
const PUSHED: usize = 256;

/// Changes of the CPUs that are remembered one by one.
const HOTPLUGS: usize = 4096;

impl DomainHistory {
    /// Of these trees, which are in the order of time.
    pub fn new(trees: Vec<DomainTree>) -> Self {
        Self { trees, hotplugs: Vec::new() }
    }

    /// Domains that were built anew. Of very many such sets the oldest is forgotten.
    pub fn push(&mut self, tree: DomainTree) {
        if self.trees.len() >= PUSHED {
            self.trees.remove(0);
        }
        self.trees.insert(self.after(tree.since_ns), tree);
    }

    /// What is known of the domains is the same at all times.
    pub fn is_constant(&self) -> bool {
        self.trees.len() < 2 && self.hotplugs.is_empty()
    }

    /// A CPU went off or on: the kernel builds its domains anew.
    pub fn hotplug(&mut self, now: i64) {
        if self.hotplugs.len() == HOTPLUGS {
            self.hotplugs.remove(0);
        }
        self.hotplugs.push(now);
    }

    /// The instant from which the domains hold that are in force for most of the time from `from` to `to`, and whether others are in
    /// force for a part of it that would answer differently of two CPUs.
    pub fn mostly(&self, from: i64, to: i64, pair: (CpuIx, CpuIx)) -> (i64, bool) {
        let (first, last) = (self.after(from), self.after(to.saturating_sub(1)));
        if first == last {
            return (from, false);
        }
        let starts = || std::iter::once(from).chain(self.trees[first..last].iter().map(|tree| tree.since_ns));
        let ends = starts().skip(1).chain([to]);
        let (_, most) = starts().zip(ends).map(|(start, end)| (end - start, start)).max().unwrap_or((0, from));
        let joined_by =
            |t: i64| self.at(t).tree().map(|tree| tree.common(pair.0, pair.1).map(|at| &tree.of(pair.0)[at].span));
        (most, starts().any(|t| joined_by(t) != joined_by(most)))
    }

    /// Number of sets that hold from `t` or before.
    fn after(&self, t: i64) -> usize {
        self.trees.partition_point(|tree| tree.since_ns <= t)
    }

    /// The domains in force at `t`. What was recorded before CPUs went off or on is not in force any more.
    pub fn at(&self, t: i64) -> KnownDomains<'_> {
        let Some(tree) = self.after(t).checked_sub(1).map(|at| &self.trees[at]).or_else(|| self.trees.first()) else {
            return KnownDomains::No;
        };
        if self.hotplugs.iter().any(|&h| tree.since_ns < h && h <= t) {
            return KnownDomains::No;
        }
        if tree.exact { KnownDomains::Exact(tree) } else { KnownDomains::Derived(tree) }
    }
}
