/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * What a SCHED_DEADLINE thread may run and what is left of it. Written whole before each switch and wakeup of such a
 * thread: these are few, and a record needs no other one before it to be understood. All other threads cost a compare
 * of their priority.
 */
#ifndef WASTENOT_DEADLINE_H
#define WASTENOT_DEADLINE_H

#define DEADLINE_THROTTLED 1
#define DEADLINE_YIELDED 2

/* Of this class, or boosted to it by a thread that waits for a mutex (kernel/sched/deadline.c: MAX_DL_PRIO is 0). */
static __always_inline bool has_deadline(struct task_struct *p)
{
	return GET(p, prio) < 0;
}

/* All of a record but its first word. */
static __always_inline void fill_deadline(struct deadline_record *record, struct task_struct *p)
{
	struct sched_dl_entity *dl = (void *)__builtin_preserve_access_index(&p->dl);
	struct cfs_rq *queue = field_exists(struct sched_entity, cfs_rq) ? READ(p, se.cfs_rq) : NULL;
	struct rq *rq = queue ? READ(queue, rq) : NULL;

	record->tid = READ(p, pid);
	record->state = (READ_BITS(dl, dl_throttled) ? DEADLINE_THROTTLED : 0) |
			(READ_BITS(dl, dl_yielded) ? DEADLINE_YIELDED : 0);
	record->runtime_ns = READ(dl, dl_runtime);
	record->relative_deadline_ns = READ(dl, dl_deadline);
	record->period_ns = READ(dl, dl_period);
	record->left_ns = READ(dl, runtime);
	record->deadline = READ(dl, deadline);
	record->clock = rq ? READ(rq, clock) : 0;
	record->flags = READ(dl, flags);
	record->reserved = 0;
}

static __noinline int write_deadline(struct ring *ring, struct task_struct *p)
{
	struct deadline_record *record = reserve(ring, sizeof(*record), KIND_DEADLINE);

	if (record) {
		fill_deadline(record, p);
		commit(record, bpf_ktime_get_ns(), KIND_DEADLINE);
	}
	return 0;
}

#endif
