//! Small numbers for the cgroups of a trace.

use crate::fast_hash::FastMap;

/// A cgroup by its id; None: not recorded.
pub type CgroupId = Option<i64>;

/// A cgroup by its place in order of appearance.
pub type CgroupIx = u32;

/// The place of "not recorded".
pub const NO_CGROUP: CgroupIx = 0;

/// The cgroups seen so far.
#[derive(Default)]
pub struct Cgroups {
    /// From place 1 on.
    ids: Vec<i64>,
    by_id: FastMap<i64, CgroupIx>,
}

impl Cgroups {
    pub fn index(&mut self, id: CgroupId) -> CgroupIx {
        let Some(id) = id else { return NO_CGROUP };
        *self.by_id.entry(id).or_insert_with(|| {
            self.ids.push(id);
            self.ids.len() as CgroupIx
        })
    }

    pub fn id(&self, cgroup: CgroupIx) -> CgroupId {
        self.ids.get(cgroup.checked_sub(1)? as usize).copied()
    }
}
