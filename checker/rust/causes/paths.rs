//! Which path of the kernel moved a thread: from the kernel stack at the move, or from the events around it.

use crate::topology::CpuIx;

/// Why the kernel moved a thread. Of these `Unknown` stands in tables only: here an unknown path is `None`.
pub use wastenot_schemas::MigrationPath as Path;

/// A function that tells the path of a move when it stands on the stack.
struct Frame {
    function: &'static str,
    path: Path,
    /// Kernels that have it, as far as was looked: `4.1 .. 6.9`.
    #[cfg_attr(not(test), allow(dead_code))]
    kernels: &'static str,
}

const fn frame(function: &'static str, path: Path, kernels: &'static str) -> Frame {
    Frame { function, path, kernels }
}

/// Functions that say it wherever they stand: what they call is shared with other paths.
const ANYWHERE: &[Frame] = &[
    frame("cpuset_attach", Path::Cgroup, "2.6 .."),
    frame("cpuset_attach_task", Path::Cgroup, "6.4 .."),
    frame("cgroup_migrate_execute", Path::Cgroup, "4.11 .."),
    frame("cgroup_attach_task", Path::Cgroup, "2.6 .."),
    frame("sched_cpu_dying", Path::Hotplug, "4.7 .."),
    frame("migration_call", Path::Hotplug, ".. 4.6"),
    frame("nohz_idle_balance", Path::Nohz, "2.6 .."),
    frame("_nohz_idle_balance", Path::Nohz, "4.17 .."),
];

/// Functions of which the innermost on the stack says it.
const INNERMOST: &[Frame] = &[
    frame("try_to_wake_up", Path::Wakeup, "2.6 .."),
    frame("ttwu_do_activate", Path::Wakeup, "2.6 .."),
    frame("wake_up_new_task", Path::Fork, "2.6 .."),
    frame("sched_exec", Path::Exec, "2.6 .."),
    frame("idle_balance", Path::Newidle, ".. 5.2"),
    frame("newidle_balance", Path::Newidle, "5.3 .. 6.9"),
    frame("sched_balance_newidle", Path::Newidle, "6.10 .."),
    frame("active_load_balance_cpu_stop", Path::Active, "2.6.38 .."),
    frame("migrate_swap_stop", Path::Numa, "3.13 .."),
    frame("migrate_swap", Path::Numa, "3.13 .."),
    frame("__migrate_swap_task", Path::Numa, "3.13 .."),
    frame("migrate_task_to", Path::Numa, "3.13 .."),
    frame("task_numa_migrate", Path::Numa, "3.13 .."),
    frame("push_rt_task", Path::RtPush, "2.6 .."),
    frame("push_rt_tasks", Path::RtPush, "2.6 .."),
    frame("rto_push_irq_work_func", Path::RtPush, "4.15 .."),
    frame("push_cpu_stop", Path::RtPush, "5.11 .."),
    frame("pull_rt_task", Path::RtPull, "2.6 .."),
    frame("push_dl_task", Path::DlPush, "3.14 .."),
    frame("push_dl_tasks", Path::DlPush, "3.14 .."),
    frame("dl_task_offline_migration", Path::DlPush, "3.19 .."),
    frame("pull_dl_task", Path::DlPull, "3.14 .."),
    frame("__set_cpus_allowed_ptr", Path::Affinity, "4.1 .."),
    frame("__set_cpus_allowed_ptr_locked", Path::Affinity, "5.15 .."),
    frame("set_cpus_allowed_ptr", Path::Affinity, "2.6 .."),
    frame("affine_move_task", Path::Affinity, "5.10 .."),
    frame("do_set_cpus_allowed", Path::Affinity, "3.0 .."),
    frame("sched_setaffinity", Path::Affinity, "2.6 .."),
    frame("migrate_enable", Path::Affinity, "5.10 .."),
    frame("update_tasks_cpumask", Path::Affinity, "2.6 .."),
    frame("__balance_push_cpu_stop", Path::Hotplug, "5.11 .."),
    frame("balance_push", Path::Hotplug, "5.11 .."),
    frame("migrate_tasks", Path::Hotplug, "2.6 .. 5.10"),
    frame("sched_core_balance", Path::CoreSched, "5.14 .."),
    frame("try_steal_cookie", Path::CoreSched, "5.14 .."),
    frame("move_remote_task_to_local_dsq", Path::SchedExt, "6.12 .."),
    frame("dispatch_to_local_dsq", Path::SchedExt, "6.12 .."),
    frame("consume_remote_task", Path::SchedExt, "6.12 .."),
    frame("consume_dispatch_q", Path::SchedExt, "6.12 .."),
    frame("rebalance_domains", Path::Periodic, "2.6 .. 6.9"),
    frame("run_rebalance_domains", Path::Periodic, "2.6 .. 6.9"),
    frame("sched_balance_domains", Path::Periodic, "6.10 .."),
    frame("sched_balance_softirq", Path::Periodic, "6.10 .."),
];

/// What a stack says of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The path.
    Path(Path),
    /// The CPU's stopper carried it out (`migration_cpu_stop`): an affinity change, an exec or a NUMA move.
    Stopper,
    /// Nothing.
    Nothing,
}

/// The path that a kernel stack tells, innermost frame first: `function+0xoffset`, or without the offset.
pub fn of_stack<'a>(symbols: impl Iterator<Item = &'a str> + Clone) -> Told {
    let names = symbols.map(function);
    let find = |list: &'static [Frame], name: &str| list.iter().find(|f| f.function == name).map(|f| f.path);
    if let Some(path) = names.clone().find_map(|name| find(ANYWHERE, name)) {
        return Told::Path(path);
    }
    if let Some(path) = names.clone().find_map(|name| find(INNERMOST, name)) {
        return Told::Path(path);
    }
    if names.clone().any(|name| name == "migration_cpu_stop") { Told::Stopper } else { Told::Nothing }
}

/// A function that tells a path by its name, for drawings.
pub fn stack_of(path: &str) -> Option<&'static str> {
    let mut frames = INNERMOST.iter().chain(ANYWHERE);
    frames.find(|f| f.path.name() == path).map(|f| f.function)
}

/// The function of a frame, without offset, module and the suffixes that compilers add (`.isra.0`, `.part.0`, `.cold`).
fn function(symbol: &str) -> &str {
    let name = symbol.split(['+', ' ']).next().unwrap_or(symbol);
    match name.find('.') {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    }
}

/// What is known around a move of which no stack tells the path.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// It was runnable: on a queue, not asleep.
    pub queued: bool,
    pub orig: CpuIx,
    pub dest: CpuIx,
    /// CPU that did the move, where the source tells.
    pub by: Option<CpuIx>,
    pub orig_online: bool,
    /// It may no longer use the CPU it leaves.
    pub forbidden: bool,
    /// The CPU that did the move runs swapper; a `migration/N` thread.
    pub by_idle: bool,
    pub by_stopper: bool,
}

/// The path that the events around a move agree with, as far as they tell it apart from all others.
///
/// A thread that is asleep is moved by its wakeup only; one that may no longer use its CPU by what forbade it. Of a
/// runnable one, who did it tells: the stopper on the CPU it leaves, a CPU in idle for itself (the softirq of its tick)
/// or for another. What a CPU that runs a thread pulls is the newidle or the periodic balancer's: not told apart here.
pub fn of_events(a: &Around) -> Option<Path> {
    if !a.orig_online {
        return Some(Path::Hotplug);
    }
    if !a.queued {
        return Some(Path::Wakeup);
    }
    if a.forbidden {
        return Some(Path::Affinity);
    }
    match a.by? {
        by if a.by_stopper && by == a.orig => Some(Path::Active),
        by if a.by_idle && by == a.dest => Some(Path::Periodic),
        by if a.by_idle && by != a.orig => Some(Path::Nohz),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(stack: &str) -> Told {
        of_stack(stack.split(' '))
    }

    #[test]
    fn names_of_two_releases_mean_the_same_path() {
        let new = "set_task_cpu+0x1 detach_tasks+0x2 sched_balance_rq+0x3 sched_balance_newidle+0x4 __schedule+0x5";
        let old = "set_task_cpu+0x1 load_balance+0x3 newidle_balance+0x4 pick_next_task_fair+0x8 __schedule+0x5";
        assert_eq!(told(new), Told::Path(Path::Newidle));
        assert_eq!(told(old), Told::Path(Path::Newidle));
    }

    #[test]
    fn balancing_for_another_idle_cpu_is_told_by_a_caller() {
        let own = "set_task_cpu sched_balance_rq sched_balance_domains sched_balance_softirq handle_softirqs";
        let other = "set_task_cpu load_balance rebalance_domains _nohz_idle_balance.isra.0+0x10 run_rebalance_domains";
        assert_eq!(told(own), Told::Path(Path::Periodic));
        assert_eq!(told(other), Told::Path(Path::Nohz));
    }

    #[test]
    fn a_wakeup_inside_a_softirq_is_a_wakeup() {
        let stack = "set_task_cpu try_to_wake_up hrtimer_wakeup __hrtimer_run_queues sched_balance_softirq";
        assert_eq!(told(stack), Told::Path(Path::Wakeup));
    }

    #[test]
    fn attaching_to_a_cpuset_is_no_mere_affinity_change() {
        let stack =
            "set_task_cpu move_queued_task __set_cpus_allowed_ptr_locked cpuset_attach_task cgroup_migrate_execute";
        assert_eq!(told(stack), Told::Path(Path::Cgroup));
        assert_eq!(told("set_task_cpu move_queued_task affine_move_task"), Told::Path(Path::Affinity));
    }

    #[test]
    fn the_stopper_alone_does_not_say_who_asked_for_it() {
        let stack = "set_task_cpu move_queued_task migration_cpu_stop cpu_stopper_thread smpboot_thread_fn kthread";
        assert_eq!(told(stack), Told::Stopper);
        assert_eq!(told("0xffffffff81001234 0xffffffff81005678"), Told::Nothing);
        assert_eq!(told("set_task_cpu [sched] .hidden"), Told::Nothing);
    }

    #[test]
    fn every_function_is_listed_once_with_the_kernels_that_have_it() {
        let mut names: Vec<&str> = ANYWHERE.iter().chain(INNERMOST).map(|f| f.function).collect();
        assert!(ANYWHERE.iter().chain(INNERMOST).all(|f| f.kernels.contains("..")));
        let before = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), before);
        for path in Path::ALL.into_iter().filter(|&path| path != Path::Unknown) {
            assert!(stack_of(path.name()).is_some(), "no function tells {}", path.name());
        }
    }

    #[test]
    fn events_tell_what_only_one_path_does() {
        let a = Around {
            queued: true,
            orig: 1,
            dest: 2,
            by: None,
            orig_online: true,
            forbidden: false,
            by_idle: false,
            by_stopper: false,
        };
        assert_eq!(of_events(&a), None);
        assert_eq!(of_events(&Around { queued: false, ..a }), Some(Path::Wakeup));
        assert_eq!(of_events(&Around { forbidden: true, ..a }), Some(Path::Affinity));
        assert_eq!(of_events(&Around { orig_online: false, ..a }), Some(Path::Hotplug));
        assert_eq!(of_events(&Around { by: Some(2), by_idle: true, ..a }), Some(Path::Periodic));
        assert_eq!(of_events(&Around { by: Some(3), by_idle: true, ..a }), Some(Path::Nohz));
        assert_eq!(of_events(&Around { by: Some(1), by_stopper: true, ..a }), Some(Path::Active));
        assert_eq!(of_events(&Around { by: Some(2), ..a }), None, "newidle, or the tick of a busy CPU");
    }
}
