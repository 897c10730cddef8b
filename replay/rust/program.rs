//! What threads do, as data: a list of steps in the form a text file can hold, and the flat code the engine walks.

use crate::masks::MaskId;
use crate::span::{MS, Ns, S, Span, Time};
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
    /// SCHED_DEADLINE: above real time, the earliest deadline first, each thread in a server of its own. Only the kernel model
    /// has the class.
    Deadline(DeadlineParameters),
}

/// What a thread of policy `deadline` may run, and within which time (sched_setattr).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeadlineParameters {
    /// Time that it may run until each deadline.
    pub runtime: Time,
    /// From an activation to its deadline; absent: the period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Time>,
    /// Between two activations, at least; absent: the deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Time>,
}

/// Shortest runtime (kernel: __checkparam_dl, 1 << DL_SCALE).
const LEAST_RUNTIME: Ns = 1 << 10;
/// Shortest and longest period (kernel: sysctl_sched_dl_period_min, sysctl_sched_dl_period_max).
const PERIODS: std::ops::RangeInclusive<Ns> = 100_000..=(1 << 22) * 1_000;

impl DeadlineParameters {
    /// From an activation to its deadline.
    pub fn deadline_ns(&self) -> Ns {
        self.deadline.or(self.period).map_or(0, |t| t.0)
    }

    /// Between two activations.
    pub fn period_ns(&self) -> Ns {
        self.period.or(self.deadline).map_or(0, |t| t.0)
    }

    /// Refuses what sched_setattr refuses (kernel: __checkparam_dl).
    pub(crate) fn check(&self) -> Result<(), String> {
        let (runtime, deadline, period) = (self.runtime.0, self.deadline_ns(), self.period_ns());
        let ms = |ns: Ns| ns as f64 / MS as f64;
        if self.deadline.is_none() && self.period.is_none() {
            return Err("policy deadline without a deadline and a period".to_owned());
        }
        if runtime < LEAST_RUNTIME || runtime > deadline || deadline > period {
            return Err(format!(
                "1024 ns ≤ runtime ≤ deadline ≤ period must hold; got {}, {}, {} ms",
                ms(runtime),
                ms(deadline),
                ms(period)
            ));
        }
        if !PERIODS.contains(&period) {
            return Err(format!(
                "a period of {} ms: {} ms to {} s",
                ms(period),
                ms(*PERIODS.start()),
                *PERIODS.end() as f64 / S as f64
            ));
        }
        Ok(())
    }
}

/// What a thread does that comes to a timer after the release that it was to wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LateTimer {
    /// It waits for the first release that is to come (timerfd): those that have passed are left out.
    #[default]
    Skip,
    /// It goes on at once, until it has caught up (clock_nanosleep with TIMER_ABSTIME).
    CatchUp,
    /// It goes on at once, and periods count from now on.
    Restart,
}

/// A periodic timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeriodicTimer {
    /// Between two releases.
    pub period: Time,
    /// Releases are at this time of the simulated clock and each period after it; absent: each period after the thread's creation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Time>,
    /// What a thread does that comes late.
    #[serde(default)]
    pub late: LateTimer,
}

impl PeriodicTimer {
    /// When a thread that comes to the timer is released, where that is later than now; and the release from which the next one is
    /// counted. `last`: the one before, `created`: when the thread was created.
    pub(crate) fn next(&self, now: Ns, last: Option<Ns>, created: Ns) -> (Option<Ns>, Ns) {
        let period = self.period.0.max(1);
        let after = |from: Ns| if from > now { from } else { from + ((now - from) / period + 1) * period };
        let due = match (last, self.offset) {
            (Some(last), _) => last + period,
            (None, Some(offset)) => after(offset.0),
            (None, None) => created + period,
        };
        match self.late {
            _ if due > now => (Some(due), due),
            LateTimer::Skip => (Some(after(due)), after(due)),
            LateTimer::CatchUp => (None, due),
            LateTimer::Restart => (None, now),
        }
    }
}

/// One step of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Computes: processor time at capacity 1024 without sharing the core.
    Run(Span),
    /// Sleeps on a timer.
    Sleep(Span),
    /// Sleeps until its next release by a periodic timer. A thread has one such timer.
    Timer(PeriodicTimer),
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
    Timer(PeriodicTimer),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn timer(late: LateTimer) -> PeriodicTimer {
        PeriodicTimer { period: Time(10), offset: None, late }
    }

    #[test]
    fn releases_are_periods_apart_whenever_the_thread_comes() {
        let from_offset = PeriodicTimer { offset: Some(Time(3)), ..timer(LateTimer::Skip) };
        assert_eq!([0, 3, 4, 25].map(|now| from_offset.next(now, None, 0).1), [3, 13, 13, 33]);
        assert_eq!(timer(LateTimer::Skip).next(7, None, 2), (Some(12), 12));
        assert_eq!(timer(LateTimer::Skip).next(12, Some(10), 0), (Some(20), 20));
    }

    #[test]
    fn a_late_thread_skips_catches_up_or_starts_again() {
        assert_eq!(timer(LateTimer::Skip).next(45, Some(10), 0), (Some(50), 50));
        assert_eq!(timer(LateTimer::Skip).next(20, Some(10), 0), (Some(30), 30), "at the release itself it has passed");
        assert_eq!(timer(LateTimer::CatchUp).next(45, Some(10), 0), (None, 20));
        assert_eq!(timer(LateTimer::Restart).next(45, Some(10), 0), (None, 45));
    }

    #[test]
    fn what_the_kernel_refuses_is_refused() {
        let of = |runtime, deadline: Option<Ns>, period: Option<Ns>| {
            let parameters =
                DeadlineParameters { runtime: Time(runtime), deadline: deadline.map(Time), period: period.map(Time) };
            parameters.check()
        };
        assert_eq!(of(3 * MS, Some(5 * MS), Some(10 * MS)), Ok(()));
        assert_eq!(of(3 * MS, None, Some(10 * MS)), Ok(()));
        assert_eq!(of(3 * MS, Some(10 * MS), None), Ok(()));
        for (runtime, deadline, period) in [
            (3 * MS, None, None),
            (1_000, Some(MS), None),
            (6 * MS, Some(5 * MS), Some(10 * MS)),
            (3 * MS, Some(11 * MS), Some(10 * MS)),
            (10_000, Some(50_000), None),
            (MS, None, Some(5 * S)),
        ] {
            assert!(of(runtime, deadline, period).is_err(), "{runtime} {deadline:?} {period:?}");
        }
    }
}
