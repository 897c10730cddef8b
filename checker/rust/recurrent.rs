//! Recurrent episodes: short waste that repeats. Intervals (more than one) between the same two LLCs, each too short to be
//! lasting, that add up to at least a tenth of a core over 100 ms. An interval between two LLCs is a maximal time in which a
//! thread waits in the one for a CPU idle in the other; its matching counts at its end.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::causes::rules::EVENTS_KEPT;
use crate::causes::{AnswerLine, CauseTotals, PackedPairs, PairLimit, ShortAnswers, WasteByPair};
use crate::pair_segment::{PairKey, PairSegment};
use crate::topology::{CpuIx, TracedTopology};
use wastenot_schemas::grade;

/// Width of the window, ns.
pub const WINDOW_NS: i64 = 100_000_000;
/// Waste in the window from which it counts, core-ns.
pub const THRESHOLD_NS: i64 = WINDOW_NS / 10;
/// Pairs of all episodes under way; each may list its part of them, within these limits.
const OPEN: usize = 1 << 19;
const PART: std::ops::RangeInclusive<usize> = 64..=1 << 13;
/// Segments sorted at once: as many as fit into a core's cache.
const BATCH: usize = 1 << 14;
/// Fewer are not sorted.
const FEW: usize = 1 << 8;

/// A recurrent episode.
#[derive(Clone, Debug)]
pub struct RecurrentEpisode {
    pub start: i64,
    pub end: i64,
    pub core_ns: i64,
    pub peak: u32,
    /// Waste by pair, and why, as long as it is under way; when it is over.
    waste: WasteByPair,
    pub listed: PackedPairs,
}

/// A segment of short waste, with the answers to the three questions.
struct ShortWaste {
    from: i64,
    to: i64,
    pair: PairKey,
    /// None where causes are not wanted. The events that they rest on are kept apart, for most answers have few.
    answers: Option<ShortAnswers>,
}

/// A segment of a batch: the flow that it belongs to, its answers, and where the events that they rest on start.
struct BatchSegment {
    flow: u32,
    segment: PairSegment,
    answers: Option<ShortAnswers>,
    first_event: u32,
}

/// Segments in order of time, with their answers.
#[derive(Default)]
struct Batch {
    segments: Vec<BatchSegment>,
    events: Vec<i64>,
}

impl Batch {
    fn clear(&mut self) {
        self.segments.clear();
        self.events.clear();
    }

    /// The segment in that place, its answers, and the events that these rest on.
    fn get(&self, place: u32) -> (&PairSegment, Option<ShortAnswers>, &[i64]) {
        let BatchSegment { segment, answers, first_event, .. } = &self.segments[place as usize];
        let n = answers.map_or(0, |answers| answers.n_events());
        (segment, *answers, &self.events[*first_event as usize..][..n])
    }

    /// Places by flow, each flow's in their order: those of flow f are at `starts[f]..starts[f + 1]` in `places`.
    fn sort(&self, flows: usize, starts: &mut Vec<u32>, places: &mut Vec<u32>) {
        starts.clear();
        starts.resize(flows + 2, 0);
        self.segments.iter().for_each(|s| starts[s.flow as usize + 2] += 1);
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        places.resize(self.segments.len(), 0);
        for (s, place) in self.segments.iter().zip(0..) {
            let next = &mut starts[s.flow as usize + 1];
            places[*next as usize] = place;
            *next += 1;
        }
        starts.truncate(flows + 1);
    }
}

#[derive(Default)]
struct LlcPairFlow {
    /// Segments that end in the last 100 ms, and the events that their answers rest on.
    window: VecDeque<ShortWaste>,
    events: VecDeque<i64>,
    sum: i64,
    /// Intervals that reach into the last 100 ms: start and end, in order.
    intervals: VecDeque<(i64, i64)>,
    /// The episode under way, how many segments at the window's front belong to it, and how many pairs it may list.
    open: Option<Box<RecurrentEpisode>>,
    taken: usize,
    most: usize,
    /// How many of those have been added to its record, with how many events: many at once, while the record is in the
    /// caches.
    added: usize,
    added_events: usize,
}

/// Watches the segments of short waste, LLC pair by LLC pair.
#[derive(Default)]
pub struct RecurrentDetector {
    topology: Arc<TracedTopology>,
    /// Number of LLCs.
    llcs: usize,
    /// By pair of LLCs: which of `flows`, where there is one.
    index: Vec<Option<u32>>,
    flows: Vec<LlcPairFlow>,
    /// The events that the answers about one segment rest on; only a buffer.
    events: Vec<i64>,
    pub done: Vec<RecurrentEpisode>,
    /// Episodes that are over, and their waste, core-ns; the same by answer.
    pub count: i64,
    pub core_ns: i64,
    pub causes: CauseTotals,
    bound: PairLimit,
}

impl RecurrentDetector {
    /// A watch over so many LLCs.
    pub fn new(llcs: usize, topology: Arc<TracedTopology>) -> Self {
        Self { topology, llcs, index: vec![None; llcs * llcs], ..Self::default() }
    }

    /// Segments of waste that are not part of lasting waste, in order of their ends; `llc`: the number of a CPU's,
    /// `why`: the answers about a segment; it appends the events that they rest on.
    ///
    /// Many are sorted by pair of LLCs first, so that what is known of one pair stays in the caches while its segments
    /// are taken in. They are asked about before that, since answers are found quickly in the order of time.
    pub fn segments<'a>(
        &mut self,
        mut segments: impl Iterator<Item = &'a PairSegment>,
        llc: impl Fn(CpuIx) -> u16,
        mut why: impl FnMut(&PairSegment, &mut Vec<i64>) -> Option<ShortAnswers>,
    ) {
        if segments.size_hint().1.is_some_and(|most| most < self.flows.len().max(FEW)) {
            let mut events = std::mem::take(&mut self.events);
            for s in segments {
                events.clear();
                let answers = why(s, &mut events);
                let flow = self.flow(llc(s.queue), llc(s.idle));
                let most = pair_limit(self.flows.len());
                if let Some(ended) = self.flows[flow as usize].segment(s, most, answers, &events) {
                    self.close(ended);
                }
            }
            self.events = events;
            return;
        }
        let mut batch = Batch::default();
        let (mut starts, mut places, mut over) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            batch.clear();
            let before = self.flows.len();
            // Which segments were the first of their pair of LLCs.
            let mut firsts = Vec::new();
            for (place, s) in segments.by_ref().take(BATCH).enumerate() {
                let flow = self.flow(llc(s.queue), llc(s.idle));
                if self.flows.len() > before + firsts.len() {
                    firsts.push(place as u32);
                }
                let first_event = batch.events.len() as u32;
                let answers = why(s, &mut batch.events);
                batch.segments.push(BatchSegment { flow, segment: *s, answers, first_event });
            }
            if batch.segments.is_empty() {
                return;
            }
            batch.sort(self.flows.len(), &mut starts, &mut places);
            for (flow, of_flow) in self.flows.iter_mut().zip(starts.windows(2)) {
                for &place in &places[of_flow[0] as usize..of_flow[1] as usize] {
                    // As many as there were when the segment's turn was.
                    let flows = before + firsts.partition_point(|first| *first <= place);
                    let (s, answers, events) = batch.get(place);
                    over.extend(flow.segment(s, pair_limit(flows), answers, events).map(|ended| (place, ended)));
                }
            }
            over.sort_by_key(|(place, _)| *place);
            over.drain(..).for_each(|(_, ended)| self.close(ended));
        }
    }

    /// Number of the flow between two LLCs.
    fn flow(&mut self, from: u16, to: u16) -> u32 {
        let at = &mut self.index[usize::from(from) * self.llcs + usize::from(to)];
        *at.get_or_insert_with(|| {
            self.flows.push(LlcPairFlow::default());
            self.flows.len() as u32 - 1
        })
    }

    /// An episode is over. Its peak is not followed segment by segment: it is the number of idle CPUs that took part.
    fn close(&mut self, mut over: Box<RecurrentEpisode>) {
        let mut totals = self.causes.episode(grade::RECURRENT);
        let see = |pair, ns, lines: &[AnswerLine]| totals.add(pair, ns, lines, &self.topology);
        over.listed = self.bound.close(std::mem::take(&mut over.waste), see);
        totals.finish();
        let mut cpus: Vec<u32> = over.listed.pairs().map(|e| e.pair.2).collect();
        cpus.sort_unstable();
        cpus.dedup();
        over.peak = cpus.len() as u32;
        (self.count, self.core_ns) = (self.count + 1, self.core_ns + over.core_ns);
        self.done.push(*over);
        self.bound.enforce(self.done.iter_mut().map(|r| &mut r.listed));
    }

    /// The episodes that are over; they are no longer listed here.
    pub fn take_done(&mut self) -> Vec<RecurrentEpisode> {
        self.done.iter().for_each(|e| self.bound.release(e.listed.size()));
        std::mem::take(&mut self.done)
    }

    /// Close what is open.
    pub fn finish(&mut self) {
        for mut flow in std::mem::take(&mut self.flows) {
            flow.extend_episode(*PART.end());
            if let Some(over) = flow.close() {
                self.close(over);
            }
        }
        self.done.sort_by_key(|r| (r.start, r.end));
    }
}

/// Pairs that an episode may list while so many pairs of LLCs flicker.
fn pair_limit(flows: usize) -> usize {
    (OPEN / flows).clamp(*PART.start(), *PART.end())
}

impl LlcPairFlow {
    /// A segment ends; returns the episode that is over then. Those listed may be `most` pairs.
    fn segment(
        &mut self,
        s: &PairSegment,
        most: usize,
        answers: Option<ShortAnswers>,
        events: &[i64],
    ) -> Option<Box<RecurrentEpisode>> {
        let mut over = None;
        if self.window.back().is_some_and(|last| last.to < s.to) {
            // Evaluated when all that ended at one instant is in.
            self.extend_episode(most);
            over = self.expire(s.to - WINDOW_NS);
        }
        self.sum += s.to - s.from;
        // One by one: there are few.
        events.iter().for_each(|&event| self.events.push_back(event));
        self.window.push_back(ShortWaste { from: s.from, to: s.to, pair: s.key(), answers });
        self.extend_intervals(s.from, s.to);
        over
    }

    /// Drop what ended before the window starts; an episode none of whose segments is left is over.
    fn expire(&mut self, begin: i64) -> Option<Box<RecurrentEpisode>> {
        while self.window.front().is_some_and(|s| s.to <= begin) {
            if self.added == 0 {
                self.add_taken();
            }
            let Some(s) = self.window.pop_front() else { break };
            let events = s.answers.map_or(0, |answers| answers.n_events());
            self.sum -= s.to - s.from;
            self.events.drain(..events);
            if self.taken > 0 {
                self.taken -= 1;
                self.added -= 1;
                self.added_events -= events;
            }
        }
        while self.intervals.front().is_some_and(|(_, end)| *end <= begin) {
            self.intervals.pop_front();
        }
        if self.taken == 0 { self.close() } else { None }
    }

    /// A segment joins the intervals it touches, or is a new one.
    fn extend_intervals(&mut self, mut from: i64, to: i64) {
        while let Some((begin, _)) = self.intervals.back().filter(|(_, end)| *end >= from) {
            from = from.min(*begin);
            self.intervals.pop_back();
        }
        self.intervals.push_back((from, to));
    }

    /// When the window qualifies, everything in it belongs to the episode, which lists `most` pairs.
    fn extend_episode(&mut self, most: usize) {
        if self.sum < THRESHOLD_NS || self.intervals.len() < 2 {
            return;
        }
        if self.most != most {
            self.add_taken();
            self.most = most;
        }
        let first = self.window.front().expect("sum is above zero").from;
        self.open.get_or_insert_with(|| {
            Box::new(RecurrentEpisode {
                start: first,
                end: first,
                core_ns: 0,
                peak: 0,
                waste: WasteByPair::default(),
                listed: PackedPairs::default(),
            })
        });
        self.taken = self.window.len();
    }

    /// Add to the record what belongs to the episode.
    fn add_taken(&mut self) {
        let Some(open) = &mut self.open else { return };
        let mut next = self.added_events;
        for s in self.window.range(self.added..self.taken) {
            let ns = s.to - s.from;
            open.start = open.start.min(s.from);
            open.end = open.end.max(s.to);
            open.core_ns += ns;
            let pair = open.waste.wasted(s.pair, ns, self.most);
            let Some(answers) = s.answers else { continue };
            let (mut events, n) = ([0; 3 * EVENTS_KEPT], answers.n_events());
            events[..n].iter_mut().zip(next..).for_each(|(event, at)| *event = self.events[at]);
            next += n;
            open.waste.add_short(pair, &answers, &events[..n], ns);
        }
        self.added = self.taken;
        self.added_events = next;
    }

    /// The episode is over.
    fn close(&mut self) -> Option<Box<RecurrentEpisode>> {
        self.add_taken();
        self.open.take()
    }
}
