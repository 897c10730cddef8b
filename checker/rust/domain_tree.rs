//! The scheduling domains of all CPUs from an instant on, as the table `domain` has them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use wastenot_schemas::{NO_DOMAIN, SchemaMismatch, domain, domain_group};
use wastenot_topology::{CpuBits, CpuIx, Topology, balance_intervals_ns};

/// One domain as one CPU has it.
#[derive(Clone, Debug)]
pub struct DomainLevel {
    /// Its number in the kernel's hierarchy, 0 the smallest.
    pub number: i16,
    pub name: Arc<str>,
    /// SD_* flags; None: not recorded.
    pub flags: Option<Arc<str>>,
    pub span: Arc<CpuBits>,
    /// Shortest and longest time between two attempts of an idle CPU, ns.
    pub min_interval_ns: Option<i64>,
    pub max_interval_ns: i64,
    /// Imbalance from which it acts, percent.
    pub imbalance_pct: Option<i32>,
    /// As the kernel has them; empty: not recorded.
    pub groups: Vec<Arc<CpuBits>>,
    /// Place of the one that the CPU balances for.
    own: Option<usize>,
}

impl DomainLevel {
    /// Whether the groups keep what waits on `queue` from the idle CPU, whose domain this is: an attempt takes threads only out of groups that
    /// do not have the CPU it is for (update_sd_lb_stats). None: they are not recorded.
    pub fn hides(&self, idle: CpuIx, queue: CpuIx) -> Option<bool> {
        let mut of_queue = self.groups.iter().filter(|group| group.contains(queue.into()));
        (!self.groups.is_empty()).then(|| of_queue.all(|group| group.contains(idle.into())))
    }

    /// The group that the CPU balances for, where it is recorded.
    pub fn recorded_group(&self) -> Option<&CpuBits> {
        self.own.map(|own| &*self.groups[own])
    }

    /// It joins CPUs of one last-level cache (SD_SHARE_LLC, SD_SHARE_PKG_RESOURCES before 6.9); where flags are not recorded, by its name.
    pub fn shares_cache(&self) -> bool {
        self.flag(&["SD_SHARE_LLC", "SD_SHARE_PKG_RESOURCES"])
            .unwrap_or_else(|| ["SMT", "CLS", "CLUSTER", "MC"].iter().any(|name| self.name.starts_with(name)))
    }

    /// Its CPUs differ in capacity (SD_ASYM_CPUCAPACITY); None: flags are not recorded.
    pub fn has_asymmetric_capacities(&self) -> Option<bool> {
        let known = self.flags.as_deref().is_some_and(|flags| !flags.is_empty());
        self.flag(&["SD_ASYM_CPUCAPACITY", "SD_ASYM_CPUCAPACITY_FULL"]).filter(|_| known)
    }

    /// An attempt over the next wider domain spreads threads over groups like this one; where flags are not recorded, as sd_init sets them.
    pub fn prefers_sibling(&self) -> bool {
        self.flag(&["SD_PREFER_SIBLING"]).unwrap_or(!self.is_numa())
    }

    fn flag(&self, any_of: &[&str]) -> Option<bool> {
        self.flags.as_deref().map(|flags| flags.split_whitespace().any(|flag| any_of.contains(&flag)))
    }

    /// It joins NUMA nodes.
    pub fn is_numa(&self) -> bool {
        self.name.starts_with("NUMA") || self.name.starts_with("ALLNODES")
    }
}

/// The domains of all CPUs from an instant on.
#[derive(Clone, Debug, Default)]
pub struct DomainTree {
    pub since_ns: i64,
    /// Reported by the kernel; false: derived from the topology.
    pub exact: bool,
    /// Per CPU, smallest first.
    of: Vec<Vec<DomainLevel>>,
}

impl DomainTree {
    /// The trees of batches of the tables `domain` and `domain_group`, in the order of time: a set of rows with the same `since_ns` is
    /// a tree.
    pub fn from_tables(
        topology: &Topology,
        domains: &[RecordBatch],
        groups: &[RecordBatch],
    ) -> Result<Vec<Self>, SchemaMismatch> {
        let n = topology.len();
        let mut sets: HashMap<CpuBits, Arc<CpuBits>> = HashMap::new();
        let mut shared = |cpus: &[i16]| {
            let set = CpuBits::of(n, cpus.iter().filter_map(|&c| topology.index(c)).map(u32::from));
            sets.entry(set.clone()).or_insert_with(|| Arc::new(set)).clone()
        };
        let mut names: HashMap<String, Arc<str>> = HashMap::new();
        let mut trees: Vec<Self> = Vec::new();
        for batch in domains {
            let view = domain::View::try_new(batch)?;
            for r in (0..view.len()).map(|i| view.row(i)) {
                let Some(cpu) = topology.index(r.cpu) else { continue };
                let at = match trees.iter().position(|t| t.since_ns == r.since_ns) {
                    Some(at) => at,
                    None => {
                        trees.push(Self { since_ns: r.since_ns, exact: true, of: vec![Vec::new(); n] });
                        trees.len() - 1
                    }
                };
                trees[at].exact &= r.exact;
                if r.name == NO_DOMAIN {
                    continue;
                }
                let span = shared(r.span);
                let name = names.entry(r.name.to_owned()).or_insert_with(|| r.name.into()).clone();
                let max_interval_ns = r.max_interval_ns.unwrap_or(balance_intervals_ns(span.len()).1);
                trees[at].of[cpu as usize].push(DomainLevel {
                    number: r.level,
                    name,
                    flags: r.flags.map(|flags| names.entry(flags.to_owned()).or_insert_with(|| flags.into()).clone()),
                    span,
                    min_interval_ns: r.min_interval_ns,
                    max_interval_ns,
                    imbalance_pct: r.imbalance_pct,
                    groups: Vec::new(),
                    own: None,
                });
            }
        }
        for batch in groups {
            let view = domain_group::View::try_new(batch)?;
            for r in (0..view.len()).map(|i| view.row(i)) {
                let tree = trees.iter_mut().find(|t| t.since_ns == r.since_ns);
                let levels = tree.zip(topology.index(r.cpu)).map(|(tree, cpu)| &mut tree.of[cpu as usize]);
                let Some(level) = levels.and_then(|of| of.iter_mut().find(|d| d.number == r.level)) else { continue };
                if r.own {
                    level.own = Some(level.groups.len());
                }
                level.groups.push(shared(r.cpus));
            }
        }
        trees.sort_by_key(|t| t.since_ns);
        for levels in trees.iter_mut().flat_map(|t| &mut t.of) {
            levels.sort_by_key(|d| d.number);
        }
        Ok(trees)
    }

    /// No domain of any of `cpus` CPUs.
    pub fn without_domains(cpus: usize) -> Self {
        Self { of: vec![Vec::new(); cpus], ..Self::default() }
    }

    /// The domains of a CPU, smallest first.
    pub fn of(&self, cpu: CpuIx) -> &[DomainLevel] {
        &self.of[cpu as usize]
    }

    /// Place in `of(a)` of the lowest domain of `a` that spans `b`.
    pub fn common(&self, a: CpuIx, b: CpuIx) -> Option<usize> {
        self.of(a).iter().position(|d| d.span.contains(u32::from(b)))
    }

    /// The CPUs of the group that `a` balances for in its domain at place `at`, itself perhaps not among them: as recorded, else what it
    /// spans one level below.
    pub fn own_group(&self, a: CpuIx, at: usize) -> impl Iterator<Item = CpuIx> {
        let below = || at.checked_sub(1).map(|below| &*self.of(a)[below].span);
        let group = self.of(a)[at].recorded_group().or_else(below);
        group.into_iter().flat_map(CpuBits::iter).map(|cpu| cpu as CpuIx)
    }

    /// The first CPU of that group, by which it is known.
    pub fn first_of_own_group(&self, a: CpuIx, at: usize) -> CpuIx {
        self.own_group(a, at).next().unwrap_or(a)
    }

    /// Whether two CPUs balance for the same group in their domains at place `at`: where groups overlap, one may lie in the other's and
    /// have another one itself.
    pub fn same_group(&self, a: CpuIx, b: CpuIx, at: usize) -> bool {
        self.own_group(a, at).eq(self.own_group(b, at))
    }

    /// Whether a CPU lies in the group that `a` balances for in its domain at place `at`; see [`Self::own_group`].
    pub fn in_own_group(&self, a: CpuIx, at: usize, cpu: CpuIx) -> bool {
        match (self.of(a)[at].recorded_group(), at.checked_sub(1)) {
            (Some(group), _) => group.contains(u32::from(cpu)),
            (None, None) => a == cpu,
            (None, Some(below)) => self.of(a)[below].span.contains(u32::from(cpu)),
        }
    }
}
