//! The canonical matching, updated only while some CPU is idle.
//!
//! While every CPU works nothing can be matched, and on a busy machine that is most of the time. Waiters that come then
//! are only noted; those that are gone again before a CPU idles never reach the matching.

use crate::matching::{CanonicalMatcher, ClassId, Distances, Flip, Pairing, Waiter};
use wastenot_topology::CpuBits;

/// A [`CanonicalMatcher`] with the same methods that sorts waiters in when the first CPU becomes usable.
pub struct LazyMatcher {
    inner: CanonicalMatcher,
    /// Usable idle CPUs.
    cpus: usize,
    /// By utid.
    notes: Vec<WaiterNote>,
    /// Utids whose note differs from what `inner` holds.
    pending: Vec<u32>,
}

#[derive(Clone, Copy, Default)]
struct WaiterNote {
    /// What the thread waits as, once it is pending.
    wanted: Option<(ClassId, Waiter)>,
    pending: bool,
    /// `inner` has it.
    in_inner: bool,
}

impl LazyMatcher {
    pub fn new(n_cpus: usize) -> Self {
        Self { inner: CanonicalMatcher::new(n_cpus), cpus: 0, notes: Vec::new(), pending: Vec::new() }
    }

    pub fn add_class(&mut self, allowed: &CpuBits) -> ClassId {
        self.inner.add_class(allowed)
    }

    /// The thread's note, entered among the pending ones while no CPU is usable.
    #[inline]
    fn note(&mut self, utid: u32) -> &mut WaiterNote {
        let at = utid as usize;
        if at >= self.notes.len() {
            self.notes.resize(at + 1, WaiterNote::default());
        }
        let note = &mut self.notes[at];
        if self.cpus == 0 && !note.pending {
            note.pending = true;
            self.pending.push(utid);
        }
        note
    }

    #[inline]
    pub fn add_waiter(&mut self, class: ClassId, waiter: Waiter) {
        let idle = self.cpus == 0;
        let note = self.note(waiter.utid);
        if idle {
            note.wanted = Some((class, waiter));
        } else {
            note.in_inner = true;
            self.inner.add_waiter(class, waiter);
        }
    }

    #[inline]
    pub fn remove_waiter(&mut self, utid: u32) {
        let idle = self.cpus == 0;
        let note = self.note(utid);
        if idle {
            note.wanted = None;
        } else {
            note.in_inner = false;
            self.inner.remove_waiter(utid);
        }
    }

    pub fn add_cpu(&mut self, cpu: usize) {
        if self.cpus == 0 {
            self.catch_up();
        }
        self.cpus += 1;
        self.inner.add_cpu(cpu);
    }

    pub fn remove_cpu(&mut self, cpu: usize) {
        self.cpus -= 1;
        self.inner.remove_cpu(cpu);
    }

    fn catch_up(&mut self) {
        for utid in self.pending.drain(..) {
            let note = &mut self.notes[utid as usize];
            note.pending = false;
            match note.wanted.take() {
                Some((class, waiter)) => {
                    note.in_inner = true;
                    self.inner.add_waiter(class, waiter);
                }
                None if note.in_inner => {
                    note.in_inner = false;
                    self.inner.remove_waiter(utid);
                }
                None => {}
            }
        }
    }

    #[inline]
    pub fn size(&self) -> u32 {
        self.inner.size()
    }

    #[inline]
    pub fn flips(&self) -> &[Flip] {
        self.inner.flips()
    }

    #[inline]
    pub fn clear_flips(&mut self) {
        self.inner.clear_flips();
    }

    pub fn assign(&mut self, distances: &Distances, out: &mut Vec<Pairing>) {
        self.inner.assign(distances, out);
    }
}
