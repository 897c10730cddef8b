//! Which path of the kernel moved a thread: from the kernel stack at the move, or from the events around it.

use crate::topology::CpuIx;

/// Why the kernel moved a thread. Of these `Unknown` is used in tables only: here an unknown path is `None`.
pub use wastenot_schemas::MigrationPath;

/// A function that identifies the path of a move when it is on the stack.
struct Frame {
    function: &'static str,
    path: MigrationPath,
    /// Kernels that have it, as far as was looked: `4.1 .. 6.9`.
    #[cfg_attr(not(test), allow(dead_code))]
    kernels: &'static str,
}

const fn frame(function: &'static str, path: MigrationPath, kernels: &'static str) -> Frame {
    Frame { function, path, kernels }
}

/// Functions that identify the path anywhere on the stack: what they call is shared with other paths.
const ANYWHERE: &[Frame] = &[
    frame("cpuset_attach", MigrationPath::Cgroup, "2.6 .."),
    frame("cpuset_attach_task", MigrationPath::Cgroup, "6.4 .."),
    frame("cgroup_migrate_execute", MigrationPath::Cgroup, "4.11 .."),
    frame("cgroup_attach_task", MigrationPath::Cgroup, "2.6 .."),
    frame("sched_cpu_dying", MigrationPath::Hotplug, "4.7 .."),
    frame("migration_call", MigrationPath::Hotplug, ".. 4.6"),
    frame("nohz_idle_balance", MigrationPath::Nohz, "2.6 .."),
    frame("_nohz_idle_balance", MigrationPath::Nohz, "4.17 .."),
];

/// Functions of which the innermost on the stack identifies the path.
const INNERMOST: &[Frame] = &[
    frame("try_to_wake_up", MigrationPath::Wakeup, "2.6 .."),
    frame("ttwu_do_activate", MigrationPath::Wakeup, "2.6 .."),
    frame("wake_up_new_task", MigrationPath::Fork, "2.6 .."),
    frame("sched_exec", MigrationPath::Exec, "2.6 .."),
    frame("idle_balance", MigrationPath::Newidle, ".. 5.2"),
    frame("newidle_balance", MigrationPath::Newidle, "5.3 .. 6.9"),
    frame("sched_balance_newidle", MigrationPath::Newidle, "6.10 .."),
    frame("active_load_balance_cpu_stop", MigrationPath::Active, "2.6.38 .."),
    frame("migrate_swap_stop", MigrationPath::Numa, "3.13 .."),
    frame("migrate_swap", MigrationPath::Numa, "3.13 .."),
    frame("__migrate_swap_task", MigrationPath::Numa, "3.13 .."),
    frame("migrate_task_to", MigrationPath::Numa, "3.13 .."),
    frame("task_numa_migrate", MigrationPath::Numa, "3.13 .."),
    frame("push_rt_task", MigrationPath::RtPush, "2.6 .."),
    frame("push_rt_tasks", MigrationPath::RtPush, "2.6 .."),
    frame("rto_push_irq_work_func", MigrationPath::RtPush, "4.15 .."),
    frame("push_cpu_stop", MigrationPath::RtPush, "5.11 .."),
    frame("pull_rt_task", MigrationPath::RtPull, "2.6 .."),
    frame("push_dl_task", MigrationPath::DlPush, "3.14 .."),
    frame("push_dl_tasks", MigrationPath::DlPush, "3.14 .."),
    frame("dl_task_offline_migration", MigrationPath::DlPush, "3.19 .."),
    frame("pull_dl_task", MigrationPath::DlPull, "3.14 .."),
    frame("__set_cpus_allowed_ptr", MigrationPath::Affinity, "4.1 .."),
    frame("__set_cpus_allowed_ptr_locked", MigrationPath::Affinity, "5.15 .."),
    frame("set_cpus_allowed_ptr", MigrationPath::Affinity, "2.6 .."),
    frame("affine_move_task", MigrationPath::Affinity, "5.10 .."),
    frame("do_set_cpus_allowed", MigrationPath::Affinity, "3.0 .."),
    frame("sched_setaffinity", MigrationPath::Affinity, "2.6 .."),
    frame("migrate_enable", MigrationPath::Affinity, "5.10 .."),
    frame("update_tasks_cpumask", MigrationPath::Affinity, "2.6 .."),
    frame("__balance_push_cpu_stop", MigrationPath::Hotplug, "5.11 .."),
    frame("balance_push", MigrationPath::Hotplug, "5.11 .."),
    frame("migrate_tasks", MigrationPath::Hotplug, "2.6 .. 5.10"),
    frame("sched_core_balance", MigrationPath::CoreSched, "5.14 .."),
    frame("try_steal_cookie", MigrationPath::CoreSched, "5.14 .."),
    frame("move_remote_task_to_local_dsq", MigrationPath::SchedExt, "6.12 .."),
    frame("dispatch_to_local_dsq", MigrationPath::SchedExt, "6.12 .."),
    frame("consume_remote_task", MigrationPath::SchedExt, "6.12 .."),
    frame("consume_dispatch_q", MigrationPath::SchedExt, "6.12 .."),
    frame("rebalance_domains", MigrationPath::Periodic, "2.6 .. 6.9"),
    frame("run_rebalance_domains", MigrationPath::Periodic, "2.6 .. 6.9"),
    frame("sched_balance_domains", MigrationPath::Periodic, "6.10 .."),
    frame("sched_balance_softirq", MigrationPath::Periodic, "6.10 .."),
];

/// What a stack shows of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackPath {
    /// The path.
    Known(MigrationPath),
    /// The CPU's stopper carried it out (`migration_cpu_stop`): an affinity change, an exec or a NUMA move.
    Stopper,
    /// Nothing.
    Unknown,
}

/// The path that a kernel stack shows, innermost frame first: `function+0xoffset`, or without the offset.
pub fn path_from_stack<'a>(symbols: impl Iterator<Item = &'a str> + Clone) -> StackPath {
    let names = symbols.map(function);
    let find = |list: &'static [Frame], name: &str| list.iter().find(|f| f.function == name).map(|f| f.path);
    if let Some(path) = names.clone().find_map(|name| find(ANYWHERE, name)) {
        return StackPath::Known(path);
    }
    if let Some(path) = names.clone().find_map(|name| find(INNERMOST, name)) {
        return StackPath::Known(path);
    }
    if names.clone().any(|name| name == "migration_cpu_stop") { StackPath::Stopper } else { StackPath::Unknown }
}

/// The function of a frame, without offset, module and the suffixes that compilers add (`.isra.0`, `.part.0`, `.cold`).
fn function(symbol: &str) -> &str {
    let name = symbol.split(['+', ' ']).next().unwrap_or(symbol);
    match name.find('.') {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    }
}

/// Facts about a move without a stack that shows its path.
#[derive(Clone, Copy, Debug)]
pub struct MoveContext {
    /// It was runnable: on a queue, not asleep.
    pub queued: bool,
    pub orig: CpuIx,
    pub dest: CpuIx,
    /// CPU that did the move, where it is recorded.
    pub by: Option<CpuIx>,
    pub orig_online: bool,
    /// It may no longer use the CPU it leaves.
    pub forbidden: bool,
    /// The CPU that did the move runs swapper; a `migration/N` thread.
    pub by_idle: bool,
    pub by_stopper: bool,
    /// A sched_ext scheduler decides of it, not the load balancer.
    pub of_ext: bool,
}

/// The path that the events around a move agree with, where no other path does.
///
/// A thread that is asleep is moved by its wakeup only; one that may no longer use its CPU by what forbade it. Of a
/// runnable one, who did it says: the stopper on the CPU it leaves, a CPU in idle for itself (the softirq of its tick)
/// or for another. What a CPU that runs a thread pulls is the newidle or the periodic balancer's: not distinguished here.
pub fn path_from_events(a: &MoveContext) -> Option<MigrationPath> {
    if !a.orig_online {
        return Some(MigrationPath::Hotplug);
    }
    if !a.queued {
        return Some(MigrationPath::Wakeup);
    }
    if a.forbidden {
        return Some(MigrationPath::Affinity);
    }
    if a.of_ext {
        // The stopper carries out an exec or a change of its mask.
        return (a.by.is_some() && !a.by_stopper).then_some(MigrationPath::SchedExt);
    }
    match a.by? {
        by if a.by_stopper && by == a.orig => Some(MigrationPath::Active),
        by if a.by_idle && by == a.dest => Some(MigrationPath::Periodic),
        by if a.by_idle && by != a.orig => Some(MigrationPath::Nohz),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(stack: &str) -> StackPath {
        path_from_stack(stack.split(' '))
    }

    #[test]
    fn names_of_two_releases_mean_the_same_path() {
        let new = "set_task_cpu+0x1 detach_tasks+0x2 sched_balance_rq+0x3 sched_balance_newidle+0x4 __schedule+0x5";
        let old = "set_task_cpu+0x1 load_balance+0x3 newidle_balance+0x4 pick_next_task_fair+0x8 __schedule+0x5";
        assert_eq!(parsed(new), StackPath::Known(MigrationPath::Newidle));
        assert_eq!(parsed(old), StackPath::Known(MigrationPath::Newidle));
    }

    #[test]
    fn balancing_for_another_idle_cpu_is_recognised_by_a_caller() {
        let own = "set_task_cpu sched_balance_rq sched_balance_domains sched_balance_softirq handle_softirqs";
        let other = "set_task_cpu load_balance rebalance_domains _nohz_idle_balance.isra.0+0x10 run_rebalance_domains";
        assert_eq!(parsed(own), StackPath::Known(MigrationPath::Periodic));
        assert_eq!(parsed(other), StackPath::Known(MigrationPath::Nohz));
    }

    #[test]
    fn a_wakeup_inside_a_softirq_is_a_wakeup() {
        let stack = "set_task_cpu try_to_wake_up hrtimer_wakeup __hrtimer_run_queues sched_balance_softirq";
        assert_eq!(parsed(stack), StackPath::Known(MigrationPath::Wakeup));
    }

    #[test]
    fn attaching_to_a_cpuset_is_not_a_mere_affinity_change() {
        let stack =
            "set_task_cpu move_queued_task __set_cpus_allowed_ptr_locked cpuset_attach_task cgroup_migrate_execute";
        assert_eq!(parsed(stack), StackPath::Known(MigrationPath::Cgroup));
        assert_eq!(parsed("set_task_cpu move_queued_task affine_move_task"), StackPath::Known(MigrationPath::Affinity));
    }

    #[test]
    fn the_stopper_alone_does_not_say_who_asked_for_it() {
        let stack = "set_task_cpu move_queued_task migration_cpu_stop cpu_stopper_thread smpboot_thread_fn kthread";
        assert_eq!(parsed(stack), StackPath::Stopper);
        assert_eq!(parsed("0xffffffff81001234 0xffffffff81005678"), StackPath::Unknown);
        assert_eq!(parsed("set_task_cpu [sched] .hidden"), StackPath::Unknown);
    }

    #[test]
    fn every_function_is_listed_once_with_the_kernels_that_have_it() {
        let mut names: Vec<&str> = ANYWHERE.iter().chain(INNERMOST).map(|f| f.function).collect();
        assert!(ANYWHERE.iter().chain(INNERMOST).all(|f| f.kernels.contains("..")));
        let before = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), before);
        for path in MigrationPath::ALL.into_iter().filter(|&path| path != MigrationPath::Unknown) {
            assert!(ANYWHERE.iter().chain(INNERMOST).any(|f| f.path == path), "no function shows {}", path.name());
        }
    }

    #[test]
    fn events_show_a_path_that_alone_has_their_effect() {
        let a = MoveContext {
            queued: true,
            orig: 1,
            dest: 2,
            by: None,
            orig_online: true,
            forbidden: false,
            by_idle: false,
            by_stopper: false,
            of_ext: false,
        };
        assert_eq!(path_from_events(&a), None);
        assert_eq!(path_from_events(&MoveContext { queued: false, ..a }), Some(MigrationPath::Wakeup));
        assert_eq!(path_from_events(&MoveContext { forbidden: true, ..a }), Some(MigrationPath::Affinity));
        assert_eq!(path_from_events(&MoveContext { orig_online: false, ..a }), Some(MigrationPath::Hotplug));
        assert_eq!(path_from_events(&MoveContext { by: Some(2), by_idle: true, ..a }), Some(MigrationPath::Periodic));
        assert_eq!(path_from_events(&MoveContext { by: Some(3), by_idle: true, ..a }), Some(MigrationPath::Nohz));
        assert_eq!(path_from_events(&MoveContext { by: Some(1), by_stopper: true, ..a }), Some(MigrationPath::Active));
        assert_eq!(path_from_events(&MoveContext { by: Some(2), ..a }), None, "newidle, or the tick of a busy CPU");
        let ext = MoveContext { of_ext: true, ..a };
        assert_eq!(path_from_events(&ext), None, "by whom is not recorded: a stopper may be who");
        assert_eq!(path_from_events(&MoveContext { by: Some(1), by_stopper: true, ..ext }), None);
        for by in [2, 3] {
            let moved = MoveContext { by: Some(by), by_idle: true, ..ext };
            assert_eq!(path_from_events(&moved), Some(MigrationPath::SchedExt), "by {by}");
        }
    }
}
