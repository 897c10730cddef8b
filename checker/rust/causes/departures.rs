//! When, in the record of a time of waste, each CPU was no longer idle and each queue lost a waiter.

use std::ops::Range;

use crate::spells::{Change, Op};
use crate::topology::CpuIx;

/// Records of fewer changes are looked through as they are.
const FEW: usize = 512;

/// The changes of a record by which somebody went, by CPU and by queue. What it holds between records are buffers.
#[derive(Default)]
pub struct Departures {
    /// Places in the record, by key, in order.
    places: Vec<u32>,
    /// By key: where its places begin in `places`; one more at the end. Empty where the record is looked through.
    starts: Vec<u32>,
    n_cpus: usize,
}

impl Departures {
    /// Sort a record's changes.
    pub fn begin(&mut self, ops: &[Op], n_cpus: usize) {
        self.starts.clear();
        if ops.len() < FEW {
            return;
        }
        self.n_cpus = n_cpus;
        // First how many there are of each key, then where each begins, then, as they are sorted in, where each ends.
        self.starts.resize(2 * n_cpus + 1, 0);
        let went = || ops.iter().enumerate().filter(|(_, op)| !op.came);
        went().for_each(|(_, op)| self.starts[key(op, n_cpus)] += 1);
        let mut sum = 0;
        for start in &mut self.starts {
            sum += std::mem::replace(start, sum);
        }
        self.places.clear();
        self.places.resize(sum as usize, 0);
        for (place, op) in went() {
            let end = &mut self.starts[key(op, n_cpus)];
            self.places[*end as usize] = place as u32;
            *end += 1;
        }
        self.starts.rotate_right(1);
        self.starts[0] = 0;
    }

    /// The first place among these at which that CPU was no longer idle or that queue lost a waiter.
    pub fn next(&self, ops: &[Op], idle: CpuIx, queue: CpuIx, among: Range<usize>) -> Option<usize> {
        if self.starts.is_empty() {
            let fits = |op: &Op| match op.what {
                _ if op.came => false,
                Change::Cpu(cpu) => cpu == idle,
                Change::Waiter { queue: of, .. } => of == queue,
            };
            return ops[among.clone()].iter().position(fits).map(|at| among.start + at);
        }
        let next = |key: usize| {
            let places = &self.places[self.starts[key] as usize..self.starts[key + 1] as usize];
            places.get(places.partition_point(|&place| (place as usize) < among.start)).copied()
        };
        let first = [next(idle as usize), next(self.n_cpus + queue as usize)].into_iter().flatten().min();
        first.map(|place| place as usize).filter(|place| *place < among.end)
    }
}

fn key(op: &Op, n_cpus: usize) -> usize {
    match op.what {
        Change::Cpu(cpu) => cpu as usize,
        Change::Waiter { queue, .. } => n_cpus + queue as usize,
    }
}
