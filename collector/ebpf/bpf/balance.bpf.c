/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Load-balance attempts, where functions can be probed (fentry, fexit). load_balance became sched_balance_rq and
 * newidle_balance sched_balance_newidle in 6.10; the loader keeps the pair that the kernel has.
 */

#ifndef UNTYPED_POINTERS
enum { ATTEMPT_NEWIDLE, ATTEMPT_RQ };

static __always_inline int attempt_start(u32 which)
{
	struct ring *ring = ring_here();

	if (ring)
		ring->balance_start[which] = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int attempt_end(u32 which, u32 cpu, s16 level, u16 idle_type, s32 pulled)
{
	struct ring *ring = ring_here();
	struct balance_record *record;
	u64 start;

	if (!ring || !ring->balance_start[which])
		return 0;
	start = ring->balance_start[which];
	ring->balance_start[which] = 0;
	record = reserve(ring, sizeof(*record), KIND_BALANCE);
	if (!record)
		return 0;
	record->dur_ns = bpf_ktime_get_ns() - start;
	record->dst_cpu = cpu;
	record->level = level;
	record->idle_type = idle_type;
	record->function = which;
	record->pulled = pulled;
	record->attempt = ++ring->attempts;
	commit(record, start, KIND_BALANCE);
	return 0;
}

static __always_inline u16 idle_type_of(u64 type)
{
	return config.idle_types[type & 3];
}

#define ATTEMPT_PER_DOMAIN(name)                                                                          \
	SEC("fentry/" #name)                                                                              \
	int enter_##name(u64 *ctx)                                                                        \
	{                                                                                                 \
		return attempt_start(ATTEMPT_RQ);                                                         \
	}                                                                                                 \
	SEC("fexit/" #name)                                                                               \
	int exit_##name(u64 *ctx)                                                                         \
	{                                                                                                 \
		struct sched_domain *domain = (void *)ctx[2];                                             \
                                                                                                          \
		return attempt_end(ATTEMPT_RQ, ctx[0], GET(domain, level), idle_type_of(ctx[3]), ctx[5]); \
	}

#define ATTEMPT_NEWIDLE_PROBES(name)                                              \
	SEC("fentry/" #name)                                                      \
	int enter_##name(u64 *ctx)                                                \
	{                                                                         \
		return attempt_start(ATTEMPT_NEWIDLE);                            \
	}                                                                         \
	SEC("fexit/" #name)                                                       \
	int exit_##name(u64 *ctx)                                                 \
	{                                                                         \
		struct rq *rq = (void *)ctx[0];                                   \
                                                                                  \
		return attempt_end(ATTEMPT_NEWIDLE, GET(rq, cpu), -1, 2, ctx[2]); \
	}

ATTEMPT_PER_DOMAIN(sched_balance_rq)
ATTEMPT_PER_DOMAIN(load_balance)
ATTEMPT_NEWIDLE_PROBES(sched_balance_newidle)
ATTEMPT_NEWIDLE_PROBES(newidle_balance)
#endif
