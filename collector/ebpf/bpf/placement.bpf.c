/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Placements of fair threads by wakeup, fork and exec, where functions can be probed: what select_task_rq_fair returned
 * and, if wanted, which CPUs it asked whether they are idle. It runs under the thread's pi_lock with interrupts off, so
 * that state per CPU between its entry and its return belongs to one placement.
 */

#ifndef UNTYPED_POINTERS
/*
 * WF_SYNC as later kernels number it; WF_EXEC, WF_FORK and WF_TTWU have the numbers that SD_BALANCE_* have in 5.9 and
 * 5.10.
 */
static __always_inline u32 wake_flags_before_5_11(u32 sd_flag, u32 wake_flags)
{
	return (sd_flag & 0xe) | (wake_flags & 1 ? 0x10 : 0);
}

SEC("fexit/select_task_rq_fair")
int exit_select_task_rq_fair(u64 *ctx)
{
	struct task_struct *p = (void *)ctx[0];
	u32 words = config.want_scans ? config.mask_words : 0;
	struct ring *ring = ring_here();
	struct cpus_scanned_record *record;

	if (!ring)
		return 0;
	if (config.want_scans) {
		if (!ring->in_placement)
			return 0; /* recording started inside it */
		ring->in_placement = 0;
	}
	record = reserve_undisturbed(ring, sizeof(*record) + 8 * words, KIND_CPUS_SCANNED);
	if (!record)
		return 0;
	record->tid = GET(p, pid);
	record->attempt = 0;
	record->words = words;
	record->prev_cpu = ctx[1];
	/* The verifier refuses an argument whose place depends on a value: the barriers keep the branches apart. */
	if (config.has_sd_flag) {
		record->wake_flags = wake_flags_before_5_11(ctx[2], ctx[3]);
		barrier();
		record->chosen_cpu = ctx[4];
	} else {
		record->wake_flags = ctx[2];
		record->chosen_cpu = ctx[3];
		barrier();
	}
	for (u32 i = 0; i < MASK_WORDS_MAX && i < words; i++)
		((u64 *)(record + 1))[i] = ring->scanned[i];
	commit(record, bpf_ktime_get_ns(), KIND_CPUS_SCANNED);
	return 0;
}

SEC("fentry/select_task_rq_fair")
int enter_select_task_rq_fair(u64 *ctx)
{
	struct ring *ring = ring_here();

	if (!ring)
		return 0;
	ring->in_placement = 1;
	for (u32 i = 0; i < MASK_WORDS_MAX && i < config.mask_words; i++)
		ring->scanned[i] = 0;
	return 0;
}

/* A function of its own, which fair.c calls, in 6.1 to 6.18; inlined in 7.2. */
SEC("fentry/available_idle_cpu")
int enter_available_idle_cpu(u64 *ctx)
{
	struct ring *ring = ring_here();
	u32 cpu = ctx[0];

	if (ring && ring->in_placement && cpu < 64 * config.mask_words)
		ring->scanned[(cpu / 64) & (MASK_WORDS_MAX - 1)] |= 1ULL << (cpu & 63);
	return 0;
}
#endif
