//! Opportunist: the machine has one list of threads, and idle CPUs take the first. Bubbles say nothing to it.

use super::{Ground, Met, Policy};
use crate::engine::BubbleIx;
use crate::topology::CpuIx;

/// Bursts every bubble where it is met: on the machine's runqueue.
#[derive(Default)]
pub struct Simple;

impl Policy for Simple {
    fn bubble_schedule(&mut self, g: &mut Ground<'_, '_>, b: BubbleIx, _cpu: CpuIx) -> Met {
        g.burst(b);
        Met::Again
    }
}
