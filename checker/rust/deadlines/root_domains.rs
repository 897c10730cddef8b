//! Root domains: the sets of CPUs within which the scheduler moves deadline threads and admits them.

use wastenot_topology::CpuBits;

use crate::topology::{CpuIx, TracedTopology};

/// The CPUs of each root domain, and the root domain of each CPU.
///
/// kernel/sched/topology.c makes one per set of CPUs whose scheduling domains are built together, so CPUs that a domain joins are in one.
/// A CPU outside all domains is taken for one of its own, unless the trace has no domains at all: then all CPUs are in one.
#[derive(Clone, Debug)]
pub struct RootDomains {
    pub sets: Vec<CpuBits>,
    of: Vec<usize>,
}

impl RootDomains {
    pub fn new(topology: &TracedTopology) -> Self {
        let n = topology.len();
        let cpus = 0..n as CpuIx;
        let mut root: Vec<usize> = (0..n).collect();
        fn find(root: &mut [usize], mut cpu: usize) -> usize {
            while root[cpu] != cpu {
                root[cpu] = root[root[cpu]];
                cpu = root[cpu];
            }
            cpu
        }
        let tree = topology.domain_trees.first();
        let has_domains = tree.is_some_and(|tree| cpus.clone().any(|cpu| !tree.of(cpu).is_empty()));
        for cpu in cpus {
            if !has_domains && !topology.isolated[cpu as usize] {
                // The first CPU that is not isolated stands for all.
                let first = topology.isolated.iter().position(|isolated| !isolated).unwrap_or(0);
                let (a, b) = (find(&mut root, first), find(&mut root, cpu as usize));
                root[b] = a;
            }
            for domain in tree.map_or(&[][..], |tree| tree.of(cpu)) {
                for other in domain.span.iter() {
                    let (a, b) = (find(&mut root, cpu as usize), find(&mut root, other as usize));
                    root[a.max(b)] = a.min(b);
                }
            }
        }
        let mut sets: Vec<(usize, CpuBits)> = Vec::new();
        let mut of = Vec::with_capacity(n);
        for cpu in 0..n {
            let first = find(&mut root, cpu);
            let at = sets.iter().position(|(root, _)| *root == first).unwrap_or_else(|| {
                sets.push((first, CpuBits::new(n)));
                sets.len() - 1
            });
            sets[at].1.insert(cpu as u32);
            of.push(at);
        }
        Self { sets: sets.into_iter().map(|(_, set)| set).collect(), of }
    }

    /// The root domain of a CPU.
    pub fn of(&self, cpu: CpuIx) -> usize {
        self.of[cpu as usize]
    }
}
