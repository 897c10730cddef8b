//! Opportunist: the machine has one list of threads, and idle CPUs take the first. Bubbles are ignored.

use super::{BubblePolicy, PolicyAnswer, PolicyContext};
use crate::engine::BubbleIx;
use crate::topology::CpuIx;

/// Bursts every bubble where it is found: on the machine's runqueue.
#[derive(Default)]
pub struct Simple;

impl BubblePolicy for Simple {
    fn bubble_schedule(&mut self, g: &mut PolicyContext<'_, '_>, b: BubbleIx, _cpu: CpuIx) -> PolicyAnswer {
        g.burst(b);
        PolicyAnswer::Again
    }
}
