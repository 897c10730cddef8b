//! Every thread as listed by /proc: where BPF may not iterate over tasks, this is the recorder's start snapshot.
//!
//! The walk takes time, so two threads may be described at different instants; a thread that ends meanwhile is left out.
//! Sources: proc(5): `/proc/pid/stat`, `status`, `cgroup`; include/linux/sched.h (`PF_*`).

use crate::cgroups::{self, Hierarchies, Hierarchy, Version};
use crate::error::MachineError;
use crate::root::Root;
use std::collections::HashMap;
use std::path::Path;
use wastenot_schemas::{policy, task_state};
use wastenot_topology::CpuSet;
use wastenot_topology::task_state::of_letter;

const PF_KTHREAD: u64 = 0x0020_0000;
const PF_NO_SETAFFINITY: u64 = 0x0400_0000;

/// A thread at the instant it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadInfo {
    /// Thread id, unique while the thread lives.
    pub tid: i32,
    /// Thread group: the process.
    pub tgid: i32,
    /// Parent process; 0 none.
    pub ppid: i32,
    /// Name, at most 15 bytes for most threads.
    pub comm: String,
    /// Code of `wastenot_schemas::task_state`. /proc does not distinguish running from queued: both are R.
    pub state: u8,
    /// CPU of its queue, or where it last ran.
    pub cpu: u32,
    /// Allowed CPUs (`cpus_ptr`), already cut by the cpuset.
    pub allowed: CpuSet,
    /// Code of `wastenot_schemas::policy`.
    pub policy: u8,
    /// The kernel's priority: 0..=99 real time, 100..=139 normal (120 is nice 0), -1 deadline.
    pub prio: i16,
    /// Nice value, -20..=19.
    pub nice: i16,
    /// Kernel thread.
    pub is_kernel: bool,
    /// Kernel thread that the kernel bound to one CPU (`kthread_bind`: user space may not change its mask).
    pub per_cpu: bool,
    /// Path of the cgroup that holds its CPU time; None: not known.
    pub cgroup: Option<String>,
    /// kernfs id of that cgroup; None: the folder is not visible.
    pub cgroup_id: Option<u64>,
    /// Effective CPUs of its cpuset.
    pub cpuset: Option<CpuSet>,
    /// Start of the thread in clock ticks after boot: distinguishes a reused tid from the first thread that had it.
    pub start_ticks: u64,
}

/// All threads, by tid. swapper is not among them.
pub fn snapshot(root: &Path) -> Result<Vec<ThreadInfo>, MachineError> {
    let root = Root::new(root);
    let mut groups = CgroupCache { hierarchies: cgroups::hierarchies(&root)?, known: HashMap::new() };
    let mut threads = Vec::new();
    for pid in root.numbered("proc", "") {
        for tid in root.numbered(format!("proc/{pid}/task"), "") {
            if let Some(thread) = read(&root, &format!("proc/{pid}/task/{tid}"), pid as i32, &mut groups)? {
                threads.push(thread);
            }
        }
    }
    threads.sort_by_key(|t| t.tid);
    Ok(threads)
}

fn read(root: &Root, folder: &str, tgid: i32, groups: &mut CgroupCache) -> Result<Option<ThreadInfo>, MachineError> {
    let (stat_file, status_file) = (format!("{folder}/stat"), format!("{folder}/status"));
    let Some(bytes) = root.bytes(&stat_file)? else { return Ok(None) };
    let stat = String::from_utf8_lossy(&bytes);
    let garbage = || MachineError::garbage(&root.at(&stat_file), "the fields of /proc/<tid>/stat", &stat);
    let stat = Stat::parse(&stat).ok_or_else(garbage)?;
    let Some(status) = root.bytes(&status_file)? else { return Ok(None) };
    let status = String::from_utf8_lossy(&status);
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let allowed = list.and_then(|list| CpuSet::parse_list(list).ok());
    let Some(allowed) = allowed else {
        return Err(MachineError::garbage(&root.at(&status_file), "a line Cpus_allowed_list", &status));
    };
    let place = groups.place(root, folder)?;
    let bound = stat.flags & PF_NO_SETAFFINITY != 0 && allowed.len() == 1;
    let is_kernel = stat.flags & PF_KTHREAD != 0;
    Ok(Some(ThreadInfo {
        tid: stat.tid,
        tgid,
        ppid: stat.ppid,
        comm: stat.comm,
        state: of_letter(stat.state).unwrap_or(task_state::UNKNOWN),
        cpu: stat.cpu,
        allowed,
        policy: stat.policy.filter(|&p| p < policy::NAMES.len() as u8).unwrap_or(policy::NORMAL),
        prio: stat.priority + 100,
        nice: stat.nice,
        is_kernel,
        per_cpu: is_kernel && bound,
        cgroup: place.path,
        cgroup_id: place.id,
        cpuset: place.cpuset,
        start_ticks: stat.start_ticks,
    }))
}

struct Stat {
    tid: i32,
    comm: String,
    state: char,
    ppid: i32,
    flags: u64,
    priority: i16,
    nice: i16,
    start_ticks: u64,
    cpu: u32,
    policy: Option<u8>,
}

impl Stat {
    /// The name may hold blanks and parentheses: it ends at the last `)`.
    fn parse(text: &str) -> Option<Self> {
        let (head, tail) = text.rsplit_once(')')?;
        let (tid, comm) = head.split_once('(')?;
        let fields: Vec<&str> = tail.split_whitespace().collect();
        // Fields are numbered from 1 in proc(5), and the state, the third, is the first here.
        let field = |number: usize| fields.get(number - 3).copied();
        Some(Self {
            tid: tid.trim().parse().ok()?,
            comm: comm.to_owned(),
            state: field(3)?.chars().next()?,
            ppid: field(4)?.parse().ok()?,
            flags: field(9)?.parse().ok()?,
            priority: field(18)?.parse::<i16>().ok().filter(|p| (-101..=39).contains(p))?,
            nice: field(19)?.parse().ok()?,
            start_ticks: field(22)?.parse().ok()?,
            cpu: field(39)?.parse::<u32>().ok().filter(|&cpu| cpu <= CpuSet::MAX_CPU)?,
            policy: field(41).and_then(|p| p.parse().ok()),
        })
    }
}

/// A thread's cgroups.
#[derive(Clone, Default)]
struct ThreadCgroups {
    path: Option<String>,
    id: Option<u64>,
    cpuset: Option<CpuSet>,
}

/// Cgroups of threads by the text of /proc/<tid>/cgroup: thousands of threads share few of them.
struct CgroupCache {
    hierarchies: Hierarchies,
    known: HashMap<String, ThreadCgroups>,
}

impl CgroupCache {
    fn place(&mut self, root: &Root, folder: &str) -> Result<ThreadCgroups, MachineError> {
        let text = root.bytes(format!("{folder}/cgroup"))?.unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        if let Some(place) = self.known.get(&text) {
            return Ok(place.clone());
        }
        let path = |hierarchy: &Option<Hierarchy>, controller: &str| {
            let version = hierarchy.as_ref().map_or(Version::V2, |h| h.version);
            path_of(&text, version, controller)
        };
        let cpu_path = path(&self.hierarchies.cpu, "cpu");
        let id = match (&self.hierarchies.cpu, &cpu_path) {
            (Some(hierarchy), Some(path)) => cgroups::id(root, hierarchy, path),
            _ => None,
        };
        let cpuset = match (&self.hierarchies.cpuset, path(&self.hierarchies.cpuset, "cpuset")) {
            (Some(hierarchy), Some(path)) => cgroups::effective_cpus(root, hierarchy, &path)?,
            _ => None,
        };
        let place = ThreadCgroups { path: cpu_path, id, cpuset };
        self.known.insert(text, place.clone());
        Ok(place)
    }
}

/// The path in one hierarchy: `4:cpu,cpuacct:/a/b` for v1, `0::/a/b` for v2.
fn path_of(text: &str, version: Version, controller: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let matches = match version {
            Version::V2 => controllers.is_empty(),
            Version::V1 => controllers.split(',').any(|c| c == controller),
        };
        matches.then(|| path.to_owned())
    })
}
