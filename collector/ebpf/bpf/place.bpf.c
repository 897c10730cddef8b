/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Placements of fair threads by wakeup, fork and exec, where functions can be probed: what select_task_rq_fair returned
 * and, if wanted, which CPUs it asked whether they idle. It runs under the thread's pi_lock with interrupts off, so
 * what is noted per CPU between its entry and its return is its own.
 */

#ifndef UNTYPED_POINTERS
SEC("fexit/select_task_rq_fair")
int exit_select_task_rq_fair(u64 *ctx)
{
	struct task_struct *p = (void *)ctx[0];
	u32 words = config.want_looks ? config.mask_words : 0;
	struct ring *ring = ring_here();
	struct considered_record *record;

	if (!ring)
		return 0;
	if (config.want_looks) {
		if (!ring->placing)
			return 0; /* recording began inside it */
		ring->placing = 0;
	}
	record = reserve_undisturbed(ring, sizeof(*record) + 8 * words, KIND_CONSIDERED);
	if (!record)
		return 0;
	record->tid = GET(p, pid);
	record->attempt = 0;
	record->chosen_cpu = ctx[3];
	record->words = words;
	record->prev_cpu = ctx[1];
	record->wake_flags = ctx[2];
	for (u32 i = 0; i < MASK_WORDS_MAX && i < words; i++)
		((u64 *)(record + 1))[i] = ring->looked[i];
	commit(record, bpf_ktime_get_ns(), KIND_CONSIDERED);
	return 0;
}

SEC("fentry/select_task_rq_fair")
int enter_select_task_rq_fair(u64 *ctx)
{
	struct ring *ring = ring_here();

	if (!ring)
		return 0;
	ring->placing = 1;
	for (u32 i = 0; i < MASK_WORDS_MAX && i < config.mask_words; i++)
		ring->looked[i] = 0;
	return 0;
}

/* A function of its own, which fair.c calls, in 6.1 to 6.18; inlined in 7.2. */
SEC("fentry/available_idle_cpu")
int enter_available_idle_cpu(u64 *ctx)
{
	struct ring *ring = ring_here();
	u32 cpu = ctx[0];

	if (ring && ring->placing && cpu < 64 * config.mask_words)
		ring->looked[(cpu / 64) & (MASK_WORDS_MAX - 1)] |= 1ULL << (cpu & 63);
	return 0;
}
#endif
