//! What threads do, as data: a list of steps in the form a text file can hold, and the flat code the engine walks.

use crate::masks::MaskId;
use crate::span::Span;
use serde::{Deserialize, Serialize};
use wastenot_topology::CpuSet;

/// Scheduling policy of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// SCHED_NORMAL with the thread's nice value.
    #[default]
    Normal,
    /// SCHED_BATCH: normal, never preempts at a wakeup.
    Batch,
    /// SCHED_IDLE: runs when no other thread does.
    Idle,
    /// SCHED_FIFO with a priority of 1 to 99, 99 the highest.
    Fifo(u8),
    /// SCHED_RR with a priority of 1 to 99.
    Rr(u8),
    /// SCHED_HPC: below real time and above all others, in turn ([`crate::kernel`], class `hpc`). Other schedulers take it
    /// for normal.
    Hpc,
}

/// One step of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Computes: processor time at capacity 1024 without sharing the core.
    Run(Span),
    /// Sleeps on a timer.
    Sleep(Span),
    /// Waits for a device: its queue, then the latency.
    Io {
        /// The device, an object of the workload.
        device: String,
        /// Service time.
        latency: Span,
    },
    /// Takes a lock; waits in the lock's mode.
    Lock(String),
    /// Gives it back.
    Unlock(String),
    /// Arrives at a barrier and waits for the others.
    Barrier(String),
    /// Puts items into a pipe; waits while they do not fit.
    Write {
        /// The pipe.
        pipe: String,
        /// Items, at most the pipe's capacity.
        #[serde(default = "one")]
        items: u32,
    },
    /// Takes items out of a pipe; waits until they are there.
    Read {
        /// The pipe.
        pipe: String,
        /// Items.
        #[serde(default = "one")]
        items: u32,
    },
    /// Adds one to a semaphore.
    Post(String),
    /// Takes one from a semaphore; waits until there is one.
    Wait(String),
    /// Makes children that run a program of the workload.
    Fork {
        /// Their program.
        program: String,
        /// How many, one after the other.
        #[serde(default = "one")]
        count: u32,
        /// Name of the children; default: the parent's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Threads of this process rather than processes of their own.
        #[serde(default)]
        threads: bool,
        /// Each in a new bubble within the parent's, rather than in the parent's.
        #[serde(default)]
        bubble: bool,
    },
    /// Waits until at most so many children are left.
    Join(u32),
    /// Runs a new program image under this name (exec balancing).
    Exec(String),
    /// Gives the CPU up (sched_yield).
    Yield,
    /// Changes its allowed CPUs (sched_setaffinity).
    Affinity(CpuSet),
    /// Changes its nice value.
    Nice(i8),
    /// Changes its policy.
    Policy(Policy),
    /// Does the body so many times; without a number for ever.
    Repeat {
        /// How often; absent: for ever.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        times: Option<u64>,
        /// The body.
        body: Vec<Step>,
    },
    /// Does the body once for each ticket of a counter that several threads share, until none is left.
    Share {
        /// The counter, an object of the workload.
        counter: String,
        /// The body.
        body: Vec<Step>,
    },
    /// Reports progress under a name; the outcome counts these.
    Mark(String),
    /// An iteration of the application ends here, as a periodicity detector finds from its calls. The application's load
    /// and resource balancer ([`crate::dlrb`]), if it has one, acts when all its threads have come here.
    Iteration,
    /// Ends the thread (as does the end of the program).
    Exit,
}

fn one() -> u32 {
    1
}

/// Number of an object, program, name or mark in its table.
pub(crate) type Ix = u16;

/// One instruction of the flat code.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Instr {
    Run(Span),
    Sleep(Span),
    Io {
        device: Ix,
        latency: Span,
    },
    Lock(Ix),
    Unlock(Ix),
    Barrier(Ix),
    Write {
        pipe: Ix,
        items: u32,
    },
    Read {
        pipe: Ix,
        items: u32,
    },
    Post(Ix),
    Wait(Ix),
    Fork {
        program: Ix,
        count: u32,
        name: Option<Ix>,
        threads: bool,
        bubble: bool,
    },
    /// Makes the threads of a row of the workload.
    Launch(u32),
    Join(u32),
    Exec(Ix),
    Yield,
    Affinity(MaskId),
    Nice(i8),
    Policy(Policy),
    /// Enters a loop: pushes its count (None: for ever); to `end` when there is nothing to do.
    Repeat {
        times: Option<u64>,
        end: u32,
    },
    /// Takes a ticket, or goes to `end`.
    Ticket {
        counter: Ix,
        end: u32,
    },
    /// Ends the body of a `Repeat` that starts at `start`.
    Again {
        start: u32,
    },
    Jump(u32),
    Mark(Ix),
    Iteration,
    Exit,
}
