//! Intervals: maximal times in which at least one core was wasted, recorded just long enough to be graded.
//!
//! Whether a pair lasted is known only afterwards, so an interval keeps the changes of the matching's input while it runs.
//! An interval shorter than the first threshold is noise and its record is dropped; the others are replayed by `grades`.

use crate::causes::{Arrival, QueuedBy, WaitOrigin};
use crate::input_change::{ChangedInput, InputChange};
use crate::matching::Pairing;
use crate::pair_segment::PairSegment;
use crate::topology::CpuIx;
use wastenot_topology::set_bits;

/// A quantity per time that changes at `from` and holds until the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub from: i64,
    pub value: u32,
}

/// The waiters that are queued on each queue now and that no excuse of their own holds back, by class.
#[derive(Clone, Default)]
pub struct WaitersByQueue {
    queues: Vec<Vec<(u32, i32)>>,
    /// Queues with waiters, a bit each.
    occupied: Vec<u64>,
}

impl WaitersByQueue {
    /// Classes of a queue's waiters, and how many.
    pub fn on(&self, queue: CpuIx) -> &[(u32, i32)] {
        self.queues.get(queue as usize).map_or(&[], |classes| classes)
    }

    /// Queues with waiters.
    pub fn occupied(&self) -> impl Iterator<Item = CpuIx> + '_ {
        set_bits(self.occupied.iter().copied()).map(|queue| queue as CpuIx)
    }

    /// The classes have other numbers now.
    pub fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        self.queues.iter_mut().flatten().for_each(|(class, _)| *class = number(*class));
    }

    #[inline]
    fn apply(&mut self, queue: CpuIx, class: u32, n: i32) {
        let at = queue as usize;
        if at >= self.queues.len() {
            self.queues.resize(at + 1, Vec::new());
            self.occupied.resize(at / 64 + 1, 0);
        }
        if count(&mut self.queues[at], class, n) {
            let (word, shift) = (&mut self.occupied[at / 64], at % 64);
            *word = *word & !(1 << shift) | u64::from(!self.queues[at].is_empty()) << shift;
        }
    }
}

/// Add `n` waiters of a class; true when the class came or went.
#[inline]
pub fn count(classes: &mut Vec<(u32, i32)>, class: u32, n: i32) -> bool {
    match classes.iter().position(|(c, _)| *c == class) {
        Some(at) => {
            classes[at].1 += n;
            let gone = classes[at].1 == 0;
            if gone {
                classes.swap_remove(at);
            }
            gone
        }
        None => {
            classes.push((class, n));
            true
        }
    }
}

/// The interval under way, if there is one.
#[derive(Default)]
pub struct WasteInterval {
    /// State after the latest change, recorded or not.
    pub waiting: WaitersByQueue,
    /// Start of the record: the interval's start, or where the last cut was.
    pub start: Option<i64>,
    /// Start of the interval, cut or not.
    pub began: i64,
    /// Event that started the interval.
    pub start_event: Option<i64>,
    /// Event of the latest change, recorded or not.
    latest: Option<i64>,
    /// It ended there; the walk then takes the record and calls `clear`.
    pub ended: Option<i64>,
    pub ops: Vec<InputChange>,
    pub pairs: Vec<PairSegment>,
    /// Cores that excuses took off (idle_while_waiting - wasted).
    pub excused: Vec<Step>,
    /// Waste since the interval began, core-ns.
    pub core_ns: i64,
    /// The interval began before `start`.
    pub cut: bool,
    /// Pairs that are open now; `to` is not known yet.
    open: Vec<PairSegment>,
    /// While they are compared with others: those that were open, and by CPU which of them had it (entries of other CPUs are
    /// stale).
    previous: Vec<PairSegment>,
    index_by_cpu: Vec<u32>,
    /// By utid: how each thread came to be queued where it is, and which of all arrivals recorded that is.
    origins: Vec<(WaitOrigin, u64)>,
    /// Arrivals of the pairs recorded, as they were when each pair began.
    pub recorded: Vec<WaitOrigin>,
    /// Arrivals recorded before these, and forgotten.
    dropped: u64,
}

/// In `WasteInterval::index_by_cpu` and in the new places of origins: none.
const NONE: u32 = u32::MAX;
/// In `WasteInterval::origins`: not recorded as it is now.
const UNRECORDED: u64 = u64::MAX;

impl WasteInterval {
    /// How the thread came to be queued where it is.
    #[inline]
    pub fn wait_origin(&mut self, utid: u32) -> &mut WaitOrigin {
        let at = utid as usize;
        if at >= self.origins.len() {
            self.origins.resize(at + 1, (WaitOrigin::default(), UNRECORDED));
        }
        let (origin, place) = &mut self.origins[at];
        *place = UNRECORDED;
        origin
    }

    /// What put the thread on its queue.
    pub fn queued_by(&self, utid: u32) -> QueuedBy {
        self.arrival(utid).queued_by
    }

    /// How the thread came to its queue.
    pub fn arrival(&self, utid: u32) -> Arrival {
        self.origins.get(utid as usize).map_or_else(Arrival::default, |(origin, _)| origin.arrival)
    }

    #[inline]
    pub fn log(&mut self, op: InputChange) {
        self.latest = Some(op.event);
        if let ChangedInput::Waiter { class, queue } = op.what {
            self.waiting.apply(queue, class, if op.added { 1 } else { -1 });
        }
        if self.start.is_some() {
            self.ops.push(op);
        }
    }

    /// The matching held from `from` to `to` with `wasted` > 0 cores and these pairs.
    pub fn last_for(&mut self, from: i64, to: i64, wasted: u32, idle_while_waiting: u32, pairs: &[Pairing]) {
        if self.start.is_none() {
            (self.start, self.start_event, self.began) = (Some(from), self.latest, from);
        }
        self.core_ns += (to - from) * i64::from(wasted);
        let excused = idle_while_waiting - wasted;
        if self.excused.last().is_none_or(|s| s.value != excused) {
            self.excused.push(Step { from, value: excused });
        }
        let same = self.open.iter().zip(pairs).take_while(|(a, b)| a.is(b)).count();
        if same < self.open.len().max(pairs.len()) {
            self.repair(from, same, &pairs[same..]);
        }
    }

    /// Close the pairs after the first `same` that are no longer open, open the new ones.
    fn repair(&mut self, at: i64, same: usize, pairs: &[Pairing]) {
        self.previous.clear();
        self.previous.extend(self.open.drain(same..));
        let highest = self.previous.iter().map(|s| u32::from(s.idle)).chain(pairs.iter().map(|p| p.idle_cpu)).max();
        let n = highest.map_or(0, |cpu| cpu as usize + 1);
        if n > self.index_by_cpu.len() {
            self.index_by_cpu.resize(n, NONE);
        }
        for (i, s) in self.previous.iter().enumerate() {
            self.index_by_cpu[s.idle as usize] = i as u32;
        }
        for pair in pairs {
            let index_by_cpu = self.index_by_cpu[pair.idle_cpu as usize];
            let segment = match self.previous.get(index_by_cpu as usize).filter(|s| s.is(pair)) {
                Some(s) => {
                    self.index_by_cpu[pair.idle_cpu as usize] = NONE;
                    *s
                }
                None => {
                    let (queue, idle) = (pair.queue_cpu as CpuIx, pair.idle_cpu as CpuIx);
                    let origin = self.record_origin(pair.utid);
                    PairSegment { from: at, to: at, utid: pair.number, origin, queue, idle }
                }
            };
            self.open.push(segment);
        }
        for s in &self.previous {
            let goes_on = self.index_by_cpu[s.idle as usize] == NONE;
            if !goes_on && s.from < at {
                self.pairs.push(PairSegment { to: at, ..*s });
            }
        }
    }

    /// The thread is gone, and another may have its utid.
    pub fn forget_thread(&mut self, utid: u32) {
        if let Some(origin) = self.origins.get_mut(utid as usize) {
            *origin = (WaitOrigin::default(), UNRECORDED);
        }
    }

    /// The place in the record of how a thread came to be queued where it is.
    fn record_origin(&mut self, utid: u32) -> u32 {
        let at = utid as usize;
        if at >= self.origins.len() {
            self.origins.resize(at + 1, (WaitOrigin::default(), UNRECORDED));
        }
        let (origin, place) = &mut self.origins[at];
        if *place == UNRECORDED || *place < self.dropped {
            *place = self.dropped + self.recorded.len() as u64;
            self.recorded.push(*origin);
        }
        (*place - self.dropped) as u32
    }

    /// Forget the arrivals of pairs that are recorded no longer.
    fn forget_origins(&mut self) {
        let before = std::mem::take(&mut self.recorded);
        let mut places = vec![NONE; before.len()];
        for segment in self.pairs.iter_mut().chain(&mut self.open) {
            let place = &mut places[segment.origin as usize];
            if *place == NONE {
                *place = self.recorded.len() as u32;
                self.recorded.push(before[segment.origin as usize]);
            }
            segment.origin = *place;
        }
        self.dropped += before.len() as u64;
        // What is kept has other places now.
        self.origins.iter_mut().for_each(|(_, place)| *place = UNRECORDED);
    }

    /// Pairs that are open now.
    pub fn open(&self) -> &[PairSegment] {
        &self.open
    }

    /// No core is wasted from `at` on.
    #[inline]
    pub fn end_if_open(&mut self, at: i64) {
        if self.start.is_some() {
            self.repair(at, 0, &[]);
            self.ended = Some(at);
        }
    }

    /// Record the pairs that are open as if they ended now. Returns how many pairs had been recorded before.
    pub fn record_open(&mut self, now: i64) -> usize {
        let before = self.pairs.len();
        self.pairs.extend(self.open.iter().map(|s| PairSegment { to: now, ..*s }));
        before
    }

    /// The record of an interval that has ended, to be graded later.
    pub fn split_record(&mut self) -> Self {
        self.dropped += self.recorded.len() as u64;
        Self {
            waiting: self.waiting.clone(),
            start: self.start,
            began: self.began,
            start_event: self.start_event,
            ended: self.ended,
            ops: std::mem::take(&mut self.ops),
            pairs: std::mem::take(&mut self.pairs),
            recorded: std::mem::take(&mut self.recorded),
            excused: std::mem::take(&mut self.excused),
            core_ns: self.core_ns,
            cut: self.cut,
            ..Self::default()
        }
    }

    /// Forget what is before `at`; the interval goes on.
    pub fn cut_before(&mut self, at: i64) {
        self.start = Some(at);
        self.cut = true;
        self.ops.retain(|op| op.t > at);
        self.pairs.retain(|p| p.to > at);
        let held = self.excused.iter().rev().find(|s| s.from <= at).map_or(0, |s| s.value);
        self.excused.retain(|s| s.from > at);
        self.excused.insert(0, Step { from: at, value: held });
        self.forget_origins();
    }

    /// Ready for the next interval.
    pub fn clear(&mut self) {
        self.start = None;
        self.ended = None;
        self.ops.clear();
        self.pairs.clear();
        self.excused.clear();
        self.open.clear();
        self.dropped += self.recorded.len() as u64;
        self.recorded.clear();
        self.core_ns = 0;
        self.cut = false;
    }
}
