//! What the hooks of a policy act on: moving entities between holders, bursting and regenerating bubbles, timers.

use super::holders::{BubblePhase, BubbleState, Holders, RunqueueIx, SchedEntity, SchedHolder, may_run};
use crate::engine::{BubbleIx, BubbleRecord, Engine, ThreadIx, level_code};
use crate::masks::CpuMask;
use crate::record::Path;
use crate::span::Ns;
use crate::topology::{CpuIx, Level};
use wastenot_schemas::{bubble_event_kind, holder};

/// Marks timer tokens of bubbles' slices.
pub(super) const SLICE_TOKEN: u64 = 1 << 63;

/// The running machine and the holders of all entities.
pub struct PolicyContext<'g, 's> {
    /// The running machine.
    pub e: &'g mut Engine<'s>,
    /// The holders of all entities.
    pub h: &'g mut Holders,
}

impl PolicyContext<'_, '_> {
    /// The machine's runqueue.
    pub fn main(&self) -> RunqueueIx {
        0
    }

    /// A new runqueue that no CPU searches.
    pub fn aside(&mut self) -> RunqueueIx {
        self.h.lists.push(super::holders::List::default());
        self.h.lists.len() - 1
    }

    /// The runqueue of one CPU.
    pub fn of_cpu(&self, cpu: CpuIx) -> RunqueueIx {
        self.e.topology.leaf(cpu)
    }

    /// The runqueue above; None for the machine's and those aside.
    pub fn above(&self, rq: RunqueueIx) -> Option<RunqueueIx> {
        self.e.topology.components().get(rq)?.parent
    }

    /// The runqueue below that spans a CPU.
    pub fn below(&self, rq: RunqueueIx, cpu: CpuIx) -> Option<RunqueueIx> {
        let all = self.e.topology.components();
        all.get(rq)?.children.iter().copied().find(|&c| all[c].span.contains(cpu))
    }

    /// The level of a runqueue; None for those aside.
    pub fn level(&self, rq: RunqueueIx) -> Option<Level> {
        Some(self.e.topology.components().get(rq)?.level)
    }

    /// The runqueues of a level, or of the lowest above it that the machine has.
    pub fn at_level(&self, level: Level) -> Vec<RunqueueIx> {
        let all = self.e.topology.components();
        let lowest = |i: &RunqueueIx| all[*i].level == level || all[*i].children.iter().any(|&c| all[c].level > level);
        (0..all.len()).filter(|i| all[*i].level <= level && lowest(i)).collect()
    }

    /// True when a CPU searches a runqueue.
    pub fn spans(&self, rq: RunqueueIx, cpu: CpuIx) -> bool {
        self.e.topology.components().get(rq).is_some_and(|c| c.span.contains(cpu))
    }

    /// The runqueues of the machine's components: those below this number.
    pub fn components(&self) -> usize {
        self.h.components
    }

    /// True when a runqueue is somewhere below another.
    pub fn is_below(&self, rq: RunqueueIx, other: RunqueueIx) -> bool {
        std::iter::successors(self.above(rq), |&r| self.above(r)).any(|r| r == other)
    }

    /// Idle CPUs that search a runqueue.
    pub fn idle_cpus(&self, rq: RunqueueIx) -> usize {
        self.e.topology.components().get(rq).map_or(0, |c| c.span.intersection(self.e.idle()).len())
    }

    /// Runqueues above a runqueue.
    pub fn depth(&self, rq: RunqueueIx) -> usize {
        std::iter::successors(self.above(rq), |&r| self.above(r)).count()
    }

    /// The closed bubbles on a runqueue, in their order.
    pub fn bubbles(&self, rq: RunqueueIx) -> Vec<BubbleIx> {
        let bubble = |e: &SchedEntity| if let SchedEntity::Bubble(b) = *e { Some(b) } else { None };
        self.h.lists[rq].entities.iter().filter_map(bubble).collect()
    }

    /// Members of a bubble, in the order in which they were added.
    pub fn content(&self, b: BubbleIx) -> &[SchedEntity] {
        &self.h.bubble(b).content
    }

    /// What a bubble does with its content.
    pub fn phase(&self, b: BubbleIx) -> BubblePhase {
        self.h.bubble(b).phase
    }

    /// The runqueue that an entity is on, through all bubbles around it.
    pub fn runqueue(&self, entity: SchedEntity) -> Option<RunqueueIx> {
        self.h.runqueue(entity)
    }

    /// Threads that belong to a bubble, wherever they are: how many, and how many of them run and wait.
    pub fn threads(&self, b: BubbleIx) -> (usize, usize, usize) {
        let (mut all, mut run, mut wait) = (0, 0, 0);
        self.h.for_each_member(SchedEntity::Bubble(b), &mut |_, state| {
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
    pub fn put(&mut self, entity: SchedEntity, rq: RunqueueIx) {
        self.record_move(entity, SchedHolder::Runqueue(rq));
        let before = self.h.holder(entity);
        self.touch(before);
        self.touch(SchedHolder::Runqueue(rq));
        self.h.shift(entity, SchedHolder::Runqueue(rq));
        self.update_after_move(entity, rq);
    }

    /// An entity has come onto a runqueue: threads that wait get a CPU of it, threads that run elsewhere are called back.
    fn update_after_move(&mut self, entity: SchedEntity, rq: RunqueueIx) {
        let (mut waiting, mut strangers) = (Vec::new(), Vec::new());
        self.h.for_each_held(entity, &mut |t, state| match state.runs_on {
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
            self.place_on_queue(t);
            self.call(t);
        }
    }

    /// A thread that may use no CPU of its runqueue goes to the nearest one above with such a CPU, out of its bubbles.
    pub(super) fn lift(&mut self, t: ThreadIx) {
        let Some(mut rq) = self.h.runqueue(SchedEntity::Thread(t)) else { return };
        let start = rq;
        while rq < self.h.components && self.usable(t, rq).is_empty() {
            let Some(above) = self.above(rq) else { break };
            rq = above;
        }
        if rq != start {
            self.h.shift(SchedEntity::Thread(t), SchedHolder::Runqueue(rq));
            self.record_move(SchedEntity::Thread(t), SchedHolder::Runqueue(rq));
        }
    }

    /// The online CPUs have changed: threads that wait on a runqueue where they may use none go up, see [`Self::lift`].
    pub(super) fn lift_all(&mut self) {
        for t in 0..self.h.threads.len() as ThreadIx {
            if !self.h.threads[t as usize].as_ref().is_some_and(|state| state.listed) {
                continue;
            }
            let before = self.h.runqueue(SchedEntity::Thread(t));
            self.lift_unless_returned(t);
            if self.h.runqueue(SchedEntity::Thread(t)) != before {
                self.place_on_queue(t);
                self.call(t);
            }
        }
    }

    /// As [`Self::lift`], but for a thread that has returned to a bubble which is not closed yet: it waits there for the others.
    pub(super) fn lift_unless_returned(&mut self, t: ThreadIx) {
        let mut holder = self.h.holder(SchedEntity::Thread(t));
        while let SchedHolder::Bubble(b) = holder {
            if self.h.bubble(b).phase == BubblePhase::Regenerating {
                return;
            }
            holder = self.h.holder(SchedEntity::Bubble(b));
        }
        self.lift(t);
    }

    /// In the trace a waiting thread is queued on a CPU of its runqueue, an idle one if there is one.
    fn place_on_queue(&mut self, t: ThreadIx) {
        let Some(rq) = self.h.runqueue(SchedEntity::Thread(t)) else { return };
        let at = self.e.thread(t).cpu;
        if self.e.thread(t).state != crate::State::Queued || (self.spans(rq, at) && may_run(self.e, t, at)) {
            return;
        }
        if let Some(cpu) = self.choose_cpu(t, rq) {
            self.e.move_thread(t, cpu, Path::Pick);
        }
    }

    /// The online CPUs of a runqueue that a thread may use.
    fn usable(&self, t: ThreadIx, rq: RunqueueIx) -> CpuMask {
        let Some(part) = self.e.topology.components().get(rq) else { return CpuMask::new(self.e.topology.len()) };
        let online = part.span.intersection(self.e.online());
        if self.e.allowed(t).intersects(self.e.online()) { online.intersection(self.e.allowed(t)) } else { online }
    }

    /// The CPU of a runqueue on which a thread is queued in the trace: a random one that idles and is not called yet, since
    /// idle CPUs search; else the current CPU; else any.
    pub(super) fn choose_cpu(&mut self, t: ThreadIx, rq: RunqueueIx) -> Option<CpuIx> {
        let usable = self.usable(t, rq);
        let idle: Vec<CpuIx> =
            usable.intersection(self.e.idle()).iter().filter(|&c| !self.e.resched_pending(c)).collect();
        if !idle.is_empty() {
            return Some(idle[self.e.random.below(idle.len() as u64) as usize]);
        }
        let here = self.e.context();
        if usable.contains(here) { Some(here) } else { usable.first() }
    }

    /// A thread waits: calls an idle CPU that searches its runqueue (or any, where the policy roams), else one that runs
    /// a thread of lower priority.
    pub(super) fn call(&mut self, t: ThreadIx) {
        let Some(rq) = self.h.runqueue(SchedEntity::Thread(t)) else { return };
        let Some(component) = self.e.topology.components().get(rq) else { return };
        let at = self.e.thread(t).cpu;
        let free = |c: &CpuIx| may_run(self.e, t, *c) && !self.e.resched_pending(*c);
        let span = component.span.intersection(self.e.idle());
        let mut chosen = Some(at).filter(|c| span.contains(*c) && free(c)).or_else(|| span.iter_from(at).find(free));
        if chosen.is_none() && self.h.roaming {
            let nearest = self.e.idle().iter().filter(free).min_by_key(|&c| self.e.topology.distance(at, c) as u8);
            chosen = nearest;
        }
        if chosen.is_none() {
            let top = self.top(t);
            let p = super::holders::priority(self.e, top);
            let runs = |c: &CpuIx| self.e.current(*c).filter(|&o| !self.e.thread(o).per_cpu);
            let lower = |c: CpuIx| runs(&c).map(|o| (self.h.thread(o).picked_as, c)).filter(|&(q, _)| q < p);
            let spanned = component.span.intersection(self.e.online());
            chosen = spanned.iter().filter(free).filter_map(lower).min().map(|(_, c)| c);
        }
        if let Some(cpu) = chosen {
            self.e.resched(cpu);
        }
    }

    /// The entity around a thread that is directly on a runqueue.
    pub(super) fn top(&self, t: ThreadIx) -> SchedEntity {
        let mut entity = SchedEntity::Thread(t);
        while let SchedHolder::Bubble(b) = self.h.holder(entity) {
            entity = SchedEntity::Bubble(b);
        }
        entity
    }

    /// A closed bubble bursts where it is: everything it holds is released onto its runqueue, and remembered.
    pub fn burst(&mut self, b: BubbleIx) {
        let (SchedHolder::Runqueue(rq), BubblePhase::Closed) = (self.h.bubble(b).holder, self.h.bubble(b).phase) else {
            return;
        };
        self.touch(SchedHolder::Runqueue(rq));
        self.h.unlist(SchedEntity::Bubble(b));
        let state = self.h.bubble_mut(b);
        state.phase = BubblePhase::Burst;
        state.epoch = state.epoch.wrapping_add(1);
        let content = state.content.clone();
        self.record(b, bubble_event_kind::BURST, None);
        for entity in content {
            if self.h.holder(entity) != SchedHolder::Bubble(b) {
                continue;
            }
            if let SchedEntity::Bubble(inner) = entity {
                self.h.bubble_mut(inner).released_on = rq;
            }
            self.h.shift(entity, SchedHolder::Runqueue(rq));
            self.update_after_move(entity, rq);
        }
    }

    /// A burst bubble takes its content back: threads that wait or sleep at once, one that runs when its CPU next calls the
    /// scheduler (which is requested). The last one closes the bubble, which goes up to where it was released.
    pub fn regenerate(&mut self, b: BubbleIx) {
        if self.h.bubble(b).phase != BubblePhase::Burst {
            return;
        }
        if let SchedHolder::Runqueue(rq) = self.h.bubble(b).holder {
            self.touch(SchedHolder::Runqueue(rq));
        }
        self.h.bubble_mut(b).phase = BubblePhase::Regenerating;
        self.record(b, bubble_event_kind::REGENERATE, None);
        for entity in self.h.bubble(b).content.clone() {
            match entity {
                SchedEntity::Thread(t) => match self.h.thread(t).runs_on {
                    Some(cpu) => self.e.resched(cpu),
                    None => self.return_to_bubble(entity, b),
                },
                SchedEntity::Bubble(inner) => match self.h.bubble(inner).phase {
                    BubblePhase::Closed => self.return_to_bubble(entity, b),
                    BubblePhase::Burst => self.regenerate(inner),
                    BubblePhase::Regenerating => {}
                },
            }
        }
        self.close_if_complete(b);
    }

    /// An entity returns to its bubble.
    pub(super) fn return_to_bubble(&mut self, entity: SchedEntity, b: BubbleIx) {
        self.h.shift(entity, SchedHolder::Bubble(b));
        self.record_move(entity, SchedHolder::Bubble(b));
    }

    /// Closes a regenerating bubble when all of its content has returned.
    pub(super) fn close_if_complete(&mut self, b: BubbleIx) {
        let BubbleState { phase, content, released_on, .. } = self.h.bubble(b);
        let away = |&o: &SchedEntity| {
            let runs = matches!(o, SchedEntity::Thread(t) if self.h.thread(t).runs_on.is_some());
            runs || self.h.holder(o) != SchedHolder::Bubble(b)
        };
        if *phase != BubblePhase::Regenerating || content.iter().any(away) {
            return;
        }
        let released_on = *released_on;
        self.h.bubble_mut(b).phase = BubblePhase::Closed;
        self.record(b, bubble_event_kind::CLOSE, None);
        let around = self.e.bubble(b).parent.filter(|&p| self.h.bubble(p).phase != BubblePhase::Burst);
        match around {
            Some(p) => {
                self.h.shift(SchedEntity::Bubble(b), SchedHolder::Bubble(p));
                self.h.enlist(SchedEntity::Bubble(b));
                self.record_move(SchedEntity::Bubble(b), SchedHolder::Bubble(p));
                self.close_if_complete(p);
            }
            None => {
                self.h.enlist(SchedEntity::Bubble(b));
                self.put(SchedEntity::Bubble(b), released_on);
            }
        }
    }

    /// Calls [`super::BubblePolicy::bubble_tick`] when the slice of a burst bubble is over, if it has one and is burst still.
    pub fn slice(&mut self, b: BubbleIx) {
        if let Some(slice) = self.e.bubble(b).slice {
            let token = SLICE_TOKEN | u64::from(self.h.bubble(b).epoch & 0x7fff_ffff) << 32 | u64::from(b);
            let (at, cpu) = (self.e.now() + slice, self.e.context());
            self.e.timer(at, cpu, token);
        }
    }

    /// Calls [`super::BubblePolicy::daemon`] on a CPU after a time.
    pub fn after(&mut self, ns: Ns, cpu: CpuIx, token: u32) {
        let at = self.e.now() + ns;
        self.e.timer(at, cpu, u64::from(token));
    }

    /// The current CPU takes the lock of a runqueue.
    pub(super) fn touch(&mut self, holder: SchedHolder) {
        if let SchedHolder::Runqueue(rq) = holder {
            let cpu = self.e.context();
            self.h.debt += self.h.lock(self.e, rq, cpu);
        }
    }

    /// Records what was done with a bubble.
    pub(super) fn record(&mut self, b: BubbleIx, kind: u8, to: Option<SchedHolder>) {
        let (bubble, holder) = (Some(self.e.bubble(b).number), to.and_then(|to| self.holder_code(to)));
        self.e.record_bubble(&BubbleRecord { kind, bubble, holder, ..BubbleRecord::default() });
    }

    /// Records the new holder of an entity.
    pub(super) fn record_move(&mut self, entity: SchedEntity, to: SchedHolder) {
        match entity {
            SchedEntity::Bubble(b) => self.record(b, bubble_event_kind::MOVE, Some(to)),
            SchedEntity::Thread(t) => self.record_thread(t, bubble_event_kind::MOVE, to),
        }
    }

    pub(super) fn record_thread(&mut self, t: ThreadIx, kind: u8, to: SchedHolder) {
        let (tid, holder) = (Some(self.e.thread(t).tid), self.holder_code(to));
        self.e.record_bubble(&BubbleRecord { kind, tid, holder, ..BubbleRecord::default() });
    }

    fn holder_code(&self, to: SchedHolder) -> Option<(u8, i64)> {
        match to {
            SchedHolder::Outside => None,
            SchedHolder::Bubble(b) => Some((holder::BUBBLE, self.e.bubble(b).number)),
            SchedHolder::Runqueue(rq) => Some(match self.e.topology.components().get(rq) {
                Some(part) => (level_code(part.level), self.e.topology.component_number(rq)),
                None => (holder::ASIDE, (rq - self.h.components) as i64),
            }),
        }
    }
}
