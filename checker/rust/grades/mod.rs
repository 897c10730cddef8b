//! Grades: how long each graded lasted, and the waste made of pairs that lasted longer than τ.
//!
//! A pair (idle CPU i, waiter w) lasts by the *pair* (i, queue of w): the time, without break, in which i is usable and
//! idle and the queue holds a waiter that may use i. wasted_τ(t) is the maximum matching over pairs whose pair interval
//! is longer than τ. An interval's record is replayed once: pair intervals first, then one matching per grade over those
//! that are long enough. Pairs shorter than the smallest τ never enter a matching, so flicker costs next to nothing.

mod graded_pairs;
mod pair_filter;
mod pair_finder;
mod pair_flow;

use std::collections::BTreeSet;
use std::sync::Arc;

use graded_pairs::{GradedPairs, PairAnswers};
use pair_filter::PairFilter;

use crate::causes::answers::Question;
use crate::causes::rules::Answers;
use crate::causes::{AnswerLine, CauseAnalysis, CauseTotals, PAIRS, PackedPairs, PairLimit, SchedClass, WasteByPair};
use crate::fast_hash::FastMap;
use crate::idle_wait_pair::IdleWaitPair;
use crate::input_change::InputChange;
use crate::options::Options;
use crate::pair_segment::{PairKey, PairSegment};
use crate::topology::{CpuIx, TracedTopology};
use crate::waste_interval::{Step, WaitersByQueue};
use wastenot_schemas::grade;
use wastenot_topology::CpuBits;

/// Grades with a τ: in flight, expected, lasting, persistent (0 … 3 here; noise is what none of them holds).
pub const TIMED: usize = 4;
const EXPECTED: usize = 1;
const LASTING: usize = 2;
const PERSISTENT: usize = 3;

/// τ of the first grade where no option changes it, ns.
const IN_FLIGHT_NS: i64 = 50_000;
/// Cap of the last grade's τ, ns (the keynote's non-transient violation).
const PERSISTENT_NS: i64 = 100_000_000;

/// The record of (a part of) an interval, as `grades` needs it.
#[derive(Clone, Copy)]
pub struct Chunk<'a> {
    /// Grade from here …
    pub start: i64,
    /// Event that made the state at `start`.
    pub start_event: Option<i64>,
    /// … to here.
    pub cut: i64,
    /// End of the record; at least the largest τ beyond `cut`, unless the interval ended.
    pub known: i64,
    pub ended: bool,
    pub ops: &'a [InputChange],
    pub pairs: &'a [PairSegment],
    pub excused: &'a [Step],
    pub n_cpus: usize,
    /// State at `known`, from which the record is undone back to `start`: usable idle CPUs, waiters by queue.
    pub idle_now: &'a CpuBits,
    pub waiting: &'a WaitersByQueue,
}

/// An episode of a timed grade, done or under way.
#[derive(Clone, Debug)]
pub struct Episode {
    /// 0 … 3 as [`TIMED`].
    pub grade: usize,
    pub start: i64,
    pub end: i64,
    pub core_ns: i64,
    pub total_core_ns: i64,
    pub peak: u32,
    pub idle: BTreeSet<CpuIx>,
    pub overloaded: BTreeSet<CpuIx>,
    /// Waste by pair, and why, as long as it is under way; when it is over.
    waste: WasteByPair,
    pub listed: PackedPairs,
    /// Waste by pair of pairs that are still open: what ends them is not known yet.
    unresolved: FastMap<PairKey, i64>,
    pub excused_core_ns: i64,
    pub first_event: Option<i64>,
    pub last_event: Option<i64>,
}

/// Grades intervals.
pub struct Grades {
    topology: Arc<TracedTopology>,
    thresholds: [Option<i64>; TIMED],
    filter: PairFilter,
    open: [Option<Episode>; TIMED],
    /// ∫ wasted_τ dt per grade, core-ns.
    pub totals: [i64; TIMED],
    /// Episodes per grade.
    pub counts: [i64; TIMED],
    /// Episodes of grade expected and above.
    pub done: Vec<Episode>,
    /// Waste of all of them by answer.
    pub causes: CauseTotals,
    bound: PairLimit,
}

impl Grades {
    pub fn new(topology: Arc<TracedTopology>, options: &Options) -> Self {
        Self {
            topology,
            thresholds: options.thresholds_ns,
            filter: PairFilter::default(),
            open: [const { None }; TIMED],
            totals: [0; TIMED],
            counts: [0; TIMED],
            done: Vec::new(),
            causes: CauseTotals::default(),
            bound: PairLimit::default(),
        }
    }

    /// τ of a grade for a pair, ns; rises with the grade.
    pub fn tau(&self, grade: usize, idle: CpuIx, queue: CpuIx) -> i64 {
        let interval = || self.topology.balance_interval_ns(idle, queue);
        let persistent = || {
            self.thresholds[PERSISTENT]
                .unwrap_or_else(|| PERSISTENT_NS.min(interval().saturating_mul(3)).max(self.topology.tick_ns))
        };
        let own = match grade {
            0 => self.thresholds[0].unwrap_or(IN_FLIGHT_NS),
            EXPECTED => self.thresholds[EXPECTED].unwrap_or(self.topology.tick_ns),
            // Persistent takes precedence where its τ is the shorter one.
            LASTING => self.thresholds[LASTING].unwrap_or_else(interval).min(persistent()),
            _ => persistent(),
        };
        if grade == 0 { own } else { own.max(self.tau(grade - 1, idle, queue)) }
    }

    /// Intervals no longer than this hold nothing but noise, ns.
    pub fn shortest(&self) -> i64 {
        self.thresholds[0].unwrap_or(IN_FLIGHT_NS)
    }

    /// A bound on every τ, ns: how far behind the present a cut has to stay.
    pub fn longest(&self) -> i64 {
        let n = self.topology.len().max(1) as CpuIx;
        let widest = (0..n).map(|c| self.topology.balance_interval_ns(c, n - 1 - c)).max().unwrap_or(0);
        let set = self.thresholds.iter().flatten().copied().max().unwrap_or(0);
        widest.max(set).max(PERSISTENT_NS).max(self.topology.tick_ns)
    }

    /// Grade a chunk, and determine the causes of what lasted. Returns, for each pair segment of the chunk, whether its pair was lasting or
    /// persistent then; nothing where none was.
    pub fn grade<'a>(
        &mut self,
        chunk: &Chunk,
        allowed: impl Fn(u32) -> &'a CpuBits,
        analysis: &mut CauseAnalysis<'_>,
    ) -> Vec<bool> {
        let mut filter = std::mem::take(&mut self.filter);
        self.filter_record(&mut filter, chunk, &allowed);
        let by_grade = self.by_grade(filter.long(chunk));
        let mut listed: [Vec<Step>; TIMED] = Default::default();
        if !by_grade[EXPECTED].is_empty() {
            let finder = filter.finder(chunk);
            for g in EXPECTED..TIMED {
                listed[g] = pair_flow::matching_over_time(chunk, finder, &by_grade[g], &allowed);
            }
        }
        let steps =
            |grade: usize| if grade == 0 { filter.steps(chunk) } else { listed.get(grade).map_or(&[][..], |s| s) };
        let graded_pairs = GradedPairs::of(&by_grade);
        let on = graded_pairs.of_segments(chunk.pairs);
        let mut pair_answers = PairAnswers::new(analysis, chunk, &graded_pairs);
        for g in 0..TIMED {
            self.episodes(g, chunk, steps(g), steps(g + 1), &on, &mut pair_answers);
        }
        if chunk.ended {
            filter.clear();
        } else {
            filter.cut_before(chunk.cut);
        }
        self.filter = filter;
        if by_grade[LASTING].is_empty() {
            return Vec::new();
        }
        let mut lasted = vec![false; chunk.pairs.len()];
        let lasting = on.iter().filter(|(_, graded)| graded_pairs.grade(*graded) >= LASTING);
        lasting.for_each(|(segment, _)| lasted[*segment as usize] = true);
        lasted
    }

    /// Go through what was recorded since the last time, `chunk.start` being the start of the record.
    pub fn filter_incrementally<'a>(&mut self, chunk: &Chunk, allowed: &impl Fn(u32) -> &'a CpuBits) {
        let mut filter = std::mem::take(&mut self.filter);
        self.filter_record(&mut filter, chunk, allowed);
        self.filter = filter;
    }

    fn filter_record<'a>(&self, filter: &mut PairFilter, chunk: &Chunk, allowed: &impl Fn(u32) -> &'a CpuBits) {
        let is_long = |p: &IdleWaitPair| p.length() > self.tau(EXPECTED, p.idle, p.queue);
        filter.advance(chunk, self.shortest(), is_long, allowed);
    }

    /// Long pair intervals, by the grades whose τ they exceed.
    fn by_grade<'a>(&self, long: impl Iterator<Item = &'a IdleWaitPair>) -> [Vec<IdleWaitPair>; TIMED] {
        let mut lists: [Vec<IdleWaitPair>; TIMED] = Default::default();
        for p in long {
            let holds = |grade: &usize| p.length() > self.tau(*grade, p.idle, p.queue);
            (EXPECTED..TIMED).take_while(holds).for_each(|grade| lists[grade].push(*p));
        }
        lists
    }

    /// Extend and close the episodes of one grade with what the chunk showed; `on`: segments with their pairs.
    fn episodes(
        &mut self,
        grade: usize,
        chunk: &Chunk,
        own: &[Step],
        above: &[Step],
        on: &[(u32, u32)],
        pair_answers: &mut PairAnswers<'_, '_>,
    ) {
        let whole = integral(own, chunk.start, chunk.cut);
        self.totals[grade] += whole;
        let stretches = stretches(own, chunk.start, chunk.cut);
        // Those of the first grade are only counted.
        let counted = grade == 0;
        let graded_pairs = pair_answers.graded_pairs;
        let of_grade = || graded_pairs.iter().filter(|e| !counted && e.grade >= grade);
        let cpus = by_stretch(&stretches, of_grade().map(|e| (e.from, e.to, (e.idle, e.queue))));
        let on = on.iter().filter(|(_, graded)| !counted && graded_pairs.grade(*graded) >= grade);
        let segments = on.map(|&(segment, graded)| (&chunk.pairs[segment as usize], graded));
        let segments = by_stretch(&stretches, segments.map(|(s, graded)| (s.from, s.to, (s, graded))));
        let (mut cpus, mut segments) = (cpus.into_iter().peekable(), segments.into_iter().peekable());
        for (k, &(from, to)) in stretches.iter().enumerate() {
            let k = k as u32;
            let touching = from == chunk.start && self.open[grade].as_ref().is_some_and(|e| e.end == from);
            if !touching {
                self.close(grade);
            }
            let first_event = if from == chunk.start { chunk.start_event } else { event_at(chunk.ops, from) };
            let e = self.open[grade].get_or_insert_with(|| Episode {
                grade,
                start: from,
                end: from,
                core_ns: 0,
                total_core_ns: 0,
                peak: 0,
                idle: BTreeSet::new(),
                overloaded: BTreeSet::new(),
                waste: WasteByPair::default(),
                listed: PackedPairs::default(),
                unresolved: FastMap::default(),
                excused_core_ns: 0,
                first_event,
                last_event: None,
            });
            e.end = to;
            let total = integral(own, from, to);
            let first = own.partition_point(|s| s.from < from);
            let values = own[first..].iter().take_while(|s| s.from < to).map(|s| s.value);
            e.total_core_ns += total;
            e.core_ns += total - integral(above, from, to);
            e.peak = e.peak.max(values.max().unwrap_or(0));
            e.excused_core_ns += integral(chunk.excused, from, to);
            e.last_event = event_at(chunk.ops, to);
            while let Some((_, (idle, queue))) = cpus.next_if(|(at, _)| *at == k) {
                e.idle.insert(idle);
                e.overloaded.insert(queue);
            }
            while let Some((_, (s, graded))) = segments.next_if(|(at, _)| *at == k) {
                e.add(s, [s.from.max(from), s.to.min(to)], graded, pair_answers);
            }
        }
        if let Some(e) = &mut self.open[grade] {
            e.resolve(grade, pair_answers);
        }
        let goes_on = !chunk.ended && self.open[grade].as_ref().is_some_and(|e| e.end == chunk.cut);
        if !goes_on {
            self.close(grade);
        }
    }

    /// The episodes that are over; they are no longer listed here.
    pub fn take_done(&mut self) -> Vec<Episode> {
        self.done.iter().for_each(|e| self.bound.release(e.listed.size()));
        std::mem::take(&mut self.done)
    }

    /// An episode whose time belongs wholly to higher grades is not one of this grade.
    fn close(&mut self, grade: usize) {
        let Some(mut e) = self.open[grade].take() else { return };
        e.leave_unresolved();
        if e.core_ns == 0 {
            return;
        }
        self.counts[grade] += 1;
        if grade >= EXPECTED {
            let mut totals = self.causes.episode(e.grade_code());
            let see = |pair, ns, lines: &[AnswerLine]| totals.add(pair, ns, lines, &self.topology);
            e.listed = self.bound.close(std::mem::take(&mut e.waste), see);
            totals.finish();
            self.done.push(e);
            self.bound.enforce(self.done.iter_mut().map(|e| &mut e.listed));
        }
    }
}

impl Episode {
    /// Code of the enumeration `grade`.
    pub fn grade_code(&self) -> u8 {
        grade::IN_FLIGHT + self.grade as u8
    }

    /// A segment of a graded pair wastes a time of its own.
    fn add(&mut self, s: &PairSegment, time: [i64; 2], graded: u32, pair_answers: &mut PairAnswers<'_, '_>) {
        let ns = time[1] - time[0];
        let pair = self.waste.wasted(s.key(), ns, PAIRS);
        if pair_answers.without_causes() {
            return;
        }
        if let Some(unresolved) = self.waste.add_again(pair, pair_answers.case(s, graded), ns) {
            if unresolved {
                *self.unresolved.entry(s.key()).or_default() += ns;
            }
            return;
        }
        let traits = pair_answers.waiter_traits(s);
        self.waste.add(pair, pair_answers.placed_by(s), traits.mask_known, ns);
        if let SchedClass::Ext(number) = traits.class {
            for part in pair_answers.stays(number, time) {
                let answers = pair_answers.of_sched_ext(graded, number, part);
                self.waste.add(pair, answers, traits.mask_known, part[1] - part[0]);
            }
        } else {
            self.waste.add(pair, pair_answers.not_moved_because(graded, s, traits.class), traits.mask_known, ns);
        }
        match pair_answers.ended_by(graded) {
            Some(ended_by) => self.waste.add(pair, ended_by, traits.mask_known, ns),
            None => {
                *self.unresolved.entry(s.key()).or_default() += ns;
                self.waste.leave_open(pair);
            }
        }
    }

    /// Pairs that were open at the last cut may have ended meanwhile.
    fn resolve(&mut self, grade: usize, pair_answers: &mut PairAnswers<'_, '_>) {
        let start = pair_answers.chunk.start;
        let waste = &mut self.waste;
        self.unresolved.retain(|key, ns| {
            let (_, queue, idle) = *key;
            let Some(pair) = waste.find(*key) else { return false };
            let Some(graded) = pair_answers.graded_pairs.first(idle as CpuIx, queue as CpuIx, grade) else {
                return true;
            };
            if pair_answers.graded_pairs.from(graded) >= start {
                return true;
            }
            let Some(ended_by) = pair_answers.ended_by(graded) else { return true };
            waste.add_late(pair, ended_by, *ns);
            false
        });
    }

    /// It is over, and what ended these pairs was not seen.
    fn leave_unresolved(&mut self) {
        let unknown = Answers::unknown(Question::EndedBy);
        for (key, ns) in std::mem::take(&mut self.unresolved) {
            if let Some(pair) = self.waste.find(key) {
                self.waste.add_late(pair, &unknown, ns);
            }
        }
    }
}

/// Each item (start, end, value) with the stretches that it overlaps, in the order of the stretches.
fn by_stretch<T: Copy>(stretches: &[(i64, i64)], all: impl Iterator<Item = (i64, i64, T)>) -> Vec<(u32, T)> {
    let mut out = Vec::new();
    if stretches.is_empty() {
        return out;
    }
    for (from, to, what) in all {
        let first = stretches.partition_point(|s| s.1 <= from);
        let met = stretches[first..].iter().take_while(|s| s.0 < to).count();
        out.extend((first..first + met).map(|at| (at as u32, what)));
    }
    if stretches.len() > 1 {
        out.sort_by_key(|(at, _)| *at);
    }
    out
}

/// Event that happened at `t`, the first of several.
fn event_at(ops: &[InputChange], t: i64) -> Option<i64> {
    let at = ops.partition_point(|op| op.t < t);
    ops.get(at).filter(|op| op.t == t).map(|op| op.event)
}

/// ∫ steps dt over [from, to).
fn integral(steps: &[Step], from: i64, to: i64) -> i64 {
    let mut sum = 0;
    let first = steps.partition_point(|s| s.from <= from).saturating_sub(1);
    for (i, s) in steps.iter().enumerate().skip(first).take_while(|(_, s)| s.from < to) {
        let end = steps.get(i + 1).map_or(to, |n| n.from).min(to);
        sum += (end - s.from.max(from)).max(0) * i64::from(s.value);
    }
    sum
}

/// Maximal intervals of [start, cut) with a value of at least one.
fn stretches(steps: &[Step], start: i64, cut: i64) -> Vec<(i64, i64)> {
    let mut out: Vec<(i64, i64)> = Vec::new();
    for (i, s) in steps.iter().enumerate().filter(|(_, s)| s.value > 0) {
        let (from, to) = (s.from.max(start), steps.get(i + 1).map_or(cut, |n| n.from).min(cut));
        match out.last_mut() {
            Some(last) if last.1 == from => last.1 = to,
            _ if from < to => out.push((from, to)),
            _ => {}
        }
    }
    out
}
