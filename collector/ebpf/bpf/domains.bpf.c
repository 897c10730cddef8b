/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Scheduling domains as the runqueues have them: read on one CPU when user space asks (BPF_PROG_TEST_RUN); and a
 * notice when they were built anew. kernel/sched/topology.c frees old ones by RCU, under which programs run.
 */

#define DOMAIN_LEVELS 12

struct domain_level {
	u64 min_interval_ms;
	u64 max_interval_ms;
	u64 newidle_cost_ns;
	u32 busy_factor;
	u32 imbalance_pct;
	u32 cache_nice_tries;
	u32 span_weight;
	u32 level; /* the number that attempts report */
	u32 reserved;
	char name[16];
	u64 span[MASK_WORDS_MAX];
};

/* Of the CPU that was asked for. `count` is UNREAD while nothing is known of it. */
struct domains_of_cpu {
	u32 count;
	u32 reserved;
	struct domain_level levels[DOMAIN_LEVELS];
};

#define UNREAD 0xffffffff

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct domains_of_cpu);
} domains SEC(".maps");

#define GROUPS_MAX 256

/* Of the domain at place `level` of the CPU that was asked for. `count` is UNREAD while nothing is known of them. */
struct groups_of_domain {
	u32 level;
	u32 count;
	u64 cpus[GROUPS_MAX][MASK_WORDS_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct groups_of_domain);
} groups SEC(".maps");

/* Of this CPU: whatever thread a program interrupts that is run on it belongs to its runqueue. */
static __always_inline struct rq *queue_here(void)
{
	struct task_struct *current = (void *)bpf_get_current_task();
	struct cfs_rq *queue = READ(current, se.cfs_rq);
	struct rq *rq = queue ? READ(queue, rq) : NULL;

	return rq && READ(rq, cpu) == bpf_get_smp_processor_id() ? rq : NULL;
}

SEC("raw_tp/")
int read_domains(void *ctx)
{
	u32 zero = 0, size = config.mask_words * 8;
	struct domains_of_cpu *out = bpf_map_lookup_elem(&domains, &zero);
	struct rq *rq = queue_here();
	struct sched_domain *sd;

	if (!out)
		return 0;
	out->count = UNREAD;
	if (!rq)
		return 0;
	sd = READ(rq, sd);
	for (u32 i = 0; i < DOMAIN_LEVELS; i++) {
		struct domain_level *level = &out->levels[i];

		if (!sd) {
			out->count = i;
			return 0;
		}
		level->min_interval_ms = READ(sd, min_interval);
		level->max_interval_ms = READ(sd, max_interval);
		level->newidle_cost_ns = READ(sd, max_newidle_lb_cost);
		level->busy_factor = READ(sd, busy_factor);
		level->imbalance_pct = READ(sd, imbalance_pct);
		level->cache_nice_tries = READ(sd, cache_nice_tries);
		level->level = READ(sd, level);
		level->span_weight = READ(sd, span_weight);
		level->name[0] = 0;
		if (field_exists(struct sched_domain, name))
			bpf_probe_read_kernel_str(level->name, sizeof(level->name), READ(sd, name));
		if (size <= sizeof(level->span))
			bpf_probe_read_kernel(level->span, size, span_of(sd));
		sd = READ(sd, parent);
	}
	return 0;
}

SEC("raw_tp/")
int read_groups(void *ctx)
{
	u32 zero = 0, size = config.mask_words * 8;
	struct groups_of_domain *out = bpf_map_lookup_elem(&groups, &zero);
	struct sched_group *first, *group;
	struct sched_domain *sd;
	struct rq *rq = queue_here();

	if (!out)
		return 0;
	out->count = UNREAD;
	sd = rq ? READ(rq, sd) : NULL;
	for (u32 i = 0; i < DOMAIN_LEVELS && sd && i < out->level; i++)
		sd = READ(sd, parent);
	if (!sd || size > sizeof(out->cpus[0]))
		return 0;
	group = first = READ(sd, groups);
	for (u32 i = 0; i < GROUPS_MAX && group; i++) {
		bpf_probe_read_kernel(out->cpus[i], size, cpus_of_group(group));
		group = READ(group, next);
		if (group == first) {
			out->count = i + 1;
			return 0;
		}
	}
	return 0;
}

#ifndef UNTYPED_POINTERS
static __always_inline int domains_built(void)
{
	struct ring *ring = ring_here();

	if (ring)
		note_domains_built(ring);
	return 0;
}

/* All ways to new domains end here: CPUs that go off or on, cpusets, a change of capacities. */
SEC("fexit/partition_sched_domains")
int exit_partition_sched_domains(u64 *ctx)
{
	return domains_built();
}

SEC("fexit/partition_sched_domains_locked")
int exit_partition_sched_domains_locked(u64 *ctx)
{
	return domains_built();
}
#endif
