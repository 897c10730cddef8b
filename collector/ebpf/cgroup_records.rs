//! Records of the machine's cgroups.
//!
//! Names are wanted soon, limits change seldom. So the folders that hold cgroups are listed about once a second, which finds those that
//! are new and those that are gone, and the files of all that are known are read again in turn. Both rest far longer than they
//! work: the changes of ten thousand cgroups are seen later than those of ten, at the same cost.

use crate::clock::now_ns;
use crate::record::{self, CgroupInfo, Record, RecordError};
use std::collections::HashMap;
use std::path::Path;
use wastenot_machine::cgroups::{Cgroup, CgroupFolder, Tree};

/// List the folders, and read the files of all cgroups, this often at most, ...
const EVERY_NS: u64 = 1_000_000_000;
/// ... and rest so many times as long as a part of the work took.
const REST: u64 = 49;

/// The cgroups of a recording as they were read last, and which of them it lacks.
#[derive(Default)]
pub(crate) struct CgroupRecords {
    tree: Option<Tree>,
    known: HashMap<u64, Known>,
    /// Those that are new or have changed since they were written.
    changed: Vec<u64>,
    /// Those whose files are still to be read again in this turn.
    turn: Vec<u64>,
    /// Number of the listing.
    listing: u64,
    /// When the folders are listed again, ...
    list_due_ns: u64,
    /// ... and when reading their files goes on.
    read_due_ns: u64,
    turn_begun_ns: u64,
}

struct Known {
    cgroup: Cgroup,
    is_parent: bool,
    /// Number of the listing in which it was seen last.
    listing: u64,
}

impl CgroupRecords {
    /// Those that `bytes` has.
    pub fn of(mut bytes: &[u8]) -> Result<Self, RecordError> {
        let mut records = Self::default();
        while !bytes.is_empty() {
            let (_, record, length) = record::read(bytes, 0)?;
            if let Record::CgroupInfo(info) = record {
                let cgroup = of_record(&info);
                records.known.insert(cgroup.id, Known { cgroup, is_parent: true, listing: 0 });
            }
            bytes = &bytes[length..];
        }
        Ok(records)
    }

    /// Read all cgroups.
    pub fn read_all(&mut self) {
        let known: Vec<u64> = self.known.keys().copied().collect();
        self.list();
        known.into_iter().for_each(|id| self.read_again(id));
    }

    /// Go on where it is time to: list the folders, or read the files of cgroups for `most_ns` and one more.
    pub fn read_some(&mut self, most_ns: u64) {
        let now = now_ns();
        if now >= self.list_due_ns {
            self.list();
            let end = now_ns();
            self.list_due_ns = (end + REST * (end - now)).max(now + EVERY_NS);
        } else if now >= self.read_due_ns {
            if self.turn.is_empty() {
                self.turn = self.known.keys().copied().collect();
                self.turn_begun_ns = now;
            }
            while let Some(id) = self.turn.pop() {
                self.read_again(id);
                if now_ns() - now >= most_ns {
                    break;
                }
            }
            let end = now_ns();
            self.read_due_ns = end + REST * (end - now);
            if self.turn.is_empty() {
                self.read_due_ns = self.read_due_ns.max(self.turn_begun_ns + EVERY_NS);
            }
        }
    }

    /// Find those that are new, and forget those that are gone: cgroups come and go for as long as it records.
    fn list(&mut self) {
        if self.tree.is_none() {
            self.tree = Tree::open(Path::new("/")).ok();
        }
        let Some(tree) = self.tree.take() else { return };
        self.listing += 1;
        let mut parents = Vec::new();
        if let Ok(Some(root)) = tree.read("/") {
            parents.push(root.cgroup.path.clone());
            self.take(root);
        }
        while let Some(path) = parents.pop() {
            for child in tree.children(&path) {
                let is_parent = match self.known.get_mut(&child.id) {
                    Some(known) if known.cgroup.path == child.path => {
                        known.listing = self.listing;
                        known.is_parent
                    }
                    _ => match tree.read(&child.path) {
                        Ok(Some(folder)) => {
                            let is_parent = folder.is_parent;
                            self.take(folder);
                            is_parent
                        }
                        _ => false,
                    },
                };
                if is_parent {
                    parents.push(child.path);
                }
            }
        }
        let listing = self.listing;
        self.known.retain(|_, known| known.listing == listing);
        self.tree = Some(tree);
    }

    fn read_again(&mut self, id: u64) {
        let (Some(tree), Some(known)) = (&self.tree, self.known.get(&id)) else { return };
        // Another one may have its path by now: the next listing knows.
        if let Ok(Some(folder)) = tree.read(&known.cgroup.path)
            && folder.cgroup.id == id
        {
            self.take(folder);
        }
    }

    fn take(&mut self, folder: CgroupFolder) {
        let (id, listing) = (folder.cgroup.id, self.listing);
        let CgroupFolder { cgroup, is_parent } = folder;
        if self.known.get(&id).is_none_or(|known| known.cgroup != cgroup) {
            self.changed.push(id);
        }
        self.known.insert(id, Known { cgroup, is_parent, listing });
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

    fn written(records: &mut CgroupRecords) -> Vec<(u64, i32)> {
        let mut out = Vec::new();
        records.write_changed(1, 0, &mut out);
        let mut written: Vec<(u64, i32)> = values(&out).iter().map(|c| (c.id, c.weight.unwrap())).collect();
        written.sort_unstable();
        written
    }

    fn round(records: &mut CgroupRecords, cgroups: &[Cgroup]) -> Vec<(u64, i32)> {
        records.listing += 1;
        cgroups.iter().cloned().for_each(|cgroup| records.take(CgroupFolder { cgroup, is_parent: false }));
        let listing = records.listing;
        records.known.retain(|_, known| known.listing == listing);
        written(records)
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
        all.iter().cloned().for_each(|cgroup| records.take(CgroupFolder { cgroup, is_parent: false }));
        let mut out = Vec::new();
        records.write_all(1, 0, &mut out);
        let mut found = values(&out);
        found.sort_by_key(|cgroup| cgroup.id);
        assert_eq!(found, all);
        let mut same = CgroupRecords::of(&out).unwrap();
        assert_eq!(round(&mut same, &all), []);
    }

    /// The cgroups in a folder, as `records` of this machine that has no others would be.
    fn of_folder(root: &Path) -> CgroupRecords {
        CgroupRecords { tree: Some(Tree::open(root).unwrap()), ..CgroupRecords::default() }
    }

    #[test]
    fn a_listing_finds_what_is_new_and_a_turn_what_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("sys/fs/cgroup");
        let make = |path: &str, weight: i32| {
            std::fs::create_dir_all(at.join(path)).unwrap();
            std::fs::write(at.join(path).join("cpu.weight"), weight.to_string()).unwrap();
        };
        std::fs::create_dir_all(&at).unwrap();
        std::fs::write(at.join("cgroup.controllers"), "cpu").unwrap();
        std::fs::create_dir_all(folder.path().join("proc/self")).unwrap();
        std::fs::write(folder.path().join("proc/self/mounts"), "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0").unwrap();
        make("a", 100);
        make("b/c", 100);
        let mut records = of_folder(folder.path());
        let paths = |records: &mut CgroupRecords| {
            let mut out = Vec::new();
            records.write_changed(1, 0, &mut out);
            let mut paths: Vec<String> = values(&out).into_iter().map(|cgroup| cgroup.path).collect();
            paths.sort_unstable();
            paths
        };
        records.read_all();
        assert_eq!(paths(&mut records), ["/", "/a", "/b", "/b/c"]);
        records.list();
        assert_eq!(paths(&mut records), [""; 0]);
        make("a", 50);
        make("b/d", 1);
        records.list();
        assert_eq!(paths(&mut records), ["/b/d"], "the file of one that is known is not read");
        (records.list_due_ns, records.read_due_ns) = (u64::MAX, 0);
        records.read_some(u64::MAX);
        assert_eq!(paths(&mut records), ["/a"]);
        assert!(records.read_due_ns > records.turn_begun_ns && records.turn.is_empty());
        make("a/e", 2);
        records.list();
        assert_eq!(paths(&mut records), [""; 0], "it was known to have none below it");
        records.read_due_ns = 0;
        records.read_some(u64::MAX);
        records.list();
        assert_eq!(paths(&mut records), ["/a/e"]);
        std::fs::remove_dir_all(at.join("b")).unwrap();
        records.list();
        assert_eq!(records.known.len(), 3, "/, /a and /a/e");
    }

    #[test]
    fn a_part_of_a_turn_ends_in_time_and_the_next_goes_on() {
        let mut records = CgroupRecords::default();
        records.read_all();
        let known = records.known.len();
        (records.list_due_ns, records.read_due_ns) = (u64::MAX, 0);
        for left in (0..known).rev() {
            records.read_due_ns = 0;
            records.read_some(0);
            assert_eq!(records.turn.len(), left);
        }
    }
}
