/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * The interrupt programs of the black box, compiled for this machine: drawn interrupt work on an idle CPU must be covered by
 * the records exactly, gaps of up to IRQ_GAP_NS included, where an interval has IRQ_MIN_NS or more.
 */
#include "host.h"

#undef enum_value
#define __builtin_preserve_enum_value(value, kind) 0
#define EPOCHS
#include "../../bpf/kernel.h"
#include "../../bpf/records.h"
#include "../../bpf/ring.h"
#include "../../bpf/constraints.h"
#include "../../bpf/stacks.h"
#define TP "tp_btf/"
#include "../../bpf/irq.bpf.c"
#include "host_helpers.h"

#define US 1000ULL

static struct {
	struct ring ring;
	char space[1 << 20];
} memory __attribute__((aligned(4096)));

static void *lookup(void *map, const void *key)
{
	return &memory.ring;
}

static u32 this_cpu(void)
{
	return 0;
}

static u64 swapper(void)
{
	return 0;
}

static void start(void)
{
	memset(&memory, 0, sizeof(memory));
	memory.ring.tail = 1ULL << 62;
	memory.ring.on = 1;
	clock_ns = 1000 * US;
}

/* Work of a softirq after a pause. */
static void part(u64 pause, u64 work)
{
	clock_ns += pause;
	irq_entry(1);
	clock_ns += work;
	irq_exit(1, 3);
}

/* Time that the records cover; they must follow each other without overlap. */
static u64 covered(const char *name)
{
	u64 at = 0, end = 0, sum = 0;

	while (at < memory.ring.head) {
		struct irq_span_record *record = (void *)&memory + RING_DATA + at;
		u64 begin = record->word >> 8;

		EXPECT(name, record->word & 0xff, KIND_IRQ_SPAN);
		EXPECT(name, begin < end, 0);
		end = begin + record->dur_ns;
		sum += record->dur_ns;
		at += sizeof(*record);
	}
	return sum;
}

int main(void)
{
	use_host_helpers();
	bpf_map_lookup_elem = lookup;
	bpf_get_smp_processor_id = this_cpu;
	bpf_get_current_pid_tgid = swapper;

	start();
	part(0, 19 * US);
	part(100 * US, 19 * US);
	EXPECT("short intervals are not recorded", covered("short"), 0);

	start();
	part(0, 30 * US);
	EXPECT("a part is written at its end", covered("one part"), 30 * US);

	start();
	part(0, 12 * US);
	part(3 * US, 12 * US);
	EXPECT("parts that follow each other are one interval", covered("two parts"), 27 * US);
	part(4 * US, 2 * US);
	EXPECT("and so is a short one behind them", covered("three parts"), 33 * US);
	part(6 * US, 2 * US);
	EXPECT("but not after a pause", covered("pause"), 33 * US);

	start();
	part(0, 30 * US);
	close_irq_span(&memory.ring, clock_ns); /* a switch ends the idleness */
	part(2 * US, 10 * US);
	EXPECT("a switch ends the interval", covered("switch"), 30 * US);

	start();
	clock_ns += US;
	irq_entry(1);
	for (int i = 0; i < 30; i++) {
		clock_ns += 1000 * US;
		irq_entry(0);
		clock_ns += US;
		irq_exit(0, 9);
	}
	clock_ns += 5 * US;
	irq_exit(1, 3);
	EXPECT("a long handler is written in pieces", covered("long"), 30 * 1001 * US + 5 * US);
	printf("all parts are covered\n");
	return 0;
}
