//! Predetermined: each thread on a CPU of its own, in the order in which they come, whatever their bubbles.

use super::{BubblePolicy, PolicyContext, RunqueueIx};
use crate::engine::ThreadIx;
use crate::topology::CpuIx;

/// Deals threads out to the CPUs' runqueues; they stay there.
#[derive(Default)]
pub struct Bound {
    dealt: usize,
}

impl BubblePolicy for Bound {
    fn thread(&mut self, g: &mut PolicyContext<'_, '_>, t: ThreadIx) -> Option<RunqueueIx> {
        if g.e.thread(t).is_launcher() {
            return None;
        }
        let cpus: Vec<CpuIx> = g.e.allowed(t).intersection(g.e.online()).iter().collect();
        let cpu = *cpus.get(self.dealt % cpus.len().max(1))?;
        self.dealt += 1;
        Some(g.of_cpu(cpu))
    }
}
