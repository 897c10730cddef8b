//! The recorder where BPF is not permitted: the scheduler's events from tracefs, into the same part folder.
//!
//! It has a tracing instance of its own, with its own buffers, so that it neither disturbs another tracer nor is disturbed;
//! it never touches the function tracer's files (`set_ftrace_*`). What the tracepoints do not carry is missing and said so:
//! masks come from /proc at the start only, and migration-disable, throttling, cookies and interrupt work not at all.
//! Nothing is repaired: where tracefs leaves out a switch, the checker meets a contradiction and counts it.

mod convert;
mod instance;
mod page;

use crate::consumer::Stats;
use crate::error::CaptureError;
use crate::meta::{self, FORMAT, Meta, clock_ns, now_ns};
use crate::options::Options;
use crate::record::{Lost, Record, kind_name};
use crate::segment::{NO_CPU, SegmentWriter};
use crate::snapshot;
use convert::{Converter, EVENTS};
use instance::Instance;
use page::Page;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use wastenot_machine::Machine;
use wastenot_schemas::{EvidenceKind, Excuse, evidence_names, split_excuses};

/// Whether the scheduler's tracepoints and /proc can show an excuse.
pub fn shows(excuse: Excuse) -> bool {
    match excuse {
        Excuse::PerCpuThread | Excuse::Cpuset | Excuse::Affinity | Excuse::Isolated => true,
        Excuse::MigrationDisabled | Excuse::Throttled | Excuse::Cookie | Excuse::IrqBusy => false,
    }
}

/// Whether they hold all events of a kind. Of moves they do, without stacks.
fn holds(kind: EvidenceKind) -> bool {
    kind == EvidenceKind::Migrations
}

const DEGRADED: &[&str] = &[
    "not recorded: changes of masks and cpusets (tracefs does not show them; they are read from /proc at the start)",
    "not recorded: kernel stacks of moves, queue lengths, interrupt work, throttling (tracefs does not show them)",
    "not recorded: which thread each CPU ran at the start (tracefs does not show it; known from its first switch on)",
];

/// Most bytes of records held before they are written.
const FLUSH_BYTES: usize = 512 << 10;

/// Records through tracefs into a part folder. Dropping it ends the recording.
pub struct TracefsRecorder {
    folder: PathBuf,
    options: Options,
    running: Option<Running>,
}

struct Running {
    stop: Sender<String>,
    stats: Arc<Mutex<Stats>>,
    thread: JoinHandle<Meta>,
}

impl TracefsRecorder {
    /// A recorder into `folder`, which must not exist. Of the options, those of stacks and counters do not apply.
    pub fn new(folder: &Path, options: Options) -> Self {
        Self { folder: folder.to_owned(), options, running: None }
    }

    /// Begin: events on, snapshot taken, `meta.json` and `machine.json` written. `degraded` goes before what the recorder
    /// itself has to say about missing evidence.
    pub fn start(&mut self, degraded: Vec<String>) -> Result<Meta, CaptureError> {
        if self.running.is_some() {
            return Err(CaptureError::State("the recorder runs already"));
        }
        let session = Session::begin(&self.folder, &self.options, degraded)?;
        let meta = session.meta.clone();
        let (stop, stopped) = channel();
        let stats = Arc::new(Mutex::new(Stats::default()));
        let shared = Arc::clone(&stats);
        let thread = std::thread::Builder::new()
            .name("wastenot-record".into())
            .spawn(move || session.run(&stopped, &shared))
            .map_err(CaptureError::io("a thread for the recorder"))?;
        self.running = Some(Running { stop, stats, thread });
        Ok(meta)
    }

    /// Figures so far; `ended` names the reason where recording has ended by itself.
    pub fn stats(&self) -> Result<Stats, CaptureError> {
        let running = self.running.as_ref().ok_or(CaptureError::State("the recorder does not run"))?;
        Ok(running.stats.lock().map_err(|_| CaptureError::State("the recorder's thread failed"))?.clone())
    }

    /// End: events off, the rest written, the instance removed, `meta.json` completed with `reason` (or with the reason
    /// for which the recording ended before).
    pub fn stop(&mut self, reason: &str) -> Result<Meta, CaptureError> {
        let running = self.running.take().ok_or(CaptureError::State("the recorder does not run"))?;
        let _ = running.stop.send(reason.to_owned());
        running.thread.join().map_err(|_| CaptureError::State("the recorder's thread failed"))
    }
}

impl Drop for TracefsRecorder {
    fn drop(&mut self) {
        if self.running.is_some() {
            let _ = self.stop("interrupt");
        }
    }
}

/// What one CPU's buffer gave since the last flush.
#[derive(Default)]
struct Held {
    bytes: Vec<u8>,
    /// Time of the CPU's last event.
    last_ns: u64,
}

struct Session {
    folder: PathBuf,
    meta: Meta,
    poll: Duration,
    instance: Instance,
    converter: Converter,
    writer: Option<SegmentWriter>,
    held: Vec<Held>,
    own: Vec<u8>,
    counts: [u64; 32],
    stats: Stats,
    /// Begin of the last look that was written out: everything before it is.
    watermark_ns: u64,
    looked_ns: u64,
}

impl Session {
    fn begin(folder: &Path, options: &Options, mut degraded: Vec<String>) -> Result<Self, CaptureError> {
        let machine = Machine::read(Path::new("/"))
            .map_err(|e| CaptureError::Option { why: format!("the machine cannot be described: {e}") })?;
        let cpus = machine.possible.iter().max().map_or(1, |last| last + 1);
        let mut meta = describe(options, cpus);
        let ring_bytes = options.ring_size(cpus as usize)?;
        let instance = Instance::create(ring_bytes)?;
        let (events, refused) = instance.switch_on(&EVENTS)?;
        let converter = Converter::new(events, &meta.kernel);
        degraded.append(&mut meta.degraded);
        degraded.extend(refused);
        meta.degraded = degraded;

        let segments = folder.join("segments");
        std::fs::create_dir(folder).map_err(CaptureError::file(folder))?;
        std::fs::create_dir(&segments).map_err(CaptureError::file(&segments))?;
        meta::write_file(folder, "machine.json", machine.to_json().as_bytes())?;
        let writer = SegmentWriter::create(&segments, meta.base_ns, options.segment_bytes)
            .map_err(CaptureError::file(&segments))?;

        let mut session = Self {
            folder: folder.to_owned(),
            poll: Duration::from_millis(options.poll_ms.clamp(1, 1000)),
            instance,
            converter,
            writer: Some(writer),
            held: (0..cpus).map(|_| Held::default()).collect(),
            own: Vec::new(),
            counts: [0; 32],
            stats: Stats::default(),
            watermark_ns: meta.base_ns,
            looked_ns: meta.base_ns,
            meta,
        };
        session.instance.open_cpus(cpus as usize)?;
        session.meta.start_ns = now_ns();
        session.instance.set_on(true)?;
        snapshot::threads_of_proc(session.meta.base_ns, &mut session.own)
            .map_err(|why| CaptureError::Option { why })?;
        for thread in wastenot_machine::threads::snapshot(Path::new("/")).unwrap_or_default() {
            session.converter.tgids.insert(thread.tid, thread.tgid);
        }
        session.note_cgroups();
        session.meta.write(folder)?;
        Ok(session)
    }

    /// Names, quotas and weights of the cgroups, as they are at the start.
    fn note_cgroups(&mut self) {
        for cgroup in wastenot_machine::cgroups::read(Path::new("/")).unwrap_or_default() {
            let record = Record::CgroupInfo {
                cgroup_id: cgroup.id,
                quota_ns: cgroup.quota_ns.unwrap_or(-1),
                period_ns: cgroup.period_ns.unwrap_or(-1),
                weight: cgroup.weight.unwrap_or(-1),
                path: cgroup.path.as_bytes(),
            };
            record.write(now_ns(), self.meta.base_ns, &mut self.own);
        }
    }

    fn run(mut self, stop: &Receiver<String>, shared: &Mutex<Stats>) -> Meta {
        let mut failed: Option<(String, u64)> = None;
        let told = loop {
            match stop.recv_timeout(self.poll) {
                Ok(reason) => break reason,
                Err(RecvTimeoutError::Disconnected) => break "interrupt".into(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if failed.is_none() {
                if let Err(error) = self.look(false) {
                    let _ = self.instance.set_on(false);
                    failed = Some((reason_of(&error), now_ns()));
                }
                if let Ok(mut shared) = shared.lock() {
                    *shared = self.figures(failed.as_ref().map(|(reason, _)| reason.clone()));
                }
            }
        };
        let off = self.instance.set_on(false);
        if failed.is_none() {
            let finished = off.map_err(io::Error::other).and_then(|()| self.finish());
            failed = finished.err().map(|error| (reason_of(&error), now_ns()));
        }
        let (reason, end_ns) = failed.clone().unwrap_or_else(|| (told, now_ns()));
        self.meta.end_ns = Some(end_ns);
        self.meta.end_reason = Some(reason);
        self.meta.stats = Some(self.figures(failed.map(|(reason, _)| reason)));
        if self.converter.garbled > 0 {
            self.meta.degraded.push(format!("{} events did not follow their format", self.converter.garbled));
        }
        self.meta.degraded.extend(self.converter.states.note());
        self.meta.unverified = self.converter.states.statements();
        if let Err(error) = self.meta.write(&self.folder) {
            self.meta.end_reason = Some(format!("error: {error}"));
        }
        self.meta
    }

    /// Read every CPU's buffer until it is empty, and write out what has gathered.
    fn look(&mut self, all: bool) -> io::Result<()> {
        let begin_ns = now_ns();
        let Self { instance, converter, held, counts, stats, meta, .. } = self;
        for (cpu, held) in held.iter_mut().enumerate() {
            instance.pages(cpu, |bytes| {
                let garbled = |page::Garbled { offset }| {
                    io::Error::other(format!("trace_pipe_raw of CPU {cpu} holds no page of events (byte {offset})"))
                };
                let page = Page::parse(bytes).map_err(garbled)?;
                if let Some(count) = page.missed {
                    stats.lost += count.max(1);
                    let from = held.last_ns.max(meta.start_ns);
                    let lost = Lost { cpu: cpu as u16, kind: 0, reserved: 0, to: page.ts_ns.max(from), count };
                    Record::Lost(lost).write(from, meta.base_ns, &mut held.bytes);
                }
                page.events(|ts_ns, event| {
                    held.last_ns = ts_ns;
                    if let Some(record) = converter.convert(event) {
                        let kind = held.bytes.len();
                        record.write(ts_ns, meta.base_ns, &mut held.bytes);
                        counts[usize::from(held.bytes[kind] & 31)] += 1;
                    }
                })
                .map_err(garbled)
            })?;
        }
        self.stats.polls += 1;
        self.looked_ns = begin_ns;
        let held: usize = self.held.iter().map(|held| held.bytes.len()).sum::<usize>() + self.own.len();
        // A busy machine fills a flush; a quiet one is written at every twentieth look.
        if all || held >= FLUSH_BYTES || self.stats.polls.is_multiple_of(20) && held > 0 {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Write what is held: all CPUs together, so that the last frame can promise that nothing older follows.
    fn flush(&mut self) -> io::Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let cpus = self.held.iter_mut().enumerate().map(|(cpu, held)| (cpu as u16, &mut held.bytes));
        let frames: Vec<(u16, &mut Vec<u8>)> =
            cpus.chain([(NO_CPU, &mut self.own)]).filter(|(_, bytes)| !bytes.is_empty()).collect();
        let last = frames.len().saturating_sub(1);
        for (index, (cpu, bytes)) in frames.into_iter().enumerate() {
            self.stats.record_bytes += bytes.len() as u64;
            writer.frame(cpu, if index == last { self.looked_ns } else { self.watermark_ns }, bytes)?;
            bytes.clear();
        }
        self.watermark_ns = self.looked_ns;
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.look(true)?;
        if let Some(writer) = self.writer.take() {
            self.stats.stored_bytes = writer.finish()?;
        }
        Ok(())
    }

    fn figures(&self, ended: Option<String>) -> Stats {
        let mut stats = Stats { ended, consumer_cpu_ns: clock_ns(libc::CLOCK_THREAD_CPUTIME_ID), ..self.stats.clone() };
        for (kind, &count) in self.counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            stats.records.insert(kind_name(kind as u8).into(), count);
        }
        if let Some(writer) = &self.writer {
            stats.stored_bytes = writer.bytes();
        }
        stats
    }
}

fn reason_of(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENOSPC | libc::EDQUOT) => "disk_full".into(),
        _ => format!("error: {error}"),
    }
}

fn describe(options: &Options, cpus: u32) -> Meta {
    let now = now_ns();
    Meta {
        format: FORMAT,
        layout: meta::layout(),
        source: "tracefs".into(),
        recorder: options.recorder.clone(),
        kernel: std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().into(),
        clock: "monotonic".into(),
        epoch_ns: clock_ns(libc::CLOCK_REALTIME) as i64 - now as i64,
        base_ns: now,
        start_ns: now,
        end_ns: None,
        end_reason: None,
        command: options.command.clone(),
        options: options.clone(),
        attach: "tracefs".into(),
        evidence: "L0".into(),
        degraded: DEGRADED.iter().map(|&text| text.into()).collect(),
        unverified: Vec::new(),
        recorded_evidence: evidence_names(holds).into_iter().map(str::to_owned).collect(),
        recorded_excuses: split_excuses(shows).0.into_iter().map(str::to_owned).collect(),
        counters: Vec::new(),
        functions: Vec::new(),
        cpus,
        stats: None,
    }
}
