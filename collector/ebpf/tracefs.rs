//! The recorder where BPF is not permitted: the scheduler's events from tracefs, into the same part folder.
//!
//! It has a tracing instance of its own, with its own buffers, so that it and other tracers do not disturb each other; it
//! never writes to the function tracer's files (`set_ftrace_*`). What the tracepoints do not carry is listed as not recorded:
//! masks are read from /proc at the start only; migration-disable, throttling, cookies and interrupt work are absent.
//! Nothing is repaired: where tracefs lacks a switch, the checker counts a contradiction.

mod convert;
mod instance;
mod page;

use crate::cgroup_records::CgroupRecords;
use crate::clock::{clock_ns, now_ns};
use crate::error::CaptureError;
use crate::meta::{self, Meta};
use crate::options::Options;
use crate::rank_records::RankRecords;
use crate::record::{Exec, Lost, Record, kind_name};
use crate::recorder_thread::{Control, RecorderThread, Recording};
use crate::segment::{NO_CPU, SegmentWriter};
use crate::snapshot;
use crate::stats::Stats;
use convert::{Converter, EVENTS};
use instance::Instance;
use page::Page;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wastenot_machine::Machine;
use wastenot_schemas::{EvidenceKind, RecordedEvidence};

/// Why the scheduler's tracepoints and /proc do not show a kind of evidence; None where they do.
pub fn why_not_recorded(kind: EvidenceKind) -> Option<&'static str> {
    use EvidenceKind as Kind;
    match kind {
        Kind::Migrations | Kind::PerCpuThread | Kind::Cpuset | Kind::Affinity | Kind::Isolated => None,
        _ => Some(NOT_SHOWN),
    }
}

const NOT_SHOWN: &str = "recorded through tracefs, which does not show it";

const NOTES: [&str; 3] = [
    "not recorded: changes of masks and cpusets (tracefs does not show them; they are read from /proc at the start)",
    "not recorded: queue lengths (tracefs does not show them)",
    "not recorded: which thread each CPU ran at the start (tracefs does not show it; known from its first switch on)",
];

/// Most bytes of pending records before they are written.
const FLUSH_BYTES: usize = 512 << 10;

/// Records through tracefs into a part folder. Dropping it ends the recording.
pub struct TracefsRecorder {
    folder: PathBuf,
    options: Options,
    thread: RecorderThread,
}

impl TracefsRecorder {
    /// A recorder into `folder`, which must not exist. The options of stacks and counters do not apply.
    pub fn new(folder: &Path, options: Options) -> Self {
        Self { folder: folder.to_owned(), options, thread: RecorderThread::default() }
    }

    /// Start: events on, snapshot taken, `meta.json` and `machine.json` written. `notes` come before the recorder's own.
    pub fn start(&mut self, notes: Vec<String>) -> Result<Meta, CaptureError> {
        let (folder, options) = (self.folder.clone(), self.options.clone());
        self.thread.start(move || TracefsRecording::start(&folder, &options, notes))
    }

    /// Figures so far; `ended` names the reason where recording has ended by itself.
    pub fn stats(&self) -> Result<Stats, CaptureError> {
        self.thread.stats()
    }

    /// Stop: events off, the rest written, the instance removed, `meta.json` completed with `reason` (or with the reason
    /// for which the recording ended before).
    pub fn stop(&mut self, reason: &str) -> Result<Meta, CaptureError> {
        self.thread.stop(reason)
    }
}

/// Records of one CPU that are not written yet.
#[derive(Default)]
struct CpuRecords {
    bytes: Vec<u8>,
    /// Time of the CPU's last event.
    last_ns: u64,
}

/// A running recording.
struct TracefsRecording {
    folder: PathBuf,
    meta: Meta,
    interval: Duration,
    instance: Instance,
    converter: Converter,
    writer: Option<SegmentWriter>,
    pending: Vec<CpuRecords>,
    own: Vec<u8>,
    counts: [u64; 32],
    ranks: RankRecords,
    stats: Stats,
    /// Everything before this instant is written.
    watermark_ns: u64,
    /// Start of the last poll.
    polled_ns: u64,
    /// CPU time of the thread at the start of the recording.
    cpu_ns: u64,
}

impl TracefsRecording {
    fn start(folder: &Path, options: &Options, mut notes: Vec<String>) -> Result<Self, CaptureError> {
        let mut machine = Machine::read(Path::new("/"))
            .map_err(|e| CaptureError::Option { why: format!("the machine cannot be described: {e}") })?;
        machine.host = machine.host.filter(|_| options.host);
        let cpus = machine.possible.iter().max().map_or(1, |last| last + 1);
        let mut meta = Meta::at_start("tracefs", options);
        meta.attach = "tracefs".into();
        meta.functions = Vec::new();
        meta.cpus = cpus;
        meta.set_recorded(&RecordedEvidence::new(|kind| why_not_recorded(kind).map(str::to_owned)));
        let ring_bytes = options.ring_size(cpus as usize)?;
        let instance = Instance::create(ring_bytes)?;
        let (events, refused) = instance.switch_on(&EVENTS)?;
        let converter = Converter::new(events, &meta.kernel);
        notes.extend(NOTES.map(str::to_owned));
        notes.extend(options.power.then(|| "not recorded: idle states and frequencies (with eBPF alone)".into()));
        notes.extend(refused);
        meta.notes = notes;

        let segments = folder.join("segments");
        std::fs::create_dir(folder).map_err(CaptureError::file(folder))?;
        std::fs::create_dir(&segments).map_err(CaptureError::file(&segments))?;
        meta::write_file(folder, "machine.json", machine.to_json().as_bytes())?;
        let writer = SegmentWriter::create(&segments, meta.base_ns, options.segment_bytes)
            .map_err(CaptureError::file(&segments))?;

        let mut recording = Self {
            folder: folder.to_owned(),
            interval: Duration::from_millis(options.poll_ms.clamp(1, 1000)),
            instance,
            converter,
            writer: Some(writer),
            pending: (0..cpus).map(|_| CpuRecords::default()).collect(),
            own: Vec::new(),
            counts: [0; 32],
            ranks: RankRecords::default(),
            stats: Stats::default(),
            watermark_ns: meta.base_ns,
            polled_ns: meta.base_ns,
            cpu_ns: 0,
            meta,
        };
        recording.instance.open_cpus(cpus as usize)?;
        recording.meta.start_ns = now_ns();
        recording.instance.set_on(true)?;
        snapshot::threads_of_proc(recording.meta.base_ns, &mut recording.own)
            .map_err(|why| CaptureError::Option { why })?;
        for thread in wastenot_machine::threads::snapshot(Path::new("/")).unwrap_or_default() {
            recording.converter.tgids.insert(thread.tid, thread.tgid);
        }
        recording.record_cgroups();
        recording.ranks.read_all(Path::new("/proc"));
        recording.meta.write(folder)?;
        recording.cpu_ns = clock_ns(libc::CLOCK_THREAD_CPUTIME_ID);
        Ok(recording)
    }

    /// Names, quotas and weights of the cgroups, as they are at the start.
    fn record_cgroups(&mut self) {
        let mut cgroups = CgroupRecords::default();
        cgroups.read_all();
        cgroups.write_all(now_ns(), self.meta.base_ns, &mut self.own);
    }

    /// Read every CPU's buffer until it is empty; write the pending records when there are enough.
    fn poll(&mut self, all: bool) -> io::Result<()> {
        let begin_ns = now_ns();
        let Self { instance, converter, pending, counts, stats, meta, .. } = self;
        for (cpu, pending) in pending.iter_mut().enumerate() {
            instance.pages(cpu, |bytes| {
                let malformed = |page::MalformedPage { offset }| {
                    io::Error::other(format!("trace_pipe_raw of CPU {cpu} holds no page of events (byte {offset})"))
                };
                let page = Page::parse(bytes).map_err(malformed)?;
                if let Some(count) = page.missed {
                    stats.lost += count.max(1);
                    let from = pending.last_ns.max(meta.start_ns);
                    let lost = Lost { cpu: cpu as u16, kind: 0, reserved: 0, to: page.ts_ns.max(from), count };
                    Record::Lost(lost).write(from, meta.base_ns, &mut pending.bytes);
                }
                page.events(|ts_ns, event| {
                    pending.last_ns = ts_ns;
                    if let Some(record) = converter.convert(event) {
                        let kind = pending.bytes.len();
                        record.write(ts_ns, meta.base_ns, &mut pending.bytes);
                        counts[usize::from(pending.bytes[kind] & 31)] += 1;
                    }
                })
                .map_err(malformed)
            })?;
        }
        self.ranks.read_some(begin_ns, self.counts[usize::from(Exec::KIND)], now_ns);
        self.ranks.write_new(begin_ns, self.meta.base_ns, &mut self.own);
        self.stats.polls += 1;
        self.polled_ns = begin_ns;
        let bytes: usize = self.pending.iter().map(|pending| pending.bytes.len()).sum::<usize>() + self.own.len();
        // A busy machine fills a flush; a quiet one is written at every twentieth poll.
        if all || bytes >= FLUSH_BYTES || self.stats.polls.is_multiple_of(20) && bytes > 0 {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Write the pending records of all CPUs together, so that the last frame can promise that nothing older follows.
    fn flush(&mut self) -> io::Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let cpus = self.pending.iter_mut().enumerate().map(|(cpu, pending)| (cpu as u16, &mut pending.bytes));
        let frames: Vec<(u16, &mut Vec<u8>)> =
            cpus.chain([(NO_CPU, &mut self.own)]).filter(|(_, bytes)| !bytes.is_empty()).collect();
        let last = frames.len().saturating_sub(1);
        for (index, (cpu, bytes)) in frames.into_iter().enumerate() {
            self.stats.record_bytes += bytes.len() as u64;
            writer.frame(cpu, if index == last { self.polled_ns } else { self.watermark_ns }, bytes)?;
            bytes.clear();
        }
        self.watermark_ns = self.polled_ns;
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.poll(true)?;
        if let Some(writer) = self.writer.take() {
            self.stats.stored_bytes = writer.finish()?;
        }
        Ok(())
    }

    fn figures(&self, ended: Option<String>) -> Stats {
        let mut stats = Stats {
            ended,
            consumer_cpu_ns: clock_ns(libc::CLOCK_THREAD_CPUTIME_ID) - self.cpu_ns,
            ..self.stats.clone()
        };
        for (kind, &count) in self.counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            stats.records.insert(kind_name(kind as u8).into(), count);
        }
        if let Some(writer) = &self.writer {
            stats.stored_bytes = writer.bytes();
        }
        stats
    }
}

impl Recording for TracefsRecording {
    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn run(mut self, control: &Control) -> Meta {
        let mut failed: Option<(String, u64)> = None;
        let asked = loop {
            if let Some(reason) = control.wait(self.interval) {
                break reason;
            }
            if failed.is_none() {
                if let Err(error) = self.poll(false) {
                    let _ = self.instance.set_on(false);
                    failed = Some((reason_of(&error), now_ns()));
                }
                control.publish(self.figures(failed.as_ref().map(|(reason, _)| reason.clone())));
            }
        };
        let off = self.instance.set_on(false);
        let off_ns = now_ns(); // what is converted after it takes its time
        if failed.is_none() {
            let finished = off.map_err(io::Error::other).and_then(|()| self.finish());
            failed = finished.err().map(|error| (reason_of(&error), off_ns));
        }
        let (reason, end_ns) = failed.clone().unwrap_or((asked, off_ns));
        self.meta.end_ns = Some(end_ns);
        self.meta.end_reason = Some(reason);
        self.meta.stats = Some(self.figures(failed.map(|(reason, _)| reason)));
        if self.converter.malformed > 0 {
            self.meta.notes.push(format!("{} events did not follow their format", self.converter.malformed));
        }
        self.meta.notes.extend(self.converter.states.note());
        self.meta.unverified = self.converter.states.statements();
        if let Err(error) = self.meta.write(&self.folder) {
            self.meta.end_reason = Some(format!("error: {error}"));
        }
        self.meta
    }
}

fn reason_of(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENOSPC | libc::EDQUOT) => "disk_full".into(),
        _ => format!("error: {error}"),
    }
}
