//! The sums of the wait ledger. Memory is bounded: of the rows that name a cgroup waited for, only the heaviest are kept.

use super::Cgroup;
use crate::fast_hash::FastMap;

/// Rows that name a cgroup waited for, at most. Where there would be more, the lighter half is added up per waiting cgroup.
const MOST_CULPRITS: usize = 1 << 16;

/// A row of waits whose reason is a state of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StandingKey {
    pub cgroup: Cgroup,
    /// A code of `wait_reason`.
    pub reason: u8,
    /// A code of `excuse`, where the reason is confined.
    pub excuse: Option<u8>,
}

/// A row of waits whose reason is what the CPU does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BehindKey {
    pub cgroup: Cgroup,
    /// A code of `wait_reason`.
    pub reason: u8,
    /// The cgroup waited for, where the reason has one.
    pub culprit: Cgroup,
}

/// A row of the ledger: how long threads of a cgroup waited for a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LedgerRow {
    pub cgroup: Cgroup,
    pub reason: u8,
    pub excuse: Option<u8>,
    pub culprit: Cgroup,
    pub ns: i64,
}

#[derive(Clone, Copy, Debug)]
struct Standing {
    key: StandingKey,
    waits: i64,
    /// Time of all waits, less now for each that is under way, ns, modulo 2^64.
    less_now: i64,
}

/// The sums.
#[derive(Clone, Default)]
pub struct Rows {
    standing: Vec<Standing>,
    by_key: FastMap<StandingKey, u32>,
    behind: FastMap<BehindKey, i64>,
    /// Rows of `behind` that name a cgroup waited for.
    named: usize,
}

impl Rows {
    /// Number of the row, made when there is none.
    pub fn standing(&mut self, key: StandingKey) -> u32 {
        *self.by_key.entry(key).or_insert_with(|| {
            self.standing.push(Standing { key, waits: 0, less_now: 0 });
            self.standing.len() as u32 - 1
        })
    }

    /// A wait starts in a row.
    pub fn start(&mut self, row: u32, now: i64) {
        let row = &mut self.standing[row as usize];
        row.waits += 1;
        row.less_now = row.less_now.wrapping_sub(now);
    }

    /// A wait ends in a row.
    pub fn end(&mut self, row: u32, now: i64) {
        let row = &mut self.standing[row as usize];
        row.waits -= 1;
        row.less_now = row.less_now.wrapping_add(now);
    }

    pub fn add(&mut self, key: BehindKey, ns: i64) {
        let named = &mut self.named;
        *self.behind.entry(key).or_insert_with(|| {
            *named += usize::from(key.culprit.is_some());
            0
        }) += ns;
        if self.named > MOST_CULPRITS {
            self.merge_light(MOST_CULPRITS / 2);
        }
    }

    /// Keep the `most` heaviest rows that name a cgroup waited for; add up the others without that name.
    #[cold]
    fn merge_light(&mut self, most: usize) {
        let named = |key: &BehindKey| key.culprit.is_some();
        let mut order: Vec<(i64, BehindKey)> =
            self.behind.iter().filter(|(key, _)| named(key)).map(|(key, ns)| (*ns, *key)).collect();
        order.sort_unstable_by(|a, b| b.cmp(a));
        for (ns, key) in order.into_iter().skip(most) {
            self.behind.remove(&key);
            *self.behind.entry(BehindKey { culprit: None, ..key }).or_default() += ns;
        }
        self.named = most;
    }

    /// All rows with time up to `now`, in order.
    pub fn finish(self, now: i64) -> Vec<LedgerRow> {
        let standing = self.standing.into_iter().map(|Standing { key, waits, less_now }| LedgerRow {
            cgroup: key.cgroup,
            reason: key.reason,
            excuse: key.excuse,
            culprit: None,
            ns: less_now.wrapping_add(waits.wrapping_mul(now)),
        });
        let behind = self.behind.into_iter().map(|(BehindKey { cgroup, reason, culprit }, ns)| LedgerRow {
            cgroup,
            reason,
            excuse: None,
            culprit,
            ns,
        });
        let mut rows: Vec<LedgerRow> = standing.chain(behind).filter(|row| row.ns != 0).collect();
        rows.sort_unstable();
        rows
    }
}

#[cfg(test)]
mod tests {
    use wastenot_schemas::wait_reason;

    use super::*;

    #[test]
    fn the_lighter_half_of_the_named_rows_is_added_up_and_nothing_is_lost() {
        let mut rows = Rows::default();
        let most = MOST_CULPRITS as i64;
        for culprit in 0..=most {
            rows.add(BehindKey { cgroup: Some(1), reason: wait_reason::NEIGHBOUR, culprit: Some(culprit) }, culprit + 1);
        }
        let rows = rows.finish(0);
        assert_eq!(rows.len(), MOST_CULPRITS / 2 + 1);
        assert_eq!(rows.iter().map(|row| row.ns).sum::<i64>(), (most + 1) * (most + 2) / 2);
        let named: Vec<i64> = rows.iter().filter_map(|row| row.culprit).collect();
        assert_eq!((named[0], named[named.len() - 1]), (most / 2 + 1, most), "the heaviest keep their names");
    }
}
