/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Generated from schemas/records.toml by wastenot.schemas.generate. Do not edit. */
/* clang-format off */
#ifndef WASTENOT_RECORD_STRUCTS_H
#define WASTENOT_RECORD_STRUCTS_H

enum record_kind {
	KIND_SWITCH = 1,
	KIND_WAKING,
	KIND_WAKEUP,
	KIND_WAKEUP_NEW,
	KIND_MIGRATE,
	KIND_NR_RUNNING,
	KIND_FORK,
	KIND_EXEC,
	KIND_EXIT,
	KIND_RENAME,
	KIND_AFFINITY,
	KIND_MIGRATION_DISABLE,
	KIND_COOKIE,
	KIND_CGROUP,
	KIND_THROTTLE,
	KIND_HOTPLUG,
	KIND_IRQ_SPAN,
	KIND_PERF_COUNTER,
	KIND_LOST,
	KIND_CPU_SNAPSHOT,
	KIND_THREAD,
	KIND_BALANCE,
	KIND_CPU_LOAD,
	KIND_CPUS_SCANNED,
	KIND_STACK,
	KIND_CGROUP_INFO,
	KIND_SCHEDSTAT,
	KIND_KICK,
	KIND_DOMAINS,
	KIND_BALANCE_SEARCH,
	KIND_NEWIDLE_ENTRY,
	KIND_DEADLINE,
	KIND_EXT_QUEUE,
	KIND_EXT_SEARCH,
	KIND_EXT_KICK,
	KIND_EXT_BYPASS,
	KIND_EXT_STATE,
	KIND_PREFERRED_LLC,
	KIND_REGION,
	KIND_REGION_NAME,
	KIND_IDLE_EXIT_LATE,
	KIND_EVENT_STACK,
	KIND_PROCESS_RANK,
	KIND_CPU_POWER,
	KIND_EXT_SCHEDULER,
	KIND_EXT_COUNTER,
	KIND_EXT_CHANGE,
	KIND_EXT_OF_CGROUP,
	KIND_EXT_ACCESS,
	KIND_CPU_USE,
	KIND_EXT_IDLE,
	KIND_END,
};

/* switch */
struct switch_record {
	u64 word;
	s32 prev_tid;
	s32 next_tid;
	s16 prev_prio;
	s16 next_prio;
	u32 prev_state;
};
_Static_assert(sizeof(struct switch_record) == 24, "switch");
_Static_assert(__builtin_offsetof(struct switch_record, prev_tid) == 8, "switch.prev_tid");
_Static_assert(__builtin_offsetof(struct switch_record, next_tid) == 12, "switch.next_tid");
_Static_assert(__builtin_offsetof(struct switch_record, prev_prio) == 16, "switch.prev_prio");
_Static_assert(__builtin_offsetof(struct switch_record, next_prio) == 18, "switch.next_prio");
_Static_assert(__builtin_offsetof(struct switch_record, prev_state) == 20, "switch.prev_state");

/* waking, wakeup, wakeup_new */
struct wakeup_record {
	u64 word;
	s32 tid;
	u16 cpu;
	s16 prio;
};
_Static_assert(sizeof(struct wakeup_record) == 16, "wakeup");
_Static_assert(__builtin_offsetof(struct wakeup_record, tid) == 8, "wakeup.tid");
_Static_assert(__builtin_offsetof(struct wakeup_record, cpu) == 12, "wakeup.cpu");
_Static_assert(__builtin_offsetof(struct wakeup_record, prio) == 14, "wakeup.prio");

/* migrate */
struct migrate_record {
	u64 word;
	s32 tid;
	s32 stack_id;
	u16 orig_cpu;
	u16 dest_cpu;
	s16 prio;
	u16 reserved;
};
_Static_assert(sizeof(struct migrate_record) == 24, "migrate");
_Static_assert(__builtin_offsetof(struct migrate_record, tid) == 8, "migrate.tid");
_Static_assert(__builtin_offsetof(struct migrate_record, stack_id) == 12, "migrate.stack_id");
_Static_assert(__builtin_offsetof(struct migrate_record, orig_cpu) == 16, "migrate.orig_cpu");
_Static_assert(__builtin_offsetof(struct migrate_record, dest_cpu) == 18, "migrate.dest_cpu");
_Static_assert(__builtin_offsetof(struct migrate_record, prio) == 20, "migrate.prio");

/* nr_running */
struct nr_running_record {
	u64 word;
	u16 cpu;
	s16 delta;
	u32 nr_running;
};
_Static_assert(sizeof(struct nr_running_record) == 16, "nr_running");
_Static_assert(__builtin_offsetof(struct nr_running_record, cpu) == 8, "nr_running.cpu");
_Static_assert(__builtin_offsetof(struct nr_running_record, delta) == 10, "nr_running.delta");
_Static_assert(__builtin_offsetof(struct nr_running_record, nr_running) == 12, "nr_running.nr_running");

/* fork */
struct fork_record {
	u64 word;
	s32 parent_tid;
	s32 child_tid;
	s32 child_tgid;
	u32 flags;
	char comm[COMM_LEN];
};
_Static_assert(sizeof(struct fork_record) == 40, "fork");
_Static_assert(__builtin_offsetof(struct fork_record, parent_tid) == 8, "fork.parent_tid");
_Static_assert(__builtin_offsetof(struct fork_record, child_tid) == 12, "fork.child_tid");
_Static_assert(__builtin_offsetof(struct fork_record, child_tgid) == 16, "fork.child_tgid");
_Static_assert(__builtin_offsetof(struct fork_record, flags) == 20, "fork.flags");
_Static_assert(__builtin_offsetof(struct fork_record, comm) == 24, "fork.comm");

/* exec */
struct exec_record {
	u64 word;
	s32 tid;
	s32 old_tid;
	s32 tgid;
	u32 reserved;
};
_Static_assert(sizeof(struct exec_record) == 24, "exec");
_Static_assert(__builtin_offsetof(struct exec_record, tid) == 8, "exec.tid");
_Static_assert(__builtin_offsetof(struct exec_record, old_tid) == 12, "exec.old_tid");
_Static_assert(__builtin_offsetof(struct exec_record, tgid) == 16, "exec.tgid");

/* exit */
struct exit_record {
	u64 word;
	s32 tid;
	u32 reserved;
};
_Static_assert(sizeof(struct exit_record) == 16, "exit");
_Static_assert(__builtin_offsetof(struct exit_record, tid) == 8, "exit.tid");

/* rename */
struct rename_record {
	u64 word;
	s32 tid;
	s32 tgid;
	char comm[COMM_LEN];
};
_Static_assert(sizeof(struct rename_record) == 32, "rename");
_Static_assert(__builtin_offsetof(struct rename_record, tid) == 8, "rename.tid");
_Static_assert(__builtin_offsetof(struct rename_record, tgid) == 12, "rename.tgid");
_Static_assert(__builtin_offsetof(struct rename_record, comm) == 16, "rename.comm");

/* affinity */
struct affinity_record {
	u64 word;
	s32 tid;
	u16 words;
	u16 masks;
};
_Static_assert(sizeof(struct affinity_record) == 16, "affinity");
_Static_assert(__builtin_offsetof(struct affinity_record, tid) == 8, "affinity.tid");
_Static_assert(__builtin_offsetof(struct affinity_record, words) == 12, "affinity.words");
_Static_assert(__builtin_offsetof(struct affinity_record, masks) == 14, "affinity.masks");

/* migration_disable */
struct migration_disable_record {
	u64 word;
	s32 tid;
	u32 disabled;
};
_Static_assert(sizeof(struct migration_disable_record) == 16, "migration_disable");
_Static_assert(__builtin_offsetof(struct migration_disable_record, tid) == 8, "migration_disable.tid");
_Static_assert(__builtin_offsetof(struct migration_disable_record, disabled) == 12, "migration_disable.disabled");

/* cookie, cgroup */
struct value_record {
	u64 word;
	s32 tid;
	u32 reserved;
	u64 value;
};
_Static_assert(sizeof(struct value_record) == 24, "value");
_Static_assert(__builtin_offsetof(struct value_record, tid) == 8, "value.tid");
_Static_assert(__builtin_offsetof(struct value_record, reserved) == 12, "value.reserved");
_Static_assert(__builtin_offsetof(struct value_record, value) == 16, "value.value");

/* throttle */
struct throttle_record {
	u64 word;
	s32 tid;
	u16 cpu;
	u16 throttled;
	u64 error_ns;
};
_Static_assert(sizeof(struct throttle_record) == 24, "throttle");
_Static_assert(__builtin_offsetof(struct throttle_record, tid) == 8, "throttle.tid");
_Static_assert(__builtin_offsetof(struct throttle_record, cpu) == 12, "throttle.cpu");
_Static_assert(__builtin_offsetof(struct throttle_record, throttled) == 14, "throttle.throttled");
_Static_assert(__builtin_offsetof(struct throttle_record, error_ns) == 16, "throttle.error_ns");

/* hotplug */
struct hotplug_record {
	u64 word;
	u16 cpu;
	u16 online;
	u32 reserved;
};
_Static_assert(sizeof(struct hotplug_record) == 16, "hotplug");
_Static_assert(__builtin_offsetof(struct hotplug_record, cpu) == 8, "hotplug.cpu");
_Static_assert(__builtin_offsetof(struct hotplug_record, online) == 10, "hotplug.online");

/* irq_span */
struct irq_span_record {
	u64 word;
	u32 dur_ns;
	u16 vector;
	u16 kind;
};
_Static_assert(sizeof(struct irq_span_record) == 16, "irq_span");
_Static_assert(__builtin_offsetof(struct irq_span_record, dur_ns) == 8, "irq_span.dur_ns");
_Static_assert(__builtin_offsetof(struct irq_span_record, vector) == 12, "irq_span.vector");
_Static_assert(__builtin_offsetof(struct irq_span_record, kind) == 14, "irq_span.kind");

/* perf_counter */
struct perf_counter_record {
	u64 word;
	s32 tid;
	u32 counter;
	u64 value;
};
_Static_assert(sizeof(struct perf_counter_record) == 24, "perf_counter");
_Static_assert(__builtin_offsetof(struct perf_counter_record, tid) == 8, "perf_counter.tid");
_Static_assert(__builtin_offsetof(struct perf_counter_record, counter) == 12, "perf_counter.counter");
_Static_assert(__builtin_offsetof(struct perf_counter_record, value) == 16, "perf_counter.value");

/* cpu_snapshot */
struct cpu_snapshot_record {
	u64 word;
	u16 cpu;
	u16 online;
	s32 current;
};
_Static_assert(sizeof(struct cpu_snapshot_record) == 16, "cpu_snapshot");
_Static_assert(__builtin_offsetof(struct cpu_snapshot_record, cpu) == 8, "cpu_snapshot.cpu");
_Static_assert(__builtin_offsetof(struct cpu_snapshot_record, online) == 10, "cpu_snapshot.online");
_Static_assert(__builtin_offsetof(struct cpu_snapshot_record, current) == 12, "cpu_snapshot.current");

/* thread */
struct thread_record {
	u64 word;
	s32 tid;
	s32 tgid;
	s32 ppid;
	u32 state;
	u64 cgroup_id;
	u64 cookie;
	u16 cpu;
	s16 prio;
	u16 words;
	u8 policy;
	u8 queue;
	u32 flags;
	u32 masks;
	char comm[COMM_LEN];
};
_Static_assert(sizeof(struct thread_record) == 72, "thread");
_Static_assert(__builtin_offsetof(struct thread_record, tid) == 8, "thread.tid");
_Static_assert(__builtin_offsetof(struct thread_record, tgid) == 12, "thread.tgid");
_Static_assert(__builtin_offsetof(struct thread_record, ppid) == 16, "thread.ppid");
_Static_assert(__builtin_offsetof(struct thread_record, state) == 20, "thread.state");
_Static_assert(__builtin_offsetof(struct thread_record, cgroup_id) == 24, "thread.cgroup_id");
_Static_assert(__builtin_offsetof(struct thread_record, cookie) == 32, "thread.cookie");
_Static_assert(__builtin_offsetof(struct thread_record, cpu) == 40, "thread.cpu");
_Static_assert(__builtin_offsetof(struct thread_record, prio) == 42, "thread.prio");
_Static_assert(__builtin_offsetof(struct thread_record, words) == 44, "thread.words");
_Static_assert(__builtin_offsetof(struct thread_record, policy) == 46, "thread.policy");
_Static_assert(__builtin_offsetof(struct thread_record, queue) == 47, "thread.queue");
_Static_assert(__builtin_offsetof(struct thread_record, flags) == 48, "thread.flags");
_Static_assert(__builtin_offsetof(struct thread_record, masks) == 52, "thread.masks");
_Static_assert(__builtin_offsetof(struct thread_record, comm) == 56, "thread.comm");

/* balance */
struct balance_record {
	u64 word;
	u64 dur_ns;
	u16 dst_cpu;
	s16 level;
	u16 idle_type;
	u16 function;
	s32 pulled;
	u32 attempt;
};
_Static_assert(sizeof(struct balance_record) == 32, "balance");
_Static_assert(__builtin_offsetof(struct balance_record, dur_ns) == 8, "balance.dur_ns");
_Static_assert(__builtin_offsetof(struct balance_record, dst_cpu) == 16, "balance.dst_cpu");
_Static_assert(__builtin_offsetof(struct balance_record, level) == 18, "balance.level");
_Static_assert(__builtin_offsetof(struct balance_record, idle_type) == 20, "balance.idle_type");
_Static_assert(__builtin_offsetof(struct balance_record, function) == 22, "balance.function");
_Static_assert(__builtin_offsetof(struct balance_record, pulled) == 24, "balance.pulled");
_Static_assert(__builtin_offsetof(struct balance_record, attempt) == 28, "balance.attempt");

/* cpu_load */
struct cpu_load_record {
	u64 word;
	u16 of_cpu;
	u16 reserved;
	u32 attempt;
	u64 load;
	u32 nr_running;
	u32 padding;
};
_Static_assert(sizeof(struct cpu_load_record) == 32, "cpu_load");
_Static_assert(__builtin_offsetof(struct cpu_load_record, of_cpu) == 8, "cpu_load.of_cpu");
_Static_assert(__builtin_offsetof(struct cpu_load_record, reserved) == 10, "cpu_load.reserved");
_Static_assert(__builtin_offsetof(struct cpu_load_record, attempt) == 12, "cpu_load.attempt");
_Static_assert(__builtin_offsetof(struct cpu_load_record, load) == 16, "cpu_load.load");
_Static_assert(__builtin_offsetof(struct cpu_load_record, nr_running) == 24, "cpu_load.nr_running");

/* cpus_scanned */
struct cpus_scanned_record {
	u64 word;
	s32 tid;
	u32 attempt;
	s16 chosen_cpu;
	u16 words;
	s16 prev_cpu;
	u16 wake_flags;
};
_Static_assert(sizeof(struct cpus_scanned_record) == 24, "cpus_scanned");
_Static_assert(__builtin_offsetof(struct cpus_scanned_record, tid) == 8, "cpus_scanned.tid");
_Static_assert(__builtin_offsetof(struct cpus_scanned_record, attempt) == 12, "cpus_scanned.attempt");
_Static_assert(__builtin_offsetof(struct cpus_scanned_record, chosen_cpu) == 16, "cpus_scanned.chosen_cpu");
_Static_assert(__builtin_offsetof(struct cpus_scanned_record, words) == 18, "cpus_scanned.words");
_Static_assert(__builtin_offsetof(struct cpus_scanned_record, prev_cpu) == 20, "cpus_scanned.prev_cpu");
_Static_assert(__builtin_offsetof(struct cpus_scanned_record, wake_flags) == 22, "cpus_scanned.wake_flags");

/* kick */
struct kick_record {
	u64 word;
	u16 target_cpu;
	u16 kind;
	u32 until_balance;
};
_Static_assert(sizeof(struct kick_record) == 16, "kick");
_Static_assert(__builtin_offsetof(struct kick_record, target_cpu) == 8, "kick.target_cpu");
_Static_assert(__builtin_offsetof(struct kick_record, kind) == 10, "kick.kind");
_Static_assert(__builtin_offsetof(struct kick_record, until_balance) == 12, "kick.until_balance");

/* balance_search */
struct balance_search_record {
	u64 word;
	u32 attempt;
	s16 src_cpu;
	u16 result;
	u16 examined;
	u16 not_allowed;
	u16 running;
	u16 hot;
};
_Static_assert(sizeof(struct balance_search_record) == 24, "balance_search");
_Static_assert(__builtin_offsetof(struct balance_search_record, attempt) == 8, "balance_search.attempt");
_Static_assert(__builtin_offsetof(struct balance_search_record, src_cpu) == 12, "balance_search.src_cpu");
_Static_assert(__builtin_offsetof(struct balance_search_record, result) == 14, "balance_search.result");
_Static_assert(__builtin_offsetof(struct balance_search_record, examined) == 16, "balance_search.examined");
_Static_assert(__builtin_offsetof(struct balance_search_record, not_allowed) == 18, "balance_search.not_allowed");
_Static_assert(__builtin_offsetof(struct balance_search_record, running) == 20, "balance_search.running");
_Static_assert(__builtin_offsetof(struct balance_search_record, hot) == 22, "balance_search.hot");

/* newidle_entry */
struct newidle_entry_record {
	u64 word;
	u32 attempt;
	s16 level;
	u16 flags;
	u64 avg_idle_ns;
};
_Static_assert(sizeof(struct newidle_entry_record) == 24, "newidle_entry");
_Static_assert(__builtin_offsetof(struct newidle_entry_record, attempt) == 8, "newidle_entry.attempt");
_Static_assert(__builtin_offsetof(struct newidle_entry_record, level) == 12, "newidle_entry.level");
_Static_assert(__builtin_offsetof(struct newidle_entry_record, flags) == 14, "newidle_entry.flags");
_Static_assert(__builtin_offsetof(struct newidle_entry_record, avg_idle_ns) == 16, "newidle_entry.avg_idle_ns");

/* deadline */
struct deadline_record {
	u64 word;
	s32 tid;
	u32 state;
	u64 runtime_ns;
	u64 relative_deadline_ns;
	u64 period_ns;
	s64 left_ns;
	u64 deadline;
	u64 clock;
	u32 flags;
	u32 reserved;
};
_Static_assert(sizeof(struct deadline_record) == 72, "deadline");
_Static_assert(__builtin_offsetof(struct deadline_record, tid) == 8, "deadline.tid");
_Static_assert(__builtin_offsetof(struct deadline_record, state) == 12, "deadline.state");
_Static_assert(__builtin_offsetof(struct deadline_record, runtime_ns) == 16, "deadline.runtime_ns");
_Static_assert(__builtin_offsetof(struct deadline_record, relative_deadline_ns) == 24, "deadline.relative_deadline_ns");
_Static_assert(__builtin_offsetof(struct deadline_record, period_ns) == 32, "deadline.period_ns");
_Static_assert(__builtin_offsetof(struct deadline_record, left_ns) == 40, "deadline.left_ns");
_Static_assert(__builtin_offsetof(struct deadline_record, deadline) == 48, "deadline.deadline");
_Static_assert(__builtin_offsetof(struct deadline_record, clock) == 56, "deadline.clock");
_Static_assert(__builtin_offsetof(struct deadline_record, flags) == 64, "deadline.flags");
_Static_assert(__builtin_offsetof(struct deadline_record, reserved) == 68, "deadline.reserved");

/* ext_queue */
struct ext_queue_record {
	u64 word;
	u64 dsq;
	s32 tid;
	u16 cpu;
	u16 place;
};
_Static_assert(sizeof(struct ext_queue_record) == 24, "ext_queue");
_Static_assert(__builtin_offsetof(struct ext_queue_record, dsq) == 8, "ext_queue.dsq");
_Static_assert(__builtin_offsetof(struct ext_queue_record, tid) == 16, "ext_queue.tid");
_Static_assert(__builtin_offsetof(struct ext_queue_record, cpu) == 20, "ext_queue.cpu");
_Static_assert(__builtin_offsetof(struct ext_queue_record, place) == 22, "ext_queue.place");

/* ext_search */
struct ext_search_record {
	u64 word;
	u32 dur_ns;
	u16 cpu;
	u16 reserved;
};
_Static_assert(sizeof(struct ext_search_record) == 16, "ext_search");
_Static_assert(__builtin_offsetof(struct ext_search_record, dur_ns) == 8, "ext_search.dur_ns");
_Static_assert(__builtin_offsetof(struct ext_search_record, cpu) == 12, "ext_search.cpu");

/* ext_kick */
struct ext_kick_record {
	u64 word;
	u32 flags;
	u16 target_cpu;
	u16 reserved;
};
_Static_assert(sizeof(struct ext_kick_record) == 16, "ext_kick");
_Static_assert(__builtin_offsetof(struct ext_kick_record, flags) == 8, "ext_kick.flags");
_Static_assert(__builtin_offsetof(struct ext_kick_record, target_cpu) == 12, "ext_kick.target_cpu");

/* ext_bypass */
struct ext_bypass_record {
	u64 word;
	u32 begins;
	u32 reserved;
};
_Static_assert(sizeof(struct ext_bypass_record) == 16, "ext_bypass");
_Static_assert(__builtin_offsetof(struct ext_bypass_record, begins) == 8, "ext_bypass.begins");
_Static_assert(__builtin_offsetof(struct ext_bypass_record, reserved) == 12, "ext_bypass.reserved");

/* preferred_llc */
struct preferred_llc_record {
	u64 word;
	u32 attempt;
	s16 src_cpu;
	u16 threads;
};
_Static_assert(sizeof(struct preferred_llc_record) == 16, "preferred_llc");
_Static_assert(__builtin_offsetof(struct preferred_llc_record, attempt) == 8, "preferred_llc.attempt");
_Static_assert(__builtin_offsetof(struct preferred_llc_record, src_cpu) == 12, "preferred_llc.src_cpu");
_Static_assert(__builtin_offsetof(struct preferred_llc_record, threads) == 14, "preferred_llc.threads");

/* region */
struct region_record {
	u64 word;
	s32 tid;
	u16 region;
	u16 enter;
	s32 peer;
	u32 reserved;
};
_Static_assert(sizeof(struct region_record) == 24, "region");
_Static_assert(__builtin_offsetof(struct region_record, tid) == 8, "region.tid");
_Static_assert(__builtin_offsetof(struct region_record, region) == 12, "region.region");
_Static_assert(__builtin_offsetof(struct region_record, enter) == 14, "region.enter");
_Static_assert(__builtin_offsetof(struct region_record, peer) == 16, "region.peer");
_Static_assert(__builtin_offsetof(struct region_record, reserved) == 20, "region.reserved");

/* idle_exit_late */
struct idle_exit_late_record {
	u64 word;
	u64 late_ns;
};
_Static_assert(sizeof(struct idle_exit_late_record) == 16, "idle_exit_late");
_Static_assert(__builtin_offsetof(struct idle_exit_late_record, late_ns) == 8, "idle_exit_late.late_ns");

/* event_stack */
struct event_stack_record {
	u64 word;
	s32 tid;
	s32 stack_id;
	u32 of;
	u32 reserved;
};
_Static_assert(sizeof(struct event_stack_record) == 24, "event_stack");
_Static_assert(__builtin_offsetof(struct event_stack_record, tid) == 8, "event_stack.tid");
_Static_assert(__builtin_offsetof(struct event_stack_record, stack_id) == 12, "event_stack.stack_id");
_Static_assert(__builtin_offsetof(struct event_stack_record, of) == 16, "event_stack.of");
_Static_assert(__builtin_offsetof(struct event_stack_record, reserved) == 20, "event_stack.reserved");

/* cpu_power */
struct cpu_power_record {
	u64 word;
	u32 value;
	u16 cpu;
	u16 what;
};
_Static_assert(sizeof(struct cpu_power_record) == 16, "cpu_power");
_Static_assert(__builtin_offsetof(struct cpu_power_record, value) == 8, "cpu_power.value");
_Static_assert(__builtin_offsetof(struct cpu_power_record, cpu) == 12, "cpu_power.cpu");
_Static_assert(__builtin_offsetof(struct cpu_power_record, what) == 14, "cpu_power.what");

/* ext_change */
struct ext_change_record {
	u64 word;
	u64 cgroup;
	u32 what;
	u32 reserved;
};
_Static_assert(sizeof(struct ext_change_record) == 24, "ext_change");
_Static_assert(__builtin_offsetof(struct ext_change_record, cgroup) == 8, "ext_change.cgroup");
_Static_assert(__builtin_offsetof(struct ext_change_record, what) == 16, "ext_change.what");
_Static_assert(__builtin_offsetof(struct ext_change_record, reserved) == 20, "ext_change.reserved");

/* ext_of_cgroup */
struct ext_of_cgroup_record {
	u64 word;
	u64 cgroup;
	s32 tid;
	u32 reserved;
};
_Static_assert(sizeof(struct ext_of_cgroup_record) == 24, "ext_of_cgroup");
_Static_assert(__builtin_offsetof(struct ext_of_cgroup_record, cgroup) == 8, "ext_of_cgroup.cgroup");
_Static_assert(__builtin_offsetof(struct ext_of_cgroup_record, tid) == 16, "ext_of_cgroup.tid");
_Static_assert(__builtin_offsetof(struct ext_of_cgroup_record, reserved) == 20, "ext_of_cgroup.reserved");

/* ext_access */
struct ext_access_record {
	u64 word;
	u64 cgroup;
	u16 cpu;
	u16 may_use;
	u32 reserved;
};
_Static_assert(sizeof(struct ext_access_record) == 24, "ext_access");
_Static_assert(__builtin_offsetof(struct ext_access_record, cgroup) == 8, "ext_access.cgroup");
_Static_assert(__builtin_offsetof(struct ext_access_record, cpu) == 16, "ext_access.cpu");
_Static_assert(__builtin_offsetof(struct ext_access_record, may_use) == 18, "ext_access.may_use");
_Static_assert(__builtin_offsetof(struct ext_access_record, reserved) == 20, "ext_access.reserved");

/* cpu_use */
struct cpu_use_record {
	u64 word;
	u16 of_cpu;
	u16 reserved;
	u32 attempt;
	u64 load;
	u32 nr_running;
	u32 util;
	s32 runnable;
	u32 capacity;
};
_Static_assert(sizeof(struct cpu_use_record) == 40, "cpu_use");
_Static_assert(__builtin_offsetof(struct cpu_use_record, of_cpu) == 8, "cpu_use.of_cpu");
_Static_assert(__builtin_offsetof(struct cpu_use_record, reserved) == 10, "cpu_use.reserved");
_Static_assert(__builtin_offsetof(struct cpu_use_record, attempt) == 12, "cpu_use.attempt");
_Static_assert(__builtin_offsetof(struct cpu_use_record, load) == 16, "cpu_use.load");
_Static_assert(__builtin_offsetof(struct cpu_use_record, nr_running) == 24, "cpu_use.nr_running");
_Static_assert(__builtin_offsetof(struct cpu_use_record, util) == 28, "cpu_use.util");
_Static_assert(__builtin_offsetof(struct cpu_use_record, runnable) == 32, "cpu_use.runnable");
_Static_assert(__builtin_offsetof(struct cpu_use_record, capacity) == 36, "cpu_use.capacity");

/* ext_idle */
struct ext_idle_record {
	u64 word;
	s32 tid;
	u16 words;
	u16 reserved;
};
_Static_assert(sizeof(struct ext_idle_record) == 16, "ext_idle");
_Static_assert(__builtin_offsetof(struct ext_idle_record, tid) == 8, "ext_idle.tid");
_Static_assert(__builtin_offsetof(struct ext_idle_record, words) == 12, "ext_idle.words");
_Static_assert(__builtin_offsetof(struct ext_idle_record, reserved) == 14, "ext_idle.reserved");

#endif
