//! Loading and attaching: one refused program never costs the others.

use crate::config::Config;
use crate::doctor::tiny;
use crate::error::CaptureError;
use crate::kernel::{Kernel, QUEUE_LENGTHS};
use crate::missing::{self, Refusal, RefusedPrograms};
use crate::options::{EventGroup, Options};
use crate::programs::{self, CALL_FUNCTION, CALL_TRACEPOINT, PROGRAMS, REQUIRED};
use libbpf_rs::{Link, Object, ObjectBuilder, OpenObject, PrintLevel};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Code bytes in an allocation that is aligned as the ELF reader wants it.
#[repr(align(8))]
pub(crate) struct Aligned<T: ?Sized>(pub T);

static TYPED: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/typed.o")));
static EARLY: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/early.o")));
static EPOCHS: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/epochs.o")));
static UNTYPED: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/untyped.o")));

/// Most stacks kept; each distinct stack needs one of them.
pub(crate) const STACKS: u32 = 16_384;
/// Threads followed where task storage cannot be used.
const HASHED_THREADS: u32 = 65_536;

/// Records every waking.
const WAKING_PROGRAM: &str = "on_waking";
/// Records kicks, and wakeups that are queued to another CPU.
const QUEUE_PROGRAM: &str = "on_csd_queue";

/// How the programs are attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attach {
    TpBtf,
    /// tp_btf, of kernels without an atomic addition that returns a value (before 5.12); for x86-64, whose stores stay in order.
    Early,
    /// tp_btf, introducing all threads again in each epoch: a black box.
    Epochs,
    RawTp,
}

impl Attach {
    pub fn name(self) -> &'static str {
        match self {
            Self::TpBtf | Self::Early | Self::Epochs => "tp_btf",
            Self::RawTp => "raw_tp",
        }
    }

    fn object(self) -> &'static [u8] {
        match self {
            Self::TpBtf => &TYPED.0,
            Self::Early => &EARLY.0,
            Self::Epochs => &EPOCHS.0,
            Self::RawTp => &UNTYPED.0,
        }
    }
}

/// The programs in the kernel, not attached yet.
pub(crate) struct LoadedPrograms {
    pub object: Object,
    pub attach: Attach,
    /// Programs that are not in use, each with the reason.
    pub refused: RefusedPrograms,
    /// Of wakings only those are recorded that were queued to another CPU.
    pub queued_wakings_only: bool,
    /// The kernel can load sched_ext schedulers.
    pub has_sched_ext: bool,
    /// It grants CPUs to those of cgroups.
    pub grants_cpus_to_cgroups: bool,
    /// Why a better way to attach was not taken.
    pub instead: Option<String>,
}

/// What verifiers before 5.12 say of an atomic addition that returns a value.
const NO_FETCH: &str = "BPF_STX uses reserved fields";

static MESSAGES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// With WASTENOT_BPF_LOG in the environment everything that libbpf and the verifier say goes to stderr as well.
fn keep_message(_: PrintLevel, message: String) {
    if std::env::var_os("WASTENOT_BPF_LOG").is_some() {
        eprint!("{message}");
    }
    if let Ok(mut messages) = MESSAGES.lock() {
        messages.push(message);
    }
}

/// Keep what libbpf says of programs that are loaded from here on, for [`reason`].
pub(crate) fn keep_messages() {
    libbpf_rs::set_print(Some((PrintLevel::Warn, keep_message)));
}

/// What the kernel said: the line of libbpf's messages that names the cause, else the error.
pub(crate) fn reason(error: &libbpf_rs::Error) -> String {
    let messages = MESSAGES.lock().map(|mut m| std::mem::take(&mut *m)).unwrap_or_default();
    if messages.iter().any(|message| message.contains(NO_FETCH)) {
        return "eBPF before Linux 5.12 has no atomic addition that returns a value".into();
    }
    let line = messages
        .iter()
        .flat_map(|message| message.lines())
        .find(|line| line.contains("BPF program load failed") || line.contains("failed to find"));
    line.map_or_else(|| error.to_string(), missing::cause)
}

fn open(attach: Attach, config: &Config, cpus: u32, wanted: &BTreeSet<&str>) -> libbpf_rs::Result<OpenObject> {
    let mut object = ObjectBuilder::default().open_memory(attach.object())?;
    for mut map in object.maps_mut() {
        let name = map.name().to_string_lossy().into_owned();
        match name.as_str() {
            ".rodata.config" => map.set_initial_value(&config.to_bytes())?,
            "rings" => {
                map.set_value_size((crate::ring::DATA as u64 + config.ring_mask + 1 + crate::ring::SLACK) as u32)?;
                map.set_max_entries(cpus)?;
            }
            "stacks" => map.set_max_entries(if config.want_stacks != 0 { STACKS } else { 1 })?,
            "counters" => map.set_max_entries((config.counter_stride * config.counter_count).max(1))?,
            "known_by_tid" if config.use_hash != 0 || attach == Attach::RawTp => map.set_max_entries(HASHED_THREADS)?,
            "known_by_task" if config.use_hash != 0 => map.set_autocreate(false)?,
            _ => {}
        }
    }
    for mut program in object.progs_mut() {
        let wanted = wanted.contains(program.name().to_string_lossy().as_ref());
        program.set_autoload(wanted);
    }
    Ok(object)
}

/// Programs that are wanted and for which the kernel lacks what they are attached to.
fn absent(kernel: &Kernel, options: &Options, config: &Config) -> RefusedPrograms {
    let mut refused = RefusedPrograms::new();
    for (group, functions) in programs::ALTERNATIVES {
        if options.wants(group) && !functions.iter().any(|function| kernel.has_function(function)) {
            let of_newest = PROGRAMS.iter().filter(|p| p.group == group && p.function == functions.first().copied());
            refused.extend(of_newest.map(|program| (program.name, Refusal::NoFunction(functions))));
        }
    }
    if options.wants(EventGroup::SchedExt) && kernel.has_sched_ext() {
        for functions in programs::OF_SCHED_EXT {
            if !functions.iter().any(|function| kernel.has_function(function)) {
                let of_newest = PROGRAMS.iter().filter(|program| program.function == functions.first().copied());
                refused.extend(of_newest.map(|program| (program.name, Refusal::NoFunction(functions))));
            }
        }
    }
    for program in PROGRAMS.iter().filter(|program| options.wants(program.group)) {
        match program.tracepoint {
            // The end of a scheduler is seen in sysfs too: only the reason is lost.
            Some(_) if program.group == EventGroup::SchedExt => None,
            Some(QUEUE_LENGTHS) if config.read_queues != 0 => None, // functions are probed instead
            Some(name) if !kernel.has_tracepoint(name) => refused.insert(program.name, Refusal::NoTracepoint(name)),
            _ => None,
        };
    }
    if options.wants(EventGroup::Kick) && kicks_by_function(kernel, options) {
        refused.remove(QUEUE_PROGRAM);
    }
    if options.wants(EventGroup::Kick) && config.kick == 0 {
        refused.insert(QUEUE_PROGRAM, Refusal::NoAddress("nohz_csd_func"));
    }
    refused
}

/// Whether kicks are recorded where they are sent, and not at the tracepoint of all function calls on other CPUs.
pub(crate) fn kicks_by_function(kernel: &Kernel, options: &Options) -> bool {
    (options.kicks_by_function || !kernel.has_tracepoint(CALL_TRACEPOINT)) && kernel.has_function(CALL_FUNCTION)
}

/// How programs are attached where tp_btf is there.
pub(crate) fn typed() -> Attach {
    if cfg!(target_arch = "x86_64") && !tiny::fetches() { Attach::Early } else { Attach::TpBtf }
}

/// Load what the options want and the kernel permits.
pub(crate) fn load(
    kernel: &Kernel,
    options: &Options,
    config: &Config,
    cpus: u32,
    attach: Attach,
) -> Result<LoadedPrograms, CaptureError> {
    keep_messages();
    let config = &Config { use_hash: config.use_hash | u8::from(attach == Attach::Early), ..*config };
    let mut refused = absent(kernel, options, config);
    // Where queued wakeups are recorded, the CPU of every other wakeup event is the waker's.
    let mut queued_wakings_only = config.queued_wakeup != 0 && kernel.has_tracepoint(CALL_TRACEPOINT);
    let mut wanted: BTreeSet<&str> = PROGRAMS
        .iter()
        .filter(|program| options.wants(program.group))
        .filter(|program| program.function.is_none_or(|function| kernel.has_function(function)))
        .filter(|program| program.tracepoint.is_none_or(|name| kernel.has_tracepoint(name)))
        .filter(|program| !programs::replaces_queue_lengths(program) || !kernel.has_tracepoint(QUEUE_LENGTHS))
        .filter(|program| program.group != EventGroup::SchedExt || programs::is_first_of_sched_ext(program, kernel))
        .filter(|program| program.group != EventGroup::CpuScans || config.want_scans != 0)
        .filter(|program| program.group != EventGroup::Kick || config.kick != 0)
        .filter(|program| {
            program.group != EventGroup::Kick || program.function.is_some() == kicks_by_function(kernel, options)
        })
        .map(|program| program.name)
        .collect();
    if queued_wakings_only {
        wanted.insert(QUEUE_PROGRAM);
        wanted.remove(WAKING_PROGRAM);
    }
    if attach == Attach::RawTp {
        for typed in PROGRAMS.iter().filter(|program| program.function.is_some() || program.name == "each_thread") {
            if wanted.remove(typed.name) {
                refused.insert(typed.name, Refusal::RawTp);
            }
        }
    }
    // Function probes are refused often (lockdown, no ftrace): one of each kind stands for all of its kind.
    for kind in ["enter_", "exit_"] {
        let is_probe =
            |name: &str| name.starts_with(kind) && programs::named(name).is_some_and(|p| p.function.is_some());
        let probes: Vec<&str> = wanted.iter().copied().filter(|name| is_probe(name)).collect();
        let Some(first) = probes.first() else { continue };
        if let Err(error) = open(attach, config, cpus, &BTreeSet::from([*first])).and_then(OpenObject::load) {
            let why = Refusal::ByKernel(reason(&error));
            for name in probes {
                wanted.remove(name);
                refused.insert(name, why.clone());
            }
        }
    }
    let notices_domains = wanted.iter().any(|name| programs::DOMAINS_BUILT.contains(name));
    let config = &Config { watch_domains: u8::from(!notices_domains && options.wants(EventGroup::Hotplug)), ..*config };
    if config.watch_domains != 0 && (config.read_queues != 0 || wanted.contains("on_nr_running")) {
        refused.retain(|name, _| !programs::DOMAINS_BUILT.contains(name));
    }
    let mut loaded = open(attach, config, cpus, &wanted).and_then(OpenObject::load);
    if loaded.is_err() {
        for program in PROGRAMS.iter().filter(|program| wanted.contains(program.name)) {
            let alone = BTreeSet::from([program.name]);
            if let Err(error) = open(attach, config, cpus, &alone).and_then(OpenObject::load) {
                let why = reason(&error);
                if REQUIRED.contains(&program.name) {
                    return Err(match error.kind() {
                        libbpf_rs::ErrorKind::PermissionDenied => CaptureError::NotPermitted { why },
                        _ => CaptureError::Refused { program: program.name, why },
                    });
                }
                refused.insert(program.name, Refusal::ByKernel(why));
            }
        }
        wanted.retain(|name| !matches!(refused.get(name), Some(Refusal::ByKernel(_))));
        if queued_wakings_only && !wanted.contains(QUEUE_PROGRAM) {
            wanted.insert(WAKING_PROGRAM);
            queued_wakings_only = false;
        }
        loaded = open(attach, config, cpus, &wanted).and_then(OpenObject::load);
    }
    match loaded {
        Ok(object) => Ok(LoadedPrograms {
            object,
            attach,
            refused,
            queued_wakings_only,
            has_sched_ext: kernel.has_sched_ext(),
            grants_cpus_to_cgroups: kernel.has_field("scx_sched_pcpu", "ecaps"),
            instead: None,
        }),
        Err(error) => Err(CaptureError::Refused { program: "recorder", why: reason(&error) }),
    }
}

impl LoadedPrograms {
    /// What is recorded of that which load-balance attempts find: 1 whether they searched for a group and found one, 2 the threads that
    /// they examined. Before anything is attached, what was loaded.
    pub fn searches(&self) -> u32 {
        let in_use = |name: &str| self.is_in_use(name);
        u32::from(programs::GROUP_SEARCHES.into_iter().any(in_use)) | u32::from(in_use(programs::EXAMINED_THREADS)) << 1
    }

    /// All of what a sched_ext scheduler decides is recorded. Before anything is attached, what was loaded.
    pub fn records_sched_ext(&self) -> bool {
        programs::OF_SCHED_EXT.iter().all(|functions| {
            let probes = |name| PROGRAMS.iter().filter(move |program| program.function == Some(name));
            functions.iter().any(|name| probes(*name).all(|program| self.is_in_use(program.name)))
        })
    }

    pub fn is_in_use(&self, name: &str) -> bool {
        !self.refused.contains_key(name) && self.object.progs().any(|p| p.name() == name && p.autoload())
    }

    /// Attach every loaded tracepoint program and function probe.
    pub fn attach_all(&mut self) -> Result<Vec<Link>, CaptureError> {
        let mut links = Vec::new();
        for program in self.object.progs_mut() {
            let name = program.name().to_string_lossy().into_owned();
            let Some(known) = programs::named(&name) else { continue };
            let is_probe_of_user_space = known.group == EventGroup::Regions;
            if !program.autoload() || programs::ASKED.contains(&known.name) || is_probe_of_user_space {
                continue;
            }
            match program.attach() {
                Ok(link) => links.push(link),
                Err(error) if REQUIRED.contains(&known.name) => {
                    return Err(CaptureError::Refused { program: known.name, why: reason(&error) });
                }
                Err(error) => {
                    let why = Refusal::ByKernel(reason(&error));
                    if known.name == QUEUE_PROGRAM && self.queued_wakings_only {
                        // No program records wakings then: no wakeup event names its waker for certain.
                        self.queued_wakings_only = false;
                        self.refused.insert(WAKING_PROGRAM, why.clone());
                    }
                    self.refused.insert(known.name, why);
                }
            }
        }
        Ok(links)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verifier sees the configuration, not the machine: programs for large machines can be tried on small ones.
    #[test]
    fn the_programs_are_accepted_for_machines_of_any_size() {
        let kernel = match Kernel::read() {
            Ok(kernel) => kernel,
            Err(error) => {
                assert!(error.to_string().contains("BTF") || error.to_string().contains("root"), "{error}");
                wastenot_skips::skip(error);
                return;
            }
        };
        let options =
            Options { counters: true, cpus_scanned: true, power: true, openmp: true, mpi: true, ..Options::default() };
        for (mask_words, use_hash) in [(1, 0), (1, 1), (2, 0), (16, 0), (64, 0), (64, 1)] {
            let mut config = Config {
                ring_mask: 65_535,
                mask_words,
                counter_count: 3,
                counter_stride: 1,
                want_stacks: 1,
                want_scans: 1,
                kick: 1,
                queued_wakeup: 2,
                ..Config::default()
            };
            kernel.fit(&mut config);
            config.use_hash |= use_hash;
            for attach in [Attach::TpBtf, Attach::Early, Attach::Epochs, Attach::RawTp] {
                match load(&kernel, &options, &config, 1, attach) {
                    Ok(loaded) => {
                        let probes = |name: &str| programs::named(name).is_some_and(|p| p.function.is_some());
                        let may_probe =
                            loaded.object.progs().any(|p| p.autoload() && probes(&p.name().to_string_lossy()));
                        let refused: Vec<_> = loaded
                            .refused
                            .iter()
                            .filter(|(name, why)| (may_probe || !probes(name)) && matches!(why, Refusal::ByKernel(_)))
                            .collect();
                        assert!(refused.is_empty(), "{mask_words} words, {}: {refused:?}", attach.name());
                    }
                    Err(error @ CaptureError::NotPermitted { .. }) => return wastenot_skips::skip(error),
                    Err(error) => panic!("{mask_words} words, {}: {error}", attach.name()),
                }
            }
        }
    }
}
