//! The BPF programs: what each records, and what is lost where the kernel refuses it.

use crate::kernel::{Kernel, QUEUE_LENGTHS};
use crate::options::EventGroup;
use wastenot_schemas::EvidenceKind;

/// What a program records.
#[derive(Clone, Copy)]
pub(crate) enum Records {
    /// A part of these kinds of evidence: each is recorded if all its programs are in use.
    Evidence(&'static [EvidenceKind]),
    /// Something else, in words.
    Other(&'static str),
}

/// A program of `bpf/`.
pub(crate) struct Program {
    /// Function in the C source.
    pub name: &'static str,
    /// Events it belongs to.
    pub group: EventGroup,
    /// What is recorded by it.
    pub records: Records,
    /// Kernel function that it probes, for programs that need fentry.
    pub function: Option<&'static str>,
    /// Tracepoint that not every kernel has.
    pub tracepoint: Option<&'static str>,
}

impl Program {
    /// What it is attached to, in words.
    pub fn attachment(&self) -> &'static str {
        match self.function {
            Some(_) if self.name.starts_with("enter_") => "fentry probe",
            Some(_) => "fexit probe",
            None if self.name == "each_thread" => "task iterator",
            None if self.group == EventGroup::Regions => "uprobe",
            None => "tracepoint program",
        }
    }
}

/// The programs on which a kind of evidence rests.
pub(crate) fn programs_of(kind: EvidenceKind) -> impl Iterator<Item = &'static Program> {
    PROGRAMS.iter().filter(move |program| matches!(program.records, Records::Evidence(kinds) if kinds.contains(&kind)))
}

const fn program(name: &'static str, group: EventGroup, records: &'static str) -> Program {
    Program { name, group, records: Records::Other(records), function: None, tracepoint: None }
}

const fn evidence(name: &'static str, group: EventGroup, kinds: &'static [EvidenceKind]) -> Program {
    Program { name, group, records: Records::Evidence(kinds), function: None, tracepoint: None }
}

/// Interrupt work; of an idle CPU called to balance it is the work itself.
const fn irq(name: &'static str) -> Program {
    evidence(name, EventGroup::Irq, &[EvidenceKind::IrqBusy, EvidenceKind::LoadBalanceKicks])
}

const fn balance(name: &'static str, function: &'static str) -> Program {
    let kinds = &[EvidenceKind::LoadBalanceAttempts];
    Program { function: Some(function), ..evidence(name, EventGroup::Balance, kinds) }
}

const fn search(name: &'static str, function: &'static str) -> Program {
    let kinds = &[EvidenceKind::BalanceSearches];
    Program { function: Some(function), ..evidence(name, EventGroup::BalanceSearch, kinds) }
}

/// One of the two programs is used: see [`CALL_FUNCTION`].
const fn kick(name: &'static str) -> Program {
    evidence(name, EventGroup::Kick, &[EvidenceKind::LoadBalanceKicks])
}

const fn ext(name: &'static str, function: &'static str) -> Program {
    let kinds = &[EvidenceKind::SchedExt];
    Program { function: Some(function), ..evidence(name, EventGroup::SchedExt, kinds) }
}

const fn queue_change(name: &'static str, function: &'static str) -> Program {
    Program { function: Some(function), ..program(name, EventGroup::NrRunning, QUEUE_CHANGES) }
}

const fn region(name: &'static str) -> Program {
    program(name, EventGroup::Regions, "calls of OpenMP and MPI")
}

const fn power(name: &'static str, tracepoint: &'static str) -> Program {
    Program { tracepoint: Some(tracepoint), ..program(name, EventGroup::Power, "idle states and frequencies of CPUs") }
}

const fn domains_built(name: &'static str, function: &'static str) -> Program {
    let kinds = &[EvidenceKind::DomainsBuilt];
    Program { function: Some(function), ..evidence(name, EventGroup::Hotplug, kinds) }
}

/// A placement says which CPU was chosen, a scan which were asked for it.
const fn placement(name: &'static str, group: EventGroup, function: &'static str) -> Program {
    let kinds: &[EvidenceKind] = match group {
        EventGroup::CpuScans => &[EvidenceKind::CpusScanned],
        _ => &[EvidenceKind::Placements, EvidenceKind::CpusScanned],
    };
    Program { function: Some(function), ..evidence(name, group, kinds) }
}

/// Functions of which a kernel has one, by its release: without any of them what the group records is missing.
pub(crate) const ALTERNATIVES: [(EventGroup, &[&str]); 7] = [
    (EventGroup::Hotplug, &["partition_sched_domains", "partition_sched_domains_locked"]),
    (EventGroup::Balance, &["sched_balance_rq", "load_balance"]),
    (EventGroup::Balance, &["sched_balance_newidle", "newidle_balance"]),
    (EventGroup::BalanceSearch, &["sched_balance_find_src_group", "find_busiest_group"]),
    (EventGroup::BalanceSearch, &["can_migrate_task"]),
    (EventGroup::Placement, &["select_task_rq_fair"]),
    (EventGroup::CpuScans, &["available_idle_cpu"]),
];

/// Programs that user space runs itself.
pub(crate) const ASKED: [&str; 4] = ["each_thread", "this_cpu", "read_domains", "read_groups"];

/// Programs that notice when scheduling domains are built anew; without them that is noticed at changes of the queues.
pub(crate) const DOMAINS_BUILT: [&str; 2] = ["exit_partition_sched_domains", "exit_partition_sched_domains_locked"];

/// Programs that see whether an attempt searched for a busier group; which threads it examined.
pub(crate) const GROUP_SEARCHES: [&str; 2] = ["exit_sched_balance_find_src_group", "exit_find_busiest_group"];
pub(crate) const EXAMINED_THREADS: &str = "exit_can_migrate_task";

/// Functions of which every kernel with sched_ext has one of each: probes of the first that it has record what a scheduler decides.
pub(crate) const OF_SCHED_EXT: [&[&str]; 5] = [
    &["scx_do_enqueue_task", "do_enqueue_task"],
    &["scx_dispatch_enqueue", "dispatch_enqueue"],
    &["do_pick_task_scx", "balance_scx"],
    &["scx_kick_cpu", "scx_bpf_kick_cpu"],
    &["scx_bypass", "scx_ops_bypass"],
];

/// Whether it probes the first function of its kind that the kernel has, or none.
pub(crate) fn is_first_of_sched_ext(program: &Program, kernel: &Kernel) -> bool {
    if program.function.is_none() {
        return true;
    }
    let is_it = |functions: &&&[&str]| functions.iter().any(|name| program.function == Some(name));
    let first = OF_SCHED_EXT.iter().find(is_it).and_then(|functions| functions.iter().find(|f| kernel.has_function(f)));
    first.is_some_and(|first| program.function == Some(first))
}

const QUEUE_CHANGES: &str = "the instants at which queued threads' masks change or their quota returns";

/// Whether it probes a function, where there is no [`QUEUE_LENGTHS`].
pub(crate) fn replaces_queue_lengths(program: &Program) -> bool {
    program.group == EventGroup::NrRunning && program.function.is_some()
}

/// Reports function calls on other CPUs, kicks and queued wakeups among them; from 6.5 on.
pub(crate) const CALL_TRACEPOINT: &str = "csd_queue_cpu";

/// The function by which kicks are sent (kick_ilb, since 5.8): probed where the tracepoint is missing or not wanted.
pub(crate) const CALL_FUNCTION: &str = "smp_call_function_single_async";

/// Kernels have it from 6.17 on.
pub(crate) const NEED_RESCHED_TRACEPOINT: &str = "sched_set_need_resched_tp";

/// Kernels have it from 7.3 on.
const EXT_EXIT_TRACEPOINT: &str = "sched_ext_exit";

/// Programs without which recording fails.
pub(crate) const REQUIRED: [&str; 3] = ["on_switch", "on_wakeup", "on_wakeup_new"];

pub(crate) const PROGRAMS: &[Program] = &[
    program("on_switch", EventGroup::Switch, "switches"),
    program("on_wakeup", EventGroup::Switch, "wakeups"),
    program("on_wakeup_new", EventGroup::Switch, "wakeups of new threads"),
    program("each_thread", EventGroup::Switch, "the exact state of sleeping and queued threads at the start"),
    program("this_cpu", EventGroup::Switch, "which thread each CPU ran at the start"),
    program("read_domains", EventGroup::Switch, "the scheduling domains of the runqueues"),
    program("read_groups", EventGroup::Switch, "the groups of scheduling domains"),
    program("on_waking", EventGroup::Waking, "the instants at which wakeups were decided"),
    evidence("on_migrate", EventGroup::Migrate, &[EvidenceKind::Migrations, EvidenceKind::MigrationStacks]),
    Program { tracepoint: Some(QUEUE_LENGTHS), ..program("on_nr_running", EventGroup::NrRunning, QUEUE_CHANGES) },
    queue_change("exit_do_set_cpus_allowed", "do_set_cpus_allowed"),
    queue_change("exit_set_cpus_allowed", "__do_set_cpus_allowed"),
    queue_change("exit_sched_move_task", "sched_move_task"),
    queue_change("exit_throttle_cfs_rq", "throttle_cfs_rq"),
    queue_change("exit_unthrottle_cfs_rq", "unthrottle_cfs_rq"),
    Program {
        tracepoint: Some(NEED_RESCHED_TRACEPOINT),
        ..evidence("on_need_resched", EventGroup::NrRunning, &[EvidenceKind::LateIdleExits])
    },
    program("on_fork", EventGroup::Lifecycle, "creation of threads"),
    program("on_exec", EventGroup::Lifecycle, "execs"),
    program("on_exit", EventGroup::Lifecycle, "exits"),
    program("on_rename", EventGroup::Lifecycle, "names that change"),
    program("on_hotplug_begin", EventGroup::Hotplug, "CPUs going offline"),
    program("on_hotplug_end", EventGroup::Hotplug, "CPUs coming online"),
    domains_built("exit_partition_sched_domains", "partition_sched_domains"),
    domains_built("exit_partition_sched_domains_locked", "partition_sched_domains_locked"),
    irq("on_irq_entry"),
    irq("on_irq_exit"),
    irq("on_softirq_entry"),
    irq("on_softirq_exit"),
    balance("enter_sched_balance_rq", "sched_balance_rq"),
    balance("exit_sched_balance_rq", "sched_balance_rq"),
    balance("enter_load_balance", "load_balance"),
    balance("exit_load_balance", "load_balance"),
    balance("enter_sched_balance_newidle", "sched_balance_newidle"),
    balance("exit_sched_balance_newidle", "sched_balance_newidle"),
    balance("enter_newidle_balance", "newidle_balance"),
    balance("exit_newidle_balance", "newidle_balance"),
    search("exit_sched_balance_find_src_group", "sched_balance_find_src_group"),
    search("exit_find_busiest_group", "find_busiest_group"),
    search("exit_can_migrate_task", "can_migrate_task"),
    ext("enter_do_enqueue_task", "do_enqueue_task"),
    ext("exit_do_enqueue_task", "do_enqueue_task"),
    ext("exit_dispatch_enqueue", "dispatch_enqueue"),
    ext("enter_scx_do_enqueue_task", "scx_do_enqueue_task"),
    ext("exit_scx_do_enqueue_task", "scx_do_enqueue_task"),
    ext("exit_scx_dispatch_enqueue", "scx_dispatch_enqueue"),
    ext("enter_do_pick_task_scx", "do_pick_task_scx"),
    ext("exit_do_pick_task_scx", "do_pick_task_scx"),
    ext("enter_balance_scx", "balance_scx"),
    ext("exit_balance_scx", "balance_scx"),
    ext("enter_scx_kick_cpu", "scx_kick_cpu"),
    ext("enter_scx_bpf_kick_cpu", "scx_bpf_kick_cpu"),
    ext("enter_scx_bypass", "scx_bypass"),
    ext("enter_scx_ops_bypass", "scx_ops_bypass"),
    Program {
        tracepoint: Some(EXT_EXIT_TRACEPOINT),
        ..program("on_sched_ext_exit", EventGroup::SchedExt, "why the kernel ends a sched_ext scheduler")
    },
    placement("exit_select_task_rq_fair", EventGroup::Placement, "select_task_rq_fair"),
    placement("enter_select_task_rq_fair", EventGroup::CpuScans, "select_task_rq_fair"),
    placement("enter_available_idle_cpu", EventGroup::CpuScans, "available_idle_cpu"),
    power("on_cpu_idle", "cpu_idle"),
    power("on_cpu_frequency", "cpu_frequency"),
    region("enter_regions"),
    region("leave_regions"),
    region("enter_region"),
    region("leave_region"),
    Program { tracepoint: Some(CALL_TRACEPOINT), ..kick("on_csd_queue") },
    Program { function: Some(CALL_FUNCTION), ..kick("enter_smp_call_function_single_async") },
];

/// The program of that name.
pub(crate) fn named(name: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| program.name == name)
}
