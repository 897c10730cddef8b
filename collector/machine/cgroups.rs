//! CPU cgroups: identity, quota and weight, of both versions; and the CPUs of cpusets.
//!
//! Sources: Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/cpusets.rst, scheduler/sched-bwc.rst.

use crate::error::MachineError;
use crate::root::Root;
use std::fs::Metadata;
use std::os::unix::fs::{DirEntryExt, MetadataExt};
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
    let tree = Tree::open(root)?;
    let (mut cgroups, mut paths) = (Vec::new(), vec!["/".to_owned()]);
    while let Some(path) = paths.pop() {
        let Some(folder) = tree.read(&path)? else { continue };
        if folder.is_parent {
            paths.extend(tree.children(&path).into_iter().rev().map(|child| child.path));
        }
        cgroups.push(folder.cgroup);
    }
    Ok(cgroups)
}

/// The folders of the CPU hierarchy, read one by one: ten thousand of them take a good part of a second.
pub struct Tree {
    root: Root,
    /// None: it is not mounted.
    hierarchy: Option<Hierarchy>,
}

/// What a folder of the hierarchy holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CgroupFolder {
    /// The cgroup itself.
    pub cgroup: Cgroup,
    /// False: no cgroup is below it.
    pub is_parent: bool,
}

/// An entry of a folder of the hierarchy: a cgroup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// As [`Cgroup::id`].
    pub id: u64,
    /// As [`Cgroup::path`].
    pub path: String,
}

impl Tree {
    /// Of the machine at `root`.
    pub fn open(root: &Path) -> Result<Self, MachineError> {
        let root = Root::new(root);
        let hierarchy = hierarchies(&root)?.cpu;
        Ok(Self { root, hierarchy })
    }

    /// The cgroup at a path; None: there is none (it may have been removed).
    pub fn read(&self, path: &str) -> Result<Option<CgroupFolder>, MachineError> {
        let Some(hierarchy) = &self.hierarchy else { return Ok(None) };
        let Some(meta) = folder_meta(&self.root, hierarchy, path) else { return Ok(None) };
        let cgroup = details(&self.root, hierarchy, path.to_owned(), meta.ino())?;
        // A file system that counts subfolders as links shows two of a folder without any; others always show one.
        Ok(Some(CgroupFolder { cgroup, is_parent: meta.nlink() != 2 }))
    }

    /// The cgroups right below the one at a path, in order of their names.
    pub fn children(&self, path: &str) -> Vec<Child> {
        self.hierarchy.as_ref().map(|hierarchy| children(&self.root, hierarchy, path)).unwrap_or_default()
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
        paths.extend(children(root, hierarchy, &path.clone()).into_iter().map(|child| child.path));
        next += 1;
    }
    paths
}

fn children(root: &Root, hierarchy: &Hierarchy, path: &str) -> Vec<Child> {
    let Ok(entries) = std::fs::read_dir(root.at(hierarchy.folder(path))) else { return Vec::new() };
    let path = path.trim_end_matches('/');
    let mut children: Vec<Child> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| Some((entry.ino(), entry.file_name().into_string().ok()?)))
        .map(|(id, name)| Child { id, path: format!("{path}/{name}") })
        .collect();
    children.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    children
}
