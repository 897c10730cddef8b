/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* The threads and CPUs as they stand when the recording begins; see seen.h for why no thread is in two places. */

struct thread_room {
	struct thread_record record;
	u64 masks[3 * MASK_WORDS_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct thread_room);
} scratch SEC(".maps");

#ifndef UNTYPED_POINTERS
/*
 * Run twice. Before recording is on: only make room for what will be seen of each thread, since an event that
 * interrupts the making of such room can make none itself. Then, with recording on: the rows.
 */
SEC("iter/task")
int each_thread(struct bpf_iter__task *ctx)
{
	struct task_struct *p = ctx->task;
	struct thread_room *room;
	struct seen *seen;
	void *cpuset;
	u32 zero = 0, size;
	u64 now;

	if (!p)
		return 0;
	room = bpf_map_lookup_elem(&scratch, &zero);
	/* The kernel drops a row that overflows its buffer, and shows the thread again: before it is claimed. */
	if (room && ctx->meta->seq->count + sizeof(*room) > ctx->meta->seq->size) {
		bpf_seq_write(ctx->meta->seq, room, sizeof(*room));
		return 0;
	}
	seen = seen_of(p, true);
	if (!ring_here())
		return 0;
	if (!room || !seen || __sync_val_compare_and_swap(&seen->phase, NEW, READING) != NEW)
		return 0;
	now = bpf_ktime_get_ns();
	note(p, seen);
	cpuset = cpuset_mask_of(seen->cgroups);
	put_thread(&room->record, p, seen, cpuset);
	size = sizeof(room->record) + masks_size(masks_of(seen->user, cpuset));
	if (size > sizeof(*room) || __sync_val_compare_and_swap(&seen->phase, READING, SEEN) != READING)
		return 0;
	if (seen->throttled)
		count_throttled(p, room->record.tid, room->record.cpu);
	room->record.word = (now - config.base_ns) << 8 | KIND_THREAD;
	bpf_seq_write(ctx->meta->seq, room, size);
	return 0;
}
#endif

/*
 * Run by user space on each CPU in turn (BPF_PROG_TEST_RUN with a CPU): the scheduler switches with interrupts off, so
 * that the thread which this interrupts is the one that the CPU runs, exactly between two switch records.
 */
SEC("raw_tp/")
int this_cpu(void *ctx)
{
	struct ring *ring = ring_here();
	struct cpu_snapshot_record *record;
	s32 tid = (s32)bpf_get_current_pid_tgid();

	if (!ring)
		return 0;
	record = reserve(ring, sizeof(*record), KIND_CPU_SNAPSHOT);
	if (!record)
		return 0;
	record->cpu = bpf_get_smp_processor_id();
	record->online = 1;
	record->current = tid;
	commit(record, bpf_ktime_get_ns(), KIND_CPU_SNAPSHOT);
	return 0;
}
