//! Recording with eBPF: from a folder's name to a recording in it.

use crate::clock::now_ns;
use crate::consumer::{Consumer, ConsumerError};
use crate::domains;
use crate::error::CaptureError;
use crate::evidence;
use crate::frame_sink::{PartFolder, Target};
use crate::live_frames::{LiveFrames, live_target};
use crate::load::{self, Attach};
use crate::meta::Meta;
use crate::missing::Refusal;
use crate::options::Options;
use crate::prepared::PreparedPrograms;
use crate::priority;
use crate::recorder_thread::{Control, RecorderThread, Recording};
use crate::regions::RegionProbes;
use crate::sched_ext::SchedExt;
use crate::schedstat::Sampler;
use crate::snapshot;
use crate::stats::Stats;
use libbpf_rs::Link;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;
use wastenot_machine::Symbols;

/// Records this machine's scheduler with eBPF. Dropping it ends the recording.
pub struct EbpfRecorder {
    /// Until it starts.
    target: Option<Box<dyn Target>>,
    options: Options,
    thread: RecorderThread,
}

impl EbpfRecorder {
    /// A recorder into `folder`, which must not exist.
    pub fn new(folder: &Path, options: Options) -> Self {
        Self { target: Some(Box::new(PartFolder::new(folder))), options, thread: RecorderThread::default() }
    }

    /// A recorder whose frames are received in this process, and also written to the part folder `also_part`, where one is given; that must not
    /// exist. While `most_waiting` bytes of records wait for the receiver, further ones stay in the rings until these are full.
    pub fn live(also_part: Option<&Path>, most_waiting: usize, options: Options) -> (Self, LiveFrames) {
        let (target, frames) = live_target(also_part, most_waiting);
        (Self { target: Some(Box::new(target)), options, thread: RecorderThread::default() }, frames)
    }

    /// Start: programs attached, snapshot taken, `meta.json` and `machine.json` written. A recorder starts once.
    pub fn start(&mut self) -> Result<Meta, CaptureError> {
        let target = self.target.take().ok_or(CaptureError::State("the recorder has been started before"))?;
        let options = self.options.clone();
        self.thread.start(move || EbpfRecording::start(target, &options))
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
    target: Box<dyn Target>,
    meta: Meta,
    poll: Duration,
    links: Vec<Link>,
    consumer: Consumer,
    regions: Option<RegionProbes>,
    prepared: Rc<PreparedPrograms>,
}

impl EbpfRecording {
    fn start(mut target: Box<dyn Target>, options: &Options) -> Result<Self, CaptureError> {
        match Self::try_start(target.as_mut(), options, Meta::at_start("ebpf", options)) {
            Ok(started) => Ok(started(target)),
            Err(error) => {
                target.discard();
                Err(error)
            }
        }
    }

    /// Returns what a recording to that target is made with.
    fn try_start(
        target: &mut dyn Target,
        options: &Options,
        mut meta: Meta,
    ) -> Result<impl FnOnce(Box<dyn Target>) -> Self + use<>, CaptureError> {
        let symbols = Symbols::read(Path::new("/proc/kallsyms"));
        let attach = match options {
            Options { raw_tp: true, .. } => Attach::RawTp,
            Options { early: true, .. } => Attach::Early,
            _ => load::typed(),
        };
        let mut prepared = PreparedPrograms::load(options, &meta, &symbols, attach)?;
        let rings = prepared.map_rings()?;
        let stacks = prepared.stacks(options, symbols)?;

        domains::complete_own(&mut prepared);
        let writer = target.open(&prepared.machine, &meta, options)?;
        let loaded = &mut prepared.loaded;
        let links = loaded.attach_all()?;
        rings.set_searches(loaded.searches());
        let mut consumer = Consumer::new(rings, writer, meta.base_ns, stacks);
        consumer.sched_ext = Some(SchedExt::new(loaded.records_sched_ext(), loaded.grants_cpus_to_cgroups));
        consumer.cgroups.read_all();
        consumer.ranks.read_all(Path::new("/proc"));
        let mut regions = RegionProbes::new(options, loaded);
        if let Some(regions) = &mut regions {
            regions.look_at_command(&options.command_words);
            regions.look_at_processes(now_ns(), 0);
            regions.write_names(now_ns(), meta.base_ns, &mut consumer.own);
        }
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
            ConsumerError::Write(source) => CaptureError::Io { what: "writing the snapshot".into(), source },
            ConsumerError::Ring(error) => CaptureError::Option { why: error.to_string() },
        })?;

        meta.cpus = prepared.cpus;
        meta.counters.clone_from(&prepared.counters);
        let sampler = Sampler::start(Path::new("/"), options.schedstat, evidence::has_attempts(options, loaded));
        if let Some(regions) = &mut regions {
            regions.attach(loaded, None);
        }
        evidence::describe(&mut meta, options, loaded, sampler.as_ref().err().map(String::as_str));
        if let Some(regions) = &mut regions {
            regions.noted = regions.notes();
            meta.notes.extend(regions.noted.iter().cloned());
        }
        meta.notes.extend(prepared.without_counters.clone());
        consumer.sampler = sampler.ok();
        let prepared = Rc::new(prepared);
        consumer.domains = Some(Rc::clone(&prepared));
        target.describe(&meta)?;
        let poll = Duration::from_millis(options.poll_ms.clamp(1, 1000));
        Ok(move |target| Self { target, meta, poll, links, consumer, regions, prepared })
    }

    /// No program records from the instant on that this returns: the end of the recording. (To detach the programs takes from
    /// milliseconds to a second, in which nothing is recorded and which must not look like silence.)
    fn detach(&mut self) -> u64 {
        let end_ns = self.consumer.stop();
        self.links.clear();
        self.regions.iter_mut().for_each(RegionProbes::detach);
        end_ns
    }

    /// Probe the libraries of processes that have started.
    fn look_for_regions(&mut self) -> Result<(), ConsumerError> {
        let Some(regions) = &mut self.regions else { return Ok(()) };
        regions.look_at_processes(now_ns(), self.consumer.execs());
        if regions.has_new() {
            self.meta.notes.retain(|note| !regions.noted.contains(note));
            regions.write_names(now_ns(), self.meta.base_ns, &mut self.consumer.own);
            self.consumer.write_all()?;
            regions.attach(&self.prepared.loaded, Some(now_ns().saturating_sub(self.meta.start_ns)));
            regions.noted = regions.notes();
            self.meta.notes.extend(regions.noted.iter().cloned());
        }
        Ok(())
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
            match self.look_for_regions().and_then(|()| self.consumer.poll()) {
                // A ring that is a quarter full at one poll may overflow before the next.
                Ok(used) => wait = if used >= 64 { Duration::from_millis(1).min(self.poll) } else { self.poll },
                Err(failure) => {
                    failed = Some((failure.reason(), self.detach()));
                    wait = Duration::from_millis(200);
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
        let end_ns = self.detach();
        if failed.is_none() {
            failed = self.consumer.finish().err().map(|failure| (failure.reason(), end_ns));
        }
        let (reason, end_ns) = failed.clone().unwrap_or((asked, end_ns));
        let mut stats = self.consumer.stats();
        stats.ended = failed.map(|(reason, _)| reason);
        self.meta.unverified.extend(self.consumer.sched_ext.iter().filter_map(SchedExt::unverified).map(str::to_owned));
        self.meta.end_ns = Some(end_ns);
        self.meta.end_reason = Some(reason);
        self.meta.stats = Some(stats);
        if let Err(error) = self.target.complete(&self.meta) {
            self.meta.end_reason = Some(format!("error: {error}"));
        }
        self.meta
    }
}
