//! Which sched_ext schedulers are loaded, and what the kernel counts of each, as sysfs says.

use crate::record::{ExtCounter, ExtScheduler, ExtState, Record};
use std::collections::BTreeMap;
use std::path::Path;

/// Where the kernel says so.
pub(crate) const FOLDER: &str = "/sys/kernel/sched_ext";
/// Read again after so long: a scheduler is loaded or leaves seldom.
const EVERY_NS: u64 = 500_000_000;

/// Whether a scheduler runs all threads of the fair class (no SCX_OPS_SWITCH_PARTIAL). `folder` is that of sysfs.
pub(crate) fn takes_all(folder: &Path) -> bool {
    InCharge::read(folder).is_some_and(|scheduler| scheduler.enabled && !scheduler.partial)
}

/// The scheduler in charge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct InCharge {
    enabled: bool,
    partial: bool,
    name: String,
}

impl InCharge {
    /// None where the kernel has no sched_ext.
    fn read(folder: &Path) -> Option<Self> {
        let text = |name: &str| std::fs::read_to_string(folder.join(name)).map(|text| text.trim().to_owned());
        let enabled = text("state").ok()? == "enabled";
        let partial = enabled && text("switch_all").is_ok_and(|all| all != "1");
        Some(Self {
            enabled,
            partial,
            name: if enabled { text("root/ops").unwrap_or_default() } else { String::new() },
        })
    }
}

/// A loaded scheduler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Loaded {
    name: String,
    /// What the kernel counts (SCX_EV_*), from 6.14 on.
    counters: BTreeMap<String, u64>,
}

/// The schedulers by the cgroup whose threads they schedule: 0 that of all threads, others from 7.1 on.
type LoadedByCgroup = BTreeMap<u64, Loaded>;

fn loaded(folder: &Path) -> LoadedByCgroup {
    let mut found = BTreeMap::new();
    read_loaded(&folder.join("root"), 0, &mut found);
    found
}

/// That of a folder, and those below it (`sub/sub-CGROUP`).
fn read_loaded(folder: &Path, cgroup: u64, found: &mut LoadedByCgroup) {
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let Some(name) = text("ops") else { return };
    let counter = |line: &str| {
        let (name, value) = line.split_once(' ')?;
        Some((name.to_owned(), value.trim().parse().ok()?))
    };
    let counters = text("events").unwrap_or_default().lines().filter_map(counter).collect();
    found.insert(cgroup, Loaded { name: name.trim().to_owned(), counters });
    for entry in std::fs::read_dir(folder.join("sub")).into_iter().flatten().flatten() {
        let number = entry.file_name().to_str().and_then(|name| name.strip_prefix("sub-")?.parse().ok());
        if let Some(cgroup) = number {
            read_loaded(&entry.path(), cgroup, found);
        }
    }
}

/// Writes records of the schedulers that are loaded and of what the kernel counts, at the start and of each change.
pub(crate) struct SchedExt {
    known: Option<InCharge>,
    loaded: LoadedByCgroup,
    /// A scheduler of a cgroup was loaded.
    of_cgroups: bool,
    /// All of what a scheduler decides is recorded.
    recorded: bool,
    /// The kernel grants CPUs to schedulers of cgroups, as those do that were tried (7.3).
    grants_cpus: bool,
    read_ns: u64,
}

impl SchedExt {
    /// Of this machine.
    pub fn new(recorded: bool, grants_cpus: bool) -> Self {
        Self { known: None, loaded: BTreeMap::new(), of_cgroups: false, recorded, grants_cpus, read_ns: 0 }
    }

    /// What of that goes past what was tried with a real kernel.
    pub fn unverified(&self) -> Option<&'static str> {
        let untried = self.of_cgroups && !self.grants_cpus;
        untried.then_some(
            "sched_ext schedulers of cgroups were loaded, which were tried on kernels alone that grant them CPUs (7.3)",
        )
    }

    /// Append a record to `out` where it is time to read again and something has changed; nothing where the kernel has no sched_ext.
    pub fn write_changed(&mut self, now: u64, base_ns: u64, out: &mut Vec<u8>) {
        if now < self.read_ns + EVERY_NS {
            return;
        }
        self.read_ns = now;
        self.write(Path::new(FOLDER), now, base_ns, out);
    }

    fn write(&mut self, folder: &Path, now: u64, base_ns: u64, out: &mut Vec<u8>) {
        // As the kernel removes a scheduler, threads are with it until it says `disabled`.
        let is_leaving = std::fs::read_to_string(folder.join("state")).is_ok_and(|state| state.trim() == "disabling");
        let Some(read) = InCharge::read(folder).filter(|_| !is_leaving) else { return };
        if self.known.as_ref() != Some(&read) {
            let (enabled, partial, recorded) = (read.enabled.into(), read.partial.into(), self.recorded.into());
            Record::ExtState(ExtState { enabled, recorded, partial, name: read.name.as_bytes() })
                .write(now, base_ns, out);
        }
        let loaded = loaded(folder);
        self.write_loaded(&loaded, now, base_ns, out);
        self.of_cgroups |= loaded.keys().any(|&cgroup| cgroup != 0);
        (self.known, self.loaded) = (Some(read), loaded);
    }

    fn write_loaded(&self, loaded: &LoadedByCgroup, now: u64, base_ns: u64, out: &mut Vec<u8>) {
        let mut scheduler = |cgroup: u64, name: &str, gone: u32| {
            let name = name.as_bytes();
            Record::ExtScheduler(ExtScheduler { cgroup, gone, reserved: 1, name }).write(now, base_ns, out);
        };
        let same = |cgroup: &u64, of: &Loaded, among: &LoadedByCgroup| {
            among.get(cgroup).is_some_and(|other| other.name == of.name)
        };
        for (&cgroup, known) in self.loaded.iter().filter(|(cgroup, known)| !same(cgroup, known, loaded)) {
            scheduler(cgroup, &known.name, 1);
        }
        for (&cgroup, new) in loaded.iter().filter(|(cgroup, new)| !same(cgroup, new, &self.loaded)) {
            scheduler(cgroup, &new.name, 0);
        }
        for (&cgroup, read) in loaded {
            let known = self.loaded.get(&cgroup).filter(|known| known.name == read.name);
            for (name, &value) in &read.counters {
                if known.and_then(|known| known.counters.get(name)) != Some(&value) {
                    let name = name.as_bytes();
                    Record::ExtCounter(ExtCounter { cgroup, value, spare: 0, reserved: 0, name })
                        .write(now, base_ns, out);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record;

    #[test]
    fn a_scheduler_takes_all_only_where_it_is_enabled_and_not_partial() {
        let folder = tempfile::tempdir().unwrap();
        let says = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        assert!(!takes_all(folder.path()), "no sched_ext in this kernel");
        says("state", "disabled\n");
        says("switch_all", "0\n");
        assert!(!takes_all(folder.path()));
        says("state", "enabled\n");
        assert!(!takes_all(folder.path()), "only threads of policy ext");
        says("switch_all", "1\n");
        assert!(takes_all(folder.path()));
    }

    #[test]
    fn a_record_is_written_at_the_start_and_at_each_change() {
        let folder = tempfile::tempdir().unwrap();
        let mut scheduler = SchedExt::new(true, false);
        let written = |scheduler: &mut SchedExt, at: u64| {
            let (mut out, mut found) = (Vec::new(), Vec::new());
            scheduler.write(folder.path(), at, 0, &mut out);
            let mut rest = &out[..];
            while !rest.is_empty() {
                let (ts_ns, record, length) = record::read(rest, 0).unwrap();
                assert_eq!(ts_ns, at);
                let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
                found.push(match record {
                    Record::ExtState(state) => format!("enabled {} {}", state.enabled, text(state.name)),
                    Record::ExtScheduler(r) => format!("{} of {} gone {}", text(r.name), r.cgroup, r.gone),
                    Record::ExtCounter(r) => format!("{} of {} is {}", text(r.name), r.cgroup, r.value),
                    other => panic!("{other:?}"),
                });
                rest = &rest[length..];
            }
            found
        };
        let says = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        assert!(written(&mut scheduler, 1).is_empty(), "no sched_ext in this kernel");
        says("state", "disabled\n");
        assert_eq!(written(&mut scheduler, 2), ["enabled 0 "]);
        assert!(written(&mut scheduler, 3).is_empty());
        says("root/ops", "simple\n");
        says("root/events", "SCX_EV_A 7\nSCX_EV_B 0\n");
        says("state", "enabled\n");
        let first = ["enabled 1 simple", "simple of 0 gone 0", "SCX_EV_A of 0 is 7", "SCX_EV_B of 0 is 0"];
        assert_eq!(written(&mut scheduler, 4), first);
        assert_eq!(scheduler.unverified(), None);
        says("root/events", "SCX_EV_A 7\nSCX_EV_B 2\nbroken\n");
        says("root/sub/sub-42/ops", "part\n");
        says("root/sub/sub-42/sub/sub-43/ops", "part of it\n");
        let more = ["part of 42 gone 0", "part of it of 43 gone 0", "SCX_EV_B of 0 is 2"];
        assert_eq!(written(&mut scheduler, 5), more);
        std::fs::remove_dir_all(folder.path().join("root/sub")).unwrap();
        says("root/ops", "other\n");
        let other = [
            "enabled 1 other",
            "simple of 0 gone 1",
            "part of 42 gone 1",
            "part of it of 43 gone 1",
            "other of 0 gone 0",
            "SCX_EV_A of 0 is 7",
            "SCX_EV_B of 0 is 2",
        ];
        assert_eq!(written(&mut scheduler, 6), other);
        says("state", "disabling\n");
        std::fs::remove_dir_all(folder.path().join("root")).unwrap();
        assert!(written(&mut scheduler, 7).is_empty(), "it has threads yet");
        says("state", "disabled\n");
        assert_eq!(written(&mut scheduler, 8), ["enabled 0 ", "other of 0 gone 1"]);
        assert!(scheduler.unverified().unwrap().contains("of cgroups"), "they were there");
        scheduler.grants_cpus = true;
        assert_eq!(scheduler.unverified(), None, "such a kernel was tried");
    }
}
