//! Work stealing: all bubbles are settled on the first CPU's runqueue. A CPU that finds nothing looks for work on the
//! runqueues near it, then farther away, and takes part of the hierarchy it finds: whole bubbles as long as that is not more
//! than half, else a bubble is opened where it is.

use super::{BubblePolicy, PolicyContext, RunqueueIx, SchedEntity, SchedHolder};
use crate::engine::BubbleIx;
use crate::topology::CpuIx;

/// Idle CPUs steal.
#[derive(Default)]
pub struct Steal;

impl Steal {
    /// Takes part of what waits on a victim's runqueue; false when there is nothing that it may take.
    fn from(g: &mut PolicyContext<'_, '_>, victim: RunqueueIx, cpu: CpuIx) -> bool {
        loop {
            let waiting = |o: SchedEntity| g.h.waiting(o);
            let list = g.h.list(SchedHolder::Runqueue(victim));
            let all: usize = list.iter().map(|&o| waiting(o)).sum();
            let busy = g.e.topology.components()[victim].span.iter().any(|c| !g.e.runs_idle(c));
            let fits = |o: &SchedEntity| {
                let inside = if let SchedEntity::Bubble(b) = *o { g.threads(b).1 } else { 0 };
                inside == 0 && waiting(*o) <= (all + usize::from(busy)) / 2 && g.h.suits(g.e, *o, cpu)
            };
            // The largest part that leaves the victim as much (one to run, if it idles), the first of equals.
            let part = list.iter().copied().filter(|o| waiting(*o) > 0 && fits(o)).rev().max_by_key(|&o| waiting(o));
            if let Some(part) = part {
                let own = g.of_cpu(cpu);
                g.put(part, own);
                return true;
            }
            // Only bubbles that are too large, or of which a thread runs: the first is opened.
            let closed = |b: &BubbleIx| g.h.suits(g.e, SchedEntity::Bubble(*b), cpu);
            let Some(b) = g.bubbles(victim).into_iter().find(closed) else { return false };
            g.burst(b);
        }
    }
}

impl BubblePolicy for Steal {
    fn wake_up(&mut self, g: &mut PolicyContext<'_, '_>, _b: BubbleIx) -> RunqueueIx {
        let first = g.e.online().first().unwrap_or(0);
        g.of_cpu(first)
    }

    fn idle(&mut self, g: &mut PolicyContext<'_, '_>, cpu: CpuIx) {
        let own = g.of_cpu(cpu);
        let mut around = g.above(own);
        while let Some(part) = around {
            // The runqueues of the other CPUs of this part of the machine, the one with most to do first.
            let span = g.e.topology.components()[part].span.clone();
            let mut victims: Vec<RunqueueIx> = span.iter().map(|c| g.of_cpu(c)).filter(|&rq| rq != own).collect();
            let load = |g: &PolicyContext<'_, '_>, rq| -> usize {
                g.h.list(SchedHolder::Runqueue(rq)).iter().map(|&o| g.h.waiting(o)).sum()
            };
            victims.sort_by_key(|&rq| std::cmp::Reverse(load(g, rq)));
            if victims.into_iter().any(|victim| load(g, victim) > 0 && Self::from(g, victim, cpu)) {
                return;
            }
            around = g.above(part);
        }
    }

    fn roams(&self) -> bool {
        true
    }
}
