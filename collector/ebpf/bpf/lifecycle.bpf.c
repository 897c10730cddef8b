/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Forks, renames, execs and exits of threads; CPUs that go online and offline. */

SEC(TP "sched_process_fork")
int on_fork(u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	struct ring *ring = ring_here();
	struct fork_record *record;
	struct constraints *of_parent, *of_child = known_of(child, true);

	if (!ring)
		return 0;
	if (!READ_ONCE(ring->settled))
		check_constraints(ring, parent);
	if (of_child && !claim_first_record(child, of_child))
		return 0; /* the iterator wrote its thread record */
	record = reserve(ring, sizeof(*record), KIND_FORK);
	if (record) {
		record->parent_tid = GET(parent, pid);
		record->child_tid = GET(child, pid);
		record->child_tgid = GET(child, tgid);
		record->flags = flags_of(child);
		bpf_probe_read_kernel(record->comm, COMM_LEN, __builtin_preserve_access_index(&child->comm));
		commit(record, bpf_ktime_get_ns(), KIND_FORK);
	}
	if (!of_child)
		return 0;
	set_introduced(of_child);
	/* Readers take the parent's last recorded constraints for the child; record those that differ. */
	of_parent = known_of(parent, false);
	if (of_parent && is_known(of_parent)) {
		of_child->mask = of_parent->mask;
		of_child->cpus = of_parent->cpus;
		of_child->user = user_mask_of(parent, true) == of_parent->user ? user_mask_of(child, true) : ~0ULL;
		of_child->cgroups = of_parent->cgroups;
		of_child->cgroup_id = of_parent->cgroup_id;
		of_child->cookie = of_parent->cookie;
		of_child->migration_disabled = 0;
		of_child->throttled = 0;
	} else {
		of_child->cgroups = ~0ULL;
		of_child->cgroup_id = ~0ULL;
	}
	compare(ring, child, of_child, true);
	return 0;
}

SEC(TP "sched_process_exec")
int on_exec(u64 *ctx)
{
	struct task_struct *p = (void *)ctx[0];
	struct ring *ring = ring_here();
	struct exec_record *record;

	if (!ring)
		return 0;
	if (!READ_ONCE(ring->settled))
		check_constraints(ring, p);
	record = reserve(ring, sizeof(*record), KIND_EXEC);
	if (!record)
		return 0;
	record->tid = GET(p, pid);
	record->old_tid = ctx[1];
	record->tgid = GET(p, tgid);
	record->reserved = 0;
	commit(record, bpf_ktime_get_ns(), KIND_EXEC);
	return 0;
}

SEC(TP "sched_process_exit")
int on_exit(u64 *ctx)
{
	struct task_struct *p = (void *)ctx[0];
	struct ring *ring = ring_here();
	struct exit_record *record;

	if (!ring)
		return 0;
	if (!READ_ONCE(ring->settled))
		check_constraints(ring, p);
	record = reserve(ring, sizeof(*record), KIND_EXIT);
	if (!record)
		return 0;
	record->tid = GET(p, pid);
	record->reserved = 0;
	commit(record, bpf_ktime_get_ns(), KIND_EXIT);
	return 0;
}

SEC(TP "task_rename")
int on_rename(u64 *ctx)
{
	struct task_struct *p = (void *)ctx[0];
	struct ring *ring = ring_here();
	struct rename_record *record;

	if (!ring)
		return 0;
	if (!READ_ONCE(ring->settled))
		check_constraints(ring, p);
	record = reserve(ring, sizeof(*record), KIND_RENAME);
	if (!record)
		return 0;
	record->tid = GET(p, pid);
	record->tgid = GET(p, tgid);
	/* The reserved bytes may hold parts of an old record. */
	*(u64 *)record->comm = 0;
	*(u64 *)(record->comm + 8) = 0;
	bpf_probe_read_kernel_str(record->comm, COMM_LEN, (void *)ctx[1]);
	commit(record, bpf_ktime_get_ns(), KIND_RENAME);
	return 0;
}

static __always_inline int put_hotplug(u32 cpu, bool online)
{
	struct ring *ring = ring_here();
	struct hotplug_record *record;

	if (!ring)
		return 0;
	record = reserve(ring, sizeof(*record), KIND_HOTPLUG);
	if (!record)
		return 0;
	record->cpu = cpu;
	record->online = online;
	record->reserved = 0;
	commit(record, bpf_ktime_get_ns(), KIND_HOTPLUG);
	note_domains_built(ring);
	return 0;
}

/*
 * In the step CPUHP_AP_ACTIVE the scheduler starts to use a CPU (sched_cpu_activate), or stops to when the step starts
 * (sched_cpu_deactivate). Arguments: cpu, target, step.
 */
SEC(TP "cpuhp_enter")
int on_hotplug_begin(u64 *ctx)
{
	s32 active = enum_value(cpuhp_state, CPUHP_AP_ACTIVE);

	return (s32)ctx[2] == active && (s32)ctx[1] < active ? put_hotplug(ctx[0], false) : 0;
}

/* Arguments: cpu, state, step, result. On the way down the state is already below the step; a failed way down is
 * rolled back. */
SEC(TP "cpuhp_exit")
int on_hotplug_end(u64 *ctx)
{
	s32 active = enum_value(cpuhp_state, CPUHP_AP_ACTIVE), state = ctx[1], result = ctx[3];

	return (s32)ctx[2] == active && (state >= active) == !result ? put_hotplug(ctx[0], true) : 0;
}
