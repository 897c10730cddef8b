/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * The last recorded constraints of each thread. They are compared at wakeups, at switches that leave the thread
 * runnable, and when a queued thread is dequeued and enqueued again (see nr_running in switch.bpf.c). A switch-out to
 * sleep compares nothing: constraints of a sleeping thread excuse no idle CPU.
 *
 * First record of a thread. Each thread has exactly one thread record (or fork record), earlier than all its other
 * records: from the iterator, or from the first event about it. The iterator claims the thread (NEW -> READING), takes
 * the time, reads, and publishes only if no event came between (READING -> KNOWN). An event checks the phase *before*
 * it takes its own time; unless it is KNOWN the event writes the thread record, and the iterator drops its own.
 */
#ifndef WASTENOT_CONSTRAINTS_H
#define WASTENOT_CONSTRAINTS_H

enum { NEW, READING, KNOWN, PHASES };

#ifdef EPOCHS
/*
 * A black box begins at an epoch. In each, every thread has a thread record again, by the same protocol: user space
 * raises the phase that means KNOWN, and what is lower is not known in this epoch. A thread that was introduced before
 * has its changes recorded before its record, so that a box that begins in an earlier epoch lacks none of them.
 */
volatile u32 known_phase SEC(".data.epoch") = KNOWN;
#define KNOWN_PHASE known_phase
#else
#define KNOWN_PHASE KNOWN
#endif

struct constraints {
	u32 phase;
	u16 migration_disabled;
	u16 throttled;
	u64 mask;    /* the only word, or a hash of all */
	u64 user;    /* pointer */
	u64 cgroups; /* pointer to the css_set */
	u64 cookie;
	u32 cpus;
	u32 introduced; /* in any epoch */
	u64 cgroup_id;
	u64 throttled_ns;
	u64 start_time; /* of the thread, where they are kept by number: numbers are used again */
};

static __always_inline bool is_known(struct constraints *known)
{
#ifdef EPOCHS
	return READ_ONCE(known->phase) >= KNOWN_PHASE;
#else
	return READ_ONCE(known->phase) == KNOWN;
#endif
}

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct constraints);
} known_by_task SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, s32);
	__type(value, struct constraints);
} known_by_tid SEC(".maps");

/* Number of threads known to be throttled. */
u64 throttled_threads = 0;

static __always_inline struct constraints *known_of(struct task_struct *p, bool create)
{
#ifndef UNTYPED_POINTERS
	if (!config.use_hash)
		return bpf_task_storage_get(&known_by_task, p, NULL, create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
#endif
	s32 tid = GET(p, pid);
	struct constraints *known = bpf_map_lookup_elem(&known_by_tid, &tid);
	u64 start_time = GET(p, start_time);
	bool of_another = known && known->start_time != start_time;

	if ((!known || of_another) && create) {
		struct constraints fresh = {.start_time = start_time};

		if (of_another && known->throttled)
			__sync_fetch_and_add(&throttled_threads, -1);
		bpf_map_update_elem(&known_by_tid, &tid, &fresh, of_another ? BPF_ANY : BPF_NOEXIST);
		return bpf_map_lookup_elem(&known_by_tid, &tid);
	}
	return of_another ? NULL : known;
}

static __always_inline u64 user_mask_of(struct task_struct *p, bool typed)
{
	struct task_struct___from_6_2 *q = (void *)p;

	return field_exists(struct task_struct___from_6_2, user_cpus_ptr) ? (u64)FIELD(q, user_cpus_ptr) : 0;
}

/*
 * How often tracing itself disables migration of the current thread while a program runs: 0, or 1 on kernels whose
 * tracepoints are preemptible (7.0 and later with PREEMPT_RCU: rcu_read_lock_dont_migrate). The minimum
 * over all switches: threads that disable migration themselves are rare, so a few switches are enough.
 */
u32 disabled_by_tracing = 0xffff;

static __always_inline void learn_disabled_by_tracing(struct task_struct *prev)
{
	struct task_struct___from_5_10 *q = (void *)prev;
	u32 count;

	if (!field_exists(struct task_struct___from_5_10, migration_disabled))
		return;
	count = GET(q, migration_disabled);
	if (unlikely(count < READ_ONCE(disabled_by_tracing)))
		WRITE_ONCE(disabled_by_tracing, count);
}

static __always_inline u16 migration_disabled_of(struct task_struct *p, bool typed)
{
	struct task_struct___from_5_10 *q = (void *)p;
	u32 count;

	if (!field_exists(struct task_struct___from_5_10, migration_disabled))
		return 0;
	count = FIELD(q, migration_disabled);
	if (likely(!count))
		return 0;
	return (u64)p != bpf_get_current_task() || count > READ_ONCE(disabled_by_tracing);
}

static __always_inline u64 cookie_of(struct task_struct *p, bool typed)
{
	struct task_struct___core_sched *q = (void *)p;

	return field_exists(struct task_struct___core_sched, core_cookie) ? FIELD(q, core_cookie) : 0;
}

/* task_struct.throttled from 6.18 on; before, the thread's group on its CPU, or one above it, is throttled. */
static __always_inline u16 throttled_of(struct task_struct *p, bool typed)
{
	struct task_struct___from_6_18 *q = (void *)p;

	if (field_exists(struct task_struct___from_6_18, throttled))
		return FIELD(q, throttled);
	if (field_exists(struct sched_entity, cfs_rq) && field_exists(struct cfs_rq, throttle_count)) {
		struct cfs_rq *queue = FIELD(p, se.cfs_rq);

		return queue && READ(queue, throttle_count) > 0;
	}
	return 0;
}

static __always_inline u32 cpu_of(struct task_struct *p, bool typed)
{
	struct task_struct___cpu_in_task *q = (void *)p;

	if (field_exists(struct thread_info, cpu))
		return FIELD(p, thread_info.cpu);
	return READ(q, cpu);
}

static __noinline u64 hash_mask(struct task_struct *p)
{
	u64 hash = 0, words[8];

	for (u32 at = 0; at < MASK_WORDS_MAX && at < config.mask_words; at += 8) {
		bpf_probe_read_kernel(words, sizeof(words),
				      (void *)__builtin_preserve_access_index(&p->cpus_mask.bits) + at * 8);
		for (u32 i = 0; i < 8; i++)
			if (at + i < config.mask_words)
				hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ULL;
	}
	return hash;
}

static __always_inline u64 mask_of(struct task_struct *p, bool typed)
{
	return likely(config.mask_words == 1) ? FIELD(p, cpus_mask.bits[0]) : hash_mask(p);
}

static __always_inline void *css_of(u64 cgroups, u32 subsys)
{
	void *css = NULL;

	bpf_probe_read_kernel(&css, sizeof(css),
			      (void *)__builtin_preserve_access_index(&((struct css_set *)cgroups)->subsys) +
				      subsys * 8);
	return css;
}

/* kernfs number of the cgroup that holds the thread's CPU time; 0 unknown. */
static __always_inline u64 cgroup_id_of(u64 cgroups)
{
	struct cgroup_subsys_state *css = css_of(cgroups, enum_value(cgroup_subsys_id, cpu_cgrp_id));
	struct cgroup *cgroup = css ? READ(css, cgroup) : NULL;
	struct kernfs_node *node = cgroup ? READ(cgroup, kn) : NULL;

	return node ? READ(node, id) : 0;
}

/* Address of the effective CPUs of the thread's cpuset, or NULL. */
static __always_inline void *cpuset_mask_of(u64 cgroups)
{
	void *cpuset = css_of(cgroups, enum_value(cgroup_subsys_id, cpuset_cgrp_id));

	if (!cpuset)
		return NULL;
	if (field_exists(struct cpuset___array, effective_cpus))
		return __builtin_preserve_access_index(&((struct cpuset___array *)cpuset)->effective_cpus);
	if (field_exists(struct cpuset___pointer, effective_cpus))
		return READ((struct cpuset___pointer *)cpuset, effective_cpus);
	return NULL;
}

static __always_inline void store_constraints(struct task_struct *p, struct constraints *known)
{
	known->mask = mask_of(p, false);
	known->cpus = READ(p, nr_cpus_allowed);
	known->user = user_mask_of(p, false);
	known->cgroups = (u64)READ(p, cgroups);
	known->migration_disabled = migration_disabled_of(p, false);
	known->cookie = cookie_of(p, false);
	known->throttled = throttled_of(p, false);
	known->cgroup_id = cgroup_id_of(known->cgroups);
}

static __always_inline u32 masks_of(u64 user, void *cpuset)
{
	return 1 | (user ? 2 : 0) | (cpuset ? 4 : 0);
}

static __always_inline u32 masks_size(u32 masks)
{
	return config.mask_words * 8 * (1 + (masks >> 1 & 1) + (masks >> 2 & 1));
}

/* Copy the masks behind a record's fixed part, where masks_size() bytes are reserved. */
static __always_inline void put_masks(void *at, struct task_struct *p, u64 user, void *cpuset)
{
	u32 bytes = config.mask_words * 8;

	if (bytes > MASK_WORDS_MAX * 8)
		return;
	bpf_probe_read_kernel(at, bytes, __builtin_preserve_access_index(&p->cpus_mask.bits));
	at += bytes;
	if (user) {
		bpf_probe_read_kernel(at, bytes, (void *)user);
		at += bytes;
	}
	if (cpuset)
		bpf_probe_read_kernel(at, bytes, cpuset);
}

static __always_inline u32 flags_of(struct task_struct *p)
{
	u32 pf = GET(p, flags), flags = 0;

	if (pf & PF_KTHREAD) {
		flags |= FLAG_KERNEL;
		if (pf & PF_NO_SETAFFINITY && GET(p, nr_cpus_allowed) == 1)
			flags |= FLAG_PER_CPU;
	}
	return flags;
}

/* The effective policy: a sched_ext scheduler that takes all threads runs those of the fair policies as well. */
static __always_inline u32 policy_of(struct task_struct *p)
{
	u32 policy = GET(p, policy);

	if (!config.all_ext || policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE)
		return policy;
	return SCHED_EXT;
}

static __always_inline u32 raw_state_of(struct task_struct *p)
{
	struct task_struct___before_5_14 *q = (void *)p;

	return field_exists(struct task_struct, __state) ? GET(p, __state) : (u32)GET(q, state);
}

/*
 * Where a thread is; with `woken`, where it was before the wakeup that is reported now: the event comes after the
 * enqueueing. (Seldom it was preempted on its way to sleep and is queued all the time; nothing shows that any more.) A
 * thread that sleeps may be on its queue still.
 */
static __always_inline u32 place_of(struct task_struct *p, bool woken)
{
	if (GET(p, on_cpu))
		return QUEUE_RUNNING;
	if (woken || !GET(p, on_rq) || sleeps_queued(p))
		return QUEUE_OFF;
	return QUEUE_QUEUED;
}

/* All of a thread record but its first word. `known` holds the thread's constraints; `woken` as for place_of(). */
static __always_inline void put_thread(struct thread_record *record, struct task_struct *p, struct constraints *known,
				       void *cpuset, bool woken)
{
	struct task_struct *parent = READ(p, real_parent);

	record->tid = GET(p, pid);
	record->tgid = GET(p, tgid);
	record->ppid = parent ? READ(parent, tgid) : 0;
	record->queue = place_of(p, woken);
	record->state = raw_state_of(p) | GET(p, exit_state);
	if (woken && record->queue == QUEUE_OFF)
		record->state = TASK_INTERRUPTIBLE; /* which sleep it was is not known any more */
	record->cgroup_id = known->cgroup_id;
	record->cookie = known->cookie;
	record->cpu = cpu_of(p, true);
	record->prio = GET(p, prio);
	record->words = config.mask_words;
	record->policy = policy_of(p);
	record->flags = flags_of(p) | (known->migration_disabled ? FLAG_MIGRATION_DISABLED : 0) |
			(known->throttled ? FLAG_THROTTLED : 0);
	record->masks = masks_of(known->user, cpuset);
	bpf_probe_read_kernel(record->comm, COMM_LEN, __builtin_preserve_access_index(&p->comm));
	put_masks(record + 1, p, known->user, cpuset);
}

/* List a throttled thread at its CPU, to check it when the CPU's queue grows. */
static __always_inline void remember_throttled(struct ring *ring, struct task_struct *p, s32 tid)
{
	for (int i = 0; i < THROTTLED_SLOTS; i++) {
		if (ring->throttled[i].task)
			continue;
		ring->throttled[i].tid = tid;
		ring->throttled[i].task = (u64)p;
		return;
	}
}

/* Count a throttled thread and list it at its CPU. */
static __always_inline void count_throttled(struct task_struct *p, s32 tid, u32 cpu)
{
	struct ring *there = ring_of(cpu);

	__sync_fetch_and_add(&throttled_threads, 1);
	if (there)
		remember_throttled(there, p, tid);
}

#ifdef WITHOUT_FETCH
/*
 * Where eBPF has no atomic operation that returns a value (before Linux 5.12), adding to a map decides whose a thread's
 * record is. The iterator adds as it publishes: an event that adds before then has come between.
 */
struct thread_key {
	u64 start_time;
	u64 tid;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct thread_key);
	__type(value, u8);
} introduced_threads SEC(".maps");

static __always_inline bool claim_by_map(struct task_struct *p, struct constraints *known)
{
	struct thread_key thread = {.start_time = known->start_time, .tid = GET(p, pid)};
	u8 one = 1;

	long added = bpf_map_update_elem(&introduced_threads, &thread, &one, BPF_NOEXIST);

	/* Also where another CPU has: what is known of the thread may have been dropped since (LRU). */
	WRITE_ONCE(known->phase, KNOWN);
	return added != -EEXIST;
}
#endif

#ifdef EPOCHS
static __noinline int write_changes(struct ring *ring, struct task_struct *p, struct constraints *known, bool exact);
#endif

/* Claim a thread's record for the caller; false where another CPU has. */
static __always_inline bool claim_first_record(struct task_struct *p, struct constraints *known)
{
#if defined(WITHOUT_FETCH)
	return claim_by_map(p, known);
#elif defined(EPOCHS)
	/* Only the iterator and one other CPU come between. */
	for (int i = 0; i < 4; i++) {
		u32 before = READ_ONCE(known->phase), phase = KNOWN_PHASE;

		if (before >= phase)
			return false;
		if (__sync_val_compare_and_swap(&known->phase, before, phase) == before)
			return true;
	}
	return false;
#else
	return __sync_lock_test_and_set(&known->phase, KNOWN) != KNOWN;
#endif
}

/* Store a thread's constraints for its record. Returns whether it is the first one of any epoch. */
static __always_inline bool store_for_record(struct ring *ring, struct task_struct *p, struct constraints *known)
{
#ifdef EPOCHS
	if (known->introduced) {
		write_changes(ring, p, known, false);
		return false;
	}
#endif
	store_constraints(p, known);
	return true;
}

static __always_inline void set_introduced(struct constraints *known)
{
#ifdef EPOCHS
	known->introduced = 1;
#endif
}

/* The first event of a thread that has no record yet; `woken`: it is a wakeup. */
static __noinline int write_first_record(struct ring *ring, struct task_struct *p, struct constraints *known,
					 bool woken)
{
	struct thread_record *record;
	void *cpuset;
	bool first;
	u32 size;

	if (!claim_first_record(p, known))
		return 0;
	first = store_for_record(ring, p, known);
	set_introduced(known);
	cpuset = cpuset_mask_of(known->cgroups);
	size = sizeof(*record) + masks_size(masks_of(known->user, cpuset));
	record = reserve(ring, size, KIND_THREAD);
	if (!record)
		return 0;
	put_thread(record, p, known, cpuset, woken);
	if (known->throttled && first)
		count_throttled(p, record->tid, record->cpu);
	commit(record, bpf_ktime_get_ns(), KIND_THREAD);
	return 0;
}

static __always_inline void put_value(struct ring *ring, u32 kind, s32 tid, u64 value, u64 now)
{
	struct value_record *record = reserve(ring, sizeof(*record), kind);

	if (record) {
		record->tid = tid;
		record->reserved = 0;
		record->value = value;
		commit(record, now, kind);
	}
}

static __always_inline void put_throttle(struct ring *ring, s32 tid, u32 cpu, bool throttled, u64 error_ns, u64 now)
{
	struct throttle_record *record = reserve(ring, sizeof(*record), KIND_THROTTLE);

	if (record) {
		record->tid = tid;
		record->cpu = cpu;
		record->throttled = throttled;
		record->error_ns = error_ns;
		commit(record, now, KIND_THROTTLE);
	}
}

/* Record each constraint that differs from the last recorded one. `p` may be untyped. `exact`: it changed just now. */
static __noinline int write_changes(struct ring *ring, struct task_struct *p, struct constraints *known, bool exact)
{
	u64 now = bpf_ktime_get_ns(), cgroups = (u64)READ(p, cgroups), user = user_mask_of(p, false),
	    mask = mask_of(p, false);
	u64 cookie = cookie_of(p, false);
	u16 disabled = migration_disabled_of(p, false), throttled = throttled_of(p, false);
	u32 cpus = READ(p, nr_cpus_allowed);
	s32 tid = READ(p, pid);

	if (cgroups != known->cgroups) {
		u64 id = cgroup_id_of(cgroups);

		if (id != known->cgroup_id)
			put_value(ring, KIND_CGROUP, tid, id, now);
		known->cgroup_id = id;
	}
	if (mask != known->mask || cpus != known->cpus || user != known->user || cgroups != known->cgroups) {
		void *cpuset = cpuset_mask_of(cgroups);
		u32 masks = masks_of(user, cpuset);
		struct affinity_record *record = reserve(ring, sizeof(*record) + masks_size(masks), KIND_AFFINITY);

		if (record) {
			record->tid = tid;
			record->words = config.mask_words;
			record->masks = masks;
			put_masks(record + 1, p, user, cpuset);
			commit(record, now, KIND_AFFINITY);
		}
		known->mask = mask;
		known->cpus = cpus;
		known->user = user;
		known->cgroups = cgroups;
	}
	if (disabled != known->migration_disabled) {
		struct migration_disable_record *record = reserve(ring, sizeof(*record), KIND_MIGRATION_DISABLE);

		known->migration_disabled = disabled;
		if (record) {
			record->tid = tid;
			record->disabled = disabled;
			commit(record, now, KIND_MIGRATION_DISABLE);
		}
	}
	if (cookie != known->cookie) {
		known->cookie = cookie;
		put_value(ring, KIND_COOKIE, tid, cookie, now);
	}
	if (throttled != known->throttled) {
		put_throttle(ring, tid, cpu_of(p, false), throttled, throttled || exact ? 0 : now - known->throttled_ns,
			     now);
		known->throttled = throttled;
		known->throttled_ns = now;
		if (throttled) {
			count_throttled(p, tid, cpu_of(p, false));
			ring->group_throttled = 1;
		} else {
			__sync_fetch_and_add(&throttled_threads, -1);
		}
	}
	return 0;
}

static __always_inline void compare(struct ring *ring, struct task_struct *p, struct constraints *known, bool exact)
{
	/* Pointers may only be compared, not xor-ed: the barriers keep the compiler from doing that. */
	if (unlikely(mask_of(p, true) != known->mask))
		goto differs;
	barrier();
	if (unlikely((u64)GET(p, cgroups) != known->cgroups))
		goto differs;
	barrier();
	if (unlikely(user_mask_of(p, true) != known->user))
		goto differs;
	barrier();
	if (likely(cookie_of(p, true) == known->cookie && (u32)GET(p, nr_cpus_allowed) == known->cpus &&
		   migration_disabled_of(p, true) == known->migration_disabled &&
		   throttled_of(p, true) == known->throttled))
		return;
differs:
	write_changes(ring, p, known, exact);
}

/* Record a thread's changed constraints before the time of an event about it is taken; `woken`: it is a wakeup. */
static __always_inline void check_before_event(struct ring *ring, struct task_struct *p, bool woken)
{
	struct constraints *known = known_of(p, true);

	if (!known)
		return;
	if (likely(is_known(known)))
		compare(ring, p, known, false);
	else
		write_first_record(ring, p, known, woken);
}

static __always_inline void check_constraints(struct ring *ring, struct task_struct *p)
{
	check_before_event(ring, p, false);
}

#endif
