//! Threads that waited beside an idle CPU, and CPUs that were wasted, over time.
//!
//! Whenever the matching changes, pairs are dealt out anew, though most threads and CPUs stay matched. Here the pieces of
//! a thread, and those of a CPU, that follow each other without a gap are joined.

use wastenot_schemas::{avoidable_wait, wasted_cpu};

use crate::pair_segment::PairSegment;
use crate::tables::DerivedTables;
use crate::threads::Threads;
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
    /// A pair that was open; pairs of one thread, and of one CPU, in order of time.
    pub fn add(&mut self, s: &PairSegment, topology: &TracedTopology, threads: &Threads, out: &mut DerivedTables) {
        let (queue, idle) = (u32::from(s.queue), u32::from(s.idle));
        let open = OpenInterval { queue, from: s.from, to: s.to };
        if let Some(ended) = join(&mut self.waits, s.utid, open) {
            write_wait(s.utid, ended, topology, threads, out);
        }
        if let Some(ended) = join(&mut self.cpus, idle, OpenInterval { queue: 0, ..open }) {
            write_cpu(idle, ended, topology, out);
        }
    }

    /// Write those that were open last and ended before `end`.
    pub fn finish(&mut self, end: i64, topology: &TracedTopology, threads: &Threads, out: &mut DerivedTables) {
        let ended = |open: Option<OpenInterval>| open.filter(|p| p.to < end);
        for (utid, open) in self.waits.drain(..).enumerate() {
            ended(open).into_iter().for_each(|p| write_wait(utid as u32, p, topology, threads, out));
        }
        for (cpu, open) in self.cpus.drain(..).enumerate() {
            ended(open).into_iter().for_each(|p| write_cpu(cpu as u32, p, topology, out));
        }
    }

    /// Starts of the thread's wait and of the CPU's waste, of which pieces are known since these times.
    pub fn starts(&self, utid: u32, queue: CpuIx, idle: CpuIx, (wait, waste): (i64, i64)) -> (i64, i64) {
        let start = |pieces: &[Option<OpenInterval>], key: usize, queue: u32, since: i64| match pieces.get(key) {
            Some(Some(p)) if p.to == since && p.queue == queue => p.from,
            _ => since,
        };
        (start(&self.waits, utid as usize, u32::from(queue), wait), start(&self.cpus, idle.into(), 0, waste))
    }

    /// A pair was open at `now` and may go on: its wait and its CPU's waste started then.
    pub fn restore(
        &mut self,
        (utid, queue, idle): (u32, CpuIx, CpuIx),
        (wait_start, waste_start): (i64, i64),
        now: i64,
    ) {
        join(&mut self.waits, utid, OpenInterval { queue: u32::from(queue), from: wait_start, to: now });
        join(&mut self.cpus, u32::from(idle), OpenInterval { queue: 0, from: waste_start, to: now });
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

fn write_wait(utid: u32, p: OpenInterval, topology: &TracedTopology, threads: &Threads, out: &mut DerivedTables) {
    if !out.wants(p.from) {
        return;
    }
    let (utid, waited_on) = (threads.number(utid), topology.number(p.queue as CpuIx));
    out.avoidable_wait(&avoidable_wait::Row { utid, waited_on, start_ns: p.from, dur_ns: p.to - p.from });
}

fn write_cpu(cpu: u32, p: OpenInterval, topology: &TracedTopology, out: &mut DerivedTables) {
    if !out.wants(p.from) {
        return;
    }
    let cpu = topology.number(cpu as CpuIx);
    out.wasted_cpu(&wasted_cpu::Row { cpu, start_ns: p.from, dur_ns: p.to - p.from });
}
