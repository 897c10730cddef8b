//! The machine as rows of the entity tables.

use crate::model::{Domain, Machine};
use arrow_array::RecordBatch;
use wastenot_schemas::{NO_DOMAIN, cpu, domain, domain_group, machine, numa_node};
use wastenot_topology::{Cpu, CpuSet};

/// Rows per batch at most: what DuckDB takes as one row group.
const BATCH_ROWS: usize = 122_880;
/// CPUs in the spans of one batch at most: thousands of CPUs that each span thousands make long lists.
const BATCH_SPAN_CPUS: usize = 8 << 20;

/// A batch with its table.
pub type NamedBatch = (&'static str, RecordBatch);

impl Machine {
    /// Rows of `machine`, `cpu`, `numa_node`, `domain` and `domain_group` (these holding from `since_ns`), each with its table.
    ///
    /// A domain becomes one row per CPU that has it. `exact` is true when the kernel reported both its span and its
    /// parameters.
    pub fn batches(&self, since_ns: i64) -> Vec<NamedBatch> {
        let mut batches = vec![
            (machine::NAME, self.machine_batch()),
            (cpu::NAME, self.cpu_batch()),
            (numa_node::NAME, self.node_batch()),
        ];
        let domains = match self.has_reported_domains() {
            true => self.changed_domains(&self.domains, since_ns),
            false => domain_batches(&self.domains, since_ns),
        };
        batches.extend(domains);
        batches
    }

    /// Rows of `domain` and `domain_group` for domains that the machine has from `since_ns` on. Where no CPU has any, each has one row over
    /// itself.
    pub fn changed_domains(&self, domains: &[Domain], since_ns: i64) -> Vec<NamedBatch> {
        if !domains.is_empty() {
            return domain_batches(domains, since_ns);
        }
        let is_exact = self.has_reported_domains();
        let alone = |cpu| Domain {
            cpus: CpuSet::from_iter([cpu]),
            span_exact: is_exact,
            parameters_exact: is_exact,
            ..Domain::of_span(0, NO_DOMAIN, CpuSet::from_iter([cpu]))
        };
        domain_batches(&self.possible.iter().map(alone).collect::<Vec<_>>(), since_ns)
    }

    fn machine_batch(&self) -> RecordBatch {
        let mut rows = machine::Builder::default();
        rows.push(&machine::Row {
            arch: self.arch.as_deref(),
            model: self.model.as_deref(),
            kernel: self.kernel.as_deref(),
            cmdline: self.cmdline.as_deref(),
            tick_ns: self.tick_ns,
            cpus_online: self.online.len() as i32,
            cpus_possible: self.possible.len() as i32,
            snapshot: &self.to_json(),
        });
        rows.finish()
    }

    fn cpu_batch(&self) -> RecordBatch {
        let mut rows = cpu::Builder::default();
        let number = |n: Option<u32>| n.map_or(-1, |n| n as i32);
        for c in &self.cpus {
            let Cpu { node, package, llc, core, smt, capacity, .. } = *c;
            rows.push(&cpu::Row {
                cpu: c.cpu as i16,
                online: self.online.contains(c.cpu),
                node: number(node) as i16,
                package: package.unwrap_or(-1),
                llc: number(llc),
                core: number(core),
                smt: smt as i16,
                capacity: capacity as i32,
                isolated: self.isolated.contains(c.cpu),
                nohz_full: self.nohz_full.contains(c.cpu),
            });
        }
        rows.finish()
    }

    fn node_batch(&self) -> RecordBatch {
        let mut rows = numa_node::Builder::default();
        for node in &self.nodes {
            rows.push(&numa_node::Row {
                node: node.node as i16,
                cpus: &node.cpus.to_i16s(),
                distances: &node.distances,
                memory_bytes: node.memory_bytes,
            });
        }
        rows.finish()
    }
}

fn domain_batches(domains: &[Domain], since_ns: i64) -> Vec<NamedBatch> {
    let mut rows = domain::Builder::default();
    let (mut batches, mut span_cpus) = (Vec::new(), 0);
    let cpus: CpuSet = domains.iter().fold(CpuSet::new(), |all, d| all.union(&d.cpus));
    let spans: Vec<Vec<i16>> = domains.iter().map(|d| d.span.to_i16s()).collect();
    for cpu in cpus.iter() {
        for (d, span) in domains.iter().zip(&spans).filter(|(d, _)| d.cpus.contains(cpu)) {
            rows.push(&domain::Row {
                since_ns,
                cpu: cpu as i16,
                level: d.level as i16,
                name: &d.name,
                span,
                flags: d.flags.as_deref(),
                min_interval_ns: d.min_interval_ns,
                max_interval_ns: d.max_interval_ns,
                busy_factor: d.busy_factor,
                imbalance_pct: d.imbalance_pct,
                exact: d.span_exact && d.parameters_exact,
            });
            span_cpus += span.len();
            if rows.len() == BATCH_ROWS || span_cpus >= BATCH_SPAN_CPUS {
                span_cpus = 0;
                batches.push((domain::NAME, rows.finish()));
            }
        }
    }
    if !rows.is_empty() || batches.is_empty() {
        batches.push((domain::NAME, rows.finish()));
    }
    batches.extend(group_batches(domains, &cpus, since_ns));
    batches
}

/// Rows of `domain_group`: of each CPU's domains those whose groups are known.
fn group_batches(domains: &[Domain], cpus: &CpuSet, since_ns: i64) -> Vec<NamedBatch> {
    let mut rows = domain_group::Builder::default();
    let (mut batches, mut group_cpus) = (Vec::new(), 0);
    let groups: Vec<Vec<Vec<i16>>> =
        domains.iter().map(|d| d.groups.iter().flatten().map(CpuSet::to_i16s).collect()).collect();
    for cpu in cpus.iter() {
        for (d, groups) in domains.iter().zip(&groups).filter(|(d, _)| d.cpus.contains(cpu)) {
            let own = groups.iter().position(|group| group.contains(&(cpu as i16)));
            for (place, cpus) in groups.iter().enumerate() {
                rows.push(&domain_group::Row {
                    since_ns,
                    cpu: cpu as i16,
                    level: d.level as i16,
                    place: place as i16,
                    own: Some(place) == own,
                    cpus,
                });
                group_cpus += cpus.len();
            }
            if rows.len() >= BATCH_ROWS || group_cpus >= BATCH_SPAN_CPUS {
                group_cpus = 0;
                batches.push((domain_group::NAME, rows.finish()));
            }
        }
    }
    if !rows.is_empty() {
        batches.push((domain_group::NAME, rows.finish()));
    }
    batches
}
