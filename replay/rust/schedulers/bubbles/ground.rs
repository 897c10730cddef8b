//! What a policy acts through: moving entities between holders, bursting and regenerating bubbles, timers.

use super::holders::{BubbleState, Entity, Holder, Holders, Life, Runqueue, may_run};
use crate::cpumask::CpuMask;
use crate::engine::{BubbleIx, BubbleTold, Engine, ThreadIx, level_code};
use crate::record::Path;
use crate::span::Ns;
use crate::topology::{CpuIx, Level};
use wastenot_schemas::{bubble_event_kind, holder};

/// Marks timer tokens of bubbles' slices.
pub(super) const SLICE_TOKEN: u64 = 1 << 63;

/// The machine at work and where everybody is.
pub struct Ground<'g, 's> {
    /// The machine at work.
    pub e: &'g mut Engine<'s>,
    /// Where everybody is.
    pub h: &'g mut Holders,
}

impl Ground<'_, '_> {
    /// The machine's runqueue.
    pub fn main(&self) -> Runqueue {
        0
    }

    /// A new runqueue that no CPU searches.
    pub fn aside(&mut self) -> Runqueue {
        self.h.lists.push(super::holders::List::default());
        self.h.lists.len() - 1
    }

    /// The runqueue of one CPU.
    pub fn of_cpu(&self, cpu: CpuIx) -> Runqueue {
        self.e.topology.leaf(cpu)
    }

    /// The runqueue above; None for the machine's and those aside.
    pub fn above(&self, rq: Runqueue) -> Option<Runqueue> {
        self.e.topology.components().get(rq)?.parent
    }

    /// The runqueue below that spans a CPU.
    pub fn below(&self, rq: Runqueue, cpu: CpuIx) -> Option<Runqueue> {
        let all = self.e.topology.components();
        all.get(rq)?.children.iter().copied().find(|&c| all[c].span.has(cpu))
    }

    /// The level of a runqueue; None for those aside.
    pub fn level(&self, rq: Runqueue) -> Option<Level> {
        Some(self.e.topology.components().get(rq)?.level)
    }

    /// The runqueues of a level, or of the lowest above it that the machine has.
    pub fn at_level(&self, level: Level) -> Vec<Runqueue> {
        let all = self.e.topology.components();
        let lowest = |i: &Runqueue| all[*i].level == level || all[*i].children.iter().any(|&c| all[c].level > level);
        (0..all.len()).filter(|i| all[*i].level <= level && lowest(i)).collect()
    }

    /// True when a CPU searches a runqueue.
    pub fn spans(&self, rq: Runqueue, cpu: CpuIx) -> bool {
        self.e.topology.components().get(rq).is_some_and(|c| c.span.has(cpu))
    }

    /// The runqueues of the machine's components: those below this number.
    pub fn components(&self) -> usize {
        self.h.components
    }

    /// True when a runqueue is somewhere below another.
    pub fn is_below(&self, rq: Runqueue, other: Runqueue) -> bool {
        std::iter::successors(self.above(rq), |&r| self.above(r)).any(|r| r == other)
    }

    /// Idle CPUs that search a runqueue.
    pub fn idle_cpus(&self, rq: Runqueue) -> usize {
        self.e.topology.components().get(rq).map_or(0, |c| c.span.and(self.e.idle()).len())
    }

    /// Runqueues above a runqueue.
    pub fn depth(&self, rq: Runqueue) -> usize {
        std::iter::successors(self.above(rq), |&r| self.above(r)).count()
    }

    /// The closed bubbles on a runqueue, in their order.
    pub fn bubbles(&self, rq: Runqueue) -> Vec<BubbleIx> {
        let bubble = |e: &Entity| if let Entity::Bubble(b) = *e { Some(b) } else { None };
        self.h.lists[rq].entities.iter().filter_map(bubble).collect()
    }

    /// Who belongs to a bubble, in the order in which they came.
    pub fn content(&self, b: BubbleIx) -> &[Entity] {
        &self.h.bubble(b).content
    }

    /// What a bubble does with its content.
    pub fn life(&self, b: BubbleIx) -> Life {
        self.h.bubble(b).life
    }

    /// The runqueue that an entity is on, through all bubbles around it.
    pub fn runqueue(&self, entity: Entity) -> Option<Runqueue> {
        self.h.runqueue(entity)
    }

    /// Threads that belong to a bubble, wherever they are: how many, and how many of them run and wait.
    pub fn threads(&self, b: BubbleIx) -> (usize, usize, usize) {
        let (mut all, mut run, mut wait) = (0, 0, 0);
        self.h.members(Entity::Bubble(b), &mut |_, state| {
            (all, run, wait) = (all + 1, run + usize::from(state.runs_on.is_some()), wait + usize::from(state.listed));
        });
        (all, run, wait)
    }

    /// The thread that a CPU would run of a closed bubble.
    pub fn thread_in(&self, b: BubbleIx, cpu: CpuIx) -> Option<ThreadIx> {
        self.h.thread_in(self.e, b, cpu)
    }

    /// Moves an entity onto a runqueue, to its end. Threads of it that run on CPUs which that does not span are called back;
    /// idle CPUs that it spans are called for those that wait.
    pub fn put(&mut self, entity: Entity, rq: Runqueue) {
        self.tell_move(entity, Holder::Runqueue(rq));
        let before = self.h.holder(entity);
        self.touch(before);
        self.touch(Holder::Runqueue(rq));
        self.h.shift(entity, Holder::Runqueue(rq));
        self.settled_on(entity, rq);
    }

    /// An entity has come onto a runqueue: who waits stands on a CPU of it, who runs elsewhere is called back.
    fn settled_on(&mut self, entity: Entity, rq: Runqueue) {
        let (mut waiting, mut strangers) = (Vec::new(), Vec::new());
        self.h.held(entity, &mut |t, state| match state.runs_on {
            Some(cpu) => strangers.push(cpu),
            None if state.listed => waiting.push(t),
            None => {}
        });
        for cpu in strangers {
            if !self.spans(rq, cpu) {
                self.e.resched(cpu);
            }
        }
        if rq >= self.h.components {
            return;
        }
        for t in waiting {
            self.lift(t);
            self.stand(t);
            self.call(t);
        }
    }

    /// A thread whose runqueue has no CPU for it goes to the nearest above that has one, past its bubbles.
    pub(super) fn lift(&mut self, t: ThreadIx) {
        let Some(mut rq) = self.h.runqueue(Entity::Thread(t)) else { return };
        let began = rq;
        while rq < self.h.components && self.usable(t, rq).is_empty() {
            let Some(above) = self.above(rq) else { break };
            rq = above;
        }
        if rq != began {
            self.h.shift(Entity::Thread(t), Holder::Runqueue(rq));
            self.tell_move(Entity::Thread(t), Holder::Runqueue(rq));
        }
    }

    /// A waiting thread stands on a CPU of its runqueue in the trace, an idle one if there is one.
    fn stand(&mut self, t: ThreadIx) {
        let Some(rq) = self.h.runqueue(Entity::Thread(t)) else { return };
        let at = self.e.thread(t).cpu;
        if self.e.thread(t).state != crate::State::Queued || (self.spans(rq, at) && may_run(self.e, t, at)) {
            return;
        }
        if let Some(cpu) = self.seat(t, rq) {
            self.e.move_thread(t, cpu, Path::Pick);
        }
    }

    /// The online CPUs of a runqueue that a thread may use.
    fn usable(&self, t: ThreadIx, rq: Runqueue) -> CpuMask {
        let Some(part) = self.e.topology.components().get(rq) else { return CpuMask::empty(self.e.topology.len()) };
        let online = part.span.and(self.e.online());
        if self.e.allowed(t).meets(self.e.online()) { online.and(self.e.allowed(t)) } else { online }
    }

    /// A CPU of a runqueue for a thread to stand on: one that idles and is not called yet, as chance has it, since whoever
    /// idles searches; else the CPU at work; else any.
    pub(super) fn seat(&mut self, t: ThreadIx, rq: Runqueue) -> Option<CpuIx> {
        let usable = self.usable(t, rq);
        let idle: Vec<CpuIx> = usable.and(self.e.idle()).iter().filter(|&c| !self.e.resched_pending(c)).collect();
        if !idle.is_empty() {
            return Some(idle[self.e.random.below(idle.len() as u64) as usize]);
        }
        let here = self.e.context();
        if usable.has(here) { Some(here) } else { usable.first() }
    }

    /// Somebody waits: calls an idle CPU that searches its runqueue (or any, where the policy roams), else one that runs
    /// somebody of lower priority.
    pub(super) fn call(&mut self, t: ThreadIx) {
        let Some(rq) = self.h.runqueue(Entity::Thread(t)) else { return };
        let Some(component) = self.e.topology.components().get(rq) else { return };
        let at = self.e.thread(t).cpu;
        let free = |c: &CpuIx| may_run(self.e, t, *c) && !self.e.resched_pending(*c);
        let span = component.span.and(self.e.idle());
        let mut chosen = Some(at).filter(|c| span.has(*c) && free(c)).or_else(|| span.iter_from(at).find(free));
        if chosen.is_none() && self.h.roaming {
            let nearest = self.e.idle().iter().filter(free).min_by_key(|&c| self.e.topology.distance(at, c) as u8);
            chosen = nearest;
        }
        if chosen.is_none() {
            let top = self.top(t);
            let p = super::holders::priority(self.e, top);
            let runs = |c: &CpuIx| self.e.current(*c).filter(|&o| !self.e.thread(o).per_cpu);
            let lower = |c: CpuIx| runs(&c).map(|o| (self.h.thread(o).picked_as, c)).filter(|&(q, _)| q < p);
            let spanned = component.span.and(self.e.online());
            chosen = spanned.iter().filter(free).filter_map(lower).min().map(|(_, c)| c);
        }
        if let Some(cpu) = chosen {
            self.e.resched(cpu);
        }
    }

    /// The entity around a thread that is directly on a runqueue.
    pub(super) fn top(&self, t: ThreadIx) -> Entity {
        let mut entity = Entity::Thread(t);
        while let Holder::Bubble(b) = self.h.holder(entity) {
            entity = Entity::Bubble(b);
        }
        entity
    }

    /// A closed bubble bursts where it is: everything it holds is released onto its runqueue, and remembered.
    pub fn burst(&mut self, b: BubbleIx) {
        let (Holder::Runqueue(rq), Life::Closed) = (self.h.bubble(b).holder, self.h.bubble(b).life) else { return };
        self.touch(Holder::Runqueue(rq));
        self.h.unlist(Entity::Bubble(b));
        let state = self.h.bubble_mut(b);
        state.life = Life::Burst;
        state.epoch = state.epoch.wrapping_add(1);
        let content = state.content.clone();
        self.tell(b, bubble_event_kind::BURST, None);
        for entity in content {
            if self.h.holder(entity) != Holder::Bubble(b) {
                continue;
            }
            if let Entity::Bubble(inner) = entity {
                self.h.bubble_mut(inner).released_on = rq;
            }
            self.h.shift(entity, Holder::Runqueue(rq));
            self.settled_on(entity, rq);
        }
    }

    /// A burst bubble takes its content back: who waits or sleeps at once, who runs when its CPU next calls the scheduler
    /// (which is asked for). The last one closes the bubble, which goes up to where it was released.
    pub fn regenerate(&mut self, b: BubbleIx) {
        if self.h.bubble(b).life != Life::Burst {
            return;
        }
        if let Holder::Runqueue(rq) = self.h.bubble(b).holder {
            self.touch(Holder::Runqueue(rq));
        }
        self.h.bubble_mut(b).life = Life::Regenerating;
        self.tell(b, bubble_event_kind::REGENERATE, None);
        for entity in self.h.bubble(b).content.clone() {
            match entity {
                Entity::Thread(t) => match self.h.thread(t).runs_on {
                    Some(cpu) => self.e.resched(cpu),
                    None => self.take_back(entity, b),
                },
                Entity::Bubble(inner) => match self.h.bubble(inner).life {
                    Life::Closed => self.take_back(entity, b),
                    Life::Burst => self.regenerate(inner),
                    Life::Regenerating => {}
                },
            }
        }
        self.close_if_whole(b);
    }

    /// An entity returns to its bubble.
    pub(super) fn take_back(&mut self, entity: Entity, b: BubbleIx) {
        self.h.shift(entity, Holder::Bubble(b));
        self.tell_move(entity, Holder::Bubble(b));
    }

    /// Closes a regenerating bubble into which everybody has returned.
    pub(super) fn close_if_whole(&mut self, b: BubbleIx) {
        let BubbleState { life, content, released_on, .. } = self.h.bubble(b);
        let away = |&o: &Entity| {
            let runs = matches!(o, Entity::Thread(t) if self.h.thread(t).runs_on.is_some());
            runs || self.h.holder(o) != Holder::Bubble(b)
        };
        if *life != Life::Regenerating || content.iter().any(away) {
            return;
        }
        let released_on = *released_on;
        self.h.bubble_mut(b).life = Life::Closed;
        self.tell(b, bubble_event_kind::CLOSE, None);
        let around = self.e.bubble(b).parent.filter(|&p| self.h.bubble(p).life != Life::Burst);
        match around {
            Some(p) => {
                self.h.shift(Entity::Bubble(b), Holder::Bubble(p));
                self.h.enlist(Entity::Bubble(b));
                self.tell_move(Entity::Bubble(b), Holder::Bubble(p));
                self.close_if_whole(p);
            }
            None => {
                self.h.enlist(Entity::Bubble(b));
                self.put(Entity::Bubble(b), released_on);
            }
        }
    }

    /// Calls [`super::Policy::bubble_tick`] when the slice of a burst bubble is over, if it has one and is burst still.
    pub fn slice(&mut self, b: BubbleIx) {
        if let Some(slice) = self.e.bubble(b).slice {
            let token = SLICE_TOKEN | u64::from(self.h.bubble(b).epoch & 0x7fff_ffff) << 32 | u64::from(b);
            let (at, cpu) = (self.e.now() + slice, self.e.context());
            self.e.timer(at, cpu, token);
        }
    }

    /// Calls [`super::Policy::daemon`] on a CPU after a time.
    pub fn after(&mut self, ns: Ns, cpu: CpuIx, token: u32) {
        let at = self.e.now() + ns;
        self.e.timer(at, cpu, u64::from(token));
    }

    /// The CPU at work takes the lock of a runqueue.
    pub(super) fn touch(&mut self, holder: Holder) {
        if let Holder::Runqueue(rq) = holder {
            let cpu = self.e.context();
            self.h.debt += self.h.lock(self.e, rq, cpu);
        }
    }

    /// Tells in the trace what became of a bubble.
    pub(super) fn tell(&mut self, b: BubbleIx, kind: u8, to: Option<Holder>) {
        let (bubble, holder) = (Some(self.e.bubble(b).number), to.and_then(|to| self.holder_code(to)));
        self.e.tell_of_bubble(&BubbleTold { kind, bubble, holder, ..BubbleTold::default() });
    }

    /// Tells in the trace where an entity is from now on.
    pub(super) fn tell_move(&mut self, entity: Entity, to: Holder) {
        match entity {
            Entity::Bubble(b) => self.tell(b, bubble_event_kind::MOVE, Some(to)),
            Entity::Thread(t) => self.tell_thread(t, bubble_event_kind::MOVE, to),
        }
    }

    pub(super) fn tell_thread(&mut self, t: ThreadIx, kind: u8, to: Holder) {
        let (tid, holder) = (Some(self.e.thread(t).tid), self.holder_code(to));
        self.e.tell_of_bubble(&BubbleTold { kind, tid, holder, ..BubbleTold::default() });
    }

    fn holder_code(&self, to: Holder) -> Option<(u8, i64)> {
        match to {
            Holder::Outside => None,
            Holder::Bubble(b) => Some((holder::BUBBLE, self.e.bubble(b).number)),
            Holder::Runqueue(rq) => Some(match self.e.topology.components().get(rq) {
                Some(part) => (level_code(part.level), self.e.topology.component_number(rq)),
                None => (holder::ASIDE, (rq - self.h.components) as i64),
            }),
        }
    }
}
