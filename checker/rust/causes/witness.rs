//! What the walk saw of the balancer: passes, entries to idle, and what ended a wait. Kept while waste is under way, and
//! dropped when the spell has been judged, so that memory does not grow with the trace.

use std::collections::{BTreeMap, VecDeque};

use wastenot_schemas::idle_type;

use super::arrivals::Arrival;
use super::counts::Readings;
use super::domains::{Domains, Known};
use super::passes::PassLog;
use super::paths::Path;
use crate::fast_hash::FastMap;
use crate::matching::CpuBits;
use crate::spells::Op;
use crate::threads::Utid;
use crate::topology::CpuIx;

/// Runs of stoppers and of the balancer's softirq kept of one spell; of more, the first are dropped.
const RUNS: usize = 1 << 15;

/// Levels of domains that passes may tell.
const LEVELS: usize = 32;

/// What a pass over a domain concluded, as far as that can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Not told.
    Unknown,
    /// It moved threads.
    Moved,
    /// Nobody waited in another group.
    NothingThere,
    /// The averages of its groups hid that CPUs idle here while threads wait there.
    Averages,
    /// The imbalance is below what the domain acts on.
    Allowed,
    /// Nodes may differ by that much.
    NumaAllowed,
    /// So few threads run here that nodes may differ, though not by so much in the kernel's own rule.
    NumaFew,
    /// By its loads the pass had to act, and did not.
    Unexplained,
    /// It chose the queue and took nobody: none of its threads may use the CPU.
    Pinned(CpuIx),
    /// The same, but the masks were widened while the threads stood there.
    StaleMask(CpuIx),
    /// It chose the queue and took nobody, though some may use the CPU; true: all of those ran in the last 500 us.
    Refused(CpuIx, bool),
}

/// One pass of the balancer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// From when until when.
    pub t: i64,
    pub until: i64,
    pub event: i64,
    /// CPU it balanced for.
    pub dst: CpuIx,
    /// Level of the domain; None: not told.
    pub level: Option<i16>,
    /// A code of `idle_type`.
    pub idle: u8,
    pub verdict: Verdict,
    /// The verdict rests on loads or choices that the kernel's own pass showed; else on the reconstructed queues.
    pub seen: bool,
}

/// What a CPU about to idle did for work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Newidle {
    /// Event of the attempt, or of its first pass.
    pub event: i64,
    /// Highest level it made a pass over.
    pub level: Option<i16>,
}

/// A CPU went idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdleEntry {
    pub t: i64,
    pub event: i64,
    pub newidle: Option<Newidle>,
}

/// What an event did that can end a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A runnable thread was moved: by which path, and how sure that is.
    Moved(Option<Path>, u8, Hop),
    /// A thread was woken.
    Woken,
    /// A thread's allowed CPUs changed.
    Mask,
    /// Interrupt work began on an idle CPU; it ends then, ns.
    Interrupt(i64),
    /// Something else that is no switch: a CPU went off, a loss, quota.
    Other,
}

/// From where to where, and when (ns).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    pub from: CpuIx,
    pub to: CpuIx,
    pub t: i64,
}

/// Loads that a pass saw, while it is under way.
#[derive(Clone, Debug, Default)]
pub struct Loads {
    pub attempt: i64,
    pub rows: Vec<(CpuIx, i64, i32)>,
    pub src: Option<CpuIx>,
    /// The pass said what it chose.
    pub chose: bool,
}

/// A pass whose loads may still come.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    pub t: i64,
    pub until: i64,
    pub event: i64,
    pub dst: CpuIx,
    pub level: Option<i16>,
    pub idle: u8,
    pub pulled: Option<i32>,
}

/// A placement's choice, as the kernel told it.
#[derive(Clone, Copy, Debug)]
pub struct Choosing {
    pub event: i64,
    /// CPU that chose: of a wakeup the waker's.
    pub by: CpuIx,
    pub chosen: Option<CpuIx>,
    /// CPUs looked at, a row of `mask`.
    pub mask: Option<i32>,
}

/// What was seen of a placement before its wakeup.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pending {
    /// The move: event, path, code of its proof.
    pub moved: Option<(i64, Path, u8)>,
    /// The CPU it leaves by that move.
    pub from: Option<CpuIx>,
    pub chose: Option<Choosing>,
}

/// Everything seen that rules may need.
#[derive(Debug, Default)]
pub struct Witness {
    pub domains: Domains,
    /// Passes over a domain, and attempts of CPUs about to idle, were met: the trace shows them.
    pub tells_passes: bool,
    pub tells_newidle: bool,
    /// Levels of domains as passes tell them, the smallest first.
    told_levels: Vec<i16>,
    /// Kicks sent to idle CPUs were met.
    pub tells_kicks: bool,
    /// What the balancer counted lately.
    pub readings: Readings,
    /// What placements looked at was met.
    pub tells_choices: bool,
    /// What passes over a domain between nodes counted as their own group, by CPU that they were for and level, and the event:
    /// where the loads that they saw show it, and releases build groups by a rule that hides something.
    pub own_groups: BTreeMap<(CpuIx, i16), (i64, CpuBits)>,
    /// Passes of the spell under way.
    pub passes: PassLog,
    /// Entries to idle of the spell under way by CPU, the latest before it first.
    entries: Vec<VecDeque<IdleEntry>>,
    touched: Vec<CpuIx>,
    endings: VecDeque<(i64, Ending)>,
    /// When stoppers ran, where, and the event.
    stops: VecDeque<(i64, CpuIx, i64)>,
    /// When idle CPUs were kicked to balance, or the balancer's softirq ran on one.
    softirqs: VecDeque<i64>,
    /// Per CPU: what it did for work since its last switch.
    newest: Vec<Option<Newidle>>,
    /// The pass that each CPU has under way, with what it saw.
    pub open: Vec<Option<(Open, Loads)>>,
    /// CPUs that have one.
    pub opened: Vec<CpuIx>,
    /// Masks that a thread had before they changed, while it stands where it stood then.
    widened: FastMap<Utid, (i64, CpuBits)>,
    /// A spell that has ended is not graded yet; threads that moved meanwhile, whose former masks it may ask for.
    pub holds: bool,
    left: Vec<Utid>,
    /// Moves of sleeping threads, and what the kernel looked at for them, until they are woken.
    pub pending: FastMap<Utid, Pending>,
}

impl Witness {
    /// A witness of so many CPUs.
    pub fn new(n: usize) -> Self {
        Self {
            passes: PassLog::new(n),
            entries: vec![VecDeque::new(); n],
            newest: vec![None; n],
            open: (0..n).map(|_| None).collect(),
            ..Self::default()
        }
    }

    /// How much is kept.
    pub fn kept(&self) -> usize {
        self.passes.len()
            + self.endings.len()
            + self.touched.len()
            + self.stops.len()
            + self.softirqs.len()
            + self.readings.kept()
    }

    /// The domains in force at `t`.
    pub fn domains(&self, t: i64) -> Known<'_> {
        self.domains.at(t)
    }

    /// A CPU about to idle looks for work, or makes a pass over a domain for that.
    pub fn newidle(&mut self, cpu: CpuIx, seen: Newidle) {
        self.tells_newidle = true;
        let newest = self.newest[cpu as usize].get_or_insert(seen);
        newest.level = newest.level.max(seen.level);
    }

    /// The number, in the table `domain`, of the domain of `cpu` over which a pass was told as one over level `told`. Kernels
    /// keep the numbers of levels that the machine does not have (MC 2 and NUMA 5 in 6.1, 1 and 4 in 7.2): the levels of
    /// passes, in their order, are then those of the table. (A CPU begins with its smallest domain.)
    pub fn level(&mut self, cpu: CpuIx, told: i16, now: i64) -> i16 {
        if let Err(at) = self.told_levels.binary_search(&told)
            && self.told_levels.len() < LEVELS
        {
            self.told_levels.insert(at, told);
        }
        let Some(tree) = self.domains.at(now).tree() else { return told };
        let levels = tree.of(cpu);
        if self.told_levels.iter().all(|told| levels.iter().any(|d| d.number == *told)) {
            return told;
        }
        let rank = self.told_levels.partition_point(|l| *l < told);
        levels.get(rank).or(levels.last()).map_or(told, |d| d.number)
    }

    /// The CPU switched: to swapper (`idles`) or to a thread.
    #[inline]
    pub fn switched(&mut self, cpu: CpuIx, idles: bool, t: i64, event: i64, wasting: bool) {
        if !self.tells_newidle && !self.readings.tells() {
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

    /// CPUs went off or on: the kernel builds its domains and their groups anew.
    pub fn hotplug(&mut self, now: i64) {
        self.domains.hotplug(now);
        self.own_groups.clear();
    }

    /// The latest time before or at `t` at which the CPU went idle.
    pub fn idle_entry(&self, cpu: CpuIx, t: i64) -> Option<IdleEntry> {
        let entries = &self.entries[cpu as usize];
        entries.partition_point(|e| e.t <= t).checked_sub(1).map(|at| entries[at])
    }

    /// An event that can end a wait.
    pub fn ending(&mut self, event: i64, ending: Ending) {
        self.endings.push_back((event, ending));
    }

    /// What the event did; None: it was a switch, or lies too far back.
    pub fn ending_of(&self, event: i64) -> Option<Ending> {
        let at = self.endings.partition_point(|(e, _)| *e < event);
        self.endings.get(at).filter(|(e, _)| *e == event).map(|(_, ending)| *ending)
    }

    /// The spell whose last change this is ended as interrupt work began on an idle CPU: until when that goes on.
    pub fn interrupted(&self, last: Option<&Op>) -> Option<i64> {
        match self.ending_of(last?.event)? {
            Ending::Interrupt(until) => Some(until),
            _ => None,
        }
    }

    /// The first move from a queue to a CPU after an event and not after `until`. (A balancer runs in an interrupt's wake:
    /// where that is long enough to count as interrupt work, what it pulls comes after the CPU ceased to be usable.)
    pub fn pulled(&self, after: i64, from: CpuIx, to: CpuIx, until: i64) -> Option<(i64, Ending)> {
        let first = self.endings.partition_point(|(event, _)| *event <= after);
        let moves = self.endings.range(first..).filter_map(|&(event, ending)| match ending {
            Ending::Moved(_, _, hop) => Some((event, ending, hop)),
            _ => None,
        });
        let mut in_time = moves.take_while(|(.., hop)| hop.t <= until);
        in_time.find(|(.., hop)| (hop.from, hop.to) == (from, to)).map(|(event, ending, _)| (event, ending))
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
        let until = self.stops.partition_point(|s| s.0 < to);
        let before = self.stops.range(..until).rev().take_while(|s| s.0 >= from);
        before.filter(|s| s.1 == cpu).map(|s| s.2).next()
    }

    /// An idle CPU was kicked to balance, or the balancer's softirq ran on one.
    pub fn balanced_in_idle(&mut self, t: i64) {
        if self.softirqs.len() == RUNS {
            self.softirqs.pop_front();
        }
        self.softirqs.push_back(t);
    }

    /// It did so between two instants.
    pub fn was_kicked(&self, from: i64, to: i64) -> bool {
        let first = self.softirqs.partition_point(|t| *t < from);
        self.softirqs.get(first).is_some_and(|t| *t <= to)
    }

    /// A thread that stands somewhere had this mask before it changed.
    pub fn widen(&mut self, utid: Utid, arrival: &mut Arrival, event: i64, before: CpuBits) {
        if !arrival.widened {
            arrival.widened = true;
            self.left.retain(|left| *left != utid);
            self.widened.insert(utid, (event, before));
        }
    }

    /// The event by which the thread gained a CPU while it stood where it stands; only for arrivals that say so.
    pub fn gained(&self, utid: Utid, cpu: CpuIx) -> Option<i64> {
        self.widened.get(&utid).filter(|(_, before)| !before.contains(u32::from(cpu))).map(|(event, _)| *event)
    }

    /// The thread stands elsewhere.
    pub fn moved_on(&mut self, utid: Utid) {
        if self.holds {
            self.left.push(utid);
        } else {
            self.widened.remove(&utid);
        }
    }

    /// The spell that was held is graded.
    pub fn let_go(&mut self) {
        self.holds = false;
        for utid in self.left.drain(..) {
            self.widened.remove(&utid);
        }
    }

    /// The spell has been judged, or its part before `cut`.
    pub fn forget_before(&mut self, cut: i64, event: i64) {
        self.readings.forget_before(cut);
        self.passes.forget_before(cut);
        while self.endings.front().is_some_and(|(e, _)| *e < event) {
            self.endings.pop_front();
        }
        while self.stops.front().is_some_and(|s| s.0 < cut) {
            self.stops.pop_front();
        }
        while self.softirqs.front().is_some_and(|t| *t < cut) {
            self.softirqs.pop_front();
        }
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

/// A pass made as a CPU was about to idle.
pub fn is_newly_idle(idle: u8) -> bool {
    idle == idle_type::NEWLY_IDLE
}
