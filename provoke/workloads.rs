//! The workloads by name: what each does, and the verdict to expect. To add one, write a function and a row here.

mod barriers;
mod dependent_threads;
mod masks;
mod processes;

use crate::work::Shared;
use crate::{Error, Settings};
use std::io;

/// A workload.
pub struct Workload {
    /// Its name on the command line, and that of its leader.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub does: &'static str,
    /// The verdict to expect, on two CPUs or more that are otherwise quiet.
    pub expect: &'static str,
    /// What a unit of its work is, in the plural.
    pub unit: &'static str,
    /// Default of threads, or processes at once, by number of CPUs.
    pub threads: fn(usize) -> usize,
    /// The work itself, in the leader: returns soon after `Shared::stop`.
    pub run: fn(&Shared, &Settings, usize) -> io::Result<()>,
}

/// All of them, in the order in which they are listed.
pub const WORKLOADS: &[Workload] = &[
    Workload {
        name: "barrier-spin",
        does: "threads compute for uneven times and spin at a barrier until the last one arrives",
        expect: "next to nothing wasted although little gets done: a thread that spins is busy. Waste only while the \
                 threads spread over the CPUs at the start",
        unit: "barriers",
        threads: |cpus| cpus,
        run: barriers::spinning,
    },
    Workload {
        name: "barrier-sleep",
        does: "two threads per CPU compute for uneven times and sleep at a barrier; the last one wakes all",
        expect: "many short intervals after each barrier, where woken threads share a CPU while another is idle: in flight and \
                 expected, on several LLCs recurrent",
        unit: "barriers",
        threads: |cpus| 2 * cpus,
        run: barriers::sleeping,
    },
    Workload {
        name: "make",
        does: "as make -j does: one job per CPU and one more, each a process; after every 24 jobs one link job alone",
        expect: "intervals in flight where a new job is queued while a CPU is idle; idle CPUs during the link job are not waste",
        unit: "jobs",
        threads: |cpus| cpus + 1,
        run: processes::make,
    },
    Workload {
        name: "database",
        does: "clients send short transactions to a pool of workers, which write a log under a lock",
        expect: "overload on wakeup: short waste, in flight and expected, of some per cent; recurrent on several LLCs",
        unit: "transactions",
        threads: |cpus| 2 * cpus,
        run: dependent_threads::database,
    },
    Workload {
        name: "pipeline",
        does: "items pass through a chain of stages of uneven cost, each a thread, with short queues between them",
        expect: "short waste at hand-overs; CPUs that idle because of the slowest stage are not waste",
        unit: "items",
        threads: |cpus| cpus + 2,
        run: dependent_threads::pipeline,
    },
    Workload {
        name: "fork-storm",
        does: "processes that live for a millisecond or less are forked and reaped as fast as possible",
        expect: "placement of new threads: intervals of noise and in flight; lasting ones should be rare",
        unit: "processes",
        threads: |cpus| 2 * cpus,
        run: processes::fork_storm,
    },
    Workload {
        name: "convoy",
        does: "all threads take turns at one lock that is handed over first come, first served, and hold it long",
        expect: "nothing lasting: one thread at a time has work, and the idle CPUs are due to the application. \
                 Where the lock's next owner is queued behind the last one, short waste at each hand-over, recurrent",
        unit: "turns",
        threads: |cpus| 2 * cpus,
        run: dependent_threads::convoy,
    },
    Workload {
        name: "autogroup",
        does: "a busy process alone in its session, and in another session twice as many as there are CPUs",
        expect: "nothing lasting once spread: all CPUs stay busy. On kernels with the group imbalance bug, or with hobbled \
                 domains, CPUs of the lone process's node stay idle",
        unit: "slices of 1 ms",
        threads: |cpus| 2 * cpus + 1,
        run: processes::autogroup,
    },
    Workload {
        name: "busy",
        does: "busy processes, half as many again as there are CPUs: a control",
        expect: "nothing lasting after the start: all CPUs stay busy",
        unit: "slices of 1 ms",
        threads: |cpus| cpus + cpus.div_ceil(2),
        run: processes::busy,
    },
    Workload {
        name: "pinned",
        does: "two busy processes per CPU, all of them pinned to the first one: a control",
        expect: "nothing wasted: affinity excuses every idle CPU, as the verdict shows",
        unit: "slices of 1 ms",
        threads: |cpus| 2 * cpus,
        run: masks::pinned,
    },
    Workload {
        name: "released",
        does: "the same, released and pinned again every quarter of a second",
        expect: "after each release waste until the balancer moves a thread; while pinned, excused by affinity",
        unit: "slices of 1 ms",
        threads: |cpus| 2 * cpus,
        run: masks::released,
    },
];

/// The workload of this name.
///
/// # Errors
/// `Name`, with all names.
pub fn find(name: &str) -> Result<&'static Workload, Error> {
    WORKLOADS.iter().find(|w| w.name == name).ok_or_else(|| Error::Name(name.to_owned()))
}
