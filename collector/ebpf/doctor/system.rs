//! What files, mounts and tools of the machine say.

use crate::mounts::mount_of;
use std::path::Path;
use wastenot_topology::KernelRelease;

/// The controllers of cgroup v1 that are mounted, and whether v2 is.
pub fn cgroups() -> (Vec<String>, bool) {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let mut controllers = Vec::new();
    for line in mounts.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        if let [_, _, "cgroup", options, ..] = fields[..] {
            controllers.extend(options.split(',').filter(|o| ["cpu", "cpuset"].contains(o)).map(str::to_owned));
        }
    }
    controllers.sort();
    controllers.dedup();
    (controllers, mount_of("cgroup2").is_some())
}

/// First line of a file, without the white space around it.
pub fn line(path: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    text.lines().next().map(|line| line.trim().to_owned())
}

/// Whether a program is in a folder of PATH.
pub fn tool(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// Whether this user holds a capability (number as in include/uapi/linux/capability.h).
pub fn capability(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let held = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    held.and_then(|held| u64::from_str_radix(held.trim(), 16).ok()).is_some_and(|held| held >> number & 1 == 1)
}

/// Whether kernel addresses can be read.
pub fn symbols() -> bool {
    use std::io::{BufRead, BufReader};
    let Ok(file) = std::fs::File::open("/proc/kallsyms") else { return false };
    BufReader::new(file).lines().take(100).flatten().any(|line| !line.starts_with("0000000000000000"))
}

/// Whether an instance of tracing can be made: it is, and taken away again.
pub fn tracing_instance(tracefs: &Path) -> std::io::Result<()> {
    let folder = tracefs.join("instances").join(format!("wastenot-doctor-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    std::fs::remove_dir(&folder)
}

/// Kernel release.
pub fn kernel() -> String {
    line("/proc/sys/kernel/osrelease").unwrap_or_else(|| "unknown".into())
}

/// The first two numbers of a release; larger than any where there are none, so that no upgrade is advised.
pub fn release(text: &str) -> (u32, u32) {
    KernelRelease::mainline_of(text).unwrap_or((u32::MAX, 0))
}
