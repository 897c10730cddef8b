//! Which waiters are matched: the canonical set.
//!
//! Sets of waiters that can be matched at once are the independent sets of a transversal matroid, so the greedy set
//! (by priority, keeping the set matchable) is the best basis, and each event changes it by one exchange:
//!
//! | event | change |
//! | --- | --- |
//! | waiter added, a free CPU reaches it | it enters |
//! | waiter added otherwise | the worst of it and of the matched waiters whose CPU can be passed to it leaves (its circuit) |
//! | matched waiter removed, CPU added | the best unmatched waiter to which the spare CPU can be passed enters |
//! | CPU removed, a free CPU reaches the waiter it served | none |
//! | CPU removed otherwise | the worst of that waiter and of those whose CPU can be passed to it leaves |
//!
//! Waiters of one class are interchangeable, so the matched ones of a class are always the first in priority order, and
//! a number per class says which they are.

use super::flow::{FREE, Flow, SearchEnd};
use super::queue::{Key, NO_HEAD, NO_TAIL, Queue, key, utid_of};
use super::words::{for_each, toggle};
use super::{ClassId, Distances, widths};
use wastenot_topology::CpuBits;

widths!(Width, CanonicalCore, width);

/// A waiting thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiter {
    /// The thread. Utids index an array here, so they should be dense; each is below 2^31.
    pub utid: u32,
    /// The thread's number, by which threads are distinguished where one has the utid of another that is gone.
    pub number: u32,
    /// When its current wait began, ns. Earlier is served first; among equals the lower number is.
    pub wait_start: i64,
    /// The CPU (index) on whose queue it waits.
    pub queue_cpu: u32,
}

/// A waiter has become matched or unmatched. A waiter that is removed while matched is reported as unmatched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flip {
    /// The thread.
    pub utid: u32,
    /// Whether it is matched from now on.
    pub matched: bool,
}

/// A matched waiter and the idle CPU that could have run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The waiting thread.
    pub utid: u32,
    /// Its number.
    pub number: u32,
    /// The CPU (index) on whose queue it waits.
    pub queue_cpu: u32,
    /// The idle CPU (index) it is assigned.
    pub idle_cpu: u32,
}

/// A maximum matching between idle CPUs and waiters together with the canonical set of matched waiters.
///
/// Calls that make no sense (a CPU out of range or already idle, an unknown waiter or class) do nothing.
pub struct CanonicalMatcher(Width);

impl CanonicalMatcher {
    /// A matcher over CPU indices `0..n_cpus`, none of them idle.
    ///
    /// # Panics
    /// When `n_cpus` exceeds [`super::MAX_CPUS`].
    #[must_use]
    pub fn new(n_cpus: usize) -> Self {
        Self(Width::new(n_cpus))
    }

    /// Registers a class of waiters that may use the CPUs of `allowed` (cut to this matcher's CPUs).
    pub fn add_class(&mut self, allowed: &CpuBits) -> ClassId {
        width!(&mut self.0, core => core.flow.add_class(allowed))
    }

    /// `waiter` waits, as a member of `class`. A waiter of that utid that is there already is replaced.
    pub fn add_waiter(&mut self, class: ClassId, waiter: Waiter) {
        width!(&mut self.0, core => core.add_waiter(class, waiter));
    }

    /// The thread no longer waits.
    pub fn remove_waiter(&mut self, utid: u32) {
        width!(&mut self.0, core => core.remove_waiter(utid));
    }

    /// The waiter has been moved to another queue; its wait goes on and its class stays.
    pub fn set_queue_cpu(&mut self, utid: u32, queue_cpu: u32) {
        width!(&mut self.0, core => if let Some(record) = core.records.get_mut(utid as usize) {
            record.queue_cpu = queue_cpu;
        });
    }

    /// `cpu` has become idle and usable.
    pub fn add_cpu(&mut self, cpu: usize) {
        width!(&mut self.0, core => core.add_cpu(cpu));
    }

    /// `cpu` is no longer idle, or no longer usable.
    pub fn remove_cpu(&mut self, cpu: usize) {
        width!(&mut self.0, core => core.remove_cpu(cpu));
    }

    /// Idle CPUs that could each run a different waiter, which is also the number of matched waiters.
    #[must_use]
    pub fn size(&self) -> u32 {
        width!(&self.0, core => core.flow.size)
    }

    /// Whether the thread waits and belongs to the canonical set.
    #[must_use]
    pub fn is_matched(&self, utid: u32) -> bool {
        width!(&self.0, core => core.is_matched(utid))
    }

    /// Changes of matched waiters since [`Self::clear_flips`], in order. One utid may occur several times.
    #[must_use]
    pub fn flips(&self) -> &[Flip] {
        width!(&self.0, core => &core.flips)
    }

    /// Forgets the changes reported so far.
    pub fn clear_flips(&mut self) {
        width!(&mut self.0, core => core.flips.clear());
    }

    /// The canonical assignment: in order of priority each matched waiter gets the idle CPU nearest to the CPU it is
    /// queued on (ties: the lowest) among those it may use that leave a CPU for every other matched waiter. Replaces
    /// the contents of `out`; changes nothing that can be observed.
    pub fn assign(&mut self, distances: &Distances, out: &mut Vec<Pairing>) {
        width!(&mut self.0, core => core.assign(distances, out));
    }
}

/// `class` of a record: the thread does not wait.
const NOT_WAITING: u32 = u32::MAX;

#[derive(Clone, Copy)]
pub(super) struct WaiterRecord {
    wait_start: i64,
    number: u32,
    class: u32,
    pub(super) queue_cpu: u32,
}

/// Buffers of [`CanonicalCore::assign`].
#[derive(Default)]
pub(super) struct AssignBuffers {
    /// The matched waiters with their slots, best first.
    pub(super) order: Vec<(Key, u32)>,
    /// Those of some of the slots, while they are merged.
    pub(super) merged: Vec<(Key, u32)>,
}

pub(super) struct CanonicalCore<const W: usize> {
    pub(super) flow: Flow<W>,
    /// Per slot: its waiters in order, the first unmatched and the last matched one.
    pub(super) queues: Vec<Queue>,
    head: Vec<Key>,
    tail: Vec<Key>,
    /// Per utid.
    pub(super) records: Vec<WaiterRecord>,
    flips: Vec<Flip>,
    /// No waiter's key is larger.
    newest: Key,
    pub(super) buffers: AssignBuffers,
}

impl<const W: usize> CanonicalCore<W> {
    fn new(n_cpus: usize) -> Self {
        Self {
            flow: Flow::new(n_cpus),
            queues: vec![Queue::default()],
            head: vec![NO_HEAD],
            tail: vec![NO_TAIL],
            records: Vec::new(),
            flips: Vec::new(),
            newest: NO_TAIL,
            buffers: AssignBuffers::default(),
        }
    }

    fn add_waiter(&mut self, class: ClassId, waiter: Waiter) {
        self.remove_waiter(waiter.utid);
        let Some(slot) = self.occupy(class) else { return };
        self.record(class, waiter);
        let key = key(waiter.wait_start, waiter.number, waiter.utid);
        let position = self.queues[slot].insert(key);
        let is_newest = key > self.newest;
        self.newest = self.newest.max(key);

        let flow = &mut self.flow;
        let matched = flow.matched[slot] as usize;
        let seek_free = flow.free_cpus > 0 && flow.waiting[slot] as usize == matched;
        flow.waiting[slot] += 1;
        // Behind an unmatched waiter of its own class, or worse than every other: it cannot push any other out.
        let hopeless = !seek_free && (is_newest || position > matched);
        let goal = if seek_free || hopeless { FREE } else { self.worst_matched() };
        if !hopeless && (seek_free || key < self.tail[goal]) {
            let tail = &self.tail;
            match self.flow.forward(slot, seek_free, goal, |slot| tail[slot]) {
                SearchEnd::FreeCpu => {
                    self.flow.matched[slot] += 1;
                    self.flow.size += 1;
                    self.flip(key, true);
                }
                SearchEnd::Largest { slot: worst, level } if key < self.tail[worst] => {
                    self.flip(self.tail[worst], false);
                    self.flip(key, true);
                    if worst != slot {
                        self.flow.pull(worst, level);
                        self.flow.matched[slot] += 1;
                        self.flow.matched[worst] -= 1;
                        self.refresh(worst);
                    }
                }
                SearchEnd::Largest { .. } => {}
            }
        }
        self.refresh(slot);
    }

    fn remove_waiter(&mut self, utid: u32) {
        let Some((slot, key)) = self.find(utid) else { return };
        self.records[utid as usize].class = NOT_WAITING;
        let position = self.queues[slot].remove(key);
        self.flow.waiting[slot] -= 1;
        if position < self.flow.matched[slot] as usize {
            self.flip(key, false);
            self.flow.matched[slot] -= 1;
            let front = self.flow.assigned[slot];
            if !self.hand_on(slot, &front) {
                self.flow.release(slot);
                self.flow.size -= 1;
            }
        }
        self.refresh(slot);
    }

    fn add_cpu(&mut self, cpu: usize) {
        if !self.flow.insert_cpu(cpu) {
            return;
        }
        let mut front = [0; W];
        toggle(&mut front, cpu);
        if self.hand_on(FREE, &front) {
            self.flow.size += 1;
        }
    }

    fn remove_cpu(&mut self, cpu: usize) {
        let Some(slot) = self.flow.owner(cpu) else { return };
        self.flow.take_out(cpu, slot);
        if slot == FREE {
            return;
        }
        let seek_free = self.flow.free_cpus > 0;
        let goal = if seek_free { FREE } else { self.worst_matched() };
        let tail = &self.tail;
        if let SearchEnd::Largest { slot: worst, level } = self.flow.forward(slot, seek_free, goal, |slot| tail[slot]) {
            self.flow.pull(worst, level);
            self.flow.matched[worst] -= 1;
            self.flow.size -= 1;
            self.flip(self.tail[worst], false);
            self.refresh(worst);
        }
    }

    /// Passes the CPU that `root` has too many to the best unmatched waiter that can use it; false when none can.
    fn hand_on(&mut self, root: usize, front: &[u64; W]) -> bool {
        if self.flow.unwanted(front) {
            return false;
        }
        let mut best = NO_HEAD;
        for_each(&self.flow.surplus, |slot| best = best.min(self.head[slot]));
        if best == NO_HEAD {
            return false;
        }
        let goal = self.slot_of(best);
        let head = &self.head;
        let Some((slot, level)) = self.flow.backward(root, front, Some(goal), |slot| head[slot]) else {
            self.flow.learn_wanted();
            return false;
        };
        self.flow.push(slot, level);
        self.flow.matched[slot] += 1;
        self.flip(self.head[slot], true);
        if slot != root {
            self.refresh(slot);
        }
        true
    }

    /// The slot of the worst matched waiter; [`FREE`] when none is matched.
    fn worst_matched(&self) -> usize {
        let mut worst = NO_TAIL;
        for_each(&self.flow.holding, |slot| worst = worst.max(self.tail[slot]));
        if worst == NO_TAIL { FREE } else { self.slot_of(worst) }
    }

    /// The slot of a waiter that is there.
    #[inline]
    fn slot_of(&self, key: Key) -> usize {
        let class = ClassId(self.records[utid_of(key) as usize].class);
        self.flow.slot(class).expect("a class with waiters has a slot")
    }

    #[inline]
    fn flip(&mut self, key: Key, matched: bool) {
        self.flips.push(Flip { utid: utid_of(key), matched });
    }

    fn occupy(&mut self, class: ClassId) -> Option<usize> {
        let slot = self.flow.occupy(class)?;
        if slot == self.queues.len() {
            self.queues.push(Queue::default());
            self.head.push(NO_HEAD);
            self.tail.push(NO_TAIL);
        }
        Some(slot)
    }

    #[inline]
    fn refresh(&mut self, slot: usize) {
        let matched = self.flow.matched[slot] as usize;
        let queue = self.queues[slot].as_slice();
        self.head[slot] = queue.get(matched).copied().unwrap_or(NO_HEAD);
        self.tail[slot] = if matched > 0 { queue[matched - 1] } else { NO_TAIL };
        self.flow.refresh(slot);
    }

    #[inline]
    fn record(&mut self, class: ClassId, waiter: Waiter) {
        let at = waiter.utid as usize;
        if at >= self.records.len() {
            let none = WaiterRecord { wait_start: 0, number: 0, class: NOT_WAITING, queue_cpu: 0 };
            self.records.resize(at + 1, none);
        }
        let Waiter { number, wait_start, queue_cpu, .. } = waiter;
        self.records[at] = WaiterRecord { wait_start, number, class: class.0, queue_cpu };
    }

    /// The slot and key of a thread that waits.
    #[inline]
    fn find(&self, utid: u32) -> Option<(usize, Key)> {
        let record = self.records.get(utid as usize).filter(|record| record.class != NOT_WAITING)?;
        Some((self.flow.slot(ClassId(record.class))?, key(record.wait_start, record.number, utid)))
    }

    fn is_matched(&self, utid: u32) -> bool {
        self.find(utid).is_some_and(|(slot, key)| key <= self.tail[slot])
    }
}
