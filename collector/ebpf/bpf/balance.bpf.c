/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Load-balance attempts, where functions can be probed (fentry, fexit). load_balance became sched_balance_rq and
 * newidle_balance sched_balance_newidle in 6.10; the loader keeps the pair that the kernel has.
 */

#ifndef UNTYPED_POINTERS
enum { ATTEMPT_NEWIDLE, ATTEMPT_RQ };
#define IDLE_TYPE_NOT_IDLE 1
enum { SEARCHES_GROUPS = 1, SEARCHES_THREADS = 2 };
/* enum balance_search_result of the tables */
enum { SEARCH_NOT_MADE, SEARCH_NONE, SEARCH_FOUND, SEARCH_UNKNOWN };
/* Added to the result where the threads examined are recorded. */
#define WITH_THREADS 16
/* Of lb_env.flags: the attempt left a thread in the cache that it prefers (kernel/sched/fair.c of 7.2). */
#define LBF_LLC_PINNED 0x20
#define MIGRATE_LLC_TASK 4 /* enum migration_type */
/* Loads are read of domains of so few CPUs. Each of these costs the CPU that reads them so long a rest, of which it may
 * owe as much as for the largest domain: an attempt goes from the smallest domain to the largest without a pause. That
 * bounds what reading costs to a hundredth of one CPU. */
#define LOADS_MAX 128
#define LOAD_REST_NS 20000
#define LOAD_REST_OWED_NS (LOADS_MAX * LOAD_REST_NS)

static __always_inline int attempt_start(u32 which)
{
	struct ring *ring = ring_here();

	if (!ring)
		return 0;
	ring->balance_start[which] = bpf_ktime_get_ns();
	if (config.want_searches && which == ATTEMPT_RQ) {
		ring->search.result = READ_ONCE(ring->searches) & SEARCHES_GROUPS ? SEARCH_NOT_MADE : SEARCH_UNKNOWN;
		ring->search.src_cpu = -1;
		ring->search.examined = 0;
		ring->search.not_allowed = 0;
		ring->search.running = 0;
		ring->search.hot = 0;
		ring->search.preferred_llc = 0;
	}
	return 0;
}

enum { NEWIDLE_OVERLOADED = 1, NEWIDLE_PENDING = 2, NEWIDLE_DICE = 4, NEWIDLE_MS_SHIFT = 4, NEWIDLE_MS_MAX = 4095 };

static __always_inline int is_overloaded(struct rq *rq)
{
	struct root_domain *domain = READ(rq, rd);
	struct root_domain___from_6_10 *newer = (void *)domain;

	if (field_exists(struct root_domain___from_6_10, overloaded))
		return READ(newer, overloaded) != 0;
	return READ(domain, overload) != 0;
}

/* Keep the level of a domain whose attempts cost more than the CPU expects to idle; else the next larger domain. */
static __always_inline struct sched_domain *next_level(struct ring *ring, struct sched_domain *domain)
{
	if (!domain)
		return NULL;
	if (ring->newidle.avg_idle >= READ(domain, max_newidle_lb_cost))
		return READ(domain, parent);
	ring->newidle.level = READ(domain, level);
	return NULL;
}

static __noinline int note_newidle(struct ring *ring, u64 address)
{
	struct rq *rq = (void *)address;
	struct rq___ttwu_pending *waking = (void *)address;
	struct sched_domain *domain = READ(rq, sd);
	u16 flags = is_overloaded(rq) ? NEWIDLE_OVERLOADED : 0;

	if (field_exists(struct rq___ttwu_pending, ttwu_pending) && READ(waking, ttwu_pending))
		flags |= NEWIDLE_PENDING;
	if (field_exists(struct sched_domain___dice, newidle_ratio))
		flags |= NEWIDLE_DICE;
	ring->newidle.flags = flags;
	ring->newidle.avg_idle = READ(rq, avg_idle);
	ring->newidle.level = -1;
	/* No loop: the verifier of 6.1 refuses one whose head follows a call. */
	domain = next_level(ring, domain);
	domain = next_level(ring, domain);
	domain = next_level(ring, domain);
	domain = next_level(ring, domain);
	domain = next_level(ring, domain);
	domain = next_level(ring, domain);
	domain = next_level(ring, domain);
	next_level(ring, domain);
	return 0;
}

static __always_inline int record_newidle(struct ring *ring, struct rq *rq, u64 start)
{
	struct newidle_entry_record *record = reserve(ring, sizeof(*record), KIND_NEWIDLE_ENTRY);
	u32 until;

	if (!record)
		return 0;
	record->attempt = ring->attempts;
	record->level = ring->newidle.level;
	/* The function has made sure that it is a second at most. */
	until = until_balance(rq);
	record->flags = ring->newidle.flags | (until < NEWIDLE_MS_MAX ? until : NEWIDLE_MS_MAX) << NEWIDLE_MS_SHIFT;
	record->avg_idle_ns = ring->newidle.avg_idle;
	commit(record, start, KIND_NEWIDLE_ENTRY);
	return 0;
}

/* The attempt that is under way on this CPU over a domain, if one is. */
static __always_inline struct balance_search *search_here(void)
{
	struct ring *ring = ring_here();

	return ring && ring->balance_start[ATTEMPT_RQ] ? &ring->search : NULL;
}

/* cpu_util_cfs: what fair threads used, or what those of the queue are estimated to use. */
static __always_inline u32 use_of(struct sched_avg *avg)
{
	struct sched_avg___before_6_8 *older = (void *)avg;
	struct sched_avg___from_6_8 *newer = (void *)avg;
	u32 used = READ(avg, util_avg), estimated = 0;

	if (field_exists(struct sched_avg___from_6_8, util_est))
		estimated = READ(newer, util_est);
	else if (field_exists(struct sched_avg___before_6_8, util_est.enqueued))
		estimated = READ(older, util_est.enqueued);
	return estimated > used ? estimated : used;
}

/* Not static: the verifier looks at such a function once, not in each turn of the loop that calls it. Returns 1 when
 * the ring is full. */
__noinline int read_load(u32 cpu, u64 start)
{
	struct ring *ring = ring_here(), *of = ring_of(cpu);
	struct sched_avg___runnable *runnable;
	struct cpu_use_record *record;
	struct sched_avg *avg;
	struct rq *rq;

	rq = of ? (void *)READ_ONCE(of->queue) : NULL;
	if (!ring || !rq)
		return 0;
	record = reserve(ring, sizeof(*record), KIND_CPU_USE);
	if (!record)
		return 1;
	avg = (void *)__builtin_preserve_access_index(&rq->cfs.avg);
	runnable = (void *)avg;
	record->of_cpu = cpu;
	record->reserved = 0;
	record->attempt = ring->attempts;
	record->load = READ(avg, load_avg);
	record->nr_running = READ(rq, nr_running);
	record->util = use_of(avg);
	record->runnable = field_exists(struct sched_avg___runnable, runnable_avg) ? READ(runnable, runnable_avg) : -1;
	record->capacity = READ(rq, cpu_capacity);
	commit(record, start, KIND_CPU_USE);
	return 0;
}

static __noinline int record_loads(struct ring *ring, struct sched_domain *domain, u64 start)
{
	u32 weight = READ(domain, span_weight);
	u64 words[LOADS_MAX / 64] = {}, rested = ring->search.loads_after;

	if (weight > LOADS_MAX || rested > start + LOAD_REST_OWED_NS)
		return 0;
	ring->search.loads_after = (rested > start ? rested : start) + weight * LOAD_REST_NS;
	for (u32 i = 0; i < LOADS_MAX / 64 && i < config.mask_words; i++)
		bpf_probe_read_kernel(&words[i], 8, span_of(domain) + i * 8);
	for (u32 cpu = 0; cpu < LOADS_MAX; cpu++)
		if (words[cpu / 64] >> (cpu & 63) & 1 && read_load(cpu, start))
			break;
	return 0;
}

/* What an attempt found that moved no thread. Its records have the time of the attempt, and come after its own. */
static __always_inline int record_search(struct ring *ring, struct sched_domain *domain, u64 start, bool idle)
{
	struct balance_search_record *record;
	struct preferred_llc_record *left;

	if (idle && ring->search.result == SEARCH_NONE)
		record_loads(ring, domain, start);
	if (ring->search.preferred_llc) {
		left = reserve(ring, sizeof(*left), KIND_PREFERRED_LLC);
		if (!left)
			return 0;
		left->attempt = ring->attempts;
		left->src_cpu = ring->search.src_cpu;
		left->threads = ring->search.preferred_llc;
		commit(left, start, KIND_PREFERRED_LLC);
	}
	record = reserve(ring, sizeof(*record), KIND_BALANCE_SEARCH);
	if (!record)
		return 0;
	record->attempt = ring->attempts;
	record->src_cpu = ring->search.src_cpu;
	record->result = ring->search.result | (READ_ONCE(ring->searches) & SEARCHES_THREADS ? WITH_THREADS : 0);
	record->examined = ring->search.examined;
	record->not_allowed = ring->search.not_allowed;
	record->running = ring->search.running;
	record->hot = ring->search.hot;
	commit(record, start, KIND_BALANCE_SEARCH);
	return 0;
}

static __always_inline int attempt_end(u32 which, struct rq *rq, struct sched_domain *domain, u32 cpu, s16 level,
				       u16 idle_type, s32 pulled)
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
	if (config.want_searches && which == ATTEMPT_NEWIDLE && !pulled)
		return record_newidle(ring, rq, start);
	if (config.want_searches && READ_ONCE(ring->searches) && domain && !pulled)
		return record_search(ring, domain, start, idle_type != IDLE_TYPE_NOT_IDLE);
	return 0;
}

static __always_inline u16 idle_type_of(u64 type)
{
	return config.idle_types[type & 3];
}

#define ATTEMPT_PER_DOMAIN(name)                                                                               \
	SEC("fentry/" #name)                                                                                   \
	int enter_##name(u64 *ctx)                                                                             \
	{                                                                                                      \
		return attempt_start(ATTEMPT_RQ);                                                              \
	}                                                                                                      \
	SEC("fexit/" #name)                                                                                    \
	int exit_##name(u64 *ctx)                                                                              \
	{                                                                                                      \
		struct sched_domain *domain = (void *)ctx[2];                                                  \
                                                                                                               \
		return attempt_end(ATTEMPT_RQ, NULL, domain, ctx[0], GET(domain, level), idle_type_of(ctx[3]), \
				   ctx[5]);                                                                    \
	}

#define ATTEMPT_NEWIDLE_PROBES(name)                                                        \
	SEC("fentry/" #name)                                                                \
	int enter_##name(u64 *ctx)                                                          \
	{                                                                                   \
		struct ring *ring = ring_here();                                            \
                                                                                            \
		if (ring && config.want_searches)                                           \
			note_newidle(ring, ctx[0]);                                         \
		return attempt_start(ATTEMPT_NEWIDLE);                                      \
	}                                                                                   \
	SEC("fexit/" #name)                                                                 \
	int exit_##name(u64 *ctx)                                                           \
	{                                                                                   \
		struct rq *rq = (void *)ctx[0];                                             \
                                                                                            \
		return attempt_end(ATTEMPT_NEWIDLE, rq, NULL, GET(rq, cpu), -1, 2, ctx[2]); \
	}

ATTEMPT_PER_DOMAIN(sched_balance_rq)
ATTEMPT_PER_DOMAIN(load_balance)
ATTEMPT_NEWIDLE_PROBES(sched_balance_newidle)
ATTEMPT_NEWIDLE_PROBES(newidle_balance)

/* should_we_balance has let the attempt go on; of several searches in one attempt the last counts. */
#define GROUP_SEARCH(name)                                                    \
	SEC("fexit/" #name)                                                   \
	int exit_##name(u64 *ctx)                                             \
	{                                                                     \
		struct balance_search *search = search_here();                \
                                                                              \
		if (search)                                                   \
			search->result = ctx[1] ? SEARCH_FOUND : SEARCH_NONE; \
		return 0;                                                     \
	}

GROUP_SEARCH(sched_balance_find_src_group)
GROUP_SEARCH(find_busiest_group)

/* Cache-aware scheduling: the attempt looks for threads that prefer the CPU's cache, which says nothing of this one; or
 * it has left a thread in the cache that it prefers, and this one prefers the same. The flag stays set for the whole
 * attempt. */
static __always_inline bool left_for_llc(struct task_struct *p, struct lb_env *env, struct balance_search *search)
{
	struct task_struct___preferred_llc *q = (void *)p;
	s16 llc;

	if (!field_exists(struct task_struct___preferred_llc, preferred_llc))
		return false;
	if (GET(env, migration_type) == MIGRATE_LLC_TASK)
		return true;
	llc = READ(q, preferred_llc);
	if (llc < 0 || !(GET(env, flags) & LBF_LLC_PINNED))
		return false;
	if (!search->preferred_llc)
		search->llc = llc;
	else if (search->llc != llc)
		return false;
	search->preferred_llc++;
	return true;
}

SEC("fexit/can_migrate_task")
int exit_can_migrate_task(u64 *ctx)
{
	struct balance_search *search = search_here();
	struct task_struct *p = (void *)ctx[0];
	struct lb_env *env = (void *)ctx[1];
	struct rq *src, *destination;
	u64 word = 0;
	u32 dst;

	if (!search)
		return 0;
	search->src_cpu = GET(env, src_cpu);
	if (sleeps_queued(p))
		return 0; /* it sleeps, and waits for nothing */
	search->examined++;
	if ((u32)ctx[2])
		return 0;
	dst = GET(env, dst_cpu);
	bpf_probe_read_kernel(&word, sizeof(word), (void *)GET(p, cpus_ptr) + dst / 64 * 8);
	if (!(word >> (dst & 63) & 1)) {
		search->not_allowed++;
	} else if (READ(p, on_cpu)) {
		search->running++;
	} else if (throttled_of(p, true) || left_for_llc(p, env, search)) {
		return 0;
	} else {
		src = GET(env, src_rq);
		destination = GET(env, dst_rq);
		/* Eligibility is asked for where the CPU has threads: where it has none, no other reason is left. */
		if (config.hot_ns == ~0ULL || !GET(destination, nr_running) ||
		    (s64)(READ(src, clock_task) - READ(p, se.exec_start)) < (s64)config.hot_ns)
			search->hot++;
	}
	return 0;
}
#endif
