//! A scenario: a workload with the machine, the release and the faults under which it shows something, as a text file holds
//! it (serde), and what a user may set otherwise.

use crate::engine::{Outcome, Settings, Simulation, SimulationError};
use crate::faults::{Fault, FaultSet};
use crate::kernel::{Kernel, Release};
use crate::machines;
use crate::provocations;
use crate::record::{Evidence, Sink};
use crate::schedulers::{Queues, SharedFifo, Stealing};
use crate::span::S;
use crate::topology::Level;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};
use wastenot_machine::{CpuSet, Machine};

/// Longest simulated time of a scenario: an hour.
const LONGEST: u64 = 3600 * S;

/// Schedulers by name. The first one is the model of the kernel's, to which alone releases and faults apply.
pub const SCHEDULERS: &[(&str, &str)] = &[
    ("kernel", "the model of Linux's scheduler"),
    ("fifo-machine", "one queue for the machine, first come first served"),
    ("fifo-node", "a queue per node, new and woken threads go to an idle CPU"),
    ("fifo-llc", "a queue per last-level cache, likewise"),
    ("fifo-cpu", "a queue per CPU, likewise"),
    ("queues", "a queue per CPU, threads stay where they are"),
    ("queues-steal", "the same, and a CPU steals a thread before it idles"),
    ("queues-call", "the same, and an idle CPU is called when a thread has to wait"),
];

/// A scenario as its file says it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What it shows, in a sentence.
    pub about: String,
    /// The verdict to expect.
    #[serde(default)]
    pub expect: String,
    /// The machine, as [`machines::described`] takes it.
    #[serde(default = "two_nodes")]
    pub machine: String,
    /// CPUs outside all scheduling domains.
    #[serde(default)]
    pub isolated: CpuSet,
    /// Sets of CPUs whose scheduling domains are built apart.
    #[serde(default)]
    pub partitions: Vec<CpuSet>,
    /// The scheduler, of [`SCHEDULERS`].
    #[serde(default = "kernel")]
    pub scheduler: String,
    /// Release of the kernel: 4.1 or 6.12.
    #[serde(default = "newest")]
    pub release: String,
    /// Faults that are on, by name; `shipped` for those the release had.
    #[serde(default)]
    pub faults: Vec<String>,
    /// Evidence level, L0 to L3.
    #[serde(default = "everything")]
    pub evidence: String,
    /// The fault whose built-in workload is run: one that shows it on any machine that can. In place of `workload`.
    #[serde(default)]
    pub provokes: Option<String>,
    /// What is run.
    #[serde(default)]
    pub workload: Option<Workload>,
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
    "L3".to_owned()
}

/// What a user sets otherwise than the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Choice {
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
    pub evidence: Option<String>,
}

/// Everything a simulation takes.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The machine.
    pub machine: Machine,
    /// What is run.
    pub workload: Workload,
    /// The scheduler, of [`SCHEDULERS`].
    pub scheduler: String,
    /// Release of the kernel.
    pub release: Release,
    /// Faults that are on.
    pub faults: FaultSet,
    /// How much the trace shows.
    pub evidence: Evidence,
}

impl Scenario {
    /// Puts everything together; `machine` is a snapshot to use in place of the described one. Fails with one line.
    pub fn ready(&self, choice: &Choice, machine: Option<Machine>) -> Result<Ready, String> {
        let mut machine = match (machine, &choice.machine) {
            (Some(machine), _) => machine,
            (None, Some(text)) => machines::described(text)?,
            (None, None) => machines::described(&self.machine)?,
        };
        if !self.isolated.is_empty() {
            machine.isolated = self.isolated.clone();
        }
        if !self.partitions.is_empty() {
            machine.partitions = self.partitions.clone();
        }
        let mut release = release(&self.release)?;
        // Two runs that differ in one fault have the same pace; without any talk of faults it is the fixed kernel.
        let faultless = self.faults.is_empty() && choice.fault.is_empty() && choice.fixed.is_empty();
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
        if let Some(text) = &choice.release {
            release = self::release(text)?;
        }
        for name in self.faults.iter().chain(&choice.fault) {
            faults = match name.as_str() {
                "shipped" => FaultSet::shipped(release).iter().fold(faults, |set, a| set.with(a.fault)),
                name => faults.with(name.parse()?),
            };
        }
        for name in &choice.fixed {
            faults = if name == "all" { FaultSet::none() } else { faults.without(name.parse()?) };
        }
        if workload.limit_ns() > LONGEST {
            return Err("the workload's limit is above an hour".to_owned());
        }
        let evidence = evidence(choice.evidence.as_ref().unwrap_or(&self.evidence))?;
        let scheduler = choice.scheduler.as_ref().unwrap_or(&self.scheduler).clone();
        if !SCHEDULERS.iter().any(|s| s.0 == scheduler) {
            let known = SCHEDULERS.iter().map(|s| s.0).collect::<Vec<_>>().join(" ");
            return Err(format!("{scheduler:?} is no scheduler; one of {known}"));
        }
        if scheduler != "kernel" {
            faults = FaultSet::none();
        }
        Ok(Ready { machine, workload, scheduler, release, faults, evidence })
    }
}

impl Ready {
    /// Runs it.
    pub fn run(&self, settings: &Settings, sink: &mut dyn Sink) -> Result<Outcome, SimulationError> {
        let (m, w) = (&self.machine, &self.workload);
        match self.scheduler.as_str() {
            "fifo-machine" => Simulation::new(m, w, SharedFifo::at(Level::Machine), settings, sink)?.run(),
            "fifo-node" => Simulation::new(m, w, SharedFifo::at(Level::Node), settings, sink)?.run(),
            "fifo-llc" => Simulation::new(m, w, SharedFifo::at(Level::Llc), settings, sink)?.run(),
            "fifo-cpu" => Simulation::new(m, w, SharedFifo::at(Level::Cpu), settings, sink)?.run(),
            "queues" => Simulation::new(m, w, Queues::new(Stealing::Never), settings, sink)?.run(),
            "queues-steal" => Simulation::new(m, w, Queues::new(Stealing::BeforeIdle), settings, sink)?.run(),
            "queues-call" => Simulation::new(m, w, Queues::new(Stealing::WhenCalled), settings, sink)?.run(),
            _ => Simulation::new(m, w, Kernel::new(self.release, self.faults), settings, sink)?.run(),
        }
    }
}

/// A release by name.
pub fn release(text: &str) -> Result<Release, String> {
    match text {
        "4.1" => Ok(Release::Averages),
        "6.12" => Ok(Release::Eevdf),
        _ => Err(format!("{text:?} is no release of the kernel model; one of 4.1 6.12")),
    }
}

/// An evidence level by name.
pub fn evidence(text: &str) -> Result<Evidence, String> {
    let level = ["L0", "L1", "L2", "L3"].iter().position(|l| *l == text);
    level.map(|l| Evidence::level(l as u8)).ok_or_else(|| format!("{text:?} is no evidence level; one of L0 L1 L2 L3"))
}
