//! Who is where: entities (threads and bubbles) in holders (runqueues and bubbles). Every entity is in exactly one holder.
//!
//! A holder's *list* has those of its entities that a CPU may meet there: bubbles that are closed, and threads that wait for
//! a CPU. Threads that run or sleep, and bubbles that have burst, keep their holder and are on no list.

use crate::engine::{BubbleIx, Engine, ThreadIx};
use crate::span::Ns;
use crate::topology::CpuIx;

/// A runqueue: those of the machine's components come first, by component (0 is the machine's); then those set aside.
pub type Runqueue = usize;

/// What is scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entity {
    /// A thread.
    Thread(ThreadIx),
    /// A bubble, with all that it holds.
    Bubble(BubbleIx),
}

/// Where an entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// Nowhere yet: not woken up, or ended.
    Outside,
    /// On a runqueue.
    Runqueue(Runqueue),
    /// In a bubble.
    Bubble(BubbleIx),
}

/// What a bubble does with its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// Holds it.
    Closed,
    /// Has released it, and remembers it.
    Burst,
    /// Takes it back.
    Regenerating,
}

#[derive(Clone, Debug)]
pub(super) struct ThreadState {
    pub holder: Holder,
    /// On its holder's list.
    pub listed: bool,
    /// CPU that it runs on.
    pub runs_on: Option<CpuIx>,
    /// Priority of the entity of a runqueue as which it was picked: its own, or that of a bubble around it.
    pub picked_as: i32,
    /// CPU whose cache has what its parent left it; until its first run.
    pub born_on: Option<CpuIx>,
}

#[derive(Clone, Debug)]
pub(super) struct BubbleState {
    pub holder: Holder,
    pub listed: bool,
    pub life: Life,
    /// Everybody who belongs to it, in the order in which they came.
    pub content: Vec<Entity>,
    pub list: Vec<Entity>,
    /// Runqueue onto which the bubble around it (or its wake up) released it: there it goes when it closes.
    pub released_on: Runqueue,
    /// Counts its bursts and lives, so that old timers are known.
    pub epoch: u32,
}

/// A runqueue's list and lock.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    pub entities: Vec<Entity>,
    /// Who held the lock last, and until when.
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
    /// Time that the CPU at work has spent on runqueues and bubbles and nobody has been charged for.
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
    pub fn holder(&self, entity: Entity) -> Holder {
        match entity {
            Entity::Thread(t) => self.thread(t).holder,
            Entity::Bubble(b) => self.bubble(b).holder,
        }
    }

    pub(super) fn listed(&self, entity: Entity) -> bool {
        match entity {
            Entity::Thread(t) => self.thread(t).listed,
            Entity::Bubble(b) => self.bubble(b).listed,
        }
    }

    /// The runqueue that an entity is on, through all bubbles around it.
    pub fn runqueue(&self, entity: Entity) -> Option<Runqueue> {
        let mut holder = self.holder(entity);
        loop {
            match holder {
                Holder::Outside => return None,
                Holder::Runqueue(rq) => return Some(rq),
                Holder::Bubble(b) => holder = self.bubble(b).holder,
            }
        }
    }

    /// The entities that a CPU may meet in a holder, in their order.
    pub fn list(&self, holder: Holder) -> &[Entity] {
        match holder {
            Holder::Outside => &[],
            Holder::Runqueue(rq) => &self.lists[rq].entities,
            Holder::Bubble(b) => &self.bubble(b).list,
        }
    }

    fn list_mut(&mut self, holder: Holder) -> Option<&mut Vec<Entity>> {
        match holder {
            Holder::Outside => None,
            Holder::Runqueue(rq) => Some(&mut self.lists[rq].entities),
            Holder::Bubble(b) => Some(&mut self.bubble_mut(b).list),
        }
    }

    /// Takes an entity off its holder's list; it stays in the holder.
    pub(super) fn unlist(&mut self, entity: Entity) {
        let holder = self.holder(entity);
        if let Some(list) = self.list_mut(holder) {
            list.retain(|&o| o != entity);
        }
        self.set_listed(entity, false);
    }

    /// Puts an entity at the end of its holder's list.
    pub(super) fn enlist(&mut self, entity: Entity) {
        let holder = self.holder(entity);
        debug_assert!(!self.listed(entity), "{entity:?} is on a list");
        if let Some(list) = self.list_mut(holder) {
            list.push(entity);
            self.set_listed(entity, true);
        }
    }

    fn set_listed(&mut self, entity: Entity, listed: bool) {
        match entity {
            Entity::Thread(t) => self.thread_mut(t).listed = listed,
            Entity::Bubble(b) => self.bubble_mut(b).listed = listed,
        }
    }

    /// Gives an entity another holder; it comes to the end of that one's list if it was on a list.
    pub(super) fn shift(&mut self, entity: Entity, to: Holder) {
        let listed = self.listed(entity);
        if listed {
            self.unlist(entity);
        }
        match entity {
            Entity::Thread(t) => self.thread_mut(t).holder = to,
            Entity::Bubble(b) => self.bubble_mut(b).holder = to,
        }
        if listed {
            self.enlist(entity);
        }
    }

    /// Threads that wait for a CPU in an entity: through the lists of closed bubbles.
    pub fn waiting(&self, entity: Entity) -> usize {
        match entity {
            Entity::Thread(t) => usize::from(self.thread(t).listed),
            Entity::Bubble(b) => self.bubble(b).list.iter().map(|&o| self.waiting(o)).sum(),
        }
    }

    /// Calls `f` with every thread held by an entity, at any depth, running and sleeping ones too.
    pub(super) fn held(&self, entity: Entity, f: &mut impl FnMut(ThreadIx, &ThreadState)) {
        match entity {
            Entity::Thread(t) => f(t, self.thread(t)),
            Entity::Bubble(b) => {
                let inside = |o: &&Entity| self.holder(**o) == Holder::Bubble(b);
                self.bubble(b).content.iter().filter(inside).for_each(|&o| self.held(o, f));
            }
        }
    }

    /// Calls `f` with every thread that belongs to an entity, wherever it is.
    pub(super) fn members(&self, entity: Entity, f: &mut impl FnMut(ThreadIx, &ThreadState)) {
        match entity {
            Entity::Thread(t) => f(t, self.thread(t)),
            Entity::Bubble(b) => self.bubble(b).content.iter().for_each(|&o| self.members(o, f)),
        }
    }

    /// True when a CPU could run somebody of an entity: a waiting thread that may use it.
    pub(super) fn suits(&self, e: &Engine<'_>, entity: Entity, cpu: CpuIx) -> bool {
        match entity {
            Entity::Thread(t) => may_run(e, t, cpu),
            Entity::Bubble(b) => self.bubble(b).list.iter().any(|&o| self.suits(e, o, cpu)),
        }
    }

    /// The first entity of the highest priority on a list that a CPU could run somebody of, `passed` left out.
    pub(super) fn best(
        &self,
        e: &Engine<'_>,
        holder: Holder,
        cpu: CpuIx,
        passed: &[BubbleIx],
    ) -> Option<(i32, Entity)> {
        let mut best: Option<(i32, Entity)> = None;
        for &entity in self.list(holder) {
            let p = priority(e, entity);
            let passed = matches!(entity, Entity::Bubble(b) if passed.contains(&b));
            if !passed && best.is_none_or(|(q, _)| p > q) && self.suits(e, entity, cpu) {
                best = Some((p, entity));
            }
        }
        best
    }

    /// The thread that a CPU would run of a bubble: of the highest priority at each depth, the first of equals.
    pub(super) fn thread_in(&self, e: &Engine<'_>, b: BubbleIx, cpu: CpuIx) -> Option<ThreadIx> {
        match self.best(e, Holder::Bubble(b), cpu, &[])?.1 {
            Entity::Thread(t) => Some(t),
            Entity::Bubble(inner) => self.thread_in(e, inner, cpu),
        }
    }

    /// Takes and gives back a runqueue's lock; answers the time that takes, waiting for it included.
    pub(super) fn lock(&mut self, e: &Engine<'_>, rq: Runqueue, cpu: CpuIx) -> Ns {
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
    e.may_use(t, cpu) || (e.online().has(cpu) && !e.allowed(t).meets(e.online()))
}

/// An entity's priority.
pub(super) fn priority(e: &Engine<'_>, entity: Entity) -> i32 {
    match entity {
        Entity::Thread(t) => e.thread(t).priority,
        Entity::Bubble(b) => e.bubble(b).priority,
    }
}
