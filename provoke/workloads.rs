//! The workloads by name: what each does and what one should see. Adding one is a function and a row here.

mod barriers;
mod crews;
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
    /// Threads, or processes at once, on so many CPUs where the user says nothing.
    pub threads: fn(usize) -> usize,
    /// The work itself, in the leader: returns soon after `Shared::stop`.
    pub run: fn(&Shared, &Settings, usize) -> io::Result<()>,
}

/// All of them, in the order in which they are listed.
pub const WORKLOADS: &[Workload] = &[
    Workload {
        name: "barrier-spin",
        does: "threads compute for uneven times and spin at a barrier until the last one comes",
        expect: "next to nothing wasted although little gets done: a thread that spins is busy. Waste only while the \
                 threads spread over the CPUs at the start",
        unit: "barriers",
        threads: |cpus| cpus,
        run: barriers::spinning,
    },
    Workload {
        name: "barrier-sleep",
        does: "two threads per CPU compute for uneven times and sleep at a barrier; the last one wakes all",
        expect: "many short spells after each barrier, where woken threads share a CPU beside an idle one: in flight and \
                 expected, on several LLCs recurrent",
        unit: "barriers",
        threads: |cpus| 2 * cpus,
        run: barriers::sleeping,
    },
    Workload {
        name: "make",
        does: "as make -j does: one job per CPU and one more, each a process; after every 24 jobs one link job alone",
        expect: "spells in flight where a new job starts beside an idle CPU; idle CPUs during the link job are not waste",
        unit: "jobs",
        threads: |cpus| cpus + 1,
        run: processes::make,
    },
    Workload {
        name: "database",
        does: "clients send short transactions to a crew of workers, which write a log under a lock",
        expect: "overload on wakeup: short waste, in flight and expected, of some per cent; recurrent on several LLCs",
        unit: "transactions",
        threads: |cpus| 2 * cpus,
        run: crews::database,
    },
    Workload {
        name: "pipeline",
        does: "items go through a chain of stages of uneven cost, each a thread, with short queues between them",
        expect: "short waste at hand-overs; the CPUs that idle for the slowest stage are not waste",
        unit: "items",
        threads: |cpus| cpus + 2,
        run: crews::pipeline,
    },
    Workload {
        name: "fork-storm",
        does: "processes that live for a millisecond or less are forked and collected as fast as it goes",
        expect: "placement of new threads: spells of noise and in flight; lasting ones should be rare",
        unit: "processes",
        threads: |cpus| 2 * cpus,
        run: processes::fork_storm,
    },
    Workload {
        name: "convoy",
        does: "all threads take turns at one lock that is handed over first come, first served, and hold it long",
        expect: "nothing lasting: one thread at a time has anything to do, and the idle CPUs are the application's fault. \
                 Where the lock's next owner is woken behind the last one, short waste at each hand-over, recurrent",
        unit: "turns",
        threads: |cpus| 2 * cpus,
        run: crews::convoy,
    },
    Workload {
        name: "autogroup",
        does: "a busy process alone in its session, and in another session twice as many as there are CPUs",
        expect: "nothing lasting once spread: all CPUs stay busy. On kernels of the time of the group imbalance bug, or \
                 where domains are hobbled, CPUs of the lone process's node stay idle",
        unit: "slices of 1 ms",
        threads: |cpus| 2 * cpus + 1,
        run: processes::autogroup,
    },
    Workload {
        name: "busy",
        does: "busy processes, half as many again as there are CPUs: a control",
        expect: "nothing lasting but for the start: all CPUs stay busy",
        unit: "slices of 1 ms",
        threads: |cpus| cpus + cpus.div_ceil(2),
        run: processes::busy,
    },
    Workload {
        name: "pinned",
        does: "two busy processes per CPU, all of them pinned to the first one: a control",
        expect: "nothing wasted: affinity excuses every idle CPU, and the ledger shows it",
        unit: "slices of 1 ms",
        threads: |cpus| 2 * cpus,
        run: masks::pinned,
    },
    Workload {
        name: "released",
        does: "the same, let go and pinned again every quarter of a second",
        expect: "after each release waste until a balancer takes a thread; before it, excused by affinity",
        unit: "slices of 1 ms",
        threads: |cpus| 2 * cpus,
        run: masks::released,
    },
];

/// The workload of this name.
///
/// # Errors
/// `Name`, with the names that there are.
pub fn find(name: &str) -> Result<&'static Workload, Error> {
    WORKLOADS.iter().find(|w| w.name == name).ok_or_else(|| Error::Name(name.to_owned()))
}
