//! Snapshot of a machine: topology, scheduling domains, threads and their masks.
//!
//! Entry points:
//! - [`Machine::read`] takes the snapshot from sysfs and /proc under a relocatable root (`/`, or a dump);
//!   [`Machine::from_json`] / [`Machine::to_json`] and [`Machine::from_hwloc`] / [`Machine::to_hwloc`] carry it.
//! - [`Machine::topology`], [`Machine::lowest_common_domain`] answer what two CPUs share.
//! - [`Machine::batches`] gives the rows of the entity tables.
//! - [`threads::snapshot`] and [`cgroups::read`] describe threads and CPU cgroups as plain values.
//! - [`schedstat`] reads the load balancer's counters, and what they counted between two readings.
//! - [`Symbols`] names the addresses of kernel stacks.
//!
//! Nothing here panics on bad input: every failure is a [`MachineError`] whose text is one line.

#![warn(missing_docs)]

mod batches;
pub mod cgroups;
mod domains;
mod error;
mod hwloc;
mod isolation;
mod kernel;
mod model;
mod root;
pub mod schedstat;
mod symbols;
mod sysfs;
pub mod threads;
mod validate;

pub use batches::NamedBatch;
pub use error::MachineError;
pub use model::{Domain, DomainSource, FORMAT, Machine, TickSource};
pub use symbols::{Symbols, is_tracer_frame};

use root::Root;
use std::path::Path;

impl Machine {
    /// Takes the snapshot of the machine whose /sys and /proc lie under `root`: `/`, or the folder of a dump.
    ///
    /// On the running machine a CPU may change state between two files, so a contradiction is checked twice.
    pub fn read(root: &Path) -> Result<Self, MachineError> {
        let root = Root::new(root);
        match Self::read_once(&root) {
            Err(MachineError::Contradiction { .. }) if root.is_live() => Self::read_once(&root),
            result => result,
        }
    }

    fn read_once(root: &Root) -> Result<Self, MachineError> {
        let topology = sysfs::read(root)?;
        let kernel = kernel::read(root)?;
        let isolation = isolation::read(root, kernel.cmdline.as_deref(), &topology.online)?;
        let mut machine = Self {
            format: FORMAT,
            host: kernel.host,
            arch: kernel.arch,
            model: kernel.model,
            kernel: kernel.release,
            cmdline: kernel.cmdline,
            tick_ns: kernel.tick_ns,
            tick_source: kernel.tick_source,
            preemption: kernel.preemption,
            migration_cost_ns: kernel.migration_cost_ns,
            rt_runtime_us: root.number("proc/sys/kernel/sched_rt_runtime_us")?,
            rt_period_us: root.number("proc/sys/kernel/sched_rt_period_us")?,
            possible: topology.possible,
            present: topology.present,
            online: topology.online,
            isolated: isolation.isolated,
            nohz_full: topology.nohz_full,
            partitions: isolation.partitions,
            cpus: topology.cpus,
            nodes: topology.nodes,
            domain_source: DomainSource::Derived,
            domains: Vec::new(),
            quirks: [topology.quirks, isolation.quirks].concat(),
        };
        // `isolcpus=` may name CPUs that this machine does not have.
        machine.isolated = machine.isolated.intersection(&machine.possible);
        domains::read(root, &mut machine)?;
        machine.validate()?;
        Ok(machine)
    }

    /// Domains that several CPUs share, joined into one each, from those of each CPU (whose `cpus` are not looked at).
    pub fn joined_domains(seen: impl IntoIterator<Item = (u32, Domain)>) -> Vec<Domain> {
        domains::join(seen.into_iter().map(|(cpu, domain)| domains::CpuDomain { cpu, domain }).collect())
    }

    /// Whether the kernel reported spans and parameters of the domains.
    pub fn has_reported_domains(&self) -> bool {
        self.domain_source == DomainSource::Kernel
    }

    /// Take domains that the kernel reported, such as [`Machine::joined_domains`] gives; those without a name get that of the same
    /// level and span as far as it is known.
    pub fn set_reported_domains(&mut self, mut reported: Vec<Domain>) {
        for domain in reported.iter_mut().filter(|domain| domain.name.is_empty()) {
            let same = self.domains.iter().find(|known| known.span == domain.span && !known.name.is_empty());
            domain.name = same.map_or_else(|| format!("level {}", domain.level), |known| known.name.clone());
        }
        (self.domains, self.domain_source) = (reported, DomainSource::Kernel);
    }

    /// The machine with the scheduling domains that follow from its topology by the kernel's rules: for machines that
    /// are put together from the content of a trace. Fails with [`MachineError::Contradiction`].
    pub fn with_derived_domains(mut self) -> Result<Self, MachineError> {
        self.validate()?;
        domains::derive(&mut self);
        self.validate()?;
        Ok(self)
    }
}
