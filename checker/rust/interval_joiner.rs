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

/// Places of threads by their numbers. A walk that was restarted knows few threads with low numbers.
#[derive(Default)]
struct ThreadPlaces {
    /// Numbers of the threads known at the restart, rising.
    restored: Vec<u32>,
    /// Number of the first thread after it.
    first: u32,
}

impl ThreadPlaces {
    #[inline]
    fn place(&self, number: u32) -> u32 {
        match number.checked_sub(self.first) {
            Some(after) => after + self.restored.len() as u32,
            None => self.restored.binary_search(&number).expect("a thread known at the restart") as u32,
        }
    }

    fn number(&self, place: usize) -> u32 {
        match place.checked_sub(self.restored.len()) {
            Some(after) => self.first + after as u32,
            None => self.restored[place],
        }
    }
}

/// Pieces that may still go on.
#[derive(Default)]
pub struct IntervalJoiner {
    places: ThreadPlaces,
    /// By place of the thread and by idle CPU.
    waits: Vec<Option<OpenInterval>>,
    cpus: Vec<Option<OpenInterval>>,
}

impl IntervalJoiner {
    /// Of a walk that is restarted with threads of these numbers, rising, and gives the next one the number `first`.
    pub fn restarted(restored: Vec<u32>, first: u32) -> Self {
        Self { places: ThreadPlaces { restored, first }, ..Self::default() }
    }

    /// A pair that was open; pairs of one thread, and of one CPU, in order of time.
    pub fn add(&mut self, s: &PairSegment, topology: &TracedTopology, out: &mut DerivedTables) {
        let (queue, idle) = (u32::from(s.queue), u32::from(s.idle));
        let open = OpenInterval { queue, from: s.from, to: s.to };
        if let Some(ended) = join(&mut self.waits, self.places.place(s.utid), open) {
            write_wait(s.utid, ended, topology, out);
        }
        if let Some(ended) = join(&mut self.cpus, idle, OpenInterval { queue: 0, ..open }) {
            write_cpu(idle, ended, topology, out);
        }
    }

    /// Write those that were open last and ended before `end`.
    pub fn finish(&mut self, end: i64, topology: &TracedTopology, out: &mut DerivedTables) {
        let ended = |open: Option<OpenInterval>| open.filter(|p| p.to < end);
        for (place, open) in self.waits.drain(..).enumerate() {
            ended(open).into_iter().for_each(|p| write_wait(self.places.number(place), p, topology, out));
        }
        for (cpu, open) in self.cpus.drain(..).enumerate() {
            ended(open).into_iter().for_each(|p| write_cpu(cpu as u32, p, topology, out));
        }
    }

    /// Starts of the thread's wait and of the CPU's waste, of which pieces are known since these times.
    pub fn starts(&self, s: &PairSegment, (wait, waste): (i64, i64)) -> (i64, i64) {
        let start = |pieces: &[Option<OpenInterval>], key: u32, queue: u32, since: i64| match pieces.get(key as usize) {
            Some(Some(p)) if p.to == since && p.queue == queue => p.from,
            _ => since,
        };
        let thread = self.places.place(s.utid);
        (start(&self.waits, thread, u32::from(s.queue), wait), start(&self.cpus, s.idle.into(), 0, waste))
    }

    /// A pair was open at `now` and may go on: the wait of its thread, where that is still there, and its CPU's waste started then.
    pub fn restore(
        &mut self,
        (number, queue, idle): (Option<u32>, CpuIx, CpuIx),
        (wait_start, waste_start): (i64, i64),
        now: i64,
    ) {
        if let Some(number) = number {
            let thread = self.places.place(number);
            join(&mut self.waits, thread, OpenInterval { queue: u32::from(queue), from: wait_start, to: now });
        }
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

fn write_wait(number: u32, p: OpenInterval, topology: &TracedTopology, out: &mut DerivedTables) {
    if !out.wants(p.from) {
        return;
    }
    let (utid, waited_on) = (number as i32, topology.number(p.queue as CpuIx));
    out.avoidable_wait(&avoidable_wait::Row { utid, waited_on, start_ns: p.from, dur_ns: p.to - p.from });
}

fn write_cpu(cpu: u32, p: OpenInterval, topology: &TracedTopology, out: &mut DerivedTables) {
    if !out.wants(p.from) {
        return;
    }
    let cpu = topology.number(cpu as CpuIx);
    out.wasted_cpu(&wasted_cpu::Row { cpu, start_ns: p.from, dur_ns: p.to - p.from });
}
