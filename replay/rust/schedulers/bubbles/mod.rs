//! Bubble schedulers: threads and bubbles on a hierarchy of runqueues, one per component of each level of the machine.
//!
//! [`Bubbles`] is the ground self-scheduler: a CPU that looks for work searches the runqueues that span it, from the most
//! local to the most global, for the entity of the highest priority; a less prioritised entity may stay on a more local one.
//! What it does not know is what to do with bubbles: a [`Policy`] says that, in hooks, through [`Ground`]. Source: Thibault,
//! Namyst, Wacrenier, *Building Portable Thread Schedulers for Hierarchical Multiprocessors: the BubbleSched Framework*,
//! Euro-Par 2007; Thibault, *A flexible thread scheduler for hierarchical multiprocessor machines*, COSET-2, 2005.
//!
//! The policies are a file each: [`Simple`], [`Bound`], [`Burst`], [`Gang`], [`Steal`].

mod bound;
mod burst;
mod gang;
mod ground;
mod holders;
mod scheduler;
mod simple;
mod sound;
mod steal;

pub use bound::Bound;
pub use burst::Burst;
pub use gang::Gang;
pub use ground::Ground;
pub use holders::{Entity, Holder, Holders, Life, Runqueue, may_run};
pub use scheduler::Bubbles;
pub use simple::Simple;
pub use steal::Steal;

use crate::engine::{BubbleIx, ThreadIx};
use crate::topology::CpuIx;

/// What a policy answers when the ground scheduler has met a bubble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// The CPU runs this thread of it, which waits there.
    Run(ThreadIx),
    /// The policy has moved something: the CPU searches again.
    Again,
    /// The CPU leaves this bubble alone, and searches on.
    Pass,
}

/// What a scheduler of bubbles is made of. All hooks have defaults, which are: bubbles stay on the machine's runqueue, and
/// each CPU runs their threads from there, bubble after bubble.
pub trait Policy {
    /// Before the first event: runqueues set aside are made here ([`Ground::aside`]), daemons started ([`Ground::after`]).
    fn start(&mut self, _g: &mut Ground<'_, '_>) {}

    /// A thread is there: the runqueue it is to stand on, past its bubble. Default: in its bubble, or on the machine's.
    fn thread(&mut self, _g: &mut Ground<'_, '_>, _t: ThreadIx) -> Option<Runqueue> {
        None
    }

    /// The runqueue onto which an outermost bubble is woken up.
    fn wake_up(&mut self, g: &mut Ground<'_, '_>, _b: BubbleIx) -> Runqueue {
        g.main()
    }

    /// The CPU has met this bubble, the best of the entities on its runqueues (BubbleSched: `bubble_schedule`).
    fn bubble_schedule(&mut self, g: &mut Ground<'_, '_>, b: BubbleIx, cpu: CpuIx) -> Met {
        g.thread_in(b, cpu).map_or(Met::Pass, Met::Run)
    }

    /// The time slice of a bubble is over (BubbleSched: `bubble_tick`); it began with [`Ground::slice`].
    fn bubble_tick(&mut self, _g: &mut Ground<'_, '_>, _b: BubbleIx) {}

    /// A CPU has found nothing on its runqueues and searches once more afterwards.
    fn idle(&mut self, _g: &mut Ground<'_, '_>, _cpu: CpuIx) {}

    /// Idle CPUs are called for entities on any runqueue, as [`Policy::idle`] would fetch them.
    fn roams(&self) -> bool {
        false
    }

    /// A daemon set by [`Ground::after`] runs, on `cpu`.
    fn daemon(&mut self, _g: &mut Ground<'_, '_>, _cpu: CpuIx, _token: u32) {}
}
