//! The first pass over a file: where each CPU's bundles are, which clocks there are, what the trace says about itself.
//!
//! Packets of one writer are in order, packets of different CPUs are interleaved, and what is needed first (clock
//! snapshots, the kernel's release) may come last. So the file is walked once without decoding events; 16 bytes
//! per bundle are kept.

use crate::bubbles::Bubbles;
use crate::clocks::{BOOTTIME, Clocks};
use crate::cpu::BundlePlace;
use crate::fields::{bundle, clock, compact, cpus, event, ftrace_stats, packet, system, trace_stats};
use crate::packets::{End, PacketPlace, Stream, codec_of, packets_within};
use crate::wire::{Malformed, Message, Value};
use std::collections::BTreeMap;
use std::path::Path;
use wastenot_import::ImportError;

/// CPU numbers from here on are damage.
const CPUS: u64 = 8192;

/// What the first pass found.
#[derive(Default)]
pub struct ScannedTrace {
    /// Writers of ftrace events, by sequence.
    pub writers: BTreeMap<u64, Writer>,
    /// Packets with process trees and the stamps of those that have one.
    pub trees: Vec<(Option<i64>, PacketPlace)>,
    pub clocks: Clocks,
    /// Events with which applications report bubbles.
    pub bubbles: Bubbles,
    pub kernel: Option<String>,
    pub arch: Option<String>,
    pub recorder: Option<String>,
    pub cpus: Option<u32>,
    /// A clock that a bundle names and that cannot be converted.
    pub clock_codes: Vec<u64>,
    pub notes: Vec<String>,
    /// Why the trace is not whole.
    pub damage: Vec<String>,
    /// The file is cut: what each CPU did last is missing.
    pub cut: bool,
    overruns: BTreeMap<u64, (Option<u64>, u64)>,
    other_machines: u64,
}

/// One writer's bundles.
#[derive(Default)]
pub struct Writer {
    pub cpus: BTreeMap<u32, CpuBundles>,
    /// It wrote switches.
    pub has_switches: bool,
    /// Bytes of its bundles.
    pub bytes: u64,
    /// Times packets of it went missing.
    gaps: u32,
}

/// A CPU's bundles.
#[derive(Default)]
pub struct CpuBundles {
    pub list: Vec<BundlePlace>,
    gaps: u32,
}

impl Writer {
    /// Packets are missing after the CPU's last bundle.
    pub fn gap_after(&self, cpu: u32) -> bool {
        self.cpus.get(&cpu).is_some_and(|bundles| bundles.gaps != self.gaps)
    }
}

/// Walk the file at `path`.
pub fn scan(path: &Path) -> Result<ScannedTrace, ImportError> {
    let mut stream = Stream::open(path)?;
    let mut found = ScannedTrace::default();
    let mut buffer = Vec::new();
    loop {
        match stream.next(&mut buffer)? {
            Ok(place) => found.outer(place, &buffer),
            Err(End::Whole) => break,
            Err(End::Early(why)) => {
                found.damage.push(why);
                found.cut = true;
                break;
            }
        }
    }
    found.clocks.complete();
    found.note_overruns();
    if found.other_machines > 0 {
        found.notes.push(format!("{} packets from other machines were left out", found.other_machines));
    }
    Ok(found)
}

impl ScannedTrace {
    fn outer(&mut self, place: PacketPlace, bytes: &[u8]) {
        let fields = Message::new(bytes).flatten();
        for (field, value) in fields {
            if let (Some(inflate), Value::Bytes(compressed)) = (codec_of(field), value) {
                return self.block(place, inflate(compressed));
            }
        }
        self.packet(place, bytes);
    }

    fn block(&mut self, outer: PacketPlace, inflated: Result<Vec<u8>, &'static str>) {
        let block = match inflated {
            Ok(block) => block,
            Err(why) => return self.lose_all(&format!("{why} were left out")),
        };
        for packet in packets_within(&block, outer) {
            match packet {
                Ok((place, bytes)) => self.packet(place, bytes),
                Err(Malformed) => self.lose_all("damaged packets within compressed ones were left out"),
            }
        }
    }

    fn damaged(&mut self, why: &str) {
        if !self.damage.iter().any(|known| known == why) {
            self.damage.push(why.into());
        }
    }

    /// Packets of an unknown writer are missing from here on.
    fn lose_all(&mut self, why: &str) {
        self.damaged(why);
        self.writers.values_mut().for_each(|writer| writer.gaps += 1);
    }

    fn packet(&mut self, place: PacketPlace, bytes: &[u8]) {
        let (mut sequence, mut stamp, mut dropped, mut other_clock) = (0, None, false, false);
        let (mut data, mut of_tracks) = (None, false);
        for field in Message::new(bytes) {
            match field {
                Ok((packet::TRUSTED_PACKET_SEQUENCE_ID, Value::Varint(n))) => sequence = n,
                Ok((packet::TIMESTAMP, Value::Varint(n))) => stamp = i64::try_from(n).ok(),
                Ok((packet::TIMESTAMP_CLOCK_ID, Value::Varint(n))) => other_clock = n != BOOTTIME,
                Ok((packet::PREVIOUS_PACKET_DROPPED, Value::Varint(n))) => dropped = n != 0,
                Ok((packet::MACHINE_ID, Value::Varint(n))) if n != 0 => {
                    self.other_machines += 1;
                    return;
                }
                Ok((field, Value::Bytes(bytes))) if is_data(field) => data = Some((field, bytes)),
                Ok((
                    packet::TRACK_EVENT
                    | packet::INTERNED_DATA
                    | packet::TRACE_PACKET_DEFAULTS
                    | packet::TRACK_DESCRIPTOR,
                    _,
                )) => of_tracks = true,
                Ok(_) => {}
                Err(Malformed) => return self.lose_all("packets that cannot be read were left out"),
            }
        }
        if dropped && let Some(writer) = self.writers.get_mut(&sequence) {
            writer.gaps += 1;
        }
        if of_tracks {
            self.bubbles.packet(sequence, bytes);
        }
        let Some((field, bytes)) = data else { return };
        match field {
            packet::FTRACE_EVENTS => self.bundle(sequence, place, bytes),
            packet::PROCESS_TREE => self.trees.push((stamp.filter(|_| !other_clock), place)),
            packet::CLOCK_SNAPSHOT => self.snapshot(bytes),
            packet::SYSTEM_INFO => self.system(bytes),
            packet::CPU_INFO => self.cpu_info(bytes),
            packet::FTRACE_STATS => self.stats(bytes),
            _ => self.trace_stats(bytes),
        }
    }

    fn bundle(&mut self, sequence: u64, place: PacketPlace, bytes: &[u8]) {
        let writer = self.writers.entry(sequence).or_default();
        let (mut cpu, mut ftrace_ns, mut boot_ns, mut clock) = (None, None, None, 0);
        for (field, value) in Message::new(bytes).flatten() {
            match (field, value) {
                (bundle::CPU, Value::Varint(n)) => cpu = Some(n),
                (bundle::FTRACE_CLOCK, Value::Varint(n)) => clock = n,
                (bundle::FTRACE_TIMESTAMP, Value::Varint(n)) => ftrace_ns = i64::try_from(n).ok(),
                (bundle::BOOT_TIMESTAMP, Value::Varint(n)) => boot_ns = i64::try_from(n).ok(),
                (bundle::COMPACT_SCHED, Value::Bytes(bytes)) if !writer.has_switches => {
                    let mut fields = Message::new(bytes).flatten();
                    writer.has_switches = fields.any(|(field, _)| field == compact::SWITCH_TIMESTAMP);
                }
                (bundle::EVENT, Value::Bytes(bytes)) if !writer.has_switches => {
                    let mut fields = Message::new(bytes).flatten();
                    writer.has_switches = fields.any(|(field, _)| field == event::SCHED_SWITCH);
                }
                _ => {}
            }
        }
        let Some(cpu) = cpu.filter(|cpu| *cpu < CPUS) else {
            return self.damaged("bundles of events without a CPU that can be were left out");
        };
        if clock != 0 && !self.clock_codes.contains(&clock) {
            self.clock_codes.push(clock);
        }
        if let (Some(ftrace_ns), Some(boot_ns)) = (ftrace_ns, boot_ns) {
            self.clocks.tracers_clock(ftrace_ns, boot_ns);
        }
        writer.bytes += bytes.len() as u64;
        let gaps = writer.gaps;
        let bundles = writer.cpus.entry(cpu as u32).or_default();
        let after_gap = bundles.gaps != gaps && !bundles.list.is_empty();
        bundles.gaps = gaps;
        bundles.list.push(BundlePlace { place, after_gap });
    }

    fn snapshot(&mut self, bytes: &[u8]) {
        let (mut read, mut primary) = (Vec::new(), None);
        for (field, value) in Message::new(bytes).flatten() {
            match (field, value) {
                (clock::CLOCKS, Value::Bytes(bytes)) => {
                    let (mut id, mut at) = (0, 0);
                    for (field, value) in Message::new(bytes).flatten() {
                        match field {
                            clock::CLOCK_ID => id = value.number(),
                            clock::TIMESTAMP => at = value.number(),
                            _ => {}
                        }
                    }
                    read.push((id, at));
                }
                (clock::PRIMARY_TRACE_CLOCK, Value::Varint(id)) => primary = Some(id),
                _ => {}
            }
        }
        self.clocks.snapshot(&read, primary);
    }

    fn system(&mut self, bytes: &[u8]) {
        for (field, value) in Message::new(bytes).flatten() {
            match (field, value) {
                (system::UTSNAME, Value::Bytes(bytes)) => {
                    for (field, value) in Message::new(bytes).flatten() {
                        match field {
                            system::RELEASE => self.kernel = Some(value.text()),
                            system::MACHINE => self.arch = Some(value.text()),
                            _ => {}
                        }
                    }
                }
                (system::TRACING_SERVICE_VERSION, Value::Bytes(_)) => self.recorder = Some(value.text()),
                (system::NUM_CPUS, Value::Varint(n)) if n <= CPUS => self.see_cpus(n as u32),
                _ => {}
            }
        }
    }

    fn cpu_info(&mut self, bytes: &[u8]) {
        let count = Message::new(bytes).flatten().filter(|(field, _)| *field == cpus::CPUS).count();
        self.see_cpus(count.min(CPUS as usize) as u32);
    }

    fn see_cpus(&mut self, count: u32) {
        self.cpus = Some(self.cpus.unwrap_or(0).max(count));
    }

    fn stats(&mut self, bytes: &[u8]) {
        let phase = Message::new(bytes).flatten().find(|(field, _)| *field == ftrace_stats::PHASE);
        let at_end = phase.is_some_and(|(_, value)| value.number() == ftrace_stats::END_OF_TRACE);
        for (field, value) in Message::new(bytes).flatten() {
            if field != ftrace_stats::CPU_STATS {
                continue;
            }
            let (mut cpu, mut overrun) = (0, 0);
            for (field, value) in Message::new(value.bytes()).flatten() {
                match field {
                    ftrace_stats::CPU => cpu = value.number(),
                    ftrace_stats::OVERRUN => overrun = value.number(),
                    _ => {}
                }
            }
            if cpu < CPUS {
                let known = self.overruns.entry(cpu).or_default();
                match at_end {
                    true => known.1 = overrun,
                    false => known.0 = Some(overrun),
                }
            }
        }
    }

    fn trace_stats(&mut self, bytes: &[u8]) {
        let (mut overwritten, mut lost) = (0_u64, 0_u64);
        for (field, value) in Message::new(bytes).flatten() {
            if field != trace_stats::BUFFER_STATS {
                continue;
            }
            for (field, value) in Message::new(value.bytes()).flatten() {
                match field {
                    trace_stats::CHUNKS_OVERWRITTEN => overwritten = overwritten.saturating_add(value.number()),
                    trace_stats::CHUNKS_DISCARDED | trace_stats::TRACE_WRITER_PACKET_LOSS => {
                        lost = lost.saturating_add(value.number());
                    }
                    _ => {}
                }
            }
        }
        let losses = [
            (overwritten, "chunks of the recorder's buffers were overwritten: what was recorded first is missing"),
            (lost, "chunks or packets did not fit the recorder's buffers; larger ones lose nothing"),
        ];
        for (count, what) in losses.into_iter().filter(|(count, _)| *count > 0) {
            self.notes.retain(|note| !note.ends_with(what)); // it is reported several times, the last is right
            self.notes.push(format!("{count} {what}"));
        }
    }

    fn note_overruns(&mut self) {
        for (cpu, (start, end)) in &self.overruns {
            let lost = end.saturating_sub(start.unwrap_or(0));
            if lost > 0 && start.is_some() {
                self.notes.push(format!("the kernel overwrote {lost} events of CPU {cpu} before they were read"));
            }
        }
    }
}

fn is_data(field: u32) -> bool {
    matches!(
        field,
        packet::FTRACE_EVENTS
            | packet::PROCESS_TREE
            | packet::CLOCK_SNAPSHOT
            | packet::SYSTEM_INFO
            | packet::CPU_INFO
            | packet::FTRACE_STATS
            | packet::TRACE_STATS
    )
}
