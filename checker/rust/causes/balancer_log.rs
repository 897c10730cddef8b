//! The balancer's recorded activity: attempts, entries to idle, and what ended a wait. Kept while waste is under way, and
//! dropped when the interval has been graded, so that memory does not grow with the trace.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use super::attempt_log::AttemptLog;
use super::balance_attempt::{AttemptResult, BalanceAttempt};
use super::domains::{DomainHistory, KnownDomains};
use super::earlier_attempts::EarlierAttempts;
use super::ext_log::ExtLog;
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

/// A kick for loads is answered in this time as a rule; one that is not may have become one to balance before it arrived.
const ANSWERED_NS: i64 = 1_000_000;

/// Readings that are read for one pair; of more, the latest.
const MAX_READ: usize = 64;

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

/// When the kernel held the periodic attempts of an idle CPU due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextBalanceReading {
    pub t: i64,
    pub event: i64,
    pub due: i64,
    /// When it may have changed: another CPU began an attempt for it, or it ran a thread; when something else was read.
    until: i64,
}

impl NextBalanceReading {
    /// Read now, and in force.
    pub fn new(t: i64, event: i64, due: i64) -> Self {
        Self { t, event, due, until: i64::MAX }
    }
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

/// An idle CPU was kicked to balance, or the balancer's softirq ran on one.
#[derive(Clone, Copy, Debug)]
pub struct KickOrSoftirq {
    pub t: i64,
    pub event: i64,
    /// The idle CPU.
    pub cpu: CpuIx,
    /// The kick; else the balancer's softirq.
    pub sent: bool,
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
    /// The trace records kicks sent to idle CPUs, of which there may be none.
    pub reports_kicks: bool,
    /// It has when CPUs are due to balance, or lacks it: it is no simulation.
    pub reports_next_balance: bool,
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
    /// By CPU, kept as entries to idle are.
    due: Vec<VecDeque<NextBalanceReading>>,
    due_touched: Vec<CpuIx>,
    ending_events: VecDeque<(i64, EndingEvent)>,
    /// When stoppers ran, where, and the event.
    stops: VecDeque<(i64, CpuIx, i64)>,
    /// When idle CPUs were called to balance for all that idle: kicked, or the softirq that answers a kick ran.
    calls: VecDeque<KickOrSoftirq>,
    /// The last such call that is not in the log: before the interval under way, or dropped.
    last_call: Option<i64>,
    /// By CPU: when the balancer's softirq ran on it, idle, of its own tick.
    own_softirqs: Vec<VecDeque<i64>>,
    /// Earlier ones are not asked for any more.
    forgotten: i64,
    /// CPUs that were kicked to balance since their last softirq; when they were kicked for loads alone.
    kicked: CpuBits<CpuIx>,
    kicked_for_loads: Vec<Option<i64>>,
    /// From when to when events were lost, of whichever CPU.
    losses: VecDeque<(i64, i64)>,
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
            due: vec![VecDeque::new(); n],
            newest: vec![None; n],
            kicked: CpuBits::new(n),
            kicked_for_loads: vec![None; n],
            own_softirqs: vec![VecDeque::new(); n],
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
            + self.calls.len()
            + self.due_touched.len()
            + self.losses.len()
            + self.readings.size()
    }

    /// Nothing is recorded of the balancer that the facts of a pair rest on, and the domains have not changed.
    pub fn is_empty(&self) -> bool {
        !self.reports_attempts
            && !self.reports_newidle
            && !self.reports_kicks
            && !self.reports_next_balance
            && !self.readings.any()
            && self.domains.is_constant()
            && self.own_groups.is_empty()
            && self.attempts.is_empty()
            && self.earlier.len() == 0
            && self.levels.is_empty()
            && self.stops.is_empty()
            && self.calls.is_empty()
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
            self.due_may_change(cpu, t);
            // A kick that is under way finds it busy: nothing is balanced for it.
            if self.kicked.remove(cpu) || self.kicked_for_loads[cpu as usize].take().is_some() {
                self.called(KickOrSoftirq { t, event, cpu, sent: false }, wasting);
            }
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

    /// What the kernel held due for the CPU may change from now on.
    pub fn due_may_change(&mut self, cpu: CpuIx, t: i64) {
        if let Some(reading) = self.due[cpu as usize].back_mut() {
            reading.until = reading.until.min(t);
        }
    }

    /// When the kernel holds the periodic attempts of a CPU due was read, in ticks of this length; what was read before holds until now,
    /// or still, where it is the same: either is past, or they differ by what reading takes.
    pub fn next_balance_read(&mut self, cpu: CpuIx, read: NextBalanceReading, tick_ns: i64, wasting: bool) {
        self.reports_next_balance = true;
        let last_call = self.calls.back().map(|call| call.t).max(self.last_call);
        let readings = &mut self.due[cpu as usize];
        if let Some(last) = readings.back_mut() {
            let is_same = last.due.max(read.due) <= read.t || (last.due - read.due).abs() <= tick_ns + 2_000_000;
            let holds = last.until == i64::MAX && last_call.is_none_or(|t| t <= last.t);
            if holds && is_same {
                return;
            }
            last.until = last.until.min(read.t);
        }
        if !wasting {
            readings.clear();
        } else if readings.len() == 1 {
            self.due_touched.push(cpu);
        } else if readings.len() == RUNS {
            readings.pop_front();
        }
        readings.push_back(read);
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

    /// An idle CPU was kicked only so that it updates the loads of CPUs that idle: the softirq that follows balances nothing.
    pub fn kicked_for_loads(&mut self, cpu: CpuIx, t: i64) {
        if !self.kicked.contains(cpu) {
            self.kicked_for_loads[cpu as usize].get_or_insert(t);
        }
    }

    /// An idle CPU was kicked to balance, or the balancer's softirq ran on one, while cores are wasted or not.
    pub fn kick_or_softirq(&mut self, call: KickOrSoftirq, wasting: bool) {
        let for_loads = self.kicked_for_loads[call.cpu as usize].take();
        let for_all = if call.sent {
            self.kicked.insert(call.cpu);
            true
        } else {
            // Another CPU may have asked to balance while a kick for loads was under way.
            let late = for_loads.map(|sent| call.t - sent > ANSWERED_NS);
            if late == Some(false) {
                return;
            }
            self.kicked.remove(call.cpu) || late.is_some() || !self.reports_kicks
        };
        match for_all {
            true => self.called(call, wasting),
            false => {
                let own = &mut self.own_softirqs[call.cpu as usize];
                while own.front().is_some_and(|t| *t < self.forgotten) || own.len() == RUNS {
                    own.pop_front();
                }
                own.push_back(call.t);
            }
        }
    }

    /// An idle CPU is called to balance for all that idle.
    fn called(&mut self, call: KickOrSoftirq, wasting: bool) {
        if !wasting {
            self.last_call = self.last_call.max(Some(call.t));
            return;
        }
        if self.calls.len() == RUNS {
            self.drop_call();
        }
        self.calls.push_back(call);
    }

    fn drop_call(&mut self) {
        if let Some(call) = self.calls.pop_front() {
            self.last_call = self.last_call.max(Some(call.t));
        }
    }

    /// Events were lost from then until then, of whichever CPU: a kick may be among them, and what changes when attempts are due.
    pub fn lost(&mut self, from: i64, until: i64) {
        for cpu in 0..self.due.len() as CpuIx {
            self.due_may_change(cpu, from);
            self.kicked_for_loads[cpu as usize] = None;
        }
        self.kicked = CpuBits::new(self.due.len());
        if self.losses.len() == RUNS {
            self.losses.pop_front();
        }
        self.losses.push_back((from, until));
    }

    /// Events were lost between two instants.
    pub fn any_lost(&self, from: i64, to: i64) -> bool {
        self.losses.iter().any(|(lost, until)| *lost < to && *until > from)
    }

    fn calls_since(&self, from: i64) -> impl Iterator<Item = &KickOrSoftirq> {
        let first = self.calls.partition_point(|call| call.t < from);
        self.calls.range(first..)
    }

    /// Between two instants some idle CPU was called to balance for all, or the softirq ran on this one, of its own tick.
    pub fn was_kicked(&self, idle: CpuIx, from: i64, to: i64) -> bool {
        let own = &self.own_softirqs[idle as usize];
        let is_within = |t: i64| t <= to;
        self.calls_since(from).next().is_some_and(|call| is_within(call.t))
            || own.get(own.partition_point(|t| *t < from)).is_some_and(|t| is_within(*t))
    }

    /// For which times between two instants it is known when the kernel held the periodic attempts of an idle CPU due: each with the
    /// reading, of many the latest. A CPU that is called to balance may find that none is due after all, of which there is no record for
    /// the others.
    pub fn next_balances(
        &self,
        cpu: CpuIx,
        from: i64,
        to: i64,
    ) -> impl Iterator<Item = (Range<i64>, &NextBalanceReading)> {
        let readings = &self.due[cpu as usize];
        let end = readings.partition_point(|reading| reading.t < to);
        let start = readings.partition_point(|reading| reading.t <= from).saturating_sub(1);
        readings.range(start.max(end.saturating_sub(MAX_READ)).min(end)..end).filter_map(move |reading| {
            let later = || self.calls_since(reading.t + 1).next().map(|call| call.t);
            let called = self.last_call.filter(|t| *t > reading.t).or_else(later);
            let until = reading.until.min(called.unwrap_or(i64::MAX)).min(to);
            let known = reading.t.max(from)..until;
            (!known.is_empty()).then_some((known, reading))
        })
    }

    /// The event of the first kick between two instants, if the balancer's softirq ran on no idle CPU for more than half of that time
    /// since. (The CPU that balances does so for all that idle.)
    pub fn late_kick(&self, from: i64, to: i64) -> Option<i64> {
        if !self.reports_kicks {
            return None;
        }
        let mut calls = self.calls_since(from).take_while(|call| call.t <= to);
        let kick = calls.find(|call| call.sent)?;
        let until = calls.find(|call| !call.sent).map_or(to, |softirq| softirq.t);
        (2 * (until - kick.t) > to - from).then_some(kick.event)
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
        while self.calls.front().is_some_and(|call| call.t < cut) {
            self.drop_call();
        }
        while self.losses.front().is_some_and(|(_, until)| *until < cut) {
            self.losses.pop_front();
        }
        self.forgotten = cut;
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
        for cpu in std::mem::take(&mut self.due_touched) {
            let readings = &mut self.due[cpu as usize];
            while readings.len() > 1 && readings[1].t <= cut {
                readings.pop_front();
            }
            if readings.len() > 1 {
                self.due_touched.push(cpu);
            }
        }
    }
}
