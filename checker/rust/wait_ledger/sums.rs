//! The sums of the wait ledger. Memory is bounded: of those that name a cgroup waited for, only the largest are kept.

use wastenot_schemas::{excuse, wait_reason};

use super::cgroups::{CgroupId, CgroupIx, Cgroups, NO_CGROUP};
use crate::fast_hash::FastMap;

/// Sums that name a cgroup waited for, at most. Where there would be more, the smaller half is added up per waiting cgroup.
const MOST_NAMED: usize = 1 << 16;

/// Sums of waits whose reason is a state of the thread, by cgroup: throttled, matched, confined by each excuse.
const STATES: usize = 2 + excuse::NAMES.len();
const REASONS: usize = wait_reason::NAMES.len();

/// A sum of waits whose reason is a state of the thread.
pub type StateSum = u8;
pub const OWN_QUOTA: StateSum = 0;
pub const AVOIDABLE: StateSum = 1;

/// The sum of the waits of threads that this excuse confines.
#[inline]
pub fn confined_by(excuse: u8) -> StateSum {
    2 + excuse
}

/// Waits that start and end.
#[derive(Clone, Copy, Debug, Default)]
struct OpenSum {
    waits: u32,
    /// Time of all waits, less now for each that is under way, ns, modulo 2^64.
    less_now: i64,
}

/// The sums of one cgroup.
#[derive(Clone, Copy, Debug, Default)]
struct CgroupSums {
    states: [OpenSum; STATES],
    /// By reason: waits for a CPU, ns, those with a name left out.
    reasons: [i64; REASONS],
}

/// (waiting cgroup, reason, cgroup waited for).
type Named = (CgroupIx, u8, CgroupIx);

/// A row of the ledger: how long threads of a cgroup waited for a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LedgerRow {
    pub cgroup: CgroupId,
    /// A code of `wait_reason`.
    pub reason: u8,
    /// A code of `excuse`, where the reason is confined.
    pub excuse: Option<u8>,
    /// The cgroup waited for, where the reason has one.
    pub culprit: CgroupId,
    pub ns: i64,
}

/// The sums.
#[derive(Clone, Default)]
pub struct Sums {
    cgroups: Vec<CgroupSums>,
    named: FastMap<Named, i64>,
    /// Waits of cgroups that were forgotten, ns.
    pub forgotten_ns: i64,
}

impl Sums {
    #[inline]
    fn cgroup(&mut self, cgroup: CgroupIx) -> &mut CgroupSums {
        let at = cgroup as usize;
        if at >= self.cgroups.len() {
            self.cgroups.resize(at + 1, CgroupSums::default());
        }
        &mut self.cgroups[at]
    }

    /// A wait starts in a sum.
    #[inline]
    pub fn start(&mut self, cgroup: CgroupIx, sum: StateSum, now: i64) {
        let sum = &mut self.cgroup(cgroup).states[sum as usize];
        sum.waits += 1;
        sum.less_now = sum.less_now.wrapping_sub(now);
    }

    /// A wait ends in a sum.
    #[inline]
    pub fn end(&mut self, cgroup: CgroupIx, sum: StateSum, now: i64) {
        let sum = &mut self.cgroup(cgroup).states[sum as usize];
        sum.waits -= 1;
        sum.less_now = sum.less_now.wrapping_add(now);
    }

    /// Threads of a cgroup waited for a CPU.
    #[inline]
    pub fn add(&mut self, cgroup: CgroupIx, reason: u8, culprit: CgroupIx, ns: i64) {
        if culprit == NO_CGROUP {
            self.cgroup(cgroup).reasons[reason as usize] += ns;
            return;
        }
        *self.named.entry((cgroup, reason, culprit)).or_default() += ns;
        if self.named.len() > MOST_NAMED {
            self.merge_small(MOST_NAMED / 2);
        }
    }

    /// A wait of the cgroup that counts in the sum of a state is under way.
    pub fn has_open_waits(&self, cgroup: CgroupIx) -> bool {
        self.cgroups.get(cgroup as usize).is_some_and(|sums| sums.states.iter().any(|state| state.waits > 0))
    }

    /// Add up all waits of cgroups without open ones, and leave out their names from the waits of others.
    pub fn forget(&mut self, cgroups: &[CgroupIx]) {
        let last = cgroups.iter().max().map_or(0, |last| *last as usize);
        let mut is_gone = vec![false; last + 1];
        for &cgroup in cgroups {
            is_gone[cgroup as usize] = true;
            let Some(sums) = self.cgroups.get_mut(cgroup as usize) else { continue };
            let CgroupSums { states, reasons } = std::mem::take(sums);
            self.forgotten_ns += states.iter().map(|state| state.less_now).chain(reasons).sum::<i64>();
        }
        let gone = |cgroup: CgroupIx| is_gone.get(cgroup as usize).is_some_and(|gone| *gone);
        let concerned = |&(cgroup, _, culprit): &Named| gone(cgroup) || gone(culprit);
        let named: Vec<(Named, i64)> = self.named.extract_if(|key, _| concerned(key)).collect();
        for ((cgroup, reason, _), ns) in named {
            if gone(cgroup) {
                self.forgotten_ns += ns;
            } else {
                self.cgroup(cgroup).reasons[reason as usize] += ns;
            }
        }
    }

    /// Keep the `most` largest sums that name a cgroup waited for; add up the others without that name.
    #[cold]
    fn merge_small(&mut self, most: usize) {
        let mut order: Vec<(i64, Named)> = self.named.iter().map(|(key, ns)| (*ns, *key)).collect();
        order.sort_unstable_by(|a, b| b.cmp(a));
        for (ns, key) in order.into_iter().skip(most) {
            self.named.remove(&key);
            self.cgroup(key.0).reasons[key.1 as usize] += ns;
        }
    }

    /// All rows with time up to `now`, in order.
    pub fn rows(&self, now: i64, cgroups: &Cgroups) -> Vec<LedgerRow> {
        let row = |cgroup, reason, ns| LedgerRow { cgroup, reason, excuse: None, culprit: None, ns };
        let mut rows = Vec::new();
        for (at, sums) in self.cgroups.iter().enumerate() {
            let cgroup = cgroups.id(at as CgroupIx);
            for (sum, of) in sums.states.iter().enumerate() {
                let ns = of.less_now.wrapping_add(i64::from(of.waits).wrapping_mul(now));
                if ns == 0 {
                    continue;
                }
                rows.push(match sum as StateSum {
                    OWN_QUOTA => row(cgroup, wait_reason::OWN_QUOTA, ns),
                    AVOIDABLE => row(cgroup, wait_reason::AVOIDABLE, ns),
                    sum => LedgerRow { excuse: Some(sum - confined_by(0)), ..row(cgroup, wait_reason::CONFINED, ns) },
                });
            }
            let reasons = sums.reasons.iter().enumerate().filter(|(_, ns)| **ns != 0);
            rows.extend(reasons.map(|(reason, ns)| row(cgroup, reason as u8, *ns)));
        }
        rows.extend(self.named.iter().map(|(&(cgroup, reason, culprit), &ns)| LedgerRow {
            culprit: cgroups.id(culprit),
            ..row(cgroups.id(cgroup), reason, ns)
        }));
        rows.retain(|row| row.ns != 0);
        // Not sort_unstable: much of it is in order already, which a merge sort uses.
        rows.sort();
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_stays_in_the_sum_and_loses_its_name() {
        let (mut sums, mut cgroups) = (Sums::default(), Cgroups::default());
        let [a, b, c] = [1, 2, 3].map(|id| cgroups.index(Some(id)));
        sums.start(a, OWN_QUOTA, 10);
        sums.end(a, OWN_QUOTA, 15);
        sums.add(a, wait_reason::NEIGHBOUR, b, 100);
        sums.add(b, wait_reason::NEIGHBOUR, a, 1_000);
        sums.add(b, wait_reason::NEIGHBOUR, c, 10_000);
        sums.start(b, AVOIDABLE, 10);
        assert!(!sums.has_open_waits(a) && sums.has_open_waits(b) && !sums.has_open_waits(c));
        sums.forget(&[a]);
        assert_eq!((sums.forgotten_ns, cgroups.forget(a)), (105, 1));
        let row = |reason, culprit, ns| LedgerRow { cgroup: Some(2), reason, excuse: None, culprit, ns };
        let mut expected = vec![
            row(wait_reason::AVOIDABLE, None, 20),
            row(wait_reason::NEIGHBOUR, None, 1_000),
            row(wait_reason::NEIGHBOUR, Some(3), 10_000),
        ];
        expected.sort();
        assert_eq!(sums.rows(30, &cgroups), expected);
    }

    #[test]
    fn the_smaller_half_of_the_named_sums_is_added_up_and_nothing_is_lost() {
        let (mut sums, mut cgroups) = (Sums::default(), Cgroups::default());
        let most = MOST_NAMED as i64;
        for id in 0..=most {
            let culprit = cgroups.index(Some(id));
            sums.add(cgroups.index(Some(0)), wait_reason::NEIGHBOUR, culprit, id + 1);
        }
        let rows = sums.rows(0, &cgroups);
        assert_eq!(rows.len(), MOST_NAMED / 2 + 1);
        assert_eq!(rows.iter().map(|row| row.ns).sum::<i64>(), (most + 1) * (most + 2) / 2);
        let named: Vec<i64> = rows.iter().filter_map(|row| row.culprit).collect();
        assert_eq!((named[0], named[named.len() - 1]), (most / 2 + 1, most), "the largest keep their names");
    }
}
