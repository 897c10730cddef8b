//! Calls of idle CPUs to balance, and when the kernel held their periodic attempts due. Kept while cores are wasted.

use crate::topology::CpuIx;
use std::collections::VecDeque;
use std::ops::Range;
use wastenot_topology::CpuBits;

/// Calls, readings and losses kept of one interval; of more, the first are dropped.
const KEPT: usize = 1 << 15;

/// A kick for loads is answered in this time as a rule; one that is not may have become one to balance before it arrived.
const ANSWERED_NS: i64 = 1_000_000;

/// Readings that are read for one pair; of more, the latest.
const MAX_READ: usize = 64;

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

/// See the module.
#[derive(Debug, Default)]
pub struct KickLog {
    /// The trace records kicks sent to idle CPUs, of which there may be none.
    pub reports: bool,
    /// The trace has when CPUs are due to balance, or lacks it: it is no simulation.
    pub reports_next_balance: bool,
    /// By CPU when its attempts were due, the latest reading before the interval first; CPUs with more.
    due: Vec<VecDeque<NextBalanceReading>>,
    due_touched: Vec<CpuIx>,
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
}

impl KickLog {
    /// A log of so many CPUs.
    pub fn new(n: usize) -> Self {
        Self {
            due: vec![VecDeque::new(); n],
            kicked: CpuBits::new(n),
            kicked_for_loads: vec![None; n],
            own_softirqs: vec![VecDeque::new(); n],
            ..Self::default()
        }
    }

    /// Number of records that an interval of waste adds to.
    pub fn len(&self) -> usize {
        self.calls.len() + self.due_touched.len() + self.losses.len()
    }

    /// Nothing of it is recorded.
    pub fn is_empty(&self) -> bool {
        !self.reports && !self.reports_next_balance && self.calls.is_empty()
    }

    /// The CPU no longer idles.
    pub fn runs_thread(&mut self, cpu: CpuIx, t: i64, event: i64, wasting: bool) {
        self.due_may_change(cpu, t);
        // A kick that is under way finds it busy: nothing is balanced for it.
        if self.kicked.remove(cpu) || self.kicked_for_loads[cpu as usize].take().is_some() {
            self.called(KickOrSoftirq { t, event, cpu, sent: false }, wasting);
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
        } else if readings.len() == KEPT {
            readings.pop_front();
        }
        readings.push_back(read);
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
            self.kicked.remove(call.cpu) || late.is_some() || !self.reports
        };
        match for_all {
            true => self.called(call, wasting),
            false => {
                let own = &mut self.own_softirqs[call.cpu as usize];
                while own.front().is_some_and(|t| *t < self.forgotten) || own.len() == KEPT {
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
        if self.calls.len() == KEPT {
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
        if self.losses.len() == KEPT {
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
        if !self.reports {
            return None;
        }
        let mut calls = self.calls_since(from).take_while(|call| call.t <= to);
        let kick = calls.find(|call| call.sent)?;
        let until = calls.find(|call| !call.sent).map_or(to, |softirq| softirq.t);
        (2 * (until - kick.t) > to - from).then_some(kick.event)
    }

    /// The interval has been graded, or its part before `cut`.
    pub fn forget_before(&mut self, cut: i64) {
        while self.calls.front().is_some_and(|call| call.t < cut) {
            self.drop_call();
        }
        while self.losses.front().is_some_and(|(_, until)| *until < cut) {
            self.losses.pop_front();
        }
        self.forgotten = cut;
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
