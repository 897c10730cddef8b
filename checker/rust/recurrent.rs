//! Recurrent episodes: waste that flickers. Spells (more than one) between the same two LLCs, each too short to be
//! lasting, that add up to at least a tenth of a core over 100 ms. A spell between two LLCs is a maximal time in which a
//! thread waits in the one for a CPU idle in the other; what is matched in it counts where it ends.

use std::collections::VecDeque;

use crate::causes::answers::{Answer, Proof};
use crate::causes::rules::Found;
use crate::causes::{Bound, Listed, PairKey, Tally};
use crate::spells::PairSegment;

/// Width of the window, ns.
pub const WINDOW_NS: i64 = 100_000_000;
/// Waste in the window from which it counts, core-ns.
pub const THRESHOLD_NS: i64 = WINDOW_NS / 10;
/// Pairs of all episodes under way; each may list its part of them, within these limits.
const OPEN: usize = 1 << 19;
const PART: std::ops::RangeInclusive<usize> = 64..=1 << 13;

/// A recurrent episode.
#[derive(Clone, Debug)]
pub struct Recurrent {
    pub start: i64,
    pub end: i64,
    pub core_ns: i64,
    pub peak: u32,
    /// Waste by pair, and why, as long as it is under way; when it is over.
    tally: Tally,
    pub listed: Listed,
}

/// A segment of short waste, with the answers to the three questions.
struct Seen {
    from: i64,
    to: i64,
    pair: PairKey,
    why: Option<[Said; 3]>,
}

/// An answer; its events are kept apart, for most answers have few.
#[derive(Clone, Copy)]
struct Said {
    answer: Answer,
    proof: Proof,
    rule: u8,
    events: u8,
}

#[derive(Default)]
struct Flow {
    /// Segments that end in the last 100 ms, and the events that their answers rest on.
    window: VecDeque<Seen>,
    events: VecDeque<i64>,
    sum: i64,
    /// Spells that reach into the last 100 ms: begin and end, in order.
    spells: VecDeque<(i64, i64)>,
    /// The episode under way, how many segments at the window's front belong to it, and how many pairs it may list.
    open: Option<Recurrent>,
    taken: usize,
    most: usize,
    /// How many of those have been added to its tally, with how many events: many at once, while the tally is in the caches.
    added: usize,
    added_events: usize,
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
    bound: Bound,
}

impl Watch {
    /// A watch over so many LLCs.
    pub fn new(llcs: usize) -> Self {
        Self { llcs, index: vec![None; llcs * llcs], ..Self::default() }
    }

    /// A segment of waste from one LLC to another (their numbers) that is not part of lasting waste. Segments come in
    /// order of their ends.
    pub fn segment(&mut self, from: u16, to: u16, s: &PairSegment, why: Option<[Found; 3]>) {
        let at = &mut self.index[usize::from(from) * self.llcs + usize::from(to)];
        let at = *at.get_or_insert_with(|| {
            self.flows.push(Flow::default());
            self.flows.len() as u32 - 1
        });
        let most = (OPEN / self.flows.len()).clamp(*PART.start(), *PART.end());
        let flow = &mut self.flows[at as usize];
        if flow.window.back().is_some_and(|last| last.to < s.to) {
            // Judged when all that ended at one instant is in.
            flow.judge(most);
            if let Some(over) = flow.expire(s.to - WINDOW_NS) {
                self.close(over);
            }
        }
        let flow = &mut self.flows[at as usize];
        flow.sum += s.to - s.from;
        let why = why.map(|why| why.map(|found| flow.keep(&found)));
        flow.window.push_back(Seen { from: s.from, to: s.to, pair: s.key(), why });
        flow.extend_spells(s.from, s.to);
    }

    /// An episode is over. Its peak is not followed segment by segment: it is the number of idle CPUs that took part.
    fn close(&mut self, mut over: Recurrent) {
        over.listed = self.bound.close(std::mem::take(&mut over.tally));
        let mut cpus: Vec<u32> = over.listed.pairs().map(|e| e.pair.2).collect();
        cpus.sort_unstable();
        cpus.dedup();
        over.peak = cpus.len() as u32;
        self.done.push(over);
        self.bound.enforce(self.done.iter_mut().map(|r| &mut r.listed));
    }

    /// Close what is open.
    pub fn finish(&mut self) {
        for mut flow in std::mem::take(&mut self.flows) {
            flow.judge(*PART.end());
            if let Some(over) = flow.close() {
                self.close(over);
            }
        }
        self.done.sort_by_key(|r| (r.start, r.end));
    }
}

impl Flow {
    fn keep(&mut self, found: &Found) -> Said {
        let events = found.evidence.as_slice();
        self.events.extend(events);
        Said { answer: found.answer, proof: found.proof, rule: found.rule, events: events.len() as u8 }
    }

    /// Drop what ended before the window begins; an episode none of whose segments is left is over.
    fn expire(&mut self, begin: i64) -> Option<Recurrent> {
        while self.window.front().is_some_and(|s| s.to <= begin) {
            if self.added == 0 {
                self.add_taken();
            }
            let Some(s) = self.window.pop_front() else { break };
            let events: usize = s.why.iter().flatten().map(|said| usize::from(said.events)).sum();
            self.sum -= s.to - s.from;
            self.events.drain(..events);
            if self.taken > 0 {
                self.taken -= 1;
                self.added -= 1;
                self.added_events -= events;
            }
        }
        while self.spells.front().is_some_and(|(_, end)| *end <= begin) {
            self.spells.pop_front();
        }
        if self.taken == 0 { self.close() } else { None }
    }

    /// A segment joins the spells it touches, or is a new one.
    fn extend_spells(&mut self, mut from: i64, to: i64) {
        while let Some((begin, _)) = self.spells.back().filter(|(_, end)| *end >= from) {
            from = from.min(*begin);
            self.spells.pop_back();
        }
        self.spells.push_back((from, to));
    }

    /// When the window qualifies, everything in it belongs to the episode, which lists `most` pairs.
    fn judge(&mut self, most: usize) {
        if self.sum < THRESHOLD_NS || self.spells.len() < 2 {
            return;
        }
        if self.most != most {
            self.add_taken();
            self.most = most;
        }
        let first = self.window.front().expect("sum is above zero").from;
        self.open.get_or_insert_with(|| Recurrent {
            start: first,
            end: first,
            core_ns: 0,
            peak: 0,
            tally: Tally::default(),
            listed: Listed::default(),
        });
        self.taken = self.window.len();
    }

    /// Add to the tally what belongs to the episode.
    fn add_taken(&mut self) {
        let Some(open) = &mut self.open else { return };
        let mut events = self.events.range(self.added_events..).copied();
        let mut n = 0;
        for s in self.window.range(self.added..self.taken) {
            let ns = s.to - s.from;
            open.start = open.start.min(s.from);
            open.end = open.end.max(s.to);
            open.core_ns += ns;
            let pair = open.tally.wasted(s.pair, ns, self.most);
            for said in s.why.iter().flatten() {
                n += usize::from(said.events);
                let evidence = events.by_ref().take(usize::from(said.events)).collect();
                let found = Found { answer: said.answer, proof: said.proof, rule: said.rule, evidence };
                open.tally.add_one(pair, &found, true, ns);
            }
        }
        self.added = self.taken;
        self.added_events += n;
    }

    /// The episode is over.
    fn close(&mut self) -> Option<Recurrent> {
        self.add_taken();
        self.open.take()
    }
}
