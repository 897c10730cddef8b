/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * What a sched_ext scheduler decides, where functions can be probed: the dispatch queue that each runnable thread
 * is in, CPUs that asked for a thread and got none, kicks, and when the kernel bypasses the scheduler. The probed
 * functions run only while a scheduler is loaded. (kernel/sched/ext.c, from 7.1 kernel/sched/ext/ext.c.)
 */

#ifndef UNTYPED_POINTERS
/* enum ext_place and enum ext_step of the tables */
enum { PLACE_LOCAL, PLACE_GLOBAL, PLACE_SHARED, PLACE_BYPASS, PLACE_HELD };
enum { STEP_SELECT_CPU, STEP_ENQUEUE, STEP_DISPATCH, STEP_MOVE };

/* Numbers of dispatch queues (include/linux/sched/ext.h) */
#define DSQ_BUILTIN (1ULL << 63)
#define DSQ_LOCAL_ON (3ULL << 62)
#define DSQ_INVALID DSQ_BUILTIN

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
	default:
		return PLACE_HELD;
	}
}

static __always_inline int record_place(struct ring *ring, struct task_struct *p, u64 dsq, u16 step, u64 time)
{
	struct ext_queue_record *record = reserve_undisturbed(ring, sizeof(*record), KIND_EXT_QUEUE);

	if (!record)
		return 0;
	record->dsq = dsq;
	record->tid = READ(p, pid);
	record->cpu = (dsq & DSQ_LOCAL_ON) == DSQ_LOCAL_ON ? (u16)dsq : cpu_of(p, false);
	record->place = place_of_dsq(dsq) | step << 8;
	commit(record, time, KIND_EXT_QUEUE);
	return 0;
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
	struct scx_dispatch_q *dsq = (void *)queue;
	struct task_struct *p = (void *)task;
	struct ring *ring = ring_here();
	u16 step = STEP_DISPATCH;

	if (!ring)
		return 0;
	if (ring->enqueued.task == task) {
		step = ring->enqueued.step;
		ring->enqueued.task = 0;
	}
	return record_place(ring, p, READ(dsq, id), step, bpf_ktime_get_ns());
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
	u64 start;

	if (!ring || !ring->ext_search)
		return 0;
	start = ring->ext_search;
	ring->ext_search = 0;
	if (found)
		return 0;
	record = reserve(ring, sizeof(*record), KIND_EXT_SEARCH);
	if (!record)
		return 0;
	record->dur_ns = bpf_ktime_get_ns() - start;
	record->cpu = READ(rq, cpu);
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
	record->cgroup = 0;
	if (READ(sch, level) > 0 && field_exists(struct sched_ext_ops, sub_cgroup_id))
		record->cgroup = READ(sch, ops.sub_cgroup_id);
	record->what = what;
	record->reserved = 0;
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
