//! Burst scheduling: CPUs pull bubbles down towards them, level by level; at its bursting level a bubble releases what it
//! holds. When its slice is over, or CPUs idle elsewhere, it takes its content back and goes up for a new distribution.

use super::{BubblePhase, BubblePolicy, PolicyAnswer, PolicyContext, RunqueueIx, SchedEntity};
use crate::engine::BubbleIx;
use crate::span::{MS, Ns};
use crate::topology::CpuIx;

/// A bubble that was just distributed is not gathered again for an idle CPU before this time.
const SETTLES_NS: Ns = MS;

/// Bursts bubbles at their level; those without one at as many levels below the machine as there are bubbles around them.
#[derive(Default)]
pub struct Burst {
    /// When each bubble burst last.
    since: Vec<Ns>,
}

impl Burst {
    /// The runqueue below, towards a CPU, unless a bubble is at its bursting level.
    fn deeper(g: &PolicyContext<'_, '_>, b: BubbleIx, cpu: CpuIx) -> Option<RunqueueIx> {
        let rq = g.runqueue(SchedEntity::Bubble(b))?;
        let below = g.below(rq, cpu)?;
        let goes = match g.e.bubble(b).burst {
            // Not past a level that this machine does not have.
            Some(level) => g.level(below) <= Some(level),
            None => g.depth(rq) < g.e.depth(b),
        };
        goes.then_some(below)
    }

    /// The closed bubble nearest to a CPU that does not search its runqueue, and the lowest runqueue above that it does search.
    fn near(g: &PolicyContext<'_, '_>, cpu: CpuIx) -> Option<(BubbleIx, RunqueueIx)> {
        let mut above = g.above(g.of_cpu(cpu));
        while let Some(rq) = above {
            let far = |below: &RunqueueIx| !g.spans(*below, cpu) && g.is_below(*below, rq);
            let waits = |below: RunqueueIx| {
                let bubbles = g.bubbles(below).into_iter().filter(|&b| g.h.suits(g.e, SchedEntity::Bubble(b), cpu));
                // An outer bubble makes more threads runnable than an inner one.
                let key =
                    |b| (g.h.waiting(SchedEntity::Bubble(b)), std::cmp::Reverse(g.e.depth(b)), std::cmp::Reverse(b));
                bubbles.map(|b| (key(b), below)).max()
            };
            let busy = |((waiting, ..), below): &((usize, _, _), RunqueueIx)| *waiting > g.idle_cpus(*below);
            let found = (0..g.components()).filter(far).filter_map(waits).filter(busy).max();
            if let Some(((_, _, std::cmp::Reverse(b)), _)) = found {
                return Some((b, rq));
            }
            above = g.above(rq);
        }
        None
    }
}

impl BubblePolicy for Burst {
    fn bubble_schedule(&mut self, g: &mut PolicyContext<'_, '_>, b: BubbleIx, cpu: CpuIx) -> PolicyAnswer {
        if let Some(below) = Self::deeper(g, b, cpu) {
            g.put(SchedEntity::Bubble(b), below);
        } else {
            g.burst(b);
            g.slice(b);
            self.since.resize(self.since.len().max(b as usize + 1), 0);
            self.since[b as usize] = g.e.now();
        }
        PolicyAnswer::Again
    }

    fn bubble_tick(&mut self, g: &mut PolicyContext<'_, '_>, b: BubbleIx) {
        g.regenerate(b);
    }

    /// An idle CPU moves up a closed bubble near it that waits where neither this CPU nor another idle one takes it. If
    /// there is none it regenerates the one with most threads that wait so.
    fn idle(&mut self, g: &mut PolicyContext<'_, '_>, cpu: CpuIx) {
        if let Some((b, above)) = Self::near(g, cpu) {
            return g.put(SchedEntity::Bubble(b), above);
        }
        let now = g.e.now();
        let burst = |g: &PolicyContext<'_, '_>, b: BubbleIx| {
            let rq = g.runqueue(SchedEntity::Bubble(b))?;
            let settled = self.since.get(b as usize).is_none_or(|&at| now >= at + SETTLES_NS);
            let above = g.h.bubble(b).released_on;
            let fits = g.phase(b) == BubblePhase::Burst && settled && !g.spans(rq, cpu) && g.spans(above, cpu);
            let (_, _, waiting) = g.threads(b);
            let left = waiting.saturating_sub(g.idle_cpus(rq));
            (fits && left > 0).then_some((left, std::cmp::Reverse(b)))
        };
        let most = (0..g.h.bubbles.len() as BubbleIx).filter_map(|b| burst(g, b)).max();
        if let Some((_, std::cmp::Reverse(b))) = most {
            g.regenerate(b);
        }
    }

    fn roams(&self) -> bool {
        true
    }
}
