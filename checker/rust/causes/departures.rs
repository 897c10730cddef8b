//! When, in the record of a time of waste, each CPU was no longer idle and each queue lost a waiter.

use std::ops::Range;

use crate::input_change::{ChangedInput, InputChange};
use crate::topology::CpuIx;

/// Records of fewer changes are looked through as they are.
const FEW: usize = 512;

/// The changes of a record by which a thread or CPU was removed, by CPU and by queue. Between records it only keeps buffers.
#[derive(Default)]
pub struct Departures {
    /// Places in the record, by key, in order.
    places: Vec<u32>,
    /// By key: where its places start in `places`; one more at the end. Empty where the record is looked through.
    starts: Vec<u32>,
    /// By key: where in `places` the answer to the latest question was, for the next one is a little later as a rule.
    latest: Vec<u32>,
    n_cpus: usize,
}

impl Departures {
    /// Sort a record's changes.
    pub fn begin(&mut self, ops: &[InputChange], n_cpus: usize) {
        self.starts.clear();
        if ops.len() < FEW {
            return;
        }
        self.n_cpus = n_cpus;
        // First how many there are of each key, then where each begins, then, as they are sorted in, where each ends.
        self.starts.resize(2 * n_cpus + 1, 0);
        let went = || ops.iter().enumerate().filter(|(_, op)| !op.added);
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
        self.latest.clone_from(&self.starts);
    }

    /// The first place among these at which that CPU was no longer idle or that queue lost a waiter.
    pub fn next(&mut self, ops: &[InputChange], idle: CpuIx, queue: CpuIx, among: Range<usize>) -> Option<usize> {
        if self.starts.is_empty() {
            return ops[among.clone()].iter().position(|op| ends(op, idle, queue)).map(|at| among.start + at);
        }
        let keys = [idle as usize, self.n_cpus + queue as usize];
        let first = keys.into_iter().filter_map(|key| self.from(key, among.start as u32)).min();
        first.map(|place| place as usize).filter(|place| *place < among.end)
    }

    /// The first place of a key that is not before this one.
    fn from(&mut self, key: usize, first: u32) -> Option<u32> {
        let (begin, end) = (self.starts[key] as usize, self.starts[key + 1] as usize);
        let latest = self.latest[key] as usize;
        let from = if latest > begin && self.places[latest - 1] >= first { begin } else { latest };
        let later = &self.places[from..end];
        let mut reach = 1;
        while later.get(reach - 1).is_some_and(|&place| place < first) {
            reach *= 2;
        }
        let (near, far) = (reach / 2, later.len().min(reach));
        let at = near + later[near..far].partition_point(|&place| place < first);
        self.latest[key] = (from + at) as u32;
        later.get(at).copied()
    }
}

/// That CPU was no longer idle by the change, or that queue lost a waiter.
pub fn ends(op: &InputChange, idle: CpuIx, queue: CpuIx) -> bool {
    match op.what {
        _ if op.added => false,
        ChangedInput::Cpu(cpu) => cpu == idle,
        ChangedInput::Waiter { queue: of, .. } => of == queue,
    }
}

fn key(op: &InputChange, n_cpus: usize) -> usize {
    match op.what {
        ChangedInput::Cpu(cpu) => cpu as usize,
        ChangedInput::Waiter { queue, .. } => n_cpus + queue as usize,
    }
}
