//! The recorder's programs in the kernel, fitted to this machine and its options, not attached yet.

use crate::config::Config;
use crate::counters;
use crate::error::CaptureError;
use crate::kernel::Kernel;
use crate::load::{self, Attach, LoadedPrograms, STACKS};
use crate::meta::Meta;
use crate::options::{EventGroup, Options};
use crate::ring::Rings;
use crate::stacks::Stacks;
use libbpf_rs::libbpf_sys;
use libbpf_rs::{MapCore, MapHandle, MapType};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use wastenot_machine::{Machine, Symbols};

/// The function by which a placement asks whether a CPU is idle.
const IDLE_CHECK: &str = "available_idle_cpu";

/// Threads that ran in this time are cache-hot where the machine's setting is not known (sysctl_sched_migration_cost).
const USUAL_MIGRATION_COST_NS: u64 = 500_000;

/// Loaded programs with what user space needs beside them.
pub(crate) struct PreparedPrograms {
    pub machine: Machine,
    /// Highest CPU number + 1.
    pub cpus: u32,
    pub loaded: LoadedPrograms,
    ring_size: u64,
    /// Names of the counters that are read.
    pub counters: Vec<String>,
    /// Note on counters that are missing.
    pub without_counters: Option<String>,
    /// The counters live as long as these.
    _open_counters: Vec<OwnedFd>,
}

impl PreparedPrograms {
    /// Load the programs for a recording that `meta` describes, attached as `attach` says; where the kernel refuses tp_btf for the
    /// ordinary recorder, raw_tp is taken.
    pub fn load(options: &Options, meta: &Meta, symbols: &Symbols, attach: Attach) -> Result<Self, CaptureError> {
        let kernel = Kernel::read()?;
        let mut machine = Machine::read(Path::new("/"))
            .map_err(|e| CaptureError::Option { why: format!("the machine cannot be described: {e}") })?;
        machine.host = machine.host.filter(|_| options.host);
        let cpus = machine.possible.iter().max().map_or(1, |last| last + 1);
        let asked = options.ring_size(cpus as usize)?;
        let ring_size = if options.ring_bytes == 0 { fitting_ring(asked) } else { asked };
        let (chosen, without_counters) = if options.counters { counters::choose() } else { (Vec::new(), None) };
        let mut config = Config {
            ring_mask: ring_size - 1,
            base_ns: meta.base_ns,
            mask_words: cpus.div_ceil(64),
            counter_count: chosen.len() as u32,
            counter_stride: cpus,
            want_stacks: options.stacks_of(),
            ..Config::default()
        };
        kernel.fit(&mut config);
        config.want_searches = u8::from(options.wants(EventGroup::BalanceSearch));
        config.hot_ns = hot_ns(&machine);
        config.tick_ns = tick_ns().unwrap_or(0);
        config.want_scans = u8::from(options.wants(EventGroup::CpuScans) && kernel.has_function(IDLE_CHECK));
        let address = |wanted, function| if wanted { symbols.address(function).unwrap_or(0) } else { 0 };
        config.kick = address(options.wants(EventGroup::Kick), "nohz_csd_func");
        // The program that records kicks; for wakings alone it is not worth patching the path of all function calls.
        let queued = options.wants(EventGroup::Waking)
            && options.wants(EventGroup::Kick)
            && !load::kicks_by_function(&kernel, options);
        config.queued_wakeup = address(queued, "sched_ttwu_pending");
        let loaded = load::load(&kernel, options, &config, cpus, attach).or_else(|error| match error {
            CaptureError::NotPermitted { .. } => Err(error),
            _ if attach != Attach::TpBtf => Err(error), // raw_tp needs what Early does without
            _ => load::load(&kernel, options, &config, cpus, Attach::RawTp)
                .map(|loaded| LoadedPrograms { instead: Some(format!("raw_tp instead of tp_btf: {error}")), ..loaded }),
        })?;
        let online: Vec<u32> = machine.online.iter().collect();
        let _open_counters = counters::attach(&map_named(&loaded, "counters")?, &chosen, &online, cpus)
            .map_err(CaptureError::io("perf_event_open"))?;
        let counters = chosen.iter().map(|counter| counter.name.into()).collect();
        Ok(Self { machine, cpus, loaded, ring_size, counters, without_counters, _open_counters })
    }

    /// Map the programs' rings.
    pub fn map_rings(&self) -> Result<Rings, CaptureError> {
        let map = map_named(&self.loaded, "rings")?;
        Rings::map(map.as_fd(), self.cpus as usize, self.ring_size).map_err(CaptureError::io("mapping the rings"))
    }

    /// The kernel stacks that records refer to, where some are recorded.
    pub fn stacks(&self, options: &Options, symbols: Symbols) -> Result<Option<Stacks>, CaptureError> {
        match options.stacks_of() != 0 {
            true => Ok(Some(Stacks::new(map_named(&self.loaded, "stacks")?, symbols, STACKS))),
            false => Ok(None),
        }
    }
}

/// The largest ring up to `size` that the kernel makes: 5.10 has no arrays whose elements take more than 4 MiB.
fn fitting_ring(size: u64) -> u64 {
    let options = libbpf_sys::bpf_map_create_opts {
        sz: size_of::<libbpf_sys::bpf_map_create_opts>() as libbpf_sys::size_t,
        map_flags: libbpf_sys::BPF_F_MMAPABLE,
        ..Default::default()
    };
    let can_be_made = |size: &u64| {
        let bytes = crate::ring::DATA as u64 + size + crate::ring::SLACK;
        MapHandle::create(MapType::Array, Some("wastenot_ring"), 4, bytes as u32, 1, &options).is_ok()
    };
    [size, size / 2, size / 4].into_iter().find(can_be_made).unwrap_or(size)
}

/// `config.hot_ns`: before eligibility was asked for as well (task_is_ineligible_on_dst_cpu, 6.14), whatever an attempt leaves without
/// another reason is hot; since then that is so for a CPU without threads.
fn hot_ns(machine: &Machine) -> u64 {
    let release = machine.kernel.as_deref().unwrap_or_default();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map_while(|number| number.parse::<u32>().ok());
    let is_old = numbers.next().zip(numbers.next()).is_some_and(|release| release < (6, 14));
    match machine.migration_cost_ns {
        Some(cost) if !is_old => cost as u64, // -1: every thread is hot
        None if !is_old => USUAL_MIGRATION_COST_NS,
        _ => u64::MAX,
    }
}

/// A jiffy: what the kernel's coarse clocks advance by (KTIME_LOW_RES).
fn tick_ns() -> Option<u64> {
    let mut tick = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec of ours.
    let result = unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC_COARSE, &mut tick) };
    let tick = u64::try_from(tick.tv_nsec).ok().filter(|ns| *ns > 0);
    tick.filter(|_| result == 0)
}

/// A map of the programs.
pub(crate) fn map_named(loaded: &LoadedPrograms, name: &str) -> Result<MapHandle, CaptureError> {
    let map = loaded.object.maps().find(|map| map.name() == name);
    let map = map.ok_or(CaptureError::State("the BPF object lacks a map"))?;
    MapHandle::try_from(&map)
        .map_err(|e| CaptureError::Io { what: format!("map {name}"), source: std::io::Error::other(e) })
}
