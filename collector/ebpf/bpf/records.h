/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * The records that the programs write: mirror of record.rs, which documents them. `word` is the time since base_ns in
 * nanoseconds, shifted left by 8, and the kind in the low byte.
 */
#ifndef WASTENOT_RECORDS_H
#define WASTENOT_RECORDS_H

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
	KIND_CONSIDERED,
	KIND_STACK,
	KIND_CGROUP_INFO,
	KIND_SCHEDSTAT,
	KIND_KICK,
	KIND_END,
};

struct switch_record {
	u64 word;
	s32 prev_tid;
	s32 next_tid;
	s16 prev_prio;
	s16 next_prio;
	u32 prev_state;
};

/* waking, wakeup, wakeup_new */
struct wakeup_record {
	u64 word;
	s32 tid;
	u16 cpu;
	s16 prio;
};

struct migrate_record {
	u64 word;
	s32 tid;
	s32 stack_id;
	u16 orig_cpu;
	u16 dest_cpu;
	s16 prio;
	u16 reserved;
};

struct nr_running_record {
	u64 word;
	u16 cpu;
	s16 delta;
	u32 nr_running;
};

struct fork_record {
	u64 word;
	s32 parent_tid;
	s32 child_tid;
	s32 child_tgid;
	u32 flags;
	char comm[COMM_LEN];
};

struct exec_record {
	u64 word;
	s32 tid;
	s32 old_tid;
	s32 tgid;
	u32 reserved;
};

struct exit_record {
	u64 word;
	s32 tid;
	u32 reserved;
};

struct rename_record {
	u64 word;
	s32 tid;
	s32 tgid;
	char comm[COMM_LEN];
};

/* followed by `words` 64-bit words for each bit of masks: 1 allowed, 2 user, 4 cpuset */
struct affinity_record {
	u64 word;
	s32 tid;
	u16 words;
	u16 masks;
};

struct migration_disable_record {
	u64 word;
	s32 tid;
	u32 disabled;
};

/* cookie, cgroup */
struct value_record {
	u64 word;
	s32 tid;
	u32 reserved;
	u64 value;
};

struct throttle_record {
	u64 word;
	s32 tid;
	u16 cpu;
	u16 throttled;
	u64 error_ns;
};

struct hotplug_record {
	u64 word;
	u16 cpu;
	u16 online;
	u32 reserved;
};

struct irq_span_record {
	u64 word;
	u32 dur_ns;
	u16 vector;
	u16 kind;
};

struct perf_counter_record {
	u64 word;
	s32 tid;
	u32 counter;
	u64 value;
};

struct cpu_snapshot_record {
	u64 word;
	u16 cpu;
	u16 online;
	s32 current;
};

/* flags of fork and thread records */
#define FLAG_KERNEL 1
#define FLAG_PER_CPU 2
#define FLAG_MIGRATION_DISABLED 4
#define FLAG_THROTTLED 8

enum { QUEUE_RUNNING, QUEUE_QUEUED, QUEUE_OFF };

/* followed by masks, as affinity_record */
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

/* a placement; followed by `words` 64-bit words, the CPUs asked whether they idle */
struct considered_record {
	u64 word;
	s32 tid;
	u32 attempt;
	s16 chosen_cpu;
	u16 words;
	s16 prev_cpu;
	u16 wake_flags;
};

enum { KICK_SENT, KICK_SOFTIRQ };

struct kick_record {
	u64 word;
	u16 target_cpu;
	u16 kind;
	u32 reserved;
};

/* bit of prev_state: prev was preempted */
#define PREEMPTED 0x80000000U

#endif
