//! A scheduler: a set of hooks that the engine calls.
//!
//! A scheduler owns its runqueues and may attach them to any level of the machine ([`crate::SimulatedTopology::components`]): one per
//! CPU as kernels do, one per cache, node or machine, or one of each. The engine owns time, threads and CPUs. The contract:
//!
//! - A thread is with the scheduler from [`Scheduler::enqueue`] until [`Scheduler::dequeue`]. Between them it is on a
//!   queue, or *current* on the CPU that [`Scheduler::pick_next`] gave it to, until [`Scheduler::put_prev`] puts it back.
//! - In a trace a waiting thread is queued on one CPU, [`crate::Thread::cpu`]: the one that `place` returned, then the one that
//!   [`Engine::move_thread`] was given. A thread that is picked by another CPU (a queue that spans several) is moved by the
//!   engine.
//! - Nothing happens on a CPU before [`Engine::resched`] is called for it: an `enqueue` that wants the CPU must call it.

use crate::engine::{BubbleIx, Engine, ThreadIx};
use crate::program::DeadlineParameters;
use crate::record::DeadlineServer;
use crate::topology::CpuIx;

/// Why a CPU is chosen for a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// It wakes.
    Wakeup {
        /// CPU on which the waker runs (or the interrupt came).
        waker_cpu: CpuIx,
        /// The thread that wakes it; None for interrupts.
        waker: Option<ThreadIx>,
        /// The waker is about to sleep (WF_SYNC).
        sync: bool,
    },
    /// It is new.
    Fork {
        /// CPU of the parent.
        parent_cpu: CpuIx,
    },
    /// It runs a new program.
    Exec,
    /// Its CPU is no longer allowed, or offline.
    Displaced,
}

/// Why a thread comes onto a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enqueue {
    /// It woke.
    Wakeup,
    /// It is new.
    New,
    /// It came from another CPU.
    Moved,
    /// Its priority or policy changed.
    Changed,
}

/// Why a thread leaves its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dequeue {
    /// It sleeps (it was current).
    Sleep,
    /// It ended (it was current).
    Exit,
    /// It goes to another CPU (it was queued).
    Moved,
    /// Its priority or policy is about to change.
    Changed,
}

/// The hooks of a scheduler. `e` is the running machine; hooks act through it.
pub trait Scheduler {
    /// Its release, as `uname -r` would print it: names the functions in stacks and selects the rules of a cause.
    fn release(&self) -> &str;

    /// A thread that ran in this time counts as cache-hot, ns; -1: every thread. None: it has no such rule.
    fn migration_cost_ns(&self) -> Option<i64> {
        None
    }

    /// Before the first event.
    fn start(&mut self, _e: &mut Engine<'_>) {}

    /// The application has created a bubble ([`Engine::bubble`]), without members.
    fn create_bubble(&mut self, _e: &mut Engine<'_>, _b: BubbleIx) {}

    /// A bubble without members is destroyed.
    fn destroy_bubble(&mut self, _e: &mut Engine<'_>, _b: BubbleIx) {}

    /// A thread exists from now on (it is not queued yet).
    fn admit(&mut self, _e: &mut Engine<'_>, _t: ThreadIx) {}

    /// A thread's slot is free again.
    fn forget(&mut self, _e: &mut Engine<'_>, _t: ThreadIx) {}

    /// Whether a thread may have policy `deadline`, which it has or is to get. The text says why not; the run ends then.
    fn admit_deadline(&mut self, _e: &Engine<'_>, _t: ThreadIx, _wants: &DeadlineParameters) -> Result<(), String> {
        Err("the scheduler has no deadline class; the kernel model has".to_owned())
    }

    /// A thread has woken, or is new, and is about to be queued on `cpu`; the trace does not say so yet. Its server's deadline is set
    /// here.
    fn activate(&mut self, _e: &mut Engine<'_>, _t: ThreadIx, _cpu: CpuIx, _why: Enqueue) {}

    /// The server of a deadline thread, as the trace is to show it.
    fn server(&self, _t: ThreadIx) -> Option<DeadlineServer> {
        None
    }

    /// The CPU for a thread: online and allowed, unless none is.
    fn place(&mut self, e: &mut Engine<'_>, t: ThreadIx, why: Placement) -> CpuIx;

    /// The thread is runnable on `cpu`. Call [`Engine::resched`] where it should run soon.
    fn enqueue(&mut self, e: &mut Engine<'_>, t: ThreadIx, cpu: CpuIx, why: Enqueue);

    /// The thread leaves the queue (or the CPU) where it was.
    fn dequeue(&mut self, e: &mut Engine<'_>, t: ThreadIx, cpu: CpuIx, why: Dequeue);

    /// The current thread of a CPU stops running and stays runnable.
    fn put_prev(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx);

    /// The thread that runs next on a CPU: it becomes current. None: the CPU has nothing to run.
    fn pick_next(&mut self, e: &mut Engine<'_>, cpu: CpuIx) -> Option<ThreadIx>;

    /// A CPU has switched to what [`Scheduler::pick_next`] chose, or goes on with it (kernel: balance callbacks).
    fn switched(&mut self, _e: &mut Engine<'_>, _cpu: CpuIx) {}

    /// A CPU is about to idle: a chance to pull. [`Scheduler::pick_next`] is asked again afterwards.
    fn idle_entry(&mut self, _e: &mut Engine<'_>, _cpu: CpuIx) {}

    /// A CPU leaves idle.
    fn idle_exit(&mut self, _e: &mut Engine<'_>, _cpu: CpuIx) {}

    /// The tick of a CPU. Idle CPUs have none, but for the one after they went idle.
    fn tick(&mut self, _e: &mut Engine<'_>, _cpu: CpuIx) {}

    /// A timer set by [`Engine::timer`] for a CPU, which may have gone offline since.
    fn timer(&mut self, _e: &mut Engine<'_>, _cpu: CpuIx, _token: u64) {}

    /// The current thread of a CPU gives it up; a reschedule follows.
    fn yield_task(&mut self, _e: &mut Engine<'_>, _cpu: CpuIx, _t: ThreadIx) {}

    /// A stopper asked for by [`Engine::stop`] runs on a CPU, which has put its thread back before.
    fn run_stopper(&mut self, _e: &mut Engine<'_>, _cpu: CpuIx, _token: u64) {}

    /// A thread's allowed CPUs changed. The engine moves it if it must.
    fn mask_changed(&mut self, _e: &mut Engine<'_>, _t: ThreadIx) {}

    /// Interrupt work on an idle CPU ended.
    fn irq_end(&mut self, _e: &mut Engine<'_>, _cpu: CpuIx) {}

    /// A CPU came online (after the fact) or goes offline (before its threads are pushed off).
    fn hotplug(&mut self, _e: &mut Engine<'_>, _cpu: CpuIx, _online: bool) {}
}
