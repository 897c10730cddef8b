//! Recurrent episodes: waste that flickers. Spells (more than one) between the same two LLCs, each too short to be
//! lasting, that add up to at least a tenth of a core over 100 ms. A spell between two LLCs is a maximal time in which a
//! thread waits in the one for a CPU idle in the other; what is matched in it counts where it ends.

use std::collections::{BTreeMap, VecDeque};

use crate::causes::Tally;
use crate::causes::rules::Found;
use crate::matching::Pairing;
use crate::spells::PairSegment;

/// Width of the window, ns.
pub const WINDOW_NS: i64 = 100_000_000;
/// Waste in the window from which it counts, core-ns.
pub const THRESHOLD_NS: i64 = WINDOW_NS / 10;

/// A recurrent episode.
#[derive(Clone, Debug, PartialEq)]
pub struct Recurrent {
    pub start: i64,
    pub end: i64,
    pub core_ns: i64,
    pub peak: u32,
    /// Waste per pair, core-ns.
    pub pairs: BTreeMap<(u32, u32, u32), i64>,
    /// Why, by pair.
    pub tally: Tally,
}

#[derive(Default)]
struct Flow {
    /// Segments that end in the last 100 ms, with the answers to the three questions.
    window: VecDeque<(PairSegment, [Found; 3])>,
    sum: i64,
    /// Spells that reach into the last 100 ms: begin and end, in order.
    spells: VecDeque<(i64, i64)>,
    /// The episode under way, and how many segments at the window's front it has taken in already.
    open: Option<Recurrent>,
    taken: usize,
}

/// Watches the segments of short waste, LLC pair by LLC pair.
#[derive(Default)]
pub struct Watch {
    /// Number of LLCs.
    llcs: usize,
    /// By pair of LLCs: which of `flows`, where there is one.
    index: Vec<Option<u32>>,
    flows: Vec<Flow>,
    pub done: Vec<Recurrent>,
}

impl Watch {
    /// A watch over so many LLCs.
    pub fn new(llcs: usize) -> Self {
        Self { llcs, index: vec![None; llcs * llcs], ..Self::default() }
    }

    /// A segment of waste from one LLC to another (their numbers) that is not part of lasting waste. Segments come in
    /// order of their ends.
    pub fn segment(&mut self, from: u16, to: u16, s: PairSegment, why: [Found; 3]) {
        let at = &mut self.index[usize::from(from) * self.llcs + usize::from(to)];
        let at = *at.get_or_insert_with(|| {
            self.flows.push(Flow::default());
            self.flows.len() as u32 - 1
        });
        let flow = &mut self.flows[at as usize];
        if flow.window.back().is_some_and(|(last, _)| last.to < s.to) {
            // Judged when all that ended at one instant is in.
            flow.judge();
            flow.expire(s.to - WINDOW_NS, &mut self.done);
        }
        flow.sum += s.to - s.from;
        flow.window.push_back((s, why));
        flow.extend_spells(s.from, s.to);
    }

    /// Close what is open.
    pub fn finish(&mut self) {
        for flow in &mut self.flows {
            flow.judge();
            self.done.extend(flow.open.take().map(Recurrent::with_peak));
        }
        self.done.sort_by_key(|r| (r.start, r.end));
    }
}

impl Flow {
    /// Drop what ended before the window begins; an episode none of whose segments is left is over.
    fn expire(&mut self, begin: i64, done: &mut Vec<Recurrent>) {
        while let Some((s, _)) = self.window.front().filter(|(s, _)| s.to <= begin) {
            self.sum -= s.to - s.from;
            self.window.pop_front();
            self.taken = self.taken.saturating_sub(1);
        }
        while self.spells.front().is_some_and(|(_, end)| *end <= begin) {
            self.spells.pop_front();
        }
        if self.taken == 0 {
            done.extend(self.open.take().map(Recurrent::with_peak));
        }
    }

    /// A segment joins the spells it touches, or is a new one.
    fn extend_spells(&mut self, mut from: i64, to: i64) {
        while let Some((begin, _)) = self.spells.back().filter(|(_, end)| *end >= from) {
            from = from.min(*begin);
            self.spells.pop_back();
        }
        self.spells.push_back((from, to));
    }

    /// When the window qualifies, everything in it belongs to the episode.
    fn judge(&mut self) {
        if self.sum < THRESHOLD_NS || self.spells.len() < 2 {
            return;
        }
        let first = self.window.front().expect("sum is above zero").0.from;
        let open = self.open.get_or_insert_with(|| Recurrent {
            start: first,
            end: first,
            core_ns: 0,
            peak: 0,
            pairs: BTreeMap::new(),
            tally: Tally::default(),
        });
        for (s, why) in self.window.iter().skip(self.taken) {
            let Pairing { utid, queue_cpu, idle_cpu } = s.pair;
            open.start = open.start.min(s.from);
            open.end = open.end.max(s.to);
            open.core_ns += s.to - s.from;
            let key = (utid, queue_cpu, idle_cpu);
            *open.pairs.entry(key).or_default() += s.to - s.from;
            for found in why {
                open.tally.add_one(key, found, true, s.to - s.from);
            }
        }
        self.taken = self.window.len();
    }
}

impl Recurrent {
    /// The peak is not followed segment by segment: it is the number of idle CPUs that took part.
    fn with_peak(mut self) -> Self {
        let mut cpus: Vec<u32> = self.pairs.keys().map(|(_, _, idle)| *idle).collect();
        cpus.sort_unstable();
        cpus.dedup();
        self.peak = cpus.len() as u32;
        self
    }
}
