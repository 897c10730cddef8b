//! The ground self-scheduler: what every bubble scheduler does, whatever its policy.

use super::context::SLICE_TOKEN;
use super::holders::{
    BubblePhase, BubbleState, Holders, List, SchedEntity, SchedHolder, ThreadState, may_run, priority,
};
use super::{BubblePolicy, PolicyAnswer, PolicyContext};
use crate::engine::{BubbleIx, Engine, ThreadIx};
use crate::record::Path;
use crate::scheduler::{Dequeue, Enqueue, Placement, Scheduler};
use crate::topology::CpuIx;
use wastenot_schemas::bubble_event_kind;

/// Times a CPU searches anew before it idles for once: a policy that answers [`PolicyAnswer::Again`] for ever must not hang.
const SEARCHES: usize = 1 << 12;

/// A bubble scheduler: the ground self-scheduler with a policy.
pub struct Bubbles<P> {
    /// What is done with bubbles.
    pub policy: P,
    /// The holders of all entities.
    pub holders: Holders,
    /// The thread that the current CPU has just put back.
    put_back: Option<ThreadIx>,
}

impl<P: BubblePolicy> Bubbles<P> {
    /// A scheduler with this policy.
    pub fn new(policy: P) -> Self {
        Self { policy, holders: Holders::default(), put_back: None }
    }

    /// Calls a hook of the policy, and charges its time to the current CPU.
    fn hook<R>(&mut self, e: &mut Engine<'_>, f: impl FnOnce(&mut P, &mut PolicyContext<'_, '_>) -> R) -> R {
        let answer = f(&mut self.policy, &mut PolicyContext { e, h: &mut self.holders });
        let debt = std::mem::take(&mut self.holders.debt);
        if debt > 0 {
            e.charge(e.context(), debt);
        }
        answer
    }

    /// The best entity for a CPU, from its own runqueue to the machine's; the most local of equals.
    fn search(&self, e: &Engine<'_>, cpu: CpuIx, skipped: &[BubbleIx]) -> Option<(i32, SchedEntity)> {
        let mut best: Option<(i32, SchedEntity)> = None;
        let mut at = Some(e.topology.leaf(cpu));
        while let Some(rq) = at {
            let here = self.holders.best(e, SchedHolder::Runqueue(rq), cpu, skipped);
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
        let mut g = PolicyContext { e, h: &mut self.holders };
        let holder = SchedHolder::Runqueue(g.h.runqueue(SchedEntity::Thread(t)).unwrap_or(0));
        g.touch(holder);
        let mut around = g.h.holder(SchedEntity::Thread(t));
        while let SchedHolder::Bubble(b) = around {
            g.h.unlist(SchedEntity::Bubble(b));
            g.h.enlist(SchedEntity::Bubble(b));
            around = g.h.holder(SchedEntity::Bubble(b));
        }
        g.h.unlist(SchedEntity::Thread(t));
        let state = g.h.thread_mut(t);
        (state.runs_on, state.picked_as) = (Some(cpu), picked_as);
        if let Some(parent_cpu) = state.born_on.take() {
            let refill = if parent_cpu == cpu { 0 } else { e.costs.refill_ns(e.topology.distance(parent_cpu, cpu)) };
            e.burden(t, refill);
        }
        let debt = std::mem::take(&mut self.holders.debt);
        e.burden(t, debt);
    }

    /// Searches until the best entity is a thread; asks the policy about bubbles.
    fn pick(&mut self, e: &mut Engine<'_>, cpu: CpuIx) -> Option<ThreadIx> {
        let mut skipped = Vec::new();
        for _ in 0..SEARCHES {
            let Some((p, entity)) = self.search(e, cpu, &skipped) else { break };
            let answer = match entity {
                SchedEntity::Thread(t) => PolicyAnswer::Run(t),
                SchedEntity::Bubble(b) => {
                    let mut g = PolicyContext { e, h: &mut self.holders };
                    let answer = self.policy.bubble_schedule(&mut g, b, cpu);
                    if answer == PolicyAnswer::Skip {
                        skipped.push(b);
                    }
                    answer
                }
            };
            if let PolicyAnswer::Run(t) = answer {
                self.take(e, cpu, t, p);
                return Some(t);
            }
        }
        None
    }

    /// A thread that has stopped running: back into its bubble, if that regenerates.
    fn end_run(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        self.holders.thread_mut(t).runs_on = None;
        let Some(b) = e.thread(t).bubble else { return };
        if self.holders.bubble(b).phase == BubblePhase::Regenerating {
            let mut g = PolicyContext { e, h: &mut self.holders };
            if g.h.holder(SchedEntity::Thread(t)) != SchedHolder::Bubble(b) {
                g.return_to_bubble(SchedEntity::Thread(t), b);
            }
        }
    }

    /// Closes the bubble of a thread if that was the last to return.
    fn close_bubble_of(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        if let Some(b) = e.thread(t).bubble {
            PolicyContext { e, h: &mut self.holders }.close_if_complete(b);
        }
    }

    /// The outermost bubble of a thread is woken up onto a runqueue when a thread in it can run for the first time.
    fn wake_up(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        let Some(mut b) = e.thread(t).bubble else { return };
        while let Some(p) = e.bubble(b).parent {
            b = p;
        }
        if self.holders.bubble(b).holder != SchedHolder::Outside {
            return;
        }
        self.hook(e, |policy, g| {
            let rq = policy.wake_up(g, b);
            g.h.bubble_mut(b).released_on = rq;
            g.record(b, bubble_event_kind::WAKE, Some(SchedHolder::Runqueue(rq)));
            g.touch(SchedHolder::Runqueue(rq));
            g.h.bubble_mut(b).holder = SchedHolder::Runqueue(rq);
            g.h.enlist(SchedEntity::Bubble(b));
        });
    }
}

impl<P: BubblePolicy> Scheduler for Bubbles<P> {
    fn release(&self) -> &str {
        "0.0"
    }

    fn start(&mut self, e: &mut Engine<'_>) {
        self.holders.components = e.topology.components().len();
        self.holders.lists = vec![List::default(); self.holders.components];
        self.holders.roaming = self.policy.roams();
        self.hook(e, |policy, g| policy.start(g));
    }

    fn create_bubble(&mut self, e: &mut Engine<'_>, b: BubbleIx) {
        let h = &mut self.holders;
        if h.bubbles.len() <= b as usize {
            h.bubbles.resize(b as usize + 1, None);
        }
        let epoch = h.bubbles[b as usize].as_ref().map_or(0, |old| old.epoch.wrapping_add(1));
        h.bubbles[b as usize] = Some(BubbleState {
            holder: SchedHolder::Outside,
            listed: false,
            phase: BubblePhase::Closed,
            content: Vec::new(),
            list: Vec::new(),
            released_on: 0,
            epoch,
        });
        let Some(p) = e.bubble(b).parent else { return };
        h.bubble_mut(p).content.push(SchedEntity::Bubble(b));
        match (h.bubble(p).phase, h.bubble(p).holder) {
            (BubblePhase::Burst, SchedHolder::Runqueue(rq)) => {
                let state = h.bubble_mut(b);
                (state.holder, state.released_on) = (SchedHolder::Runqueue(rq), rq);
            }
            _ => h.bubble_mut(b).holder = SchedHolder::Bubble(p),
        }
        h.enlist(SchedEntity::Bubble(b));
    }

    fn destroy_bubble(&mut self, e: &mut Engine<'_>, b: BubbleIx) {
        let h = &mut self.holders;
        if h.bubble(b).listed {
            h.unlist(SchedEntity::Bubble(b));
        }
        let state = h.bubble_mut(b);
        (state.holder, state.phase) = (SchedHolder::Outside, BubblePhase::Closed);
        state.epoch = state.epoch.wrapping_add(1);
        if let Some(p) = e.bubble(b).parent {
            h.bubble_mut(p).content.retain(|&o| o != SchedEntity::Bubble(b));
            PolicyContext { e, h: &mut self.holders }.close_if_complete(p);
        }
    }

    fn admit(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        let h = &mut self.holders;
        if h.threads.len() <= t as usize {
            h.threads.resize(t as usize + 1, None);
        }
        let born_on = e.thread(t).parent.map(|_| e.context());
        let outside = SchedHolder::Outside;
        let state = ThreadState { holder: outside, listed: false, runs_on: None, picked_as: 0, born_on };
        h.threads[t as usize] = Some(state);
        let own = self.hook(e, |policy, g| policy.thread(g, t));
        let h = &mut self.holders;
        let mut holder = SchedHolder::Runqueue(own.unwrap_or(0));
        if let Some(b) = e.thread(t).bubble {
            h.bubble_mut(b).content.push(SchedEntity::Thread(t));
            holder = match (own, h.bubble(b).phase, h.bubble(b).holder) {
                (Some(rq), ..) | (None, BubblePhase::Burst, SchedHolder::Runqueue(rq)) => SchedHolder::Runqueue(rq),
                _ => SchedHolder::Bubble(b),
            };
        }
        h.thread_mut(t).holder = holder;
        let mut g = PolicyContext { e, h };
        match g.e.thread(t).bubble {
            None => g.record_thread(t, bubble_event_kind::ATTACH, holder),
            // The policy put it on another runqueue than its bubble's.
            Some(_) if own.is_some() => g.record_move(SchedEntity::Thread(t), holder),
            Some(_) => {}
        }
    }

    fn forget(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        self.holders.threads[t as usize] = None;
        if let Some(b) = e.thread(t).bubble {
            self.holders.bubble_mut(b).content.retain(|&o| o != SchedEntity::Thread(t));
            PolicyContext { e, h: &mut self.holders }.close_if_complete(b);
        }
    }

    /// A CPU of the runqueue that the thread is on: one that idles, else where it was.
    fn place(&mut self, e: &mut Engine<'_>, t: ThreadIx, _why: Placement) -> CpuIx {
        let mut g = PolicyContext { e, h: &mut self.holders };
        g.lift(t);
        let rq = g.h.runqueue(SchedEntity::Thread(t)).filter(|&rq| rq < g.h.components);
        let last = g.e.thread(t).cpu;
        let chosen = g.choose_cpu(t, rq.unwrap_or(0));
        let idles = |c: CpuIx| g.e.runs_idle(c);
        let stays = may_run(g.e, t, last) && rq.is_none_or(|rq| g.spans(rq, last));
        match chosen {
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
        let mut g = PolicyContext { e, h: &mut self.holders };
        let holder = g.h.runqueue(SchedEntity::Thread(t)).map_or(SchedHolder::Outside, SchedHolder::Runqueue);
        g.touch(holder);
        g.h.enlist(SchedEntity::Thread(t));
        g.lift(t);
        g.call(t);
        let debt = std::mem::take(&mut self.holders.debt);
        e.charge(e.context(), debt);
    }

    fn dequeue(&mut self, e: &mut Engine<'_>, t: ThreadIx, _cpu: CpuIx, why: Dequeue) {
        match why {
            Dequeue::Changed => {}
            Dequeue::Moved => self.holders.unlist(SchedEntity::Thread(t)),
            Dequeue::Sleep | Dequeue::Exit => {
                self.end_run(e, t);
                self.close_bubble_of(e, t);
            }
        }
    }

    fn put_prev(&mut self, e: &mut Engine<'_>, _cpu: CpuIx, t: ThreadIx) {
        self.end_run(e, t);
        self.holders.enlist(SchedEntity::Thread(t));
        self.put_back = Some(t);
        self.close_bubble_of(e, t);
        // A CPU of its mask may have come online while it ran elsewhere.
        PolicyContext { e, h: &mut self.holders }.lift_unless_returned(t);
    }

    fn pick_next(&mut self, e: &mut Engine<'_>, cpu: CpuIx) -> Option<ThreadIx> {
        let picked = self.pick(e, cpu);
        // The thread that was put back may suit a CPU that idles.
        if let Some(t) = self.put_back.take().filter(|&t| picked != Some(t)) {
            PolicyContext { e, h: &mut self.holders }.call(t);
        }
        picked
    }

    fn idle_entry(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        self.policy.idle(&mut PolicyContext { e, h: &mut self.holders }, cpu);
        // In the trace a thread that is set aside is queued on a busy CPU: an idle one would count as wasted.
        let busy = e.online().difference(e.idle()).iter().find(|&c| c != cpu && !e.stopping(c));
        let Some(busy) = busy else { return };
        for t in 0..self.holders.threads.len() as ThreadIx {
            let Some(state) = &self.holders.threads[t as usize] else { continue };
            let aside =
                || self.holders.runqueue(SchedEntity::Thread(t)).is_some_and(|rq| rq >= self.holders.components);
            let here = e.thread(t).cpu == cpu && e.thread(t).state == crate::State::Queued;
            if state.listed && here && aside() && e.may_use(t, busy) {
                e.move_thread(t, busy, Path::Pick);
            }
        }
    }

    /// At the tick, takes turns with entities of the same priority.
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
        if state.epoch & 0x7fff_ffff == epoch && state.phase == BubblePhase::Burst {
            self.hook(e, |policy, g| policy.bubble_tick(g, b));
        }
    }

    /// Entities on a runqueue without an online CPU move up to one that has some; so do threads that wait where their masks
    /// do not let them run any more, since a CPU of the mask has come online.
    fn hotplug(&mut self, e: &mut Engine<'_>, _cpu: CpuIx, online: bool) {
        let mut g = PolicyContext { e, h: &mut self.holders };
        if online {
            g.lift_all();
        }
        for rq in (0..g.h.components).rev() {
            let span = &g.e.topology.components()[rq].span;
            let Some(above) = g.above(rq).filter(|_| !span.intersects(g.e.online())) else { continue };
            for entity in g.h.lists[rq].entities.clone() {
                g.put(entity, above);
            }
        }
        self.holders.debt = 0;
    }
}

impl<P> Bubbles<P> {
    /// The priority of an entity on its runqueue.
    pub fn priority(e: &Engine<'_>, entity: SchedEntity) -> i32 {
        priority(e, entity)
    }
}
