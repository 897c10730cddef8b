//! The flow between classes of waiters and idle CPUs, and the two searches that repair it.
//!
//! Only classes with waiters take part; each occupies a *slot*. Slot 0 ([`FREE`]) is not a class: it holds the idle CPUs
//! that serve no waiter, so that "give a free CPU to a class" and "take a CPU from another class" are the same move.
//! A search visits slots level by level and keeps the levels; the path is read back from them only when it is needed.

use super::ClassId;
use super::words::{contains, first_common, for_each, intersects, is_subset, or_assign, toggle};
use wastenot_topology::CpuBits;

/// The slot of the idle CPUs that serve no waiter.
pub(super) const FREE: usize = 0;
/// In `slot_of`: the class has no waiters. In `owner`: the CPU is not idle.
const NONE: u32 = u32::MAX;

/// What a search from a slot that lacks a CPU found.
pub(super) enum SearchEnd {
    /// A free CPU reaches the slot; the path has been applied.
    FreeCpu,
    /// None does. The slot with the largest key among those whose CPUs can be passed on to the searching slot, and its
    /// level (for [`Flow::pull`]); the searching slot itself has level 0.
    Largest { slot: usize, level: usize },
}

pub(super) struct Flow<const W: usize> {
    n_cpus: usize,
    class_allowed: Vec<[u64; W]>,
    slot_of: Vec<u32>,
    /// Per CPU: the slot that holds it.
    owner: Vec<u32>,
    /// Per slot: the CPUs its class may use, the idle CPUs that serve it, its class, waiters and matched waiters.
    pub(super) allowed: Vec<[u64; W]>,
    pub(super) assigned: Vec<[u64; W]>,
    class: Vec<u32>,
    pub(super) waiting: Vec<u32>,
    pub(super) matched: Vec<u32>,
    /// Sets of slots: with matched waiters; with unmatched waiters.
    pub(super) holding: Vec<u64>,
    pub(super) surplus: Vec<u64>,
    vacant: Vec<u32>,
    pub(super) free_cpus: u32,
    pub(super) size: u32,
    /// When `wanted_known`: CPUs such that every slot with unmatched waiters, and every slot that holds one of them, may
    /// use no other. A spare CPU outside is of no use, which saves the search.
    wanted: [u64; W],
    wanted_known: bool,
    /// The last search: the set of slots not visited, and one set per level of those visited there.
    pending: Vec<u64>,
    levels: Vec<u64>,
}

impl<const W: usize> Flow<W> {
    pub(super) fn new(n_cpus: usize) -> Self {
        debug_assert!(n_cpus <= W * 64);
        let mut flow = Self {
            n_cpus,
            class_allowed: Vec::new(),
            slot_of: Vec::new(),
            owner: vec![NONE; n_cpus],
            allowed: Vec::new(),
            assigned: Vec::new(),
            class: Vec::new(),
            waiting: Vec::new(),
            matched: Vec::new(),
            holding: Vec::new(),
            surplus: Vec::new(),
            vacant: Vec::new(),
            free_cpus: 0,
            size: 0,
            wanted: [0; W],
            wanted_known: false,
            pending: Vec::new(),
            levels: Vec::new(),
        };
        flow.new_slot();
        flow
    }

    pub(super) fn add_class(&mut self, allowed: &CpuBits) -> ClassId {
        self.class_allowed.push(allowed.fixed_words(self.n_cpus));
        self.slot_of.push(NONE);
        ClassId(self.class_allowed.len() as u32 - 1)
    }

    /// The slot of a class that has waiters.
    #[inline]
    pub(super) fn slot(&self, class: ClassId) -> Option<usize> {
        self.slot_of.get(class.0 as usize).filter(|&&slot| slot != NONE).map(|&slot| slot as usize)
    }

    /// The slot of a class that is about to have waiters. Returns `None` for a class that was never registered.
    #[inline]
    pub(super) fn occupy(&mut self, class: ClassId) -> Option<usize> {
        let slot = *self.slot_of.get(class.0 as usize)?;
        if slot != NONE {
            return Some(slot as usize);
        }
        let slot = self.vacant.pop().map_or_else(|| self.new_slot(), |slot| slot as usize);
        self.slot_of[class.0 as usize] = slot as u32;
        self.class[slot] = class.0;
        self.allowed[slot] = self.class_allowed[class.0 as usize];
        Some(slot)
    }

    fn new_slot(&mut self) -> usize {
        let slot = self.class.len();
        self.class.push(NONE);
        self.allowed.push([0; W]);
        self.assigned.push([0; W]);
        self.waiting.push(0);
        self.matched.push(0);
        if slot.is_multiple_of(64) {
            self.holding.push(0);
            self.surplus.push(0);
            self.pending.push(0);
        }
        slot
    }

    /// Brings the slot sets in line with the slot's counts, and gives the slot up when no thread waits in it.
    #[inline]
    pub(super) fn refresh(&mut self, slot: usize) {
        let (waiting, matched) = (self.waiting[slot], self.matched[slot]);
        let (word, shift) = (slot / 64, slot % 64);
        self.holding[word] = (self.holding[word] & !(1 << shift)) | (u64::from(matched > 0) << shift);
        self.surplus[word] = (self.surplus[word] & !(1 << shift)) | (u64::from(waiting > matched) << shift);
        if waiting > matched && self.wanted_known && !is_subset(&self.allowed[slot], &self.wanted) {
            self.extend_wanted(slot);
        }
        if waiting == 0 {
            self.slot_of[self.class[slot] as usize] = NONE;
            self.allowed[slot] = [0; W];
            self.vacant.push(slot as u32);
        }
    }

    /// The slot that holds an idle CPU; `None` when the CPU is not idle.
    #[inline]
    pub(super) fn owner(&self, cpu: usize) -> Option<usize> {
        self.owner.get(cpu).filter(|&&slot| slot != NONE).map(|&slot| slot as usize)
    }

    /// Makes a CPU idle and free; false when it is idle already or out of range.
    #[inline]
    pub(super) fn insert_cpu(&mut self, cpu: usize) -> bool {
        if self.owner.get(cpu) != Some(&NONE) {
            return false;
        }
        self.give_back(cpu, FREE);
        self.free_cpus += 1;
        true
    }

    /// Takes an idle CPU out of its slot.
    #[inline]
    pub(super) fn take_out(&mut self, cpu: usize, slot: usize) {
        toggle(&mut self.assigned[slot], cpu);
        self.owner[cpu] = NONE;
        self.free_cpus -= u32::from(slot == FREE);
    }

    /// Puts a CPU that was taken out into a slot of a class.
    #[inline]
    pub(super) fn give_back(&mut self, cpu: usize, slot: usize) {
        toggle(&mut self.assigned[slot], cpu);
        self.owner[cpu] = slot as u32;
        if self.wanted_known && slot != FREE && contains(&self.wanted, cpu) {
            self.wanted_known = is_subset(&self.allowed[slot], &self.wanted);
        }
    }

    /// Passes a CPU from one slot to another.
    #[inline]
    pub(super) fn pass(&mut self, cpu: usize, from: usize, to: usize) {
        self.take_out(cpu, from);
        self.give_back(cpu, to);
        self.free_cpus += u32::from(to == FREE);
    }

    /// Frees one CPU of a slot.
    #[inline]
    pub(super) fn release(&mut self, slot: usize) {
        let cpu = first_common(&self.assigned[slot], &self.assigned[slot]);
        self.pass(cpu.expect("a slot that releases a CPU has one"), slot, FREE);
    }

    /// Whether it is known without a search that no unmatched waiter could be given one of these CPUs or a CPU of the
    /// waiters that could.
    #[inline]
    pub(super) fn unwanted(&self, spare: &[u64; W]) -> bool {
        self.wanted_known && !intersects(spare, &self.wanted)
    }

    /// Finds out which CPUs are wanted.
    pub(super) fn learn_wanted(&mut self) {
        let mut wanted = [0; W];
        for_each(&self.surplus, |slot| or_assign(&mut wanted, &self.allowed[slot]));
        self.pending.copy_from_slice(&self.holding);
        self.start_search(FREE);
        let mut front = wanted;
        while let Some(next) = Self::expand(&mut self.pending, &mut self.levels, &self.assigned, &self.allowed, &front)
        {
            or_assign(&mut wanted, &next);
            front = next;
        }
        self.wanted = wanted;
        self.wanted_known = true;
    }

    /// A slot has unmatched waiters now: what it may use is wanted too. Few CPUs held by no slot are just added;
    /// otherwise the wanted CPUs are computed anew.
    fn extend_wanted(&mut self, slot: usize) {
        const FEW: u32 = 8;
        let missing: [u64; W] = std::array::from_fn(|at| self.allowed[slot][at] & !self.wanted[at]);
        let few = missing.iter().map(|word| word.count_ones()).sum::<u32>() <= FEW;
        let mut held = false;
        if few {
            for_each(&missing, |cpu| held |= self.owner(cpu).is_some_and(|owner| owner != FREE));
            or_assign(&mut self.wanted, &missing);
        }
        self.wanted_known = few && !held;
    }

    /// All idle CPUs.
    pub(super) fn idle(&self) -> [u64; W] {
        let mut idle = self.assigned[FREE];
        for_each(&self.holding, |slot| or_assign(&mut idle, &self.assigned[slot]));
        idle
    }

    /// Starts a search at `root` that may visit the slots of `pending` (filled by the caller) but the root.
    #[inline]
    fn start_search(&mut self, root: usize) {
        self.levels.clear();
        self.levels.resize(self.pending.len(), 0);
        self.levels[root / 64] = 1 << (root % 64);
        self.pending[root / 64] &= !(1 << (root % 64));
    }

    /// The set of slots visited at a level.
    #[inline]
    fn level(&self, level: usize) -> &[u64] {
        let words = self.pending.len();
        &self.levels[level * words..][..words]
    }

    /// Moves every pending slot whose `inward` set meets `front` to a new level. Returns the union of their `outward`
    /// sets; `None` when there is no such slot.
    ///
    /// Whether a slot is hit is as good as random, so the loop for narrow sets does without a branch on it.
    #[inline(always)]
    fn expand(
        pending: &mut [u64],
        levels: &mut Vec<u64>,
        inward: &[[u64; W]],
        outward: &[[u64; W]],
        front: &[u64; W],
    ) -> Option<[u64; W]> {
        let mut next = [0; W];
        let mut any = 0;
        for (at, word) in pending.iter_mut().enumerate() {
            let (mut rest, mut hits) = (*word, 0);
            while rest != 0 {
                let slot = at * 64 + rest.trailing_zeros() as usize;
                let hit = intersects(&inward[slot], front);
                if W <= 2 {
                    let keep = u64::from(hit).wrapping_neg();
                    hits |= rest & rest.wrapping_neg() & keep;
                    for (next, outward) in next.iter_mut().zip(&outward[slot]) {
                        *next |= outward & keep;
                    }
                } else if hit {
                    hits |= rest & rest.wrapping_neg();
                    or_assign(&mut next, &outward[slot]);
                }
                rest &= rest - 1;
            }
            *word &= !hits;
            any |= hits;
            levels.push(hits);
        }
        (any != 0).then_some(next)
    }

    /// Looks for a path of one or two steps from `front` to `goal`, as most are: none, direct, or by way of a slot.
    #[inline(always)]
    fn shortcut(
        holding: &[u64],
        inward: &[[u64; W]],
        outward: &[[u64; W]],
        front: &[u64; W],
        goal: usize,
    ) -> Option<Option<usize>> {
        if intersects(&inward[goal], front) {
            return Some(None);
        }
        for (at, &word) in holding.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let slot = at * 64 + rest.trailing_zeros() as usize;
                if intersects(&inward[slot], front) & intersects(&outward[slot], &inward[goal]) {
                    return Some(Some(slot));
                }
                rest &= rest - 1;
            }
        }
        None
    }

    /// Notes a path found by [`Flow::shortcut`] as if a search had found it; returns its level.
    #[inline(always)]
    fn note(&mut self, root: usize, found: Option<Option<usize>>) -> Option<usize> {
        let between = found?;
        self.start_search(root);
        let Some(slot) = between else { return Some(1) };
        let words = self.pending.len();
        self.levels.resize(2 * words, 0);
        self.levels[words + slot / 64] = 1 << (slot % 64);
        Some(2)
    }

    /// Searches for a CPU for `root`, which lacks one. With `seek_free`, tries to reach a free CPU first and applies
    /// the path. Otherwise finds the slot of largest `key` among those that could pass a CPU on; `goal` is the slot of
    /// largest key of all, at which the search may stop.
    pub(super) fn forward(
        &mut self,
        root: usize,
        seek_free: bool,
        goal: usize,
        key: impl Fn(usize) -> u128,
    ) -> SearchEnd {
        let mut front = self.allowed[root];
        if seek_free {
            if let Some(cpu) = first_common(&front, &self.assigned[FREE]) {
                self.pass(cpu, FREE, root);
                return SearchEnd::FreeCpu;
            }
        } else if goal == root {
            return SearchEnd::Largest { slot: root, level: 0 };
        }
        if !seek_free {
            let found = Self::shortcut(&self.holding, &self.assigned, &self.allowed, &front, goal);
            if let Some(level) = self.note(root, found) {
                return SearchEnd::Largest { slot: goal, level };
            }
        }
        self.pending.copy_from_slice(&self.holding);
        self.start_search(root);
        for level in 1.. {
            if !seek_free && level > 2 && intersects(&self.assigned[goal], &front) {
                return SearchEnd::Largest { slot: goal, level };
            }
            let next = Self::expand(&mut self.pending, &mut self.levels, &self.assigned, &self.allowed, &front);
            let Some(next) = next else { break };
            if seek_free && intersects(&next, &self.assigned[FREE]) {
                self.augment(level);
                return SearchEnd::FreeCpu;
            }
            front = next;
        }
        let mut largest = (key(root), root, 0);
        self.for_each_visited(|slot, level| {
            if key(slot) > largest.0 {
                largest = (key(slot), slot, level);
            }
        });
        SearchEnd::Largest { slot: largest.1, level: largest.2 }
    }

    /// Calls `visit(slot, level)` for every slot that the last search visited after its root.
    fn for_each_visited(&self, mut visit: impl FnMut(usize, usize)) {
        for (level, slots) in self.levels.chunks(self.pending.len()).enumerate().skip(1) {
            for_each(slots, |slot| visit(slot, level));
        }
    }

    /// Gives a free CPU to a slot of the last level and passes one down to the root.
    fn augment(&mut self, level: usize) {
        let (slot, cpu) = self.step(level, |slot| first_common(&self.allowed[slot], &self.assigned[FREE]));
        self.pass(cpu, FREE, slot);
        self.pull(slot, level);
    }

    /// After [`Flow::forward`]: passes one CPU of `slot`, found at `level`, down to the root of the search.
    pub(super) fn pull(&mut self, slot: usize, level: usize) {
        let mut from = slot;
        for level in (0..level).rev() {
            let (to, cpu) = self.step(level, |to| first_common(&self.allowed[to], &self.assigned[from]));
            self.pass(cpu, from, to);
            from = to;
        }
    }

    /// Searches for the slot with unmatched waiters of smallest `key` to which `root`, which has a CPU too many out of
    /// `front`, could pass one. `goal` is the slot of smallest key of all, at which the search stops; without a goal any
    /// slot will do. The slot's level is for [`Flow::push`]; the root itself has level 0.
    pub(super) fn backward(
        &mut self,
        root: usize,
        front: &[u64; W],
        goal: Option<usize>,
        key: impl Fn(usize) -> u128,
    ) -> Option<(usize, usize)> {
        if goal == Some(root) {
            return Some((root, 0));
        }
        if let Some(goal) = goal {
            let found = Self::shortcut(&self.holding, &self.allowed, &self.assigned, front, goal);
            if let Some(level) = self.note(root, found) {
                return Some((goal, level));
            }
        }
        for ((pending, holding), surplus) in self.pending.iter_mut().zip(&self.holding).zip(&self.surplus) {
            *pending = holding | surplus;
        }
        self.start_search(root);
        let mut front = *front;
        for level in 1.. {
            if let Some(goal) = goal
                && level > 2
                && intersects(&self.allowed[goal], &front)
            {
                return Some((goal, level));
            }
            let next = Self::expand(&mut self.pending, &mut self.levels, &self.allowed, &self.assigned, &front);
            let Some(next) = next else { break };
            if goal.is_none() {
                let found =
                    self.level(level).iter().zip(&self.surplus).position(|(slots, surplus)| slots & surplus != 0);
                if let Some(at) = found {
                    let slots = self.level(level)[at] & self.surplus[at];
                    return Some((at * 64 + slots.trailing_zeros() as usize, level));
                }
            }
            front = next;
        }
        let has_surplus = |slot: usize| self.surplus[slot / 64] & (1 << (slot % 64)) != 0;
        let mut smallest = (if has_surplus(root) { key(root) } else { u128::MAX }, root, 0);
        self.for_each_visited(|slot, level| {
            if has_surplus(slot) && key(slot) < smallest.0 {
                smallest = (key(slot), slot, level);
            }
        });
        (smallest.0 != u128::MAX).then_some((smallest.1, smallest.2))
    }

    /// After [`Flow::backward`] or [`Flow::spread`]: passes CPUs up from the root until `slot`, found at `level`, has
    /// one more and the root one less.
    pub(super) fn push(&mut self, slot: usize, level: usize) {
        let mut to = slot;
        for level in (0..level).rev() {
            let (from, cpu) = self.step(level, |from| first_common(&self.allowed[to], &self.assigned[from]));
            self.pass(cpu, from, to);
            to = from;
        }
    }

    /// The first slot of a level for which `pair` names a CPU.
    #[inline(always)]
    fn step(&self, level: usize, common_cpu: impl Fn(usize) -> Option<usize>) -> (usize, usize) {
        for (at, &word) in self.level(level).iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let slot = at * 64 + rest.trailing_zeros() as usize;
                if let Some(cpu) = common_cpu(slot) {
                    return (slot, cpu);
                }
                rest &= rest - 1;
            }
        }
        unreachable!("a visited slot has a neighbour in the level before");
    }

    /// All CPUs that could be taken from their slots if the free CPUs made up for it: the free ones, and those of
    /// slots to which a free CPU can be passed.
    pub(super) fn spread(&mut self) -> [u64; W] {
        self.pending.copy_from_slice(&self.holding);
        self.start_search(FREE);
        let mut front = self.assigned[FREE];
        let mut reached = front;
        while let Some(next) = Self::expand(&mut self.pending, &mut self.levels, &self.allowed, &self.assigned, &front)
        {
            or_assign(&mut reached, &next);
            front = next;
        }
        reached
    }

    /// The level at which the last search visited a slot.
    pub(super) fn level_of(&self, slot: usize) -> Option<usize> {
        let (word, bit) = (slot / 64, 1 << (slot % 64));
        self.levels.chunks(self.pending.len()).position(|slots| slots[word] & bit != 0)
    }
}
