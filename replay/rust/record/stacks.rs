//! Kernel stacks of moves: which functions are above `set_task_cpu`, by the path of the decision. Source: the call graph
//! of kernel/sched/{core,deadline,fair,rt}.c of the two releases (4.1; 6.12, whose balance functions carry the prefix `sched_`).

use arrow_array::RecordBatch;
use wastenot_schemas::stack;

/// Why a thread was moved: its code is the stack's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Path {
    /// Placed at a wakeup.
    Wakeup = 0,
    /// Placed at an exec.
    Exec,
    /// Pulled as a CPU was about to idle.
    Newidle,
    /// Pulled by the periodic balancer.
    Periodic,
    /// Pulled by an idle CPU on behalf of another idle one.
    Nohz,
    /// Pushed by the balancer's stopper.
    Active,
    /// Pushed to a CPU that runs something of lower real-time priority.
    RtPush,
    /// Pulled by a CPU whose real-time priority fell.
    RtPull,
    /// The allowed CPUs changed while it was queued.
    Affinity,
    /// The allowed CPUs changed while it ran.
    AffinityStop,
    /// Its CPU went offline.
    Hotplug,
    /// Picked from a queue that spans several CPUs (schedulers with such queues).
    Pick,
    /// Pushed to a CPU that runs a later deadline, or no deadline thread.
    DlPush,
    /// Pulled by a CPU whose earliest deadline became later.
    DlPull,
}

const PATHS: [Path; 14] = [
    Path::Wakeup,
    Path::Exec,
    Path::Newidle,
    Path::Periodic,
    Path::Nohz,
    Path::Active,
    Path::RtPush,
    Path::RtPull,
    Path::Affinity,
    Path::AffinityStop,
    Path::Hotplug,
    Path::Pick,
    Path::DlPush,
    Path::DlPull,
];

/// Frames of a path, innermost first.
fn frames(path: Path, modern: bool) -> &'static [&'static str] {
    const KTHREAD: &str = "kthread";
    match (path, modern) {
        (Path::Wakeup, _) => &["set_task_cpu", "try_to_wake_up"],
        (Path::Exec, _) => &["set_task_cpu", "migration_cpu_stop", "cpu_stopper_thread", "smpboot_thread_fn", KTHREAD],
        (Path::Newidle, true) => &[
            "set_task_cpu",
            "detach_tasks",
            "sched_balance_rq",
            "sched_balance_newidle",
            "pick_next_task_fair",
            "__schedule",
            "schedule",
        ],
        (Path::Newidle, false) => {
            &["set_task_cpu", "load_balance", "idle_balance", "pick_next_task_fair", "__schedule", "schedule"]
        }
        (Path::Periodic, true) => &[
            "set_task_cpu",
            "detach_tasks",
            "sched_balance_rq",
            "sched_balance_domains",
            "sched_balance_softirq",
            "handle_softirqs",
        ],
        (Path::Periodic, false) => {
            &["set_task_cpu", "load_balance", "rebalance_domains", "run_rebalance_domains", "__do_softirq"]
        }
        (Path::Nohz, true) => &[
            "set_task_cpu",
            "detach_tasks",
            "sched_balance_rq",
            "sched_balance_domains",
            "_nohz_idle_balance",
            "sched_balance_softirq",
            "handle_softirqs",
        ],
        (Path::Nohz, false) => &[
            "set_task_cpu",
            "load_balance",
            "rebalance_domains",
            "nohz_idle_balance",
            "run_rebalance_domains",
            "__do_softirq",
        ],
        (Path::Active, _) => {
            &["set_task_cpu", "active_load_balance_cpu_stop", "cpu_stopper_thread", "smpboot_thread_fn", KTHREAD]
        }
        (Path::RtPush, _) => &["set_task_cpu", "push_rt_task", "push_rt_tasks"],
        (Path::RtPull, _) => &["set_task_cpu", "pull_rt_task", "__schedule", "schedule"],
        (Path::DlPush, _) => &["set_task_cpu", "push_dl_task", "push_dl_tasks"],
        (Path::DlPull, _) => &["set_task_cpu", "pull_dl_task", "__schedule", "schedule"],
        (Path::Affinity, _) => &["set_task_cpu", "move_queued_task", "__set_cpus_allowed_ptr", "sched_setaffinity"],
        (Path::AffinityStop, _) => &[
            "set_task_cpu",
            "move_queued_task",
            "migration_cpu_stop",
            "cpu_stopper_thread",
            "smpboot_thread_fn",
            KTHREAD,
        ],
        (Path::Hotplug, true) => &[
            "set_task_cpu",
            "__migrate_task",
            "__balance_push_cpu_stop",
            "cpu_stopper_thread",
            "smpboot_thread_fn",
            KTHREAD,
        ],
        (Path::Hotplug, false) => &["set_task_cpu", "migrate_tasks", "migration_call", "cpu_stopper_thread", KTHREAD],
        (Path::Pick, _) => &["set_task_cpu", "pick_next_task", "__schedule", "schedule"],
    }
}

/// The table `stack`. Addresses are made up: each function has one.
pub(super) fn batch(modern: bool) -> RecordBatch {
    let mut functions: Vec<&str> = PATHS.iter().flat_map(|&p| frames(p, modern)).copied().collect();
    functions.sort_unstable();
    functions.dedup();
    let address = |name: &str| -0x7f00_0000 + 0x1000 * functions.binary_search(&name).unwrap_or(0) as i64;
    let mut rows = stack::Builder::default();
    for path in PATHS {
        let names = frames(path, modern);
        let addresses: Vec<i64> = names.iter().map(|n| address(n)).collect();
        let symbols: Vec<String> = names.iter().map(|n| format!("{n}+0x0")).collect();
        let symbols: Vec<&str> = symbols.iter().map(String::as_str).collect();
        rows.push(&stack::Row { stack_id: path as i32, addresses: &addresses, symbols: &symbols });
    }
    rows.finish()
}
