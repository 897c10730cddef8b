//! Entities (threads and bubbles) in holders (runqueues and bubbles). Every entity is in exactly one holder.
//!
//! A holder's *list* has those of its entities that a CPU may find there: bubbles that are closed, and threads that wait for
//! a CPU. Threads that run or sleep, and bubbles that have burst, keep their holder and are on no list.

use crate::engine::{BubbleIx, Engine, ThreadIx};
use crate::span::Ns;
use crate::topology::CpuIx;

/// Index of a runqueue: those of the machine's components come first, by component (0 is the machine's); then those set aside.
pub type RunqueueIx = usize;

/// What is scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SchedEntity {
    /// A thread.
    Thread(ThreadIx),
    /// A bubble, with all that it holds.
    Bubble(BubbleIx),
}

/// Where an entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchedHolder {
    /// Nowhere yet: not woken up, or ended.
    Outside,
    /// On a runqueue.
    Runqueue(RunqueueIx),
    /// In a bubble.
    Bubble(BubbleIx),
}

/// What a bubble does with its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BubblePhase {
    /// Holds it.
    Closed,
    /// Has released it, and remembers it.
    Burst,
    /// Takes it back.
    Regenerating,
}

#[derive(Clone, Debug)]
pub(super) struct ThreadState {
    pub holder: SchedHolder,
    /// On its holder's list.
    pub listed: bool,
    /// CPU that it runs on.
    pub runs_on: Option<CpuIx>,
    /// Priority of the entity of a runqueue as which it was picked: its own, or that of a bubble around it.
    pub picked_as: i32,
    /// CPU of its parent, whose cache has its data; until its first run.
    pub born_on: Option<CpuIx>,
}

#[derive(Clone, Debug)]
pub(super) struct BubbleState {
    pub holder: SchedHolder,
    pub listed: bool,
    pub phase: BubblePhase,
    /// Its members, in the order in which they were added.
    pub content: Vec<SchedEntity>,
    pub list: Vec<SchedEntity>,
    /// Runqueue onto which the bubble around it (or its wake up) released it: there it goes when it closes.
    pub released_on: RunqueueIx,
    /// Counts its bursts and reuses, so that outdated timers are recognised.
    pub epoch: u32,
}

/// A runqueue's list and lock.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    pub entities: Vec<SchedEntity>,
    /// CPU that held the lock last, and until when.
    pub last: CpuIx,
    pub free_at: Ns,
}

/// The state of a bubble scheduler: every entity and every runqueue.
#[derive(Clone, Debug, Default)]
pub struct Holders {
    pub(super) threads: Vec<Option<ThreadState>>,
    pub(super) bubbles: Vec<Option<BubbleState>>,
    pub(super) lists: Vec<List>,
    /// Runqueues below this number are components of the machine.
    pub(super) components: usize,
    /// Time that the current CPU has spent on runqueues and bubbles and that is not charged to a thread yet.
    pub(super) debt: Ns,
    /// Idle CPUs are called for entities of runqueues that do not span them, too.
    pub(super) roaming: bool,
}

impl Holders {
    pub(super) fn thread(&self, t: ThreadIx) -> &ThreadState {
        self.threads[t as usize].as_ref().expect("a thread that was admitted")
    }

    pub(super) fn thread_mut(&mut self, t: ThreadIx) -> &mut ThreadState {
        self.threads[t as usize].as_mut().expect("a thread that was admitted")
    }

    pub(super) fn bubble(&self, b: BubbleIx) -> &BubbleState {
        self.bubbles[b as usize].as_ref().expect("a bubble that was made")
    }

    pub(super) fn bubble_mut(&mut self, b: BubbleIx) -> &mut BubbleState {
        self.bubbles[b as usize].as_mut().expect("a bubble that was made")
    }

    /// Where an entity is.
    pub fn holder(&self, entity: SchedEntity) -> SchedHolder {
        match entity {
            SchedEntity::Thread(t) => self.thread(t).holder,
            SchedEntity::Bubble(b) => self.bubble(b).holder,
        }
    }

    pub(super) fn listed(&self, entity: SchedEntity) -> bool {
        match entity {
            SchedEntity::Thread(t) => self.thread(t).listed,
            SchedEntity::Bubble(b) => self.bubble(b).listed,
        }
    }

    /// The runqueue that an entity is on, through all bubbles around it.
    pub fn runqueue(&self, entity: SchedEntity) -> Option<RunqueueIx> {
        let mut holder = self.holder(entity);
        loop {
            match holder {
                SchedHolder::Outside => return None,
                SchedHolder::Runqueue(rq) => return Some(rq),
                SchedHolder::Bubble(b) => holder = self.bubble(b).holder,
            }
        }
    }

    /// The entities that a CPU may find in a holder, in their order.
    pub fn list(&self, holder: SchedHolder) -> &[SchedEntity] {
        match holder {
            SchedHolder::Outside => &[],
            SchedHolder::Runqueue(rq) => &self.lists[rq].entities,
            SchedHolder::Bubble(b) => &self.bubble(b).list,
        }
    }

    fn list_mut(&mut self, holder: SchedHolder) -> Option<&mut Vec<SchedEntity>> {
        match holder {
            SchedHolder::Outside => None,
            SchedHolder::Runqueue(rq) => Some(&mut self.lists[rq].entities),
            SchedHolder::Bubble(b) => Some(&mut self.bubble_mut(b).list),
        }
    }

    /// Takes an entity off its holder's list; it stays in the holder.
    pub(super) fn unlist(&mut self, entity: SchedEntity) {
        let holder = self.holder(entity);
        if let Some(list) = self.list_mut(holder) {
            list.retain(|&o| o != entity);
        }
        self.set_listed(entity, false);
    }

    /// Puts an entity at the end of its holder's list.
    pub(super) fn enlist(&mut self, entity: SchedEntity) {
        let holder = self.holder(entity);
        debug_assert!(!self.listed(entity), "{entity:?} is on a list");
        if let Some(list) = self.list_mut(holder) {
            list.push(entity);
            self.set_listed(entity, true);
        }
    }

    fn set_listed(&mut self, entity: SchedEntity, listed: bool) {
        match entity {
            SchedEntity::Thread(t) => self.thread_mut(t).listed = listed,
            SchedEntity::Bubble(b) => self.bubble_mut(b).listed = listed,
        }
    }

    /// Gives an entity another holder, at the end of that one's list if it was on a list.
    pub(super) fn shift(&mut self, entity: SchedEntity, to: SchedHolder) {
        let listed = self.listed(entity);
        if listed {
            self.unlist(entity);
        }
        match entity {
            SchedEntity::Thread(t) => self.thread_mut(t).holder = to,
            SchedEntity::Bubble(b) => self.bubble_mut(b).holder = to,
        }
        if listed {
            self.enlist(entity);
        }
    }

    /// Threads that wait for a CPU in an entity: through the lists of closed bubbles.
    pub fn waiting(&self, entity: SchedEntity) -> usize {
        match entity {
            SchedEntity::Thread(t) => usize::from(self.thread(t).listed),
            SchedEntity::Bubble(b) => self.bubble(b).list.iter().map(|&o| self.waiting(o)).sum(),
        }
    }

    /// Calls `f` with every thread held by an entity, at any depth, running and sleeping ones too.
    pub(super) fn for_each_held(&self, entity: SchedEntity, f: &mut impl FnMut(ThreadIx, &ThreadState)) {
        match entity {
            SchedEntity::Thread(t) => f(t, self.thread(t)),
            SchedEntity::Bubble(b) => {
                let inside = |o: &&SchedEntity| self.holder(**o) == SchedHolder::Bubble(b);
                self.bubble(b).content.iter().filter(inside).for_each(|&o| self.for_each_held(o, f));
            }
        }
    }

    /// Calls `f` with every thread that belongs to an entity, wherever it is.
    pub(super) fn for_each_member(&self, entity: SchedEntity, f: &mut impl FnMut(ThreadIx, &ThreadState)) {
        match entity {
            SchedEntity::Thread(t) => f(t, self.thread(t)),
            SchedEntity::Bubble(b) => self.bubble(b).content.iter().for_each(|&o| self.for_each_member(o, f)),
        }
    }

    /// True when a CPU could run a thread of an entity: one that waits and may use it.
    pub(super) fn suits(&self, e: &Engine<'_>, entity: SchedEntity, cpu: CpuIx) -> bool {
        match entity {
            SchedEntity::Thread(t) => may_run(e, t, cpu),
            SchedEntity::Bubble(b) => self.bubble(b).list.iter().any(|&o| self.suits(e, o, cpu)),
        }
    }

    /// The first entity of the highest priority on a list with a thread that the CPU could run, without those in `skipped`.
    pub(super) fn best(
        &self,
        e: &Engine<'_>,
        holder: SchedHolder,
        cpu: CpuIx,
        skipped: &[BubbleIx],
    ) -> Option<(i32, SchedEntity)> {
        let mut best: Option<(i32, SchedEntity)> = None;
        for &entity in self.list(holder) {
            let p = priority(e, entity);
            let skipped = matches!(entity, SchedEntity::Bubble(b) if skipped.contains(&b));
            if !skipped && best.is_none_or(|(q, _)| p > q) && self.suits(e, entity, cpu) {
                best = Some((p, entity));
            }
        }
        best
    }

    /// The thread that a CPU would run of a bubble: of the highest priority at each depth, the first of equals.
    pub(super) fn thread_in(&self, e: &Engine<'_>, b: BubbleIx, cpu: CpuIx) -> Option<ThreadIx> {
        match self.best(e, SchedHolder::Bubble(b), cpu, &[])?.1 {
            SchedEntity::Thread(t) => Some(t),
            SchedEntity::Bubble(inner) => self.thread_in(e, inner, cpu),
        }
    }

    /// Takes and releases a runqueue's lock; returns the time for that, with the wait for it.
    pub(super) fn lock(&mut self, e: &Engine<'_>, rq: RunqueueIx, cpu: CpuIx) -> Ns {
        let list = &mut self.lists[rq];
        let hold = e.costs.list_ns(e.topology.distance(list.last, cpu));
        let until = list.free_at.max(e.now()) + hold;
        (list.last, list.free_at) = (cpu, until);
        until - e.now()
    }
}

/// True when a thread may run on a CPU that is online: its mask allows that, or allows no online CPU at all (kernel:
/// select_fallback_rq).
pub fn may_run(e: &Engine<'_>, t: ThreadIx, cpu: CpuIx) -> bool {
    e.may_use(t, cpu) || (e.online().contains(cpu) && !e.allowed(t).intersects(e.online()))
}

/// An entity's priority.
pub(super) fn priority(e: &Engine<'_>, entity: SchedEntity) -> i32 {
    match entity {
        SchedEntity::Thread(t) => e.thread(t).priority,
        SchedEntity::Bubble(b) => e.bubble(b).priority,
    }
}
