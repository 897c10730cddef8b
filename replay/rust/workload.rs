//! A workload: programs, the threads that run them, what they share, and what happens to the machine meanwhile. All of it
//! can be read from a text file (serde); nothing of it is code.

use crate::dlrb::DlrbSpec;
use crate::program::{Policy, Step};
use crate::smt::{DEFAULT_PRIORITY, SpeedTable};
use crate::span::{Ns, S, Time};
use crate::topology::Level;
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
    /// What it computes, of the workload's `loads`: how fast it is beside a thread on the other hardware thread of its core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<String>,
    /// Priority of its hardware thread while it runs, 2 to 6, by which threads with a `load` share a core.
    #[serde(default = "default_priority")]
    pub smt_priority: u8,
    /// The simulation does not wait for their end.
    #[serde(default)]
    pub background: bool,
}

fn one() -> u32 {
    1
}

fn default_priority() -> u8 {
    DEFAULT_PRIORITY
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
            load: None,
            smt_priority: DEFAULT_PRIORITY,
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
    /// Loads, by name: speeds of what threads compute beside another hardware thread, by the priorities of the two.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub loads: BTreeMap<String, SpeedTable>,
    /// A hardware thread on which no thread runs keeps the priority of the last one with a load, and takes as much of the core
    /// from its sibling: as where threads spin while they wait, or idling does not lower the priority.
    #[serde(default)]
    pub waiting_keeps_priority: bool,
    /// The library that places the application's threads and sets their priorities; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dlrb: Option<DlrbSpec>,
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
