/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Kernel stacks, and their records. */
#ifndef WASTENOT_STACKS_H
#define WASTENOT_STACKS_H

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 8 * 24); /* the innermost frames identify the path; each frame costs unwinding time */
} stacks SEC(".maps");

/* The kernel stack of the event that was just written, with its time. */
static __always_inline void put_stack(void *ctx, struct ring *ring, s32 tid, u32 of, u64 now)
{
	s32 stack = bpf_get_stackid(ctx, &stacks, 0);
	struct event_stack_record *record;

	if (stack < 0)
		return;
	record = reserve(ring, sizeof(*record), KIND_EVENT_STACK);
	if (!record)
		return;
	record->tid = tid;
	record->stack_id = stack;
	record->of = of;
	record->reserved = 0;
	commit(record, now, KIND_EVENT_STACK);
}

#endif
