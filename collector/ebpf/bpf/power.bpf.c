/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Idle states and frequencies of CPUs, where they are asked for. */

#define POWER_IDLE_STATE 0
#define POWER_FREQUENCY 1

static __always_inline int put_power(u32 what, u64 value, u64 cpu)
{
	struct ring *ring = ring_here();
	struct cpu_power_record *record;

	if (!ring)
		return 0;
	record = reserve(ring, sizeof(*record), KIND_CPU_POWER);
	if (!record)
		return 0;
	record->value = value;
	record->cpu = cpu;
	record->what = what;
	commit(record, bpf_ktime_get_ns(), KIND_CPU_POWER);
	return 0;
}

/* Arguments: state, or POWER_EXIT (-1) as the CPU leaves it; CPU. include/trace/events/power.h */
SEC(TP "cpu_idle")
int on_cpu_idle(u64 *ctx)
{
	return put_power(POWER_IDLE_STATE, ctx[0], ctx[1]);
}

/* Arguments: frequency, kHz; CPU. The kernel writes it where it asked for another one, which may be on another CPU. */
SEC(TP "cpu_frequency")
int on_cpu_frequency(u64 *ctx)
{
	return put_power(POWER_FREQUENCY, ctx[0], ctx[1]);
}
