//! Gang scheduling: a daemon puts all gangs (outermost bubbles) aside and leaves one on the runqueue for a time slice, during
//! which the ground scheduler runs its threads. One daemon for the machine, or one for each node with a common pool.

use super::{BubblePolicy, PolicyContext, RunqueueIx, SchedEntity};
use crate::engine::BubbleIx;
use crate::span::Ns;
use crate::topology::{CpuIx, Level};

/// A daemon per component of a level, which gives each gang a time slice there.
pub struct Gang {
    level: Level,
    timeslice: Ns,
    nosched_rq: RunqueueIx,
    main_rqs: Vec<RunqueueIx>,
}

impl Gang {
    /// Daemons at this level (or the lowest above it that the machine has) with this time slice.
    pub fn at(level: Level, timeslice: Ns) -> Self {
        Self { level, timeslice: timeslice.max(1), nosched_rq: 0, main_rqs: Vec::new() }
    }
}

impl BubblePolicy for Gang {
    fn start(&mut self, g: &mut PolicyContext<'_, '_>) {
        self.nosched_rq = g.aside();
        self.main_rqs = g.at_level(self.level);
        for (i, &rq) in self.main_rqs.iter().enumerate() {
            let cpu = g.e.topology.components()[rq].span.first().unwrap_or(0);
            g.after(1, cpu, i as u32);
        }
    }

    fn wake_up(&mut self, _g: &mut PolicyContext<'_, '_>, _b: BubbleIx) -> RunqueueIx {
        self.nosched_rq
    }

    fn daemon(&mut self, g: &mut PolicyContext<'_, '_>, cpu: CpuIx, i: u32) {
        let main_rq = self.main_rqs[i as usize];
        // Put all gangs aside.
        for gang in g.bubbles(main_rq) {
            g.put(SchedEntity::Bubble(gang), self.nosched_rq);
        }
        // Put one that has threads on the main runqueue.
        let next = g.bubbles(self.nosched_rq).into_iter().find(|&gang| g.threads(gang).0 > 0);
        if let Some(gang) = next {
            g.put(SchedEntity::Bubble(gang), main_rq);
        }
        // Wait for the next time slice.
        g.after(self.timeslice, cpu, i);
    }
}
