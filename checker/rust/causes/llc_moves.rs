//! Between which parts of the machine runnable threads were moved.

use crate::fast_hash::FastMap;
use crate::topology::{CpuIx, TracedTopology};

/// Moves of runnable threads by pair of LLCs: the latest event of each, and when.
#[derive(Clone, Debug, Default)]
pub struct LlcMoves {
    /// LLC of each CPU.
    llcs: Vec<i32>,
    moves: FastMap<(i32, i32), (i64, i64)>,
}

impl LlcMoves {
    /// No move yet.
    pub fn new(topology: &TracedTopology) -> Self {
        Self { llcs: (0..topology.len() as CpuIx).map(|c| topology.llc(c)).collect(), moves: FastMap::default() }
    }

    /// The balancer moved a runnable thread.
    pub fn record(&mut self, from: CpuIx, to: CpuIx, event: i64, t: i64) {
        let (a, b) = (self.llcs[from as usize], self.llcs[to as usize]);
        self.moves.insert((a.min(b), a.max(b)), (event, t));
    }

    /// One was moved between the caches of these two CPUs, either way.
    pub fn any_between(&self, a: CpuIx, b: CpuIx) -> bool {
        if self.moves.is_empty() {
            return false;
        }
        let (a, b) = (self.llcs[a as usize], self.llcs[b as usize]);
        self.moves.contains_key(&(a.min(b), a.max(b)))
    }

    /// One was moved within the cache of this CPU at or after `t`: the event.
    pub fn within(&self, cpu: CpuIx, t: i64) -> Option<i64> {
        if self.moves.is_empty() {
            return None;
        }
        let llc = self.llcs[cpu as usize];
        self.moves.get(&(llc, llc)).filter(|(_, at)| *at >= t).map(|(event, _)| *event)
    }
}
