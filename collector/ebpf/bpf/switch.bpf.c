/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Switches, wakeups, migrations, and the kernel's own count of each queue. */

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4);
} counters SEC(".maps");

static __noinline int read_counters(struct ring *ring, s32 tid)
{
	u32 cpu = bpf_get_smp_processor_id();

	for (u32 i = 0; i < COUNTERS_MAX && i < config.counter_count; i++) {
		struct bpf_perf_event_value value = {};
		struct perf_counter_record *record;
		u64 last;

		if (bpf_perf_event_read_value(&counters, i * config.counter_stride + cpu, &value, sizeof(value)))
			continue;
		last = ring->counter_last[i];
		ring->counter_last[i] = value.counter;
		if (!tid || !last || value.counter <= last)
			continue;
		record = reserve(ring, sizeof(*record), KIND_PERF_COUNTER);
		if (!record)
			continue;
		record->tid = tid;
		record->counter = i;
		record->value = value.counter - last;
		commit(record, bpf_ktime_get_ns(), KIND_PERF_COUNTER);
	}
	return 0;
}

/* Whether there are recorded constraints of a thread to compare with. */
static __always_inline bool may_recheck(struct constraints *known)
{
#ifdef EPOCHS
	return known->introduced;
#else
	return is_known(known);
#endif
}

/*
 * Compare a thread of which only the address is known with its last recorded constraints. With task storage the task
 * is looked up again by its number, because the verifier accepts no other pointer to it.
 */
static __always_inline void recheck(struct ring *ring, struct task_struct *raw, s32 tid)
{
	struct constraints *known;

#ifndef UNTYPED_POINTERS
	if (!config.use_hash) {
		struct task_struct *p;

		if (!bpf_task_from_pid || !bpf_task_release)
			return;
		p = bpf_task_from_pid(tid);
		if (!p)
			return;
		known = known_of(p, false);
		if (known && may_recheck(known))
			write_changes(ring, p, known, true);
		bpf_task_release(p);
		return;
	}
#endif
	known = bpf_map_lookup_elem(&known_by_tid, &tid);
	if (known && known->start_time == READ(raw, start_time) && may_recheck(known))
		write_changes(ring, raw, known, true);
}

/* The current thread is not about to sleep, and not the idle one. */
static __always_inline bool current_goes_on(void)
{
#if defined(UNTYPED_POINTERS) || defined(WITHOUT_FETCH) /* no typed pointer to it before 5.11 */
	struct task_struct *current = (void *)bpf_get_current_task();
	struct task_struct___before_5_14 *q = (void *)current;
	u32 state = field_exists(struct task_struct, __state) ? READ(current, __state) : (u32)READ(q, state);

	return !state && READ(current, pid);
#else
	struct task_struct *current = bpf_get_current_task_btf();

	return !raw_state_of(current) && GET(current, pid);
#endif
}

/*
 * The running thread dequeued another one and enqueued it again: it changed the affinity, cpuset, group or nice value
 * of that thread (do_set_cpus_allowed, sched_move_task, ...: dequeue, change, enqueue), or it pulled a thread.
 * Enqueueing puts the thread first in rq->cfs_tasks (account_entity_enqueue), so the new constraints are recorded at
 * that instant.
 */
static __noinline int check_requeued(struct ring *ring, struct rq *rq)
{
	struct list_head *first = READ(rq, cfs_tasks.next);
	struct task_struct *raw;

	if (first) {
		raw = (void *)first - field_offset(struct task_struct, se.group_node);
		recheck(ring, raw, READ(raw, pid));
	}
	return 0;
}

/* The queue of `cpu` grew: record those of its throttled threads that have quota again. */
static __noinline int check_throttled(struct ring *ring, u32 cpu)
{
	struct ring *there = ring_of(cpu);

	if (!there)
		return 0;
	for (int i = 0; i < THROTTLED_SLOTS; i++) {
		struct task_struct *raw = (void *)there->throttled[i].task;
		s32 tid = there->throttled[i].tid;

		if (!raw)
			continue;
		if (READ(raw, pid) != tid) {
			there->throttled[i].task = 0; /* it exited, and another thread uses the memory */
		} else if (!throttled_of(raw, false)) {
			there->throttled[i].task = 0;
			recheck(ring, raw, tid);
		}
	}
	return 0;
}

/*
 * Before 6.18 the threads of a throttled group stay on its queue, and only the group leaves the runqueue: when its
 * running thread is switched out, or while the CPU picks another. Check all fair threads of the CPU's queue.
 */
static __noinline int check_queue(struct ring *ring)
{
	struct rq *rq = (void *)ring->queue;
	struct list_head *head = (void *)rq + field_offset(struct rq, cfs_tasks), *entry = head;

	for (int i = 0; i < QUEUE_SCAN_MAX; i++) {
		struct task_struct *raw;

		entry = READ(entry, next);
		if (!entry || entry == head)
			break;
		raw = (void *)entry - field_offset(struct task_struct, se.group_node);
		if (throttled_of(raw, false))
			recheck(ring, raw, READ(raw, pid));
	}
	return 0;
}

/* A CPU that takes so long to leave idle is recorded, ns. */
#define LATE_NS 1000000

/*
 * The CPU was asked to reschedule while it idled, and switches now. A request that ended without a switch leaves
 * nothing here: on_nr_running forgets it as the queue becomes empty.
 */
static __noinline int leave_idle(struct ring *ring, s32 prev_tid)
{
	struct idle_exit_late_record *record;
	u64 now = bpf_ktime_get_ns(), late = now - READ_ONCE(ring->resched_requested);

	WRITE_ONCE(ring->resched_requested, 0);
	if (prev_tid || late < LATE_NS || late >> 63)
		return 0;
	record = reserve(ring, sizeof(*record), KIND_IDLE_EXIT_LATE);
	if (!record)
		return 0;
	record->late_ns = late;
	commit(record, now, KIND_IDLE_EXIT_LATE);
	return 0;
}

/* What a CPU sees of its runqueue as it changes. */
static __always_inline void see_queue(struct ring *ring, struct rq *rq)
{
	ring->queue = (u64)rq;
	if (config.watch_domains) {
		u64 domains = (u64)GET(rq, sd) + 1;

		if (unlikely(ring->domains != domains)) {
			if (ring->domains)
				note_domains_built(ring);
			ring->domains = domains;
		}
	}
}

/* Before 5.13 there is no tracepoint of queues that change (on_nr_running): the CPU's own is read as it switches. */
static __always_inline void read_queue(struct ring *ring, struct task_struct *prev)
{
	struct cfs_rq *queue = GET(prev, se.cfs_rq);
	struct rq *rq;

	if (!field_exists(struct cfs_rq, rq)) /* without groups of threads */
		return;
	rq = GET(queue, rq);
	WRITE_ONCE(ring->nr_running, GET(rq, nr_running) + 1);
	see_queue(ring, rq);
}

SEC(TP "sched_switch")
int on_switch(u64 *ctx)
{
	u32 with_state = config.switch_state;
	struct task_struct *prev, *next;
	struct switch_record *record;
	struct ring *ring = ring_here();
	s32 prev_tid, next_tid;
	u32 state, count;
	u64 now;

	if (!ring)
		return 0;
	if (with_state == 1) {
		state = ctx[1];
		prev = (void *)ctx[2];
		next = (void *)ctx[3];
	} else {
		prev = (void *)ctx[1];
		next = (void *)ctx[2];
		state = with_state ? (u32)ctx[3] : raw_state_of(prev);
	}
	if (ctx[0] & 0xff)
		state |= PREEMPTED;
	else if (state & TASK_DEAD)
		state |= GET(prev, exit_state);
	prev_tid = GET(prev, pid);
	next_tid = GET(next, pid);
	learn_disabled_by_tracing(prev);
	if (ring->irq_start)
		close_irq_span(ring, ring->irq_depth ? bpf_ktime_get_ns() : 0);
	if (prev_tid && (!state || state & PREEMPTED || !READ_ONCE(ring->settled)))
		check_constraints(ring, prev);
	if (next_tid && (throttled_threads || !READ_ONCE(ring->settled)))
		check_constraints(ring, next);
	if (READ_ONCE(ring->resched_requested))
		leave_idle(ring, prev_tid);
	if (config.read_queues)
		read_queue(ring, prev);
	ring->shortened_queue = 0;
	ring->dequeues = 0;
	if (ring->group_throttled) {
		ring->group_throttled = 0;
		if (!field_exists(struct task_struct___from_6_18, throttled) && ring->queue)
			check_queue(ring);
	}
	if (unlikely(has_deadline(prev)))
		write_deadline(ring, prev);
	if (unlikely(has_deadline(next)))
		write_deadline(ring, next);
	if (config.counter_count)
		read_counters(ring, prev_tid);

	record = reserve_undisturbed(ring, sizeof(*record), KIND_SWITCH);
	if (!record)
		return 0;
	record->prev_tid = prev_tid;
	record->next_tid = next_tid;
	record->prev_prio = GET(prev, prio);
	record->next_prio = GET(next, prio);
	count = READ_ONCE(ring->nr_running);
	record->prev_state = (state & (PREEMPTED | STATE_BITS)) | (count <= NR_RUNNING_MAX ? count : 0)
									  << NR_RUNNING_SHIFT;
	now = bpf_ktime_get_ns();
	commit(record, now, KIND_SWITCH);
	if (config.want_stacks & STACKS_SWITCHES && prev_tid)
		put_stack(ctx, ring, prev_tid, STACK_OF_SWITCH, now);
	return 0;
}

/* A runqueue's CPU is asked to reschedule; of one that idles, remember when. */
SEC(TP "sched_set_need_resched_tp")
int on_need_resched(u64 *ctx)
{
	struct task_struct *idle = (void *)ctx[0];
	struct ring *there;

	if (GET(idle, pid)) /* it runs a thread */
		return 0;
	there = ring_of((u32)ctx[1]);
	if (there && READ_ONCE(there->nr_running) > 1)
		WRITE_ONCE(there->resched_requested, bpf_ktime_get_ns());
	return 0;
}

static __always_inline int put_wakeup(void *ctx, struct ring *ring, struct task_struct *p, u32 kind)
{
	struct wakeup_record *record;
	s32 tid = GET(p, pid);
	u64 now;

	/* A waking comes before the thread is enqueued, which is when its deadline is set. */
	if (unlikely(has_deadline(p)) && kind != KIND_WAKING)
		write_deadline(ring, p);
	record = reserve(ring, sizeof(*record), kind);
	if (!record)
		return 0;
	record->tid = tid;
	record->cpu = cpu_of(p, true);
	record->prio = GET(p, prio);
	now = bpf_ktime_get_ns();
	commit(record, now, kind);
	if (config.want_stacks & STACKS_WAKEUPS)
		put_stack(ctx, ring, tid, kind == KIND_WAKING ? STACK_OF_WAKING : STACK_OF_WAKEUP, now);
	return 0;
}

SEC(TP "sched_waking")
int on_waking(u64 *ctx)
{
	struct ring *ring = ring_here();

	if (!ring)
		return 0;
	if (!READ_ONCE(ring->settled))
		check_constraints(ring, (void *)ctx[0]);
	return put_wakeup(ctx, ring, (void *)ctx[0], KIND_WAKING);
}

SEC(TP "sched_wakeup")
int on_wakeup(u64 *ctx)
{
	struct ring *ring = ring_here();

	if (!ring)
		return 0;
	check_before_event(ring, (void *)ctx[0], true);
	return put_wakeup(ctx, ring, (void *)ctx[0], KIND_WAKEUP);
}

SEC(TP "sched_wakeup_new")
int on_wakeup_new(u64 *ctx)
{
	struct ring *ring = ring_here();

	if (!ring)
		return 0;
	check_before_event(ring, (void *)ctx[0], true);
	return put_wakeup(ctx, ring, (void *)ctx[0], KIND_WAKEUP_NEW);
}

SEC(TP "sched_migrate_task")
int on_migrate(u64 *ctx)
{
	struct task_struct *p = (void *)ctx[0];
	struct ring *ring = ring_here(), *there;
	struct migrate_record *record;
	u32 dest = ctx[1];
	s32 stack = -1;

	if (!ring)
		return 0;
	check_constraints(ring, p);
	if (throttled_threads && throttled_of(p, true)) {
		there = ring_of(dest);
		if (there)
			remember_throttled(there, p, GET(p, pid));
	}
	if (config.want_stacks & STACKS_MOVES)
		stack = bpf_get_stackid(ctx, &stacks, 0);
	record = reserve(ring, sizeof(*record), KIND_MIGRATE);
	if (!record)
		return 0;
	record->tid = GET(p, pid);
	record->stack_id = stack;
	record->orig_cpu = cpu_of(p, true);
	record->dest_cpu = dest;
	record->prio = GET(p, prio);
	record->reserved = 0;
	commit(record, bpf_ktime_get_ns(), KIND_MIGRATE);
	return 0;
}

SEC(TP "sched_update_nr_running_tp")
int on_nr_running(u64 *ctx)
{
	struct rq *rq = (void *)ctx[0];
	s32 change = (s32)ctx[1];
	struct ring *ring = ring_here(), *there;
	u32 cpu;

	if (!ring)
		return 0;
	cpu = GET(rq, cpu);
	there = ring_of(cpu);
	if (there) {
		u32 count = GET(rq, nr_running);

		WRITE_ONCE(there->nr_running, count + 1);
		if (!count && change < 0)
			WRITE_ONCE(there->resched_requested, 0);
	}
	if (cpu == bpf_get_smp_processor_id()) {
		see_queue(ring, rq);
		if (!field_exists(struct task_struct___from_6_18, throttled) && change < 0 &&
		    (change < -1 || ring->dequeues++))
			ring->group_throttled = 1;
	}
	if (change < 0) {
		if (unlikely(current_goes_on()))
			ring->shortened_queue = cpu + 1;
	} else if (unlikely(ring->shortened_queue)) {
		ring->shortened_queue = 0;
		check_requeued(ring, rq);
	}
	if (unlikely(throttled_threads) && change > 0)
		check_throttled(ring, cpu);
	return 0;
}

#ifndef UNTYPED_POINTERS
/*
 * Before 5.13, which has no program on_nr_running: the functions that change what a queued thread may do, as they
 * return.
 */
static __always_inline int thread_changed(struct task_struct *p)
{
	struct ring *ring = ring_here();
	struct constraints *known;

	if (!ring)
		return 0;
	known = known_of(p, false);
	if (known && may_recheck(known))
		compare(ring, p, known, true);
	return 0;
}

SEC("fexit/do_set_cpus_allowed")
int exit_do_set_cpus_allowed(u64 *ctx)
{
	return thread_changed((void *)ctx[0]);
}

/* What sched_setaffinity and cpusets call in 5.11 and 5.12. */
SEC("fexit/__do_set_cpus_allowed")
int exit_set_cpus_allowed(u64 *ctx)
{
	return thread_changed((void *)ctx[0]);
}

SEC("fexit/sched_move_task")
int exit_sched_move_task(u64 *ctx)
{
	return thread_changed((void *)ctx[0]);
}

/*
 * A group of this CPU has lost its quota: its threads are looked at with the next switch, whether the running one
 * sleeps or not.
 */
SEC("fexit/throttle_cfs_rq")
int exit_throttle_cfs_rq(u64 *ctx)
{
	struct ring *ring = ring_here();

	if (ring)
		ring->group_throttled = 1;
	return 0;
}

/* A group has quota again. */
SEC("fexit/unthrottle_cfs_rq")
int exit_unthrottle_cfs_rq(u64 *ctx)
{
	struct cfs_rq *group = (void *)ctx[0];
	struct ring *ring = ring_here();
	struct rq *rq;

	if (!ring || !throttled_threads || !field_exists(struct cfs_rq, rq))
		return 0;
	rq = GET(group, rq);
	check_throttled(ring, GET(rq, cpu));
	return 0;
}
#endif
