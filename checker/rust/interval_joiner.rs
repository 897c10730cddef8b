//! Threads that waited beside an idle CPU, and CPUs that were wasted, over time.
//!
//! Whenever the matching changes, pairs are dealt out anew, though most threads and CPUs stay matched. Here the pieces of
//! a thread, and those of a CPU, that follow each other without a gap are joined.

use wastenot_schemas::{avoidable_wait, wasted_cpu};

use crate::pair_segment::PairSegment;
use crate::tables::DerivedTables;
use crate::topology::{CpuIx, TracedTopology};

#[derive(Clone, Copy)]
struct OpenInterval {
    queue: u32,
    from: i64,
    to: i64,
}

/// Pieces that may still go on.
#[derive(Default)]
pub struct IntervalJoiner {
    /// By utid and by idle CPU.
    waits: Vec<Option<OpenInterval>>,
    cpus: Vec<Option<OpenInterval>>,
}

impl IntervalJoiner {
    /// One pair that were open; pairs of one thread, and of one CPU, in order of time.
    pub fn add(&mut self, s: &PairSegment, topology: &TracedTopology, out: &mut DerivedTables) {
        let (queue, idle) = (u32::from(s.queue), u32::from(s.idle));
        let open = OpenInterval { queue, from: s.from, to: s.to };
        if let Some(ended) = join(&mut self.waits, s.utid, open) {
            write_wait(s.utid, ended, topology, out);
        }
        if let Some(ended) = join(&mut self.cpus, idle, OpenInterval { queue: 0, ..open }) {
            write_cpu(idle, ended, topology, out);
        }
    }

    /// Write all that were open last.
    pub fn finish(&mut self, topology: &TracedTopology, out: &mut DerivedTables) {
        for (utid, open) in self.waits.drain(..).enumerate() {
            open.into_iter().for_each(|p| write_wait(utid as u32, p, topology, out));
        }
        for (cpu, open) in self.cpus.drain(..).enumerate() {
            open.into_iter().for_each(|p| write_cpu(cpu as u32, p, topology, out));
        }
    }
}

/// Extend the current interval or replace it; returns one that has ended.
fn join(pieces: &mut Vec<Option<OpenInterval>>, key: u32, open: OpenInterval) -> Option<OpenInterval> {
    let at = key as usize;
    if at >= pieces.len() {
        pieces.resize(at + 1, None);
    }
    match &mut pieces[at] {
        Some(p) if p.to == open.from && p.queue == open.queue => {
            p.to = open.to;
            None
        }
        other => other.replace(open),
    }
}

fn write_wait(utid: u32, p: OpenInterval, topology: &TracedTopology, out: &mut DerivedTables) {
    let waited_on = topology.number(p.queue as CpuIx);
    out.avoidable_wait(&avoidable_wait::Row { utid: utid as i32, waited_on, start_ns: p.from, dur_ns: p.to - p.from });
}

fn write_cpu(cpu: u32, p: OpenInterval, topology: &TracedTopology, out: &mut DerivedTables) {
    let cpu = topology.number(cpu as CpuIx);
    out.wasted_cpu(&wasted_cpu::Row { cpu, start_ns: p.from, dur_ns: p.to - p.from });
}
