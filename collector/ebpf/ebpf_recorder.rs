//! Recording with eBPF: from a folder's name to a recording in it.

use crate::clock::now_ns;
use crate::consumer::{Consumer, ConsumerError, Stats};
use crate::error::CaptureError;
use crate::evidence;
use crate::load::Attach;
use crate::meta::{self, Meta};
use crate::missing::Refusal;
use crate::options::Options;
use crate::prepared::PreparedPrograms;
use crate::priority;
use crate::recorder_thread::{Control, RecorderThread, Recording};
use crate::schedstat::Sampler;
use crate::segment::SegmentWriter;
use crate::snapshot;
use libbpf_rs::Link;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wastenot_machine::Symbols;

/// Records this machine's scheduler with eBPF into a part folder. Dropping it ends the recording.
pub struct EbpfRecorder {
    folder: PathBuf,
    options: Options,
    thread: RecorderThread,
}

impl EbpfRecorder {
    /// A recorder into `folder`, which must not exist.
    pub fn new(folder: &Path, options: Options) -> Self {
        Self { folder: folder.to_owned(), options, thread: RecorderThread::default() }
    }

    /// Start: programs attached, snapshot taken, `meta.json` and `machine.json` written.
    pub fn start(&mut self) -> Result<Meta, CaptureError> {
        let (folder, options) = (self.folder.clone(), self.options.clone());
        self.thread.start(move || EbpfRecording::start(&folder, &options))
    }

    /// Figures so far; `ended` names the reason where recording has ended by itself.
    pub fn stats(&self) -> Result<Stats, CaptureError> {
        self.thread.stats()
    }

    /// Stop: programs detached, the rest written, `meta.json` completed with `reason` (or with the reason for which the
    /// recording ended before).
    pub fn stop(&mut self, reason: &str) -> Result<Meta, CaptureError> {
        self.thread.stop(reason)
    }
}

/// A running recording.
struct EbpfRecording {
    folder: PathBuf,
    meta: Meta,
    poll: Duration,
    links: Vec<Link>,
    consumer: Consumer,
    _prepared: PreparedPrograms,
}

/// Bytes kept free so that `meta.json` can be completed on a full disk.
const RESERVE: usize = 64 << 10;

impl EbpfRecording {
    fn start(folder: &Path, options: &Options) -> Result<Self, CaptureError> {
        let existed = folder.symlink_metadata().is_ok();
        Self::try_start(folder, options, &mut Meta::at_start("ebpf", options)).inspect_err(|_| {
            if !existed {
                let _ = std::fs::remove_dir_all(folder);
            }
        })
    }

    fn try_start(folder: &Path, options: &Options, meta: &mut Meta) -> Result<Self, CaptureError> {
        let symbols = Symbols::read(Path::new("/proc/kallsyms"));
        let attach = if options.raw_tp { Attach::RawTp } else { Attach::TpBtf };
        let mut prepared = PreparedPrograms::load(options, meta, &symbols, attach)?;
        let rings = prepared.map_rings()?;
        let stacks = prepared.stacks(options, symbols)?;

        let segments = folder.join("segments");
        std::fs::create_dir(folder).map_err(CaptureError::file(folder))?;
        std::fs::create_dir(&segments).map_err(CaptureError::file(&segments))?;
        meta::write_file(folder, "machine.json", prepared.machine.to_json().as_bytes())?;
        meta::write_file(folder, ".reserve", &vec![0; RESERVE])?;
        let writer = SegmentWriter::create(&segments, meta.base_ns, options.segment_bytes)
            .map_err(CaptureError::file(&segments))?;

        let loaded = &mut prepared.loaded;
        let links = loaded.attach_all()?;
        let mut consumer = Consumer::new(rings, writer, meta.base_ns, stacks);
        priority::raise();
        let allocated = snapshot::threads(&loaded.object, &mut consumer.own);
        meta.start_ns = now_ns();
        consumer.rings.set_on(true);
        if let Err(why) = snapshot::cpus(&loaded.object, &prepared.machine.possible, meta.base_ns, &mut consumer.own) {
            loaded.refused.entry("this_cpu").or_insert(Refusal::ByKernel(why));
        }
        if let Err(why) = allocated.and_then(|()| snapshot::threads(&loaded.object, &mut consumer.own)) {
            loaded.refused.entry("each_thread").or_insert(Refusal::ByKernel(why));
            snapshot::threads_of_proc(meta.base_ns, &mut consumer.own).map_err(|why| CaptureError::Option { why })?;
        }
        consumer.rings.set_settled(true);
        consumer.write_snapshot().map_err(|failure| match failure {
            ConsumerError::Write(source) => CaptureError::Io { what: segments.display().to_string(), source },
            ConsumerError::Ring(error) => CaptureError::Option { why: error.to_string() },
        })?;

        meta.cpus = prepared.cpus;
        meta.counters.clone_from(&prepared.counters);
        let sampler = Sampler::start(Path::new("/"), options.schedstat, evidence::has_attempts(options, loaded));
        evidence::describe(meta, options, loaded, sampler.as_ref().err().map(String::as_str));
        meta.notes.extend(prepared.without_counters.clone());
        consumer.sampler = sampler.ok();
        meta.write(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            meta: meta.clone(),
            poll: Duration::from_millis(options.poll_ms.clamp(1, 1000)),
            links,
            consumer,
            _prepared: prepared,
        })
    }

    /// No program records from here on.
    fn detach(&mut self) {
        self.consumer.rings.set_on(false);
        self.links.clear();
    }
}

impl Recording for EbpfRecording {
    fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Poll the rings until a reason to stop arrives; then finish.
    fn run(mut self, control: &Control) -> Meta {
        let mut failed = None;
        let mut wait = self.poll;
        let mut polls = 0u64;
        let asked = loop {
            if let Some(reason) = control.wait(wait) {
                break reason;
            }
            if failed.is_some() {
                continue;
            }
            match self.consumer.poll() {
                // A ring that is a quarter full at one poll may overflow before the next.
                Ok(used) => wait = if used >= 64 { Duration::from_millis(1).min(self.poll) } else { self.poll },
                Err(failure) => {
                    self.detach();
                    wait = Duration::from_millis(200);
                    failed = Some((failure.reason(), now_ns()));
                }
            }
            polls += 1;
            if polls.is_multiple_of(16) || failed.is_some() {
                let mut stats = self.consumer.stats();
                stats.ended = failed.as_ref().map(|(reason, _)| reason.clone());
                control.publish(stats);
            }
        };
        if failed.is_none() {
            self.consumer.stop_sampler();
        }
        self.detach();
        if failed.is_none() {
            failed = self.consumer.finish().err().map(|failure| (failure.reason(), now_ns()));
        }
        let (reason, end_ns) = failed.clone().unwrap_or_else(|| (asked, now_ns()));
        let mut stats = self.consumer.stats();
        stats.ended = failed.map(|(reason, _)| reason);
        self.meta.end_ns = Some(end_ns);
        self.meta.end_reason = Some(reason);
        self.meta.stats = Some(stats);
        let _ = std::fs::remove_file(self.folder.join(".reserve"));
        if let Err(error) = self.meta.write(&self.folder) {
            self.meta.end_reason = Some(format!("error: {error}"));
        }
        self.meta
    }
}
