//! Which matched waiter gets which idle CPU: the canonical assignment.

use super::Distances;
use super::canonical::{CanonicalCore, Pairing};
use super::flow::FREE;
use super::queue::{Key, number_of, utid_of};
use super::words::{and, first_common, for_each, is_subset, toggle};

/// Slots whose waiters are merged one by one; those of more are sorted together.
const MERGED: usize = 6;

impl<const W: usize> CanonicalCore<W> {
    /// See [`super::CanonicalMatcher::assign`].
    ///
    /// With choices to respect, the flow itself is taken apart: a waiter's CPU is chosen, the rest of the flow repaired
    /// without it, and so on. At the end each slot gets back the CPUs its waiters were given, which is again a flow with
    /// the same waiters matched.
    pub(super) fn assign(&mut self, distances: &Distances, out: &mut Vec<Pairing>) {
        out.clear();
        if self.flow.size == 0 {
            return;
        }
        let mut order = std::mem::take(&mut self.buffers.order);
        self.matched_in_order(&mut order);
        let mut left = self.flow.idle();
        let mut unconstrained = true;
        for_each(&self.flow.holding, |slot| unconstrained &= is_subset(&left, &self.flow.allowed[slot]));
        for &(key, slot) in &order {
            let utid = utid_of(key);
            let queue_cpu = self.records[utid as usize].queue_cpu;
            let cpu = if unconstrained {
                distances.nearest(queue_cpu, &left).expect("there are as many idle CPUs as matched waiters")
            } else {
                self.choose(slot as usize, queue_cpu, &left, distances)
            };
            toggle(&mut left, cpu);
            out.push(Pairing { utid, number: number_of(key), queue_cpu, idle_cpu: cpu as u32 });
        }
        if !unconstrained {
            for (&(_, slot), pairing) in order.iter().zip(out.iter()) {
                self.flow.give_back(pairing.idle_cpu as usize, slot as usize);
            }
        }
        self.buffers.order = order;
    }

    /// Collects the matched waiters of all slots in order of priority; those of one slot are in that order already.
    fn matched_in_order(&mut self, order: &mut Vec<(Key, u32)>) {
        order.clear();
        let mut slots = 0;
        for_each(&self.flow.holding, |_| slots += 1);
        let merges = slots <= MERGED;
        for_each(&self.flow.holding, |slot| {
            let matched = self.flow.matched[slot] as usize;
            let more = self.queues[slot].as_slice()[..matched].iter().map(|&key| (key, slot as u32));
            if !merges || order.is_empty() {
                order.extend(more);
                return;
            }
            let merged = &mut self.buffers.merged;
            merged.clear();
            let mut others = order.iter().copied().peekable();
            for waiter in more {
                while let Some(before) = others.next_if(|other| other.0 < waiter.0) {
                    merged.push(before);
                }
                merged.push(waiter);
            }
            merged.extend(others);
            std::mem::swap(order, merged);
        });
        if !merges {
            order.sort_unstable_by_key(|&(key, _)| key);
        }
    }

    /// Takes the CPU for a waiter of `slot` out of the flow, leaving a CPU for every other matched waiter.
    fn choose(&mut self, slot: usize, queue_cpu: u32, left: &[u64; W], distances: &Distances) -> usize {
        let wanted = and(left, &self.flow.allowed[slot]);
        let nearest = distances.nearest(queue_cpu, &wanted).expect("a matched waiter has a CPU it may use");
        let holder = self.flow.owner(nearest).expect("a CPU that is left is in the flow");
        if holder == slot {
            self.flow.take_out(nearest, slot);
            return nearest;
        }
        if holder == FREE {
            self.flow.release(slot);
            self.flow.take_out(nearest, FREE);
            return nearest;
        }
        let swaps_with = self.flow.allowed[holder];
        if let Some(cpu) = first_common(&self.flow.assigned[slot], &swaps_with) {
            self.flow.pass(cpu, slot, holder);
            self.flow.take_out(nearest, holder);
            return nearest;
        }
        self.flow.release(slot);
        if let Some(cpu) = first_common(&self.flow.assigned[FREE], &swaps_with) {
            self.flow.pass(cpu, FREE, holder);
            self.flow.take_out(nearest, holder);
            return nearest;
        }
        let reached = self.flow.spread();
        let nearest = distances.nearest(queue_cpu, &and(&wanted, &reached));
        let cpu = nearest.expect("the CPU that served the waiter so far is free");
        self.take_replacing(cpu);
        cpu
    }

    /// Takes a CPU that [`Flow::spread`](super::flow::Flow::spread) reached out of the flow; if it served a waiter,
    /// that slot gets another one.
    fn take_replacing(&mut self, cpu: usize) {
        let holder = self.flow.owner(cpu).expect("a CPU that is left is in the flow");
        let level = self.flow.level_of(holder).expect("the CPU's slot was visited");
        self.flow.push(holder, level);
        self.flow.take_out(cpu, holder);
    }
}
