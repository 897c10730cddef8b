//! The recorder: from a folder's name to a recording in it.

use crate::config::Config;
use crate::consumer::{Consumer, Stats, Stop};
use crate::counters;
use crate::error::CaptureError;
use crate::kernel::Kernel;
use crate::load::{self, Attach, Loaded, STACKS};
use crate::meta::{self, FORMAT, Meta, clock_ns, now_ns};
use crate::missing::{self, Refusal, Refused};
use crate::options::{EventGroup, Options};
use crate::programs;
use crate::ring::Rings;
use crate::schedstat::Sampler;
use crate::segment::SegmentWriter;
use crate::snapshot;
use crate::stacks::Stacks;
use libbpf_rs::{Link, MapCore, MapHandle};
use std::collections::BTreeSet;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use wastenot_machine::{Machine, Symbols};
use wastenot_schemas::{EvidenceKind, Excuse, evidence_names, split_excuses};

/// Records this machine's scheduler into a part folder. Dropping it ends the recording.
pub struct Recorder {
    folder: PathBuf,
    options: Options,
    running: Option<Running>,
}

struct Running {
    stop: Sender<String>,
    stats: Arc<Mutex<Stats>>,
    thread: JoinHandle<Option<Meta>>,
}

impl Recorder {
    /// A recorder into `folder`, which must not exist.
    pub fn new(folder: &Path, options: Options) -> Self {
        Self { folder: folder.to_owned(), options, running: None }
    }

    /// Begin: programs attached, snapshot taken, `meta.json` and `machine.json` written.
    pub fn start(&mut self) -> Result<Meta, CaptureError> {
        if self.running.is_some() {
            return Err(CaptureError::State("the recorder runs already"));
        }
        let (stop, stopped) = channel();
        let (started, start) = channel();
        let stats = Arc::new(Mutex::new(Stats::default()));
        let (folder, options, shared) = (self.folder.clone(), self.options.clone(), Arc::clone(&stats));
        let thread = std::thread::Builder::new()
            .name("wastenot-record".into())
            .spawn(move || match Session::begin(&folder, &options) {
                Ok(session) => {
                    let _ = started.send(Ok(session.meta.clone()));
                    Some(session.run(&stopped, &shared))
                }
                Err(error) => {
                    let _ = started.send(Err(error));
                    None
                }
            })
            .map_err(CaptureError::io("a thread for the recorder"))?;
        match start.recv() {
            Ok(Ok(meta)) => {
                self.running = Some(Running { stop, stats, thread });
                Ok(meta)
            }
            Ok(Err(error)) => {
                let _ = thread.join();
                Err(error)
            }
            Err(_) => Err(CaptureError::State("the recorder's thread ended before it began")),
        }
    }

    /// Figures so far; `ended` names the reason where recording has ended by itself.
    pub fn stats(&self) -> Result<Stats, CaptureError> {
        let running = self.running.as_ref().ok_or(CaptureError::State("the recorder does not run"))?;
        Ok(running.stats.lock().map_err(|_| CaptureError::State("the recorder's thread failed"))?.clone())
    }

    /// End: programs detached, the rest written, `meta.json` completed with `reason` (or with the reason for which the
    /// recording ended before).
    pub fn stop(&mut self, reason: &str) -> Result<Meta, CaptureError> {
        let running = self.running.take().ok_or(CaptureError::State("the recorder does not run"))?;
        let _ = running.stop.send(reason.to_owned());
        running.thread.join().ok().flatten().ok_or(CaptureError::State("the recorder's thread failed"))
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if self.running.is_some() {
            let _ = self.stop("interrupt");
        }
    }
}

/// A running recording, all of it in the recorder's own thread.
struct Session {
    folder: PathBuf,
    meta: Meta,
    poll: Duration,
    links: Vec<Link>,
    consumer: Consumer,
    _counters: Vec<OwnedFd>,
    _loaded: Loaded,
}

/// Whom a placement asks whether a CPU idles.
const LOOK: &str = "available_idle_cpu";

/// Bytes kept free so that `meta.json` can be completed on a full disk.
const RESERVE: usize = 64 << 10;

impl Session {
    fn begin(folder: &Path, options: &Options) -> Result<Self, CaptureError> {
        let existed = folder.symlink_metadata().is_ok();
        Self::try_begin(folder, options, &mut describe(options)).inspect_err(|_| {
            if !existed {
                let _ = std::fs::remove_dir_all(folder);
            }
        })
    }

    fn try_begin(folder: &Path, options: &Options, meta: &mut Meta) -> Result<Self, CaptureError> {
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
        config.want_looks = u8::from(options.wants(EventGroup::Looks) && kernel.has_function(LOOK));
        config.kick = symbols.address("nohz_csd_func").unwrap_or(0);
        let mut loaded = match options.raw_tp {
            true => load::load(&kernel, options, &config, cpus, Attach::RawTp)?,
            false => load::load(&kernel, options, &config, cpus, Attach::TpBtf).or_else(|error| match error {
                CaptureError::NotPermitted { .. } => Err(error),
                _ => load::load(&kernel, options, &config, cpus, Attach::RawTp)
                    .map(|loaded| Loaded { instead: Some(format!("raw_tp instead of tp_btf: {error}")), ..loaded }),
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

        let segments = folder.join("segments");
        std::fs::create_dir(folder).map_err(CaptureError::file(folder))?;
        std::fs::create_dir(&segments).map_err(CaptureError::file(&segments))?;
        meta::write_file(folder, "machine.json", machine.to_json().as_bytes())?;
        meta::write_file(folder, ".reserve", &vec![0; RESERVE])?;
        let writer = SegmentWriter::create(&segments, meta.base_ns, options.segment_bytes)
            .map_err(CaptureError::file(&segments))?;

        let links = loaded.attach_all()?;
        let mut consumer = Consumer::new(rings, writer, meta.base_ns, stacks);
        prefer_this_thread();
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
        consumer.started().map_err(|stop| match stop {
            Stop::Write(source) => CaptureError::Io { what: segments.display().to_string(), source },
            Stop::Ring(error) => CaptureError::Option { why: error.to_string() },
        })?;

        meta.cpus = cpus;
        meta.attach = loaded.attach.name().into();
        meta.counters = chosen.iter().map(|counter| counter.name.into()).collect();
        let kinds = kinds(options, &loaded);
        let passes = kinds.contains(&EvidenceKind::LoadBalanceAttempts);
        let (sampler, uncounted) = Sampler::start(Path::new("/"), options.schedstat, passes);
        state_evidence(meta, options, &loaded, kinds, sampler.is_some());
        meta.degraded.extend(missing);
        meta.degraded.extend(uncounted);
        consumer.sampler = sampler;
        meta.write(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            meta: meta.clone(),
            poll: Duration::from_millis(options.poll_ms.clamp(1, 1000)),
            links,
            consumer,
            _counters: counters_open,
            _loaded: loaded,
        })
    }

    /// Look at the rings until told to stop; then finish. Returns the completed description.
    fn run(mut self, stop: &Receiver<String>, shared: &Mutex<Stats>) -> Meta {
        let mut failed = None;
        let mut wait = self.poll;
        let mut looks = 0u64;
        let told = loop {
            match stop.recv_timeout(wait) {
                Ok(reason) => break reason,
                Err(RecvTimeoutError::Disconnected) => break "interrupt".into(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if failed.is_some() {
                continue;
            }
            match self.consumer.look() {
                // A ring that is a quarter full at one look may overflow before the next.
                Ok(used) => wait = if used >= 64 { Duration::from_millis(1).min(self.poll) } else { self.poll },
                Err(stop) => {
                    self.detach();
                    wait = Duration::from_millis(200);
                    failed = Some((stop.reason(), now_ns()));
                }
            }
            looks += 1;
            if looks.is_multiple_of(16) || failed.is_some() {
                let mut stats = self.consumer.stats();
                stats.ended = failed.as_ref().map(|(reason, _)| reason.clone());
                if let Ok(mut shared) = shared.lock() {
                    *shared = stats;
                }
            }
        };
        if failed.is_none() {
            self.consumer.end_counting();
        }
        self.detach();
        if failed.is_none() {
            failed = self.consumer.finish().err().map(|stop: Stop| (stop.reason(), now_ns()));
        }
        let (reason, end_ns) = failed.clone().unwrap_or_else(|| (told, now_ns()));
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

    /// No program records from here on.
    fn detach(&mut self) {
        self.consumer.rings.set_on(false);
        self.links.clear();
    }
}

fn map_named(loaded: &Loaded, name: &str) -> Result<MapHandle, CaptureError> {
    let map = loaded.object.maps().find(|map| map.name() == name);
    let map = map.ok_or(CaptureError::State("the BPF object lacks a map"))?;
    MapHandle::try_from(&map)
        .map_err(|e| CaptureError::Io { what: format!("map {name}"), source: std::io::Error::other(e) })
}

/// A machine under full load must not keep the consumer, a hundredth of a CPU, from emptying the rings.
fn prefer_this_thread() {
    // SAFETY: plain calls on the calling thread; a refusal leaves its scheduling as it is.
    unsafe {
        let lowest_of_real_time = libc::sched_param { sched_priority: 1 };
        if libc::sched_setscheduler(0, libc::SCHED_RR | libc::SCHED_RESET_ON_FORK, &lowest_of_real_time) != 0 {
            let tid = libc::syscall(libc::SYS_gettid) as libc::id_t;
            libc::setpriority(libc::PRIO_PROCESS, tid, -20);
        }
    }
}

fn describe(options: &Options) -> Meta {
    let now = now_ns();
    Meta {
        format: FORMAT,
        layout: meta::layout(),
        source: "ebpf".into(),
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
        attach: String::new(),
        evidence: "L0".into(),
        degraded: Vec::new(),
        unverified: Vec::new(),
        recorded_evidence: Vec::new(),
        recorded_excuses: Vec::new(),
        counters: Vec::new(),
        functions: vec!["newidle_balance".into(), "load_balance".into()],
        cpus: 0,
        stats: None,
    }
}

/// The kinds of evidence whose programs are all in use.
fn kinds(options: &Options, loaded: &Loaded) -> BTreeSet<EvidenceKind> {
    let in_use = |group: EventGroup| {
        let of_group = || programs::PROGRAMS.iter().filter(move |program| program.group == group);
        let is_loaded = |name: &str| loaded.object.progs().any(|p| p.name() == name && p.autoload());
        options.wants(group)
            && of_group().any(|program| is_loaded(program.name))
            && !of_group().any(|program| loaded.refused.contains_key(program.name))
    };
    let holds = |kind: &EvidenceKind| match kind {
        EvidenceKind::Migrations => in_use(EventGroup::Migrate),
        EvidenceKind::MigrationStacks => options.stacks && in_use(EventGroup::Migrate),
        EvidenceKind::LoadBalanceAttempts => in_use(EventGroup::Balance),
        EvidenceKind::Placements => in_use(EventGroup::Placement),
        EvidenceKind::CpusScanned => in_use(EventGroup::Placement) && in_use(EventGroup::Looks),
        EvidenceKind::LoadBalanceKicks => in_use(EventGroup::Kick) && in_use(EventGroup::Irq),
        EvidenceKind::SchedstatCounters => false, // the sampler's, not a program's
    };
    EvidenceKind::ALL.into_iter().filter(holds).collect()
}

/// Whether a recording by these programs can show an excuse.
fn shows(excuse: Excuse, options: &Options, refused: &Refused) -> bool {
    match excuse {
        // Read at the start and, by the programs that are always there, at every switch and wakeup.
        Excuse::PerCpuThread | Excuse::MigrationDisabled | Excuse::Cpuset | Excuse::Affinity => true,
        Excuse::Throttled | Excuse::Cookie => true,
        Excuse::Isolated => true, // from the machine's description
        Excuse::IrqBusy => {
            let is_refused = |program: &programs::Program| refused.contains_key(program.name);
            options.wants(EventGroup::Irq)
                && !programs::PROGRAMS.iter().filter(|p| p.group == EventGroup::Irq).any(is_refused)
        }
    }
}

/// Write down the evidence level, what is recorded, and what is missing for which reason.
fn state_evidence(
    meta: &mut Meta,
    options: &Options,
    loaded: &Loaded,
    mut kinds: BTreeSet<EvidenceKind>,
    counts: bool,
) {
    let stacks = kinds.contains(&EvidenceKind::MigrationStacks);
    meta.evidence = match (stacks, kinds.contains(&EvidenceKind::LoadBalanceAttempts)) {
        (true, _) if counts => "L3",
        (true, true) => "L2",
        (true, false) => "L1",
        (false, _) => "L0",
    }
    .into();
    if counts {
        kinds.insert(EvidenceKind::SchedstatCounters);
    }
    meta.recorded_evidence = owned(evidence_names(|kind| kinds.contains(&kind)));
    meta.recorded_excuses = owned(split_excuses(|excuse| shows(excuse, options, &loaded.refused)).0);
    meta.degraded.extend(missing::lines(&loaded.refused));
    meta.degraded.extend(loaded.instead.clone());
    if meta.evidence == "L3" && !options.wants(EventGroup::Balance) {
        meta.degraded.push(format!("not recorded: {} (not asked for)", EvidenceKind::LoadBalanceAttempts.words()));
    }
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}
