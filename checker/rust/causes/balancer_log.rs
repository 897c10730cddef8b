//! The balancer's recorded activity: attempts, entries to idle, and what ended a wait. Kept while waste is under way, and
//! dropped when the interval has been graded, so that memory does not grow with the trace.

use std::collections::{BTreeMap, VecDeque};

use super::attempt_log::AttemptLog;
use super::balance_attempt::{AttemptResult, BalanceAttempt};
use super::domains::{DomainHistory, KnownDomains};
use super::earlier_attempts::EarlierAttempts;
use super::ext_log::ExtLog;
use super::kick_log::KickLog;
use super::migration_paths::MigrationPath;
use super::realtime_runs::RealtimeRuns;
use super::schedstat_readings::SchedstatReadings;
use super::wait_origin::WaitOrigin;
use crate::fast_hash::FastMap;
use crate::input_change::InputChange;
use crate::threads::Utid;
use crate::topology::CpuIx;
use wastenot_topology::CpuBits;

/// Runs of stoppers and of the balancer's softirq kept of one interval; of more, the first are dropped.
const RUNS: usize = 1 << 15;

/// Levels of domains that attempts may name.
const LEVELS: usize = 32;

/// What a CPU about to idle did for work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewidleBalance {
    /// Event of the attempt, or of its first attempt.
    pub event: i64,
    /// Highest level it made an attempt over.
    pub level: Option<i16>,
    /// It, or one of its attempts, moved threads, or found one that had come meanwhile.
    pub pulled: bool,
    /// What it decided by, where that is recorded.
    pub entry: Option<NewidleEntry>,
}

/// What a CPU about to idle decided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewidleEntry {
    pub event: i64,
    pub overloaded: bool,
    pub wakeup_pending: bool,
    /// Smallest level whose attempts cost more time than the CPU expected to idle.
    pub too_short_level: Option<i16>,
    pub dice: bool,
}

/// A CPU went idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdleEntry {
    pub t: i64,
    pub event: i64,
    pub newidle: Option<NewidleBalance>,
}

/// What an event did that can end a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndingEvent {
    /// A runnable thread was moved: by which path, and how sure that is.
    Moved(Option<MigrationPath>, u8, CpuMove),
    /// A thread was woken.
    Woken,
    /// A thread's allowed CPUs changed.
    Mask,
    /// Interrupt work began on an idle CPU; it ends then, ns.
    Interrupt(i64),
    /// Something else that is not a switch: a CPU went off, a loss, quota.
    Other,
}

/// From where to where, and when (ns).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuMove {
    pub from: CpuIx,
    pub to: CpuIx,
    pub t: i64,
}

/// What an attempt saw of a CPU.
#[derive(Clone, Copy, Debug)]
pub struct SeenCpu {
    pub cpu: CpuIx,
    pub load: i64,
    /// Runnable threads.
    pub running: i32,
    pub used: Option<CpuUse>,
}

/// How much of a CPU fair threads use, run or wait on (None: not counted), and can have, in 1024ths.
#[derive(Clone, Copy, Debug)]
pub struct CpuUse {
    pub util: i64,
    pub runnable: Option<i64>,
    pub capacity: i64,
}

/// Loads that an attempt saw, while it is under way.
#[derive(Clone, Debug, Default)]
pub struct AttemptLoads {
    pub attempt: i64,
    pub rows: Vec<SeenCpu>,
    pub src: Option<CpuIx>,
    /// The queue that the attempt chose is recorded.
    pub chosen: bool,
    pub search: Option<BalanceSearch>,
    /// Threads that it left in the cache that they prefer.
    pub preferred_llc: i32,
}

/// What an attempt that moved no thread found, as the kernel's functions returned it.
#[derive(Clone, Copy, Debug)]
pub struct BalanceSearch {
    /// A code of `balance_search_result`.
    pub result: u8,
    /// The queue of which it examined threads.
    pub src: Option<CpuIx>,
    pub examined: i32,
    pub not_allowed: i32,
    pub running: i32,
    pub hot: i32,
}

/// An attempt whose loads may still come.
#[derive(Clone, Copy, Debug)]
pub struct OpenAttempt {
    pub t: i64,
    pub until: i64,
    pub event: i64,
    pub dst: CpuIx,
    pub level: Option<i16>,
    pub idle: u8,
    pub pulled: Option<i32>,
}

/// A placement's choice, as the kernel reported it.
#[derive(Clone, Copy, Debug)]
pub struct CpuChoice {
    pub event: i64,
    /// CPU that chose: of a wakeup the waker's.
    pub by: CpuIx,
    pub chosen: Option<CpuIx>,
    /// CPUs scanned, a row of `mask`.
    pub mask: Option<i32>,
    /// It goes by a search, and no CPU of the cache of the one it chose can have been idle meanwhile.
    pub cache_was_busy: bool,
}

/// What was seen of a placement before its wakeup.
#[derive(Clone, Copy, Debug, Default)]
pub struct PendingWakeup {
    /// The move: event, path, code of its proof.
    pub moved: Option<(i64, MigrationPath, u8)>,
    /// The CPU it leaves by that move.
    pub from: Option<CpuIx>,
    pub chosen: Option<CpuChoice>,
}

/// Everything seen that rules may need.
#[derive(Debug, Default)]
pub struct BalancerLog {
    pub domains: DomainHistory,
    /// The trace records attempts over a domain, and attempts of CPUs about to idle.
    pub reports_attempts: bool,
    pub reports_newidle: bool,
    /// Levels of domains as attempts name them, the smallest first.
    reported_levels: Vec<i16>,
    /// What the balancer counted lately.
    pub readings: SchedstatReadings,
    /// The trace records the CPUs scanned by placements.
    pub reports_scans: bool,
    /// What attempts over a domain between nodes counted as their own group, by CPU that they were for and level, and the event:
    /// where the loads that they saw show it, and releases build groups by a rule that hides something.
    pub own_groups: BTreeMap<(CpuIx, i16), (i64, CpuBits)>,
    /// Attempts of the interval under way.
    pub attempts: AttemptLog,
    /// What a sched_ext scheduler did.
    pub ext: ExtLog,
    pub realtime_runs: RealtimeRuns,
    /// What attempts concluded up to a while before it.
    pub earlier: EarlierAttempts,
    /// By level: attempts that moved threads and such that left one that waited, while cores were wasted, ever.
    levels: Vec<(i16, [u32; 2])>,
    /// Entries to idle of the interval under way by CPU, the latest before it first.
    entries: Vec<VecDeque<IdleEntry>>,
    touched: Vec<CpuIx>,
    ending_events: VecDeque<(i64, EndingEvent)>,
    /// When stoppers ran, where, and the event.
    stops: VecDeque<(i64, CpuIx, i64)>,
    /// Kicks of idle CPUs, and when their attempts are due.
    pub kicks: KickLog,
    /// Per CPU: its search for work since its last switch.
    newest: Vec<Option<NewidleBalance>>,
    /// The attempt that each CPU has under way, with what it saw.
    pub open: Vec<Option<(OpenAttempt, AttemptLoads)>>,
    /// CPUs that have one.
    pub cpus_with_attempt: Vec<CpuIx>,
    /// Masks that a thread had before they changed, while it is queued where it was then, by the thread's number.
    widened: FastMap<u32, (i64, CpuBits)>,
    /// An interval that has ended is not graded yet; threads that moved meanwhile, whose former masks it may ask for.
    pub interval_deferred: bool,
    requeued: Vec<u32>,
    /// Moves of sleeping threads, and the CPUs that the kernel scanned for them, until they are woken.
    pub pending: FastMap<Utid, PendingWakeup>,
}

impl BalancerLog {
    /// A log of so many CPUs.
    pub fn new(n: usize) -> Self {
        Self {
            attempts: AttemptLog::new(n),
            ext: ExtLog::new(n),
            realtime_runs: RealtimeRuns::new(n),
            entries: vec![VecDeque::new(); n],
            newest: vec![None; n],
            kicks: KickLog::new(n),
            open: (0..n).map(|_| None).collect(),
            ..Self::default()
        }
    }

    /// Number of records in the log.
    pub fn size(&self) -> usize {
        self.attempts.len()
            + self.ending_events.len()
            + self.touched.len()
            + self.stops.len()
            + self.kicks.len()
            + self.readings.size()
    }

    /// Nothing is recorded of the balancer that the facts of a pair rest on, and the domains have not changed.
    pub fn is_empty(&self) -> bool {
        !self.reports_attempts
            && !self.reports_newidle
            && self.kicks.is_empty()
            && !self.readings.any()
            && self.domains.is_constant()
            && self.own_groups.is_empty()
            && self.attempts.is_empty()
            && self.earlier.len() == 0
            && self.levels.is_empty()
            && self.stops.is_empty()
    }

    /// The domains in force at `t`.
    pub fn domains(&self, t: i64) -> KnownDomains<'_> {
        self.domains.at(t)
    }

    /// A CPU about to idle looks for work, or makes an attempt over a domain for that.
    pub fn newidle(&mut self, cpu: CpuIx, seen: NewidleBalance) {
        self.reports_newidle = true;
        let newest = self.newest[cpu as usize].get_or_insert(seen);
        newest.level = newest.level.max(seen.level);
        newest.pulled |= seen.pulled;
    }

    /// What the CPU decided by in its search for work, which has been noted.
    pub fn newidle_entry(&mut self, cpu: CpuIx, entry: NewidleEntry) {
        if let Some(newest) = &mut self.newest[cpu as usize] {
            newest.entry = Some(entry);
        }
    }

    /// The number, in the table `domain`, of the domain of `cpu` over which an attempt was reported as one over level `reported`. Kernels
    /// keep the numbers of levels that the machine does not have (MC 2 and NUMA 5 in 6.1, 1 and 4 in 7.2): the levels of
    /// attempts, in their order, are then those of the table. (A CPU starts with its smallest domain.)
    pub fn level(&mut self, cpu: CpuIx, reported: i16, now: i64) -> i16 {
        if let Err(at) = self.reported_levels.binary_search(&reported)
            && self.reported_levels.len() < LEVELS
        {
            self.reported_levels.insert(at, reported);
        }
        let Some(tree) = self.domains.at(now).tree() else { return reported };
        let levels = tree.of(cpu);
        if self.reported_levels.iter().all(|reported| levels.iter().any(|d| d.number == *reported)) {
            return reported;
        }
        let rank = self.reported_levels.partition_point(|l| *l < reported);
        levels.get(rank).or(levels.last()).map_or(reported, |d| d.number)
    }

    /// The CPU switched: to swapper (`idles`) or to a thread.
    #[inline]
    pub fn switched(&mut self, cpu: CpuIx, idles: bool, t: i64, event: i64, wasting: bool) {
        if !idles {
            self.kicks.runs_thread(cpu, t, event, wasting);
        }
        if !self.reports_newidle && !self.readings.any() {
            return;
        }
        let newidle = self.newest[cpu as usize].take();
        if idles {
            let entries = &mut self.entries[cpu as usize];
            if !wasting {
                entries.clear();
            } else if entries.len() == 1 {
                self.touched.push(cpu);
            }
            entries.push_back(IdleEntry { t, event, newidle });
        }
    }

    /// An attempt has ended.
    pub fn push_attempt(&mut self, attempt: BalanceAttempt) {
        if let Some((tree, level)) = self.domains.at(attempt.t).tree().zip(attempt.level)
            && let Some(at) = tree.of(attempt.dst).iter().position(|d| d.number == level)
        {
            self.earlier.push((tree.first_of_own_group(attempt.dst, at), level), attempt);
            self.count(level, attempt.result);
        }
        self.attempts.push(attempt);
    }

    fn count(&mut self, level: i16, result: AttemptResult) {
        let moved = result == AttemptResult::Moved;
        if !moved && !result.left_a_waiter() {
            return;
        }
        let at = self.levels.iter().position(|(of, _)| *of == level).unwrap_or_else(|| {
            self.levels.push((level, [0; 2]));
            self.levels.len() - 1
        });
        let count = &mut self.levels[at].1[usize::from(moved)];
        *count = count.saturating_add(1);
    }

    /// Of the attempts over domains of this level that met a waiting thread, most moved none.
    pub fn mostly_leaves_waiters(&self, level: i16) -> bool {
        self.levels.iter().any(|(of, [left, moved])| *of == level && left > moved)
    }

    /// CPUs went off or on: the kernel builds its domains and their groups anew.
    pub fn hotplug(&mut self, now: i64) {
        self.domains.hotplug(now);
        self.own_groups.clear();
        self.earlier.clear();
        self.levels.clear();
    }

    /// The latest time before or at `t` at which the CPU went idle.
    pub fn idle_entry(&self, cpu: CpuIx, t: i64) -> Option<IdleEntry> {
        let entries = &self.entries[cpu as usize];
        if entries.is_empty() {
            return None;
        }
        entries.partition_point(|e| e.t <= t).checked_sub(1).map(|at| entries[at])
    }

    /// An event that can end a wait.
    pub fn ending_event(&mut self, event: i64, ending_event: EndingEvent) {
        self.ending_events.push_back((event, ending_event));
    }

    /// What the event did; None: it was a switch, or lies too far back.
    pub fn ending_of(&self, event: i64) -> Option<EndingEvent> {
        if self.ending_events.back().is_none_or(|(latest, _)| *latest < event) {
            return None;
        }
        let at = self.ending_events.partition_point(|(e, _)| *e < event);
        self.ending_events.get(at).filter(|(e, _)| *e == event).map(|(_, ending_event)| *ending_event)
    }

    /// The interval whose last change this is ended as interrupt work began on an idle CPU: until when that goes on.
    pub fn interrupted(&self, last: Option<&InputChange>) -> Option<i64> {
        match self.ending_of(last?.event)? {
            EndingEvent::Interrupt(until) => Some(until),
            _ => None,
        }
    }

    /// The first move from a queue to a CPU after an event and not after `until`. (A balancer runs in an interrupt's wake:
    /// where that is long enough to count as interrupt work, what it pulls comes after the CPU ceased to be usable.)
    pub fn pulled(&self, after: i64, from: CpuIx, to: CpuIx, until: i64) -> Option<(i64, EndingEvent)> {
        let first = self.ending_events.partition_point(|(event, _)| *event <= after);
        let moves = self.ending_events.range(first..).filter_map(|&(event, ending_event)| match ending_event {
            EndingEvent::Moved(_, _, hop) => Some((event, ending_event, hop)),
            _ => None,
        });
        let mut in_time = moves.take_while(|(.., hop)| hop.t <= until);
        in_time.find(|(.., hop)| (hop.from, hop.to) == (from, to)).map(|(event, ending_event, _)| (event, ending_event))
    }

    /// A CPU's stopper began to run.
    pub fn stopped(&mut self, t: i64, cpu: CpuIx, event: i64) {
        if self.stops.len() == RUNS {
            self.stops.pop_front();
        }
        self.stops.push_back((t, cpu, event));
    }

    /// The event at which the CPU's stopper last ran between two instants.
    pub fn stopper_between(&self, cpu: CpuIx, from: i64, to: i64) -> Option<i64> {
        if self.stops.is_empty() {
            return None;
        }
        let until = self.stops.partition_point(|s| s.0 < to);
        let before = self.stops.range(..until).rev().take_while(|s| s.0 >= from);
        before.filter(|s| s.1 == cpu).map(|s| s.2).next()
    }

    /// A queued or running thread had this mask before it changed.
    pub fn widen(&mut self, number: u32, origin: &mut WaitOrigin, event: i64, before: CpuBits) {
        if !origin.widened {
            origin.widened = true;
            self.requeued.retain(|left| *left != number);
            self.widened.insert(number, (event, before));
        }
    }

    /// The event by which the thread gained a CPU on the queue where it is; only where its `WaitOrigin` says so.
    pub fn gained(&self, number: u32, cpu: CpuIx) -> Option<i64> {
        self.widened.get(&number).filter(|(_, before)| !before.contains(u32::from(cpu))).map(|(event, _)| *event)
    }

    /// The thread is on another queue.
    pub fn requeued(&mut self, number: u32) {
        if self.interval_deferred {
            self.requeued.push(number);
        } else {
            self.widened.remove(&number);
        }
    }

    /// The thread is gone, and what it wasted is graded.
    pub fn forget_thread(&mut self, utid: Utid, number: u32) {
        self.widened.remove(&number);
        self.pending.remove(&utid);
        self.ext.forget_thread(number);
    }

    /// The deferred interval is graded.
    pub fn release_deferred(&mut self) {
        self.interval_deferred = false;
        for number in self.requeued.drain(..) {
            self.widened.remove(&number);
        }
    }

    /// The interval has been graded, or its part before `cut`.
    pub fn forget_before(&mut self, cut: i64, event: i64) {
        self.readings.forget_before(cut);
        self.attempts.forget_before(cut);
        self.earlier.forget_before(cut);
        self.ext.forget_before(cut);
        self.realtime_runs.forget_before(cut);
        while self.ending_events.front().is_some_and(|(e, _)| *e < event) {
            self.ending_events.pop_front();
        }
        while self.stops.front().is_some_and(|s| s.0 < cut) {
            self.stops.pop_front();
        }
        self.kicks.forget_before(cut);
        let touched = std::mem::take(&mut self.touched);
        for cpu in touched {
            let entries = &mut self.entries[cpu as usize];
            while entries.len() > 1 && entries[1].t <= cut {
                entries.pop_front();
            }
            if entries.len() > 1 {
                self.touched.push(cpu);
            }
        }
    }
}
