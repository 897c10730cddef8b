//! The machine as the checker needs it: dense CPU indices, distances, scheduling domains, balance intervals.
//!
//! CPUs are numbered densely (`0..n`, in the order of their kernel numbers) inside the checker; kernel numbers may have
//! holes and return only in what is written out.

use wastenot_schemas::{SchemaMismatch, cpu, distance, domain, machine, numa_node};

use arrow_array::RecordBatch;

pub use wastenot_topology::CpuIx;

/// Tick assumed where the trace does not show: HZ=250, the default of Debian's and Ubuntu's kernels.
pub const DEFAULT_TICK_NS: i64 = 4_000_000;

/// One CPU.
#[derive(Clone, Debug)]
pub struct Cpu {
    /// Kernel number.
    pub number: i16,
    pub online: bool,
    pub node: i16,
    pub llc: i32,
    pub core: i32,
    /// Relative capacity, 1024 the largest.
    pub capacity: i32,
    /// Outside all scheduling domains by configuration.
    pub isolated: bool,
}

/// One scheduling domain as one CPU sees it.
#[derive(Clone, Debug)]
pub struct Domain {
    pub name: String,
    /// CPUs spanned, ascending dense indices.
    pub span: Vec<CpuIx>,
    /// Longest time between two balance attempts of an idle CPU, ns.
    pub max_interval_ns: i64,
}

/// The machine.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    pub cpus: Vec<Cpu>,
    pub tick_ns: i64,
    by_number: Vec<CpuIx>,
    /// Distance between nodes, by node number; absent where unknown.
    node_distances: std::collections::HashMap<(i16, i16), i32>,
    /// Smallest distance between two different nodes.
    nearest_remote: Option<i32>,
    /// Per CPU, smallest domain first.
    domains: Vec<Vec<Domain>>,
    /// CPUs online at the start.
    online: i64,
}

const NO_CPU: CpuIx = CpuIx::MAX;

impl Topology {
    /// From batches of the tables cpu, numa_node, domain and machine (any may be empty; without `cpu` there are no CPUs).
    pub fn from_tables(
        cpus: &[RecordBatch],
        nodes: &[RecordBatch],
        domains: &[RecordBatch],
        machines: &[RecordBatch],
    ) -> Result<Self, SchemaMismatch> {
        let mut t = Self { tick_ns: DEFAULT_TICK_NS, ..Self::default() };
        for batch in cpus {
            let view = cpu::View::try_new(batch)?;
            t.cpus.extend((0..view.len()).map(|i| view.row(i)).map(|r| Cpu {
                number: r.cpu,
                online: r.online,
                node: r.node,
                llc: r.llc,
                core: r.core,
                capacity: r.capacity,
                isolated: r.isolated,
            }));
        }
        t.cpus.retain(|c| c.number >= 0);
        t.cpus.sort_by_key(|c| c.number);
        t.cpus.dedup_by_key(|c| c.number);
        t.online = t.cpus.iter().filter(|c| c.online).count() as i64;
        let highest = t.cpus.last().map_or(0, |c| c.number as usize + 1);
        t.by_number = vec![NO_CPU; highest];
        for (ix, c) in t.cpus.iter().enumerate() {
            t.by_number[c.number as usize] = ix as CpuIx;
        }
        for batch in machines {
            let view = machine::View::try_new(batch)?;
            if !view.is_empty() && view.row(0).tick_ns > 0 {
                t.tick_ns = view.row(0).tick_ns;
            }
        }
        t.read_nodes(nodes)?;
        t.read_domains(domains)?;
        Ok(t)
    }

    fn read_nodes(&mut self, batches: &[RecordBatch]) -> Result<(), SchemaMismatch> {
        let mut rows = Vec::new();
        for batch in batches {
            let view = numa_node::View::try_new(batch)?;
            rows.extend((0..view.len()).map(|i| (view.row(i).node, view.row(i).distances.to_vec())));
        }
        rows.sort();
        let numbers: Vec<i16> = rows.iter().map(|(n, _)| *n).collect();
        for (from, distances) in &rows {
            for (to, d) in numbers.iter().zip(distances) {
                self.node_distances.insert((*from, *to), *d);
            }
            let remote = numbers.iter().zip(distances).filter(|(to, _)| *to != from).map(|(_, d)| *d);
            self.nearest_remote = self.nearest_remote.into_iter().chain(remote).min();
        }
        Ok(())
    }

    fn read_domains(&mut self, batches: &[RecordBatch]) -> Result<(), SchemaMismatch> {
        let mut rows = Vec::new();
        for batch in batches {
            let view = domain::View::try_new(batch)?;
            for i in 0..view.len() {
                let r = view.row(i);
                let Some(cpu) = self.index(r.cpu) else { continue };
                let mut span: Vec<CpuIx> = r.span.iter().filter_map(|&c| self.index(c)).collect();
                span.sort_unstable();
                let interval = r.max_interval_ns.unwrap_or(2_000_000 * span.len() as i64);
                rows.push((
                    cpu,
                    r.level,
                    r.since_ns,
                    Domain { name: r.name.to_owned(), span, max_interval_ns: interval },
                ));
            }
        }
        // Of a domain that changed during the trace the first state is kept: intervals hardly change, spans matter to causes.
        rows.sort_by_key(|(cpu, level, since, _)| (*cpu, *level, *since));
        rows.dedup_by_key(|(cpu, level, ..)| (*cpu, *level));
        self.domains = vec![Vec::new(); self.cpus.len()];
        for (cpu, _, _, domain) in rows {
            self.domains[cpu as usize].push(domain);
        }
        Ok(())
    }

    /// Number of CPUs known.
    pub fn len(&self) -> usize {
        self.cpus.len()
    }

    /// True when no CPU is known.
    pub fn is_empty(&self) -> bool {
        self.cpus.is_empty()
    }

    /// Dense index of a kernel CPU number; None for a CPU the machine does not have.
    #[inline]
    pub fn index(&self, number: i16) -> Option<CpuIx> {
        match self.by_number.get(number as usize) {
            Some(&ix) if ix != NO_CPU => Some(ix),
            _ => None,
        }
    }

    /// Kernel number of a dense index.
    #[inline]
    pub fn number(&self, cpu: CpuIx) -> i16 {
        self.cpus[cpu as usize].number
    }

    /// Nearest topology level two CPUs share, a code of the `distance` enumeration.
    pub fn distance(&self, a: CpuIx, b: CpuIx) -> u8 {
        let (x, y) = (&self.cpus[a as usize], &self.cpus[b as usize]);
        if a == b {
            distance::SAME_CPU
        } else if x.core >= 0 && x.core == y.core {
            distance::SMT
        } else if x.llc >= 0 && x.llc == y.llc {
            distance::LLC
        } else if x.node >= 0 && x.node == y.node {
            distance::NODE
        } else if x.node < 0 || y.node < 0 {
            distance::UNKNOWN
        } else {
            match (self.node_distances.get(&(x.node, y.node)), self.nearest_remote) {
                (Some(&d), Some(nearest)) if d > nearest => distance::FAR,
                _ => distance::ONE_HOP,
            }
        }
    }

    /// Distance between the nodes of two CPUs, as the firmware says it (10: the same node); None: unknown.
    pub fn node_distance(&self, a: CpuIx, b: CpuIx) -> Option<i32> {
        self.node_distances.get(&(self.cpus[a as usize].node, self.cpus[b as usize].node)).copied()
    }

    /// The next smaller distance that two nodes have.
    pub fn next_nearer(&self, distance: i32) -> Option<i32> {
        self.node_distances.values().copied().filter(|&d| d < distance).max()
    }

    /// Rank of distance for "nearest": as [`Self::distance`], remote nodes by their NUMA distance.
    pub fn rank(&self, a: CpuIx, b: CpuIx) -> u32 {
        match self.distance(a, b) {
            distance::ONE_HOP | distance::FAR => {
                let key = (self.cpus[a as usize].node, self.cpus[b as usize].node);
                1_000 + self.node_distances.get(&key).copied().unwrap_or(0).max(0) as u32
            }
            distance::UNKNOWN => 1_000_000,
            near => u32::from(near),
        }
    }

    /// Per CPU the number of its group, from 0: CPUs of a group are equally far from each other and from any third.
    pub fn alike(&self) -> Vec<u32> {
        let mut numbers = std::collections::HashMap::new();
        let key = |cpu: &Cpu| (cpu.core, cpu.llc, cpu.node);
        self.cpus
            .iter()
            .map(|cpu| {
                let next = numbers.len() as u32;
                *numbers.entry(key(cpu)).or_insert(next)
            })
            .collect()
    }

    /// Last-level cache of a CPU; CPUs whose cache is unknown share one per node.
    pub fn llc(&self, cpu: CpuIx) -> i32 {
        let c = &self.cpus[cpu as usize];
        if c.llc >= 0 { c.llc } else { -1 - i32::from(c.node.max(0)) }
    }

    /// Whether it is known which CPUs share a last-level cache with this one.
    pub fn knows_llc(&self, cpu: CpuIx) -> bool {
        self.cpus[cpu as usize].llc >= 0
    }

    /// Lowest scheduling domain of `a` that spans `b`; None when none does or none is known.
    pub fn lowest_common_domain(&self, a: CpuIx, b: CpuIx) -> Option<&Domain> {
        self.domains.get(a as usize)?.iter().find(|d| d.span.binary_search(&b).is_ok())
    }

    /// Longest time an idle CPU may legitimately let attempt between two balance attempts over the lowest domain that it shares
    /// with `b`, at least one tick, ns. Where no domain joins the two, the interval of one over all online CPUs.
    ///
    /// The kernel doubles the interval up to its maximum while it finds balance (kernel/sched/fair.c:
    /// sched_balance_rq), so an imbalance that has just begun meets the longest.
    pub fn balance_interval_ns(&self, a: CpuIx, b: CpuIx) -> i64 {
        let everything = || 2_000_000 * self.online.max(1);
        self.lowest_common_domain(a, b).map_or_else(everything, |d| d.max_interval_ns).max(self.tick_ns)
    }
}
