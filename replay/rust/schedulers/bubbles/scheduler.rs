//! The ground self-scheduler: what every bubble scheduler does, whatever its policy.

use super::ground::SLICE_TOKEN;
use super::holders::{BubbleState, Entity, Holder, Holders, Life, List, ThreadState, may_run, priority};
use super::{Ground, Met, Policy};
use crate::engine::{BubbleIx, Engine, ThreadIx};
use crate::record::Path;
use crate::scheduler::{Dequeue, Enqueue, Placement, Scheduler};
use crate::topology::CpuIx;
use wastenot_schemas::bubble_event_kind;

/// Times a CPU searches anew before it idles for once: a policy that answers [`Met::Again`] for ever must not hang.
const SEARCHES: usize = 1 << 12;

/// A bubble scheduler: the ground self-scheduler with a policy.
pub struct Bubbles<P> {
    /// What is done with bubbles.
    pub policy: P,
    /// Where everybody is.
    pub holders: Holders,
    /// The thread that the CPU at work has just put back.
    put_back: Option<ThreadIx>,
}

impl<P: Policy> Bubbles<P> {
    /// A scheduler with this policy.
    pub fn new(policy: P) -> Self {
        Self { policy, holders: Holders::default(), put_back: None }
    }

    /// Calls a hook of the policy, and charges what it did to the CPU at work.
    fn hook<R>(&mut self, e: &mut Engine<'_>, f: impl FnOnce(&mut P, &mut Ground<'_, '_>) -> R) -> R {
        let answer = f(&mut self.policy, &mut Ground { e, h: &mut self.holders });
        let debt = std::mem::take(&mut self.holders.debt);
        if debt > 0 {
            e.charge(e.context(), debt);
        }
        answer
    }

    /// The best entity for a CPU, from its own runqueue to the machine's; the most local of equals.
    fn search(&self, e: &Engine<'_>, cpu: CpuIx, passed: &[BubbleIx]) -> Option<(i32, Entity)> {
        let mut best: Option<(i32, Entity)> = None;
        let mut at = Some(e.topology.leaf(cpu));
        while let Some(rq) = at {
            let here = self.holders.best(e, Holder::Runqueue(rq), cpu, passed);
            if let Some((p, _)) = here
                && best.is_none_or(|(q, _)| p > q)
            {
                best = here;
            }
            at = e.topology.components()[rq].parent;
        }
        best
    }

    /// The thread runs on the CPU: it leaves the list, and the bubbles around it go behind their equals.
    fn take(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx, picked_as: i32) {
        let mut g = Ground { e, h: &mut self.holders };
        let holder = Holder::Runqueue(g.h.runqueue(Entity::Thread(t)).unwrap_or(0));
        g.touch(holder);
        let mut around = g.h.holder(Entity::Thread(t));
        while let Holder::Bubble(b) = around {
            g.h.unlist(Entity::Bubble(b));
            g.h.enlist(Entity::Bubble(b));
            around = g.h.holder(Entity::Bubble(b));
        }
        g.h.unlist(Entity::Thread(t));
        let state = g.h.thread_mut(t);
        (state.runs_on, state.picked_as) = (Some(cpu), picked_as);
        if let Some(parent_cpu) = state.born_on.take() {
            let refill = if parent_cpu == cpu { 0 } else { e.costs.refill_ns(e.topology.distance(parent_cpu, cpu)) };
            e.burden(t, refill);
        }
        let debt = std::mem::take(&mut self.holders.debt);
        e.burden(t, debt);
    }

    /// Searches until the best there is is a thread, asking the policy about bubbles.
    fn pick(&mut self, e: &mut Engine<'_>, cpu: CpuIx) -> Option<ThreadIx> {
        let mut passed = Vec::new();
        for _ in 0..SEARCHES {
            let Some((p, entity)) = self.search(e, cpu, &passed) else { break };
            let met = match entity {
                Entity::Thread(t) => Met::Run(t),
                Entity::Bubble(b) => {
                    let mut g = Ground { e, h: &mut self.holders };
                    let met = self.policy.bubble_schedule(&mut g, b, cpu);
                    if met == Met::Pass {
                        passed.push(b);
                    }
                    met
                }
            };
            if let Met::Run(t) = met {
                self.take(e, cpu, t, p);
                return Some(t);
            }
        }
        None
    }

    /// A thread that has stopped running: back into its bubble, if that regenerates.
    fn stopped_running(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        self.holders.thread_mut(t).runs_on = None;
        let Some(b) = e.thread(t).bubble else { return };
        if self.holders.bubble(b).life == Life::Regenerating {
            let mut g = Ground { e, h: &mut self.holders };
            if g.h.holder(Entity::Thread(t)) != Holder::Bubble(b) {
                g.take_back(Entity::Thread(t), b);
            }
        }
    }

    /// Whoever has come back may have been the last.
    fn maybe_close(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        if let Some(b) = e.thread(t).bubble {
            Ground { e, h: &mut self.holders }.close_if_whole(b);
        }
    }

    /// The outermost bubble of a thread is woken up onto a runqueue when somebody in it can run for the first time.
    fn wake_up(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        let Some(mut b) = e.thread(t).bubble else { return };
        while let Some(p) = e.bubble(b).parent {
            b = p;
        }
        if self.holders.bubble(b).holder != Holder::Outside {
            return;
        }
        self.hook(e, |policy, g| {
            let rq = policy.wake_up(g, b);
            g.h.bubble_mut(b).released_on = rq;
            g.tell(b, bubble_event_kind::WAKE, Some(Holder::Runqueue(rq)));
            g.touch(Holder::Runqueue(rq));
            g.h.bubble_mut(b).holder = Holder::Runqueue(rq);
            g.h.enlist(Entity::Bubble(b));
        });
    }
}

impl<P: Policy> Scheduler for Bubbles<P> {
    fn release(&self) -> &str {
        "0.0"
    }

    fn start(&mut self, e: &mut Engine<'_>) {
        self.holders.components = e.topology.components().len();
        self.holders.lists = vec![List::default(); self.holders.components];
        self.holders.roaming = self.policy.roams();
        self.hook(e, |policy, g| policy.start(g));
    }

    fn bubble_made(&mut self, e: &mut Engine<'_>, b: BubbleIx) {
        let h = &mut self.holders;
        if h.bubbles.len() <= b as usize {
            h.bubbles.resize(b as usize + 1, None);
        }
        let epoch = h.bubbles[b as usize].as_ref().map_or(0, |old| old.epoch.wrapping_add(1));
        h.bubbles[b as usize] = Some(BubbleState {
            holder: Holder::Outside,
            listed: false,
            life: Life::Closed,
            content: Vec::new(),
            list: Vec::new(),
            released_on: 0,
            epoch,
        });
        let Some(p) = e.bubble(b).parent else { return };
        h.bubble_mut(p).content.push(Entity::Bubble(b));
        match (h.bubble(p).life, h.bubble(p).holder) {
            (Life::Burst, Holder::Runqueue(rq)) => {
                let state = h.bubble_mut(b);
                (state.holder, state.released_on) = (Holder::Runqueue(rq), rq);
            }
            _ => h.bubble_mut(b).holder = Holder::Bubble(p),
        }
        h.enlist(Entity::Bubble(b));
    }

    fn bubble_gone(&mut self, e: &mut Engine<'_>, b: BubbleIx) {
        let h = &mut self.holders;
        if h.bubble(b).listed {
            h.unlist(Entity::Bubble(b));
        }
        let state = h.bubble_mut(b);
        (state.holder, state.life) = (Holder::Outside, Life::Closed);
        state.epoch = state.epoch.wrapping_add(1);
        if let Some(p) = e.bubble(b).parent {
            h.bubble_mut(p).content.retain(|&o| o != Entity::Bubble(b));
            Ground { e, h: &mut self.holders }.close_if_whole(p);
        }
    }

    fn admit(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        let h = &mut self.holders;
        if h.threads.len() <= t as usize {
            h.threads.resize(t as usize + 1, None);
        }
        let born_on = e.thread(t).parent.map(|_| e.context());
        let outside = Holder::Outside;
        let state = ThreadState { holder: outside, listed: false, runs_on: None, picked_as: 0, born_on };
        h.threads[t as usize] = Some(state);
        let own = self.hook(e, |policy, g| policy.thread(g, t));
        let h = &mut self.holders;
        let mut holder = Holder::Runqueue(own.unwrap_or(0));
        if let Some(b) = e.thread(t).bubble {
            h.bubble_mut(b).content.push(Entity::Thread(t));
            holder = match (own, h.bubble(b).life, h.bubble(b).holder) {
                (Some(rq), ..) | (None, Life::Burst, Holder::Runqueue(rq)) => Holder::Runqueue(rq),
                _ => Holder::Bubble(b),
            };
        }
        h.thread_mut(t).holder = holder;
        let mut g = Ground { e, h };
        match g.e.thread(t).bubble {
            None => g.tell_thread(t, bubble_event_kind::ATTACH, holder),
            // Where the bubble does not put it.
            Some(_) if own.is_some() => g.tell_move(Entity::Thread(t), holder),
            Some(_) => {}
        }
    }

    fn forget(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        self.holders.threads[t as usize] = None;
        if let Some(b) = e.thread(t).bubble {
            self.holders.bubble_mut(b).content.retain(|&o| o != Entity::Thread(t));
            Ground { e, h: &mut self.holders }.close_if_whole(b);
        }
    }

    /// A CPU of the runqueue that the thread is on: one that idles, else where it was.
    fn place(&mut self, e: &mut Engine<'_>, t: ThreadIx, _why: Placement) -> CpuIx {
        let mut g = Ground { e, h: &mut self.holders };
        g.lift(t);
        let rq = g.h.runqueue(Entity::Thread(t)).filter(|&rq| rq < g.h.components);
        let last = g.e.thread(t).cpu;
        let seat = g.seat(t, rq.unwrap_or(0));
        let idles = |c: CpuIx| g.e.runs_idle(c);
        let stays = may_run(g.e, t, last) && rq.is_none_or(|rq| g.spans(rq, last));
        match seat {
            Some(cpu) if !stays || (rq.is_some() && idles(cpu)) => cpu,
            _ if stays => last,
            _ => g.e.online().first().unwrap_or(0),
        }
    }

    fn enqueue(&mut self, e: &mut Engine<'_>, t: ThreadIx, _cpu: CpuIx, why: Enqueue) {
        if why == Enqueue::Changed {
            return;
        }
        self.wake_up(e, t);
        let mut g = Ground { e, h: &mut self.holders };
        let holder = g.h.runqueue(Entity::Thread(t)).map_or(Holder::Outside, Holder::Runqueue);
        g.touch(holder);
        g.h.enlist(Entity::Thread(t));
        g.lift(t);
        g.call(t);
        let debt = std::mem::take(&mut self.holders.debt);
        e.charge(e.context(), debt);
    }

    fn dequeue(&mut self, e: &mut Engine<'_>, t: ThreadIx, _cpu: CpuIx, why: Dequeue) {
        match why {
            Dequeue::Changed => {}
            Dequeue::Moved => self.holders.unlist(Entity::Thread(t)),
            Dequeue::Sleep | Dequeue::Exit => {
                self.stopped_running(e, t);
                self.maybe_close(e, t);
            }
        }
    }

    fn put_prev(&mut self, e: &mut Engine<'_>, _cpu: CpuIx, t: ThreadIx) {
        self.stopped_running(e, t);
        self.holders.enlist(Entity::Thread(t));
        self.put_back = Some(t);
        self.maybe_close(e, t);
    }

    fn pick_next(&mut self, e: &mut Engine<'_>, cpu: CpuIx) -> Option<ThreadIx> {
        let picked = self.pick(e, cpu);
        // Who had to make room may suit a CPU that idles.
        if let Some(t) = self.put_back.take().filter(|&t| picked != Some(t)) {
            Ground { e, h: &mut self.holders }.call(t);
        }
        picked
    }

    fn idle_entry(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        self.policy.idle(&mut Ground { e, h: &mut self.holders }, cpu);
        // Whoever is set aside stands in the trace on a CPU that works: here nobody will run it.
        let busy = e.online().without(e.idle()).iter().find(|&c| c != cpu && !e.stopping(c));
        let Some(busy) = busy else { return };
        for t in 0..self.holders.threads.len() as ThreadIx {
            let Some(state) = &self.holders.threads[t as usize] else { continue };
            let aside = || self.holders.runqueue(Entity::Thread(t)).is_some_and(|rq| rq >= self.holders.components);
            let here = e.thread(t).cpu == cpu && e.thread(t).state == crate::State::Queued;
            if state.listed && here && aside() && e.may_use(t, busy) {
                e.move_thread(t, busy, Path::Pick);
            }
        }
    }

    /// Takes turns at the tick with whoever is as urgent.
    fn tick(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        let Some(t) = e.current(cpu) else { return };
        let mine = self.holders.thread(t).picked_as;
        if self.search(e, cpu, &[]).is_some_and(|(p, _)| p >= mine) {
            e.resched(cpu);
        }
    }

    fn timer(&mut self, e: &mut Engine<'_>, cpu: CpuIx, token: u64) {
        if token & SLICE_TOKEN == 0 {
            return self.hook(e, |policy, g| policy.daemon(g, cpu, token as u32));
        }
        let (b, epoch) = (token as BubbleIx, (token >> 32) as u32 & 0x7fff_ffff);
        let state = self.holders.bubble(b);
        if state.epoch & 0x7fff_ffff == epoch && state.life == Life::Burst {
            self.hook(e, |policy, g| policy.bubble_tick(g, b));
        }
    }

    /// What only the lost CPU searched goes up to a runqueue that somebody searches.
    fn hotplug(&mut self, e: &mut Engine<'_>, _cpu: CpuIx, _online: bool) {
        let mut g = Ground { e, h: &mut self.holders };
        for rq in (0..g.h.components).rev() {
            let span = &g.e.topology.components()[rq].span;
            let Some(above) = g.above(rq).filter(|_| !span.meets(g.e.online())) else { continue };
            for entity in g.h.lists[rq].entities.clone() {
                g.put(entity, above);
            }
        }
        self.holders.debt = 0;
    }
}

impl<P> Bubbles<P> {
    /// The priority with which an entity stands on its runqueue.
    pub fn priority(e: &Engine<'_>, entity: Entity) -> i32 {
        priority(e, entity)
    }
}
