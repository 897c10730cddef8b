//! Small numbers for the cgroups of a trace.

use crate::fast_hash::FastMap;

/// A cgroup by its id; None: not recorded.
pub type CgroupId = Option<i64>;

/// A cgroup by its place in order of appearance.
pub type CgroupIx = u32;

/// The place of "not recorded".
pub const NO_CGROUP: CgroupIx = 0;

/// Cgroups that are distinguished, at most, so that memory is bounded however many there are: later ones count as not recorded.
const MOST: usize = 1 << 17;

/// The cgroups seen so far.
#[derive(Clone, Default)]
pub struct Cgroups {
    /// From place 1 on.
    ids: Vec<i64>,
    by_id: FastMap<i64, CgroupIx>,
    /// Places of cgroups that were forgotten.
    free: Vec<CgroupIx>,
}

impl Cgroups {
    pub fn index(&mut self, id: CgroupId) -> CgroupIx {
        let Some(id) = id else { return NO_CGROUP };
        if let Some(&cgroup) = self.by_id.get(&id) {
            return cgroup;
        }
        if let Some(cgroup) = self.free.pop() {
            self.ids[cgroup as usize - 1] = id;
            self.by_id.insert(id, cgroup);
            return cgroup;
        }
        if self.ids.len() == MOST {
            return NO_CGROUP;
        }
        self.ids.push(id);
        self.by_id.insert(id, self.ids.len() as CgroupIx);
        self.ids.len() as CgroupIx
    }

    /// Every cgroup that was not forgotten.
    pub fn iter(&self) -> impl Iterator<Item = CgroupIx> {
        self.by_id.values().copied()
    }

    /// The place can be another one's from now on. Returns the cgroup that had it.
    pub fn forget(&mut self, cgroup: CgroupIx) -> i64 {
        let id = self.ids[cgroup as usize - 1];
        self.by_id.remove(&id);
        self.free.push(cgroup);
        id
    }

    pub fn id(&self, cgroup: CgroupIx) -> CgroupId {
        self.ids.get(cgroup.checked_sub(1)? as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cgroups_beyond_the_most_count_as_not_recorded() {
        let mut cgroups = Cgroups::default();
        let last = (0..=MOST as i64).map(|id| cgroups.index(Some(id))).last();
        assert_eq!(last, Some(NO_CGROUP));
        assert_eq!((cgroups.index(Some(0)), cgroups.index(Some(MOST as i64 - 1))), (1, MOST as CgroupIx));
        assert_eq!(cgroups.id(MOST as CgroupIx), Some(MOST as i64 - 1));
        assert_eq!(cgroups.forget(7), 6);
        assert_eq!((cgroups.index(Some(-5)), cgroups.index(Some(6)), cgroups.id(7)), (7, NO_CGROUP, Some(-5)));
        assert_eq!(cgroups.iter().count(), MOST);
    }
}
