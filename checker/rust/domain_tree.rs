//! The scheduling domains of all CPUs from an instant on, as the table `domain` has them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use wastenot_schemas::{NO_DOMAIN, SchemaMismatch, domain};
use wastenot_topology::{CpuBits, CpuIx, Topology, balance_intervals_ns};

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
#[derive(Clone, Debug, Default)]
pub struct DomainTree {
    pub since_ns: i64,
    /// Reported by the kernel; false: derived from the topology.
    pub exact: bool,
    /// Per CPU, smallest first.
    of: Vec<Vec<DomainLevel>>,
}

impl DomainTree {
    /// The trees of batches of the table `domain`, in the order of time: a set of rows with the same `since_ns` is a tree.
    pub fn from_tables(topology: &Topology, batches: &[RecordBatch]) -> Result<Vec<Self>, SchemaMismatch> {
        let n = topology.len();
        let mut spans: HashMap<CpuBits, Arc<CpuBits>> = HashMap::new();
        let mut names: HashMap<String, Arc<str>> = HashMap::new();
        let mut trees: Vec<Self> = Vec::new();
        for batch in batches {
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
                let span = CpuBits::of(n, r.span.iter().filter_map(|&c| topology.index(c)).map(u32::from));
                let span = spans.entry(span.clone()).or_insert_with(|| Arc::new(span)).clone();
                let name = names.entry(r.name.to_owned()).or_insert_with(|| r.name.into()).clone();
                let max_interval_ns = r.max_interval_ns.unwrap_or(balance_intervals_ns(span.len()).1);
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

    /// The CPUs of the group that `a` balances for in its domain at place `at`, itself perhaps not among them.
    pub fn own_group(&self, a: CpuIx, at: usize) -> impl Iterator<Item = CpuIx> {
        let below = at.checked_sub(1).map(|below| self.of(a)[below].span.iter());
        below.into_iter().flatten().map(|cpu| cpu as CpuIx)
    }

    /// The first CPU of that group, by which it is known.
    pub fn first_of_own_group(&self, a: CpuIx, at: usize) -> CpuIx {
        self.own_group(a, at).next().unwrap_or(a)
    }

    /// Whether a CPU lies in the group that `a` balances for in its domain at place `at`: what it spans one level below.
    pub fn in_own_group(&self, a: CpuIx, at: usize, cpu: CpuIx) -> bool {
        match at.checked_sub(1) {
            None => a == cpu,
            Some(below) => self.of(a)[below].span.contains(u32::from(cpu)),
        }
    }
}
