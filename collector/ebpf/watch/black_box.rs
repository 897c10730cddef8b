//! The black box: the recorder's programs, which overwrite their oldest records, and the epochs at which a box may begin.

use super::epoch::Epoch;
use super::grace::wait_for_programs;
use super::options::WatchOptions;
use super::run_time::RunTime;
use crate::cgroup_records::CgroupRecords;
use crate::clock::{clock_ns, now_ns};
use crate::domains::{self, DomainLog};
use crate::error::CaptureError;
use crate::evidence;
use crate::load::{Attach, STACKS};
use crate::mapped::Mapped;
use crate::meta::Meta;
use crate::missing::Refusal;
use crate::options::{Options, SchedstatMode};
use crate::prepared::{PreparedPrograms, map_named};
use crate::ring::Rings;
use crate::sched_ext::SchedExt;
use crate::segment::SegmentWriter;
use crate::snapshot;
use crate::stacks::Stacks;
use libbpf_rs::{Link, MapCore};
use std::collections::VecDeque;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;
use wastenot_machine::{Machine, Symbols};

/// `enum { NEW, READING, KNOWN, PHASES }` of `bpf/constraints.h`.
const PHASES: u32 = 3;
/// Shortest time between two epochs, ...
const EPOCH_MIN: Duration = Duration::from_millis(250);
/// ... which is also so many times what one costs.
const EPOCH_REST: u32 = 50;
/// Read cgroups for so long at a time.
const CGROUPS_NS: u64 = 5_000_000;
/// Stacks are counted this often, and cleared when half of the places are taken: more and more of them would collide.
const STACKS_NS: u64 = 60_000_000_000;
/// A ring is looked at this often.
const TICK: Duration = Duration::from_millis(250);

/// Running programs and what they have written. `start` and all that follows stay in one thread.
pub(crate) struct BlackBox {
    pub options: Options,
    keep_ns: u64,
    /// The description of every box, but for its times and figures.
    pub meta: Meta,
    links: Vec<Link>,
    pub rings: Rings,
    epochs: VecDeque<Epoch>,
    phase: Mapped,
    prepared: PreparedPrograms,
    /// Losses of earlier boxes, of which the rings lack the records: the end of each, and its records.
    pub losses: Vec<(u64, Vec<u8>)>,
    pub lost: u64,
    epoch_count: u64,
    epoch_cpu_ns: u64,
    cgroups: CgroupRecords,
    /// Those that held in the time that is kept.
    pub domains: DomainLog,
    /// When the box begins that is being saved; without one, the end of time.
    pub saving_from_ns: u64,
    stacks_due_ns: u64,
    stacks_cleared_ns: u64,
}

impl BlackBox {
    /// Load and attach the programs and begin the first epoch.
    pub fn start(options: &WatchOptions, machine: &Machine) -> Result<Self, CaptureError> {
        let cpus = machine.possible.iter().max().map_or(1, |last| last as usize + 1);
        let options_of_events = Options { schedstat: SchedstatMode::Off, ..options.with_rings(cpus) };
        let mut meta = Meta::at_start("ebpf", &options_of_events);
        let symbols = Symbols::read(Path::new("/proc/kallsyms"));
        let mut prepared = PreparedPrograms::load(&options_of_events, &meta, &symbols, Attach::Epochs)?;
        drop(symbols);
        let rings = prepared.map_rings()?;
        let phase = Mapped::new(map_named(&prepared.loaded, ".data.epoch")?.as_fd(), 4)
            .map_err(CaptureError::io("mapping the epoch"))?;
        (0..rings.cpus()).for_each(|cpu| rings.overwrite(cpu));
        let links = prepared.loaded.attach_all()?;
        rings.set_searches(prepared.loaded.searches());
        meta.cpus = prepared.cpus;
        meta.counters.clone_from(&prepared.counters);
        evidence::describe(&mut meta, &options_of_events, &prepared.loaded, Some("a black box does not read them"));
        meta.notes.extend(prepared.without_counters.clone());
        domains::complete_own(&mut prepared);
        let domains = DomainLog::new(&prepared.machine);
        let mut black_box = Self {
            options: options_of_events,
            keep_ns: options.keep_ns,
            meta,
            links,
            rings,
            epochs: VecDeque::new(),
            phase,
            prepared,
            losses: Vec::new(),
            lost: 0,
            epoch_count: 0,
            epoch_cpu_ns: 0,
            cgroups: CgroupRecords::default(),
            domains,
            saving_from_ns: u64::MAX,
            stacks_due_ns: now_ns() + STACKS_NS,
            stacks_cleared_ns: 0,
        };
        let no_threads = |why| CaptureError::Refused { program: "each_thread", why };
        // Before recording is on this allocates each thread's storage only.
        snapshot::threads(&black_box.prepared.loaded.object, &mut Vec::new()).map_err(no_threads)?;
        black_box.cgroups.read_all();
        black_box.begin_epoch().map_err(no_threads)?;
        black_box.meta.start_ns = black_box.epochs[0].start_ns;
        Ok(black_box)
    }

    /// Have every thread introduced once more. An error leaves the epochs as they are.
    pub fn begin_epoch(&mut self) -> Result<(), String> {
        let begun_cpu_ns = clock_ns(libc::CLOCK_THREAD_CPUTIME_ID);
        let base_ns = self.meta.base_ns;
        self.rings.set_settled(false);
        let start_ns = now_ns();
        let starts = self.heads();
        match self.epoch_count {
            0 => self.rings.set_on(true),
            _ => self.phase.store_half(0, self.phase.load_half(0) + PHASES),
        }
        self.epoch_count += 1;
        wait_for_programs();
        let object = &self.prepared.loaded.object;
        let mut rows = Vec::new();
        if let Err(why) = snapshot::cpus(object, &self.prepared.machine.possible, base_ns, &mut rows) {
            self.prepared.loaded.refused.entry("this_cpu").or_insert(Refusal::ByKernel(why));
        }
        snapshot::threads(object, &mut rows)?;
        self.rings.set_settled(true);
        let settled = self.heads();
        self.cgroups.write_all(now_ns(), base_ns, &mut rows);
        self.epochs.push_back(Epoch { start_ns, starts, settled, rows });
        self.epoch_cpu_ns = clock_ns(libc::CLOCK_THREAD_CPUTIME_ID) - begun_cpu_ns;
        Ok(())
    }

    fn heads(&self) -> Vec<u64> {
        (0..self.rings.cpus()).map(|cpu| self.rings.head(cpu)).collect()
    }

    /// Forget epochs that are not needed or no longer in the rings, and begin one where it is time to.
    pub fn tick(&mut self) -> Result<(), String> {
        let now = now_ns();
        while self.epochs.len() > 1
            && (self.epochs[1].start_ns + self.keep_ns <= now || !self.epochs[0].is_held(&self.rings, 0))
        {
            self.epochs.pop_front();
        }
        self.domains.update(&self.prepared, &self.rings);
        if let Some(oldest) = self.epochs.front() {
            self.domains.forget_before(oldest.start_ns.min(self.saving_from_ns));
        }
        self.cgroups.read_some(CGROUPS_NS);
        if now >= self.stacks_due_ns {
            self.stacks_due_ns = now + STACKS_NS;
            self.clear_stacks();
        }
        if self.due_in(now).is_zero() { self.begin_epoch() } else { Ok(()) }
    }

    /// Clear the kernel's stacks if there are many.
    fn clear_stacks(&mut self) {
        let Ok(map) = map_named(&self.prepared.loaded, "stacks") else { return };
        let ids: Vec<Vec<u8>> = map.keys().collect();
        if ids.len() > STACKS as usize / 2 {
            ids.iter().for_each(|id| drop(map.delete(id)));
            self.stacks_cleared_ns = now_ns();
        }
    }

    /// When the stacks of migrations were cleared; 0 never.
    pub fn stacks_cleared_ns(&self) -> u64 {
        self.stacks_cleared_ns
    }

    /// When [`Self::tick`] is to be called again.
    pub fn wait(&self) -> Duration {
        self.due_in(now_ns()).clamp(Duration::from_millis(10), TICK)
    }

    /// Time until the next epoch: half of the time to keep, or earlier where a ring fills up.
    fn due_in(&self, now: u64) -> Duration {
        let Some(last) = self.epochs.back() else { return Duration::ZERO };
        let passed = Duration::from_nanos(now.saturating_sub(last.start_ns));
        let rest = EPOCH_MIN.max(Duration::from_nanos(self.epoch_cpu_ns) * EPOCH_REST);
        let filled = last.most_written(&self.rings) >= self.rings.size() / 4;
        let period = if filled { rest } else { rest.max(Duration::from_nanos(self.keep_ns / 2)) };
        period.saturating_sub(passed)
    }

    /// The epoch at which a box saved at `now` begins: the last that holds the time to keep, else the first that the rings
    /// hold, with space for what is written until it is copied.
    pub fn first_epoch(&self, now: u64) -> Option<&Epoch> {
        let spare = self.rings.size() / 4;
        let held = || self.epochs.iter().filter(|epoch| epoch.is_held(&self.rings, spare));
        held().rfind(|epoch| epoch.start_ns + self.keep_ns <= now).or_else(|| held().next())
    }

    /// When a box saved at `now` would begin; None while there is none.
    pub fn oldest_ns(&self, now: u64) -> Option<u64> {
        self.first_epoch(now).map(|epoch| epoch.start_ns)
    }

    /// Whether `ns` before `now` are held, or everything since the start.
    pub fn is_whole(&self, start_ns: u64, now: u64) -> bool {
        start_ns + self.keep_ns <= now || start_ns == self.meta.start_ns
    }

    /// Reads which sched_ext scheduler is in charge.
    pub fn sched_ext(&self) -> SchedExt {
        SchedExt::new(self.prepared.loaded.records_sched_ext(), self.prepared.loaded.grants_cpus_to_cgroups)
    }

    /// Kernel stacks of migrations, with the symbols of now.
    pub fn stacks(&self) -> Result<Option<Stacks>, CaptureError> {
        self.prepared.stacks(&self.options, Symbols::read(Path::new("/proc/kallsyms")))
    }

    /// Read the domains again where they were built anew.
    pub fn update_domains(&mut self) {
        self.domains.update(&self.prepared, &self.rings);
    }

    /// A writer of segments in `folder`.
    pub fn segments(&self, folder: &Path) -> Result<SegmentWriter, CaptureError> {
        SegmentWriter::create(folder, self.meta.base_ns, self.options.segment_bytes).map_err(CaptureError::file(folder))
    }

    /// The programs' run time.
    pub fn run_time(&self) -> std::io::Result<RunTime> {
        RunTime::of(&self.prepared.loaded.object)
    }

    /// Epochs since the start, and what the last one cost (CPU time in ns).
    pub fn epochs(&self) -> (u64, u64) {
        (self.epoch_count, self.epoch_cpu_ns)
    }

    /// Bytes of records written by all CPUs.
    pub fn bytes_written(&self) -> u64 {
        self.heads().iter().sum()
    }
}

impl Drop for BlackBox {
    fn drop(&mut self) {
        self.rings.set_on(false);
        self.links.clear();
    }
}
