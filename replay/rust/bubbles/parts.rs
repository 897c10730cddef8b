//! The machine as a hierarchy of parts, each with a runqueue.

use arrow_array::RecordBatch;
use wastenot_schemas::{SchemaMismatch, cpu, holder};

/// A part of the machine that has a runqueue, named as the columns of `cpu` name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    /// A code of `holder`: machine, package, node, llc, core, cpu or aside.
    pub level: u8,
    /// Its number; 0 for the machine.
    pub id: i32,
}

/// The parts that a CPU is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuParts {
    /// NUMA node.
    pub node: i16,
    /// Package.
    pub package: i32,
    /// Last-level cache.
    pub llc: i32,
    /// Core.
    pub core: i32,
    /// Place of the last-level cache among all, from 0.
    pub llc_place: u16,
}

/// All CPUs by number.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    cpus: Vec<Option<CpuParts>>,
    llcs: usize,
}

impl Parts {
    /// From the table `cpu`.
    pub fn from_tables(batches: &[RecordBatch]) -> Result<Self, SchemaMismatch> {
        let mut rows = Vec::new();
        for batch in batches {
            let view = cpu::View::try_new(batch)?;
            rows.extend((0..view.len()).map(|i| view.row(i)).filter(|r| r.cpu >= 0));
        }
        Ok(Self::new(rows.iter().map(|r| (r.cpu, r.node, r.package, r.llc, r.core))))
    }

    /// From (cpu, node, package, llc, core) of each CPU.
    pub fn new(cpus: impl Iterator<Item = (i16, i16, i32, i32, i32)>) -> Self {
        let cpus: Vec<_> = cpus.collect();
        let mut llcs: Vec<i32> = cpus.iter().map(|c| c.3).collect();
        llcs.sort_unstable();
        llcs.dedup();
        let mut all = vec![None; cpus.iter().map(|c| c.0 as usize + 1).max().unwrap_or(0)];
        for (cpu, node, package, llc, core) in cpus {
            let llc_place = llcs.partition_point(|l| *l < llc) as u16;
            all[cpu as usize] = Some(CpuParts { node, package, llc, core, llc_place });
        }
        Self { cpus: all, llcs: llcs.len() }
    }

    /// The parts that a CPU is in; None for an unknown CPU.
    pub fn of_cpu(&self, cpu: i16) -> Option<CpuParts> {
        self.cpus.get(usize::try_from(cpu).ok()?).copied().flatten()
    }

    /// Number of last-level caches.
    pub fn llcs(&self) -> usize {
        self.llcs
    }

    /// The part exists. Runqueues aside are the scheduler's own.
    pub fn has(&self, part: Part) -> bool {
        match part.level {
            holder::ASIDE => true,
            holder::MACHINE => part.id == 0,
            _ => (0..self.cpus.len() as i16).any(|cpu| self.spans(part, cpu)),
        }
    }

    /// The part has this CPU in it.
    pub fn spans(&self, part: Part, cpu: i16) -> bool {
        let Some(at) = self.of_cpu(cpu) else { return false };
        match part.level {
            holder::MACHINE => true,
            holder::PACKAGE => at.package == part.id,
            holder::NODE => i32::from(at.node) == part.id,
            holder::LLC => at.llc == part.id,
            holder::CORE => at.core == part.id,
            holder::CPU => i32::from(cpu) == part.id,
            _ => false,
        }
    }
}
