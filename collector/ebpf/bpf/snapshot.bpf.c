/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Threads and CPUs at the start of the recording; constraints.h says why each thread has one record. */

struct thread_buffer {
	struct thread_record record;
	u64 masks[3 * MASK_WORDS_MAX];
	struct deadline_record deadline; /* written behind the thread's record */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct thread_buffer);
} scratch SEC(".maps");

#ifndef UNTYPED_POINTERS
/* The iterator claims a thread that has no record yet; returns the phase to publish it with, 0: not to be claimed. */
static __always_inline u32 claim_for_iterator(struct constraints *known)
{
	u32 before = NEW, phase = KNOWN_PHASE;

#ifdef WITHOUT_FETCH
	return READ_ONCE(known->phase) == before ? phase : 0;
#else
#ifdef EPOCHS
	before = READ_ONCE(known->phase);
	if (before >= phase - KNOWN + READING)
		return 0;
#endif
	return __sync_val_compare_and_swap(&known->phase, before, phase - KNOWN + READING) == before ? phase : 0;
#endif
}

/* Whether no event about the thread came between, so that the record may be written. */
static __always_inline bool publish_for_iterator(struct task_struct *p, struct constraints *known, u32 phase)
{
#ifdef WITHOUT_FETCH
	return claim_by_map(p, known);
#else
	u32 reading = phase - KNOWN + READING;

	return __sync_val_compare_and_swap(&known->phase, reading, phase) == reading;
#endif
}

/*
 * Runs twice. Before recording is on it only allocates each thread's storage, because an event that interrupts such an
 * allocation cannot allocate. With recording on it writes the records.
 */
SEC("iter/task")
int each_thread(struct bpf_iter__task *ctx)
{
	struct task_struct *p = ctx->task;
	struct thread_buffer *buffer;
	struct constraints *known;
	void *cpuset;
	u32 zero = 0, size, phase;
	struct ring *ring;
	bool first;
	u64 now;

	if (!p)
		return 0;
	buffer = bpf_map_lookup_elem(&scratch, &zero);
	/* A row that overflows the buffer is dropped and the thread visited again: test that before claiming it. */
	if (buffer && ctx->meta->seq->count + sizeof(*buffer) > ctx->meta->seq->size) {
		bpf_seq_write(ctx->meta->seq, buffer, sizeof(*buffer));
		return 0;
	}
	known = known_of(p, true);
	ring = ring_here();
	if (!ring || !buffer || !known)
		return 0;
	phase = claim_for_iterator(known);
	if (!phase)
		return 0;
	now = bpf_ktime_get_ns();
	first = store_for_record(ring, p, known);
	cpuset = cpuset_mask_of(known->cgroups);
	put_thread(&buffer->record, p, known, cpuset, false);
	size = sizeof(buffer->record) + masks_size(masks_of(known->user, cpuset));
	if (size > sizeof(buffer->record) + sizeof(buffer->masks) || !publish_for_iterator(p, known, phase))
		return 0;
	set_introduced(known);
	if (known->throttled && first)
		count_throttled(p, buffer->record.tid, buffer->record.cpu);
	buffer->record.word = (now - config.base_ns) << 8 | KIND_THREAD;
	bpf_seq_write(ctx->meta->seq, buffer, size);
	if (unlikely(has_deadline(p))) {
		fill_deadline(&buffer->deadline, p);
		buffer->deadline.clock = 0; /* that of a queue where nothing happens is old */
		buffer->deadline.word = (now - config.base_ns) << 8 | KIND_DEADLINE;
		bpf_seq_write(ctx->meta->seq, &buffer->deadline, sizeof(buffer->deadline));
	}
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
