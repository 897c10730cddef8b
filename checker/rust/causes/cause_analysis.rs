//! From what was seen to the facts of a case, and from there to the answers of the rules.

use std::ops::Range;

use super::LlcMoves;
use super::answers::Question;
use super::balance_attempt::{AttemptResult, BalanceAttempt, is_newly_idle};
use super::balancer_log::{BalancerLog, EndingEvent};
use super::departures::{Departures, ends};
use super::domains::{GROUPS_OF_EACH, KnownDomains, built_together};
use super::kernels::Release;
use super::pair_answers::ShortAnswers;
use super::rules::ended_by::EndFacts;
use super::rules::not_moved_because::{
    AttemptCount, AttemptOutcome, AttemptSummary, DomainSource, IdleWaitFacts, OwnGroups,
};
use super::rules::placed_by::PlacementFacts;
use super::rules::{self, Answers, DistinctAnswers, Finding};
use super::wait_origin::{SchedClass, WaitOrigin, WaiterTraits};
use crate::domain_tree::DomainTree;
use crate::fast_hash::FastMap;
use crate::idle_wait_pair::IdleWaitPair;
use crate::input_change::{ChangedInput, InputChange};
use crate::pair_segment::PairSegment;
use crate::topology::{CpuIx, TracedTopology};
use wastenot_schemas::idle_type;
use wastenot_topology::{CpuBits, Distance};

/// Waste that lasts so long is persistent, ns.
const LONG_NS: i64 = 100_000_000;

/// The longest balance interval that a kernel gives a domain, per CPU (kernel/sched/topology.c: sd_init), and the longest that
/// any can have, per CPU of the machine (kernel/sched/fair.c: update_max_interval), ns.
const USUAL_PER_CPU_NS: i64 = 2_000_000;
const LONGEST_PER_CPU_NS: i64 = 100_000_000;
/// Attempts so many balance intervals before a pair say what its group found lately.
const BEFORE: i64 = 16;
/// The longest time until the next attempt after ones that met pinned threads: twice MAX_PINNED_INTERVAL, which is 512 ms, ns.
const PINNED_NS: i64 = 1_024_000_000;
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
type UnobservedFacts = (u8, u16, bool, Option<i16>, Option<i64>, Option<bool>);

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
        set(Question::NotMovedBecause, self.best_not_moved_because(pair, class));
        set(Question::EndedBy, self.best_ended_by(pair, s.to, s.to >= self.end_ns));
        Some(answers)
    }

    #[inline(never)] // so that the result is built in place, not copied
    fn facts(&self, s: IdleWaitPair, class: SchedClass) -> IdleWaitFacts {
        let w = self.balancer_log;
        let (since, changed) = w.domains.mostly(s.from, s.to, (s.idle, s.queue));
        let known = match w.domains(since) {
            KnownDomains::Exact(tree) if changed => KnownDomains::Derived(tree),
            known => known,
        };
        let tree = known.tree();
        let at = tree.and_then(|tree| tree.common(s.idle, s.queue));
        let interval = self.interval(s, tree.zip(at));
        let went_idle = w.idle_entry(s.idle, s.from);
        let entry = went_idle.filter(|_| w.reports_newidle);
        let mut facts = IdleWaitFacts {
            domains: match known {
                KnownDomains::No => DomainSource::Unknown,
                KnownDomains::Derived(_) => DomainSource::Derived,
                KnownDomains::Exact(_) => DomainSource::Exact,
            },
            has_common_domain: at.is_some(),
            level: tree.zip(at).map(|(tree, at)| tree.of(s.idle)[at].number),
            grouped_together: false,
            hidden_by_groups: tree.zip(at).and_then(|(tree, at)| tree.of(s.idle)[at].hides(s.idle, s.queue)),
            first_left_to_others: None,
            own_groups: OwnGroups::default(),
            smaller: self.capacity(s.idle) < self.capacity(s.queue),
            interval_is_long: tree.zip(at).is_some_and(|(tree, at)| self.interval_is_long(s, tree, at)),
            is_old: s.to - s.from > 2 * interval,
            lasted_long: self.lasted_long(s),
            far: self.topology.distance(s.idle, s.queue) > Distance::Llc,
            crossed: self.llc_moves.any_between(s.idle, s.queue),
            moves_within: self
                .llc_moves
                .within(s.idle, self.wasting_since)
                .or(self.llc_moves.within(s.queue, self.wasting_since)),
            reports_attempts: w.reports_attempts,
            counted: false,
            readings: [None; 2],
            went_idle_beside: entry.is_some_and(|e| e.t == s.from),
            entry,
            no_newidle_counted: None,
            push_failed: false,
            attempts: AttemptSummary::default(),
            found_before: false,
            level_leaves_waiters: tree
                .zip(at)
                .is_some_and(|(tree, at)| w.mostly_leaves_waiters(tree.of(s.idle)[at].number)),
            kicked: w.was_kicked(s.from, s.to),
            late_kick: w.late_kick(s.from, s.to),
            reports_kicks: w.reports_kicks,
            stopped: w.stopper_between(s.queue, s.from, s.to),
            ext: matches!(class, SchedClass::Ext(_)),
            ext_wait: match class {
                SchedClass::Ext(number) => w.ext.wait(number, s, &w.realtime_runs),
                SchedClass::Fair | SchedClass::Realtime => None,
            },
            realtime: (class == SchedClass::Realtime).then(|| w.realtime_runs.mostly(s.queue, s.from, s.to)),
        };
        self.attempts(s, known, at, &mut facts.attempts);
        facts.attempts.few = facts.is_old && self.are_few(s, known, at, interval, &facts.attempts);
        if !facts.is_old {
            self.earlier_attempts(s, known, at, BEFORE * interval, &mut facts.attempts);
        }
        if facts.attempts.over == 0
            && !facts.attempts.earlier
            && !facts.attempts.without_domain
            && let Some(pinned) = self.last_was_pinned(s, known, at, interval)
        {
            facts.attempts.earlier = true;
            note(&mut facts.attempts, &BalanceAttempt { seen: false, searched: false, ..pinned }, s, true);
        }
        if refused_all_as_hot(&facts.attempts) {
            facts.attempts.others_before = self.others_before(s, known, at, BEFORE * interval);
        }
        if facts.is_old && facts.attempts.over == 0 && !facts.attempts.earlier {
            let mut before = AttemptSummary::default();
            self.earlier_attempts(s, known, at, BEFORE * interval, &mut before);
            facts.found_before = before.earlier;
        }
        if !facts.reports_attempts {
            self.count(&mut facts, s, known, at, 2 * interval);
            let since = went_idle.filter(|e| e.t == s.from && !w.reports_newidle);
            if let Some((level, went)) = facts.level.zip(since) {
                let reading = w.readings.no_newidle(s.idle, level, went.t);
                facts.no_newidle_counted = reading.map(|reading| [went.event, reading]);
            }
            facts.interval_is_long &= i64::from(facts.attempts.over) * self.long_ns() < s.to - s.from;
        }
        if facts.attempts.left_to_another {
            facts.first_left_to_others = tree.zip(at).and_then(|(tree, at)| self.first_left_to_others(s, tree, at));
        }
        if self.release.is_some_and(|release| release < GROUPS_OF_EACH) {
            let numa = tree.zip(at).filter(|&(tree, at)| tree.of(s.idle)[at].is_numa());
            facts.grouped_together = numa
                .is_some_and(|(tree, at)| built_together(self.topology, &tree.of(s.idle)[at].span, s.idle, s.queue));
            if facts.grouped_together {
                facts.own_groups = numa.map(|(tree, at)| self.own_groups(s, tree, at)).unwrap_or_default();
            }
        }
        facts
    }

    /// Attempts are not recorded: the kernel's counters show whether there were some, or none for longer than `due`.
    fn count(&self, facts: &mut IdleWaitFacts, s: IdleWaitPair, known: KnownDomains<'_>, at: Option<usize>, due: i64) {
        let Some((tree, at)) = known.tree().zip(at) else { return };
        let common = tree.of(s.idle)[at].number;
        let mine = |cpu| cpu == s.idle || tree.in_own_group(s.idle, at, cpu);
        let counts = self.balancer_log.readings.between(s.from, s.to, |c| c.level == common && mine(c.cpu));
        facts.counted = counts.over > 0 || counts.none_ns > due;
        facts.reports_attempts = facts.counted;
        facts.readings = counts.readings;
        facts.attempts.over = counts.over;
        facts.push_failed = self.balancer_log.readings.failed_to_push(s.idle, common, s.from, s.to);
        facts.attempts.by_idle = counts.by_idle > 0 || counts.idle_none_ns <= due;
        let [first, last] = counts.readings;
        let any = AttemptCount { count: counts.over, first, last, ..AttemptCount::default() };
        if any != AttemptCount::default() {
            *facts.attempts.of_outcome_mut(AttemptOutcome::Any) = any;
        }
    }

    /// What attempts over the domain at place `at` counted to the group that they balanced for. Groups are each CPU's own: only a CPU
    /// that has the same domain below has that of the idle CPU.
    fn own_groups(&self, s: IdleWaitPair, tree: &DomainTree, at: usize) -> OwnGroups {
        let has_both = |group: &CpuBits| group.contains(u32::from(s.idle)) && group.contains(u32::from(s.queue));
        let domain = |cpu: CpuIx| tree.of(cpu).get(at).map(|d| (d.number, &d.span));
        let below = |cpu: CpuIx| at.checked_sub(1).map(|below| &tree.of(cpu)[below].span);
        let mut found = OwnGroups::default();
        for ((dst, number), (event, group)) in &self.balancer_log.own_groups {
            if domain(*dst).is_none_or(|d| d.0 != *number || Some(d) != domain(s.idle)) {
                continue;
            }
            let both = has_both(group);
            if below(*dst) == below(s.idle) {
                found.seen_apart |= !both;
                found.seen = found.seen.or(both.then_some(*event));
            }
            found.of_some = found.of_some.or(both.then_some(*event));
        }
        found
    }

    /// Events of two attempts over the domain: one that the first CPU of those with the idle CPU's smaller domain, idle itself, left to
    /// another CPU as it left all, and one that a CPU with another smaller domain made. Groups that overlap are balanced by the first
    /// idle CPU whose smaller domain is the group (build_balance_mask, should_we_balance).
    fn first_left_to_others(&self, s: IdleWaitPair, tree: &DomainTree, at: usize) -> Option<[i64; 2]> {
        let domain = &tree.of(s.idle)[at];
        if !domain.is_numa() || self.release.is_none_or(|release| release < GROUPS_OF_EACH) {
            return None;
        }
        let below = |cpu: CpuIx| {
            let at = tree.of(cpu).iter().position(|d| d.number == domain.number)?;
            at.checked_sub(1).map(|below| &tree.of(cpu)[below].span)
        };
        let own = below(s.idle)?;
        let (alike, others): (Vec<CpuIx>, Vec<CpuIx>) =
            domain.span.iter().map(|cpu| cpu as CpuIx).partition(|&cpu| below(cpu) == Some(own));
        let first = *alike.first()?;
        let overlaps = own.iter().any(|cpu| below(cpu as CpuIx) != Some(own));
        let has_sibling = alike[1..].iter().any(|&cpu| self.topology.distance(first, cpu) == Distance::Smt);
        if !overlaps || has_sibling {
            return None;
        }
        let periodic = |cpu: CpuIx| {
            let over = self.balancer_log.attempts.over(cpu, domain.number, s.from, s.to);
            over.filter(|attempt| attempt.idle == idle_type::IDLE)
        };
        let made = |attempt: &&BalanceAttempt| attempt.result != AttemptResult::LeftToAnother;
        if alike.iter().any(|&cpu| periodic(cpu).any(|attempt| made(&attempt))) {
            return None;
        }
        let left = periodic(first).next()?.event;
        let by_others = others.iter().find_map(|&cpu| periodic(cpu).find(made))?.event;
        Some([left, by_others])
    }

    fn capacity(&self, cpu: CpuIx) -> u32 {
        self.topology.cpu(cpu).capacity
    }

    /// No interval is longer (kernel: max_load_balance_interval), ns.
    fn cap_ns(&self) -> i64 {
        LONGEST_PER_CPU_NS * self.topology.len() as i64
    }

    /// An interval beyond this is long, whichever domain has it, ns.
    fn long_ns(&self) -> i64 {
        SELDOM * USUAL_PER_CPU_NS * self.topology.len() as i64
    }

    /// The domain's interval is far beyond the kernel's default, and no CPU made attempts over it more often
    /// than that interval says.
    fn interval_is_long(&self, s: IdleWaitPair, tree: &DomainTree, at: usize) -> bool {
        let domain = &tree.of(s.idle)[at];
        let interval = domain.min_interval_ns.unwrap_or(0).min(self.cap_ns());
        if interval <= self.long_ns() || s.to - s.from <= self.long_ns() {
            return false;
        }
        let attempts = &self.balancer_log.attempts;
        let is_rare = |cpu| attempts.count(cpu, domain.number, s.from, s.to) as i64 * self.long_ns() < s.to - s.from;
        !attempts.any_without_domain(s.from, s.to) && (0..self.topology.len() as CpuIx).all(is_rare)
    }

    /// Add up the attempts made while the pair lasted, as far as they concern it.
    fn attempts(&self, s: IdleWaitPair, known: KnownDomains<'_>, at: Option<usize>, out: &mut AttemptSummary) {
        let log = &self.balancer_log.attempts;
        if log.is_empty() {
            return;
        }
        out.by_idle = log.any_by_idle(s.from, s.to);
        out.without_domain = log.any_without_domain(s.from, s.to);
        let Some((tree, at)) = known.tree().zip(at) else { return };
        let number = tree.of(s.idle)[at].number;
        let mut add = |cpu| {
            let same_group =
                || tree.of(cpu).get(at).is_some_and(|d| d.number == number) && tree.same_group(cpu, s.idle, at);
            for attempt in log.over(cpu, number, s.from, s.to) {
                if attempt.result == AttemptResult::LeftToAnother {
                    out.left_to_another = true;
                    continue;
                }
                out.over += 1;
                note(out, attempt, s, attempt.dst == s.idle || attempt.pinned_for_group && same_group());
            }
        };
        add(s.idle);
        tree.own_group(s.idle, at).filter(|&cpu| cpu != s.idle).for_each(add);
    }

    /// Less than a quarter of the attempts that were due were made, none of which found what the next one would have found too.
    fn are_few(
        &self,
        s: IdleWaitPair,
        known: KnownDomains<'_>,
        at: Option<usize>,
        interval: i64,
        made: &AttemptSummary,
    ) -> bool {
        let Some((tree, at)) = known.tree().zip(at) else { return false };
        let left = made.of_outcome(AttemptOutcome::Any).count;
        if made.over == 0 || made.without_domain || left != made.of_outcome(AttemptOutcome::Refused).of_all {
            return false;
        }
        let (log, number) = (&self.balancer_log.attempts, tree.of(s.idle)[at].number);
        let others = || tree.own_group(s.idle, at).filter(|&cpu| cpu != s.idle);
        let group = || std::iter::once(s.idle).chain(others());
        let from = group().map(|cpu| log.read_from(cpu, number, s.from, s.to)).max().unwrap_or(s.from);
        let attempts = group().flat_map(|cpu| log.over(cpu, number, from, s.to));
        let count = attempts.filter(|attempt| attempt.result != AttemptResult::LeftToAnother).count() as i64;
        count.saturating_mul(4 * interval) < s.to - from
    }

    /// The last attempt for the group over the common domain that a CPU made which was idle already, where it met a queue of pinned
    /// threads: each such attempt doubles the time until the next of that CPU (load_balance, sched_balance_rq from 6.10:
    /// MAX_PINNED_INTERVAL), which is not over as the pair ends.
    fn last_was_pinned(
        &self,
        s: IdleWaitPair,
        known: KnownDomains<'_>,
        at: Option<usize>,
        interval: i64,
    ) -> Option<BalanceAttempt> {
        let (tree, at) = known.tree().zip(at)?;
        let group = (tree.first_of_own_group(s.idle, at), tree.of(s.idle)[at].number);
        let attempts = self.balancer_log.earlier.before(group, s.from, PINNED_NS);
        let periodic = || attempts.clone().filter(|attempt| !is_newly_idle(attempt.idle));
        let last = *periodic().next()?;
        let backed_off = periodic().take_while(|attempt| attempt.backs_off && attempt.dst == last.dst).count();
        // Attempts are known for a second: what lay between the last two, or since waste began, is doubled too.
        let gap = last.t - periodic().nth(1).map_or(self.wasting_since, |before| before.t);
        let due = interval.saturating_mul(1 << backed_off.min(16)).max(2 * gap).min(PINNED_NS);
        (backed_off > 0 && s.to <= last.until + due).then_some(last)
    }

    /// One of the last attempts for the group over the common domain that ended in the `reach` ns before the pair left a waiter, and
    /// not as cache-hot.
    fn others_before(&self, s: IdleWaitPair, known: KnownDomains<'_>, at: Option<usize>, reach: i64) -> bool {
        let Some((tree, at)) = known.tree().zip(at) else { return false };
        let group = (tree.first_of_own_group(s.idle, at), tree.of(s.idle)[at].number);
        let before = self.balancer_log.earlier.before(group, s.from, reach);
        let mut results = before.map(|attempt| attempt.result);
        results.any(|result| result.left_a_waiter() && !matches!(result, AttemptResult::Refused(..)))
    }

    /// Where no attempt over the common domain was made while the pair lasted, what the last ones in the `reach` ns before it
    /// concluded: nothing where at least half of them moved threads.
    fn earlier_attempts(
        &self,
        s: IdleWaitPair,
        known: KnownDomains<'_>,
        at: Option<usize>,
        reach: i64,
        out: &mut AttemptSummary,
    ) {
        let Some((tree, at)) = known.tree().zip(at) else { return };
        if out.over > 0 || out.without_domain {
            return;
        }
        let group = (tree.first_of_own_group(s.idle, at), tree.of(s.idle)[at].number);
        let (mut moved, mut earlier) = (0, out.clone());
        earlier.earlier = true;
        for attempt in self.balancer_log.earlier.before(group, s.from, reach) {
            moved += u32::from(attempt.result == AttemptResult::Moved);
            note(
                &mut earlier,
                &BalanceAttempt { seen: false, searched: false, ..*attempt },
                s,
                attempt.dst == s.idle || attempt.pinned_for_group,
            );
        }
        if earlier.of_outcome(AttemptOutcome::Any).count > moved {
            *out = earlier;
        }
    }
}

/// Each of them left the threads that waited as cache-hot, and showed it.
fn refused_all_as_hot(attempts: &AttemptSummary) -> bool {
    let refused = attempts.of_outcome(AttemptOutcome::Refused);
    refused.seen && refused.count > 0 && refused.of_all == attempts.of_outcome(AttemptOutcome::Any).count
}

/// The facts of a pair in short, where nothing of the balancer was seen while it lasted.
fn unobserved(e: &IdleWaitFacts) -> Option<UnobservedFacts> {
    #[rustfmt::skip] // every field, so that a new one is not passed over
    let IdleWaitFacts {
        domains, has_common_domain, level, grouped_together, hidden_by_groups, first_left_to_others, own_groups, smaller, interval_is_long, is_old, lasted_long, far, crossed, moves_within,
        reports_attempts, counted, readings, went_idle_beside, entry, no_newidle_counted, push_failed, ref attempts, found_before, level_leaves_waiters, kicked, late_kick, reports_kicks, stopped, ext, ext_wait, realtime,
    } = *e;
    let counted = counted || no_newidle_counted.is_some() || push_failed || readings != [None; 2];
    let seen = ext_wait.is_some()
        || realtime.is_some()
        || late_kick.is_some()
        || entry.is_some()
        || stopped.is_some()
        || own_groups != OwnGroups::default()
        || first_left_to_others.is_some()
        || counted;
    if seen || attempts.over > 0 || attempts.without_domain || attempts.earlier || attempts.left_to_another {
        return None;
    }
    #[rustfmt::skip]
    let flags = [
        has_common_domain, grouped_together, smaller, interval_is_long, is_old, lasted_long, far, crossed, reports_attempts, went_idle_beside, kicked, reports_kicks, ext, found_before, level_leaves_waiters,
    ];
    let flags = flags.into_iter().enumerate().map(|(bit, flag)| u16::from(flag) << bit).sum();
    Some((domains as u8, flags, attempts.by_idle, level, moves_within, hidden_by_groups))
}

/// What an attempt says of a pair. That it left threads of a queue is seen for the pairs of the CPU that it was for and for those
/// of that queue: what it would have taken would have parted these, not the others of the two groups.
///
/// `for_idle`: what it says of masks goes for the idle CPU: the attempt was for that, or for another of its group and met threads alone
/// that none of the group may take, or it would have gone on for one that may (can_migrate_task: LBF_DST_PINNED; a CPU about to idle
/// looks for itself).
fn note(out: &mut AttemptSummary, attempt: &BalanceAttempt, s: IdleWaitPair, for_idle: bool) {
    let kind = match attempt.result {
        AttemptResult::Moved | AttemptResult::NothingThere | AttemptResult::LeftToAnother => return,
        AttemptResult::Unknown => None,
        AttemptResult::Averages => Some(AttemptOutcome::Averages),
        AttemptResult::Allowed => Some(AttemptOutcome::Allowed),
        AttemptResult::NumaAllowed | AttemptResult::NumaFew => Some(AttemptOutcome::NumaAllowed),
        AttemptResult::Unexplained => Some(AttemptOutcome::Unexplained),
        AttemptResult::Pinned(_) | AttemptResult::StaleMask(_) => for_idle.then_some(AttemptOutcome::Pinned),
        AttemptResult::Refused(..) => Some(AttemptOutcome::Refused),
        AttemptResult::PreferredLlc(..) => Some(AttemptOutcome::PreferredLlc),
    };
    let concerned = attempt.result.queue().is_none_or(|queue| attempt.dst == s.idle || queue == s.queue);
    let seen = attempt.seen && attempt.result != AttemptResult::NumaFew && concerned;
    let any = (AttemptOutcome::Any, attempt.seen || attempt.searched);
    for (kind, seen) in [Some(any), kind.map(|kind| (kind, seen))].into_iter().flatten() {
        let attempts = out.of_outcome_mut(kind);
        attempts.seen = (attempts.seen || attempts.count == 0) && seen;
        attempts.count += 1;
        attempts.of_all +=
            u32::from(matches!(attempt.result, AttemptResult::Refused(_, true) | AttemptResult::PreferredLlc(_, true)));
        attempts.first = Some(attempts.first.map_or(attempt.event, |first| first.min(attempt.event)));
        attempts.last = attempts.last.max(Some(attempt.event));
    }
}
