//! CPU cgroups: identity, quota and weight, of both versions; and the CPUs of cpusets.
//!
//! Sources: Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/cpusets.rst, scheduler/sched-bwc.rst.

use crate::error::MachineError;
use crate::root::Root;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use wastenot_topology::CpuSet;

/// Version of the cgroup interface that a controller is attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// One hierarchy per controller or group of controllers.
    V1,
    /// One hierarchy for all.
    V2,
}

/// A mounted hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    /// Which files its folders hold.
    pub version: Version,
    /// Where it is mounted, from the root of the machine.
    pub mount: String,
}

/// The hierarchies that decide about CPU time and CPU sets. None: not mounted where we can see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hierarchies {
    /// Quota and weight.
    pub cpu: Option<Hierarchy>,
    /// Allowed CPUs.
    pub cpuset: Option<Hierarchy>,
}

/// A cgroup of the hierarchy that decides about CPU time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cgroup {
    /// Inode number of its folder, which is the kernfs id that BPF sees (`cgroup->kn->id`).
    pub id: u64,
    /// Path within its hierarchy; `/` the root.
    pub path: String,
    /// CPU time per period; None: unlimited or unknown.
    pub quota_ns: Option<i64>,
    /// Period of the quota.
    pub period_ns: Option<i64>,
    /// `cpu.weight` (v2, 100 the default) or `cpu.shares` (v1, 1024 the default); None at the root.
    pub weight: Option<i32>,
}

impl Hierarchy {
    /// Folder of a cgroup, from the root of the machine.
    pub(crate) fn folder(&self, path: &str) -> String {
        format!("{}/{}", self.mount.trim_end_matches('/'), path.trim_matches('/')).trim_end_matches('/').to_owned()
    }
}

/// Which hierarchies decide: a v1 mount of the controller where there is one, else the v2 mount.
pub(crate) fn hierarchies(root: &Root) -> Result<Hierarchies, MachineError> {
    let v2 = root.mount("cgroup2", "").or_else(|| {
        let mount = "/sys/fs/cgroup";
        root.at(mount).join("cgroup.controllers").exists().then(|| mount.to_owned())
    });
    let find = |controller: &str| {
        let v1 = root.mount("cgroup", controller).map(|mount| Hierarchy { version: Version::V1, mount });
        v1.or_else(|| v2.clone().map(|mount| Hierarchy { version: Version::V2, mount }))
    };
    Ok(Hierarchies { cpu: find("cpu"), cpuset: find("cpuset") })
}

/// Every cgroup of the CPU hierarchy, parents before children. Empty where none is mounted.
pub fn read(root: &Path) -> Result<Vec<Cgroup>, MachineError> {
    Reading::begin(root)?.collect()
}

/// A reading of every cgroup of the CPU hierarchy, one at each step, parents before children: ten thousand take a good part of a second.
///
/// One that is removed or made meanwhile may be missing.
pub struct Reading {
    root: Root,
    hierarchy: Option<Hierarchy>,
    /// Paths that are still to be read, the next one last.
    paths: Vec<String>,
}

impl Reading {
    /// At the root of the hierarchy.
    pub fn begin(root: &Path) -> Result<Self, MachineError> {
        let root = Root::new(root);
        let hierarchy = hierarchies(&root)?.cpu;
        Ok(Self { root, hierarchy, paths: vec!["/".to_owned()] })
    }
}

impl Iterator for Reading {
    type Item = Result<Cgroup, MachineError>;

    fn next(&mut self) -> Option<Self::Item> {
        let hierarchy = self.hierarchy.as_ref()?;
        loop {
            let path = self.paths.pop()?;
            let Some(folder) = folder_meta(&self.root, hierarchy, &path) else { continue };
            // A file system that counts subfolders as links shows two of a folder without any; others always show one.
            if folder.nlink() != 2 {
                self.paths.extend(children(&self.root, hierarchy, &path).into_iter().rev());
            }
            return Some(details(&self.root, hierarchy, path, folder.ino()));
        }
    }
}

fn details(root: &Root, hierarchy: &Hierarchy, path: String, id: u64) -> Result<Cgroup, MachineError> {
    let folder = hierarchy.folder(&path);
    let (quota_ns, period_ns) = match hierarchy.version {
        Version::V2 => quota_v2(root, &folder)?,
        Version::V1 => quota_v1(root, &folder)?,
    };
    let weight = match hierarchy.version {
        Version::V2 => root.number(format!("{folder}/cpu.weight"))?,
        Version::V1 => root.number(format!("{folder}/cpu.shares"))?,
    };
    Ok(Cgroup { id, path, quota_ns, period_ns, weight })
}

/// kernfs id of a cgroup: the inode number of its folder.
pub(crate) fn id(root: &Root, hierarchy: &Hierarchy, path: &str) -> Option<u64> {
    folder_meta(root, hierarchy, path).map(|meta| meta.ino())
}

fn folder_meta(root: &Root, hierarchy: &Hierarchy, path: &str) -> Option<Metadata> {
    std::fs::metadata(root.at(hierarchy.folder(path))).ok().filter(Metadata::is_dir)
}

/// Effective CPUs at `path`. A v2 cgroup whose parent does not delegate the cpuset controller has its ancestor's.
pub(crate) fn effective_cpus(root: &Root, hierarchy: &Hierarchy, path: &str) -> Result<Option<CpuSet>, MachineError> {
    let mut path = path.trim_end_matches('/');
    loop {
        let folder = hierarchy.folder(path);
        let names: &[&str] = match hierarchy.version {
            Version::V2 => &["cpuset.cpus.effective"],
            Version::V1 => &["cpuset.effective_cpus", "cpuset.cpus"],
        };
        for name in names {
            if let Some(cpus) = root.cpulist(format!("{folder}/{name}"))? {
                return Ok(Some(cpus));
            }
        }
        match path.rsplit_once('/') {
            Some((parent, _)) => path = parent,
            None => return Ok(None),
        }
    }
}

/// `cpu.max`: `<quota|max> <period>` in microseconds.
fn quota_v2(root: &Root, folder: &str) -> Result<(Option<i64>, Option<i64>), MachineError> {
    let rel = format!("{folder}/cpu.max");
    let Some(text) = root.text(&rel)? else { return Ok((None, None)) };
    let garbage = || MachineError::garbage(&root.at(&rel), "\"<quota or max> <period>\"", &text);
    let (quota, period) = text.split_once(' ').ok_or_else(garbage)?;
    let nanoseconds = |t: &str| t.trim().parse::<i64>().ok().and_then(|us| us.checked_mul(1000)).ok_or_else(garbage);
    let quota = if quota == "max" { None } else { Some(nanoseconds(quota)?) };
    Ok((quota, Some(nanoseconds(period)?)))
}

/// `cpu.cfs_quota_us` (-1 unlimited) and `cpu.cfs_period_us`.
fn quota_v1(root: &Root, folder: &str) -> Result<(Option<i64>, Option<i64>), MachineError> {
    let quota = root.number::<i64>(format!("{folder}/cpu.cfs_quota_us"))?.filter(|&us| us >= 0);
    let period = root.number::<i64>(format!("{folder}/cpu.cfs_period_us"))?;
    Ok((quota.map(|us| us.saturating_mul(1000)), period.map(|us| us.saturating_mul(1000))))
}

/// Paths of all cgroups of a hierarchy, parents before children, `/` first.
pub(crate) fn folders(root: &Root, hierarchy: &Hierarchy) -> Vec<String> {
    let mut paths = vec!["/".to_owned()];
    let mut next = 0;
    while let Some(path) = paths.get(next) {
        paths.extend(children(root, hierarchy, &path.clone()));
        next += 1;
    }
    paths
}

/// Paths of the cgroups right below one, in order of their names.
fn children(root: &Root, hierarchy: &Hierarchy, path: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(root.at(hierarchy.folder(path))) else { return Vec::new() };
    let mut children: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .map(|name| format!("{}/{name}", path.trim_end_matches('/')))
        .collect();
    children.sort_unstable();
    children
}
