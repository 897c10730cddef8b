//! Why no CPU moved it earlier.

mod active_balance_failed;
mod all_pinned;
mod allowed_imbalance;
mod asymmetric_capacity;
mod cache_aware;
mod cache_hot;
mod ext_behind_realtime;
mod ext_bypass;
mod ext_cpu_late;
mod ext_held;
mod ext_kick_late;
mod ext_local_queue;
mod ext_not_dispatched;
mod ext_not_granted;
mod ext_not_kicked;
mod found_balance;
mod group_averages;
mod group_averages_by_types;
mod interval_too_long;
mod misbuilt_groups;
mod misbuilt_groups_of_each;
mod newidle_cut_off;
mod newidle_dice;
mod newidle_none_overloaded;
mod newidle_pulled_nothing;
mod newidle_stop;
mod newidle_too_short;
mod newidle_wakeup_pending;
mod no_common_domain;
mod nohz_kick_late;
mod nohz_kick_missing;
mod nothing_crosses;
mod numa_allowance;
mod periodic_did_not_run;
mod realtime_behind_lower;
mod realtime_not_pushed;
mod sched_ext;

use super::{Answers, Finding, Rule, ask, ask_for_best};
use crate::causes::ExtWait;
use crate::causes::answers::{NotMovedBecause, Question};
use crate::causes::balancer_log::IdleEntry;
use crate::causes::kernels::Release;
use crate::causes::realtime_runs::MostlyRan;

/// How far the scheduling domains are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DomainSource {
    #[default]
    Unknown,
    /// From the topology.
    Derived,
    /// As the kernel said.
    Exact,
}

/// What attempts that moved no thread concluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// Anything.
    Any,
    Averages,
    Allowed,
    NumaAllowed,
    Unexplained,
    Pinned,
    Refused,
    PreferredLlc,
}

/// How many outcomes there are.
pub const OUTCOMES: usize = 8;

/// Attempts of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttemptCount {
    pub count: u32,
    /// Refusals whose reason goes for every thread that may be moved.
    pub of_all: u32,
    /// Those that ended before the pair did.
    pub ended: u32,
    /// Each of these rests on what the kernel's own attempt showed, and there are some.
    pub seen: bool,
    pub first: Option<i64>,
    pub last: Option<i64>,
}

/// Attempts while the pair lasted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttemptSummary {
    /// Over the common domain, for the idle CPU's group; those of CPUs about to idle not counted. (Over a wider one an attempt takes
    /// from other groups than its own, which holds both.)
    pub over: u32,
    /// These were less than a quarter of the number due, and all moved threads, met a queue where nothing waited, or refused what
    /// waited as cache-hot: none found what the next one would have found too.
    pub few: bool,
    /// Some ended before they looked, since another CPU of their group was to balance for it; not counted above.
    pub left_to_another: bool,
    /// There were some of which the domain is not recorded, or that are not known any more.
    pub without_domain: bool,
    /// By any idle CPU, over any domain.
    pub by_idle: bool,
    /// There were none, nor were any due: the outcomes are those of the last ones before, for the same group over the common
    /// domain.
    pub earlier: bool,
    /// All refused threads as cache-hot, and shortly before one for the same group left a thread for another reason: without that it
    /// may have been moved before it was hot.
    pub other_reason_before: bool,
    /// Those that moved no thread though one waited, by `AttemptOutcome`; None where there were none, as of most pairs.
    by_outcome: Option<Box<[AttemptCount; OUTCOMES]>>,
}

impl AttemptSummary {
    /// Those that moved no thread though one waited, and concluded this.
    pub fn of_outcome(&self, outcome: AttemptOutcome) -> AttemptCount {
        self.by_outcome.as_ref().map_or_else(AttemptCount::default, |counts| counts[outcome as usize])
    }

    /// For a part of the time one was due and none was made: what they showed is not proved for it. `backed_off`: even though ones
    /// that met pinned threads put off the next.
    pub fn say_nothing_of_the_whole(&mut self, overdue: bool, backed_off: bool) {
        for (outcome, attempts) in self.by_outcome.iter_mut().flat_map(|counts| counts.iter_mut().enumerate()) {
            attempts.seen &= !if outcome == AttemptOutcome::Pinned as usize { backed_off } else { overdue };
        }
    }

    /// The same, to be changed.
    pub fn of_outcome_mut(&mut self, outcome: AttemptOutcome) -> &mut AttemptCount {
        &mut self.by_outcome.get_or_insert_default()[outcome as usize]
    }
}

/// What attempts over the common domain counted to the group that they balanced for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnGroups {
    /// An attempt for some CPU counted both CPUs to it; one for a CPU whose groups are the idle CPU's.
    pub of_some: Option<i64>,
    pub seen: Option<i64>,
    /// One for such a CPU did not.
    pub seen_apart: bool,
}

/// Whether the kernel held the idle CPU's periodic attempts due (rq.next_balance), for most of the wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NextBalance {
    /// The trace does not have it, of no CPU: a simulation.
    #[default]
    NotRecorded,
    /// It was not read of this CPU, or may have changed since.
    NotKnown,
    Due,
    /// Not yet.
    Later,
    /// Not yet, and not for longer than a kernel gives a busy CPU by its domain's settings: attempts that met pinned threads put
    /// off the next further.
    FarOff,
    /// Not yet, and not for longer than these do either.
    BeyondAll,
}

/// The facts of an idle–waiting pair: an idle CPU beside a queue whose waiters may use it.
#[derive(Clone, Debug, Default)]
pub struct IdleWaitFacts {
    pub domains: DomainSource,
    /// A domain of the idle CPU spans the other; its level, and whether its groups, as kernels up to 4.12 build them, put the
    /// two into one.
    pub has_common_domain: bool,
    pub level: Option<i16>,
    pub grouped_together: bool,
    /// Whether each of its groups that has the busy CPU, as the kernel has them, has the idle one as well; None: not recorded.
    pub hidden_by_groups: Option<bool>,
    /// What attempts over that domain showed of groups.
    pub own_groups: OwnGroups,
    /// Where groups overlap: an attempt that the CPU which balances for the idle CPU's group by the release's rule left to another one, as
    /// it left all, and one by a CPU that balances for another group by that rule.
    pub first_left_to_others: Option<[i64; 2]>,
    /// The idle CPU has less capacity than the other.
    pub smaller: bool,
    /// The domain's interval is far too long, and attempts over it come accordingly.
    pub interval_is_long: bool,
    /// It lasted for longer than two balance intervals of that domain; than the time from which waste is persistent.
    pub is_old: bool,
    pub lasted_long: bool,
    /// It lasted so long by itself, and not only the waste of which it is a part.
    pub pair_lasted_long: bool,
    /// The two CPUs are in different nodes or caches.
    pub far: bool,
    /// A runnable thread was moved between the two sides, ever; an event that moved one within either, lately.
    pub crossed: bool,
    pub moves_within: Option<i64>,
    /// The trace shows attempts over domains: recorded ones, or how many the kernel counted, of which the domain and the CPU
    /// alone are known (the events are the first and last reading of its counters).
    pub reports_attempts: bool,
    pub counted: bool,
    pub readings: [Option<i64>; 2],
    /// How the CPU went idle; it did so while the queue held a waiter for it.
    pub entry: Option<IdleEntry>,
    pub went_idle_beside: bool,
    /// It did so, and its counters say that it made no attempt over the common domain then, nor over a wider one: the event, and
    /// the reading of the counters.
    pub no_newidle_counted: Option<[i64; 2]>,
    /// The counters say that the stopper was asked to push a thread to the idle CPU, and pushed none.
    pub push_failed: bool,
    pub attempts: AttemptSummary,
    /// There were none, and the last ones before, for the same group over the common domain, found balance.
    pub found_before: bool,
    /// Most attempts over domains of that level left threads that waited, of all so far.
    pub level_leaves_waiters: bool,
    /// An attempt for the idle CPU began, over whichever domain.
    pub attempted_for_idle: bool,
    /// Whether the kernel held its periodic attempts due; the event at which that was read first.
    pub next_balance: NextBalance,
    pub next_balance_read: Option<i64>,
    /// An idle CPU was kicked to balance, or the balancer's softirq ran on the idle CPU; where the trace does not show kicks, on any
    /// (where only interrupt work is recorded: for long enough).
    pub kicked: bool,
    /// Event of the first kick, where the balancer's softirq ran on no idle CPU for more than half of the time since.
    pub late_kick: Option<i64>,
    pub reports_kicks: bool,
    /// Event at which the stopper of the busy CPU ran.
    pub stopped: Option<i64>,
    /// A sched_ext scheduler runs the thread; what that did, where it is recorded.
    pub ext: bool,
    pub ext_wait: Option<ExtWait>,
    /// All that its scheduler decides is recorded, and it is not known where the thread was.
    pub ext_nowhere: bool,
    /// The thread is of the real-time or deadline class: what the busy CPU ran.
    pub realtime: Option<MostlyRan>,
}

impl IdleWaitFacts {
    /// The rules that concern the thread: the balancer of the fair class has no say over those of the real-time class or of a
    /// sched_ext scheduler.
    pub fn rules(&self) -> &'static [&'static Rule<Self>] {
        let concern = if self.realtime.is_some() {
            OF_REALTIME
        } else if self.ext {
            OF_REALTIME + OF_SCHED_EXT
        } else {
            RULES.len()
        };
        RULES.split_at(concern).0
    }

    /// The answers.
    pub fn answers(&self, release: Option<Release>) -> Answers {
        let answers = ask(Question::NotMovedBecause, self.rules(), self, release, self.is_young());
        answers.with_decisive(|answer| self.is_decisive(NotMovedBecause::ALL[usize::from(answer.code())]))
    }

    /// The best of them alone.
    pub fn best_answer(&self, release: Option<Release>) -> Finding {
        let Some(best) = ask_for_best(self.rules(), self, release, self.is_young()) else {
            return Answers::unknown(Question::NotMovedBecause).best();
        };
        best.with_decisive(self.is_decisive(NotMovedBecause::ALL[usize::from(best.answer.code())]))
    }

    /// Whether another decision of the balancer would have moved the thread: not where its next attempt was not due yet, nor where
    /// the thread is none of its business.
    pub fn is_decisive(&self, answer: NotMovedBecause) -> bool {
        match answer {
            NotMovedBecause::Unknown
            | NotMovedBecause::SchedExt
            | NotMovedBecause::ExtBypass
            | NotMovedBecause::RealtimeBehindLower
            | NotMovedBecause::RealtimeNotPushed => false,
            NotMovedBecause::PeriodicDidNotRun => self.is_old,
            _ => true,
        }
    }

    /// What the CPU did as it went idle can be a reason: a domain joins the two, or it is not known which do.
    pub fn newidle_matters(&self) -> bool {
        self.went_idle_beside && (self.has_common_domain || self.domains == DomainSource::Unknown)
    }

    /// Attempts over the common domain moved no thread, while it lasted, shortly before, or as a rule, or could not see the queue for
    /// its groups: that another one was not made, or took no thread either, is not what it waited for.
    pub fn balance_was_found(&self) -> bool {
        self.found_before
            || self.hidden_by_groups == Some(true)
            || self.level_leaves_waiters
            || self.attempts.of_outcome(AttemptOutcome::Any).count > 0
    }

    /// What a CPU about to idle did comes before what attempts did, since none was due yet; unless some were made all the same, or
    /// shortly before (`AttemptSummary::earlier`), and left a thread that waits, as most do over domains of that level: then a CPU that
    /// had looked would have left it too. So it would where the domain's groups hide the queue.
    pub fn is_young(&self) -> bool {
        let leaves = self.level_leaves_waiters || self.hidden_by_groups == Some(true);
        let left = leaves && self.attempts.of_outcome(AttemptOutcome::Any).count > 0;
        !self.is_old && !left
    }

    /// Attempts over the common domain ran and moved no thread, at least half of them for this reason. None where too few were made: the
    /// balancer takes hot threads after some failures (can_migrate_task: cache_nice_tries).
    pub fn found_balance(&self, kind: AttemptOutcome) -> Option<AttemptCount> {
        if self.attempts.few {
            return None;
        }
        let attempts = self.attempts.of_outcome(kind);
        let all = self.attempts.of_outcome(AttemptOutcome::Any).count;
        (attempts.count > 0 && 2 * attempts.count >= all).then_some(attempts)
    }
}

/// So many rules, the first, are about real-time threads, and so many after them about sched_ext schedulers (a test below counts them).
const OF_REALTIME: usize = 2;
const OF_SCHED_EXT: usize = 10;

/// The rules in the order in which they are asked.
pub const RULES: &[&Rule<IdleWaitFacts>] = &[
    &realtime_behind_lower::RULE,
    &realtime_not_pushed::RULE,
    &ext_bypass::RULE,
    &ext_not_granted::RULE,
    &ext_behind_realtime::RULE,
    &ext_local_queue::RULE,
    &ext_held::RULE,
    &ext_not_dispatched::RULE,
    &ext_kick_late::RULE,
    &ext_cpu_late::RULE,
    &ext_not_kicked::RULE,
    &sched_ext::RULE,
    &no_common_domain::RULE,
    &misbuilt_groups::RULE,
    &misbuilt_groups_of_each::RULE,
    &nothing_crosses::RULE,
    &interval_too_long::RULE,
    &all_pinned::RULE,
    &active_balance_failed::RULE,
    &cache_hot::RULE,
    &cache_aware::RULE,
    &group_averages::RULE,
    &group_averages_by_types::RULE,
    &numa_allowance::RULE,
    &allowed_imbalance::RULE,
    &asymmetric_capacity::RULE,
    &found_balance::RULE,
    &nohz_kick_late::RULE,
    &nohz_kick_missing::RULE,
    &newidle_wakeup_pending::RULE,
    &newidle_none_overloaded::RULE,
    &newidle_too_short::RULE,
    &newidle_dice::RULE,
    &newidle_cut_off::RULE,
    &newidle_pulled_nothing::RULE,
    &periodic_did_not_run::RULE,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_about_real_time_come_first_then_those_about_sched_ext() {
        let kind = |rule: &&Rule<IdleWaitFacts>| match rule.about.name {
            name if name.starts_with("realtime-") => 0,
            name if name.starts_with("ext-") || name.starts_with("sched-ext") => 1,
            _ => 2,
        };
        let kinds: Vec<_> = RULES.iter().map(kind).collect();
        assert!(kinds.is_sorted());
        let of = |kind| kinds.iter().filter(|of| **of == kind).count();
        assert_eq!((of(0), of(1)), (OF_REALTIME, OF_SCHED_EXT));
    }
}
