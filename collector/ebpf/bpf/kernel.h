/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * The parts of the kernel's types that the programs read, with CO-RE relocations, and the helpers they call. Only names
 * count here: libbpf takes offsets and sizes from the running kernel's BTF. Types with a ___suffix are other forms of
 * the same type in other releases.
 */
#ifndef WASTENOT_KERNEL_H
#define WASTENOT_KERNEL_H

typedef unsigned char u8;
typedef signed short s16;
typedef unsigned short u16;
typedef signed int s32;
typedef unsigned int u32;
typedef signed long long s64;
typedef unsigned long long u64;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

#define SEC(name) __attribute__((section(name), used))
#define __always_inline inline __attribute__((always_inline))
#define __noinline __attribute__((noinline))
/* The releases of clang-format disagree about this line. */
/* clang-format off */
#define __uint(name, value) int (*name)[value]
/* clang-format on */
#define __type(name, value) typeof(value) *name
#define __ksym __attribute__((section(".ksyms")))
#define __weak __attribute__((weak))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define barrier() asm volatile("" ::: "memory")
#define READ_ONCE(x) (*(volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile typeof(x) *)&(x) = (v))

#define COMM_LEN 16
/* Longest masks: 4,096 CPUs. */
#define MASK_WORDS_MAX 64

enum bpf_map_type_used {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_STACK_TRACE = 7,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};
#define BPF_ANY 0
#define BPF_NOEXIST 1
#define EEXIST 17
#define BPF_F_NO_PREALLOC 1
#define BPF_F_MMAPABLE (1 << 10)
#define BPF_LOCAL_STORAGE_GET_F_CREATE 1

struct bpf_perf_event_value {
	u64 counter;
	u64 enabled;
	u64 running;
};

struct bpf_timer {
	u64 opaque[2];
};

/* Numbers from include/uapi/linux/bpf.h. */
static void *(*bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*bpf_map_update_elem)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
static u64 (*bpf_ktime_get_ns)(void) = (void *)5;
static u32 (*bpf_get_smp_processor_id)(void) = (void *)8;
static u64 (*bpf_get_current_pid_tgid)(void) = (void *)14;
static long (*bpf_get_stackid)(void *ctx, void *map, u64 flags) = (void *)27;
static u64 (*bpf_get_current_task)(void) = (void *)35;
static long (*bpf_perf_event_read_value)(void *map, u64 flags, struct bpf_perf_event_value *buf, u32 size) = (void *)55;
static long (*bpf_probe_read_kernel)(void *dst, u32 size, const void *src) = (void *)113;
static long (*bpf_probe_read_kernel_str)(void *dst, u32 size, const void *src) = (void *)115;
static u64 (*bpf_jiffies64)(void) = (void *)118;
static long (*bpf_seq_write)(void *seq, const void *data, u32 len) = (void *)127;
static void *(*bpf_task_storage_get)(void *map, void *task, void *value, u64 flags) = (void *)156;
static void *(*bpf_get_current_task_btf)(void) = (void *)158;
static long (*bpf_for_each_map_elem)(void *map, void *callback, void *context, u64 flags) = (void *)164;
static long (*bpf_timer_init)(struct bpf_timer *timer, void *map, u64 flags) = (void *)169;
static long (*bpf_timer_set_callback)(struct bpf_timer *timer, void *callback) = (void *)170;
static long (*bpf_timer_start)(struct bpf_timer *timer, u64 nsecs, u64 flags) = (void *)171;
static u64 (*bpf_get_attach_cookie)(void *ctx) = (void *)174;
static long (*bpf_loop)(u32 count, void *callback, void *context, u64 flags) = (void *)181;

/* Registers of a probed thread (arch/x86/include/uapi/asm/ptrace.h); of other architectures none is read. */
struct pt_regs {
	u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
};

#define field_exists(type, field) __builtin_preserve_field_info(((type *)0)->field, 2)
#define field_offset(type, field) __builtin_preserve_field_info(((type *)0)->field, 0)
#define type_size(type) __builtin_preserve_type_info(*(type *)0, 1)
#define enum_value(type, value) __builtin_preserve_enum_value(*(typeof(enum type) *)value, 1)

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct list_head {
	struct list_head *next, *prev;
};

struct cpumask {
	unsigned long bits[MASK_WORDS_MAX];
};

struct thread_info {
	u32 cpu;
};

struct task_struct___cpu_in_task {
	u32 cpu;
};

struct rq;
struct root_domain;
struct sched_domain;

struct sched_avg {
	unsigned long load_avg;
	unsigned long util_avg;
};

struct cfs_rq {
	struct rq *rq;
	int throttle_count;
	struct sched_avg avg;
};

struct sched_entity {
	struct list_head group_node;
	u64 exec_start;
	u64 sum_exec_runtime;
	u64 nr_migrations;
	struct cfs_rq *cfs_rq;
};

/* A thread that sleeps but is on its queue still (6.12 and later). */
struct sched_entity___delayed {
	unsigned char sched_delayed;
};

/* The same, and a thread that waits for a mutex and lends the owner its turn (proxy execution, 7.2 and later). */
struct task_struct___is_blocked {
	u8 is_blocked;
};

struct kernfs_node {
	u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[4];
};

struct cpuset___pointer {
	struct cpumask *effective_cpus;
};

struct cpuset___array {
	struct cpumask effective_cpus[1];
};

struct call_single_node {
	struct list_head *llist;
};

struct sched_dl_entity {
	u64 dl_runtime;
	u64 dl_deadline;
	u64 dl_period;
	s64 runtime;
	u64 deadline;
	unsigned int flags;
	unsigned int dl_throttled : 1;
	unsigned int dl_yielded : 1;
};

struct task_struct {
	struct thread_info thread_info;
	struct call_single_node wake_entry;
	unsigned int __state;
	unsigned int flags;
	/* int until 7.1, u8 since. Only unsigned fields may be loaded directly in another size than declared here. */
	unsigned int on_cpu;
	unsigned int on_rq;
	int prio;
	struct sched_entity se;
	struct sched_dl_entity dl;
	unsigned int policy;
	int nr_cpus_allowed;
	struct cpumask *cpus_ptr;
	struct cpumask cpus_mask;
	int exit_state;
	s32 pid;
	s32 tgid;
	struct task_struct *real_parent;
	u64 start_time;
	struct css_set *cgroups;
	unsigned long nvcsw;
	char comm[COMM_LEN];
};

struct task_struct___before_5_14 {
	long state;
};

struct task_struct___from_5_10 {
	unsigned short migration_disabled;
};

struct task_struct___from_6_2 {
	struct cpumask *user_cpus_ptr;
};

struct task_struct___from_6_18 {
	bool throttled;
};

struct task_struct___rt {
	int softirq_disable_cnt;
};

struct task_struct___core_sched {
	unsigned long core_cookie;
};

struct scx_dispatch_q {
	u64 id;
};

struct sched_ext_ops {
	u64 sub_cgroup_id; /* from 7.1 */
};

struct scx_sched_pcpu {
	u64 ecaps; /* what the scheduler may do with the CPU (7.3) */
};

struct scx_sched {
	struct sched_ext_ops ops;
	s32 level; /* above 0: of a cgroup (7.1) */
	struct scx_sched_pcpu *pcpu;
};

/* Which CPUs idle, from 6.15 on. */
struct scx_idle_cpus___pointer {
	struct cpumask *cpu;
};

struct scx_idle_cpus___array {
	struct cpumask cpu[1];
};

struct sched_ext_entity {
	struct scx_dispatch_q *dsq;
	u64 ddsp_dsq_id;
	struct scx_sched *sched; /* from 7.1 */
};

struct task_struct___ext {
	struct sched_ext_entity scx;
};

struct rq {
	unsigned int nr_running;
	u64 nr_switches;
	u64 clock;
	struct task_struct *curr;
	struct task_struct *idle;
	int cpu;
	int online;
	struct list_head cfs_tasks;
	struct sched_domain *sd;
	struct cfs_rq cfs;
	u64 clock_task;
	u64 avg_idle;
	struct root_domain *rd;
	unsigned long cpu_capacity;
	unsigned long next_balance;
};

typedef struct {
	int counter;
} atomic_t;

/* Since 5.8; before, a kick is sent as a request to reschedule. */
struct rq___nohz_flags {
	atomic_t nohz_flags;
};

#define NOHZ_BALANCE_KICK 1 /* kernel/sched/sched.h, 5.8 to 7.3 */

/* A function call on another CPU. */
struct __call_single_data {
	void (*func)(void *);
	void *info;
};

/* Since 5.7. */
struct sched_avg___runnable {
	unsigned long runnable_avg;
};

/* What the threads of a queue are estimated to use; a number of its own since 6.8. */
struct util_est {
	unsigned int enqueued;
};

struct sched_avg___before_6_8 {
	struct util_est util_est;
};

struct sched_avg___from_6_8 {
	unsigned int util_est;
};

struct root_domain {
	int overload;
};

struct root_domain___from_6_10 {
	int overloaded;
};

struct sched_domain___dice {
	unsigned int newidle_ratio;
};

enum migration_type { migrate_load };

/* A load-balance attempt (kernel/sched/fair.c). */
struct lb_env {
	struct rq *src_rq;
	int src_cpu;
	int dst_cpu;
	struct rq *dst_rq;
	unsigned int flags;
	enum migration_type migration_type;
};

/* Cache-aware scheduling (CONFIG_SCHED_CACHE, read in 7.2). */
struct task_struct___preferred_llc {
	int preferred_llc;
};

struct rq___ttwu_pending {
	unsigned int ttwu_pending;
};

struct seq_file {
	unsigned long size;
	unsigned long count;
};

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct sched_group {
	struct sched_group *next;
	unsigned long cpumask[1];
};

struct sched_domain {
	struct sched_domain *parent;
	struct sched_group *groups;
	unsigned long min_interval;
	unsigned long max_interval;
	unsigned int busy_factor;
	unsigned int imbalance_pct;
	unsigned int cache_nice_tries;
	int level;
	u64 max_newidle_lb_cost;
	char *name;
	unsigned int span_weight;
	unsigned long span[1];
};

#pragma clang attribute pop

enum cgroup_subsys_id {
	cpuset_cgrp_id,
	cpu_cgrp_id,
};

enum cpuhp_state {
	CPUHP_AP_ACTIVE = 0x7fff,
};

#define PF_KTHREAD 0x00200000
#define PF_NO_SETAFFINITY 0x04000000
#define TASK_INTERRUPTIBLE 0x1
#define TASK_DEAD 0x80

#define SCHED_FIFO 1
#define SCHED_RR 2
#define SCHED_DEADLINE 6
#define SCHED_EXT 7

extern struct task_struct *bpf_task_from_pid(s32 pid) __ksym __weak;
extern void bpf_task_release(struct task_struct *task) __ksym __weak;

/* Kinds of __builtin_preserve_field_info. */
#define BPF_FIELD_BYTE_OFFSET 0
#define BPF_FIELD_BYTE_SIZE 1
#define BPF_FIELD_LSHIFT_U64 4
#define BPF_FIELD_RSHIFT_U64 5

/* GET: a field of an object whose type the verifier knows. READ: a field of any object, by a checked copy of as many
 * bytes as the field has in this kernel (little-endian, as all the machines are). */
#define READ(pointer, field)                                                                      \
	({                                                                                        \
		typeof((pointer)->field) value_ = 0;                                              \
		u32 size_ = __builtin_preserve_field_info((pointer)->field, BPF_FIELD_BYTE_SIZE); \
		bpf_probe_read_kernel(&value_, size_ < sizeof(value_) ? size_ : sizeof(value_),   \
				      __builtin_preserve_access_index(&(pointer)->field));        \
		value_;                                                                           \
	})
/* A bit field of any object. */
#define READ_BITS(pointer, field)                                                                                      \
	({                                                                                                             \
		u64 word_ = 0;                                                                                         \
		u32 size_ = __builtin_preserve_field_info((pointer)->field, BPF_FIELD_BYTE_SIZE);                      \
		bpf_probe_read_kernel(&word_, size_ < sizeof(word_) ? size_ : sizeof(word_),                           \
				      (void *)(pointer) +                                                              \
					      __builtin_preserve_field_info((pointer)->field, BPF_FIELD_BYTE_OFFSET)); \
		word_ <<= __builtin_preserve_field_info((pointer)->field, BPF_FIELD_LSHIFT_U64);                       \
		word_ >> __builtin_preserve_field_info((pointer)->field, BPF_FIELD_RSHIFT_U64);                        \
	})
/* The one or the other, by the `typed` of the function: slow paths also serve pointers that the verifier cannot type.
 */
#define FIELD(pointer, field) (typed ? GET(pointer, field) : READ(pointer, field))
#ifdef UNTYPED_POINTERS
#define GET(pointer, field) READ(pointer, field)
#else
#define GET(pointer, field) ((pointer)->field)
#endif

/* The last member, an array without a length, which the types of some kernels leave out. */
static __always_inline void *span_of(struct sched_domain *sd)
{
	if (field_exists(struct sched_domain, span))
		return __builtin_preserve_access_index(&sd->span);
	return (void *)sd + type_size(struct sched_domain);
}

static __always_inline void *cpus_of_group(struct sched_group *group)
{
	if (field_exists(struct sched_group, cpumask))
		return __builtin_preserve_access_index(&group->cpumask);
	return (void *)group + type_size(struct sched_group);
}

/* It sleeps, though it is on its queue: its dequeue is delayed, or it is a donor of proxy execution. */
static __always_inline bool sleeps_queued(struct task_struct *p)
{
	struct sched_entity___delayed *entity = (void *)__builtin_preserve_access_index(&p->se);
	struct task_struct___is_blocked *q = (void *)p;

	if (field_exists(struct task_struct___is_blocked, is_blocked))
		return READ(q, is_blocked);
	return field_exists(struct sched_entity___delayed, sched_delayed) && READ(entity, sched_delayed);
}

#endif
