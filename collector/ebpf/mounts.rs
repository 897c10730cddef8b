//! Where the kernel's file systems are mounted.

use std::path::PathBuf;

/// Where tracefs is mounted, if it is.
pub fn tracefs() -> Option<PathBuf> {
    mount_of("tracefs")
        .or_else(|| Some(PathBuf::from("/sys/kernel/debug/tracing")).filter(|p| p.join("events").exists()))
}

/// First mount point of a type of file system, within this root.
pub fn mount_of(kind: &str) -> Option<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
    let mut fields = mounts.lines().map(|line| line.split(' '));
    fields.find_map(|mut fields| {
        let (_, point, found) = (fields.next()?, fields.next()?, fields.next()?);
        (found == kind).then(|| PathBuf::from(point))
    })
}
