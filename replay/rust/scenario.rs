//! A scenario: a workload with the machine, the release and the faults under which it shows something, as a text file holds
//! it (serde), and the settings of a user that replace it.

use crate::costs::{CONSTANTS, Costs, Slot};
use crate::engine::{Outcome, RT_PERIOD_US, Settings, Simulation, SimulationError};
use crate::faults::{Fault, FaultSet};
use crate::kernel::Kernel;
use crate::kernel::hpc::{Heuristic, History, HpcSettings};
use crate::machines;
use crate::provocations;
use crate::record::Evidence;
use crate::release::Release;
use crate::scheduler::Scheduler;
use crate::schedulers::bubbles::{Bound, Bubbles, Burst, Gang, Simple, Steal};
use crate::schedulers::{Queues, RoundRobin, SharedFifo, Stealing};
use crate::span::{MS, S, Time};
use crate::topology::Level;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use wastenot_machine::Machine;
use wastenot_schemas::{EvidenceLevel, Sink, evidence_level};
use wastenot_topology::CpuSet;

/// Longest simulated time of a scenario: an hour.
const LONGEST: u64 = 3600 * S;

/// Schedulers by name. The first one is the model of the kernel's; to it and to those named `hpc` alone releases and faults apply.
pub const SCHEDULERS: &[(&str, &str)] = &[
    ("kernel", "the model of Linux's scheduler"),
    ("hpc-uniform", "the same, and priorities of hardware threads by the heuristic Uniform for threads of policy hpc"),
    ("hpc-uniform-stable", "the same, Uniform with the history since the threads were balanced last"),
    ("hpc-adaptive", "the same with the heuristic Adaptive"),
    ("fifo-machine", "one queue for the machine, first come first served"),
    ("fifo-node", "a queue per node, new and woken threads go to an idle CPU"),
    ("fifo-llc", "a queue per last-level cache, likewise"),
    ("fifo-cpu", "a queue per CPU, likewise"),
    ("queues", "a queue per CPU, threads stay where they are"),
    ("queues-steal", "the same, and a CPU steals a thread before it idles"),
    ("queues-call", "the same, and an idle CPU is called when a thread has to wait"),
    ("simple", "bubbles ignored: one list for the machine, idle CPUs take the first thread (opportunist)"),
    ("bound", "bubbles ignored: each thread stays on a CPU, dealt out in turn (predetermined)"),
    ("burst", "CPUs pull bubbles towards them, which burst at their level and are regenerated"),
    ("gang", "one bubble after the other has the machine for a time slice"),
    ("gang-node", "the same on each node, from a common pool"),
    ("rr", "SCHED_RR of Linux: strict priority by pushing and pulling, turns among equals"),
    ("rr2", "the same, and threads of a process are grouped (SCHED_RR2)"),
    ("steal", "bubbles start on the first CPU; idle CPUs steal parts of the hierarchy, the nearest first"),
];

/// Time slice of gangs where a scenario names none.
const TIMESLICE: Time = Time(10 * MS);
/// A shorter one makes more events than a simulation can handle; with one of 0 the time would never advance.
const LEAST_TIMESLICE: Time = Time(1_000);

/// A scenario as in its file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What it shows, in a sentence.
    pub about: String,
    /// The verdict to expect.
    #[serde(default)]
    pub expect: String,
    /// The machine, as [`machines::from_description`] takes it.
    #[serde(default = "two_nodes")]
    pub machine: String,
    /// CPUs outside all scheduling domains.
    #[serde(default)]
    pub isolated: CpuSet,
    /// Sets of CPUs whose scheduling domains are built apart.
    #[serde(default)]
    pub partitions: Vec<CpuSet>,
    /// Time of each period that deadline threads may have of a CPU (`sched_rt_runtime_us`), µs; -1: whatever is asked for is admitted.
    /// Absent: the machine's, or 95 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rt_runtime_us: Option<i64>,
    /// The scheduler, of [`SCHEDULERS`].
    #[serde(default = "kernel")]
    pub scheduler: String,
    /// Time slice of gangs. Default: 10 ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeslice: Option<Time>,
    /// Settings of the schedulers named `hpc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hpc: Option<HpcSettings>,
    /// Constants of the simulation with other values, by the names of [`CONSTANTS`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub costs: BTreeMap<String, Cost>,
    /// Release of the kernel: 4.1 or 6.12.
    #[serde(default = "newest")]
    pub release: String,
    /// Faults that are on, by name; `shipped` for those the release had.
    #[serde(default)]
    pub faults: Vec<String>,
    /// Evidence level; scenarios of earlier versions have it as `evidence`.
    #[serde(default = "everything", alias = "evidence")]
    pub evidence_level: String,
    /// The fault whose built-in workload is run: one that shows it on any machine that can. In place of `workload`.
    #[serde(default)]
    pub provokes: Option<String>,
    /// What is run.
    #[serde(default)]
    pub workload: Option<Workload>,
}

/// A constant: a time, or thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cost {
    /// Shares and factors.
    Thousandths(u32),
    /// Times.
    Time(Time),
}

fn two_nodes() -> String {
    "2n8".to_owned()
}

fn kernel() -> String {
    "kernel".to_owned()
}

fn newest() -> String {
    "6.12".to_owned()
}

fn everything() -> String {
    EvidenceLevel::L3.name().to_owned()
}

/// Settings of the user that replace those of the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScenarioOverrides {
    /// Another machine, described.
    pub machine: Option<String>,
    /// Faults to switch on.
    pub fault: Vec<String>,
    /// Faults to switch off; `all`.
    pub fixed: Vec<String>,
    /// Another scheduler.
    pub scheduler: Option<String>,
    /// Another release.
    pub release: Option<String>,
    /// Another evidence level.
    pub evidence_level: Option<String>,
}

/// All inputs of a simulation.
#[derive(Clone, Debug)]
pub struct PreparedScenario {
    /// The machine.
    pub machine: Machine,
    /// What is run.
    pub workload: Workload,
    /// The scheduler, of [`SCHEDULERS`].
    pub scheduler: String,
    /// Time slice of gangs.
    pub timeslice: Time,
    /// Settings of the class `hpc`.
    pub hpc: HpcSettings,
    /// What things cost.
    pub costs: Costs,
    /// Release of the kernel.
    pub release: Release,
    /// Faults that are on.
    pub faults: FaultSet,
    /// How much the trace shows.
    pub evidence: Evidence,
}

impl Scenario {
    /// Puts everything together; `machine` is a snapshot to use in place of the described one. Fails with one line.
    pub fn prepare(&self, overrides: &ScenarioOverrides, machine: Option<Machine>) -> Result<PreparedScenario, String> {
        let mut machine = match (machine, &overrides.machine) {
            (Some(machine), _) => machine,
            (None, Some(text)) => machines::from_description(text)?,
            (None, None) => machines::from_description(&self.machine)?,
        };
        if !self.isolated.is_empty() {
            machine.isolated = self.isolated.clone();
        }
        if !self.partitions.is_empty() {
            machine.partitions = self.partitions.clone();
        }
        if let Some(runtime_us) = self.rt_runtime_us {
            let period_us = machine.rt_period_us.unwrap_or(RT_PERIOD_US);
            if !(-1..=period_us).contains(&runtime_us) {
                return Err(format!(
                    "rt_runtime_us = {runtime_us}: -1 (no bound), or up to the period of {period_us} µs"
                ));
            }
            machine.rt_runtime_us = Some(runtime_us);
        }
        let mut release = release(&self.release)?;
        // Two runs that differ in one fault have the same pace; without any fault named it is the fixed kernel.
        let faultless = self.faults.is_empty() && overrides.fault.is_empty() && overrides.fixed.is_empty();
        let mut faults = if faultless { FaultSet::none() } else { FaultSet::paced() };
        let workload = match (&self.provokes, &self.workload) {
            (Some(name), None) => {
                let fault: Fault = name.parse()?;
                let found = provocations::provocation(fault, &machine);
                let p = found.ok_or_else(|| format!("{name} cannot show on this machine; choose another one"))?;
                release = p.release;
                faults = p.beside.with(fault);
                p.workload
            }
            (None, Some(workload)) => workload.clone(),
            _ => return Err("a scenario has a [workload] or `provokes`, and not both".to_owned()),
        };
        if let Some(text) = &overrides.release {
            release = self::release(text)?;
        }
        for name in self.faults.iter().chain(&overrides.fault) {
            faults = match name.as_str() {
                "shipped" => FaultSet::shipped(release).iter().fold(faults, |set, a| set.with(a.fault)),
                name => faults.with(name.parse()?),
            };
        }
        for name in &overrides.fixed {
            faults = if name == "all" { FaultSet::none() } else { faults.without(name.parse()?) };
        }
        if workload.limit_ns() > LONGEST {
            return Err("the workload's limit is above an hour".to_owned());
        }
        let evidence = evidence(overrides.evidence_level.as_ref().unwrap_or(&self.evidence_level))?;
        let scheduler = overrides.scheduler.as_ref().unwrap_or(&self.scheduler).clone();
        if !SCHEDULERS.iter().any(|s| s.0 == scheduler) {
            let known = SCHEDULERS.iter().map(|s| s.0).collect::<Vec<_>>().join(" ");
            return Err(format!("{scheduler:?} is not a scheduler; one of {known}"));
        }
        if scheduler != "kernel" && !scheduler.starts_with("hpc-") {
            faults = FaultSet::none();
        }
        let (timeslice, costs) = (self.timeslice.unwrap_or(TIMESLICE), self.costs()?);
        if timeslice < LEAST_TIMESLICE {
            return Err(format!("timeslice of {} ns: at least 1us, as in \"10ms\"", timeslice.0));
        }
        let hpc = self.hpc(&scheduler)?;
        Ok(PreparedScenario { machine, workload, scheduler, timeslice, hpc, costs, release, faults, evidence })
    }

    fn hpc(&self, scheduler: &str) -> Result<HpcSettings, String> {
        let given = self.hpc.clone().unwrap_or_default();
        let (heuristic, history) = match scheduler {
            "hpc-uniform" => (Heuristic::Uniform, given.history),
            "hpc-uniform-stable" => (Heuristic::Uniform, History::SinceStable),
            "hpc-adaptive" => (Heuristic::Adaptive, given.history),
            _ => (given.heuristic, given.history),
        };
        let settings = HpcSettings { heuristic, history, ..given };
        settings.check()?;
        Ok(settings)
    }

    fn costs(&self) -> Result<Costs, String> {
        let mut costs = Costs::default();
        for (name, cost) in &self.costs {
            let known = || CONSTANTS.iter().map(|c| c.0).collect::<Vec<_>>().join(" ");
            let found = CONSTANTS.iter().find(|c| c.0 == name);
            let (_, slot) = found.ok_or_else(|| format!("{name:?} is not a constant; one of {}", known()))?;
            match (slot(&mut costs), cost) {
                (Slot::Time(ns), Cost::Time(time)) => *ns = time.0,
                (Slot::Share(share), Cost::Thousandths(n)) => *share = (*n).max(1),
                (Slot::Time(_), _) => return Err(format!("constant {name} is a time, as in \"2us\"")),
                (Slot::Share(_), _) => return Err(format!("constant {name} is a number of thousandths")),
            }
        }
        Ok(costs)
    }
}

impl PreparedScenario {
    /// Runs it.
    pub fn run(&self, settings: &Settings, sink: &mut dyn Sink) -> Result<Outcome, SimulationError> {
        let slice = self.timeslice.0;
        match self.scheduler.as_str() {
            "fifo-machine" => self.with(SharedFifo::at(Level::Machine), settings, sink),
            "fifo-node" => self.with(SharedFifo::at(Level::Node), settings, sink),
            "fifo-llc" => self.with(SharedFifo::at(Level::Llc), settings, sink),
            "fifo-cpu" => self.with(SharedFifo::at(Level::Cpu), settings, sink),
            "queues" => self.with(Queues::new(Stealing::Never), settings, sink),
            "queues-steal" => self.with(Queues::new(Stealing::BeforeIdle), settings, sink),
            "queues-call" => self.with(Queues::new(Stealing::WhenCalled), settings, sink),
            "simple" => self.with(Bubbles::new(Simple), settings, sink),
            "bound" => self.with(Bubbles::new(Bound::default()), settings, sink),
            "burst" => self.with(Bubbles::new(Burst::default()), settings, sink),
            "gang" => self.with(Bubbles::new(Gang::at(Level::Machine, slice)), settings, sink),
            "gang-node" => self.with(Bubbles::new(Gang::at(Level::Node, slice)), settings, sink),
            "rr" => self.with(RoundRobin::plain(), settings, sink),
            "rr2" => self.with(RoundRobin::grouping(), settings, sink),
            "steal" => self.with(Bubbles::new(Steal), settings, sink),
            _ => self.with(Kernel::new(self.release, self.faults).with_hpc(self.hpc.clone()), settings, sink),
        }
    }

    fn with(&self, s: impl Scheduler, settings: &Settings, sink: &mut dyn Sink) -> Result<Outcome, SimulationError> {
        Simulation::new(&self.machine, &self.workload, s, settings, sink)?.run()
    }
}

/// A release by name.
pub fn release(text: &str) -> Result<Release, String> {
    match text {
        "4.1" => Ok(Release::Averages),
        "6.12" => Ok(Release::Eevdf),
        _ => Err(format!("{text:?} is not a release of the kernel model; one of 4.1 6.12")),
    }
}

/// An evidence level by name.
pub fn evidence(text: &str) -> Result<Evidence, String> {
    let known = || evidence_level::NAMES.join(" ");
    EvidenceLevel::of_name(text)
        .map(Evidence::level)
        .ok_or_else(|| format!("{text:?} is not an evidence level; one of {}", known()))
}
