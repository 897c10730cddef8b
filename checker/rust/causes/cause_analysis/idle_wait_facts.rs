//! The facts of an idle CPU beside a queue whose waiters may use it: what is known of the balancer's doings between the two.

use super::{CauseAnalysis, LONG_NS, USUAL_PER_CPU_NS};
use crate::causes::balance_attempt::{AttemptResult, BalanceAttempt, is_newly_idle};
use crate::causes::domains::{GROUPS_OF_EACH, KnownDomains, built_together};
use crate::causes::kernels::Release;
use crate::causes::rules::not_moved_because::{
    AttemptCount, AttemptOutcome, AttemptSummary, DomainSource, IdleWaitFacts, NextBalance, OwnGroups,
};
use crate::causes::wait_origin::SchedClass;
use crate::domain_tree::DomainTree;
use crate::idle_wait_pair::IdleWaitPair;
use crate::topology::CpuIx;
use wastenot_schemas::idle_type;
use wastenot_topology::{CpuBits, Distance};

/// Attempts so many balance intervals before a pair say what its group found lately.
const BEFORE: i64 = 16;
/// What attempts showed is proved of a pair that waited for overdue ones for no more than this part of its time.
const OVERDUE: i64 = 10;
/// The longest time until the next attempt after ones that met pinned threads: twice MAX_PINNED_INTERVAL, which is 512 ms, ns.
const PINNED_NS: i64 = 1_024_000_000;

/// Since then the interval of a busy CPU is 16 times that of an idle one (sched_domain.busy_factor), before 32 times.
const BUSY_FACTOR_16: Release = (5, 10);

/// For how long attempts were overdue, ns: each by itself, and where after each that met pinned threads the next of its CPU is due later.
#[derive(Clone, Copy, Default)]
struct Overdue {
    all: i64,
    backed_off: i64,
}

impl Overdue {
    /// One came so long after the one before; so long it may take at most, and where that backed off.
    fn add(&mut self, gap: i64, due: i64, longer: i64) {
        self.all += (gap - due).max(0);
        self.backed_off += (gap - longer).max(0);
    }
}

impl CauseAnalysis<'_> {
    /// Of a thread of sched_ext, for a part of the pair's time: no more than its rules ask for.
    pub(super) fn facts_of_sched_ext(&self, s: IdleWaitPair, number: u32, part: [i64; 2]) -> IdleWaitFacts {
        let w = self.balancer_log;
        let ext_wait = w.ext.wait(number, s, part, &w.realtime_runs);
        let ext_nowhere = ext_wait.is_none() && w.ext.recorded && w.ext.knows_schedulers();
        IdleWaitFacts { ext: true, ext_wait, ext_nowhere, ..IdleWaitFacts::default() }
    }

    #[inline(never)] // so that the result is built in place, not copied
    pub(super) fn facts(&self, s: IdleWaitPair, class: SchedClass) -> IdleWaitFacts {
        if let SchedClass::Ext(number) = class {
            return self.facts_of_sched_ext(s, number, [s.from, s.to]);
        }
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
        let (next_balance, next_balance_read) = self.next_balance(s);
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
            pair_lasted_long: s.to - s.from > LONG_NS,
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
            attempted_for_idle: w.attempts.any_for(s.idle, s.from, s.to),
            next_balance,
            next_balance_read,
            kicked: w.kicks.was_kicked(s.idle, s.from, s.to),
            late_kick: w.kicks.late_kick(s.from, s.to),
            reports_kicks: w.kicks.reports && !w.kicks.any_lost(s.from, s.to),
            stopped: w.stopper_between(s.queue, s.from, s.to),
            ext: false,
            ext_wait: None,
            ext_nowhere: false,
            realtime: (class == SchedClass::Realtime).then(|| w.realtime_runs.mostly(s.queue, s.from, s.to)),
        };
        self.attempts(s, known, at, &mut facts.attempts);
        facts.attempts.few = facts.is_old && self.are_few(s, known, at, interval, &facts.attempts);
        if facts.is_old
            && facts.attempts.of_outcome(AttemptOutcome::Any).seen
            && let Some((tree, at)) = tree.zip(at)
        {
            let overdue = self.overdue(s, tree, at, 2 * interval);
            let is_long = |ns: i64| ns.saturating_mul(OVERDUE) > s.to - s.from;
            facts.attempts.say_nothing_of_the_whole(is_long(overdue.all), is_long(overdue.backed_off));
        }
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
            facts.attempts.other_reason_before = self.other_reason_before(s, known, at, BEFORE * interval);
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

    fn next_balance(&self, s: IdleWaitPair) -> (NextBalance, Option<i64>) {
        let log = &self.balancer_log.kicks;
        if !log.reports_next_balance {
            return (NextBalance::NotRecorded, None);
        }
        // Time, and the first reading, of each.
        let mut found = [(0, None); 4];
        let mut add = |what: NextBalance, ns: i64, event: i64| {
            let (sum, first) = &mut found[what as usize - NextBalance::Due as usize];
            *sum += ns;
            *first = first.or((ns > 0).then_some(event));
        };
        for (known, reading) in log.next_balances(s.idle, s.from, s.to) {
            let due = reading.due.clamp(known.start, known.end);
            add(NextBalance::Due, known.end - due, reading.event);
            let (after, later) = (reading.due - reading.t, due - known.start);
            add(NextBalance::Later, later, reading.event);
            if after > self.long_even_if_busy() {
                add(NextBalance::FarOff, later, reading.event);
            }
            if after > self.long_even_if_busy().max(PINNED_NS) {
                add(NextBalance::BeyondAll, later, reading.event);
            }
        }
        let most = [NextBalance::BeyondAll, NextBalance::FarOff, NextBalance::Later, NextBalance::Due]
            .into_iter()
            .find(|what| 2 * found[*what as usize - NextBalance::Due as usize].0 > s.to - s.from);
        most.map_or((NextBalance::NotKnown, None), |what| (what, found[what as usize - NextBalance::Due as usize].1))
    }

    /// The longest interval that a kernel gives a busy CPU by its domain's settings, and what reading it may add.
    fn long_even_if_busy(&self) -> i64 {
        let busy_factor = if self.release.is_some_and(|release| release >= BUSY_FACTOR_16) { 16 } else { 32 };
        busy_factor * USUAL_PER_CPU_NS * self.topology.len() as i64 + 2 * self.topology.tick_ns
    }

    fn capacity(&self, cpu: CpuIx) -> u32 {
        self.topology.cpu(cpu).capacity
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
        let from = self.read_from(s, tree, at);
        let count = self.made_for_group(s, tree, at, from).count() as i64;
        count.saturating_mul(4 * interval) < s.to - from
    }

    /// How long in all the pair waited for attempts over the domain at place `at` that found a waiter and left it, of which each came more
    /// than `due` ns after the one before, or after the pair began.
    fn overdue(&self, s: IdleWaitPair, tree: &DomainTree, at: usize, due: i64) -> Overdue {
        let from = self.read_from(s, tree, at);
        let explains =
            |attempt: &&BalanceAttempt| !matches!(attempt.result, AttemptResult::Moved | AttemptResult::NothingThere);
        let mut attempts: Vec<&BalanceAttempt> = self.made_for_group(s, tree, at, from).filter(explains).collect();
        attempts.sort_unstable_by_key(|attempt| attempt.t);
        let (mut overdue, mut before, mut longer) = (Overdue::default(), from, due);
        for (i, attempt) in attempts.iter().enumerate() {
            overdue.add(attempt.t - before, due, longer);
            let of_cpu = attempts[..=i].iter().rev().filter(|other| other.dst == attempt.dst);
            let backed_off = of_cpu.take_while(|other| other.backs_off).count();
            (before, longer) = (attempt.t, due.saturating_mul(1 << backed_off.min(16)).min(PINNED_NS.max(due)));
        }
        overdue.add(s.to - before, due, longer);
        overdue
    }

    /// From when on all attempts for the idle CPU's group over the domain at place `at` are read.
    fn read_from(&self, s: IdleWaitPair, tree: &DomainTree, at: usize) -> i64 {
        let (log, number) = (&self.balancer_log.attempts, tree.of(s.idle)[at].number);
        let others = tree.own_group(s.idle, at).filter(|&cpu| cpu != s.idle);
        let group = std::iter::once(s.idle).chain(others);
        group.map(|cpu| log.read_from(cpu, number, s.from, s.to)).max().unwrap_or(s.from)
    }

    /// The attempts for the idle CPU's group over the domain at place `at` from then on that looked.
    fn made_for_group<'a>(
        &'a self,
        s: IdleWaitPair,
        tree: &'a DomainTree,
        at: usize,
        from: i64,
    ) -> impl Iterator<Item = &'a BalanceAttempt> {
        let (log, number) = (&self.balancer_log.attempts, tree.of(s.idle)[at].number);
        let others = tree.own_group(s.idle, at).filter(move |&cpu| cpu != s.idle);
        let attempts = std::iter::once(s.idle).chain(others).flat_map(move |cpu| log.over(cpu, number, from, s.to));
        attempts.filter(|attempt| attempt.result != AttemptResult::LeftToAnother)
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
    fn other_reason_before(&self, s: IdleWaitPair, known: KnownDomains<'_>, at: Option<usize>, reach: i64) -> bool {
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
        // One that goes on after the pair may have looked at the queue after it.
        if attempt.until <= s.to {
            attempts.seen = (attempts.seen || attempts.ended == 0) && seen;
            attempts.ended += 1;
        }
        attempts.count += 1;
        attempts.of_all +=
            u32::from(matches!(attempt.result, AttemptResult::Refused(_, true) | AttemptResult::PreferredLlc(_, true)));
        attempts.first = Some(attempts.first.map_or(attempt.event, |first| first.min(attempt.event)));
        attempts.last = attempts.last.max(Some(attempt.event));
    }
}
