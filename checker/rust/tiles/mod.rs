//! Levels of detail to draw the trace from: what each CPU did per bin of time, with bins of 1024 << level ns.
//!
//! An observer of the rows that the walk writes. Per CPU and level it keeps the one bin that is being filled ([`lane`]);
//! a full bin is written and merged into the next level's. Memory does not grow with the trace, nothing is read twice,
//! and levels too fine to be worth their rows are left out ([`base`]). Rows come in the order in which bins are full,
//! in stretches of one level.

mod base_level;
mod lane;
mod top_threads;

#[cfg(test)]
mod tests;

use arrow_array::RecordBatch;
use wastenot_schemas::{cpu_slice, migration, runqueue, tile_base, tile_load, tile_measure, tile_run, wasted_cpu};

use base_level::BaseLevel;
use lane::{BinContent, Lane};
use top_threads::TopThreads;

/// Bins of level 0 are 1 << SHIFT ns wide.
const SHIFT: u32 = 10;
/// Levels above it: one tile of the highest one holds the longest span that a trace may have (see [`crate::time_limits`]).
const TOP: usize = 46;
/// Bins that are read together.
const TILE: i64 = 64;
/// Rows of one level that are handed on together: whole vectors of DuckDB's.
const STRETCH: usize = 4096;

/// What a CPU does: None unobserved, 0 idle, else the thread.
type Occupant = Option<u32>;

/// What a CPU did in one bin, ns.
#[derive(Clone, Default)]
struct RunContent {
    busy: i64,
    idle: i64,
    unobserved: i64,
    threads: TopThreads,
}

impl BinContent for RunContent {
    type What = Occupant;

    fn add(&mut self, what: Occupant, ns: i64) {
        match what {
            None => self.unobserved += ns,
            Some(0) => self.idle += ns,
            Some(utid) => {
                self.busy += ns;
                self.threads.add(utid, ns);
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        self.busy += other.busy;
        self.idle += other.idle;
        self.unobserved += other.unobserved;
        self.threads.merge(&other.threads);
    }
}

/// A quantity summed over one bin.
#[derive(Clone, Default)]
struct LoadContent(i64);

impl BinContent for LoadContent {
    /// Quantity per ns.
    type What = i64;

    fn add(&mut self, per_ns: i64, ns: i64) {
        self.0 = self.0.saturating_add(per_ns.saturating_mul(ns));
    }

    fn merge(&mut self, other: &Self) {
        self.0 = self.0.saturating_add(other.0);
    }
}

/// One CPU.
#[derive(Default)]
struct CpuTiles {
    seen: bool,
    runs: Lane<RunContent>,
    /// By measure.
    loads: [Lane<LoadContent>; tile_measure::NAMES.len()],
}

/// All levels of detail under construction.
#[derive(Default)]
pub struct Tiles {
    origin: i64,
    base: BaseLevel,
    /// By kernel number.
    cpus: Vec<CpuTiles>,
    /// By level.
    runs: Vec<tile_run::Builder>,
    loads: Vec<tile_load::Builder>,
    /// A sum did not fit 64 bits: the rows are of no use.
    pub overflowed: bool,
    /// Highest level whose bins are needed: all of the trace in one tile.
    reached: i64,
}

/// Batches ready to be handed on.
type TileBatches = Vec<(&'static str, RecordBatch)>;

impl Tiles {
    /// Bins are counted from here on, ns. Before the first row.
    pub fn begin(&mut self, origin: i64) {
        self.origin = origin;
    }

    fn cpu(&mut self, number: i16) -> usize {
        let at = usize::try_from(number).unwrap_or(0);
        if at >= self.cpus.len() {
            self.cpus.resize_with(at + 1, CpuTiles::default);
        }
        at
    }

    #[inline]
    pub fn slice(&mut self, row: &cpu_slice::Row, ready: &mut TileBatches) {
        let at = self.cpu(row.cpu);
        let (from, to) = (row.start_ns - self.origin, row.start_ns + row.dur_ns - self.origin);
        let first = !std::mem::replace(&mut self.cpus[at].seen, true);
        self.base.note(to, first);
        self.reached = self.reached.max(to);
        let what = row.utid.map(|u| u as u32);
        let runs = &mut self.runs;
        self.cpus[at].runs.span(&self.base, from, to, what, &mut |level, bin, bins, run| {
            write_run(runs, ready, row.cpu, level, bin, bins, run);
        });
    }

    #[inline]
    pub fn queue(&mut self, row: &runqueue::Row, ready: &mut TileBatches) {
        if row.queued > 0 {
            self.load(row.cpu, tile_measure::WAITING, row.start_ns, row.dur_ns, i64::from(row.queued), ready);
        }
    }

    pub fn wasted(&mut self, row: &wasted_cpu::Row, ready: &mut TileBatches) {
        self.load(row.cpu, tile_measure::WASTED, row.start_ns, row.dur_ns, 1, ready);
    }

    /// A thread arrives: one at an instant, as if for one ns.
    pub fn migration(&mut self, row: &migration::Row, ready: &mut TileBatches) {
        self.load(row.dest_cpu, tile_measure::MIGRATIONS, row.ts_ns, 1, 1, ready);
    }

    fn load(&mut self, cpu: i16, measure: u8, start: i64, dur: i64, per_ns: i64, ready: &mut TileBatches) {
        let at = self.cpu(cpu);
        let (from, loads, overflowed) = (start - self.origin, &mut self.loads, &mut self.overflowed);
        let lane = &mut self.cpus[at].loads[measure as usize];
        lane.span(&self.base, from, from + dur, per_ns, &mut |level, bin, bins, sum| {
            *overflowed |= sum.0 == i64::MAX;
            write_load(loads, ready, cpu, measure, level, bin, bins, sum);
        });
    }

    /// Write what is still being filled.
    pub fn finish(&mut self, ready: &mut TileBatches) {
        let needed = |level: &usize| *level == 0 || (TILE << (SHIFT as usize + level - 1)) < self.reached;
        let levels = (0..=TOP).take_while(needed).count();
        for (number, cpu) in self.cpus.iter_mut().enumerate() {
            let number = number as i16;
            cpu.runs.finish(levels, &mut |level, bin, bins, run| {
                write_run(&mut self.runs, ready, number, level, bin, bins, run);
            });
            for (measure, lane) in cpu.loads.iter_mut().enumerate() {
                lane.finish(levels, &mut |level, bin, bins, sum| {
                    self.overflowed |= sum.0 == i64::MAX;
                    write_load(&mut self.loads, ready, number, measure as u8, level, bin, bins, sum);
                });
            }
        }
        for level in 0..levels {
            if let Some(builder) = self.runs.get_mut(level) {
                ready.push((tile_run::NAME, builder.finish()));
            }
            if let Some(builder) = self.loads.get_mut(level) {
                ready.push((tile_load::NAME, builder.finish()));
            }
        }
        let mut rows = tile_base::Builder::default();
        for &(from, level) in self.base.changes() {
            rows.push(&tile_base::Row { start_ns: self.origin + from, level: level as u8 });
        }
        ready.push((tile_base::NAME, rows.finish()));
    }
}

/// The rows of bins that are the same: those in the tile where they begin, all whole tiles after it in one, and the rest.
/// So the rows of a span do not grow in number with its length.
fn by_tile(bin: i64, bins: i64, mut row: impl FnMut(i64, u8, i64)) {
    let (mut at, end) = (bin, bin + bins);
    while at < end {
        let (within, whole) = (at % TILE, (end - at) / TILE * TILE);
        let next = if within == 0 && whole > 0 { at + whole } else { (at - within + TILE).min(end) };
        row(at / TILE, within as u8, next - at);
        at = next;
    }
}

fn builder<B: Default>(builders: &mut Vec<B>, level: usize) -> &mut B {
    if level >= builders.len() {
        builders.resize_with(level + 1, B::default);
    }
    &mut builders[level]
}

fn write_run(
    to: &mut Vec<tile_run::Builder>,
    ready: &mut TileBatches,
    cpu: i16,
    level: usize,
    bin: i64,
    bins: i64,
    run: &RunContent,
) {
    let to = builder(to, level);
    let best = run.threads.best();
    by_tile(bin, bins, |tile, bin, bins| {
        to.push(&tile_run::Row {
            level: level as u8,
            tile,
            bin,
            bins,
            cpu,
            busy_ns: run.busy,
            idle_ns: run.idle,
            unobserved_ns: run.unobserved,
            utid1: best[0].map(|b| b.0 as i32),
            ns1: best[0].map_or(0, |b| b.1),
            utid2: best[1].map(|b| b.0 as i32),
            ns2: best[1].map_or(0, |b| b.1),
            utid3: best[2].map(|b| b.0 as i32),
            ns3: best[2].map_or(0, |b| b.1),
            utid4: best[3].map(|b| b.0 as i32),
            ns4: best[3].map_or(0, |b| b.1),
        });
    });
    if to.len() >= STRETCH {
        ready.push((tile_run::NAME, to.finish()));
    }
}

#[allow(clippy::too_many_arguments)] // the columns of a row
fn write_load(
    to: &mut Vec<tile_load::Builder>,
    ready: &mut TileBatches,
    cpu: i16,
    measure: u8,
    level: usize,
    bin: i64,
    bins: i64,
    sum: &LoadContent,
) {
    let to = builder(to, level);
    by_tile(bin, bins, |tile, bin, bins| {
        to.push(&tile_load::Row { level: level as u8, tile, bin, bins, cpu, measure, value: sum.0 });
    });
    if to.len() >= STRETCH {
        ready.push((tile_load::NAME, to.finish()));
    }
}
