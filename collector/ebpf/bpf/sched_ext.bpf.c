/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * What a sched_ext scheduler decides, where functions can be probed: the dispatch queue that each runnable thread
 * is in, CPUs that asked for a thread and got none, kicks, and when the kernel bypasses the scheduler. The probed
 * functions run only while a scheduler is loaded. (kernel/sched/ext.c, from 7.1 kernel/sched/ext/ext.c.)
 */

#ifndef UNTYPED_POINTERS
/* enum ext_place and enum ext_step of the tables */
enum { PLACE_LOCAL, PLACE_GLOBAL, PLACE_SHARED, PLACE_BYPASS, PLACE_HELD, PLACE_KERNEL };
enum { STEP_SELECT_CPU, STEP_ENQUEUE, STEP_DISPATCH, STEP_MOVE };

/* Numbers of dispatch queues (include/linux/sched/ext.h) */
#define DSQ_BUILTIN (1ULL << 63)
#define DSQ_LOCAL_ON (3ULL << 62)
#define DSQ_INVALID DSQ_BUILTIN
#define DSQ_LOCAL (DSQ_BUILTIN | 2)

static __always_inline u16 place_of_dsq(u64 id)
{
	if (!(id & DSQ_BUILTIN))
		return PLACE_SHARED;
	if ((id & DSQ_LOCAL_ON) == DSQ_LOCAL_ON)
		return PLACE_LOCAL;
	switch ((u32)id) {
	case 1:
		return PLACE_GLOBAL;
	case 2:
		return PLACE_LOCAL;
	case 3:
		return PLACE_BYPASS;
	case 4: /* SCX_DSQ_REJECT, SCX_DSQ_RESCUE (7.3): of threads that a scheduler of a cgroup sent to a CPU that it
		   may not use */
	case 5:
		return PLACE_KERNEL;
	default:
		return PLACE_HELD;
	}
}

/* Schedulers of cgroups (7.1) that had a thread to put somewhere: the address of their struct scx_sched, by the
 * cgroup's number. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, u64);
	__type(value, u64);
} of_cgroups SEC(".maps");

/* By CPU, in bytes, where a variable of its own lies beyond where one is that every CPU has. */
extern const void __per_cpu_offset __ksym __weak;

/* kernel/sched/ext_idle.c (6.15): struct scx_idle_cpus; struct static_key_false of whether the kernel keeps that, and
 * by node. */
extern const void scx_idle_global_masks __ksym __weak;
extern const void scx_builtin_idle_enabled __ksym __weak;
extern const void scx_builtin_idle_per_node __ksym __weak;

#define CAP_BASE 1 /* kernel/sched/ext/internal.h: SCX_CAP_BASE, the least that is needed of a CPU (7.3) */

/* 0: it is the one of all threads. */
static __always_inline u64 cgroup_of(struct scx_sched *sch)
{
	if (!sch || !field_exists(struct sched_ext_ops, sub_cgroup_id) || READ(sch, level) <= 0)
		return 0;
	return READ(sch, ops.sub_cgroup_id);
}

static __always_inline void record_access(struct ring *ring, struct scx_sched *sch, u64 cgroup, u32 cpu, u64 time)
{
	struct ext_access_record *record;
	struct scx_sched_pcpu *of_cpu;
	u64 offset;

	if (!field_exists(struct scx_sched_pcpu, ecaps) || !&__per_cpu_offset)
		return;
	if (bpf_probe_read_kernel(&offset, sizeof(offset), (const char *)&__per_cpu_offset + 8ULL * cpu))
		return;
	of_cpu = (void *)((u64)READ(sch, pcpu) + offset);
	record = reserve(ring, sizeof(*record), KIND_EXT_ACCESS);
	if (!record)
		return;
	record->cgroup = cgroup;
	record->cpu = cpu;
	record->may_use = READ(of_cpu, ecaps) & CAP_BASE;
	record->reserved = 0;
	commit(record, time, KIND_EXT_ACCESS);
}

struct first_sight {
	struct scx_sched *sch;
	u64 cgroup;
	u64 time;
};

static long access_of_cpu(u32 cpu, struct first_sight *seen)
{
	struct ring *ring = ring_here();

	if (!ring || !bpf_map_lookup_elem(&rings, &cpu))
		return 1;
	record_access(ring, seen->sch, seen->cgroup, cpu, seen->time);
	return 0;
}

/* Two CPUs that see it first may both write it down: then it is recorded twice. */
static __always_inline void see(struct scx_sched *sch, u64 cgroup, u64 time)
{
	struct first_sight seen = {.sch = sch, .cgroup = cgroup, .time = time};
	u64 *known = bpf_map_lookup_elem(&of_cgroups, &cgroup), address = (u64)sch;

	if (likely(known && *known == address))
		return;
	if (!bpf_map_update_elem(&of_cgroups, &cgroup, &address, 0))
		bpf_loop(64 * MASK_WORDS_MAX, access_of_cpu, &seen, 0);
}

struct vain_search {
	u64 time;
	u32 cpu;
};

static long access_of_scheduler(void *map, u64 *cgroup, u64 *address, struct vain_search *search)
{
	struct scx_sched *sch = (void *)*address;
	struct ring *ring = ring_here();

	if (cgroup_of(sch) != *cgroup) /* it is gone */
		bpf_map_delete_elem(map, cgroup);
	else if (ring)
		record_access(ring, sch, *cgroup, search->cpu, search->time);
	return 0;
}

static __always_inline void record_scheduler(struct ring *ring, struct task_struct *p, u64 time)
{
	struct task_struct___ext *ext = (void *)p;
	struct ext_of_cgroup_record *record;
	struct scx_sched *sch;
	u64 cgroup;

	if (!field_exists(struct sched_ext_entity, sched))
		return;
	sch = READ(ext, scx.sched);
	cgroup = cgroup_of(sch);
	if (!cgroup)
		return;
	see(sch, cgroup, time);
	record = reserve_undisturbed(ring, sizeof(*record), KIND_EXT_OF_CGROUP);
	if (!record)
		return;
	record->cgroup = cgroup;
	record->tid = READ(p, pid);
	record->reserved = 0;
	commit(record, time, KIND_EXT_OF_CGROUP);
}

static __always_inline int record_place(struct ring *ring, struct task_struct *p, u64 dsq, u16 step, u64 time)
{
	struct ext_queue_record *record;

	record_scheduler(ring, p, time);
	record = reserve_undisturbed(ring, sizeof(*record), KIND_EXT_QUEUE);
	if (!record)
		return 0;
	record->dsq = dsq;
	record->tid = READ(p, pid);
	record->cpu = (dsq & DSQ_LOCAL_ON) == DSQ_LOCAL_ON ? (u16)dsq : cpu_of(p, false);
	record->place = place_of_dsq(dsq) | step << 8;
	commit(record, time, KIND_EXT_QUEUE);
	return 0;
}

/* Of a static key the count of those who enabled it: what struct static_key begins with. */
static __always_inline bool is_enabled(const void *key)
{
	s32 count = 0;

	return key && !bpf_probe_read_kernel(&count, sizeof(count), key) && count > 0;
}

/* The kernel's mask of idle CPUs, where schedulers are shown that one. */
static __always_inline void *idle_mask(void)
{
	void *masks = (void *)&scx_idle_global_masks;

	if (!masks || !is_enabled(&scx_builtin_idle_enabled) || is_enabled(&scx_builtin_idle_per_node))
		return NULL;
	if (field_exists(struct scx_idle_cpus___array, cpu))
		return __builtin_preserve_access_index(&((struct scx_idle_cpus___array *)masks)->cpu);
	if (field_exists(struct scx_idle_cpus___pointer, cpu))
		return READ((struct scx_idle_cpus___pointer *)masks, cpu);
	return NULL;
}

static __always_inline void record_idle(struct ring *ring, s32 tid, u64 time)
{
	u32 bytes = config.mask_words * 8;
	void *mask = idle_mask();
	struct ext_idle_record *record;

	if (!mask || bytes > MASK_WORDS_MAX * 8)
		return;
	record = reserve_undisturbed(ring, sizeof(*record) + bytes, KIND_EXT_IDLE);
	if (!record)
		return;
	record->tid = tid;
	record->words = config.mask_words;
	record->reserved = 0;
	bpf_probe_read_kernel(record + 1, bytes, mask);
	commit(record, time, KIND_EXT_IDLE);
}

/* Runs with interrupts off, under the lock of the thread's runqueue. */
static __always_inline int enqueue_start(u64 *ctx)
{
	struct ring *ring = ring_here();
	struct task_struct___ext *ext = (void *)ctx[1];
	struct rq *rq = (void *)ctx[0];

	if (!ring)
		return 0;
	ring->enqueued.task = ctx[1];
	ring->enqueued.start = bpf_ktime_get_ns();
	if ((s32)ctx[3] == READ(rq, cpu))
		ring->enqueued.step = STEP_MOVE;
	else
		ring->enqueued.step = READ(ext, scx.ddsp_dsq_id) != DSQ_INVALID ? STEP_SELECT_CPU : STEP_ENQUEUE;
	if (ring->enqueued.step == STEP_SELECT_CPU)
		record_idle(ring, READ((struct task_struct *)ext, pid), ring->enqueued.start);
	return 0;
}

SEC("fentry/do_enqueue_task")
int enter_do_enqueue_task(u64 *ctx)
{
	return enqueue_start(ctx);
}

SEC("fentry/scx_do_enqueue_task") /* from 7.3 */
int enter_scx_do_enqueue_task(u64 *ctx)
{
	return enqueue_start(ctx);
}

static __always_inline int into_queue(u64 queue, u64 task)
{
	struct scx_dispatch_q *dsq = (void *)queue, *taken;
	struct task_struct *p = (void *)task;
	struct task_struct___ext *ext = (void *)task;
	struct ring *ring = ring_here();
	u16 step = STEP_DISPATCH;
	u64 id;

	if (!ring)
		return 0;
	if (ring->enqueued.task == task) {
		step = ring->enqueued.step;
		ring->enqueued.task = 0;
	}
	id = READ(dsq, id);
	/* From 7.3 on the kernel may take another queue of the CPU than the local one; with that CPU's lock, so that
	 * nothing else has moved the thread since. */
	if (id == DSQ_LOCAL && field_exists(struct sched_ext_entity, dsq)) {
		taken = READ(ext, scx.dsq);
		if (taken)
			id = READ(taken, id);
	}
	return record_place(ring, p, id, step, bpf_ktime_get_ns());
}

/* The queue comes right before the thread among the arguments, which have become more with the releases. The time is
 * that of the return: a CPU that asks later finds the thread there. */
static __always_inline int queued(u64 *ctx)
{
	switch (config.ext_task_arg) {
	case 1:
		return into_queue(ctx[0], ctx[1]);
	case 2:
		return into_queue(ctx[1], ctx[2]);
	case 3:
		return into_queue(ctx[2], ctx[3]);
	default:
		return 0;
	}
}

SEC("fexit/dispatch_enqueue")
int exit_dispatch_enqueue(u64 *ctx)
{
	return queued(ctx);
}

SEC("fexit/scx_dispatch_enqueue") /* from 7.3 */
int exit_scx_dispatch_enqueue(u64 *ctx)
{
	return queued(ctx);
}

/* It was put into no queue: the scheduler keeps it, or it is sent to the local queue of another CPU. The time is that
 * of the entry: what another CPU does with it as soon as the scheduler has it comes later. */
static __always_inline int enqueue_end(u64 *ctx)
{
	struct task_struct___ext *ext = (void *)ctx[1];
	struct ring *ring = ring_here();
	u64 dsq;

	if (!ring || ring->enqueued.task != ctx[1])
		return 0;
	ring->enqueued.task = 0;
	dsq = READ(ext, scx.ddsp_dsq_id);
	return record_place(ring, (void *)ext, dsq, ring->enqueued.step, ring->enqueued.start);
}

SEC("fexit/do_enqueue_task")
int exit_do_enqueue_task(u64 *ctx)
{
	return enqueue_end(ctx);
}

SEC("fexit/scx_do_enqueue_task") /* from 7.3 */
int exit_scx_do_enqueue_task(u64 *ctx)
{
	return enqueue_end(ctx);
}

static __always_inline int search_start(void)
{
	struct ring *ring = ring_here();

	if (ring)
		ring->ext_search = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int search_end(struct rq *rq, bool found)
{
	struct ring *ring = ring_here();
	struct ext_search_record *record;
	struct vain_search vain;
	u64 start;

	if (!ring || !ring->ext_search)
		return 0;
	start = ring->ext_search;
	ring->ext_search = 0;
	if (found)
		return 0;
	vain.time = start;
	vain.cpu = READ(rq, cpu);
	bpf_for_each_map_elem(&of_cgroups, access_of_scheduler, &vain, 0);
	record = reserve(ring, sizeof(*record), KIND_EXT_SEARCH);
	if (!record)
		return 0;
	record->dur_ns = bpf_ktime_get_ns() - start;
	record->cpu = vain.cpu;
	commit(record, start, KIND_EXT_SEARCH);
	return 0;
}

SEC("fentry/do_pick_task_scx")
int enter_do_pick_task_scx(u64 *ctx)
{
	return search_start();
}

/* RETRY_TASK is not NULL: the scheduler's core asks again. */
SEC("fexit/do_pick_task_scx")
int exit_do_pick_task_scx(u64 *ctx)
{
	return search_end((void *)ctx[0], ctx[3] != 0);
}

SEC("fentry/balance_scx")
int enter_balance_scx(u64 *ctx)
{
	return search_start();
}

SEC("fexit/balance_scx")
int exit_balance_scx(u64 *ctx)
{
	return search_end((void *)ctx[0], (u32)ctx[3] != 0);
}

static __always_inline int record_kick(u64 cpu, u64 flags)
{
	struct ring *ring = ring_here();
	struct ext_kick_record *record;

	if (!ring)
		return 0;
	record = reserve(ring, sizeof(*record), KIND_EXT_KICK);
	if (!record)
		return 0;
	record->flags = flags;
	record->target_cpu = cpu;
	commit(record, bpf_ktime_get_ns(), KIND_EXT_KICK);
	return 0;
}

/* Where the function that schedulers call has arguments of the kernel's own (7.x), it has no types to attach to. */
SEC("fentry/scx_kick_cpu")
int enter_scx_kick_cpu(u64 *ctx)
{
	return record_kick(ctx[1], ctx[2]);
}

SEC("fentry/scx_bpf_kick_cpu")
int enter_scx_bpf_kick_cpu(u64 *ctx)
{
	return record_kick(ctx[0], ctx[1]);
}

/* What happens to a scheduler: enum scx_exit_kind, or that it is bypassed. */
static __always_inline int record_change(struct scx_sched *sch, u32 what)
{
	struct ring *ring = ring_here();
	struct ext_change_record *record;

	if (!ring)
		return 0;
	record = reserve(ring, sizeof(*record), KIND_EXT_CHANGE);
	if (!record)
		return 0;
	record->cgroup = cgroup_of(sch);
	record->what = what;
	record->reserved = 1; /* it is recorded which threads it has */
	commit(record, bpf_ktime_get_ns(), KIND_EXT_CHANGE);
	return 0;
}

SEC("tp_btf/sched_ext_exit") /* from 7.3 */
int on_sched_ext_exit(u64 *ctx)
{
	return record_change((void *)ctx[0], ctx[1]);
}

static __always_inline int record_bypass(u64 begins)
{
	struct ring *ring = ring_here();
	struct ext_bypass_record *record;

	if (!ring)
		return 0;
	record = reserve(ring, sizeof(*record), KIND_EXT_BYPASS);
	if (!record)
		return 0;
	record->begins = begins & 1;
	record->reserved = 0;
	commit(record, bpf_ktime_get_ns(), KIND_EXT_BYPASS);
	return 0;
}

/* From 7.1 on a scheduler is bypassed alone, that of a cgroup for its threads. */
SEC("fentry/scx_bypass")
int enter_scx_bypass(u64 *ctx)
{
	struct scx_sched *sch = (void *)ctx[0];

	if (!config.ext_bypass_arg)
		return record_bypass(ctx[0]);
	if (field_exists(struct scx_sched, level) && READ(sch, level) > 0)
		return record_change(sch, ctx[1] & 1);
	return record_bypass(ctx[1]);
}

SEC("fentry/scx_ops_bypass")
int enter_scx_ops_bypass(u64 *ctx)
{
	return record_bypass(ctx[0]);
}
#endif
