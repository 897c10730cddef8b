//! A workload: programs, the threads that run them, what they share, and what happens to the machine meanwhile. All of it
//! can be read from a text file (serde); nothing of it is code.

use crate::masks::{MaskId, Masks};
use crate::program::{Instr, Ix, Policy, Step, compile, usable};
use crate::span::{Ns, S, Time};
use crate::topology::{CpuIx, Level, Topology};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use wastenot_topology::CpuSet;

/// How a thread waits for an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitMode {
    /// Sleeps at once.
    #[default]
    Sleep,
    /// Spins until it has the object.
    Spin,
    /// Spins for a while, then sleeps.
    SpinThenSleep(Time),
    /// Spins for a while, then yields, again and again.
    SpinYield(Time),
}

/// Something threads share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Object {
    /// A lock.
    Lock {
        /// How it is waited for.
        #[serde(default)]
        wait: WaitMode,
        /// Handed over in the order of arrival (ticket lock), even to a waiter that does not run; else the first to try gets it.
        #[serde(default)]
        fair: bool,
    },
    /// A barrier.
    Barrier {
        /// Threads that meet at it.
        parties: u32,
        /// How it is waited for.
        #[serde(default)]
        wait: WaitMode,
    },
    /// A bounded pipe. Its readers and writers sleep, and are woken as pipes wake (the waker is about to sleep).
    Pipe {
        /// Items it holds at most.
        capacity: u32,
    },
    /// A counting semaphore.
    Semaphore {
        /// Its count at the start.
        #[serde(default)]
        count: u32,
        /// How it is waited for.
        #[serde(default)]
        wait: WaitMode,
    },
    /// A device that serves requests in the order in which they come.
    Device {
        /// Requests it serves at a time.
        parallel: u32,
    },
    /// Tickets that threads share out among themselves.
    Counter {
        /// How many there are.
        tickets: u64,
    },
}

/// A cgroup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CgroupSpec {
    /// cpu.weight, 100 the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<u32>,
    /// CPU time per period; absent: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<Time>,
    /// The period, 100 ms by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Time>,
    /// Effective CPUs of its cpuset; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<CpuSet>,
}

/// A bubble: threads and bubbles that work together, as the application declares. Those that name it are in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BubbleSpec {
    /// The bubble that it is in; absent: none, it starts on the machine's runqueue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bubble: Option<String>,
    /// Priority, higher first.
    #[serde(default)]
    pub priority: i32,
    /// The level at which it bursts; absent: as many levels below the machine as there are bubbles around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<Level>,
    /// Time slice, after which its scheduler is called; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice: Option<Time>,
}

/// Threads that run a program from some instant on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThreadSpec {
    /// Their name (comm); default: the program's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Their program.
    pub program: String,
    /// How many.
    #[serde(default = "one")]
    pub count: u32,
    /// When.
    #[serde(default)]
    pub at: Time,
    /// CPUs on which they are queued when the simulation starts, in turn. Absent: a launcher (a shell) forks them at `at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placed: Option<CpuSet>,
    /// CPU on which the launcher sleeps before; default: the first online one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    /// Threads of one process rather than a process each.
    #[serde(default)]
    pub threads: bool,
    /// Allowed CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<CpuSet>,
    /// One CPU of `cpus` (or of the machine) each, in turn.
    #[serde(default)]
    pub bound: bool,
    /// Nice value, -20 to 19.
    #[serde(default)]
    pub nice: i8,
    /// Policy.
    #[serde(default)]
    pub policy: Policy,
    /// cgroup, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cgroup: Option<String>,
    /// Session (autogroup), by name; default: one of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Share of their time that depends on memory, in thousandths: slower on another node than their memory.
    #[serde(default)]
    pub memory: u32,
    /// Share of their time spent on data that the threads of their process write, in thousandths: slower while one of
    /// these runs on another core.
    #[serde(default)]
    pub sharing: u32,
    /// Bubble, by name. Children go to the bubble of their parent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bubble: Option<String>,
    /// Priority on the runqueues of bubble schedulers, higher first.
    #[serde(default)]
    pub priority: i32,
    /// The simulation does not wait for their end.
    #[serde(default)]
    pub background: bool,
}

fn one() -> u32 {
    1
}

impl ThreadSpec {
    /// `count` threads of a program, forked at the start, with default settings.
    pub fn of(program: &str, count: u32) -> Self {
        Self {
            name: None,
            program: program.to_owned(),
            count,
            at: Time(0),
            placed: None,
            from: None,
            threads: false,
            cpus: None,
            bound: false,
            nice: 0,
            policy: Policy::Normal,
            cgroup: None,
            session: None,
            memory: 0,
            sharing: 0,
            bubble: None,
            priority: 0,
            background: false,
        }
    }
}

/// What happens to the machine or to threads besides their programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Happening {
    /// CPUs go offline.
    Offline(CpuSet),
    /// CPUs come online.
    Online(CpuSet),
    /// A CPU works on interrupts.
    Irq {
        /// The CPU.
        cpu: u32,
        /// How long.
        length: Time,
        /// Again after each such time; absent: once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        every: Option<Time>,
    },
    /// Threads of a name get other allowed CPUs.
    Affinity {
        /// Name of the threads.
        name: String,
        /// Allowed CPUs.
        cpus: CpuSet,
    },
    /// The CPUs of a cgroup's cpuset change.
    Cpuset {
        /// The cgroup.
        cgroup: String,
        /// Effective CPUs.
        cpus: CpuSet,
    },
}

/// A happening and its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedHappening {
    /// When.
    pub at: Time,
    /// What.
    pub what: Happening,
}

/// A whole workload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// What it represents, in a sentence.
    #[serde(default)]
    pub about: String,
    /// The end, if threads do not end before. Default: 10 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Time>,
    /// What threads share, by name.
    #[serde(default)]
    pub objects: BTreeMap<String, Object>,
    /// cgroups, by name.
    #[serde(default)]
    pub cgroups: BTreeMap<String, CgroupSpec>,
    /// Bubbles, by name. Only bubble schedulers use them; every trace has their events.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bubbles: BTreeMap<String, BubbleSpec>,
    /// Programs, by name.
    pub programs: BTreeMap<String, Vec<Step>>,
    /// Threads that run them.
    pub threads: Vec<ThreadSpec>,
    /// What happens meanwhile.
    #[serde(default)]
    pub happenings: Vec<TimedHappening>,
}

impl Workload {
    /// The end of the simulation at the latest.
    pub fn limit_ns(&self) -> Ns {
        self.limit.map_or(10 * S, |t| t.0)
    }
}

/// A workload that cannot be run; the text names what is wrong and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkloadError {
    /// Something is named that the workload does not have.
    Unknown {
        /// lock, barrier, pipe, semaphore, device, counter, program, bubble or cgroup.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A set of CPUs has none of the machine's.
    NoSuchCpus(String),
    /// A loop for ever that takes no time.
    EndlessLoop,
    /// A pipe can never hold, or a read never find, so many items.
    TooManyItems {
        /// The pipe.
        pipe: String,
        /// Items of the step.
        items: u32,
    },
    /// More of something than the engine numbers.
    TooMany(&'static str),
    /// A bubble that is within itself.
    Circle(String),
    /// A happening that is later than the workload's limit, and so never happens.
    AfterLimit {
        /// Time of the happening.
        at: Time,
        /// The limit.
        limit: Time,
    },
    /// An object that serves no thread.
    Empty {
        /// What it is.
        kind: &'static str,
        /// Its name.
        name: String,
    },
}

impl std::fmt::Display for WorkloadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown { kind, name } => write!(f, "{name:?} is not a {kind} of the workload"),
            Self::NoSuchCpus(list) => write!(f, "CPUs {list:?}: the machine has none of these"),
            Self::EndlessLoop => write!(f, "a loop without `times` whose body takes no time"),
            Self::TooManyItems { pipe, items } => write!(f, "pipe {pipe:?} can never hold {items} items"),
            Self::TooMany(what) => write!(f, "too many {what}"),
            Self::AfterLimit { at, limit } => {
                let seconds = |t: &Time| t.0 as f64 / 1e9;
                write!(f, "a happening at {} s is later than the limit, {} s", seconds(at), seconds(limit))
            }
            Self::Circle(name) => write!(f, "bubble {name:?} is within itself"),
            Self::Empty { kind, name } => write!(f, "{kind} {name:?} must serve at least one"),
        }
    }
}

impl std::error::Error for WorkloadError {}

/// Numbers of names, assigned while programs are compiled.
pub(crate) struct Names<'a> {
    workload: &'a Workload,
    topology: &'a Topology,
    masks: &'a mut Masks,
    objects: Vec<&'a str>,
    programs: Vec<&'a str>,
    names: Vec<String>,
    marks: Vec<String>,
}

/// A workload with names resolved.
pub(crate) struct CompiledWorkload {
    pub programs: Vec<Vec<Instr>>,
    pub names: Vec<String>,
    pub marks: Vec<String>,
    pub objects: Vec<Object>,
}

impl CompiledWorkload {
    pub fn new(workload: &Workload, topology: &Topology, masks: &mut Masks) -> Result<Self, WorkloadError> {
        let mut names = Names {
            workload,
            topology,
            masks,
            objects: workload.objects.keys().map(String::as_str).collect(),
            programs: workload.programs.keys().map(String::as_str).collect(),
            names: Vec::new(),
            marks: Vec::new(),
        };
        for (name, object) in &workload.objects {
            let (kind, serves) = match object {
                Object::Barrier { parties, .. } => ("barrier", *parties),
                Object::Pipe { capacity } => ("pipe", *capacity),
                Object::Device { parallel } => ("device", *parallel),
                Object::Lock { .. } | Object::Semaphore { .. } | Object::Counter { .. } => continue,
            };
            if serves == 0 {
                return Err(WorkloadError::Empty { kind, name: name.clone() });
            }
        }
        let programs = workload.programs.values().map(|steps| compile(steps, &mut names)).collect::<Result<_, _>>()?;
        let objects = workload.objects.values().cloned().collect();
        Ok(Self { programs, names: names.names, marks: names.marks, objects })
    }
}

macro_rules! object_names {
    ($($method:ident: $pattern:pat => $kind:literal;)*) => {
        $(pub fn $method(&self, name: &str) -> Result<Ix, WorkloadError> {
            match self.workload.objects.get(name) {
                Some($pattern) => number(self.objects.iter().position(|n| *n == name).unwrap_or(0), "objects"),
                _ => Err(WorkloadError::Unknown { kind: $kind, name: name.to_owned() }),
            }
        })*
    };
}

impl Names<'_> {
    object_names! {
        lock: Object::Lock { .. } => "lock";
        barrier: Object::Barrier { .. } => "barrier";
        semaphore: Object::Semaphore { .. } => "semaphore";
        device: Object::Device { .. } => "device";
        counter: Object::Counter { .. } => "counter";
    }

    pub fn pipe(&self, name: &str, items: u32) -> Result<Ix, WorkloadError> {
        match self.workload.objects.get(name) {
            Some(Object::Pipe { capacity }) if *capacity < items => {
                Err(WorkloadError::TooManyItems { pipe: name.to_owned(), items })
            }
            Some(Object::Pipe { .. }) => number(self.objects.iter().position(|n| *n == name).unwrap_or(0), "objects"),
            _ => Err(WorkloadError::Unknown { kind: "pipe", name: name.to_owned() }),
        }
    }

    pub fn program(&self, name: &str) -> Result<Ix, WorkloadError> {
        let at = self.programs.iter().position(|n| *n == name);
        number(at.ok_or(WorkloadError::Unknown { kind: "program", name: name.to_owned() })?, "programs")
    }

    pub fn name(&mut self, name: &str) -> Result<Ix, WorkloadError> {
        intern(&mut self.names, name, "names")
    }

    pub fn mark(&mut self, name: &str) -> Result<Ix, WorkloadError> {
        intern(&mut self.marks, name, "marks")
    }

    pub fn mask(&mut self, set: &CpuSet) -> Result<MaskId, WorkloadError> {
        Ok(self.masks.intern(&usable(self.topology.mask(set), set)?))
    }
}

fn number(at: usize, what: &'static str) -> Result<Ix, WorkloadError> {
    Ix::try_from(at).map_err(|_| WorkloadError::TooMany(what))
}

fn intern(list: &mut Vec<String>, name: &str, what: &'static str) -> Result<Ix, WorkloadError> {
    let at = list.iter().position(|n| n == name).unwrap_or_else(|| {
        list.push(name.to_owned());
        list.len() - 1
    });
    number(at, what)
}

/// The CPU a happening or a start names.
pub(crate) fn cpu_named(topology: &Topology, cpu: u32) -> Result<CpuIx, WorkloadError> {
    topology.index(cpu).ok_or_else(|| WorkloadError::NoSuchCpus(cpu.to_string()))
}
