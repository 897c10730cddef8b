//! Loads the sentinel's program, finds the runqueues for it, and starts its clock.

use super::figures::SentinelStarted;
use super::options::{LookClock, WatchOptions};
use super::sentinel_view::{CPU_WORDS, SentinelView};
use crate::counters::software_clock;
use crate::load;
use crate::snapshot::read_iterator;
use libbpf_rs::{Link, MapCore, Object, ObjectBuilder, ProgramInput};
use std::os::fd::{AsFd, AsRawFd, IntoRawFd};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wastenot_machine::Machine;

static CODE: &load::Aligned<[u8]> = &load::Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/sentinel.o")));

/// A running sentinel. Dropping it ends it.
pub(crate) struct Sentinel {
    object: Object,
    pub view: Arc<SentinelView>,
    clock: LookClock,
    /// Link of the perf event, which ends with it.
    _perf_event: Option<Link>,
}

impl Sentinel {
    /// Start on this machine. The error is the reason for which there is none.
    pub fn start(options: &WatchOptions, machine: &Machine) -> Result<Self, String> {
        let cpus = machine.possible.iter().max().map_or(1, |last| last as usize + 1).min(CPU_WORDS * 64);
        match options.look_clock {
            LookClock::PerfEvent => Self::start_by(LookClock::PerfEvent, options, machine, cpus),
            LookClock::Timer => Self::start_by(LookClock::Timer, options, machine, cpus),
            LookClock::Auto => Self::start_by(LookClock::Timer, options, machine, cpus).or_else(|without_timer| {
                Self::start_by(LookClock::PerfEvent, options, machine, cpus)
                    .map_err(|without_clock| format!("BPF timer: {without_timer}; software clock: {without_clock}"))
            }),
        }
    }

    fn start_by(clock: LookClock, options: &WatchOptions, machine: &Machine, cpus: usize) -> Result<Self, String> {
        let object = load(clock, cpus as u32).map_err(|error| load::reason(&error))?;
        let map = |name: &str| object.maps().find(|map| map.name() == name).ok_or("the BPF object lacks a map");
        let (figures, looks) = (map(".data.sentinel")?, map("looks")?);
        let view = SentinelView::map(figures.as_fd(), looks.as_fd(), cpus).map_err(|error| error.to_string())?;
        view.prepare(options.look_ns, options.hit_ns, machine.isolated.iter());
        let mut sentinel = Self { object, view: Arc::new(view), clock, _perf_event: None };
        sentinel.find_runqueues()?;
        if sentinel.view.runqueues() == 0 {
            return Err("no thread shows its runqueue (CONFIG_FAIR_GROUP_SCHED)".into());
        }
        match clock {
            LookClock::PerfEvent => {
                let cpu = machine.online.iter().next().unwrap_or(0);
                sentinel._perf_event = Some(sentinel.attach_clock(cpu, options.look_ns)?);
            }
            _ => sentinel.start_timer()?,
        }
        sentinel.wait_for_looks(options.look_ns)?;
        Ok(sentinel)
    }

    /// Read the addresses of the runqueues off the threads; again when a CPU has come online that was not there before.
    pub fn find_runqueues(&self) -> Result<(), String> {
        read_iterator(&self.object, "find_queues", &mut Vec::new())
    }

    fn start_timer(&self) -> Result<(), String> {
        let program = self.object.progs_mut().find(|program| program.name() == "start_timer");
        let run = program.ok_or("not loaded")?.test_run(ProgramInput::default()).map_err(|error| error.to_string())?;
        match run.return_value {
            0 => Ok(()),
            step => Err(format!("the timer cannot be started (step {step})")),
        }
    }

    fn attach_clock(&self, cpu: u32, period_ns: u64) -> Result<Link, String> {
        let clock = software_clock(cpu, period_ns).map_err(|error| format!("perf_event_open: {error}"))?;
        let program = self.object.progs_mut().find(|program| program.name() == "on_clock").ok_or("not loaded")?;
        let link = program.attach_perf_event(clock.as_raw_fd()).map_err(|error| error.to_string())?;
        // libbpf closes the event with its link (bpf_link_perf_detach()).
        let _ = clock.into_raw_fd();
        Ok(link)
    }

    /// The clock runs: two looks came.
    fn wait_for_looks(&self, look_ns: u64) -> Result<(), String> {
        let until = Instant::now() + 20 * Duration::from_nanos(look_ns) + Duration::from_secs(1);
        while self.view.looks() < 2 {
            if Instant::now() > until {
                return Err("its clock does not run".into());
            }
            std::thread::sleep(Duration::from_nanos(look_ns));
        }
        Ok(())
    }

    /// What was started.
    pub fn started(&self, options: &WatchOptions, machine: &Machine) -> SentinelStarted {
        SentinelStarted {
            clock: if self.clock == LookClock::PerfEvent { "perf_event" } else { "bpf_timer" }.into(),
            look_ns: options.look_ns,
            hit_ns: options.hit_ns,
            cpus: self.view.runqueues(),
            isolated: machine.isolated.iter().collect(),
        }
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        self.view.stop();
    }
}

fn load(clock: LookClock, cpus: u32) -> libbpf_rs::Result<Object> {
    load::keep_messages();
    let mut object = ObjectBuilder::default().open_memory(&CODE.0)?;
    for mut map in object.maps_mut() {
        match map.name().to_string_lossy().as_ref() {
            "looks" => map.set_max_entries(cpus)?,
            "timers" if clock == LookClock::PerfEvent => map.set_autocreate(false)?,
            _ => {}
        }
    }
    let unwanted = if clock == LookClock::PerfEvent { "start_timer" } else { "on_clock" };
    for mut program in object.progs_mut() {
        let wanted = program.name() != unwanted;
        program.set_autoload(wanted);
    }
    object.load()
}
