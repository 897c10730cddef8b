//! Who waited beside an idle CPU and which CPU was wasted, over time.
//!
//! Whenever the matching changes, pairs are dealt out anew, though most threads and CPUs stay matched. Here the pieces of
//! a thread, and those of a CPU, that follow each other without a gap are joined.

use wastenot_schemas::{avoidable_wait, wasted_cpu};

use crate::spells::PairSegment;
use crate::tables::Growing;
use crate::topology::{CpuIx, Topology};

#[derive(Clone, Copy)]
struct Piece {
    queue: u32,
    from: i64,
    to: i64,
}

/// Pieces that may still go on.
#[derive(Default)]
pub struct Joined {
    /// By utid and by idle CPU.
    waits: Vec<Option<Piece>>,
    cpus: Vec<Option<Piece>>,
}

impl Joined {
    /// One pair that stood; pairs of one thread, and of one CPU, in order of time.
    pub fn add(&mut self, s: &PairSegment, topology: &Topology, out: &mut Growing) {
        let (queue, idle) = (u32::from(s.queue), u32::from(s.idle));
        let piece = Piece { queue, from: s.from, to: s.to };
        if let Some(ended) = join(&mut self.waits, s.utid, piece) {
            write_wait(s.utid, ended, topology, out);
        }
        if let Some(ended) = join(&mut self.cpus, idle, Piece { queue: 0, ..piece }) {
            write_cpu(idle, ended, topology, out);
        }
    }

    /// Write all that stood last.
    pub fn finish(&mut self, topology: &Topology, out: &mut Growing) {
        for (utid, piece) in self.waits.drain(..).enumerate() {
            piece.into_iter().for_each(|p| write_wait(utid as u32, p, topology, out));
        }
        for (cpu, piece) in self.cpus.drain(..).enumerate() {
            piece.into_iter().for_each(|p| write_cpu(cpu as u32, p, topology, out));
        }
    }
}

/// Lengthen what goes on, or take its place; returns what has ended.
fn join(pieces: &mut Vec<Option<Piece>>, key: u32, piece: Piece) -> Option<Piece> {
    let at = key as usize;
    if at >= pieces.len() {
        pieces.resize(at + 1, None);
    }
    match &mut pieces[at] {
        Some(p) if p.to == piece.from && p.queue == piece.queue => {
            p.to = piece.to;
            None
        }
        other => other.replace(piece),
    }
}

fn write_wait(utid: u32, p: Piece, topology: &Topology, out: &mut Growing) {
    let waited_on = topology.number(p.queue as CpuIx);
    out.avoidable_wait(&avoidable_wait::Row { utid: utid as i32, waited_on, start_ns: p.from, dur_ns: p.to - p.from });
}

fn write_cpu(cpu: u32, p: Piece, topology: &Topology, out: &mut Growing) {
    let cpu = topology.number(cpu as CpuIx);
    out.wasted_cpu(&wasted_cpu::Row { cpu, start_ns: p.from, dur_ns: p.to - p.from });
}
