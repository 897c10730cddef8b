//! From what was seen to the facts of a case, and from there to the answers of the rules.

mod idle_wait_facts;

use std::ops::Range;

use super::LlcMoves;
use super::answers::{NotMovedBecause, Proof, Question};
use super::balancer_log::{BalancerLog, EndingEvent};
use super::departures::{Departures, ends};
use super::ext_log::ExtLog;
use super::kernels::Release;
use super::pair_answers::ShortAnswers;
use super::rules::ended_by::EndFacts;
use super::rules::not_moved_because::{IdleWaitFacts, NextBalance, OwnGroups};
use super::rules::placed_by::PlacementFacts;
use super::rules::{self, Answers, DistinctAnswers, Finding};
use super::wait_origin::{SchedClass, WaitOrigin, WaiterTraits};
use crate::domain_tree::DomainTree;
use crate::fast_hash::FastMap;
use crate::idle_wait_pair::IdleWaitPair;
use crate::input_change::{ChangedInput, InputChange};
use crate::pair_segment::PairSegment;
use crate::topology::{CpuIx, TracedTopology};

/// Waste that lasts so long is persistent, ns.
const LONG_NS: i64 = 100_000_000;

/// The longest balance interval that a kernel gives a domain, per CPU (kernel/sched/topology.c: sd_init), and the longest that
/// any can have, per CPU of the machine (kernel/sched/fair.c: update_max_interval), ns.
const USUAL_PER_CPU_NS: i64 = 2_000_000;
const LONGEST_PER_CPU_NS: i64 = 100_000_000;
/// So many times the usual interval is long.
const SELDOM: i64 = 4;

/// Changes that are read to find what ended a pair.
const OPS: usize = 256;
/// Cases whose answers are remembered; arrivals, and events that ended pairs: those of a batch of segments (see
/// `recurrent`).
const REMEMBERED: usize = 1 << 10;
const ARRIVALS: usize = 1 << 13;
const ENDS: usize = 1 << 13;
/// Segments of a chunk from which on it pays to remember answers by pair.
const MANY: usize = 1 << 9;

/// Answers to what has been asked already. Rules are functions of their facts: equal facts have equal answers.
#[derive(Default)]
pub struct AnswerCache {
    /// By arrival of the chunk, and whether the idle CPU was gained since: all answers; the best one alone.
    placed: ChunkCache<Answers, ARRIVALS>,
    best_placed: ChunkCache<Finding, ARRIVALS>,
    /// Of pairs beside which the balancer was not seen.
    not_moved: FastMap<UnobservedFacts, Answers>,
    latest_not_moved: Option<(UnobservedFacts, Answers)>,
    /// Where no evidence of the balancer was recorded.
    by_pair: Option<AnswersByPair>,
    departures: Departures,
    /// By place in the record of an event that ended pairs, alone at its instant: all answers; the best one alone.
    ended: ChunkCache<Answers, ENDS>,
    best_ended: ChunkCache<Finding, ENDS>,
    /// The instant of the last query, and the first change then or later.
    latest: (i64, usize),
    /// Answers that hold for the latest caller.
    last: Option<Answers>,
}

/// Answers by pair where nothing of the balancer was recorded ([`BalancerLog::is_empty`]): for each pair they depend only on
/// how long it lasted.
#[derive(Default)]
struct AnswersByPair {
    pairs: FastMap<(CpuIx, CpuIx), KnownPair>,
    given: DistinctAnswers,
}

/// A pair of an idle CPU and a queue.
#[derive(Clone, Copy)]
struct KnownPair {
    /// It is old from then on, ns.
    old_ns: i64,
    /// Places of the answers, see [`KnownPair::case`].
    answers: [u16; 8],
}

impl KnownPair {
    /// The case was not met yet.
    const NOT_MET: u16 = u16::MAX;

    /// The case of a pair that lasted for so long: whether it is old, whether it outlasted `long_ns`, and whether waste has lasted long.
    fn case(old_ns: i64, ns: i64, long_ns: i64, lasted_long: bool) -> usize {
        usize::from(ns > old_ns) << 2 | usize::from(ns > long_ns) << 1 | usize::from(lasted_long)
    }
}

/// The latest values by place in the record of a chunk, `N` at most.
struct ChunkCache<T, const N: usize> {
    /// Number of the chunk, the place, the value.
    entries: Vec<Option<(u64, usize, T)>>,
    chunk: u64,
}

impl<T, const N: usize> Default for ChunkCache<T, N> {
    fn default() -> Self {
        Self { entries: Vec::new(), chunk: 0 }
    }
}

impl<T, const N: usize> ChunkCache<T, N> {
    /// Forget all.
    fn begin(&mut self) {
        self.chunk += 1;
    }

    fn get(&self, place: usize) -> Option<&T> {
        match self.entries.get(place % N) {
            Some(Some((chunk, of, value))) if (*chunk, *of) == (self.chunk, place) => Some(value),
            _ => None,
        }
    }

    fn insert(&mut self, place: usize, value: T) -> &T {
        let at = place % N;
        if at >= self.entries.len() {
            self.entries.resize_with((at + 1).next_power_of_two(), || None);
        }
        &self.entries[at].insert((self.chunk, place, value)).2
    }
}

/// The facts of an idle–waiting pair where nothing of the balancer was seen while the pair lasted.
type UnobservedFacts = (u8, u32, bool, Option<i16>, Option<i64>, Option<bool>);

/// Where in a chunk's record a pair ended: all changes at that instant, the first being one by which it ended.
/// Empty: the end was not seen.
struct PairEnd {
    changes: Range<usize>,
}

impl PairEnd {
    /// Place of the change by which it ended, where that is the only one at its instant: all pairs that it ended
    /// have the same answer.
    fn alone(&self) -> Option<usize> {
        (self.changes.len() == 1).then_some(self.changes.start)
    }
}

/// Answers the three questions about the times of waste of a chunk.
pub struct CauseAnalysis<'a> {
    pub balancer_log: &'a BalancerLog,
    pub llc_moves: &'a LlcMoves,
    pub topology: &'a TracedTopology,
    pub release: Option<Release>,
    /// End of the recording.
    pub end_ns: i64,
    /// From when on some core was wasted without break; the latest that is known where that was long ago.
    pub wasting_since: i64,
    /// Causes are not wanted.
    pub without_causes: bool,
    /// The chunk's changes, and the arrivals of its pairs.
    pub ops: &'a [InputChange],
    pub origins: &'a [WaitOrigin],
    pub cache: &'a mut AnswerCache,
}

impl CauseAnalysis<'_> {
    /// Forget what holds for one chunk only. Call before asking about another, which has so many segments.
    pub fn begin(&mut self, segments: usize) {
        if !self.without_causes {
            self.cache.placed.begin();
            self.cache.best_placed.begin();
            self.cache.ended.begin();
            self.cache.best_ended.begin();
            self.cache.latest = (i64::MIN, 0);
            self.cache.departures.begin(self.ops, self.topology.len());
            let worth = segments >= MANY && self.balancer_log.is_empty();
            self.cache.by_pair = worth.then(AnswersByPair::default);
        }
    }

    /// Number of the chunk.
    pub fn batch(&self) -> u32 {
        self.cache.placed.chunk as u32
    }

    /// How the thread came to be queued where it is.
    pub fn wait_origin(&self, s: &PairSegment) -> &WaitOrigin {
        &self.origins[s.origin as usize]
    }

    /// How the thread came to wait where an idle CPU was beside it.
    pub fn placed_by(&mut self, s: &PairSegment) -> &Answers {
        let (gained, place) = self.gained(s);
        if self.cache.placed.get(place).is_some() {
            return self.cache.placed.get(place).expect("just met");
        }
        let case = self.placement(s, gained);
        let answers = rules::ask(Question::PlacedBy, rules::placed_by::RULES, &case, self.release, false);
        self.cache.placed.insert(place, answers)
    }

    /// The best of these answers.
    fn best_placed_by(&mut self, s: &PairSegment) -> Finding {
        let (gained, place) = self.gained(s);
        if let Some(best) = self.cache.best_placed.get(place) {
            return *best;
        }
        let best = rules::placed_by::best(&self.placement(s, gained), self.release);
        self.cache.best_placed.insert(place, best);
        best
    }

    /// The event by which the thread gained the idle CPU where it waits, and a number that arrivals with the same facts share: the idle
    /// CPU matters only there.
    fn gained(&self, s: &PairSegment) -> (Option<i64>, usize) {
        let widened = self.origins[s.origin as usize].widened;
        let gained = if widened { self.balancer_log.gained(s.utid, s.idle) } else { None };
        (gained, (s.origin as usize) << 1 | usize::from(gained.is_some()))
    }

    /// The facts of the thread's placement.
    fn placement(&self, s: &PairSegment, gained: Option<i64>) -> PlacementFacts {
        let origin = &self.origins[s.origin as usize];
        let WaitOrigin { arrival, made_wait_by, traits: WaiterTraits { class, ext_place, .. }, .. } = *origin;
        PlacementFacts { arrival, made_wait_by, in_place: origin.in_place(), gained, class, ext_place }
    }

    /// Why no CPU moved a thread of that class from the queue to the idle CPU while both lasted.
    pub fn not_moved_because(&mut self, s: IdleWaitPair, class: SchedClass) -> &Answers {
        if class != SchedClass::Fair || self.cache.by_pair.is_none() {
            return self.not_moved_by_facts(s, class);
        }
        let case = |old_ns| KnownPair::case(old_ns, s.to - s.from, self.long_ns(), self.lasted_long(s));
        let known = |by_pair: &AnswersByPair| {
            let pair = by_pair.pairs.get(&(s.idle, s.queue))?;
            Some(pair.answers[case(pair.old_ns)]).filter(|&place| place != KnownPair::NOT_MET)
        };
        let place = self.cache.by_pair.as_ref().and_then(known);
        let place = place.unwrap_or_else(|| self.ask_by_pair(s));
        #[cfg(debug_assertions)]
        {
            let asked = *self.not_moved_by_facts(s, class);
            let given = self.cache.by_pair.as_ref().map(|by_pair| by_pair.given.get(place.into()));
            assert_eq!(given, Some(&asked), "{s:?}");
        }
        self.cache.by_pair.as_ref().expect("there are some").given.get(place.into())
    }

    /// The place of the answers among those that are remembered by pair.
    fn ask_by_pair(&mut self, s: IdleWaitPair) -> u16 {
        let known = self.balancer_log.domains(s.from);
        let tree = known.tree();
        let at = tree.and_then(|tree| tree.common(s.idle, s.queue));
        let old_ns = 2 * self.interval(s, tree.zip(at));
        let case = KnownPair::case(old_ns, s.to - s.from, self.long_ns(), self.lasted_long(s));
        let answers = *self.not_moved_by_facts(s, SchedClass::Fair);
        let by_pair = self.cache.by_pair.as_mut().expect("there are some");
        if by_pair.given.size() == usize::from(KnownPair::NOT_MET) {
            *by_pair = AnswersByPair::default();
        }
        let place = by_pair.given.place(&answers) as u16;
        let pair =
            by_pair.pairs.entry((s.idle, s.queue)).or_insert(KnownPair { old_ns, answers: [KnownPair::NOT_MET; 8] });
        pair.answers[case] = place;
        place
    }

    /// The balance interval of a pair with that common domain, ns.
    fn interval(&self, s: IdleWaitPair, common: Option<(&DomainTree, usize)>) -> i64 {
        match common {
            Some((tree, at)) => tree.of(s.idle)[at].max_interval_ns.min(self.cap_ns()).max(self.topology.tick_ns),
            None => self.topology.balance_interval_ns(s.idle, s.queue),
        }
    }

    /// Waste had lasted long as the pair ended.
    fn lasted_long(&self, s: IdleWaitPair) -> bool {
        s.to.saturating_sub(self.wasting_since) > LONG_NS
    }

    /// No interval is longer (kernel: max_load_balance_interval), ns.
    fn cap_ns(&self) -> i64 {
        LONGEST_PER_CPU_NS * self.topology.len() as i64
    }

    /// An interval beyond this is long, whichever domain has it, ns.
    fn long_ns(&self) -> i64 {
        SELDOM * USUAL_PER_CPU_NS * self.topology.len() as i64
    }

    fn not_moved_by_facts(&mut self, s: IdleWaitPair, class: SchedClass) -> &Answers {
        let facts = self.facts(s, class);
        match unobserved(&facts) {
            Some(key) => self.not_moved_unobserved(key, &facts),
            None => self.cache.last.insert(facts.answers(self.release)),
        }
    }

    /// The same where nothing of the balancer was seen while the pair lasted.
    fn not_moved_unobserved(&mut self, key: UnobservedFacts, facts: &IdleWaitFacts) -> &Answers {
        let AnswerCache { not_moved, latest_not_moved: latest, .. } = &mut *self.cache;
        if latest.as_ref().is_none_or(|(of, _)| *of != key) {
            if not_moved.len() >= REMEMBERED {
                not_moved.clear();
            }
            *latest = Some((key, *not_moved.entry(key).or_insert_with(|| facts.answers(self.release))));
        }
        &latest.as_ref().expect("just asked").1
    }

    /// The best of these answers alone.
    fn best_not_moved_because(&mut self, s: IdleWaitPair, class: SchedClass) -> Finding {
        if class == SchedClass::Fair && self.cache.by_pair.is_some() {
            return self.not_moved_because(s, class).best();
        }
        let facts = self.facts(s, class);
        match unobserved(&facts) {
            Some(key) => self.not_moved_unobserved(key, &facts).best(),
            None => facts.best_answer(self.release),
        }
    }

    /// Why no CPU moved a thread of sched_ext with that number, which waited there in a part of the pair's time.
    pub fn not_moved_by_sched_ext(&mut self, s: IdleWaitPair, number: u32, part: [i64; 2]) -> &Answers {
        let facts = self.facts_of_sched_ext(s, number, part);
        self.cache.last.insert(facts.answers(self.release))
    }

    /// What sched_ext schedulers decided.
    pub fn ext_log(&self) -> &ExtLog {
        &self.balancer_log.ext
    }

    /// What ended, at or soon after `t`, that an idle CPU was beside a queue. (Where the canonical matching gave the thread
    /// another CPU meanwhile, the two stayed beside each other.)
    pub fn ended_by(&mut self, s: IdleWaitPair, t: i64, at_end: bool) -> &Answers {
        let end = self.end(s, t);
        if let Some(place) = end.alone().filter(|&place| self.cache.ended.get(place).is_some()) {
            return self.cache.ended.get(place).expect("just met");
        }
        let (case, same_for_all) = self.end_facts(s, &end, at_end);
        let answers = rules::ask(Question::EndedBy, rules::ended_by::RULES, &case, self.release, false);
        match same_for_all {
            Some(place) => self.cache.ended.insert(place, answers),
            None => self.cache.last.insert(answers),
        }
    }

    /// The best of these answers.
    fn best_ended_by(&mut self, s: IdleWaitPair, t: i64, at_end: bool) -> Finding {
        let end = self.end(s, t);
        if let Some(best) = end.alone().and_then(|place| self.cache.best_ended.get(place)) {
            return *best;
        }
        let (case, same_for_all) = self.end_facts(s, &end, at_end);
        let best = rules::ended_by::best(&case, self.release);
        if let Some(place) = same_for_all {
            self.cache.best_ended.insert(place, best);
        }
        best
    }

    /// The changes at which a pair ended, at or soon after `t`.
    fn end(&mut self, s: IdleWaitPair, t: i64) -> PairEnd {
        let first = self.first_change(t);
        let last = self.ops.len().min(first + OPS);
        let at_once = self.ops.get(first).is_some_and(|op| ends(op, s.idle, s.queue));
        let next = || self.cache.departures.next(self.ops, s.idle, s.queue, first..last);
        let Some(began) = at_once.then_some(first).or_else(next) else { return PairEnd { changes: 0..0 } };
        let at = self.ops[began].t;
        let later = self.ops[began + 1..last].iter().take_while(|op| op.t == at).count();
        PairEnd { changes: began..began + 1 + later }
    }

    /// The facts of that end, and its place in the record where they are the same for all pairs that ended then.
    fn end_facts(&self, s: IdleWaitPair, end: &PairEnd, at_end: bool) -> (EndFacts, Option<usize>) {
        if end.changes.is_empty() {
            return (EndFacts { at_end, ..EndFacts::default() }, None);
        }
        let mut case = EndFacts::default();
        for op in self.ops[end.changes.clone()].iter().filter(|op| !op.added) {
            match op.what {
                ChangedInput::Cpu(cpu) if cpu == s.idle => case.cpu_taken = true,
                ChangedInput::Waiter { queue, .. } if queue == s.queue => case.waiter_gone = true,
                _ => continue,
            }
            // Of several events at one instant, one that is not a switch is more specific.
            if case.event.is_none() || case.ending.is_none() {
                (case.event, case.ending) = (Some(op.event), self.balancer_log.ending_of(op.event));
            }
        }
        if let (Some(event), Some(EndingEvent::Interrupt(until))) = (case.event, case.ending) {
            if let Some((event, ending)) = self.balancer_log.pulled(event, s.queue, s.idle, until) {
                (case.event, case.ending) = (Some(event), Some(ending));
            }
            return (case, None);
        }
        (case, end.alone())
    }

    /// Place of the first change at or after `t`, found quickly where `t` is shortly after the previous query.
    fn first_change(&mut self, t: i64) -> usize {
        let (before, from) = self.cache.latest;
        let from = if before <= t { from } else { 0 };
        let later = &self.ops[from..];
        let mut reach = 1;
        while later.get(reach - 1).is_some_and(|op| op.t < t) {
            reach *= 2;
        }
        let (near, far) = (reach / 2, later.len().min(reach));
        let first = from + near + later[near..far].partition_point(|op| op.t < t);
        self.cache.latest = (t, first);
        first
    }

    /// The best answers about a short wait, whose pair may have lasted no longer than itself; None: causes are not wanted.
    /// The events that they rest on are appended.
    pub fn short(&mut self, s: &PairSegment, events: &mut Vec<i64>) -> Option<ShortAnswers> {
        if self.without_causes {
            return None;
        }
        let pair = IdleWaitPair { idle: s.idle, queue: s.queue, from: s.from, to: s.to };
        let WaiterTraits { class, mask_known, .. } = self.wait_origin(s).traits;
        let mut answers = ShortAnswers::default();
        let mut set = |question, f: Finding| {
            answers.set(question, &f.with_decisive(f.decisive && mask_known), events);
        };
        set(Question::PlacedBy, self.best_placed_by(s));
        let mut not_moved_because = self.best_not_moved_because(pair, class);
        if let SchedClass::Ext(number) = class
            && not_moved_because.proof == Proof::Proved
            && not_moved_because.answer != NotMovedBecause::SchedExt.into()
            && self.ext_log().stays(number, [s.from, s.to]).len() > 1
            && !(not_moved_because.answer == NotMovedBecause::ExtNotGranted.into()
                && self.ext_log().stayed_with_one(number, [s.from, s.to]))
        {
            not_moved_because.proof = Proof::Consistent; // true of most of the wait
        }
        set(Question::NotMovedBecause, not_moved_because);
        set(Question::EndedBy, self.best_ended_by(pair, s.to, s.to >= self.end_ns));
        Some(answers)
    }
}

/// The facts of a pair in short, where nothing of the balancer was seen while it lasted.
fn unobserved(e: &IdleWaitFacts) -> Option<UnobservedFacts> {
    #[rustfmt::skip] // every field, so that a new one is not passed over
    let IdleWaitFacts {
        domains, has_common_domain, level, grouped_together, hidden_by_groups, first_left_to_others, own_groups, smaller, interval_is_long, is_old, lasted_long, pair_lasted_long, far, crossed, moves_within,
        reports_attempts, counted, readings, went_idle_beside, entry, no_newidle_counted, push_failed, ref attempts, found_before, level_leaves_waiters, attempted_for_idle, next_balance, next_balance_read, kicked, late_kick, reports_kicks, stopped, ext, ext_wait, ext_nowhere, realtime,
    } = *e;
    let counted = counted || no_newidle_counted.is_some() || push_failed || readings != [None; 2];
    let seen = ext_wait.is_some()
        || realtime.is_some()
        || late_kick.is_some()
        || entry.is_some()
        || stopped.is_some()
        || next_balance_read.is_some()
        || own_groups != OwnGroups::default()
        || first_left_to_others.is_some()
        || counted;
    if seen || attempts.over > 0 || attempts.without_domain || attempts.earlier || attempts.left_to_another {
        return None;
    }
    #[rustfmt::skip]
    let flags = [
        has_common_domain, grouped_together, smaller, interval_is_long, is_old, lasted_long, far, crossed, reports_attempts, went_idle_beside, kicked, reports_kicks, ext, ext_nowhere, found_before, level_leaves_waiters,
        next_balance == NextBalance::NotKnown, attempted_for_idle, pair_lasted_long,
    ];
    let flags = flags.into_iter().enumerate().map(|(bit, flag)| u32::from(flag) << bit).sum();
    Some((domains as u8, flags, attempts.by_idle, level, moves_within, hidden_by_groups))
}
