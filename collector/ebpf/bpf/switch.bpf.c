/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Who runs, who becomes runnable, who moves, and the kernel's own count of each queue. */

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 8 * 24); /* the innermost frames name the path; each costs the unwinder its time */
} stacks SEC(".maps");

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

/*
 * Compare a thread of which only the address is known with what was last seen of it. Without a hash by tid the task
 * must be found again by its number, so that the verifier knows it for one.
 */
static __always_inline void look_again(struct ring *ring, struct task_struct *raw, s32 tid)
{
	struct seen *seen;

#ifndef UNTYPED_POINTERS
	if (!config.use_hash) {
		struct task_struct *p;

		if (!bpf_task_from_pid || !bpf_task_release)
			return;
		p = bpf_task_from_pid(tid);
		if (!p)
			return;
		seen = seen_of(p, false);
		if (seen && READ_ONCE(seen->phase) == SEEN)
			changed(ring, p, seen, true);
		bpf_task_release(p);
		return;
	}
#endif
	seen = bpf_map_lookup_elem(&seen_by_tid, &tid);
	if (seen && READ_ONCE(seen->phase) == SEEN)
		changed(ring, raw, seen, true);
}

/*
 * A queue was shortened by a thread that goes on running, then lengthened again: somebody else's affinity, cpuset,
 * group or nice value was changed (do_set_cpus_allowed, sched_move_task, ...: dequeue, change, enqueue), or a thread
 * was pulled. Enqueueing puts the thread first in rq->cfs_tasks (account_entity_enqueue), so its new constraints are
 * seen at the very instant.
 */
static __noinline int look_at_restored(struct ring *ring, struct rq *rq)
{
	struct list_head *first = READ(rq, cfs_tasks.next);
	struct task_struct *raw;

	if (first) {
		raw = (void *)first - field_offset(struct task_struct, se.group_node);
		look_again(ring, raw, READ(raw, pid));
	}
	return 0;
}

/* The queue of `cpu` grew: who of its throttled threads has quota again? */
static __noinline int look_at_throttled(struct ring *ring, u32 cpu)
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
			there->throttled[i].task = 0; /* it ended, and the room serves another thread */
		} else if (!throttled_of(raw, false)) {
			there->throttled[i].task = 0;
			look_again(ring, raw, tid);
		}
	}
	return 0;
}

/*
 * Before 6.18 a throttled group's threads stay where they are, and only the group leaves the queue: when the running
 * one is switched out for it, or while the CPU picks another. Look at all fair threads of the CPU's queue.
 */
static __noinline int look_at_queue(struct ring *ring)
{
	struct rq *rq = (void *)ring->queue;
	struct list_head *head = (void *)rq + field_offset(struct rq, cfs_tasks), *entry = head;

	for (int i = 0; i < QUEUE_LOOKS; i++) {
		struct task_struct *raw;

		entry = READ(entry, next);
		if (!entry || entry == head)
			break;
		raw = (void *)entry - field_offset(struct task_struct, se.group_node);
		if (throttled_of(raw, false))
			look_again(ring, raw, READ(raw, pid));
	}
	return 0;
}

SEC(TP "sched_switch")
int on_switch(u64 *ctx)
{
	u32 with_state = config.switch_state;
	struct task_struct *prev, *next;
	struct switch_record *record;
	struct ring *ring = ring_here();
	s32 prev_tid, next_tid;
	u32 state;

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
	if (!prev_tid) {
		if (ring->irq_start)
			close_irq_span(ring, bpf_ktime_get_ns());
	} else if (!state || state & PREEMPTED || !READ_ONCE(ring->settled)) {
		look(ring, prev);
	}
	if (next_tid && (throttled_threads || !READ_ONCE(ring->settled)))
		look(ring, next);
	ring->foreign = 0;
	ring->falls = 0;
	if (ring->group_throttled) {
		ring->group_throttled = 0;
		if (!field_exists(struct task_struct___from_6_18, throttled) && ring->queue)
			look_at_queue(ring);
	}
	if (config.counter_count)
		read_counters(ring, prev_tid);

	record = reserve_undisturbed(ring, sizeof(*record), KIND_SWITCH);
	if (!record)
		return 0;
	record->prev_tid = prev_tid;
	record->next_tid = next_tid;
	record->prev_prio = GET(prev, prio);
	record->next_prio = GET(next, prio);
	record->prev_state = state;
	commit(record, bpf_ktime_get_ns(), KIND_SWITCH);
	return 0;
}

static __always_inline int put_wakeup(struct ring *ring, struct task_struct *p, u32 kind)
{
	struct wakeup_record *record = reserve(ring, sizeof(*record), kind);

	if (!record)
		return 0;
	record->tid = GET(p, pid);
	record->cpu = cpu_of(p, true);
	record->prio = GET(p, prio);
	commit(record, bpf_ktime_get_ns(), kind);
	return 0;
}

SEC(TP "sched_waking")
int on_waking(u64 *ctx)
{
	struct ring *ring = ring_here();

	if (!ring)
		return 0;
	if (!READ_ONCE(ring->settled))
		look(ring, (void *)ctx[0]);
	return put_wakeup(ring, (void *)ctx[0], KIND_WAKING);
}

SEC(TP "sched_wakeup")
int on_wakeup(u64 *ctx)
{
	struct ring *ring = ring_here();

	if (!ring)
		return 0;
	look(ring, (void *)ctx[0]);
	return put_wakeup(ring, (void *)ctx[0], KIND_WAKEUP);
}

SEC(TP "sched_wakeup_new")
int on_wakeup_new(u64 *ctx)
{
	struct ring *ring = ring_here();

	if (!ring)
		return 0;
	look(ring, (void *)ctx[0]);
	return put_wakeup(ring, (void *)ctx[0], KIND_WAKEUP_NEW);
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
	look(ring, p);
	if (throttled_threads && throttled_of(p, true)) {
		there = ring_of(dest);
		if (there)
			remember_throttled(there, p, GET(p, pid));
	}
	if (config.want_stacks)
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
	struct nr_running_record *record;
	struct ring *ring = ring_here();
	u32 cpu;

	if (!ring)
		return 0;
	cpu = GET(rq, cpu);
	if (cpu == bpf_get_smp_processor_id() && !field_exists(struct task_struct___from_6_18, throttled)) {
		ring->queue = (u64)rq;
		if (change < 0 && (change < -1 || ring->falls++))
			ring->group_throttled = 1;
	}
	if (change < 0) {
#ifdef UNTYPED_POINTERS
		struct task_struct *current = (void *)bpf_get_current_task();
#else
		struct task_struct *current = bpf_get_current_task_btf();
#endif

		if (unlikely(!raw_state_of(current) && GET(current, pid)))
			ring->foreign = cpu + 1;
	} else if (unlikely(ring->foreign)) {
		ring->foreign = 0;
		look_at_restored(ring, rq);
	}
	if (unlikely(throttled_threads) && change > 0)
		look_at_throttled(ring, cpu);
	record = reserve_undisturbed(ring, sizeof(*record), KIND_NR_RUNNING);
	if (!record)
		return 0;
	record->cpu = cpu;
	record->delta = change;
	record->nr_running = GET(rq, nr_running);
	commit(record, bpf_ktime_get_ns(), KIND_NR_RUNNING);
	return 0;
}
