//! Sets of CPUs by dense index, and the table in which each distinct set is kept once.

use std::collections::BTreeMap;
use wastenot_topology::{CpuBits, CpuIx};

/// A set of CPUs of the simulated machine.
pub type CpuMask = CpuBits<CpuIx>;

/// A row of the table `mask`.
pub type MaskId = u32;

/// Every distinct set of CPUs of a simulation, by number.
#[derive(Clone, Debug, Default)]
pub struct Masks {
    sets: Vec<CpuMask>,
    by_set: BTreeMap<CpuMask, MaskId>,
}

impl Masks {
    /// The number of a set; a new one where it is new.
    pub fn intern(&mut self, mask: &CpuMask) -> MaskId {
        if let Some(&id) = self.by_set.get(mask) {
            return id;
        }
        let id = self.sets.len() as MaskId;
        self.sets.push(mask.clone());
        self.by_set.insert(mask.clone(), id);
        id
    }

    /// The set of a number.
    #[inline]
    pub fn get(&self, id: MaskId) -> &CpuMask {
        &self.sets[id as usize]
    }

    /// All sets, in the order of their numbers.
    pub fn sets(&self) -> &[CpuMask] {
        &self.sets
    }
}
