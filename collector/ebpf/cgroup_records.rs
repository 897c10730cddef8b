//! Records of the machine's cgroups.

use crate::clock::now_ns;
use crate::record::{self, CgroupInfo, Record, RecordError};
use std::collections::HashMap;
use std::path::Path;
use wastenot_machine::cgroups::{Cgroup, Reading};

/// Begin to read all cgroups this often, at most, ...
const EVERY_NS: u64 = 1_000_000_000;
/// ... and rest so many times as long as a part of it took: the changes of very many are seen later, at the same cost.
const REST: u64 = 49;

/// The cgroups of a recording as they were read last, and which of them it lacks.
#[derive(Default)]
pub(crate) struct CgroupRecords {
    known: HashMap<u64, Known>,
    /// Those that are new or have changed since they were written.
    changed: Vec<u64>,
    reading: Option<Reading>,
    /// Number of the reading that goes on, or went on last.
    round: u64,
    begun_ns: u64,
    due_ns: u64,
}

struct Known {
    cgroup: Cgroup,
    round: u64,
}

impl CgroupRecords {
    /// Those that `bytes` has.
    pub fn of(mut bytes: &[u8]) -> Result<Self, RecordError> {
        let mut records = Self::default();
        while !bytes.is_empty() {
            let (_, record, length) = record::read(bytes, 0)?;
            if let Record::CgroupInfo(info) = record {
                let cgroup = of_record(&info);
                records.known.insert(cgroup.id, Known { cgroup, round: 0 });
            }
            bytes = &bytes[length..];
        }
        Ok(records)
    }

    /// Read all cgroups.
    pub fn read_all(&mut self) {
        self.begin(now_ns());
        while self.read_next() {}
    }

    /// Go on reading where it is time to, for `most_ns` and one more cgroup.
    pub fn read_some(&mut self, most_ns: u64) {
        let now = now_ns();
        if now < self.due_ns {
            return;
        }
        if self.reading.is_none() {
            self.begin(now);
        }
        while self.read_next() && now_ns() - now < most_ns {}
        let end = now_ns();
        self.due_ns = end + REST * (end - now);
        if self.reading.is_none() {
            self.due_ns = self.due_ns.max(self.begun_ns + EVERY_NS);
        }
    }

    fn begin(&mut self, now: u64) {
        self.reading = Reading::begin(Path::new("/")).ok();
        self.round += 1;
        self.begun_ns = now;
    }

    /// False when none is left, and then forgets those that are gone: they come and go for as long as it records.
    fn read_next(&mut self) -> bool {
        match self.reading.as_mut().and_then(Iterator::next) {
            Some(cgroup) => {
                if let Ok(cgroup) = cgroup {
                    self.take(cgroup);
                }
                true
            }
            None => {
                if self.reading.take().is_some() {
                    let round = self.round;
                    self.known.retain(|_, known| known.round == round);
                }
                false
            }
        }
    }

    fn take(&mut self, cgroup: Cgroup) {
        let (id, round) = (cgroup.id, self.round);
        match self.known.get_mut(&id) {
            Some(known) if known.cgroup == cgroup => known.round = round,
            _ => {
                self.known.insert(id, Known { cgroup, round });
                self.changed.push(id);
            }
        }
    }

    /// Append those that are new or changed.
    pub fn write_changed(&mut self, now: u64, base_ns: u64, out: &mut Vec<u8>) {
        for id in std::mem::take(&mut self.changed) {
            if let Some(known) = self.known.get(&id) {
                write(&known.cgroup, now, base_ns, out);
            }
        }
    }

    /// Append all.
    pub fn write_all(&mut self, now: u64, base_ns: u64, out: &mut Vec<u8>) {
        self.changed.clear();
        self.known.values().for_each(|known| write(&known.cgroup, now, base_ns, out));
    }
}

fn write(cgroup: &Cgroup, now: u64, base_ns: u64, out: &mut Vec<u8>) {
    let info = CgroupInfo {
        cgroup_id: cgroup.id,
        quota_ns: cgroup.quota_ns.unwrap_or(-1),
        period_ns: cgroup.period_ns.unwrap_or(-1),
        weight: cgroup.weight.unwrap_or(-1),
        path: cgroup.path.as_bytes(),
    };
    Record::CgroupInfo(info).write(now, base_ns, out);
}

/// The cgroup that [`write`] wrote.
fn of_record(info: &CgroupInfo<'_>) -> Cgroup {
    Cgroup {
        id: info.cgroup_id,
        path: String::from_utf8_lossy(info.path).into_owned(),
        quota_ns: (info.quota_ns >= 0).then_some(info.quota_ns),
        period_ns: (info.period_ns >= 0).then_some(info.period_ns),
        weight: (info.weight >= 0).then_some(info.weight),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cgroup(id: u64, weight: i32) -> Cgroup {
        Cgroup { id, path: format!("/{id}"), quota_ns: None, period_ns: Some(100_000_000), weight: Some(weight) }
    }

    fn round(records: &mut CgroupRecords, cgroups: &[Cgroup]) -> Vec<(u64, i32)> {
        records.round += 1;
        cgroups.iter().cloned().for_each(|cgroup| records.take(cgroup));
        let (mut out, round) = (Vec::new(), records.round);
        records.known.retain(|_, known| known.round == round);
        records.write_changed(1, 0, &mut out);
        let mut written: Vec<(u64, i32)> = values(&out).iter().map(|c| (c.id, c.weight.unwrap())).collect();
        written.sort_unstable();
        written
    }

    fn values(mut bytes: &[u8]) -> Vec<Cgroup> {
        let mut found = Vec::new();
        while !bytes.is_empty() {
            let (_, record, length) = record::read(bytes, 0).unwrap();
            let Record::CgroupInfo(info) = record else { panic!("{record:?}") };
            found.push(of_record(&info));
            bytes = &bytes[length..];
        }
        found
    }

    #[test]
    fn only_what_is_new_or_changed_is_written_and_nothing_is_kept_of_what_is_gone() {
        let mut records = CgroupRecords::default();
        assert_eq!(round(&mut records, &[cgroup(1, 100), cgroup(2, 100)]), [(1, 100), (2, 100)]);
        assert_eq!(round(&mut records, &[cgroup(1, 100), cgroup(2, 50)]), [(2, 50)]);
        assert_eq!(round(&mut records, &[cgroup(2, 50), cgroup(3, 1)]), [(3, 1)]);
        assert_eq!(records.known.len(), 2);
        assert_eq!(round(&mut records, &[cgroup(1, 100), cgroup(2, 50)]), [(1, 100)]);
    }

    #[test]
    fn records_hold_what_was_read() {
        let mut records = CgroupRecords::default();
        let all = [cgroup(1, 100), Cgroup { weight: None, period_ns: None, quota_ns: Some(5), ..cgroup(2, 0) }];
        all.iter().cloned().for_each(|cgroup| records.take(cgroup));
        let mut out = Vec::new();
        records.write_all(1, 0, &mut out);
        let mut found = values(&out);
        found.sort_by_key(|cgroup| cgroup.id);
        assert_eq!(found, all);
        let mut same = CgroupRecords::of(&out).unwrap();
        assert_eq!(round(&mut same, &all), []);
    }

    #[test]
    fn the_cgroups_of_this_machine_are_the_same_in_parts_and_at_once() {
        let (mut at_once, mut in_parts) = (CgroupRecords::default(), CgroupRecords::default());
        at_once.read_all();
        in_parts.begin(0);
        while in_parts.reading.is_some() {
            in_parts.due_ns = 0;
            in_parts.read_some(0);
        }
        let ids = |records: &CgroupRecords| {
            let mut ids: Vec<u64> = records.known.keys().copied().collect();
            ids.sort_unstable();
            ids
        };
        assert_eq!(ids(&at_once), ids(&in_parts));
        assert_eq!(in_parts.changed.len(), in_parts.known.len());
        assert!(in_parts.due_ns > now_ns(), "a reading at once would take all the time there is");
    }
}
