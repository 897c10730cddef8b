/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * The sentinel's program compiled for this machine, over runqueues that are drawn here: what it must report of each look
 * is known exactly. Types of other kernel releases (___suffix) count as absent.
 */
#include "host.h"

#include "../../bpf/sentinel.bpf.c"
#include "host_helpers.h"

#define CPUS 1024
#define MS 1000000ULL

static struct cpu_look host_looks[CPUS];
static struct rq rqs[CPUS];
static struct task_struct idle_threads[CPUS], threads[64];
static int used;

static void *lookup(void *map, const void *key)
{
	u32 cpu = *(const u32 *)key;

	return map == (void *)&looks && cpu < sentinel.cpus ? &host_looks[cpu] : NULL;
}

static long loop(u32 count, void *callback, void *context, u64 flags)
{
	for (u32 i = 0; i < count; i++)
		((long (*)(u32, void *))callback)(i, context);
	return count;
}

/* A machine at rest. */
static void machine(u32 cpus)
{
	memset(host_looks, 0, sizeof(host_looks));
	memset(rqs, 0, sizeof(rqs));
	memset(threads, 0, sizeof(threads));
	memset((void *)&sentinel, 0, sizeof(sentinel));
	used = 0;
	clock_ns = 1000 * MS;
	sentinel.look_ns = MS;
	sentinel.hit_ns = 5 * MS;
	sentinel.cpus = cpus;
	sentinel.words = (cpus + 63) / 64;
	for (u32 cpu = 0; cpu < cpus; cpu++) {
		struct rq *rq = &rqs[cpu];

		rq->cpu = cpu;
		rq->online = 1;
		rq->idle = rq->curr = &idle_threads[cpu];
		rq->cfs_tasks.next = rq->cfs_tasks.prev = &rq->cfs_tasks;
		host_looks[cpu].rq = (u64)rq;
	}
}

static void unlink_thread(struct task_struct *p)
{
	p->se.group_node.prev->next = p->se.group_node.next;
	p->se.group_node.next->prev = p->se.group_node.prev;
}

/* First in cfs_tasks, as the kernel links a thread that is enqueued or picked. */
static void link_thread(struct task_struct *p, struct list_head *head)
{
	p->se.group_node.next = head->next;
	p->se.group_node.prev = head;
	head->next->prev = &p->se.group_node;
	head->next = &p->se.group_node;
}

/* A thread on the queue of `cpu` that may run on CPUs `first` to `last`; the first thread of a queue runs. */
static struct task_struct *thread_on(u32 cpu, u32 first, u32 last)
{
	struct task_struct *p = &threads[used++];

	p->pid = 100 + used;
	p->thread_info.cpu = cpu;
	p->on_rq = 1;
	p->nr_cpus_allowed = last - first + 1;
	for (u32 i = first; i <= last; i++)
		p->cpus_mask.bits[i / 64] |= 1UL << (i % 64);
	snprintf(p->comm, sizeof(p->comm), "thread %d", used);
	link_thread(p, &rqs[cpu].cfs_tasks);
	if (!rqs[cpu].nr_running++)
		rqs[cpu].curr = p;
	return p;
}

/* The CPU switches to a thread of its queue; the one that ran stays runnable. */
static void run_thread(struct task_struct *p)
{
	struct rq *rq = &rqs[p->thread_info.cpu];

	rq->curr->se.sum_exec_runtime += MS;
	rq->curr = p;
	rq->nr_switches++;
	unlink_thread(p);
	link_thread(p, &rq->cfs_tasks);
}

static void look_after(u64 ns)
{
	clock_ns += ns;
	look();
}

static void one_thread_waits(void)
{
	const char *name = "one thread waits";

	machine(4);
	thread_on(0, 0, 0);
	thread_on(0, 0, 3);
	look_after(MS);
	EXPECT(name, sentinel.looks_with_waste, 1);
	EXPECT(name, sentinel.longest_ns, 0); /* nothing is certain after one look */
	for (int i = 1; i <= 4; i++) {
		look_after(MS);
		EXPECT(name, sentinel.longest_ns, i * MS);
		EXPECT(name, sentinel.hits, 0);
	}
	for (int i = 5; i <= 20; i++) {
		look_after(MS);
		EXPECT(name, sentinel.hits, 1); /* one violation, one hit */
		EXPECT(name, sentinel.recent[1].age_ns, i * MS);
	}
	EXPECT(name, sentinel.recent[1].start_ns, 1001 * MS);
	EXPECT(name, sentinel.recent[1].seen_ns, 1006 * MS);
	EXPECT(name, sentinel.recent[1].tid, 102);
	EXPECT(name, sentinel.recent[1].cpu, 0);
	EXPECT(name, sentinel.recent[1].idle_cpu, 1);
	EXPECT(name, sentinel.sampled_ns, 20 * MS);
	EXPECT(name, sentinel.certain_ns, 20 * MS);
	EXPECT(name, sentinel.missed, 0);
}

static void two_threads_take_turns(void)
{
	const char *name = "two threads take turns";
	struct task_struct *a, *b;

	machine(2);
	a = thread_on(0, 0, 1);
	b = thread_on(0, 0, 1);
	for (int i = 0; i < 10; i++) {
		look_after(MS);
		EXPECT(name, sentinel.longest_ns, i * MS); /* one of them waits at any instant */
		run_thread(i % 2 ? a : b);
	}
	EXPECT(name, sentinel.hits, 1);
	a->nvcsw++; /* it slept, so that nothing is certain before the last look */
	look_after(MS);
	EXPECT(name, sentinel.longest_ns, 0);
	look_after(MS);
	EXPECT(name, sentinel.longest_ns, MS);
}

static void only_one_of_the_threads_may_move(void)
{
	const char *name = "only one of the threads may move";
	struct task_struct *pinned, *free;

	machine(2);
	pinned = thread_on(0, 0, 0);
	free = thread_on(0, 0, 1);
	for (int i = 0; i < 8; i++) {
		look_after(MS);
		/* It ran between the looks: the pinned one waited then, which is none. */
		run_thread(free);
		run_thread(pinned);
		EXPECT(name, sentinel.longest_ns, 0);
	}
	EXPECT(name, sentinel.looks_with_waste, 8);
	EXPECT(name, sentinel.certain_ns, 0);
	EXPECT(name, sentinel.hits, 0);
}

static void the_idle_cpu_ran_something(void)
{
	const char *name = "the idle CPU ran something";

	machine(2);
	thread_on(0, 0, 1);
	thread_on(0, 0, 1);
	for (int i = 0; i < 20; i++) {
		look_after(MS);
		if (i % 4 == 3)
			rqs[1].nr_switches += 2;
		EXPECT(name, sentinel.longest_ns, (i % 4) * MS);
	}
	EXPECT(name, sentinel.hits, 0);
}

/* What a look must not report. `kind` chooses the reason. */
static void excused(const char *name, int kind)
{
	static struct cfs_rq throttled = { .throttle_count = 1 };
	struct task_struct *p;

	machine(130);
	thread_on(0, 0, kind == 0 ? 0 : 129);
	p = thread_on(0, 0, kind == 0 ? 0 : 129);
	switch (kind) {
	case 1: /* of a group without quota */
		for (int i = 0; i < used; i++)
			threads[i].se.cfs_rq = &throttled;
		break;
	case 2: /* run by sched_ext */
		for (int i = 0; i < used; i++)
			threads[i].policy = SCHED_EXT;
		break;
	case 3: /* every other CPU is isolated */
		for (u32 word = 0; word < CPU_WORDS; word++)
			sentinel.isolated[word] = ~0ULL;
		break;
	case 4: /* every other CPU is offline */
		for (u32 cpu = 1; cpu < 130; cpu++)
			rqs[cpu].online = 0;
		break;
	case 5: /* on the way to the queue of another CPU */
		p->thread_info.cpu = 1;
		break;
	case 6: /* asleep already */
		p->on_rq = 0;
		break;
	case 7: /* nothing was seen of the other CPUs' queues */
		for (u32 cpu = 1; cpu < 130; cpu++)
			host_looks[cpu].rq = 0;
		break;
	default:
		break;
	}
	for (int i = 0; i < 20; i++)
		look_after(MS);
	EXPECT(name, sentinel.looks_with_waste, 0);
	EXPECT(name, sentinel.hits, 0);
	EXPECT(name, sentinel.sampled_ns, 0);
}

static void each_waiting_thread_needs_an_idle_cpu_of_its_own(void)
{
	const char *name = "each waiting thread needs an idle CPU of its own";

	machine(CPUS);
	for (u32 cpu = 1; cpu < CPUS; cpu++)
		if (cpu != 700 && cpu != 1023) {
			rqs[cpu].curr = &threads[63];
			rqs[cpu].nr_running = 1;
		}
	thread_on(0, 0, 1023);
	for (int i = 0; i < 5; i++)
		thread_on(0, 0, 1023);
	look_after(MS);
	look_after(MS);
	EXPECT(name, sentinel.pairs, 2); /* five wait, two CPUs idle */
	EXPECT(name, sentinel.sampled_ns, 2 * MS);
	EXPECT(name, sentinel.certain_ns, 2 * MS);
	for (int i = 0; i < 5; i++)
		look_after(MS);
	EXPECT(name, sentinel.hits, 1); /* one queue */
	EXPECT(name, sentinel.recent[1].idle_cpu, 700);
}

static void a_cpu_that_idles_for_long_is_preferred(void)
{
	const char *name = "a CPU that idles for long is preferred";

	machine(8);
	for (u32 cpu = 1; cpu < 5; cpu++) {
		rqs[cpu].curr = &threads[63];
		rqs[cpu].nr_running = 1;
	}
	for (int i = 0; i < 10; i++)
		look_after(MS);
	thread_on(0, 0, 7);
	thread_on(0, 0, 7);
	for (int i = 0; i < 10; i++) {
		rqs[1].nr_switches++; /* CPU 1 is idle now and then */
		rqs[1].nr_running = i & 1;
		rqs[1].curr = i & 1 ? &threads[63] : rqs[1].idle;
		look_after(MS);
	}
	EXPECT(name, sentinel.hits, 1);
	EXPECT(name, sentinel.recent[1].idle_cpu, 5);
	EXPECT(name, sentinel.recent[1].age_ns, 9 * MS);
}

static void a_violation_that_ends_and_comes_back_is_two_hits(void)
{
	const char *name = "a violation that ends and comes back is two hits";

	machine(2);
	thread_on(0, 0, 1);
	thread_on(0, 0, 1);
	for (int round = 1; round <= 2; round++) {
		for (int i = 0; i < 10; i++)
			look_after(MS);
		EXPECT(name, sentinel.hits, round);
		rqs[1].curr = &threads[63];
		rqs[1].nr_running = 1;
		look_after(MS);
		EXPECT(name, sentinel.longest_ns, 0);
		rqs[1].curr = rqs[1].idle;
		rqs[1].nr_running = 0;
		rqs[1].nr_switches += 2;
	}
}

static void a_thread_that_was_elsewhere_begins_anew(void)
{
	const char *name = "a thread that was elsewhere begins anew";
	struct task_struct *p;

	machine(2);
	thread_on(0, 0, 1);
	p = thread_on(0, 0, 1);
	look_after(MS);
	look_after(MS);
	EXPECT(name, sentinel.longest_ns, MS);
	p->se.nr_migrations += 2;
	look_after(MS);
	EXPECT(name, sentinel.longest_ns, 0);
	look_after(MS);
	EXPECT(name, sentinel.longest_ns, MS);
	unlink_thread(p); /* its group has no quota */
	rqs[0].nr_running = 1;
	look_after(MS);
	link_thread(p, &rqs[0].cfs_tasks);
	rqs[0].nr_running = 2;
	look_after(MS);
	EXPECT(name, sentinel.longest_ns, 0);
}

static void looks_that_come_late_are_counted(void)
{
	const char *name = "looks that come late are counted";

	machine(2);
	thread_on(0, 0, 1);
	thread_on(0, 0, 1);
	look_after(MS);
	look_after(10 * MS);
	EXPECT(name, sentinel.missed, 9);
	EXPECT(name, sentinel.longest_ns, 10 * MS); /* and still certain: the counts prove it */
	EXPECT(name, sentinel.hits, 1);
}

int main(void)
{
	bpf_map_lookup_elem = lookup;
	use_host_helpers();
	bpf_loop = loop;
	one_thread_waits();
	two_threads_take_turns();
	only_one_of_the_threads_may_move();
	the_idle_cpu_ran_something();
	excused("pinned", 0);
	excused("throttled", 1);
	excused("sched_ext", 2);
	excused("isolated", 3);
	excused("offline", 4);
	excused("moving", 5);
	excused("asleep", 6);
	excused("unknown queues", 7);
	each_waiting_thread_needs_an_idle_cpu_of_its_own();
	a_cpu_that_idles_for_long_is_preferred();
	a_violation_that_ends_and_comes_back_is_two_hits();
	a_thread_that_was_elsewhere_begins_anew();
	looks_that_come_late_are_counted();
	printf("all looks as drawn\n");
	return 0;
}
