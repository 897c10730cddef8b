//! The size of a maximum matching.

use super::flow::{FREE, Flow, SearchEnd};
use super::{ClassId, widths};
use wastenot_topology::CpuBits;

widths!(Width, SizeCore, width);

/// The size of a maximum matching between idle CPUs and waiters, by counts per class.
///
/// Calls that make no sense (a CPU out of range or already idle, a waiter of an empty or unknown class) do nothing.
pub struct Matcher(Width);

impl Matcher {
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

    /// One more waiter of `class`.
    pub fn add_waiter(&mut self, class: ClassId) {
        width!(&mut self.0, core => core.add_waiter(class));
    }

    /// One waiter of `class` less.
    pub fn remove_waiter(&mut self, class: ClassId) {
        width!(&mut self.0, core => core.remove_waiter(class));
    }

    /// `cpu` has become idle and usable.
    pub fn add_cpu(&mut self, cpu: usize) {
        width!(&mut self.0, core => core.add_cpu(cpu));
    }

    /// `cpu` is no longer idle, or no longer usable.
    pub fn remove_cpu(&mut self, cpu: usize) {
        width!(&mut self.0, core => core.remove_cpu(cpu));
    }

    /// Idle CPUs that could each run a different waiter.
    #[must_use]
    pub fn size(&self) -> u32 {
        width!(&self.0, core => core.flow.size)
    }
}

struct SizeCore<const W: usize> {
    flow: Flow<W>,
}

impl<const W: usize> SizeCore<W> {
    fn new(n_cpus: usize) -> Self {
        Self { flow: Flow::new(n_cpus) }
    }

    fn add_waiter(&mut self, class: ClassId) {
        let flow = &mut self.flow;
        let Some(slot) = flow.occupy(class) else { return };
        let had_surplus = flow.waiting[slot] > flow.matched[slot];
        flow.waiting[slot] += 1;
        if had_surplus {
            return;
        }
        if flow.free_cpus > 0 && matches!(flow.forward(slot, true, FREE, |_| 0), SearchEnd::FreeCpu) {
            flow.matched[slot] += 1;
            flow.size += 1;
        }
        flow.refresh(slot);
    }

    fn remove_waiter(&mut self, class: ClassId) {
        let flow = &mut self.flow;
        let Some(slot) = flow.slot(class) else { return };
        let had_surplus = flow.waiting[slot] > flow.matched[slot];
        flow.waiting[slot] -= 1;
        if !had_surplus {
            flow.matched[slot] -= 1;
            let front = flow.assigned[slot];
            if !Self::hand_on(flow, slot, &front) {
                flow.release(slot);
                flow.size -= 1;
            }
        }
        flow.refresh(slot);
    }

    fn add_cpu(&mut self, cpu: usize) {
        let flow = &mut self.flow;
        if !flow.insert_cpu(cpu) {
            return;
        }
        let mut front = [0; W];
        super::words::toggle(&mut front, cpu);
        if Self::hand_on(flow, FREE, &front) {
            flow.size += 1;
        }
    }

    fn remove_cpu(&mut self, cpu: usize) {
        let flow = &mut self.flow;
        let Some(slot) = flow.owner(cpu) else { return };
        flow.take_out(cpu, slot);
        if slot == FREE || (flow.free_cpus > 0 && matches!(flow.forward(slot, true, FREE, |_| 0), SearchEnd::FreeCpu)) {
            return;
        }
        flow.matched[slot] -= 1;
        flow.size -= 1;
        flow.refresh(slot);
    }

    /// Passes the CPU that `root` has too many to some class with an unmatched waiter; false when none can use it.
    fn hand_on(flow: &mut Flow<W>, root: usize, front: &[u64; W]) -> bool {
        if flow.unwanted(front) || flow.surplus.iter().all(|&word| word == 0) {
            return false;
        }
        let Some((slot, level)) = flow.backward(root, front, None, |_| 0) else {
            flow.learn_wanted();
            return false;
        };
        flow.push(slot, level);
        flow.matched[slot] += 1;
        flow.refresh(slot);
        true
    }
}
