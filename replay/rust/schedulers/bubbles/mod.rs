//! Bubble schedulers: threads and bubbles on a hierarchy of runqueues, one per component of each level of the machine.
//!
//! [`Bubbles`] is the ground self-scheduler: a CPU that looks for work searches the runqueues that span it, from the most
//! local to the most global, for the entity of the highest priority; a less prioritised entity may stay on a more local one.
//! What is done with bubbles is up to a [`BubblePolicy`], in hooks, through [`PolicyContext`]. Source: Thibault,
//! Namyst, Wacrenier, *Building Portable Thread Schedulers for Hierarchical Multiprocessors: the BubbleSched Framework*,
//! Euro-Par 2007; Thibault, *A flexible thread scheduler for hierarchical multiprocessor machines*, COSET-2, 2005.
//!
//! The policies are a file each: [`Simple`], [`Bound`], [`Burst`], [`Gang`], [`Steal`].

mod bound;
mod burst;
mod context;
mod gang;
mod holders;
mod invariants;
mod scheduler;
mod simple;
mod steal;

pub use bound::Bound;
pub use burst::Burst;
pub use context::PolicyContext;
pub use gang::Gang;
pub use holders::{BubblePhase, Holders, RunqueueIx, SchedEntity, SchedHolder, may_run};
pub use scheduler::Bubbles;
pub use simple::Simple;
pub use steal::Steal;

use crate::engine::{BubbleIx, ThreadIx};
use crate::topology::CpuIx;

/// What a policy answers when the search has found a bubble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyAnswer {
    /// The CPU runs this thread of it, which waits there.
    Run(ThreadIx),
    /// The policy has moved something: the CPU searches again.
    Again,
    /// The CPU skips this bubble and searches on.
    Skip,
}

/// The hooks of a bubble scheduler. All have defaults, which are: bubbles stay on the machine's runqueue, and
/// each CPU runs their threads from there, bubble after bubble.
pub trait BubblePolicy {
    /// Before the first event: runqueues set aside are made here ([`PolicyContext::aside`]), daemons started
    /// ([`PolicyContext::after`]).
    fn start(&mut self, _g: &mut PolicyContext<'_, '_>) {}

    /// A thread exists: the runqueue on which it is queued in place of its bubble's. Default: in its bubble, or on the machine's.
    fn thread(&mut self, _g: &mut PolicyContext<'_, '_>, _t: ThreadIx) -> Option<RunqueueIx> {
        None
    }

    /// The runqueue onto which an outermost bubble is woken up.
    fn wake_up(&mut self, g: &mut PolicyContext<'_, '_>, _b: BubbleIx) -> RunqueueIx {
        g.main()
    }

    /// The search has found this bubble, the best of the entities on its runqueues (BubbleSched: `bubble_schedule`).
    fn bubble_schedule(&mut self, g: &mut PolicyContext<'_, '_>, b: BubbleIx, cpu: CpuIx) -> PolicyAnswer {
        g.thread_in(b, cpu).map_or(PolicyAnswer::Skip, PolicyAnswer::Run)
    }

    /// The time slice of a bubble is over (BubbleSched: `bubble_tick`); set with [`PolicyContext::slice`].
    fn bubble_tick(&mut self, _g: &mut PolicyContext<'_, '_>, _b: BubbleIx) {}

    /// A CPU has found nothing on its runqueues and searches once more afterwards.
    fn idle(&mut self, _g: &mut PolicyContext<'_, '_>, _cpu: CpuIx) {}

    /// Idle CPUs are called for entities on any runqueue, as [`BubblePolicy::idle`] would fetch them.
    fn roams(&self) -> bool {
        false
    }

    /// A daemon set by [`PolicyContext::after`] runs, on `cpu`.
    fn daemon(&mut self, _g: &mut PolicyContext<'_, '_>, _cpu: CpuIx, _token: u32) {}
}
