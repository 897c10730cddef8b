//! Copies records from the rings to where frames go. Its memory does not grow with the recording.

use crate::cgroup_records::CgroupRecords;
use crate::clock::{clock_ns, now_ns};
use crate::domains;
use crate::frame_sink::FrameSink;
use crate::prepared::PreparedPrograms;
use crate::rank_records::RankRecords;
use crate::record::{Exec, IrqSpan, Record, RecordError, kind_name};
use crate::ring::{DROP_KINDS, Rings};
use crate::sched_ext::SchedExt;
use crate::schedstat::Sampler;
use crate::segment::NO_CPU;
use crate::stacks::Stacks;
use crate::stats::Stats;
use std::io;
use std::rc::Rc;
use std::time::Duration;

/// Share of a ring in use, in 1/256: all of it.
const FULL: u64 = 256;
/// Most bytes of records taken from one CPU's ring in one poll.
const MOST_AT_ONCE: usize = 4 << 20;
/// Write when so many bytes are pending ...
const FLUSH_BYTES: usize = 512 << 10;
/// ... or when so much time has passed.
const FLUSH_NS: u64 = 200_000_000;
/// Have the kernel write to the disk this often.
const SYNC_NS: u64 = 2_000_000_000;
/// Read cgroups for so long at a time: the rings are not emptied meanwhile.
const CGROUPS_NS: u64 = 1_000_000;
/// An interval of interrupt work is closed when no part followed for so long.
const IRQ_QUIET_NS: u64 = 1_000_000;
/// Shorter interrupt work is not recorded.
const IRQ_MIN_NS: u64 = 20_000;

/// Why the consumer cannot go on.
#[derive(Debug)]
pub(crate) enum ConsumerError {
    Write(io::Error),
    Ring(RecordError),
}

impl ConsumerError {
    /// Reason for `meta.json`.
    pub fn reason(&self) -> String {
        match self {
            Self::Write(e) if e.raw_os_error() == Some(libc::ENOSPC) || e.raw_os_error() == Some(libc::EDQUOT) => {
                "disk_full".into()
            }
            Self::Write(e) => format!("error: writing a segment: {e}"),
            Self::Ring(e) => format!("error: {e}"),
        }
    }
}

pub(crate) struct Consumer {
    pub rings: Rings,
    writer: Option<Box<dyn FrameSink>>,
    base_ns: u64,
    stacks: Option<Stacks>,
    /// Reads the load balancer's counters.
    pub sampler: Option<Sampler>,
    /// Reads which sched_ext scheduler is in charge.
    pub sched_ext: Option<SchedExt>,
    pending: Vec<Vec<u8>>,
    /// Reads the scheduling domains again when they were built anew.
    pub domains: Option<Rc<PreparedPrograms>>,
    /// When they were, and could not be read.
    unread_domains: Option<(u64, u64)>,
    /// Records that user space writes itself.
    pub own: Vec<u8>,
    new_stacks: Vec<i32>,
    /// Their first reading is to be over before recording is on.
    pub cgroups: CgroupRecords,
    /// As the cgroups.
    pub ranks: RankRecords,
    counts: [u64; DROP_KINDS],
    stats: Stats,
    watermark_ns: u64,
    flushed_ns: u64,
    synced_ns: u64,
    polled_ns: u64,
    cpu_ns: u64,
    /// When the programs were switched off; later than any time until then.
    end_ns: u64,
}

impl Consumer {
    pub fn new(rings: Rings, writer: Box<dyn FrameSink>, base_ns: u64, stacks: Option<Stacks>) -> Self {
        let (pending, now) = (vec![Vec::new(); rings.cpus()], now_ns());
        Self {
            rings,
            writer: Some(writer),
            base_ns,
            stacks,
            sampler: None,
            sched_ext: None,
            domains: None,
            unread_domains: None,
            pending,
            own: Vec::new(),
            new_stacks: Vec::new(),
            cgroups: CgroupRecords::default(),
            ranks: RankRecords::default(),
            counts: [0; DROP_KINDS],
            stats: Stats::default(),
            watermark_ns: base_ns,
            flushed_ns: now,
            synced_ns: now,
            polled_ns: base_ns,
            cpu_ns: 0,
            end_ns: u64::MAX,
        }
    }

    /// Write the complete snapshot. The consumer's CPU time counts from here.
    pub fn write_snapshot(&mut self) -> Result<(), ConsumerError> {
        self.poll()?;
        self.flush(now_ns())?;
        self.cpu_ns = clock_ns(libc::CLOCK_THREAD_CPUTIME_ID);
        Ok(())
    }

    /// Switch the programs off, for good; when that was (again: when it was the first time).
    pub fn stop(&mut self) -> u64 {
        self.rings.set_on(false);
        self.end_ns = self.end_ns.min(now_ns());
        self.end_ns
    }

    /// The time, no later than the end of the recording.
    fn now_ns(&self) -> u64 {
        now_ns().min(self.end_ns)
    }

    /// Poll all rings once. Returns the largest share of a ring that was in use, in 1/256.
    pub fn poll(&mut self) -> Result<u64, ConsumerError> {
        let now = self.now_ns();
        if self.writer.as_ref().is_some_and(|writer| !writer.can_take_more()) {
            // What does not fit into the rings meanwhile is lost, and counted as that.
            self.stats.waits += 1;
            return Ok(FULL);
        }
        let (mut fullest, mut all_whole) = (0, true);
        for cpu in 0..self.rings.cpus() {
            let (pending, new_stacks) = (&mut self.pending[cpu], &mut self.new_stacks);
            let mut written = self.stacks.as_mut().map(Stacks::written_mut);
            let on_stack = |id| {
                if written.as_mut().is_some_and(|written| Stacks::is_new(written, id)) {
                    new_stacks.push(id);
                }
            };
            let drained = self
                .rings
                .drain(cpu, pending, MOST_AT_ONCE, &mut self.counts, on_stack)
                .map_err(ConsumerError::Ring)?;
            fullest = fullest.max(drained.used);
            all_whole &= drained.whole;
            self.record_drops(cpu, now);
            if let Some(open) = self.rings.take_irq(cpu, Some(now.saturating_sub(IRQ_QUIET_NS))) {
                self.record_irq(cpu, open.start, open.last, open.kinds, open.vector);
            }
        }
        self.stats.polls += 1;
        self.stats.fullest_percent = self.stats.fullest_percent.max(fullest * 100 / 256);
        for id in std::mem::take(&mut self.new_stacks) {
            if let Some(stacks) = &mut self.stacks {
                stacks.write(id, now, self.base_ns, &mut self.own);
            }
        }
        // After the rings: what is in them from after a change has that change noticed.
        if let Some(prepared) = &self.domains {
            domains::write_changed(prepared, &self.rings, &mut self.unread_domains, self.base_ns, &mut self.own);
        }
        self.cgroups.write_changed(now, self.base_ns, &mut self.own);
        self.cgroups.read_some(CGROUPS_NS);
        let execs = self.execs();
        self.ranks.read_some(now, execs, now_ns);
        self.ranks.write_new(now, self.base_ns, &mut self.own);
        if let Some(sched_ext) = &mut self.sched_ext {
            sched_ext.write_changed(now, self.base_ns, &mut self.own);
        }
        if let Some(sampler) = &mut self.sampler {
            sampler.take(self.base_ns, &mut self.own);
        }
        // The promise of frames waits for records that are not complete.
        if all_whole {
            self.polled_ns = now;
        }
        let pending: usize = self.pending.iter().map(Vec::len).sum::<usize>() + self.own.len();
        if pending >= FLUSH_BYTES || (pending > 0 && now - self.flushed_ns >= FLUSH_NS) {
            self.flush(now)?;
        }
        Ok(fullest)
    }

    /// Programs that were started.
    pub fn execs(&self) -> u64 {
        self.counts[usize::from(Exec::KIND)]
    }

    /// Write what is pending, so that it comes before all that is recorded later.
    pub fn write_all(&mut self) -> Result<(), ConsumerError> {
        self.flush(self.now_ns())
    }

    fn record_drops(&mut self, cpu: usize, now: u64) {
        let Some(drops) = self.rings.take_drops(cpu) else { return };
        self.stats.lost += drops.write(cpu, now, self.base_ns, &mut self.own);
    }

    fn record_irq(&mut self, cpu: usize, start: u64, end: u64, kinds: u32, vector: u32) {
        if end.saturating_sub(start) >= IRQ_MIN_NS {
            let kind = match kinds {
                3 => 2,
                2 => 1,
                _ => 0,
            };
            let span = IrqSpan { dur_ns: (end - start).min(u32::MAX.into()) as u32, vector: vector as u16, kind };
            Record::IrqSpan(span).write(start, self.base_ns, &mut self.pending[cpu]);
        }
    }

    /// Write the pending records of all CPUs together, so that the last frame can promise that nothing older follows.
    fn flush(&mut self, now: u64) -> Result<(), ConsumerError> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let rings = self.pending.iter_mut().enumerate().map(|(cpu, pending)| (cpu as u16, pending));
        let frames: Vec<(u16, &mut Vec<u8>)> =
            rings.chain([(NO_CPU, &mut self.own)]).filter(|(_, pending)| !pending.is_empty()).collect();
        let last = frames.len().saturating_sub(1);
        for (i, (cpu, pending)) in frames.into_iter().enumerate() {
            self.stats.record_bytes += pending.len() as u64;
            let watermark_ns = if i == last { self.polled_ns } else { self.watermark_ns };
            writer.frame(cpu, watermark_ns, pending).map_err(ConsumerError::Write)?;
            pending.clear();
        }
        self.watermark_ns = self.polled_ns;
        self.flushed_ns = now;
        if now - self.synced_ns >= SYNC_NS {
            self.synced_ns = now;
            writer.start_writeback();
        }
        Ok(())
    }

    /// Take the last reading of the balancer's counters. (Detaching the programs may take seconds, in which it counts on.)
    pub fn stop_sampler(&mut self) {
        if let Some(sampler) = self.sampler.take() {
            sampler.finish(self.base_ns, &mut self.own);
        }
    }

    /// After the programs are detached: take the remaining records and the open intervals of interrupt work, and write all.
    pub fn finish(&mut self) -> Result<(), ConsumerError> {
        loop {
            match self.poll()? {
                FULL => std::thread::sleep(Duration::from_millis(1)),
                used if used > 8 => {}
                _ => break,
            }
        }
        let now = self.now_ns();
        for cpu in 0..self.rings.cpus() {
            if let Some(open) = self.rings.take_irq(cpu, None) {
                let end = if open.depth > 0 { now } else { open.last };
                self.record_irq(cpu, open.start, end, open.kinds, open.vector);
            }
        }
        self.cgroups.read_all();
        self.cgroups.write_changed(now, self.base_ns, &mut self.own);
        self.polled_ns = now;
        self.flush(now)?;
        if let Some(writer) = self.writer.take() {
            self.stats.stored_bytes = writer.bytes();
            self.stats.stored_bytes = writer.finish().map_err(ConsumerError::Write)?;
        }
        Ok(())
    }

    /// Figures so far.
    pub fn stats(&self) -> Stats {
        let mut stats = self.stats.clone();
        for (kind, &count) in self.counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            stats.records.insert(kind_name(kind as u8).into(), count);
        }
        if let Some(writer) = &self.writer {
            stats.stored_bytes = writer.bytes();
        }
        stats.consumer_cpu_ns = clock_ns(libc::CLOCK_THREAD_CPUTIME_ID) - self.cpu_ns;
        stats
    }
}
