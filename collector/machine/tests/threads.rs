//! Threads and cgroups as /proc and the cgroup mounts describe them.

mod shape;

use shape::{Shape, Tree};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use wastenot_machine::cgroups;
use wastenot_machine::threads::{self, ThreadInfo};
use wastenot_schemas::{policy, task_state};
use wastenot_topology::CpuSet;

fn list(text: &str) -> CpuSet {
    CpuSet::parse_list(text).unwrap()
}

fn real() -> Vec<ThreadInfo> {
    threads::snapshot(Tree::from_dump("guest-2cpu").path()).unwrap()
}

fn named<'a>(threads: &'a [ThreadInfo], comm: &str) -> &'a ThreadInfo {
    threads.iter().find(|t| t.comm == comm).unwrap_or_else(|| panic!("no thread {comm}"))
}

fn stat(tid: u32, comm: &str, state: char, flags: u64, prio: i32, cpu: u32, policy: u32) -> String {
    format!(
        "{tid} ({comm}) {state} 1 1 1 0 -1 {flags} 0 0 0 0 0 0 0 0 {prio} 0 1 0 500 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 \
         {cpu} 0 {policy} 0 0 0 0 0 0 0 0 0 0 0"
    )
}

/// Writes a user thread that may run on `mask`.
fn thread(tree: &Tree, tgid: u32, tid: u32, stat: &str, mask: &str, cgroup: &str) {
    let folder = format!("proc/{tgid}/task/{tid}");
    tree.file(&format!("{folder}/stat"), stat);
    tree.file(&format!("{folder}/status"), format!("Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t{mask}"));
    tree.file(&format!("{folder}/cgroup"), cgroup);
}

#[test]
fn a_thread_bound_by_the_kernel_is_distinguished_from_one_that_is_only_a_kernel_thread() {
    let threads = real();
    let stopper = named(&threads, "migration/0");
    assert!(stopper.is_kernel && stopper.per_cpu);
    assert_eq!((stopper.allowed.clone(), stopper.policy, stopper.prio), (list("0"), policy::FIFO, 0));
    let bound = named(&threads, "kworker/0:0H-kblockd");
    assert!(bound.is_kernel && bound.per_cpu);
    assert_eq!((bound.nice, bound.prio, bound.state), (-20, 100, task_state::I));
    let free = named(&threads, "kworker/u8:2-events_unbound");
    assert!(free.is_kernel && !free.per_cpu);
    let pinned = named(&threads, "python3");
    assert!(!pinned.is_kernel && !pinned.per_cpu, "a user thread on one CPU is pinned, not per-CPU");
    assert_eq!(pinned.allowed, list("1"));
}

#[test]
fn names_may_hold_parentheses_and_blanks() {
    let threads = real();
    let weird = named(&threads, "a (weird) name");
    assert_eq!((weird.tid, weird.tgid, weird.policy), (3304, 3262, policy::BATCH));
    assert_eq!(named(&threads, "rcu_exp_par_gp_kthread_worker/0").tid, 16, "kernel threads have longer names");
    assert_eq!(named(&threads, "kthreadd").ppid, 0);
}

#[test]
fn priorities_are_those_of_the_kernel() {
    let threads = real();
    let fifo = named(&threads, "sleep");
    assert_eq!((fifo.policy, fifo.prio), (policy::FIFO, 89));
    assert_eq!((named(&threads, "kthreadd").prio, named(&threads, "kthreadd").nice), (120, 0));
    assert_eq!((named(&threads, "python3").prio, named(&threads, "python3").nice), (125, 5));
    let tree = Tree::new();
    thread(&tree, 7, 7, &stat(7, "dl", 'R', 0, -101, 3, 6), "0-3", "0::/");
    let threads = threads::snapshot(tree.path()).unwrap();
    assert_eq!((threads[0].prio, threads[0].policy, threads[0].cpu), (-1, policy::DEADLINE, 3));
}

#[test]
fn states_are_the_codes_of_the_vocabulary() {
    let tree = Tree::new();
    for (i, letter) in "RSDTtXZPIKWN?q".chars().enumerate() {
        let tid = 100 + i as u32;
        thread(&tree, 100, tid, &stat(tid, "x", letter, 0, 20, 0, 0), "0", "0::/");
    }
    let states: Vec<&str> = threads::snapshot(tree.path()).unwrap().iter().map(|t| code(t.state)).collect();
    assert_eq!(states, ["R", "S", "D", "T", "t", "X", "Z", "P", "I", "K", "W", "N", "?", "?"]);
}

fn code(state: u8) -> &'static str {
    task_state::NAMES[state as usize]
}

#[test]
fn a_thread_knows_its_cgroup_by_inode_and_its_cpuset() {
    let tree = Tree::new();
    tree.file("proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0");
    tree.file("sys/fs/cgroup/cpuset.cpus.effective", "0-7");
    tree.file("sys/fs/cgroup/a/cpu.max", "50000 100000");
    tree.file("sys/fs/cgroup/a/cpu.weight", 200);
    tree.file("sys/fs/cgroup/a/cpuset.cpus.effective", "2-3");
    tree.folder("sys/fs/cgroup/a/b");
    thread(&tree, 5, 5, &stat(5, "five", 'S', 0, 20, 2, 0), "2-3", "0::/a/b");
    thread(&tree, 6, 6, &stat(6, "six", 'S', 0, 20, 2, 0), "0-7", "0::/gone");
    let threads = threads::snapshot(tree.path()).unwrap();
    let inode = std::fs::metadata(tree.path().join("sys/fs/cgroup/a/b")).unwrap().ino();
    assert_eq!((threads[0].cgroup.as_deref(), threads[0].cgroup_id), (Some("/a/b"), Some(inode)));
    assert_eq!(threads[0].cpuset, Some(list("2-3")), "b has the effective CPUs of a");
    assert_eq!((threads[1].cgroup.as_deref(), threads[1].cgroup_id), (Some("/gone"), None));

    let groups = cgroups::read(tree.path()).unwrap();
    assert_eq!(groups.iter().map(|g| &*g.path).collect::<Vec<_>>(), ["/", "/a", "/a/b"]);
    assert_eq!((groups[1].quota_ns, groups[1].period_ns), (Some(50_000_000), Some(100_000_000)));
    assert_eq!((groups[1].weight, groups[0].weight), (Some(200), None));
    assert_eq!((groups[2].id, groups[2].quota_ns), (inode, None));
    let folders = cgroups::Tree::open(tree.path()).unwrap();
    let read = |path: &str| folders.read(path).unwrap().map(|folder| folder.cgroup);
    assert_eq!((read("/a"), read("/gone")), (Some(groups[1].clone()), None));
    let below: Vec<_> = folders.children("/a").into_iter().map(|child| (child.id, child.path)).collect();
    assert_eq!(below, [(inode, "/a/b".to_owned())]);
    assert_eq!(folders.children("/gone"), []);
}

#[test]
fn version_1_hierarchies_are_found_by_controller() {
    let tree = Tree::new();
    let mounts = "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n\
                  cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n\
                  cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0";
    tree.file("proc/self/mounts", mounts);
    let cpu = "sys/fs/cgroup/cpu,cpuacct";
    tree.file(&format!("{cpu}/cpu.cfs_quota_us"), -1);
    tree.file(&format!("{cpu}/batch/cpu.cfs_quota_us"), 25_000);
    tree.file(&format!("{cpu}/batch/cpu.cfs_period_us"), 100_000);
    tree.file(&format!("{cpu}/batch/cpu.shares"), 512);
    tree.file("sys/fs/cgroup/cpuset/left/cpuset.effective_cpus", "0-1");
    let cgroup = "5:cpuset:/left\n4:memory:/m\n2:cpuacct,cpu:/batch\n0::/elsewhere";
    thread(&tree, 5, 5, &stat(5, "five", 'S', 0, 20, 1, 0), "0-1", cgroup);
    let threads = threads::snapshot(tree.path()).unwrap();
    assert_eq!(threads[0].cgroup.as_deref(), Some("/batch"));
    assert_eq!(threads[0].cpuset, Some(list("0-1")));
    let groups = cgroups::read(tree.path()).unwrap();
    assert_eq!((groups[0].quota_ns, groups[0].path.as_str()), (None, "/"));
    assert_eq!((groups[1].quota_ns, groups[1].weight), (Some(25_000_000), Some(512)));
    assert_eq!(threads[0].cgroup_id, Some(groups[1].id));
}

#[test]
fn a_thread_that_ends_during_the_walk_is_left_out() {
    let tree = Tree::new();
    thread(&tree, 5, 5, &stat(5, "five", 'S', 0, 20, 1, 0), "0-1", "0::/");
    tree.file("proc/5/task/6/stat", stat(6, "six", 'S', 0, 20, 1, 0));
    tree.folder("proc/9/task/9");
    let tids: Vec<i32> = threads::snapshot(tree.path()).unwrap().iter().map(|t| t.tid).collect();
    assert_eq!(tids, [5]);
    assert_eq!(threads::snapshot(Shape::load("desktop-smt").materialise().path()).unwrap(), []);
}

#[test]
fn damaged_proc_files_are_refused_by_name() {
    for bad in ["", "5", "5 (x", "5 (x) S 1", "5 (x) S one 1 1"] {
        let tree = Tree::new();
        thread(&tree, 5, 5, bad, "0", "0::/");
        let error = threads::snapshot(tree.path()).unwrap_err().to_string();
        assert!(error.contains("proc/5/task/5/stat: expected the fields"), "{error}");
        assert!(!error.contains('\n'));
    }
    let tree = Tree::new();
    thread(&tree, 5, 5, &stat(5, "x", 'S', 0, 20, 0, 0), "many", "0::/");
    let error = threads::snapshot(tree.path()).unwrap_err().to_string();
    assert!(error.contains("proc/5/task/5/status: expected a line Cpus_allowed_list"), "{error}");
    let tree = Tree::new();
    tree.file("proc/self/mounts", "cgroup2 /c cgroup2 rw 0 0");
    tree.file("c/x/cpu.max", "lots");
    let error = cgroups::read(tree.path()).unwrap_err().to_string();
    assert!(error.contains("c/x/cpu.max: expected \"<quota or max> <period>\", found \"lots\""), "{error}");
}

#[test]
fn this_very_test_finds_itself() {
    let threads = threads::snapshot(Path::new("/")).unwrap();
    let me = threads.iter().find(|t| t.tid == std::process::id() as i32).expect("our own process");
    assert_eq!(me.tgid, me.tid);
    assert!(!me.is_kernel && !me.allowed.is_empty());
    assert!(threads.windows(2).all(|w| w[0].tid < w[1].tid), "each thread once");
}
