//! Which sched_ext scheduler is in charge, as sysfs says.

use crate::record::{ExtState, Record};
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

/// Writes a record of the scheduler in charge at the start, and whenever it has changed.
pub(crate) struct SchedExt {
    known: Option<InCharge>,
    /// All of what a scheduler decides is recorded.
    recorded: bool,
    read_ns: u64,
}

impl SchedExt {
    /// Of this machine.
    pub fn new(recorded: bool) -> Self {
        Self { known: None, recorded, read_ns: 0 }
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
        let Some(read) = InCharge::read(folder).filter(|read| self.known.as_ref() != Some(read)) else { return };
        let (enabled, partial, recorded) = (read.enabled.into(), read.partial.into(), self.recorded.into());
        Record::ExtState(ExtState { enabled, recorded, partial, name: read.name.as_bytes() }).write(now, base_ns, out);
        self.known = Some(read);
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
        let mut scheduler = SchedExt::new(true);
        let written = |scheduler: &mut SchedExt, at: u64| {
            let mut out = Vec::new();
            scheduler.write(folder.path(), at, 0, &mut out);
            let record = (!out.is_empty()).then(|| record::read(&out, 0).unwrap());
            record.map(|(ts_ns, record, _)| match record {
                Record::ExtState(state) => (ts_ns, state.enabled, String::from_utf8_lossy(state.name).into_owned()),
                other => panic!("{other:?}"),
            })
        };
        assert_eq!(written(&mut scheduler, 1), None, "no sched_ext in this kernel");
        std::fs::write(folder.path().join("state"), "disabled\n").unwrap();
        assert_eq!(written(&mut scheduler, 2), Some((2, 0, String::new())));
        assert_eq!(written(&mut scheduler, 3), None);
        std::fs::create_dir(folder.path().join("root")).unwrap();
        std::fs::write(folder.path().join("root/ops"), "simple\n").unwrap();
        std::fs::write(folder.path().join("state"), "enabled\n").unwrap();
        assert_eq!(written(&mut scheduler, 4), Some((4, 1, "simple".into())));
    }
}
