//! Recording with eBPF: from a folder's name to a recording in it.

use crate::clock::now_ns;
use crate::config::Config;
use crate::consumer::{Consumer, ConsumerError, Stats};
use crate::counters;
use crate::error::CaptureError;
use crate::frame_sink::{PartFolder, Target};
use crate::kernel::Kernel;
use crate::live_frames::{LiveFrames, live_target};
use crate::load::{self, Attach, LoadedPrograms, STACKS};
use crate::meta::Meta;
use crate::missing::{self, Refusal};
use crate::options::{EventGroup, Options};
use crate::programs;
use crate::recorder_thread::{Control, RecorderThread, Recording};
use crate::ring::Rings;
use crate::schedstat::Sampler;
use crate::snapshot;
use crate::stacks::Stacks;
use libbpf_rs::{Link, MapCore, MapHandle};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::Duration;
use wastenot_machine::{Machine, Symbols};
use wastenot_schemas::{EvidenceKind, RecordedEvidence};

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
    _counters: Vec<OwnedFd>,
    _loaded: LoadedPrograms,
}

/// The function by which a placement asks whether a CPU is idle.
const IDLE_CHECK: &str = "available_idle_cpu";

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
        let kernel = Kernel::read()?;
        let machine = Machine::read(Path::new("/"))
            .map_err(|e| CaptureError::Option { why: format!("the machine cannot be described: {e}") })?;
        let cpus = machine.possible.iter().max().map_or(1, |last| last + 1);
        let ring_size = options.ring_size(cpus as usize)?;
        let (chosen, missing) = if options.counters { counters::choose() } else { (Vec::new(), None) };
        let mut config = Config {
            ring_mask: ring_size - 1,
            base_ns: meta.base_ns,
            mask_words: cpus.div_ceil(64),
            counter_count: chosen.len() as u32,
            counter_stride: cpus,
            want_stacks: u8::from(options.stacks),
            ..Config::default()
        };
        kernel.fit(&mut config);
        let symbols = Symbols::read(Path::new("/proc/kallsyms"));
        config.want_scans = u8::from(options.wants(EventGroup::CpuScans) && kernel.has_function(IDLE_CHECK));
        let address = |wanted, function| if wanted { symbols.address(function).unwrap_or(0) } else { 0 };
        config.kick = address(options.wants(EventGroup::Kick), "nohz_csd_func");
        // The program that records kicks; for wakings alone it is not worth patching the path of all function calls.
        let queued = options.wants(EventGroup::Waking) && options.wants(EventGroup::Kick);
        config.queued_wakeup = address(queued, "sched_ttwu_pending");
        let mut loaded = match options.raw_tp {
            true => load::load(&kernel, options, &config, cpus, Attach::RawTp)?,
            false => load::load(&kernel, options, &config, cpus, Attach::TpBtf).or_else(|error| match error {
                CaptureError::NotPermitted { .. } => Err(error),
                _ => load::load(&kernel, options, &config, cpus, Attach::RawTp).map(|loaded| LoadedPrograms {
                    instead: Some(format!("raw_tp instead of tp_btf: {error}")),
                    ..loaded
                }),
            })?,
        };
        let handle = |name: &str| map_named(&loaded, name);
        let rings = Rings::map(handle("rings")?.as_fd(), cpus as usize, ring_size)
            .map_err(CaptureError::io("mapping the rings"))?;
        let online: Vec<u32> = machine.online.iter().collect();
        let counters_open = counters::attach(&handle("counters")?, &chosen, &online, cpus)
            .map_err(CaptureError::io("perf_event_open"))?;
        let stacks = match options.stacks && options.wants(EventGroup::Migrate) {
            true => Some(Stacks::new(handle("stacks")?, symbols, STACKS)),
            false => None,
        };

        let writer = target.open(&machine, &meta, options)?;
        let links = loaded.attach_all()?;
        let mut consumer = Consumer::new(rings, writer, meta.base_ns, stacks);
        raise_priority();
        let prepared = snapshot::threads(&loaded.object, &mut consumer.own);
        meta.start_ns = now_ns();
        consumer.rings.set_on(true);
        if let Err(why) = snapshot::cpus(&loaded.object, &machine.possible, meta.base_ns, &mut consumer.own) {
            loaded.refused.entry("this_cpu").or_insert(Refusal::ByKernel(why));
        }
        if let Err(why) = prepared.and_then(|()| snapshot::threads(&loaded.object, &mut consumer.own)) {
            loaded.refused.entry("each_thread").or_insert(Refusal::ByKernel(why));
            snapshot::threads_of_proc(meta.base_ns, &mut consumer.own).map_err(|why| CaptureError::Option { why })?;
        }
        consumer.rings.set_settled();
        consumer.write_snapshot().map_err(|failure| match failure {
            ConsumerError::Write(source) => CaptureError::Io { what: "writing the snapshot".into(), source },
            ConsumerError::Ring(error) => CaptureError::Option { why: error.to_string() },
        })?;

        meta.cpus = cpus;
        meta.attach = loaded.attach.name().into();
        meta.queued_wakings_only = loaded.queued_wakings_only;
        meta.counters = chosen.iter().map(|counter| counter.name.into()).collect();
        let attempts = why_not_by_programs(EvidenceKind::LoadBalanceAttempts, options, &loaded).is_none();
        let sampler = Sampler::start(Path::new("/"), options.schedstat, attempts);
        let without_counters = sampler.as_ref().err().map(String::as_str);
        let recorded = RecordedEvidence::new(|kind| why_not_recorded(kind, options, &loaded, without_counters));
        meta.evidence_level = recorded.level().name().into();
        meta.set_recorded(&recorded);
        meta.notes.extend(missing::lines(&loaded.refused));
        meta.notes.extend(loaded.instead.clone());
        meta.notes.extend(missing);
        consumer.sampler = sampler.ok();
        target.describe(&meta)?;
        let poll = Duration::from_millis(options.poll_ms.clamp(1, 1000));
        Ok(move |target| Self { target, meta, poll, links, consumer, _counters: counters_open, _loaded: loaded })
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
        if let Err(error) = self.target.complete(&self.meta) {
            self.meta.end_reason = Some(format!("error: {error}"));
        }
        self.meta
    }
}

fn map_named(loaded: &LoadedPrograms, name: &str) -> Result<MapHandle, CaptureError> {
    let map = loaded.object.maps().find(|map| map.name() == name);
    let map = map.ok_or(CaptureError::State("the BPF object lacks a map"))?;
    MapHandle::try_from(&map)
        .map_err(|e| CaptureError::Io { what: format!("map {name}"), source: std::io::Error::other(e) })
}

/// Raise this thread's priority: a fully loaded machine must not keep the consumer, a hundredth of a CPU, from emptying
/// the rings.
fn raise_priority() {
    // SAFETY: plain calls on the calling thread; a refusal leaves its scheduling as it is.
    unsafe {
        let lowest_of_real_time = libc::sched_param { sched_priority: 1 };
        if libc::sched_setscheduler(0, libc::SCHED_RR | libc::SCHED_RESET_ON_FORK, &lowest_of_real_time) != 0 {
            let tid = libc::syscall(libc::SYS_gettid) as libc::id_t;
            libc::setpriority(libc::PRIO_PROCESS, tid, -20);
        }
    }
}

/// Why the programs do not record a kind of evidence throughout; None where they do.
fn why_not_by_programs(kind: EvidenceKind, options: &Options, loaded: &LoadedPrograms) -> Option<String> {
    if programs::programs_of(kind).any(|program| !options.wants(program.group)) {
        return Some(NOT_ASKED_FOR.into());
    }
    let is_loaded = |name: &str| loaded.object.progs().any(|p| p.name() == name && p.autoload());
    let in_use = |group: EventGroup| programs::PROGRAMS.iter().any(|p| p.group == group && is_loaded(p.name));
    let is_without = || programs::programs_of(kind).any(|program| !in_use(program.group));
    missing::why_refused(kind, &loaded.refused)
        .or_else(|| is_without().then(|| "this kernel has nothing of it that could be probed".into()))
}

const NOT_ASKED_FOR: &str = "not asked for";

/// Why a recording does not hold a kind of evidence throughout; None where it does. `without_counters`: why the load
/// balancer's counters are not read.
fn why_not_recorded(
    kind: EvidenceKind,
    options: &Options,
    loaded: &LoadedPrograms,
    without_counters: Option<&str>,
) -> Option<String> {
    use EvidenceKind as Kind;
    let by_programs = || why_not_by_programs(kind, options, loaded);
    match kind {
        Kind::MigrationStacks if !options.stacks => Some(NOT_ASKED_FOR.into()),
        Kind::Migrations | Kind::MigrationStacks | Kind::LoadBalanceAttempts => by_programs(),
        Kind::Placements | Kind::CpusScanned | Kind::LoadBalanceKicks | Kind::IrqBusy => by_programs(),
        Kind::SchedstatCounters => without_counters.map(str::to_owned),
        // Read at the start and, by the programs that are always there, at every switch and wakeup.
        Kind::PerCpuThread | Kind::MigrationDisabled | Kind::Cpuset | Kind::Affinity => None,
        Kind::Throttled | Kind::Cookie => None,
        Kind::Isolated => None, // from the machine's description
    }
}
